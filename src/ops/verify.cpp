#include "ops/verify.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/infer.h"
#include "ops/moves.h"
#include "ops/verify_attributes.h"

namespace fastnp::ops {

namespace {

using ir::Value;
using shape::Dim;
using shape::Dims;

class Verifier {
public:
    // `graph`: the whole one or one of a body's; calls and bodies are those of the whole.
    Verifier(const ir::Graph& graph, const ir::Graph& whole, shape::Sizes& sizes, std::string when)
        : graph_(graph), whole_(whole), sizes_(sizes), when_(std::move(when)) {}

    void run() {
        const std::vector<Value>& parameters = graph_.parameters();
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const SmallVector<std::int64_t> number{static_cast<std::int64_t>(i)};
            if (parameters[i]->op != Op::parameter || !(parameters[i]->attributes.ints == number))
                fail(parameters[i], "is parameter " + std::to_string(i));
        }
        for (const Value value : ir::nodes_of(graph_)) node(value);
        places();
    }

private:
    [[noreturn]] void fail(Value value, const std::string& what) const {
        std::string line;
        try {
            const std::vector<Value> nodes = ir::nodes_of(graph_);
            const std::string text = graph_.text({.sizes = false, .lines = true});
            std::size_t start = 0;
            for (auto left = std::find(nodes.begin(), nodes.end(), value) - nodes.begin(); left > 0; --left) start = text.find('\n', start) + 1;
            line = text.substr(start, text.find('\n', start) - start);
        } catch (const std::exception&) {  // there is no text of what is too wrong
            line = "node " + std::to_string(value->id) + ", " + std::string(ir::name_of(value->op));
        }
        throw InternalError("a graph is wrong " + when_ + ": `" + line + "`: " + what);
    }
    [[noreturn]] void fail(const std::string& what) const { throw InternalError("a graph is wrong " + when_ + ": " + what); }

    bool is_here(Value value) const { return value->id < graph_.nodes().size() && &graph_.nodes()[value->id] == value; }

    std::string text(const Type& type) const {
        std::string dims;
        for (const Dim dim : type.shape) dims += (dims.empty() ? "" : ", ") + sizes_.text(dim);
        return std::string(name_of(type.dtype)) + "[" + dims + "]";
    }

    bool same(const Dims& a, const Dims& b) {
        return std::ranges::equal(a, b, [this](Dim x, Dim y) { return sizes_.equal(x, y); });
    }
    bool same(const Type& a, const Type& b) { return a.dtype == b.dtype && same(a.shape, b.shape); }
    static Type type_of(Value value) { return {value->dtype, value->shape}; }

    void node(Value value) {
        if (!is_here(value)) fail(value, "is a node of another graph");
        for (const Value input : value->inputs) {
            if (!is_here(input)) fail(value, "has an operand of another graph");
            if (input->id >= value->id) fail(value, "comes before its operand");
        }
        check_sizes(value, value->shape, true);
        check_sizes(value, value->attributes.dims, false);
        const Info& row = info(value->op);
        const auto count = static_cast<int>(value->inputs.size());
        const bool fits = row.operands < 0 ? count > 0 || value->op == Op::call || value->op == Op::loop
                                           : count == row.operands || (value->op == Op::matmul && count == 3);  // with what is added, for a device
        if (!fits) fail(value, "takes " + (row.operands < 0 ? "operands" : std::to_string(row.operands) + " operands") + ", not " + std::to_string(count));
        if (value->op == Op::parameter) return check_parameter(value);
        if (const std::string wrong = wrong_attributes(*value); !wrong.empty()) fail(value, wrong);
        operands(value);
        if (value->op == Op::loop) loop(value);
        const Type wanted = type(value);
        if (!same(wanted, type_of(value))) fail(value, "the op gives " + text(wanted));
    }

    void check_sizes(Value value, const Dims& dims, bool are_lengths) {
        for (const Dim dim : dims) {
            if (!dim.is_constant() && dim.id() >= sizes_.size()) fail(value, "has a size that there is none of");
            if (are_lengths && dim.is_constant() && dim.value() < 0) fail(value, "has a size below 0");
        }
    }

