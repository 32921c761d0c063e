// Conversions, constants, casts and calls to precompiled code. The catalogue's meanings are in meaning.cpp.
#include "codegen/value.h"

#include "codegen/nvptx.h"
#include "codegen/speculation.h"
#include "eager/code_level.h"
#include "eager/eager.h"
#include "eager/vector_math.h"
#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/usual.h"

namespace fastnp::codegen {

using llvm::Type;

namespace {

bool is_half(Dtype dtype) { return dtype == Dtype::float16 || dtype == Dtype::bfloat16; }

}  // namespace

Type* Builder::element_type(Dtype dtype) {
    auto& context = module.getContext();
    switch (kind_of(dtype)) {
        case 'b': return Type::getInt1Ty(context);
        case 'i':
        case 'u': return Type::getIntNTy(context, static_cast<unsigned>(itemsize_of(dtype) * 8));
        default: break;
    }
    const Dtype real = real_of(dtype);
    return real == Dtype::float64 ? Type::getDoubleTy(context) : Type::getFloatTy(context);
}

Type* Builder::memory_type(Dtype dtype) {
    auto& context = module.getContext();
    if (dtype == Dtype::bool_) return Type::getInt8Ty(context);
    if (dtype == Dtype::float16) return Type::getHalfTy(context);
    if (dtype == Dtype::bfloat16) return Type::getInt16Ty(context);
    return element_type(dtype);
}

llvm::Value* Builder::to_memory(llvm::Value* part, Dtype dtype) {
    auto like = [&](Type* element) -> Type* {
        return part->getType()->isVectorTy() ? llvm::VectorType::get(element, llvm::cast<llvm::VectorType>(part->getType())) : element;
    };
    if (dtype == Dtype::bool_) return ir.CreateZExt(part, like(ir.getInt8Ty()));
    if (dtype == Dtype::float16) return ir.CreateFPTrunc(part, like(ir.getHalfTy()));
    if (dtype == Dtype::bfloat16) {  // the value is representable: its upper half is it
        llvm::Value* bits = ir.CreateBitCast(part, like(ir.getInt32Ty()));
        return ir.CreateTrunc(ir.CreateLShr(bits, 16), like(ir.getInt16Ty()));
    }
    return part;
}

llvm::Value* Builder::from_memory(llvm::Value* raw, Dtype dtype) {
    auto like = [&](Type* element) -> Type* {
        return raw->getType()->isVectorTy() ? llvm::VectorType::get(element, llvm::cast<llvm::VectorType>(raw->getType())) : element;
    };
    if (dtype == Dtype::bool_) return ir.CreateICmpNE(raw, llvm::Constant::getNullValue(raw->getType()));
    if (dtype == Dtype::float16) return ir.CreateFPExt(raw, like(ir.getFloatTy()));
    if (dtype == Dtype::bfloat16) {
        llvm::Value* bits = ir.CreateShl(ir.CreateZExt(raw, like(ir.getInt32Ty())), 16);
        return ir.CreateBitCast(bits, like(ir.getFloatTy()));
    }
    return raw;
}

llvm::Value* Builder::splat(llvm::Value* value) {
    if (value->getType()->isVectorTy()) return value;
    return ir.CreateVectorSplat(static_cast<unsigned>(width), value);
}

Value Builder::splat(Value value) {
    value.re = splat(value.re);
    if (value.im != nullptr) value.im = splat(value.im);
    return value;
}

Value Builder::number(Dtype dtype, double value) { return {this, dtype, llvm::ConstantFP::get(element_type(dtype), value), nullptr}; }

Value Builder::constant(const Scalar& scalar, Dtype dtype) {
    Type* type = element_type(dtype);
    if (dtype == Dtype::bool_) {
        const bool truth = scalar.bits() != 0 || scalar.real() != 0 || scalar.imag() != 0;
        return {this, dtype, llvm::ConstantInt::get(type, truth ? 1 : 0), nullptr};
    }
    if (is_integer(dtype)) return {this, dtype, llvm::ConstantInt::get(type, scalar.bits(), true), nullptr};
    auto real = [&](double value) -> llvm::Value* {
        if (dtype == Dtype::float16) value = static_cast<float>(float16_t(static_cast<float>(value)));
        if (dtype == Dtype::bfloat16) value = static_cast<float>(bfloat16_t(static_cast<float>(value)));
        return type->isFloatTy() ? llvm::ConstantFP::get(module.getContext(), llvm::APFloat(static_cast<float>(value)))
                                 : llvm::ConstantFP::get(module.getContext(), llvm::APFloat(value));
    };
    return {this, dtype, real(scalar.real()), is_complex(dtype) ? real(scalar.imag()) : nullptr};
}

llvm::Value* Builder::round_to(llvm::Value* value, Dtype dtype) {
    if (!is_half(dtype)) return value;
    const bool vector = value->getType()->isVectorTy();
    auto like = [&](Type* element) -> Type* { return vector ? llvm::VectorType::get(element, llvm::cast<llvm::VectorType>(value->getType())) : element; };
    if (dtype == Dtype::float16) return ir.CreateFPExt(ir.CreateFPTrunc(value, like(ir.getHalfTy())), value->getType());
    Type* bits_type = like(ir.getInt32Ty());
    auto number = [&](std::uint32_t n) { return llvm::ConstantInt::get(bits_type, n); };
    llvm::Value* bits = ir.CreateBitCast(value, bits_type);
    llvm::Value* odd = ir.CreateAnd(ir.CreateLShr(bits, number(16)), number(1));
    llvm::Value* rounded = ir.CreateAdd(ir.CreateAdd(bits, number(0x7fff)), odd);
    llvm::Value* quiet = ir.CreateOr(bits, number(0x400000));
    llvm::Value* chosen = ir.CreateSelect(ir.CreateFCmpUNO(value, value), quiet, rounded);
    return ir.CreateBitCast(ir.CreateAnd(chosen, number(0xffff0000U)), value->getType());
}

llvm::Value* Builder::computed(llvm::Value* value) {
    const bool may_be_left_out = llvm::isa<llvm::BinaryOperator, llvm::CallInst, llvm::CastInst, llvm::Constant>(value);
    if (target != Target::host || !may_be_left_out || !value->getType()->isFPOrFPVectorTy()) return value;
    return opaque(value);
}

llvm::Value* Builder::opaque(llvm::Value* value) { return ir.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {value->getType()}, {value}); }

