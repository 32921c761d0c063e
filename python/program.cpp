#include "program.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiled_state.h"
#include "convert.h"
#include "fastnp/detail/blocks.h"
#include "fastnp/detail/compiling_time.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/detail/program.h"
#include "fastnp/error.h"
#include "float_errors.h"
#include "generators.h"
#include "program_arrays.h"
#include "worth.h"

namespace py = pybind11;

namespace fastnp::python {

namespace {

using detail::NativeProgram;
using detail::ProgramStep;
using detail::ProgramText;

Dtype dtype_from(const py::handle& object) {
    const std::optional<Dtype> found = to_dtype(object.ptr());
    if (!found) throw ValueError("a program's numbers have dtypes");
    return *found;
}

// (kind, op, dtype, compute, a, b, c, bits, more_bits)
using StepText = std::tuple<std::string, std::string, py::object, py::object, int, int, int, std::uint64_t, std::uint64_t>;
// What an exit hands out of a variable: its number, and int, float, bool, complex, or a dtype for a NumPy scalar.
using Given = std::pair<std::int32_t, py::object>;

// A number as it goes in: one word, or two of a complex number.
class Words {
public:
    void add(PyObject* number, Dtype dtype) {
        if (is_complex(dtype)) {
            const Py_complex value = PyComplex_AsCComplex(number);
            raised();
            add(value.real);
            add(value.imag);
        } else if (is_floating(dtype)) {
            const double value = PyFloat_AsDouble(number);
            raised();
            add(value);
        } else {
            const Ref whole = own(PyNumber_Index(own(is_bool(number) ? PyNumber_Long(number) : Py_NewRef(number)).get()));
            const bool is_long = dtype == Dtype::uint64;
            add(is_long ? std::bit_cast<std::int64_t>(PyLong_AsUnsignedLongLong(whole.get())) : std::int64_t{PyLong_AsLongLong(whole.get())});
            raised();
        }
    }
    void add(std::int64_t word) { words_.push_back(word); }
    const std::int64_t* data() const { return words_.data(); }

private:
    void add(double value) { words_.push_back(std::bit_cast<std::int64_t>(value)); }
    static bool is_bool(PyObject* number) { return PyBool_Check(number) || PyArray_IsScalar(number, Bool); }
    static void raised() {
        if (PyErr_Occurred() != nullptr) throw PythonError{};
    }

    SmallVector<std::int64_t, 32> words_;
};

template <class T>
Ref scalar_of(T value, PyArray_Descr* descr) {
    return own(PyArray_Scalar(&value, descr, nullptr));
}

// A NumPy scalar from the words that hold it.
Ref numpy_scalar_of(const std::int64_t* words, Dtype dtype) {
    const Ref descr(reinterpret_cast<PyObject*>(descr_of(dtype)));
    auto* kind = reinterpret_cast<PyArray_Descr*>(descr.get());
    const auto real = std::bit_cast<double>(words[0]);
    switch (dtype) {
        case Dtype::float64: return scalar_of(real, kind);
        case Dtype::float32: return scalar_of(static_cast<float>(real), kind);
        case Dtype::float16: return scalar_of(float16_t(static_cast<float>(real)), kind);
        case Dtype::complex128: return scalar_of(std::complex<double>(real, std::bit_cast<double>(words[1])), kind);
        case Dtype::complex64: {
            return scalar_of(std::complex<float>(static_cast<float>(real), static_cast<float>(std::bit_cast<double>(words[1]))), kind);
        }
        default: return scalar_of(words[0], kind);  // integers and bools, whose first bytes are the lowest
    }
}

class Program {
public:
    Program(const std::vector<StepText>& steps, const std::vector<py::object>& variables, const std::vector<std::vector<Given>>& exits,
            const std::vector<py::object>& numbers, std::vector<int> ranks, std::vector<bool> written, int made_arrays, bool apart)
        : ranks_(std::move(ranks)), written_(std::move(written)) {
        for (const auto& [kind, op, dtype, compute, a, b, c, bits, more] : steps) {
            text_.steps.push_back({kind, op, dtype_from(dtype), dtype_from(compute), a, b, c, bits, more});
        }
        for (const py::object& each : variables) text_.variables.push_back(dtype_from(each));
        for (const auto& exit : exits) {
            std::vector<std::int32_t> handed;
            for (const auto& [variable, kind] : exit) handed.push_back(variable);
            text_.exits.push_back(std::move(handed));
        }
        for (const py::object& each : numbers) {
            if (each.is_none()) generators_.push_back(numbers_.size());
            numbers_.push_back(each.is_none() ? Dtype::int64 : dtype_from(each));
        }
        exits_ = exits;
        text_.arrays = static_cast<std::int32_t>(ranks_.size());
        for (const int rank : ranks_) text_.inputs += 2 * rank;
        for (const Dtype each : numbers_) text_.inputs += is_complex(each) ? 2 : 1;
        text_.made_arrays = made_arrays;
        text_.apart = apart;
    }

