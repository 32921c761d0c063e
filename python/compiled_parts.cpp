// The parts of a compiled function that is not compiled as a whole: where they come from, and whether they are of the function as it is.
#include <algorithm>

#include "compiled_state.h"
#include "fastnp/detail/compiling_time.h"
#include "straight.h"

namespace fastnp::python {

namespace {

// What a function is made of, but for what it reads; borrowed.
std::array<PyObject*, 3> made_of(PyObject* function) {
    if (PyFunction_Check(function) == 0) return {};
    return {PyFunction_GET_CODE(function), PyFunction_GET_DEFAULTS(function), PyFunction_GET_KW_DEFAULTS(function)};
}

std::array<Ref, 3> makings(PyObject* function) {
    const std::array<PyObject*, 3> found = made_of(function);
    std::array<Ref, 3> held;
    for (std::size_t i = 0; i < held.size(); ++i) held[i] = Ref::borrow(found[i]);
    return held;
}

}  // namespace

void CompiledState::drop_parts() {
    parts_ = {};
    frame_.reset();
    in_parts_ = false;
}

Ref CompiledState::frame() {
    if (!parts_) return {};
    if (!is_same_function()) {
        drop_parts();  // it is another function by now
        return {};
    }
    PyObject* const found = frame_->function().ptr();
    return found == Py_None ? Ref() : Ref::borrow(found);
}

void CompiledState::note_makings() { framed_ = makings(function_.get()); }

bool CompiledState::is_same_function() const {
    const std::array<PyObject*, 3> now = made_of(function_.get());
    return std::equal(now.begin(), now.end(), framed_.begin(), [](PyObject* a, const Ref& b) { return a == b.get(); });
}

void CompiledState::take_parts(Ref found) {
    if (found.get() == Py_None) return;
    const auto frame = py::reinterpret_steal<py::object>(check(PyObject_GetAttrString(found.get(), "made_frame")));
    frame_ = frame.cast<std::shared_ptr<loops::Frame>>();
    parts_ = std::move(found);
    note_makings();
}

void CompiledState::recall_parts(PyObject* const* args, Py_ssize_t nargs) {
    has_recalled_ = true;
    calls_outside_ = adapts() && !is_part_ && !options_.fullgraph && is_true(own(PyObject_CallMethod(split_.get(), "has_written", nullptr)).get());
    if (is_part_ || options_.fullgraph || parts_) return;
    const detail::CompilingTime compiling;
    const Ref recall = own(PyObject_GetAttrString(split_.get(), "recall"));
    Ref found(called([&] { return PyObject_Vectorcall(recall.get(), args, static_cast<std::size_t>(nargs), nullptr); }));
    if (!found) {  // a note that is not what it should be
        if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw PythonError{};
        PyErr_Clear();
        return;
    }
    take_parts(std::move(found));
    in_parts_ = static_cast<bool>(frame());
}

void CompiledState::outgrow_parts(PyObject* const* args, Py_ssize_t nargs) {
    const detail::CompilingTime compiling;
    const Ref outgrow = own(PyObject_GetAttrString(parts_.get(), "outgrow"));
    (void)own(called([&] { return PyObject_Vectorcall(outgrow.get(), args, static_cast<std::size_t>(nargs), nullptr); }));
}

void CompiledState::split(const RecordingEnd& end, bool has_courses) {
    const detail::CompilingTime compiling;
    PyObject* traceback = end.traceback ? end.traceback.get() : Py_None;
    Ref found(PyObject_CallFunction(split_.get(), "OOsOd", parts(), traceback, end.reason.c_str(), end.is_long ? Py_True : Py_False, end.milliseconds));
    if (!found) {  // source that is too deep, say: the function runs as written
        if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw PythonError{};
        PyErr_WriteUnraisable(split_.get());
        return;
    }
    take_parts(std::move(found));
    if (!quick_ || !quick_->is_busy()) quick_.reset();
    in_parts_ = frame() && (has_courses || engine_->cache_info().compiles == 0);
}

bool CompiledState::goes_native(std::span<PyObject* const> arguments) {
    if (varied_ != 1 || is_part_ || options_.fullgraph) return false;
    ++varied_;
    const detail::CompilingTime compiling;
    const Ref loops = own(PyObject_GetAttrString(split_.get(), "loops"));
    SmallVector<PyObject*, 8> given;
    given.push_back(parts());
    for (PyObject* each : arguments) given.push_back(each);
    Ref found(called([&] { return PyObject_Vectorcall(loops.get(), given.data(), given.size(), nullptr); }));
    if (!found) throw PythonError{};
    watches_loops_ = found.get() == Py_None;
    take_parts(std::move(found));
    if (!watches_loops_) in_parts_ = static_cast<bool>(frame());
    return in_parts_;
}

}  // namespace fastnp::python
