// Filters of an image: a blur takes the noise out, and Sobel's filters find the edges.
// A loop over the kernel's elements becomes one pass.
#include <utility>
#include <vector>

#include "timing.h"

using namespace fastnp;
using Kernel = std::vector<std::vector<double>>;

// Each pixel the sum of its neighbourhood times the kernel; edges are left out.
array convolve(const array& image, const Kernel& kernel) {
    const auto rows = static_cast<std::int64_t>(kernel.size()), columns = static_cast<std::int64_t>(kernel[0].size());
    const std::int64_t height = image.shape(0) - rows + 1, width = image.shape(1) - columns + 1;
    array result(0.0);
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
            const double weight = kernel[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
            if (weight != 0) result = result + weight * image(range(i, i + height), range(j, j + width));
        }
    }
    return result;
}

array blur(const array& image) {
    const Kernel across{{1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16}}, down{{1.0 / 16}, {4.0 / 16}, {6.0 / 16}, {4.0 / 16}, {1.0 / 16}};
    return convolve(convolve(image, across), down);
}

std::pair<array, array> edges(const array& image) {
    const Kernel across{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}, down{{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};
    const array smooth = blur(blur(image));
    return {smooth, hypot(convolve(smooth, across), convolve(smooth, down))};
}

int main() {
    const array y = arange(240.0)(all, newaxis), x = arange(320.0);
    array scene = 0.2 + 0.0005 * x + 0.0 * y;
    const array squared = square(x - 100) + square(y - 110);
    set_where(scene, squared < 4900, 0.9);
    set_where(scene, squared < 1225, 0.5);
    scene(range(60, 190), range(200, 290)) = 0.7;
    scene(range(100, 150), range(225, 265)) = 0.1;
    fastnp::random::Generator rng = fastnp::random::default_rng(4);
    const array image = scene + 0.1 * rng.standard_normal({240, 320});

    const auto [smooth, strength] = compile(edges, {.name = "edges"})(image);
    const auto inner = range(4, -4);
    const auto noise = [&](const array& picture) { return stddev(picture(until(20)) - scene(inner, inner)(until(20))).item<double>(); };
    const double before = noise(image(inner, inner)), after = noise(smooth);
    example::expect(after < 0.4 * before, "the noise is less");
    std::printf("edges: noise of %.5f, %.5f after two blurs; %d pixels of %d are edges\n", before, after, sum(strength > 0.6).item<int>(),
                static_cast<int>(strength.size()));
    std::printf("edges: strength %.5f at most, %.6f on average\n", max(strength).item<double>(), mean(strength).item<double>());
    return 0;
}
