// Passes, each a text before and a text after it. To add a case, write both; what a pass gives is printed where they differ.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <string>

#include "ir/parse.h"
#include "ops/verify.h"
#include "pass/commit.h"
#include "pass/device_forms.h"
#include "pass/keep.h"
#include "pass/place.h"
#include "pass/simplify.h"
#include "pass/written_parts.h"

using namespace fastnp;

namespace {

struct Case {
    const char* what;
    const char* pass;
    const char* before;
    const char* after;  // empty: the same
};

const std::map<std::string, std::function<void(ir::Graph&)>> passes = {
    {"place_outputs", pass::place_outputs},
    {"commit_at_end", pass::commit_at_end},
    {"join_written_parts", pass::join_written_parts},
    {"simplify", pass::simplify},
    {"drop_copies", pass::drop_copies},
    {"keep_overwritten", pass::keep_overwritten},
    {"write_for_device", [](ir::Graph& graph) { pass::write_for_device(graph, {[](Dtype) { return true; }, [] { return true; }}); }},
};

const Case cases[] = {
    {"algebra: x * 1 is x", "simplify", R"(
        %x = parameter (0) : float64[4]
        %1 = constant 1.0 : float64[4]
        %2 = multiply %x, %1 : float64[4]
        return %2)",
     R"(
        %x = parameter (0) : float64[4]
        return %x)"},
    {"x + 0.0 stays: it turns -0.0 into 0.0", "simplify", R"(
        %x = parameter (0) : float64[4]
        %1 = constant 0.0 : float64[4]
        %2 = add %x, %1 : float64[4]
        return %2)",
     ""},
    {"constants are folded, unless the result raises a flag", "simplify", R"(
        %1 = constant 2.0 : float64[3]
        %2 = constant 3.0 : float64[3]
        %3 = multiply %1, %2 : float64[3]
        %4 = constant 0.0 : float64[3]
        %5 = divide %1, %4 : float64[3]
        return %3, %5)",
     R"(
        %1 = constant 2.0 : float64[3]
        %2 = constant 6.0 : float64[3]
        %3 = constant 0.0 : float64[3]
        %4 = divide %1, %3 : float64[3]
        return %2, %4)"},
    {"transposes that undo each other, and notes, go", "simplify", R"(
        size n = 5
        %x = parameter (0) : float32[n, 3]
        %1 = transpose %x (1, 0) : float32[3, n]
        %2 = mark %1 (7) : float32[3, n]
        %3 = transpose %2 (1, 0) : float32[n, 3]
        %4 = sqrt %3 : float32[n, 3]
        return %4)",
     R"(
        size n = 5
        %x = parameter (0) : float32[n, 3]
        %1 = transpose %x (1, 0) : float32[3, n]
        %4 = sqrt %x : float32[n, 3]
        return %4)"},
    {"a reshape goes below elementwise operations, to memory", "simplify", R"(
        %x = parameter (0) : float64[2, 6]
        %1 = exp %x : float64[2, 6]
        %2 = reshape %1 : float64[3, 4]
        return %2)",
     R"(
        %x = parameter (0) : float64[2, 6]
        %1 = reshape %x : float64[3, 4]
        %2 = exp %1 : float64[3, 4]
        return %2)"},
    {"a view that takes all is its operand", "simplify", R"(
        %x = parameter (0) : int64[4]
        %1 = slice %x (1) [0, 4] : int64[4]
        %2 = slice %1 (-1) [3, 4] : int64[4]
        return %2)",
     R"(
        %x = parameter (0) : int64[4]
        %2 = slice %x (-1) [3, 4] : int64[4]
        return %2)"},
    {"results get memory of their own", "place_outputs", R"(
        %x = parameter (0) : float64[4]
        %1 = add %x, %x : float64[4]
        return %1 at 0 of %1, %x)",
     R"(
        %x = parameter (0) : float64[4]
        %1 = add %x, %x : float64[4]
        %2 = cast %1 (0) : float64[4]
        return %2 at 0, %x)"},
    {"results that lie in one array's memory, the second axis first", "place_outputs", R"(
        %x = parameter (0) : float64[2, 3]
        %1 = exp %x : float64[2, 3]
        %2 = slice %1 (1, 1) [0, 0, 1, 3] : float64[1, 3]
        return %1 at 4 of %1 (1, 0), %2 at 4 of %1 (1, 0))",
     R"(
        %x = parameter (0) : float64[2, 3]
        %1 = exp %x : float64[2, 3]
        %2 = transpose %1 (1, 0) : float64[3, 2]
        %3 = cast %2 (4) : float64[3, 2]
        %4 = transpose %3 (1, 0) : float64[2, 3]
        %5 = slice %4 (1, 1) [0, 0, 1, 3] : float64[1, 3]
        return %4 at 4 (1, 0), %5 at 4 (1, 0))"},
    {"the copy of a value that lies nowhere else is not needed", "drop_copies", R"(
        %x = parameter (0) : float64[4]
        %1 = add %x, %x : float64[4]
        %2 = cast %1 (0) : float64[4]
        return %2 at 0)",
     R"(
        %x = parameter (0) : float64[4]
        %1 = add %x, %x : float64[4]
        return %1)"},
    {"but that of an argument is, and that of a second owner", "drop_copies", R"(
        %x = parameter (0) : float64[4]
        %1 = add %x, %x : float64[4]
        %2 = cast %x (0) : float64[4]
        %3 = cast %1 (1) : float64[4]
        %4 = cast %1 (2) : float64[4]
        return %2 at 0, %3 at 1, %4 at 2)",
     R"(
        %x = parameter (0) : float64[4]
        %1 = add %x, %x : float64[4]
        %2 = cast %x (0) : float64[4]
        %4 = cast %1 (2) : float64[4]
        return %2, %1, %4)"},
    {"what is read after it was overwritten is copied before", "keep_overwritten", R"(
        %x = parameter (0) : float64[4]
        %1 = constant 1.0 : float64[4]
        %2 = update %x, %1 (1) [0, 4] : float64[4]
        %3 = exp %x : float64[4]
        effects %2
        return %3)",
     R"(
        %x = parameter (0) : float64[4]
        %1 = constant 1.0 : float64[4]
        %2 = cast %x (2) : float64[4]
        %3 = update %x, %1 (1) [0, 4] : float64[4]
        %4 = exp %2 : float64[4]
        effects %3
        return %4)"},
    {"nothing is copied that is read before", "keep_overwritten", R"(
        %x = parameter (0) : float64[4]
        %1 = exp %x : float64[4]
        %2 = update %x, %1 (1) [0, 4] : float64[4]
        effects %2
        return %1)",
     ""},
    {"writes come after what may end the run", "commit_at_end", R"(
        %x = parameter (0) : float64[4]
        %i = parameter (1) : int64[2]
        %1 = constant 1.0 : float64[4]
        %2 = update %x, %1 (1) [0, 4] : float64[4]
        %3 = take %2, %i (0, 0) : float64[2]
        effects %2, %3
        return %3)",
     R"(
        %x = parameter (0) : float64[4]
        %i = parameter (1) : int64[2]
        %1 = constant 1.0 : float64[4]
        %2 = cast %x (2) : float64[4]
        %3 = update %2, %1 (1) [0, 4] : float64[4]
        %4 = take %3, %i (0, 0) : float64[2]
        %5 = update %x, %3 (1) [0, 4] : float64[4]
        effects %4, %5
        return %4)"},
    {"an array that is written part by part is a concatenation", "join_written_parts", R"(
        %a = parameter (0) : float64[2]
        %b = parameter (1) : float64[3]
        %1 = constant 0.0 : float64[5]
        %2 = cast %1 (3) : float64[5]
        %3 = update %2, %a (1) [0, 2] : float64[5]
        %4 = update %3, %b (1) [2, 3] : float64[5]
        %5 = exp %4 : float64[5]
        return %5)",
     R"(
        %a = parameter (0) : float64[2]
        %b = parameter (1) : float64[3]
        %1 = constant 0.0 : float64[5]
        %2 = cast %1 (3) : float64[5]
        %3 = concatenate %a, %b (0) : float64[5]
        %4 = exp %3 : float64[5]
        return %4)"},
    {"on a device a sum with a product is one operation", "write_for_device", R"(
        %x = parameter (0) : float32[4, 8]
        %w = parameter (1) : float32[8, 4]
        %b = parameter (2) : float32[4, 4]
        %1 = matmul %x, %w : float32[4, 4]
        %2 = add %1, %b : float32[4, 4]
        return %2)",
     R"(
        %x = parameter (0) : float32[4, 8]
        %w = parameter (1) : float32[8, 4]
        %b = parameter (2) : float32[4, 4]
        %1 = matmul %x, %w, %b : float32[4, 4]
        return %1)"},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(pass_texts)

