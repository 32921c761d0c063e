// Complex functions over real ones, which devices use, against the C library's: the same infinities, NaNs and signs, and values as near the truth.
#include "ops/complex_functions.h"

#include <boost/test/unit_test.hpp>
#include <complex>
#include <random>

namespace meanings = fastnp::ops::complex_functions;

namespace {

template <class R>
std::string text(R x, R y) {
    return "(" + std::to_string(x) + ", " + std::to_string(y) + ")";
}

/// NaN, infinite with a sign, zero with a sign, or a number with a sign.
template <class R>
bool alike(R x, R y) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return std::isinf(x) == std::isinf(y) && std::signbit(x) == std::signbit(y);
}

/// How far a value is from the true one, in units of its last place.
template <class R>
double distance(R value, long double truth) {
    if (static_cast<R>(truth) == value) return 0;
    const R nearest = std::abs(static_cast<R>(truth));
    const long double unit = static_cast<long double>(std::nextafter(nearest, std::numeric_limits<R>::infinity())) - nearest;
    return static_cast<double>(std::abs(static_cast<long double>(value) - truth) / unit);
}

template <class R, class Ours, class Theirs>
void check(const char* name, Ours ours, Theirs theirs) {
    using Limits = std::numeric_limits<R>;
    const std::vector<R> special{0,
                                 R(-0.0),
                                 1,
                                 -1,
                                 R(0.5),
                                 R(-3.5),
                                 25,
                                 89,
                                 -89,
                                 710,
                                 -710,
                                 R(1e30),
                                 R(-1e-30),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::quiet_NaN(),
                                 Limits::max(),
                                 -Limits::max(),
                                 Limits::min(),
                                 Limits::denorm_min()};
    for (const R x : special) {
        for (const R y : special) {
            if (std::isfinite(x) && std::isfinite(y) && x != 0 && y != 0) continue;
            const auto found = ours(meanings::Pair<R>{x, y});
            const auto expected = theirs(std::complex<R>(x, y));
            BOOST_TEST((alike(found.re, expected.real()) && alike(found.im, expected.imag())),
                       name << text(x, y) << " is " << text(found.re, found.im) << ", not " << text(expected.real(), expected.imag()));
        }
    }
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> exponent(-20, 20), angle(-3.2, 3.2), near(-4, 4);
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        R x = static_cast<R>(near(random)), y = static_cast<R>(near(random));
        if (i % 3 == 1)
            x = std::copysign(static_cast<R>(std::exp2(exponent(random))), x), y = std::copysign(static_cast<R>(std::exp2(exponent(random))), y);
        if (i % 3 == 2) {
            const double turn = angle(random);
            x = static_cast<R>(std::cos(turn)), y = static_cast<R>(std::sin(turn));
        }
        const auto found = ours(meanings::Pair<R>{x, y});
        const auto truth = theirs(std::complex<long double>(x, y));
        if (!std::isfinite(static_cast<R>(truth.real())) || !std::isfinite(static_cast<R>(truth.imag()))) continue;
        worst = std::max({worst, distance(found.re, truth.real()), distance(found.im, truth.imag())});
    }
    BOOST_TEST(worst < 6, name << " is " << worst << " units in the last place off");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(complex_functions)

#define FUNCTION(name)                                                                                       \
    BOOST_AUTO_TEST_CASE(name) {                                                                             \
        check<double>(#name, [](auto z) { return meanings::name(z); }, [](auto z) { return std::name(z); }); \
        check<float>(#name, [](auto z) { return meanings::name(z); }, [](auto z) { return std::name(z); });  \
    }
FUNCTION(exp)
FUNCTION(log)
FUNCTION(sqrt)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(tanh)
FUNCTION(asinh)
FUNCTION(acosh)
FUNCTION(atanh)
#undef FUNCTION

BOOST_AUTO_TEST_CASE(powers) {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> parts{0, 1.5, -2, 0.25, 1e300, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
    for (std::size_t i = 0; i < parts.size() * parts.size() * parts.size() * parts.size(); ++i) {
        const auto part = [&, rest = i]() mutable {
            const double found = parts[rest % parts.size()];
            rest /= parts.size();
            return found;
        };
        auto next = part;
        const meanings::Pair<double> x{next(), next()}, y{next(), next()};
        if (x.re == 0 && x.im == 0) continue;  // the catalogue's power knows what that is
        const auto found = meanings::pow(x, y);
        const auto expected = std::pow(std::complex<double>(x.re, x.im), std::complex<double>(y.re, y.im));
        const auto near = [](double a, double b) { return std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) <= 1e-12 * std::abs(b) : alike(a, b); };
        BOOST_TEST((near(found.re, expected.real()) && near(found.im, expected.imag())), text(x.re, x.im) << " to the power " << text(y.re, y.im) << " is "
                                                                                                          << text(found.re, found.im) << ", not "
                                                                                                          << text(expected.real(), expected.imag()));
    }
}

BOOST_AUTO_TEST_SUITE_END()
