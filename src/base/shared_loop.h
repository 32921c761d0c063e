// Runs loops of native programs whose iterations know nothing of each other (ir/shared.h): the first ones here, with a look at the clock, and the others
// by all threads, if they take long enough.
#pragma once

#include <cstdint>

#include "base/for_codegen.h"

namespace fastnp::base {

/// What generated code hands over.
struct SharedLoopCall {
    /// Does the iterations from inputs[count - 2] up to inputs[count - 1]; words[0] is the exit that it took.
    void (*run)(void* const* arrays, const std::int64_t* inputs, std::int64_t blocks, std::int64_t interruption, void* words);
    void* const* arrays;
    std::int64_t* inputs;
    /// Of inputs and words how many; the word where wrapped integers are noted; the exit of what is done; whether there are others; how many parts; from
    /// how many iterations on they may be shared; then which inputs take words of the iterations before: how many, and (input, word) each.
    const std::int64_t* layout;
    /// Memory that is stored to, and what is read that may not be the same: of each where its first element is, bytes of one, whether it is stored to, and
    /// along how many axes; then of each axis how many elements, and bytes from one to the next.
    const std::int64_t* parts;
    std::int64_t interruption;
    std::int64_t* words;  // what the last exit leaves behind
};

/// How many times threads shared iterations in this process.
std::uint64_t shared_rounds();

/// Whether all iterations from `first` up to `end` are done. Else the exit that was taken, and what was stored, are those of the loop in its order.
FASTNP_FOR_CODEGEN std::int32_t run_shared_loop(const SharedLoopCall* call, std::int64_t first, std::int64_t end) noexcept;

}  // namespace fastnp::base