Value Builder::select(Value condition, Value x, Value y) {
    if (is_vector(condition) || is_vector(x) || is_vector(y)) {
        condition = splat(condition);
        x = splat(x);
        y = splat(y);
    }
    Value result{this, x.dtype, ir.CreateSelect(condition.re, x.re, y.re), nullptr};
    if (x.im != nullptr) result.im = ir.CreateSelect(condition.re, x.im, y.im);
    return result;
}

Value Builder::cast(Value x, Dtype to) {
    const Dtype from = x.dtype;
    if (from == to) return x;
    if (is_complex(from) && to != Dtype::bool_ && !is_complex(to)) return cast({this, real_of(from), x.re, nullptr}, to);
    Type* element = element_type(to);
    Type* type = is_vector(x) ? vector_type(element) : element;
    const char kind = kind_of(from);
    if (to == Dtype::bool_) {
        auto nonzero = [&](llvm::Value* v) {
            llvm::Value* zero = llvm::Constant::getNullValue(v->getType());
            return v->getType()->isFPOrFPVectorTy() ? ir.CreateFCmpUNE(v, zero) : ir.CreateICmpNE(v, zero);
        };
        llvm::Value* result = nonzero(x.re);
        if (x.im != nullptr) result = ir.CreateOr(result, nonzero(x.im));
        return {this, to, result, nullptr};
    }
    if (is_integer(to)) {
        if (kind == 'b') return {this, to, ir.CreateZExt(x.re, type), nullptr};
        if (kind == 'i') return {this, to, ir.CreateSExtOrTrunc(x.re, type), nullptr};
        if (kind == 'u') return {this, to, ir.CreateZExtOrTrunc(x.re, type), nullptr};
        // Values out of range are poison to LLVM but have NumPy's x86 answers in the precompiled kernel.
        return call_precompiled({External::Kind::cast, ir::Op::cast, from, to}, {x}, to);
    }
    auto to_real = [&](llvm::Value* v, Dtype source) -> llvm::Value* {
        const char k = kind_of(source);
        llvm::Value* result = nullptr;
        if (k == 'b' || k == 'u') result = ir.CreateUIToFP(v, type);
        else if (k == 'i') result = ir.CreateSIToFP(v, type);
        else result = ir.CreateFPCast(v, type);
        return result;
    };
    if (is_half(to) && itemsize_of(from) > 4 && !is_complex(from)) {  // through float would round twice
        return call_precompiled({External::Kind::cast, ir::Op::cast, from, to}, {x}, to);
    }
    Value result{this, to, round_to(to_real(x.re, real_of(from)), to), nullptr};
    if (is_complex(to)) result.im = x.im != nullptr ? to_real(x.im, real_of(from)) : llvm::Constant::getNullValue(type);
    return result;
}

