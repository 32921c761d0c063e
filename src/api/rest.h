// Calls that nothing is tried for, since those before them were tried in vain.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace fastnp::detail {

/// Of a kind of call whose course is seldom known before it has run: a run that stops at a value that it reads is lost time. After some such calls in a
/// row the next ones rest, ever more of them, and one of them is tried then. Threads may count side by side; none waits for another one.
class Rest {
public:
    /// Whether a call rests, which is then counted.
    bool takes() const {
        std::uint32_t left = left_.load(std::memory_order_relaxed);
        return left != 0 && left_.compare_exchange_strong(left, left - 1, std::memory_order_relaxed);
    }
    /// A call was tried in vain.
    void note_vain() const {
        const std::uint32_t count = vain_.fetch_add(1, std::memory_order_relaxed) + 1;
        if (count >= before) left_.store(std::uint32_t{1} << std::min(count - before + shortest, longest), std::memory_order_relaxed);
    }
    /// A call was served.
    void note_served() const {
        if (vain_.load(std::memory_order_relaxed) != 0) vain_.store(0, std::memory_order_relaxed);
    }

private:
    static constexpr std::uint32_t before = 32;                // calls in vain
    static constexpr std::uint32_t shortest = 5, longest = 12; // powers of two of calls
    mutable std::atomic<std::uint32_t> vain_{0}, left_{0};
};

}  // namespace fastnp::detail
