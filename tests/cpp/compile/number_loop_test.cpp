// Loops over numbers and elements of arrays, which become programs.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <tuple>

#include "api/expect.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool same(const array& x, const array& y) {
    if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
    const array equal = x == y;
    return fastnp::all(is_inexact(x.dtype()) ? equal | (isnan(x) & isnan(y)) : equal).item<bool>();
}

using Function = std::function<array(array)>;

// A device has no loops over numbers.
bool is_on_device() { return std::getenv("FASTNP_TEST_DEVICE") != nullptr; }  // NOLINT: before any thread

// Whether what was compiled has loops over numbers, and no others.
bool is_program(const auto& compiled) {
    if (is_on_device()) return true;
    for (const EntryInfo& entry : compiled.entries()) {
        if (entry.uncompiled != "") return false;
        std::istringstream lines(entry.loops);
        int loops = 0;
        for (std::string line; std::getline(lines, line);) {
            const bool is_over_numbers = line.starts_with("loop over numbers");
            if (line.starts_with("loop ") && !is_over_numbers) return false;
            loops += is_over_numbers;
        }
        if (loops == 0) return false;
    }
    return true;
}

void check(const Function& f, const array& x) {
    const auto compiled = compile(f);
    BOOST_TEST(same(compiled(x), f(x)));
    BOOST_TEST(is_program(compiled));
}

array recurrence(const array& x) {
    return scan(
               [](array s, array part) {
                   const array next = s * 0.9 + part;
                   return std::pair(next, next * next);
               },
               array(0.0), x)
        .second;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(number_loops)

BOOST_AUTO_TEST_CASE(scans_over_numbers) {
    for (const std::int64_t n : {0, 1, 2, 7, 1000}) check(recurrence, sin(arange(static_cast<double>(n))));
    check([](array x) { return scan([](array s, array part) { return std::pair(maximum(s, part), s); }, array(-1), x, {.backward = true}).second; },
          array({3, -4, 9, 2, 9}));
}

BOOST_AUTO_TEST_CASE(every_op_and_dtype) {
    std::mt19937 random(std::random_device{}());
    const array floats({0.5, -1.25, 3.0, 0.0, -0.0, 2.0, double{INFINITY}, double{NAN}}), wholes({5, -3, 0, 7, 2, -1, 100, 3});
    for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::complex128, Dtype::int64, Dtype::int32, Dtype::uint8, Dtype::bool_}) {
        const array x = (is_inexact(dtype) ? floats : wholes).astype(dtype);
        check([](array each) { return scan([](array s, array part) { return std::pair(s + part, s * part); }, array(each(0)), each).second; }, x);
        check(
            [](array each) {
                return scan([](array s, array part) { return std::pair(where(s == part, part, s), s != part); }, array(each(0)), each).first;
            },
            x);
    }
    check([](array x) { return loop(5, [](array s) { return floor_divide(s * 7, 3) - remainder(s, 4) + (s & 5) + (s << 1); }, array(x(1))); }, wholes);
    check([](array x) { return loop(5, [](array s) { return absolute(floor(s * 3.7) + sign(s) - rint(s)) + minimum(s, 1.0); }, array(x(1))); }, floats);
}

BOOST_AUTO_TEST_CASE(elements_by_index) {
    const auto gathered = [](array x) {
        return loop(x.shape(0), [&](array turn, array s) { return s * 0.5 + take(x, turn, 0) + take(x, -1 - turn, 0); }, array(0.0));
    };
    check(gathered, linspace(0, 3, 17));
    const auto of_matrix = [](array x) {
        return loop(
            3, [&](array i, array s) { return loop(4, [&](array j, array t) { return t + pick(x, {i, j}) * pick(x, {i, 3 - j}); }, s) + x(0, 1); },
            array(0.0));
    };
    check(of_matrix, sin(arange(12.0)).reshape({3, 4}));
    const auto weighted = [](array x) {  // by the numbers of the inner loop
        return loop(5, [&](array i, array s) { return loop(3, [&](array j, array t) { return t * 0.5 + take(x, i + j, 0) * j; }, s); }, array(0.0));
    };
    check(weighted, sin(arange(7.0)));
    const auto beyond = compile([](array x) { return loop(9, [&](array i, array s) { return s + take(x, i, 0); }, array(0.0)); });
    BOOST_CHECK_EXCEPTION(beyond(arange(4.0)), IndexError,
                          [](const Error& error) { return expect::words(error) == "index 4 is out of bounds for axis 0 with size 4"; });
}

BOOST_AUTO_TEST_CASE(elements_are_written) {
    const auto fibonacci = [](array x) {
        return loop(
            x.shape(0) - 2,
            [](array i, array s) {
                set_at(s, {i + 2}, take(s, i, 0) + take(s, i + 1, 0));
                return s;
            },
            x);
    };
    check(fibonacci, array({1, 1, 0, 0, 0, 0, 0, 0}));
    const auto sorted = [](array x) {  // bubbles
        const std::int64_t n = x.shape(0);
        return loop(
            n * n,
            [n](array turn, array s) {
                const array i = turn % (n - 1), a = take(s, i, 0), b = take(s, i + 1, 0);
                set_at(s, {i}, minimum(a, b));
                set_at(s, {i + 1}, maximum(a, b));
                return s;
            },
            x);
    };
    check(sorted, sin(arange(11.0) * 7.3));
    const array x = arange(4.0);
    (void)compile(fibonacci)(x);
    BOOST_TEST(same(x, arange(4.0)));
}

BOOST_AUTO_TEST_CASE(what_is_overwritten_is_read_before) {
    const auto f = [](array x) {
        return loop(
            5,
            [](array i, array s, array t) {
                const array before = take(s, i, 0);
                set_at(s, {i}, t);
                return std::tuple(s, t + before);
            },
            x, array(0.5));
    };
    const auto compiled = compile([f](array x) { return std::get<0>(f(x)) + std::get<1>(f(x)); });
    const array x = arange(5.0) * 1.5;
    const auto [s, t] = f(x);
    BOOST_TEST(same(compiled(x), s + t));
}

BOOST_AUTO_TEST_CASE(a_turn_takes_what_its_arithmetic_takes) {
    if (is_on_device()) return;
    constexpr std::int64_t n = 1'000'000;
    const auto compiled = compile(recurrence);
    const array x = sin(arange(static_cast<double>(n)));
    (void)compiled(x);
    double best = INFINITY;
    for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        (void)compiled(x);
        best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / n);
    }
    BOOST_TEST_MESSAGE("a turn of a scan over numbers takes " << best << " ns");
    BOOST_TEST(best < 8);
}

BOOST_AUTO_TEST_SUITE_END()
