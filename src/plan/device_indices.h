// Indices on a device: contiguous, and looked at.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

#include "device/block.h"
#include "eager/eager.h"
#include "plan/library_launch.h"
#include "shape/strides.h"

namespace fastnp::plan {

/// Indices that were found to be right: an argument's, by where it lies on the device, and which contents these were (device::version_of), along an axis.
struct RightIndices {
    std::uint64_t version = 0;
    const void* data = nullptr;
    std::int64_t count = 0, extent = 0;

    bool operator==(const RightIndices&) const = default;
};

/// What was found out about indices so far, which the host has not waited for: of each kind of indices that a run looked at, the first one that is out of
/// bounds. One wait is for all.
class IndexChecks {
public:
    explicit IndexChecks(device::Backend& backend) : backend_(backend) {}
    IndexChecks(const IndexChecks&) = delete;
    IndexChecks& operator=(const IndexChecks&) = delete;

    /// Looks at contiguous indices, by work that a device (or who holds work for it back) is asked for. For kernels: the address of a number that is 0 as
    /// long as all are right; null where it is known that they are.
    const void* look_at(device::Backend& worker, const eager::View& indices, std::int64_t axis, std::int64_t extent);

    /// The same by a kernel that does something else besides: its first arguments are the indices, their count, the extent, and what it notes the first
    /// wrong one at; `others` come behind. It has a thread for each index, or if it is to have fewer, at most so many blocks.
    const void* look_by(device::Backend& worker, const char* kernel, const eager::View& indices, std::int64_t axis, std::int64_t extent,
                        const LibraryArguments& others, std::int64_t most_blocks = INT64_MAX);

    /// Indices looked at next are an argument's, whose contents are of a version: if these are what was `right` before, nobody waits for them; else
    /// `right` becomes these, when they were waited for and are right. It must live as long as that may happen.
    void expect(RightIndices& right, std::uint64_t version) {
        right_ = &right;
        version_ = version;
    }
    /// They are nothing of the kind.
    void expect_any() { right_ = nullptr; }

    bool is_empty() const { return looked_.empty(); }
    /// Waits, if there is anything to wait for. IndexError for the first of them that is out of bounds.
    void finish() { finish(backend_); }
    /// Forgets all.
    void drop() noexcept {
        looked_.clear();
        found_.reset();
        right_ = nullptr;
    }

private:
    struct Looked {
        std::int64_t axis;
        RightIndices given;
        RightIndices* right;  // null: they are no argument
    };
    struct Found {
        std::int64_t from_end, index;  // from_end is 0, or how many indices there are from that one on
    };
    static constexpr std::size_t most = 64;  // that are waited for together

    void finish(device::Backend& worker);
    RightIndices given_by(const eager::View& indices, std::int64_t extent) const { return {version_, indices.data, shape::count(indices.shape), extent}; }
    bool are_known(const RightIndices& given) const;

    device::Backend& backend_;
    std::optional<device::Block> found_;
    std::vector<Looked> looked_;
    RightIndices* right_ = nullptr;  // of what is looked at next
    std::uint64_t version_ = 0;
};

/// An index of an earlier step is out of bounds, and nothing was written to an argument.
struct WrongIndex : std::exception {
    std::exception_ptr error = std::current_exception();
};

}  // namespace fastnp::plan
