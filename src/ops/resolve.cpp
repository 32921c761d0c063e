// Which loop a ufunc runs: NumPy's type resolution under NEP 50, and its errors.
#include <bit>
#include <cmath>
#include <limits>

#include "fastnp/detail/float_flags.h"
#include "fastnp/error.h"
#include "ops/infer.h"
#include "ops/rules.h"

namespace fastnp::ops {

namespace {

std::string dtype_text(Dtype dtype) { return "dtype('" + std::string(name_of(dtype)) + "')"; }

// numpy.dtypes' class of a dtype: "Int8DType".
std::string class_text(const LoopOperand& operand) {
    std::string name;
    if (operand.dtype) {
        switch (kind_of(*operand.dtype)) {
            case 'b': name = "Bool"; break;
            case 'u': name = "UInt" + std::to_string(8 * itemsize_of(*operand.dtype)); break;
            default: name = name_of(*operand.dtype); name[0] = static_cast<char>(name[0] - 'a' + 'A');
        }
    } else {
        switch (operand.scalar->kind()) {
            case WeakKind::boolean: name = "Bool"; break;
            case WeakKind::integer: name = "_PyLong"; break;
            case WeakKind::floating: name = "_PyFloat"; break;
            case WeakKind::complex: name = "_PyComplex"; break;
        }
    }
    return "<class 'numpy.dtypes." + name + "DType'>";
}

[[noreturn]] void throw_not_supported(Op op) {
    throw TypeError("ufunc '" + std::string(info(op).name) +
                    "' not supported for the input types, and the inputs could not be safely coerced to any supported types according to the "
                    "casting rule ''safe''");
}

[[noreturn]] void throw_no_loop(Op op, std::span<const LoopOperand> operands) {
    std::string types = class_text(operands[0]);
    if (operands.size() > 1) types = "(" + types + ", " + class_text(operands[1]) + ")";
    throw TypeError("ufunc '" + std::string(info(op).name) + "' did not contain a loop with signature matching types " + types + " -> None");
}

[[noreturn]] void throw_no_signature(Op op) {
    throw TypeError("No loop matching the specified signature and casting was found for ufunc " + std::string(info(op).name));
}

[[noreturn]] void throw_cannot_cast(Op op, std::size_t operand, std::size_t count, Dtype from, Dtype to, Casting casting) {
    const std::string which = count > 1 ? " input " + std::to_string(operand) : " input";
    throw TypeError("Cannot cast ufunc '" + std::string(info(op).name) + "'" + which + " from " + dtype_text(from) + " to " + dtype_text(to) +
                    " with casting rule '" + std::string(name_of(casting)) + "'");
}

// A weak bool is a numpy.bool.
Dtype default_dtype(const LoopOperand& operand) {
    if (operand.dtype) return *operand.dtype;
    switch (operand.scalar->kind()) {
        case WeakKind::boolean: return Dtype::bool_;
        case WeakKind::integer: return Dtype::int64;
        case WeakKind::floating: return Dtype::float64;
        case WeakKind::complex: return Dtype::complex128;
    }
    return Dtype::float64;
}

bool is_weak(const LoopOperand& operand) { return operand.scalar && operand.scalar->kind() != WeakKind::boolean; }

using Dtypes = SmallVector<Dtype, 3>;

// What the operands count as: a weak scalar takes the dtype that it and the others give (NEP 50).
Dtypes search_dtypes(std::span<const LoopOperand> operands) {
    Dtypes dtypes, strong;
    SmallVector<WeakKind, 3> weak;
    for (const LoopOperand& operand : operands) {
        dtypes.push_back(default_dtype(operand));
        if (is_weak(operand)) weak.push_back(operand.scalar->kind());
        else strong.push_back(dtypes.back());
    }
    if (weak.empty() || strong.empty()) return dtypes;
    const Dtype common = result_type({strong.data(), strong.size()}, {weak.data(), weak.size()});
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (is_weak(operands[i])) dtypes[i] = common;
    }
    return dtypes;
}

std::optional<Dtype> dtype_of_code(char code) {
    for (int i = 0; i < dtype_count; ++i) {
        if (code_of(static_cast<Dtype>(i)) == code) return static_cast<Dtype>(i);
    }
    return std::nullopt;
}

// The first loop that every operand casts to safely.
std::optional<Dtype> first_loop(const Rule& rule, const Dtypes& dtypes) {
    bool alike = true, whole = true;
    for (const Dtype dtype : dtypes) {
        alike = alike && dtype == dtypes[0];
        whole = whole && (is_integer(dtype) || dtype == Dtype::bool_);
    }
    if (rule.integers_as_float64 && whole) return Dtype::float64;
    if (alike && rules::has_loop(rule, dtypes[0])) return dtypes[0];
    for (const char code : rule.loops) {
        const auto loop = dtype_of_code(code);
        bool fits = loop.has_value();
        for (const Dtype dtype : dtypes) fits = fits && can_cast(dtype, *loop);
        if (fits) return loop;
    }
    return std::nullopt;
}

// bool where NumPy has no bool loop and says so instead of going on to int8.
void check_bool(Op op, std::span<const LoopOperand> operands) {
    switch (op) {
        case Op::subtract:
            throw TypeError(
                "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the "
                "logical_xor function instead.");
        case Op::negative:
            throw TypeError(
                "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not "
                "function instead.");
        case Op::positive:
        case Op::sign:
        case Op::gcd:
        case Op::lcm: throw_no_loop(op, operands);
        default: break;
    }
}

bool can_cast_operand(const LoopOperand& operand, Dtype to, Casting casting) {
    if (operand.dtype || operand.scalar->kind() == WeakKind::boolean) return can_cast(default_dtype(operand), to, casting);
    switch (operand.scalar->kind()) {
        case WeakKind::integer: return to != Dtype::bool_ || casting == Casting::unsafe;
        case WeakKind::floating: return is_inexact(to) || casting == Casting::unsafe;
        default: return is_complex(to) || casting == Casting::unsafe;
    }
}

Dtype requested_loop(Op op, const Rule& rule, std::span<const LoopOperand> operands, Dtype wanted) {
    if (rule.output == Output::same) {
        if (!rules::has_loop(rule, wanted)) throw_no_signature(op);
        return wanted;
    }
    if (const auto usual = first_loop(rule, search_dtypes(operands)); usual && rules::output_of(rule, *usual) == wanted) return *usual;
    for (const char code : rule.loops) {
        const auto loop = dtype_of_code(code);
        if (loop && rules::output_of(rule, *loop) == wanted) return *loop;
    }
    throw_no_signature(op);
}

// What numpy.ldexp's first operand counts as.
Dtype scaled_dtype(std::span<const LoopOperand> operands) {
    const LoopOperand& second = operands[1];
    const bool any_dtype = operands[0].dtype || second.dtype;
    const bool weak_integer = operands[0].scalar && operands[0].scalar->kind() == WeakKind::integer;
    const bool bool_second = !is_weak(second) && default_dtype(second) == Dtype::bool_;
    return any_dtype && weak_integer && !bool_second ? Dtype::float16 : default_dtype(operands[0]);
}

// numpy.ldexp: the first operand chooses the loop, the second is an integer.
Loop resolve_scaled(Op op, const Rule& rule, std::span<const LoopOperand> operands) {
    const LoopOperand& second = operands[1];
    if (second.dtype ? !can_cast(*second.dtype, Dtype::int64) : second.scalar->kind() > WeakKind::integer) throw_not_supported(op);
    if (second.scalar) convert(*second.scalar, Dtype::int32);
    const auto loop = first_loop(rule, {scaled_dtype(operands)});
    if (!loop) throw_not_supported(op);
    return {{*loop, Dtype::int32}, *loop, rules::output_of(rule, *loop)};
}

}  // namespace

