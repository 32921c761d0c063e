#include "program_arrays.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "convert.h"
#include "fastnp/error.h"

namespace py = pybind11;

namespace fastnp::python {

namespace {

using Lengths = std::span<const std::int64_t>;

// It keeps `owner`, which is handed over.
py::object array_at(std::int64_t address, Lengths sizes, Lengths steps, const py::object& dtype, int flags, py::object owner) {
    SmallVector<npy_intp, 8> shape, strides;
    for (const std::int64_t each : sizes) shape.push_back(each);
    for (const std::int64_t each : steps) strides.push_back(each);
    auto* descr = reinterpret_cast<PyArray_Descr*>(Py_NewRef(dtype.ptr()));
    PyObject* made = check(PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(sizes.size()), shape.data(), strides.data(),
                                                reinterpret_cast<void*>(address), flags, nullptr));
    auto held = py::reinterpret_steal<py::object>(made);
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(made), owner.release().ptr()) != 0) throw PythonError{};
    return held;
}

// One without elements may lie anywhere.
py::object empty_array(Lengths sizes, const py::object& dtype) {
    SmallVector<npy_intp, 8> shape;
    for (const std::int64_t each : sizes) shape.push_back(each);
    auto* descr = reinterpret_cast<PyArray_Descr*>(Py_NewRef(dtype.ptr()));
    return py::reinterpret_steal<py::object>(check(PyArray_Empty(static_cast<int>(sizes.size()), shape.data(), descr, 0)));
}

}  // namespace

py::object made_array(const detail::Blocks& blocks, std::int64_t address, Lengths sizes, Lengths steps, const py::object& dtype) {
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return empty_array(sizes, dtype);
    std::shared_ptr<std::byte> owner = blocks.owner_of(reinterpret_cast<const void*>(address));
    if (owner == nullptr) throw InternalError("a program made no such array");
    auto kept = std::make_unique<std::shared_ptr<std::byte>>(std::move(owner));
    const auto let_go = [](PyObject* capsule) { delete static_cast<std::shared_ptr<std::byte>*>(PyCapsule_GetPointer(capsule, nullptr)); };
    auto capsule = py::reinterpret_steal<py::object>(check(PyCapsule_New(kept.get(), nullptr, let_go)));
    static_cast<void>(kept.release());
    return array_at(address, sizes, steps, dtype, NPY_ARRAY_WRITEABLE, std::move(capsule));
}

py::object MadeArrays::array(std::int64_t address, const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& steps,
                             const py::object& dtype) const {
    return made_array(blocks, address, sizes, steps, dtype);
}

py::object MadeArrays::words(std::int64_t address, std::int64_t count) {
    npy_intp size = count;
    PyObject* made = check(PyArray_Empty(1, &size, PyArray_DescrFromType(NPY_INT64), 0));
    auto held = py::reinterpret_steal<py::object>(made);
    if (count > 0)
        std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made)), reinterpret_cast<const void*>(address),
                    static_cast<std::size_t>(count) * sizeof(std::int64_t));
    return held;
}

py::object MadeArrays::view(const py::object& array, std::int64_t address, const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& steps,
                            const py::object& dtype) {
    const bool is_writeable = PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(array.ptr())) != 0;
    return array_at(address, sizes, steps, dtype, is_writeable ? NPY_ARRAY_WRITEABLE : 0, array);
}

}  // namespace fastnp::python
