// Systems of equations, and what follows from their factors: inverses, determinants, Cholesky's.
#include <cmath>
#include <limits>

#include "linalg/matrix.h"
#include "ops/infer.h"

namespace fastnp::linalg {

namespace {

array lu_of(const array& a) { return computed(Op::lu, {a}); }
std::int64_t number_of(Transposed how) { return static_cast<std::int64_t>(how); }

array repeated(const array& x, const Dims& stack) { return api::broadcast(x, joined(stack, {rows_of(x), columns_of(x)})); }

// x summed over the axes that its stack was repeated along.
array unrepeated(const array& x, const Dims& shape) {
    const Dims from = api::dims_of(x);
    const std::size_t lead = from.size() - shape.size();
    SmallVector<std::int64_t> axes;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (i < lead || !api::arithmetic().equal(shape[i - lead], from[i])) axes.push_back(static_cast<std::int64_t>(i));
    }
    return axes.empty() ? x : api::reshape(api::fold(Op::sum, x, {axes.data(), axes.size()}), shape);
}

// Of a change of the matrix, what the system sees of it.
array seen(const System& system, const array& a) {
    if (!system.triangular) return a;
    const array part = system.lower ? lower_part(a) : upper_part(a);
    return system.unit ? where(on_diagonal(rows_of(a), columns_of(a)), 0, part) : part;
}

// The matrix as the system has it.
array applied(const System& system, const array& a) {
    if (system.how == Transposed::no) return a;
    return system.how == Transposed::yes ? transposed(a) : adjoint(a);
}

// The cotangent of b: the solution of the transposed system.
array pulled(System system, const array& a, const array& g) {
    if (system.how == Transposed::adjoint) {  // whose transpose is the conjugate
        system.how = Transposed::no;
        return conjugated(solved(system, a, conjugated(g)));
    }
    system.how = system.how == Transposed::no ? Transposed::yes : Transposed::no;
    return solved(system, a, g);
}

}  // namespace

array solved(const System& given, const array& a, const array& b) {
    System system = given;
    if (!is_complex(a.dtype()) && system.how == Transposed::adjoint) system.how = Transposed::yes;
    const Dims stack = common_stack(a, b);
    const array factors = repeated(system.triangular ? a : lu_of(a), stack), right = repeated(b, stack);
    const array x = system.triangular ? computed(Op::triangular_solve, {factors, right}, {system.lower, number_of(system.how), system.unit})
                                      : computed(Op::lu_solve, {factors, right}, {number_of(system.how), system.raises});
    system.raises = false;  // it has not, where derivatives are read
    const auto forward = [system](Arrays operands, Arrays results, Arrays changes) {
        if (is_zero(changes[0])) return std::vector<array>{solved(system, operands[0], changes[1])};
        const array moved = matmul(applied(system, seen(system, changes[0])), results[0]);
        return std::vector<array>{solved(system, operands[0], is_zero(changes[1]) ? -moved : changes[1] - moved)};
    };
    const auto reverse = [system](Arrays operands, Arrays results, Arrays cotangents) {
        const array right_g = pulled(system, operands[0], cotangents[0]);
        array g = system.how == Transposed::no ? matmul(right_g, transposed(results[0])) : matmul(results[0], transposed(right_g));
        if (system.how == Transposed::adjoint) g = conjugated(g);
        return std::vector<std::optional<array>>{unrepeated(-seen(system, g), api::dims_of(operands[0])), unrepeated(right_g, api::dims_of(operands[1]))};
    };
    return with_rule(system.triangular ? "linalg.solve_triangular" : "linalg.solve", {a, b}, {x}, forward, reverse)[0];
}

array inverse(const array& a, bool raises) {
    const array unit = api::broadcast(identity(rows_of(a), a.dtype()), api::dims_of(a));
    const array x = computed(Op::lu_solve, {lu_of(a), unit}, {0, raises});
    return with_rule("linalg.inv", {a}, {x},
                     [](Arrays, Arrays results, Arrays changes) { return std::vector<array>{-matmul(matmul(results[0], changes[0]), results[0])}; })[0];
}

