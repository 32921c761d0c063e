// The catalogue's meanings over codegen::Value: the operators and functions that rows use, as LLVM IR. A function that returns a missing
// Value has no instructions for that dtype; the emitter then calls the precompiled kernel, so each op works for every dtype.
#include "codegen/by_doubles.h"
#include "codegen/speculation.h"
#include "codegen/value.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/PatternMatch.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

using llvm::CmpInst;
using llvm::Intrinsic::ID;
namespace in = llvm::Intrinsic;

bool is_real_float(const Value& x) { return is_floating(x.dtype); }
bool is_signed(const Value& x) { return kind_of(x.dtype) == 'i'; }
bool is_bool(const Value& x) { return x.dtype == Dtype::bool_; }
llvm::IRBuilder<>& ir(const Value& x) { return x.builder->ir; }
Value of(const Value& like, llvm::Value* re, llvm::Value* im = nullptr) { return {like.builder, like.dtype, re, im}; }
Value truth(const Value& like, llvm::Value* re) { return {like.builder, Dtype::bool_, re, nullptr}; }
llvm::Value* zero(const Value& x) { return llvm::Constant::getNullValue(x.re->getType()); }
llvm::Value* real_number(const Value& x, double value) { return llvm::ConstantFP::get(x.re->getType(), value); }
llvm::Value* integer(const Value& x, std::int64_t value) { return llvm::ConstantInt::get(x.re->getType(), static_cast<std::uint64_t>(value), true); }
unsigned width_of(const Value& x) { return x.re->getType()->getScalarSizeInBits(); }

// A constant by which LLVM would take an operation for a negation, which turns NaN's sign as well: -1 as a factor or divisor, -0 to be subtracted from.
llvm::Value* kept(const Value& like, llvm::Value* value, double number) {
    using namespace llvm::PatternMatch;
    const llvm::APFloat* held = nullptr;
    const bool is_it = match(value, m_APFloat(held)) && held->isExactlyValue(number);
    return is_it && like.builder->target == Target::host ? like.builder->opaque(value) : value;
}

Value operator+(Value x, Value y) {
    if (is_bool(x)) return of(x, ir(x).CreateOr(x.re, y.re));
    if (is_integer(x.dtype)) return of(x, ir(x).CreateAdd(x.re, y.re));
    return of(x, ir(x).CreateFAdd(x.re, y.re), x.im != nullptr ? ir(x).CreateFAdd(x.im, y.im) : nullptr);
}

Value operator-(Value x, Value y) {
    if (is_integer(x.dtype)) return of(x, ir(x).CreateSub(x.re, y.re));
    return of(x, ir(x).CreateFSub(kept(x, x.re, -0.0), y.re), x.im != nullptr ? ir(x).CreateFSub(x.im, y.im) : nullptr);
}

Value operator-(Value x) {
    if (is_integer(x.dtype)) return of(x, ir(x).CreateNeg(x.re));
    return of(x, ir(x).CreateFNeg(x.re), x.im != nullptr ? ir(x).CreateFNeg(x.im) : nullptr);
}

Value operator*(Value x, Value y) {
    auto& b = ir(x);
    if (is_bool(x)) return of(x, b.CreateAnd(x.re, y.re));
    if (is_integer(x.dtype)) return of(x, b.CreateMul(x.re, y.re));
    if (x.im == nullptr) return of(x, b.CreateFMul(kept(x, x.re, -1), kept(x, y.re, -1)));
    return of(x, b.CreateFSub(b.CreateFMul(x.re, y.re), b.CreateFMul(x.im, y.im)), b.CreateFAdd(b.CreateFMul(x.re, y.im), b.CreateFMul(x.im, y.re)));
}

bool is_speculative(const Value& x) { return x.builder->speculation != nullptr && x.re->getType()->isFloatTy(); }

bool is_rare(const Value& x) { return x.builder->is_rare && x.re->getType()->isFloatTy(); }

llvm::Value* quotient(const Value& like, llvm::Value* x, llvm::Value* y) {
    if (is_speculative(like)) return like.builder->speculation->divide(x, y);
    return is_rare(like) ? quotient_by_doubles(ir(like), x, y) : ir(like).CreateFDiv(x, y);
}

