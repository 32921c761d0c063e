// numpy.fft as compositions: casts, axes, normalisation and several axes around the three transforms along the last axis.
#include "fastnp/fft.h"

#include <vector>

#include "api/primitives.h"
#include "api/user_sizes.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "ops/infer.h"

namespace fastnp::fft {

using api::Dims;
using ir::Op;

namespace {

api::Dim size_along(const array& x, int axis) { return api::dims_of(x)[static_cast<std::size_t>(ops::normalize_axis(axis, x.ndim()))]; }

// What the op's scale is called in its attributes.
std::int64_t scale_of(Norm norm, bool forward) {
    if (norm == Norm::ortho) return 2;
    return (norm == Norm::forward) == forward ? 1 : 0;
}

Norm swapped(Norm norm) {
    if (norm == Norm::ortho) return norm;
    return norm == Norm::backward ? Norm::forward : Norm::backward;
}

Options along(std::optional<api::Dim> points, int axis, Norm norm) { return {points ? std::optional(points->raw()) : std::nullopt, axis, norm}; }

Dtype scale_dtype(const array& x) { return is_inexact(x.dtype()) ? real_of(x.dtype()) : Dtype::float64; }

// NumPy's loops are found by the operand and the scale, which is a Python number where there is none: only operands of the loop's own dtype beside a
// scale are transformed in single precision.
Dtype loop_dtype(const array& x, Dtype single, std::int64_t scale) {
    if (x.dtype() == single && scale != 0) return single;
    return is_complex(single) ? Dtype::complex128 : Dtype::float64;
}

// x, in the dtype that the op takes, transformed along an axis. `ints`: the op's, but for the last one. The result lies by x as it was given.
array transform(Op op, SmallVector<std::int64_t> ints, const array& x, Dtype loop, api::Dim points, int axis) {
    if (!api::arithmetic().at_least(points, api::Dim(1))) {
        throw ValueError("Invalid number of FFT data points (" + api::arithmetic().told(points) + ") specified.");
    }
    ir::Attributes attributes;
    attributes.ints = std::move(ints);
    attributes.ints.push_back(axis - x.ndim());
    attributes.dims = {points};
    attributes.dtype = scale_dtype(x);
    const array given = moveaxis(x, axis, -1), moved = api::cast(given, loop);
    const array made = api::apply(op, attributes, {&moved, 1});
    return moveaxis(x.dtype() == loop ? made : api::laid_out(made, api::result_order(op, attributes, {&given, 1})), -1, axis);
}

api::Dim points_of(const array& x, const Options& options) { return options.n ? api::size_given(*options.n) : size_along(x, options.axis); }

array complex_transform(const array& x, const Options& options, bool forward) {
    const int axis = ops::normalize_axis(options.axis, x.ndim());
    const std::int64_t scale = scale_of(options.norm, forward);
    const array made = transform(Op::fft, {forward ? 1 : 0, scale}, x, loop_dtype(x, Dtype::complex64, scale), points_of(x, options), axis);
    return api::cast(made, complex_of(x.dtype()));
}

}  // namespace

array fft(const array& x, const Options& options) { return complex_transform(x, options, true); }
array ifft(const array& x, const Options& options) { return complex_transform(x, options, false); }

array rfft(const array& x, const Options& options) {
    const int axis = ops::normalize_axis(options.axis, x.ndim());
    const api::Dim points = points_of(x, options);
    if (is_complex(x.dtype())) {
        const bool even = api::arithmetic().hint(points) % 2 == 0;
        throw TypeError(std::string("ufunc 'rfft_n_") + (even ? "even" : "odd") +
                        "' not supported for the input types, and the inputs could not be safely coerced to any supported types according to the casting "
                        "rule ''safe''");
    }
    const std::int64_t scale = scale_of(options.norm, true);
    const array made = transform(Op::rfft, {scale}, x, loop_dtype(x, Dtype::float32, scale), points, axis);
    return api::cast(made, complex_of(x.dtype()));
}

array irfft(const array& x, const Options& options) {
    const int axis = ops::normalize_axis(options.axis, x.ndim());
    const shape::Arithmetic sizes = api::arithmetic();
    const api::Dim points = options.n ? api::Dim(*options.n) : sizes.multiply(sizes.subtract(size_along(x, axis), api::Dim(1)), api::Dim(2));
    const std::int64_t scale = scale_of(options.norm, false);
    const array made = transform(Op::irfft, {scale}, x, loop_dtype(x, Dtype::complex64, scale), points, axis);
    return api::cast(made, scale_dtype(x));
}

array hfft(const array& x, const Options& options) { return irfft(conjugate(x), {options.n, options.axis, swapped(options.norm)}); }

array ihfft(const array& x, const Options& options) { return conjugate(rfft(x, {options.n, options.axis, swapped(options.norm)})); }

namespace {

// The axes of a transform along several, each with its number of points; nothing where these are as many as there are.
struct Grid {
    std::vector<int> axes;
    std::vector<std::optional<api::Dim>> sizes;
    Norm norm;

