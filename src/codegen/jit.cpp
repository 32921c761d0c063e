// Modules to machine code: a trimmed list of passes (the emitter writes vector code that needs no search), one code generation, linked by ORC. One ORC
// session serves the process; it is never torn down, since kernels may run until the very end of it.
#include "codegen/jit.h"

#include <atomic>
#include <bit>
#include <chrono>
#include <mutex>
#include <unordered_map>

#include "codegen/host.h"
#include "codegen/llvm.h"
#include "codegen/stored_code.h"
#include "fastnp/error.h"
#include "fastnp/half.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopStrengthReduce.h>
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
        // Done by optimize(), where it pays: the code generator would do it always.
        if (auto* lsr = llvm::cl::getRegisteredOptions().lookup("disable-lsr")) static_cast<llvm::cl::opt<bool>*>(lsr)->setValue(true);
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
    std::map<std::string, External> externals;
};

Emitted emit_all(std::span<const Job> jobs) {
    initialize();
    Emitted out;
    out.context = std::make_unique<llvm::LLVMContext>();
    out.module = std::make_unique<llvm::Module>("fastnp", *out.context);
    out.target = make_target_machine();
    out.module->setTargetTriple(out.target->getTargetTriple().str());
    out.module->setDataLayout(out.target->createDataLayout());
    for (const Job& job : jobs) {
        out.symbols.push_back("fastnp_" + job.kernel->name + "_" + std::to_string(out.symbols.size()));
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

// Whether to look for cheaper addresses (loop strength reduction). With many of them that takes most of the time of code generation, and the kernel has
// so much else to do that nothing is gained.
bool reduces_addresses(const llvm::Function& function) {
    constexpr int most_accesses = 24;
    int accesses = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) accesses += instruction.mayReadOrWriteMemory() ? 1 : 0;
    return accesses <= most_accesses;
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
    llvm::FunctionPassManager addresses;
    addresses.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopStrengthReducePass()));
    for (llvm::Function& function : *emitted.module) {
        if (function.isDeclaration()) continue;
        passes.run(function, functions);
        if (reduces_addresses(function)) addresses.run(function, functions);
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
        const std::string bytes = nest::fingerprint(*job.kernel, *job.schedule);
        const auto [place, added] = known.emplace(bytes, result.jobs.size());
        result.number.push_back(place->second);
        if (!added) continue;
        result.jobs.push_back(job);
        result.key += std::to_string(bytes.size()) + ":" + bytes;
    }
    return result;
}

// Object code of distinct kernels, made here and now.
StoredCode make_object(const Distinct& kernels, Code& times) {
    auto clock = Clock::now();
    Emitted emitted = emit_all(kernels.jobs);
    times.emit_ms = since(clock);
    optimize(emitted);
    times.optimize_ms = since(clock);
    const auto object = generate(emitted, llvm::CodeGenFileType::ObjectFile);
    times.generate_ms = since(clock);
    StoredCode made{std::move(emitted.symbols), {}, std::string(object.data(), object.size())};
    for (const auto& [name, external] : emitted.externals) made.externals.push_back(external);
    return made;
}

// Where the processor has no instructions for 16-bit floats, code calls these by the names of the compilers' own library, which a process may lack. A
// 16-bit float is handed over in the low bits of where a float would be.
float from_half(float bits) { return detail::half_bits_to_float(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(bits))); }
float to_half(float value) { return std::bit_cast<float>(std::uint32_t{detail::float_to_half_bits(value)}); }

// What generated code may call: what it was made to call, and what the code generator itself brings in. False if this machine lacks any.
bool define_externals(llvm::orc::JITDylib& library, const std::vector<External>& externals) {
    auto& jit = session();
    llvm::orc::SymbolMap symbols;
    const auto define = [&](const std::string& name, void* address) {
        symbols[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    for (const External& external : externals) {
        void* address = address_of(external);
        if (address == nullptr) return false;
        define(symbol_of(external), address);
    }
    define("__extendhfsf2", reinterpret_cast<void*>(&from_half));
    define("__truncsfhf2", reinterpret_cast<void*>(&to_half));
    define("memset", reinterpret_cast<void*>(&::memset));
    define("memcpy", reinterpret_cast<void*>(&::memcpy));
    define("fmod", reinterpret_cast<void*>(static_cast<double (*)(double, double)>(&::fmod)));
    if (auto error = library.define(llvm::orc::absoluteSymbols(std::move(symbols)))) fail("naming functions", std::move(error));
    return true;
}

// Puts object code in a library of its own; false if this machine lacks what it calls.
bool link(const StoredCode& stored, Code& code) {
    auto clock = Clock::now();
    auto& jit = session();
    static std::atomic<std::uint64_t> counter{0};
    auto made = jit.createJITDylib("plan" + std::to_string(counter++));
    if (!made) fail("making a library", made.takeError());
    llvm::orc::JITDylib& library = *made;
    code.owner = std::shared_ptr<void>(
        &library, [](void* held) { llvm::consumeError(session().getExecutionSession().removeJITDylib(*static_cast<llvm::orc::JITDylib*>(held))); });
    if (!define_externals(library, stored.externals)) return false;
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(stored.object, "fastnp");
    if (auto error = jit.addObjectFile(library, std::move(buffer))) fail("adding code", std::move(error));
    for (const std::string& symbol : stored.symbols) {
        code.functions.push_back(check(jit.lookup(library, symbol), "linking").toPtr<KernelFunction>());
    }
    code.link_ms = since(clock);
    return true;
}

// Machine code of distinct kernels: in use, kept on disk, or new.
Code compile_distinct(const Distinct& kernels) {
    Code code;
    if (code_cache().find(kernels.key, code)) return code;
    auto clock = Clock::now();
    const std::optional<StoredCode> stored = load_code(kernels.key);
    code.load_ms = since(clock);
    if (!stored || stored->symbols.size() != kernels.jobs.size() || !link(*stored, code)) {
        code = Code();
        const StoredCode made = make_object(kernels, code);
        if (!link(made, code)) throw InternalError("generated code calls functions that are not there");
        clock = Clock::now();
        store_code(kernels.key, made);
        code.store_ms = since(clock);
    }
    code_cache().insert(kernels.key, code);
    return code;
}

}  // namespace

Code compile(std::span<const Job> jobs) {
    const Distinct kernels = distinct(jobs);
    Code code = compile_distinct(kernels);
    std::vector<KernelFunction> functions;
    for (const std::size_t number : kernels.number) functions.push_back(code.functions[number]);
    code.functions = std::move(functions);
    return code;
}

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
