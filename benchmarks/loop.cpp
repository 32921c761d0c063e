// Sweeps of a stencil over a grid, as a loop that stays one, and the gradient of what comes out: for gradients.py, which puts JAX beside it.
//
//   loop SIZE TURNS ROUNDS   prints the first call's time and the median of the others, in milliseconds, the result and the sum of its gradient, and by
//                            how many bytes the peak of the process's memory grew.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

// A line of /proc/self/status, in bytes.
std::int64_t memory_of(const std::string& what) {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        std::int64_t kibibytes = 0;
        if (word == what + ":" && status >> kibibytes) return 1024 * kibibytes;
    }
    return 0;
}

array swept(const array& u) {
    const auto inner = range(1, -1);
    u(inner, inner) = 0.2F * (u(inner, inner) + u(until(-2), inner) + u(from(2), inner) + u(inner, until(-2)) + u(inner, from(2)));
    return u;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: loop SIZE TURNS ROUNDS\n");
        return 2;
    }
    const std::int64_t size = std::atoll(argv[1]), turns = std::atoll(argv[2]);
    const int rounds = std::atoi(argv[3]);
    const array u = sin(arange(static_cast<double>(size * size))).astype(float32).reshape({size, size});
    const auto both = compile(value_and_grad([=](array x) {
        const array end = loop(turns, swept, x);
        return sum(end * end);
    }));
    const std::int64_t before = memory_of("VmRSS");
    double first = 0;
    std::vector<double> times;
    double value = 0, total = 0;
    for (int round = 0; round <= rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        const auto [result, gradient] = both(u);
        const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
        if (round == 0) first = spent.count();
        else times.push_back(spent.count());
        value = result.astype(float64).item<double>();
        total = sum(gradient.astype(float64)).item<double>();
    }
    std::sort(times.begin(), times.end());
    std::printf("%.6f %.6f %.9g %.9g %lld\n", first, times[times.size() / 2], value, total, static_cast<long long>(memory_of("VmHWM") - before));
    return 0;
}
