#include "shape/strides.h"

#include <boost/test/unit_test.hpp>

#include "fastnp/error.h"

using namespace fastnp;
using namespace fastnp::shape;

BOOST_AUTO_TEST_SUITE(strides)

BOOST_AUTO_TEST_CASE(contiguity) {
    BOOST_TEST((c_strides({2, 3, 4}, 8) == Strides{96, 32, 8}));
    BOOST_TEST(is_c_contiguous({2, 3}, {24, 8}, 8));
    BOOST_TEST(!is_f_contiguous({2, 3}, {24, 8}, 8));
    BOOST_TEST(is_f_contiguous({2, 3}, {8, 16}, 8));
    BOOST_TEST(is_c_contiguous({1, 3}, {999, 8}, 8));
    BOOST_TEST(is_c_contiguous({0, 3}, {1, 1}, 8));
    BOOST_TEST(!is_c_contiguous({3}, {-8}, 8));
}

BOOST_AUTO_TEST_CASE(counts_refuse_what_no_memory_holds) {
    BOOST_TEST(count({2, 0, 3}) == 0);
    BOOST_CHECK_THROW(count({2, -1}), ValueError);
    BOOST_CHECK_THROW(byte_count({INT64_MAX / 4, 3}, 8), ValueError);
    BOOST_TEST(byte_count({INT64_MAX, INT64_MAX, 0}, 8) == 0U);
}

BOOST_AUTO_TEST_CASE(reshapes_without_a_copy) {
    BOOST_TEST((*reshaped({6, 4}, {32, 8}, {2, 3, 4}, 8) == Strides{96, 32, 8}));
    BOOST_TEST((*reshaped({6, 4}, {64, 8}, {2, 3, 4}, 8) == Strides{192, 64, 8}));
    BOOST_TEST((*reshaped({6}, {-8}, {2, 3}, 8) == Strides{-24, -8}));
    BOOST_TEST(!reshaped({3, 2}, {8, 24}, {6}, 8));
    BOOST_TEST((*reshaped({4}, {16}, {1, 4, 1}, 8) == Strides{64, 16, 16}));
}

BOOST_AUTO_TEST_CASE(overlap) {
    double memory[16];
    const Shape shape{4};
    const Strides two{16}, one{8}, back{-8};
    BOOST_TEST(may_overlap({memory, shape, one, 8}, {memory + 3, shape, one, 8}));
    BOOST_TEST(!may_overlap({memory, shape, one, 8}, {memory + 4, shape, one, 8}));
    BOOST_TEST(!may_overlap({memory, shape, two, 8}, {memory + 1, shape, two, 8}));
    BOOST_TEST(may_overlap({memory, shape, two, 8}, {memory + 2, shape, two, 8}));
    BOOST_TEST(may_overlap({memory, shape, one, 8}, {memory + 3, shape, back, 8}));
    BOOST_TEST(!may_overlap({memory, {0}, one, 8}, {memory, shape, one, 8}));
    BOOST_TEST(is_same({memory, shape, one, 8}, {memory, shape, one, 8}));
    BOOST_TEST(!is_same({memory, shape, one, 8}, {memory, shape, two, 8}));
    BOOST_TEST(repeats({3, 4}, {0, 8}));
    BOOST_TEST(!repeats({1, 4}, {0, 8}));
}

BOOST_AUTO_TEST_CASE(collapse_joins_what_is_stepped_through_as_one) {
    Shape shape{2, 1, 3, 4};
    Strides operands[] = {{96, 5, 32, 8}, {48, 0, 16, 4}};
    collapse(shape, operands);
    BOOST_TEST((shape == Shape{24}));
    BOOST_TEST((operands[0] == Strides{8}));
    BOOST_TEST((operands[1] == Strides{4}));
    Shape rows{2, 3, 4};
    Strides broadcast[] = {{96, 32, 8}, {0, 16, 4}};
    collapse(rows, broadcast);
    BOOST_TEST((rows == Shape{2, 12}));
    BOOST_TEST((broadcast[1] == Strides{0, 4}));
}

BOOST_AUTO_TEST_CASE(bytes_that_memory_may_have) {
    BOOST_TEST(allocatable(0) == 0U);
    BOOST_TEST(allocatable(1LL << 50) == 1ULL << 50);
    BOOST_CHECK_THROW(allocatable(-1), fastnp::ValueError);
    BOOST_CHECK_THROW(allocatable(1LL << 62), fastnp::ValueError);
    BOOST_CHECK_THROW(byte_count({1LL << 40, 1LL << 20}, 8), fastnp::ValueError);
    BOOST_TEST(byte_count({1LL << 40, 1LL << 40, 0}, 8) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
