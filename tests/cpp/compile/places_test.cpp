// Errors name the compiled function or the transform that they were in, and where that was made.
#include <boost/test/unit_test.hpp>
#include <string>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool has(const Error& error, const std::string& text) { return std::string(error.what()).find(text) != std::string::npos; }
bool is_placed(const Error& error) { return has(error, "places_test.cpp:"); }

// The words that an error has before the place of what it names: "in vjp at places_test.cpp:12".
auto is_of(const std::string& transform) {
    return [=](const Error& error) { return is_placed(error) && has(error, "\n  in " + transform + " at "); };
}

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

BOOST_AUTO_TEST_CASE(errors_of_options) {
    const auto doubled = [](array x) { return x * 2; };
    BOOST_CHECK_EXCEPTION(compile(doubled, {.backend = "gcc", .name = "doubled"}), ValueError, is_placed);
    BOOST_CHECK_EXCEPTION(compile(doubled, {.cache_size_limit = 0}), ValueError, is_placed);
    const auto named = compile(doubled, {.dynamic = {{{0, 0}, Dim("n", 1, 8)}}});
    BOOST_CHECK_EXCEPTION(named(ones({9})), ValueError, is_placed);
    const auto one = compile(doubled, {.sizes = DynamicSizes::never, .cache_size_limit = 1, .on_limit = OnLimit::error});
    (void)one(ones({3}));
    BOOST_CHECK_EXCEPTION(one(ones({4})), CacheLimitError, is_placed);
    double rate = 1;
    const auto careless = compile([&](array x) { return x * rate; }, {.verify = 1});
    (void)careless(ones({2}));
    rate = 2;
    BOOST_CHECK_EXCEPTION(careless(ones({2})), VerifyError, is_placed);
}

BOOST_AUTO_TEST_CASE(errors_of_stages) {
    const auto cube = [](array x) { return x * x * x; };
    const array x = ones({3});
    BOOST_CHECK_EXCEPTION(vjp(cube, ones({3}, int64)), TypeError, is_of("vjp"));
    BOOST_CHECK_EXCEPTION(vjp(cube, x).second(ones({4})), ValueError, is_of("vjp"));
    BOOST_TEST((std::get<0>(vjp(cube, x).second(ones({3}, float32))).dtype() == float64));
    BOOST_CHECK_EXCEPTION(vjp(cube, x).second(ones({3}, complex128)), TypeError, is_of("vjp"));
    const auto twice = compile([=](array v, array g) { return std::get<0>(vjp(cube, v).second(g)); });
    BOOST_TEST(twice(x, x)(0).item<double>() == 3);
    BOOST_CHECK_EXCEPTION(twice(x, ones({4})), ValueError, is_of("vjp"));
    BOOST_CHECK_EXCEPTION(vjp(StageOptions{.memory_budget = 1}, cube, x), ValueError, is_of("vjp"));
    BOOST_CHECK_EXCEPTION(linearize(cube, ones({3}, int64)), TypeError, is_of("linearize"));
    BOOST_CHECK_EXCEPTION(linearize(cube, x).second(ones({4})), ValueError, is_of("linearize"));
    BOOST_CHECK_EXCEPTION(jvp(cube, std::tuple(x), std::tuple(ones({4}))), ValueError, is_of("jvp"));
    BOOST_CHECK_EXCEPTION(checkpoint([](array v) { return matmul(v, v(0)); })(x), ValueError, is_of("checkpoint"));
    BOOST_CHECK_EXCEPTION(jacfwd([](array v) { return sum(v, {.axis = 4}); })(x), AxisError, is_of("jacfwd"));
    BOOST_CHECK_EXCEPTION(Tape().watch(ones({3}, int64)), TypeError, is_of("a Tape"));
}

BOOST_AUTO_TEST_CASE(errors_of_loops) {
    const array x = ones({3});
    const auto wider = [](array s) { return concatenate({s, s}); };
    BOOST_CHECK_EXCEPTION(loop(3, wider, x), TypeError, is_of("loop"));
    BOOST_CHECK_EXCEPTION(loop({.save_every = -1}, 3, [](array s) { return s; }, x), ValueError, is_of("loop"));
    BOOST_CHECK_EXCEPTION(loop(-1, [](array s) { return s; }, x), ValueError, is_of("loop"));
    BOOST_CHECK_EXCEPTION(scan([](array s, array part) { return std::pair(concatenate({s, s}), part); }, x, x), TypeError, is_of("scan"));
    BOOST_CHECK_EXCEPTION(while_loop([](array s) { return s < 2; }, wider, x), TypeError, is_of("while_loop"));
    BOOST_CHECK_EXCEPTION(while_loop([](array s, array) { return sum(s) < 9; }, [](array s, array t) { return std::tuple(concatenate({s, s}), t); }, x, x),
                          TypeError, is_of("while_loop"));
    const auto same = [](array v) { return v; };
    BOOST_CHECK_EXCEPTION(cond(x > 0, same, same, x), TypeError, is_of("cond"));
    const auto within = compile([=](array v) { return loop(3, wider, v); }, {.name = "outer"});
    BOOST_CHECK_EXCEPTION(within(x), TypeError, [](const Error& error) { return is_of("loop")(error) && has(error, "function 'outer', compiled at "); });
}

BOOST_AUTO_TEST_CASE(generic_lambdas_and_compiled_functions) {
    const array x = array({1.0, 2.0});
    const auto squares = compile([](auto a, auto b) { return sum(a * b); });
    BOOST_TEST(squares(x, x).item<double>() == 5);
    BOOST_TEST(grad(squares)(x, x)(1).item<double>() == 2);
    BOOST_TEST(grad([](auto a) { return sum(a * a); })(x)(1).item<double>() == 4);
    BOOST_TEST(squares.cache_info().compiles == 1u);
    int calls = 0;
    const auto counts = compile([n = 0](auto a) mutable { return a * ++n; });
    for (; calls < 3; ++calls) BOOST_TEST(counts(x)(0).item<double>() == calls + 1);
    BOOST_TEST(cond(true, [&] { return x; }, [&] { return x * 2; })(0).item<double>() == 1);
    BOOST_TEST(array(std::vector<float>{1, 2})[range(1, 2)](0).item<float>() == 2);
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
