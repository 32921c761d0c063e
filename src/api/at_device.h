// Operations outside of compiled functions, on a device. Each is a small function that is recorded and compiled when its like is first done there; after
// that it takes a look-up. Sizes and plain numbers vary without compiling anew.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/body.h"
#include "device/movable.h"
#include "device/registry.h"
#include "fastnp/compile.h"

namespace fastnp::api {

/// Whether an operation of this thread may be one for a device: all that those for the host are asked.
inline bool may_be_on_device() { return device::anything_moves() || device::current_backend() != nullptr; }

/// Memory for a result that is at home on a device, on the host at first; null: of the host alone.
device::Memory allocate_at(device::Backend* home, Dtype dtype, const Shape& shape, const shape::AxisOrder& order = {});

class Operation {
public:
    /// Records it: gives its results for arrays that stand for what was taken, in that order.
    using Record = std::function<std::vector<array>(std::span<const array>)>;

    explicit Operation(std::string_view name) : key_(name) {}
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    /// What tells it from others, besides the dtypes and layouts of what it takes.
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void note(const T& value) {
        key_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }

    /// Notes about how long axes are: what is compiled for a few elements is not what is best for many, and long folds are divided.
    void note_lengths(const Shape& shape, bool are_folded);

    /// An operand, which stays as it is while this lives; gives its place. One that was taken already has that place.
    int take(const device::Memory& memory);
    /// An operand that shows one number of the host's alone is taken as that number; nothing, and not taken, if it is none.
    std::optional<int> take_repeated(const device::Memory& memory);
    /// An operand that is written to: its memory can move, shows no element twice, and overlaps that of no other operand.
    int take_output(const device::Memory& memory);
    /// A number of a dtype.
    int take(const Scalar& number, Dtype dtype);
    /// An array that only its sizes are read of.
    int take_sizes(const Shape& sizes);

    /// Where it is done: on the device that the thread's scope names, else where the first of its arrays that is at home on one is. Null: by the host,
    /// which also does what takes numbers of its own alone.
    device::Backend* device() const;

    /// Does it there. False, and nothing is done, for what devices have no code for.
    bool run(device::Backend& device, const Record& record, std::vector<array>& results);

private:
    int add(const detail::Argument& argument);

    static constexpr std::size_t most_numbers = 3;
    std::string key_;
    SmallVector<detail::Argument, 5> arguments_;
    struct Element {
        alignas(16) std::array<std::byte, 16> bytes;
    };
    std::array<Element, most_numbers> numbers_;
    std::size_t number_count_ = 0;
    Shape sizes_;
    Strides size_steps_;
    bool has_sizes_ = false;
};

}  // namespace fastnp::api
