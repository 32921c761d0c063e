#include "selection.h"

#include <cstdlib>
#include <string>

namespace fastnp {

namespace {

// A number that the environment gives, or another.
std::uint64_t given(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);  // NOLINT: nothing changes the environment by then
    return text != nullptr && *text != '\0' ? std::stoull(text) : otherwise;
}

}  // namespace

std::uint64_t test_seed() {
    static const std::uint64_t seed = given("FASTNP_TEST_SEED", std::random_device{}());
    return seed;
}

bool tests_are_long() { return given("FASTNP_LONG_TESTS", 0) != 0; }

Selection::Selection() : one_in_(tests_are_long() ? 1 : static_cast<unsigned>(given("FASTNP_TEST_ONE_IN", 1))), random_(test_seed()) {}

}  // namespace fastnp
