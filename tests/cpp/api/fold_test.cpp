// Reductions, scans and statistics on concrete arrays.
// Expected texts are NumPy 2.4's.
#include <cmath>

#include "expect.h"

using namespace fastnp;

namespace {

struct Samples {
    array x = arange(6).reshape({2, 3});
    array f = array({-1.5, 0.5, 2.25});
    array b = array({true, false, true});
    array i8 = array({-100, 50, 100}).astype(int8);
    array u8 = array({0, 200, 255}).astype(uint8);
    array f2 = array({1.5, 0.1, 60000.0}).astype(float16);
    array f4 = array({0.5F, 0.25F, 3.0F});  // with sums that are exact in any order, since devices have others
    array u64 = array({std::uint64_t{0}, std::uint64_t{1} << 63, UINT64_MAX});
    array i64 = array({std::int64_t{-1}, std::int64_t{5}, std::int64_t{1} << 62});
    array c = array({std::complex<double>(1, 2), std::complex<double>(-0.0, -1), std::complex<double>(3, 0)});
    array nan = array({1.0, double{NAN}, -2.0});
    array z = zeros({0, 3});
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(folds, Samples)

BOOST_AUTO_TEST_CASE(axes_and_keepdims) {
    EXPECT(sum(x), "int64 () 15");
    EXPECT(sum(x, {.axis = 0}), "int64 (3) [3 5 7]");
    EXPECT(prod(x, {.axis = -1}), "int64 (2) [0 60]");
    EXPECT(max(x, {.axis = {0, 1}}), "int64 () 5");
    EXPECT(min(x, {.axis = 1, .keepdims = true}), "int64 (2,1) [[0] [3]]");
    EXPECT(sum(x, {.axis = std::initializer_list<std::int64_t>{}}), "int64 (2,3) [[0 1 2] [3 4 5]]");
    EXPECT(sum(x, {.keepdims = true}), "int64 (1,1) [[15]]");
    EXPECT(any(x, {.axis = 0}), "bool (3) [True True True]");
    EXPECT(fastnp::all(x, {.axis = 1}), "bool (2) [False True]");
    EXPECT(sum(array(3.0), {.axis = 0}), "float64 () 3.0");
}

BOOST_AUTO_TEST_CASE(dtypes) {
    EXPECT(sum(i8), "int64 () 50");
    EXPECT(sum(b), "int64 () 2");
    EXPECT(prod(u8), "uint64 () 0");
    EXPECT(sum(f4), "float32 () 3.75");
    EXPECT(sum(f, {.dtype = int64}), "int64 () 1");
    EXPECT(max(b), "bool () True");
    EXPECT(fastnp::all(nan), "bool () True");
    EXPECT(any(c), "bool () True");
    EXPECT(mean(i8), "float64 () 16.666666666666668");
    EXPECT(mean(b), "float64 () 0.6666666666666666");
    EXPECT(mean(f2), "float16 () 2e+04");
    EXPECT(mean(f2, {.dtype = float64}), "float64 () 20000.533325195312");
    EXPECT(mean(f4), "float32 () 1.25");
    EXPECT(mean(c), "complex128 () (1.3333333333333333+0.3333333333333333j)");
    EXPECT(var(x), "float64 () 2.9166666666666665");
    EXPECT(var(c), "float64 () 3.111111111111111");
    EXPECT(var(f4), "float32 () 1.5416666");
    EXPECT(stddev(f2), "float16 () inf");
    EXPECT(stddev(c), "float64 () 1.7638342073763937");
}

BOOST_AUTO_TEST_CASE(initial_and_where) {
    EXPECT(sum(i8, {.initial = 300}), "int64 () 350");
    EXPECT(max(x, {.axis = 0, .initial = 2}), "int64 (3) [3 4 5]");
    EXPECT_ERROR(OverflowError, (max(i8, {.initial = 300})), "Python integer 300 out of bounds for int8");
    EXPECT(max(z, {.axis = 0, .initial = 2}), "float64 (3) [2. 2. 2.]");
    EXPECT(sum(x, {.axis = 1, .where = b}), "int64 (2) [2 8]");
    EXPECT(min(x, {.axis = 1, .initial = 9, .where = b}), "int64 (2) [0 3]");
    EXPECT_ERROR(ValueError, (max(x, {.where = b})),
                 "reduction operation 'maximum' does not have an identity, so to use a where mask one has to specify 'initial'");
    EXPECT(mean(x, {.axis = 1, .where = b}), "float64 (2) [1. 4.]");
    EXPECT(var(x, {.axis = 1, .where = b}), "float64 (2) [1. 1.]");
    EXPECT_ERROR(TypeError, (sum(f, {.where = f})), "Cannot cast array data from dtype('float64') to dtype('bool') according to the rule 'safe'");
}

BOOST_AUTO_TEST_CASE(statistics) {
    EXPECT(mean(x, {.axis = 0, .keepdims = true}), "float64 (1,3) [[1.5 2.5 3.5]]");
    EXPECT(var(x, {.axis = 1}, 1), "float64 (2) [1. 1.]");
    EXPECT(stddev(x, {.axis = 0}), "float64 (3) [1.5 1.5 1.5]");
    EXPECT(var(x, {.axis = 1, .keepdims = true}, 0.5), "float64 (2,1) [[0.8] [0.8]]");
    EXPECT(mean(z, {.axis = 1}), "float64 (0) []");
    EXPECT(mean(z), "float64 () nan");
    EXPECT(var(f, {}, 5), "float64 () inf");
}

BOOST_AUTO_TEST_CASE(empty_arrays) {
    EXPECT(sum(z), "float64 () 0.0");
    EXPECT(sum(z, {.axis = 0}), "float64 (3) [0. 0. 0.]");
    EXPECT_ERROR(ValueError, (max(z)), "zero-size array to reduction operation maximum which has no identity");
    EXPECT(max(z, {.axis = 1}), "float64 (0) []");
    EXPECT_ERROR(ValueError, (min(z, {.axis = 0})), "zero-size array to reduction operation minimum which has no identity");
    EXPECT_ERROR(ValueError, (argmax(z)), "attempt to get argmax of an empty sequence");
    EXPECT(argmin(z, {.axis = 1}), "int64 (0) []");
}

BOOST_AUTO_TEST_CASE(argmax_and_scans) {
    EXPECT(argmax(x), "int64 () 5");
    EXPECT(argmax(x, {.axis = 0}), "int64 (3) [1 1 1]");
    EXPECT(argmin(x, {.axis = 1, .keepdims = true}), "int64 (2,1) [[0] [0]]");
    EXPECT(argmax(x, {.keepdims = true}), "int64 (1,1) [[5]]");
    EXPECT(argmax(nan), "int64 () 1");
    EXPECT(argmin(c), "int64 () 1");
    EXPECT(argmax(b), "int64 () 0");
    EXPECT(cumsum(x), "int64 (6) [0 1 3 6 10 15]");
    EXPECT(cumsum(x, {.axis = 0}), "int64 (2,3) [[0 1 2] [3 5 7]]");
    EXPECT(cumprod(i8, {.dtype = float32}), "float32 (3) [-1.e+02 -5.e+03 -5.e+05]");
    EXPECT(cumsum(b), "int64 (3) [1 1 2]");
    EXPECT(cumsum(array(3.0)), "float64 (1) [3.]");
    EXPECT(argmax(array(3.0)), "int64 () 0");
}

BOOST_AUTO_TEST_CASE(errors) {
    EXPECT_ERROR(AxisError, (sum(x, {.axis = 3})), "axis 3 is out of bounds for array of dimension 2");
    EXPECT_ERROR(ValueError, (sum(x, {.axis = {0, -2}})), "duplicate value in 'axis'");
    EXPECT_ERROR(AxisError, (argmax(x, {.axis = 2})), "axis 2 is out of bounds for array of dimension 2");
    EXPECT_ERROR(AxisError, (cumsum(x, {.axis = -3})), "axis -3 is out of bounds for array of dimension 2");
    EXPECT_ERROR(AxisError, (max(array(3.0), {.axis = 1})), "axis 1 is out of bounds for array of dimension 0");
}

BOOST_AUTO_TEST_CASE(results_can_be_written_to_an_array) {
    EXPECT(sum(x, {.axis = 0, .out = zeros({3}, float32)}), "float32 (3) [3. 5. 7.]");
    EXPECT_ERROR(ValueError, (sum(x, {.axis = 0, .out = zeros({1, 3})})),
                 "output parameter for reduction operation add has the wrong number of dimensions: Found 2 but expected 1");
    EXPECT(mean(x, {.axis = 1, .out = zeros({2})}), "float64 (2) [1. 4.]");
}

BOOST_AUTO_TEST_SUITE_END()
