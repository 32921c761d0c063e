// Each running value r[k] is f(r[k-1], x[k]), so that its change is a[k] times the one before and b[k] times that of x[k], by f's partial derivatives: a
// recurrence, which goes back from the last element in reverse mode. What f chooses, it hands on.
#include "transform/accumulate.h"

#include "ops/catalogue.h"

namespace fastnp::transform {

using api::Dim;
using api::Dims;

namespace {

bool chooses(Op op) { return op == Op::maximum || op == Op::minimum || op == Op::fmax || op == Op::fmin; }

/// An accumulation, all of whose running values are at hand.
struct Running {
    Op joins;
    std::size_t axis;
    bool last_alone;
    array x, results;

    explicit Running(const ir::Node& node)
        : joins(ops::joined_by(node.op, node.attributes)),
          axis(static_cast<std::size_t>(node.attributes.ints[0])),
          last_alone(node.attributes.ints[2] != 0),
          x(array_of(node.inputs[0])),
          results(last_alone ? all_of(node) : array_of(&node)) {}

    static array all_of(const ir::Node& node) {
        ir::Attributes attributes = node.attributes;
        attributes.ints[2] = 0;
        const array x = array_of(node.inputs[0]);
        return api::apply(node.op, attributes, {&x, 1});
    }

    Dims shape() const { return api::dims_of(x); }
    Dim length() const { return shape()[axis]; }
    array places() const { return api::iota(shape(), static_cast<int>(axis)); }
    array is_first() const { return places() == 0; }
    array back(const array& y) const { return flip(y, static_cast<int>(axis)); }

    // Of what is for each running value, that of the last one.
    array last_of(const array& y) const {
        Dims starts(shape().size(), Dim(0)), lengths = shape();
        starts[axis] = api::arithmetic().subtract(length(), Dim(1));
        lengths[axis] = Dim(1);
        const AxisList steps(shape().size(), 1);
        return api::slice(y, starts, lengths, span_of(steps));
    }
    // What is for the last one within zeros for the others.
    array as_last(const array& y) const {
        Dims before = shape();
        before[axis] = api::arithmetic().subtract(length(), Dim(1));
        return concatenate({api::constant(0, y.dtype(), before), y}, static_cast<int>(axis));
    }

    // The results before each one; of the first, which has none, any that f can take.
    array before() const { return where(is_first(), x, shifted(results, axis, 1, 1)); }

    // Which element each running value is: the first of equal ones, the first NaN of several.
    array chosen() const {
        const array earlier = before();
        const array differs = (results != earlier) & ~(isnan(results) & isnan(earlier));
        const array place = where(differs & ~is_first(), places(), 0);
        ir::Attributes attributes;
        attributes.ints = {static_cast<std::int64_t>(axis), static_cast<std::int64_t>(Op::maximum), 0};
        return api::apply(Op::accumulate, attributes, {&place, 1});
    }

    // What a change of f's operand, of the result before or of the element, adds to each result; of the first result, which is its element, as given.
    array partial_of(std::size_t operand, const array& change, double of_first) const {
        const array operands[] = {before(), x};
        const array joined = api::apply(joins, {}, operands);
        const auto found = partial(*value_of(joined), operand, change);
        const array first = api::constant(of_first, x.dtype());
        return where(is_first(), of_first == 0 ? first : change, found ? converted(*found, x.dtype()) : api::constant(0, x.dtype()));
    }
    array of_result_before() const { return partial_of(0, api::constant(1, x.dtype(), shape()), 0); }
    array of_element(const array& change) const { return partial_of(1, change, 1); }
};

// Each element's sum of what is for the running values that are it.
array gathered(const Running& of, const array& g) {
    const array given = moveaxis(g, static_cast<int>(of.axis), -1), chosen = moveaxis(of.chosen(), static_cast<int>(of.axis), -1);
    const Dims shape = api::dims_of(given);
    const Dim length = shape.back(), rows = api::arithmetic().product(Dims(shape.begin(), shape.end() - 1));
    const Dim size = api::arithmetic().multiply(rows, length);
    const array starts = api::iota({rows, Dim(1)}, 0) * api::extent(length);
    ir::Attributes attributes;
    attributes.ints = {static_cast<std::int64_t>(Op::add)};
    const array operands[] = {api::constant(0, g.dtype(), {size}), api::flatten(api::reshape(chosen, {rows, length}) + starts), api::flatten(given)};
    return moveaxis(api::reshape(api::apply(Op::scatter, attributes, operands), shape), -1, static_cast<int>(of.axis));
}

}  // namespace

array accumulated_tangent(const ir::Node& node, const array& tangent) {
    const Running of(node);
    const array all = chooses(of.joins) ? take_along(tangent, of.chosen(), of.axis) : recurrence(of.of_result_before(), of.of_element(tangent), of.axis);
    return of.last_alone ? of.last_of(all) : all;
}

array accumulated_cotangent(const ir::Node& node, const array& g) {
    const Running of(node);
    const array given = of.last_alone ? of.as_last(g) : g;
    if (chooses(of.joins)) return gathered(of, given);
    // What x[k] is in: the result k, and by it the later ones.
    const array later = of.back(recurrence(of.back(next_along(of.of_result_before(), of.axis)), of.back(given), of.axis));
    return of.of_element(later);
}

}  // namespace fastnp::transform
