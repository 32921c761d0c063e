// What every file of the binding shares: references, the array object, recordings, and the way of C++ exceptions into Python.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <cxxabi.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fastnp/fastnp.h"

namespace fastnp::python {

/// An owned reference; null is allowed.
class Ref {
public:
    Ref() = default;
    explicit Ref(PyObject* stolen) : object_(stolen) {}
    static Ref borrow(PyObject* object) {
        Py_XINCREF(object);
        return Ref(object);
    }
    Ref(const Ref& other) : object_(other.object_) { Py_XINCREF(object_); }
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() { Py_XDECREF(object_); }
    PyObject* get() const { return object_; }
    PyObject* release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

private:
    PyObject* object_ = nullptr;
};

/// Whether Python is at its end. (Python 3.13 made the question public.)
inline bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing() != 0;
#else
    return _Py_IsFinalizing() != 0;
#endif
}

/// Thrown where Python's error indicator is set.
struct PythonError {};
/// Thrown where only NumPy can do what was asked for: the caller passes the call on to it (and counts it).
struct NeedsNumpy {};

/// The result of a C-API call, or PythonError.
inline PyObject* check(PyObject* object) {
    if (object == nullptr) throw PythonError{};
    return object;
}
inline Ref own(PyObject* object) { return Ref(check(object)); }
inline void check(int status) {
    if (status < 0) throw PythonError{};
}
[[noreturn]] void raise(PyObject* type, const std::string& message);
/// A type made by its spec and put into the module.
inline PyTypeObject* add_type(PyObject* module, const char* name, PyType_Spec& spec) {
    const Ref type = own(PyType_FromSpec(&spec));
    check(PyModule_AddObjectRef(module, name, type.get()));
    return reinterpret_cast<PyTypeObject*>(Py_NewRef(type.get()));
}

struct Taped;

/// fastnp.ndarray.
struct NdArray {
    PyObject_HEAD array value;
    PyObject* base;      // whose memory this is a view of, or null
    PyObject* weakrefs;
    Taped* taped;        // of one that has to do with a tape (tape.h), else null
    bool scalar;         // recorded, and a NumPy scalar when run as written
    bool counts_base;    // its reference to the base is told from those of others (lent.h)
};
extern PyTypeObject* ndarray_type;
inline bool is_ndarray(PyObject* object) { return Py_TYPE(object) == ndarray_type; }
/// The array as ops are to take it: of one on the tape, what is recorded there, for the rest of the call that Python made.
const array& taped_value(NdArray* object);
inline const array& value_of(PyObject* object) {
    auto* held = reinterpret_cast<NdArray*>(object);
    return held->taped == nullptr ? held->value : taped_value(held);
}

/// For the length of a call from Python: what enters the tape leaves it.
class TapeCall {
public:
    TapeCall() : before_(std::exchange(now, this)) {}
    ~TapeCall() {
        if (entered_) leave();
        now = before_;
    }
    TapeCall(const TapeCall&) = delete;
    TapeCall& operator=(const TapeCall&) = delete;
    /// Whether this thread is in such a call; what enters the tape outside of one would not leave it.
    static bool is_in_call() { return now != nullptr; }
    static void note_entered() { now->entered_ = true; }

private:
    static void leave();
    static constinit thread_local TapeCall* now;  // the innermost
    TapeCall* before_;
    bool entered_ = false;  // this call did
};

class ErrorsNoted;

/// The recording that this thread is in. A read of a value poisons it, so that an `except` in the recorded function can't hide it.
class Recorded;

/// Beside detail::FloatFlag: complex numbers lose their imaginary parts, of which NumPy warns under any state.
constexpr unsigned lost_imaginary = 16;

/// What is known of a function's floating-point errors once it is recorded, as such bits.
struct FloatErrors {
    unsigned told = 0, strict = 0;  // what the states ask for that it enters itself (numpy.errstate)
    unsigned met = 0;               // by what was computed while recording, and is no more than a constant in calls
    bool leaves_out = false;        // there may be others in what no result depends on, which calls do not compute
};

struct Recording {
    struct Foreign {
        Ref object;  // a NumPy array that the function made
        Ref bytes;   // its elements when it was used
    };
    std::string poison;
    std::vector<Foreign> foreign;
    std::vector<std::string> breaks;    // all that can't be recorded, where that is collected
    std::map<std::string, int> met;     // ... and how often each was
    bool collects = false;
    bool is_long = false;      // it ended as a LongRecordError
    bool is_for_native_loops = false;  // ... where a function was called whose loops become native code
    std::vector<Ref> effects;  // (function, args, kwargs) each, to be done after the compiled code has run
    FloatErrors float_errors;
    PyObject* float_state = nullptr;  // numpy.errstate's, in which it was begun; borrowed
    ErrorsNoted* errors_noted = nullptr;
    Ref caller;                // the frame that called the compiled function, or null
    Recorded* call = nullptr;  // that is recorded
    Recording* outer = nullptr;

    /// How often this break was met, if all are collected; 0 if they are not, or if it is met over and over.
    int note_break(const std::string& what);
    /// It ended with this one.
    void end_at(const std::string& what);
};
extern constinit thread_local Recording* recording;

/// Whether ops are recorded in this thread: in a compiled function, or for a transform outside of one, which may read values and is run once.
inline bool records() { return recording != nullptr || detail::is_recording(); }

/// The same, once this array is looked at, which may be on the tape.
inline bool records_with(PyObject* object) {
    if (is_ndarray(object)) (void)value_of(object);
    return records();
}

/// Throws RecordError for something that a recording can't hold.
[[noreturn]] void refuse(const std::string& what);
/// Before reading values: a RecordError in a recording, for arrays of the outside too, since a call served later would not read them again.
inline void check_readable(const array& value, const char* what) {
    if (recording != nullptr || value.is_recorded()) refuse(std::string(what) + " reads values of an array");
}

extern PyObject* record_error;       // fastnp.RecordError
extern PyObject* cache_limit_error;  // fastnp.CacheLimitError
extern PyObject* verify_error;       // fastnp.VerifyError
extern PyObject* recompile_warning;  // fastnp.RecompileWarning

/// Sets Python's error for the C++ exception in flight.
void translate() noexcept;

/// Never returns: for a thread that Python wants to end at its exit, which can't unwind through C frames.
[[noreturn]] void hang();

/// A call of Python's, which may end this thread (at Python's exit): before what the caller holds is let go of without the GIL.
template <class F>
PyObject* called(F&& call) {
    try {
        return call();
    } catch (const abi::__forced_unwind&) {
        hang();
    }
}

/// Runs `body`, which returns a new reference, and turns its exceptions into Python's.
template <class F>
PyObject* guarded(F&& body) {
    const TapeCall call;
    try {
        return body();
    } catch (const abi::__forced_unwind&) {
        hang();
    } catch (...) {
        translate();
        return nullptr;
    }
}
template <class F>
int guarded_int(F&& body) {
    const TapeCall call;
    try {
        return body();
    } catch (const abi::__forced_unwind&) {
        hang();
    } catch (...) {
        translate();
        return -1;
    }
}

/// An attribute of a Python module of this package or of NumPy, imported on first use.
Ref import_attribute(const char* module, const char* name);
/// The same, kept in a static variable, which is null at first. (Not by the variable's initialiser: an import lets other threads run, and one of them
/// that came to the same variable would wait for it while holding the GIL.)
void kept_attribute(PyObject*& variable, const char* module, const char* name);

/// fastnp._fallback.call(name, args, kwargs): NumPy's function on views of the arrays, its array results as fastnp's. Counted.
PyObject* call_numpy(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

}  // namespace fastnp::python
