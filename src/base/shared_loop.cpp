#include "base/shared_loop.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/detail/interruption.h"
#include "fastnp/small_vector.h"

namespace fastnp::base {

namespace {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::duration<double, std::nano>;

constexpr double short_rest = 4e3;     // ns: what is left is done at once
constexpr double long_start = 1e3;     // ... tells how long the others take
constexpr double worth_sharing = 3e4;  // ... by all threads, from here on
constexpr double copied_bytes = 3;     // ... of what is stored to, in one
constexpr double most_of_a_part = 5e7; // ... that one thread does at a time
constexpr double most_of_a_round = 3e8;
constexpr std::int64_t parts_of_a_thread = 8;

std::atomic<std::uint64_t> rounds{0};

// A thread's part that takes far longer than was thought may have no end: the loop is done over by the caller, who can be interrupted.
struct Deadline : detail::Interruption {
    explicit Deadline(double expected) : at(Clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(std::max(2e9, 40 * expected)))) {
        ask = [](detail::Interruption& self) { return Clock::now() > static_cast<Deadline&>(self).at; };
    }
    Clock::time_point at;
};

struct Part {
    std::byte* start;
    std::int64_t bytes;
    bool is_stored;
};

// Whether no two elements lie in one place. `axes`: how many there are along each, and bytes from one to the next.
bool are_elements_apart(std::int64_t itemsize, std::span<const std::int64_t> axes) {
    struct Axis {
        std::int64_t stride, count;
    };
    SmallVector<Axis, 4> steps;
    for (std::size_t i = 0; i < axes.size(); i += 2) {
        if (axes[i] > 1) steps.push_back({std::abs(axes[i + 1]), axes[i]});
    }
    std::sort(steps.begin(), steps.end(), [](const Axis& one, const Axis& other) { return one.stride < other.stride; });
    std::int64_t reach = itemsize;
    return std::all_of(steps.begin(), steps.end(), [&](const Axis& each) {
        const bool is_apart = each.stride >= reach;
        reach += each.stride * (each.count - 1);
        return is_apart;
    });
}

class SharedLoopRun {
public:
    explicit SharedLoopRun(const SharedLoopCall& call) : call_(call), layout_(call.layout) {}

    bool run(std::int64_t first, std::int64_t end) {
        // Below 0 numbers count from the end of an axis, where others may be.
        const bool is_done = first < 0 || end - first < least() ? alone(first, end) : tried(first, end);
        call_.words[layout_[2]] = note_;
        return is_done;
    }

private:
    std::int64_t inputs() const { return layout_[0]; }
    std::int64_t words() const { return layout_[1]; }
    bool is_done(const std::int64_t* words) const { return words[0] == layout_[3]; }
    bool may_leave() const { return layout_[4] != 0; }
    std::int64_t least() const { return std::max<std::int64_t>(layout_[6], 2); }

    // From its first byte to its last one, whichever way its axes go.
    void find_parts() {
        const std::int64_t* word = call_.parts;
        for (std::int64_t i = 0; i < layout_[5]; ++i) {
            auto* first = reinterpret_cast<std::byte*>(word[0]);
            std::int64_t low = 0, high = word[1];
            const bool is_stored = word[2] != 0;
            const std::int64_t axes = word[3];
            word += 4;
            is_apart_ = is_apart_ && (!is_stored || are_elements_apart(high, {word, static_cast<std::size_t>(2 * axes)}));
            for (std::int64_t axis = 0; axis < axes; ++axis, word += 2) {
                const std::int64_t reach = (word[0] - 1) * word[1];
                (reach < 0 ? low : high) += reach;
            }
            parts_.push_back({first + low, high - low, is_stored});
        }
    }

    // In their order, on this thread. The next ones go on from what these have set.
    bool alone(std::int64_t first, std::int64_t end) {
        call_.inputs[inputs() - 2] = first;
        call_.inputs[inputs() - 1] = end;
        call_.run(call_.arrays, call_.inputs, 0, call_.interruption, call_.words);
        note_ |= call_.words[layout_[2]];
        if (!is_done(call_.words)) return false;
        go_on();
        return true;
    }

    void go_on() {
        const std::int64_t* pair = layout_ + 8;
        for (std::int64_t i = 0; i < layout_[7]; ++i, pair += 2) call_.inputs[pair[0]] = call_.words[pair[1]];
    }

    // More and more of them, until it is known how long the others take.
    bool tried(std::int64_t first, std::int64_t end) {
        const Clock::time_point start = Clock::now();
        std::int64_t at = first;
        for (std::int64_t count = least() / 2; at < end; count *= 4) {
            const std::int64_t next = at + std::min(count, end - at);
            if (!alone(at, next)) return false;
            at = next;
            const double spent = Nanoseconds(Clock::now() - start).count();
            const double each = spent / static_cast<double>(at - first);
            const double rest = each * static_cast<double>(end - at);
            if (rest < short_rest) return at == end || alone(at, end);
            if (rest < worth_sharing || spent < long_start) continue;
            find_parts();
            return thread_count() > 1 && are_apart() ? together(at, end, each) : alone(at, end);
        }
        return true;
    }

