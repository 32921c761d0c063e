// numpy.linalg over fastnp's functions, for fastnp._linalg.
#include "fastnp/linalg.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/transform.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "as_method.h"
#include "casters.h"
#include "elements.h"
#include "float_errors.h"
#include "linalg.h"
#include "ndarray.h"
#include "tape.h"

namespace py = pybind11;

namespace {

// An array that is taken in the call itself: one on the tape enters it there.
struct Late {
    PyObject* object = nullptr;
    fastnp::array operator*() const { return fastnp::python::to_array(object); }
};

}  // namespace

template <>
struct pybind11::detail::type_caster<Late> {
    PYBIND11_TYPE_CASTER(Late, const_name("fastnp.ndarray"));
    bool load(handle source, bool) {
        value.object = source.ptr();
        return true;
    }
};

namespace fastnp::python {

namespace {

// A result; one without axes is one of NumPy's scalars.
py::object given(array x) { return py::reinterpret_steal<py::object>(wrap_scalar(std::move(x))); }

std::optional<array> taken(const std::optional<Late>& x) { return x ? std::optional(**x) : std::nullopt; }

linalg::Triangle triangle_of(bool lower) { return lower ? linalg::Triangle::lower : linalg::Triangle::upper; }

Axes axes_of(const std::optional<std::vector<std::int64_t>>& axes) { return axes ? Axes(std::span<const std::int64_t>(*axes)) : Axes(); }

using Number = std::optional<linalg::NormOrder>;
using AxisList = std::optional<std::vector<std::int64_t>>;

// Whether the eigenvalues of real matrices all are real, as results of NumPy's then are (before 2.5: `may_be`); while recording this is read. Of parts
// that a function is mapped over it can't be, and they are complex.
bool are_real(const array& x, const array& values, bool may_be) {
    return may_be && !is_complex(x.dtype()) && !detail::is_mapped(values) && static_cast<bool>(all(imag(values) == 0));
}

// As NumPy's: a view, or a copy in a dtype that is narrower than what it was computed in.
array real_of(const array& x) { return x.dtype() == Dtype::complex128 ? detail::part_of(x, false) : real(x); }

void add_systems(py::module_& module) {
    const py::call_guard<TapeCall> guard;
    module.def("_linalg_solve", [](Late a, Late b) { return given(linalg::solve(*a, *b)); }, guard, "numpy.linalg.solve.");
    module.def("_linalg_inv", [](Late a) { return given(linalg::inv(*a)); }, guard, "numpy.linalg.inv.");
    module.def("_linalg_det", [](Late a) { return given(linalg::det(*a)); }, guard, "numpy.linalg.det.");
    module.def(
        "_linalg_slogdet",
        [](Late a) {
            auto [sign, logarithm] = linalg::slogdet(*a);
            return py::make_tuple(given(sign), given(logarithm));
        },
        guard, "numpy.linalg.slogdet: (sign, logabsdet).");
    module.def("_linalg_cholesky", [](Late a, bool upper) { return given(linalg::cholesky(*a, upper)); }, guard, "numpy.linalg.cholesky.");
    module.def(
        "_linalg_pinv", [](Late a, const std::optional<Late>& rcond, bool hermitian) { return given(linalg::pinv(*a, {taken(rcond), hermitian})); }, guard,
        "numpy.linalg.pinv.");
    module.def(
        "_linalg_lstsq",
        [](Late a, Late b, std::optional<double> rcond) {
            auto [x, residuals, rank, s] = linalg::lstsq(*a, *b, rcond);
            return py::make_tuple(given(x), given(residuals), given(rank), given(s));
        },
        guard, "numpy.linalg.lstsq.");
    module.def(
        "_linalg_multi_dot",
        [](const std::vector<Late>& factors) {
            std::vector<array> arrays;
            for (const Late each : factors) arrays.push_back(*each);
            return given(linalg::multi_dot(arrays));
        },
        guard, "numpy.linalg.multi_dot.");
    module.def("_linalg_matrix_power", [](Late a, std::int64_t n) { return given(linalg::matrix_power(*a, n)); }, guard, "numpy.linalg.matrix_power.");
    module.def(
        "_linalg_tensorsolve", [](Late a, Late b, const std::vector<int>& axes) { return given(linalg::tensorsolve(*a, *b, axes)); }, guard,
        "numpy.linalg.tensorsolve.");
    module.def("_linalg_tensorinv", [](Late a, int ind) { return given(linalg::tensorinv(*a, ind)); }, guard, "numpy.linalg.tensorinv.");
}

void add_decompositions(py::module_& module) {
    const py::call_guard<TapeCall> guard;
    module.def(
        "_linalg_qr",
        [](Late a, bool complete) {
            auto [q, r] = linalg::qr(*a, complete);
            return py::make_tuple(given(q), given(r));
        },
        guard, "numpy.linalg.qr: (Q, R).");
    module.def(
        "_linalg_qr_raw",
        [](Late a) {
            auto [reflections, factors] = linalg::qr_raw(*a);
            return py::make_tuple(given(reflections), given(factors));
        },
        guard, "numpy.linalg.qr with mode='raw'.");
    module.def(
        "_linalg_eigh",
        [](Late a, bool lower) {
            auto [values, vectors] = linalg::eigh(*a, triangle_of(lower));
            return py::make_tuple(given(values), given(vectors));
        },
        guard, "numpy.linalg.eigh.");
    module.def("_linalg_eigvalsh", [](Late a, bool lower) { return given(linalg::eigvalsh(*a, triangle_of(lower))); }, guard, "numpy.linalg.eigvalsh.");
    module.def(
        "_linalg_eig",
        [](Late a, bool may_be_real) {
            const array x = *a;
            const auto [values, vectors] = linalg::eig(x);
            const bool is_real = are_real(x, values, may_be_real);
            return py::make_tuple(given(is_real ? real_of(values) : values), given(is_real ? real_of(vectors) : vectors));
        },
        guard, "numpy.linalg.eig.");
    module.def(
        "_linalg_eigvals",
        [](Late a, bool may_be_real) {
            const array x = *a, values = linalg::eigvals(x);
            return given(are_real(x, values, may_be_real) ? real_of(values) : values);
        },
        guard, "numpy.linalg.eigvals.");
    module.def(
        "_linalg_svd",
        [](Late a, bool full, bool hermitian) {
            auto [u, s, vh] = linalg::svd(*a, full, hermitian);
            return py::make_tuple(given(u), given(s), given(vh));
        },
        guard, "numpy.linalg.svd: (U, S, Vh).");
    module.def("_linalg_svdvals", [](Late a, bool hermitian) { return given(linalg::svdvals(*a, hermitian)); }, guard, "The singular values alone.");
    module.def(
        "_linalg_matrix_rank",
        [](Late a, const std::optional<Late>& tol, bool hermitian, const std::optional<Late>& rtol) {
            return given(linalg::matrix_rank(*a, taken(tol), hermitian, taken(rtol)));
        },
        guard, "numpy.linalg.matrix_rank.");
    module.def("_linalg_cond", [](Late x, const Number& p) { return given(linalg::cond(*x, p)); }, guard, "numpy.linalg.cond.");
    module.def(
        "_linalg_norm",
        [](Late x, const Number& ord, const AxisList& axis, bool keepdims) { return given(linalg::norm(*x, {ord, axes_of(axis), keepdims})); }, guard,
        "numpy.linalg.norm; axis: a list, or None.");
    module.def(
        "_linalg_vector_norm",
        [](Late x, const AxisList& axis, bool keepdims, double ord) { return given(linalg::vector_norm(*x, axes_of(axis), keepdims, ord)); }, guard,
        "numpy.linalg.vector_norm.");
}

// The Euclidean norm of all real elements of an array on the host; NotImplemented for other calls.
PyObject* quick_norm(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&]() -> PyObject* {
        HostElements x;
        const bool is_alone = nargs == 1 && kwnames == nullptr && is_ndarray(args[0]) && find(args[0], x);
        if (!is_alone || x.rank() == 0 || !is_floating(x.dtype) || x.dtype == Dtype::bfloat16) return Py_NewRef(Py_NotImplemented);
        return watched({"linalg.norm", args, nargs}, [&] {
            const array& values = value_of(args[0]);
            if (!values.is_c_contiguous()) return Py_NewRef(Py_NotImplemented);
            const array line = ravel(values);
            return wrap_scalar(sqrt(dot(line, line)));
        });
    });
}

PyMethodDef quick_functions[] = {{"_quick_norm", as_method(quick_norm), METH_FASTCALL | METH_KEYWORDS, "numpy.linalg.norm, or NotImplemented."},
                                 {nullptr, nullptr, 0, nullptr}};

}  // namespace

void add_linalg(py::module_& module) {
    add_systems(module);
    add_decompositions(module);
    if (PyModule_AddFunctions(module.ptr(), quick_functions) != 0) throw py::error_already_set();
}

}  // namespace fastnp::python
