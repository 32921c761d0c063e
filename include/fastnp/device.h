// What fastnp can run on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fastnp/export.h"

namespace fastnp {

/// A device of this machine.
struct FASTNP_API DeviceInfo {
    std::string name;                    ///< "cpu", "cuda:0", "cuda:1", ...
    std::string model;                   ///< as its maker calls it, with the instruction set that kernels are compiled for
    std::size_t memory_bytes = 0;        ///< that it has in all
    int compute_capability = 0;          ///< of a CUDA device: 10 times the major number, plus the minor; else 0
};

/// The devices of this machine: the processor, then each CUDA device that the driver shows. Where there is no driver, the processor alone.
FASTNP_API std::vector<DeviceInfo> devices();

/// Why devices() lists no CUDA device, in one line; empty if it lists one.
FASTNP_API std::string cuda_problem();

/// The device that arrays of this thread are made and computed on: "cpu", or the one that the innermost device_scope names.
FASTNP_API std::string current_device();

/// While it lives, arrays of this thread are made and computed on a device: "cpu", "cuda" (the first CUDA device), "cuda:0", "cuda:1", ... Scopes nest.
/// ValueError: no device has such a name. DeviceError: it can't be used; the message says what is missing.
class FASTNP_API device_scope {
public:
    explicit device_scope(std::string_view name);
    ~device_scope();
    device_scope(const device_scope&) = delete;
    device_scope& operator=(const device_scope&) = delete;

private:
    std::string before_;
};

}  // namespace fastnp
