#include "codegen/nvptx_passes.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

// Instructions of a function once what it calls is inlined.
class Sizes {
public:
    std::size_t of(const llvm::Function& function) {
        if (const auto found = known_.find(&function); found != known_.end()) return found->second;
        std::size_t size = 0;
        for_each_call(function, [&](const llvm::Function& called) { size += called.isDeclaration() ? 0 : of(called); });
        return known_[&function] = size + function.getInstructionCount();
    }
    template <class F>
    static void for_each_call(const llvm::Function& function, F visit) {
        for (const llvm::Instruction& each : llvm::instructions(function)) {
            const auto* call = llvm::dyn_cast<llvm::CallInst>(&each);
            if (call != nullptr && call->getCalledFunction() != nullptr) visit(*call->getCalledFunction());
        }
    }

private:
    std::map<const llvm::Function*, std::size_t> known_;  // no function calls itself
};

}  // namespace

bool is_kernel(const llvm::Function& function) { return function.getCallingConv() == llvm::CallingConv::PTX_Kernel; }

void keep_calls_of_large_functions(llvm::Module& module) {
    constexpr std::size_t most_inlined = 6000;  // instructions of one function in a kernel
    Sizes sizes;
    for (const llvm::Function& kernel : module) {
        if (kernel.isDeclaration() || !is_kernel(kernel)) continue;
        std::map<const llvm::Function*, std::size_t> calls;
        Sizes::for_each_call(kernel, [&](const llvm::Function& called) { ++calls[&called]; });
        for (const auto& [function, count] : calls) {
            if (function->isDeclaration() || count * sizes.of(*function) <= most_inlined) continue;
            llvm::Function* const kept = module.getFunction(function->getName());
            kept->removeFnAttr(llvm::Attribute::AlwaysInline);
            kept->addFnAttr(llvm::Attribute::NoInline);
        }
    }
}

llvm::PreservedAnalyses UnrollLoads::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    constexpr std::size_t most_instructions = 40;
    constexpr std::uint64_t most_steps = 16, most_bytes = 64;  // more would take too many registers
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
        if (!loop->isInnermost() || llvm::getBooleanLoopAttribute(loop, "llvm.loop.unroll.disable")) continue;
        std::size_t instructions = 0;
        std::uint64_t loaded = 0;  // bytes
        for (const llvm::BasicBlock* block : loop->blocks()) {
            instructions += block->size();
            for (const llvm::Instruction& each : *block) {
                if (llvm::isa<llvm::LoadInst>(each)) loaded += layout.getTypeStoreSize(each.getType()).getFixedValue();
            }
        }
        if (loaded == 0 || instructions > most_instructions) continue;
        const std::uint64_t steps = std::min(most_steps, most_bytes / std::bit_ceil(loaded));
        if (steps > 1) llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", static_cast<unsigned>(steps));
    }
    return llvm::PreservedAnalyses::all();
}

void overlap_launches(llvm::Module& module) {
    auto* const type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false);
    constexpr bool has_side_effects = true;
    auto* const code = llvm::InlineAsm::get(type, "griddepcontrol.launch_dependents; griddepcontrol.wait;", "~{memory}", has_side_effects);
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || !is_kernel(function)) continue;
        llvm::CallInst::Create(type, code, "", function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
        // What a kernel is given is not constant while it runs: loads that seem so (ld.global.nc) are moved before the wait by ptxas.
        for (llvm::Argument& argument : function.args()) argument.removeAttr(llvm::Attribute::NoAlias);
    }
}

}  // namespace fastnp::codegen
