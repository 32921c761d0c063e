// The CUDA driver, found when first asked for: the library loads and runs where there is none. No header of the toolkit is used, so that it builds
// everywhere too; the driver's C interface is stable.
#pragma once

#include <cstddef>
#include <string>

#include "fastnp/device.h"

namespace fastnp::cuda {

/// The functions of libcuda.so.1 that are used, with the driver's own names and types (CUresult, CUdevice and CUdevice_attribute are int).
struct Driver {
    int (*init)(unsigned flags) = nullptr;
    int (*driver_get_version)(int* version) = nullptr;
    int (*device_get_count)(int* count) = nullptr;
    int (*device_get)(int* device, int ordinal) = nullptr;
    int (*device_get_name)(char* name, int length, int device) = nullptr;
    int (*device_total_mem)(std::size_t* bytes, int device) = nullptr;
    int (*device_get_attribute)(int* value, int attribute, int device) = nullptr;
    int (*get_error_string)(int error, const char** text) = nullptr;

    int devices = 0;
    std::string problem;  // why no device can be used, in one line; empty otherwise

    /// The driver of this process, loaded and initialised by the first call; never unloaded.
    static const Driver& get();

    /// "cuda:<ordinal>".
    DeviceInfo info(int ordinal) const;
};

}  // namespace fastnp::cuda
