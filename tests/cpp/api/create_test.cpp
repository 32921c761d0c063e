// Arrays made from nothing.
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
    array f4 = array({0.1F, 1e-3F, 3.0F});
    array u64 = array({std::uint64_t{0}, std::uint64_t{1} << 63, UINT64_MAX});
    array i64 = array({std::int64_t{-1}, std::int64_t{5}, std::int64_t{1} << 62});
    array c = array({std::complex<double>(1, 2), std::complex<double>(-0.0, -1), std::complex<double>(3, 0)});
    array nan = array({1.0, double{NAN}, -2.0});
    array z = zeros({0, 3});
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(creation, Samples)

BOOST_AUTO_TEST_CASE(filled) {
    EXPECT(full({2, 2}, 7), "int64 (2,2) [[7 7] [7 7]]");
    EXPECT(full({2}, 1.5, int64), "int64 (2) [1 1]");
    EXPECT_ERROR(OverflowError, (full({2}, 300, int8)), "Python integer 300 out of bounds for int8");
    EXPECT(full({}, true), "bool () True");
    EXPECT(zeros({0, 2}), "float64 (0,2) []");
    EXPECT(ones({2}, complex64), "complex64 (2) [1.+0.j 1.+0.j]");
    EXPECT(full_like(f4, 2), "float32 (3) [2. 2. 2.]");
    EXPECT(zeros_like(x, float16), "float16 (2,3) [[0. 0. 0.] [0. 0. 0.]]");
    EXPECT(ones_like(b), "bool (3) [True True True]");
    EXPECT_ERROR(ValueError, (zeros({-1})), "negative dimensions are not allowed");
    EXPECT(full({2}, std::complex<double>(1, 2), float64), "float64 (2) [1. 1.]");
}

BOOST_AUTO_TEST_CASE(ranges) {
    EXPECT(arange(5), "int64 (5) [0 1 2 3 4]");
    EXPECT(arange(2, 9, 3), "int64 (3) [2 5 8]");
    EXPECT(arange(5, 0, -2), "int64 (3) [5 3 1]");
    EXPECT(arange(0), "int64 (0) []");
    EXPECT(arange(3, 0), "int64 (0) []");
    EXPECT(arange(1.0, 2.0, 0.25), "float64 (4) [1. 1.25 1.5 1.75]");
    EXPECT(arange(0, 1, 0.1), "float64 (10) [0. 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9]");
    EXPECT(arange(0, 5, 1, float32), "float32 (5) [0. 1. 2. 3. 4.]");
    EXPECT(arange(0, 0.5, 0.1, float16), "float16 (5) [0. 0.1 0.2 0.2998 0.4 ]");
    EXPECT(arange(0, 5, 1, uint8), "uint8 (5) [0 1 2 3 4]");
    EXPECT(arange(5, 0, -1, uint8), "uint8 (5) [5 4 3 2 1]");
    EXPECT_ERROR(ZeroDivisionError, (arange(0, 5, 0)), "division by zero");
    EXPECT(arange(0, 300, 100, int8), "int8 (3) [0 100 -56]");
    EXPECT(arange(0, 2, 1, bool_), "bool (2) [False True]");
    EXPECT(arange(0.5, 3.0, 1.0, int64), "int64 (3) [0 1 2]");
}

BOOST_AUTO_TEST_CASE(linspace_and_eye) {
    EXPECT(linspace(0, 1, 5), "float64 (5) [0. 0.25 0.5 0.75 1. ]");
    EXPECT(linspace(0, 1, 4, false), "float64 (4) [0. 0.25 0.5 0.75]");
    EXPECT(linspace(3, 3, 3), "float64 (3) [3. 3. 3.]");
    EXPECT(linspace(0, 10, 4, true, int64), "int64 (4) [0 3 6 10]");
    EXPECT(linspace(1, 2, 1), "float64 (1) [1.]");
    EXPECT(linspace(1, 2, 0), "float64 (0) []");
    EXPECT(linspace(5, -5, 3, true, float32), "float32 (3) [5. 0. -5.]");
    EXPECT_ERROR(ValueError, (linspace(0, 1, -1)), "Number of samples, -1, must be non-negative.");
    EXPECT(linspace(std::complex<double>(0, 1), 2, 3), "complex128 (3) [0.+1.j 1.+0.5j 2.+0.j ]");
    EXPECT(eye(2), "float64 (2,2) [[1. 0.] [0. 1.]]");
    EXPECT(eye(2, 3, 1, int8), "int8 (2,3) [[0 1 0] [0 0 1]]");
    EXPECT(eye(3, 2, -1, bool_), "bool (3,2) [[False False] [True False] [False True]]");
    EXPECT_ERROR(ValueError, (eye(-1)), "negative dimensions are not allowed");
}

BOOST_AUTO_TEST_SUITE_END()
