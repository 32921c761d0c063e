#include "pass/device_forms.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ops/catalogue.h"
#include "ops/moves.h"
#include "ops/transforms.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using shape::Dim;
using shape::Dims;

namespace {

constexpr std::int64_t few_terms = 4;

bool is_short(Dim dim) { return dim.is_constant() && dim.value() <= few_terms; }

// Of a transform's attributes: 0 is no scale.
std::int64_t scale_of(Value transform) { return transform->attributes.ints[transform->attributes.ints.size() - 2]; }

class Writer {
public:
    Writer(ir::Graph& graph, const DeviceLibraries& libraries) : before_(graph), order_(ir::reachable(graph.roots())), libraries_(libraries) {
        for (const Value value : order_) {
            for (const Value input : value->inputs) users_[input].push_back(value);
        }
        for (const Value root : graph.roots()) users_[root].push_back(nullptr);
    }

    bool is_needed() {
        return std::ranges::any_of(order_, [&](Value value) { return is_folded(value) || is_scaled(value) || product_in(value) != nullptr; });
    }

    ir::Graph run() {
        graph_ = before_.successor();
        for (const Value parameter : before_.parameters()) done_[parameter] = graph_.parameter(parameter->dtype, parameter->shape);
        for (const Value value : order_) {
            if (value->op == Op::parameter) continue;
            const ir::At at(graph_, value);
            done_[value] = written(value);
        }
        std::vector<Value> outputs, effects;
        for (const Value output : before_.outputs()) outputs.push_back(done_.at(output));
        for (const Value effect : before_.effects()) effects.push_back(done_.at(effect));
        graph_.set_outputs(std::move(outputs), before_.places());
        graph_.set_effects(std::move(effects));
        return std::move(graph_);
    }

private:
    bool is_folded(Value value) const {
        if (value->op != Op::matmul) return false;
        if (!is_inexact(value->dtype)) return !libraries_.has_products(value->dtype);
        const std::size_t rank = value->shape.size();
        return value->shape[rank - 1] == Dim(1) || value->shape[rank - 2] == Dim(1) || is_short(value->inputs[0]->shape.back());
    }

    // Whether a kernel reads it, directly or a view of it.
    bool is_read_by_kernels(Value value) const {
        const auto found = users_.find(value);
        return found != users_.end() && std::ranges::any_of(found->second, [&](Value user) {
                   if (user == nullptr) return false;
                   const ops::Kind kind = ops::info(user->op).kind;
                   if (kind == ops::Kind::move || kind == ops::Kind::note) return is_read_by_kernels(user);
                   return kind == ops::Kind::map || kind == ops::Kind::fold || user->op == Op::update || user->op == Op::pad;
               });
    }

    // An array that is there whether a kernel reads it or not, or a view of one.
    static bool is_there(Value value) {
        while (ops::is_move(value)) value = value->inputs[0];
        const ops::Kind kind = ops::info(value->op).kind;
        return value->op == Op::parameter || kind == ops::Kind::contract || kind == ops::Kind::library;
    }

    // Stacks times one matrix are products of all rows, in another shape.
    static Value product_of(Value value) { return value->op == Op::reshape ? value->inputs[0] : value; }

    bool is_product_for(Value value, Value sum) const {
        const Value product = product_of(value);
        if (product->op != Op::matmul || product->inputs.size() != 2 || product->shape.back() != sum->shape.back() || is_folded(product)) return false;
        return value->shape == sum->shape && users_.at(value).size() == 1 && users_.at(product).size() == 1;
    }

    // The product (or its reshape) in a sum with it that a library computes as a whole; null: it does not. Of two, what comes last. The library is asked
    // for last: it is loaded then.
    Value product_in(Value sum) const {
        if (sum->op != Op::add || !is_inexact(sum->dtype) || itemsize_of(real_of(sum->dtype)) < 4) return nullptr;
        Value x = sum->inputs[0], y = sum->inputs[1];
        if (is_product_for(x, sum) && (!is_product_for(y, sum) || x->id > y->id)) std::swap(x, y);
        const bool may_be = x != y && is_product_for(y, sum) && is_there(x) && x->shape == sum->shape && !is_read_by_kernels(sum);
        return may_be && libraries_.has_products(sum->dtype) ? y : nullptr;
    }

