// fastnp._core's Fourier transforms: what fastnp._fft hands recorded arrays to, by name.
#include "fft.h"

#include <string>
#include <string_view>
#include <utility>

#include "casters.h"
#include "common.h"
#include "convert.h"
#include "fastnp/fft.h"
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

}  // namespace

void add_fft(py::module_& module) {
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
