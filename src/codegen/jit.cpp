// Object code to functions of this process: kept, found again, linked by ORC. One ORC session serves the process; it is never torn down, since kernels may
// run until the very end of it.
#include "codegen/jit.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/fork.h"
#include "codegen/distinct.h"
#include "codegen/half_calls.h"
#include "codegen/host.h"
#include "codegen/llvm.h"
#include "codegen/object.h"
#include "codegen/profilers.h"
#include "codegen/source_lines.h"
#include "codegen/stopwatch.h"
#include "codegen/stored_code.h"
#include "fastnp/detail/log.h"
#include "fastnp/error.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

[[noreturn]] void fail(const char* what, llvm::Error error) {
    throw InternalError(std::string("code generation: ") + what + ": " + llvm::toString(std::move(error)));
}

template <class T>
T check(llvm::Expected<T> value, const char* what) {
    if (!value) fail(what, value.takeError());
    return std::move(*value);
}

llvm::orc::LLJIT& session() {
    return base::made_once([] {
        initialize_llvm();
        auto made = check(llvm::orc::LLJITBuilder().setNumCompileThreads(0).create(), "starting the linker");
        attach_profilers(*made);
        return made;
    });
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
    base::ForkSafe<std::mutex> mutex_;
    std::unordered_map<std::string, Held> held_;
};

CodeCache& code_cache() {
    return base::made_once([] { return std::make_unique<CodeCache>(); });
}

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
    define("__extendhfsf2", reinterpret_cast<void*>(&float_from_half));
    define("__truncsfhf2", reinterpret_cast<void*>(&half_from_float));
    define("memset", reinterpret_cast<void*>(&::memset));
    define("memcpy", reinterpret_cast<void*>(&::memcpy));
    define("fmod", reinterpret_cast<void*>(static_cast<double (*)(double, double)>(&::fmod)));
    if (auto error = library.define(llvm::orc::absoluteSymbols(std::move(symbols)))) fail("naming functions", std::move(error));
    return true;
}

// Puts object code in a library of its own; false if this machine lacks what it calls.
bool link(const StoredCode& stored, Code& code) {
    Stopwatch clock;
    auto& jit = session();
    static std::atomic<std::uint64_t> counter{0};
    auto made = jit.createJITDylib("plan" + std::to_string(counter++));
    if (!made) fail("making a library", made.takeError());
    llvm::orc::JITDylib& library = *made;
    code.owner = std::shared_ptr<void>(&library, [](void* held) {
        if (has_profilers()) return;  // they know the code by its address: no other may come to lie there
        const base::NoFork whole;
        llvm::consumeError(session().getExecutionSession().removeJITDylib(*static_cast<llvm::orc::JITDylib*>(held)));
    });
    if (!define_externals(library, stored.externals)) return false;
    for (const std::string& object : stored.objects) {
        auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, "fastnp");
        if (auto error = jit.addObjectFile(library, std::move(buffer))) fail("adding code", std::move(error));
    }
    for (const std::string& symbol : stored.symbols) {
        code.functions.push_back(check(jit.lookup(library, symbol), "linking").toPtr<KernelFunction>());
    }
    code.link_ms = clock.lap("link");
    return true;
}

// Machine code by what it does: in use, kept on disk, or made now, of as many functions as `count` says.
template <class Make>
Code found_or_made(const std::string& key, std::size_t count, Make make) {
    Code code;
    if (code_cache().find(key, code)) {
        if (detail::tells(detail::Channel::cache)) detail::tell(detail::Channel::cache, "machine code that is in use serves once more");
        return code;
    }
    Stopwatch clock;
    const std::optional<StoredCode> stored = load_code(key);
    code.load_ms = clock.lap("load");
    if (!stored || stored->symbols.size() != count || !link(*stored, code)) {
        code = Code();
        const StoredCode made = make(code);
        if (!link(made, code)) throw InternalError("generated code calls functions that are not there");
        clock.lap();
        store_code(key, made);
        code.store_ms = clock.lap("store");
    }
    code_cache().insert(key, code);
    return code;
}

}  // namespace

Code compile(std::span<const Job> jobs, Effort effort) {
    const base::NoFork whole;  // of the session
    const Distinct<Job> kernels = distinct(jobs, [](const Job& job) { return nest::fingerprint(*job.kernel, *job.schedule) + told_by(*job.kernel); });
    const std::string key = (effort == Effort::none ? "unoptimised " : "") + kernels.key;
    Code code = found_or_made(key, kernels.jobs.size(), [&](Code& times) { return make_objects(kernels.jobs, effort, times); });
    std::vector<KernelFunction> functions;
    for (const std::size_t number : kernels.number) functions.push_back(code.functions[number]);
    code.functions = std::move(functions);
    if (detail::tells(detail::Channel::code) && !jobs.empty()) detail::tell(detail::Channel::code, "\n" + llvm_text(jobs, effort));
    return code;
}

Code compile(const ir::Program& program) {
    const base::NoFork whole;  // of the session
    if (detail::tells(detail::Channel::code)) detail::tell(detail::Channel::code, "\n" + llvm_text(program));
    return found_or_made("program " + ir::fingerprint(program) + told_by(program), 1, [&](Code& times) { return make_object(program, times); });
}

std::string host_text() {
    const int bytes = host_machine().vector_bytes;
    return host_name() + (bytes > 1 ? ", " + std::to_string(bytes * 8) + "-bit vectors" : ", no vectors");
}

}  // namespace fastnp::codegen
