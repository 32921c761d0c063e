// Functions of float32 for usual arguments (ops/usual.def): libdevice's without its cases for others, so to the bit the same where nothing rare is
// given; for rare arguments worthless.
#include <bit>
#include <cstdint>

namespace {

void assume(bool condition) {
    if (!condition) __builtin_unreachable();
}
void assume_normal(float x) {
    assume(!(x < 0x1p-126F));
    assume(x != 0);
    assume(std::bit_cast<std::uint32_t>(x) < 0x7f800000U);
}
void assume_small(float x) { assume(!(__nvvm_fabs_f(x) >= 105615.0F)); }  // beyond it 192 bits of 2/pi are multiplied, in a loop

}  // namespace

extern "C" {
#define USUAL(name, most, is_positive, most_result, assume)                       \
    float __nv_##name##f(float);                                                  \
    float fastnp_usual_##name(float x) __asm__("fastnp_usual_" #name "_float32"); \
    float fastnp_usual_##name(float x) {                                          \
        assume(x);                                                                \
        return __nv_##name##f(x);                                                 \
    }
#include "ops/usual.def"
}
