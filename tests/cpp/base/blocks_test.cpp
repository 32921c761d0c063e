// Memory of the arrays that native programs make.
#include "fastnp/detail/blocks.h"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <cstring>
#include <limits>

using fastnp::detail::Blocks;

BOOST_AUTO_TEST_SUITE(blocks)

BOOST_AUTO_TEST_CASE(what_nothing_points_to_is_used_again) {
    Blocks blocks;
    void* first = blocks.allocate(800);
    void* second = blocks.allocate(800);
    BOOST_TEST(first != second);
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
    void* held[] = {static_cast<std::byte*>(second) + 792, nullptr};
    blocks.collect(held, 2);
    BOOST_TEST(blocks.allocate(700) == first);
    BOOST_TEST(blocks.allocate(800) != second);
}

BOOST_AUTO_TEST_CASE(a_block_outlives_them) {
    std::shared_ptr<std::byte> kept;
    {
        Blocks blocks;
        auto* memory = static_cast<std::byte*>(blocks.allocate(100));
        std::memset(memory, 7, 100);
        kept = blocks.owner_of(memory + 99);
        BOOST_TEST(blocks.owner_of(&blocks) == nullptr);
    }
    BOOST_TEST(std::to_integer<int>(kept.get()[99]) == 7);
}

BOOST_AUTO_TEST_CASE(sizes_that_no_memory_has) {
    Blocks blocks;
    BOOST_TEST(blocks.allocate(0) != nullptr);
    BOOST_TEST(blocks.allocate(-1) == nullptr);
    BOOST_TEST(blocks.allocate(std::numeric_limits<std::int64_t>::max()) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
