// Turns taken several at a time, by blocks of rows on all threads: every row of every step must see what it would if turns were taken one by one.
#include "plan/turn_tiles.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

#include "base/thread_pool.h"

using namespace fastnp;
using namespace fastnp::plan;

namespace {

constexpr std::int64_t columns = 64;
constexpr std::int64_t row_bytes = columns * static_cast<std::int64_t>(sizeof(std::uint64_t));

// What a step does: mixes rows of its first two buffers into a row of its third.
struct Mix {
    std::int64_t rows, low, high;  // rows low ... high of the first, the own one of the second
    std::int64_t later = 0;        // the row at which the first one's pointer is
};

void mix(void* const* pointers, const std::int64_t*, std::int64_t begin, std::int64_t end, void*) {
    const auto* from = static_cast<const std::uint64_t*>(pointers[0]);
    const auto* other = static_cast<const std::uint64_t*>(pointers[1]);
    auto* to = static_cast<std::uint64_t*>(pointers[2]);
    const Mix& own = *static_cast<const Mix*>(pointers[3]);
    for (std::int64_t row = begin; row < end; ++row) {
        for (std::int64_t c = 0; c < columns; ++c) {
            std::uint64_t value = other[row * columns + c] + 1;
            for (std::int64_t r = std::max<std::int64_t>(row + own.low, 0); r <= std::min(row + own.high, own.rows - 1); ++r) {
                value = value * 6364136223846793005U + from[(r - own.later) * columns + c];
            }
            to[row * columns + c] = value;
        }
    }
}

nest::Access access(int buffer, std::int64_t rows_later) {
    return {buffer, rows_later * row_bytes, {row_bytes, static_cast<std::int64_t>(sizeof(std::uint64_t))}};
}

// The kernel of a step, as far as tiles look at it.
nest::Kernel kernel_of(const Mix& own) {
    nest::Kernel kernel;
    kernel.axes = {{own.rows, false, own.rows}, {columns, false, columns}};
    kernel.buffers = {{Dtype::uint64, false, true}, {Dtype::uint64, false, true}, {Dtype::uint64, true, false}};
    for (const nest::Access& each : {access(0, own.low - own.later), access(0, own.high - own.later), access(1, 0)}) {
        kernel.add({.kind = nest::Expr::Kind::load, .dtype = Dtype::uint64, .access = each});
    }
    kernel.outer_stores.push_back({access(2, 0), 0});
    return kernel;
}

nest::Schedule schedule_of(const Mix& own) {
    nest::Schedule schedule;
    schedule.lane = 1;
    schedule.lane_block = 256;
    schedule.parallel = own.rows;
    return schedule;
}

using Rows = std::vector<std::uint64_t>;

// A loop over one state: a first step into a temporary, a second one from it and the state to the next state.
class Program {
public:
    Program(const Mix& first, const Mix& second, std::int64_t cost, bool saves) : first_(first), second_(second), saves_(saves) {
        for (const Mix* own : {&first_, &second_}) {
            kernels_.push_back(kernel_of(*own));
            schedules_.push_back(schedule_of(*own));
            KernelStep step{};
            step.function = &mix;
            step.slots = {0, 0, 0, 0};
            step.offsets = {0, 0, 0, 0};
            step.parallel = own->rows;
            step.cost = cost;
            launched_.push_back(step);
        }
        const auto bytes = static_cast<std::size_t>(first.rows * row_bytes);
        if (saves) steps_.push_back({nullptr, nullptr, nullptr, {0, -1}, bytes});
        steps_.push_back({&launched_[0], &kernels_[0], &schedules_[0], {0, 0, 1, -1}, 0});
        steps_.push_back({&launched_[1], &kernels_[1], &schedules_[1], {1, 0, 0, -1}, 0});
    }

    struct Result {
        Rows state;
        std::vector<Rows> saved;
        std::int64_t depth = 0;
    };

