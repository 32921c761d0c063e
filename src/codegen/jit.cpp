// Modules to machine code: a trimmed list of passes (the emitter writes vector code that needs no search), one code generation, linked by ORC. One ORC
// session serves the process; it is never torn down, since kernels may run until the very end of it.
#include "codegen/jit.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <unordered_map>

#include "codegen/host.h"
#include "codegen/llvm.h"
#include "fastnp/error.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point& from) {
    const auto now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - from).count();
    from = now;
    return ms;
}

[[noreturn]] void fail(const char* what, llvm::Error error) {
    throw InternalError(std::string("code generation: ") + what + ": " + llvm::toString(std::move(error)));
}

template <class T>
T check(llvm::Expected<T> value, const char* what) {
    if (!value) fail(what, value.takeError());
    return std::move(*value);
}

void initialize() {
    static const bool once = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        return true;
    }();
    (void)once;
}

llvm::orc::LLJIT& session() {
    static llvm::orc::LLJIT* jit = [] {
        initialize();
        auto made = llvm::orc::LLJITBuilder().setNumCompileThreads(0).create();
        return check(std::move(made), "starting the linker").release();
    }();
    return *jit;
}

struct Emitted {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
    std::unique_ptr<llvm::TargetMachine> target;
    std::vector<std::string> symbols;
    std::map<std::string, void*> externals;
};

Emitted emit_all(std::span<const Job> jobs) {
    static std::atomic<std::uint64_t> counter{0};
    initialize();
    Emitted out;
    out.context = std::make_unique<llvm::LLVMContext>();
    out.module = std::make_unique<llvm::Module>("fastnp", *out.context);
    out.target = make_target_machine();
    out.module->setTargetTriple(out.target->getTargetTriple().str());
    out.module->setDataLayout(out.target->createDataLayout());
    for (const Job& job : jobs) {
        out.symbols.push_back("fastnp_" + job.kernel->name + "_" + std::to_string(counter++));
        emit(*job.kernel, *job.schedule, host_machine(), *out.module, out.symbols.back(), out.externals);
        set_host_attributes(*out.module->getFunction(out.symbols.back()));
    }
#ifndef NDEBUG
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(*out.module, &stream)) throw InternalError("malformed LLVM IR: " + problem);
#endif
    return out;
}

void optimize(Emitted& emitted) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graphs;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(emitted.target.get());
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::SimplifyCFGPass());
    llvm::LoopPassManager licm;
    licm.addPass(llvm::LICMPass(llvm::LICMOptions()));
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(licm), true));
    passes.addPass(llvm::InstCombinePass());
    for (llvm::Function& function : *emitted.module) {
        if (!function.isDeclaration()) passes.run(function, functions);
    }
}

llvm::SmallVector<char, 0> generate(Emitted& emitted, llvm::CodeGenFileType type) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    if (emitted.target->addPassesToEmitFile(passes, stream, nullptr, type)) throw InternalError("the host's code generator emits no files");
    passes.run(*emitted.module);
    return bytes;
}

// Code in use, by its kernels' fingerprints. Functions that do the same share it.
class CodeCache {
public:
    bool find(const std::string& key, Code& code) {
        const std::scoped_lock lock(mutex_);
        const auto found = held_.find(key);
        if (found == held_.end()) return false;
        code.owner = found->second.owner.lock();
        if (code.owner == nullptr) return false;  // freed meanwhile
        code.functions = found->second.functions;
        return true;
    }
    void insert(const std::string& key, const Code& code) {
        const std::scoped_lock lock(mutex_);
        std::erase_if(held_, [](const auto& each) { return each.second.owner.expired(); });
        held_[key] = {code.functions, code.owner};
    }

private:
    struct Held {
        std::vector<KernelFunction> functions;
        std::weak_ptr<void> owner;
    };
    std::mutex mutex_;
    std::unordered_map<std::string, Held> held_;
};

CodeCache& code_cache() {
    static CodeCache* made = new CodeCache;  // never destroyed, as the session
    return *made;
}

