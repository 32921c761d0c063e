#include "plan/turns.h"

#include <cstring>

#include "fastnp/error.h"
#include "plan/kernel_turns.h"
#include "plan/loop_arrays.h"
#include "plan/number_turns.h"

namespace fastnp::plan {

namespace {

void save(const LoopArrays& arrays, std::int64_t turn) {
    for (std::size_t i = 0; i < arrays.state_count(); ++i) {
        if (void* place = arrays.saved_at(i, turn)) std::memcpy(place, arrays.states[i].data, arrays.bytes_of(i));
    }
}

// Runs the body as a plan at each turn.
void take_turns(LoopArrays& arrays, std::int64_t* values, trace::Caller& caller) {
    std::vector<void*> arguments(arrays.argument_count());
    std::vector<Result> results;
    for (std::int64_t turn = 0; arrays.goes_on(turn, arrays.states.empty() ? nullptr : arrays.states[0].data); ++turn) {
        save(arrays, turn);
        for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i] = i < arrays.state_count() ? arrays.states[i].data : arrays.argument(i, turn);
        results.clear();
        const Outcome outcome = arrays.step().body->run(arguments, values, caller, results);
        if (outcome.error) std::rethrow_exception(outcome.error);
        if (outcome.kind != Outcome::Kind::done) throw InternalError("a turn of a loop that came to no end");
        std::vector<device::Memory> next;
        for (Result& result : results) {
            const auto from = static_cast<std::size_t>(result.argument);
            if (result.argument >= 0 && from < arrays.state_count()) result.memory.buffer = arrays.states[from].buffer;
            next.push_back(std::move(result.memory));
        }
        arrays.states.assign(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(arrays.state_count()));
    }
}

}  // namespace

std::vector<device::Memory> run_turns(const LoopStep& step, const std::vector<device::Memory>& operands, std::int64_t* values, trace::Caller& caller) {
    LoopArrays arrays(step, operands, values);
    if (step.numbers) take_number_turns(arrays, values);
    else if (is_of_kernels(step, values)) take_kernel_turns(arrays, values);
    else take_turns(arrays, values, caller);
    return arrays.given();
}

}  // namespace fastnp::plan
