"""Integers at the ends of what fits, in every argument that takes one: a result or an error, and NumPy's where both have one; never a crash, a hang or the
whole memory. Done in a process of its own, which may fall."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import IS_NUMPY_2_5

import fastnp as np

NUMBERS = [2**31 - 1, 2**31, -(2**31), 2**61, 2**62 - 1, 2**62, -(2**62), 2**62 + 1, 2**63 - 1, -(2**63), 2**63, 2**64, 2**100, -(2**100)]

Form = Callable[[Any, Any, int], Any]
OF_AXES: dict[str, list[str]] = {
    "{}(x, axis=n)": """sum prod mean std var max min argmax argmin any all cumsum cumprod sort argsort flip diff median squeeze expand_dims count_nonzero
        gradient trapezoid average nansum nanmean cumulative_sum fft.fft fft.rfft linalg.norm ptp unwrap""".split(),
    "{}(x, axis=(0, n))": "sum prod mean std var max min any all flip squeeze expand_dims linalg.norm".split(),
    "{}([x, x], axis=n)": ["concatenate", "stack"],
    "{}(x, 1, axis=n)": ["roll", "repeat", "append", "take", "partition", "array_split"],
    "{}(x, n)": """roll delete partition argpartition tril triu rollaxis fft.fftshift round trace diagonal diag take left_shift add equal less maximum
        logical_and power remainder floor_divide ldexp searchsorted heaviside percentile tensordot""".split(),
    "{}(x, n, 0)": ["moveaxis", "swapaxes", "take", "insert", "clip", "tensordot", "where"],
    "{}(x, 0, n)": ["moveaxis", "swapaxes", "rollaxis", "insert", "clip", "diagonal", "trace"],
    "{}(x.astype('i4'), n)": ["add", "multiply", "maximum", "full_like", "remainder", "bitwise_and", "round", "isin", "floor_divide", "greater"],
    "{}(n)": ["zeros", "ones", "empty", "arange", "eye", "identity", "tri", "hanning", "fft.fftfreq", "asarray", "array"],
    "{}((n, 0))": ["zeros", "ones", "empty"],
    "{}((n, n))": ["zeros", "ones", "empty"],
    "{}(x, (n, n))": ["tile", "broadcast_to", "reshape", "roll", "transpose", "pad"],
    "{}(x, n=n)": ["fft.fft", "fft.irfft"],
    "{}(x, s=(n, 2))": ["fft.fftn", "fft.irfft2"],
    "{}(0, n, -1)": ["arange"],
    "{}(3, k=n)": ["eye", "tri"],
    "{}(0, 1, n)": ["linspace"],
    "{}(x, ndmin=n)": ["array"],
}
OTHERS = """
x[n]; x[0, n]; x[n:]; x[:n]; x[::n]; x[-n:n:n]; x[n::-n]; x[[n]]; x.reshape(n); x.reshape(n, 2); x.reshape((n, -1)); x.item(n); x.take(n); x.sum(n)
x.swapaxes(n, 0); x.diagonal(n); x.transpose(n, 0); x.squeeze(n); x.cumsum(n); x.argsort(n); x.__setitem__(n, 1); x.__setitem__(slice(n, None), 1)
x.__setitem__(slice(None, None, n), 1); m.add.at(x, n, 1); m.add.at(x, [n], 1); m.negative.at(x, slice(n, None)); m.add.reduce(x, axis=n)
m.add.accumulate(x, axis=n); m.sum(x.astype('i4'), initial=n); m.take_along_axis(x, m.asarray([[0]]), axis=n); m.einsum(x, [0, n], [0])
m.linalg.matrix_power(m.eye(2), n % 2**30); m.pad(x, ((0, n), (n, 0))); m.repeat(x, [n, n], axis=0); x.astype('u1') < n; n - x.astype('i8')
x.astype('i8') // n; x.astype('i8') ** n; m.full(2, n, dtype='i1')
"""


def programs() -> list[str]:
    made = [form.format("m." + name) for form, names in OF_AXES.items() for name in names]
    return made + [program.strip() for line in OTHERS.strip().splitlines() for program in line.split(";")]


# What takes an amount of memory that systems may well have, in a number's way.
def is_large(n: int) -> bool:
    return 2**20 < abs(n) < 2**40


def asks_for_memory(program: str) -> bool:
    return any(
        word in program
        for word in ("zeros", "ones", "empty", "tile", "repeat", "arange", "eye", "identity", "tri(", "hanning", "fft", "pad", "linspace", "diag", "split")
    )


def outcome(function: Callable[[], Any]) -> Any:
    try:
        made = function()
    except Exception:  # NumPy and fastnp are compared in what they raise
        return "error"
    array = numpy.asarray(made)
    return (str(array.dtype), array.shape, array.tobytes() if array.size < 1000 else None)


WORKER = """
import resource, sys, warnings
import numpy, fastnp as np
resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
from test_extremes import run
for line in sys.stdin:
    print(repr(run(*eval(line))), flush=True)
"""


def run(program: str, n: int, way: str) -> Any:
    def done(m: Any, x: Any) -> Any:
        return eval(program, {"m": m, "x": x, "n": n})

    x = numpy.arange(6.0).reshape(2, 3)
    if way == "eager":
        return outcome(lambda: done(np, np.array(x)))
    if way == "compiled":
        return outcome(lambda: np.compile(lambda x: done(np, x))(np.array(x)))
    if way == "mapped":
        return outcome(lambda: np.vmap(lambda x: done(np, x))(np.array([x, x]))) and "done"
    return outcome(lambda: np.grad(lambda x: np.sum(done(np, x)))(np.array(x))) and "done"


@pytest.mark.parametrize("way", ["eager", "compiled", "mapped", "differentiated"])
def test_extreme_integers(way):
    seed = random.randrange(10**9)
    draw = random.Random(seed)
    chosen = [(draw.choice(programs()), draw.choice(NUMBERS)) for _ in range(250)]
    chosen = [(program, n) for program, n in chosen if not (is_large(n) and asks_for_memory(program))]
    given = "".join(repr((*each, way)) + "\n" for each in chosen)
    worker = subprocess.run(
        [sys.executable, "-c", WORKER, __file__.rpartition("/")[0]], input=given, text=True, capture_output=True, timeout=120, check=False
    )
    results = worker.stdout.splitlines()
    at = chosen[min(len(results), len(chosen) - 1)]
    assert len(results) == len(chosen), f"seed {seed}: {at}, {way}, ended the process ({worker.returncode}): {worker.stderr[-500:]}"


# NumPy crashes, multiplies for long, or takes the lower half of the number.
OTHERWISE = ("trace", "tensordot", "einsum", "x.transpose(")


@pytest.mark.parametrize("way", ["eager", "compiled"])
def test_results_with_extreme_integers(way):
    """Where no memory is asked for, and NumPy does not fall itself: its results and its errors."""
    seed = random.randrange(10**9)
    draw = random.Random(seed)
    known = [program for program in programs() if not asks_for_memory(program) and not any(word in program for word in OTHERWISE)]
    for _ in range(80):
        program, n = draw.choice(known), draw.choice(NUMBERS)
        x = numpy.arange(6.0).reshape(2, 3)
        with numpy.errstate(all="ignore"):
            want = outcome(lambda program=program, n=n, x=x: eval(program, {"m": numpy, "x": x.copy(), "n": n}))
            got = run(program, n, way)
        if IS_NUMPY_2_5 and "where(" in program and want == "error":  # an int that does not fit, which wraps here
            continue
        assert got == want, f"seed {seed}: {program} with n = {n}, {way}: {got} where NumPy has {want}"
