"""A compiled function gives, on every call, what the function as written gives: results, aliasing, changed arguments and surroundings, output, exceptions.

Each program runs as it is and compiled on equal arguments, again and again in a random order of argument kinds, while what it reads changes.
"""

from __future__ import annotations

import ast
import copy
import functools
import random
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import programs
import pytest

import fastnp as np
from fastnp import _parts
from fastnp._unfold import place_of

pytestmark = pytest.mark.part(5)

KINDS: list[Callable[[], tuple[numpy.ndarray, numpy.ndarray]]] = [
    lambda: (numpy.array([1.0, -2.0, 3.0]), numpy.array([0.5, 1.5, -2.5])),
    lambda: (numpy.array([-1.0, -2.0, 0.25]), numpy.array([4.0, 1.0, 1.0])),
    lambda: (numpy.arange(12.0).reshape(4, 3) / 4, -numpy.arange(12.0).reshape(4, 3)),
    lambda: (numpy.arange(5.0) - 3, numpy.ones(5)),
    lambda: (numpy.arange(12.0).reshape(3, 4).T, numpy.ones((4, 3))[::-1]),
    lambda: (numpy.arange(3, dtype="f4"), numpy.arange(3, dtype="f4") * 2),
    lambda: (numpy.array([2, -3, 4]), numpy.array([1, 1, 1])),
    lambda: (numpy.ones((2, 2)), numpy.full((2, 2), -1.0)),
]


def overlapping() -> tuple[numpy.ndarray, numpy.ndarray]:
    whole = numpy.arange(6.0)
    return whole[:4], whole[2:]


# What changes between calls: a way there, on the module's own objects, so that what stays the same stays the same object.
def put(name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(programs, name, value)


CHANGES: list[Callable[[], None]] = [
    put("SCALE", 2.0),
    put("SCALE", -1.5),
    put("FLAG", False),
    put("FLAG", True),
    put("NAME", "max"),
    put("NAME", "sum"),
    lambda: programs.WEIGHTS.__setitem__(0, 4.0),
    lambda: programs.TABLE.__setitem__("scale", 5.0),
    lambda: programs.TABLE["bias"].__setitem__(0, -1.0),
    lambda: programs.ITEMS.__setitem__(0, 7.0),
    lambda: programs.ITEMS.append(1.0),
    lambda: setattr(programs.MODEL, "bias", 2.0),
    lambda: programs.MODEL.weight.__setitem__(1, -3.0),
    lambda: setattr(programs.MODEL, "weight", numpy.array([5.0, 6.0, 7.0])),
]
NAMES = ["SCALE", "COUNT", "NAME", "FLAG", "WEIGHTS", "TABLE", "ITEMS", "LOG", "MODEL"]


def state() -> dict[str, Any]:
    return {name: copy.deepcopy(getattr(programs, name)) for name in NAMES}


def restore(saved: dict[str, Any]) -> None:
    """Puts values back into the objects that are there."""
    for name, value in saved.items():
        now = getattr(programs, name)
        if isinstance(value, numpy.ndarray):
            now[...] = value
        elif isinstance(value, list):
            now[:] = value
        elif isinstance(value, dict):
            for key in now.keys() - value.keys():
                del now[key]
            for key, item in value.items():
                if isinstance(item, numpy.ndarray) and isinstance(now.get(key), numpy.ndarray) and now[key].shape == item.shape:
                    now[key][...] = item
                else:
                    now[key] = item
        elif isinstance(value, programs.Model):
            for key in vars(now).keys() - vars(value).keys():
                delattr(now, key)
            for key, item in vars(value).items():
                held = getattr(now, key, None)
                if isinstance(item, numpy.ndarray) and isinstance(held, numpy.ndarray) and held.shape == item.shape:
                    held[...] = item
                else:
                    setattr(now, key, item)
        else:
            setattr(programs, name, value)


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from leaves(item)
    elif isinstance(value, programs.Model):
        yield from leaves(vars(value))
    else:
        yield value


def assert_same(got: Any, want: Any, tolerance: float) -> None:
    found, wanted = list(leaves(got)), list(leaves(want))
    assert len(found) == len(wanted)
    assert type(got) is type(want) or isinstance(want, programs.Model)
    for g, w in zip(found, wanted, strict=True):
        assert type(g) is type(w), (g, w)
        if isinstance(w, (numpy.ndarray, numpy.generic)):
            assert (g.dtype, g.shape) == (w.dtype, w.shape)
            numpy.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)
        elif isinstance(w, float):
            assert g == pytest.approx(w, rel=tolerance, abs=tolerance, nan_ok=True)
        else:
            assert g == w


