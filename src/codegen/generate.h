// A module for the host on its way to object code.
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "codegen/external.h"
#include "codegen/jit.h"
#include "codegen/llvm.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Target/TargetMachine.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

struct Emitted {
    std::shared_lock<std::shared_mutex> uses_options;  // LLVM's, for as long as it lives (WhileNobodyCompiles)
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
    std::unique_ptr<llvm::TargetMachine> target;
    std::vector<std::string> symbols;
    std::map<std::string, External> externals;
};

/// While it lives, no other thread has an Emitted. Then LLVM's options are set again.
class WhileNobodyCompiles {
public:
    WhileNobodyCompiles();
    ~WhileNobodyCompiles();
    WhileNobodyCompiles(const WhileNobodyCompiles&) = delete;
    WhileNobodyCompiles& operator=(const WhileNobodyCompiles&) = delete;
};

/// An empty one.
Emitted new_module(Effort effort = Effort::full);
/// Of code for others (eager::CodeFor): what it calls has names of its level, by which exported libraries have it.
void name_for_level(Emitted& emitted);
/// InternalError where LLVM finds it malformed, in debug builds.
void check_module(llvm::Module& module);
/// Object code, or assembly.
llvm::SmallVector<char, 0> generate(Emitted& emitted, llvm::CodeGenFileType type);
std::string text_of(const Emitted& emitted);

}  // namespace fastnp::codegen
