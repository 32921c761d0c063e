"""Methods of numpy.random.Generator by fastnp: NumPy's numbers, types, errors and states, of each bit generator, outside of and in compiled functions."""

from __future__ import annotations

import inspect
import random
import threading
from typing import Any

import numpy
import pytest
from support import quietly

import fastnp as np
from fastnp import _core, _streams

BITS = [numpy.random.PCG64, numpy.random.PCG64DXSM, numpy.random.Philox, numpy.random.MT19937, numpy.random.SFC64]
SIZES: list[Any] = [None, (), 0, 1, 5, (2, 3), (0, 2), [2, 2], numpy.int64(3), 3.0, -1, True]
ROWS = numpy.array([[0.2, 0.7, 0.5], [0.9, 0.1, 0.4]])
# What each method takes besides a size: how many, and what they may be.
REALS: list[Any] = [0.5, 2, 0.0, -1.0, numpy.nan, numpy.inf, 30.5, ROWS, ROWS[0], [0.5, 0.25], numpy.float32(0.3), numpy.array(0.4), True, "a", 1j, None]
CHANCES: list[Any] = [0.5, 0.1, 0, 1, 1.5, -0.1, ROWS, ROWS[1], [0.5, 0.25], numpy.array(0.4), numpy.nan]
COUNTS: list[Any] = [5, 0, 100, -1, 2.0, 2.5, numpy.array([3, 4, 5]), [2, 3, 4], numpy.int32(7), 10**9, numpy.array([1.5, 2, 3])]
TAKEN: dict[str, list[list[Any]]] = {
    **{name: [] for name in ("random", "standard_normal", "standard_exponential", "standard_cauchy")},
    **{name: [REALS] for name in "exponential chisquare pareto power rayleigh standard_gamma standard_t weibull poisson zipf".split()},
    **{name: [REALS, REALS] for name in "uniform normal beta f gamma gumbel laplace logistic lognormal noncentral_chisquare vonmises wald".split()},
    **{name: [CHANCES] for name in ("geometric", "logseries")},
    "binomial": [COUNTS, CHANCES],
    "negative_binomial": [COUNTS, CHANCES],
    "hypergeometric": [COUNTS, COUNTS, COUNTS],
    "noncentral_f": [REALS, REALS, REALS],
    "triangular": [REALS, REALS, REALS],
    "multinomial": [COUNTS, [[0.2, 0.8], [1.0], [], ROWS, [0.7, 0.8], [-0.1, 0.5], [numpy.nan, 0.5], numpy.array([0.1, 0.2, 0.7])]],
    "dirichlet": [[[1.0, 2.0], [0.01, 0.02, 0.03], [], [-1.0, 2.0], numpy.array([3, 4]), ROWS, [numpy.nan, 1.0]]],
    "multivariate_hypergeometric": [[[3, 4], [300, 400, 5], [], [-1, 2], [2.0, 3.0], numpy.array([5, 6])], [2, 0, 5, 10**6, -1]],
}
DRAWN_INTO = ("random", "standard_normal", "standard_exponential", "standard_gamma")


class Native:
    """A generator that draws few numbers, too, by fastnp, where NumPy is sooner."""

    def __init__(self, source: numpy.random.Generator) -> None:
        self.source = source
        self.bit_generator = source.bit_generator

    def __getattr__(self, name: str) -> Any:
        def draw(*args: Any, **kwargs: Any) -> Any:
            made = _core._draw_natively(self.source, name, True, *args, **kwargs)
            if made is not NotImplemented:
                return made
            return getattr(np.random.Generator(self.bit_generator), name)(*args, **kwargs)

        return draw


def ours(value: Any) -> Any:
    return np.array(value) if isinstance(value, numpy.ndarray) else value


def told(value: Any) -> Any:
    """What there is to a result: its type, dtype, shape, strides and bits."""
    if isinstance(value, np.ndarray):
        value = numpy.asarray(value)
    if isinstance(value, numpy.ndarray):
        return "array", value.dtype, value.shape, value.strides if value.size else None, value.tobytes()
    return type(value), repr(value)


def outcome(generator: Any, name: str, args: Any, kwargs: Any) -> Any:
    try:
        result = told(quietly(getattr(generator, name), *args, **kwargs))
    except Exception as error:
        result = type(error), str(error)
    bits = generator.bit_generator.state
    return result, repr(bits)


