#include "fences.h"

#include <exception>

namespace fastnp::cuda {

namespace {

constexpr unsigned disable_timing = 2;

// The driver's handles of its default streams are their numbers.
Handle handle_of(device::Backend::Stream stream) { return reinterpret_cast<Handle>(stream); }

}  // namespace

Fences::~Fences() {
    if (event_ == nullptr || !context_.is_usable()) return;
    try {
        const Current current(context_);
        context_.driver().event_destroy(event_);
    } catch (const std::exception&) {  // NOLINT: the context is gone, and its events with it
    }
}

void Fences::need_event() {
    if (event_ == nullptr) context_.check(context_.driver().event_create(&event_, disable_timing), "cuEventCreate");
}

void Fences::wait_for(device::Backend::Stream stream) {
    const std::scoped_lock lock(mutex_);
    const Current current(context_);
    const Driver& driver = context_.driver();
    const bool every = stream == device::Backend::every_stream;
    const auto whole = every ? std::unique_lock(context_.whole()) : std::unique_lock<std::mutex>();
    if (every && driver.context_record_event == nullptr) return context_.check(driver.context_synchronize(), "cuCtxSynchronize");
    need_event();
    if (every) context_.check(driver.context_record_event(context_.handle(), event_), "cuCtxRecordEvent");
    else context_.check(driver.event_record(event_, handle_of(stream)), "cuEventRecord");
    context_.check(driver.stream_wait_event(context_.stream(), event_, 0), "cuStreamWaitEvent");
}

void Fences::let_wait(device::Backend::Stream stream) {
    const std::scoped_lock lock(mutex_);
    const Current current(context_);
    const Driver& driver = context_.driver();
    const bool every = stream == device::Backend::every_stream;
    const auto whole = every ? std::unique_lock(context_.whole()) : std::unique_lock<std::mutex>();
    if (every && driver.context_wait_event == nullptr) return context_.check(driver.stream_synchronize(context_.stream()), "cuStreamSynchronize");
    need_event();
    context_.check(driver.event_record(event_, context_.stream()), "cuEventRecord");
    if (every) context_.check(driver.context_wait_event(context_.handle(), event_), "cuCtxWaitEvent");
    else context_.check(driver.stream_wait_event(handle_of(stream), event_, 0), "cuStreamWaitEvent");
}

// Events and streams of two devices know each other.
void Fences::wait_for(Fences& other) {
    const std::scoped_lock lock(mutex_, other.mutex_);
    {
        const Current current(other.context_);
        other.need_event();
        other.context_.check(other.context_.driver().event_record(other.event_, other.context_.stream()), "cuEventRecord");
    }
    const Current current(context_);
    context_.check(context_.driver().stream_wait_event(context_.stream(), other.event_, 0), "cuStreamWaitEvent");
}

}  // namespace fastnp::cuda
