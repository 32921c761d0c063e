// Dtypes, NumPy arrays and Python numbers as fastnp's, and back.
#include "convert.h"

#include "tape.h"

#include "elements.h"
#include "exchange.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/once.h"
#include "fastnp/detail/shared.h"
#include "fastnp/detail/size.h"
#include "fastnp/detail/transform.h"
#include "fastnp/device.h"
#include "float_errors.h"
#include "foreign.h"
#include "lent.h"
#include "number.h"
#include "number_list.h"
#include "overrides.h"
#include "size.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace fastnp::python {

namespace {

constexpr int numpy_numbers[dtype_count] = {NPY_BOOL,   NPY_INT8, NPY_UINT8,  NPY_INT16,   NPY_UINT16,  NPY_INT32,     NPY_UINT32,    NPY_INT64,
                                            NPY_UINT64, NPY_HALF, NPY_NOTYPE, NPY_FLOAT32, NPY_FLOAT64, NPY_COMPLEX64, NPY_COMPLEX128};

// NumPy's type number -> dtype + 1, 0 where there is none.
constexpr std::array<std::uint8_t, 32> dtypes_by_number = [] {
    std::array<std::uint8_t, 32> table{};
    for (int i = 0; i < dtype_count; ++i) {
        if (numpy_numbers[i] != NPY_NOTYPE) table[static_cast<std::size_t>(numpy_numbers[i])] = static_cast<std::uint8_t>(i + 1);
    }
    table[NPY_LONGLONG] = static_cast<std::uint8_t>(Dtype::int64) + 1;
    table[NPY_ULONGLONG] = static_cast<std::uint8_t>(Dtype::uint64) + 1;
    return table;
}();

// ml_dtypes' bfloat16, if it is installed; borrowed.
PyArray_Descr* bfloat16_descr() {
    static PyArray_Descr* descr = nullptr;
    if (descr == nullptr) {
        const Ref type = import_attribute("ml_dtypes", "bfloat16");
        if (PyArray_DescrConverter(type.get(), &descr) == 0) throw PythonError{};
    }
    return descr;
}

bool is_bfloat16(PyArray_Descr* descr) {
    if (descr->type_num < NPY_USERDEF || PyDataType_ELSIZE(descr) != 2 || descr->typeobj == nullptr) return false;
    return std::string_view(descr->typeobj->tp_name).ends_with("bfloat16");
}

}  // namespace

void drop(PyObject* object) {
    if (Py_IsInitialized() == 0) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(object);
    PyGILState_Release(state);
}

PyArray_Descr* descr_of(Dtype dtype) {
    if (dtype == Dtype::bfloat16) return reinterpret_cast<PyArray_Descr*>(Py_NewRef(reinterpret_cast<PyObject*>(bfloat16_descr())));
    return PyArray_DescrFromType(numpy_numbers[static_cast<int>(dtype)]);
}

std::pair<double, double> integers_of(Dtype dtype) {
    const bool is_signed = kind_of(dtype) == 'i';
    const double above = std::ldexp(1.0, 8 * static_cast<int>(itemsize_of(dtype)) - (is_signed ? 1 : 0));
    return {is_signed ? -above : 0.0, above};
}

std::optional<Dtype> dtype_of_descr(PyArray_Descr* descr) {
    const int number = descr->type_num;
    if (number >= 0 && number < 32) {
        const std::uint8_t found = dtypes_by_number[static_cast<std::size_t>(number)];
        if (found != 0 && PyArray_ISNBO(descr->byteorder)) return static_cast<Dtype>(found - 1);
        return std::nullopt;
    }
    return is_bfloat16(descr) ? std::optional(Dtype::bfloat16) : std::nullopt;
}

