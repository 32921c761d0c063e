#include "dist.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "casters.h"
#include "common.h"
#include "fastnp/dist.h"
#include "fastnp/error.h"

namespace py = pybind11;

namespace fastnp::python {

PyObject* rank_error = nullptr;

namespace {

dist::Fold fold_of(const std::string& name) {
    if (name == "sum") return dist::Fold::sum;
    if (name == "prod") return dist::Fold::prod;
    if (name == "min") return dist::Fold::min;
    if (name == "max") return dist::Fold::max;
    if (name == "mean") return dist::Fold::mean;
    throw ValueError("op must be 'sum', 'prod', 'min', 'max' or 'mean', not '" + name + "'");
}

// While a thread waits for other ranks, others have the GIL, if it had it.
void* begin_waiting() { return PyGILState_Check() != 0 ? PyEval_SaveThread() : nullptr; }

void end_waiting(void* begun) {
    if (begun == nullptr) return;
    if (is_finalizing()) hang();
    PyEval_RestoreThread(static_cast<PyThreadState*>(begun));
}

// body() gives the text of the error that a rank ended with, or an empty one.
void run_ranks(int ranks, const py::object& body, unsigned seed, double longest_delay, int lost_rank, std::int64_t lost_after) {
    const auto each = [&] {
        std::string text;
        {
            const py::gil_scoped_acquire gil;
            text = body().cast<std::string>();
        }
        if (!text.empty()) throw RankError(text);
    };
    try {
        dist::run(ranks, each, {seed, longest_delay, lost_rank, lost_after});
    } catch (const RankError&) {  // which Python has, with all of it
    }
}

}  // namespace

void add_dist(py::module_& module) {
    dist::detail::set_around_waiting(&begin_waiting, &end_waiting);
    py::class_<dist::Communicator>(module, "_Communicator", "The ranks that exchange arrays.")
        .def(py::init<>())
        .def_property_readonly("rank", &dist::Communicator::rank)
        .def_property_readonly("size", &dist::Communicator::size)
        .def_property_readonly("ranks", &dist::Communicator::ranks)
        .def_property_readonly("key", &dist::Communicator::key)
        .def("index", [](const dist::Communicator& self) { return py::reinterpret_steal<py::object>(wrap_scalar(self.index())); })
        .def("all_reduce", [](const dist::Communicator& self, const array& x, const std::string& op) { return self.all_reduce(x, fold_of(op)); })
        .def("all_gather", &dist::Communicator::all_gather)
        .def("reduce_scatter", [](const dist::Communicator& self, const array& x, const std::string& op, int axis,
                                  bool tiled) { return self.reduce_scatter(x, fold_of(op), axis, tiled); })
        .def("broadcast", &dist::Communicator::broadcast)
        .def("all_to_all", &dist::Communicator::all_to_all)
        .def("permute", &dist::Communicator::permute)
        .def("barrier", &dist::Communicator::barrier);
    py::class_<dist::Mesh>(module, "_Mesh", "All ranks as an array with names of axes.")
        .def(py::init([](const std::vector<std::int64_t>& shape, std::vector<std::string> names) {
            return dist::Mesh(Shape(shape.begin(), shape.end()), std::move(names));
        }))
        .def("along", &dist::Mesh::along)
        .def_property_readonly(
            "shape", [](const dist::Mesh& self) { return py::tuple(py::cast(std::vector<std::int64_t>(self.shape().begin(), self.shape().end()))); })
        .def_property_readonly("names", [](const dist::Mesh& self) { return py::tuple(py::cast(self.names())); })
        .def_property_readonly("coordinates", [](const dist::Mesh& self) {
            const Shape found = self.coordinates();
            return py::tuple(py::cast(std::vector<std::int64_t>(found.begin(), found.end())));
        });
    module.def("_init_mpi", &dist::init_mpi, "Sets up the ranks that mpirun started.");
    module.def("_has_ranks", &dist::is_initialized, "Whether ranks are set up.");
    module.def("_end_ranks", &dist::finalize, "Takes them down.");
    module.def("_rank", &dist::rank, "This rank's number among all.");
    module.def("_rank_count", &dist::size, "How many ranks there are.");
    module.def("_set_rank_time_limit", py::overload_cast<double>(&dist::set_time_limit), "How long a rank waits for others.");
    module.def("_abort_ranks", &dist::detail::abort_ranks, "Ends the other ranks.");
    module.def("_set_rank_mode", &dist::detail::set_mode, "A number that compiled functions know; gives the one before.");
    module.def("_run_ranks", &run_ranks, "Runs a function in threads that are ranks.");
}

}  // namespace fastnp::python
