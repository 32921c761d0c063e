"""Matrix products: of any layout and size against NumPy; those that are taken together (see pass/products, transform/reverse)."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import fastnp
import fastnp._parts

rng = numpy.random.default_rng(5)


def strided(rng: numpy.random.Generator, shape: tuple[int, ...], dtype: str) -> numpy.ndarray:
    """Numbers whose last two axes lie in a random layout: transposed, reversed, with gaps, or of stride zero."""
    big = [2 * n + 1 for n in shape]
    base = rng.standard_normal(big)
    if dtype.startswith("c"):
        base = base + 1j * rng.standard_normal(big)
    x = (base * 4).astype(dtype)
    way = rng.integers(6)
    if way == 0:
        return numpy.ascontiguousarray(x[tuple(slice(0, n) for n in shape)])
    if way == 1:
        return numpy.ascontiguousarray(x[tuple(slice(0, n) for n in shape)].swapaxes(-1, -2)).swapaxes(-1, -2)
    if way == 2:
        return x[tuple(slice(1, 2 * n + 1, 2) for n in shape)]
    if way == 3:
        return x[tuple(slice(n, 0, -1) if n else slice(0, 0) for n in shape)]
    if way == 4:
        return x[tuple(slice(0, n) for n in shape)]
    return numpy.broadcast_to(x[tuple(slice(0, min(n, 1)) for n in shape[:-1]) + (slice(0, shape[-1]),)], shape)


SIZES = (0, 1, 1, 2, 3, 15, 16, 17, 33, 70, 130)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32", "float16"])
def test_products_of_all_layouts(seed: int, dtype: str) -> None:
    rng = numpy.random.default_rng(seed)
    m, k, n = (int(rng.choice(SIZES)) for _ in range(3))
    lead = [(), (1,), (3,), (2, 5), (0,), (40,)][rng.integers(6)]
    x, y = strided(rng, (*lead, m, k), dtype), strided(rng, (*(lead if rng.integers(2) else ()), k, n), dtype)
    expected = x @ y
    found = fastnp.compile(lambda a, b: a @ b)(x, y)
    assert found.shape == expected.shape and found.dtype == expected.dtype
    exact = dtype == "int32"
    tolerance = 0 if exact else {"float16": 2e-2, "float32": 1e-4, "complex64": 1e-4}.get(dtype, 1e-12)
    scale = (numpy.abs(x).astype(float) @ numpy.abs(y).astype(float)) + 1e-30
    assert numpy.all(numpy.abs(numpy.asarray(found).astype(complex) - expected.astype(complex)) <= tolerance * scale)


@pytest.mark.parametrize("shape", [(1, 4096, 300), (900, 5, 7), (300, 300, 300), (2, 3, 100000), (100000, 2, 3), (33, 70000, 1), (1, 700, 900)])
def test_products_that_threads_share(shape: tuple[int, int, int]) -> None:
    m, k, n = shape
    x, y = rng.standard_normal((m, k)), rng.standard_normal((k, n))
    expected = x @ y
    for a in (x, numpy.asfortranarray(x)):
        for b in (y, numpy.asfortranarray(y)):
            numpy.testing.assert_allclose(numpy.asarray(fastnp.asarray(a) @ fastnp.asarray(b)), expected, rtol=1e-11, atol=1e-10)


def products_in(f: Any, *arguments: Any) -> int:
    return str(fastnp.explain(f)(*arguments)).count("kernel matmul")


def close(found: Any, expected: Any) -> None:
    numpy.testing.assert_allclose(numpy.asarray(found), expected, rtol=1e-10, atol=1e-10)


TIMES = 7


def time_first(xs: Any, t: int) -> Any:
    return xs[t]


def batch_first(xs: Any, t: int) -> Any:
    return xs[:, t]


def backwards(xs: Any, t: int) -> Any:
    return xs[TIMES - 1 - t]


def reversed_first(xs: Any, t: int) -> Any:
    return xs[::-1][t]


@pytest.fixture(autouse=True)
def loops_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those over small arrays as well, which are native programs elsewhere."""
    monkeypatch.setattr(fastnp._parts, "are_small", lambda _: False)


@pytest.mark.parametrize(
    ("take", "shape"),
    [
        (time_first, (TIMES, 4, 5)),
        (batch_first, (4, TIMES, 5)),
        (backwards, (TIMES, 4, 5)),
        (reversed_first, (TIMES, 4, 5)),
        (time_first, (TIMES, 5)),
        (time_first, (TIMES, 1, 5)),
    ],
)
@pytest.mark.parametrize("layout", ["C", "F", "gaps"])
def test_products_of_time_steps_are_taken_together(take: Any, shape: tuple[int, ...], layout: str) -> None:
    xs, w = rng.standard_normal(shape), rng.standard_normal((5, 3))
    if layout == "F":
        xs = numpy.asfortranarray(xs)
    elif layout == "gaps":
        xs = numpy.repeat(xs, 2, axis=-1)[..., ::2]

    def f(xs: Any, w: Any) -> Any:
        state = numpy.zeros(numpy.shape(take(xs, 0) @ w))
        for t in range(TIMES):
            state = numpy.tanh(state * 0.5 + take(xs, t) @ w)
        return state

    compiled = fastnp.compile(f)
    close(compiled(xs, w), f(xs, w))
    assert products_in(compiled, xs, w) == 1


