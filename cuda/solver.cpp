#include "solver.h"

#include "libraries.h"

namespace fastnp::cuda {

namespace {

// The name of a function that the library lacks, or nothing.
const char* find_all(const Library& library, Solver& solver) {
#define FUNCTION(name, symbol, parameters) \
    if (!library.find(#symbol, solver.name)) return #symbol;
#define RECENT(name, symbol, parameters) library.find(#symbol, solver.name);
#define FOUR(name, s, d, c, z, parameters)            \
    if (!library.find(#s, solver.name[0])) return #s; \
    if (!library.find(#d, solver.name[1])) return #d; \
    if (!library.find(#c, solver.name[2])) return #c; \
    if (!library.find(#z, solver.name[3])) return #z;
#include "solver.def"
#undef FOUR
#undef RECENT
#undef FUNCTION
    return nullptr;
}

}  // namespace

const Solver& Solver::get(const Driver& driver) {
    static const Solver* const loaded =
        new Solver(load_library(driver, {"libcusolver", "cusolver", {12, 11, 11}}, "cuSOLVER", &find_all));  // never destroyed: devices are not, either
    return *loaded;
}

}  // namespace fastnp::cuda
