// Fusion: which values are computed together in one loop nest, and which must lie in memory between steps.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"
#include "pass/apart.h"
#include "pass/index_map.h"

namespace fastnp::pass {

/// Values computed in one walk over `domain`. Folds reduce its `reduced` axes; full members have the domain's shape, outer members that of
/// the axes that are not reduced (or with 1 in place of those).
struct Region {
    enum class Role : std::uint8_t { fold, full, outer };
    struct Member {
        ir::Value value;
        Role role;
    };
    shape::Dims domain;
    SmallVector<bool> reduced;
    std::vector<Member> members;
    /// Few and long reductions: blocks of the first reduced axis are folded side by side, then their results.
    bool split = false;

    bool has_fold() const;
    /// The map from a member's axes to the domain's.
    IndexMap map_of(const Member& member) const;
};

/// A step computes a region, or one node by its precompiled kernel.
struct Step {
    ir::Value node = nullptr;  // precompiled
    Region region;             // otherwise
    Apart apart = Apart::none;  // why it is no part of an earlier step
    int from = -1;              // that one, by its place; -1: there is none that it could be part of
};

struct Program {
    std::vector<Step> steps;                            // in an order that can be run
    std::unordered_map<ir::Value, Storage> storage;     // of every value that a step reads or writes, and of every output
    std::unordered_map<ir::Value, std::vector<ir::Value>> joined;  // as Roots::joined() has it
    std::unordered_set<ir::Value> gathered;  // takes that are computed where they are used: their steps look at the indices alone
};

/// How many lines (what a fold walks for one of its results) a device walks side by side, and how many keep it busy evenly to the end.
struct Walkers {
    int at_once = 1;
    int busy = 8;

    static Walkers of_pool(int threads) { return {threads, 8 * threads}; }
    /// Teams of threads, about one a multiprocessor, whatever the host has: results are the same on all.
    static Walkers of_gpu() { return {128, 128}; }
};

struct FuseOptions {
    bool fuse = true;  // false: every node is a step of its own (the "eager" backend)
    Walkers walkers = {};
    Layout layout = Layout::contiguous;
    bool gathers = false;  // kernels can take elements by index
    bool apart = false;    // each op is a kernel of its own
};

/// `parameter_strides`: the layout of each parameter, in bytes.
Program fuse(ir::Graph& graph, const std::vector<shape::Dims>& parameter_strides, const FuseOptions& options);

}  // namespace fastnp::pass
