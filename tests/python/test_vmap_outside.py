"""vmap of functions that draw random numbers or call what only NumPy has: what a loop over the parts gives, to the bit of the generators' streams."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np
import fastnp.random as np_random

pytestmark = pytest.mark.part(2)

X = numpy.random.default_rng(3).normal(size=(5, 4))
Y = numpy.random.default_rng(4).uniform(0.5, 2, size=(5, 3, 4))
RNG = np_random.default_rng(7)
OTHER = np_random.default_rng(8)


def reset() -> None:
    np_random.seed(0)
    for rng, seed in ((RNG, 7), (OTHER, 8)):
        rng.bit_generator.state = numpy.random.PCG64(seed).state


def states() -> list[Any]:
    return [np_random.random(), RNG.random(), OTHER.random()]


def looped(f: Callable[..., Any], *args: Any) -> Any:
    results = [f(*[np.asarray(arg)[k] for arg in args]) for k in range(len(args[0]))]
    if isinstance(results[0], tuple):
        return tuple(numpy.stack([numpy.asarray(each) for each in column]) for column in zip(*results, strict=True))
    return numpy.stack([numpy.asarray(each) for each in results])


def as_the_loop(mapped: Callable[..., Any], wanted: Callable[..., Any], *args: Any, compiles: bool = True) -> None:
    """`mapped`, outside of compiled functions and compiled, gives what `wanted` does, and leaves the generators as it does."""
    reset()
    results, after = wanted(*args), states()
    results = results if isinstance(results, tuple) else (results,)
    candidates = [mapped, np.compile(mapped, fullgraph=True)] if compiles else [mapped]
    for candidate in candidates:
        for _ in range(3):
            reset()
            found = candidate(*args)
            for a, b in zip(found if isinstance(found, tuple) else (found,), results, strict=True):
                a, b = numpy.asarray(a), numpy.asarray(b)
                assert a.shape == b.shape and a.dtype == b.dtype
                numpy.testing.assert_allclose(a, b, rtol=1e-14, atol=1e-14)
            assert states() == after


def check(f: Callable[..., Any], *args: Any) -> None:
    as_the_loop(np.vmap(f), lambda *given: looped(f, *given), *args)


@np.compiler.pure
def declared(x: Any, k: Any) -> Any:
    return numpy.sort(x)[::-1] * k, float(x[0]) if x[1] > 0 else -1.0


FUNCTIONS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "NumPy's": (lambda x: np.partition(x * 2, 1) + x, [X]),
    "median": (lambda x: np.median(x * 2) + x, [X]),
    "median of a part and of what is shared": (lambda x: np.median(x) - numpy.median(X), [X]),
    "along an axis": (lambda x: np.median(x, axis=0, keepdims=True) * x, [Y]),
    "two results": (lambda x: (np.histogram(x, bins=3, range=(-2, 2))[0], x + 1), [X]),
    "named results": (lambda x: np.unique_inverse(x * 2).inverse_indices + x, [X]),
    "of two operands": (lambda x, y: np.interp(x, np.sort(y[0]), y[1]), [X, Y]),
    "a list of operands": (lambda x, y: np.kron(x, y[0]), [X, Y]),
    "results that are used twice": (lambda x: np.percentile(x, [10, 50]) * np.median(np.percentile(x, 30) * x), [X]),
    "one draw": (lambda x: x + RNG.normal(size=x.shape), [X]),
    "numbers": (lambda x: x * RNG.random() + np_random.random(), [X]),
    "several draws": (lambda x: x + RNG.normal(size=4) * RNG.uniform(size=4) - RNG.random(), [X]),
    "arguments that vary": (lambda x, y: RNG.normal(x, y[0]) + RNG.uniform(-1, y[1]), [X, Y]),
    "two generators": (lambda x: x + RNG.normal(size=4) * OTHER.normal(size=4) + RNG.normal() + OTHER.random(), [X]),
    "one generator's draw as the other's argument": (lambda x: OTHER.normal(RNG.normal(size=4) * x), [X]),
    "integers": (lambda x: x[RNG.integers(0, 4, size=3)] + RNG.integers(5), [X]),
    "a permutation": (lambda x: RNG.permutation(x) - RNG.permutation(4), [X]),
    "a choice": (lambda x: RNG.choice(x, 2, replace=False), [X]),
    "legacy": (lambda x: np_random.normal(x, 0.1) + np_random.rand(4) * np_random.standard_normal(), [X]),
    "of the outside on what was drawn": (lambda x: x + np.median(RNG.normal(size=7)) * OTHER.random(), [X]),
    "declared pure": (lambda x, y: declared(x * 2, 3)[0] + declared(x, k=y[0])[1], [X, Y]),
    "written to": (lambda x: written(x), [X]),
    "dropped": (lambda x: x * (1 if RNG.normal(size=2) is None else 2) + RNG.random(), [X]),
}


def written(x: Any) -> Any:
    x = x.copy()
    noise = RNG.normal(size=4)
    noise[0] = 5.0
    x[1:] *= RNG.random(3)
    x += noise
    noise *= 2
    return x * noise


@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_the_loop(name: str) -> None:
    function, args = FUNCTIONS[name]
    check(function, *args)
    check(function, *[arg[:1] for arg in args])
    if all(arg.dtype == float for arg in args) and name not in ("integers",):
        reset()
        found = np.vmap(function, in_axes=-1)(*[numpy.moveaxis(arg, 0, -1) for arg in args])
        reset()
        wanted = looped(function, *args)
        for a, b in zip(found if isinstance(found, tuple) else (found,), wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
            numpy.testing.assert_allclose(a, b, rtol=1e-14)


@pytest.mark.parametrize("name", ["NumPy's", "median", "several draws", "arguments that vary", "legacy", "two generators"])
def test_nested(name: str) -> None:
    function, args = FUNCTIONS[name]
    args = [numpy.stack([arg, arg[::-1] * 1.5]) for arg in args]
    as_the_loop(np.vmap(np.vmap(function)), lambda *given: looped(lambda *rows: looped(function, *rows), *given), *args)

    def with_own(*rows: Any) -> Any:
        return RNG.random() * np.sum(np.vmap(function)(*rows), axis=0) + RNG.normal(size=rows[0].shape[-1])

    def loop_with_own(*rows: Any) -> Any:
        first = RNG.random()
        return first * np.sum(np.asarray(looped(function, *rows)), axis=0) + RNG.normal(size=rows[0].shape[-1])

    as_the_loop(np.vmap(with_own), lambda *given: looped(loop_with_own, *given), *args)
    shared = np.vmap(lambda x: np.vmap(lambda y: x * np.median(y))(np.asarray(X)))
    numpy.testing.assert_allclose(shared(X), X[:, None, :] * numpy.median(X, axis=1)[:, None])


def test_arguments_that_are_not_mapped_and_axis_size() -> None:
    as_the_loop(
        lambda x: np.vmap(lambda y: y + RNG.random(), in_axes=None, axis_size=3)(x),
        lambda x: numpy.stack([x + RNG.random() for _ in range(3)]),
        X[0],
    )


def test_under_derivatives() -> None:
    def loss(w: Any) -> Any:
        return np.sum(np.vmap(lambda x: np.sum(np.tanh(x * w + RNG.normal(size=4)) * RNG.random()))(X))

    def loop(w: Any) -> Any:
        return sum(np.sum(np.tanh(x * w + RNG.normal(size=4)) * RNG.random()) for x in np.asarray(X))

    w = np.asarray(numpy.linspace(-1, 1, 4))
    as_the_loop(np.grad(loss), np.grad(loop), w)
    as_the_loop(np.vmap(np.grad(lambda x: np.sum(np.sin(x) * RNG.normal(size=4)) * RNG.random())), lambda x: stepwise(x), X)
    if np.current_device() == "cpu":  # devices have it themselves
        with pytest.raises(TypeError, match="derivative"):
            np.compile(np.grad(lambda w: np.sum(np.vmap(lambda v: np.trim_zeros(v))(X * w))))(w)


def stepwise(x: Any) -> Any:
    rows = []
    for row in x:
        normals = RNG.normal(size=4)
        rows.append(numpy.cos(row) * numpy.asarray(normals) * RNG.random())
    return numpy.stack(rows)


def test_sizes_that_vary() -> None:
    mapped = np.compile(np.vmap(lambda x: np.sort(x) * np.median(x) + RNG.normal(size=x.shape)), fullgraph=True)
    for rows, columns in ((5, 4), (3, 4), (2, 7), (1, 1)):
        x = numpy.random.default_rng(rows).normal(size=(rows, columns))
        reset()
        wanted = looped(lambda x: np.sort(x) * np.median(x) + RNG.normal(size=x.shape), x)
        reset()
        numpy.testing.assert_allclose(mapped(x), wanted, rtol=1e-14)


def test_numbers_that_vary() -> None:
    mapped = np.compile(lambda x, scale, count: np.vmap(lambda row: row + RNG.normal(0, scale, count))(x), fullgraph=True)
    for scale in (0.5, 1.5, 2.5, 3.5, 4.5):
        reset()
        wanted = looped(lambda row, scale=scale: row + RNG.normal(0, scale, 4), X)
        reset()
        numpy.testing.assert_allclose(mapped(X, scale, 4), wanted, rtol=1e-14)
    assert mapped.cache_info().compiles <= 2


def test_generators_made_within() -> None:
    def seeded(x: Any) -> Any:
        rng = np_random.default_rng(5)
        return x * rng.normal(size=4) + rng.random()

    numpy.testing.assert_allclose(np.vmap(seeded)(X), looped(seeded, X), rtol=1e-14)

    def reseeded(x: Any) -> Any:
        np_random.seed(3)
        return x * np_random.normal(size=4)

    reset()
    found = np.vmap(reseeded)(X)
    reset()
    numpy.testing.assert_allclose(found, looped(reseeded, X), rtol=1e-14)
    unseeded = np.vmap(lambda x: x * 0 + np_random.default_rng().normal(size=4))(X)
    assert len({row.tobytes() for row in numpy.asarray(unseeded)}) == 5


def test_orders_that_can_not_be_kept() -> None:
    for call in (np.vmap, lambda f: np.compile(np.vmap(f))):
        for function in (
            lambda x: RNG.normal(RNG.normal(size=4)) + x,
            lambda x: np.trim_zeros(RNG.normal(size=4))[1] * x + RNG.random(),
        ):
            reset()
            with pytest.raises(TypeError, match="one after the other"):
                call(function)(X)


def test_results_that_differ_from_part_to_part() -> None:
    for call in (np.vmap, lambda f: np.compile(np.vmap(f))):
        with pytest.raises(TypeError, match="numpy.trim_zeros gives an array of shape"):
            call(lambda x: np.trim_zeros(x))(numpy.array([[0.0, 1, 2], [1, 2, 3]]))
        if np.current_device() == "cpu":
            with pytest.raises(ValueError, match="has none"):
                call(lambda x: np.trim_zeros(x))(numpy.zeros((0, 3)))


def test_draws_that_can_not_be_followed_are_errors() -> None:
    own, old, python = numpy.random.default_rng(1), numpy.random.RandomState(1), random.Random(1)

    class Holder:
        def __init__(self) -> None:
            self.rng = own

        def __call__(self, x: Any) -> Any:
            return x + self.rng.normal(size=4)

    def by_default(x: Any, rng: Any = old) -> Any:
        return x * rng.rand()

    for function in (lambda x: x + own.normal(size=4), lambda x: x * python.random(), Holder(), by_default, lambda x: x + numpy.random.normal(size=4)):
        with pytest.raises(TypeError, match="can't be followed"):
            np.vmap(function)(X)
    numpy.random.seed(1)
    wanted = numpy.stack([x + numpy.random.normal(size=4) * numpy.random.rand() for x in X])
    numpy.random.seed(1)
    found = np.compile(np.vmap(lambda x: x + numpy.random.normal(size=4) * numpy.random.rand()), fullgraph=True)(X)
    numpy.testing.assert_allclose(found, wanted, rtol=1e-14)
    random.seed(1)
    drawn = numpy.stack([x * random.gauss(0, 1) + random.random() + own.normal() for x in X])
    random.seed(1)
    own = numpy.random.default_rng(1)
    compiled = np.compile(np.vmap(lambda x: x * random.gauss(0, 1) + random.random() + own.normal()), fullgraph=True)
    assert numpy.asarray(compiled(X)).shape == drawn.shape
    random.seed(1)
    own = numpy.random.default_rng(1)
    wanted = numpy.stack([x * random.gauss(0, 1) + random.random() + own.normal() for x in X])
    random.seed(1)
    own = numpy.random.default_rng(1)
    numpy.testing.assert_allclose(compiled(X), wanted, rtol=1e-14)
    assert numpy.asarray(np.vmap(lambda x: x + 1)(X)).shape == X.shape


def test_threads_that_draw_meanwhile() -> None:
    stop = threading.Event()

    def draw() -> None:
        while not stop.is_set():
            numpy.random.random()

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        for _ in range(50):
            numpy.testing.assert_allclose(np.vmap(lambda x: x + np.median(x))(X), X + numpy.median(X, axis=1, keepdims=True))
    finally:
        stop.set()
        thread.join()


def test_functions_of_math() -> None:
    as_the_loop(
        np.compile(np.vmap(lambda x: math.sin(x[0]) * x + math.floor(x[1])), fullgraph=True),
        lambda x: numpy.stack([math.sin(row[0]) * row + math.floor(row[1]) for row in x]),
        X,
        compiles=False,
    )


def test_a_function_that_calls_back() -> None:
    def function(x: Any) -> Any:
        return np.apply_along_axis(lambda row: row - numpy.median(row), 0, x)

    as_the_loop(np.vmap(function), lambda x: looped(function, x), X, compiles=False)


# Functions that are NumPy's alone, and ones of which it depends on the arguments.
LOSING: dict[str, Callable[[Any], Any]] = {
    "partition": lambda x: np.partition(x, 1),
    "median": np.median,
    "percentile": lambda x: np.percentile(x, [10, 50]),
    "gradient": np.gradient,
    "trapezoid": np.trapezoid,
    "select": lambda x: np.select([x > 0, x < -1], [x, 2 * x]),
    "interp": lambda x: np.interp(0.5, np.arange(4.0), x),
    "interp at": lambda x: np.interp(x, np.arange(4.0), np.arange(4.0) ** 2),
    "pad": lambda x: np.pad(x, 1, mode="reflect"),
    "block": lambda x: np.block([[x, x], [x, x]]),
    "insert": lambda x: np.insert(x, 1, x[0]),
    "nanmax": np.nanmax,
    "bincount": lambda x: np.bincount(np.arange(4), weights=x),
    "i0": np.i0,
    "ravel": lambda x: np.outer(x, x).ravel("F"),
    "corrcoef": lambda x: np.corrcoef(x, x**2),
    "polyval": lambda x: np.polyval(x, 1.5),
    "cross": lambda x: np.cross(x[:3], x[1:]),
    "nanmean": np.nanmean,
    "histogram": lambda x: np.histogram(np.arange(4), bins=2, weights=x)[0],
    "of a part": lambda x: np.median(x * 2) + x,
    "of whole numbers": lambda x: np.median(np.asarray(x > 0).astype(int)) * x,
    "of a constant": lambda x: np.median(np.stop_gradient(x)) * x,
    "dropped": lambda x: (np.partition(x, 1), x * 2)[1],
    "own": lambda x: np.sort(x)[::-1] * np.roll(x, 1),
}
TRANSFORMS: dict[str, Callable[[Callable[[Any], Any]], Callable[[Any], Any]]] = {
    "grad": lambda f: np.grad(lambda x: np.sum(f(x)) + np.sum(x * x)),
    "value_and_grad": lambda f: lambda x: np.value_and_grad(lambda y: np.sum(f(y)))(x)[1],
    "jacfwd": np.jacfwd,
    "jacrev": np.jacrev,
    "hessian": lambda f: np.hessian(lambda x: np.sum(f(x)) ** 2),
    "jvp": lambda f: lambda x: np.jvp(f, (x,), (x + 1,))[1],
    "vjp": lambda f: lambda x: np.vjp(lambda y: np.sum(f(y)), x)[1](2.0)[0],
    "linearize": lambda f: lambda x: np.linearize(f, x)[1](x + 1),
    "grad of vmap": lambda f: np.grad(lambda x: np.sum(np.vmap(f)(np.outer(x, x)[:2]))),
    "vmap of grad": lambda f: lambda x: np.vmap(np.grad(lambda y: np.sum(f(y))))(np.outer(x, x)[:2]),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", LOSING)
def test_no_derivative_is_lost(name: str, transform: str) -> None:
    of_one = TRANSFORMS[transform](LOSING[name])
    try:
        wanted = looped(of_one, X)
    except TypeError as error:
        assert "the derivative would be lost" in str(error)
        wanted = None
    for mapped in (np.vmap(of_one), np.compile(np.vmap(of_one)), np.compile(lambda x: looped_rows(of_one, x)), np.vmap(np.compile(of_one))):
        for _ in range(2):
            try:
                found = mapped(X)
            except TypeError as error:
                assert "the derivative would be lost" in str(error) and wanted is None
            else:
                numpy.testing.assert_allclose(found, by_hand(LOSING[name], transform) if wanted is None else wanted, rtol=1e-12, atol=1e-12)


def looped_rows(f: Callable[[Any], Any], x: Any) -> Any:
    return np.stack([f(x[k]) for k in range(5)])


def by_hand(f: Callable[[Any], Any], transform: str) -> Any:
    """Where a transform need not be refused, though the loop's is: what is dropped has no derivative."""
    assert f is LOSING["dropped"]
    return looped(TRANSFORMS[transform](lambda x: x * 2), X)
