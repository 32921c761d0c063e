// Arrays whose sizes depend on values, at once and compiled.
#include <boost/test/unit_test.hpp>

#include "expect.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

using expect::values_of;
using List = std::vector<double>;

array ramp(std::int64_t size, double from) { return arange(static_cast<double>(size)) - from; }

}  // namespace

BOOST_AUTO_TEST_SUITE(masks)

BOOST_AUTO_TEST_CASE(places_of_elements) {
    const array x = array({0, 2, 0, 3, 1, 0}).reshape({2, 3});
    const std::vector<array> places = nonzero(x);
    BOOST_TEST(places.size() == 2U);
    BOOST_TEST(values_of(places[0]) == (List{0, 1, 1}), boost::test_tools::per_element());
    BOOST_TEST(values_of(places[1]) == (List{1, 0, 1}), boost::test_tools::per_element());
    BOOST_TEST(values_of(flatnonzero(x)) == (List{1, 3, 4}), boost::test_tools::per_element());
    BOOST_TEST(argwhere(x).shape() == (Shape{3, 2}));
    BOOST_CHECK_THROW(nonzero(array(1.0)), ValueError);
}

BOOST_AUTO_TEST_CASE(what_a_mask_picks) {
    const array x = arange(6).reshape({3, 2});
    BOOST_TEST(values_of(get_masked(x, x > 2)) == (List{3, 4, 5}), boost::test_tools::per_element());
    BOOST_TEST(get_masked(x, array({true, false, true})).shape() == (Shape{2, 2}));
    BOOST_TEST(values_of(compress(array({false, true}), x, 1)) == (List{1, 3, 5}), boost::test_tools::per_element());
    BOOST_CHECK_THROW(get_masked(x, array({true, false})), IndexError);
    BOOST_CHECK_THROW(get_masked(x, x), IndexError);
}

BOOST_AUTO_TEST_CASE(different_elements) {
    const array x = array({3.0, 1.0, 3.0, 2.0});
    const Unique found = unique_all(x);
    BOOST_TEST(values_of(found.values) == (List{1, 2, 3}), boost::test_tools::per_element());
    BOOST_TEST(values_of(found.indices) == (List{1, 3, 0}), boost::test_tools::per_element());
    BOOST_TEST(values_of(found.inverse) == (List{2, 0, 2, 1}), boost::test_tools::per_element());
    BOOST_TEST(values_of(found.counts) == (List{1, 1, 2}), boost::test_tools::per_element());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    BOOST_TEST(unique(array({nan, 1.0, nan})).shape(0) == 2);
    BOOST_TEST(unique(array({nan, 1.0, nan}), false).shape(0) == 3);
    BOOST_TEST(unique(zeros({0})).shape(0) == 0);
}

BOOST_AUTO_TEST_CASE(one_compilation_for_all_counts) {
    for (const char* backend : {"llvm", "eager"}) {
        const auto f = compile(
            [](const array& x) {
                const array chosen = get_masked(x, x > 0);
                return std::pair(chosen * 2.0, sum(chosen));
            },
            {.backend = backend, .fullgraph = true});
        for (int i = 0; i < 8; ++i) {
            const auto [doubled, total] = f(ramp(9, i));
            BOOST_TEST(doubled.shape(0) == 8 - i);
            BOOST_TEST(total.item<double>() == (8 - i) * (9 - i) / 2.0);
        }
        BOOST_TEST(f.cache_info().compiles == 1U);
    }
}

BOOST_AUTO_TEST_CASE(guards_on_a_size_that_was_found_lead_to_another_course) {
    const auto f = compile([](const array& x, const array& y) { return get_masked(x, x > 0) + y; }, {.fullgraph = true});
    BOOST_TEST(f(ramp(5, 2), ones({2})).shape(0) == 2);
    BOOST_TEST(f(ramp(5, 3), ones({2})).shape(0) == 2);  // one element, repeated
    BOOST_TEST(f(ramp(5, 2), ones({2})).shape(0) == 2);
    BOOST_TEST(f.cache_info().compiles == 2U);
    BOOST_TEST(f.cache_info().hits == 1U);
    BOOST_CHECK_THROW(f(ramp(5, 0), ones({2})), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
