// NumPy functions that are compositions of others: borders around arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup rearranging
/// @{

/// What a border is made of.
enum class PadMode : std::uint8_t {
    constant,     ///< values
    edge,         ///< the outermost elements
    linear_ramp,  ///< numbers at equal distances from the outermost elements to values
    maximum,      ///< the largest element along the axis, or of those next to the border
    mean,         ///< their mean
    median,       ///< their median
    minimum,      ///< the smallest one
    reflect,      ///< elements as in a mirror that the outermost ones lie on
    symmetric,    ///< elements as in a mirror between them and the border
    wrap,         ///< elements from the other end
    empty         ///< anything
};

/// Keyword arguments of pad(): a pair, for before and after, for each axis, or one for all.
struct PadOptions {
    PadMode mode = PadMode::constant;                                ///< what the border is made of
    std::vector<std::pair<Operand, Operand>> values = {{0, 0}};      ///< numbers or arrays of no axes, for `constant` and `linear_ramp`
    std::vector<std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>> stat_length = {
        {std::nullopt, std::nullopt}};  ///< of how many elements maximum, mean, median and minimum are; all unless given
    bool odd = false;                   ///< reflections are subtracted from twice the outermost element
};

/// numpy.pad: a copy within a border, a (before, after) pair of widths for each axis, or one for all. ValueError for negative widths, for an axis without
/// elements in other modes than `constant` and `empty`, and for extremes of no elements.
///
///     pad(array{1, 2, 3}, {{1, 2}}, {.mode = PadMode::wrap});  // 3 1 2 3 1 2
FASTNP_API array pad(const array& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths, const PadOptions& options);

/// @}

}  // namespace fastnp
