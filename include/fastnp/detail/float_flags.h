// The processor's flags of floating-point errors, this thread's own. They are kept clear and read after work: reading costs next to nothing, and a flag
// that is set is a suspicion, which those who know the operation look into.
#pragma once

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace fastnp::detail {

/// Kinds of errors, as bits.
enum FloatFlag : unsigned { float_invalid = 1, float_divide = 2, float_overflow = 4, float_underflow = 8 };

/// The flags that functions of the C library raise, which are not all those of the processor's vectors.
inline unsigned library_float_flags() {
    const int set = std::fetestexcept(FE_ALL_EXCEPT);
    return ((set & FE_INVALID) != 0 ? float_invalid : 0U) | ((set & FE_DIVBYZERO) != 0 ? float_divide : 0U) |
           ((set & FE_OVERFLOW) != 0 ? float_overflow : 0U) | ((set & FE_UNDERFLOW) != 0 ? float_underflow : 0U);
}

#if defined(__x86_64__)

namespace mxcsr {
constexpr unsigned invalid = 0x01, divide = 0x04, overflow = 0x08, underflow = 0x10;
constexpr unsigned watched = invalid | divide | overflow | underflow;
}  // namespace mxcsr

/// Whether any flag is set.
inline bool any_float_flag() { return (_mm_getcsr() & mxcsr::watched) != 0; }
/// The flags that are set.
inline unsigned float_flags() {
    const unsigned set = _mm_getcsr();
    return ((set & mxcsr::invalid) != 0 ? float_invalid : 0U) | ((set & mxcsr::divide) != 0 ? float_divide : 0U) |
           ((set & mxcsr::overflow) != 0 ? float_overflow : 0U) | ((set & mxcsr::underflow) != 0 ? float_underflow : 0U);
}
inline void clear_float_flags() {
    if (any_float_flag()) _mm_setcsr(_mm_getcsr() & ~mxcsr::watched);
}
/// Sets flags, beside those that are.
inline void raise_float_flags(unsigned flags) {
    const unsigned bits = ((flags & float_invalid) != 0 ? mxcsr::invalid : 0U) | ((flags & float_divide) != 0 ? mxcsr::divide : 0U) |
                          ((flags & float_overflow) != 0 ? mxcsr::overflow : 0U) | ((flags & float_underflow) != 0 ? mxcsr::underflow : 0U);
    _mm_setcsr(_mm_getcsr() | bits);
}

#else

inline unsigned float_flags() { return library_float_flags(); }
inline bool any_float_flag() { return float_flags() != 0; }
inline void clear_float_flags() { std::feclearexcept(FE_ALL_EXCEPT); }
inline void raise_float_flags(unsigned flags) {
    const int bits = ((flags & float_invalid) != 0 ? FE_INVALID : 0) | ((flags & float_divide) != 0 ? FE_DIVBYZERO : 0) |
                     ((flags & float_overflow) != 0 ? FE_OVERFLOW : 0) | ((flags & float_underflow) != 0 ? FE_UNDERFLOW : 0);
    std::feraiseexcept(bits);
}

#endif

/// For the length of work of others, such as a call back into Python: the flags are afterwards what they were.
class KeptFloatFlags {
public:
    KeptFloatFlags() : flags_(float_flags()) {}
    ~KeptFloatFlags() {
        clear_float_flags();
        if (flags_ != 0) raise_float_flags(flags_);
    }
    KeptFloatFlags(const KeptFloatFlags&) = delete;
    KeptFloatFlags& operator=(const KeptFloatFlags&) = delete;

private:
    unsigned flags_;
};

}  // namespace fastnp::detail
