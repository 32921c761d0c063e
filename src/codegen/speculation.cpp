#include "codegen/speculation.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace fastnp::codegen {

namespace in = llvm::Intrinsic;

namespace {

constexpr int mantissa_bits = 23, bias = 127;
constexpr int least_normal = -126, most_normal = 128;  // exponents of float32
constexpr int least_numerator = -100;                  // of smaller ones remainders are subnormal
constexpr int narrow = 60;                             // any quotient of two such numbers is normal

std::uint32_t bits_of_power(int exponent) { return static_cast<std::uint32_t>(exponent + bias) << mantissa_bits; }

}  // namespace

void Speculation::note(llvm::Value* condition) { holds_ = holds_ == nullptr ? condition : ir_.CreateAnd(holds_, condition); }

llvm::Value* Speculation::multiply_add(llvm::Value* x, llvm::Value* y, llvm::Value* z) { return ir_.CreateIntrinsic(in::fma, {x->getType()}, {x, y, z}); }

// What is below the normal numbers or above them could be anything.
Speculation::Range Speculation::product(const Range& x, const Range& y, bool is_square) const {
    const int least = x.least + y.least, most = x.most + y.most;
    return {least < least_normal ? -unknown : least, most > most_normal - 1 ? unknown : most, is_square || (x.is_positive && y.is_positive)};
}

Speculation::Range Speculation::sum(const Range& x, const Range& y) {
    const int most = std::max(x.most, y.most) + 1;
    const bool is_positive = x.is_positive && y.is_positive;
    return {is_positive ? std::max(x.least, y.least) : -unknown, most > most_normal - 1 ? unknown : most, is_positive};
}

Speculation::Range Speculation::range_of(llvm::Value* x, int depth) {
    if (const auto found = known_.find(x); found != known_.end()) return found->second;
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(x)) {
        const float value = constant->getValueAPF().convertToFloat();
        if (!std::isnormal(value)) return {-unknown, unknown};
        return {std::ilogb(value), std::ilogb(value) + 1, value > 0};
    }
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(x);
    if (instruction == nullptr || depth == deepest) return {-unknown, unknown};
    const Range range = range_of_instruction(instruction, depth + 1);
    known_.emplace(x, range);
    return range;
}

Speculation::Range Speculation::range_of_instruction(llvm::Instruction* x, int depth) {
    const auto of = [&](unsigned operand) { return range_of(x->getOperand(operand), depth); };
    switch (x->getOpcode()) {
        case llvm::Instruction::FMul: return product(of(0), of(1), x->getOperand(0) == x->getOperand(1));
        case llvm::Instruction::FAdd: return sum(of(0), of(1));
        case llvm::Instruction::FSub: {
            const Range y = of(1);
            return sum(of(0), {y.least, y.most, false});
        }
        case llvm::Instruction::FNeg: return {of(0).least, of(0).most, false};
        case llvm::Instruction::Select: {
            const Range y = of(1), z = of(2);
            return {std::min(y.least, z.least), std::max(y.most, z.most), y.is_positive && z.is_positive};
        }
        case llvm::Instruction::Call:
            if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(x); call != nullptr && call->getIntrinsicID() == in::fabs)
                return {of(0).least, of(0).most, true};
            [[fallthrough]];
        default: return {-unknown, unknown};
    }
}

// One comparison where one end is known, else one of both ends at once, without the sign.
Speculation::Range Speculation::assume(llvm::Value* x, int least, int most) {
    const Range known = range_of(x);
    const Range now{std::max(known.least, least), std::min(known.most, most), known.is_positive};
    const auto power = [&](int exponent) { return llvm::ConstantFP::get(x->getType(), std::ldexp(1.0, exponent)); };
    const auto magnitude = [&] { return known.is_positive ? x : ir_.CreateUnaryIntrinsic(in::fabs, x); };
    if (known.least >= least && known.most <= most) return known;
    if (known.least >= least) {
        note(ir_.CreateFCmpOLT(magnitude(), power(most)));
    } else if (known.most <= most) {
        note(ir_.CreateFCmpOGE(magnitude(), power(least)));
    } else {
        llvm::Value* twice = ir_.CreateShl(ir_.CreateBitCast(x, ir_.getInt32Ty()), 1);
        const std::uint32_t from = bits_of_power(least), to = bits_of_power(most);
        note(ir_.CreateICmpULT(ir_.CreateSub(twice, ir_.getInt32(2 * from)), ir_.getInt32(2 * (to - from))));
    }
    known_.insert_or_assign(x, now);
    return now;
}

