"""Programs of some operations each, in which tests plant faults (test_triage.py)."""

from __future__ import annotations

from typing import Any

import numpy

import fastnp as np


def layers(x, y):
    a = np.exp(-x * x)
    b = a - y
    c = np.sum(b * 2.0, axis=1)
    return c / 3.0, np.tanh(b) + np.sqrt(x * x + 1.0)


def softmax(x, y):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True) + np.where(y > 0, x, y)


def integers(x, y):
    i = np.floor(x * 8).astype(np.int64)
    j = np.floor(y * 8).astype(np.int64) + 20
    return np.floor_divide(i, j) + i % j - np.cumsum(i - j, axis=0)


def stores(x, y):
    z = x * 2.0
    z[1:] += y[:-1]
    z[0] = np.minimum(x[0], y[0])
    return np.log1p(z * z) - z


def polynomial(x, y):
    return ((x * y + 1.5) * x - y) * x + np.cos(y)


def loss(x, y):
    h = np.tanh(x * y) * 1.5
    return np.sum(h * h - np.log1p(np.exp(h))) / 7.0


def gradient(x, y):
    return np.grad(loss)(x, y)


def guarded(x, y):
    return np.sum(x) + 1.0 if x.shape[0] > 3 else np.sum(y) * 2.0


def outer(x, y):
    return np.power(np.abs(x), 1.7)[:, None, :] * y[None, :, :]


def recurrence(x, y):
    total = 0.0
    scale = x[0, 0] + 2.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total = total * 0.5 - x[i, j] * y[i, j]
    return total / scale


def column_sums(x, y):
    return np.sum(x * y, axis=1) + 1.0


def arguments(seed: int = 0, rows: int = 6, columns: int = 9) -> tuple[Any, Any]:
    rng = numpy.random.default_rng(seed)
    return rng.standard_normal((rows, columns)), rng.standard_normal((rows, columns))