Value operator/(Value x, Value y) {
    if (!is_real_float(x)) return {};
    return of(x, quotient(x, x.re, kept(x, y.re, -1)));
}

Value operator~(Value x) { return of(x, ir(x).CreateNot(x.re)); }
Value operator&(Value x, Value y) { return of(x, ir(x).CreateAnd(x.re, y.re)); }
Value operator|(Value x, Value y) { return of(x, ir(x).CreateOr(x.re, y.re)); }
Value operator^(Value x, Value y) { return of(x, ir(x).CreateXor(x.re, y.re)); }

// Whether LLVM may know, if not yet, how a comparison ends that computes for nothing then: with infinities, and of what was chosen.
bool may_be_known(const Value& x, CmpInst::Predicate predicate, llvm::Value* a, llvm::Value* b) {
    using namespace llvm::PatternMatch;
    const llvm::APFloat* number = nullptr;
    const bool is_constant[] = {llvm::isa<llvm::Constant>(a), llvm::isa<llvm::Constant>(b)};
    const llvm::BasicBlock* const at = ir(x).GetInsertBlock();
    if ((is_constant[0] && is_constant[1]) || at == nullptr) return false;
    llvm::Value* const other = is_constant[0] ? b : a;
    if ((is_constant[0] || is_constant[1]) && llvm::isa<llvm::SelectInst>(other)) return true;
    if (match(is_constant[0] ? a : b, m_APFloat(number)) && !number->isFinite()) return true;
    return llvm::isa_and_nonnull<llvm::Constant>(llvm::simplifyFCmpInst(predicate, a, b, {}, llvm::SimplifyQuery(at->getDataLayout())));
}

// Of roots that are compared with -1, say, LLVM would leave out what they are of, and its floating-point errors.
llvm::Value* compare_floats(const Value& x, CmpInst::Predicate predicate, llvm::Value* a, llvm::Value* b) {
    if (x.builder->target == Target::host && may_be_known(x, predicate, a, b)) {
        const auto* const fence = llvm::dyn_cast<llvm::IntrinsicInst>(a);
        llvm::Value*& hidden = llvm::isa<llvm::Constant>(b) ? b : a;
        if (a == b && fence != nullptr && fence->getIntrinsicID() == in::arithmetic_fence) a = fence->getArgOperand(0);  // of two LLVM makes one
        else hidden = x.builder->opaque(hidden);
    }
    return ir(x).CreateFCmp(predicate, a, b);
}

Value compare(Value x, Value y, CmpInst::Predicate floating, CmpInst::Predicate with_sign, CmpInst::Predicate without) {
    if (is_complex(x.dtype)) return {};
    if (is_real_float(x)) return truth(x, compare_floats(x, floating, x.re, y.re));
    return truth(x, ir(x).CreateICmp(is_signed(x) ? with_sign : without, x.re, y.re));
}

Value operator==(Value x, Value y) {
    if (x.im != nullptr) return truth(x, ir(x).CreateAnd(ir(x).CreateFCmpOEQ(x.re, y.re), ir(x).CreateFCmpOEQ(x.im, y.im)));
    return compare(x, y, CmpInst::FCMP_OEQ, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ);
}
Value operator!=(Value x, Value y) {
    if (x.im != nullptr) return truth(x, ir(x).CreateOr(ir(x).CreateFCmpUNE(x.re, y.re), ir(x).CreateFCmpUNE(x.im, y.im)));
    return compare(x, y, CmpInst::FCMP_UNE, CmpInst::ICMP_NE, CmpInst::ICMP_NE);
}
Value operator<(Value x, Value y) { return compare(x, y, CmpInst::FCMP_OLT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT); }
Value operator<=(Value x, Value y) { return compare(x, y, CmpInst::FCMP_OLE, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE); }
Value operator>(Value x, Value y) { return compare(x, y, CmpInst::FCMP_OGT, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT); }
Value operator>=(Value x, Value y) { return compare(x, y, CmpInst::FCMP_OGE, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE); }

