// Transforms within transforms, over loops and scans, nested at random: each nest's derivatives against differences.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "fastnp/fastnp.h"
#include "selection.h"

using namespace fastnp;

namespace {

using Function = std::function<array(array)>;  // from three numbers to three

struct Layer {
    const char* name;
    Function (*over)(Function);
};

Function in_loop(Function f) {
    return [f](array x) { return array(loop(3, [f](array v) { return array(v * 0.7 + 0.3 * sin(f(v))); }, x)); };
}

// The state of one number meets another part of x at each turn; some of what is collected does not depend on it.
Function in_scan(Function f) {
    return [f](array x) {
        const auto turn = [f, x](array state, array part) {
            const array next = 0.5 * state + 0.2 * mean(f(x * part));
            return std::pair(next, array(sin(next) + cos(part)));
        };
        auto [last, all] = scan(turn, array(mean(x)), x);
        return array(all + last);
    };
}

Function pulled_back(Function f) {
    return [f](array x) {
        auto [out, pull] = vjp(f, x);
        return array(std::get<0>(pull(array(out * 0.5 + 1.0))));
    };
}

Function pushed_forward(Function f) {
    return [f](array x) {
        auto [out, change] = jvp(f, std::tuple(x), std::tuple(array(cos(x))));
        return array(out + 0.5 * change);
    };
}

Function rows(Function f) {
    return [f](array x) { return array(sum(jacrev(f)(x) * 0.3, {.axis = 0})); };
}

Function columns(Function f) {
    return [f](array x) { return array(sum(jacfwd(f)(x) * 0.3, {.axis = 1})); };
}

Function curvature(Function f) {
    return [f](array x) { return array(sum(hessian(Function([f](array y) { return array(sum(sin(f(y)))); }))(x), {.axis = 1})); };
}

Function mapped(Function f) {
    return [f](array x) { return array(mean(vmap(f)(expand_dims(x, 0) * array({0.5, -1.0}).reshape({2, 1})), {.axis = 0})); };
}

constexpr Layer layers[] = {{"loop", in_loop}, {"scan", in_scan},   {"vjp", pulled_back},   {"jvp", pushed_forward},
                            {"jacrev", rows},  {"jacfwd", columns}, {"hessian", curvature}, {"vmap", mapped}};

array by_differences(const Function& f, const array& x) {
    constexpr double step = 1e-5;
    std::vector<array> found;
    for (int i = 0; i < 3; ++i) {
        array up = x.copy(), down = x.copy();
        up[i] = up[i] + step;
        down[i] = down[i] - step;
        found.push_back((f(up) - f(down)) / (2 * step));
    }
    return stack(found, 1);
}

bool near(const array& x, const array& y) { return x.shape() == y.shape() && fastnp::all(absolute(x - y) <= 1e-6 * (1 + max(absolute(y)))).item<bool>(); }

// What is wrong with a nest; nothing if all is right.
std::string wrong_with(const std::vector<int>& nest, const array& x, bool compiles) {
    Function f = [](array v) { return array(sin(v) * 0.5 + v * 0.2 * mean(v)); };
    std::string name = "f";
    for (const int each : nest) {
        f = layers[each].over(f);
        name = std::string(layers[each].name) + "(" + name + ")";
    }
    try {
        const array wanted = by_differences(f, x);
        if (!near(jacrev(f)(x), wanted)) return "jacrev of " + name + " differs from differences";
        if (!near(jacfwd(f)(x), wanted)) return "jacfwd of " + name + " differs from differences";
        if (compiles && !near(compile(jacrev(f))(x), wanted)) return "compiled jacrev of " + name + " differs from differences";
    } catch (const std::exception& error) {
        return name + ": " + error.what();
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(transform_nests)

BOOST_AUTO_TEST_CASE(random_nests_are_differentiated) {
    const std::uint64_t seed = test_seed();
    std::mt19937 draw(seed);
    const int count = tests_are_long() ? 400 : 15;
    for (int k = 0; k < count; ++k) {
        std::vector<int> nest(1 + draw() % 3);
        for (int& each : nest) each = static_cast<int>(draw() % std::size(layers));
        const auto number = [&] { return static_cast<double>(draw() % 2000) / 1000 - 1; };
        const array x({number(), number(), number()});
        std::string wrong = wrong_with(nest, x, k % 5 == 0);
        while (!wrong.empty() && nest.size() > 1) {  // made small: without its innermost or its outermost layer
            const std::vector<int> inner(nest.begin(), nest.end() - 1), outer(nest.begin() + 1, nest.end());
            const std::string of_inner = wrong_with(inner, x, false), of_outer = wrong_with(outer, x, false);
            if (of_inner.empty() && of_outer.empty()) break;
            nest = of_inner.empty() ? outer : inner;
            wrong = of_inner.empty() ? of_outer : of_inner;
        }
        BOOST_TEST(wrong.empty(), wrong << " (seed " << seed << ")");
    }
}

BOOST_AUTO_TEST_CASE(what_is_the_same_in_all_parts_of_a_loop_comes_from_the_loop_of_all_parts) {
    BOOST_TEST(wrong_with({1, 2, 3}, array({0.3, -0.2, 0.7}), true) == "");
    BOOST_TEST(wrong_with({1, 6, 0}, array({0.3, -0.2, 0.7}), false) == "");
}

BOOST_AUTO_TEST_SUITE_END()
