#include "loop_entry.h"

#include <algorithm>

namespace fastnp::python::loops {

namespace {

template <class F>
py::object result_of(F&& call) {
    return py::reinterpret_steal<py::object>(check(called(std::forward<F>(call))));
}

template <class Values>
py::tuple tuple_of(const Values& given) {
    py::tuple made(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) made[i] = py::reinterpret_borrow<py::object>(given[i]);
    return made;
}

// Whether an attribute is a function of the object's class.
bool is_bound(PyObject* value, PyObject* owner, PyObject* function) {
    return value == function || (PyMethod_Check(value) && PyMethod_GET_FUNCTION(value) == function && PyMethod_GET_SELF(value) == owner);
}

// Whether rows of tables are one list, or lists that are handed in, and one of them may be changed.
bool are_shared(const Ready& ready, const Arguments& given, std::vector<PyObject*> rows) {
    const bool may_change = std::any_of(ready.arrays.begin(), ready.arrays.end(), [&](std::size_t each) {
        const Expected& expected = ready.expected[each];
        return expected.list != nullptr || (expected.table != nullptr && expected.table->is_written());
    });
    if (rows.empty() || !may_change) return false;
    for (const std::size_t each : ready.arrays) rows.push_back(given[each]);
    std::sort(rows.begin(), rows.end());
    return std::adjacent_find(rows.begin(), rows.end()) != rows.end();
}

bool is_there_twice(const Ready& ready, const Arguments& given, std::size_t number) {
    return std::any_of(ready.arrays.begin(), ready.arrays.end(), [&](std::size_t each) { return each != number && given[each] == given[number]; });
}

// What an exit that is an end of the loop gives.
class End {
public:
    End(const Program& program, const Program::Left& left, const Arguments& given)
        : program_(program), left_(left), words_(left.words.data()), given_(given) {}

    py::object value_of(const Source& source) const {
        switch (source.kind) {
            case Source::Kind::handed: return program_.handed_out(words_, source.number);
            case Source::Kind::argument: return py::reinterpret_borrow<py::object>(given_[source.number]);
            case Source::Kind::tuple: return tuple_from(source);
            case Source::Kind::list: return list_from(source);
            case Source::Kind::choice: return program_.handed_out(words_, static_cast<std::size_t>(origin_of(source)));
            case Source::Kind::array: return array_from(source);
            case Source::Kind::known: break;
        }
        return source.known;
    }

    /// Lists and fields that the loop has changed are what it made of them.
    void store(const Ready& ready, const Ready::End& end) const {
        for (const Source& each : end.lists) list_from(each);
        for (std::size_t i = 0; i < end.fields.size(); ++i) {
            if (program_.word(words_, end.stores[i]) == 0) continue;
            const Field& field = ready.fields[ready.stored[i]];
            const py::object value = value_of(end.fields[i]);
            field.store(field.owner_in(given_), value.ptr());
        }
    }

    py::object returned(const Ready::End& end) const {
        if (!end.is_tuple) return value_of(end.sources[0]);
        py::tuple values(end.sources.size());
        for (std::size_t i = 0; i < end.sources.size(); ++i) values[i] = value_of(end.sources[i]);
        return values;
    }

private:
    int origin_of(const Source& source) const { return source.origins.at(static_cast<std::size_t>(program_.word(words_, source.number))); }

    // Behind its items is whether the variable is what was passed still.
    py::object tuple_from(const Source& source) const {
        if (source.passed >= 0 && program_.handed_out(words_, source.number + source.count).cast<std::int64_t>() != 0)
            return py::reinterpret_borrow<py::object>(given_[static_cast<std::size_t>(source.passed)]);
        py::tuple made(source.count);
        for (std::size_t i = 0; i < source.count; ++i) made[i] = program_.handed_out(words_, source.number + i);
        return made;
    }

    // After its origin come its address, sizes and steps.
    py::object array_from(const Source& source) const {
        const int origin = origin_of(source);
        if (origin >= 0) return py::reinterpret_borrow<py::object>(given_[static_cast<std::size_t>(origin)]);
        SmallVector<std::int64_t, 8> sizes, steps;
        for (std::size_t i = 0; i < source.count; ++i) sizes.push_back(program_.word(words_, source.number + 2 + i));
        for (std::size_t i = 0; i < source.count; ++i) steps.push_back(program_.word(words_, source.number + 2 + source.count + i));
        py::object made =
            made_array(left_.blocks, program_.word(words_, source.number + 1), {sizes.data(), sizes.size()}, {steps.data(), steps.size()}, source.known);
        return origin == -1 ? made : py::reinterpret_steal<py::object>(wrap(from_numpy(as_numpy(made.ptr()))));
    }

