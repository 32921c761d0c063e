// The same elements under other shapes and in other orders, and several arrays made one.
#include <algorithm>

#include "api/primitives.h"
#include "api/user_sizes.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "ops/infer.h"
#include "shape/strides.h"

namespace fastnp {

using api::Dims;

namespace {

using AxisList = SmallVector<std::int64_t>;

std::span<const std::int64_t> span_of(const AxisList& axes) { return {axes.data(), axes.size()}; }

AxisList identity(int rank) {
    AxisList axes;
    for (int i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
}

// An AxisError that names the argument at fault: "axis2: axis 5 is out of bounds for array of dimension 2".
int named_axis(const char* name, int axis, int rank) {
    try {
        return ops::normalize_axis(axis, rank);
    } catch (const AxisError& error) {
        throw AxisError(std::string(name) + ": " + error.what());
    }
}

// Names the first two that do not go together.
[[noreturn]] void throw_mismatch(const std::vector<Dims>& shapes) {
    std::string text = "shape mismatch: objects cannot be broadcast to a single shape.";
    for (std::size_t j = 1; j < shapes.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
            const Dims pair[] = {shapes[i], shapes[j]};
            try {
                ops::broadcast(pair, api::active_sizes());
            } catch (const ValueError&) {
                throw ValueError(text + "  Mismatch is between arg " + std::to_string(i) + " with shape " +
                                 ops::shape_text(shapes[i], api::active_sizes()) + " and arg " + std::to_string(j) + " with shape " +
                                 ops::shape_text(shapes[j], api::active_sizes()) + ".");
            }
        }
    }
    throw ValueError(text);
}

Dtype common_dtype(const std::vector<array>& arrays) {
    SmallVector<Dtype> dtypes;
    for (const array& x : arrays) dtypes.push_back(x.dtype());
    return result_type({dtypes.data(), dtypes.size()});
}

}  // namespace

array reshape(const array& x, const Shape& shape, Order order) {
    if (order == Order::keep) throw ValueError("order 'K' is not permitted for reshaping");
    if (api::settled(x, order) == Order::c) return api::reshape(x, api::sizes_given(shape));
    Dims sizes = ops::reshaped(api::dims_of(x), api::sizes_given(shape), api::active_sizes());
    std::reverse(sizes.begin(), sizes.end());
    return transpose(api::reshape(transpose(x), sizes));
}

array ravel(const array& x, Order order) {
    order = api::settled(x, order);
    if (order == Order::f) return ravel(transpose(x));
    if (order == Order::c || api::lies_in_c_order(x)) return api::flatten(api::lies_in_c_order(x) ? x : x.copy());
    // As the elements lie: a view where they are next to each other, else a copy in the order of numpy.nditer.
    const shape::AxisOrder lying = api::order_of(x);
    const array seen = lying.empty() ? x : api::permute(x, span_of(lying));
    if (api::lies_in_c_order(seen)) return api::flatten(seen);
    const shape::AxisOrder walked = api::result_order(ir::Op::cast, {}, {&x, 1});
    return api::flatten((walked.empty() ? x : api::permute(x, span_of(walked))).copy());
}

array transpose(const array& x, std::optional<Shape> axes) {
    const int rank = x.ndim();
    if (!axes) {
        AxisList reversed = identity(rank);
        std::reverse(reversed.begin(), reversed.end());
        return api::permute(x, span_of(reversed));
    }
    if (static_cast<int>(axes->size()) != rank) throw ValueError("axes don't match array");
    AxisList order;
    for (const std::int64_t axis : *axes) {
        const int place = ops::normalize_axis(axis, rank);
        if (std::find(order.begin(), order.end(), place) != order.end()) throw ValueError("repeated axis in transpose");
        order.push_back(place);
    }
    return api::permute(x, span_of(order));
}

array swapaxes(const array& x, int a, int b) {
    const int first = named_axis("axis1", a, x.ndim());
    const int second = named_axis("axis2", b, x.ndim());
    AxisList order = identity(x.ndim());
    std::swap(order[static_cast<std::size_t>(first)], order[static_cast<std::size_t>(second)]);
    return api::permute(x, span_of(order));
}

array moveaxis(const array& x, int from, int to) {
    const int source = named_axis("source", from, x.ndim());
    const int destination = named_axis("destination", to, x.ndim());
    AxisList order = identity(x.ndim());
    order.erase(order.begin() + source);
    order.insert(order.begin() + destination, source);
    return api::permute(x, span_of(order));
}

array expand_dims(const array& x, int axis) {
    const std::int64_t place = ops::normalize_axis(axis, x.ndim() + 1);
    return api::expand(x, {&place, 1});
}

array squeeze(const array& x, const Axes& axis) {
    AxisList places;
    if (axis.is_none()) {
        const Dims shape = api::dims_of(x);
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (api::arithmetic().equal(shape[i], api::Dim(1))) places.push_back(static_cast<std::int64_t>(i));
        }
    } else if (x.ndim() > 0 || !axis.is_one() || (axis.list()[0] != 0 && axis.list()[0] != -1)) {  // which NumPy lets pass
        places = ops::normalize_axes(axis.list(), x.ndim());
    }
    return api::squeeze(x, span_of(places));
}

