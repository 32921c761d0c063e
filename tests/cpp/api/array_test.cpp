// Handles, views, subscripts, assignment.
#include "expect.h"

using namespace fastnp;

namespace {
array numbers() { return arange(6).reshape({2, 3}); }
}  // namespace

BOOST_AUTO_TEST_SUITE(arrays)

BOOST_AUTO_TEST_CASE(made_from_numbers_and_lists) {
    EXPECT(array(2.5), "float64 () 2.5");
    EXPECT(array({1, 2, 3}), "int32 (3) [1 2 3]");
    EXPECT(array({{1.5, 2.0}, {3.0, 4.0}}), "float64 (2,2) [[1.5 2. ] [3. 4. ]]");
    EXPECT(array({{{true}, {false}}}), "bool (1,2,1) [[[True] [False]]]");
    EXPECT(array(Scalar(3), float32), "float32 () 3.0");
    EXPECT(array(Scalar(UINT64_MAX)), "uint64 () 18446744073709551615");
    EXPECT_ERROR(OverflowError, array(Scalar(300), int8), "Python integer 300 out of bounds for int8");
    EXPECT_ERROR(ValueError, (array({{1, 2}, {3}})),
                 "setting an array element with a sequence. The requested array has an inhomogeneous shape: rows differ in length");
    BOOST_TEST(array().size() == 0);
}

BOOST_AUTO_TEST_CASE(tell_of_themselves) {
    const array x = numbers();
    BOOST_TEST((x.shape() == Shape{2, 3}));
    BOOST_TEST((x.strides() == Strides{24, 8}));
    BOOST_TEST(x.size() == 6);
    BOOST_TEST(x.nbytes() == 48);
    BOOST_TEST(x.shape(-1) == 3);
    BOOST_TEST(x.is_c_contiguous());
    BOOST_TEST(!x.T().is_c_contiguous());
    BOOST_TEST(x.T().is_f_contiguous());
    BOOST_TEST(x.as_span<std::int64_t>()[4] == 4);
    BOOST_TEST(x(1, 2).item<int>() == 5);
    BOOST_TEST(array(2.75).item<int>() == 2);
    EXPECT_ERROR(ValueError, x.item<int>(), "can only convert an array of size 1 to a Python scalar");
    EXPECT_ERROR(TypeError, x.data<float>(), "elements of dtype int64 read as float32");
    EXPECT_ERROR(AxisError, x.shape(2), "axis 2 is out of bounds for array of dimension 2");
}

BOOST_AUTO_TEST_CASE(subscripts_are_views) {
    array x = numbers();
    EXPECT(x(1), "int64 (3) [3 4 5]");
    EXPECT(x[-1], "int64 (3) [3 4 5]");
    EXPECT(x(all, 1), "int64 (2) [1 4]");
    EXPECT(x(all, range(0, -1)), "int64 (2,2) [[0 1] [3 4]]");
    EXPECT(x(every(-1), every(-2)), "int64 (2,2) [[5 3] [2 0]]");
    EXPECT(x(ellipsis, newaxis, 0), "int64 (2,1) [[0] [3]]");
    EXPECT(x(newaxis, 1, all, newaxis), "int64 (1,3,1) [[[3] [4] [5]]]");
    EXPECT(x(from(1), until(-2)), "int64 (1,1) [[3]]");
    EXPECT(x(range(5, 9)), "int64 (0,3) []");
    EXPECT(x(all, Slice{std::nullopt, 0, -1}), "int64 (2,2) [[2 1] [5 4]]");
    EXPECT(x(all, Slice{-100, 100, 1}), "int64 (2,3) [[0 1 2] [3 4 5]]");
    x(0, 0) = 9;
    BOOST_TEST(x(0, 0).item<int>() == 9);
}

BOOST_AUTO_TEST_CASE(subscript_errors) {
    const array x = numbers();
    EXPECT_ERROR(IndexError, x(5), "index 5 is out of bounds for axis 0 with size 2");
    EXPECT_ERROR(IndexError, x(0, -4), "index -4 is out of bounds for axis 1 with size 3");
    EXPECT_ERROR(IndexError, x(0, 0, 0), "too many indices for array: array is 2-dimensional, but 3 were indexed");
    EXPECT_ERROR(IndexError, x(ellipsis, 0, ellipsis), "an index can only have a single ellipsis ('...')");
    EXPECT_ERROR(ValueError, x(every(0)), "slice step cannot be zero");
}

