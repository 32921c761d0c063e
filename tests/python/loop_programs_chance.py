"""Programs of chance and of learning as loops, with what makes their arguments of a size. Chance is of seeds or of generators that are arguments."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np


def rnn(x, W, U, b):
    h = np.zeros(W.shape[0])
    states = []
    for t in range(x.shape[0]):
        h = np.tanh(W @ h + U @ x[t] + b)
        states.append(h)
    return np.stack(states), h


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm(x, W, b, size):
    h, c = np.zeros(size), np.zeros(size)
    out = np.zeros((len(x), size))
    for t, row in enumerate(x):
        gates = W @ np.concatenate([row, h]) + b
        i, f, o, g = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out[t] = h
    return out, (h, c)


def kalman(z, q, r):
    F = np.array([[1.0, 1.0], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    x, P = np.zeros(2), np.eye(2)
    path = np.empty(len(z))
    for k in range(len(z)):
        x = F @ x
        P = F @ P @ F.T + q * np.eye(2)
        if not np.isnan(z[k]):
            S = H @ P @ H.T + r
            K = P @ H.T / S
            x = x + (K * (z[k] - H @ x)).ravel()
            P = (np.eye(2) - K @ H) @ P
        path[k] = x[0]
    return path, P


def kalman_scalar(z, q, r):
    x, p = 0.0, 1.0
    for i in range(len(z)):
        p += q
        if z[i] == z[i]:
            k = p / (p + r)
            x += k * (z[i] - x)
            p *= 1 - k
        z[i] = x
    return x, p


def particle_filter(z, n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    means = []
    for value in z:
        x = x + 0.1 * rng.normal(size=n)
        w = np.exp(-0.5 * (value - x) ** 2) + 1e-300
        w /= w.sum()
        means.append(float(w @ x))
        if 1.0 / np.sum(w**2) < n / 2:
            cumulative, kept, j = np.cumsum(w), np.empty(n), 0
            u = rng.random() / n
            for i in range(n):
                while j < n - 1 and cumulative[j] < u + i / n:
                    j += 1
                kept[i] = x[j]
            x = kept
    return means


def k_means(points, k):
    centres = points[:k].copy()
    labels = np.full(len(points), -1)
    turns = 0
    while True:
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        new = distances.argmin(axis=1)
        turns += 1
        if np.array_equal(new, labels):
            return centres, labels, turns
        labels = new
        for j in range(k):
            mine = points[labels == j]
            if len(mine) > 0:
                centres[j] = mine.mean(axis=0)


def k_means_loops(points, centres):
    n, k = len(points), len(centres)
    labels = np.zeros(n, np.int64)
    changed = True
    while changed:
        changed = False
        for i in range(n):
            best, nearest = np.inf, 0
            for j in range(k):
                d = 0.0
                for c in range(points.shape[1]):
                    d += (points[i, c] - centres[j, c]) ** 2
                if d < best:
                    best, nearest = d, j
            if labels[i] != nearest:
                labels[i] = nearest
                changed = True
        counts = np.zeros(k)
        sums = np.zeros_like(centres)
        for i in range(n):
            counts[labels[i]] += 1
            sums[labels[i]] += points[i]
        for j in range(k):
            if counts[j]:
                centres[j] = sums[j] / counts[j]
    return labels


def metropolis(n, width, seed):
    np.random.seed(seed)
    x, accepted = 0.0, 0
    walk = np.empty(n)
    for i in range(n):
        new = x + np.random.uniform(-width, width)
        if np.random.rand() < math.exp(min(0.0, 0.5 * (x * x - new * new))):
            x = new
            accepted += 1
        walk[i] = x
    return walk, accepted


def pi_by_chance(n, rng):
    inside = 0
    for _ in range(n):
        x, y = rng.random(), rng.random()
        if x * x + y * y < 1:
            inside += 1
    return 4 * inside / n


def euler_maruyama(x, mu, sigma, steps, seed):
    np.random.seed(seed)
    dt = 1.0 / steps
    path = np.zeros((steps + 1, len(x)))
    path[0] = x
    for i in range(steps):
        path[i + 1] = path[i] + mu * path[i] * dt + sigma * path[i] * np.sqrt(dt) * np.random.standard_normal(len(x))
    return path


def euler_loops(x0, noise, dt):
    steps, paths = noise.shape
    below = 0
    for p in range(paths):
        x = x0
        for i in range(steps):
            x += 0.5 * (1.0 - x) * dt + 0.4 * math.sqrt(max(x, 0.0)) * noise[i, p] * math.sqrt(dt)
            if x < 0.4:
                below += 1
                break
        noise[-1, p] = x
    return below


def gillespie(counts, rates, end, rng):
    t = 0.0
    events = []
    while len(events) < 200:
        born = rates[0] * counts[0]
        eaten = rates[1] * counts[0] * counts[1]
        dead = rates[2] * counts[1]
        total = born + eaten + dead
        if total == 0:
            break
        t += rng.exponential(1.0 / total)
        if t > end:
            break
        u = rng.random() * total
        if u < born:
            counts[0] += 1
        elif u < born + eaten:
            counts[0] -= 1
            counts[1] += 1
        else:
            counts[1] -= 1
        events.append(t)
    return events


def ising(spins, beta, draws):
    n = spins.shape[0]
    flips = 0
    for i in range(n):
        for j in range(n):
            field = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1]
            change = 2 * spins[i, j] * field
            if change <= 0 or draws[i, j] < np.exp(-beta * change):
                spins[i, j] = -spins[i, j]
                flips += 1
    return flips, spins.mean()


def ising_random(spins, beta, steps, seed):
    random.seed(seed)
    n = len(spins)
    for _ in range(steps):
        i, j = random.randrange(n), random.randrange(n)
        around = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1]
        if around * spins[i, j] <= 0 or random.random() < math.exp(-2 * beta * around * spins[i, j]):
            spins[i, j] *= -1
    return spins.sum()


def perceptron(X, y, rate):
    w = np.zeros(X.shape[1])
    for epoch in range(10):
        wrong = 0
        for i in range(X.shape[0]):
            s = 0.0
            for j in range(X.shape[1]):
                s += w[j] * X[i, j]
            if (s > 0) != (y[i] > 0):
                wrong += 1
                for j in range(X.shape[1]):
                    w[j] += rate * y[i] * X[i, j]
        if wrong == 0:
            return w, epoch
    return w, -1


def descent(X, y, rate, tol):
    w = np.zeros(X.shape[1])
    last = np.inf
    for turn in range(30):
        e = X @ w - y
        loss = np.mean(e**2)
        if last - loss < tol:
            return w, loss, turn
        last = loss
        w -= rate * 2 / len(y) * X.T @ e
    return w, last, turn


def bandit(means, n, seed):
    rng = random.Random(seed)
    counts, values = [0] * len(means), [0.0] * len(means)
    for t in range(1, n + 1):
        arm, best = 0, -1.0
        for a in range(len(means)):
            hope = values[a] + math.sqrt(2 * math.log(t) / counts[a]) if counts[a] else math.inf
            if hope > best:
                arm, best = a, hope
        reward = means[arm] + rng.gauss(0, 1)
        counts[arm] += 1
        values[arm] += (reward - values[arm]) / counts[arm]
    return counts, values


def _spins(r: Any, n: int) -> Any:
    return 2 * r.integers(0, 2, (n, n)) - 1


def _gaps(r: Any, n: int) -> Any:
    x = np.cumsum(r.normal(size=n))
    x[::5] = np.nan
    return x


def _seed(r: Any) -> int:
    return int(r.integers(2**31))


# (function, what makes its arguments of a generator and a size, the largest size)
CHANCES: list[tuple[Any, Any, int]] = [
    (rnn, lambda r, n: (r.normal(size=(n, 3)), r.normal(size=(4, 4)), r.normal(size=(4, 3)), r.normal(size=4)), 30),
    (lstm, lambda r, n: (r.normal(size=(n, 3)), r.normal(size=(16, 7)), r.normal(size=16), 4), 20),
    (kalman, lambda r, n: (_gaps(r, n), 0.1, 0.5), 25),
    (kalman_scalar, lambda r, n: (_gaps(r, n), 0.1, 0.5), 100),
    (particle_filter, lambda r, n: (r.normal(size=n), 20, _seed(r)), 15),
    (k_means, lambda r, n: (r.normal(size=(n, 2)), 3), 40),
    (k_means_loops, lambda r, n: (r.normal(size=(n, 2)), r.normal(size=(3, 2))), 30),
    (metropolis, lambda r, n: (n, 0.8, _seed(r)), 100),
    (pi_by_chance, lambda r, n: (n, np.random.default_rng(_seed(r))), 100),
    (euler_maruyama, lambda r, n: (r.random(n) + 1, 0.1, 0.3, 10, _seed(r)), 30),
    (euler_loops, lambda r, n: (1.0, r.normal(size=(n, 5)), 0.05), 50),
    (gillespie, lambda r, n: (np.array([n, n // 2]), np.array([1.0, 0.02, 0.6]), 1.0, np.random.default_rng(_seed(r))), 60),
    (ising, lambda r, n: (_spins(r, n), 0.4, r.random((n, n))), 12),
    (ising_random, lambda r, n: (_spins(r, n), 0.4, 3 * n, _seed(r)), 30),
    (perceptron, lambda r, n: (r.normal(size=(n, 3)), r.choice([-1.0, 1.0], n), 0.1), 20),
    (descent, lambda r, n: (r.normal(size=(n, 3)), r.normal(size=n), 0.1, 1e-3), 40),
    (bandit, lambda r, n: (r.normal(size=4), n, _seed(r)), 50),
]
