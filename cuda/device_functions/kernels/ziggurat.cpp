// The normal and the exponential distribution, as NumPy draws them by the ziggurat method: of layers of equal area under the density one is taken, and a
// point in it; it is a result at once if it lies under the curve for sure, which is nearly always so. Else one more number decides (the *wedge*), or,
// beyond the lowest layer's edge, as many as it takes (the *tail*), by the C library's exp and log1p. Only that has its last bits: so results in tails are
// left to the host, and decisions that are close.
#include "device/ziggurat.h"

#include "attempts.h"
#include "curves.h"

using namespace fastnp::kernels;
namespace ziggurat = fastnp::device::ziggurat;
using ziggurat::Exponential;
using ziggurat::Normal;

namespace {

using G = fastnp::device::FASTNP_GENERATOR;

template <class D, class Real>
struct Ziggurat {
    static constexpr bool is_wide = sizeof(Real) == 8;
    static constexpr int piece_bits = is_wide ? 64 : 32;
    static constexpr bool may_be_long = true;
    using Out = Real;
    using Piece = typename Pieces<piece_bits>::Piece;

    Real shift, scale;
    double close, close_in_tail;  // what a decision's sides may differ by, as a part of them
    const Piece* k = nullptr;
    const Real* w = nullptr;

    [[gnu::always_inline]] void begin() {
        FASTNP_SHARED(Piece, shared_k, ziggurat::layers);
        FASTNP_SHARED(Real, shared_w, ziggurat::layers);
        static_assert(ziggurat::layers == threads);
        constexpr const auto& table = ziggurat::table<D, Real>();
        shared_k[thread()] = table.k[thread()];
        shared_w[thread()] = table.w[thread()];
        k = shared_k;
        w = shared_w;
    }

    [[gnu::always_inline]] bool takes_one(Piece piece) const {
        const auto point = D::point(piece);
        return point.place < k[point.layer];
    }
    [[gnu::always_inline]] Real at(const ziggurat::Point<Piece>& point) const {
        const Real x = static_cast<Real>(point.place) * w[point.layer];
        return point.is_negative ? -x : x;
    }

    // a < b, of numbers that the C library works out otherwise in the last bits.
    [[gnu::always_inline]] static bool is_less(double a, double b, double close, std::int64_t key, double x, double y, const Board& board) {
        const double difference = a - b;
        if (__builtin_fabs(difference) <= close * b) return board.decide(key, x, y);
        return difference < 0;
    }

    [[gnu::always_inline]] Attempt try_long(const Pieces<piece_bits>& pieces, std::int64_t number, std::int64_t position, const Board& board) const {
        const auto point = D::point(pieces[number]);
        const std::int64_t key = position * 64;
        if (point.layer != 0) {
            const Real* const f = ziggurat::table<D, Real>().f;
            const Real x = at(point), low = f[point.layer], high = f[point.layer - 1];
            const Real y = (high - low) * ziggurat::unit(pieces[number + 1]) + low;
            const double density = exp_of(D::has_sign ? -0.5 * static_cast<double>(x) * static_cast<double>(x) : -static_cast<double>(x));
            return {2, is_less(y, density, close, key, static_cast<double>(y), static_cast<double>(x), board)};
        }
        if constexpr (!D::has_sign) return {2, true};
        for (int tried = 0; 2 * tried + 3 <= draws::longest; ++tried) {
            const Real a = ziggurat::unit(pieces[number + 2 * tried + 1]), b = ziggurat::unit(pieces[number + 2 * tried + 2]);
            const double x = -Normal::inverse_edge * log_of(1.0 - static_cast<double>(a)), y = -log_of(1.0 - static_cast<double>(b));
            const bool is_under =
                is_less(x * x, y + y, close_in_tail, key + 2 * tried + draws::tail_bit, static_cast<double>(a), static_cast<double>(b), board);
            if (is_under) return {2 * tried + 3, true};
        }
        board.give_up();
        return {draws::longest, true};
    }

    [[gnu::always_inline]] void store(Real* out, std::int64_t place, const Pieces<piece_bits>& pieces, std::int64_t number, int length,
                                      const Board& board) const {
        const auto point = D::point(pieces[number]);
        if (length == 1 || point.layer != 0) {
            out[place] = shift + scale * at(point);
            return;
        }
        // The number that the tail's result is made of is the last but one.
        const Piece piece = pieces[number + (D::has_sign ? length - 2 : 1)];
        const std::uint64_t bits = is_wide ? static_cast<std::uint64_t>(piece) >> 11 : static_cast<std::uint64_t>(piece) >> 8;
        board.leave_result(place, bits | (ziggurat::has_negative_tail<D>(point) ? draws::left_sign : 0));
    }
};

}  // namespace

#define FASTNP_DRAW_ZIGGURAT(name, D, T)                                                                                                      \
    FASTNP_DRAW_KERNEL(name, T* out, std::int64_t count, std::int64_t tiles, FASTNP_STREAM_PARAMETERS, FASTNP_BOARD_PARAMETERS, double shift, \
                       double scale, double close, double close_in_tail) {                                                                    \
        const Ziggurat<D, T> kind{static_cast<T>(shift), static_cast<T>(scale), close, close_in_tail};                                        \
        draw_attempts<G>(kind, out, count, tiles, FASTNP_STREAM_ARGUMENTS, FASTNP_BOARD_ARGUMENTS);                                           \
    }
FASTNP_DRAW_ZIGGURAT(draw_normal_float64, Normal, double)
FASTNP_DRAW_ZIGGURAT(draw_normal_float32, Normal, float)
FASTNP_DRAW_ZIGGURAT(draw_exponential_float64, Exponential, double)
FASTNP_DRAW_ZIGGURAT(draw_exponential_float32, Exponential, float)
