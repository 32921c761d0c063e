// Calls like the last one of their function take a short way: they give what others give, whatever changes between them.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "api/body.h"
#include "device/buffer.h"
#include "fastnp/fastnp.h"
#include "selection.h"

using namespace fastnp;

namespace {

struct State {
    array position, speed;
    double step = 0;
};

class Draw {
public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}
    std::uint64_t below(std::uint64_t count) { return random_() % count; }
    double number() { return static_cast<double>(random_() % 2000) / 100 - 10; }
    // Arrays of four elements and of others, which lie in several ways.
    array values() {
        const array line = arange(8.0) + number();
        switch (below(10)) {
            case 0: return line(every(2));
            case 1: return line(until(4)).astype(float32);
            case 2: return line(until(4)).astype(int64);
            case 3: return line(until(1));
            case 4: return array(number());
            case 5: return transpose(reshape(line, {2, 4}))(0);
            case 6: return reshape(line, {2, 4})(every(1), 1);
            default: return line(until(4)).copy();
        }
    }

private:
    std::mt19937_64 random_;
};

bool same(const array& a, const array& b) {
    return a.dtype() == b.dtype() && a.shape() == b.shape() && a.strides() == b.strides() &&
           fastnp::all(absolute(a - b) <= 1e-12 + 1e-6 * absolute(b)).item<bool>();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(direct_calls)

BOOST_AUTO_TEST_CASE(calls_in_any_order_give_what_eager_ones_give) {
    const std::uint64_t seed = test_seed();
    Draw draw(seed);
    const auto plain = [](const array& x, double t) { return x * t + 1.0; };
    const auto tuple = [](const array& x, double t) { return std::tuple(x + t, sum(x), transpose(reshape(x, {x.size(), 1})) * 2.0); };
    const auto state = [](const State& s) { return State{s.position + s.step * s.speed, s.speed * 0.9, s.step}; };
    const auto a = compile(plain);
    const auto b = compile(tuple);
    const auto c = compile(state);
    array x = draw.values();
    double t = draw.number();
    for (int number = 0; number < 2000; ++number) {
        if (draw.below(6) == 0) x = draw.values();
        if (draw.below(6) == 0) t = draw.number();
        if (draw.below(200) == 0) a.cache_clear(), b.cache_clear(), c.cache_clear();
        BOOST_TEST_CONTEXT("call " << number << ", seed " << seed) {
            BOOST_TEST(same(a(x, t), plain(x, t)));
            const auto [u, v, w] = b(x, t);
            const auto [want_u, want_v, want_w] = tuple(x, t);
            BOOST_TEST((same(u, want_u) && same(v, want_v) && same(w, want_w)));
            const State s{x, x, t};
            const State now = c(s), want = state(s);
            BOOST_TEST((same(now.position, want.position) && same(now.speed, want.speed) && now.step == want.step));
        }
    }
    BOOST_TEST(a.cache_info().hits > 0U);
}

BOOST_AUTO_TEST_CASE(what_a_function_holds_is_seen) {
    const array weights = arange(4.0);
    const auto held = [weights, count = 0](const array& x) mutable { return x * weights + double(++count); };
    auto written = held;
    const auto f = compile(held);
    for (int call = 0; call < 20; ++call) {
        weights[std::int64_t{1}] = double(call);
        BOOST_TEST(same(f(ones({4})), written(ones({4}))));
    }
    double rate = 1;
    const auto g = compile([r = ref(rate)](const array& x) { return x * r; });
    for (int call = 0; call < 20; ++call) {
        rate = call / 4;
        BOOST_TEST(same(g(ones({3})), full({3}, Scalar(rate))));
    }
}

BOOST_AUTO_TEST_CASE(functions_take_turns) {
    std::vector<Compiled<std::function<array(const array&)>>> functions;
    for (int number = 0; number < 40; ++number)
        functions.push_back(compile(std::function<array(const array&)>([=](const array& x) { return x + double(number); })));
    const array x = arange(5.0);
    for (int turn = 0; turn < 30; ++turn) {
        for (int number = 0; number < 40; ++number) BOOST_TEST(same(functions[static_cast<std::size_t>(number)](x), x + double(number)));
    }
    for (const auto& each : functions) BOOST_TEST(each.cache_info().hits == 29U);
}

BOOST_AUTO_TEST_CASE(results_are_memory_of_their_own_and_functions_go) {
    const array x = arange(6.0);
    const auto before = device::pool_statistics().live_bytes;
    {
        const auto f = compile([](const array& y) { return y * 2.0; });
        std::vector<array> kept;
        for (int call = 0; call < 50; ++call) kept.push_back(f(x));
        for (int call = 0; call < 50; ++call) kept[static_cast<std::size_t>(call)][std::int64_t{0}] = double(call);
        for (int call = 0; call < 50; ++call) BOOST_TEST(kept[static_cast<std::size_t>(call)][std::int64_t{0}].item<double>() == call);
    }
    BOOST_TEST(device::pool_statistics().live_bytes == before);
}

BOOST_AUTO_TEST_CASE(temporaries_may_have_no_elements) {
    const auto written = [](const array& x) { return sum(sum(x, {.axis = 0}) * x, {.axis = 1}); };
    const auto f = compile(written);
    for (int call = 0; call < 8; ++call) {
        for (const Shape& shape : {Shape{3, 0}, Shape{2, 4}, Shape{1, 0}}) {
            const array x = full(shape, 0.5);
            for (int again = 0; again < 3; ++again) BOOST_TEST(same(f(x), written(x)));
        }
    }
}

// Kernels write to the whole of what such a result is a part of.
BOOST_AUTO_TEST_CASE(parts_of_results_lie_in_all_of_their_memory) {
    const std::vector<std::function<array(const array&)>> functions{
        [](const array& x) { return exp(x)(until(3)); },
        [](const array& x) { return sum(exp(x), {.axis = 1})(until(3)); },
        [](const array& x) { return exp(x)(until(0)); },
        [](const array& x) {
            array y = exp(x);
            y(until(2), 1) = sum(x);
            return y(until(3));
        },
        [](const array& x) { return x.copy()[std::int64_t{0}]; },
        [](const array& x) { return exp(x); },
    };
    const array x = reshape(arange(64.0), {8, 8}) / 64.0;
    for (const auto& function : functions) {
        const auto f = compile(function);
        const array first = f(x);
        for (int call = 0; call < 12; ++call) {
            const array again = f(x);
            BOOST_TEST(again.body()->memory.buffer->bytes() == first.body()->memory.buffer->bytes());
            BOOST_TEST(same(again, function(x)));
        }
    }
}

BOOST_AUTO_TEST_CASE(each_thread_has_its_own) {
    const auto f = compile([](const array& x, double t) { return x * t + 1.0; });
    std::atomic<int> wrong{0};
    std::vector<std::thread> team;
    for (int thread = 0; thread < 6; ++thread) {
        team.emplace_back([&, thread] {
            const array x = arange(double(3 + thread % 3));
            for (int call = 0; call < 300; ++call) {
                if (thread == 0 && call % 50 == 0) f.cache_clear();
                if (!same(f(x, double(call % 2)), x * double(call % 2) + 1.0)) ++wrong;
            }
        });
    }
    for (std::thread& each : team) each.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
