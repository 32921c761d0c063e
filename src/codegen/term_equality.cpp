#include "codegen/term_equality.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>

namespace fastnp::codegen {

namespace {

using Answer = Solver::Answer;

constexpr std::size_t longest_question = 4000;  // characters of two terms
constexpr std::size_t most_questions = 40;
constexpr std::chrono::milliseconds most_time{500};  // of all questions

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9U;
    return x ^ (x >> 32);
}

std::uint64_t mask_of(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

std::int64_t extended(std::uint64_t bits, unsigned width) { return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width); }

// Two terms as text in which what lay in memory has numbers: pairs of one text are equal if one of them is.
std::string text_of(const Terms& terms, Term x, Term y) {
    std::map<Term, std::size_t> numbers;
    std::string text;
    std::vector<Term> open{y, x};
    while (!open.empty() && text.size() < longest_question) {
        const Term at = open.back();
        open.pop_back();
        const auto [known, is_new] = numbers.try_emplace(at, numbers.size());
        const Terms::Node& node = terms[at];
        text += std::to_string(known->second);
        if (is_new) {
            text += ":" + std::to_string(static_cast<int>(node.op)) + "." + std::to_string(static_cast<int>(node.type));
            if (node.op != TermOp::memory) text += "." + std::to_string(node.payload);
            for (std::size_t i = node.count; i-- > 0;) open.push_back(node.args[i]);
        }
        text += ' ';
    }
    return text;
}

}  // namespace

std::uint64_t TermValues::of(const Terms& terms, Term term, std::uint64_t seed) {
    while (values_.size() <= term) {  // arguments come before
        const auto next = static_cast<Term>(values_.size());
        values_.push_back(value(terms, next, seed) & mask_of(bits_of(terms.type(next))));
    }
    return values_[term];
}

std::uint64_t TermValues::value(const Terms& terms, Term term, std::uint64_t seed) const {
    const Terms::Node& node = terms[term];
    const auto arg = [&](std::size_t number) { return values_[node.args[number]]; };
    const std::uint64_t x = node.count > 0 ? arg(0) : 0, y = node.count > 1 ? arg(1) : 0;
    const unsigned width = node.count > 0 ? bits_of(terms.type(node.args[0])) : 64;
    const std::int64_t a = extended(x, width), b = extended(y, width);
    const std::uint64_t sign = std::uint64_t{1} << (bits_of(node.type) - 1);
    switch (node.op) {
        case TermOp::constant: return node.payload;
        case TermOp::memory: return mixed(node.payload * 8 + seed) & (mixed(node.payload + seed) % 4 == 0 ? 3 : ~std::uint64_t{0});  // some are small
        case TermOp::poison: return mixed(seed);
        case TermOp::add: return x + y;
        case TermOp::sub: return x - y;
        case TermOp::mul: return x * y;
        case TermOp::shl: return y < width ? x << y : 0;
        case TermOp::lshr: return y < width ? x >> y : 0;
        case TermOp::ashr: return static_cast<std::uint64_t>(a >> std::min<std::uint64_t>(y, 63));
        case TermOp::bit_and: return x & y;
        case TermOp::bit_or: return x | y;
        case TermOp::bit_xor: return x ^ y;
        case TermOp::smin: return a < b ? x : y;
        case TermOp::smax: return a < b ? y : x;
        case TermOp::umin: return std::min(x, y);
        case TermOp::umax: return std::max(x, y);
        case TermOp::abs: return a < 0 ? 0 - x : x;
        case TermOp::zext:
        case TermOp::trunc:
        case TermOp::bitcast: return x;
        case TermOp::sext: return static_cast<std::uint64_t>(a);
        case TermOp::equal: return x == y ? 1 : 0;
        case TermOp::signed_less: return a < b ? 1 : 0;
        case TermOp::unsigned_less: return x < y ? 1 : 0;
        case TermOp::fneg: return x ^ sign;
        case TermOp::fabs: return x & ~sign;
        case TermOp::copysign: return (x & ~sign) | (y & sign);
        case TermOp::select: return x != 0 ? y : arg(2);
        default: break;
    }
    std::uint64_t hash = mixed(node.payload + static_cast<std::uint64_t>(node.op) * 1024 + static_cast<std::uint64_t>(node.type) + seed);
    for (std::size_t i = 0; i < node.count; ++i) hash = mixed(hash + arg(i) * 2 + 1);
    return hash;
}

bool TermEquality::may_be_equal(const Terms& terms, Term x, Term y) {
    std::uint64_t seed = 1;
    return std::ranges::all_of(values_, [&](TermValues& values) {
        ++seed;
        return values.of(terms, x, seed) == values.of(terms, y, seed);
    });
}

bool TermEquality::has_solver() {
    if (!has_looked_) solver_ = Solver::make();
    has_looked_ = true;
    return solver_ != nullptr;
}

Answer TermEquality::compare(const Terms& terms, Term x, Term y) { return compare(terms, x, y, 0); }

Answer TermEquality::compare(const Terms& terms, Term x, Term y, int depth) {
    constexpr int deepest = 4000;
    if (x == y || known_.contains({x, y})) return Answer::equal;
    if (terms.type(x) != terms.type(y) || !may_be_equal(terms, x, y)) return Answer::different;
    const Terms::Node &first = terms[x], &second = terms[y];
    const bool is_alike = first.op == second.op && first.payload == second.payload && first.count == second.count && first.count > 0;
    if (is_alike && depth < deepest) {
        bool all = true;
        for (std::size_t i = 0; all && i < first.count; ++i) all = compare(terms, first.args[i], second.args[i], depth + 1) == Answer::equal;
        if (all) {
            known_.insert({x, y});
            return Answer::equal;
        }
    }
    return ask(terms, x, y);
}

Answer TermEquality::ask(const Terms& terms, Term x, Term y) {
    const std::string text = text_of(terms, x, y);
    if (equal_.contains(text)) return Answer::equal;
    if (!has_solver() || text.size() >= longest_question || asked_ >= most_questions || spent_ >= most_time) return Answer::unknown;
    ++asked_;
    const auto start = std::chrono::steady_clock::now();
    const Answer answer = solver_->compare(terms, x, y);
    spent_ += std::chrono::steady_clock::now() - start;
    if (answer == Answer::equal) equal_.insert(text);
    return answer;
}

}  // namespace fastnp::codegen
