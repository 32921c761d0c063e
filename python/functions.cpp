// The functions of functions.def as module functions and as methods: argument parsing by their signatures, and NumPy where they don't go.
#include "function_bodies.h"

#include "float_errors.h"
#include "tape.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

#include "ndarray.h"
#include "overrides.h"

namespace fastnp::python {

Signature::Signature(const char* function, const char* text) : function_(function) {
    bool keyword_only = false;
    const std::string all(text);
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = std::min(all.find(", ", at), all.size());
        const std::string part = all.substr(at, end - at);
        at = end + 2;
        if (part == "/") continue;
        if (part == "*") {
            keyword_only = true;
            continue;
        }
        if (part[0] == '*') {
            keyword_only = true;
            rest_ = count_;
            names_[count_++] = PyUnicode_InternFromString(part.c_str() + 1);
            continue;
        }
        const std::size_t equals = part.find('=');
        names_[count_++] = PyUnicode_InternFromString(part.substr(0, equals).c_str());
        if (!keyword_only) positional_ = count_;
        if (equals == std::string::npos) required_ = count_;
        if (part.starts_with("dtype=")) dtype_ = count_ - 1;
        if (part.starts_with("out=") || part == "dst") out_ = count_ - 1;
    }
}

Ref Signature::bind(PyObject* first, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** values) const {
    int at = 0;
    PyObject* const* const named_values = args + nargs;
    Ref rest;
    if (first != nullptr) values[at++] = first;
    if (rest_ >= 0) {
        const Py_ssize_t own = std::min<Py_ssize_t>(nargs, positional_ - at);
        rest = fastnp::python::own(PyTuple_New(nargs - own));
        for (Py_ssize_t i = own; i < nargs; ++i) PyTuple_SET_ITEM(rest.get(), i - own, Py_NewRef(args[i]));
        values[rest_] = rest.get();
        nargs = own;
    }
    if (nargs + at > positional_) {
        raise(PyExc_TypeError, std::string(function_) + "() takes at most " + std::to_string(positional_) + " positional arguments but " +
                                   std::to_string(nargs + at) + " were given");
    }
    for (Py_ssize_t i = 0; i < nargs; ++i) values[at++] = args[i];
    const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t i = 0; i < named; ++i) {
        PyObject* name = PyTuple_GET_ITEM(kwnames, i);
        int found = -1;
        for (int j = 0; j < count_ && found < 0; ++j) found = names_[j] == name ? j : -1;
        for (int j = 0; j < count_ && found < 0; ++j) found = PyUnicode_Compare(names_[j], name) == 0 ? j : -1;
        if (found < 0) throw NeedsNumpy{};  // NumPy knows it, or has the words for the TypeError
        if (values[found] != nullptr)
            raise(PyExc_TypeError, std::string(function_) + "() got multiple values for argument '" + PyUnicode_AsUTF8(name) + "'");
        values[found] = named_values[i];
    }
    for (int j = 0; j < required_; ++j) {
        if (values[j] == nullptr) raise(PyExc_TypeError, std::string(function_) + "() missing required argument '" + PyUnicode_AsUTF8(names_[j]) + "'");
    }
    return rest;
}

void Signature::prepare(FloatWatch& watch, bool is_method, PyObject* const* values) const {
    if (dtype_ >= 0 && !is_missing(values[dtype_])) {
        if (const std::optional<Dtype> dtype = to_dtype(values[dtype_])) watch.set_result(*dtype);
    }
    if (out_ < 0 || is_missing(values[out_])) return;
    watch.set_outputs(out_ - (is_method ? 1 : 0), 1);
    watch.keep_overwritten();
}

