// Functional transforms: grad, value_and_grad, jvp, vmap, Jacobians, nested and compiled.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <tuple>

#include "api/expect.h"
#include "device/buffer.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool near(const array& x, const array& y, double tolerance = 1e-12) {
    if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
    return fastnp::all(absolute(x - y) <= tolerance * (1 + absolute(y))).item<bool>();
}

array cube(array x) { return sum(x * x * x); }

}  // namespace

BOOST_AUTO_TEST_SUITE(transform)

BOOST_AUTO_TEST_CASE(grad_of_a_sum_of_cubes) {
    const array x = arange(6.0).reshape({2, 3});
    BOOST_TEST(near(grad(cube)(x), 3 * x * x));
    const auto [value, gradient] = value_and_grad(cube)(x);
    BOOST_TEST(value.item<double>() == 225);
    BOOST_TEST(near(gradient, 3 * x * x));
}

BOOST_AUTO_TEST_CASE(grad_of_several_arguments_and_structures) {
    struct Layer {
        array weight, bias;
        int width;
    };
    const auto loss = [](Layer layer, array x) { return sum(tanh(matmul(x, layer.weight) + layer.bias)); };
    const Layer layer{array({{1.0, 2.0}, {0.5, -1.0}}), array({0.1, 0.2}), 2};
    const array x({{0.3, 0.4}});
    const Layer found = grad(loss)(layer, x);
    const array slope = 1 - square(tanh(matmul(x, layer.weight) + layer.bias));
    BOOST_TEST(near(found.weight, matmul(transpose(x), slope)));
    BOOST_TEST(near(found.bias, sum(slope, {.axis = 0})));
    BOOST_TEST(found.width == 2);
    const auto [of_layer, of_x] = grad<0, 1>(loss)(layer, x);
    BOOST_TEST(near(of_x, matmul(slope, transpose(layer.weight))));
    BOOST_TEST(near(of_layer.bias, found.bias));
}

// What is written into one gradient is not seen in another, though they are equal, or one the other's transpose.
BOOST_AUTO_TEST_CASE(gradients_lie_apart) {
    const array x = ones({2, 3}), y = ones({3, 2});
    const auto gradients = grad<0, 1>([](array a, array b) { return sum(a + b.T()); });
    const auto compiled = compile([&](array a, array b) {
        auto [of_a, of_b] = gradients(a, b);
        return std::vector<array>{of_a, of_b};
    });
    for (int call = 0; call < 3; ++call) {
        auto [of_x, of_y] = gradients(x, y);
        of_x *= 5.0;
        BOOST_TEST(near(of_y, ones({3, 2})));
        std::vector<array> both = compiled(x, y);
        both[0] *= 5.0;
        BOOST_TEST(near(both[1], ones({3, 2})));
    }
}

BOOST_AUTO_TEST_CASE(mapped_results_lie_apart) {
    const auto twice = vmap([](array x) { return std::tuple(array(x * 2.0), array(x * 2.0)); });
    auto [first, second] = twice(ones({4, 3}));
    first += 1.0;
    BOOST_TEST(near(second, full({4, 3}, 2.0)));
}

BOOST_AUTO_TEST_CASE(a_second_part_of_the_result_is_handed_through) {
    const auto loss = [](array x) { return std::pair(sum(x * x), x + 1); };
    const array x({1.0, 2.0});
    const auto [gradient, given] = grad(loss)(x);
    BOOST_TEST(near(gradient, 2 * x));
    BOOST_TEST(near(given, x + 1));
}

BOOST_AUTO_TEST_CASE(grad_nests_and_compiles) {
    const auto f = [](array x) { return sin(x) * x; };
    const auto second = grad(grad(f));
    const auto third = compile(grad(second));
    const array x(0.7);
    BOOST_TEST(near(second(x), 2 * cos(x) - x * sin(x)));
    for (int i = 0; i < 3; ++i) BOOST_TEST(near(third(x), -3 * sin(x) - x * cos(x)));
    BOOST_TEST(third.cache_info().compiles == 1U);
    // With respect to the outer variable alone, though both are the same number.
    const auto mixed = grad([](array a) { return a * grad([a](array b) { return a * b * b; })(a); });
    BOOST_TEST(near(mixed(x), 6 * x * x));
}

