// Shapes, axes, joins and picks.
// Expected texts are NumPy 2.4's.
#include <cmath>

#include "expect.h"
#include "fastnp/detail/order.h"

using namespace fastnp;

namespace {

struct Samples {
    array x = arange(6).reshape({2, 3});
    array f = array({-1.5, 0.5, 2.25});
    array b = array({true, false, true});
    array i8 = array({-100, 50, 100}).astype(int8);
    array u8 = array({0, 200, 255}).astype(uint8);
    array f2 = array({1.5, 0.1, 60000.0}).astype(float16);
    array f4 = array({0.1F, 1e-3F, 3.0F});
    array u64 = array({std::uint64_t{0}, std::uint64_t{1} << 63, UINT64_MAX});
    array i64 = array({std::int64_t{-1}, std::int64_t{5}, std::int64_t{1} << 62});
    array c = array({std::complex<double>(1, 2), std::complex<double>(-0.0, -1), std::complex<double>(3, 0)});
    array nan = array({1.0, double{NAN}, -2.0});
    array z = zeros({0, 3});
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(rearranging, Samples)

BOOST_AUTO_TEST_CASE(reshapes) {
    EXPECT(reshape(x, {3, -1}), "int64 (3,2) [[0 1] [2 3] [4 5]]");
    EXPECT(reshape(x.T(), {-1}), "int64 (6) [0 3 1 4 2 5]");
    EXPECT_ERROR(ValueError, (reshape(x, {4})), "cannot reshape array of size 6 into shape (4,)");
    EXPECT_ERROR(ValueError, (reshape(x, {-1, 4})), "cannot reshape array of size 6 into shape (4)");
    EXPECT_ERROR(ValueError, (reshape(x, {-1, -1})), "can only specify one unknown dimension");
    EXPECT_ERROR(ValueError, (reshape(z, {-1, 0})), "cannot reshape array of size 0 into shape (0)");
    EXPECT(reshape(z, {3, 0, 5}), "float64 (3,0,5) []");
    EXPECT(ravel(x), "int64 (6) [0 1 2 3 4 5]");
    EXPECT(ravel(array(1)), "int32 (1) [1]");
    EXPECT(reshape(array(1.0), {1, 1}), "float64 (1,1) [[1.]]");
}

BOOST_AUTO_TEST_CASE(axes) {
    EXPECT(x.T(), "int64 (3,2) [[0 3] [1 4] [2 5]]");
    EXPECT(transpose(arange(24).reshape({2, 3, 4}), Shape{2, 0, 1})(0), "int64 (2,3) [[0 4 8] [12 16 20]]");
    EXPECT_ERROR(ValueError, (transpose(x, Shape{0, 0})), "repeated axis in transpose");
    EXPECT_ERROR(ValueError, (transpose(x, Shape{0})), "axes don't match array");
    EXPECT_ERROR(AxisError, (transpose(x, Shape{0, 5})), "axis 5 is out of bounds for array of dimension 2");
    EXPECT(swapaxes(x, 0, -1), "int64 (3,2) [[0 3] [1 4] [2 5]]");
    EXPECT_ERROR(AxisError, (swapaxes(x, 0, 5)), "axis2: axis 5 is out of bounds for array of dimension 2");
    EXPECT(moveaxis(arange(24).reshape({2, 3, 4}), 0, -1)(0), "int64 (4,2) [[0 12] [1 13] [2 14] [3 15]]");
    EXPECT_ERROR(AxisError, (moveaxis(x, 5, 0)), "source: axis 5 is out of bounds for array of dimension 2");
    EXPECT_ERROR(AxisError, (moveaxis(x, 0, 5)), "destination: axis 5 is out of bounds for array of dimension 2");
    EXPECT(expand_dims(f, 0), "float64 (1,3) [[-1.5 0.5 2.25]]");
    EXPECT(expand_dims(f, -1), "float64 (3,1) [[-1.5 ] [0.5 ] [2.25]]");
    EXPECT_ERROR(AxisError, (expand_dims(f, 5)), "axis 5 is out of bounds for array of dimension 2");
    EXPECT(squeeze(x(newaxis, all, newaxis)), "int64 (2,3) [[0 1 2] [3 4 5]]");
    EXPECT(squeeze(x(newaxis), 0), "int64 (2,3) [[0 1 2] [3 4 5]]");
    EXPECT_ERROR(ValueError, (squeeze(x, 0)), "cannot select an axis to squeeze out which has size not equal to one");
    EXPECT_ERROR(AxisError, (squeeze(x, 5)), "axis 5 is out of bounds for array of dimension 2");
    EXPECT(flip(x), "int64 (2,3) [[5 4 3] [2 1 0]]");
    EXPECT(flip(x, 1), "int64 (2,3) [[2 1 0] [5 4 3]]");
    EXPECT(flip(x, {0, 1}), "int64 (2,3) [[5 4 3] [2 1 0]]");
    EXPECT_ERROR(AxisError, (flip(x, 5)), "axis 5 is out of bounds for array of dimension 2");
    EXPECT(flip(z), "float64 (0,3) []");
}

BOOST_AUTO_TEST_CASE(broadcasts) {
    EXPECT(broadcast_to(f, {2, 3}), "float64 (2,3) [[-1.5 0.5 2.25] [-1.5 0.5 2.25]]");
    EXPECT_ERROR(ValueError, (broadcast_to(f, {2})),
                 "operands could not be broadcast together with remapped shapes [original->remapped]: (3,)  and requested shape (2,)");
    EXPECT_ERROR(ValueError, (broadcast_to(x, {3})), "input operand has more dimensions than allowed by the axis remapping");
    EXPECT_ERROR(ValueError, (broadcast_to(x, {4, 3})),
                 "operands could not be broadcast together with remapped shapes [original->remapped]: (2,3)  and requested shape (4,3)");
    EXPECT(broadcast_arrays({x, f})[1], "float64 (2,3) [[-1.5 0.5 2.25] [-1.5 0.5 2.25]]");
    EXPECT_ERROR(ValueError, (broadcast_arrays({x, array({1, 2})})[1]),
                 "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg 0 with shape (2, 3) and arg 1 with shape (2,).");
}

BOOST_AUTO_TEST_CASE(joins) {
    EXPECT(concatenate({x, x}), "int64 (4,3) [[0 1 2] [3 4 5] [0 1 2] [3 4 5]]");
    EXPECT(concatenate({x, x}, -1), "int64 (2,6) [[0 1 2 0 1 2] [3 4 5 3 4 5]]");
    EXPECT(concatenate({i8, f2}), "float16 (6) [-1.0e+02 5.0e+01 1.0e+02 1.5e+00 1.0e-01 6.0e+04]");
    EXPECT(concatenate({x, z}), "float64 (2,3) [[0. 1. 2.] [3. 4. 5.]]");
    EXPECT_ERROR(ValueError, (concatenate({})), "need at least one array to concatenate");
    EXPECT_ERROR(ValueError, (concatenate({f, x})),
                 "all the input arrays must have same number of dimensions, but the array at index 0 has 1 dimension(s) and the array at index 1 has 2 "
                 "dimension(s)");
    EXPECT_ERROR(ValueError, (concatenate({x, x.T()})),
                 "all the input array dimensions except for the concatenation axis must match exactly, but along dimension 1, the array at index 0 has "
                 "size 3 and the array at index 1 has size 2");
    EXPECT_ERROR(ValueError, (concatenate({array(1)})), "zero-dimensional arrays cannot be concatenated");
    EXPECT_ERROR(AxisError, (concatenate({f}, 3)), "axis 3 is out of bounds for array of dimension 1");
    EXPECT(stack({f, f}), "float64 (2,3) [[-1.5 0.5 2.25] [-1.5 0.5 2.25]]");
    EXPECT(stack({f, i8}, -1), "float64 (3,2) [[-1.5 -100. ] [0.5 50. ] [2.25 100. ]]");
    EXPECT_ERROR(ValueError, (stack({f, x})), "all input arrays must have the same shape");
    EXPECT_ERROR(ValueError, (stack({})), "need at least one array to stack");
    EXPECT_ERROR(AxisError, (stack({f}, 3)), "axis 3 is out of bounds for array of dimension 2");
    EXPECT(pad(f, {{1, 2}}), "float64 (6) [0. -1.5 0.5 2.25 0. 0. ]");
    EXPECT(pad(x, {{1, 0}, {0, 1}}, 9), "int64 (3,4) [[9 9 9 9] [0 1 2 9] [3 4 5 9]]");
    EXPECT(pad(x, {{1, 1}}), "int64 (4,5) [[0 0 0 0 0] [0 0 1 2 0] [0 3 4 5 0] [0 0 0 0 0]]");
    EXPECT_ERROR(ValueError, (pad(f, {{-1, 0}})), "index can't contain negative values");
    EXPECT_ERROR(ValueError, (pad(f, {{1, 2}, {3, 4}})),
                 "operands could not be broadcast together with remapped shapes [original->remapped]: (2,2)  and requested shape (1,2)");
}

BOOST_AUTO_TEST_CASE(many_arrays_are_concatenated) {
    std::vector<array> rows, columns;
    for (int i = 0; i < 300; ++i) {
        rows.push_back(arange(2.0 * i, 2.0 * i + 2).reshape({1, 2}));
        columns.push_back(rows.back().T());
    }
    EXPECT(sum(absolute(concatenate(rows) - arange(600.0).reshape({300, 2}))), "float64 () 0.0");
    EXPECT(sum(absolute(concatenate(columns, 1).T() - arange(600.0).reshape({300, 2}))), "float64 () 0.0");
    EXPECT(sum(absolute(compile([&](array x) { return concatenate(rows) - x; })(arange(600.0).reshape({300, 2})))), "float64 () 0.0");
}

BOOST_AUTO_TEST_CASE(picks) {
    EXPECT(take(f, 1), "float64 () 0.5");
    EXPECT(take(f, array({2, 0, -1})), "float64 (3) [2.25 -1.5 2.25]");
    EXPECT(take(x, array({{0, 2}}), 1), "int64 (2,1,2) [[[0 2]] [[3 5]]]");
    EXPECT(take(x, 4), "int64 () 4");
    EXPECT_ERROR(IndexError, (take(f, 5)), "index 5 is out of bounds for axis 0 with size 3");
    EXPECT_ERROR(IndexError, (take(x, -4, 1)), "index -4 is out of bounds for axis 1 with size 3");
    EXPECT(take(f, array({5, -5}), std::nullopt, TakeMode::wrap), "float64 (2) [2.25 0.5 ]");
    EXPECT(take(f, array({5, -5}), std::nullopt, TakeMode::clip), "float64 (2) [2.25 -1.5 ]");
    EXPECT_ERROR(TypeError, (take(f, f)), "Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'same_kind'");
    EXPECT_ERROR(IndexError, (take(zeros({0}), array({0}))), "cannot do a non-empty take from an empty axes.");
    EXPECT(sort(nan), "float64 (3) [-2. 1. nan]");
    EXPECT(sort(x(all, every(-1))), "int64 (2,3) [[0 1 2] [3 4 5]]");
    EXPECT(sort(x(every(-1)), 0), "int64 (2,3) [[0 1 2] [3 4 5]]");
    EXPECT(sort(x, std::nullopt), "int64 (6) [0 1 2 3 4 5]");
    EXPECT(sort(c), "complex128 (3) [-0.-1.j 1.+2.j 3.+0.j]");
    EXPECT(argsort(nan), "int64 (3) [2 0 1]");
    EXPECT(argsort(i8, -1, true), "int64 (3) [0 1 2]");
    EXPECT_ERROR(AxisError, (sort(f, 5)), "axis 5 is out of bounds for array of dimension 1");
    EXPECT_ERROR(AxisError, (sort(array(3.0))), "axis -1 is out of bounds for array of dimension 0");
    EXPECT(argsort(array(3.0)), "int64 (1) [0]");
}

BOOST_AUTO_TEST_CASE(searches) {
    const array keys{1.0, 2.0, 2.0, 5.0};
    EXPECT(searchsorted(keys, 2), "int64 () 1");
    EXPECT(searchsorted(keys, 2, Side::right), "int64 () 3");
    EXPECT(searchsorted(keys, array({{0, 3}, {5, 9}})), "int64 (2,2) [[0 3] [3 4]]");
    EXPECT(searchsorted(sort(nan), nan), "int64 (3) [1 2 0]");
    EXPECT(searchsorted(sort(nan), nan, Side::right), "int64 (3) [2 3 1]");
    EXPECT(searchsorted(zeros({0}), array({1, 2})), "int64 (2) [0 0]");
    EXPECT(searchsorted(keys, zeros({0, 3})), "int64 (0,3) []");
    EXPECT_ERROR(ValueError, searchsorted(x, 1), "object too deep for desired array");
    EXPECT_ERROR(ValueError, searchsorted(array(1.0), 1), "object of too small depth for desired array");
}

BOOST_AUTO_TEST_CASE(parts_of_what_is_sorted) {
    EXPECT(detail::sorted_part(nan, 1, 2), "float64 (2) [1. nan]");
    EXPECT(detail::sorted_part(x(all, every(-1)), 0, 2), "int64 (2,2) [[0 1] [3 4]]");
    EXPECT(detail::sorted_part(f, 3, 0), "float64 (0) []");
    EXPECT_ERROR(ValueError, (detail::sorted_part(f, 2, 2)), "there are no such elements in lines of 3");
    EXPECT_ERROR(AxisError, (detail::sorted_part(array(3.0), 0, 1)), "axis -1 is out of bounds for array of dimension 0");
}

BOOST_AUTO_TEST_SUITE_END()
