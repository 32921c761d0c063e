// numpy.ufunc.at: functions of elements, in place and at indices, repeated ones too.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "api/primitives.h"
#include "api/rows.h"
#include "device/span.h"
#include "eager/picked.h"
#include "fastnp/detail/at.h"
#include "fastnp/detail/loop.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "fastnp/half.h"
#include "ops/infer.h"

namespace fastnp {

namespace {

using ir::Op;

Op op_of(UnaryUfunc ufunc) {
#define MAP1(name, rule, meaning, partial, traits, doc) \
    if (ufunc == &fastnp::name) return Op::name;
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc)
#include "fastnp/ops/map.def"
    throw ValueError("at() takes an elementwise function");
}

Op op_of(BinaryUfunc ufunc) {
#define MAP1(name, rule, meaning, partial, traits, doc)
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) \
    if (ufunc == &fastnp::name) return Op::name;
#include "fastnp/ops/map.def"
    throw ValueError("at() takes an elementwise function of two operands");
}

bool is_ring(Op op) {
    constexpr Op all[] = {Op::add, Op::subtract, Op::multiply, Op::bitwise_and, Op::bitwise_or, Op::bitwise_xor};
    return std::ranges::find(all, op) != std::end(all);
}

// What a wider dtype rounds to the same: it has more than twice the digits.
bool is_rounded_once(Op op) {
    constexpr Op all[] = {Op::add, Op::subtract, Op::multiply, Op::divide, Op::maximum, Op::minimum, Op::fmax, Op::fmin};
    return std::ranges::find(all, op) != std::end(all);
}

bool holds(Dtype dtype, const Scalar& value) {
    if (value.kind() == WeakKind::complex) return false;
    const double number = value.real();
    if (value.kind() == WeakKind::integer && std::abs(number) > 2048) return false;
    if (dtype == Dtype::float32) return static_cast<double>(static_cast<float>(number)) == number;
    return dtype == Dtype::float16 && static_cast<double>(detail::half_bits_to_float(detail::float_to_half_bits(static_cast<float>(number)))) == number;
}

// The dtype that a number has by itself.
array as_own(const Operand& values) { return values.as_array() != nullptr ? *values.as_array() : array(*values.as_scalar()); }

// Whether values may be converted to x's dtype first, so that all is computed in it.
bool stays_in_dtype(Op op, Dtype dtype, const Operand& values) {
    const Dtype given = values.as_array() != nullptr ? values.as_array()->dtype() : array(*values.as_scalar()).dtype();
    const ops::LoopOperand operands[] = {{dtype, std::nullopt}, {given, std::nullopt}};
    const ops::Loop loop = ops::resolve(op, operands);
    const bool is_own = std::ranges::all_of(loop.operands, [&](Dtype each) { return each == dtype; });
    if (is_own && loop.compute == dtype && loop.output == dtype) return true;
    if (is_integer(dtype) && is_integer(loop.compute)) return is_integer(given) && is_ring(op);
    return values.as_scalar() != nullptr && is_rounded_once(op) && holds(dtype, *values.as_scalar());
}

array applied(Op op, const array& x, const std::optional<array>& values) {
    const Operand first(x);
    if (!values) {
        const Operand* one[] = {&first};
        return api::ufunc(op, one);
    }
    const Operand second(*values);
    const Operand* both[] = {&first, &second};
    return api::ufunc(op, both);
}

// Where no element is named twice.
void combine_once(Op op, const array& x, const std::vector<array>& indices, const std::optional<array>& values) {
    const array elements = indices.empty() ? x : pick(x, indices);
    if (values) {
        if (values->ndim() > elements.ndim()) api::throw_unfit();
        try {
            (void)api::broadcast(*values, api::dims_of(elements));
        } catch (const ValueError&) {
            api::throw_unfit();
        }
    }
    const array next = api::cast(applied(op, elements, values), x.dtype());
    if (indices.empty()) api::assign(x, next);
    else set_at(x, indices, next);
}

// One row after the other, each rounded to x's dtype before the next one.
void combine_by_turns(Op op, const array& x, const std::vector<array>& indices, const std::optional<array>& values) {
    const api::Rows rows = api::rows_of(x, indices);
    api::Dims shape = api::dims_of(rows.index);
    const api::Dim count = api::arithmetic().product(shape);
    const api::Dims whole = api::dims_of(rows.x);
    api::Dims lines{count};
    for (std::size_t i = 1; i < whole.size(); ++i) {
        shape.push_back(whole[i]);
        lines.push_back(whole[i]);
    }
    // Taken from 0, 1, 2 ..., so what is out of bounds is so before anything is written.
    std::vector<array> parts{take(api::iota({whole[0]}, 0), api::flatten(rows.index), 0)};
    if (values) {
        try {
            parts.push_back(api::reshape(api::broadcast(*values, shape), lines));
        } catch (const ValueError&) {
            api::throw_unfit();
        }
    }
    const auto turn = [op, dtype = x.dtype()](std::span<const array> states, std::span<const array> part) {
        const array next = applied(op, take(states[0], part[0], 0), part.size() > 1 ? std::optional(part[1]) : std::nullopt);
        set_at(states[0], {part[0]}, api::cast(next, dtype));
        return detail::TurnResult{{states[0]}, {}};
    };
    const detail::TurnResult last = detail::take_turns(detail::symbolic_shape(parts[0])[0], {&rows.x, 1}, parts, {}, turn);
    api::assign(x, api::reshape(last.states[0], api::dims_of(x)));
}

void combine(Op op, const array& x, const std::vector<array>& indices, const std::optional<Operand>& values) {
    api::check_writable(x, "assignment destination is read-only");
    std::optional<array> own;
    if (values) own = as_own(*values);
    if (std::ranges::all_of(indices, [](const array& each) { return each.ndim() == 0; })) combine_once(op, x, indices, own);
    else if (values && stays_in_dtype(op, x.dtype(), *values)) api::scatter(x, indices, *own, op);
    else combine_by_turns(op, x, indices, own);
}

}  // namespace

void at(BinaryUfunc ufunc, const array& x, const std::vector<array>& indices, const Operand& values) { combine(op_of(ufunc), x, indices, values); }
void at(UnaryUfunc ufunc, const array& x, const std::vector<array>& indices) { combine(op_of(ufunc), x, indices, std::nullopt); }

namespace detail {

bool combines_at_once(BinaryUfunc ufunc, Dtype dtype, const Operand& values) { return stays_in_dtype(op_of(ufunc), dtype, values); }

array counts_of(const array& places, const std::optional<array>& weights, std::int64_t minlength) {
    const eager::View line = api::view_of(places.body()->memory);
    const std::int64_t length = std::max(minlength, eager::places_end(line));
    const array counts = zeros({length}, weights ? Dtype::float64 : Dtype::int64);
    device::HostWrite write(counts.body()->memory);
    const eager::View made = api::view_of(counts.body()->memory);
    if (weights) eager::add_at_places(line, api::view_of(weights->body()->memory), made);
    else eager::count_places(line, made);
    write.done();
    return counts;
}

}  // namespace detail

}  // namespace fastnp
