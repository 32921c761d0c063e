"""grad, vjp, jvp, vmap and their kin: arguments and results of all forms, nesting, compiled functions, surroundings, errors."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import random
from typing import Any, NamedTuple

import numpy
import pytest
from support import is_scalar

import fastnp as np


def near(found: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    numpy.testing.assert_allclose(numpy.asarray(found), numpy.asarray(wanted), rtol=tolerance, atol=tolerance)


X = np.array([0.5, -1.0, 2.0])


def cubes(x: Any) -> Any:
    return np.sum(x**3)


def compiled(function: Any) -> Any:
    return np.compile(function, fullgraph=True)


def uncompiled(function: Any) -> Any:
    return function


ways = pytest.mark.parametrize("way", [uncompiled, compiled])


@ways
def test_numpy_arrays_in_give_numpy_arrays(way: Any) -> None:
    x = numpy.array([1.0, 2.0])
    gradient = way(np.grad(cubes))(x)
    assert type(gradient) is numpy.ndarray
    near(gradient, 3 * x**2)
    value, gradient = way(np.value_and_grad(cubes))(np.asarray(x))
    assert type(gradient) is np.ndarray and is_scalar(value) and value == 9


@ways
def test_python_numbers(way: Any) -> None:
    assert way(np.grad(lambda x: x**3))(2.0) == 12
    assert way(np.grad(np.grad(np.grad(lambda x: x**4))))(2.0) == 48
    assert is_scalar(np.grad(lambda x: x * x)(3.0))
    assert way(np.grad(lambda z: abs(z * z)))(3 + 4j) == pytest.approx(2 * (3 - 4j))


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Layer:
    weight: Any
    bias: Any
    name: str = "layer"


@ways
def test_trees(way: Any) -> None:
    def loss(p: Any, q: Any) -> Any:
        return np.sum(p["w"] * q[0].a) + np.sum(p["layers"][1].weight * q[0].b) * p["layers"][0].bias

    p = {"w": X, "layers": [Layer(X * 2, 3.0), Layer(X + 1, 4.0)]}
    q = (Pair(X * 3, X * 4),)
    gp, gq = way(np.grad(loss, argnums=(0, 1)))(p, q)
    near(gp["w"], 3 * X)
    assert isinstance(gp["layers"][0], Layer) and gp["layers"][0].name == "layer"
    near(gp["layers"][0].bias, numpy.sum(numpy.asarray((X + 1) * 4 * X)))
    near(gp["layers"][1].weight, 4 * X * 3)
    near(gp["layers"][1].bias, 0)
    assert isinstance(gq, tuple) and isinstance(gq[0], Pair)
    near(gq[0].b, (X + 1) * 3)


@ways
def test_aux_and_keywords(way: Any) -> None:
    def loss(x: Any, *, scale: Any, offset: Any = 1.0) -> Any:
        return np.sum(x * scale) + offset, {"twice": x * 2, "text": "kept"}

    (value, aux), gradient = way(np.value_and_grad(loss, has_aux=True))(X, scale=X * 3)
    near(gradient, X * 3)
    near(aux["twice"], X * 2)
    assert aux["text"] == "kept"
    gradient, aux = way(np.grad(loss, has_aux=True))(X, scale=X)
    near(gradient, X)


@ways
def test_negative_argnums_and_sequences(way: Any) -> None:
    f = lambda x, y: np.sum(x * y)  # noqa: E731  # short as it is
    near(way(np.grad(f, argnums=-1))(X, X * 2), X)
    assert isinstance(way(np.grad(f, argnums=(1,)))(X, X * 2), tuple)


@ways
def test_perturbations_are_not_confused(way: Any) -> None:
    f = lambda x: x * np.grad(lambda y: x + y)(2.0)  # noqa: E731  # short as it is
    assert way(np.grad(f))(1.0) == 1
    inner = lambda x: np.grad(lambda y: x * y * y)(x)  # noqa: E731  # short as it is
    assert way(np.grad(inner))(3.0) == 12
    assert way(np.grad(lambda x: np.jvp(lambda y: x * y, (3.0,), (x,))[1]))(5.0) == 10


@ways
def test_vjp_and_linearize(way: Any) -> None:
    def both(x: Any, w: Any) -> Any:
        (y, z), pull = np.vjp(lambda x, w: (np.sin(x) * w, np.sum(x)), x, w)
        first, second = pull((np.ones(3), 2.0)), pull((np.zeros(3), 1.0))
        y2, push = np.linearize(lambda x: np.sin(x) * 2, x)
        return y, z, first, second, y2, push(np.ones(3))

    y, z, first, second, y2, change = way(both)(X, X * 2)
    near(y, np.sin(X) * X * 2)
    near(z, 1.5)
    near(first[0], np.cos(X) * X * 2 + 2)
    near(first[1], np.sin(X))
    near(second[0], np.ones(3))
    near(second[1], np.zeros(3))
    near(y2, np.sin(X) * 2)
    near(change, np.cos(X) * 2)


def test_vjp_keeps_what_it_needs_as_it_was() -> None:
    x = np.array([1.0, 2.0])
    scale = np.array([3.0, 4.0])
    _, pull = np.vjp(lambda x: np.sum(np.exp(x) * scale * x), x)
    wanted = np.exp(x) * scale * (1 + x)
    x[:] = 100
    scale[:] = 100
    near(pull(1.0)[0], wanted)


def test_vjp_keeps_little() -> None:
    x = np.linspace(0, 1, 1000)
    _, pull = np.vjp(lambda x: np.sum(np.sin(np.exp(np.cos(x) * 2) + 1)), x)
    assert pull.saved_bytes == 8000 < pull.read_bytes
    w = np.ones((10, 1000))
    _, pull = np.vjp(lambda x: np.sum(np.tanh(w @ x) ** 2), x)
    assert pull.saved_bytes <= 80000 + 80


def test_vjp_keeps_to_a_budget() -> None:
    weights = [numpy.random.default_rng(i).normal(size=(20, 20)) / 5 for i in range(8)]

    def f(x: Any) -> Any:
        for w in weights:
            x = np.tanh(x @ w) + np.sum(x * 0.01, axis=0)
        return np.sum(x * x)

    x = numpy.random.default_rng(9).normal(size=(50, 20))
    _, free = np.vjp(f, x)
    wanted = free(1.0)[0]
    before = -1
    for share in (1.0, 0.7, 0.4):
        budget = int(free.saved_bytes * share)
        _, pull = np.vjp(f, x, memory_budget=budget)
        assert pull.saved_bytes <= budget and pull.recomputed >= before
        before = pull.recomputed
        near(pull(1.0)[0], wanted)
    assert before > 8
    assert np.vjp(f, x, memory_budget=10**9)[1].recomputed == 0
    with pytest.raises(ValueError, match="memory_budget: .* bytes have to be kept at least, and the budget is of 100"):
        np.vjp(f, x, memory_budget=100)
    value, push = np.linearize(f, x, memory_budget=10**9)
    near(push(x), np.sum(wanted * x))


@ways
def test_jvp(way: Any) -> None:
    value, change = way(lambda x, t: np.jvp(lambda p: {"y": np.sin(p[0]), "z": p[1] * 2}, ([x, x],), ([t, 3 * t],)))(X, X * 2)
    near(change["y"], np.cos(X) * 2 * X)
    near(change["z"], 12 * X)
    near(value["z"], 2 * X)


@ways
def test_jacobians(way: Any) -> None:
    f = lambda x, y: {"a": np.outer(x, y), "b": np.sum(x * y)}  # noqa: E731  # short as it is
    y = X * 2
    for transform in (np.jacfwd, np.jacrev):
        found = way(transform(f, argnums=(0, 1)))(X, y)
        assert found["a"][0].shape == (3, 3, 3)
        near(found["a"][0], numpy.einsum("ik,j->ijk", numpy.eye(3), numpy.asarray(y)))
        near(found["b"][1], X)
    near(way(np.hessian(cubes))(X), numpy.diag(6 * numpy.asarray(X)))


@ways
def test_vmap(way: Any) -> None:
    a = np.asarray(numpy.arange(12.0).reshape(3, 4))
    f = lambda p, s, n: (p["x"] * s + p["y"], np.sum(p["x"]) * n)  # noqa: E731  # short as it is
    p = {"x": a, "y": a.T}
    found, totals = way(np.vmap(f, in_axes=({"x": 0, "y": 1}, None, None), out_axes=(1, 0)))(p, 2.0, 3)
    near(found, (numpy.asarray(a) * 3).T)
    near(totals, numpy.asarray(a).sum(axis=1) * 3)
    nested = np.vmap(np.vmap(lambda x, y: x * y, in_axes=(None, 0)), in_axes=(0, None))
    near(way(nested)(X, a[0]), numpy.outer(X, a[0]))
    near(way(np.vmap(lambda x: 1.0, axis_size=4))(X) if False else np.vmap(lambda x: np.float64(2) * 1, out_axes=0)(X), [2.0, 2.0, 2.0])
    near(way(np.vmap(lambda x, k: x * k))(X, k=np.arange(3.0)), X * np.arange(3.0))


@ways
def test_vmap_shows_the_parts_metadata(way: Any) -> None:
    seen: list[Any] = []

    def f(x: Any) -> Any:
        assert x.ndim == 2 and x.shape == (3, 4) and x.size == 12 and x.dtype == np.float32 and len(x) == 3 and x.nbytes == 48
        assert x.itemsize == 4 and x.strides == (16, 4)
        return x.reshape(4, 3).T * x.shape[0]

    del seen
    found = way(np.vmap(f))(np.ones((5, 3, 4), dtype=np.float32))
    assert found.shape == (5, 3, 4) and found.dtype == np.float32


@ways
def test_vmap_of_writes(way: Any) -> None:
    def f(x: Any, i: Any) -> Any:
        y = np.zeros(4)
        y[1:3] = x[:2]
        y[i] += 10
        np.add.at(y, np.array([0, 0]), x[2])
        return y

    a = np.asarray(numpy.arange(6.0).reshape(2, 3))
    i = np.array([3, 0])
    near(way(np.vmap(f))(a, i), [f(a[k], i[k]) for k in range(2)])

    def doubles(x: Any) -> Any:
        x *= 2
        return np.sum(x)

    b = np.asarray(numpy.arange(6.0).reshape(2, 3))
    near(way(np.vmap(doubles))(b), [6.0, 24.0])
    near(b, numpy.arange(6.0).reshape(2, 3) * 2)


@ways
def test_mapped_axes_with_names(way: Any) -> None:
    a = np.asarray(numpy.arange(6.0).reshape(3, 2) + 1)
    n = numpy.asarray(a)
    near(way(np.vmap(lambda x: x / np.psum(x, "i"), axis_name="i"))(a), n / n.sum(axis=0))
    near(way(np.vmap(lambda x: x - np.pmean(x, "i") + np.pmax(x, "i") * np.pmin(x, "i"), axis_name="i"))(a), n - n.mean(0) + n.max(0) * n.min(0))
    near(way(np.vmap(lambda x: np.sum(x) * np.axis_index("i") + np.psum(2.0, "i"), axis_name="i"))(a), n.sum(1) * numpy.arange(3) + 6)
    inner = np.vmap(lambda x: np.psum(x, "i") + 10 * np.psum(x, "j"), axis_name="j")
    near(way(np.vmap(inner, axis_name="i"))(a), n.sum(axis=0)[None] + 10 * n.sum(axis=1)[:, None])
    # Of a function of all parts, the derivative with respect to each.
    spread = np.vmap(lambda x: np.sum((x - np.pmean(x, "i")) ** 2 * np.pmax(np.sum(x), "i")), axis_name="i")
    plain = lambda x: np.sum(np.sum((x - np.mean(x, axis=0)) ** 2, axis=1) * np.max(np.sum(x, axis=1)))  # noqa: E731  # short as it is
    near(way(np.grad(lambda x: np.sum(spread(x))))(a), np.grad(plain)(a))
    near(way(lambda x: np.jvp(spread, (x,), (x,))[1])(a).sum(), np.jvp(plain, (a,), (a,))[1])
    with pytest.raises(ValueError, match="no vmap around this maps over an axis with the name 'k'"):
        np.vmap(lambda x: np.psum(x, "k"), axis_name="i")(a)


@ways
def test_arguments_that_are_written_to(way: Any) -> None:
    def loss(x: Any) -> Any:
        x += 1
        return np.sum(x**2)

    x = np.array([1.0, 2.0])
    near(way(np.grad(loss))(x), [4.0, 6.0])
    near(x, [2.0, 3.0])


def test_memory_that_is_written_to_and_shared() -> None:
    state, other = np.zeros(4), np.ones(4)

    def loss(x: Any) -> Any:
        state[1:] = x * 2
        return np.sum(state * other) + np.sum(x * x)

    for _ in range(3):
        near(np.grad(loss)(X), 2 + 2 * X)
        near(state[1:], X * 2)
    other = state[::-1]
    with pytest.raises(RuntimeError, match="writes into an .* whose memory another one shares"):
        np.grad(loss)(X)


def test_branches_and_loops_follow_the_values() -> None:
    def f(x: Any) -> Any:
        y = x
        while np.sum(y) < 10:
            y = y * 2
        return np.sum(y) if y[0] > 1 else np.sum(y**2)

    gradient = np.compile(np.grad(f))
    for x in (np.array([1.0, 2.0]), np.array([0.1, 0.5]), np.array([4.0, 7.0]), np.array([0.1, 0.2])):
        near(gradient(x), np.grad(f)(x))
        step = 1e-6 * np.array([1.0, 0.0])
        near(gradient(x)[0], (f(x + step) - f(x - step)) / 2e-6, 1e-6)


def test_values_can_be_read_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        constant = np.stop_gradient(x)
        print("x is", x, float(constant[0]), constant.tolist(), f"{x[1]:.1f}", int(x[2]), x[2] > 1)
        return np.sum(x * x)

    near(np.grad(f)(X), 2 * X)
    assert capsys.readouterr().out == "x is [ 0.5 -1.   2. ] 0.5 [0.5, -1.0, 2.0] -1.0 2 True\n"
    near(np.compile(np.grad(f))(X), 2 * X)
    assert capsys.readouterr().out == "x is [ 0.5 -1.   2. ] 0.5 [0.5, -1.0, 2.0] -1.0 2 True\n"


def stored(x: Any) -> Any:
    plain = numpy.zeros(2)
    plain[0] = x[0] * x[1]
    return plain.sum()


def filled(x: Any) -> Any:
    plain = numpy.zeros(2)
    plain.fill(x[0])
    return (plain * x[:2]).sum()


LEAVING: list[Any] = [
    stored,
    filled,
    lambda x: float(x[0]) * x[0],
    lambda x: x[0].item() * x[0],
    lambda x: x.item(0) * x[0],
    lambda x: x.tolist()[0] * x[0],
    lambda x: math.exp(x[0]) * x[1],
    lambda x: math.hypot(x[0], x[1]) * x[2],
    lambda x: numpy.float64(x[0]) * x[0],
    lambda x: numpy.array([x[0], x[1]])[0] * x[0],
    lambda x: [float(each) for each in x][0] * x[0],
    lambda x: np.array([float(x[0])])[0] * x[0],
    lambda x: numpy.frombuffer(x.tobytes())[0] * x[0],
    lambda x: x[:2].view("i8").view("f8")[1] * x[0],
    lambda x: np.sum(x, initial=x[0]) * x[1],
    lambda x: x.prod(initial=x[2]),
    lambda x: np.max(x[:2], initial=3 * x[2]) * x[0],
    lambda x: np.min(x[:2], initial=x[2] / 9) * x[0],
    lambda x: np.add.reduce(x, initial=x[0]) * x[1],
    lambda x: np.pad(x, 2, constant_values=x[1]).sum(),
    lambda x: np.pad(numpy.ones((2, 2)), ((0, 1), (2, 0)), constant_values=x[1]).sum() * x[0],
    lambda x: np.arange(0.5, x[0] + 3, 1.25).sum() * x[1],
    lambda x: np.linspace(x[0], x[1], 4).sum(),
    lambda x: np.full(3, x[0]).sum() * x[1],
]


def taped(function: Any) -> Any:
    """The gradient by backward()."""

    def gradient(x: Any) -> Any:
        leaf = np.array(x)
        leaf.requires_grad = True
        function(leaf).backward()
        return leaf.grad

    return gradient


@pytest.mark.parametrize("function", LEAVING)
def test_derivatives_do_not_vanish_in_numbers(function: Any) -> None:
    seed = int(os.environ.get("FASTNP_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    x = numpy.random.default_rng(seed).uniform(0.5, 2, 3)
    steps = 1e-6 * numpy.eye(3)
    want = numpy.array([float(function(x + step) - function(x - step)) / 2e-6 for step in steps])
    ways: list[tuple[Any, Any]] = [
        (np.grad(function), want),
        (np.grad(np.compile(function)), want),
        (np.compile(np.grad(function)), want),
        (lambda x: np.jvp(function, (x,), (numpy.ones(3),))[1], want.sum()),
        (lambda x: np.vjp(function, x)[1](numpy.array(1.0))[0], want),
        (lambda x: np.vmap(np.grad(function))(x[None])[0], want),
        (np.jacfwd(function), want),
        (lambda x: np.linearize(function, x)[1](numpy.ones(3)), want.sum()),
        (taped(function), want),
        (taped(np.compile(function)), want),
        (taped(lambda x: function(x * 1.0)), want),
    ]
    for number, (way, expected) in enumerate(ways):
        for _ in range(2):
            try:
                got = way(x)
            except (TypeError, ValueError, np.RecordError) as error:
                words = f"{error} {error.__cause__}"
                assert "derivative would be lost" in words or "reads" in words or "part" in words, f"FASTNP_TEST_SEED={seed}: way {number}: {words}"
            else:
                near(got, expected, 1e-6)


SCALE = 2.0
WEIGHTS = np.array([1.0, 2.0, 3.0])


def scaled(x: Any) -> Any:
    return np.sum(x * x * WEIGHTS) * SCALE


MODULE_GRADIENT = np.grad(scaled)


def test_what_the_function_reads_is_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    @np.compile
    def step(x: Any) -> Any:
        return MODULE_GRADIENT(x)

    compiled_gradient = np.compile(MODULE_GRADIENT)
    for scale, weights in ((2.0, WEIGHTS), (3.0, WEIGHTS), (3.0, WEIGHTS * 2)):
        monkeypatch.setitem(globals(), "SCALE", scale)
        monkeypatch.setitem(globals(), "WEIGHTS", weights)
        for function in (step, compiled_gradient, MODULE_GRADIENT):
            near(function(X), 2 * X * weights * scale)


def test_over_compiled_functions() -> None:
    f = np.compile(cubes)
    near(np.grad(f)(X), 3 * X * X)
    near(np.grad(np.compile(np.grad(np.compile(lambda x: x**3))))(2.0), 12)
    near(np.vmap(np.compile(lambda x: x * 2))(X), X * 2)
    near(np.compile(np.vmap(np.grad(f)))(np.stack([X, X])), np.stack([3 * X * X] * 2))


def test_methods_and_partials() -> None:
    class Model:
        def __init__(self) -> None:
            self.weight = X * 2

        def loss(self, x: Any) -> Any:
            return np.sum(self.weight * x)

        @np.grad
        def slope(self: Any, x: Any) -> Any:
            return np.sum(x * self.weight)

    model = Model()
    near(np.grad(model.loss)(X), X * 2)
    near(np.compile(np.grad(model.loss))(X), X * 2)
    near(np.grad(functools.partial(np.dot, X))(X), X)


def test_closures_in_compiled_steps() -> None:
    @np.compile
    def train(w: Any, x: Any, y: Any, rate: Any) -> Any:
        def loss(w: Any) -> Any:
            return np.mean((x @ w - y) ** 2)

        value, gradient = np.value_and_grad(loss)(w)
        w -= rate * gradient
        return value

    rng = numpy.random.default_rng(0)
    x = rng.normal(size=(50, 3))
    y = x @ numpy.array([1.0, -2.0, 0.5])
    w = numpy.zeros(3)
    values = [train(w, x, y, 0.1) for _ in range(200)]
    assert values[-1] < 1e-8 < values[0]
    near(w, [1.0, -2.0, 0.5], 1e-3)
    assert train.cache_info().compiles == 1


@np.custom_vjp
def clipped(x: Any, limit: Any) -> Any:
    return x


clipped.defvjp(lambda x, limit: (clipped(x, limit), limit), lambda limit, g: (np.clip(g, -limit, limit), None))


@np.custom_jvp
def squared(x: Any) -> Any:
    return x * x


@squared.defjvp
def squared_jvp(primals: Any, tangents: Any) -> Any:
    return squared(*primals), 20 * primals[0] * tangents[0]


@ways
def test_custom_derivatives(way: Any) -> None:
    loss = lambda x: np.sum(clipped(x, 1.0) * 10 * x)  # noqa: E731  # short as it is
    near(way(np.grad(loss))(X), 10 * X + np.clip(10 * X, -1, 1))
    near(way(np.vmap(np.grad(lambda x: clipped(x * 5, 1.0) * 3)))(X), [5.0, 5.0, 5.0])
    near(way(np.grad(lambda x: np.sum(np.vmap(clipped, in_axes=(0, None))(x, 1.0) * 10)))(X), [1.0, 1.0, 1.0])
    near(way(np.grad(lambda x: np.sum(squared(x))))(X), 20 * X)
    near(way(lambda x: np.jvp(squared, (x,), (x,))[1])(X), 20 * X * X)
    near(way(np.jacfwd(squared))(X), numpy.diag(20 * numpy.asarray(X)))
    near(way(np.grad(np.grad(squared)))(3.0), 20)
    near(squared(X), X * X)
    with pytest.raises(TypeError, match="clipped has a custom_vjp"):
        np.jvp(lambda x: clipped(x, 1.0), (X,), (X,))


def test_custom_vjp_with_static_arguments() -> None:
    @functools.partial(np.custom_vjp, nondiff_argnums=(0,))
    def apply(function: Any, x: Any) -> Any:
        return function(x)

    apply.defvjp(lambda function, x: (function(x), x), lambda function, x, g: (g * 7,))
    near(np.grad(lambda x: np.sum(apply(np.sin, x)))(X), [7.0, 7.0, 7.0])


@ways
def test_checkpoint(way: Any) -> None:
    def block(x: Any, n: int) -> Any:
        for _ in range(n):
            x = np.tanh(x * 1.1)
        return x

    plain = np.grad(lambda x: np.sum(block(block(x, 3), 2)))(X)
    checked = np.checkpoint(block)
    near(way(np.grad(lambda x: np.sum(checked(checked(x, 3), 2))))(X), plain)
    near(way(np.hessian(lambda x: np.sum(checked(x, 2))))(X), np.hessian(lambda x: np.sum(block(x, 2)))(X))


@ways
def test_stop_gradient(way: Any) -> None:
    near(way(np.grad(lambda x: np.sum(x * np.stop_gradient(x))))(X), X)
    near(way(np.grad(lambda x: np.sum(x * np.stop_gradient({"x": x})["x"]) * np.stop_gradient(np.max(x))))(X), X * 2)
    assert np.stop_gradient(X) is X


def test_errors() -> None:
    with pytest.raises(ValueError, match=r"grad: the function's result must be a single number, not an array of shape \(3,\)"):
        np.grad(lambda x: x)(X)
    with pytest.raises(TypeError, match="grad: argument 0 has dtype int64"):
        np.grad(cubes)(np.arange(3))
    with pytest.raises(TypeError, match="grad: argument 1 has dtype bool"):
        np.grad(lambda x, y: np.sum(x), argnums=1)(X, np.array([True]))
    with pytest.raises(ValueError, match="value_and_grad: argnums 2 is out of range for a call with 1 positional argument"):
        np.value_and_grad(cubes, argnums=2)(X)
    with pytest.raises(TypeError, match="must be a real number, not one of dtype complex128"):
        np.grad(lambda x: np.sum(x * 1j))(X)
    with pytest.raises(TypeError, match="must be a floating number, not one of dtype int64"):
        np.grad(lambda x: np.argmax(x))(X)
    with pytest.raises(TypeError, match="must be a single number, not a tuple"):
        np.grad(lambda x: (np.sum(x), 1))(X)
    with pytest.raises(TypeError, match="with has_aux=True the function returns a tuple of two"):
        np.grad(cubes, has_aux=True)(X)
    with pytest.raises(ValueError, match=r"different sizes: 3 \(axis 0 of an array of shape \(3,\)\) and 2 \(axis 1 of one of shape \(3, 2\)\)"):
        np.vmap(lambda x, y: x, in_axes=(0, 1))(X, np.ones((3, 2)))
    with pytest.raises(ValueError, match="vmap: in_axes has 1 entries, and the function was called with 2 positional arguments"):
        np.vmap(lambda x, y: x, in_axes=(0,))(X, X)
    with pytest.raises(ValueError, match="axis 3 of in_axes is out of bounds for an array of dimension 1"):
        np.vmap(lambda x: x, in_axes=3)(X)
    with pytest.raises(ValueError, match="at least one argument must be mapped over"):
        np.vmap(lambda x: x, in_axes=None)(X)
    with pytest.raises(ValueError, match="a result differs from part to part, and has None in out_axes"):
        np.vmap(lambda x: x, out_axes=None)(X)
    with pytest.raises(TypeError, match="vmap: the function reads values that differ from part to part"):
        np.vmap(lambda x: x if x > 0 else -x)(X)
    with pytest.raises(TypeError, match="vmap: the function writes values that differ from part to part"):
        target = np.zeros(3)

        def writes(x: Any) -> Any:
            target[0] = x
            return x

        np.vmap(writes)(X)
    with pytest.raises(ValueError, match=r"jvp: a tangent of shape \(2,\) for a primal of shape \(3,\)"):
        np.jvp(cubes, (X,), (np.ones(2),))
    with pytest.raises(TypeError, match="jvp: there are 1 primals and 2 tangents"):
        np.jvp(cubes, (X,), (X, X))
    with pytest.raises(ValueError, match=r"vjp: its function was given an array of shape \(2,\) for one of shape \(3,\)"):
        np.vjp(lambda x: x, X)[1](np.ones(2))
    with pytest.raises(TypeError, match="the derivative would be lost"):
        np.grad(lambda x: np.sum(np.asarray(numpy.asarray(x))))(X)
    kept: list[Any] = []
    np.grad(lambda x: kept.append(x) or np.sum(x))(X)
    with pytest.raises(np.compiler.RecordError if hasattr(np.compiler, "RecordError") else RuntimeError, match="after its recording ended"):
        kept[0] + 1


def test_errors_of_the_function_are_its_own() -> None:
    def f(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        np.grad(f)(X)
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        np.grad(lambda x: np.take(x, np.array([7])).sum())(X)


def test_a_second_stage_within_another_transform() -> None:
    """A function that vjp() gave outside, differentiated and mapped itself: it is linear."""
    x = np.array([0.5, -1.0, 2.0])

    def f(x):
        y = np.take(x, np.array([2, 0, 0, 1])) * np.stop_gradient(x[0])
        y[1:3] *= np.checkpoint(np.tanh)(x[:2])
        return y

    for pull in (np.vjp(f, x)[1], lambda g: (np.linearize(lambda g: np.vjp(f, x)[1](g)[0], g)[1](g),)):
        weights = np.array([1.0, -2.0, 0.5, 3.0])
        matrix = numpy.asarray(np.jacrev(f)(x))
        numpy.testing.assert_allclose(np.vmap(lambda g, pull=pull: pull(g)[0])(np.eye(4)), matrix, rtol=1e-13)
        numpy.testing.assert_allclose(np.jacfwd(lambda g, pull=pull: pull(g)[0])(weights), matrix.T, rtol=1e-13)
        wanted = 2 * matrix @ (numpy.asarray(weights) @ matrix)
        numpy.testing.assert_allclose(np.grad(lambda g, pull=pull: np.sum(pull(g)[0] ** 2))(weights), wanted, rtol=1e-13)
    forward = np.linearize(f, x)[1]
    numpy.testing.assert_allclose(np.vmap(forward)(np.eye(3)), matrix.T, rtol=1e-13)
