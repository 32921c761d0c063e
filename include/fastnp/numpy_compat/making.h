// NumPy functions that are compositions of others: samples, grids and matrices made of numbers and vectors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup making
/// @{

/// What linspace_with_step() gives.
struct SpacedSamples {
    array values;           ///< at equal distances along the axis
    array step;             ///< from one to the next, of the shape of the ends; NaN where there is none
    bool has_step = false;  ///< whether there is one: there are two samples, or one before the end
};
/// numpy.linspace with retstep=True: so many samples from each start to its stop, which are broadcast, along a new axis; and their distance. Floating, in
/// the dtype of both ends, unless `dtype` is given; of integers float64. ValueError for a negative number.
FASTNP_API SpacedSamples linspace_with_step(const Operand& start, const Operand& stop, std::int64_t num = 50, bool endpoint = true,
                                            std::optional<Dtype> dtype = std::nullopt, int axis = 0);
/// numpy.linspace of arrays.
///
///     linspace(array{0.0, 1.0}, array{1.0, 3.0}, 3);  // {{0, 1}, {0.5, 2}, {1, 3}}
FASTNP_API array linspace(const array& start, const array& stop, std::int64_t num = 50, bool endpoint = true, std::optional<Dtype> dtype = std::nullopt,
                          int axis = 0);
/// numpy.logspace: base ** linspace(start, stop, num).
FASTNP_API array logspace(const Operand& start, const Operand& stop, std::int64_t num = 50, bool endpoint = true, const Operand& base = 10.0,
                          std::optional<Dtype> dtype = std::nullopt, int axis = 0);
/// numpy.geomspace: so many numbers from start to stop, each the same multiple of the one before; at least float64 unless `dtype` is given. ValueError for
/// ends that are 0.
FASTNP_API array geomspace(const Operand& start, const Operand& stop, std::int64_t num = 50, bool endpoint = true,
                           std::optional<Dtype> dtype = std::nullopt, int axis = 0);

/// numpy.vander: the powers of each element as a row, from the largest down to 0, or from 0 up; as many columns as elements unless given. ValueError for
/// another number of axes than one.
FASTNP_API array vander(const array& x, std::optional<std::int64_t> columns = std::nullopt, bool increasing = false);
/// numpy.indices: for each axis of a shape the place along it of each element, stacked in front.
FASTNP_API array indices(const Shape& dimensions, Dtype dtype = int64);
/// numpy.indices with sparse=True: for each axis 0, 1, 2, ... along it, the others with one element.
FASTNP_API std::vector<array> open_indices(const Shape& dimensions, Dtype dtype = int64);
/// numpy.ix_: vectors as views along an axis each, the others with one element; of bools where they are true. ValueError for other numbers of axes.
FASTNP_API std::vector<array> ix_(const std::vector<array>& vectors);

/// Whether the first vector is along the second axis, as x goes from left to right, or along the first.
enum class Indexing : std::uint8_t { xy, ij };
/// numpy.meshgrid: vectors along an axis each, broadcast together unless `sparse`; copies, or views of the vectors.
FASTNP_API std::vector<array> meshgrid(const std::vector<array>& vectors, bool copy = true, bool sparse = false, Indexing indexing = Indexing::xy);

/// @}

}  // namespace fastnp
