// A native program as Python has it: its steps, what it is run on, and what its exits hand out.
#pragma once

#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiled_state.h"
#include "convert.h"
#include "fastnp/detail/background.h"
#include "fastnp/detail/blocks.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/detail/program.h"
#include "fastnp/error.h"
#include "float_errors.h"
#include "generators.h"
#include "interruptible.h"
#include "program_arrays.h"
#include "worth.h"

namespace fastnp::python {

namespace py = pybind11;

inline Dtype dtype_from(const py::handle& object) {
    const std::optional<Dtype> found = to_dtype(object.ptr());
    if (!found) throw ValueError("a program's numbers have dtypes");
    return *found;
}

using detail::NativeProgram;
using detail::ProgramText;

// (kind, op, dtype, compute, a, b, c, bits, more_bits)
using StepText = std::tuple<std::string, std::string, py::object, py::object, int, int, int, std::uint64_t, std::uint64_t>;
// What an exit hands out of a variable: its number, and int, float, bool, complex, or a dtype for a NumPy scalar.
using Given = std::pair<std::int32_t, py::object>;

// How a number goes in: as one word, or two of a complex number.
enum class Word : std::uint8_t { floating, whole, unsigned_long, complex, generator };

inline Word word_of(Dtype dtype) {
    if (is_complex(dtype)) return Word::complex;
    if (is_floating(dtype)) return Word::floating;
    return dtype == Dtype::uint64 ? Word::unsigned_long : Word::whole;
}

/// Whether a program takes an array's sizes: sums of a few of them are far from the largest integer. Only axes without steps are longer.
inline bool has_program_sizes(PyArrayObject* x) {
    const npy_intp* const sizes = PyArray_DIMS(x);
    return std::all_of(sizes, sizes + PyArray_NDIM(x), [](npy_intp size) { return size <= detail::most_size; });
}

class ProgramWords {
public:
    /// `most`: how many words will be added.
    explicit ProgramWords(std::size_t most) { words_.reserve(most); }
    /// Any number but a generator.
    void add(PyObject* number, Word how) {
        if (how == Word::floating && PyFloat_CheckExact(number)) add(PyFloat_AS_DOUBLE(number));
        else if (how == Word::whole && PyLong_CheckExact(number)) add_whole(number);
        else add_converted(number, how);
    }
    void add(std::int64_t word) { words_.push_back(word); }
    void add(std::span<const std::int64_t> words) {
        for (const std::int64_t each : words) words_.push_back(each);
    }
    const std::int64_t* data() const { return words_.data(); }
    std::size_t size() const { return words_.size(); }

private:
    void add_whole(PyObject* number) {
        const std::int64_t value = PyLong_AsLongLong(number);
        if (value == -1) raised();
        add(value);
    }
    void add_converted(PyObject* number, Word how) {
        if (how == Word::complex) {
            const Py_complex value = PyComplex_AsCComplex(number);
            raised();
            add(value.real);
            add(value.imag);
        } else if (how == Word::floating) {
            const double value = PyFloat_AsDouble(number);
            if (value == -1) raised();
            add(value);
        } else {
            const Ref whole = own(PyNumber_Index(own(is_bool(number) ? PyNumber_Long(number) : Py_NewRef(number)).get()));
            if (how == Word::whole) return add_whole(whole.get());
            add(std::bit_cast<std::int64_t>(PyLong_AsUnsignedLongLong(whole.get())));
            raised();
        }
    }
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
inline Ref numpy_scalar_of(const std::int64_t* words, Dtype dtype) {
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
            const std::vector<py::object>& numbers, std::vector<int> ranks, std::vector<bool> written, int made_arrays, bool apart,
            std::vector<std::uint32_t> lines, bool of_numbers)
        : ranks_(std::move(ranks)), written_(std::move(written)), of_numbers_(of_numbers) {
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
            numbers_.push_back(each.is_none() ? Word::generator : word_of(dtype_from(each)));
        }
        exits_ = exits;
        text_.arrays = static_cast<std::int32_t>(ranks_.size());
        for (const int rank : ranks_) text_.inputs += 2 * rank;
        for (const Word each : numbers_) text_.inputs += each == Word::complex ? 2 : 1;
        text_.made_arrays = made_arrays;
        text_.apart = apart;
        text_.lines = std::move(lines);
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

    /// Whether it has its code; else that is made in a thread of its own.
    bool is_compiled_by_now() {
        if (!native_.empty()) return true;
        if (!later_) {
            later_ = std::make_shared<Later>();
            detail::in_background([later = later_, text = text_] {
                try {
                    later->made.emplace(text);
                } catch (const std::exception&) {  // compile() says why
                }
                later->is_done = true;
            });
        }
        if (!later_->is_done) return false;
        if (later_->made) native_.push_back(std::move(*later_->made));
        later_.reset();
        compile();
        return true;
    }

