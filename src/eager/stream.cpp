#include "eager/stream.h"

#include "device/raw_stream.h"
#include "device/ziggurat.h"
#include "eager/draw.h"

namespace fastnp::eager {

namespace {

struct Pieces {
    BitStream& stream;
    std::uint64_t next() const { return stream.next_uint64(stream.state); }
    double unit() const { return stream.next_double(stream.state); }
};

// By D. Lemire's way: products whose lower half is among the first few are drawn again, so that all results are equally likely.
template <class Word, class Wide, class Next>
Word below(Word span, Next next) {
    constexpr int bits = 8 * sizeof(Word);
    const auto threshold = static_cast<Word>(static_cast<Word>(-span) % span);
    while (true) {
        const Wide product = static_cast<Wide>(next()) * span;
        if (static_cast<Word>(product) >= threshold) return static_cast<Word>(product >> bits);
    }
}

}  // namespace

double draw_uniform(BitStream* stream) noexcept { return stream->next_double(stream->state); }

double draw_normal(BitStream* stream) noexcept {
    Pieces pieces{*stream};
    return attempt<device::ziggurat::Normal, double>(fastnp::detail::Draw::Kind::normal, pieces);
}

double draw_exponential(BitStream* stream) noexcept {
    Pieces pieces{*stream};
    return attempt<device::ziggurat::Exponential, double>(fastnp::detail::Draw::Kind::exponential, pieces);
}

std::int64_t draw_integer(BitStream* stream, std::int64_t range) noexcept {
    if (range == 0) return 0;
    if (range == 0xFFFFFFFF) return static_cast<std::int64_t>(stream->next_uint32(stream->state));
    if (range < 0xFFFFFFFF) {
        return below<std::uint32_t, std::uint64_t>(static_cast<std::uint32_t>(range) + 1, [&] { return stream->next_uint32(stream->state); });
    }
    const auto span = static_cast<std::uint64_t>(range) + 1;
    return static_cast<std::int64_t>(below<std::uint64_t, device::Wide>(span, [&] { return stream->next_uint64(stream->state); }));
}

}  // namespace fastnp::eager
