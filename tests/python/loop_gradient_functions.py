"""Programs with loops, as users write them, to be differentiated: by name, with arguments that change how often they go round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

import fastnp as np

rng = numpy.random.default_rng(11)


def normal(*shape: int) -> Any:
    return rng.normal(size=shape)


def exponential_average(x: Any, alpha: Any) -> Any:
    y = np.zeros_like(x)
    y[0] = x[0]
    for t in range(1, len(x)):
        y[t] = alpha * x[t] + (1 - alpha) * y[t - 1]
    return np.sum(y**2)


def recursive_filter(b: Any, a: Any, x: Any) -> Any:
    y = numpy.zeros_like(x)
    for t in range(len(x)):
        y[t] = b[0] * x[t]
        for k in range(1, len(b)):
            if t - k >= 0:
                y[t] += b[k] * x[t - k] - a[k - 1] * y[t - k]
    return numpy.sum(y * y)


def tridiagonal_solve(lower: Any, diagonal: Any, upper: Any, right: Any) -> Any:
    n = len(diagonal)
    c, d, x = np.zeros_like(diagonal), np.zeros_like(diagonal), np.zeros_like(diagonal)
    c[0] = upper[0] / diagonal[0]
    d[0] = right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] = upper[i] / pivot
        d[i] = (right[i] - lower[i - 1] * d[i - 1]) / pivot
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return np.sum(np.sin(x))


def cholesky(a: Any) -> Any:
    n = a.shape[0]
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s = s - low[i, k] * low[j, k]
            if i == j:
                low[i, j] = np.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    total = 0.0
    for i in range(n):
        total += np.log(low[i, i]) + low[n - 1, i]
    return total


def triangular_solve(low: Any, b: Any) -> Any:
    x = b.copy()
    for i in range(len(b)):
        for j in range(i):
            x[i] -= low[i, j] * x[j]
        x[i] /= low[i, i]
    return np.sum(x**3)


def power_iteration(a: Any, v: Any) -> Any:
    for _ in range(12):
        v = a @ v
        v = v / numpy.linalg.norm(v)
    return v @ a @ v


def conjugate_gradient(a: Any, b: Any) -> Any:
    x = numpy.zeros_like(b)
    r = b - a @ x
    p = r
    for _ in range(3):
        ap = a @ p
        alpha = (r @ r) / (p @ ap)
        x = x + alpha * p
        after = r - alpha * ap
        p = after + (after @ after) / (r @ r) * p
        r = after
    return numpy.sum(x**2)


def conjugate_gradient_until(a: Any, b: Any, tolerance: Any) -> Any:
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    square = r @ r
    while square > tolerance:
        ap = a @ p
        alpha = square / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        before, square = square, r @ r
        p = r + square / before * p
    return np.sum(x**2)


def newton(mean: Any, eccentricity: Any) -> Any:
    """Kepler's equation."""
    x = mean
    for _ in range(60):
        step = (x - eccentricity * np.sin(x) - mean) / (1 - eccentricity * np.cos(x))
        x = x - step
        if abs(step) < 1e-11:
            break
    return np.cos(x)


def runge_kutta(y: Any, mu: Any) -> Any:
    def slope(y: Any) -> Any:
        return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])

    h = 0.1
    for _ in range(8):
        a = slope(y)
        b = slope(y + h / 2 * a)
        c = slope(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + slope(y + h * c))
    return np.sum(y**2)


def adaptive_steps(y: Any, rate: Any, end: float) -> Any:
    """Heun's method with Euler's as the estimate of its error; the size of the step depends on the values."""
    t, h = 0.0, 0.3
    while t < end:
        h = min(h, end - t)
        first = -rate * y + np.sin(t)
        second = -rate * (y + h * first) + np.sin(t + h)
        error = np.max(np.abs(h * (second - first))) / 2
        if error < 0.02:
            y = y + h / 2 * (first + second)
            t = t + h
        h = h * min(2.0, max(0.3, 0.9 * np.sqrt(0.02 / (error + 1e-10))))
    return np.sum(y**2)


def heat(u: Any, diffusivity: Any, steps: int) -> Any:
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += diffusivity * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = u[1]
    return np.sum(u * u)