std::optional<array> to_out(PyObject* object) {
    if (is_missing(object)) return std::nullopt;
    if (object == Py_Ellipsis) throw NeedsNumpy{};  // an array in any case, in newer ones of NumPy
    if (PyTuple_CheckExact(object)) {
        if (PyTuple_GET_SIZE(object) != 1) raise(PyExc_ValueError, "The 'out' tuple must have exactly one entry");
        return to_out(PyTuple_GET_ITEM(object, 0));
    }
    if (is_ndarray(object) && !reinterpret_cast<NdArray*>(object)->scalar) {
        prepare_write(object);
        return value_of(object);
    }
    if (records() && PyArray_Check(object)) refuse("out= writes into an array that NumPy made");
    if (!PyArray_Check(object)) raise(PyExc_TypeError, "return arrays must be of ArrayType");
    if (!shares_memory(as_numpy(object))) throw NeedsNumpy{};
    return from_numpy(as_numpy(object));
}

std::optional<array> to_mask(PyObject* object) {
    if (object == Py_None) throw NeedsNumpy{};  // to which that is false
    if (object == Py_True || is_missing(object)) return std::nullopt;
    const array mask = to_array(object);
    const bool is_number = PyArray_IsScalar(object, Generic) || PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object);
    const bool is_array = is_ndarray(object) || PyObject_CheckBuffer(object) != 0 || PySequence_Check(object) == 0;
    // NumPy takes lists and numbers as they are true.
    return is_number || !is_array ? mask.astype(Dtype::bool_) : mask;
}

PyObject* finish(array result, PyObject* out) {
    if (is_missing(out)) return wrap_scalar(std::move(result));
    return Py_NewRef(PyTuple_CheckExact(out) ? PyTuple_GET_ITEM(out, 0) : out);
}

PyObject* wrap_view(array result, PyObject* source) {
    PyObject* base = nullptr;
    if (result.ndim() == 0 && PyArray_IsScalar(source, Generic)) return wrap_scalar(std::move(result));
    const bool of_scalar = is_ndarray(source) && reinterpret_cast<NdArray*>(source)->scalar;
    if (of_scalar && result.ndim() > 0) return wrap(result.copy(Order::keep));  // a NumPy scalar lends its memory to nobody
    if (PyArray_Check(source)) {
        base = source;
    } else if (is_ndarray(source) && !result.is_recorded() && !value_of(source).is_recorded()) {
        const auto [low, high] = extent_of(value_of(source));
        const char* data = static_cast<const char*>(detail::address_of(result));
        if (data >= low && data <= high) {
            auto* object = reinterpret_cast<NdArray*>(source);
            base = object->base != nullptr ? object->base : source;
        }
    }
    return wrap(std::move(result), base, of_scalar);
}

Order to_order(PyObject* object, Order fallback) {
    if (is_missing(object)) return fallback;
    const char* text = PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : "";
    switch (text == nullptr || text[0] == 0 || text[1] != 0 ? 0 : text[0]) {
        case 'C': return Order::c;
        case 'F': return Order::f;
        case 'A': return Order::any;
        case 'K': return Order::keep;
        default: throw NeedsNumpy{};
    }
}

void only_defaults(std::initializer_list<PyObject*> values) {
    for (PyObject* value : values) {
        if (!is_missing(value) && value != Py_False) throw NeedsNumpy{};
    }
}

