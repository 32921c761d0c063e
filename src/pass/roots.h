// Which values must exist as such, and where they lie. Roots are folds, outputs, operands of precompiled steps, updates, and what updates ask for; all
// else is computed where it is used.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"
#include "pass/index_map.h"

namespace fastnp::pass {

class Roots {
public:
    /// `fuse` false: every node is a step of its own. `layout`: of what is stored.
    /// `gathers`: kernels can take elements by index.
    Roots(ir::Graph& graph, const std::vector<shape::Dims>& parameter_strides, bool fuse, Layout layout, bool gathers);

    /// The values that are needed, in the order of the program.
    const std::vector<ir::Value>& order() const { return order_; }
    bool contains(ir::Value value) const { return roots_.contains(value); }
    bool insert(ir::Value value) { return roots_.insert(value).second; }
    /// Whether a value is computed by its precompiled kernel.
    bool is_precompiled(ir::Value value) const;
    /// Where a value lies, if it does so anywhere.
    std::optional<Storage> resolve(ir::Value value) const;
    /// What a value is a view of, as it was at that time.
    ir::Value version_of(ir::Value value) const;
    bool any_updates() const { return !next_.empty(); }
    /// Of each concatenation with parts that lie in their places of it: the part for each operand, null for those that are to be copied there.
    using Joined = std::unordered_map<ir::Value, std::vector<ir::Value>>;
    const Joined& joined() const { return joined_; }
    /// Takes that are computed where they are used.
    const std::unordered_set<ir::Value>& gathered() const { return gathered_; }
    /// Whether a root reads, and writes, of what an update stores to only the element at the same point.
    bool touches_in_place(ir::Value root, ir::Value update);

private:
    void find();
    void place(ir::Value value);
    void place_reshape(ir::Value value);
    void place_update(ir::Value update);
    void join_parts();
    void count_uses();
    void find_gathered();
    std::optional<std::pair<ir::Value, Storage>> part_in_place(ir::Value operand, Storage place) const;
    void compute_before_writes();
    void force(ir::Value value);
    void force_outlived();
    using Seen = std::unordered_map<ir::Value, std::vector<IndexMap>>;
    bool reads_elsewhere(ir::Value value, const IndexMap& map, const Storage& target);
    bool reads_elsewhere(ir::Value value, const IndexMap& map, const Storage& target, Seen& seen);

    ir::Graph& graph_;
    shape::Sizes& sizes_;
    const std::vector<shape::Dims>& parameter_strides_;
    bool fuse_;
    bool for_device_;  // whose kernels take elements by index
    Layout layout_;
    bool is_output_ = false;  // what is being placed is an output
    std::vector<ir::Value> order_;
    std::unordered_set<ir::Value> roots_;
    std::unordered_set<ir::Value> copies_;                  // moves that copy
    std::unordered_map<ir::Value, Storage> updates_;        // where they lie
    std::unordered_map<ir::Value, Storage> parts_;          // of concatenations, where they lie
    std::unordered_map<ir::Value, int> uses_;               // how many values read a value, and outputs are it
    Joined joined_;
    std::unordered_set<ir::Value> gathered_;
    std::unordered_map<ir::Value, ir::Value> next_;         // the update that overwrites a version of some memory
};

}  // namespace fastnp::pass
