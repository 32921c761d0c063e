// Random numbers each of which takes one piece of a bit generator's stream.
#include "draws.h"

using namespace fastnp::kernels;

namespace {

using G = fastnp::device::FASTNP_GENERATOR;

// NumPy's numbers from 0 up to 1, as it scales and moves them.
struct Doubles {
    using Out = double;
    static constexpr int piece_bits = 64;
    double low, range;
    [[gnu::always_inline]] double value(std::uint64_t piece) const { return low + range * (static_cast<double>(piece >> 11) * 0x1p-53); }
};
struct Floats {
    using Out = float;
    static constexpr int piece_bits = 32;
    [[gnu::always_inline]] float value(std::uint32_t piece) const { return static_cast<float>(piece >> 8) * 0x1p-24F; }
};

}  // namespace

FASTNP_DRAW_KERNEL(draw_float64, double* out, std::int64_t count, FASTNP_STREAM_PARAMETERS, double low, double range) {
    draw_all<G>(Doubles{low, range}, out, count, FASTNP_STREAM_ARGUMENTS);
}
FASTNP_DRAW_KERNEL(draw_float32, float* out, std::int64_t count, FASTNP_STREAM_PARAMETERS) { draw_all<G>(Floats{}, out, count, FASTNP_STREAM_ARGUMENTS); }

#define FASTNP_DRAW_INTEGERS(bits, out_bits)                                                                                                             \
    FASTNP_DRAW_KERNEL(draw_integers_##bits##_##out_bits, std::uint##out_bits##_t* out, std::int64_t count, FASTNP_STREAM_PARAMETERS, std::uint64_t low, \
                       std::uint64_t span) {                                                                                                             \
        draw_all<G>(Integers<bits, std::uint##out_bits##_t>{low, span, 0}, out, count, FASTNP_STREAM_ARGUMENTS);                                         \
    }
FASTNP_DRAW_INTEGERS(64, 64)
FASTNP_DRAW_INTEGERS(32, 64)
FASTNP_DRAW_INTEGERS(32, 32)
FASTNP_DRAW_INTEGERS(16, 16)
FASTNP_DRAW_INTEGERS(8, 8)
FASTNP_DRAW_INTEGERS(1, 8)
