// Linear algebra, at once and compiled: what the results solve and rebuild, sizes of 0, layouts, dtypes, errors.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "api/expect.h"
#include "linalg/matrices.h"

using namespace fastnp;
using matrices::adjoint;
using matrices::definite;
using matrices::near;
using matrices::some;
using matrices::tolerance_of;

namespace {

constexpr Dtype dtypes[] = {float32, float64, complex64, complex128};
const Shape stacks[] = {{}, {2}, {3, 2}, {0}};

Shape with(Shape stack, std::int64_t rows, std::int64_t columns) {
    stack.push_back(rows);
    stack.push_back(columns);
    return stack;
}

array unit(const array& like) { return zeros_like(like) + eye(like.shape(like.ndim() - 1)); }

// Outside of recordings, recorded once, and by the compiled entry.
template <class F, class Check>
void thrice(F f, const array& x, Check check) {
    check(x, f(x));
    const auto compiled = compile(f);
    check(x, compiled(x));
    check(x, compiled(x));
}

template <class F, class Check>
void over_all(F f, array (*make)(const Shape&, Dtype, double), const std::vector<std::pair<int, int>>& sizes, Check check) {
    for (const Dtype dtype : dtypes) {
        for (const Shape& stack : stacks) {
            for (const auto& [m, n] : sizes) thrice(f, make(with(stack, m, n), dtype, 0.3), check);
        }
        const array wide = make({6, 6}, dtype, 0.7);
        thrice(f, wide(every(2), every(2)), check);
        thrice(f, swapaxes(wide, 0, 1), check);
        thrice(f, wide(every(-1), every(-1)), check);
    }
}

array any_matrix(const Shape& shape, Dtype dtype, double seed) { return some(shape, dtype, seed); }
array definite_matrix(const Shape& shape, Dtype dtype, double seed) { return definite(shape, dtype, seed); }

const std::vector<std::pair<int, int>> squares{{0, 0}, {1, 1}, {4, 4}}, rectangles{{4, 4}, {5, 2}, {2, 3}, {0, 2}, {3, 0}};

}  // namespace

BOOST_AUTO_TEST_SUITE(linalg_values)

BOOST_AUTO_TEST_CASE(inverses) {
    over_all([](array x) { return linalg::inv(x); }, &definite_matrix, squares,
             [](const array& x, const array& found) {
                 BOOST_TEST((found.dtype() == x.dtype()));
                 BOOST_TEST(near(matmul(x, found), unit(x), 10 * tolerance_of(x.dtype())));
             });
}

BOOST_AUTO_TEST_CASE(solutions) {
    for (const Dtype dtype : dtypes) {
        const array a = definite({2, 1, 3, 3}, dtype), b = some({4, 3, 2}, dtype);
        const array x = linalg::solve(a, b);
        BOOST_TEST((x.shape() == Shape{2, 4, 3, 2}));
        BOOST_TEST(near(matmul(a, x), broadcast_to(b, {2, 4, 3, 2}), tolerance_of(dtype)));
        const array vector = some({3}, dtype);
        BOOST_TEST(near(matmul(a, linalg::solve(a, vector)(ellipsis, newaxis)), broadcast_to(vector(all, newaxis), {2, 1, 3, 1}), tolerance_of(dtype)));
        const auto compiled = compile([](array a, array b) { return linalg::solve(a, b); });
        for (int i = 0; i < 2; ++i) BOOST_TEST(near(compiled(a, b), x, tolerance_of(dtype)));
    }
    const array large = definite({60, 60}), sides = some({60, 3}, 4);
    BOOST_TEST(near(matmul(large, linalg::solve(large, sides)), sides, 1e-9));
    BOOST_TEST((linalg::solve(zeros({2, 0, 0}), zeros({0, 3})).shape() == Shape{2, 0, 3}));
    BOOST_TEST((linalg::solve(eye(3), zeros({3, 0})).shape() == Shape{3, 0}));
    EXPECT(linalg::solve(array({{2, 0}, {0, 4}}), array({1, 1})), "float64 (2) [0.5 0.25]");
}

