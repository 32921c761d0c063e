// Differences, slopes and integrals along an axis, and products of vectors.
#include "fastnp/numpy_compat/calculus.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fastnp/detail/layout.h"
#include "operands.h"
#include "size.h"

namespace fastnp {

using compat::along;
using compat::axis_of;
using compat::minus;
using compat::over;
using compat::Size;
using compat::size_of;
using compat::times;

array diff(const array& x, int n, int axis) {
    if (n < 0) throw ValueError("order must be non-negative but got " + std::to_string(n));
    if (x.ndim() == 0) throw ValueError("diff requires input that is at least one dimensional");
    const int at = axis_of(x, axis);
    array result = x;
    for (int i = 0; i < n; ++i) {
        const array later = along(result, at, from(1));
        const array earlier = along(result, at, until(-1));
        result = x.dtype() == bool_ ? later != earlier : later - earlier;
    }
    return result;
}

namespace {

// One end of ediff1d, as elements of x's dtype.
array end_of(const std::optional<array>& end, Dtype dtype, const char* name) {
    if (!end) return zeros({0}, dtype);
    if (!can_cast(end->dtype(), dtype, Casting::same_kind)) {
        throw TypeError(std::string("dtype of `") + name + "` must be compatible with input `ary` under the `same_kind` rule.");
    }
    return ravel(*end);
}

}  // namespace

array ediff1d(const array& x, const std::optional<array>& to_end, const std::optional<array>& to_begin) {
    const array line = ravel(x);
    if (!to_end && !to_begin) return line(from(1)) - line(until(-1));
    const array before = end_of(to_begin, x.dtype(), "to_begin"), behind = end_of(to_end, x.dtype(), "to_end");
    const Size first = size_of(before, 0), length = size_of(line, 0);
    const Size last = first + (length >= 1 ? length - 1 : Size(0));
    const array result = empty({(last + size_of(behind, 0)).raw()}, x.dtype());
    result(until(first.raw())) = before;
    result(from(last.raw())) = behind;
    subtract(line(from(1)), line(until(-1)), {.out = result(range(first.raw(), last.raw()))});
    return result;
}

namespace {

// The distances between elements: a number, or an array of one axis.
Operand distances_of(const Operand& spacing, const Size& length) {
    const array* given = spacing.as_array();
    if (given == nullptr || given->ndim() == 0) return spacing;
    if (given->ndim() != 1) throw ValueError("distances must be either scalars or 1d");
    if (!(size_of(*given, 0) == length)) throw ValueError("when 1d, distances must match the length of the corresponding dimension");
    const array steps = diff(is_integer(given->dtype()) ? given->astype(float64) : *given);
    if (!steps.is_recorded() && steps.shape(0) > 0 && static_cast<bool>(all(steps == steps(0)))) return steps(0);
    return steps;
}

std::vector<Operand> all_distances(const array& f, const std::vector<Operand>& spacings, const std::vector<int>& axes) {
    if (spacings.empty()) return std::vector<Operand>(axes.size(), 1.0);
    const array* first = spacings[0].as_array();
    if (spacings.size() == 1 && (first == nullptr || first->ndim() == 0)) return std::vector<Operand>(axes.size(), spacings[0]);
    if (spacings.size() != axes.size()) throw TypeError("invalid number of arguments");
    std::vector<Operand> distances;
    for (std::size_t i = 0; i < axes.size(); ++i) distances.push_back(distances_of(spacings[i], size_of(f, axes[i])));
    return distances;
}

// Slopes along one axis.
class Slopes {
public:
    Slopes(const array& f, int axis, const Operand& distances) : f_(f), axis_(axis), distances_(distances) {
        const array* steps = distances.as_array();
        is_even_ = steps == nullptr || steps->ndim() == 0;
    }

