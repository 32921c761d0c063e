#include "device/watch.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/fork.h"
#include "device/buffer.h"
#include "device/movable.h"
#include "device/sizes.h"
#include "device/watched.h"

namespace fastnp::device {

namespace {

using fastnp::detail::MemoryRow;
using fastnp::detail::MemorySite;
using fastnp::detail::MemorySnapshot;

thread_local MemorySite current;  // of calls of compiled functions

class Watch {
public:
    void start(fastnp::detail::AskLine ask) {
        const auto before = static_cast<std::int64_t>(pool_statistics().live_bytes);
        const std::scoped_lock lock(mutex_);
        ask_ = ask;
        blocks_.clear();
        sites_.clear();
        bytes_ = most_ = 0;
        earlier_ = before;
    }

    void made(const void* data, std::size_t size) {
        const auto bytes = static_cast<std::int64_t>(size);
        MemorySite site = current;
        const fastnp::detail::AskLine ask = ask_;
        const std::uint32_t line = ask == nullptr ? 0 : ask();  // without the lock: front ends have locks of their own
        if (line != 0) site.line = line;  // within the call, where it runs as written
        const std::scoped_lock lock(mutex_);
        Counts& counts = sites_[site];
        blocks_[data] = {bytes, std::move(site)};
        counts.made += bytes;
        ++counts.count;
        counts.add(bytes);
        bytes_ += bytes;
        most_ = std::max(most_, bytes_);
    }

    void gone(const void* data, std::size_t size, bool pooled) {
        const std::scoped_lock lock(mutex_);
        const auto found = blocks_.find(data);
        if (found == blocks_.end()) {
            if (pooled) earlier_ -= static_cast<std::int64_t>(size_class(size, 64).bytes);
            return;
        }
        sites_[found->second.site].take(found->second.bytes);
        bytes_ -= found->second.bytes;
        blocks_.erase(found);
    }

    // The block that an address is in.
    void is_result(const void* address, int result) {
        const std::scoped_lock lock(mutex_);
        const auto behind = blocks_.upper_bound(address);
        if (behind == blocks_.begin()) return;
        const auto found = std::prev(behind);
        Block& block = found->second;
        const auto offset = static_cast<const char*>(address) - static_cast<const char*>(found->first);
        if (offset >= std::max(block.bytes, std::int64_t{1}) || block.site.compiled.empty() || block.site.result >= 0) return;
        Counts& before = sites_[block.site];
        before.take(block.bytes);
        before.made -= block.bytes;
        --before.count;
        block.site.result = result;
        Counts& now = sites_[block.site];
        now.add(block.bytes);
        now.made += block.bytes;
        ++now.count;
    }

    MemorySnapshot snapshot() {
        const PoolStatistics pool = pool_statistics();
        MemorySnapshot result;
        result.handed_out = static_cast<std::int64_t>(pool.live_bytes);
        result.held = static_cast<std::int64_t>(pool.held_bytes);
        std::vector<std::pair<const void*, Block>> blocks;
        std::map<MemorySite, std::size_t> places;
        {
            const std::scoped_lock lock(mutex_);
            result.bytes = bytes_;
            result.most = most_;
            result.earlier = earlier_;
            for (const auto& [site, counts] : sites_) {
                if (counts.count == 0) continue;  // all of it turned out to be results
                places.emplace(site, result.rows.size());
                result.rows.push_back(
                    {.site = site, .bytes = counts.bytes, .arrays = counts.arrays, .most = counts.most, .made = counts.made, .count = counts.count});
            }
            blocks.assign(blocks_.begin(), blocks_.end());
        }
        for (const auto& [data, block] : blocks) {  // without the lock: where memory is has one of its own
            const Backend* const home = home_of(data);
            const std::string name = home == nullptr ? "cpu" : home->name();
            auto& homes = result.rows[places.at(block.site)].homes;
            const auto at = std::ranges::find(homes, name, &std::pair<std::string, std::int64_t>::first);
            if (at == homes.end()) homes.emplace_back(name, block.bytes);
            else at->second += block.bytes;
        }
        return result;
    }

private:
    struct Counts {
        std::int64_t bytes = 0, arrays = 0, most = 0, made = 0, count = 0;
        void add(std::int64_t more) {
            bytes += more;
            ++arrays;
            most = std::max(most, bytes);
        }
        void take(std::int64_t less) {
            bytes -= less;
            --arrays;
        }
    };
    struct Block {
        std::int64_t bytes = 0;
        MemorySite site;
    };

    base::ForkSafe<std::mutex> mutex_;
    std::atomic<fastnp::detail::AskLine> ask_{nullptr};
    std::map<const void*, Block> blocks_;
    std::map<MemorySite, Counts> sites_;
    std::int64_t bytes_ = 0, most_ = 0, earlier_ = 0;
};

Watch& watch() {
    return base::made_once([] { return std::make_unique<Watch>(); });
}

}  // namespace

constinit std::atomic<bool> memory_watched{false};

void tell_made(const void* data, std::size_t bytes) noexcept {
    try {
        watch().made(data, bytes);
    } catch (...) {  // NOLINT: an array that is not told of is better than none
    }
}

void tell_gone(const void* data, std::size_t bytes, bool pooled) noexcept {
    try {
        watch().gone(data, bytes, pooled);
    } catch (...) {  // NOLINT: destructors ask
    }
}

MemorySnapshot watched_memory() { return watch().snapshot(); }
void note_result(const void* address, int result) { watch().is_result(address, result); }

}  // namespace fastnp::device

namespace fastnp::detail {

void start_memory_watch(AskLine ask) {
    device::watch().start(ask);
    device::memory_watched.store(true, std::memory_order_relaxed);
}

void stop_memory_watch() { device::memory_watched.store(false, std::memory_order_relaxed); }

MemoryScope::MemoryScope(std::string compiled, std::uint32_t line) : before_(std::move(device::current)) {
    device::current = {.line = line, .compiled = std::move(compiled)};
}

MemoryScope::~MemoryScope() { device::current = std::move(before_); }

}  // namespace fastnp::detail