bool is_supported(PyObject* object) {
    if (PyArray_CheckExact(object)) return dtype_of_descr(PyArray_DESCR(as_numpy(object))).has_value();
    if (!PyArray_IsScalar(object, Generic)) return false;
    const Ref descr = own(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(object)));
    return dtype_of_descr(reinterpret_cast<PyArray_Descr*>(descr.get())).has_value();
}

std::optional<Dtype> to_dtype(PyObject* object) {
    if (object == nullptr || object == Py_None) return std::nullopt;
    if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "bfloat16") == 0) return Dtype::bfloat16;
    if (is_ndarray(object)) raise(PyExc_TypeError, "Cannot construct a dtype from an array");  // though it has one
    Ref made;
    if (PyType_Check(object) && object != reinterpret_cast<PyObject*>(&PyArrayDescr_Type) &&
        PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object), &PyArrayDescr_Type) != 0) {  // numpy.dtypes.Float64DType
        made = Ref(PyObject_CallNoArgs(object));
        if (!made) {  // it takes parameters
            PyErr_Clear();
            throw NeedsNumpy{};
        }
        object = made.get();
    }
    PyArray_Descr* descr = nullptr;
    if (PyArray_DescrConverter(object, &descr) == 0) throw PythonError{};
    const Ref held(reinterpret_cast<PyObject*>(descr));
    const std::optional<Dtype> dtype = dtype_of_descr(descr);
    if (!dtype) throw NeedsNumpy{};
    return dtype;
}

Casting to_casting(PyObject* object) {
    if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "same_value") == 0) throw NeedsNumpy{};  // which looks at the values
    NPY_CASTING casting = NPY_SAME_KIND_CASTING;
    if (PyArray_CastingConverter(object, &casting) == 0) throw PythonError{};
    switch (casting) {
        case NPY_NO_CASTING: return Casting::no;
        case NPY_EQUIV_CASTING: return Casting::equiv;
        case NPY_SAFE_CASTING: return Casting::safe;
        case NPY_SAME_KIND_CASTING: return Casting::same_kind;
        case NPY_UNSAFE_CASTING: return Casting::unsafe;
        default: throw NeedsNumpy{};
    }
}

bool shares_memory(PyArrayObject* source) { return PyArray_ISALIGNED(source) && dtype_of_descr(PyArray_DESCR(source)).has_value(); }

array from_numpy(PyArrayObject* source) {
    std::optional<Dtype> dtype = dtype_of_descr(PyArray_DESCR(source));
    Ref copied;
    if (!dtype || !PyArray_ISALIGNED(source)) {
        if (!dtype && PyArray_ISNBO(PyArray_DESCR(source)->byteorder)) throw NeedsNumpy{};
        copied = own(PyArray_FromAny(reinterpret_cast<PyObject*>(source), PyArray_DescrNewByteorder(PyArray_DESCR(source), NPY_NATIVE), 0, 0,
                                     NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED, nullptr));
        source = as_numpy(copied.get());
        dtype = dtype_of_descr(PyArray_DESCR(source));
        if (!dtype) throw NeedsNumpy{};
    }
    const std::size_t rank = static_cast<std::size_t>(PyArray_NDIM(source));
    Shape shape(std::span<const std::int64_t>(PyArray_DIMS(source), rank));
    Strides strides(std::span<const std::int64_t>(PyArray_STRIDES(source), rank));
    const Lent lent = lent_by(reinterpret_cast<PyObject*>(source));
    try {
        return array::from_memory(PyArray_DATA(source), *dtype, std::move(shape), std::move(strides), lent, PyArray_ISWRITEABLE(source));
    } catch (...) {
        lent();
        throw;
    }
}

namespace {

array from_numpy_scalar(PyObject* object) {
    const Ref descr(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(object)));
    if (!descr) throw PythonError{};
    const std::optional<Dtype> dtype = dtype_of_descr(reinterpret_cast<PyArray_Descr*>(descr.get()));
    if (!dtype) throw NeedsNumpy{};
    alignas(16) char element[32];
    PyArray_ScalarAsCtype(object, element);
    return array::from_elements(element, *dtype, Shape{});
}

