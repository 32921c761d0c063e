#include "dist/groups.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/fork.h"
#include "fastnp/error.h"

namespace fastnp::dist {

/// A world, and its groups that a rank has met. Threads of a rank may ask at the same time; what they ask for is made once.
struct Ranks {
    explicit Ranks(std::unique_ptr<World> given) : world(std::move(given)) {}

    std::unique_ptr<World> world;
    base::ForkSafe<std::mutex> mutex;  // of what follows
    std::unordered_map<std::int64_t, std::unique_ptr<Transport>> groups;
    std::map<std::pair<std::int64_t, device::Backend*>, std::unique_ptr<DeviceGroup>> devices;  // null: the host does it
};

namespace {

struct Axes {
    std::vector<std::int64_t> mesh;
    std::vector<int> axes;
};

// Known once, known for good.
class Registry {
public:
    std::int64_t add(Axes axes) {
        const std::int64_t key = hash(axes);
        const std::scoped_lock lock(mutex_);
        all_.emplace(key, std::move(axes));
        return key;
    }

    Axes find(std::int64_t key) {
        const std::scoped_lock lock(mutex_);
        const auto found = all_.find(key);
        if (found == all_.end()) throw RankError("a collective over a mesh that this process has not made");
        return found->second;
    }

private:
    // FNV-1a, of 62 bits.
    static std::int64_t hash(const Axes& axes) {
        std::uint64_t value = 14695981039346656037U;
        const auto add = [&](std::uint64_t number) { value = (value ^ number) * 1099511628211U; };
        for (const std::int64_t extent : axes.mesh) add(static_cast<std::uint64_t>(extent));
        for (const int axis : axes.axes) add(static_cast<std::uint64_t>(axis) + (std::uint64_t{1} << 40));
        return static_cast<std::int64_t>(value >> 2);
    }

    base::ForkSafe<std::mutex> mutex_;
    std::unordered_map<std::int64_t, Axes> all_;
};

Registry& registry() {
    return base::made_once([] { return std::make_unique<Registry>(); });
}

// A process or thread by itself.
class OneRank final : public World {
public:
    int rank() const override { return 0; }
    int size() const override { return 1; }

    std::unique_ptr<Transport> group(std::span<const int> /*ranks*/) override { return std::make_unique<Alone>(); }

private:
    class Alone final : public Transport {
    public:
        int rank() const override { return 0; }
        int size() const override { return 1; }
        void all_gather(const void* in, void* out, std::size_t bytes) override { copy(in, out, bytes); }
        void all_to_all(const void* in, void* out, std::size_t bytes) override { copy(in, out, bytes); }
        void broadcast(void* /*data*/, std::size_t /*bytes*/, int /*root*/) override {}
        void permute(const void* in, void* out, std::size_t bytes, int /*to*/, int from) override {
            if (from == 0) copy(in, out, bytes);
        }
        void barrier() override {}

