// What an engine does before there is a call (fastnp/detail/ahead.h).
#include "fastnp/detail/ahead.h"

#include <array>

#include "api/engine_state.h"
#include "api/graph_state.h"
#include "api/record_call.h"
#include "compile/backends.h"
#include "fastnp/error.h"

namespace fastnp::detail {

namespace {

// An entry that nobody keeps, without its code.
void lower(Recording recording, Entry& entry, std::span<const Argument> call, const CompileOptions& options, Ahead& ahead) {
    compiler::prepare(recording.graph, options.backend, {recording.times});
    entry.take(recording, call);
    entry.make_code(std::move(recording), options);
    ahead.info = std::make_shared<const EntryInfo>(entry.info(false));
}

}  // namespace

Engine::Result Engine::State::look_ahead(std::span<const Argument> call, std::string_view key, device::Backend* device, Callee& callee, Ahead& ahead) {
    if (compiler::users_backend(options.backend)) {
        throw TypeError("backend '" + options.backend + "' is handed example arrays, which there are none of ahead of time");
    }
    if (ahead.until == Ahead::Until::compiled) {
        std::array<std::int64_t, most_values> values;
        int made = 0;
        bool refused = false;
        const EntryPtr entry = make(call, key, device, callee, {}, values.data(), made, refused);
        if (!entry->uncompiled.empty()) return {Outcome::uncompiled, nullptr, entry->uncompiled, nullptr};
        ahead.is_new = made != 0;
        ahead.info = std::make_shared<const EntryInfo>(entry->info(false));
        return {Outcome::ran, nullptr, {}, nullptr};
    }
    const NamedSizes* const named = callee.named_sizes();
    if (named == nullptr) check_named_sizes(call, options.dynamic);
    Entry entry;
    entry.device = device;
    entry.signature = compiler::describe(call, key, {}, options.sizes, named != nullptr ? *named : options.dynamic);
    Recording recording = record_call(entry.signature, call, callee, {});
    entry.kept = callee.keep();
    ahead.graph = shown_text(recording.graph);
    if (ahead.until == Ahead::Until::lowered) lower(std::move(recording), entry, call, options, ahead);
    return {Outcome::ran, nullptr, {}, nullptr};
}

}  // namespace fastnp::detail