// Lists and tuples with fastnp arrays in them would be read element by element through __array__; views make it NumPy's own business. So is one that
// contains itself.
Ref with_views(PyObject* object, const Nesting* outer = nullptr) {
    if (is_ndarray(object)) return own(readable_view(object, "numpy.asarray"));
    const Nesting here{object, outer};
    if ((PyList_CheckExact(object) || PyTuple_CheckExact(object)) && here.is_array_like()) {
        const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
        Ref copied;
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyObject* item = PySequence_Fast_GET_ITEM(object, i);
            if (!copied && !is_ndarray(item) && !PyList_CheckExact(item) && !PyTuple_CheckExact(item)) continue;
            Ref converted = with_views(item, &here);
            if (converted.get() == item) continue;
            if (!copied) copied = own(PySequence_List(object));
            check(PyList_SetItem(copied.get(), i, converted.release()));
        }
        if (copied) return copied;
    }
    return Ref::borrow(object);
}

// np.array([x, y]) of recorded arrays and numbers is a stack, as NumPy would make it of their values.
bool holds_recorded(PyObject* object, const Nesting* outer = nullptr) {
    if (is_number_list(object)) return true;
    const Nesting here{object, outer};
    if ((!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) || !here.is_array_like()) return false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
        PyObject* item = PySequence_Fast_GET_ITEM(object, i);
        if (is_ndarray(item) ? records_with(item) : is_recorded_number(item) || holds_recorded(item, &here)) return true;
    }
    return false;
}

// The items of a list that an array can be made of.
std::span<PyObject*> items_of(const Nesting& list) {
    if (!list.is_array_like()) throw ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape.");
    return {PySequence_Fast_ITEMS(list.object), static_cast<std::size_t>(PySequence_Fast_GET_SIZE(list.object))};
}

array stack_of(PyObject* sequence, const Nesting* outer = nullptr) {
    if (is_number_list(sequence)) return number_list_elements(sequence);
    const Nesting here{sequence, outer};
    std::vector<Operand> operands;
    std::vector<Dtype> dtypes;
    for (PyObject* item : items_of(here)) {
        if (is_recorded_number(item)) operands.push_back(to_array(item));  // it follows the arguments
        else operands.push_back(holds_recorded(item) ? Operand(stack_of(item, &here)) : to_operand(item));
        if (const array* x = operands.back().as_array()) dtypes.push_back(x->dtype());
        else dtypes.push_back(array(*operands.back().as_scalar()).dtype());  // as numpy.array finds it: numbers are not weak there
    }
    const Dtype dtype = result_type(dtypes);
    std::vector<array> parts;
    for (const Operand& operand : operands)
        parts.push_back(operand.as_array() != nullptr ? operand.as_array()->astype(dtype) : array(*operand.as_scalar(), dtype));
    return stack(parts, 0).copy(Order::c);
}

constexpr const char* unfit = "sets an element to a number that does not fit";

// That a float which is recorded lies in the range of integers of a dtype, cut off.
void expect_float_to_fit(const array& given, Dtype dtype) {
    if (recording == nullptr || detail::is_mapped(given)) return;
    const auto [least, above] = integers_of(dtype);
    const bool is_long = least < 0 && itemsize_of(dtype) == 8;
    const array wide = given.astype(Dtype::float64);
    // Of 64 bits no float lies right below the least one.
    const array fits = logical_and(less(wide, Scalar(above)), is_long ? greater_equal(wide, Scalar(least)) : greater(wide, Scalar(least - 1)));
    if (!static_cast<bool>(fits)) refuse(unfit);
}

