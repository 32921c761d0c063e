// The normal and the exponential distribution, as NumPy draws them by the ziggurat method: of layers of equal area under the density one is taken, and a
// point in it; it is a result at once if it lies under the curve for sure, which is nearly always so. Else one more number decides (the *wedge*), or,
// beyond the lowest layer's edge, as many as it takes (the *tail*), by the C library's exp and log1p. Only that has its last bits: so results in tails are
// left to the host, and decisions that are close.
#include "attempts.h"
#include "curves.h"

using namespace fastnp::kernels;

namespace {

using G = fastnp::device::FASTNP_GENERATOR;

#include "ziggurat.inc"

constexpr int layers = 256;

struct Table64 {
    using Key = std::uint64_t;
    using Real = double;
    const Key* k;
    const Real *w, *f;
};
struct Table32 {
    using Key = std::uint32_t;
    using Real = float;
    const Key* k;
    const Real *w, *f;
};

// What one piece says: a layer, a place in it, a sign.
template <class Key>
struct Point {
    int layer;
    Key place;
    bool is_negative;
};
struct Normal {
    static constexpr double inverse_edge = 0.27366123732975827203338247596;
    static constexpr Table64 wide{normal_k, normal_w, normal_f};
    static constexpr Table32 narrow{normal_k_float, normal_w_float, normal_f_float};
    [[gnu::always_inline]] static Point<std::uint64_t> point(std::uint64_t piece) {
        return {static_cast<int>(piece & 0xff), piece >> 9 & 0xfffffffffffff, (piece >> 8 & 1) != 0};
    }
    [[gnu::always_inline]] static Point<std::uint32_t> point(std::uint32_t piece) {
        return {static_cast<int>(piece & 0xff), piece >> 9 & 0x7fffff, (piece >> 8 & 1) != 0};
    }
    // Of a tail, NumPy takes it from the place.
    template <class Key>
    [[gnu::always_inline]] static bool has_negative_tail(const Point<Key>& point) {
        return (point.place >> 8 & 1) != 0;
    }
    [[gnu::always_inline]] static double density_exponent(double x) { return -0.5 * x * x; }
};
struct Exponential {
    static constexpr Table64 wide{exponential_k, exponential_w, exponential_f};
    static constexpr Table32 narrow{exponential_k_float, exponential_w_float, exponential_f_float};
    [[gnu::always_inline]] static Point<std::uint64_t> point(std::uint64_t piece) { return {static_cast<int>(piece >> 3 & 0xff), piece >> 11, false}; }
    [[gnu::always_inline]] static Point<std::uint32_t> point(std::uint32_t piece) { return {static_cast<int>(piece >> 1 & 0xff), piece >> 9, false}; }
    [[gnu::always_inline]] static double density_exponent(double x) { return -x; }
};

// From 0 up to 1.
[[gnu::always_inline]] inline double unit(std::uint64_t piece) { return static_cast<double>(piece >> 11) * 0x1p-53; }
[[gnu::always_inline]] inline float unit(std::uint32_t piece) { return static_cast<float>(piece >> 8) * 0x1p-24F; }

template <class D, class Real>
struct Ziggurat {
    static constexpr bool is_wide = sizeof(Real) == 8;
    static constexpr bool has_sign = std::is_same_v<D, Normal>;
    static constexpr int piece_bits = is_wide ? 64 : 32;
    static constexpr bool may_be_long = true;
    using Out = Real;
    using Piece = typename Pieces<piece_bits>::Piece;

    Real shift, scale;
    double close, close_in_tail;  // what a decision's sides may differ by, as a part of them
    const Piece* k = nullptr;
    const Real* w = nullptr;

    static constexpr auto table() {
        if constexpr (is_wide) return D::wide;
        else return D::narrow;
    }

    [[gnu::always_inline]] void begin() {
        FASTNP_SHARED(Piece, shared_k, layers);
        FASTNP_SHARED(Real, shared_w, layers);
        static_assert(layers == threads);
        shared_k[thread()] = table().k[thread()];
        shared_w[thread()] = table().w[thread()];
        k = shared_k;
        w = shared_w;
    }

    [[gnu::always_inline]] bool takes_one(Piece piece) const {
        const auto point = D::point(piece);
        return point.place < k[point.layer];
    }
    [[gnu::always_inline]] Real at(const Point<Piece>& point) const {
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
            const Real x = at(point), low = table().f[point.layer], high = table().f[point.layer - 1];
            const Real y = (high - low) * unit(pieces[number + 1]) + low;
            const double density = exp_of(D::density_exponent(x));
            return {2, is_less(y, density, close, key, static_cast<double>(y), static_cast<double>(x), board)};
        }
        if constexpr (!has_sign) return {2, true};
        for (int tried = 0; 2 * tried + 3 <= draws::longest; ++tried) {
            const Real a = unit(pieces[number + 2 * tried + 1]), b = unit(pieces[number + 2 * tried + 2]);
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
        const Piece piece = pieces[number + (has_sign ? length - 2 : 1)];
        const std::uint64_t bits = is_wide ? static_cast<std::uint64_t>(piece) >> 11 : static_cast<std::uint64_t>(piece) >> 8;
        bool is_negative = false;
        if constexpr (has_sign) is_negative = D::has_negative_tail(point);
        board.leave_result(place, bits | (is_negative ? draws::left_sign : 0));
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
