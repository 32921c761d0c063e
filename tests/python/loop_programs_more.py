"""Programs of algorithms, whole numbers, dynamic programming and chance as loops, with what makes their arguments of a size."""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np


def needleman_wunsch(a, b, match, mismatch, gap):
    n, m = len(a), len(b)
    s = np.zeros((n + 1, m + 1), dtype=np.int32)
    s[:, 0] = gap * np.arange(n + 1)
    s[0, :] = gap * np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            diagonal = s[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch)
            s[i, j] = max(diagonal, s[i - 1, j] + gap, s[i, j - 1] + gap)
    i, j, path = n, m, []
    while i > 0 and j > 0:
        if s[i, j] == s[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch):
            path.append((i - 1, j - 1))
            i -= 1
            j -= 1
        elif s[i, j] == s[i - 1, j] + gap:
            i -= 1
        else:
            j -= 1
    return s[n, m], path[::-1]


def smith_waterman(a, b):
    h = np.zeros((len(a) + 1, len(b) + 1))
    best, where = 0.0, (0, 0)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            same = h[i - 1, j - 1] + (2.0 if a[i - 1] == b[j - 1] else -1.0)
            h[i, j] = max(0.0, same, h[i - 1, j] - 0.5, h[i, j - 1] - 0.5)
            if h[i, j] > best:
                best, where = h[i, j], (i, j)
    return best, where


