// What functions of NumPy's were called while a transform records, or the tape: their floating-point errors come when it has run, or, under a state that
// asks for more than warnings, as each call is made.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <string>
#include <vector>

#include "fastnp/detail/once.h"
#include "float_verdicts.h"
#include "lent.h"

namespace fastnp::python {

/// Recordings that are run once, and arrays that a tape may begin with: while there are none, nobody looks for a journal.
extern std::atomic<int> journal_keepers;
struct JournalKeeper {
    JournalKeeper() { ++journal_keepers; }
    ~JournalKeeper() { --journal_keepers; }
    JournalKeeper(const JournalKeeper&) = delete;
    JournalKeeper& operator=(const JournalKeeper&) = delete;
};
inline bool may_journal() { return journal_keepers.load(std::memory_order_relaxed) != 0; }

/// A call, as fastnp._float_errors.Call has it: arrays by their values.
struct JournalCall {
    const char* name;
    const char* method;        // of a ufunc, or null
    PyObject* first;           // what a method is called on, or null
    PyObject* const* args;     // the positional ones, then those of kwnames
    Py_ssize_t nargs;
    PyObject* kwnames;
    Py_ssize_t first_output, output_count;  // which positional ones are written to
    bool is_operator;
};

/// An argument: the value of an array, or an object, in which values are capsules.
struct NotedArgument {
    detail::NotedValue value = nullptr;
    bool is_scalar = false;  // it stands for a NumPy scalar
    CountedRef object;
};
using NotedArguments = std::vector<NotedArgument>;

/// Of one recording.
class FloatJournal final : public detail::OnceNotes {
public:
    FloatJournal();
    ~FloatJournal() override;
    /// That of the recording that this thread is in; null in no recording, in those of compiled functions, and within rules of derivatives.
    static FloatJournal* current();

    /// The arguments as they are before they are written over; none where nobody can be asked about them.
    static NotedArguments noted(const JournalCall& call);
    /// Notes a call that has been made. `certainly`: NumPy has a word for it whatever the flags are.
    void note(const JournalCall& call, NotedArguments arguments, bool certainly);
    void computed() override;
    /// An error, which is not Python's yet, ends the recording, and nothing is run: what the calls before it have to say comes first.
    void tell_before_error();
    /// The calls so far, as Python has them: a list that may be changed.
    PyObject* calls();
    /// Whether any was made under a state that asks for more than warnings.
    bool is_strict() const { return errors_.strict != 0; }

private:
    // Few words, as there is one for each call; Python's objects are made of those that are looked at.
    struct Call {
        std::string name;
        const char* method;  // as JournalCall's, which are constants
        bool is_operator, is_strict, has_first;
        long outputs;
        NotedArguments arguments;
        Ref kwnames, state, levels;
        Ref code = {}, module = {};
        int at = 0;  // in the code
    };
    static Ref object_of(const Call& call);
    std::size_t key() const;
    Ref take_calls();

    std::vector<Call> new_calls_;
    Ref calls_;
    std::size_t first_ = 0, last_ = 0, count_ = 0;  // by which recordings are known again
    FloatErrors errors_;  // what the states ask for that they were made under
    bool is_asked_ = false;
};

/// While it lives, what is recorded is a derivative's own, of which nothing is told.
class WithoutJournal {
public:
    WithoutJournal();
    ~WithoutJournal();
    WithoutJournal(const WithoutJournal&) = delete;
    WithoutJournal& operator=(const WithoutJournal&) = delete;
};

void add_float_journal(pybind11::module_& module);

}  // namespace fastnp::python
