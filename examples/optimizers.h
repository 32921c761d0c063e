// Optimisers as plain functions: they write the next parameters, and what they remember, into the arrays that they are given. Called within a compiled
// function, all updates are a few kernels in place.
#pragma once

#include <vector>

#include "fastnp/fastnp.h"

namespace optimizers {

using fastnp::array;
using Arrays = std::vector<array>;

inline Arrays zeros_like(const Arrays& arrays) {
    Arrays made;
    for (const array& each : arrays) made.push_back(fastnp::zeros_like(each));
    return made;
}

/// Gradient descent along a running sum of the gradients (Polyak 1964); without momentum, along the gradient.
inline void sgd(Arrays& parameters, const Arrays& gradients, Arrays& velocity, double rate, double momentum) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        velocity[i] *= momentum;
        velocity[i] += gradients[i];
        parameters[i] -= rate * velocity[i];
    }
}

struct Adam {
    Arrays mean, square;
    array decays;  // the powers of the two rates of forgetting so far
};
inline Adam adam_state(const Arrays& parameters) { return {zeros_like(parameters), zeros_like(parameters), fastnp::ones({2})}; }

/// Adam with weights that decay by themselves (Loshchilov and Hutter 2019, algorithm 2); without decay, Adam (Kingma and Ba 2015, algorithm 1).
inline void adamw(Arrays& parameters, const Arrays& gradients, Adam& state, double rate, double decay = 0, double beta1 = 0.9, double beta2 = 0.999) {
    state.decays *= array({beta1, beta2});
    const array left = 1 - state.decays;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        state.mean[i] *= beta1;
        state.mean[i] += (1 - beta1) * gradients[i];
        state.square[i] *= beta2;
        state.square[i] += (1 - beta2) * gradients[i] * gradients[i];
        const array step = (state.mean[i] / left[0]) / (sqrt(state.square[i] / left[1]) + 1e-8);
        parameters[i] -= (rate * (step + decay * parameters[i])).astype(parameters[i].dtype());
    }
}

}  // namespace optimizers
