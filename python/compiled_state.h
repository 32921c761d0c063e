// What a compiled function holds, and the way of a call through it (compiled_call.cpp); the Python type around it is in compiled.cpp.
#pragma once

#include <memory>
#include <vector>

#include "guards.h"
#include "pytree.h"

namespace fastnp::python {

/// The parameters of a Python function, for binding arguments without Python code.
struct Parameters {
    explicit Parameters(PyObject* function);
    std::vector<Ref> names;      // positional ones, then keyword-only ones
    int positional = 0;          // of these, how many may be given by position
    int positional_only = 0;
    bool extra_positional = false;  // *args
    bool extra_keywords = false;    // **kwargs
    bool known = false;             // a Python function; else any arguments go, as they come
};

class CompiledState {
public:
    CompiledState(PyObject* function, CompileOptions options);

    /// A call of the compiled function; unless `may_compile`, what nothing is compiled for runs as written.
    PyObject* call(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool may_compile = true);
    void clear();
    CacheInfo cache_info() const;
    /// Reasons why calls ran as written that the engine does not know of.
    const std::vector<std::string>& reasons() const { return reasons_; }
    const std::vector<std::shared_ptr<GuardSet>>& guard_sets() const { return guard_sets_; }
    detail::Engine& engine() { return *engine_; }
    PyObject* function() const { return function_.get(); }
    const CompileOptions& options() const { return options_; }

private:
    struct Bound;
    struct Call;
    bool bind(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Bound& bound) const;
    std::shared_ptr<GuardSet> guards_for(const Flat& flat, SlotArrays& inputs, bool may_compile);
    PyObject* as_written(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const Flat& flat);
    PyObject* uncompiled(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const Flat& flat, const std::string& reason);
    detail::Engine::Result run(Flat& flat, Call& call, std::vector<array>& results, bool may_compile);
    void note_refused(const std::string& why);
    std::vector<array> record(std::span<const array> parameters, Call& call);
    static void look_again(const Call& call);
    std::vector<Ref> effects_of(const Recording& now, const Rebuild& rebuild, const Call& call);
    static void act(const Return& made, const Flat& flat, std::vector<array>& results, SmallVector<PyObject*, 8>& objects);

    Ref function_;
    CompileOptions options_;
    Parameters parameters_;
    std::unique_ptr<detail::Engine> engine_;
    std::vector<std::shared_ptr<GuardSet>> guard_sets_;      // the last used first
    Ref read_lists_;                                         // ids of lists that are read, not only made longer
    std::string given_up_;     // why no call is compiled any more, or empty
    int volatile_ = 0;         // recordings in a row that change what they read
    std::vector<std::string> reasons_;
    int inside_ = 0;           // calls in the engine, under the GIL
    int fresh_ = 0;            // guard sets made in a row without one being used again
    int failures_ = 0;         // recordings in a row that ended by an exception of the function
    std::uint64_t uncompiled_ = 0;
};

}  // namespace fastnp::python
