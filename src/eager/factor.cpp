// Factors of matrices (LU, Cholesky, QR), and what is solved with them.
#include <algorithm>
#include <cstring>

#include "eager/kernels.h"
#include "eager/lapack.h"
#include "fastnp/error.h"
#include "ops/number.h"

// Of the Fortran library, which LAPACK joins the names of its own options with: nothing else of it is used, so nothing else has to be linked.
extern "C" void _gfortran_concat_string(std::size_t length, char* to, std::size_t first_length, const char* first, std::size_t second_length,
                                        const char* second);  // NOLINT(bugprone-reserved-identifier): the compiler's name for it
extern "C" void _gfortran_concat_string(std::size_t length, char* to, std::size_t first_length, const char* first, std::size_t second_length,
                                        const char* second) {  // NOLINT(bugprone-reserved-identifier): as above
    std::memset(to, ' ', length);
    const std::size_t copied = std::min(first_length, length);
    std::memcpy(to, first, copied);
    std::memcpy(to + copied, second, std::min(second_length, length - copied));
}

namespace fastnp::eager {

namespace {

using lapack::Int;

constexpr char transpositions[] = {'N', 'T', 'C'};
constexpr std::int64_t lower_half_alone = 3;  // of lu_solve's attribute
constexpr Int most_by_hand = 48;              // rows of a system for which a call of the library costs more than solving it

// x of a triangular system of one right side, over columns of the matrix.
template <class T, class Entry>
void substitute(bool forward, bool over_rows, bool unit, Int n, Entry entry, T* x) {
    for (Int step = 0; step < n; ++step) {
        const Int j = forward ? step : n - 1 - step;
        if (over_rows) {  // what is known already goes from the right side
            T left = x[j];
            const Int first = forward ? 0 : j + 1, last = forward ? j : n;
            for (Int i = first; i < last; ++i) left -= entry(i, j) * x[i];
            x[j] = unit ? left : left / entry(j, j);
        } else {
            if (!unit) x[j] /= entry(j, j);
            const T found = x[j];
            const Int first = forward ? j + 1 : 0, last = forward ? n : j;
            for (Int i = first; i < last; ++i) x[i] -= found * entry(i, j);
        }
    }
}

template <class T>
void solve_triangle(char triangle, char transposed, bool unit, Int n, Int columns, const T* a, T* b) {
    if (n > most_by_hand) {
        lapack::trsm(triangle, transposed, unit ? 'U' : 'N', n, columns, a, b);
        return;
    }
    const auto plain = [a, n](Int i, Int j) { return a[i + j * n]; };
    const bool is_plain = transposed == 'N', forward = (triangle == 'L') == is_plain;
    for (Int k = 0; k < columns; ++k) {
        if constexpr (ops::Complex<T>) {
            const auto conjugate = [a, n](Int i, Int j) { return std::conj(a[i + j * n]); };
            if (transposed == 'C') {
                substitute(forward, true, unit, n, conjugate, b + k * n);
                continue;
            }
        }
        substitute(forward, !is_plain, unit, n, plain, b + k * n);
    }
}

template <class T>
void run_lu(const View& x, const View& out) {
    const std::int64_t n = size_from_end(x, 1), row = stride_from_end(out, 2), column = stride_from_end(out, 1);
    if (n == 0) return;
    Columns<T> a(n, n);
    std::vector<Int> pivots(static_cast<std::size_t>(n));
    for_each_matrix({out, x}, {2, 2}, [&](char* const* at) {
        a.read(at[1], stride_from_end(x, 2), stride_from_end(x, 1));
        lapack::getrf(static_cast<Int>(n), a.data(), pivots.data());
        a.write(at[0], row, column);
        for (std::int64_t i = 0; i < n; ++i)
            *reinterpret_cast<T*>(at[0] + n * row + i * column) = T(static_cast<float>(pivots[static_cast<std::size_t>(i)] - 1));
    });
}

// Kept between the right sides that share it.
template <class T>
struct Factors {
    Columns<T> a;
    std::vector<Int> pivots;
    const char* read_from = nullptr;
    bool singular = false;

