"""What tests/install exports while it is built."""

import numpy

import fastnp as np


class Layer:
    weights = numpy.linspace(-1, 1, 12).reshape(3, 4)

    @staticmethod
    def apply(x, steepness):
        return np.tanh(steepness * (x @ Layer.weights.astype(x.dtype))), np.sum(x)
