#include "factorisations.h"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <exception>
#include <limits>
#include <vector>

#include "fastnp/error.h"
#include "workspace.h"

namespace fastnp::cuda {

using device::Factorisation;
using device::InColumns;
using Kind = Factorisation::Kind;
using Vectors = Factorisation::Vectors;

namespace {

constexpr std::int64_t largest_of_stack = 256;  // rows from which a call for each matrix is as quick
constexpr std::int64_t most_at_once = 1 << 14;   // matrices of a stack: some functions take no more than twice as many
constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

// The libraries' numbers for element types, and for the place of a type among four functions.
int type_of(Dtype dtype) {
    const bool is_double = real_of(dtype) == Dtype::float64;
    return (is_complex(dtype) ? 4 : 0) + (is_double ? 1 : 0);
}
std::size_t place_of(Dtype dtype) { return (is_complex(dtype) ? 2U : 0U) + (real_of(dtype) == Dtype::float64 ? 1U : 0U); }

// 1 in all four types, the imaginary parts those of complex ones.
struct Ones {
    std::complex<float> single = 1;
    std::complex<double> wide = 1;
};
constexpr Ones ones;
const void* one_of(Dtype dtype) { return real_of(dtype) == Dtype::float64 ? static_cast<const void*>(&ones.wide) : &ones.single; }

// So that there is an address, also where a function wants no memory.
std::size_t at_least_one(std::size_t bytes) { return std::max<std::size_t>(bytes, 1); }

int int_of(std::int64_t size) { return static_cast<int>(size); }

}  // namespace

// One call of a library.
class Factorisations::Call {
public:
    Call(Factorisations& owner, const Factorisation& work)
        : owner_(owner), solver_(*owner.solver_), work_(work), type_(type_of(work.dtype)), place_(place_of(work.dtype)), triangle_(work.lower ? 0 : 1) {}

    // False where the library has none.
    bool run() {
        if (work_.count > 1) return is_small_stack() && run_stack();
        switch (work_.kind) {
            case Kind::lu: return lu();
            case Kind::lu_solve: return lu_solve();
            case Kind::cholesky: return cholesky();
            case Kind::triangular_solve: return triangular_solve();
            case Kind::qr: return qr();
            case Kind::householder: return householder();
            case Kind::hermitian: return hermitian();
            case Kind::general: return general();
            case Kind::singular: return singular();
        }
        return false;
    }

private:
    bool is_small_stack() const { return std::max({work_.rows, work_.columns}) <= largest_of_stack && std::max(work_.count, work_.sides) <= most; }

    bool run_stack() {
        switch (work_.kind) {
            case Kind::lu: return lu_stack();
            case Kind::lu_solve: return lu_solve_stack();
            case Kind::cholesky: return cholesky_stack();
            case Kind::triangular_solve: return triangular_solve_stack();
            case Kind::hermitian: return hermitian_stack();
            case Kind::singular: return singular_stack();
            default: return false;
        }
    }

    void check(int status, const char* library, const char* function) const {
        if (status == solver_success) [[likely]]
            return;
        throw DeviceError("device '" + owner_.context_.name() + "': " + function + " failed: " + library + "'s error " + std::to_string(status));
    }
    void check_solver(int status, const char* function) const { check(status, "cuSOLVER", function); }
    bool is_done(int status, const char* function) const {
        check(status, "cuBLAS", function);
        return true;
    }

    // Asks how much memory a function works in, on the device and on the host, and calls it. What it says of its arguments and of the matrix is an int on
    // the device, for those who ask for it.
    template <class Ask, class Do>
    bool with_workspace(const char* function, Ask ask, Do run) {
        std::size_t bytes = 0;
        std::size_t host_bytes = 0;
        const int status = ask(&bytes, &host_bytes);
        const bool has_none = status == solver_not_supported || (status == solver_invalid_value && work_.count > 1);  // stacks of some sizes
        if (has_none) return false;
        check_solver(status, function);
        const Workspace workspace(owner_.pool_, at_least_one(bytes)), unread(owner_.pool_, sizeof(int));
        std::vector<std::byte> host(at_least_one(host_bytes));
        int* const failure = static_cast<int*>(work_.failures != nullptr ? work_.failures : unread.get());
        note_failure(run(workspace.get(), bytes, host.data(), host_bytes, failure), function);
        return true;
    }