    void check_parameter(Value value) {
        const std::vector<Value>& all = graph_.parameters();
        if (std::find(all.begin(), all.end(), value) == all.end()) fail(value, "is no parameter of the graph");
    }

    // What infer() takes for granted of operands.
    void operands(Value value) {
        const auto& in = value->inputs;
        if (info(value->op).kind == Kind::map) return map_operands(value);
        const auto fail_unless = [&](bool holds, const char* what) {
            if (!holds) fail(value, what);
        };
        switch (value->op) {
            case Op::update: {
                const Dims region(value->attributes.dims.begin() + static_cast<std::ptrdiff_t>(value->shape.size()), value->attributes.dims.end());
                fail_unless(same(region, in[1]->shape) && in[0]->dtype == in[1]->dtype, "what is stored is not of the region's type");
                return;
            }
            case Op::pad: fail_unless(in[1]->shape.empty() && in[0]->dtype == in[1]->dtype, "the border is no number of the operand's dtype"); return;
            case Op::take: fail_unless(is_integer(in[1]->dtype), "the indices are no integers"); return;
            case Op::scatter: fail_unless(is_integer(in[1]->dtype) && in[0]->dtype == in[2]->dtype, "takes integers, and rows of its dtype"); return;
            case Op::concatenate:
                fail_unless(std::ranges::all_of(in, [&](Value each) { return each->dtype == in[0]->dtype; }), "the operands' dtypes differ");
                return;
            case Op::matmul: fail_unless(in[0]->dtype == in[1]->dtype, "the operands' dtypes differ"); return;
            default: return;
        }
    }

    // Maps take operands of one shape and, but for some, one dtype.
    void map_operands(Value value) {
        const Info& row = info(value->op);
        const auto& in = value->inputs;
        const std::size_t first = value->op == Op::select ? 1 : 0;
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (!same(in[i]->shape, in[0]->shape)) fail(value, "the operands' shapes differ");
            const bool is_other = i < first || (row.rule != nullptr && row.rule->integer_second && i == 1);
            if (!is_other && in[i]->dtype != in[first]->dtype) fail(value, "the operands' dtypes differ");
        }
        if (value->op == Op::select && in[0]->dtype != Dtype::bool_) fail(value, "chooses by what is no bool");
        if (row.rule != nullptr && row.rule->loops.find(code_of(in[0]->dtype)) == std::string_view::npos)
            fail(value, "has no loop for " + std::string(name_of(in[0]->dtype)));
    }

    template <class List>
    const typename List::value_type& at(Value value, const List& list, std::int64_t number, const char* what) const {
        if (number < 0 || number >= static_cast<std::int64_t>(list.size())) fail(value, "there is no " + std::string(what) + " " + std::to_string(number));
        return list[static_cast<std::size_t>(number)];
    }

    Type type(Value value) {
        const SmallVector<std::int64_t>& ints = value->attributes.ints;
        switch (value->op) {
            case Op::turn: return {value->attributes.dtype, value->attributes.dims};
            case Op::call: (void)at(value, whole_.calls(), ints[0], "call"); return {Dtype::bool_, {}};
            case Op::given: {
                if (value->inputs[0]->op != Op::call) fail(value, "is given by no call");
                const ir::Call::Type& type = at(value, at(value, whole_.calls(), ints[0], "call").types, ints[1], "result");
                return {type.dtype, type.shape};
            }
            case Op::loop: return {Dtype::bool_, {}};
            case Op::after: return after(value);
            default: break;
        }
        std::vector<Type> types;
        for (const Value input : value->inputs) types.push_back(type_of(input));
        try {
            return infer(value->op, value->attributes, types, &sizes_);
        } catch (const Error& error) {
            fail(value, error.what());
        }
    }

    const ir::Body& body_of(Value loop) const { return *at(loop, whole_.bodies(), ir::Looped(loop->attributes.ints).body, "body"); }

