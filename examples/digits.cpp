// A perceptron learns noisy digits that are made here: one compiled call a step does forward, backward and the update, in place.
#include <cmath>
#include <cstdio>
#include <random>

#include "optimizers.h"
#include "timing.h"

using namespace fastnp;
using optimizers::Arrays;

struct Data {
    array images, wanted;  // wanted: a one in the label's column
    std::vector<int> labels;
};

Data make_data(int count, std::mt19937& engine) {
    std::vector<float> shapes(640);
    std::mt19937 fixed(7);
    for (float& each : shapes) each = std::uniform_real_distribution<float>(0, 1)(fixed) > 0.6F ? 0.7F : 0.0F;
    Data data{zeros({count, 64}, float32), zeros({count, 10}, float32), {}};
    for (int i = 0; i < count; ++i) {
        data.labels.push_back(std::uniform_int_distribution<int>(0, 9)(engine));
        float* image = data.images.as_span<float>().data() + 64 * i;
        for (int k = 0; k < 64; ++k)
            image[k] = shapes[static_cast<std::size_t>(64 * data.labels.back() + k)] + std::normal_distribution<float>(0, 0.35F)(engine);
        data.wanted.as_span<float>()[static_cast<std::size_t>(10 * i + data.labels.back())] = 1;
    }
    return data;
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
    std::mt19937 engine(1);
    const std::int64_t sizes[] = {64, 96, 48, 10};
    Arrays parameters;
    for (int i = 0; i < 3; ++i) {
        array weight = zeros({sizes[i], sizes[i + 1]}, float32);
        for (float& each : weight.as_span<float>()) each = std::normal_distribution<float>(0, 1 / std::sqrt(static_cast<float>(sizes[i])))(engine);
        parameters.push_back(weight);
        parameters.push_back(zeros({sizes[i + 1]}, float32));
    }
    optimizers::Adam state = optimizers::adam_state(parameters);
    const Data data = make_data(1408, engine), held_out = make_data(360, engine);
    const auto step = compile(train, {.name = "train"});
    for (int epoch = 0; epoch < 20; ++epoch) {
        for (int at = 0; at < 1408; at += 64) (void)step(parameters, state, data.images(range(at, at + 64)), data.wanted(range(at, at + 64)));
    }
    const array found = argmax(scores(parameters, held_out.images), {.axis = 1});
    int right = 0;
    for (int i = 0; i < 360; ++i) right += found[i].item<std::int64_t>() == held_out.labels[static_cast<std::size_t>(i)] ? 1 : 0;
    const double us = 1e3 * example::median_ms([&] { return step(parameters, state, data.images(range(0, 64)), data.wanted(range(0, 64))); });
    example::expect(right > 0.93 * 360, "the digits are learnt");
    example::expect(step.cache_info().compiles == 1, "compiled once");
    std::printf("digits: %.1f %% of 360 images that it has not seen; a step takes %.0f us\n", 100.0 * right / 360, us);
    return 0;
}
