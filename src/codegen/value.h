// codegen::Value: an element, or a vector of elements, whose operators and functions write LLVM IR. The catalogue's meanings are
// templates over such values, so `x + y` in a row becomes the instructions here, for every target.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "codegen/external.h"
#include "codegen/llvm.h"
#include "codegen/source_lines.h"
#include "fastnp/dtype.h"
#include "fastnp/scalar.h"
#include "ir/op.h"

namespace fastnp::codegen {

class Builder;
class Speculation;

/// What code is for, and so what it may call: the C library's vector functions and precompiled kernels on the host, device functions on a GPU.
enum class Target : std::uint8_t { host, nvptx };

/// A complex element is a pair of reals; a bool is an i1; the 16-bit floats are floats that hold representable values.
struct Value {
    Builder* builder = nullptr;
    Dtype dtype = Dtype::bool_;
    llvm::Value* re = nullptr;
    llvm::Value* im = nullptr;
    /// No instructions for this: the caller takes the precompiled kernel.
    bool missing() const { return re == nullptr; }
};

/// The row's meaning as instructions; missing where there are none for this op and dtype.
Value meaning_of(ir::Op op, Value x, Value y);

/// What the emitter needs of a map: its result for operands in the loop's dtype (`compute`).
class Builder {
public:
    Builder(llvm::Module& module, int width, Target target = Target::host) : ir(module.getContext()), module(module), width(width), target(target) {}

    llvm::Type* element_type(Dtype dtype);                 // of one part of a value
    llvm::Type* vector_type(llvm::Type* element) const { return llvm::FixedVectorType::get(element, static_cast<unsigned>(width)); }
    llvm::Value* splat(llvm::Value* value);                // a scalar to all lanes; a vector as it is
    Value splat(Value value);
    bool is_vector(const Value& value) const { return value.re->getType()->isVectorTy(); }

    Value constant(const Scalar& scalar, Dtype dtype);
    Value number(Dtype dtype, double value);               // scalar of a real dtype
    Value cast(Value x, Dtype to);
    Value select(Value condition, Value x, Value y);
    Value map(ir::Op op, Dtype compute, Dtype result, llvm::ArrayRef<Value> args);

    /// Rounds a float that stands for a 16-bit one.
    llvm::Value* round_to(llvm::Value* value, Dtype dtype);
    /// An intrinsic over the value's own type.
    llvm::Value* unary(llvm::Intrinsic::ID id, llvm::Value* x) { return ir.CreateUnaryIntrinsic(id, x); }
    llvm::Value* binary(llvm::Intrinsic::ID id, llvm::Value* x, llvm::Value* y) { return ir.CreateBinaryIntrinsic(id, x, y); }
    /// The target's vector function of that name, or missing.
    Value vector_math(const char* name, Value x, const Value* y = nullptr);
    /// A result that is computed in all lanes, whichever are used: as in NumPy its floating-point errors count, and no others.
    llvm::Value* computed(llvm::Value* value);
    /// The same floating numbers, through which LLVM does not look.
    llvm::Value* opaque(llvm::Value* value);
    /// A constant like `like`'s part.
    llvm::Value* real_constant(llvm::Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

    llvm::FunctionCallee external(const External& function_called, llvm::FunctionType* type);

    /// What is written in a function, from its first line on, is of the user's lines, if code tells of them.
    void begin_lines(llvm::Function& function, ir::Location first) {
        if (!first) return;
        lines.emplace(function, first);
        ir.SetCurrentDebugLocation(lines->at(first));
    }
    /// As long as what it gives lives, what is written is of this line.
    [[nodiscard]] AtLine at(ir::Location line) { return {ir, lines, line}; }

    llvm::IRBuilder<> ir;
    llvm::Module& module;
    std::optional<SourceLines> lines;        // none: code does not tell of them
    int width;                               // lanes
    Target target;
    llvm::BasicBlock* entry = nullptr;       // where allocas go
    Speculation* speculation = nullptr;      // that divisions are left to; null: none
    bool leaves_vectors = false;             // whether LLVM makes vectors of what is written one by one
    bool is_rare = false;                    // whether what is written seldom runs: it should cost the rest nothing
    std::map<std::string, External> externals;  // functions outside the module that it calls, by name

private:
    Value call_precompiled(const External& function_called, llvm::ArrayRef<Value> args, Dtype result);
    Value call_span(const External& kernel, llvm::ArrayRef<Value> args, Dtype result);
    Value call_one(const External& vector_function, llvm::FunctionCallee callee, int lanes, llvm::ArrayRef<llvm::Value*> arguments, Dtype result);
    llvm::Type* passed_type(Dtype dtype);
    Value call_device_function(const External& function_called, llvm::ArrayRef<Value> args, Dtype result);
    llvm::AllocaInst* lane_buffer(Dtype dtype);
    void spill(Value value, llvm::Value* to);
    Value fill(Dtype dtype, llvm::Value* from);

public:
    /// Elements of a dtype as they lie in memory, to and from values (scalars or vectors by `lanes`).
    llvm::Type* memory_type(Dtype dtype);
    llvm::Value* to_memory(llvm::Value* part, Dtype dtype);
    llvm::Value* from_memory(llvm::Value* raw, Dtype dtype);
};

}  // namespace fastnp::codegen
