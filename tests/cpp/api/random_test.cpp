// fastnp::random: NumPy's numbers for a seed, on the host; on a device the same.
#include "fastnp/random.h"

#include <boost/test/unit_test.hpp>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "fastnp/fastnp.h"
#include "simulated/backend.h"

using namespace fastnp;

namespace {

// Each number's bits times its place, from 1 on. Those further from the middle than `edge`, as the C library may round them otherwise, are left out.
template <class T>
std::uint64_t sum_of_bits(const array& numbers, double middle = 0, double scale = 1, double edge = std::numeric_limits<double>::infinity()) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    std::uint64_t sum = 0, place = 0;
    for (const T number : numbers.as_span<T>()) {
        ++place;
        if (std::abs((static_cast<double>(number) - middle) / scale) <= edge) sum += place * std::bit_cast<Bits>(number);
    }
    return sum;
}

std::uint64_t sum_of_integers(const array& numbers) {
    const int bits = 8 * static_cast<int>(itemsize_of(numbers.dtype()));
    const array words = numbers.astype(int64);
    std::uint64_t sum = 0, place = 0;
    for (const std::int64_t number : words.as_span<std::int64_t>()) sum += ++place * (static_cast<std::uint64_t>(number) << (64 - bits) >> (64 - bits));
    return sum;
}

void check_same(const array& a, const array& b) {
    BOOST_TEST((a.dtype() == b.dtype()));
    BOOST_REQUIRE((a.shape() == b.shape()));
    BOOST_TEST(all(equal(a.to("cpu"), b.to("cpu"))).item<bool>());
}

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();

}  // namespace

BOOST_AUTO_TEST_SUITE(random_numbers)

BOOST_AUTO_TEST_CASE(seeds) {
    const std::pair<std::uint64_t, std::array<std::uint64_t, 4>> known[] = {
        {0U, {0x9585eb7a69561e3, 0x1aa1b5345996452d, 0x588133bc447873a9, 0x418ddadb3af71a82}},
        {42U, {0xacbc7c9d68860ac8, 0xcea44f6798798f2a, 0x66caf2e28d25abff, 0xfa505436c9a8416e}},
        {4294967295U, {0xc57a3ce19c86ba9a, 0x4c233832246aa48c, 0xad12d969e7b701fb, 0xda9580daf0fe872c}},
        {4294967296U, {0x21bbf7fbff1ac5d4, 0x24d060cf1520dbdd, 0x7b62eea7340ca9c7, 0x77ff3ed86c5c5633}},
        {18446744073709551615U, {0x4d8b0a3b048acdb0, 0xddc419442aebde79, 0x4ed623c7d18951ed, 0x37762aacb3cc854f}},
    };
    for (const auto& [seed, words] : known) {
        const random::Generator rng = random::default_rng(seed);
        for (std::size_t i = 0; i < words.size(); ++i) BOOST_TEST(rng.state().words[i] == words[i]);
    }
}

