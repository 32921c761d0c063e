// Floating-point errors that NumPy meets while a compiled function is recorded, in what it computes of numbers and arrays that are no more than constants
// of the recording. Calls meet them as well: the recording notes them, and each call tells of them as the function as written does (float_verdicts.h).
#pragma once

#include <vector>

#include "common.h"

namespace fastnp::python {

/// While it lives, NumPy tells the recording, and nobody else, under whatever state. In the record of a function of Python's.
class ErrorsNoted {
public:
    explicit ErrorsNoted(Recording& now);
    ~ErrorsNoted();
    ErrorsNoted(const ErrorsNoted&) = delete;
    ErrorsNoted& operator=(const ErrorsNoted&) = delete;

    /// numpy.errstate was entered, with these modes by kind: what it ignores is not noted, what it raises is raised, and all else is noted.
    void entered(PyObject* modes);

private:
    friend class ErrorsTold;
    Ref before_;  // NumPy's state
    Ref token_;   // to put it back
    std::vector<std::pair<Ref, Ref>> inner_;  // states in which errors are noted, and the modes that were entered
};

/// While it lives, what NumPy does tells of its errors as if nothing were recorded: for calls of the outside.
class ErrorsTold {
public:
    ErrorsTold();
    ~ErrorsTold();
    ErrorsTold(const ErrorsTold&) = delete;
    ErrorsTold& operator=(const ErrorsTold&) = delete;

private:
    Ref token_;
};

/// Whether it is what NumPy calls for a recording (numpy.geterrcall).
bool is_for_notes(PyObject* callback);

}  // namespace fastnp::python
