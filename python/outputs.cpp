// Results of compiled functions: taken apart once, while recording, and put together at each call.
#include "pytree.h"

#include <algorithm>

#include "fastnp/detail/memory.h"
#include "fastnp/detail/size.h"
#include "number.h"
#include "size.h"

namespace fastnp::python {

namespace {

// Values that may be handed out again at every call, since nobody can change them.
bool is_immutable(PyObject* object) {
    if (object == Py_None || object == Py_Ellipsis || PyBool_Check(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object)) return true;
    if (PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) || PyComplex_CheckExact(object) || PyRange_Check(object)) return true;
    if (PySlice_Check(object)) {  // of numbers that vary, perhaps
        const auto* const slice = reinterpret_cast<PySliceObject*>(object);
        return is_immutable(slice->start) && is_immutable(slice->stop) && is_immutable(slice->step);
    }
    return PyArray_IsScalar(object, Generic) || PyArray_DescrCheck(object) || PyType_Check(object) || PyCFunction_Check(object) || PyModule_Check(object);
}

// Whether it stands for an object that a call of the outside made, which others may be given.
bool stands_for_made(PyObject* object) {
    static PyObject* type = nullptr;
    kept_attribute(type, "fastnp._made", "Made");
    return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type;
}

// Whether it is an array of NumPy's that nobody but the result holds: the function made it, of nothing that was recorded.
// A large one is not kept: the function runs as written.
bool is_made_anew(PyObject* object) {
    constexpr npy_intp most_bytes = 1 << 20;
    if (!PyArray_CheckExact(object) || Py_REFCNT(object) != 1) return false;
    const auto* const x = reinterpret_cast<PyArrayObject*>(object);
    if (PyArray_NBYTES(x) > most_bytes || !PyArray_ISWRITEABLE(x) || PyDataType_REFCHK(PyArray_DESCR(x))) return false;
    const bool is_whole = PyArray_IS_C_CONTIGUOUS(x) || PyArray_IS_F_CONTIGUOUS(x);  // else a copy would lie otherwise
    PyObject* const base = PyArray_BASE(x);
    return is_whole && (base == nullptr ? PyArray_CHKFLAGS(x, NPY_ARRAY_OWNDATA) : is_made_anew(base));
}

Output plain(PyObject* object) {
    Output output;
    output.object = Ref::borrow(object);
    return output;
}

struct Apart {
    const Rebuild& arguments;
    PyObject* originals;
    HandedOut& out;
    int depth = 0;
    static constexpr int deepest = 256;

    struct Within {
        int& depth;
        explicit Within(int& now) : depth(now) {
            if (++depth > deepest) throw RecordError("returns containers nested too deeply");
        }
        Within(const Within&) = delete;
        ~Within() { --depth; }
    };

    // Each call makes containers anew, so one that is in two places would become two.
    void once(PyObject* container) {
        if (std::find(out.containers.begin(), out.containers.end(), container) != out.containers.end()) {
            throw RecordError(std::string("hands out one ") + Py_TYPE(container)->tp_name + " twice");
        }
        out.containers.push_back(container);
    }

    Output array_output(PyObject* object) {
        Output output;
        const int argument = out.by_value ? -1 : arguments.argument_of(object);
        if (argument >= 0) {
            output.kind = Output::Kind::argument;
            output.index = argument;
            return output;
        }
        output.kind = Output::Kind::array;
        output.scalar = reinterpret_cast<NdArray*>(object)->scalar;
        if (!out.by_value && !output.scalar) output.base = arguments.memory_of(object);
        std::vector<PyObject*>& arrays = out.arrays;
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            if (arrays[i] == object) {
                output.index = static_cast<int>(i);
                return output;
            }
        }
        output.index = static_cast<int>(arrays.size());
        arrays.push_back(object);
        return output;
    }

    Output number(PyObject* object) {
        Output output;
        output.index = out.by_value ? -1 : arguments.argument_of(object);
        output.kind = Output::Kind::argument;
        if (output.index >= 0) return output;
        out.held.push_back(own(wrap(is_size(object) ? detail::size_value(size_of(object)) : float_value(object))));
        output = array_output(out.held.back().get());
        output.kind = Output::Kind::number;
        return output;
    }

    Output argument_list(PyObject* object) const {
        Output output;
        output.kind = Output::Kind::argument;
        output.index = out.by_value ? -1 : arguments.argument_of(object);
        if (output.index < 0) refuse_number_list(object, "hands out a list");
        return output;
    }

    static Output copied(PyObject* array) {
        Output output = plain(array);
        output.kind = Output::Kind::copied;
        return output;
    }

