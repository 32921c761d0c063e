// NumPy's order "K".
#include "shape/order.h"

#include <boost/test/unit_test.hpp>

#include "shape/strides.h"

using namespace fastnp;
using namespace fastnp::shape;

namespace {

AxisOrder order_of(std::initializer_list<Steps> operands) {
    const std::vector<Steps> steps(operands);
    return keep_order(steps[0].size(), steps);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(order)

BOOST_AUTO_TEST_CASE(results_follow_their_operands) {
    BOOST_TEST((order_of({{12, 4, 1}}) == AxisOrder{}));
    BOOST_TEST((order_of({{1, 4, 12}}) == AxisOrder{2, 1, 0}));
    BOOST_TEST((order_of({{4, 12, 1}}) == AxisOrder{1, 0, 2}));
    BOOST_TEST((order_of({{0, 0, 0}, {1, 4, 12}}) == AxisOrder{2, 1, 0}));
    BOOST_TEST((order_of({{0, 3, 0}, {1, 0, 12}}) == AxisOrder{1, 2, 0}));
}

BOOST_AUTO_TEST_CASE(where_operands_disagree_c_order_stays) {
    BOOST_TEST((order_of({{4, 12, 1}, {8, 4, 1}}) == AxisOrder{}));
    BOOST_TEST((order_of({{8, 4, 1}, {4, 12, 1}}) == AxisOrder{}));
}

BOOST_AUTO_TEST_CASE(copies_put_repeated_axes_last) {
    BOOST_TEST((like_order({4, 0, 1}) == AxisOrder{0, 2, 1}));
    BOOST_TEST((like_order({2, 2, 1}) == AxisOrder{}));
}

BOOST_AUTO_TEST_CASE(strides_and_reductions_of_an_order) {
    BOOST_TEST((strides_in({4, 3, 2}, {2, 1, 0}, 8) == Strides{8, 32, 96}));
    BOOST_TEST((strides_in({4, 3, 2}, {}, 8) == c_strides({4, 3, 2}, 8)));
    BOOST_TEST((strides_in({4, 0, 2}, {2, 1, 0}, 8) == Strides{0, 0, 0}));  // as NumPy's new arrays without elements
    const std::int64_t axis = 1;
    BOOST_TEST((without_axes({2, 1, 0}, 3, {&axis, 1}) == AxisOrder{1, 0}));
    BOOST_TEST((without_axes({1, 0, 2}, 3, {&axis, 1}) == AxisOrder{}));
}

BOOST_AUTO_TEST_SUITE_END()
