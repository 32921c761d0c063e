#include "ir/graph.h"

#include <algorithm>
#include <sstream>
#include <unordered_set>

namespace fastnp::ir {

namespace {

std::size_t mix(std::size_t seed, std::size_t value) { return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2)); }

std::size_t hash_of(Op op, std::span<const Value> inputs, const Attributes& attributes, Dtype dtype, const shape::Dims& shape) {
    std::size_t seed = mix(static_cast<std::size_t>(op), static_cast<std::size_t>(dtype));
    for (const Value input : inputs) seed = mix(seed, input->id);
    for (const std::int64_t each : attributes.ints) seed = mix(seed, static_cast<std::size_t>(each));
    for (const shape::Dim dim : attributes.dims) seed = mix(seed, static_cast<std::size_t>(dim.raw()));
    seed = mix(seed, attributes.scalar.bits());
    for (const shape::Dim dim : shape) seed = mix(seed, static_cast<std::size_t>(dim.raw()));
    return seed;
}

constexpr std::string_view op_names[] = {
#define MAP1(name, rule, meaning, traits, doc) #name,
#define MAP2(name, rule, meaning, traits, doc) #name,
#include "fastnp/ops/map.def"
#define FOLD(name, combine, rule, identity, doc) #name,
#define ARGFOLD(name, better, doc) #name,
#define SCAN(name, combine, rule, doc) #name,
#include "fastnp/ops/fold.def"
#define ARRAY(name, kind, operands, doc) #name,
#include "fastnp/ops/array.def"
};
static_assert(std::size(op_names) == static_cast<std::size_t>(Op::count));

std::string scalar_text(const Scalar& scalar) {
    std::ostringstream out;
    out.precision(17);
    switch (scalar.kind()) {
        case WeakKind::boolean: out << (scalar.bits() != 0 ? "True" : "False"); break;
        case WeakKind::integer:
            if (scalar.negative()) out << scalar.as_int64();
            else out << scalar.bits();
            break;
        case WeakKind::floating: out << scalar.real(); break;
        case WeakKind::complex: out << scalar.real() << "+" << scalar.imag() << "j"; break;
    }
    return out.str();
}

}  // namespace

Value Graph::parameter(Dtype dtype, shape::Dims shape) {
    Attributes attributes;
    attributes.ints.push_back(static_cast<std::int64_t>(parameters_.size()));
    nodes_.push_back({Op::parameter, dtype, static_cast<std::uint32_t>(nodes_.size()), std::move(shape), {}, std::move(attributes)});
    parameters_.push_back(&nodes_.back());
    return &nodes_.back();
}

Value Graph::make(Op op, std::span<const Value> inputs, Attributes attributes, Dtype dtype, shape::Dims shape) {
    const std::size_t hash = hash_of(op, inputs, attributes, dtype, shape);
    const auto [first, last] = index_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
        const Node& node = *it->second;
        if (node.op == op && node.dtype == dtype && node.shape == shape && node.attributes == attributes &&
            std::equal(node.inputs.begin(), node.inputs.end(), inputs.begin(), inputs.end())) {
            return &node;
        }
    }
    SmallVector<const Node*, 3> held(inputs.begin(), inputs.end());
    nodes_.push_back({op, dtype, static_cast<std::uint32_t>(nodes_.size()), std::move(shape), std::move(held), std::move(attributes)});
    index_.emplace(hash, &nodes_.back());
    return &nodes_.back();
}

std::string Graph::text() const {
    std::ostringstream out;
    std::unordered_map<Value, std::size_t> number;
    auto dims_text = [&](const shape::Dims& dims) {
        std::string text;
        for (std::size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : ", ") + sizes_.text(dims[i]);
        return text;
    };
    for (const Value value : reachable(outputs_)) {
        const std::size_t id = number.emplace(value, number.size()).first->second;
        out << "%" << id << " = " << op_names[static_cast<std::size_t>(value->op)];
        for (std::size_t i = 0; i < value->inputs.size(); ++i) out << (i == 0 ? " %" : ", %") << number.at(value->inputs[i]);
        const Attributes& attributes = value->attributes;
        if (!attributes.ints.empty()) {
            out << " ints(";
            for (std::size_t i = 0; i < attributes.ints.size(); ++i) out << (i == 0 ? "" : ", ") << attributes.ints[i];
            out << ")";
        }
        if (!attributes.dims.empty()) out << " dims(" << dims_text(attributes.dims) << ")";
        if (value->op == Op::constant) out << " " << scalar_text(attributes.scalar);
        out << " : " << name_of(value->dtype) << "[" << dims_text(value->shape) << "]\n";
    }
    out << "return";
    for (std::size_t i = 0; i < outputs_.size(); ++i) out << (i == 0 ? " %" : ", %") << number.at(outputs_[i]);
    out << "\n";
    return out.str();
}

std::vector<Value> reachable(std::span<const Value> outputs) {
    std::vector<Value> found;
    std::unordered_set<Value> seen;
    std::vector<Value> open(outputs.begin(), outputs.end());
    while (!open.empty()) {
        const Value value = open.back();
        open.pop_back();
        if (!seen.insert(value).second) continue;
        found.push_back(value);
        open.insert(open.end(), value->inputs.begin(), value->inputs.end());
    }
    std::sort(found.begin(), found.end(), [](Value a, Value b) { return a->id < b->id; });  // inputs are older
    return found;
}

}  // namespace fastnp::ir
