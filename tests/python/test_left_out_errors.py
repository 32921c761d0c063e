"""Floating-point errors of what compiled code does not compute at each call.

NumPy's of plain numbers, and, where errors are to be more than warnings, those of values that no result depends on.
"""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import LONG, SEED

import fastnp as np


def entered(n: Any, **state: str) -> Any:
    with n.errstate(**state):
        return numpy.float64(1) / 0


def tried() -> Any:
    try:
        return numpy.float64(1) / 0
    except FloatingPointError:
        return 7.0


# Of numbers alone, which are no more than constants of a recording.
PLAIN: dict[str, Callable[[Any], Any]] = {
    "function": lambda n: numpy.sqrt(-1.0),
    "scalars": lambda n: numpy.float64(1) / 0,
    "integers": lambda n: numpy.int8(127) // numpy.int8(0),
    "overflow": lambda n: numpy.float32(1e38) * numpy.float32(1e38),
    "wrapped": lambda n: numpy.int8(127) + numpy.int8(1),
    "array": lambda n: (numpy.ones(2) / 0)[0],
    "cast": lambda n: numpy.array([numpy.nan]).astype(int)[0],
    "two": lambda n: numpy.sqrt(-1.0) + numpy.float64(2) / 0,
    "imaginary": lambda n: n.linspace(0, 1j, 3, dtype=float)[1],
    "none": lambda n: numpy.sqrt(2.0),
    "caught": lambda n: tried(),
    "ignored": lambda n: entered(n, divide="ignore"),
    "warned": lambda n: entered(n, divide="warn"),
    "raised": lambda n: entered(n, divide="raise"),
    "other": lambda n: entered(n, over="raise"),
}
STATES: list[dict[str, str]] = [{}, {"all": "warn"}, {"all": "ignore"}, {"all": "raise"}, {"divide": "raise", "invalid": "call"}, {"invalid": "ignore"}]


def said(function: Callable[..., Any], arguments: tuple[Any, ...], state: dict[str, str]) -> Any:
    """What a call gives, raises, calls and warns of."""
    called: list[Any] = []
    with warnings.catch_warnings(record=True) as caught, numpy.errstate(**state, call=lambda kind, flag: called.append((kind, flag))):
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", np.RecompileWarning)
        before = numpy.geterr(), numpy.geterrcall()
        try:
            found = repr(numpy.asarray(function(*arguments)).astype("c16").round(9).tolist())
        except FloatingPointError as error:
            found = f"raised {error}"
        assert (numpy.geterr(), numpy.geterrcall()) == before
    return found, called, [(each.category, str(each.message), each.lineno) for each in caught]


@pytest.mark.parametrize("name", PLAIN)
def test_plain_numbers(name: str) -> None:
    """Each call tells of them, under the state that holds then."""
    rng = random.Random(f"{SEED} {name}")
    value = PLAIN[name]
    for _ in range(8 if LONG else 2):
        compiled = np.compile(lambda x: x + value(np), adaptive=False)
        states = rng.choices(STATES, k=6)
        for call, state in enumerate(states):
            want = said(lambda x: x + value(numpy), (numpy.arange(3.0),), state)
            got = said(compiled, (np.arange(3.0),), state)
            assert got == want, f"{name}, seed {SEED}, call {call} under {states[: call + 1]}: {got}, not {want}"


def test_calls_of_the_outside_have_their_state() -> None:
    """They tell of their errors themselves, as they do without a recording."""

    def outside(x: Any) -> Any:
        return eval("1 / x", {"x": numpy.asarray(x)})

    def function(x: Any) -> Any:
        return outside(x) + numpy.sqrt(-4.0)

    for state in STATES:
        compiled = np.compile(function, adaptive=False)
        for _ in range(3):
            assert said(compiled, (np.zeros(2),), state) == said(function, (np.zeros(2),), state), state


