#include "pass/simplify.h"

#include <array>
#include <complex>
#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "eager/eager.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/error.h"
#include "ops/infer.h"
#include "ops/moves.h"
#include "pass/algebra.h"
#include "pass/index_map.h"
#include "pass/loops.h"
#include "pass/place.h"
#include "pass/products.h"
#include "trace/storage.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using ops::Kind;
using shape::Dim;
using shape::Dims;

namespace {

constexpr std::size_t most_seen = 256;  // values that are looked at for one rewrite

bool is_constant(Value value) { return value->op == Op::constant; }

// A constant's element as bytes, and back.
using Element = std::array<std::byte, 16>;

Element bytes_of(Value constant) {
    Element element{};
    eager::View out{element.data(), constant->dtype, {}, {}};
    ir::Attributes attributes;
    attributes.scalar = constant->attributes.scalar;
    attributes.dtype = constant->dtype;
    eager::run(Op::constant, attributes, {}, out);
    return element;
}

template <class T>
T read(const Element& element) {
    T value;
    std::memcpy(&value, element.data(), sizeof value);
    return value;
}

Scalar scalar_of(const Element& element, Dtype dtype) {
    Element wide{};
    const Dtype target = kind_of(dtype) == 'c' ? Dtype::complex128 : kind_of(dtype) == 'f' ? Dtype::float64 : dtype;
    Element source = element;
    eager::copy({source.data(), dtype, {}, {}}, {wide.data(), target, {}, {}});
    switch (kind_of(dtype)) {
        case 'c': return read<std::complex<double>>(wide);
        case 'f': return read<double>(wide);
        case 'b': return read<bool>(wide);
        case 'u':
            if (dtype == Dtype::uint64) return read<std::uint64_t>(wide);
            break;
        default: break;
    }
    Element integer{};
    eager::copy({source.data(), dtype, {}, {}}, {integer.data(), Dtype::int64, {}, {}});
    return read<std::int64_t>(integer);
}

class Simplifier {
public:
    explicit Simplifier(ir::Graph& graph) : before_(graph), order_(ir::reachable(graph.roots())), graph_(graph.successor()), sizes_(graph_.sizes()) {}

    ir::Graph run() {
        for (const Value parameter : before_.parameters()) done_[parameter] = graph_.parameter(parameter->dtype, parameter->shape);
        covered_ = covered_loops(graph_, order_);
        joined_ = joined_products(order_, sizes_);
        find_unwritten();
        for (const Value value : order_) put(value);
        std::vector<ir::Place> places = before_.places();
        std::vector<Value> outputs;
        for (std::size_t i = 0; i < places.size(); ++i) outputs.push_back(output(before_.outputs()[i], places[i]));
        std::vector<Value> effects;
        std::unordered_set<Value> seen;
        for (const Value effect : before_.effects()) {
            const Value done = done_.at(effect);
            if (ops::is_effect(*done) && seen.insert(done).second) effects.push_back(done);
        }
        graph_.set_effects(std::move(effects));
        graph_.set_outputs(std::move(outputs), std::move(places));
        return std::move(graph_);
    }

private:
    // What has to be stored somewhere, but not there: its memory is no argument's, and in C order.
    bool is_apart(Value update) const {
        Value memory = update->inputs[0];
        while (memory->op == Op::update) memory = memory->inputs[0];
        if (ops::is_move(memory) || memory->op == Op::parameter || !ops::takes_most(update, sizes_)) return false;
        return is_copy(update->inputs[0]) || trace::reads_elsewhere(update);
    }

    // A result that was written to may be a value now.
    Value output(Value value, ir::Place& place) {
        const Value memory = ops::viewed(value);
        const bool is_value = memory->op == Op::update && done_.at(memory)->op != Op::update;
        return is_value ? placed_.placed(done_.at(value), memory, done_.at(memory), place) : done_.at(value);
    }

    // Copies that were taken for writes which are none.
    void find_unwritten() {
        std::unordered_set<Value> written;
        for (const Value value : order_) {
            if (value->op != Op::update) continue;
            const Value memory = value->inputs[0];
            if (is_copy(memory) && is_apart(value)) unwritten_.insert(memory);
            else written.insert(ops::viewed(memory));
        }
        for (const Value output : before_.outputs()) written.insert(ops::viewed(output));
        for (const Value value : written) unwritten_.erase(value);
    }