    Value with_sum(Value sum, Value product) {
        const Value other = sum->inputs[0] == product ? sum->inputs[1] : sum->inputs[0];
        const Value matmul = product_of(product);
        const Value operands[] = {done_.at(matmul->inputs[0]), done_.at(matmul->inputs[1]), in_shape(done_.at(other), matmul->shape)};
        return reshaped(graph_.make(Op::matmul, operands, matmul->attributes, sum->dtype, matmul->shape), sum->shape);
    }

    // A row that is repeated stays one.
    Value in_shape(Value value, const Dims& shape) {
        if (value->shape == shape || value->op != Op::broadcast_to) return reshaped(value, shape);
        const Value from = value->inputs[0];
        if (from->shape.empty() || !std::all_of(from->shape.begin(), from->shape.end() - 1, [](Dim dim) { return dim == Dim(1); }))
            return reshaped(value, shape);
        Dims row(shape.size(), Dim(1));
        row.back() = from->shape.back();
        return broadcast(reshaped(from, row), shape);
    }

    Value reshaped(Value value, const Dims& shape) {
        if (value->shape == shape) return value;
        ir::Attributes attributes;
        attributes.dims = shape;
        return graph_.make(Op::reshape, {&value, 1}, std::move(attributes), value->dtype, shape);
    }

    Value written(Value value) {
        if (is_folded(value)) return fold(value);
        if (is_scaled(value)) return scaled(value);
        const Value product = product_in(value);
        return product != nullptr ? with_sum(value, product) : same(value);
    }

    bool is_scaled(Value value) const { return ops::is_transform(value->op) && scale_of(value) != 0 && libraries_.has_transforms(); }

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

    // Of one term. The sum of it starts from 0.0, so it is never -0.0.
    Value outer(Value product) {
        const Value terms[] = {broadcast(done_.at(product->inputs[0]), product->shape), broadcast(done_.at(product->inputs[1]), product->shape)};
        const bool is_bool = product->dtype == Dtype::bool_;
        const Value term = graph_.make(is_bool ? Op::logical_and : Op::multiply, terms, {}, product->dtype, product->shape);
        if (!is_inexact(product->dtype)) return term;
        ir::Attributes zero;
        zero.scalar = 0.0;
        zero.dtype = product->dtype;
        zero.dims = product->shape;
        const Value sum[] = {term, graph_.make(Op::constant, {}, zero, product->dtype, product->shape)};
        return graph_.make(Op::add, sum, {}, product->dtype, product->shape);
    }

    // 1 / n or 1 / sqrt(n), rounded as numpy.fft does, in the dtype of what is transformed.
    Value scaled(Value transform) {
        ir::Attributes without = transform->attributes;
        without.ints[without.ints.size() - 2] = 0;
        const Value operand = done_.at(transform->inputs[0]);
        const Value made = graph_.make(transform->op, {&operand, 1}, std::move(without), transform->dtype, transform->shape);
        Value scale = cast(size(transform->attributes.dims[0]), transform->attributes.dtype);
        if (scale_of(transform) == 2) scale = graph_.make(Op::sqrt, {&scale, 1}, {}, scale->dtype, {});
        scale = graph_.make(Op::reciprocal, {&scale, 1}, {}, scale->dtype, {});
        const Value factors[] = {made, broadcast(cast(scale, transform->dtype), transform->shape)};
        return graph_.make(Op::multiply, factors, {}, transform->dtype, transform->shape);
    }

    Value size(Dim dim) {
        ir::Attributes attributes;
        attributes.dtype = Dtype::int64;
        if (dim.is_constant()) attributes.scalar = dim.value();
        else attributes.dims.push_back(dim);
        return graph_.make(dim.is_constant() ? Op::constant : Op::extent, {}, std::move(attributes), Dtype::int64, {});
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
    const DeviceLibraries& libraries_;
    std::unordered_map<Value, Value> done_;
    std::unordered_map<Value, std::vector<Value>> users_;  // null: an output or an effect
};

}  // namespace

void write_for_device(ir::Graph& graph, const DeviceLibraries& libraries) {
    Writer writer(graph, libraries);
    if (writer.is_needed()) graph = writer.run();
}

}  // namespace fastnp::pass
