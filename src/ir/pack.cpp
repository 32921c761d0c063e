// Graphs as bytes, for recordings that are kept on disk.
#include <algorithm>
#include <bit>
#include <utility>

#include "ir/graph.h"

namespace fastnp::ir {

namespace {

Dtype unpack_dtype(base::Reader& in) { return static_cast<Dtype>(in.below(static_cast<std::uint64_t>(dtype_count))); }

template <class Numbers>
void pack_numbers(const Numbers& numbers, base::Writer& out) {
    out.number(numbers.size());
    for (const std::int64_t number : numbers) out.integer(number);
}

SmallVector<std::int64_t> unpack_numbers(base::Reader& in) {
    SmallVector<std::int64_t> numbers;
    for (std::uint64_t left = in.count(); left > 0; --left) numbers.push_back(in.integer());
    return numbers;
}

class Packer {
public:
    explicit Packer(base::Writer& out) : out_(out) {}

    // The lines of nodes, each once.
    void lines(const std::vector<Value>& nodes) {
        std::vector<Location> all;
        for (const Value value : nodes) {
            if (value->where && lines_.emplace(value->where.id, lines_.size() + 1).second) all.push_back(value->where);
        }
        out_.number(all.size());
        for (const Location each : all) {
            const Line& line = line_of(each);
            out_.text(line.file);
            out_.integer(line.number);
            out_.text(line.function);
        }
        for (const Value value : nodes) out_.number(value->where ? lines_.at(value->where.id) : 0);
    }

    void node(Value value) {
        numbers_.emplace(value, numbers_.size());
        out_.number(static_cast<std::uint64_t>(value->op));
        out_.number(static_cast<std::uint64_t>(value->dtype));
        shape::pack(value->shape, out_);
        values(value->inputs);
        pack_numbers(value->attributes.ints, out_);
        shape::pack(value->attributes.dims, out_);
        pack(value->attributes.scalar, out_);
        out_.number(static_cast<std::uint64_t>(value->attributes.dtype));
    }
    template <class Values>
    void values(const Values& all) {
        out_.number(all.size());
        for (const Value value : all) out_.number(numbers_.at(value));
    }
    void place(const Place& place) {
        out_.integer(place.owner);
        out_.number(place.whole == nullptr ? 0 : numbers_.at(place.whole) + 1);
        pack_numbers(place.order, out_);
    }
    void call(const Call& call) {
        out_.text(call.name);
        out_.text(call.structure);
        out_.number(call.types.size());
        for (const Call::Type& type : call.types) {
            out_.number(static_cast<std::uint64_t>(type.dtype));
            shape::pack(type.shape, out_);
        }
    }

private:
    base::Writer& out_;
    std::unordered_map<Value, std::uint64_t> numbers_;
    std::unordered_map<std::uint32_t, std::uint64_t> lines_;
};

class Unpacker {
public:
    Unpacker(Graph& graph, base::Reader& in) : graph_(graph), in_(in) {}

    // Of so many nodes, in their order.
    void lines(std::uint64_t nodes) {
        std::vector<Location> all(1);
        for (std::uint64_t left = in_.count(); left > 0 && in_.ok(); --left) {
            const std::string_view file = in_.text();
            const std::int64_t number = in_.integer();
            all.push_back(location_of(file, static_cast<int>(number), in_.text()));
        }
        for (; nodes > 0 && in_.ok(); --nodes) lines_.push_back(all[in_.below(all.size())]);
    }
    // Parameters come in their order.
    void node() {
        const At at(graph_, values_.size() < lines_.size() ? lines_[values_.size()] : Location());
        const auto op = static_cast<Op>(in_.below(static_cast<std::uint64_t>(Op::count)));
        const Dtype dtype = unpack_dtype(in_);
        shape::Dims shape = shape::unpack_dims(graph_.sizes(), in_);
        const std::vector<Value> inputs = values();
        Attributes attributes;
        attributes.ints = unpack_numbers(in_);
        attributes.dims = shape::unpack_dims(graph_.sizes(), in_);
        attributes.scalar = unpack_scalar(in_);
        attributes.dtype = unpack_dtype(in_);
        if (!in_.ok()) return;
        values_.push_back(op == Op::parameter ? graph_.parameter(dtype, std::move(shape))
                                              : graph_.make(op, inputs, std::move(attributes), dtype, std::move(shape)));
    }
    std::vector<Value> values() {
        std::vector<Value> all;
        for (std::uint64_t left = in_.count(); left > 0; --left) all.push_back(value(in_.below(values_.size())));
        return all;
    }
    Place place() {
        Place place;
        place.owner = in_.integer();
        const std::uint64_t whole = in_.below(values_.size() + 1);
        place.whole = whole == 0 ? nullptr : value(whole - 1);
        place.order = unpack_numbers(in_);
        return place;
    }
    Call call() {
        Call call{std::string(in_.text()), std::string(in_.text()), {}};
        for (std::uint64_t left = in_.count(); left > 0; --left) {
            const Dtype dtype = unpack_dtype(in_);
            call.types.push_back({dtype, shape::unpack_dims(graph_.sizes(), in_)});
        }
        return call;
    }

private:
    Value value(std::uint64_t number) const { return in_.ok() ? values_[number] : nullptr; }

