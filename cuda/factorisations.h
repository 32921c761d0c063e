// Factors of matrices, and what is solved with them, by cuSOLVER and cuBLAS.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "context.h"
#include "cublas.h"
#include "device/factorisation.h"
#include "pool.h"
#include "solver.h"
#include "staging.h"

namespace fastnp::cuda {

/// Of one device. Thread-safe. One matrix is cuSOLVER's (in its 64-bit interface, where there is one); a stack of small ones is one call of cuBLAS or
/// cuSOLVER, where these have one.
class Factorisations {
public:
    using FindSolver = const Solver& (*)(const Driver&);
    using FindCublas = const Cublas& (*)(const Driver&);

    /// The libraries are looked for when the first factor is asked for.
    Factorisations(Context& context, Pool& pool, Uploads& uploads, FindSolver find_solver, FindCublas find_cublas)
        : context_(context), pool_(pool), uploads_(uploads), find_solver_(find_solver), find_cublas_(find_cublas) {}
    ~Factorisations();
    Factorisations(const Factorisations&) = delete;
    Factorisations& operator=(const Factorisations&) = delete;

    /// As device::Backend says.
    std::string lacks();
    bool factorise(const device::Factorisation& work);

    /// Those asked for so far.
    std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

private:
    class Call;

    bool start();
    void make_handles();

    Context& context_;
    Pool& pool_;
    Uploads& uploads_;
    const FindSolver find_solver_;
    const FindCublas find_cublas_;
    std::mutex mutex_;  // held while work is asked for: a handle is one thread's at a time
    const Solver* solver_ = nullptr;
    const Cublas* blas_ = nullptr;
    Handle handle_ = nullptr, parameters_ = nullptr, jacobi_ = nullptr, blas_handle_ = nullptr;
    std::string problem_;  // why there are none
    std::atomic<std::uint64_t> count_ = 0;
};

}  // namespace fastnp::cuda