BOOST_AUTO_TEST_CASE(writes_branches_and_loops_are_differentiated) {
    const auto f = [](array x) {
        array u = zeros({5});
        u(range(1, -1)) = x * x;
        for (int step = 0; step < 3; ++step) u(range(1, -1)) += 0.25 * (u(range(0, -2)) + u(from(2)));
        if (sum(u) > 0) u = u * 2;
        return sum(u * u);
    };
    const array x({0.5, -1.0, 2.0});
    const array gradient = grad(f)(x);
    for (int i = 0; i < 3; ++i) {
        array up = x.copy(), down = x.copy();
        up[i] = up[i] + 1e-6;
        down[i] = down[i] - 1e-6;
        BOOST_TEST(std::abs((f(up) - f(down)).item<double>() / 2e-6 - gradient[i].item<double>()) < 1e-6);
    }
    const auto compiled = compile(grad(f));
    BOOST_TEST(near(compiled(x), gradient));
    BOOST_TEST(near(compiled(x), gradient));
}

BOOST_AUTO_TEST_CASE(what_a_function_writes_to_its_argument_is_written) {
    const auto f = [](array x) {
        x += 1;
        return sum(x * x);
    };
    array x({1.0, 2.0});
    BOOST_TEST(near(grad(f)(x), array({4.0, 6.0})));
    BOOST_TEST(near(x, array({2.0, 3.0})));
    const auto compiled = compile(grad(f));
    BOOST_TEST(near(compiled(x), array({6.0, 8.0})));
    BOOST_TEST(near(x, array({3.0, 4.0})));
}

BOOST_AUTO_TEST_CASE(forward_mode) {
    const auto f = [](array x, array y) { return std::pair(x * y, sum(sin(x))); };
    const array x({1.0, 2.0}), y({3.0, 5.0}), t({0.5, 1.0}), s({0.0, 2.0});
    const auto [value, change] = jvp(f, std::tuple(x, y), std::tuple(t, s));
    BOOST_TEST(near(value.first, x * y));
    BOOST_TEST(near(change.first, x * s + y * t));
    BOOST_TEST(near(change.second, sum(cos(x) * t)));
}

BOOST_AUTO_TEST_CASE(jacobians_and_hessians) {
    const auto f = [](array x) { return stack({x[0] * x[1], sin(x[2]), x[0] * x[0]}); };
    const array x({1.0, 2.0, 3.0});
    const array wanted({{2.0, 1.0, 0.0}, {0.0, 0.0, std::cos(3.0)}, {2.0, 0.0, 0.0}});
    BOOST_TEST(near(jacfwd(f)(x), wanted));
    BOOST_TEST(near(jacrev(f)(x), wanted));
    const auto g = [](array v) { return sum(exp(v) * flip(v)); };
    BOOST_TEST(near(hessian(g)(x), jacrev(jacfwd(g))(x)));
    BOOST_TEST(near(compile(hessian(g))(x), jacrev(grad(g))(x)));
}

BOOST_AUTO_TEST_CASE(vmap_is_a_loop_over_parts) {
    const auto f = [](array x, array w) {
        array y = zeros({3});
        y(range(0, 2)) = x;
        return sum(matmul(w, y) * max(x));
    };
    const array x = arange(8.0).reshape({4, 2}), w = sin(arange(9.0)).reshape({3, 3});
    const auto mapped = vmap(f, {.in_axes = {0, std::nullopt}});
    std::vector<array> each;
    for (int i = 0; i < 4; ++i) each.push_back(f(x[i], w));
    BOOST_TEST(near(mapped(x, w), stack(each)));
    BOOST_TEST(near(compile(mapped)(x, w), stack(each)));
    std::vector<array> gradients;
    for (int i = 0; i < 4; ++i) gradients.push_back(grad(f)(x[i], w));
    BOOST_TEST(near(vmap(grad(f), {.in_axes = {0, std::nullopt}})(x, w), stack(gradients)));
    BOOST_TEST(near(vmap(f, {.in_axes = {1, std::nullopt}})(transpose(x), w), stack(each)));
    const auto total = [&](array v) { return sum(mapped(v, w)); };
    BOOST_TEST(near(grad(total)(x), stack(gradients)));
}

