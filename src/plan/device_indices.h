// Indices on a device: contiguous, and looked at.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

#include "device/block.h"
#include "eager/eager.h"
#include "plan/library_launch.h"

namespace fastnp::plan {

/// What was found out about indices so far, which the host has not waited for: of each kind of indices that a run looked at, the first one that is out of
/// bounds. One wait is for all.
class IndexChecks {
public:
    explicit IndexChecks(device::Backend& backend) : backend_(backend) {}
    IndexChecks(const IndexChecks&) = delete;
    IndexChecks& operator=(const IndexChecks&) = delete;

    /// Looks at contiguous indices, on the device. The places from the start that they mean are stored at `places`, unless that is null; nothing is where
    /// an index is out of bounds. For kernels: the address of a number that is 0 as long as all are right.
    const void* look_at(const eager::View& indices, std::int64_t axis, std::int64_t extent, void* places = nullptr);

    /// The same by a kernel that does something else besides: its first arguments are the indices, their count, the extent, and what it notes the first
    /// wrong one at; `others` come behind.
    const void* look_by(const char* kernel, const eager::View& indices, std::int64_t axis, std::int64_t extent, const LibraryArguments& others);

    /// Waits, if there is anything to wait for. IndexError for the first of them that is out of bounds.
    void finish();
    /// Forgets all.
    void drop() noexcept {
        looked_.clear();
        found_.reset();
    }

private:
    struct Looked {
        std::int64_t axis, extent, count;
    };
    struct Found {
        std::int64_t from_end, index;  // from_end is 0, or how many indices there are from that one on
    };
    static constexpr std::size_t most = 64;  // that are waited for together

    device::Backend& backend_;
    std::optional<device::Block> found_;
    std::vector<Looked> looked_;
};

/// An index of an earlier step is out of bounds, and nothing was written to an argument.
struct WrongIndex : std::exception {
    std::exception_ptr error = std::current_exception();
};

}  // namespace fastnp::plan
