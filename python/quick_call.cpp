#include "quick_call.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "fastnp/detail/float_flags.h"
#include "size.h"

namespace fastnp::python {

namespace {

constexpr std::size_t most_arguments = 16, most_results = 8;
constexpr std::uint32_t most_flagged = 8;
constexpr std::int64_t most_elements = 8192;  // of arguments: with more, a call's own cost does not show

bool is_immutable(PyObject* object) { return object == Py_None || PyBool_Check(object) || PyUnicode_CheckExact(object) || PyBytes_CheckExact(object); }

bool is_array(PyObject* object) { return PyArray_CheckExact(object) || is_ndarray(object); }

// Whether one array is passed, or read, in two places: then it is one input.
bool has_twice(std::span<PyObject* const> objects) {
    for (std::size_t i = 0; i < objects.size(); ++i) {
        if (is_array(objects[i]) &&
            std::find(objects.begin(), objects.begin() + static_cast<std::ptrdiff_t>(i), objects[i]) != objects.begin() + static_cast<std::ptrdiff_t>(i))
            return true;
    }
    return false;
}

}  // namespace

std::unique_ptr<QuickCall> QuickCall::of(std::span<PyObject* const> arguments, const SlotArrays& inputs, const Flat& flat,
                                         std::shared_ptr<GuardSet> guards, const detail::Engine::Result& served) {
    const auto& made = *static_cast<const Return*>(served.kept.get());
    const bool is_plain = !flat.takes_foreign() && flat.containers.empty() && !flat.tells_identities() && flat.elements <= most_elements &&
                          made.actions.empty() && made.calls.empty() && made.float_errors.met == 0;
    if (!is_plain || arguments.size() > most_arguments || inputs.size() > most_arguments) return nullptr;
    auto quick = std::make_unique<QuickCall>();
    quick->gives_numpy_ = flat.numpy_results();
    quick->roots_.assign(flat.roots.begin(), flat.roots.end());
    if (has_twice({flat.objects.data(), flat.objects.size()})) return nullptr;
    std::size_t arrays = 0, numbers = 0, varying = flat.arrays;
    for (PyObject* argument : arguments) {
        if (!quick->expect(argument, flat, arrays, numbers, varying)) return nullptr;
    }
    if (arrays != flat.arrays || varying != flat.given) return nullptr;  // default values are among them
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!is_array(inputs[i].get())) return nullptr;
        quick->slots_.push_back(quick->expected_array(inputs[i].get(), flat.given + i));
    }
    quick->inputs_ = flat.arguments.size();
    quick->kept_ = served.kept;
    quick->direct_ = detail::Direct::of(*served.entry, {flat.arguments.data(), flat.arguments.size()});
    if (!quick->direct_ || !quick->expect_results(made.result)) return nullptr;
    quick->guards_ = std::move(guards);
    return quick;
}

bool QuickCall::expect(PyObject* object, const Flat& flat, std::size_t& arrays, std::size_t& numbers, std::size_t& varying) {
    if (is_array(object)) {
        if (arrays >= flat.arrays || flat.objects[arrays] != object) return false;
        arguments_.push_back(expected_array(object, arrays++));
        return true;
    }
    if (PyFloat_CheckExact(object) || PyLong_CheckExact(object)) {
        const bool is_float = PyFloat_CheckExact(object);
        const std::optional<std::int64_t> whole = is_float ? std::nullopt : small_int(object);
        if (is_float ? std::isnan(PyFloat_AS_DOUBLE(object)) : !whole) return false;
        const std::int64_t bits = is_float ? std::bit_cast<std::int64_t>(PyFloat_AS_DOUBLE(object)) : *whole;
        if (flat.is_input(numbers++)) arguments_.push_back({is_float ? Kind::varying_float : Kind::varying_int, varying++});
        else arguments_.push_back({is_float ? Kind::constant_float : Kind::constant_int, 0, nullptr, bits});
        return true;
    }
    const bool is_root = std::find(roots_.begin(), roots_.end(), object) != roots_.end();
    if (!is_root && !is_immutable(object)) return false;
    if (!is_root) held_.push_back(Ref::borrow(object));  // of a root the guards know whether it is still there
    arguments_.push_back({Kind::same, 0, object});
    return true;
}

