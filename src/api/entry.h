// A compiled entry: which calls it serves, what runs, and what explain() tells of it.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/record_call.h"
#include "api/rest.h"
#include "api/users_code.h"
#include "compile/backends.h"
#include "compile/signature.h"
#include "compile/specialise.h"
#include "device/span.h"
#include "fastnp/compile.h"

namespace fastnp::detail {

constexpr std::size_t most_values = 512;  // sizes of a plan that are evaluated on the stack

/// Where a call is computed: on the device that the thread's scope names, else where the first of its arrays that is at home on one is; null: the host.
device::Backend* device_of(std::span<const Argument> call);

struct Entry {
    compiler::Signature signature;
    std::shared_ptr<const void> kept;  // by the front end
    device::Backend* device = nullptr;  // null: the host
    std::uint32_t group = 0;           // entries for the same kind of call that differ in the values read
    std::string reason;       // of this compilation
    std::string uncompiled;   // why it runs as written, if it does
    plan::Plan plan;
    plan::Times times;
    std::string graph;     // as it was fused, in bytes (Graph::pack)
    std::string recorded;  // the graph as recorded, where calls are verified
    bool keeps_passes = false;          // for explain and debug folders, as the inputs
    std::vector<PassInfo> passes;       // the graph after each pass that changed it
    std::vector<std::string> inputs;    // the arguments of the call that it was made for
    std::string debug_folder;           // its own, once there is one
    std::vector<device::Memory> captured;
    std::vector<int> written;   // parameters whose memory the plan writes to
    std::vector<Part> parts;    // results that are parts of what the plan gives
    std::vector<int> read_only; // results that may not be written to
    std::vector<int> used;      // parameters that the plan reads or writes
    bool has_floats = false;    // it computes floating-point numbers
    std::vector<int> by_value;  // parameters whose only element is on the host, and is given to a device's kernels as it is
    std::vector<trace::Read> reads;  // while recording
    bool once = false;          // for the call that it was made for alone
    bool overlaps = false;      // of an entry that runs as written because arguments that it writes to share memory with others
    std::uint64_t made_at = 0;  // by the count of calls
    mutable std::atomic<std::uint64_t> last_call{0};
    std::shared_ptr<const UsersCode> users_code;  // what computes the values, if the back end is one of users
    Rest rest{};  // of the calls that try it first

    /// Takes what the recording noted, but for the graph. RecordError for what no plan can do.
    void take(Recording& made, std::span<const Argument> call);
    /// ... and compiles the rest.
    void make_code(Recording made, const CompileOptions& options);
    /// Both.
    void compile(Recording made, std::span<const Argument> call, const CompileOptions& options) {
        take(made, call);
        if (compiler::users_backend(options.backend)) made.examples = examples_of(call, captured);
        make_code(std::move(made), options);
    }
    /// Whether it serves a call, on its device, in which reads gave `known` so far; `values` get those of its sizes.
    bool serves(std::span<const Argument> call, std::string_view key, const std::vector<trace::Found>& known, std::int64_t* values) const;
    /// Whether memory that it writes to is that of another parameter, too.
    bool writes_shared(std::span<const Argument> call) const;
    plan::Outcome run(std::span<const Argument> call, std::int64_t* values, Engine::Callee& callee, std::vector<array>& results) const;
    /// What a call's reads gave when a run ended at one of them.
    std::vector<trace::Found> found(const plan::Outcome& outcome, const std::int64_t* values) const;
    EntryInfo info(bool with_code) const;

private:
    bool fits(const std::vector<trace::Found>& known, std::int64_t* values) const;
    std::vector<device::HostWrite> bring_to_host(std::span<const Argument> call) const;
    template <class F>
    void for_each_parameter(std::span<const Argument> call, F visit) const;
};
using EntryPtr = std::shared_ptr<const Entry>;

}  // namespace fastnp::detail
