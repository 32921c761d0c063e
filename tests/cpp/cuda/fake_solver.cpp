#include "cuda/fake_solver.h"

#include <complex>
#include <cstring>

#include "cuda/fake_driver.h"
#include "eager/eager.h"
#include "simulated/factorise.h"

namespace fastnp::cuda {

using device::Factorisation;
using device::InColumns;
using Kind = Factorisation::Kind;
using Vectors = Factorisation::Vectors;

namespace {

FakeSolver* now = nullptr;

void require(bool holds, const std::string& what) {
    if (!holds) now->misuses.push_back(what);
}

constexpr Dtype dtypes[] = {float32, float64, complex64, complex128};

Dtype dtype_of_type(int type) { return type == 0 ? float32 : type == 1 ? float64 : type == 4 ? complex64 : complex128; }
Dtype real_type(int type) { return type == 0 ? float32 : float64; }

InColumns matrix(const void* data, std::int64_t leading) { return {const_cast<void*>(data), leading, 0}; }

Factorisation work_of(Kind kind, Dtype dtype, std::int64_t rows, std::int64_t columns, const InColumns& a) {
    Factorisation work;
    work.kind = kind;
    work.dtype = dtype;
    work.rows = rows;
    work.columns = columns;
    work.a = a;
    return work;
}

int ask(const char* function, const Factorisation& work, const void* failure) {
    const std::string problem = simulated::problem_of(work);
    require(problem.empty(), problem);
    for (const auto& [memory, bytes] : simulated::touched_by(work)) require(FakeDriver::owns(memory, bytes), "memory that is not all on the device");
    require(failure == nullptr || FakeDriver::owns(failure, sizeof(int)), "no place for what failed");
    return FakeDriver::call(function, [work, failure] {
        if (work.failures == nullptr && failure != nullptr) std::memset(const_cast<void*>(failure), 0, sizeof(int));
        simulated::factorise_on_host(work);
        return 0;
    });
}

// Matrices at addresses that are on the device, once that work is done.
InColumns stack(const void* addresses, int leading, int count, Dtype dtype) {
    std::vector<std::uint64_t> at(static_cast<std::size_t>(count));
    std::memcpy(at.data(), addresses, at.size() * sizeof at[0]);
    const std::uint64_t step = at[1] - at[0];
    for (std::size_t i = 1; i < at.size(); ++i) require(at[i] - at[i - 1] == step, "a stack at unequal distances");
    return {reinterpret_cast<void*>(at[0]), leading, static_cast<std::int64_t>(step / itemsize_of(dtype))};
}

// `make` gives the work, once the addresses are there.
template <class Make>
int ask_stack(const char* function, const void* addresses, int count, Make make) {
    require(count > 1 && FakeDriver::owns(addresses, static_cast<std::size_t>(count) * 8), "no addresses on the device");
    return FakeDriver::call(function, [make] {
        const Factorisation work = make();
        const std::string problem = simulated::problem_of(work);
        require(problem.empty(), problem);
        simulated::factorise_on_host(work);
        return 0;
    });
}

int wants(std::size_t* bytes, std::size_t* host_bytes) {
    *bytes = *host_bytes = now->workspace;
    return now->status;
}

void check_workspace(Handle parameters, void* workspace, std::size_t bytes, void* host, std::size_t host_bytes) {
    require(parameters != nullptr, "no parameters");
    require(bytes == now->workspace && FakeDriver::owns(workspace, bytes), "no workspace");
    require(host_bytes == now->workspace && host != nullptr && !FakeDriver::owns(host, 1), "no workspace on the host");
    if (host != nullptr) std::memset(host, 0x55, host_bytes);
}

void single_matrices(Solver& table) {
    table.cholesky_bytes = [](Handle, Handle, int, std::int64_t, int, const void*, std::int64_t, int, std::size_t* bytes, std::size_t* host) {
        return wants(bytes, host);
    };
    table.cholesky = [](Handle, Handle parameters, int triangle, std::int64_t n, int type, void* a, std::int64_t leading, int compute, void* workspace,
                        std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
        check_workspace(parameters, workspace, bytes, host, host_bytes);
        require(compute == type, "computed in another type");
        Factorisation work = work_of(Kind::cholesky, dtype_of_type(type), n, n, matrix(a, leading));
        work.lower = triangle == 0;
        work.failures = failure;
        return ask("cusolverDnXpotrf", work, failure);
    };
    table.lu_bytes = [](Handle, Handle, std::int64_t, std::int64_t, int, const void*, std::int64_t, int, std::size_t* bytes, std::size_t* host) {
        return wants(bytes, host);
    };
    table.lu = [](Handle, Handle parameters, std::int64_t rows, std::int64_t columns, int type, void* a, std::int64_t leading, std::int64_t* pivots, int,
                  void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
        check_workspace(parameters, workspace, bytes, host, host_bytes);
        Factorisation work = work_of(Kind::lu, dtype_of_type(type), rows, columns, matrix(a, leading));
        work.numbers = pivots;
        return ask("cusolverDnXgetrf", work, failure);
    };
    table.lu_solve = [](Handle, Handle, int form, std::int64_t n, std::int64_t sides, int type, const void* a, std::int64_t leading,
                        const std::int64_t* pivots, int b_type, void* b, std::int64_t b_leading, int* failure) {
        require(b_type == type, "a right side of another type");
        Factorisation work = work_of(Kind::lu_solve, dtype_of_type(type), n, n, matrix(a, leading));
        work.sides = sides;
        work.b = matrix(b, b_leading);
        work.numbers = const_cast<std::int64_t*>(pivots);
        work.form = static_cast<Factorisation::Form>(form);
        return ask("cusolverDnXgetrs", work, failure);
    };
    table.qr_bytes = [](Handle, Handle, std::int64_t, std::int64_t, int, const void*, std::int64_t, int, const void*, int, std::size_t* bytes,
                        std::size_t* host) { return wants(bytes, host); };
    table.qr = [](Handle, Handle parameters, std::int64_t rows, std::int64_t columns, int type, void* a, std::int64_t leading, int factors_type,
                  void* factors, int, void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
        check_workspace(parameters, workspace, bytes, host, host_bytes);
        require(factors_type == type, "factors of another type");
        Factorisation work = work_of(Kind::qr, dtype_of_type(type), rows, columns, matrix(a, leading));
        work.numbers = factors;
        return ask("cusolverDnXgeqrf", work, failure);
    };
}

void spectral(Solver& table) {
    table.hermitian_bytes = [](Handle, Handle, int, int, std::int64_t, int, const void*, std::int64_t, int, const void*, int, std::size_t* bytes,
                               std::size_t* host) { return wants(bytes, host); };
    table.hermitian = [](Handle, Handle parameters, int vectors, int triangle, std::int64_t n, int type, void* a, std::int64_t leading, int values_type,
                         void* values, int, void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
        check_workspace(parameters, workspace, bytes, host, host_bytes);
        Factorisation work = work_of(Kind::hermitian, dtype_of_type(type), n, n, matrix(a, leading));
        require(real_type(values_type) == real_of(work.dtype), "eigenvalues of another type");
        work.vectors = vectors == 0 ? Vectors::none : Vectors::all;
        work.lower = triangle == 0;
        work.numbers = values;
        work.failures = failure;
        return ask("cusolverDnXsyevd", work, failure);
    };
    table.hermitian_stack_bytes = [](Handle, Handle, int, int, std::int64_t, int, const void*, std::int64_t, int, const void*, int, std::size_t* bytes,
                                     std::size_t* host, std::int64_t) { return wants(bytes, host); };
    table.hermitian_stack = [](Handle, Handle parameters, int vectors, int triangle, std::int64_t n, int type, void* a, std::int64_t leading,
                               int values_type, void* values, int, void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failures,
                               std::int64_t count) {
        check_workspace(parameters, workspace, bytes, host, host_bytes);
        Factorisation work = work_of(Kind::hermitian, dtype_of_type(type), n, n, {a, leading, n * leading});
        require(real_type(values_type) == real_of(work.dtype), "eigenvalues of another type");
        work.count = count;
        work.vectors = vectors == 0 ? Vectors::none : Vectors::all;
        work.lower = triangle == 0;
        work.numbers = values;
        work.failures = failures;
        return ask("cusolverDnXsyevBatched", work, failures);
    };
    table.general_bytes = [](Handle, Handle, int, int, std::int64_t, int, const void*, std::int64_t, int, const void*, int, const void*, std::int64_t, int,
                             const void*, std::int64_t, int, std::size_t* bytes, std::size_t* host) { return wants(bytes, host); };
    table.general = [](Handle, Handle parameters, int left, int right, std::int64_t n, int type, void* a, std::int64_t leading, int values_type,
                       void* values, int left_type, void* left_vectors, std::int64_t left_leading, int right_type, void* right_vectors,
                       std::int64_t right_leading, int compute, void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
        check_workspace(parameters, workspace, bytes, host, host_bytes);
        require(left == 0 && left_vectors == nullptr && left_type == type && left_leading >= n, "left vectors");
        require(right_type == type && compute == type, "vectors of another type");
        Factorisation work = work_of(Kind::general, dtype_of_type(type), n, n, matrix(a, leading));
        require(values_type >= 4 && dtype_of_type(values_type) == complex_of(work.dtype), "eigenvalues of another type");
        work.vectors = right == 0 ? Vectors::none : Vectors::all;
        work.b = matrix(right_vectors, right_leading);
        work.numbers = values;
        work.failures = failure;
        return ask("cusolverDnXgeev", work, failure);
    };
    table.singular_bytes = [](Handle, Handle, signed char, signed char, std::int64_t, std::int64_t, int, const void*, std::int64_t, int, const void*, int,
                              const void*, std::int64_t, int, const void*, std::int64_t, int, std::size_t* bytes,
                              std::size_t* host) { return wants(bytes, host); };
    table.singular = [](Handle, Handle parameters, signed char u_job, signed char v_job, std::int64_t rows, std::int64_t columns, int type, void* a,
                        std::int64_t leading, int values_type, void* values, int u_type, void* u, std::int64_t u_leading, int v_type, void* v,
                        std::int64_t v_leading, int, void* workspace, std::size_t bytes, void* host, std::size_t host_bytes, int* failure) {
        check_workspace(parameters, workspace, bytes, host, host_bytes);
        require(u_job == v_job && u_type == type && v_type == type, "vectors of two kinds");
        Factorisation work = work_of(Kind::singular, dtype_of_type(type), rows, columns, matrix(a, leading));
        require(real_type(values_type) == real_of(work.dtype), "singular values of another type");
        work.vectors = u_job == 'N' ? Vectors::none : u_job == 'S' ? Vectors::few : Vectors::all;
        work.b = matrix(u, u_leading);
        work.v = matrix(v, v_leading);
        work.numbers = values;
        work.failures = failure;
        return ask("cusolverDnXgesvd", work, failure);
    };
}

// What there is for each element type.
template <std::size_t P>
struct Typed {
    static constexpr Dtype dtype = dtypes[P];

