// Launches that are asked for together: many kernels that come again are one graph, in plans and in the turns of loops.
#include <boost/test/unit_test.hpp>
#include <thread>

#include "device/block.h"
#include "device/registry.h"
#include "fastnp/fastnp.h"
#include "plan/device_batch.h"
#include "simulated/backend.h"

using namespace fastnp;

namespace {

struct Graphs {
    const simulated::Backend::Graphs& all = dynamic_cast<simulated::Backend&>(device::cuda(0)).graphs();
    std::uint64_t made_before = all.made, set_before = all.set, launched_before = all.launched, library_set_before = all.library_set;
    std::uint64_t made() const { return all.made - made_before; }
    std::uint64_t set() const { return all.set - set_before; }
    std::uint64_t launched() const { return all.launched - launched_before; }
    std::uint64_t library_set() const { return all.library_set - library_set_before; }
};

array many_kernels(const array& x, const array& y) {
    array z = x;
    for (int i = 0; i < 12; ++i) z = tanh(z - sum(z, {.axis = i % 2, .keepdims = true}) * y);
    return z;
}

array matrix(int rows = 8) { return sin(arange(8.0 * rows)).reshape({rows, 8}); }

// Turns of a recurrence, with a product in each.
array recurrence(const array& x, const array& w, int turns) {
    array h = x;
    for (int i = 0; i < turns; ++i) h = tanh(matmul(h, w)) + 0.5 * x;
    return h;
}

void check_equal(const array& got, const array& want) {
    BOOST_REQUIRE((got.shape() == want.shape()));
    BOOST_TEST(all(absolute(got.to("cpu") - want) <= 1e-12 * (1 + absolute(want))).item<bool>());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(device_batches)

BOOST_AUTO_TEST_CASE(a_plan_of_many_kernels_becomes_a_graph) {
    const simulated::AtTheDoor here;
    const array x = matrix().to("cuda"), y = matrix().to("cuda"), want = many_kernels(matrix(), matrix());
    const auto compiled = compile(&many_kernels);
    const Graphs graphs;
    for (int call = 0; call < 2; ++call) check_equal(compiled(x, y), want);
    BOOST_TEST(graphs.made() == 0U);  // it may be the last time
    std::vector<array> kept;
    for (int call = 0; call < 4; ++call) kept.push_back(compiled(x, y));  // in other memory each time
    for (const array& each : kept) check_equal(each, want);
    BOOST_TEST(graphs.made() == 1U);
    BOOST_TEST(graphs.launched() == 4U);
    BOOST_TEST(graphs.set() > 0U);
    const std::uint64_t set = graphs.set();
    check_equal(compiled(y, x), want);
    BOOST_TEST(graphs.set() > set);
    const DeviceStatistics before = device_statistics("cuda");
    (void)compiled(x, y);
    BOOST_TEST(device_statistics("cuda").launches - before.launches >= 12U);
    BOOST_TEST(graphs.made() == 1U);
}

BOOST_AUTO_TEST_CASE(a_long_plan_becomes_several_graphs) {
    const simulated::AtTheDoor here;
    const auto program = [](const array& x) {
        array z = x;
        for (int i = 0; i < 200; ++i) z = tanh(z * 0.5 - sum(z, {.axis = i % 2, .keepdims = true}) * 0.01);
        return z;
    };
    const auto compiled = compile(program);
    const array x = matrix().to("cuda"), want = program(matrix());
    const Graphs graphs;
    for (int call = 0; call < 4; ++call) check_equal(compiled(x), want);
    const std::uint64_t made = graphs.made();
    BOOST_TEST(made >= 2U);
    const DeviceStatistics before = device_statistics("cuda");
    const std::uint64_t launched = graphs.launched();
    const array first = compiled(x), second = compiled(x);
    check_equal(first, want);
    check_equal(second, want);
    BOOST_TEST(device_statistics("cuda").launches - before.launches >= 400U);
    BOOST_TEST(graphs.made() == made);
    BOOST_TEST(graphs.launched() - launched == 2 * made);
}

BOOST_AUTO_TEST_CASE(measured_kernels_do_not) {
    const simulated::AtTheDoor here;
    const array x = matrix().to("cuda");
    const auto few = compile([](const array& a) { return a * 2 + sum(a); });
    const auto many = compile(&many_kernels);
    const Graphs graphs;
    const profile_scope scope;
    for (int call = 0; call < 5; ++call) (void)many(x, x);
    for (int call = 0; call < 5; ++call) (void)few(x);
    BOOST_TEST(graphs.made() == 0U);
}

// Each by itself, as long as it is given the same addresses.
BOOST_AUTO_TEST_CASE(few_kernels_do_at_the_same_addresses) {
    const simulated::AtTheDoor here;
    const auto few = compile([](const array& a) { return a * 2 + sum(a); });
    const array x = matrix().to("cuda"), y = matrix(4).to("cuda");
    const array want = matrix() * 2 + sum(matrix()), other = matrix(4) * 2 + sum(matrix(4));
    const Graphs graphs;
    for (int call = 0; call < 3; ++call) check_equal(few(x), want);
    BOOST_TEST(graphs.made() == 0U);  // it may be the last time
    for (int call = 0; call < 12; ++call) check_equal(few(x), want);
    const std::uint64_t made = graphs.made(), launched = graphs.launched();
    BOOST_TEST(made >= 1U);
    BOOST_TEST(launched >= 8U);
    std::vector<array> kept;
    for (int call = 0; call < 20; ++call) kept.push_back(few(x));  // in other memory each time
    for (int call = 0; call < 6; ++call) check_equal(few(y), other);  // of other sizes
    for (const array& each : kept) check_equal(each, want);
    const DeviceStatistics before = device_statistics("cuda");
    kept.clear();
    for (int call = 0; call < 10; ++call) check_equal(few(call % 2 == 0 ? x : y), call % 2 == 0 ? want : other);
    BOOST_TEST(device_statistics("cuda").launches - before.launches == 10U);
    BOOST_TEST(graphs.set() == 0U);
}

BOOST_AUTO_TEST_CASE(steps_between_kernels_keep_their_place) {
    const simulated::AtTheDoor here;
    const auto program = [](const array& x, const array& y) {
        const array first = many_kernels(x, y);
        const array middle = sort(first, 1);
        array z = x.copy();
        z(0) = middle(1);
        return many_kernels(matmul(middle, y), y) + z + (sum(first).item<double>() > 1e6 ? 1.0 : 2.0);
    };
    const auto compiled = compile(program);
    const array want = program(matrix(), matrix());
    const array x = matrix().to("cuda"), y = matrix().to("cuda");
    for (int call = 0; call < 6; ++call) check_equal(compiled(x, y), want);
}

BOOST_AUTO_TEST_CASE(sizes_that_vary_have_graphs_of_their_own) {
    const simulated::AtTheDoor here;
    const auto compiled = compile([](const array& x) { return many_kernels(x, x); });
    for (int call = 0; call < 6; ++call) {
        for (const int rows : {8, 300, 1}) check_equal(compiled(matrix(rows).to("cuda")), many_kernels(matrix(rows), matrix(rows)));
    }
}

BOOST_AUTO_TEST_CASE(turns_of_a_loop_are_a_graph) {
    const simulated::AtTheDoor here;
    const auto program = [](const array& x) {
        return loop(1000, [&](array s) { return 0.5 * s + cos(x) / (1 + sum(s, {.axis = 1, .keepdims = true})); }, x);
    };
    const auto compiled = compile(program);
    const array x = matrix().to("cuda"), want = compile(program)(matrix());
    const Graphs graphs;
    check_equal(compiled(x), want);
    BOOST_TEST(graphs.made() == 1U);
    BOOST_TEST(graphs.launched() >= 4U);
    for (int call = 0; call < 2; ++call) check_equal(compiled(x), want);
    BOOST_TEST(graphs.made() == 2U);  // the rest of the turns came for the third time
    const std::uint64_t set = graphs.set();
    check_equal(compiled(x), want);
    BOOST_TEST(graphs.set() - set < 300U);  // of 1000: states take turns at two places, which may be others than in the call before
    // Parts and numbers of turns move on.
    const auto scanned = compile([](const array& xs) {
        const auto [last, given] = scan(
            [](array s, array part) {
                const array next = tanh(s + part);
                return std::pair(next, next * 2);
            },
            zeros({8}), xs);
        return given + last;
    });
    const array rows = matrix(500);
    const Graphs of_scan;
    for (int call = 0; call < 3; ++call) {
        const array got = scanned(rows.to("cuda"));
        array s = zeros({8}), want_of = zeros({500, 8});
        for (int i = 0; i < 500; ++i) {
            s = tanh(s + rows(i));
            want_of(i) = s * 2;
        }
        check_equal(got, want_of + s);
    }
    BOOST_TEST(of_scan.made() >= 1U);
}

BOOST_AUTO_TEST_CASE(products_are_parts_of_graphs) {
    const simulated::AtTheDoor here;
    const auto program = [](const array& x, const array& w) { return recurrence(x, w, 20); };
    const auto compiled = compile(program);
    const array x = matrix().to("cuda"), w = (matrix() / 8).to("cuda"), want = program(matrix(), matrix() / 8);
    const Graphs graphs;
    for (int call = 0; call < 8; ++call) check_equal(compiled(x, w), want);
    BOOST_TEST(graphs.made() >= 1U);
    BOOST_TEST(graphs.made() <= 2U);  // all of the plan, whose results and temporaries may change places
    const std::uint64_t made = graphs.made(), launched = graphs.launched();
    const DeviceStatistics before = device_statistics("cuda");
    for (int call = 0; call < 5; ++call) check_equal(compiled(x, w), want);
    BOOST_TEST(device_statistics("cuda").products - before.products == 100U);
    BOOST_TEST(graphs.made() == made);
    BOOST_TEST(graphs.launched() - launched == 5U);
    BOOST_TEST(graphs.library_set() == 0U);  // it works in the memory of a call before
    // Results that are kept are in other memory each time, but no product makes them; arguments that change places, one or two products read.
    std::vector<array> kept;
    for (int call = 0; call < 6; ++call) kept.push_back(compiled(call % 2 == 0 ? x : x.copy(), w));
    for (const array& each : kept) check_equal(each, want);
    const array other = (matrix() / 9).to("cuda");
    for (int call = 0; call < 12; ++call) check_equal(compiled(x, call % 2 == 0 ? w : other), call % 2 == 0 ? want : program(matrix(), matrix() / 9));
    BOOST_TEST(graphs.library_set() <= 6U);  // of each of the two weights there is a graph
}

BOOST_AUTO_TEST_CASE(products_at_ever_other_places_are_asked_for_one_by_one) {
    const simulated::AtTheDoor here;
    const auto program = [](const array& x, const array& w) { return recurrence(x, w, 12); };
    const auto compiled = compile(program);
    const array x = matrix().to("cuda"), want = program(matrix(), matrix() / 8);
    std::vector<array> weights;  // in other memory each time
    for (int call = 0; call < 12; ++call) {
        weights.push_back((matrix() / 8).to("cuda"));
        check_equal(compiled(x, weights.back()), want);
    }
    const Graphs graphs;
    for (int call = 0; call < 5; ++call) {
        weights.push_back((matrix() / 8).to("cuda"));
        check_equal(compiled(x, weights.back()), want);
    }
    BOOST_TEST(graphs.library_set() == 0U);
}

BOOST_AUTO_TEST_CASE(turns_with_products_are_graphs) {
    const simulated::AtTheDoor here;
    const auto program = [](const array& x, const array& w) { return loop(300, [&](array h) { return tanh(matmul(h, w)) + 0.5 * x; }, x); };
    const auto compiled = compile(program);
    const array x = matrix().to("cuda"), w = (matrix() / 8).to("cuda"), want = compile(program)(matrix(), matrix() / 8);
    const Graphs graphs;
    check_equal(compiled(x, w), want);
    BOOST_TEST(graphs.made() == 1U);
    BOOST_TEST(graphs.launched() == 2U);
    const DeviceStatistics before = device_statistics("cuda");
    for (int call = 0; call < 3; ++call) check_equal(compiled(x, w), want);
    BOOST_TEST(device_statistics("cuda").products - before.products == 900U);
    // Parts that move on, read by a product, and what is collected; and the derivative, whose states are saved.
    const auto scanned = [](const array& xs, const array& weights) {
        const auto [last, given] = scan(
            [&](array h, array part) {
                const array next = tanh(matmul(h, weights) + matmul(part, weights));
                return std::pair(next, next * 2);
            },
            zeros({2, 8}), xs);
        return given + last;
    };
    const array xs = sin(arange(100.0 * 16)).reshape({100, 2, 8}), wanted = compile(scanned)(xs, matrix() / 8);
    const auto there = compile(scanned);
    for (int call = 0; call < 4; ++call) check_equal(there(xs.to("cuda"), w), wanted);
    // What products read and write of arrays of parts is copied to one place and from there; a part that becomes a state stays where it is.
    const auto network = [](const array& inputs, const array& weights) {
        using State = std::pair<array, array>;
        const auto [last, given] = scan(
            [&](const State& state, const array& part) {
                const array next = tanh(matmul(state.first, weights) + matmul(part, weights) + state.second);
                return std::pair(State(next, part), matmul(next, weights));
            },
            State(zeros({2, 8}), zeros({2, 8})), inputs);
        return given + last.first * last.second;
    };
    const array longer = sin(arange(400.0 * 16)).reshape({400, 2, 8}), wanted_of = compile(network)(longer, matrix() / 8);
    const auto scanning = compile(network);
    const Graphs of_network;
    for (int call = 0; call < 4; ++call) check_equal(scanning(longer.to("cuda"), w), wanted_of);
    BOOST_TEST(of_network.launched() >= 8U);
    BOOST_TEST(of_network.library_set() <= 40U);
    const auto loss = [&](const array& weights) { return sum(program(matrix(), weights)); };
    const auto gradient = compile([&](const array& weights) { return grad(loss)(weights); });
    const array want_of = gradient(matrix() / 8);
    const Graphs of_gradient;
    for (int call = 0; call < 4; ++call) check_equal(gradient(w), want_of);
    BOOST_TEST(of_gradient.launched() >= 8U);
    BOOST_TEST(of_gradient.library_set() <= 60U);
}

BOOST_AUTO_TEST_CASE(transforms_picks_and_sorts_are_parts_of_graphs) {
    const simulated::AtTheDoor here;
    const auto program = [](const array& x, const array& indices) {
        array z = x;
        for (int i = 0; i < 5; ++i) {
            z = real(fft::ifft(fft::fft(z) * 0.5)) + take(x, indices, 0);
            z = cumsum(z, {.axis = 1}) * 0.1 + sort(z, 1) - concatenate({z(from(4)), z(until(4))});
            const array filtered = fft::irfft(fft::rfft(z), {.n = 8});
            z = z + filtered.T() * 0.25;
        }
        return z;
    };
    const auto compiled = compile(program);
    const array indices = array({3, 1, 0, 2, 7, 6, 5, 4}), want = program(matrix(), indices);
    const array x = matrix().to("cuda"), there = indices.to("cuda");
    const Graphs graphs;
    for (int call = 0; call < 7; ++call) check_equal(compiled(x, there), want);
    BOOST_TEST(graphs.made() >= 1U);
    BOOST_TEST(graphs.launched() >= 4U);
    BOOST_CHECK_THROW((void)compiled(x, array({3, 1, 0, 2, 7, 6, 5, 8}).to("cuda")), IndexError);
    for (int call = 0; call < 2; ++call) check_equal(compiled(x, there), want);
}

BOOST_AUTO_TEST_CASE(what_is_held_back_does_not_fill_the_memory) {
    const simulated::AtTheDoor here;
    auto& device = dynamic_cast<simulated::Backend&>(device::cuda(0));
    // Each product copies an operand that no library walks; a copy is freed while work on it is held back.
    const auto program = [](const array& x, const array& w) { return loop(60, [&](array h) { return tanh(matmul(h(every(-1), every(-1)), w)) + x; }, x); };
    const auto big = [](double by) { return (sin(arange(400.0 * 400)).reshape({400, 400}) / by); };
    const array want = compile(program)(big(1), big(400));
    const auto compiled = compile(program);
    const array x = big(1).to("cuda"), w = big(400).to("cuda");
    check_equal(compiled(x, w), want);
    const std::size_t live = device.statistics().live_bytes;
    device.limit_memory(live + 12 * 1280000);
    check_equal(compiled(x, w), want);
    device.limit_memory(std::size_t{4} << 30);
    BOOST_TEST(device.statistics().live_bytes == live);
}

BOOST_AUTO_TEST_CASE(what_a_library_lacks_is_asked_for_once) {
    simulated::Backend backend;
    plan::DeviceBatch batch(backend, false);
    const device::Block memory(backend, 4096);
    const auto matrices = [&](int place) { return device::Matrices{memory.get() + place * 1024, 4, 1, 0}; };
    device::Contraction product{float16, 4, 4, 4, 1, matrices(0), matrices(1), matrices(2)};
    product.added = device::Contraction::Added::matrices;  // which would be rounded once
    product.c = matrices(3);
    for (const std::size_t held : {0, 1, 2}) {
        batch.clear(memory.get(), 4096);
        BOOST_TEST(!batch.contract(product));
        BOOST_TEST(batch.size() == held);
    }
    product.added = device::Contraction::Added::nothing;
    for (const std::size_t held : {0, 1, 2}) {
        BOOST_TEST(batch.contract(product));
        BOOST_TEST(batch.size() == held);
    }
}

BOOST_AUTO_TEST_CASE(threads_have_graphs_of_their_own) {
    const simulated::AtTheDoor here;
    const auto compiled = compile(&many_kernels);
    const array x = matrix().to("cuda"), want = many_kernels(matrix(), matrix());
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int call = 0; call < 8; ++call)
                right += all(absolute(compiled(x, x).to("cpu") - want) <= 1e-12 * (1 + absolute(want))).item<bool>() ? 1 : 0;
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(right == 32);
}

BOOST_AUTO_TEST_SUITE_END()
