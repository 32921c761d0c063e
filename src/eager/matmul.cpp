// Matrix products: OpenBLAS for the dtypes that it has, a plain loop for the others. Operands that BLAS can't walk are packed first.
#include <cblas.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/thread_pool.h"
#include "eager/blas.h"
#include "eager/kernels.h"
#include "fastnp/detail/deterministic.h"
#include "fastnp/detail/float_flags.h"
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

// A matrix of one row or one column as BLAS walks a vector; 0: it can't.
int step_of(const Matrix& m, std::size_t itemsize) {
    const std::int64_t stride = m.columns == 1 ? m.row_stride : m.column_stride, size = static_cast<std::int64_t>(itemsize);
    if (m.rows * m.columns == 1) return 1;
    return stride % size == 0 && stride >= size && stride / size < INT32_MAX ? static_cast<int>(stride / size) : 0;
}

template <class T>
T dot(std::int64_t count, const T* a, int from, const T* b, int to) {
    constexpr std::int64_t most = INT32_MAX / 2;
    T sum(0);
    for (std::int64_t begin = 0; begin < count; begin += most) {
        const int length = static_cast<int>(std::min(count - begin, most));
        const T *x = a + begin * from, *y = b + begin * to;
        T part(0);
        if constexpr (std::is_same_v<T, float>) part = cblas_sdot(length, x, from, y, to);
        else if constexpr (std::is_same_v<T, double>) part = cblas_ddot(length, x, from, y, to);
        else if constexpr (std::is_same_v<T, std::complex<float>>) cblas_cdotu_sub(length, x, from, y, to, &part);
        else cblas_zdotu_sub(length, x, from, y, to, &part);
        sum = begin == 0 ? part : sum + part;
    }
    return sum;
}

// Of two vectors. False where BLAS can't walk them.
template <class T>
bool dot(const Matrix& x, const Matrix& y, const Matrix& out) {
    constexpr std::int64_t least = 1 << 17;  // elements of a part that is worth a thread
    const int from = step_of(x, sizeof(T)), to = step_of(y, sizeof(T));
    if (out.rows != 1 || out.columns != 1 || from == 0 || to == 0) return false;
    // With steps OpenBLAS's dot of complex numbers reads one element behind the last one, which may be behind the memory.
    if (ops::Complex<T> && (from != 1 || to != 1)) return false;
    struct Parts {
        const T *a, *b;
        int from, to;
        std::int64_t count, each;
        std::array<T, 64> sums{};
    } parts{reinterpret_cast<const T*>(x.data), reinterpret_cast<const T*>(y.data), from, to, x.columns, x.columns};
    std::int64_t tasks = 1;
    if (!fastnp::detail::is_deterministic() && x.columns >= 2 * least) {  // a sum of parts depends on how many there are
        tasks = std::min<std::int64_t>({base::thread_count(), x.columns / least, static_cast<std::int64_t>(parts.sums.size())});
        parts.each = (x.columns + tasks - 1) / tasks;
    }
    base::parallel_for(
        tasks,
        [](void* self, std::int64_t task, int) {
            Parts& all = *static_cast<Parts*>(self);
            const std::int64_t begin = task * all.each, count = std::min(all.each, all.count - begin);
            const BlasCall call;
            all.sums[static_cast<std::size_t>(task)] = dot(count, all.a + begin * all.from, all.from, all.b + begin * all.to, all.to);
        },
        &parts);
    T sum = parts.sums[0];
    for (std::int64_t task = 1; task < tasks; ++task) sum += parts.sums[static_cast<std::size_t>(task)];
    *reinterpret_cast<T*>(out.data) = sum;
    return true;
}

