"""Functions made of others, as expressions over `N` (NumPy or fastnp) and arrays: eager and compiled against NumPy, derivatives against differences."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy

import fastnp as np

FLOATS = ("float16", "float32", "float64")
WHOLE = ("int8", "uint8", "int32", "int64", "uint64")
COMPLEX = ("complex64", "complex128")
ALL = ("bool", *WHOLE, *FLOATS, *COMPLEX)
LAYOUTS: dict[str, Callable[[numpy.ndarray], numpy.ndarray]] = {
    "C": lambda x: numpy.ascontiguousarray(x),
    "F": lambda x: numpy.asfortranarray(x),
    "spaced": lambda x: numpy.repeat(x, 2, axis=-1)[..., ::2],
    "reversed": lambda x: numpy.ascontiguousarray(x[::-1])[::-1],
    "turned": lambda x: numpy.ascontiguousarray(x.swapaxes(0, -1)).swapaxes(0, -1),
}


@contextmanager
def no_fallbacks() -> Iterator[None]:
    """What would be left to NumPy is an error."""
    before = os.environ.get("FASTNP_FALLBACK")
    os.environ["FASTNP_FALLBACK"] = "error"
    try:
        yield
    finally:
        if before is None:
            del os.environ["FASTNP_FALLBACK"]
        else:
            os.environ["FASTNP_FALLBACK"] = before


def some(rng: random.Random, dtype: str, shape: tuple[int, ...], specials: bool = False) -> numpy.ndarray:
    """Small numbers of a dtype, with equal ones among them; with `specials` NaN, infinities and zeros of both signs."""
    kind = numpy.dtype(dtype).kind
    count = int(numpy.prod(shape))
    if kind == "b":
        return numpy.array([rng.random() < 0.5 for _ in range(count)], dtype).reshape(shape)
    if kind in "iu":
        return numpy.array([rng.randint(0 if kind == "u" else -9, 9) for _ in range(count)], dtype).reshape(shape)
    special = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0]

    def number() -> float:
        return rng.choice(special) if specials and rng.random() < 0.3 else rng.randint(-16, 16) / 4

    if kind == "c":
        return numpy.array([complex(number(), number()) for _ in range(count)], dtype).reshape(shape)
    return numpy.array([number() for _ in range(count)], dtype).reshape(shape)


def laid_out(rng: random.Random, x: numpy.ndarray) -> numpy.ndarray:
    return LAYOUTS[rng.choice(list(LAYOUTS))](x) if x.ndim else x


def outcome(function: Callable[[], Any]) -> Any:
    """What a call gives, or its error; and its warnings."""
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        try:
            found: Any = function()
        except Exception as error:
            found = (type(error).__name__, str(error))
    return found, sorted({str(each.message) for each in met if issubclass(each.category, (RuntimeWarning, DeprecationWarning))})


def _same(got: Any, want: Any, tolerance: float, where: str) -> None:
    if isinstance(want, (tuple, list)):
        assert isinstance(got, type(want)) or hasattr(want, "_fields"), (where, type(got), type(want))
        assert len(got) == len(want), (where, got, want)
        for a, b in zip(got, want, strict=True):
            _same(a, b, tolerance, where)
        return
    if not isinstance(want, (numpy.ndarray, numpy.generic)):
        assert type(got) is type(want) and got == want, (where, got, want)
        return
    assert isinstance(got, numpy.generic) == isinstance(want, numpy.generic), (where, type(got), type(want))
    assert got.dtype == want.dtype and got.shape == want.shape, (where, got, want)
    mine, theirs = numpy.asarray(got), numpy.asarray(want)
    if mine.size:
        steps, wanted = ([step for step, size in zip(x.strides, x.shape, strict=True) if size != 1] for x in (mine, theirs))
        assert steps == wanted, (where, "strides", mine.strides, theirs.strides)
    if want.dtype.kind in "biu" or tolerance == 0:
        numpy.testing.assert_array_equal(mine, theirs, err_msg=where)
    else:
        eps = float(numpy.finfo(want.dtype).eps) * tolerance
        numpy.testing.assert_allclose(mine, theirs, rtol=eps, atol=eps * 16, err_msg=where)


def agree(expression: str, tolerance: float = 8, native: bool = True, compiled: bool = True, told: bool = True, **arrays: Any) -> None:
    """The expression over `N` and the arrays: values, dtypes, shapes, strides, errors and warnings are NumPy's, eagerly and compiled (three calls).

    `tolerance`: in units of the last place; 0 for equal elements. `native`: nothing is left to NumPy. `told`: warnings are compared.
    """
    names = ", ".join(arrays)
    code = f"lambda N, {names}: {expression}" if names else f"lambda N: {expression}"
    function = eval(code, {"numpy": numpy})  # an expression of the tests' own
    want, said = outcome(lambda: function(numpy, *[each.copy("K") if isinstance(each, numpy.ndarray) else each for each in arrays.values()]))
    failed = isinstance(want, tuple) and len(want) == 2 and isinstance(want[0], str)

    def check(run: Callable[..., Any], how: str) -> None:
        mine = [np.asarray(each.copy("K")) if isinstance(each, numpy.ndarray) else each for each in arrays.values()]
        where = f"{how}: {expression} of " + ", ".join(f"{name}={each!r}" for name, each in arrays.items())
        got, ours = outcome(lambda: run(*mine))
        if failed:
            assert got == want, (where, got, want)
        else:
            assert not (isinstance(got, tuple) and len(got) == 2 and isinstance(got[0], str)), (where, got)
            _same(got, want, tolerance, where)
            if told:
                assert ours == said, (where, ours, said)

    if native and not failed:
        with no_fallbacks():
            check(lambda *given: function(np, *given), "eager")
    else:
        check(lambda *given: function(np, *given), "eager")
    if compiled:
        made = np.compile(lambda *given: function(np, *given), fullgraph=native and not failed)
        for number in range(3):
            check(made, f"compiled, call {number}")