    // Of matrices with elements that are no numbers, some versions say that they could not be computed at all.
    void note_failure(int status, const char* function) {
        if (status != solver_execution_failed || work_.failures == nullptr) return check_solver(status, function);
        Context& context = owner_.context_;
        const auto address = static_cast<Address>(reinterpret_cast<std::uintptr_t>(work_.failures));
        context.check(context.driver().memory_set(address, 1, static_cast<std::size_t>(work_.count) * sizeof(int), context.stream()), "cuMemsetD8Async");
    }

    bool cholesky() {
        return with_workspace(
            "cusolverDnXpotrf",
            [&](std::size_t* bytes, std::size_t* host_bytes) {
                return solver_.cholesky_bytes(owner_.handle_, owner_.parameters_, triangle_, work_.rows, type_, work_.a.data, work_.a.leading, type_,
                                              bytes, host_bytes);
            },
            [&](void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
                return solver_.cholesky(owner_.handle_, owner_.parameters_, triangle_, work_.rows, type_, work_.a.data, work_.a.leading, type_, workspace,
                                        bytes, host, host_bytes, failure);
            });
    }

    bool lu() {
        return with_workspace(
            "cusolverDnXgetrf",
            [&](std::size_t* bytes, std::size_t* host_bytes) {
                return solver_.lu_bytes(owner_.handle_, owner_.parameters_, work_.rows, work_.columns, type_, work_.a.data, work_.a.leading, type_, bytes,
                                        host_bytes);
            },
            [&](void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
                return solver_.lu(owner_.handle_, owner_.parameters_, work_.rows, work_.columns, type_, work_.a.data, work_.a.leading,
                                  static_cast<std::int64_t*>(work_.numbers), type_, workspace, bytes, host, host_bytes, failure);
            });
    }

    bool lu_solve() {
        const Workspace unread(owner_.pool_, sizeof(int));
        check_solver(solver_.lu_solve(owner_.handle_, owner_.parameters_, static_cast<int>(work_.form), work_.rows, work_.sides, type_, work_.a.data,
                                      work_.a.leading, static_cast<const std::int64_t*>(work_.numbers), type_, work_.b.data, work_.b.leading,
                                      static_cast<int*>(unread.get())),
                     "cusolverDnXgetrs");
        return true;
    }

    bool triangular_solve() {
        if (std::max({work_.rows, work_.sides, work_.a.leading, work_.b.leading}) > most) return false;
        constexpr int left = 0;
        return is_done(owner_.blas_->triangular_solve[place_](owner_.blas_handle_, left, triangle_, static_cast<int>(work_.form), work_.unit ? 1 : 0,
                                                              int_of(work_.rows), int_of(work_.sides), one_of(work_.dtype), work_.a.data,
                                                              int_of(work_.a.leading), work_.b.data, int_of(work_.b.leading)),
                       "cublasXtrsm");
    }

    bool qr() {
        return with_workspace(
            "cusolverDnXgeqrf",
            [&](std::size_t* bytes, std::size_t* host_bytes) {
                return solver_.qr_bytes(owner_.handle_, owner_.parameters_, work_.rows, work_.columns, type_, work_.a.data, work_.a.leading, type_,
                                        work_.numbers, type_, bytes, host_bytes);
            },
            [&](void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
                return solver_.qr(owner_.handle_, owner_.parameters_, work_.rows, work_.columns, type_, work_.a.data, work_.a.leading, type_,
                                  work_.numbers, type_, workspace, bytes, host, host_bytes, failure);
            });
    }