    std::string text() const { return detail::program_text(text_); }
    std::string llvm() const { return detail::program_llvm(text_); }
    double compile() {
        if (native_.empty()) {
            std::optional<NativeProgram> made;
            {
                const py::gil_scoped_release released;
                made.emplace(text_);
            }
            if (native_.empty()) native_.push_back(std::move(*made));
        }
        return native_[0].compile_ms();
    }

    /// (exit, what it hands out, which floating-point errors were met, the memory of arrays that it made); None where arrays share memory, and it was made
    /// for ones that do not.
    py::object run(const py::tuple& arrays, const py::tuple& numbers) {
        compile();
        const std::span<PyObject* const> held(PySequence_Fast_ITEMS(arrays.ptr()), ranks_.size());
        if (!fits(held)) return py::none();
        Left left;
        run(held, {PySequence_Fast_ITEMS(numbers.ptr()), numbers_.size()}, left);
        return py::make_tuple(left.words[0], handed_out(left.words.data()), left.flags, MadeArrays{std::move(left.blocks)});
    }

    /// Among the flags of a run: integers of NumPy's wrapped around.
    static constexpr unsigned wrapped = 16;

    /// What a run leaves behind.
    struct Left {
        SmallVector<std::int64_t, 64> words;
        unsigned flags = 0;
        detail::Blocks blocks;
    };

    bool fits(std::span<PyObject* const> arrays) const { return !text_.apart || are_apart(arrays); }

    void run(std::span<PyObject* const> arrays, std::span<PyObject* const> numbers, Left& left) const {
        SmallVector<void*, 8> bases;
        Words inputs;
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            auto* x = reinterpret_cast<PyArrayObject*>(arrays[i]);
            bases.push_back(PyArray_DATA(x));
            for (int axis = 0; axis < ranks_[i]; ++axis) inputs.add(static_cast<std::int64_t>(PyArray_DIM(x, axis)));
            for (int axis = 0; axis < ranks_[i]; ++axis) inputs.add(static_cast<std::int64_t>(PyArray_STRIDE(x, axis)));
        }
        LentGenerators generators;
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            if (is_generator(i)) inputs.add(generators.lend(numbers[i]));
            else inputs.add(numbers[i], numbers_[i]);
        }
        left.words.resize(native_[0].words());
        const Spending::NativeLoop timed;
        const Released released;
        detail::clear_float_flags();
        native_[0].run(bases.data(), inputs.data(), left.words.data(), &left.blocks);
        left.flags = detail::float_flags() | (left.words.back() < 0 ? wrapped : 0U);
        detail::clear_float_flags();
    }

