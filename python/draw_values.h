// What methods that draw random numbers are given, and what they give.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <utility>
#include <vector>

#include "common.h"

namespace fastnp::python {

/// Whether it is an array, a list or a tuple.
bool has_elements(PyObject* object);
/// `size=`; nothing for None.
std::optional<Shape> wanted_size(PyObject* object);
/// A number of Python's; NeedsNumpy for others.
double real_of(PyObject* object);
bool is_pythons_number(PyObject* object);
/// A parameter: a number, or an array.
Operand parameter_of(PyObject* object);
/// Chances and the like: lists of numbers or an array, with one axis.
array chances_of(PyObject* object);
/// What was drawn: a number of Python's where no size was asked for, and no parameter has axes.
PyObject* drawn(const array& made, const std::optional<Shape>& size);

/// Values by names of methods, which are interned as a rule.
template <class T>
class NamedList {
public:
    void add(const char* name, T value) { list_.emplace_back(check(PyUnicode_InternFromString(name)), std::move(value)); }
    /// A null pointer where there is none.
    T* find(PyObject* name) {
        for (auto& [each, value] : list_) {
            if (each == name) return &value;
        }
        for (auto& [each, value] : list_) {
            if (PyUnicode_Compare(each, name) == 0) return &value;
        }
        return nullptr;
    }

private:
    std::vector<std::pair<PyObject*, T>> list_;
};

/// Whether one of the arguments is an array of a tape or a device.
bool has_array_elsewhere(PyObject* const* args, Py_ssize_t count);
/// Whether an argument may ask for many numbers, or have many.
bool may_be_many(PyObject* object);

/// f(), while other threads run: NumPy lets them, too. The generator's lock is held.
template <class F>
array without_gil(F&& f) {
    const pybind11::gil_scoped_release released;
    return f();
}

}  // namespace fastnp::python