BOOST_AUTO_TEST_CASE(mapped_axes_have_names) {
    const array x = arange(6.0).reshape({3, 2}) + 1;
    const auto share = vmap([](array v) { return v / psum(v, "i") + axis_index("i") * pmean(sum(v), "i"); }, {.axis_name = "i"});
    const array wanted = x / sum(x, {.axis = 0}) + arange(3).reshape({3, 1}) * mean(sum(x, {.axis = 1}));
    BOOST_TEST(near(share(x), wanted));
    BOOST_TEST(near(compile(share)(x), wanted));
    BOOST_CHECK_THROW(psum(x, "i"), ValueError);
}

BOOST_AUTO_TEST_CASE(stop_gradient_is_a_constant) {
    const array x({1.0, 2.0});
    BOOST_TEST(near(grad([](array v) { return sum(v * stop_gradient(v)); })(x), x));
}

BOOST_AUTO_TEST_CASE(vjp_and_linearize_work_later) {
    const auto f = [](array x, array w) { return std::pair(sin(x) * w, sum(x)); };
    const array x({0.5, -1.0}), w({2.0, 3.0});
    const auto use = [&](array a, array b) {
        const auto [result, pull] = vjp(f, a, b);
        const auto [da, db] = pull({array({1.0, 1.0}), array(2.0)});
        const auto [again, unused] = pull({array({0.0, 0.0}), array(1.0)});
        const auto [same, push] = linearize([](array v) { return exp(v); }, a);
        return std::vector<array>{result.first, da, db, again, same, push(b)};
    };
    for (const std::vector<array>& found : {use(x, w), compile(use)(x, w)}) {
        BOOST_TEST(near(found[0], sin(x) * w));
        BOOST_TEST(near(found[1], cos(x) * w + 2));
        BOOST_TEST(near(found[2], sin(x)));
        BOOST_TEST(near(found[3], array({1.0, 1.0})));
        BOOST_TEST(near(found[5], exp(x) * w));
    }
}

BOOST_AUTO_TEST_CASE(what_vjp_keeps_is_as_it_was) {
    array x({1.0, 2.0});
    const auto [value, pull] = vjp([](array v) { return sum(exp(v) * v); }, x);
    const array wanted = exp(x) * (1 + x);
    x += 100;
    BOOST_TEST(near(std::get<0>(pull(array(1.0))), wanted));
    BOOST_TEST(near(std::get<0>(pull(array(2.0))), 2 * wanted));
}

BOOST_AUTO_TEST_CASE(derivatives_of_ones_own) {
    const auto clipped =
        custom_vjp([](array x) { return x * 1; }, [](array x) { return std::pair(x * 1, x); }, [](array, array g) { return std::tuple(clip(g, -1, 1)); });
    const array x({0.5, -2.0});
    BOOST_TEST(near(grad([&](array v) { return sum(clipped(v) * 10); })(x), array({1.0, 1.0})));
    BOOST_TEST(near(vmap(grad([&](array v) { return clipped(v) * 10; }))(x), array({1.0, 1.0})));
    BOOST_TEST(near(clipped(x), x));
    BOOST_CHECK_THROW(jvp(clipped, std::tuple(x), std::tuple(x)), TypeError);
    const auto squared = custom_jvp([](array v) { return v * v; },
                                    [](std::tuple<array> primals, std::tuple<array> tangents) {
                                        const array v = std::get<0>(primals);
                                        return std::pair(v * v, 20 * v * std::get<0>(tangents));
                                    });
    BOOST_TEST(near(grad([&](array v) { return sum(squared(v)); })(x), 20 * x));
    BOOST_TEST(near(jvp(squared, std::tuple(x), std::tuple(x)).second, 20 * x * x));
    BOOST_TEST(near(grad([&](array v) { return sum(vmap(squared)(v)); })(x), 20 * x));
}

BOOST_AUTO_TEST_CASE(checkpoints_change_no_value) {
    const auto block = [](array x) { return tanh(exp(sin(x))); };
    const auto checked = checkpoint(block);
    const array x({0.5, -2.0});
    const auto twice = [&](const auto& f) { return [f](array v) { return sum(f(f(v))); }; };
    BOOST_TEST(near(grad(twice(checked))(x), grad(twice(block))(x)));
    BOOST_TEST(near(compile(grad(twice(checked)))(x), grad(twice(block))(x)));
    BOOST_TEST(near(hessian(twice(checked))(x), hessian(twice(block))(x)));
}

