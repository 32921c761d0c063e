#include "float_errors.h"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <numpy/ufuncobject.h>

#include "convert.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/quiet.h"

namespace fastnp::python {

namespace {

// Ufuncs of floats whose only instruction is theirs alone: a flag is the truth.
constexpr std::array<std::string_view, 8> certain = {"add", "subtract", "multiply", "divide", "sqrt", "square", "reciprocal", "negative"};

bool has(std::span<const std::string_view> names, std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }

// NumPy's bits of the flags.
int numpy_bits(unsigned flags) {
    return ((flags & detail::float_divide) != 0 ? NPY_FPE_DIVIDEBYZERO : 0) | ((flags & detail::float_overflow) != 0 ? NPY_FPE_OVERFLOW : 0) |
           ((flags & detail::float_underflow) != 0 ? NPY_FPE_UNDERFLOW : 0) | ((flags & detail::float_invalid) != 0 ? NPY_FPE_INVALID : 0);
}

void tell_by_name(const char* name, unsigned flags) {
    static int imported = 0;  // no guard: a thread that has the GIL would wait for one that imports, and wants it
    if (imported == 0) imported = _import_umath() >= 0 ? 1 : -1;
    if (flags == 0) return;
    if (imported < 0 || PyUFunc_GiveFloatingpointErrors(name, numpy_bits(flags)) < 0) throw PythonError{};
}

bool is_number(PyObject* object) { return PyFloat_CheckExact(object) != 0 || PyLong_CheckExact(object) != 0; }

// An argument as NumPy is to have it: views of arrays, in lists, too.
Ref plain(PyObject* object, int depth = 0) {
    if (is_ndarray(object)) return own(readable_view(object, "a floating-point error"));
    if ((!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) || depth > 8) return Ref::borrow(object);
    Ref items = own(PySequence_List(object));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
        check(PyList_SetItem(items.get(), i, plain(PyList_GET_ITEM(items.get(), i), depth + 1).release()));
    }
    return PyList_CheckExact(object) ? items : own(PyList_AsTuple(items.get()));
}

// Memory like an output's, to be written to in its place.
Ref spare(PyObject* output) {
    if (PyTuple_CheckExact(output)) {
        Ref made = own(PyTuple_New(PyTuple_GET_SIZE(output)));
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(output); ++i) PyTuple_SET_ITEM(made.get(), i, spare(PyTuple_GET_ITEM(output, i)).release());
        return made;
    }
    const Ref view = plain(output);
    if (!PyArray_Check(view.get())) return view;
    return own(PyArray_NewLikeArray(as_numpy(view.get()), NPY_KEEPORDER, nullptr, 0));
}

// Whether NumPy can't be asked: arrays on a device, which has no flags; bfloat16, which it has not.
bool is_not_numpys(PyObject* object, int depth = 0) {
    if (is_ndarray(object)) return value_of(object).dtype() == Dtype::bfloat16 || detail::is_at_device(value_of(object));
    if ((!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) || depth > 8) return false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
        if (is_not_numpys(PySequence_Fast_GET_ITEM(object, i), depth + 1)) return true;
    }
    return false;
}

bool may_share(PyObject* a, PyObject* b) {
    const Ref test = import_attribute("numpy", "may_share_memory");
    const Ref x = plain(a), y = plain(b);
    const Ref found = own(PyObject_CallFunctionObjArgs(test.get(), x.get(), y.get(), nullptr));
    return is_true(found.get());
}

// `of_array`: it is called as a method of an array, if it is one.
Ref numpy_function(const char* name, const char* method, bool of_array) {
    const std::string_view whole(name);
    PyObject* arrays = reinterpret_cast<PyObject*>(&PyArray_Type);
    if (whole.starts_with("ndarray.")) return own(PyObject_GetAttrString(arrays, name + 8));
    if (of_array && PyObject_HasAttrString(arrays, name) != 0) return own(PyObject_GetAttrString(arrays, name));
    const std::size_t dot = whole.find('.');  // "fft.fft"
    Ref found = dot == std::string_view::npos ? import_attribute("numpy", name)
                                              : import_attribute(("numpy." + std::string(whole.substr(0, dot))).c_str(), name + dot + 1);
    return method == nullptr ? found : own(PyObject_GetAttrString(found.get(), method));
}

}  // namespace