def test_from_disk(tmp_path: Any) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import warnings, numpy, fastnp as np\n"
        "warnings.simplefilter('always')\n"
        "@np.compile(adaptive=False)\n"
        "def f(x):\n"
        "    (x / (x - x))[0]\n"
        "    return x + numpy.sqrt(-1.0)\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    f(np.ones(3))\n"
        "print([str(each.message) for each in caught])\n"
        "try:\n"
        "    with numpy.errstate(divide='raise'):\n"
        "        f(np.ones(3))\n"
        "except FloatingPointError as error:\n"
        "    print(error)\n"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, str(program)], capture_output=True, text=True, check=True, env={**os.environ, "FASTNP_CACHE_DIR": str(tmp_path)}
        )
        told = ["divide by zero encountered in divide", "invalid value encountered in sqrt"]
        assert done.stdout == f"{told}\ndivide by zero encountered in divide\n", done


VALUES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "quotient": lambda n, x, y: x / y,
    "root": lambda n, x, y: n.sqrt(x),
    "logarithm": lambda n, x, y: n.log(x),
    "product": lambda n, x, y: x * y * 1e300,
    "difference": lambda n, x, y: x - y,
    "sum": lambda n, x, y: n.cumsum(x * 1e308),
    "rest": lambda n, x, y: x % y,
    "cast": lambda n, x, y: (x / 3).astype("f4"),
    "nothing": lambda n, x, y: n.maximum(x, y),
}
USES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "unused": lambda n, v, x: x + 1,
    "shape": lambda n, v, x: x * v.shape[0],
    "like": lambda n, v, x: n.ones_like(v),
    "element": lambda n, v, x: x + v[1],
    "part": lambda n, v, x: v[1:3] + 1,
    "nothing": lambda n, v, x: v[:0],
    "steps": lambda n, v, x: v[::2],
    "indices": lambda n, v, x: v[numpy.array([1, 2])],
    "taken": lambda n, v, x: n.take(v, [0, 1]),
    "false": lambda n, v, x: (v > 1) & False,
    "true": lambda n, v, x: (v > 1) | True,
    "not a number": lambda n, v, x: v + n.nan,
    "choice": lambda n, v, x: n.where(True, x, v),
    "sign": lambda n, v, x: n.signbit(abs(v)),
    "power": lambda n, v, x: v**0,
    "over": lambda n, v, x: stored(v),
    "some": lambda n, v, x: n.any(v > 0),
    "every": lambda n, v, x: n.all(v > 0),
    "best": lambda n, v, x: n.argmax(v),
    "all": lambda n, v, x: v,
    "further": lambda n, v, x: (v + 1)[2:],
    "reversed": lambda n, v, x: v[::-1].reshape(2, 2)[0],
}


def stored(v: Any) -> Any:
    v = v.copy()
    v[1:] = 3
    return v


STRICT: list[dict[str, str]] = [{"all": "raise"}, {"divide": "raise"}, {"invalid": "raise"}, {"all": "call"}, {"over": "raise", "invalid": "call"}]


@pytest.mark.parametrize("use", USES)
def test_unused(use: str) -> None:
    """Under a state that asks for more than warnings, each value has its errors, whatever becomes of it."""
    rng = random.Random(f"{SEED} {use}")
    rows = list(itertools.product(VALUES, STRICT, (False, True)))
    for value, state, strict_inside in rng.sample(rows, len(rows) if LONG else 24):

        def function(n: Any, x: Any, y: Any, value: str = value, inner: dict[str, str] = state if strict_inside else {}) -> Any:
            with n.errstate(**inner):
                return USES[use](n, VALUES[value](n, x, y), x)

        compiled = np.compile(lambda x, y, function=function: function(np, x, y), adaptive=False)
        outer = {} if strict_inside else state
        calls = [rng.choice([{}, outer, outer]) for _ in range(4)] if not strict_inside else [{}] * 3
        for call, now in enumerate(calls):
            x, y = (numpy.array(rng.choices([1.0, 2.5, 0.0, -1.0, numpy.inf, numpy.nan, 1e300], k=4)) for _ in range(2))
            want = said(lambda x, y, function=function: function(numpy, x, y), (x, y), now)
            got = said(compiled, (np.array(x), np.array(y)), now)
            note = f"{value}, {use}, seed {SEED}, call {call} of {calls}, {strict_inside}, {x}, {y}: {got}, not {want}"
            if now or strict_inside:
                assert got[:2] == want[:2], note
            assert got[0].startswith("raised") or got[0] == want[0], note
