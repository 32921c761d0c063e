#include "codegen/floored.h"

#include <bit>

namespace fastnp::codegen {

namespace {

llvm::Value* divided(llvm::IRBuilderBase& ir, bool remainder, llvm::Value* x, llvm::Value* y) {
    llvm::Value* zero = ir.getInt64(0);
    llvm::Value* rest = ir.CreateSRem(x, y);
    llvm::Value* differ = ir.CreateICmpSLT(ir.CreateXor(rest, y), zero);
    llvm::Value* is_down = ir.CreateAnd(ir.CreateICmpNE(rest, zero), differ);
    if (remainder) return ir.CreateAdd(rest, ir.CreateSelect(is_down, y, zero));
    return ir.CreateSub(ir.CreateSDiv(x, y), ir.CreateZExt(is_down, ir.getInt64Ty()));
}

// Places on a ring are mostly on it, or just beyond its ends: a division takes ten times as long as to look.
llvm::Value* near_remainder(llvm::IRBuilderBase& ir, llvm::Value* x, llvm::Value* y) {
    const auto block = [&](const char* name) { return llvm::BasicBlock::Create(ir.getContext(), name, ir.GetInsertBlock()->getParent()); };
    llvm::BasicBlock *positive = block("positive"), *beyond = block("beyond"), *far = block("far"), *after = block("remainder");
    ir.CreateCondBr(ir.CreateICmpSGT(y, ir.getInt64(0)), positive, far);
    ir.SetInsertPoint(positive);
    ir.CreateCondBr(ir.CreateICmpULT(x, y), after, beyond);
    ir.SetInsertPoint(beyond);
    llvm::Value* nearer = ir.CreateSelect(ir.CreateICmpSLT(x, ir.getInt64(0)), ir.CreateAdd(x, y), ir.CreateSub(x, y));
    ir.CreateCondBr(ir.CreateICmpULT(nearer, y), after, far);
    ir.SetInsertPoint(far);
    llvm::Value* rest = divided(ir, true, x, y);
    ir.CreateBr(after);
    ir.SetInsertPoint(after);
    llvm::PHINode* result = ir.CreatePHI(ir.getInt64Ty(), 3);
    result->addIncoming(x, positive);
    result->addIncoming(nearer, beyond);
    result->addIncoming(rest, far);
    return result;
}

}  // namespace

llvm::Value* floored(llvm::IRBuilderBase& ir, bool remainder, llvm::Value* x, llvm::Value* y) {
    const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(y);
    if (known == nullptr) return remainder ? near_remainder(ir, x, y) : divided(ir, false, x, y);
    if (!known->getValue().isPowerOf2() || known->isNegative()) return divided(ir, remainder, x, y);
    const std::uint64_t by = known->getZExtValue();
    return remainder ? ir.CreateAnd(x, ir.getInt64(by - 1)) : ir.CreateAShr(x, ir.getInt64(static_cast<std::uint64_t>(std::countr_zero(by))));
}

}  // namespace fastnp::codegen