QuickCall::Expected QuickCall::expected_array(PyObject* object, std::size_t place) {
    if (is_ndarray(object)) return expected_own(object, place);
    auto* const x = reinterpret_cast<PyArrayObject*>(object);
    Expected expected{Kind::numpy_array, place};
    expected.object = reinterpret_cast<PyObject*>(PyArray_DESCR(x));
    held_.push_back(Ref::borrow(expected.object));
    expected.rank = PyArray_NDIM(x);
    expected.layout = layouts_.size();
    layouts_.insert(layouts_.end(), PyArray_DIMS(x), PyArray_DIMS(x) + expected.rank);
    layouts_.insert(layouts_.end(), PyArray_STRIDES(x), PyArray_STRIDES(x) + expected.rank);
    return expected;
}

QuickCall::Expected QuickCall::expected_own(PyObject* object, std::size_t place) {
    Expected expected{Kind::own_array, place};
    detail::Argument argument{};
    if (!detail::borrow(reinterpret_cast<NdArray*>(object)->value, argument)) throw InternalError("a call of a recorded array was served");
    expected.bits = static_cast<std::int64_t>(argument.dtype);
    expected.rank = argument.rank;
    expected.layout = layouts_.size();
    layouts_.insert(layouts_.end(), argument.shape, argument.shape + argument.rank);
    layouts_.insert(layouts_.end(), argument.strides, argument.strides + argument.rank);
    return expected;
}

bool QuickCall::expect_results(const Output& result) {
    is_tuple_ = result.kind == Output::Kind::tuple;
    const std::span<const Output> parts = is_tuple_ ? std::span<const Output>(result.children) : std::span<const Output>(&result, 1);
    const std::span<const detail::Direct::Output> outputs = direct_->outputs();
    if (parts.size() != outputs.size() || parts.size() > most_results) return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool is_new = parts[i].kind == Output::Kind::array && static_cast<std::size_t>(parts[i].index) == i && parts[i].base < 0;
        if (!is_new) return false;
        dtypes_.emplace_back(reinterpret_cast<PyObject*>(descr_of(outputs[i].dtype)));
        is_scalar_.push_back(parts[i].scalar && outputs[i].shape.empty());
    }
    return true;
}

template <class Size>
bool QuickCall::has_layout(const Size* sizes, const Size* strides, const Expected& expected) const {
    const npy_intp* const layout = layouts_.data() + expected.layout;
    return std::equal(layout, layout + expected.rank, sizes) && std::equal(layout + expected.rank, layout + 2 * expected.rank, strides);
}

// Null for one that is not as expected.
void* QuickCall::data_of(PyObject* object, const Expected& expected) const {
    if (expected.kind == Kind::numpy_array) {
        if (!PyArray_CheckExact(object)) return nullptr;
        auto* const x = reinterpret_cast<PyArrayObject*>(object);
        if (reinterpret_cast<PyObject*>(PyArray_DESCR(x)) != expected.object || PyArray_NDIM(x) != expected.rank || !PyArray_ISALIGNED(x)) return nullptr;
        return has_layout(PyArray_DIMS(x), PyArray_STRIDES(x), expected) ? PyArray_DATA(x) : nullptr;
    }
    if (!is_ndarray(object)) return nullptr;
    const auto* const own = reinterpret_cast<NdArray*>(object);
    detail::Argument argument{};
    if (own->taped != nullptr || own->scalar || !detail::borrow(own->value, argument)) return nullptr;
    if (static_cast<std::int64_t>(argument.dtype) != expected.bits || argument.rank != expected.rank) return nullptr;
    return has_layout(argument.shape, argument.strides, expected) ? argument.data : nullptr;
}

bool QuickCall::fits(PyObject* object, const Expected& expected, void** data, std::int64_t* ints, std::span<PyObject* const> before) const {
    switch (expected.kind) {
        case Kind::numpy_array:
        case Kind::own_array: {
            data[expected.place] = data_of(object, expected);
            return data[expected.place] != nullptr && std::find(before.begin(), before.end(), object) == before.end();  // as has_twice()
        }
        case Kind::varying_float: {
            if (!PyFloat_CheckExact(object) || std::isnan(PyFloat_AS_DOUBLE(object))) return false;
            data[expected.place] = &reinterpret_cast<PyFloatObject*>(object)->ob_fval;
            return true;
        }
        case Kind::varying_int: {
            const auto whole = PyLong_CheckExact(object) ? small_int(object) : std::nullopt;
            if (!whole) return false;
            *ints = *whole;
            data[expected.place] = ints;
            return true;
        }
        case Kind::constant_float: return PyFloat_CheckExact(object) && std::bit_cast<std::int64_t>(PyFloat_AS_DOUBLE(object)) == expected.bits;
        case Kind::constant_int: return PyLong_CheckExact(object) && small_int(object) == expected.bits;
        case Kind::same: return object == expected.object;
    }
    return false;
}

