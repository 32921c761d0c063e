// Programs over numbers and elements: loops, branches and exits as native code.
#include <boost/test/unit_test.hpp>

#include <bit>
#include <cmath>
#include <vector>

#include "fastnp/detail/program.h"
#include "fastnp/error.h"

using namespace fastnp;
using detail::NativeProgram;
using detail::ProgramText;

namespace {

// Writes a program's steps; each gives its own number.
struct Steps {
    ProgramText text;

    std::int32_t add(detail::ProgramStep step) {
        text.steps.push_back(std::move(step));
        return static_cast<std::int32_t>(text.steps.size()) - 1;
    }
    std::int32_t whole(std::int64_t value) { return add({.kind = "constant", .dtype = Dtype::int64, .bits = static_cast<std::uint64_t>(value)}); }
    std::int32_t real(double value) { return add({.kind = "constant", .dtype = Dtype::float64, .bits = std::bit_cast<std::uint64_t>(value)}); }
    std::int32_t variable(Dtype dtype) {
        text.variables.push_back(dtype);
        return static_cast<std::int32_t>(text.variables.size()) - 1;
    }
    std::int32_t get(std::int32_t variable) { return add({.kind = "get", .dtype = text.variables[static_cast<std::size_t>(variable)], .a = variable}); }
    void set(std::int32_t variable, std::int32_t value) { add({.kind = "set", .a = variable, .b = value}); }
    std::int32_t map(const char* op, Dtype compute, Dtype result, std::int32_t a, std::int32_t b = -1) {
        return add({.kind = "map", .op = op, .dtype = result, .compute = compute, .a = a, .b = b});
    }
    void mark(const char* kind, std::int32_t a = -1, std::int32_t b = -1) { add({.kind = kind, .a = a, .b = b}); }
};

// for i in range(n): if x[i] < 0: leave by exit 1; s += sqrt(x[i]); x[i] = s. Then exit 0, which hands out i and s.
Steps running_roots() {
    Steps steps;
    steps.text.arrays = 1;
    steps.text.inputs = 1;
    const auto i = steps.variable(Dtype::int64), s = steps.variable(Dtype::float64);
    steps.text.exits = {{i, s}, {i, s}};
    const auto n = steps.add({.kind = "input", .dtype = Dtype::int64, .a = 0});
    const auto eight = steps.whole(8), one = steps.whole(1);
    const auto zero = steps.real(0);
    steps.mark("loop");
    steps.mark("if", steps.map("less", Dtype::int64, Dtype::bool_, steps.get(i), n));
    steps.mark("else");
    steps.mark("exit", -1, 0);
    steps.mark("end");
    const auto place = steps.add({.kind = "times", .dtype = Dtype::int64, .a = steps.get(i), .b = eight});
    const auto x = steps.add({.kind = "load", .dtype = Dtype::float64, .a = 0, .b = place});
    steps.mark("require", steps.map("greater_equal", Dtype::float64, Dtype::bool_, x, zero), 1);
    steps.set(s, steps.map("add", Dtype::float64, Dtype::float64, steps.get(s), steps.map("sqrt", Dtype::float64, Dtype::float64, x)));
    steps.add({.kind = "store", .dtype = Dtype::float64, .a = 0, .b = place, .c = steps.get(s)});
    steps.mark("next");
    steps.set(i, steps.add({.kind = "plus", .dtype = Dtype::int64, .a = steps.get(i), .b = one}));
    steps.mark("end");
    return steps;
}

// for i in range(n), by any threads: x[i] = sqrt(sqrt(x[i])), unless it is below 0: then exit 1, which hands out i. At the end exit 0.
Steps shared_roots(bool tells_parts = true) {
    Steps steps;
    steps.text.arrays = 1;
    steps.text.inputs = 1;
    const auto i = steps.variable(Dtype::int64), end = steps.variable(Dtype::int64), root = steps.variable(Dtype::float64);
    steps.text.exits = {{i}, {i}};
    const auto n = steps.add({.kind = "input", .dtype = Dtype::int64, .a = 0});
    const auto eight = steps.whole(8), one = steps.whole(1), zero = steps.whole(0);
    steps.set(i, zero);
    steps.set(end, n);
    if (tells_parts) {
        steps.add({.kind = "part", .dtype = Dtype::float64, .a = 0, .b = zero});
        steps.add({.kind = "extent", .b = n, .c = eight});
    }
    steps.add({.kind = "share", .a = i, .b = end, .bits = 16});
    const auto place = steps.add({.kind = "times", .dtype = Dtype::int64, .a = steps.get(i), .b = eight});
    const auto x = steps.add({.kind = "load", .dtype = Dtype::float64, .a = 0, .b = place});
    steps.mark("require", steps.map("greater_equal", Dtype::float64, Dtype::bool_, x, steps.real(0)), 1);
    steps.set(root, steps.map("sqrt", Dtype::float64, Dtype::float64, x));
    const auto twice = steps.map("sqrt", Dtype::float64, Dtype::float64, steps.get(root));
    steps.add({.kind = "store", .dtype = Dtype::float64, .a = 0, .b = place, .c = twice});
    steps.mark("next");
    steps.set(i, steps.add({.kind = "plus", .dtype = Dtype::int64, .a = steps.get(i), .b = one}));
    steps.mark("end");
    steps.mark("exit", -1, 0);
    return steps;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(native_program)

BOOST_AUTO_TEST_CASE(loops_that_threads_share) {
    for (const bool tells_parts : {true, false}) {
        const NativeProgram program(shared_roots(tells_parts).text);
        for (const std::int64_t n : {0, 1, 2, 7, 100'000}) {
            for (const std::int64_t bad : {n, n / 2, n - 1}) {
                std::vector<double> x(static_cast<std::size_t>(n));
                for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k);
                if (bad >= 0 && bad < n) x[static_cast<std::size_t>(bad)] = -1;
                const std::vector<double> before = x;
                void* arrays[] = {x.data()};
                std::vector<std::int64_t> words(program.words());
                program.run(arrays, &n, words.data());
                const bool is_left = bad >= 0 && bad < n;
                BOOST_TEST(words[0] == (is_left ? 1 : 0));
                const std::int64_t done = is_left ? bad : n;
                BOOST_TEST(words[NativeProgram::word_of(0)] == done);
                bool is_right = true;
                for (std::size_t k = 0; k < x.size(); ++k) {
                    is_right = is_right && x[k] == (static_cast<std::int64_t>(k) < done ? std::sqrt(std::sqrt(before[k])) : before[k]);
                }
                BOOST_TEST(is_right);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(loops_and_exits) {
    const NativeProgram program(running_roots().text);
    std::vector<double> x{1, 4, 9, 16};
    void* arrays[] = {x.data()};
    const std::int64_t n = 4;
    std::vector<std::int64_t> words(program.words());
    program.run(arrays, &n, words.data());
    BOOST_TEST(words[0] == 0);
    BOOST_TEST(words[NativeProgram::word_of(0)] == 4);
    BOOST_TEST(std::bit_cast<double>(words[NativeProgram::word_of(1)]) == 10.0);
    BOOST_TEST(x == (std::vector<double>{1, 3, 6, 10}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_exit_leaves_what_was_done) {
    const NativeProgram program(running_roots().text);
    std::vector<double> x{1, 4, -9, 16};
    void* arrays[] = {x.data()};
    const std::int64_t n = 4;
    std::vector<std::int64_t> words(program.words());
    program.run(arrays, &n, words.data());
    BOOST_TEST(words[0] == 1);
    BOOST_TEST(words[NativeProgram::word_of(0)] == 2);
    BOOST_TEST(x == (std::vector<double>{1, 3, -9, 16}), boost::test_tools::per_element());
}

// Python's quotient and remainder of whole numbers, of all signs.
BOOST_AUTO_TEST_CASE(floored_division) {
    Steps steps;
    steps.text.inputs = 2;
    const auto quotient = steps.variable(Dtype::int64), rest = steps.variable(Dtype::int64);
    steps.text.exits = {{quotient, rest}};
    const auto x = steps.add({.kind = "input", .dtype = Dtype::int64, .a = 0}), y = steps.add({.kind = "input", .dtype = Dtype::int64, .a = 1});
    steps.set(quotient, steps.add({.kind = "floored", .op = "floor_divide", .dtype = Dtype::int64, .compute = Dtype::int64, .a = x, .b = y}));
    steps.set(rest, steps.add({.kind = "floored", .op = "remainder", .dtype = Dtype::int64, .compute = Dtype::int64, .a = x, .b = y}));
    steps.mark("exit", -1, 0);
    const NativeProgram program(steps.text);
    std::vector<std::int64_t> words(program.words());
    for (std::int64_t a = -7; a <= 7; ++a) {
        for (std::int64_t b = -3; b <= 3; ++b) {
            if (b == 0) continue;
            const std::int64_t inputs[] = {a, b};
            program.run(nullptr, inputs, words.data());
            const auto want = static_cast<std::int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
            BOOST_TEST(words[NativeProgram::word_of(quotient)] == want);
            BOOST_TEST(words[NativeProgram::word_of(rest)] == a - want * b);
        }
    }
}

// for i in range(n): new memory of 64 bytes, its first word is i; s += the word of the iteration before, which a second array has kept.
BOOST_AUTO_TEST_CASE(arrays_that_are_made) {
    Steps steps;
    steps.text.made_arrays = 2;
    steps.text.inputs = 1;
    const auto i = steps.variable(Dtype::int64), s = steps.variable(Dtype::int64), at = steps.variable(Dtype::int64);
    steps.text.exits = {{i, s, at}, {}};
    const auto n = steps.add({.kind = "input", .dtype = Dtype::int64, .a = 0});
    const auto zero = steps.whole(0), one = steps.whole(1), bytes = steps.whole(64);
    const auto allocate = [&](std::int32_t array) {
        steps.mark("require", steps.add({.kind = "allocate", .dtype = Dtype::bool_, .a = array, .b = bytes}), 1);
    };
    allocate(1);
    steps.add({.kind = "store", .dtype = Dtype::int64, .a = 1, .b = zero, .c = zero});
    steps.mark("loop");
    steps.mark("if", steps.map("less", Dtype::int64, Dtype::bool_, steps.get(i), n));
    steps.mark("else");
    steps.mark("exit", -1, 0);
    steps.mark("end");
    allocate(0);
    steps.add({.kind = "store", .dtype = Dtype::int64, .a = 0, .b = zero, .c = steps.get(i)});
    const auto before = steps.add({.kind = "load", .dtype = Dtype::int64, .a = 1, .b = zero});
    steps.set(s, steps.add({.kind = "plus", .dtype = Dtype::int64, .a = steps.get(s), .b = before}));
    steps.mark("point", 1, 0);
    steps.set(at, steps.add({.kind = "address", .dtype = Dtype::int64, .a = 1}));
    steps.mark("collect");
    steps.mark("next");
    steps.set(i, steps.add({.kind = "plus", .dtype = Dtype::int64, .a = steps.get(i), .b = one}));
    steps.mark("end");

    const NativeProgram program(steps.text);
    std::vector<std::int64_t> words(program.words());
    detail::Blocks blocks;
    const std::int64_t turns = 1000;
    program.run(nullptr, &turns, words.data(), &blocks);
    BOOST_TEST(words[0] == 0);
    BOOST_TEST(words[NativeProgram::word_of(s)] == 998 * 999 / 2);
    const auto* last = reinterpret_cast<const std::int64_t*>(words[NativeProgram::word_of(at)]);
    BOOST_TEST(*last == 999);
    BOOST_TEST(blocks.owner_of(last) != nullptr);
}

// A generator whose words count up.
struct Counting {
    static std::uint64_t next(void* state) { return ++*static_cast<std::uint64_t*>(state); }
    static std::uint32_t next_half(void* state) { return static_cast<std::uint32_t>(next(state) << 28U); }
    static double next_unit(void* state) { return static_cast<double>(next(state)) / 64; }

    std::uint64_t state = 0;
    // As NumPy's `bitgen_t`.
    struct {
        void* state;
        std::uint64_t (*next_uint64)(void*);
        std::uint32_t (*next_uint32)(void*);
        double (*next_double)(void*);
        std::uint64_t (*next_raw)(void*);
    } lent{&state, &next, &next_half, &next_unit, &next};
};

BOOST_AUTO_TEST_CASE(random_numbers) {
    Steps steps;
    steps.text.inputs = 1;
    const auto real = steps.variable(Dtype::float64), whole = steps.variable(Dtype::int64);
    steps.text.exits = {{real, whole}};
    const auto stream = steps.add({.kind = "input", .dtype = Dtype::int64, .a = 0});
    steps.set(real, steps.add({.kind = "draw", .dtype = Dtype::float64, .a = stream, .bits = 0}));
    steps.set(whole, steps.add({.kind = "draw", .dtype = Dtype::int64, .a = stream, .b = steps.whole(15)}));
    steps.mark("exit", -1, 0);
    const NativeProgram program(steps.text);
    std::vector<std::int64_t> words(program.words());
    Counting counting;
    const auto address = reinterpret_cast<std::int64_t>(&counting.lent);
    program.run(nullptr, &address, words.data());
    BOOST_TEST(std::bit_cast<double>(words[NativeProgram::word_of(real)]) == 1.0 / 64);
    BOOST_TEST(words[NativeProgram::word_of(whole)] == 2);
    BOOST_TEST(counting.state == 2U);
}

BOOST_AUTO_TEST_CASE(malformed_programs_are_errors) {
    const auto is_refused = [](auto change) {
        Steps steps = running_roots();
        change(steps.text);
        BOOST_CHECK_THROW(NativeProgram{steps.text}, InternalError);
    };
    is_refused([](ProgramText& text) { text.steps.pop_back(); });                        // a loop that is not closed
    is_refused([](ProgramText& text) { text.exits.pop_back(); });                        // an exit that is not there
    is_refused([](ProgramText& text) { text.variables[1] = Dtype::int64; });             // another dtype
    is_refused([](ProgramText& text) { text.arrays = 0; });
    is_refused([](ProgramText& text) { text.steps[0].kind = "unknown"; });
    is_refused([](ProgramText& text) { text.steps.back() = {.kind = "point", .a = 0, .b = 0}; });  // an array that is handed in
    is_refused([](ProgramText& text) { text.steps.back() = {.kind = "draw", .dtype = Dtype::int64, .a = 1}; });
    is_refused([](ProgramText& text) { text.steps.back() = {.kind = "share", .a = 1, .b = 0}; });  // a counter that is no integer
    is_refused([](ProgramText& text) { text.steps.back() = {.kind = "set", .a = 0, .b = 14}; });  // a value of a block that is closed
}

BOOST_AUTO_TEST_CASE(text_and_code) {
    const ProgramText text = running_roots().text;
    BOOST_TEST(detail::program_text(text).find("loop\n  %") != std::string::npos);
    BOOST_TEST(detail::program_llvm(text).find("define") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(loops_of_numbers) {
    const detail::NumberKind weak{std::nullopt, WeakKind::integer}, small{Dtype::int8, {}};
    const auto found = detail::loop_of("add", std::vector{small, weak});
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST((found->result == Dtype::int8));
    BOOST_TEST(!detail::loop_of("matmul", std::vector{small, small}).has_value());
    const detail::NumberKind truth{Dtype::bool_, {}};
    BOOST_CHECK_THROW(detail::loop_of("subtract", std::vector{truth, truth}), TypeError);
}

BOOST_AUTO_TEST_SUITE_END()
