#include "memory_watch.h"

#include <memory>
#include <optional>
#include <string>

#include "common.h"
#include "fastnp/detail/memory_watch.h"
#include "lines.h"

namespace fastnp::python {

namespace py = pybind11;

namespace {

// Made and let go by who starts and stops the watch, under Python's lock, as it is used.
std::unique_ptr<Lines>& known_lines() {
    static auto* const lines = new std::unique_ptr<Lines>;  // arrays may outlive every static
    return *lines;
}

// No finaliser runs meanwhile: memory is asked for at all kinds of places.
std::uint32_t line_now() {
    if (Py_IsInitialized() == 0 || PyGILState_Check() == 0 || known_lines() == nullptr) return 0;
    const bool collects = PyGC_Disable() != 0;
    const std::uint32_t line = known_lines()->at_hand();
    if (collects) PyGC_Enable();
    return line;
}

class Scope {
public:
    explicit Scope(const std::string& function) { scope_.emplace(function, line_now()); }
    void end() { scope_.reset(); }

private:
    std::optional<detail::MemoryScope> scope_;
};

py::dict snapshot() {
    const detail::MemorySnapshot found = detail::memory_snapshot();
    py::list rows;
    for (const detail::MemoryRow& each : found.rows) {
        py::dict homes, row;
        for (const auto& [home, bytes] : each.homes) homes[py::str(home)] = bytes;
        row["file"] = each.file;
        row["line"] = each.number;
        row["function"] = each.function;
        row["compiled"] = each.site.compiled;
        row["result"] = each.site.result < 0 ? py::object(py::none()) : py::int_(each.site.result);
        row["bytes"] = each.bytes;
        row["arrays"] = each.arrays;
        row["most"] = each.most;
        row["made"] = each.made;
        row["count"] = each.count;
        row["homes"] = homes;
        rows.append(row);
    }
    py::dict result;
    result["rows"] = rows;
    result["bytes"] = found.bytes;
    result["most"] = found.most;
    result["earlier"] = found.earlier;
    result["in_use"] = found.handed_out;
    result["kept"] = found.held;
    return result;
}

}  // namespace

void add_memory_watch(py::module_& module) {
    module.def(
        "_start_memory_watch",
        [] {
            known_lines() = std::make_unique<Lines>();
            detail::start_memory_watch(&line_now);
        },
        "Has the memory of arrays noted as it is made.");
    module.def(
        "_stop_memory_watch",
        [] {
            detail::stop_memory_watch();
            known_lines().reset();
        },
        "No longer.");
    module.def("_memory_snapshot", &snapshot, "What is there by who asked for it.");
    module.def(
        "_note_result", [](py::handle x, int number) { detail::note_result(value_of(x.ptr()), number); }, py::call_guard<TapeCall>(),
        "An array's memory is this one of the results of a call.");
    module.def(
        "_note_result_at", [](std::uintptr_t address, int number) { detail::note_result(reinterpret_cast<const void*>(address), number); },
        "The memory at an address is this one of the results of a call.");
    py::class_<Scope>(module, "_MemoryScope").def(py::init<const std::string&>()).def("end", &Scope::end, "The call is over.");
}

}  // namespace fastnp::python