BOOST_AUTO_TEST_CASE(passes_give_what_is_written) {
    for (const Case& each : cases) {
        BOOST_TEST_CONTEXT(each.pass << ": " << each.what) {
            ir::Graph graph = ir::parse(each.before);
            ops::verify(graph, "before");
            passes.at(each.pass)(graph);
            ops::verify(graph, "after it");
            const std::string wanted = ir::parse(each.after[0] == 0 ? each.before : each.after).text({.sizes = false});
            BOOST_TEST(graph.text({.sizes = false}) == wanted);
        }
    }
}

// Nodes that take another's place are of its line.
BOOST_AUTO_TEST_CASE(lines_are_handed_on) {
    ir::Graph graph = ir::parse(R"(
        %x = parameter (0) : float64[2, 6]
        %1 = exp %x : float64[2, 6]  ; a.py:1 in f
        %2 = reshape %1 : float64[3, 4]  ; a.py:2 in f
        %3 = negative %2 : float64[3, 4]  ; a.py:3 in f
        return %3 at 0 of %3)");
    for (const char* name : {"place_outputs", "simplify", "drop_copies"}) passes.at(name)(graph);
    BOOST_TEST(graph.text({.lines = true}) ==
               "%0 = parameter (0) : float64[2, 6]\n"
               "%1 = reshape %0 : float64[3, 4]  ; a.py:1 in f\n"
               "%2 = exp %1 : float64[3, 4]  ; a.py:1 in f\n"
               "%3 = negative %2 : float64[3, 4]  ; a.py:3 in f\n"
               "return %3\n");
}

BOOST_AUTO_TEST_SUITE_END()
