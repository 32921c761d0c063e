#include "loop_call.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "loop_entry.h"
#include "straight.h"

namespace fastnp::python {

namespace {

using namespace loops;

Expected expected_of(const py::tuple& told) {
    Expected made;
    if (told.empty()) made.is_anything = true;
    else if (told.size() == 1) made.object = told[0];
    else made.type = told[0];
    if (told.size() == 2 && PyFunction_Check(told[1].ptr())) made.function = told[1];
    else if (told.size() == 2 && py::isinstance<TableKind>(told[1])) made.table = told[1].cast<std::shared_ptr<TableKind>>();
    else if (told.size() == 2 && py::isinstance<ListKind>(told[1])) made.list = told[1].cast<std::shared_ptr<ListKind>>();
    else if (told.size() == 2 && py::isinstance<py::tuple>(told[1])) made.items = told[1].cast<std::vector<py::object>>();
    if (told.size() > 2) {
        made.dtype = told[1];
        made.rank = told[2].cast<int>();
        made.has_lines = told[3].cast<bool>();
        made.is_writeable = told[4].cast<bool>();
        made.ones = told[5].cast<unsigned>();
    }
    return made;
}

std::vector<Source> sources_of(const py::list& told) {
    std::vector<Source> made;
    for (const py::handle each : told) {
        const auto pair = each.cast<py::tuple>();
        const auto kind = static_cast<Source::Kind>(pair[0].cast<int>());
        if (kind == Source::Kind::known) made.push_back({kind, 0, pair[1]});
        else if (kind == Source::Kind::tuple) {
            const auto [first, count] = pair[1].cast<std::pair<std::size_t, std::size_t>>();
            made.push_back({kind, first, {}, count, pair[2].cast<int>()});
        } else if (kind == Source::Kind::list) {
            made.push_back({kind, pair[1].cast<std::size_t>(), {}, 0, -1, {pair[2].cast<int>()}, pair[3].cast<std::shared_ptr<ListKind>>()});
        } else if (kind == Source::Kind::choice) {
            made.push_back({kind, pair[1].cast<std::size_t>(), {}, 0, -1, pair[2].cast<std::vector<int>>()});
        } else if (kind == Source::Kind::array) {
            const auto [first, count] = pair[1].cast<std::pair<std::size_t, std::size_t>>();
            made.push_back({kind, first, pair[2].cast<py::object>(), count, -1, pair[3].cast<std::vector<int>>()});
        } else made.push_back({kind, pair[1].cast<std::size_t>(), {}});
    }
    return made;
}

void add(LoopCall& loop, const py::list& expected, const py::list& guards, std::vector<std::shared_ptr<Program>> programs, std::vector<std::size_t> arrays,
         std::vector<std::pair<std::size_t, int>> numbers, std::vector<py::object> more, const py::dict& ends, py::object handle,
         std::vector<std::size_t> stored, std::vector<std::pair<unsigned, std::string>> warnings) {
    Ready made;
    made.warnings = std::move(warnings);
    for (const py::handle each : expected) made.expected.push_back(expected_of(each.cast<py::tuple>()));
    for (const py::handle each : guards) {
        auto [space, key, value] = each.cast<std::tuple<py::object, py::object, py::object>>();
        if (value.ptr() == Py_Ellipsis) value = py::object();
        made.guards.push_back({.space = std::move(space), .key = std::move(key), .value = std::move(value)});
    }
    made.programs = std::move(programs);
    made.arrays = std::move(arrays);
    made.numbers = std::move(numbers);
    if (!made.programs.empty()) made.more = made.programs[0]->constants_of(made.numbers.size(), more);
    made.has_lists = std::ranges::any_of(made.arrays, [&](std::size_t each) { return made.expected[each].list || made.expected[each].table; });
    made.handle = std::move(handle);
    made.stored = std::move(stored);
    made.fields = loop.fields();
    for (const auto& [exit, told] : ends) {
        const auto [returns, is_tuple, sources, lists, fields] = told.cast<std::tuple<bool, bool, py::list, py::list, py::list>>();
        Ready::End& end = made.ends.emplace_back(exit.cast<std::int64_t>(), Ready::End{}).second;
        end = {returns, is_tuple, sources_of(sources), sources_of(lists), {}, {}};
        py::list stored;
        for (const py::handle field : fields) {
            const auto [source, place] = field.cast<std::pair<py::object, std::size_t>>();
            stored.append(source);
            end.stores.push_back(place);
        }
        end.fields = sources_of(stored);
    }
    loop.add(std::move(made));
}

// (object among the arguments or -1, object otherwise, attribute or key, how it is held, function that it is or None) of each.
void set_fields(LoopCall& loop, const std::vector<std::tuple<int, py::object, py::object, int, py::object>>& told) {
    std::vector<Field> fields;
    for (const auto& [of, owner, name, how, function] : told) fields.push_back({of, owner, name, static_cast<Field::How>(how), function});
    loop.set_fields(std::move(fields));
}

// Part of the garbage that Python collects. `Held`: has traverse() and let_go().
template <class Held>
py::custom_type_setup collected() {
    return py::custom_type_setup([](PyHeapTypeObject* heap_type) {
        auto* const type = &heap_type->ht_type;
        static constexpr auto instance = [](PyObject* self) { return reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder(); };
        static constexpr auto is_made = [](PyObject* self) { return instance(self).holder_constructed(); };
        static constexpr auto held = [](PyObject* self) { return static_cast<Held*>(instance(self).value_ptr()); };
        type->tp_flags |= Py_TPFLAGS_HAVE_GC;
        type->tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
            Py_VISIT(Py_TYPE(self));
            return is_made(self) ? held(self)->traverse(visit, arg) : 0;
        };
        type->tp_clear = [](PyObject* self) {
            if (is_made(self)) held(self)->let_go();
            return 0;
        };
    });
}

}  // namespace