namespace {

thread_local bool is_numpy_asked = false;  // by the body of the function that is watched

}  // namespace

void ask_numpy() {
    if (records()) return;
    is_numpy_asked = true;
    detail::raise_float_flags(detail::float_invalid);
}

void note_float_state() {
    if (state_object() == recording->float_state) return;
    FloatErrors& errors = recording->float_errors;
    const FloatState state = float_state();
    errors.told |= state.told;
    errors.strict |= state.strict;
}

void refuse_on_devices() {
    const PyGILState_STATE gil = PyGILState_Ensure();
    const bool is_asked = float_state().strict != 0;
    if (is_asked)
        PyErr_SetString(PyExc_RuntimeError,
                        "a device tells no floating-point errors, which numpy.errstate asks for beyond warnings: compute on the host, or under "
                        "errstate(all='warn')");
    PyGILState_Release(gil);
    if (is_asked) throw PythonError{};
}

bool FloatWatch::is_output(Py_ssize_t place) const {
    if (place < nargs_) return place >= first_output_ && place < first_output_ + output_count_;
    return PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames_, place - nargs_), "out") == 0;
}

std::vector<PyObject*> FloatWatch::outputs() const {
    std::vector<PyObject*> found;
    const auto add = [&](PyObject* object) {
        if (is_ndarray(object) || PyArray_Check(object)) found.push_back(object);
    };
    for (Py_ssize_t i = 0; i < count(); ++i) {
        if (!is_output(i)) continue;
        if (!PyTuple_CheckExact(args_[i])) add(args_[i]);
        for (Py_ssize_t j = 0; PyTuple_CheckExact(args_[i]) && j < PyTuple_GET_SIZE(args_[i]); ++j) add(PyTuple_GET_ITEM(args_[i], j));
    }
    return found;
}

bool FloatWatch::is_silent() const {
    if (std::string_view(name_) != "clip" && !detail::is_quiet(name_)) return false;  // clip is made of maximum and minimum
    // What is written to, or has a dtype by name, may take a cast.
    const auto is_harmless = [](PyObject* name) {
        return PyUnicode_CompareWithASCIIString(name, "axis") == 0 || PyUnicode_CompareWithASCIIString(name, "keepdims") == 0;
    };
    for (Py_ssize_t i = 0; kwnames_ != nullptr && i < PyTuple_GET_SIZE(kwnames_); ++i) {
        if (!is_harmless(PyTuple_GET_ITEM(kwnames_, i))) return false;
    }
    if ((output_count_ != 0 && first_output_ < nargs_) || has_too_large_number()) return false;
    const auto is_real = [](PyObject* each) {
        if (PyArray_CheckExact(each)) return PyArray_ISFLOAT(as_numpy(each)) || PyArray_ISINTEGER(as_numpy(each)) || PyArray_ISBOOL(as_numpy(each));
        return is_number(each) || each == Py_None || (is_ndarray(each) && !is_complex(value_of(each).dtype()));
    };
    return (first_ == nullptr || is_real(first_)) && std::all_of(args_, args_ + nargs_, is_real);
}

// Whether the flags tell by themselves.
bool FloatWatch::is_certain() const {
    if (method_ != nullptr || kwnames_ != nullptr || !has(certain, name_)) return false;
    const bool takes_integers = std::string_view(name_) != "reciprocal";
    return std::all_of(args_, args_ + nargs_, [&](PyObject* each) {
        if (is_number(each)) return true;
        return is_ndarray(each) && (takes_integers ? !is_complex(value_of(each).dtype()) : is_floating(value_of(each).dtype()));
    });
}

