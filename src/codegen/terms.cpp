#include "codegen/terms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "fastnp/half.h"

namespace fastnp::codegen {

namespace {

constexpr Term no_term = static_cast<Term>(-1);

std::size_t hash_of(const Terms::Node& node) {
    std::uint64_t hash = node.payload * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(node.op) * 131 + static_cast<std::uint64_t>(node.type);
    for (std::size_t i = 0; i < node.count; ++i) hash = (hash ^ node.args[i]) * 0xff51afd7ed558ccdU + (hash >> 29);
    return hash ^ (hash >> 32);
}

std::uint64_t mask_of(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

std::int64_t extended(std::uint64_t bits, unsigned width) {
    const unsigned shift = 64 - width;
    return static_cast<std::int64_t>(bits << shift) >> shift;
}

double real_of(std::uint64_t bits, TermType type) {
    if (type == TermType::f64) return std::bit_cast<double>(bits);
    if (type == TermType::f32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    return static_cast<double>(fastnp::detail::half_bits_to_float(static_cast<std::uint16_t>(bits)));
}

// Rounded once, as a result of double is that is exact, or of a type's own arithmetic.
std::uint64_t bits_of_real(double value, TermType type) {
    if (type == TermType::f64) return std::bit_cast<std::uint64_t>(value);
    if (type == TermType::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return fastnp::detail::float_to_half_bits(static_cast<float>(value));
}

unsigned mantissa_bits(TermType type) { return type == TermType::f64 ? 52 : type == TermType::f32 ? 23 : 10; }

// The exponent, and the highest bit of the mantissa.
std::uint64_t quiet_nan(TermType type) {
    const unsigned mantissa = mantissa_bits(type);
    return mask_of(bits_of(type) - 1) & ~mask_of(mantissa - 1);
}

// With its sign, and as much of its mantissa as there is room for.
std::uint64_t converted_nan(std::uint64_t bits, TermType from, TermType to) {
    const unsigned old_bits = mantissa_bits(from), new_bits = mantissa_bits(to);
    const std::uint64_t sign = bits >> (bits_of(from) - 1) << (bits_of(to) - 1), mantissa = bits & mask_of(old_bits);
    return sign | quiet_nan(to) | (new_bits > old_bits ? mantissa << (new_bits - old_bits) : mantissa >> (old_bits - new_bits));
}

template <class T>
T arithmetic(TermOp op, T x, T y) {
    switch (op) {
        case TermOp::fadd: return x + y;
        case TermOp::fsub: return x - y;
        case TermOp::fmul: return x * y;
        default: return x / y;
    }
}

bool is_commutative(TermOp op) {
    switch (op) {
        case TermOp::add:
        case TermOp::mul:
        case TermOp::bit_and:
        case TermOp::bit_or:
        case TermOp::bit_xor:
        case TermOp::smin:
        case TermOp::smax:
        case TermOp::umin:
        case TermOp::umax:
        case TermOp::equal:
        case TermOp::fadd:
        case TermOp::fmul:
        case TermOp::ordered_equal:
        case TermOp::ordered_unequal:
        case TermOp::unordered: return true;
        default: return false;
    }
}

}  // namespace

unsigned bits_of(TermType type) {
    constexpr unsigned bits[] = {1, 8, 16, 32, 64, 16, 32, 64};
    return bits[static_cast<std::size_t>(type)];
}

bool is_float(TermType type) { return type >= TermType::f16; }

TermType integer_like(TermType type) {
    if (type == TermType::f16) return TermType::i16;
    if (type == TermType::f32) return TermType::i32;
    return type == TermType::f64 ? TermType::i64 : type;
}

std::string_view name_of(TermOp op) {
    constexpr std::string_view names[] = {"constant", "memory", "poison", "add",   "sub",      "mul",  "sdiv", "udiv",  "srem",   "urem",   "shl",
                                          "lshr",     "ashr",   "and",    "or",    "xor",      "smin", "smax", "umin",  "umax",   "abs",    "ctpop",
                                          "ctlz",     "zext",   "sext",   "trunc", "bitcast",  "eq",   "slt",  "ult",   "fadd",   "fsub",   "fmul",
                                          "fdiv",     "frem",   "fneg",   "fabs",  "copysign", "sqrt", "rint", "floor", "ceil",   "ftrunc", "fpext",
                                          "fptrunc",  "sitofp", "uitofp", "oeq",   "olt",      "ole",  "one",  "uno",   "select", "call"};
    static_assert(std::size(names) == static_cast<std::size_t>(TermOp::call) + 1);
    return names[static_cast<std::size_t>(op)];
}

Terms::Terms(std::size_t most) : most_(most), table_(std::size_t{1} << 12, no_term) {}

std::int64_t Terms::signed_bits(Term term) const { return extended(bits(term), bits_of(type(term))); }

Term Terms::constant(TermType type, std::uint64_t bits) { return intern({TermOp::constant, type, 0, {}, bits & mask_of(bits_of(type))}); }

Term Terms::real(TermType type, double value) { return constant(type, bits_of_real(value, type)); }

Term Terms::negation(Term truth_value) { return make(TermOp::bit_xor, TermType::i1, {truth_value, truth(true)}); }

Term Terms::intern(const Node& node) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash_of(node) & mask;
    for (; table_[at] != no_term; at = (at + 1) & mask) {
        if (nodes_[table_[at]] == node) return table_[at];
    }
    if (nodes_.size() >= most_) throw Unproved("it has more than " + std::to_string(most_) + " terms");
    nodes_.push_back(node);
    table_[at] = static_cast<Term>(nodes_.size() - 1);
    if (nodes_.size() * 2 > table_.size()) grow();
    return static_cast<Term>(nodes_.size() - 1);
}

void Terms::grow() {
    table_.assign(table_.size() * 4, no_term);
    const std::size_t mask = table_.size() - 1;
    for (Term term = 0; term < nodes_.size(); ++term) {
        std::size_t at = hash_of(nodes_[term]) & mask;
        while (table_[at] != no_term) at = (at + 1) & mask;
        table_[at] = term;
    }
}

bool Terms::all_constant(std::span<const Term> args) const {
    return std::ranges::all_of(args, [&](Term arg) { return is_constant(arg); });
}

Term Terms::make(TermOp op, TermType type, std::span<const Term> args, std::uint64_t payload) {
    if (args.size() > most_args) throw Unproved("a function of more than " + std::to_string(most_args) + " numbers");
    Node node{op, type, static_cast<std::uint8_t>(args.size()), {}, payload};
    std::ranges::copy(args, node.args.begin());
    for (const Term arg : args) {
        if (nodes_[arg].op == TermOp::poison && op != TermOp::select) return poison(type);
    }
    std::uint64_t bits = 0;
    if (op != TermOp::call && op != TermOp::select && all_constant(args) && fold(node, bits)) return constant(type, bits);
    // Constants last, then by number.
    if (is_commutative(op)) {
        const auto rank = [&](Term term) { return std::pair(is_constant(term), term); };
        if (rank(node.args[1]) < rank(node.args[0])) std::swap(node.args[0], node.args[1]);
    }
    Term known = no_term;
    if (simplify(node, known)) return known;
    return intern(node);
}

bool Terms::fold(const Node& node, std::uint64_t& bits) const {
    if (node.op >= TermOp::fadd && node.op <= TermOp::unordered) return fold_floats(node, bits);
    return fold_integers(node, bits);
}

bool Terms::fold_integers(const Node& node, std::uint64_t& bits) const {
    const Node& first = nodes_[node.args[0]];
    const unsigned width = bits_of(first.type);
    const std::uint64_t x = first.payload, y = node.count > 1 ? nodes_[node.args[1]].payload : 0;
    const std::int64_t a = extended(x, width), b = extended(y, width);
    switch (node.op) {
        case TermOp::add: bits = x + y; return true;
        case TermOp::sub: bits = x - y; return true;
        case TermOp::mul: bits = x * y; return true;
        case TermOp::sdiv:
        case TermOp::srem:
            if (b == 0 || b == -1) return false;
            bits = static_cast<std::uint64_t>(node.op == TermOp::sdiv ? a / b : a % b);
            return true;
        case TermOp::udiv:
        case TermOp::urem:
            if (y == 0) return false;
            bits = node.op == TermOp::udiv ? x / y : x % y;
            return true;
        case TermOp::shl: bits = x << y; return y < width;
        case TermOp::lshr: bits = x >> (y & 63); return y < width;
        case TermOp::ashr: bits = static_cast<std::uint64_t>(a >> (y & 63)); return y < width;
        case TermOp::bit_and: bits = x & y; return true;
        case TermOp::bit_or: bits = x | y; return true;
        case TermOp::bit_xor: bits = x ^ y; return true;
        case TermOp::smin: bits = a < b ? x : y; return true;
        case TermOp::smax: bits = a > b ? x : y; return true;
        case TermOp::umin: bits = std::min(x, y); return true;
        case TermOp::umax: bits = std::max(x, y); return true;
        case TermOp::abs: bits = a < 0 ? 0 - static_cast<std::uint64_t>(a) : x; return true;
        case TermOp::ctpop: bits = static_cast<std::uint64_t>(std::popcount(x)); return true;
        case TermOp::ctlz: bits = static_cast<std::uint64_t>(std::countl_zero(x)) - (64 - width); return true;
        case TermOp::zext:
        case TermOp::trunc:
        case TermOp::bitcast: bits = x; return true;
        case TermOp::sext: bits = static_cast<std::uint64_t>(a); return true;
        case TermOp::equal: bits = x == y ? 1 : 0; return true;
        case TermOp::signed_less: bits = a < b ? 1 : 0; return true;
        case TermOp::unsigned_less: bits = x < y ? 1 : 0; return true;
        default: return false;
    }
}

bool Terms::fold_floats(const Node& node, std::uint64_t& bits) const {
    const Node& first = nodes_[node.args[0]];
    if (node.op == TermOp::sitofp || node.op == TermOp::uitofp) {
        if (node.type == TermType::f16) return false;
        const std::int64_t number = extended(first.payload, bits_of(first.type));
        const bool is_signed = node.op == TermOp::sitofp;
        if (node.type == TermType::f64) bits = bits_of_real(is_signed ? static_cast<double>(number) : static_cast<double>(first.payload), node.type);
        else bits = std::bit_cast<std::uint32_t>(is_signed ? static_cast<float>(number) : static_cast<float>(first.payload));
        return true;
    }
    const std::uint64_t sign = std::uint64_t{1} << (bits_of(first.type) - 1);
    const double x = real_of(first.payload, first.type), y = node.count > 1 ? real_of(nodes_[node.args[1]].payload, first.type) : 0;
    switch (node.op) {
        case TermOp::fadd:
        case TermOp::fsub:
        case TermOp::fmul:
        case TermOp::fdiv:
            if (node.type == TermType::f16) return false;
            bits = node.type == TermType::f64 ? bits_of_real(arithmetic(node.op, x, y), node.type)
                                              : std::bit_cast<std::uint32_t>(arithmetic(node.op, static_cast<float>(x), static_cast<float>(y)));
            if (std::isnan(real_of(bits, node.type))) bits = quiet_nan(node.type);  // of either sign, as LLVM has it
            return true;
        case TermOp::fneg: bits = first.payload ^ sign; return true;
        case TermOp::fabs: bits = first.payload & ~sign; return true;
        case TermOp::copysign: bits = (first.payload & ~sign) | (nodes_[node.args[1]].payload & sign); return true;
        case TermOp::fpext:
        case TermOp::fptrunc:
            if (node.type == TermType::f16 && first.type == TermType::f64) return false;
            bits = x == x ? bits_of_real(x, node.type) : converted_nan(first.payload, first.type, node.type);
            return true;
        case TermOp::ordered_equal: bits = x == y ? 1 : 0; return true;
        case TermOp::ordered_less: bits = x < y ? 1 : 0; return true;
        case TermOp::ordered_less_equal: bits = x <= y ? 1 : 0; return true;
        case TermOp::ordered_unequal: bits = x < y || x > y ? 1 : 0; return true;
        case TermOp::unordered: bits = x != x || y != y ? 1 : 0; return true;
        default: return false;
    }
}

bool Terms::simplify(Node& node, Term& known) {
    if (node.op == TermOp::select) return simplify_choice(node, known);
    if ((node.op >= TermOp::fadd && node.op <= TermOp::fptrunc) || node.op == TermOp::unordered) return simplify_floats(node, known);
    if (node.op >= TermOp::add && node.op <= TermOp::unsigned_less) return simplify_integers(node, known);
    return false;
}

// Of constants, the second operand alone may be one here.
bool Terms::simplify_integers(Node& node, Term& known) {
    const Term x = node.args[0], y = node.count > 1 ? node.args[1] : x;
    const Node& first = nodes_[x];
    const bool by_constant = node.count > 1 && is_constant(y);
    const std::uint64_t number = by_constant ? bits(y) : 0, ones = mask_of(bits_of(first.type));
    const auto is = [&](Term term) {
        known = term;
        return true;
    };
    switch (node.op) {
        case TermOp::add:
        case TermOp::sub:
        case TermOp::shl:
        case TermOp::lshr:
        case TermOp::ashr: return by_constant && number == 0 && is(x);
        case TermOp::mul: return by_constant && number <= 1 && is(number == 1 ? x : y);
        case TermOp::bit_and:
            if (x == y || (by_constant && number == ones)) return is(x);
            return by_constant && number == 0 && is(y);
        case TermOp::bit_or:
            if (x == y || (by_constant && number == 0)) return is(x);
            return by_constant && number == ones && is(y);
        case TermOp::bit_xor:
            if (by_constant && number == 0) return is(x);
            if (by_constant && first.op == TermOp::bit_xor && is_constant(first.args[1])) {
                const Term inner = first.args[0];
                return is(make(TermOp::bit_xor, node.type, {inner, constant(node.type, number ^ bits(first.args[1]))}));
            }
            return x == y && is(constant(node.type, 0));
        case TermOp::equal:
            if (x == y) return is(truth(true));
            if (by_constant && first.type == TermType::i1) return is(number == 1 ? x : negation(x));
            if (by_constant && first.op == TermOp::zext && type(first.args[0]) == TermType::i1 && number <= 1)
                return is(number == 1 ? first.args[0] : negation(first.args[0]));
            return false;
        case TermOp::signed_less:
        case TermOp::unsigned_less: return x == y && is(truth(false));
        case TermOp::zext:
        case TermOp::sext:
        case TermOp::trunc:
        case TermOp::bitcast: {
            if (node.type == first.type) return is(x);
            const bool is_back = first.count == 1 && type(first.args[0]) == node.type;
            if (node.op == TermOp::bitcast) return first.op == TermOp::bitcast && is_back && is(first.args[0]);
            return node.op == TermOp::trunc && (first.op == TermOp::zext || first.op == TermOp::sext) && is_back && is(first.args[0]);
        }
        default: return false;
    }
}

// What is exact: LLVM's passes write one for the other. (NaN's payload is none of ours.)
bool Terms::simplify_floats(Node& node, Term& known) {
    const Term x = node.args[0];
    const Node& first = nodes_[x];
    const auto is = [&](Term term) {
        known = term;
        return true;
    };
    switch (node.op) {
        case TermOp::fsub:
            if (is_constant(x) && bits(x) == std::uint64_t{1} << (bits_of(node.type) - 1)) return is(make(TermOp::fneg, node.type, {node.args[1]}));
            if (!is_constant(node.args[1])) return false;
            return is(make(TermOp::fadd, node.type, {x, make(TermOp::fneg, node.type, {node.args[1]})}));
        case TermOp::fdiv: {
            if (!is_constant(node.args[1]) || node.type == TermType::f16) return false;
            int exponent = 0;
            const double divisor = real_of(bits(node.args[1]), node.type);
            if (std::abs(std::frexp(divisor, &exponent)) != 0.5 || std::abs(exponent) > 100) return false;
            return is(make(TermOp::fmul, node.type, {x, real(node.type, 1 / divisor)}));
        }
        case TermOp::unordered: {
            const Term y = node.args[1];
            if (x == y) return false;
            const Term of_first = make(TermOp::unordered, TermType::i1, {x, x});
            return is(make(TermOp::bit_or, TermType::i1, {of_first, make(TermOp::unordered, TermType::i1, {y, y})}));
        }
        case TermOp::fneg: return first.op == TermOp::fneg && is(first.args[0]);
        case TermOp::fabs:
            if (first.op == TermOp::fabs) return is(x);
            return first.op == TermOp::fneg && is(make(TermOp::fabs, node.type, {first.args[0]}));
        case TermOp::fpext:
        case TermOp::fptrunc:
            if (node.type == first.type) return is(x);
            return node.op == TermOp::fptrunc && first.op == TermOp::fpext && type(first.args[0]) == node.type && is(first.args[0]);
        default: return false;
    }
}

bool Terms::simplify_choice(Node& node, Term& known) {
    const auto is = [&](Term term) {
        known = term;
        return true;
    };
    const Term condition = node.args[0];
    if (nodes_[condition].op == TermOp::poison) return is(poison(node.type));
    if (is_constant(condition)) return is(node.args[bits(condition) != 0 ? 1 : 2]);
    if (node.args[1] == node.args[2]) return is(node.args[1]);
    const Node& chosen = nodes_[condition];
    if (chosen.op == TermOp::bit_xor && is_constant(chosen.args[1]))
        return is(make(TermOp::select, node.type, {chosen.args[0], node.args[2], node.args[1]}));
    if (node.type != TermType::i1) return false;
    const bool is_known[] = {is_constant(node.args[1]), is_constant(node.args[2])};
    if (is_known[0] && is_known[1]) return is(bits(node.args[1]) != 0 ? condition : negation(condition));
    if (is_known[1] && bits(node.args[2]) == 0) return is(make(TermOp::bit_and, node.type, {condition, node.args[1]}));
    if (is_known[0] && bits(node.args[1]) == 1) return is(make(TermOp::bit_or, node.type, {condition, node.args[2]}));
    return false;
}

std::string Terms::text(Term term, const std::function<std::string(std::uint64_t)>& place, int depth) const {
    const Node& node = nodes_[term];
    switch (node.op) {
        case TermOp::constant: return is_float(node.type) ? std::to_string(real_of(node.payload, node.type)) : std::to_string(signed_bits(term));
        case TermOp::memory: return place(node.payload);
        case TermOp::poison: return "undefined";
        default: break;
    }
    std::string made = node.op == TermOp::call ? place(node.payload) : std::string(name_of(node.op));
    if (depth == 0) return made + "(...)";
    made += '(';
    for (std::size_t i = 0; i < node.count; ++i) made += (i == 0 ? "" : ", ") + text(node.args[i], place, depth - 1);
    return made + ')';
}

}  // namespace fastnp::codegen
