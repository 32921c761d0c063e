// NumPy's generators of random numbers, lent to a native program.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common.h"
#include "fastnp/detail/python_random.h"
#include "fastnp/small_vector.h"

namespace fastnp::python {

/// Holds the locks of generators for as long as it lives.
class LentGenerators {
public:
    LentGenerators() = default;
    ~LentGenerators() {
        if (!locks_.empty() || !of_python_.empty()) give_back();
    }
    LentGenerators(const LentGenerators&) = delete;
    LentGenerators& operator=(const LentGenerators&) = delete;

    /// Where its bit generator's functions are. `generator`: a Generator or a RandomState, of NumPy or fastnp, or a random.Random of Python's.
    std::int64_t lend(PyObject* generator);
    /// Whether one of them is Python's, which the GIL alone keeps from others.
    bool needs_gil() const { return !of_python_.empty(); }

private:
    struct OfPython {
        Ref object;
        std::unique_ptr<detail::PythonRandom> copy;
    };
    std::int64_t lend_copy(PyObject* random);
    void give_back();

    SmallVector<PyObject*, 2> locks_;
    std::vector<OfPython> of_python_;
};

/// Whether it is a RandomState of NumPy's.
bool is_random_state(PyObject* object);
/// Whether the state of Python's generators lies where it is looked for.
bool lends_python_random();
/// Whether that of NumPy's RandomState does: what it draws besides uniform numbers depends on a number that it keeps.
bool lends_random_states();

}  // namespace fastnp::python
