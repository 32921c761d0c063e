// What the examples share: a median time, and a check that stops the program with a message.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "fastnp/fastnp.h"

namespace example {

/// Milliseconds of one call: the median of `repeats`.
template <class F>
double median_ms(F&& call, int repeats = 15) {
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
        const auto start = std::chrono::steady_clock::now();
        auto kept = call();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
        (void)kept;
    }
    std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
    return times[static_cast<std::size_t>(repeats / 2)];
}

/// Largest relative difference of two float32 arrays (absolute below 1).
inline double difference(const fastnp::array& x, const fastnp::array& y) {
    using namespace fastnp;
    const array scale = maximum(absolute(y), 1.0F);
    return x.size() == 0 ? 0.0 : static_cast<double>(fastnp::max(absolute(x - y) / scale).item<float>());
}

inline void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "FAILED: %s\n", what.c_str());
    std::exit(1);
}

/// float32 normal numbers from a fixed seed.
inline fastnp::array normal(const fastnp::Shape& shape, unsigned seed) {
    fastnp::array result = fastnp::array::uninitialized(fastnp::float32, shape);
    std::mt19937 engine(seed);
    std::normal_distribution<float> distribution;
    for (float& element : result.as_span<float>()) element = distribution(engine);
    return result;
}

inline fastnp::array uniform(const fastnp::Shape& shape, float low, float high, unsigned seed) {
    fastnp::array result = fastnp::array::uninitialized(fastnp::float32, shape);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> distribution(low, high);
    for (float& element : result.as_span<float>()) element = distribution(engine);
    return result;
}

inline void report(const char* name, double eager, double compiled, double error) {
    std::printf("%-24s eager %9.3f ms   compiled %9.3f ms   %6.1f x   largest difference %.1e\n", name, eager, compiled, eager / compiled, error);
}

}  // namespace example
