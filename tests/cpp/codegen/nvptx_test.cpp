// Code for Nvidia's GPUs: every op in every dtype and every cast become PTX that CUDA's assembler takes, arithmetic is exact, and nothing goes through
// memory.
#include "codegen/nvptx.h"

#include <boost/test/unit_test.hpp>
#include <functional>

#include "codegen/ptx.h"
#include "codegen/value.h"
#include "ops/catalogue.h"
#include "ops/rules.h"

using namespace fastnp;
using codegen::Builder;
using codegen::Value;
using ir::Op;

namespace {

/// A module of kernels that each compute one element (or `width` of them): void kernel(ptr operand..., ptr result).
class Kernels {
public:
    using Meaning = std::function<Value(Builder&, const std::vector<Value>&)>;

    Kernels() : module_("test", context_) { codegen::set_nvptx_target(module_); }

    void add(const std::string& name, const std::vector<Dtype>& operands, const Meaning& meaning, int width = 1) {
        auto* pointer = llvm::PointerType::get(context_, 0);
        const std::vector<llvm::Type*> parameters(operands.size() + 1, pointer);
        auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), parameters, false);
        auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
        function->setCallingConv(llvm::CallingConv::PTX_Kernel);
        Builder builder(module_, width, codegen::Target::nvptx);
        builder.entry = llvm::BasicBlock::Create(context_, "", function);
        builder.ir.SetInsertPoint(builder.entry);
        std::vector<Value> values;
        for (std::size_t i = 0; i < operands.size(); ++i) values.push_back(load(builder, function->getArg(static_cast<unsigned>(i)), operands[i]));
        store(builder, function->getArg(static_cast<unsigned>(operands.size())), meaning(builder, values));
        builder.ir.CreateRetVoid();
    }
    void add(Op op, Dtype dtype, int width = 1) {
        const ops::Info& info = ops::info(op);
        std::vector<Dtype> operands(static_cast<std::size_t>(info.operands), dtype);
        if (info.rule->integer_second) operands[1] = int32;
        const Dtype result = ops::rules::output_of(*info.rule, dtype);
        add(
            std::string(info.name) + "_" + std::string(name_of(dtype)), operands,
            [&](Builder& b, const std::vector<Value>& x) { return b.map(op, dtype, result, x); }, width);
    }
    std::string ptx(int capability) { return checked_ptx(module_, capability); }

private:
    static llvm::Type* lanes(Builder& b, Dtype dtype) { return b.width == 1 ? b.memory_type(dtype) : b.vector_type(b.memory_type(dtype)); }
    static Value load(Builder& b, llvm::Value* from, Dtype dtype) {
        const auto part = [&](int number) {
            llvm::Value* at = b.ir.CreateConstGEP1_64(lanes(b, dtype), from, static_cast<std::uint64_t>(number));
            return b.from_memory(b.ir.CreateLoad(lanes(b, dtype), at), dtype);
        };
        return {&b, dtype, part(0), is_complex(dtype) ? part(1) : nullptr};
    }
    static void store(Builder& b, llvm::Value* to, const Value& value) {
        b.ir.CreateStore(b.to_memory(value.re, value.dtype), to);
        if (value.im != nullptr) b.ir.CreateStore(value.im, b.ir.CreateConstGEP1_64(lanes(b, value.dtype), to, 1));
    }

    llvm::LLVMContext context_;
    llvm::Module module_;
};

std::vector<Dtype> all_dtypes() {
    std::vector<Dtype> result;
    for (int i = 0; i < dtype_count; ++i) result.push_back(static_cast<Dtype>(i));
    return result;
}

/// Every op in this dtype, and the casts from it.
void add_all(Kernels& kernels, Dtype dtype) {
    for (int i = 0; i < static_cast<int>(Op::count); ++i) {
        const ops::Info& info = ops::info(static_cast<Op>(i));
        if (info.kind != ops::Kind::map || info.rule == nullptr || !ops::rules::has_loop(*info.rule, dtype)) continue;
        kernels.add(info.op, dtype);
    }
    for (const Dtype to : all_dtypes()) {
        kernels.add("cast_" + std::string(name_of(dtype)) + "_" + std::string(name_of(to)), {dtype},
                    [&](Builder& b, const std::vector<Value>& x) { return b.cast(x[0], to); });
    }
}

