"""Every way to write into an array (spellings.py), on arrays from everywhere, as written, compiled, differentiated and mapped: what NumPy does.

What a program gives, and what it leaves in its arguments and in captured arrays, is NumPy's. In transforms an error is right, too: a wrong number is not.
A random selection, with a seed that is printed; all of it with FASTNP_LONG_TESTS=1.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest
import spellings
from support import LONG, SEED

import fastnp as np

SIZES = [(3, 4), (5, 4), (4, 6), (3, 4)]

Trial = tuple[str, str, str]  # the dtype, the place, the statement


def selection(count: int, dtypes: tuple[str, ...] = ("f8", "c16", "i8"), places: tuple[str, ...] = tuple(spellings.PLACES)) -> list[Trial]:
    every = [(dtype, place, text) for dtype, text in spellings.STATEMENTS if dtype in dtypes for place in places]
    return every if LONG else random.Random(SEED).sample(every, count)


def plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(plain(item) for item in value)
    return numpy.array(value, copy=True)


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """What a call gives, copied, or its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(function(*args))
        except Exception as error:  # noqa: BLE001  # whatever it is, it is compared
            return error


def kind(error: Exception) -> str:
    return type(error).__name__.lstrip("_").replace("UFuncTypeError", "TypeError").replace("UFuncOutputCastingError", "TypeError")


def equal(want: Any, got: Any, tolerance: float = 1e-12) -> bool:
    if isinstance(want, Exception) or isinstance(got, Exception):
        return isinstance(want, Exception) and isinstance(got, Exception) and (issubclass(type(want), type(got)) or kind(want) == kind(got))
    if isinstance(want, tuple):
        return isinstance(got, tuple) and len(want) == len(got) and all(equal(w, g, tolerance) for w, g in zip(want, got, strict=True))
    if want.shape != got.shape or want.dtype != got.dtype:
        return False
    return numpy.allclose(want, got, rtol=tolerance, atol=tolerance, equal_nan=True)


def shown(value: Any) -> str:
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {value}"[:300]
    if isinstance(value, tuple):
        return "\n        ".join(shown(item) for item in value)
    return f"{value.dtype}{value.shape} {value.tolist()}"


class Pair:
    """A program over NumPy, and the same one for fastnp."""

    def __init__(self, place: str, statement: str, own: bool = False) -> None:
        self.want = spellings.program(place, statement)
        self.got = spellings.program(place, statement, np if own else numpy, np.compile(lambda b: b * 2))

    def place(self, x: numpy.ndarray, convert: Callable[[Any], Any] = lambda x: x) -> list[Any]:
        """Puts arrays where the programs find them; gives these."""
        placed = []
        for function, made in ((self.want, x.copy()), (self.got, convert(x.copy()))):
            function.__globals__["held"].x = function.__globals__["X"] = made
            placed.append(made)
        return placed


def check_calls(trial: Trial, wrap: Callable[[Any], Any], convert: Callable[[Any], Any], sizes: list[tuple[int, int]], own: bool = False) -> str:
    """Where a program and NumPy differ, as text."""
    dtype, place, statement = trial
    pair = Pair(place, statement, own)
    run = wrap(pair.got)
    for number, (rows, columns) in enumerate(sizes):
        b, a, x = spellings.operands(dtype, rows, columns, number)
        placed = pair.place(x, convert)
        mine, theirs = (b.copy(), a.copy()), (convert(b.copy()), convert(a.copy()))
        want, got = outcome(pair.want, *mine), outcome(run, *theirs)
        if not equal(want, got):
            return f"{trial}: call {number}\n  NumPy {shown(want)}\n  fastnp {shown(got)}"
        left, found = plain((*mine, placed[0])), plain((*theirs, placed[1]))
        if not equal(left, found):
            return f"{trial}: call {number} leaves\n  NumPy {shown(left)}\n  fastnp {shown(found)}"
    return ""


# What fastnp's arrays can't be where the function is NumPy's own: each of these is an error.
# (A complex Python number in a real array, and an address of memory that is no line, are errors of ours.)
OF_NUMPY_ALONE = (
    'N.copyto(x, 1j, casting="unsafe")',
    "N.frombuffer",
    "random.default_rng(0).random(out",
    "standard_normal(out",
    "permuted(",
    "N.ndarray.",
    'x.dtype = "i8"',
)
# NumPy takes other arrays for sequences, and warns that it may repeat elements.
SHUFFLES = ("shuffle(x",)


