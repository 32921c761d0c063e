// A perceptron learns noisy digits that are made here: one compiled call a step does forward, backward and the update, in place.
#include <cmath>
#include <cstdio>

#include "optimizers.h"
#include "timing.h"

using namespace fastnp;
using optimizers::Arrays;

constexpr const char* font[] = {
    ".###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###.", "#...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...#",
    "#..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#", "#.#.# ..#.. ...#. ..##. #..#. ....# ####. ..#.. .###. .####",
    "##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....#", "#...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ....#",
    ".###. .###. ##### .###. ...#. .###. .###. .#... .###. .###."};

struct Data {
    array images, labels;
};

// Digits somewhere in 8 x 8 pixels, with noise; and which they are.
Data make_data(fastnp::random::Generator& rng, int count) {
    const array labels = rng.integers(0, 10, {count}), rows = rng.integers(0, 2, {count}), columns = rng.integers(0, 4, {count});
    const array images = 0.3F * rng.standard_normal({count, 64}, float32);
    float* image = images.as_span<float>().data();
    for (int i = 0; i < count; ++i, image += 64) {
        const int label = labels[i].item<int>(), row = rows[i].item<int>(), column = columns[i].item<int>();
        for (int r = 0; r < 7; ++r) {
            for (int c = 0; c < 5; ++c) image[8 * (row + r) + column + c] += font[r][6 * label + c] == '#' ? 1.0F : 0.0F;
        }
    }
    return {images, labels};
}

array scores(const Arrays& parameters, array x) {
    for (std::size_t i = 0; i + 2 < parameters.size(); i += 2) x = tanh(matmul(x, parameters[i]) + parameters[i + 1]);
    return matmul(x, parameters[parameters.size() - 2]) + parameters.back();
}

array cross_entropy(Arrays parameters, array x, array wanted) {
    array s = scores(parameters, x);
    s = s - max(s, {.axis = 1, .keepdims = true});
    return -mean(sum((s - log(sum(exp(s), {.axis = 1, .keepdims = true}))) * wanted, {.axis = 1}));
}

array train(Arrays& parameters, optimizers::Adam& state, array x, array wanted) {
    const auto [loss, gradients] = value_and_grad(cross_entropy)(parameters, x, wanted);
    optimizers::adamw(parameters, gradients, state, 3e-3);
    return loss;
}

int main() {
    fastnp::random::Generator rng = fastnp::random::default_rng(0);
    const std::int64_t sizes[] = {64, 96, 48, 10};
    Arrays parameters;
    for (int i = 0; i < 3; ++i) {
        parameters.push_back(rng.standard_normal({sizes[i], sizes[i + 1]}, float32) / std::sqrt(static_cast<float>(sizes[i])));
        parameters.push_back(zeros({sizes[i + 1]}, float32));
    }
    optimizers::Adam state = optimizers::adam_state(parameters);
    const Data data = make_data(rng, 4096), unseen = make_data(rng, 1000);
    const array wanted = (data.labels(all, newaxis) == arange(10)).astype(float32);
    const auto step = compile(train, {.name = "train"});
    array losses = zeros({1280});
    for (int i = 0; i < 1280; ++i) {
        const auto batch = range(64 * (i % 64), 64 * (i % 64) + 64);
        losses(i) = step(parameters, state, data.images(batch), wanted(batch));
    }
    const int right = sum(argmax(scores(parameters, unseen.images), {.axis = 1}) == unseen.labels).item<int>();
    const double us = 1e3 * example::median_ms([&] { return step(parameters, state, data.images(range(0, 64)), wanted(range(0, 64))); });
    example::expect(right > 930, "the digits are learnt");
    example::expect(step.cache_info().compiles == 1, "compiled once");
    std::printf("digits: a loss of %.3f at first and %.3f at last; %d of 1000 images that it has not seen are read\n", losses[0].item<double>(),
                mean(losses(from(-64))).item<double>(), right);
    std::printf("digits: 1280 steps of %.0f us\n", us);
    return 0;
}
