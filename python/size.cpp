#include "size.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "convert.h"
#include "fastnp/detail/size.h"
#include "number_slots.h"
#include "sizes_read.h"

namespace fastnp::python {

PyTypeObject* size_type = nullptr;

static thread_local bool size_read = false;

void note_size_read() { size_read = true; }
bool take_size_read() { return std::exchange(size_read, false); }

namespace {

struct SizeObject {
    PyObject_HEAD std::int64_t size;
    const void* recording;
};

std::int64_t raw_of(PyObject* object) {
    const auto* size = reinterpret_cast<SizeObject*>(object);
    if (size->recording != detail::recording_of_sizes()) raise(PyExc_RuntimeError, "a size of a recording is used outside of it");
    return size->size;
}

// A size, or an int that fits; nothing for anything else.
std::optional<std::int64_t> operand(PyObject* object) {
    if (is_size(object)) return raw_of(object);
    return small_int(object);
}

template <detail::SizeOp op, PyObject* (*otherwise)(PyObject*, PyObject*)>
PyObject* binary(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        const auto x = operand(a), y = operand(b);
        const bool divides = op == detail::SizeOp::floor_divide;
        if (x && y && (!divides || (!detail::is_symbolic(*y) && *y > 0))) {
            if (const auto result = detail::combine(op, *x, *y)) return size_object(*result);
        }
        return otherwise(a, b);
    });
}

PyObject* remainder(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        const auto x = operand(a), y = operand(b);
        if (!x || !y || detail::is_symbolic(*y) || *y <= 0) return number_slots::with_numbers(a, b, PyNumber_Remainder);
        using detail::SizeOp;
        const auto quotient = combine(SizeOp::floor_divide, *x, *y);
        const auto multiple = quotient ? combine(SizeOp::multiply, *quotient, *y) : std::nullopt;
        const auto rest = multiple ? combine(SizeOp::subtract, *x, *multiple) : std::nullopt;
        return rest ? size_object(*rest) : number_slots::with_numbers(a, b, PyNumber_Remainder);
    });
}

// Squares and cubes are products; all else is Python's to say at each call.
PyObject* power_of(PyObject* a, PyObject* b, PyObject* modulo) {
    if (modulo == Py_None && is_size(a) && PyLong_CheckExact(b)) {
        const long exponent = PyLong_AsLong(b);
        if (exponent == -1 && PyErr_Occurred() != nullptr) PyErr_Clear();
        if (exponent == 2) return PyNumber_Multiply(a, a);
        if (exponent == 3) {
            const Ref square(PyNumber_Multiply(a, a));
            return square ? PyNumber_Multiply(square.get(), a) : nullptr;
        }
    }
    return power_of_numbers(a, b, modulo);
}

PyObject* negative(PyObject* a) {
    return guarded([&] {
        const auto result = detail::combine(detail::SizeOp::subtract, 0, raw_of(a));
        return result ? size_object(*result) : check(PyNumber_Negative(concrete_number(a).get()));
    });
}
PyObject* absolute(PyObject* a) {
    return guarded([&] { return detail::size_at_least(raw_of(a), 0) ? Py_NewRef(a) : negative(a); });
}

int truth(PyObject* a) {
    return guarded_int([&] { return detail::sizes_equal(raw_of(a), 0) ? 0 : 1; });
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
    return guarded([&]() -> PyObject* {
        const auto x = operand(a), y = operand(b);
        if (!x || !y) {
            if (!number_slots::is_number(b)) return Py_NewRef(Py_NotImplemented);
            return check(PyObject_RichCompare(concrete_number(a).get(), concrete_number(b).get(), how));
        }
        bool answer = false;
        switch (how) {
            case Py_EQ: answer = detail::sizes_equal(*x, *y); break;
            case Py_NE: answer = !detail::sizes_equal(*x, *y); break;
            case Py_LT: answer = !detail::size_at_least(*x, *y); break;
            case Py_LE: answer = detail::size_at_least(*y, *x); break;
            case Py_GT: answer = !detail::size_at_least(*y, *x); break;
            default: answer = detail::size_at_least(*x, *y);
        }
        return PyBool_FromLong(answer);
    });
}