// As stack_of, where the dtype is given: each number is converted by itself, and has to fit.
array elements_within(PyObject* object, Dtype dtype, const Nesting* outer) {
    const Nesting here{object, outer};
    if (is_number_list(object)) return number_list_elements(object, dtype);
    if (holds_recorded(object)) {
        std::vector<array> parts;
        for (PyObject* item : items_of(here)) parts.push_back(elements_within(item, dtype, &here));
        return stack(parts, 0).copy(Order::c);
    }
    if (is_size(object)) {
        if (dtype == Dtype::bool_) return detail::size_value(size_of(object)).astype(dtype);
        const std::optional<array> fitting = size_as_array(object, dtype);
        return fitting ? *fitting : converted_to(own(PyNumber_Long(object)).get(), dtype);
    }
    if (is_recorded_float(object)) {
        if (is_integer(dtype)) expect_float_to_fit(float_value(object), dtype);
        return to_operand_beside(object, dtype).as_array()->astype(dtype);
    }
    if (!is_ndarray(object)) return converted_to(object, dtype);
    note_lost_parts(object, dtype);
    expect_to_fit(object, dtype);
    return value_of(object).astype(dtype);
}

std::optional<Scalar> python_integer(PyObject* object) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) {
        if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError{};
        return Scalar(static_cast<std::int64_t>(value));
    }
    if (overflow > 0) {
        const unsigned long long wide = PyLong_AsUnsignedLongLong(object);
        if (PyErr_Occurred() == nullptr) return Scalar(static_cast<std::uint64_t>(wide));
        PyErr_Clear();
    }
    return std::nullopt;
}

// The weak scalar that a Python number is; nothing for other objects, NumPy's scalars among them.
std::optional<Scalar> python_number(PyObject* object) {
    if (PyFloat_CheckExact(object)) return Scalar(PyFloat_AS_DOUBLE(object));
    if (PyBool_Check(object)) return Scalar(object == Py_True);
    if (is_size(object)) return Scalar(to_index(object));
    if (is_recorded_float(object)) return Scalar(float_value(object).item<double>());
    if (PyLong_Check(object) && !PyArray_IsScalar(object, Generic)) {
        std::optional<Scalar> value = python_integer(object);
        if (!value) throw NeedsNumpy{};
        return value;
    }
    if (PyComplex_Check(object) && !PyArray_IsScalar(object, Generic)) {
        const Py_complex value = PyComplex_AsCComplex(object);
        return Scalar(std::complex<double>(value.real, value.imag));
    }
    if (PyFloat_Check(object) && !PyArray_IsScalar(object, Generic)) return Scalar(PyFloat_AS_DOUBLE(object));
    return std::nullopt;
}

}  // namespace

namespace {

// Memory that NumPy made for a list or a scalar.
array from_made(PyObject* made) {
    array value = from_numpy(as_numpy(made));
    if (!records()) return value;
    // The recording's own: each call of the compiled function makes it anew.
    return PyArray_IS_C_CONTIGUOUS(as_numpy(made)) ? array::from_elements(value.data(), value.dtype(), value.shape()) : value.copy();
}

// Whether to_operand would take it as it is, to be converted by the checks of fastnp.
bool is_small_number(PyObject* object) {
    if (!PyLong_CheckExact(object)) return PyFloat_CheckExact(object) || PyBool_Check(object) || PyComplex_CheckExact(object);
    int overflow = 0;
    (void)PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow == 0;
}

}  // namespace

static bool is_array(PyObject* object) { return is_ndarray(object) || PyArray_Check(object) || is_foreign(object); }

bool is_plain(PyObject* object) { return !is_array(object) && !is_recorded_number(object) && !holds_recorded(object); }

array converted_to(PyObject* object, Dtype dtype, int rank) {
    const Ref plain = without_lost_parts(with_views(object).get(), dtype);
    const ToldByNumpy told;
    return from_made(own(PyArray_FromAny(plain.get(), descr_of(dtype), 0, rank, NPY_ARRAY_FORCECAST, nullptr)).get());
}

