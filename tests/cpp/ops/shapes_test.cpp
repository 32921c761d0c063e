// Shape rules on plain and on symbolic sizes, and NumPy's errors.
#include <boost/test/unit_test.hpp>

#include "fastnp/error.h"
#include "ops/infer.h"

using namespace fastnp;
using namespace fastnp::ops;
using ir::Attributes;
using shape::Dim;
using shape::Dims;
using shape::Sizes;

namespace {

template <class F>
std::string message(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

Attributes ints(std::initializer_list<std::int64_t> numbers) {
    Attributes attributes;
    attributes.ints = numbers;
    return attributes;
}

Attributes dims(std::initializer_list<shape::Dim> sizes) {
    Attributes attributes;
    attributes.dims = sizes;
    return attributes;
}

Dims inferred(Op op, const Attributes& attributes, std::vector<Type> operands, Sizes* sizes = nullptr) {
    return infer(op, attributes, operands, sizes).shape;
}

Dims together(std::vector<Dims> shapes, Sizes* sizes = nullptr) { return broadcast(shapes, sizes); }

}  // namespace

BOOST_AUTO_TEST_SUITE(shapes)

BOOST_AUTO_TEST_CASE(broadcasting) {
    BOOST_TEST((together({{3, 1}, {4}}) == Dims{3, 4}));
    BOOST_TEST((together({{}, {2, 0}, {1, 1}}) == Dims{2, 0}));
    BOOST_TEST(message([] { together({{2}, {3}}); }) == "operands could not be broadcast together with shapes (2,) (3,) ");
    BOOST_TEST(message([] { together({{3}, {}, {2, 2}}); }) == "operands could not be broadcast together with shapes (3,) () (2,2) ");
}

BOOST_AUTO_TEST_CASE(broadcasting_symbolic_sizes_notes_the_fewest_guards) {
    Sizes sizes;
    const shape::Dim n = sizes.symbol("n", 5), m = sizes.symbol("m", 5), one = sizes.symbol("one", 1);
    BOOST_TEST((together({{n, 3}, {n, 1}, {3}}, &sizes) == Dims{n, 3}));
    BOOST_TEST((together({{n}, {1}}, &sizes) == Dims{n}));
    BOOST_TEST(sizes.guards().empty());
    BOOST_TEST((together({{n}, {m}}, &sizes) == Dims{n}));
    BOOST_REQUIRE(sizes.guards().size() == 1U);
    BOOST_TEST(sizes.text(sizes.guards()[0].expression) == "n - m");
    BOOST_TEST((together({{one}, {n}}, &sizes) == Dims{n}));
    BOOST_REQUIRE(sizes.guards().size() == 2U);
    BOOST_TEST(sizes.text(sizes.guards()[1].expression) == "one - 1");
    BOOST_TEST((together({{n}, {5}}, &sizes) == Dims{5}));
    BOOST_TEST(message([&] { together({{n, n}, {4, 1}}, &sizes); }) == "operands could not be broadcast together with shapes (5,5) (4,1) ");
}

BOOST_AUTO_TEST_CASE(axes) {
    BOOST_TEST(normalize_axis(-1, 3) == 2);
    BOOST_CHECK_THROW(normalize_axis(3, 2), AxisError);
    BOOST_TEST(message([] { normalize_axis(3, 2); }) == "axis 3 is out of bounds for array of dimension 2");
    const std::int64_t twice[] = {0, -2};
    BOOST_TEST(message([&] { normalize_axes(twice, 2); }) == "duplicate value in 'axis'");
}

BOOST_AUTO_TEST_CASE(reshapes) {
    BOOST_TEST((reshaped({2, 3}, {3, -1}, nullptr) == Dims{3, 2}));
    BOOST_TEST(message([] { reshaped({2, 3}, {4}, nullptr); }) == "cannot reshape array of size 6 into shape (4,)");
    BOOST_TEST(message([] { reshaped({2, 3}, {-1, 4}, nullptr); }) == "cannot reshape array of size 6 into shape (4)");
    BOOST_TEST(message([] { reshaped({2, 3}, {-1, -1}, nullptr); }) == "can only specify one unknown dimension");
    Sizes sizes;
    const shape::Dim n = sizes.symbol("n", 4), m = sizes.symbol("m", 3);
    BOOST_TEST((reshaped({n, m}, {-1}, &sizes) == Dims{sizes.multiply(n, m)}));
    BOOST_TEST((reshaped({n, 6}, {-1, 2, 3}, &sizes) == Dims{n, 2, 3}));
    BOOST_TEST(sizes.guards().empty());
    BOOST_TEST((reshaped({n, m}, {-1, m}, &sizes) == Dims{n, m}));
    BOOST_TEST(sizes.guards().size() == 1U);  // m != 0
}

BOOST_AUTO_TEST_CASE(reductions) {
    BOOST_TEST((inferred(Op::sum, ints({0, 2}), {{float64, {2, 3, 4}}}) == Dims{3}));
    BOOST_TEST(message([] { inferred(Op::max, ints({0}), {{float64, {0, 3}}}); }) ==
               "zero-size array to reduction operation maximum which has no identity");
    BOOST_TEST((inferred(Op::max, ints({1}), {{float64, {0, 3}}}) == Dims{0}));
    BOOST_TEST(message([] { inferred(Op::argmax, ints({0}), {{float64, {0, 3}}}); }) == "attempt to get argmax of an empty sequence");
    Sizes sizes;
    const shape::Dim n = sizes.symbol("n", 4);
    BOOST_TEST((inferred(Op::max, ints({0}), {{float64, {n, 3}}}, &sizes) == Dims{3}));
    BOOST_REQUIRE(sizes.guards().size() == 1U);
    BOOST_TEST(sizes.text(sizes.guards()[0].expression) == "n");
}

BOOST_AUTO_TEST_CASE(moves) {
    BOOST_TEST((inferred(Op::transpose, ints({2, 0, 1}), {{int8, {2, 3, 4}}}) == Dims{4, 2, 3}));
    BOOST_TEST((inferred(Op::expand_dims, ints({0, 2}), {{int8, {5}}}) == Dims{1, 5, 1}));
    BOOST_TEST((inferred(Op::squeeze, ints({0, 2}), {{int8, {1, 5, 1}}}) == Dims{5}));
    BOOST_TEST(message([] { inferred(Op::squeeze, ints({0}), {{int8, {5}}}); }) == "cannot select an axis to squeeze out which has size not equal to one");
    BOOST_TEST(message([] { inferred(Op::broadcast_to, dims({2}), {{int8, {3}}}); }) ==
               "operands could not be broadcast together with remapped shapes [original->remapped]: (3,)  and requested shape (2,)");
    BOOST_TEST(message([] { inferred(Op::broadcast_to, dims({3}), {{int8, {2, 3}}}); }) ==
               "input operand has more dimensions than allowed by the axis remapping");
}

BOOST_AUTO_TEST_CASE(joins) {
    BOOST_TEST((inferred(Op::concatenate, ints({1}), {{int8, {2, 3}}, {int8, {2, 4}}}) == Dims{2, 7}));
    BOOST_TEST(message([] { inferred(Op::concatenate, ints({0}), {{int8, {2}}, {int8, {2, 2}}}); }) ==
               "all the input arrays must have same number of dimensions, but the array at index 0 has 1 dimension(s) and the array at index 1 has 2 "
               "dimension(s)");
    BOOST_TEST(message([] { inferred(Op::concatenate, ints({0}), {{int8, {2, 3}}, {int8, {3, 2}}}); }) ==
               "all the input array dimensions except for the concatenation axis must match exactly, but along dimension 1, the array at index 0 has "
               "size 3 and the array at index 1 has size 2");
    BOOST_TEST((inferred(Op::pad, dims({1, 0, 2, 0}), {{int8, {2, 3}}, {int8, {}}}) == Dims{5, 3}));
}

BOOST_AUTO_TEST_CASE(products) {
    BOOST_TEST((inferred(Op::matmul, {}, {{int8, {5, 1, 2, 3}}, {int8, {4, 3, 6}}}) == Dims{5, 4, 2, 6}));
    BOOST_TEST(message([] { inferred(Op::matmul, {}, {{int8, {2, 3}}, {int8, {4, 5}}}); }) ==
               "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size 4 is different "
               "from 3)");
    BOOST_TEST(message([] { inferred(Op::matmul, {}, {{int8, {2, 2, 3}}, {int8, {3, 3, 5}}}); }) ==
               "operands could not be broadcast together with remapped shapes [original->remapped]: (2,2,3)->(2,newaxis,newaxis) "
               "(3,3,5)->(3,newaxis,newaxis)  and requested shape (2,5)");
}

BOOST_AUTO_TEST_CASE(tuples_print_as_in_python_and_as_in_numpys_errors) {
    BOOST_TEST(shape_text({2, 3}) == "(2, 3)");
    BOOST_TEST(shape_text({2}) == "(2,)");
    BOOST_TEST(compact_text({2, 3}) == "(2,3)");
    BOOST_TEST(compact_text({}) == "()");
}

BOOST_AUTO_TEST_SUITE_END()
