// NumPy functions that are compositions of others: elements as bits of bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup elementwise
/// @{

/// The first bit of a byte.
enum class BitOrder : std::uint8_t { big, little };

/// numpy.packbits: eight elements along an axis (without one: of all, flattened) as the bits of a byte (uint8), set where they are not zero; the last byte
/// is filled up with zeros. TypeError for other dtypes than bool and integers.
///
///     packbits(array{true, false, true});  // [160]
FASTNP_API array packbits(const array& x, std::optional<int> axis = std::nullopt, BitOrder order = BitOrder::big);

/// numpy.unpackbits: the bits of bytes (uint8), each as an element. `count`: so many along the axis, zeros behind those that there are; below 0 all but so
/// many. TypeError for other dtypes than uint8.
///
///     unpackbits(array{160}.astype(Dtype::uint8), 0, 3);  // [1 0 1]
FASTNP_API array unpackbits(const array& x, std::optional<int> axis = std::nullopt, std::optional<std::int64_t> count = std::nullopt,
                            BitOrder order = BitOrder::big);

/// @}

}  // namespace fastnp
