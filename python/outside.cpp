#include "outside.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fastnp/detail/memory.h"
#include "fastnp/detail/size.h"
#include "fastnp/device.h"
#include "number.h"
#include "size.h"

namespace fastnp::python {

namespace {

// What a result's parts are, in a character. Arrays are handed over in C order; behind one that lies otherwise is how.
constexpr char array_part = 'A', read_only_part = 'r', scalar_part = 'S', float_part = 'F', int_part = 'J', plain_part = 'p', group_part = '(',
               end_part = ')';

bool is_plain(PyObject* object) { return object == Py_None || PyBool_Check(object) || PyUnicode_CheckExact(object) || PyBytes_CheckExact(object); }

bool overlaps(const Extent& mine, std::span<const array> operands) {
    return std::any_of(operands.begin(), operands.end(), [&](const array& operand) {
        const Extent other = extent_of(operand);
        return mine.first < other.second && other.first < mine.second;
    });
}

// Whether it is a view of one of these arrays: without elements it overlaps nothing.
bool is_part_of(PyObject* object, std::span<PyObject* const> arrays) {
    const auto is_one = [&](PyObject* base) { return std::find(arrays.begin(), arrays.end(), base) != arrays.end(); };
    for (PyObject* base = PyArray_BASE(as_numpy(object)); base != nullptr; base = PyArray_Check(base) ? PyArray_BASE(as_numpy(base)) : nullptr) {
        if (is_one(base)) return true;
    }
    return is_one(object);
}

// Whether they have an element in common.
bool share(PyObject* a, PyObject* b) {
    const Extent first = extent_of(as_numpy(a)), second = extent_of(as_numpy(b));
    if (a == b || first.first >= second.second || second.first >= first.second) return a == b;
    static PyObject* function = nullptr;
    kept_attribute(function, "numpy", "shares_memory");
    return is_true(own(PyObject_CallFunctionObjArgs(function, a, b, nullptr)).get());
}

struct Apart {
    std::span<const array> operands;
    detail::Given given{};
    std::span<PyObject* const> handed{};  // arrays that stand for the operands
    std::vector<PyObject*> made{};        // arrays so far

    void note(char part) { given.structure.push_back(part); }

    void add(PyObject* object) {
        if (PyArray_CheckExact(object)) return add_array(object);
        if (is_ndarray(object) && reinterpret_cast<NdArray*>(object)->scalar) return add(own(numpy_scalar(value_of(object))).get());
        if (is_ndarray(object) && add_at_device(value_of(object))) return;
        if (is_ndarray(object)) return add_array(own(numpy_view(value_of(object), object)).get());
        if (PyArray_IsScalar(object, Generic)) {
            if (!is_supported(object)) throw RecordError("calls a function that gives a NumPy scalar of a dtype that fastnp does not have");
            note(scalar_part);
            given.arrays.push_back(to_array(object));
        } else if (PyFloat_CheckExact(object)) {
            note(float_part);
            given.arrays.emplace_back(PyFloat_AS_DOUBLE(object));
        } else if (const auto number = small_int(object)) {
            note(int_part);
            given.arrays.emplace_back(*number);
        } else if (is_plain(object)) {
            note(plain_part);
            const Ref text = own(PyLong_CheckExact(object) ? PyNumber_ToBase(object, 16) : PyObject_Repr(object));
            given.structure += PyUnicode_AsUTF8(text.get());
        } else if (PyTuple_CheckExact(object) || PyList_CheckExact(object) || is_namedtuple(object)) {
            note(group_part);
            given.structure += Py_TYPE(object)->tp_name;
            for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) add(PySequence_Fast_GET_ITEM(object, i));
            note(end_part);
        } else {
            throw RecordError(std::string("calls a function that gives a ") + Py_TYPE(object)->tp_name);
        }
    }

    // What was drawn on a device stays there.
    bool add_at_device(const array& made) {
        if (!detail::is_at_device(made) || !made.is_c_contiguous() || overlaps(extent_of(made), operands)) return false;
        note(array_part);
        given.arrays.push_back(made);
        return true;
    }

    // Its memory becomes the compiled function's own, so it must not be that of an operand.
    void add_array(PyObject* object) {
        if (!is_supported(object)) throw RecordError("calls a function that gives a NumPy array of a dtype that fastnp does not have");
        if (overlaps(extent_of(as_numpy(object)), operands) || is_part_of(object, handed))
            throw RecordError("calls a function that gives a view of its argument");
        for (PyObject* other : made) {
            if (share(other, object)) throw RecordError("calls a function that gives several arrays over one memory");
        }
        made.push_back(object);
        note(array_part);
        if (PyArray_ISWRITEABLE(as_numpy(object)) == 0) note(read_only_part);
        const Likeness likeness(as_numpy(object));
        given.structure += likeness.text();
        given.arrays.push_back(from_numpy(as_numpy(likeness.whole().get())));
    }
};

struct Together {
    std::span<const array> arrays;
    std::size_t next = 0;

