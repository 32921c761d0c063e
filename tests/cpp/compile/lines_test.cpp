// Where what is compiled in C++ comes from: the line of compile().
#include <boost/test/unit_test.hpp>
#include <string>

#include "fastnp/fastnp.h"

using namespace fastnp;

BOOST_AUTO_TEST_SUITE(lines)

BOOST_AUTO_TEST_CASE(kernels_have_the_line_of_compile) {
    const std::string line = std::to_string(__LINE__ + 1);
    const auto f = compile([](const array& x) { return sum(sqrt(x) * 2.0); }, {.name = "norm"});
    (void)f(ones({4}));
    const EntryInfo entry = f.entries().at(0);
    BOOST_REQUIRE(entry.kernels.size() == 1U);
    BOOST_REQUIRE(entry.kernels[0].lines.size() == 1U);
    BOOST_TEST(entry.kernels[0].lines[0].ends_with("lines_test.cpp:" + line + " in norm"), entry.kernels[0].lines[0]);
    BOOST_TEST(entry.ir.find(';') == std::string::npos);
    BOOST_TEST(entry.ir_lines.find("lines_test.cpp:" + line + " in norm\n") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
