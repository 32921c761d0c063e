// Reductions and scans with NumPy's keyword arguments, and the statistics made of them.
#include <algorithm>
#include <cmath>

#include "api/at_device.h"
#include "api/fold.h"
#include "api/fold_output.h"
#include "api/layout.h"
#include "api/primitives.h"
#include "api/root.h"
#include "eager/eager.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "ops/infer.h"
#include "trace/recorder.h"

namespace fastnp {
namespace api {

using ir::Op;

namespace {

AxisList all_axes(int rank) {
    AxisList axes;
    for (int i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
}

}  // namespace

AxisList axes_of(const Axes& axes, int rank) {
    if (axes.is_none()) return all_axes(rank);
    if (rank == 0 && axes.is_one() && (axes.list()[0] == 0 || axes.list()[0] == -1)) return {};
    AxisList result = ops::normalize_axes(axes.list(), rank);
    std::sort(result.begin(), result.end());
    return result;
}

Dims kept_shape(const Dims& shape, const AxisList& axes) {
    Dims kept;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) == axes.end()) kept.push_back(shape[i]);
    }
    return kept;
}

bool is_empty(const Dims& shape, const AxisList& axes) {
    for (const std::int64_t axis : axes) {
        if (arithmetic().equal(shape[static_cast<std::size_t>(axis)], Dim(0))) return true;
    }
    return false;
}

void check_where(const array& where) {
    if (where.dtype() == Dtype::bool_) return;
    throw TypeError("Cannot cast array data from dtype('" + std::string(name_of(where.dtype())) + "') to dtype('bool') according to the rule 'safe'");
}

namespace {

array combine(Op op, const array& x, const array& y) {
    const Operand first(x), second(y);
    const Operand* operands[] = {&first, &second};
    return cast(ufunc(op, operands), x.dtype());
}

bool is_negative_zero(double x) { return x == 0 && std::signbit(x); }

// Sums start from 0.0. So one that NumPy starts from -0.0 is made by parts: where all terms are -0.0, so is it.
array sum_from_negative_zero(const array& x, std::span<const std::int64_t> axes) {
    if (is_complex(x.dtype())) {
        const Operand re = sum_from_negative_zero(real(x), axes), im = sum_from_negative_zero(imag(x), axes);
        const Operand* parts[] = {&re, &im};
        return ufunc(Op::from_parts, parts);
    }
    const array is_negative = fold(Op::all, logical_and(equal(x, 0), signbit(x)), axes);
    const array total = fold(Op::sum, x, axes);
    return select(is_negative, constant(-0.0, x.dtype(), dims_of(total)), total);
}

// Whether a sum is to start from -0.0, which is 0.0 plus nothing.
bool starts_below_zero(Op op, const FoldOptions& options, Dtype dtype) {
    if (op != Op::sum || !options.initial || !is_inexact(dtype)) return false;
    return is_negative_zero(options.initial->real()) || is_negative_zero(options.initial->imag());
}

// What stands for elements that where= leaves out.
Scalar masked_by(Op op, const FoldOptions& options, Dtype dtype) {
    const int identity = *ops::info(op).identity;
    const bool has_no_sign = identity < 0 && (dtype == Dtype::bool_ || kind_of(dtype) == 'u');
    if (has_no_sign) return dtype == Dtype::bool_ ? Scalar(true) : Scalar(~std::uint64_t{0} >> (64 - 8 * itemsize_of(dtype)));
    if (!starts_below_zero(op, options, dtype)) return identity;
    return is_complex(dtype) ? Scalar(std::complex<double>(-0.0, -0.0)) : Scalar(-0.0);
}

// A fold of no axes still joins each element with what the fold starts from.
array started(const ops::Info& row, const array& x) {
    if (!row.identity || !is_inexact(x.dtype())) return x;
    return combine(row.combine, constant(*row.identity, x.dtype()), x);
}

// Whether bools are counted without being made int64 before.
bool is_count(Op op, const array& x, Dtype dtype, const FoldOptions& options) {
    const bool is_of_bools = op == Op::sum && x.dtype() == Dtype::bool_ && dtype == Dtype::int64 && !options.where;
    return is_of_bools && trace::Recorder::active() == nullptr && !x.is_recorded() && !may_be_on_device();
}

array counted(const array& x, std::span<const std::int64_t> axes) {
    check_alive(x);
    ir::Attributes attributes;
    attributes.ints.assign(axes.begin(), axes.end());
    const eager::View view = view_of(x.body()->memory);
    Shape kept;
    for (const Dim dim : kept_shape(dims_of(x), AxisList(axes.begin(), axes.end()))) kept.push_back(dim.value());
    device::Memory out = allocate(Dtype::int64, kept, result_order(Op::sum, attributes, {&view, 1}));
    eager::run(Op::sum, attributes, {&view, 1}, view_of(out));
    return wrap(std::move(out));
}

// A fold of `x`, which is `source` in the dtype that is folded in: NumPy casts on the way, so that the result lies by the source.
array folded(Op op, const array& x, std::span<const std::int64_t> axes, const array& source) {
    const array result = fold(op, x, axes);
    if (x.body() == source.body() || source.ndim() < 3) return result;
    ir::Attributes attributes;
    attributes.ints.assign(axes.begin(), axes.end());
    return laid_out(result, result_order(op, attributes, {&source, 1}));
}

}  // namespace

