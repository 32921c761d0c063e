// Elementwise functions on concrete arrays: dtypes, broadcasting, keyword arguments, errors.
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

BOOST_FIXTURE_TEST_SUITE(ufuncs, Samples)

BOOST_AUTO_TEST_CASE(weak_numbers_take_the_arrays_dtype) {
    EXPECT(i8 + 1, "int8 (3) [-99 51 101]");
    EXPECT(i8 + 1.5, "float64 (3) [-98.5 51.5 101.5]");
    EXPECT(b + 1, "int64 (3) [2 1 2]");
    EXPECT(b + true, "bool (3) [True True True]");
    EXPECT(2 * f4, "float32 (3) [2.e-01 2.e-03 6.e+00]");
    EXPECT(f2 * 2.0, "float16 (3) [3. 0.2 inf]");
    EXPECT(u8 - 1, "uint8 (3) [255 199 254]");
    EXPECT_ERROR(OverflowError, (i8 + 300), "Python integer 300 out of bounds for int8");
    EXPECT_ERROR(OverflowError, (u8 + -1), "Python integer -1 out of bounds for uint8");
    EXPECT(1 - f, "float64 (3) [2.5 0.5 -1.25]");
    EXPECT(f + std::complex<double>(0, 1), "complex128 (3) [-1.5 +1.j 0.5 +1.j 2.25+1.j]");
    EXPECT(add(1, 2), "int64 () 3");
    EXPECT_ERROR(ValueError, (power(i8, -1)), "Integers to negative integer powers are not allowed.");
    EXPECT(power(x, x), "int64 (2,3) [[1 1 4] [27 256 3125]]");
    EXPECT_ERROR(ValueError, (power(x, -x)), "Integers to negative integer powers are not allowed.");
}

BOOST_AUTO_TEST_CASE(dtypes_meet_in_the_loops_that_numpy_has) {
    EXPECT(i8 + u8, "int16 (3) [-100 250 355]");
    EXPECT(x + f4, "float64 (2,3) [[0.1 1.001 5. ] [3.1 4.001 8. ]]");
    EXPECT(i64 + u64, "float64 (3) [-1.00000000e+00 9.22337204e+18 2.30584301e+19]");
    EXPECT(u8 + f2, "float16 (3) [1.500e+00 2.001e+02 6.026e+04]");
    EXPECT(f4 + c, "complex128 (3) [1.10000000e+00+2.j 1.00000005e-03-1.j 6.00000000e+00+0.j]");
    EXPECT(x / x, "float64 (2,3) [[nan 1. 1.] [1. 1. 1.]]");
    EXPECT(divide(i8, u8), "float64 (3) [-inf 0.25 0.39215686]");
    EXPECT(arctan2(i8, 1), "float16 (3) [-1.561 1.551 1.561]");
    EXPECT(sqrt(i8), "float16 (3) [nan 7.07 10. ]");
    EXPECT(exp(b), "float16 (3) [2.719 1. 2.719]");
    EXPECT(x % 4, "int64 (2,3) [[0 1 2] [3 0 1]]");
    EXPECT(x << 2, "int64 (2,3) [[0 4 8] [12 16 20]]");
    EXPECT(~b, "bool (3) [False True False]");
    EXPECT(i8 & u8, "int16 (3) [0 0 100]");
    EXPECT(isnan(nan), "bool (3) [False True False]");
    EXPECT(absolute(c), "float64 (3) [2.23606798 1. 3. ]");
    EXPECT(real(c), "float64 (3) [1. -0. 3.]");
    EXPECT(imag(f), "float64 (3) [0. 0. 0.]");
    EXPECT(conjugate(c), "complex128 (3) [1.-2.j -0.+1.j 3.-0.j]");
    EXPECT(sign(f), "float64 (3) [-1. 1. 1.]");
    EXPECT(signbit(f), "bool (3) [True False False]");
    EXPECT(bitwise_count(u8), "uint8 (3) [0 3 8]");
    EXPECT(square(i8), "int8 (3) [16 -60 16]");
    EXPECT(floor(f), "float64 (3) [-2. 0. 2.]");
    EXPECT(rint(f), "float64 (3) [-2. 0. 2.]");
    EXPECT(gcd(i8, 20), "int8 (3) [20 10 20]");
    EXPECT(ldexp(f4, 3), "float32 (3) [8.0e-01 8.0e-03 2.4e+01]");
    EXPECT(ldexp(f4, i64), "float32 (3) [0.05 0.032 inf]");
    EXPECT(float_power(i8, 2), "float64 (3) [10000. 2500. 10000.]");
    EXPECT(hypot(3, f), "float64 (3) [3.35410197 3.04138127 3.75 ]");
    EXPECT(copysign(f, -1), "float64 (3) [-1.5 -0.5 -2.25]");
    EXPECT(heaviside(f, 0.5), "float64 (3) [0. 1. 1.]");
    EXPECT(fmax(nan, 0), "float64 (3) [1. 0. 0.]");
    EXPECT(maximum(nan, 0), "float64 (3) [1. nan 0.]");
    EXPECT(frexp(f).first, "float64 (3) [-0.75 0.5 0.5625]");
    EXPECT(frexp(f).second, "int32 (3) [1 0 2]");
    EXPECT(modf(f).first, "float64 (3) [-0.5 0.5 0.25]");
    EXPECT(modf(f).second, "float64 (3) [-1. 0. 2.]");
    EXPECT(modf(i8).second, "float16 (3) [-100. 50. 100.]");
    EXPECT(divmod(x, 4).first, "int64 (2,3) [[0 0 0] [0 1 1]]");
    EXPECT(divmod(f, 1).second, "float64 (3) [0.5 0.5 0.25]");
}

