// Fourier transforms by cuFFT.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "context.h"
#include "device/transform.h"
#include "fft.h"
#include "pool.h"

namespace fastnp::cuda {

/// Of one device. Thread-safe. The library's plans are kept, one for each kind of transform.
class Transforms {
public:
    using FindFft = const Fft& (*)(const Driver&);

    /// `find` is called when the first transform is asked for.
    Transforms(Context& context, Pool& pool, FindFft find) : context_(context), pool_(pool), find_(find) {}
    ~Transforms();
    Transforms(const Transforms&) = delete;
    Transforms& operator=(const Transforms&) = delete;

    /// As device::Backend says.
    std::string lacks();
    bool transform(const device::Transform& transform);

    /// Transforms asked for so far.
    std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

private:
    struct Plan {
        int number = -1;  // -1: there is none for such lines
        std::size_t workspace_bytes = 0;
    };
    using Key = std::array<std::int64_t, 8>;

    const Fft& fft();
    Plan plan_for(const device::Transform& transform);
    Plan made(const device::Transform& transform);
    void forget_plans();
    void check(int status, const char* function);

    Context& context_;
    Pool& pool_;
    const FindFft find_;
    std::mutex mutex_;  // held while a transform is asked for: a plan has one workspace at a time
    const Fft* fft_ = nullptr;
    std::map<Key, Plan> plans_;
    std::atomic<std::uint64_t> count_ = 0;
};

}  // namespace fastnp::cuda
