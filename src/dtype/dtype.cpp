// Names, casting and promotion: NumPy 2's rules over its dtypes, extended to bfloat16 (the safe casts of ml_dtypes).
#include "fastnp/dtype.h"

#include <array>
#include <bit>
#include <utility>

#include "fastnp/error.h"
#include "fastnp/scalar.h"
#include "fastnp/small_vector.h"

namespace fastnp {

namespace {

constexpr int bits_of(Dtype dtype) { return static_cast<int>(itemsize_of(dtype) * 8); }

// Integers up to this width are exact in the floating dtype.
constexpr int exact_integer_bits(Dtype dtype) {
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

constexpr bool safe(Dtype from, Dtype to) {
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

using PromotionTable = std::array<std::array<Dtype, dtype_count>, dtype_count>;

constexpr PromotionTable make_promotions() {
    PromotionTable table{};
    for (int a = 0; a < dtype_count; ++a) {
        for (int b = 0; b < dtype_count; ++b) {
            int candidate = a == b ? a : 0;
            while (!safe(static_cast<Dtype>(a), static_cast<Dtype>(candidate)) || !safe(static_cast<Dtype>(b), static_cast<Dtype>(candidate))) ++candidate;
            table[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = static_cast<Dtype>(candidate);
        }
    }
    return table;
}
constexpr PromotionTable promotions = make_promotions();

// NumPy's order of who decides: the 16-bit floats, which came late, after all others.
constexpr int seniority(Dtype dtype) { return static_cast<int>(dtype) + (itemsize_of(dtype) == 2 && is_floating(dtype) ? dtype_count : 0); }

// Three and more dtypes are not promoted from left to right: int16, uint16 and float32 give float32, although int16 and uint16 alone give int32.
// This is PyArray_PromoteDTypeSequence: the ends are paired off, the senior of each pair moves to the front, and in the end the first dtype meets the
// rest.
Dtype promote_sequence(std::span<const Dtype> given) {
    SmallVector<Dtype, 8> dtypes(given);
    SmallVector<bool, 8> dropped(given.size(), false);
    Dtype result{};
    bool known = false;
    for (std::size_t length = dtypes.size();; length -= length / 2) {
        for (std::size_t low = 0; low < length / 2; ++low) {
            const std::size_t high = length - 1 - low;
            known = seniority(dtypes[high]) <= seniority(dtypes[low]);
            if (!known) {
                std::swap(dtypes[low], dtypes[high]);
                continue;
            }
            result = promote_types(dtypes[low], dtypes[high]);
            if (result == dtypes[low]) dropped[high] = true;
        }
        if (length == 2) break;
    }
    if (!known) result = dtypes[0];
    for (std::size_t i = 1; i < dtypes.size(); ++i) {
        if (!dropped[i]) result = promote_types(result, promote_types(dtypes[0], dtypes[i]));
    }
    return result;
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

Dtype promote_types(Dtype a, Dtype b) { return promotions[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]; }

Dtype result_type(std::span<const Dtype> dtypes, std::span<const WeakKind> weak) {
    Dtype result = Dtype::bool_;
    if (dtypes.empty()) {
        for (const WeakKind kind : weak) {
            constexpr Dtype defaults[] = {Dtype::bool_, Dtype::int64, Dtype::float64, Dtype::complex128};
            result = promote_types(result, defaults[static_cast<int>(kind)]);
        }
        return result;
    }
    if (dtypes.size() == 1) result = dtypes[0];
    else if (dtypes.size() == 2) result = promote_types(dtypes[0], dtypes[1]);
    else result = promote_sequence(dtypes);
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
