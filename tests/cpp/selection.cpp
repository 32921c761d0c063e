#include "selection.h"

#include <boost/test/tree/traverse.hpp>
#include <boost/test/tree/visitor.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>
#include <vector>

namespace fastnp {

namespace {

// A number that the environment gives, or another.
std::uint64_t given(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);  // NOLINT: nothing changes the environment by then
    return text != nullptr && *text != '\0' ? std::stoull(text) : otherwise;
}

class Cases final : public boost::unit_test::test_tree_visitor {
public:
    void visit(const boost::unit_test::test_case& each) override { found.push_back(&each); }
    std::vector<const boost::unit_test::test_case*> found;
};

}  // namespace

std::uint64_t test_seed() {
    static const std::uint64_t seed = given("FASTNP_TEST_SEED", std::random_device{}());
    return seed;
}

bool tests_are_long() { return given("FASTNP_LONG_TESTS", 0) != 0; }

void select_cases() {
    namespace tests = boost::unit_test;
    const std::uint64_t one_in = tests_are_long() ? 1 : given("FASTNP_TEST_CASES_ONE_IN", 1);
    if (one_in <= 1) return;
    Cases cases;
    tests::traverse_test_tree(tests::framework::master_test_suite(), cases, true);
    std::mt19937_64 random(test_seed());
    for (const tests::test_case* each : cases.found) {
        if (random() % one_in != 0) tests::framework::get<tests::test_suite>(each->p_parent_id).remove(each->p_id);
    }
}

Selection::Selection() : one_in_(tests_are_long() ? 1 : static_cast<unsigned>(given("FASTNP_TEST_ONE_IN", 1))), random_(test_seed()) {}

}  // namespace fastnp
