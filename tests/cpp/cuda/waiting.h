// Kernels that are written by hand, as devices take them.
#pragma once

#include <string>
#include <utility>

#include "device/backend.h"

namespace fastnp::cuda {

/// PTX for sm_80, each kernel of which begins as to_ptx() has it begin for a device: from Hopper on launches overlap, so it says that the next one may
/// begin, and waits for the one before it.
inline std::string waiting(std::string ptx, const device::Backend& device) {
    if (device.capability() < device::overlapping_capability) return ptx;
    for (const auto& [old, made] : {std::pair(".version 7.0", ".version 8.0"), std::pair(".target sm_80", ".target sm_90")}) {
        const std::string text = old;
        if (const std::size_t at = ptx.find(text); at != std::string::npos) ptx.replace(at, text.size(), made);
    }
    for (std::size_t entry = ptx.find(".entry"); entry != std::string::npos; entry = ptx.find(".entry", entry + 1)) {
        ptx.insert(ptx.find('{', entry) + 1, "\n    griddepcontrol.launch_dependents;\n    griddepcontrol.wait;");
    }
    return ptx;
}

}  // namespace fastnp::cuda