    bool householder() {
        if (std::max({work_.rows, work_.columns, work_.a.leading}) > most) return false;
        const int rows = int_of(work_.rows), columns = int_of(work_.columns), reflections = int_of(work_.sides), leading = int_of(work_.a.leading);
        int elements = 0;
        check_solver(solver_.householder_size[place_](owner_.handle_, rows, columns, reflections, work_.a.data, leading, work_.numbers, &elements),
                     "cusolverDnXorgqr_bufferSize");
        const Workspace workspace(owner_.pool_, at_least_one(static_cast<std::size_t>(elements) * itemsize_of(work_.dtype)));
        const Workspace unread(owner_.pool_, sizeof(int));
        check_solver(solver_.householder[place_](owner_.handle_, rows, columns, reflections, work_.a.data, leading, work_.numbers, workspace.get(),
                                                 elements, static_cast<int*>(unread.get())),
                     "cusolverDnXorgqr");
        return true;
    }

    bool hermitian() {
        const int vectors = work_.vectors == Vectors::none ? 0 : 1, real = type_of(real_of(work_.dtype));
        return with_workspace(
            "cusolverDnXsyevd",
            [&](std::size_t* bytes, std::size_t* host_bytes) {
                return solver_.hermitian_bytes(owner_.handle_, owner_.parameters_, vectors, triangle_, work_.rows, type_, work_.a.data, work_.a.leading,
                                               real, work_.numbers, type_, bytes, host_bytes);
            },
            [&](void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
                return solver_.hermitian(owner_.handle_, owner_.parameters_, vectors, triangle_, work_.rows, type_, work_.a.data, work_.a.leading, real,
                                         work_.numbers, type_, workspace, bytes, host, host_bytes, failure);
            });
    }

    // No left vectors. Real matrices are computed in real numbers; their eigenvalues are asked for as complex ones all the same.
    bool general() {
        if (solver_.general == nullptr || solver_.general_bytes == nullptr) return false;
        const int vectors = work_.vectors == Vectors::none ? 0 : 1, values = type_of(complex_of(work_.dtype));
        void* const right = vectors == 0 ? nullptr : work_.b.data;
        const std::int64_t leading = vectors == 0 ? work_.rows : work_.b.leading;
        return with_workspace(
            "cusolverDnXgeev",
            [&](std::size_t* bytes, std::size_t* host_bytes) {
                return solver_.general_bytes(owner_.handle_, owner_.parameters_, 0, vectors, work_.rows, type_, work_.a.data, work_.a.leading, values,
                                             work_.numbers, type_, nullptr, work_.rows, type_, right, leading, type_, bytes, host_bytes);
            },
            [&](void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
                return solver_.general(owner_.handle_, owner_.parameters_, 0, vectors, work_.rows, type_, work_.a.data, work_.a.leading, values,
                                       work_.numbers, type_, nullptr, work_.rows, type_, right, leading, type_, workspace, bytes, host, host_bytes,
                                       failure);
            });
    }

    bool singular() {
        const signed char job = work_.vectors == Vectors::none ? 'N' : work_.vectors == Vectors::few ? 'S' : 'A';
        const int real = type_of(real_of(work_.dtype));
        const InColumns &a = work_.a, &u = work_.b, &v = work_.v;
        return with_workspace(
            "cusolverDnXgesvd",
            [&](std::size_t* bytes, std::size_t* host_bytes) {
                return solver_.singular_bytes(owner_.handle_, owner_.parameters_, job, job, work_.rows, work_.columns, type_, a.data, a.leading, real,
                                              work_.numbers, type_, u.data, u.leading, type_, v.data, v.leading, type_, bytes, host_bytes);
            },
            [&](void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
                return solver_.singular(owner_.handle_, owner_.parameters_, job, job, work_.rows, work_.columns, type_, a.data, a.leading, real,
                                        work_.numbers, type_, u.data, u.leading, type_, v.data, v.leading, type_, workspace, bytes, host, host_bytes,
                                        failure);
            });
    }

