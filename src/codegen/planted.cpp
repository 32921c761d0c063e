#include "codegen/planted.h"

#include "base/planted.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

bool put(llvm::Instruction& instruction, const base::Planted& fault) {
    if (fault.kind == "drop") {
        const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (store == nullptr || llvm::isa<llvm::AllocaInst>(store->getPointerOperand()->stripInBoundsOffsets()))
            return false;  // what a stack holds is by chance
        instruction.eraseFromParent();
        return true;
    }
    if (fault.kind == "skip") {
        if (instruction.getNumOperands() == 0 || instruction.getOperand(0)->getType() != instruction.getType()) return false;
        instruction.replaceAllUsesWith(instruction.getOperand(0));
        return true;
    }
    auto* const binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    if (binary == nullptr || binary->getOperand(0) == binary->getOperand(1)) return false;
    if (fault.kind == "swap") {
        llvm::Value* const first = binary->getOperand(0);
        binary->setOperand(0, binary->getOperand(1));
        binary->setOperand(1, first);
        return true;
    }
    for (int opcode = llvm::Instruction::BinaryOpsBegin; opcode != llvm::Instruction::BinaryOpsEnd; ++opcode) {
        if (llvm::Instruction::getOpcodeName(static_cast<unsigned>(opcode)) != fault.kind) continue;
        const auto made = static_cast<llvm::Instruction::BinaryOps>(opcode);
        binary->replaceAllUsesWith(llvm::BinaryOperator::Create(made, binary->getOperand(0), binary->getOperand(1), "", binary->getIterator()));
        return true;
    }
    return false;
}

bool is_barrier(const llvm::Instruction& instruction) {
    const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    return call != nullptr && call->getCalledFunction() != nullptr && call->getCalledFunction()->getName().contains("barrier");
}

// Threads do not wait for each other.
void drop_barriers(llvm::Function& function) {
    for (llvm::BasicBlock& block : function) {
        for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
            if (is_barrier(instruction)) instruction.eraseFromParent();
        }
    }
}

}  // namespace

void plant(llvm::Function& function, std::string_view stage) {
    const base::Planted* const fault = base::planted(stage);
    if (fault == nullptr) return;
    if (fault->kind == "race") return drop_barriers(function);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        if (fault->op != instruction.getOpcodeName()) continue;
        if (base::befalls(*fault) || put(instruction, *fault)) return;
    }
}

}  // namespace fastnp::codegen