def without(trials: list[Trial], *known: tuple[str, ...]) -> list[Trial]:
    return [trial for trial in trials if not any(text in trial[2] for texts in known for text in texts)]


def test_derivatives_of_numbers_that_numpy_asks_for() -> None:
    report(check_derivative((dtype, "captured", "x[1, 2] = a[0, 0]"), by_grad) for dtype in ("f8", "c16"))


def report(found: Iterator[str]) -> None:
    wrong = [text for text in found if text]
    assert not wrong, f"FASTNP_TEST_SEED={SEED}\n" + "\n".join(wrong[:5])


def test_compiled() -> None:
    report(check_calls(trial, np.compile, lambda x: x, SIZES) for trial in selection(60))


def test_compiled_with_own_arrays() -> None:
    chosen = without(selection(25), OF_NUMPY_ALONE, SHUFFLES)
    report(check_calls(trial, np.compile, np.asarray, SIZES[:3]) for trial in chosen)


def test_as_written() -> None:
    chosen = without(selection(200), OF_NUMPY_ALONE, SHUFFLES)
    report(check_calls(trial, lambda f: f, np.array, SIZES[:1]) for trial in chosen)


def test_as_written_over_own_functions() -> None:
    chosen = without(selection(200), OF_NUMPY_ALONE)
    report(check_calls(trial, lambda f: f, np.array, SIZES[:1], own=True) for trial in chosen)


# --- transforms ----------------------------------------------------------------------------------------------------------------------


def weighted(results: Any, module: Any) -> Any:
    """One number of all results."""
    total = 0.0
    for number, each in enumerate(results):
        if each.dtype.kind not in "fc":
            continue
        weights = numpy.cos(numpy.arange(each.size) + number).reshape(each.shape)
        parts = [each] if each.dtype.kind == "f" else [module.real(each), module.imag(each)]
        for part in parts:
            total = total + (part * weights).sum()
    return total


def loss_of(program: Callable[..., Any], module: Any) -> Callable[..., Any]:
    return lambda b, a: weighted(program(b, a), module)


def differences(pair: Pair, b: numpy.ndarray, a: numpy.ndarray, x: numpy.ndarray, step: float) -> tuple[numpy.ndarray, numpy.ndarray] | None:
    """The loss's derivative with respect to the elements of b and a, by differences; None where the program raises."""
    made = []
    for number in (0, 1):
        whole = numpy.empty(b.shape)
        for at in numpy.ndindex(b.shape):
            ends = []
            for change in (step, -step):
                given = [b.copy(), a.copy()]
                given[number][at] += change
                pair.place(x)
                try:
                    ends.append(float(weighted(pair.want(*given), numpy)))
                except Exception:  # noqa: BLE001  # an error for NumPy is one for the derivative
                    return None
            whole[at] = (ends[0] - ends[1]) / (2 * step)
        made.append(whole)
    return made[0], made[1]


