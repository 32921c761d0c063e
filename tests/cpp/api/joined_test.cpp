// numpy.ufunc.reduce and accumulate. Expected texts are NumPy 2.4's.
#include "fastnp/ufunc.h"

#include "expect.h"

using namespace fastnp;

namespace {

struct Samples {
    array x = array({{1.0, 4.0, 2.0}, {5.0, 3.0, 7.0}});
    array i = array({{6, 4, 9}, {3, 12, 5}}).astype(int64);
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(joined, Samples)

BOOST_AUTO_TEST_CASE(running_results) {
    EXPECT(accumulate(maximum, x), "float64 (2,3) [[1. 4. 2.] [5. 4. 7.]]");
    EXPECT(accumulate(maximum, x, {.axis = 1}), "float64 (2,3) [[1. 4. 4.] [5. 5. 7.]]");
    EXPECT(accumulate(subtract, x, {.axis = -1}), "float64 (2,3) [[1. -3. -5.] [5. 2. -5.]]");
    EXPECT(accumulate(bitwise_or, i, {.axis = 1}), "int64 (2,3) [[6 6 15] [3 15 15]]");
    EXPECT(accumulate(add, i), "int64 (2,3) [[6 4 9] [9 16 14]]");
    EXPECT_ERROR(TypeError, (accumulate(maximum, array(1.0))), "cannot accumulate on a scalar");
    EXPECT_ERROR(AxisError, (accumulate(maximum, x, {.axis = 2})), "axis 2 is out of bounds for array of dimension 2");
}

BOOST_AUTO_TEST_CASE(reductions) {
    EXPECT(reduce(subtract, x, {.axis = 0}), "float64 (3) [-4. 1. -5.]");
    EXPECT(reduce(subtract, i, {.axis = 1, .keepdims = true}), "int64 (2,1) [[-7] [-14]]");
    EXPECT(reduce(divide, i, {.axis = 0}), "float64 (3) [2. 0.33333333 1.8 ]");
    EXPECT(reduce(bitwise_and, i), "int64 () 0");
    EXPECT(reduce(bitwise_xor, i, {.axis = 1}), "int64 (2) [11 10]");
    EXPECT(reduce(gcd, i, {.axis = 0}), "int64 (3) [3 4 1]");
    EXPECT(reduce(fmax, x), "float64 () 7.0");
    EXPECT(reduce(logical_xor, x), "bool () False");
    EXPECT(reduce(hypot, array({-3.0})), "float64 () 3.0");
    EXPECT(reduce(subtract, x, {.axis = 1, .initial = 10.0}), "float64 (2) [3. -5.]");
    EXPECT(reduce(gcd, zeros({0}, int64)), "int64 () 0");
}

BOOST_AUTO_TEST_CASE(errors) {
    EXPECT_ERROR(ValueError, (reduce(subtract, x)), "reduction operation 'subtract' is not reorderable, so at most one axis may be specified");
    EXPECT_ERROR(ValueError, (reduce(subtract, zeros({0}), {.axis = 0})), "zero-size array to reduction operation subtract which has no identity");
    EXPECT_ERROR(TypeError, (reduce(less, x, {.axis = 0})), "The resolved dtypes are not compatible with less.reduce");
}

BOOST_AUTO_TEST_SUITE_END()
