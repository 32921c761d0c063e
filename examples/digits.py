"""A perceptron learns handwritten digits: one compiled call a step does forward, backward and the update, in place.

With scikit-learn installed, its digits (1,797 images of 8 x 8); else noisy ones made here.
"""

import time

import numpy
from optimizers import adam, adam_state

import fastnp as np


def images():
    """(images in 0..1, labels)."""
    try:
        from sklearn.datasets import load_digits  # type: ignore[import-not-found]  # an optional package
    except ImportError:
        rng = numpy.random.default_rng(7)
        shapes = rng.random((10, 64)) > 0.6
        labels = rng.integers(0, 10, 1797)
        return numpy.clip(0.7 * shapes[labels] + 0.35 * rng.standard_normal((1797, 64)), 0, 1).astype(numpy.float32), labels
    digits = load_digits()
    return (digits.data / 16).astype(numpy.float32), digits.target


def scores(parameters, x):
    for weight, bias in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
        x = numpy.tanh(x @ weight + bias)
    return x @ parameters[-2] + parameters[-1]


def cross_entropy(parameters, x, wanted):
    s = scores(parameters, x)
    s = s - numpy.max(s, axis=1, keepdims=True)
    return -numpy.mean(numpy.sum((s - numpy.log(numpy.sum(numpy.exp(s), axis=1, keepdims=True))) * wanted, axis=1))


loss_and_gradient = np.value_and_grad(cross_entropy)


@np.compile
def train(parameters, state, x, wanted):
    loss, gradients = loss_and_gradient(parameters, x, wanted)
    adam(parameters, gradients, state, rate=3e-3)
    return loss


rng = numpy.random.default_rng(0)
sizes = [64, 96, 48, 10]
parameters = []
for inputs, outputs in zip(sizes[:-1], sizes[1:], strict=True):
    parameters.append((rng.standard_normal((inputs, outputs)) / numpy.sqrt(inputs)).astype(numpy.float32))
    parameters.append(numpy.zeros(outputs, numpy.float32))
state = adam_state(parameters)

x, labels = images()
wanted = numpy.eye(10, dtype=numpy.float32)[labels]
held_out = 360
start = time.perf_counter()
steps = 0
for _epoch in range(30):
    order = held_out + rng.permutation(len(x) - held_out)
    for batch in numpy.array_split(order[: len(order) // 64 * 64], len(order) // 64):
        loss = train(parameters, state, x[batch], wanted[batch])
        steps += 1
seconds = time.perf_counter() - start
accuracy = numpy.mean(numpy.argmax(scores(parameters, x[:held_out]), axis=1) == labels[:held_out])
assert accuracy > 0.93, accuracy
assert train.cache_info().compiles == 1
print(f"digits: {100 * accuracy:.1f} % of {held_out} images that it has not seen, after {steps} steps of {1e6 * seconds / steps:.0f} us")