    // With tiles as they are chosen where up to `most` turns may be taken together.
    Result run(Rows start, std::int64_t turns, std::int64_t most) {
        const TurnTiles tiles(steps_, {2, 1}, nullptr, most);
        Rows state = std::move(start), next(state.size()), temporary(state.size());
        std::vector<Rows> saved(saves_ ? static_cast<std::size_t>(turns) : 0, Rows(state.size()));
        void* now = state.data();
        void* then = next.data();
        for (std::int64_t turn = 0; turn < turns;) {
            const std::int64_t together = tiles.together(turns - turn);
            std::vector<void*> pointers;
            for (std::int64_t i = turn; i < turn + together; ++i) {
                if (saves_) pointers.insert(pointers.end(), {now, i % 3 == 0 ? saved[static_cast<std::size_t>(i)].data() : nullptr});
                pointers.insert(pointers.end(), {now, now, temporary.data(), &first_, temporary.data(), now, then, &second_});
                std::swap(now, then);
            }
            tiles.run(pointers, together);
            turn += together;
        }
        return {now == state.data() ? state : next, saved, tiles.together(1000)};
    }

private:
    Mix first_, second_;
    bool saves_;
    std::vector<nest::Kernel> kernels_;
    std::vector<nest::Schedule> schedules_;
    std::vector<KernelStep> launched_;
    std::vector<TurnStep> steps_;
};

Rows numbers(std::int64_t rows, unsigned seed) {
    std::mt19937_64 random(seed);
    Rows all(static_cast<std::size_t>(rows * columns));
    for (std::uint64_t& each : all) each = random();
    return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plan_turn_tiles)

BOOST_AUTO_TEST_CASE(rows_see_what_they_would_turn_by_turn) {
    std::mt19937 random(11);
    const auto below = [&](std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random); };
    int deep = 0;
    for (int i = 0; i < 150; ++i) {
        const std::int64_t rows = i % 10 == 0 ? 5000 + below(500) : 1 + below(700);
        const auto reach = [&] {
            const std::int64_t low = below(4) - 2;
            return Mix{rows, low, low + below(3)};
        };
        const bool saves = below(3) == 0;
        Program program(reach(), reach(), below(2) == 0 ? 16 : 100'000, saves);
        const std::int64_t turns = below(50);
        const Rows start = numbers(rows, static_cast<unsigned>(i));
        const Program::Result expected = program.run(start, turns, 1), found = program.run(start, turns, 1 + below(64));
        BOOST_TEST(expected.depth == 1);
        BOOST_TEST((found.state == expected.state));
        BOOST_TEST((found.saved == expected.saved));
        deep += found.depth > 1 ? 1 : 0;
    }
    BOOST_TEST(deep > 50);
}

BOOST_AUTO_TEST_CASE(rows_that_depend_on_no_others_go_through_many_turns) {
    Program program({4000, 0, 0}, {4000, 0, 0}, 100'000, true);
    const Rows start = numbers(4000, 1);
    const Program::Result expected = program.run(start, 70, 1), found = program.run(start, 70, 64);
    BOOST_TEST(found.depth == 64);
    BOOST_TEST((found.state == expected.state));
    BOOST_TEST((found.saved == expected.saved));
}

// One step from a state to the next one: strips of rows in memory of their own, on one thread and on all.
BOOST_AUTO_TEST_CASE(strips_see_what_they_would_turn_by_turn) {
    std::mt19937 random(12);
    const auto below = [&](std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random); };
    int in_strips = 0;
    for (int i = 0; i < 120; ++i) {
        const std::int64_t rows = 1 + below(i % 2 == 0 ? 700 : 6000), low = below(5) - 3;
        const Mix own{rows, low, low + below(4), below(3) - 1};
        const nest::Kernel kernel = kernel_of(own);
        const nest::Schedule schedule = schedule_of(own);
        KernelStep launched{};
        launched.function = &mix;
        launched.slots = {0, 0, 0, 0};
        launched.offsets = {own.later * row_bytes, 0, 0, 0};
        launched.parallel = rows;
        launched.cost = below(2) == 0 ? 1 : 100'000;
        const std::vector<TurnStep> steps{{&launched, &kernel, &schedule, {0, 0, 0, -1}, 0}};
        const std::int64_t turns = below(80);
        const auto run = [&](std::int64_t most) {
            const TurnTiles tiles(steps, {2}, nullptr, most);
            Rows state = numbers(rows, static_cast<unsigned>(i)), next(state.size());
            void* now = state.data();
            void* then = next.data();
            for (std::int64_t turn = 0; turn < turns;) {
                const std::int64_t together = tiles.together(turns - turn);
                if (together > 5) ++in_strips;
                std::vector<void*> pointers;
                for (std::int64_t t = 0; t < together; ++t) {
                    pointers.insert(pointers.end(), {static_cast<char*>(now) + own.later * row_bytes, now, then, const_cast<Mix*>(&own)});
                    std::swap(now, then);
                }
                tiles.run(pointers, together);
                turn += together;
            }
            return now == state.data() ? state : next;
        };
        BOOST_TEST((run(1) == run(2 + below(60))));
    }
    BOOST_TEST(in_strips > 60);
}

BOOST_AUTO_TEST_CASE(what_does_not_go_by_rows_is_taken_turn_by_turn) {
    const Mix own{500, -1, 1};
    KernelStep step{};
    step.function = &mix;
    step.slots = {0, 0, 0};
    step.offsets = {0, 0, 0};
    step.parallel = own.rows;
    step.cost = 16;
    const nest::Schedule schedule = schedule_of(own);
    std::vector<std::int64_t> row_of(1, 0);
    const auto rows = [&](const nest::Kernel& kernel) {
        row_of[0] = 0;
        return rows_of(kernel, schedule, step, std::vector<int>{0, -1, 0}, row_of, nullptr);
    };
    nest::Kernel kernel = kernel_of(own);
    BOOST_TEST(rows(kernel).has_value());
    BOOST_TEST(shift_of(std::vector<RowStep>{*rows(kernel)}) == 1);
    kernel.exprs[0].access.strides[0] = 0;  // the same row for all
    BOOST_TEST(!rows(kernel).has_value());
    kernel.exprs[0].access.strides[0] = -row_bytes;
    BOOST_TEST(!rows(kernel).has_value());
    kernel.exprs[0].access.strides[0] = 2 * row_bytes;
    BOOST_TEST(!rows(kernel).has_value());
    kernel = kernel_of(own);
    kernel.block = 64;
    BOOST_TEST(!rows(kernel).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
