// Random numbers drawn on a device: pieces of the stream as a generator that makes one draw after the other has them, and NumPy's normal and exponential
// numbers. (tests/python/test_cuda_draws.py compares all of them with NumPy.)
#include "fastnp/detail/draws.h"

#include <boost/test/unit_test.hpp>

#include <bit>
#include <cmath>
#include <string>

#include "device/raw_stream.h"
#include "fastnp/fastnp.h"
#include "simulated/backend.h"

using namespace fastnp;
using detail::BitGenerator;
using detail::Draw;

namespace {

// As numpy.random.PCG64(42) and the others begin.
BitGenerator of_seed_42(BitGenerator::Kind kind) {
    if (kind == BitGenerator::Kind::philox) return {kind, {0, 0, 0, 0, 11465652750463011511U, 15382171918060459190U, 0, 0, 0, 0, 4}};
    return {kind, {0xacbc7c9d68860ac8, 0xcea44f6798798f2a, 0x66caf2e28d25abff, 0xfa505436c9a8416e}};
}

// One draw after the other.
class Sequence {
public:
    explicit Sequence(const BitGenerator& generator) : now(generator) {}

    std::uint64_t next() {
        auto& words = now.words;
        if (now.kind == BitGenerator::Kind::philox) {
            if (words[10] == 4) {
                for (std::size_t i = 0; i < 4 && ++words[i] == 0; ++i) continue;
                const device::Philox::Four made = device::Philox::output({{words[0], words[1], words[2], words[3]}}, words[4], words[5]);
                for (std::size_t i = 0; i < 4; ++i) words[6 + i] = made.word[i];
                words[10] = 0;
            }
            return words[6 + words[10]++];
        }
        const device::Wide before = device::wide(words[1], words[0]);
        const bool is_first = now.kind == BitGenerator::Kind::pcg64;
        const device::Wide after = before * (is_first ? device::Pcg64::factor : device::Pcg64Dxsm::factor) + device::wide(words[3], words[2]);
        words[0] = static_cast<std::uint64_t>(after);
        words[1] = static_cast<std::uint64_t>(after >> 64);
        return is_first ? device::Pcg64::output(after) : device::Pcg64Dxsm::output(before);
    }
    std::uint32_t next_half() {
        now.has_half = !now.has_half;
        if (!now.has_half) return now.half;
        const std::uint64_t draw = next();
        now.half = static_cast<std::uint32_t>(draw >> 32);
        return static_cast<std::uint32_t>(draw);
    }

