// What fastnp can run on.
#pragma once

#include <cstddef>
#include <string>
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

}  // namespace fastnp
