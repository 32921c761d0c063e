// reshape, transpose, concatenate, take, sort, matmul and their kin: bodies of functions.def.
#include <algorithm>
#include <vector>

#include "elements.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/size.h"
#include "function_bodies.h"
#include "size.h"

namespace fastnp::python {

namespace {

std::vector<array> to_arrays(PyObject* sequence) {
    if (is_ndarray(sequence) || PyArray_Check(sequence)) {
        const Ref items = own(PySequence_List(sequence));
        return to_arrays(items.get());
    }
    if (PySequence_Check(sequence) == 0) raise(PyExc_TypeError, "arrays to stack must be passed as a \"sequence\" type such as list or tuple.");
    const Ref items = own(PySequence_Fast(sequence, "arrays to stack must be passed as a \"sequence\" type such as list or tuple."));
    std::vector<array> arrays;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) arrays.push_back(to_array(PySequence_Fast_GET_ITEM(items.get(), i)));
    return arrays;
}

Shape normalized(PyObject* axes, int rank, const char* what) {
    Shape list;
    if (is_ndarray(axes) || PyArray_Check(axes)) throw NeedsNumpy{};  // an array of axes is a number or a sequence
    const Ref items = own(PyIndex_Check(axes) ? PyTuple_Pack(1, axes) : PySequence_Tuple(axes));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) list.push_back(to_index(PyTuple_GET_ITEM(items.get(), i)));
    for (std::int64_t& axis : list) {
        if (axis != static_cast<int>(axis)) throw NeedsNumpy{};  // which has other words for these
        if (axis < -rank || axis >= rank) {
            throw AxisError((what[0] == 0 ? "" : std::string(what) + ": ") + "axis " + std::to_string(axis) + " is out of bounds for array of dimension " +
                            std::to_string(rank));
        }
        if (axis < 0) axis += rank;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (std::find(list.begin(), list.begin() + i, list[i]) != list.begin() + i) {
            throw ValueError(what[0] == 0 ? "repeated axis" : std::string("repeated axis in `") + what + "` argument");
        }
    }
    return list;
}

// kind= and stable= of sorts: whether equal elements must keep their order.
bool is_stable(PyObject* kind, PyObject* order, PyObject* stable) {
    if (!is_missing(order)) throw NeedsNumpy{};
    if (!is_missing(stable)) return is_true(stable);
    if (is_missing(kind)) return false;
    if (!PyUnicode_Check(kind)) throw NeedsNumpy{};
    const std::string text = PyUnicode_AsUTF8(kind);
    if (text != "quicksort" && text != "heapsort" && text != "stable" && text != "mergesort") throw NeedsNumpy{};
    return text == "stable" || text == "mergesort";
}

// axis= of sorts, whose default is the last and None is the flattened array.
std::optional<int> sort_axis(PyObject* axis) { return axis == nullptr ? std::optional(-1) : to_axis(axis); }

}  // namespace

PyObject* reshape_body(PyObject** v) {
    const array x = to_array(v[0]);
    const array result = reshape(x, to_sizes(v[1]), to_order(v[2], Order::c));
    if (is_missing(v[3]) || detail::is_beside(result, x) != is_true(v[3])) return wrap_view(result, v[0]);
    if (!is_true(v[3])) raise(PyExc_ValueError, "Unable to avoid creating a copy while reshaping.");
    return wrap(result.copy());
}

PyObject* ravel_body(PyObject** v) {
    if (PyObject* view = v[1] == nullptr ? quick_flat(v[0]) : nullptr) return view;
    return wrap_view(ravel(to_array(v[0]), to_order(v[1], Order::c)), v[0]);
}

PyObject* transpose_body(PyObject** v) {
    std::optional<Shape> axes;
    if (!is_missing(v[1])) axes = PyTuple_Check(v[1]) || PyList_Check(v[1]) ? Shape(to_axes(v[1]).list()) : to_shape(v[1]);
    return wrap_view(transpose(to_array(v[0]), axes), v[0]);
}

PyObject* matrix_transpose_body(PyObject** v) {
    const array x = to_array(v[0]);
    if (x.ndim() < 2) throw ValueError("Input array must be at least 2-dimensional, but it is " + std::to_string(x.ndim()));
    return wrap_view(swapaxes(x, -1, -2), v[0]);
}

namespace {
int axis_of(PyObject* object) {
    const std::optional<int> axis = to_axis(object);
    if (!axis) throw NeedsNumpy{};
    return *axis;
}
}  // namespace

PyObject* swapaxes_body(PyObject** v) { return wrap_view(swapaxes(to_array(v[0]), axis_of(v[1]), axis_of(v[2])), v[0]); }

PyObject* swapaxes_method_body(PyObject** v) { return swapaxes_body(v); }