BOOST_AUTO_TEST_CASE(broadcasting) {
    EXPECT(x + f, "float64 (2,3) [[-1.5 1.5 4.25] [1.5 4.5 7.25]]");
    EXPECT(x(all, newaxis) * f, "float64 (2,1,3) [[[-0. 0.5 4.5 ]] [[-4.5 2. 11.25]]]");
    EXPECT_ERROR(ValueError, (x + array({1, 2})), "operands could not be broadcast together with shapes (2,3) (2,) ");
    EXPECT(z + f, "float64 (0,3) []");
    EXPECT_ERROR(ValueError, (z + x), "operands could not be broadcast together with shapes (0,3) (2,3) ");
    EXPECT(x(0) + 1.5, "float64 (3) [1.5 2.5 3.5]");
}

BOOST_AUTO_TEST_CASE(comparisons_are_exact) {
    EXPECT(i64 < u64, "bool (3) [True True True]");
    EXPECT(u64 > i64, "bool (3) [True True True]");
    EXPECT(i64 == u64, "bool (3) [False False False]");
    EXPECT(u64 != i64, "bool (3) [True True True]");
    EXPECT(u64 <= i64, "bool (3) [False False False]");
    EXPECT(i64 >= u64, "bool (3) [False False False]");
    EXPECT(i8 < 300, "bool (3) [True True True]");
    EXPECT(i8 == 300, "bool (3) [False False False]");
    EXPECT(i8 != 300, "bool (3) [True True True]");
    EXPECT(u8 > -1, "bool (3) [True True True]");
    EXPECT(u8 <= -1, "bool (3) [False False False]");
    EXPECT(-300 < i8, "bool (3) [True True True]");
    EXPECT(i8 > -129, "bool (3) [True True True]");
    EXPECT(f < 1, "bool (3) [True True False]");
    EXPECT(c == 3, "bool (3) [False False True]");
    EXPECT(b == 1, "bool (3) [True False True]");
    EXPECT(u64 == UINT64_MAX, "bool (3) [False False True]");
}