    void put(Value value) {
        if (value->op == Op::parameter || done_.contains(value)) return;
        const ir::At at(graph_, value);
        if (unwritten_.contains(value)) {
            done_[value] = done_.at(value->inputs[0]);
            return;
        }
        if (const auto other = covered_.find(value); other != covered_.end()) {
            for (const Value needed : ir::reachable({&other->second, 1})) put(needed);
            done_[value] = done_.at(other->second);
            return;
        }
        if (const auto part = joined_.find(value); part != joined_.end()) {
            done_[value] = part_of_product(value, part->second);
            return;
        }
        SmallVector<Value, 3> inputs;
        for (const Value input : value->inputs) inputs.push_back(done_.at(input));
        ir::Attributes attributes = value->attributes;
        if (value->op == Op::after) {
            Value loop = value->inputs[0];
            for (auto other = covered_.find(loop); other != covered_.end(); other = covered_.find(loop)) {
                attributes.ints[0] = covering_number(graph_, loop, other->second, attributes.ints[0]);
                loop = other->second;
            }
        }
        if (value->op == Op::update && is_apart(value)) {
            done_[value] = trace::contents_after(graph_, value, inputs[0], inputs[1]);
            return;
        }
        done_[value] = rewrite(make(value->op, inputs, attributes, value->dtype, value->shape));
    }

    Value make(Op op, const SmallVector<Value, 3>& inputs, const ir::Attributes& attributes, Dtype dtype, const Dims& shape) {
        return graph_.make(op, {inputs.data(), inputs.size()}, attributes, dtype, shape);
    }

    Value part_of_product(Value value, const PartOfProduct& part) {
        Dims shape(part.whole->shape.begin(), part.whole->shape.end() - 1);
        shape.push_back(value->shape.back());
        Value& whole = products_[{part.whole, part.matrix}];
        if (whole == nullptr) {
            Dim rows(1);
            for (std::size_t i = 0; i + 1 < part.whole->shape.size(); ++i) rows = sizes_.multiply(rows, part.whole->shape[i]);
            const SmallVector<Value, 3> operands{reshaped(done_.at(part.whole), {rows, part.whole->shape.back()}), done_.at(part.matrix)};
            whole = reshaped(make(Op::matmul, operands, {}, value->dtype, {rows, value->shape.back()}), shape);
        }
        ir::Attributes attributes;
        attributes.dims = part.starts;
        attributes.ints = SmallVector<std::int64_t>(part.starts.size(), 1);
        return reshaped(make(Op::slice, {whole}, attributes, value->dtype, part.shape), value->shape);
    }

    Value reshaped(Value value, const Dims& shape) {
        ir::Attributes attributes;
        attributes.dims = shape;
        return rewrite_move(make(Op::reshape, {value}, attributes, value->dtype, shape));
    }

    Value constant_like(Value like, const Scalar& scalar, Dtype dtype) {
        ir::Attributes attributes;
        attributes.scalar = scalar;
        attributes.dims = like->shape;
        attributes.dtype = dtype;
        return make(Op::constant, {}, attributes, dtype, like->shape);
    }

    Value rewrite(Value value) {
        switch (ops::info(value->op).kind) {
            case Kind::map: return rewrite_map(value);
            case Kind::move: return rewrite_move(value);
            case Kind::fold: return rewrite_fold(value);
            case Kind::note: return value->inputs[0];
            default: return value;
        }
    }

    Value rewrite_map(Value value) {
        if (is_copy(value)) return value;
        const auto& in = value->inputs;
        bool all_constant = true;
        for (const Value input : in) all_constant = all_constant && is_constant(input);
        if (all_constant) return fold(value);
        const Value kept = rewritten(*value);
        return kept != nullptr ? kept : value;
    }

    // A fold over rows and more of what reads other folds over these rows (the loss of a softmax): first over the rows, in the walk that has them at hand.
    // The 16-bit floats are not rounded in between.
    Value rewrite_fold(Value value) {
        const Value input = value->inputs[0];
        const auto last = static_cast<std::int64_t>(input->shape.size()) - 1;
        const bool is_short = is_floating(value->dtype) && itemsize_of(value->dtype) == 2;
        ir::Attributes rows, rest;
        for (const std::int64_t axis : value->attributes.ints) (axis == last ? rows : rest).ints.push_back(axis);
        if (rows.ints.empty() || rest.ints.empty() || is_short || is_complex(value->dtype) || !reads_rows(input)) return value;
        const Dims shape(input->shape.begin(), input->shape.end() - 1);
        return make(value->op, {make(value->op, {input}, rows, value->dtype, shape)}, rest, value->dtype, value->shape);
    }

    // Whether computing a value takes folds of the rows of its shape.
    static bool reads_rows(Value value) {
        const auto last = static_cast<std::int64_t>(value->shape.size()) - 1;
        std::vector<Value> open{value};
        std::unordered_set<Value> seen;
        while (!open.empty() && seen.size() < most_seen) {
            const Value at = open.back();
            open.pop_back();
            if (!seen.insert(at).second) continue;
            const Kind kind = ops::info(at->op).kind;
            if (kind == Kind::fold && at->inputs[0]->shape == value->shape && at->attributes.ints.size() == 1 && at->attributes.ints[0] == last)
                return true;
            if (kind == Kind::map || kind == Kind::move) open.insert(open.end(), at->inputs.begin(), at->inputs.end());
        }
        return false;
    }

