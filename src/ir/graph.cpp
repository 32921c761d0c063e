#include "ir/graph.h"

#include <algorithm>
#include <bit>
#include <charconv>

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

std::string number_text(double value) {
    char text[40];
    std::string result(text, std::to_chars(text, text + sizeof text, value).ptr);
    if (result.find_first_of(".en") == std::string::npos) result += ".0";  // not to be taken for an integer
    return result;
}

std::string dims_text(const shape::Dims& dims, const shape::Sizes& sizes) {
    std::string result = "[";
    for (std::size_t i = 0; i < dims.size(); ++i) result += (i == 0 ? "" : ", ") + sizes.text(dims[i]);
    return result + "]";
}

// What tells this node from others of its op; what the type after the colon shows is left out.
std::string attributes_text(const Node& node, const shape::Sizes& sizes) {
    const Attributes& attributes = node.attributes;
    std::string result;
    if (node.op == Op::constant) result += " " + text_of(attributes.scalar);
    if (!attributes.ints.empty()) {
        result += " (";
        for (std::size_t i = 0; i < attributes.ints.size(); ++i) result += (i == 0 ? "" : ", ") + std::to_string(attributes.ints[i]);
        result += ")";
    }
    if (!attributes.dims.empty() && !(attributes.dims == node.shape)) result += " " + dims_text(attributes.dims, sizes);
    return result;
}

}  // namespace

std::string text_of(const Scalar& scalar) {
    switch (scalar.kind()) {
        case WeakKind::boolean: return scalar.bits() != 0 ? "true" : "false";
        case WeakKind::integer: return scalar.negative() ? std::to_string(scalar.as_int64()) : std::to_string(scalar.bits());
        case WeakKind::floating: return number_text(scalar.real());
        case WeakKind::complex: return "(" + number_text(scalar.real()) + ", " + number_text(scalar.imag()) + ")";
    }
    return {};
}

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
    nodes_.push_back({op, dtype, static_cast<std::uint32_t>(nodes_.size()), std::move(shape), {inputs.begin(), inputs.end()}, std::move(attributes)});
    index_.emplace(hash, &nodes_.back());
    return &nodes_.back();
}

std::vector<Value> Graph::roots() const {
    std::vector<Value> all = outputs_;
    all.insert(all.end(), effects_.begin(), effects_.end());
    return all;
}

std::string Graph::text() const {
    std::unordered_map<Value, std::string> names;  // numbered anew, so that what is not needed does not show
    const auto joined = [&names](const auto& values) {
        std::string result;
        for (const Value value : values) result += (result.empty() ? " " : ", ") + names.at(value);
        return result;
    };
    std::string result;
    for (const Value value : reachable(roots())) {
        const std::string& name = names.emplace(value, "%" + std::to_string(names.size())).first->second;
        result += name + " = " + std::string(name_of(value->op)) + joined(value->inputs) + attributes_text(*value, sizes_) + " : " +
                  std::string(fastnp::name_of(value->dtype)) + dims_text(value->shape, sizes_) + "\n";
    }
    result += "return" + joined(outputs_) + "\n";
    for (std::size_t i = 0; i < bodies_.size(); ++i) result += "body " + std::to_string(i) + ":\n" + bodies_[i]->graph.text();
    return result;
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

}  // namespace fastnp::ir
