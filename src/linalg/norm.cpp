// Norms of vectors and matrices.
#include <algorithm>
#include <cmath>
#include <limits>

#include "api/root.h"
#include "linalg/matrix.h"
#include "ops/infer.h"

namespace fastnp::linalg {

namespace {

using AxisList = SmallVector<std::int64_t>;
constexpr double infinity = std::numeric_limits<double>::infinity();

array inexact(const array& x) { return is_inexact(x.dtype()) ? x : x.astype(Dtype::float64); }
array squares(const array& x) { return is_complex(x.dtype()) ? square(real(x)) + square(imag(x)) : square(x); }
Axes axes_of(const AxisList& axes) { return Axes(std::span<const std::int64_t>(axes.data(), axes.size())); }

array vector_norm_along(const array& x, double ord, const FoldOptions& along) {
    if (ord == infinity) {
        FoldOptions from_zero = along;
        from_zero.initial = Scalar(0);
        return max(absolute(x), from_zero);
    }
    if (ord == -infinity) return min(absolute(x), along);
    if (ord == 0) return sum(api::cast(x != 0, real_of(x.dtype())), along);
    if (ord == 1) return sum(absolute(x), along);
    if (ord == 2) return api::root_of_sum(sum(squares(x), along));
    return api::root_of_sum(sum(power(absolute(x), ord), along), ord);
}

// What was folded over axes of x, these put back with size 1 where they are kept.
array with_axes(const array& result, const array& x, const AxisList& axes, bool keepdims) {
    if (!keepdims) return result;
    Dims shape = api::dims_of(x);
    for (const std::int64_t axis : axes) shape[static_cast<std::size_t>(axis)] = Dim(1);
    return api::reshape(result, shape);
}

// With all these axes as the first one, as numpy.linalg.vector_norm has them.
array as_lines(const array& x, const AxisList& axes) {
    const Dims shape = api::dims_of(x);
    AxisList order = axes;
    Dims sizes{Dim(1)};
    for (const std::int64_t axis : axes) sizes[0] = api::arithmetic().multiply(sizes[0], shape[static_cast<std::size_t>(axis)]);
    for (std::int64_t i = 0; i < x.ndim(); ++i) {
        if (std::find(axes.begin(), axes.end(), i) != axes.end()) continue;
        order.push_back(i);
        sizes.push_back(shape[static_cast<std::size_t>(i)]);
    }
    return api::reshape(api::permute(x, {order.data(), order.size()}), sizes);
}

// Of the singular values of matrices in any two axes, whatever order they have.
array of_singular_values(const array& x, const AxisList& axes, bool keepdims, array (*fold)(const Operand&, const FoldOptions&), bool from_zero) {
    AxisList order;
    for (std::int64_t i = 0; i < x.ndim(); ++i) {
        if (i != axes[0] && i != axes[1]) order.push_back(i);
    }
    order.push_back(axes[0]);
    order.push_back(axes[1]);
    FoldOptions options{.axis = -1};
    if (from_zero) options.initial = Scalar(0);
    return with_axes(fold(svdvals(api::permute(x, {order.data(), order.size()})), options), x, axes, keepdims);
}

// The largest or the smallest of the sums over one axis.
array of_sums(const array& x, std::int64_t summed, std::int64_t chosen, bool largest, bool keepdims) {
    const array sums = sum(absolute(x), {.axis = static_cast<int>(summed)});
    FoldOptions options{.axis = static_cast<int>(chosen > summed ? chosen - 1 : chosen)};
    if (largest) options.initial = Scalar(0);
    return with_axes(largest ? max(sums, options) : min(sums, options), x, {summed, chosen}, keepdims);
}

array norm_of_matrices(const array& x, const std::optional<NormOrder>& ord, const AxisList& axes, bool keepdims) {
    const std::string* name = ord ? std::get_if<std::string>(&*ord) : nullptr;
    if (!ord || (name != nullptr && (*name == "fro" || *name == "f"))) {
        return with_axes(api::root_of_sum(sum(squares(x), {.axis = axes_of(axes)})), x, axes, keepdims);
    }
    if (name != nullptr && *name == "nuc") return of_singular_values(x, axes, keepdims, &fastnp::sum, true);
    const double number = name != nullptr ? 0 : std::get<double>(*ord);
    if (number == 2) return of_singular_values(x, axes, keepdims, &fastnp::max, true);
    if (number == -2) return of_singular_values(x, axes, keepdims, &fastnp::min, false);
    if (std::abs(number) == 1) return of_sums(x, axes[0], axes[1], number > 0, keepdims);
    if (std::isinf(number)) return of_sums(x, axes[1], axes[0], number > 0, keepdims);
    throw ValueError("Invalid norm order for matrices.");
}

array norm_of_vectors(const array& x, const std::optional<NormOrder>& ord, const AxisList& axes, bool keepdims) {
    if (ord && std::holds_alternative<std::string>(*ord)) throw ValueError("Invalid norm order '" + std::get<std::string>(*ord) + "' for vectors");
    return vector_norm_along(x, ord ? std::get<double>(*ord) : 2, {.axis = axes_of(axes), .keepdims = keepdims});
}

bool is_of_all(const array& x, const std::optional<NormOrder>& ord) {
    if (!ord) return true;
    if (const std::string* name = std::get_if<std::string>(&*ord)) return x.ndim() == 2 && (*name == "fro" || *name == "f");
    return x.ndim() == 1 && std::get<double>(*ord) == 2;
}

}  // namespace

array norm(const array& given, const NormOptions& options) {
    const array x = inexact(given);
    AxisList axes;
    for (const std::int64_t axis : options.axis.list()) axes.push_back(axis);
    for (std::int64_t i = 0; options.axis.is_none() && i < x.ndim(); ++i) axes.push_back(i);
    if (options.axis.is_none() && is_of_all(x, options.ord)) return with_axes(api::root_of_sum(sum(squares(x))), x, axes, options.keepdims);
    for (std::int64_t& axis : axes) axis = ops::normalize_axis(axis, x.ndim());
    if (axes.size() == 1) return norm_of_vectors(x, options.ord, axes, options.keepdims);
    if (axes.size() != 2) throw ValueError("Improper number of dimensions to norm.");
    if (axes[0] == axes[1]) throw ValueError("Duplicate axes given.");
    return norm_of_matrices(x, options.ord, axes, options.keepdims);
}

array vector_norm(const array& x, const Axes& axis, bool keepdims, double ord) {
    AxisList axes = ops::normalize_axes(axis.list(), x.ndim());
    if (axes.size() > 1) return with_axes(vector_norm_along(inexact(as_lines(x, axes)), ord, {.axis = 0}), x, axes, keepdims);
    for (std::int64_t i = 0; axis.is_none() && i < x.ndim(); ++i) axes.push_back(i);
    return with_axes(vector_norm_along(inexact(x), ord, {.axis = axes_of(axes)}), x, axes, keepdims);
}

array matrix_norm(const array& x, bool keepdims, const NormOrder& ord) { return norm(x, {ord, {-2, -1}, keepdims}); }

}  // namespace fastnp::linalg
