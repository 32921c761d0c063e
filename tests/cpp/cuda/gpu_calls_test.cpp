// What calls take on a GPU, and that graphs do there what launches do. Without a GPU, these cases say so and pass.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <vector>

#include "cuda/waiting.h"
#include "device/block.h"
#include "device/registry.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

// add: one number, by one thread.
constexpr const char* kernels = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry add(.param .u64 to, .param .u64 number)
{
    .reg .b64 %r<4>;
    ld.param.u64 %r0, [to];
    ld.param.u64 %r1, [number];
    ld.global.u64 %r2, [%r0];
    mad.lo.u64 %r3, %r2, 3, %r1;
    st.global.u64 [%r0], %r3;
    ret;
}
)";

device::Backend* gpu() {
    if (!device::list_cuda().devices.empty()) return &device::cuda(0);
    BOOST_TEST_MESSAGE("no GPU: " << device::list_cuda().problem);
    BOOST_TEST(true);
    return nullptr;
}

// Microseconds of one of `count`, until they are asked for and until they are done.
struct Times {
    double asked = 1e9, done = 1e9;
};

template <class F>
Times times_of(device::Backend& device, int count, F f) {
    Times best;
    for (int round = 0; round < 20; ++round) {
        device.synchronize();
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < count; ++i) f();
        const auto asked = std::chrono::steady_clock::now();
        device.synchronize();
        const auto done = std::chrono::steady_clock::now();
        best.asked = std::min(best.asked, std::chrono::duration<double, std::micro>(asked - start).count() / count);
        best.done = std::min(best.done, std::chrono::duration<double, std::micro>(done - start).count() / count);
    }
    return best;
}

void say(const char* what, const Times& times) { BOOST_TEST_MESSAGE(what << ": asked for in " << times.asked << " us, done in " << times.done << " us"); }

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_gpu_calls)

BOOST_AUTO_TEST_CASE(graphs_do_what_launches_do) {
    device::Backend* const device = gpu();
    if (device == nullptr) return;
    constexpr std::size_t count = 64;
    const auto module = device->load(device->assemble(cuda::waiting(kernels, *device)), {"add"});
    void* const memory = device->allocate(16);
    std::array<std::uint64_t, 2 * count> given{};
    std::array<void*, 2 * count> addresses{};
    std::vector<device::Work> launches;
    for (std::size_t i = 0; i < count; ++i) {
        given[2 * i] = reinterpret_cast<std::uintptr_t>(memory);
        given[2 * i + 1] = i + 1;
        for (const std::size_t at : {2 * i, 2 * i + 1}) addresses[at] = &given[at];
        launches.emplace_back(device::Launch{module.get(), 0, 1, 1, {&addresses[2 * i], 2}});
    }
    const auto one_by_one = [&] {
        for (const device::Work& work : launches) {
            const auto& each = std::get<device::Launch>(work);
            device->launch(*module, each.kernel, each.blocks, each.threads, each.arguments);
        }
    };
    const auto value_after = [&](const auto& work) {
        const std::array<std::uint64_t, 2> zero{};
        device->upload(memory, zero.data(), 16);
        work();
        std::uint64_t found = 0;
        device->download(&found, memory, 8);
        return found;
    };
    const auto graph = device->graph(launches);
    BOOST_REQUIRE((graph != nullptr));
    const std::uint64_t want = value_after(one_by_one);
    BOOST_TEST(value_after([&] { graph->launch(); }) == want);
    given[2 * 5 + 1] = 1000;
    const std::uint64_t other = value_after(one_by_one);
    BOOST_TEST(other != want);
    BOOST_TEST(value_after([&] { graph->launch(); }) == want);
    graph->set(5, launches[5]);
    BOOST_TEST(value_after([&] { graph->launch(); }) == other);
    say("64 launches", times_of(*device, 10, one_by_one));
    say("64 launches as a graph", times_of(*device, 10, [&] { graph->launch(); }));
    say("64 launches as a graph, each with other arguments", times_of(*device, 10, [&] {
            for (std::size_t i = 0; i < count; ++i) graph->set(i, launches[i]);
            graph->launch();
        }));
    say("making the graph", times_of(*device, 1, [&] { (void)device->graph(launches); }));
    device->free(memory, 16);
}