llvm::Value* is_nan(const Value& x) {
    llvm::Value* result = ir(x).CreateFCmpUNO(x.re, x.re);
    return x.im != nullptr ? ir(x).CreateOr(result, ir(x).CreateFCmpUNO(x.im, x.im)) : result;
}

// Without its sign. LLVM 19 joins comparisons of |x| and of x as if both were of x: of `isnan(y) ? y : y > 0 ? y : 0` with y = |x| it made
// `!(x <= 0) ? |x| : 0`. So it does not see what y is.
Value opaque(const Value& x, llvm::Value* magnitude) { return of(x, llvm::isa<llvm::Constant>(magnitude) ? magnitude : x.builder->opaque(magnitude)); }

Value absolute(Value x) {
    if (is_complex(x.dtype) && x.builder->leaves_vectors) {  // as the precompiled kernel has it
        const Value imaginary{x.builder, real_of(x.dtype), x.im, nullptr};
        return x.builder->vector_math("hypot", {x.builder, real_of(x.dtype), x.re, nullptr}, &imaginary);
    }
    if (is_complex(x.dtype)) return {};  // hypot
    if (is_real_float(x)) return opaque(x, x.builder->unary(in::fabs, x.re));
    if (!is_signed(x)) return x;
    return of(x, ir(x).CreateBinaryIntrinsic(in::abs, x.re, ir(x).getFalse()));
}

Value sign(Value x) {
    auto& b = ir(x);
    if (is_complex(x.dtype)) return {};
    if (is_real_float(x)) {
        llvm::Value* negative = b.CreateSelect(b.CreateFCmpOLT(x.re, zero(x)), real_number(x, -1), zero(x));
        llvm::Value* either = b.CreateSelect(b.CreateFCmpOGT(x.re, zero(x)), real_number(x, 1), negative);
        return of(x, b.CreateSelect(b.CreateFCmpUNO(x.re, x.re), x.re, either));
    }
    llvm::Value* positive = b.CreateZExt(b.CreateICmp(is_signed(x) ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT, x.re, zero(x)), x.re->getType());
    if (!is_signed(x)) return of(x, positive);
    return of(x, b.CreateAdd(positive, b.CreateSExt(b.CreateICmpSLT(x.re, zero(x)), x.re->getType())));
}

Value rounding(Value x, ID id) {
    if (!is_real_float(x)) return is_complex(x.dtype) ? Value{} : x;
    return of(x, x.builder->unary(id, x.re));
}
Value rint(Value x) {
    if (x.im != nullptr) return of(x, x.builder->unary(in::rint, x.re), x.builder->unary(in::rint, x.im));
    return rounding(x, in::rint);
}
Value floor(Value x) { return rounding(x, in::floor); }
Value ceil(Value x) { return rounding(x, in::ceil); }
Value trunc(Value x) { return rounding(x, in::trunc); }

Value sqrt(Value x) {
    if (!is_real_float(x)) return {};
    if (is_speculative(x)) return of(x, x.builder->speculation->square_root(x.re));
    return of(x, is_rare(x) ? root_by_doubles(ir(x), x.re) : x.builder->unary(in::sqrt, x.re));
}
Value square(Value x) { return x * x; }
Value reciprocal(Value x) {
    if (!is_real_float(x)) return {};
    return of(x, quotient(x, real_number(x, 1), x.re));
}
Value scaled_by(Value x, double factor) {
    if (x.dtype == Dtype::float64) return of(x, ir(x).CreateFMul(x.re, real_number(x, factor)));
    return of(x, ir(x).CreateFMul(x.re, real_number(x, static_cast<float>(factor))));
}
Value degrees(Value x) { return scaled_by(x, 180.0 / 3.14159265358979323846); }
Value radians(Value x) { return scaled_by(x, 3.14159265358979323846 / 180.0); }

