#include "codegen/term_meaning.h"

#include <cmath>
#include <optional>
#include <vector>

#include "codegen/term_memory.h"
#include "eager/vector_math.h"
#include "fastnp/half.h"

namespace fastnp::codegen {

namespace {

bool is_half(Dtype dtype) { return dtype == Dtype::float16 || dtype == Dtype::bfloat16; }
bool is_bool(const TermElement& x) { return x.dtype == Dtype::bool_; }
bool is_signed(const TermElement& x) { return kind_of(x.dtype) == 'i'; }
bool is_pair(const TermElement& x) { return is_complex(x.dtype); }

Term make(const TermElement& x, TermOp op, Term a, Term b) { return x.terms->make(op, type_of(x.dtype), {a, b}); }
Term make(const TermElement& x, TermOp op, Term a) { return x.terms->make(op, type_of(x.dtype), {a}); }
Term test(const TermElement& x, TermOp op, Term a, Term b) { return x.terms->make(op, TermType::i1, {a, b}); }
Term either(const TermElement& x, Term a, Term b) { return x.terms->make(TermOp::bit_or, TermType::i1, {a, b}); }
Term both(const TermElement& x, Term a, Term b) { return x.terms->make(TermOp::bit_and, TermType::i1, {a, b}); }
Term choice(const TermElement& x, Term condition, Term a, Term b) { return x.terms->make(TermOp::select, type_of(x.dtype), {condition, a, b}); }
Term integer(const TermElement& x, std::int64_t value) { return x.terms->constant(type_of(x.dtype), static_cast<std::uint64_t>(value)); }
Term zero(const TermElement& x) { return integer(x, 0); }
Term real_number(const TermElement& x, double value) { return x.terms->real(type_of(x.dtype), value); }
TermElement of(const TermElement& like, Term re, Term im = 0) { return {like.terms, like.dtype, re, im}; }
TermElement truth(const TermElement& like, Term re) { return {like.terms, Dtype::bool_, re, 0}; }

TermElement operator+(const TermElement& x, const TermElement& y) {
    if (is_bool(x)) return of(x, either(x, x.re, y.re));
    if (is_integer(x.dtype)) return of(x, make(x, TermOp::add, x.re, y.re));
    return of(x, make(x, TermOp::fadd, x.re, y.re), is_pair(x) ? make(x, TermOp::fadd, x.im, y.im) : 0);
}

TermElement operator-(const TermElement& x, const TermElement& y) {
    if (is_integer(x.dtype)) return of(x, make(x, TermOp::sub, x.re, y.re));
    return of(x, make(x, TermOp::fsub, x.re, y.re), is_pair(x) ? make(x, TermOp::fsub, x.im, y.im) : 0);
}

TermElement operator-(const TermElement& x) {
    if (is_integer(x.dtype)) return of(x, make(x, TermOp::sub, zero(x), x.re));
    return of(x, make(x, TermOp::fneg, x.re), is_pair(x) ? make(x, TermOp::fneg, x.im) : 0);
}

TermElement operator*(const TermElement& x, const TermElement& y) {
    if (is_bool(x)) return of(x, both(x, x.re, y.re));
    if (is_integer(x.dtype)) return of(x, make(x, TermOp::mul, x.re, y.re));
    const auto product = [&](Term a, Term b) { return make(x, TermOp::fmul, a, b); };
    if (!is_pair(x)) return of(x, product(x.re, y.re));
    return of(x, make(x, TermOp::fsub, product(x.re, y.re), product(x.im, y.im)), make(x, TermOp::fadd, product(x.re, y.im), product(x.im, y.re)));
}

TermElement operator/(const TermElement& x, const TermElement& y) {
    if (!is_floating(x.dtype)) return {};
    return of(x, make(x, TermOp::fdiv, x.re, y.re));
}

TermElement bitwise(const TermElement& x, const TermElement& y, TermOp op) { return of(x, make(x, op, x.re, y.re)); }
TermElement operator~(const TermElement& x) { return of(x, make(x, TermOp::bit_xor, x.re, integer(x, -1))); }
TermElement operator&(const TermElement& x, const TermElement& y) { return bitwise(x, y, TermOp::bit_and); }
TermElement operator|(const TermElement& x, const TermElement& y) { return bitwise(x, y, TermOp::bit_or); }
TermElement operator^(const TermElement& x, const TermElement& y) { return bitwise(x, y, TermOp::bit_xor); }

TermOp less_of(const TermElement& x) { return is_signed(x) ? TermOp::signed_less : TermOp::unsigned_less; }

TermElement operator==(const TermElement& x, const TermElement& y) {
    const auto equal = [&](Term a, Term b) { return test(x, is_inexact(x.dtype) ? TermOp::ordered_equal : TermOp::equal, a, b); };
    return truth(x, is_pair(x) ? both(x, equal(x.re, y.re), equal(x.im, y.im)) : equal(x.re, y.re));
}
TermElement operator!=(const TermElement& x, const TermElement& y) {
    if (!is_pair(x)) return truth(x, x.terms->negation((x == y).re));
    const auto differ = [&](Term a, Term b) { return x.terms->negation(test(x, TermOp::ordered_equal, a, b)); };
    return truth(x, either(x, differ(x.re, y.re), differ(x.im, y.im)));
}
TermElement operator<(const TermElement& x, const TermElement& y) {
    if (is_pair(x)) return {};
    return truth(x, test(x, is_floating(x.dtype) ? TermOp::ordered_less : less_of(x), x.re, y.re));
}
TermElement operator<=(const TermElement& x, const TermElement& y) {
    if (is_pair(x)) return {};
    if (is_floating(x.dtype)) return truth(x, test(x, TermOp::ordered_less_equal, x.re, y.re));
    return truth(x, x.terms->negation(test(x, less_of(x), y.re, x.re)));
}
TermElement operator>(const TermElement& x, const TermElement& y) { return y < x; }
TermElement operator>=(const TermElement& x, const TermElement& y) { return y <= x; }

Term is_unordered(const TermElement& x, Term part) { return test(x, TermOp::unordered, part, part); }

TermElement absolute(const TermElement& x) {
    if (is_pair(x)) return {};
    if (is_floating(x.dtype)) return of(x, make(x, TermOp::fabs, x.re));
    return is_signed(x) ? of(x, make(x, TermOp::abs, x.re)) : x;
}

TermElement sign(const TermElement& x) {
    if (is_pair(x)) return {};
    const bool is_real = is_floating(x.dtype);
    const auto number = [&](int value) { return is_real ? real_number(x, value) : integer(x, value); };
    const auto less = [&](Term a, Term b) { return test(x, is_real ? TermOp::ordered_less : less_of(x), a, b); };
    const Term negative = is_real || is_signed(x) ? choice(x, less(x.re, zero(x)), number(-1), zero(x)) : zero(x);
    const Term known = choice(x, less(zero(x), x.re), number(1), negative);
    return of(x, is_real ? choice(x, is_unordered(x, x.re), x.re, known) : known);
}

TermElement rounding(const TermElement& x, TermOp op) {
    if (is_floating(x.dtype)) return of(x, make(x, op, x.re));
    return is_pair(x) ? TermElement{} : x;
}
TermElement rint(const TermElement& x) { return is_pair(x) ? of(x, make(x, TermOp::rint, x.re), make(x, TermOp::rint, x.im)) : rounding(x, TermOp::rint); }
TermElement floor(const TermElement& x) { return rounding(x, TermOp::floor); }
TermElement ceil(const TermElement& x) { return rounding(x, TermOp::ceil); }
TermElement trunc(const TermElement& x) { return rounding(x, TermOp::ftrunc); }
TermElement sqrt(const TermElement& x) { return is_floating(x.dtype) ? of(x, make(x, TermOp::sqrt, x.re)) : TermElement{}; }
TermElement square(const TermElement& x) { return x * x; }
TermElement reciprocal(const TermElement& x) { return is_floating(x.dtype) ? of(x, make(x, TermOp::fdiv, real_number(x, 1), x.re)) : TermElement{}; }
TermElement scaled_by(const TermElement& x, double factor) { return of(x, make(x, TermOp::fmul, x.re, real_number(x, factor))); }
TermElement degrees(const TermElement& x) { return scaled_by(x, 180.0 / 3.14159265358979323846); }
TermElement radians(const TermElement& x) { return scaled_by(x, 3.14159265358979323846 / 180.0); }

Term nonzero(const TermElement& x) {
    if (is_bool(x)) return x.re;
    const auto is_not = [&](Term part) { return x.terms->negation(test(x, is_inexact(x.dtype) ? TermOp::ordered_equal : TermOp::equal, part, zero(x))); };
    return is_pair(x) ? either(x, is_not(x.re), is_not(x.im)) : is_not(x.re);
}
TermElement logical_not(const TermElement& x) { return truth(x, x.terms->negation(nonzero(x))); }
TermElement logical_and(const TermElement& x, const TermElement& y) { return truth(x, both(x, nonzero(x), nonzero(y))); }
TermElement logical_or(const TermElement& x, const TermElement& y) { return truth(x, either(x, nonzero(x), nonzero(y))); }
TermElement logical_xor(const TermElement& x, const TermElement& y) { return truth(x, test(x, TermOp::bit_xor, nonzero(x), nonzero(y))); }

// Of its parts: all for which a test holds, or any.
template <class Test>
TermElement of_parts(const TermElement& x, bool otherwise, bool all, Test holds) {
    if (!is_inexact(x.dtype)) return truth(x, x.terms->truth(otherwise));
    if (!is_pair(x)) return truth(x, holds(x.re));
    return truth(x, all ? both(x, holds(x.re), holds(x.im)) : either(x, holds(x.re), holds(x.im)));
}
TermElement isnan(const TermElement& x) {
    return of_parts(x, false, false, [&](Term part) { return is_unordered(x, part); });
}
Term against_infinity(const TermElement& x, TermOp op, Term part) { return test(x, op, make(x, TermOp::fabs, part), real_number(x, HUGE_VAL)); }
TermElement isinf(const TermElement& x) {
    return of_parts(x, false, false, [&](Term part) { return against_infinity(x, TermOp::ordered_equal, part); });
}
TermElement isfinite(const TermElement& x) {
    return of_parts(x, true, true, [&](Term part) { return against_infinity(x, TermOp::ordered_less, part); });
}
TermElement signbit(const TermElement& x) {
    const TermType bits = integer_like(type_of(x.dtype));
    return truth(x, test(x, TermOp::signed_less, x.terms->make(TermOp::bitcast, bits, {x.re}), x.terms->constant(bits, 0)));
}

TermElement conjugate(const TermElement& x) { return is_pair(x) ? of(x, x.re, make(x, TermOp::fneg, x.im)) : x; }
TermElement from_parts(const TermElement& x, const TermElement& y) { return {x.terms, complex_of(x.dtype), x.re, y.re}; }
TermElement real(const TermElement& x) { return {x.terms, real_of(x.dtype), x.re, 0}; }
TermElement imag(const TermElement& x) { return {x.terms, real_of(x.dtype), is_pair(x) ? x.im : zero(x), 0}; }

// NaN of either operand (maximum, minimum) or of both (fmax, fmin); of zeros of different sign the second one, or where `keeps_first` the first.
TermElement extreme(const TermElement& x, const TermElement& y, bool most, bool keeps_first, bool takes_numbers) {
    if (is_pair(x)) return {};
    if (is_bool(x)) return most ? x | y : x & y;
    if (is_integer(x.dtype)) return of(x, make(x, is_signed(x) ? (most ? TermOp::smax : TermOp::smin) : (most ? TermOp::umax : TermOp::umin), x.re, y.re));
    const TermOp compare = keeps_first ? TermOp::ordered_less_equal : TermOp::ordered_less;
    const Term better = choice(x, most ? test(x, compare, y.re, x.re) : test(x, compare, x.re, y.re), x.re, y.re);
    return of(x, choice(x, is_unordered(x, takes_numbers ? y.re : x.re), x.re, better));
}
TermElement maximum(const TermElement& x, const TermElement& y) { return extreme(x, y, true, x.dtype == Dtype::float16, false); }
TermElement minimum(const TermElement& x, const TermElement& y) { return extreme(x, y, false, x.dtype == Dtype::float16, false); }
TermElement fmax(const TermElement& x, const TermElement& y) { return extreme(x, y, true, true, true); }
TermElement fmin(const TermElement& x, const TermElement& y) { return extreme(x, y, false, true, true); }
TermElement copysign(const TermElement& x, const TermElement& y) { return of(x, make(x, TermOp::copysign, x.re, y.re)); }

TermElement shifted(const TermElement& x, const TermElement& y, TermOp op) {
    const Term width = integer(x, bits_of(type_of(x.dtype)));
    const Term past = x.terms->negation(test(x, TermOp::unsigned_less, y.re, width));
    const Term within = make(x, op, x.re, choice(x, past, zero(x), y.re));
    const Term beyond = op == TermOp::ashr ? make(x, op, x.re, integer(x, bits_of(type_of(x.dtype)) - 1)) : zero(x);
    return of(x, choice(x, past, beyond, within));
}
TermElement left_shift(const TermElement& x, const TermElement& y) { return shifted(x, y, TermOp::shl); }
TermElement right_shift(const TermElement& x, const TermElement& y) { return shifted(x, y, is_signed(x) ? TermOp::ashr : TermOp::lshr); }
TermElement bitwise_count(const TermElement& x) {
    const Term count = make(x, TermOp::ctpop, absolute(x).re);
    const bool wide = bits_of(type_of(x.dtype)) > 8;
    return {x.terms, Dtype::uint8, wide ? x.terms->make(TermOp::trunc, TermType::i8, {count}) : count, 0};
}

// Functions of the C library's vectors, by themselves; 16-bit floats as floats.
TermElement vector_function(ir::Op op, std::initializer_list<TermElement> args) {
    const TermElement& x = *args.begin();
    const Dtype dtype = x.dtype == Dtype::float64 ? Dtype::float64 : Dtype::float32;
    if (!is_floating(x.dtype) || eager::vector_function(op, dtype) == nullptr) return {};
    std::vector<Term> parts;
    for (const TermElement& each : args) parts.push_back(each.re);
    return of(x, x.terms->make(TermOp::call, type_of(x.dtype), parts, function_payload(op, dtype, std::nullopt, 0)));
}

#define VECTOR1(name) \
    TermElement name(const TermElement& x) { return vector_function(ir::Op::name, {x}); }
#define VECTOR2(name) \
    TermElement name(const TermElement& x, const TermElement& y) { return vector_function(ir::Op::name, {x, y}); }
#include "codegen/vector_math.def"

// Known by their names alone.
#define NAMED1(name) \
    TermElement name(const TermElement&) { return {}; }
#define NAMED2(name) \
    TermElement name(const TermElement&, const TermElement&) { return {}; }
NAMED1(spacing)
NAMED1(frexp_mantissa)
NAMED1(frexp_exponent)
NAMED1(modf_fraction)
NAMED2(floor_divide)
NAMED2(remainder)
NAMED2(fmod)
NAMED2(logaddexp)
NAMED2(logaddexp2)
NAMED2(nextafter)
NAMED2(heaviside)
NAMED2(ldexp)
NAMED2(gcd)
NAMED2(lcm)
#undef NAMED1
#undef NAMED2

TermElement meaning_of(ir::Op op, const TermElement& x, const TermElement& y) {
    switch (op) {
#define MAP1(name, rule, meaning, partial, traits, doc) \
    case ir::Op::name: return meaning;
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) \
    case ir::Op::name: return meaning;
#include "fastnp/ops/map.def"
        default: return {};
    }
}

Term round_to(Terms& terms, Term value, Dtype dtype) {
    if (dtype == Dtype::float16) return terms.make(TermOp::fpext, TermType::f32, {terms.make(TermOp::fptrunc, TermType::f16, {value})});
    if (dtype != Dtype::bfloat16) return value;
    const auto number = [&](std::uint32_t bits) { return terms.constant(TermType::i32, bits); };
    const auto join = [&](TermOp op, Term x, Term y) { return terms.make(op, TermType::i32, {x, y}); };
    const Term bits = terms.make(TermOp::bitcast, TermType::i32, {value});
    const Term odd = join(TermOp::bit_and, join(TermOp::lshr, bits, number(16)), number(1));
    const Term rounded = join(TermOp::add, join(TermOp::add, bits, number(0x7fff)), odd);
    const Term is_nan = terms.make(TermOp::unordered, TermType::i1, {value, value});
    const Term chosen = terms.make(TermOp::select, TermType::i32, {is_nan, join(TermOp::bit_or, bits, number(0x400000)), rounded});
    return terms.make(TermOp::bitcast, TermType::f32, {join(TermOp::bit_and, chosen, number(0xffff0000U))});
}

// A function that is known by its name.
TermElement call(ir::Op op, Dtype compute, std::optional<Dtype> cast_to, Dtype result, std::span<const TermElement> args) {
    Terms& terms = *args[0].terms;
    std::vector<Term> parts;
    for (const TermElement& arg : args) {
        parts.push_back(to_memory(terms, arg.re, arg.dtype));
        if (is_pair(arg)) parts.push_back(to_memory(terms, arg.im, arg.dtype));
    }
    const auto part = [&](int number) {
        const Term raw = terms.make(TermOp::call, memory_type_of(result), parts, function_payload(op, compute, cast_to, number));
        return from_memory(terms, raw, result);
    };
    return {&terms, result, part(0), is_complex(result) ? part(1) : 0};
}

Term number_to_real(Terms& terms, Term value, Dtype from, Dtype to) {
    const TermType type = type_of(to);
    const char kind = kind_of(from);
    if (kind == 'b' || kind == 'u') return terms.make(TermOp::uitofp, type, {value});
    if (kind == 'i') return terms.make(TermOp::sitofp, type, {value});
    const TermOp op = bits_of(type) > bits_of(type_of(from)) ? TermOp::fpext : TermOp::fptrunc;
    return terms.make(op, type, {value});
}

TermElement cast(const TermElement& x, Dtype to) {
    if (x.dtype == to) return x;
    Terms& terms = *x.terms;
    if (to == Dtype::bool_) return truth(x, nonzero(x));
    if (is_pair(x) && !is_complex(to)) return cast(real(x), to);
    if (is_integer(to)) {
        if (is_floating(x.dtype)) return call(ir::Op::cast, x.dtype, to, to, {&x, 1});
        const bool wider = bits_of(type_of(to)) > bits_of(type_of(x.dtype));
        const TermOp op = !wider ? TermOp::trunc : is_signed(x) ? TermOp::sext : TermOp::zext;
        return {&terms, to, terms.make(op, type_of(to), {x.re}), 0};
    }
    if (is_half(to) && itemsize_of(x.dtype) > 4) return call(ir::Op::cast, x.dtype, to, to, {&x, 1});  // which rounds once
    TermElement result{&terms, to, round_to(terms, number_to_real(terms, x.re, real_of(x.dtype), to), to), 0};
    if (is_complex(to)) result.im = is_pair(x) ? number_to_real(terms, x.im, real_of(x.dtype), to) : terms.constant(type_of(to), 0);
    return result;
}

}  // namespace

