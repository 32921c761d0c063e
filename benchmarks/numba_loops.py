"""The workloads as parallel Numba loops, as its users write them (Numba compiles no axis= reductions)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def faq(X, Y):
    n, d = X.shape
    out = np.empty(n, np.float32)
    for i in prange(n):
        total = np.float32(0)
        for j in range(d):
            for k in range(d):
                total += X[i, j] * Y[i, k]
        out[i] = total
    return out


@njit
def cdf(x):
    one = np.float32(1)
    k = one / (one + np.float32(0.2316419) * abs(x))
    poly = np.float32(-1.821255978) + k * np.float32(1.330274429)
    poly = k * (np.float32(0.319381530) + k * (np.float32(-0.356563782) + k * (np.float32(1.781477937) + k * poly)))
    tail = np.float32(0.3989422804) * np.float32(math.exp(np.float32(-0.5) * x * x)) * poly
    return one - tail if x >= 0 else tail


@njit(parallel=True)
def blackscholes(S, K, T):
    call = np.empty_like(S)
    put = np.empty_like(S)
    for i in prange(S.size):
        root = np.float32(math.sqrt(T[i]))
        d1 = (np.float32(math.log(S[i] / K[i])) + np.float32(0.065) * T[i]) / (np.float32(0.3) * root)
        d2 = d1 - np.float32(0.3) * root
        discounted = K[i] * np.float32(math.exp(np.float32(-0.02) * T[i]))
        call[i] = S[i] * cdf(d1) - discounted * cdf(d2)
        put[i] = call[i] - S[i] + discounted
    return call, put


@njit(parallel=True)
def softmax(x):
    out = np.empty_like(x)
    for i in prange(x.shape[0]):
        top = np.float32(-np.inf)
        for j in range(x.shape[1]):
            top = max(top, x[i, j])
        total = np.float32(0)
        for j in range(x.shape[1]):
            e = np.float32(math.exp(x[i, j] - top))
            out[i, j] = e
            total += e
        for j in range(x.shape[1]):
            out[i, j] /= total
    return out


@njit(parallel=True)
def layernorm(x, g, b):
    out = np.empty_like(x)
    n = np.float32(x.shape[1])
    for i in prange(x.shape[0]):
        mean = np.float32(0)
        for j in range(x.shape[1]):
            mean += x[i, j]
        mean /= n
        variance = np.float32(0)
        for j in range(x.shape[1]):
            variance += (x[i, j] - mean) * (x[i, j] - mean)
        scale = np.float32(1) / np.float32(math.sqrt(variance / n + np.float32(1e-5)))
        for j in range(x.shape[1]):
            out[i, j] = (x[i, j] - mean) * scale * g[j] + b[j]
    return out


@njit(parallel=True)
def sumsq(x):
    total = np.float32(0)
    for i in prange(x.size):
        total += x[i] * x[i]
    return total


@njit(parallel=True)
def axis0(x):
    blocks = 16
    out = np.zeros(x.shape[1], np.float32)
    width = (x.shape[1] + blocks - 1) // blocks
    for block in prange(blocks):
        for i in range(x.shape[0]):
            for j in range(block * width, min((block + 1) * width, x.shape[1])):
                out[j] += x[i, j]
    return out


@njit(parallel=True)
def pairdist(a, b):
    out = np.empty((a.shape[0], b.shape[0]), np.float32)
    for i in prange(a.shape[0]):
        for j in range(b.shape[0]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += (a[i, k] - b[j, k]) * (a[i, k] - b[j, k])
            out[i, j] = math.sqrt(total)
    return out


@njit(parallel=True)
def stencil(x):
    out = np.empty((x.shape[0] - 2, x.shape[1] - 2), np.float32)
    fifth = np.float32(0.2)
    for i in prange(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = fifth * (x[i + 1, j + 1] + x[i, j + 1] + x[i + 2, j + 1] + x[i + 1, j] + x[i + 1, j + 2])
    return out


@njit
def matmul(a, b):
    return a @ b  # SciPy's BLAS


LOOPS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (faq, blackscholes, softmax, layernorm, sumsq, axis0, pairdist, stencil, matmul)}
