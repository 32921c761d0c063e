// What an exception says, for BOOST_CHECK_EXCEPTION.
#pragma once

#include <boost/test/unit_test.hpp>
#include <exception>
#include <string>
#include <utility>

namespace fastnp::cuda {

/// Whether the text has each of these parts.
template <class... Part>
auto says(Part... parts) {
    return [... parts = std::string(parts)](const std::exception& error) {
        const std::string text = error.what();
        const bool has_all = ((text.find(parts) != std::string::npos) && ...);
        BOOST_TEST_INFO(text);
        BOOST_TEST(has_all);
        return has_all;
    };
}

}  // namespace fastnp::cuda
