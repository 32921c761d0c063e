// Differences, averages and integrals along an axis.
#include "fastnp/numpy_compat.h"

namespace fastnp {

namespace {

int axis_of(const array& x, int axis) {
    const int rank = x.ndim();
    if (axis < -rank || axis >= rank) {
        throw AxisError("axis " + std::to_string(axis) + " is out of bounds for array of dimension " + std::to_string(rank));
    }
    return axis < 0 ? axis + rank : axis;
}

// x[..., slice, ...] with the slice at one axis.
array sliced(const array& x, int axis, const Slice& slice) {
    std::vector<Index> subscripts(static_cast<std::size_t>(axis), Slice{});
    subscripts.emplace_back(slice);
    return x.index(subscripts);
}

}  // namespace

array ptp(const array& x, const FoldOptions& options) { return max(x, options) - min(x, options); }

array average(const array& x, std::optional<int> axis, const std::optional<array>& weights) {
    const Axes axes = axis ? Axes(*axis) : Axes();
    if (!weights) return mean(x, {.axis = axes});
    array w = *weights;
    if (w.ndim() != x.ndim()) {
        if (!axis) throw TypeError("Axis must be specified when shapes of a and weights differ.");
        const int at = axis_of(x, *axis);
        if (w.ndim() != 1 || w.shape(0) != x.shape(at)) throw ValueError("Shape of weights must be consistent with shape of a along specified axis.");
        for (int i = at + 1; i < x.ndim(); ++i) w = expand_dims(w, -1);
    }
    const array total = sum(broadcast_arrays({w, x})[0], {.axis = axes});
    return sum(x * w, {.axis = axes}) / total;
}

array diff(const array& x, int n, int axis) {
    if (n < 0) throw ValueError("order must be non-negative but got " + std::to_string(n));
    if (x.ndim() == 0) throw ValueError("diff requires input that is at least one dimensional");
    const int at = axis_of(x, axis);
    array result = x;
    for (int i = 0; i < n; ++i) {
        const array later = sliced(result, at, from(1));
        const array earlier = sliced(result, at, until(-1));
        result = x.dtype() == bool_ ? later != earlier : later - earlier;
    }
    return result;
}

array trapezoid(const array& y, double dx, int axis) {
    const int at = axis_of(y, axis);
    return sum(dx * (sliced(y, at, from(1)) + sliced(y, at, until(-1))) / 2.0, {.axis = at});
}

array cross(const array& x, const array& y) {
    if (x.ndim() == 0 || y.ndim() == 0) throw ValueError("At least one array has zero dimension");
    if (x.shape(-1) != 3 || y.shape(-1) != 3) throw ValueError("incompatible dimensions for cross product (dimension must be 3)");
    auto part = [](const array& v, int i) { return v(ellipsis, i); };
    return stack({part(x, 1) * part(y, 2) - part(x, 2) * part(y, 1), part(x, 2) * part(y, 0) - part(x, 0) * part(y, 2),
                  part(x, 0) * part(y, 1) - part(x, 1) * part(y, 0)},
                 -1);
}

}  // namespace fastnp
