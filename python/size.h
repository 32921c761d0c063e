// fastnp._core.Size: a size that varies from call to call, as a recorded function sees it. It counts like an int; where it can't stay what it is (range(),
// an index of a list, text), it is the int of the call at hand, and the recording is for that size alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common.h"

namespace fastnp::python {

extern PyTypeObject* size_type;
inline bool is_size(PyObject* object) { return Py_TYPE(object) == size_type; }

/// The int, if compiled code can follow it as it varies: sizes, and what is added to them, are smaller by far. Nothing for other objects.
std::optional<std::int64_t> small_int(PyObject* object);
/// An int, or a Size for what fastnp::detail calls a symbolic size.
PyObject* size_object(std::int64_t size);
/// The int of the call at hand; ties the recording to it.
Ref concrete_size(PyObject* size);
/// A recorded integer of no axes as a Size; the int of the call at hand where it is too large for one.
PyObject* int_object(const array& value);
/// The number or the symbolic size; of any object with __index__.
std::int64_t size_of(PyObject* object);
/// ValueError if a number is too big for a size.
void check_size(std::int64_t number);
/// What a function gives that reads sizes, with NumPy's ValueError of integers that are too large for C's.
template <class Read>
auto with_size_errors(const Read& read) {
    try {
        return read();
    } catch (const PythonError&) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw;
        PyErr_Clear();
        raise(PyExc_ValueError, "Maximum allowed dimension exceeded");
    }
}
/// The size that an object stands for while recording, a _Size or a recorded integer; nothing for another object.
std::optional<std::int64_t> recorded_size(PyObject* object);
/// A size as an array of a dtype, as an int would be converted to it; nothing where that raises or is a truth value, and an int has to do.
std::optional<array> size_as_array(PyObject* size, Dtype dtype);
/// A binary ufunc of an array and sizes: the sizes as arrays of the dtype that an int takes beside the array (NEP 50). False where they can't be, and an
/// int has to do.
bool sizes_as_arrays(const char* ufunc, PyObject* const* operands, std::vector<Ref>& made);

void add_size(PyObject* module);

}  // namespace fastnp::python
