// cuSOLVER, found when the first factor of a matrix is asked for. No header of the toolkit is used; what is declared here is its C interface of the
// versions 11 and 12, which come with CUDA 11 to 13.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "driver.h"

namespace fastnp::cuda {

/// Results that are told apart.
enum SolverStatus : int {
    solver_success = 0,
    solver_invalid_value = 3,
    solver_execution_failed = 6,
    solver_not_supported = 9,
};

/// The functions of libcusolver that are used. Tests fill the table with functions of their own.
struct Solver {
#define FUNCTION(name, symbol, parameters) int(*name) parameters = nullptr;
#define RECENT(name, symbol, parameters) FUNCTION(name, symbol, parameters)
#define FOUR(name, s, d, c, z, parameters) std::array<int(*) parameters, 4> name{};
#include "solver.def"
#undef FOUR
#undef RECENT
#undef FUNCTION

    std::string path;     // the file in use
    std::string problem;  // why there is none, in one line; empty otherwise

    /// The library of this process, loaded by the first call: one that works with the driver.
    static const Solver& get(const Driver& driver);
};

}  // namespace fastnp::cuda
