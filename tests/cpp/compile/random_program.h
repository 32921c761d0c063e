// Random programs over elementwise ops, views, broadcasts, reductions and precompiled steps.
#pragma once

#include <random>
#include <vector>

#include "fastnp/fastnp.h"

namespace fastnp {

/// A function of two matrices. It is drawn from its seed while it runs, so recording and running draw the same one.
class RandomProgram {
public:
    explicit RandomProgram(unsigned seed) : seed_(seed) {}

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

}  // namespace fastnp
