#include "program.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fastnp/detail/compiling_time.h"
#include "fastnp/detail/line.h"
#include "fastnp/detail/progress.h"
#include "loop_call.h"
#include "native_program.h"

namespace fastnp::python {

namespace {

// A context whose time counts as compiling.
class Compiling {
public:
    void begin() {
        time_.emplace();
        progress_.emplace("compiling a loop");
    }
    void end(const py::args& /*error*/) {
        progress_.reset();
        time_.reset();
    }

private:
    std::optional<detail::CompilingTime> time_;
    std::optional<detail::Progress> progress_;
};

// (dtypes of the operands, dtype that it computes in, dtype of the result), or None.
py::object loop_of(const std::string& op, const std::vector<py::object>& kinds) {
    std::vector<detail::NumberKind> operands;
    for (const py::object& each : kinds) {
        PyObject* kind = each.ptr();
        if (kind == reinterpret_cast<PyObject*>(&PyLong_Type)) operands.push_back({std::nullopt, WeakKind::integer});
        else if (kind == reinterpret_cast<PyObject*>(&PyFloat_Type)) operands.push_back({std::nullopt, WeakKind::floating});
        else if (kind == reinterpret_cast<PyObject*>(&PyBool_Type)) operands.push_back({std::nullopt, WeakKind::boolean});
        else if (kind == reinterpret_cast<PyObject*>(&PyComplex_Type)) operands.push_back({std::nullopt, WeakKind::complex});
        else operands.push_back({dtype_from(each), WeakKind::integer});
    }
    const auto found = detail::loop_of(op, operands);
    if (!found) return py::none();
    const auto object = [](Dtype dtype) { return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(descr_of(dtype))); };
    py::list dtypes;
    for (const Dtype each : found->operands) dtypes.append(object(each));
    return py::make_tuple(py::tuple(dtypes), object(found->compute), object(found->result));
}

}  // namespace

void add_programs(py::module_& module) {
    add_loop_calls(module);
    py::class_<MadeArrays>(module, "_MadeArrays")
        .def("array", &MadeArrays::array, py::arg("address"), py::arg("sizes"), py::arg("steps"), py::arg("dtype"))
        .def_static("words", &MadeArrays::words, py::arg("address"), py::arg("count"))
        .def_static("view", &MadeArrays::view, py::arg("array"), py::arg("address"), py::arg("sizes"), py::arg("steps"), py::arg("dtype"));
    py::class_<Program, std::shared_ptr<Program>>(module, "_Program")
        .def(py::init<const std::vector<StepText>&, const std::vector<py::object>&, const std::vector<std::vector<Given>>&, const std::vector<py::object>&,
                      std::vector<int>, std::vector<bool>, int, bool, std::vector<std::uint32_t>, bool>(),
             py::arg("steps"), py::arg("variables"), py::arg("exits"), py::arg("numbers"), py::arg("ranks"), py::arg("written"), py::arg("made_arrays"),
             py::arg("apart"), py::arg("lines"), py::arg("of_numbers"))
        .def("run", py::overload_cast<const py::tuple&, const py::tuple&>(&Program::run), py::arg("arrays"), py::arg("numbers"))
        .def("compile", &Program::compile)
        .def("is_compiled_by_now", &Program::is_compiled_by_now)
        .def("text", &Program::text)
        .def("llvm", &Program::llvm);
    py::class_<Compiling>(module, "_Compiling").def(py::init<>()).def("__enter__", &Compiling::begin).def("__exit__", &Compiling::end);
    module.def("_lends_python_random", &lends_python_random, "Whether native programs can draw from generators of Python's `random`.");
    module.def("_lends_random_states", &lends_random_states, "Whether native programs can draw normal numbers from NumPy's RandomState.");
    module.def(
        "_affords_compiling",
        [](double needed) { return needed == 0 ? Spending::affords() : Spending::affords_or_waits(static_cast<Nanoseconds>(needed * 1e9)); },
        py::arg("needed") = 0.0, "Whether the function that this thread is in can afford a compilation now, which is likely to take so many seconds.");
    module.def("_tells_lines", &detail::tells_lines, "Whether native programs tell debuggers and profilers of the user's lines.");
    module.def(
        "_line_number", [](const std::string& file, const std::string& function, int line) { return detail::line_numbers(file, function, line, 1); },
        py::arg("file"), py::arg("function"), py::arg("line"), "The number of a line of the user's.");
    module.def("_shared_rounds", &detail::shared_rounds, "How many times threads shared iterations of native loops in this process.");
    module.def("_loop_of", &loop_of, py::arg("op"), py::arg("kinds"));
}

}  // namespace fastnp::python
