// What a compiled function does besides computing, once its code has run.
#include <utility>
#include <vector>

#include "compiled_state.h"

namespace fastnp::python {

namespace {

// An error that is none of the program's: KeyboardInterrupt and the like, which a signal brings at any time.
struct Interruption {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    Interruption() = default;
    Interruption(const Interruption&) = delete;
    ~Interruption() {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
    }
    /// Takes the error that there is, beside which nothing is wrong.
    void take() {
        PyObject *new_type = nullptr, *new_value = nullptr, *new_traceback = nullptr;
        PyErr_Fetch(&new_type, &new_value, &new_traceback);
        if (type != nullptr) {
            Py_XDECREF(new_type);
            Py_XDECREF(new_value);
            Py_XDECREF(new_traceback);
            return;
        }
        type = new_type;
        value = new_value;
        traceback = new_traceback;
    }
    void raise_if_any() {
        if (type == nullptr) return;
        PyErr_Restore(std::exchange(type, nullptr), std::exchange(value, nullptr), std::exchange(traceback, nullptr));
        throw PythonError{};
    }
};

// Whether an action's function is one of this package's, which does nothing by halves.
bool is_own_store(PyObject* function) {
    const Ref inner(PyObject_GetAttrString(function, "func"));  // of a functools.partial
    const Ref module(inner ? PyObject_GetAttrString(inner.get(), "__module__") : nullptr);
    const bool found = module && PyUnicode_Check(module.get()) && PyUnicode_CompareWithASCIIString(module.get(), "fastnp._effects") == 0;
    PyErr_Clear();
    return found;
}

void perform_action(PyObject* function, PyObject* args, PyObject* kwargs, Interruption& interruption) {
    for (;;) {
        if (const Ref done(PyObject_Call(function, args, kwargs)); done) return;
        if (PyErr_ExceptionMatches(PyExc_Exception) != 0) throw PythonError{};
        interruption.take();
        if (!is_own_store(function)) return;  // of the user's, which has seen it
    }
}

}  // namespace

// Does what the function does besides computing. `objects` has the arrays that were handed out so far. The compiled code has run, so where a signal comes
// in between, the rest is done all the same.
void CompiledState::act(const Return& made, const Flat& flat, std::vector<array>& results, SmallVector<PyObject*, 8>& objects) {
    std::vector<Ref> held(objects.size());  // arrays live until the last action is done: each may take the others'
    const auto hold = [&] {
        for (std::size_t i = 0; i < objects.size(); ++i) {
            if (objects[i] != nullptr && !held[i]) held[i] = Ref::borrow(objects[i]);
        }
    };
    hold();
    Interruption interruption;
    for (const Action& action : made.actions) {
        const Ref args(put_together(action.args, flat, results, objects.data(), flat.numpy_results()));
        const Ref kwargs(put_together(action.kwargs, flat, results, objects.data(), flat.numpy_results()));
        hold();
        perform_action(action.function.get(), args.get(), kwargs.get(), interruption);
    }
    interruption.raise_if_any();
}

}  // namespace fastnp::python