    bool are_apart() const {
        const auto overlap = [](const Part& one, const Part& other) {
            return one.start < other.start + other.bytes && other.start < one.start + one.bytes;
        };
        return is_apart_ && std::ranges::none_of(parts_, [&](const Part& one) {
                   return one.is_stored && std::ranges::any_of(parts_, [&](const Part& other) { return &one != &other && overlap(one, other); });
               });
    }

    bool together(std::int64_t first, std::int64_t end, double each) {
        const std::int64_t count = std::max(std::int64_t{2} * thread_count(), static_cast<std::int64_t>(most_of_a_round / each));
        for (std::int64_t at = first; at < end;) {
            const std::int64_t next = at + std::min(count, end - at);
            auto* const interruption = reinterpret_cast<detail::Interruption*>(call_.interruption);
            const bool is_interrupted = at > first && detail::ask_interruption(interruption) != 0;
            if (is_interrupted || !shared(at, next, each)) {
                if (!alone(at, next)) return false;
            }
            at = next;
        }
        return true;
    }

    // Whether all threads did them. Else nothing is done.
    bool shared(std::int64_t first, std::int64_t end, double each) {
        const double length = each * static_cast<double>(end - first);
        std::int64_t stored = 0;
        for (const Part& part : parts_) stored += is_kept(part) ? part.bytes : 0;
        if (may_leave() && static_cast<double>(stored) / copied_bytes > length / 4) return false;
        const std::unique_ptr<std::byte[]> before(may_leave() ? new (std::nothrow) std::byte[static_cast<std::size_t>(stored)] : nullptr);
        if (may_leave() && before == nullptr) return false;
        if (may_leave()) keep(before.get());
        const unsigned flags = detail::float_flags();
        if (do_parts(first, end, length)) return true;
        if (may_leave()) put_back(before.get());
        detail::clear_float_flags();
        detail::raise_float_flags(flags);
        return false;
    }

    static bool is_kept(const Part& part) { return part.is_stored && part.bytes > 0; }
    void keep(std::byte* to) const {
        for (const Part& part : parts_) {
            if (!is_kept(part)) continue;
            std::memcpy(to, part.start, static_cast<std::size_t>(part.bytes));
            to += part.bytes;
        }
    }
    void put_back(const std::byte* from) const {
        for (const Part& part : parts_) {
            if (!is_kept(part)) continue;
            std::memcpy(part.start, from, static_cast<std::size_t>(part.bytes));
            from += part.bytes;
        }
    }

    // What the threads do side by side, each from what was set before.
    struct Job {
        const SharedLoopRun& loop;
        std::int64_t first, end, tasks;
        double expected;
        std::vector<std::int64_t> last;  // words of the last part
        std::atomic<std::int64_t> note{0};
        std::atomic<bool> is_left{false};

        void run(std::int64_t task) {
            if (is_left.load(std::memory_order_relaxed)) return;
            const auto bound = [&](std::int64_t number) { return first + (end - first) / tasks * number + std::min(number, (end - first) % tasks); };
            std::vector<std::int64_t> inputs(loop.call_.inputs, loop.call_.inputs + loop.inputs());
            std::vector<std::int64_t> words(static_cast<std::size_t>(loop.words()));
            inputs[inputs.size() - 2] = bound(task);
            inputs[inputs.size() - 1] = bound(task + 1);
            Deadline deadline(expected);
            loop.call_.run(loop.call_.arrays, inputs.data(), 0, reinterpret_cast<std::int64_t>(static_cast<detail::Interruption*>(&deadline)),
                           words.data());
            if (!loop.is_done(words.data())) {
                is_left.store(true, std::memory_order_relaxed);
                return;
            }
            note.fetch_or(words[static_cast<std::size_t>(loop.layout_[2])], std::memory_order_relaxed);
            if (task == tasks - 1) last = std::move(words);
        }
    };

    bool do_parts(std::int64_t first, std::int64_t end, double length) {
        const std::int64_t wanted = std::max<std::int64_t>(thread_count() * parts_of_a_thread, static_cast<std::int64_t>(length / most_of_a_part));
        const std::int64_t tasks = std::min(end - first, wanted);
        Job job{*this, first, end, tasks, length / static_cast<double>(tasks), {}};
        const auto body = [](void* context, std::int64_t task, int /*worker*/) { static_cast<Job*>(context)->run(task); };
        try {
            parallel_for(tasks, body, &job, Tasks::of_any_length);
        } catch (const std::bad_alloc&) {
            return false;
        }
        if (job.is_left.load()) return false;
        rounds.fetch_add(1, std::memory_order_relaxed);
        note_ |= job.note.load();
        std::copy(job.last.begin(), job.last.end(), call_.words);
        go_on();
        return true;
    }

    const SharedLoopCall& call_;
    const std::int64_t* layout_;
    std::int64_t note_ = 0;
    SmallVector<Part, 8> parts_;
    bool is_apart_ = true;  // elements of what is stored to
};

}  // namespace

std::uint64_t shared_rounds() { return rounds.load(std::memory_order_relaxed); }

std::int32_t run_shared_loop(const SharedLoopCall* call, std::int64_t first, std::int64_t end) noexcept {
    return SharedLoopRun(*call).run(first, end) ? 1 : 0;
}

}  // namespace fastnp::base
