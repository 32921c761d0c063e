// Loops that threads share: what a run leaves behind is what the loop leaves in its order.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "base/shared_loop.h"
#include "base/thread_pool.h"
#include "fastnp/detail/float_flags.h"

using namespace fastnp;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t done = 2, left = 1;  // exits

// What generated code would do: x[i] += i, and the last number's square goes from iteration to iteration in a variable that nobody reads. It is left
// at the number inputs[1], and notes at inputs[2] that a number wrapped around.
void work(void* const* arrays, const std::int64_t* inputs, std::int64_t /*blocks*/, std::int64_t /*interruption*/, void* out) {
    auto* const x = static_cast<double*>(arrays[0]);
    auto* const words = static_cast<std::int64_t*>(out);
    volatile double pause = 0;
    words[3] = 0;
    words[1] = inputs[0];
    for (std::int64_t i = inputs[3]; i < inputs[4]; ++i) {
        words[2] = i;
        if (i == inputs[1]) {
            words[0] = left;
            return;
        }
        if (i == inputs[2]) words[3] = -1;
        for (int k = 0; k < 300; ++k) pause = pause + 1e-3;
        x[i] += static_cast<double>(i);
        words[1] = i * i;
    }
    words[0] = done;
    words[2] = inputs[4];
}

struct Loop {
    std::vector<double> x;
    std::vector<std::int64_t> words = std::vector<std::int64_t>(4);
    bool is_done = false;

    Loop(std::int64_t count, std::int64_t first, std::int64_t leaves_at, std::int64_t wraps_at, std::int64_t stride = 8)
        : x(static_cast<std::size_t>(count)) {
        std::iota(x.begin(), x.end(), 1.0);
        void* arrays[] = {x.data()};
        std::int64_t inputs[] = {-7, leaves_at, wraps_at, 0, 0};
        const std::int64_t layout[] = {5, 4, 3, done, 1, 1, 2, 1, 0, 1};
        const std::int64_t parts[] = {reinterpret_cast<std::int64_t>(x.data()), 8, 1, 1, count, stride};
        const base::SharedLoopCall call{&work, arrays, inputs, layout, parts, 0, words.data()};
        is_done = base::run_shared_loop(&call, first, count) != 0;
    }
    bool is_right_up_to(std::int64_t end, std::int64_t first = 0) const {
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.size()); ++i) {
            const double before = static_cast<double>(i) + 1;
            if (x[static_cast<std::size_t>(i)] != (i >= first && i < end ? before + static_cast<double>(i) : before)) return false;
        }
        return true;
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(shared_loop)

BOOST_AUTO_TEST_CASE(all_iterations_are_done_once) {
    const std::uint64_t before = base::shared_rounds();
    for (const std::int64_t count : {1, 2, 3, 17, 1000, 20'000}) {
        const Loop loop(count, 0, -1, -1);
        BOOST_TEST(loop.is_done);
        BOOST_TEST(loop.is_right_up_to(count));
        BOOST_TEST(loop.words[1] == (count - 1) * (count - 1));  // the last one's
        BOOST_TEST(loop.words[2] == count);
        BOOST_TEST(loop.words[3] == 0);
    }
    BOOST_TEST((base::thread_count() == 1 || base::shared_rounds() > before));
}

BOOST_AUTO_TEST_CASE(what_comes_after_an_exit_is_put_back) {
    constexpr std::int64_t count = 20'000;
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, std::int64_t{900}, count / 2, count - 1}) {
        const Loop loop(count, 0, at, -1);
        BOOST_TEST(!loop.is_done);
        BOOST_TEST(loop.words[0] == left);
        BOOST_TEST(loop.words[2] == at);
        BOOST_TEST(loop.words[1] == (at == 0 ? -7 : (at - 1) * (at - 1)));  // the one before it has set it
        BOOST_TEST(loop.is_right_up_to(at));
    }
}

BOOST_AUTO_TEST_CASE(notes_of_all_threads_are_kept) {
    for (const std::int64_t at : {0, 10, 15'000, 19'999}) BOOST_TEST(Loop(20'000, 0, -1, at).words[3] < 0);
    BOOST_TEST(Loop(20'000, 0, 12'000, 100).words[3] < 0);
    BOOST_TEST(Loop(20'000, 0, 12'000, 13'000).words[3] == 0);  // that iteration was never
}

BOOST_AUTO_TEST_CASE(elements_over_each_other_are_done_in_order) {
    const std::uint64_t before = base::shared_rounds();
    BOOST_TEST(Loop(20'000, 0, -1, -1, 0).is_done);  // for all that is known
    BOOST_TEST(Loop(20'000, 0, -1, -1, 4).is_done);
    BOOST_TEST(base::shared_rounds() == before);
}

BOOST_AUTO_TEST_CASE(threads_run_loops_side_by_side) {
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int k = 0; k < 20; ++k) {
                const Loop whole(5000, 0, -1, -1), part(5000, 0, 3000, -1);
                if (!whole.is_done || !whole.is_right_up_to(5000) || part.is_done || !part.is_right_up_to(3000)) ++wrong;
            }
        });
    }
    for (std::thread& each : threads) each.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
