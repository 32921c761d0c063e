#include "loop_call.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "loop_ready.h"

namespace fastnp::python {

namespace {

using namespace loops;

// What a frame calls in the place of a loop.
class LoopCall {
public:
    /// `slow(arguments)`: a call in Python; `left(handle, exit, values, flags, arguments)`: what follows where a program was left.
    LoopCall(py::object slow, py::object left) : slow_(std::move(slow)), left_(std::move(left)) {}

    void add(const py::list& expected, const py::list& guards, std::vector<std::shared_ptr<Program>> programs, std::vector<std::size_t> arrays,
             std::vector<std::pair<std::size_t, int>> numbers, std::vector<py::object> more, const py::dict& ends, py::object handle,
             std::vector<std::size_t> stored, std::vector<std::pair<unsigned, std::string>> warnings) {
        Ready made;
        made.warnings = std::move(warnings);
        for (const py::handle each : expected) made.expected.push_back(expected_of(each.cast<py::tuple>()));
        for (const py::handle each : guards) {
            auto [space, key, value] = each.cast<std::tuple<py::object, py::object, py::object>>();
            if (value.ptr() == Py_Ellipsis) value = py::object();
            made.guards.push_back({std::move(space), std::move(key), std::move(value)});
        }
        made.programs = std::move(programs);
        made.arrays = std::move(arrays);
        made.numbers = std::move(numbers);
        made.more = std::move(more);
        made.handle = std::move(handle);
        made.stored = std::move(stored);
        made.fields = fields_;
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
        auto all = std::make_shared<std::vector<Ready>>(*ready_);
        all->push_back(std::move(made));
        ready_ = std::move(all);
    }
    void clear() {
        ready_ = std::make_shared<std::vector<Ready>>();
        fields_.clear();
        classes_.clear();
    }
    /// (object among the arguments or -1, object otherwise, attribute or key, how it is held, function that it is or None) of each.
    void set_fields(const std::vector<std::tuple<int, py::object, py::object, int, py::object>>& told) {
        fields_.clear();
        for (const auto& [of, owner, name, how, function] : told) fields_.push_back({of, owner, name, static_cast<Field::How>(how), function});
    }
    /// The attributes of a class's objects are no more than that.
    void know(const py::object& type) { classes_.add(reinterpret_cast<PyTypeObject*>(type.ptr())); }

    py::object call(std::span<PyObject* const> handed) {
        const FloatState state = float_state();
        if (records() || state.strict != 0 || (state.told & detail::float_underflow) != 0 || ready_->empty()) return slow(handed);
        if (fields_.empty()) return call(Arguments(handed), handed);
        SmallVector<PyObject*, 8> all;
        HeldObjects read;
        for (PyObject* each : handed) all.push_back(each);
        for (const Field& each : fields_) {  // which attributes of plain objects do not change
            PyObject* const owner = each.owner_in(all);
            if (each.how <= Field::How::type && !classes_.has(Py_TYPE(owner))) return slow(handed);
            PyObject* const value = each.now(owner);
            if (value == nullptr) {
                PyErr_Clear();
                return slow(handed);
            }
            read.take(value);
            const bool is_function = each.how == Field::How::function;
            if (is_function && !is_bound(value, owner, each.function.ptr())) return slow(handed);
            all.push_back(is_function ? Py_None : value);
        }
        return call(Arguments({all.data(), all.size()}), handed);
    }

    /// It as a function, which Python calls sooner than an object. `self`: this one's.
    static py::object function_of(const py::object& self) {
        static PyMethodDef called{"loop", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_in)), METH_FASTCALL, "A native loop."};
        const auto let_go = [](PyObject* capsule) { Py_DECREF(static_cast<PyObject*>(PyCapsule_GetContext(capsule))); };
        const auto holder = py::reinterpret_steal<py::object>(check(PyCapsule_New(self.cast<LoopCall*>(), nullptr, let_go)));
        PyCapsule_SetContext(holder.ptr(), Py_NewRef(self.ptr()));
        return py::reinterpret_steal<py::object>(check(PyCFunction_New(&called, holder.ptr())));
    }

private:
    py::object call(const Arguments& given, std::span<PyObject* const> handed) {
        const auto known = ready_;  // what a call does may change that
        for (const Ready& each : *known) {
            if (!each.fits(given) || !each.are_apart(given)) continue;
            if (std::optional<py::object> found = run(each, given, handed)) return std::move(*found);
        }
        return slow(handed);
    }

    // Whether an attribute is a function of the object's class.
    static bool is_bound(PyObject* value, PyObject* owner, PyObject* function) {
        return value == function || (PyMethod_Check(value) && PyMethod_GET_FUNCTION(value) == function && PyMethod_GET_SELF(value) == owner);
    }
    static PyObject* call_in(PyObject* holder, PyObject* const* arguments, Py_ssize_t count) {
        return guarded([&] {
            auto* const loop = static_cast<LoopCall*>(PyCapsule_GetPointer(holder, nullptr));
            return loop->call({arguments, static_cast<std::size_t>(count)}).release().ptr();
        });
    }

