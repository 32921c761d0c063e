// The graph of a function as front ends tell it to other libraries (ONNX): names, numbers and texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fastnp/array.h"

namespace fastnp::detail {

/// A value, and the op that computes it. Sizes are texts, in Python's syntax: "4", "n", "2*n + 1", "n//2".
struct ToldNode {
    std::string op;                   // its name in the catalogue
    std::vector<std::size_t> inputs;  // the places of its operands, which come first
    Dtype dtype = Dtype::bool_;
    std::vector<std::string> shape;
    std::vector<std::int64_t> ints;  // as the catalogue says
    std::vector<std::string> dims;   // as the catalogue says
    std::optional<Scalar> scalar;    // of a constant
    std::string join;                // the op that joins elements, of those that are told one
    std::string place;               // the user's line that it came of; empty: unknown
};

/// A graph, or the body of a loop of one. A body takes the states, the parts, the constants, and arrays that it fills with what the loop collects of a
/// turn; it gives the states and these arrays.
struct ToldGraph {
    std::vector<ToldNode> nodes;
    std::vector<std::size_t> inputs;   // the places of its parameters: the arguments, then the weights
    std::vector<std::size_t> outputs;  // the places of what it gives
    std::vector<std::string> guards;   // what holds of sizes, or it computes something else
    std::vector<array> weights;        // what the function reads from outside of it
    std::string structure;             // of what it gives, in the front end's words
    std::vector<ToldGraph> bodies;     // of loops, by number
    int states = 0, parts = 0, constants = 0, collected = 0;  // of a body
};

}  // namespace fastnp::detail