def check(bits: Any, name: str, args: Any, kwargs: Any, what: str) -> None:
    seed = random.randrange(2**32)
    theirs, mine = numpy.random.Generator(bits(seed)), Native(numpy.random.Generator(bits(seed)))
    for generator in (theirs, mine):
        generator.integers(9, dtype="int32")  # half of a draw is left
    given = [ours(each) for each in args], {key: ours(each) for key, each in kwargs.items()}
    for _ in range(2):
        want = outcome(theirs, name, args, kwargs)
        got = outcome(mine, name, *given)
        assert got == want, f"{what}: {bits.__name__}({seed}).{name}(*{args!r}, **{kwargs!r}): {got} where NumPy has {want}"


@pytest.mark.parametrize("name", TAKEN)
def test_draws(name: str) -> None:
    seed = random.randrange(10**9)
    draw = random.Random(seed)
    for _ in range(60):
        args = [draw.choice(choices) for choices in TAKEN[name]]
        kwargs: dict[str, Any] = {} if draw.random() < 0.3 else {"size": draw.choice(SIZES)}
        if name in DRAWN_INTO and draw.random() < 0.4:
            kwargs["dtype"] = draw.choice(["f4", "f8", "i4", numpy.float32, float, None])
        if name == "standard_exponential" and draw.random() < 0.3:
            kwargs["method"] = draw.choice(["zig", "inv", "other"])
        check(draw.choice(BITS), name, args, kwargs, f"seed {seed}")


@pytest.mark.parametrize("name", ["random", "uniform", "standard_normal", "normal", "standard_exponential", "exponential"])
@pytest.mark.parametrize("bits", BITS)
def test_many(name: str, bits: Any) -> None:
    for size in (31, 32, 33, 1000, (1 << 15) + 3, 100_001):
        check(bits, name, (), {"size": size}, "many")
        if "standard" in name or name == "random":
            check(bits, name, (), {"size": size, "dtype": "f4"}, "many")


@pytest.mark.parametrize("bits", BITS)
def test_integers(bits: Any) -> None:
    seed = random.randrange(10**9)
    draw = random.Random(seed)
    bounds = [0, 1, 2, 7, 255, 256, 2**16, 2**31, 2**32 - 1, 2**32, 2**40, 2**63 - 1, 2**63, 2**64, -1, -5, 2.5, numpy.array([3, 9]), None, True]
    for _ in range(150):
        args = [draw.choice(bounds) for _ in range(draw.choice([1, 2]))]
        kwargs: dict[str, Any] = {}
        if draw.random() < 0.7:
            kwargs["size"] = draw.choice(SIZES)
        if draw.random() < 0.7:
            kwargs["dtype"] = draw.choice(["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f8", int, bool, numpy.int16, numpy.dtype("u4")])
        if draw.random() < 0.4:
            kwargs["endpoint"] = draw.choice([True, False])
        check(bits, "integers", args, kwargs, f"seed {seed}")


@pytest.mark.parametrize("name", ["choice", "permutation", "permuted", "shuffle", "bytes"])
def test_orders(name: str) -> None:
    seed = random.randrange(10**9)
    draw = random.Random(seed)
    some: list[Any] = [5, 1, 0, -1, 12000, numpy.arange(7), numpy.arange(0), ROWS, numpy.arange(24).reshape(2, 3, 4), numpy.array(3), 2.5, [3, 1, 2]]
    some += [numpy.arange(6.0).reshape(2, 3).T, numpy.arange(9)[::2], numpy.arange(5, dtype="u1"), numpy.array([1j, 2])]
    for _ in range(80):
        x = draw.choice(some)
        kwargs: dict[str, Any] = {}
        if name == "choice":
            kwargs["size"] = draw.choice(SIZES)
            if draw.random() < 0.5:
                kwargs["replace"] = draw.choice([True, False])
            if draw.random() < 0.4:
                count = 5 if x is some[0] else draw.choice([5, 7])
                chances = numpy.array([draw.random() for _ in range(count)])
                kwargs["p"] = draw.choice([chances / chances.sum(), (chances / chances.sum()).tolist(), chances])
            if draw.random() < 0.3:
                kwargs["shuffle"] = False
        if name != "bytes" and draw.random() < 0.4:
            kwargs["axis"] = draw.choice([0, 1, -1, 5])
        theirs = x.copy() if isinstance(x, numpy.ndarray) else x
        check(draw.choice(BITS), name, [theirs], kwargs, f"seed {seed}")


