"""Everyday loops over tuples of numbers: rows stored, items gone over and chosen."""

from __future__ import annotations

from typing import Any

import numpy


def row_by_numbers(m: Any, x: Any, k: Any, j: Any) -> Any:
    for i in range(len(m)):
        if x[i] > 0.5:
            m[i] = x[i], k[i], j
        elif k[i] > 3:
            m[i] = [x[i] * 100] * 3
        elif k[i] > 2:
            m[i] = m[i, 1], m[i, 0], m[i - 1, 2]
        elif k[i] > 1:
            m[i, 1:] = (k[i] - 1, k[i])
        else:
            m[-1] = (j,)
    return m


def rows_at_once(m: Any, x: Any) -> Any:
    for i in range(len(x)):
        m[:] = x[i], 2, x[i] + 1
        if x[i] > 1:
            break
    return m


def reached(free: Any) -> Any:
    rows, columns = free.shape
    queue = numpy.empty((rows * columns, 2), numpy.int64)
    queue[0] = (0, 0)
    head, tail = 0, 1
    steps = numpy.full((rows, columns), -1)
    steps[0, 0] = 0
    while head < tail:
        i, j = queue[head]
        head += 1
        for d in range(2):
            a, b = i + d, j + 1 - d
            if a < rows and b < columns and free[a, b] and steps[a, b] < 0:
                steps[a, b] = steps[i, j] + 1
                queue[tail] = [a, b]
                tail += 1
    return steps


KERNEL = ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1))
MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))


def by_constants(x: Any) -> Any:
    weights = ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1))
    signs = (1, -1)
    s = 0.0
    for y in range(1, len(x) - 1):
        for i in range(3):
            for j in range(-3, 3):
                s += weights[i][j] * x[y + i - 1] * signs[j % 2]
        if x[y] > 2:
            break
    return s


def by_argument(x: Any, weights: Any) -> Any:
    s = 0
    for y in range(1, len(x) - 1):
        for i in range(3):
            for j in range(3):
                s += weights[i][j] * x[y + i - 1]
        if x[y] > 1.5:
            weights = (weights[1], weights[0], (x[y], 1, 2))
    return s, weights


def beyond_items(x: Any, values: Any, log: Any) -> Any:
    s = 0
    for i in range(len(x)):
        if x[i] > 1.5:
            log.append(i)
        s += values[int(x[i] * 2)] + (1, 2.5, True)[i % 3] + [3, 4][i % 2]
    return s


def around(grid: Any, moves: Any, m: int) -> Any:
    s, n = 0, len(grid)
    for k in range(m):
        for di, dj in moves:
            if grid[(k + di) % n, (k + dj) % n] > 40:
                continue
            s += grid[(k + di) % n, (k + dj) % n] * di
        for di, dj in MOVES:
            if k + di > 7:
                break
            s += dj
        else:
            s -= 1
        for a, (b, c) in [(1, (2.5, k)), (k, (0.5, 7))]:
            s += a * b - c
        for v in (1, 0.5, k % 2 == 1):
            s += v
        for v in reversed((1, 2, k)):
            s = s * 2 + v if v == 1 else s - v
    return s


def outermost(x: Any, steps: Any, log: Any) -> Any:
    s = 0
    for a, b in steps:
        for i in range(len(x)):
            if x[i] > 2:
                break
            s += a * x[i] + b
        if s > 9:
            log.append(s)
    for d in (1, 2, 3):
        for i in range(len(x)):
            if x[i] > d:
                s += d
    return s


def one_of_two(x: Any, k: Any, m: Any) -> Any:
    g = t = 0.0
    a = b = q = r = 0
    for i in range(1, len(x)):
        c = x[i] - x[i - 1]
        gain, loss = (c, 0.0) if c > 0 else (0, -c)
        a, b = (i, 2) if k[i] > 2 else (k[i], k[i - 1])
        p, (q, r) = (m[i % 5], (1, 2)) if k[i] > 1 else (m[0], (i, c))
        g += gain + a
        t += loss + b + p[0] * q + r
    return g, t, a, b, q, r


def or_an_array(x: Any, m: Any) -> Any:
    s = t = 0
    for i in range(len(x)):
        t = x[i] > 0 or m[i]
        if x[i] > 1:
            break
        s += i
    return s, t


def counted(x: Any, y: Any, c: Any, d: Any) -> Any:
    for i in range(len(x)):
        c += x[i] > 0
        d -= y[i] < x[i]
        if c > 10:
            c = c - (x[i] > 1) * 2
        c += i > 3
        c += (x[i] > 0) + (y[i] > 0)
        d = d + (i > 2) + (x[i] > 1) * 1.5 + True
    return c, d


