#include "pass/contractions.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ops/catalogue.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using shape::Dim;
using shape::Dims;

namespace {

constexpr std::int64_t few_terms = 4;

bool is_short(Dim dim) { return dim.is_constant() && dim.value() <= few_terms; }

bool is_folded(Value value, const std::function<bool(Dtype)>& has_products) {
    if (value->op != Op::matmul) return false;
    if (!is_inexact(value->dtype)) return !has_products(value->dtype);
    const std::size_t rank = value->shape.size();
    return value->shape[rank - 1] == Dim(1) || value->shape[rank - 2] == Dim(1) || is_short(value->inputs[0]->shape.back());
}

class Folder {
public:
    Folder(ir::Graph& graph, const std::function<bool(Dtype)>& has_products)
        : before_(graph), order_(ir::reachable(graph.roots())), graph_(graph.successor()), has_products_(has_products) {}

    ir::Graph run() {
        for (const Value parameter : before_.parameters()) done_[parameter] = graph_.parameter(parameter->dtype, parameter->shape);
        for (const Value value : order_) {
            if (value->op != Op::parameter) done_[value] = is_folded(value, has_products_) ? fold(value) : same(value);
        }
        std::vector<Value> outputs, effects;
        for (const Value output : before_.outputs()) outputs.push_back(done_.at(output));
        for (const Value effect : before_.effects()) effects.push_back(done_.at(effect));
        graph_.set_outputs(std::move(outputs), before_.places());
        graph_.set_effects(std::move(effects));
        return std::move(graph_);
    }

private:
    Value same(Value value) {
        SmallVector<Value, 3> inputs;
        for (const Value input : value->inputs) inputs.push_back(done_.at(input));
        return graph_.make(value->op, {inputs.data(), inputs.size()}, value->attributes, value->dtype, value->shape);
    }

    // The sum over k of x[..., i, 1, k] * y[..., 1, j, k]. Of bools that is whether any of them are both true; the 16-bit floats are added in float32.
    Value fold(Value product) {
        const std::size_t rank = product->shape.size();
        if (product->inputs[0]->shape.back() == Dim(1)) return outer(product);
        const bool is_rounded = is_floating(product->dtype) && itemsize_of(product->dtype) == 2;
        const Dtype dtype = is_rounded ? Dtype::float32 : product->dtype;
        Value x = cast(done_.at(product->inputs[0]), dtype), y = cast(done_.at(product->inputs[1]), dtype);
        Dims domain = product->shape;
        domain.push_back(x->shape.back());
        const auto last = static_cast<std::int64_t>(rank);
        y = repeated(swapped(y), last - 2, domain);
        x = repeated(x, last - 1, domain);
        const bool is_bool = dtype == Dtype::bool_;
        const Value terms[] = {x, y};
        const Value multiplied = graph_.make(is_bool ? Op::logical_and : Op::multiply, terms, {}, dtype, domain);
        ir::Attributes axes;
        axes.ints.push_back(last);
        const Value sum = graph_.make(is_bool ? Op::any : Op::sum, {&multiplied, 1}, axes, dtype, product->shape);
        return cast(sum, product->dtype);
    }

    // Of one term.
    Value outer(Value product) {
        const Value terms[] = {broadcast(done_.at(product->inputs[0]), product->shape), broadcast(done_.at(product->inputs[1]), product->shape)};
        return graph_.make(product->dtype == Dtype::bool_ ? Op::logical_and : Op::multiply, terms, {}, product->dtype, product->shape);
    }

    Value cast(Value value, Dtype dtype) {
        if (value->dtype == dtype) return value;
        ir::Attributes attributes;
        attributes.dtype = dtype;
        return graph_.make(Op::cast, {&value, 1}, attributes, dtype, value->shape);
    }

    Value swapped(Value value) {
        ir::Attributes order;
        for (std::size_t i = 0; i < value->shape.size(); ++i) order.ints.push_back(static_cast<std::int64_t>(i));
        Dims shape = value->shape;
        std::swap(shape[shape.size() - 2], shape.back());
        std::swap(order.ints[order.ints.size() - 2], order.ints.back());
        return graph_.make(Op::transpose, {&value, 1}, order, value->dtype, shape);
    }

    // With a new axis, along which it repeats.
    Value repeated(Value value, std::int64_t axis, const Dims& domain) {
        ir::Attributes place;
        place.ints.push_back(axis);
        Dims shape = value->shape;
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), Dim(1));
        return broadcast(graph_.make(Op::expand_dims, {&value, 1}, place, value->dtype, shape), domain);
    }

    Value broadcast(Value value, const Dims& shape) {
        if (value->shape == shape) return value;
        ir::Attributes whole;
        whole.dims = shape;
        return graph_.make(Op::broadcast_to, {&value, 1}, whole, value->dtype, shape);
    }

    ir::Graph& before_;
    const std::vector<Value> order_;
    ir::Graph graph_;
    const std::function<bool(Dtype)>& has_products_;
    std::unordered_map<Value, Value> done_;
};

}  // namespace

void fold_products(ir::Graph& graph, const std::function<bool(Dtype)>& has_products) {
    const std::vector<Value> values = ir::reachable(graph.roots());
    if (std::ranges::none_of(values, [&](Value value) { return is_folded(value, has_products); })) return;
    graph = Folder(graph, has_products).run();
}

}  // namespace fastnp::pass
