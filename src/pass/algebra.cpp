#include "pass/algebra.h"

#include <cmath>

namespace fastnp::pass {

using ir::Node;
using ir::Op;
using ir::Value;

namespace {

// A constant of this number, zeros of the given sign alone.
bool is_number(Value value, double number) {
    if (value->op != Op::constant) return false;
    const Scalar& scalar = value->attributes.scalar;
    return scalar.real() == number && scalar.imag() == 0 && std::signbit(scalar.real()) == std::signbit(number);
}

bool always(const Node&) { return true; }

// Infinities, NaN and signed zeros of a part of a complex number change the other part in products, quotients and differences.
template <std::size_t operand>
bool is_real_by_one(const Node& value) {
    return !is_complex(value.dtype) && is_number(value.inputs[operand], 1);
}
bool is_real_less_zero(const Node& value) { return !is_complex(value.dtype) && is_number(value.inputs[1], 0.0); }

// -0.0 + 0.0 is 0.0.
template <std::size_t operand>
bool is_integer_and_zero(const Node& value) {
    return is_integer(value.dtype) && is_number(value.inputs[operand], 0.0);
}

template <bool condition>
bool is_chosen(const Node& value) {
    return value.inputs[0]->op == Op::constant && (value.inputs[0]->attributes.scalar.bits() != 0) == condition;
}
bool is_choice_of_one(const Node& value) { return value.inputs[1] == value.inputs[2]; }

constexpr Rewrite rows[] = {
    {"+x -> x", Op::positive, 0, always},
    {"cast x -> x", Op::cast, 0, always},
    {"x * 1 -> x", Op::multiply, 0, is_real_by_one<1>},
    {"1 * x -> x", Op::multiply, 1, is_real_by_one<0>},
    {"x / 1 -> x", Op::divide, 0, is_real_by_one<1>},
    {"x + 0 -> x", Op::add, 0, is_integer_and_zero<1>},
    {"0 + x -> x", Op::add, 1, is_integer_and_zero<0>},
    {"x - 0 -> x", Op::subtract, 0, is_real_less_zero},
    {"select true x y -> x", Op::select, 1, is_chosen<true>},
    {"select false x y -> y", Op::select, 2, is_chosen<false>},
    {"select c x x -> x", Op::select, 1, is_choice_of_one},
};

}  // namespace

std::span<const Rewrite> rewrites() { return rows; }

Value rewritten(const Node& value) {
    for (const Rewrite& row : rows) {
        if (row.op != value.op || value.inputs[row.kept]->dtype != value.dtype) continue;
        if (row.holds(value)) return value.inputs[row.kept];
    }
    return nullptr;
}

}  // namespace fastnp::pass
