// Windows of signals, and the Bessel function that one is made of.
#include "fastnp/numpy_compat/windows.h"

#include <algorithm>
#include <numbers>
#include <span>

#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "size.h"

namespace fastnp {

using compat::line_of;
using compat::Size;

namespace {

// Chebyshev coefficients of exp(-x) i0(x) up to 8, and of exp(-x) sqrt(x) i0(x) above, by Clenshaw (Cephes).
constexpr double near[] = {
    -4.41534164647933937950e-18, 3.33079451882223809783e-17,  -2.43127984654795469359e-16, 1.71539128555513303061e-15,  -1.16853328779934516808e-14,
    7.67618549860493561688e-14,  -4.85644678311192946090e-13, 2.95505266312963983461e-12,  -1.72682629144155570723e-11, 9.67580903537323691224e-11,
    -5.18979560163526290666e-10, 2.65982372468238665035e-9,   -1.30002500998624804212e-8,  6.04699502254191894932e-8,   -2.67079385394061173391e-7,
    1.11738753912010371815e-6,   -4.41673835845875056359e-6,  1.64484480707288970893e-5,   -5.75419501008210370398e-5,  1.88502885095841655729e-4,
    -5.76375574538582365885e-4,  1.63947561694133579842e-3,   -4.32430999505057594430e-3,  1.05464603945949983183e-2,   -2.37374148058994688156e-2,
    4.93052842396707084878e-2,   -9.49010970480476444210e-2,  1.71620901522208775349e-1,   -3.04682672343198398683e-1,  6.76795274409476084995e-1,
};
constexpr double far[] = {
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17, 3.46122286769746109310e-17,  -2.82762398051658348494e-16,
    -3.42548561967721913462e-16, 1.77256013305652638360e-15,  3.81168066935262242075e-15, -9.55484669882830764870e-15, -4.15056934728722208663e-14,
    1.54008621752140982691e-14,  3.85277838274214270114e-13,  7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11,
    -3.14991652796324136454e-11, 1.18891471078464383424e-11,  4.94060238822496958910e-10, 3.39623202570838634515e-9,   2.26666899049817806459e-8,
    2.04891858946906374183e-7,   2.89137052083475648297e-6,   6.88975834691682398426e-5,  3.36911647825569408990e-3,   8.04490411014108831608e-1,
};

array chebyshev(const array& x, std::span<const double> coefficients) {
    Operand sum = coefficients[0], last = 0.0, before = 0.0;
    for (const double coefficient : coefficients.subspan(1)) {
        before = last;
        last = sum;
        sum = multiply(x, last) - before + coefficient;
    }
    return 0.5 * (*sum.as_array() - before);
}

array i0_near(const array& x) { return exp(x) * chebyshev(x / 2.0 - 2.0, near); }
array i0_far(const array& x) { return exp(x) * chebyshev(32.0 / x - 2.0, far) / sqrt(x); }

// What a window of two numbers or more is made of: 1 - count, 3 - count ... count - 1; and count - 1.
struct Places {
    array values, last;
};

Places places_of(Size count) {
    const array last = detail::size_value((count - 1).raw());
    return {detail::size_range(0, count.raw()) * 2 - last, last};
}

// Of none, one, or the others by `make`.
template <class Make>
array window(Size count, Make make) {
    if (count < 1) return zeros({0});
    return count == 1 ? ones({1}) : make(places_of(count));
}

// The cosine of so many half turns from one end to the other.
array wave(const Places& places, double turns) { return cos(turns * places.values / places.last); }

constexpr double pi = std::numbers::pi;

// Of numbers that are not negative. Each half is computed of numbers that are its own: of others it overflows.
array i0_of(const array& x) {
    const array is_near = x <= 8.0;
    if (static_cast<bool>(all(is_near))) return i0_near(x);
    if (!static_cast<bool>(any(is_near))) return i0_far(x);
    return where(is_near, i0_near(minimum(x, 8.0)), i0_far(maximum(x, 8.0)));
}

}  // namespace

array bartlett(std::int64_t count) {
    return window(count, [](const Places& places) {
        const array part = places.values / places.last;
        return where(places.values <= 0, 1 + part, 1 - part);
    });
}

array blackman(std::int64_t count) {
    return window(count, [](const Places& places) { return 0.42 + 0.5 * wave(places, pi) + 0.08 * wave(places, 2 * pi); });
}

array hamming(std::int64_t count) {
    return window(count, [](const Places& places) { return 0.54 + 0.46 * wave(places, pi); });
}

array hanning(std::int64_t count) {
    return window(count, [](const Places& places) { return 0.5 + 0.5 * wave(places, pi); });
}

array kaiser(std::int64_t count, const Operand& beta) {
    const Size size = count;
    if (size == 1) return ones({1});
    if (size < 1) return zeros({0});
    const array width = beta.as_array() != nullptr ? beta.as_array()->astype(Dtype::float64) : array(*beta.as_scalar(), Dtype::float64);
    const array middle = detail::size_value((size - 1).raw()) / 2.0;
    const array place = (detail::size_range(0, count) - middle) / middle;
    return i0(width * sqrt(1.0 - square(place))) / i0(width);
}

array i0(const array& given) {
    if (is_complex(given.dtype())) throw TypeError("i0 not supported for complex values");
    const array signed_x = is_floating(given.dtype()) ? given : given.astype(Dtype::float64);
    if (compat::is_recorded(signed_x)) {  // absolute() has no second derivative at 0
        const array size = where(signed_x < 0.0, -signed_x, signed_x), is_near = size <= 8.0;
        return where(is_near, i0_near(where(is_near, size, 8.0)), i0_far(where(is_near, 8.0, size)));
    }
    const array x = absolute(signed_x);
    if (x.is_f_contiguous() && !x.is_c_contiguous()) return i0(x.T()).T();
    constexpr std::int64_t block = 8192;  // what the terms are made of stays in the cache
    if (x.size() <= block || !x.is_c_contiguous()) return i0_of(x);
    const array line = line_of(x), made = empty_like(line);
    for (std::int64_t start = 0; start < x.size(); start += block) {
        const Slice part = range(start, std::min(start + block, x.size()));
        made(part) = i0_of(line(part));
    }
    return reshape(made, x.shape());
}

}  // namespace fastnp
