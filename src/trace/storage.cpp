#include "trace/storage.h"

#include <unordered_set>
#include <utility>
#include <vector>

#include "fastnp/error.h"
#include "ops/moves.h"

namespace fastnp::trace {

using ir::Op;
using ir::Value;
using shape::Dim;
using shape::Dims;

namespace {

using Integers = SmallVector<std::int64_t>;

Value make_unary(ir::Graph& graph, Op op, Value operand, ir::Attributes attributes, Dtype dtype, Dims shape) {
    const Value input[] = {operand};
    return graph.make(op, input, std::move(attributes), dtype, std::move(shape));
}

Value make_move(ir::Graph& graph, Op op, Value operand, ir::Attributes attributes, Dims shape) {
    return make_unary(graph, op, operand, std::move(attributes), operand->dtype, std::move(shape));
}

Value transposed(ir::Graph& graph, Value value, const Integers& axes) {
    ir::Attributes attributes;
    attributes.ints = axes;
    Dims shape;
    for (const std::int64_t axis : axes) shape.push_back(value->shape[static_cast<std::size_t>(axis)]);
    return make_move(graph, Op::transpose, value, std::move(attributes), std::move(shape));
}

Integers inverse(const Integers& permutation) {
    Integers result(permutation.size(), 0);
    for (std::size_t i = 0; i < permutation.size(); ++i) result[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
    return result;
}

bool contains(const Integers& list, std::size_t number) {
    for (const std::int64_t each : list) {
        if (each == static_cast<std::int64_t>(number)) return true;
    }
    return false;
}

Value copy_of(ir::Graph& graph, Value value, std::int64_t owner) {
    ir::Attributes attributes;
    attributes.dtype = value->dtype;
    attributes.ints.push_back(owner);
    const Value input[] = {value};
    return graph.make(Op::cast, input, std::move(attributes), value->dtype, value->shape);
}

// Of an axis: what a region takes.
struct Range {
    Dim start = 0, length = 1;
    std::int64_t step = 1;
};

// A value and the region of an array that it replaces, followed down a chain of moves.
class Region {
public:
    Region(ir::Graph& graph, Value value) : graph_(graph), sizes_(graph.sizes()), value_(value) { take_all(); }

    /// The same write as one into what `view` is a view of.
    void down(const ir::Node& view) {
        switch (view.op) {
            case Op::slice: through_slice(view); return;
            case Op::transpose: through_transpose(view.attributes.ints); return;
            case Op::expand_dims: through_new_axes(view.attributes.ints); return;
            case Op::squeeze: through_dropped_axes(view.attributes.ints); return;
            case Op::reshape: through_reshape(view); return;
            case Op::real:
            case Op::imag: through_part(view); return;
            default: break;
        }
        if (view.op == Op::broadcast_to && view.shape == view.inputs[0]->shape) return;
        throw RecordError("writing through a broadcast view can't be recorded");
    }

    /// The array `contents` with the region replaced.
    Write into(Value contents) {
        if (update_ != nullptr && is_all_) return {value_, update_};  // stored already, through a reshape
        if (update_ != nullptr) throw RecordError("writing through a reshaped part of an array can't be recorded");
        update_ = updated(contents);
        return {update_, update_};
    }

    bool is_all() const { return is_all_; }
    Value value() const { return value_; }

private:
    void take_all() {
        is_all_ = true;
        ranges_.clear();
        for (const Dim length : value_->shape) ranges_.push_back({Dim(0), length, 1});
    }

    // The value and its region with other axes.
    void take_axes(std::vector<Range> ranges, Op op, const Integers& axes) {
        ranges_ = std::move(ranges);
        Dims shape;
        for (const Range& range : ranges_) shape.push_back(range.length);
        ir::Attributes attributes;
        attributes.ints = axes;
        value_ = make_move(graph_, op, value_, std::move(attributes), std::move(shape));
    }

    Value updated(Value contents) {
        const Value inputs[] = {contents, value_};
        return graph_.make(Op::update, inputs, region(), contents->dtype, contents->shape);
    }

    void through_slice(const ir::Node& view) {
        if (is_all_ && ops::takes_all(&view)) return;
        is_all_ = false;
        for (std::size_t i = 0; i < ranges_.size(); ++i) {
            const std::int64_t step = view.attributes.ints[i];
            ranges_[i].start = sizes_.add(view.attributes.dims[i], sizes_.multiply(ranges_[i].start, Dim(step)));
            ranges_[i].step *= step;
        }
    }

    void through_transpose(const Integers& axes) {
        const Integers back = inverse(axes);
        std::vector<Range> ranges;
        for (const std::int64_t axis : back) ranges.push_back(ranges_[static_cast<std::size_t>(axis)]);
        take_axes(std::move(ranges), Op::transpose, back);
    }

    void through_new_axes(const Integers& places) {
        std::vector<Range> ranges;
        for (std::size_t i = 0; i < ranges_.size(); ++i) {
            if (!contains(places, i)) ranges.push_back(ranges_[i]);
            else if (!(ranges_[i].length == Dim(1))) throw RecordError("writing through an empty slice of a new axis can't be recorded");
        }
        take_axes(std::move(ranges), Op::squeeze, places);
    }

    void through_dropped_axes(const Integers& places) {
        std::vector<Range> ranges;
        const std::size_t rank = ranges_.size() + places.size();
        for (std::size_t i = 0, at = 0; i < rank; ++i) ranges.push_back(contains(places, i) ? Range{} : ranges_[at++]);
        take_axes(std::move(ranges), Op::expand_dims, places);
    }

    void through_reshape(const ir::Node& view) {
        if (!is_all_) {
            if (update_ != nullptr) throw RecordError("writing through reshapes of a part of an array can't be recorded");
            value_ = update_ = updated(&view);
        }
        ir::Attributes attributes;
        attributes.dims = view.inputs[0]->shape;
        value_ = make_move(graph_, Op::reshape, value_, std::move(attributes), view.inputs[0]->shape);
        take_all();
    }

    // The complex numbers that have the value for one of their parts, and the other as it is.
    void through_part(const ir::Node& view) {
        const Value numbers = is_all_ ? view.inputs[0] : taken(view.inputs[0]);
        const Value other = make_unary(graph_, view.op == Op::real ? Op::imag : Op::real, numbers, {}, view.dtype, numbers->shape);
        const Value parts[] = {view.op == Op::real ? value_ : other, view.op == Op::real ? other : value_};
        value_ = graph_.make(Op::from_parts, parts, {}, numbers->dtype, numbers->shape);
        update_ = nullptr;  // what was stored so far is part of the value
    }

    ir::Attributes region() const {
        ir::Attributes attributes;
        for (const Range& range : ranges_) attributes.dims.push_back(range.start);
        for (const Range& range : ranges_) attributes.dims.push_back(range.length);
        for (const Range& range : ranges_) attributes.ints.push_back(range.step);
        return attributes;
    }

    Value taken(Value contents) { return make_move(graph_, Op::slice, contents, region(), value_->shape); }

    ir::Graph& graph_;
    shape::Sizes& sizes_;
    Value value_;
    Value update_ = nullptr;  // where a part of a reshaped array was written to
    std::vector<Range> ranges_;  // of each axis
    bool is_all_ = true;
};

}  // namespace

int& turns_depth() {
    thread_local int depth = 0;
    return depth;
}

Value rebase(ir::Graph& graph, Value value, Value whole, Value instead) {
    if (value == whole) return instead;
    const Value inner = rebase(graph, value->inputs[0], whole, instead);
    const ir::At at(graph, value);
    return make_unary(graph, value->op, inner, value->attributes, value->dtype, value->shape);
}

Value placed_copy(ir::Graph& graph, Value value, const shape::AxisOrder& order, std::int64_t owner) {
    const ir::At at(graph, value);
    if (order.empty()) return copy_of(graph, value, owner);
    return transposed(graph, copy_of(graph, transposed(graph, value, order), owner), inverse(order));
}

Write write(ir::Graph& graph, Storage& storage, Value view, Value value, std::int64_t owner) {
    if (!storage.held) {
        bool covers = true;
        for (Value at = view; at != storage.whole; at = at->inputs[0]) covers = covers && ops::is_move(at) && (at->op != Op::slice || ops::takes_all(at));
        if (!covers) {
            const Value copy = placed_copy(graph, storage.whole, storage.order, owner);
            view = rebase(graph, view, storage.whole, copy);
            storage.whole = copy;
            storage.held = true;
        }
    }
    Region region(graph, value);
    for (Value at = view; at != storage.whole; at = at->inputs[0]) region.down(*at);
    const Write done = storage.held ? region.into(storage.whole) : Write{region.value(), nullptr};
    storage.whole = done.whole;
    return done;
}

namespace {

// Whether a slice takes the very elements that an update stores to.
bool takes_region(const ir::Node& slice, const ir::Node& update) {
    const std::size_t rank = slice.shape.size();
    for (std::size_t i = 0; i < rank; ++i) {
        if (slice.attributes.ints[i] != 1 || !(slice.attributes.dims[i] == update.attributes.dims[i])) return false;
    }
    return true;
}

}  // namespace

bool reads_elsewhere(Value update) {
    constexpr std::size_t most = 256;  // values that are looked at
    std::vector<Value> open{update->inputs[1]};
    std::unordered_set<Value> seen;
    while (!open.empty() && seen.size() < most) {
        const Value value = open.back();
        open.pop_back();
        if (!seen.insert(value).second) continue;
        if (value->op == Op::slice && value->inputs[0] == update->inputs[0]) {
            if (!takes_region(*value, *update)) return true;
            continue;
        }
        const ops::Kind kind = ops::info(value->op).kind;
        if (kind == ops::Kind::map || kind == ops::Kind::move || value->op == Op::pad) open.insert(open.end(), value->inputs.begin(), value->inputs.end());
    }
    return false;
}

Value contents_after(ir::Graph& graph, Value update, Value contents, Value stored) {
    const ir::Attributes widths = ops::pad_around(update, stored->shape, graph.sizes());
    const auto constant = [&](const Scalar& scalar, Dtype dtype, const Dims& shape) {
        ir::Attributes attributes;
        attributes.scalar = scalar;
        attributes.dims = shape;
        attributes.dtype = dtype;
        return graph.make(Op::constant, {}, std::move(attributes), dtype, shape);
    };
    const Value inside[] = {constant(true, Dtype::bool_, stored->shape), constant(false, Dtype::bool_, {})};
    const Value spread[] = {stored, constant(0, update->dtype, {})};
    const Value choice[] = {graph.make(Op::pad, inside, widths, Dtype::bool_, update->shape),
                            graph.make(Op::pad, spread, widths, update->dtype, update->shape), contents};
    return graph.make(Op::select, choice, {}, update->dtype, update->shape);
}

}  // namespace fastnp::trace
