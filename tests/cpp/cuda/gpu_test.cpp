// What only a GPU can show. Without one, these cases say so and pass.
#include <sys/wait.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include "cuda/says.h"
#include "cuda/waiting.h"
#include "device/registry.h"
#include "fastnp/error.h"

using namespace fastnp;
using cuda::says;
using device::Backend;

namespace {

// scale: the first `count` of y are those of x times a factor, by any number of blocks. illegal: writes where nothing is. spin: takes so many clocks.
constexpr const char* kernels = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry scale(.param .u64 y, .param .u64 x, .param .u64 count, .param .f64 factor)
{
    .reg .pred %done;
    .reg .b32 %t<4>;
    .reg .b64 %r<10>;
    .reg .f64 %d<3>;
    ld.param.u64 %r0, [y];
    ld.param.u64 %r1, [x];
    ld.param.u64 %r2, [count];
    ld.param.f64 %d0, [factor];
    mov.u32 %t0, %ctaid.x;
    mov.u32 %t1, %ntid.x;
    mov.u32 %t2, %tid.x;
    mov.u32 %t3, %nctaid.x;
    mul.wide.u32 %r3, %t0, %t1;
    cvt.u64.u32 %r4, %t2;
    add.u64 %r3, %r3, %r4;
    mul.wide.u32 %r5, %t3, %t1;
loop:
    setp.ge.u64 %done, %r3, %r2;
    @%done bra end;
    shl.b64 %r6, %r3, 3;
    add.u64 %r7, %r1, %r6;
    ld.global.f64 %d1, [%r7];
    mul.rn.f64 %d2, %d1, %d0;
    add.u64 %r8, %r0, %r6;
    st.global.f64 [%r8], %d2;
    add.u64 %r3, %r3, %r5;
    bra loop;
end:
    ret;
}

.visible .entry illegal()
{
    .reg .b64 %r<2>;
    mov.u64 %r0, 64;
    mov.u64 %r1, 1;
    st.global.u64 [%r0], %r1;
    ret;
}

.visible .entry spin(.param .u64 clocks)
{
    .reg .pred %more;
    .reg .b64 %r<4>;
    ld.param.u64 %r0, [clocks];
    mov.u64 %r1, %clock64;
again:
    mov.u64 %r2, %clock64;
    sub.u64 %r3, %r2, %r1;
    setp.lt.u64 %more, %r3, %r0;
    @%more bra again;
    ret;
}
)";

// The first device, or null where there is none (which is said).
Backend* gpu() {
    const device::Listing listed = device::list_cuda();
    if (!listed.problem.empty()) BOOST_TEST_MESSAGE("skipped: " << listed.problem);
    return listed.problem.empty() ? &device::cuda(0) : nullptr;
}

std::vector<unsigned char> numbered(std::size_t bytes, std::size_t first) {
    std::vector<unsigned char> values(bytes);
    for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<unsigned char>((i + first) * 0x9e3779b97f4a7c15ULL >> 56);
    return values;
}

struct Kernels {
    explicit Kernels(Backend& device)
        : device(device), module(device.load(device.assemble(cuda::waiting(kernels, device)), {"scale", "illegal", "spin"})) {}

    void scale(void* y, const void* x, std::int64_t count, double factor, std::int64_t blocks = 8) {
        const std::array<void*, 4> arguments{&y, &x, &count, &factor};
        device.launch(*module, 0, blocks, 256, arguments);
    }
    void illegal() { device.launch(*module, 1, 1, 1, {}); }
    void spin(std::int64_t clocks) {
        const std::array<void*, 1> arguments{&clocks};
        device.launch(*module, 2, 1, 1, arguments);
    }

    Backend& device;
    std::shared_ptr<device::Module> module;
};

double seconds(const auto& what) {
    const auto begin = std::chrono::steady_clock::now();
    what();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// This program again with one case, which asks for it by an environment variable: its status, and what it printed.
std::pair<int, std::string> in_another_process(const std::string& test_case, const std::string& variables = "") {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    const std::string command = "FASTNP_TEST_CHILD=1 " + variables + " '" + program + "' --run_test=cuda_gpu/" + test_case + " 2>&1";
    FILE* const pipe = popen(command.c_str(), "r");
    BOOST_REQUIRE(pipe != nullptr);
    std::string text;
    std::array<char, 1024> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
    return {pclose(pipe), text};
}

bool is_child() { return std::getenv("FASTNP_TEST_CHILD") != nullptr; }  // NOLINT: nothing here changes the environment

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_gpu)

