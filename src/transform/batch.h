// Batching: what was recorded for one part of an array, recorded for all of them at once. Batched values have the parts as their first axis.
#pragma once

#include <unordered_map>
#include <vector>

#include "transform/values.h"

namespace fastnp::transform {

class Batch {
public:
    /// `examples` stand for any one of the parts; `count`: how many parts there are; `axis`: the mapped axis's number, for ops that fold over it.
    Batch(std::span<const Value> examples, std::span<const Value> outputs, shape::Dim count, std::int64_t axis)
        : segment_(mapped(examples, outputs, axis)), count_(count), axis_(axis) {}

    void set(Value example, const array& parts) { parts_.insert_or_assign(example, parts); }
    void run();
    /// All parts; of a value that is the same for all, repeated.
    array parts(Value value) const;

private:
    /// With folds over the axis, and with all results of functions that have derivatives of their own, where one of them is in it.
    static Segment mapped(std::span<const Value> examples, std::span<const Value> outputs, std::int64_t axis);
    bool varies(Value value) const { return parts_.contains(value); }
    array of(Value value);
    array same_op(Value value) const;
    array of_map(Value value) const;
    array of_fold(Value value) const;
    array of_move(Value value) const;
    array of_pick(Value value);
    array of_loop(Value value);
    array of_after(Value value) const;
    array of_across(Value value) const;
    array of_pad(Value value) const;
    array of_take(Value value) const;
    array of_scatter(Value value) const;
    array of_update(Value value) const;
    array of_product(Value value) const;
    array of_library(Value value) const;
    array of_collective(Value value) const;
    array of_search(Value value) const;
    array of_note(Value value);
    array of_custom(Value value);
    array rows(const array& parts, Value indices, shape::Dim length) const;

    Segment segment_;
    shape::Dim count_;
    std::int64_t axis_;
    std::unordered_map<Value, array> parts_;
    std::unordered_map<Value, std::vector<array>> loops_;  // all parts of a loop's arrays
    std::unordered_map<std::int64_t, std::vector<array>> customs_;
};

}  // namespace fastnp::transform
