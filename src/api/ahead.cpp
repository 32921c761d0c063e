// What an engine does before there is a call (fastnp/detail/ahead.h).
#include "fastnp/detail/ahead.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/engine_state.h"
#include "api/exported.h"
#include "api/graph_state.h"
#include "api/record_call.h"
#include "api/told_graph.h"
#include "compile/backends.h"
#include "fastnp/error.h"

namespace fastnp::detail {

namespace {

// What goes into a library is as it is: nothing of it varies.
compiler::Signature signature_of(std::span<const Argument> call, std::string_view key, DynamicSizes sizes, const NamedSizes& named, const Ahead& ahead) {
    const bool has_weights = ahead.until == Ahead::Until::exported || ahead.until == Ahead::Until::told;
    const std::size_t given = has_weights ? std::min(ahead.given, call.size()) : call.size();
    compiler::Signature signature = compiler::describe(call.first(given), key, {}, sizes, named);
    for (const Argument& weight : call.subspan(given)) {
        compiler::ArgumentGuard guard{weight.dtype, weight.rank, compiler::is_c_contiguous(weight), {}, {}};
        for (int axis = 0; axis < weight.rank; ++axis) {
            guard.shape.push_back({-1, weight.shape[axis]});
            if (!guard.contiguous) guard.strides.push_back({-1, weight.strides[axis]});
        }
        signature.arguments.push_back(std::move(guard));
    }
    return signature;
}

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
    entry.signature = signature_of(call, key, options.sizes, named != nullptr ? *named : options.dynamic, ahead);
    Recording recording = record_call(entry.signature, call, callee, {});
    entry.kept = callee.keep();
    ahead.graph = shown_text(recording.graph);
    if (ahead.until == Ahead::Until::recorded) return {Outcome::ran, nullptr, {}, nullptr};
    if (ahead.until == Ahead::Until::told) {
        ahead.told = std::make_shared<const ToldGraph>(told(std::move(recording), call, ahead, entry.kept.get()));
        return {Outcome::ran, nullptr, {}, nullptr};
    }
    lower(std::move(recording), entry, call, options, ahead);
    if (ahead.until == Ahead::Until::exported) ahead.part = std::make_shared<const ExportedPart>(exported(entry, call, ahead));
    return {Outcome::ran, nullptr, {}, nullptr};
}

}  // namespace fastnp::detail