BOOST_AUTO_TEST_CASE(the_device_says_what_it_is) {
    Backend* const device = gpu();
    if (device == nullptr) return;
    BOOST_TEST(device->name() == "cuda:0");
    BOOST_TEST(device->capability() == device::list_cuda().devices[0].compute_capability);
    BOOST_TEST(device->blocks_at_once(1024) >= 1);
    BOOST_TEST(device->blocks_at_once(128) > device->blocks_at_once(1024));
    BOOST_TEST(device->blocks_at_once(128) % device->blocks_at_once(1024) == 0);
    BOOST_TEST_MESSAGE(device->name() << ": capability " << device->capability() << ", " << device->version() << ", " << device->blocks_at_once(256)
                                      << " blocks of 256 threads at once");
    BOOST_CHECK_THROW(device::cuda(1000), DeviceError);
}

BOOST_AUTO_TEST_CASE(copies_of_all_sizes_and_alignments) {
    Backend* const device = gpu();
    if (device == nullptr) return;
    constexpr std::size_t block = std::size_t{4} << 20;
    std::size_t case_number = 0;
    for (const std::size_t bytes :
         {1UL, 2UL, 3UL, 8UL, 31UL, 255UL, 4096UL, 65537UL, 1UL << 20, block - 1, block, block + 1, 5 * block + 77, 33 * block + 5}) {
        for (const std::size_t on_device : {0UL, 1UL, 4UL, 129UL}) {
            for (const std::size_t on_host : {0UL, 1UL, 24UL}) {
                const auto values = numbered(bytes + on_host, ++case_number);
                auto sent = values;
                auto* const memory = static_cast<std::byte*>(device->allocate(bytes + on_device));
                auto* const copy = static_cast<std::byte*>(device->allocate(bytes + on_device));
                device->upload(memory + on_device, sent.data() + on_host, bytes);
                std::ranges::fill(sent, 0xee);
                device->copy(copy + on_device, memory + on_device, bytes);
                std::vector<unsigned char> read(bytes + on_host + 1, 0xaa);
                device->download(read.data() + on_host, copy + on_device, bytes);
                const bool equal = std::memcmp(read.data() + on_host, values.data() + on_host, bytes) == 0;
                BOOST_TEST(equal, "of " << bytes << " bytes at " << on_device << " from and to " << on_host);
                BOOST_TEST(read.back() == 0xaa);
                device->free(memory, bytes + on_device);
                device->free(copy, bytes + on_device);
            }
        }
        if (bytes > block) device->trim();
    }
}

BOOST_AUTO_TEST_CASE(a_kernel_is_assembled_loaded_and_launched) {
    Backend* const device = gpu();
    if (device == nullptr) return;
    Kernels compiled(*device);
    for (const std::size_t count : {1UL, 255UL, 256UL, 100000UL}) {
        std::vector<double> x(count);
        std::iota(x.begin(), x.end(), 0.5);
        void* const on_device = device->allocate(count * 8);
        void* const result = device->allocate(count * 8);
        device->upload(on_device, x.data(), count * 8);
        compiled.scale(result, on_device, static_cast<std::int64_t>(count), 3.0);
        compiled.scale(result, result, static_cast<std::int64_t>(count), -1.0, device->blocks_at_once(256));
        std::vector<double> y(count);
        device->download(y.data(), result, count * 8);
        for (double& value : x) value *= -3.0;
        BOOST_TEST((y == x));
        device->free(on_device, count * 8);
        device->free(result, count * 8);
    }
    // PTX as it is can be loaded, too.
    BOOST_TEST(device->load(cuda::waiting(kernels, *device), {"scale"}) != nullptr);
    BOOST_CHECK_EXCEPTION(device->load(device->assemble(cuda::waiting(kernels, *device)), {"scale", "other"}), DeviceError,
                          says("cuModuleGetFunction failed", "other"));
    BOOST_CHECK_EXCEPTION(device->assemble(".version 7.0\n.target sm_80\n.address_size 64\nnonsense\n"), DeviceError, says("device 'cuda:0'", "line 4"));
    BOOST_CHECK_THROW(device->load("no code", {"scale"}), DeviceError);
    device->synchronize();
}

