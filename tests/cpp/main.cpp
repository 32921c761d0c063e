// The entry point of the C++ tests; the cases are in the rooms' folders beside this file. Written out, since with a precompiled header
// BOOST_TEST_MODULE would be defined too late to make one. Boost.Test as a static library has a main() of its own, which asks for the other function.
#include <boost/test/unit_test.hpp>
#include <cstdlib>

namespace {

void prepare() {
    setenv("FASTNP_CACHE_DIR", "", 1);  // NOLINT: before any thread; tests generate the code that they run
    boost::unit_test::framework::master_test_suite().p_name.value = "fastnp";
}

}  // namespace

#ifdef BOOST_TEST_DYN_LINK
int main(int argc, char** argv) {
    const auto start = [] {
        prepare();
        return true;
    };
    return boost::unit_test::unit_test_main(start, argc, argv);
}
#else
boost::unit_test::test_suite* init_unit_test_suite(int /*argc*/, char** /*argv*/) {
    prepare();
    return nullptr;
}
#endif