    Output group(Output::Kind kind, PyObject* sequence, Ref object = {}) {
        Output output;
        output.kind = kind;
        output.object = std::move(object);
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) output.children.push_back(any(PySequence_Fast_GET_ITEM(sequence, i)));
        return output;
    }

    Output mapping(PyObject* dict) {
        Output output;
        output.kind = Output::Kind::dict;
        const Ref keys = own(PyDict_Keys(dict));
        output.object = own(PyList_AsTuple(keys.get()));
        const Ref values = own(PyDict_Values(dict));
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys.get()); ++i) {
            if (!is_immutable(PyList_GET_ITEM(keys.get(), i))) throw RecordError("returns a dict whose keys are not plain values");
            output.children.push_back(any(PyList_GET_ITEM(values.get(), i)));
        }
        return output;
    }

    Output set(PyObject* object) {
        const Ref items = own(PySequence_List(object));
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
            if (!is_immutable(PyList_GET_ITEM(items.get(), i))) throw RecordError("returns a set of something else than plain values");
        }
        Output output;
        output.kind = Output::Kind::set;
        output.object = own(PySet_New(object));
        output.scalar = PyFrozenSet_CheckExact(object);
        const Ref given = own(PySet_New(output.object.get())), order = own(PySequence_List(given.get()));
        const int is_same = PyObject_RichCompareBool(order.get(), items.get(), Py_EQ);
        check(is_same);
        if (is_same == 0) throw RecordError("returns a set whose items are in another order than those of a copy");
        return output;
    }

    // The type itself, not its twin.
    Ref type_of(PyObject* object) const {
        auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
        PyObject* original = PyDict_GetItemWithError(originals, own(PyLong_FromVoidPtr(type)).get());
        return Ref::borrow(original != nullptr ? original : type);
    }

    Output any(PyObject* object) {
        const Within within(depth);
        const Ref id = own(PyLong_FromVoidPtr(object));
        if (PyObject* original = PyDict_GetItemWithError(originals, id.get())) return plain(original);
        if (const int container = out.by_value ? -1 : arguments.container_of(object); container >= 0) {
            Output output;
            output.kind = Output::Kind::container;
            output.index = container;
            return output;
        }
        if (is_number_list(object)) return argument_list(object);
        if (is_ndarray(object)) return array_output(object);
        if (is_recorded_number(object)) return number(object);
        if (is_immutable(object)) return plain(object);
        if (PyTuple_CheckExact(object)) return group(Output::Kind::tuple, object);
        if (out.by_value && stands_for_made(object)) return plain(object);
        if (!out.by_value && is_made_anew(object)) return copied(object);
        once(object);
        if (PyList_CheckExact(object)) return group(Output::Kind::list, object);
        if (PyDict_CheckExact(object)) return mapping(object);
        if (PyAnySet_CheckExact(object)) return set(object);
        if (is_namedtuple(object)) return group(Output::Kind::named, object, type_of(object));
        if (is_dataclass(object)) {
            const Ref fields = own(PyObject_GenericGetDict(object, nullptr));
            Output output;
            output.kind = Output::Kind::dataclass;
            output.object = type_of(object);
            output.children.push_back(mapping(fields.get()));
            return output;
        }
        throw RecordError(std::string("returns a ") + Py_TYPE(object)->tp_name + ", which can't be kept from one call to the next");
    }
};

}  // namespace

Output take_apart(PyObject* result, const Rebuild& arguments, PyObject* originals, HandedOut& out) { return Apart{arguments, originals, out}.any(result); }

static PyObject* python_number(const array& value) {
    if (value.dtype() == Dtype::float64) return check(PyFloat_FromDouble(value.item<double>()));
    return check(PyLong_FromLongLong(value.item<std::int64_t>()));
}

// A view of an argument, which is its base; null where it lies elsewhere in this call (on a device).
static PyObject* view_of_argument(array& value, PyObject* argument, bool as_numpy) {
    if (detail::is_at_device(value)) return nullptr;
    const auto* address = static_cast<const char*>(detail::address_of(value));
    if (as_numpy && PyArray_CheckExact(argument)) {
        const auto [low, high] = extent_of(reinterpret_cast<PyArrayObject*>(argument));
        return address >= low && address <= high ? numpy_view(value, argument) : nullptr;
    }
    if (as_numpy || !is_ndarray(argument)) return nullptr;
    const auto [low, high] = extent_of(value_of(argument));
    if (address < low || address > high) return nullptr;
    PyObject* base = reinterpret_cast<NdArray*>(argument)->base;
    return wrap(std::move(value), base != nullptr ? base : argument);
}

PyObject* result_array(array value, const Output& output, const Flat& call, bool as_numpy) {
    const bool is_scalar = output.scalar && value.ndim() == 0;
    if (is_scalar && (as_numpy || !detail::is_at_device(value))) return numpy_scalar(value);
    if (output.base >= 0) {
        PyObject* made = view_of_argument(value, call.objects[static_cast<std::size_t>(output.base)], as_numpy);
        if (made != nullptr) return made;
    }
    PyObject* object = wrap(std::move(value), nullptr, is_scalar);
    if (!as_numpy) return object;
    const Ref owner(object);
    return numpy_view(value_of(object), object);
}

