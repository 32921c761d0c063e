"""Calls of the outside in compiled functions: operands lie there as in the program, and results as they come, at each call, whatever else memory holds."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import quietly
from test_layouts import told

import fastnp as np

OPERANDS: dict[str, Callable[[Any, Any], Any]] = {
    "computed": lambda m, x: x * 2,
    "turned": lambda m, x: (x * 2).T,
    "backward": lambda m, x: (x * 2)[::-1],
    "spaced": lambda m, x: (x * 2)[..., ::2],
    "cut": lambda m, x: (x * 2)[..., 1:],
    "repeated": lambda m, x: m.broadcast_to((x * 2)[:1], x.shape),
    "copied": lambda m, x: (x * 2).T.copy(),
    "swapped and backward": lambda m, x: m.swapaxes(x + 1, 0, -1)[..., ::-1],
}
# Of functions that NumPy alone has, some give arrays that are parts of larger ones.
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "pad": lambda m, y: m.pad(y, 1, mode="edge"),
    "partition": lambda m, y: m.partition(y, 0, axis=0),
    "interp": lambda m, y: m.interp(y, [0.0, 5.0], [1.0, 2.0]),
    "nanmedian": lambda m, y: m.nanmedian(y, axis=0),
    "histogram2d": lambda m, y: m.histogram2d(y.ravel(), y.ravel(), 3),
    "unravel_index": lambda m, y: m.unravel_index(m.asarray(y, dtype=int) % 6, (2, 3)),
    "percentile": lambda m, y: m.percentile(y, [20, 50], axis=-1),
    "packbits": lambda m, y: m.packbits(y > 3, axis=0),
    "isclose": lambda m, y: m.isclose(y, y),
}


def given(draw: random.Random, rank: int, order: str) -> numpy.ndarray:
    shape = [draw.randrange(2, 6) for _ in range(rank)]
    return numpy.array(numpy.arange(float(numpy.prod(shape))).reshape(shape) * 7 % 11, order=order)


@pytest.mark.parametrize("operand", OPERANDS)
def test_operands_and_results_lie_as_in_numpy(operand):
    seed = random.randrange(10**9)
    draw = random.Random(seed)
    for name, function in FUNCTIONS.items():
        compiled = np.compile(lambda x, function=function: function(np, OPERANDS[operand](np, x)))
        rank, order = draw.choice([1, 2, 3]), draw.choice("CF")
        for _ in range(3):  # with other sizes
            x = given(draw, rank, order)
            want = quietly(lambda x, function=function: function(numpy, OPERANDS[operand](numpy, x)), x)
            got = quietly(compiled, x)
            assert told(got, [x]) == told(want, [x]), f"seed {seed}: {name} of what is {operand}, {x.shape} {order}"
            for made, wanted in zip(got if isinstance(got, tuple) else [got], want if isinstance(want, tuple) else [want], strict=True):
                assert numpy.allclose(made, wanted), f"seed {seed}: {name} of what is {operand}, {x.shape} {order}"


FROM_DISK = """
import numpy
import fastnp as np

@np.compile
def program(x):
    return np.pad((x * 2)[::-1].T, 1, mode="edge"), np.unravel_index((x % 6).astype(int).T, (2, 3))[0]

x = numpy.arange(20.0).reshape(4, 5)
for made in program(x):
    print(made.strides)
"""


def test_from_disk(tmp_path):
    settings = {**os.environ, "FASTNP_CACHE_DIR": str(tmp_path)}
    script = tmp_path / "program.py"
    script.write_text(FROM_DISK)
    first, second = (subprocess.run([sys.executable, str(script)], env=settings, capture_output=True, text=True, check=True).stdout for _ in range(2))
    x = numpy.arange(20.0).reshape(4, 5)
    want = numpy.pad((x * 2)[::-1].T, 1, mode="edge"), numpy.unravel_index((x % 6).astype(int).T, (2, 3))[0]
    assert first == second == "".join(f"{made.strides}\n" for made in want)


def test_one_memory_twice():
    """What gives several arrays over one memory runs as written: a later write to one is seen in the other."""

    def program(m, x):
        a, b = m.lib.stride_tricks.as_strided(x * 2, (2,), (8,)), m.meshgrid(x * 1, [1.0, 2.0], copy=False)
        b[0][0, 0] = 7
        return a, b

    x = numpy.arange(3.0)
    got, want = quietly(np.compile(lambda x: program(np, x)), x), quietly(lambda x: program(numpy, x), x)
    assert all(map(numpy.array_equal, got[1], want[1])) and numpy.array_equal(got[0], want[0])


def test_choices_of_the_method():
    """Of several arguments of the method all are choices: the second is not written to."""

    def program(x):
        y = x * 2
        return (x > 2).choose(x, y), y

    x = numpy.arange(4.0).reshape(2, 2)
    assert all(map(numpy.array_equal, np.compile(program)(x), program(x)))


@pytest.mark.parametrize("way", ["eager", "compiled"])
def test_broadcast_arrays_may_be_written_to(way):
    def program(m, x):
        a, _ = m.broadcast_arrays(x, m.ones((3, 2)))
        a[1, 0] = 5
        a[...] = m.arange(6.0).reshape(3, 2) + a
        return x, a

    x = numpy.arange(2.0)
    got = (np.compile(lambda x: program(np, x)) if way == "compiled" else lambda x: program(np, x))(np.array(x))
    assert all(map(numpy.array_equal, got, quietly(lambda x: program(numpy, x), x)))
