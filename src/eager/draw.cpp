#include "eager/draw.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/thread_pool.h"
#include "device/bit_generator.h"
#include "device/raw_stream.h"
#include "device/ziggurat.h"
#include "eager/generator_stream.h"

namespace fastnp::eager {

using fastnp::detail::BitGenerator;
using fastnp::detail::Draw;
namespace ziggurat = device::ziggurat;

namespace {

/// A generator's draws, one after the other.
template <class G>
class Source {
public:
    explicit Source(const BitGenerator& from)
        : state_(device::wide(from.words[1], from.words[0])), step_{G::factor, device::wide(from.words[3], from.words[2])} {}

    std::uint64_t next() {
        const device::Wide before = state_;
        state_ = step_(state_);
        return G::output(G::is_ahead ? state_ : before);
    }

private:
    device::Wide state_;
    device::Affine step_;
};

template <>
class Source<device::Philox> {
public:
    explicit Source(const BitGenerator& from)
        : counter_{{from.words[0], from.words[1], from.words[2], from.words[3]}},
          key0_(from.words[4]),
          key1_(from.words[5]),
          made_{{from.words[6], from.words[7], from.words[8], from.words[9]}},
          used_(static_cast<int>(from.words[10])) {}

    std::uint64_t next() {
        if (used_ == device::Philox::words) {
            counter_ = device::Philox::later(counter_, 1);
            made_ = device::Philox::output(counter_, key0_, key1_);
            used_ = 0;
        }
        return made_.word[used_++];
    }

private:
    device::Philox::Four counter_;
    std::uint64_t key0_, key1_;
    device::Philox::Four made_;
    int used_;
};

/// Its pieces in a call, which counts them.
template <class G, int bits>
class Pieces {
public:
    using Piece = std::conditional_t<bits == 64, std::uint64_t, std::uint32_t>;

    explicit Pieces(const BitGenerator& from) : source_(from), has_half_(from.has_half), half_(from.half) {}

    Piece next() {
        ++used_;
        if constexpr (bits == 64) return source_.next();
        else if constexpr (bits == 32) return next_half();
        else return next_part();
    }
    auto unit() { return ziggurat::unit(next()); }
    std::int64_t used() const { return used_; }

private:
    std::uint32_t next_half() {
        has_half_ = !has_half_;
        if (!has_half_) return half_;
        const std::uint64_t made = source_.next();
        half_ = static_cast<std::uint32_t>(made >> 32);
        return static_cast<std::uint32_t>(made);
    }
    std::uint32_t next_part() {
        if (left_ == 0) {
            parts_ = next_half();
            left_ = 32 / bits;
        } else {
            parts_ >>= bits;
        }
        --left_;
        return parts_ & ((1U << bits) - 1);
    }

    Source<G> source_;
    bool has_half_;
    std::uint32_t half_, parts_ = 0;
    int left_ = 0;
    std::int64_t used_ = 0;
};

/// A generator that draws by its own functions.
struct Lent {};

template <int bits>
class Pieces<Lent, bits> {
public:
    using Piece = std::conditional_t<bits == 64, std::uint64_t, std::uint32_t>;

    explicit Pieces(const BitGenerator& from) : stream_(*static_cast<const BitStream*>(from.stream)) {}

    Piece next() {
        if constexpr (bits == 64) return stream_.next_uint64(stream_.state);
        else if constexpr (bits == 32) return stream_.next_uint32(stream_.state);
        else return next_part();
    }
    auto unit() {
        if constexpr (bits == 64) return stream_.next_double(stream_.state);
        else return ziggurat::unit(next());
    }

private:
    std::uint32_t next_part() {
        if (left_ == 0) {
            parts_ = stream_.next_uint32(stream_.state);
            left_ = 32 / bits;
        } else {
            parts_ >>= bits;
        }
        --left_;
        return parts_ & ((1U << bits) - 1);
    }

