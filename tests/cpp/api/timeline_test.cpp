// Timelines: what is kept while one is on, how it lies in each other, and that nothing is while it is off; products that are the same with any threads.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <ctime>
#include <set>
#include <thread>

#include "fastnp/detail/configuration.h"
#include "fastnp/detail/deterministic.h"
#include "fastnp/detail/timeline.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

using Events = std::vector<detail::TimelineEvent>;

template <class Work>
Events events_of(const Work& work) {
    detail::start_timeline();
    work();
    const auto [events, lost] = detail::stop_timeline();
    BOOST_TEST(lost == 0U);
    return events;
}

std::set<std::string> kinds_of(const Events& events) {
    std::set<std::string> kinds;
    for (const detail::TimelineEvent& each : events) kinds.insert(each.kind);
    return kinds;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(timeline)

BOOST_AUTO_TEST_CASE(a_first_call_and_a_later_one) {
    const double shift = static_cast<double>(std::time(nullptr) % 1000);  // on disk for no earlier run
    const auto f = compile([shift](const array& x) { return cumsum(sin(x) * shift); }, {.name = "timed"});
    const array x = ones({100});
    const std::set<std::string> first = kinds_of(events_of([&] { f(x); }));
    for (const char* kind : {"record", "pass", "code", "kernel", "memory"}) BOOST_TEST(first.contains(kind), kind);
    const Events later = events_of([&] { f(x); });
    BOOST_TEST(kinds_of(later).contains("kernel"));
    BOOST_TEST(!kinds_of(later).contains("record"));
    BOOST_TEST(std::ranges::any_of(later, [](const detail::TimelineEvent& each) { return each.bytes == 800; }));
}

BOOST_AUTO_TEST_CASE(events_are_in_order_and_lie_in_each_other) {
    const auto f = compile([](const array& x) { return cumsum(cos(x) * 3); });
    const Events events = events_of([&] {
        f(ones({10}));
        f(ones({20}));
    });
    BOOST_TEST(!events.empty());
    for (std::size_t i = 0; i < events.size(); ++i) {
        BOOST_TEST(events[i].begin <= events[i].end);
        for (std::size_t j = i + 1; j < events.size(); ++j) {
            BOOST_TEST(events[i].begin <= events[j].begin);
            const bool is_after = events[j].begin >= events[i].end, is_within = events[j].end <= events[i].end;
            if (events[i].thread == events[j].thread) BOOST_TEST((is_after || is_within));
        }
    }
}

BOOST_AUTO_TEST_CASE(threads_are_told_apart_and_nothing_is_kept_when_it_is_off) {
    const auto f = compile([](const array& x) { return cumsum(x * 5); });
    const array x = ones({10});
    f(x);
    const Events events = events_of([&] {
        std::thread([&] { f(x); }).join();
        f(x);
    });
    std::set<unsigned> threads;
    for (const detail::TimelineEvent& each : events) threads.insert(each.thread);
    BOOST_TEST(threads.size() >= 2U);
    f(x);
    BOOST_TEST(!detail::is_timed());
    BOOST_TEST(detail::stop_timeline().first.empty());
}

BOOST_AUTO_TEST_CASE(names_are_made_where_they_are_wanted) {
    int made = 0;
    const auto name = [&] {
        ++made;
        return std::string("named");
    };
    {
        const detail::TimelineSpan span("pass", name);
    }
    BOOST_TEST(made == 0);
    const Events events = events_of([&] { const detail::TimelineSpan span("pass", name, 7); });
    BOOST_TEST(made == 1);
    BOOST_REQUIRE(events.size() == 1U);
    BOOST_TEST(events[0].name == "named");
    BOOST_TEST(events[0].bytes == 7);
}

BOOST_AUTO_TEST_CASE(deterministic_products_are_right) {
    const array a = reshape(arange(0.0, 90'000.0), {300, 300}) * 1e-3;
    const array usual = matmul(a, a);
    BOOST_TEST(!detail::set_deterministic(true));
    const array once = matmul(a, a), again = matmul(a, a);
    BOOST_TEST(detail::set_deterministic(false));
    BOOST_TEST(max(absolute(once - again)).item<double>() == 0);
    BOOST_TEST(max(absolute(once - usual)).item<double>() <= 1e-12 * max(absolute(usual)).item<double>());
}

BOOST_AUTO_TEST_CASE(the_configuration_names_what_was_found) {
    const auto known = detail::configuration();
    const auto value_of = [&](std::string_view name) {
        const auto found = std::ranges::find(known, name, [](const auto& each) { return std::string_view(each.first); });
        return found == known.end() ? std::string() : found->second;
    };
    BOOST_TEST(value_of("version") == version());
    BOOST_TEST(!value_of("llvm").empty());
    BOOST_TEST(std::stoi(value_of("threads")) >= 1);
}

BOOST_AUTO_TEST_SUITE_END()