array reduce(Op op, const Operand& operand, const FoldOptions& options) {
    const ops::Info& row = ops::info(op);
    const array source = as_array(operand);
    const AxisList axes = axes_of(options.axis, source.ndim());
    const Dtype dtype = ops::fold_dtype(op, source.dtype(), wanted_dtype(row.combine, source.dtype(), options.dtype, options.out));
    const bool counts = !axes.empty() && is_count(op, source, dtype, options);
    array x = counts ? source : cast(source, dtype);
    if (options.where) {
        check_where(*options.where);
        if (!row.identity && !options.initial) {
            throw ValueError("reduction operation '" + std::string(ops::info(row.combine).name) +
                             "' does not have an identity, so to use a where mask one has to specify 'initial'");
        }
        const array mask = broadcast(*options.where, dims_of(x));
        x = select(mask, x, constant(row.identity ? masked_by(op, options, dtype) : *options.initial, dtype));
    }
    array result = x;
    const bool start_alone = options.initial && !row.identity && is_empty(dims_of(x), axes);
    if (start_alone) {
        result = constant(*options.initial, dtype, kept_shape(dims_of(x), axes));
    } else if (counts) {
        result = counted(source, span_of(axes));
    } else if (!axes.empty()) {
        result =
            starts_below_zero(op, options, dtype) ? sum_from_negative_zero(x, span_of(axes)) : folded(op, x, span_of(axes), options.where ? x : source);
    } else if (const array begun = options.initial ? x : started(row, x); begun.body() != source.body()) {
        result = begun;
    } else {
        result = laid_out(x.copy(), result_order(Op::cast, {}, {&x, 1}));
    }
    if (options.initial && !start_alone) result = combine(row.combine, result, constant(*options.initial, dtype));
    if (options.keepdims) result = expand(result, span_of(axes));
    return store_reduced(result, options.out, {row.combine, x, span_of(axes), options.keepdims});
}

array scan(Op op, const Operand& operand, const AxisOptions& options) {
    const array source = as_array(operand);
    const array x = options.axis && source.ndim() > 0 ? source : flatten(source);
    const std::int64_t axis = options.axis ? ops::normalize_axis(*options.axis, x.ndim()) : 0;
    const Dtype dtype = ops::fold_dtype(op, x.dtype(), wanted_dtype(ops::info(op).combine, x.dtype(), options.dtype, options.out));
    return store_scanned(fold(op, cast(x, dtype), {&axis, 1}), options.out, axis);
}

