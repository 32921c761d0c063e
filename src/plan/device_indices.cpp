#include "plan/device_indices.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "fastnp/error.h"

namespace fastnp::plan {

bool IndexChecks::are_known(const RightIndices& given) const { return right_ != nullptr && *right_ == given; }

const void* IndexChecks::look_at(device::Backend& worker, const eager::View& indices, std::int64_t axis, std::int64_t extent) {
    if (are_known(given_by(indices, extent))) {
        right_ = nullptr;
        return nullptr;
    }
    return look_by(worker, "check_indices", indices, axis, extent, {});
}

const void* IndexChecks::look_by(device::Backend& worker, const char* kernel, const eager::View& indices, std::int64_t axis, std::int64_t extent,
                                 const LibraryArguments& others, std::int64_t most_blocks) {
    const RightIndices given = given_by(indices, extent);
    char* found = nullptr;
    if (!are_known(given)) {
        if (looked_.size() == most) finish(worker);
        if (!found_) found_.emplace(backend_, most * sizeof(Found));
        if (looked_.empty()) worker.clear(found_->get(), most * sizeof(Found));
        found = found_->get() + looked_.size() * sizeof(Found);
        looked_.push_back({axis, given, right_});
    }
    right_ = nullptr;
    LibraryArguments arguments{address_of(indices.data), given.count, extent, address_of(found)};
    for (const std::int64_t each : others) arguments.push_back(each);
    const std::int64_t blocks = (given.count + codegen::kernel_threads - 1) / codegen::kernel_threads;
    launch_library(worker, {kernel}, std::min(blocks, most_blocks), 1, std::move(arguments));
    if (found != nullptr) launch_library(worker, {"note_index"}, 1, 1, {address_of(indices.data), given.count, address_of(found)});
    return found;
}

void IndexChecks::finish(device::Backend& worker) {
    if (looked_.empty()) return;
    std::array<Found, most> found{};
    worker.download(found.data(), found_->get(), looked_.size() * sizeof(Found));
    const std::vector<Looked> looked = std::move(looked_);
    looked_.clear();
    for (std::size_t i = 0; i < looked.size(); ++i) {
        if (found[i].from_end == 0) {
            if (looked[i].right != nullptr) *looked[i].right = looked[i].given;
            continue;
        }
        eager::throw_out_of_bounds(found[i].index, looked[i].axis, looked[i].given.extent);
    }
}

}  // namespace fastnp::plan
