#include "ops/verify_attributes.h"

#include <algorithm>
#include <vector>

#include "ops/catalogue.h"

namespace fastnp::ops {

namespace {

constexpr int any = -1, of_rank = -2, of_both_ends = -3;  // as many as there are, as axes of the first operand, and twice as many

// How many ints and dims an op reads.
struct Counts {
    int ints = 0, dims = 0;
};

// As the op's row in the catalogue tells.
Counts counts_of(const ir::Node& node) {
    const Kind kind = info(node.op).kind;
    switch (node.op) {
        case Op::parameter: return {1, 0};
        case Op::constant: return {0, any};
        case Op::extent: return {0, 1};
        case Op::mark: return {1, 0};
        case Op::custom: return {2, 0};
        case Op::cast: return {any, 0};  // one that is a copy has its owner
        case Op::reshape:
        case Op::broadcast_to: return {0, any};
        case Op::transpose: return {of_rank, 0};
        case Op::slice:
        case Op::update: return {of_rank, of_both_ends};
        case Op::expand_dims:
        case Op::squeeze: return {any, 0};
        case Op::pad: return {0, of_both_ends};
        case Op::take:
        case Op::call:
        case Op::across:
        case Op::argsort:
        case Op::lu_solve: return {2, 0};
        case Op::bind: return {1, 1};
        case Op::given: return {2, any};
        case Op::loop: return {static_cast<int>(ir::Looped().ints().size()), 1};
        case Op::after: return {1, any};
        case Op::nonzero:
        case Op::householder_product:
        case Op::svdvals: return {0, 1};
        case Op::sort: return {2, node.attributes.dims.empty() ? 0 : 2};
        case Op::concatenate:
        case Op::scatter:
        case Op::expect:
        case Op::searchsorted:
        case Op::eigh:
        case Op::eigvalsh: return {1, 0};
        case Op::triangular_solve: return {3, 0};
        case Op::svd: return {0, 3};
        case Op::accumulate: return {3, 0};
        case Op::fft: return {3, 1};
        case Op::rfft:
        case Op::irfft: return {2, 1};
        case Op::rank:
        case Op::all_gather:
        case Op::all_to_all: return {3, 0};
        case Op::all_reduce:
        case Op::reduce_scatter:
        case Op::broadcast: return {4, 0};
        case Op::permute: return {any, 0};
        case Op::iota:
        case Op::example:
        case Op::turn: return {1, any};
        default: break;
    }
    if (kind == Kind::fold || kind == Kind::argfold) return {any, 0};
    return {kind == Kind::scan ? 1 : 0, 0};
}

std::string wrong_count(const char* what, std::size_t found, int wanted, std::size_t rank) {
    if (wanted == any) return {};
    const std::size_t count = wanted == of_rank ? rank : wanted == of_both_ends ? 2 * rank : static_cast<std::size_t>(wanted);
    if (found == count) return {};
    return "has " + std::to_string(found) + " " + what + ", not " + std::to_string(count);
}

// Axes of so many that there are, each named once.
std::string wrong_axes(const SmallVector<std::int64_t>& axes, std::size_t rank) {
    std::vector<bool> seen(rank);
    for (const std::int64_t axis : axes) {
        if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return "has the axis " + std::to_string(axis) + " of " + std::to_string(rank);
        if (seen[static_cast<std::size_t>(axis)]) return "has the axis " + std::to_string(axis) + " twice";
        seen[static_cast<std::size_t>(axis)] = true;
    }
    return {};
}

std::string wrong_accumulation(const ir::Node& node) {
    const std::int64_t joins = node.attributes.ints[1];
    const bool is_map = joins >= 0 && joins < static_cast<std::int64_t>(Op::count) && info(static_cast<Op>(joins)).kind == Kind::map;
    if (!is_map || info(static_cast<Op>(joins)).operands != 2) return "joins by no op of two operands";
    return wrong_axes({node.attributes.ints[0]}, node.inputs[0]->shape.size());
}

// The least number of axes that an operand has.
std::size_t least_rank(Op op) {
    const Kind kind = info(op).kind;
    if (kind == Kind::contract) return 2;
    if (kind == Kind::library) return is_fft(op) ? 1 : 2;
    return op == Op::searchsorted || op == Op::nonzero ? 1 : 0;
}

}  // namespace

std::string wrong_attributes(const ir::Node& node) {
    const std::size_t rank = node.inputs.empty() ? node.shape.size() : node.inputs[0]->shape.size();
    const SmallVector<std::int64_t>& ints = node.attributes.ints;
    const Counts counts = counts_of(node);
    const Kind kind = info(node.op).kind;
    std::string wrong = wrong_count("ints", ints.size(), counts.ints, rank);
    if (wrong.empty()) wrong = wrong_count("dims", node.attributes.dims.size(), counts.dims, rank);
    if (!wrong.empty()) return wrong;
    if (node.op == Op::accumulate) return wrong_accumulation(node);
    const bool are_axes = kind == Kind::fold || kind == Kind::argfold || kind == Kind::scan || node.op == Op::transpose || node.op == Op::squeeze ||
                          node.op == Op::concatenate || node.op == Op::iota;
    if (are_axes) return wrong_axes(ints, rank);
    if (node.op == Op::expand_dims) return wrong_axes(ints, rank + ints.size());
    if (node.op == Op::take || node.op == Op::sort || node.op == Op::argsort) return wrong_axes({ints[0]}, rank);
    if (node.op == Op::cast && ints.size() > 1) return "has " + std::to_string(ints.size()) + " ints, not one";
    for (const ir::Value input : node.inputs) {
        if (input->shape.size() < least_rank(node.op)) return "takes operands of at least " + std::to_string(least_rank(node.op)) + " axes";
    }
    return {};
}

}  // namespace fastnp::ops
