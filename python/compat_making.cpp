// Bodies of compat_making.def.
#include "fastnp/numpy_compat/making.h"

#include <algorithm>

#include "compat.h"

namespace fastnp::python {

namespace compat {

template <>
struct Words<Indexing> {
    static constexpr std::pair<std::string_view, Indexing> list[] = {{"xy", Indexing::xy}, {"ij", Indexing::ij}};
};

}  // namespace compat

PyObject* logspace_body(PyObject** v) { return bound<logspace_signature>(&fastnp::logspace, v); }
PyObject* geomspace_body(PyObject** v) { return bound<geomspace_signature>(&fastnp::geomspace, v); }

PyObject* vander_body(PyObject** v) {
    const array x = to_array(v[0]);
    const auto columns = compat::From<std::optional<std::int64_t>>::make(v[1]);
    constexpr std::int64_t many = 8192;
    if (compat::may_leave(x) && x.size() * columns.value_or(x.size()) > many) throw NeedsNumpy{};  // which multiplies in place
    return wrap(vander(x, columns, v[2] != nullptr && is_true(v[2])));
}

PyObject* indices_body(PyObject** v) {
    if (!PyTuple_Check(v[0]) && !PyList_Check(v[0])) throw NeedsNumpy{};
    const Shape sizes = to_sizes(v[0]);
    const Dtype dtype = to_dtype(v[1]).value_or(v[1] == nullptr ? Dtype::int64 : Dtype::float64);
    if (dtype == Dtype::bool_) throw NeedsNumpy{};  // there are no more than two
    if (v[2] == nullptr || !is_true(v[2])) return wrap(indices(sizes, dtype));
    const Ref made = own(compat::result_of(open_indices(sizes, dtype)));
    return check(PyList_AsTuple(made.get()));
}

PyObject* ix__body(PyObject** v) {
    std::vector<array> vectors;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(v[0]); ++i) {
        PyObject* const item = PyTuple_GET_ITEM(v[0], i);
        vectors.push_back(to_array(item));
        const bool is_array = is_ndarray(item) || PyArray_Check(item);
        if (!is_array && !vectors.back().is_recorded() && vectors.back().size() == 0) vectors.back() = vectors.back().astype(Dtype::int64);
    }
    return compat::views_of_items(ix_(vectors), v[0]);
}

PyObject* meshgrid_body(PyObject** v) {
    const auto vectors = compat::From<std::vector<array>>::make(v[0]);
    const bool copy = v[1] == nullptr || is_true(v[1]), sparse = v[2] != nullptr && is_true(v[2]);
    const Indexing indexing = v[3] == nullptr ? Indexing::xy : compat::From<Indexing>::make(v[3]);
    const std::vector<array> grids = meshgrid(vectors, copy, sparse, indexing);
    if (copy) return check(PyList_AsTuple(own(compat::result_of(grids)).get()));
    Ref views = own(compat::views_of_items(grids, v[0]));
    return sparse ? check(PySequence_List(views.get())) : views.release();
}

namespace {

std::int64_t larger(std::int64_t a, std::int64_t b) {
    const auto is = [](std::int64_t size, std::int64_t number) { return detail::is_symbolic(size) ? detail::sizes_equal(size, number) : size == number; };
    if (a == b || is(b, 1)) return a;
    if (is(a, 1)) return b;
    const bool varies = detail::is_symbolic(a) || detail::is_symbolic(b);
    if (!varies || !detail::sizes_equal(a, b)) throw NeedsNumpy{};  // for the error
    return a;
}

}  // namespace

PyObject* broadcast_shapes_body(PyObject** v) {
    std::vector<std::int64_t> whole;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(v[0]); ++i) {
        const std::vector<std::int64_t> sizes = compat::to_numbers(PyTuple_GET_ITEM(v[0], i));
        if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; })) throw NeedsNumpy{};
        if (sizes.size() > 64) throw NeedsNumpy{};
        if (sizes.size() > whole.size()) whole.insert(whole.begin(), sizes.size() - whole.size(), 1);
        for (std::size_t j = 1; j <= sizes.size(); ++j) whole[whole.size() - j] = larger(whole[whole.size() - j], sizes[sizes.size() - j]);
    }
    Ref made = own(PyTuple_New(static_cast<Py_ssize_t>(whole.size())));
    for (std::size_t i = 0; i < whole.size(); ++i) PyTuple_SET_ITEM(made.get(), static_cast<Py_ssize_t>(i), size_object(whole[i]));
    return made.release();
}

}  // namespace fastnp::python