namespace {

// Both operands of a system in one dtype, a vector as a matrix of one column.
template <class Solve>
array of_system(const array& a, const array& b, const Solve& solve) {
    check_rank(a);
    if (!api::arithmetic().equal(rows_of(a), columns_of(a))) throw LinAlgError("Last 2 dimensions of the array must be square");
    const Dtype result = result_dtype({a.dtype(), b.dtype()});
    const AtHome home(a);
    const bool is_vector = b.ndim() == 1;
    if (b.ndim() == 0) {
        throw ValueError("solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with signature (m,m),(m,n)->(m,n) requires 2)");
    }
    const array right = api::cast(is_vector ? as_column(b) : b, working_dtype(result));
    const shape::Arithmetic sizes = api::arithmetic();
    if (!sizes.equal(rows_of(right), rows_of(a))) {
        throw ValueError(std::string(is_vector ? "solve1" : "solve") + ": Input operand 1 has a mismatch in its core dimension 0, with gufunc signature " +
                         (is_vector ? "(m,m),(m)->(m)" : "(m,m),(m,n)->(m,n)") + " (size " + sizes.told(rows_of(right)) + " is different from " +
                         sizes.told(rows_of(a)) + ")");
    }
    const array x = api::cast(solve(api::cast(a, working_dtype(result)), right), result);
    return is_vector ? squeeze(x, -1) : x;
}

}  // namespace

array solve(const array& a, const array& b) {
    return of_system(a, b, [](const array& matrix, const array& right) { return solved({.raises = true}, matrix, right); });
}

array solve_triangular(const array& a, const array& b, const TriangularOptions& options) {
    const System system{.triangular = true, .lower = options.lower, .unit = options.unit_diagonal, .how = options.transposed};
    return of_system(a, b, [&](const array& matrix, const array& right) { return solved(system, matrix, right); });
}

array inv(const array& a) {
    const Working given = square_matrices(a);
    return given.given(inverse(given.x, true));
}

namespace {

// What determinants are read from: the diagonal of U, and the sign of the rows' permutation (-1 where an odd number of steps swapped two).
struct Factored {
    array factors, diagonal, sign;
};

Factored factored(const array& a) {
    const Dim n = rows_of(a);
    const array factors = lu_of(a), steps = squeeze(rows_from(factors, n, Dim(1)), -2);
    const array swaps = sum(api::cast(real(steps) != api::cast(api::iota({n}, 0), Dtype::float64), Dtype::int64), {.axis = -1});
    return {factors, diagonal_of(rows_from(factors, Dim(0), n)), api::cast(1 - 2 * (swaps % 2), a.dtype())};
}

Slogdet sign_and_logarithm(const array& a) {
    const Factored lu = factored(a);
    const array size = absolute(lu.diagonal), zero = size == 0;
    const array signs = is_complex(a.dtype()) ? lu.diagonal / where(zero, 1, size) : api::cast(where(lu.diagonal < 0, -1, 1), a.dtype());
    const array singular = any(zero, {.axis = -1});
    const array logarithm = where(singular, -std::numeric_limits<double>::infinity(), sum(log(where(zero, 1, size)), {.axis = -1}));
    return {where(singular, 0, lu.sign * prod(signs, {.axis = -1})), logarithm};
}

array trace_of_product(const array& x, const array& y) { return sum(transposed(x) * y, {.axis = {-2, -1}}); }

// Of up to three rows, whose elements are polynomials: its columns are the products of the other two rows.
array adjugate_of_few(const array& a, std::int64_t n) {
    const auto entry = [&](std::int64_t i, std::int64_t j) { return a(ellipsis, i % n, j % n); };
    std::vector<array> rows;
    for (std::int64_t i = 0; i < n; ++i) {
        std::vector<array> row;
        for (std::int64_t j = 0; j < n; ++j) {
            if (n == 1) row.push_back(ones_like(entry(0, 0)));
            else if (n == 2) row.push_back(i == j ? entry(i + 1, j + 1) : -entry(i, j));
            else row.push_back(entry(j + 1, i + 1) * entry(j + 2, i + 2) - entry(j + 1, i + 2) * entry(j + 2, i + 1));
        }
        rows.push_back(stack(row, -1));
    }
    return stack(rows, -2);
}

// det(A) times the inverse, also of singular matrices whose U has its 0 in the last place: the adjugate of U is U' with 1 there, inverted, times the
// other elements of the diagonal, in which the last one is put back.
array adjugate(const array& a) {
    for (std::int64_t few = 1; few <= 3; ++few) {
        if (api::arithmetic().equal(rows_of(a), Dim(few))) return adjugate_of_few(a, few);
    }
    const Factored lu = factored(a);
    const Dim n = rows_of(a);
    const array is_last = api::iota({n}, 0) == api::extent(n) - 1;
    const array last = sum(where(is_last, lu.diagonal, 0), {.axis = -1, .keepdims = true});
    const array others = where(is_last, 1, lu.diagonal), size = absolute(others);
    const array product = lu.sign * prod(where(size == 0, 0, others / where(size == 0, 1, size)), {.axis = -1}) * exp(sum(log(size), {.axis = -1}));
    const array unit = api::broadcast(identity(n, a.dtype()), api::dims_of(a));
    const array lower = computed(Op::lu_solve, {lu.factors, unit}, {3, 0});
    const array upper = where(as_column(is_last) & as_row(is_last), 1, rows_from(lu.factors, Dim(0), n));
    const array scaled = lower * as_column(where(is_last, 1, last));
    const array result = computed(Op::triangular_solve, {upper, scaled}, {0, 0, 0}) * as_column(as_column(product));
    const auto forward = [](Arrays operands, Arrays results, Arrays changes) {
        const array turned = matmul(inverse(operands[0], false), changes[0]);
        const array trace = sum(diagonal_of(turned), {.axis = -1});
        return std::vector<array>{results[0] * as_column(as_column(trace)) - matmul(turned, results[0])};
    };
    return with_rule("linalg.det", {a}, {result}, forward)[0];
}

}  // namespace

