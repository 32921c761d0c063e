// Waves through two slits: the wave equation in steps that write in place.
// A screen stops the waves, and edges swallow them.
#include <string>
#include <utility>

#include "timing.h"

using namespace fastnp;

constexpr int height = 241, width = 360, screen = 90;
const auto inner = range(1, -1);

// Writes the next heights into those of the step before, in one pass.
void step(array& now, array& before, const array& open, const array& fade, const array& source) {
    const array around = now(until(-2), inner) + now(from(2), inner) + now(inner, until(-2)) + now(inner, from(2));
    const array ahead = 2 * now(inner, inner) - before(inner, inner) + 0.25 * (around - 4 * now(inner, inner));
    before(inner, inner) = ahead * open(inner, inner);
    before *= fade;
    now *= fade;
    before(all, 12) = source;  // a straight line
}

int main() {
    array open = ones({height, width});
    open(all, screen) = 0;
    for (const int middle : {92, 148}) open(range(middle - 7, middle + 8), screen) = 1;
    const array rows = arange(height)(all, newaxis), columns = arange(width);
    const array depth = minimum(minimum(rows, columns), minimum(height - 1 - rows, width - 1 - columns));
    const array fade = 1 - 0.15 * square(clip(1 - depth / 12, 0, 1));

    array now = zeros({height, width}), before = zeros({height, width}), intensity = zeros({height, width});
    const auto fast = compile(step, {.name = "step"});
    for (int number = 0; number < 1200; ++number) {
        fast(now, before, open, fade, sin(array(0.26 * number)));
        std::swap(now, before);
        if (number >= 900) intensity += square(now) / 300;
    }
    example::expect(fast.cache_info().compiles <= 2, "compiled at most twice");

    const array band = intensity(range(12, -12), 300);
    const auto is_peak = (band(inner) > maximum(band(until(-2)), band(from(2)))) & (band(inner) > 0.2 * max(band));
    std::string peaks;
    const array places = flatnonzero(is_peak) + 13;
    for (int i = 0; i < places.size(); ++i) peaks += (i > 0 ? ", " : "") + std::to_string(places[i].item<int>());
    example::expect(max(absolute(intensity - intensity(every(-1)))).item<double>() < 1e-6, "the bands are as the slits are");
    std::printf("waves: %d bright bands at column 300, in rows [%s]\n", static_cast<int>(places.size()), peaks.c_str());
    std::printf("waves: intensity %.6f in the middle, %.6f at most behind the slits\n", intensity(120, 300).item<double>(),
                max(intensity(range(12, -12), screen + 1)).item<double>());
    return 0;
}
