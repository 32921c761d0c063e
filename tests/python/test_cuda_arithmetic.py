"""Arithmetic on a CUDA device: +, -, *, / and square roots are NumPy's to the bit, for operands of every size, and wherever arrays begin.

Run as test_cuda.py. On a GPU, where that is quick, for many more numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

MANY = 1 << (14 if "FASTNP_SIMULATED_DEVICE" in os.environ else 24)
random = numpy.random.default_rng(11)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "quotient": lambda xp, x, y: x / y,
    "inverse": lambda xp, x, y: 1 / x,
    "root": lambda xp, x, y: xp.sqrt(xp.abs(x)) + xp.sqrt(y),
    "third": lambda xp, x, y: x / xp.float32(3) - y / xp.float32(-1.7),
    "normalised": lambda xp, x, y: x / xp.sqrt(y * y + xp.float32(1e-5)),
    "bounded": lambda xp, x, y: (x / y) / (xp.float32(1) + xp.float32(0.25) * xp.abs(y)),
    "far from one": lambda xp, x, y: xp.sqrt(xp.float32(1e37) * (x / y)) + xp.sqrt(xp.float32(1e-37) * (y / x)),
    "inverse of a product": lambda xp, x, y: 1 / (xp.float32(1e37) * (x / y)),
    "of zeros": lambda xp, x, y: (x / (xp.float32(2) + y * y)) * xp.float32(3) + x / (xp.float32(-2) - y * y),
    "twice": lambda xp, x, y: xp.reciprocal(xp.reciprocal(x)) * y - x,
    "in range": lambda xp, x, y: xp.where(xp.abs(x) < 1e10, xp.sqrt(xp.abs(x)) / y, y / xp.sqrt(xp.abs(y))),
}


EXPONENTS = numpy.array(
    [0, 1, 2, 22, 23, 24, 26, 46, 47, 60, 66, 67, 68, 86, 87, 88, 126, 127, 142, 143, 144, 186, 187, 188, 206, 207, 250, 252, 253, 254, 255], numpy.uint32
)


def of_all_sizes(count: int) -> numpy.ndarray:
    """Any bits: half of them subnormal, tiny, huge, infinite or NaN."""
    bits = random.integers(0, 1 << 32, size=count, dtype=numpy.uint32)
    edges = random.choice(EXPONENTS, size=count)
    at_edges = (bits & numpy.uint32(0x807FFFFF)) | (edges << numpy.uint32(23))
    chosen = numpy.where(random.random(count) < 0.5, bits, at_edges)
    return numpy.where(random.random(count) < 0.1, chosen & numpy.uint32(0xFF800000), chosen).astype(numpy.uint32).view(numpy.float32)


def in_groups(count: int) -> numpy.ndarray:
    """Sixteen neighbours have the same exponent, any one: what a thread does at a time is usual or not as a whole."""
    bits = random.integers(0, 1 << 32, size=count, dtype=numpy.uint32)
    groups = (count + 15) // 16
    exponents = numpy.where(random.random(groups) < 0.5, random.choice(EXPONENTS, size=groups), random.integers(0, 256, size=groups))
    exponents = numpy.repeat(exponents, 16)[:count].astype(numpy.uint32)
    whole = numpy.where(random.random(count) < 0.1, numpy.uint32(0xFF800000), numpy.uint32(0xFFFFFFFF))
    return (((bits & numpy.uint32(0x807FFFFF)) | (exponents << numpy.uint32(23))) & whole).view(numpy.float32)


def usual(count: int) -> numpy.ndarray:
    return (random.standard_normal(count) * 10.0 ** random.integers(-3, 4, size=count)).astype(numpy.float32)


def with_zeros(count: int) -> numpy.ndarray:
    """Of both signs, some by themselves, some all that a thread has."""
    zeros = numpy.repeat(random.random((count + 7) // 8) < 0.3, 8)[:count] | (random.random(count) < 0.1)
    signs = numpy.where(random.random(count) < 0.1, numpy.float32(-0.0), numpy.float32(0))
    return numpy.where(zeros, signs, usual(count))


def same_bits(found: Any, expected: numpy.ndarray) -> None:
    found = numpy.asarray(found)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    wrong = (found.view(numpy.uint32) != expected.view(numpy.uint32)) & ~(numpy.isnan(found) & numpy.isnan(expected))
    assert not wrong.any(), (int(wrong.sum()), found[wrong][:3], expected[wrong][:3])


@pytest.mark.parametrize("draw", [of_all_sizes, in_groups, with_zeros, usual])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_to_the_bit(name: str, draw: Callable[[int], numpy.ndarray]) -> None:
    x, y = draw(MANY + 3), draw(MANY + 3)
    with numpy.errstate(all="ignore"):
        expected = FUNCTIONS[name](numpy, x, y)
    compiled = np.compile(lambda x, y: FUNCTIONS[name](np, x, y))
    same_bits(compiled(np.asarray(x).to("cuda"), np.asarray(y).to("cuda")), expected)


def test_every_mantissa() -> None:
    """Roots and inverses of numbers of two neighbouring exponents: all of them on a GPU, which has its own first guess for each."""
    step = 1 if MANY >= 1 << 24 else 509
    x = numpy.concatenate([numpy.arange(0x3F800000, 0x40800000, step), [0x3FFFFFFF, 0x407FFFFF]]).astype(numpy.uint32).view(numpy.float32)
    roots, inverses = np.compile(lambda x: (np.sqrt(x), 1 / x))(np.asarray(x).to("cuda"))
    same_bits(roots, numpy.sqrt(x))
    same_bits(inverses, 1 / x)


PARTLY_USUAL: dict[str, Callable[..., Any]] = {
    "log": lambda x, y: np.log(x),
    "log2": lambda x, y: np.log2(x),
    "log10": lambda x, y: np.log10(x),
    "sin": lambda x, y: np.sin(x),
    "cos": lambda x, y: np.cos(x),
    "tan": lambda x, y: np.tan(x),
    "log of quotient": lambda x, y: np.log(np.abs(x / y)) / np.sqrt(np.abs(y)),
    "inverse and log": lambda x, y: 1 / (np.float32(1e37) * (x / y)) + np.log(np.float32(1e37) * (x / y)),
    "quotient of waves": lambda x, y: np.sin(x) / (np.float32(2) + np.cos(y)),
}


@pytest.mark.parametrize("name", PARTLY_USUAL)
def test_usual_arguments(name: str) -> None:
    """The same bits, whether a thread's other arguments are usual or not."""
    x, y = in_groups(MANY), in_groups(MANY)
    compiled = np.compile(PARTLY_USUAL[name])
    found = compiled(np.asarray(x).to("cuda"), np.asarray(y).to("cuda"))
    apart = numpy.full((2, MANY, 4), numpy.nan, numpy.float32)
    apart[:, :, 0] = x, y
    alone = compiled(np.asarray(apart[0].reshape(-1)).to("cuda"), np.asarray(apart[1].reshape(-1)).to("cuda"))
    same_bits(found, numpy.asarray(alone)[::4])
    with numpy.errstate(all="ignore"):
        exact = (
            PARTLY_USUAL[name](numpy.asarray(x).astype(float), numpy.asarray(y).astype(float)) if name in ("log", "log2", "log10", "sin", "cos") else None
        )
    if exact is not None:
        numpy.testing.assert_allclose(numpy.asarray(found).astype(float), numpy.asarray(exact), rtol=4 * float(numpy.finfo(numpy.float32).eps))


