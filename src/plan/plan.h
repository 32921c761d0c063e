// What will run: steps over slots of memory. Made once a compilation; running it evaluates the sizes, allocates the results and one block for the
// temporaries, and launches the steps.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "codegen/device_code.h"
#include "codegen/jit.h"
#include "device/backend.h"
#include "device/memory.h"
#include "interpret/kernel.h"
#include "ir/graph.h"
#include "nest/kernel.h"
#include "nest/number_loop.h"
#include "ops/catalogue.h"
#include "pass/apart.h"
#include "pass/index_map.h"
#include "trace/called.h"

namespace fastnp::plan {

struct Slot {
    enum class Kind : std::uint8_t { argument, temporary, result, given };  // given: by a call or a loop
    Kind kind;
    int number;             // argument: which; else its place among those of its kind
    shape::Dim bytes = 0;   // temporaries, results
    int stage = 0;          // results: the bound size (Sizes::stage) after which the bytes are known
    bool by_value = false;  // arguments: a single element on the host, which a device's kernels are given as it is
};

/// Memory of a slot as an array.
struct ViewOf {
    int slot;
    Dtype dtype;
    shape::Dim offset;
    shape::Dims shape, strides;
};

/// What does a plan's kernels on the host: code by LLVM, by LLVM without its passes, or the interpreter.
enum class KernelsBy : std::uint8_t { llvm, llvm_without_passes, interpreter };

struct KernelStep {
    codegen::KernelFunction function = nullptr;
    std::shared_ptr<const interpret::Kernel> interpreted{};  // in place of a function
    std::size_t number = 0;     // among the plan's kernels
    std::vector<int> slots;     // per buffer
    std::vector<std::int64_t> offsets;  // per buffer: bytes from the beginning of its slot
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
    bool only_checks = false;  // of a take, its indices: kernels take the elements
};

/// A look at an element: it is what it was when recorded, or the run ends; or it is the value of a bound size. Or a call, whose arrays lie in slots from
/// then on.
struct ReadStep {
    int number = 0;     // among the recording's reads
    int bound = 0;      // the number of the size; 0: the element is to be the scalar
    Scalar scalar{};
    int call = -1;      // the number of the call
    bool is_last = false;  // nothing that comes after may end the run
    std::vector<int> given{};  // of the call: the slot of each array, -1 for none
};

struct Plan;

/// All turns of a loop over numbers as native code.
struct NumberTurns {
    nest::NumberLoop loop;
    codegen::KernelFunction function = nullptr;
    std::shared_ptr<void> owner{};  // keeps the function
};

/// A loop: its body is run at each turn, on memory that the step manages (plan/turns.cpp).
struct LoopStep {
    std::shared_ptr<const Plan> body{};
    ir::Looped looped{};
    shape::Dim count = 0;
    std::vector<ir::Call::Type> states{}, collected{};  // of one turn
    std::vector<shape::Dims> strides{};  // of each state, as the body has it
    std::size_t parts = 0;             // how many operands after the states are arrays of parts
    std::vector<bool> written{};       // states that the body writes to in place
    std::vector<int> given{};          // the slot of each array that the loop gives, -1 for none
    std::shared_ptr<NumberTurns> numbers{};  // null: the body is run
};

/// One of these. An eager step of an op that reads has a read, one of a loop a loop.
struct Step {
    bool is_kernel;
    KernelStep kernel{};
    EagerStep eager{};
    ReadStep read{};
    LoopStep loop{};
    std::vector<ir::Location> lines{};  // the user's, of each op in it
    pass::Apart apart = pass::Apart::none;  // why it is no part of an earlier step
    int from = -1;                          // that one
    bool is_loop() const { return loop.body != nullptr; }
};

/// How a run ended. Raised: an element raised an error before anything was written to an argument, so that the function can be run as written, and
/// raise or handle it there. Unexpected: what was read is not as expected (another value, or a size of which guards do not hold), and nothing was written
/// to an argument.
struct Outcome {
    enum class Kind : std::uint8_t { done, raised, unexpected };
    Kind kind = Kind::done;
    int read = -1;     // unexpected: which
    Scalar found{};    // and what it is
    std::vector<trace::CalledPtr> called{};  // unexpected: what the calls gave so far
    std::exception_ptr error{};              // raised by a step
};

/// A result: its memory, and, where that is an argument's, which one.
struct Result {
    device::Memory memory;
    int argument = -1;
};

class UnalignedKernel;

/// A kernel as a device runs it.
struct DeviceKernel {
    codegen::DeviceFunction function{};
    nest::Grid grid;
    std::vector<shape::Dim> sizes;   // that it takes, in order
    std::shared_ptr<UnalignedKernel> unaligned;
};

class DeviceCalls;
class LastProfile;

/// What a plan has on the device that it runs on.
struct OnDevice {
    device::Backend* backend = nullptr;       // null: the plan runs on the host
    std::vector<DeviceKernel> kernels{};      // by number
    std::shared_ptr<DeviceCalls> calls{};
};

/// The layout of an argument of a plan on a device, as its owner keeps it.
struct Placed {
    const std::int64_t* shape;
    const std::int64_t* strides;  // bytes
    Dtype dtype;
    std::int8_t rank;
    bool written;                  // by the plan
    const device::Buffer* buffer;  // null: it is not known
};

struct Plan {
    std::vector<Slot> slots;
    std::vector<Step> steps;
    std::vector<ViewOf> outputs;
    shape::Sizes sizes;
    std::vector<ir::Call> calls;
    std::vector<int> temporary_group;        // temporaries that never live at once share a place
    std::vector<shape::Dim> group_bytes;
    std::vector<int> group_stage;            // as a slot's
    int result_count = 0, given_count = 0;
    pass::Layout layout = pass::Layout::contiguous;  // of what it makes; of a body also of its states
    std::size_t first_write = 0;             // the first step that writes to an argument; the count of steps if none does
    KernelsBy kernels_by = KernelsBy::llvm;
    std::shared_ptr<void> code;              // keeps the functions
    OnDevice on_device;
    std::shared_ptr<LastProfile> profiled;  // null: a body
    std::shared_ptr<const nest::NumberBody> of_numbers;  // a body that loops may take all turns of as programs; null: none

    // Kept for explain().
    std::vector<nest::Kernel> kernels;
    std::vector<nest::Schedule> schedules;

    /// `values`: the sizes' values by id (Sizes::evaluate); bound ones are put in. `arguments`: the first element of each argument; `placed`: on a device,
    /// the layout of each.
    [[nodiscard]] Outcome run(std::span<void* const> arguments, std::int64_t* values, trace::Caller& caller, std::vector<Result>& results,
                              std::span<const Placed> placed = {}) const;
};

/// What explain() and profilers call a step.
std::string name_of(const Plan& plan, const Step& step);

}  // namespace fastnp::plan
