#include "api/primitives.h"

#include "api/user_sizes.h"
#include "fastnp/error.h"
#include "ops/infer.h"
#include "shape/strides.h"

namespace fastnp::api {

Dims checked_sizes(const Shape& shape, std::size_t itemsize) {
    const shape::Arithmetic sizes = arithmetic();
    Shape now;
    Dims dims = sizes_given(shape);
    for (const Dim size : dims) {
        const bool negative = !size.is_constant() && !sizes.at_least(size, Dim(0));
        now.push_back(negative ? -1 : sizes.hint(size));
        if (now.back() == 0) now.back() = 1;  // NumPy's arrays without elements have steps that fit, too
    }
    shape::byte_count(now, itemsize);
    return dims;
}

using ir::Attributes;
using ir::Op;

namespace {

array apply_one(Op op, const Attributes& attributes, const array& x) { return apply(op, attributes, {&x, 1}); }

Attributes integers(std::span<const std::int64_t> numbers) {
    Attributes attributes;
    attributes.ints.assign(numbers.begin(), numbers.end());
    return attributes;
}

}  // namespace

array as_array(const Operand& x, std::optional<Dtype> dtype) {
    if (const array* value = x.as_array()) return *value;
    return array(*x.as_scalar(), dtype);
}

array constant(const Scalar& value, Dtype dtype, const Dims& shape) {
    Attributes attributes;
    attributes.scalar = ops::convert(value, dtype);
    attributes.dims = shape;
    attributes.dtype = dtype;
    return apply(Op::constant, attributes, {});
}

array iota(const Dims& shape, int axis) {
    Attributes attributes;
    attributes.dims = shape;
    attributes.ints.push_back(axis);
    attributes.dtype = Dtype::int64;
    return apply(Op::iota, attributes, {});
}

void throw_no_single_element() { throw ValueError("can only convert an array of size 1 to a Python scalar"); }

void check_single(const Dims& sizes) {
    if (!arithmetic().equal(arithmetic().product(sizes), Dim(1))) throw_no_single_element();
}

array extent(Dim size) {
    if (size.is_constant()) return constant(size.value(), Dtype::int64);
    Attributes attributes;
    attributes.dims.push_back(size);
    attributes.dtype = Dtype::int64;
    return apply(Op::extent, attributes, {});
}

array cast(const array& x, Dtype dtype) {
    if (x.dtype() == dtype) return x;
    Attributes attributes;
    attributes.dtype = dtype;
    return apply_one(Op::cast, attributes, x);
}

// Elements that an array repeats are converted once.
static array converted_once(const array& x, Dtype dtype) {
    const device::Memory& memory = x.body()->memory;
    device::Memory once = memory;
    for (std::size_t i = 0; i < once.shape.size(); ++i) {
        if (once.strides[i] == 0) once.shape[i] = std::min<std::int64_t>(once.shape[i], 1);
    }
    device::Memory made = cast(wrap(std::move(once)), dtype).body()->memory;
    for (std::size_t i = 0; i < made.shape.size(); ++i) {
        if (memory.strides[i] == 0) made.strides[i] = 0;
        made.shape[i] = memory.shape[i];
    }
    return wrap(std::move(made), false);
}

array converted(const array& x, Dtype dtype) {
    if (x.dtype() == dtype) return x;
    if (x.is_recorded() || active_sizes() != nullptr) {
        const array made = cast(x, dtype);
        const detail::ArrayBody& body = *made.body();
        return wrap(body.value, body.recorder, body.storage, strides_of(x));
    }
    const device::Memory& memory = x.body()->memory;
    bool repeats = false;
    for (std::size_t i = 0; i < memory.shape.size(); ++i) repeats = repeats || (memory.strides[i] == 0 && memory.shape[i] > 1);
    return repeats ? converted_once(x, dtype) : cast(x, dtype);
}

array broadcast(const array& x, const Dims& shape) {
    const Dims from = dims_of(x);
    if (from == shape) return x;
    const shape::Arithmetic sizes = arithmetic();
    array source = x;
    if (sizes.sizes() != nullptr && from.size() <= shape.size()) {
        // A symbolic size that is 1 now and is repeated: tied to 1, and named so.
        Dims starts, lengths = from;
        bool tied = false;
        const std::size_t lead = shape.size() - from.size();
        for (std::size_t i = 0; i < from.size(); ++i) {
            starts.push_back(Dim(0));
            if (from[i].is_constant() || from[i] == shape[lead + i] || sizes.hint(from[i]) != 1 || sizes.hint(shape[lead + i]) == 1) continue;
            if (!sizes.equal(from[i], Dim(1))) continue;
            lengths[i] = Dim(1);
            tied = true;
        }
        const SmallVector<std::int64_t> steps(from.size(), 1);
        if (tied) source = slice(x, starts, lengths, {steps.data(), steps.size()});
    }
    Attributes attributes;
    attributes.dims = shape;
    return apply_one(Op::broadcast_to, attributes, source);
}

array reshape(const array& x, const Dims& shape) {
    const Dims from = dims_of(x);
    Attributes attributes;
    attributes.dims = ops::reshaped(from, shape, active_sizes());
    if (from == attributes.dims && x.is_recorded()) return x;
    return apply_one(Op::reshape, attributes, x);
}

array flatten(const array& x) { return x.ndim() == 1 ? x : reshape(x, Dims{arithmetic().product(dims_of(x))}); }

array permute(const array& x, std::span<const std::int64_t> axes) { return apply_one(Op::transpose, integers(axes), x); }

array slice(const array& x, const Dims& starts, const Dims& lengths, std::span<const std::int64_t> steps) {
    Attributes attributes = integers(steps);
    attributes.dims = starts;
    for (const Dim length : lengths) attributes.dims.push_back(length);
    return apply_one(Op::slice, attributes, x);
}

array expand(const array& x, std::span<const std::int64_t> places) { return places.empty() ? x : apply_one(Op::expand_dims, integers(places), x); }

array squeeze(const array& x, std::span<const std::int64_t> places) { return places.empty() ? x : apply_one(Op::squeeze, integers(places), x); }

array select(const array& condition, const array& x, const array& y) {
    const Dims shapes[] = {dims_of(condition), dims_of(x), dims_of(y)};
    const Dims shape = ops::broadcast(shapes, active_sizes());
    const array operands[] = {broadcast(condition, shape), broadcast(x, shape), broadcast(y, shape)};
    return apply(Op::select, {}, operands);
}

array fold(Op op, const array& x, std::span<const std::int64_t> axes) { return apply_one(op, integers(axes), x); }

}  // namespace fastnp::api