def nussinov(seq):
    n = seq.shape[0]
    table = np.zeros((n, n), np.int64)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                table[i, j] = np.maximum(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = np.maximum(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < n:
                if i < j - 1:
                    table[i, j] = np.maximum(table[i, j], table[i + 1, j - 1] + (1 if seq[i] + seq[j] == 3 else 0))
                else:
                    table[i, j] = np.maximum(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = np.maximum(table[i, j], table[i, k] + table[k + 1, j])
    return table


def warping(x, y):
    d = np.full((len(x) + 1, len(y) + 1), np.inf)
    d[0, 0] = 0
    for i in range(len(x)):
        for j in range(len(y)):
            d[i + 1, j + 1] = abs(x[i] - y[j]) + min(d[i, j + 1], d[i + 1, j], d[i, j])
    return d[-1, -1]


def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, np.int64)
    for i in range(len(weights)):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[capacity]


def common_subsequence(a, b):
    length = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                length[i + 1][j + 1] = length[i][j] + 1
            else:
                length[i + 1][j + 1] = max(length[i + 1][j], length[i][j + 1])
    return length[len(a)][len(b)]


def matrix_chain(p):
    n = len(p) - 1
    cost = np.zeros((n, n))
    split = np.zeros((n, n), int)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i, j] = np.inf
            for k in range(i, j):
                q = cost[i, k] + cost[k + 1, j] + p[i] * p[k + 1] * p[j + 1]
                if q < cost[i, j]:
                    cost[i, j] = q
                    split[i, j] = k
    return cost[0, n - 1], split


def viterbi(obs, start, trans, emit):
    T, S = len(obs), len(start)
    score = np.zeros((T, S))
    back = np.zeros((T, S), np.intp)
    score[0] = start + emit[:, obs[0]]
    for t in range(1, T):
        for s in range(S):
            all_ = score[t - 1] + trans[:, s]
            back[t, s] = np.argmax(all_)
            score[t, s] = all_[back[t, s]] + emit[s, obs[t]]
    path = np.zeros(T, np.intp)
    path[-1] = np.argmax(score[-1])
    for t in range(T - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path, score[-1].max()


def hmm_forward(obs, start, trans, emit):
    alpha = start * emit[:, obs[0]]
    log = 0.0
    for t in range(1, len(obs)):
        scale = alpha.sum()
        log += np.log(scale)
        alpha = (alpha / scale) @ trans * emit[:, obs[t]]
    return log + np.log(alpha.sum())


def beam_search(scores, width):
    beams = [([], 0.0)]
    for row in scores:
        grown = []
        for tokens, score in beams:
            for k in range(len(row)):
                grown.append((tokens + [k], score + row[k]))
        grown.sort(key=lambda each: each[1], reverse=True)
        beams = grown[:width]
    return beams


def sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return np.flatnonzero(prime)


def factors(n):
    found = []
    d = 2
    while d * d <= n:
        while n % d == 0:
            found.append(d)
            n //= d
        d += 1
    if n > 1:
        found.append(n)
    return found


def gcds(a, b):
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        x, y = a[i], b[i]
        while y != 0:
            x, y = y, x % y
        out[i] = abs(x)
    return out


def collatz_lengths(starts):
    out = np.zeros(len(starts), np.int32)
    for i, n in enumerate(starts):
        n = int(n)
        while n > 1:
            n = 3 * n + 1 if n & 1 else n >> 1
            out[i] += 1
    return out


def pascal(n, m):
    t = np.zeros((n, n), np.int64)
    for i in range(n):
        t[i, 0] = t[i, i] = 1 % m
        for j in range(1, i):
            t[i, j] = (t[i - 1, j - 1] + t[i - 1, j]) % m
    return t


def fnv(data):
    h = np.uint64(14695981039346656037)
    for byte in data:
        h ^= np.uint64(byte)
        h *= np.uint64(1099511628211)
    return h


def fnv_ints(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ int(byte)) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def xorshift(state, n):
    out = np.zeros(n, np.uint64)
    x = state[0]
    for i in range(n):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        out[i] = x
    state[0] = x
    return out


def lcg(seed, n):
    x, out = seed, np.empty(n)
    for i in range(n):
        x = (1103515245 * x + 12345) % 2147483648
        out[i] = x / 2147483648
    return out


def crc_table(data):
    table = np.zeros(256, np.uint32)
    for i in range(256):
        c = np.uint32(i)
        for _ in range(8):
            c = (c >> 1) ^ 0xEDB88320 if c & 1 else c >> 1
        table[i] = c
    crc = np.uint32(0xFFFFFFFF)
    for b in data:
        crc = table[(crc ^ b) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def find(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


def components(n, edges):
    parent = np.arange(n)
    count = n
    for a, b in edges:
        x, y = find(parent, a), find(parent, b)
        if x != y:
            parent[max(x, y)] = min(x, y)
            count -= 1
    return count, parent


def merge_sort(a):
    n, width = len(a), 1
    b = np.empty_like(a)
    while width < n:
        for lo in range(0, n, 2 * width):
            mid, hi = min(lo + width, n), min(lo + 2 * width, n)
            i, j = lo, mid
            for k in range(lo, hi):
                if i < mid and (j >= hi or a[i] <= a[j]):
                    b[k] = a[i]
                    i += 1
                else:
                    b[k] = a[j]
                    j += 1
        a, b = b, a
        width *= 2
    return a


def heap_sort(a):
    n = len(a)
    start, end = n // 2, n
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            a[end], a[0] = a[0], a[end]
        root = start
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if not a[root] < a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child


def quickselect(a, k):
    lo, hi = 0, len(a) - 1
    while lo < hi:
        pivot = a[(lo + hi) // 2]
        i, j = lo, hi
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i, j = i + 1, j - 1
        if k <= j:
            hi = j
        elif k >= i:
            lo = i
        else:
            break
    return a[k]


def kmp(text, pattern):
    fail = [0] * len(pattern)
    k = 0
    for i in range(1, len(pattern)):
        while k > 0 and pattern[i] != pattern[k]:
            k = fail[k - 1]
        if pattern[i] == pattern[k]:
            k += 1
        fail[i] = k
    found, k = [], 0
    for i in range(len(text)):
        while k > 0 and text[i] != pattern[k]:
            k = fail[k - 1]
        if text[i] == pattern[k]:
            k += 1
        if k == len(pattern):
            found.append(i - k + 1)
            k = fail[k - 1]
    return found


def running_median(x):
    kept = np.empty(len(x))
    out = np.empty(len(x))
    for i in range(len(x)):
        j = i
        while j > 0 and kept[j - 1] > x[i]:
            kept[j] = kept[j - 1]
            j -= 1
        kept[j] = x[i]
        half = (i + 1) // 2
        out[i] = kept[half] if (i + 1) % 2 else 0.5 * (kept[half - 1] + kept[half])
    return out


def run_lengths(x):
    values, counts = [], []
    i = 0
    while i < len(x):
        j = i + 1
        while j < len(x) and x[j] == x[i]:
            j += 1
        values.append(x[i])
        counts.append(j - i)
        i = j
    return np.array(values), np.array(counts)


def histogram_2d(x, y, bins):
    h = np.zeros((bins, bins), np.int64)
    lo, hi = min(x.min(), y.min()), max(x.max(), y.max())
    for a, b in zip(x, y):  # noqa: B905 - as users write it
        i = int((a - lo) / (hi - lo) * bins)
        j = int((b - lo) / (hi - lo) * bins)
        h[min(i, bins - 1), min(j, bins - 1)] += 1
    return h, lo, hi


def group_means(labels, values, k):
    sums, counts = [0.0] * k, [0] * k
    for label, value in zip(labels, values):  # noqa: B905 - as users write it
        sums[label] += value
        counts[label] += 1
    return [s / c if c else math.nan for s, c in zip(sums, counts)]  # noqa: B905 - as users write it


def dijkstra(weights, start):
    n = weights.shape[0]
    far = np.full(n, np.inf)
    far[start] = 0.0
    heap = [(0.0, start)]
    while heap:
        d, i = heapq.heappop(heap)
        if d > far[i]:
            continue
        for j in range(n):
            if weights[i, j] > 0 and d + weights[i, j] < far[j]:
                far[j] = d + weights[i, j]
                heapq.heappush(heap, (far[j], j))
    return far


def maze(walls):
    rows, columns = walls.shape
    far = np.full(walls.shape, -1)
    ring = np.empty((rows + columns + 4, 2), np.int64)
    if walls[0, 0]:
        return far
    far[0, 0] = 0
    ring[0] = 0, 0
    head, tail = 0, 1
    while head != tail:
        i, j = ring[head]
        head = (head + 1) % len(ring)
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            y, x = i + di, j + dj
            if 0 <= y < rows and 0 <= x < columns and not walls[y, x] and far[y, x] < 0:
                far[y, x] = far[i, j] + 1
                ring[tail, 0], ring[tail, 1] = y, x
                tail = (tail + 1) % len(ring)
    return far


def flood_fill(image, i, j, colour):
    old = image[i, j]
    if old == colour:
        return 0
    stack, count = [(i, j)], 0
    while stack:
        i, j = stack.pop()
        if i < 0 or j < 0 or i >= image.shape[0] or j >= image.shape[1] or image[i, j] != old:
            continue
        image[i, j] = colour
        count += 1
        stack.extend([(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)])
    return count


def percolates(is_open):
    wet = is_open.copy()
    wet[1:] = False
    changed = True
    turns = 0
    while changed:
        changed = False
        turns += 1
        for i in range(wet.shape[0]):
            for j in range(wet.shape[1]):
                if wet[i, j] or not is_open[i, j]:
                    continue
                if (i > 0 and wet[i - 1, j]) or (j > 0 and wet[i, j - 1]) or (i + 1 < len(wet) and wet[i + 1, j]):
                    wet[i, j] = changed = True
    return wet[-1].any(), turns


def _bases(r: Any, n: int) -> Any:
    return r.integers(0, 4, n)


def _hidden(r: Any, n: int) -> Any:
    start, trans, emit = r.random(3) + 0.1, r.random((3, 3)) + 0.1, r.random((3, 4)) + 0.1
    return r.integers(0, 4, n), start / start.sum(), trans / trans.sum(axis=1)[:, None], emit / emit.sum(axis=1)[:, None]


# (function, what makes its arguments of a generator and a size, the largest size)
ALGORITHMS: list[tuple[Any, Any, int]] = [
    (needleman_wunsch, lambda r, n: (_bases(r, n), _bases(r, n + 1), 2, -1, -2), 20),
    (smith_waterman, lambda r, n: (_bases(r, n), _bases(r, n + 2)), 20),
    (nussinov, lambda r, n: (_bases(r, n),), 12),
    (warping, lambda r, n: (r.normal(size=n), r.normal(size=n + 1)), 20),
    (knapsack, lambda r, n: (r.integers(1, 20, n), r.integers(1, 50, n), n), 40),
    (common_subsequence, lambda r, n: (_bases(r, n), _bases(r, n)), 20),
    (matrix_chain, lambda r, n: (r.integers(1, 30, n + 1),), 12),
    (viterbi, lambda r, n: tuple(x if x.dtype.kind == "i" else np.log(x) for x in _hidden(r, n)), 30),
    (hmm_forward, _hidden, 30),
    (beam_search, lambda r, n: (r.normal(size=(n, 4)), 3), 10),
    (sieve, lambda r, n: (n,), 100),
    (factors, lambda r, n: (int(r.integers(1, 100 * n + 2)),), 100),
    (gcds, lambda r, n: (r.integers(-999, 999, n), r.integers(-999, 999, n)), 100),
    (collatz_lengths, lambda r, n: (r.integers(1, 999, n),), 40),
    (pascal, lambda r, n: (n, 97), 20),
    (fnv, lambda r, n: (r.integers(0, 256, n).astype("u1"),), 100),
    (fnv_ints, lambda r, n: (r.integers(0, 256, n).astype("u1"),), 100),
    (xorshift, lambda r, n: (r.integers(1, 2**63, 1).astype("u8"), n), 100),
    (lcg, lambda r, n: (int(r.integers(2**31)), n), 100),
    (crc_table, lambda r, n: (r.integers(0, 256, n).astype("u1"),), 100),
    (components, lambda r, n: (n + 1, r.integers(0, n + 1, (n // 2, 2))), 100),
    (merge_sort, lambda r, n: (r.normal(size=n),), 100),
    (heap_sort, lambda r, n: (r.normal(size=n),), 100),
    (quickselect, lambda r, n: (r.normal(size=n), n // 3), 100),
    (kmp, lambda r, n: (r.integers(0, 2, n), r.integers(0, 2, 3)), 100),
    (running_median, lambda r, n: (r.normal(size=n),), 60),
    (run_lengths, lambda r, n: (r.integers(0, 2, n),), 100),
    (histogram_2d, lambda r, n: (r.normal(size=n), r.normal(size=n), 5), 100),
    (group_means, lambda r, n: (r.integers(0, 7, n), r.normal(size=n), 7), 100),
    (dijkstra, lambda r, n: (r.random((n, n)) * (r.random((n, n)) < 0.4), 0), 12),
    (maze, lambda r, n: (r.random((n, n)) < 0.25,), 8),
    (flood_fill, lambda r, n: (r.integers(0, 2, (n, n)), n // 2, n // 2, 7), 8),
    (percolates, lambda r, n: (r.random((n, n)) < 0.6,), 8),
]
