// Forward mode: a walk along what was recorded, which records how each value changes with the inputs.
#pragma once

#include <unordered_map>
#include <vector>

#include "transform/values.h"

namespace fastnp::transform {

class Forward {
public:
    Forward(std::span<const Value> marks, std::span<const Value> outputs) : segment_(marks, outputs, Segment::Of::derivatives) {}

    void set(Value mark, const array& tangent) { tangents_.insert_or_assign(mark, tangent); }
    void run();
    /// Zeros where nothing flows.
    array tangent(Value value) const;

private:
    bool moves(Value value) const { return tangents_.contains(value); }
    std::optional<array> of(Value value);
    std::optional<array> of_map(Value value) const;
    std::optional<array> of_complex(Value value) const;
    array of_fold(Value value) const;
    array of_scan(Value value) const;
    array of_pick(Value value) const;
    array of_collective(Value value) const;  // collective.cpp
    array of_scatter(Value value) const;
    array of_product(Value value) const;
    std::optional<array> of_custom(Value value);
    array same_op(Value value) const;

    Segment segment_;
    std::unordered_map<Value, array> tangents_;
    std::unordered_map<Value, std::vector<std::optional<array>>> loops_;  // the tangents of a loop's arrays
    std::unordered_map<std::int64_t, std::vector<array>> customs_;  // of all results, by the function's number
};

}  // namespace fastnp::transform