TermType type_of(Dtype dtype) {
    constexpr TermType integers[] = {TermType::i8,  TermType::i8,  TermType::i16, TermType::i16, TermType::i32,
                                     TermType::i32, TermType::i32, TermType::i32, TermType::i64};
    if (dtype == Dtype::bool_) return TermType::i1;
    if (is_integer(dtype)) return integers[itemsize_of(dtype)];
    return real_of(dtype) == Dtype::float64 ? TermType::f64 : TermType::f32;
}

TermType memory_type_of(Dtype dtype) {
    if (dtype == Dtype::bool_) return TermType::i8;
    if (dtype == Dtype::float16) return TermType::f16;
    return dtype == Dtype::bfloat16 ? TermType::i16 : type_of(dtype);
}

TermElement constant_of(Terms& terms, const Scalar& scalar, Dtype dtype) {
    if (dtype == Dtype::bool_) return {&terms, dtype, terms.truth(scalar.bits() != 0 || scalar.real() != 0 || scalar.imag() != 0), 0};
    if (is_integer(dtype)) return {&terms, dtype, terms.constant(type_of(dtype), scalar.bits()), 0};
    const auto part = [&](double value) {
        if (dtype == Dtype::float16) value = static_cast<float>(float16_t(static_cast<float>(value)));
        if (dtype == Dtype::bfloat16) value = static_cast<float>(bfloat16_t(static_cast<float>(value)));
        return terms.real(type_of(dtype), value);
    };
    return {&terms, dtype, part(scalar.real()), is_complex(dtype) ? part(scalar.imag()) : 0};
}