BOOST_AUTO_TEST_CASE(errors) {
    EXPECT_ERROR(
        TypeError, (b - b),
        "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the logical_xor function instead.");
    EXPECT_ERROR(TypeError, (-b),
                 "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not function instead.");
    EXPECT_ERROR(TypeError, (f & f),
                 "ufunc 'bitwise_and' not supported for the input types, and the inputs could not be safely coerced to any supported types according to "
                 "the casting rule ''safe''");
    EXPECT_ERROR(TypeError, (c % 2),
                 "ufunc 'remainder' not supported for the input types, and the inputs could not be safely coerced to any supported types according to the "
                 "casting rule ''safe''");
    EXPECT_ERROR(TypeError, (floor(c)),
                 "ufunc 'floor' not supported for the input types, and the inputs could not be safely coerced to any supported types according to the "
                 "casting rule ''safe''");
    EXPECT_ERROR(TypeError, (add(f, f, {.dtype = int64})),
                 "Cannot cast ufunc 'add' input 0 from dtype('float64') to dtype('int64') with casting rule 'same_kind'");
    EXPECT_ERROR(TypeError, (sqrt(f, {.dtype = int64})), "No loop matching the specified signature and casting was found for ufunc sqrt");
    EXPECT_ERROR(TypeError, (add(f, f, {.out = x(0)})),
                 "Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64') with casting rule 'same_kind'");
    EXPECT_ERROR(ValueError, (add(x, 1, {.out = zeros({3})})), "non-broadcastable output operand with shape (3,) doesn't match the broadcast shape (2,3)");
    EXPECT_ERROR(TypeError, (add(f, 1, {.where = x(0)})), "Cannot cast array data from dtype('int64') to dtype('bool') according to the rule 'safe'");
}

BOOST_AUTO_TEST_CASE(keyword_arguments) {
    EXPECT(add(i8, i8, {.dtype = float32}), "float32 (3) [-200. 100. 200.]");
    EXPECT(add(f, 1, {.out = zeros({2, 3})}), "float64 (2,3) [[-0.5 1.5 3.25] [-0.5 1.5 3.25]]");
    EXPECT(add(f, 1, {.out = zeros({3}, float32)}), "float32 (3) [-0.5 1.5 3.25]");
    EXPECT(add(f, 1, {.out = zeros({3}), .where = b}), "float64 (3) [-0.5 0. 3.25]");
    EXPECT(add(f, 1, {.out = zeros({2, 3}), .where = array({{true}, {false}})}), "float64 (2,3) [[-0.5 1.5 3.25] [0. 0. 0. ]]");
    EXPECT(less(i64, u64, {.out = zeros({3}, int8)}), "int8 (3) [1 1 1]");
    EXPECT(subtract(f, i8, {.dtype = float32, .casting = Casting::unsafe}), "float32 (3) [98.5 -49.5 -97.75]");
}

BOOST_AUTO_TEST_CASE(where_clip_and_round) {
    EXPECT(where(b, x, f), "float64 (2,3) [[0. 0.5 2. ] [3. 0.5 5. ]]");
    EXPECT(where(b, i8, 1.5), "float64 (3) [-100. 1.5 100. ]");
    EXPECT(where(b, 1, 2), "int64 (3) [1 2 1]");
    EXPECT(where(x, i8, 300), "int8 (2,3) [[44 50 100] [-100 50 100]]");
    EXPECT(where(f, 1.5, 2), "float64 (3) [1.5 1.5 1.5]");
    EXPECT(clip(f, 0, 1), "float64 (3) [0. 0.5 1. ]");
    EXPECT(clip(i8, -200, 60), "int8 (3) [-100 50 60]");
    EXPECT(clip(i8, 0, std::nullopt), "int8 (3) [0 50 100]");
    EXPECT(clip(i8, std::nullopt, std::nullopt), "int8 (3) [-100 50 100]");
    EXPECT(clip(i8, 0.5, 60), "float64 (3) [0.5 50. 60. ]");
    EXPECT(clip(nan, 0, 1), "float64 (3) [1. nan 0.]");
    EXPECT(clip(u8, -5, 300), "uint8 (3) [0 200 255]");
    EXPECT(clip(f, x, 3), "float64 (2,3) [[0. 1. 2.25] [3. 3. 3. ]]");
    EXPECT(round(f), "float64 (3) [-2. 0. 2.]");
    EXPECT(round(f4, 2), "float32 (3) [0.1 0. 3. ]");
    EXPECT(round(i8, -1), "int8 (3) [-100 50 100]");
    EXPECT(round(i8, 2), "int8 (3) [-100 50 100]");
    EXPECT(round(c), "complex128 (3) [1.+2.j -0.-1.j 3.+0.j]");
    EXPECT(round(array(1234.567), -2), "float64 () 1200.0");
}

BOOST_AUTO_TEST_SUITE_END()
