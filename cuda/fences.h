// The order of a device's work among that of other libraries, which is in other streams.
#pragma once

#include <mutex>

#include "context.h"
#include "device/backend.h"

namespace fastnp::cuda {

/// Thread-safe. Streams are as device::Backend has them. Drivers before 12.5 know no event of all streams: there the host waits.
class Fences {
public:
    explicit Fences(Context& context) : context_(context) {}
    ~Fences();
    Fences(const Fences&) = delete;
    Fences& operator=(const Fences&) = delete;

    void wait_for(device::Backend::Stream stream);
    void let_wait(device::Backend::Stream stream);
    /// What is asked for from now on comes after what another device was asked for until now.
    void wait_for(Fences& other);

private:
    void need_event();

    Context& context_;
    std::mutex mutex_;
    Handle event_ = nullptr;  // who waits for it waits for what it was last recorded for
};

}  // namespace fastnp::cuda