llvm::FunctionCallee Builder::external(const External& function_called, llvm::FunctionType* type) {
    const std::string name = symbol_of(function_called);
    externals.emplace(name, function_called);
    llvm::FunctionCallee callee = module.getOrInsertFunction(name, type);
    if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) function->setDoesNotThrow();
    return callee;
}

llvm::AllocaInst* Builder::lane_buffer(Dtype dtype) {
    llvm::IRBuilder<> at(entry, entry->getFirstInsertionPt());
    const auto bytes = static_cast<std::uint64_t>(itemsize_of(dtype)) * static_cast<std::uint64_t>(width);
    llvm::AllocaInst* slot = at.CreateAlloca(llvm::ArrayType::get(at.getInt8Ty(), bytes));
    slot->setAlignment(llvm::Align(64));
    return slot;
}

void Builder::spill(Value value, llvm::Value* to) {
    if (value.im == nullptr) {
        ir.CreateAlignedStore(to_memory(value.re, value.dtype), to, llvm::Align(1));
        return;
    }
    llvm::Value* pair = nullptr;
    if (is_vector(value)) {
        llvm::SmallVector<int, 64> order;
        for (int i = 0; i < width; ++i) {
            order.push_back(i);
            order.push_back(i + width);
        }
        pair = ir.CreateShuffleVector(value.re, value.im, order);
    } else {
        pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(value.re->getType(), 2));
        pair = ir.CreateInsertElement(pair, value.re, std::uint64_t{0});
        pair = ir.CreateInsertElement(pair, value.im, std::uint64_t{1});
    }
    ir.CreateAlignedStore(pair, to, llvm::Align(1));
}

Value Builder::fill(Dtype dtype, llvm::Value* from) {
    if (!is_complex(dtype)) {
        llvm::Value* raw = ir.CreateAlignedLoad(vector_type(memory_type(dtype)), from, llvm::Align(1));
        return {this, dtype, from_memory(raw, dtype), nullptr};
    }
    auto* type = llvm::FixedVectorType::get(element_type(dtype), static_cast<unsigned>(2 * width));
    llvm::Value* pairs = ir.CreateAlignedLoad(type, from, llvm::Align(1));
    llvm::SmallVector<int, 64> even, odd;
    for (int i = 0; i < width; ++i) {
        even.push_back(2 * i);
        odd.push_back(2 * i + 1);
    }
    return {this, dtype, ir.CreateShuffleVector(pairs, even), ir.CreateShuffleVector(pairs, odd)};
}

Value Builder::call_precompiled(const External& function_called, llvm::ArrayRef<Value> args, Dtype result) {
    return target == Target::nvptx ? call_device_function(function_called, args, result) : call_span(function_called, args, result);
}

// How device functions take and return an element: a complex one as a vector of two.
Type* Builder::passed_type(Dtype dtype) {
    Type* part = element_type(dtype);
    return is_complex(dtype) ? llvm::FixedVectorType::get(part, 2) : part;
}

