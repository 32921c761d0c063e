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

    bool knows(const device::Transform& transform);

    /// A plan of the library's, with its tables on the device.
    class Plan;
    /// Of a transform that is known.
    std::shared_ptr<const Plan> plan(const device::Transform& transform);
    /// Asks for it in another stream than the context's. The context is the current one.
    void ask(const Plan& plan, const device::Transform& transform, Handle stream, void* workspace);

    /// Transforms asked for so far; `transforms` more were, by graphs.
    std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
    void count_more(std::size_t transforms) { count_.fetch_add(transforms, std::memory_order_relaxed); }

private:
    using Key = std::array<std::int64_t, 8>;

    const Fft& fft();
    static Key key_of(const device::Transform& transform);
    std::shared_ptr<const Plan> plan_for(const device::Transform& transform);
    std::shared_ptr<const Plan> made(const device::Transform& transform);
    void check(int status, const char* function);

    Context& context_;
    Pool& pool_;
    const FindFft find_;
    std::mutex mutex_;  // held while a transform is asked for: a plan has one workspace at a time
    const Fft* fft_ = nullptr;
    std::map<Key, std::shared_ptr<const Plan>> plans_;  // null: there is none for such lines
    std::atomic<std::uint64_t> count_ = 0;
};

/// Destroyed with its last owner, when what was asked for is done.
class Transforms::Plan {
public:
    Plan(Context& context, const Fft& fft, int number) : context_(context), fft_(fft), number_(number) {}
    ~Plan();
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    int number() const { return number_; }
    std::size_t workspace_bytes() const { return workspace_bytes_; }

private:
    friend class Transforms;
    Context& context_;
    const Fft& fft_;
    const int number_;
    std::size_t workspace_bytes_ = 0;
};

}  // namespace fastnp::cuda
