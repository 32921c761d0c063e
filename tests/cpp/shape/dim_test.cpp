#include "shape/dim.h"

#include <boost/test/unit_test.hpp>

#include "fastnp/error.h"
#include "shape/arithmetic.h"

using fastnp::shape::Dim;
using fastnp::shape::SizeGuard;
using fastnp::shape::Sizes;

BOOST_AUTO_TEST_SUITE(dim)

BOOST_AUTO_TEST_CASE(equal_expressions_are_one) {
    Sizes sizes;
    const Dim n = sizes.symbol("n", 4), m = sizes.symbol("m", 5);
    BOOST_TEST((sizes.add(n, m) == sizes.add(m, n)));
    BOOST_TEST((sizes.multiply(sizes.add(n, 1), m) == sizes.add(sizes.multiply(m, n), m)));
    BOOST_TEST((sizes.subtract(sizes.add(n, 3), 3) == n));
    BOOST_TEST((sizes.subtract(n, n) == Dim(0)));
    BOOST_TEST((sizes.product({n, 2, m}) == sizes.multiply(sizes.multiply(m, n), 2)));
}

BOOST_AUTO_TEST_CASE(division_takes_out_what_goes_in_evenly) {
    Sizes sizes;
    const Dim n = sizes.symbol("n", 6, 1), m = sizes.symbol("m", 5, 1);
    BOOST_TEST((sizes.divide(sizes.multiply(n, m), m) == n));
    BOOST_TEST((sizes.divide(sizes.multiply(sizes.add(n, 1), m), sizes.add(n, 1)) == m));
    BOOST_TEST((sizes.divide(sizes.add(sizes.multiply(n, 4), 7), 4) == sizes.add(n, 1)));
    BOOST_TEST(sizes.text(sizes.divide(n, 4)) == "n//4");
    BOOST_TEST(sizes.text(sizes.divide(sizes.add(sizes.multiply(n, 5), 7), 4)) == "n + ((n + 3)//4) + 1");
    BOOST_TEST(sizes.guards().empty());
}

BOOST_AUTO_TEST_CASE(division_rounds_down) {
    Sizes sizes;
    const Dim n = sizes.symbol("n", 3);
    BOOST_TEST((sizes.divide(-7, 2) == Dim(-4)));
    BOOST_TEST(sizes.hint(sizes.divide(sizes.subtract(0, n), 2)) == -2);
}

BOOST_AUTO_TEST_CASE(division_by_a_size_that_may_be_zero_is_guarded) {
    Sizes sizes;
    const Dim n = sizes.symbol("n", 6), m = sizes.symbol("m", 5);
    BOOST_TEST((sizes.divide(sizes.multiply(n, m), m) == n));
    BOOST_REQUIRE(sizes.guards().size() == 1U);
    BOOST_TEST((sizes.guards()[0] == SizeGuard{SizeGuard::Kind::nonzero, m}));
}

BOOST_AUTO_TEST_CASE(what_holds_for_all_sizes_needs_no_guard) {
    Sizes sizes;
    const Dim n = sizes.symbol("n", 4), k = sizes.symbol("k", 3, 2, 9);
    BOOST_TEST(sizes.equal(sizes.add(n, 1), sizes.add(1, n)));
    BOOST_TEST(!sizes.equal(sizes.add(n, 1), n));
    BOOST_TEST(!sizes.equal(sizes.add(n, 1), 0));
    BOOST_TEST(!sizes.equal(k, 1));
    BOOST_TEST(!sizes.equal(sizes.multiply(n, 2), 7));
    BOOST_TEST(sizes.at_least(n, 0));
    BOOST_TEST(sizes.at_least(9, k));
    BOOST_TEST(!sizes.at_least(1, k));
    BOOST_TEST(sizes.at_least(sizes.multiply(n, k), 0));
    BOOST_TEST(sizes.guards().empty());
}

