// The array graph: SSA values over the catalogue's ops. Nodes are immutable and hash-consed, so equal computations are one node (CSE
// is free) and a node's inputs always precede it.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/attributes.h"
#include "ir/location.h"
#include "ir/op.h"
#include "shape/dim.h"

namespace fastnp::ir {

struct Node {
    Op op;
    Dtype dtype;
    std::uint32_t id;  // its place in the graph's order
    shape::Dims shape;
    SmallVector<const Node*, 3> inputs;
    Attributes attributes;
    Location where{};  // the user's line; no part of what the node is: equal nodes are one, whose line is the first one's
};
using Value = const Node*;

/// Where an output lies: in the memory of a whole array, which other outputs may view too. Owner -1: it lies where it lies (in an
/// argument's memory, or in memory that was written to); nothing is asked then.
struct Place {
    std::int64_t owner = -1;
    Value whole = nullptr;               // the array that the output is a view of
    SmallVector<std::int64_t> order{};   // of whole's axes in memory, the slowest first; empty: C order
};

/// A call of a function of the outside, and what it is expected to give: arrays in C order of these types, and a text for all that is around them.
struct Call {
    struct Type {
        Dtype dtype;
        shape::Dims shape;
    };
    std::string name;
    std::string structure;
    std::vector<Type> types;
};

struct Body;

/// What the text of a graph has.
struct TextOptions {
    bool sizes = true;   // what is known of sizes: their values at hand and ranges, and the conditions on them
    bool lines = false;  // the user's lines, at the ends of the nodes' lines
};

class Graph {
public:
    Graph() = default;
    Graph(Graph&&) = default;
    Graph& operator=(Graph&&) = default;

    /// The next parameter.
    Value parameter(Dtype dtype, shape::Dims shape);
    /// The node for this op, a new one or the equal one that is there. Dtype and shape are what ops::infer says.
    Value make(Op op, std::span<const Value> inputs, Attributes attributes, Dtype dtype, shape::Dims shape);
    /// The user's line of the nodes that are made from here on; gives the one so far (see At).
    Location at(Location where) { return std::exchange(where_, where); }

    shape::Sizes& sizes() { return sizes_; }
    const shape::Sizes& sizes() const { return sizes_; }
    const std::vector<Value>& parameters() const { return parameters_; }
    const std::vector<Value>& outputs() const { return outputs_; }
    /// Of each output.
    const std::vector<Place>& places() const { return places_; }
    void set_outputs(std::vector<Value> outputs, std::vector<Place> places = {}) {
        outputs_ = std::move(outputs);
        places_ = std::move(places);
        places_.resize(outputs_.size());
    }
    /// Values that are computed though no output may need them, in this order: those that may raise an error, and updates of parameters.
    const std::vector<Value>& effects() const { return effects_; }
    void set_effects(std::vector<Value> effects) { effects_ = std::move(effects); }
    /// The calls that nodes of the op `call` make, by their number.
    const std::vector<Call>& calls() const { return calls_; }
    void add_call(Call call) { calls_.push_back(std::move(call)); }
    /// What nodes of the op `loop` do at a turn, by the body's number.
    const std::vector<std::shared_ptr<const Body>>& bodies() const { return bodies_; }
    /// Gives its number.
    std::int64_t add_body(Body body);
    /// Has the bodies that another graph has, which this one is a body of.
    void share_bodies(const Graph& other) { bodies_ = other.bodies_; }
    /// What has to be computed: outputs and effects.
    std::vector<Value> roots() const;
    const std::deque<Node>& nodes() const { return nodes_; }
    /// A number that no other copy of this graph has (see Place).
    std::int64_t next_owner() { return owners_++; }
    /// Has the numbers go on behind this one.
    void pass_owner(std::int64_t number) { owners_ = std::max(owners_, number + 1); }
    /// An empty graph over the sizes, calls and bodies of this one, which it takes, that goes on with its numbers: for a pass that writes all nodes anew.
    Graph successor();
    /// An empty graph over copies of its sizes, calls and bodies, that goes on with its numbers: for a part of it.
    Graph sibling() const;
    /// An empty graph over a copy of its sizes: for the body of a loop of it.
    Graph part() const;
    /// What has to be computed, in a graph of its own.
    Graph copy() const;

