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

Blas load(const Driver& driver) {
    Blas blas;
    const Library library = find_library(driver, {"libcublasLt", "cublas", {13, 12, 11}});
    if (library.handle == nullptr) {
        blas.problem = "cuBLAS was not found: " + library.problem;
    } else if (const char* missing = find_all(library, blas); missing != nullptr) {
        blas.problem = "cuBLAS is too old: " + library.path + " has no " + missing;
    } else {
        blas.path = library.path;
    }
    return blas;
}

}  // namespace

const Blas& Blas::get(const Driver& driver) {
    static const Blas* const loaded = new Blas(load(driver));  // never destroyed: devices are not, either
    return *loaded;
}

}  // namespace fastnp::cuda
