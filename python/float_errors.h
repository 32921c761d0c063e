// Floating-point errors as numpy.errstate asks for them. A call from Python leaves the processor's flags clear; where one is set after it, that is a
// suspicion, and NumPy, given the same call, has the verdict: its cases, its words, its warnings and exceptions.
#pragma once

#include <memory>
#include <vector>

#include "fastnp/detail/float_flags.h"
#include "float_journal.h"
#include "float_state.h"
#include "numpy_api.h"

namespace fastnp::python {

/// RuntimeError where the state asks for exceptions, calls or prints: before what is computed on a device, which has no flags.
void refuse_on_devices();
/// In a recording: what the function is recorded under counts for its calls.
void note_float_state();

/// For the length of work of NumPy's, which tells of its errors itself: the flags are afterwards what they were. In the recording of a compiled function
/// it keeps quiet, and what was met is noted: each call, as is the first one, is told of it then.
class ToldByNumpy {
public:
    ToldByNumpy();
    ~ToldByNumpy();
    ToldByNumpy(const ToldByNumpy&) = delete;
    ToldByNumpy& operator=(const ToldByNumpy&) = delete;

private:
    detail::KeptFloatFlags kept_;
    Ref state_;  // the token to put NumPy's back
};

/// What NumPy is to convert to elements of that dtype: while a compiled function is recorded, numbers without the imaginary parts that are lost, which is
/// noted.
Ref without_lost_parts(PyObject* object, Dtype dtype);
/// Notes it, of recorded arrays, too; whether there was anything to note.
bool note_lost_parts(PyObject* object, Dtype dtype);

/// From the body of a function: NumPy may have a warning of its own for the call, which no state of floating-point errors keeps quiet, so it is asked.
/// Nothing while recording: what is recorded raises a flag there.
void ask_numpy();

/// A call of a function of NumPy's, by its name ("divide", "add.reduce", "ndarray.astype"), and the arguments to judge it by. Made before the call, since
/// results may be written over operands.
class FloatWatch {
public:
    FloatWatch(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames = nullptr, bool is_operator = false)
        : name_(name), args_(args), nargs_(nargs), kwnames_(kwnames), is_operator_(is_operator) {
        if (recording != nullptr) note_float_state();
        detail::clear_float_flags();  // what Python or others left
    }
    /// The function is a method of the ufunc `name`, or of "ndarray".
    void set_method(const char* method) { method_ = method; }
    /// The object that the method is called on, before the others.
    void set_first(PyObject* first) { first_ = first; }
    /// These arguments are written to, as is what is named `out`.
    void set_outputs(Py_ssize_t from, Py_ssize_t count = 2) {
        first_output_ = from;
        output_count_ = count;
    }
    /// Keeps what operands are now, if they share memory with an output and it takes them to judge.
    void keep_overwritten();

    /// The result is of this dtype: complex arguments lose their imaginary parts where it is none, of which NumPy warns.
    void set_result(Dtype dtype);

    /// NumPy converts the numbers that the function is given, and tells of them then.
    void set_told() { is_told_ = true; }

    /// NumPy has a word for such a call in any case.
    void ask() { is_asked_ = true; }

    /// After the call: says what there is to say. PythonError where that is an exception.
    void look() const {
        if (detail::any_float_flag() || is_asked_ || may_journal()) [[unlikely]]
            tell();
    }

private:
    void tell() const;
    void judge() const;
    JournalCall call() const { return {name_, method_, first_, args_, nargs_, kwnames_, first_output_, output_count_, is_operator_}; }
    void note_in_journal() const;
    bool is_output(Py_ssize_t place) const;
    bool is_certain() const;
    bool is_silent() const;
    bool has_too_large_number() const;
    bool may_be_invalid() const;
    std::vector<PyObject*> outputs() const;
    Py_ssize_t count() const { return nargs_ + (kwnames_ == nullptr ? 0 : PyTuple_GET_SIZE(kwnames_)); }
    Ref argument(Py_ssize_t place) const;

    const char* name_;
    const char* method_ = nullptr;
    PyObject* first_ = nullptr;
    PyObject* const* args_;
    Py_ssize_t nargs_;
    PyObject* kwnames_;
    Py_ssize_t first_output_ = 0, output_count_ = 0;
    bool is_operator_ = false;
    bool is_told_ = false;   // what numbers lose
    bool is_asked_ = false;  // NumPy, whatever the flags are
    std::unique_ptr<NotedArguments> noted_;  // the arguments for the journal of a recording, where they are written over
    std::vector<std::pair<PyObject*, Ref>> kept_;  // an operand, and what it was
};

/// `body`'s result, after which flags are looked at.
template <class F>
PyObject* watched(const FloatWatch& watch, F&& body) {
    Ref result(body());
    watch.look();
    return result.release();
}

/// Before one: what is to be said of it later, where it is recorded.
void note_assignment(const array& part, PyObject* values);
/// After an assignment, before which the flags were clear: what is to be said of the values' casts.
void look_at_assignment(const array& part, PyObject* values);

}  // namespace fastnp::python
