// Branches in the place of data, where what they are for hardly ever happens.
#include "codegen/program_hints.h"
#include "codegen/program_passes.h"

#include <set>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

using llvm::BinaryOperator;
using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;  // NOLINT: its names are m_...

// `otherwise` where the bit holds, made in a block of its own, else `usual`.
template <class Make>
Value* seldom(Value* bit, Value* usual, Instruction* before, const Make& otherwise) {
    llvm::BasicBlock* const from = before->getParent();
    Instruction* const end = llvm::SplitBlockAndInsertIfThen(bit, before->getIterator(), false, rarely(before->getContext()));
    llvm::IRBuilder<> there(end);
    Value* const made = otherwise(there);
    llvm::IRBuilder<> after(before);
    llvm::PHINode* const found = after.CreatePHI(usual->getType(), 2);
    found->addIncoming(usual, from);
    found->addIncoming(made, end->getParent());
    return found;
}

// x + (x < 0 ? n : 0)
bool is_from_the_end(Instruction& each, Value*& x, Value*& n) {
    llvm::ICmpInst::Predicate predicate{};
    Value* compared = nullptr;
    if (!match(&each, m_c_Add(m_Value(x), m_OneUse(m_Select(m_ICmp(predicate, m_Value(compared), m_Zero()), m_Value(n), m_Zero()))))) return false;
    return predicate == llvm::ICmpInst::ICMP_SLT && compared == x && x->getType()->isIntegerTy(64);
}

void branch_below_zero(Instruction* sum, Value* x, Value* n) {
    llvm::IRBuilder<> ir(sum);
    Value* const below = ir.CreateICmpSLT(x, llvm::ConstantInt::get(x->getType(), 0));
    auto* const chosen = llvm::cast<Instruction>(sum->getOperand(0) == x ? sum->getOperand(1) : sum->getOperand(0));
    sum->replaceAllUsesWith(seldom(below, x, sum, [&](llvm::IRBuilder<>& there) { return there.CreateAdd(x, n); }));
    sum->eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructions(chosen);
}

// The sum s of a and b, if the value is (a ^ s) & (b ^ s), or what LLVM makes of that beside constants: it is below 0 where the sum overflowed. Else null.
BinaryOperator* overflown(Value* value) {
    Value *s = nullptr, *a = nullptr, *b = nullptr;
    const auto adds = [&](Value* x, Value* y) { return match(s, m_c_Add(m_Specific(x), m_Specific(y))); };
    for (const bool swapped : {false, true}) {
        Value *left = nullptr, *right = nullptr;
        if (!match(value, m_And(m_Value(left), m_Value(right)))) return nullptr;
        if (swapped) std::swap(left, right);
        if (match(left, m_Not(m_Value(a))) && match(right, m_Add(m_Specific(a), m_NonNegative()))) return llvm::cast<BinaryOperator>(right);
        if (match(left, m_Not(m_Value(s))) && match(s, m_Add(m_Specific(right), m_Negative()))) return llvm::cast<BinaryOperator>(s);
        if (!match(left, m_Xor(m_Value(a), m_Value(s)))) continue;
        for (const bool turned : {false, true}) {
            if (turned) std::swap(a, s);
            if (match(right, m_c_Xor(m_Value(b), m_Specific(s))) && adds(a, b)) return llvm::cast<BinaryOperator>(s);
        }
    }
    return nullptr;
}

// What is joined by `or`, also before it is made wider.
void collect(Value* value, bool is_widened, std::vector<Value*>& others, std::vector<BinaryOperator*>& sums, llvm::IRBuilder<>& ir) {
    Value *left = nullptr, *right = nullptr;
    if (match(value, m_OneUse(m_Or(m_Value(left), m_Value(right))))) {
        collect(left, is_widened, others, sums, ir);
        collect(right, is_widened, others, sums, ir);
        return;
    }
    if (match(value, m_OneUse(m_SExt(m_Value(left))))) return collect(left, true, others, sums, ir);
    BinaryOperator* const sum = value->hasOneUse() ? overflown(value) : nullptr;
    if (sum != nullptr) sums.push_back(sum);
    else others.push_back(is_widened ? ir.CreateSExt(value, ir.getInt64Ty()) : value);
}

// Whether all that becomes of it is the word by which exits tell of what wrapped around, of which its sign matters alone. (A program may have such terms
// of its own.)
bool is_note(const llvm::Function& function, const Instruction& value) {
    std::int64_t place = -1;
    if (function.getFnAttribute(note_attribute).getValueAsString().getAsInteger(10, place)) return false;
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    std::set<const llvm::User*> seen{&value};
    std::vector<const llvm::User*> open{&value};
    while (!open.empty()) {
        const llvm::User* const each = open.back();
        open.pop_back();
        for (const llvm::User* user : each->users()) {
            if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
                llvm::APInt offset(64, 0);
                const Value* base = store->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
                if (store->getValueOperand() != each || base != function.getArg(4) || offset != static_cast<std::uint64_t>(place)) return false;
            } else if (!llvm::isa<llvm::PHINode>(user) && !match(user, m_Or(m_Value(), m_Value()))) {
                return false;
            } else if (seen.insert(user).second) {
                open.push_back(user);
            }
        }
    }
    return true;
}

bool branch_to_overflow(Instruction* root) {
    llvm::IRBuilder<> ir(root);
    std::vector<Value*> others;
    std::vector<BinaryOperator*> sums;
    for (Value* operand : root->operands()) collect(operand, false, others, sums, ir);
    if (sums.empty()) return false;
    Value* noted = nullptr;
    for (Value* each : others) noted = noted == nullptr ? each : ir.CreateOr(noted, each);
    if (noted == nullptr) noted = ir.getInt64(0);
    for (BinaryOperator* sum : sums) {
        llvm::IRBuilder<> there(sum);
        Value* const both = there.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_with_overflow, sum->getOperand(0), sum->getOperand(1));
        Value* const bit = there.CreateExtractValue(both, 1);
        sum->replaceAllUsesWith(there.CreateExtractValue(both, 0));
        sum->eraseFromParent();
        noted = seldom(bit, noted, root, [&](llvm::IRBuilder<>& rare) { return rare.CreateOr(noted, rare.getInt64(std::uint64_t{1} << 63)); });
    }
    root->replaceAllUsesWith(noted);
    llvm::RecursivelyDeleteTriviallyDeadInstructions(root);
    return true;
}

}  // namespace

llvm::PreservedAnalyses BranchToRareCases::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    bool any = false;
    std::vector<Instruction*> subscripts, notes;
    for (const llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
        if (!loop->isInnermost()) continue;
        for (llvm::BasicBlock* block : loop->blocks()) {
            for (Instruction& each : *block) {
                Value *x = nullptr, *n = nullptr;
                if (is_from_the_end(each, x, n)) subscripts.push_back(&each);
                const bool is_inner = each.hasOneUse() && (match(each.user_back(), m_Or(m_Value(), m_Value())));
                if (each.getOpcode() != Instruction::Or || !each.getType()->isIntegerTy(64) || is_inner) continue;
                if (is_note(function, each)) notes.push_back(&each);
            }
        }
    }
    for (Instruction* each : subscripts) {
        Value *x = nullptr, *n = nullptr;
        if (!is_from_the_end(*each, x, n)) continue;
        branch_below_zero(each, x, n);
        any = true;
    }
    for (Instruction* each : notes) any = branch_to_overflow(each) || any;
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace fastnp::codegen
