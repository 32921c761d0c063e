// cuBLASLt, found when the first product of matrices is asked for. No header of the toolkit is used; what is declared here is its C interface of the
// versions 11 to 13.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "driver.h"

namespace fastnp::cuda {

/// cublasLtMatmulAlgo_t: the library's own.
struct BlasAlgorithm {
    std::array<std::uint64_t, 8> data{};
};

/// cublasLtMatmulHeuristicResult_t.
struct BlasChoice {
    BlasAlgorithm algorithm{};
    std::size_t workspace_bytes = 0;
    int status = 0;
    float waves = 0;
    std::array<int, 4> reserved{};
};

/// Results that are told apart.
enum BlasStatus : int {
    blas_success = 0,
    blas_invalid_value = 7,
    blas_arch_mismatch = 8,
    blas_not_supported = 15,
};

/// The functions of libcublasLt that are used. Tests fill the table with functions of their own.
struct Blas {
#define FUNCTION(result, name, symbol, parameters) result(*name) parameters = nullptr;
#include "blas.def"
#undef FUNCTION

    std::string path;     // the file in use
    std::string problem;  // why there is none, in one line; empty otherwise

    /// The library of this process, loaded by the first call: one that works with the driver.
    static const Blas& get(const Driver& driver);
};

}  // namespace fastnp::cuda
