// Pseudo-inverses, least squares, ranks and condition numbers.
#include <limits>

#include "linalg/matrix.h"
#include "ops/infer.h"

namespace fastnp::linalg {

namespace {

double precision_of(Dtype dtype) {
    return real_of(dtype) == Dtype::float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

// The larger size of matrices times a dtype's precision: how far singular values of 0 may come from it.
array default_bound(const array& a, Dtype dtype) {
    return api::cast(api::extent(api::arithmetic().max(rows_of(a), columns_of(a))), dtype) * precision_of(dtype);
}

bool is_empty(const array& x) {
    const shape::Arithmetic sizes = api::arithmetic();
    return sizes.equal(rows_of(x), Dim(0)) || sizes.equal(columns_of(x), Dim(0));
}

// Golub and Pereyra, where the rank stays.
array change_of_inverse(const array& a, const array& p, const array& change) {
    const array turned = adjoint(change), left = matmul(p, adjoint(p)), right = matmul(adjoint(p), p);
    const array below = matmul(left, turned), beside = matmul(turned, right);
    return below - matmul(below, matmul(a, p)) + beside - matmul(p, matmul(a, beside)) - matmul(p, matmul(change, p));
}

// The reciprocals of singular values above a bound, and 0.
array kept_reciprocals(const array& s, const array& keep) { return where(keep, 1 / where(keep, s, 1), 0); }

array inverse_of(const array& x, const array& rcond, bool hermitian) {
    const Svd parts = svd(x, false, hermitian);
    const array keep = parts.s > as_column(rcond) * max(parts.s, {.axis = -1, .keepdims = true});
    const array result = matmul(adjoint(parts.vh), as_column(kept_reciprocals(parts.s, keep)) * adjoint(parts.u));
    const auto forward = [](Arrays operands, Arrays results, Arrays changes) {
        return std::vector<array>{change_of_inverse(operands[0], results[0], changes[0])};
    };
    return with_rule("linalg.pinv", {x}, {result}, forward)[0];
}

}  // namespace

array pinv(const array& a, const PinvOptions& options) {
    const Working given = matrices(a);
    if (is_empty(a)) return api::constant(0, a.dtype(), joined(stack_of(a), {columns_of(a), rows_of(a)}));
    if (options.hermitian) (void)square_matrices(a);
    const array inverse = given.given(inverse_of(given.x, options.rcond ? *options.rcond : array(1e-15), options.hermitian));
    return options.hermitian ? api::laid_out(inverse, {}) : laid_as_stack(inverse, a);  // as the parts lie that NumPy multiplies
}

namespace {

// As LAPACK's gelsd, which takes its own for what is no part of 1.
array bound_of(const array& a, std::optional<double> rcond) {
    if (!rcond) return default_bound(a, real_of(a.dtype()));
    return array(*rcond > 0 && *rcond < 1 ? *rcond : precision_of(a.dtype()) / 2);
}

std::vector<array> change_of_solution(Arrays operands, Arrays results, Arrays changes, std::optional<double> rcond) {
    const array &a = operands[0], &x = results[0];
    const array p = inverse_of(a, bound_of(a, rcond), false), turned = adjoint(changes[0]), rest = operands[1] - matmul(a, x);
    const array beside = matmul(turned, matmul(adjoint(p), x));
    const array change = matmul(p, changes[1] - matmul(changes[0], x)) + matmul(p, matmul(adjoint(p), matmul(turned, rest)));
    return {change + beside - matmul(p, matmul(a, beside))};
}

array least_squares(const array& a, const array& b, const Svd& parts, const array& keep, std::optional<double> rcond) {
    const array x = matmul(adjoint(parts.vh), as_column(kept_reciprocals(parts.s, keep)) * matmul(adjoint(parts.u), b));
    const auto forward = [rcond](Arrays operands, Arrays results, Arrays changes) { return change_of_solution(operands, results, changes, rcond); };
    return with_rule("linalg.lstsq", {a, b}, {x}, forward)[0];
}

// Sums of squares of what is left, if there are more equations than unknowns, and the rank is full.
array residuals_of(const array& a, const array& b, const array& x, const array& rank) {
    const shape::Arithmetic sizes = api::arithmetic();
    const array none = api::constant(0, real_of(a.dtype()), {Dim(0)});
    if (sizes.at_least(columns_of(a), rows_of(a))) return none;
    const array rest = b - matmul(a, x), is_full = rank == api::extent(columns_of(a));
    const array squares = sum(real(rest * conjugated(rest)), {.axis = 0});
    if (detail::is_mapped(rank)) return where(is_full, squares, std::numeric_limits<double>::quiet_NaN());
    return static_cast<bool>(is_full) ? squares : none;
}

void check_two_axes(const array& x) {
    if (x.ndim() != 2) throw LinAlgError(std::to_string(x.ndim()) + "-dimensional array given. Array must be two-dimensional");
}

}  // namespace

LeastSquares lstsq(const array& a, const array& b, std::optional<double> rcond) {
    const bool is_vector = b.ndim() == 1;
    const array right = is_vector ? as_column(b) : b;
    check_two_axes(a);
    check_two_axes(right);
    const shape::Arithmetic sizes = api::arithmetic();
    if (!sizes.equal(rows_of(a), rows_of(right))) throw LinAlgError("Incompatible dimensions");
    const Dtype result = result_dtype({a.dtype(), b.dtype()}), working = working_dtype(result);
    const AtHome home(a);
    const array matrix = api::cast(a, working), sides = api::cast(right, working);
    const Svd parts = svd(matrix, false);
    const array keep = parts.s > bound_of(matrix, rcond) * max(parts.s, {.axis = -1, .keepdims = true, .initial = Scalar(0.0)});
    const array rank = api::cast(sum(keep), Dtype::int32);
    const array x = least_squares(matrix, sides, parts, keep, rcond);
    const array residuals = residuals_of(matrix, sides, x, rank);
    return {api::cast(is_vector ? squeeze(x, -1) : x, result), api::cast(residuals, real_of(result)), rank, api::cast(parts.s, real_of(result))};
}

array matrix_rank(const array& a, const std::optional<array>& tol, bool hermitian, const std::optional<array>& rtol) {
    if (tol && rtol) throw ValueError("`tol` and `rtol` can't be both set.");
    if (a.ndim() < 2) return api::cast(any(a != 0), Dtype::int64);
    const array s = svdvals(a, hermitian);
    const auto relative = [&] {
        return max(s, {.axis = -1, .keepdims = true, .initial = Scalar(0.0)}) * (rtol ? as_column(*rtol) : default_bound(a, s.dtype()));
    };
    return sum(s > (tol ? as_column(*tol) : relative()), {.axis = -1});
}

array cond(const array& x, const std::optional<NormOrder>& p) {
    check_rank(x);
    const AtHome home(x);
    if (is_empty(x)) throw LinAlgError("cond is not defined on empty arrays");
    const double* number = p ? std::get_if<double>(&*p) : nullptr;
    array ratio(0.0);
    const bool is_of_values = !p || (number != nullptr && (*number == 2 || *number == -2));
    if (is_of_values) {
        const array s = svdvals(x), first = squeeze(part_of(s, Dim(0), Dim(1)), -1);
        const array last = squeeze(part_of(s, api::arithmetic().subtract(columns_of(s), Dim(1)), Dim(1)), -1);
        ratio = p && *number == -2 ? last / first : first / last;
    } else {
        const Working given = square_matrices(x);
        const NormOptions options{p, {-2, -1}, false};
        ratio = api::cast(norm(x, options) * norm(inverse(given.x, false), options), real_of(given.result));
    }
    const array made = where(isnan(ratio) & logical_not(any(isnan(x), {.axis = {-2, -1}})), std::numeric_limits<double>::infinity(), ratio);
    return is_of_values ? laid_as_stack(made, x) : api::laid_out(made, api::order_of(ratio));
}

}  // namespace fastnp::linalg
