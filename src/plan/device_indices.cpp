#include "plan/device_indices.h"

#include <string>

#include "fastnp/error.h"
#include "plan/library_launch.h"

namespace fastnp::plan {

IndexCheck::IndexCheck(device::Backend& backend, const eager::View& indices, std::int64_t axis, std::int64_t extent, void* places)
    : backend_(backend), indices_(indices), axis_(axis), extent_(extent), found_(backend, sizeof(std::int64_t)) {
    const std::int64_t count = shape::count(indices.shape);
    backend.clear(found_.get(), sizeof(std::int64_t));
    launch_library(backend, {"check_indices"}, count, codegen::kernel_threads,
                   {address_of(indices.data), count, extent, address_of(found_.get()), address_of(places)});
}

void IndexCheck::finish() const {
    std::int64_t from_end = 0, index = 0;
    backend_.download(&from_end, found_.get(), sizeof from_end);
    if (from_end == 0) return;
    const std::int64_t number = shape::count(indices_.shape) - from_end;
    backend_.download(&index, static_cast<const char*>(indices_.data) + number * static_cast<std::int64_t>(sizeof index), sizeof index);
    throw IndexError("index " + std::to_string(index) + " is out of bounds for axis " + std::to_string(axis_) + " with size " + std::to_string(extent_));
}

}  // namespace fastnp::plan
