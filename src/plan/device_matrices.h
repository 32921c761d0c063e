// Stacks of matrices on a device between the memory of a plan, in any strides, and that of libraries of linear algebra.
#pragma once

#include <optional>

#include "device/block.h"
#include "device/factorisation.h"
#include "eager/eager.h"

namespace fastnp::plan {

/// A stack of matrices or, in one column, of vectors, in memory of its own.
struct OwnMatrices {
    device::Block memory;
    eager::View view;
    device::InColumns columns;  // as libraries see them
};

/// Uninitialised. Columns lie one behind the other; `in_rows`: rows do, so that libraries see the transposes.
OwnMatrices make_matrices(device::Backend& backend, Dtype dtype, const Shape& stack, std::int64_t rows, std::int64_t columns, bool in_rows = false);
/// A copy of a view of two axes or more.
OwnMatrices copy_of_matrices(device::Backend& backend, const eager::View& view, bool in_rows = false);

/// A view as libraries see it, where its matrices lie in columns at equal distances; nothing where they can't walk it.
std::optional<device::InColumns> walked_in_columns(const eager::View& view);

/// The axes before the last `core` ones, and how many matrices that is.
Shape stack_of(const eager::View& view, std::size_t core = 2);
std::int64_t count_of(const Shape& stack);

/// Rows of matrices, a row as vectors, the diagonal as vectors, and the parts of elements (of real ones, which have no imaginary parts, all).
eager::View rows_of(const eager::View& view, std::int64_t first, std::int64_t count);
eager::View row_of(const eager::View& view, std::int64_t number);
eager::View diagonal_of(const eager::View& view);
eager::View transpose_of(const eager::View& view);
/// The one matrix that a stack repeats; another stack as it is.
eager::View without_repeats(const eager::View& view);
eager::View real_parts_of(const eager::View& view);
eager::View imaginary_parts_of(const eager::View& view);
/// Elements along the last axis from a place on, as matrices of these sizes in C order.
eager::View matrices_within(const eager::View& view, std::int64_t first, std::int64_t rows, std::int64_t columns);
eager::View elements_within(const eager::View& view, std::int64_t first, std::int64_t count);

/// to = the conjugate of from.
void conjugate_on_device(device::Backend& backend, const eager::View& from, const eager::View& to);
/// to = from in to's dtype; to = from - 1 and from + 1 of whole numbers (rows, which libraries count from 1).
void convert_on_device(device::Backend& backend, const eager::View& from, const eager::View& to);
void count_from_zero(device::Backend& backend, const eager::View& from, const eager::View& to);
void count_from_one(device::Backend& backend, const eager::View& from, const eager::View& to);
/// Eigenvectors of real matrices as `device::Factorisation` has them, complex: by the eigenvalues (..., n) into `to`. Before `from` and behind it there is
/// memory for a column more.
void join_pairs(device::Backend& backend, const eager::View& values, const eager::View& from, const eager::View& to);
/// What is on and below the diagonal, zeros elsewhere; what is below it, with ones on it.
void lower_part(device::Backend& backend, const eager::View& from, const eager::View& to);
void unit_lower_part(device::Backend& backend, const eager::View& from, const eager::View& to);
/// Whether an element is 0, is not a number, or is that or infinite: a bool on the device.
device::Block any_zero(device::Backend& backend, const eager::View& view);
device::Block any_nan(device::Backend& backend, const eager::View& view);
device::Block any_not_finite(device::Backend& backend, const eager::View& view);
/// Waits for it.
bool read_bool(const device::Block& found);

}  // namespace fastnp::plan
