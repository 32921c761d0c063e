#include "ops/catalogue.h"

#include "base/fork.h"
#include "ir/graph.h"

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>

#include "ops/rules.h"

namespace fastnp::ops {

namespace {

constexpr int operands_of(Kind kind, int given) { return kind == Kind::fold || kind == Kind::argfold || kind == Kind::scan ? 1 : given; }

// An identity column holds a number or the word none.
struct NoIdentity {};
constexpr std::optional<int> identity_of(int value) { return value; }
constexpr std::optional<int> identity_of(NoIdentity) { return std::nullopt; }

std::array<Info, static_cast<std::size_t>(Op::count)> make_table() {
    std::array<Info, static_cast<std::size_t>(Op::count)> table;
    std::size_t at = 0;
    auto add = [&](Info info) {
        info.op = static_cast<Op>(at);
        info.operands = static_cast<std::int8_t>(operands_of(info.kind, info.operands));
        table[at++] = info;
    };
#define MAP1(name, rule, meaning, partial, traits, doc) \
    add({Op::name, #name, Kind::map, 1, static_cast<std::uint8_t>(traits), &rules::rule, Op::count, {}, {}, #meaning, doc});
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) \
    add({Op::name, #name, Kind::map, 2, static_cast<std::uint8_t>(traits), &rules::rule, Op::count, {}, {}, #meaning, doc});
#include "fastnp/ops/map.def"
    constexpr NoIdentity none{};
    (void)none;
#define FOLD(name, combine, rule, identity, doc) \
    add({Op::name, #name, Kind::fold, 1, Trait::none, nullptr, Op::combine, #rule, identity_of(identity), {}, doc});
#define ARGFOLD(name, better, doc) add({Op::name, #name, Kind::argfold, 1, Trait::none, nullptr, Op::better, {}, {}, {}, doc});
#define SCAN(name, combine, rule, doc) add({Op::name, #name, Kind::scan, 1, Trait::none, nullptr, Op::combine, #rule, {}, {}, doc});
#include "fastnp/ops/fold.def"
#define ARRAY(name, kind, operands, doc) add({Op::name, #name, Kind::kind, operands, Trait::none, nullptr, Op::count, {}, {}, {}, doc});
#include "fastnp/ops/array.def"
#define JOIN(name, combine, rule, identity, doc) \
    add({Op::name, #name, Kind::fold, 1, Trait::none, nullptr, Op::combine, #rule, identity_of(identity), {}, doc});
#include "fastnp/ops/join.def"
    return table;
}

const auto& table() {
    return base::made_once([] { return std::make_unique<const decltype(make_table())>(make_table()); });
}

}  // namespace

const Info& info(Op op) { return table()[static_cast<std::size_t>(op)]; }

std::optional<Op> find(std::string_view name) {
    const auto& names = base::made_once([] {
        auto made = std::make_unique<std::unordered_map<std::string_view, Op>>();
        for (const Info& each : table()) made->emplace(each.name, each.op);
        return made;
    });
    const auto found = names.find(name);
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

Op joined_by(Op op, const ir::Attributes& attributes) { return op == Op::accumulate ? static_cast<Op>(attributes.ints[1]) : info(op).combine; }

std::optional<Op> fold_by(Op combine, Dtype dtype) {
    if (is_complex(dtype) && (combine == Op::fmax || combine == Op::fmin)) return std::nullopt;
    for (const Info& each : table()) {
        if (each.kind == Kind::fold && each.combine == combine) return each.op;
    }
    return std::nullopt;
}

bool is_associative(Op op) { return (info(op).traits & associative) != 0; }

std::optional<double> neutral_of(Op joins) {
#define NEUTRAL(name, value) \
    if (joins == Op::name) return value;
#include "fastnp/ops/join.def"
    for (const Info& each : table()) {
        if (each.kind == Kind::fold && each.combine == joins && each.identity) return *each.identity;
    }
    return std::nullopt;
}

namespace {

// A number that is known and 0 or more.
bool is_no_negative(const ir::Node& node) { return node.op == Op::constant && !node.attributes.scalar.negative(); }

}  // namespace

bool may_raise(const ir::Node& node) {
    if (node.op == Op::accumulate) return joined_by(node.op, node.attributes) == Op::power && kind_of(node.dtype) == 'i';
    if (node.op == Op::power) return kind_of(node.dtype) == 'i' && !is_no_negative(*node.inputs[1]);
    if (info(node.op).kind == Kind::collective) return true;
    switch (node.op) {
        case Op::loop: return ir::Looped(node.attributes.ints).may_raise;
        case Op::take: return node.attributes.ints[1] == 0;
        case Op::lu_solve: return node.attributes.ints[1] != 0;
        case Op::scatter:
        case Op::cholesky:
        case Op::eigh:
        case Op::eigvalsh:
        case Op::svd:
        case Op::svdvals:
        case Op::eig:
        case Op::eigvals: return true;
        default: return false;
    }
}

bool is_read(Op op) { return op == Op::expect || op == Op::bind || op == Op::call; }

bool is_effect(const ir::Node& node) { return node.op == Op::update || is_read(node.op) || may_raise(node); }

bool is_fft(Op op) { return op == Op::fft || op == Op::rfft || op == Op::irfft; }

bool keeps_order(Op op) {
    const Kind kind = info(op).kind;
    return kind == Kind::map || kind == Kind::fold || kind == Kind::scan || op == Op::sort || op == Op::concatenate || op == Op::pad || is_fft(op);
}

}  // namespace fastnp::ops