// With a vector on one side, a matrix is read once, at the speed of memory. False where a layout doesn't fit.
template <class T>
bool gemv(const Matrix& x, const Matrix& y, const Matrix& out) {
    if (out.rows != 1 && out.columns != 1) return false;
    const Matrix& matrix = out.columns == 1 ? x : y;
    const Matrix& vector = out.columns == 1 ? y : x;
    const Layout layout = layout_of(matrix, sizeof(T));
    const int from = step_of(vector, sizeof(T)), to = step_of(out, sizeof(T));
    if (!layout.fits || from == 0 || to == 0) return false;
    // As it lies in memory, in rows; the product is with its rows, or with its columns.
    const bool turned = layout.transpose == CblasTrans;
    const int rows = static_cast<int>(turned ? matrix.columns : matrix.rows), columns = static_cast<int>(turned ? matrix.rows : matrix.columns);
    const CBLAS_TRANSPOSE transpose = (out.columns == 1) == turned ? CblasTrans : CblasNoTrans;
    const T one(1), zero(0);
    const auto* a = reinterpret_cast<const T*>(matrix.data);
    const auto* v = reinterpret_cast<const T*>(vector.data);
    auto* r = reinterpret_cast<T*>(out.data);
    if constexpr (std::is_same_v<T, float>) cblas_sgemv(CblasRowMajor, transpose, rows, columns, one, a, layout.leading, v, from, zero, r, to);
    else if constexpr (std::is_same_v<T, double>) cblas_dgemv(CblasRowMajor, transpose, rows, columns, one, a, layout.leading, v, from, zero, r, to);
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        cblas_cgemv(CblasRowMajor, transpose, rows, columns, &one, a, layout.leading, v, from, &zero, r, to);
    else cblas_zgemv(CblasRowMajor, transpose, rows, columns, &one, a, layout.leading, v, from, &zero, r, to);
    return true;
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
        if (out.rows == 1 && out.columns == 1) {
            if (step_of(x, sizeof(T)) == 0) x = packed(x, dtype, held_x);
            if (step_of(y, sizeof(T)) == 0) y = packed(y, dtype, held_y);
            if (dot<T>(x, y, out)) return;
        }
        const BlasCall call;
        if (gemv<T>(x, y, out)) return;
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

Matrix block_of(const Matrix& m, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
    return {m.data + row * m.row_stride + column * m.column_stride, rows, columns, m.row_stride, m.column_stride};
}

// How many multiplications make a task of their own: about 5 microseconds of one processor.
constexpr std::int64_t least_work = 1 << 18;
constexpr std::int64_t block = 16;  // that the edges of blocks are multiples of, as BLAS's own kernels are

// A stack of products, cut into tasks: of some matrices each or, if there are few, of a block of one matrix's rows and columns.
class Products {
public:
    Products(const View& x, const View& y, const View& out) : x_(x), y_(y), out_(out), rank_(out.shape.size()) {
        for (std::size_t i = 0; i + 2 < rank_; ++i) matrices_ *= out.shape[i];
        if (matrices_ == 0) return;
        const std::int64_t rows = out.shape[rank_ - 2], columns = out.shape[rank_ - 1];
        const std::int64_t work = rows * columns * std::max<std::int64_t>(x.shape[rank_ - 1], 1);
        const std::int64_t threads = fastnp::detail::is_deterministic() ? matrices_ : base::thread_count();  // a block's sums depend on its size
        const std::int64_t wanted = std::clamp<std::int64_t>(work * matrices_ / least_work, 1, threads);
        if (matrices_ >= wanted || rows * columns == 1) {  // products of vectors have no blocks: they share their elements (dot)
            per_task_ = std::max<std::int64_t>(1, std::min(matrices_ / wanted, 1 + least_work / std::max<std::int64_t>(work, 1)));
            return;
        }
        // The fewest edges for so many blocks.
        const std::int64_t blocks = (wanted + matrices_ - 1) / matrices_;
        std::int64_t fewest = INT64_MAX;
        for (std::int64_t down = 1; down <= blocks; ++down) {
            const std::int64_t across = blocks / down;
            const std::int64_t edges = rows * across + columns * down;
            if (down * across < blocks || edges >= fewest) continue;
            fewest = edges;
            down_ = down;
            across_ = across;
        }
    }

    void run() {
        const std::int64_t tasks = (matrices_ + per_task_ - 1) / per_task_ * down_ * across_;
        base::parallel_for(tasks, [](void* self, std::int64_t task, int) { static_cast<Products*>(self)->run(task); }, this);
    }

private:
    void run(std::int64_t task) const {
        const std::int64_t tile = task % (down_ * across_), first = task / (down_ * across_) * per_task_;
        for (std::int64_t number = first; number < std::min(first + per_task_, matrices_); ++number) {
            with_element(out_.dtype, [&]<class T>() { run_block<T>(number, tile / across_, tile % across_); });
        }
    }

    // As of sums: infinities that met a NaN first might meet each other in NumPy's order.
    template <class T>
    static void tell_nan(const Matrix& out) {
        if constexpr (std::is_floating_point_v<T> || ops::Complex<T>) {
            bool any = false;
            for (std::int64_t row = 0; row < out.rows; ++row) {
                const char* at = out.data + row * out.row_stride;
                if (out.column_stride == static_cast<std::int64_t>(sizeof(T))) {  // by vectors
                    const T* elements = reinterpret_cast<const T*>(at);
                    for (std::int64_t column = 0; column < out.columns; ++column) any |= elements[column] != elements[column];
                    continue;
                }
                for (std::int64_t column = 0; column < out.columns; ++column, at += out.column_stride) {
                    const T& element = *reinterpret_cast<const T*>(at);
                    any |= element != element;
                }
            }
            if (any) fastnp::detail::raise_float_flags(fastnp::detail::float_invalid);
        }
    }

    template <class T>
    void run_block(std::int64_t number, std::int64_t down, std::int64_t across) const {
        const Matrix x = matrix(x_, number), y = matrix(y_, number), out = matrix(out_, number);
        const auto [row, rows] = part_of(out.rows, down, down_);
        const auto [column, columns] = part_of(out.columns, across, across_);
        const Matrix made = block_of(out, row, rows, column, columns);
        product<T>(block_of(x, row, rows, 0, x.columns), block_of(y, 0, y.rows, column, columns), made, out_.dtype);
        if (x.columns > 1) tell_nan<T>(made);
    }

    // Where a part begins, and how long it is.
    static std::pair<std::int64_t, std::int64_t> part_of(std::int64_t length, std::int64_t number, std::int64_t parts) {
        const std::int64_t each = parts == 1 ? length : ((length + parts - 1) / parts + block - 1) / block * block;
        const std::int64_t begin = std::min(number * each, length);
        return {begin, std::min(each, length - begin)};
    }

    Matrix matrix(const View& view, std::int64_t number) const {
        char* data = static_cast<char*>(view.data);
        for (std::size_t i = rank_ - 2; i-- > 0;) {
            data += number % out_.shape[i] * view.strides[i];
            number /= out_.shape[i];
        }
        return {data, view.shape[rank_ - 2], view.shape[rank_ - 1], view.strides[rank_ - 2], view.strides[rank_ - 1]};
    }

    const View &x_, &y_, &out_;
    std::size_t rank_;
    std::int64_t matrices_ = 1, per_task_ = 1, down_ = 1, across_ = 1;
};

}  // namespace

// Products share their work among fastnp's own threads: OpenBLAS's wait by giving up the processor again and again, each for another one.
void run_matmul(const View& x, const View& y, const View& out) {
    use_blas();
    Products(x, y, out).run();
}

}  // namespace fastnp::eager
