#include "legacy_methods.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "compat.h"
#include "draw_values.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/detail/legacy_draws.h"
#include "fastnp/error.h"
#include "fastnp/random.h"
#include "generators.h"

namespace fastnp::python {

namespace {

using random::Generator;

// Where numbers come from: `stream` has the pair of normal numbers behind it; the generator draws what both kinds draw alike.
struct LegacySource {
    void* stream;
    Generator& generator;
    const char* method;  // its name
};

struct LegacyMethod {
    const char* name;
    const char* signature;
    PyObject* (*body)(const LegacySource&, PyObject**);
};

// `size=`; what is wrong with it is for NumPy to say before anything is drawn.
std::optional<Shape> legacy_size(PyObject* object) {
    const auto size = wanted_size(object);
    if (size && std::ranges::any_of(*size, [](std::int64_t each) { return each < 0; })) throw NeedsNumpy{};
    return size;
}

// A distribution of RandomState's own, by the method's name: parameters, which may have standards, then the size.
template <int count>
PyObject* legacy(const LegacySource& source, PyObject** v, std::initializer_list<double> standards = {}) {
    const auto size = legacy_size(v[count]);
    std::vector<Operand> parameters;
    for (int i = 0; i < count; ++i) parameters.push_back(v[i] == nullptr ? Operand(std::data(standards)[i]) : parameter_of(v[i]));
    return drawn(without_gil([&] { return detail::draw_legacy(source.stream, source.method, parameters, size); }), size);
}

// One that Generator has, too.
template <array (Generator::*draw)(const Operand&, const Operand&, const std::optional<Shape>&)>
PyObject* alike(const LegacySource& source, PyObject** v, double first, double second) {
    const auto size = legacy_size(v[2]);
    const Operand a = v[0] == nullptr ? Operand(first) : parameter_of(v[0]), b = v[1] == nullptr ? Operand(second) : parameter_of(v[1]);
    return drawn(without_gil([&] { return (source.generator.*draw)(a, b, size); }), size);
}

// The sizes of rand and randn, which are arguments.
std::optional<Shape> sizes_of(PyObject* rest) {
    if (PyTuple_GET_SIZE(rest) == 0) return std::nullopt;
    Shape shape;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rest); ++i) {
        PyObject* const each = PyTuple_GET_ITEM(rest, i);
        if (!PyLong_CheckExact(each)) throw NeedsNumpy{};
        shape.push_back(to_index(each));
        if (shape.back() < 0) throw NeedsNumpy{};
    }
    return shape;
}

PyObject* uniforms(const LegacySource& source, const std::optional<Shape>& size) {
    return drawn(without_gil([&] { return source.generator.random(size.value_or(Shape{})); }), size);
}
PyObject* normals(const LegacySource& source, const std::optional<Shape>& size) {
    return drawn(without_gil([&] { return detail::draw_legacy(source.stream, "standard_normal", {}, size); }), size);
}

PyObject* of_size(const LegacySource& source, PyObject** v) { return uniforms(source, legacy_size(v[0])); }

PyObject* randint(const LegacySource& source, PyObject** v) {
    const bool has_one = is_missing(v[1]);
    PyObject* const low = has_one ? nullptr : v[0];
    PyObject* const high = has_one ? v[0] : v[1];
    if ((low != nullptr && !PyLong_CheckExact(low)) || !PyLong_CheckExact(high)) throw NeedsNumpy{};
    const bool is_plain = v[3] == nullptr || v[3] == reinterpret_cast<PyObject*>(&PyLong_Type);
    if (!is_plain && compat::From<Dtype>::make(v[3]) != Dtype::int64) throw NeedsNumpy{};  // which takes parts of drawn words
    const auto size = legacy_size(v[2]);
    const std::int64_t from = low == nullptr ? 0 : to_index(low), to = to_index(high);
    if (to <= from || (from < 0 && to - 1 > INT64_MAX + from)) throw NeedsNumpy{};
    const array made = without_gil([&] { return detail::draw_legacy_integers(source.stream, from, to - from - 1, size.value_or(Shape{})); });
    return size ? wrap(made) : is_plain ? read_element(made) : wrap_scalar(made);
}

