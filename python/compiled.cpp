// The type fastnp._core.CompiledFunction: a function, a method, a picklable thing with cache_info(), as functools.lru_cache makes them.
#include "compiled.h"

#include <algorithm>

#include <structmember.h>

#include <cstddef>
#include <utility>

#include "compiled_state.h"
#include "entry_rows.h"
#include "fastnp/backends.h"
#include "functions.h"

namespace fastnp::python {

namespace {

struct CompiledFunction {
    PyObject_HEAD vectorcallfunc call;
    std::shared_ptr<CompiledState> state;  // made and destroyed by hand: Python owns the memory around it
    bool frozen;
    PyObject* dict;
    PyObject* weakrefs;
    CompiledFunction *before, *after;  // of all that there are
};

CompiledState& state_of(PyObject* self) { return *reinterpret_cast<CompiledFunction*>(self)->state; }

// Under the GIL.
CompiledFunction* all_functions = nullptr;
PyObject* interposed = nullptr;  // that calls go through, or null

PyObject* vectorcall(PyObject* self, PyObject* const* args, std::size_t flagged, PyObject* kwnames) {
    return guarded([&] { return state_of(self).call(args, PyVectorcall_NARGS(flagged), kwnames, !reinterpret_cast<CompiledFunction*>(self)->frozen); });
}

// While something is interposed. What a recording calls is a part of that one.
PyObject* interposed_call(PyObject* self, PyObject* const* args, std::size_t flagged, PyObject* kwnames) {
    if (interposed == nullptr || recording != nullptr) return vectorcall(self, args, flagged, kwnames);
    return guarded([&] {
        const Ref target = Ref::borrow(interposed);
        const Py_ssize_t nargs = PyVectorcall_NARGS(flagged), count = nargs + (kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames));
        SmallVector<PyObject*, 8> given;
        given.push_back(self);
        for (Py_ssize_t i = 0; i < count; ++i) given.push_back(args[i]);
        return check(PyObject_Vectorcall(target.get(), given.data(), static_cast<std::size_t>(nargs) + 1, kwnames));
    });
}

PyObject* direct(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return vectorcall(self, args, static_cast<std::size_t>(nargs), kwnames);
}

PyObject* ahead(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&]() -> PyObject* {
        const std::string_view until = nargs > 0 && PyUnicode_Check(args[0]) ? PyUnicode_AsUTF8(args[0]) : "";
        const auto how_far = until == "recorded"  ? detail::Ahead::Until::recorded
                             : until == "lowered" ? detail::Ahead::Until::lowered
                                                  : detail::Ahead::Until::compiled;
        return state_of(self).look_ahead(how_far, args + 1, nargs - 1, kwnames);
    });
}

PyObject* exported(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&] { return state_of(self).exported(args, nargs, kwnames); });
}

PyObject* told(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&] { return state_of(self).told(args, nargs, kwnames); });
}

// What fastnp._ahead makes of the function and the arguments behind it.
template <const char* name>
PyObject* by_ahead(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&] {
        const Ref function = import_attribute("fastnp._ahead", name);
        SmallVector<PyObject*, 8> given;
        given.push_back(self);
        const Py_ssize_t count = nargs + (kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames));
        for (Py_ssize_t i = 0; i < count; ++i) given.push_back(args[i]);
        return check(PyObject_Vectorcall(function.get(), given.data(), static_cast<std::size_t>(nargs) + 1, kwnames));
    });
}
constexpr char lower_name[] = "lower", warmup_name[] = "warmup", export_name[] = "export";

OnLimit policy_named(std::string_view name) {
    if (name == "generalise") return OnLimit::generalise;
    if (name == "evict") return OnLimit::evict;
    if (name == "eager") return OnLimit::eager;
    if (name == "error") return OnLimit::error;
    throw ValueError("on_limit must be 'generalise', 'evict', 'eager' or 'error', not '" + std::string(name) + "'");
}

DynamicSizes sizes_named(std::string_view name) {
    if (name == "automatic") return DynamicSizes::automatic;
    if (name == "always") return DynamicSizes::always;
    if (name == "never") return DynamicSizes::never;
    throw ValueError("sizes must be 'automatic', 'always' or 'never', not '" + std::string(name) + "'");
}

PyObject* make(PyTypeObject* type, std::shared_ptr<CompiledState> state, bool frozen) {
    auto* self = reinterpret_cast<CompiledFunction*>(check(type->tp_alloc(type, 0)));
    self->call = interposed == nullptr ? vectorcall : interposed_call;
    new (&self->state) std::shared_ptr<CompiledState>(std::move(state));
    self->frozen = frozen;
    self->before = nullptr;
    self->after = std::exchange(all_functions, self);
    if (self->after != nullptr) self->after->before = self;
    return reinterpret_cast<PyObject*>(self);
}

