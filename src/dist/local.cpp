#include "dist/local.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "dist/groups.h"
#include "fastnp/error.h"

namespace fastnp::dist {

namespace {

// What the threads share. One lock serves all groups: ranks move memory without it.
struct Shared {
    // A group's ranks come here, wait for the last one, and go on together.
    struct Place {
        std::vector<int> ranks;             // in the world
        std::vector<bool> is_here;          // of those, by number in the group
        std::vector<const void*> posted;    // what each has for the others
        std::int64_t round = 0;
    };

    explicit Shared(int size) : size(size) {}

    const int size;
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::vector<int>, std::unique_ptr<Place>> places;
    std::string failure;  // why no rank goes on

    void fail(const std::string& why) {
        {
            const std::scoped_lock lock(mutex);
            if (failure.empty()) failure = why;
        }
        changed.notify_all();
    }
};

std::string list_of(const std::vector<int>& ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    return text;
}

// What is planted, as one rank meets it.
class Planted {
public:
    Planted(const Faults& faults, int rank) : faults_(faults), rank_(rank), random_(faults.seed + static_cast<unsigned>(rank)) {}

    void before_call() {
        if (faults_.longest_delay > 0) {
            const Waiting waiting;
            std::this_thread::sleep_for(std::chrono::duration<double>(std::uniform_real_distribution<>(0, faults_.longest_delay)(random_)));
        }
        if (rank_ == faults_.lost_rank && calls_++ >= faults_.lost_after) throw RankError("this rank is lost, as was planted");
    }

private:
    Faults faults_;
    int rank_;
    std::int64_t calls_ = 0;
    std::mt19937 random_;
};

class Threads final : public Transport {
public:
    Threads(Shared& shared, Shared::Place& place, int rank, Planted& planted) : shared_(shared), place_(place), rank_(rank), planted_(planted) {}

    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(place_.ranks.size()); }

    void all_gather(const void* in, void* out, std::size_t bytes) override {
        planted_.before_call();
        meet(in);
        for (std::size_t i = 0; i < place_.posted.size(); ++i) copy(static_cast<char*>(out) + i * bytes, place_.posted[i], bytes);
        meet(nullptr);
    }

    void all_to_all(const void* in, void* out, std::size_t bytes) override {
        planted_.before_call();
        meet(in);
        for (std::size_t i = 0; i < place_.posted.size(); ++i) {
            copy(static_cast<char*>(out) + i * bytes, static_cast<const char*>(place_.posted[i]) + static_cast<std::size_t>(rank_) * bytes, bytes);
        }
        meet(nullptr);
    }

    void broadcast(void* data, std::size_t bytes, int root) override {
        planted_.before_call();
        meet(data);
        if (rank_ != root) copy(data, place_.posted[static_cast<std::size_t>(root)], bytes);
        meet(nullptr);
    }

    void permute(const void* in, void* out, std::size_t bytes, int /*to*/, int from) override {
        planted_.before_call();
        meet(in);
        if (from >= 0) copy(out, place_.posted[static_cast<std::size_t>(from)], bytes);
        meet(nullptr);
    }

    void barrier() override {
        planted_.before_call();
        meet(nullptr);
    }

private:
    static void copy(void* to, const void* from, std::size_t bytes) {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }

    // Waits until all are here. What they posted is there until all are here again.
    void meet(const void* posted) {
        const Waiting waiting;
        std::unique_lock lock(shared_.mutex);
        check();
        const auto own = static_cast<std::size_t>(rank_);
        if (posted != nullptr) place_.posted[own] = posted;
        place_.is_here[own] = true;
        const std::int64_t round = place_.round;
        if (std::ranges::all_of(place_.is_here, [](bool is_here) { return is_here; })) {
            place_.is_here.assign(place_.is_here.size(), false);
            ++place_.round;
            lock.unlock();
            shared_.changed.notify_all();
            return;
        }
        const bool in_time = shared_.changed.wait_for(lock, time_limit(), [&] { return place_.round != round || !shared_.failure.empty(); });
        if (place_.round != round) return;
        if (!in_time) {
            std::vector<int> missing;
            for (std::size_t i = 0; i < place_.ranks.size(); ++i) {
                if (!place_.is_here[i]) missing.push_back(place_.ranks[i]);
            }
            shared_.failure = list_of(missing) + " did not come within " + std::to_string(time_limit().count()) + " s";
            shared_.changed.notify_all();
        }
        check();
    }

    void check() const {
        if (!shared_.failure.empty()) throw RankError(shared_.failure);
    }

    Shared& shared_;
    Shared::Place& place_;
    int rank_;
    Planted& planted_;
};

class LocalWorld final : public World {
public:
    LocalWorld(Shared& shared, int rank, const Faults& faults) : shared_(shared), rank_(rank), planted_(faults, rank) {}

    int rank() const override { return rank_; }
    int size() const override { return shared_.size; }

    std::unique_ptr<Transport> group(std::span<const int> ranks) override {
        const std::scoped_lock lock(shared_.mutex);
        std::unique_ptr<Shared::Place>& place = shared_.places[std::vector<int>(ranks.begin(), ranks.end())];
        if (!place) {
            place = std::make_unique<Shared::Place>();
            place->ranks.assign(ranks.begin(), ranks.end());
            place->is_here.assign(ranks.size(), false);
            place->posted.assign(ranks.size(), nullptr);
        }
        const auto own = std::ranges::find(ranks, rank_) - ranks.begin();
        return std::make_unique<Threads>(shared_, *place, static_cast<int>(own), planted_);
    }

private:
    Shared& shared_;
    int rank_;
    Planted planted_;
};

std::string told(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& known) {
        return known.what();
    } catch (...) {
        return "an error";
    }
}

bool is_of_others(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const RankError&) {
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace

void run_threads(int ranks, const std::function<void()>& function, const Faults& faults) {
    if (ranks < 1) throw ValueError("there must be at least one rank, not " + std::to_string(ranks));
    Shared shared(ranks);
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
    const auto body = [&](int rank) {
        try {
            const WithinWorld here(std::make_unique<LocalWorld>(shared, rank, faults));
            function();
        } catch (...) {
            errors[static_cast<std::size_t>(rank)] = std::current_exception();
            shared.fail("rank " + std::to_string(rank) + " ended with an error: " + told(errors[static_cast<std::size_t>(rank)]));
        }
    };
    {
        const Waiting waiting;
        std::vector<std::jthread> threads;
        try {
            for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(body, rank);
        } catch (const std::system_error&) {
            shared.fail("the system has no more threads for ranks");
            throw MemoryError("the system has no threads for " + std::to_string(ranks) + " ranks");
        }
    }
    std::stable_sort(errors.begin(), errors.end(), [](const auto& a, const auto& b) { return a && (!b || (!is_of_others(a) && is_of_others(b))); });
    if (errors.front()) std::rethrow_exception(errors.front());
}

}  // namespace fastnp::dist
