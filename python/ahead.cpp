// What a compiled function does before it is called: its graph, its kernels or its machine code, of shapes and dtypes alone.
#include "fastnp/detail/ahead.h"

#include "compiled_state.h"
#include "entry_rows.h"
#include "exported.h"
#include "stored.h"
#include "told_graph.h"

namespace fastnp::python {

PyObject* CompiledState::prepare(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    if (recording != nullptr || detail::is_recording()) throw RecordError("a function is compiled ahead of time in a recording");
    if (detail::is_disabled()) throw RecordError("FASTNP_DISABLE is set: nothing is compiled");
    if (Bound tried; !parameters_.bind(function_.get(), args, nargs, kwnames, tried)) {  // which says what is wrong
        own(PyObject_Vectorcall(function_.get(), args, static_cast<std::size_t>(nargs), kwnames));
        throw RecordError("its arguments are not those of the function");
    }
    Bound bound;
    Flat flat(options_.sizes == DynamicSizes::never ? nullptr : &numbers_, instances_);
    return serve(args, nargs, kwnames, true, false, bound, flat);
}

PyObject* CompiledState::look_ahead(detail::Ahead::Until until, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    detail::Ahead ahead(until);
    const Ref done(prepare(args, nargs, kwnames));
    PyObject* const entry = ahead.info ? entry_dict(*ahead.info) : Py_NewRef(Py_None);
    return check(Py_BuildValue("{s:s,s:N,s:O}", "graph", ahead.graph.c_str(), "entry", entry, "is_new", ahead.is_new ? Py_True : Py_False));
}

namespace {

// The structure of what it gives, in fastnp._export's words.
std::string told_structure(const void* kept, std::size_t arguments) {
    const pybind11::gil_scoped_acquire gil;
    const Ref tell = import_attribute("fastnp._export", "told");
    const Ref count = own(PyLong_FromSize_t(arguments));
    const Ref tree = tree_of_result(*static_cast<const Return*>(kept));
    const Ref text(PyObject_CallFunctionObjArgs(tell.get(), tree.get(), count.get(), nullptr));
    if (text) return PyUnicode_AsUTF8(text.get());
    if (PyErr_ExceptionMatches(record_error) == 0) throw PythonError{};
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    const Ref kind(type), error(value), where(trace);
    const Ref words = own(PyObject_Str(value));
    throw RecordError(PyUnicode_AsUTF8(words.get()));  // one reason among others
}

}  // namespace

namespace {

// Who is handed the arrays of a function knows their names: each has one.
void describe_by_names(detail::Ahead& ahead, PyObject* names) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) ahead.parameters.emplace_back(PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i)));
    ahead.describe = [&ahead](const void* kept) {
        if (ahead.given != ahead.parameters.size()) {
            throw RecordError(
                "among its arguments are arrays or NumPy's numbers that no spec stands for (defaults, fields of an object, numbers): "
                "give specs for them, or have the function read them from outside");
        }
        return told_structure(kept, ahead.given);
    };
}

}  // namespace

PyObject* CompiledState::told(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    detail::Ahead ahead(detail::Ahead::Until::told);
    describe_by_names(ahead, args[0]);
    const Ref done(prepare(args + 1, nargs - 1, kwnames));
    return told_dict(*ahead.told);
}

PyObject* CompiledState::exported(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    constexpr Py_ssize_t own_arguments = 4;  // the number in the library, the name, the arrays' names, and levels
    detail::Ahead ahead(detail::Ahead::Until::exported);
    ahead.number = PyLong_AsSize_t(args[0]);
    ahead.name = PyUnicode_AsUTF8(args[1]);
    describe_by_names(ahead, args[2]);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[3]); ++i) ahead.isa.emplace_back(PyUnicode_AsUTF8(PyTuple_GET_ITEM(args[3], i)));
    const Ref done(prepare(args + own_arguments, nargs - own_arguments, kwnames));
    return pybind11::cast(PartObject{std::move(ahead.part)}).release().ptr();
}

}  // namespace fastnp::python
