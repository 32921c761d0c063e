// Each op knows the line of the user's program that asked for it, by the debug information that this file alone is compiled with.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

constexpr int first_line = __LINE__;

array activated(const array& x) {
    return tanh(x) * 2;  // first_line + 3
}

struct Model {
    array operator()(const array& x) const {
        const array h = sum(x * x, {.axis = 0});  // first_line + 8
        return h(range(1, 3)) + mean(cos(x));     // first_line + 9
    }
};

array loss(const array& x) {
    array h = x.T();       // first_line + 14
    h /= exp(x);           // first_line + 15
    return sum(log1p(h));  // first_line + 16
}

// "user_lines_test.cpp:15 in activated" behind the first line of a graph's text that has this op; empty where none has it.
template <class F>
std::string place_of(const F& function, std::string_view op) {
    std::string text = explain(function).entries.at(0).ir_lines;
    for (std::size_t at = text.find(op); at != std::string::npos; at = text.find(op, at + 1)) {
        if (text[at - 1] != ' ') continue;
        const std::string line = text.substr(at, text.find('\n', at) - at);
        const std::size_t file = line.find("user_lines_test.cpp:");
        return file == std::string::npos ? line : line.substr(file + std::string_view("user_lines_test.cpp:").size());
    }
    return text;
}

std::string place(int line, const std::string& function) { return std::to_string(first_line + line) + " in " + function; }

}  // namespace

BOOST_AUTO_TEST_SUITE(user_lines)

BOOST_AUTO_TEST_CASE(functions_lambdas_and_objects) {
    const int here = __LINE__;
    const auto f = compile([](const array& x, const array& y) {
        array h = x - y;
        return minimum(activated(h), 1.0);
    });
    const array x = ones({4, 4});
    f(x, x);
    BOOST_TEST(place_of(f, "tanh") == place(3, "activated"));
    BOOST_TEST(place_of(f, "multiply") == place(3, "activated"));
    BOOST_TEST(place_of(f, "subtract") == place(here - first_line + 2, "test_method"));
    BOOST_TEST(place_of(f, "minimum") == place(here - first_line + 3, "test_method"));
    const std::vector<std::string> lines = explain(f).entries.at(0).kernels.at(0).lines;
    BOOST_TEST(lines.size() == 3);
    BOOST_TEST(std::ranges::count_if(lines, [](const std::string& line) { return line.ends_with(place(3, "activated")); }) == 1);

    const auto g = compile(Model{});
    g(x);
    BOOST_TEST(place_of(g, "multiply") == place(8, "operator()"));
    BOOST_TEST(place_of(g, "sum") == place(8, "operator()"));
    BOOST_TEST(place_of(g, "cos") == place(9, "operator()"));
}

// A derivative's ops are of the line that they come of; in a loop's body, too.
BOOST_AUTO_TEST_CASE(derivatives_and_loops) {
    const auto f = compile(grad(&loss));
    const array x = ones({3, 3});
    f(x);
    BOOST_TEST(place_of(f, "exp") == place(15, "loss"));
    BOOST_TEST(place_of(f, "divide") == place(15, "loss"));

    const auto turns = compile([](const array& a) { return loop(640, [&](array s) { return activated(s); }, a); });
    turns(x);
    BOOST_TEST(place_of(turns, "tanh") == place(3, "activated"));
}

BOOST_AUTO_TEST_SUITE_END()
