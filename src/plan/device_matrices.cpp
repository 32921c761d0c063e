#include "plan/device_matrices.h"

#include <array>
#include <utility>

#include "plan/device_copy.h"
#include "plan/device_kernel.h"
#include "shape/strides.h"

namespace fastnp::plan {

using eager::View;
using nest::ExprId;
using nest::Kernel;
using ops::Op;
using Elements = std::span<const ExprId>;

namespace {

std::int64_t size_of(Dtype dtype) { return static_cast<std::int64_t>(itemsize_of(dtype)); }

ExprId shifted(Kernel& kernel, ExprId number, std::int64_t by, Dtype result) {
    const ExprId whole = cast_to(kernel, number, Dtype::int64);
    return cast_to(kernel, applied(kernel, Op::add, whole, constant_of(kernel, Dtype::int64, by)), result);
}

// Compares the indices of the last two axes.
ExprId where_indices(Kernel& kernel, Op comparison, ExprId x, ExprId otherwise) {
    const std::size_t rank = kernel.axes.size();
    const ExprId row = index_along(kernel, rank - 2), column = index_along(kernel, rank - 1);
    return selected(kernel, applied(kernel, comparison, row, column, true), x, otherwise);
}

constexpr HandWritten convert{"convert", [](Kernel& kernel, Elements x, Dtype result) { return cast_to(kernel, x[0], result); }};
constexpr HandWritten conjugate{"conjugate", [](Kernel& kernel, Elements x, Dtype) { return applied(kernel, Op::conjugate, x[0]); }};
constexpr HandWritten from_zero{"count_from_zero", [](Kernel& kernel, Elements x, Dtype result) { return shifted(kernel, x[0], -1, result); }};
constexpr HandWritten from_one{"count_from_one", [](Kernel& kernel, Elements x, Dtype result) { return shifted(kernel, x[0], 1, result); }};
constexpr HandWritten lower{
    "lower_part", [](Kernel& kernel, Elements x, Dtype result) { return where_indices(kernel, Op::greater_equal, x[0], constant_of(kernel, result, 0)); }};
constexpr HandWritten unit_lower{"unit_lower_part", [](Kernel& kernel, Elements x, Dtype result) {
                                     const ExprId zero = constant_of(kernel, result, 0);
                                     const ExprId unit = where_indices(kernel, Op::equal, constant_of(kernel, result, 1), zero);
                                     return where_indices(kernel, Op::greater, x[0], unit);
                                 }};
constexpr HandWritten is_zero{
    "any_zero", [](Kernel& kernel, Elements x, Dtype) { return applied(kernel, Op::equal, x[0], constant_of(kernel, kernel.exprs[x[0]].dtype, 0), true); },
    Op::logical_or};
constexpr HandWritten is_nan{"any_nan", [](Kernel& kernel, Elements x, Dtype) { return applied(kernel, Op::not_equal, x[0], x[0], true); },
                             Op::logical_or};

constexpr HandWritten is_not_finite{"any_not_finite",
                                    [](Kernel& kernel, Elements x, Dtype) {
                                        const ExprId nothing = applied(kernel, Op::subtract, x[0], x[0]);  // not a number of infinities, too
                                        return applied(kernel, Op::not_equal, nothing, nothing, true);
                                    },
                                    Op::logical_or};

// Of the second one of a pair, whose eigenvalue's imaginary part is negative, the real parts are in the column before; of the first one the imaginary
// parts are in the column behind.
constexpr HandWritten real_part_of_pair{"real_part_of_pair", [](Kernel& kernel, Elements x, Dtype result) {
                                            const ExprId zero = constant_of(kernel, result, 0);
                                            return selected(kernel, applied(kernel, Op::less, x[0], zero, true), x[1], x[2]);
                                        }};
constexpr HandWritten imaginary_part_of_pair{"imaginary_part_of_pair", [](Kernel& kernel, Elements x, Dtype result) {
                                                 const ExprId zero = constant_of(kernel, result, 0);
                                                 const ExprId second = selected(kernel, applied(kernel, Op::less, x[0], zero, true),
                                                                                applied(kernel, Op::negative, x[1]), zero);
                                                 return selected(kernel, applied(kernel, Op::greater, x[0], zero, true), x[2], second);
                                             }};

device::Block any(device::Backend& backend, const HandWritten& test, const View& view) {
    device::Block found(backend, 1);
    View seen = view;
    Strides strides[] = {view.strides};
    shape::collapse(seen.shape, strides);
    seen.strides = strides[0];
    if (seen.shape.empty()) {
        seen.shape.push_back(1);
        seen.strides.push_back(size_of(view.dtype));
    }
    run_by_hand(backend, test, {&seen, 1}, {found.get(), Dtype::bool_, {}, {}});
    return found;
}

}  // namespace

OwnMatrices make_matrices(device::Backend& backend, Dtype dtype, const Shape& stack, std::int64_t rows, std::int64_t columns, bool in_rows) {
    Shape shape = stack;
    shape.push_back(in_rows ? rows : columns);
    shape.push_back(in_rows ? columns : rows);
    View view{nullptr, dtype, shape, shape::c_strides(shape, itemsize_of(dtype))};
    if (!in_rows) {
        std::swap(view.shape[stack.size()], view.shape.back());
        std::swap(view.strides[stack.size()], view.strides.back());
    }
    OwnMatrices made{{backend, shape::byte_count(shape, itemsize_of(dtype))}, std::move(view), {nullptr, in_rows ? columns : rows, rows * columns}};
    made.view.data = made.columns.data = made.memory.get();
    return made;
}

OwnMatrices copy_of_matrices(device::Backend& backend, const View& view, bool in_rows) {
    const std::size_t rank = view.shape.size();
    OwnMatrices made = make_matrices(backend, view.dtype, stack_of(view), view.shape[rank - 2], view.shape[rank - 1], in_rows);
    copy_on_device(backend, view, made.view);
    return made;
}

std::optional<device::InColumns> walked_in_columns(const View& view) {
    const std::size_t rank = view.shape.size();
    const std::int64_t size = size_of(view.dtype), rows = view.shape[rank - 2], columns = view.shape[rank - 1];
    const std::int64_t leading = columns == 1 ? rows * size : view.strides[rank - 1];
    const bool is_in_columns = (rows == 1 || view.strides[rank - 2] == size) && leading >= rows * size && leading % size == 0;
    if (!is_in_columns || reinterpret_cast<std::uintptr_t>(view.data) % static_cast<std::uintptr_t>(size) != 0) return std::nullopt;
    Shape stack = stack_of(view);
    Strides steps[] = {Strides(view.strides.begin(), view.strides.end() - 2)};
    shape::collapse(stack, steps);
    const std::int64_t whole = leading * columns, step = stack.empty() ? whole : steps[0][0];
    if (stack.size() > 1 || step < whole || step % size != 0) return std::nullopt;
    return device::InColumns{view.data, leading / size, step / size};
}

Shape stack_of(const View& view, std::size_t core) { return {view.shape.begin(), view.shape.end() - static_cast<std::ptrdiff_t>(core)}; }
std::int64_t count_of(const Shape& stack) { return shape::count(stack); }

View rows_of(const View& view, std::int64_t first, std::int64_t count) {
    View part = view;
    const std::size_t axis = view.shape.size() - 2;
    part.data = static_cast<char*>(view.data) + first * view.strides[axis];
    part.shape[axis] = count;
    return part;
}

View row_of(const View& view, std::int64_t number) {
    View row = rows_of(view, number, 1);
    row.shape.erase(row.shape.end() - 2);
    row.strides.erase(row.strides.end() - 2);
    return row;
}

View diagonal_of(const View& view) {
    View diagonal = row_of(view, 0);
    diagonal.strides.back() += view.strides[view.strides.size() - 2];
    return diagonal;
}

View transpose_of(const View& view) {
    View turned = view;
    const std::size_t rank = view.shape.size();
    std::swap(turned.shape[rank - 2], turned.shape[rank - 1]);
    std::swap(turned.strides[rank - 2], turned.strides[rank - 1]);
    return turned;
}

View without_repeats(const View& view) {
    const std::size_t rank = view.shape.size();
    for (std::size_t i = 0; i + 2 < rank; ++i) {
        if (view.strides[i] != 0 && view.shape[i] != 1) return view;
    }
    View one = view;
    one.shape.assign(view.shape.end() - 2, view.shape.end());
    one.strides.assign(view.strides.end() - 2, view.strides.end());
    return one;
}

View real_parts_of(const View& view) {
    View parts = view;
    parts.dtype = real_of(view.dtype);
    return parts;
}

View imaginary_parts_of(const View& view) {
    View parts = real_parts_of(view);
    parts.data = static_cast<char*>(view.data) + itemsize_of(parts.dtype);
    return parts;
}

View elements_within(const View& view, std::int64_t first, std::int64_t count) {
    View part = view;
    part.data = static_cast<char*>(view.data) + first * view.strides.back();
    part.shape.back() = count;
    return part;
}

View matrices_within(const View& view, std::int64_t first, std::int64_t rows, std::int64_t columns) {
    View part = elements_within(view, first, rows);
    part.strides.back() = columns * view.strides.back();
    part.shape.push_back(columns);
    part.strides.push_back(view.strides.back());
    return part;
}

void convert_on_device(device::Backend& backend, const View& from, const View& to) {
    if (from.dtype == to.dtype) copy_on_device(backend, from, to);
    else run_by_hand(backend, convert, {&from, 1}, to);
}
void conjugate_on_device(device::Backend& backend, const View& from, const View& to) {
    if (is_complex(from.dtype)) run_by_hand(backend, conjugate, {&from, 1}, to);
    else copy_on_device(backend, from, to);
}
void count_from_zero(device::Backend& backend, const View& from, const View& to) { run_by_hand(backend, from_zero, {&from, 1}, to); }
void count_from_one(device::Backend& backend, const View& from, const View& to) { run_by_hand(backend, from_one, {&from, 1}, to); }
void lower_part(device::Backend& backend, const View& from, const View& to) { run_by_hand(backend, lower, {&from, 1}, to); }
void unit_lower_part(device::Backend& backend, const View& from, const View& to) { run_by_hand(backend, unit_lower, {&from, 1}, to); }

void join_pairs(device::Backend& backend, const View& values, const View& from, const View& to) {
    View signs = imaginary_parts_of(values);  // for each row the same
    signs.shape = from.shape;
    signs.strides.insert(signs.strides.end() - 1, 0);
    View before = from, after = from;
    before.data = static_cast<char*>(from.data) - from.strides.back();
    after.data = static_cast<char*>(from.data) + from.strides.back();
    run_by_hand(backend, real_part_of_pair, std::array{signs, before, from}, real_parts_of(to));
    run_by_hand(backend, imaginary_part_of_pair, std::array{signs, from, after}, imaginary_parts_of(to));
}

device::Block any_zero(device::Backend& backend, const View& view) { return any(backend, is_zero, view); }
device::Block any_nan(device::Backend& backend, const View& view) { return any(backend, is_nan, view); }
device::Block any_not_finite(device::Backend& backend, const View& view) { return any(backend, is_not_finite, view); }

bool read_bool(const device::Block& found) {
    bool value = false;
    found.backend().download(&value, found.get(), 1);
    return value;
}

}  // namespace fastnp::plan
