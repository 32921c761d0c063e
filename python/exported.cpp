#include "exported.h"

#include <pybind11/stl.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common.h"
#include "convert.h"
#include "fastnp/exported.h"
#include "pytree.h"

namespace py = pybind11;

namespace fastnp::python {

namespace {

// The arguments of a call: NumPy's arrays and fastnp's where they lie, and arrays made of anything else.
class Given {
public:
    Given(const Exported& function, std::span<PyObject* const> objects) : function_(function) {
        for (PyObject* object : objects) add(object);
        check_written();
    }
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;

    std::span<const detail::Argument> arguments() const { return {arguments_.data(), arguments_.size()}; }
    /// Whether NumPy's arrays and scalars are all that was given.
    bool is_numpy() const { return is_numpy_ && arguments_.size() > 0; }

private:
    void add(PyObject* object) {
        if (!PyArray_Check(object) && !PyArray_CheckScalar(object)) is_numpy_ = false;
        bool is_copy = false;
        if (!add_where_it_lies(object)) {
            static PyObject* as_array = nullptr;
            kept_attribute(as_array, "fastnp._core", "asarray");
            made_.push_back(own(PyObject_CallOneArg(as_array, object)));
            if (!add_where_it_lies(made_.back().get())) {
                raise(PyExc_TypeError, function_.name() + "(): " + name_of(arguments_.size()) + " has a dtype that fastnp does not have");
            }
            is_copy = !PyArray_Check(object) || PyArray_DATA(reinterpret_cast<PyArrayObject*>(object)) != arguments_.back().data;
        }
        are_copies_.push_back(is_copy);
    }
    bool add_where_it_lies(PyObject* object) {
        if (PyArray_CheckExact(object)) {
            auto* const array = reinterpret_cast<PyArrayObject*>(object);
            const std::optional<Dtype> dtype = PyArray_ISALIGNED(array) ? dtype_of_descr(PyArray_DESCR(array)) : std::nullopt;
            if (dtype) arguments_.push_back(argument_over(array, *dtype));
            return dtype.has_value();
        }
        if (!is_ndarray(object)) return false;
        detail::Argument argument{};
        if (!detail::borrow(value_of(object), argument)) throw RecordError(function_.name() + "() is an exported function, which can't be recorded");
        arguments_.push_back(argument);
        return true;
    }
    void check_written() const {
        for (const int number : function_.written()) {
            const auto place = static_cast<std::size_t>(number);
            if (place >= are_copies_.size() || !are_copies_[place]) continue;
            raise(PyExc_TypeError, function_.name() + "() writes to " + name_of(place) + ", of which it would be given a copy: hand in an array");
        }
    }
    std::string name_of(std::size_t number) const {
        const std::vector<ExportedArray> parameters = function_.parameters();
        return "argument " + (number < parameters.size() ? "'" + parameters[number].name + "'" : std::to_string(number));
    }

    const Exported& function_;
    SmallVector<detail::Argument, 8> arguments_;
    SmallVector<bool, 8> are_copies_;  // not of the memory that was given
    std::vector<Ref> made_;
    bool is_numpy_ = true;
};

py::list call_exported(const Exported& function, const py::tuple& objects) {
    if (recording != nullptr) throw RecordError(function.name() + "() is an exported function, which can't be recorded");
    PyObject** const first = &PyTuple_GET_ITEM(objects.ptr(), 0);
    const Given given(function, {first, objects.size()});
    std::vector<array> results;
    {
        const py::gil_scoped_release free;
        function.call(given.arguments(), results);
    }
    py::list list(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        Ref made = own(wrap(std::move(results[i])));
        if (given.is_numpy()) made = own(numpy_view(value_of(made.get()), made.get()));
        PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), made.release());
    }
    return list;
}

}  // namespace

void add_exported(py::module_& module) {
    py::class_<Exported>(module, "_Exported", "A function that export() wrote, over flat lists of arrays.")
        .def(py::init([](const std::string& path, const std::string& name) { return Exported(std::filesystem::path(path), name); }))
        .def("__call__", &call_exported)
        .def_property_readonly("name", &Exported::name)
        .def_property_readonly("written", &Exported::written)
        .def_property_readonly("structure", &Exported::structure)
        .def_property_readonly("names", &Exported::names)
        .def_property_readonly("isa", &Exported::isa)
        .def_property_readonly("specialisations", &Exported::specialisation_count)
        .def("parameters", [](const Exported& function, std::size_t specialisation) {
            py::list list;
            for (const ExportedArray& each : function.parameters(specialisation)) list.append(py::make_tuple(each.name, each.dtype, each.shape));
            return list;
        });
    py::class_<PartObject>(module, "_ExportedPart", "A function on its way into a library.").def_property_readonly("guards", [](const PartObject& object) {
        return detail::guards_of(*object.part);
    });
    module.def(
        "_write_exported",
        [](const std::string& path, const std::vector<PartObject*>& objects) {
            std::vector<std::shared_ptr<const detail::ExportedPart>> parts;
            for (const PartObject* object : objects) parts.push_back(object->part);
            const py::gil_scoped_release free;
            detail::write_exported(path, parts);
        },
        "A library of these parts, and its header, in the place of files of these names, at once.");
}

}  // namespace fastnp::python
