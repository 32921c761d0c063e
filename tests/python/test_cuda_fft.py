"""Fourier transforms on a CUDA device: NumPy's values, over dtypes, axes, lengths and scales, with nothing copied to the host.

Run as test_cuda.py.
"""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

SIMULATED = np.cuda.is_available() and np.cuda.devices()[0].model == "simulated"
LIBRARY = SIMULATED or any(each.name == "cuFFT" and each.path for each in (np.cuda.libraries() if np.cuda.is_available() else []))
needs_library = pytest.mark.skipif(not LIBRARY, reason="there is no cuFFT")
random = numpy.random.default_rng(5)


def sample(dtype: str, *shape: int) -> numpy.ndarray:
    values = random.normal(size=shape)
    return (values + 1j * random.normal(size=shape) if dtype[0] == "c" else values).astype(dtype)


def run(function: Any, x: numpy.ndarray, moves: int = 0, compiled: bool = True) -> None:
    """On the device and by NumPy."""
    expected = function(numpy, x)
    f = np.compile(lambda x: function(np, x)) if compiled else lambda x: function(np, x)
    given = np.asarray(x).to("cuda")
    before = np.cuda.statistics()
    found = f(given)
    after = np.cuda.statistics()
    assert after.uploads + after.downloads - before.uploads - before.downloads == moves
    assert found.device == "cuda:0" and found.dtype == expected.dtype and found.shape == expected.shape
    single = expected.dtype in (numpy.float32, numpy.complex64)
    scale = max(float(numpy.abs(expected).max(initial=0)), 1e-300)
    numpy.testing.assert_allclose(numpy.asarray(found) / scale, expected / scale, rtol=0, atol=1e-5 if single else 1e-13)


@needs_library
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_along_an_axis(name: str, norm: Any, dtype: str) -> None:
    if dtype[0] == "c" and name in ("rfft", "ihfft"):
        pytest.skip("of real points")
    for points in (None, 5, 16, 23):
        for axis in (-1, 0, 1):
            run(lambda m, x, n=points, axis=axis: getattr(m.fft, name)(x, n=n, axis=axis, norm=norm), sample(dtype, 6, 16, 7))


@needs_library
@pytest.mark.parametrize("points", [2, 3, 8, 97, 1000, 1024])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_lengths(points: int, dtype: str) -> None:
    x = sample(dtype, 3, points)
    run(lambda m, x: m.fft.fft(x), x)
    run(lambda m, x: m.fft.irfft(x, n=points), x)
    run(lambda m, x: m.fft.fft(x[0]), x)
    if dtype[0] == "f":
        run(lambda m, x: m.fft.irfft(m.fft.rfft(x), n=points), x)


@needs_library
def test_views_and_grids() -> None:
    for dtype in ("float64", "complex128"):
        x = sample(dtype, 4, 6, 8, 10)
        run(lambda m, x: m.fft.fft2(x), x)
        run(lambda m, x: m.fft.fftn(x, axes=(0, 2)), x)
        run(lambda m, x: m.fft.ifftn(x, norm="ortho"), x)
        run(lambda m, x: m.fft.fft(x[::2, :, 1:, ::3]), x)
        run(lambda m, x: m.fft.fft(x[:, :, ::-1, ::-1], axis=1), x)
        run(lambda m, x: m.fft.fft(x.T), x)
        run(lambda m, x: m.fft.irfft(x.transpose(2, 0, 3, 1), n=9), x)
        run(lambda m, x: m.fft.fft(m.broadcast_to(x[0, 0], (3, 8, 10))), x)
        run(lambda m, x: m.fft.fft(x[0:0]), x)
    run(lambda m, x: m.fft.rfft2(x), sample("float64", 5, 9, 12))
    run(lambda m, x: m.fft.irfftn(m.fft.rfftn(x)), sample("float64", 4, 6, 8))


@needs_library
def test_a_program_around_them_stays_there() -> None:
    def smoothed(m: Any, x: Any) -> Any:
        spectrum = m.fft.rfft(x * 2)
        return m.fft.irfft(spectrum * m.exp(-m.arange(spectrum.shape[-1]) / 10.0), n=x.shape[-1]) + 1

    run(smoothed, sample("float64", 5, 128))
    f = np.compile(lambda x: np.fft.fft(x, norm="ortho") * 2)
    for points in (8, 9, 30, 100):
        x = sample("complex128", 3, points)
        numpy.testing.assert_allclose(numpy.asarray(f(np.asarray(x).to("cuda"))), numpy.fft.fft(x, norm="ortho") * 2, rtol=1e-12, atol=1e-12)
    assert f.cache_info().compiles <= 2
    before = np.cuda.statistics().transforms
    np.compile(lambda x: np.fft.fft(x))(np.asarray(sample("complex128", 8)).to("cuda"))
    assert np.cuda.statistics().transforms == before + 1


@needs_library
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifftn", "rfft2", "irfftn"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_outside_of_compiled_functions(name: str, dtype: str) -> None:
    if dtype[0] == "c" and name in ("rfft", "ihfft", "rfft2"):
        pytest.skip("of real points")
    before = np.cuda.statistics().transforms
    run(lambda m, x: getattr(m.fft, name)(x), sample(dtype, 6, 16, 7), compiled=False)
    run(lambda m, x: getattr(m.fft, name)(x[::2, ::-1], norm="ortho"), sample(dtype, 6, 16, 9), compiled=False)
    assert np.cuda.statistics().transforms > before


@needs_library
def test_operands_are_not_overwritten() -> None:
    x = sample("complex128", 4, 9)
    given = np.asarray(x).to("cuda")
    np.compile(lambda x: np.fft.irfft(x))(given)
    np.compile(lambda x: np.fft.ifft(x))(given)
    numpy.testing.assert_array_equal(numpy.asarray(given), x)


def test_one_point_is_the_hosts() -> None:
    x = sample("complex128", 4, 1)
    numpy.testing.assert_array_equal(numpy.asarray(np.compile(lambda x: np.fft.fft(x))(np.asarray(x).to("cuda"))), x)