    Graph& graph_;
    base::Reader& in_;
    std::vector<Value> values_;
    std::vector<Location> lines_;
};

}  // namespace

void pack(const Scalar& scalar, base::Writer& out) {
    out.number(static_cast<std::uint64_t>(scalar.kind()));
    out.number(scalar.bits());
    out.number(scalar.negative() ? 1 : 0);
    const bool is_whole = scalar.kind() == WeakKind::boolean || scalar.kind() == WeakKind::integer;
    out.number(is_whole ? 0 : std::bit_cast<std::uint64_t>(scalar.real()));
    out.number(is_whole ? 0 : std::bit_cast<std::uint64_t>(scalar.imag()));
}

Scalar unpack_scalar(base::Reader& in) {
    const auto kind = static_cast<WeakKind>(in.below(static_cast<std::uint64_t>(WeakKind::complex) + 1));
    const std::uint64_t bits = in.number(), negative = in.number();
    const double real = std::bit_cast<double>(in.number()), imag = std::bit_cast<double>(in.number());
    switch (kind) {
        case WeakKind::boolean: return Scalar(bits != 0);
        case WeakKind::integer: return negative != 0 ? Scalar(static_cast<std::int64_t>(bits)) : Scalar(bits);
        case WeakKind::floating: return Scalar(real);
        case WeakKind::complex: break;
    }
    return Scalar(std::complex<double>(real, imag));
}

namespace {

void pack_body(const Body& body, base::Writer& out, bool with_lines) {
    for (const int count : {body.states, body.parts, body.constants, body.collected}) out.number(static_cast<std::uint64_t>(count));
    body.graph.pack(out, with_lines);
}

Body unpack_body(base::Reader& in) {
    Body body;
    for (int* count : {&body.states, &body.parts, &body.constants, &body.collected}) *count = static_cast<int>(in.below(1 << 20));
    body.graph = Graph::unpack(in);
    return body;
}

}  // namespace

void Graph::pack(base::Writer& out, bool with_lines) const {
    sizes_.pack(out);
    const std::vector<Value> needed = nodes_of(*this);
    Packer packer(out);
    out.number(needed.size());
    out.number(with_lines ? 1 : 0);
    if (with_lines) packer.lines(needed);
    for (const Value value : needed) packer.node(value);
    packer.values(outputs_);
    for (const Place& place : places_) packer.place(place);
    packer.values(effects_);
    out.number(calls_.size());
    for (const Call& call : calls_) packer.call(call);
    out.number(bodies_.size());
    for (const auto& body : bodies_) pack_body(*body, out, with_lines);
    out.integer(owners_);
}

Graph Graph::unpack(base::Reader& in) {
    Graph graph;
    graph.sizes_ = shape::Sizes::unpack(in);
    Unpacker unpacker(graph, in);
    std::uint64_t nodes = in.count();
    if (in.below(2) != 0) unpacker.lines(nodes);
    for (; nodes > 0 && in.ok(); --nodes) unpacker.node();
    graph.outputs_ = unpacker.values();
    for (std::size_t i = 0; i < graph.outputs_.size(); ++i) graph.places_.push_back(unpacker.place());
    graph.effects_ = unpacker.values();
    for (std::uint64_t left = in.count(); left > 0; --left) graph.add_call(unpacker.call());
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) graph.add_body(unpack_body(in));
    graph.owners_ = in.integer();
    return graph;
}

Graph Graph::copy() const {
    base::Writer out;
    pack(out, true);
    base::Reader in(out.bytes());
    return unpack(in);
}

}  // namespace fastnp::ir
