// The entry point of the C++ tests; the cases are in the rooms' folders beside this file. Written out, since with a precompiled header
// BOOST_TEST_MODULE would be defined too late to make one.
#include <boost/test/unit_test.hpp>
#include <cstdlib>

int main(int argc, char** argv) {
    setenv("FASTNP_CACHE_DIR", "", 1);  // NOLINT: before any thread; tests generate the code that they run
    const auto name_suite = [] {
        boost::unit_test::framework::master_test_suite().p_name.value = "fastnp";
        return true;
    };
    return boost::unit_test::unit_test_main(name_suite, argc, argv);
}
