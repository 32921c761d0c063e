// What a compiled function does before it is called: its graph, its kernels or its machine code, of shapes and dtypes alone.
#include "fastnp/detail/ahead.h"

#include "compiled_state.h"
#include "entry_rows.h"

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

}  // namespace fastnp::python
