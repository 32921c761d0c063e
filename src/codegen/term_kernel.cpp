#include "codegen/term_kernel.h"

#include "nest/order.h"

namespace fastnp::codegen {

using interpret::value_of;
using Kind = nest::Expr::Kind;

TermExpressions::TermExpressions(const nest::Kernel& kernel, const TermPlaces& places, Terms& terms, TermMemory& memory)
    : kernel_(kernel), places_(places), terms_(terms), memory_(memory), lists_(kernel) {
    for (const nest::Fold& fold : kernel.folds) identities_.push_back(constant_of(terms, nest::identity_of(fold), fold.dtype));
}

TermExpressions::Point TermExpressions::start() const {
    return {places_.sizes.data(), std::vector<std::int64_t>(kernel_.axes.size(), 0), std::vector<Element>(kernel_.exprs.size()),
            std::vector<Element>(kernel_.folds.size())};
}

void TermExpressions::compute(const interpret::Lists::List& list, Point& at) const {
    for (const nest::ExprId id : list) at.values[id] = compute(id, at);
}

TermElement TermExpressions::compute(nest::ExprId id, const Point& at) const {
    const nest::Expr& expr = kernel_.exprs[id];
    const auto number = [&](std::int64_t value) {
        return TermElement{&terms_, Dtype::int64, terms_.constant(TermType::i64, static_cast<std::uint64_t>(value)), 0};
    };
    const auto along = [&] {
        return value_of(expr.offset, at.sizes) + (expr.step == 0 ? 0 : expr.step * at.index[static_cast<std::size_t>(expr.number)]);
    };
    switch (expr.kind) {
        case Kind::load:
            if (!expr.args.empty()) {
                const Term guard = at.values[expr.args[0]].re;
                if (!terms_.is_constant(guard)) throw Unproved("a guard depends on an element");
                if (terms_.bits(guard) == 0) return constant_of(terms_, 1, expr.dtype);  // any number: nothing takes it
            }
            return load(address(expr.access, at), expr.dtype);
        case Kind::constant: return constant_of(terms_, expr.scalar, expr.dtype);
        case Kind::index: return number(along());
        case Kind::extent: return number(value_of(expr.offset, at.sizes));
        case Kind::inside: {
            const bool inside = static_cast<std::uint64_t>(along()) < static_cast<std::uint64_t>(value_of(expr.extent, at.sizes));
            return {&terms_, Dtype::bool_, terms_.truth(inside), 0};
        }
        case Kind::map: {
            SmallVector<TermElement, 3> args;
            for (const nest::ExprId arg : expr.args) args.push_back(at.values[arg]);
            return apply(expr.op, expr.compute, expr.dtype, std::span(args.data(), args.size()));
        }
        case Kind::fold: return at.folds[static_cast<std::size_t>(expr.number)];
        case Kind::scratch: return load(scratch(expr.number, at), expr.dtype);
        case Kind::gather: break;
    }
    throw Unproved("it takes elements by index");
}

TermElement TermExpressions::load(std::uint64_t address, Dtype dtype) const {
    const TermType type = memory_type_of(dtype);
    const auto part = [&](std::uint64_t at) { return from_memory(terms_, memory_.load(at, type), dtype); };
    return {&terms_, dtype, part(address), is_complex(dtype) ? part(address + itemsize_of(dtype) / 2) : 0};
}

void TermExpressions::write(std::uint64_t address, const TermElement& value) const {
    memory_.store(address, to_memory(terms_, value.re, value.dtype));
    if (is_complex(value.dtype)) memory_.store(address + itemsize_of(value.dtype) / 2, to_memory(terms_, value.im, value.dtype));
}

void TermExpressions::store(const nest::Store& store, const Point& at) const {
    const std::uint64_t place = address(store.access, at);
    stored_.push_back({&store, place});
    points_.insert(points_.end(), at.index.begin(), at.index.end());
    write(place, at.values[store.value]);
}

void TermExpressions::keep(int row, nest::ExprId value, const Point& at) const { write(scratch(row, at), at.values[value]); }

std::uint64_t TermExpressions::address(const nest::Access& access, const Point& at) const {
    std::int64_t offset = value_of(access.offset, at.sizes);
    for (std::size_t a = 0; a < access.strides.size(); ++a) offset += at.index[a] * value_of(access.strides[a], at.sizes);
    return places_.buffers[static_cast<std::size_t>(access.buffer)] + static_cast<std::uint64_t>(offset);
}

// A place for each inner point; where in its memory a row lies is the code's own.
std::uint64_t TermExpressions::scratch(int row, const Point& at) const {
    std::int64_t number = 0;
    for (std::size_t a = kernel_.outer_count(); a < kernel_.axes.size(); ++a) number = number * value_of(kernel_.axes[a].extent, at.sizes) + at.index[a];
    const std::uint64_t place = places_.scratch + (static_cast<std::uint64_t>(row) << 36);
    return place + static_cast<std::uint64_t>(number) * itemsize_of(kernel_.scratch[static_cast<std::size_t>(row)]);
}

TermElement TermExpressions::combine(int fold, const TermElement& x, const TermElement& y) const {
    const nest::Fold& own = kernel_.folds[static_cast<std::size_t>(fold)];
    const TermElement args[] = {x, y};
    return apply(own.combine, own.dtype, own.dtype, args);
}

}  // namespace fastnp::codegen
