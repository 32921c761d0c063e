#include "codegen/host.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/fork.h"
#include "codegen/value.h"
#include "eager/code_level.h"
#include "fastnp/error.h"
#include "nest/order.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

struct Host {
    std::string triple, cpu, features;
    Machine machine;
};

Host this_machine() {
    Host result;
    result.cpu = llvm::sys::getHostCPUName().str();
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
        if (!result.features.empty()) result.features += ',';
        result.features += (feature.second ? "+" : "-") + feature.first().str();
    }
    // LLVM 19 exchanges the operands of masked comparisons of halves, `<` too, where it folds a load. Halves are computed as float32 anyway. (At the end:
    // avx10.1 has these instructions, too, and goes with them.)
    if (llvm::Triple(llvm::sys::getProcessTriple()).isX86()) result.features += ",-avx512fp16";
    return result;
}

// Code shall have the bits of the eager kernels, so both are for one level.
std::unique_ptr<const Host> make_host(eager::Isa level, bool for_others) {
    using eager::Isa;
    Host result = for_others ? Host{} : this_machine();
    if (for_others) result.cpu = level == Isa::v4 ? "x86-64-v4" : level == Isa::v3 ? "x86-64-v3" : "x86-64";
    result.triple = llvm::sys::getProcessTriple();
    result.machine.vector_bytes = nest::vector_bytes_of(level);
    result.machine.masked_memory = level == Isa::v4;
    return std::make_unique<const Host>(std::move(result));
}

template <eager::Isa level>
const Host& any_of() {
    return base::made_once([] { return make_host(level, true); });
}

const Host& host() {
    using eager::Isa;
    const std::optional<Isa> level = eager::CodeFor::current();
    if (!level) return base::made_once([] { return make_host(eager::host_isa(), eager::isa_is_chosen()); });
    switch (*level) {
        case Isa::v4: return any_of<Isa::v4>();
        case Isa::v3: return any_of<Isa::v3>();
        case Isa::base: return any_of<Isa::base>();
        case Isa::scalar: break;
    }
    return any_of<Isa::scalar>();
}

}  // namespace

void set_llvm_options() {
    // Loop strength reduction is done by those who optimise, where it pays: code generators would do it always.
    if (auto* lsr = llvm::cl::getRegisteredOptions().lookup("disable-lsr")) static_cast<llvm::cl::opt<bool>*>(lsr)->setValue(true);
    // Whether rows overlap is asked of each row: of all that the outer loop goes over, some always do.
    llvm::VectorizerParams::HoistRuntimeChecks = false;
    // What is left over of a loop over vectors is done by shorter vectors from 8 elements a vector on.
    if (auto* least = llvm::cl::getRegisteredOptions().lookup("epilogue-vectorization-minimum-VF")) {
        static_cast<llvm::cl::opt<unsigned>*>(least)->setValue(8);
    }
}

void initialize_llvm() {
    base::made_once([] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        set_llvm_options();
        return std::make_unique<const bool>(true);
    });
}

const Machine& host_machine() { return host().machine; }
std::string host_name() { return host().cpu; }

std::string target_text() {
    const Host& target = host();
    return target.triple + ' ' + target.cpu + ' ' + target.features + ' ' + std::to_string(target.machine.vector_bytes) +
           (target.machine.masked_memory ? " masked" : "");
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(Effort effort) {
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host().triple, error);
    if (target == nullptr) throw InternalError("no code generator for this machine: " + error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // NumPy does not contract
    options.EnableFastISel = false;
    const auto level = effort == Effort::full ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None;
    std::unique_ptr<llvm::TargetMachine> made(
        target->createTargetMachine(host().triple, host().cpu, host().features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level, true));
    made->setO0WantsFastISel(false);  // which knows less of vectors
    return made;
}

void set_host_attributes(llvm::Function& function) {
    function.addFnAttr("target-cpu", host().cpu);
    function.addFnAttr("target-features", host().features);
    const std::string bits = std::to_string(std::max(host().machine.vector_bytes, 16) * 8);
    function.addFnAttr("prefer-vector-width", bits);
    function.addFnAttr("min-legal-vector-width", bits);
}

}  // namespace fastnp::codegen