    array inner() const {
        const array after = at(from(2)), before = at(until(-2));
        if (is_even_) return divide(after - before, times(2.0, distances_));
        const array left = steps()(until(-1)), right = steps()(from(1)), both = left + right;
        return spread(-right / (left * both)) * before + spread((right - left) / (left * right)) * at(range(1, -1)) +
               spread(left / (right * both)) * after;
    }
    // At the first element, or the last.
    array edge(int order, bool is_last) const {
        const auto point = [&](std::int64_t i) { return is_last ? at(i == 0 ? from(-1) : range(-1 - i, -i)) : at(range(i, i + 1)); };
        const Operand near = step(0, is_last);
        if (order == 1) return divide(is_last ? point(0) - point(1) : point(1) - point(0), near);
        const auto [a, b, c] = is_even_ ? even_weights(near) : weights(*near.as_array(), *step(1, is_last).as_array());
        const auto weighed = [&](const Operand& weight, const array& value) { return multiply(is_last ? minus(weight) : weight, value); };
        if (is_last) return weighed(c, point(2)) + weighed(b, point(1)) + weighed(a, point(0));
        return weighed(a, point(0)) + weighed(b, point(1)) + weighed(c, point(2));
    }

private:
    array at(const Slice& part) const { return along(f_, axis_, part); }
    const array& steps() const { return *distances_.as_array(); }
    Operand step(std::int64_t i, bool is_last) const { return is_even_ ? distances_ : Operand(steps()(is_last ? -1 - i : i)); }
    // Along the axis.
    array spread(array x) const {
        for (int i = axis_ + 1; i < f_.ndim(); ++i) x = expand_dims(x, -1);
        return x;
    }
    struct Weights {
        Operand a, b, c;
    };
    static Weights even_weights(const Operand& step) { return {over(-1.5, step), over(2.0, step), over(-0.5, step)}; }
    static Weights weights(const array& near, const array& next) {
        const array both = near + next;
        return {-(2.0 * near + next) / (near * both), both / (near * next), -near / (next * both)};
    }

    array f_;
    int axis_;
    Operand distances_;
    bool is_even_ = false;
};

std::vector<int> axes_of(const array& x, const Axes& axis) {
    std::vector<int> axes;
    if (axis.is_none()) {
        for (int i = 0; i < x.ndim(); ++i) axes.push_back(i);
    }
    for (const std::int64_t each : axis.list()) {
        const int at = axis_of(x, static_cast<int>(each));
        if (std::find(axes.begin(), axes.end(), at) != axes.end()) throw ValueError("repeated axis");
        axes.push_back(at);
    }
    return axes;
}

}  // namespace

std::vector<array> gradient(const array& f, const std::vector<Operand>& spacings, const Axes& axis, int edge_order) {
    const std::vector<int> axes = axes_of(f, axis);
    const std::vector<Operand> distances = all_distances(f, spacings, axes);
    if (edge_order > 2) throw ValueError("'edge_order' greater than 2 not supported");
    const array values = is_integer(f.dtype()) ? f.astype(float64) : f;
    const Dtype dtype = values.dtype() == bool_ ? float64 : values.dtype();
    std::vector<array> results;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const int at = axes[i];
        if (size_of(f, at) < Size(edge_order + 1)) {
            throw ValueError("Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required.");
        }
        const Slopes slopes(values, at, distances[i]);
        array result = empty_like(values, dtype);
        if (result.is_recorded()) {  // one store is fused with what it stores
            result(ellipsis) = concatenate({slopes.edge(edge_order, false), slopes.inner(), slopes.edge(edge_order, true)}, at);
        } else {
            along(result, at, range(1, -1)) = slopes.inner();
            along(result, at, until(1)) = slopes.edge(edge_order, false);
            along(result, at, from(-1)) = slopes.edge(edge_order, true);
        }
        results.push_back(std::move(result));
    }
    return results;
}

namespace {

using Scan = array (*)(const Operand&, const AxisOptions&);

array cumulative(Scan function, const array& given, AxisOptions options, bool include_initial, int identity) {
    const array x = given.ndim() == 0 ? given(newaxis) : given;
    if (!options.axis && x.ndim() >= 2) throw ValueError("For arrays which have more than one dimension ``axis`` argument is required.");
    const int at = axis_of(x, options.axis.value_or(0));
    options.axis = at;
    if (!include_initial) return function(x, options);
    if (const std::optional<array> out = options.out) {
        options.out = along(*out, at, from(1));
        function(x, options);
        along(*out, at, until(1)) = Operand(identity);
        return *out;
    }
    const array running = function(x, options);
    Shape shape = detail::symbolic_shape(running);
    shape[static_cast<std::size_t>(at)] = 1;
    return concatenate({detail::laid_like(full(shape, identity, running.dtype()), running), running}, at);
}

}  // namespace

