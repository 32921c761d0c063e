// Names, casting and promotion: NumPy 2's rules over its dtypes, extended to bfloat16 (the safe casts of ml_dtypes).
#include "fastnp/dtype.h"

#include <bit>

#include "fastnp/error.h"
#include "fastnp/scalar.h"

namespace fastnp {

namespace {

int bits_of(Dtype dtype) { return static_cast<int>(itemsize_of(dtype) * 8); }

// Integers up to this width are exact in the floating dtype.
int exact_integer_bits(Dtype dtype) {
    switch (real_of(dtype)) {
        case Dtype::float16: return 8;
        case Dtype::bfloat16: return 8;
        case Dtype::float32: return 16;
        default: return 64;  // NumPy calls int64 to float64 safe
    }
}

int kind_rank(char kind) {
    switch (kind) {
        case 'b': return 0;
        case 'u': return 1;
        case 'i': return 2;
        case 'f': return 4;
        default: return 5;
    }
}

bool safe(Dtype from, Dtype to) {
    if (from == to) return true;
    const char f = kind_of(from);
    const char t = kind_of(to);
    if (f == 'b') return true;
    if (t == 'b') return false;
    if (f == 'u' && t == 'u') return bits_of(from) <= bits_of(to);
    if (f == 'u' && t == 'i') return bits_of(from) < bits_of(to);
    if (f == 'i' && t == 'i') return bits_of(from) <= bits_of(to);
    if (f == 'i' && t == 'u') return false;
    if (f == 'u' || f == 'i') return bits_of(from) <= exact_integer_bits(to);
    if (f == 'c' && t != 'c') return false;
    if (t != 'f' && t != 'c') return false;
    const Dtype source = real_of(from);
    const Dtype target = real_of(to);
    const bool both_small = bits_of(source) == 16 && bits_of(target) == 16;
    return both_small ? source == target : bits_of(source) <= bits_of(target);
}

}  // namespace

Dtype parse_dtype(std::string_view name) {
    for (int i = 0; i < dtype_count; ++i) {
        const auto dtype = static_cast<Dtype>(i);
        if (name_of(dtype) == name || (name.size() == 1 && name[0] == code_of(dtype))) return dtype;
    }
    if (name == "bool_") return Dtype::bool_;
    if (name == "int") return Dtype::int64;
    if (name == "float") return Dtype::float64;
    if (name == "complex") return Dtype::complex128;
    throw TypeError("data type '" + std::string(name) + "' not understood");
}

std::string_view name_of(Casting casting) {
    switch (casting) {
        case Casting::no: return "no";
        case Casting::equiv: return "equiv";
        case Casting::safe: return "safe";
        case Casting::same_kind: return "same_kind";
        case Casting::unsafe: return "unsafe";
    }
    return "";
}

bool can_cast(Dtype from, Dtype to, Casting casting) {
    switch (casting) {
        case Casting::no:
        case Casting::equiv: return from == to;
        case Casting::safe: return safe(from, to);
        case Casting::same_kind: return safe(from, to) || kind_rank(kind_of(from)) <= kind_rank(kind_of(to));
        case Casting::unsafe: return true;
    }
    return false;
}

Dtype promote_types(Dtype a, Dtype b) {
    if (a == b) return a;
    for (int i = 0; i < dtype_count; ++i) {
        const auto candidate = static_cast<Dtype>(i);
        if (safe(a, candidate) && safe(b, candidate)) return candidate;
    }
    return Dtype::complex128;
}

Dtype result_type(std::span<const Dtype> dtypes, std::span<const WeakKind> weak) {
    bool any = false;
    Dtype result = Dtype::bool_;
    for (const Dtype dtype : dtypes) {
        result = any ? promote_types(result, dtype) : dtype;
        any = true;
    }
    if (!any) {
        for (const WeakKind kind : weak) {
            constexpr Dtype defaults[] = {Dtype::bool_, Dtype::int64, Dtype::float64, Dtype::complex128};
            result = promote_types(result, defaults[static_cast<int>(kind)]);
        }
        return result;
    }
    for (const WeakKind kind : weak) {
        switch (kind) {
            case WeakKind::boolean: break;
            case WeakKind::integer:
                if (result == Dtype::bool_) result = Dtype::int64;
                break;
            case WeakKind::floating:
                if (!is_inexact(result)) result = Dtype::float64;
                break;
            case WeakKind::complex:
                if (!is_complex(result)) result = is_floating(result) && result != Dtype::float64 ? Dtype::complex64 : Dtype::complex128;
                break;
        }
    }
    return result;
}

bool operator==(const Scalar& a, const Scalar& b) {
    auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    return a.kind_ == b.kind_ && a.negative_ == b.negative_ && a.bits_ == b.bits_ && bits(a.real_) == bits(b.real_) && bits(a.imag_) == bits(b.imag_);
}

}  // namespace fastnp
