// Recordings that are run once, for front ends that look at the floating-point errors of what is recorded.
#pragma once

#include <memory>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// What a front end notes of a recording. It goes with the recording, and holds values of it, not arrays, which would hold the recording.
class OnceNotes {
public:
    OnceNotes() = default;
    virtual ~OnceNotes() = default;
    OnceNotes(const OnceNotes&) = delete;
    OnceNotes& operator=(const OnceNotes&) = delete;
    /// What was recorded has been run. The processor's flags are as that left them; values are still to be had.
    virtual void computed() = 0;
};

/// Of the recording that this thread is in, to be set; null in others than those that are run once.
FASTNP_API std::shared_ptr<OnceNotes>* once_notes();

/// A value of the recording, without a hold on it.
using NotedValue = const void*;
/// That of an array as it is now.
FASTNP_API NotedValue note_value(const array& x);
/// It, as an array of the recording that this thread is in.
FASTNP_API array noted_array(NotedValue value);

/// The elements of an array of the recording, as it has them, whatever its run has overwritten since.
FASTNP_API array value_before_run(const array& x);

/// Whether a recording that is run once, which this thread is in, has written to the memory of an array that is no value of it: what lies there is older.
FASTNP_API bool is_written_late(const array& x);

/// The FloatFlags that values raised which were looked at while recording in this thread, since this was last asked.
FASTNP_API unsigned take_looked_flags();

}  // namespace fastnp::detail
