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
constexpr int narrow_square = 80;                      // of numbers whose root is such a one

std::uint32_t bits_of_power(int exponent) { return static_cast<std::uint32_t>(exponent + bias) << mantissa_bits; }

}  // namespace

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
    if (const auto found = known_.find(x); found != known_.end()) {
        found->second.numerator = nullptr;  // what follows from its range is no more true if it is zero
        return found->second.range;
    }
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(x)) {
        const float value = constant->getValueAPF().convertToFloat();
        if (!std::isnormal(value)) return {-unknown, unknown};
        return {std::ilogb(value), std::ilogb(value) + 1, value > 0};
    }
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(x);
    if (instruction == nullptr || depth == deepest) return {-unknown, unknown};
    const Range range = range_of_instruction(instruction, depth + 1);
    know(x, range);
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
            if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(x)) {
                if (call->getIntrinsicID() == in::fabs) return {of(0).least, of(0).most, true};
                if (call->getIntrinsicID() == in::arithmetic_fence) return of(0);
            }
            [[fallthrough]];
        default: return {-unknown, unknown};
    }
}

// What is assumed of a value is tested at the end, once: several operations may each ask something of it.
Speculation::Range Speculation::assume(llvm::Value* x, const Range& range) {
    const Range known = range_of(x);
    const Range now{std::max(known.least, range.least), std::min(known.most, range.most), known.is_positive || range.is_positive};
    if (now == known) return known;
    Known& entry = known_.try_emplace(x, Known{known, known}).first->second;
    if (entry.range == entry.proven) assumed_.push_back(x);
    entry.range = now;
    return now;
}

// One comparison where one end is proven, else one of both ends at once, with or without the sign.
llvm::Value* Speculation::holds(llvm::Value* x, const Known& known) {
    const Range &proven = known.proven, &range = known.range;
    if (range.least >= range.most) return ir_.getFalse();  // what was assumed contradicts what is known, or itself
    const bool has_sign = range.is_positive && !proven.is_positive;
    const auto power = [&](int exponent) { return llvm::ConstantFP::get(x->getType(), std::ldexp(1.0, exponent)); };
    const auto magnitude = [&] { return range.is_positive ? x : ir_.CreateUnaryIntrinsic(in::fabs, x); };
    if (range.least == proven.least && range.most == proven.most) return ir_.CreateFCmpOGE(x, power(range.least));
    if (range.least == proven.least && !has_sign) return ir_.CreateFCmpOLT(magnitude(), power(range.most));
    if (range.most == proven.most) return ir_.CreateFCmpOGE(magnitude(), power(range.least));
    const std::uint32_t from = range.least == -unknown ? 0 : bits_of_power(range.least), to = bits_of_power(range.most);
    llvm::Value* bits = ir_.CreateBitCast(x, ir_.getInt32Ty());
    if (range.is_positive) return ir_.CreateICmpULT(ir_.CreateSub(bits, ir_.getInt32(from)), ir_.getInt32(to - from));  // negative numbers are large
    return ir_.CreateICmpULT(ir_.CreateSub(ir_.CreateShl(bits, 1), ir_.getInt32(2 * from)), ir_.getInt32(2 * (to - from)));
}

bool Speculation::has_quotients_of_zero() const {
    return std::ranges::any_of(assumed_, [&](llvm::Value* x) { return known_.at(x).numerator != nullptr; });
}

llvm::Value* Speculation::holds(Zeros zeros) {
    llvm::Value* all = nullptr;
    for (llvm::Value* x : assumed_) {
        const Known& known = known_.at(x);
        llvm::Value* one = holds(x, known);
        if (zeros == Zeros::fine && known.numerator != nullptr) {
            llvm::Value* bits = ir_.CreateBitCast(known.numerator, ir_.getInt32Ty());
            one = ir_.CreateOr(one, ir_.CreateICmpEQ(bits, ir_.getInt32(0)));  // the quotient of -0 is +0 here
        }
        all = all == nullptr ? one : ir_.CreateAnd(all, one);
    }
    return all;
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
// which is exact. Of numerators that may be too small or too large the quotient is looked at: it is within an ulp where it is normal, so one of usual size
// comes of a numerator that is fine.
llvm::Value* Speculation::divide(llvm::Value* x, llvm::Value* y) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantFP>(y)) {
        if (constant->getValueAPF().getExactInverse(nullptr)) return ir_.CreateFDiv(x, y);  // a product
    }
    const Range over = range_of(x);
    Range under = range_of(y);
    const auto is_large_enough = [&] { return over.least >= least_numerator && over.least - under.most > least_normal; };
    if (under.least < least_normal || under.most >= most_normal - 1 || (under.least < -narrow && !is_large_enough())) under = assume(y, {-narrow, narrow});
    const bool is_not_too_small = is_large_enough();
    const bool is_not_too_large = over.most < most_normal && over.most - under.least < most_normal - 1;
    llvm::Value* result = inverse(y);
    const auto* one = llvm::dyn_cast<llvm::ConstantFP>(x);
    if (one == nullptr || !one->isExactlyValue(1.0)) {
        llvm::Value* part = result;
        llvm::Value* quotient = ir_.CreateFMul(x, part);
        llvm::Value* rest = multiply_add(ir_.CreateFNeg(y), quotient, x);
        result = multiply_add(part, rest, quotient);
    }
    know(result, {is_not_too_small ? over.least - under.most - 1 : -unknown, is_not_too_large ? over.most - under.least + 1 : unknown,
                  over.is_positive && under.is_positive});
    if (!is_not_too_small || !is_not_too_large)
        assume(result, {is_not_too_small ? -unknown : std::max(-narrow, least_numerator - under.least), is_not_too_large ? unknown : narrow});
    if (!is_not_too_small) known_.at(result).numerator = x;
    return result;
}

// The root's inverse within a few ulps, and one step from there, whose remainder is exact for numbers of at least 2^-101.
llvm::Value* Speculation::square_root(llvm::Value* x) {
    constexpr int least = -101;
    Range range = range_of(x);
    if (range.least < least || range.most >= most_normal || !range.is_positive) {
        const bool may_be_narrow = range.least < narrow_square && range.most > -narrow_square;
        range = assume(x, may_be_narrow ? Range{-narrow_square, narrow_square, true} : Range{least, most_normal, true});
    }
    llvm::Value* inverse = ir_.CreateIntrinsic(in::nvvm_rsqrt_approx_ftz_f, {}, {x});
    llvm::Value* root = ir_.CreateFMul(x, inverse);
    llvm::Value* half = ir_.CreateFMul(inverse, llvm::ConstantFP::get(x->getType(), 0.5));
    llvm::Value* rest = multiply_add(ir_.CreateFNeg(root), root, x);
    llvm::Value* result = multiply_add(rest, half, root);
    const auto halved = [](int exponent, int up) { return (exponent + 2 * bias + up) / 2 - bias; };
    know(result, {halved(range.least, 0) - 1, halved(range.most, 1) + 1, true});
    return result;
}

llvm::Value* Speculation::usual(const ops::Usual& function, llvm::Value* x, llvm::function_ref<llvm::Value*()> call) {
    assume(x, {function.is_positive ? least_normal : -unknown, function.most, function.is_positive});
    llvm::Value* result = call();
    know(result, {-unknown, function.most_result == 0 ? unknown : function.most_result});
    return result;
}

}  // namespace fastnp::codegen