bool QuickCall::take_slots(void** data, std::span<PyObject* const> arguments) const {
    SlotArrays found;
    if (!guards_->holds({roots_.data(), roots_.size()}, found) || found.size() != slots_.size()) return false;
    for (std::size_t i = 0; i < found.size(); ++i) {
        void* const memory = data_of(found[i].get(), slots_[i]);
        if (memory == nullptr) return false;
        const auto is_it = [&](const Ref& other) { return other.get() == found[i].get(); };
        const bool is_twice = std::find(arguments.begin(), arguments.end(), found[i].get()) != arguments.end() ||
                              std::any_of(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i), is_it);
        if (is_twice) return false;  // as has_twice()
        data[slots_[i].place] = memory;  // what they lie in keeps them, as nothing runs until the end of the call but kernels
    }
    return true;
}

PyObject* QuickCall::call(std::span<PyObject* const> arguments) {
    if (arguments.size() != arguments_.size() || is_busy_ || ranks_ != dist::detail::world_kind() || flagged_ > most_flagged ||
        !detail::Direct::is_possible())
        return nullptr;
    std::array<void*, 2 * most_arguments> data;
    std::array<std::int64_t, most_arguments> ints;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!fits(arguments[i], arguments_[i], data.data(), &ints[i], arguments.first(i))) return nullptr;
    }
    struct Busy {
        bool& flag;
        explicit Busy(bool& now) : flag(now) { flag = true; }
        ~Busy() { flag = false; }
        Busy(const Busy&) = delete;
    } const busy(is_busy_);
    if (!take_slots(data.data(), arguments)) return nullptr;
    PyObject* const result = run({data.data(), inputs_});
    if (result != nullptr) ++hits_;
    return result;
}

void QuickCall::run_for_numpy(std::span<void* const> data, std::span<Ref> made) const {
    const std::span<const detail::Direct::Output> outputs = direct_->outputs();
    std::array<void*, most_results> memory;
    std::array<std::array<char, 16>, most_results> scalars;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        auto* const dtype = reinterpret_cast<PyArray_Descr*>(dtypes_[i].get());
        if (is_scalar_[i]) {
            memory[i] = scalars[i].data();
            continue;
        }
        Py_INCREF(dtype);
        made[i] = own(PyArray_Empty(static_cast<int>(outputs[i].shape.size()), outputs[i].shape.data(), dtype, outputs[i].is_fortran ? 1 : 0));
        memory[i] = PyArray_DATA(reinterpret_cast<PyArrayObject*>(made[i].get()));
    }
    direct_->run(data, std::span<void* const>(memory.data(), outputs.size()));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (is_scalar_[i]) made[i] = own(PyArray_Scalar(memory[i], reinterpret_cast<PyArray_Descr*>(dtypes_[i].get()), nullptr));
    }
}

void QuickCall::run_for_own(std::span<void* const> data, std::span<Ref> made) const {
    detail::Results results;
    direct_->run(data, results.arrays);
    for (std::size_t i = 0; i < results.arrays.size(); ++i) {
        made[i] = is_scalar_[i] ? own(numpy_scalar(results.arrays[i])) : own(wrap(std::move(results.arrays[i])));
    }
}

PyObject* QuickCall::run(std::span<void* const> data) {
    std::array<Ref, most_results> all;
    const std::span<Ref> made(all.data(), is_scalar_.size());
    detail::clear_float_flags();
    if (gives_numpy_) run_for_numpy(data, made);
    else run_for_own(data, made);
    if (detail::any_float_flag()) {
        ++flagged_;
        return nullptr;
    }
    if (!is_tuple_) return made[0].release();
    Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(made.size())));
    for (std::size_t i = 0; i < made.size(); ++i) PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), made[i].release());
    return tuple.release();
}

}  // namespace fastnp::python