    // The states at the end, what was collected along a new first axis, and saved states.
    Type after(Value value) {
        const Value loop = value->inputs[0];
        if (loop->op != Op::loop) fail(value, "comes after no loop");
        const ir::Body& body = body_of(loop);
        const std::int64_t number = value->attributes.ints[0];
        const auto& given = body.graph.parameters();
        if (number >= 0 && number < body.states) return type_of(given[static_cast<std::size_t>(number)]);
        const std::int64_t collected = number - body.states, saved = collected - body.collected;
        if (number < 0 || saved >= body.states || (saved >= 0 && ir::Looped(loop->attributes.ints).save_every == 0) || value->shape.empty())
            fail(value, "the loop has no array " + std::to_string(number));
        const std::int64_t from = collected < body.collected ? body.states + body.parts + body.constants + collected : saved;
        Type type = type_of(given[static_cast<std::size_t>(from)]);
        type.shape.insert(type.shape.begin(), collected < body.collected ? loop->attributes.dims[0] : value->shape[0]);
        return type;
    }

    void loop(Value value) {
        const ir::Looped looped(value->attributes.ints);
        const ir::Body& body = body_of(value);
        if (looped.covers >= 0) (void)at(value, whole_.bodies(), looped.covers, "body");
        const auto told = [&](const char* what, std::size_t found, int wanted) {
            if (found != static_cast<std::size_t>(wanted))
                fail(value, std::string(what) + " are " + std::to_string(found) + ", not " + std::to_string(wanted));
        };
        const auto& given = body.graph.parameters();
        told("operands", value->inputs.size(), body.states + body.parts + body.constants);
        told("the body's parameters", given.size(), body.states + body.parts + body.constants + body.collected);
        told("the body's outputs", body.graph.outputs().size(), body.states);
        for (std::size_t i = 0; i < value->inputs.size(); ++i) {
            Type type = type_of(value->inputs[i]);
            const auto number = static_cast<int>(i);
            if (number >= body.states && number < body.states + body.parts) {  // a part for each turn
                if (type.shape.empty()) fail(value, "operand " + std::to_string(i) + " has no axis for turns");
                type.shape.erase(type.shape.begin());
            }
            if (!same(type, type_of(given[i]))) fail(value, "operand " + std::to_string(i) + " is not what the body takes, " + text(type_of(given[i])));
        }
        for (std::size_t i = 0; i < body.graph.outputs().size(); ++i) {
            const Value next = body.graph.outputs()[i];
            if (!same(type_of(next), type_of(given[i]))) fail(value, "the body turns state " + std::to_string(i) + " into " + text(type_of(next)));
        }
        if (looped.is_while && (body.parts != 0 || body.collected != 0)) fail(value, "a loop on a condition has no parts");
    }

    void places() {
        if (graph_.outputs().size() != graph_.places().size()) fail("there is not a place for each output");
        for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
            const ir::Place& place = graph_.places()[i];
            const Value output = graph_.outputs()[i];
            if (place.whole == nullptr) continue;
            Value at = output;
            while (at != place.whole && (is_move(at) || at->op == Op::real || at->op == Op::imag)) at = at->inputs[0];
            if (at != place.whole) fail(output, "output " + std::to_string(i) + " is no view of where it lies");
            std::vector<std::int64_t> order(place.order.begin(), place.order.end());
            std::ranges::sort(order);
            for (std::size_t a = 0; a < order.size(); ++a) {
                if (order.size() != place.whole->shape.size() || order[a] != static_cast<std::int64_t>(a)) fail(output, "the order of axes is none");
            }
        }
    }

    const ir::Graph& graph_;
    const ir::Graph& whole_;
    shape::Sizes& sizes_;  // a copy: comparing them asks for guards
    std::string when_;
};

}  // namespace

bool verifies() {
#ifdef NDEBUG
    static const bool wanted = [] {
        const char* const text = std::getenv("FASTNP_VERIFY_IR");  // NOLINT: nothing here changes the environment
        return text != nullptr && std::string_view(text) == "1";
    }();
    return wanted;
#else
    return true;
#endif
}

void verify(const ir::Graph& graph, std::string_view when) {
    shape::Sizes sizes = graph.sizes();
    for (std::size_t i = 0; i < graph.bodies().size(); ++i) {
        Verifier(graph.bodies()[i]->graph, graph, sizes, "in body " + std::to_string(i) + " " + std::string(when)).run();
    }
    Verifier(graph, graph, sizes, std::string(when)).run();
}

}  // namespace fastnp::ops
