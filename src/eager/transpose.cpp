// Copies of matrices that lie the other way round, tile by tile: what a cache fetches at once is used at once.
#include "eager/transpose.h"

#include <algorithm>
#include <cstdint>

#include "base/thread_pool.h"
#include "eager/element_bits.h"
#include "eager/iterate.h"

namespace fastnp::eager {

namespace {

constexpr std::int64_t tile = 32;

// Rows of the result, whose elements lie side by side; those of a row of it lie `from_step` apart in the operand, where columns lie side by side.
struct Matrix {
    const char* from;
    char* to;
    std::int64_t rows, columns, from_step, to_step;
};

template <class T>
void copy_rows(const Matrix& matrix, std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; row += tile) {
        const std::int64_t rows = std::min(tile, end - row);
        for (std::int64_t column = 0; column < matrix.columns; column += tile) {
            const std::int64_t columns = std::min(tile, matrix.columns - column);
            for (std::int64_t i = 0; i < rows; ++i) {
                const char* from = matrix.from + (row + i) * static_cast<std::int64_t>(sizeof(T)) + column * matrix.from_step;
                T* const to = reinterpret_cast<T*>(matrix.to + (row + i) * matrix.to_step) + column;
                for (std::int64_t k = 0; k < columns; ++k, from += matrix.from_step) to[k] = *reinterpret_cast<const T*>(from);
            }
        }
    }
}

template <class T>
void copy_matrix(const Matrix& matrix) {
    if (matrix.rows * matrix.columns < parallel_elements) return copy_rows<T>(matrix, 0, matrix.rows);
    base::parallel_for((matrix.rows + tile - 1) / tile,
                       [](void* context, std::int64_t task, int) {
                           const Matrix& m = *static_cast<const Matrix*>(context);
                           copy_rows<T>(m, task * tile, std::min(m.rows, (task + 1) * tile));
                       },
                       const_cast<Matrix*>(&matrix));
}

}  // namespace

bool copy_transposed(const View& in, const View& out) {
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(in.dtype));
    if (in.shape.size() != 2) return false;
    for (const std::size_t row : {std::size_t{0}, std::size_t{1}}) {
        const std::size_t column = 1 - row;
        const bool lies_so = in.strides[row] == itemsize && out.strides[column] == itemsize && in.shape[0] >= 8 && in.shape[1] >= 8;
        if (!lies_so) continue;
        const Matrix matrix{
            static_cast<const char*>(in.data), static_cast<char*>(out.data), in.shape[row], in.shape[column], in.strides[column], out.strides[row]};
        with_bits(static_cast<std::size_t>(itemsize), [&]<class T>() { copy_matrix<T>(matrix); });
        return true;
    }
    return false;
}

}  // namespace fastnp::eager
