#include "outside.h"

#include <algorithm>
#include <utility>

#include "fastnp/detail/memory.h"
#include "fastnp/detail/size.h"
#include "fastnp/device.h"
#include "number.h"
#include "size.h"

namespace fastnp::python {

namespace {

// What a result's parts are, in a character. Arrays are handed over in C order; behind one that lies in another order is the order of its axes.
constexpr char array_part = 'A', order_part = 'o', scalar_part = 'S', float_part = 'F', int_part = 'J', plain_part = 'p', group_part = '(', end_part = ')';

bool is_plain(PyObject* object) { return object == Py_None || PyBool_Check(object) || PyUnicode_CheckExact(object) || PyBytes_CheckExact(object); }

// The axes of an array from the slowest in memory to the fastest; none where that is their own order. Axes of one element stay where they are.
Shape order_of(PyArrayObject* x) {
    std::vector<std::int64_t> places, sorted;
    for (int axis = 0; axis < PyArray_NDIM(x); ++axis) {
        if (PyArray_DIM(x, axis) != 1) places.push_back(axis);
    }
    sorted = places;
    const auto step = [x](std::int64_t axis) { return std::abs(PyArray_STRIDE(x, static_cast<int>(axis))); };
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::int64_t a, std::int64_t b) { return step(a) > step(b); });
    if (PyArray_SIZE(x) == 0 || sorted == places) return {};
    Shape order;
    for (int axis = 0; axis < PyArray_NDIM(x); ++axis) order.push_back(axis);
    for (std::size_t i = 0; i < places.size(); ++i) order[static_cast<std::size_t>(places[i])] = sorted[i];
    return order;
}

bool overlaps(const Extent& mine, std::span<const array> operands) {
    return std::any_of(operands.begin(), operands.end(), [&](const array& operand) {
        const Extent other = extent_of(operand);
        return mine.first < other.second && other.first < mine.second;
    });
}

struct Apart {
    std::span<const array> operands;
    detail::Given given;

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
            const Ref text = own(PyObject_Repr(object));
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
        if (overlaps(extent_of(as_numpy(object)), operands)) throw RecordError("calls a function that gives a view of its argument");
        note(array_part);
        Shape order = order_of(as_numpy(object));
        for (const std::int64_t axis : order) given.structure += order_part + std::to_string(axis);
        PyArray_Dims axes{order.data(), static_cast<int>(order.size())};
        const Ref turned = order.empty() ? Ref::borrow(object) : own(PyArray_Transpose(as_numpy(object), &axes));
        const Ref lined = own(PyArray_FromArray(as_numpy(turned.get()), nullptr, NPY_ARRAY_CARRAY));
        given.arrays.push_back(from_numpy(as_numpy(lined.get())));
    }
};

struct Together {
    std::span<const array> arrays;
    std::size_t next = 0;

    // With its axes as those of what was given: one that lies in another order is a view.
    static array as_given(const array& lined, PyObject* object) {
        const Ref seen = PyArray_CheckExact(object) ? Ref::borrow(object) : own(unread_view(value_of(object), object));
        const Shape order = order_of(as_numpy(seen.get()));
        Shape back(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
        return order.empty() ? lined : transpose(lined, back);
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

Performed perform(const Action& call, const Flat& flat, std::span<const array> operands, bool saves) {
    const Pause pause;
    std::vector<array> values(operands.begin(), operands.end());
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
        Apart apart{operands, {}};
        apart.add(done.result.get());
        done.given = std::move(apart.given);
    } catch (...) {  // whatever it is goes on, once the draws are taken back
        if (saves) take_back(done);
        throw;
    }
    return done;
}

bool is_steady_draw(const Performed& call) {
    const Ref is_numpy = own(PyObject_GetAttrString(call.function.get(), "is_numpy_draw"));
    const std::string& parts = call.given.structure;
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
