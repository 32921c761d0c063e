// Elements chosen by indices along an axis, and by conditions.
#include "fastnp/numpy_compat/choosing.h"

#include <string>
#include <string_view>

#include "fastnp/detail/at_home.h"
#include "fastnp/detail/layout.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "size.h"

namespace fastnp {

using compat::axis_of;
using compat::line_of;
using compat::Size;
using compat::size_of;

namespace {

std::string text_of(const array& x) {
    std::string text = "(";
    for (int i = 0; i < x.ndim(); ++i) text += (i > 0 ? "," : "") + std::to_string(size_of(x, i).now());
    return text + (x.ndim() == 1 ? ",)" : ")");
}

// 0, 1, 2, ... along an axis of so many.
array places_along(const array& x, int axis) {
    Shape shape(static_cast<std::size_t>(x.ndim()), 1);
    shape[static_cast<std::size_t>(axis)] = size_of(x, axis).raw();
    return reshape(detail::size_range(0, size_of(x, axis).raw()), shape);
}

// What NumPy picks by: an array for each axis, the indices along one.
std::vector<array> picks(const array& x, const array& indices, int axis) {
    if (!is_integer(indices.dtype())) throw IndexError("`indices` must be an integer array");
    if (indices.ndim() != x.ndim()) throw ValueError("`indices` and `arr` must have the same number of dimensions");
    std::vector<array> found;
    for (int i = 0; i < x.ndim(); ++i) found.push_back(i == axis ? indices : places_along(x, i));
    return found;
}

// IndexError unless the sizes of both can be broadcast, but for the axis.
void check_sizes(const array& x, const array& indices, int axis, const std::vector<array>& by) {
    for (int i = 0; i < x.ndim(); ++i) {
        const Size own = size_of(x, i), given = size_of(indices, i);
        if (i == axis || own == given || own == 1 || given == 1) continue;
        std::string text = "shape mismatch: indexing arrays could not be broadcast together with shapes";
        for (const array& each : by) text += " " + text_of(each);
        throw IndexError(text + " ");
    }
}

// Each within the axis, counted from its start; or the error names the axis.
array checked(const array& x, const array& indices, int axis) {
    if (compat::is_recorded(x) || indices.is_recorded()) return reshape(take(places_along(x, axis), indices, axis), detail::symbolic_shape(indices));
    try {
        return reshape(take(detail::size_range(0, x.shape(axis)), line_of(indices), 0), indices.shape());
    } catch (const IndexError& error) {
        std::string text = error.what();
        constexpr std::string_view told = "for axis 0 ";
        if (const std::size_t at = text.find(told); at != std::string::npos) text.replace(at, told.size(), "for axis " + std::to_string(axis) + " ");
        throw IndexError(text);
    }
}

// The places in C order of what indices along an axis pick. The sizes of both are broadcast along the others.
array places_in_line(const array& x, const array& indices, int axis) {
    array starts = detail::size_range(0, 1);
    Size step = 1;
    array own;
    for (int i = x.ndim() - 1; i >= 0; --i) {
        const array stride = detail::size_value(step.raw());
        if (i == axis) own = checked(x, indices, axis) * stride;
        else if (!(size_of(x, i) == 1)) starts = starts + places_along(x, i) * stride;
        step = step * size_of(x, i);
    }
    return own + starts;
}

}  // namespace

array take_along_axis(const array& x, const array& indices, std::optional<int> axis) {
    if (!axis) {
        if (indices.ndim() != 1) throw ValueError("when axis=None, `indices` must have a single dimension.");
        return take_along_axis(line_of(x), indices, 0);
    }
    const int at = axis_of(x, *axis);
    const detail::AtHome home(x);
    const std::vector<array> by = picks(x, indices, at);
    if (x.ndim() == 1) return take(x, indices, 0);
    check_sizes(x, indices, at, by);
    const array places = places_in_line(x, indices, at);
    const array made = reshape(take(line_of(x), line_of(places), 0, TakeMode::clip), detail::symbolic_shape(places));
    return detail::laid_as_computed(made, by, {});
}

void put_along_axis(const array& x, const array& indices, const Operand& values, std::optional<int> axis) {
    if (!axis) {
        if (indices.ndim() != 1) throw ValueError("when axis=None, `indices` must have a single dimension.");
        const array line = line_of(x);
        set_at(line, picks(line, indices, 0), values);
        if (!detail::is_beside(line, x)) copyto(x, reshape(line, detail::symbolic_shape(x)));
        return;
    }
    const int at = axis_of(x, *axis);
    const detail::AtHome home(x);
    std::vector<array> by = picks(x, indices, at);
    check_sizes(x, indices, at, by);
    if (!compat::is_recorded(x)) by[static_cast<std::size_t>(at)] = checked(x, indices, at);
    const array line = line_of(x);
    if (compat::is_recorded(x) || !detail::is_beside(line, x)) return set_at(x, by, values);
    const array places = places_in_line(x, by[static_cast<std::size_t>(at)], at);
    if (values.as_array() == nullptr || values.as_array()->ndim() == 0) return set_at(line, {line_of(places)}, values);
    try {
        set_at(line, {line_of(places)}, line_of(broadcast_to(*values.as_array(), places.shape())));
    } catch (const ValueError&) {
        set_at(x, by, values);  // which says what does not fit
    }
}

namespace {

// Choices, with what is taken where none is, as arrays of the dtype of all; numbers are weak.
std::vector<array> in_common_dtype(const std::vector<Operand>& operands) {
    std::vector<Dtype> dtypes;
    std::vector<WeakKind> weak;
    for (const Operand& each : operands) {
        const Scalar* number = each.as_scalar();
        if (number == nullptr) dtypes.push_back(each.as_array()->dtype());
        else if (number->kind() == WeakKind::boolean) dtypes.push_back(Dtype::bool_);
        else weak.push_back(number->kind());
    }
    const Dtype dtype = result_type(dtypes, weak);
    std::vector<array> made;
    for (const Operand& each : operands) {
        if (each.as_scalar() != nullptr) made.emplace_back(*each.as_scalar(), dtype);
        else made.push_back(each.as_array()->dtype() == dtype ? *each.as_array() : each.as_array()->astype(dtype));
    }
    return made;
}

array in_shape_of(const array& x, const std::vector<array>& others) {
    std::vector<array> all_of = others;
    all_of.push_back(x);
    return broadcast_arrays(all_of).back();
}

}  // namespace

array select(const std::vector<array>& conditions, const std::vector<Operand>& choices, const Operand& standard) {
    if (conditions.size() != choices.size()) throw ValueError("list of cases must be same length as list of conditions");
    if (conditions.empty()) throw ValueError("select with an empty condition list is not possible");
    std::vector<Operand> operands = choices;
    operands.push_back(standard);
    const std::vector<array> values = in_common_dtype(operands);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        if (conditions[i].dtype() != Dtype::bool_) throw TypeError("invalid entry " + std::to_string(i) + " in condlist: should be boolean ndarray");
    }
    const array whole = broadcast_arrays(conditions)[0], chosen = broadcast_arrays(values)[0];
    (void)broadcast_arrays({whole, chosen});  // in this order, for the errors
    array made = values.back();
    for (std::size_t i = conditions.size(); i-- > 0;) made = where(conditions[i], values[i], made);
    // Its shape is that of all, one that no condition asks for among them; it lies in C order.
    std::vector<array> others = conditions;
    others.insert(others.end(), values.begin(), values.end());
    made = in_shape_of(made, others);
    return made.is_recorded() || !made.is_c_contiguous() ? made.copy() : made;
}

