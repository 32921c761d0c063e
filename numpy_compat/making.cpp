// Samples, grids and matrices made of numbers and vectors.
#include "fastnp/numpy_compat/making.h"

#include <limits>
#include <string>

#include "fastnp/detail/size.h"
#include "fastnp/detail/transform.h"
#include "fastnp/error.h"
#include "size.h"

namespace fastnp {

using compat::line_of;
using compat::Size;
using compat::size_of;

namespace {

Dtype floating_dtype(std::initializer_list<const Operand*> operands, std::initializer_list<Dtype> more = {}) {
    SmallVector<Dtype> dtypes;
    SmallVector<WeakKind> weak{WeakKind::floating};
    for (const Operand* each : operands) {
        if (each->as_array() != nullptr) dtypes.push_back(each->as_array()->dtype());
        else weak.push_back(each->as_scalar()->kind());
    }
    for (const Dtype each : more) dtypes.push_back(each);
    return result_type({dtypes.data(), dtypes.size()}, {weak.data(), weak.size()});
}

array in_dtype(const Operand& x, Dtype dtype) {
    if (x.as_scalar() != nullptr) return array(*x.as_scalar(), dtype);
    return x.as_array()->dtype() == dtype ? *x.as_array() : x.as_array()->astype(dtype);
}

array as_array(const Operand& x) { return x.as_scalar() != nullptr ? array(*x.as_scalar()) : *x.as_array(); }

bool are_recorded(const array& a, const array& b) { return compat::is_recorded(a) || b.is_recorded(); }

// 0, 1, 2, ..., along the first of `rank` axes.
array counted(Size count, int rank, Dtype dtype) {
    array made = detail::size_range(0, count.raw());
    if (made.dtype() != dtype) made = made.astype(dtype);
    Shape shape(static_cast<std::size_t>(rank), 1);
    if (rank < 2) return made;
    shape[0] = count.raw();
    return reshape(made, shape);
}

// Places times the step. Where one of several steps is too small to be told from 0, places are divided first.
array scaled(const array& places, const array& parts, const array& delta, const array& step) {
    if (are_recorded(delta, step)) return where(any(step == 0), places / parts * delta, places * step);
    return static_cast<bool>(any(step == 0)) ? places / parts * delta : places * step;
}

array moved_to(const array& values, int axis) { return axis == 0 ? values : moveaxis(values, 0, axis); }

}  // namespace

SpacedSamples linspace_with_step(const Operand& start, const Operand& stop, std::int64_t num, bool endpoint, std::optional<Dtype> dtype, int axis) {
    if (Size(num) < 0) throw ValueError("Number of samples, " + std::to_string(num) + ", must be non-negative.");
    const Dtype compute = floating_dtype({&start, &stop});
    const array first = in_dtype(start, compute), last = in_dtype(stop, compute);
    const array delta = subtract(stop, start, {.dtype = compute});  // of the ends as they lie
    const Size count = num, parts = endpoint ? count - 1 : count;
    const array places = counted(count, delta.ndim() + 1, compute);
    array values, step(std::numeric_limits<double>::quiet_NaN());
    if (parts > 0) {
        const array divisor = detail::size_value(parts.raw()).astype(compute);
        step = delta / divisor;
        if (delta.ndim() == 0 && !are_recorded(first, last) && static_cast<bool>(step != 0)) {  // in one memory
            values = places;
            values *= step;
            values += first;
        } else {
            values = scaled(places, divisor, delta, step);
            values += first;
        }
        if (endpoint && are_recorded(first, last)) values = where(places == divisor, last, values);
        else if (endpoint) values(-1, ellipsis) = last;
    } else {
        values = places * delta;
        values += first;
    }
    values = moved_to(values, axis);
    const Dtype wanted = dtype.value_or(compute);
    if (is_integer(wanted)) values = floor(values);
    return {wanted == compute ? values : values.astype(wanted), step, parts > 0};
}

array linspace(const array& start, const array& stop, std::int64_t num, bool endpoint, std::optional<Dtype> dtype, int axis) {
    return linspace_with_step(start, stop, num, endpoint, dtype, axis).values;
}

array logspace(const Operand& start, const Operand& stop, std::int64_t num, bool endpoint, const Operand& base, std::optional<Dtype> dtype, int axis) {
    Operand first = start, last = stop, given = base;
    if (base.as_array() != nullptr && base.as_array()->ndim() > 0) {  // a base for each pair of ends
        array bases = *base.as_array(), low = as_array(start), high = as_array(stop);
        const int rank = std::max({bases.ndim(), low.ndim(), high.ndim()});
        for (array* each : {&bases, &low, &high}) {
            while (each->ndim() < rank) *each = expand_dims(*each, 0);
        }
        (void)broadcast_arrays({low, high, bases});  // or it raises
        first = low;
        last = high;
        given = expand_dims(bases, axis);
    }
    const array made = power(given, linspace_with_step(first, last, num, endpoint, std::nullopt, axis).values);
    return !dtype || made.dtype() == *dtype ? made : made.astype(*dtype);
}

array geomspace(const Operand& start, const Operand& stop, std::int64_t num, bool endpoint, std::optional<Dtype> dtype, int axis) {
    const array given_first = as_array(start), given_last = as_array(stop);
    for (const array& each : {given_first, given_last}) {
        if (!detail::is_mapped(each) && static_cast<bool>(any(each == 0))) throw ValueError("Geometric sequence cannot include zero");
    }
    const Operand one = given_first, other = given_last;
    const Dtype compute = floating_dtype({&one, &other}, {dtype.value_or(Dtype::float64)});
    array first = given_first.astype(compute), last = given_last.astype(compute);
    const array direction = sign(first);
    first = first / direction;
    last = last / direction;
    array values = logspace(log10(first), log10(last), num, endpoint, 10.0, compute);
    // The ends are those that were given: powers of logarithms are not, always.
    const Size count = num;
    if (count > 0 && are_recorded(first, last)) {
        const array places = counted(count, values.ndim(), Dtype::int64);
        values = where(places == 0, first, values);
        if (endpoint && count > 1) values = where(places == detail::size_value((count - 1).raw()), last, values);
    } else if (count > 0) {
        values(0, ellipsis) = first;
        if (endpoint && count > 1) values(-1, ellipsis) = last;
    }
    values = moved_to(values * direction, axis);
    const Dtype wanted = dtype.value_or(compute);
    return wanted == compute ? values : values.astype(wanted);
}

array vander(const array& x, std::optional<std::int64_t> columns, bool increasing) {
    if (x.ndim() != 1) throw ValueError("x must be a one-dimensional array or sequence.");
    const Size rows = size_of(x, 0), count = columns ? Size(*columns) : rows;
    if (count < 0) throw ValueError("negative dimensions are not allowed");
    const Dtype dtype = promote_types(x.dtype(), Dtype::int64);
    if (compat::is_recorded(x)) {
        if (!(count > 1)) return ones({rows.raw(), count.raw()}, dtype);
        const array base = broadcast_to(in_dtype(x, dtype)(all, newaxis), {rows.raw(), (count - 1).raw()});
        const array made = concatenate({ones({rows.raw(), 1}, dtype), cumprod(base, {.axis = 1})}, 1);
        return increasing ? made : flip(made, 1).copy();
    }
    const array made = empty({rows.raw(), count.raw()}, dtype);
    const array powers = increasing ? made : flip(made, 1);
    if (count > 0) powers(all, 0) = 1;
    if (count > 1) powers(all, from(1)) = cumprod(broadcast_to(in_dtype(x, dtype)(all, newaxis), {rows.raw(), (count - 1).raw()}), {.axis = 1});
    return made;
}

std::vector<array> open_indices(const Shape& dimensions, Dtype dtype) {
    std::vector<array> made;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        if (Size(dimensions[i]) < 0) throw ValueError("negative dimensions are not allowed");
        Shape shape(dimensions.size(), 1);
        shape[i] = dimensions[i];
        made.push_back(reshape(detail::size_range(0, dimensions[i]).astype(dtype), shape));
    }
    return made;
}

