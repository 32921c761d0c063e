// Bodies of compat_padding.def.
#include "fastnp/numpy_compat/padding.h"

#include <algorithm>

#include "compat.h"
#include "numpy_api.h"

namespace fastnp::python {

namespace compat {

template <>
struct Words<PadMode> {
    static constexpr std::pair<std::string_view, PadMode> list[] = {
        {"constant", PadMode::constant}, {"edge", PadMode::edge},       {"linear_ramp", PadMode::linear_ramp},
        {"maximum", PadMode::maximum},   {"mean", PadMode::mean},       {"median", PadMode::median},
        {"minimum", PadMode::minimum},   {"reflect", PadMode::reflect}, {"symmetric", PadMode::symmetric},
        {"wrap", PadMode::wrap},         {"empty", PadMode::empty}};
};

}  // namespace compat

namespace {

// Signed ones, as NumPy asks of the widths of pads; or objects with sizes that vary among them.
bool are_integers(PyObject* numbers) {
    PyArrayObject* const plain = as_numpy(numbers);
    if (!PyTypeNum_ISOBJECT(PyArray_TYPE(plain))) return PyTypeNum_ISSIGNED(PyArray_TYPE(plain));
    const Ref items = own(PyArray_Ravel(plain, NPY_CORDER));
    bool has_sizes = false;
    for (npy_intp i = 0; i < PyArray_SIZE(as_numpy(items.get())); ++i) {
        const Ref item = own(PyArray_GETITEM(as_numpy(items.get()), static_cast<char*>(PyArray_GETPTR1(as_numpy(items.get()), i))));
        has_sizes = has_sizes || is_size(item.get());
        if (!is_size(item.get()) && !PyLong_Check(item.get())) return false;
    }
    return has_sizes;
}

// As numpy.asarray has it; of what is recorded what it is in the call at hand, which the recording is for.
Ref plain_array(PyObject* object) {
    const Ref read = is_ndarray(object) ? own(readable_copy(object, "numpy.pad")) : Ref::borrow(object);
    return own(PyArray_FromAny(read.get(), nullptr, 0, 0, 0, nullptr));
}

// What stands for one number that is recorded.
bool is_recorded_value(PyObject* object) { return is_ndarray(object) && value_of(object).ndim() == 0 && value_of(object).is_recorded(); }

// Pairs for all axes of what is one number, a pair, or pairs: the array of them, of NumPy's.
Ref paired(PyObject* numbers, int rank) {
    const Ref spread = import_attribute("numpy", "broadcast_to");
    return own(PyObject_CallFunction(spread.get(), "O(ii)", numbers, rank, 2));
}

using Widths = std::vector<std::pair<std::int64_t, std::int64_t>>;

Widths pairs_of_integers(PyObject* numbers, int rank) {
    const Ref integers = own(PyArray_FromAny(numbers, PyArray_DescrFromType(NPY_INT64), 0, 0, NPY_ARRAY_CARRAY, nullptr));
    const auto* first = static_cast<const std::int64_t*>(PyArray_DATA(as_numpy(integers.get())));
    const npy_intp count = PyArray_SIZE(as_numpy(integers.get()));
    if (std::any_of(first, first + count, [](std::int64_t each) { return each < 0; })) throw ValueError("index can't contain negative values");
    std::for_each(first, first + count, check_size);
    if (count == 1 || (count == 2 && PyArray_NDIM(as_numpy(integers.get())) == 1)) {
        return Widths(static_cast<std::size_t>(rank), {first[0], first[count - 1]});
    }
    const Ref whole = own(PyArray_FromAny(paired(integers.get(), rank).get(), nullptr, 2, 2, NPY_ARRAY_CARRAY, nullptr));
    const auto* each = static_cast<const std::int64_t*>(PyArray_DATA(as_numpy(whole.get())));
    Widths pairs;
    for (int i = 0; i < rank; ++i) pairs.emplace_back(each[2 * i], each[2 * i + 1]);
    return pairs;
}

bool is_number(PyObject* object) { return !PyBool_Check(object) && (PyLong_CheckExact(object) || recorded_size(object)); }

// A number, or a list or a tuple of one or two.
std::optional<std::pair<std::int64_t, std::int64_t>> width_of(PyObject* object) {
    if (is_number(object)) return std::pair(compat::to_number(object), compat::to_number(object));
    if (!PyTuple_Check(object) && !PyList_Check(object)) return std::nullopt;
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
    if (count != 1 && count != 2) return std::nullopt;
    PyObject *const first = PySequence_Fast_GET_ITEM(object, 0), *const last = PySequence_Fast_GET_ITEM(object, count - 1);
    if (!is_number(first) || !is_number(last)) return std::nullopt;
    return std::pair(compat::to_number(first), compat::to_number(last));
}

// Where each number can be told from its place: sizes stay what they are.
std::optional<Widths> simple_widths(PyObject* object, int rank) {
    if (rank == 0) return std::nullopt;
    if (const auto width = width_of(object)) return Widths(static_cast<std::size_t>(rank), *width);
    if ((!PyTuple_Check(object) && !PyList_Check(object)) || PySequence_Fast_GET_SIZE(object) != rank) return std::nullopt;
    Widths widths;
    for (int i = 0; i < rank; ++i) {
        PyObject* const item = PySequence_Fast_GET_ITEM(object, i);
        const auto width = width_of(item);
        const bool is_ragged = i > 0 && width && PySequence_Size(item) != PySequence_Size(PySequence_Fast_GET_ITEM(object, 0));
        if (!width || is_number(item) || is_ragged) return std::nullopt;
        widths.push_back(*width);
    }
    return widths;
}

Widths widths_of(PyObject* object, int rank) {
    refuse_bool(object, "`pad_width` must be of integral type.");
    if (PyDict_Check(object)) throw NeedsNumpy{};
    if (PySequence_Check(object) && PySequence_Size(object) == 0) throw NeedsNumpy{};  // for the error
    if (auto widths = simple_widths(object, rank)) {
        for (const auto& [before, after] : *widths) {
            const auto is_negative = [](std::int64_t width) { return detail::is_symbolic(width) ? !detail::size_at_least(width, 0) : width < 0; };
            if (is_negative(before) || is_negative(after)) throw ValueError("index can't contain negative values");
        }
        return std::move(*widths);
    }
    const Ref given = plain_array(object);
    if (!are_integers(given.get())) raise(PyExc_TypeError, "`pad_width` must be of integral type.");
    return pairs_of_integers(given.get(), rank);
}

// As numpy.pad has them: of one number or two, elements of an array; of more, Python's numbers, which are weak.
std::vector<std::pair<Operand, Operand>> pairs_of_values(PyObject* object, int rank) {
    if (is_recorded_value(object)) return {{value_of(object), value_of(object)}};
    if (!is_plain(object) && !PyArray_Check(object) && !is_ndarray(object)) throw NeedsNumpy{};
    const Ref values = plain_array(object);
    const npy_intp count = PyArray_SIZE(as_numpy(values.get()));
    const Ref whole = paired(values.get(), rank);
    if (count <= 2) {
        const array elements = to_array(whole.get());
        std::vector<std::pair<Operand, Operand>> pairs;
        for (int i = 0; i < rank; ++i) pairs.emplace_back(elements(i, 0), elements(i, 1));
        return pairs;
    }
    const Ref list = own(PyObject_CallMethod(whole.get(), "tolist", nullptr));
    std::vector<std::pair<Operand, Operand>> pairs;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
        PyObject* const pair = PyList_GET_ITEM(list.get(), i);
        pairs.emplace_back(to_scalar(PyList_GET_ITEM(pair, 0)), to_scalar(PyList_GET_ITEM(pair, 1)));
    }
    return pairs;
}

// One number for the whole border, which one operation puts there: as an array where it is recorded.
PyObject* padded_by_one(const array& x, const Widths& widths, PyObject* given) {
    const bool is_recorded = given != nullptr && is_recorded_value(given);
    if (!is_recorded) return wrap(pad(x, widths, given == nullptr ? Scalar(0) : to_scalar(given)));
    return wrap(where(pad(ones_like(x, Dtype::bool_), widths, Scalar(false)), pad(x, widths, Scalar(0)), value_of(given).astype(x.dtype())));
}

bool is_one(PyObject* object) {
    if (object == nullptr || is_recorded_value(object)) return true;
    return PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object) || PyArray_IsScalar(object, Generic);
}

