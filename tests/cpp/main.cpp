// The entry point of the C++ tests; the cases are in the rooms' folders beside this file.
#define BOOST_TEST_MODULE fastnp
#include <boost/test/unit_test.hpp>