array indices(const Shape& dimensions, Dtype dtype) {
    Shape whole = dimensions;
    whole.insert(whole.begin(), static_cast<std::int64_t>(dimensions.size()));
    array made = empty(whole, dtype);
    std::int64_t at = 0;
    for (const array& each : open_indices(dimensions, dtype)) made(at++) = each;
    return made;
}

std::vector<array> ix_(const std::vector<array>& vectors) {
    std::vector<array> made;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        if (vectors[i].ndim() != 1) throw ValueError("Cross index must be 1 dimensional");
        const array places = vectors[i].dtype() == Dtype::bool_ ? flatnonzero(vectors[i]) : vectors[i];
        Shape shape(vectors.size(), 1);
        shape[i] = size_of(places, 0).raw();
        made.push_back(reshape(places, shape));
    }
    return made;
}

std::vector<array> meshgrid(const std::vector<array>& vectors, bool copy, bool sparse, Indexing indexing) {
    const bool turns = indexing == Indexing::xy && vectors.size() > 1;
    std::vector<array> made;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        Shape shape(vectors.size(), 1);
        shape[turns && i < 2 ? 1 - i : i] = compat::count_of(vectors[i]).raw();
        made.push_back(reshape(vectors[i], shape));
    }
    if (!sparse && !made.empty()) made = broadcast_arrays(made);
    if (copy) {
        for (array& each : made) each = each.copy();
    }
    return made;
}

}  // namespace fastnp
