#include "codegen/near_power.h"

#include <bit>

#include "eager/code_level.h"

namespace fastnp::codegen {

namespace {

// A result's nearest number, and what is missing to the exact one, nearly. The C library's `pow` is within 0.511 units in the last place of the exact
// one, and 2^-15 of the result's logarithm (glibc, sysdeps/ieee754/dbl-64/e_pow.c): 0.516 where that is below 128. What is nearer to the exact one than
// `sure` units is the library's result, as its neighbours are too far.
constexpr double sure = 0.48;
constexpr std::uint64_t exponent_bits = 0x7FF0'0000'0000'0000U, sign_bit = std::uint64_t{1} << 63U;
constexpr std::uint64_t bias = 1023, most_bits = 180;  // of the exponent of a result
constexpr double largest = 12;                        // exponent

class NearPower {
public:
    NearPower(llvm::IRBuilderBase& ir, llvm::Value* x) : ir_(ir), x_(x) {}

    llvm::Value* of(double exponent, llvm::function_ref<llvm::Value*()> call) {
        llvm::Value* in_range = is_usual(exponent);
        llvm::Value* x = ir_.CreateSelect(in_range, x_, real(1));  // so that nothing else raises flags
        Near near = exponent == 0.5 ? root(x) : whole(x, static_cast<unsigned>(exponent));
        llvm::Value* limit = ir_.CreateFMul(unit(near.value), real(sure));
        if (exponent == 0.5) limit = ir_.CreateFMul(limit, ir_.CreateFAdd(near.value, near.value));
        llvm::Value* is_near = ir_.CreateFCmpOLE(ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, near.missing), limit);
        return unless(ir_.CreateAnd(in_range, is_near), near.value, call);
    }

private:
    struct Near {
        llvm::Value *value, *missing;
    };

    llvm::Value* real(double value) const { return llvm::ConstantFP::get(x_->getType(), value); }
    llvm::Value* bits_of(llvm::Value* x) { return ir_.CreateBitCast(x, ir_.getInt64Ty()); }

    // Of usual size, or 0 (whose odd powers have a sign). By its bits: comparing raises no flag. Those of negative numbers are large.
    llvm::Value* is_usual(double exponent) {
        const std::uint64_t reach = exponent <= 3 ? 60 : most_bits / static_cast<std::uint64_t>(exponent);
        const std::uint64_t least = (bias - reach) << 52U, most = (bias + reach) << 52U;
        llvm::Value* bits = bits_of(x_);
        if (exponent != 0.5) bits = ir_.CreateAnd(bits, ~sign_bit);
        llvm::Value* is_inside = ir_.CreateICmpULT(ir_.CreateSub(bits, ir_.getInt64(least)), ir_.getInt64(most - least));
        return exponent != 2 && exponent != 0.5 ? is_inside : ir_.CreateOr(is_inside, ir_.CreateICmpEQ(bits, ir_.getInt64(0)));
    }

    // In the last place of a normal number.
    llvm::Value* unit(llvm::Value* x) {
        llvm::Value* power = ir_.CreateBitCast(ir_.CreateAnd(bits_of(x), exponent_bits), x->getType());
        return ir_.CreateFMul(power, real(0x1p-52));
    }

    llvm::Value* fma(llvm::Value* x, llvm::Value* y, llvm::Value* z) { return ir_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z}); }

    // Products of numbers that are the sum of two, the second of which is small.
    Near times(const Near& a, const Near& b) {
        llvm::Value* high = ir_.CreateFMul(a.value, b.value);
        llvm::Value* low = fma(a.value, b.value, ir_.CreateFNeg(high));
        if (a.missing != nullptr) low = fma(a.missing, b.value, low);
        if (b.missing != nullptr) low = fma(a.value, b.missing, low);
        return {high, low};
    }

    // By squares, the first bit of the exponent first. What is missing is exact to some 2^-100.
    Near whole(llvm::Value* x, unsigned exponent) {
        Near power{x, nullptr};
        for (unsigned bit = std::bit_floor(exponent) >> 1U; bit != 0; bit >>= 1U) {
            power = times(power, power);
            if ((exponent & bit) != 0) power = times(power, {x, nullptr});
        }
        if (exponent == 2) return power;
        llvm::Value* value = ir_.CreateFAdd(power.value, power.missing);
        return {value, ir_.CreateFSub(power.missing, ir_.CreateFSub(value, power.value))};
    }

    // Twice the root times what is missing.
    Near root(llvm::Value* x) {
        llvm::Value* value = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
        return {value, fma(ir_.CreateFNeg(value), value, x)};
    }

    llvm::Value* unless(llvm::Value* holds, llvm::Value* value, llvm::function_ref<llvm::Value*()> call) {
        llvm::LLVMContext& context = ir_.getContext();
        llvm::BasicBlock* from = ir_.GetInsertBlock();
        auto* rare = llvm::BasicBlock::Create(context, "uncertain", from->getParent());
        auto* after = llvm::BasicBlock::Create(context, "power", from->getParent());
        ir_.CreateCondBr(holds, after, rare, llvm::MDBuilder(context).createBranchWeights(9, 1));
        ir_.SetInsertPoint(rare);
        llvm::Value* called = call();
        ir_.CreateBr(after);
        ir_.SetInsertPoint(after);
        llvm::PHINode* result = ir_.CreatePHI(value->getType(), 2);
        result->addIncoming(value, from);
        result->addIncoming(called, rare);
        return result;
    }

    llvm::IRBuilderBase& ir_;
    llvm::Value* x_;
};

}  // namespace

// Without an instruction for x * y + z the C library's function is as quick.
std::optional<double> near_exponent(const llvm::Value* exponent) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(exponent);
    if (constant == nullptr || !constant->getType()->isDoubleTy() || eager::code_level() < eager::Isa::v3) return {};
    const double found = constant->getValueAPF().convertToDouble();
    const bool is_whole = found >= 2 && found <= largest && found == static_cast<int>(found);
    return is_whole || found == 0.5 ? std::optional(found) : std::nullopt;
}

llvm::Value* near_power(llvm::IRBuilderBase& ir, llvm::Value* x, double exponent, llvm::function_ref<llvm::Value*()> call) {
    llvm::IRBuilderBase::FastMathFlagGuard exact(ir);
    ir.clearFastMathFlags();
    return NearPower(ir, x).of(exponent, call);
}

}  // namespace fastnp::codegen
