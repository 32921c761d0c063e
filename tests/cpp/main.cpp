// The entry point of the C++ tests; the cases are in the rooms' folders beside this file. Written out, since with a precompiled header
// BOOST_TEST_MODULE would be defined too late to make one. Boost.Test as a static library has a main() of its own, which asks for the other function.
//
// With FASTNP_TEST_DEVICE=cuda all is done in a scope of that device, which is a simulated one with FASTNP_SIMULATED_DEVICE=1 beside it.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>

#include "fastnp/device.h"
#include "selection.h"
#include "simulated/backend.h"

namespace {

struct OnDevice {
    OnDevice() {
        const char* name = std::getenv("FASTNP_TEST_DEVICE");  // NOLINT: before any thread
        const char* simulated = std::getenv("FASTNP_SIMULATED_DEVICE");  // NOLINT: before any thread
        if (name == nullptr) return;
        if (simulated != nullptr && std::strcmp(simulated, "0") != 0) door = std::make_unique<fastnp::simulated::AtTheDoor>();
        scope = std::make_unique<fastnp::device_scope>(name);
    }
    std::unique_ptr<fastnp::simulated::AtTheDoor> door;
    std::unique_ptr<fastnp::device_scope> scope;
};
BOOST_TEST_GLOBAL_FIXTURE(OnDevice);

void prepare() {
    setenv("FASTNP_CACHE_DIR", "", 1);  // NOLINT: before any thread; tests generate the code that they run
    std::cout << "FASTNP_TEST_SEED=" << fastnp::test_seed() << std::endl;
    boost::unit_test::framework::master_test_suite().p_name.value = "fastnp";
    fastnp::select_cases();
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