Loop resolve(Op op, std::span<const LoopOperand> operands, std::optional<Dtype> dtype, Casting casting) {
    const Info& row = info(op);
    const Rule& rule = *row.rule;
    Loop result;
    if (dtype && rule.integer_second) {
        const LoopOperand& second = operands[1];
        if (second.dtype ? !can_cast(*second.dtype, Dtype::int64) : second.scalar->kind() > WeakKind::integer) throw_no_signature(op);
        result.compute = requested_loop(op, rule, operands, *dtype);
        if (!can_cast(scaled_dtype(operands), result.compute)) throw_no_signature(op);
        result.operands = {result.compute, Dtype::int32};
    } else if (rule.integer_second) {
        result = resolve_scaled(op, rule, operands);
    } else if (dtype) {
        result.compute = requested_loop(op, rule, operands, *dtype);
        result.operands.resize(operands.size(), result.compute);
    } else {
        const Dtypes dtypes = search_dtypes(operands);
        bool all_bool = true;
        for (const Dtype each : dtypes) all_bool = all_bool && each == Dtype::bool_;
        if (all_bool) check_bool(op, operands);
        const auto loop = first_loop(rule, dtypes);
        if (!loop && (op == Op::gcd || op == Op::lcm)) throw_no_loop(op, operands);
        if (!loop) throw_not_supported(op);
        result.compute = *loop;
        result.operands.resize(operands.size(), *loop);
    }
    result.output = rules::output_of(rule, result.compute);
    if (dtype || casting == Casting::no || casting == Casting::equiv) {
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (can_cast_operand(operands[i], result.operands[i], casting)) continue;
            throw_cannot_cast(op, i, operands.size(), default_dtype(operands[i]), result.operands[i], casting);
        }
    }
    return result;
}

