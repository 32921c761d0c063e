// Convolutions, as sums of moved arrays where they are recorded, and by loops over memory where they are not.
#include <algorithm>
#include <complex>
#include <type_traits>
#include <utility>

#include "at_hand.h"
#include "fastnp/numpy_compat/signals.h"
#include "size.h"

namespace fastnp {

using compat::Size;
using compat::size_of;

namespace {

// Of several rows of products one is added up at a time, in a part of the result that stays in the cache.
constexpr std::int64_t part_length = 2048;

template <class T>
using Unsigned = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;

// Integers go around.
template <class T>
T product(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) return a && b;
    else if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
    else return a * b;
}
template <class R>
std::complex<R> product(std::complex<R> a, std::complex<R> b) {  // without a look at infinities
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <class T>
T total(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) return a || b;
    else if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
    else return a + b;
}

// out[k] = the sum of x[k - i] * y[i], for a part [first, first + count) of the k. x has `length` elements, y has `rows`, no more.
template <class T>
void convolve_part(const T* x, std::int64_t length, const T* y, std::int64_t rows, std::int64_t first, std::int64_t count, T* out) {
    std::fill(out, out + count, T{});
    const auto add_row = [&](std::int64_t i, std::int64_t from, std::int64_t to) {
        const T factor = y[i];
        for (std::int64_t k = from; k < to; ++k) out[k - first] = total(out[k - first], product(x[k - i], factor));
    };
    const std::int64_t last = first + count;
    std::int64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const T a = y[i], b = y[i + 1], c = y[i + 2], d = y[i + 3];
        const std::int64_t from = std::clamp(i + 3, first, last), to = std::clamp(i + length, from, last);  // where all four have an element
        for (std::int64_t j = i; j < i + 4; ++j) {
            const std::int64_t begin = std::clamp(j, first, last), end = std::clamp(j + length, first, last);
            add_row(j, begin, std::min(from, end));
            add_row(j, std::max(to, begin), end);
        }
        for (std::int64_t k = from; k < to; ++k) {
            const T pair = total(product(x[k - i], a), product(x[k - i - 1], b)), other = total(product(x[k - i - 2], c), product(x[k - i - 3], d));
            out[k - first] = total(out[k - first], total(pair, other));
        }
    }
    for (; i < rows; ++i) add_row(i, std::clamp(i, first, last), std::clamp(i + length, first, last));
}

template <class T>
array convolved(const array& x, const array& y, std::int64_t first, std::int64_t count) {
    const array p = x.is_c_contiguous() ? x : x.copy(), q = y.is_c_contiguous() ? y : y.copy();
    array out = array::uninitialized(x.dtype(), {count});
    for (std::int64_t at = 0; at < count; at += part_length) {
        convolve_part(p.data<T>(), p.size(), q.data<T>(), q.size(), first + at, std::min(part_length, count - at), out.data<T>() + at);
    }
    return out;
}

// A part of the sums, computed at once. Halves are added up as floats, as NumPy does.
array convolved_now(const array& x, const array& y, std::int64_t first, std::int64_t count) {
    switch (x.dtype()) {
#define DTYPE(name, type, kind, code, text)                                                                \
    case Dtype::name:                                                                                      \
        if constexpr (itemsize_of(Dtype::name) == 2 && is_floating(Dtype::name)) {                         \
            return convolved<float>(x.astype(float32), y.astype(float32), first, count).astype(x.dtype()); \
        } else {                                                                                           \
            return convolved<type>(x, y, first, count);                                                    \
        }
#include "fastnp/ops/dtype.def"
    }
    return {};
}

// As a sum over windows; products with the padding are none, since an infinity or a NaN would spread into it.
array convolved_by_windows(const array& x, const array& y) {
    const Size length = size_of(x, 0);
    const Size rows = size_of(y, 0);
    const array padded = pad(x, {{(rows - 1).raw(), (rows - 1).raw()}});
    const Size count = length + (rows - 1);
    const array starts = expand_dims(detail::size_range(0, count.raw()), 1);
    const array places = starts + detail::size_range(0, rows.raw());
    array windows = padded;
    if (!detail::is_symbolic(rows.raw()) && rows <= 64) {
        std::vector<array> columns;
        for (std::int64_t i = 0; i < rows.now(); ++i) columns.push_back(padded(range(i, (count + i).raw())));
        windows = stack(columns, 1);
    } else {
        windows = take(padded, places);
    }
    const array is_inside = (places >= detail::size_value((rows - 1).raw())) & (places < detail::size_value((length + (rows - 1)).raw()));
    const array products = where(is_inside, windows * y(every(-1)), zeros({}, x.dtype()));
    return sum(products, {.axis = 1, .dtype = products.dtype()});
}

// The sums of x's elements with y's in reverse order, where y is not longer.
array convolved(const array& x, const array& y, ConvolveMode mode) {
    const Size length = size_of(x, 0), rows = size_of(y, 0);
    const Size first = mode == ConvolveMode::full ? Size(0) : mode == ConvolveMode::same ? (rows - 1) / 2 : rows - 1;
    const Size count = mode == ConvolveMode::full ? length + rows - 1 : mode == ConvolveMode::same ? length : length - rows + 1;
    if (compat::is_at_hand(x) && compat::is_at_hand(y)) return convolved_now(x, y, first.now(), count.now());
    const array whole = convolved_by_windows(x, y);
    return mode == ConvolveMode::full ? whole : whole(range(first.raw(), (first + count).raw()));
}

array as_dtype(const array& x, Dtype dtype) { return x.dtype() == dtype ? x : x.astype(dtype); }

void check_axes(const array& x) {
    if (x.ndim() != 1) throw ValueError(x.ndim() > 1 ? "object too deep for desired array" : "object of too small depth for desired array");
}

}  // namespace

array convolve(const array& a, const array& v, ConvolveMode mode) {
    const array x = a.ndim() == 0 ? a(newaxis) : a, y = v.ndim() == 0 ? v(newaxis) : v;
    if (size_of(x, 0) == 0) throw ValueError("a cannot be empty");
    if (size_of(y, 0) == 0) throw ValueError("v cannot be empty");
    check_axes(x);
    check_axes(y);
    const Dtype dtype = promote_types(x.dtype(), y.dtype());
    const bool is_longer = size_of(y, 0) > size_of(x, 0);
    return convolved(as_dtype(is_longer ? y : x, dtype), as_dtype(is_longer ? x : y, dtype), mode);
}

array correlate(const array& a, const array& v, ConvolveMode mode) {
    check_axes(a);
    check_axes(v);
    if (size_of(a, 0) == 0) throw ValueError("first array argument cannot be empty");
    if (size_of(v, 0) == 0) throw ValueError("second array argument cannot be empty");
    const Dtype dtype = promote_types(a.dtype(), v.dtype());
    const array x = as_dtype(a, dtype), y = is_complex(dtype) ? conjugate(as_dtype(v, dtype)) : as_dtype(v, dtype);
    if (!(size_of(y, 0) > size_of(x, 0))) return convolved(x, y(every(-1)), mode);
    return convolved(y, x(every(-1)), mode)(every(-1)).copy();
}

}  // namespace fastnp