    BitStream stream_;
    std::uint32_t parts_ = 0;
    int left_ = 0;
};

// By D. Lemire's way, as the kernels (cuda/device_functions/kernels/draws.h).
template <int bits, class P>
std::uint64_t integer(P& pieces, std::uint64_t low, std::uint64_t span, std::uint64_t threshold) {
    while (true) {
        const std::uint64_t piece = pieces.next();
        if (span == 0) return low + piece;
        const device::Wide product = static_cast<device::Wide>(piece) * span;
        const auto rest = static_cast<std::uint64_t>(product << (64 - bits)) >> (64 - bits);
        if (rest >= threshold) return low + static_cast<std::uint64_t>(product >> bits);
    }
}

template <class G, int bits, class T, class F>
void fill(BitGenerator& generator, void* out, std::int64_t count, F make) {
    Pieces<G, bits> pieces(generator);
    for (std::int64_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = static_cast<T>(make(pieces));
    if constexpr (!std::is_same_v<G, Lent>) device::use_pieces(generator, pieces.used(), bits);
}

// Whether draw n is made of nothing but n: then others may begin anywhere.
template <class G>
inline constexpr bool is_linear = std::is_same_v<G, device::Pcg64> || std::is_same_v<G, device::Pcg64Dxsm>;

// Numbers of one draw each, from draw `first` on. Several are on their way at a time, as each step waits for the one before it.
template <class G, class F>
void fill_by_one(const BitGenerator& generator, std::int64_t first, double* out, std::int64_t count, const F& make) {
    constexpr std::size_t ways = 4;
    const device::Affine step{G::factor, device::wide(generator.words[3], generator.words[2])}, leap = step.times(ways);
    const device::Wide begin = device::wide(generator.words[1], generator.words[0]);
    std::array<device::Wide, ways> states;
    for (std::size_t way = 0; way < ways; ++way) states[way] = step.times(static_cast<device::Wide>(first) + way + (G::is_ahead ? 1 : 0))(begin);
    std::int64_t i = 0;
    for (; i + static_cast<std::int64_t>(ways) <= count; i += ways) {
        for (std::size_t way = 0; way < ways; ++way) {
            out[i + static_cast<std::int64_t>(way)] = make(G::output(states[way]));
            states[way] = leap(states[way]);
        }
    }
    for (std::size_t way = 0; i < count; ++i, ++way) out[i] = make(G::output(states[way]));
}

// The same, by threads where there are many.
template <class G, class F>
void share_by_one(BitGenerator& generator, double* out, std::int64_t count, const F& make) {
    static constexpr std::int64_t block = 1 << 15;
    struct Shared {
        const BitGenerator& generator;
        double* out;
        std::int64_t count;
        const F& make;
    };
    Shared shared{generator, out, count, make};
    base::parallel_for((count + block - 1) / block,
                       [](void* context, std::int64_t task, int) {
                           const Shared& s = *static_cast<Shared*>(context);
                           const std::int64_t first = task * block;
                           fill_by_one<G>(s.generator, first, s.out + first, std::min(block, s.count - first), s.make);
                       },
                       &shared);
    device::use_pieces(generator, count, 64);
}

template <class G, int bits, class T>
void draw_integers(BitGenerator& generator, const Draw& draw, void* out, std::int64_t count) {
    const std::uint64_t span = draw.range + 1, threshold = device::left_out(bits, span);
    fill<G, bits, T>(generator, out, count, [&](auto& pieces) { return integer<bits>(pieces, draw.low, span, threshold); });
}
template <class G>
void draw_integers(BitGenerator& generator, const Draw& draw, void* out, std::int64_t count) {
    if (draw.dtype == Dtype::bool_) return draw_integers<G, 1, std::uint8_t>(generator, draw, out, count);
    switch (itemsize_of(draw.dtype)) {
        case 1: return draw_integers<G, 8, std::uint8_t>(generator, draw, out, count);
        case 2: return draw_integers<G, 16, std::uint16_t>(generator, draw, out, count);
        case 4: return draw_integers<G, 32, std::uint32_t>(generator, draw, out, count);
        default: break;
    }
    if (draw.range <= 0xffffffff) draw_integers<G, 32, std::uint64_t>(generator, draw, out, count);
    else draw_integers<G, 64, std::uint64_t>(generator, draw, out, count);
}

template <class G, class Real>
void draw_reals(BitGenerator& generator, const Draw& draw, void* out, std::int64_t count) {
    constexpr int bits = 8 * sizeof(Real);
    constexpr std::int64_t few = 32;
    const auto shift = static_cast<Real>(draw.shift), scale = static_cast<Real>(draw.scale);
    if constexpr (is_linear<G> && bits == 64) {
        if (draw.kind == Draw::Kind::uniform && count >= few) {
            return share_by_one<G>(generator, static_cast<double*>(out), count,
                                   [=](std::uint64_t piece) { return shift + scale * ziggurat::unit(piece); });
        }
    }
    switch (draw.kind) {
        case Draw::Kind::uniform: return fill<G, bits, Real>(generator, out, count, [&](auto& pieces) { return shift + scale * pieces.unit(); });
        case Draw::Kind::normal:
            return fill<G, bits, Real>(generator, out, count,
                                       [&](auto& pieces) { return shift + scale * attempt<ziggurat::Normal, Real>(draw.kind, pieces); });
        case Draw::Kind::exponential:
            return fill<G, bits, Real>(generator, out, count,
                                       [&](auto& pieces) { return shift + scale * attempt<ziggurat::Exponential, Real>(draw.kind, pieces); });
        case Draw::Kind::integers: return;
    }
}

template <class G>
void draw_by(BitGenerator& generator, const Draw& draw, void* out, std::int64_t count) {
    if (draw.kind == Draw::Kind::integers) draw_integers<G>(generator, draw, out, count);
    else if (draw.dtype == Dtype::float32) draw_reals<G, float>(generator, draw, out, count);
    else draw_reals<G, double>(generator, draw, out, count);
}

}  // namespace

void draw(BitGenerator& generator, const Draw& draw, void* out, std::int64_t count) {
    switch (generator.kind) {
        case BitGenerator::Kind::pcg64: return draw_by<device::Pcg64>(generator, draw, out, count);
        case BitGenerator::Kind::pcg64dxsm: return draw_by<device::Pcg64Dxsm>(generator, draw, out, count);
        case BitGenerator::Kind::philox: return draw_by<device::Philox>(generator, draw, out, count);
        case BitGenerator::Kind::lent: return draw_by<Lent>(generator, draw, out, count);
    }
}

}  // namespace fastnp::eager