    static Factorisation triangle_of(int side, int triangle, int form, int unit, int rows, int columns, const void* alpha) {
        std::complex<double> scale;
        eager::copy({const_cast<void*>(alpha), dtype, {}, {}}, {&scale, complex128, {}, {}});
        require(side == 0 && scale == 1.0, "another scale, or from the right");
        Factorisation work = work_of(Kind::triangular_solve, dtype, rows, rows, {});
        work.sides = columns;
        work.lower = triangle == 0;
        work.form = static_cast<Factorisation::Form>(form);
        work.unit = unit == 1;
        return work;
    }
    static int triangular_solve(Handle, int side, int triangle, int form, int unit, int rows, int columns, const void* alpha, const void* a, int a_leading,
                                void* b, int b_leading) {
        Factorisation work = triangle_of(side, triangle, form, unit, rows, columns, alpha);
        work.a = matrix(a, a_leading);
        work.b = matrix(b, b_leading);
        return ask("cublasXtrsm", work, nullptr);
    }
    static int triangular_solve_stack(Handle, int side, int triangle, int form, int unit, int rows, int columns, const void* alpha, const void* a,
                                      int a_leading, void* b, int b_leading, int count) {
        const Factorisation work = triangle_of(side, triangle, form, unit, rows, columns, alpha);
        return ask_stack("cublasXtrsmBatched", a, count, [=] {
            Factorisation made = work;
            made.count = count;
            made.a = stack(a, a_leading, count, dtype);
            made.b = stack(b, b_leading, count, dtype);
            return made;
        });
    }
    static int lu_stack(Handle, int n, void* a, int leading, int* pivots, int* failures, int count) {
        require(FakeDriver::owns(failures, static_cast<std::size_t>(count) * sizeof(int)), "no place for what failed");
        return ask_stack("cublasXgetrfBatched", a, count, [=] {
            Factorisation made = work_of(Kind::lu, dtype, n, n, stack(a, leading, count, dtype));
            made.count = count;
            made.numbers = pivots;
            return made;
        });
    }
    static int lu_solve_stack(Handle, int form, int n, int sides, const void* a, int a_leading, const int* pivots, void* b, int b_leading, int* problem,
                              int count) {
        *problem = 0;
        return ask_stack("cublasXgetrsBatched", a, count, [=] {
            Factorisation made = work_of(Kind::lu_solve, dtype, n, n, stack(a, a_leading, count, dtype));
            made.count = count;
            made.sides = sides;
            made.form = static_cast<Factorisation::Form>(form);
            made.b = stack(b, b_leading, count, dtype);
            made.numbers = const_cast<int*>(pivots);
            return made;
        });
    }
    static int cholesky_stack(Handle, int triangle, int n, void* a, int leading, int* failures, int count) {
        return ask_stack("cusolverDnXpotrfBatched", a, count, [=] {
            Factorisation made = work_of(Kind::cholesky, dtype, n, n, stack(a, leading, count, dtype));
            made.count = count;
            made.lower = triangle == 0;
            made.failures = failures;
            return made;
        });
    }
    static int singular_stack_size(Handle, int, int, int, const void*, int, const void*, const void*, int, const void*, int, int* elements, Handle, int) {
        *elements = static_cast<int>(now->workspace);
        return now->status;
    }
    static int singular_stack(Handle, int vectors, int rows, int columns, void* a, int leading, void* values, void* u, int u_leading, void* v,
                              int v_leading, void* workspace, int elements, int* failures, Handle jacobi, int count) {
        require(jacobi != nullptr && FakeDriver::owns(workspace, static_cast<std::size_t>(elements) * itemsize_of(dtype)), "no workspace");
        Factorisation work = work_of(Kind::singular, dtype, rows, columns, {a, leading, static_cast<std::int64_t>(leading) * columns});
        work.count = count;
        work.vectors = vectors == 0 ? Vectors::none : Vectors::all;
        work.b = {u, u_leading, static_cast<std::int64_t>(u_leading) * rows};
        work.v = {v, v_leading, static_cast<std::int64_t>(v_leading) * columns};
        work.numbers = values;
        work.failures = failures;
        return ask("cusolverDnXgesvdjBatched", work, failures);
    }
    static int householder_size(Handle, int, int, int, const void*, int, const void*, int* elements) {
        *elements = static_cast<int>(now->workspace);
        return now->status;
    }
    static int householder(Handle, int rows, int columns, int reflections, void* a, int leading, const void* factors, void* workspace, int elements,
                           int* failure) {
        require(FakeDriver::owns(workspace, static_cast<std::size_t>(elements) * itemsize_of(dtype)), "no workspace");
        Factorisation work = work_of(Kind::householder, dtype, rows, columns, matrix(a, leading));
        work.sides = reflections;
        work.numbers = const_cast<void*>(factors);
        return ask("cusolverDnXorgqr", work, failure);
    }
};

template <std::size_t... P>
void typed(Solver& solver, Cublas& blas, std::index_sequence<P...>) {
    blas.triangular_solve = {&Typed<P>::triangular_solve...};
    blas.triangular_solve_stack = {&Typed<P>::triangular_solve_stack...};
    blas.lu_stack = {&Typed<P>::lu_stack...};
    blas.lu_solve_stack = {&Typed<P>::lu_solve_stack...};
    solver.cholesky_stack = {&Typed<P>::cholesky_stack...};
    solver.singular_stack_size = {&Typed<P>::singular_stack_size...};
    solver.singular_stack = {&Typed<P>::singular_stack...};
    solver.householder_size = {&Typed<P>::householder_size...};
    solver.householder = {&Typed<P>::householder...};
}

int make(Handle* handle) {
    ++now->handles;
    *handle = now;
    return 0;
}

int give_back(Handle) {
    --now->handles;
    return 0;
}

int set_stream(Handle, Handle stream) {
    require(stream != nullptr, "no stream");
    return 0;
}

}  // namespace

FakeSolver::FakeSolver() {
    now = this;
    solver.path = blas.path = "libfake.so";
    solver.create = [](Handle* handle) {
        make(handle);
        return FakeDriver::call("cusolverDnCreate");
    };
    blas.create = [](Handle* handle) {
        make(handle);
        return FakeDriver::call("cublasCreate");
    };
    solver.parameters_create = solver.jacobi_create = make;
    solver.destroy = solver.parameters_destroy = solver.jacobi_destroy = blas.destroy = give_back;
    solver.set_stream = blas.set_stream = set_stream;
    single_matrices(solver);
    spectral(solver);
    typed(solver, blas, std::make_index_sequence<4>());
}

FakeSolver::~FakeSolver() { now = nullptr; }

const Solver& FakeSolver::find_solver(const Driver&) { return now->solver; }
const Cublas& FakeSolver::find_cublas(const Driver&) { return now->blas; }

}  // namespace fastnp::cuda
