// Random numbers drawn by the host or a device, bit for bit those that NumPy draws from the same generator.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// One of NumPy's bit generators: of those that can be begun anywhere in their streams a copy, between two draws, as its `state` says.
struct BitGenerator {
    /// `lent`: any of them, itself, which draws by its own functions. Copies of this go on with the same one.
    enum class Kind : std::uint8_t { pcg64, pcg64dxsm, philox, lent };
    static constexpr std::size_t lcg_words = 4, philox_words = 11;

    Kind kind = Kind::pcg64;
    /// Of the first two: `state`, then `inc`, each the low half first. Of Philox: `counter`, `key`, `buffer`, `buffer_pos`.
    std::array<std::uint64_t, philox_words> words{};
    bool has_half = false;   ///< `has_uint32`
    std::uint32_t half = 0;  ///< `uinteger`
    void* stream = nullptr;  ///< of `lent` NumPy's `bitgen_t` (numpy/random/bitgen.h), which outlives this
};

/// What is drawn: shift + scale * (a number of a distribution), or whole numbers from low to low + range.
struct Draw {
    enum class Kind : std::uint8_t { uniform, normal, exponential, integers };

    Kind kind = Kind::uniform;
    Dtype dtype = Dtype::float64;          ///< float32 and float64; float32 is neither shifted nor scaled. Of integers: bool, or an integer's
    double shift = -0.0, scale = 1;        ///< (-0.0 is what changes no number)
    std::uint64_t low = 0, range = 0;      ///< as bits of the dtype; range is not 0
    std::optional<double> close = std::nullopt;  ///< for tests: how close the two sides of a comparison may be, as a part of them, for a device to make it
};

/// Numbers that are worth a kernel.
inline constexpr std::int64_t least_drawn_on_device = 1 << 15;

/// New memory on the device that the thread's scope names, filled as NumPy's Generator would (random, uniform, integers; standard_normal, normal,
/// standard_exponential and exponential by the ziggurat method), and the generator as it is after that. Nothing, and the generator as it was, where the
/// host has to draw: there is no device, no element, the generator is lent, or what comes up is too rare to be worth code. Waits for the device where the
/// number of draws is known only then. (cupy.random draws other streams.)
FASTNP_API std::optional<array> draw_on_device(BitGenerator& generator, const Draw& draw, const Shape& shape);

}  // namespace fastnp::detail
