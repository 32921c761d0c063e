#include <boost/test/unit_test.hpp>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool equal_to(const array& x, const array& y) { return x.shape() == y.shape() && x.dtype() == y.dtype() && all(x == y).item<bool>(); }

const array x{{1.0, 4.0, 9.0}, {2.0, 2.0, -1.0}};

}  // namespace

BOOST_AUTO_TEST_SUITE(statistics)

BOOST_AUTO_TEST_CASE(peak_to_peak) {
    BOOST_TEST(equal_to(ptp(x, {.axis = 1}), array{8.0, 3.0}));
    BOOST_TEST(equal_to(ptp(x), array(10.0)));
}

BOOST_AUTO_TEST_CASE(averages) {
    BOOST_TEST(equal_to(average(x, 1), mean(x, {.axis = 1})));
    BOOST_TEST(equal_to(average(x, 1, array{1.0, 0.0, 3.0}), array{7.0, -0.25}));
    BOOST_TEST(equal_to(average(x, 0, array{3.0, 1.0}), array{1.25, 3.5, 6.5}));
    BOOST_CHECK_THROW(average(x, 0, array{1.0, 2.0, 3.0}), ValueError);
    BOOST_CHECK_THROW(average(x, std::nullopt, array{1.0, 2.0}), TypeError);
}

BOOST_AUTO_TEST_CASE(differences) {
    BOOST_TEST(equal_to(diff(x), array{{3.0, 5.0}, {0.0, -3.0}}));
    BOOST_TEST(equal_to(diff(x, 2), array{{2.0}, {-3.0}}));
    BOOST_TEST(equal_to(diff(x, 1, 0), array{{1.0, -2.0, -10.0}}));
    BOOST_TEST(equal_to(diff(array{true, false, false}), array{true, false}));
    BOOST_CHECK_THROW(diff(x, -1), ValueError);
    BOOST_CHECK_THROW(diff(x, 1, 2), AxisError);
}

BOOST_AUTO_TEST_CASE(integrals_and_cross_products) {
    BOOST_TEST(equal_to(trapezoid(array{1.0, 2.0, 3.0}, 2.0), array(8.0)));
    BOOST_TEST(equal_to(cross(array{1.0, 2.0, 3.0}, array{4.0, 5.0, 6.0}), array{-3.0, 6.0, -3.0}));
    BOOST_CHECK_THROW(cross(array{1.0, 2.0}, array{4.0, 5.0}), ValueError);
}

BOOST_AUTO_TEST_CASE(compiled_as_eager) {
    const auto f = compile([](const array& v) { return std::make_pair(trapezoid(diff(v), 0.5), cross(v, v * 2.0 + 1.0)); });
    const auto [area, product] = f(x);
    BOOST_TEST(equal_to(area, trapezoid(diff(x), 0.5)));
    BOOST_TEST(equal_to(product, cross(x, x * 2.0 + 1.0)));
    BOOST_TEST(f.cache_info().uncompiled == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
