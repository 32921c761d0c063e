"""Borders around arrays against NumPy (compositions.py)."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from compositions import ALL, agree, laid_out, some
from test_derivatives import check

import fastnp as np

MODES = ["constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap"]
WIDTHS = ["1", "(2, 1)", "((0, 1), (3, 2))", "0", "((9, 0), (0, 11))", "[[5], [7]]", "numpy.array([[1, 2]])", "((0, 0), (3, 0))"]
OTHERS = """
N.pad(x, 1, constant_values=3); N.pad(x, 1, constant_values=(1, 2)); N.pad(x, 1, constant_values=((1, 2), (3, 4)))
N.pad(x, (1, 2), 'constant', constant_values=2.7)
N.pad(x, 2, 'linear_ramp', end_values=5); N.pad(x, 3, 'linear_ramp', end_values=((1, 2), (3, 4.5)))
N.pad(x, ((2, 3), (0, 1)), 'linear_ramp', end_values=(1, -1))
N.pad(x, 2, 'mean', stat_length=1); N.pad(x, 2, 'maximum', stat_length=(1, 2)); N.pad(x, 2, 'median', stat_length=((2, 3), (1, 9)))
N.pad(x, 1, 'minimum', stat_length=0)
N.pad(x, 2, 'reflect', reflect_type='odd'); N.pad(x, 7, 'reflect', reflect_type='odd'); N.pad(x, 2, 'symmetric', reflect_type='odd')
N.pad(x, 9, 'symmetric', reflect_type='odd')
N.pad(x, 1, 'edge', constant_values=3); N.pad(x, 1, 'no'); N.pad(x, -1); N.pad(x, 1.5); N.pad(x, ((1, 2), (3, 4), (5, 6)))
N.pad(x, 1, 'mean', stat_length=-1)
N.pad(x[:0], 1, 'edge'); N.pad(x[:0], ((0, 0), (1, 2)), 'edge'); N.pad(x[:0], 1); N.pad(x[:1], 2, 'reflect')
N.pad(x[:1], ((0, 2), (1, 0)), 'symmetric', reflect_type='odd')
N.pad(x, 1, 'empty')[1:-1, 1:-1]; N.pad(x[0, 0], 1, 'edge'); N.pad(x[0], {0: 2}, 'edge'); N.pad([1, 2, 3], 2, 'wrap'); N.pad(x[:2], (5, 3), 'wrap')
"""
LEFT = {"N.pad(x[0], {0: 2}, 'edge')"}


def numbers(rng: random.Random, mode: str, shape: tuple[int, ...] = (3, 4)) -> numpy.ndarray:
    """Of a dtype that the mode is for: NumPy's means of float16 and its medians of others round otherwise."""
    kinds = "iuf" if mode in ("linear_ramp", "maximum", "mean", "median", "minimum") or "odd" in mode else "biufc"
    return laid_out(rng, some(rng, rng.choice([each for each in ALL if numpy.dtype(each).kind in kinds and each != "float16"]), shape))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", WIDTHS)
def test_modes(mode: str, width: str) -> None:
    rng = random.Random()
    agree(f"N.pad(x, {width}, '{mode}')", tolerance=8, told=False, x=numbers(rng, mode))


@pytest.mark.parametrize("expression", [each.strip() for line in OTHERS.strip().splitlines() for each in line.split(";")])
def test_options(expression: str) -> None:
    rng = random.Random()
    mode = next((each for each in MODES[1:] if each in expression), "constant")
    for _ in range(3):
        agree(expression, told=False, native=expression not in LEFT, x=numbers(rng, "odd" if "odd" in expression else mode))


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
@pytest.mark.parametrize("mode", MODES)
def test_three_axes(mode: str, axes: tuple[int, ...]) -> None:
    agree(f"N.pad(x, ((1, 2), (0, 1), (2, 0)), '{mode}')", x=numpy.arange(24.0).reshape(2, 3, 4).transpose(axes))


def test_specials() -> None:
    rng = random.Random()
    for mode in ("maximum", "mean", "median", "minimum", "reflect"):
        agree(f"N.pad(x, 2, '{mode}')", told=False, x=some(rng, "float64", (3, 4), specials=True))


def test_functions_are_numpys() -> None:
    def fill(vector: Any, widths: Any, axis: Any, options: Any) -> None:
        vector[: widths[0]] = vector[-widths[1] :] = options["value"]

    got = np.pad(np.arange(4), 2, fill, value=9)
    assert numpy.asarray(got).tolist() == [9, 9, 0, 1, 2, 3, 9, 9]


@pytest.mark.parametrize("mode", MODES)
def test_derivatives(mode: str) -> None:
    check(lambda x: np.pad(x, ((1, 2), (3, 1)), mode), [np.asarray(numpy.random.default_rng().normal(size=(3, 4)))])


def test_derivatives_of_options() -> None:
    rng = numpy.random.default_rng()
    x, y = np.asarray(rng.normal(size=5)), np.asarray(rng.normal(size=()))
    check(lambda x: np.pad(x, 7, "reflect", reflect_type="odd"), [x])
    check(lambda x, y: np.pad(x, 2, constant_values=y), [x, y])
    check(lambda x: np.pad(x, 2, "mean", stat_length=2), [x])


def test_one_recording_for_all_sizes() -> None:
    def padded(x: np.ndarray) -> list[np.ndarray]:
        return [np.pad(x, 2, mode) for mode in MODES]

    compiled = np.compile(padded, fullgraph=True)
    for size in (5, 6, 9, 17, 33):
        x = numpy.random.default_rng().random((size, size + 1))
        for mode, got in zip(MODES, compiled(x), strict=True):
            numpy.testing.assert_allclose(got, numpy.pad(x, 2, mode), rtol=1e-13, err_msg=mode)
    assert compiled.cache_info().misses <= 2