def test_rows_and_columns() -> None:
    x = of_all_sizes(64 * 96).reshape(64, 96)
    x = numpy.where(numpy.isfinite(x), x, numpy.float32(0.5))
    length = numpy.float32(96)

    def by_rows(xp: Any, x: Any) -> Any:
        least = xp.min(x, axis=1, keepdims=True)
        return (x / least) / length, xp.sqrt(xp.max(x, axis=0)) / xp.min(x, axis=0)

    with numpy.errstate(all="ignore"):
        expected = by_rows(numpy, x)
    for found, one in zip(np.compile(lambda x: by_rows(np, x))(np.asarray(x).to("cuda")), expected, strict=True):
        same_bits(found, one)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "complex64"])
@pytest.mark.parametrize("rows", [False, True])
def test_arrays_that_begin_anywhere(dtype: str, rows: bool) -> None:
    """The same function for arrays at odd addresses, in any order, also as their result is written to a part of an array."""
    whole = (random.integers(0, 9, size=4200)).astype(dtype)
    device = np.asarray(whole).to("cuda")

    def add(xp: Any, x: Any, y: Any) -> Any:
        if not rows:
            return x + y
        return xp.max(xp.real(x).reshape(8, 512), axis=1) + xp.sum(xp.real(y)) + 0 * x[0]

    def into(x: Any, out: Any) -> Any:
        out[:] = x + x
        return out

    compiled, written = np.compile(lambda x, y: add(np, x, y)), np.compile(into)
    for first, second in [(0, 0), (1, 0), (0, 0), (0, 3), (5, 7), (16, 32)]:
        expected = add(numpy, whole[first : first + 4096], whole[second : second + 4096])
        found = compiled(device[first : first + 4096], device[second : second + 4096])
        numpy.testing.assert_array_equal(numpy.asarray(found), expected)
        assert numpy.asarray(found).dtype == expected.dtype
        memory = np.zeros(4200, dtype).to("cuda")
        written(device[first : first + 4096], memory[second : second + 4096])
        host = numpy.zeros(4200, dtype)
        host[second : second + 4096] = whole[first : first + 4096] + whole[first : first + 4096]
        numpy.testing.assert_array_equal(numpy.asarray(memory), host)


