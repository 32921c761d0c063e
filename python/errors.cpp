// C++ exceptions as Python's, of NumPy's kinds; recordings and what poisons them; imports on first use.
#include <unistd.h>

#include <new>
#include <string_view>

#include "by_numpy.h"
#include "common.h"
#include "dist.h"
#include "fastnp/detail/float_flags.h"

namespace fastnp::python {

constinit thread_local Recording* recording = nullptr;
PyObject* record_error = nullptr;
PyObject* cache_limit_error = nullptr;
PyObject* verify_error = nullptr;
PyObject* recompile_warning = nullptr;

void raise(PyObject* type, const std::string& message) {
    PyErr_SetString(type, message.c_str());
    throw PythonError{};
}

void hang() {
    for (;;) pause();
}

void refuse(const std::string& what) { throw RecordError(what); }

Ref import_attribute(const char* module, const char* name) {
    const Ref imported = own(PyImport_ImportModule(module));
    return own(PyObject_GetAttrString(imported.get(), name));
}

void kept_attribute(PyObject*& variable, const char* module, const char* name) {
    if (variable != nullptr) return;
    Ref found = import_attribute(module, name);
    if (variable == nullptr) variable = found.release();
}

namespace {

// With the user's line, if that is known.
std::string with_place(const std::string& what) noexcept {
    try {
        const Ref place = import_attribute("fastnp._stand_ins", "place");
        const Ref text = own(PyObject_CallNoArgs(place.get()));
        return what + " (" + PyUnicode_AsUTF8(text.get()) + ")";
    } catch (const PythonError&) {
        PyErr_Clear();
        return what;
    }
}

// The exception that a function of fastnp._errors makes of the message.
void set_error_of(const char* function, const char* message) noexcept {
    try {
        const Ref make = import_attribute("fastnp._errors", function);
        const Ref text = own(PyUnicode_FromString(message));
        const Ref error = own(PyObject_CallOneArg(make.get(), text.get()));
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
    } catch (const PythonError&) {
    }
}

// Whether NumPy may have an exception of its own for a TypeError.
bool is_of_ufunc(std::string_view message) {
    return message.starts_with("Cannot cast ufunc '") || message.find("' did not contain a loop with") != std::string_view::npos;
}

void set_numpy_error(const char* module, const char* name, const char* message) noexcept {
    try {
        const Ref type = import_attribute(module, name);
        PyErr_SetString(type.get(), message);
    } catch (const PythonError&) {
    }
}

}  // namespace

void translate() noexcept {
    try {
        throw;
    } catch (const PythonError&) {
    } catch (const NeedsNumpy&) {
        PyErr_SetString(PyExc_TypeError, "this needs a dtype or an argument that only NumPy has");
    } catch (const RecordError& error) {
        const std::string text = recording != nullptr ? with_place(error.what()) : error.what();
        if (recording != nullptr && recording->poison.empty()) recording->poison = text;
        if (recording != nullptr) recording->is_long = dynamic_cast<const LongRecordError*>(&error) != nullptr;
        PyErr_SetString(record_error, text.c_str());
    } catch (const CacheLimitError& error) {
        PyErr_SetString(cache_limit_error, error.what());
    } catch (const RankError& error) {
        PyErr_SetString(rank_error, error.what());
    } catch (const VerifyError& error) {
        PyErr_SetString(verify_error, error.what());
    } catch (const AxisError& error) {
        set_error_of("axis_error", error.what());
    } catch (const LinAlgError& error) {
        set_numpy_error("numpy.linalg", "LinAlgError", error.what());
    } catch (const ValueError& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const TypeError& error) {
        if (is_of_ufunc(error.what())) set_error_of("type_error", error.what());
        else PyErr_SetString(PyExc_TypeError, error.what());
    } catch (const IndexError& error) {
        PyErr_SetString(PyExc_IndexError, error.what());
    } catch (const OverflowError& error) {
        PyErr_SetString(PyExc_OverflowError, error.what());
    } catch (const MemoryError& error) {
        PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const ZeroDivisionError& error) {
        PyErr_SetString(PyExc_ZeroDivisionError, error.what());
    } catch (const BufferError& error) {
        PyErr_SetString(PyExc_BufferError, error.what());
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    } catch (...) {
        PyErr_SetString(PyExc_SystemError, "fastnp: an exception of an unknown kind");
    }
}

PyObject* call_numpy(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    const detail::KeptFloatFlags kept;  // NumPy has looked at its own
    const Ref text = own(PyUnicode_InternFromString(name));
    if (PyObject* made = call_simply(text.get(), args, nargs, kwnames)) return made;
    static PyObject* call = nullptr;
    kept_attribute(call, "fastnp._fallback", "call");
    const Ref positional = own(PyTuple_New(nargs));
    for (Py_ssize_t i = 0; i < nargs; ++i) PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
    const Ref keywords = own(PyDict_New());
    const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t i = 0; i < named; ++i) check(PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(kwnames, i), args[nargs + i]));
    return check(PyObject_CallFunctionObjArgs(call, text.get(), positional.get(), keywords.get(), nullptr));
}

}  // namespace fastnp::python
