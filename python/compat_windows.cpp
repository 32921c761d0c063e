// Bodies of compat_windows.def.
#include "fastnp/numpy_compat/windows.h"

#include "compat.h"

namespace fastnp::python {

PyObject* bartlett_body(PyObject** v) { return wrap(bartlett(compat::to_number(v[0]))); }
PyObject* blackman_body(PyObject** v) { return wrap(blackman(compat::to_number(v[0]))); }
PyObject* hamming_body(PyObject** v) { return wrap(hamming(compat::to_number(v[0]))); }
PyObject* hanning_body(PyObject** v) { return wrap(hanning(compat::to_number(v[0]))); }

PyObject* kaiser_body(PyObject** v) {
    const std::int64_t count = compat::to_number(v[0]);
    return wrap(kaiser(count, to_operand_beside(v[1], Dtype::float64)));
}

PyObject* i0_body(PyObject** v) { return wrap(i0(to_array(v[0]))); }

}  // namespace fastnp::python