// Whether a number of Python's is past what the array's dtype has.
bool FloatWatch::has_too_large_number() const {
    const auto is_too_large = [&](PyObject* number, PyObject* other) {
        if (!is_number(number) || !is_ndarray(other)) return false;
        const Dtype dtype = value_of(other).dtype();
        const double most = is_integer(dtype) && PyLong_CheckExact(number) ? integers_of(dtype).second - 1
                            : dtype == Dtype::float16                      ? 65504.0
                            : dtype == Dtype::float32                      ? static_cast<double>(std::numeric_limits<float>::max())
                                                                           : std::numeric_limits<double>::max();
        const double value = PyFloat_AsDouble(number);
        if (value == -1 && PyErr_Occurred() != nullptr) PyErr_Clear();  // an int beyond all floats, of which an error tells
        return std::isfinite(value) && std::abs(value) > most;
    };
    for (Py_ssize_t i = 0; i < nargs_; ++i) {
        for (Py_ssize_t j = first_ != nullptr ? -1 : 0; j < nargs_; ++j) {
            if (is_too_large(args_[i], j < 0 ? first_ : args_[j])) return true;
        }
    }
    return false;
}

namespace {

// Which of an operand's elements there are.
struct Found {
    bool positive = false, negative = false;  // infinities
    bool infinity() const { return positive || negative; }
};

template <class T>
Found found_in(const T* from, std::int64_t count) {
    using Work = std::conditional_t<std::is_same_v<T, float16_t>, float, T>;
    constexpr Work infinity = std::numeric_limits<Work>::infinity();
    Found found;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto x = static_cast<Work>(from[i]);
        found.positive |= x == infinity;
        found.negative |= x == -infinity;
    }
    return found;
}

// Nothing where it takes long to say.
std::optional<Found> found_in(PyObject* operand) {
    if (is_number(operand)) {
        const double number = PyFloat_AsDouble(operand);
        PyErr_Clear();
        return found_in(&number, 1);
    }
    if (!is_ndarray(operand)) return std::nullopt;
    const array& x = value_of(operand);
    if (!x.is_c_contiguous() || detail::is_at_device(x)) return std::nullopt;
    if (x.dtype() == Dtype::float64) return found_in(static_cast<const double*>(x.data()), x.size());
    if (x.dtype() == Dtype::float32) return found_in(static_cast<const float*>(x.data()), x.size());
    if (x.dtype() == Dtype::float16) return found_in(static_cast<const float16_t*>(x.data()), x.size());
    return std::nullopt;
}

}  // namespace

// Whether the operands have what makes an invalid operation in NumPy: infinities of both signs in a sum, one in a product, of matrices, too, which may
// have met a NaN first here.
bool FloatWatch::may_be_invalid() const {
    const std::string_view name(name_);
    const bool is_fold = method_ != nullptr && (std::string_view(method_) == "reduce" || std::string_view(method_) == "accumulate");
    const bool is_sum = name == "sum" || name == "mean" || name == "cumsum" || (is_fold && name == "add");
    const bool is_product = name == "prod" || name == "cumprod" || (is_fold && name == "multiply");
    const bool is_matrix_product = method_ == nullptr && first_ == nullptr && nargs_ == 2 && (name == "matmul" || name == "dot" || name == "inner");
    if (kwnames_ != nullptr || output_count_ != 0 || (!is_sum && !is_product && !is_matrix_product)) return true;
    if (is_matrix_product) {
        const std::optional<Found> first = found_in(args_[0]), second = found_in(args_[1]);
        return !first || !second || first->infinity() || second->infinity();
    }
    const std::optional<Found> found = found_in(first_ != nullptr ? first_ : args_[0]);
    return !found || (is_sum ? found->positive && found->negative : found->infinity());
}

