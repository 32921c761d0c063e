// A call is recorded: the user's function runs on arrays that stand for the arguments.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compile/signature.h"
#include "fastnp/compile.h"
#include "trace/recorder.h"

namespace fastnp::detail {

struct RecordedCall {
    std::shared_ptr<trace::Recorder> recorder;
    std::vector<shape::Dims> strides;  // of each parameter: the arguments, then what was captured
    double milliseconds = 0;
};

/// Records the function for the calls that fit a signature. `known`: what its first reads give. RecordError if it can't be recorded, and whatever the
/// function throws.
RecordedCall record_call(const compiler::Signature& signature, std::span<const Argument> call, Engine::Callee& callee,
                         const std::vector<trace::Found>& known);

}  // namespace fastnp::detail
