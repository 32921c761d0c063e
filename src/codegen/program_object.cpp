// Programs over numbers to object code. They are what LLVM's scalar passes are for: checks are
// threaded past each other, joined and taken out of loops (jump threading, correlated values, GVN;
// unswitching, and range checks for parts of a range), which makes checked loops several times faster
// than the passes for kernels would.
#include <algorithm>

#include "codegen/analyses.h"
#include "codegen/generate.h"
#include "codegen/host.h"
#include "codegen/llvm.h"
#include "codegen/object.h"
#include "codegen/planted.h"
#include "codegen/program_emitter.h"
#include "codegen/program_passes.h"
#include "codegen/program_shared.h"
#include "codegen/quiet_compares.h"
#include "codegen/source_lines.h"
#include "codegen/stopwatch.h"
#include "fastnp/error.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InductiveRangeCheckElimination.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopLoadElimination.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopStrengthReduce.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

Emitted emit_program(const ir::Program& program, const std::string& symbol = {}) {
    ir::verify(program);
    Emitted out = new_module();
    out.symbols.push_back(symbol.empty() ? program_symbol(program) : symbol);
    emit(program, *out.module, out.symbols[0], out.externals);
    for (llvm::Function& function : *out.module) {
        if (function.isDeclaration()) continue;
        set_host_attributes(function);
        plant(function, "program");
    }
    check_module(*out.module);
    return out;
}

template <class... Passes>
void in_loops(llvm::FunctionPassManager& all, Passes... passes) {
    llvm::LoopPassManager loops;
    (loops.addPass(std::move(passes)), ...);
    all.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), true));
}

// Loops around loops stay as they are: LLVM would have two turns in one of what is below its threshold, with all that the vectorizer has made of what is
// in them.
struct KeepOuterLoops : llvm::PassInfoMixin<KeepOuterLoops> {
    static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
            if (!loop->isInnermost()) loop->setLoopAlreadyUnrolled();
        }
        return llvm::PreservedAnalyses::all();
    }
};

// Cheaper addresses in innermost loops with many accesses, as unrolled ones have. Elsewhere it takes longer to look for them than they save: 101 loops are
// as fast without.
class ReduceStrength : public llvm::PassInfoMixin<ReduceStrength> {
public:
    llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses, llvm::LoopStandardAnalysisResults& results,
                                llvm::LPMUpdater& updater) {
        constexpr int few_accesses = 8;
        int accesses = 0;
        for (const llvm::BasicBlock* block : loop.blocks()) {
            for (const llvm::Instruction& each : *block) accesses += each.mayReadOrWriteMemory() ? 1 : 0;
        }
        const bool is_vectorized = llvm::findOptionMDForLoop(&loop, "llvm.loop.isvectorized") != nullptr;
        if (!loop.isInnermost() || accesses <= few_accesses || is_vectorized) return llvm::PreservedAnalyses::all();
        return pass_.run(loop, analyses, results, updater);
    }

private:
    llvm::LoopStrengthReducePass pass_;
};

// The C library's function for one number at a time, where nothing has become vectors of one for many: `one...` of Builder::call_one.
void call_one_by_one(Emitted& emitted) {
    std::vector<llvm::Function*> ones;
    for (llvm::Function& function : *emitted.module) {
        if (function.hasLocalLinkage() && function.getName().starts_with("one")) ones.push_back(&function);
    }
    for (llvm::Function* one : ones) {
        const auto found = emitted.externals.find(one->getName().drop_front(3).str());
        if (found == emitted.externals.end() || found->second.kind != External::Kind::vector) continue;
        const External single{External::Kind::libm, found->second.op, found->second.dtype, found->second.dtype};
        const llvm::Function* many = emitted.module->getFunction(found->first);
        const bool is_alone = std::ranges::all_of(many->users(), [&](const llvm::User* user) {
            const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
            return call != nullptr && call->getFunction() == one;
        });
        if (!is_alone || address_of(single) == nullptr) continue;
        llvm::FunctionCallee callee = emitted.module->getOrInsertFunction(symbol_of(single), one->getFunctionType());
        emitted.externals.emplace(symbol_of(single), single);
        emitted.externals.erase(found);
        one->replaceAllUsesWith(callee.getCallee());
        one->eraseFromParent();
    }
}

void optimize_program(Emitted& emitted) {
    Analyses analyses(*emitted.target);
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::JumpThreadingPass());
    passes.addPass(llvm::CorrelatedValuePropagationPass());
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(AskBothChoices());
    in_loops(passes, llvm::LoopRotatePass(), llvm::LICMPass(llvm::LICMOptions()), llvm::SimpleLoopUnswitchPass(true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass()));  // over a few constants, or axes of a few elements
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    passes.addPass(llvm::GVNPass());
    passes.addPass(llvm::CorrelatedValuePropagationPass());
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::InstCombinePass());
    in_loops(passes, llvm::LICMPass(llvm::LICMOptions()));
    passes.addPass(llvm::IRCEPass());  // what depends on the counter alone is checked for a part of the range, before it
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::InstCombinePass());
    in_loops(passes, llvm::LICMPass(llvm::LICMOptions()), llvm::IndVarSimplifyPass());
    passes.addPass(llvm::LoopVectorizePass());
    passes.addPass(llvm::LoopLoadEliminationPass());  // what the iteration before stored
    passes.addPass(JoinLateOnesLast());
    passes.addPass(KeepOuterLoops());
    passes.addPass(llvm::LoopUnrollPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    in_loops(passes, llvm::LICMPass(llvm::LICMOptions()), ReduceStrength());
    passes.addPass(BranchToRareCases());
    for (llvm::Function& function : *emitted.module) {
        if (function.isDeclaration()) continue;
        passes.run(function, analyses.functions);
        make_compares_quiet(function);
    }
    call_one_by_one(emitted);
    forget_exits(*emitted.module);
}

}  // namespace

StoredCode make_object(const ir::Program& program, Code& times, const std::string& symbol) {
    Stopwatch clock;
    Emitted emitted = emit_program(program, symbol);
    times.emit_ms = clock.lap("emit");
    optimize_program(emitted);
    times.optimize_ms = clock.lap("optimize");
    name_for_level(emitted);
    const auto object = generate(emitted, llvm::CodeGenFileType::ObjectFile);
    times.generate_ms = clock.lap("generate");
    StoredCode made{std::move(emitted.symbols), {}, {std::string(object.data(), object.size())}};
    for (const auto& [name, external] : emitted.externals) made.externals.push_back(external);
    return made;
}

std::string llvm_text(const ir::Program& program) {
    Emitted emitted = emit_program(program);
    optimize_program(emitted);
    return text_of(emitted);
}

}  // namespace fastnp::codegen
