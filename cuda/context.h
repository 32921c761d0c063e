// A device's primary context, the one stream that all our work goes through, and what is known of errors there.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "driver.h"
#include "launches.h"

namespace fastnp::cuda {

/// Thread-safe.
class Context {
public:
    /// Retains the primary context, which other libraries of the process share. DeviceError if the device can't be used.
    Context(const Driver& driver, int ordinal);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    const Driver& driver() const { return driver_; }
    Handle handle() const { return context_; }
    Handle stream() const { return stream_; }
    /// "cuda:0".
    const std::string& name() const { return name_; }
    int attribute(Attribute attribute);
    /// From now on threads that have no context keep this one: for the first device's, which CUDA's runtime gives them, too. Before others know it.
    void let_threads_keep_it() { is_kept_ = true; }
    Launches& launches() { return launches_; }
    /// Held while a stream is captured, when the context as a whole can't be waited for, and while it is.
    std::mutex& whole() { return whole_; }

    /// DeviceError if a kernel has left the device unusable, or if the process is ending.
    void must_be_usable() const;
    bool is_usable() const noexcept { return !broken_.load(std::memory_order_acquire) && !Driver::ending(); }

    /// DeviceError for an error that a function of the driver gave, with what else is known of it. Must be told of every error, since some mean that the
    /// device can't be used any more in this process.
    void check(int error, const char* function, std::string_view detail = "") {
        if (error != success) [[unlikely]]
            fail(error, function, detail);
    }
    /// What gives memory back that is only kept for later, and says what is in use then: for the device's pool, before others know the context.
    void on_shortage(std::function<std::string()> give_back) { give_back_ = std::move(give_back); }
    /// Calls it. "" if there is none.
    std::string make_room() { return give_back_ ? give_back_() : ""; }
    /// check(call(), ...) for a function of the driver's that may take memory of the device: where there is none, once more after room was made.
    /// MemoryError, with what is in use, where there is none then. detail() tells more of an error.
    template <class Call, class Detail>
    void check_with_memory(const Call& call, const char* function, const Detail& detail) {
        int error = call();
        if (error == success) [[likely]]
            return;
        std::string in_use;
        if (error == out_of_memory) {
            in_use = make_room();
            error = call();
        }
        if (error == out_of_memory) lack_memory(function, detail(), in_use);
        if (error != success) fail(error, function, detail());
    }
    /// Waits until all that was asked for is done.
    void synchronize();

    /// Makes it this thread's current one until leave(), which nothing but this library may change meanwhile. False, and nothing is done, where it or
    /// another device's is already.
    bool enter();
    static void leave() noexcept;

private:
    [[noreturn]] void fail(int error, const char* function, std::string_view detail);
    [[noreturn]] void lack_memory(const char* function, std::string_view detail, const std::string& in_use);

    friend class Current;

    const Driver& driver_;
    const std::string name_;
    bool is_kept_ = false;  // by threads that had none
    int device_ = 0;
    Handle context_ = nullptr;
    Handle stream_ = nullptr;
    Launches launches_;
    std::function<std::string()> give_back_;
    std::mutex whole_;
    std::atomic<bool> broken_ = false;
    mutable std::mutex mutex_;
    std::string why_broken_;
};

/// While it lives, the context is this thread's current one; afterwards the one that was. A thread that had none keeps the first device's, as from any use
/// of CUDA's runtime: a call is two of the driver's functions shorter. DeviceError if the device can't be used.
class Current {
public:
    explicit Current(Context& context) : driver_(context.driver_) {
        context.must_be_usable();
        if (entered_ != &context) push(context);
    }
    ~Current() {
        if (pushed_) pop();
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

private:
    friend class Context;

    void push(Context& context);
    void pop() noexcept;

    static thread_local constinit const Context* entered_;  // by this thread
    static thread_local constinit bool entered_by_push_;
    const Driver& driver_;
    bool pushed_ = false;
};

}  // namespace fastnp::cuda