// Of a normal number whose inverse is one: within an ulp, then a step of Newton's.
llvm::Value* Speculation::inverse(llvm::Value* y) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantFP>(y)) {
        return llvm::ConstantFP::get(y->getType(), 1 / static_cast<double>(constant->getValueAPF().convertToFloat()));
    }
    llvm::Value* guess = ir_.CreateIntrinsic(in::nvvm_rcp_approx_ftz_f, {}, {y});
    llvm::Value* error = multiply_add(ir_.CreateFNeg(y), guess, llvm::ConstantFP::get(y->getType(), 1));
    return multiply_add(guess, error, guess);
}

// Markstein, Computation of elementary functions on the IBM RISC System/6000 processor (1990), theorem 5: a quotient within an ulp, and its remainder,
// which is exact.
llvm::Value* Speculation::divide(llvm::Value* x, llvm::Value* y) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantFP>(y)) {
        if (constant->getValueAPF().getExactInverse(nullptr)) return ir_.CreateFDiv(x, y);  // a product
    }
    Range over = range_of(x), under = range_of(y);
    const auto fits = [&] {
        return under.least >= least_normal && under.most < most_normal - 1 && over.least >= least_numerator && over.most < most_normal &&
               over.least - under.most > least_normal && over.most - under.least < most_normal - 1;
    };
    if (under.least < least_normal || under.most >= most_normal - 1) under = assume(y, -narrow, narrow);
    if (!fits()) over = assume(x, -narrow, narrow);
    if (!fits()) under = assume(y, -narrow, narrow);
    llvm::Value* result = inverse(y);
    const auto* one = llvm::dyn_cast<llvm::ConstantFP>(x);
    if (one == nullptr || !one->isExactlyValue(1.0)) {
        llvm::Value* part = result;
        llvm::Value* quotient = ir_.CreateFMul(x, part);
        llvm::Value* rest = multiply_add(ir_.CreateFNeg(y), quotient, x);
        result = multiply_add(part, rest, quotient);
    }
    known_.insert_or_assign(result, Range{over.least - under.most - 1, over.most - under.least + 1, over.is_positive && under.is_positive});
    return result;
}

// The root's inverse within a few ulps, and one step from there, whose remainder is exact for numbers of at least 2^-101.
llvm::Value* Speculation::square_root(llvm::Value* x) {
    constexpr int least = -101;
    Range range = range_of(x);
    if (range.least < least || range.most >= most_normal || !range.is_positive) {
        const std::uint32_t from = bits_of_power(least), infinity = bits_of_power(most_normal);
        llvm::Value* above = ir_.CreateSub(ir_.CreateBitCast(x, ir_.getInt32Ty()), ir_.getInt32(from));
        note(ir_.CreateICmpULT(above, ir_.getInt32(infinity - from)));  // negative numbers are large, so
        range = {std::max(range.least, least), std::min(range.most, most_normal), true};
        known_.insert_or_assign(x, range);
    }
    llvm::Value* inverse = ir_.CreateIntrinsic(in::nvvm_rsqrt_approx_ftz_f, {}, {x});
    llvm::Value* root = ir_.CreateFMul(x, inverse);
    llvm::Value* half = ir_.CreateFMul(inverse, llvm::ConstantFP::get(x->getType(), 0.5));
    llvm::Value* rest = multiply_add(ir_.CreateFNeg(root), root, x);
    llvm::Value* result = multiply_add(rest, half, root);
    const auto halved = [](int exponent, int up) { return (exponent + 2 * bias + up) / 2 - bias; };
    known_.insert_or_assign(result, Range{halved(range.least, 0) - 1, halved(range.most, 1) + 1, true});
    return result;
}

}  // namespace fastnp::codegen
