// A device over a driver that counts and fails: code, launches, contexts, errors and what follows from them.
#include "cuda/device.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <thread>
#include <vector>

#include "cuda/fake_driver.h"
#include "cuda/says.h"
#include "device/stay.h"
#include "fastnp/error.h"

using namespace fastnp;
using cuda::Device;
using cuda::FakeDriver;
using cuda::says;

namespace {

void fill(Device& device, const device::Module& module, void* memory, std::int64_t count, std::int64_t value) {
    const std::array<void*, 3> arguments{&memory, &count, &value};
    device.launch(module, 0, 1, 128, arguments);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_devices)

BOOST_AUTO_TEST_CASE(it_says_what_it_is) {
    FakeDriver fake;
    const Device device(fake.driver(), 3);
    BOOST_TEST(device.name() == "cuda:3");
    BOOST_TEST((device.code() == device::Backend::Code::ptx));
    BOOST_TEST(device.capability() == 90);
    BOOST_TEST(device.version() == "cuda 13000");
    BOOST_TEST(device.blocks_at_once(256) == 132 * 8);
    BOOST_TEST(device.blocks_at_once(32) == 132 * 32);
    BOOST_TEST(device.blocks_at_once(1024) == 132 * 2);
}

BOOST_AUTO_TEST_CASE(kernels_run_in_order_with_copies) {
    FakeDriver fake;
    {
        Device device(fake.driver(), 0);
        const auto module = device.load(device.assemble(".entry fill"), {"fill"});
        void* const memory = device.allocate(80);
        void* const copy = device.allocate(80);
        fill(device, *module, memory, 10, 5);
        device.copy(copy, memory, 80);
        fill(device, *module, memory, 5, 7);
        BOOST_TEST(fake.pending() == 3U);
        std::vector<std::int64_t> first(10);
        std::vector<std::int64_t> second(10);
        device.download(first.data(), memory, 80);
        device.download(second.data(), copy, 80);
        BOOST_TEST(first == (std::vector<std::int64_t>{7, 7, 7, 7, 7, 5, 5, 5, 5, 5}), boost::test_tools::per_element());
        BOOST_TEST(second == std::vector<std::int64_t>(10, 5), boost::test_tools::per_element());
        BOOST_TEST(device.statistics().launches == 2U);
        BOOST_TEST(device.statistics().downloads == 2U);
        BOOST_TEST(device.statistics().downloaded_bytes == 160U);
    }
    BOOST_TEST(fake.handles() == 0);
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(the_time_between_moments) {
    FakeDriver fake;
    {
        Device device(fake.driver(), 0);
        const auto module = device.load(device.assemble(".entry fill"), {"fill"});
        void* const memory = device.allocate(80);
        const auto before = device.moment();
        for (int i = 0; i < 3; ++i) fill(device, *module, memory, 10, i);
        const auto after = device.moment();
        BOOST_TEST(device.milliseconds(*before, *after) == 3.0);
        BOOST_TEST(device.milliseconds(*after, *after) == 0.0);
        fake.fail("cuEventRecord", 999);
        BOOST_CHECK_EXCEPTION((void)device.moment(), DeviceError, says("cuEventRecord failed: unknown error"));
    }
    BOOST_TEST(fake.handles() == 0);
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(a_stay_has_the_context_current_once) {
    FakeDriver fake;
    Device device(fake.driver(), 1), other(fake.driver(), 2);
    const auto module = device.load(device.assemble(".entry fill"), {"fill"});
    void* const memory = device.allocate(80);
    const int before = fake.calls("cuCtxPushCurrent");
    {
        const device::Stay stay(&device);
        const device::Stay within(&device), elsewhere(&other);
        for (int i = 0; i < 3; ++i) fill(device, *module, memory, 10, i);
        void* const there = other.allocate(80);  // makes the other one current for a while
        other.free(there, 80);
        std::thread([&] { fill(device, *module, memory, 10, 7); }).join();
    }
    BOOST_TEST(fake.calls("cuCtxPushCurrent") - before == 2);  // the fake devices share a context
    BOOST_TEST(fake.calls("cuCtxPopCurrent") == fake.calls("cuCtxPushCurrent"));
    const device::Stay nowhere(nullptr);
    fill(device, *module, memory, 10, 8);
    BOOST_TEST(fake.calls("cuCtxPushCurrent") - before == 3);
    device.synchronize();
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(graphs_are_launches_in_order) {
    FakeDriver fake;
    {
        Device device(fake.driver(), 0);
        const auto module = device.load(device.assemble(".entry fill"), {"fill"});
        void* memory = device.allocate(80);
        std::int64_t counts[] = {10, 4}, values[] = {1, 2};
        const std::array<void*, 3> first{&memory, &counts[0], &values[0]}, second{&memory, &counts[1], &values[1]};
        const device::Work launches[] = {device::Launch{module.get(), 0, 1, 128, first}, device::Launch{module.get(), 0, 1, 128, second}};
        const auto graph = device.graph(launches);
        const auto read = [&] {
            std::vector<std::int64_t> found(10);
            device.download(found.data(), memory, 80);
            return found;
        };
        counts[0] = values[0] = 7;  // it has them as they were
        graph->launch();
        graph->set(1, launches[0]);  // of this launch alone
        BOOST_TEST(read() == (std::vector<std::int64_t>{2, 2, 2, 2, 1, 1, 1, 1, 1, 1}), boost::test_tools::per_element());
        graph->launch();
        BOOST_TEST(read() == (std::vector<std::int64_t>{7, 7, 7, 7, 7, 7, 7, 1, 1, 1}), boost::test_tools::per_element());
        BOOST_TEST(device.statistics().launches == 4U);
        BOOST_TEST(fake.calls("cuGraphLaunch") == 2);
        const int handles = fake.handles();
        fake.fail("cuGraphInstantiate", cuda::out_of_memory, 2);
        BOOST_CHECK_EXCEPTION((void)device.graph(launches), MemoryError, says("cuGraphInstantiate failed: out of memory"));
        BOOST_TEST(fake.handles() == handles);
    }
    BOOST_TEST(fake.handles() == 0);
    BOOST_TEST(fake.misuses().empty());
    cuda::Driver old = fake.driver();
    old.graph_launch = nullptr;
    Device device(old, 0);
    BOOST_TEST((device.graph({}) == nullptr));
}

BOOST_AUTO_TEST_CASE(streams_of_others_wait_and_are_waited_for) {
    FakeDriver fake;
    cuda::Driver driver = fake.driver();
    for (const bool recent : {true, false}) {
        if (!recent) driver.context_record_event = driver.context_wait_event = nullptr;
        Device device(driver, 0);
        device.wait_for(7);  // the first makes the event
        fake.clear_log();
        device.wait_for(7);
        device.let_wait(7);
        const std::vector<std::string> one{"cuEventRecord", "cuStreamWaitEvent", "cuEventRecord", "cuStreamWaitEvent"};
        BOOST_TEST(fake.log() == one, boost::test_tools::per_element());
        fake.clear_log();
        device.wait_for(device::Backend::every_stream);
        device.let_wait(device::Backend::every_stream);
        const std::vector<std::string> all{"cuStreamWaitEvent", "cuEventRecord"};  // and what concerns the context, which is not in the log
        const std::vector<std::string> waited{"cuStreamSynchronize"};
        BOOST_TEST(fake.log() == (recent ? all : waited), boost::test_tools::per_element());
        BOOST_TEST(fake.calls("cuCtxSynchronize") == (recent ? 0 : 1));
        BOOST_TEST(fake.calls("cuCtxRecordEvent") == 1);
        BOOST_TEST(fake.calls("cuCtxWaitEvent") == 1);
        BOOST_TEST(device.stream() > 2U);
        void* const memory = device.allocate(1000);
        int none = 0;
        BOOST_TEST(driver.device_of(memory) == 0);
        BOOST_TEST(driver.device_of(&none) == -1);
    }
    BOOST_TEST(fake.handles() == 0);
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(a_launch_is_one_call) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    const auto module = device.load(".entry fill", {"fill"});
    void* const memory = device.allocate(80);
    fake.clear_log();
    fill(device, *module, memory, 10, 5);
    BOOST_TEST(fake.log() == std::vector<std::string>{"cuLaunchKernelEx"}, boost::test_tools::per_element());
    device.launch(*module, 0, 0, 128, {});  // no blocks: nothing to do
    BOOST_TEST(fake.log().size() == 1U);
    BOOST_CHECK_THROW(device.launch(*module, 1, 1, 128, {}), InternalError);
    BOOST_CHECK_THROW(device.launch(*module, 0, std::int64_t{1} << 31, 128, {}), InternalError);
}

// The next one may begin while one ends: where the driver and the device have that.
BOOST_AUTO_TEST_CASE(launches_overlap) {
    FakeDriver fake;
    for (const bool can : {true, false}) {
        cuda::Driver driver = fake.driver();
        if (!can) driver.launch_kernel_as = nullptr;
        Device device(driver, 0);
        const auto module = device.load(".entry fill", {"fill"});
        void* const memory = device.allocate(80);
        BOOST_TEST(!device.may_overlap());
        const int plain = fake.calls("cuLaunchKernel"), overlapping = fake.calls("cuLaunchKernelEx");
        fill(device, *module, memory, 10, 5);
        BOOST_TEST(device.may_overlap() == can);
        BOOST_TEST(fake.calls("cuLaunchKernel") - plain == (can ? 0 : 1));
        BOOST_TEST(fake.calls("cuLaunchKernelEx") - overlapping == (can ? 1 : 0));
        device.synchronize();
        BOOST_TEST(!device.may_overlap());
        fill(device, *module, memory, 10, 6);
        std::vector<std::int64_t> read(10);
        device.download(read.data(), memory, 80);
        BOOST_TEST(!device.may_overlap());
        BOOST_TEST(read[9] == 6);
    }
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(the_callers_context_stays) {
    FakeDriver fake;
    const cuda::Driver& driver = fake.driver();
    int other = 0;
    driver.context_push(&other);
    Device device(driver, 0);
    double value = 2;
    void* const memory = device.allocate(8);
    device.upload(memory, &value, 8);
    const auto module = device.load(".entry fill", {"fill"});
    fill(device, *module, memory, 1, 3);
    device.download(&value, memory, 8);
    fake.fail("cuMemcpyDtoDAsync", 999);
    BOOST_CHECK_THROW(device.copy(memory, memory, 8), DeviceError);
    void* now = nullptr;
    driver.context_get_current(&now);
    BOOST_TEST(now == &other);
    driver.context_pop(&now);
    BOOST_TEST(now == &other);
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(a_thread_without_a_context_keeps_the_first_devices) {
    FakeDriver fake;
    Device device(fake.driver(), 0), other(fake.driver(), 1);
    void* own = nullptr;
    fake.driver().primary_context_retain(&own, 0);
    const auto context_after = [&](Device& used) {
        void* now = nullptr;
        std::thread([&] {
            for (int i = 0; i < 3; ++i) used.synchronize();
            fake.driver().context_get_current(&now);
        }).join();
        return now;
    };
    const int before = fake.calls("cuCtxPushCurrent"), popped = fake.calls("cuCtxPopCurrent");
    BOOST_TEST(context_after(device) == own);
    BOOST_TEST(fake.calls("cuCtxPushCurrent") - before == 1);
    BOOST_TEST(fake.calls("cuCtxPopCurrent") == popped);
    BOOST_TEST(context_after(other) == nullptr);
    fake.driver().primary_context_release(0);
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(where_the_context_is_current_it_is_not_pushed) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    void* context = nullptr;
    fake.driver().primary_context_retain(&context, 0);
    fake.driver().context_push(context);
    const int before = fake.calls("cuCtxPushCurrent");
    device.synchronize();
    BOOST_TEST(fake.calls("cuCtxPushCurrent") == before);
    fake.driver().context_pop(&context);
    fake.driver().primary_context_release(0);
}

BOOST_AUTO_TEST_CASE(a_device_that_can_not_be_opened_says_why_and_leaks_nothing) {
    FakeDriver fake;
    fake.fail("cuDevicePrimaryCtxRetain", 2);
    BOOST_CHECK_EXCEPTION(Device(fake.driver(), 0), DeviceError,
                          says("device 'cuda:0': cuDevicePrimaryCtxRetain failed: out of memory (CUDA_ERROR_OUT_OF_MEMORY)"));
    for (const char* function : {"cuStreamCreate", "cuDeviceGetAttribute", "cuDriverGetVersion", "cuCtxPushCurrent", "cuDeviceGet"}) {
        fake.fail(function, 12345);
        BOOST_CHECK_EXCEPTION(Device(fake.driver(), 0), DeviceError, says(function, "failed: error 12345"));
        BOOST_TEST(fake.handles() == 0, function);
    }
}

BOOST_AUTO_TEST_CASE(lines_of_ptx_are_kept) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    const std::string plain = ".entry fill", told = ".entry fill\n\t.loc\t1 12 0";
    BOOST_TEST(device.assemble(plain) == "machine code of " + plain);
    BOOST_TEST(device.assemble(told) == "machine code with lines of " + told);
}

BOOST_AUTO_TEST_CASE(the_assembler_is_quoted) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    const int before = fake.handles();
    BOOST_CHECK_EXCEPTION(
        device.assemble("nonsense"), DeviceError,
        says("device 'cuda:0': cuLinkAddData failed: a PTX JIT compilation failed (CUDA_ERROR_INVALID_PTX): ptxas application ptx input, "
             "line 1; fatal   : Parsing error near 'nonsense'"));
    fake.fail("cuLinkComplete", 999);
    BOOST_CHECK_THROW(device.assemble(".entry fill"), DeviceError);
    BOOST_TEST(device.assemble(".entry fill") == "machine code of .entry fill");
    BOOST_CHECK_EXCEPTION(device.load(".entry fill", {"fill", "other"}), DeviceError,
                          says("cuModuleGetFunction failed: named symbol not found (CUDA_ERROR_NOT_FOUND): other"));
    fake.fail("cuModuleLoadDataEx", 999);
    BOOST_CHECK_EXCEPTION(device.load(".entry fill", {"fill"}), DeviceError, says("cuModuleLoadDataEx failed: unknown error"));
    BOOST_TEST(fake.handles() == before);
}

BOOST_AUTO_TEST_CASE(a_kernels_error_names_the_kernels_that_may_have_made_it) {
    FakeDriver fake;
    {
        Device device(fake.driver(), 0);
        const auto module = device.load("fill illegal noop well", {"fill", "illegal", "noop", "well"});
        void* const memory = device.allocate(80);
        std::vector<std::int64_t> values(10);
        device.launch(*module, 3, 1, 32, {});
        device.synchronize();
        fill(device, *module, memory, 10, 5);
        device.download(values.data(), memory, 80);
        device.launch(*module, 2, 1, 32, {});
        device.launch(*module, 1, 1, 32, {});
        device.launch(*module, 2, 1, 32, {});
        const std::string text =
            "cuEventSynchronize failed: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS); "
            "kernels launched since the device was last waited for: noop, illegal";
        BOOST_CHECK_EXCEPTION(device.download(values.data(), memory, 80), DeviceError,
                              says("device 'cuda:0': " + text + "; the device can't be used any more in this process"));
        const auto later = says("device 'cuda:0' can't be used any more in this process: " + text);
        fake.clear_log();
        BOOST_CHECK_EXCEPTION(device.synchronize(), DeviceError, later);
        BOOST_CHECK_EXCEPTION(device.allocate(8), DeviceError, later);
        BOOST_CHECK_EXCEPTION(device.trim(), DeviceError, later);
        BOOST_CHECK_EXCEPTION(device.upload(memory, values.data(), 80), DeviceError, later);
        BOOST_CHECK_EXCEPTION(device.download(values.data(), memory, 80), DeviceError, later);
        BOOST_CHECK_EXCEPTION(device.copy(memory, memory, 80), DeviceError, later);
        BOOST_CHECK_EXCEPTION(device.assemble(".entry fill"), DeviceError, later);
        BOOST_CHECK_EXCEPTION(device.load(".entry fill", {"fill"}), DeviceError, later);
        BOOST_CHECK_EXCEPTION(fill(device, *module, memory, 10, 5), DeviceError, later);
        device.free(memory, 80);
        BOOST_TEST(fake.log().empty());
    }
    BOOST_TEST(fake.calls("cuMemFree") == 0);  // nothing is asked of a context that is broken
    BOOST_TEST(fake.calls("cuModuleUnload") == 0);
}

BOOST_AUTO_TEST_CASE(of_many_launches_the_last_are_named) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    const auto module = device.load("illegal noop", {"illegal", "noop"});
    device.launch(*module, 0, 1, 32, {});
    for (int i = 0; i < 40; ++i) device.launch(*module, 1, 1, 32, {});
    BOOST_CHECK_EXCEPTION(device.synchronize(), DeviceError, says("cuStreamSynchronize failed", "last waited for: noop (and 9 launches before them)"));
}

BOOST_AUTO_TEST_CASE(what_finds_no_memory_is_tried_once_more) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    constexpr std::size_t bytes = std::size_t{64} << 20;
    void* const memory = device.allocate(80);
    const auto work = [&] {
        const auto module = device.load(".entry fill", {"fill"});
        fill(device, *module, memory, 10, 5);
        device.synchronize();
    };
    const int before = fake.handles();
    for (const char* function : {"cuModuleLoadDataEx", "cuModuleGetFunction", "cuLaunchKernelEx"}) {
        device.free(device.allocate(bytes), bytes);
        BOOST_TEST(device.statistics().held_bytes >= bytes, function);
        fake.fail(function, cuda::out_of_memory);
        work();
        BOOST_TEST(device.statistics().held_bytes < bytes, function);  // what was kept went back to the driver
        fake.fail(function, cuda::out_of_memory, 2);
        BOOST_CHECK_EXCEPTION(work(), MemoryError,
                              says("device 'cuda:0': ", std::string(function) + " failed: out of memory (CUDA_ERROR_OUT_OF_MEMORY)",
                                   "(in use: 256 bytes in 1 buffer: 256 bytes; free on the device: "));
        BOOST_TEST(fake.handles() == before, function);
        work();
    }
    device.free(memory, 80);
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(other_errors_pass) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    const auto module = device.load(".entry fill", {"fill"});
    void* const memory = device.allocate(80);
    fake.fail("cuLaunchKernelEx", 999);
    BOOST_CHECK_EXCEPTION(fill(device, *module, memory, 10, 5), DeviceError,
                          says("device 'cuda:0': cuLaunchKernelEx failed: unknown error (CUDA_ERROR_UNKNOWN): fill"));
    fake.fail("cuCtxGetCurrent", cuda::not_initialized);
    BOOST_CHECK_EXCEPTION(device.synchronize(), DeviceError, says("a process that was forked after CUDA's first use can't use it"));
    fill(device, *module, memory, 10, 5);
    device.synchronize();
    BOOST_TEST(device.statistics().launches == 1U);
}

BOOST_AUTO_TEST_CASE(modules_outlive_the_device) {
    FakeDriver fake;
    std::shared_ptr<device::Module> module;
    {
        Device device(fake.driver(), 0);
        module = device.load(".entry fill", {"fill"});
        auto other = device.load(".entry fill", {"fill"});
        fill(device, *other, device.allocate(80), 10, 5);
        other.reset();  // waits for its kernel
        BOOST_TEST(fake.pending() == 0U);
    }
    BOOST_TEST(fake.handles() > 0);
    module.reset();
    BOOST_TEST(fake.handles() == 0);
    BOOST_TEST(fake.misuses().empty());
}

BOOST_AUTO_TEST_CASE(threads_launch_and_one_of_them_breaks_it) {
    FakeDriver fake;
    Device device(fake.driver(), 0);
    std::vector<std::thread> threads;
    std::vector<int> errors(4);
    for (std::size_t t = 0; t < errors.size(); ++t) {
        threads.emplace_back([&, t] {
            try {
                const auto module = device.load("fill illegal", {"fill", "illegal"});
                void* const memory = device.allocate(800);
                for (std::int64_t i = 0; i < 200; ++i) {
                    fill(device, *module, memory, 100, i);
                    if (t == 2 && i == 100) device.launch(*module, 1, 1, 32, {});
                    std::int64_t value = 0;
                    device.download(&value, static_cast<std::byte*>(memory) + 792, 8);
                    if (value != i) return;
                }
            } catch (const DeviceError&) {
                errors[t] = 1;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(errors[2] == 1);
    BOOST_CHECK_EXCEPTION(device.synchronize(), DeviceError, says("can't be used any more in this process", "illegal"));
}

BOOST_AUTO_TEST_SUITE_END()
