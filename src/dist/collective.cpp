#include "dist/collective.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "device/memory.h"
#include "fastnp/error.h"
#include "ops/names.h"

namespace fastnp::dist {

namespace {

// Below so many bytes each rank gets all of them and joins them itself: a round less.
constexpr std::int64_t few_bytes = 4096;

// Memory that is kept for the next one (device/allocator.h).
class Bytes {
public:
    Bytes() = default;
    explicit Bytes(std::size_t count) : memory_(device::allocate(Dtype::uint8, Shape{static_cast<std::int64_t>(count)})) {}
    char* get() const { return static_cast<char*>(memory_.data); }

private:
    device::Memory memory_;
};

// Rows of all ranks, one after the other, joined into the first one.
void join_rows(char* rows, int count, std::size_t row_bytes, ops::Op joins, Dtype dtype, std::int64_t elements, Join join) {
    for (int i = 1; i < count; ++i) join(joins, dtype, rows + static_cast<std::size_t>(i) * row_bytes, rows, elements);
}

std::string told_detail(const Request& request) {
    switch (request.op) {
        case ops::Op::all_reduce:
        case ops::Op::reduce_scatter: return " by " + std::string(ops::info(static_cast<ops::Op>(request.detail)).name);
        case ops::Op::broadcast: return " from rank " + std::to_string(request.detail);
        case ops::Op::permute: return " by pairs of number " + std::to_string(request.detail);
        default: return {};
    }
}

std::string told(const Request& request) {
    return std::string(ops::info(request.op).name) + " of " + std::to_string(request.elements) + " elements of " + std::string(name_of(request.dtype)) +
           told_detail(request) + (request.on_device ? " on a device" : "");
}

constexpr std::size_t told_bytes = 128;

}  // namespace

void agree(Transport& group, const Request& request) {
    if (group.size() == 1) return;
    const std::array<std::int64_t, 4> own{
        group.calls++, (static_cast<std::int64_t>(request.op) * 256 + static_cast<std::int64_t>(request.dtype)) * 2 + (request.on_device ? 1 : 0),
        request.elements, request.detail};
    const auto size = static_cast<std::size_t>(group.size());
    std::vector<std::array<std::int64_t, 4>> all(size);
    group.all_gather(own.data(), all.data(), sizeof own);
    if (std::ranges::all_of(all, [&](const auto& each) { return each == own; })) return;
    std::array<char, told_bytes> text{};
    const std::string mine = told(request);
    std::memcpy(text.data(), mine.data(), std::min(mine.size(), told_bytes - 1));
    std::vector<std::array<char, told_bytes>> texts(size);
    group.all_gather(text.data(), texts.data(), told_bytes);
    std::string message = "the ranks do not ask for the same:";
    for (std::size_t i = 0; i < size; ++i) message += (i == 0 ? " rank " : "; rank ") + std::to_string(i) + " for " + texts[i].data();
    throw RankError(message);
}

// Of a permutation all of it.
Request request_of(ops::Op op, const ops::Collective& asked, Dtype dtype, std::int64_t elements, bool on_device) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < asked.option_count(); ++i) all = all * 1000003 + static_cast<std::uint64_t>(asked.option(i));
    return {op, dtype, elements, static_cast<std::int64_t>(all), on_device};
}

void all_reduce(Transport& group, ops::Op joins, Dtype dtype, const void* in, void* out, std::int64_t elements, Join join) {
    const std::size_t item = itemsize_of(dtype), whole = static_cast<std::size_t>(elements) * item, size = static_cast<std::size_t>(group.size());
    if (elements == 0) return;
    if (size == 1) {
        std::memcpy(out, in, whole);
        return;
    }
    if (elements * static_cast<std::int64_t>(item) <= few_bytes) {
        const Bytes rows(size * whole);
        group.all_gather(in, rows.get(), whole);
        join_rows(rows.get(), group.size(), whole, joins, dtype, elements, join);
        std::memcpy(out, rows.get(), whole);
        return;
    }
    // Each rank joins a part: what it has of the others' parts goes to them, and then its own one to all.
    const std::int64_t part = (elements + group.size() - 1) / group.size();
    const std::size_t part_bytes = static_cast<std::size_t>(part) * item;
    const bool is_even = part * group.size() == elements;
    Bytes padded;
    if (!is_even) {
        padded = Bytes(size * part_bytes);
        std::memcpy(padded.get(), in, whole);
        std::memset(padded.get() + whole, 0, size * part_bytes - whole);
    }
    const Bytes rows(size * part_bytes);
    group.all_to_all(is_even ? in : padded.get(), rows.get(), part_bytes);
    join_rows(rows.get(), group.size(), part_bytes, joins, dtype, part, join);
    void* const together = is_even ? out : padded.get();
    group.all_gather(rows.get(), together, part_bytes);
    if (!is_even) std::memcpy(out, padded.get(), whole);
}

void reduce_scatter(Transport& group, ops::Op joins, Dtype dtype, const void* in, void* out, std::int64_t elements, Join join) {
    const std::size_t row_bytes = static_cast<std::size_t>(elements) * itemsize_of(dtype);
    if (elements == 0) return;
    const Bytes rows(static_cast<std::size_t>(group.size()) * row_bytes);
    group.all_to_all(in, rows.get(), row_bytes);
    join_rows(rows.get(), group.size(), row_bytes, joins, dtype, elements, join);
    std::memcpy(out, rows.get(), row_bytes);
}

}  // namespace fastnp::dist