// Products and transforms within graphs, at the addresses that they were made with and at others.
BOOST_AUTO_TEST_CASE(graphs_of_library_work) {
    device::Backend* const device = gpu();
    if (device == nullptr || !device->lacks_products(float32).empty() || !device->lacks_transforms().empty()) return;
    constexpr std::int64_t side = 96;
    constexpr std::size_t bytes = side * side * 4;
    const auto numbers = [](int seed) { return sin(arange(static_cast<double>(side * side)) * seed).astype(float32).reshape({side, side}); };
    std::vector<device::Block> blocks;
    for (int i = 0; i < 6; ++i) blocks.emplace_back(*device, 2 * bytes);
    const auto put = [&](std::size_t block, int seed) { device->upload(blocks[block].get(), numbers(seed).data<float>(), bytes); };
    const auto product = [&](std::size_t x, std::size_t y, std::size_t out) {
        const auto rows = [&](std::size_t block) { return device::Matrices{blocks[block].get(), side, 1, 0}; };
        return device::Contraction{float32, side, side, side, 1, rows(x), rows(y), rows(out)};
    };
    const auto transform = [&](std::size_t from, std::size_t to) {
        return device::Transform{device::Transform::Kind::real, false, side, side, {blocks[from].get(), 1, side}, {blocks[to].get(), 1, side / 2 + 1}};
    };
    put(0, 1), put(1, 2);
    BOOST_REQUIRE((device->contract(product(0, 1, 2)) && device->transform(transform(2, 3))));
    BOOST_TEST((device->knows(product(1, 0, 4)) && device->knows(transform(4, 5))));
    const device::Work work[] = {product(0, 1, 2), transform(2, 3), device::Copy{blocks[4].get(), blocks[3].get(), bytes},
                                 device::Clear{blocks[2].get(), 64}};
    const auto result = [&](std::size_t block) {
        std::vector<float> found(bytes / 4);
        device->download(found.data(), blocks[block].get(), bytes);
        return found;
    };
    const std::vector<float> want = result(3);
    const auto graph = device->graph(work);
    BOOST_REQUIRE((graph != nullptr));
    for (int i = 0; i < 3; ++i) {
        device->clear(blocks[4].get(), bytes);
        graph->launch();
        BOOST_TEST((result(4) == want));
        BOOST_TEST(result(2)[0] == 0.0F);
    }
    put(0, 3);
    BOOST_REQUIRE((device->contract(product(1, 0, 2)) && device->transform(transform(2, 3))));
    const std::vector<float> other = result(3);
    graph->set(0, product(1, 0, 5));
    graph->set(1, transform(5, 2));
    graph->set(2, device::Copy{blocks[3].get(), blocks[2].get(), bytes});
    graph->set(3, device::Clear{blocks[5].get(), 64});
    device->clear(blocks[3].get(), bytes);
    graph->launch();
    BOOST_TEST((result(3) == other));
    say("giving a graph another product", times_of(*device, 10, [&] { graph->set(0, product(1, 0, 5)); }));
    std::vector<device::Work> many;
    for (int i = 0; i < 32; ++i) {
        many.emplace_back(product(0, 1, 2));
        many.emplace_back(device::Copy{blocks[3].get(), blocks[2].get(), bytes});
    }
    const auto of_many = device->graph(many);
    say("32 products and copies as a graph", times_of(*device, 10, [&] { of_many->launch(); }));
    say("32 products and copies", times_of(*device, 10, [&] {
            for (int i = 0; i < 32; ++i) {
                device->contract(product(0, 1, 2));
                device->copy(blocks[3].get(), blocks[2].get(), bytes);
            }
        }));
    const array x = numbers(1).to("cuda"), w = (numbers(2) / 100).to("cuda");
    const auto steps = [](const array& a, const array& b) {
        array h = a;
        for (int i = 0; i < 50; ++i) h = tanh(matmul(h, b) + a) * 0.5F + matmul(h * a, b);
        return h;
    };
    const auto turns = [](const array& a, const array& b) { return loop(200, [&](array h) { return tanh(matmul(h, b) + a); }, a); };
    for (const bool is_loop : {false, true}) {
        const auto f = is_loop ? compile(+turns) : compile(+steps);
        const array wanted = f(x.to("cpu"), w.to("cpu"));
        for (int i = 0; i < 8; ++i) BOOST_TEST(all(absolute(f(x, w).to("cpu") - wanted) <= 1e-4F).item<bool>());
        say(is_loop ? "a loop of 200 turns with a product each" : "50 steps with two products each", times_of(*device, 10, [&] { (void)f(x, w); }));
    }
}

BOOST_AUTO_TEST_CASE(time_between_moments) {
    device::Backend* const device = gpu();
    if (device == nullptr) return;
    const array x = ones({4096, 4096}, float32).to("cuda");
    const auto compiled = compile([](const array& a) { return exp(a) * 2; });
    (void)compiled(x);
    const auto before = device->moment();
    for (int i = 0; i < 10; ++i) (void)compiled(x);
    const auto after = device->moment();
    const double milliseconds = device->milliseconds(*before, *after);
    BOOST_TEST_MESSAGE("ten kernels over 64 MiB: " << milliseconds << " ms");
    BOOST_TEST(milliseconds > 0.1);
    BOOST_TEST(milliseconds < 1000.0);
}

BOOST_AUTO_TEST_CASE(calls_and_loops) {
    device::Backend* const device = gpu();
    if (device == nullptr) return;
    const array x = (arange(4096.0).reshape({64, 64}) / 4096).to("cuda");
    const auto one = compile([](const array& a) { return a * a + a; });
    const auto many = compile([](const array& a) {
        array z = a;
        for (int i = 0; i < 40; ++i) z = tanh(z - sum(z, {.axis = i % 2, .keepdims = true}) * a);
        return z;
    });
    const auto turns = compile([](const array& a) { return loop(1000, [&](array s) { return 0.5 * s + cos(a); }, a); });
    for (int i = 0; i < 4; ++i) (void)one(x), (void)many(x), (void)turns(x);
    say("a call of one kernel", times_of(*device, 20, [&] { (void)one(x); }));
    say("a call of 40 kernels or more", times_of(*device, 10, [&] { (void)many(x); }));
    say("a loop of 1000 turns", times_of(*device, 1, [&] { (void)turns(x); }));
    const array want = turns(x.to("cpu"));
    BOOST_TEST(all(absolute(turns(x).to("cpu") - want) <= 1e-12).item<bool>());
    {
        const profile_scope scope;
        (void)turns(x);
    }
    const std::vector<EntryInfo> entries = turns.entries();
    bool is_measured = false;
    for (const EntryInfo& entry : entries) {
        for (const KernelInfo& kernel : entry.kernels) {
            is_measured = is_measured || kernel.count == 1000;
            BOOST_TEST_MESSAGE(kernel.name << ": " << kernel.milliseconds << " ms, " << kernel.count << " times");
        }
    }
    BOOST_TEST(is_measured);
}

BOOST_AUTO_TEST_SUITE_END()
