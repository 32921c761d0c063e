// Python numbers the states of dicts: one that has its number still has not changed.
#pragma once

#include <Python.h>

#include <cstdint>

namespace fastnp::python {

/// The number of a dict's state, or 0 where Python has none.
inline std::uint64_t version_of_dict([[maybe_unused]] PyObject* dict) {
#if PY_VERSION_HEX < 0x030C0000
    return reinterpret_cast<PyDictObject*>(dict)->ma_version_tag;
#else
    return 0;
#endif
}

}  // namespace fastnp::python
