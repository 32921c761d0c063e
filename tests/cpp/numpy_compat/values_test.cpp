#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool equal_to(const array& x, const array& y) { return x.shape() == y.shape() && x.dtype() == y.dtype() && array_equal(x, y, true); }
bool close_to(const array& x, const array& y) { return x.shape() == y.shape() && x.dtype() == y.dtype() && allclose(x, y, 1e-13, 1e-13); }

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
const array line{1.0, 2.0, 4.0, 7.0};

}  // namespace

BOOST_AUTO_TEST_SUITE(compositions_of_values)

BOOST_AUTO_TEST_CASE(comparisons) {
    BOOST_TEST(equal_to(isclose(array{1.0, 2.0, infinity}, array{1.0 + 1e-9, 2.1, infinity}), array{true, false, true}));
    BOOST_TEST(equal_to(isclose(array{not_a_number}, array{not_a_number}, 1e-5, 1e-8, true), array{true}));
    BOOST_TEST(allclose(line, line + 1e-9));
    BOOST_TEST(!allclose(line, 1.0));
    BOOST_TEST(array_equal(array{1, 2}, array{1.0, 2.0}));
    BOOST_TEST(!array_equal(line, line(from(1))));
    BOOST_TEST(array_equiv(array{{1, 1}, {1, 1}}, array{1, 1}));
    BOOST_TEST(!array_equiv(array{1, 1, 1}, array{1, 1}));
    BOOST_TEST(equal_to(isneginf(array{-infinity, infinity}), array{true, false}));
    BOOST_CHECK_THROW(isposinf(array{std::complex<double>(1, 1)}), TypeError);
    BOOST_TEST(equal_to(isreal(array{std::complex<double>(1, 1), std::complex<double>(1, 0)}), array{false, true}));
}

BOOST_AUTO_TEST_CASE(elements) {
    BOOST_TEST(equal_to(angle(array{1.0, -1.0}, true), array{0.0, 180.0}));
    BOOST_TEST(close_to(sinc(array{0.0, 0.5}), array{1.0, 2 / std::numbers::pi}));
    BOOST_TEST(close_to(i0(array{0.0, 10.0}), array{1.0, 2815.716628466254}));
    BOOST_TEST(equal_to(nan_to_num(array{not_a_number, infinity, 1.0}, {.posinf = 5.0}), array{0.0, 5.0, 1.0}));
    BOOST_TEST(equal_to(unwrap(array{0, 1, 2, -1, 0}, std::nullopt, -1, 4), array{0, 1, 2, 3, 4}));
    BOOST_TEST(equal_to(real_if_close(array{std::complex<double>(2, 1e-16)}), array{2.0}));
    BOOST_TEST(equal_to(grad(sinc)(array(0.0)), array(0.0)));
}

BOOST_AUTO_TEST_CASE(slopes_and_signals) {
    BOOST_TEST(equal_to(ediff1d(line, array{9.0}), array{1.0, 2.0, 3.0, 9.0}));
    BOOST_TEST(equal_to(gradient(line)[0], array{1.0, 1.5, 2.5, 3.0}));
    BOOST_TEST(close_to(gradient(line * line, {line}, {}, 2)[0], 2.0 * line));
    BOOST_CHECK_THROW(gradient(line, {1.0, 2.0}), TypeError);
    BOOST_TEST(equal_to(kron(array{1, 10}, array{5, 6, 7}), array{5, 6, 7, 50, 60, 70}));
    BOOST_TEST(equal_to(cumulative_sum(line, {}, true), array{0.0, 1.0, 3.0, 7.0, 14.0}));
    BOOST_TEST(equal_to(convolve(array{1, 2, 3}, array{0, 1}), array{0, 1, 2, 3}));
    BOOST_TEST(equal_to(correlate(line, array{1.0, 1.0}), array{3.0, 6.0, 11.0}));
    BOOST_TEST(equal_to(interp(array{2.5, 9.0}, array{1.0, 2.0, 3.0}, array{3.0, 2.0, 0.0}), array{1.0, 0.0}));
}

BOOST_AUTO_TEST_CASE(sets) {
    BOOST_TEST(equal_to(isin(array{1, 2, 3}, array{3, 1}), array{true, false, true}));
    BOOST_TEST(equal_to(isin(array{1.5, 2.0}, array{2.0}, true), array{true, false}));
    BOOST_TEST(equal_to(union1d(array{3, 1}, array{2, 1}), array{1, 2, 3}));
    BOOST_TEST(equal_to(intersect1d(array{3, 1}, array{2, 1}), array{1}));
    BOOST_TEST(equal_to(intersect1d_indices(array{3, 1}, array{2, 1}).of_b, array{std::int64_t{1}}));
    BOOST_TEST(equal_to(setdiff1d(array{3, 1}, array{2, 1}), array{3}));
    BOOST_TEST(equal_to(setxor1d(array{3, 1}, array{2, 1}), array{2, 3}));
    BOOST_TEST(equal_to(lexsort({array{3, 1, 2}, array{1, 1, 0}}), array({std::int64_t{2}, std::int64_t{1}, std::int64_t{0}})));
}