void expect_to_fit(PyObject* value, Dtype dtype) {
    if (recording == nullptr || !is_ndarray(value) || !reinterpret_cast<NdArray*>(value)->scalar || kind_of(dtype) != 'i') return;
    const array& given = value_of(value);
    if (is_complex(given.dtype()) || can_cast(given.dtype(), dtype)) return;
    if (is_floating(given.dtype())) return expect_float_to_fit(given, dtype);
    if (detail::is_mapped(given)) return;
    const std::int64_t high = INT64_MAX >> (64 - 8 * static_cast<int>(itemsize_of(dtype)));
    array fits = less_equal(given, Scalar(high));
    if (kind_of(given.dtype()) == 'i') fits = logical_and(fits, greater_equal(given, Scalar(-high - 1)));
    if (!static_cast<bool>(fits)) refuse(unfit);
}

array elements_of(PyObject* object, Dtype dtype) { return elements_within(object, dtype, nullptr); }

namespace {

// A scalar that lies on a device, where not all of its dtype's values fit: NumPy looks at a scalar's value.
bool is_value_asked(PyObject* object, Dtype dtype) {
    if (recording != nullptr || !is_ndarray(object) || !reinterpret_cast<NdArray*>(object)->scalar) return false;
    const array& value = value_of(object);
    return !value.is_recorded() && detail::is_at_device(value) && !can_cast(value.dtype(), dtype);
}

}  // namespace

Operand to_assigned(PyObject* object, Dtype dtype, std::optional<int> rank) {
    if (is_value_asked(object, dtype)) return to_assigned(own(numpy_scalar(value_of(object))).get(), dtype, rank);
    if (dtype == Dtype::bfloat16 || is_small_number(object) || is_array(object) || is_recorded_number(object)) return to_operand(object);
    if (holds_recorded(object)) return elements_of(object, dtype);
    const bool is_set_alone = rank && (*rank <= 0 || PyArray_IsScalar(object, Generic));
    if (!is_set_alone) return converted_to(object, dtype, rank.value_or(0));
    const Ref element = own(PyArray_NewFromDescr(&PyArray_Type, descr_of(dtype), 0, nullptr, nullptr, nullptr, 0, nullptr));
    const Ref key = rank == 0 ? Ref::borrow(Py_Ellipsis) : own(PyTuple_New(0));
    const Ref number = without_lost_parts(object, dtype);
    const ToldByNumpy told;
    check(PyObject_SetItem(element.get(), key.get(), number.get()));
    return from_made(element.get());
}

array to_array(PyObject* object) {
    if (is_ndarray(object)) return value_of(object);
    if (is_recorded_float(object)) return float_value(object).copy();
    if (is_size(object)) return detail::size_value(size_of(object));
    if (PyArray_Check(object)) {
        note_foreign(as_numpy(object));
        array made = from_numpy(as_numpy(object));
        if (recording != nullptr) made.set_writable(false);  // a constant of the recording
        return made;
    }
    if (PyArray_IsScalar(object, Generic)) return from_numpy_scalar(object);
    if (is_foreign(object)) {
        if (recording != nullptr)
            refuse(std::string("reads a ") + Py_TYPE(object)->tp_name + ", an array of another library, that is not among its arguments");
        return from_foreign(object);
    }
    if (holds_recorded(object)) return stack_of(object);
    const Ref plain = with_views(object);
    const ToldByNumpy told;
    return from_made(own(PyArray_FromAny(plain.get(), nullptr, 0, 0, 0, nullptr)).get());
}

Operand to_operand(PyObject* object) {
    if (is_ndarray(object)) return value_of(object);
    if (PyArray_Check(object)) return to_array(object);
    if (const std::optional<Scalar> number = python_number(object)) return *number;
    return to_array(object);
}

Operand to_operand_beside(PyObject* object, Dtype dtype) {
    if (is_recorded_float(object)) return float_value(object).astype(is_inexact(dtype) ? dtype : Dtype::float64);
    if (is_size(object)) {
        if (const std::optional<array> size = size_as_array(object, dtype)) return *size;
    }
    return to_operand(object);
}