void FloatWatch::keep_overwritten() {
    for (PyObject* output : outputs()) {
        if (is_ndarray(output)) set_result(value_of(output).dtype());
        else if (PyArray_Check(output) && PyArray_ISNUMBER(as_numpy(output)) && !PyArray_ISCOMPLEX(as_numpy(output))) set_result(Dtype::float64);
    }
    if (may_journal() && records() && FloatJournal::current() != nullptr) noted_ = std::make_unique<NotedArguments>(FloatJournal::noted(call()));
    if (is_silent() || is_certain() || records()) return;
    const std::vector<PyObject*> written = outputs();
    for (Py_ssize_t i = first_ != nullptr ? -1 : 0; i < count() && !written.empty(); ++i) {
        PyObject* const operand = i < 0 ? first_ : args_[i];
        if (!is_ndarray(operand) || is_not_numpys(operand) || (i >= 0 && is_output(i))) continue;
        if (std::none_of(written.begin(), written.end(), [&](PyObject* output) { return output == operand || may_share(output, operand); })) continue;
        const Ref view = plain(operand);
        kept_.emplace_back(operand, own(PyArray_NewCopy(as_numpy(view.get()), NPY_KEEPORDER)));
    }
}

Ref FloatWatch::argument(Py_ssize_t place) const {
    PyObject* const given = place < 0 ? first_ : args_[place];
    if (place >= 0 && is_output(place)) return spare(given);
    for (const auto& [operand, before] : kept_) {
        if (operand == given) return before;
    }
    return plain(given);
}

// The call by NumPy, which is made for what it says alone.
void FloatWatch::judge() const {
    std::vector<Ref> held;
    SmallVector<PyObject*, 8> given;
    for (Py_ssize_t i = first_ != nullptr ? -1 : 0; i < count(); ++i) given.push_back(held.emplace_back(argument(i)).get());
    const auto positional = static_cast<std::size_t>(nargs_ + (first_ != nullptr ? 1 : 0));
    const Ref function = numpy_function(name_, method_, first_ != nullptr);
    (void)own(PyObject_Vectorcall(function.get(), given.data(), positional, kwnames_));
}

namespace {

// Whether elements of that dtype lose the imaginary parts of an array's.
bool is_lost(PyObject* object, Dtype dtype) {
    if (object == nullptr || is_complex(dtype) || dtype == Dtype::bool_) return false;
    if (is_ndarray(object)) return is_complex(value_of(object).dtype());
    return PyArray_Check(object) && PyArray_ISCOMPLEX(as_numpy(object));
}

// The same of numbers and what is in lists.
bool is_lost_within(PyObject* object, Dtype dtype, int depth = 0) {
    if (object == nullptr || is_complex(dtype) || dtype == Dtype::bool_) return false;
    if ((!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) || depth > 8) {
        return PyComplex_Check(object) || PyArray_IsScalar(object, ComplexFloating) || is_lost(object, dtype);
    }
    PyObject** const items = PySequence_Fast_ITEMS(object);
    return std::any_of(items, items + PySequence_Fast_GET_SIZE(object), [&](PyObject* each) { return is_lost_within(each, dtype, depth + 1); });
}

}  // namespace

namespace {

// NumPy's state in which nothing is told.
PyObject* quiet_state() {
    static PyObject* state = nullptr;
    if (state == nullptr) state = state_with(own(Py_BuildValue("{s:s}", "all", "ignore")).get()).release();
    return state;
}

// Of complex numbers of NumPy's, also in lists; Python's are none that NumPy converts.
Ref real_part(PyObject* object) {
    if (PyArray_IsScalar(object, ComplexFloating) || PyArray_Check(object)) return own(PyObject_GetAttrString(object, "real"));
    if (!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) return Ref::borrow(object);
    Ref items = own(PySequence_List(object));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
        check(PyList_SetItem(items.get(), i, real_part(PyList_GET_ITEM(items.get(), i)).release()));
    }
    return PyList_CheckExact(object) ? items : own(PyList_AsTuple(items.get()));
}

}  // namespace

