// The exceptions: one hierarchy, caught by each base.
#include "fastnp/error.h"

#include <boost/test/unit_test.hpp>

using namespace fastnp;

BOOST_AUTO_TEST_SUITE(errors)

BOOST_AUTO_TEST_CASE(messages_are_kept) {
    try {
        throw ValueError("operands could not be broadcast together");
    } catch (const Error& error) {
        BOOST_TEST(std::string(error.what()) == "operands could not be broadcast together");
    }
}

BOOST_AUTO_TEST_CASE(each_is_caught_by_its_bases) {
    BOOST_CHECK_THROW(throw AxisError("axis 3 is out of bounds"), ValueError);
    BOOST_CHECK_THROW(throw LinAlgError("Singular matrix"), ValueError);
    BOOST_CHECK_THROW(throw IndexError("index"), Error);
    BOOST_CHECK_THROW(throw MemoryError("memory"), std::runtime_error);
}

BOOST_AUTO_TEST_SUITE_END()
