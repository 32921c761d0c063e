// Extent, averages and covariances.
#include "fastnp/numpy_compat/statistics.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "at_hand.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "size.h"

namespace fastnp {

using compat::count_of;
using compat::is_at_hand;
using compat::Size;
using compat::size_of;

namespace {

// Counted from the front, in the order given; nothing for all.
std::optional<std::vector<int>> axes_of(const array& x, const Axes& axis) {
    if (axis.is_none()) return std::nullopt;
    std::vector<int> axes;
    for (const std::int64_t each : axis.list()) {
        const int place = compat::axis_of(each, x.ndim(), "axis");
        if (std::find(axes.begin(), axes.end(), place) != axes.end()) throw ValueError("repeated axis in `axis` argument");
        axes.push_back(place);
    }
    return axes;
}

bool have_same_shape(const array& x, const array& y) {
    if (x.ndim() != y.ndim()) return false;
    for (int i = 0; i < x.ndim(); ++i) {
        if (!(size_of(x, i) == size_of(y, i))) return false;
    }
    return true;
}

// The weights as they are multiplied with x.
array beside(const array& x, const std::optional<std::vector<int>>& axes, const array& weights) {
    if (have_same_shape(x, weights)) return weights;
    if (!axes) throw TypeError("Axis must be specified when shapes of a and weights differ.");
    bool fits = weights.ndim() == static_cast<int>(axes->size());
    for (std::size_t i = 0; fits && i < axes->size(); ++i) fits = size_of(weights, static_cast<int>(i)) == size_of(x, (*axes)[i]);
    if (!fits) throw ValueError("Shape of weights must be consistent with shape of a along specified axis.");
    Shape order(axes->size(), 0);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::int64_t a, std::int64_t b) { return (*axes)[static_cast<std::size_t>(a)] < (*axes)[static_cast<std::size_t>(b)]; });
    std::vector<Index> subscripts;
    for (int i = 0; i < x.ndim(); ++i) {
        const bool is_own = std::find(axes->begin(), axes->end(), i) != axes->end();
        subscripts.push_back(is_own ? Index(Slice{}) : Index(newaxis));
    }
    return transpose(weights, order).index(subscripts);
}

// A size as a number beside floating ones.
array number_of(Size size, Dtype dtype) {
    return detail::is_symbolic(size.raw()) ? detail::size_value(size.raw()).astype(dtype) : array(Scalar(size.raw()), dtype);
}

array in_shape_of(const array& x, const array& other) { return have_same_shape(x, other) ? x : broadcast_to(x, detail::symbolic_shape(other)).copy(); }

struct Average {
    array value, weights;  // their sum, in a shape that may be smaller
};

Average averaged(const array& x, const Axes& axis, const std::optional<array>& weights, bool keepdims) {
    const auto axes = axes_of(x, axis);
    if (!weights) {
        const array value = mean(x, {.axis = axis, .keepdims = keepdims});
        if (count_of(value) == Size(0)) throw ZeroDivisionError("division by zero");
        Size count = 1;  // of what is averaged (not a quotient of all: a recording would be for the sizes at hand alone)
        for (int i = 0; i < x.ndim(); ++i) {
            if (!axes || std::ranges::find(*axes, i) != axes->end()) count = count * size_of(x, i);
        }
        return {value, number_of(count, value.dtype())};
    }
    const array w = beside(x, axes, *weights);
    Dtype dtype = promote_types(x.dtype(), w.dtype());
    if (!is_inexact(x.dtype())) dtype = promote_types(dtype, Dtype::float64);
    const array total = sum(w, {.axis = axis, .keepdims = keepdims, .dtype = dtype});
    if (!compat::is_recorded(total) && any(total == 0).item<bool>()) throw ZeroDivisionError("Weights sum to zero, can't be normalized");
    return {sum(multiply(x, w, {.dtype = dtype}), {.axis = axis, .keepdims = keepdims}) / total, total};
}

// One variable is a row.
array as_matrix(const array& x, Dtype dtype) {
    const array made = x.dtype() == dtype ? x : x.astype(dtype);
    if (x.ndim() == 0) return made.reshape(Shape{1, 1});
    return x.ndim() == 1 ? expand_dims(made, 0) : made;
}

bool holds(const array& condition) { return static_cast<bool>(all(condition)); }

