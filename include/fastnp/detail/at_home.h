// What is made of sizes alone, where the array is whose sizes these are.
#pragma once

#include <optional>

#include "fastnp/detail/memory.h"
#include "fastnp/device.h"

namespace fastnp::detail {

/// While it lives, arrays that are made of no others are made where an array is at home.
class AtHome {
public:
    explicit AtHome(const array& x) {
        if (is_at_device(x)) scope_.emplace(x.device());
    }

private:
    std::optional<device_scope> scope_;
};

}  // namespace fastnp::detail
