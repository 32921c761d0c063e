// Factors of stacks of small matrices by Householder's reflections, for one dtype of LAPACK's: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy
// name in quotes. Signs are LAPACK's: the diagonal of R is real, and has the other sign than what it was made of.
#include "fastnp/dtype.h"
#include "threads.h"

using namespace fastnp;
using namespace fastnp::kernels;

namespace {

constexpr Dtype dtype = Dtype::FASTNP_DTYPE;
constexpr bool has_imaginary_part = dtype == Dtype::complex64 || dtype == Dtype::complex128;
using Real = std::conditional_t<dtype == Dtype::float32 || dtype == Dtype::complex64, float, double>;

// Of real dtypes the imaginary part is 0, and nothing is computed with it.
struct Number {
    Real re, im;
};

[[gnu::always_inline]] inline Number load(const char* from) {
    const auto* parts = reinterpret_cast<const Real*>(from);
    if constexpr (has_imaginary_part) return {parts[0], parts[1]};
    else return {parts[0], 0};
}
[[gnu::always_inline]] inline void store(char* to, Number x) {
    auto* parts = reinterpret_cast<Real*>(to);
    parts[0] = x.re;
    if constexpr (has_imaginary_part) parts[1] = x.im;
}
[[gnu::always_inline]] inline Number conjugate(Number x) { return {x.re, -x.im}; }
[[gnu::always_inline]] inline Number scaled(Number x, Real by) {
    if constexpr (has_imaginary_part) return {x.re * by, x.im * by};
    else return {x.re * by, 0};
}
[[gnu::always_inline]] inline Number times(Number x, Number y) {
    if constexpr (has_imaginary_part) return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
    else return {x.re * y.re, 0};
}
[[gnu::always_inline]] inline Number plus(Number x, Number y) {
    if constexpr (has_imaginary_part) return {x.re + y.re, x.im + y.im};
    else return {x.re + y.re, 0};
}
[[gnu::always_inline]] inline Number minus(Number x, Number y) {
    if constexpr (has_imaginary_part) return {x.re - y.re, x.im - y.im};
    else return {x.re - y.re, 0};
}
[[gnu::always_inline]] inline Real size_of(Number x) {  // the larger part's
    const Real re = __builtin_elementwise_abs(x.re), im = has_imaginary_part ? __builtin_elementwise_abs(x.im) : 0;
    return re > im ? re : im;
}
[[gnu::always_inline]] inline Real square_of(Number x) {
    if constexpr (has_imaginary_part) return x.re * x.re + x.im * x.im;
    else return x.re * x.re;
}

// A column of which all but the first element become 0: I - factor v v^H, where v is 1 and the column below, scaled, then multiplied.
struct Reflection {
    Number factor, multiplier;
    Real scale, diagonal;  // what the first element becomes
};

// Squares of what is scaled, by a power of two, neither overflow nor are they lost.
struct Range {
    Real large, small, down, up;
};
constexpr Range range = sizeof(Real) == 8 ? Range{Real(0x1p400), Real(0x1p-400), Real(0x1p-600), Real(0x1p600)}
                                          : Range{Real(0x1p50), Real(0x1p-50), Real(0x1p-70), Real(0x1p90)};

[[gnu::always_inline]] inline Reflection reflection_of(const char* first, std::int64_t below, std::int64_t step) {
    const Number alpha = load(first);
    Real largest = 0;
    for (std::int64_t i = 1; i <= below; ++i) {
        const Real size = size_of(load(at(first, i * step)));
        largest = size > largest ? size : largest;
    }
    if (largest == 0 && alpha.im == 0) return {{0, 0}, {0, 0}, 1, alpha.re};
    const Real whole = largest > size_of(alpha) ? largest : size_of(alpha);
    const Real scale = whole > range.large ? range.down : whole < range.small ? range.up : 1;
    const Number own = scaled(alpha, scale);
    Real sum = square_of(own);
    for (std::int64_t i = 1; i <= below; ++i) sum += square_of(scaled(load(at(first, i * step)), scale));
    const Real length = __builtin_elementwise_sqrt(sum), diagonal = -__builtin_elementwise_copysign(length, alpha.re);
    const Number distance{own.re - diagonal, own.im};
    const Real square = square_of(distance);
    const Number multiplier = has_imaginary_part ? Number{distance.re / square, -distance.im / square} : Number{1 / distance.re, 0};
    return {{(diagonal - own.re) / diagonal, -own.im / diagonal}, multiplier, scale, diagonal * (1 / scale)};
}

// What (I - factor v v^H) makes of a column: v's first element, which is 1, does not lie where the others do.
[[gnu::always_inline]] inline void reflect(const char* v, std::int64_t v_step, Number factor, char* column, std::int64_t step, std::int64_t below) {
    Number sum = load(column);
    for (std::int64_t i = 1; i <= below; ++i) sum = plus(sum, times(conjugate(load(at(v, i * v_step))), load(at(column, i * step))));
    sum = times(factor, sum);
    store(column, minus(load(column), sum));
    for (std::int64_t i = 1; i <= below; ++i) {
        char* const element = at(column, i * step);
        store(element, minus(load(element), times(load(at(v, i * v_step)), sum)));
    }
}

}  // namespace

