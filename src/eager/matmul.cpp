// Matrix products: OpenBLAS for the dtypes that it has, a plain loop for the others. Operands that BLAS can't walk are packed first.
#include <cblas.h>

#include <cstring>
#include <memory>

#include "base/thread_pool.h"
#include "eager/kernels.h"
#include "ops/number.h"

namespace fastnp::eager {

namespace {

struct Matrix {
    char* data;
    std::int64_t rows, columns;
    std::int64_t row_stride, column_stride;  // bytes
};

// How BLAS reads a matrix: rows or columns contiguous.
struct Layout {
    bool fits = false;
    CBLAS_TRANSPOSE transpose = CblasNoTrans;
    int leading = 1;
};

Layout layout_of(const Matrix& m, std::size_t itemsize) {
    const auto size = static_cast<std::int64_t>(itemsize);
    auto leads = [&](std::int64_t stride, std::int64_t least) {
        return stride % size == 0 && stride / size >= std::max<std::int64_t>(least, 1) && stride / size < INT32_MAX;
    };
    if ((m.column_stride == size || m.columns == 1) && (leads(m.row_stride, m.columns) || m.rows == 1)) {
        const std::int64_t leading = m.rows == 1 ? std::max<std::int64_t>(m.columns, 1) : m.row_stride / size;
        if (m.columns != 1 || m.row_stride % size == 0) return {true, CblasNoTrans, static_cast<int>(leading)};
    }
    if ((m.row_stride == size || m.rows == 1) && (leads(m.column_stride, m.rows) || m.columns == 1)) {
        const std::int64_t leading = m.columns == 1 ? std::max<std::int64_t>(m.rows, 1) : m.column_stride / size;
        return {true, CblasTrans, static_cast<int>(leading)};
    }
    return {};
}

template <class T>
void gemm(const Layout& a, const Matrix& x, const Layout& b, const Matrix& y, Matrix& out, int leading) {
    const int m = static_cast<int>(x.rows);
    const int n = static_cast<int>(y.columns);
    const int k = static_cast<int>(x.columns);
    const T one(1);
    const T zero(0);
    if constexpr (std::is_same_v<T, float>) {
        cblas_sgemm(CblasRowMajor, a.transpose, b.transpose, m, n, k, one, reinterpret_cast<T*>(x.data), a.leading, reinterpret_cast<T*>(y.data),
                    b.leading, zero, reinterpret_cast<T*>(out.data), leading);
    } else if constexpr (std::is_same_v<T, double>) {
        cblas_dgemm(CblasRowMajor, a.transpose, b.transpose, m, n, k, one, reinterpret_cast<T*>(x.data), a.leading, reinterpret_cast<T*>(y.data),
                    b.leading, zero, reinterpret_cast<T*>(out.data), leading);
    } else if constexpr (std::is_same_v<T, std::complex<float>>) {
        cblas_cgemm(CblasRowMajor, a.transpose, b.transpose, m, n, k, &one, x.data, a.leading, y.data, b.leading, &zero, out.data, leading);
    } else {
        cblas_zgemm(CblasRowMajor, a.transpose, b.transpose, m, n, k, &one, x.data, a.leading, y.data, b.leading, &zero, out.data, leading);
    }
}

template <class T>
void plain(const Matrix& x, const Matrix& y, const Matrix& out) {
    for (std::int64_t i = 0; i < x.rows; ++i) {
        for (std::int64_t j = 0; j < y.columns; ++j) {
            ops::Number<std::conditional_t<ops::is_half<T>, float, T>> sum{};
            for (std::int64_t k = 0; k < x.columns; ++k) {
                const auto a = ops::load(*reinterpret_cast<const T*>(x.data + i * x.row_stride + k * x.column_stride));
                const auto b = ops::load(*reinterpret_cast<const T*>(y.data + k * y.row_stride + j * y.column_stride));
                sum = sum + decltype(sum){(a * b).v};
            }
            *reinterpret_cast<T*>(out.data + i * out.row_stride + j * out.column_stride) = static_cast<T>(sum.v);
        }
    }
}

// A matrix copied to C order.
Matrix packed(const Matrix& m, Dtype dtype, std::unique_ptr<char[]>& held) {
    const auto size = static_cast<std::int64_t>(itemsize_of(dtype));
    held.reset(new char[static_cast<std::size_t>(m.rows * m.columns * size) + 1]);
    Matrix result{held.get(), m.rows, m.columns, m.columns * size, size};
    copy({m.data, dtype, {m.rows, m.columns}, {m.row_stride, m.column_stride}}, {result.data, dtype, {m.rows, m.columns}, {result.row_stride, size}});
    return result;
}

template <class T>
void product(Matrix x, Matrix y, Matrix out, Dtype dtype) {
    constexpr bool has_blas = std::is_same_v<T, float> || std::is_same_v<T, double> || ops::Complex<T>;
    if constexpr (!has_blas) {
        plain<T>(x, y, out);
    } else {
        if (x.rows == 0 || y.columns == 0) return;
        if (x.columns == 0) {
            plain<T>(x, y, out);
            return;
        }
        std::unique_ptr<char[]> held_x, held_y, held_out;
        Layout a = layout_of(x, sizeof(T));
        if (!a.fits) {
            x = packed(x, dtype, held_x);
            a = layout_of(x, sizeof(T));
        }
        Layout b = layout_of(y, sizeof(T));
        if (!b.fits) {
            y = packed(y, dtype, held_y);
            b = layout_of(y, sizeof(T));
        }
        const auto size = static_cast<std::int64_t>(sizeof(T));
        const bool direct =
            (out.column_stride == size || out.columns == 1) && (out.rows == 1 || (out.row_stride % size == 0 && out.row_stride / size >= out.columns));
        if (direct) {
            gemm<T>(a, x, b, y, out, static_cast<int>(out.rows == 1 ? out.columns : out.row_stride / size));
            return;
        }
        held_out.reset(new char[static_cast<std::size_t>(out.rows * out.columns * size)]);
        Matrix temporary{held_out.get(), out.rows, out.columns, out.columns * size, size};
        gemm<T>(a, x, b, y, temporary, static_cast<int>(out.columns));
        copy({temporary.data, dtype, {out.rows, out.columns}, {temporary.row_stride, size}},
             {out.data, dtype, {out.rows, out.columns}, {out.row_stride, out.column_stride}});
    }
}

}  // namespace

void set_blas_threads() {
    static const bool set = [] {
        openblas_set_num_threads(base::thread_count());
        return true;
    }();
    (void)set;
}

void run_matmul(const View& x, const View& y, const View& out) {
    set_blas_threads();
    const std::size_t rank = out.shape.size();
    auto matrix = [rank](const View& view) {
        return Matrix{static_cast<char*>(view.data), view.shape[rank - 2], view.shape[rank - 1], view.strides[rank - 2], view.strides[rank - 1]};
    };
    std::int64_t batches = 1;
    for (std::size_t i = 0; i + 2 < rank; ++i) batches *= out.shape[i];
    View a = x;
    View b = y;
    View c = out;
    SmallVector<std::int64_t> index(rank - 2, 0);
    for (std::int64_t n = 0; n < batches; ++n) {
        with_element(out.dtype, [&]<class T>() { product<T>(matrix(a), matrix(b), matrix(c), out.dtype); });
        for (std::size_t i = rank - 2; i-- > 0;) {
            auto shift = [i](View& view, std::int64_t steps) { view.data = static_cast<char*>(view.data) + steps * view.strides[i]; };
            shift(a, 1);
            shift(b, 1);
            shift(c, 1);
            if (++index[i] < out.shape[i]) break;
            shift(a, -out.shape[i]);
            shift(b, -out.shape[i]);
            shift(c, -out.shape[i]);
            index[i] = 0;
        }
    }
}

}  // namespace fastnp::eager
