#include "codegen/wrapped.h"

namespace fastnp::codegen {

llvm::Value* overflow_of(Builder& b, const ir::Step& step, llvm::Value* x, llvm::Value* y) {
    const bool with_sign = kind_of(step.compute) == 'i';
    llvm::Intrinsic::ID id = llvm::Intrinsic::not_intrinsic;
    if (step.op == ir::Op::add) id = with_sign ? llvm::Intrinsic::sadd_with_overflow : llvm::Intrinsic::uadd_with_overflow;
    else if (step.op == ir::Op::subtract) id = with_sign ? llvm::Intrinsic::ssub_with_overflow : llvm::Intrinsic::usub_with_overflow;
    else id = with_sign ? llvm::Intrinsic::smul_with_overflow : llvm::Intrinsic::umul_with_overflow;
    return b.ir.CreateExtractValue(b.binary(id, x, y), 1);
}

llvm::Value* wrapped_of(Builder& b, const ir::Step& step, llvm::Value* x, llvm::Value* y) {
    auto& ir = b.ir;
    llvm::Type* const word = ir.getInt64Ty();
    if (step.op == ir::Op::multiply) return ir.CreateSExt(overflow_of(b, step, x, y), word);
    const bool is_sum = step.op == ir::Op::add;
    if (kind_of(step.compute) != 'i') return ir.CreateSExt(is_sum ? ir.CreateICmpULT(ir.CreateAdd(x, y), x) : ir.CreateICmpULT(x, y), word);
    llvm::Value* const result = is_sum ? ir.CreateAdd(x, y) : ir.CreateSub(x, y);
    llvm::Value* wrapped = nullptr;
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(y);
    if (known == nullptr) wrapped = ir.CreateAnd(ir.CreateXor(x, is_sum ? result : y), ir.CreateXor(is_sum ? y : x, result));
    else if (known->isNegative() != is_sum) wrapped = ir.CreateAnd(ir.CreateNot(x), result);  // it grows, and is below 0 then
    else wrapped = ir.CreateAnd(x, ir.CreateNot(result));
    return ir.CreateSExt(wrapped, word);
}

}  // namespace fastnp::codegen
