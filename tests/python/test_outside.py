"""Functions that only NumPy has, and random numbers, between compiled code: the same values, the same streams, compiled."""

from __future__ import annotations

import random

import numpy
import pytest
from support import BACKENDS, assert_same, outcome

import fastnp as np

RNG = numpy.random.default_rng(1)
OLD = numpy.random.RandomState(2)
OWN = random.Random(3)
STATE = RNG.bit_generator.state
X = numpy.linspace(0.1, 1, 12).reshape(3, 4)


def reset():
    numpy.random.seed(0)
    random.seed(0)
    RNG.bit_generator.state = STATE
    OLD.seed(2)
    OWN.seed(3)


def drawn():
    return numpy.random.random(), random.random(), RNG.random(), OLD.rand(), OWN.random()


def follow(function, calls, uncompiled=0):
    """The same results, changed arguments and streams as the function as written."""
    for backend in BACKENDS:
        compiled = np.compile(function, backend=backend)
        made = []
        for f in (function, compiled):
            reset()
            given = [[numpy.array(x) for x in arguments] for arguments in calls]
            made.append(([outcome(f, *arguments) for arguments in given], given, drawn()))
        for got, want in zip(made[1][0], made[0][0], strict=True):
            assert_same(got, want)
        for got, want in zip(made[1][1], made[0][1], strict=True):
            for x, y in zip(got, want, strict=True):
                numpy.testing.assert_allclose(x, y)
        assert made[1][2] == made[0][2]
        info = compiled.cache_info()
        if uncompiled is not None:
            assert info.uncompiled == uncompiled, np.explain(compiled)(*calls[0])
    return info


def by_reads(x):
    if RNG.random() < 0.5:
        return x * 2
    return x - RNG.normal(size=x.shape)


def by_sums(x):
    y = x + RNG.normal(size=x.shape)
    return y * OLD.rand() if y.sum() > 8 else y


def in_place(x):
    x[0] = numpy.median(x)
    x += numpy.random.random(x.shape)
    return numpy.sort(x.ravel()) * 2


NUMPYS = [
    lambda x: numpy.partition(x * 2, 1) + 1,
    lambda x: numpy.median(x * 2) + 1,
    lambda x: (numpy.linalg.norm(x + 1), numpy.percentile(x, 30) * 2),
    lambda x: numpy.linalg.solve(x @ x.T + numpy.eye(3), x) * 2,
    lambda x: numpy.linalg.eigh(x @ x.T + numpy.eye(3))[0] + 1,
    lambda x: numpy.linalg.eigh(x @ x.T + numpy.eye(3)).eigenvalues * 2,
    lambda x: numpy.fft.fft(x * 2).real + 1,
    lambda x: numpy.einsum("ij,kj->ik", x, x) + numpy.cumsum(numpy.roll(x, 1))[:3],
    lambda x: numpy.histogram(x, bins=5)[0] * 2,
    lambda x: x[[0, 1]][:, [1, 2]] + x[[[0, 1]], 1],
    lambda x: numpy.interp(x, [0, 1], [0, 2]) + numpy.trapezoid(x[0]),
]


@pytest.mark.parametrize("function", NUMPYS)
def test_numpys_own_functions(function):
    info = follow(function, [(X + i,) for i in range(4)])
    assert (info.compiles, info.hits) == (1, 3)


DRAWS = [
    lambda x: (x + numpy.random.normal(size=x.shape), numpy.random.rand()),
    lambda x: x * random.random() + random.uniform(0, 1) + random.randint(1, 6) + OWN.gauss(0, 1),
    lambda x: (x + RNG.normal(size=(3, 4)), RNG.integers(10) + 1, OLD.randint(5, size=3) * 2),
    lambda x: RNG.permutation(12)[:4] + x,
    lambda x: x[RNG.integers(3, size=5)] * 2,
    lambda x: numpy.where(RNG.random(x.shape) < 0.5, x, 0) / 0.5,
]


@pytest.mark.parametrize("function", DRAWS)
def test_random_numbers(function):
    info = follow(function, [(X + i,) for i in range(4)])
    assert (info.compiles, info.hits) == (1, 3)


@pytest.mark.parametrize("function", [by_reads, by_sums, in_place])
def test_courses_draw_once(function):
    info = follow(function, [(X + i / 8,) for i in range(12)])
    assert info.compiles <= 3


def test_generators_as_arguments():
    def f(x, rng):
        return x * rng.normal(size=x.shape) + rng.random()

    for backend in BACKENDS:
        compiled = np.compile(f, backend=backend)
        mine, theirs = numpy.random.default_rng(7), numpy.random.default_rng(7)
        for _ in range(4):
            assert_same(compiled(X, mine), f(X, theirs))
        assert compiled.cache_info().compiles == 1