// A call for each lane, values in registers (see cuda/device_functions). It is inlined when the module becomes PTX.
Value Builder::call_device_function(const External& function_called, llvm::ArrayRef<Value> args, Dtype result) {
    if (!has_device_function(function_called)) throw InternalError("no device function for " + symbol_of(function_called));
    llvm::SmallVector<Type*, 2> parameters;
    bool vector = false;
    for (const Value& arg : args) {
        parameters.push_back(passed_type(arg.dtype));
        vector = vector || is_vector(arg);
    }
    llvm::FunctionCallee callee = external(function_called, llvm::FunctionType::get(passed_type(result), parameters, false));
    if (auto* declared = llvm::dyn_cast<llvm::Function>(callee.getCallee())) declared->setDoesNotAccessMemory();
    const auto lane_of = [&](llvm::Value* part, int lane) {
        return part->getType()->isVectorTy() ? ir.CreateExtractElement(part, static_cast<std::uint64_t>(lane)) : part;
    };
    const auto pair_of = [&](llvm::Value* re, llvm::Value* im) {
        llvm::Value* none = llvm::PoisonValue::get(llvm::FixedVectorType::get(re->getType(), 2));
        return ir.CreateInsertElement(ir.CreateInsertElement(none, re, std::uint64_t{0}), im, std::uint64_t{1});
    };
    Value all{this, result, llvm::PoisonValue::get(vector_type(element_type(result))), nullptr};
    if (is_complex(result)) all.im = all.re;
    for (int lane = 0; lane < (vector ? width : 1); ++lane) {
        llvm::SmallVector<llvm::Value*, 2> arguments;
        for (const Value& arg : args) {
            llvm::Value* re = lane_of(arg.re, lane);
            arguments.push_back(arg.im != nullptr ? pair_of(re, lane_of(arg.im, lane)) : re);
        }
        llvm::Value* value = ir.CreateCall(callee, arguments);
        const Value one{this, result, is_complex(result) ? ir.CreateExtractElement(value, std::uint64_t{0}) : value,
                        is_complex(result) ? ir.CreateExtractElement(value, std::uint64_t{1}) : nullptr};
        if (!vector) return one;
        all.re = ir.CreateInsertElement(all.re, one.re, static_cast<std::uint64_t>(lane));
        if (one.im != nullptr) all.im = ir.CreateInsertElement(all.im, one.im, static_cast<std::uint64_t>(lane));
    }
    return all;
}

// Lanes go through memory to a precompiled kernel and back: any op, any dtype, same bits as eager.
Value Builder::call_span(const External& kernel, llvm::ArrayRef<Value> args, Dtype result) {
    if (address_of(kernel) == nullptr) throw InternalError("no precompiled kernel for " + symbol_of(kernel));
    bool vector = false;
    for (const Value& arg : args) vector = vector || is_vector(arg);
    Type* pointer = ir.getPtrTy();
    llvm::IRBuilder<> at(entry, entry->getFirstInsertionPt());
    llvm::Value* operands = at.CreateAlloca(llvm::ArrayType::get(pointer, args.size()));
    llvm::Value* out = lane_buffer(result);
    for (std::size_t i = 0; i < args.size(); ++i) {
        llvm::Value* slot = lane_buffer(args[i].dtype);
        spill(splat(args[i]), slot);
        ir.CreateStore(slot, ir.CreateConstInBoundsGEP2_64(llvm::ArrayType::get(pointer, args.size()), operands, 0, i));
    }
    auto* type = llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer, ir.getInt64Ty()}, false);
    ir.CreateCall(external(kernel, type), {operands, out, ir.getInt64(vector ? width : 1)});
    Value value = fill(result, out);
    if (!vector) {
        value.re = ir.CreateExtractElement(value.re, std::uint64_t{0});
        if (value.im != nullptr) value.im = ir.CreateExtractElement(value.im, std::uint64_t{0});
    }
    return value;
}

// Calls the C library's vector function; vectors narrower than the machine's are filled up.
Value Builder::vector_math(const char* name, Value x, const Value* y) {
    const Dtype dtype = x.dtype == Dtype::float64 ? Dtype::float64 : Dtype::float32;
    if (!is_floating(x.dtype) || target != Target::host) return {};
    const ir::Op op = *ops::find(name);
    const eager::VectorFunction* function = eager::vector_function(op, dtype, eager::code_level());
    if (function == nullptr) return {};
    const bool vector = is_vector(x);
    const int given = vector ? width : 1;
    const int lanes = function->lanes;
    auto* native = llvm::FixedVectorType::get(element_type(dtype), static_cast<unsigned>(lanes));
    llvm::SmallVector<Type*, 2> parameters(static_cast<std::size_t>(function->operands), native);
    llvm::FunctionCallee callee = external({External::Kind::vector, op, dtype, dtype}, llvm::FunctionType::get(native, parameters, false));
    if (auto* declared = llvm::dyn_cast<llvm::Function>(callee.getCallee())) declared->setDoesNotAccessMemory();
    if (given > lanes) throw InternalError("vectors wider than the machine's");
    if (!vector && leaves_vectors) {
        llvm::SmallVector<llvm::Value*, 2> each{x.re};
        if (y != nullptr) each.push_back(y->re);
        return call_one({External::Kind::vector, op, dtype, dtype}, callee, lanes, each, x.dtype);
    }
    auto filled = [&](llvm::Value* value) -> llvm::Value* {
        if (!vector) return ir.CreateVectorSplat(static_cast<unsigned>(lanes), value);
        if (given == lanes) return value;
        llvm::SmallVector<int, 64> order;  // past the end: the first element again, so that no odd value takes a slow path
        for (int i = 0; i < lanes; ++i) order.push_back(i < given ? i : 0);
        return ir.CreateShuffleVector(value, order);
    };
    llvm::SmallVector<llvm::Value*, 2> arguments{filled(x.re)};
    if (y != nullptr) arguments.push_back(filled(y->re));
    llvm::Value* result = ir.CreateCall(callee, arguments);
    if (!vector) return {this, x.dtype, ir.CreateExtractElement(result, std::uint64_t{0}), nullptr};
    if (given == lanes) return {this, x.dtype, result, nullptr};
    llvm::SmallVector<int, 64> order;
    for (int i = 0; i < given; ++i) order.push_back(i);
    return {this, x.dtype, ir.CreateShuffleVector(result, order), nullptr};
}