PyObject* moveaxis_body(PyObject** v) {
    const array x = to_array(v[0]);
    const Shape source = normalized(v[1], x.ndim(), "source");
    const Shape destination = normalized(v[2], x.ndim(), "destination");
    if (source.size() != destination.size()) throw ValueError("`source` and `destination` arguments must have the same number of elements");
    std::vector<std::int64_t> order;
    for (int axis = 0; axis < x.ndim(); ++axis) {
        if (std::find(source.begin(), source.end(), axis) == source.end()) order.push_back(axis);
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> moves;
    for (std::size_t i = 0; i < source.size(); ++i) moves.emplace_back(destination[i], source[i]);
    std::sort(moves.begin(), moves.end());
    for (const auto& [to, from] : moves) order.insert(order.begin() + to, from);
    return wrap_view(transpose(x, Shape(order.begin(), order.end())), v[0]);
}

PyObject* expand_dims_body(PyObject** v) {
    array x = to_array(v[0]);
    if (is_ndarray(v[1]) || PyArray_Check(v[1])) throw NeedsNumpy{};
    if (!PyTuple_Check(v[1]) && !PyList_Check(v[1])) return wrap_view(expand_dims(x, axis_of(v[1])), v[0]);
    const int rank = x.ndim() + static_cast<int>(PySequence_Fast_GET_SIZE(v[1]));
    Shape axes = normalized(v[1], rank, "");
    std::sort(axes.begin(), axes.end());
    for (const std::int64_t axis : axes) x = expand_dims(x, static_cast<int>(axis));
    return wrap_view(std::move(x), v[0]);
}

PyObject* squeeze_body(PyObject** v) {
    const array x = to_array(v[0]);
    array result = squeeze(x, to_axes(v[1]));
    const bool is_same = is_missing(v[1]) && result.ndim() == x.ndim() && is_ndarray(v[0]);
    return is_same ? Py_NewRef(v[0]) : wrap_view(std::move(result), v[0]);
}

// NumPy compares the items of a shape with 0, and these are arrays where the shape is one of several axes.
static void expect_numbers(PyObject* shape) {
    if (!is_ndarray(shape) && !PyArray_Check(shape)) return;
    const Ref sizes = own(PyObject_GetAttrString(shape, "shape"));
    const Ref size = own(PyObject_GetAttrString(shape, "size"));
    if (PyTuple_GET_SIZE(sizes.get()) < 2) return;
    if (is_true(own(PyObject_RichCompare(size.get(), PyTuple_GET_ITEM(sizes.get(), 0), Py_GT)).get())) {
        throw ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()");
    }
}

PyObject* broadcast_to_body(PyObject** v) {
    expect_numbers(v[1]);
    const bool is_scalar = is_ndarray(v[0]) && reinterpret_cast<NdArray*>(v[0])->scalar;
    if (is_scalar) return wrap(broadcast_to(to_array(v[0]).copy(), to_sizes(v[1])));  // it lends no memory: a view of an array that is made of it
    array result = broadcast_to(to_array(v[0]), to_sizes(v[1]));
    return result.ndim() == 0 ? wrap(std::move(result)) : wrap_view(std::move(result), v[0]);
}

PyObject* flip_body(PyObject** v) {
    const array x = to_array(v[0]);
    if (x.ndim() == 0 && is_missing(v[1])) return wrap_scalar(x);  // x[()]
    if (!is_missing(v[1]) && (is_ndarray(v[1]) || PyArray_Check(v[1]))) throw NeedsNumpy{};
    if (is_missing(v[1]) || !PyBool_Check(v[1])) return wrap_view(flip(x, to_axes(v[1])), v[0]);
    return wrap_view(flip(x, Axes(to_int(v[1]))), v[0]);  // where bools are numbers
}

namespace {
// The dtype of arrays and Python's numbers, which are weak among them; bools aren't.
Dtype common_dtype(const std::vector<Operand>& operands) {
    std::vector<Dtype> dtypes;
    std::vector<WeakKind> weak;
    for (const Operand& operand : operands) {
        const Scalar* number = operand.as_scalar();
        if (number == nullptr) dtypes.push_back(operand.as_array()->dtype());
        else if (number->kind() == WeakKind::boolean) dtypes.push_back(Dtype::bool_);
        else weak.push_back(number->kind());
    }
    return result_type(dtypes, weak);
}

// What is joined as lines. Numbers take the dtype of all, unless that is said.
std::vector<array> to_lines(PyObject* sequence, bool has_dtype) {
    if (is_ndarray(sequence) || PyArray_Check(sequence)) {
        std::vector<array> rows = to_arrays(sequence);
        for (array& row : rows) row = reshape(row, {-1});
        return rows;
    }
    const Ref items = own(PySequence_Fast(sequence, "The first input argument needs to be a sequence"));
    std::vector<Operand> operands;
    std::vector<array> lines;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
        PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
        operands.push_back(to_operand(item));
        lines.push_back(reshape(operands.back().as_scalar() != nullptr ? to_array(item) : *operands.back().as_array(), {-1}));
    }
    if (lines.empty() || has_dtype) return lines;
    const Dtype dtype = common_dtype(operands);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (operands[i].as_scalar() != nullptr) lines[i] = lines[i].astype(dtype);
    }
    return lines;
}

