// Objects of the user's classes among the arguments of a compiled function: known by which one they are, until there were several of one class.
#pragma once

#include <vector>

#include "common.h"

namespace fastnp::python {

/// The classes whose instances are taken apart into their attributes, as those of dataclasses are, so that one compiled entry serves them all.
class Instances {
public:
    bool takes_apart(PyTypeObject* type) const;
    /// Notes an object for which nothing was compiled yet. Whether instances of its class are taken apart from now on.
    bool note(PyObject* object);
    /// They can't be, as it turned out. Whether they were.
    bool refuse();

private:
    struct Seen {
        Ref type;
        PyObject* last = nullptr;  // not owned: compared alone
        int count = 0;             // of changes of it
        bool is_apart = false;
    };
    std::vector<Seen> seen_;
    bool is_refused_ = false;
};

/// Whether all that an object is lies in its dict, and nothing has its own ways to reach that.
bool is_plain_instance(PyObject* object);

}  // namespace fastnp::python