namespace {

array choose(Op op, const Operand& operand, const AxisOptions& options) {
    const array source = as_array(operand);
    const int rank = source.ndim();
    if (rank == 0 && options.axis) ops::normalize_axis(*options.axis, 1);
    const bool flat = !options.axis || rank == 0;
    const array x = flat ? flatten(source) : source;
    const std::int64_t axis = flat ? 0 : ops::normalize_axis(*options.axis, rank);
    array result = fold(op, x, {&axis, 1});
    if (options.keepdims) result = expand(result, flat ? span_of(all_axes(rank)) : std::span<const std::int64_t>(&axis, 1));
    return store_places(result, options.out, op);
}

array binary(Op op, const Operand& x, const Operand& y) {
    const Operand* operands[] = {&x, &y};
    return ufunc(op, operands);
}

// How many elements each result is made of: a number, or with where= an array.
array count_of(const array& x, const AxisList& axes, const FoldOptions& options, bool keepdims) {
    if (options.where) {
        FoldOptions counting;
        counting.axis = axes.empty() && !options.axis.is_none() ? Axes(std::span<const std::int64_t>()) : Axes(span_of(axes));
        counting.keepdims = keepdims;
        return reduce(Op::sum, broadcast(*options.where, dims_of(x)), counting);
    }
    Dim count(1);
    for (const std::int64_t axis : axes) count = arithmetic().multiply(count, dims_of(x)[static_cast<std::size_t>(axis)]);
    return extent(count);
}

// As NumPy, which counts the elements along axes that there are, though the sum along axis 0 of a 0-d array is the array.
void check_counted(const array& x, const FoldOptions& options) {
    if (x.ndim() == 0 && !options.where) (void)ops::normalize_axes(options.axis.list(), 0);
}

// Sums are made in float64 for integers and in float32 for float16, as NumPy.
Dtype statistic_dtype(Dtype dtype, std::optional<Dtype> wanted) {
    if (wanted) return *wanted;
    if (dtype == Dtype::float16 || dtype == Dtype::bfloat16) return Dtype::float32;
    return is_inexact(dtype) ? dtype : Dtype::float64;
}

Dtype result_dtype(Dtype dtype, std::optional<Dtype> wanted) {
    if (wanted) return *wanted;
    return is_inexact(dtype) ? dtype : Dtype::float64;
}

// total / count in the total's dtype, divided as wide as NumPy divides by an integer count.
array divided(const array& total, const array& count) { return cast(binary(Op::divide, total, count), total.dtype()); }

FoldOptions sum_options(const FoldOptions& options, const AxisList& axes, Dtype dtype, bool keepdims) {
    FoldOptions result;
    result.axis = Axes(span_of(axes));
    result.keepdims = keepdims;
    result.dtype = dtype;
    result.where = options.where;
    return result;
}

// Whether a size is 0; of one that is found on the way, that isn't asked.
bool has_no_elements(const Dims& shape) {
    const shape::Arithmetic sizes = arithmetic();
    return std::any_of(shape.begin(), shape.end(),
                       [&](Dim dim) { return (dim.is_constant() || sizes.sizes()->stage(dim) == 0) && sizes.equal(dim, Dim(0)); });
}

// NumPy warns of a mean of nothing, whether or not anything is divided for it: who looks at the flags asks it. A count that varies is divided by when the
// program runs, which tells of it then, unless the result has no elements.
void flag_mean_of_nothing(const array& x, const AxisList& axes) {
    const Dims shape = dims_of(x);
    const auto is_among = [&](auto&& asked) {
        return std::any_of(axes.begin(), axes.end(), [&](auto i) { return asked(shape[static_cast<std::size_t>(i)]); });
    };
    const bool is_nothing = is_among([](Dim dim) { return dim == Dim(0); });
    const bool varies = !is_nothing && is_among([](Dim dim) { return !dim.is_constant(); });
    if (is_nothing || (varies && has_no_elements(kept_shape(shape, axes)) && is_empty(shape, axes))) {
        detail::raise_float_flags(detail::float_invalid | detail::float_divide);
    }
}

// The sum that a statistic is made of; with out= in its dtype, as NumPy makes it there.
array total_of(const array& x, const FoldOptions& options, const AxisList& axes, Dtype dtype) {
    const bool chosen = options.dtype || dtype != x.dtype();
    const auto wanted = chosen ? dtype : wanted_dtype(Op::add, dtype, std::nullopt, options.out);
    const array total = reduce(Op::sum, x, sum_options(options, axes, wanted.value_or(dtype), options.keepdims));
    return options.out ? cast(total, options.out->dtype()) : total;
}

array store_statistic(const array& result, const FoldOptions& options, const array& x, const AxisList& axes) {
    return store_reduced(result, options.out, {Op::add, x, span_of(axes), options.keepdims});
}

// The mean of squares of distances from the mean.
array variance(const array& x, const FoldOptions& options, double ddof) {
    check_counted(x, options);
    const AxisList axes = axes_of(options.axis, x.ndim());
    const Dtype dtype = statistic_dtype(x.dtype(), options.dtype);
    const array count = count_of(x, axes, options, true);
    const array center = divided(reduce(Op::sum, x, sum_options(options, axes, dtype, true)), count);
    const array distance = binary(Op::subtract, x, center);
    array squares = distance;
    if (is_complex(distance.dtype())) {
        const array re = real(distance), im = imag(distance);
        squares = binary(Op::add, binary(Op::multiply, re, re), binary(Op::multiply, im, im));
    } else {
        squares = binary(Op::multiply, distance, distance);
    }
    const array total = total_of(squares, options, axes, real_of(dtype));
    const array counted = count_of(x, axes, options, options.keepdims);
    const array whole = ddof == std::floor(ddof) ? binary(Op::subtract, counted, static_cast<std::int64_t>(ddof)) : binary(Op::subtract, counted, ddof);
    flag_mean_of_nothing(x, axes);
    return divided(total, binary(Op::maximum, whole, 0));
}

// ... in the dtype that it has as a result; with out=, there.
array stored_variance(const array& x, const FoldOptions& options, double ddof) {
    const array result = variance(x, options, ddof);
    if (!options.out) return cast(result, real_of(result_dtype(x.dtype(), options.dtype)));
    return store_statistic(result, options, x, axes_of(options.axis, x.ndim()));
}

}  // namespace
}  // namespace api

