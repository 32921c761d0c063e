// A call is recorded: the user's function runs on arrays that stand for the arguments.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/signature.h"
#include "compile/specialise.h"
#include "fastnp/compile.h"
#include "trace/recorder.h"

namespace fastnp::detail {

/// What a recording gave, all that an entry is made from; once the graph is prepared (compiler::prepare).
/// An output, by its number, that shows real or imaginary parts of the complex numbers that the graph gives.
struct Part {
    int output = 0;
    bool imaginary = false;
};

struct Recording {
    ir::Graph graph;
    std::vector<shape::Dims> strides;      // of each parameter: the arguments, then what was captured
    std::vector<device::Memory> captured;
    bool owns_captured = true;             // whether all of that was made by the recording itself
    std::vector<int> written;              // parameters whose memory is written to
    std::vector<Part> parts;
    std::vector<int> read_only;            // outputs that may not be written to, by their numbers
    std::vector<trace::Read> reads;
    plan::Times times;
    std::vector<array> examples;           // for back ends of users: arrays like those of each parameter, in memory of their own
};

/// Records the function for the calls that fit a signature. `known`: what its first reads give. RecordError if it can't be recorded, and whatever the
/// function throws. It ends with a RecordError at the read with the number `stop_at`. `place`: where the function is.
Recording record_call(const compiler::Signature& signature, std::span<const Argument> call, Engine::Callee& callee, const std::vector<trace::Found>& known,
                      std::size_t stop_at = std::size_t(-1), ir::Location place = {});

/// The values to return, and which of them lie in one array's memory. TypeError for values of a mapped function's inside.
void set_outputs(trace::Recorder& recorder, const std::vector<array>& outputs);
/// What was recorded, to give these arrays; `made` has the strides of the arguments.
void take_recording(trace::Recorder& recorder, const std::vector<array>& outputs, Recording& made);

/// A name for a prepared recording of a function of this identity (Engine::Callee::identity), the same in every process. Empty: it is not to be kept on
/// disk.
std::string recording_name(const std::string& identity, const std::string& backend, const compiler::Signature& signature, std::span<const Argument> call,
                           const std::vector<trace::Found>& known);
/// A prepared recording and what the front end keeps with it, as bytes; nothing for one that only this process can use.
std::optional<std::string> pack(const Recording& recording, std::string_view kept);
/// What was packed; nothing for anything else.
std::optional<std::pair<Recording, std::string>> unpack_recording(std::string_view bytes);

}  // namespace fastnp::detail
