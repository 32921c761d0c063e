// Comparing arrays with what NumPy gives, by their printed form.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "fastnp/fastnp.h"

namespace expect {

/// "float64 (2,3) [[1. 2. 3.] [4. 5. 6.]]"
inline std::string text(const fastnp::array& x) {
    std::string result = std::string(fastnp::name_of(x.dtype())) + " (";
    for (int i = 0; i < x.ndim(); ++i) result += (i == 0 ? "" : ",") + std::to_string(x.shape(i));
    result += ") ";
    bool space = false;
    for (const char c : fastnp::to_string(x)) {
        if (c == '\n' || c == ' ') {
            space = true;
            continue;
        }
        if (space && result.back() != '[') result += ' ';
        space = false;
        result += c;
    }
    return result;
}

/// What an error says, without the functions that it was in.
inline std::string words(const std::exception& error) {
    const std::string all = error.what();
    return all.substr(0, all.find("\n  in "));
}

/// For BOOST_CHECK_EXCEPTION: whether an error says that.
inline auto says(const std::string& text) {
    return [text](const fastnp::Error& error) {
        if (words(error) == text) return true;
        BOOST_TEST_MESSAGE(error.what());
        return false;
    };
}

/// Whether arrays of one dtype and shape differ by so little, relative to 1 and more.
inline bool near(const fastnp::array& x, const fastnp::array& y, double tolerance = 1e-11) {
    if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
    return fastnp::all(fastnp::absolute(x - y) <= tolerance * (1 + fastnp::absolute(y))).item<bool>();
}

template <class F>
std::string message(F&& f) {
    try {
        f();
    } catch (const fastnp::Error& error) {
        return words(error);
    }
    return "no error";
}

/// The elements, in C order, as doubles.
inline std::vector<double> values_of(const fastnp::array& x) {
    const fastnp::array flat = x.astype(fastnp::float64).reshape({-1});
    std::vector<double> result;
    for (std::int64_t i = 0; i < flat.shape(0); ++i) result.push_back(flat[i].item<double>());
    return result;
}

}  // namespace expect

#define EXPECT(expression, wanted) BOOST_TEST(expect::text(expression) == (wanted))
#define EXPECT_ERROR(Kind, expression, wanted)           \
    BOOST_CHECK_THROW((void)(expression), fastnp::Kind); \
    BOOST_TEST(expect::message([&] { (void)(expression); }) == (wanted))
