// The text of arrays. Runs of spaces and line ends count as one space here; the layout test below has them all.
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

BOOST_FIXTURE_TEST_SUITE(printing, Samples)

BOOST_AUTO_TEST_CASE(numbers) {
    EXPECT(array(1.0), "float64 () 1.0");
    EXPECT(array(0.1F), "float32 () 0.1");
    EXPECT(array(1e-5), "float64 () 1e-05");
    EXPECT(array(1e16), "float64 () 1e+16");
    EXPECT(array(123456789.0), "float64 () 123456789.0");
    EXPECT(array(double{NAN}), "float64 () nan");
    EXPECT(array(-double{INFINITY}), "float64 () -inf");
    EXPECT(array(std::complex<double>(1, -2)), "complex128 () (1-2j)");
    EXPECT(array(std::complex<double>(0, 2.5)), "complex128 () 2.5j");
    EXPECT(array(Scalar(0.1), float16), "float16 () 0.1");
    EXPECT(array(true), "bool () True");
    EXPECT(array(-7), "int32 () -7");
}

BOOST_AUTO_TEST_CASE(arrays) {
    EXPECT(f, "float64 (3) [-1.5 0.5 2.25]");
    EXPECT(f4, "float32 (3) [1.e-01 1.e-03 3.e+00]");
    EXPECT(f2, "float16 (3) [1.5e+00 1.0e-01 6.0e+04]");
    EXPECT(i64, "int64 (3) [-1 5 4611686018427387904]");
    EXPECT(u64, "uint64 (3) [0 9223372036854775808 18446744073709551615]");
    EXPECT(c, "complex128 (3) [1.+2.j -0.-1.j 3.+0.j]");
    EXPECT(nan, "float64 (3) [1. nan -2.]");
    EXPECT(b, "bool (3) [True False True]");
    EXPECT(z, "float64 (0,3) []");
    EXPECT(array({1e-10, 1.0}), "float64 (2) [1.e-10 1.e+00]");
    EXPECT(array({1e10, 1.0}), "float64 (2) [1.e+10 1.e+00]");
    EXPECT(array({0.1, 0.12345678901}), "float64 (2) [0.1 0.12345679]");
    EXPECT(array({1.0, 1000000.0}), "float64 (2) [1.e+00 1.e+06]");
    EXPECT(array({double{NAN}, double{INFINITY}, -double{INFINITY}}), "float64 (3) [nan inf -inf]");
    EXPECT(array({double{NAN}, 1e20}), "float64 (2) [nan 1.e+20]");
    EXPECT(array({1e-300, 1e300}), "float64 (2) [1.e-300 1.e+300]");
    EXPECT(array({0.0, -0.0}), "float64 (2) [0. -0.]");
    EXPECT(array({std::complex<double>(1, NAN), std::complex<double>(-1.25, -1e10)}), "complex128 (2) [1. +nanj -1.25-1.e+10j]");
    EXPECT(arange(2000), "int64 (2000) [0 1 2 ... 1997 1998 1999]");
    EXPECT(arange(2000).reshape({2, 1000}), "int64 (2,1000) [[0 1 2 ... 997 998 999] [1000 1001 1002 ... 1997 1998 1999]]");
    EXPECT(linspace(0, 1, 30),
           "float64 (30) [0. 0.03448276 0.06896552 0.10344828 0.13793103 0.17241379 0.20689655 0.24137931 0.27586207 0.31034483 0.34482759 0.37931034 "
           "0.4137931 0.44827586 0.48275862 0.51724138 0.55172414 0.5862069 0.62068966 0.65517241 0.68965517 0.72413793 0.75862069 0.79310345 0.82758621 "
           "0.86206897 0.89655172 0.93103448 0.96551724 1. ]");
    EXPECT(arange(40), "int64 (40) [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39]");
}

BOOST_AUTO_TEST_CASE(layout) {
    BOOST_TEST(to_string(arange(24.0).reshape({2, 3, 4}) / 8) ==
               "[[[0.    0.125 0.25  0.375]\n"
               "  [0.5   0.625 0.75  0.875]\n"
               "  [1.    1.125 1.25  1.375]]\n"
               "\n"
               " [[1.5   1.625 1.75  1.875]\n"
               "  [2.    2.125 2.25  2.375]\n"
               "  [2.5   2.625 2.75  2.875]]]");
    BOOST_TEST(to_string(arange(3000).reshape({3, 1000})) ==
               "[[   0    1    2 ...  997  998  999]\n"
               " [1000 1001 1002 ... 1997 1998 1999]\n"
               " [2000 2001 2002 ... 2997 2998 2999]]");
    BOOST_TEST(to_string(linspace(0, 1, 13) * where(arange(13) % 2 == 1, -1, 1)) ==
               "[ 0.         -0.08333333  0.16666667 -0.25        0.33333333 -0.41666667\n"
               "  0.5        -0.58333333  0.66666667 -0.75        0.83333333 -0.91666667\n"
               "  1.        ]");
}

BOOST_AUTO_TEST_SUITE_END()
