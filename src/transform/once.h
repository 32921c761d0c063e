// Recordings that are run once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/detail/once.h"
#include "trace/recorder.h"

namespace fastnp::detail {

/// Such a recording, with what front ends note of it.
class OnceRecorder : public trace::Recorder {
public:
    OnceRecorder() {
        set_once();
        set_watching();
    }
    std::shared_ptr<OnceNotes> notes;
    std::string backend;  // of the first compiled function that it came upon; empty: of none
    /// Before it runs, which overwrites memory that its values are computed from: keeps that, if anybody is to look at them.
    void keep_overwritten();
    /// The elements of a value as they were before it ran.
    device::Memory value_before(ir::Value value);

private:
    std::optional<trace::Evaluator> before_;  // if anything was overwritten
};

/// Runs a packed graph without reads and writes by a back end; in a recording it becomes a part of that.
std::vector<array> run_packed(const std::string& packed, const std::vector<array>& parameters, const std::string& backend);
/// Computes arrays of the recording that this thread is in; it can go on afterwards.
std::vector<array> run_recording(trace::Recorder& recorder, const std::vector<array>& outputs);

}  // namespace fastnp::detail