PyObject* binomials(const LegacySource& source, PyObject** v) {
    if (!PyLong_CheckExact(v[0]) || to_index(v[0]) <= 0 || !PyFloat_CheckExact(v[1]) || PyFloat_AS_DOUBLE(v[1]) <= 0) throw NeedsNumpy{};
    return alike<&Generator::binomial>(source, v, 0, 0);
}
PyObject* poissons(const LegacySource& source, PyObject** v) {
    const auto size = legacy_size(v[1]);
    const Operand rate = v[0] == nullptr ? Operand(1.0) : parameter_of(v[0]);
    return drawn(without_gil([&] { return source.generator.poisson(rate, size); }), size);
}
PyObject* triangular(const LegacySource& source, PyObject** v) {
    const auto size = legacy_size(v[3]);
    const Operand a = parameter_of(v[0]), b = parameter_of(v[1]), c = parameter_of(v[2]);
    return drawn(without_gil([&] { return source.generator.triangular(a, b, c, size); }), size);
}
PyObject* parts_of_one(const LegacySource& source, PyObject** v) {
    const array weights = chances_of(v[0]);
    if (weights.size() == 0 || !all(weights > 0).item<bool>()) throw NeedsNumpy{};
    return wrap(detail::draw_legacy_dirichlet(source.stream, weights, legacy_size(v[1]).value_or(Shape{})));
}

PyObject* multinomials(const LegacySource& source, PyObject** v) {
    const array chances = chances_of(v[1]);
    if (!PyLong_CheckExact(v[0]) || to_index(v[0]) <= 0 || chances.ndim() != 1 || chances.size() == 0) throw NeedsNumpy{};
    // (Without chances or draws NumPy's versions differ in what they draw.)
    const bool is_right = all(logical_and(chances > 0, chances <= 1)).item<bool>() && sum(chances(until(-1))).item<double>() <= 1;
    if (!is_right) throw NeedsNumpy{};
    return wrap(source.generator.multinomial(to_index(v[0]), chances, legacy_size(v[2])));
}

// An array whose rows change places.
array rows_of(PyObject* object) {
    if (!is_ndarray(object) && PyArray_CheckExact(object) == 0) throw NeedsNumpy{};
    array x = to_array(object);
    if (x.ndim() == 0 || (x.ndim() > 1 && !x.is_c_contiguous())) throw NeedsNumpy{};
    return x;
}
PyObject* in_another_order(const LegacySource& source, PyObject** v) {
    if (PyLong_CheckExact(v[0])) {
        if (to_index(v[0]) < 0) throw NeedsNumpy{};
        return wrap(detail::draw_legacy_order(source.stream, to_index(v[0])));
    }
    const array x = rows_of(v[0]);
    return wrap(take(x, detail::draw_legacy_order(source.stream, x.shape(0)), 0));
}
PyObject* shuffled(const LegacySource& source, PyObject** v) {
    if (!is_ndarray(v[0])) throw NeedsNumpy{};
    const std::optional<array> x = to_out(v[0]);
    if (x->size() == 0 || x->ndim() == 0 || !x->writable()) throw NeedsNumpy{};  // nothing is drawn for no elements
    const array next = take(*x, detail::draw_legacy_order(source.stream, x->shape(0)), 0);
    copyto(*x, next);
    return Py_NewRef(Py_None);
}

PyObject* chosen(const LegacySource& source, PyObject** v) {
    const auto size = legacy_size(v[1]);
    const bool is_count = PyLong_CheckExact(v[0]) != 0;
    if (!size || (!is_count && !has_elements(v[0]))) throw NeedsNumpy{};  // one of NumPy's elements
    const array from = is_count ? array() : to_array(v[0]);
    if (!is_count && from.ndim() != 1) throw NeedsNumpy{};
    const std::int64_t length = is_count ? to_index(v[0]) : from.shape(0);
    std::int64_t count = 1;
    for (const std::int64_t each : *size) count *= each;
    const bool replaces = v[2] == nullptr || is_true(v[2]);
    if (length <= 0 || !is_missing(v[3]) || (!replaces && count > length)) throw NeedsNumpy{};  // by chances
    const array places = replaces ? detail::draw_legacy_integers(source.stream, 0, length - 1, *size)
                                  : reshape(detail::draw_legacy_order(source.stream, length)(until(count)), *size).copy();
    return wrap(is_count ? places : take(from, places, 0));
}

