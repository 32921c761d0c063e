// Matrix products and what reduces to them.
#include <algorithm>

#include "api/primitives.h"
#include "eager/eager.h"
#include "fastnp/detail/elements.h"
#include "fastnp/detail/memory.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "ops/infer.h"

namespace fastnp {

using api::Dims;

namespace {

using AxisList = SmallVector<std::int64_t>;

std::span<const std::int64_t> span_of(const AxisList& axes) { return {axes.data(), axes.size()}; }

Dtype common_dtype(const array& x, const array& y) { return x.dtype() == y.dtype() ? x.dtype() : promote_types(x.dtype(), y.dtype()); }

// Both of rank 2 or more and of one dtype.
array contract(const array& x, const array& y) {
    const ops::Type types[] = {{x.dtype(), api::dims_of(x)}, {y.dtype(), api::dims_of(y)}};
    const Dims shape = ops::infer(ir::Op::matmul, {}, types, api::active_sizes()).shape;
    const auto batched = [&shape](const array& operand) {
        const Dims own = api::dims_of(operand);
        Dims wanted(shape.begin(), shape.end() - 2);
        wanted.push_back(own[own.size() - 2]);
        wanted.push_back(own[own.size() - 1]);
        return api::broadcast(operand, wanted);
    };
    const array operands[] = {batched(x), batched(y)};
    return api::apply(ir::Op::matmul, {}, operands);
}

array expand_at(const array& x, std::int64_t place) { return api::expand(x, {&place, 1}); }
array squeeze_at(const array& x, std::int64_t place) { return api::squeeze(x, {&place, 1}); }

void check_core_rank(const array& x, int number) {
    if (x.ndim() > 0) return;
    throw ValueError("matmul: Input operand " + std::to_string(number) +
                     " does not have enough dimensions (has 0, gufunc core with signature (n?,k),(k,m?)->(n?,m?) requires 1)");
}

// Whether out= can hold products whose last `core` axes are those of each. What is before them broadcasts.
void check_output(const array& result, const array& out, int core) {
    constexpr const char* signature = "gufunc signature (n?,k),(k,m?)->(n?,m?)";
    if (!can_cast(result.dtype(), out.dtype(), Casting::same_kind)) {
        throw TypeError("Cannot cast ufunc 'matmul' output from dtype('" + std::string(name_of(result.dtype())) + "') to dtype('" +
                        std::string(name_of(out.dtype())) + "') with casting rule 'same_kind'");
    }
    if (out.ndim() < core) {
        throw ValueError("matmul: Output operand 0 does not have enough dimensions (has " + std::to_string(out.ndim()) +
                         ", gufunc core with signature (n?,k),(k,m?)->(n?,m?) requires " + std::to_string(core) + ")");
    }
    const Dims given = api::dims_of(out), wanted = api::dims_of(result);
    for (int i = 0; i < core; ++i) {
        const api::Dim there = given[given.size() - static_cast<std::size_t>(core - i)], here = wanted[wanted.size() - static_cast<std::size_t>(core - i)];
        if (api::arithmetic().equal(there, here)) continue;
        throw ValueError("matmul: Output operand 0 has a mismatch in its core dimension " + std::to_string(i) + ", with " + signature + " (size " +
                         api::arithmetic().told(there) + " is different from " + api::arithmetic().told(here) + ")");
    }
}

// The axes given, moved to the end or to the front, as a matrix.
array as_matrix(const array& x, const AxisList& summed, bool summed_last, Dims& kept) {
    AxisList order;
    const Dims shape = api::dims_of(x);
    api::Dim rows(1), columns(1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (std::find(summed.begin(), summed.end(), static_cast<std::int64_t>(i)) != summed.end()) continue;
        order.push_back(static_cast<std::int64_t>(i));
        kept.push_back(shape[i]);
        rows = api::arithmetic().multiply(rows, shape[i]);
    }
    for (const std::int64_t axis : summed) columns = api::arithmetic().multiply(columns, shape[static_cast<std::size_t>(axis)]);
    if (summed_last) {
        for (const std::int64_t axis : summed) order.push_back(axis);
        return api::reshape(api::permute(x, span_of(order)), {rows, columns});
    }
    AxisList front = summed;
    for (const std::int64_t axis : order) front.push_back(axis);
    return api::reshape(api::permute(x, span_of(front)), {columns, rows});
}

array sum_over(const array& x, const AxisList& x_axes, const array& y, const AxisList& y_axes) {
    const Dtype dtype = common_dtype(x, y);
    Dims shape;
    const array left = as_matrix(api::cast(x, dtype), x_axes, true, shape);
    const array right = as_matrix(api::cast(y, dtype), y_axes, false, shape);
    return api::reshape(contract(left, right), shape);
}

}  // namespace

namespace {

// Of two vectors of one dtype on the host: what the steps below come to. Nothing for others.
std::optional<array> product_of_vectors(const array& x, const array& y) {
    if (x.is_recorded() || y.is_recorded() || trace::Recorder::active() != nullptr || detail::may_use_devices()) return std::nullopt;
    const device::Memory& left = x.body()->memory;
    const device::Memory& right = y.body()->memory;
    if (left.shape.size() != 1 || right.shape.size() != 1 || left.dtype != right.dtype || left.shape[0] != right.shape[0]) return std::nullopt;
    const std::int64_t length = left.shape[0];
    const eager::View operands[] = {{left.data, left.dtype, {1, length}, {0, left.strides[0]}},
                                    {right.data, right.dtype, {length, 1}, {right.strides[0], 0}}};
    device::Memory out = device::allocate(left.dtype, {});
    const auto step = static_cast<std::int64_t>(itemsize_of(out.dtype));
    eager::run(ir::Op::matmul, {}, operands, {out.data, out.dtype, {1, 1}, {step, step}});
    return api::wrap(std::move(out));
}

}  // namespace

array matmul(const array& x, const array& y) {
    if (auto product = product_of_vectors(x, y)) return std::move(*product);
    check_core_rank(x, 0);
    check_core_rank(y, 1);
    const Dtype dtype = common_dtype(x, y);
    const bool vector_left = x.ndim() == 1, vector_right = y.ndim() == 1;
    const array left = vector_left ? expand_at(api::cast(x, dtype), 0) : api::cast(x, dtype);
    const array right = vector_right ? expand_at(api::cast(y, dtype), 1) : api::cast(y, dtype);
    array result = contract(left, right);
    if (vector_right) result = squeeze_at(result, result.ndim() - 1);
    if (vector_left) result = squeeze_at(result, result.ndim() - (vector_right ? 1 : 2));
    if (std::max(x.ndim(), y.ndim()) <= 3) return result;
    const array operands[] = {x, y};
    const int cores[] = {vector_left ? 1 : 2, vector_right ? 1 : 2};
    return api::laid_out(result, api::stack_order(operands, cores, cores[0] + cores[1] - 2));
}

array detail::matmul_into(const array& x, const array& y, const array& out) {
    const array result = matmul(x, y);
    check_output(result, out, std::min(x.ndim(), 2) + std::min(y.ndim(), 2) - 2);
    UfuncOptions options;
    options.out = out;
    return result.dtype() == Dtype::bool_ ? logical_or(result, result, options) : positive(result, options);
}

namespace {

bool has_one(const array& x) {
    return std::ranges::all_of(api::dims_of(x), [](api::Dim size) { return size == api::Dim(1); });
}

// Of one element each NumPy's dot and tensordot give the product, and no sum that starts from 0.0 (which -0.0 is none). Nothing for other operands.
std::optional<array> product_of_one(const array& x, const array& y, int rank) {
    const Dtype dtype = common_dtype(x, y);
    if (!is_inexact(dtype) || itemsize_of(real_of(dtype)) < 4 || !has_one(x) || !has_one(y)) return std::nullopt;
    return reshape(multiply(reshape(x, Shape{}), reshape(y, Shape{})), Shape(static_cast<std::size_t>(rank), 1));
}

}  // namespace

array dot(const array& x, const array& y) {
    if (x.ndim() == 0 || y.ndim() == 0) {
        const Dtype dtype = common_dtype(x, y);
        const array scaled = multiply(x.dtype() == dtype ? x : x.astype(dtype), y.dtype() == dtype ? y : y.astype(dtype));
        const bool is_for_blas = scaled.ndim() <= 2 && is_inexact(scaled.dtype()) && itemsize_of(real_of(scaled.dtype())) >= 4;
        return is_for_blas ? api::laid_out(scaled, {}) : scaled;  // as NumPy computes it
    }
    const Dims left = api::dims_of(x), right = api::dims_of(y);
    const int x_axis = x.ndim() - 1;
    const int y_axis = std::max(y.ndim() - 2, 0);
    const api::Dim a = left[static_cast<std::size_t>(x_axis)], b = right[static_cast<std::size_t>(y_axis)];
    if (!api::arithmetic().equal(a, b)) {
        const auto text = [](api::Dim dim, int axis) { return api::arithmetic().told(dim) + " (dim " + std::to_string(axis) + ")"; };
        throw ValueError("shapes " + ops::compact_text(left, api::active_sizes()) + " and " + ops::compact_text(right, api::active_sizes()) +
                         " not aligned: " + text(a, x_axis) + " != " + text(b, y_axis));
    }
    if (x.ndim() <= 2 && y.ndim() <= 2) {
        const auto product = product_of_one(x, y, x.ndim() + y.ndim() - 2);
        return product ? *product : matmul(x, y);
    }
    return sum_over(x, {x_axis}, y, {y_axis});
}

array tensordot(const array& x, const array& y, int axes) {
    if (axes > x.ndim() || axes > y.ndim()) throw IndexError("tuple index out of range");
    AxisList x_axes, y_axes;
    for (int i = 0; i < axes; ++i) {
        x_axes.push_back(x.ndim() - axes + i);
        y_axes.push_back(i);
    }
    return tensordot(x, y, Axes(span_of(x_axes)), Axes(span_of(y_axes)));
}

array tensordot(const array& x, const array& y, const Axes& x_axes, const Axes& y_axes) {
    const AxisList left = ops::normalize_axes(x_axes.list(), x.ndim());
    const AxisList right = ops::normalize_axes(y_axes.list(), y.ndim());
    bool fits = left.size() == right.size();
    const Dims x_shape = api::dims_of(x), y_shape = api::dims_of(y);
    for (std::size_t i = 0; fits && i < left.size(); ++i) {
        fits = api::arithmetic().equal(x_shape[static_cast<std::size_t>(left[i])], y_shape[static_cast<std::size_t>(right[i])]);
    }
    if (!fits) throw ValueError("shape-mismatch for sum");
    if (const auto product = product_of_one(x, y, x.ndim() + y.ndim() - 2 * static_cast<int>(left.size()))) return *product;
    return sum_over(x, left, y, right);
}

array outer(const array& x, const array& y) { return multiply(expand_at(api::flatten(x), 1), expand_at(api::flatten(y), 0)); }

}  // namespace fastnp
