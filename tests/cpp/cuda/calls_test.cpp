// What a call on a device costs the host beyond the driver: over a driver that does nothing, by allocations and by time.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "allocations.h"
#include "cuda/device.h"
#include "cuda/says.h"
#include "device/registry.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

template <class... Parameters>
int nothing(Parameters... /*parameters*/) {
    return cuda::success;
}

std::int64_t graph_launches = 0, kernel_launches = 0, arguments_set = 0, products = 0;

// Memory is the host's, kernels do nothing, and nothing is checked.
cuda::Driver idle_driver() {
    cuda::Driver driver;
#define FUNCTION(name, symbol, parameters) driver.name = &nothing;
#define RECENT(name, symbol, parameters) FUNCTION(name, symbol, parameters)
#include "cuda/driver.def"
#undef RECENT
#undef FUNCTION
    static int thing = 0;
    static char image[] = "image";
    driver.device_get_attribute = [](int* value, int attribute, int /*device*/) {
        *value = attribute == cuda::capability_major ? 9 : attribute == cuda::threads_per_multiprocessor ? 2048 : 32;
        return 0;
    };
    driver.context_get_current = [](cuda::Handle* context) { return *context = nullptr, 0; };
    driver.primary_context_retain = [](cuda::Handle* context, int /*device*/) { return *context = &thing, 0; };
    driver.link_complete = [](cuda::Handle /*link*/, void** made, std::size_t* bytes) { return *made = image, *bytes = sizeof image, 0; };
    driver.module_get_function = [](cuda::Handle* function, cuda::Handle /*module*/, const char* /*name*/) { return *function = &thing, 0; };
    driver.memory_allocate = [](cuda::Address* address, std::size_t bytes) {
        *address = reinterpret_cast<std::uintptr_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
        return 0;
    };
    driver.memory_free = [](cuda::Address address) {
        std::free(reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)));
        return 0;
    };
    driver.host_allocate = [](void** memory, std::size_t bytes, unsigned /*flags*/) { return *memory = std::malloc(bytes), 0; };
    driver.host_free = [](void* memory) {
        std::free(memory);
        return 0;
    };
    driver.graph_launch = [](cuda::Handle /*executable*/, cuda::Handle /*stream*/) { return ++graph_launches, 0; };
    driver.launch_kernel_as = [](const cuda::LaunchSettings* /*settings*/, cuda::Handle /*function*/, void** /*arguments*/, void** /*extra*/) {
        return ++kernel_launches, 0;
    };
    driver.graph_set_kernel = [](cuda::Handle /*executable*/, cuda::Handle /*node*/, const cuda::KernelNode* /*kernel*/) { return ++arguments_set, 0; };
    driver.devices = 1;
    return driver;
}

// Products do nothing.
const cuda::Blas& idle_blas(const cuda::Driver& /*driver*/) {
    static const cuda::Blas made = [] {
        cuda::Blas blas;
#define FUNCTION(result, name, symbol, parameters) blas.name = [](auto...) -> result { return {}; };
#include "cuda/blas.def"
#undef FUNCTION
        static int thing = 0;
        blas.create = [](cuda::Handle* handle) { return *handle = &thing, 0; };
        blas.choose = [](cuda::Handle, cuda::Handle, cuda::Handle, cuda::Handle, cuda::Handle, cuda::Handle, cuda::Handle, int, cuda::BlasChoice* choice,
                         int* found) {
            choice->workspace_bytes = 4096;
            return *found = 1, 0;
        };
        blas.multiply = [](cuda::Handle, cuda::Handle, const void*, const void*, cuda::Handle, const void*, cuda::Handle, const void*, const void*,
                           cuda::Handle, void*, cuda::Handle, const cuda::BlasAlgorithm*, void*, std::size_t, cuda::Handle) { return ++products, 0; };
        return blas;
    }();
    return made;
}

device::Backend& idle_device() {
    static const cuda::Driver driver = idle_driver();
    static auto* const made = new cuda::Device(driver, 0, cuda::Device::no_limit, {&idle_blas});  // never destroyed, as other devices
    return *made;
}

