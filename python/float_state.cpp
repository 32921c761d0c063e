#include "float_state.h"

#include "noted_errors.h"

namespace fastnp::python {

namespace {

PyObject* state_variable() {
    static PyObject* variable = nullptr;
    kept_attribute(variable, "numpy._core.umath", "_extobj_contextvar");
    return variable;
}

FloatState parse_state() {
    const Ref modes = float_modes();
    const bool notes = is_for_notes(own(PyObject_CallNoArgs(import_attribute("numpy", "geterrcall").get())).get());
    FloatState state;
    for (const auto& [name, bit] : float_kinds) {
        PyObject* mode = PyDict_GetItemString(modes.get(), name);
        if (mode == nullptr || PyUnicode_CompareWithASCIIString(mode, "ignore") == 0) continue;
        if (notes && PyUnicode_CompareWithASCIIString(mode, "call") == 0) continue;  // what calls are to be told is asked at calls
        state.told |= bit;
        if (PyUnicode_CompareWithASCIIString(mode, "warn") != 0) state.strict |= bit;
    }
    return state;
}

}  // namespace

Ref float_modes() {
    static PyObject* get = nullptr;
    kept_attribute(get, "numpy", "geterr");
    return own(PyObject_CallNoArgs(get));
}

Ref state_with(PyObject* modes) {
    static PyObject* make = nullptr;
    kept_attribute(make, "numpy._core.umath", "_make_extobj");
    return own(PyObject_Call(make, own(PyTuple_New(0)).get(), modes));
}

Ref set_state(PyObject* state) { return own(PyContextVar_Set(state_variable(), state)); }

void reset_state(const Ref& token) noexcept {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    if (PyContextVar_Reset(state_variable(), token.get()) < 0) PyErr_Clear();
    PyErr_Restore(type, value, trace);
}

PyObject* state_object() {
    PyObject* now = nullptr;
    if (PyContextVar_Get(state_variable(), nullptr, &now) < 0) throw PythonError{};
    Py_XDECREF(now);  // it is in the context
    return now;
}

FloatState float_state() {
    static PyObject* last = nullptr;
    static FloatState state;
    PyObject* now = state_object();
    if (now == nullptr || now != last) {
        const FloatState parsed = parse_state();
        state = parsed;
        Py_XINCREF(now);
        Py_XSETREF(last, now);
    }
    return state;
}

}  // namespace fastnp::python