    // Of right sides in columns, the rows swapped as the matrix's were, or back.
    void swap_rows(T* b, std::int64_t columns, bool back) const {
        const std::size_t n = pivots.size();
        for (std::int64_t k = 0; k < columns; ++k) {
            T* x = b + static_cast<std::size_t>(k) * n;
            for (std::size_t step = 0; step < n; ++step) {
                const std::size_t i = back ? n - 1 - step : step;
                std::swap(x[i], x[pivots[i]]);
            }
        }
    }

    explicit Factors(std::int64_t n) : a(n, n), pivots(static_cast<std::size_t>(n)) {}
    void read(const char* from, const View& view) {
        if (from == read_from) return;
        read_from = from;
        const auto n = static_cast<std::int64_t>(pivots.size());
        const std::int64_t row = stride_from_end(view, 2), column = stride_from_end(view, 1);
        a.read(from, row, column);
        singular = false;
        for (std::int64_t i = 0; i < n; ++i) {
            pivots[static_cast<std::size_t>(i)] = static_cast<Int>(std::real(*reinterpret_cast<const T*>(from + n * row + i * column)));
            singular = singular || a.at(i, i) == T(0);
        }
    }
};

template <class T>
void run_lu_solve(const ir::Attributes& attributes, const View& factors, const View& b, const View& out) {
    const std::int64_t n = size_from_end(b, 2), columns = size_from_end(b, 1);
    if (n == 0 || columns == 0) return;
    Factors<T> lu(n);
    Columns<T> x(n, columns);
    for_each_matrix({out, factors, b}, {2, 2, 2}, [&](char* const* at) {
        lu.read(at[1], factors);
        if (lu.singular && attributes.ints[1] != 0) throw LinAlgError("Singular matrix");
        x.read(at[2], stride_from_end(b, 2), stride_from_end(b, 1));
        const auto size = static_cast<Int>(n), many = static_cast<Int>(columns);
        const std::int64_t how = attributes.ints[0];
        if (how == 0 || how == lower_half_alone) {
            lu.swap_rows(x.data(), columns, false);
            solve_triangle('L', 'N', true, size, many, lu.a.data(), x.data());
            if (how == 0) solve_triangle('U', 'N', false, size, many, lu.a.data(), x.data());
        } else {
            solve_triangle('U', transpositions[how], false, size, many, lu.a.data(), x.data());
            solve_triangle('L', transpositions[how], true, size, many, lu.a.data(), x.data());
            lu.swap_rows(x.data(), columns, true);
        }
        x.write(at[0], stride_from_end(out, 2), stride_from_end(out, 1));
    });
}

template <class T>
void run_cholesky(const View& x, const View& out) {
    const std::int64_t n = size_from_end(x, 1);
    if (n == 0) return;
    Columns<T> a(n, n);
    for_each_matrix({out, x}, {2, 2}, [&](char* const* at) {
        a.read(at[1], stride_from_end(x, 2), stride_from_end(x, 1));
        if (lapack::potrf(static_cast<Int>(n), a.data()) != 0) throw LinAlgError("Matrix is not positive definite");
        for (std::int64_t j = 1; j < n; ++j) std::fill_n(&a.at(0, j), j, T(0));
        a.write(at[0], stride_from_end(out, 2), stride_from_end(out, 1));
    });
}

template <class T>
void run_triangular_solve(const ir::Attributes& attributes, const View& triangle, const View& b, const View& out) {
    const std::int64_t n = size_from_end(b, 2), columns = size_from_end(b, 1);
    if (n == 0 || columns == 0) return;
    Columns<T> a(n, n), x(n, columns);
    const char* read_from = nullptr;
    for_each_matrix({out, triangle, b}, {2, 2, 2}, [&](char* const* at) {
        if (at[1] != read_from) a.read(at[1], stride_from_end(triangle, 2), stride_from_end(triangle, 1));
        read_from = at[1];
        x.read(at[2], stride_from_end(b, 2), stride_from_end(b, 1));
        solve_triangle(attributes.ints[0] != 0 ? 'L' : 'U', transpositions[attributes.ints[1]], attributes.ints[2] != 0, static_cast<Int>(n),
                       static_cast<Int>(columns), a.data(), x.data());
        x.write(at[0], stride_from_end(out, 2), stride_from_end(out, 1));
    });
}

template <class T>
void run_qr(const View& x, const View& out) {
    const std::int64_t m = size_from_end(x, 2), n = size_from_end(x, 1), row = stride_from_end(out, 2), column = stride_from_end(out, 1);
    if (n == 0) return;
    Columns<T> a(m, n);
    std::vector<T> factors(static_cast<std::size_t>(n));
    T asked{};
    if (m != 0) lapack::geqrf(static_cast<Int>(m), static_cast<Int>(n), a.data(), factors.data(), &asked, -1);
    std::vector<T> work(static_cast<std::size_t>(std::max<std::int64_t>(lapack::asked(asked), n)));
    for_each_matrix({out, x}, {2, 2}, [&](char* const* at) {
        std::fill(factors.begin(), factors.end(), T(0));
        a.read(at[1], stride_from_end(x, 2), stride_from_end(x, 1));
        if (m != 0) lapack::geqrf(static_cast<Int>(m), static_cast<Int>(n), a.data(), factors.data(), work.data(), static_cast<Int>(work.size()));
        a.write(at[0], row, column);
        for (std::int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(at[0] + m * row + i * column) = factors[static_cast<std::size_t>(i)];
    });
}

template <class T>
void run_householder_product(const View& x, const View& out) {
    const std::int64_t m = size_from_end(out, 2), columns = size_from_end(out, 1), n = size_from_end(x, 1);
    const std::int64_t row = stride_from_end(x, 2), column = stride_from_end(x, 1), reflections = std::min(m, n), read = std::min(n, columns);
    if (m == 0 || columns == 0) return;
    Columns<T> a(m, columns);
    std::vector<T> factors(static_cast<std::size_t>(reflections) + 1);
    T asked{};
    const auto product = [&](T* work, Int size) {
        lapack::reflections_product(static_cast<Int>(m), static_cast<Int>(columns), static_cast<Int>(reflections), a.data(), factors.data(), work, size);
    };
    product(&asked, -1);
    std::vector<T> work(static_cast<std::size_t>(std::max<std::int64_t>(lapack::asked(asked), columns)));
    for_each_matrix({out, x}, {2, 2}, [&](char* const* at) {
        a.read(at[1], row, column, read);
        for (std::int64_t i = 0; i < reflections; ++i) factors[static_cast<std::size_t>(i)] = *reinterpret_cast<const T*>(at[1] + m * row + i * column);
        product(work.data(), static_cast<Int>(work.size()));
        a.write(at[0], stride_from_end(out, 2), stride_from_end(out, 1));
    });
}

}  // namespace

void run_factor(ops::Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    over_stack(operands, out, 1, [&](std::span<const View> given, const View& to) {
        with_lapack_element(out.dtype, [&]<class T>() {
            switch (op) {
                case ops::Op::lu: run_lu<T>(given[0], to); return;
                case ops::Op::lu_solve: run_lu_solve<T>(attributes, given[0], given[1], to); return;
                case ops::Op::cholesky: run_cholesky<T>(given[0], to); return;
                case ops::Op::triangular_solve: run_triangular_solve<T>(attributes, given[0], given[1], to); return;
                case ops::Op::qr: run_qr<T>(given[0], to); return;
                default: run_householder_product<T>(given[0], to); return;
            }
        });
    });
}

}  // namespace fastnp::eager