std::string ptx_of(Op op, Dtype dtype, int width = 1) {
    Kernels kernels;
    kernels.add(op, dtype, width);
    return kernels.ptx(80);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(nvptx)

BOOST_AUTO_TEST_CASE(every_op_and_cast_assembles) {
    Assembler assembler;
    for (const Dtype dtype : all_dtypes()) {
        for (const int capability : {80, 90}) {
            BOOST_TEST_CONTEXT(name_of(dtype) << " for sm_" << capability) {
                Kernels kernels;
                add_all(kernels, dtype);
                const std::string ptx = kernels.ptx(capability);
                BOOST_TEST(has(ptx, ".target sm_" + std::to_string(capability)));
                BOOST_TEST(!has(ptx, ".extern"));
                BOOST_TEST(!has(ptx, "call."));
                assembler.add(std::string(name_of(dtype)), ptx, capability);
            }
        }
    }
    BOOST_TEST(assembler.complaints() == "");
}

BOOST_AUTO_TEST_CASE(every_device_function_is_there) {
    for (const Dtype dtype : all_dtypes()) {
        for (const Dtype to : all_dtypes()) BOOST_TEST(codegen::has_device_function({codegen::External::Kind::cast, Op::cast, dtype, to}));
    }
    BOOST_TEST(codegen::has_device_function({codegen::External::Kind::span, Op::exp, float32, float32}));
    BOOST_TEST(!codegen::has_device_function({codegen::External::Kind::span, Op::exp, int32, int32}));
    BOOST_TEST(!codegen::has_device_function({codegen::External::Kind::vector, Op::exp, float32, float32}));
    BOOST_TEST(!codegen::has_device_function({codegen::External::Kind::span, Op::sum, float32, float32}));
}

BOOST_AUTO_TEST_CASE(functions_keep_values_in_registers) {
    for (const Op op : {Op::exp,   Op::exp2,      Op::expm1,        Op::log,       Op::log2,          Op::log10,          Op::log1p,
                        Op::tanh,  Op::sinh,      Op::cosh,         Op::arctan,    Op::cbrt,          Op::power,          Op::arctan2,
                        Op::hypot, Op::logaddexp, Op::floor_divide, Op::remainder, Op::modf_fraction, Op::frexp_exponent, Op::nextafter}) {
        for (const Dtype dtype : {float32, float64, float16, bfloat16}) {
            for (const int width : {1, 4}) {
                const std::string ptx = ptx_of(op, dtype, width);
                BOOST_TEST(!has(ptx, ".local"), ops::info(op).name << " " << name_of(dtype));
            }
        }
    }
}

// ptxas would lose a sign: see hide_negations.
BOOST_AUTO_TEST_CASE(minima_and_maxima_are_given_no_negations) {
    Kernels kernels;
    for (const Dtype dtype : {int8, int16, int32, uint16, uint32}) {
        kernels.add("most_" + std::string(name_of(dtype)), {dtype, dtype, dtype}, [&](Builder& b, const std::vector<Value>& x) {
            const auto negative = [&](const Value& each) { return b.map(Op::negative, dtype, dtype, {each}); };
            const Value two = b.map(Op::maximum, dtype, dtype, {negative(x[0]), negative(x[1])});
            return b.map(Op::maximum, dtype, dtype, {two, negative(x[2])});
        });
    }
    const std::string ptx = kernels.ptx(90);
    BOOST_TEST(ptx.find("neg.s") == std::string::npos);
    BOOST_TEST(ptx.find("%ctaid.z") != std::string::npos);
}

// ptxas would negate in 32 bits: see hide_negations.
BOOST_AUTO_TEST_CASE(numbers_of_16_bits_are_not_negated) {
    Kernels kernels;
    for (const Op op : {Op::negative, Op::absolute, Op::sign, Op::floor_divide}) {
        const bool is_binary = op == Op::floor_divide;
        kernels.add("wide_" + std::string(ops::info(op).name), {int16, int16}, [&](Builder& b, const std::vector<Value>& x) {
            const Value narrow = is_binary ? b.map(op, int16, int16, {x[0], x[1]}) : b.map(op, int16, int16, {x[0]});
            return b.cast(narrow, int32);
        });
    }
    const std::string ptx = kernels.ptx(90);
    for (const char* instruction : {"neg.s16", "abs.s16"}) BOOST_TEST(ptx.find(instruction) == std::string::npos, instruction);
}

// ptxas would take them for signed: see hide_sign_extensions.
BOOST_AUTO_TEST_CASE(unsigned_numbers_are_not_seen_to_be_extended) {
    for (const Dtype from : {int8, int16}) {
        for (const Dtype wide : {uint32, uint64}) {
            Kernels kernels;
            kernels.add("chain", {from}, [&](Builder& b, const std::vector<Value>& x) { return b.cast(b.cast(x[0], wide), float32); }, 4);
            BOOST_TEST(has(kernels.ptx(90), "%ctaid.z"), name_of(from) << " " << name_of(wide));
        }
    }
}

BOOST_AUTO_TEST_CASE(arithmetic_is_exact) {
    for (const Dtype dtype : {float32, float64}) {
        const std::string type = dtype == float32 ? "f32" : "f64";
        Kernels kernels;
        kernels.add("contracted", {dtype, dtype, dtype}, [&](Builder& b, const std::vector<Value>& x) {
            return b.map(Op::add, dtype, dtype, {b.map(Op::multiply, dtype, dtype, {x[0], x[1]}), x[2]});
        });
        const std::string sum = kernels.ptx(80);
        BOOST_TEST(!has(sum, "fma"));
        BOOST_TEST(has(sum, "mul.rn." + type));  // .rn: the assembler may not contract either
        BOOST_TEST(has(sum, "add.rn." + type));
        BOOST_TEST(has(ptx_of(Op::divide, dtype), "div.rn." + type));
        BOOST_TEST(has(ptx_of(Op::reciprocal, dtype), "rcp.rn." + type));
        BOOST_TEST(has(ptx_of(Op::sqrt, dtype), "sqrt.rn." + type));
    }
    for (const Op op : {Op::add, Op::multiply, Op::divide, Op::reciprocal, Op::square}) {
        for (const Dtype dtype : {float16, bfloat16, float32, float64, complex64, complex128}) {
            const std::string ptx = ptx_of(op, dtype, 2);
            for (const char* inexact : {"fma", ".approx", ".ftz", ".full"}) BOOST_TEST(!has(ptx, inexact), ops::info(op).name << " " << name_of(dtype));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
