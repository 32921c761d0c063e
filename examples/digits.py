"""A perceptron learns noisy digits that are made here: one compiled call a step does forward, backward and the update, in place."""

import numpy
from optimizers import adam, adam_state
from timing import median_ms

import fastnp as np

FONT = """
.###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###.
#...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...#
#..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ...#. ..##. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....#
#...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ....#
.###. .###. ##### .###. ...#. .###. .###. .#... .###. .###.
"""
ROWS = [row.split() for row in FONT.strip().split("\n")]
GLYPHS = numpy.array([[[mark == "#" for mark in row[digit]] for row in ROWS] for digit in range(10)], numpy.float32)


def images(rng, count):
    """Digits somewhere in 8 x 8 pixels, with noise; and which they are."""
    labels, rows, columns = rng.integers(0, 10, count), rng.integers(0, 2, count), rng.integers(0, 4, count)
    pixels = 0.3 * rng.standard_normal((count, 8, 8), dtype=numpy.float32)
    for image, label, row, column in zip(pixels, labels, rows, columns, strict=True):
        image[row : row + 7, column : column + 5] += GLYPHS[label]
    return pixels.reshape(count, 64), labels


def scores(parameters, x):
    for weight, bias in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
        x = numpy.tanh(x @ weight + bias)
    return x @ parameters[-2] + parameters[-1]


def cross_entropy(parameters, x, wanted):
    s = scores(parameters, x)
    s = s - numpy.max(s, axis=1, keepdims=True)
    return -numpy.mean(numpy.sum((s - numpy.log(numpy.sum(numpy.exp(s), axis=1, keepdims=True))) * wanted, axis=1))


@np.compile
def train(parameters, state, x, wanted):
    loss, gradients = np.value_and_grad(cross_entropy)(parameters, x, wanted)
    adam(parameters, gradients, state, rate=3e-3)
    return loss


rng = numpy.random.default_rng(0)
sizes = [64, 96, 48, 10]
parameters = []
for inputs, outputs in zip(sizes[:-1], sizes[1:], strict=True):
    weights = rng.standard_normal((inputs, outputs), dtype=numpy.float32)
    parameters.append(weights / numpy.sqrt(numpy.float32(inputs)))
    parameters.append(numpy.zeros(outputs, numpy.float32))
state = adam_state(parameters)

(x, labels), (unseen, unseen_labels) = images(rng, 4096), images(rng, 1000)
wanted = numpy.eye(10, dtype=numpy.float32)[labels]
losses = []
for step in range(1280):
    batch = slice(64 * (step % 64), 64 * (step % 64) + 64)
    losses.append(float(train(parameters, state, x[batch], wanted[batch])))
right = int(numpy.sum(numpy.argmax(scores(parameters, unseen), axis=1) == unseen_labels))
assert right > 930, right
assert train.cache_info().compiles == 1
last = sum(losses[-64:]) / 64
print(f"digits: a loss of {losses[0]:.3f} at first and {last:.3f} at last; {right} of 1000 images that it has not seen are read")
us = 1e3 * median_ms(lambda: train(parameters, state, x[:64], wanted[:64]))
print(f"digits: {len(losses)} steps of {us:.0f} us")