BOOST_AUTO_TEST_CASE(counts) {
    const array places{0, 1, 1, 3};
    BOOST_TEST(equal_to(bincount(places), array({std::int64_t{1}, std::int64_t{2}, std::int64_t{0}, std::int64_t{1}})));
    BOOST_TEST(bincount(places, {}, 6).shape(0) == 6);
    BOOST_TEST(bincount(zeros({0}, int64)).shape(0) == 0);
    BOOST_TEST(equal_to(bincount(places, array{0.5, 1.0, 2.0, 4.0}), array{0.5, 3.0, 0.0, 4.0}));
    BOOST_CHECK_THROW(bincount(array{-1}), ValueError);
    BOOST_CHECK_THROW(bincount(array{0.5}), TypeError);
    BOOST_CHECK_THROW(bincount(places, array{1.0}), ValueError);
    BOOST_CHECK_THROW(bincount(places, {}, -1), ValueError);
    const auto f = compile([](const array& x) { return bincount(x); });
    for (int call = 0; call < 2; ++call) {
        BOOST_TEST(equal_to(f(places), bincount(places)));
        BOOST_TEST(equal_to(f(array{5, 5}), bincount(array{5, 5})));
    }
    const array weights{1.0, 1.0, 1.0, 1.0};
    const array slope = grad([&](const array& w) { return sum(bincount(places, w) * array{1.0, 2.0, 3.0, 4.0}); })(weights);
    BOOST_TEST(equal_to(slope, array{1.0, 2.0, 2.0, 4.0}));
}

BOOST_AUTO_TEST_CASE(places_in_a_line) {
    const array places{1, 5};
    const std::vector<array> found = unravel_index(places, {2, 3});
    BOOST_TEST(equal_to(found[0].astype(int32), array{0, 1}));
    BOOST_TEST(equal_to(found[1].astype(int32), array{1, 2}));
    BOOST_TEST(equal_to(unravel_index(places, {2, 3}, Order::f)[0].astype(int32), array{1, 1}));
    BOOST_TEST(equal_to(ravel_multi_index(found, {2, 3}).astype(int32), places));
    BOOST_TEST(equal_to(ravel_multi_index({array{2}, array{-1}}, {2, 3}, {TakeMode::clip, TakeMode::wrap}).astype(int32), array{5}));
    BOOST_CHECK_THROW(unravel_index(array{6}, {2, 3}), ValueError);
    BOOST_CHECK_THROW(unravel_index(array{0.5}, {2, 3}), TypeError);
    BOOST_CHECK_THROW(ravel_multi_index({array{2}, array{0}}, {2, 3}), ValueError);
    BOOST_CHECK_THROW(ravel_multi_index({array{0}}, {2, 3}), ValueError);
}

BOOST_AUTO_TEST_CASE(bits) {
    const array set{true, false, true, false, false, false, false, false, true};
    BOOST_TEST(equal_to(packbits(set).astype(int32), array{160, 128}));
    BOOST_TEST(equal_to(packbits(set, 0, BitOrder::little).astype(int32), array{5, 1}));
    BOOST_TEST(equal_to(unpackbits(packbits(set), 0, 9).astype(bool_), set));
    BOOST_TEST(equal_to(unpackbits(packbits(set), std::nullopt, -7).astype(bool_), set));
    BOOST_TEST(packbits(zeros({3, 9}, bool_), 1).shape(1) == 2);
    BOOST_TEST(unpackbits(zeros({2, 3}, uint8), 0).shape(0) == 16);
    BOOST_CHECK_THROW(packbits(line), TypeError);
    BOOST_CHECK_THROW(unpackbits(array{1}), TypeError);
    const auto f = compile([](const array& x) { return packbits(x > 1.0); });
    for (const std::int64_t size : {3, 8, 20, 3})
        BOOST_TEST(equal_to(f(arange(static_cast<double>(size))), packbits(arange(static_cast<double>(size)) > 1.0)));
}

BOOST_AUTO_TEST_CASE(polynomials) {
    const array p{1.0, -3.0, 2.0};
    BOOST_TEST(equal_to(polyval(p, line), array{0.0, 0.0, 6.0, 30.0}));
    BOOST_TEST(equal_to(polyadd(p, array{1.0}), array{1.0, -3.0, 3.0}));
    BOOST_TEST(equal_to(polymul(array{0.0, 1.0, -1.0}, array{1.0, -2.0}), p));
    BOOST_TEST(equal_to(polydiv(p, array{1.0, -2.0}).quotient, array{1.0, -1.0}));
    BOOST_TEST(equal_to(polyder(p), array{2.0, -3.0}));
    BOOST_TEST(equal_to(polyint(array{2.0, 1.0}, 1, array(5.0)), array{1.0, 1.0, 5.0}));
    BOOST_TEST(equal_to(poly(array{1.0, 2.0}), p));
    BOOST_TEST(close_to(sort(roots(p)), array{1.0, 2.0}));
    BOOST_TEST(close_to(polyfit(line, 2.0 * line + 1.0, 1).coefficients, array{2.0, 1.0}));
}

BOOST_AUTO_TEST_CASE(compiled_as_eager) {
    const auto body = [](const array& x) { return std::tuple(sinc(x), i0(x), interp(x, line, line * 2.0), convolve(x, line), polyval(line, x)); };
    const auto f = compile(body);
    for (const std::int64_t size : {5, 9, 6}) {
        const array x = arange(static_cast<double>(size)) / 2.0;
        const auto [a, b, c, d, e] = f(x);
        const auto [p, q, r, s, t] = body(x);
        BOOST_TEST((close_to(a, p) && close_to(b, q) && close_to(c, r) && close_to(d, s) && close_to(e, t)));
    }
    BOOST_TEST(f.cache_info().uncompiled == 0U);
    BOOST_TEST(f.cache_info().misses <= 2U);
}

BOOST_AUTO_TEST_SUITE_END()
