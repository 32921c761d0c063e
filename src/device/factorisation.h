// Factors of matrices, and what is solved with them, in a device's memory, as libraries of linear algebra take these.
#pragma once

#include <cstdint>

#include "fastnp/dtype.h"

namespace fastnp::device {

/// Matrices of one shape whose columns lie one behind the other: `leading` elements from one column to the next, at least the rows; `step` from one matrix
/// to the next.
struct InColumns {
    void* data = nullptr;
    std::int64_t leading = 1, step = 0;
};

/// What is done to each of `count` matrices of float32, float64, complex64 or complex128. No size is 0; what is written to shares no memory with anything
/// else. Matrices are those of LAPACK's functions.
struct Factorisation {
    enum class Kind : std::uint8_t {
        lu,  // getrf: a (n, n) becomes L and U, `numbers` the n rows that were swapped at each step
        lu_solve,  // getrs: b (n, sides) becomes the solution, by a and `numbers` of lu
        cholesky,  // potrf: one triangle of a (n, n) becomes the factor; the other one is not read, and may hold anything afterwards. May fail.
        triangular_solve,  // trsm: b (n, sides) becomes the solution, by one triangle of a (n, n)
        qr,  // geqrf: a (m, n) becomes R and the reflections, `numbers` the min(m, n) factors of these, of the matrices' dtype
        householder,  // orgqr: a (m, n) whose first `sides` columns have reflections becomes the first n <= m columns of Q, by `numbers`
        hermitian,  // syevd: by one triangle of a (n, n), `numbers` become the eigenvalues, ascending, real. May fail.
        general,  // geev: of a (n, n), which is overwritten, `numbers` become the n eigenvalues, complex. May fail. A stack is taken one by one.
        singular,  // gesvd: of a (m, n), m >= n, which is overwritten, `numbers` become the n singular values, real. May fail. A stack has at
                   // most `singular_stack_rows` rows, and no gaps between columns and matrices; its vectors are all of U, and V, not V.H.
    };
    /// lu_solve, triangular_solve: A X = B, A.T X = B, A.H X = B.
    enum class Form : std::uint8_t { plain, transposed, adjoint };
    /// hermitian: of `few` and `all`, a becomes the vectors. general: b (n, n) does, of the matrices' dtype: those of two eigenvalues of a real matrix
    /// that are each other's conjugates lie in their two columns as real and imaginary parts of the first one's, whose imaginary part is positive.
    /// singular: b becomes U (m, m or n) and v the rows of V.H (n, n).
    enum class Vectors : std::uint8_t { none, few, all };

    static constexpr std::int64_t singular_stack_rows = 32;

    Kind kind{};
    Dtype dtype{};
    std::int64_t rows = 1, columns = 1, sides = 1, count = 1;  // rows and columns are a's
    InColumns a, b, v;
    /// One matrix's behind the other's. Rows count from 1: int64 of one matrix, int32 of several.
    void* numbers = nullptr;
    /// An int32 for each matrix, of kinds that may fail: what is not 0 says that this one did.
    void* failures = nullptr;
    Form form = Form::plain;
    Vectors vectors = Vectors::none;
    bool lower = true;  // which triangle
    bool unit = false;  // triangular_solve: the diagonal is taken for 1
};

/// Some of its matrices; of a single one, pivots are taken to be in 64 bits.
Factorisation part_of(const Factorisation& whole, std::int64_t first, std::int64_t count);

}  // namespace fastnp::device
