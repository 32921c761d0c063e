// cuSOLVER and cuBLAS without a GPU, for tests: over the driver that has none, so work is done when the stream is waited for. They check what they are
// given as the libraries would.
#pragma once

#include <string>
#include <vector>

#include "cuda/cublas.h"
#include "cuda/solver.h"

namespace fastnp::cuda {

/// One at a time, over the newest FakeDriver.
class FakeSolver {
public:
    FakeSolver();
    ~FakeSolver();
    FakeSolver(const FakeSolver&) = delete;
    FakeSolver& operator=(const FakeSolver&) = delete;

    /// As Factorisations::FindSolver and FindCublas: the tables of the newest one.
    static const Solver& find_solver(const Driver& driver);
    static const Cublas& find_cublas(const Driver& driver);

    Solver solver;
    Cublas blas;
    std::size_t workspace = 1000;  // that functions want, on either side
    int status = 0;                // that asking for it gives
    int handles = 0;               // that were not given back
    std::vector<std::string> misuses;
};

}  // namespace fastnp::cuda
