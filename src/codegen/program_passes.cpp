#include "codegen/program_passes.h"

#include <set>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ProfDataUtils.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

// Numbers that are there some instructions after what they are made of; not what waits for memory.
bool is_quick(const Instruction& each) {
    return llvm::isa<llvm::BinaryOperator>(each) || llvm::isa<llvm::CastInst>(each) || llvm::isa<llvm::SelectInst>(each) ||
           llvm::isa<llvm::ICmpInst>(each) || llvm::isa<llvm::MinMaxIntrinsic>(each);
}

// What an iteration makes of a number of the one before it, on the way to what it leaves for the next.
std::set<const Value*> chain_of(const Loop& loop, llvm::PHINode& begin) {
    std::set<const Value*> after{&begin}, chain{&begin};
    std::vector<Value*> open{&begin};
    while (!open.empty()) {
        Value* const from = open.back();
        open.pop_back();
        for (llvm::User* user : from->users()) {
            auto* const each = llvm::dyn_cast<Instruction>(user);
            if (each != nullptr && loop.contains(each) && is_quick(*each) && after.insert(each).second) open.push_back(each);
        }
    }
    open.push_back(begin.getIncomingValueForBlock(loop.getLoopLatch()));
    while (!open.empty()) {
        auto* const each = llvm::dyn_cast<Instruction>(open.back());
        open.pop_back();
        if (each == nullptr || !after.contains(each) || !chain.insert(each).second) continue;
        for (Value* operand : each->operands()) open.push_back(operand);
    }
    return chain;
}

// extreme(extreme(late, b), c) as extreme(extreme(b, c), late).
bool join_last(llvm::MinMaxIntrinsic& outer, std::set<const Value*>& chain) {
    if (!chain.contains(&outer) || !outer.getType()->isIntegerTy()) return false;
    for (const unsigned side : {0U, 1U}) {
        auto* const inner = llvm::dyn_cast<llvm::MinMaxIntrinsic>(outer.getArgOperand(side));
        Value* const other = outer.getArgOperand(1 - side);
        if (inner == nullptr || inner->getIntrinsicID() != outer.getIntrinsicID() || !inner->hasOneUse() || chain.contains(other)) continue;
        Value *late = inner->getLHS(), *early = inner->getRHS();
        if (chain.contains(early)) std::swap(late, early);
        if (!chain.contains(late) || chain.contains(early)) continue;
        llvm::IRBuilder<> ir(&outer);
        outer.setArgOperand(side, ir.CreateBinaryIntrinsic(outer.getIntrinsicID(), early, other));
        outer.setArgOperand(1 - side, late);
        chain.erase(inner);
        inner->eraseFromParent();
        return true;
    }
    return false;
}

// Whether there are extremes of extremes: chains are looked for where they may matter.
bool has_several(const Loop& loop) {
    for (const llvm::BasicBlock* block : loop.blocks()) {
        for (const Instruction& each : *block) {
            const auto* const extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&each);
            if (extreme == nullptr) continue;
            if (llvm::isa<llvm::MinMaxIntrinsic>(extreme->getLHS()) || llvm::isa<llvm::MinMaxIntrinsic>(extreme->getRHS())) return true;
        }
    }
    return false;
}

bool join_late_ones_last(const Loop& loop) {
    bool any = false;
    if (loop.getLoopLatch() == nullptr || !has_several(loop)) return any;
    for (llvm::PHINode& begin : loop.getHeader()->phis()) {
        if (!begin.getType()->isIntegerTy()) continue;
        std::set<const Value*> chain = chain_of(loop, begin);
        for (llvm::BasicBlock* block : loop.blocks()) {
            for (Instruction& each : *block) {
                auto* const extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&each);
                any = (extreme != nullptr && join_last(*extreme, chain)) || any;
            }
        }
    }
    return any;
}

constexpr int deepest_question = 6;

// The choice that is all which the value depends on, but for constants; null if it depends on others.
llvm::SelectInst* choice_behind(Value* value, int depth = 0) {
    if (auto* const choice = llvm::dyn_cast<llvm::SelectInst>(value)) return choice->getType()->isIntegerTy(1) ? nullptr : choice;
    auto* const each = llvm::dyn_cast<Instruction>(value);
    if (each == nullptr || depth == deepest_question || !is_quick(*each)) return nullptr;
    llvm::SelectInst* found = nullptr;
    for (Value* operand : each->operands()) {
        if (llvm::isa<llvm::Constant>(operand)) continue;
        llvm::SelectInst* const behind = choice_behind(operand, depth + 1);
        if (behind == nullptr || (found != nullptr && behind != found)) return nullptr;
        found = behind;
    }
    return found;
}

// The same, of one of what is chosen from.
Value* asked_of(Value* value, const llvm::SelectInst* choice, Value* chosen, llvm::IRBuilder<>& ir) {
    if (value == choice) return chosen;
    auto* const each = llvm::dyn_cast<Instruction>(value);
    if (each == nullptr) return value;
    Instruction* const made = each->clone();
    for (llvm::Use& use : made->operands()) use.set(asked_of(use.get(), choice, chosen, ir));
    return ir.Insert(made);
}

}  // namespace

llvm::PreservedAnalyses JoinLateOnesLast::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    bool any = false;
    for (const Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
        if (loop->isInnermost()) any = join_late_ones_last(*loop) || any;
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses AskBothChoices::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    bool any = false;
    const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    for (llvm::BasicBlock& block : function) {
        auto* const branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
        const Loop* const loop = loops.getLoopFor(&block);
        std::uint64_t held = 0, left = 0;
        if (loop == nullptr || branch == nullptr || !branch->isConditional() || !llvm::extractBranchWeights(*branch, held, left) || held <= left) continue;
        if (llvm::isa<llvm::SelectInst>(branch->getCondition())) continue;
        llvm::SelectInst* const choice = choice_behind(branch->getCondition());
        // (What is chosen once for the whole loop may be asked of a number that is never chosen, in vain: a size that is not below 0, say.)
        if (choice == nullptr || loop->isLoopInvariant(choice->getCondition())) continue;
        if (!loop->isLoopInvariant(choice->getTrueValue()) || !loop->isLoopInvariant(choice->getFalseValue())) continue;
        llvm::IRBuilder<> ir(branch);
        Value* const first = asked_of(branch->getCondition(), choice, choice->getTrueValue(), ir);
        branch->setCondition(ir.CreateAnd(first, asked_of(branch->getCondition(), choice, choice->getFalseValue(), ir)));
        any = true;
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace fastnp::codegen