    static Expected expected_of(const py::tuple& told) {
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

    static std::vector<Source> sources_of(const py::list& told) {
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

    // Nothing where a list has items of other kinds.
    std::optional<py::object> run(const Ready& ready, const Arguments& given, std::span<PyObject* const> handed) {
        SmallVector<PyObject*, 8> arrays, numbers;
        std::vector<py::object> words;
        std::vector<PyObject*> rows;  // of tables
        std::vector<std::pair<std::size_t, PyObject*>> tables;
        for (const std::size_t each : ready.arrays) {
            if (const auto& table = ready.expected[each].table) {
                std::optional<py::object> made = table->array_of(given[each], rows);
                if (!made) return std::nullopt;
                arrays.push_back(made->ptr());
                tables.emplace_back(each, made->ptr());
                words.push_back(std::move(*made));
                continue;
            }
            if (ready.expected[each].list == nullptr) {
                arrays.push_back(given.plain(each));
                continue;
            }
            if (is_there_twice(ready, given, each)) return std::nullopt;
            std::optional<py::object> made = ready.expected[each].list->words_of(given[each]);
            if (!made) return std::nullopt;
            arrays.push_back(made->ptr());
            words.push_back(std::move(*made));
        }
        if (are_shared(ready, given, std::move(rows))) return std::nullopt;
        for (const auto& [each, item] : ready.numbers) numbers.push_back(item < 0 ? given[each] : PyTuple_GET_ITEM(given[each], item));
        for (const py::object& each : ready.more) numbers.push_back(each.ptr());
        const std::span<PyObject* const> held(arrays.data(), arrays.size());
        for (const std::shared_ptr<Program>& program : ready.programs) {
            if (!program->fits(held)) continue;
            Program::Left left;
            try {
                program->run(held, {numbers.data(), numbers.size()}, left);
            } catch (const PythonError&) {  // a whole number of more than 64 bits
                if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw;
                PyErr_Clear();
                return slow(handed);
            }
            for (const auto& [each, table] : tables) ready.expected[each].table->store(given[each], table);
            const auto end = std::find_if(ready.ends.begin(), ready.ends.end(), [&](const auto& each) { return each.first == left.words[0]; });
            if (end == ready.ends.end()) {
                const py::object exit = py::int_(left.words[0]), flags = py::int_(left.flags);
                const py::tuple values = program->handed_out(left.words.data()), arguments = tuple_of(given);
                const py::object made = py::cast(MadeArrays{std::move(left.blocks)});
                PyObject* given_on[] = {ready.handle.ptr(), exit.ptr(), values.ptr(), flags.ptr(), arguments.ptr(), made.ptr()};
                return result_of([&] { return PyObject_Vectorcall(left_.ptr(), given_on, 6, nullptr); });
            }
            py::object found = ended(ready, end->second, *program, left, given);
            if (left.flags != 0) ready.warn(left.flags);
            return found;
        }
        return slow(handed);
    }

    // Whether rows of tables are one list, or lists that are handed in, and one of them may be changed.
    static bool are_shared(const Ready& ready, const Arguments& given, std::vector<PyObject*> rows) {
        const bool may_change = std::any_of(ready.arrays.begin(), ready.arrays.end(), [&](std::size_t each) {
            const Expected& expected = ready.expected[each];
            return expected.list != nullptr || (expected.table != nullptr && expected.table->is_written());
        });
        if (rows.empty() || !may_change) return false;
        for (const std::size_t each : ready.arrays) rows.push_back(given[each]);
        std::sort(rows.begin(), rows.end());
        return std::adjacent_find(rows.begin(), rows.end()) != rows.end();
    }

    static bool is_there_twice(const Ready& ready, const Arguments& given, std::size_t number) {
        return std::any_of(ready.arrays.begin(), ready.arrays.end(), [&](std::size_t each) { return each != number && given[each] == given[number]; });
    }

    template <class F>
    static py::object result_of(F&& call) {
        return py::reinterpret_steal<py::object>(check(called(std::forward<F>(call))));
    }
    template <class Values>
    static py::tuple tuple_of(const Values& given) {
        py::tuple made(given.size());
        for (std::size_t i = 0; i < given.size(); ++i) made[i] = py::reinterpret_borrow<py::object>(given[i]);
        return made;
    }
    py::object slow(std::span<PyObject* const> handed) const {
        const py::tuple arguments = tuple_of(handed);
        return result_of([&] { return PyObject_CallOneArg(slow_.ptr(), arguments.ptr()); });
    }

    // Behind its items is whether the variable is what was passed still.
    static py::object tuple_of(const Source& source, const Program& program, const std::int64_t* words, const Arguments& given) {
        if (source.passed >= 0 && program.handed_out(words, source.number + source.count).cast<std::int64_t>() != 0)
            return py::reinterpret_borrow<py::object>(given[static_cast<std::size_t>(source.passed)]);
        py::tuple made(source.count);
        for (std::size_t i = 0; i < source.count; ++i) made[i] = program.handed_out(words, source.number + i);
        return made;
    }

    // After its origin come its address, sizes and steps.
    static py::object array_of(const Source& source, const Program& program, const Program::Left& left, const Arguments& given) {
        const std::int64_t* words = left.words.data();
        const int origin = source.origins.at(static_cast<std::size_t>(program.word(words, source.number)));
        if (origin >= 0) return py::reinterpret_borrow<py::object>(given[static_cast<std::size_t>(origin)]);
        SmallVector<std::int64_t, 8> sizes, steps;
        for (std::size_t i = 0; i < source.count; ++i) sizes.push_back(program.word(words, source.number + 2 + i));
        for (std::size_t i = 0; i < source.count; ++i) steps.push_back(program.word(words, source.number + 2 + source.count + i));
        py::object made =
            made_array(left.blocks, program.word(words, source.number + 1), {sizes.data(), sizes.size()}, {steps.data(), steps.size()}, source.known);
        return origin == -1 ? made : py::reinterpret_steal<py::object>(wrap(from_numpy(as_numpy(made.ptr()))));
    }

    // Whether it is new, its address and its length are handed out.
    static py::object list_of(const Source& source, const Program& program, const std::int64_t* words, const Arguments& given) {
        const auto* first = reinterpret_cast<const std::int64_t*>(program.word(words, source.number + 1));
        py::object made = source.items->list_of(first, program.word(words, source.number + 2));
        if (source.origins[0] < 0) return made;
        PyObject* old = given[static_cast<std::size_t>(source.origins[0])];
        if (program.word(words, source.number) != 0) {  // what it was before lies elsewhere
            const auto* before = reinterpret_cast<const std::int64_t*>(program.word(words, source.number + 3));
            const py::object changed = source.items->list_of(before, program.word(words, source.number + 4));
            store_changed(old, changed.ptr());
            return made;
        }
        store_changed(old, made.ptr());
        return py::reinterpret_borrow<py::object>(old);
    }

    static py::tuple returned(py::object value) {
        py::tuple made(2);
        PyTuple_SET_ITEM(made.ptr(), 0, PyLong_FromLong(1));
        PyTuple_SET_ITEM(made.ptr(), 1, value.release().ptr());
        return made;
    }

    // (0, variables ...), or (1, what the function returns).
    static py::object ended(const Ready& ready, const Ready::End& end, const Program& program, const Program::Left& left, const Arguments& given) {
        const std::int64_t* words = left.words.data();
        const auto value_of_source = [&](const Source& source) -> py::object {
            switch (source.kind) {
                case Source::Kind::handed: return program.handed_out(words, source.number);
                case Source::Kind::argument: return py::reinterpret_borrow<py::object>(given[source.number]);
                case Source::Kind::tuple: return tuple_of(source, program, words, given);
                case Source::Kind::list: return list_of(source, program, words, given);
                case Source::Kind::choice:
                    return program.handed_out(words,
                                              static_cast<std::size_t>(source.origins.at(static_cast<std::size_t>(program.word(words, source.number)))));
                case Source::Kind::array: return array_of(source, program, left, given);
                case Source::Kind::known: break;
            }
            return source.known;
        };
        for (const Source& each : end.lists) list_of(each, program, words, given);
        for (std::size_t i = 0; i < end.fields.size(); ++i) {
            if (program.word(words, end.stores[i]) == 0) continue;
            const Field& field = ready.fields[ready.stored[i]];
            const py::object value = value_of_source(end.fields[i]);
            field.store(field.owner_in(given), value.ptr());
        }
        if (end.returns && !end.is_tuple) return returned(value_of_source(end.sources[0]));
        const std::size_t skipped = end.returns ? 0 : 1;
        py::tuple values(end.sources.size() + skipped);
        if (!end.returns) values[0] = py::int_(0);
        for (std::size_t i = 0; i < end.sources.size(); ++i) values[i + skipped] = value_of_source(end.sources[i]);
        return end.returns ? py::object(returned(std::move(values))) : py::object(std::move(values));
    }

    py::object slow_, left_;
    std::shared_ptr<const std::vector<Ready>> ready_ = std::make_shared<std::vector<Ready>>();
    std::vector<Field> fields_;
    KnownClasses classes_;
};

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
    py::class_<LoopCall>(module, "_LoopCall")
        .def(py::init<py::object, py::object>(), py::arg("slow"), py::arg("left"))
        .def("add", &LoopCall::add, py::arg("expected"), py::arg("guards"), py::arg("programs"), py::arg("arrays"), py::arg("numbers"), py::arg("more"),
             py::arg("ends"), py::arg("handle"), py::arg("stored"), py::arg("warnings"))
        .def("set_fields", &LoopCall::set_fields, py::arg("fields"))
        .def("know", &LoopCall::know, py::arg("type"))
        .def("clear", &LoopCall::clear)
        .def("function", &LoopCall::function_of);
}

}  // namespace fastnp::python
