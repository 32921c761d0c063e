// Bodies of compat_elementwise.def.
#include "compat.h"
#include "fastnp/numpy_compat/elementwise.h"
#include "tape.h"

namespace fastnp::python {

PyObject* angle_body(PyObject** v) { return bound<angle_signature>(&fastnp::angle, v); }
PyObject* fix_body(PyObject** v) { return bound<fix_signature>(&fastnp::fix, v); }
PyObject* sinc_body(PyObject** v) { return bound<sinc_signature>(&fastnp::sinc, v); }
PyObject* unwrap_body(PyObject** v) { return bound<unwrap_signature>(&fastnp::unwrap, v); }

PyObject* nan_to_num_body(PyObject** v) {
    NanToNumOptions options;
    if (v[2] != nullptr) options.nan = compat::From<Operand>::make(v[2]);
    options.posinf = compat::From<std::optional<Operand>>::make(v[3]);
    options.neginf = compat::From<std::optional<Operand>>::make(v[4]);
    if (v[1] == nullptr || is_true(v[1])) {
        return compat::result_of(compat::without_invalid([&] { return nan_to_num(to_array(v[0]), options); }));
    }
    if (!is_ndarray(v[0]) || reinterpret_cast<NdArray*>(v[0])->scalar) throw NeedsNumpy{};
    prepare_write(v[0]);
    const array x = value_of(v[0]);
    nan_to_num_in_place(x, options);
    return x.ndim() == 0 ? wrap_scalar(x) : Py_NewRef(v[0]);
}

PyObject* real_if_close_body(PyObject** v) {
    if (!is_ndarray(v[0]) && !PyArray_IsScalar(v[0], Generic)) throw NeedsNumpy{};  // its views of others
    compat::leave_mapped_to_numpy({v[0]});
    const array x = to_array(v[0]);
    const array result = real_if_close(x, v[1] == nullptr ? 100 : compat::From<double>::make(v[1]));
    const bool is_array = is_ndarray(v[0]) && !reinterpret_cast<NdArray*>(v[0])->scalar;
    if (is_array && result.dtype() == x.dtype()) return Py_NewRef(v[0]);
    return is_array ? wrap_view(result, v[0]) : wrap(result.copy());
}

}  // namespace fastnp::python
