#include "simulated/factorise.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>

#include "eager/eager.h"
#include "fastnp/error.h"

namespace fastnp::simulated {

using device::Factorisation;
using device::InColumns;
using eager::View;
using ops::Op;
using Kind = Factorisation::Kind;
using Vectors = Factorisation::Vectors;

namespace {

// What a kind of work makes use of.
struct Parts {
    std::int64_t b_rows = 0, b_columns = 0, v_rows = 0, v_columns = 0, number_bytes = 0;  // 0: it has none
    bool may_fail = false;
};

Parts parts_of(const Factorisation& work) {
    const auto element = static_cast<std::int64_t>(itemsize_of(work.dtype)), real = static_cast<std::int64_t>(itemsize_of(real_of(work.dtype)));
    const std::int64_t pivot = work.count == 1 ? 8 : 4;
    switch (work.kind) {
        case Kind::lu: return {0, 0, 0, 0, work.rows * pivot, false};
        case Kind::lu_solve: return {work.rows, work.sides, 0, 0, work.rows * pivot, false};
        case Kind::cholesky: return {0, 0, 0, 0, 0, true};
        case Kind::triangular_solve: return {work.rows, work.sides, 0, 0, 0, false};
        case Kind::qr: return {0, 0, 0, 0, std::min(work.rows, work.columns) * element, false};
        case Kind::householder: return {0, 0, 0, 0, work.sides * element, false};
        case Kind::hermitian: return {0, 0, 0, 0, work.columns * real, true};
        case Kind::general: {
            const std::int64_t length = work.vectors == Vectors::none ? 0 : work.rows;
            return {length, length, 0, 0, work.columns * 2 * real, true};
        }
        case Kind::singular: break;
    }
    if (work.vectors == Vectors::none) return {0, 0, 0, 0, work.columns * real, true};
    const bool is_whole = work.vectors == Vectors::all || work.count > 1;
    return {work.rows, is_whole ? work.rows : work.columns, work.columns, work.columns, work.columns * real, true};
}

// One matrix, as an array of two axes.
View view_of(const Factorisation& work, const InColumns& matrices, std::int64_t number, std::int64_t rows, std::int64_t columns) {
    const auto size = static_cast<std::int64_t>(itemsize_of(work.dtype));
    return {static_cast<char*>(matrices.data) + number * matrices.step * size, work.dtype, {rows, columns}, {size, matrices.leading * size}};
}

// An array in memory of its own.
struct Own {
    Own(Dtype dtype, std::int64_t rows, std::int64_t columns) : bytes(static_cast<std::size_t>(rows * columns) * itemsize_of(dtype) + 1) {
        const auto size = static_cast<std::int64_t>(itemsize_of(dtype));
        view = {bytes.data(), dtype, {rows, columns}, {columns * size, size}};
    }
    View rows(std::int64_t first, std::int64_t count) const {
        View part = view;
        part.data = static_cast<char*>(view.data) + first * view.strides[0];
        part.shape[0] = count;
        return part;
    }
    std::vector<char> bytes;
    View view;
};

View transposed(View view) {
    std::swap(view.shape[0], view.shape[1]);
    std::swap(view.strides[0], view.strides[1]);
    return view;
}

void run(Op op, std::initializer_list<std::int64_t> ints, std::initializer_list<std::int64_t> dims, std::initializer_list<View> operands,
         const View& out) {
    ir::Attributes attributes;
    attributes.ints.assign(ints.begin(), ints.end());
    for (const std::int64_t dim : dims) attributes.dims.push_back(dim);
    eager::run(op, attributes, {operands.begin(), operands.size()}, out);
}

// A library may leave what it likes in the other triangle.
void spoil_other_triangle(const View& a, bool lower) {
    std::complex<double> nonsense(-1e30, 1e30);
    for (std::int64_t i = 0; i < a.shape[0]; ++i) {
        for (std::int64_t j = 0; j < a.shape[1]; ++j) {
            if (lower ? i >= j : i <= j) continue;
            const View element{static_cast<char*>(a.data) + i * a.strides[0] + j * a.strides[1], a.dtype, {}, {}};
            eager::copy({&nonsense, is_complex(a.dtype) ? complex128 : float64, {}, {}}, element);
        }
    }
}

// The numbers of one matrix as a row.
View numbers_of(const Factorisation& work, std::int64_t number, Dtype dtype, std::int64_t length) {
    const auto size = static_cast<std::int64_t>(itemsize_of(dtype));
    return {static_cast<char*>(work.numbers) + number * length * size, dtype, {1, length}, {length * size, size}};
}

Dtype pivots_of(const Factorisation& work) { return work.count == 1 ? int64 : int32; }

void add(std::int64_t by, const View& from, const View& to) {
    for (std::int64_t i = 0; i < from.shape[1]; ++i) {
        std::int64_t value = 0;
        const View seen{static_cast<char*>(from.data) + i * from.strides[1], from.dtype, {}, {}};
        eager::copy(seen, {&value, int64, {}, {}});
        value += by;
        eager::copy({&value, int64, {}, {}}, {static_cast<char*>(to.data) + i * to.strides[1], to.dtype, {}, {}});
    }
}

View real_parts(View view) {
    view.dtype = real_of(view.dtype);
    return view;
}

// Vectors of real matrices as LAPACK has them: those of pairs as real and imaginary parts.
void general(const Factorisation& work, const View& a, const View& b, std::int64_t number) {
    const std::int64_t n = work.rows;
    const Own packed(complex_of(work.dtype), n + 1, n);
    run(Op::eig, {}, {}, {a}, packed.view);
    eager::copy(packed.rows(0, 1), numbers_of(work, number, packed.view.dtype, n));
    spoil_other_triangle(a, true);
    if (work.vectors == Vectors::none) return;
    if (is_complex(work.dtype)) return eager::copy(packed.rows(1, n), b);
    for (std::int64_t j = 0; j < n; ++j) {
        const auto column_of = [&](const View& matrix, std::int64_t column) {
            return View{static_cast<char*>(matrix.data) + column * matrix.strides[1], matrix.dtype, {n}, {matrix.strides[0]}};
        };
        std::complex<double> value;
        eager::copy({static_cast<char*>(packed.view.data) + j * packed.view.strides[1], packed.view.dtype, {}, {}}, {&value, complex128, {}, {}});
        View found = real_parts(column_of(packed.rows(1, n), j));
        const View to = column_of(b, j);
        if (value.imag() < 0) found.data = static_cast<char*>(found.data) + itemsize_of(work.dtype);
        if (value.imag() < 0) run(Op::negative, {}, {}, {found}, to);
        else eager::copy(found, to);
    }
}

void one(const Factorisation& work, std::int64_t i) {
    const std::int64_t m = work.rows, n = work.columns;
    const View a = view_of(work, work.a, i, m, n);
    const Parts parts = parts_of(work);
    const View b = view_of(work, work.b, i, parts.b_rows, parts.b_columns);
    switch (work.kind) {
        case Kind::lu: {
            const Own made(work.dtype, n + 1, n);
            run(Op::lu, {}, {}, {a}, made.view);
            eager::copy(made.rows(0, n), a);
            add(1, real_parts(made.rows(n, 1)), numbers_of(work, i, pivots_of(work), n));
            return;
        }
        case Kind::lu_solve: {
            const Own packed(work.dtype, n + 1, n), found(work.dtype, n, work.sides);
            std::memset(packed.view.data, 0, packed.bytes.size());
            eager::copy(a, packed.rows(0, n));
            add(-1, numbers_of(work, i, pivots_of(work), n), real_parts(packed.rows(n, 1)));
            run(Op::lu_solve, {static_cast<std::int64_t>(work.form), 0}, {}, {packed.view, b}, found.view);
            eager::copy(found.view, b);
            return;
        }
        case Kind::cholesky: {
            const Own made(work.dtype, n, n);
            run(Op::cholesky, {}, {}, {work.lower ? a : transposed(a)}, made.view);
            eager::copy(work.lower ? made.view : transposed(made.view), a);
            spoil_other_triangle(a, work.lower);
            return;
        }
        case Kind::triangular_solve: {
            const Own found(work.dtype, n, work.sides);
            run(Op::triangular_solve, {work.lower, static_cast<std::int64_t>(work.form), work.unit}, {}, {a, b}, found.view);
            eager::copy(found.view, b);
            return;
        }
        case Kind::qr: {
            const std::int64_t k = std::min(m, n);
            const Own made(work.dtype, m + 1, n);
            run(Op::qr, {}, {}, {a}, made.view);
            eager::copy(made.rows(0, m), a);
            View factors = made.rows(m, 1);
            factors.shape[1] = k;
            eager::copy(factors, numbers_of(work, i, work.dtype, k));
            return;
        }
        case Kind::householder: {
            const std::int64_t k = work.sides;
            const Own packed(work.dtype, m + 1, k), found(work.dtype, m, n);
            View reflections = a;
            reflections.shape[1] = k;
            eager::copy(reflections, packed.rows(0, m));
            eager::copy(numbers_of(work, i, work.dtype, k), packed.rows(m, 1));
            run(Op::householder_product, {}, {n}, {packed.view}, found.view);
            eager::copy(found.view, a);
            return;
        }
        case Kind::hermitian: {
            const Own packed(work.dtype, n + 1, n);
            run(Op::eigh, {work.lower}, {}, {a}, packed.view);
            eager::copy(real_parts(packed.rows(0, 1)), numbers_of(work, i, real_of(work.dtype), n));
            if (work.vectors != Vectors::none) eager::copy(packed.rows(1, n), a);
            else spoil_other_triangle(a, !work.lower);
            return;
        }
        case Kind::general: general(work, a, b, i); return;
        case Kind::singular: break;
    }
    const bool with_vectors = work.vectors != Vectors::none;
    const std::int64_t u = work.vectors == Vectors::all || work.count > 1 ? m : n;
    const Own packed(work.dtype, 1, m * u + n + n * n);
    const View flat{packed.view.data, work.dtype, {packed.view.shape[1]}, {packed.view.strides[1]}};
    run(Op::svd, {}, {n, u, n}, {a}, flat);
    const auto size = static_cast<std::int64_t>(itemsize_of(work.dtype));
    const auto part = [&](std::int64_t first, std::int64_t rows, std::int64_t columns) {
        return View{static_cast<char*>(flat.data) + first * size, work.dtype, {rows, columns}, {columns * size, size}};
    };
    eager::copy(real_parts(part(m * u, 1, n)), numbers_of(work, i, real_of(work.dtype), n));
    spoil_other_triangle(a, true);
    if (!with_vectors) return;
    eager::copy(part(0, m, u), b);
    const View v = view_of(work, work.v, i, n, n);
    if (work.count == 1) eager::copy(part(m * u + n, n, n), v);
    else run(Op::conjugate, {}, {}, {transposed(part(m * u + n, n, n))}, v);
}

}  // namespace

std::vector<std::pair<const void*, std::size_t>> touched_by(const Factorisation& work) {
    const Parts parts = parts_of(work);
    std::vector<std::pair<const void*, std::size_t>> touched;
    const auto add_matrices = [&](const InColumns& matrices, std::int64_t rows, std::int64_t columns) {
        if (rows == 0) return;
        const std::int64_t elements = (work.count - 1) * matrices.step + (columns - 1) * matrices.leading + rows;
        touched.emplace_back(matrices.data, static_cast<std::size_t>(elements) * itemsize_of(work.dtype));
    };
    add_matrices(work.a, work.rows, work.columns);
    add_matrices(work.b, parts.b_rows, parts.b_columns);
    add_matrices(work.v, parts.v_rows, parts.v_columns);
    if (parts.number_bytes != 0) touched.emplace_back(work.numbers, static_cast<std::size_t>(work.count * parts.number_bytes));
    if (parts.may_fail) touched.emplace_back(work.failures, static_cast<std::size_t>(work.count) * sizeof(std::int32_t));
    return touched;
}

std::string problem_of(const Factorisation& work) {
    const Parts parts = parts_of(work);
    const bool is_square = work.kind != Kind::qr && work.kind != Kind::householder && work.kind != Kind::singular;
    if (real_of(work.dtype) != float32 && real_of(work.dtype) != float64) return "matrices of a dtype that LAPACK has not";
    if (std::min({work.rows, work.columns, work.sides, work.count}) < 1) return "matrices with a size of 0";
    if (is_square && work.rows != work.columns) return "matrices that are not square";
    if (work.kind == Kind::singular && work.rows < work.columns) return "singular values of matrices with more columns than rows";
    if (work.kind == Kind::householder && (work.columns > work.rows || work.sides > work.columns)) return "more columns than there are";
    const auto is_bad = [&](const InColumns& matrices, std::int64_t rows, std::int64_t columns) {
        const bool overlap = work.count > 1 && matrices.step < (columns - 1) * matrices.leading + rows;
        return rows != 0 && (matrices.leading < rows || overlap || reinterpret_cast<std::uintptr_t>(matrices.data) % itemsize_of(work.dtype) != 0);
    };
    if (is_bad(work.a, work.rows, work.columns) || is_bad(work.b, parts.b_rows, parts.b_columns) || is_bad(work.v, parts.v_rows, parts.v_columns))
        return "matrices that LAPACK can't walk";
    const auto has_gaps = [](const InColumns& matrices, std::int64_t rows, std::int64_t columns) {
        return rows != 0 && (matrices.leading != rows || matrices.step != rows * columns);
    };
    if (work.kind == Kind::singular && work.count > 1) {
        const bool gaps = has_gaps(work.a, work.rows, work.columns) || has_gaps(work.b, parts.b_rows, parts.b_columns);
        if (gaps || has_gaps(work.v, parts.v_rows, parts.v_columns)) return "a stack with gaps";
    }
    const auto touched = touched_by(work);
    for (std::size_t i = 0; i < touched.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const auto* x = static_cast<const char*>(touched[i].first);
            const auto* y = static_cast<const char*>(touched[j].first);
            if (x < y + touched[j].second && y < x + touched[i].second) return "matrices that share memory";
        }
    }
    return "";
}

void factorise_on_host(const Factorisation& work) {
    const bool may_fail = parts_of(work).may_fail;
    for (std::int64_t i = 0; i < work.count; ++i) {
        std::int32_t failure = 0;
        try {
            one(work, i);
        } catch (const LinAlgError&) {
            failure = 1;
        }
        if (may_fail) static_cast<std::int32_t*>(work.failures)[i] = failure;
    }
}

}  // namespace fastnp::simulated
