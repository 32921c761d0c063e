// Reverse mode: a walk back over what was recorded, which records the derivative's computation.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "transform/values.h"

namespace fastnp::transform {

class Reverse {
public:
    Reverse(std::span<const Value> marks, std::span<const Value> outputs);

    /// Adds to the cotangent of a value, if a derivative flows through it.
    void add(Value value, const array& cotangent);
    void run();
    /// Zeros where nothing flows.
    array cotangent(Value value);

private:
    // A sum of cotangents, some of which are for a part of the array.
    struct Sum {
        std::optional<array> whole;
        struct Part {
            Value slice;
            array cotangent;
        };
        std::vector<Part> parts;
        // Of two matrices: of the transpose of the left one with the right one, or of the left one with the transpose of the right one. Either way both
        // have the axis that is summed over at one place, so that several products are one of longer matrices.
        struct Product {
            array left, right;
            bool over_rows;
        };
        std::vector<Product> products;
    };
    static std::optional<array> join(Value value, std::vector<Sum::Part> parts);
    static array sum_of_padded(std::span<const Sum::Part> parts, Dtype dtype);
    static bool is_joined_cheaper(std::span<const Sum::Product> alike);
    static array total_of(std::vector<Sum::Product> products);
    array taken(Value value, Sum sum) const;
    void pass(Value value, const array& g);
    void pass_map(Value value, const array& g);
    bool pass_complex(Value value, const array& g);
    void pass_fold(Value value, const array& g);
    void pass_scan(Value value, const array& g);
    void pass_move(Value value, const array& g);
    void pass_pick(Value value, const array& g);
    void pass_across(Value value, const array& g);
    void pass_collective(Value value, const array& g);  // collective.cpp
    void pass_concatenate(Value value, const array& g);
    void pass_pad(Value value, const array& g);
    void pass_take(Value value, const array& g);
    void pass_scatter(Value value, const array& g);
    void pass_update(Value value, const array& g);
    void pass_product(Value value, const array& g);
    void pass_loop(Value value);
    void pass_custom(Value value);

    Segment segment_;
    std::unordered_map<Value, Sum> sums_;
    std::unordered_map<Value, std::map<std::int64_t, array>> loops_;  // the cotangents of a loop's arrays
    std::unordered_map<std::int64_t, int> customs_;  // how many results of a function with its own derivative are still to be passed, by its number
};

}  // namespace fastnp::transform
