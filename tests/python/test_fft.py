"""numpy.fft in compiled functions: equal to NumPy's to the bit (on devices, whose libraries add in other orders, but for rounding), with its dtypes,
strides and errors; derivatives and batching of every transform.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.part(6)

ALONG = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
ALL = ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"]
OF_REAL = {"rfft", "ihfft", "rfftn", "rfft2"}
DTYPES = "?bqefdFD"
NORMS = [None, "backward", "ortho", "forward"]
ON_DEVICE = os.environ.get("FASTNP_TEST_DEVICE", "cpu") != "cpu"


def values(dtype: str, *shape: int) -> Any:
    rng = numpy.random.default_rng(len(shape) + sum(shape))
    x = rng.normal(size=shape) * 3
    return (x + 1j * rng.normal(size=shape)).astype(dtype) if dtype in "FD" else x.astype(dtype)


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except (ValueError, TypeError, IndexError) as error:
        return type(error), str(error)


def same(found: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple):
        assert found == wanted
        return
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    if wanted.size:  # the step of an axis of one element means nothing
        wide = [axis for axis, size in enumerate(wanted.shape) if size > 1]
        assert [found.strides[axis] for axis in wide] == [wanted.strides[axis] for axis in wide]
    if ON_DEVICE:
        bound = 1e-5 if wanted.dtype in (numpy.float32, numpy.complex64) else 1e-13
        numpy.testing.assert_allclose(numpy.asarray(found), wanted, rtol=0, atol=bound * float(numpy.abs(wanted).max(initial=0)))
    else:
        assert numpy.asarray(found).tobytes() == wanted.tobytes()


def same_as_numpys(call: Callable[[Any, Any], Any], *args: Any) -> None:
    """`call(np, *args)`, at once, and compiled, twice."""
    wanted = outcome(lambda *given: call(numpy, *given), *args)
    same(outcome(lambda *given: call(np, *given), *args), wanted)
    compiled = np.compile(lambda *given: call(np, *given), fullgraph=not isinstance(wanted, tuple))
    for _ in range(2):
        same(outcome(compiled, *args), wanted)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ALONG)
def test_sizes_and_norms(name: str, dtype: str) -> None:
    if name in OF_REAL and dtype in "FD":
        return same_as_numpys(lambda m, x: getattr(m.fft, name)(x), values(dtype, 4))
    for size in (0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 61):
        for n in (None, size + 3, max(size - 2, 1)):
            if size == 0 and n and name in ("irfft", "hfft"):  # NumPy reads an element that is not there
                continue
            for norm in NORMS[1:] if n is None else NORMS[2:3]:
                same_as_numpys(lambda m, x, n=n, norm=norm: getattr(m.fft, name)(x, n, norm=norm), values(dtype, size))


@pytest.mark.parametrize("size", [127, 128, 1000, 1009, 4096, 2 * 3 * 5 * 7 * 11, 10007])
@pytest.mark.parametrize("name", ALONG)
def test_long_lines(name: str, size: int) -> None:
    for dtype in "fd" if name in OF_REAL else "fdFD":
        for norm in (None, "ortho"):
            same_as_numpys(lambda m, x, norm=norm: getattr(m.fft, name)(x, norm=norm), values(dtype, size))
    same_as_numpys(lambda m, x: getattr(m.fft, name)(x), values("d", 9, size))


LAYOUTS: list[tuple[str, Callable[[Any], Any]]] = [
    ("C", lambda x: x),
    ("Fortran", numpy.asfortranarray),
    ("turned", lambda x: x.transpose(2, 0, 1)),
    ("strided", lambda x: x[:, ::2, ::-1]),
    ("repeated", lambda x: numpy.broadcast_to(x[:, :1, :1], x.shape)),
    ("one", lambda x: x[:, :1]),
    ("one in front", lambda x: x[:1].transpose(0, 2, 1)),
    ("without lines", lambda x: x[:0]),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=[name for name, _ in LAYOUTS])
@pytest.mark.parametrize("name", ALONG)
def test_axes_and_layouts(name: str, layout: tuple[str, Callable[[Any], Any]]) -> None:
    for dtype in "fd" if name in OF_REAL else "dFD":
        x = layout[1](values(dtype, 3, 6, 5))
        for axis in (0, 1, 2, -1):
            for n in (None, 4, 9):
                if layout[0] == "without lines" and axis == 0 and n and name in ("irfft", "hfft"):  # as above
                    continue
                same_as_numpys(lambda m, x, n=n, axis=axis: getattr(m.fft, name)(x, n, axis), x)


@pytest.mark.parametrize("name", ALL)
def test_several_axes(name: str) -> None:
    for dtype in "fd" if name in OF_REAL else "qdFD":
        x = values(dtype, 3, 4, 5)
        for given in (x, x.T, x[::-1, :, ::2]):
            for norm in NORMS[:3]:
                same_as_numpys(lambda m, x, norm=norm: getattr(m.fft, name)(x, norm=norm), given)
            for s, axes in [((4, 3), (0, 2)), ((-1, 6), (2, 1)), ((2,), (1,)), (None, (1, 1)), (None, (0,)), ((3, 3, 3), (0, 1, 2)), ((5, 4), (1, 1))]:
                same_as_numpys(lambda m, x, s=s, axes=axes: getattr(m.fft, name)(x, s, axes), given)
        same_as_numpys(lambda m, x: getattr(m.fft, name)(x), values(dtype, 7))
        same_as_numpys(lambda m, x: getattr(m.fft, name)(x, axes=()), x)
        same_as_numpys(lambda m, x: getattr(m.fft, name)(x, s=(2,), axes=(0, 1)), x)


def test_sizes_without_axes_are_deprecated_as_in_numpy() -> None:
    x = values("d", 3, 4)
    with warnings.catch_warnings(record=True) as wanted:
        warnings.simplefilter("always")
        result = numpy.fft.fftn(x, s=(2,))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        same(np.compile(lambda x: np.fft.fftn(x, s=(2,)), fullgraph=True)(x), result)
    assert {(each.category, str(each.message)) for each in found} == {(each.category, str(each.message)) for each in wanted}


def test_errors() -> None:
    x = values("d", 3, 4)
    for call in (
        lambda m, x: m.fft.fft(x, axis=2),
        lambda m, x: m.fft.fft(x, n=2, axis=-3),
        lambda m, x: m.fft.fft(x, n=0),
        lambda m, x: m.fft.rfft(x, n=-3),
        lambda m, x: m.fft.fft(x, norm="none"),
        lambda m, x: m.fft.irfft(x, norm="none"),
        lambda m, x: m.fft.irfft(x[:, :1]),
        lambda m, x: m.fft.rfft(x + 0j),
        lambda m, x: m.fft.rfftn(x + 0j),
        lambda m, x: m.fft.fft(x[0, 0]),
        lambda m, x: m.fft.fftfreq(x),
        lambda m, x: m.fft.fftn(x, axes=(0, 5)),
    ):
        same_as_numpys(call, x)


def test_special_values() -> None:
    for dtype in "fdD":
        for place in (0, 2, 3):
            for value in (numpy.nan, numpy.inf, -numpy.inf, -0.0):
                x = values(dtype, 4)
                x[place] = value
                for name in ("fft", "ifft", "irfft") if dtype == "D" else ("fft", "rfft", "irfft"):
                    with numpy.errstate(invalid="ignore"):
                        wanted = getattr(numpy.fft, name)(x)
                    found = numpy.asarray(np.compile(lambda x, name=name: getattr(np.fft, name)(x))(x))
                    if ON_DEVICE and not numpy.isfinite(value):  # where a product of it with zero comes in is the library's
                        assert not numpy.isfinite(found[~numpy.isfinite(wanted)]).any()
                    elif ON_DEVICE:
                        same(found, wanted)
                    else:
                        numpy.testing.assert_array_equal(found, wanted)


def test_outside_of_compiled_functions_it_is_numpys_own() -> None:
    x = np.asarray(values("d", 8))
    same(np.fft.rfft(x), numpy.fft.rfft(numpy.asarray(x)))
    with_out = np.compile(lambda x, out: np.fft.fft(x, out=out) * 2)
    out = numpy.empty(8, complex)
    assert numpy.array_equal(with_out(x, out), numpy.fft.fft(numpy.asarray(x)) * 2)


def test_frequencies_and_shifts() -> None:
    for n in (1, 2, 5, 8):
        x = values("d", n, 3)
        for d in (1.0, 0.1, 3):
            same_as_numpys(lambda m, x, d=d: m.fft.fftfreq(x.shape[0], d) + 0, x)
            same_as_numpys(lambda m, x, d=d: m.fft.rfftfreq(x.shape[0], d=d) + 0, x)
        for axes in (None, 0, 1, -1, (0, 1), (1,), (0, 0)):
            same_as_numpys(lambda m, x, axes=axes: m.fft.fftshift(x, axes), x)
            same_as_numpys(lambda m, x, axes=axes: m.fft.ifftshift(x, axes), x)


def test_one_entry_for_all_sizes() -> None:
    @np.compile(fullgraph=True)
    def smoothed(x: Any) -> Any:
        n = x.shape[-1]
        return np.fft.irfft(np.fft.rfft(x) * np.exp(-np.fft.rfftfreq(n)), n)

    for n in (8, 9, 12, 100, 31):
        x = values("d", 4, n)
        wanted = numpy.fft.irfft(numpy.fft.rfft(x) * numpy.exp(-numpy.fft.rfftfreq(n)), n)
        numpy.testing.assert_allclose(numpy.asarray(smoothed(x)), wanted, rtol=1e-13, atol=1e-14)
    assert smoothed.cache_info().compiles <= 2, smoothed._inspect(False)[3]
    gradient = np.compile(np.grad(lambda x: np.sum(np.abs(np.fft.fft(x, 11)) ** 2)), fullgraph=True)
    for n in (8, 9, 15):
        x = values("d", n)
        numpy.testing.assert_allclose(numpy.asarray(gradient(x)), numpy.where(numpy.arange(n) < 11, 22 * x, 0), rtol=1e-12, atol=1e-12)


def pairing(g: Any, t: Any) -> float:
    return float(numpy.sum((numpy.asarray(g) * numpy.asarray(t)).real))


@pytest.mark.parametrize("name", ALONG + ALL)
def test_derivatives_and_batching(name: str) -> None:
    function = getattr(np.fft, name)
    for dtype in "d" if name in OF_REAL else "dD":
        for norm in NORMS[:1] + NORMS[2:]:
            x, t = np.asarray(values(dtype, 2, 3, 4)), np.asarray(values(dtype, 2, 3, 4)[::-1] * 0.5)

            def f(x: Any, norm: Any = norm) -> Any:
                return function(x, norm=norm)

            value, change = np.jvp(f, (x,), (t,))
            numpy.testing.assert_allclose(numpy.asarray(change), numpy.asarray(f(t)), rtol=1e-12, atol=1e-12)
            h = 1e-3
            numpy.testing.assert_allclose(numpy.asarray(change), numpy.asarray(f(x + h * t) - f(x - h * t)) / (2 * h), rtol=1e-9, atol=1e-9)
            weights = np.asarray(values("D" if value.dtype.kind == "c" else "d", *value.shape))
            _, pull = np.vjp(f, x)
            (back,) = pull(weights)
            assert back.dtype == x.dtype and back.shape == x.shape
            assert abs(pairing(back, t) - pairing(weights, change)) < 1e-9
            parts = np.stack([x, 2 * x[::-1], x + 1])
            wanted = numpy.stack([numpy.asarray(f(part)) for part in parts])
            numpy.testing.assert_array_equal(numpy.asarray(np.vmap(f)(parts)), wanted)
            inner = np.vmap(np.vmap(lambda row: np.sum(np.abs(getattr(np.fft, name[:-1] if name[-1] in "n2" else name)(row)) ** 2)))
            numpy.testing.assert_allclose(
                numpy.asarray(np.grad(lambda x, inner=inner: np.sum(inner(x)))(x)),
                numpy.stack([numpy.stack([numpy.asarray(np.grad(lambda r, inner=inner: inner(r[None, None])[0, 0])(row)) for row in m]) for m in x]),
                rtol=1e-11,
                atol=1e-11,
            )


def test_on_the_tape() -> None:
    x = np.asarray(values("d", 8))
    x.requires_grad = True
    np.sum(np.abs(np.fft.rfft(x)) ** 2).backward()
    wanted = np.grad(lambda x: np.sum(np.abs(np.fft.rfft(x)) ** 2))(np.asarray(values("d", 8)))
    numpy.testing.assert_allclose(numpy.asarray(x.grad), numpy.asarray(wanted), rtol=1e-13)


@pytest.mark.parametrize("home", ["numpy.fft.", "fft.", ""])
@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_of_sizes_that_vary(home, name):
    space = {"numpy": numpy, "fft": numpy.fft, name: getattr(numpy.fft, name)}
    function = eval(f"lambda x, d: {home}{name}(x.shape[-1], d) * 1.0", space)
    compiled = np.compile(function)
    for n in (8, 9, 1, 12, 15, 8):
        for d in (0.5, 2.0):
            expected = getattr(numpy.fft, name)(n, d) * 1.0
            got = compiled(numpy.ones((2, n)), d)
            assert type(got) is numpy.ndarray and got.tobytes() == expected.tobytes() and got.dtype == expected.dtype
    assert compiled.cache_info().uncompiled == 0 and compiled.cache_info().compiles <= 6
    made = np.compile(lambda x: getattr(numpy.fft, name)(4))
    first = made(numpy.ones(3))
    first += 1
    assert made(numpy.ones(3)).tolist() == getattr(numpy.fft, name)(4).tolist()
    with pytest.raises(ValueError, match="integer"):
        np.compile(lambda x: x * numpy.fft.fftfreq(1.5))(numpy.ones(3))


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {"fft": lambda x, n: np.fft.rfftfreq(n), "linalg": lambda x, n: np.linalg.matrix_power(x, n)}


@pytest.mark.parametrize("module", FUNCTIONS)
def test_functions_that_were_not_used_before_are_guarded_as_others(module):
    """What a module makes when it is first asked for is there before a function that reads it is recorded; another one in its place is seen."""
    place = getattr(np, module)
    name = {"fft": "rfftfreq", "linalg": "matrix_power"}[module]
    vars(place).pop(name, None)
    compiled = np.compile(FUNCTIONS[module])
    x = numpy.eye(3)
    for _ in range(3):
        compiled(x, 3)
    assert compiled.cache_info().misses == 1
    kept = vars(place)[name]
    setattr(place, name, lambda *_: np.asarray([7.0]))
    try:
        assert numpy.asarray(compiled(x, 3)).tolist() == [7.0]
    finally:
        setattr(place, name, kept)
    assert name in dir(place) and "LinAlgError" in dir(np.linalg)
