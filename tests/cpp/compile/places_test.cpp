// Errors name the compiled function or the transform that they were in, and where that was made.
#include <boost/test/unit_test.hpp>
#include <string>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool is_placed(const Error& error) { return std::string(error.what()).find("places_test.cpp:") != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(places)

BOOST_AUTO_TEST_CASE(errors_of_compiled_functions) {
    const auto model = compile([](array a, array b) { return a * 2 + b; }, {.name = "model"});
    const auto names = [](const Error& error) { return is_placed(error) && std::string(error.what()).find("'model'") != std::string::npos; };
    BOOST_CHECK_EXCEPTION(model(ones({2, 3}), ones({4})), ValueError, names);
    const auto shows = compile([](array a) { return array(std::stod(to_string(sum(a)))); }, {.fullgraph = true});
    BOOST_CHECK_EXCEPTION(shows(ones({3})), RecordError, is_placed);
    const auto picks = compile([](array x, array i) { return take(x, i, 0); });
    for (int call = 0; call < 3; ++call) BOOST_CHECK_EXCEPTION(picks(ones({3}), array({5})), IndexError, is_placed);
    const auto axes = compile([](array x) { return sum(x, {.axis = 3}); });
    BOOST_CHECK_EXCEPTION(axes(ones({3})), AxisError, is_placed);
    const auto outer = compile([&](array x) { return axes(x); }, {.name = "outer"});
    BOOST_CHECK_EXCEPTION(outer(ones({3})), AxisError, [](const Error& error) { return std::string(error.what()).find("'outer'") != std::string::npos; });
}

BOOST_AUTO_TEST_CASE(errors_of_transforms) {
    const auto add_two = [](array a, array b) { return a + b; };
    BOOST_CHECK_EXCEPTION(vmap(add_two, {.in_axes = {0}})(ones({3}), ones({3})), ValueError, is_placed);
    BOOST_CHECK_EXCEPTION(vmap(add_two)(ones({3}), ones({4})), ValueError, is_placed);
    BOOST_CHECK_EXCEPTION(grad([](array x) { return array(x * x); })(ones({3})), ValueError, is_placed);
    BOOST_CHECK_EXCEPTION(hessian([](array x) { return array(sum(matmul(x, x))); })(ones({2, 3})), ValueError, is_placed);
}

BOOST_AUTO_TEST_CASE(errors_of_the_users_own_stay_theirs) {
    struct Own : ValueError {
        using ValueError::ValueError;
    };
    const auto f = compile([](array x) -> array {
        (void)x;
        throw Own("mine");
    });
    BOOST_CHECK_EXCEPTION(f(ones({1})), Own, [](const Error& error) { return std::string(error.what()) == "mine"; });
}

BOOST_AUTO_TEST_SUITE_END()