PyObject* put_together(const Output& output, const Flat& call, std::vector<array>& results, PyObject** made, bool as_numpy) {
    switch (output.kind) {
        case Output::Kind::plain: return Py_NewRef(output.object.get());
        case Output::Kind::copied: return check(PyArray_NewCopy(fastnp::python::as_numpy(output.object.get()), NPY_KEEPORDER));
        case Output::Kind::argument: return Py_NewRef(call.objects[static_cast<std::size_t>(output.index)]);
        case Output::Kind::number: return python_number(results[static_cast<std::size_t>(output.index)]);
        case Output::Kind::container: return Py_NewRef(call.containers[static_cast<std::size_t>(output.index)]);
        case Output::Kind::set: return check(output.scalar ? PyFrozenSet_New(output.object.get()) : PySet_New(output.object.get()));
        case Output::Kind::array: {
            PyObject*& object = made[output.index];
            if (object == nullptr) object = result_array(std::move(results[static_cast<std::size_t>(output.index)]), output, call, as_numpy);
            else Py_INCREF(object);
            return object;
        }
        case Output::Kind::dict: {
            Ref dict = own(PyDict_New());
            for (std::size_t i = 0; i < output.children.size(); ++i) {
                const Ref value(put_together(output.children[i], call, results, made, as_numpy));
                check(PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(output.object.get(), static_cast<Py_ssize_t>(i)), value.get()));
            }
            return dict.release();
        }
        case Output::Kind::dataclass: {
            const Ref values(put_together(output.children[0], call, results, made, as_numpy));
            Ref object = own(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__new__", "O", output.object.get()));
            const Ref fields = own(PyObject_GenericGetDict(object.get(), nullptr));
            check(PyDict_Update(fields.get(), values.get()));
            return object.release();
        }
        default: break;
    }
    const auto count = static_cast<Py_ssize_t>(output.children.size());
    const bool is_list = output.kind == Output::Kind::list;
    Ref sequence = own(is_list ? PyList_New(count) : PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* item = put_together(output.children[static_cast<std::size_t>(i)], call, results, made, as_numpy);
        if (is_list) PyList_SET_ITEM(sequence.get(), i, item);
        else PyTuple_SET_ITEM(sequence.get(), i, item);
    }
    if (output.kind == Output::Kind::named) return check(PyObject_CallMethod(output.object.get(), "_make", "(O)", sequence.get()));
    return sequence.release();
}

constexpr int deepest_converted = 32;

// Nothing of fastnp's, nor anything that could hold it.
static bool stays_as_it_is(PyObject* object) {
    return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) || PyUnicode_CheckExact(object) || object == Py_None ||
           PyArray_CheckExact(object) || PyArray_IsScalar(object, Number);
}

static bool all_stay(PyObject* sequence) {
    PyObject* const* items = PySequence_Fast_ITEMS(sequence);
    return std::all_of(items, items + PySequence_Fast_GET_SIZE(sequence), stays_as_it_is);
}

Ref with_numpy_arrays(PyObject* result, const Nesting* outer) {
    if (stays_as_it_is(result) || ((PyTuple_CheckExact(result) || PyList_CheckExact(result)) && all_stay(result))) return Ref::borrow(result);
    if (is_ndarray(result) && reinterpret_cast<NdArray*>(result)->scalar) return own(numpy_scalar(value_of(result)));
    if (is_ndarray(result)) return own(numpy_view(value_of(result), result));
    const Nesting here{result, outer};
    if (here.depth > deepest_converted || here.is_in_itself()) return Ref::borrow(result);
    if (PyTuple_CheckExact(result) || is_namedtuple(result)) {
        Ref items = own(PyTuple_New(PyTuple_GET_SIZE(result)));
        bool changed = false;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i) {
            Ref item = with_numpy_arrays(PyTuple_GET_ITEM(result, i), &here);
            changed = changed || item.get() != PyTuple_GET_ITEM(result, i);
            PyTuple_SET_ITEM(items.get(), i, item.release());
        }
        if (!changed) return Ref::borrow(result);
        if (PyTuple_CheckExact(result)) return items;
        return own(PyObject_CallMethod(reinterpret_cast<PyObject*>(Py_TYPE(result)), "_make", "(O)", items.get()));
    }
    if (PyList_CheckExact(result)) {
        const Ref items = own(PyList_AsTuple(result));
        const Ref converted = with_numpy_arrays(items.get(), &here);
        return converted.get() == items.get() ? Ref::borrow(result) : own(PySequence_List(converted.get()));
    }
    if (PyDict_CheckExact(result)) {
        const Ref values = own(PyDict_Values(result));
        const Ref converted = with_numpy_arrays(values.get(), &here);
        if (converted.get() == values.get()) return Ref::borrow(result);
        Ref dict = own(PyDict_New());
        Py_ssize_t position = 0, at = 0;
        PyObject *key = nullptr, *value = nullptr;
        while (PyDict_Next(result, &position, &key, &value) != 0) check(PyDict_SetItem(dict.get(), key, PyList_GET_ITEM(converted.get(), at++)));
        return dict;
    }
    return Ref::borrow(result);
}

}  // namespace fastnp::python
