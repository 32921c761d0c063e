// Random compositions of what LLVM's rewriting knows most about (signs, comparisons, choices, extremes) beside constants: compiled against eager, bit for
// bit.
#include <boost/test/unit_test.hpp>
#include <limits>
#include <random>
#include <string>

#include "fastnp/fastnp.h"
#include "selection.h"

using namespace fastnp;

namespace {

struct Expression {
    array value;
    std::string text;
};

class Composer {
public:
    Composer(std::uint64_t seed, const array& x, const array& y) : draw_(seed), x_(x), y_(y) {}

    Expression make(int depth) { return is_integer(x_.dtype()) ? whole(depth) : real(depth); }

private:
    int choose(int n) { return static_cast<int>(draw_() % static_cast<std::uint64_t>(n)); }

    // Of integers.
    Expression whole(int depth) {
        if (depth == 0) {
            constexpr int numbers[] = {0, 1, 2, 7, 8, 31, 127};
            if (choose(3) > 0) return choose(2) == 0 ? Expression{x_, "x"} : Expression{y_, "y"};
            const int number = numbers[choose(std::size(numbers))];
            return {full_like(x_, Scalar(number)), std::to_string(number)};
        }
        const Expression a = whole(depth - 1);
        switch (choose(8)) {
            case 0: return {absolute(a.value), "absolute(" + a.text + ")"};
            case 1: return {negative(a.value), "negative(" + a.text + ")"};
            case 2: return {invert(a.value), "invert(" + a.text + ")"};
            case 3: return chosen(a, whole(depth - 1), {y_, "y"});
            default: break;
        }
        constexpr std::pair<BinaryUfunc, const char*> functions[] = {
            {&maximum, "maximum"},       {&minimum, "minimum"},         {&add, "add"},
            {&subtract, "subtract"},     {&multiply, "multiply"},       {&bitwise_and, "bitwise_and"},
            {&bitwise_or, "bitwise_or"}, {&bitwise_xor, "bitwise_xor"}, {&floor_divide, "floor_divide"},
            {&remainder, "remainder"},   {&left_shift, "left_shift"},   {&right_shift, "right_shift"}};
        const auto& [function, name] = functions[choose(std::size(functions))];
        const Expression b = whole(choose(depth));
        return {function(a.value, b.value, {}), std::string(name) + "(" + a.text + ", " + b.text + ")"};
    }

    Expression real(int depth) {
        if (depth == 0) return leaf();
        const Expression a = real(depth - 1);
        switch (choose(13)) {
            case 0: return {absolute(a.value), "absolute(" + a.text + ")"};
            case 1: return {negative(a.value), "negative(" + a.text + ")"};
            case 2: return {sign(a.value), "sign(" + a.text + ")"};
            case 3: return {where(isnan(a.value), x_, a.value), "where(isnan(" + a.text + "), x, ...)"};
            // A NaN's sign is the processor's choice.
            case 4: return {where(logical_and(signbit(a.value), logical_not(isnan(a.value))), a.value, y_), "where(signbit(" + a.text + "), ..., y)"};
            case 5: return {where(isinf(a.value), x_, a.value), "where(isinf(" + a.text + "), x, ...)"};
            case 6: return chosen(a, real(depth - 1), leaf());
            default: return pair(a, real(choose(depth)));
        }
    }

    Expression leaf() {
        constexpr double inf = std::numeric_limits<double>::infinity();
        constexpr double numbers[] = {0.0, -0.0, 1.0, -1.0, inf, -inf, std::numeric_limits<double>::quiet_NaN(), 0x1p-1022, 2.0};
        switch (choose(4)) {
            case 0: return {x_, "x"};
            case 1: return {y_, "y"};
            case 2: return {absolute(x_), "absolute(x)"};
            default: {
                const double number = numbers[choose(std::size(numbers))];
                return {full_like(x_, Scalar(number)), std::to_string(number)};
            }
        }
    }

    Expression pair(const Expression& a, const Expression& b) {
        constexpr std::pair<BinaryUfunc, const char*> functions[] = {{&maximum, "maximum"},   {&minimum, "minimum"},   {&fmax, "fmax"},
                                                                     {&fmin, "fmin"},         {&copysign, "copysign"}, {&add, "add"},
                                                                     {&subtract, "subtract"}, {&multiply, "multiply"}};
        const auto& [function, name] = functions[choose(std::size(functions))];
        return {function(a.value, b.value, {}), std::string(name) + "(" + a.text + ", " + b.text + ")"};
    }