namespace {

using Body = PyObject* (*)(PyObject** values);

// NumPy's method on a view: it asks others than the function does.
PyObject* numpy_method(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    std::vector<PyObject*> all{self};
    all.insert(all.end(), args, args + count_of(nargs, kwnames));
    return call_numpy((std::string("ndarray.") + name).c_str(), all.data(), nargs + 1, kwnames);
}

// Whether NumPy asks the arguments of a function that makes arrays.
constexpr bool asks(std::string_view creator) { return creator.ends_with("_like") || creator == "linspace"; }

// Whether one makes elements of what it is given, and that conversion tells what is lost; linspace computes them.
constexpr bool converts(std::string_view creator) { return creator != "linspace"; }

enum FunctionKind : std::uint8_t { function, both, creator, composed, composed_both };
constexpr bool is_method(FunctionKind kind) { return kind == both || kind == composed_both; }
constexpr bool is_composed(FunctionKind kind) { return kind == composed || kind == composed_both; }

// Whether NumPy is asked what it makes of a call that a composition takes for a mistake: it may make sense of it, or has other words.
bool asks_numpy_after_errors() {
    const char* const mode = std::getenv("FASTNP_FALLBACK");
    return !records() && (mode == nullptr || std::string_view(mode) != "error");
}

PyObject* composed_result(Body body, PyObject** values) {
    try {
        return body(values);
    } catch (const ValueError&) {
        if (!asks_numpy_after_errors()) throw;
    } catch (const TypeError&) {
        if (!asks_numpy_after_errors()) throw;
    } catch (const IndexError&) {
        if (!asks_numpy_after_errors()) throw;
    } catch (const OverflowError&) {
        if (!asks_numpy_after_errors()) throw;
    } catch (const PythonError&) {
        PyObject* const kinds[] = {PyExc_ValueError, PyExc_TypeError, PyExc_IndexError, PyExc_OverflowError};
        const bool is_mistake = std::ranges::any_of(kinds, [](PyObject* kind) { return PyErr_ExceptionMatches(kind) != 0; });
        if (!is_mistake || !asks_numpy_after_errors()) throw;
        PyErr_Clear();
    }
    throw NeedsNumpy{};
}

PyObject* invoke(const char* name, FunctionKind kind, const Signature& signature, Body body, PyObject* first, PyObject* const* args, Py_ssize_t nargs,
                 PyObject* kwnames) {
    return guarded([&]() -> PyObject* {
        FloatWatch watch(name, args, nargs, kwnames);
        if (first != nullptr) watch.set_first(first);
        if (kind == creator && converts(name)) watch.set_told();
        if ((kind != creator || asks(name)) && any_overrides(args, count_of(nargs, kwnames), first == nullptr ? name : nullptr)) {
            return first == nullptr ? call_numpy(name, args, nargs, kwnames) : numpy_method(name, first, args, nargs, kwnames);
        }
        try {
            if (recording != nullptr) detail::check_allowed(name);
            PyObject* values[Signature::most] = {};
            const Ref rest = signature.bind(first, args, nargs, kwnames, values);
            signature.prepare(watch, first != nullptr, values);
            return watched(watch, [&] { return is_composed(kind) ? composed_result(body, values) : body(values); });
        } catch (const NeedsNumpy&) {
            if (first == nullptr) return call_numpy(name, args, nargs, kwnames);
            std::vector<PyObject*> all{first};
            all.insert(all.end(), args, args + nargs + (kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames)));
            return call_numpy(name, all.data(), nargs + 1, kwnames);
        }
    });
}

// A method that takes other arguments than the function of its name.
PyObject* invoke_method(const char* name, const Signature& signature, Body body, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                        PyObject* kwnames) {
    return guarded([&]() -> PyObject* {
        const std::string whole = std::string("ndarray.") + name;
        FloatWatch watch(whole.c_str(), args, nargs, kwnames);
        watch.set_first(self);
        if (any_overrides(args, count_of(nargs, kwnames))) return numpy_method(name, self, args, nargs, kwnames);
        try {
            if (recording != nullptr) detail::check_allowed(name);
            PyObject* values[Signature::most] = {};
            const Ref rest = signature.bind(self, args, nargs, kwnames, values);
            signature.prepare(watch, true, values);
            return watched(watch, [&] { return body(values); });
        } catch (const NeedsNumpy&) {
            return numpy_method(name, self, args, nargs, kwnames);
        }
    });
}