// Jobs without repeats, such as the steps of a loop that was recorded turn by turn.
struct Distinct {
    std::vector<Job> jobs;
    std::vector<std::size_t> number;  // of each job's equal among them
    std::string key;                  // equal for equal code
};

Distinct distinct(std::span<const Job> jobs) {
    Distinct result;
    std::unordered_map<std::string, std::size_t> known;
    for (const Job& job : jobs) {
        const std::string bytes = loop::fingerprint(*job.kernel, *job.schedule);
        const auto [place, added] = known.emplace(bytes, result.jobs.size());
        result.number.push_back(place->second);
        if (!added) continue;
        result.jobs.push_back(job);
        result.key += std::to_string(bytes.size()) + ":" + bytes;
    }
    return result;
}

// Machine code of distinct kernels.
Code compile_distinct(const Distinct& kernels);

}  // namespace

Code compile(std::span<const Job> jobs) {
    const Distinct kernels = distinct(jobs);
    Code code = compile_distinct(kernels);
    std::vector<KernelFunction> functions;
    for (const std::size_t number : kernels.number) functions.push_back(code.functions[number]);
    code.functions = std::move(functions);
    return code;
}

namespace {

Code compile_distinct(const Distinct& kernels) {
    Code code;
    if (code_cache().find(kernels.key, code)) return code;
    auto clock = Clock::now();
    Emitted emitted = emit_all(kernels.jobs);
    code.emit_ms = since(clock);
    optimize(emitted);
    code.optimize_ms = since(clock);
    auto object = generate(emitted, llvm::CodeGenFileType::ObjectFile);
    code.generate_ms = since(clock);

    auto& jit = session();
    static std::atomic<std::uint64_t> counter{0};
    auto made = jit.createJITDylib("plan" + std::to_string(counter++));
    if (!made) fail("making a library", made.takeError());
    llvm::orc::JITDylib& library = *made;
    llvm::orc::SymbolMap symbols;
    for (const auto& [name, address] : emitted.externals) {
        symbols[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    }
    // What the code generator itself may call.
    for (const auto& [name, address] :
         std::initializer_list<std::pair<const char*, void*>>{{"memset", reinterpret_cast<void*>(&::memset)},
                                                              {"memcpy", reinterpret_cast<void*>(&::memcpy)},
                                                              {"fmod", reinterpret_cast<void*>(static_cast<double (*)(double, double)>(&::fmod))}}) {
        symbols[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    }
    if (auto error = library.define(llvm::orc::absoluteSymbols(std::move(symbols)))) fail("naming functions", std::move(error));
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()), "fastnp");
    if (auto error = jit.addObjectFile(library, std::move(buffer))) fail("adding code", std::move(error));
    code.owner = std::shared_ptr<void>(&library, [](void* held) {
        auto& jit = session();
        llvm::consumeError(jit.getExecutionSession().removeJITDylib(*static_cast<llvm::orc::JITDylib*>(held)));
    });
    for (const std::string& symbol : emitted.symbols) {
        code.functions.push_back(check(jit.lookup(library, symbol), "linking").toPtr<KernelFunction>());
    }
    code.link_ms = since(clock);
    code_cache().insert(kernels.key, code);
    return code;
}

}  // namespace

std::string llvm_text(std::span<const Job> jobs) {
    Emitted emitted = emit_all(jobs);
    optimize(emitted);
    std::string text;
    llvm::raw_string_ostream stream(text);
    emitted.module->print(stream, nullptr);
    return text;
}

std::string assembly_text(std::span<const Job> jobs) {
    Emitted emitted = emit_all(jobs);
    optimize(emitted);
    const auto bytes = generate(emitted, llvm::CodeGenFileType::AssemblyFile);
    return {bytes.data(), bytes.size()};
}

std::string host_text() {
    const int bytes = host_machine().vector_bytes;
    return host_name() + (bytes > 1 ? ", " + std::to_string(bytes * 8) + "-bit vectors" : ", no vectors");
}

}  // namespace fastnp::codegen
