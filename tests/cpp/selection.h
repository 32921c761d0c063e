// What a run of the tests draws anew: its seed, and which of a test's many cases it takes.
#pragma once

#include <cstdint>
#include <random>

namespace fastnp {

/// The seed of this run of the tests: FASTNP_TEST_SEED, else another in each run. It is printed as the run begins.
std::uint64_t test_seed();

/// Whether all is to be tried, however long that takes: FASTNP_LONG_TESTS=1 (the second tier).
bool tests_are_long();

/// Of the tests themselves one in FASTNP_TEST_CASES_ONE_IN, drawn by the seed; the others are taken out of Boost.Test's tree. All where that is not set,
/// and in the second tier.
void select_cases();

/// Which of a test's many cases this run takes: one in FASTNP_TEST_ONE_IN, drawn by the seed; all of them where that is not set, and in the second tier.
///
///     Selection selection;
///     for (const Case& each : cases) {
///         if (selection.takes()) check(each);
///     }
class Selection {
public:
    Selection();
    bool takes() { return one_in_ <= 1 || random_() % one_in_ == 0; }

private:
    unsigned one_in_;
    std::mt19937_64 random_;
};

}  // namespace fastnp
