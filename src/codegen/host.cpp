#include "codegen/host.h"

#include <cstdlib>

#include "codegen/value.h"
#include "fastnp/error.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

struct Host {
    std::string triple, cpu, features;
    Machine machine;
};

const Host& host() {
    static const Host found = [] {
        Host result;
        result.triple = llvm::sys::getProcessTriple();
        result.cpu = llvm::sys::getHostCPUName().str();
        bool avx512 = true;
        bool avx2 = false;
        bool sse2 = false;
        const auto features = llvm::sys::getHostCPUFeatures();
        for (const auto& feature : features) {
            if (!result.features.empty()) result.features += ',';
            result.features += (feature.second ? "+" : "-") + feature.first().str();
        }
        auto has = [&](const char* name) { return features.lookup(name); };
        avx512 = has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq");
        avx2 = has("avx2") && has("fma");
        sse2 = has("sse2");
        result.machine.vector_bytes = avx512 ? 64 : avx2 ? 32 : 16;
        result.machine.masked_memory = avx512;
        (void)sse2;
        return result;
    }();
    return found;
}

}  // namespace

const Machine& host_machine() { return host().machine; }
std::string host_name() { return host().cpu; }

std::unique_ptr<llvm::TargetMachine> make_target_machine() {
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host().triple, error);
    if (target == nullptr) throw InternalError("no code generator for this machine: " + error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // NumPy does not contract
    options.EnableFastISel = false;
    std::unique_ptr<llvm::TargetMachine> made(target->createTargetMachine(host().triple, host().cpu, host().features, options, llvm::Reloc::PIC_,
                                                                          llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, true));
    return made;
}

void set_host_attributes(llvm::Function& function) {
    function.addFnAttr("target-cpu", host().cpu);
    function.addFnAttr("target-features", host().features);
    const std::string bits = std::to_string(host().machine.vector_bytes * 8);
    function.addFnAttr("prefer-vector-width", bits);
    function.addFnAttr("min-legal-vector-width", bits);
}

}  // namespace fastnp::codegen