// One that goes wrong when it is waited for.
device::Backend& failing_device() {
    static const cuda::Driver driver = [] {
        cuda::Driver made = idle_driver();
        made.stream_synchronize = [](cuda::Handle /*stream*/) { return 700; };  // an illegal address
        made.get_error_name = [](int /*error*/, const char** text) { return *text = "CUDA_ERROR_ILLEGAL_ADDRESS", 0; };
        made.get_error_string = [](int /*error*/, const char** text) { return *text = "an illegal memory access was encountered", 0; };
        return made;
    }();
    static auto* const made = new cuda::Device(driver, 0, cuda::Device::no_limit, {&idle_blas});
    return *made;
}

device::Listing list() { return {{{"cuda:0", "idle", std::size_t{1} << 30, 90}}, ""}; }
device::Backend& open(int /*number*/) { return idle_device(); }
device::Backend& open_failing(int /*number*/) { return failing_device(); }

class AtTheDoor {
public:
    explicit AtTheDoor(device::Backend& (*opened)(int) = &open) : before_(device::register_cuda({&list, opened, nullptr, nullptr})) {}
    ~AtTheDoor() { device::register_cuda(before_); }
    AtTheDoor(const AtTheDoor&) = delete;
    AtTheDoor& operator=(const AtTheDoor&) = delete;

private:
    device::Door before_;
    device_scope host_{"cpu"};  // for what names no device, whatever one tests are run on
};

// Of a call like those before it.
template <class F>
std::int64_t allocations_of(F f) {
    for (int i = 0; i < 40; ++i) f();
    const std::int64_t before = allocations();
    f();
    return allocations() - before;
}

// Of a call, in microseconds: the best of some.
template <class F>
double time_of(F f) {
    double best = 1e9;
    for (int batch = 0; batch < 10; ++batch) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 1000; ++i) f();
        best = std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 1000);
    }
    return best;
}

array one_kernel(const array& x, const array& y) { return x * y + x; }

// A recurrent network's steps.
array many_products(const array& x, const array& w) {
    array h = x;
    for (int i = 0; i < 50; ++i) h = tanh(matmul(h, w) + x) * 0.5F + matmul(h * x, w);
    return h;
}

// Each column sum is one.
array many_kernels(const array& x, const array& y) {
    array z = x;
    for (int i = 0; i < 10; ++i) z = x + sum(z * y, {.axis = i % 2, .keepdims = true});
    return z;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(calls_on_a_device)

// Of each its body, its buffer, and what the host and the device know of its memory.
BOOST_AUTO_TEST_CASE(a_call_allocates_its_results_alone) {
    const AtTheDoor door;
    const array x = ones({64, 64}, float32).to("cuda"), y = x.copy();
    const auto one = compile(&one_kernel), many = compile(&many_kernels);
    const auto two = compile([](const array& a, const array& b) { return std::tuple(a + b, sum(a * b)); });
    const auto with_number = compile([](const array& a, const array& number) { return a * number; });
    const array number(2.0F);
    many(x, y);
    const std::uint64_t before = device_statistics("cuda").launches;
    many(x, y);
    BOOST_TEST(device_statistics("cuda").launches - before >= 10U);
    if (counts_allocations) {
        BOOST_TEST(allocations_of([&] { one(x, y); }) == 4);
        BOOST_TEST(allocations_of([&] { many(x, y); }) == 4);
        BOOST_TEST(allocations_of([&] { with_number(x, number); }) == 4);
        BOOST_TEST(allocations_of([&] { two(x, y); }) <= 4 + 5);
    }
}

// A long plan is several graphs, and a loop's turns are one: these are given the same memory again, but for results that are kept.
BOOST_AUTO_TEST_CASE(graphs_keep_what_they_are_given) {
    const AtTheDoor door;
    const array x = ones({64, 64}, float32).to("cuda");
    const auto plan = compile([](const array& a) {
        array z = a;
        for (int i = 0; i < 200; ++i) z = tanh(z * 0.5F - sum(z, {.axis = i % 2, .keepdims = true}) * 0.01F);
        return z;
    });
    const auto turns = compile([](const array& a) { return loop(1280, [&](array s) { return 0.5F * s + cos(a); }, a); });
    for (const bool is_loop : {false, true}) {
        const auto call = [&] { return is_loop ? turns(x) : plan(x); };
        for (int i = 0; i < 5; ++i) (void)call();
        const std::int64_t launches = graph_launches, set = arguments_set;
        for (int i = 0; i < 10; ++i) (void)call();
        BOOST_TEST(graph_launches - launches >= 20);
        // Two arrays take turns at being a loop's state, another one first in each call.
        BOOST_TEST(arguments_set - set <= (is_loop ? 10 * 130 : 0));
        std::vector<array> kept;
        for (int i = 0; i < 10; ++i) kept.push_back(call());
        BOOST_TEST(arguments_set - set <= (is_loop ? 20 * 130 : 20));
    }
}

// A large kernel is a launch of its own where the device is behind, so that it begins while the one before ends; else, and small ones, a graph.
BOOST_AUTO_TEST_CASE(large_kernels_overlap) {
    const AtTheDoor door;
    const auto plan = compile(&one_kernel);
    for (const bool is_large : {false, true}) {
        const array x = ones({is_large ? 4096 : 64, 4096}, float32).to("cuda"), y = x.copy();
        for (int i = 0; i < 8; ++i) {
            (void)plan(x, y);
            synchronize("cuda");
        }
        const std::int64_t graphs = graph_launches, kernels = kernel_launches;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 5; ++j) (void)plan(x, y);
            synchronize("cuda");
        }
        BOOST_TEST(graph_launches - graphs == (is_large ? 3 : 15));
        BOOST_TEST(kernel_launches - kernels == (is_large ? 12 : 0));
    }
}