Dtype fold_dtype(Op op, Dtype operand, std::optional<Dtype> dtype) {
    const Info& row = info(op);
    if (row.dtype_rule == "bool_dtype") return Dtype::bool_;
    if (dtype) return *dtype;
    if (row.dtype_rule == "sum_dtype" && (operand == Dtype::bool_ || is_integer(operand)) && itemsize_of(operand) < 8) {
        return kind_of(operand) == 'u' ? Dtype::uint64 : Dtype::int64;
    }
    return operand;
}

namespace {

template <class T>
bool holds(const Scalar& value) {
    if constexpr (std::is_signed_v<T>) {
        if (value.negative()) return value.as_int64() >= std::numeric_limits<T>::min();
        return value.bits() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    } else {
        return !value.negative() && value.bits() <= std::numeric_limits<T>::max();
    }
}

std::string integer_text(const Scalar& value) { return value.negative() ? std::to_string(value.as_int64()) : std::to_string(value.bits()); }

Scalar to_integer(const Scalar& value, Dtype dtype) {
    Scalar whole = value;
    if (value.kind() == WeakKind::floating) {
        const double real = value.real();
        if (std::isnan(real)) throw ValueError("cannot convert float NaN to integer");
        if (std::isinf(real)) throw OverflowError("cannot convert float infinity to integer");
        if (real < -0x1p63 || real >= 0x1p64) throw OverflowError("Python int too large to convert to C long");
        whole = real < 0 ? Scalar(static_cast<std::int64_t>(real)) : Scalar(static_cast<std::uint64_t>(real));
    } else if (value.kind() == WeakKind::complex) {
        throw TypeError("int() argument must be a string, a bytes-like object or a real number, not 'complex'");
    } else if (value.kind() == WeakKind::boolean) {
        whole = Scalar(static_cast<int>(value.bits()));
    }
    bool fits = false;
    switch (dtype) {
        case Dtype::int8: fits = holds<std::int8_t>(whole); break;
        case Dtype::uint8: fits = holds<std::uint8_t>(whole); break;
        case Dtype::int16: fits = holds<std::int16_t>(whole); break;
        case Dtype::uint16: fits = holds<std::uint16_t>(whole); break;
        case Dtype::int32: fits = holds<std::int32_t>(whole); break;
        case Dtype::uint32: fits = holds<std::uint32_t>(whole); break;
        case Dtype::int64: fits = holds<std::int64_t>(whole); break;
        default: fits = holds<std::uint64_t>(whole); break;
    }
    const bool is_long = whole.negative() || whole.bits() <= static_cast<std::uint64_t>(INT64_MAX);
    if (!fits && !is_long) throw OverflowError("Python int too large to convert to C long");
    if (!fits) throw OverflowError("Python integer " + integer_text(whole) + " out of bounds for " + std::string(name_of(dtype)));
    return whole;
}

// The float next to `value` whose last bit says that it is inexact, so that rounding it further is rounding `value` once.
float to_odd(double value) {
    const float nearest = static_cast<float>(value);
    if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest)) return nearest;
    auto bits = std::bit_cast<std::uint32_t>(nearest);
    if (std::abs(static_cast<double>(nearest)) > std::abs(value)) --bits;
    return std::bit_cast<float>(bits | 1U);
}

// A conversion that raises the flags that NumPy's does: in software it is not seen by the processor.
float16_t half_of(float number) {
    constexpr float smallest_normal = 0x1p-14F;
    const float16_t half(number);
    if (std::isnan(number)) return half;
    const auto stored = static_cast<float>(half);
    if (std::isinf(stored) && !std::isinf(number)) fastnp::detail::raise_float_flags(fastnp::detail::float_overflow);
    if (std::abs(stored) < smallest_normal && stored != number) fastnp::detail::raise_float_flags(fastnp::detail::float_underflow);
    return half;
}

double rounded(double value, Dtype dtype) {
    switch (dtype) {
        case Dtype::float16: return static_cast<double>(static_cast<float>(half_of(to_odd(value))));
        case Dtype::bfloat16: return static_cast<double>(static_cast<float>(bfloat16_t(to_odd(value))));
        case Dtype::float32:
        case Dtype::complex64: return static_cast<double>(static_cast<float>(value));
        default: return value;
    }
}

}  // namespace

Scalar convert(const Scalar& value, Dtype dtype) {
    switch (kind_of(dtype)) {
        case 'b':
            if (value.kind() == WeakKind::boolean) return value;
            return Scalar(value.kind() == WeakKind::integer ? value.bits() != 0 : value.real() != 0 || value.imag() != 0);
        case 'f':
            if (value.kind() == WeakKind::complex) throw TypeError("float() argument must be a string or a real number, not 'complex'");
            return Scalar(rounded(value.real(), dtype));
        case 'c': return Scalar(std::complex<double>(rounded(value.real(), dtype), rounded(value.imag(), dtype)));
        default: return to_integer(value, dtype);
    }
}

}  // namespace fastnp::ops
