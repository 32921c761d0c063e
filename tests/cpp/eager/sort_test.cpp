// Sorted lines, bit by bit those of a stable sort: over every dtype, length and kind of values.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "arrays.h"
#include "eager/order.h"
#include "eager/sort_line.h"
#include "selection.h"

using namespace fastnp;
using namespace fastnp::testing;

namespace {

std::mt19937_64& random_numbers() {
    static std::mt19937_64 numbers(test_seed());
    return numbers;
}

// std::vector<bool> has no elements to sort.
template <class T>
struct Line {
    std::unique_ptr<T[]> data;
    std::int64_t count;

    explicit Line(std::int64_t length) : data(new T[static_cast<std::size_t>(length)]()), count(length) {}
    Line(const Line& other) : Line(other.count) { std::copy_n(other.data.get(), count, data.get()); }
    T& operator[](std::int64_t i) const { return data[static_cast<std::size_t>(i)]; }
    T* begin() const { return data.get(); }
    T* end() const { return data.get() + count; }
};

enum class Values : std::uint8_t { few, small, any_bits, near, ascending };

template <class T>
T element(Values values, std::int64_t i) {
    auto& random = random_numbers();
    if constexpr (ops::Complex<T>) {
        using Part = typename T::value_type;
        const Part real = element<Part>(values, i), imag = element<Part>(values, i);
        return {real, imag};
    } else if constexpr (std::is_same_v<T, bool>) {
        return random() % 2 == 0;
    } else {
        if (values == Values::any_bits) {
            const std::uint64_t bits = random();
            T x;
            std::memcpy(static_cast<void*>(&x), &bits, sizeof x);
            return x;
        }
        if constexpr (std::is_same_v<T, double>) {
            if (values == Values::near) return 1.0 + 1e-14 * static_cast<double>(random() % 64);
        }
        if constexpr (!std::is_integral_v<T>) {
            if (values == Values::few) {
                const double odd[] = {0.0, -0.0, 1.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
                return T(static_cast<float>(odd[random() % 6]));
            }
        }
        const int drawn = static_cast<int>(values == Values::ascending ? i % 100 : random() % (values == Values::few ? 3 : 100));
        return number<T>(drawn);
    }
}

template <class T>
Line<T> line_of(Values values, std::int64_t count) {
    Line<T> line(count);
    for (std::int64_t i = 0; i < count; ++i) line[i] = element<T>(values, i);
    return line;
}

template <class T>
bool are_same(const T* a, const T* b, std::int64_t count) {
    return count == 0 || std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(T)) == 0;
}

constexpr std::int64_t lengths[] = {0, 1, 2, 9, 100, 600, 5000, 20000, 140000};

template <class F>
void each_line(F visit) {
    static Selection selection;
    each_dtype([&]<class T>() {
        for (const std::int64_t count : lengths) {
            for (const Values values : {Values::few, Values::small, Values::any_bits, Values::near, Values::ascending}) {
                const bool is_shared = count == std::end(lengths)[-1];  // among threads
                if (!selection.takes() || (is_shared && values != Values::few && values != Values::any_bits)) continue;
                BOOST_TEST_CONTEXT(name_of(dtype_of<T>) << ", " << count << " values of kind " << static_cast<int>(values))
                visit(line_of<T>(values, count));
            }
        }
    });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sorts)

BOOST_AUTO_TEST_CASE(lines_are_those_of_a_stable_sort) {
    each_line([]<class T>(const Line<T>& given) {
        Line<T> sorted = given, wanted = given;
        std::stable_sort(wanted.begin(), wanted.end(), eager::sorts_before<T>);
        eager::sort_line(sorted.begin(), sorted.count);
        BOOST_TEST(are_same(sorted.begin(), wanted.begin(), given.count));
        if (given.count == 0) return;
        const auto first = static_cast<std::int64_t>(random_numbers()() % static_cast<std::uint64_t>(given.count));
        const auto part = static_cast<std::int64_t>(random_numbers()() % static_cast<std::uint64_t>(given.count - first + 1));
        Line<T> partly = given;
        eager::sort_part(partly.begin(), partly.count, first, part);
        BOOST_TEST(are_same(partly.begin() + first, wanted.begin() + first, part));
    });
}

BOOST_AUTO_TEST_CASE(places_are_those_of_a_stable_sort) {
    each_line([]<class T>(const Line<T>& given) {
        Line<std::int64_t> wanted(given.count), order(given.count);
        std::iota(wanted.begin(), wanted.end(), std::int64_t{0});
        std::stable_sort(wanted.begin(), wanted.end(), [&](std::int64_t a, std::int64_t b) { return eager::sorts_before(given[a], given[b]); });
        eager::order_line(given.begin(), given.count, order.begin());
        BOOST_TEST(are_same(order.begin(), wanted.begin(), given.count));
    });
}

BOOST_AUTO_TEST_CASE(partitions_have_elements_of_the_sorted_line_at_their_places) {
    each_line([]<class T>(const Line<T>& given) {
        if (given.count == 0) return;
        std::vector<std::int64_t> places;
        for (int i = 0; i < 3; ++i) places.push_back(static_cast<std::int64_t>(random_numbers()() % static_cast<std::uint64_t>(given.count)));
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        Line<T> made = given, wanted = given;
        std::stable_sort(wanted.begin(), wanted.end(), eager::sorts_before<T>);
        eager::partition_line(made.begin(), made.count, places);
        for (const std::int64_t place : places) {
            BOOST_TEST((!eager::sorts_before(made[place], wanted[place]) && !eager::sorts_before(wanted[place], made[place])));
            for (std::int64_t i = 0; i < made.count; ++i) {
                const bool is_right = i < place ? !eager::sorts_before(made[place], made[i]) : !eager::sorts_before(made[i], made[place]);
                if (!is_right) BOOST_FAIL("element " << i << " is on the wrong side of " << place);
            }
        }
        std::stable_sort(made.begin(), made.end(), [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) < 0; });
        std::stable_sort(wanted.begin(), wanted.end(), [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) < 0; });
        BOOST_TEST(are_same(made.begin(), wanted.begin(), given.count));
    });
}

BOOST_AUTO_TEST_SUITE_END()