array det(const array& a) {
    const Working given = square_matrices(a);
    const auto [sign, logarithm] = sign_and_logarithm(given.x);
    const auto forward = [](Arrays operands, Arrays, Arrays changes) { return std::vector<array>{trace_of_product(adjugate(operands[0]), changes[0])}; };
    return laid_as_stack(given.given(with_rule("linalg.det", {given.x}, {sign * exp(logarithm)}, forward)[0]), a);
}

Slogdet slogdet(const array& a) {
    const Working given = square_matrices(a);
    const auto [sign, logarithm] = sign_and_logarithm(given.x);
    const auto forward = [](Arrays operands, Arrays results, Arrays changes) {
        const array change = trace_of_product(inverse(operands[0], false), changes[0]);
        if (!is_complex(change.dtype())) return std::vector<array>{zeros_like(results[0]), change};
        return std::vector<array>{(change - real(change)) * results[0], real(change)};
    };
    const std::vector<array> both = with_rule("linalg.slogdet", {given.x}, {sign, logarithm}, forward);
    return {laid_as_stack(given.given(both[0]), a), laid_as_stack(given.given(both[1]), a)};
}

namespace {

// From A = L L.H: the change of L is L times the lower part, half of the diagonal in it, of the inverse of L, the change of A, and that of L.H.
std::vector<array> change_of_cholesky(Arrays, Arrays results, Arrays changes) {
    const array& lower = results[0];
    const System system{.triangular = true, .lower = true};
    const array left = solved(system, lower, hermitian_part(changes[0]));
    const array both = adjoint(solved(system, lower, adjoint(left)));
    const Dim n = rows_of(lower);
    return {matmul(lower, where(on_diagonal(n, n), both * 0.5, lower_part(both)))};
}

}  // namespace

array cholesky(const array& a, bool upper) {
    const Working given = square_matrices(a);
    const array x = upper ? adjoint(given.x) : given.x;
    const array lower = with_rule("linalg.cholesky", {x}, {computed(Op::cholesky, {x})}, &change_of_cholesky)[0];
    return given.given(upper ? adjoint(lower).copy() : lower);
}

}  // namespace fastnp::linalg
