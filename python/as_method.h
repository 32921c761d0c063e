// Functions of all forms that Python calls, as what its tables of methods hold.
#pragma once

#include "common.h"

namespace fastnp::python {

/// The function as a PyCFunction; the flags beside it in the table say what it takes.
template <class F>
PyCFunction as_method(F function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace fastnp::python