    /// (exit, what it hands out, which floating-point errors were met, the memory of arrays that it made); None where arrays share memory, and it was made
    /// for ones that do not.
    py::object run(const py::tuple& arrays, const py::tuple& numbers) {
        compile();
        const std::span<PyObject* const> held(PySequence_Fast_ITEMS(arrays.ptr()), ranks_.size());
        if (!fits(held)) return py::none();
        Left left;
        run(held, {PySequence_Fast_ITEMS(numbers.ptr()), numbers_.size()}, {}, left);
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

    bool fits(std::span<PyObject* const> arrays) const {
        const bool has_sizes = std::ranges::all_of(arrays, [](PyObject* each) { return has_program_sizes(reinterpret_cast<PyArrayObject*>(each)); });
        return has_sizes && (!text_.apart || are_apart(arrays));
    }

    /// Numbers that are the same at each call, behind those that are not.
    struct Constants {
        std::size_t count = 0;
        std::vector<std::int64_t> words;
        std::vector<py::object> generators;  // which come last
    };
    /// `before`: how many numbers come before them.
    Constants constants_of(std::size_t before, const std::vector<py::object>& numbers) const {
        Constants made;
        ProgramWords words(2 * numbers.size());
        for (; made.count < numbers.size() && numbers_.at(before + made.count) != Word::generator; ++made.count) {
            words.add(numbers[made.count].ptr(), numbers_[before + made.count]);
        }
        made.words.assign(words.data(), words.data() + words.size());
        made.generators.assign(numbers.begin() + static_cast<std::ptrdiff_t>(made.count), numbers.end());
        return made;
    }

    /// `is_apart`: of no frame.
    void run(std::span<PyObject* const> arrays, std::span<PyObject* const> numbers, const Constants& constants, Left& left, bool is_apart = false) const {
        SmallVector<void*, 8> bases;
        ProgramWords inputs(static_cast<std::size_t>(text_.inputs));
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            auto* x = reinterpret_cast<PyArrayObject*>(arrays[i]);
            bases.push_back(PyArray_DATA(x));
            for (int axis = 0; axis < ranks_[i]; ++axis) inputs.add(static_cast<std::int64_t>(PyArray_DIM(x, axis)));
            for (int axis = 0; axis < ranks_[i]; ++axis) inputs.add(static_cast<std::int64_t>(PyArray_STRIDE(x, axis)));
        }
        LentGenerators generators;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (numbers_[i] == Word::generator) [[unlikely]]
                inputs.add(generators.lend(numbers[i]));
            else inputs.add(numbers[i], numbers_[i]);
        }
        inputs.add(constants.words);
        for (const py::object& each : constants.generators) inputs.add(generators.lend(each.ptr()));
        left.words.resize(native_[0].words());
        const bool was_short = last_run_.load(std::memory_order_relaxed) < short_run;
        const bool asks = !was_short || counted() % look_again == 0;
        const Spending::NativeLoop timed(asks, is_apart, of_numbers_ && native_[0].is_plain());
        std::optional<Released> released;
        const bool keeps_gil = was_short && is_only_thread();
        if (!keeps_gil && !generators.needs_gil()) released.emplace();
        Interruptible interruptible(released ? &released->state : nullptr);
        detail::clear_float_flags();
        native_[0].run(bases.data(), inputs.data(), left.words.data(), &left.blocks, &interruptible);
        left.flags = (detail::any_float_flag() ? detail::float_flags() : 0U) | (left.words.back() < 0 ? wrapped : 0U);
        detail::clear_float_flags();
        if (asks) last_run_.store(timed.spent(), std::memory_order_relaxed);
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
    // Of Python's: nobody waits for the GIL then, which takes as long to let go and take as a short run.
    static bool is_only_thread() { return PyThreadState_Next(PyInterpreterState_ThreadHead(PyInterpreterState_Get())) == nullptr; }
    // With the GIL, so that none is lost.
    unsigned counted() const {
        const unsigned now = runs_.load(std::memory_order_relaxed);
        runs_.store(now + 1, std::memory_order_relaxed);
        return now;
    }
    static constexpr Nanoseconds short_run = 50'000;
    static constexpr unsigned look_again = 8;  // one in as many short runs is timed

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

    struct Later {
        std::optional<NativeProgram> made;
        std::atomic<bool> is_done = false;
    };

    ProgramText text_;
    std::vector<std::vector<Given>> exits_;
    std::vector<Word> numbers_;
    std::vector<int> ranks_;
    std::vector<bool> written_;
    bool of_numbers_;  // no statement of it computes with whole arrays
    std::vector<NativeProgram> native_;  // none until it is compiled
    std::shared_ptr<Later> later_;  // while that goes on in the background
    mutable std::atomic<unsigned> runs_ = 0;  // short ones
    mutable std::atomic<Nanoseconds> last_run_ = std::numeric_limits<Nanoseconds>::max();  // what it took
};

}  // namespace fastnp::python