BOOST_AUTO_TEST_CASE(a_tape_needs_no_function) {
    const array w({1.0, 2.0});
    std::vector<array> found;
    {
        Tape tape;
        const array x = tape.watch(w), y = tape.watch(w * 3);
        array u = zeros({4});
        u(range(1, 3)) = x * x;
        array total = sum(u * u);
        for (int i = 0; total < 100 && i < 10; ++i) total = total * 2;
        const std::vector<array> first = tape.gradient(total, {x, y});
        const std::vector<array> second = tape.gradient(sum(first[0]), {x});
        found = tape.compute({total, first[0], first[1], second[0]});
        BOOST_CHECK_THROW(tape.gradient(total, {w}), ValueError);
        BOOST_CHECK_THROW(tape.gradient(u, {x}), ValueError);
        BOOST_CHECK_THROW(Tape(), RecordError);
    }
    BOOST_TEST(found[0].item<double>() == 136);
    BOOST_TEST(near(found[1], 8 * 4 * w * w * w));
    BOOST_TEST(near(found[2], array({0.0, 0.0})));
    BOOST_TEST(near(found[3], 8 * 12 * w * w));
}

BOOST_AUTO_TEST_CASE(training_in_place_takes_no_memory) {
    const auto train = [](std::vector<array>& parameters, array x, array y) {
        const auto loss = [](std::vector<array> p, array in, array out) { return mean(square(tanh(matmul(in, p[0]) + p[1]) - out)); };
        const auto [value, gradients] = value_and_grad(loss)(parameters, x, y);
        for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= 0.05 * gradients[i];
        return value;
    };
    const array x = sin(arange(64.0)).reshape({16, 4}), y = cos(arange(48.0)).reshape({16, 3});
    std::vector<array> mine{zeros({4, 3}), zeros({3})}, theirs{zeros({4, 3}), zeros({3})};
    const auto step = compile(train);
    double first = 0, last = 0;
    for (int i = 0; i < 20; ++i) {
        last = step(mine, x, y).item<double>();
        BOOST_TEST(std::abs(last - train(theirs, x, y).item<double>()) < 1e-12);
        if (i == 0) first = last;
    }
    BOOST_TEST(last < first);
    BOOST_TEST(step.cache_info().compiles == 1U);
    const void* where = mine[0].data();
    const std::size_t before = device::pool_statistics().fresh;
    for (int i = 0; i < 20; ++i) (void)step(mine, x, y);
    BOOST_TEST(mine[0].data() == where);
    BOOST_TEST(device::pool_statistics().fresh == before);
}

BOOST_AUTO_TEST_CASE(errors_name_what_is_wrong) {
    const array x({1.0, 2.0});
    EXPECT_ERROR(ValueError, grad([](array v) { return v * 2; })(x),
                 "grad: the function's result must be a single element, not an array of shape (2,); jacrev() or vjp() are for those");
    EXPECT_ERROR(TypeError, grad(cube)(arange(3)), "derivatives are taken with respect to floating and complex arrays, not to one of dtype int64");
    EXPECT_ERROR(ValueError, vmap([](array a, array b) { return a + b; })(x, arange(3.0)),
                 "vmap: the axes that are mapped over have different sizes: 2 (axis 0 of an array of shape (2,)) and 3 (axis 0 of one of shape (3,))");
    BOOST_CHECK_THROW(vmap([](array v) { return v.item<double>() > 0 ? v : -v; })(x), TypeError);
    array kept;
    (void)vmap([&](array v) { return kept = v * 2; })(x);
    BOOST_CHECK_THROW((void)(kept + 1), Error);
}

BOOST_AUTO_TEST_CASE(second_stages_keep_to_a_budget) {
    const auto f = [](array x) { return sin(exp(x) * 2) * x; };
    const array x = linspace(0, 1, 1000);
    const auto [value, pull] = vjp(f, x);
    for (const std::int64_t budget : {8000, 16000, 1'000'000}) {
        const auto [again, within] = vjp(StageOptions{.memory_budget = budget}, f, x);
        BOOST_TEST(near(again, value));
        BOOST_TEST(near(std::get<0>(within(x)), std::get<0>(pull(x))));
        BOOST_TEST(near(linearize(StageOptions{.memory_budget = budget}, f, x).second(x), std::get<0>(pull(x))));
    }
    BOOST_CHECK_THROW((void)vjp(StageOptions{.memory_budget = 100}, f, x), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
