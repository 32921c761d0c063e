// Diagonals and triangles of matrices.
#include "fastnp/numpy_compat/diagonals.h"

#include <algorithm>
#include <string>

#include "fastnp/detail/layout.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "size.h"

namespace fastnp {

using compat::axis_of;
using compat::Size;
using compat::size_of;

namespace {

int named_axis(const array& x, int axis, const char* name) {
    try {
        return axis_of(x, axis);
    } catch (const AxisError& error) {
        throw AxisError(std::string(name) + ": " + error.what());
    }
}

Size smaller(Size a, Size b) { return a >= b ? b : a; }

// A matrix at the end of the axes, and which of its diagonals is meant.
struct Matrix {
    array x;
    Size rows, columns, above;

    Size length() const {
        const Size reach = above >= 0 ? smaller(rows, columns - above) : smaller(rows + above, columns);
        return reach >= 0 ? reach : Size(0);
    }
    // Where the diagonal begins in the line of all rows.
    Size start() const { return above >= 0 ? above : (Size(0) - above) * columns; }
};

Matrix matrix_of(const array& x, int rows, int columns, Size above) {
    Shape order;
    for (int i = 0; i < x.ndim(); ++i) {
        if (i != rows && i != columns) order.push_back(i);
    }
    order.push_back(rows);
    order.push_back(columns);
    return {transpose(x, order), size_of(x, rows), size_of(x, columns), above};
}

Shape with_line(const array& x, Size length) {
    Shape shape = detail::symbolic_shape(x);
    shape.pop_back();
    shape.back() = length.raw();
    return shape;
}

// A step through rows, or columns, that are one behind the other in memory; nothing where they are not.
std::optional<array> stepped(const Matrix& matrix) {
    const array line = reshape(matrix.x, with_line(matrix.x, matrix.rows * matrix.columns));
    if (!detail::is_beside(line, matrix.x)) return std::nullopt;
    const Size step = matrix.columns + 1, length = matrix.length();
    if (length == 0) return line(ellipsis, range(0, 0));
    return line(ellipsis, range(matrix.start().raw(), (matrix.start() + (length - 1) * step + 1).raw(), step.now()));
}

array picked(const Matrix& matrix) {
    const array line = reshape(matrix.x, with_line(matrix.x, matrix.rows * matrix.columns));
    const array places = detail::size_range(0, matrix.length().raw()) * detail::size_value((matrix.columns + 1).raw());
    return take(line, places + detail::size_value(matrix.start().raw()), -1, TakeMode::clip);
}

// Not to be written to, neither where a call returns it.
array to_read(const array& x) { return broadcast_to(x, detail::symbolic_shape(x)); }

struct Places {
    int first, second;
};

Places places_of(const array& x, int axis1, int axis2) {
    if (x.ndim() < 2) throw ValueError("diag requires an array of at least two dimensions");
    const Places places{named_axis(x, axis1, "axis1"), named_axis(x, axis2, "axis2")};
    if (places.first == places.second) throw ValueError("axis1 and axis2 cannot be the same");
    return places;
}

// Where columns are no further right than rows are down, and k places.
array lower_triangle(Size rows, Size columns, Size k) {
    if (rows < 0) rows = 0;
    if (columns < 0) columns = 0;
    if (k < Size(0) - rows) k = Size(0) - rows;  // diagonals beyond are all alike
    if (k > columns) k = columns;
    constexpr std::int64_t most = 1 << 14;
    const bool is_known = !detail::is_symbolic(rows.raw()) && !detail::is_symbolic(columns.raw()) && !detail::is_symbolic(k.raw());
    if (is_known && detail::recording_of_sizes() == nullptr && rows.raw() < most && columns.raw() < most) {  // several times as fast
        return greater_equal(arange(rows.raw()).astype(Dtype::int16)(all, newaxis), arange(0 - k.raw(), columns.raw() - k.raw()).astype(Dtype::int16));
    }
    const array first = detail::size_range(0, rows.raw()), second = detail::size_range(0, columns.raw());
    return greater_equal(first(all, newaxis), second - detail::size_value(k.raw()));
}

array triangle(const array& x, std::int64_t k, bool is_lower) {
    if (x.ndim() == 0) throw ValueError("a triangle is one of an array of at least one dimension");
    const Size columns = size_of(x, -1), rows = x.ndim() == 1 ? columns : size_of(x, -2);
    const array below = lower_triangle(rows, columns, is_lower ? Size(k) : Size(k) - 1);
    const array none = zeros({1}, x.dtype());
    return is_lower ? where(below, x, none) : where(below, none, x);
}

std::pair<array, array> places_in(const array& mask) {
    const std::vector<array> found = nonzero(mask);
    return {found[0], found[1]};
}

// Rows and columns of a triangle of so many, row by row; nothing where they are not known.
std::optional<std::pair<array, array>> known_places(Size rows, Size columns, Size k, bool is_lower) {
    for (const Size each : {rows, columns, k}) {
        if (detail::is_symbolic(each.raw())) return std::nullopt;
    }
    const std::int64_t width = std::max<std::int64_t>(columns.raw(), 0),
                       shift = std::clamp<std::int64_t>(k.raw(), -std::max<std::int64_t>(rows.raw(), 0), width);
    const auto from = [&](std::int64_t row) { return is_lower ? 0 : std::clamp<std::int64_t>(row + shift, 0, width); };
    const auto to = [&](std::int64_t row) { return is_lower ? std::clamp<std::int64_t>(row + shift + 1, 0, width) : width; };
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < rows.raw(); ++row) count += to(row) - from(row);
    array first = array::uninitialized(Dtype::int64, {count}), second = array::uninitialized(Dtype::int64, {count});
    auto *one = first.data<std::int64_t>(), *other = second.data<std::int64_t>();
    for (std::int64_t row = 0; row < rows.raw(); ++row) {
        for (std::int64_t column = from(row), end = to(row); column < end; ++column) {
            *one++ = row;
            *other++ = column;
        }
    }
    return std::pair(first, second);
}

}  // namespace