    BitGenerator now;
};

void check_same(const BitGenerator& a, const BitGenerator& b) {
    BOOST_TEST(a.words == b.words, boost::test_tools::per_element());
    BOOST_TEST(a.has_half == b.has_half);
    BOOST_TEST(a.half == b.half);
}

// Numbers below 5/8 of all: three in eight pieces are left out.
void check_integers(BitGenerator::Kind kind, Dtype dtype) {
    const int bits = 8 * static_cast<int>(itemsize_of(dtype)), pieces = bits < 32 ? 32 / bits : 1;
    const std::uint64_t span = std::uint64_t{5} << (bits - 3), threshold = (bits == 64 ? 0 - span : (std::uint64_t{1} << bits) - span) % span;
    BitGenerator generator = of_seed_42(kind);
    Sequence sequence(generator);
    sequence.next_half();
    generator = sequence.now;
    const std::optional<array> drawn = detail::draw_on_device(generator, {Draw::Kind::integers, dtype, 0, 0, 0, span - 1}, {30'001});
    BOOST_REQUIRE(drawn.has_value());
    const array numbers = drawn->to("cpu").astype(Dtype::uint64);
    std::uint32_t half = 0;
    int left = 0;
    const auto next_piece = [&]() -> std::uint64_t {
        if (bits == 64) return sequence.next();
        if (left == 0) half = sequence.next_half();
        else half >>= bits;
        left = left == 0 ? pieces - 1 : left - 1;
        return bits == 32 ? half : half & ((1U << bits) - 1);
    };
    std::int64_t wrong = 0;
    for (const std::uint64_t number : numbers.as_span<std::uint64_t>()) {
        while (true) {
            const device::Wide product = static_cast<device::Wide>(next_piece()) * span;
            const device::Wide low = product & ((static_cast<device::Wide>(1) << bits) - 1);
            if (low < threshold) continue;
            wrong += number != static_cast<std::uint64_t>(product >> bits) ? 1 : 0;
            break;
        }
    }
    BOOST_TEST(wrong == 0);
    check_same(generator, sequence.now);
}

// Each number's bits times its place, from 1 on; those in tails, which the C library may round otherwise, are left out.
template <class T, class Bits>
std::uint64_t sum_of_bits(const array& drawn, T edge) {
    const array numbers = drawn.to("cpu");
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < numbers.size(); ++i) {
        const T number = numbers.data<T>()[i];
        if (std::abs(number) <= edge) sum += static_cast<std::uint64_t>(i + 1) * std::bit_cast<Bits>(number);
    }
    return sum;
}

struct Known {
    BitGenerator::Kind kind;
    std::uint64_t normal, normal_float, exponential, exponential_float, next;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(draws)

BOOST_AUTO_TEST_CASE(integers_of_every_size) {
    const simulated::AtTheDoor here;
    const device_scope scope("cuda");
    for (const BitGenerator::Kind kind : {BitGenerator::Kind::pcg64, BitGenerator::Kind::pcg64dxsm, BitGenerator::Kind::philox}) {
        for (const Dtype dtype : {uint8, uint16, uint32, uint64}) check_integers(kind, dtype);
    }
}

BOOST_AUTO_TEST_CASE(numpys_normal_and_exponential_numbers) {
    const simulated::AtTheDoor here;
    const device_scope scope("cuda");
    for (const Known& known : {
             Known{BitGenerator::Kind::pcg64, 0x64304ff8fa8add95, 0x4f8a711d37e11a7f, 0xdcc55ba53117a9b1, 0x257d9e8f65ee773b, 0x26d4849dd54d4296},
             Known{BitGenerator::Kind::pcg64dxsm, 0xb69ac8e23bd23a60, 0x502f3758070a1ad0, 0xfe8598cf5f54fe92, 0x257f066136deb13c, 0xb38a7afe7d41113c},
             Known{BitGenerator::Kind::philox, 0x658111e4d108c6ac, 0x4e8d21e48fb401e1, 0xb752b50c0d9c3cb8, 0x2578bd6977c90112, 0xa2376c106e6f5bfc},
         }) {
        BitGenerator generator = of_seed_42(known.kind);
        const auto draw = [&](Draw::Kind kind, Dtype dtype) {
            const std::optional<array> drawn = detail::draw_on_device(generator, {kind, dtype}, {200'000});
            BOOST_REQUIRE(drawn.has_value());
            BOOST_TEST(drawn->device() == "cuda:0");
            return *drawn;
        };
        BOOST_TEST((sum_of_bits<double, std::uint64_t>(draw(Draw::Kind::normal, float64), 3.6541)) == known.normal);
        BOOST_TEST((sum_of_bits<float, std::uint32_t>(draw(Draw::Kind::normal, float32), 3.6541F)) == known.normal_float);
        BOOST_TEST((sum_of_bits<double, std::uint64_t>(draw(Draw::Kind::exponential, float64), 7.697)) == known.exponential);
        BOOST_TEST((sum_of_bits<float, std::uint32_t>(draw(Draw::Kind::exponential, float32), 7.697F)) == known.exponential_float);
        BOOST_TEST(Sequence(generator).next() == known.next);
    }
}

BOOST_AUTO_TEST_CASE(the_host_draws_where_there_is_no_device) {
    const BitGenerator before = of_seed_42(BitGenerator::Kind::pcg64);
    BitGenerator generator = before;
    {
        const device_scope host("cpu");
        BOOST_TEST(!detail::draw_on_device(generator, {}, {100}).has_value());
    }
    const simulated::AtTheDoor here;
    const device_scope scope("cuda");
    BOOST_TEST(!detail::draw_on_device(generator, {}, {3, 0}).has_value());
    check_same(generator, before);
    const std::optional<array> none = detail::draw_on_device(generator, {.kind = Draw::Kind::normal, .close = 0.9}, {100'000});  // all is too close
    BOOST_TEST(!none.has_value());
    check_same(generator, before);
}

BOOST_AUTO_TEST_SUITE_END()
