// A result of a double's 53 bits that is off by little more than half a unit, rounded to float, is the one that is rounded once: quotients and roots of
// numbers of 24 bits are never as near to the middle between two floats, unless they lie there, and then the double is exact. (Figueroa, When is double
// rounding innocuous?, SIGNUM Newsletter 30, 1995; for subnormal results the middles are further apart.)
#include "codegen/by_doubles.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <limits>

namespace fastnp::codegen {

namespace in = llvm::Intrinsic;

namespace {

class Doubles {
public:
    explicit Doubles(llvm::IRBuilder<>& ir) : ir_(ir) {}
    llvm::Value* of(llvm::Value* x) { return ir_.CreateFPExt(x, ir_.getDoubleTy()); }
    llvm::Value* number(double value) { return llvm::ConstantFP::get(ir_.getDoubleTy(), value); }
    llvm::Value* multiply_add(llvm::Value* x, llvm::Value* y, llvm::Value* z) { return ir_.CreateIntrinsic(in::fma, {x->getType()}, {x, y, z}); }
    llvm::Value* to_float(llvm::Value* x) { return ir_.CreateFPTrunc(x, ir_.getFloatTy()); }

private:
    llvm::IRBuilder<>& ir_;
};

}  // namespace

// The inverse has 20 bits, then 40, then all; Markstein's remainder is exact. Where an operand is zero, infinite or NaN that comes to NaN or zero, and the
// result is the product of x and the rough inverse.
llvm::Value* quotient_by_doubles(llvm::IRBuilder<>& ir, llvm::Value* x, llvm::Value* y) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(y);
    if (constant != nullptr && constant->getValueAPF().getExactInverse(nullptr)) return ir.CreateFDiv(x, y);  // a product
    Doubles d(ir);
    llvm::Value* over = d.of(x);
    llvm::Value* under = d.of(y);
    llvm::Value* minus = ir.CreateFNeg(under);
    llvm::Value* rough = ir.CreateIntrinsic(in::nvvm_rcp_approx_ftz_d, {}, {under});
    llvm::Value* inverse = rough;
    for (int step = 0; step < 2; ++step) inverse = d.multiply_add(inverse, d.multiply_add(minus, inverse, d.number(1)), inverse);
    llvm::Value* quotient = ir.CreateFMul(over, inverse);
    quotient = d.multiply_add(d.multiply_add(minus, quotient, over), inverse, quotient);
    llvm::Value* is_usual = ir.CreateFCmpOGT(ir.CreateUnaryIntrinsic(in::fabs, quotient), d.number(0));
    return d.to_float(ir.CreateSelect(is_usual, quotient, ir.CreateFMul(over, rough)));
}

// Of zero and infinity the roots are they themselves.
llvm::Value* root_by_doubles(llvm::IRBuilder<>& ir, llvm::Value* x) {
    Doubles d(ir);
    llvm::Value* square = d.of(x);
    llvm::Value* inverse = ir.CreateIntrinsic(in::nvvm_rsqrt_approx_ftz_d, {}, {square});
    llvm::Value* root = ir.CreateFMul(square, inverse);
    llvm::Value* half = ir.CreateFMul(inverse, d.number(0.5));
    for (int step = 0; step < 2; ++step) {
        llvm::Value* error = d.multiply_add(ir.CreateFNeg(root), half, d.number(0.5));
        root = d.multiply_add(root, error, root);
        half = d.multiply_add(half, error, half);
    }
    root = d.multiply_add(d.multiply_add(ir.CreateFNeg(root), root, square), half, root);
    llvm::Value* nan = llvm::ConstantFP::get(x->getType(), std::numeric_limits<double>::quiet_NaN());
    llvm::Value* other = ir.CreateSelect(ir.CreateFCmpOLT(x, llvm::ConstantFP::get(x->getType(), 0)), nan, x);
    return ir.CreateSelect(ir.CreateFCmpOGT(root, d.number(0)), d.to_float(root), other);
}

}  // namespace fastnp::codegen
