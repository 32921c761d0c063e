// Bodies of functions.def that are functions of C++, of numpy_compat above all, called with what Python hands over: by the types of their parameters, in
// the order of NumPy's signature, with its defaults.
//
//   PyObject* trapezoid_body(PyObject** v) { return bound<trapezoid_signature>(&fastnp::trapezoid, v); }
//
// Options (FoldOptions and the like) are made of the parameters of these names, wherever they are. `out` of a function that has no options is written to
// afterwards.
#pragma once

#include <array>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fastnp/detail/float_flags.h"
#include "fastnp/detail/size.h"
#include "function_bodies.h"
#include "size.h"

namespace fastnp::python {

#define FUNCTION(name, kind, signature) inline constexpr char name##_signature[] = signature;
#define METHOD(name, signature)
#include "functions.def"

namespace compat {

struct Parameter {
    std::string_view name, standard;  // its default as Python writes it; empty where it has to be given
};

struct Parameters {
    std::array<Parameter, Signature::most> list;
    int count = 0;

    constexpr int place(std::string_view name) const {
        for (int i = 0; i < count; ++i) {
            if (list[static_cast<std::size_t>(i)].name == name) return i;
        }
        return -1;
    }
};

constexpr Parameters parse(std::string_view text) {
    Parameters found;
    while (!text.empty()) {
        const std::size_t comma = text.find(", ");
        std::string_view part = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 2);
        if (part == "*" || part == "/") continue;
        if (part[0] == '*') {
            found.list[static_cast<std::size_t>(found.count++)] = {part.substr(1), "()"};
            continue;
        }
        const std::size_t equals = part.find('=');
        found.list[static_cast<std::size_t>(found.count++)] = {part.substr(0, equals),
                                                               equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1)};
    }
    return found;
}

template <const char* text>
inline constexpr Parameters parameters = parse(text);

/// The defaults of a signature as Python's objects, which live as long as the process.
class Standards {
public:
    explicit Standards(const Parameters& parameters);
    /// Puts them in where nothing was given.
    void fill(PyObject** values) const {
        for (std::size_t i = 0; i < objects_.size(); ++i) {
            if (values[i] == nullptr) values[i] = objects_[i];
        }
    }

private:
    std::array<PyObject*, Signature::most> objects_{};
};

/// How a parameter of a type is made of a Python object.
template <class T>
struct From;

template <>
struct From<array> {
    static array make(PyObject* object) { return to_array(object); }
};
template <>
struct From<Operand> {
    static Operand make(PyObject* object) { return to_operand(object); }
};
template <>
struct From<Scalar> {
    static Scalar make(PyObject* object) { return to_scalar(object); }
};
template <>
struct From<bool> {
    static bool make(PyObject* object) { return !is_missing(object) && is_true(object); }
};
template <>
struct From<int> {
    static int make(PyObject* object) {
        if (object == Py_None) throw NeedsNumpy{};  // which has words for it
        const int value = to_int(object);
        if (value == std::numeric_limits<int>::min()) throw NeedsNumpy{};  // by which it says "no axis"
        return value;
    }
};
/// A size: in a recording it may vary.
template <>
struct From<std::int64_t> {
    static std::int64_t make(PyObject* object) {
        if (const auto size = recorded_size(object)) return *size;
        const std::int64_t number = to_index(object);
        if (detail::is_symbolic(number)) throw NeedsNumpy{};  // larger than sizes are
        return number;
    }
};
template <>
struct From<double> {
    static double make(PyObject* object) {
        if (is_ndarray(object)) throw NeedsNumpy{};
        const double value = PyFloat_AsDouble(object);
        if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError{};
        return value;
    }
};
template <>
struct From<Axes> {
    static Axes make(PyObject* object) { return to_axes(object); }
};
template <>
struct From<Shape> {
    static Shape make(PyObject* object) { return to_sizes(object); }
};
template <>
struct From<Order> {
    static Order make(PyObject* object) { return to_order(object, Order::c); }
};
template <>
struct From<Dtype> {
    static Dtype make(PyObject* object) {
        const std::optional<Dtype> dtype = to_dtype(object);
        if (!dtype) throw NeedsNumpy{};
        return *dtype;
    }
};
template <class T>
struct From<std::optional<T>> {
    static std::optional<T> make(PyObject* object) { return is_missing(object) ? std::nullopt : std::optional<T>(From<T>::make(object)); }
};
/// A list or a tuple; not an array.
template <class T>
struct From<std::vector<T>> {
    static std::vector<T> make(PyObject* object) {
        if (!PyList_Check(object) && !PyTuple_Check(object)) throw NeedsNumpy{};
        std::vector<T> made;
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) made.push_back(From<T>::make(PySequence_Fast_GET_ITEM(object, i)));
        return made;
    }
};

