#include "cublas.h"

#include "libraries.h"

namespace fastnp::cuda {

namespace {

// The name of a function that the library lacks, or nothing.
const char* find_all(const Library& library, Cublas& blas) {
#define FUNCTION(name, symbol, parameters) \
    if (!library.find(#symbol, blas.name)) return #symbol;
#define FOUR(name, s, d, c, z, parameters)          \
    if (!library.find(#s, blas.name[0])) return #s; \
    if (!library.find(#d, blas.name[1])) return #d; \
    if (!library.find(#c, blas.name[2])) return #c; \
    if (!library.find(#z, blas.name[3])) return #z;
#include "cublas.def"
#undef FOUR
#undef FUNCTION
    return nullptr;
}

}  // namespace

const Cublas& Cublas::get(const Driver& driver) {
    static const Cublas* const loaded =
        new Cublas(load_library(driver, {"libcublas", "cublas", {13, 12, 11}}, "cuBLAS", &find_all));  // never destroyed: devices are not, either
    return *loaded;
}

}  // namespace fastnp::cuda
