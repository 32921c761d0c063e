// Derivatives of linear algebra: forward mode against differences, reverse against forward, second ones, compiled, mapped.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <string>

#include "api/expect.h"
#include "linalg/matrices.h"

using namespace fastnp;
using matrices::adjoint;
using matrices::definite;
using matrices::near;
using matrices::some;

namespace {

using Function = std::function<array(array)>;

array made_definite(const array& x) { return matmul(x, swapaxes(x, -1, -2)) + 2 * eye(3); }

// Functions of one matrix (3, 3), whose results do not depend on the signs of vectors.
const std::map<std::string, Function>& functions() {
    static const std::map<std::string, Function> made{
        {"solve", [](array x) { return linalg::solve(x, some({3, 2}, 4)); }},
        {"solve of the right side", [](array x) { return linalg::solve(definite({2, 3, 3}), x); }},
        {"solve_triangular", [](array x) { return linalg::solve_triangular(x + 3 * eye(3), x * x, {true, linalg::Transposed::yes, false}); }},
        {"solve_triangular, unit", [](array x) { return linalg::solve_triangular(x, some({2, 3, 2}), {false, linalg::Transposed::no, true}); }},
        {"inv", [](array x) { return linalg::inv(x); }},
        {"det", [](array x) { return linalg::det(x); }},
        {"slogdet", [](array x) { return linalg::slogdet(x).logabsdet; }},
        {"cholesky", [](array x) { return linalg::cholesky(made_definite(x)); }},
        {"cholesky, upper", [](array x) { return linalg::cholesky(made_definite(x), true); }},
        {"qr", [](array x) { return linalg::qr(x).q; }},
        {"r", [](array x) { return linalg::qr(x(until(2))).r; }},
        {"eigh", [](array x) { return square(linalg::eigh(made_definite(x)).eigenvectors); }},
        {"eigvalsh", [](array x) { return linalg::eigvalsh(made_definite(x)); }},
        {"eigvals", [](array x) { return sum(real(exp(linalg::eigvals(x)))); }},
        {"eig", [](array x) { return sum(absolute(linalg::eig(x).eigenvectors) * absolute(linalg::eig(x).eigenvalues), {.axis = -1}); }},
        {"svd", [](array x) { return square(linalg::svd(x).u) * linalg::svd(x).s; }},
        {"svd, wide", [](array x) { return square(linalg::svd(x(until(2)), false).vh); }},
        {"svdvals", [](array x) { return linalg::svdvals(x); }},
        {"pinv", [](array x) { return linalg::pinv(x(all, until(2))); }},
        {"lstsq", [](array x) { return linalg::lstsq(x(all, until(2)), some({3}, 2)).x; }},
        {"norms", [](array x) { return linalg::norm(x, {.ord = "nuc"}) + linalg::cond(x) + linalg::norm(x, {.axis = 0}); }},
        {"matrix_power", [](array x) { return linalg::matrix_power(x, -2); }},
        {"multi_dot", [](array x) { return linalg::multi_dot({x, some({3, 4}), some({4, 2}), some({2})}); }},
        {"tensorsolve", [](array x) { return linalg::tensorsolve(x.reshape({3, 1, 3}), some({3, 1}, 2)); }},
    };
    return made;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(linalg_derivatives)

BOOST_AUTO_TEST_CASE(forward_mode_against_differences) {
    const array x = some({3, 3}, 2.5) + 2 * eye(3), t = some({3, 3}, 7);
    for (const auto& [name, f] : functions()) {
        const auto [value, change] = jvp(f, std::tuple(x), std::tuple(t));
        const array differences = (f(x + 1e-6 * t) - f(x - 1e-6 * t)) / 2e-6;
        BOOST_TEST(near(value, f(x)), name);
        BOOST_TEST(near(change, differences, 1e-6), name);
    }
}

BOOST_AUTO_TEST_CASE(reverse_mode_against_forward) {
    const array x = some({3, 3}, 2.5) + 2 * eye(3), t = some({3, 3}, 7);
    for (const auto& [name, f] : functions()) {
        const auto loss = [f = f](array x) { return sum(sin(f(x))); };
        const array gradient = grad(loss)(x), change = std::get<1>(jvp(loss, std::tuple(x), std::tuple(t)));
        BOOST_TEST(near(sum(gradient * t), change, 1e-10), name);
        const auto compiled = compile(grad(loss));
        for (int i = 0; i < 2; ++i) BOOST_TEST(near(compiled(x), gradient, 1e-10), name);
    }
}

BOOST_AUTO_TEST_CASE(second_derivatives) {
    const array x = some({3, 3}, 2.5) + 2 * eye(3), t = some({3, 3}, 7);
    for (const auto& [name, f] : functions()) {
        const auto loss = [f = f](array x) { return sum(sin(f(x))); };
        const auto slope = [&](const array& at) { return std::get<1>(jvp(loss, std::tuple(at), std::tuple(t))); };
        const array twice = tensordot(t, tensordot(hessian(loss)(x), t, 2), 2);
        BOOST_TEST(near(twice, (slope(x + 1e-5 * t) - slope(x - 1e-5 * t)) / 2e-5, 1e-4), name);
    }
}

BOOST_AUTO_TEST_CASE(mapped_over_parts) {
    const array x = some({4, 3, 3}, 2.5) + 2 * eye(3);
    for (const auto& [name, f] : functions()) {
        const auto gradient = grad([f = f](array x) { return sum(sin(f(x))); });
        const array values = vmap(f)(x), gradients = vmap(gradient)(x), compiled = compile(vmap(gradient))(x);
        for (int i = 0; i < 4; ++i) {
            BOOST_TEST(near(values[i], f(x[i])), name);
            BOOST_TEST(near(gradients[i], gradient(x[i]), 1e-10), name);
            BOOST_TEST(near(compiled[i], gradient(x[i]), 1e-10), name);
        }
    }
}

BOOST_AUTO_TEST_CASE(on_the_tape) {
    const array a = definite({3, 3}), b = some({3});
    const auto loss = [](array a, array b) { return sum(b * linalg::solve(a, b)) + linalg::slogdet(a).logabsdet; };
    std::vector<array> gradients;
    {
        Tape tape;
        const array of_a = tape.watch(a), of_b = tape.watch(b);
        gradients = tape.compute(tape.gradient(loss(of_a, of_b), {of_a, of_b}));
    }
    const auto [wanted_a, wanted_b] = grad<0, 1>(loss)(a, b);
    BOOST_TEST(near(gradients[0], wanted_a));
    BOOST_TEST(near(gradients[1], wanted_b));
}

BOOST_AUTO_TEST_CASE(what_has_no_derivative) {
    const array x = some({4, 3});
    BOOST_CHECK_THROW(grad([](array x) { return sum(linalg::svd(x).u); })(x), TypeError);
    BOOST_CHECK_THROW(grad([](array x) { return sum(linalg::qr(x, true).q); })(x), TypeError);
    BOOST_CHECK_THROW(grad([](array x) { return sum(linalg::qr_raw(x).q); })(x), TypeError);
}

BOOST_AUTO_TEST_SUITE_END()
