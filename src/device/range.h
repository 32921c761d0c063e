// A stretch of work on a device that profilers show under a name.
#pragma once

#include <string>

#include "device/backend.h"

namespace fastnp::device {

class Range {
public:
    /// Null: on the host, where nothing is named.
    Range(Backend* device, const std::string& name) : device_(device != nullptr && device->names_ranges() ? device : nullptr) {
        if (device_ != nullptr) device_->begin_range(name);
    }
    ~Range() {
        if (device_ != nullptr) device_->end_range();
    }
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;

private:
    Backend* device_;
};

}  // namespace fastnp::device
