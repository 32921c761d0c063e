// Broken graphs, each told by the verifier with its line.
#include "ops/verify.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>

#include "fastnp/error.h"
#include "ir/parse.h"

using namespace fastnp;

namespace {

std::string wrong(const ir::Graph& graph) {
    try {
        ops::verify(graph, "after a test");
    } catch (const InternalError& error) {
        const std::string told = error.what(), begins = "a graph is wrong after a test: ";
        return told.starts_with(begins) ? told.substr(begins.size()) : told;
    }
    return "nothing";
}

std::string wrong(const std::string& text) { return wrong(ir::parse("%x = parameter (0) : float64[2, 3]\n" + text)); }

std::string loop_of(const std::string& operands, const std::string& after, const std::string& body) {
    return "%n = parameter (1) : float64[3]\n%p = parameter (2) : float64[7, 3]\n%l = loop " + operands +
           " (0, 0, 0, 0, 0, 0, -1, 0, 0) [7] : bool[]\n%a = after %l " + after + "\nreturn %a\nbody 0 (states 1, parts 1, constants 0, collected 1) {\n" +
           "%s = parameter (0) : float64[3]\n%t = parameter (1) : float64[3]\n%c = parameter (2) : float64[3]\n%1 = add %s, %t : float64[3]\n" + body +
           "}\n";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(verify_graphs)

BOOST_AUTO_TEST_CASE(dtypes_and_shapes_are_those_of_the_ops) {
    const std::pair<const char*, const char*> cases[] = {
        {"%1 = exp %x : float64[2, 3]", "nothing"},
        {"%1 = exp %x : float32[2, 3]", "`%1 = exp %0 : float32[2, 3]`: the op gives float64[2, 3]"},
        {"%1 = exp %x : float64[3, 2]", "`%1 = exp %0 : float64[3, 2]`: the op gives float64[2, 3]"},
        {"%1 = transpose %x (1, 0) : float64[2, 3]", "`%1 = transpose %0 (1, 0) : float64[2, 3]`: the op gives float64[3, 2]"},
        {"%1 = sum %x (1) : float64[3]", "`%1 = sum %0 (1) : float64[3]`: the op gives float64[2]"},
        {"%1 = less %x, %x : float64[2, 3]", "`%1 = less %0, %0 : float64[2, 3]`: the op gives bool[2, 3]"},
        {"%1 = reshape %x : float64[7]", "`%1 = reshape %0 : float64[7]`: cannot reshape array of size 6 into shape (7,)"},
        {"%1 = constant 1.0 dtype float32 : float64[2]", "`%1 = constant 1.0 dtype float32 : float64[2]`: the op gives float32[2]"},
        {"%1 = matmul %x, %x : float64[2, 2]",
         "`%1 = matmul %0, %0 : float64[2, 2]`: matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
         "(n?,k),(k,m?)->(n?,m?) (size 2 is different from 3)"},
        {"%1 = update %x, %x (1, 1) [0, 0, 1, 3] : float64[2, 3]",
         "`%1 = update %0, %0 (1, 1) [0, 0, 1, 3] : float64[2, 3]`: what is stored is not of the region's type"},
    };
    for (const auto& [text, told] : cases) BOOST_TEST(wrong(std::string(text) + "\nreturn %1") == told);
}

BOOST_AUTO_TEST_CASE(operands_and_attributes_are_those_that_ops_take) {
    const std::pair<const char*, const char*> cases[] = {
        {"%1 = add %x : float64[2, 3]", "`%1 = add %0 : float64[2, 3]`: takes 2 operands, not 1"},
        {"%1 = exp : float64[2, 3]", "`%1 = exp : float64[2, 3]`: takes 1 operands, not 0"},
        {"%1 = concatenate (0) : float64[2, 3]", "`%1 = concatenate (0) : float64[2, 3]`: takes operands, not 0"},
        {"%1 = sum %x (2) : float64[2]", "`%1 = sum %0 (2) : float64[2]`: has the axis 2 of 2"},
        {"%1 = sum %x (0, 0) : float64[3]", "`%1 = sum %0 (0, 0) : float64[3]`: has the axis 0 twice"},
        {"%1 = transpose %x (0) : float64[2]", "`%1 = transpose %0 (0) : float64[2]`: has 1 ints, not 2"},
        {"%1 = slice %x (1, 1) [0, 0] : float64[2, 3]", "`%1 = slice %0 (1, 1) [0, 0] : float64[2, 3]`: has 2 dims, not 4"},
        {"%1 = take %x, %x (0, 0) : float64[2, 3, 3]", "`%1 = take %0, %0 (0, 0) : float64[2, 3, 3]`: the indices are no integers"},
        {"%1 = lu %x (1) : float64[3, 3]", "`%1 = lu %0 (1) : float64[3, 3]`: has 1 ints, not 0"},
        {"%1 = given %x (0, 0) : float64[]", "`%1 = given %0 (0, 0) : float64[]`: is given by no call"},
        {"%1 = call %x (0, 0) : bool[]", "`%1 = call %0 (0, 0) : bool[]`: there is no call 0"},
        {"%1 = after %x (0) : float64[2, 3]", "`%1 = after %0 (0) : float64[2, 3]`: comes after no loop"},
        {"%0 = constant 1 : int64[2, 3]\n%1 = add %x, %0 : float64[2, 3]", "`%2 = add %0, %1 : float64[2, 3]`: the operands' dtypes differ"},
        {"%0 = constant 1.0 : float64[3]\n%1 = add %x, %0 : float64[2, 3]", "`%2 = add %0, %1 : float64[2, 3]`: the operands' shapes differ"},
        {"%0 = constant 1.0 : float64[2, 3]\n%1 = bitwise_and %x, %0 : float64[2, 3]",
         "`%2 = bitwise_and %0, %1 : float64[2, 3]`: has no loop for float64"},
    };
    for (const auto& [text, told] : cases) BOOST_TEST(wrong(std::string(text) + "\nreturn %1") == told);
}

BOOST_AUTO_TEST_CASE(the_users_line_is_told) {
    BOOST_TEST(wrong("%1 = exp %x : float32[2, 3]  ; model.py:7 in loss\nreturn %1") ==
               "`%1 = exp %0 : float32[2, 3]  ; model.py:7 in loss`: the op gives float64[2, 3]");
}

BOOST_AUTO_TEST_CASE(sizes_that_are_equal_by_a_guard_are_equal) {
    const std::string sizes = "size n = 3\nsize m = 3\n",
                      nodes = "%0 = parameter (0) : float64[n]\n%1 = parameter (1) : float64[m]\n%2 = add %0, %1 : float64[n]\nreturn %2";
    BOOST_TEST(wrong(ir::parse(sizes + "guard n - m == 0\n" + nodes)) == "nothing");
    BOOST_TEST(wrong(ir::parse("size n = 3\nsize m = 4\n" + nodes)) == "`%2 = add %0, %1 : float64[n]`: the operands' shapes differ");
}

BOOST_AUTO_TEST_CASE(outputs_lie_where_they_say) {
    BOOST_TEST(wrong("%1 = transpose %x (1, 0) : float64[3, 2]\nreturn %1 at 0 of %x (1, 0)") == "nothing");
    BOOST_TEST(wrong("%1 = exp %x : float64[2, 3]\nreturn %1 at 0 of %x") == "`%1 = exp %0 : float64[2, 3]`: output 0 is no view of where it lies");
    BOOST_TEST(wrong("return %x at 0 of %x (1, 1)") == "`%0 = parameter (0) : float64[2, 3]`: the order of axes is none");
}

BOOST_AUTO_TEST_CASE(loops_agree_with_their_bodies) {
    const std::string body = "%2 = update %c, %1 (1) [0, 3] : float64[3]\neffects %2\nreturn %1\n";
    BOOST_TEST(wrong(loop_of("%n, %p", "(0) : float64[3]", body)) == "nothing");
    BOOST_TEST(wrong(loop_of("%n, %p", "(1) : float64[7, 3]", body)) == "nothing");
    const std::string at = "`%3 = loop %1, %2 (0, 0, 0, 0, 0, 0, -1, 0, 0) [7] : bool[]`: ", after = "`%4 = after %3 ";
    BOOST_TEST(wrong(loop_of("%n, %p", "(1) : float64[3]", body)) == after + "(1) : float64[3]`: the op gives float64[7, 3]");
    BOOST_TEST(wrong(loop_of("%n, %p", "(2) : float64[3]", body)) == after + "(2) : float64[3]`: the loop has no array 2");
    BOOST_TEST(wrong(loop_of("%n", "(0) : float64[3]", body)).ends_with("[7] : bool[]`: operands are 1, not 2"));
    BOOST_TEST(wrong(loop_of("%n, %n", "(0) : float64[3]", body)).ends_with("operand 1 is not what the body takes, float64[3]"));
    BOOST_TEST(wrong(loop_of("%n, %p", "(0) : float64[3]", "%2 = sum %1 (0) : float64[]\nreturn %2\n")) == at + "the body turns state 0 into float64[]");
    BOOST_TEST(wrong(loop_of("%n, %p", "(0) : float64[3]", "%2 = exp %1 : float64[4]\nreturn %1, %2\n"))
                   .starts_with("a graph is wrong in body 0 after a test: `%4 = exp %3 : float64[4]`"));
    BOOST_TEST(wrong(loop_of("%n, %p", "(0) : float64[3]", "return %1, %1\n")) == at + "the body's outputs are 2, not 1");
}

BOOST_AUTO_TEST_CASE(nodes_of_other_graphs_are_found) {
    ir::Graph graph, other;
    const ir::Value x = graph.parameter(Dtype::float64, {3}), y = other.parameter(Dtype::float64, {3});
    const ir::Value inputs[] = {x, y};
    graph.set_outputs({graph.make(ir::Op::add, inputs, {}, Dtype::float64, {3})});
    BOOST_TEST(wrong(graph) == "`node 1, add`: has an operand of another graph");
}

BOOST_AUTO_TEST_SUITE_END()
