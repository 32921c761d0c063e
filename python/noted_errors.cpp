#include "noted_errors.h"

#include "float_state.h"
#include "numpy_api.h"

#include <numpy/ufuncobject.h>  // after it

namespace fastnp::python {

namespace {

// NumPy's bits of floating-point errors as detail::FloatFlag.
unsigned flags_of(int numpy_bits) {
    return ((numpy_bits & NPY_FPE_DIVIDEBYZERO) != 0 ? detail::float_divide : 0U) | ((numpy_bits & NPY_FPE_OVERFLOW) != 0 ? detail::float_overflow : 0U) |
           ((numpy_bits & NPY_FPE_UNDERFLOW) != 0 ? detail::float_underflow : 0U) | ((numpy_bits & NPY_FPE_INVALID) != 0 ? detail::float_invalid : 0U);
}

// numpy.seterrcall's function: (kind, NumPy's flags).
PyObject* note_error(PyObject*, PyObject* arguments) {
    const char* kind = nullptr;
    int flags = 0;
    if (PyArg_ParseTuple(arguments, "si", &kind, &flags) == 0) return nullptr;
    if (recording != nullptr) recording->float_errors.met |= flags_of(flags);
    Py_RETURN_NONE;
}

PyObject* callback() {
    static PyMethodDef method{"note_error", &note_error, METH_VARARGS, nullptr};
    static PyObject* function = nullptr;
    if (function == nullptr) function = check(PyCFunction_New(&method, nullptr));
    return function;
}

bool is_mode(PyObject* modes, const char* kind, const char* mode) {
    return PyUnicode_CompareWithASCIIString(PyDict_GetItemString(modes, kind), mode) == 0;
}

// What is noted is neither told nor raised. One object for all recordings, so that what is known of it is known once.
PyObject* state_of_notes() {
    static PyObject* state = nullptr;
    if (state == nullptr) state = state_with(own(Py_BuildValue("{s:s,s:O}", "all", "call", "call", callback())).get()).release();
    return state;
}

}  // namespace

bool is_for_notes(PyObject* function) { return function == callback(); }

ErrorsNoted::ErrorsNoted(Recording& now) : before_(Ref::borrow(state_object())), token_(set_state(state_of_notes())) {
    now.float_state = state_of_notes();
    now.errors_noted = this;
}

ErrorsNoted::~ErrorsNoted() { reset_state(token_); }

void ErrorsNoted::entered(PyObject* modes) {
    const Ref now = float_modes();
    FloatErrors& errors = recording->float_errors;
    for (const auto& [kind, bit] : float_kinds) {
        const bool is_said = PyDict_GetItemString(modes, kind) != nullptr;
        if (is_said && !is_mode(modes, kind, "ignore")) errors.told |= bit;
        if (is_said && !is_mode(modes, kind, "ignore") && !is_mode(modes, kind, "warn")) errors.strict |= bit;
        const bool stays = is_mode(now.get(), kind, "ignore") || is_mode(now.get(), kind, "raise");
        if (!stays) check(PyDict_SetItemString(now.get(), kind, own(PyUnicode_FromString("call")).get()));
    }
    check(PyDict_SetItemString(now.get(), "call", callback()));
    Ref noted = state_with(now.get());
    (void)set_state(noted.get());
    inner_.emplace_back(std::move(noted), Ref::borrow(modes));
}

ErrorsTold::ErrorsTold() {
    if (recording == nullptr || recording->errors_noted == nullptr) return;
    const ErrorsNoted& noted = *recording->errors_noted;
    PyObject* const now = state_object();
    token_ = set_state(noted.before_.get());
    for (const auto& [state, modes] : noted.inner_) {
        if (state.get() == now) (void)set_state(state_with(modes.get()).get());
    }
}

ErrorsTold::~ErrorsTold() {
    if (token_) reset_state(token_);
}

}  // namespace fastnp::python
