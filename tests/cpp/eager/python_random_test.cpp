// The generator of Python's `random`, beside the C++ library's MT19937 in the same state.
#include "fastnp/detail/python_random.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <sstream>

#include "eager/stream.h"

using namespace fastnp;

namespace {

// The same state for both: words, and which comes next.
void set_state(detail::PythonRandom& mine, std::mt19937& theirs, std::uint32_t seed, int drawn) {
    theirs.seed(seed);
    for (int i = 0; i < drawn; ++i) theirs();
    std::stringstream text;
    text << theirs;
    for (std::uint32_t& word : mine.words) text >> word;
    text >> mine.next;
}

eager::BitStream* stream_of(detail::PythonRandom& random) { return static_cast<eager::BitStream*>(random.stream()); }

}  // namespace

BOOST_AUTO_TEST_SUITE(python_random)

BOOST_AUTO_TEST_CASE(words_are_those_of_mt19937) {
    for (const int drawn : {0, 1, 300, 623, 624, 1000}) {
        detail::PythonRandom mine;
        std::mt19937 theirs;
        set_state(mine, theirs, 1234U + static_cast<std::uint32_t>(drawn), drawn);
        auto* const stream = stream_of(mine);
        for (int i = 0; i < 1500; ++i) BOOST_TEST_REQUIRE(stream->next_uint32(stream->state) == theirs());
    }
}

BOOST_AUTO_TEST_CASE(whole_numbers_are_below_their_bounds) {
    detail::PythonRandom mine;
    std::mt19937 theirs;
    set_state(mine, theirs, 7, 0);
    for (const std::int64_t bound : {1L, 2L, 3L, 1000L, (1L << 32) - 1, 1L << 32, (1L << 32) + 1, (1L << 62) - 5}) {
        std::int64_t most = 0;
        for (int i = 0; i < 200; ++i) {
            const std::int64_t drawn = eager::draw_below(stream_of(mine), bound);
            BOOST_TEST_REQUIRE((drawn >= 0 && drawn < bound));
            most = std::max(most, drawn);
        }
        BOOST_TEST(most >= bound / 2);
    }
}

BOOST_AUTO_TEST_CASE(normal_numbers_come_in_pairs) {
    detail::PythonRandom mine;
    std::mt19937 theirs;
    set_state(mine, theirs, 3, 0);
    double sum = 0, squares = 0;
    for (int i = 0; i < 20000; ++i) {
        const double drawn = eager::draw_gauss(stream_of(mine));
        BOOST_TEST_REQUIRE(mine.gauss.has_value() == (i % 2 == 0));
        sum += drawn;
        squares += drawn * drawn;
    }
    BOOST_TEST(std::abs(sum / 20000) < 0.04);
    BOOST_TEST(std::abs(squares / 20000 - 1) < 0.05);
}

BOOST_AUTO_TEST_SUITE_END()
