// Copies from one device to another: in what order, over a driver without a GPU; and on a machine with two. With fewer, that case says so and passes.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <vector>

#include "cuda/device.h"
#include "cuda/fake_driver.h"
#include "cuda/says.h"
#include "device/block.h"
#include "device/registry.h"
#include "fastnp/fastnp.h"

using namespace fastnp;
using cuda::Device;
using cuda::FakeDriver;
using cuda::says;

BOOST_AUTO_TEST_SUITE(cuda_peers)

BOOST_AUTO_TEST_CASE(each_device_waits_for_the_other) {
    FakeDriver driver;
    {
        Device one(driver.driver(), 0), two(driver.driver(), 1);
        const device::Block from(one, 8), to(two, 8);
        const std::int64_t number = 42;
        one.upload(from.get(), &number, 8);
        BOOST_TEST(two.copy_from(one, to.get(), from.get(), 8));  // the first time the events are made, and the way is opened
        driver.clear_log();
        BOOST_TEST(two.copy_from(one, to.get(), from.get(), 8));
        const std::vector<std::string> calls{"cuEventRecord", "cuStreamWaitEvent", "cuMemcpyPeerAsync", "cuEventRecord", "cuStreamWaitEvent"};
        BOOST_TEST(driver.log() == calls, boost::test_tools::per_element());
        std::int64_t found = 0;
        two.download(&found, to.get(), 8);
        BOOST_TEST(found == 42);
        BOOST_TEST(two.statistics().peer_copies == 2U);
        BOOST_TEST(two.statistics().peer_bytes == 16U);
        BOOST_TEST(two.copy_from(one, nullptr, nullptr, 0));
        driver.fail("cuMemcpyPeerAsync", 2);
        BOOST_CHECK_EXCEPTION(two.copy_from(one, to.get(), from.get(), 8), DeviceError, says("device 'cuda:1': cuMemcpyPeerAsync failed: out of memory"));
    }
    BOOST_TEST(driver.misuses().empty());
    BOOST_TEST(driver.handles() == 0);
    BOOST_TEST(driver.device_bytes() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cuda_gpu_peers)

BOOST_AUTO_TEST_CASE(arrays_go_from_one_device_to_another) {
    if (device::list_cuda().devices.size() < 2) {
        BOOST_TEST_MESSAGE("skipped: there are not two devices");
        BOOST_TEST(true);
        return;
    }
    device::Backend &one = device::cuda(0), &two = device::cuda(1);
    const array values = sin(arange(1e6)).reshape({1000, 1000});
    const auto f = compile([](const array& x, const array& y) { return matmul(x, y) / 1000 + tanh(x - y); });
    const array want = f(values, values);
    const auto downloads = [&] { return one.statistics().downloads + two.statistics().downloads; };
    for (int round = 0; round < 4; ++round) {
        const array x = values.to("cuda:0"), y = values.to("cuda:1");
        const std::uint64_t before = downloads();
        array z = f(x, y);  // where the first one is
        BOOST_TEST(z.device() == "cuda:0");
        {
            const device_scope scope("cuda:1");
            z = f(z, y) + z;
            BOOST_TEST(z.device() == "cuda:1");
        }
        const array back = z.to("cuda:0").to("cuda:1").to("cuda:0");
        BOOST_TEST(downloads() == before);
        const array expected = f(want, values) + want;
        BOOST_TEST(all(absolute(back.to("cpu") - expected) <= 1e-9 * (1 + absolute(expected))).item<bool>());
    }
    constexpr std::size_t bytes = std::size_t{256} << 20;
    const device::Block from(one, bytes), to(two, bytes);
    one.clear(from.get(), bytes);
    BOOST_TEST(two.copy_from(one, to.get(), from.get(), bytes));
    two.synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) two.copy_from(one, to.get(), from.get(), bytes);
    two.synchronize();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    BOOST_TEST_MESSAGE("from one device to the other: " << 10 * static_cast<double>(bytes) / took.count() / 1e9 << " GB/s");
}

BOOST_AUTO_TEST_SUITE_END()