def test_sums_of_products() -> None:
    """They are contracted where their order is not NumPy's: closer to the exact sum, and exact where all numbers are small integers."""
    x, y = usual(40 * 1000).reshape(40, 1000), usual(40 * 1000).reshape(40, 1000)
    compiled = np.compile(lambda x, y: (np.sum(x * y, axis=1), np.sum(x * x), np.sum(x * y, axis=0)))
    found = compiled(np.asarray(x).to("cuda"), np.asarray(y).to("cuda"))
    exact = x.astype(float), y.astype(float)
    for got, want, size in zip(
        found,
        (numpy.sum(exact[0] * exact[1], axis=1), numpy.sum(exact[0] ** 2), numpy.sum(exact[0] * exact[1], axis=0)),
        (numpy.sum(abs(exact[0] * exact[1]), axis=1), numpy.sum(exact[0] ** 2), numpy.sum(abs(exact[0] * exact[1]), axis=0)),
        strict=True,
    ):
        assert numpy.all(abs(numpy.asarray(got) - want) <= 40 * numpy.finfo(numpy.float32).eps * size)
    whole = random.integers(-9, 9, size=(40, 1000)).astype(numpy.float32)
    got = compiled(np.asarray(whole).to("cuda"), np.asarray(whole).to("cuda"))
    numpy.testing.assert_array_equal(numpy.asarray(got[0]), numpy.sum(whole * whole, axis=1))
    few = usual(3 * 1000).reshape(3, 1000)
    same_bits(np.compile(lambda x: np.sum(x * x, axis=0))(np.asarray(few).to("cuda")), numpy.sum(few * few, axis=0))