def test_products_of_a_part_of_the_steps_stay_by_themselves() -> None:
    xs, w = rng.standard_normal((100, 4, 5)), rng.standard_normal((5, 3))

    def f(xs: Any, w: Any) -> Any:
        return xs[3] @ w + xs[50] @ w + xs[70] @ w

    compiled = fastnp.compile(f)
    close(compiled(xs, w), f(xs, w))
    assert products_in(compiled, xs, w) == 3


def test_products_before_and_after_a_write() -> None:
    xs, w = rng.standard_normal((4, 3, 5)), rng.standard_normal((5, 5))

    def f(xs: Any, w: Any) -> Any:
        total = xs[0] @ w + xs[1] @ w + xs[2] @ w
        xs[1] = total
        total = total + xs[0] @ w + xs[1] @ w + xs[2] @ w
        xs[2] = xs[1] @ w
        return total + xs[2] @ w

    expected_xs, found_xs = xs.copy(), xs.copy()
    expected = f(expected_xs, w)
    close(fastnp.compile(f)(found_xs, w), expected)
    close(found_xs, expected_xs)


def test_products_of_sizes_that_vary() -> None:
    def f(xs: Any, w: Any) -> Any:
        return sum(xs[t] @ w for t in range(3))

    compiled = fastnp.compile(f)
    for batch in (4, 6, 9, 1, 0, 12):
        xs, w = rng.standard_normal((3, batch, 5)), rng.standard_normal((5, 2))
        close(compiled(xs, w), f(xs, w))


def recurrent(w: Any, u: Any, b: Any, xs: Any) -> Any:
    h = numpy.zeros((xs.shape[1], u.shape[0]))
    for t in range(xs.shape[0]):
        h = numpy.tanh(xs[t] @ w + h @ u + b)
    return numpy.sum(h * h)


def test_gradients_of_weights_of_a_loop_are_one_product_each() -> None:
    times, batch, inputs, hidden = 6, 4, 20, 30
    arguments = (
        rng.standard_normal((inputs, hidden)) * 0.3,
        rng.standard_normal((hidden, hidden)) * 0.2,
        rng.standard_normal(hidden),
        rng.standard_normal((times, batch, inputs)),
    )
    gradient = fastnp.compile(fastnp.grad(recurrent, argnums=(0, 1, 2, 3)))
    found = gradient(*arguments)
    for number, (part, argument) in enumerate(zip(found, arguments, strict=True)):
        change = rng.standard_normal(argument.shape)
        ahead = [a + 1e-6 * change if i == number else a for i, a in enumerate(arguments)]
        behind = [a - 1e-6 * change if i == number else a for i, a in enumerate(arguments)]
        slope = (recurrent(*ahead) - recurrent(*behind)) / 2e-6
        numpy.testing.assert_allclose(numpy.sum(numpy.asarray(part) * change), slope, rtol=1e-6)
    weights = fastnp.compile(fastnp.grad(recurrent, argnums=(0, 1)))
    # Forward one of all inputs and one a turn but the first, whose state is zero or not; back one a turn; one for each of the weights.
    assert products_in(weights, *arguments) <= 1 + times + times + 2


def test_gradient_of_weights_of_a_stack_is_one_product() -> None:
    x, w = rng.standard_normal((8, 6, 5)), rng.standard_normal((5, 4))
    gradient = fastnp.compile(fastnp.grad(lambda w, x: numpy.sum((x @ w) ** 2)))
    close(gradient(w, x), numpy.einsum("bij,bik->jk", x, 2 * (x @ w)))
    assert products_in(gradient, w, x) == 2


@pytest.mark.parametrize("shape", [(3, 4), (1, 4), (3, 1), (1, 1), (4,), (1, 3, 4), (5, 3, 4), (5, 1, 4)])
def test_gradients_of_weights_that_are_repeated(shape: tuple[int, ...]) -> None:
    x, w = rng.standard_normal((5, 2, 3)), rng.standard_normal(shape)

    def f(w: Any, x: Any) -> Any:
        return numpy.sum((x @ numpy.broadcast_to(w, (5, 3, 4))) ** 2)

    whole = numpy.einsum("bij,bik->bjk", x, 2 * (x @ numpy.broadcast_to(w, (5, 3, 4))))
    axes = tuple(range(3 - len(shape)))
    expected = whole.sum(axis=axes)
    expected = expected.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and expected.shape[i] != 1), keepdims=True)
    for gradient in (fastnp.grad(f), fastnp.compile(fastnp.grad(f))):
        found = gradient(w, x)
        assert found.shape == w.shape
        close(found, expected)


def test_gradients_of_shared_inputs_of_several_weights() -> None:
    x = rng.standard_normal((40, 6))
    weights = [rng.standard_normal((6, 30)) for _ in range(3)]

    def f(x: Any, a: Any, b: Any, c: Any) -> Any:
        return numpy.sum(x @ a * (x @ b)) + numpy.sum((x @ c) ** 2)

    a, b, c = weights
    expected = (x @ b) @ a.T + (x @ a) @ b.T + 2 * (x @ c) @ c.T
    close(fastnp.compile(fastnp.grad(f))(x, *weights), expected)
    close(fastnp.grad(f)(x, *weights), expected)