    /// What an exit hands out.
    py::tuple handed_out(const std::int64_t* words) const {
        const std::vector<Given>& given = exits_.at(static_cast<std::size_t>(words[0]));
        py::tuple values(given.size());
        for (std::size_t i = 0; i < given.size(); ++i) values[i] = handed_out(words, i);
        return values;
    }
    std::int64_t word(const std::int64_t* words, std::size_t number) const {
        return words[NativeProgram::word_of(exits_.at(static_cast<std::size_t>(words[0])).at(number).first)];
    }
    py::object handed_out(const std::int64_t* words, std::size_t number) const {
        const Given& given = exits_.at(static_cast<std::size_t>(words[0])).at(number);
        return number_of(words + NativeProgram::word_of(given.first), given);
    }

private:
    bool is_generator(std::size_t number) const { return std::find(generators_.begin(), generators_.end(), number) != generators_.end(); }

    // Whether what is written lies nowhere else.
    bool are_apart(std::span<PyObject* const> arrays) const {
        const auto extent = [&](std::size_t i) { return extent_of(reinterpret_cast<PyArrayObject*>(arrays[i])); };
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            for (std::size_t k = 0; written_[i] && k < ranks_.size(); ++k) {
                const auto [begin, end] = extent(i);
                const auto [other_begin, other_end] = extent(k);
                if (k != i && begin < other_end && other_begin < end) return false;
            }
        }
        return true;
    }

    py::object number_of(const std::int64_t* words, const Given& given) const {
        PyObject* kind = given.second.ptr();
        const auto made = [](PyObject* object) { return py::reinterpret_steal<py::object>(check(object)); };
        if (kind == reinterpret_cast<PyObject*>(&PyLong_Type)) return made(PyLong_FromLongLong(words[0]));
        if (kind == reinterpret_cast<PyObject*>(&PyFloat_Type)) return made(PyFloat_FromDouble(std::bit_cast<double>(words[0])));
        if (kind == reinterpret_cast<PyObject*>(&PyBool_Type)) return made(PyBool_FromLong(static_cast<long>(words[0] & 1)));
        if (kind == reinterpret_cast<PyObject*>(&PyComplex_Type)) {
            return made(PyComplex_FromDoubles(std::bit_cast<double>(words[0]), std::bit_cast<double>(words[1])));
        }
        return made(numpy_scalar_of(words, text_.variables[static_cast<std::size_t>(given.first)]).release());
    }

    ProgramText text_;
    std::vector<std::vector<Given>> exits_;
    std::vector<Dtype> numbers_;
    std::vector<std::size_t> generators_;  // among the numbers: of random numbers
    std::vector<int> ranks_;
    std::vector<bool> written_;
    std::vector<NativeProgram> native_;  // none until it is compiled
};

// What a native loop is handed: a number of a type, an array, a tuple of numbers, or an object that stays the same.
struct Expected {
    py::object type, object;
    std::vector<py::object> items;  // types of a tuple's
    py::object dtype;  // an array's
    int rank = 0;
    bool has_lines = false, is_writeable = false, is_anything = false;

    bool fits(PyObject* value) const {
        if (is_anything) return true;
        if (object) return value == object.ptr();
        if (reinterpret_cast<PyObject*>(Py_TYPE(value)) != type.ptr()) return false;
        if (!items.empty()) return fits_items(value);
        if (!dtype) return true;
        auto* x = reinterpret_cast<PyArrayObject*>(value);
        return has_dtype(x) && PyArray_NDIM(x) == rank && (PyArray_ISWRITEABLE(x) != 0) == is_writeable && PyArray_ISALIGNED(x) &&
               (rank > 0 && PyArray_STRIDE(x, rank - 1) == PyArray_ITEMSIZE(x)) == has_lines;
    }

private:
    // Of one of NumPy's own there is one object; records are compared.
    bool has_dtype(PyArrayObject* x) const {
        auto* const wanted = reinterpret_cast<PyArray_Descr*>(dtype.ptr());
        return PyArray_DESCR(x) == wanted ||
               (PyDataType_HASFIELDS(wanted) && PyObject_RichCompareBool(reinterpret_cast<PyObject*>(PyArray_DESCR(x)), dtype.ptr(), Py_EQ) == 1);
    }