namespace {

// Whether an array of that shape can have so many elements; of sizes that are found on the way, it is taken for granted.
bool is_countable(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        if (!detail::is_symbolic(size) && __builtin_mul_overflow(count, size, &count)) return false;
    }
    return true;
}

}  // namespace

std::vector<array> unravel_index(const array& indices, const Shape& shape, Order order) {
    if (!is_integer(indices.dtype())) throw TypeError("only int indices permitted");
    if (!is_countable(shape)) throw ValueError("dimensions are too large; arrays and shapes with a total size greater than 'intp' are not supported.");
    array rest = indices.dtype() == Dtype::int64 ? indices : indices.astype(Dtype::int64);
    Size count = 1;
    for (const std::int64_t size : shape) count = count * size;
    const array all_of = detail::size_value(count.raw());
    if (const array wrong = logical_or(rest < 0, rest >= all_of); any(wrong)) {
        const array first = take(line_of(rest), argmax(line_of(wrong)));
        throw ValueError("index " + std::to_string(first.item<std::int64_t>()) + " is out of bounds for array with size " + std::to_string(count.now()));
    }
    std::vector<array> made(shape.size());
    for (std::size_t n = 0; n < shape.size(); ++n) {
        const std::size_t axis = order == Order::f ? n : shape.size() - 1 - n;
        const array size = detail::size_value(shape[axis]);
        made[axis] = remainder(rest, size);
        rest = floor_divide(rest, size);
    }
    // As NumPy has them: parts of one array.
    const array whole = stack(made, -1);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) made[axis] = whole.index({Index(ellipsis), Index(static_cast<std::int64_t>(axis))});
    return made;
}

