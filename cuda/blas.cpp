#include "blas.h"

#include "libraries.h"

namespace fastnp::cuda {

namespace {

// The name of a function that the library lacks, or nothing.
const char* find_all(const Library& library, Blas& blas) {
#define FUNCTION(result, name, symbol, parameters) \
    if (!library.find(#symbol, blas.name)) return #symbol;
#include "blas.def"
#undef FUNCTION
    return nullptr;
}

}  // namespace

const Blas& Blas::get(const Driver& driver) {
    static const Blas* const loaded =
        new Blas(load_library(driver, {"libcublasLt", "cublas", {13, 12, 11}}, "cuBLAS", &find_all));  // never destroyed: devices are not, either
    return *loaded;
}

}  // namespace fastnp::cuda
