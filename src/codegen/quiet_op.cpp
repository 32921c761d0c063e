#include "codegen/quiet_op.h"

#include <bit>
#include <cmath>

namespace fastnp::codegen {

namespace {

// Neither sums and products of numbers below `most` overflow, nor quotients by numbers from `least` on.
constexpr double most = 0x1p511, least = 0x1p-511;
constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63U;

class QuietOp {
public:
    QuietOp(Builder& b, ir::Op op) : b_(b), ir_(b.ir), op_(op) {}

    llvm::Value* of(llvm::Value* x, llvm::Value* y) {
        llvm::Value* usual = is_usual(x, false);
        if (llvm::Value* other = is_usual(y, op_ == ir::Op::divide)) usual = usual == nullptr ? other : ir_.CreateAnd(usual, other);
        return usual == nullptr ? compute(x, y) : where(usual, x, y);
    }

private:
    static bool is_within(double value, bool is_divisor) { return std::fabs(value) < most && (!is_divisor || std::fabs(value) >= least); }

    // By its bits, as a comparison would raise a flag for NaN. Null where it is known to be; whole numbers are, and no divisor is zero.
    llvm::Value* is_usual(llvm::Value* x, bool is_divisor) {
        if (llvm::isa<llvm::SIToFPInst>(x) || llvm::isa<llvm::UIToFPInst>(x)) return nullptr;
        if (const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(x)) {
            if (is_within(constant->getValueAPF().convertToDouble(), is_divisor)) return nullptr;
        }
        const std::uint64_t first = is_divisor ? std::bit_cast<std::uint64_t>(least) : 0;
        llvm::Value* bits = ir_.CreateAnd(ir_.CreateBitCast(x, ir_.getInt64Ty()), ~sign_bit);
        if (first != 0) bits = ir_.CreateSub(bits, ir_.getInt64(first));
        return ir_.CreateICmpULT(bits, ir_.getInt64(std::bit_cast<std::uint64_t>(most) - first));
    }

    llvm::Value* compute(llvm::Value* x, llvm::Value* y) {
        const auto number = [&](llvm::Value* value) { return Value{&b_, Dtype::float64, value, nullptr}; };
        return b_.map(op_, Dtype::float64, Dtype::float64, {number(x), number(y)}).re;
    }

    // The instruction must not be done ahead of the condition: LLVM keeps what counts as asking for the flags where it is.
    llvm::Value* instruction(llvm::Value* x, llvm::Value* y) {
        ir_.setDefaultConstrainedExcept(llvm::fp::ebMayTrap);
        ir_.setIsFPConstrained(true);
        llvm::Value* made = compute(x, y);
        ir_.setIsFPConstrained(false);
        return made;
    }

    llvm::Value* call(llvm::Value* x, llvm::Value* y) {
        auto* type = llvm::FunctionType::get(x->getType(), {x->getType(), x->getType()}, false);
        llvm::FunctionCallee callee = b_.external({.kind = External::Kind::quiet, .op = op_}, type);
        if (auto* declared = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
            declared->setDoesNotAccessMemory();
            declared->setWillReturn();
            declared->setDoesNotThrow();
        }
        return ir_.CreateCall(callee, {x, y});
    }

    llvm::Value* where(llvm::Value* usual, llvm::Value* x, llvm::Value* y) {
        llvm::LLVMContext& context = ir_.getContext();
        llvm::Function* function = ir_.GetInsertBlock()->getParent();
        auto* often = llvm::BasicBlock::Create(context, "usual", function);
        auto* rarely = llvm::BasicBlock::Create(context, "unusual", function);
        auto* after = llvm::BasicBlock::Create(context, "quiet", function);
        ir_.CreateCondBr(usual, often, rarely, llvm::MDBuilder(context).createBranchWeights(2000, 1));
        ir_.SetInsertPoint(often);
        llvm::Value* computed = instruction(x, y);
        ir_.CreateBr(after);
        ir_.SetInsertPoint(rarely);
        llvm::Value* called = call(x, y);
        ir_.CreateBr(after);
        ir_.SetInsertPoint(after);
        llvm::PHINode* result = ir_.CreatePHI(x->getType(), 2);
        result->addIncoming(computed, often);
        result->addIncoming(called, rarely);
        return result;
    }

    Builder& b_;
    llvm::IRBuilderBase& ir_;
    ir::Op op_;
};

}  // namespace

llvm::Value* quiet_op(Builder& b, ir::Op op, llvm::Value* x, llvm::Value* y) { return QuietOp(b, op).of(x, y); }

}  // namespace fastnp::codegen