std::optional<array> weights_of(const std::optional<array>& fweights, const std::optional<array>& aweights, Size count) {
    const auto check = [&](const array& weights, const char* name) {
        if (weights.ndim() > 1) throw ValueError(std::string("cannot handle multidimensional ") + name);
        if (weights.ndim() != 1 || !(size_of(weights, 0) == count)) throw ValueError(std::string("incompatible numbers of samples and ") + name);
        if (!holds(weights >= 0)) throw ValueError(std::string(name) + " cannot be negative");
    };
    if (fweights && !holds(*fweights == rint(*fweights))) throw TypeError("fweights must be integer");
    if (fweights) check(*fweights, "fweights");
    if (aweights) check(*aweights, "aweights");
    if (fweights && aweights) return *fweights * *aweights;
    return fweights ? fweights : aweights;
}

// What products of distances are divided by.
array divisor_of(Size count, int ddof, const array& total, const std::optional<array>& weights, const std::optional<array>& aweights) {
    if (!weights) return subtract(number_of(count, Dtype::float64), ddof);
    if (ddof == 0) return total;
    if (!aweights) return subtract(total, ddof);
    return total - ddof * sum(*weights * *aweights) / total;
}

}  // namespace

array ptp(const array& x, const FoldOptions& options) {
    const array most = max(x, options);
    return subtract(most, min(x, {.axis = options.axis, .keepdims = options.keepdims}), {.out = options.out});
}

array average(const array& x, const Axes& axis, const std::optional<array>& weights, bool keepdims) { return averaged(x, axis, weights, keepdims).value; }

std::pair<array, array> average_and_weights(const array& x, const Axes& axis, const std::optional<array>& weights, bool keepdims) {
    const Average found = averaged(x, axis, weights, keepdims);
    return {found.value, in_shape_of(found.weights, found.value)};
}

array cov(const array& m, const std::optional<array>& y, bool rowvar, bool bias, std::optional<int> ddof, const std::optional<array>& fweights,
          const std::optional<array>& aweights, std::optional<Dtype> dtype) {
    if (m.ndim() > 2) throw ValueError("m has more than 2 dimensions");
    if (y && y->ndim() > 2) throw ValueError("y has more than 2 dimensions");
    Dtype common = promote_types(m.dtype(), Dtype::float64);
    if (y) common = promote_types(common, y->dtype());
    common = dtype.value_or(common);
    array x = as_matrix(m, common);
    if (!rowvar && m.ndim() != 1) x = x.T();
    if (size_of(x, 0) == Size(0)) return zeros({0, 0});
    if (y) {
        const array more = as_matrix(*y, common);
        x = concatenate({x, !rowvar && !(size_of(more, 0) == Size(1)) ? more.T() : more});
    }
    const auto as_real = [](const std::optional<array>& weights) { return weights ? std::optional(weights->astype(Dtype::float64)) : std::nullopt; };
    const Size count = size_of(x, 1);
    const std::optional<array> by_number = as_real(fweights), by_weight = as_real(aweights);
    const std::optional<array> weights = weights_of(by_number, by_weight, count);
    const Average center = averaged(x, 1, weights, false);
    const array sum_of_weights = weights ? center.weights(0) : center.weights;
    const array total = is_complex(sum_of_weights.dtype()) ? real(sum_of_weights) : sum_of_weights;
    const array divisor = maximum(divisor_of(count, ddof.value_or(bias ? 0 : 1), total, weights, by_weight), 0);
    array distance = x - center.value(all, newaxis);
    if (distance.dtype() != common) distance = distance.astype(common);
    const array weighted = weights ? distance * *weights : distance;
    const array products = dot(distance, is_complex(weighted.dtype()) ? conjugate(weighted.T()) : weighted.T());
    const array scaled = products * divide(1, divisor);
    return squeeze(scaled.dtype() == products.dtype() ? scaled : scaled.astype(products.dtype()));
}

array corrcoef(const array& x, const std::optional<array>& y, bool rowvar, std::optional<Dtype> dtype) {
    array c = cov(x, y, rowvar, false, std::nullopt, std::nullopt, std::nullopt, dtype);
    if (c.ndim() == 0) return c / c;
    const Size count = size_of(c, 0);
    const array diagonal = take(ravel(c), detail::size_range(0, count.raw()) * (number_of(count, Dtype::int64) + 1), std::nullopt, TakeMode::clip);
    const array spread = sqrt(is_complex(c.dtype()) ? real(diagonal) : diagonal);
    c = c / spread(all, newaxis) / spread;
    if (!is_complex(c.dtype())) return clip(c, -1, 1);
    return from_parts(clip(real(c), -1, 1), clip(imag(c), -1, 1));
}

}  // namespace fastnp