array cumulative_sum(const array& x, const AxisOptions& options, bool include_initial) { return cumulative(&cumsum, x, options, include_initial, 0); }
array cumulative_prod(const array& x, const AxisOptions& options, bool include_initial) { return cumulative(&cumprod, x, options, include_initial, 1); }

array trapezoid(const array& y, const std::optional<array>& x, const Operand& dx, int axis) {
    if (axis < -y.ndim() || axis >= y.ndim()) throw IndexError("list assignment index out of range");  // NumPy's
    const int at = axis_of(y, axis);
    Operand widths = dx;
    if (x) {
        array distances = diff(*x, 1, x->ndim() == 1 ? 0 : axis);
        if (x->ndim() == 1) {  // along the axis
            for (int i = at + 1; i < y.ndim(); ++i) distances = expand_dims(distances, -1);
        }
        widths = distances;
    }
    return sum(multiply(widths, along(y, at, from(1)) + along(y, at, until(-1))) / 2.0, {.axis = at});
}

namespace {

// The vectors along the last axis, of the dtype.
array vectors_of(const array& x, int axis, const char* name, Dtype dtype) {
    const array moved = moveaxis(x, axis_of(axis, x.ndim(), name), -1);
    return moved.dtype() == dtype ? moved : moved.astype(dtype);
}

// The three elements of products as vectors: along the last axis, whose memory follows each other.
array vectors_from(const std::vector<array>& parts) {
    if (parts[0].is_recorded()) return stack(parts, -1).copy();
    Shape shape = parts[0].shape();
    shape.push_back(3);
    array made = empty(shape, parts[0].dtype());
    for (int i = 0; i < 3; ++i) made(ellipsis, i) = parts[static_cast<std::size_t>(i)];
    return made;
}

}  // namespace

array cross(const array& a, const array& b, int axisa, int axisb, int axisc, std::optional<int> axis) {
    if (a.ndim() == 0 || b.ndim() == 0) throw ValueError("At least one array has zero dimension");
    const Dtype dtype = promote_types(a.dtype(), b.dtype());
    const array x = vectors_of(a, axis.value_or(axisa), "axisa", dtype), y = vectors_of(b, axis.value_or(axisb), "axisb", dtype);
    const std::int64_t rows = x.shape(-1), columns = y.shape(-1);
    if ((rows != 2 && rows != 3) || (columns != 2 && columns != 3)) {
        throw ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)");
    }
    const auto part = [](const array& v, int i) { return v(ellipsis, i); };
    const auto minor = [&](int i, int j) { return part(x, i) * part(y, j) - part(x, j) * part(y, i); };
    const array last = minor(0, 1);
    if (rows == 2 && columns == 2) return detail::laid_like(last, last, Order::c);
    const int to = axis_of(axis.value_or(axisc), last.ndim() + 1, "axisc");
    if (rows == 3 && columns == 3) return moveaxis(vectors_from({minor(1, 2), minor(2, 0), last}), -1, to);
    if (rows == 2) return moveaxis(vectors_from({part(x, 1) * part(y, 2), -(part(x, 0) * part(y, 2)), last}), -1, to);
    return moveaxis(vectors_from({-(part(x, 2) * part(y, 1)), part(x, 2) * part(y, 0), last}), -1, to);
}

array kron(const array& a, const array& b) {
    if (a.ndim() == 0 || b.ndim() == 0) return a * b;
    const int rank = std::max(a.ndim(), b.ndim());
    // a's axes, each with one behind it, and b's, each with one in front of it.
    const auto spread = [&](const array& x, bool is_first) {
        Shape shape;
        for (int i = 0; i < rank; ++i) {
            const int at = i - (rank - x.ndim());
            const std::int64_t size = at < 0 ? 1 : size_of(x, at).raw();
            shape.push_back(is_first ? size : 1);
            shape.push_back(is_first ? 1 : size);
        }
        return reshape(x, shape);
    };
    const array product = spread(a, true) * spread(b, false);
    Shape shape;
    for (int i = 0; i < rank; ++i) shape.push_back((size_of(product, 2 * i) * size_of(product, 2 * i + 1)).raw());
    return reshape(product, shape);
}

}  // namespace fastnp
