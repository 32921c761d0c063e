// One LLVM module becomes one PTX text; the passes are few, since the emitter and the library of device functions are optimised as they are written.
#include "codegen/nvptx.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <vector>

#include "codegen/analyses.h"
#include "codegen/host.h"
#include "codegen/llvm.h"
#include "fastnp/error.h"
#include "ops/rules.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Linker/Linker.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>
#pragma GCC diagnostic pop

// The library of device functions, bitcode that the build embeds (cmake/device_functions.cmake).
extern "C" const char fastnp_device_functions_begin[];
extern "C" const char fastnp_device_functions_end[];

namespace fastnp::codegen {

namespace {

constexpr const char* triple = "nvptx64-nvidia-cuda";

void initialize() {
    static const bool once = [] {
        initialize_llvm();
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
        return true;
    }();
    (void)once;
}

/// The newest capability that LLVM has a name for, up to the device's: PTX for it runs on all later ones.
int known_capability(int capability) {
    static constexpr std::array known{90, 89, 87, 86, 80};
    const auto* found = std::find_if(known.begin(), known.end(), [&](int each) { return each <= capability; });
    if (found == known.end()) throw InternalError("no code for GPUs of compute capability " + std::to_string(capability));
    return *found;
}

bool is_kernel(const llvm::Function& function) { return function.getCallingConv() == llvm::CallingConv::PTX_Kernel; }

std::vector<llvm::Function*> undefined_functions(llvm::Module& module) {
    std::vector<llvm::Function*> result;
    for (llvm::Function& function : module) {
        if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty()) result.push_back(&function);
    }
    return result;
}

void make_internal(llvm::Module& module) {
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || is_kernel(function)) continue;
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
        function.setVisibility(llvm::GlobalValue::DefaultVisibility);
    }
}

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

// A function that a kernel calls at many places is called, and not inlined at each: ptxas takes seconds for a hundred sines (an unrolled loop has them).
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

// Small innermost loops that load have several steps' loads on their way at once: memory is far, and a thread that waits for each does nothing else.
class UnrollLoads : public llvm::PassInfoMixin<UnrollLoads> {
public:
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
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

private:
    static constexpr std::size_t most_instructions = 40;
    static constexpr std::uint64_t most_steps = 16, most_bytes = 64;  // more would take too many registers
};

// Kernels say at once that the next one may begin, which happens when all their blocks have, and wait for the one before them, and so for all before that.
// What it wrote is there then. Blocks are on the GPU by that time: on an H200 1.7 microseconds fewer pass between two kernels.
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

// The host's passes (object.cpp), after inlining.
void optimize(llvm::Module& module, llvm::TargetMachine& target) {
    Analyses analyses(target);
    llvm::ModulePassManager passes;
    passes.addPass(llvm::AlwaysInlinerPass(false));
    passes.addPass(llvm::GlobalDCEPass());
    llvm::FunctionPassManager each;
    each.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    each.addPass(llvm::EarlyCSEPass(true));
    each.addPass(llvm::SimplifyCFGPass());
    llvm::LoopPassManager licm;
    licm.addPass(llvm::LICMPass(llvm::LICMOptions()));
    each.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(licm), true));
    each.addPass(llvm::InstCombinePass());
    each.addPass(llvm::EarlyCSEPass(true));
    each.addPass(UnrollLoads());
    each.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2).setRuntime(true).setPartial(false).setFullUnrollMaxCount(8)));
    each.addPass(llvm::InstCombinePass());
    each.addPass(llvm::EarlyCSEPass(true));
    each.addPass(llvm::InferAlignmentPass());
    each.addPass(llvm::LoadStoreVectorizerPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
    passes.run(module, analyses.modules);
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> make_nvptx_machine(int capability) {
    initialize();
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (target == nullptr) throw InternalError("no code generator for GPUs: " + error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // neither LLVM nor ptxas may contract: instructions say .rn
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(triple, "sm_" + std::to_string(known_capability(capability)), "+ptx80",
                                                                            options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

void set_nvptx_target(llvm::Module& module) {
    module.setTargetTriple(triple);
    module.setDataLayout(make_nvptx_machine(80)->createDataLayout());
}

bool has_device_function(const External& external) {
    switch (external.kind) {
        case External::Kind::vector: return false;
        case External::Kind::span: {
            const ops::Rule* rule = ops::info(external.op).rule;
            return rule != nullptr && ops::rules::has_loop(*rule, external.dtype);
        }
        case External::Kind::cast: return true;
    }
    return false;
}

// Nothing else is read of the library.
void link_device_functions(llvm::Module& module) {
    if (undefined_functions(module).empty()) return;
    std::vector<const llvm::Function*> own;
    for (const llvm::Function& function : module) {
        if (!function.isDeclaration()) own.push_back(&function);
    }
    const llvm::StringRef bytes(fastnp_device_functions_begin, static_cast<std::size_t>(fastnp_device_functions_end - fastnp_device_functions_begin));
    auto library = llvm::getLazyBitcodeModule({bytes, "device functions"}, module.getContext());
    if (!library) throw InternalError("the library of device functions: " + llvm::toString(library.takeError()));
    if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::Flags::LinkOnlyNeeded))
        throw InternalError("linking device functions failed");
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || std::find(own.begin(), own.end(), &function) != own.end()) continue;
        function.setComdat(nullptr);
        for (const char* of_build : {"target-cpu", "target-features"}) function.removeFnAttr(of_build);
        function.removeFnAttr(llvm::Attribute::NoInline);
        function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
}

std::string to_ptx(llvm::Module& module, int capability) {
    const auto target = make_nvptx_machine(capability);
    link_device_functions(module);
    for (const llvm::Function* function : undefined_functions(module)) {
        throw InternalError("device code calls " + function->getName().str() + ", which devices lack");
    }
    make_internal(module);
    keep_calls_of_large_functions(module);
    optimize(module, *target);
    if (capability >= device::overlapping_capability) overlap_launches(module);
    llvm::SmallVector<char, 0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    if (target->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) throw InternalError("no PTX can be written");
    passes.run(module);
    return {text.data(), text.size()};
}

std::string to_text(llvm::Module& module, device::Backend::Code code, int capability) {
    if (code == device::Backend::Code::ptx) return to_ptx(module, capability);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    return text;
}

}  // namespace fastnp::codegen