llvm::Value* nonzero(const Value& x) {
    if (is_bool(x)) return x.re;
    if (is_integer(x.dtype)) return ir(x).CreateICmpNE(x.re, zero(x));
    llvm::Value* result = ir(x).CreateFCmpUNE(x.re, zero(x));
    return x.im != nullptr ? ir(x).CreateOr(result, ir(x).CreateFCmpUNE(x.im, zero(x))) : result;
}
Value logical_not(Value x) { return truth(x, ir(x).CreateNot(nonzero(x))); }
Value logical_and(Value x, Value y) { return truth(x, ir(x).CreateAnd(nonzero(x), nonzero(y))); }
Value logical_or(Value x, Value y) { return truth(x, ir(x).CreateOr(nonzero(x), nonzero(y))); }
Value logical_xor(Value x, Value y) { return truth(x, ir(x).CreateXor(nonzero(x), nonzero(y))); }

Value all_lanes(const Value& x, bool value) {
    llvm::Type* type = llvm::Type::getInt1Ty(x.builder->module.getContext());
    llvm::Value* scalar = llvm::ConstantInt::get(type, value ? 1 : 0);
    return truth(x, x.builder->is_vector(x) ? x.builder->splat(scalar) : scalar);
}
Value isnan(Value x) { return is_inexact(x.dtype) ? truth(x, is_nan(x)) : all_lanes(x, false); }
llvm::Value* magnitude_is(const Value& x, llvm::Value* part, CmpInst::Predicate predicate) {
    llvm::Value* infinity = llvm::ConstantFP::getInfinity(part->getType());
    return ir(x).CreateFCmp(predicate, x.builder->unary(in::fabs, part), infinity);
}
Value isinf(Value x) {
    if (!is_inexact(x.dtype)) return all_lanes(x, false);
    llvm::Value* result = magnitude_is(x, x.re, CmpInst::FCMP_OEQ);
    return truth(x, x.im != nullptr ? ir(x).CreateOr(result, magnitude_is(x, x.im, CmpInst::FCMP_OEQ)) : result);
}
Value isfinite(Value x) {
    if (!is_inexact(x.dtype)) return all_lanes(x, true);
    llvm::Value* result = magnitude_is(x, x.re, CmpInst::FCMP_OLT);
    return truth(x, x.im != nullptr ? ir(x).CreateAnd(result, magnitude_is(x, x.im, CmpInst::FCMP_OLT)) : result);
}

llvm::Value* bits_of(const Value& x) {
    llvm::Type* element = ir(x).getIntNTy(width_of(x));
    llvm::Type* type = x.re->getType()->isVectorTy() ? x.builder->vector_type(element) : element;
    return ir(x).CreateBitCast(x.re, type);
}
Value signbit(Value x) {
    llvm::Value* bits = bits_of(x);
    return truth(x, ir(x).CreateICmpSLT(bits, llvm::Constant::getNullValue(bits->getType())));
}
Value conjugate(Value x) { return x.im != nullptr ? of(x, x.re, ir(x).CreateFNeg(x.im)) : x; }
Value from_parts(Value x, Value y) { return {x.builder, complex_of(x.dtype), x.re, y.re}; }
Value real(Value x) { return {x.builder, real_of(x.dtype), x.re, nullptr}; }
Value imag(Value x) { return {x.builder, real_of(x.dtype), x.im != nullptr ? x.im : zero(x), nullptr}; }

// NumPy's maximum and minimum give NaN where either operand is one; fmax and fmin the other operand. Of zeros of different sign maximum and minimum give
// the second, of halves the first.
Value extreme(Value x, Value y, CmpInst::Predicate floating, ID with_sign, ID without) {
    auto& b = ir(x);
    if (is_complex(x.dtype)) return {};
    if (is_bool(x)) return {};
    if (is_integer(x.dtype)) return of(x, x.builder->binary(is_signed(x) ? with_sign : without, x.re, y.re));
    llvm::Value* better = b.CreateSelect(b.CreateFCmp(floating, x.re, y.re), x.re, y.re);
    return of(x, b.CreateSelect(b.CreateFCmpUNO(x.re, x.re), x.re, better));
}
Value maximum(Value x, Value y) {
    if (is_bool(x)) return x | y;
    return extreme(x, y, x.dtype == Dtype::float16 ? CmpInst::FCMP_OGE : CmpInst::FCMP_OGT, in::smax, in::umax);
}
Value minimum(Value x, Value y) {
    if (is_bool(x)) return x & y;
    return extreme(x, y, x.dtype == Dtype::float16 ? CmpInst::FCMP_OLE : CmpInst::FCMP_OLT, in::smin, in::umin);
}
Value extreme_number(Value x, Value y, CmpInst::Predicate floating, ID with_sign, ID without) {
    auto& b = ir(x);
    if (!is_real_float(x)) return extreme(x, y, floating, with_sign, without);
    llvm::Value* better = b.CreateSelect(b.CreateFCmp(floating, x.re, y.re), x.re, y.re);
    return of(x, b.CreateSelect(b.CreateFCmpUNO(y.re, y.re), x.re, better));
}
Value fmax(Value x, Value y) {
    if (is_bool(x)) return x | y;
    return extreme_number(x, y, CmpInst::FCMP_OGE, in::smax, in::umax);
}
Value fmin(Value x, Value y) {
    if (is_bool(x)) return x & y;
    return extreme_number(x, y, CmpInst::FCMP_OLE, in::smin, in::umin);
}