BOOST_AUTO_TEST_CASE(other_answers_are_guarded_once) {
    Sizes sizes;
    const Dim n = sizes.symbol("n", 4), m = sizes.symbol("m", 4);
    BOOST_TEST(sizes.equal(n, m));
    BOOST_TEST(sizes.equal(m, n));
    BOOST_TEST(sizes.equal(sizes.multiply(n, 3), sizes.multiply(m, 3)));
    BOOST_TEST(!sizes.equal(n, 1));
    BOOST_TEST(sizes.at_least(n, 2));
    BOOST_TEST(!sizes.at_least(n, 9));
    std::vector<std::string> found;
    for (const SizeGuard& guard : sizes.guards()) {
        const char* relation = guard.kind == SizeGuard::Kind::zero ? " == 0" : guard.kind == SizeGuard::Kind::nonzero ? " != 0" : " >= 0";
        found.push_back(sizes.text(guard.expression) + relation);
    }
    const std::vector<std::string> wanted{"n - m == 0", "n - 1 != 0", "n - 2 >= 0", "-n + 8 >= 0"};
    BOOST_TEST(found == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(concretize_ties_to_the_size_at_hand) {
    Sizes sizes;
    const Dim n = sizes.symbol("n", 4);
    BOOST_TEST(sizes.concretize(n) == 4);
    BOOST_TEST(sizes.concretize(7) == 7);
    BOOST_REQUIRE(sizes.guards().size() == 1U);
    BOOST_TEST(sizes.text(sizes.guards()[0].expression) == "n - 4");
}

BOOST_AUTO_TEST_CASE(evaluate_gives_every_expression_its_value) {
    Sizes sizes;
    const Dim n = sizes.symbol("n", 4, 1), m = sizes.symbol("m", 5, 1);
    const Dim expression = sizes.add(sizes.multiply(n, m), sizes.divide(n, 3));
    BOOST_TEST(sizes.hint(expression) == 21);
    const std::int64_t symbols[] = {10, 7};
    std::vector<std::int64_t> values(sizes.size());
    sizes.evaluate(symbols, values.data());
    BOOST_TEST(values[expression.id()] == 73);
    BOOST_TEST(values[m.id()] == 7);
}

BOOST_AUTO_TEST_CASE(what_is_too_big_for_a_size) {
    using fastnp::ValueError;
    using fastnp::shape::product_of;
    const std::int64_t big = Dim::too_big;
    BOOST_TEST((product_of(1 << 30, 1 << 30) == Dim(std::int64_t{1} << 60)));
    BOOST_TEST((product_of(-(1LL << 40), 1 << 20) == Dim(-(1LL << 60))));
    BOOST_CHECK_THROW(product_of(1LL << 31, 1LL << 31), ValueError);
    BOOST_CHECK_THROW(product_of(1LL << 40, 1LL << 40), ValueError);
    BOOST_CHECK_THROW(fastnp::shape::concrete({Dim(3), Dim(big)}), ValueError);
    const fastnp::shape::Arithmetic plain(nullptr);
    BOOST_CHECK_THROW(plain.add(Dim(big), 1), ValueError);
    Sizes sizes;
    const Dim n = sizes.symbol("n", 4);
    BOOST_CHECK_THROW(sizes.add(n, Dim(big + 1000)), ValueError);
    BOOST_CHECK_THROW(sizes.at_least(Dim(big + 1000), n), ValueError);
}

BOOST_AUTO_TEST_CASE(products_that_are_too_big_stay_too_big) {
    Sizes sizes;
    const Dim n = sizes.symbol("n", 4), m = sizes.symbol("m", 5);
    const Dim square = sizes.multiply(n, n), all = sizes.multiply(sizes.multiply(square, m), 8);
    const Dim less = sizes.subtract(all, square);
    std::vector<std::int64_t> values(sizes.size());
    const auto bind = [&](std::int64_t first, std::int64_t second) {
        const std::int64_t symbols[] = {first, second};
        sizes.evaluate(symbols, values.data());
    };
    bind(10, 3);
    BOOST_TEST(values[all.id()] == 2400);
    BOOST_TEST(values[less.id()] == 2300);
    bind(1LL << 31, 4);  // 2**67, which is 0 in 64 bits
    BOOST_TEST(values[square.id()] == 1LL << 62);
    BOOST_TEST(values[all.id()] == Dim::too_big);
    BOOST_TEST(values[less.id()] == Dim::too_big);
    bind(1LL << 40, 0);  // whatever the order: nothing
    BOOST_TEST(values[all.id()] == 0);
}

BOOST_AUTO_TEST_CASE(texts_can_be_read_back) {
    Sizes sizes;
    const Dim n = sizes.symbol("n", 12), m = sizes.symbol("batch size", 8), k = sizes.symbol("2k`", 3);
    BOOST_TEST(sizes.text(sizes.add(m, k)) == "`batch size` + `2k'`");
    BOOST_TEST(sizes.text(sizes.divide(n, sizes.divide(m, Dim(3)))) == "n//(`batch size`//3)");
    BOOST_TEST(sizes.text(sizes.divide(sizes.divide(n, m), Dim(3))) == "n//`batch size`//3");
    const Dim u = sizes.bound_symbol(1, 0, 9), named = sizes.symbol("u1", 4);
    BOOST_TEST(sizes.text(u) == "u0");
    BOOST_TEST(sizes.text(named) == "u1");
    BOOST_TEST(sizes.text(sizes.bound_symbol(1, 0, 9)) == "u1_");
}

BOOST_AUTO_TEST_SUITE_END()
