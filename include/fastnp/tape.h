// Derivatives of code that is no function: what this thread computes while a Tape lives is recorded, and can be gone back on.
#pragma once

#include <memory>
#include <source_location>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup tape
/// @{

/// Derivatives of code that is no function, as tf.GradientTape has them. While it lives, all ops of this thread are noted, and computed when their values
/// are asked for: by the compiler, once it has seen the same ones before. Arrays from before are read as they were when they were first used, and can't be
/// written to (RecordError). Recorded arrays end with the tape. One at a time in a thread, and none within transforms and compiled functions.
///
///     Tape tape;
///     const array x = tape.watch(weights);
///     const array loss = sum(square(matmul(x, data)));
///     const array gradient = tape.gradient(loss, {x})[0];
class FASTNP_API Tape {
public:
    /// Begins to note the ops of this thread. RecordError in a transform or a compiled function, and where there is a tape.
    explicit Tape(const std::source_location& where = std::source_location::current());
    /// Ends it, and the arrays that were recorded.
    ~Tape();
    Tape(const Tape&) = delete;
    Tape& operator=(const Tape&) = delete;

    /// x, as an array to take derivatives with respect to. TypeError for dtypes that are not floating or complex.
    array watch(const array& x);
    /// The derivatives of one real element with respect to watched arrays (zeros where it does not depend on one), to be computed when they are asked for:
    /// they can be differentiated again. ValueError for results that are no single element, and for arrays that were not watched.
    std::vector<array> gradient(const array& result, const std::vector<array>& watched);
    /// Arrays in memory of their own, all computed at once: these outlive the tape.
    std::vector<array> compute(const std::vector<array>& arrays);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// @}

}  // namespace fastnp
