// Copies between host and device by way of page-locked blocks, where the driver copies as late as it may.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
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
using cuda::Stages;

namespace {

std::vector<unsigned char> numbered(std::size_t bytes, std::size_t first) {
    std::vector<unsigned char> values(bytes);
    for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<unsigned char>((i + first) * 0x9e3779b97f4a7c15ULL >> 56);
    return values;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_copies)

BOOST_AUTO_TEST_CASE(all_sizes_come_back_and_the_hosts_memory_may_be_changed_at_once) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    constexpr std::size_t block = Stages::block_bytes;
    for (const std::size_t bytes : {1UL, 7UL, 4096UL, 100001UL, 1UL << 20, block - 1, block, block + 1, 3 * block, 9 * block + 12345}) {
        for (const std::size_t offset : {0UL, 3UL}) {
            const auto values = numbered(bytes + offset, bytes);
            auto sent = values;
            auto* const memory = static_cast<std::byte*>(device.allocate(bytes + offset));
            device.upload(memory + offset, sent.data() + offset, bytes);
            std::ranges::fill(sent, 0xee);
            std::vector<unsigned char> read(bytes + offset, 0xaa);
            device.download(read.data() + offset, memory + offset, bytes);
            BOOST_TEST((std::memcmp(read.data() + offset, values.data() + offset, bytes) == 0), "of " << bytes << " bytes at " << offset);
            device.free(memory, bytes + offset);
        }
    }
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(a_small_upload_is_one_call_and_waits_for_nothing) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    double value = 1.5;
    void* const memory = device.allocate(8);
    device.upload(memory, &value, 8);
    fake.clear_log();
    for (int i = 0; i < 100; ++i) device.upload(memory, &value, 8);
    BOOST_TEST(fake.log() == std::vector<std::string>(100, "cuMemcpyHtoDAsync"), boost::test_tools::per_element());
    BOOST_TEST(fake.pending() == 101U);
    fake.clear_log();
    device.upload(memory, &value, 0);
    device.download(&value, memory, 0);
    device.copy(memory, memory, 0);
    BOOST_TEST(fake.log().empty());
}

BOOST_AUTO_TEST_CASE(many_small_uploads_go_around_in_the_blocks) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    constexpr std::size_t count = 3 * Stages::most * Stages::block_bytes / 65536;
    std::vector<void*> memory;
    for (std::size_t i = 0; i < count; ++i) {
        memory.push_back(device.allocate(65536));
        device.upload(memory.back(), numbered(65536, i).data(), 65536);
    }
    BOOST_TEST(fake.host_bytes() == Stages::most * Stages::block_bytes);
    BOOST_TEST(fake.pending() > 0U);
    std::vector<unsigned char> read(65536);
    for (std::size_t i = 0; i < count; ++i) {
        device.download(read.data(), memory[i], read.size());
        BOOST_TEST((read == numbered(65536, i)));
    }
}

BOOST_AUTO_TEST_CASE(parts_of_large_copies_are_under_way_while_others_are_copied) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    const std::size_t bytes = 6 * Stages::block_bytes;
    const auto values = numbered(bytes, 5);
    void* const memory = device.allocate(bytes);
    fake.clear_log();
    device.upload(memory, values.data(), bytes);
    BOOST_TEST(fake.calls("cuEventSynchronize") == 2);  // blocks 5 and 6 wait for 1 and 2
    BOOST_TEST(fake.pending() == 4U);
    std::vector<unsigned char> read(bytes);
    fake.clear_log();
    device.download(read.data(), memory, bytes);
    BOOST_TEST((read == values));
    const auto log = fake.log();
    const auto first_wait = std::ranges::find(log, "cuEventSynchronize");
    BOOST_TEST(std::count(log.begin(), first_wait, "cuMemcpyDtoHAsync") == 4);
    BOOST_TEST(std::ranges::count(log, "cuMemcpyDtoHAsync") == 6);
}

BOOST_AUTO_TEST_CASE(with_little_page_locked_memory_it_goes_on) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    const std::size_t bytes = 3 * Stages::block_bytes;
    const auto values = numbered(bytes, 1);
    void* const memory = device.allocate(bytes);
    fake.fail("cuMemHostAlloc", cuda::out_of_memory);
    BOOST_CHECK_EXCEPTION(device.upload(memory, values.data(), bytes), MemoryError,
                          says("Unable to allocate 4.00 MiB of page-locked memory for copies to and from device 'cuda:0'"));
    device.upload(memory, values.data(), 8);  // takes one block
    fake.fail("cuMemHostAlloc", cuda::out_of_memory, 1000);
    device.upload(memory, values.data(), bytes);
    fake.fail("cuMemHostAlloc", 0, 0);
    std::vector<unsigned char> read(8);
    device.download(read.data(), memory, 8);
    fake.fail("cuMemHostAlloc", cuda::out_of_memory, 1000);
    read.resize(bytes);
    device.download(read.data(), memory, bytes);
    BOOST_TEST((read == values));
    BOOST_TEST(fake.host_bytes() == 2 * Stages::block_bytes);
}

BOOST_AUTO_TEST_CASE(an_event_that_can_not_be_made_leaks_nothing) {
    FakeDriver fake;
    {
        Device device(fake.driver(), 0);
        fake.fail("cuEventCreate", 999);
        double value = 0;
        BOOST_CHECK_EXCEPTION(device.upload(device.allocate(8), &value, 8), DeviceError, says("device 'cuda:0': cuEventCreate failed: unknown error"));
        BOOST_TEST(fake.host_bytes() == 0U);
        device.upload(device.allocate(8), &value, 8);
    }
    BOOST_TEST(fake.host_bytes() == 0U);
    BOOST_TEST(fake.handles() == 0);
}

BOOST_AUTO_TEST_CASE(threads_copy_at_once) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    std::vector<std::thread> threads;
    std::vector<int> right(4);
    for (std::size_t t = 0; t < right.size(); ++t) {
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < 8; ++i) {
                const std::size_t bytes = (t + 1) * i * 700001 + 1;
                const auto values = numbered(bytes, t * 100 + i);
                void* const memory = device.allocate(bytes);
                device.upload(memory, values.data(), bytes);
                std::vector<unsigned char> read(bytes);
                device.download(read.data(), memory, bytes);
                device.free(memory, bytes);
                right[t] += read == values ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(right == std::vector<int>(4, 8), boost::test_tools::per_element());
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_SUITE_END()
