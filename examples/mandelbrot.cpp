// The Mandelbrot set: for each point a while loop of its own, as native code.
#include <tuple>

#include "timing.h"

using namespace fastnp;

// How many iterations of z^2 + c stay within a circle of radius 2, for c = x + iy.
array escape_time(array x, array y) {
    const auto is_within = [](array re, array im, array n) { return (n < 300) & (re * re + im * im <= 4.0); };
    const auto iterate = [&](array re, array im, array n) { return std::tuple(re * re - im * im + x, 2.0 * re * im + y, n + 1); };
    return std::get<2>(while_loop(is_within, iterate, 0.0, 0.0, 0));
}

int main() {
    const auto along_rows = vmap(escape_time, {.in_axes = {0, std::nullopt}});
    const auto escape_times = compile(vmap(along_rows, {.in_axes = {std::nullopt, 0}}), {.name = "escape_times"});
    const array x = linspace(-2.1, 0.7, 560), y = linspace(-1.05, 1.05, 420);
    const array times = escape_times(x, y);
    const auto inside = sum(times == 300).item<std::int64_t>();
    const double area = static_cast<double>(inside) * ((x[1] - x[0]) * (y[1] - y[0])).item<double>();
    example::expect(static_cast<bool>(fastnp::all(times == times(every(-1)))), "c and its conjugate do alike");
    example::expect(std::abs(area - 1.5066) < 0.03, "the area is that of the set");
    std::printf("mandelbrot: %lld iterations, %lld of %lld points inside, an area of %.4f\n", static_cast<long long>(sum(times).item<std::int64_t>()),
                static_cast<long long>(inside), static_cast<long long>(times.size()), area);
    return 0;
}
