// Graphs as text: what Graph::text() gives is read back, and what is no graph is told with its place.
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>

#include "compile/random_program.h"
#include "fastnp/error.h"
#include "ir/parse.h"
#include "ops/verify.h"
#include "selection.h"

using namespace fastnp;
using namespace fastnp::ir;
using Size = fastnp::shape::Dim;

namespace {

void check_comes_back(const Graph& graph) {
    for (const bool lines : {false, true}) {
        const std::string text = graph.text({.lines = lines});
        BOOST_TEST(parse(text).text({.lines = lines}) == text);
    }
}

std::string packed(const Graph& graph) {
    base::Writer out;
    graph.pack(out);
    return out.bytes();
}

Value constant(Graph& graph, const Scalar& scalar, Dtype dtype) {
    Attributes attributes;
    attributes.scalar = scalar;
    attributes.dtype = dtype;
    return graph.make(Op::constant, {}, attributes, dtype, {});
}

// The error's text without its beginning.
std::string wrong(const std::string& text) {
    try {
        (void)parse(text);
    } catch (const ValueError& error) {
        const std::string told = error.what(), begins = "graph text, ";
        BOOST_TEST(told.starts_with(begins), told);
        return told.substr(begins.size());
    }
    return "no error";
}

const char* const loop_text =
    "size n = 5\n"
    "%0 = parameter (0) : float64[n]\n"
    "%1 = constant 1.0 : float64[n]\n"
    "%2 = loop %1, %0 (0, 0, 0, 0, 0, 0, -1, 0, 0) [5] : bool[]\n"
    "%3 = after %2 (0) : float64[n]\n"
    "%4 = after %2 (1) : float64[5, n//2]\n"
    "effects %2\n"
    "return %3, %4\n"
    "body 0 (states 1, parts 0, constants 1, collected 1) {\n"
    "  %0 = parameter (0) : float64[n]\n"
    "  %1 = parameter (1) : float64[n]\n"
    "  %2 = parameter (2) : float64[n//2]\n"
    "  %3 = multiply %0, %1 : float64[n]\n"
    "  %4 = slice %3 (1) [0, n//2] : float64[n//2]\n"
    "  %5 = update %2, %4 (1) [0, n//2] : float64[n//2]\n"
    "  effects %5\n"
    "  return %3 at 0 of %3\n"
    "}\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(graph_text)

BOOST_AUTO_TEST_CASE(every_scalar_comes_back_bit_by_bit) {
    Graph graph;
    std::vector<Value> values;
    const auto nan = [](std::uint64_t bits) { return Scalar(std::bit_cast<double>(bits)); };
    std::vector<Scalar> scalars = {true,
                                   false,
                                   0,
                                   -1,
                                   INT64_MAX,
                                   INT64_MIN,
                                   UINT64_MAX,
                                   0.0,
                                   -0.0,
                                   1.0,
                                   -2.5,
                                   1e300,
                                   5e-324,
                                   INFINITY,
                                   -INFINITY,
                                   1e-05,
                                   nan(0x7ff8000000000000),
                                   nan(0xfff8000000000000),
                                   nan(0x7ff8000000000001),
                                   nan(0x7ff0000000000001),
                                   std::complex<double>(-0.0, NAN),
                                   std::complex<double>(1, -INFINITY)};
    std::mt19937_64 random(test_seed());
    for (int i = 0; i < 200; ++i) scalars.push_back(nan(random()));
    for (const Scalar& each : scalars) values.push_back(constant(graph, each, Dtype::complex128));
    graph.set_outputs(values);
    check_comes_back(graph);
    const Graph found = parse(graph.text());
    BOOST_REQUIRE(found.outputs().size() == scalars.size());
    for (std::size_t i = 0; i < scalars.size(); ++i) BOOST_TEST((found.outputs()[i]->attributes.scalar == scalars[i]), text_of(scalars[i]));
}

BOOST_AUTO_TEST_CASE(loops_and_their_bodies_come_back) {
    const Graph graph = parse(loop_text);
    BOOST_TEST(graph.text() == loop_text);
    check_comes_back(graph);
    BOOST_REQUIRE(graph.bodies().size() == 1U);
    const Body& body = *graph.bodies()[0];
    BOOST_TEST((body.states == 1 && body.parts == 0 && body.constants == 1 && body.collected == 1));
    BOOST_TEST(body.graph.sizes().size() == graph.sizes().size());
    BOOST_TEST((body.graph.places()[0].whole == body.graph.outputs()[0]));
    BOOST_TEST((body.graph.parameters()[2]->shape == graph.outputs()[1]->attributes.dims || body.graph.parameters()[2]->shape.size() == 1));
    ops::verify(graph);
}

BOOST_AUTO_TEST_CASE(all_that_a_graph_has_comes_back) {
    Graph graph;
    auto& sizes = graph.sizes();
    const Size n = sizes.symbol("n", 8, 0, 100), m = sizes.symbol("batch size", 4), u = sizes.bound_symbol(3, 0, 50);
    const Size half = sizes.divide(sizes.add(n, m), Size(3)), other = sizes.divide(n, sizes.add(m, Size(1)));
    (void)sizes.equal(sizes.multiply(n, m), Size(32));
    (void)sizes.at_least(u, Size(1));
    const Value x = graph.parameter(Dtype::float64, {n, m});
    graph.parameter(Dtype::int16, {sizes.add(sizes.multiply(half, other), sizes.multiply(Size(-2), other)), sizes.divide(n, sizes.divide(m, Size(2)))});
    const Value numbers[] = {x, constant(graph, 2.5, Dtype::float64)};
    Attributes attributes;
    attributes.ints = {0, 0};
    const Value called = graph.make(Op::call, numbers, attributes, Dtype::bool_, {});
    attributes.ints = {0, 0};
    attributes.dims = {u, half};
    const Value given = graph.make(Op::given, {&called, 1}, attributes, Dtype::float64, {u, half});
    Attributes scaled;
    scaled.ints = {1, 2, -1};
    scaled.dims = {m};
    scaled.dtype = Dtype::float64;
    const At at(graph, location_of("model.py", 12, "loss"));
    const Value line = graph.make(Op::fft, {&given, 1}, scaled, Dtype::complex128, {u, m});
    Attributes expected;
    expected.scalar = std::complex<double>(0, -1);
    expected.ints = {0};
    const Value expect = graph.make(Op::expect, {&line, 1}, expected, Dtype::complex128, {u, m});
    graph.add_call({"numpy.median", std::string("A\x01\"\\S\n\0x", 8), {{Dtype::float64, {u, half}}, {Dtype::bool_, {}}}});
    Attributes order;
    order.ints = {1, 0};
    const Value turned = graph.make(Op::transpose, {&x, 1}, order, Dtype::float64, {m, n});
    graph.set_outputs({turned, given, turned}, {{graph.next_owner(), x, {1, 0}}, {}, {graph.next_owner(), turned, {}}});
    graph.set_effects({called, expect});
    check_comes_back(graph);
    Graph found = parse(graph.text({.lines = true}));
    BOOST_TEST(packed(found) == packed(parse(found.text())));
    BOOST_TEST(found.parameters().size() == 2U);
    BOOST_TEST((found.calls()[0].structure == graph.calls()[0].structure));
    BOOST_TEST(found.next_owner() >= 2);
    BOOST_TEST((line_of(found.effects()[1]->where) == Line{"model.py", 12, "loss"}));
    BOOST_TEST((found.sizes().guards().size() == sizes.guards().size()));
    for (const std::int64_t hint : {8, 4, 31}) {
        const std::int64_t symbols[] = {hint, 4};
        std::vector<std::int64_t> values(sizes.size()), others(found.sizes().size());
        sizes.evaluate(symbols, values.data());
        found.sizes().evaluate(symbols, others.data());
        BOOST_TEST(sizes.holds(0, values.data()) == found.sizes().holds(0, others.data()));
    }
}

BOOST_AUTO_TEST_CASE(equal_graphs_of_other_lines_print_alike) {
    const auto made = [](const char* file) {
        Graph graph;
        const Value x = graph.parameter(Dtype::float32, {4});
        const At at(graph, location_of(file, 1, "f"));
        const Value inputs[] = {x, x};
        const Value sum = graph.make(Op::add, inputs, {}, Dtype::float32, {4});
        const At later(graph, location_of(file, 2, "f"));
        BOOST_TEST(graph.make(Op::add, inputs, {}, Dtype::float32, {4}) == sum);
        graph.set_outputs({sum});
        return graph;
    };
    BOOST_TEST(made("a.py").text() == made("b.py").text());
    BOOST_TEST(packed(made("a.py")) == packed(made("b.py")));
    BOOST_TEST(made("a.py").text({.lines = true}).find("%1 = add %0, %0 : float32[4]  ; a.py:1 in f\n") != std::string::npos);
    BOOST_TEST(made("a.py").copy().text({.lines = true}) == made("a.py").text({.lines = true}));
}

BOOST_AUTO_TEST_CASE(texts_may_be_written_by_hand) {
    const Graph graph = parse(
        "; a sum\n\n"
        "size n = 4 in 1..   ; of x\n"
        "  %x = parameter (0) : float32[n]\n"
        "  %twice=add %x,%x:float32[n]   ; each element\n\n"
        "return %twice");
    BOOST_TEST(graph.text() ==
               "size n = 4 in 1..\n"
               "%0 = parameter (0) : float32[n]\n"
               "%1 = add %0, %0 : float32[n]\n"
               "return %1\n");
}

BOOST_AUTO_TEST_CASE(what_is_no_graph_is_told_with_its_place) {
    const std::string x = "%0 = parameter (0) : float64[3]\n";
    const std::pair<std::string, std::string> cases[] = {
        {"", "line 1, column 1: expected a value or 'return', not the end of the text"},
        {x, "line 2, column 1: expected a value or 'return', not the end of the text"},
        {x + "%1 = sinus %0 : float64[3]\nreturn %1", "line 2, column 6: expected an op, not 'sinus'"},
        {x + "%1 = sin %2 : float64[3]\nreturn %1", "line 2, column 10: there is no such value above"},
        {x + "%1 = sin %0 : float65[3]\nreturn %1", "line 2, column 15: expected a dtype, not 'float65'"},
        {x + "%1 = sin %0 : float64[n]\nreturn %1", "line 2, column 23: there is no size 'n'"},
        {x + "%0 = sin %0 : float64[3]\nreturn %0", "line 2, column 1: there is a value %0 already"},
        {x + "%1 = sin %0\nreturn %1", "line 2, column 12: expected a number, not the end of the line"},
        {x + "%1 = sin %0 : float64[3\nreturn %1", "line 2, column 24: expected ']', not the end of the line"},
        {x + "%1 = slice %0 (1 [0, 3] : float64[3]\nreturn %1", "line 2, column 18: expected ')', not '['"},
        {x + "%1 = constant : float64[]\nreturn %1", "line 2, column 15: expected a number, not ':'"},
        {x + "%1 = constant 1.5.2 : float64[]\nreturn %1", "line 2, column 15: expected a number, not '1'"},
        {x + "%1 = constant nan(0x3ff0000000000000) : float64[]\nreturn %1", "line 2, column 21: expected the bits of a NaN, not '3ff0000000000000'"},
        {"%0 = parameter (1) : float64[3]\nreturn %0", "line 1, column 32: expected the parameter (0)"},
        {x + "return %0 %0", "line 2, column 11: expected ',', not '%'"},
        {x + "return %0\nmore", "line 3, column 1: expected the end of the text, not 'more'"},
        {"size n = 4\nsize n = 4\nreturn", "line 2, column 5: there is a size 'n' already"},
        {"size n = x\nreturn", "line 1, column 10: expected a whole number, not 'x'"},
        {"size n = 99999999999999999999\nreturn", "line 1, column 9: a number beyond 64 bits"},
        {"found size n = 4\nreturn", "line 1, column 11: expected 'u0': sizes that are found are numbered"},
        {"size n = 4\nguard n - 5 >= 0\nreturn", "line 2, column 17: a guard that does not hold for the sizes at hand"},
        {"size n = 4\nguard n > 0\nreturn", "line 2, column 9: expected '>=', not '>'"},
        {"size n = 4\nsize n//(n - 4)\nreturn", "line 2, column 16: a size divided by zero"},
        {"%0 = parameter (0) : float64[4611686018427387904]\nreturn %0", "line 1, column 49: a size that is too big"},
        {"return\ncall 1: \"f\" \"\" ()\n", "line 2, column 7: expected the number 0"},
        {"return\ncall 0: \"f \n", "line 2, column 12: expected '\"', not the end of the line"},
        {"return\nbody 0 (states 1) {\nreturn\n}\n", "line 2, column 18: expected states, parts, constants and collected"},
        {"return\nbody 0 (states 0, parts 0, constants 0, collected 0) {\nreturn\n", "line 4, column 1: expected '}', not the end of the text"},
    };
    for (const auto& [text, error] : cases) BOOST_TEST(wrong(text) == error, text << "\n" << wrong(text));
}

BOOST_AUTO_TEST_CASE(damaged_texts_do_no_harm) {
    const std::string text = loop_text;
    std::mt19937_64 random(test_seed());
    const std::string signs = "%()[]{},:;=\"/-*+ \n019nx.e";
    int errors = 0;
    for (int i = 0; i < 4000; ++i) {
        std::string damaged = text;
        const std::size_t at = random() % damaged.size();
        if (random() % 3 == 0) damaged.erase(at, 1 + random() % 4);
        else if (random() % 2 == 0) damaged[at] = signs[random() % signs.size()];
        else damaged.insert(at, 1, signs[random() % signs.size()]);
        try {
            const Graph graph = parse(damaged);
            check_comes_back(graph);
        } catch (const ValueError&) {
            ++errors;
        }
    }
    BOOST_TEST(errors > 1000);
}

BOOST_AUTO_TEST_CASE(random_programs_come_back) {
    const auto seed = static_cast<unsigned>(test_seed());
    for (unsigned i = 0; i < 40; ++i) {
        const RandomProgram program(seed + i);
        const auto compiled = fastnp::compile(program);
        for (const fastnp::Shape& shape : {fastnp::Shape{6, 5}, fastnp::Shape{9, 5}}) (void)compiled(ones(shape), ones({4, 3}));
        for (const EntryInfo& entry : compiled.entries()) {
            const Graph graph = parse(entry.ir);
            BOOST_TEST(graph.text() == entry.ir, "program " << seed + i);
            ops::verify(graph);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