BOOST_AUTO_TEST_CASE(copies_and_kernels_are_asked_for_and_not_waited_for) {
    Backend* const device = gpu();
    if (device == nullptr) return;
    Kernels compiled(*device);
    void* const memory = device->allocate(8192);
    std::vector<double> x(1024, 1.0);
    device->upload(memory, x.data(), 8192);
    compiled.spin(1000);
    device->synchronize();
    double asked = 0;
    const double all = seconds([&] {
        asked = seconds([&] {
            compiled.spin(400'000'000);  // 0.2 s and more
            for (int i = 0; i < 100; ++i) {
                x.assign(1024, i);
                device->upload(memory, x.data(), 8192);
                compiled.scale(memory, memory, 1024, 2.0);
                void* const block = device->allocate(8192);
                device->copy(block, memory, 8192);
                device->free(block, 8192);
            }
        });
        device->synchronize();
    });
    BOOST_TEST_MESSAGE("300 calls while a kernel runs: " << asked * 1e6 / 300 << " us each; the kernel: " << all << " s");
    BOOST_TEST(all > 0.1);
    BOOST_TEST(asked < all / 2);
    device->download(x.data(), memory, 8192);
    BOOST_TEST(x == std::vector<double>(1024, 198.0), boost::test_tools::per_element());
    device->free(memory, 8192);
}

BOOST_AUTO_TEST_CASE(freed_memory_serves_again) {
    Backend* const device = gpu();
    if (device == nullptr) return;
    device->trim();
    const std::size_t bytes = std::size_t{100} << 20;
    void* const first = device->allocate(bytes);
    device->free(first, bytes);
    const auto before = device->statistics();
    const double took = seconds([&] {
        for (int i = 0; i < 1000; ++i) {
            void* const block = device->allocate(bytes);
            if (block != first) BOOST_FAIL("another block");
            device->free(block, bytes);
        }
    });
    BOOST_TEST_MESSAGE("allocate and free: " << took * 1e6 << " ns");
    BOOST_TEST(device->statistics().held_bytes == before.held_bytes);
    device->trim();
    BOOST_TEST(device->statistics().held_bytes <= before.held_bytes - bytes);
    BOOST_CHECK_EXCEPTION(device->allocate(std::size_t{1} << 45), MemoryError,
                          says("Unable to allocate 32.0 TiB for an array on device 'cuda:0' (in use: "));
}

