// Random programs over elementwise ops, views, broadcasts, reductions and precompiled steps: compiled, they give what they give as written, for several
// sizes each. A program is drawn from its seed while it runs, so recording and running draw the same one.
#include <boost/test/unit_test.hpp>
#include <random>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

class Program {
public:
    explicit Program(unsigned seed) : seed_(seed) {}

    std::vector<array> operator()(const array& x, const array& y) const {
        std::mt19937 draw(seed_);
        std::vector<array> values{x, y};
        const int steps = 4 + static_cast<int>(draw() % 9);
        for (int i = 0; i < steps; ++i) values.push_back(step(draw, values));
        std::vector<array> results{values.back()};
        if (draw() % 2 == 0) results.push_back(values[draw() % values.size()]);
        return results;
    }

private:
    static array pick(std::mt19937& draw, const std::vector<array>& values) {
        const std::size_t recent = std::min<std::size_t>(values.size(), 4);
        return values[values.size() - 1 - draw() % recent];
    }

    // Every value keeps rank 2 and magnitudes that do not grow.
    static array step(std::mt19937& draw, const std::vector<array>& values) {
        const array a = pick(draw, values);
        const array b = pick(draw, values);
        const int axis = static_cast<int>(draw() % 2);
        switch (draw() % 20) {
            case 0: return exp(-absolute(a));
            case 1: return tanh(a) * 0.5;
            case 2: return sqrt(absolute(a) + 0.25);
            case 3: return a.T();
            case 4: return a * 0.5 + 1.0;
            case 5: return maximum(a, 0.1) - 0.3;
            case 6: return flip(a, axis);
            case 7: return a - mean(a, {.axis = axis, .keepdims = true});
            case 8: return sum(a, {.axis = axis, .keepdims = true}) / 7.0 + a;
            case 9: return max(a, {.axis = axis, .keepdims = true});
            case 10: return where(a > 0.2, a, -a);
            case 11: return outer_sum(a);
            case 12: return concatenate({a, a * 2.0}, axis);
            case 13: return cumsum(a * 0.1, {.axis = axis});
            case 14: return sort(a, axis);
            case 15: return a(every(2), all);
            case 16: return (a + mean(a)) * 0.5;
            case 17: return ravel(a)(newaxis, all);
            case 18: return a / (1.0 + sum(square(a), {.axis = axis, .keepdims = true}));
            default: return combine(a, b);
        }
    }

    static array outer_sum(const array& a) { return tanh(sum(a(all, all, newaxis) * a(all, newaxis, all), {.axis = 1}) * 0.1); }

    // Operands of any two shapes, brought together by their sums.
    static array combine(const array& a, const array& b) {
        return a * 0.5 + mean(b, {.axis = 0, .keepdims = true})(all, range(0, 1)) * 0.25 + max(b) * 0.125;
    }

    unsigned seed_;
};

array sample(const Shape& shape, unsigned seed) {
    array x = array::uninitialized(float64, shape);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> distribution(-2, 2);
    for (double& element : x.as_span<double>()) element = distribution(engine);
    return x;
}

bool close(const array& a, const array& b) {
    if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
    if (a.size() == 0) return true;
    return max(absolute(a - b) / maximum(absolute(b), 1.0)).item<double>() < 1e-11;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(random_programs)

BOOST_AUTO_TEST_CASE(compiled_equals_as_written) {
    for (unsigned seed = 0; seed < 250; ++seed) {
        const Program program(seed);
        const auto compiled = compile(program);
        for (const Shape& shape : {Shape{6, 5}, Shape{9, 5}, Shape{3, 17}, Shape{1, 5}}) {
            const array x = sample(shape, seed + 1);
            const array y = sample({4, 3}, seed + 2);
            for (const array& view : {x, x(every(-1), all)}) {
                const auto got = compiled(view, y);
                const auto want = program(view, y);
                BOOST_REQUIRE(got.size() == want.size());
                for (std::size_t i = 0; i < want.size(); ++i) {
                    BOOST_TEST(close(got[i], want[i]), "program " << seed << ", shape (" << shape[0] << ", " << shape[1] << "), result " << i);
                }
            }
        }
        BOOST_TEST(compiled.cache_info().uncompiled == 0U, "program " << seed);
    }
}

BOOST_AUTO_TEST_SUITE_END()
