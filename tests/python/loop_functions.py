"""Everyday loops over numbers and elements, with what makes their arguments of a size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def count(x, t):
    c = 0
    for i in range(x.shape[0]):
        c += 1
        if x[i] > t:
            c += 1
        elif x[i] < -t:
            c -= 2
    return c


def average(x, a):
    out = np.empty(x.shape[0])
    s = x[0]
    for i in range(x.shape[0]):
        s = (1.0 - a) * s + a * x[i]
        out[i] = s
    return out


def first_peak(x, t):
    for i in range(1, len(x) - 1):
        if x[i] > t and x[i] >= x[i - 1] and x[i] > x[i + 1]:
            return i
    return -1


def histogram(x, k):
    h = np.zeros(k, np.int64)
    for v in x:
        if v < -2.0 or v > 2.0:
            continue
        h[min(int((v + 2.0) / 4.0 * k), k - 1)] += 1
    return h


def group(labels, values):
    total = np.zeros(37)
    for i in range(labels.shape[0]):
        total[labels[i]] += values[i]
    return total


def insertion(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


def edit(a, b):
    n, m = a.shape[0], b.shape[0]
    d = np.zeros((n + 1, m + 1), np.int64)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


def shortest(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                t = d[i, k] + d[k, j]
                if t < d[i, j]:
                    d[i, j] = t
    return d


def while_count(n):
    s = 0
    i = 0
    while i < n:
        s += i * i % 7
        i += 1
    return s


def cholesky(A):
    n = A.shape[0]
    L = np.zeros_like(A)
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(j):
                s += L[i, k] * L[j, k]
            if i == j:
                L[i, j] = np.sqrt(A[i, i] - s)
            else:
                L[i, j] = (A[i, j] - s) / L[j, j]
    return L


def newton(x, n):
    r = x
    for _ in range(n):
        f = r * r - 2.0
        if abs(f) < 1e-12:
            break
        r = r - f / (2.0 * r)
    return r


def gcd_sum(n):
    total = 0
    for a in range(1, n):
        for b in range(1, n):
            x, y = a, b
            while y:
                x, y = y, x % y
            total += x
    return total


def collatz(n):
    best, arg = 0, 0
    for i in range(1, n):
        k, c = i, 0
        while k != 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            c += 1
        if c > best:
            best, arg = c, i
    return best, arg


def overflow(n):
    x = 1
    for i in range(n):
        x = x * 3 + i
    return x


def mandel(w, h, m):
    out = np.zeros((h, w), np.int32)
    for i in range(h):
        for j in range(w):
            x0 = -2.0 + 3.0 * j / w
            y0 = -1.0 + 2.0 * i / h
            x = y = 0.0
            n = 0
            while x * x + y * y <= 4.0 and n < m:
                x, y = x * x - y * y + x0, 2.0 * x * y + y0
                n += 1
            out[i, j] = n
    return out


def bubble(a):
    n = len(a)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


def dot(x, y):
    s = 0
    for a, b in zip(x, y):  # noqa: B905 - as users write it
        s += a * b
    return s


def search(a, v):
    lo, hi = 0, len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        if a[mid] < v:
            lo = mid + 1
        else:
            hi = mid
    return lo


def index_error(x, n):
    for i in range(n):
        x[i] = x[i] + 1.0
    return x


def zero_division(x, y):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = float(x[i]) / float(y[i])
    return out


def np_zero(x, y):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] / y[i]
    return out


def big_ints(x):
    h = 1
    for i in range(len(x)):
        h = h * 1000003 + int(x[i])
    return h


def raises(x, t):
    for i in range(len(x)):
        if x[i] > t:
            raise ValueError(f"too large at {i}: {x[i]}")
        x[i] *= 2.0
    return x


def early(x, t):
    for i in range(len(x)):
        for j in range(i):
            if x[i] + x[j] > t:
                return i, j, x[i] + x[j]
    return None


def for_else(x, t):
    for i in range(len(x)):
        if x[i] > t:
            break
        x[i] = 0.0
    else:
        return "none"
    return x


def inner_else(x):
    total = 0
    for i in range(len(x)):
        for j in range(i):
            if x[j] > 1.0:
                continue
            if x[j] < -1.0:
                break
            total += 1
        else:
            total += 100
    return total


def prints(x, log):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        if x[i] > 1.5:
            log.append(s)
    return s


def unbound(x, t):
    for i in range(len(x)):
        if x[i] > t:
            y = x[i]
    return y


def dtype_change(n):
    s = 1
    for i in range(n):
        if i == 3:
            s = s / 2
        s = s + 1
    return s


def mixed(x):
    s = 0
    for i in range(len(x)):
        if i % 3 == 0:
            s += 1
        else:
            s += x[i]
    return s


def tuples(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, (a + b) % 1000007
    return a, b


def rows(A):
    total = 0.0
    for row in A:
        for v in row:
            total += v * v
    return total


def rowvar(A):
    t = 0.0
    for i in range(A.shape[0]):
        row = A[i]
        m = row[0]
        for j in range(1, row.shape[0]):
            if row[j] > m:
                m = row[j]
        t += m
    return t


def helper(a, b):
    if a > b:
        return a - b
    return (b - a) * 2


def calls(x):
    s = 0.0
    for i in range(1, len(x)):
        s += helper(x[i], x[i - 1])
    return s


def negative(x):
    s = 0.0
    for i in range(len(x)):
        s += x[-i] * x[-1]
    return s


def backward(x):
    for i in range(len(x) - 2, -1, -1):
        x[i] += x[i + 1]
    return x


def steps(x):
    s = 0.0
    for i in range(0, len(x), 3):
        s += x[i]
    for i in reversed(range(len(x))):
        s = s * 0.5 + x[i]
    return s


def enum(x, y):
    t = 0
    for i, (a, b) in enumerate(zip(x, y)):  # noqa: B905 - as users write it
        if a > b:
            t += i
    return t


def floordiv(n, m):
    s = 0
    for i in range(-n, n):
        if i != 0:
            s += m // i + m % i * 2
            s ^= i << 3
            s -= (m >> 1) & i
    return s


def floatmod(x):
    s = 0.0
    for i in range(len(x)):
        v = float(x[i])
        s += v % 0.7 + v // 0.3
    return s


def ternary(x):
    s = 0
    for i in range(len(x)):
        s += 1 if x[i] > 0 and (x[i] < 1 or i % 2 == 0) else 2.5
    return s


def casts(x):
    out = np.zeros(len(x), np.int32)
    for i in range(len(x)):
        out[i] = x[i] * 3.7
    return out


def f4(x):
    s = np.float32(0)
    for i in range(len(x)):
        s += x[i] * 0.5
    return s


def u8(x):
    c = 0
    for i in range(len(x)):
        if x[i] & 1:
            c += x[i] >> 1
    return c


def crc(data, n):
    crc = 0xFFFFFFFF
    for i in range(n):
        crc ^= int(data[i])
        for _ in range(8):
            if crc & 1:
                crc = (crc >> 1) ^ 0xEDB88320
            else:
                crc >>= 1
    return crc ^ 0xFFFFFFFF


def maths(x):
    s = 0.0
    for i in range(len(x)):
        s += math.sin(x[i]) + math.sqrt(abs(x[i])) + math.floor(x[i])
    return s


def mathdomain(x):
    s = 0.0
    for i in range(len(x)):
        s += math.sqrt(x[i])
    return s


def minmax(x):
    lo = hi = x[0]
    for v in x:
        lo = min(lo, v)
        hi = max(hi, v, 0)
    return lo, hi


def alias(x, y):
    for i in range(1, len(x)):
        x[i] = y[i - 1] + 1
    return x


def complexes(x):
    s = 0j
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


def while_true(x):
    i = 0
    while True:
        if i >= len(x) or x[i] > 1:
            break
        i += 1
    return i


def nested_break(A, t):
    k = 0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            k += 1
            if A[i, j] > t:
                break
        if k > 20:
            break
    return k, i


Make = Any


def _spread(rng: np.random.Generator, n: int) -> Any:
    return np.cumsum(rng.random(n))


def _positive(rng: np.random.Generator, n: int) -> Any:
    x = rng.normal(size=(min(n, 12), min(n, 12)))
    return x @ x.T + 12 * np.eye(len(x))


def _overlapping(rng: np.random.Generator, n: int) -> Any:
    whole = rng.normal(size=n + 1)
    return whole[1:], whole[:-1]


def _labels(rng: np.random.Generator, n: int) -> Any:
    return rng.integers(0, 37, n), rng.normal(size=n)


def _normal(rng: np.random.Generator, n: int) -> Any:
    return rng.normal(size=n)


# (function, what makes its arguments of a generator and a size, whether it has to be native)
LOOPS: list[tuple[Any, Make, bool]] = [
    (count, lambda r, n: (_normal(r, n), 0.5), True),
    (average, lambda r, n: (_normal(r, n + 1), 0.1), True),
    (first_peak, lambda r, n: (_normal(r, n), 1.0), True),
    (histogram, lambda r, n: (_normal(r, n), 32), True),
    (group, _labels, True),
    (insertion, lambda r, n: (_normal(r, n),), True),
    (edit, lambda r, n: (r.integers(0, 4, min(n, 30)), r.integers(0, 4, min(n, 40))), True),
    (shortest, lambda r, n: (r.integers(1, 100, (min(n, 15), min(n, 15))),), True),
    (while_count, lambda r, n: (n,), True),
    (cholesky, lambda r, n: (_positive(r, n),), True),
    (newton, lambda r, n: (float(n + 1), 50), False),
    (gcd_sum, lambda r, n: (min(n, 30),), True),
    (collatz, lambda r, n: (n,), True),
    (overflow, lambda r, n: (n,), False),
    (mandel, lambda r, n: (min(n, 12), min(n, 10), 30), True),
    (bubble, lambda r, n: (r.random(min(n, 40)),), True),
    (dot, lambda r, n: (_normal(r, n), _normal(r, n)), False),
    (search, lambda r, n: (_spread(r, n), n / 3), True),
    (index_error, lambda r, n: (_normal(r, n), n + 1), True),
    (zero_division, lambda r, n: (_normal(r, n), r.integers(0, 20, n).astype(float)), True),
    (np_zero, lambda r, n: (_normal(r, n), r.integers(0, 20, n).astype(float)), True),
    (big_ints, lambda r, n: (r.integers(0, 100, n),), False),
    (raises, lambda r, n: (_normal(r, n), 1.5), True),
    (early, lambda r, n: (_normal(r, n), 2.5), True),
    (for_else, lambda r, n: (_normal(r, n), 1.5), True),
    (inner_else, lambda r, n: (_normal(r, n),), True),
    (prints, lambda r, n: (_normal(r, n), []), True),
    (unbound, lambda r, n: (_normal(r, n), 1.0), False),
    (dtype_change, lambda r, n: (n,), False),
    (mixed, lambda r, n: (_normal(r, n),), False),
    (tuples, lambda r, n: (n,), False),
    (rows, lambda r, n: (r.normal(size=(n, 4)),), False),
    (rowvar, lambda r, n: (r.normal(size=(n, 4)),), True),
    (calls, lambda r, n: (_normal(r, n),), False),
    (negative, lambda r, n: (_normal(r, n),), False),
    (backward, lambda r, n: (_normal(r, n),), True),
    (steps, lambda r, n: (_normal(r, n),), False),
    (enum, lambda r, n: (_normal(r, n), _normal(r, n)), True),
    (floordiv, lambda r, n: (n, int(r.integers(-50, 50))), False),
    (floatmod, lambda r, n: (_normal(r, n),), False),
    (ternary, lambda r, n: (_normal(r, n),), True),
    (casts, lambda r, n: (_normal(r, n),), True),
    (f4, lambda r, n: (_normal(r, n).astype("f4"),), False),
    (u8, lambda r, n: (r.integers(0, 256, n).astype("u1"),), True),
    (crc, lambda r, n: (r.integers(0, 256, n).astype("u1"), n), True),
    (maths, lambda r, n: (_normal(r, n),), False),
    (mathdomain, lambda r, n: (_normal(r, n) + 1.5,), False),
    (minmax, lambda r, n: (_normal(r, n + 1),), False),
    (alias, _overlapping, True),
    (alias, lambda r, n: (_normal(r, n), _normal(r, n)), True),
    (complexes, lambda r, n: (_normal(r, n) + 1j,), False),
    (while_true, lambda r, n: (_normal(r, n),), True),
    (nested_break, lambda r, n: (r.normal(size=(n, 5)), 1.0), False),
]
