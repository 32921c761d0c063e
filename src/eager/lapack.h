// LAPACK and BLAS as functions over element types. Their matrices lie in columns; sizes are 32-bit.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "eager/eager.h"
#include "fastnp/error.h"

namespace fastnp::eager::lapack {

using Int = std::int32_t;
using Length = std::size_t;  // of a text, handed over behind the arguments

extern "C" {
#define FASTNP_LAPACK(T, p, gqr)                                                                                                                      \
    void p##getrf_(const Int*, const Int*, T*, const Int*, Int*, Int*);                                                                               \
    void p##potrf_(const char*, const Int*, T*, const Int*, Int*, Length);                                                                            \
    void p##geqrf_(const Int*, const Int*, T*, const Int*, T*, T*, const Int*, Int*);                                                                 \
    void gqr##_(const Int*, const Int*, const Int*, T*, const Int*, const T*, T*, const Int*, Int*);                                                  \
    void p##trsm_(const char*, const char*, const char*, const char*, const Int*, const Int*, const T*, const T*, const Int*, T*, const Int*, Length, \
                  Length, Length, Length);
FASTNP_LAPACK(float, s, sorgqr)
FASTNP_LAPACK(double, d, dorgqr)
FASTNP_LAPACK(std::complex<float>, c, cungqr)
FASTNP_LAPACK(std::complex<double>, z, zungqr)
#undef FASTNP_LAPACK

#define FASTNP_LAPACK_REAL(T, p)                                                                                                                 \
    void p##syevd_(const char*, const char*, const Int*, T*, const Int*, T*, T*, const Int*, Int*, const Int*, Int*, Length, Length);            \
    void p##gesdd_(const char*, const Int*, const Int*, T*, const Int*, T*, T*, const Int*, T*, const Int*, T*, const Int*, Int*, Int*, Length); \
    void p##geev_(const char*, const char*, const Int*, T*, const Int*, T*, T*, T*, const Int*, T*, const Int*, T*, const Int*, Int*, Length, Length);
FASTNP_LAPACK_REAL(float, s)
FASTNP_LAPACK_REAL(double, d)
#undef FASTNP_LAPACK_REAL

#define FASTNP_LAPACK_COMPLEX(R, p)                                                                                                                     \
    void p##heevd_(const char*, const char*, const Int*, std::complex<R>*, const Int*, R*, std::complex<R>*, const Int*, R*, const Int*, Int*,          \
                   const Int*, Int*, Length, Length);                                                                                                   \
    void p##gesdd_(const char*, const Int*, const Int*, std::complex<R>*, const Int*, R*, std::complex<R>*, const Int*, std::complex<R>*, const Int*,   \
                   std::complex<R>*, const Int*, R*, Int*, Int*, Length);                                                                               \
    void p##geev_(const char*, const char*, const Int*, std::complex<R>*, const Int*, std::complex<R>*, std::complex<R>*, const Int*, std::complex<R>*, \
                  const Int*, std::complex<R>*, const Int*, R*, Int*, Length, Length);
FASTNP_LAPACK_COMPLEX(float, c)
FASTNP_LAPACK_COMPLEX(double, z)
#undef FASTNP_LAPACK_COMPLEX
}

// The functions that differ in nothing but the element type.
#define FASTNP_LAPACK(T, p, gqr)                                                                                         \
    inline Int getrf(Int n, T* a, Int* pivots) {                                                                         \
        Int info = 0;                                                                                                    \
        p##getrf_(&n, &n, a, &n, pivots, &info);                                                                         \
        return info;                                                                                                     \
    }                                                                                                                    \
    inline Int potrf(Int n, T* a) {                                                                                      \
        Int info = 0;                                                                                                    \
        p##potrf_("L", &n, a, &n, &info, 1);                                                                             \
        return info;                                                                                                     \
    }                                                                                                                    \
    inline void trsm(char triangle, char transposed, char diagonal, Int n, Int columns, const T* a, T* b) {              \
        const T one(1);                                                                                                  \
        p##trsm_("L", &triangle, &transposed, &diagonal, &n, &columns, &one, a, &n, b, &n, 1, 1, 1, 1);                  \
    }                                                                                                                    \
    inline void geqrf(Int rows, Int columns, T* a, T* factors, T* work, Int size) {                                      \
        Int info = 0;                                                                                                    \
        p##geqrf_(&rows, &columns, a, &rows, factors, work, &size, &info);                                               \
    }                                                                                                                    \
    inline void reflections_product(Int rows, Int columns, Int reflections, T* a, const T* factors, T* work, Int size) { \
        Int info = 0;                                                                                                    \
        gqr##_(&rows, &columns, &reflections, a, &rows, factors, work, &size, &info);                                    \
    }
