// Terms: what an element is, as an expression over the elements that memory held before. Equal terms are one term (hash-consing), so two elements are
// compared by their numbers. Integer operations on constants are done; those on floating-point numbers too, but else they are uninterpreted functions:
// strict code neither reassociates nor contracts.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace fastnp::codegen {

using Term = std::uint32_t;

enum class TermType : std::uint8_t { i1, i8, i16, i32, i64, f16, f32, f64 };
unsigned bits_of(TermType type);
bool is_float(TermType type);
/// The integer of as many bits.
TermType integer_like(TermType type);

enum class TermOp : std::uint8_t {
    constant,  // payload: its bits
    memory,    // payload: the address; what lay there
    poison,
    add,
    sub,
    mul,
    sdiv,
    udiv,
    srem,
    urem,
    shl,
    lshr,
    ashr,
    bit_and,
    bit_or,
    bit_xor,
    smin,
    smax,
    umin,
    umax,
    abs,
    ctpop,
    ctlz,
    zext,
    sext,
    trunc,
    bitcast,
    equal,
    signed_less,
    unsigned_less,  // integers to i1
    fadd,
    fsub,
    fmul,
    fdiv,
    frem,
    fneg,
    fabs,
    copysign,
    sqrt,
    rint,
    floor,
    ceil,
    ftrunc,
    fpext,
    fptrunc,
    sitofp,
    uitofp,
    ordered_equal,
    ordered_less,
    ordered_less_equal,
    ordered_unequal,
    unordered,  // floats to i1
    select,
    call,  // payload: the function and which of its results (see function_term)
};
std::string_view name_of(TermOp op);

/// Why a kernel is neither proved nor refuted.
struct Unproved : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// No sizes that a call has, or it does not matter which is the last one.
struct Overlap : Unproved {
    using Unproved::Unproved;
};

class Terms {
public:
    static constexpr std::size_t most_args = 4;
    struct Node {
        TermOp op;
        TermType type;
        std::uint8_t count;
        std::array<Term, most_args> args;
        std::uint64_t payload;
        friend bool operator==(const Node&, const Node&) = default;
    };

    /// `most`: terms after which it is Unproved.
    explicit Terms(std::size_t most = 3'000'000);

    /// A term that is simplified as far as that is quick.
    Term make(TermOp op, TermType type, std::span<const Term> args, std::uint64_t payload = 0);
    Term make(TermOp op, TermType type, std::initializer_list<Term> args, std::uint64_t payload = 0) {
        return make(op, type, std::span(args.begin(), args.size()), payload);
    }
    Term constant(TermType type, std::uint64_t bits);
    Term real(TermType type, double value);
    Term truth(bool value) { return constant(TermType::i1, value ? 1 : 0); }
    Term poison(TermType type) { return intern({TermOp::poison, type, 0, {}, 0}); }
    Term memory(TermType type, std::uint64_t address) { return intern({TermOp::memory, type, 0, {}, address}); }
    Term negation(Term truth_value);

    const Node& operator[](Term term) const { return nodes_[term]; }
    TermType type(Term term) const { return nodes_[term].type; }
    bool is_constant(Term term) const { return nodes_[term].op == TermOp::constant; }
    std::uint64_t bits(Term term) const { return nodes_[term].payload; }
    std::int64_t signed_bits(Term term) const;
    std::size_t size() const { return nodes_.size(); }

    /// As text, inner terms left out below `depth`. `place`: the text of an address.
    std::string text(Term term, const std::function<std::string(std::uint64_t)>& place, int depth = 4) const;

private:
    Term intern(const Node& node);
    void grow();
    bool all_constant(std::span<const Term> args) const;
    bool fold(const Node& node, std::uint64_t& bits) const;
    bool fold_integers(const Node& node, std::uint64_t& bits) const;
    bool fold_floats(const Node& node, std::uint64_t& bits) const;
    bool simplify(Node& node, Term& known);
    bool simplify_integers(Node& node, Term& known);
    bool simplify_floats(Node& node, Term& known);
    bool simplify_choice(Node& node, Term& known);

    std::size_t most_;
    std::vector<Node> nodes_;
    std::vector<Term> table_;  // open addressing; none: no_term
};

}  // namespace fastnp::codegen
