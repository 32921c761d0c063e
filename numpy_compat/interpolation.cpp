// Interpolation: as gathers around a binary search where it is recorded, and by a loop over memory where it is not.
#include <algorithm>
#include <cmath>
#include <complex>
#include <span>
#include <vector>

#include "at_hand.h"
#include "fastnp/detail/layout.h"
#include "fastnp/numpy_compat/signals.h"
#include "size.h"

namespace fastnp {

using compat::Size;
using compat::size_of;

namespace {

// The last place of an element that is not above x, which none before the first nor behind the last is; where the last one was found it is looked at
// first. NumPy's ways, step by step, as they decide what is found among NaN and in what is not sorted.
class Search {
public:
    explicit Search(std::span<const double> places) : places_(places) {}

    std::int64_t find(double x) { return last_ = found(x); }

private:
    static constexpr std::int64_t few = 4, near = 8;

    double at(std::int64_t i) const { return places_[static_cast<std::size_t>(i)]; }

    std::int64_t found(double x) const {
        const auto count = static_cast<std::int64_t>(places_.size());
        if (count <= few) {
            std::int64_t i = 1;
            while (i < count && x >= at(i)) ++i;
            return i - 1;
        }
        const std::int64_t guess = std::max<std::int64_t>(std::min(last_, count - 3), 1);
        if (x < at(guess)) {
            if (!(x < at(guess - 1))) return guess - 1;
            return bisected(x, guess > near && x >= at(guess - near) ? guess - near : 0, guess - 1);
        }
        if (x < at(guess + 1)) return guess;
        if (x < at(guess + 2)) return guess + 1;
        return bisected(x, guess + 2, guess < count - near - 1 && x < at(guess + near) ? guess + near : count);
    }

    std::int64_t bisected(double x, std::int64_t from, std::int64_t to) const {
        while (from < to) {
            const std::int64_t middle = from + (to - from) / 2;
            if (x >= at(middle)) from = middle + 1;
            else to = middle;
        }
        return from - 1;
    }

