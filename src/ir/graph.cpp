#include "ir/graph.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"

namespace fastnp::ir {

namespace {

std::size_t hash_of(const Scalar& scalar) {
    std::size_t hash = base::mix(static_cast<std::size_t>(scalar.kind()), scalar.bits());
    if (scalar.kind() == WeakKind::boolean || scalar.kind() == WeakKind::integer) return hash;
    hash = base::mix(hash, std::bit_cast<std::uint64_t>(scalar.real()));
    return base::mix(hash, std::bit_cast<std::uint64_t>(scalar.imag()));
}

std::size_t hash_of(Op op, std::span<const Value> inputs, const Attributes& attributes, Dtype dtype, const shape::Dims& shape) {
    std::size_t hash = base::mix(static_cast<std::size_t>(op), static_cast<std::uint64_t>(dtype));
    for (const Value input : inputs) hash = base::mix(hash, input->id);
    for (const shape::Dim dim : shape) hash = base::mix(hash, static_cast<std::uint64_t>(dim.raw()));
    for (const std::int64_t number : attributes.ints) hash = base::mix(hash, static_cast<std::uint64_t>(number));
    for (const shape::Dim dim : attributes.dims) hash = base::mix(hash, static_cast<std::uint64_t>(dim.raw()));
    return base::mix(hash, hash_of(attributes.scalar));
}

}  // namespace

Graph Graph::successor() {
    Graph next;
    next.sizes_ = std::move(sizes_);
    next.calls_ = std::move(calls_);
    next.bodies_ = std::move(bodies_);
    next.owners_ = owners_;
    return next;
}

Graph Graph::sibling() const {
    Graph part;
    part.sizes_ = sizes_;
    part.calls_ = calls_;
    part.bodies_ = bodies_;
    part.owners_ = owners_;
    return part;
}

Graph Graph::part() const {
    Graph part;
    part.sizes_ = sizes_;
    part.owners_ = owners_;
    return part;
}

std::int64_t Graph::add_body(Body body) {
    bodies_.push_back(std::make_shared<const Body>(std::move(body)));
    return static_cast<std::int64_t>(bodies_.size() - 1);
}

Value Graph::parameter(Dtype dtype, shape::Dims shape) {
    Node node{Op::parameter, dtype, static_cast<std::uint32_t>(nodes_.size()), std::move(shape), {}, {}};
    node.attributes.ints.push_back(static_cast<std::int64_t>(parameters_.size()));
    nodes_.push_back(std::move(node));
    parameters_.push_back(&nodes_.back());
    return parameters_.back();
}

Value Graph::make(Op op, std::span<const Value> inputs, Attributes attributes, Dtype dtype, shape::Dims shape) {
    const std::size_t hash = hash_of(op, inputs, attributes, dtype, shape);
    const auto [first, last] = index_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
        const Node& node = *known->second;
        if (node.op == op && node.dtype == dtype && std::equal(inputs.begin(), inputs.end(), node.inputs.begin(), node.inputs.end()) &&
            node.attributes == attributes && node.shape == shape) {
            return known->second;
        }
    }
    const auto id = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({op, dtype, id, std::move(shape), {inputs.begin(), inputs.end()}, std::move(attributes), where_});
    index_.emplace(hash, &nodes_.back());
    return &nodes_.back();
}

std::vector<Value> Graph::roots() const {
    std::vector<Value> all = outputs_;
    all.insert(all.end(), effects_.begin(), effects_.end());
    return all;
}

std::vector<Value> reachable(std::span<const Value> outputs) {
    std::vector<Value> found, pending(outputs.begin(), outputs.end());
    std::vector<bool> seen;
    while (!pending.empty()) {
        const Value value = pending.back();
        pending.pop_back();
        if (seen.size() <= value->id) seen.resize(value->id + 1);
        if (seen[value->id]) continue;
        seen[value->id] = true;
        found.push_back(value);
        pending.insert(pending.end(), value->inputs.begin(), value->inputs.end());
    }
    std::sort(found.begin(), found.end(), [](Value a, Value b) { return a->id < b->id; });  // ids are in the order of making
    return found;
}

std::vector<Value> nodes_of(const Graph& graph) {
    std::vector<Value> needed = graph.roots();
    needed.insert(needed.end(), graph.parameters().begin(), graph.parameters().end());
    for (const Place& place : graph.places()) {
        if (place.whole != nullptr) needed.push_back(place.whole);
    }
    return reachable(needed);
}

}  // namespace fastnp::ir