NEGATIVES: dict[str, Callable[..., Any]] = {
    "negative": lambda xp, x: -x,
    "from zero": lambda xp, x: x.dtype.type(0) - x,
    "times": lambda xp, x: x * x.dtype.type(x.dtype.type(0) - x.dtype.type(1)),
    "complement": lambda xp, x: ~x + x.dtype.type(1),
}
FOLDS: dict[str, Callable[..., Any]] = {
    "max": lambda xp, x: xp.max(x, axis=0),
    "min": lambda xp, x: xp.min(x, axis=0),
    "rows": lambda xp, x: xp.max(x, axis=1),
    "three": lambda xp, x: xp.minimum(xp.minimum(x[0], x[1]), x[2]) + xp.maximum(x[0], xp.maximum(x[1], x[2])),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("negative", NEGATIVES)
@pytest.mark.parametrize("fold", FOLDS)
def test_least_and_most_of_negative_numbers(dtype: str, negative: str, fold: str) -> None:
    """The assembler of CUDA 13.0 loses a sign where three negated integers meet in one minimum or maximum."""
    x = random.integers(0, 250, (5, 7)).astype(dtype)

    def function(xp: Any, x: Any) -> Any:
        return FOLDS[fold](xp, NEGATIVES[negative](xp, x))

    compiled = np.compile(lambda x: function(np, x))
    with np.device("cuda"):
        found = numpy.asarray(compiled(np.asarray(x)))
    wanted = function(numpy, x)
    assert found.dtype == wanted.dtype
    numpy.testing.assert_array_equal(found, wanted)


# What leaves the narrow integers' range and comes in again, and what looks at more bits than theirs.
WRAPPED: dict[str, Callable[..., Any]] = {
    "negative": lambda xp, x: -x,
    "magnitude": lambda xp, x: xp.abs(x),
    "from zero": lambda xp, x: xp.zeros_like(x) - x,
    "complement": lambda xp, x: ~x + xp.ones_like(x),
    "negative product": lambda xp, x: x * ~xp.zeros_like(x),
    "quotient": lambda xp, x: x // ~xp.zeros_like(x),
    "double": lambda xp, x: x + x,
    "square": lambda xp, x: x * x,
    "shifted": lambda xp, x: x << xp.ones_like(x),
    "next": lambda xp, x: x + xp.ones_like(x),
    "difference": lambda xp, x: x[::-1] - x,
}
LOOKS: dict[str, Callable[..., Any]] = {
    **{dtype: lambda xp, x, dtype=dtype: x.astype(dtype) for dtype in "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c16".split()},
    "below zero": lambda xp, x: x < xp.zeros_like(x),
    "shift": lambda xp, x: x >> xp.full_like(x, 3),
    "most": lambda xp, x: xp.maximum(xp.maximum(x, x[::-1]), -x),
    "least": lambda xp, x: xp.minimum(x, xp.full_like(x, 5)),
    "remainder": lambda xp, x: x % xp.full_like(x, 7),
    "float quotient": lambda xp, x: x / xp.full_like(x, 3),
    "sum": lambda xp, x: xp.sum(x),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_integers_wrap_where_they_are_looked_at(name: str) -> None:
    for dtype in "i1 u1 i2 u2 i4 u4 i8 u8".split():
        ends = numpy.iinfo(dtype)
        x = numpy.array([ends.min, ends.min + 1, ends.max // 2, 0, 1, 5, ends.max - 1, ends.max], dtype)
        for look in LOOKS.values():
            with numpy.errstate(all="ignore"):
                expected = look(numpy, WRAPPED[name](numpy, x))
                with np.device("cuda"):
                    found = numpy.asarray(np.compile(lambda x, look=look: look(np, WRAPPED[name](np, x)))(np.asarray(x)))
            assert found.dtype == expected.dtype
            numpy.testing.assert_array_equal(found, expected, err_msg=dtype)


@pytest.mark.parametrize("dtype", "? i1 u1 i2 u2 i4 u4 i8 u8".split())
def test_casts_of_casts(dtype: str) -> None:
    """Of four elements that are loaded at once, too."""
    ends = numpy.array([0, 1]) if dtype == "?" else numpy.array([numpy.iinfo(dtype).min, numpy.iinfo(dtype).max], dtype)
    x = numpy.concatenate([ends.astype(dtype), random.integers(0, 256, 62).astype(dtype), numpy.arange(-32, 32).astype(dtype)])
    dtypes = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8".split()
    kept = {"f": "fc", "c": "c"}  # what NumPy makes of others is C's choice, or half of them
    chains = [(first, second) for first in dtypes for second in dtypes if second[0] in kept.get(first[0], second)]
    count = 24 if "FASTNP_SIMULATED_DEVICE" in os.environ else len(chains)
    chosen = [chains[place] for place in random.permutation(len(chains))[:count]]
    for begin in range(0, count, 12):
        part = chosen[begin : begin + 12]
        with numpy.errstate(all="ignore"), np.device("cuda"):
            found = np.compile(lambda x, part=part: [x.astype(first).astype(second) for first, second in part])(np.asarray(x))
        for (first, second), each in zip(part, found, strict=True):
            with numpy.errstate(all="ignore"):
                numpy.testing.assert_array_equal(numpy.asarray(each), x.astype(first).astype(second), err_msg=f"{first} {second}")