using S = const LegacySource&;
constexpr LegacyMethod legacy_methods[] = {
    {"random_sample", "size=None", &of_size},
    {"random", "size=None", &of_size},
    {"rand", "*args", [](S s, PyObject** v) { return uniforms(s, sizes_of(v[0])); }},
    {"randn", "*args", [](S s, PyObject** v) { return normals(s, sizes_of(v[0])); }},
    {"randint", "low, high=None, size=None, dtype=int", &randint},
    {"uniform", "low=0.0, high=1.0, size=None", [](S s, PyObject** v) { return alike<&Generator::uniform>(s, v, 0, 1); }},
    {"laplace", "loc=0.0, scale=1.0, size=None", [](S s, PyObject** v) { return alike<&Generator::laplace>(s, v, 0, 1); }},
    {"logistic", "loc=0.0, scale=1.0, size=None", [](S s, PyObject** v) { return alike<&Generator::logistic>(s, v, 0, 1); }},
    {"gumbel", "loc=0.0, scale=1.0, size=None", [](S s, PyObject** v) { return alike<&Generator::gumbel>(s, v, 0, 1); }},
    {"binomial", "n, p, size=None", &binomials},
    {"poisson", "lam=1.0, size=None", &poissons},
    {"triangular", "left, mode, right, size=None", &triangular},
    {"dirichlet", "alpha, size=None", &parts_of_one},
    {"multinomial", "n, pvals, size=None", &multinomials},
    {"permutation", "x", &in_another_order},
    {"shuffle", "x", &shuffled},
    {"choice", "a, size=None, replace=True, p=None", &chosen},
    {"standard_normal", "size=None", [](S s, PyObject** v) { return normals(s, legacy_size(v[0])); }},
    {"normal", "loc=0.0, scale=1.0, size=None", [](S s, PyObject** v) { return legacy<2>(s, v, {0, 1}); }},
    {"lognormal", "mean=0.0, sigma=1.0, size=None", [](S s, PyObject** v) { return legacy<2>(s, v, {0, 1}); }},
    {"exponential", "scale=1.0, size=None", [](S s, PyObject** v) { return legacy<1>(s, v, {1}); }},
    {"standard_exponential", "size=None", [](S s, PyObject** v) { return legacy<0>(s, v); }},
    {"gamma", "shape, scale=1.0, size=None", [](S s, PyObject** v) { return legacy<2>(s, v, {0, 1}); }},
    {"standard_gamma", "shape, size=None", [](S s, PyObject** v) { return legacy<1>(s, v); }},
    {"beta", "a, b, size=None", [](S s, PyObject** v) { return legacy<2>(s, v); }},
    {"chisquare", "df, size=None", [](S s, PyObject** v) { return legacy<1>(s, v); }},
    {"f", "dfnum, dfden, size=None", [](S s, PyObject** v) { return legacy<2>(s, v); }},
    {"noncentral_chisquare", "df, nonc, size=None", [](S s, PyObject** v) { return legacy<2>(s, v); }},
    {"noncentral_f", "dfnum, dfden, nonc, size=None", [](S s, PyObject** v) { return legacy<3>(s, v); }},
    {"negative_binomial", "n, p, size=None", [](S s, PyObject** v) { return legacy<2>(s, v); }},
    {"pareto", "a, size=None", [](S s, PyObject** v) { return legacy<1>(s, v); }},
    {"power", "a, size=None", [](S s, PyObject** v) { return legacy<1>(s, v); }},
    {"weibull", "a, size=None", [](S s, PyObject** v) { return legacy<1>(s, v); }},
    {"rayleigh", "scale=1.0, size=None", [](S s, PyObject** v) { return legacy<1>(s, v, {1}); }},
    {"wald", "mean, scale, size=None", [](S s, PyObject** v) { return legacy<2>(s, v); }},
    {"standard_t", "df, size=None", [](S s, PyObject** v) { return legacy<1>(s, v); }},
    {"standard_cauchy", "size=None", [](S s, PyObject** v) { return legacy<0>(s, v); }},
};

struct KnownLegacy {
    const LegacyMethod* method;
    Signature signature;
};

const KnownLegacy* find_legacy_method(PyObject* name) {
    static NamedList<KnownLegacy>* known = nullptr;  // no guard, which a thread would wait for that has the GIL
    if (known == nullptr) {
        auto made = std::make_unique<NamedList<KnownLegacy>>();
        for (const LegacyMethod& each : legacy_methods) made->add(each.name, {&each, Signature(each.name, each.signature)});
        known = made.release();
    }
    return known->find(name);
}

PyObject* draw_by(const KnownLegacy& known, PyObject* state, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    PyObject* values[Signature::most] = {};
    const Ref held = known.signature.bind(nullptr, args, nargs, kwnames, values);
    const detail::KeptFloatFlags kept;  // draws tell of no errors in numbers
    LentGenerators lent;
    void* const stream = reinterpret_cast<void*>(lent.lend(state));  // NOLINT: as native programs have it
    detail::BitGenerator bits;
    bits.kind = detail::BitGenerator::Kind::lent;
    bits.stream = stream;
    Generator generator(bits);
    return known.method->body({stream, generator, known.method->name}, values);
}

}  // namespace

PyObject* draw_by_legacy(PyObject* generator, PyObject* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    if (!is_random_state(generator) || !lends_random_states()) return nullptr;
    const KnownLegacy* const known = find_legacy_method(name);
    if (known == nullptr) return nullptr;
    // What is wrong is for NumPy to say: parameters are looked at before anything is drawn.
    try {
        return draw_by(*known, generator, args, nargs, kwnames);
    } catch (const NeedsNumpy&) {
    } catch (const ValueError&) {
    } catch (const TypeError&) {
    } catch (const OverflowError&) {
    } catch (const PythonError&) {
        PyErr_Clear();
    }
    return nullptr;
}

}  // namespace fastnp::python
