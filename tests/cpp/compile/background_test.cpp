// Functions whose machine code is made in a thread of its own.
#include <boost/test/unit_test.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "base/background.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool near(const array& x, const array& y) { return fastnp::all(absolute(x - y) <= 1e-12).item<bool>(); }

const auto curve = [](const array& x) { return tanh(x) * cos(x) + sqrt(absolute(x)); };

}  // namespace

BOOST_AUTO_TEST_SUITE(in_background)

BOOST_AUTO_TEST_CASE(jobs_are_done_in_their_order) {
    std::vector<int> order;
    for (int i = 0; i < 100; ++i) base::in_background([&order, i] { order.push_back(i); });
    base::wait_for_background();
    BOOST_TEST(order.size() == 100u);
    BOOST_TEST(std::is_sorted(order.begin(), order.end()));
    BOOST_TEST(!base::is_at_work_in_background());
}

BOOST_AUTO_TEST_CASE(calls_run_as_written_until_the_code_is_there) {
    std::atomic<bool> may_go_on = false;
    base::in_background([&] { may_go_on.wait(false); });
    const auto compiled = compile(curve, {.background = true});
    const array x = linspace(-2, 2, 1000);
    for (int i = 0; i < 3; ++i) BOOST_TEST(near(compiled(x), curve(x)));
    BOOST_TEST(compiled.cache_info().compiles == 0u);
    BOOST_TEST(compiled.cache_info().uncompiled == 3u);
    may_go_on = true;
    may_go_on.notify_one();
    base::wait_for_background();
    BOOST_TEST(near(compiled(x), curve(x)));
    BOOST_TEST(near(compiled(x(range(0, 10))), curve(x(range(0, 10)))));
    base::wait_for_background();
    BOOST_TEST(near(compiled(x(range(0, 11))), curve(x(range(0, 11)))));
    BOOST_TEST(compiled.cache_info().compiles == 2u);
    BOOST_TEST(compiled.entries()[0].uncompiled == "");
}

BOOST_AUTO_TEST_CASE(what_was_cleared_meanwhile_is_dropped) {
    std::atomic<bool> may_go_on = false;
    base::in_background([&] { may_go_on.wait(false); });
    auto kept = std::make_unique<decltype(compile(curve))>(compile(curve, {.background = true}));
    const auto cleared = compile(curve, {.background = true});
    const array x = linspace(-2, 2, 10);
    BOOST_TEST(near((*kept)(x), curve(x)));
    BOOST_TEST(near(cleared(x), curve(x)));
    kept.reset();
    cleared.cache_clear();
    may_go_on = true;
    may_go_on.notify_one();
    base::wait_for_background();
    BOOST_TEST(cleared.cache_info().currsize == 0u);
}

BOOST_AUTO_TEST_CASE(children_have_a_thread_of_their_own) {
    std::atomic<bool> may_go_on = false;
    base::in_background([&] { may_go_on.wait(false); });
    const auto compiled = compile(curve, {.background = true});
    const array x = linspace(-2, 2, 10);
    BOOST_TEST(near(compiled(x), curve(x)));
    const pid_t child = fork();
    if (child == 0) {
        const bool is_right = near(compiled(x), curve(x));
        base::wait_for_background();
        _exit(is_right && near(compiled(x), curve(x)) && compiled.cache_info().compiles == 1 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    BOOST_TEST(status == 0);
    may_go_on = true;
    may_go_on.notify_one();
    base::wait_for_background();
    BOOST_TEST(near(compiled(x), curve(x)));
    BOOST_TEST(compiled.cache_info().compiles == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
