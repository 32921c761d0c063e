// Whole numbers of which the same number of pieces of a bit generator's stream can't be: some pieces are left out.
#include "attempts.h"

using namespace fastnp::kernels;

namespace {

using G = fastnp::device::FASTNP_GENERATOR;

template <int bits, class T>
struct Bounded : Integers<bits, T> {
    static constexpr bool may_be_long = false;
    using Piece = typename Integers<bits, T>::Piece;

    [[gnu::always_inline]] void begin() const {}
    [[gnu::always_inline]] bool takes_one(Piece piece) const { return this->takes(piece); }
    [[gnu::always_inline]] void store(T* out, std::int64_t place, const Pieces<bits>& pieces, std::int64_t number, int /*length*/,
                                      const Board& /*board*/) const {
        out[place] = this->value(pieces[number]);
    }
};

}  // namespace

#define FASTNP_DRAW_BOUNDED(bits, out_bits)                                                                                                              \
    FASTNP_DRAW_KERNEL(draw_bounded_##bits##_##out_bits, std::uint##out_bits##_t* out, std::int64_t count, std::int64_t tiles, FASTNP_STREAM_PARAMETERS, \
                       FASTNP_BOARD_PARAMETERS, std::uint64_t low, std::uint64_t span, std::uint64_t threshold) {                                        \
        const Bounded<bits, std::uint##out_bits##_t> kind{{low, span, threshold}};                                                                       \
        draw_attempts<G>(kind, out, count, tiles, FASTNP_STREAM_ARGUMENTS, FASTNP_BOARD_ARGUMENTS);                                                      \
    }
FASTNP_DRAW_BOUNDED(64, 64)
FASTNP_DRAW_BOUNDED(32, 64)
FASTNP_DRAW_BOUNDED(32, 32)
FASTNP_DRAW_BOUNDED(16, 16)
FASTNP_DRAW_BOUNDED(8, 8)
