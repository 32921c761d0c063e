// The array graph: SSA values over the catalogue's ops. Nodes are immutable and hash-consed, so equal computations are one node (CSE
// is free) and a node's inputs always precede it.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/attributes.h"
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

class Graph {
public:
    Graph() = default;
    Graph(Graph&&) = default;
    Graph& operator=(Graph&&) = default;

    /// The next parameter.
    Value parameter(Dtype dtype, shape::Dims shape);
    /// The node for this op, a new one or the equal one that is there. Dtype and shape are what ops::infer says.
    Value make(Op op, std::span<const Value> inputs, Attributes attributes, Dtype dtype, shape::Dims shape);

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
    /// What has to be computed: outputs and effects.
    std::vector<Value> roots() const;
    const std::deque<Node>& nodes() const { return nodes_; }
    /// A number that no other copy of this graph has (see Place).
    std::int64_t next_owner() { return owners_++; }
    /// An empty graph over the sizes and calls of this one, which it takes, that goes on with its numbers: for a pass that writes all nodes anew.
    Graph successor();
    /// An empty graph over copies of its sizes and calls, that goes on with its numbers: for a part of it.
    Graph sibling() const;

    /// A line a node: "%3 = add %1, %2 : float32[n, 4]"; equal graphs print alike, so the text's hash names a trace.
    std::string text() const;

    /// What has to be computed, as unpack() reads it. A graph that is not one fails the reader.
    void pack(base::Writer& out) const;
    static Graph unpack(base::Reader& in);

private:
    std::deque<Node> nodes_;
    std::unordered_multimap<std::size_t, Value> index_;
    std::vector<Value> parameters_, outputs_, effects_;
    std::vector<Place> places_;
    std::vector<Call> calls_;
    shape::Sizes sizes_;
    std::int64_t owners_ = 0;
};

void pack(const Scalar& scalar, base::Writer& out);
Scalar unpack_scalar(base::Reader& in);

/// Values that `outputs` need, inputs first.
std::vector<Value> reachable(std::span<const Value> outputs);

}  // namespace fastnp::ir
