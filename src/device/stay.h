// A stay of the calling thread at a device, for as long as it asks for one piece of work after the other.
#pragma once

#include "device/backend.h"

namespace fastnp::device {

class Stay {
public:
    /// Null: none.
    explicit Stay(Backend* device) : device_(device != nullptr && device->enter() ? device : nullptr) {}
    ~Stay() {
        if (device_ != nullptr) device_->leave();
    }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

private:
    Backend* device_;
};

}  // namespace fastnp::device