// So are graphs with products, of which none is captured again but the first one of a loop: it reads what the loop begins with, and in later turns a
// state.
BOOST_AUTO_TEST_CASE(products_in_graphs_are_asked_for_once) {
    const AtTheDoor door;
    const array x = ones({64, 64}, float32).to("cuda"), w = ones({64, 64}, float32).to("cuda");
    const auto plan = compile(&many_products);
    const auto turns = compile([](const array& a, const array& b) { return loop(640, [&](array s) { return 0.5F * s + tanh(matmul(s, b)); }, a); });
    for (const bool is_loop : {false, true}) {
        const auto call = [&] { return is_loop ? turns(x, w) : plan(x, w); };
        for (int i = 0; i < 8; ++i) (void)call();
        const std::int64_t launches = graph_launches, asked = products;
        for (int i = 0; i < 10; ++i) (void)call();
        BOOST_TEST(graph_launches - launches >= 20);
        BOOST_TEST(products - asked <= (is_loop ? 10 * 2 : 0));
        array kept = call();
        for (int i = 0; i < 12; ++i) kept = call();  // while the one before is alive
        BOOST_TEST(products - asked <= (is_loop ? 12 * 640 : 500));
        const std::int64_t until_then = products;
        for (int i = 0; i < 4; ++i) kept = call();
        BOOST_TEST(products - until_then <= (is_loop ? 4 * 2 : 0));
    }
}

BOOST_AUTO_TEST_CASE(a_call_takes_little_beside_the_driver) {
    const AtTheDoor door;
    const array x = ones({64, 64}, float32).to("cuda"), y = x.copy();
    const auto one = compile(&one_kernel), many = compile(&many_kernels), multiplied = compile(&many_products);
    const double few = time_of([&] { one(x, y); });
    BOOST_TEST_MESSAGE("one kernel: " << few << " microseconds; many: " << time_of([&] { many(x, y); }));
    BOOST_TEST_MESSAGE("100 products and 100 kernels: " << time_of([&] { multiplied(x, y); }));
#if defined(NDEBUG) && !defined(FASTNP_SANITIZED)
    // Machines differ: so long as so many pieces of memory take.
    const double of_memory = time_of([] {
        for (int i = 0; i < 30; ++i) {
            void* volatile piece = std::malloc(2048);
            std::free(piece);
        }
    });
    BOOST_TEST_MESSAGE("30 pieces of memory: " << of_memory << " microseconds");
    BOOST_TEST(few < of_memory);
#endif
}

// Which function's kernels may have gone wrong, and where it is.
BOOST_AUTO_TEST_CASE(what_goes_wrong_is_told_with_the_users_line) {
    const AtTheDoor door(&open_failing);
    const array x = ones({64, 64}, float32).to("cuda"), y = x.copy();
    const auto sum = compile(&one_kernel, {.name = "weighed"});
    const std::string line = std::to_string(__LINE__ - 1);
    sum(x, y);
    BOOST_CHECK_EXCEPTION(synchronize("cuda"), DeviceError,
                          cuda::says("an illegal memory access was encountered", "; kernels launched since the device was last waited for: ",
                                     "_0 of weighed (", "calls_test.cpp:" + line + "); the device can't be used any more in this process"));
}

BOOST_AUTO_TEST_SUITE_END()
