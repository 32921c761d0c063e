// Bodies of compat_bits.def.
#include "fastnp/numpy_compat/bits.h"

#include "compat.h"

namespace fastnp::python {

namespace compat {

template <>
struct Words<BitOrder> {
    static constexpr std::pair<std::string_view, BitOrder> list[] = {{"big", BitOrder::big}, {"little", BitOrder::little}};
};

}  // namespace compat

PyObject* packbits_body(PyObject** v) {
    if (compat::may_leave(to_array(v[0]))) throw NeedsNumpy{};  // which is faster
    return bound<packbits_signature>(&fastnp::packbits, v);
}

PyObject* unpackbits_body(PyObject** v) {
    if (compat::may_leave(to_array(v[0]))) throw NeedsNumpy{};
    return bound<unpackbits_signature>(&fastnp::unpackbits, v);
}

}  // namespace fastnp::python
