// Basic subscripts: integers, slices, newaxis and ellipsis become one slice and axes left out or put in. Always a view.
#include <algorithm>

#include "api/primitives.h"
#include "api/user_sizes.h"
#include "fastnp/array.h"
#include "fastnp/error.h"
#include "shape/strides.h"

namespace fastnp {

using api::Dims;

namespace {

// Numbers that are further from 0 than any size: as far as they go, these are the same, and their sums are numbers.
constexpr std::int64_t furthest = api::Dim::too_big / 4, longest_step = std::int64_t{1} << 40;

// A number of a subscript: an expression, or one that is near enough to be counted with.
std::int64_t near(std::int64_t number) { return api::is_handed_out(number) ? number : std::clamp(number, -furthest, furthest); }

// What a subscript does to the axes, before anything is done.
struct Plan {
    Dims starts, lengths;
    SmallVector<std::int64_t> steps;
    SmallVector<std::int64_t> dropped;  // axes of the operand taken by integers
    SmallVector<std::int64_t> added;    // axes of the result put in by newaxis
    bool slices = false;                // whether anything but whole axes is taken
};

class Indexer {
public:
    explicit Indexer(const array& x) : shape_(api::dims_of(x)), sizes_(api::arithmetic()) {}

    Plan plan(std::span<const Index> subscripts) {
        std::size_t taken = 0;
        bool any_ellipsis = false;
        for (const Index& index : subscripts) {
            if (std::holds_alternative<Ellipsis>(index)) {
                if (any_ellipsis) throw IndexError("an index can only have a single ellipsis ('...')");
                any_ellipsis = true;
            } else if (!std::holds_alternative<NewAxis>(index)) {
                ++taken;
            }
        }
        if (taken > shape_.size()) {
            throw IndexError("too many indices for array: array is " + std::to_string(shape_.size()) + "-dimensional, but " + std::to_string(taken) +
                             " were indexed");
        }
        for (const Index& index : subscripts) {
            if (const auto* slice = std::get_if<Slice>(&index)) {
                take_slice(*slice);
            } else if (const auto* number = std::get_if<std::int64_t>(&index)) {
                take_integer(*number);
            } else if (std::holds_alternative<NewAxis>(index)) {
                plan_.added.push_back(result_axis_++);
            } else {
                for (std::size_t i = taken; i < shape_.size(); ++i) take_whole();
            }
        }
        while (plan_.starts.size() < shape_.size()) take_whole();
        return std::move(plan_);
    }

private:
    api::Dim size() const { return shape_[plan_.starts.size()]; }

    void put(api::Dim start, api::Dim length, std::int64_t step) {
        plan_.starts.push_back(start);
        plan_.lengths.push_back(length);
        plan_.steps.push_back(step);
    }

    void take_whole() {
        put(api::Dim(0), size(), 1);
        ++result_axis_;
    }

    void take_integer(std::int64_t given) {
        const std::int64_t index = near(given);
        const api::Dim start = index >= 0 ? api::Dim(index) : sizes_.add(size(), api::Dim(index));
        const bool inside = sizes_.at_least(size(), index >= 0 ? sizes_.add(api::Dim(index), api::Dim(1)) : api::Dim(-index));
        if (!inside) {
            const std::int64_t told = index == given ? sizes_.concretize(api::Dim(index)) : given;
            eager::throw_out_of_bounds(told, static_cast<std::int64_t>(plan_.starts.size()), sizes_.concretize(size()));
        }
        plan_.dropped.push_back(static_cast<std::int64_t>(plan_.starts.size()));
        plan_.slices = true;
        put(start, api::Dim(1), 1);
    }

    // A bound counted from the start, within [low, high].
    api::Dim bound(std::int64_t given, api::Dim low, api::Dim high) const {
        const std::int64_t value = near(given);
        if (value >= 0) return sizes_.min(api::Dim(value), high);
        return sizes_.max(sizes_.add(size(), api::Dim(value)), low);
    }

    void take_slice(const Slice& slice) {
        if (slice.step == 0) throw ValueError("slice step cannot be zero");
        if (!slice.start && !slice.stop && slice.step == 1) return take_whole();
        ++result_axis_;
        plan_.slices = true;
        const std::int64_t longest = size().is_constant() ? std::max(size().value(), longest_step) : shape::most_elements;
        const std::int64_t step = std::clamp(slice.step, -longest, longest);
        api::Dim start, span;
        if (step > 0) {
            start = slice.start ? bound(*slice.start, api::Dim(0), size()) : api::Dim(0);
            const api::Dim stop = slice.stop ? bound(*slice.stop, api::Dim(0), size()) : size();
            span = sizes_.subtract(stop, start);
        } else {
            const api::Dim last = sizes_.subtract(size(), api::Dim(1));
            start = slice.start ? bound(*slice.start, api::Dim(-1), last) : last;
            const api::Dim stop = slice.stop ? bound(*slice.stop, api::Dim(-1), last) : api::Dim(-1);
            span = sizes_.subtract(start, stop);
        }
        const std::int64_t stride = step > 0 ? step : -step;
        const api::Dim positive = sizes_.max(span, api::Dim(0));
        put(start, sizes_.divide(sizes_.add(positive, api::Dim(stride - 1)), api::Dim(stride)), step);
    }

    Dims shape_;
    shape::Arithmetic sizes_;
    Plan plan_;
    std::int64_t result_axis_ = 0;
};

std::span<const std::int64_t> span_of(const SmallVector<std::int64_t>& list) { return {list.data(), list.size()}; }

// The view, made in one go.
array view(const array& x, const Plan& plan) {
    const device::Memory& from = x.body()->memory;
    device::Memory to{from.buffer, from.data, from.dtype, {}, {}};
    std::int64_t offset = 0;
    bool empty = false;
    std::size_t dropped = 0, added = 0;
    const auto add_new_axes = [&]() {
        while (added < plan.added.size() && plan.added[added] == static_cast<std::int64_t>(to.shape.size())) {
            to.shape.push_back(1);
            to.strides.push_back(0);
            ++added;
        }
    };
    for (std::size_t i = 0; i < from.shape.size(); ++i) {
        add_new_axes();
        offset += plan.starts[i].value() * from.strides[i];
        if (dropped < plan.dropped.size() && plan.dropped[dropped] == static_cast<std::int64_t>(i)) {
            ++dropped;
            continue;
        }
        to.shape.push_back(plan.lengths[i].value());
        to.strides.push_back(shape::wrapping_product(from.strides[i], plan.steps[i]));
        empty = empty || plan.lengths[i].value() == 0;
    }
    add_new_axes();
    if (!empty) to.data = static_cast<char*>(from.data) + offset;
    return api::wrap(std::move(to), x.writable());
}

}  // namespace

array array::index(std::span<const Index> subscripts) const {
    const Plan plan = Indexer(*this).plan(subscripts);
    if (!is_recorded() && trace::Recorder::active() == nullptr) return view(*this, plan);
    array result = plan.slices ? api::slice(*this, plan.starts, plan.lengths, span_of(plan.steps)) : *this;
    return api::expand(api::squeeze(result, span_of(plan.dropped)), span_of(plan.added));
}

}  // namespace fastnp