PyObject* rounded(PyObject* self, PyObject* args) {
    return guarded([&] {
        const Ref method = own(PyObject_GetAttrString(concrete_size(self).get(), "__round__"));
        return check(PyObject_Call(method.get(), args, nullptr));
    });
}

PyObject* whole(PyObject* self, PyObject*) { return number_slots::converted<PyNumber_Long>(self); }

// As the int.
PyObject* as_ufunc_operand(PyObject*, PyObject* args, PyObject* keywords) {
    return number_slots::as_ufunc_operand(args, keywords, [](PyObject* operand, bool) { return concrete_number(operand); });
}

PyMethodDef methods[] = {{"__array__", number_slots::with_keywords(number_slots::as_array), METH_VARARGS | METH_KEYWORDS, nullptr},
                         {"__array_ufunc__", number_slots::with_keywords(as_ufunc_operand), METH_VARARGS | METH_KEYWORDS, nullptr},
                         {"__format__", number_slots::format, METH_O, nullptr},
                         {"__round__", rounded, METH_VARARGS, nullptr},
                         {"__trunc__", whole, METH_NOARGS, nullptr},
                         {"__floor__", whole, METH_NOARGS, nullptr},
                         {"__ceil__", whole, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

// The range of an integer dtype, as far as sizes go.
std::pair<std::int64_t, std::int64_t> range_of(Dtype dtype) {
    const bool is_signed = kind_of(dtype) == 'i';
    const int bits = static_cast<int>(8 * itemsize_of(dtype)) - (is_signed ? 1 : 0);
    const std::int64_t high = bits >= 62 ? (std::int64_t{1} << 61) : (std::int64_t{1} << bits) - 1;
    return {is_signed ? -high - 1 : 0, high};
}

}  // namespace

std::optional<std::int64_t> small_int(PyObject* object) {
    if (!PyLong_CheckExact(object)) return std::nullopt;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    constexpr long long most = 1LL << 40;
    if (overflow != 0 || value >= most || value <= -most) return std::nullopt;
    return value;
}

PyObject* size_object(std::int64_t size) {
    if (!detail::is_symbolic(size)) return check(PyLong_FromLongLong(size));
    auto* object = reinterpret_cast<SizeObject*>(check(size_type->tp_alloc(size_type, 0)));
    object->size = size;
    object->recording = detail::recording_of_sizes();
    return reinterpret_cast<PyObject*>(object);
}

PyObject* int_object(const array& value) {
    const std::optional<std::int64_t> size = detail::size_from(value);
    return size ? size_object(*size) : check(PyLong_FromLongLong(value.item<std::int64_t>()));
}

std::optional<std::int64_t> recorded_size(PyObject* object) {
    if (is_size(object)) return raw_of(object);
    if (recording == nullptr || !is_ndarray(object)) return std::nullopt;
    const array& value = value_of(object);
    if (!value.is_recorded() || value.ndim() != 0 || !is_integer(value.dtype())) return std::nullopt;
    return detail::size_from(value);
}

Ref concrete_size(PyObject* size) {
    note_size_read();
    return own(PyLong_FromLongLong(detail::concretize(raw_of(size))));
}

std::int64_t size_of(PyObject* object) {
    const std::optional<std::int64_t> size = recorded_size(object);
    if (size) return *size;
    const std::int64_t number = with_size_errors([object] { return to_index(object); });
    check_size(number);
    return number;
}

void check_size(std::int64_t number) {
    if (detail::is_symbolic(number))
        raise(PyExc_ValueError, "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.");
}

std::optional<array> size_as_array(PyObject* object, Dtype dtype) {
    const std::int64_t size = raw_of(object);
    if (dtype == Dtype::bool_) return std::nullopt;
    if (is_integer(dtype)) {
        const auto [low, high] = range_of(dtype);
        if (!detail::size_at_least(size, low) || !detail::size_at_least(high, size)) return std::nullopt;
    }
    return detail::size_value(size).astype(dtype);
}

bool sizes_as_arrays(const char* ufunc, PyObject* const* operands, std::vector<Ref>& made) {
    static constexpr std::array exact{std::string_view("add"),        std::string_view("subtract"),      std::string_view("multiply"),
                                      std::string_view("divide"),     std::string_view("minimum"),       std::string_view("maximum"),
                                      std::string_view("equal"),      std::string_view("not_equal"),     std::string_view("less"),
                                      std::string_view("less_equal"), std::string_view("greater_equal"), std::string_view("greater"),
                                      std::string_view("remainder"),  std::string_view("floor_divide"),  std::string_view("fmod"),
                                      std::string_view("hypot"),      std::string_view("arctan2")};
    if (std::find(exact.begin(), exact.end(), ufunc) == exact.end()) return false;
    const int which = is_size(operands[0]) ? 0 : 1;
    PyObject* other = operands[1 - which];
    if (!is_ndarray(other)) return false;
    const Dtype beside = value_of(other).dtype();
    const std::optional<array> size = size_as_array(operands[which], beside == Dtype::bool_ ? Dtype::int64 : beside);
    if (!size) return false;
    made = {Ref::borrow(other), Ref::borrow(other)};
    made[static_cast<std::size_t>(which)] = own(wrap(*size));
    return true;
}

void add_size(PyObject* module) {
#define SLOT(name, function) {name, reinterpret_cast<void*>(function)}
    using detail::SizeOp;
    PyType_Slot slots[] = {SLOT(Py_nb_add, (binary<SizeOp::add, add_floats>)),
                           SLOT(Py_nb_subtract, (binary<SizeOp::subtract, subtract_floats>)),
                           SLOT(Py_nb_multiply, (binary<SizeOp::multiply, multiply_floats>)),
                           SLOT(Py_nb_floor_divide, (binary<SizeOp::floor_divide, number_slots::plain<PyNumber_FloorDivide>>)),
                           SLOT(Py_nb_remainder, remainder),
                           SLOT(Py_nb_true_divide, divide_floats),
                           SLOT(Py_nb_divmod, number_slots::plain<PyNumber_Divmod>),
                           SLOT(Py_nb_lshift, number_slots::plain<PyNumber_Lshift>),
                           SLOT(Py_nb_rshift, number_slots::plain<PyNumber_Rshift>),
                           SLOT(Py_nb_and, number_slots::plain<PyNumber_And>),
                           SLOT(Py_nb_or, number_slots::plain<PyNumber_Or>),
                           SLOT(Py_nb_xor, number_slots::plain<PyNumber_Xor>),
                           SLOT(Py_nb_power, power_of),
                           SLOT(Py_nb_negative, negative),
                           SLOT(Py_nb_positive, number_slots::positive),
                           SLOT(Py_nb_absolute, absolute),
                           SLOT(Py_nb_invert, number_slots::converted<PyNumber_Invert>),
                           SLOT(Py_nb_int, number_slots::converted<PyNumber_Long>),
                           SLOT(Py_nb_index, number_slots::converted<PyNumber_Index>),
                           SLOT(Py_nb_float, number_slots::converted<PyNumber_Float>),
                           SLOT(Py_nb_bool, truth),
                           SLOT(Py_tp_hash, number_slots::hash),
                           SLOT(Py_tp_richcompare, compare),
                           SLOT(Py_tp_repr, number_slots::converted<PyObject_Repr>),
                           SLOT(Py_tp_str, number_slots::converted<PyObject_Str>),
                           {Py_tp_methods, methods},
                           {0, nullptr}};
#undef SLOT
    PyType_Spec spec = {"fastnp._core._Size", sizeof(SizeObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    size_type = add_type(module, "_Size", spec);
}

}  // namespace fastnp::python
