#include "plan/device_indices.h"

#include <array>
#include <string>
#include <utility>

#include "fastnp/error.h"
#include "shape/strides.h"

namespace fastnp::plan {

const void* IndexChecks::look_at(const eager::View& indices, std::int64_t axis, std::int64_t extent, void* places) {
    return look_by("check_indices", indices, axis, extent, {address_of(places)});
}

const void* IndexChecks::look_by(const char* kernel, const eager::View& indices, std::int64_t axis, std::int64_t extent, const LibraryArguments& others) {
    if (looked_.size() == most) finish();
    if (!found_) found_.emplace(backend_, most * sizeof(Found));
    if (looked_.empty()) backend_.clear(found_->get(), most * sizeof(Found));
    const std::int64_t count = shape::count(indices.shape);
    char* const found = found_->get() + looked_.size() * sizeof(Found);
    LibraryArguments arguments{address_of(indices.data), count, extent, address_of(found)};
    for (const std::int64_t each : others) arguments.push_back(each);
    launch_library(backend_, {kernel}, count, codegen::kernel_threads, std::move(arguments));
    launch_library(backend_, {"note_index"}, 1, 1, {address_of(indices.data), count, address_of(found)});
    looked_.push_back({axis, extent, count});
    return found;
}

void IndexChecks::finish() {
    if (looked_.empty()) return;
    std::array<Found, most> found{};
    backend_.download(found.data(), found_->get(), looked_.size() * sizeof(Found));
    const std::vector<Looked> looked = std::move(looked_);
    looked_.clear();
    for (std::size_t i = 0; i < looked.size(); ++i) {
        if (found[i].from_end == 0) continue;
        throw IndexError("index " + std::to_string(found[i].index) + " is out of bounds for axis " + std::to_string(looked[i].axis) + " with size " +
                         std::to_string(looked[i].extent));
    }
}

}  // namespace fastnp::plan
