#include "codegen/generate.h"

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <optional>

#include "base/fork.h"
#include "codegen/host.h"
#include "eager/code_level.h"
#include "fastnp/error.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

// A child of fork() may have it as another thread left it: a fork waits while anything is compiled (base::NoFork).
std::shared_mutex& options() {
    return base::made_once([] { return std::make_unique<std::shared_mutex>(); });
}

}  // namespace

WhileNobodyCompiles::WhileNobodyCompiles() { options().lock(); }
WhileNobodyCompiles::~WhileNobodyCompiles() {
    set_llvm_options();
    options().unlock();
}

namespace {

// LLVM ends the process where it finds no memory. So as much as a module takes is looked for before: bad_alloc where there is less.
void find_memory() {
    constexpr std::size_t enough = std::size_t{64} << 20;
    void* const found = mmap(nullptr, enough, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) throw std::bad_alloc();
    munmap(found, enough);
}

}  // namespace

Emitted new_module(Effort effort) {
    find_memory();
    initialize_llvm();
    Emitted out;
    out.uses_options = std::shared_lock(options());
    out.context = std::make_unique<llvm::LLVMContext>();
    out.module = std::make_unique<llvm::Module>("fastnp", *out.context);
    out.target = make_target_machine(effort);
    out.module->setTargetTriple(out.target->getTargetTriple().str());
    out.module->setDataLayout(out.target->createDataLayout());
    return out;
}

void name_for_level(Emitted& emitted) {
    const std::optional<eager::Isa> level = eager::CodeFor::current();
    if (!level) return;
    for (const auto& [name, external] : emitted.externals) {
        if (llvm::Function* const called = emitted.module->getFunction(name)) called->setName(symbol_at(external, *level));
    }
}

void check_module([[maybe_unused]] llvm::Module& module) {
#ifndef NDEBUG
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(module, &stream)) throw InternalError("malformed LLVM IR: " + problem);
#endif
}

llvm::SmallVector<char, 0> generate(Emitted& emitted, llvm::CodeGenFileType type) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    if (emitted.target->addPassesToEmitFile(passes, stream, nullptr, type)) throw InternalError("the host's code generator emits no files");
    passes.run(*emitted.module);
    return bytes;
}

std::string text_of(const Emitted& emitted) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    emitted.module->print(stream, nullptr);
    return text;
}

}  // namespace fastnp::codegen
