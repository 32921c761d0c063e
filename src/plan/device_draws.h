// Random numbers on a device, as NumPy draws them.
#pragma once

#include <cstdint>
#include <optional>

#include "device/backend.h"
#include "fastnp/detail/draws.h"

namespace fastnp::plan {

/// Pieces that were used, each of so many bits (device/raw_stream.h).
struct UsedPieces {
    std::int64_t count = 0;
    int bits = 64;
};

/// Draws `count` numbers, at least one, into memory on the device. Nothing: the host has to draw; what the memory has then is of no use.
std::optional<UsedPieces> draw(device::Backend& backend, const detail::BitGenerator& generator, const detail::Draw& draw, void* out, std::int64_t count);

}  // namespace fastnp::plan
