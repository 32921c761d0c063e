// The caching allocator: alignment, reuse, sizes, errors, threads, borrowed memory.
#include "device/buffer.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "fastnp/error.h"

using namespace fastnp;
using device::Buffer;

BOOST_AUTO_TEST_SUITE(buffers)

BOOST_AUTO_TEST_CASE(memory_is_aligned_and_writable) {
    for (const std::size_t bytes : {0UL, 1UL, 63UL, 64UL, 65UL, 80UL, 100UL, 4096UL, 1UL << 20, 5UL << 20}) {
        const auto buffer = Buffer::allocate(bytes);
        BOOST_TEST(buffer->bytes() == bytes);
        BOOST_TEST(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64 == 0U);
        std::memset(buffer->data(), 0xab, bytes);
    }
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(Buffer::allocate(8 << 20)->data()) % (2 << 20) == 0U);
}

BOOST_AUTO_TEST_CASE(live_buffers_never_share_memory) {
    std::vector<device::BufferPtr> held;
    for (std::size_t i = 0; i < 300; ++i) {
        held.push_back(Buffer::allocate(i));
        std::memset(held.back()->data(), static_cast<int>(i), i);
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
        const auto* bytes = static_cast<const unsigned char*>(held[i]->data());
        for (std::size_t k = 0; k < i; ++k) BOOST_REQUIRE(bytes[k] == static_cast<unsigned char>(i));
    }
}

BOOST_AUTO_TEST_CASE(a_freed_block_serves_the_next_request_of_its_size) {
    for (const std::size_t bytes : {64UL, 100000UL, 9UL << 20}) {
        void* const first = Buffer::allocate(bytes)->data();
        const auto before = device::pool_statistics();
        const auto again = Buffer::allocate(bytes - 1);
        BOOST_TEST(again->data() == first);
        const auto after = device::pool_statistics();
        BOOST_TEST(after.fresh == before.fresh);
        BOOST_TEST(after.allocations == before.allocations + 1);
    }
}

BOOST_AUTO_TEST_CASE(what_is_live_and_held_is_counted) {
    device::trim_pool();
    const auto start = device::pool_statistics();
    BOOST_TEST(start.held_bytes == 0U);
    {
        const auto buffer = Buffer::allocate(1 << 20);
        BOOST_TEST(device::pool_statistics().live_bytes - start.live_bytes >= 1U << 20);
    }
    BOOST_TEST(device::pool_statistics().live_bytes == start.live_bytes);
    BOOST_TEST(device::pool_statistics().held_bytes >= 1U << 20);
    device::trim_pool();
    BOOST_TEST(device::pool_statistics().held_bytes == 0U);
}

BOOST_AUTO_TEST_CASE(too_large_a_request_is_a_memory_error_in_numpys_words) {
    auto says = [](const char* text) { return [text](const MemoryError& error) { return std::string(error.what()).find(text) != std::string::npos; }; };
    BOOST_CHECK_EXCEPTION(Buffer::allocate(std::size_t{1} << 60), MemoryError, says("Unable to allocate 1.00 EiB"));
    BOOST_CHECK_EXCEPTION(Buffer::allocate((std::size_t{1} << 50) * 3 / 2), MemoryError, says("Unable to allocate 1.50 PiB"));
}

BOOST_AUTO_TEST_CASE(threads_allocate_and_free_each_others_buffers) {
    std::vector<std::thread> threads;
    std::vector<device::BufferPtr> shared(64);
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
            std::vector<device::BufferPtr> mine;
            for (std::size_t i = 0; i < 2000; ++i) {
                mine.push_back(Buffer::allocate(i % 500));
                std::memset(mine.back()->data(), t, i % 500);
                if (mine.size() > 20) mine.erase(mine.begin());
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::thread([&] {
        for (auto& buffer : shared) buffer = Buffer::allocate(256);
    }).join();
    shared.clear();  // freed by a thread that did not allocate, after the one that did has ended
    BOOST_TEST(Buffer::allocate(256)->bytes() == 256U);
}

BOOST_AUTO_TEST_CASE(borrowed_memory_is_released_by_the_last_owner) {
    int value = 7;
    int releases = 0;
    {
        auto first = Buffer::borrow(&value, sizeof value, [&] { ++releases; });
        const auto second = first;
        first.reset();
        BOOST_TEST(releases == 0);
        BOOST_TEST(second->data() == &value);
    }
    BOOST_TEST(releases == 1);
    BOOST_TEST(Buffer::borrow(nullptr, 0, nullptr)->bytes() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
