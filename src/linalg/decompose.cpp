// QR, eigenvalues and singular values.
#include <limits>

#include "linalg/matrix.h"
#include "transform/values.h"

namespace fastnp::linalg {

namespace {

std::size_t last_of(const array& x) { return static_cast<std::size_t>(x.ndim()) - 1; }

// A = Q R with as many rows as columns or more: R from the right is undone first; what is left of the change of Q, seen from Q, is skew-hermitian.
std::vector<array> change_of_tall_qr(const array& q, const array& r, const array& change) {
    const System from_right{.triangular = true, .how = Transposed::yes};
    const array turned = transposed(solved(from_right, r, transposed(change)));
    const array seen = matmul(adjoint(q), turned);
    const array below = where(below_diagonal(rows_of(seen), columns_of(seen)), seen, 0);
    array skew = below - adjoint(below);
    if (is_complex(seen.dtype())) skew = skew + where(on_diagonal(rows_of(seen), columns_of(seen)), seen - real(seen), 0);
    return {matmul(q, skew - seen) + turned, matmul(seen - skew, r)};
}

// With more columns, Q is that of the first ones, and the rest of R is made of it and the other columns.
std::vector<array> change_of_qr(Arrays operands, Arrays results, Arrays changes) {
    const array& a = operands[0];
    const array &q = results[0], &r = results[1];
    const shape::Arithmetic sizes = api::arithmetic();
    const Dim m = rows_of(a), n = columns_of(a);
    if (!sizes.equal(rows_of(r), columns_of(q)) || (!sizes.at_least(n, m) && sizes.equal(columns_of(q), m))) {
        throw TypeError("linalg.qr has a derivative for mode='reduced' and 'r', not for the other columns of a complete Q");
    }
    if (!sizes.at_least(n, sizes.add(m, Dim(1)))) return change_of_tall_qr(q, r, changes[0]);
    const Dim rest = sizes.subtract(n, m);
    const std::vector<array> first = change_of_tall_qr(q, part_of(r, Dim(0), m), part_of(changes[0], Dim(0), m));
    const array others = matmul(adjoint(first[0]), part_of(a, m, rest)) + matmul(adjoint(q), part_of(changes[0], m, rest));
    return {first[0], concatenate({first[1], others}, -1)};
}

}  // namespace

Qr qr(const array& a, bool complete) {
    const Working given = matrices(a);
    const Dim m = rows_of(given.x), n = columns_of(given.x), k = complete ? m : api::arithmetic().min(m, n);
    const array packed = computed(Op::qr, {given.x});
    const array q = computed(Op::householder_product, {packed}, {}, {k});
    const array r = upper_part(laid_as(rows_from(packed, Dim(0), k), a));
    const std::vector<array> both = with_rule("linalg.qr", {given.x}, {q, r}, &change_of_qr);
    return {given.given(both[0]), given.given(laid_as(both[1], r))};
}

Qr qr_raw(const array& a) {
    const Working given = matrices(a);
    const Dim m = rows_of(given.x), k = api::arithmetic().min(m, columns_of(given.x));
    const array packed = computed(Op::qr, {given.x});
    const array factors = squeeze(rows_from(packed, m, Dim(1)), -2);
    return {transposed(laid_as(given.given(rows_from(packed, Dim(0), m)), a)), given.given(part_of(factors, Dim(0), k))};
}

namespace {

// What values may differ by and still be equal: the rounding errors of LAPACK, for values as large as the largest of `s`.
array rounding_of(const array& s) {
    constexpr double bound = 16 * std::numeric_limits<double>::epsilon();
    return bound * max(absolute(s), {.axis = -1, .keepdims = true, .initial = Scalar(0.0)});
}

// x / gap. Where there is no gap (`none`) it is 0 for x = 0, and else NaN: by how much vectors of equal values turn among each other, nobody knows.
// It is linear in x, and its own transpose.
array over_gap(const array& x, const array& gap, const array& none) {
    const auto forward = [](Arrays given, Arrays results, Arrays changes) {
        return std::vector<array>{over_gap(changes[0] - results[0] * changes[1], given[1], given[2])};
    };
    const auto reverse = [](Arrays given, Arrays results, Arrays cotangents) {
        const array g = over_gap(cotangents[0], given[1], given[2]);
        return std::vector<std::optional<array>>{g, -(g * results[0]), std::nullopt};
    };
    const array undefined = where(x == 0, 0, std::numeric_limits<double>::quiet_NaN());
    return with_rule("linalg.eigh", {x, gap, none}, {where(none, api::cast(undefined, x.dtype()), x / where(none, 1, gap))}, forward, reverse)[0];
}

// x[i, j] / (s[j] - s[i]) off the diagonal, and 0 on it.
array over_gaps(const array& x, const array& s) {
    const array gap = as_row(s) - as_column(s), diagonal = on_diagonal(rows_of(gap), columns_of(gap));
    return over_gap(where(diagonal, 0, x), where(diagonal, 1, gap), where(diagonal, false, absolute(gap) <= as_column(rounding_of(s))));
}

std::vector<array> change_of_eigh(Arrays, Arrays results, Arrays changes) {
    const array &values = results[0], &vectors = results[1];
    const array seen = matmul(adjoint(vectors), matmul(hermitian_part(changes[0]), vectors));
    return {real(diagonal_of(seen)), matmul(vectors, over_gaps(seen, values))};
}

Eigen hermitian(const array& x, Triangle triangle) {
    const array packed = computed(Op::eigh, {x}, {triangle == Triangle::lower});
    const array values = real(squeeze(rows_from(packed, Dim(0), Dim(1)), -2)), vectors = rows_from(packed, Dim(1), rows_of(x));
    const std::vector<array> both = with_rule("linalg.eigh", {x}, {values, vectors}, &change_of_eigh);
    return {both[0], both[1]};
}

array hermitian_values(const array& x, Triangle triangle) {
    const auto forward = [triangle](Arrays operands, Arrays, Arrays changes) {
        const array vectors = hermitian(operands[0], triangle).eigenvectors;
        return std::vector<array>{real(sum(conjugated(vectors) * matmul(hermitian_part(changes[0]), vectors), {.axis = -2}))};
    };
    return with_rule("linalg.eigvalsh", {x}, {computed(Op::eigvalsh, {x}, {triangle == Triangle::lower})}, forward)[0];
}

}  // namespace

Eigen eigh(const array& a, Triangle triangle) {
    const Working given = square_matrices(a);
    const Eigen found = hermitian(given.x, triangle);
    return {laid_as_stack(given.given(found.eigenvalues), a), laid_as_stack(given.given(found.eigenvectors), a)};
}

array eigvalsh(const array& a, Triangle triangle) {
    const Working given = square_matrices(a);
    return given.given(hermitian_values(given.x, triangle));
}

namespace {

array complex_of(const array& x) { return api::cast(x, Dtype::complex128); }

// Vectors have the absolute value 1, and a largest element that is real: what a change of them has of the vectors themselves is whatever keeps it so.
array normalised_change(const array& vectors, const array& change) {
    const array along = sum(conjugate(vectors) * change, {.axis = -2, .keepdims = true});
    const array size = real(vectors * conjugate(vectors));
    const array numbers = api::iota({rows_of(vectors), Dim(1)}, 0);
    const array is_largest = numbers == as_row(argmax(size, {.axis = -2}));
    const array largest = sum(where(is_largest, vectors, 0), {.axis = -2, .keepdims = true});
    const array turned = sum(where(is_largest, change, 0), {.axis = -2, .keepdims = true}) / largest;
    const array factor = real(along) + imag(turned) * Scalar(std::complex<double>(0, 1));
    return change - vectors * factor;
}

std::vector<array> change_of_eig(Arrays, Arrays results, Arrays changes) {
    const array &values = results[0], &vectors = results[1];
    const array seen = solved({}, vectors, matmul(complex_of(changes[0]), vectors));
    return {diagonal_of(seen), normalised_change(vectors, matmul(vectors, over_gaps(seen, values)))};
}

Eigen general(const array& x) {
    const array packed = computed(Op::eig, {x});
    const array values = squeeze(rows_from(packed, Dim(0), Dim(1)), -2), vectors = rows_from(packed, Dim(1), rows_of(x));
    const std::vector<array> both = with_rule("linalg.eig", {x}, {values, vectors}, &change_of_eig);
    return {both[0], both[1]};
}

Dtype complex_result(Dtype result) { return real_of(result) == Dtype::float32 ? Dtype::complex64 : Dtype::complex128; }

}  // namespace

Eigen eig(const array& a) {
    const Working given = square_matrices(a);
    const Eigen found = general(given.x);
    const Dtype dtype = complex_result(given.result);
    return {laid_as_stack(api::cast(found.eigenvalues, dtype), a), laid_as_stack(api::cast(found.eigenvectors, dtype), a)};
}

array eigvals(const array& a) {
    const Working given = square_matrices(a);
    const auto forward = [](Arrays operands, Arrays, Arrays changes) {
        const array vectors = general(operands[0]).eigenvectors;
        return std::vector<array>{diagonal_of(solved({}, vectors, matmul(complex_of(changes[0]), vectors)))};
    };
    const array values = with_rule("linalg.eigvals", {given.x}, {computed(Op::eigvals, {given.x})}, forward)[0];
    return api::cast(values, complex_result(given.result));
}

namespace {

// What a change adds outside of the space that the columns of U span.
array outside(const array& u, const array& change, const array& s) {
    const array beyond = change - matmul(u, matmul(adjoint(u), change)), row = api::broadcast(as_row(s), api::dims_of(beyond));
    return over_gap(beyond, row, row <= as_column(rounding_of(s)));
}

// Of U, s and V.H with k columns and rows.
std::vector<array> change_of_svd(Arrays operands, Arrays results, Arrays changes) {
    const array &u = results[0], &s = results[1], &vh = results[2], &change = changes[0];
    const shape::Arithmetic sizes = api::arithmetic();
    const Dim m = rows_of(operands[0]), n = columns_of(operands[0]);
    if (!sizes.equal(columns_of(u), rows_of(vh))) {
        throw TypeError("linalg.svd has a derivative with full_matrices=False, and with full matrices for square ones alone");
    }
    const array v = adjoint(vh), seen = matmul(matmul(adjoint(u), change), v);
    const array row = as_row(s), column = as_column(s), bound = as_column(rounding_of(s)), diagonal = on_diagonal(columns_of(u), columns_of(u));
    const array gap = where(diagonal, 1, (row + column) * (row - column)), none = where(diagonal, false, absolute(row - column) <= bound);
    const auto over_gaps = [&](const array& x) { return over_gap(where(diagonal, 0, x + adjoint(x)), gap, none); };
    const array rows = where(diagonal, row, 1), phases = over_gap(where(diagonal, (seen - adjoint(seen)) * 0.5, 0), rows, rows <= bound);
    array du = matmul(u, over_gaps(seen * row) + phases), dv = matmul(v, over_gaps(column * seen));
    if (!sizes.at_least(n, m)) du = du + outside(u, matmul(change, v), s);
    if (!sizes.at_least(m, n)) dv = dv + outside(v, matmul(adjoint(change), u), s);
    return {du, real(diagonal_of(seen)), adjoint(dv)};
}

// From the eigenvalues of hermitian matrices, in the order of their absolute values.
Svd svd_of_hermitian(const array& x) {
    const Eigen found = hermitian(x, Triangle::lower);
    const array size = absolute(found.eigenvalues);
    const array order = flip(argsort(size), -1);
    // Zeros have a sign, too, else the rows of vh that belong to them would vanish.
    const array signs = transform::take_along(copysign(ones_like(found.eigenvalues), found.eigenvalues), order, last_of(order));
    const array wide = api::broadcast(as_row(order), api::dims_of(x));
    const array u = transform::take_along(found.eigenvectors, wide, last_of(wide));
    return {u, transform::take_along(size, order, last_of(order)), adjoint(u * as_row(signs)).copy()};
}

// NumPy puts the values in order, which lays its results in C order; its vh is u transposed.
Svd in_order_of_values(const Svd& found, const Working& given) {
    shape::AxisOrder turned;
    for (int axis = 0; axis < found.vh.ndim(); ++axis) turned.push_back(axis);
    std::swap(turned[turned.size() - 2], turned[turned.size() - 1]);
    return {api::laid_out(given.given(found.u), {}), api::laid_out(given.given(found.s), {}), api::laid_out(given.given(found.vh), turned)};
}

Svd svd_of(const array& x, bool full) {
    const shape::Arithmetic sizes = api::arithmetic();
    const Dim m = rows_of(x), n = columns_of(x), k = sizes.min(m, n), left = full ? m : k, right = full ? n : k;
    const array packed = computed(Op::svd, {x}, {}, {k, left, right});
    const Dim from_s = sizes.multiply(m, left), from_v = sizes.add(from_s, k);
    const Dims stack = stack_of(x);
    const array u = api::reshape(part_of(packed, Dim(0), from_s), joined(stack, {m, left}));
    const array vh = api::reshape(part_of(packed, from_v, sizes.multiply(right, n)), joined(stack, {right, n}));
    const std::vector<array> all = with_rule("linalg.svd", {x}, {u, real(part_of(packed, from_s, k)), vh}, &change_of_svd);
    return {all[0], all[1], all[2]};
}

}  // namespace

Svd svd(const array& a, bool full_matrices, bool hermitian) {
    const Working given = hermitian ? square_matrices(a) : matrices(a);
    if (hermitian) return in_order_of_values(svd_of_hermitian(given.x), given);
    const Svd found = svd_of(given.x, full_matrices);
    return {laid_as_stack(given.given(found.u), a), laid_as_stack(given.given(found.s), a), laid_as_stack(given.given(found.vh), a)};
}

array svdvals(const array& a, bool hermitian) {
    if (hermitian) {
        const Working given = square_matrices(a);
        return given.given(flip(sort(absolute(hermitian_values(given.x, Triangle::lower))), -1));
    }
    const Working given = matrices(a);
    const auto forward = [](Arrays operands, Arrays, Arrays changes) {
        const Svd found = svd_of(operands[0], false);
        return std::vector<array>{real(sum(conjugated(found.u) * matmul(changes[0], adjoint(found.vh)), {.axis = -2}))};
    };
    const Dim k = api::arithmetic().min(rows_of(given.x), columns_of(given.x));
    return given.given(with_rule("linalg.svdvals", {given.x}, {computed(Op::svdvals, {given.x}, {}, {k})}, forward)[0]);
}

}  // namespace fastnp::linalg
