#include "ir/graph.h"

#include <boost/test/unit_test.hpp>

using namespace fastnp;
using namespace fastnp::ir;
using shape::Dim;

BOOST_AUTO_TEST_SUITE(graph)

BOOST_AUTO_TEST_CASE(equal_nodes_are_one) {
    Graph graph;
    const Value x = graph.parameter(Dtype::float32, {4});
    const Value inputs[] = {x, x};
    const Value a = graph.make(Op::add, inputs, {}, Dtype::float32, {4});
    BOOST_TEST(graph.make(Op::add, inputs, {}, Dtype::float32, {4}) == a);
    BOOST_TEST(graph.make(Op::multiply, inputs, {}, Dtype::float32, {4}) != a);
    Attributes attributes;
    attributes.ints = {0};
    const Value sum = graph.make(Op::sum, {&a, 1}, attributes, Dtype::float32, {});
    attributes.ints = {1};
    BOOST_TEST(graph.make(Op::sum, {&a, 1}, attributes, Dtype::float32, {}) != sum);
}

BOOST_AUTO_TEST_CASE(constants_differ_by_every_bit) {
    Graph graph;
    const auto constant = [&](const Scalar& value) {
        Attributes attributes;
        attributes.scalar = value;
        attributes.dtype = Dtype::float64;
        return graph.make(Op::constant, {}, attributes, Dtype::float64, {});
    };
    BOOST_TEST(constant(0.0) == constant(0.0));
    BOOST_TEST(constant(0.0) != constant(-0.0));
    BOOST_TEST(constant(NAN) == constant(NAN));
}

BOOST_AUTO_TEST_CASE(text_names_every_node) {
    Graph graph;
    const shape::Dim n = graph.sizes().symbol("n", 4);
    const Value x = graph.parameter(Dtype::float32, {n, 3});
    Attributes attributes;
    attributes.scalar = 2.5;
    attributes.dims = {n, 3};
    attributes.dtype = Dtype::float32;
    const Value two = graph.make(Op::constant, {}, attributes, Dtype::float32, {n, 3});
    const Value inputs[] = {x, two};
    const Value product = graph.make(Op::multiply, inputs, {}, Dtype::float32, {n, 3});
    attributes = {};
    attributes.ints = {1};
    const Value sum = graph.make(Op::sum, {&product, 1}, attributes, Dtype::float32, {n});
    graph.set_outputs({sum});
    BOOST_TEST(graph.text() ==
               "size n = 4\n"
               "%0 = parameter (0) : float32[n, 3]\n"
               "%1 = constant 2.5 : float32[n, 3]\n"
               "%2 = multiply %0, %1 : float32[n, 3]\n"
               "%3 = sum %2 (1) : float32[n]\n"
               "return %3\n");
}

BOOST_AUTO_TEST_CASE(reachable_leaves_out_the_rest_and_puts_inputs_first) {
    Graph graph;
    const Value x = graph.parameter(Dtype::float32, {4});
    const Value a = graph.make(Op::exp, {&x, 1}, {}, Dtype::float32, {4});
    graph.make(Op::sin, {&x, 1}, {}, Dtype::float32, {4});
    const Value b = graph.make(Op::cos, {&a, 1}, {}, Dtype::float32, {4});
    const Value outputs[] = {b, a};
    const std::vector<Value> wanted{x, a, b};
    BOOST_TEST((reachable(outputs) == wanted));
}

BOOST_AUTO_TEST_SUITE_END()
