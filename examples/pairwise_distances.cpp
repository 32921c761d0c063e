// All distances between two sets of points, without the three-dimensional array of differences.
#include "timing.h"

using namespace fastnp;

array distances(const array& a, const array& b) { return sqrt(sum(square(a(all, newaxis, all) - b(newaxis, all, all)), {.axis = -1})); }

int main() {
    const auto fast = compile(distances, {.name = "distances"});
    const array a = example::normal({2000, 3}, 1);
    const array b = example::normal({1500, 3}, 2);
    const array compiled = fast(a, b);
    const double error = example::difference(compiled, distances(a, b));
    example::expect(compiled.shape() == Shape{2000, 1500}, "one distance a pair");
    example::expect(error < 1e-5, "compiled equals eager");
    example::report("distances 2000 x 1500", example::median_ms([&] { return distances(a, b); }, 3), example::median_ms([&] { return fast(a, b); }),
                    error);
    return 0;
}