BOOST_AUTO_TEST_CASE(triangular_solutions) {
    for (const Dtype dtype : dtypes) {
        const array a = some({2, 3, 3}, dtype) + 2 * eye(3).astype(dtype), b = some({3, 2}, dtype);
        for (const bool lower : {false, true}) {
            for (const bool unit_diagonal : {false, true}) {
                array mask = lower ? arange(3)(all, newaxis) >= arange(3) : arange(3)(all, newaxis) <= arange(3);
                array triangle = where(mask, a, 0);
                if (unit_diagonal) triangle = where(eye(3) == 1, 1, triangle);
                for (const auto how : {linalg::Transposed::no, linalg::Transposed::yes, linalg::Transposed::adjoint}) {
                    const array x = linalg::solve_triangular(a, b, {lower, how, unit_diagonal});
                    array seen = how == linalg::Transposed::no ? triangle : swapaxes(triangle, -1, -2);
                    if (how == linalg::Transposed::adjoint) seen = conjugate(seen);
                    BOOST_TEST((x.dtype() == dtype));
                    BOOST_TEST(near(matmul(seen, x), broadcast_to(b, {2, 3, 2}), tolerance_of(dtype)));
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(determinants) {
    over_all([](array x) { return linalg::det(x); }, &any_matrix, squares,
             [](const array& x, const array& found) {
                 BOOST_TEST((found.dtype() == x.dtype()));
                 const auto [sign, logarithm] = linalg::slogdet(x);
                 BOOST_TEST((logarithm.dtype() == real_of(x.dtype())));
                 BOOST_TEST(near(found, sign * exp(logarithm), tolerance_of(x.dtype())));
                 if (x.shape(x.ndim() - 1) == 0) BOOST_TEST(near(found, ones_like(found)));
             });
    BOOST_TEST(near(linalg::det(array({{0.0, 1.0}, {2.0, 0.0}})), array(-2.0)));
    EXPECT(linalg::det(array({{1, 2}, {2, 4}})), "float64 () 0.0");
    EXPECT(linalg::slogdet(zeros({2, 2})).logabsdet, "float64 () -inf");
    EXPECT(linalg::slogdet(zeros({2, 2})).sign, "float64 () 0.0");
}

BOOST_AUTO_TEST_CASE(cholesky_factors) {
    over_all([](array x) { return linalg::cholesky(x); }, &definite_matrix, squares,
             [](const array& x, const array& found) {
                 BOOST_TEST((found.dtype() == x.dtype()));
                 BOOST_TEST(near(matmul(found, adjoint(found)), x, tolerance_of(x.dtype())));
                 const std::int64_t n = x.shape(x.ndim() - 1);
                 BOOST_TEST(!any(where(arange(n)(all, newaxis) < arange(n), found, 0) != 0).item<bool>());
                 BOOST_TEST(near(linalg::cholesky(x, true), adjoint(found), tolerance_of(x.dtype())));
             });
}

BOOST_AUTO_TEST_CASE(orthogonal_factors) {
    for (const bool complete : {false, true}) {
        over_all(
            [complete](array x) {
                const auto [q, r] = linalg::qr(x, complete);
                return std::pair(q, r);
            },
            &any_matrix, rectangles,
            [](const array& x, const std::pair<array, array>& found) {
                const auto& [q, r] = found;
                BOOST_TEST((q.dtype() == x.dtype() && r.dtype() == x.dtype()));
                BOOST_TEST(near(matmul(q, r), x, tolerance_of(x.dtype())));
                const array product = matmul(adjoint(q), q);
                BOOST_TEST(near(product, unit(product), tolerance_of(x.dtype())));
            });
    }
    const auto [reflections, factors] = linalg::qr_raw(some({2, 5, 3}));
    BOOST_TEST((reflections.shape() == Shape{2, 3, 5}));
    BOOST_TEST((factors.shape() == Shape{2, 3}));
}

BOOST_AUTO_TEST_CASE(hermitian_eigenvalues) {
    for (const auto triangle : {linalg::Triangle::lower, linalg::Triangle::upper}) {
        over_all(
            [triangle](array x) {
                const auto [values, vectors] = linalg::eigh(x, triangle);
                return std::tuple(values, vectors, linalg::eigvalsh(x, triangle));
            },
            &definite_matrix, squares,
            [](const array& x, const std::tuple<array, array, array>& found) {
                const auto& [values, vectors, alone] = found;
                BOOST_TEST((values.dtype() == real_of(x.dtype()) && vectors.dtype() == x.dtype() && alone.dtype() == values.dtype()));
                BOOST_TEST(near(matmul(x, vectors), vectors * expand_dims(values, -2), tolerance_of(x.dtype())));
                BOOST_TEST(near(alone, values, tolerance_of(x.dtype())));
            });
    }
}

BOOST_AUTO_TEST_CASE(singular_values) {
    for (const bool full : {false, true}) {
        over_all(
            [full](array x) {
                const auto [u, s, vh] = linalg::svd(x, full);
                return std::tuple(u, s, vh, linalg::svdvals(x));
            },
            &any_matrix, rectangles,
            [full](const array& x, const std::tuple<array, array, array, array>& found) {
                const auto& [u, s, vh, alone] = found;
                const std::int64_t m = x.shape(x.ndim() - 2), n = x.shape(x.ndim() - 1), k = std::min(m, n);
                BOOST_TEST((u.shape(x.ndim() - 1) == (full ? m : k) && vh.shape(x.ndim() - 2) == (full ? n : k) && s.dtype() == real_of(x.dtype())));
                const array left = u(ellipsis, until(k)), right = vh(ellipsis, until(k), all);
                BOOST_TEST(near(matmul(left * expand_dims(s, -2), right), x, tolerance_of(x.dtype())));
                const array products[] = {matmul(adjoint(u), u), matmul(vh, adjoint(vh))};
                for (const array& product : products) BOOST_TEST(near(product, unit(product), tolerance_of(x.dtype())));
                BOOST_TEST(near(alone, s, tolerance_of(x.dtype())));
            });
    }
    const array x = definite({3, 3}) - 2 * eye(3);
    const auto [u, s, vh] = linalg::svd(x, true, true);
    BOOST_TEST(near(matmul(u * s, vh), x));
    BOOST_TEST(near(s, linalg::svdvals(x)));
    BOOST_TEST(near(s, linalg::svdvals(x, true)));
}

BOOST_AUTO_TEST_CASE(eigenvalues) {
    over_all(
        [](array x) {
            const auto [values, vectors] = linalg::eig(x);
            return std::tuple(values, vectors, linalg::eigvals(x));
        },
        &any_matrix, squares,
        [](const array& x, const std::tuple<array, array, array>& found) {
            const auto& [values, vectors, alone] = found;
            BOOST_TEST(is_complex(values.dtype()));
            BOOST_TEST((real_of(values.dtype()) == real_of(x.dtype()) && vectors.dtype() == values.dtype()));
            BOOST_TEST(near(matmul(x.astype(values.dtype()), vectors), vectors * expand_dims(values, -2), 10 * tolerance_of(x.dtype())));
            BOOST_TEST(near(sum(alone, {.axis = -1}), sum(values, {.axis = -1}), tolerance_of(x.dtype())));
        });
    const array turn({{0.0, 1.0}, {-1.0, 0.0}});
    BOOST_TEST(near(absolute(imag(linalg::eigvals(turn))), array({1.0, 1.0})));
}

BOOST_AUTO_TEST_CASE(pseudo_inverses_and_least_squares) {
    for (const auto& [m, n] : {std::pair(5, 3), std::pair(3, 5), std::pair(3, 3)}) {
        const array a = some({2, m, n}), p = linalg::pinv(a);
        BOOST_TEST(near(matmul(matmul(a, p), a), a));
        BOOST_TEST(near(matmul(matmul(p, a), p), p, 1e-10));
        const array b = some({m, 2}, 3);
        const auto [x, residuals, rank, s] = linalg::lstsq(a[0], b);
        BOOST_TEST(near(x, matmul(p[0], b), 1e-10));
        BOOST_TEST(rank.item<int>() == 3);
        BOOST_TEST((residuals.shape() == Shape{m > n ? 2 : 0}));
        BOOST_TEST(near(s, linalg::svdvals(a[0])));
    }
    BOOST_TEST(linalg::matrix_rank(array({{1.0, 2.0}, {2.0, 4.0}})).item<int>() == 1);
    BOOST_TEST((linalg::pinv(zeros({2, 0, 3})).shape() == Shape{2, 3, 0}));
    const auto compiled = compile([](array a, array b) { return linalg::lstsq(a, b).x; });
    const array a = some({5, 3}), b = some({5}, 2);
    for (int i = 0; i < 2; ++i) BOOST_TEST(near(compiled(a, b), linalg::lstsq(a, b).x));
}

BOOST_AUTO_TEST_CASE(norms_and_conditions) {
    const array x({{3.0, -4.0}, {0.0, 2.0}});
    EXPECT(linalg::norm(x, {.ord = 1.0}), "float64 () 6.0");
    EXPECT(linalg::norm(x, {.ord = std::numeric_limits<double>::infinity()}), "float64 () 7.0");
    EXPECT(linalg::norm(x, {.ord = -1.0, .keepdims = true}), "float64 (1,1) [[3.]]");
    EXPECT(linalg::norm(x, {.axis = 1}), "float64 (2) [5. 2.]");
    EXPECT(linalg::vector_norm(x, {0, 1}, true, 1), "float64 (1,1) [[9.]]");
    BOOST_TEST(near(linalg::norm(x), array(std::sqrt(29.0))));
    BOOST_TEST(near(linalg::norm(x, {.ord = "nuc"}), sum(linalg::svdvals(x))));
    BOOST_TEST(near(linalg::matrix_norm(x, false, 2.0), linalg::svdvals(x)[0]));
    BOOST_TEST(near(linalg::cond(x), linalg::svdvals(x)[0] / linalg::svdvals(x)[1]));
    BOOST_TEST(near(linalg::cond(x, "fro"), linalg::norm(x) * linalg::norm(linalg::inv(x))));
}

BOOST_AUTO_TEST_CASE(products_and_tensors) {
    const array a = some({2, 3, 3}) + eye(3);
    BOOST_TEST(near(linalg::matrix_power(a, 5), matmul(matmul(matmul(matmul(a, a), a), a), a)));
    BOOST_TEST(near(linalg::matrix_power(a, 0), broadcast_to(eye(3), {2, 3, 3})));
    BOOST_TEST(near(matmul(linalg::matrix_power(a, -1), a), broadcast_to(eye(3), {2, 3, 3})));
    const array p = some({2, 5}), q = some({5, 3}), r = some({3});
    BOOST_TEST(near(linalg::multi_dot({p, q, r}), matmul(matmul(p, q), r)));
    const array t = some({2, 3, 6}), b = some({2, 3}, 5);
    BOOST_TEST(near(tensordot(t, linalg::tensorsolve(t, b), 1), b, 1e-9));
    BOOST_TEST(near(tensordot(linalg::tensorinv(t, 2), b, 2), linalg::tensorsolve(t, b), 1e-9));
}

BOOST_AUTO_TEST_CASE(large_stacks_are_shared_out) {
    const array x = definite({40, 100, 4, 4});
    for (const array& each : {x, swapaxes(x, 0, 1), x(every(-1), every(3))}) {
        BOOST_TEST(near(matmul(each, linalg::inv(each)), unit(each)));
        const auto [values, vectors] = linalg::eigh(each);
        BOOST_TEST(near(matmul(each, vectors), vectors * expand_dims(values, -2)));
        const auto [u, s, vh] = linalg::svd(each);
        BOOST_TEST(near(matmul(u * expand_dims(s, -2), vh), each));
    }
    array singular = x.copy();
    singular(range(30, 31), range(50, 51)) = 0.0;
    EXPECT_ERROR(LinAlgError, linalg::inv(singular), "Singular matrix");
}

BOOST_AUTO_TEST_CASE(errors) {
    const array singular({{1.0, 2.0}, {2.0, 4.0}}), indefinite({{1.0, 0.0}, {0.0, -1.0}});
    EXPECT_ERROR(LinAlgError, linalg::inv(singular), "Singular matrix");
    EXPECT_ERROR(LinAlgError, linalg::solve(singular, array({1.0, 1.0})), "Singular matrix");
    EXPECT_ERROR(LinAlgError, linalg::cholesky(indefinite), "Matrix is not positive definite");
    EXPECT_ERROR(LinAlgError, linalg::det(zeros({2, 3})), "Last 2 dimensions of the array must be square");
    EXPECT_ERROR(LinAlgError, linalg::svd(zeros({3})), "1-dimensional array given. Array must be at least two-dimensional");
    EXPECT_ERROR(LinAlgError, linalg::svd(full({2, 2}, std::nan(""))), "SVD did not converge");
    EXPECT_ERROR(LinAlgError, linalg::eigvals(full({2, 2}, std::nan(""))), "Array must not contain infs or NaNs");
    EXPECT_ERROR(LinAlgError, linalg::lstsq(eye(2), zeros({3})), "Incompatible dimensions");
    EXPECT_ERROR(TypeError, linalg::inv(eye(2).astype(float16)), "array type float16 is unsupported in linalg");
    EXPECT_ERROR(ValueError, linalg::norm(eye(2), {.ord = 3.0}), "Invalid norm order for matrices.");
    const auto compiled = compile([](array x) { return linalg::inv(x) * 2; });
    BOOST_TEST(near(compiled(eye(2)), 2 * eye(2)));
    EXPECT_ERROR(LinAlgError, compiled(singular), "Singular matrix");
    BOOST_TEST(near(compiled(eye(2)), 2 * eye(2)));
    BOOST_TEST(compiled.cache_info().compiles == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