void add_loop_calls(py::module_& module) {
    py::class_<ListKind, std::shared_ptr<ListKind>>(module, "_ListKind").def(py::init<bool, const py::list&>(), py::arg("is_tuple"), py::arg("kinds"));
    py::class_<TableKind, std::shared_ptr<TableKind>>(module, "_TableKind")
        .def(py::init<py::object, bool>(), py::arg("kind"), py::arg("is_written"))
        .def(
            "array_of",
            [](const TableKind& kind, const py::list& table) {
                std::vector<PyObject*> rows;
                return kind.array_of(table.ptr(), rows);
            },
            py::arg("table"))
        .def(
            "store", [](const TableKind& kind, const py::list& table, const py::object& array) { kind.store(table.ptr(), array.ptr()); }, py::arg("table"),
            py::arg("array"));
    module.def(
        "_store_changed", [](const py::list& list, const py::list& now) { store_changed(list.ptr(), now.ptr()); }, py::arg("list"), py::arg("now"),
        "Has a list be another one, which is new; numbers that are what they were stay the objects that they were.");
    py::class_<LoopCall>(module, "_LoopCall", collected<LoopCall>())
        .def(py::init<py::object, py::object>(), py::arg("slow"), py::arg("left"))
        .def("add", &add, py::arg("expected"), py::arg("guards"), py::arg("programs"), py::arg("arrays"), py::arg("numbers"), py::arg("more"),
             py::arg("ends"), py::arg("handle"), py::arg("stored"), py::arg("warnings"))
        .def("set_fields", &set_fields, py::arg("fields"))
        .def("know", &LoopCall::know, py::arg("type"))
        .def("clear", &LoopCall::clear)
        .def("function", &LoopCall::function_of);
    py::class_<Frame, std::shared_ptr<Frame>>(module, "_Frame", collected<Frame>())
        .def(py::init<>())
        .def_property("function", &Frame::function, &Frame::set_function)
        .def_property_readonly("is_straight", &Frame::is_straight)
        .def("set_straight", &Frame::set_straight, py::arg("loop"), py::arg("context"), py::arg("parameters"), py::arg("sizes"), py::arg("operands"),
             py::arg("results"), py::arg("is_tuple"), py::arg("lookups"));
}

}  // namespace fastnp::python
