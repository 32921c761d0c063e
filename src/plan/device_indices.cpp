#include "plan/device_indices.h"

#include <array>
#include <string>

#include "fastnp/error.h"
#include "plan/library_launch.h"
#include "shape/strides.h"

namespace fastnp::plan {

const void* IndexChecks::look_at(device::Backend& worker, const eager::View& indices, std::int64_t axis, std::int64_t extent, void* places) {
    if (looked_.size() == most) finish(worker);
    if (!found_) found_.emplace(backend_, most * sizeof(Found));
    if (looked_.empty()) worker.clear(found_->get(), most * sizeof(Found));
    const std::int64_t count = shape::count(indices.shape);
    char* const found = found_->get() + looked_.size() * sizeof(Found);
    launch_library(worker, {"check_indices"}, count, codegen::kernel_threads,
                   {address_of(indices.data), count, extent, address_of(found), address_of(places)});
    launch_library(worker, {"note_index"}, 1, 1, {address_of(indices.data), count, address_of(found)});
    looked_.push_back({axis, extent, count});
    return found;
}

void IndexChecks::finish(device::Backend& worker) {
    if (looked_.empty()) return;
    std::array<Found, most> found{};
    worker.download(found.data(), found_->get(), looked_.size() * sizeof(Found));
    const std::vector<Looked> looked = std::move(looked_);
    looked_.clear();
    for (std::size_t i = 0; i < looked.size(); ++i) {
        if (found[i].from_end == 0) continue;
        throw IndexError("index " + std::to_string(found[i].index) + " is out of bounds for axis " + std::to_string(looked[i].axis) + " with size " +
                         std::to_string(looked[i].extent));
    }
}

}  // namespace fastnp::plan
