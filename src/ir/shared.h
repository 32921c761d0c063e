// Loops of programs whose iterations know nothing of each other, as programs of their own: threads do parts of them side by side (base/shared_loop.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/for_codegen.h"
#include "ir/program.h"

namespace fastnp::ir {

struct SharedLoop {
    /// Does the iterations from one number up to another, which are its last two inputs. It has the variables and exits of the program, and one exit more:
    /// they are done. Its arrays are those of the program, all of them handed in.
    Program program;
    std::vector<std::int32_t> values;  // of the program, which are its first inputs
    std::vector<std::int32_t> variables;  // ... and variables, as they are before the loop
    std::vector<std::int32_t> set;  // variables that its iterations set, which its last exit hands out
    struct Part {
        std::int32_t array, start;  // the latter is a value
        Dtype dtype;
        bool is_stored;
        std::vector<std::pair<std::int32_t, std::int32_t>> axes = {};  // values: sizes, and bytes from one element to the next
    };
    std::vector<Part> parts;  // what it stores to, and reads where it is not known that this is not the same
    bool may_leave = false;  // by another exit
    std::int64_t least = 0;  // of iterations that are worth a look at the clock

    std::int32_t done() const { return static_cast<std::int32_t>(program.exits.size()) - 1; }
};

struct SharedLoops {
    Program program;  // with a step `shared` in the place of each
    std::vector<SharedLoop> loops;
};

/// Takes out loops that say so (the step `share`), the outermost ones, where the iterations set what they read of variables, and store to nothing but what
/// the loop says. Other ones stay, and are done in their order. Whoever says so knows that nothing that an iteration sets is read after it.
FASTNP_FOR_CODEGEN SharedLoops shared_out(const Program& program);

}  // namespace fastnp::ir