    // Whether it is new, its address and its length are handed out.
    py::object list_from(const Source& source) const {
        const auto* first = reinterpret_cast<const std::int64_t*>(program_.word(words_, source.number + 1));
        py::object made = source.items->list_of(first, program_.word(words_, source.number + 2));
        if (source.origins[0] < 0) return made;
        PyObject* old = given_[static_cast<std::size_t>(source.origins[0])];
        if (program_.word(words_, source.number) != 0) {  // what it was before lies elsewhere
            const auto* before = reinterpret_cast<const std::int64_t*>(program_.word(words_, source.number + 3));
            const py::object changed = source.items->list_of(before, program_.word(words_, source.number + 4));
            store_changed(old, changed.ptr());
            return made;
        }
        store_changed(old, made.ptr());
        return py::reinterpret_borrow<py::object>(old);
    }

    const Program& program_;
    const Program::Left& left_;
    const std::int64_t* words_;
    const Arguments& given_;
};

const Ready::End* end_of(const Ready& ready, std::int64_t exit) {
    const auto found = std::find_if(ready.ends.begin(), ready.ends.end(), [&](const auto& each) { return each.first == exit; });
    return found == ready.ends.end() ? nullptr : &found->second;
}

LoopCall* loop_in(PyObject* self) { return static_cast<LoopCall*>(reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder().value_ptr()); }

PyObject* call_in(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    return guarded([&] { return loop_in(self)->call({arguments, static_cast<std::size_t>(count)}).release().ptr(); });
}

}  // namespace

py::object LoopCall::function_of(const py::object& self) {
    static PyMethodDef called{"loop", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_in)), METH_FASTCALL, "A native loop."};
    return py::reinterpret_steal<py::object>(check(PyCFunction_New(&called, self.ptr())));
}

void LoopCall::add(Ready made) {
    auto all = std::make_unique<std::vector<Ready>>(*ready_.now());
    all->push_back(std::move(made));
    ready_.replace(std::move(all));
}

void LoopCall::clear() {
    ready_.replace(std::make_unique<std::vector<Ready>>());
    fields_.clear();
    classes_.clear();
}

int LoopCall::traverse(visitproc visit, void* arg) const {
    Py_VISIT(slow_.ptr());
    Py_VISIT(left_.ptr());
    for (const Ready& each : *ready_.now()) Py_VISIT(each.handle.ptr());
    return 0;
}

void LoopCall::let_go() {
    const py::object slow = std::move(slow_), left = std::move(left_);
    clear();
}

// Nothing is native while a function is recorded, or where errors are to be more than warnings.
bool LoopCall::is_for_python() const {
    const FloatState state = float_state();
    return records() || state.strict != 0 || (state.told & detail::float_underflow) != 0 || ready_.now()->empty();
}