PyObject* joined(PyObject** v, bool new_axis) {
    only_defaults({v[2]});
    if (v[4] != nullptr && v[3] == nullptr) throw NeedsNumpy{};
    std::vector<array> arrays = v[1] == Py_None ? to_lines(v[0], !is_missing(v[3])) : to_arrays(v[0]);
    int axis = 0;
    if (v[1] == Py_None) {
        if (new_axis) throw NeedsNumpy{};
    } else if (v[1] != nullptr) {
        if (!new_axis) refuse_bool(v[1], "an integer is required for the axis");
        axis = axis_of(v[1]);
    }
    const std::optional<Dtype> dtype = to_dtype(v[3]);
    if (dtype) {
        const Casting casting = v[4] == nullptr ? Casting::same_kind : to_casting(v[4]);
        for (array& x : arrays) {
            if (!can_cast(x.dtype(), *dtype, casting)) throw NeedsNumpy{};
            x = x.astype(*dtype);
        }
    }
    return wrap(new_axis ? stack(arrays, axis) : concatenate(arrays, axis));
}
}  // namespace

PyObject* concatenate_body(PyObject** v) { return joined(v, false); }
PyObject* stack_body(PyObject** v) { return joined(v, true); }

PyObject* take_body(PyObject** v) {
    only_defaults({v[3]});
    TakeMode mode = TakeMode::raise;
    if (v[4] != nullptr) {
        if (!PyUnicode_Check(v[4])) throw NeedsNumpy{};
        const std::string text = PyUnicode_AsUTF8(v[4]);
        if (text == "wrap") mode = TakeMode::wrap;
        else if (text == "clip") mode = TakeMode::clip;
        else if (text != "raise") throw NeedsNumpy{};
    }
    refuse_bool(v[2], "an integer is required for the axis");
    return wrap_scalar(take(to_array(v[0]), to_operand(v[1]), to_axis(v[2]), mode));
}

PyObject* sort_body(PyObject** v) { return wrap(sort(to_array(v[0]), sort_axis(v[1]), is_stable(v[2], v[3], v[4]))); }
PyObject* argsort_body(PyObject** v) {
    refuse_bool(v[1], "an integer is required for the axis");
    return wrap(argsort(to_array(v[0]), sort_axis(v[1]), is_stable(v[2], v[3], v[4])));
}

PyObject* searchsorted_body(PyObject** v) {
    if (!is_missing(v[3])) throw NeedsNumpy{};
    Side side = Side::left;
    if (v[2] != nullptr) {
        if (!PyUnicode_Check(v[2])) throw NeedsNumpy{};
        const std::string text = PyUnicode_AsUTF8(v[2]);
        if (text == "right") side = Side::right;
        else if (text != "left") throw NeedsNumpy{};
    }
    const array sorted = to_array(v[0]);
    if (sorted.ndim() != 1) throw NeedsNumpy{};
    return wrap_scalar(searchsorted(sorted, to_array(v[1]), side));
}

PyObject* matmul_body(PyObject** v) {
    only_defaults({v[3]});
    const std::optional<array> out = to_out(v[2]);
    const array x = to_array(v[0]), y = to_array(v[1]);
    return finish(out ? detail::matmul_into(x, y, *out) : matmul(x, y), v[2]);
}
PyObject* dot_body(PyObject** v) {
    only_defaults({v[2]});
    return wrap_scalar(dot(to_array(v[0]), to_array(v[1])));
}
PyObject* outer_body(PyObject** v) {
    UfuncOptions options;
    options.out = to_out(v[2]);
    const array x = reshape(to_array(v[0]), {-1}), y = reshape(to_array(v[1]), {-1});
    return finish(multiply(x.index({ellipsis, newaxis}), y, options), v[2]);
}

namespace {
// A number, or anything that goes on to give some.
Axes summed_axes(PyObject* object) {
    const Ref items(PySequence_List(object));
    if (items) return to_axes(items.get());
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw PythonError{};
    PyErr_Clear();
    return to_axes(object);
}
}  // namespace

PyObject* tensordot_body(PyObject** v) {
    const array a = to_array(v[0]);
    const array b = to_array(v[1]);
    const Ref pair(v[2] == nullptr ? nullptr : PySequence_List(v[2]));
    if (!pair) {
        PyErr_Clear();
        return wrap(tensordot(a, b, v[2] == nullptr ? 2 : to_int(v[2])));
    }
    if (PyList_GET_SIZE(pair.get()) != 2) raise(PyExc_ValueError, "not enough values to unpack (expected 2)");
    return wrap(tensordot(a, b, summed_axes(PyList_GET_ITEM(pair.get(), 0)), summed_axes(PyList_GET_ITEM(pair.get(), 1))));
}

}  // namespace fastnp::python