    Value fold(Value value) {
        std::vector<Element> elements;
        std::vector<eager::View> operands;
        for (const Value input : value->inputs) elements.push_back(bytes_of(input));
        for (std::size_t i = 0; i < elements.size(); ++i) operands.push_back({elements[i].data(), value->inputs[i]->dtype, {}, {}});
        Element result{};
        const fastnp::detail::KeptFloatFlags others;
        fastnp::detail::clear_float_flags();
        try {
            eager::run(value->op, value->attributes, operands, {result.data(), value->dtype, {}, {}});
        } catch (const Error&) {
            return value;  // it is an error for the run to raise
        }
        if (fastnp::detail::any_float_flag()) return value;  // and so is this one
        return constant_like(value, scalar_of(result, value->dtype), value->dtype);
    }

    Value rewrite_move(Value value) {
        const Value operand = value->inputs[0];
        if (is_constant(operand)) return constant_like(value, operand->attributes.scalar, value->dtype);
        if (value->shape == operand->shape && value->op != Op::transpose && value->op != Op::slice) return operand;
        if (value->op == Op::transpose && is_identity(value->attributes.ints)) return operand;
        if (value->op == Op::slice && ops::takes_all(value)) return operand;
        if (value->op == Op::reshape) return rewrite_reshape(value);
        if (value->op == Op::broadcast_to && operand->op == Op::broadcast_to) {
            return rewrite(make(Op::broadcast_to, operand->inputs, value->attributes, value->dtype, value->shape));
        }
        if (value->op == Op::transpose && operand->op == Op::transpose) {
            ir::Attributes joined;
            for (const std::int64_t axis : value->attributes.ints) joined.ints.push_back(operand->attributes.ints[static_cast<std::size_t>(axis)]);
            return rewrite(make(Op::transpose, operand->inputs, joined, value->dtype, value->shape));
        }
        return value;
    }

    static bool is_identity(const SmallVector<std::int64_t>& axes) {
        for (std::size_t i = 0; i < axes.size(); ++i) {
            if (axes[i] != static_cast<std::int64_t>(i)) return false;
        }
        return true;
    }

    // A reshape that mixes axes is free on contiguous memory and a copy elsewhere: so it goes below elementwise ops.
    Value rewrite_reshape(Value value) {
        const Value operand = value->inputs[0];
        if (operand->op == Op::reshape) {
            return rewrite(make(Op::reshape, operand->inputs, value->attributes, value->dtype, value->shape));
        }
        if (through(*value, identity_map(value->shape.size()), sizes_)) return value;
        if (const Value number = repeated_number(operand)) return make(Op::broadcast_to, {number}, value->attributes, value->dtype, value->shape);
        if (ops::info(operand->op).kind != Kind::map || is_copy(operand)) return value;
        SmallVector<Value, 3> inputs;
        for (const Value input : operand->inputs) {
            const bool sinks = is_constant(input) || input->op == Op::parameter || ops::info(input->op).kind == Kind::map || input->op == Op::reshape;
            const bool repeats_one = input->op == Op::broadcast_to && input->inputs[0]->shape.empty();
            if (!sinks && !repeats_one) return value;
        }
        const ir::At at(graph_, operand);
        for (const Value input : operand->inputs) {
            if (input->op == Op::broadcast_to) {
                inputs.push_back(make(Op::broadcast_to, input->inputs, value->attributes, input->dtype, value->shape));
            } else {
                inputs.push_back(rewrite(make(Op::reshape, {input}, value->attributes, input->dtype, value->shape)));
            }
        }
        return make(operand->op, inputs, operand->attributes, operand->dtype, value->shape);
    }

    // The value of no axes that all elements are, or null.
    static Value repeated_number(Value value) {
        if (value->op != Op::broadcast_to) return nullptr;
        value = value->inputs[0];
        while (value->op == Op::expand_dims || value->op == Op::squeeze) value = value->inputs[0];
        return value->shape.empty() ? value : nullptr;
    }

    const ir::Graph& before_;
    std::vector<Value> order_;
    ir::Graph graph_;  // made anew, so that its numbers are in the order of the program
    shape::Sizes& sizes_;
    std::unordered_map<Value, Value> done_, covered_;
    std::unordered_map<Value, PartOfProduct> joined_;
    std::map<std::pair<Value, Value>, Value> products_;  // of whole arrays, by operands
    std::unordered_set<Value> unwritten_;
    PlacedResults placed_{graph_};
};

}  // namespace

void simplify(ir::Graph& graph) { graph = Simplifier(graph).run(); }

}  // namespace fastnp::pass
