// Launches that are asked for together: many kernels that come again are one graph, in plans and in the turns of loops.
#include <boost/test/unit_test.hpp>
#include <thread>

#include "device/registry.h"
#include "fastnp/fastnp.h"
#include "simulated/backend.h"

using namespace fastnp;

namespace {

struct Graphs {
    const simulated::Backend::Graphs& all = dynamic_cast<simulated::Backend&>(device::cuda(0)).graphs();
    std::uint64_t made_before = all.made, set_before = all.set, launched_before = all.launched;
    std::uint64_t made() const { return all.made - made_before; }
    std::uint64_t set() const { return all.set - set_before; }
    std::uint64_t launched() const { return all.launched - launched_before; }
};

array many_kernels(const array& x, const array& y) {
    array z = x;
    for (int i = 0; i < 12; ++i) z = tanh(z - sum(z, {.axis = i % 2, .keepdims = true}) * y);
    return z;
}

array matrix(int rows = 8) { return sin(arange(8.0 * rows)).reshape({rows, 8}); }

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

BOOST_AUTO_TEST_CASE(few_kernels_and_measured_ones_do_not) {
    const simulated::AtTheDoor here;
    const array x = matrix().to("cuda");
    const auto few = compile([](const array& a) { return a * 2 + sum(a); });
    const auto many = compile(&many_kernels);
    const Graphs graphs;
    for (int call = 0; call < 5; ++call) (void)few(x);
    const profile_scope scope;
    for (int call = 0; call < 5; ++call) (void)many(x, x);
    BOOST_TEST(graphs.made() == 0U);
}

BOOST_AUTO_TEST_CASE(steps_between_kernels_keep_their_place) {
    const simulated::AtTheDoor here;
    const auto program = [](const array& x, const array& y) {
        const array first = many_kernels(x, y);
        const array middle = sort(first, 1);  // by the host
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
