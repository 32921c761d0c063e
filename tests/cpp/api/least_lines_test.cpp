// Lines of ops where this file alone has the least debug information: functions of the library's headers are inlined then without their symbols.
#include <boost/test/unit_test.hpp>
#include <string>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

constexpr int first_line = __LINE__;

array scaled(const array& x, const array& y) {
    const array h = x * y;                      // first_line + 3
    return sum(h - 1.0, {.axis = 0}) + max(h);  // first_line + 4
}

}  // namespace

BOOST_AUTO_TEST_SUITE(least_lines)

BOOST_AUTO_TEST_CASE(each_op_has_its_line) {
    const auto f = compile(&scaled);
    const array x = ones({3, 4});
    f(x, x);
    const std::string text = explain(f).entries.at(0).ir_lines;
    const auto has = [&](const std::string& op, int line) {
        const std::size_t at = text.find(" " + op + " ");
        const std::string row = at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
        BOOST_TEST(row.find("least_lines_test.cpp:" + std::to_string(first_line + line)) != std::string::npos, row);
    };
    has("multiply", 3);
    has("subtract", 4);
    has("sum", 4);
    has("max", 4);
    has("add", 4);
}

BOOST_AUTO_TEST_SUITE_END()
