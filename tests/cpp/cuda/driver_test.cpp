// Without a GPU everything else works, and what is missing is said; with one, it is listed.
#include <boost/test/unit_test.hpp>

#include "fastnp/device.h"

using namespace fastnp;

BOOST_AUTO_TEST_SUITE(cuda_driver)

BOOST_AUTO_TEST_CASE(the_processor_comes_first) {
    const auto all = devices();
    BOOST_TEST_REQUIRE(!all.empty());
    BOOST_TEST(all[0].name == "cpu");
    BOOST_TEST(!all[0].model.empty());
    BOOST_TEST(all[0].memory_bytes > (std::size_t{1} << 28));
}

BOOST_AUTO_TEST_CASE(a_cuda_device_is_listed_or_its_absence_explained) {
    const auto all = devices();
    BOOST_TEST((all.size() > 1) == cuda_problem().empty());
    for (std::size_t i = 1; i < all.size(); ++i) {
        BOOST_TEST(all[i].name == "cuda:" + std::to_string(i - 1));
        BOOST_TEST(!all[i].model.empty());
        BOOST_TEST(all[i].memory_bytes > (std::size_t{1} << 28));
        BOOST_TEST(all[i].compute_capability >= 30);
    }
    BOOST_TEST(cuda_problem().find('\n') == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
