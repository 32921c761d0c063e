#include "fft.h"

#include "libraries.h"

namespace fastnp::cuda {

namespace {

// The name of a function that the library lacks, or nothing.
const char* find_all(const Library& library, Fft& fft) {
#define FUNCTION(name, symbol, parameters) \
    if (!library.find(#symbol, fft.name)) return #symbol;
#include "fft.def"
#undef FUNCTION
    return nullptr;
}

}  // namespace

const Fft& Fft::get(const Driver& driver) {
    static const Fft* const loaded =
        new Fft(load_library(driver, {"libcufft", "cufft", {12, 11, 10}}, "cuFFT", &find_all));  // never destroyed: devices are not, either
    return *loaded;
}

}  // namespace fastnp::cuda