def jacobi(a: Any, b: Any) -> Any:
    x = np.zeros_like(b)
    diagonal = np.diag(a)
    rest = a - np.diag(diagonal)
    while True:
        after = (b - rest @ x) / diagonal
        if np.max(np.abs(after - x)) < 1e-9:
            break
        x = after
    return np.sum(after**2)


def recurrent_network(w: Any, u: Any, bias: Any, xs: Any) -> Any:
    h = numpy.zeros_like(bias)
    loss = 0.0
    for x in xs:
        h = numpy.tanh(w @ x + u @ h + bias)
        loss += numpy.mean(h**2)
    return loss


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def long_short_term_memory(w: Any, u: Any, bias: Any, xs: Any) -> Any:
    n = u.shape[1]
    h, c = np.zeros(n), np.zeros(n)
    for t in range(len(xs)):
        z = w @ xs[t] + u @ h + bias
        i, f, o, g = sigmoid(z[:n]), sigmoid(z[n : 2 * n]), sigmoid(z[2 * n : 3 * n]), np.tanh(z[3 * n :])
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum(h * h)


def kalman_filter(transition: Any, q: Any, r: Any, ys: Any) -> Any:
    mean, cov, total = np.zeros(2), np.eye(2), 0.0
    for y in ys:
        mean = transition @ mean
        cov = transition @ cov @ transition.T + np.exp(q) * np.eye(2)
        surprise, spread = y - mean[0], cov[0, 0] + np.exp(r)
        gain = cov[:, 0] / spread
        mean = mean + gain * surprise
        cov = cov - np.outer(gain, cov[0])
        total -= 0.5 * (np.log(2 * np.pi * spread) + surprise**2 / spread)
    return total


def bodies(x: Any, v: Any, masses: Any) -> Any:
    """The energies after steps of Euler's method."""
    n, h, total = len(masses), 0.05, 0.0
    x, v = x.copy(), v.copy()
    for _ in range(3):
        for i in range(n):
            for j in range(n):
                if i != j:
                    d = x[j] - x[i]
                    v[i] += h * masses[j] * d / (d @ d + 0.1) ** 1.5
        x += h * v
        total += 0.5 * np.sum(masses * np.sum(v**2, axis=1))
    return total


def training(rate: Any, w: Any, x: Any, y: Any) -> Any:
    for _ in range(6):
        p = sigmoid(x @ w)
        w = w - rate * (x.T @ (p - y)) / len(y)
    return -np.mean(y * np.log(sigmoid(x @ w)) + (1 - y) * np.log(1 - sigmoid(x @ w)))


def training_by_grad(rate: Any, w: Any, x: Any, y: Any, steps: int) -> Any:
    def loss(w: Any) -> Any:
        return np.mean(np.log(1 + np.exp(-y * (x @ w)))) + 0.1 * np.sum(w**2)

    velocity = np.zeros_like(w)
    for _ in range(steps):
        velocity = 0.5 * velocity - rate * np.grad(loss)(w)
        w = w + velocity
    return loss(w)


def soft_time_warping(a: Any, b: Any, gamma: Any) -> Any:
    n, m = len(a), len(b)
    d = np.full((n + 1, m + 1), 1e6)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            u, v, w = d[i - 1, j], d[i, j - 1], d[i - 1, j - 1]
            least = min(u, v, w)
            soft = least - gamma * np.log(np.exp((least - u) / gamma) + np.exp((least - v) / gamma) + np.exp((least - w) / gamma))
            d[i, j] = (a[i - 1] - b[j - 1]) ** 2 + soft
    return d[n, m]


def horner(coefficients: Any, x: Any) -> Any:
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return np.mean(y**2)


def escape(x: Any, y: Any) -> Any:
    u, v, total = x * 0, y * 0, 0.0
    for _ in range(8):
        inside = u * u + v * v < 4
        u, v = np.where(inside, u * u - v * v + x, u), np.where(inside, 2 * u * v + y, v)
        total = total + np.sum(np.where(inside, 0.1, 0.01) * (u * u + v * v))
    return total


def log_sum_exp(x: Any, axis: int) -> Any:
    top = np.max(x, axis=axis, keepdims=True)
    return np.log(np.sum(np.exp(x - top), axis=axis)) + np.squeeze(top, axis)


