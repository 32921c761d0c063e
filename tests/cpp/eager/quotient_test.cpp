// Quotients and remainders of whole numbers, those of all dtypes by floats included, against the processor's own division.
#include <boost/test/unit_test.hpp>
#include <limits>
#include <random>
#include <type_traits>

#include "arrays.h"
#include "selection.h"

using namespace fastnp;
using namespace fastnp::testing;

namespace {

template <class T>
T quotient(T x, T y) {
    if (y == 0) return 0;
    if (std::is_signed_v<T> && y == static_cast<T>(-1)) return static_cast<T>(0 - static_cast<std::uint64_t>(x));
    const T whole = static_cast<T>(x / y);
    return x % y != 0 && (x < 0) != (y < 0) ? static_cast<T>(whole - 1) : whole;
}

template <class T>
T remainder(T x, T y, bool as_c) {
    if (y == 0 || (std::is_signed_v<T> && y == static_cast<T>(-1))) return 0;
    const T rest = static_cast<T>(x % y);
    return !as_c && rest != 0 && (rest < 0) != (y < 0) ? static_cast<T>(rest + y) : rest;
}

// Near to where doubles and the dtype end, multiples of the divisor and their neighbours among them.
template <class T>
T draw(std::mt19937_64& random, int bits) {
    auto x = static_cast<std::uint64_t>(random());
    if (bits < 64) x &= (std::uint64_t{1} << bits) - 1;
    return static_cast<T>(std::is_signed_v<T> && random() % 2 == 0 ? 0 - x : x);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quotients)

BOOST_AUTO_TEST_CASE(all_integers_are_divided_exactly) {
    std::mt19937_64 random(test_seed());
    each_dtype([&]<class T>() {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            constexpr std::int64_t count = 3000;
            for (const int bits : {2, 8, 31, 32, 50, 51, 52, 53, 63, 64}) {
                const Array x = make(dtype_of<T>, {count}, Layout::contiguous), y = make(dtype_of<T>, {count}, Layout::contiguous);
                for (std::int64_t i = 0; i < count; ++i) {
                    y.at<T>({i}) = draw<T>(random, static_cast<int>(random() % static_cast<unsigned>(bits)) + 1);
                    if (bits % 2 == 1 && y.at<T>({i}) == 0) y.at<T>({i}) = 3;
                    x.at<T>({i}) = draw<T>(random, bits);
                    if (i % 3 == 0 && y.at<T>({i}) != 0) {
                        const T near = static_cast<T>(x.at<T>({i}) / 2 / y.at<T>({i}) * y.at<T>({i}));
                        x.at<T>({i}) = static_cast<T>(near + static_cast<T>(random() % 3) - 1);
                    }
                }
                if (random() % 2 == 0) {  // one divisor for all
                    for (std::int64_t i = 1; i < count; ++i) y.at<T>({i}) = y.at<T>({0});
                }
                const Array out = make(dtype_of<T>, {count}, Layout::contiguous);
                for (const ops::Op op : {ops::Op::floor_divide, ops::Op::remainder, ops::Op::fmod}) {
                    const eager::View both[] = {x.view, y.view};
                    eager::run(op, {}, both, out.view);
                    for (std::int64_t i = 0; i < count; ++i) {
                        const T a = x.at<T>({i}), b = y.at<T>({i});
                        const T wanted = op == ops::Op::floor_divide ? quotient(a, b) : remainder(a, b, op == ops::Op::fmod);
                        if (out.at<T>({i}) != wanted) BOOST_FAIL(ops::info(op).name << " of " << +a << " and " << +b << " is " << +out.at<T>({i}));
                    }
                }
            }
        }
    });
}

BOOST_AUTO_TEST_SUITE_END()
