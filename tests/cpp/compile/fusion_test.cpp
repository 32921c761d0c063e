// What becomes one kernel.
#include <boost/test/unit_test.hpp>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

template <class F, class... A>
std::vector<KernelInfo> kernels(F function, const A&... arguments) {
    const auto compiled = compile(function);
    compiled(arguments...);
    const auto entries = compiled.entries();
    BOOST_REQUIRE(entries.size() == 1U);
    BOOST_TEST(entries[0].uncompiled == "");
    return entries[0].kernels;
}

const array rows = ones({512, 300}, float32);

}  // namespace

BOOST_AUTO_TEST_SUITE(fusion)

BOOST_AUTO_TEST_CASE(elementwise_chains_with_views_and_broadcasts) {
    const array v = ones({300}, float32);
    BOOST_TEST(kernels([](const array& x, const array& y) { return exp(x * y + 1.0F)(range(1, -1), all) - y; }, rows, v).size() == 1U);
}

BOOST_AUTO_TEST_CASE(producers_and_consumers_of_a_reduction) {
    BOOST_TEST(kernels([](const array& x) { return sqrt(sum(x * x, {.axis = 1})) / 3.0F; }, rows).size() == 1U);
}

BOOST_AUTO_TEST_CASE(softmax_and_layer_norm_are_one_row_kernel) {
    const auto softmax = kernels(
        [](const array& x) {
            const array e = exp(x - max(x, {.axis = -1, .keepdims = true}));
            return e / sum(e, {.axis = -1, .keepdims = true});
        },
        rows);
    BOOST_REQUIRE(softmax.size() == 1U);
    BOOST_TEST(softmax[0].kind == "rows");
    BOOST_TEST(
        kernels([](const array& x) { return (x - mean(x, {.axis = 1, .keepdims = true})) / stddev(x, {.axis = 1, .keepdims = true}); }, rows).size() ==
        1U);
}

BOOST_AUTO_TEST_CASE(sibling_reductions_share_a_pass) {
    const auto made = kernels([](const array& x) { return std::make_pair(sum(x, {.axis = 1}), max(x, {.axis = 1})); }, rows);
    BOOST_TEST(made.size() == 1U);
}

BOOST_AUTO_TEST_CASE(values_and_their_sum_are_one_walk) {
    const auto both = [](const array& x) {
        const array y = exp(x);
        return std::make_pair(y, sum(y));
    };
    BOOST_TEST(kernels(both, ones({400000}, float32)).size() == 2U);  // blocks, and the sum of their sums
    BOOST_TEST(kernels(both, ones({1000}, float32)).size() == 1U);
    const auto of_rows = [](const array& x) {
        const array y = exp(x);
        return std::make_pair(y, sum(y, {.axis = 1}));
    };
    BOOST_TEST(kernels(of_rows, rows).size() == 1U);
}

BOOST_AUTO_TEST_CASE(folds_after_folds_of_long_lines_are_split) {
    const auto made = kernels([](const array& x) { return var(x); }, ones({400000}, float32));
    BOOST_TEST(made.size() == 4U);  // blocks and their results, of the mean and of the squares
}

BOOST_AUTO_TEST_CASE(a_fold_of_what_reads_folds_of_rows_takes_no_second_walk) {
    const auto made = kernels(
        [](const array& x) {
            const array z = x - mean(x, {.axis = 1, .keepdims = true});
            return sum(z * z);
        },
        rows);
    BOOST_REQUIRE(made.size() == 2U);  // rows, and the sum of their sums
    BOOST_TEST(made[0].kind == "rows");
}

BOOST_AUTO_TEST_CASE(outer_products_are_not_made) {
    const array x = ones({64, 32}, float32);
    const auto made = kernels([](const array& a) { return sum(a(all, all, newaxis) * a(all, newaxis, all), {.axis = {-2, -1}}); }, x);
    BOOST_TEST(made.size() == 1U);
}

BOOST_AUTO_TEST_CASE(column_reductions) {
    const auto made = kernels([](const array& x) { return sum(x * 2.0F, {.axis = 0}); }, rows);
    BOOST_TEST(made.back().kind == "columns");
}

// A sum that is repeated, given another shape, and added to what it is the sum of: the gradient of such a program.
BOOST_AUTO_TEST_CASE(reshapes_of_a_repeated_sum) {
    const auto gradient = compile([](const array& x) { return grad([](const array& y) { return array(sum(sum(ravel(y)) + y)); })(x); });
    for (const Shape& shape : {Shape{3, 4}, Shape{33, 5, 4}, Shape{1, 7}}) {
        const array x = ones(shape);
        const double count = static_cast<double>(x.size());
        BOOST_TEST(all(equal(gradient(x), count + 1)).item<bool>());
    }
    const auto cut = compile([](const array& x) { return broadcast_to(sum(x), {4, 6})(range(0, 2), fastnp::all).reshape({3, 4}) + x; });
    BOOST_TEST(fastnp::all(equal(cut(ones({3, 4})), 13)).item<bool>());
}

BOOST_AUTO_TEST_SUITE_END()