    Grid(const array& x, const GridOptions& options, std::optional<Axes> usual = std::nullopt) : norm(options.norm) {
        const Axes& chosen = options.axes.is_none() && usual ? *usual : options.axes;
        const int count = options.s ? static_cast<int>(options.s->size()) : x.ndim();
        if (chosen.is_none()) {
            for (int i = 0; i < count; ++i) axes.push_back(ops::normalize_axis(i - count, x.ndim()));
        } else {
            for (const std::int64_t axis : chosen.list()) axes.push_back(ops::normalize_axis(axis, x.ndim()));
        }
        if (options.s && options.s->size() != axes.size()) throw ValueError("Shape and axes have different lengths.");
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const bool whole = !options.s || (*options.s)[i] == -1;
            // As many as there are now, even if an axis that is there twice was cut before.
            if (whole) sizes.emplace_back(api::Dim(detail::symbolic_shape(x)[static_cast<std::size_t>(axes[i])]));  // handed out: it goes through Options
            else sizes.push_back(api::size_given((*options.s)[i]));
        }
    }

    Options at(std::size_t i) const { return along(sizes[i], axes[i], norm); }
    std::size_t last() const {
        if (axes.empty()) throw IndexError("list index out of range");
        return axes.size() - 1;
    }
};

array all_axes(array x, const Grid& grid, bool forward) {
    for (std::size_t i = grid.axes.size(); i-- > 0;) x = complex_transform(x, grid.at(i), forward);
    return x;
}

array all_axes_of_real(const array& x, const Grid& grid) {
    const std::size_t last = grid.last();
    array made = rfft(x, grid.at(last));
    for (std::size_t i = last; i-- > 0;) made = fft(made, grid.at(i));
    return made;
}

array all_axes_to_real(array x, Grid grid, bool sizes_given) {
    const std::size_t last = grid.last();
    if (!sizes_given) grid.sizes[last] = std::nullopt;
    for (std::size_t i = 0; i < last; ++i) x = ifft(x, grid.at(i));
    return irfft(x, grid.at(last));
}

const Axes last_two{-2, -1};

}  // namespace

array fftn(const array& x, const GridOptions& options) { return all_axes(x, Grid(x, options), true); }
array ifftn(const array& x, const GridOptions& options) { return all_axes(x, Grid(x, options), false); }
array rfftn(const array& x, const GridOptions& options) { return all_axes_of_real(x, Grid(x, options)); }
array irfftn(const array& x, const GridOptions& options) { return all_axes_to_real(x, Grid(x, options), options.s.has_value()); }
array fft2(const array& x, const GridOptions& options) { return all_axes(x, Grid(x, options, last_two), true); }
array ifft2(const array& x, const GridOptions& options) { return all_axes(x, Grid(x, options, last_two), false); }
array rfft2(const array& x, const GridOptions& options) { return all_axes_of_real(x, Grid(x, options, last_two)); }
array irfft2(const array& x, const GridOptions& options) { return all_axes_to_real(x, Grid(x, options, last_two), options.s.has_value()); }

namespace {

array step_of(api::Dim points, double d) {
    const array length = multiply(api::extent(points), d);
    if (api::arithmetic().equal(points, api::Dim(0)) || d == 0) throw ZeroDivisionError("float division by zero");
    return divide(1.0, length);
}

// Each axis rotated by half its length, the middle element of an odd number to the front or back.
array rotated(const array& given, const Axes& axes, bool back) {
    array x = given;
    std::vector<int> places;
    if (axes.is_none()) {
        for (int i = 0; i < x.ndim(); ++i) places.push_back(i);
    }
    for (const std::int64_t axis : axes.list()) places.push_back(ops::normalize_axis(axis, x.ndim()));
    const shape::Arithmetic sizes = api::arithmetic();
    const SmallVector<std::int64_t> steps(static_cast<std::size_t>(x.ndim()), 1);
    for (const int axis : places) {
        const auto place = static_cast<std::size_t>(axis);
        const Dims shape = api::dims_of(x);
        const api::Dim half = sizes.divide(shape[place], api::Dim(2)), rest = sizes.subtract(shape[place], half);
        const api::Dim cut = back ? half : rest;
        Dims starts(shape.size(), api::Dim(0)), lengths = shape;
        lengths[place] = cut;
        const array first = api::slice(x, starts, lengths, {steps.data(), steps.size()});
        starts[place] = cut;
        lengths[place] = sizes.subtract(shape[place], cut);
        x = concatenate({api::slice(x, starts, lengths, {steps.data(), steps.size()}), first}, axis);
    }
    return places.empty() ? x.copy() : api::laid_out(x, api::order_of(given));
}

}  // namespace

array fftfreq(std::int64_t n, double d) {
    const shape::Arithmetic sizes = api::arithmetic();
    const api::Dim points = api::Dim(api::checked_sizes(Shape{n})[0]), half = sizes.divide(sizes.add(points, api::Dim(1)), api::Dim(2));
    const array step = step_of(points, d), place = api::iota({points}, 0);
    return where(place < api::extent(half), place, place - api::extent(points)) * step;
}

array rfftfreq(std::int64_t n, double d) {
    const shape::Arithmetic sizes = api::arithmetic();
    const api::Dim points = api::Dim(api::checked_sizes(Shape{n})[0]);
    const array step = step_of(points, d);
    return api::iota({sizes.add(sizes.divide(points, api::Dim(2)), api::Dim(1))}, 0) * step;
}

array fftshift(const array& x, const Axes& axes) { return rotated(x, axes, false); }
array ifftshift(const array& x, const Axes& axes) { return rotated(x, axes, true); }

}  // namespace fastnp::fft