BOOST_AUTO_TEST_CASE(assignment_to_a_view_writes_through_every_alias) {
    array x = numbers();
    const array alias = x;
    const array row = x(1);
    x(all, range(1, 3)) = array({10, 20});
    EXPECT(alias, "int64 (2,3) [[0 10 20] [3 10 20]]");
    EXPECT(row, "int64 (3) [3 10 20]");
    x(0) = 7.9;
    EXPECT(x, "int64 (2,3) [[7 7 7] [3 10 20]]");
    x(all, range(1, 3)) = x(all, range(0, 2));  // overlapping
    EXPECT(x, "int64 (2,3) [[7 7 7] [3 3 10]]");
    x(all) = array({{{1, 2, 3}}});  // leading ones are dropped
    EXPECT(x, "int64 (2,3) [[1 2 3] [1 2 3]]");
    EXPECT_ERROR(ValueError, (x(0) = array({1, 2})), "could not broadcast input array from shape (2,) into shape (3,)");
    EXPECT_ERROR(OverflowError, (x.astype(int8)(0) = 300), "Python integer 300 out of bounds for int8");
    const array fixed = broadcast_to(x, {4, 2, 3});
    EXPECT_ERROR(ValueError, (fixed(0) = 1), "assignment destination is read-only");
}

BOOST_AUTO_TEST_CASE(in_place_operators) {
    array x = numbers();
    const array alias = x;
    x += 1;
    x(0) *= array({1, 2, 3});
    EXPECT(alias, "int64 (2,3) [[1 4 9] [4 5 6]]");
    x += x(every(-1));  // reads what it writes
    EXPECT(alias, "int64 (2,3) [[5 9 15] [5 9 15]]");
    EXPECT_ERROR(TypeError, x /= 2, "Cannot cast ufunc 'divide' output from dtype('float64') to dtype('int64') with casting rule 'same_kind'");
    EXPECT_ERROR(ValueError, x += ones({2, 2, 3}, int64), "non-broadcastable output operand with shape (2,3) doesn't match the broadcast shape (2,2,3)");
    array small = ones({2}, float32);
    small += array({0.5, 0.25});
    EXPECT(small, "float32 (2) [1.5 1.25]");
    x.set_writable(false);
    EXPECT_ERROR(ValueError, x += 1, "output array is read-only");
}

BOOST_AUTO_TEST_CASE(astype_and_copy) {
    const array x = numbers();
    EXPECT(x.astype(float16), "float16 (2,3) [[0. 1. 2.] [3. 4. 5.]]");
    BOOST_TEST(x.astype(int64).data() != x.data());
    BOOST_TEST(x.T().copy().is_c_contiguous());
    EXPECT_ERROR(TypeError, x.astype(int8, Casting::safe), "Cannot cast array data from dtype('int64') to dtype('int8') according to the rule 'safe'");
}

BOOST_AUTO_TEST_CASE(memory_from_outside_is_let_go_once) {
    double memory[4] = {1, 2, 3, 4};
    int released = 0;
    {
        array view;
        {
            const array x = array::from_memory(memory + 3, float64, {2, 2}, {-16, -8}, [&] { ++released; });
            EXPECT(x, "float64 (2,2) [[4. 3.] [2. 1.]]");
            view = x(1);
        }
        BOOST_TEST(released == 0);
        view(0) = 9;
    }
    BOOST_TEST(released == 1);
    BOOST_TEST(memory[1] == 9);
    EXPECT_ERROR(ValueError, array::from_memory(memory, float64, {2}, {8, 8}), "strides, if given, must be the same length as shape");
    EXPECT_ERROR(ValueError, array::from_memory(memory, float64, {-2}), "negative dimensions are not allowed");
}

BOOST_AUTO_TEST_SUITE_END()