    // The addresses of a stack's matrices, on the device: used by what is asked for next.
    class Addresses {
    public:
        Addresses(Factorisations& owner, const Factorisation& work, const InColumns& matrices)
            : there_(owner.pool_, static_cast<std::size_t>(work.count) * sizeof(Address)) {
            std::vector<Address> addresses(static_cast<std::size_t>(work.count));
            const auto step = static_cast<Address>(matrices.step) * itemsize_of(work.dtype);
            for (std::size_t i = 0; i < addresses.size(); ++i) addresses[i] = reinterpret_cast<std::uintptr_t>(matrices.data) + i * step;
            owner.uploads_.copy(reinterpret_cast<std::uintptr_t>(there_.get()), reinterpret_cast<const std::byte*>(addresses.data()),
                                addresses.size() * sizeof(Address));
        }
        void* get() const { return there_.get(); }

    private:
        Workspace there_;
    };

    bool cholesky_stack() {
        const Addresses a(owner_, work_, work_.a);
        note_failure(solver_.cholesky_stack[place_](owner_.handle_, triangle_, int_of(work_.rows), a.get(), int_of(work_.a.leading),
                                                    static_cast<int*>(work_.failures), int_of(work_.count)),
                     "cusolverDnXpotrfBatched");
        return true;
    }

    bool lu_stack() {
        const Addresses a(owner_, work_, work_.a);
        const Workspace unread(owner_.pool_, static_cast<std::size_t>(work_.count) * sizeof(int));
        return is_done(owner_.blas_->lu_stack[place_](owner_.blas_handle_, int_of(work_.rows), a.get(), int_of(work_.a.leading),
                                                      static_cast<int*>(work_.numbers), static_cast<int*>(unread.get()), int_of(work_.count)),
                       "cublasXgetrfBatched");
    }

    bool lu_solve_stack() {
        const Addresses a(owner_, work_, work_.a), b(owner_, work_, work_.b);
        int problem = 0;
        return is_done(owner_.blas_->lu_solve_stack[place_](owner_.blas_handle_, static_cast<int>(work_.form), int_of(work_.rows), int_of(work_.sides),
                                                            a.get(), int_of(work_.a.leading), static_cast<const int*>(work_.numbers), b.get(),
                                                            int_of(work_.b.leading), &problem, int_of(work_.count)),
                       "cublasXgetrsBatched");
    }

    bool triangular_solve_stack() {
        const Addresses a(owner_, work_, work_.a), b(owner_, work_, work_.b);
        constexpr int left = 0;
        return is_done(owner_.blas_->triangular_solve_stack[place_](owner_.blas_handle_, left, triangle_, static_cast<int>(work_.form), work_.unit ? 1 : 0,
                                                                    int_of(work_.rows), int_of(work_.sides), one_of(work_.dtype), a.get(),
                                                                    int_of(work_.a.leading), b.get(), int_of(work_.b.leading), int_of(work_.count)),
                       "cublasXtrsmBatched");
    }

    bool hermitian_stack() {
        if (solver_.hermitian_stack == nullptr || solver_.hermitian_stack_bytes == nullptr || work_.a.step != work_.rows * work_.a.leading) return false;
        const int vectors = work_.vectors == Vectors::none ? 0 : 1, real = type_of(real_of(work_.dtype));
        return with_workspace(
            "cusolverDnXsyevBatched",
            [&](std::size_t* bytes, std::size_t* host_bytes) {
                return solver_.hermitian_stack_bytes(owner_.handle_, owner_.parameters_, vectors, triangle_, work_.rows, type_, work_.a.data,
                                                     work_.a.leading, real, work_.numbers, type_, bytes, host_bytes, work_.count);
            },
            [&](void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failures) {
                return solver_.hermitian_stack(owner_.handle_, owner_.parameters_, vectors, triangle_, work_.rows, type_, work_.a.data, work_.a.leading,
                                               real, work_.numbers, type_, workspace, bytes, host, host_bytes, failures, work_.count);
            });
    }