def hidden_markov(start: Any, transition: Any, emission: Any, seen: Any) -> Any:
    transition = transition - log_sum_exp(transition, 1)[:, None]
    emission = emission - log_sum_exp(emission, 1)[:, None]
    alpha = start - log_sum_exp(start, 0) + emission[:, seen[0]]
    for k in seen[1:]:
        alpha = log_sum_exp(alpha[:, None] + transition, 0) + emission[:, k]
    return log_sum_exp(alpha, 0)


def branching_scan(x: Any, rate: Any) -> Any:
    s, total = 0.0, 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s = s * rate + x[i]
        elif x[i] < -1:
            continue
        else:
            s = s - x[i] ** 2
        total += s * np.sin(s)
    return total


def elements(x: Any, y: Any) -> Any:
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = np.sin(x[i]) * y[len(x) - 1 - i] + x[i] * x[0]
    return np.sum(out**2)


def product_of_list(matrices: list[Any], v: Any) -> Any:
    product = numpy.eye(len(v))
    for m in matrices:
        product = product @ m
    return numpy.sum(numpy.tanh(product @ v))


def until_norm(m: Any, v: Any, limit: float) -> Any:
    steps = 0
    while np.linalg.norm(v) < limit and steps < 50:
        v = m @ v + v
        steps += 1
    return np.sum(v) / (1 + steps)


def bubble_sort(x: Any) -> Any:
    x = x.copy()
    for end in range(len(x) - 1, 0, -1):
        for i in range(end):
            if x[i] > x[i + 1]:
                kept = x[i].copy()
                x[i] = x[i + 1]
                x[i + 1] = kept
    return np.sum(x * x * np.arange(len(x)))


def largest_run(x: Any) -> Any:
    here = best = x[0]
    for value in x[1:]:
        here = max(value, here + value)
        best = max(best, here)
    return best**2


def power_by_squaring(m: Any, n: int) -> Any:
    result = np.eye(m.shape[0])
    while n:
        if n % 2:
            result = result @ m
        m = m @ m
        n //= 2
    return np.sum(result * result)


def sinkhorn(cost: Any, weights: Any) -> Any:
    kernel = np.exp(-cost)
    u = np.ones_like(weights)
    for _ in range(40):
        v = 1 / (kernel.T @ u)
        after = weights / (kernel @ v)
        if np.abs(after - u).max() < 1e-8:
            break
        u = after
    else:
        return np.sum(u) * 0.5
    return np.sum(u[:, None] * kernel * v * cost)


@dataclass
class Program:
    f: Callable[..., Any]
    cases: list[tuple[Any, ...]]
    by: tuple[int, ...] = (0,)
    is_mapped: bool = False  # no branch depends on values: the gradient can be mapped
    is_single: bool = False  # in float32, too


def positive(n: int, shift: float = 1.0) -> Any:
    a = normal(n, n)
    return a @ a.T / n + shift * numpy.eye(n)


def dominant(n: int, shift: float) -> Any:
    return 0.3 * normal(n, n) + shift * numpy.eye(n)


ROTATION = numpy.array([[1.0, 0.1], [-0.1, 0.9]])


def regression(n: int) -> tuple[Any, ...]:
    x = normal(n, 3)
    return normal(3) * 0.3, x, (x[:, 0] + 0.5 * normal(n) > 0).astype(float)


