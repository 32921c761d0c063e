// The device that the host plays, which other tests rely on: it computes what the host's code does, in order, later, and notices what a program must not
// do.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstring>
#include <numeric>
#include <thread>

#include "codegen/device_code.h"
#include "codegen/grid.h"
#include "codegen/recorded_kernels.h"
#include "simulated/backend.h"

using namespace fastnp;
using simulated::Backend;

namespace {

/// The device's memory, given back.
class Held {
public:
    Held(Backend& backend, std::size_t bytes) : backend_(backend), bytes_(bytes), at_(static_cast<char*>(backend.allocate(bytes))) {}
    ~Held() { backend_.free(at_, bytes_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    char* get() const { return at_; }

private:
    Backend& backend_;
    std::size_t bytes_;
    char* at_;
};

template <class T>
std::vector<T> values_at(Backend& backend, const void* from, std::size_t count) {
    std::vector<T> values(count);
    backend.download(values.data(), from, count * sizeof(T));
    return values;
}

/// Whether a process in which this is done dies by a signal; false if it raises, too.
bool dies(const std::function<void()>& function) {
    const pid_t child = fork();
    if (child == 0) {
        for (const int number : {SIGSEGV, SIGBUS, SIGABRT}) std::signal(number, SIG_DFL);
        (void)!freopen("/dev/null", "w", stderr);
        try {
            function();
        } catch (...) {
            _exit(1);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGABRT);
}

/// One kernel of a function over arrays, compiled for the device.
struct OneKernel {
    RecordedKernels recorded;
    nest::Kernel kernel;
    nest::Grid grid;
    codegen::DeviceCode code;

    OneKernel(Backend& backend, const std::function<Arrays(const Arrays&)>& function, const std::vector<Argument>& arguments)
        : recorded(kernels_of(function, arguments)), kernel(recorded.kernels.at(0).kernel), grid(nest::grid_of(kernel, recorded.sizes)) {
        const codegen::DeviceJob job{&kernel, &grid};
        code = codegen::compile_for_device({&job, 1}, backend);
    }
    void launch(Backend& backend, const std::vector<void*>& buffers, std::int64_t blocks = 2) {
        std::vector<std::int64_t> values;
        for (void* buffer : buffers) values.push_back(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(buffer)));
        for (const shape::Dim dim : nest::sizes_of(kernel)) values.push_back(recorded.sizes.hint(dim));
        values.push_back(recorded.sizes.hint(grid.units));
        std::vector<void*> arguments;
        for (std::int64_t& value : values) arguments.push_back(&value);
        backend.launch(*code.kernels[0].module, code.kernels[0].number, blocks, grid.block, arguments);
    }
};

Arrays twice_plus_one(const Arrays& x) { return {x[0] * 2 + 1}; }
Arrays sum_of_rows(const Arrays& x) { return {sum(x[0], {.axis = 1})}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(simulated_device)

BOOST_AUTO_TEST_CASE(copies_are_done_in_order_and_later) {
    Backend backend;
    std::vector<int> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 0);
    const std::size_t bytes = numbers.size() * sizeof(int);
    const Held a(backend, bytes), b(backend, bytes);
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(a.get()) % 256 == 0U);
    backend.upload(a.get(), numbers.data(), bytes);
    const std::vector<int> first = numbers;
    numbers.assign(numbers.size(), -1);  // it was copied
    backend.copy(b.get(), a.get(), bytes);
    backend.upload(a.get() + 40, numbers.data(), 40);
    BOOST_TEST(backend.waiting() == 5U);
    BOOST_TEST(values_at<int>(backend, b.get(), 1000) == first, boost::test_tools::per_element());
    BOOST_TEST(backend.waiting() == 0U);
    std::vector<int> expected = first;
    std::fill_n(expected.begin() + 10, 10, -1);
    BOOST_TEST(values_at<int>(backend, a.get(), 1000) == expected, boost::test_tools::per_element());
    const device::BackendStatistics statistics = backend.statistics();
    BOOST_TEST(statistics.uploads == 2U);
    BOOST_TEST(statistics.uploaded_bytes == bytes + 40);
    BOOST_TEST(statistics.downloads == 2U);
    BOOST_TEST(statistics.downloaded_bytes == 2 * bytes);
}

BOOST_AUTO_TEST_CASE(much_work_is_not_kept_waiting) {
    Backend backend;
    const Held a(backend, 4);
    for (int i = 0; i < 1000; ++i) {
        backend.upload(a.get(), &i, sizeof i);
        BOOST_TEST_REQUIRE(backend.waiting() < 100U);
    }
    BOOST_TEST(values_at<int>(backend, a.get(), 1)[0] == 999);
}

BOOST_AUTO_TEST_CASE(memory_is_filled_before_its_use_and_after_it) {
    Backend backend;
    constexpr std::size_t bytes = 10000;
    auto* const memory = static_cast<char*>(backend.allocate(bytes));
    BOOST_TEST(values_at<unsigned char>(backend, memory, bytes) == std::vector<unsigned char>(bytes, simulated::fresh_pattern),
               boost::test_tools::per_element());
    const std::vector<unsigned char> sevens(bytes, 7);
    backend.upload(memory, sevens.data(), bytes);
    const Held other(backend, bytes);
    backend.copy(other.get(), memory, bytes);
    backend.free(memory, bytes);
    const Held again(backend, bytes);  // while the work before has not been done
    BOOST_TEST(static_cast<void*>(again.get()) == static_cast<void*>(memory));
    BOOST_TEST(values_at<unsigned char>(backend, other.get(), bytes) == sevens, boost::test_tools::per_element());
    BOOST_TEST(values_at<unsigned char>(backend, again.get(), bytes) == std::vector<unsigned char>(bytes, simulated::freed_pattern),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(there_is_as_much_memory_as_was_said) {
    Backend backend(1, std::size_t{1} << 20);
    const auto names_the_device = [](const MemoryError& error) { return std::string(error.what()).find("'cuda:1'") != std::string::npos; };
    BOOST_CHECK_EXCEPTION(backend.allocate(2 << 20), MemoryError, names_the_device);
    BOOST_CHECK_THROW(backend.allocate(std::size_t{1} << 62), MemoryError);
    {
        const Held most(backend, 768 << 10);
        BOOST_CHECK_THROW(backend.allocate(512 << 10), MemoryError);
        BOOST_TEST(backend.statistics().live_bytes == 768U << 10);
    }
    BOOST_TEST(backend.statistics().live_bytes == 0U);
    BOOST_TEST(backend.statistics().held_bytes == 768U << 10);
    {
        const Held another(backend, 512 << 10);  // what is held makes room
        BOOST_TEST(backend.statistics().held_bytes == 0U);
    }
    backend.trim();
    BOOST_TEST(backend.statistics().held_bytes == 0U);
    {
        const Held none(backend, 0), one(backend, 1);
        BOOST_TEST(static_cast<void*>(none.get()) != static_cast<void*>(one.get()));
    }
    backend.limit_memory(4096);
    BOOST_CHECK_THROW(backend.allocate(4097), MemoryError);
}

BOOST_AUTO_TEST_CASE(the_host_can_not_touch_the_devices_memory) {
    Backend backend;
    const Held a(backend, 100000);
    volatile char* const at = a.get();
    BOOST_TEST(dies([&] { (void)at[5]; }));
    BOOST_TEST(dies([&] { at[5] = 1; }));
    backend.synchronize();
    BOOST_TEST(dies([&] { (void)at[99999]; }));
    char byte = 0;
    BOOST_CHECK_THROW(backend.upload(a.get(), a.get() + 50000, 10), InternalError);
    BOOST_CHECK_THROW(backend.download(a.get(), a.get() + 50000, 10), InternalError);
    BOOST_CHECK_THROW(backend.upload(&byte, &byte, 1), InternalError);
    BOOST_CHECK_THROW(backend.download(&byte, a.get() + 100000, 1), InternalError);
    BOOST_CHECK_THROW(backend.copy(a.get(), a.get() + 5, 10), InternalError);
    BOOST_TEST(dies([&] { backend.free(a.get() + 1, 99999); }));
    BOOST_TEST(dies([&] { backend.free(a.get(), 99999); }));
    BOOST_TEST(!dies([&] { backend.free(a.get(), 100000); }));
    BOOST_TEST(dies([&] {
        backend.free(a.get(), 100000);
        backend.free(a.get(), 100000);
    }));
}

BOOST_AUTO_TEST_CASE(kernels_run_in_order_with_copies) {
    Backend backend;
    OneKernel one(backend, twice_plus_one, {{float32, {1000}, true}});
    std::vector<float> values(1000, 1.0F);
    const Held x(backend, 4000), y(backend, 4000);
    backend.upload(x.get(), values.data(), 4000);
    one.launch(backend, {x.get(), y.get()});
    values.assign(1000, 5.0F);
    backend.upload(x.get(), values.data(), 4000);  // after the launch
    one.launch(backend, {y.get(), y.get()}, 3);
    BOOST_TEST(backend.waiting() >= 4U);
    BOOST_TEST(values_at<float>(backend, y.get(), 1000) == std::vector<float>(1000, 7.0F), boost::test_tools::per_element());
    BOOST_TEST(backend.statistics().launches == 2U);
}

BOOST_AUTO_TEST_CASE(modules_and_memory_may_go_before_the_work_is_done) {
    Backend backend;
    std::vector<float> values(50 * 3000, 1.0F);
    const Held y(backend, 50 * 4);
    {
        OneKernel one(backend, sum_of_rows, {{float32, {50, 3000}}});
        const Held x(backend, values.size() * 4);
        backend.upload(x.get(), values.data(), values.size() * 4);
        one.launch(backend, {x.get(), y.get()});
    }
    BOOST_TEST(values_at<float>(backend, y.get(), 50) == std::vector<float>(50, 3000.0F), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(kernels_that_go_where_they_must_not_are_noticed) {
    Backend backend;
    OneKernel one(backend, twice_plus_one, {{float32, {1000}, true}});
    const Held x(backend, 4000);
    {
        const Held y(backend, 3990);  // 10 bytes too few, 106 before the end of the page
        one.launch(backend, {x.get(), y.get()});
    }
    BOOST_CHECK_THROW(backend.synchronize(), DeviceError);
    backend.synchronize();
    BOOST_TEST(dies([&] {
        const Held y(backend, 2000);
        one.launch(backend, {x.get(), y.get()});
        backend.synchronize();
    }));
    std::vector<float> host(1000);
    BOOST_TEST(!dies([&] {
        one.launch(backend, {x.get(), host.data()});  // a process's memory is one
        backend.synchronize();
    }));
    BOOST_TEST(dies([&] {
        one.launch(backend, {x.get(), x.get() + (1 << 20)});
        backend.synchronize();
    }));
}

BOOST_AUTO_TEST_CASE(launches_that_no_device_takes_are_errors) {
    Backend backend;
    OneKernel one(backend, twice_plus_one, {{float32, {1000}}});
    const Held x(backend, 4000);
    BOOST_CHECK_THROW(one.launch(backend, {x.get()}), InternalError);
    BOOST_CHECK_THROW(one.launch(backend, {x.get(), x.get()}, 0), InternalError);
    void* freed = backend.allocate(4000);
    backend.free(freed, 4000);
    BOOST_CHECK_THROW(one.launch(backend, {x.get(), freed}), InternalError);
    one.grid.block = 512;
    BOOST_CHECK_THROW(one.launch(backend, {x.get(), x.get()}), InternalError);
    BOOST_CHECK_THROW(backend.load("no code", {"f"}), DeviceError);
    BOOST_CHECK_THROW(backend.load("", {"f"}), DeviceError);
    BOOST_TEST(backend.statistics().launches == 0U);
}

BOOST_AUTO_TEST_CASE(threads_that_wait_for_ever_are_an_error) {
    Backend backend;
    const char* const text = R"(
        declare void @llvm.nvvm.barrier0()
        declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
        define ptx_kernel void @stuck(ptr addrspace(1) %x) {
          %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
          %first = icmp eq i32 %thread, 3
          br i1 %first, label %wait, label %end
        wait:
          call void @llvm.nvvm.barrier0()
          br label %end
        end:
          store i32 7, ptr addrspace(1) %x
          ret void
        }
        !nvvm.annotations = !{!0, !1}
        !0 = !{ptr @stuck, !"kernel", i32 1}
        !1 = !{ptr @stuck, !"maxntidx", i32 64}
    )";
    const auto module = backend.load(backend.assemble(text), {"stuck"});
    const Held x(backend, 4);
    void* address = x.get();
    void* argument = &address;
    for (int i = 0; i < 2; ++i) {
        backend.launch(*module, 0, 1, 64, {&argument, 1});
        BOOST_CHECK_THROW(values_at<int>(backend, x.get(), 1), DeviceError);
        backend.synchronize();
    }
    OneKernel one(backend, sum_of_rows, {{float32, {3, 3000}}});
    const Held rows(backend, 36000), sums(backend, 12);
    const std::vector<float> ones(9000, 1.0F);
    backend.upload(rows.get(), ones.data(), 36000);
    one.launch(backend, {rows.get(), sums.get()});
    BOOST_TEST(values_at<float>(backend, sums.get(), 3) == std::vector<float>(3, 3000.0F), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(threads_share_a_device) {
    Backend backend;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&backend, &wrong, t] {
            for (int turn = 0; turn < 200; ++turn) {
                const std::vector<int> numbers(static_cast<std::size_t>(1 + (turn * 37 + t * 11) % 3000), 1000 * t + turn);
                const std::size_t bytes = numbers.size() * sizeof(int);
                const Held a(backend, bytes), b(backend, bytes);
                backend.upload(a.get(), numbers.data(), bytes);
                backend.copy(b.get(), a.get(), bytes);
                if (values_at<int>(backend, b.get(), numbers.size()) != numbers) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
    BOOST_TEST(backend.statistics().live_bytes == 0U);
}

BOOST_AUTO_TEST_CASE(threads_compile_and_launch) {
    Backend backend;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&backend, &wrong, t] {
            for (int turn = 0; turn < 5; ++turn) {
                const std::int64_t rows = 3 + 10 * t + turn;
                OneKernel one(backend, sum_of_rows, {{float32, {rows, 100}}});
                const std::vector<float> ones(static_cast<std::size_t>(rows) * 100, 1.0F);
                const Held x(backend, ones.size() * 4), y(backend, static_cast<std::size_t>(rows) * 4);
                backend.upload(x.get(), ones.data(), ones.size() * 4);
                one.launch(backend, {x.get(), y.get()});
                if (values_at<float>(backend, y.get(), static_cast<std::size_t>(rows)) != std::vector<float>(static_cast<std::size_t>(rows), 100.0F))
                    ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(it_is_put_at_the_door) {
    const std::string problem = cuda_problem();
    {
        const simulated::AtTheDoor here;
        BOOST_TEST(cuda_problem() == "");
        BOOST_REQUIRE(devices().size() == 2U);
        BOOST_TEST(devices()[1].name == "cuda:0");
        BOOST_TEST(devices()[1].model == "simulated");
        BOOST_TEST(device::cuda(0).name() == "cuda:0");
        BOOST_TEST(&device::cuda(0) == &device::cuda(0));
        BOOST_CHECK_THROW(device::cuda(1), DeviceError);
    }
    BOOST_TEST(cuda_problem() == problem);
}

BOOST_AUTO_TEST_SUITE_END()
