#include "extremes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "at_hand.h"
#include "size.h"

namespace fastnp::compat {

namespace {

// An array as one of three axes, of which the middle one is reduced.
struct Slices {
    std::int64_t outer, length, inner;
};

// A comparison with NaN is false: what was found stays. (Processors have one instruction for it.)
template <bool is_largest, class T>
T better(T x, T found) {
    return is_largest ? (x > found ? x : found) : (x < found ? x : found);
}

template <class T>
constexpr T worst(bool is_largest) {
    return is_largest ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
}

// Of a line, side by side in as many places as fill vectors.
template <bool is_largest, class T>
T of_line(const T* x, std::int64_t length) {
    constexpr std::int64_t lanes = 256 / sizeof(T);
    T found[lanes];
    std::fill_n(found, lanes, worst<T>(is_largest));
    std::int64_t i = 0;
    for (; i + lanes <= length; i += lanes) {
        for (std::int64_t k = 0; k < lanes; ++k) found[k] = better<is_largest>(x[i + k], found[k]);
    }
    T best = worst<T>(is_largest);
    for (std::int64_t k = 0; k < lanes; ++k) best = better<is_largest>(found[k], best);
    for (; i < length; ++i) best = better<is_largest>(x[i], best);
    return best;
}

template <bool is_largest, class T>
void fold(const T* x, Slices slices, T* out) {
    for (std::int64_t i = 0; i < slices.outer; ++i, x += slices.length * slices.inner, out += slices.inner) {
        if (slices.inner == 1) {
            *out = of_line<is_largest>(x, slices.length);
            continue;
        }
        std::fill_n(out, slices.inner, worst<T>(is_largest));
        for (std::int64_t k = 0; k < slices.length; ++k) {
            const T* const row = x + k * slices.inner;
            for (std::int64_t j = 0; j < slices.inner; ++j) out[j] = better<is_largest>(row[j], out[j]);
        }
    }
}

// NaN for slices in which nothing else was found; whether there are any.
template <class T>
bool mark_none(const T* x, Slices slices, T* out, T least) {
    bool any = false;
    for (std::int64_t at = 0; at < slices.outer * slices.inner; ++at) {
        if (out[at] != least) continue;
        const T* const first = x + at / slices.inner * slices.length * slices.inner + at % slices.inner;
        std::int64_t k = 0;
        while (k < slices.length && std::isnan(first[k * slices.inner])) ++k;
        if (k < slices.length) continue;
        out[at] = std::numeric_limits<T>::quiet_NaN();
        any = true;
    }
    return any;
}

template <class T>
array extreme_of(const array& x, Slices slices, bool is_largest, const Shape& shape) {
    array result = array::uninitialized(x.dtype(), shape);
    const T* const elements = x.data<T>();
    T* const out = result.data<T>();
    bool is_none = false;
    {
        const TriedFlags flags;  // comparisons with NaN raise some
        is_largest ? fold<true>(elements, slices, out) : fold<false>(elements, slices, out);
        is_none = mark_none(elements, slices, out, worst<T>(is_largest));
    }
    if (is_none) detail::raise_float_flags(detail::float_invalid);
    return result;
}

}  // namespace

std::optional<array> extreme_at_hand(const array& x, bool is_largest, const FoldOptions& options) {
    const bool is_known = x.dtype() == Dtype::float64 || x.dtype() == Dtype::float32;
    if (!is_known || options.out || options.where || options.initial || options.dtype || !is_at_hand(x)) return std::nullopt;
    const bool is_whole = options.axis.is_none();
    if (x.size() == 0 || (!is_whole && (options.axis.list().size() != 1 || x.ndim() == 0))) return std::nullopt;
    if (!x.is_c_contiguous() && !(is_whole && x.is_f_contiguous())) return std::nullopt;
    Slices slices{1, x.size(), 1};
    Shape shape = x.shape();
    if (is_whole) {
        shape = options.keepdims ? Shape(shape.size(), 1) : Shape{};
    } else {
        const int axis = axis_of(x, static_cast<int>(options.axis.list()[0]));
        slices.length = x.shape(axis);
        for (int i = 0; i < axis; ++i) slices.outer *= shape[static_cast<std::size_t>(i)];
        slices.inner = x.size() / (slices.outer * slices.length);
        if (options.keepdims) shape[static_cast<std::size_t>(axis)] = 1;
        else shape.erase(shape.begin() + axis);
    }
    return x.dtype() == Dtype::float64 ? extreme_of<double>(x, slices, is_largest, shape) : extreme_of<float>(x, slices, is_largest, shape);
}

}  // namespace fastnp::compat
