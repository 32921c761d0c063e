// A device's memory: reuse, slabs, the limit, what is done when there is none left.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <thread>
#include <vector>

#include "cuda/device.h"
#include "cuda/fake_driver.h"
#include "cuda/says.h"
#include "fastnp/error.h"

using namespace fastnp;
using cuda::Device;
using cuda::FakeDriver;
using cuda::says;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_pool)

BOOST_AUTO_TEST_CASE(blocks_are_aligned_and_apart) {
    FakeDriver fake;
    {
        Device device(fake.driver(), 0);
        std::vector<std::pair<std::uintptr_t, std::size_t>> blocks;
        for (const std::size_t bytes : {0UL, 1UL, 255UL, 256UL, 257UL, 1000UL, 300000UL, mebibyte - 1, mebibyte, 5 * mebibyte + 1}) {
            for (int i = 0; i < 3; ++i) {
                const auto block = reinterpret_cast<std::uintptr_t>(device.allocate(bytes));
                BOOST_TEST(block % 256 == 0U);
                for (const auto& [other, size] : blocks) BOOST_TEST((block + bytes <= other || other + size <= block));
                blocks.emplace_back(block, bytes);
            }
        }
    }
    BOOST_TEST(fake.device_bytes() == 0U);
    BOOST_TEST(fake.handles() == 0);
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(a_kept_block_is_handed_out_without_a_call) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    for (const std::size_t bytes : {1UL, 5000UL, 3 * mebibyte}) {
        void* const first = device.allocate(bytes);
        fake.clear_log();
        device.free(first, bytes);
        BOOST_TEST(device.allocate(bytes) == first);
        BOOST_TEST(fake.log().empty());
        device.free(first, bytes);
    }
    const auto statistics = device.statistics();
    BOOST_TEST(statistics.live_bytes == 0U);
    BOOST_TEST(statistics.held_bytes == fake.device_bytes());
}

BOOST_AUTO_TEST_CASE(small_blocks_share_a_slab) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    for (int i = 0; i < 1000; ++i) device.allocate(4096);
    BOOST_TEST(fake.calls("cuMemAlloc") == 1);
    BOOST_TEST(device.statistics().live_bytes == 4096U * 1000);
}

