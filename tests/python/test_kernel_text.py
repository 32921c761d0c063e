"""Loop kernels as text: what explain shows is read back, and damaged text is told with its place."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy
import pytest

import fastnp as np
from fastnp import _core

X = numpy.linspace(0.1, 2, 60).reshape(6, 10)
HEADS = ("size ", "found size ")


def kernels_of(text: str) -> Iterator[str]:
    """A text's kernels, each with the sizes before it; what stands between them is left out."""
    lines: list[str] = []
    for line in [*text.splitlines(keepends=True), ""]:
        begins = line.startswith(HEADS) and not (lines and lines[-1].startswith(HEADS))
        begins = begins or (line.startswith("kernel ") and not (lines and lines[-1].startswith(HEADS)))
        if lines and (begins or not line.startswith(("  ", "kernel ", *HEADS))):
            yield "".join(lines)
            lines = []
        if begins or lines:
            lines.append(line)


def check(told) -> int:
    found = list(kernels_of(told.loops))
    for text in found:
        assert _core._parse_kernel(text) == text
    assert "".join(found) == told.loops or "loop" in told.loops
    return len(found)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


FUNCTIONS = [
    softmax,
    lambda x: np.where(x > 1, x[::-1, ::-1], -x) + np.arange(10),
    lambda x: (x.sum(axis=0), x.mean(), (x * 1j).prod(axis=1), x.astype("float32").T.copy()),
    lambda x: np.pad(x, 1) * 2 + np.pad(x, 1)[::-1],
    lambda x: np.concatenate([x, x * 2], axis=1).astype(int) // 3,
    lambda x: np.sum(x.ravel()[3:50:2] * x.size + x.shape[0]),
    lambda x: np.fori_loop(0, 4, lambda i, s: np.cumsum(s * 2, axis=0) + i, x),
    lambda x: np.sort(np.sqrt(x)) @ x.T + float("nan"),
    lambda x: np.arange(x.shape[0]) * 2 + x.shape[1],
]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_kernels_come_back(number, dynamic):
    assert check(np.explain(np.compile(FUNCTIONS[number], dynamic=dynamic))(X)) > 0


def test_large_ones_come_back():
    large = numpy.ones((300, 4000), "float32")
    for function in (softmax, lambda x: x.sum(), lambda x: x.sum(axis=0), lambda x: np.exp(x) + x[0]):
        assert check(np.explain(np.compile(function))(large)) > 0


def test_random_chains_come_back():
    seed = random.SystemRandom().randrange(1 << 32)
    print("seed", seed)
    draw = random.Random(seed)
    steps = [
        np.exp,
        np.sin,
        lambda x: x[::-1],
        lambda x: x.T,
        lambda x: x - x.max(axis=-1, keepdims=True),
        lambda x: x + x.mean(axis=0),
        lambda x: x * 0.5,
    ]
    for _ in range(12):
        chain = [draw.choice(steps) for _ in range(draw.randint(1, 8))]

        def function(x, chain=chain):
            for step in chain:
                x = step(x)
            return x, np.abs(x).sum()

        shape = draw.randint(1, 9), draw.randint(1, 40)
        told = np.explain(np.compile(lambda x, function=function: function(x), dynamic=draw.random() < 0.5))(numpy.ones(shape) / 3)
        assert check(told) > 0


def test_damaged_text_is_told_with_its_place():
    text = np.explain(np.compile(lambda x: x * 2))(X).loops
    assert _core._parse_kernel(text) == text
    for damaged, told in (
        (text.replace("multiply", "multiplied"), "line 5, column 8: expected an op, 'load'"),
        (text.replace("load b0", "load b5"), "there is no buffer b5"),
        (text.replace("float64 out", "float64"), "it stores to buffer 1, which is not written"),
        (text[: len(text) // 2], "kernel text, line "),
        ("", "line 1, column 1: expected 'kernel', not the end of the text"),
    ):
        with pytest.raises(ValueError) as error:
            _core._parse_kernel(damaged)
        assert told in str(error.value)
