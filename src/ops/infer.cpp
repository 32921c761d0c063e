// The result type of each op, one rule a kind.
#include "ops/infer.h"
#include "ops/collective.h"

#include <algorithm>

#include "fastnp/error.h"
#include "ops/rules.h"
#include "shape/arithmetic.h"

namespace fastnp::ops {

using ir::Attributes;
using shape::Arithmetic;
using shape::Dim;
using shape::Dims;
using shape::Sizes;

namespace {

struct Call {
    Op op;
    const Attributes& attributes;
    std::span<const Type> operands;
    Arithmetic sizes;

    std::size_t integer(std::size_t i) const { return static_cast<std::size_t>(attributes.ints[i]); }
    const Dims& shape() const { return operands[0].shape; }
};

bool contains(const SmallVector<std::int64_t>& list, std::size_t number) {
    return std::find(list.begin(), list.end(), static_cast<std::int64_t>(number)) != list.end();
}

Type infer_map(const Call& call, const Info& row) {
    if (call.op == Op::cast) return {call.attributes.dtype, call.shape()};
    if (call.op == Op::select) return {call.operands[1].dtype, call.shape()};
    return {rules::output_of(*row.rule, call.operands[0].dtype), call.shape()};
}

Dims without(const Dims& shape, const SmallVector<std::int64_t>& axes) {
    Dims result;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (!contains(axes, i)) result.push_back(shape[i]);
    }
    return result;
}

// Whether there is nothing to choose from, be it that there are no results either.
bool lacks_elements(const Call& call) {
    for (const std::int64_t axis : call.attributes.ints) {
        if (call.sizes.equal(call.shape()[static_cast<std::size_t>(axis)], Dim(0))) return true;
    }
    return false;
}

Type infer_fold(const Call& call, const Info& row) {
    Dims kept = without(call.shape(), call.attributes.ints);
    if (row.kind == Kind::fold) {
        if (!row.identity && lacks_elements(call)) {
            throw ValueError("zero-size array to reduction operation " + std::string(info(row.combine).name) + " which has no identity");
        }
        return {call.operands[0].dtype, std::move(kept)};
    }
    if (lacks_elements(call)) throw ValueError("attempt to get " + std::string(row.name) + " of an empty sequence");
    return {Dtype::int64, std::move(kept)};
}

Type infer_scan(const Call& call) {
    Type result = call.operands[0];
    if (call.op == Op::accumulate && call.attributes.ints[2] != 0) result.shape[call.integer(0)] = Dim(1);
    return result;
}

Type infer_make(const Call& call) {
    switch (call.op) {
        case Op::constant:
        case Op::example:
        case Op::iota: return {call.attributes.dtype, call.attributes.dims};
        case Op::extent: return {Dtype::int64, {}};
        default: throw InternalError("a parameter has no rule for its type");
    }
}

Dims transposed(const Call& call) {
    const std::size_t rank = call.shape().size();
    if (call.attributes.ints.size() != rank) throw ValueError("axes don't match array");
    Dims result;
    for (const std::int64_t axis : call.attributes.ints) result.push_back(call.shape()[static_cast<std::size_t>(axis)]);
    return result;
}

Dims broadcast_to(const Call& call) {
    const Dims& from = call.shape();
    const Dims& to = call.attributes.dims;
    if (from.size() > to.size()) throw ValueError("input operand has more dimensions than allowed by the axis remapping");
    for (std::size_t i = 0; i < from.size(); ++i) {
        const Dim dim = from[i];
        if (dim == Dim(1) || dim == to[to.size() - from.size() + i]) continue;
        if (!call.sizes.equal(dim, to[to.size() - from.size() + i])) {
            throw ValueError("operands could not be broadcast together with remapped shapes [original->remapped]: " +
                             compact_text(from, call.sizes.sizes()) + "  and requested shape " + compact_text(to, call.sizes.sizes()));
        }
    }
    return to;
}

Dims expanded(const Call& call) {
    Dims result;
    const std::size_t rank = call.shape().size() + call.attributes.ints.size();
    for (std::size_t i = 0, at = 0; i < rank; ++i) result.push_back(contains(call.attributes.ints, i) ? Dim(1) : call.shape()[at++]);
    return result;
}

Dims squeezed(const Call& call) {
    for (const std::int64_t axis : call.attributes.ints) {
        if (!call.sizes.equal(call.shape()[static_cast<std::size_t>(axis)], Dim(1))) {
            throw ValueError("cannot select an axis to squeeze out which has size not equal to one");
        }
    }
    return without(call.shape(), call.attributes.ints);
}

Type infer_move(const Call& call) {
    const Dtype dtype = call.operands[0].dtype;
    const std::size_t rank = call.shape().size();
    switch (call.op) {
        case Op::reshape: return {dtype, reshaped(call.shape(), call.attributes.dims, call.sizes.sizes())};
        case Op::transpose: return {dtype, transposed(call)};
        case Op::broadcast_to: return {dtype, broadcast_to(call)};
        case Op::slice: return {dtype, Dims(call.attributes.dims.begin() + rank, call.attributes.dims.end())};
        case Op::expand_dims: return {dtype, expanded(call)};
        case Op::squeeze: return {dtype, squeezed(call)};
        default: throw InternalError("no rule for the move " + std::string(info(call.op).name));
    }
}

Dims concatenated(const Call& call) {
    const std::size_t axis = call.integer(0);
    Dims result = call.shape();
    for (std::size_t i = 1; i < call.operands.size(); ++i) {
        const Dims& shape = call.operands[i].shape;
        if (shape.size() != result.size()) {
            throw ValueError("all the input arrays must have same number of dimensions, but the array at index 0 has " + std::to_string(result.size()) +
                             " dimension(s) and the array at index " + std::to_string(i) + " has " + std::to_string(shape.size()) + " dimension(s)");
        }
        for (std::size_t a = 0; a < result.size(); ++a) {
            if (a == axis || call.sizes.equal(result[a], shape[a])) continue;
            throw ValueError("all the input array dimensions except for the concatenation axis must match exactly, but along dimension " +
                             std::to_string(a) + ", the array at index 0 has size " + call.sizes.told(result[a]) + " and the array at index " +
                             std::to_string(i) + " has size " + call.sizes.told(shape[a]));
        }
        result[axis] = call.sizes.add(result[axis], shape[axis]);
    }
    return result;
}

Dims padded(const Call& call) {
    Dims result = call.shape();
    const std::size_t rank = result.size();
    for (std::size_t a = 0; a < rank; ++a) {
        result[a] = call.sizes.add(call.sizes.add(result[a], call.attributes.dims[a]), call.attributes.dims[rank + a]);
    }
    return result;
}

Dims taken(const Call& call) {
    const std::size_t axis = call.integer(0);
    const Dims& from = call.shape();
    const Dims& indices = call.operands[1].shape;
    Dims result(from.begin(), from.begin() + axis);
    for (const Dim dim : indices) result.push_back(dim);
    for (std::size_t a = axis + 1; a < from.size(); ++a) result.push_back(from[a]);
    if (call.sizes.equal(from[axis], Dim(0)) && !call.sizes.equal(call.sizes.product(result), Dim(0))) {
        throw IndexError("cannot do a non-empty take from an empty axes.");
    }
    return result;
}

Type infer_pick(const Call& call) {
    const Dtype dtype = call.operands[0].dtype;
    switch (call.op) {
        case Op::concatenate: return {dtype, concatenated(call)};
        case Op::pad: return {dtype, padded(call)};
        case Op::take: return {dtype, taken(call)};
        case Op::scatter:
        case Op::update:
        case Op::expect:
        case Op::bind:
        case Op::across: return {dtype, call.shape()};
        case Op::sort: {
            Dims shape = call.shape();
            if (!call.attributes.dims.empty()) shape[call.integer(0)] = call.attributes.dims[1];
            return {dtype, std::move(shape)};
        }
        case Op::argsort: return {Dtype::int64, call.shape()};
        case Op::searchsorted: return {Dtype::int64, call.operands[1].shape};
        case Op::nonzero: return {Dtype::int64, call.attributes.dims};
        default: throw InternalError("no rule for " + std::string(info(call.op).name));
    }
}

Type infer_matmul(const Call& call) {
    const Dims& x = call.operands[0].shape;
    const Dims& y = call.operands[1].shape;
    const std::size_t n = x.size();
    const std::size_t m = y.size();
    if (!call.sizes.equal(x[n - 1], y[m - 2])) {
        throw ValueError("matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size " +
                         call.sizes.told(y[m - 2]) + " is different from " + call.sizes.told(x[n - 1]) + ")");
    }
    Dims result = broadcast_stacks(x, y, {x[n - 2], y[m - 1]}, call.sizes.sizes());
    result.push_back(x[n - 2]);
    result.push_back(y[m - 1]);
    return {call.operands[0].dtype, std::move(result)};
}

// A matrix with more rows below it.
Dims taller(const Call& call, std::int64_t rows) {
    Dims result = call.shape();
    Dim& height = result[result.size() - 2];
    height = call.sizes.add(height, Dim(rows));
    return result;
}

// A stack of `rest` for one of matrices.
Dims stack_of(const Call& call, std::initializer_list<Dim> rest) {
    Dims result(call.shape().begin(), call.shape().end() - 2);
    for (const Dim dim : rest) result.push_back(dim);
    return result;
}

// Lines of so many points.
Dims lines_of(const Call& call, Dim points) {
    Dims result = call.shape();
    result.back() = points;
    return result;
}

Type infer_library(const Call& call) {
    const Dtype dtype = call.operands[0].dtype;
    const Dims& shape = call.shape();
    const Dims& dims = call.attributes.dims;
    const std::size_t rank = shape.size();
    switch (call.op) {
        case Op::lu:
        case Op::qr:
        case Op::eigh: return {dtype, taller(call, 1)};
        case Op::eig: return {complex_of(dtype), taller(call, 1)};
        case Op::cholesky: return {dtype, shape};
        case Op::lu_solve:
        case Op::triangular_solve: return {dtype, call.operands[1].shape};
        case Op::householder_product: return {dtype, stack_of(call, {call.sizes.subtract(shape[rank - 2], Dim(1)), dims[0]})};
        case Op::eigvalsh: return {real_of(dtype), stack_of(call, {shape[rank - 1]})};
        case Op::eigvals: return {complex_of(dtype), stack_of(call, {shape[rank - 1]})};
        case Op::svdvals: return {real_of(dtype), stack_of(call, {dims[0]})};
        case Op::svd: {
            const Dim u = call.sizes.multiply(shape[rank - 2], dims[1]), v = call.sizes.multiply(dims[2], shape[rank - 1]);
            return {dtype, stack_of(call, {call.sizes.add(call.sizes.add(u, dims[0]), v)})};
        }
        case Op::fft: return {dtype, lines_of(call, dims[0])};
        case Op::rfft: return {complex_of(dtype), lines_of(call, call.sizes.add(call.sizes.divide(dims[0], Dim(2)), Dim(1)))};
        case Op::irfft: return {real_of(dtype), lines_of(call, dims[0])};
        default: throw InternalError("no rule for " + std::string(info(call.op).name));
    }
}

// A number of ranks along the first axis, which is this many.
Dims for_each_rank(const Call& call) {
    const Dim ranks(Collective(call.attributes).ranks());
    const Dims& shape = call.shape();
    if (shape.empty() || !call.sizes.equal(shape[0], ranks)) {
        throw ValueError(std::string(info(call.op).name) + ": the axis that is shared out has " + (shape.empty() ? "no" : call.sizes.told(shape[0])) +
                         " elements, and there are " + std::to_string(Collective(call.attributes).ranks()) + " ranks");
    }
    return Dims(shape.begin() + 1, shape.end());
}

Type infer_collective(const Call& call) {
    if (call.op == Op::rank) return {Dtype::int64, {}};
    const Dtype dtype = call.operands[0].dtype;
    switch (call.op) {
        case Op::all_gather: {
            Dims shape{Dim(Collective(call.attributes).ranks())};
            for (const Dim dim : call.shape()) shape.push_back(dim);
            return {dtype, std::move(shape)};
        }
        case Op::reduce_scatter: return {dtype, for_each_rank(call)};
        case Op::all_to_all: for_each_rank(call); return {dtype, call.shape()};
        default: return {dtype, call.shape()};
    }
}

}  // namespace

Type infer(Op op, const Attributes& attributes, std::span<const Type> operands, Sizes* sizes) {
    const Info& row = info(op);
    const Call call{op, attributes, operands, Arithmetic(sizes)};
    switch (row.kind) {
        case Kind::map: return infer_map(call, row);
        case Kind::fold:
        case Kind::argfold: return infer_fold(call, row);
        case Kind::scan: return infer_scan(call);
        case Kind::make: return infer_make(call);
        case Kind::move: return infer_move(call);
        case Kind::pick: return infer_pick(call);
        case Kind::contract: return infer_matmul(call);
        case Kind::library: return infer_library(call);
        case Kind::collective: return infer_collective(call);
        case Kind::note: return operands[0];
    }
    throw InternalError("an op of no kind");
}

}  // namespace fastnp::ops