def failure_links(p: Any) -> Any:
    k, links = 0, [0] * len(p)
    for i in range(1, len(p)):
        while k and p[i] != p[k]:
            k = links[k - 1]
        k += p[i] == p[k]
        links[i] = k
    return links


def expected(x: Any, n: Any) -> Any:
    def square(v: Any) -> Any:
        assert v < n
        return v * v

    s = 0
    for i in range(len(x)):
        assert -n < x[i], f"number {i} is {x[i]}"
        s += square(x[i])
        assert s >= 0
        if x[i] > 100:
            assert False, "no"  # noqa: B011 - an assertion that always fails is what is tested
    return s


def among(k: Any, x: Any, n: Any) -> Any:
    s = 0
    for i in range(len(k)):
        if k[i] in (1, 2, 3):
            s += 1
        if k[i] not in [1, 5]:
            s += 2
        if 1 <= k[i] < 3 != n:
            s += 4
        if x[i] in (n, 2.5):
            s += 8
        if n in (1, n):
            s += 16
        if k[i] in ():
            s += 100
        v = float(x[i])
        w = v if k[i] > 1 else 0
        if v in (w, 1):
            s += 64
        if w not in (v, 7, k[i]):
            s += 128
    return s


PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
WEIGHTS = tuple((i % 3 - 1, 0.5 * i, i % 4 == 0) for i in range(40))
LARGE = (2**70, *range(30))


def of_many_constants(k: Any, log: Any) -> Any:
    s = 0
    for i in range(len(k)):
        if k[i] > 18:
            log.append(i)
        s += PRIMES[k[i]] * WEIGHTS[k[i] * 2 % 40][1] + WEIGHTS[k[i] % 40][0]
        for p in PRIMES:
            if p > k[i]:
                break
            s += p
        for a, b, c in WEIGHTS:
            s += a * b + c
        if k[i] > 15:
            s += LARGE[k[i] % 7]
    return s


NAN = float("nan")
GOALS = ((1, 2), (0, 0), (2.0, 1))


def compared(x: Any, k: Any, n: Any) -> Any:
    s, best, q = 0, (99, 99), (n, 1)
    for i in range(1, len(x)):
        p = (k[i], k[i - 1])
        if p == (1, 2):
            s += 1
        if p != (k[i - 1], n):
            s += 2
        if p in GOALS:
            s += 4
        if (i, x[i]) < best:
            best = (i % 3, x[i])
        if best >= (1, 0.5):
            s += 8
        if (x[i], 1) > (x[i - 1], k[i]):
            s += 16
        if (i, 1) < (i, 1, 2):
            s += 32
        if (1, 2) == (1, 2, 3):
            s += 64
        if q == (n, 1):
            s += 128
        if q <= (n, 1.0):
            s += 256
        if p not in [(1, 1), (k[i], 2)]:
            s += 512
        if (n, 1) in ((n, 1), (2, 3)):
            s += 1024
        if NAN in (NAN, 1):
            s += 2048
        if x[i] in (NAN, 1):
            s += 4096
        if (i, (k[i], n)) == (i, (2, n)):
            s += 8192
        a, b = [x[i], k[i]]
        [c, d] = b, a
        s += a * 2 + c + d
    return s, best


def running_least(w: Any, n: Any) -> Any:
    best, out = (99.0, -1), numpy.zeros(len(w))
    for i in range(len(w)):
        d = w[i]
        if (d, i) < best:
            best = (d, i)
        out[i] = best[0]
    return out, best


def in_ranges(k: Any, n: Any) -> Any:
    s = 0
    for i in range(len(k)):
        if k[i] in range(n):
            s += 1
        if k[i] - 1 not in range(2, n) and i in range(-3, k[i]):
            s += 2
        if n in range(4, i, -1):
            s += 4
    return s


def inside(k: Any, n: Any) -> Any:
    s = 0
    for i in range(len(k)):
        for di, dj in MOVES:
            if i + di in range(n) and k[i] + dj in range(1, n):
                s += k[i + di]
    return s


def drawn_pairs(rng: Any, x: Any) -> Any:
    s, out = 0, numpy.zeros((len(x), 2))
    for i in range(len(x)):
        a, b = (rng.random(), 1) if x[i] > 0 else (0, rng.uniform(2, 3))
        out[i] = rng.random(), a
        out[i] = a, rng.normal()
        s += a * b
    return s, out


def popped_pairs(x: Any) -> Any:
    stack, s = [1.0], 0
    for i in range(len(x)):
        if x[i] > 0:
            stack.append(x[i])
        a, b = (stack.pop(), 1) if stack else (0.0, 2)
        s += a * b
    return s