    std::span<const double> places_;
    std::int64_t last_ = 0;
};

bool is_nan(double x) { return std::isnan(x); }

// On the line through two points; where that gives NaN from one of them, from the other one.
double on_line(double slope, double x, double x0, double x1, double y0, double y1) {
    double y = slope * (x - x0) + y0;
    if (is_nan(y)) {
        y = slope * (x - x1) + y1;
        if (is_nan(y) && y0 == y1) y = y0;
    }
    return y;
}
std::complex<double> on_line(std::complex<double> slope, double x, double x0, double x1, std::complex<double> y0, std::complex<double> y1) {
    return {on_line(slope.real(), x, x0, x1, y0.real(), y1.real()), on_line(slope.imag(), x, x0, x1, y0.imag(), y1.imag())};
}

template <class T>
void interpolate(std::span<const double> x, std::span<const double> xp, std::span<const T> fp, T left, T right, T* out) {
    const std::size_t last = xp.size() - 1;
    const auto slope_at = [&](std::size_t j) { return (fp[j + 1] - fp[j]) / (xp[j + 1] - xp[j]); };
    std::vector<T> slopes;
    if (last <= x.size()) {
        slopes.reserve(last);
        for (std::size_t j = 0; j < last; ++j) slopes.push_back(slope_at(j));
    }
    Search search(xp);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double at = x[i];
        if (last == 0) {
            out[i] = at < xp[0] ? left : at > xp[0] ? right : fp[0];
        } else if (is_nan(at)) {
            out[i] = at;
        } else if (at > xp[last]) {
            out[i] = right;
        } else if (at < xp[0]) {
            out[i] = left;
        } else {
            const auto j = static_cast<std::size_t>(search.find(at));
            if (j >= last || xp[j] == at) out[i] = fp[std::min(j, last)];
            else out[i] = on_line(slopes.empty() ? slope_at(j) : slopes[j], at, xp[j], xp[j + 1], fp[j], fp[j + 1]);
        }
    }
}

template <class T>
std::span<const T> elements_of(const array& x) {
    return {x.data<T>(), static_cast<std::size_t>(x.size())};
}

template <class T>
array interpolated_now(const array& x, const array& xp, const array& fp, T left, T right) {
    const array made = array::uninitialized(fp.dtype(), x.shape());
    const auto in_line = [](const array& each) { return each.is_c_contiguous() ? each : each.copy(); };
    const array at = in_line(x), places = in_line(xp), values = in_line(fp);
    interpolate<T>(elements_of<double>(at), elements_of<double>(places), elements_of<T>(values), left, right, made.data<T>());
    return made;
}

array interpolated_now(const array& x, const array& xp, const array& fp, const array& left, const array& right) {
    if (fp.dtype() == complex128) {
        using Complex = std::complex<double>;
        return interpolated_now<Complex>(x, xp, fp, left.item<Complex>(), right.item<Complex>());
    }
    return interpolated_now<double>(x, xp, fp, left.item<double>(), right.item<double>());
}

// The same by ops. Derivatives are those of the line that a place is on; at a point, of the one behind it, but at the last point.
array interpolated_by_ops(const array& x, const array& xp, const array& fp, const array& left, const array& right) {
    const Size count = size_of(xp, 0);
    const array first = xp(0), last = xp(-1);
    const array beside = where(x < first, left, where(x > last, right, fp(0)));
    if (count == 1) return where(isnan(x), fp(0), beside);
    const array found = searchsorted(xp, x, Side::right) - 1;
    const array low = minimum(maximum(found, 0), detail::size_value((count - 2).raw())), high = low + 1;
    const auto at = [](const array& values, const array& places) { return take(values, places, 0, TakeMode::clip); };
    const array x0 = at(xp, low), x1 = at(xp, high), y0 = at(fp, low), y1 = at(fp, high);
    const array slope = (y1 - y0) / where(x1 == x0, 1.0, x1 - x0);
    const array before = slope * (x - x0) + y0, behind = slope * (x - x1) + y1;
    array on_line = where(isnan(before), where(isnan(behind) & (y0 == y1) & ~isnan(x), y0, behind), before);
    on_line = where((x == x0) & ~isfinite(slope), y0, on_line);  // a point is there whatever the line is
    on_line = where(x == last, where(isnan(behind), y1, behind), on_line);
    return where((x < first) | (x > last), beside, on_line);
}

// Real and imaginary parts each have a line of their own.
array interpolated(const array& x, const array& xp, const array& fp, const array& left, const array& right) {
    bool is_now = true;
    for (const array* each : {&x, &xp, &fp, &left, &right}) is_now = is_now && compat::is_at_hand(*each);
    if (is_now) return interpolated_now(x, xp, fp, left, right);
    if (!is_complex(fp.dtype())) return detail::laid_like(interpolated_by_ops(x, xp, fp, left, right), x, Order::c);
    const array made =
        from_parts(interpolated_by_ops(x, xp, real(fp), real(left), real(right)), interpolated_by_ops(x, xp, imag(fp), imag(left), imag(right)));
    return detail::laid_like(made, x, Order::c);
}

array as_dtype(const array& x, Dtype dtype) { return x.dtype() == dtype ? x : x.astype(dtype, Casting::safe); }

array number_of(const std::optional<Operand>& given, const array& otherwise, Dtype dtype) {
    if (!given) return otherwise;
    if (const Scalar* number = given->as_scalar()) return array(*number).astype(dtype);
    return given->as_array()->astype(dtype);
}

bool is_zero(const Operand& period) {
    if (const Scalar* number = period.as_scalar()) return number->real() == 0;
    return !period.as_array()->is_recorded() && static_cast<bool>(*period.as_array() == 0);
}

}  // namespace

array interp(const array& x, const array& xp, const array& fp, const InterpOptions& options) {
    const Dtype dtype = is_complex(fp.dtype()) ? complex128 : float64;
    if (options.period && is_zero(*options.period)) throw ValueError("period must be a non-zero value");
    if (xp.ndim() != 1 || fp.ndim() != 1) {
        if (options.period) throw ValueError("Data points must be 1-D sequences");
        throw ValueError(std::max(xp.ndim(), fp.ndim()) > 1 ? "object too deep for desired array" : "object of too small depth for desired array");
    }
    const bool fits = size_of(xp, 0) == size_of(fp, 0);
    if (options.period && !fits) throw ValueError("fp and xp are not of the same length");
    if (size_of(xp, 0) == 0) throw ValueError("array of sample points is empty");
    if (!fits) throw ValueError("fp and xp are not of the same length.");
    array at = as_dtype(x, float64), places = as_dtype(xp, float64), values = as_dtype(fp, dtype);
    if (!options.period) {
        return interpolated(at, places, values, number_of(options.left, values(0), dtype), number_of(options.right, values(-1), dtype));
    }
    const array period = absolute(*options.period);
    places = remainder(places, period);
    const array order = argsort(places, -1, true);
    places = take(places, order, 0);
    values = take(values, order, 0);
    places = concatenate({places(from(-1)) - period, places, places(until(1)) + period});
    values = concatenate({values(from(-1)), values, values(until(1))});
    return interpolated(remainder(at, period), places, values, values(0), values(-1));
}

}  // namespace fastnp