    // By Jacobi's method, which goes on until rotations change nothing in the dtype's precision.
    bool singular_stack() {
        if (work_.rows > Factorisation::singular_stack_rows) return false;
        const int vectors = work_.vectors == Vectors::none ? 0 : 1, rows = int_of(work_.rows), columns = int_of(work_.columns),
                  count = int_of(work_.count);
        int elements = 0;
        check_solver(solver_.singular_stack_size[place_](owner_.handle_, vectors, rows, columns, work_.a.data, rows, work_.numbers, work_.b.data, rows,
                                                         work_.v.data, columns, &elements, owner_.jacobi_, count),
                     "cusolverDnXgesvdjBatched_bufferSize");
        const Workspace workspace(owner_.pool_, at_least_one(static_cast<std::size_t>(elements) * itemsize_of(work_.dtype)));
        note_failure(
            solver_.singular_stack[place_](owner_.handle_, vectors, rows, columns, work_.a.data, rows, work_.numbers, work_.b.data, rows, work_.v.data,
                                           columns, workspace.get(), elements, static_cast<int*>(work_.failures), owner_.jacobi_, count),
            "cusolverDnXgesvdjBatched");
        return true;
    }

    Factorisations& owner_;
    const Solver& solver_;
    const Factorisation& work_;
    const int type_;
    const std::size_t place_;
    const int triangle_;
};

Factorisations::~Factorisations() {
    if (handle_ == nullptr || !context_.is_usable()) return;
    try {
        context_.synchronize();
        const Current current(context_);
        solver_->jacobi_destroy(jacobi_);
        solver_->parameters_destroy(parameters_);
        solver_->destroy(handle_);
        blas_->destroy(blas_handle_);
    } catch (const std::exception&) {  // NOLINT: the context is gone, and what the libraries had there
    }
}

void Factorisations::make_handles() {
    const Current current(context_);
    const auto check = [&](int status, const std::string& what) {
        if (status != solver_success && problem_.empty()) problem_ = what + ": error " + std::to_string(status);
    };
    const auto created = [&](const auto& create) {
        if (const int status = create(); status == solver_success) return status;
        context_.make_room();  // it had no memory, it may be, which the pool keeps
        return static_cast<int>(create());
    };
    check(created([&] { return solver_->create(&handle_); }), "cuSOLVER does not start (" + solver_->path + ")");
    if (!problem_.empty()) {
        handle_ = nullptr;
        return;
    }
    check(created([&] { return solver_->parameters_create(&parameters_); }), "cuSOLVER does not start (" + solver_->path + ")");
    check(created([&] { return solver_->jacobi_create(&jacobi_); }), "cuSOLVER does not start (" + solver_->path + ")");
    check(solver_->set_stream(handle_, context_.stream()), "cuSOLVER does not take a stream (" + solver_->path + ")");
    check(created([&] { return blas_->create(&blas_handle_); }), "cuBLAS does not start (" + blas_->path + ")");
    if (problem_.empty()) check(blas_->set_stream(blas_handle_, context_.stream()), "cuBLAS does not take a stream (" + blas_->path + ")");
}

// Whether the libraries are there, and started on this device. Asked for under the lock.
bool Factorisations::start() {
    if (handle_ != nullptr || !problem_.empty()) return problem_.empty();
    solver_ = &find_solver_(context_.driver());
    problem_ = solver_->problem;
    if (!problem_.empty()) return false;
    blas_ = &find_cublas_(context_.driver());
    problem_ = blas_->problem;
    if (!problem_.empty()) return false;
    make_handles();
    return problem_.empty();
}

std::string Factorisations::lacks() {
    const std::scoped_lock lock(mutex_);
    start();
    return problem_;
}

bool Factorisations::factorise(const Factorisation& work) {
    const std::scoped_lock lock(mutex_);
    if (!start()) return false;
    const Current current(context_);
    const std::int64_t parts = (work.count + most_at_once - 1) / most_at_once;  // of several, no part is a single matrix
    for (std::int64_t i = 0; i < parts; ++i) {
        const std::int64_t first = work.count * i / parts;
        const Factorisation part = parts == 1 ? work : device::part_of(work, first, work.count * (i + 1) / parts - first);
        if (!Call(*this, part).run()) return false;
    }
    count_.fetch_add(1, std::memory_order_relaxed);
    return true;
}

}  // namespace fastnp::cuda