BOOST_AUTO_TEST_CASE(threads_work_at_once) {
    Backend* const device = gpu();
    if (device == nullptr) return;
    Kernels compiled(*device);
    std::vector<std::thread> threads;
    std::vector<int> right(8);
    for (std::size_t t = 0; t < right.size(); ++t) {
        threads.emplace_back([&, t] {
            for (std::size_t i = 1; i <= 50; ++i) {
                const std::size_t count = i * 1000 * (t + 1);
                std::vector<double> x(count, static_cast<double>(t));
                void* const memory = device->allocate(count * 8);
                device->upload(memory, x.data(), count * 8);
                compiled.scale(memory, memory, static_cast<std::int64_t>(count), static_cast<double>(i));
                device->download(x.data(), memory, count * 8);
                device->free(memory, count * 8);
                right[t] += x == std::vector<double>(count, static_cast<double>(t * i)) ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(right == std::vector<int>(8, 50), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_it_costs) {
    Backend* const device = gpu();
    if (device == nullptr) return;
    Kernels compiled(*device);
    const std::size_t bytes = std::size_t{1} << 30;
    std::vector<std::byte> host(bytes, std::byte{1});
    void* const memory = device->allocate(bytes);
    void* const other = device->allocate(bytes);
    const auto rate = [&](const char* what, std::size_t count, const auto& once) {
        once();
        device->synchronize();
        const double took = seconds([&] {
            for (int i = 0; i < 3; ++i) once();
            device->synchronize();
        });
        BOOST_TEST_MESSAGE(what << " of " << (count >> 20) << " MiB: " << 3.0 * static_cast<double>(count) / took * 1e-9 << " GB/s");
    };
    for (const std::size_t size : {std::size_t{1} << 20, std::size_t{16} << 20, bytes}) {
        rate("upload", size, [&] { device->upload(memory, host.data(), size); });
        rate("download", size, [&] { device->download(host.data(), memory, size); });
        rate("copy on the device", size, [&] { device->copy(other, memory, size); });
    }
    const auto each = [&](const char* what, const auto& once) {
        once();
        device->synchronize();
        const double took = seconds([&] {
            for (int i = 0; i < 500; ++i) once();
        });
        device->synchronize();
        BOOST_TEST_MESSAGE(what << ": " << took / 500 * 1e6 << " us");
    };
    each("launch", [&] { compiled.scale(memory, memory, 8, 1.0, 1); });
    each("upload of 8 bytes", [&] { device->upload(memory, host.data(), 8); });
    each("upload of 64 KiB", [&] { device->upload(memory, host.data(), 65536); });
    each("download of 8 bytes", [&] { device->download(host.data(), memory, 8); });
    each("launch and download of 8 bytes", [&] {
        compiled.scale(memory, memory, 8, 1.0, 1);
        device->download(host.data(), memory, 8);
    });
    BOOST_TEST_MESSAGE("assemble and load: " << seconds([&] { device->load(device->assemble(cuda::waiting(kernels, *device)), {"scale"}); }) * 1e3
                                             << " ms");
    device->free(memory, bytes);
    device->free(other, bytes);
    device->trim();
}

// Run by the case after it: leaves the process's device unusable.
BOOST_AUTO_TEST_CASE(child_with_an_illegal_address) {
    if (!is_child()) return;
    Backend& device = device::cuda(0);
    static Kernels compiled(device);  // destroyed at exit, when the driver must not be called
    void* const memory = device.allocate(8);
    double value = 1;
    device.upload(memory, &value, 8);
    compiled.scale(memory, memory, 1, 2.0);
    device.synchronize();
    compiled.spin(10);
    compiled.illegal();
    for (int i = 0; i < 2; ++i) {
        try {
            device.download(&value, memory, 8);
            std::printf("no error\n");
        } catch (const DeviceError& error) {
            std::printf("%s\n", error.what());
        }
    }
    device.free(memory, 8);
}

BOOST_AUTO_TEST_CASE(an_illegal_address_is_told_and_the_process_ends_well) {
    if (is_child() || gpu() == nullptr) return;
    const auto [status, text] = in_another_process("child_with_an_illegal_address");
    BOOST_TEST_MESSAGE(text);
    BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    const std::string told =
        "illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS); "
        "kernels launched since the device was last waited for: spin, illegal";
    BOOST_TEST(text.find(told + "; the device can't be used any more in this process\n") != std::string::npos);
    BOOST_TEST(text.find("device 'cuda:0' can't be used any more in this process: ") != std::string::npos);
}

// Run by the case after it: work, modules and memory that are left when the process ends.
BOOST_AUTO_TEST_CASE(child_with_a_memory_limit) {
    if (!is_child()) return;
    Backend& device = device::cuda(0);
    static Kernels compiled(device);
    static const std::shared_ptr<void> left(device.allocate(100), [](void* memory) { device::cuda(0).free(memory, 100); });
    try {
        device.allocate(std::size_t{65} << 20);
        std::printf("no error\n");
    } catch (const MemoryError& error) {
        std::printf("%s\n", error.what());
    }
    void* const memory = device.allocate(std::size_t{40} << 20);
    compiled.scale(memory, memory, 1000, 1.0);
}

BOOST_AUTO_TEST_CASE(the_limit_holds_and_what_is_left_at_the_end_does_no_harm) {
    if (is_child() || gpu() == nullptr) return;
    const auto [status, text] = in_another_process("child_with_a_memory_limit", "FASTNP_CUDA_MEMORY_LIMIT=64");
    BOOST_TEST_MESSAGE(text);
    BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    BOOST_TEST(text.find("Unable to allocate 65.0 MiB for an array on device 'cuda:0' (in use: 256 bytes in 1 buffer: 256 bytes; "
                         "FASTNP_CUDA_MEMORY_LIMIT: 64.0 MiB)") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
