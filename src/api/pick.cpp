// Elements chosen by index or by order.
#include "api/primitives.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "ops/infer.h"

namespace fastnp {

namespace {

array as_indices(const Operand& indices) {
    const array x = api::as_array(indices);
    if (x.dtype() != Dtype::bool_ && !is_integer(x.dtype())) {
        throw TypeError("Cannot cast array data from dtype('" + std::string(name_of(x.dtype())) +
                        "') to dtype('int64') according to the rule 'same_kind'");
    }
    return api::cast(x, Dtype::int64);
}

array ordered(ir::Op op, const array& x, std::optional<int> axis, bool stable) {
    const array source = axis ? x : api::flatten(x);
    ir::Attributes attributes;
    attributes.ints = {ops::normalize_axis(axis.value_or(0), source.ndim()), stable ? 1 : 0};
    return api::apply(op, attributes, {&source, 1});
}

}  // namespace

array take(const array& x, const Operand& indices, std::optional<int> axis, TakeMode mode) {
    const array source = axis && x.ndim() > 0 ? x : api::flatten(x);
    ir::Attributes attributes;
    attributes.ints = {ops::normalize_axis(axis.value_or(0), source.ndim()), static_cast<std::int64_t>(mode)};
    const array operands[] = {source, as_indices(indices)};
    return api::apply(ir::Op::take, attributes, operands);
}

array sort(const array& x, std::optional<int> axis, bool stable) { return ordered(ir::Op::sort, x, axis, stable); }

array argsort(const array& x, std::optional<int> axis, bool stable) { return ordered(ir::Op::argsort, x, x.ndim() == 0 ? std::nullopt : axis, stable); }

}  // namespace fastnp