array broadcast_to(const array& x, const Shape& shape) {
    for (const std::int64_t size : shape) {
        if (size < 0) throw ValueError("all elements of broadcast shape must be non-negative");
    }
    const Dims sizes = api::checked_sizes(shape, itemsize_of(x.dtype()));
    if (!x.is_recorded() && trace::Recorder::active() == nullptr) {  // a view of its own, which may not be written to
        ir::Attributes attributes;
        attributes.dims = sizes;
        return api::apply(ir::Op::broadcast_to, attributes, {&x, 1});
    }
    array result = detail::read_only(api::broadcast(x, sizes));
    result.body()->stays_read_only = true;
    return result;
}

std::vector<array> broadcast_arrays(const std::vector<array>& arrays) {
    std::vector<Dims> shapes;
    for (const array& x : arrays) shapes.push_back(api::dims_of(x));
    Dims shape;
    try {
        shape = ops::broadcast(shapes, api::active_sizes());
    } catch (const ValueError&) {
        throw_mismatch(shapes);
    }
    std::vector<array> result;
    for (const array& x : arrays) {
        result.push_back(api::broadcast(x, shape));
        detail::ArrayBody& body = *result.back().body();
        if (result.back().body() != x.body()) body.writable = x.writable();  // as NumPy's, which warns of writes
    }
    return result;
}

array flip(const array& x, const Axes& axis) {
    const AxisList axes = axis.is_none() ? identity(x.ndim()) : ops::normalize_axes(axis.list(), x.ndim());
    const Dims shape = api::dims_of(x);
    Dims starts(shape.size());
    AxisList steps(shape.size(), 1);
    for (const std::int64_t each : axes) {
        const auto place = static_cast<std::size_t>(each);
        starts[place] = api::arithmetic().subtract(shape[place], api::Dim(1));
        steps[place] = -1;
    }
    return api::slice(x, starts, shape, span_of(steps));
}

array concatenate(const std::vector<array>& arrays, int axis) {
    if (arrays.empty()) throw ValueError("need at least one array to concatenate");
    if (arrays[0].ndim() == 0) throw ValueError("zero-dimensional arrays cannot be concatenated");
    const Dtype dtype = common_dtype(arrays);
    std::vector<array> operands;
    bool any_cast = false;
    for (const array& x : arrays) {
        operands.push_back(api::cast(x, dtype));
        any_cast = any_cast || x.dtype() != dtype;
    }
    ir::Attributes attributes;
    attributes.ints.push_back(ops::normalize_axis(axis, arrays[0].ndim()));
    const array joined = api::apply(ir::Op::concatenate, attributes, operands);
    return any_cast ? api::laid_out(joined, api::result_order(ir::Op::concatenate, attributes, arrays)) : joined;  // as what was given lies
}

array stack(const std::vector<array>& arrays, int axis) {
    if (arrays.empty()) throw ValueError("need at least one array to stack");
    const Dims first = api::dims_of(arrays[0]);
    const std::int64_t place = ops::normalize_axis(axis, arrays[0].ndim() + 1);
    std::vector<array> operands;
    for (const array& x : arrays) {
        const Dims shape = api::dims_of(x);
        bool same = shape.size() == first.size();
        for (std::size_t i = 0; same && i < shape.size(); ++i) same = api::arithmetic().equal(shape[i], first[i]);
        if (!same) throw ValueError("all input arrays must have the same shape");
        operands.push_back(api::expand(x, {&place, 1}));
    }
    return concatenate(operands, static_cast<int>(place));
}

array pad(const array& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths, const Scalar& value) {
    const auto rank = static_cast<std::size_t>(x.ndim());
    if (widths.size() != rank && widths.size() != 1) {
        throw ValueError("operands could not be broadcast together with remapped shapes [original->remapped]: (" + std::to_string(widths.size()) +
                         ",2)  and requested shape (" + std::to_string(rank) + ",2)");
    }
    ir::Attributes attributes;
    attributes.dims.resize(2 * rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const auto [before, after] = widths.size() == rank ? widths[i] : widths[0];
        if (before < 0 || after < 0) throw ValueError("index can't contain negative values");
        attributes.dims[i] = api::size_given(before);
        attributes.dims[rank + i] = api::size_given(after);
    }
    const bool truncates = is_integer(x.dtype()) && value.kind() == WeakKind::floating;
    const array operands[] = {x, api::constant(truncates ? Scalar(static_cast<std::int64_t>(value.real())) : value, x.dtype())};
    return api::apply(ir::Op::pad, attributes, operands);
}

}  // namespace fastnp
