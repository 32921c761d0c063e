// NumPy's generators of random numbers, lent to a native program.
#pragma once

#include <cstdint>

#include "common.h"
#include "fastnp/small_vector.h"

namespace fastnp::python {

/// Holds the locks of generators for as long as it lives.
class LentGenerators {
public:
    LentGenerators() = default;
    ~LentGenerators();
    LentGenerators(const LentGenerators&) = delete;
    LentGenerators& operator=(const LentGenerators&) = delete;

    /// Where its bit generator's functions are. `generator`: a Generator or a RandomState, of NumPy or fastnp.
    std::int64_t lend(PyObject* generator);

private:
    SmallVector<PyObject*, 2> locks_;
};

}  // namespace fastnp::python
