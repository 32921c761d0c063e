// numpy.ufunc.reduce and accumulate of every function of two operands: by a fold or a scan of the catalogue where there is one, else element after
// element, as NumPy does.
#include <algorithm>
#include <limits>
#include <string>

#include "api/fold.h"
#include "api/fold_output.h"
#include "fastnp/detail/joined.h"
#include "fastnp/error.h"
#include "ops/infer.h"
#include "ops/logical.h"

namespace fastnp {
namespace api {

using ir::Op;

namespace {

std::string text_of(Op op) { return std::string(ops::info(op).name); }

std::optional<Op> scan_by(Op op) {
    if (op == Op::add) return Op::cumsum;
    return op == Op::multiply ? std::optional(Op::cumprod) : std::nullopt;
}

// What nothing gives.
std::optional<Scalar> identity_of(Op op) {
    const std::optional<double> neutral = ops::neutral_of(op);
    return neutral ? std::optional(Scalar(*neutral)) : std::nullopt;
}

// Whether several axes may be joined at once.
bool is_reorderable(Op op) { return identity_of(op) || op == Op::fmax || op == Op::fmin; }

// The dtype that elements are joined in, and that results have.
Dtype joined_dtype(Op op, Dtype source, const std::optional<Dtype>& wanted, const std::optional<array>& out) {
    if (ops::is_logical(op)) return Dtype::bool_;
    const ops::LoopOperand operands[] = {{!wanted && out ? out->dtype() : source, std::nullopt}, {source, std::nullopt}};
    const ops::Loop loop = ops::resolve(op, operands, wanted, wanted ? Casting::unsafe : Casting::same_kind);
    const bool stays = loop.output == loop.compute && std::ranges::all_of(loop.operands, [&](Dtype each) { return each == loop.compute; });
    if (stays) return loop.compute;
    throw TypeError("The resolved dtypes are not compatible with " + text_of(op) + ".reduce");
}

array accumulated(Op op, const array& x, std::int64_t axis, bool last_alone) {
    ir::Attributes attributes;
    attributes.ints = {axis, static_cast<std::int64_t>(op), last_alone ? 1 : 0};
    return apply(Op::accumulate, attributes, {&x, 1});
}

array combined(Op op, const array& x, const array& y) {
    const Operand first(x), second(y);
    const Operand* both[] = {&first, &second};
    return ufunc(op, both);
}

// Several axes as one, the last, in C order.
array with_one_axis(const array& x, const AxisList& axes) {
    AxisList order;
    Dims shape = kept_shape(dims_of(x), axes);
    Dim length(1);
    for (std::int64_t i = 0; i < x.ndim(); ++i) {
        if (std::find(axes.begin(), axes.end(), i) == axes.end()) order.push_back(i);
    }
    for (const std::int64_t axis : axes) {
        order.push_back(axis);
        length = arithmetic().multiply(length, dims_of(x)[static_cast<std::size_t>(axis)]);
    }
    shape.push_back(length);
    return reshape(permute(x, span_of(order)), shape);
}

// Elements that where= leaves out as what changes nothing.
array masked(Op op, const array& x, const FoldOptions& options) {
    check_where(*options.where);
    std::optional<Scalar> nothing = identity_of(op);
    if (!nothing && !options.initial) {
        throw ValueError("reduction operation '" + text_of(op) + "' does not have an identity, so to use a where mask one has to specify 'initial'");
    }
    if (!nothing && !is_reorderable(op)) throw TypeError(text_of(op) + ".reduce has no where= that is known");
    return select(broadcast(*options.where, dims_of(x)), x, constant(nothing ? *nothing : *options.initial, x.dtype()));
}

// Differences of whole numbers wrap: what comes after the first may be added up in any order.
array difference(const array& x, std::int64_t axis) {
    const auto place = static_cast<std::size_t>(axis);
    Dims starts(dims_of(x).size(), Dim(0)), lengths = dims_of(x);
    const AxisList steps(lengths.size(), 1);
    const Dim length = lengths[place];
    lengths[place] = Dim(1);
    const array first = squeeze(slice(x, starts, lengths, span_of(steps)), {&axis, 1});
    starts[place] = Dim(1);
    lengths[place] = arithmetic().subtract(length, Dim(1));
    return combined(Op::subtract, first, fold(Op::sum, slice(x, starts, lengths, span_of(steps)), {&axis, 1}));
}

// Over one axis, of which something is left to begin with.
array joined_along(Op op, array x, std::int64_t axis, const FoldOptions& options) {
    const Dim length = dims_of(x)[static_cast<std::size_t>(axis)];
    if (options.initial) {
        Dims one = dims_of(x);
        one[static_cast<std::size_t>(axis)] = Dim(1);
        x = concatenate({constant(*options.initial, x.dtype(), one), x}, static_cast<int>(axis));
    }
    constexpr std::int64_t few = 2048;  // elements, which one kernel is sooner through
    const Dim count = arithmetic().product(dims_of(x));
    if (op == Op::subtract && is_integer(x.dtype()) && !(count.is_constant() && count.value() < few)) return difference(x, axis);
    array result = squeeze(accumulated(op, x, axis, true), {&axis, 1});
    // One element alone is joined with what nothing gives; to more that makes no difference.
    const bool may_be_one = !options.initial && !(length.is_constant() && length.value() > 1);
    if (const auto identity = identity_of(op); identity && may_be_one) result = combined(op, constant(*identity, x.dtype()), result);
    return result;
}

array in_order(Op op, const array& source, const FoldOptions& options) {
    AxisList axes = axes_of(options.axis, source.ndim());
    const Dtype dtype = joined_dtype(op, source.dtype(), options.dtype, options.out);
    if (axes.size() > 1 && !is_reorderable(op)) {
        throw ValueError("reduction operation '" + text_of(op) + "' is not reorderable, so at most one axis may be specified");
    }
    array x = cast(source, dtype);
    if (options.where) x = masked(op, x, options);
    const array given = x;
    const std::optional<Scalar> start = options.initial ? options.initial : identity_of(op);
    array result = x;
    if (axes.empty()) {
        result = start ? combined(op, constant(*start, dtype), x) : laid_out(x.copy(), result_order(Op::cast, {}, {&x, 1}));
    } else if (is_empty(dims_of(x), axes)) {
        if (!start) throw ValueError("zero-size array to reduction operation " + text_of(op) + " which has no identity");
        result = constant(*start, dtype, kept_shape(dims_of(x), axes));
    } else {
        const bool is_one = axes.size() == 1;
        if (!is_one) x = with_one_axis(x, axes);
        result = joined_along(op, x, is_one ? axes[0] : x.ndim() - 1, options);
    }
    if (options.keepdims) result = expand(result, span_of(axes));
    return store_reduced(result, options.out, {op, given, span_of(axes), options.keepdims});
}

array reduce_by(Op op, const array& x, const FoldOptions& options) {
    if (const auto fold = ops::fold_by(op, x.dtype())) {
        const bool checks = op != Op::add && op != Op::multiply && !ops::is_logical(op);
        if (checks) (void)joined_dtype(op, x.dtype(), options.dtype, options.out);
        return reduce(*fold, x, options);
    }
    return in_order(op, x, options);
}

array accumulate_by(Op op, const array& x, const AxisOptions& given) {
    AxisOptions options = given;
    if (!options.axis) options.axis = 0;
    if (x.ndim() == 0) throw TypeError("cannot accumulate on a scalar");
    if (const auto known = scan_by(op)) return scan(*known, x, options);
    const std::int64_t axis = ops::normalize_axis(*options.axis, x.ndim());
    const Dtype dtype = joined_dtype(op, x.dtype(), options.dtype, options.out);
    return store_scanned(accumulated(op, cast(x, dtype), axis, false), options.out, axis);
}

Op op_of(BinaryUfunc ufunc) {
#define MAP1(name, rule, meaning, partial, traits, doc)
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) \
    if (ufunc == &fastnp::name) return Op::name;
#include "fastnp/ops/map.def"
    throw ValueError("an elementwise function of two operands is needed");
}

}  // namespace
}  // namespace api

array reduce(BinaryUfunc ufunc, const array& x, const FoldOptions& options) { return api::reduce_by(api::op_of(ufunc), x, options); }
array accumulate(BinaryUfunc ufunc, const array& x, const AxisOptions& options) { return api::accumulate_by(api::op_of(ufunc), x, options); }

Dtype detail::joined_dtype(BinaryUfunc ufunc, Dtype dtype, const std::optional<Dtype>& wanted) {
    return api::joined_dtype(api::op_of(ufunc), dtype, wanted, std::nullopt);
}

}  // namespace fastnp