PyObject* create(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        static const char* names[] = {"function", "backend", "dynamic", "fullgraph", "name",     "cache_size_limit", "on_limit", "verify",
                                      "sizes",    "split",   "is_part", "place",     "adaptive", "background",       nullptr};
        PyObject *function = nullptr, *dynamic = nullptr, *split = Py_None;
        const char* backend = "llvm";
        const char* name = "function";
        const char* place = "";
        const char* on_limit = "generalise";
        unsigned long long verify = 0;
        const char* sizes = "automatic";
        int fullgraph = 0, is_part = 0, adaptive = 1, background = 0;
        CompileOptions options;
        auto limit = static_cast<Py_ssize_t>(options.cache_size_limit);
        if (PyArg_ParseTupleAndKeywords(args, keywords, "O|sO!psnsKsOpspp", const_cast<char**>(names), &function, &backend, &PyDict_Type, &dynamic,
                                        &fullgraph, &name, &limit, &on_limit, &verify, &sizes, &split, &is_part, &place, &adaptive, &background) == 0) {
            throw PythonError{};
        }
        if (PyCallable_Check(function) == 0) raise(PyExc_TypeError, "compile() takes a callable");
        const BackendInfo info = backend_info(backend);
        options.backend = info.name;
        options.fullgraph = fullgraph != 0;
        options.name = name;
        options.place = place;
        options.cache_size_limit = static_cast<std::size_t>(std::max<Py_ssize_t>(limit, 0));
        options.on_limit = policy_named(on_limit);
        options.verify = verify;
        options.background = background != 0;
        options.sizes = sizes_named(sizes);
        auto named = dynamic == nullptr ? std::vector<NamedParameter>() : read_named(dynamic);
        if (!named.empty() && !info.takes_dynamic_sizes) options.sizes = DynamicSizes::always;  // which the engine refuses
        return make(type, std::make_shared<CompiledState>(function, std::move(options), std::move(named), split, is_part != 0, adaptive != 0), false);
    });
}

// The same compiled function, but one that compiles nothing.
PyObject* frozen(PyObject* self, PyObject*) {
    return guarded([&] { return make(Py_TYPE(self), reinterpret_cast<CompiledFunction*>(self)->state, true); });
}

// Only the wrapped function and the dict can be part of a cycle that matters; guards hold what the function reads anyway.
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(reinterpret_cast<CompiledFunction*>(self)->dict);
    return 0;
}

int clear(PyObject* self) {
    Py_CLEAR(reinterpret_cast<CompiledFunction*>(self)->dict);
    return 0;
}

