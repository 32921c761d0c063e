// What fastnp can run on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup devices
/// @{

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

/// A library of NVIDIA's that computes what loop kernels are not made for, on CUDA devices. Where it is not found, the host computes that.
struct FASTNP_API DeviceLibrary {
    std::string name;     ///< "cuBLAS": products of matrices
    std::string path;     ///< the file in use; empty if there is none
    std::string problem;  ///< why there is none, in one line
};

/// The libraries that CUDA devices use; looks for those that were not needed yet. They are looked for among the libraries of the process, where the system
/// has libraries, in CUDA_HOME, CUDA_PATH and /usr/local/cuda, and as packages of Python beside this library and in look_for_libraries_in()'s folders.
FASTNP_API std::vector<DeviceLibrary> device_libraries();
/// Has libraries be looked for in a folder of Python's packages, too (".../site-packages"), as far as they were not needed yet.
FASTNP_API void look_for_libraries_in(std::string_view folder);

/// The device that arrays of this thread are made and computed on: "cpu", or the one that the innermost device_scope names.
FASTNP_API std::string current_device();

/// What was done on a CUDA device so far, in this process.
struct FASTNP_API DeviceStatistics {
    std::size_t live_bytes = 0;  ///< of memory that is in use
    std::size_t held_bytes = 0;  ///< of memory that is kept for reuse
    std::uint64_t launches = 0;  ///< of kernels
    std::uint64_t uploads = 0;  ///< copies from the host
    std::uint64_t uploaded_bytes = 0;  ///< by these copies
    std::uint64_t downloads = 0;  ///< copies to the host
    std::uint64_t downloaded_bytes = 0;  ///< by these copies
    std::uint64_t products = 0;  ///< calls of a library for products of matrices
    std::uint64_t transforms = 0;  ///< calls of a library for Fourier transforms
    std::uint64_t factorisations = 0;  ///< calls of a library for factors of matrices, and for what is solved with them
};

/// What was done on a device so far; of the processor, nothing. ValueError, DeviceError: as device_scope. (torch.cuda.memory_stats)
FASTNP_API DeviceStatistics device_statistics(std::string_view device);
/// Waits until a device has done all that it was asked for, and raises what went wrong there. ValueError, DeviceError: as device_scope.
/// (torch.cuda.synchronize)
FASTNP_API void synchronize(std::string_view device);
/// Gives memory that is kept for reuse on a device back to it. ValueError, DeviceError: as device_scope. (torch.cuda.empty_cache)
FASTNP_API void trim_device(std::string_view device);

/// @}

class array;

namespace detail {

/// The first element's address, to be compared with others: the elements may be on a device. RecordError while recording.
FASTNP_API const void* address_of(const array& x);
/// Copies the first element to `to`, from wherever it is. RecordError while recording.
FASTNP_API void read_element(const array& x, void* to);

}  // namespace detail

/// \addtogroup devices
/// @{

/// While it lives, arrays of this thread are made and computed on a device: "cpu", "cuda" (the first CUDA device), "cuda:0", "cuda:1", ... Scopes nest.
/// ValueError: no device has such a name. DeviceError: it can't be used; the message says what is missing.
///
///     const device_scope on_gpu("cuda");
///     const array x = ones({1000, 1000});  // made there
class FASTNP_API device_scope {
public:
    /// From here on. ValueError, DeviceError.
    [[nodiscard]] explicit device_scope(std::string_view name);
    /// The device that was there before comes back.
    ~device_scope();
    device_scope(const device_scope&) = delete;
    device_scope& operator=(const device_scope&) = delete;

private:
    std::string before_;
    void* backend_before_;
};

/// @}

}  // namespace fastnp