ToldByNumpy::ToldByNumpy() {
    detail::clear_float_flags();
    if (recording == nullptr) return;
    std::feclearexcept(FE_ALL_EXCEPT);
    state_ = set_state(quiet_state());
}

ToldByNumpy::~ToldByNumpy() {
    if (!state_) return;
    recording->float_errors.met |= detail::library_float_flags();
    reset_state(state_);
}

bool note_lost_parts(PyObject* object, Dtype dtype) {
    const bool is_noted = recording != nullptr && is_lost_within(object, dtype);
    if (is_noted) recording->float_errors.met |= lost_imaginary;
    return is_noted;
}

Ref without_lost_parts(PyObject* object, Dtype dtype) { return note_lost_parts(object, dtype) ? real_part(object) : Ref::borrow(object); }

void FloatWatch::set_result(Dtype dtype) {
    const auto loses = [&](PyObject* each) { return is_told_ ? is_lost(each, dtype) : is_lost_within(each, dtype); };
    is_asked_ = is_asked_ || loses(first_) || std::any_of(args_, args_ + nargs_, loses);
}

void FloatWatch::tell() const {
    const unsigned flags = detail::float_flags();
    detail::clear_float_flags();
    if (recording != nullptr) recording->float_errors.met |= flags | (is_asked_ ? lost_imaginary : 0U);
    if (records()) return note_in_journal();
    const bool is_asked = is_asked_ || std::exchange(is_numpy_asked, false);
    if (flags == 0 && !is_asked) return;
    const unsigned told = flags & float_state().told;
    if ((told == 0 || is_silent() || (flags == detail::float_invalid && !may_be_invalid())) && !is_asked) return;
    if (is_certain() && !is_asked) {
        const bool is_of_number = (told & detail::float_overflow) != 0 && has_too_large_number();
        if (is_of_number) tell_by_name("cast", detail::float_overflow);
        return tell_by_name(name_, is_of_number ? told & ~detail::float_overflow : told);
    }
    for (Py_ssize_t i = first_ != nullptr ? -1 : 0; i < count(); ++i) {
        if (is_not_numpys(i < 0 ? first_ : args_[i])) return;
    }
    judge();
    detail::clear_float_flags();
}

// What records is told of when it has run.
void FloatWatch::note_in_journal() const {
    FloatJournal* const journal = may_journal() ? FloatJournal::current() : nullptr;
    if (journal != nullptr && !is_silent()) journal->note(call(), noted_ ? *noted_ : FloatJournal::noted(call()), is_asked_);
}

void note_assignment(const array& part, PyObject* values) {
    FloatJournal* const journal = may_journal() && records() ? FloatJournal::current() : nullptr;
    if (journal == nullptr || !part.is_recorded() || !is_ndarray(values) || value_of(values).dtype() == part.dtype()) return;
    const Ref target = own(wrap(part));
    PyObject* const args[] = {target.get(), values};
    const JournalCall call{"copyto", nullptr, nullptr, args, 2, nullptr, 0, 1, false};
    journal->note(call, FloatJournal::noted(call), is_lost(values, part.dtype()));
}

void look_at_assignment(const array& part, PyObject* values) {
    const bool is_asked = is_lost(values, part.dtype());
    if (recording != nullptr) recording->float_errors.met |= detail::float_flags() | (is_asked ? lost_imaginary : 0U);
    if (!detail::any_float_flag() && !is_asked) return;
    detail::clear_float_flags();
    if (records() || is_not_numpys(values) || part.is_recorded() || part.dtype() == Dtype::bfloat16) return;
    Shape shape = part.shape();
    const Ref target =
        own(PyArray_NewFromDescr(&PyArray_Type, descr_of(part.dtype()), static_cast<int>(shape.size()), shape.data(), nullptr, nullptr, 0, nullptr));
    const Ref source = plain(values);
    check(PyArray_CopyObject(as_numpy(target.get()), source.get()));
    detail::clear_float_flags();
}

}  // namespace fastnp::python