/// An enum's values by NumPy's words for them, as `static constexpr std::pair<std::string_view, E> list[]`.
template <class E>
struct Words;
template <class E>
    requires std::is_enum_v<E>
struct From<E> {
    static E make(PyObject* object) {
        if (!PyUnicode_Check(object)) throw NeedsNumpy{};
        const std::string_view text = PyUnicode_AsUTF8(object);
        for (const auto& [word, value] : Words<E>::list) {
            if (word == text) return value;
        }
        throw NeedsNumpy{};  // for the error
    }
};

/// Options that are made of several parameters, by these names.
template <class T>
inline constexpr bool is_options = std::is_same_v<T, FoldOptions> || std::is_same_v<T, AxisOptions> || std::is_same_v<T, UfuncOptions>;
constexpr bool is_option(std::string_view name) {
    return name == "axis" || name == "dtype" || name == "out" || name == "keepdims" || name == "initial" || name == "where";
}

/// Arguments of a reduction by name.
struct OptionObjects {
    PyObject *axis = nullptr, *dtype = nullptr, *out = nullptr, *keepdims = nullptr, *initial = nullptr, *where = nullptr;
};
template <class T>
T to_options(const OptionObjects& given);
template <>
FoldOptions to_options(const OptionObjects& given);
template <>
AxisOptions to_options(const OptionObjects& given);
template <>
UfuncOptions to_options(const OptionObjects& given);

template <const char* text>
OptionObjects option_objects(PyObject** values) {
    constexpr const Parameters& known = parameters<text>;
    constexpr int places[] = {known.place("axis"),     known.place("dtype"),   known.place("out"),
                              known.place("keepdims"), known.place("initial"), known.place("where")};
    const auto at = [&](int place) { return place < 0 ? nullptr : values[place]; };
    return {at(places[0]), at(places[1]), at(places[2]), at(places[3]), at(places[4]), at(places[5])};
}

/// Which value each parameter of the C++ function is made of; -1 for options.
template <const char* text, class... P>
consteval std::array<int, sizeof...(P)> places() {
    constexpr bool has_options = (is_options<P> || ...);
    constexpr std::array<bool, sizeof...(P)> options{is_options<P>...};
    std::array<int, sizeof...(P)> found{};
    int next = 0;
    for (std::size_t i = 0; i < sizeof...(P); ++i) {
        if (options[i]) {
            found[i] = -1;
            continue;
        }
        while (has_options ? is_option(parameters<text>.list[static_cast<std::size_t>(next)].name)
                           : parameters<text>.list[static_cast<std::size_t>(next)].name == "out") {
            ++next;
        }
        found[i] = next++;
    }
    return found;
}

template <const char* text, class P>
P argument(PyObject** values, int place) {
    if constexpr (is_options<P>) {
        return to_options<P>(option_objects<text>(values));
    } else {
        return From<P>::make(values[place]);
    }
}

/// The function's result.
template <const char* text, class R, class... P>
R call(R (*function)(P...), PyObject** values) {
    static const Standards standards(parameters<text>);
    standards.fill(values);
    constexpr auto at = places<text, std::remove_cvref_t<P>...>();
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        std::tuple<std::remove_cvref_t<P>...> arguments{argument<text, std::remove_cvref_t<P>>(values, at[i])...};  // one after the other
        return std::apply(function, arguments);
    }(std::index_sequence_for<P...>());
}