    bool fits_items(PyObject* value) const {
        if (static_cast<std::size_t>(PyTuple_GET_SIZE(value)) != items.size()) return false;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (reinterpret_cast<PyObject*>(Py_TYPE(PyTuple_GET_ITEM(value, static_cast<Py_ssize_t>(i)))) != items[i].ptr()) return false;
        }
        return true;
    }
};

// Where a variable that a loop gives comes from: what its exit hands out, an argument, an object that is known, a tuple of what it hands out, an array
// that is an argument or was made, or a number of one of several kinds.
struct Source {
    enum class Kind : std::uint8_t { handed, argument, known, tuple, array, choice };
    Kind kind = Kind::handed;
    std::size_t number = 0;
    py::object known{};
    std::size_t count = 0;  // tuple: of its items
    int passed = -1;  // ... the argument that the variable may be still
    std::vector<int> origins{};  // array: by what is handed out first, the argument that it is, or -1: it was made; choice: by its tag, which of what is
                                 // handed out it is
};

// A loop's program for one combination of kinds, as far as calls need no Python.
struct Ready {
    std::vector<Expected> expected;
    std::vector<std::pair<py::dict, std::pair<py::object, py::object>>> guards;  // (dict, (key, what is there))
    std::vector<std::shared_ptr<Program>> programs;  // the first that fits is taken
    std::vector<std::size_t> arrays;  // among the arguments
    std::vector<std::pair<std::size_t, int>> numbers;  // ... and places in tuples, or -1
    std::vector<py::object> more;  // numbers after these
    struct End {
        bool returns = false, is_tuple = false;  // a `return` of the function's, of several values
        std::vector<Source> sources;
    };
    std::map<std::int64_t, End> ends;  // what is given at exits that are ends of the loop
    py::object handle;  // for what goes on in Python

    bool fits(std::span<PyObject* const> arguments) const {
        if (arguments.size() != expected.size()) return false;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (!expected[i].fits(arguments[i])) return false;
        }
        for (const auto& [space, guard] : guards) {
            if (PyDict_GetItemWithError(space.ptr(), guard.first.ptr()) != guard.second.ptr()) return false;
        }
        return true;
    }
};

// What a frame calls in the place of a loop.
class LoopCall {
public:
    /// `slow(arguments)`: a call in Python; `left(handle, exit, values, flags, arguments)`: what follows where a program was left.
    LoopCall(py::object slow, py::object left) : slow_(std::move(slow)), left_(std::move(left)) {}

    void add(const py::list& expected, const py::list& guards, std::vector<std::shared_ptr<Program>> programs, std::vector<std::size_t> arrays,
             std::vector<std::pair<std::size_t, int>> numbers, std::vector<py::object> more, const py::dict& ends, py::object handle) {
        Ready made;
        for (const py::handle each : expected) made.expected.push_back(expected_of(each.cast<py::tuple>()));
        for (const py::handle each : guards) {
            const auto [space, key, value] = each.cast<std::tuple<py::dict, py::object, py::object>>();
            made.guards.push_back({space, {key, value.ptr() == Py_Ellipsis ? py::object() : value}});  // nothing is there
        }
        made.programs = std::move(programs);
        made.arrays = std::move(arrays);
        made.numbers = std::move(numbers);
        made.more = std::move(more);
        made.handle = std::move(handle);
        for (const auto& [exit, told] : ends) {
            const auto [returns, is_tuple, sources] = told.cast<std::tuple<bool, bool, py::list>>();
            made.ends[exit.cast<std::int64_t>()] = {returns, is_tuple, sources_of(sources)};
        }
        ready_.push_back(std::move(made));
    }
    void clear() { ready_.clear(); }

    using Arguments = std::span<PyObject* const>;