def gradients(pair: Pair, b: numpy.ndarray, a: numpy.ndarray, x: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray] | None:
    """The same, where the derivative exists: two steps agree."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        first, second = differences(pair, b, a, x, 1e-6), differences(pair, b, a, x, 3e-7)
    if first is None or second is None or not all(numpy.allclose(p, q, rtol=1e-4, atol=1e-4) for p, q in zip(first, second, strict=True)):
        return None
    return first


def by_grad(function: Callable[..., Any], b: Any, a: Any) -> Any:
    return np.grad(loss_of(function, np), argnums=(0, 1))(b, a)


def by_compiled_grad(function: Callable[..., Any], b: Any, a: Any) -> Any:
    run = np.compile(np.grad(loss_of(function, np), argnums=(0, 1)))
    outside = function.__globals__["X"]
    before = outside.copy()
    run(b.copy(), a.copy())
    outside[...] = before
    return run(b, a)


def by_grad_of_compiled(function: Callable[..., Any], b: Any, a: Any) -> Any:
    return np.grad(loss_of(np.compile(function), np), argnums=(0, 1))(b, a)


def by_jvp(function: Callable[..., Any], b: Any, a: Any) -> Any:
    made = []
    for number in (0, 1):
        whole = numpy.full(b.shape, numpy.nan)
        for at in list(numpy.ndindex(b.shape))[:: max(b.size // 5, 1)]:
            tangents = [numpy.zeros_like(b), numpy.zeros_like(a)]
            tangents[number][at] = 1
            whole[at] = np.jvp(loss_of(function, np), (b, a), tuple(tangents))[1]
        made.append(whole)
    return tuple(made)


def by_tape(function: Callable[..., Any], b: Any, a: Any) -> Any:
    leaves = np.array(b), np.array(a)
    for leaf in leaves:
        leaf.requires_grad = True
    weighted(function(*leaves), np).backward()
    return tuple(numpy.zeros(leaf.shape) if leaf.grad is None else numpy.asarray(leaf.grad) for leaf in leaves)


def by_tape_of_compiled(function: Callable[..., Any], b: Any, a: Any) -> Any:
    return by_tape(np.compile(function), b, a)


WAYS = [by_grad, by_compiled_grad, by_grad_of_compiled, by_jvp, by_tape, by_tape_of_compiled]


def check_derivative(trial: Trial, way: Callable[..., Any]) -> str:
    dtype, place, statement = trial
    pair = Pair(place, statement)
    b, a, x = spellings.operands(dtype, 3, 4, 0)
    want = gradients(pair, b, a, x)
    if want is None:
        return ""
    pair.place(x)
    got = outcome(lambda b, a: way(pair.got, b, a), b.copy(), a.copy())
    if isinstance(got, Exception):
        return "" if str(got) and not isinstance(got, AssertionError) else f"{trial}: {way.__name__} {shown(got)}"
    for mine, theirs in zip(want, got, strict=True):
        known = ~numpy.isnan(theirs) if way is by_jvp else numpy.ones(mine.shape, bool)
        if mine.shape != theirs.shape or not numpy.allclose(mine[known], theirs[known].real, rtol=2e-4, atol=2e-4):
            return f"{trial}: {way.__name__}\n  differences {shown(want)}\n  fastnp {shown(got)}"
    return ""


@pytest.mark.parametrize("way", WAYS)
def test_derivatives(way: Callable[..., Any]) -> None:
    report(check_derivative(trial, way) for trial in selection(12, ("f8", "c16")))


def by_parts(function: Callable[..., Any], pair: Pair, b: numpy.ndarray, a: numpy.ndarray, x: numpy.ndarray, afresh: bool) -> Any:
    made = []
    pair.place(x)
    for k in range(len(a)):
        if afresh:
            pair.place(x)
        made.append(outcome(function, b.copy() if b.ndim == 2 else b[k].copy(), a[k].copy()))
        if isinstance(made[-1], Exception):
            return made[-1]
    return tuple(numpy.stack(parts) for parts in zip(*made, strict=True))


def check_mapped(trial: Trial, wrap: Callable[[Any], Any], shares: bool) -> str:
    """Of three parts; `shares`: b is the same for all."""
    dtype, place, statement = trial
    pair = Pair(place, statement)
    b, a, x = spellings.operands(dtype, 3, 4, 0)
    more = [spellings.operands(dtype, 3, 4, k) for k in (1, 2)]
    all_b = b if shares else numpy.stack([b, *(each[0] for each in more)])
    all_a = numpy.stack([a, *(each[1] for each in more)])
    try:
        wants = [by_parts(pair.want, pair, all_b, all_a, x, afresh) for afresh in (True, False)]
    except ValueError:  # parts of different shapes
        return ""
    run = wrap(np.vmap(pair.got, in_axes=(None, 0) if shares else 0))
    pair.place(x)
    for _ in range(2):
        pair.place(x)
        got = outcome(run, all_b.copy(), all_a.copy())
        if isinstance(got, Exception):
            return "" if str(got) else f"{trial}: {shown(got)}"
        if not any(equal(want, got) for want in wants):
            return f"{trial}: vmap, b is {'shared' if shares else 'mapped'}\n  NumPy {shown(wants[0])}\n  fastnp {shown(got)}"
    return ""


@pytest.mark.parametrize("shares", [False, True])
@pytest.mark.parametrize("wrap", [lambda f: f, np.compile], ids=["vmap", "compiled"])
def test_mapped(wrap: Callable[[Any], Any], shares: bool) -> None:
    report(check_mapped(trial, wrap, shares) for trial in selection(25))


# --- from disk -----------------------------------------------------------------------------------------------------------------------


def test_from_disk(tmp_path: Any) -> None:
    """Two processes that share what is on disk; each checks itself."""
    chosen = random.Random(SEED).sample(selection(40), 40)
    script = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import fastnp as np
        import test_write_matrix as matrix
        matrix.report(matrix.check_calls(trial, np.compile, lambda x: x, matrix.SIZES[:2]) for trial in {chosen!r})
    """)
    environment = {**os.environ, "FASTNP_CACHE_DIR": str(tmp_path), "FASTNP_TEST_SEED": str(SEED)}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