#define FASTNP_REFLECT_KERNEL(name, ...)                                                                   \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)

// Matrices (rows, columns) become R and the reflections; behind each lies a row that gets their factors. A team of threads (a power of two) has a matrix,
// each thread some of its columns. Elements of a row lie side by side.
FASTNP_REFLECT_KERNEL(qr, char* matrices, std::int64_t rows, std::int64_t columns, std::int64_t step, std::int64_t row_step, std::int64_t count,
                      std::int64_t team) {
    constexpr std::int64_t size = sizeof(element_of<dtype>);
    const std::int64_t rank = thread() & (team - 1), of_block = threads / team, reflections = rows < columns ? rows : columns;
    for (std::int64_t first = block() * of_block; first < count; first += blocks() * of_block) {
        const std::int64_t number = first + thread() / team;
        const bool has_matrix = number < count;
        char* const matrix = at(matrices, (has_matrix ? number : 0) * step);
        char* const factors = at(matrix, rows * row_step);
        for (std::int64_t i = 0; i < reflections; ++i) {
            char* const corner = at(matrix, i * row_step + i * size);
            const std::int64_t below = rows - 1 - i;
            Reflection made{};
            if (has_matrix) made = reflection_of(corner, below, row_step);
            barrier();
            for (std::int64_t k = 1 + rank; has_matrix && k <= below; k += team) {
                char* const element = at(corner, k * row_step);
                store(element, times(scaled(load(element), made.scale), made.multiplier));
            }
            barrier();
            for (std::int64_t j = i + 1 + rank; has_matrix && j < columns; j += team) {
                reflect(corner, row_step, conjugate(made.factor), at(matrix, i * row_step + j * size), row_step, below);
            }
            if (has_matrix && rank == 0) {
                store(corner, {made.diagonal, 0});
                store(at(factors, i * size), made.factor);
            }
            barrier();
        }
        for (std::int64_t j = reflections + rank; has_matrix && j < columns; j += team) store(at(factors, j * size), {0, 0});
    }
}

// The first columns of Q (rows, columns), in C order, by the reflections that `packed` has in its columns, and their factors in a row behind these. A
// thread has a column.
FASTNP_REFLECT_KERNEL(householder, const char* packed, char* q, std::int64_t rows, std::int64_t columns, std::int64_t reflections, std::int64_t step,
                      std::int64_t row_step, std::int64_t column_step, std::int64_t units) {
    constexpr std::int64_t size = sizeof(element_of<dtype>);
    const std::int64_t q_row = columns * size;
    for_each(units, [&](std::int64_t unit) {
        const std::int64_t number = unit / columns, j = unit - number * columns;
        const char* const matrix = at(packed, number * step);
        char* const column = at(q, number * rows * q_row + j * size);
        for (std::int64_t i = 0; i < rows; ++i) store(at(column, i * q_row), {i == j ? Real(1) : Real(0), 0});
        // Those after the j-th have nothing to reflect.
        for (std::int64_t i = j < reflections ? j : reflections - 1; i >= 0; --i) {
            const Number factor = load(at(matrix, rows * row_step + i * column_step));
            reflect(at(matrix, i * row_step + i * column_step), row_step, factor, at(column, i * q_row), q_row, rows - 1 - i);
        }
    });
}