#define FOLD(name, combine, rule, identity, doc) \
    array name##_fold(const Operand& x, const FoldOptions& options) { return api::reduce(ir::Op::name, x, options); }
#define ARGFOLD(name, better, doc) \
    array name(const Operand& x, const AxisOptions& options) { return api::choose(ir::Op::name, x, options); }
#define SCAN(name, combine, rule, doc) \
    array name(const Operand& x, const AxisOptions& options) { return api::scan(ir::Op::name, x, options); }
#include "fastnp/ops/fold.def"

array mean(const Operand& operand, const FoldOptions& options) {
    const array x = api::as_array(operand);
    api::check_counted(x, options);
    const auto axes = api::axes_of(options.axis, x.ndim());
    const Dtype dtype = api::statistic_dtype(x.dtype(), options.dtype);
    const array total = api::total_of(x, options, axes, dtype);
    api::flag_mean_of_nothing(x, axes);
    const array result = api::divided(total, api::count_of(x, axes, options, options.keepdims));
    if (!options.out) return api::cast(result, api::result_dtype(x.dtype(), options.dtype));
    return api::store_statistic(result, options, x, axes);
}

array var(const Operand& operand, const FoldOptions& options, double ddof) { return api::stored_variance(api::as_array(operand), options, ddof); }

array stddev(const Operand& operand, const FoldOptions& options, double ddof) {
    const array variance = api::stored_variance(api::as_array(operand), options, ddof);
    if (!options.out) return api::root_of_sum(variance);
    UfuncOptions root;
    root.out = *options.out;
    return sqrt(variance, root);
}

}  // namespace fastnp
