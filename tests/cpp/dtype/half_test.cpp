// The 16-bit floats: every bit pattern goes to float and back, and floats are rounded to nearest even.
#include "fastnp/half.h"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "eager/half.h"

using namespace fastnp;

namespace {

template <class Half>
void every_pattern_survives() {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        Half half;
        half.bits = static_cast<std::uint16_t>(bits);
        const auto wide = static_cast<float>(half);
        if (std::isnan(wide)) BOOST_REQUIRE(std::isnan(static_cast<float>(Half(wide))));
        else BOOST_REQUIRE(Half(wide).bits == half.bits);
    }
}

template <class Half>
void between_neighbours_it_rounds_to_the_nearest(unsigned last) {
    for (unsigned bits = 0; bits < last; ++bits) {
        Half low, high;
        low.bits = static_cast<std::uint16_t>(bits);
        high.bits = static_cast<std::uint16_t>(bits + 1);
        const float middle = static_cast<float>(low) + (static_cast<float>(high) - static_cast<float>(low)) / 2;
        BOOST_REQUIRE(Half(middle).bits == (bits % 2 == 0 ? bits : bits + 1));
        BOOST_REQUIRE(Half(std::nextafter(middle, 0.0F)).bits == bits);
        BOOST_REQUIRE(Half(std::nextafter(middle, INFINITY)).bits == bits + 1);
        BOOST_REQUIRE(Half(-middle).bits == (Half(middle).bits | 0x8000U));
    }
}

template <class Half>
void runs_convert_as_single_elements() {
    constexpr std::int64_t count = 65536;
    std::vector<Half> halves(count), back(count);
    std::vector<float> wide(count);
    for (std::size_t i = 0; i < halves.size(); ++i) halves[i].bits = static_cast<std::uint16_t>(i);
    eager::widen(halves.data() + 1, wide.data() + 1, count - 1);
    eager::narrow(wide.data() + 1, back.data() + 1, count - 1);
    for (std::size_t i = 1; i < halves.size(); ++i) {
        const auto single = static_cast<float>(halves[i]);
        if (std::isnan(single)) BOOST_REQUIRE((std::isnan(wide[i]) && std::isnan(static_cast<float>(back[i]))));
        else BOOST_REQUIRE((std::bit_cast<std::uint32_t>(single) == std::bit_cast<std::uint32_t>(wide[i]) && back[i].bits == halves[i].bits));
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(halves)

BOOST_AUTO_TEST_CASE(every_float16_survives_the_way_to_float_and_back) { every_pattern_survives<float16_t>(); }
BOOST_AUTO_TEST_CASE(every_bfloat16_survives_the_way_to_float_and_back) { every_pattern_survives<bfloat16_t>(); }
BOOST_AUTO_TEST_CASE(float16_rounds_to_nearest_even) { between_neighbours_it_rounds_to_the_nearest<float16_t>(0x7bff); }
BOOST_AUTO_TEST_CASE(bfloat16_rounds_to_nearest_even) { between_neighbours_it_rounds_to_the_nearest<bfloat16_t>(0x7f7f); }

BOOST_AUTO_TEST_CASE(values_beyond_the_largest_become_infinite) {
    BOOST_TEST(float16_t(65519.996F).bits == 0x7bff);
    BOOST_TEST(float16_t(65520.0F).bits == 0x7c00);
    BOOST_TEST(float16_t(-1e10F).bits == 0xfc00);
    BOOST_TEST(bfloat16_t(3.4e38F).bits == 0x7f80);
}

BOOST_AUTO_TEST_CASE(runs_of_float16_convert_as_single_ones) { runs_convert_as_single_elements<float16_t>(); }
BOOST_AUTO_TEST_CASE(runs_of_bfloat16_convert_as_single_ones) { runs_convert_as_single_elements<bfloat16_t>(); }

BOOST_AUTO_TEST_SUITE_END()