bool is_operand(PyObject* object) {
    if (is_recorded_number(object) || is_number_list(object)) return true;
    if (is_ndarray(object) || PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyArray_CheckExact(object) || PyBool_Check(object)) return true;
    if (PyComplex_CheckExact(object) || PyList_CheckExact(object) || PyTuple_CheckExact(object)) return true;
    const bool is_number = PyArray_IsScalar(object, Generic) || PyLong_Check(object) || PyFloat_Check(object);
    if (is_number || PyList_Check(object) || PyTuple_Check(object)) return !overrides(object);
    return is_foreign(object) || (PyObject_CheckBuffer(object) != 0 && !overrides(object));
}

PyObject* wrap(array value, PyObject* base, bool scalar) {
    auto* object = reinterpret_cast<NdArray*>(check(ndarray_type->tp_alloc(ndarray_type, 0)));
    new (&object->value) array(std::move(value));
    object->base = Py_XNewRef(base);
    object->counts_base = count_reference(base);
    object->weakrefs = nullptr;
    object->taped = nullptr;
    object->scalar = scalar;
    if (recording == nullptr && object->value.is_recorded()) note_taped(object);
    return reinterpret_cast<PyObject*>(object);
}

PyObject* numpy_scalar(const array& value) {
    alignas(16) std::byte element[16];
    detail::read_element(value, element);
    if (PyObject* made = scalar_at(value.dtype(), element)) return made;
    const Ref descr(reinterpret_cast<PyObject*>(descr_of(value.dtype())));
    return check(PyArray_Scalar(element, reinterpret_cast<PyArray_Descr*>(descr.get()), nullptr));
}

PyObject* wrap_scalar(array value) {
    if (value.ndim() != 0) return wrap(std::move(value));
    if (recording != nullptr || value.is_recorded()) return wrap(value.copy(), nullptr, true);  // NumPy's scalars are no views
    if (detail::is_at_device(value)) return wrap(std::move(value), nullptr, true);  // read when it is used: the device may be long in coming
    return numpy_scalar(value);
}

Scalar to_scalar(PyObject* object) {
    if (const std::optional<Scalar> number = python_number(object)) return *number;
    if (PyArray_IsScalar(object, Generic) || PyArray_Check(object)) {
        const Ref item = own(PyObject_CallMethod(object, "item", nullptr));
        if (const std::optional<Scalar> number = python_number(item.get())) return *number;
        throw NeedsNumpy{};
    }
    if (is_ndarray(object)) {
        keep_derivative(value_of(object), "an argument that is a plain number");
        keep_number(object, "an argument that is a plain number");
        const Ref view = own(readable_copy(object, "a plain number"));
        return to_scalar(view.get());
    }
    throw NeedsNumpy{};
}

Scalar to_initial(PyObject* object, Dtype elements) {
    if (PyArray_IsScalar(object, Generic)) {
        const Dtype given = to_array(object).dtype();
        const bool is_negative = kind_of(given) == 'i' && kind_of(elements) == 'u';
        if (is_negative || (is_complex(given) && !is_complex(elements)) || (is_inexact(given) && !is_inexact(elements))) throw NeedsNumpy{};
    }
    return to_scalar(object);
}

array undifferentiated(const array& value) { return value.is_recorded() && detail::is_marked(value) ? stop_gradient(value) : value; }

bool is_true(PyObject* object) {
    const int truth = PyObject_IsTrue(object);
    check(truth);
    return truth != 0;
}

bool is_missing(PyObject* object) {
    if (object == nullptr || object == Py_None) return true;
    static PyObject* no_value = nullptr;
    kept_attribute(no_value, "numpy", "_NoValue");
    return object == no_value;
}

}  // namespace fastnp::python
