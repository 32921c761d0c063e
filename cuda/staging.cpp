#include "staging.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>

#include "base/thread_pool.h"
#include "device/sizes.h"
#include "fastnp/error.h"

namespace fastnp::cuda {

namespace {

constexpr unsigned disable_timing = 2;
constexpr std::size_t share = std::size_t{256} << 10;  // what a thread copies at a time: one thread alone is slower than the bus
constexpr std::size_t smallest_piece = std::size_t{256} << 10;
constexpr std::size_t alignment = 256;

// Copies of a few mebibytes are also cut, so that their parts overlap.
std::size_t piece_of(std::size_t bytes) {
    const std::size_t quarter = (bytes / Stages::most + alignment) / alignment * alignment;
    return std::clamp(quarter, smallest_piece, Stages::block_bytes);
}

struct HostCopy {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
};

void copy_on_host(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes <= share) {
        std::memcpy(to, from, bytes);
        return;
    }
    HostCopy copy{to, from, bytes};
    const auto body = [](void* context, std::int64_t task, int) {
        const auto& [to, from, bytes] = *static_cast<HostCopy*>(context);
        const std::size_t begin = static_cast<std::size_t>(task) * share;
        std::memcpy(to + begin, from + begin, std::min(share, bytes - begin));
    };
    base::parallel_for(static_cast<std::int64_t>((bytes + share - 1) / share), body, &copy);
}

}  // namespace

Stages::~Stages() {
    if (!context_.is_usable()) return;
    try {
        const Current current(context_);
        const Driver& driver = context_.driver();
        for (const Stage& stage : stages_) {
            driver.event_synchronize(stage.event);
            driver.event_destroy(stage.event);
            driver.host_free(stage.memory);
        }
    } catch (const std::exception&) {  // NOLINT: the context is gone, and what was locked for it with it
    }
}

void Stages::need(std::size_t count) {
    count = std::clamp<std::size_t>(count, 1, most);
    while (stages_.size() < count && add()) {
    }
    if (!stages_.empty()) return;
    throw MemoryError("Unable to allocate " + device::readable(block_bytes) + " of page-locked memory for copies to and from device '" + context_.name() +
                      "'");
}

bool Stages::add() {
    const Driver& driver = context_.driver();
    stages_.reserve(most);
    void* memory = nullptr;
    const int error = driver.host_allocate(&memory, block_bytes, 0);
    if (error == out_of_memory) return false;
    context_.check(error, "cuMemHostAlloc");
    Handle event = nullptr;
    if (const int failed = driver.event_create(&event, disable_timing); failed != success) {
        driver.host_free(memory);
        context_.check(failed, "cuEventCreate");
    }
    stages_.push_back({static_cast<std::byte*>(memory), event});
    return true;
}

void Stages::record(Stage& stage) {
    context_.check(context_.driver().event_record(stage.event, context_.stream()), "cuEventRecord");
    stage.waits = true;
}

void Stages::wait(Stage& stage) {
    if (!stage.waits) return;
    context_.check(context_.driver().event_synchronize(stage.event), "cuEventSynchronize");
    stage.waits = false;
}

void Uploads::copy(Address to, const std::byte* from, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    const Current current(context_);
    stages_.need(1);
    const std::size_t piece = piece_of(bytes);
    while (bytes != 0) {
        if (used_ == Stages::block_bytes) next();
        const std::size_t part = std::min({bytes, piece, Stages::block_bytes - used_});
        std::byte* const staged = stages_[stage_].memory + used_;
        copy_on_host(staged, from, part);
        context_.check(context_.driver().copy_to_device(to, staged, part, context_.stream()), "cuMemcpyHtoDAsync");
        used_ = std::min((used_ + part + alignment - 1) / alignment * alignment, Stages::block_bytes);
        to += part;
        from += part;
        bytes -= part;
    }
}

// The block is full: on to the one that was filled longest ago.
void Uploads::next() {
    stages_.record(stages_[stage_]);
    stages_.need(stages_.count() + 1);
    stage_ = (stage_ + 1) % stages_.count();
    stages_.wait(stages_[stage_]);
    used_ = 0;
}

void Downloads::copy(std::byte* to, Address from, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    const Current current(context_);
    const std::size_t piece = piece_of(bytes);
    const std::size_t pieces = (bytes + piece - 1) / piece;
    stages_.need(pieces);
    const std::uint64_t launched = context_.launches().count();
    std::size_t asked = 0;
    for (std::size_t done = 0; done < pieces; ++done) {
        for (; asked < std::min(pieces, done + stages_.count()); ++asked) {
            Stages::Stage& stage = stages_[asked % stages_.count()];
            const std::size_t begin = asked * piece;
            const std::size_t part = std::min(piece, bytes - begin);
            context_.check(context_.driver().copy_to_host(stage.memory, from + begin, part, context_.stream()), "cuMemcpyDtoHAsync");
            stages_.record(stage);
        }
        Stages::Stage& stage = stages_[done % stages_.count()];
        stages_.wait(stage);
        if (done == 0) context_.launches().ended(launched);
        copy_on_host(to + done * piece, stage.memory, std::min(piece, bytes - done * piece));
    }
}

}  // namespace fastnp::cuda