    /// A line a node: "%3 = add %1, %2 : float32[n, 4]". Equal graphs print alike, and ir::parse reads it. What is not needed does not show.
    std::string text(const TextOptions& options = {}) const;

    /// What has to be computed, as unpack() reads it. A graph that is not one fails the reader. Without the user's lines equal graphs have equal bytes.
    void pack(base::Writer& out, bool with_lines = false) const;
    static Graph unpack(base::Reader& in);

private:
    std::deque<Node> nodes_;
    std::unordered_multimap<std::size_t, Value> index_;
    std::vector<Value> parameters_, outputs_, effects_;
    std::vector<Place> places_;
    std::vector<Call> calls_;
    std::vector<std::shared_ptr<const Body>> bodies_;
    shape::Sizes sizes_;
    std::int64_t owners_ = 0;
    Location where_;
};

/// While it lives, the nodes that a graph makes are of a user's line: those in the place of another node are of that one's.
class At {
public:
    At(Graph& graph, Location where) : graph_(graph), before_(graph.at(where)) {}
    At(Graph& graph, Value value) : At(graph, value->where) {}
    ~At() { graph_.at(before_); }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

private:
    Graph& graph_;
    Location before_;
};

/// What a loop does at a turn. Its parameters: the states, the parts (one for each turn) and the constants that the loop has as operands, in this order,
/// then memory for what is collected. Its outputs are the next states; effects store what is collected, and what is written to
/// states in place. Sizes are those of the graph that it is a body of.
struct Body {
    Graph graph;
    int states = 0, parts = 0, constants = 0, collected = 0;
};

/// The attributes of a node of the op `loop`, whose operands are the states' beginnings, the parts' arrays (a part for each turn along the first axis) and
/// the constants. Its arrays (op `after`) are the states at the end, what was collected (along a new first axis), and the states that were saved: those
/// before the turns 0, save_every, 2 save_every ..., in the order of the parts.
struct Looped {
    std::int64_t body = 0;  // its number
    std::int64_t recorded = 0;  // the number of what was recorded for it (trace::Turns)
    std::int64_t save_every = 0;  // 0: none are saved
    bool backward = false;  // from the last turn to the first
    bool may_raise = false;
    std::int64_t wanted_every = 0;  // how often its derivative is to save states; 0: the best is not known
    std::int64_t covers = -1;  // the number of a body that this one does the turns of, too: on its first states and parts
    bool is_while = false;  // as long as the first state, a bool, holds, whatever the count says; it has no parts, collects and saves nothing
    bool is_once = false;  // one of these that takes one turn at most

    explicit Looped(const SmallVector<std::int64_t>& ints)
        : body(ints[0]),
          recorded(ints[1]),
          save_every(ints[2]),
          backward(ints[3] != 0),
          may_raise(ints[4] != 0),
          wanted_every(ints[5]),
          covers(ints[6]),
          is_while(ints[7] != 0),
          is_once(ints[8] != 0) {}
    Looped() = default;
    SmallVector<std::int64_t> ints() const {
        const auto flag = [](bool set) { return std::int64_t{set ? 1 : 0}; };
        return {body, recorded, save_every, flag(backward), flag(may_raise), wanted_every, covers, flag(is_while), flag(is_once)};
    }
};

void pack(const Scalar& scalar, base::Writer& out);
Scalar unpack_scalar(base::Reader& in);

/// Values that `outputs` need, inputs first.
std::vector<Value> reachable(std::span<const Value> outputs);
/// All that makes a graph: what has to be computed, its parameters, and the arrays that outputs are views of; inputs first.
std::vector<Value> nodes_of(const Graph& graph);

}  // namespace fastnp::ir