PROGRAMS: dict[str, Program] = {
    "exponential_average": Program(exponential_average, [(normal(n), numpy.array(a)) for n, a in ((7, 0.3), (7, 0.8), (4, 0.5))], (0, 1), True, True),
    "recursive_filter": Program(recursive_filter, [(normal(3), 0.3 * normal(2), normal(n)) for n in (6, 6, 8)], (0, 1, 2)),
    "tridiagonal_solve": Program(
        tridiagonal_solve, [(normal(n - 1), 4 + normal(n), normal(n - 1), normal(n)) for n in (5, 5, 7)], (0, 1, 2, 3), True, True
    ),
    "cholesky": Program(cholesky, [(positive(n),) for n in (4, 4, 3)], (0,), True),
    "triangular_solve": Program(triangular_solve, [(dominant(n, 3), normal(n)) for n in (4, 4, 5)], (0, 1), True),
    "power_iteration": Program(power_iteration, [(positive(n), normal(n)) for n in (4, 4, 3)], (0, 1), True),
    "conjugate_gradient": Program(conjugate_gradient, [(positive(5), normal(5)) for _ in range(3)], (0, 1), True, True),
    "conjugate_gradient_until": Program(
        conjugate_gradient_until,
        [(positive(6, 0.4), normal(6), numpy.array(t)) for t in (1e-1, 1e-2, 1e-6)],
        (0, 1),
    ),
    "newton": Program(newton, [(numpy.array(m), numpy.array(e)) for m, e in ((1.0, 0.1), (0.4, 0.8), (2.5, 0.5))], (0, 1)),
    "runge_kutta": Program(runge_kutta, [(normal(2), numpy.array(m)) for m in (0.5, 2.0, 1.1)], (0, 1), False, True),
    "adaptive_steps": Program(adaptive_steps, [(normal(2), numpy.array(r), end) for r, end in ((0.5, 1.0), (6.0, 1.0), (2.0, 1.5))], (0, 1)),
    "heat": Program(heat, [(normal(8), numpy.array(k), n) for k, n in ((0.2, 5), (0.4, 5), (0.1, 9))], (0, 1), True, True),
    "jacobi": Program(jacobi, [(dominant(4, d), normal(4)) for d in (6.0, 2.0, 12.0)], (0, 1)),
    "recurrent_network": Program(
        recurrent_network, [(normal(4, 3), 0.5 * normal(4, 4), normal(4), normal(n, 3)) for n in (5, 5, 7)], (0, 1, 2, 3), True, True
    ),
    "long_short_term_memory": Program(
        long_short_term_memory, [(normal(12, 2), 0.5 * normal(12, 3), normal(12), normal(n, 2)) for n in (5, 5, 3)], (0, 1, 2, 3), True
    ),
    "kalman_filter": Program(
        kalman_filter,
        [(ROTATION * s, numpy.array(-s), numpy.array(0.1), normal(6)) for s in (1.0, 0.8, 0.5)],
        (0, 1, 2, 3),
        True,
    ),
    "bodies": Program(bodies, [(normal(n, 2), normal(n, 2), 1 + rng.random(n)) for n in (3, 3, 2)], (0, 1, 2)),
    "training": Program(training, [(numpy.array(r), *regression(8)) for r in (0.1, 1.0, 3.0)], (0, 1)),
    "training_by_grad": Program(training_by_grad, [(numpy.array(r), *regression(8), n) for r, n in ((0.1, 4), (1.0, 4), (0.5, 2))], (0, 1)),
    "soft_time_warping": Program(
        soft_time_warping, [(normal(n), normal(m), numpy.array(g)) for n, m, g in ((4, 3, 1.0), (4, 3, 0.3), (2, 5, 0.5))], (0, 1, 2)
    ),
    "horner": Program(horner, [(normal(n), normal(5)) for n in (4, 4, 6)], (0, 1), True, True),
    "escape": Program(escape, [(0.8 * normal(6), 0.8 * normal(6)) for _ in range(3)], (0, 1), True),
    "hidden_markov": Program(hidden_markov, [(normal(3), normal(3, 3), normal(3, 4), rng.integers(0, 4, n)) for n in (5, 5, 7)], (0, 1, 2)),
    "branching_scan": Program(branching_scan, [(normal(7), numpy.array(r)) for r in (0.5, 0.9, 0.2)], (0, 1)),
    "elements": Program(elements, [(normal(n), normal(n)) for n in (6, 6, 9)], (0, 1), True, True),
    "product_of_list": Program(product_of_list, [([normal(3, 3) for _ in range(n)], normal(3)) for n in (3, 3, 5)], (0, 1)),
    "until_norm": Program(until_norm, [(0.4 * normal(3, 3), normal(3), limit) for limit in (5.0, 30.0, 0.1)], (0, 1)),
    "bubble_sort": Program(bubble_sort, [(normal(n),) for n in (5, 5, 6)], (0,)),
    "largest_run": Program(largest_run, [(normal(n),) for n in (8, 8, 5)], (0,)),
    "power_by_squaring": Program(power_by_squaring, [(0.7 * normal(3, 3), n) for n in (5, 6, 11)], (0,)),
    "sinkhorn": Program(sinkhorn, [(rng.random((3, 4)) * s, 1 + rng.random(3)) for s in (0.5, 2.0, 5.0)], (0, 1)),
}
