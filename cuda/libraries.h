// NVIDIA's libraries besides the driver, found at run time.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fastnp::cuda {

/// A library in this process; it is never unloaded.
struct Library {
    void* handle = nullptr;
    std::string path;     // the file
    std::string problem;  // why there is none, in one line
};

/// The first of `versions` that there is of a library ("libcublasLt"): one that this process has already; else where the system finds it, among Python's
/// packages (of the name `package` for each library, or all in one), in CUDA_HOME, CUDA_PATH and /usr/local/cuda.
Library find_library(std::string_view stem, std::span<const int> versions, std::string_view package);

/// The folders beside the system's where a library of a version may lie, in the order in which they are tried.
std::vector<std::string> folders_for(int version, std::string_view package);

}  // namespace fastnp::cuda