FASTNP_LAPACK(float, s, sorgqr)
FASTNP_LAPACK(double, d, dorgqr)
FASTNP_LAPACK(std::complex<float>, c, cungqr)
FASTNP_LAPACK(std::complex<double>, z, zungqr)
#undef FASTNP_LAPACK

/// The size that a call asks for by writing it to the first element of its work space.
template <class T>
Int asked(T work) {
    return static_cast<Int>(std::real(work));
}

}  // namespace fastnp::eager::lapack

namespace fastnp::eager {

/// Matrices in columns, one after the other as they are needed, between a stack's memory and LAPACK.
template <class T>
class Columns {
public:
    Columns(std::int64_t rows, std::int64_t columns) : rows_(rows), columns_(columns), elements_(static_cast<std::size_t>(rows * columns) + 1) {}
    T* data() { return elements_.data(); }
    T& at(std::int64_t row, std::int64_t column) { return elements_[static_cast<std::size_t>(column * rows_ + row)]; }

    /// Elements of memory in which rows and columns are so many bytes apart.
    void read(const char* from, std::int64_t row_stride, std::int64_t column_stride) { read(from, row_stride, column_stride, columns_); }
    void read(const char* from, std::int64_t row_stride, std::int64_t column_stride, std::int64_t columns) {
        over_tiles(columns, [&](std::int64_t i, std::int64_t j) { at(i, j) = *reinterpret_cast<const T*>(from + i * row_stride + j * column_stride); });
    }
    void write(char* to, std::int64_t row_stride, std::int64_t column_stride) {
        over_tiles(columns_, [&](std::int64_t i, std::int64_t j) { *reinterpret_cast<T*>(to + i * row_stride + j * column_stride) = at(i, j); });
    }

private:
    // Some columns at once, as one side lies in rows.
    template <class Each>
    void over_tiles(std::int64_t columns, Each each) const {
        constexpr std::int64_t width = 16;
        for (std::int64_t first = 0; first < columns; first += width) {
            const std::int64_t last = std::min(first + width, columns);
            for (std::int64_t i = 0; i < rows_; ++i) {
                for (std::int64_t j = first; j < last; ++j) each(i, j);
            }
        }
    }

    std::int64_t rows_, columns_;
    std::vector<T> elements_;  // one more, so that there is an address
};

/// Calls each(pointers) for the first elements of every matrix of views that are stacks of one shape, `core` of their last axes being a matrix's.
template <std::size_t N, class Each>
void for_each_matrix(const View (&views)[N], const std::size_t (&core)[N], Each each) {
    const std::size_t rank = views[0].shape.size() - core[0];
    char* at[N];
    for (std::size_t v = 0; v < N; ++v) at[v] = static_cast<char*>(views[v].data);
    std::int64_t count = 1;
    for (std::size_t i = 0; i < rank; ++i) count *= views[0].shape[i];
    SmallVector<std::int64_t> index(rank, 0);
    for (std::int64_t n = 0; n < count; ++n) {
        each(at);
        for (std::size_t i = rank; i-- > 0;) {
            const std::int64_t length = views[0].shape[i];
            const bool is_last = ++index[i] == length;
            for (std::size_t v = 0; v < N; ++v) at[v] += is_last ? -(length - 1) * views[v].strides[i] : views[v].strides[i];
            if (!is_last) break;
            index[i] = 0;
        }
    }
}

/// Runs body(operands, out) on stacks of matrices (`out`: of what there is of each), or on parts of them in several threads: of small matrices, whose
/// `effort` is that many times the multiplications of a product.
using StackBody = std::function<void(std::span<const View> operands, const View& out)>;
void over_stack(std::span<const View> operands, const View& out, std::int64_t effort, const StackBody& body);

/// The size of an axis counted from the last, and the bytes from one of its elements to the next.
inline std::int64_t size_from_end(const View& view, std::size_t place) { return view.shape[view.shape.size() - place]; }
inline std::int64_t stride_from_end(const View& view, std::size_t place) { return view.strides[view.strides.size() - place]; }

/// visit.template operator()<T>() with the element type of one of the dtypes that LAPACK has.
template <class Visit>
void with_lapack_element(Dtype dtype, Visit visit) {
    switch (dtype) {
        case Dtype::float32: visit.template operator()<float>(); return;
        case Dtype::float64: visit.template operator()<double>(); return;
        case Dtype::complex64: visit.template operator()<std::complex<float>>(); return;
        case Dtype::complex128: visit.template operator()<std::complex<double>>(); return;
        default: throw TypeError("array type " + std::string(name_of(dtype)) + " is unsupported in linalg");
    }
}

}  // namespace fastnp::eager
