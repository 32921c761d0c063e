// What LLVM's passes ask of a module, for a target.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

struct Analyses {
    explicit Analyses(llvm::TargetMachine& target) {
        llvm::PassBuilder builder(&target);
        builder.registerModuleAnalyses(modules);
        builder.registerCGSCCAnalyses(graphs);
        builder.registerFunctionAnalyses(functions);
        builder.registerLoopAnalyses(loops);
        builder.crossRegisterProxies(loops, functions, graphs, modules);
    }

    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graphs;
    llvm::ModuleAnalysisManager modules;
};

}  // namespace fastnp::codegen