def test_fastnps_generators():
    rng, same = np.random.default_rng(5), numpy.random.default_rng(5)
    f = np.compile(lambda x: x + rng.normal(size=(3, 4)))
    for _ in range(3):
        numpy.testing.assert_array_equal(f(X), X + same.normal(size=(3, 4)))
    assert f.cache_info().compiles == 1


def test_sizes_vary():
    info = follow(lambda x: x + numpy.random.normal(size=x.shape) + numpy.median(x), [(numpy.ones(n),) for n in (3, 4, 5, 6, 7)])
    assert info.compiles == 2


def test_errors_are_raised_as_written_and_streams_put_back():
    def f(x):
        noise = numpy.random.normal(size=x.shape)
        return numpy.linalg.inv(x + 0 * noise)

    singular = numpy.ones((2, 2))
    follow(f, [(numpy.eye(2),), (singular,), (numpy.eye(2) * 2,)], uncompiled=1)
    follow(f, [(singular,), (numpy.eye(2),)], uncompiled=None)


def test_recordings_that_end_put_streams_back():
    def f(x):
        noise = RNG.normal(size=x.shape)
        return noise + numpy.lib.stride_tricks.as_strided(x)  # a view of its argument

    follow(f, [(X[:3, :3],), (X[:3, :3] + 1,)], uncompiled=1)  # the second call goes in parts


@pytest.mark.parametrize(
    "function", [lambda x: (RNG.shuffle(x), x)[1], lambda x: (random.shuffle([1, 2]), x)[1], lambda x: (x.partition(1, axis=0), x)[1]]
)
def test_what_changes_its_arguments_runs_as_written(function):
    is_recorded = "partition" in function.__code__.co_names and np.current_device() != "cpu"  # devices have it themselves
    follow(function, [(X,), (X,)], uncompiled=0 if is_recorded else 2)


def test_results_of_another_kind():
    def f(x):
        return numpy.unique(numpy.minimum(numpy.round(x[:, :1] * 3), 4) + 0j, axis=0).real + 1

    info = follow(f, [(X,), (X + 1,), (X,), (X + 1,)])
    assert info.compiles == 2


def test_explain_shows_calls():
    f = np.compile(lambda x: numpy.partition(x.ravel(), 1)[1] + numpy.random.rand())
    report = str(np.explain(f)(X))
    assert "numpy.partition" in report or np.current_device() != "cpu"  # devices have it themselves
    assert "numpy.random.RandomState.rand" in report


def test_fullgraph_takes_calls():
    f = np.compile(lambda x: numpy.partition(x.ravel(), 1)[1] * 2, fullgraph=True)
    assert f(X) == numpy.partition(X.ravel(), 1)[1] * 2


def test_functions_that_are_said_to_be_pure():
    calls = []

    @np.compiler.pure
    def scaled(x, by, *, names=("a",)):
        calls.append(type(x))
        return x * by, len(names), [x.sum()]

    def f(x):
        y, n, (total,) = scaled(x + 1, 2.0, names=("a", "b"))
        return y * n + total

    for backend in BACKENDS:
        compiled = np.compile(f, backend=backend, fullgraph=True)
        for i in range(3):
            assert_same(compiled(X + i), f(X + i))
            assert type(compiled(np.asarray(X + i))) is np.ndarray
        assert compiled.cache_info().compiles == 1
    assert set(calls) == {numpy.ndarray, np.ndarray}
    assert scaled(X, 1.0)[1] == 1
    assert f(X).shape == X.shape


def test_pure_functions_that_are_not():
    kept = []

    @np.compiler.pure
    def keeps(x):
        kept.append(x)
        return x.max()

    @np.compiler.pure
    def writes(x):
        x[0] = 0
        return x.max()

    f = np.compile(lambda x: keeps(x * 2) + x)
    for i in range(3):
        f(X + i)
    for i, x in enumerate(kept[-2:]):  # the first one may have been called twice
        numpy.testing.assert_array_equal(x, (X + i + 1) * 2)
    g = np.compile(lambda x: writes(x * 2) + x)
    numpy.testing.assert_array_equal(g(X), numpy.concatenate([numpy.zeros((1, 4)), X[1:]]).max() * 2 + X)
    assert g.cache_info().uncompiled == 1


DRAWN_SIZES = [
    lambda x: numpy.bincount(x.astype(int).ravel()) * 2,  # nothing to put back
    lambda x: numpy.random.normal(size=int(x.sum())) + 1,
    lambda x: RNG.normal(size=x.sum().astype(int)).sum() + x,
    lambda x: (x * 2, random.choice([1, 0.5, "a", "b", None, *"cdefghijklmnopqrstuvwxyz"])),
    lambda x: x + random.getrandbits(41),
]


@pytest.mark.parametrize("function", DRAWN_SIZES)
def test_results_of_ever_another_kind_run_as_written_in_the_end(function):
    follow(function, [(numpy.ones(2) * n,) for n in range(1, 41)], uncompiled=None)