    py::object call(Arguments given) {
        const FloatState state = float_state();
        if (records() || state.strict != 0 || (state.told & detail::float_underflow) != 0) return slow(given);
        for (const Ready& each : ready_) {
            if (each.fits(given)) return run(each, given);
        }
        return slow(given);
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
        if (told.size() == 2 && py::isinstance<py::tuple>(told[1])) made.items = told[1].cast<std::vector<py::object>>();
        if (told.size() > 2) {
            made.dtype = told[1];
            made.rank = told[2].cast<int>();
            made.has_lines = told[3].cast<bool>();
            made.is_writeable = told[4].cast<bool>();
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
            } else if (kind == Source::Kind::choice) {
                made.push_back({kind, pair[1].cast<std::size_t>(), {}, 0, -1, pair[2].cast<std::vector<int>>()});
            } else if (kind == Source::Kind::array) {
                const auto [first, count] = pair[1].cast<std::pair<std::size_t, std::size_t>>();
                made.push_back({kind, first, pair[2].cast<py::object>(), count, -1, pair[3].cast<std::vector<int>>()});
            } else made.push_back({kind, pair[1].cast<std::size_t>(), {}});
        }
        return made;
    }

    py::object run(const Ready& ready, Arguments given) {
        SmallVector<PyObject*, 8> arrays, numbers;
        for (const std::size_t each : ready.arrays) arrays.push_back(given[each]);
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
                return slow(given);
            }
            const auto end = ready.ends.find(left.words[0]);
            if (end == ready.ends.end() || left.flags != 0) {
                const py::object exit = py::int_(left.words[0]), flags = py::int_(left.flags);
                const py::tuple values = program->handed_out(left.words.data()), arguments = tuple_of(given);
                const py::object made = py::cast(MadeArrays{std::move(left.blocks)});
                PyObject* given_on[] = {ready.handle.ptr(), exit.ptr(), values.ptr(), flags.ptr(), arguments.ptr(), made.ptr()};
                return result_of([&] { return PyObject_Vectorcall(left_.ptr(), given_on, 6, nullptr); });
            }
            return ended(end->second, *program, left, given);
        }
        return slow(given);
    }

    template <class F>
    static py::object result_of(F&& call) {
        return py::reinterpret_steal<py::object>(check(called(std::forward<F>(call))));
    }
    static py::tuple tuple_of(Arguments given) {
        py::tuple made(given.size());
        for (std::size_t i = 0; i < given.size(); ++i) made[i] = py::reinterpret_borrow<py::object>(given[i]);
        return made;
    }
    py::object slow(Arguments given) const {
        const py::tuple arguments = tuple_of(given);
        return result_of([&] { return PyObject_CallOneArg(slow_.ptr(), arguments.ptr()); });
    }

    // Behind its items is whether the variable is what was passed still.
    static py::object tuple_of(const Source& source, const Program& program, const std::int64_t* words, std::span<PyObject* const> given) {
        if (source.passed >= 0 && program.handed_out(words, source.number + source.count).cast<std::int64_t>() != 0)
            return py::reinterpret_borrow<py::object>(given[static_cast<std::size_t>(source.passed)]);
        py::tuple made(source.count);
        for (std::size_t i = 0; i < source.count; ++i) made[i] = program.handed_out(words, source.number + i);
        return made;
    }

    // After its origin come its address, sizes and steps.
    static py::object array_of(const Source& source, const Program& program, const Program::Left& left, std::span<PyObject* const> given) {
        const std::int64_t* words = left.words.data();
        const int origin = source.origins.at(static_cast<std::size_t>(program.word(words, source.number)));
        if (origin >= 0) return py::reinterpret_borrow<py::object>(given[static_cast<std::size_t>(origin)]);
        SmallVector<std::int64_t, 8> sizes, steps;
        for (std::size_t i = 0; i < source.count; ++i) sizes.push_back(program.word(words, source.number + 2 + i));
        for (std::size_t i = 0; i < source.count; ++i) steps.push_back(program.word(words, source.number + 2 + source.count + i));
        return made_array(left.blocks, program.word(words, source.number + 1), {sizes.data(), sizes.size()}, {steps.data(), steps.size()}, source.known);
    }

    // (0, variables ...), or (1, what the function returns).
    static py::object ended(const Ready::End& end, const Program& program, const Program::Left& left, std::span<PyObject* const> given) {
        const std::int64_t* words = left.words.data();
        const auto value_of_source = [&](const Source& source) -> py::object {
            switch (source.kind) {
                case Source::Kind::handed: return program.handed_out(words, source.number);
                case Source::Kind::argument: return py::reinterpret_borrow<py::object>(given[source.number]);
                case Source::Kind::tuple: return tuple_of(source, program, words, given);
                case Source::Kind::choice:
                    return program.handed_out(words,
                                              static_cast<std::size_t>(source.origins.at(static_cast<std::size_t>(program.word(words, source.number)))));
                case Source::Kind::array: return array_of(source, program, left, given);
                case Source::Kind::known: break;
            }
            return source.known;
        };
        if (end.returns && !end.is_tuple) return py::make_tuple(1, value_of_source(end.sources.at(0)));
        const std::size_t skipped = end.returns ? 0 : 1;
        py::tuple values(end.sources.size() + skipped);
        if (!end.returns) values[0] = py::int_(0);
        for (std::size_t i = 0; i < end.sources.size(); ++i) values[i + skipped] = value_of_source(end.sources[i]);
        return end.returns ? py::object(py::make_tuple(1, values)) : py::object(values);
    }

    py::object slow_, left_;
    std::vector<Ready> ready_;
};

