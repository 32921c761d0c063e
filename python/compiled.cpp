// The type fastnp._core.CompiledFunction: a function, a method, a picklable thing with cache_info(), as functools.lru_cache makes them.
#include "compiled.h"

#include <algorithm>

#include <structmember.h>

#include <cstddef>

#include "compiled_state.h"
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
};

CompiledState& state_of(PyObject* self) { return *reinterpret_cast<CompiledFunction*>(self)->state; }

PyObject* vectorcall(PyObject* self, PyObject* const* args, std::size_t flagged, PyObject* kwnames) {
    return guarded([&] { return state_of(self).call(args, PyVectorcall_NARGS(flagged), kwnames, !reinterpret_cast<CompiledFunction*>(self)->frozen); });
}

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
    self->call = vectorcall;
    new (&self->state) std::shared_ptr<CompiledState>(std::move(state));
    self->frozen = frozen;
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

PyObject* to_list(const std::vector<std::string>& texts) {
    Ref list = own(PyList_New(0));
    for (const std::string& text : texts) {
        const Ref item = own(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
        check(PyList_Append(list.get(), item.get()));
    }
    return list.release();
}

// None for a number that is not known.
PyObject* known(double value) { return value < 0 ? Py_NewRef(Py_None) : PyFloat_FromDouble(value); }

PyObject* kernels_of(const EntryInfo& entry) {
    Ref kernels = own(PyList_New(0));
    for (const KernelInfo& kernel : entry.kernels) {
        const Ref row = own(Py_BuildValue(
            "{s:s,s:s,s:N,s:s,s:N,s:K,s:N,s:N,s:N,s:s,s:N,s:N}", "name", kernel.name.c_str(), "kind", kernel.kind.c_str(), "ops", to_list(kernel.ops),
            "axes", kernel.axes.c_str(), "milliseconds", known(kernel.milliseconds), "count", static_cast<unsigned long long>(kernel.count), "bytes_read",
            known(kernel.bytes_read), "bytes_written", known(kernel.bytes_written), "flops", known(kernel.flops), "apart", kernel.apart.c_str(),
            "apart_from", kernel.apart_from < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(kernel.apart_from), "lines", to_list(kernel.lines)));
        check(PyList_Append(kernels.get(), row.get()));
    }
    return kernels.release();
}

PyObject* memory_of(const EntryInfo& entry) {
    Ref memory = own(PyList_New(0));
    const auto place = [](std::int64_t number) { return number < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(number); };
    for (const MemoryInfo& each : entry.memory) {
        const Ref row = own(Py_BuildValue("{s:s,s:i,s:s,s:N,s:N,s:N,s:N}", "kind", each.kind.c_str(), "number", each.number, "size", each.size.c_str(),
                                          "bytes", place(each.bytes), "place", place(each.place), "first", place(each.first), "last", place(each.last)));
        check(PyList_Append(memory.get(), row.get()));
    }
    return memory.release();
}

PyObject* entry_dict(const EntryInfo& entry) {
    Ref times = own(PyDict_New());
    for (const auto& [phase, spent] : entry.milliseconds) {
        const Ref value = own(PyFloat_FromDouble(spent));
        check(PyDict_SetItemString(times.get(), phase.c_str(), value.get()));
    }
    Ref passes = own(PyList_New(0));
    for (const PassInfo& pass : entry.passes) {
        const Ref row = own(Py_BuildValue("(ss)", pass.name.c_str(), pass.text.c_str()));
        check(PyList_Append(passes.get(), row.get()));
    }
    return check(Py_BuildValue("{s:s,s:s,s:N,s:N,s:N,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:N,s:N,s:N}", "reason", entry.reason.c_str(), "uncompiled",
                               entry.uncompiled.c_str(), "guards", to_list(entry.guards), "kernels", kernels_of(entry), "milliseconds", times.release(),
                               "ir", entry.ir.c_str(), "ir_lines", entry.ir_lines.c_str(), "loops", entry.loops.c_str(), "llvm", entry.llvm.c_str(), "asm",
                               entry.assembly.c_str(), "emitted", entry.emitted.c_str(), "device", entry.device.c_str(), "memory", memory_of(entry),
                               "passes", passes.release(), "inputs", to_list(entry.inputs)));
}

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
