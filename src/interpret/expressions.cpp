#include "interpret/expressions.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "fastnp/detail/float_flags.h"
#include "fastnp/error.h"
#include "nest/order.h"
#include "ops/catalogue.h"
#include "ops/element.h"

namespace fastnp::interpret {

namespace {

using Kind = nest::Expr::Kind;

void put(std::byte* to, const std::byte* from, Dtype dtype) { std::memcpy(to, from, itemsize_of(dtype)); }

template <class T>
void put_number(Element& to, T number) {
    std::memcpy(to.bytes, &number, sizeof number);
}

bool is_true(const Element& truth) { return truth.bytes[0] != std::byte{0}; }

Element element_of(const Scalar& scalar, Dtype dtype) {
    Element made;
    const bool is_truth = dtype == Dtype::bool_;
    ops::store(is_truth ? Scalar(scalar.bits() != 0 || scalar.real() != 0 || scalar.imag() != 0) : scalar, dtype, made.bytes);
    return made;
}

// The precompiled kernel of a map; none for those that copy.
eager::SpanKernel function_of(const nest::Expr& expr, Dtype from) {
    if (expr.op == ir::Op::select) return nullptr;
    const bool is_cast = expr.op == ir::Op::cast;
    if (is_cast && from == expr.dtype) return nullptr;
    const eager::SpanKernel found = is_cast ? eager::cast_kernel(from, expr.dtype) : eager::span_kernel(expr.op, expr.compute);
    if (found == nullptr) throw InternalError("no precompiled kernel for " + std::string(ops::info(expr.op).name));
    return found;
}

}  // namespace

Expressions::Expressions(const nest::Kernel& kernel) : kernel_(kernel), lists_(kernel) {
    for (const nest::Expr& expr : kernel.exprs) {
        functions_.push_back(expr.kind == Kind::map ? function_of(expr, kernel.exprs[expr.args[0]].dtype) : nullptr);
        constants_.push_back(expr.kind == Kind::constant ? element_of(expr.scalar, expr.dtype) : Element{});
    }
    for (const nest::Fold& fold : kernel.folds) {
        combine_.push_back(eager::span_kernel(fold.combine, fold.dtype));
        if (combine_.back() == nullptr) throw InternalError("no precompiled kernel for " + std::string(ops::info(fold.combine).name));
        identities_.push_back(element_of(nest::identity_of(fold), fold.dtype));
    }
}

std::byte* Expressions::address(const nest::Access& access, const Point& at) const {
    std::byte* place = static_cast<std::byte*>(at.pointers[access.buffer]) + value_of(access.offset, at.sizes);
    for (std::size_t a = 0; a < access.strides.size(); ++a) place += at.index[a] * value_of(access.strides[a], at.sizes);
    return place;
}

// Rows follow each other at multiples of 64 bytes, each with an element per inner point.
std::byte* Expressions::scratch(int row, const Point& at) const {
    const std::int64_t points = value_of(kernel_.inner_points, at.sizes);
    std::byte* place = at.scratch;
    for (int r = 0; r < row; ++r) place += (points * static_cast<std::int64_t>(itemsize_of(kernel_.scratch[static_cast<std::size_t>(r)])) + 63) / 64 * 64;
    std::int64_t number = 0;
    for (std::size_t a = kernel_.outer_count(); a < kernel_.axes.size(); ++a) number = number * value_of(kernel_.axes[a].extent, at.sizes) + at.index[a];
    return place + number * static_cast<std::int64_t>(itemsize_of(kernel_.scratch[static_cast<std::size_t>(row)]));
}

void Expressions::compute(const Lists::List& list, Point& at) const {
    for (const nest::ExprId id : list) compute(id, at);
}

void Expressions::compute(nest::ExprId id, Point& at) const {
    const nest::Expr& expr = kernel_.exprs[id];
    Element& out = at.values[id];
    const auto along = [&] {
        return value_of(expr.offset, at.sizes) + (expr.step == 0 ? 0 : expr.step * at.index[static_cast<std::size_t>(expr.number)]);
    };
    switch (expr.kind) {
        case Kind::load:
            // Where its guard fails it is a number of which no op tells an error, and which nothing takes.
            if (!expr.args.empty() && !is_true(at.values[expr.args[0]])) out = element_of(1, expr.dtype);
            else if (expr.dtype == Dtype::bool_) put_number(out, *address(expr.access, at) != std::byte{0});
            else put(out.bytes, address(expr.access, at), expr.dtype);
            return;
        case Kind::constant: out = constants_[id]; return;
        case Kind::index: put_number(out, along()); return;
        case Kind::extent: put_number(out, value_of(expr.offset, at.sizes)); return;
        case Kind::inside: put_number(out, static_cast<std::uint64_t>(along()) < static_cast<std::uint64_t>(value_of(expr.extent, at.sizes))); return;
        case Kind::map: map(expr, functions_[id], at, out); return;
        case Kind::fold: out = at.folds[static_cast<std::size_t>(expr.number)]; return;
        case Kind::scratch: put(out.bytes, scratch(expr.number, at), expr.dtype); return;
        case Kind::gather: break;  // the host's are steps of their own
    }
    throw InternalError("unknown loop expression");
}

void Expressions::map(const nest::Expr& expr, eager::SpanKernel function, Point& at, Element& out) const {
    if (expr.op == ir::Op::select) {
        out = at.values[is_true(at.values[expr.args[0]]) ? expr.args[1] : expr.args[2]];
        return;
    }
    if (function == nullptr) {
        out = at.values[expr.args[0]];
        return;
    }
    const void* operands[3] = {};
    for (std::size_t i = 0; i < expr.args.size(); ++i) operands[i] = at.values[expr.args[i]].bytes;
    function(operands, out.bytes, 1);
}

void Expressions::keep(int row, nest::ExprId value, const Point& at) const { put(scratch(row, at), at.values[value].bytes, kernel_.exprs[value].dtype); }

void Expressions::store(const nest::Store& store, Point& at) const {
    put(address(store.access, at), at.values[store.value].bytes, kernel_.exprs[store.value].dtype);
}

Element Expressions::combine(int fold, const Element& x, const Element& y) const {
    Element made;
    const void* const operands[] = {x.bytes, y.bytes};
    combine_[static_cast<std::size_t>(fold)](operands, made.bytes, 1);
    return made;
}

void Expressions::tell_nan(int fold, const Element& value) const {
    const nest::Fold& own = kernel_.folds[static_cast<std::size_t>(fold)];
    if (!is_inexact(own.dtype) || (own.combine != ir::Op::add && own.combine != ir::Op::multiply)) return;
    const Scalar number = ops::load(own.dtype, value.bytes);
    if (number.real() != number.real() || number.imag() != number.imag()) detail::raise_float_flags(detail::float_invalid);
}

}  // namespace fastnp::interpret
