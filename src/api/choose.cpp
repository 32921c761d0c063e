// Elementwise functions that are compositions: where, clip, round and the ones with two results.
#include <cmath>
#include <cstddef>

#include "api/in_blocks.h"
#include "api/primitives.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "ops/element.h"
#include "ops/infer.h"

namespace fastnp {

namespace {

// NEP 50 over any operands; weak bools are bools.
Dtype common_dtype(std::initializer_list<const Operand*> operands) {
    SmallVector<Dtype> dtypes;
    SmallVector<WeakKind> weak;
    for (const Operand* operand : operands) {
        if (const array* x = operand->as_array()) dtypes.push_back(x->dtype());
        else if (operand->as_scalar()->kind() == WeakKind::boolean) dtypes.push_back(Dtype::bool_);
        else weak.push_back(operand->as_scalar()->kind());
    }
    return result_type({dtypes.data(), dtypes.size()}, {weak.data(), weak.size()});
}

array as_dtype(const Operand& x, Dtype dtype) {
    if (const array* value = x.as_array()) return api::converted(*value, dtype);
    return api::constant(*x.as_scalar(), dtype);
}

// Whether a plain integer bound lies where no value of the integer dtype is beyond it.
bool is_past(const Scalar& bound, Dtype dtype, bool low) {
    if (bound.kind() != WeakKind::integer || !is_integer(dtype)) return false;
    const int bits = static_cast<int>(8 * itemsize_of(dtype)) - (kind_of(dtype) == 'i' ? 1 : 0);
    if (low) {
        if (kind_of(dtype) == 'u') return bound.negative() || bound.bits() == 0;
        return bound.negative() && bound.as_int64() <= (bits == 63 ? INT64_MIN : -(std::int64_t{1} << bits));
    }
    const std::uint64_t most = bits == 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
    return !bound.negative() && bound.bits() >= most;
}

// An array that is copied onto itself may be read-only.
bool is_itself(const array& target, const array& source) {
    if (target.body() == source.body()) return target.ndim() > 0;
    if (target.is_recorded() || source.is_recorded() || target.ndim() == 0) return false;
    const device::Memory &to = target.body()->memory, &from = source.body()->memory;
    return to.data == from.data && to.dtype == from.dtype && to.shape == from.shape && to.strides == from.strides;
}

}  // namespace

array where(const Operand& condition, const Operand& x, const Operand& y) {
    const Dtype dtype = common_dtype({&x, &y});
    // As NumPy, where() alone lets plain integers wrap around to the dtype.
    const auto choice = [dtype](const Operand& operand) {
        const Scalar* weak = operand.as_scalar();
        if (weak == nullptr || weak->kind() != WeakKind::integer || !is_integer(dtype)) return as_dtype(operand, dtype);
        alignas(16) std::byte element[16];
        ops::store(*weak, dtype, element);
        return api::constant(ops::load(dtype, element), dtype);
    };
    return api::select(as_dtype(condition, Dtype::bool_), choice(x), choice(y));
}

void copyto(const array& target, const Operand& source, Casting casting, const std::optional<array>& where) {
    if (source.as_array() != nullptr && is_itself(target, *source.as_array())) return;
    api::check_writable(target, "assignment destination is read-only");
    const array* elements = source.as_array();
    const bool is_complex_number = elements == nullptr && source.as_scalar()->kind() == WeakKind::complex;
    Dtype from = elements != nullptr ? elements->dtype() : api::as_array(source).dtype();
    if (is_complex_number && is_floating(target.dtype()) && target.dtype() != Dtype::float64) from = Dtype::complex64;
    const bool weak_integer = elements == nullptr && source.as_scalar()->kind() == WeakKind::integer && kind_of(target.dtype()) != 'b';
    if (!weak_integer && !can_cast(from, target.dtype(), casting)) {
        throw TypeError(std::string("Cannot cast ") + (elements == nullptr ? "scalar" : "array data") + " from dtype('" + std::string(name_of(from)) +
                        "') to dtype('" + std::string(name_of(target.dtype())) + "') according to the rule '" + std::string(name_of(casting)) + "'");
    }
    const array value = is_complex_number ? api::cast(api::as_array(source), target.dtype()) : as_dtype(source, target.dtype());
    if (!where) {
        api::assign(target, value);
        return;
    }
    if (where->dtype() != Dtype::bool_) {
        throw TypeError("Cannot cast array data from dtype('" + std::string(name_of(where->dtype())) + "') to dtype('bool') according to the rule 'safe'");
    }
    const shape::Dims shape = api::dims_of(target);
    api::assign(target, api::select(api::broadcast(*where, shape), api::broadcast_into(value, shape), target));
}

namespace api {

void check_mask(const array& x, const array& mask) {
    const Dims sizes = dims_of(mask), wanted = dims_of(x);
    if (sizes.size() > wanted.size()) {
        throw IndexError("too many indices for array: array is " + std::to_string(wanted.size()) + "-dimensional, but " + std::to_string(sizes.size()) +
                         " were indexed");
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (arithmetic().equal(sizes[i], wanted[i])) continue;
        throw IndexError("boolean index did not match indexed array along axis " + std::to_string(i) + "; size of axis is " +
                         arithmetic().told(wanted[i]) + " but size of corresponding boolean axis is " + arithmetic().told(sizes[i]));
    }
}

}  // namespace api

void set_where(const array& x, const array& mask, const Operand& values) {
    api::check_mask(x, mask);
    if (values.as_array() == nullptr) (void)as_dtype(values, x.dtype());  // numbers that an element can't be set to
    SmallVector<std::int64_t> added;
    for (int i = mask.ndim(); i < x.ndim(); ++i) added.push_back(static_cast<std::int64_t>(i));
    copyto(x, values, Casting::unsafe, api::expand(mask, {added.data(), added.size()}));
}

array clip(const Operand& x, const std::optional<Operand>& low, const std::optional<Operand>& high, const UfuncOptions& options) {
    const Dtype dtype = x.as_array() != nullptr ? x.as_array()->dtype() : common_dtype({&x});
    const Operand* bottom = low && !(low->as_scalar() != nullptr && is_past(*low->as_scalar(), dtype, true)) ? &*low : nullptr;
    const Operand* top = high && !(high->as_scalar() != nullptr && is_past(*high->as_scalar(), dtype, false)) ? &*high : nullptr;
    if (bottom == nullptr && top == nullptr) return dtype == Dtype::bool_ ? logical_or(x, x, options) : positive(x, options);
    if (bottom == nullptr) return minimum(x, *top, options);
    if (top == nullptr) return maximum(x, *bottom, options);
    const Dtype common = options.dtype.value_or(common_dtype({&x, bottom, top}));
    const array least = as_dtype(*bottom, common), most = as_dtype(*top, common);
    const array value = as_dtype(x, common);
    // Of equal ones both give the second: of two zeros, NumPy keeps what lies between two single numbers as it is, and else takes the bound. Of halves
    // both give the first, and NumPy always keeps.
    if (least.ndim() == 0 && most.ndim() == 0 && common != Dtype::float16) {
        if (!options.out && !options.where) {
            if (const auto made = api::in_blocks(value, {{ir::Op::maximum, &least, true}, {ir::Op::minimum, &most, true}})) return *made;
        }
        return minimum(most, maximum(least, value), options);
    }
    return minimum(maximum(value, least), most, options);
}

array round(const Operand& operand, int decimals) {
    const array x = api::as_array(operand);
    const bool whole = is_integer(x.dtype());
    if (whole && decimals >= 0) return x.copy(Order::keep);
    if (decimals == 0) return is_complex(x.dtype()) ? api::laid_out(rint(x), api::order_of(x)) : rint(x);  // NumPy rounds the parts of a copy
    if (x.dtype() == Dtype::bool_) {
        throw TypeError(std::string("Cannot cast ufunc '") + (decimals > 0 ? "multiply" : "divide") +
                        "' output from dtype('float64') to dtype('bool') with casting rule 'same_kind'");
    }
    const double factor = std::pow(10.0, std::abs(static_cast<double>(decimals)));
    const ir::Op there = decimals > 0 ? ir::Op::multiply : ir::Op::divide, back = decimals > 0 ? ir::Op::divide : ir::Op::multiply;
    if (!whole) {
        const array number = api::constant(factor, x.dtype());
        if (const auto made = api::in_blocks(x, {{there, &number}, {ir::Op::rint}, {back, &number}})) return *made;
    }
    const array rounded = decimals > 0 ? divide(rint(multiply(x, factor)), factor) : multiply(rint(divide(x, factor)), factor);
    return api::laid_out(whole ? api::cast(rounded, x.dtype()) : rounded, api::order_of(x, Order::any));
}

std::pair<array, array> divmod(const Operand& x, const Operand& y) { return {floor_divide(x, y), remainder(x, y)}; }

std::pair<array, array> frexp(const Operand& x) { return {frexp_mantissa(x), frexp_exponent(x)}; }

std::pair<array, array> modf(const Operand& x) {
    const array fraction = modf_fraction(x);
    return {fraction, trunc(as_dtype(x, fraction.dtype()))};
}

}  // namespace fastnp
