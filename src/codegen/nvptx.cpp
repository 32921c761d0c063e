// One LLVM module becomes one PTX text; the passes are few, since the emitter and the library of device functions are optimised as they are written.
#include "codegen/nvptx.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/fork.h"
#include "codegen/analyses.h"
#include "codegen/host.h"
#include "codegen/llvm.h"
#include "codegen/nvptx_passes.h"
#include "fastnp/error.h"
#include "ops/rules.h"
#include "ops/usual.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Linker/Linker.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/Compression.h>
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
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>
#pragma GCC diagnostic pop

// The library of device functions, bitcode that the build embeds (cmake/device_functions.cmake).
extern "C" const char fastnp_device_functions_begin[];
extern "C" const char fastnp_device_functions_end[];

namespace fastnp::codegen {

namespace {

constexpr const char* triple = "nvptx64-nvidia-cuda";

void initialize() {
    base::made_once([] {
        initialize_llvm();
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
        return std::make_unique<const bool>(true);
    });
}

/// The newest capability that LLVM has a name for, up to the device's: PTX for it runs on all later ones.
int known_capability(int capability) {
    static constexpr std::array known{90, 89, 87, 86, 80};
    const auto* found = std::find_if(known.begin(), known.end(), [&](int each) { return each <= capability; });
    if (found == known.end()) throw InternalError("no code for GPUs of compute capability " + std::to_string(capability));
    return *found;
}

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
    for (llvm::Function& function : module) {
        if (function.isDeclaration()) continue;
        hide_negations(function);
        hide_sign_extensions(function);
    }
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
        case External::Kind::vector:
        case External::Kind::libm:
        case External::Kind::allocate:
        case External::Kind::collect:
        case External::Kind::ask:
        case External::Kind::shared_loop:
        case External::Kind::quiet:
        case External::Kind::draw_uniform:
        case External::Kind::draw_normal:
        case External::Kind::draw_exponential:
        case External::Kind::draw_integer:
        case External::Kind::draw_gauss:
        case External::Kind::draw_below:
        case External::Kind::draw_legacy_normal:
        case External::Kind::draw_legacy_exponential:
        case External::Kind::draw_masked: return false;
        case External::Kind::span: {
            const ops::Rule* rule = ops::info(external.op).rule;
            return rule != nullptr && ops::rules::has_loop(*rule, external.dtype);
        }
        case External::Kind::cast: return true;
        case External::Kind::usual: return ops::usual_of(external.op) != nullptr && external.dtype == Dtype::float32;
    }
    return false;
}

// A function for usual arguments is called before it is known whether they are: what its code was made from must not be taken for true around it.
void forget_assumptions(llvm::Function& function) {
    for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(function))) {
        if (llvm::isa<llvm::AssumeInst>(each)) each.eraseFromParent();
        else each.dropPoisonGeneratingAnnotations();
    }
}

// LLVM bitcode, which lies compressed in this library. Modules are read of it as they are needed.
llvm::StringRef device_functions() {
    const auto& bytes = base::made_once([] {
        const llvm::ArrayRef<std::uint8_t> compressed(reinterpret_cast<const std::uint8_t*>(fastnp_device_functions_begin),
                                                      reinterpret_cast<const std::uint8_t*>(fastnp_device_functions_end));
        constexpr std::size_t most_bytes = std::size_t{8} << 20;
        auto made = std::make_unique<llvm::SmallVector<std::uint8_t, 0>>();
        if (auto error = llvm::compression::zstd::decompress(compressed, *made, most_bytes)) {
            throw InternalError("the library of device functions: " + llvm::toString(std::move(error)));
        }
        return made;
    });
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Nothing else is read of the library.
void link_device_functions(llvm::Module& module) {
    if (undefined_functions(module).empty()) return;
    std::vector<const llvm::Function*> own;
    for (const llvm::Function& function : module) {
        if (!function.isDeclaration()) own.push_back(&function);
    }
    auto library = llvm::getLazyBitcodeModule({device_functions(), "device functions"}, module.getContext());
    if (!library) throw InternalError("the library of device functions: " + llvm::toString(library.takeError()));
    if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::Flags::LinkOnlyNeeded))
        throw InternalError("linking device functions failed");
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || std::find(own.begin(), own.end(), &function) != own.end()) continue;
        function.setComdat(nullptr);
        for (const char* of_build : {"target-cpu", "target-features"}) function.removeFnAttr(of_build);
        function.removeFnAttr(llvm::Attribute::NoInline);
        function.addFnAttr(llvm::Attribute::AlwaysInline);
        if (function.getName().starts_with("fastnp_usual_")) forget_assumptions(function);
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
    put_stores_in_turn(module);
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