Value copysign(Value x, Value y) { return opaque(x, x.builder->binary(in::copysign, x.re, y.re)); }

llvm::Value* past_width(const Value& x, const Value& y) { return ir(x).CreateICmpUGE(y.re, integer(x, width_of(x))); }
Value left_shift(Value x, Value y) {
    llvm::Value* past = past_width(x, y);
    llvm::Value* amount = ir(x).CreateSelect(past, zero(x), y.re);
    return of(x, ir(x).CreateSelect(past, zero(x), ir(x).CreateShl(x.re, amount)));
}
Value right_shift(Value x, Value y) {
    llvm::Value* past = past_width(x, y);
    llvm::Value* amount = ir(x).CreateSelect(past, zero(x), y.re);
    if (!is_signed(x)) return of(x, ir(x).CreateSelect(past, zero(x), ir(x).CreateLShr(x.re, amount)));
    llvm::Value* filled = ir(x).CreateAShr(x.re, integer(x, width_of(x) - 1));
    return of(x, ir(x).CreateSelect(past, filled, ir(x).CreateAShr(x.re, amount)));
}

Value bitwise_count(Value x) {
    Value magnitude = absolute(x);
    llvm::Value* count = x.builder->unary(in::ctpop, magnitude.re);
    llvm::Type* byte = ir(x).getInt8Ty();
    llvm::Type* type = x.builder->is_vector(x) ? x.builder->vector_type(byte) : byte;
    return {x.builder, Dtype::uint8, ir(x).CreateZExtOrTrunc(count, type), nullptr};
}

// From the host's vector math where it has the function, precompiled otherwise.
#define VECTOR1(name) \
    Value name(Value x) { return x.builder->vector_math(#name, x); }
#define VECTOR2(name) \
    Value name(Value x, Value y) { return x.builder->vector_math(#name, x, &y); }
#include "codegen/vector_math.def"

// Long or rare: always the precompiled kernel.
#define PRECOMPILED1(name) \
    Value name(Value) { return {}; }
#define PRECOMPILED2(name) \
    Value name(Value, Value) { return {}; }
PRECOMPILED1(spacing)
PRECOMPILED1(frexp_mantissa)
PRECOMPILED1(frexp_exponent)
PRECOMPILED1(modf_fraction)
PRECOMPILED2(floor_divide)
PRECOMPILED2(remainder)
PRECOMPILED2(fmod)
PRECOMPILED2(logaddexp)
PRECOMPILED2(logaddexp2)
PRECOMPILED2(nextafter)
PRECOMPILED2(heaviside)
PRECOMPILED2(ldexp)
PRECOMPILED2(gcd)
PRECOMPILED2(lcm)
#undef PRECOMPILED1
#undef PRECOMPILED2

}  // namespace

Value meaning_of(ir::Op op, Value x, Value y) {
    switch (op) {
#define MAP1(name, rule, meaning, partial, traits, doc) \
    case ir::Op::name: return meaning;
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) \
    case ir::Op::name: return meaning;
#include "fastnp/ops/map.def"
        default: return {};
    }
}

}  // namespace fastnp::codegen
