"""``dynamic=``: the sizes that it names are those of the arguments it names, wherever these lie, and what is wrong with it is an error that says so."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np


def f(p, x, *more, scale=1.0, y=None):
    local = x + 1
    return local * scale


@pytest.mark.parametrize(
    ("dynamic", "error", "words"),
    [
        ("auto", TypeError, "'auto'"),
        (3, TypeError, "3"),
        ({"z": 0}, ValueError, "'z'.*'p', 'x', 'scale', 'y'"),
        ({"local": 0}, ValueError, "'local'"),
        ({"more": 0}, ValueError, "'more'"),
        ({1.5: 0}, TypeError, "1.5"),
        ({-1: 0}, IndexError, "-1"),
        ({"x": "n"}, TypeError, "'x'.*'n'"),
        ({"x": {0: 5}}, TypeError, "axis 0.*'x'.*5"),
        ({"x": {"a": "n"}}, TypeError, "'a'"),
        ({"x": [{0: "n"}]}, TypeError, "axis {0: 'n'} of argument 'x'"),
        ({"x": {2**70: "n"}}, OverflowError, f"axis {2**70} of argument 'x'"),
        ({"x": [-(2**70)]}, OverflowError, "argument 'x'"),
        ({("x", 0, 1): "n"}, TypeError, "argument, axis"),
        ({"x": {0: "n"}, 1: {0: "m"}}, ValueError, "axis 0 of argument 'x' twice, 'n' and 'm'"),
        ({("x", 0): "n", "x": {0: np.Dim("n", 1, 4)}}, ValueError, "axis 0 of argument 'x' twice"),
        ({"x": {0: np.Dim("n", 1, 4)}, "y": {0: np.Dim("n", 5, 9)}}, ValueError, "'n'.*5.*4"),
    ],
)
def test_mistakes_are_told_at_once(dynamic, error, words):
    with pytest.raises(error, match=words):
        np.compile(f, dynamic=dynamic)


def test_arguments_there_are_not():
    with pytest.raises(IndexError, match="argument 5 of .*takes 2"):
        np.compile(lambda x, y: x, dynamic={5: 0})
    with pytest.raises(ValueError, match="least size is above the greatest"):
        np.Dim("n", 10, 4)
    with pytest.raises(TypeError, match="text"):
        np.Dim(3)
    for wrong, error, words in [
        ({"low": 1.5}, TypeError, "least size of 'n' is an int, not 1.5"),
        ({"high": "9"}, TypeError, "greatest size of 'n' is an int"),
        ({"multiple_of": 2.0}, TypeError, "multiple_of of 'n'"),
        ({"low": True}, TypeError, "True"),
        ({"multiple_of": 0}, ValueError, "at least 1"),
        ({"high": 2**63}, OverflowError, "no size"),
        ({"low": -5, "high": -1}, ValueError, "has no size"),
        ({"low": 6, "high": 9, "multiple_of": 5}, ValueError, "has no size"),
    ]:
        with pytest.raises(error, match=words):
            np.Dim("n", **wrong)


def test_numbers_of_numpys_name_arguments_and_axes():
    g = np.compile(lambda x, y: x.sum() + y, dynamic={numpy.int64(0): numpy.int8(0), "y": {numpy.int32(-1): np.Dim("m", numpy.int64(1), numpy.int64(9))}})
    for n in (3, 5, 6):
        assert g(np.ones(n), np.ones(n)).shape == (n,)
    assert g.cache_info().compiles == 1


@pytest.mark.parametrize("breaks", [False, True])
@pytest.mark.parametrize(
    ("dynamic", "sizes", "error", "words"),
    [
        ({"x": 7}, (3, 3), ValueError, "axis 7 of argument 'x'.*dimension 1"),
        ({"x": {0: np.Dim("n", 10, 40)}}, (2, 2), ValueError, "axis 0 of argument 'x' has size 2.*'n'.*10 to 40"),
        ({"x": {-1: np.Dim("n", 4, multiple_of=4)}}, (6, 6), ValueError, "axis -1 of argument 'x' has size 6.*multiple of 4"),
        ({"x": {0: "n"}, "y": {0: "n"}}, (3, 4), ValueError, "named n differ.* 'x' has size 3, .* 'y' has size 4"),
        ({0: {0: "n"}, 1: {0: "n"}}, (3, 4), ValueError, "named n differ.* 'x' has size 3, .* 'y' has size 4"),
    ],
)
def test_calls_that_lack_them(dynamic, sizes, error, words, breaks):
    def g(x, y):
        if breaks:
            np.compiler.graph_break()
        return x.sum() + y.sum()

    compiled = np.compile(g, dynamic=dynamic)
    for _ in range(2):
        with pytest.raises(error, match=words):
            compiled(np.ones(sizes[0]), np.ones(sizes[1]))


def test_ranges_of_one_name_are_one():
    g = np.compile(lambda x, y: x.sum() + y.sum(), dynamic={"x": {0: np.Dim("n", 2, 100)}, "y": {0: "n"}})
    for n in (4, 7, 9):
        assert g(np.ones(n), np.ones(n)) == 2 * n
    assert g.cache_info().compiles == 1
    with pytest.raises(ValueError, match="size 1"):
        g(np.ones(1), np.ones(1))


def tree(rng: random.Random, depth: int = 0) -> Any:
    """An argument with arrays of fixed sizes in it, or none."""
    kind = rng.randrange(7 if depth < 2 else 4)
    if kind == 0:
        return numpy.ones(rng.randrange(1, 4))
    if kind == 1:
        return rng.choice([None, "text", 2, 1.5, True])
    if kind == 2:
        return numpy.float64(2.0)
    if kind == 3:
        return np.ones((2, rng.randrange(1, 4)))
    items = [tree(rng, depth + 1) for _ in range(rng.randrange(3))]
    return [list, tuple, lambda items: dict(zip("abc", items, strict=False))][kind - 4](items)


@pytest.mark.parametrize("round_", range(12))
def test_named_arguments_beside_trees(round_):
    """A named size is that argument's: one compilation serves all, and its guard is on the right array."""
    rng = random.Random(SEED + round_)
    count = rng.randrange(1, 4)
    others = [tree(rng) for _ in range(count)]
    place = rng.randrange(count + 1)

    source = f"lambda {', '.join('x' if i == place else f'o{i}' for i in range(count + 1))}: x * 2 + x.sum()"
    function = eval(source)
    key = rng.choice(["x", place, ("x", 0)])
    dim = np.Dim("n", 1, 100)
    g = np.compile(function, dynamic={key: dim if isinstance(key, tuple) else {rng.choice([0, -1]): dim}})
    for n in (4, 7, 9):
        given = [*others[:place], np.ones(n), *others[place:]]
        if rng.random() < 0.5:
            got = g(*given)
        else:
            got = g(*given[:place], **{"x" if i == place else f"o{i}": each for i, each in enumerate(given) if i >= place})
        numpy.testing.assert_array_equal(numpy.asarray(got), 2.0 + n * numpy.ones(n))
    assert g.cache_info().compiles == 1, f"FASTNP_TEST_SEED={SEED}: {source}, {key}, {others}"
    with pytest.raises(ValueError, match="'x' has size 101"):
        g(*others[:place], np.ones(101), *others[place:])


def test_extra_arguments_and_keywords():
    g = np.compile(lambda first, *rest, **named: first.sum() + rest[1].sum() + named["z"].sum(), dynamic={2: {0: "n"}, "z": {0: "m"}})
    for n in (3, 5, 6):
        assert g(np.ones(2), np.ones(3), np.ones(n), z=np.ones(n + 1)) == 2 + 2 * n + 1
    assert g.cache_info().compiles == 1


def test_all_arrays_of_a_tree_are_named():
    g = np.compile(lambda p: p["a"].sum() + p["b"].sum(), dynamic={"p": {0: "n"}})
    for n in (3, 5, 6):
        assert g({"a": np.ones(n), "b": np.ones(n)}) == 2 * n
    assert g.cache_info().compiles == 1
    with pytest.raises(ValueError, match="named n differ"):
        g({"a": np.ones(3), "b": np.ones(4)})
    g = np.compile(lambda p: p["a"].sum() + p["b"].sum(), dynamic={"p": 0})
    for n in (3, 5, 6):
        assert g({"a": np.ones(n), "b": np.ones(2 * n)}) == 3 * n
    assert g.cache_info().compiles == 1
