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

Fft load(const Driver& driver) {
    Fft fft;
    const Library library = find_library(driver, {"libcufft", "cufft", {12, 11, 10}});
    if (library.handle == nullptr) {
        fft.problem = "cuFFT was not found: " + library.problem;
    } else if (const char* missing = find_all(library, fft); missing != nullptr) {
        fft.problem = "cuFFT is too old: " + library.path + " has no " + missing;
    } else {
        fft.path = library.path;
    }
    return fft;
}

}  // namespace

const Fft& Fft::get(const Driver& driver) {
    static const Fft* const loaded = new Fft(load(driver));  // never destroyed: devices are not, either
    return *loaded;
}

}  // namespace fastnp::cuda
