// Sizes that may be symbolic. A Dim is a number, or the name of an expression over the sizes of the recorded function's
// arguments; the expressions live in a Sizes table. Comparing two Dims while recording answers by the sizes at hand (hints) and
// notes a guard where the answer could differ for other sizes, so nothing is baked in silently.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/for_codegen.h"
#include "fastnp/small_vector.h"

namespace fastnp::shape {

/// The most elements that an array has whose sizes vary, so that sums of a few sizes need no guard.
constexpr std::int64_t most_elements = std::int64_t{1} << 47;

/// A size: a plain number, or an expression of a Sizes table.
class Dim {
public:
    constexpr Dim() = default;
    constexpr Dim(std::int64_t value) : raw_(value) {}  // NOLINT: a number is a size
    static constexpr Dim expression(std::uint32_t id) {
        Dim dim;
        dim.raw_ = symbolic_base + static_cast<std::int64_t>(id);
        return dim;
    }
    constexpr bool is_constant() const { return raw_ < symbolic_base; }
    constexpr std::int64_t value() const { return raw_; }
    constexpr std::uint32_t id() const { return static_cast<std::uint32_t>(raw_ - symbolic_base); }
    constexpr std::int64_t raw() const { return raw_; }
    /// Sizes are below; what is not stands for all that are too big.
    static constexpr std::int64_t too_big = std::int64_t{1} << 62;
    /// The same number or the same expression; two different expressions may still have the same value.
    friend constexpr bool operator==(Dim a, Dim b) = default;

private:
    static constexpr std::int64_t symbolic_base = too_big;
    std::int64_t raw_ = 0;
};

using Dims = SmallVector<Dim>;

/// The error of arrays and sizes that are too big.
[[noreturn]] void throw_too_big();
/// A product of plain numbers; ValueError where it is too big.
Dim product_of(std::int64_t a, std::int64_t b);

/// A condition on the argument sizes under which a recording holds.
struct SizeGuard {
    enum class Kind : std::uint8_t { zero, nonzero, nonnegative };
    Kind kind;
    Dim expression;
    friend bool operator==(const SizeGuard&, const SizeGuard&) = default;
};

/// Symbols, expressions over them in a canonical form (equal polynomials get equal Dims), hints and guards.
class Sizes {
public:
    /// An expression node: a symbol (an argument's size), a sum of terms, a product, or a floor division.
    struct Term {
        std::int64_t coefficient;
        SmallVector<std::uint32_t, 2> atoms{}; // sorted ids of symbols and quotients, multiplied
        friend bool operator==(const Term&, const Term&) = default;
    };
    struct Expression {
        enum class Kind : std::uint8_t { symbol, polynomial, quotient };
        Kind kind;
        std::int64_t constant = 0;   // polynomial
        std::vector<Term> terms;     // polynomial, sorted
        Dim dividend, divisor;       // quotient
        std::string name;            // symbol
        std::int64_t hint = 0;       // its value for the sizes at hand
        std::int64_t low = 0, high = 0;
        int stage = 0;               // the last bound symbol that it depends on
        bool is_handed_out = false;  // it travels as a number
    };

    /// A new symbol with the value at hand and the range in which it may vary.
    Dim symbol(std::string name, std::int64_t hint, std::int64_t low = 0, std::int64_t high = INT64_MAX);

    /// A new symbol whose value is found by the plan on its way, not by the arguments' sizes: the first one has the number 1, and so on.
    Dim bound_symbol(std::int64_t hint, std::int64_t low, std::int64_t high);
    int bound_count() const { return static_cast<int>(bound_.size()); }
    /// The number of the last bound symbol that a size depends on; 0: it is known from the arguments.
    int stage(Dim dim) const { return dim.is_constant() ? 0 : expressions_[dim.id()].stage; }

    Dim add(Dim a, Dim b);
    Dim subtract(Dim a, Dim b);
    Dim multiply(Dim a, Dim b);
    /// Floor division.
    Dim divide(Dim a, Dim b);
    Dim product(const Dims& dims);