    private:
        static void copy(const void* in, void* out, std::size_t bytes) {
            if (bytes > 0) std::memcpy(out, in, bytes);
        }
    };
};

thread_local Ranks* of_thread = nullptr;
thread_local std::int64_t mode_of_thread = 0;

std::atomic<std::int64_t> kind_of_process = 0;

struct OfProcess {
    base::ForkSafe<std::mutex> mutex;
    std::shared_ptr<Ranks> ranks;  // null until it is set up
};

OfProcess& of_process() {
    return base::made_once([] { return std::make_unique<OfProcess>(); });
}

std::shared_ptr<Ranks> shared_ranks() {
    const std::scoped_lock lock(of_process().mutex);
    return of_process().ranks;
}

Ranks& ranks() {
    if (of_thread != nullptr) return *of_thread;
    if (const std::shared_ptr<Ranks> shared = shared_ranks()) return *shared;
    return base::made_once([] { return std::make_unique<Ranks>(std::make_unique<OneRank>()); });
}

}  // namespace

World& world() { return *ranks().world; }
bool has_world() { return of_thread != nullptr || shared_ranks() != nullptr; }

void set_world(std::unique_ptr<World> world) {
    const std::scoped_lock lock(of_process().mutex);
    if (of_process().ranks) throw ValueError("the ranks of this process are set up");
    kind_of_process = world->size() + (std::int64_t{world->rank() + 1} << 20);  // its recordings are its own: they may hold its number
    of_process().ranks = std::make_shared<Ranks>(std::move(world));
}

void unset_world() {
    const std::scoped_lock lock(of_process().mutex);
    kind_of_process = 0;
    of_process().ranks = nullptr;
}

std::int64_t world_kind() {
    const std::int64_t ranks = of_thread != nullptr ? of_thread->world->size() : kind_of_process.load(std::memory_order_relaxed);
    constexpr std::int64_t most_modes = std::int64_t{1} << 22;
    return ranks * most_modes + mode_of_thread;
}

std::int64_t set_mode(std::int64_t mode) { return std::exchange(mode_of_thread, mode); }

WithinWorld::WithinWorld(std::unique_ptr<World> world) : before_(of_thread), own_(std::make_unique<Ranks>(std::move(world))) { of_thread = own_.get(); }
WithinWorld::~WithinWorld() { of_thread = before_; }

std::int64_t key_of(const std::vector<std::int64_t>& mesh, const std::vector<int>& axes) { return registry().add({mesh, axes}); }

int size_of(std::int64_t key) {
    const Axes axes = registry().find(key);
    std::int64_t size = 1;
    for (const int axis : axes.axes) size *= axes.mesh[static_cast<std::size_t>(axis)];
    return static_cast<int>(size);
}

std::vector<int> ranks_of(std::int64_t key, int rank) {
    const Axes axes = registry().find(key);
    const std::size_t count = axes.mesh.size();
    std::vector<std::int64_t> strides(count, 1);
    for (std::size_t i = count; i-- > 1;) strides[i - 1] = strides[i] * axes.mesh[i];
    std::int64_t first = rank;  // the one at the beginning of all axes of the group
    for (const int each : axes.axes) {
        const auto axis = static_cast<std::size_t>(each);
        first -= rank / strides[axis] % axes.mesh[axis] * strides[axis];
    }
    std::vector<int> found{static_cast<int>(first)};
    for (const int each : axes.axes) {
        const auto axis = static_cast<std::size_t>(each);
        std::vector<int> longer;
        for (const int start : found) {
            for (std::int64_t i = 0; i < axes.mesh[axis]; ++i) longer.push_back(start + static_cast<int>(i * strides[axis]));
        }
        found = std::move(longer);
    }
    return found;
}

Transport& group(std::int64_t key) {
    Ranks& own = ranks();
    const std::scoped_lock lock(own.mutex);
    std::unique_ptr<Transport>& known = own.groups[key];
    if (known) return *known;
    std::int64_t count = 1;
    for (const std::int64_t extent : registry().find(key).mesh) count *= extent;
    if (count != own.world->size()) {
        own.groups.erase(key);
        throw RankError("a collective over a mesh of " + std::to_string(count) + " ranks, where there are " + std::to_string(own.world->size()));
    }
    known = own.world->group(ranks_of(key, own.world->rank()));
    return *known;
}

DeviceGroup* device_group(std::int64_t key, device::Backend& backend) {
    Transport& host = group(key);
    if (host.size() == 1) return nullptr;
    Ranks& own = ranks();
    const std::pair place(key, &backend.itself());
    {
        const std::scoped_lock lock(own.mutex);
        if (const auto known = own.devices.find(place); known != own.devices.end()) return known->second.get();
    }
    // (Without the lock: it waits for other ranks.)
    std::unique_ptr<DeviceGroup> made = make_device_group(backend.itself(), host);
    const std::scoped_lock lock(own.mutex);
    return own.devices.try_emplace(place, std::move(made)).first->second.get();
}

}  // namespace fastnp::dist
