// What is kept between two stages of a computation: the least, by a minimum cut.
#include <boost/test/unit_test.hpp>

#include "fastnp/error.h"
#include "transform/partition.h"

using namespace fastnp;
using ir::Op;
using ir::Value;
using shape::Dim;
using shape::Dims;

namespace {

struct Graph {
    ir::Graph graph;

    Value parameter(Dims shape) { return graph.parameter(Dtype::float64, std::move(shape)); }
    Value map(Op op, std::initializer_list<Value> inputs) {
        const std::vector<Value> all(inputs);
        return graph.make(op, all, {}, Dtype::float64, all[0]->shape);
    }
    Value sum(Value x) {
        ir::Attributes attributes;
        attributes.ints.push_back(0);
        return graph.make(Op::sum, {&x, 1}, std::move(attributes), Dtype::float64, {});
    }
    transform::Partition cut(Value late, Value output, std::optional<std::int64_t> budget = std::nullopt) {
        return transform::partition(graph, {&late, 1}, {&output, 1}, budget);
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(partition)

BOOST_AUTO_TEST_CASE(elementwise_values_are_computed_again_from_what_they_share) {
    Graph g;
    const Value x = g.parameter({shape::Dim(100)}), late = g.parameter({shape::Dim(100)});
    const Value a = g.map(Op::sin, {x}), b = g.map(Op::exp, {a}), c = g.map(Op::cos, {b});
    const Value out = g.map(Op::multiply, {g.map(Op::multiply, {g.map(Op::multiply, {late, a}), b}), c});
    const transform::Partition found = g.cut(late, out);
    BOOST_TEST(found.saved.size() == 1U);
    BOOST_TEST(found.bytes == 800);
    BOOST_TEST(found.all_bytes == 2400);
    BOOST_TEST(found.recomputed >= 2U);
    const std::vector<Value> inputs{found.saved[0], late};
    const ir::Graph second = transform::extract(g.graph, inputs, {&out, 1});
    BOOST_TEST(second.parameters().size() == 2U);
    BOOST_TEST(second.outputs().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_budget_trades_memory_for_work) {
    Graph g;
    const Value x = g.parameter({shape::Dim(100)}), late = g.parameter({shape::Dim(100)});
    const Value a = g.map(Op::sin, {x}), b = g.map(Op::exp, {a}), c = g.map(Op::add, {b, b});
    const Value out = g.map(Op::multiply, {g.map(Op::multiply, {g.map(Op::multiply, {late, a}), b}), c});
    const transform::Partition least = g.cut(late, out, 800), some = g.cut(late, out, 1700), most = g.cut(late, out, 2400);
    BOOST_TEST(least.bytes == 800);
    BOOST_TEST(some.bytes == 1600);
    BOOST_TEST(some.recomputed == 1U);  // the sum, which is the cheapest
    BOOST_TEST(most.bytes == 2400);
    BOOST_TEST(most.recomputed == 0U);
    BOOST_CHECK_THROW((void)g.cut(late, out, 799), ValueError);
}

BOOST_AUTO_TEST_CASE(within_a_budget_sums_are_made_again) {
    Graph g;
    const Value x = g.parameter({shape::Dim(10), shape::Dim(100)}), late = g.parameter({});
    std::vector<Value> sums;
    for (const Op op : {Op::sin, Op::cos, Op::exp}) {
        const Value y = g.map(op, {x});
        ir::Attributes axis;
        axis.ints.push_back(0);
        sums.push_back(g.graph.make(Op::sum, {&y, 1}, axis, Dtype::float64, {shape::Dim(100)}));
    }
    const Value all = g.map(Op::add, {g.map(Op::multiply, {sums[0], sums[1]}), sums[2]});
    const Value out = g.map(Op::multiply, {g.map(Op::multiply, {all, sums[0]}), sums[1]});
    const Value wide = g.graph.make(Op::multiply, std::vector<Value>{out, late}, {}, Dtype::float64, {shape::Dim(100)});
    BOOST_TEST(g.cut(late, wide).recomputed == 0U);
    BOOST_TEST(g.cut(late, wide).bytes == 800);
}

BOOST_AUTO_TEST_CASE(sums_are_kept_not_made_again) {
    Graph g;
    const Value x = g.parameter({shape::Dim(100)}), late = g.parameter({});
    const Value total = g.sum(g.map(Op::exp, {x}));
    const transform::Partition found = g.cut(late, g.map(Op::multiply, {late, total}));
    BOOST_TEST(found.bytes == 8);
    BOOST_TEST((found.saved == std::vector<Value>{total}));
    BOOST_TEST(found.recomputed == 0U);
}

BOOST_AUTO_TEST_CASE(what_narrows_is_kept_behind_it) {
    Graph g;
    const Value x = g.parameter({shape::Dim(10)}), late = g.parameter({shape::Dim(1000), shape::Dim(10)});
    ir::Attributes wide;
    wide.dims = {shape::Dim(1000), shape::Dim(10)};
    const Value root = g.map(Op::sqrt, {x});
    const Value repeated = g.graph.make(Op::broadcast_to, {&root, 1}, wide, Dtype::float64, wide.dims);
    const transform::Partition found = g.cut(late, g.map(Op::multiply, {late, g.map(Op::exp, {repeated})}));
    BOOST_TEST(found.bytes == 80);
    BOOST_TEST(found.all_bytes == 80000);
}

BOOST_AUTO_TEST_SUITE_END()