array ravel_multi_index(const std::vector<array>& indices, const Shape& shape, const std::vector<TakeMode>& modes, Order order) {
    if (indices.size() != shape.size()) {
        throw ValueError("parameter multi_index must be a sequence of length " + std::to_string(shape.size()));
    }
    if (modes.size() != 1 && modes.size() != shape.size()) throw ValueError("wrong number of modes");
    if (!is_countable(shape)) throw ValueError("invalid dims: array size defined by dims is larger than the maximum possible size.");
    std::optional<array> made;
    Size step = 1;
    for (std::size_t n = 0; n < shape.size(); ++n) {
        const std::size_t axis = order == Order::f ? n : shape.size() - 1 - n;
        if (!is_integer(indices[axis].dtype())) throw TypeError("only int indices permitted");
        array index = indices[axis].dtype() == Dtype::int64 ? indices[axis] : indices[axis].astype(Dtype::int64);
        const array size = detail::size_value(shape[axis]);
        switch (modes[modes.size() == 1 ? 0 : axis]) {
            case TakeMode::wrap: index = remainder(index, size); break;
            case TakeMode::clip: index = minimum(maximum(index, 0), size - 1); break;
            case TakeMode::raise:
                if (any(logical_or(index < 0, index >= size))) throw ValueError("invalid entry in coordinates array");
                break;
        }
        const array part = index * detail::size_value(step.raw());
        made = made ? part + *made : part;
        step = step * shape[axis];
    }
    return made ? *made : array(0, Dtype::int64);
}

array choose(const array& x, const std::vector<Operand>& choices, TakeMode mode) {
    if (choices.empty()) throw ValueError("0-length sequence.");
    const auto count = static_cast<std::int64_t>(choices.size());
    array which = x.dtype() == Dtype::int64 ? x : x.astype(Dtype::int64, Casting::safe);
    if (mode == TakeMode::wrap) which = remainder(which, count);
    if (mode == TakeMode::clip) which = clip(which, 0, count - 1);
    if (mode == TakeMode::raise && static_cast<bool>(any(logical_or(which < 0, which >= count)))) throw ValueError("invalid entry in choice array");
    const std::vector<array> values = in_common_dtype(choices);
    std::vector<array> others = values;
    others.push_back(which);
    (void)broadcast_arrays(others);  // or it raises
    array made = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) made = where(which == static_cast<std::int64_t>(i), values[i], made);
    made = in_shape_of(made, others);
    return values.size() == 1 || made.is_recorded() || !made.is_c_contiguous() ? made.copy() : made;
}

}  // namespace fastnp