BOOST_AUTO_TEST_CASE(numpys_numbers) {
    random::Generator rng = random::default_rng(7);
    const Shape shape{50'000};
    constexpr double normal_edge = 3.6541, exponential_edge = 7.697;
    BOOST_TEST(sum_of_bits<double>(rng.random(shape)) == 0xcfb0969280cee51fU);
    BOOST_TEST(sum_of_bits<float>(rng.random(shape, float32)) == 0x12439199605171faU);
    BOOST_TEST(sum_of_bits<double>(rng.uniform(-2, 6, shape)) == 0xa7d96353517b8369U);
    BOOST_TEST(sum_of_bits<double>(rng.standard_normal(shape), 0, 1, normal_edge) == 0x9a9d41a4b44f02b2U);
    BOOST_TEST(sum_of_bits<float>(rng.standard_normal(shape, float32), 0, 1, normal_edge) == 0x24f0da6132a315b3U);
    BOOST_TEST(sum_of_bits<double>(rng.normal(0.25, 0.125, shape), 0.25, 0.125, normal_edge) == 0x8f538e53a6443d2bU);
    BOOST_TEST(sum_of_bits<double>(rng.standard_exponential(shape), 0, 1, exponential_edge) == 0x43988769850098f9U);
    BOOST_TEST(sum_of_bits<float>(rng.standard_exponential(shape, float32), 0, 1, exponential_edge) == 0x125825102cf2833fU);
    BOOST_TEST(sum_of_bits<double>(rng.exponential(0.5, shape), 0, 0.5, exponential_edge) == 0x356c2b08a89e5bfdU);
    BOOST_TEST(sum_of_integers(rng.integers(-3, 100, shape, int8)) == 0x102dd73818U);
    BOOST_TEST(sum_of_integers(rng.integers(0, 256, shape, uint8)) == 0x2515113fa5U);
    BOOST_TEST(sum_of_integers(rng.integers(-300, 400, shape, int16)) == 0x1fc631da98d5U);
    BOOST_TEST(sum_of_integers(rng.integers(5, 60'000, shape, uint16)) == 0x220e5583f4d5U);
    BOOST_TEST(sum_of_integers(rng.integers(-7, 1'000'000, shape, int32)) == 0x2362bf2ba76e7U);
    BOOST_TEST(sum_of_integers(rng.integers(0, std::int64_t{1} << 32, shape, uint32)) == 0x2586b467a69287caU);
    BOOST_TEST(sum_of_integers(rng.integers(-5, 1000, shape)) == 0x911daea96dU);
    BOOST_TEST(sum_of_integers(rng.integers(0, (std::int64_t{1} << 62) + 1, shape, uint64)) == 0xa69688413c180cfcU);
    BOOST_TEST(sum_of_integers(rng.integers(0, 2, shape, bool_)) == 0x24eac8bdU);
    BOOST_TEST(sum_of_integers(rng.integers(lowest, highest, shape)) == 0xcc450791dd3624faU);
    BOOST_TEST(rng.state().words[0] == 0x588901ed93652868U);
    BOOST_TEST(rng.state().words[1] == 0xc4912b1b5f657c77U);
    BOOST_TEST(!rng.state().has_half);
    BOOST_TEST(rng.state().half == 3848476760U);
}

BOOST_AUTO_TEST_CASE(devices_draw_the_same) {
    const simulated::AtTheDoor here;
    using Drawing = std::function<array(random::Generator&, const Shape&)>;
    const Drawing drawings[] = {
        [](random::Generator& g, const Shape& shape) { return g.random(shape, float32); },
        [](random::Generator& g, const Shape& shape) { return g.uniform(-1, 3, shape); },
        [](random::Generator& g, const Shape& shape) { return g.normal(2, 0.5, shape); },
        [](random::Generator& g, const Shape& shape) { return g.standard_normal(shape, float32); },
        [](random::Generator& g, const Shape& shape) { return g.exponential(3, shape); },
        [](random::Generator& g, const Shape& shape) { return g.standard_exponential(shape, float32); },
        [](random::Generator& g, const Shape& shape) { return g.integers(0, 77, shape, uint8); },
        [](random::Generator& g, const Shape& shape) { return g.integers(lowest, highest, shape, int64, true); },
    };
    for (const auto kind : {detail::BitGenerator::Kind::pcg64, detail::BitGenerator::Kind::pcg64dxsm, detail::BitGenerator::Kind::philox}) {
        detail::BitGenerator begin = random::default_rng(3).state();
        begin.kind = kind;
        if (kind == detail::BitGenerator::Kind::philox) begin.words[10] = 2;
        random::Generator rng(begin);
        for (const Shape& shape : {Shape{3}, Shape{2, 40'001}}) {
            for (const Drawing& drawing : drawings) {
                random::Generator other = rng;
                const array expected = drawing(rng, shape);
                const device_scope scope("cuda");
                const array found = drawing(other, shape);
                BOOST_TEST(found.device() == "cuda:0");
                check_same(found, expected);
                BOOST_TEST(other.state().words == rng.state().words, boost::test_tools::per_element());
                BOOST_TEST(other.state().has_half == rng.state().has_half);
                BOOST_TEST(other.state().half == rng.state().half);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(no_numbers_and_one_that_is_possible) {
    random::Generator rng = random::default_rng(1);
    const random::Generator before = rng;
    BOOST_TEST((rng.random({3, 0}).shape() == Shape{3, 0}));
    check_same(rng.integers(5, 6, {4}, int16), full({4}, 5, int16));
    BOOST_TEST(rng.state().words == before.state().words, boost::test_tools::per_element());
    BOOST_TEST(rng.random({}).ndim() == 0);
    BOOST_TEST(rng.normal(3, 0, {2}).data<double>()[0] == 3.0);
}

BOOST_AUTO_TEST_CASE(errors_are_numpys) {
    random::Generator rng = random::default_rng(1);
    const auto says = [](const char* text) { return [text](const Error& error) { return error.what() == std::string(text); }; };
    BOOST_CHECK_EXCEPTION(rng.random({2}, int32), TypeError, says("Unsupported dtype dtype('int32') for random"));
    BOOST_CHECK_EXCEPTION(rng.integers(0, 3, {2}, float64), TypeError, says("Unsupported dtype dtype('float64') for integers"));
    BOOST_CHECK_EXCEPTION(rng.integers(3, 3, {2}), ValueError, says("low >= high"));
    BOOST_CHECK_EXCEPTION(rng.integers(0, 0, {2}), ValueError, says("high <= 0"));
    BOOST_CHECK_EXCEPTION(rng.integers(0, -1, {2}, int64, true), ValueError, says("high < 0"));
    BOOST_CHECK_EXCEPTION(rng.integers(3, 2, {2}, int64, true), ValueError, says("low > high"));
    BOOST_CHECK_EXCEPTION(rng.integers(-1, 3, {2}, uint8), ValueError, says("low is out of bounds for uint8"));
    BOOST_CHECK_EXCEPTION(rng.integers(0, 129, {2}, int8), ValueError, says("high is out of bounds for int8"));
    BOOST_CHECK_EXCEPTION(rng.integers(100, 50'000, {2}, int8), ValueError, says("high is out of bounds for int8"));
    BOOST_CHECK_EXCEPTION(rng.integers(3, lowest, {2}), ValueError, says("low >= high"));
    BOOST_CHECK_EXCEPTION(rng.normal(0, -1, {2}), ValueError, says("scale < 0"));
    BOOST_CHECK_EXCEPTION(rng.uniform(1, 0, {2}), ValueError, says("high - low < 0"));
    BOOST_CHECK_EXCEPTION(rng.uniform(0, INFINITY, {2}), OverflowError, says("high - low range exceeds valid bounds"));
    BOOST_CHECK_THROW(rng.random({-1}), ValueError);
}

BOOST_AUTO_TEST_CASE(compiled_functions_that_draw_run_as_written) {
    random::Generator rng = random::default_rng(2), other = rng;
    const auto f = compile([&rng](const array& x) { return x + rng.random({3}); });
    const array x = arange(3.0);
    for (int i = 0; i < 3; ++i) check_same(f(x), x + other.random({3}));
}

BOOST_AUTO_TEST_CASE(many_numbers_are_those_that_come_one_by_one) {
    for (const auto kind : {detail::BitGenerator::Kind::pcg64, detail::BitGenerator::Kind::pcg64dxsm}) {
        detail::BitGenerator state = random::default_rng(5).state();
        state.kind = kind;
        for (const std::int64_t count : {1, 31, 32, 33, 34, 35, 1000, 70001}) {
            random::Generator many(state), single(state);
            const array drawn = many.uniform(-1.0, 2.0, {count});
            bool are_same = true;
            for (const double number : drawn.as_span<double>()) are_same = are_same && number == single.uniform(-1.0, 2.0, {}).item<double>();
            BOOST_TEST(are_same);
            BOOST_TEST((many.state().words == single.state().words));
        }
    }
}

BOOST_AUTO_TEST_CASE(arrays_of_parameters) {
    const array loc{1.0, 2.0, 3.0}, scale{{0.5}, {2.0}};
    random::Generator whole = random::default_rng(3), numbers = random::default_rng(3);
    check_same(whole.normal(loc, scale), loc + scale * numbers.standard_normal({2, 3}));
    check_same(whole.uniform(loc, 4.0, Shape{2, 3}), loc + (4.0 - loc) * numbers.random({2, 3}));
    check_same(whole.exponential(scale), scale * numbers.standard_exponential({2, 1}));
    BOOST_CHECK_THROW(whole.normal(loc, array{1.0, -1.0, 0.0}), ValueError);
    BOOST_CHECK_THROW(whole.uniform(loc, array{1.0, 1.0, 1.0}), ValueError);
    BOOST_CHECK_THROW(whole.exponential(loc, Shape{2}), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
