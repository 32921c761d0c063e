// Graphs and sizes as bytes: what was packed comes back, and nothing else is taken for a graph.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "ir/graph.h"

using namespace fastnp;
using namespace fastnp::ir;
using shape::Dim;

namespace {

// Symbols, a bound size, quotients, guards, every kind of scalar, a call, places.
Graph sample() {
    Graph graph;
    const shape::Dim n = graph.sizes().symbol("n", 8, 0, 100), m = graph.sizes().symbol("m", 4);
    const shape::Dim u = graph.sizes().bound_symbol(3, 0, 50);
    const shape::Dim half = graph.sizes().divide(graph.sizes().add(n, m), shape::Dim(3));
    (void)graph.sizes().equal(graph.sizes().multiply(n, m), shape::Dim(32));
    (void)graph.sizes().at_least(u, shape::Dim(1));
    const Value x = graph.parameter(Dtype::float64, {n, m});
    const Value unused = graph.parameter(Dtype::int16, {half, shape::Dim(3)});
    (void)unused;
    std::vector<Value> constants;
    for (const Scalar& scalar :
         {Scalar(true), Scalar(-5), Scalar(std::uint64_t{1} << 63), Scalar(-0.0), Scalar(NAN), Scalar(std::complex<double>(1, -2))}) {
        Attributes attributes;
        attributes.scalar = scalar;
        attributes.dtype = Dtype::complex128;
        constants.push_back(graph.make(Op::constant, {}, attributes, Dtype::complex128, {}));
    }
    Attributes numbers;
    numbers.ints = {0, 0};
    const Value called = graph.make(Op::call, constants, numbers, Dtype::bool_, {});
    numbers.ints = {0, -1};
    numbers.dims = {u, half};
    const Value given = graph.make(Op::given, {&called, 1}, numbers, Dtype::float64, {u, half});
    const Value inputs[] = {x, x};
    const Value sum = graph.make(Op::add, inputs, {}, Dtype::float64, {n, m});
    graph.add_call({"numpy.median", "A\x01S", {{Dtype::float64, {u, half}}}});
    const std::int64_t owner = graph.next_owner();
    graph.set_outputs({sum, given}, {{owner, sum, {1, 0}}, {}});
    graph.set_effects({called});
    return graph;
}

std::string packed(const Graph& graph) {
    base::Writer out;
    graph.pack(out);
    return out.bytes();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pack)

BOOST_AUTO_TEST_CASE(numbers_and_texts) {
    base::Writer out;
    const std::int64_t integers[] = {0, 1, -1, 63, 64, -64, -65, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    for (const std::int64_t value : integers) out.integer(value);
    out.text("");
    out.text(std::string(300, 'x'));
    out.number(~std::uint64_t{0});
    base::Reader in(out.bytes());
    for (const std::int64_t value : integers) BOOST_TEST(in.integer() == value);
    BOOST_TEST(in.text().empty());
    BOOST_TEST(in.text() == std::string(300, 'x'));
    BOOST_TEST(in.number() == ~std::uint64_t{0});
    BOOST_TEST(in.at_end());
    BOOST_TEST(in.number() == 0U);
    BOOST_TEST(!in.ok());
    base::Reader endless(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
    (void)endless.number();
    BOOST_TEST(!endless.ok());
}

BOOST_AUTO_TEST_CASE(a_graph_comes_back) {
    const Graph graph = sample();
    const std::string bytes = packed(graph);
    base::Reader in(bytes);
    Graph found = Graph::unpack(in);
    BOOST_TEST(in.at_end());
    BOOST_TEST(found.text() == graph.text());
    BOOST_TEST(packed(found) == bytes);
    BOOST_TEST(found.next_owner() == 1);
    BOOST_TEST(found.parameters().size() == 2U);
    BOOST_TEST(found.places()[0].whole == found.outputs()[0]);
    BOOST_TEST((found.effects()[0]->inputs.size() == 6U));
    for (std::size_t i = 0; i < 6; ++i) {
        BOOST_TEST((found.effects()[0]->inputs[i]->attributes.scalar == graph.effects()[0]->inputs[i]->attributes.scalar));
    }
    // Nodes and sizes are known again: equal ones are the same.
    const std::size_t nodes = found.nodes().size(), sizes = found.sizes().size();
    const Value inputs[] = {found.parameters()[0], found.parameters()[0]};
    BOOST_TEST(found.make(Op::add, inputs, {}, Dtype::float64, found.parameters()[0]->shape) == found.outputs()[0]);
    const shape::Dim n = found.parameters()[0]->shape[0], m = found.parameters()[0]->shape[1];
    BOOST_TEST((found.sizes().divide(found.sizes().add(n, m), shape::Dim(3)) == found.parameters()[1]->shape[0]));
    BOOST_TEST(found.nodes().size() == nodes);
    BOOST_TEST(found.sizes().size() == sizes);
    BOOST_TEST((found.sizes().guards() == graph.sizes().guards()));
}

BOOST_AUTO_TEST_CASE(values_of_sizes_are_the_same) {
    const Graph graph = sample();
    const std::string bytes = packed(graph);
    base::Reader in(bytes);
    const Graph found = Graph::unpack(in);
    for (const std::int64_t n : {8, 4, 31}) {
        const std::int64_t symbols[] = {n, 4};
        std::vector<std::int64_t> values(graph.sizes().size()), others(values.size());
        graph.sizes().evaluate(symbols, values.data());
        found.sizes().evaluate(symbols, others.data());
        BOOST_TEST(graph.sizes().holds(0, values.data()) == found.sizes().holds(0, others.data()));
        graph.sizes().bind(1, n - 8, values.data());
        found.sizes().bind(1, n - 8, others.data());
        BOOST_TEST(graph.sizes().holds(1, values.data()) == found.sizes().holds(1, others.data()));
        BOOST_TEST(values == others, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(parts_and_damaged_bytes_do_no_harm) {
    const std::string bytes = packed(sample());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        base::Reader in(std::string_view(bytes).substr(0, size));
        (void)Graph::unpack(in);
        BOOST_TEST(!in.at_end());
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const char change : {char(0), char(0x7f), char(0xff)}) {
            std::string damaged = bytes;
            damaged[at] = change;
            base::Reader in(damaged);
            (void)Graph::unpack(in);  // may be another graph; reads and writes stay inside
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
