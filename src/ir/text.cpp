// Graphs as text that ir::parse reads.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <unordered_map>

#include "ir/graph.h"
#include "ir/implied.h"
#include "ir/sizes_text.h"

namespace fastnp::ir {

namespace {

// NaNs with other bits than the usual one show them.
std::string nan_text(double value) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63, usual = 0x7ff8000000000000;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if ((bits & ~sign) == usual) return bits == usual ? "nan" : "-nan";
    char text[32];
    std::snprintf(text, sizeof text, "nan(0x%llx)", static_cast<unsigned long long>(bits));
    return text;
}

std::string number_text(double value) {
    if (value != value) return nan_text(value);
    char text[40];
    std::string result(text, std::to_chars(text, text + sizeof text, value).ptr);
    if (result.find_first_of(".en") == std::string::npos) result += ".0";  // not to be taken for an integer
    return result;
}

template <class List, class Text>
std::string joined(const List& list, const Text& text) {
    std::string result;
    bool is_first = true;
    for (const auto& each : list) {
        result += (is_first ? "" : ", ") + text(each);
        is_first = false;
    }
    return result;
}

std::string ints_text(const SmallVector<std::int64_t>& ints) {
    return "(" + joined(ints, [](std::int64_t each) { return std::to_string(each); }) + ")";
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        if (each == '"' || each == '\\') {
            result += {'\\', each};
        } else if (byte < 0x20 || byte == 0x7f) {
            char code[8];
            std::snprintf(code, sizeof code, "\\x%02x", byte);
            result += code;
        } else {
            result += each;
        }
    }
    return result + "\"";
}

class GraphText {
public:
    GraphText(const Graph& graph, const shape::Sizes& sizes, const TextOptions& options, std::string indent)
        : graph_(graph), sizes_(sizes), options_(options), indent_(std::move(indent)) {}

    std::string run(bool with_sizes) {
        const std::vector<Value> nodes = nodes_of(graph_);
        if (with_sizes) sizes(nodes);
        for (const Value value : nodes) node(*value);
        if (!graph_.effects().empty()) line("effects " + values(graph_.effects()));
        outputs();
        for (std::size_t i = 0; i < graph_.calls().size(); ++i) call(i, graph_.calls()[i]);
        for (std::size_t i = 0; i < graph_.bodies().size(); ++i) body(i, *graph_.bodies()[i]);
        return std::move(result_);
    }

private:
    void line(const std::string& text) { result_ += indent_ + text + "\n"; }

    std::string dims(const shape::Dims& all) const {
        return "[" + joined(all, [this](shape::Dim dim) { return sizes_.text(dim); }) + "]";
    }
    std::string type(Dtype dtype, const shape::Dims& shape) const { return std::string(fastnp::name_of(dtype)) + dims(shape); }

    const std::string& name(Value value) const { return names_.at(value); }
    template <class Values>
    std::string values(const Values& all) const {
        return joined(all, [this](Value value) { return name(value); });
    }

    void node(const Node& value) {
        const std::string& own = names_.emplace(&value, "%" + std::to_string(names_.size())).first->second;  // numbered anew
        std::string text = own + " = " + std::string(name_of(value.op));
        if (!value.inputs.empty()) text += " " + values(value.inputs);
        text += attributes(value) + " : " + type(value.dtype, value.shape);
        if (options_.lines && value.where) text += "  ; " + text_of(value.where);
        line(text);
    }

    // What tells this node from others of its op; what the type behind the colon shows is left out.
    std::string attributes(const Node& value) const {
        const Attributes& all = value.attributes;
        std::string text;
        if (value.op == Op::constant || !(all.scalar == Scalar())) text += " " + text_of(all.scalar);
        if (!all.ints.empty()) text += " " + ints_text(all.ints);
        if (!(all.dims == (dims_are_shape(value.op) ? value.shape : shape::Dims()))) text += " " + dims(all.dims);
        if (all.dtype != implied_dtype(value.op, value.dtype)) text += " dtype " + std::string(fastnp::name_of(all.dtype));
        return text;
    }

    void outputs() {
        std::string text = "return";
        for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
            text += (i == 0 ? " " : ", ") + name(graph_.outputs()[i]);
            const Place& place = graph_.places()[i];
            if (place.owner >= 0) text += " at " + std::to_string(place.owner);
            if (place.whole != nullptr) text += " of " + name(place.whole);
            if (!place.order.empty()) text += " " + ints_text(place.order);
        }
        line(text);
    }

    void call(std::size_t number, const Call& call) {
        line("call " + std::to_string(number) + ": " + quoted(call.name) + " " + quoted(call.structure) + " (" +
             joined(call.types, [this](const Call::Type& each) { return type(each.dtype, each.shape); }) + ")");
    }

    // Its sizes are those of the graph around it.
    void body(std::size_t number, const Body& body) {
        line("body " + std::to_string(number) + " (states " + std::to_string(body.states) + ", parts " + std::to_string(body.parts) + ", constants " +
             std::to_string(body.constants) + ", collected " + std::to_string(body.collected) + ") {");
        result_ += GraphText(body.graph, sizes_, options_, indent_ + "  ").run(false);
        line("}");
    }

    void sizes(const std::vector<Value>& nodes) {
        shown_.note_symbols();
        note_sizes(graph_, nodes);
        for (const shape::SizeGuard& guard : sizes_.guards()) shown_.note(guard.expression);
        for (const std::string& each : shown_.lines(true)) line(each);
    }

    void note_sizes(const Graph& graph, const std::vector<Value>& nodes) {
        for (const Value value : nodes) {
            for (const shape::Dim dim : value->shape) shown_.note(dim);
            for (const shape::Dim dim : value->attributes.dims) shown_.note(dim);
        }
        for (const Call& call : graph.calls()) {
            for (const Call::Type& type : call.types) std::for_each(type.shape.begin(), type.shape.end(), [this](shape::Dim dim) { shown_.note(dim); });
        }
        for (const auto& body : graph.bodies()) note_sizes(body->graph, nodes_of(body->graph));
    }

    const Graph& graph_;
    const shape::Sizes& sizes_;
    const TextOptions& options_;
    std::string indent_, result_;
    std::unordered_map<Value, std::string> names_;
    SizesText shown_{sizes_};
};

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

std::string Graph::text(const TextOptions& options) const { return GraphText(*this, sizes_, options, "").run(options.sizes); }

}  // namespace fastnp::ir