def sharing(result: Any, arguments: tuple[numpy.ndarray, ...]) -> list[bool]:
    arrays = [leaf for leaf in leaves(result) if isinstance(leaf, numpy.ndarray)] + list(arguments)
    return [numpy.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i]]


def outcome(function: Callable[..., Any], arguments: tuple[numpy.ndarray, ...], capsys: Any) -> tuple[Any, str]:
    capsys.readouterr()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(*arguments)
    except Exception as error:  # compared with the other's
        result = error
    return result, capsys.readouterr().out


@pytest.fixture(autouse=True)
def surroundings() -> Iterator[None]:
    saved = state()
    yield
    restore(saved)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


def in_parts(compiled: Any, seed: int) -> Any:
    """The compiled function as if it had broken in a few places."""
    rng = random.Random(seed)
    parts = _parts.Parts(compiled.__wrapped__, vars(compiled)["_options"], "f")
    assert parts.tree is not None
    expressions = [node for node in ast.walk(parts.tree) if isinstance(node, ast.expr)]
    parts.places = {place_of(node) for node in rng.sample(expressions, min(len(expressions), rng.randrange(1, 4)))}
    parts.loops = {place_of(node) for node in ast.walk(parts.tree) if isinstance(node, (ast.For, ast.While)) and rng.random() < 0.5}
    parts.make()
    return parts.frame or compiled


@pytest.mark.parametrize("backend", ["llvm", "eager", "kept", "parts"])
@pytest.mark.parametrize("name", sorted(programs.PROGRAMS))
def test_compiled_as_written(name, backend, capsys, folder, monkeypatch):
    """Kept: by ever new compiled functions, which take the recordings that those before them left on disk, as other processes would.

    Parts: cut at random places.
    """
    if backend == "kept":
        monkeypatch.setenv("FASTNP_CACHE_DIR", folder)
    written = programs.PROGRAMS[name]
    compile_ = functools.partial(np.compile, written, backend="llvm" if backend == "llvm" else "eager", cache_size_limit=256)
    compiled = compile_()
    rng = numpy.random.default_rng(zlib.crc32(f"{name} {backend}".encode()))
    for turn in range(48 if backend in ("kept", "parts") else 24):
        if backend in ("kept", "parts") and turn % 6 == 0:
            compiled = in_parts(compile_(), turn) if backend == "parts" else compile_()
        if rng.integers(3) == 0:
            CHANGES[rng.integers(len(CHANGES))]()
        kind = overlapping if rng.integers(8) == 0 else KINDS[rng.integers(len(KINDS))]
        mine, theirs = kind(), kind()
        before = state()
        want, said = outcome(written, mine, capsys)
        shared = sharing(want, mine)
        want, mine = copy.deepcopy((want, mine))  # restoring the state may write into them
        after = state()
        restore(before)
        got, says = outcome(compiled, theirs, capsys)
        tolerance = 1e-5 if mine[0].dtype == "f4" else 1e-12
        assert says == said
        if isinstance(want, Exception):
            assert type(got) is type(want), (got, want)
            assert str(got) == str(want)
        else:
            assert not isinstance(got, Exception), got
            assert_same(got, want, tolerance)
            assert sharing(got, theirs) == shared
        for x, y in zip(theirs, mine, strict=True):
            numpy.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)
        for key, value in after.items():
            assert_same(getattr(programs, key), value, tolerance)
        restore(after)


def test_there_are_enough_programs():
    assert len(programs.PROGRAMS) >= 150
