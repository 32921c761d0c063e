#include "generator_methods.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "as_method.h"
#include "by_numpy.h"
#include "compat.h"
#include "draw_values.h"
#include "fastnp/detail/elements.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/error.h"
#include "fastnp/random.h"
#include "legacy_methods.h"

namespace fastnp::python {

namespace {

using detail::BitGenerator;
using random::Generator;

/// A method: its signature, and what it does with the values. `is_slower`: than NumPy's, which then draws if it may.
struct Method {
    const char* name;
    const char* signature;
    PyObject* (*body)(Generator&, PyObject**);
    bool is_slower = false;
};

// random, standard_normal, standard_exponential. (What is drawn into `out` is NumPy's.)
template <array (Generator::*draw)(const Shape&, Dtype)>
PyObject* standard(Generator& generator, PyObject** v) {
    if (!is_missing(v[2])) throw NeedsNumpy{};
    const Dtype dtype = v[1] == nullptr ? Dtype::float64 : compat::From<Dtype>::make(v[1]);
    const auto size = wanted_size(v[0]);
    const array made = without_gil([&] { return (generator.*draw)(size.value_or(Shape{}), dtype); });
    return drawn(made, size);
}

PyObject* standard_exponential(Generator& generator, PyObject** v) {
    if (v[2] != nullptr && (!PyUnicode_Check(v[2]) || PyUnicode_CompareWithASCIIString(v[2], "zig") != 0)) throw NeedsNumpy{};
    PyObject* values[] = {v[0], v[1], v[3]};
    return standard<&Generator::standard_exponential>(generator, values);
}

// shift and scale, or bounds: numbers, or arrays.
template <array (Generator::*plain)(double, double, const Shape&), array (Generator::*whole)(const Operand&, const Operand&, const std::optional<Shape>&)>
PyObject* scaled(Generator& generator, PyObject** v, double first, double second) {
    const auto size = wanted_size(v[2]);
    const auto plainly = [](PyObject* object) { return object == nullptr || is_pythons_number(object); };
    const auto real = [](PyObject* object, double standard) { return object == nullptr ? standard : real_of(object); };
    if (plainly(v[0]) && plainly(v[1])) {
        const double a = real(v[0], first), b = real(v[1], second);
        return drawn(without_gil([&] { return (generator.*plain)(a, b, size.value_or(Shape{})); }), size);
    }
    const Operand a = v[0] == nullptr ? Operand(first) : parameter_of(v[0]), b = v[1] == nullptr ? Operand(second) : parameter_of(v[1]);
    return drawn(without_gil([&] { return (generator.*whole)(a, b, size); }), size);
}

PyObject* uniform(Generator& generator, PyObject** v) { return scaled<&Generator::uniform, &Generator::uniform>(generator, v, 0, 1); }
PyObject* normal(Generator& generator, PyObject** v) { return scaled<&Generator::normal, &Generator::normal>(generator, v, 0, 1); }
PyObject* exponential(Generator& generator, PyObject** v) {
    const auto size = wanted_size(v[1]);
    if (v[0] == nullptr || is_pythons_number(v[0])) {
        const double scale = v[0] == nullptr ? 1 : real_of(v[0]);
        return drawn(without_gil([&] { return generator.exponential(scale, size.value_or(Shape{})); }), size);
    }
    const Operand scale = parameter_of(v[0]);
    return drawn(without_gil([&] { return generator.exponential(scale, size); }), size);
}

PyObject* integers(Generator& generator, PyObject** v) {
    const bool has_one = is_missing(v[1]);
    PyObject* const low = has_one ? nullptr : v[0];
    PyObject* const high = has_one ? v[0] : v[1];
    if ((low != nullptr && !PyLong_CheckExact(low)) || !PyLong_CheckExact(high)) throw NeedsNumpy{};
    const Dtype dtype = v[3] == nullptr ? Dtype::int64 : compat::From<Dtype>::make(v[3]);
    if (v[3] != nullptr && !PyArray_DescrCheck(v[3]) && !PyType_Check(v[3]) && !PyUnicode_Check(v[3])) throw NeedsNumpy{};
    const bool endpoint = v[4] != nullptr && is_true(v[4]);
    const auto size = wanted_size(v[2]);
    const std::int64_t from = low == nullptr ? 0 : to_index(low), to = to_index(high);
    const array made = without_gil([&] { return generator.integers(from, to, size.value_or(Shape{}), dtype, endpoint); });
    if (size) return wrap(made);
    if (v[3] == reinterpret_cast<PyObject*>(&PyLong_Type) || v[3] == reinterpret_cast<PyObject*>(&PyBool_Type)) return read_element(made);
    return wrap_scalar(made);
}

// Of other distributions: parameters in the order of both signatures, then the size.
template <array (Generator::*draw)(const Operand&, const std::optional<Shape>&)>
PyObject* of_one(Generator& generator, PyObject** v, double standard) {
    const auto size = wanted_size(v[1]);
    const Operand a = v[0] == nullptr ? Operand(standard) : parameter_of(v[0]);
    return drawn(without_gil([&] { return (generator.*draw)(a, size); }), size);
}
template <array (Generator::*draw)(const Operand&, const Operand&, const std::optional<Shape>&)>
PyObject* of_two(Generator& generator, PyObject** v, double first, double second) {
    const auto size = wanted_size(v[2]);
    const Operand a = v[0] == nullptr ? Operand(first) : parameter_of(v[0]), b = v[1] == nullptr ? Operand(second) : parameter_of(v[1]);
    return drawn(without_gil([&] { return (generator.*draw)(a, b, size); }), size);
}
template <array (Generator::*draw)(const Operand&, const Operand&, const Operand&, const std::optional<Shape>&)>
PyObject* of_three(Generator& generator, PyObject** v) {
    const auto size = wanted_size(v[3]);
    const Operand a = parameter_of(v[0]), b = parameter_of(v[1]), c = parameter_of(v[2]);
    return drawn(without_gil([&] { return (generator.*draw)(a, b, c, size); }), size);
}
// A count, for which NumPy takes a whole float, too.
template <array (Generator::*draw)(const Operand&, const Operand&, const std::optional<Shape>&)>
PyObject* of_count(Generator& generator, PyObject** v) {
    if (PyFloat_Check(v[0])) throw NeedsNumpy{};
    return of_two<draw>(generator, v, 0, 0);
}

PyObject* standard_gamma(Generator& generator, PyObject** v) {
    if (!is_missing(v[3]) || (v[2] != nullptr && compat::From<Dtype>::make(v[2]) != Dtype::float64)) throw NeedsNumpy{};
    return of_one<&Generator::standard_gamma>(generator, v, 1);
}
PyObject* standard_cauchy(Generator& generator, PyObject** v) {
    const auto size = wanted_size(v[0]);
    return drawn(without_gil([&] { return generator.standard_cauchy(size); }), size);
}

array counts_of(PyObject* object) {
    array x = chances_of(object);
    if (x.dtype() != Dtype::int64) throw NeedsNumpy{};
    return x;
}

PyObject* multinomial(Generator& generator, PyObject** v) {
    if (!PyLong_CheckExact(v[0])) throw NeedsNumpy{};
    return wrap(generator.multinomial(to_index(v[0]), chances_of(v[1]), wanted_size(v[2])));
}
PyObject* multivariate_hypergeometric(Generator& generator, PyObject** v) {
    if (v[3] != nullptr && (!PyUnicode_Check(v[3]) || PyUnicode_CompareWithASCIIString(v[3], "marginals") != 0)) throw NeedsNumpy{};
    if (!PyLong_CheckExact(v[1])) throw NeedsNumpy{};
    return wrap(generator.multivariate_hypergeometric(counts_of(v[0]), to_index(v[1]), wanted_size(v[2])));
}
PyObject* dirichlet(Generator& generator, PyObject** v) { return wrap(generator.dirichlet(chances_of(v[0]), wanted_size(v[1]))); }

PyObject* choice(Generator& generator, PyObject** v) {
    const bool is_count = PyLong_CheckExact(v[0]) != 0;
    if (!is_count && !has_elements(v[0])) throw NeedsNumpy{};
    const auto size = wanted_size(v[1]);
    if (!size) throw NeedsNumpy{};  // one of NumPy's elements, or a row
    const array from = is_count ? array(to_index(v[0])) : to_array(v[0]);
    if (!is_count && from.ndim() != 1) throw NeedsNumpy{};  // rows, which NumPy takes in an order of its own
    random::ChoiceOptions options;
    options.replace = v[2] == nullptr || is_true(v[2]);
    if (!is_missing(v[3])) options.p = chances_of(v[3]);
    options.axis = v[4] == nullptr ? 0 : to_int(v[4]);
    options.shuffle = v[5] == nullptr || is_true(v[5]);
    return wrap(without_gil([&] { return generator.choice(from, size, options); }));
}

// An array that NumPy's method would take apart by its first axis.
array ordered_of(PyObject* object) {
    if (!is_ndarray(object) && PyArray_CheckExact(object) == 0) throw NeedsNumpy{};
    return to_array(object);
}

PyObject* permutation(Generator& generator, PyObject** v) {
    if (PyLong_CheckExact(v[0])) return wrap(generator.permutation(to_index(v[0])));
    const array x = ordered_of(v[0]);
    const int axis = v[1] == nullptr ? 0 : to_int(v[1]);
    if (x.ndim() == 0 || (x.ndim() > 1 && (axis != 0 || !x.is_c_contiguous()))) throw NeedsNumpy{};  // whose results lie in ways of their own
    return wrap(generator.permutation(x, axis).copy(Order::c));
}
PyObject* shuffle(Generator& generator, PyObject** v) {
    if (!is_ndarray(v[0])) throw NeedsNumpy{};
    const std::optional<array> x = to_out(v[0]);
    if (x->ndim() == 0 || !x->writable()) throw NeedsNumpy{};
    generator.shuffle(*x, v[1] == nullptr ? 0 : to_int(v[1]));
    return Py_NewRef(Py_None);
}
PyObject* permuted(Generator& generator, PyObject** v) {
    if (!is_missing(v[2])) throw NeedsNumpy{};
    const array x = ordered_of(v[0]);
    if (x.ndim() == 0 || !x.is_c_contiguous()) throw NeedsNumpy{};
    return wrap(generator.permuted(x, to_axis(v[1])));
}
PyObject* bytes(Generator& generator, PyObject** v) {
    if (!PyLong_CheckExact(v[0])) throw NeedsNumpy{};
    const std::string made = generator.bytes(to_index(v[0]));
    return check(PyBytes_FromStringAndSize(made.data(), static_cast<Py_ssize_t>(made.size())));
}

using G = Generator;
constexpr Method draw_methods[] = {
    {"random", "size=None, dtype=float64, out=None", &standard<&G::random>},
    {"standard_normal", "size=None, dtype=float64, out=None", &standard<&G::standard_normal>},
    {"standard_exponential", "size=None, dtype=float64, method='zig', out=None", &standard_exponential},
    {"uniform", "low=0.0, high=1.0, size=None", &uniform},
    {"normal", "loc=0.0, scale=1.0, size=None", &normal},
    {"exponential", "scale=1.0, size=None", &exponential},
    {"integers", "low, high=None, size=None, dtype=int64, endpoint=False", &integers},
    {"beta", "a, b, size=None", [](G& g, PyObject** v) { return of_two<&G::beta>(g, v, 0, 0); }},
    {"binomial", "n, p, size=None", &of_count<&G::binomial>},
    {"chisquare", "df, size=None", [](G& g, PyObject** v) { return of_one<&G::chisquare>(g, v, 0); }},
    {"f", "dfnum, dfden, size=None", [](G& g, PyObject** v) { return of_two<&G::f>(g, v, 0, 0); }},
    {"gamma", "shape, scale=1.0, size=None", [](G& g, PyObject** v) { return of_two<&G::gamma>(g, v, 0, 1); }},
    {"geometric", "p, size=None", [](G& g, PyObject** v) { return of_one<&G::geometric>(g, v, 0); }},
    {"gumbel", "loc=0.0, scale=1.0, size=None", [](G& g, PyObject** v) { return of_two<&G::gumbel>(g, v, 0, 1); }},
    {"laplace", "loc=0.0, scale=1.0, size=None", [](G& g, PyObject** v) { return of_two<&G::laplace>(g, v, 0, 1); }},
    {"logistic", "loc=0.0, scale=1.0, size=None", [](G& g, PyObject** v) { return of_two<&G::logistic>(g, v, 0, 1); }},
    {"lognormal", "mean=0.0, sigma=1.0, size=None", [](G& g, PyObject** v) { return of_two<&G::lognormal>(g, v, 0, 1); }},
    {"logseries", "p, size=None", [](G& g, PyObject** v) { return of_one<&G::logseries>(g, v, 0); }},
    {"negative_binomial", "n, p, size=None", [](G& g, PyObject** v) { return of_two<&G::negative_binomial>(g, v, 0, 0); }},
    {"noncentral_chisquare", "df, nonc, size=None", [](G& g, PyObject** v) { return of_two<&G::noncentral_chisquare>(g, v, 0, 0); }},
    {"pareto", "a, size=None", [](G& g, PyObject** v) { return of_one<&G::pareto>(g, v, 0); }},
    {"poisson", "lam=1.0, size=None", [](G& g, PyObject** v) { return of_one<&G::poisson>(g, v, 1); }},
    {"power", "a, size=None", [](G& g, PyObject** v) { return of_one<&G::power>(g, v, 0); }},
    {"rayleigh", "scale=1.0, size=None", [](G& g, PyObject** v) { return of_one<&G::rayleigh>(g, v, 1); }},
    {"standard_gamma", "shape, size=None, dtype=float64, out=None", &standard_gamma},
    {"standard_t", "df, size=None", [](G& g, PyObject** v) { return of_one<&G::standard_t>(g, v, 0); }},
    {"vonmises", "mu, kappa, size=None", [](G& g, PyObject** v) { return of_two<&G::vonmises>(g, v, 0, 0); }},
    {"wald", "mean, scale, size=None", [](G& g, PyObject** v) { return of_two<&G::wald>(g, v, 0, 0); }},
    {"weibull", "a, size=None", [](G& g, PyObject** v) { return of_one<&G::weibull>(g, v, 0); }},
    {"zipf", "a, size=None", [](G& g, PyObject** v) { return of_one<&G::zipf>(g, v, 0); }},
    {"hypergeometric", "ngood, nbad, nsample, size=None", &of_three<&G::hypergeometric>},
    {"noncentral_f", "dfnum, dfden, nonc, size=None", &of_three<&G::noncentral_f>},
    {"triangular", "left, mode, right, size=None", &of_three<&G::triangular>},
    {"standard_cauchy", "size=None", &standard_cauchy},
    {"multinomial", "n, pvals, size=None", &multinomial},
    {"multivariate_hypergeometric", "colors, nsample, size=None, method='marginals'", &multivariate_hypergeometric},
    {"dirichlet", "alpha, size=None", &dirichlet},
    {"choice", "a, size=None, replace=True, p=None, axis=0, shuffle=True", &choice},
    {"permutation", "x, axis=0", &permutation, true},
    {"shuffle", "x, axis=0", &shuffle, true},
    {"permuted", "x, *, axis=None, out=None", &permuted, true},
    {"bytes", "length", &bytes},
};

/// One of them, with what is found out of it once.
struct Known {
    const Method* method;
    Signature signature;
    enum class Draws : std::uint8_t { unknown, as_numpys, otherwise } draws = Draws::unknown;
};

Known* find_method(PyObject* name) {
    static NamedList<Known>* known = nullptr;  // no guard, which a thread would wait for that has the GIL
    if (known == nullptr) {
        auto made = std::make_unique<NamedList<Known>>();
        for (const Method& each : draw_methods) made->add(each.name, {&each, Signature(each.name, each.signature)});
        known = made.release();
    }
    return known->find(name);
}

// NumPy may change the streams of its Generator from version to version (NEP 19): the first draws are held against those of the one that is here.
bool draws_as_numpys(Known& known, PyObject* name) {
    thread_local bool finds_out = false;  // these draws, and no other thread's
    if (known.draws != Known::Draws::unknown || finds_out) return known.draws != Known::Draws::otherwise;
    struct Finding {
        Finding() { finds_out = true; }
        ~Finding() { finds_out = false; }
        Finding(const Finding&) = delete;
        Finding& operator=(const Finding&) = delete;
    } const finding;
    const Ref same = own(PyObject_CallMethod(own(PyImport_ImportModule("fastnp._streams")).get(), "draws_as_numpys", "O", name));
    known.draws = is_true(same.get()) ? Known::Draws::as_numpys : Known::Draws::otherwise;
    return known.draws == Known::Draws::as_numpys;
}

PyTypeObject* numpys_generator() {
    static PyObject* type = nullptr;  // no guard, as above
    kept_attribute(type, "numpy.random", "Generator");
    return reinterpret_cast<PyTypeObject*>(type);
}

PyObject* attribute_name(const char* text) { return check(PyUnicode_InternFromString(text)); }

/// A generator's bits, held against other threads.
class Lent {
public:
    explicit Lent(PyObject* generator) {
        static PyObject *const of_bits = attribute_name("bit_generator"), *const of_capsule = attribute_name("capsule"),
                               *const of_lock = attribute_name("lock"), *const acquire = attribute_name("acquire");
        const Ref bits = own(PyObject_GetAttr(generator, of_bits)), capsule = own(PyObject_GetAttr(bits.get(), of_capsule));
        bits_.kind = BitGenerator::Kind::lent;
        bits_.stream = PyCapsule_GetPointer(capsule.get(), "BitGenerator");
        if (bits_.stream == nullptr) throw PythonError{};
        Ref lock = own(PyObject_GetAttr(bits.get(), of_lock));
        own(PyObject_CallMethodNoArgs(lock.get(), acquire));
        lock_ = std::move(lock);
    }
    ~Lent() {
        static PyObject* const release = attribute_name("release");
        PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
        PyErr_Fetch(&type, &value, &traceback);
        Py_XDECREF(PyObject_CallMethodNoArgs(lock_.get(), release));
        PyErr_Restore(type, value, traceback);
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    const BitGenerator& bits() const { return bits_; }

private:
    BitGenerator bits_;
    Ref lock_;
};

PyObject* draw_by(const Known& known, PyObject* source, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    PyObject* values[Signature::most] = {};
    const Ref held = known.signature.bind(nullptr, args, nargs, kwnames, values);
    const detail::KeptFloatFlags kept;  // draws tell of no errors in numbers
    const Lent lent(source);
    Generator generator(lent.bits());
    return known.method->body(generator, values);
}

// fastnp._core._draw_natively(generator, name, few, *args, **kwargs)
PyObject* draw_for_python(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    constexpr Py_ssize_t own_ones = 3;
    return guarded([&]() -> PyObject* {
        if (nargs < own_ones) raise(PyExc_TypeError, "a generator, the name of a method, and whether few numbers are worth it are needed");
        PyObject* const made = draw_natively(args[0], args[1], is_true(args[2]), args + own_ones, nargs - own_ones, kwnames);
        return made != nullptr ? made : Py_NewRef(Py_NotImplemented);
    });
}

PyMethodDef functions[] = {{"_draw_natively", as_method(draw_for_python), METH_FASTCALL | METH_KEYWORDS,
                            "What a method of a generator of NumPy's gives, drawn by fastnp; NotImplemented where NumPy is to draw."},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* draw_natively(PyObject* generator, PyObject* name, bool few, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    const Py_ssize_t count = nargs + (kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames));
    const char* const mode = std::getenv("FASTNP_FALLBACK");
    const bool is_asked = few || is_numpy_watched();
    if (!is_asked && std::none_of(args, args + count, &may_be_many)) return nullptr;
    if (records() || has_array_elsewhere(args, count)) return nullptr;
    if (Py_TYPE(generator) != numpys_generator()) return draw_by_legacy(generator, name, args, nargs, kwnames);
    Known* const known = find_method(name);
    if (known == nullptr || (known->method->is_slower && !is_asked) || !draws_as_numpys(*known, name)) return nullptr;
    const bool may_fall_back = mode == nullptr || std::strcmp(mode, "error") != 0;
    // What is wrong is for NumPy to say, if it may: parameters are looked at before anything is drawn.
    try {
        return draw_by(*known, generator, args, nargs, kwnames);
    } catch (const NeedsNumpy&) {
    } catch (const MemoryError&) {
        throw;  // some may have been drawn
    } catch (const PythonError&) {
        if (!may_fall_back || PyErr_ExceptionMatches(PyExc_Exception) == 0) throw;
        PyErr_Clear();
    } catch (const Error&) {
        if (!may_fall_back) throw;
    }
    return nullptr;
}

void add_generator_methods(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace fastnp::python
