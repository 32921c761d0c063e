// The current device of a thread.
#include <boost/test/unit_test.hpp>
#include <thread>

#include "fastnp/fastnp.h"

using namespace fastnp;

BOOST_AUTO_TEST_SUITE(device_scopes)

BOOST_AUTO_TEST_CASE(scopes_nest) {
    BOOST_TEST(current_device() == "cpu");
    const device_scope outer("cpu");
    {
        const device_scope inner("cpu");
        std::string elsewhere;
        std::thread([&] { elsewhere = current_device(); }).join();
        BOOST_TEST(elsewhere == "cpu");
    }
    BOOST_TEST(current_device() == "cpu");
}

BOOST_AUTO_TEST_CASE(gradients_go_through_scopes) {
    const auto loss = [](const array& x) {
        const device_scope scope("cpu");
        return sum(x * x * x);
    };
    const array x = array({1.0, -2.0, 3.0});
    BOOST_TEST(fastnp::all(grad(loss)(x) == 3.0 * x * x).item<bool>());
    BOOST_TEST(fastnp::all(compile(grad(loss))(x) == 3.0 * x * x).item<bool>());
}

BOOST_AUTO_TEST_CASE(what_is_no_device_is_an_error) {
    for (const char* name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cudas"}) BOOST_CHECK_THROW(const device_scope scope(name), ValueError);
    const auto says_what_is_missing = [](const DeviceError& error) { return std::string(error.what()).find(cuda_problem()) != std::string::npos; };
    if (!cuda_problem().empty()) BOOST_CHECK_EXCEPTION(const device_scope scope("cuda"), DeviceError, says_what_is_missing);
    BOOST_TEST(current_device() == "cpu");
}

BOOST_AUTO_TEST_SUITE_END()
