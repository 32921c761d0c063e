// Bodies of compat_signals.def.
#include "compat.h"
#include "fastnp/numpy_compat/signals.h"

namespace fastnp::python {

namespace compat {
template <>
struct Words<ConvolveMode> {
    static constexpr std::pair<std::string_view, ConvolveMode> list[] = {
        {"full", ConvolveMode::full}, {"same", ConvolveMode::same}, {"valid", ConvolveMode::valid}};
};
}  // namespace compat

namespace {

// A number; NumPy has words for arrays with axes.
std::optional<Operand> to_number(PyObject* object) {
    const auto made = compat::From<std::optional<Operand>>::make(object);
    if (made && made->as_array() != nullptr && made->as_array()->ndim() != 0) throw NeedsNumpy{};
    return made;
}

}  // namespace

PyObject* interp_body(PyObject** v) {
    const InterpOptions options{to_number(v[3]), to_number(v[4]), to_number(v[5])};
    return compat::result_of(interp(to_array(v[0]), to_array(v[1]), to_array(v[2]), options));
}

PyObject* convolve_body(PyObject** v) { return bound<convolve_signature>(&fastnp::convolve, v); }
PyObject* correlate_body(PyObject** v) { return bound<correlate_signature>(&fastnp::correlate, v); }

}  // namespace fastnp::python