Term to_memory(Terms& terms, Term part, Dtype dtype) {
    if (dtype == Dtype::bool_) return terms.make(TermOp::zext, TermType::i8, {part});
    if (dtype == Dtype::float16) return terms.make(TermOp::fptrunc, TermType::f16, {part});
    if (dtype != Dtype::bfloat16) return part;
    const Term bits = terms.make(TermOp::bitcast, TermType::i32, {part});
    return terms.make(TermOp::trunc, TermType::i16, {terms.make(TermOp::lshr, TermType::i32, {bits, terms.constant(TermType::i32, 16)})});
}

Term from_memory(Terms& terms, Term part, Dtype dtype) {
    if (dtype == Dtype::bool_) return terms.negation(terms.make(TermOp::equal, TermType::i1, {part, terms.constant(TermType::i8, 0)}));
    if (dtype == Dtype::float16) return terms.make(TermOp::fpext, TermType::f32, {part});
    if (dtype != Dtype::bfloat16) return part;
    const Term wide = terms.make(TermOp::zext, TermType::i32, {part});
    return terms.make(TermOp::bitcast, TermType::f32, {terms.make(TermOp::shl, TermType::i32, {wide, terms.constant(TermType::i32, 16)})});
}

TermElement apply(ir::Op op, Dtype compute, Dtype result, std::span<const TermElement> args) {
    const TermElement& x = args[0];
    if (op == ir::Op::cast) return cast(x, result);
    if (op == ir::Op::select) {
        const auto part = [&](Term a, Term b) { return choice(args[1], x.re, a, b); };
        return {x.terms, result, part(args[1].re, args[2].re), is_complex(result) ? part(args[1].im, args[2].im) : 0};
    }
    TermElement value = meaning_of(op, x, args.size() > 1 ? args[1] : TermElement{});
    if (value.missing()) return call(op, compute, std::nullopt, result, args);
    value.dtype = result;
    if (is_half(result)) value.re = round_to(*value.terms, value.re, result);
    return value;
}

}  // namespace fastnp::codegen
