"""The older functions of numpy.random, and methods of RandomState: numbers, types and states as NumPy has them, to the bit, without NumPy's help."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np
from fastnp._fallback import FallbackError

# Parameters of each method, besides a size.
PARAMETERS: dict[str, list[tuple[Any, ...]]] = {
    **dict.fromkeys(["random_sample", "random", "standard_normal", "standard_exponential", "standard_cauchy", "logistic", "gumbel"], [()]),
    "normal": [(), (1.0, 2.0), (numpy.arange(3.0), 2.0)],
    "uniform": [(), (2.0, 5.0), (numpy.zeros((4, 1)), numpy.arange(1.0, 4.0))],
    "lognormal": [(), (1.0, 0.5)],
    "exponential": [(), (3.0,), (numpy.arange(3.0),)],
    "gamma": [(0.5,), (1.0, 2.0), (3.3, 2.0), (0.0,)],
    "standard_gamma": [(0.2,), (5.0,)],
    "beta": [(0.5, 0.5), (2.0, 3.0), (0.5, 3.0), (1e-3, 1e-3)],
    "chisquare": [(0.5,), (3.0,)],
    "f": [(2.0, 3.0)],
    "noncentral_chisquare": [(3.0, 2.0), (0.5, 2.0), (3.0, 0.0)],
    "noncentral_f": [(3.0, 4.0, 2.0)],
    "negative_binomial": [(3, 0.3), (100, 0.01)],
    "pareto": [(3.0,)],
    "power": [(0.5,), (3.0,)],
    "weibull": [(0.0,), (2.0,)],
    "rayleigh": [(), (2.0,)],
    "wald": [(2.0, 3.0)],
    "standard_t": [(3.0,)],
    "laplace": [(), (1.0, 2.0)],
    "binomial": [(5, 0.3), (1000, 0.4), (1000, 0.999)],
    "poisson": [(), (9.0,), (300.0,), (numpy.arange(3.0),)],
    "triangular": [(0.0, 0.5, 1.0)],
    "dirichlet": [([1.0, 2.0],), ([0.01, 0.02],)],
    "multinomial": [(5, [0.2, 0.8]), (500, [0.2, 0.3, 0.5]), (7, [1.0]), (7, [0.1, 0.3, 0.2, 0.4])],
    "randint": [(9,), (3, 900), (-5, 1 << 40), (0, 1), (-(2**62), 2**62)],
    "choice": [(5,)],
}
CASES = [(name, given) for name, all_given in PARAMETERS.items() for given in all_given]
WHOLE = ("choice", "dirichlet")  # never a number
SIZES: list[Any] = [None, 1, 7, (4, 3), (5, 1, 3), 200]


def is_same(got: Any, want: Any) -> bool:
    has_type = type(got) is np.ndarray if isinstance(want, numpy.ndarray) else type(got) is type(want)
    got, want = numpy.asarray(got), numpy.asarray(want)
    return has_type and (got.dtype, got.shape, got.tobytes()) == (want.dtype, want.shape, want.tobytes())


def has_state(one: Any, other: Any) -> bool:
    return all(numpy.array_equal(a, b) for a, b in zip(one.get_state(), other.get_state(), strict=True))


@pytest.fixture
def _told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTNP_FALLBACK", "error")


@pytest.mark.usefixtures("_told")
@pytest.mark.parametrize(("name", "given"), CASES, ids=[f"{name}{i}" for i, (name, _) in enumerate(CASES)])
def test_as_numpy(name: str, given: tuple[Any, ...]) -> None:
    theirs, mine = numpy.random.RandomState(SEED % 2**32), np.random.RandomState(SEED % 2**32)
    for size in SIZES:
        has_axes = any(isinstance(each, numpy.ndarray) for each in given)
        if (size is None and name in WHOLE) or (has_axes and size in (1, 7, 200, (5, 1, 3))):
            continue
        for _ in range(3):
            want = getattr(theirs, name)(*given, size=size)
            got = getattr(mine, name)(*[np.asarray(each) if isinstance(each, numpy.ndarray) else each for each in given], size=size)
            assert is_same(got, want), (name, given, size)
        assert has_state(theirs, mine)


@pytest.mark.usefixtures("_told")
def test_functions_of_the_module() -> None:
    numpy.random.seed(5)
    wanted = [numpy.random.rand(3, 2), numpy.random.randn(5), numpy.random.rand(), numpy.random.normal(size=150), numpy.random.permutation(9)]
    numpy.random.seed(5)
    np.random.seed(5)
    found = [np.random.rand(3, 2), np.random.randn(5), np.random.rand(), np.random.normal(size=150), np.random.permutation(9)]
    assert all(map(is_same, found, wanted))


def test_numbers_that_are_none() -> None:
    for given in ((0.5, numpy.nan), (3.0, numpy.nan), (numpy.nan, 1.0)):
        theirs, mine = numpy.random.RandomState(2), np.random.RandomState(2)
        numpy.testing.assert_array_equal(mine.noncentral_chisquare(*given, 200), theirs.noncentral_chisquare(*given, 200))


def test_rows_without_elements_are_not_drawn_for(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, mine = numpy.random.RandomState(2), np.random.RandomState(2)
    theirs.shuffle(numpy.zeros((500, 0)))
    mine.shuffle(np.zeros((500, 0)))
    assert has_state(theirs, mine)


@pytest.mark.usefixtures("_told")
@pytest.mark.parametrize("shape", [(9,), (1,), (6, 3), (5, 2, 2)])
def test_orders(shape: tuple[int, ...]) -> None:
    x = numpy.arange(numpy.prod(shape)).reshape(shape)
    theirs, mine = numpy.random.RandomState(3), np.random.RandomState(3)
    assert is_same(mine.permutation(np.asarray(x)), theirs.permutation(x))
    want, got = x.copy(), np.asarray(x.copy())
    theirs.shuffle(want)
    mine.shuffle(got)
    numpy.testing.assert_array_equal(got, want)
    if len(shape) == 1 and shape[0] > 3:
        assert is_same(mine.choice(np.asarray(x), (2, 3)), theirs.choice(x, (2, 3)))
        assert is_same(mine.choice(np.asarray(x), 3, replace=False), theirs.choice(x, 3, replace=False))
    assert has_state(theirs, mine)


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.normal(0, -1, 200),
        lambda r: r.randint(5, 5, 200),
        lambda r: r.gamma(-1.0, size=200),
        lambda r: r.binomial(5, 1.5, 200),
        lambda r: r.rand(-1),
        lambda r: r.choice(0, 200),
        lambda r: r.choice(3, 200, replace=False),
        lambda r: r.dirichlet([1.0, -1.0], 200),
        lambda r: r.normal(size=-200),
        lambda r: r.normal("a", size=200),
        lambda r: r.choice([1, 2, 3], size=-1, replace=False),
        lambda r: r.choice(300, size=(-1, -200), replace=False),
        lambda r: r.triangular(1.0, -1.0, [], 200),
    ],
)
def test_errors_are_numpys(call: Any) -> None:
    theirs, mine = numpy.random.RandomState(3), np.random.RandomState(3)
    with pytest.raises((ValueError, TypeError)) as wanted:
        call(theirs)
    with pytest.raises(wanted.type) as raised:
        call(mine)
    assert str(raised.value) == str(wanted.value)
    assert has_state(theirs, mine)


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.randint(0, 9, 200, dtype="int8"),
        lambda r: r.hypergeometric(500, 400, 300, 200),
        lambda r: r.zipf(3.0, 200),
        lambda r: r.geometric(0.2, 200),
        lambda r: r.vonmises(0.5, 0.25, 200),
        lambda r: r.choice(5, 200, p=[0.2] * 5),
        lambda r: r.binomial(0, 0.5, 200),
        lambda r: r.multinomial(7, [0.0, 0.3, 0.0, 0.7], 200),
        lambda r: r.multinomial(0, [0.3, 0.7], 200),
        lambda r: r.multivariate_normal([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]], 200),
    ],
)
def test_what_numpy_draws(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, mine = numpy.random.RandomState(3), np.random.RandomState(3)
    assert is_same(call(mine), call(theirs))
    assert has_state(theirs, mine)
    monkeypatch.setenv("FASTNP_FALLBACK", "error")
    with pytest.raises(FallbackError):
        call(mine)


@pytest.mark.usefixtures("_told")
def test_compiled() -> None:
    state = np.random.RandomState(4)

    @np.compile
    def f(x: Any) -> Any:
        return x * 2 + state.normal(size=(3, 100)) + np.random.rand(100)

    x = numpy.ones((3, 100))
    for seed in (1, 2):
        np.random.seed(seed)
        state.seed(seed)
        got = [f(x) for _ in range(3)]
        numpy.random.seed(seed)
        theirs = numpy.random.RandomState(seed)
        for each in got:
            numpy.testing.assert_array_equal(each, x * 2 + theirs.normal(size=(3, 100)) + numpy.random.rand(100))


def test_pairs_of_normal_numbers_are_shared() -> None:
    """Few numbers are NumPy's, many are drawn here: from one state, the second one of a pair that was kept among it."""
    theirs, mine = numpy.random.RandomState(9), np.random.RandomState(9)
    for size in (1, 301, 2, 7, 999, 1):
        numpy.testing.assert_array_equal(mine.normal(size=size), theirs.normal(size=size))
        assert has_state(theirs, mine)