py::object LoopCall::call(std::span<PyObject* const> handed) {
    if (is_for_python()) return slow(handed);
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

py::object LoopCall::call(const Arguments& given, std::span<PyObject* const> handed) {
    const Replaceable<std::vector<Ready>>::Use known(ready_);
    for (const Ready& each : *known) {
        if (!each.fits(given) || !each.are_apart(given)) continue;
        Run run;
        const Start how = start(each, given, run);
        if (how == Start::ran) return finish(each, run, given);
        if (how == Start::slow) break;
    }
    return slow(handed);
}

bool LoopCall::call_directly(std::span<PyObject* const> handed, const Context& context, Gave& gave) {
    if (!fields_.empty() || is_for_python()) return false;
    const Arguments given(handed);
    const Replaceable<std::vector<Ready>>::Use known(ready_);
    for (const Ready& each : *known) {
        if (!each.fits(given) || !each.are_apart(given)) continue;
        Run run;
        run.is_apart = true;
        const Start how = start(each, given, run);
        if (how == Start::slow) return false;
        if (how != Start::ran) continue;
        const Ready::End* const end = run.left.flags == 0 ? end_of(each, run.left.words[0]) : nullptr;
        if (end != nullptr) {
            const End ended(*run.program, run.left, given);
            ended.store(each, *end);
            gave.returns = end->returns;
            if (end->returns) gave.values[0] = ended.returned(*end);
            else
                for (std::size_t i = 0; i < end->sources.size(); ++i) gave.values.at(i) = ended.value_of(end->sources[i]);
            return true;
        }
        const py::object found = context.call([&] { return finish(each, run, given); });
        const auto told = py::reinterpret_borrow<py::tuple>(found);
        gave.returns = PyLong_AsLong(told[0].ptr()) == 1;
        for (std::size_t i = 1; i < told.size(); ++i) gave.values.at(i - 1) = told[i];
        return true;
    }
    return false;
}

// The elements of the lists among the arguments, and of the arrays; false where there are items of other kinds.
bool LoopCall::take_lists(const Ready& ready, const Arguments& given, Run& run) {
    std::vector<PyObject*> rows;  // of tables
    for (const std::size_t each : ready.arrays) {
        const Expected& expected = ready.expected[each];
        if (expected.list == nullptr && expected.table == nullptr) {
            run.arrays.push_back(given.plain(each));
            continue;
        }
        if (expected.list != nullptr && is_there_twice(ready, given, each)) return false;
        std::optional<py::object> made = expected.table != nullptr ? expected.table->array_of(given[each], rows) : expected.list->words_of(given[each]);
        if (!made) return false;
        run.arrays.push_back(made->ptr());
        if (expected.table != nullptr) run.tables.emplace_back(each, made->ptr());
        run.words.push_back(std::move(*made));
    }
    return !are_shared(ready, given, std::move(rows));
}

LoopCall::Start LoopCall::start(const Ready& ready, const Arguments& given, Run& run) {
    if (!ready.has_lists) {
        for (const std::size_t each : ready.arrays) run.arrays.push_back(given.plain(each));
    } else if (!take_lists(ready, given, run)) return Start::other_kinds;
    SmallVector<PyObject*, 8> numbers;
    for (const auto& [each, item] : ready.numbers) numbers.push_back(item < 0 ? given[each] : PyTuple_GET_ITEM(given[each], item));
    const std::span<PyObject* const> held(run.arrays.data(), run.arrays.size());
    for (const std::shared_ptr<Program>& program : ready.programs) {
        if (!program->fits(held)) continue;
        try {
            program->run(held, {numbers.data(), numbers.size()}, ready.more, run.left, run.is_apart);
        } catch (const PythonError&) {  // a whole number of more than 64 bits
            if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw;
            PyErr_Clear();
            return Start::slow;
        }
        run.program = program.get();
        for (const auto& [each, table] : run.tables) ready.expected[each].table->store(given[each], table);
        return Start::ran;
    }
    return Start::slow;
}

py::object LoopCall::finish(const Ready& ready, Run& run, const Arguments& given) const {
    const Ready::End* const end = end_of(ready, run.left.words[0]);
    if (end == nullptr) {
        const py::object exit = py::int_(run.left.words[0]), flags = py::int_(run.left.flags);
        const py::tuple values = run.program->handed_out(run.left.words.data()), arguments = tuple_of(given);
        const py::object made = py::cast(MadeArrays{std::move(run.left.blocks)});
        PyObject* given_on[] = {ready.handle.ptr(), exit.ptr(), values.ptr(), flags.ptr(), arguments.ptr(), made.ptr()};
        return result_of([&] { return PyObject_Vectorcall(left_.ptr(), given_on, 6, nullptr); });
    }
    const End ended(*run.program, run.left, given);
    ended.store(ready, *end);
    py::tuple found(end->returns ? 2 : end->sources.size() + 1);
    found[0] = py::int_(end->returns ? 1 : 0);
    if (end->returns) found[1] = ended.returned(*end);
    else
        for (std::size_t i = 0; i < end->sources.size(); ++i) found[i + 1] = ended.value_of(end->sources[i]);
    if (run.left.flags != 0) ready.warn(run.left.flags);
    return found;
}

py::object LoopCall::slow(std::span<PyObject* const> handed) const {
    if (!slow_) {  // it is garbage, and called by what goes with it
        PyErr_SetString(PyExc_ReferenceError, "a compiled function that is gone");
        throw PythonError{};
    }
    const py::tuple arguments = tuple_of(handed);
    return result_of([&] { return PyObject_CallOneArg(slow_.ptr(), arguments.ptr()); });
}

}  // namespace fastnp::python::loops