    // As what was given lies.
    static array as_given(const array& lined, PyObject* object) {
        const Ref seen = PyArray_CheckExact(object) ? Ref::borrow(object) : own(unread_view(value_of(object), object));
        const array made = Likeness(as_numpy(seen.get())).again(lined);
        return PyArray_ISWRITEABLE(as_numpy(seen.get())) != 0 ? made : broadcast_to(made, detail::symbolic_shape(made));
    }

    Ref make(PyObject* object) {
        if (PyArray_CheckExact(object) || is_ndarray(object)) return own(wrap(as_given(arrays[next++], object)));
        if (PyArray_IsScalar(object, Generic)) return own(wrap(arrays[next++], nullptr, true));
        if (PyFloat_CheckExact(object)) return own(float_object(arrays[next++]));
        if (small_int(object)) return own(int_object(arrays[next++]));
        if (is_plain(object)) return Ref::borrow(object);
        Ref items = own(PyList_New(0));
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i)
            check(PyList_Append(items.get(), make(PySequence_Fast_GET_ITEM(object, i)).get()));
        if (PyList_CheckExact(object)) return items;
        if (PyTuple_CheckExact(object)) return own(PyList_AsTuple(items.get()));
        return own(PyObject_CallMethod(reinterpret_cast<PyObject*>(Py_TYPE(object)), "_make", "(O)", items.get()));
    }
};

// An operand as it lies in the program: its value at hand may lie in any way.
array as_recorded(const array& value, const Lying& lying) {
    if (value.ndim() == 0 || detail::is_at_device(value) || lying == lying_of(value.shape(), value.strides(), itemsize_of(value.dtype()))) return value;
    const Ref owner = own(wrap(value));
    const Ref seen = own(numpy_view(value, owner.get()));
    return from_numpy(as_numpy(laid(as_numpy(seen.get()), lying).part.get()));
}

// While a function of the outside runs, this thread is in no recording.
class Pause {
public:
    Pause() : before_(std::exchange(recording, nullptr)) {}
    ~Pause() { recording = before_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

private:
    Recording* before_;
};

}  // namespace

Performed perform(const OutsideCall& call, const Flat& flat, std::span<const array> operands, bool saves) {
    const Pause pause;
    std::vector<array> values(operands.begin(), operands.end());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = as_recorded(values[i], call.lying[i]);
    const std::vector<array> given = values;
    std::vector<PyObject*> made(values.size(), nullptr);
    const bool is_native = is_true(own(PyObject_GetAttrString(call.function.get(), "native")).get());
    const bool as_numpy = !is_native || flat.numpy_results();
    const Ref args(put_together(call.args, flat, values, made.data(), as_numpy));
    const Ref kwargs(put_together(call.kwargs, flat, values, made.data(), as_numpy));
    Performed done;
    done.function = Ref::borrow(call.function.get());
    if (saves) done.state = own(PyObject_CallMethod(done.function.get(), "save", nullptr));
    const Ref function = own(PyObject_GetAttrString(done.function.get(), "call"));
    try {
        done.result = own(PyObject_Call(function.get(), args.get(), kwargs.get()));
        Apart apart{.operands = given, .handed = made};
        apart.add(done.result.get());
        done.given = std::move(apart.given);
    } catch (...) {  // whatever it is goes on, once the draws are taken back
        if (saves) take_back(done);
        throw;
    }
    return done;
}

bool is_steady_draw(const Performed& call) {
    const Ref is_numpy = own(PyObject_GetAttrString(call.function.get(), "is_numpy_draw")),
              source = own(PyObject_GetAttrString(call.function.get(), "source"));
    const std::string& parts = call.given.structure;
    if (parts == std::string(1, plain_part) + "None") return source.get() != Py_None;  // it is given a seed, or a state
    return is_true(is_numpy.get()) && parts.size() == 1 && (parts[0] == array_part || parts[0] == scalar_part || parts[0] == float_part);
}

void take_back(const Performed& call) {
    if (!call.state) throw InternalError("a compiled function starts over after its last draw of random numbers");
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);  // what the call raised may be on its way
    own(PyObject_CallMethod(call.function.get(), "restore", "(O)", call.state.get()));
    PyErr_Restore(type, value, trace);
}

Ref recorded_result(PyObject* result, std::span<const array> arrays) { return Together{arrays}.make(result); }

}  // namespace fastnp::python
