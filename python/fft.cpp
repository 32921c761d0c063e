// fastnp._core's Fourier transforms: what fastnp._fft hands recorded arrays to, by name; and those of arrays with memory, as they are called.
#include "fft.h"

#include <string>
#include <string_view>
#include <utility>

#include "as_method.h"
#include "casters.h"
#include "common.h"
#include "convert.h"
#include "fastnp/detail/memory.h"
#include "fastnp/fft.h"
#include "float_errors.h"
#include "functions.h"
#include "size.h"

namespace py = pybind11;

namespace fastnp::python {

namespace {

template <class F>
using Named = std::pair<std::string_view, F>;

constexpr Named<array (*)(const array&, const fft::Options&)> along_an_axis[] = {{"fft", &fft::fft},     {"ifft", &fft::ifft}, {"rfft", &fft::rfft},
                                                                                 {"irfft", &fft::irfft}, {"hfft", &fft::hfft}, {"ihfft", &fft::ihfft}};
constexpr Named<array (*)(const array&, const fft::GridOptions&)> along_axes[] = {
    {"fftn", &fft::fftn}, {"ifftn", &fft::ifftn}, {"rfftn", &fft::rfftn}, {"irfftn", &fft::irfftn},
    {"fft2", &fft::fft2}, {"ifft2", &fft::ifft2}, {"rfft2", &fft::rfft2}, {"irfft2", &fft::irfft2}};

template <class F, std::size_t n>
F find(const Named<F> (&table)[n], const std::string& name) {
    for (const auto& [each, function] : table) {
        if (each == name) return function;
    }
    throw ValueError("numpy.fft has no " + name);
}

fft::Norm norm_of(const std::string& name) {
    if (name == "ortho") return fft::Norm::ortho;
    return name == "forward" ? fft::Norm::forward : fft::Norm::backward;
}

array transform(const std::string& name, const py::object& x, const py::object& n, int axis, const std::string& norm) {
    fft::Options options{std::nullopt, axis, norm_of(norm)};
    if (!n.is_none()) options.n = size_of(n.ptr());
    return find(along_an_axis, name)(to_array(x.ptr()), options);
}

array transform_axes(const std::string& name, const py::object& x, const py::object& s, const py::object& axes, const std::string& norm) {
    fft::GridOptions options{std::nullopt, to_axes(axes.ptr()), norm_of(norm)};
    if (!s.is_none()) {
        options.s.emplace();
        for (const py::handle each : s) options.s->push_back(size_of(each.ptr()));
    }
    return find(along_axes, name)(to_array(x.ptr()), options);
}

// The names of numpy.fft.
#define FASTNP_ALONG_AN_AXIS(f) f(fft) f(ifft) f(rfft) f(irfft) f(hfft) f(ihfft)
#define FASTNP_ALONG_AXES(f) f(fftn) f(ifftn) f(rfftn) f(irfftn)
#define FASTNP_ALONG_TWO_AXES(f) f(fft2) f(ifft2) f(rfft2) f(irfft2)

fft::Norm quick_norm(PyObject* norm) {
    if (is_missing(norm)) return fft::Norm::backward;
    const char* text = PyUnicode_Check(norm) ? PyUnicode_AsUTF8(norm) : nullptr;
    for (const char* known : {"backward", "ortho", "forward"}) {
        if (text != nullptr && std::string_view(text) == known) return norm_of(known);
    }
    throw NeedsNumpy{};
}

// An operand with memory of the host.
array quick_operand(PyObject* object) {
    if (is_ndarray(object) && reinterpret_cast<NdArray*>(object)->taped != nullptr) throw NeedsNumpy{};
    array x = to_array(object);
    if (x.is_recorded() || x.dtype() == Dtype::bfloat16 || detail::is_at_device(x)) throw NeedsNumpy{};
    return x;
}

std::int64_t quick_size(PyObject* size) {
    if (!PyLong_CheckExact(size)) throw NeedsNumpy{};
    return to_index(size);
}

// A call that is done at once, or NotImplemented: of recorded and taped arrays, on devices, and of what NumPy has an error or a word for.
template <class F>
PyObject* quick(const char* name, const Signature& signature, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, F body) {
    return guarded([&]() -> PyObject* {
        if (records()) return Py_NewRef(Py_NotImplemented);
        FloatWatch watch(name, args, nargs, kwnames);
        try {
            PyObject* v[Signature::most] = {};
            signature.bind(nullptr, args, nargs, kwnames, v);
            if (!is_missing(v[4])) throw NeedsNumpy{};
            return watched(watch, [&] { return wrap_scalar(body(quick_operand(v[0]), v)); });
        } catch (const NeedsNumpy&) {
        } catch (const Error&) {
        } catch (const PythonError&) {
            if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw;  // an interrupt is no matter of this call
            PyErr_Clear();
        }
        detail::clear_float_flags();
        return Py_NewRef(Py_NotImplemented);
    });
}

using Along = array (*)(const array&, const fft::Options&);
using Over = array (*)(const array&, const fft::GridOptions&);

PyObject* quick_along(const char* name, Along function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    static const Signature signature("fft", "a, n=None, axis=-1, norm=None, out=None");
    return quick(name, signature, args, nargs, kwnames, [&](const array& x, PyObject* const* v) {
        fft::Options options{std::nullopt, v[2] == nullptr ? -1 : static_cast<int>(quick_size(v[2])), quick_norm(v[3])};
        if (!is_missing(v[1])) options.n = quick_size(v[1]);
        return function(x, options);
    });
}

PyObject* quick_over(const char* name, Over function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    static const Signature signature("fftn", "a, s=None, axes=None, norm=None, out=None");
    return quick(name, signature, args, nargs, kwnames, [&](const array& x, PyObject* const* v) {
        const bool has_axes = !is_missing(v[2]), has_sizes = !is_missing(v[1]);
        if ((has_sizes && (!has_axes || !PyTuple_CheckExact(v[1]))) || (has_axes && !PyTuple_CheckExact(v[2]))) throw NeedsNumpy{};
        fft::GridOptions options{std::nullopt, has_axes ? to_axes(v[2]) : Axes(), quick_norm(v[3])};
        if (has_sizes) options.s.emplace();
        for (Py_ssize_t i = 0; has_sizes && i < PyTuple_GET_SIZE(v[1]); ++i) options.s->push_back(quick_size(PyTuple_GET_ITEM(v[1], i)));
        array made = function(x, options);
        return made.body() == x.body() ? made.copy(Order::keep) : made;
    });
}

#define FASTNP_QUICK_ALONG(name)                                                                    \
    PyObject* quick_##name(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) { \
        return quick_along("fft." #name, &fft::name, args, nargs, kwnames);                         \
    }
#define FASTNP_QUICK_OVER(name)                                                                     \
    PyObject* quick_##name(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) { \
        return quick_over("fft." #name, &fft::name, args, nargs, kwnames);                          \
    }
FASTNP_ALONG_AN_AXIS(FASTNP_QUICK_ALONG)
FASTNP_ALONG_AXES(FASTNP_QUICK_OVER)
FASTNP_ALONG_TWO_AXES(FASTNP_QUICK_OVER)

#define FASTNP_QUICK(name) {"_quick_" #name, as_method(quick_##name), METH_FASTCALL | METH_KEYWORDS, "numpy.fft." #name " at once, or NotImplemented."},
PyMethodDef quick_functions[] = {FASTNP_ALONG_AN_AXIS(FASTNP_QUICK) FASTNP_ALONG_AXES(FASTNP_QUICK)
                                     FASTNP_ALONG_TWO_AXES(FASTNP_QUICK){nullptr, nullptr, 0, nullptr}};

}  // namespace

void add_fft(py::module_& module) {
    if (PyModule_AddFunctions(module.ptr(), quick_functions) < 0) throw py::error_already_set();
    const auto on_tape = py::call_guard<TapeCall>();  // which holds once the arguments are objects: arrays are looked at within
    module.def("_fft", &transform, on_tape, "numpy.fft.<name>(x, n, axis, norm) for the transforms along one axis; norm is one of NumPy's names.");
    module.def("_fft_axes", &transform_axes, on_tape, "numpy.fft.<name>(x, s, axes, norm) for those along several.");
    module.def(
        "_fft_shift",
        [](const py::object& operand, const py::object& axes, bool back) {
            const array x = to_array(operand.ptr());
            const Axes chosen = to_axes(axes.ptr());
            return back ? fft::ifftshift(x, chosen) : fft::fftshift(x, chosen);
        },
        on_tape, "numpy.fft.fftshift, or ifftshift.");
}

}  // namespace fastnp::python
