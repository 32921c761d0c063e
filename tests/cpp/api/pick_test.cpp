// Elements set at indices and where masks are true, at once and compiled.
#include <boost/test/unit_test.hpp>

#include "expect.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

using expect::values_of;
using List = std::vector<double>;

}  // namespace

BOOST_AUTO_TEST_SUITE(pick_and_set)

BOOST_AUTO_TEST_CASE(the_last_of_several_values_counts_unless_they_are_combined) {
    const array index = array({0, 2, 0, -1}).astype(int64);
    const array values = array({1.0, 2.0, 3.0, 4.0});
    array x = zeros({4});
    set_at(x, {index}, values);
    BOOST_TEST(values_of(x) == (List{3, 0, 2, 4}), boost::test_tools::per_element());
    at(add, x, {index}, values);
    BOOST_TEST(values_of(x) == (List{7, 0, 4, 8}), boost::test_tools::per_element());
    at(maximum, x, {index}, 5);
    BOOST_TEST(values_of(x) == (List{7, 0, 5, 8}), boost::test_tools::per_element());
    at(subtract, x, {index}, 1);
    BOOST_TEST(values_of(x) == (List{5, 0, 4, 7}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(functions_at_elements) {
    const array index = array({0, 2, 0}).astype(int64);
    array x = array({1.0, 4.0, 9.0});
    at(negative, x, {index});
    BOOST_TEST(values_of(x) == (List{1, 4, -9}), boost::test_tools::per_element());
    at(square, x.index({Slice{1}}), {});
    BOOST_TEST(values_of(x) == (List{1, 16, 81}), boost::test_tools::per_element());
    at(add, x.index({2}), {}, 1);
    BOOST_TEST(values_of(x) == (List{1, 16, 82}), boost::test_tools::per_element());
    array whole = array({1, 2, 3}).astype(int64);
    at(add, whole, {index}, 0.75);  // each sum is cut to an integer
    BOOST_TEST(values_of(whole.astype(float64)) == (List{1, 2, 3}), boost::test_tools::per_element());
    at(add, whole, {index}, 1.5);
    BOOST_TEST(values_of(whole.astype(float64)) == (List{3, 2, 4}), boost::test_tools::per_element());
    BOOST_CHECK_THROW(at(add, whole, {index}, ones({2})), ValueError);
    BOOST_CHECK_THROW(at(negative, whole, {array({3}).astype(int64)}), IndexError);
    const auto function = [](const array& x, const array& index) {
        const array y = x * 2;
        at(sqrt, y, {index});
        at(hypot, y, {index}, 0.1F);
        return y;
    };
    BOOST_TEST(values_of(compile(function)(x, index)) == values_of(function(x, index)), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(indices_of_several_axes) {
    const array x = arange(12).reshape({3, 4}).astype(float64);
    const array rows = array({0, 2}).astype(int64), columns = array({-1, 1}).astype(int64);
    BOOST_TEST(values_of(pick(x, {rows, columns})) == (List{3, 9}), boost::test_tools::per_element());
    array y = x.copy();
    set_at(y, {rows, columns}, 100);
    BOOST_TEST(y[0][3].item<double>() == 100);
    BOOST_TEST(y[2][1].item<double>() == 100);
    BOOST_CHECK_THROW(pick(x, {rows, array({0, 4}).astype(int64)}), IndexError);
    BOOST_CHECK_THROW(pick(x, {rows, rows, rows}), IndexError);
}

BOOST_AUTO_TEST_CASE(masks_take_a_value_for_each_true_element) {
    array x = array({1.0, -2.0, 3.0});
    set_masked(x, x > 0, array({10.0, 20.0}));
    BOOST_TEST(values_of(x) == (List{10, -2, 20}), boost::test_tools::per_element());
    BOOST_CHECK_EXCEPTION(set_masked(x, x > 0, array({1.0, 2.0, 3.0})), ValueError, [](const ValueError& error) {
        return std::string(error.what()) ==
               "NumPy boolean array indexing assignment cannot assign 3 input values to the 2 output values where the mask is true";
    });
}

BOOST_AUTO_TEST_CASE(errors_name_shapes_and_dtypes) {
    array x = zeros({3, 2});
    const array index = array({0, 1}).astype(int64);
    BOOST_CHECK_EXCEPTION(set_at(x, {index}, ones({3})), ValueError, [](const ValueError& error) {
        return std::string(error.what()) == "shape mismatch: value array of shape (3,) could not be broadcast to indexing result of shape (2,2)";
    });
    array whole = zeros({3}, int64);
    BOOST_CHECK_THROW(set_at(whole, {array({0.5})}, 1), TypeError);
    whole.set_writable(false);
    BOOST_CHECK_THROW(set_at(whole, {index}, 1), ValueError);
}

BOOST_AUTO_TEST_CASE(compiled_as_at_once) {
    const auto function = [](array x, const array& index, const array& values) {
        x = x * 2;
        set_at(x, {index}, values);
        at(add, x, {index}, values);
        return x + 1;
    };
    for (const char* backend : {"llvm", "eager"}) {
        const auto f = compile(function, {.backend = backend});
        for (int i = 0; i < 2; ++i) {
            const array index = array({0, 2, 0}).astype(int64), values = array({1.0, 2.0, 3.0});
            BOOST_TEST(values_of(f(ones({4}), index, values)) == values_of(function(ones({4}), index, values)), boost::test_tools::per_element());
        }
        BOOST_TEST(f.cache_info().uncompiled == 0U);
    }
}

BOOST_AUTO_TEST_SUITE_END()
