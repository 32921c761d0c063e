// Sizes as bytes, for recordings that are kept on disk.
#include <utility>

#include "shape/dim.h"

namespace fastnp::shape {

namespace {

// A size that only depends on the first `known` expressions.
Dim read_dim(base::Reader& in, std::size_t known) {
    const Dim dim(in.integer());
    if (!dim.is_constant() && static_cast<std::uint64_t>(dim.raw() - Dim::expression(0).raw()) >= known) in.fail();
    return in.ok() ? dim : Dim();
}

void write(const Sizes::Expression& expression, base::Writer& out) {
    out.number(static_cast<std::uint64_t>(expression.kind));
    out.integer(expression.constant);
    out.number(expression.terms.size());
    for (const Sizes::Term& term : expression.terms) {
        out.integer(term.coefficient);
        out.number(term.atoms.size());
        for (const std::uint32_t atom : term.atoms) out.number(atom);
    }
    out.integer(expression.dividend.raw());
    out.integer(expression.divisor.raw());
    out.text(expression.name);
    for (const std::int64_t number : {expression.hint, expression.low, expression.high}) out.integer(number);
    out.number(static_cast<std::uint64_t>(expression.stage));
}

Sizes::Expression read(base::Reader& in, std::size_t known) {
    using Kind = Sizes::Expression::Kind;
    Sizes::Expression expression{};
    expression.kind = static_cast<Kind>(in.below(static_cast<std::uint64_t>(Kind::quotient) + 1));
    expression.constant = in.integer();
    for (std::uint64_t left = in.count(); left > 0; --left) {
        Sizes::Term term{in.integer(), {}};
        for (std::uint64_t atoms = in.count(); atoms > 0; --atoms) term.atoms.push_back(static_cast<std::uint32_t>(in.below(known)));
        expression.terms.push_back(std::move(term));
    }
    expression.dividend = read_dim(in, known);
    expression.divisor = read_dim(in, known);
    expression.name = in.text();
    expression.hint = in.integer();
    expression.low = in.integer();
    expression.high = in.integer();
    expression.stage = static_cast<int>(in.below(known + 2));
    return expression;
}

}  // namespace

void Sizes::pack(base::Writer& out) const {
    out.number(expressions_.size());
    for (const Expression& expression : expressions_) write(expression, out);
    out.number(guards_.size());
    for (const SizeGuard& guard : guards_) {
        out.number(static_cast<std::uint64_t>(guard.kind));
        out.integer(guard.expression.raw());
    }
}

Sizes Sizes::unpack(base::Reader& in) {
    Sizes sizes;
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
        Expression expression = read(in, sizes.size());
        if (expression.kind == Expression::Kind::symbol && expression.stage == 0) ++sizes.symbol_count_;
        if (expression.kind == Expression::Kind::symbol && expression.stage != 0) sizes.bound_.push_back(static_cast<std::uint32_t>(sizes.size()));
        if (expression.stage > sizes.bound_count()) in.fail();
        sizes.append(std::move(expression));
    }
    for (std::uint64_t left = in.count(); left > 0; --left) {
        const auto kind = static_cast<SizeGuard::Kind>(in.below(static_cast<std::uint64_t>(SizeGuard::Kind::nonnegative) + 1));
        sizes.guards_.push_back({kind, read_dim(in, sizes.size())});
    }
    return sizes;
}

void pack(const Dims& dims, base::Writer& out) {
    out.number(dims.size());
    for (const Dim dim : dims) out.integer(dim.raw());
}

Dim unpack_dim(const Sizes& sizes, base::Reader& in) { return read_dim(in, sizes.size()); }

Dims unpack_dims(const Sizes& sizes, base::Reader& in) {
    Dims dims;
    for (std::uint64_t left = in.count(); left > 0; --left) dims.push_back(unpack_dim(sizes, in));
    return dims;
}

}  // namespace fastnp::shape
