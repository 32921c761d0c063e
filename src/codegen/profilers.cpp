#include "codegen/profilers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "codegen/gdb_interface.h"
#include "codegen/linked_functions.h"
#include "codegen/perf_files.h"
#include "codegen/vtune_interface.h"
#include "fastnp/error.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/ExecutionEngine/Orc/DebugObjectManagerPlugin.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

namespace orc = llvm::orc;

enum class Profiler : std::uint8_t { gdb, perf, perf_map, vtune };

std::vector<Profiler> asked_for() {
    static constexpr std::array<std::pair<std::string_view, Profiler>, 4> names{
        {{"gdb", Profiler::gdb}, {"perf", Profiler::perf}, {"perf-map", Profiler::perf_map}, {"vtune", Profiler::vtune}}};
    const char* set = std::getenv("FASTNP_PROFILER");  // NOLINT: nothing here changes the environment
    std::vector<Profiler> found;
    for (std::string_view left = set == nullptr ? "" : set; !left.empty();) {
        const std::string_view word = left.substr(0, left.find(','));
        left.remove_prefix(std::min(word.size() + 1, left.size()));
        const auto* known = std::ranges::find(names, word, &std::pair<std::string_view, Profiler>::first);
        if (known == names.end()) throw ValueError("FASTNP_PROFILER must name 'gdb', 'perf', 'perf-map' or 'vtune', not '" + std::string(word) + "'");
        found.push_back(known->second);
    }
    return found;
}

const std::vector<Profiler>& profilers() {
    return base::made_once([] { return std::make_unique<const std::vector<Profiler>>(asked_for()); });
}

// Objects as they are linked, with their debug information.
class Gdb : public orc::DebugObjectRegistrar {
public:
    llvm::Error registerDebugObject(orc::ExecutorAddrRange object, bool /*tells*/) override {
        tell_gdb({object.Start.toPtr<const char*>(), static_cast<std::size_t>(object.size())});
        return llvm::Error::success();
    }
};

std::unique_ptr<orc::ObjectLinkingLayer::Plugin> plugin_of(Profiler profiler, orc::ExecutionSession& session) {
    switch (profiler) {
        case Profiler::gdb: return std::make_unique<orc::DebugObjectManagerPlugin>(session, std::make_unique<Gdb>(), false, true);
        case Profiler::perf: return on_linked([file = std::make_shared<JitDump>()](auto functions) { file->add(functions); });
        case Profiler::perf_map: return on_linked([file = std::make_shared<PerfMap>()](auto functions) { file->add(functions); });
        case Profiler::vtune: return on_linked(tell_vtune);
    }
    throw InternalError("an unknown profiler");
}

}  // namespace

bool has_profilers() { return !profilers().empty(); }

void attach_profilers(orc::LLJIT& jit) {
    auto& linker = static_cast<orc::ObjectLinkingLayer&>(jit.getObjLinkingLayer());  // what LLJIT takes for ELF on x86-64
    for (const Profiler each : profilers()) linker.addPlugin(plugin_of(each, jit.getExecutionSession()));
}

}  // namespace fastnp::codegen
