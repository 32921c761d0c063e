// What will run: steps over slots of memory. Made once a compilation; running it evaluates the sizes, allocates the results and one block for the
// temporaries, and launches the steps.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "codegen/jit.h"
#include "device/memory.h"
#include "ir/attributes.h"
#include "loop/kernel.h"
#include "ops/catalogue.h"

namespace fastnp::plan {

struct Slot {
    enum class Kind : std::uint8_t { argument, temporary, result };
    Kind kind;
    int number;             // argument: which; temporary and result: its place
    shape::Dim bytes = 0;   // temporaries, results
};

/// Memory of a slot as an array.
struct ViewOf {
    int slot;
    Dtype dtype;
    shape::Dim offset;
    shape::Dims shape, strides;
};

struct KernelStep {
    codegen::KernelFunction function;
    std::vector<int> slots;     // per buffer
    shape::Dim parallel;
    std::int64_t cost;          // of a unit of `parallel`
    std::vector<Dtype> scratch; // rows
    shape::Dim inner_points;
};

struct EagerStep {
    ops::Op op;
    ir::Attributes attributes;  // dims may be symbolic
    std::vector<ViewOf> operands;
    ViewOf out;
};

/// Goes on only if an element is what it was when recorded.
struct Expectation {
    int number;     // among the recording's reads
    Scalar scalar;
};

/// One of the two. An eager step of the op `expect` has an expectation.
struct Step {
    bool is_kernel;
    KernelStep kernel{};
    EagerStep eager{};
    Expectation expected{};
};

/// How a run ended. Raised: an element raised an error before anything was written to an argument, so that the function can be run as written, and
/// raise or handle it there. Unexpected: an expectation did not hold, and nothing was written to an argument.
struct Outcome {
    enum class Kind : std::uint8_t { done, raised, unexpected };
    Kind kind = Kind::done;
    int read = -1;     // unexpected: which
    Scalar found{};    // and what it is
};

/// A result: its memory, and, where that is an argument's, which one.
struct Result {
    device::Memory memory;
    int argument = -1;
};

struct Plan {
    std::vector<Slot> slots;
    std::vector<Step> steps;
    std::vector<ViewOf> outputs;
    shape::Sizes sizes;
    std::vector<int> temporary_group;        // temporaries that never live at once share a place
    std::vector<shape::Dim> group_bytes;
    int result_count = 0;
    std::size_t first_write = 0;             // the first step that writes to an argument; the count of steps if none does
    codegen::Code code;

    // Kept for explain().
    std::vector<loop::Kernel> kernels;
    std::vector<loop::Schedule> schedules;

    /// `values`: the sizes' values by id (Sizes::evaluate). `arguments`: the first element of each argument.
    [[nodiscard]] Outcome run(std::span<void* const> arguments, const std::int64_t* values, std::vector<Result>& results) const;
};

}  // namespace fastnp::plan
