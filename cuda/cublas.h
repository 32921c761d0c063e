// cuBLAS's own interface beside cuBLASLt: triangular systems, and stacks of small matrices. Found with cuSOLVER, when the first factor of a matrix is
// asked for. No header of the toolkit is used; what is declared here is its C interface of the versions 11 to 13.
#pragma once

#include <array>
#include <string>

#include "driver.h"

namespace fastnp::cuda {

/// The functions of libcublas that are used. Tests fill the table with functions of their own.
struct Cublas {
#define FUNCTION(name, symbol, parameters) int(*name) parameters = nullptr;
#define FOUR(name, s, d, c, z, parameters) std::array<int(*) parameters, 4> name{};
#include "cublas.def"
#undef FOUR
#undef FUNCTION

    std::string path;     // the file in use
    std::string problem;  // why there is none, in one line; empty otherwise

    /// The library of this process, loaded by the first call: one that works with the driver.
    static const Cublas& get(const Driver& driver);
};

}  // namespace fastnp::cuda