    std::int64_t hint(Dim dim) const { return dim.is_constant() ? dim.value() : expressions_[dim.id()].hint; }
    /// Whether two sizes are equal; guards the answer unless it holds for all sizes.
    bool equal(Dim a, Dim b);
    /// Whether a >= b; guards the answer unless it holds for all sizes.
    bool at_least(Dim a, Dim b);
    /// Whether a step |a| is known to be at least |b| in arrays with elements, without a guard.
    bool steps_at_least(Dim a, Dim b) const;
    /// The number a size has now; ties the recording to it.
    std::int64_t concretize(Dim dim);

    /// Whether it has many terms, or high powers, which overflow where their sum does not, or is one that does now.
    bool is_intricate(Dim dim) const;

    /// Notes that the Dim travels as a number from here on (fastnp/detail/size.h).
    void hand_out(Dim dim) {
        if (!dim.is_constant()) expressions_[dim.id()].is_handed_out = true;
    }
    /// Whether a number is one that travels; others of its size are too big for a size.
    bool is_handed_out(std::int64_t number) const {
        if (number < Dim::too_big) return false;
        const auto id = static_cast<std::size_t>(number - Dim::too_big);
        return id < expressions_.size() && expressions_[id].is_handed_out;
    }

    /// Values of all expressions for given values of the symbols (in order of creation), by id. For binding a plan. Bound symbols are 0 until bind().
    /// A sum of products that has one which is too big is Dim::too_big: guards are looked at after this, and memory is allocated.
    FASTNP_FOR_CODEGEN void evaluate(const std::int64_t* symbols, std::int64_t* values) const;
    /// Gives a bound symbol its value, and what depends on it.
    FASTNP_FOR_CODEGEN void bind(int stage, std::int64_t value, std::int64_t* values) const;
    std::int64_t bound_value(int stage, const std::int64_t* values) const { return values[bound_[static_cast<std::size_t>(stage) - 1]]; }
    /// Whether the guards hold that can be told from this bound symbol on; 0: those on the arguments' sizes alone.
    FASTNP_FOR_CODEGEN bool holds(int stage, const std::int64_t* values) const;

    const std::vector<SizeGuard>& guards() const { return guards_; }
    const Expression& expression(Dim dim) const { return expressions_[dim.id()]; }
    std::size_t size() const { return expressions_.size(); }
    std::size_t symbol_count() const { return symbol_count_; }
    /// "n", "n*m + 1", "7".
    FASTNP_FOR_CODEGEN std::string text(Dim dim) const;

    /// The whole table, as unpack() reads it; a table that is not one fails the reader.
    void pack(base::Writer& out) const;
    static Sizes unpack(base::Reader& in);

private:
    using Polynomial = std::pair<std::int64_t, std::vector<Term>>;
    Polynomial polynomial(Dim dim) const;
    Dim intern(Polynomial value);
    Dim intern(Expression expression);
    Dim append(Expression expression);
    std::int64_t evaluate(const Expression& expression, const std::int64_t* values) const;
    const Expression& expression_of(Dim dim) const;  // ValueError if there is none: a number that is too big for a size
    void range_of(Dim dim, std::int64_t& low, std::int64_t& high) const;
    void guard(SizeGuard::Kind kind, Dim expression);

    std::vector<Expression> expressions_;
    std::unordered_multimap<std::size_t, std::uint32_t> index_;
    std::vector<SizeGuard> guards_;
    std::vector<std::uint32_t> bound_;  // ids
    std::size_t symbol_count_ = 0;
};

/// Sizes over a table; those that it does not have fail the reader.
void pack(const Dims& dims, base::Writer& out);
Dims unpack_dims(const Sizes& sizes, base::Reader& in);
Dim unpack_dim(const Sizes& sizes, base::Reader& in);

/// The numbers of sizes that are all plain (outside recordings).
Shape concrete(const Dims& dims);
Dims to_dims(const Shape& shape);

}  // namespace fastnp::shape