void deallocate(PyObject* self) {
    PyObject_GC_UnTrack(self);
    auto* object = reinterpret_cast<CompiledFunction*>(self);
    if (object->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
    (object->before != nullptr ? object->before->after : all_functions) = object->after;
    if (object->after != nullptr) object->after->before = object->before;
    std::destroy_at(&object->state);
    Py_CLEAR(object->dict);
    PyTypeObject* type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* bind_method(PyObject* self, PyObject* instance, PyObject*) {
    if (instance == nullptr || instance == Py_None) return Py_NewRef(self);
    return PyMethod_New(self, instance);
}

PyObject* cache_info(PyObject* self, PyObject*) {
    return guarded([&] {
        static PyObject* type = nullptr;
        kept_attribute(type, "fastnp._compile", "CacheInfo");
        const CacheInfo info = state_of(self).cache_info();
        return check(PyObject_CallFunction(type, "KKnKKK", static_cast<unsigned long long>(info.hits), static_cast<unsigned long long>(info.misses),
                                           static_cast<Py_ssize_t>(state_of(self).options().cache_size_limit),
                                           static_cast<unsigned long long>(info.currsize), static_cast<unsigned long long>(info.compiles),
                                           static_cast<unsigned long long>(info.uncompiled)));
    });
}

PyObject* cache_clear(PyObject* self, PyObject*) {
    return guarded([&] {
        state_of(self).clear();
        return Py_NewRef(Py_None);
    });
}

PyObject* reduce(PyObject* self, PyObject*) {
    return guarded([&] {
        const Ref pickle = import_attribute("fastnp._compile", "reduce");
        return check(PyObject_CallOneArg(pickle.get(), self));
    });
}

PyObject* same(PyObject* self, PyObject*) { return Py_NewRef(self); }

// What fastnp.explain shows: (entries, guards on what the function reads, reasons for calls that ran as written).
PyObject* inspect(PyObject* self, PyObject* with_code) {
    return guarded([&] {
        CompiledState& state = state_of(self);
        Ref entries = own(PyList_New(0));
        for (const EntryInfo& entry : state.engine().entries(is_true(with_code))) {
            const Ref row = own(entry_dict(entry));
            check(PyList_Append(entries.get(), row.get()));
        }
        std::vector<std::string> guards;
        if (!state.guard_sets().empty()) guards = state.guard_sets().front()->describe();
        Ref misses = own(PyList_New(0));
        for (const MissInfo& miss : state.engine().misses()) {
            const Ref row = own(Py_BuildValue("(ssd)", miss.reason.c_str(), miss.advice.c_str(), miss.milliseconds));
            check(PyList_Append(misses.get(), row.get()));
        }
        return check(Py_BuildValue("(NNNN)", entries.release(), to_list(guards), to_list(state.reasons()), misses.release()));
    });
}

PyObject* debug_folder(PyObject* self, PyObject*) {
    return guarded([&] { return check(PyUnicode_DecodeFSDefault(state_of(self).engine().debug_folder().c_str())); });
}

PyObject* parts(PyObject* self, PyObject*) { return Py_NewRef(state_of(self).parts()); }
PyObject* draw_on_caller(PyObject* self, PyObject*) {
    state_of(self).draw_on_caller();
    return Py_NewRef(Py_None);
}
PyObject* get_wrapped(PyObject* self, void*) { return Py_NewRef(state_of(self).function()); }
PyObject* get_backend(PyObject* self, void*) { return PyUnicode_FromString(state_of(self).options().backend.c_str()); }

PyObject* get_signature(PyObject* self, void*) {
    return guarded([&] {
        const Ref signature = import_attribute("inspect", "signature");
        return check(PyObject_CallOneArg(signature.get(), state_of(self).function()));
    });
}

PyObject* repr(PyObject* self) {
    return guarded([&] {
        const Ref inner = own(PyObject_Repr(state_of(self).function()));
        return check(PyUnicode_FromFormat("<compiled %U>", inner.get()));
    });
}

PyMethodDef methods[] = {
    {"cache_info", cache_info, METH_NOARGS, "cache_info($self, /)\n--\n\nHits (calls in parts, too), misses, entries and compilations so far."},
    {"cache_clear", cache_clear, METH_NOARGS, "cache_clear($self, /)\n--\n\nForgets all that was compiled."},
    {"lower", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&by_ahead<lower_name>)), METH_FASTCALL | METH_KEYWORDS,
     "lower($self, /, *specs, **named)\n--\n\nThe kernels for such arguments, without their code."},
    {"warmup", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&by_ahead<warmup_name>)), METH_FASTCALL | METH_KEYWORDS,
     "warmup($self, /, *specs, **named)\n--\n\nCompiles for such arguments, before a call has them."},
    {"export", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&by_ahead<export_name>)), METH_FASTCALL | METH_KEYWORDS,
     "export($self, specs, path, /, *, name=None)\n--\n\nWrites a library that other processes load."},
    {"_ahead", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&ahead)), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_told", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&told)), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_exported", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&exported)), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_direct", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&direct)), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_frozen", frozen, METH_NOARGS, nullptr},
    {"_inspect", inspect, METH_O, nullptr},
    {"_debug_folder", debug_folder, METH_NOARGS, nullptr},
    {"_parts", parts, METH_NOARGS, nullptr},
    {"_draw_on_caller", draw_on_caller, METH_NOARGS, nullptr},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"__copy__", same, METH_NOARGS, nullptr},
    {"__deepcopy__", same, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {{"__wrapped__", get_wrapped, nullptr, "The function as written.", nullptr},
                            {"__signature__", get_signature, nullptr, nullptr, nullptr},
                            {"backend", get_backend, nullptr, "The name of what is made of its operations.", nullptr},
                            {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(CompiledFunction, call), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(CompiledFunction, dict), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(CompiledFunction, weakrefs), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

}  // namespace

Ref interpose(PyObject* function) {
    Ref before(interposed);
    interposed = function == nullptr || function == Py_None ? nullptr : Py_NewRef(function);
    for (CompiledFunction* each = all_functions; each != nullptr; each = each->after) each->call = interposed == nullptr ? vectorcall : interposed_call;
    return before ? std::move(before) : Ref::borrow(Py_None);
}

void add_compiled_function(PyObject* module) {
    document(methods, "CompiledFunction");
#define SLOT(name, function) {name, reinterpret_cast<void*>(function)}
    PyType_Slot slots[] = {SLOT(Py_tp_new, create),
                           SLOT(Py_tp_dealloc, deallocate),
                           SLOT(Py_tp_traverse, traverse),
                           SLOT(Py_tp_clear, clear),
                           SLOT(Py_tp_call, PyVectorcall_Call),
                           SLOT(Py_tp_descr_get, bind_method),
                           SLOT(Py_tp_repr, repr),
                           {Py_tp_methods, methods},
                           {Py_tp_getset, properties},
                           {Py_tp_members, members},
                           {Py_tp_doc, const_cast<char*>(documented("CompiledFunction", ""))},
                           {0, nullptr}};
#undef SLOT
    PyType_Spec spec = {"fastnp._core.CompiledFunction", sizeof(CompiledFunction), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};
    Py_DECREF(add_type(module, "CompiledFunction", spec));  // the module holds it
}

}  // namespace fastnp::python
