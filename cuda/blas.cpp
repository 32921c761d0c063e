#include "blas.h"

#include <dlfcn.h>

#include <vector>

#include "libraries.h"

namespace fastnp::cuda {

namespace {

template <class F>
bool find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

// The name of a function that the library lacks, or nothing.
const char* find_all(void* library, Blas& blas) {
#define FUNCTION(result, name, symbol, parameters) \
    if (!find(library, #symbol, blas.name)) return #symbol;
#include "blas.def"
#undef FUNCTION
    return nullptr;
}

// A library works with drivers of its own version and of later ones.
std::vector<int> versions_for(const Driver& driver) {
    int version = 0;
    if (driver.driver_get_version == nullptr || driver.driver_get_version(&version) != success) return {};
    std::vector<int> versions;
    for (const int each : {13, 12, 11}) {
        if (each <= version / 1000) versions.push_back(each);
    }
    return versions;
}

Blas load(const Driver& driver) {
    Blas blas;
    const Library library = find_library("libcublasLt", versions_for(driver), "cublas");
    if (library.handle == nullptr) {
        blas.problem = "cuBLAS was not found: " + library.problem;
    } else if (const char* missing = find_all(library.handle, blas); missing != nullptr) {
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
