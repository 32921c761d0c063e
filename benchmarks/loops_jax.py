"""Loops of loops.py as JAX has them: with `lax.scan`, `fori_loop` and `while_loop`, or as whole arrays where that is how one would write them.

Each takes what the loop takes and gives its result, so that the two are compared. Sizes that shapes come of are static.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)
FORMS: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {}  # by the loop's name: the function, and which arguments are static


def form(*static: int) -> Callable[[Any], Any]:
    def add(function: Any) -> Any:
        FORMS[function.__name__] = function, static
        return function

    return add


@form()
def count(x: Any, t: Any) -> Any:
    return x.shape[0] + jnp.sum(x > t) - 2 * jnp.sum(x < -t)


@form()
def average(x: Any, a: Any) -> Any:
    def step(s: Any, v: Any) -> Any:
        s = (1.0 - a) * s + a * v
        return s, s

    return lax.scan(step, x[0], x)[1]


@form(0, 1)
def mandel(w: int, h: int, m: Any) -> Any:
    x0 = -2.0 + 3.0 * jnp.arange(w) / w + jnp.zeros((h, 1))
    y0 = -1.0 + 2.0 * jnp.arange(h)[:, None] / h + jnp.zeros(w)

    def more(state: Any) -> Any:
        k, x, y, _ = state
        return (k < m) & jnp.any(x * x + y * y <= 4.0)

    def step(state: Any) -> Any:
        k, x, y, n = state
        inside = x * x + y * y <= 4.0
        new = x * x - y * y + x0, 2.0 * x * y + y0
        return k + 1, jnp.where(inside, new[0], x), jnp.where(inside, new[1], y), n + inside

    return lax.while_loop(more, step, (0, jnp.zeros((h, w)), jnp.zeros((h, w)), jnp.zeros((h, w), jnp.int32)))[3]


@form()
def while_count(n: Any) -> Any:
    return lax.while_loop(lambda s: s[1] < n, lambda s: (s[0] + s[1] * s[1] % 7, s[1] + 1), (0, 0))[0]


@form()
def collatz(n: Any) -> Any:
    def length(i: Any) -> Any:
        return lax.while_loop(lambda s: s[0] != 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (i, 0))[1]

    def step(i: Any, found: Any) -> Any:
        c = length(i)
        return jnp.where(c > found[0], c, found[0]), jnp.where(c > found[0], i, found[1])

    return lax.fori_loop(1, n, step, (0, 0))


@form()
def thomas(a: Any, b: Any, c: Any, d: Any) -> Any:
    def forward(state: Any, row: Any) -> Any:
        (b0, d0), (a1, b1, c0, d1) = state, row
        w = a1 / b0
        new = b1 - w * c0, d1 - w * d0
        return new, new

    _, (b1, d1) = lax.scan(forward, (b[0], d[0]), (a[: len(d) - 1], b[1:], c[: len(d) - 1], d[1:]))
    b, d = jnp.append(b[:1], b1), jnp.append(d[:1], d1)

    def back(x: Any, row: Any) -> Any:
        bi, ci, di = row
        x = (di - ci * x) / bi
        return x, x

    last = d[-1] / b[-1]
    return jnp.append(lax.scan(back, last, (b[:-1], c[: len(d) - 1], d[:-1]), reverse=True)[1], last)


@form()
def recurrence(x: Any, a: Any, b: Any) -> Any:
    def step(state: Any, v: Any) -> Any:
        total, running = state
        running, total = jnp.maximum(v, a * running), total + v
        return (total, running), b * total - running

    (total, _), y = lax.scan(step, (0.0, 0.0), x)
    return y, total


@form()
def biquad(x: Any, z: Any) -> Any:
    def step(state: Any, v: Any) -> Any:
        y = 0.2 * v + state[0]
        return (0.4 * v + 0.3 * y + state[1], 0.2 * v - 0.1 * y), y

    return lax.scan(step, (z[0], z[1]), x)[1]


@form()
def horner(c: Any, x: Any) -> Any:
    return lax.fori_loop(0, len(c), lambda k, s: s * x + c[len(c) - 1 - k], jnp.zeros(len(x)))


@form()
def heat(u: Any, steps: Any) -> Any:
    def step(_: Any, u: Any) -> Any:
        rows = u[2:, 1:-1] - 2.0 * u[1:-1, 1:-1] + u[:-2, 1:-1]
        columns = u[1:-1, 2:] - 2.0 * u[1:-1, 1:-1] + u[1:-1, :-2]
        return u.at[1:-1, 1:-1].set(u[1:-1, 1:-1] + 0.125 * rows + 0.125 * columns)

    return lax.fori_loop(0, steps, step, u)


@form()
def fdtd_line(e: Any, h: Any, steps: Any) -> Any:
    n = len(e)

    def step(t: Any, state: Any) -> Any:
        e, h = state
        e = e.at[1:].add(0.5 * (h[: n - 1] - h[1:n]))
        e = e.at[n // 2].add(jnp.exp(-((t - 8.0) ** 2) / 10.0))
        return e, h.at[: n - 1].add(0.5 * (e[:-1] - e[1:]))

    return lax.fori_loop(0, steps, step, (e, h))


@form()
def jacobi(A: Any, b: Any, tol: Any) -> Any:
    diagonal = jnp.diag(A)

    def step(state: Any) -> Any:
        turn, x, _, _ = state
        new = (b - A @ x + diagonal * x) / diagonal
        worst = jnp.max(jnp.abs(new - x))
        return turn + 1, new, worst, worst < tol

    turn, x, _, _ = lax.while_loop(lambda s: (s[0] < 50) & ~s[3], step, (0, jnp.zeros(len(b)), jnp.inf, False))
    return x, turn - 1


@form(1)
def power_iteration(A: Any, steps: int) -> Any:
    def step(state: Any) -> Any:
        turn, v, value, _ = state
        w = A @ v
        v = w / jnp.linalg.norm(w)
        new = v @ A @ v
        ends = jnp.abs(new - value) < 1e-13
        return turn + 1, v, jnp.where(ends, value, new), ends

    _, v, value, _ = lax.while_loop(lambda s: (s[0] < steps) & ~s[3], step, (0, jnp.ones(A.shape[0]), 0.0, False))
    return value, v


@form()
def conjugate_gradient(A: Any, b: Any, tol: Any) -> Any:
    def step(state: Any) -> Any:
        turn, x, r, p, rs = state
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x, r = x + alpha * p, r - alpha * Ap
        new = r @ r
        return turn + 1, x, r, r + new / rs * p, new

    start = (0, jnp.zeros_like(b), b, b, b @ b)
    return lax.while_loop(lambda s: (s[0] < 2 * len(b)) & (jnp.sqrt(s[4]) >= tol), step, start)[1]


@form()
def rnn(x: Any, W: Any, U: Any, b: Any) -> Any:
    def step(h: Any, v: Any) -> Any:
        h = jnp.tanh(W @ h + U @ v + b)
        return h, h

    h, states = lax.scan(step, jnp.zeros(W.shape[0]), x)
    return states, h


@form(3)
def lstm(x: Any, W: Any, b: Any, size: int) -> Any:
    def step(state: Any, row: Any) -> Any:
        h, c = state
        i, f, o, g = jnp.split(W @ jnp.concatenate([row, h]) + b, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    state, out = lax.scan(step, (jnp.zeros(size), jnp.zeros(size)), x)
    return out, state


@form()
def kalman_scalar(z: Any, q: Any, r: Any) -> Any:
    def step(state: Any, v: Any) -> Any:
        x, p = state
        p = p + q
        k = p / (p + r)
        is_there = v == v
        return (jnp.where(is_there, x + k * (v - x), x), jnp.where(is_there, p * (1 - k), p)), None

    return lax.scan(step, (0.0, 1.0), z)[0]


@form()
def hmm_forward(obs: Any, start: Any, trans: Any, emit: Any) -> Any:
    def step(state: Any, seen: Any) -> Any:
        alpha, log = state
        scale = alpha.sum()
        return ((alpha / scale) @ trans * emit[:, seen], log + jnp.log(scale)), None

    alpha, log = lax.scan(step, (start * emit[:, obs[0]], 0.0), obs[1:])[0]
    return log + jnp.log(alpha.sum())


@form(2)
def knapsack(weights: Any, values: Any, capacity: int) -> Any:
    places = jnp.arange(capacity + 1)

    def step(best: Any, item: Any) -> Any:
        weight, value = item
        other = jnp.where(places >= weight, jnp.take(best, jnp.maximum(places - weight, 0)) + value, 0)
        return jnp.where(places >= weight, jnp.maximum(best, other), best), None

    return lax.scan(step, jnp.zeros(capacity + 1, jnp.int64), (weights, values))[0][capacity]


@form(1)
def lcg(seed: Any, n: int) -> Any:
    def step(x: Any, _: Any) -> Any:
        x = (1103515245 * x + 12345) % 2147483648
        return x, x / 2147483648

    return lax.scan(step, jnp.int64(seed), None, length=n)[1]


@form(1)
def xorshift(state: Any, n: int) -> Any:
    def step(x: Any, _: Any) -> Any:
        x = x ^ (x << jnp.uint64(13))
        x = x ^ (x >> jnp.uint64(7))
        x = x ^ (x << jnp.uint64(17))
        return x, x

    return lax.scan(step, state[0], None, length=n)[1]


@form()
def descent(X: Any, y: Any, rate: Any, tol: Any) -> Any:
    def step(state: Any) -> Any:
        turn, w, last, _ = state
        e = X @ w - y
        loss = jnp.mean(e**2)
        ends = last - loss < tol
        return turn + 1, jnp.where(ends, w, w - rate * 2 / len(y) * X.T @ e), jnp.where(ends, last, loss), ends

    return lax.while_loop(lambda s: (s[0] < 30) & ~s[3], step, (0, jnp.zeros(X.shape[1]), jnp.inf, False))[1]


def compiled(name: str) -> Callable[..., Any] | None:
    """JAX's form of a loop, jitted, which waits for its results; None where there is none. Arrays of NumPy's are handed over at each call."""
    if name not in FORMS:
        return None
    function, static = FORMS[name]
    jitted = jax.jit(function, static_argnums=static)
    return partial(_waited, jitted)


def _waited(jitted: Any, *arguments: Any) -> Any:
    return jax.block_until_ready(jitted(*arguments))
