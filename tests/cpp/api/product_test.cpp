// Matrix products.
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

BOOST_FIXTURE_TEST_SUITE(products, Samples)

BOOST_AUTO_TEST_CASE(matrix_products) {
    EXPECT(matmul(x, x.T()), "int64 (2,2) [[5 14] [14 50]]");
    EXPECT(matmul(f, f), "float64 () 7.5625");
    EXPECT(matmul(x, f), "float64 (2) [5. 8.75]");
    EXPECT(matmul(f, x.T()), "float64 (2) [5. 8.75]");
    EXPECT(matmul(b, b), "bool () True");
    EXPECT(matmul(i8, b), "int8 () 0");
    EXPECT(matmul(x(newaxis), ones({4, 3, 1})), "float64 (4,2,1) [[[3.] [12.]] [[3.] [12.]] [[3.] [12.]] [[3.] [12.]]]");
    EXPECT(matmul(c, c), "complex128 () (5+4j)");
    EXPECT(matmul(z, x.T()), "float64 (0,2) []");
    EXPECT(matmul(z.T(), z), "float64 (3,3) [[0. 0. 0.] [0. 0. 0.] [0. 0. 0.]]");
    EXPECT_ERROR(
        ValueError, (matmul(x, x)),
        "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size 2 is different from 3)");
    EXPECT_ERROR(
        ValueError, (matmul(f, array({1, 2}))),
        "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size 2 is different from 3)");
    EXPECT_ERROR(ValueError, (matmul(array(1.0), f)),
                 "matmul: Input operand 0 does not have enough dimensions (has 0, gufunc core with signature (n?,k),(k,m?)->(n?,m?) requires 1)");
    EXPECT_ERROR(ValueError, (matmul(f, array(1.0))),
                 "matmul: Input operand 1 does not have enough dimensions (has 0, gufunc core with signature (n?,k),(k,m?)->(n?,m?) requires 1)");
    EXPECT_ERROR(ValueError, (matmul(ones({2, 2, 3}), ones({3, 3, 5}))),
                 "operands could not be broadcast together with remapped shapes [original->remapped]: (2,2,3)->(2,newaxis,newaxis) "
                 "(3,3,5)->(3,newaxis,newaxis)  and requested shape (2,5)");
}

BOOST_AUTO_TEST_CASE(dot_and_tensordot) {
    EXPECT(dot(f, f), "float64 () 7.5625");
    EXPECT(dot(x, f), "float64 (2) [5. 8.75]");
    EXPECT(dot(f, array(2.0)), "float64 (3) [-3. 1. 4.5]");
    EXPECT(dot(x(all, range(0, 3)), arange(24).reshape({2, 3, 4})), "int64 (2,2,4) [[[20 23 26 29] [56 59 62 65]] [[56 68 80 92] [200 212 224 236]]]");
    EXPECT(dot(arange(24).reshape({2, 3, 4}), ones({2, 4, 2}))(0, 0), "float64 (2,2) [[6. 6.] [6. 6.]]");
    EXPECT_ERROR(ValueError, (dot(x, x)), "shapes (2,3) and (2,3) not aligned: 3 (dim 1) != 2 (dim 0)");
    EXPECT_ERROR(ValueError, (dot(f, array({1, 2}))), "shapes (3,) and (2,) not aligned: 3 (dim 0) != 2 (dim 0)");
    EXPECT(tensordot(x, x), "int64 () 55");
    EXPECT(tensordot(x, x, 0)(0, 1), "int64 (2,3) [[0 1 2] [3 4 5]]");
    EXPECT(tensordot(x, x, Axes(0), Axes(0)), "int64 (3,3) [[9 12 15] [12 17 22] [15 22 29]]");
    EXPECT(tensordot(arange(24).reshape({2, 3, 4}), arange(24).reshape({2, 3, 4}), Axes({0, 1}), Axes({0, 1})),
           "int64 (4,4) [[880 940 1000 1060] [940 1006 1072 1138] [1000 1072 1144 1216] [1060 1138 1216 1294]]");
    EXPECT_ERROR(ValueError, (tensordot(x, x, 1)), "shape-mismatch for sum");
    EXPECT_ERROR(IndexError, (tensordot(x, x, 3)), "tuple index out of range");
    EXPECT(outer(f, x(0)), "float64 (3,3) [[-0. -1.5 -3. ] [0. 0.5 1. ] [0. 2.25 4.5 ]]");
    EXPECT(outer(x, b), "int64 (6,3) [[0 0 0] [1 0 1] [2 0 2] [3 0 3] [4 0 4] [5 0 5]]");
}

BOOST_AUTO_TEST_SUITE_END()