// A context whose time counts as compiling.
class Compiling {
public:
    void begin() { time_.emplace(); }
    void end(const py::args& /*error*/) { time_.reset(); }

private:
    std::optional<detail::CompilingTime> time_;
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
    py::class_<MadeArrays>(module, "_MadeArrays")
        .def("array", &MadeArrays::array, py::arg("address"), py::arg("sizes"), py::arg("steps"), py::arg("dtype"))
        .def_static("words", &MadeArrays::words, py::arg("address"), py::arg("count"))
        .def_static("view", &MadeArrays::view, py::arg("array"), py::arg("address"), py::arg("sizes"), py::arg("steps"), py::arg("dtype"));
    py::class_<LoopCall>(module, "_LoopCall")
        .def(py::init<py::object, py::object>(), py::arg("slow"), py::arg("left"))
        .def("add", &LoopCall::add, py::arg("expected"), py::arg("guards"), py::arg("programs"), py::arg("arrays"), py::arg("numbers"), py::arg("more"),
             py::arg("ends"), py::arg("handle"))
        .def("clear", &LoopCall::clear)
        .def("function", &LoopCall::function_of);
    py::class_<Program, std::shared_ptr<Program>>(module, "_Program")
        .def(py::init<const std::vector<StepText>&, const std::vector<py::object>&, const std::vector<std::vector<Given>>&, const std::vector<py::object>&,
                      std::vector<int>, std::vector<bool>, int, bool>(),
             py::arg("steps"), py::arg("variables"), py::arg("exits"), py::arg("numbers"), py::arg("ranks"), py::arg("written"), py::arg("made_arrays"),
             py::arg("apart"))
        .def("run", py::overload_cast<const py::tuple&, const py::tuple&>(&Program::run), py::arg("arrays"), py::arg("numbers"))
        .def("compile", &Program::compile)
        .def("text", &Program::text)
        .def("llvm", &Program::llvm);
    py::class_<Compiling>(module, "_Compiling").def(py::init<>()).def("__enter__", &Compiling::begin).def("__exit__", &Compiling::end);
    module.def("_affords_compiling", [] { return Spending::affords(); }, "Whether the function that this thread is in can afford a compilation now.");
    module.def("_loop_of", &loop_of, py::arg("op"), py::arg("kinds"));
}

}  // namespace fastnp::python
