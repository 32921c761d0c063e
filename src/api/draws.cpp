#include "fastnp/detail/draws.h"

#include "api/primitives.h"
#include "device/bit_generator.h"
#include "device/movable.h"
#include "device/registry.h"
#include "plan/device_draws.h"
#include "shape/strides.h"

namespace fastnp::detail {

std::optional<array> draw_on_device(BitGenerator& generator, const Draw& draw, const Shape& shape) {
    device::Backend* const backend = device::current_backend();
    const std::int64_t count = shape::count(shape);
    if (backend == nullptr || count == 0 || generator.kind == BitGenerator::Kind::lent) return std::nullopt;
    const std::size_t itemsize = itemsize_of(draw.dtype);
    const device::There there = device::allocate_there(shape::byte_count(shape, itemsize), *backend);
    const std::optional<plan::UsedPieces> used = plan::draw(*backend, generator, draw, there.address, count);
    if (!used) return std::nullopt;
    device::use_pieces(generator, used->count, used->bits);
    return api::wrap(device::Memory{there.buffer, there.buffer->data(), draw.dtype, shape, shape::strides_in(shape, {}, itemsize)});
}

}  // namespace fastnp::detail