def test_shuffles_in_place() -> None:
    for bits in BITS:
        for shape in ((7,), (4, 3), (2, 3, 4)):
            for axis in range(len(shape)):
                x = numpy.arange(numpy.prod(shape)).reshape(shape)
                mine = np.array(x)
                numpy.random.Generator(bits(5)).shuffle(x, axis=axis)
                np.random.Generator(bits(5)).shuffle(mine, axis=axis)
                assert numpy.array_equal(numpy.asarray(mine), x)


def test_they_are_fastnps_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTNP_FALLBACK", "error")
    rng = np.random.default_rng(7)
    assert type(rng.random(3)) is np.ndarray
    assert type(rng.normal(np.ones(3), 2.0)) is np.ndarray
    bound = rng.integers
    assert bound(9, size=4).shape == (4,)
    drawn = np.compile(lambda: rng.normal(size=3) + rng.poisson(3.0, 3))
    assert drawn().shape == drawn().shape == (3,)
    with pytest.raises(ValueError, match="scale < 0"):
        rng.normal(0, -1)


@pytest.mark.parametrize("name", ["random", "normal", "poisson", "integers", "permutation", "choice"])
def test_in_compiled_functions(name: str) -> None:
    args: Any = {"poisson": (3.0, 4), "integers": (0, 9, 4), "permutation": (6,), "choice": (9, 4)}.get(name, ())
    kwargs = {} if args else {"size": 4}
    theirs, mine = numpy.random.default_rng(11), np.random.default_rng(11)
    compiled = np.compile(lambda x: getattr(mine, name)(*args, **kwargs) * 2 + x)
    for turn in range(5):
        want = getattr(theirs, name)(*args, **kwargs) * 2 + turn
        numpy.testing.assert_array_equal(numpy.asarray(compiled(turn)), want)


def test_threads_share_a_generator() -> None:
    """Each number is drawn once, whichever thread it comes to, and NumPy's own draws wait as well."""
    source = numpy.random.default_rng(3)
    mine = np.random.Generator(source.bit_generator)
    found: list[Any] = []

    def work(draws: Any) -> None:
        for _ in range(50):
            found.append(numpy.asarray(draws(2000)))

    threads = [threading.Thread(target=work, args=(each,)) for each in (mine.random, source.random, mine.random)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    got = numpy.concatenate(found)
    assert numpy.array_equal(numpy.sort(got), numpy.sort(numpy.random.default_rng(3).random(got.size)))


@pytest.mark.parametrize("method", [*_streams._TRIED, "choice", "permuted", "shuffle"])
def test_streams_are_held_against_numpys(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _streams.draws_as_numpys(method)
    outcomes = _streams._outcomes
    monkeypatch.setattr(_streams, "_outcomes", lambda name, tried, is_native: outcomes(name, tried, is_native)[is_native:])
    assert not _streams.draws_as_numpys(method)


def test_methods_take_numpys_names() -> None:
    """Each parameter by its name in NumPy's signature."""
    some: dict[str, Any] = {"n": 5, "p": 0.5, "pvals": [0.2, 0.8], "ngood": 5, "nbad": 4, "nsample": 3, "left": 0.0, "mode": 0.5, "right": 1.0}
    some |= {"colors": [3, 4], "alpha": [1.0, 2.0], "size": 4, "low": 0, "high": 9, "endpoint": True, "x": 7, "length": 5, "shuffle": False}
    some |= {"method": "zig", "replace": False, "axis": 0, "a": 3.0, "dtype": numpy.float64}
    for name in [*TAKEN, "integers", "choice", "permutation", "bytes"]:
        names = inspect.signature(getattr(numpy.random.Generator, name)).parameters
        chosen = {"choice": {"a": 9}, "integers": {"dtype": numpy.int16}, "multivariate_hypergeometric": {"method": "marginals"}, "logseries": {"p": 0.5}}
        kwargs = {each: (some | chosen.get(name, {})).get(each, 2.0) for each in names if each not in ("self", "out") and (name, each) != ("choice", "p")}
        made = _core._draw_natively(numpy.random.Generator(numpy.random.PCG64(1)), name, True, **kwargs)
        assert made is not NotImplemented, (name, kwargs)
        assert told(made) == told(getattr(numpy.random.Generator(numpy.random.PCG64(1)), name)(**kwargs)), (name, kwargs)


def test_what_is_tried_with_nothing_is_numpys() -> None:
    assert not _streams.draws_as_numpys("multivariate_normal")
