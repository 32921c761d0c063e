"""Random programs with writes, views and all kinds of ops, differentiated: forward mode against differences and against reverse mode, compiled,
mapped, and on the tape.

FASTNP_GRADIENT_PROGRAMS: how many (150 without it).
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import numpy
from support import LONG, SEED

import fastnp as np

COUNT = int(os.environ.get("FASTNP_GRADIENT_PROGRAMS", "150" if LONG else "60"))
Arrays = list[Any]


def write(vs: Arrays, a: Any, b: Any, i: int, j: int) -> None:
    c = a.copy()
    c[1:, ::j] = b[:-1, ::j] * 0.7
    vs.append(c)


def in_place(vs: Arrays, a: Any, b: Any, i: int, j: int) -> None:
    a += b * 0.3 if i % 2 else a * a * 0.1


def write_to_view(vs: Arrays, a: Any, b: Any, i: int, j: int) -> None:
    view = a[1:3, 1:]
    view *= 1.5
    view[0] = view[1] * b[0, 1:]


def scatter(vs: Arrays, a: Any, b: Any, i: int, j: int) -> None:
    c = b * 1.0
    np.add.at(c, np.array([0, j, j]), a[:3])
    vs.append(c)


def making(make: Callable[[Any, Any, int, int], Any]) -> Callable[..., None]:
    return lambda vs, a, b, i, j: vs.append(make(a, b, i, j))


STEPS: list[Callable[..., None]] = [
    write,
    in_place,
    write_to_view,
    scatter,
    making(lambda a, b, i, j: [np.sin, np.tanh, lambda v: v * v * 0.3, lambda v: np.exp(-v * v)][i](a)),
    making(lambda a, b, i, j: a * b + 0.1 * a if i % 2 else a - b * 0.5),
    making(lambda a, b, i, j: a[::-1] if i % 2 else a.T[::-1].T),
    making(lambda a, b, i, j: np.reshape(np.reshape(a, (3, 4)).T * 1.1, (4, 3))),
    making(lambda a, b, i, j: a * np.mean(b, axis=0) + np.sum(a, axis=1, keepdims=True) * 0.2),
    making(lambda a, b, i, j: np.where(a > 0.1, b, a * 0.5)),
    making(lambda a, b, i, j: (a @ b.T) @ a * 0.1),
    making(lambda a, b, i, j: np.concatenate([a[2:], b[:2]], axis=0)),
    making(lambda a, b, i, j: np.sort(a, axis=i % 2) * 1.2),
    making(lambda a, b, i, j: np.cumsum(a, axis=i % 2) * 0.5 if j > 1 else np.cumprod(a * 0.5 + 0.8, axis=i % 2)),
    making(lambda a, b, i, j: a[np.array([3, 0, 0, j])] * 0.9),
    making(lambda a, b, i, j: np.pad(a[:3, :2], ((0, 1), (1, 0)), constant_values=0.5) + b * 0.1),
    making(lambda a, b, i, j: np.flip(a, i % 2) * a),
    making(lambda a, b, i, j: np.broadcast_to(a[j], (4, 3)) * b),
    making(lambda a, b, i, j: a * 0.5 + np.max(b, axis=i % 2, keepdims=True) * 0.3),
]


def program(seed: int) -> Callable[[Any], Any]:
    chance = random.Random(seed)
    steps = [(chance.choice(STEPS), chance.random(), chance.random(), chance.randint(0, 3), chance.randint(1, 3)) for _ in range(chance.randint(3, 9))]

    def function(x: Any) -> Any:
        vs = [x * 1.0]
        for step, p, q, i, j in steps:
            step(vs, vs[int(p * len(vs))], vs[int(q * len(vs))], i, j)
        total = 0.0
        for v in vs:
            total = total + np.sum(v * v) * 0.01 + np.sum(np.sin(v[0]))
        return total

    return function


def near(a: Any, b: Any, tolerance: float, what: str) -> None:
    numpy.testing.assert_allclose(numpy.asarray(a), numpy.asarray(b), rtol=tolerance, atol=tolerance, err_msg=what)


def check(seed: int) -> None:
    f = program(seed)
    rng = numpy.random.default_rng(seed)
    x, t = np.asarray(rng.normal(size=(4, 3)) * 0.7), np.asarray(rng.normal(size=(4, 3)))
    value, change = np.jvp(f, (x,), (t,))
    gradient = np.grad(f)(x)
    near(value, f(x), 1e-10, f"value of {seed}")
    near(change, np.sum(gradient * t), 1e-8, f"modes of {seed}")
    near(change, (f(x + 1e-6 * t) - f(x - 1e-6 * t)) / 2e-6, 2e-4, f"differences of {seed}")
    near(np.grad(f)(x), gradient, 1e-9, f"second call of {seed}")
    if seed % 3:
        return
    near(np.compile(np.grad(f), fullgraph=True)(x), gradient, 1e-9, f"compiled {seed}")
    xs = np.stack([x, x * 0.5, x + 0.1])
    near(np.vmap(f)(xs), [float(f(each)) for each in xs], 1e-9, f"mapped {seed}")
    near(np.vmap(np.grad(f))(xs), [numpy.asarray(np.grad(f)(each)) for each in xs], 1e-8, f"mapped gradient of {seed}")
    leaf = x.copy()
    leaf.requires_grad = True
    f(leaf).backward()
    near(leaf.grad, gradient, 1e-9, f"tape of {seed}")


def test_random_programs() -> None:
    for seed in range(SEED, SEED + COUNT):
        check(seed)
