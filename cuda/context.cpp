#include "context.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "fastnp/error.h"

namespace fastnp::cuda {

namespace {

constexpr unsigned non_blocking = 1;  // the stream does not wait for the default stream, which other libraries use

// Errors after which every call in this context fails: memory errors that can't be corrected, and what kernels do wrong.
bool is_lasting(int error) {
    constexpr std::array lasting{214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719};
    return std::ranges::find(lasting, error) != lasting.end();
}

}  // namespace

Context::Context(const Driver& driver, int ordinal) : driver_(driver), name_("cuda:" + std::to_string(ordinal)) {
    check(driver.device_get(&device_, ordinal), "cuDeviceGet");
    check(driver.primary_context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
    try {
        const Current current(*this);
        check(driver.stream_create(&stream_, non_blocking), "cuStreamCreate");
    } catch (...) {
        driver.primary_context_release(device_);
        throw;
    }
}

Context::~Context() {
    if (Driver::ending()) return;
    if (is_usable()) {
        try {
            const Current current(*this);
            driver_.stream_destroy(stream_);
        } catch (const std::exception&) {  // NOLINT: the context is gone, and its stream with it
        }
    }
    driver_.primary_context_release(device_);
}

int Context::attribute(Attribute attribute) {
    int value = 0;
    check(driver_.device_get_attribute(&value, attribute, device_), "cuDeviceGetAttribute");
    return value;
}

void Context::must_be_usable() const {
    if (is_usable()) [[likely]]
        return;
    if (Driver::ending()) throw DeviceError("device '" + name_ + "': the process is ending");
    const std::scoped_lock lock(mutex_);
    throw DeviceError("device '" + name_ + "' can't be used any more in this process: " + why_broken_);
}

void Context::lack_memory(const char* function, std::string_view detail, const std::string& in_use) {
    std::string text = "device '" + name_ + "': " + function + " failed: " + driver_.text_of(out_of_memory);
    if (!detail.empty()) text.append(": ").append(detail);
    if (!in_use.empty()) text += " (" + in_use + ")";
    throw MemoryError(text);
}

void Context::fail(int error, const char* function, std::string_view detail) {
    std::string what = std::string(function) + " failed: " + driver_.text_of(error);
    if (!detail.empty()) what.append(": ").append(detail);
    if (error == not_initialized) what += "; a process that was forked after CUDA's first use can't use it";
    if (!is_lasting(error)) throw DeviceError("device '" + name_ + "': " + what);
    const std::scoped_lock lock(mutex_);
    if (!broken_.load(std::memory_order_relaxed)) {
        const std::string names = launches_.names();
        what += names.empty() ? "; no kernel had been launched since the device was last waited for"
                              : "; kernels launched since the device was last waited for: " + names;
        why_broken_ = what;
        broken_.store(true, std::memory_order_release);
    }
    throw DeviceError("device '" + name_ + "': " + why_broken_ + "; the device can't be used any more in this process");
}

void Context::synchronize() {
    const Current current(*this);
    const std::uint64_t launched = launches_.count();
    check(driver_.stream_synchronize(stream_), "cuStreamSynchronize");
    launches_.ended(launched);
}

thread_local constinit const Context* Current::entered_ = nullptr;
thread_local constinit bool Current::entered_by_push_ = false;

void Current::push(Context& context) {
    Handle before = nullptr;
    context.check(driver_.context_get_current(&before), "cuCtxGetCurrent");
    if (before == context.context_) return;
    context.check(driver_.context_push(context.context_), "cuCtxPushCurrent");
    pushed_ = before != nullptr || !context.is_kept_;
}

void Current::pop() noexcept {
    Handle popped = nullptr;
    driver_.context_pop(&popped);
}

bool Context::enter() {
    if (Current::entered_ != nullptr) return false;
    Current current(*this);
    Current::entered_by_push_ = std::exchange(current.pushed_, false);
    Current::entered_ = this;
    return true;
}

void Context::leave() noexcept {
    const Context* const left = std::exchange(Current::entered_, nullptr);
    Handle popped = nullptr;
    if (Current::entered_by_push_) left->driver_.context_pop(&popped);
}

}  // namespace fastnp::cuda
