#include "codegen/linked_functions.h"

#include <algorithm>
#include <mutex>
#include <utility>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/ExecutionEngine/Orc/Debugging/DebugInfoSupport.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

namespace orc = llvm::orc;
namespace jitlink = llvm::jitlink;
using Plugin = orc::ObjectLinkingLayer::Plugin;

std::vector<LinkedFunction::Line> lines_of(const jitlink::Symbol& function, llvm::DWARFContext& told) {
    using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
    const llvm::object::SectionedAddress begin{function.getAddress().getValue(), function.getBlock().getSection().getOrdinal()};
    std::vector<LinkedFunction::Line> lines;
    for (const auto& [address, info] : told.getLineInfoForAddressRange(begin, function.getSize(), Kind::AbsoluteFilePath)) {
        if (info.Line != 0) lines.push_back({address, info.Line, info.FileName});
    }
    return lines;
}

std::vector<LinkedFunction> functions_of(jitlink::LinkGraph& graph) {
    auto made = orc::createDWARFContext(graph);
    if (!made) llvm::consumeError(made.takeError());  // names alone, then
    std::vector<LinkedFunction> functions;
    for (const jitlink::Symbol* symbol : graph.defined_symbols()) {
        if (!symbol->hasName() || !symbol->isCallable() || symbol->getBlock().isZeroFill()) continue;
        const llvm::ArrayRef<char> block = symbol->getBlock().getContent();
        LinkedFunction& function = functions.emplace_back();
        function.name = symbol->getName().str();
        function.address = symbol->getAddress().getValue();
        function.code = std::span(block.data(), block.size()).subspan(symbol->getOffset(), symbol->getSize());
        if (made) function.lines = lines_of(*symbol, *made->first);
    }
    std::ranges::sort(functions, {}, &LinkedFunction::address);
    return functions;
}

class Listener : public Plugin {
public:
    explicit Listener(std::function<void(std::span<const LinkedFunction>)> tell) : tell_(std::move(tell)) {}
    void modifyPassConfig(orc::MaterializationResponsibility& /*unit*/, jitlink::LinkGraph& /*graph*/, jitlink::PassConfiguration& passes) override {
        passes.PrePrunePasses.emplace_back(orc::preserveDebugSections);
        passes.PostFixupPasses.emplace_back([this](jitlink::LinkGraph& graph) {
            const std::scoped_lock lock(mutex_);
            tell_(functions_of(graph));
            return llvm::Error::success();
        });
    }
    llvm::Error notifyFailed(orc::MaterializationResponsibility& /*unit*/) override { return llvm::Error::success(); }
    llvm::Error notifyRemovingResources(orc::JITDylib& /*library*/, orc::ResourceKey /*key*/) override { return llvm::Error::success(); }
    void notifyTransferringResources(orc::JITDylib& /*library*/, orc::ResourceKey /*to*/, orc::ResourceKey /*from*/) override {}

private:
    std::mutex mutex_;  // fork() waits until what is linked is linked (base::NoFork)
    std::function<void(std::span<const LinkedFunction>)> tell_;
};

}  // namespace

std::unique_ptr<Plugin> on_linked(std::function<void(std::span<const LinkedFunction>)> tell) { return std::make_unique<Listener>(std::move(tell)); }

}  // namespace fastnp::codegen