// The vector function's result for one element, as a function of its own, which says what vectors of such calls are.
Value Builder::call_one(const External& vector_function, llvm::FunctionCallee callee, int lanes, llvm::ArrayRef<llvm::Value*> arguments, Dtype result) {
    const std::string whole = symbol_of(vector_function), name = "one" + whole;
    llvm::Function* one = module.getFunction(name);
    if (one == nullptr) {
        const llvm::SmallVector<Type*, 2> parameters(arguments.size(), arguments[0]->getType());
        one = llvm::Function::Create(llvm::FunctionType::get(arguments[0]->getType(), parameters, false), llvm::Function::InternalLinkage, name, module);
        one->setDoesNotThrow();
        one->setDoesNotAccessMemory();
        one->setWillReturn();
        llvm::IRBuilder<> body(llvm::BasicBlock::Create(module.getContext(), "entry", one));
        llvm::SmallVector<llvm::Value*, 2> splats;
        for (llvm::Argument& each : one->args()) splats.push_back(body.CreateVectorSplat(static_cast<unsigned>(lanes), &each));
        body.CreateRet(body.CreateExtractElement(body.CreateCall(callee, splats), std::uint64_t{0}));
    }
    llvm::CallInst* call = ir.CreateCall(one, arguments);
    const std::string variant = "_ZGV_LLVM_N" + std::to_string(lanes) + std::string(arguments.size(), 'v') + "_" + name + "(" + whole + ")";
    call->addFnAttr(llvm::Attribute::get(module.getContext(), "vector-function-abi-variant", variant));
    return {this, result, call, nullptr};
}

Value Builder::map(ir::Op op, Dtype compute, Dtype result, llvm::ArrayRef<Value> args) {
    if (op == ir::Op::cast) {
        Value value = cast(args[0], result);
        // LLVM knows x - x, and what becomes of truth: it would leave out what is divided by them.
        if (is_integer(args[0].dtype) || args[0].dtype == Dtype::bool_) value.re = computed(value.re);
        return value;
    }
    if (op == ir::Op::select) {
        const auto kept_part = [&](llvm::Value* part) { return llvm::isa<llvm::Constant>(part) ? part : computed(part); };
        const auto kept = [&](Value value) {
            value.re = kept_part(value.re);
            if (value.im != nullptr) value.im = kept_part(value.im);
            return value;
        };
        return select(args[0], kept(args[1]), kept(args[2]));
    }
    Value x = args[0];
    Value y = args.size() > 1 ? args[1] : Value{};
    // Constants that are left are operands of what has floating-point errors.
    const bool all_constant = std::all_of(args.begin(), args.end(), [](const Value& each) { return llvm::isa<llvm::Constant>(each.re); });
    if (all_constant) x.re = computed(x.re);
    if (args.size() > 1 && is_vector(x) != is_vector(y)) {
        x = splat(x);
        y = splat(y);
    }
    Value value = meaning_of(op, x, y);
    if (value.missing()) {
        const ops::Usual* usual = speculation != nullptr && compute == Dtype::float32 ? ops::usual_of(op) : nullptr;
        if (usual == nullptr) return call_precompiled({External::Kind::span, op, compute, compute}, args, result);
        const auto call = [&] { return call_device_function({External::Kind::usual, op, compute, compute}, args, result).re; };
        return {this, result, speculation->usual(*usual, x.re, call), nullptr};
    }
    value.dtype = result;
    if (is_half(result)) value.re = round_to(value.re, result);
    return value;
}

}  // namespace fastnp::codegen
