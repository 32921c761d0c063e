// cuFFT, found when the first Fourier transform is asked for. No header of the toolkit is used; what is declared here is its C interface of the versions
// 10 to 12, which come with CUDA 11 to 13.
#pragma once

#include <cstddef>
#include <string>

#include "driver.h"

namespace fastnp::cuda {

/// Results that are told apart.
enum FftStatus : int {
    fft_success = 0,
    fft_invalid_size = 8,
    fft_not_implemented = 14,
    fft_not_supported = 16,
};

/// The functions of libcufft that are used. Tests fill the table with functions of their own.
struct Fft {
#define FUNCTION(name, symbol, parameters) int(*name) parameters = nullptr;
#include "fft.def"
#undef FUNCTION

    std::string path;     // the file in use
    std::string problem;  // why there is none, in one line; empty otherwise

    /// The library of this process, loaded by the first call: one that works with the driver.
    static const Fft& get(const Driver& driver);
};

}  // namespace fastnp::cuda