/// A result as Python's object: arrays of no axes are NumPy's scalars.
PyObject* result_of(array value);
inline PyObject* result_of(bool value) { return PyBool_FromLong(value ? 1 : 0); }
inline PyObject* result_of(std::int64_t value) { return check(PyLong_FromLongLong(value)); }
PyObject* result_of(const std::vector<array>& values);
/// Arrays that may share the memory of `source`, or each that of the item of a tuple, as a tuple.
PyObject* views_of(const std::vector<array>& values, PyObject* source);
PyObject* views_of_items(const std::vector<array>& values, PyObject* sources);
/// Whether NumPy can't be handed the elements as they are: they are recorded, or on a device.
bool is_elsewhere(const array& x);
/// Whether NumPy may do for arrays at hand what both have and NumPy is sooner at: not where FASTNP_FALLBACK asks for what NumPy alone has.
bool may_leave(const array& x);
bool may_leave(const array& x, const array& y);
/// Whether it has another value for each part that a function is mapped over: sizes and errors can't depend on it, but NumPy is called for each part.
bool is_mapped(const array& x);
/// A number as int() of it, symbolic ones included; NeedsNumpy for others than integers, and for such as no size is.
std::int64_t to_number(PyObject* object);
/// The same of a list, a tuple or an array of such numbers, or of one.
std::vector<std::int64_t> to_numbers(PyObject* object);
/// The items of a list, a tuple, or of an array's first axis.
std::vector<array> to_items(PyObject* object);
std::vector<Operand> to_operands(PyObject* object);
template <class... T>
PyObject* result_of(std::tuple<T...> values) {
    Ref made = own(PyTuple_New(sizeof...(T)));
    Py_ssize_t at = 0;
    std::apply([&](auto&&... each) { (PyTuple_SET_ITEM(made.get(), at++, result_of(std::move(each))), ...); }, std::move(values));
    return made.release();
}
template <class A, class B>
PyObject* result_of(std::pair<A, B> values) {
    return result_of(std::tuple<A, B>(std::move(values)));
}
/// The array written to `out`, as NumPy's functions of Python do it, and `out`; or the array, without it. NeedsNumpy for an `out` of another shape.
PyObject* written(array value, PyObject* out);

/// Before what is computed in order, which NumPy's own loops are faster at: NeedsNumpy where no argument is recorded or on a device, none in a list
/// either.
void leave_to_numpy(std::initializer_list<PyObject*> values);

/// Before what reads values: NeedsNumpy where these differ from part to part under vmap.
void leave_mapped_to_numpy(std::initializer_list<PyObject*> values);

/// f(), after which the flag of invalid operations is clear: of differences of infinities, and comparisons with NaN, NumPy is not to tell.
template <class F>
auto without_invalid(F&& f) {
    auto result = f();
    if (const unsigned flags = detail::float_flags(); (flags & detail::float_invalid) != 0) {
        detail::clear_float_flags();
        detail::raise_float_flags(flags & ~static_cast<unsigned>(detail::float_invalid));
    }
    return result;
}

/// A warning at each call, of a recorded function, too.
void warn(PyObject* category, const char* text);

}  // namespace compat

template <const char* text, class R, class... P>
PyObject* bound(R (*function)(P...), PyObject** values) {
    constexpr int out = compat::parameters<text>.place("out");
    constexpr bool writes_itself = (compat::is_options<std::remove_cvref_t<P>> || ...);
    if constexpr (out >= 0 && std::is_same_v<R, array>) {
        array result = compat::call<text>(function, values);
        return writes_itself ? finish(std::move(result), values[out]) : compat::written(std::move(result), values[out]);
    } else {
        return compat::result_of(compat::call<text>(function, values));
    }
}

/// The same for a function that gives a view of its first argument, or an array of any rank that is no scalar.
template <const char* text, class... P>
PyObject* bound_view(array (*function)(P...), PyObject** values) {
    PyObject* const source = values[0];
    return wrap_view(compat::call<text>(function, values), source);
}

}  // namespace fastnp::python
