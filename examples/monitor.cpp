// A monitor of measurements: means and a histogram that are updated in place, and an alarm where something is odd. Writes and effects, compiled.
#include <utility>
#include <vector>

#include "timing.h"

using namespace fastnp;

struct State {
    array mean = zeros({64}), variance = ones({64}), histogram = zeros({64});
};

std::vector<double> alarms;

void update(State& state, const array& batch) {
    state.mean += 0.1 * (mean(batch, {.axis = 0}) - state.mean);
    state.variance += 0.1 * (mean(square(batch - state.mean), {.axis = 0}) - state.variance);
    const array deviation = (batch - state.mean) / sqrt(state.variance);
    at(add, state.histogram, {clip(mean(deviation, {.axis = 1}) * 32 + 32, 0, 63).astype(int64)}, 1);
    const array worst = max(absolute(deviation));
    if (worst > 6) effect([](const array& value) { alarms.push_back(value.item<double>()); }, worst);
}

// Twenty batches of 2000 measurements by 64 channels; the eighth is odd.
std::vector<array> measurements() {
    std::vector<array> batches;
    for (unsigned number = 0; number < 20; ++number) batches.push_back(example::normal({2000, 64}, number) * (number == 7 ? 9.0F : 1.0F));
    return batches;
}

int main() {
    const std::vector<array> batches = measurements();
    const auto fast = compile(update, {.name = "update"});
    const auto watched = [&](const auto& run) {
        State state;
        alarms.clear();
        for (const array& batch : batches) run(state, batch);
        return std::pair(state, alarms);
    };
    const auto [mine, my_alarms] = watched(fast);
    const auto [theirs, their_alarms] = watched(update);
    example::expect(my_alarms.size() == their_alarms.size() && !my_alarms.empty(), "as many alarms");
    example::expect(fast.cache_info().compiles == 2 && fast.cache_info().uncompiled == 0, "compiled with and without an alarm");
    const double error = example::difference(mine.variance.astype(float32), theirs.variance.astype(float32));
    example::expect(error < 1e-5, "compiled equals eager");
    example::expect(example::difference(mine.histogram.astype(float32), theirs.histogram.astype(float32)) < 1e-2, "as many in each bin");
    example::report("monitor 20 x 2000 x 64", example::median_ms([&] { return watched(update); }, 5), example::median_ms([&] { return watched(fast); }),
                    error);
    return 0;
}
