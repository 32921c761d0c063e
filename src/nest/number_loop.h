// Loops over numbers. Where a loop's body computes with numbers alone, and with elements of arrays one
// at a time, all iterations are one program (ir/program.h): states are variables, which the machine
// has in registers, and nothing is called, looked up or allocated in an iteration.
//
// What such a program is handed, by number: each state's beginning, the arrays of parts, the
// constants, what is collected, what is saved, and where each state goes at the end.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ir/program.h"

namespace fastnp::nest {

/// A body as it is run: its graph after the passes, over the sizes of the graph around it.
struct NumberBody {
    ir::Graph graph;
    std::size_t states = 0, parts = 0, constants = 0, collected = 0;
    std::vector<bool> is_number;  // of each state; the others are arrays that it writes elements of, or reads
    std::map<std::int64_t, std::shared_ptr<const NumberBody>> inner{};  // of the loops inside of it, by number
};

struct NumberLoop {
    ir::Program program;
    std::vector<shape::Dim> sizes;  // its inputs: how many iterations, and sizes

    // Its exits. Where an index is out of bounds, the first variables hold it, the axis and its length.
    static constexpr std::int32_t done = 0, out_of_bounds = 1;
    static constexpr std::int32_t index = 0, axis = 1, length = 2;
};

/// A body's graph after the passes; nothing where a look tells that it computes with more than numbers. `inner`: the bodies of the loops inside of it.
std::shared_ptr<const NumberBody> number_body(const ir::Graph& graph, const ir::Body& body,
                                              std::map<std::int64_t, std::shared_ptr<const NumberBody>> inner);

/// `given`: which of the arrays that the loop gives are taken by anything (ir::Looped says their order).
/// Nothing where its body does not compute with numbers alone.
std::optional<NumberLoop> number_loop(const NumberBody& body, const ir::Looped& looped, shape::Dim count, const std::vector<bool>& given,
                                      shape::Sizes& sizes);

}  // namespace fastnp::nest
