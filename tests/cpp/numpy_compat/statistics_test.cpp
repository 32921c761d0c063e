#include <boost/test/unit_test.hpp>

#include <cmath>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool equal_to(const array& x, const array& y) { return x.shape() == y.shape() && x.dtype() == y.dtype() && all(x == y).item<bool>(); }

const array x{{1.0, 4.0, 9.0}, {2.0, 2.0, -1.0}};
const double nan = std::nan("");
const array holes{{1.0, nan, 9.0}, {nan, nan, -1.0}};

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
    BOOST_CHECK_THROW(average(x, 0, array{1.0, -1.0}), ZeroDivisionError);
    BOOST_TEST(equal_to(average(x, {1, 0}, transpose(x)), average(x, {}, x)));
    const auto [mean_of_rows, count] = average_and_weights(x, 1, std::nullopt, true);
    BOOST_TEST(equal_to(mean_of_rows, mean(x, {.axis = 1, .keepdims = true})));
    BOOST_TEST(equal_to(count, array{{3.0}, {3.0}}));
}

BOOST_AUTO_TEST_CASE(covariances) {
    const array pairs{{0.0, 1.0, 2.0}, {2.0, 1.0, 0.0}};
    BOOST_TEST(equal_to(cov(pairs), array{{1.0, -1.0}, {-1.0, 1.0}}));
    BOOST_TEST(equal_to(cov(pairs, std::nullopt, false), array{{2.0, 0.0, -2.0}, {0.0, 0.0, 0.0}, {-2.0, 0.0, 2.0}}));
    BOOST_TEST(equal_to(cov(pairs(0), pairs(1), true, true) * 3.0, array{{2.0, -2.0}, {-2.0, 2.0}}));
    BOOST_TEST(equal_to(cov(pairs(0), std::nullopt, true, false, std::nullopt, array{1, 0, 1}), array(2.0)));
    BOOST_TEST(all(absolute(corrcoef(pairs) - array{{1.0, -1.0}, {-1.0, 1.0}}) < 1e-15).item<bool>());
    BOOST_CHECK_THROW(cov(pairs, std::nullopt, true, false, std::nullopt, array{0.5, 1.0, 1.0}), TypeError);
    BOOST_CHECK_THROW(cov(pairs(newaxis)), ValueError);
}

BOOST_AUTO_TEST_CASE(without_nan) {
    BOOST_TEST(equal_to(nansum(holes, {.axis = 0}), array{1.0, 0.0, 8.0}));
    BOOST_TEST(equal_to(nanprod(holes), array(-9.0)));
    BOOST_TEST(equal_to(nanmax(holes, {.axis = 1}), array{9.0, -1.0}));
    BOOST_TEST(equal_to(nanmin(holes, {.axis = 1, .keepdims = true}), array{{1.0}, {-1.0}}));
    BOOST_TEST(isnan(nanmax(holes, {.axis = 0}))(1).item<bool>());
    BOOST_TEST(equal_to(nanmean(holes, {.axis = 1}), array{5.0, -1.0}));
    BOOST_TEST(equal_to(nanvar(holes, {.axis = 1}), array{16.0, 0.0}));
    BOOST_TEST(equal_to(nanstd(holes, {.axis = 1}), array{4.0, 0.0}));
    BOOST_TEST(isnan(nanvar(holes, {.axis = 1}, 1))(1).item<bool>());
    BOOST_TEST(equal_to(nanargmax(holes, {.axis = 1}), array{std::int64_t{2}, std::int64_t{2}}));
    BOOST_CHECK_THROW(nanargmin(holes, {.axis = 0}), ValueError);
    BOOST_TEST(equal_to(nancumsum(holes), array{1.0, 1.0, 10.0, 10.0, 10.0, 9.0}));
    BOOST_TEST(equal_to(nancumprod(holes, {.axis = 1}), array{{1.0, 1.0, 9.0}, {1.0, 1.0, -1.0}}));
    BOOST_TEST(equal_to(nanmax(x), max(x)));
}

BOOST_AUTO_TEST_CASE(medians_and_quantiles) {
    BOOST_TEST(equal_to(median(x, 1), array{4.0, 2.0}));
    BOOST_TEST(equal_to(median(x), array(2.0)));
    BOOST_TEST(equal_to(median(x, 0, true), array{{1.5, 3.0, 4.0}}));
    BOOST_TEST(isnan(median(holes)).item<bool>());
    BOOST_TEST(equal_to(nanmedian(holes, 1), array{5.0, -1.0}));
    BOOST_TEST(equal_to(quantile(x, 0.25, 1), array{2.5, 0.5}));
    BOOST_TEST(equal_to(quantile(x, array{0.0, 1.0}, 1), array{{1.0, -1.0}, {9.0, 2.0}}));
    BOOST_TEST(equal_to(percentile(x, 50, 1), array{4.0, 2.0}));
    BOOST_TEST(equal_to(quantile(x, 0.3, 1, QuantileMethod::higher), array{4.0, 2.0}));
    BOOST_TEST(equal_to(nanquantile(holes, 0.5, 1), array{5.0, -1.0}));
    BOOST_TEST(equal_to(nanpercentile(holes, 100, 1), array{9.0, -1.0}));
    BOOST_CHECK_THROW(quantile(x, 1.5), ValueError);
    BOOST_CHECK_THROW(percentile(x, -1), ValueError);
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
    BOOST_TEST(equal_to(trapezoid(array{1.0, 2.0, 3.0}, std::nullopt, 2.0), array(8.0)));
    BOOST_TEST(equal_to(cross(array{1.0, 2.0, 3.0}, array{4.0, 5.0, 6.0}), array{-3.0, 6.0, -3.0}));
    BOOST_TEST(equal_to(cross(array{1.0, 2.0}, array{4.0, 5.0}), array(-3.0)));
    BOOST_CHECK_THROW(cross(array{1.0}, array{4.0}), ValueError);
}

BOOST_AUTO_TEST_CASE(compiled_as_eager) {
    const auto f = compile([](const array& v) { return std::make_pair(trapezoid(diff(v), std::nullopt, 0.5), cross(v, v * 2.0 + 1.0)); });
    const auto [area, product] = f(x);
    BOOST_TEST(equal_to(area, trapezoid(diff(x), std::nullopt, 0.5)));
    BOOST_TEST(equal_to(product, cross(x, x * 2.0 + 1.0)));
    BOOST_TEST(f.cache_info().uncompiled == 0U);
    const auto g = compile([](const array& v) { return std::make_pair(nanmean(v, {.axis = 1}) + nanmax(v, {.axis = 1}), nanmedian(v, 1)); });
    const auto [sums, middles] = g(holes);
    BOOST_TEST(equal_to(sums, array{14.0, -2.0}));
    BOOST_TEST(equal_to(middles, array{5.0, -1.0}));
}

BOOST_AUTO_TEST_SUITE_END()