    // One of two by a comparison, or by two that are joined.
    Expression chosen(const Expression& a, const Expression& b, const Expression& other) {
        constexpr std::pair<BinaryUfunc, const char*> comparisons[] = {{&less, "less"},   {&less_equal, "less_equal"}, {&greater, "greater"},
                                                                       {&equal, "equal"}, {&not_equal, "not_equal"},   {&greater_equal, "greater_equal"}};
        const auto& [compare, name] = comparisons[choose(std::size(comparisons))];
        array condition = compare(a.value, other.value, {});
        std::string text = std::string(name) + "(" + a.text + ", " + other.text + ")";
        switch (choose(4)) {
            case 0: condition = logical_or(condition, isnan(a.value)), text += " or isnan"; break;
            case 1: condition = logical_and(condition, logical_not(isnan(a.value))), text += " and not isnan"; break;
            case 2: condition = logical_not(condition), text = "not " + text; break;
            default: break;
        }
        return {where(condition, a.value, b.value), "where(" + text + ", " + a.text + ", " + b.text + ")"};
    }

    std::mt19937_64 draw_;
    array x_, y_;
};

array special(Dtype dtype, bool backwards) {
    if (is_integer(dtype)) {
        const array numbers =
            concatenate({arange(-9, 10).astype(dtype), array({-128, 127, 255, 31, 32, 63, 64}).astype(dtype), invert(zeros({1}, dtype))});
        const std::int64_t count = numbers.size();
        const array lines = broadcast_to(backwards ? reshape(numbers, {count, 1}) : numbers, {count, count});
        return ravel(lines);
    }
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double numbers[] = {0.0, -0.0, 1.0, -1.0, inf, -inf, std::numeric_limits<double>::quiet_NaN(), 5e-324, -5e-324, 0x1p-1022, 2.5, -2.5, 1e30};
    constexpr auto count = static_cast<std::int64_t>(std::size(numbers));
    array x = array::uninitialized(float64, {count});
    std::copy(std::begin(numbers), std::end(numbers), x.as_span<double>().begin());
    // Each with each.
    const array grid = backwards ? ravel(broadcast_to(reshape(x, {count, 1}), {count, count})) : ravel(broadcast_to(x, {count, count}));
    return grid.astype(dtype);
}

bool same(const array& got, const array& want) {
    if (got.dtype() != want.dtype() || got.shape() != want.shape()) return false;
    if (is_integer(got.dtype())) return all(equal(got, want)).item<bool>();
    const array both_nan = isnan(got) & isnan(want);
    return all(both_nan | (equal(got, want) & equal(signbit(got), signbit(want)))).item<bool>();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(composed_ops)

BOOST_AUTO_TEST_CASE(compositions_are_what_they_are_op_by_op) {
    const std::uint64_t first = test_seed();
    constexpr int side_by_side = 12;
    for (const Dtype dtype : {float64, float32, float16, int8, uint8, int32, int64, uint64}) {
        const array x = special(dtype, false), y = special(dtype, true);
        for (std::uint64_t turn = 0; turn < 12; ++turn) {
            const std::uint64_t seed = first + turn * 1000;
            const auto function = [seed](const array& a, const array& b) {
                std::vector<array> results;
                for (std::uint64_t i = 0; i < side_by_side; ++i) results.push_back(Composer(seed + i, a, b).make(1 + static_cast<int>(i % 3)).value);
                return results;
            };
            const std::vector<array> got = compile(function)(x, y), want = function(x, y);
            for (std::size_t i = 0; i < want.size(); ++i) {
                const Expression told = Composer(seed + i, x, y).make(1 + static_cast<int>(i % 3));
                BOOST_TEST(same(got[i], want[i]), "seed " << seed + i << ": " << name_of(dtype) << ' ' << told.text);
            }
        }
    }
}

// A factor of -1 is no negation: NaN keeps its sign.
BOOST_AUTO_TEST_CASE(signs_of_nan_beside_minus_one) {
    for (const Dtype dtype : {float64, float32, float16}) {
        const array x = special(dtype, false);
        const auto f = [](const array& v) {
            const array one = ones_like(v);
            return std::vector<array>{copysign(one, v * -1.0), copysign(one, -1.0 * v), copysign(one, v / -1.0), copysign(one, -0.0 - v)};
        };
        const std::vector<array> got = compile(f)(x), want = f(x);
        for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(same(got[i], want[i]), i << " of " << name_of(dtype));
    }
}

// What LLVM 19 got wrong: comparisons of |x| and of x joined as if both were of x.
BOOST_AUTO_TEST_CASE(extremes_of_magnitudes) {
    for (const Dtype dtype : {float64, float32, float16}) {
        const array x = special(dtype, false);
        for (const BinaryUfunc function : {&maximum, &minimum, &fmax, &fmin}) {
            for (const double number : {0.0, -0.0, 1.0, std::numeric_limits<double>::infinity()}) {
                const auto f = [function, number](const array& v) {
                    const array size = absolute(v), other = copysign(v, 1.0);
                    return std::vector<array>{function(size, number, {}), function(number, size, {}), function(other, number, {}),
                                              function(negative(size), number, {})};
                };
                const std::vector<array> got = compile(f)(x), want = f(x);
                for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(same(got[i], want[i]), i << " of " << name_of(dtype) << " beside " << number);
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