bool is_statistic(PadMode mode) { return mode == PadMode::maximum || mode == PadMode::mean || mode == PadMode::median || mode == PadMode::minimum; }

}  // namespace

PyObject* pad_body(PyObject** v) {
    const PadMode mode = v[2] == nullptr ? PadMode::constant : compat::From<PadMode>::make(v[2]);
    const bool takes[] = {mode == PadMode::constant, mode == PadMode::linear_ramp, is_statistic(mode),
                          mode == PadMode::reflect || mode == PadMode::symmetric};
    for (int i = 0; i < 4; ++i) {
        if (v[3 + i] != nullptr && !takes[i]) throw NeedsNumpy{};  // for the error
    }
    const array x = to_array(v[0]);
    constexpr std::int64_t many = 8192;
    if (mode == PadMode::median && compat::may_leave(x) && x.size() > many) throw NeedsNumpy{};  // which does not sort all of it
    const Widths widths = widths_of(v[1], x.ndim());
    if (mode == PadMode::constant && is_one(v[3])) return padded_by_one(x, widths, v[3]);
    PadOptions options;
    options.mode = mode;
    PyObject* const values = mode == PadMode::constant ? v[3] : v[4];
    if (values != nullptr) options.values = pairs_of_values(values, x.ndim());
    else options.values = {{array(std::int64_t{0}), array(std::int64_t{0})}};
    if (!is_missing(v[5])) {
        const Ref lengths = plain_array(v[5]);
        if (!are_integers(lengths.get())) throw NeedsNumpy{};  // it rounds
        options.stat_length.clear();
        for (const auto& [before, after] : pairs_of_integers(lengths.get(), x.ndim())) {
            const bool is_extreme = mode == PadMode::maximum || mode == PadMode::minimum;
            if (is_extreme && (before == 0 || after == 0)) throw ValueError("stat_length of 0 yields no value for padding");  // whatever the widths
            options.stat_length.emplace_back(before, after);
        }
    }
    if (v[6] != nullptr) {
        if (!PyUnicode_Check(v[6])) throw NeedsNumpy{};
        options.odd = PyUnicode_CompareWithASCIIString(v[6], "odd") == 0;
    }
    return wrap(pad(x, widths, options));
}

}  // namespace fastnp::python