#define FUNCTION(name, kind, signature)                                                                                    \
    PyObject* name##_function(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {                     \
        static const Signature parameters(#name, signature);                                                               \
        return invoke(#name, kind, parameters, &name##_body, nullptr, args, nargs, kwnames);                               \
    }                                                                                                                      \
    [[maybe_unused]] PyObject* name##_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) { \
        static const Signature parameters(#name, signature);                                                               \
        return invoke(#name, kind, parameters, &name##_body, self, args, nargs, kwnames);                                  \
    }
#define METHOD(name, signature)                                                                               \
    PyObject* name##_own_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) { \
        static const Signature parameters(#name, signature);                                                  \
        return invoke_method(#name, parameters, &name##_method_body, self, args, nargs, kwnames);             \
    }
#include "functions.def"

// "sum(a, axis=None)\n--\n\n...": what inspect.signature and help read.
const char* documentation(const char* name, const char* signature, bool method) {
    std::string text(signature);
    if (method) {
        const std::size_t comma = text.find(", ");
        std::string rest = comma == std::string::npos ? "" : text.substr(comma);
        if (rest.starts_with(", *") && rest[3] != ',') rest.erase(2, 1);  // NumPy tells of one parameter where several may be given
        text = (rest.empty() || rest.find(", /") != std::string::npos ? "$self" : "$self, /") + rest;
    }
    const std::string whole = std::string(name) + "(" + text + ")\n--\n\nAs numpy." + name + ".";
    const char* const found = documented(method ? std::string("ndarray.") + name : name, whole.c_str());
    return found == whole.c_str() ? strdup(found) : found;  // lives as long as the process
}

std::vector<PyMethodDef> make_table(bool methods_only) {
    std::vector<PyMethodDef> table;
    const int flags = METH_FASTCALL | METH_KEYWORDS;
#define FUNCTION(name, kind, signature)                                                                                                               \
    if (!methods_only || is_method(kind)) {                                                                                                           \
        table.push_back({#name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(methods_only ? &name##_method : &name##_function)), flags, \
                         documentation(#name, signature, methods_only)});                                                                             \
    }
#define METHOD(name, signature)                                                                                                                      \
    if (methods_only) {                                                                                                                              \
        table.push_back(                                                                                                                             \
            {#name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&name##_own_method)), flags, documentation(#name, signature, true)}); \
    }
#include "functions.def"
    table.push_back({nullptr, nullptr, 0, nullptr});
    return table;
}

struct Docstring {
    std::string_view name;
    const char* text;
};
// Sorted by name; written by `python -m fastnp._doc`.
constexpr Docstring docstrings[] = {
#define DOCSTRING(name, text) {name, text},
#include "docstrings.def"
};

}  // namespace

const char* documented(const std::string& name, const char* text) {
    const auto* found = std::ranges::lower_bound(docstrings, std::string_view(name), {}, &Docstring::name);
    if (found == std::end(docstrings) || found->name != name) return text;
    constexpr std::string_view mark = "\n--\n\n";
    const std::string_view before(text);
    const std::size_t end = before.find(mark);
    if (end == std::string_view::npos) return found->text;
    return strdup((std::string(before.substr(0, end + mark.size())) + found->text).c_str());
}

void document(PyMethodDef* methods, const char* owner) {
    for (PyMethodDef* row = methods; row->ml_name != nullptr; ++row) {
        if (row->ml_doc != nullptr) row->ml_doc = documented(std::string(owner) + "." + row->ml_name, row->ml_doc);
    }
}

PyObject* creator_names() {
    Ref names = own(PyList_New(0));
#define FUNCTION(name, kind, signature) \
    if (kind == creator) check(PyList_Append(names.get(), own(PyUnicode_FromString(#name)).get()));
#include "fastnp/device.h"
#include "functions.def"
    return names.release();
}

PyMethodDef* function_methods() {
    static std::vector<PyMethodDef> table = make_table(true);
    return table.data();
}

PyMethodDef* module_functions() {
    static std::vector<PyMethodDef> table = make_table(false);
    return table.data();
}

}  // namespace fastnp::python