BOOST_AUTO_TEST_CASE(trim_gives_back_what_is_wholly_free) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    void* const large = device.allocate(8 * mebibyte);
    void* const small = device.allocate(100);
    void* const other = device.allocate(100);
    device.free(large, 8 * mebibyte);
    device.copy(large, small, 100);  // is under way when the block goes
    device.free(other, 100);
    device.trim();
    BOOST_TEST(fake.device_bytes() == 16 * mebibyte);  // the small ones' slab
    BOOST_TEST(device.allocate(100) == other);
    device.free(other, 100);
    device.free(small, 100);
    device.trim();
    BOOST_TEST(fake.device_bytes() == 0U);
    BOOST_TEST(device.statistics().held_bytes == 0U);
    device.free(device.allocate(100), 100);
    BOOST_TEST(fake.device_bytes() == 16 * mebibyte);
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(out_of_memory_kept_blocks_are_given_back_and_it_is_tried_again) {
    FakeDriver fake(95 * mebibyte);
    Device device(fake.driver(), 0);
    void* const first = device.allocate(64 * mebibyte);
    device.free(first, 64 * mebibyte);
    void* const second = device.allocate(80 * mebibyte);
    BOOST_TEST(fake.calls("cuMemAlloc") == 3);
    BOOST_TEST(fake.calls("cuMemFree") == 1);
    BOOST_CHECK_EXCEPTION(device.allocate(32 * mebibyte), MemoryError,
                          says("Unable to allocate 32.0 MiB for an array on device 'cuda:0' (in use: 80.0 MiB in 1 buffer: 80.0 MiB; free on the device: "
                               "15.0 MiB of 95.0 MiB)"));
    BOOST_TEST(device.statistics().live_bytes == 80 * mebibyte);
    void* const small = device.allocate(10);  // there is no slab for it
    device.free(small, 10);
    device.free(second, 80 * mebibyte);
    device.free(device.allocate(64 * mebibyte), 64 * mebibyte);
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(no_more_than_the_limit_is_taken) {
    FakeDriver fake;
    Device device(fake.driver(), 0, 20 * mebibyte);
    std::vector<void*> blocks;
    for (int i = 0; i < 10; ++i) blocks.push_back(device.allocate(2 * mebibyte));
    BOOST_CHECK_EXCEPTION(device.allocate(1), MemoryError,
                          says("Unable to allocate 1 bytes for an array on device 'cuda:0' (in use: 20.0 MiB in 10 buffers: 10 of 2.00 MiB; "
                               "FASTNP_CUDA_MEMORY_LIMIT: 20.0 MiB)"));
    for (void* block : blocks) device.free(block, 2 * mebibyte);
    device.free(device.allocate(20 * mebibyte), 20 * mebibyte);
    BOOST_CHECK_THROW(device.allocate(std::size_t{1} << 62), MemoryError);
    BOOST_CHECK_THROW(device.allocate(~std::size_t{0}), MemoryError);
    BOOST_TEST(fake.device_bytes() <= 20 * mebibyte);
    BOOST_TEST(cuda::memory_limit("20") == 20 * mebibyte);
    for (const char* text : {"", "0", "-1", "x", "1x", "99999999999999999999"}) BOOST_TEST(cuda::memory_limit(text) == Device::no_limit);
    BOOST_TEST(cuda::memory_limit(nullptr) == Device::no_limit);
}

BOOST_AUTO_TEST_CASE(where_there_is_no_memory_left_live_buffers_are_listed) {
    FakeDriver fake;
    Device device(fake.driver(), 0, 70 * mebibyte);
    std::vector<std::pair<void*, std::size_t>> blocks;
    for (const std::size_t bytes :
         {40 * mebibyte, 4 * mebibyte, 4 * mebibyte, 1000 * 1024UL, 256UL, 512UL, 1024UL, 2048UL, 4096UL, 4096UL, 8192UL, 8192UL}) {
        blocks.emplace_back(device.allocate(bytes), bytes);
    }
    device.free(blocks.back().first, blocks.back().second);
    blocks.pop_back();
    BOOST_CHECK_EXCEPTION(device.allocate(8 * mebibyte), MemoryError,
                          says("(in use: 49.0 MiB in 11 buffers: 40.0 MiB, 2 of 4.00 MiB, 1.00 MiB, 8.00 KiB, 2 of 4.00 KiB, 2.00 KiB, 1.00 KiB, "
                               "512 bytes, 1 smaller; FASTNP_CUDA_MEMORY_LIMIT: 70.0 MiB)"));
    for (const auto& [block, bytes] : blocks) device.free(block, bytes);
    device.free(device.allocate(60 * mebibyte), 60 * mebibyte);
    BOOST_CHECK_EXCEPTION(device.allocate(80 * mebibyte), MemoryError, says("(in use: 0 bytes; FASTNP_CUDA_MEMORY_LIMIT: 70.0 MiB)"));
}

BOOST_AUTO_TEST_CASE(work_that_uses_a_freed_block_is_done_before_its_next_owners) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    std::vector<std::uint64_t> values(1000, 1);
    std::vector<std::uint64_t> others(1000, 2);
    void* const kept = device.allocate(8000);
    void* const block = device.allocate(8000);
    device.upload(block, values.data(), 8000);
    device.copy(kept, block, 8000);
    device.free(block, 8000);
    void* const again = device.allocate(8000);
    BOOST_TEST(again == block);
    device.upload(again, others.data(), 8000);
    std::vector<std::uint64_t> read(1000);
    device.download(read.data(), kept, 8000);
    BOOST_TEST(read == values);
}

BOOST_AUTO_TEST_CASE(threads_share_it) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            std::vector<std::pair<void*, std::size_t>> mine;
            for (std::size_t i = 0; i < 500; ++i) {
                const std::size_t bytes = 8 + i * 8 % 5000;
                void* const block = device.allocate(bytes);
                const std::vector<std::uint64_t> values(bytes / 8, i * 4 + static_cast<std::size_t>(t));
                device.upload(block, values.data(), bytes);
                std::vector<std::uint64_t> read(bytes / 8);
                device.download(read.data(), block, bytes / 8 * 8);
                if (read != values) throw InternalError("another thread's values");
                mine.emplace_back(block, bytes);
                if (mine.size() > 10) {
                    device.free(mine.front().first, mine.front().second);
                    mine.erase(mine.begin());
                }
                if (i % 100 == 0) device.trim();
            }
            for (const auto& [block, bytes] : mine) device.free(block, bytes);
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(device.statistics().live_bytes == 0U);
    BOOST_TEST(device.statistics().uploads == 2000U);
    BOOST_TEST(device.statistics().downloads == 2000U);
    BOOST_TEST(device.statistics().held_bytes == fake.device_bytes());
}

BOOST_AUTO_TEST_SUITE_END()