array diagonal(const array& x, std::int64_t offset, int axis1, int axis2) {
    const auto [first, second] = places_of(x, axis1, axis2);
    if (!compat::is_recorded(x)) return detail::diagonal_view(x, offset, first, second);
    const Matrix matrix = matrix_of(x, first, second, offset);
    if (const auto found = stepped(matrix)) return to_read(*found);
    if (const auto found = stepped(matrix_of(x, second, first, Size(0) - offset))) return to_read(*found);
    return to_read(picked(matrix));
}

array diagonal_sum(const array& x, std::int64_t offset, int axis1, int axis2, const FoldOptions& options) {
    const auto [first, second] = places_of(x, axis1, axis2);
    FoldOptions along_last = options;
    along_last.axis = -1;
    if (!compat::is_recorded(x)) return sum(detail::diagonal_view(x, offset, first, second), along_last);
    const array total = sum(picked(matrix_of(x, first, second, offset)), along_last);
    if (options.out || x.ndim() < 4) return total;
    return detail::laid_as_computed(total, {x}, {std::min(first, second), std::max(first, second)});
}

array diag(const array& x, std::int64_t k) {
    if (x.ndim() == 2) return diagonal(x, k);
    if (x.ndim() != 1) throw ValueError("Input must be 1- or 2-d.");
    const bool is_above = Size(k) >= 0;
    const Size side = is_above ? Size(k) : Size(0) - k, length = size_of(x, 0), size = length + side;
    if (!compat::is_recorded(x)) {
        const std::int64_t n = size.raw(), start = is_above ? k : -k * n;
        const array line = zeros({n * n}, x.dtype());
        if (length > 0) line(range(start, start + (length.raw() - 1) * (n + 1) + 1, n + 1)) = x;
        return reshape(line, {n, n});
    }
    // An element for each row, or for each column: the sizes stay what they are.
    const array number = detail::size_range(0, size.raw()), shift = detail::size_value(side.raw());
    const array rows = is_above ? number(all, newaxis) + shift : number(all, newaxis);
    const array columns = is_above ? number : number + shift;
    const array padded = pad(x, {{0, side.raw()}});
    return where(rows == columns, is_above ? padded(all, newaxis) : padded, zeros({}, x.dtype()));
}

array diagflat(const array& x, std::int64_t k) { return diag(compat::line_of(x), k); }

array tril(const array& x, std::int64_t k) { return triangle(x, k, true); }
array triu(const array& x, std::int64_t k) { return triangle(x, k, false); }

array tri(std::int64_t rows, std::optional<std::int64_t> columns, std::int64_t k, Dtype dtype) {
    const array made = lower_triangle(rows, columns.value_or(rows), k);
    return dtype == Dtype::bool_ ? made : made.astype(dtype);
}

std::pair<array, array> tril_indices(std::int64_t rows, std::int64_t k, std::optional<std::int64_t> columns) {
    if (detail::recording_of_sizes() == nullptr) {
        if (auto known = known_places(rows, columns.value_or(rows), k, true)) return std::move(*known);
    }
    return places_in(tri(rows, columns, k, Dtype::bool_));
}

std::pair<array, array> triu_indices(std::int64_t rows, std::int64_t k, std::optional<std::int64_t> columns) {
    if (detail::recording_of_sizes() == nullptr) {
        if (auto known = known_places(rows, columns.value_or(rows), k, false)) return std::move(*known);
    }
    return places_in(logical_not(tri(rows, columns, (Size(k) - 1).raw(), Dtype::bool_)));
}

}  // namespace fastnp
