// Sums, extremes, means and scans without NaN. Arrays that hold none, as most do, are looked at by the fold itself: what it gives tells.
#include "fastnp/numpy_compat/nan_statistics.h"

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <utility>

#include "at_hand.h"
#include "extremes.h"
#include "fastnp/error.h"
#include "size.h"

namespace fastnp {

using compat::as_it_is;
using compat::count_of;
using compat::has_nan;
using compat::is_at_hand;
using compat::nan_where;
using compat::Size;
using compat::TriedFlags;

namespace {

using Fold = array (*)(const Operand&, const FoldOptions&);
using Places = array (*)(const Operand&, const AxisOptions&);

constexpr double infinity = std::numeric_limits<double>::infinity();

// NumPy puts numbers into a copy, and results lie as those of that copy do.
array as_copied(const array& x) {
    if (x.ndim() < 2 || !is_inexact(x.dtype())) return x;
    if (!compat::is_at_hand(x)) return x.copy(Order::keep);  // which is no work of its own
    const bool lies_alike = x.size() > 0 && (x.is_c_contiguous() || x.is_f_contiguous());
    return lies_alike ? x : x.copy(Order::keep);
}

array without_nan(const array& given, const Scalar& value) {
    if (!is_inexact(given.dtype())) return given;
    const array x = as_copied(given);
    return where(isnan(x), value, x);
}

// The same number for both parts.
Scalar number_of(Dtype dtype, double value) { return is_complex(dtype) ? Scalar(std::complex<double>(value, value)) : Scalar(value); }

array folded(Fold fold, const array& given, int neutral, const FoldOptions& options) {
    const array x = as_copied(given);
    const bool keeps_nan = !options.out && is_inexact(options.dtype.value_or(x.dtype()));
    if (is_inexact(x.dtype()) && keeps_nan) {
        if (const auto result = as_it_is(x, [&] { return fold(x, options); })) return *result;
    }
    return fold(without_nan(x, neutral), options);
}

array extreme(Fold fold, const array& x, double least, const FoldOptions& options) {
    if (!is_inexact(x.dtype())) return fold(x, options);
    if (const auto result = compat::extreme_at_hand(x, least < 0, options)) return *result;
    if (!options.out) {
        if (const auto result = as_it_is(x, [&] { return fold(x, options); })) return *result;
    }
    const array missing = isnan(x);
    const Scalar fill = number_of(x.dtype(), least);
    FoldOptions rest = options;
    const bool starts_at_nan = options.initial && std::isnan(options.initial->real());
    if (starts_at_nan) rest.initial = fill;
    const array found = fold(where(missing, fill, x), rest);
    if (options.initial && !starts_at_nan) return found;
    const array none = all(missing, {.axis = options.axis, .keepdims = options.keepdims, .where = options.where});
    const array told = nan_where(none, found.dtype());
    if (!options.out) return where(none, told, found);
    copyto(*options.out, told, Casting::unsafe, none);
    return *options.out;
}

// NumPy reduces by fmax here, and tells so in errors.
template <class F>
array in_words_of(const std::string& before, const std::string& now, F&& f) {
    try {
        return f();
    } catch (const ValueError& error) {
        std::string words = error.what();
        if (const std::size_t at = words.find(before); at != std::string::npos) words.replace(at, before.size(), now);
        if (dynamic_cast<const AxisError*>(&error) != nullptr) throw;
        throw ValueError(words);
    }
}

// What f finds in x as it is, NaN being the most extreme element, if it is none.
std::optional<array> found_as_it_is(Places find, Fold fold, const array& x, const AxisOptions& options) {
    if (x.size() == 0) return find(x, options);
    const TriedFlags flags;
    if (options.axis || !x.is_c_contiguous()) {
        if (has_nan(fold(x, {.axis = options.axis ? Axes(*options.axis) : Axes()}))) return std::nullopt;
        return find(x, options);
    }
    const array at = find(x, {});
    if (has_nan(x.reshape(Shape{x.size()})(at.item<std::int64_t>()))) return std::nullopt;
    return options.keepdims || options.out ? find(x, options) : at;
}

array place(Places find, Fold fold, const array& x, double least, const AxisOptions& options) {
    if (!is_inexact(x.dtype())) return find(x, options);
    if (is_at_hand(x)) {
        if (const auto found = found_as_it_is(find, fold, x, options)) return *found;
    }
    const array missing = isnan(x);
    const Axes axes = options.axis ? Axes(*options.axis) : Axes();
    if (count_of(x) > Size(0) && any(all(missing, {.axis = axes}))) throw ValueError("All-NaN slice encountered");
    return find(where(missing, number_of(x.dtype(), least), x), options);
}

void check_inexact(const FoldOptions& options) {
    if (options.dtype && !is_inexact(*options.dtype)) throw TypeError("If a is inexact, then dtype must be inexact");
    if (options.out && !is_inexact(options.out->dtype())) throw TypeError("If a is inexact, then out must be inexact");
}

// Divided as wide as NumPy divides by an integer count, in the dtype of the total; in `out`, if the total lies there.
array divided(const array& total, const array& count, const std::optional<array>& out = std::nullopt) {
    if (out) return divide(total, count, {.out = out, .casting = Casting::unsafe});
    const array result = total / count;
    return result.dtype() == total.dtype() ? result : result.astype(total.dtype());
}

// Sums of the elements that are no NaN, and of how many.
struct Counted {
    array filled;                  // x with 0 for NaN
    std::optional<array> missing;  // where it is NaN; nothing where there is none
    array total, count;
};

Counted counted(const array& given, const FoldOptions& options) {
    const array x = as_copied(given);
    if (!options.where && !options.out) {
        if (const auto sums = as_it_is(x, [&] { return sum(x, options); })) {
            const std::int64_t slices = sums->size();
            return {x, std::nullopt, *sums, array(slices == 0 ? std::int64_t{1} : x.size() / slices)};
        }
    }
    const array missing = isnan(x);
    const array count = sum(logical_not(missing), {.axis = options.axis, .keepdims = options.keepdims, .where = options.where});
    const array filled = where(missing, 0, x);
    return {filled, missing, sum(filled, options), count};
}

array reduced_by(const array& count, double ddof) {
    if (ddof == std::floor(ddof) && std::abs(ddof) < 1e15) return subtract(count, static_cast<std::int64_t>(ddof));
    return subtract(count, ddof);
}

// Squares of the distances from the mean, 0 at NaN, real; and of how many.
std::pair<array, array> squares(const array& x, const FoldOptions& options) {
    const Counted all = counted(x, {.axis = options.axis, .keepdims = true, .dtype = options.dtype, .where = options.where});
    array distance = subtract(all.filled, divided(all.total, all.count));
    if (distance.dtype() != x.dtype()) distance = distance.astype(x.dtype());
    if (all.missing) distance = where(*all.missing, 0, distance);
    if (is_complex(x.dtype())) return {real(distance * conjugate(distance)), all.count};
    return {distance * distance, all.count};
}

// The count along axes that stay with size 1, without these.
array without_axes(const array& count, const FoldOptions& options) {
    if (count.ndim() == 0 || options.keepdims) return count;
    return squeeze(count, options.axis);
}

}  // namespace

array nansum(const array& x, const FoldOptions& options) { return folded(&sum_fold, x, 0, options); }
array nanprod(const array& x, const FoldOptions& options) { return folded(&prod_fold, x, 1, options); }

array nanmax(const array& x, const FoldOptions& options) {
    return in_words_of("maximum", "fmax", [&] { return extreme(&max_fold, x, -infinity, options); });
}
array nanmin(const array& x, const FoldOptions& options) {
    return in_words_of("minimum", "fmin", [&] { return extreme(&min_fold, x, infinity, options); });
}

array nanargmax(const array& x, const AxisOptions& options) { return place(&argmax, &max_fold, x, -infinity, options); }
array nanargmin(const array& x, const AxisOptions& options) { return place(&argmin, &min_fold, x, infinity, options); }

array nancumsum(const array& x, const AxisOptions& options) { return cumsum(without_nan(x, 0), options); }
array nancumprod(const array& x, const AxisOptions& options) { return cumprod(without_nan(x, 1), options); }

array nanmean(const array& x, const FoldOptions& options) {
    if (!is_inexact(x.dtype())) return mean(x, options);
    check_inexact(options);
    const Counted all = counted(x, options);
    return divided(all.total, all.count, options.out);
}

array nanvar(const array& x, const FoldOptions& options, double ddof) {
    if (!is_inexact(x.dtype())) return var(x, options, ddof);
    check_inexact(options);
    const auto [parts, kept_count] = squares(x, options);
    array total = sum(parts, options);
    const array count = reduced_by(without_axes(kept_count, options), ddof);
    const array is_bad = count <= 0;
    // 0 / 0 there: NaN, by a division, so that compiled code raises the flag, too.
    if (options.out) copyto(total, 0, Casting::unsafe, is_bad);
    else total = where(is_bad, 0, total);
    return divided(total, maximum(count, 0), options.out);
}

array nanstd(const array& x, const FoldOptions& options, double ddof) {
    if (!is_inexact(x.dtype())) return stddev(x, options, ddof);
    const array variance = nanvar(x, options, ddof);
    if (options.out) return sqrt(variance, {.out = options.out});
    if (!variance.is_recorded()) return sqrt(variance);
    const array is_zero = variance == 0;  // where the root has a kink
    return where(is_zero, 0, sqrt(where(is_zero, 1, variance)));
}

}  // namespace fastnp
