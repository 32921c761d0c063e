// Elementary functions of vectors, found at run time for the widest instruction set of this machine: the C library's, or xsimd's where it has none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/for_codegen.h"
#include "eager/isa.h"
#include "fastnp/dtype.h"
#include "ir/op.h"

namespace fastnp::eager {

struct VectorFunction {
    std::string symbol;       // "_ZGVeN16v_expf"; xsimd's: "fastnp_xsimd_eN16v_expf"
    void* address = nullptr;  // takes and returns vectors of `lanes` elements in registers
    int lanes = 0;
    int operands = 0;
};

/// For float32 or float64; null where neither has it.
FASTNP_FOR_CODEGEN const VectorFunction* vector_function(ir::Op op, Dtype dtype);
/// The same of a lower level, for code that was made for it.
FASTNP_FOR_CODEGEN const VectorFunction* vector_function(ir::Op op, Dtype dtype, Isa level);

/// Whether xsimd's functions are used wherever it has one: FASTNP_VECTOR_MATH=xsimd. (libmvec: the C library's alone. Throws ValueError for another word.)
enum class VectorMath : std::uint8_t { either, xsimd, libmvec };
FASTNP_FOR_CODEGEN VectorMath vector_math();

/// Runs one over contiguous elements; the last, partial vector is filled up with its first element.
void run_vector_function(const VectorFunction& function, Dtype dtype, const void* const* operands, void* out, std::int64_t count);

}  // namespace fastnp::eager
