// k-means on generated clusters (Lloyd's algorithm): the distances to all centres, their argmin and the new centres are one compiled step.
#include "timing.h"

using namespace fastnp;

struct Step {
    array centres, labels;
};

Step lloyd(const array& points, const array& centres) {
    const array offsets = points(all, newaxis, all) - centres(newaxis, all, all);
    const array labels = argmin(sum(square(offsets), {.axis = -1}), {.axis = 1});
    const array member = (labels(all, newaxis) == arange(16)(newaxis, all)).astype(float32);
    const array counts = sum(member, {.axis = 0});
    const array sums = matmul(member.T(), points);
    return {sums / maximum(counts, 1.0F)(all, newaxis), labels};
}

int main() {
    constexpr int clusters = 16;
    constexpr int per_cluster = 2000;
    fastnp::random::Generator rng = fastnp::random::default_rng(0);
    const array truth = 20.0F * rng.standard_normal({clusters, 2}).astype(float32);
    const array around = rng.standard_normal({clusters * per_cluster, 2}).reshape({clusters, per_cluster, 2});
    const array points = (truth(all, newaxis) + around).reshape({-1, 2}).astype(float32);

    const auto step = compile(lloyd, {.name = "lloyd"});
    auto fit = [&](const auto& iterate) {
        array centres = points(every(per_cluster)).copy();
        Step last{centres, {}};
        for (int i = 0; i < 10; ++i) last = iterate(points, last.centres);
        return last;
    };
    const Step compiled = fit(step);
    const Step eager = fit(lloyd);
    const double error = example::difference(compiled.centres, eager.centres);
    example::expect(error < 1e-3, "compiled equals eager");
    example::expect(example::difference(compiled.centres, truth) < 0.2, "the centres are found");
    const auto spread = [&](const array& centres) {
        const array labels = step(points, centres).labels;
        return mean(sum(square(points - take(centres, labels, 0)), {.axis = 1})).item<double>();
    };
    std::printf("kmeans: %d centres; points are %.4f from the first ones, and %.4f from the last ones (mean square)\n", clusters,
                spread(points(every(per_cluster))), spread(compiled.centres));
    example::report("kmeans 32000 x 16, 10 it", example::median_ms([&] { return fit(lloyd).centres; }, 3),
                    example::median_ms([&] { return fit(step).centres; }, 3), error);
    return 0;
}
