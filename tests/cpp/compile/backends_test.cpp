// The ladder of back ends, and back ends of users.
#include "fastnp/backends.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fastnp/fastnp.h"
#include "fastnp/graph.h"

namespace fastnp {

BOOST_AUTO_TEST_SUITE(backends)

namespace {

using Arrays = std::vector<array>;

array softmax(const array& x) {
    const array e = exp(x - max(x, {.axis = 1, .keepdims = true}));
    return e / sum(e, {.axis = 1, .keepdims = true});
}

array example(int rows, int columns) { return sin(reshape(arange(rows * columns), {rows, columns}) * 1.7) * 3.0; }

bool same_bits(const array& x, const array& y) {
    const array a = x.copy(), b = y.copy();
    return a.shape() == b.shape() && a.dtype() == b.dtype() && std::memcmp(a.data(), b.data(), a.size() * itemsize_of(a.dtype())) == 0;
}

bool is_near(const array& x, const array& y, double tolerance) { return x.shape() == y.shape() && max(absolute(x - y)).item<double>() <= tolerance; }

template <class E, class F>
void check_error(const F& body, const std::string& text) {
    BOOST_CHECK_EXCEPTION(body(), E, [&](const E& error) {
        BOOST_TEST_MESSAGE(error.what());
        return std::string(error.what()).find(text) != std::string::npos;
    });
}

}  // namespace

BOOST_AUTO_TEST_CASE(names) {
    std::vector<std::string> names;
    for (const BackendInfo& each : list_backends()) names.push_back(each.name);
    names.resize(6);
    const std::vector<std::string> ladder = {"eager", "aot_eager", "interpreter", "llvm-O0", "llvm-nofuse", "llvm"};
    BOOST_TEST(names == ladder, boost::test_tools::per_element());
    BOOST_TEST(backend_info("inductor").name == "llvm");
    BOOST_TEST(!backend_info("llvm-nofuse").fuses);
    check_error<ValueError>([] { (void)backend_info("gcc"); }, "unknown backend 'gcc': the backends are 'eager', 'aot_eager', 'interpreter'");
    check_error<ValueError>([] { (void)compile(softmax, {.backend = "gcc"}); }, "unknown backend 'gcc'");
}

BOOST_AUTO_TEST_CASE(rungs_give_the_same) {
    for (const auto& [rows, columns] : {std::pair(3, 5), std::pair(40, 33), std::pair(2, 700)}) {
        const array x = example(rows, columns);
        const array want = compile(softmax)(x);
        for (const BackendInfo& each : list_backends()) {
            const auto f = compile(softmax, {.backend = each.name});
            BOOST_TEST_CONTEXT(each.name) {
                BOOST_TEST(is_near(f(x), want, 1e-13));
                const bool is_fused = each.name == "interpreter" || each.name == "llvm-O0";
                if (is_fused) BOOST_TEST(same_bits(f(x), want));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(transforms_run_on_the_rung_of_the_function) {
    const auto loss = [](const array& x) { return sum(softmax(x) * x); };
    const array x = example(4, 5);
    const array want = grad(loss)(x);
    for (const char* name : {"eager", "interpreter", "llvm-nofuse"}) BOOST_TEST(is_near(grad(compile(loss, {.backend = name}))(x), want, 1e-12));
    int graphs = 0;
    register_backend("counting", [&graphs](const Graph& graph, const Arrays&) {
        ++graphs;
        return graph.compile();
    });
    BOOST_TEST(is_near(grad(compile(loss, {.backend = "counting"}))(x), want, 1e-12));
    BOOST_TEST(graphs == 1);
}

BOOST_AUTO_TEST_CASE(graphs_for_users) {
    std::vector<Graph> graphs;
    register_backend("walking", [&graphs](const Graph& graph, const Arrays& examples) {
        graphs.push_back(graph);
        BOOST_TEST(examples.size() == graph.inputs().size());
        return [graph](const Arrays& arrays) { return graph.run(arrays); };
    });
    const auto f = compile([](const array& x, const array& y) { return sum(exp(x) * y, {.axis = 0}); }, {.backend = "walking"});
    const array x = example(3, 4), y = example(4, 4)[0];
    const array want = sum(exp(x) * y, {.axis = 0});
    for (int turn = 0; turn < 2; ++turn) BOOST_TEST(is_near(f(x, y), want, 1e-13));
    BOOST_TEST(graphs.size() == 1U);
    const Graph& graph = graphs[0];
    const GraphNode& last = graph.nodes()[graph.outputs()[0]];
    BOOST_TEST(last.op == "sum");
    BOOST_TEST((last.shape == Shape{4}));
    BOOST_TEST((last.ints == std::vector<std::int64_t>{0}));
    BOOST_TEST(graph.text().find("exp %0 : float64[3, 4]") != std::string::npos);
    const auto is_exp = [](const GraphNode& node) { return node.op == "exp"; };
    const auto node = static_cast<std::size_t>(std::find_if(graph.nodes().begin(), graph.nodes().end(), is_exp) - graph.nodes().begin());
    const Graph other = graph.replace(node, [](const Arrays& inputs) { return cos(inputs[0]); });
    BOOST_TEST(is_near(other.compile("interpreter")({x, y})[0], sum(cos(x) * y, {.axis = 0}), 1e-13));
    check_error<ValueError>([&] { (void)graph.replace(node, [](const Arrays& inputs) { return inputs[0][0]; }); }, "(exp) is float64[3, 4]");
    check_error<ValueError>([&] { (void)graph.run({x}); }, "a graph of 2 inputs is run on 1 arrays");
}

BOOST_AUTO_TEST_CASE(graphs_of_texts_and_parts_of_them) {
    std::vector<Graph> given;
    const auto keep = [&](const Graph& graph, const Arrays&) {
        given.push_back(graph);
        return graph.compile("llvm");
    };
    register_backend("kept", keep, true);
    const array x = example(3, 4), y = example(3, 4) + 0.5;
    const array wanted = compile([](const array& x, const array& y) { return sum(exp(x) * 1.0 - y, {.axis = 1}); }, {.backend = "kept"})(x, y);
    register_backend("kept", nullptr);
    BOOST_REQUIRE(given.size() == 1);
    const Graph& graph = given[0];
    BOOST_TEST(Graph::parse(graph.text()).text() == graph.text());
    BOOST_TEST(is_near(Graph::parse(graph.text()).run({x, y})[0], wanted, 1e-13));

    const auto number_of = [&](std::string_view op) {
        return static_cast<std::size_t>(std::ranges::find(graph.nodes(), op, &GraphNode::op) - graph.nodes().begin());
    };
    const std::size_t subtract = number_of("subtract");
    BOOST_TEST(is_near(graph.part({subtract}).run({x, y})[0], exp(x) - y, 1e-13));
    const Graph last = graph.part({subtract}, graph.nodes()[subtract].inputs);
    BOOST_TEST(last.nodes().size() == 3U);
    BOOST_TEST(is_near(last.run({x, y})[0], x - y, 1e-13));
    check_error<ValueError>([&] { (void)graph.part({subtract}, std::vector<std::size_t>{}); }, "is an input of the graph, and none of `inputs`");
    check_error<ValueError>([&] { (void)graph.part({99}); }, "there is no node %99");
    check_error<ValueError>([&] { (void)graph.part({subtract}, std::vector<std::size_t>{0, 0}); }, "is named twice among `inputs`");

    const auto passes = graph.passes("llvm");
    const auto simplified = std::ranges::find(passes, "simplify", &std::pair<std::string, std::string>::first);
    BOOST_REQUIRE(simplified != passes.end());
    BOOST_TEST(is_near(Graph::parse(simplified->second).run({x, y})[0], wanted, 1e-13));
    check_error<ValueError>([] { (void)Graph::parse("%0 = parameter (0) : float64[2]\n%1 = exp %0 : float64[3]\nreturn %1\n"); }, "exp");
    check_error<ValueError>([] { (void)Graph::parse("size n = 3\n%0 = parameter (0) : float64[n]\nreturn %0\n"); }, "sizes that vary");
}

BOOST_AUTO_TEST_CASE(writes_stay_around_what_users_compute) {
    register_backend("handing on", [](const Graph& graph, const Arrays&) { return graph.compile("llvm"); });
    array x = example(3, 4);
    const array before = x.copy();
    const auto f = compile(
        [](array& x) {
            x += 1;
            return x * 2;
        },
        {.backend = "handing on"});
    const array got = f(x);
    BOOST_TEST(is_near(x, before + 1, 1e-15));
    BOOST_TEST(is_near(got, (before + 1) * 2, 1e-15));
}

BOOST_AUTO_TEST_CASE(errors_name_the_back_end) {
    const auto f = [](const array& x) { return exp(x); };
    const array x = example(2, 2);
    register_backend("none", [](const Graph&, const Arrays&) { return GraphFunction(); });
    check_error<TypeError>([&] { (void)compile(f, {.backend = "none"})(x); }, "backend 'none' gives no function");
    register_backend("throwing", [](const Graph&, const Arrays&) -> GraphFunction { throw std::runtime_error("no"); });
    check_error<Error>([&] { (void)compile(f, {.backend = "throwing"})(x); }, "no\n  in backend 'throwing'");
    register_backend("flat", [](const Graph&, const Arrays&) { return [](const Arrays& given) { return Arrays{given[0][0]}; }; });
    check_error<ValueError>([&] { (void)compile(f, {.backend = "flat"})(x); }, "backend 'flat': output 0 (exp) is float64[2, 2], not float64[2]");
    check_error<ValueError>([] { register_backend("llvm", nullptr); }, "is a backend of fastnp's");
    register_backend("none", nullptr);
    check_error<ValueError>([&] { (void)compile(f, {.backend = "none"}); }, "unknown backend 'none'");
    register_backend("none", [](const Graph& graph, const Arrays&) { return graph.compile(); });
    check_error<ValueError>([&] { (void)compile(f, {.backend = "none", .sizes = DynamicSizes::always}); }, "takes graphs of fixed sizes");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastnp
