#include "linalg/matrix.h"

#include "ops/infer.h"

namespace fastnp::linalg {

void check_rank(const array& x) {
    if (x.ndim() < 2) throw LinAlgError(std::to_string(x.ndim()) + "-dimensional array given. Array must be at least two-dimensional");
}

AtHome::AtHome(const array& x) {
    if (detail::is_at_device(x)) scope_.emplace(x.device());
}

Dtype result_dtype(std::initializer_list<Dtype> dtypes) {
    bool wide = false, complex = false;
    for (const Dtype dtype : dtypes) {
        if (dtype == Dtype::float16 || dtype == Dtype::bfloat16)
            throw TypeError("array type " + std::string(name_of(dtype)) + " is unsupported in linalg");
        complex = complex || is_complex(dtype);
        wide = wide || real_of(dtype) != Dtype::float32;
    }
    if (complex) return wide ? Dtype::complex128 : Dtype::complex64;
    return wide ? Dtype::float64 : Dtype::float32;
}

Working matrices(const array& x) {
    check_rank(x);
    const Dtype result = result_dtype({x.dtype()});
    return {api::converted(x, working_dtype(result)), result, AtHome(x)};
}

Working square_matrices(const array& x) {
    check_rank(x);
    if (!api::arithmetic().equal(rows_of(x), columns_of(x))) throw LinAlgError("Last 2 dimensions of the array must be square");
    return matrices(x);
}

Dim rows_of(const array& x) {
    const Dims shape = api::dims_of(x);
    return shape[shape.size() - 2];
}

Dim columns_of(const array& x) {
    const Dims shape = api::dims_of(x);
    return shape[shape.size() - 1];
}

Dims stack_of(const array& x) {
    const Dims shape = api::dims_of(x);
    return {shape.begin(), shape.end() - 2};
}

Dims joined(Dims stack, std::initializer_list<Dim> core) {
    for (const Dim dim : core) stack.push_back(dim);
    return stack;
}

Dims common_stack(const array& x, const array& y) {
    return ops::broadcast_stacks(api::dims_of(x), api::dims_of(y), {rows_of(x), columns_of(y)}, api::active_sizes());
}

array conjugated(const array& x) { return is_complex(x.dtype()) ? conjugate(x) : x; }
array transposed(const array& x) { return swapaxes(x, -1, -2); }
array adjoint(const array& x) { return conjugated(transposed(x)); }

array on_diagonal(Dim rows, Dim columns) { return api::iota({rows, columns}, 0) == api::iota({rows, columns}, 1); }
array below_diagonal(Dim rows, Dim columns) { return api::iota({rows, columns}, 0) > api::iota({rows, columns}, 1); }
array identity(Dim n, Dtype dtype) { return api::cast(on_diagonal(n, n), dtype); }

array diagonal_of(const array& x) { return sum(where(on_diagonal(rows_of(x), columns_of(x)), x, 0), {.axis = -1}); }
array lower_part(const array& x) { return where(api::iota({rows_of(x), columns_of(x)}, 0) >= api::iota({rows_of(x), columns_of(x)}, 1), x, 0); }
array upper_part(const array& x) { return where(below_diagonal(rows_of(x), columns_of(x)), 0, x); }
array hermitian_part(const array& x) { return (x + adjoint(x)) * 0.5; }
array as_row(const array& x) { return expand_dims(x, -2); }
array as_column(const array& x) { return expand_dims(x, -1); }

namespace {

array cut(const array& x, int from_end, Dim start, Dim length) {
    const Dims shape = api::dims_of(x);
    const std::size_t axis = shape.size() - static_cast<std::size_t>(from_end);
    Dims starts(shape.size(), Dim(0)), lengths = shape;
    starts[axis] = start;
    lengths[axis] = length;
    const SmallVector<std::int64_t> steps(shape.size(), 1);
    return api::slice(x, starts, lengths, {steps.data(), steps.size()}).copy();
}

}  // namespace

array rows_from(const array& x, Dim start, Dim count) { return cut(x, 2, start, count); }
array part_of(const array& x, Dim start, Dim length) { return cut(x, 1, start, length); }

array laid_as_stack(const array& x, const array& matrices) {
    const int core = 2, stack = matrices.ndim() - core;
    return stack < 2 ? x : api::laid_out(x, api::stack_order({&matrices, 1}, {&core, 1}, x.ndim() - stack));
}

array laid_as(const array& x, const array& like) {
    const shape::AxisOrder order = api::order_of(like);
    if (trace::Recorder* recorder = trace::Recorder::active()) return api::wrap(api::value_of(*recorder, x), recorder->shared_from_this(), order);
    if (order.empty()) return x.copy(Order::c);
    shape::AxisOrder back(order.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    return api::permute(api::permute(x, {order.data(), order.size()}).copy(Order::c), {back.data(), back.size()});
}

bool is_zero(const array& x) {
    if (!x.is_recorded()) return false;
    const ir::Value value = x.body()->value;
    return value->op == Op::constant && value->attributes.scalar.real() == 0 && value->attributes.scalar.imag() == 0;
}

array computed(Op op, std::initializer_list<array> operands, std::initializer_list<std::int64_t> ints, const Dims& dims) {
    ir::Attributes attributes;
    attributes.ints.assign(ints.begin(), ints.end());
    attributes.dims = dims;
    const array result = api::apply(op, attributes, {operands.begin(), operands.size()});
    const int stack = operands.begin()->ndim() - 2;
    if (stack < 2) return result;
    SmallVector<int> cores;
    for (const array& each : operands) cores.push_back(each.ndim() - stack);
    return api::laid_out(result, api::stack_order({operands.begin(), operands.size()}, {cores.data(), cores.size()}, result.ndim() - stack));
}

std::vector<array> with_rule(const char* name, std::vector<array> operands, std::vector<array> results, Forward forward, Reverse reverse) {
    if (api::active_sizes() == nullptr) return results;
    return detail::with_derivative(operands, results, {name, std::move(reverse), std::move(forward)});
}

}  // namespace fastnp::linalg
