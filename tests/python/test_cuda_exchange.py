"""Arrays of a GPU exchanged with CuPy, torch and JAX, where these and a GPU are: the same memory on either side, in the order in which it is used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy
import pytest

import fastnp as np

pytestmark = [
    pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device"),
    pytest.mark.skipif(np.cuda.is_available() and np.cuda.devices()[0].model == "simulated", reason="other libraries know no simulated device"),
]


class Library(NamedTuple):
    make: Callable[[numpy.ndarray], Any]
    """On the device."""
    take: Callable[[Any], Any]
    """A fastnp array, without a copy."""
    back: Callable[[Any], numpy.ndarray]
    address: Callable[[Any], int]
    writes: bool = True


def cupy_library() -> Library:
    cupy = importlib.import_module("cupy")
    return Library(cupy.asarray, cupy.from_dlpack, cupy.asnumpy, lambda a: a.data.ptr)


def cupy_interface() -> Library:
    cupy = importlib.import_module("cupy")
    return Library(cupy.asarray, cupy.asarray, cupy.asnumpy, lambda a: a.data.ptr)


def torch_library() -> Library:
    torch = importlib.import_module("torch")
    return Library(lambda a: torch.from_numpy(a.copy()).cuda(), torch.from_dlpack, lambda a: a.cpu().numpy(), lambda a: a.data_ptr())


def torch_interface() -> Library:
    torch = importlib.import_module("torch")
    take = lambda a: torch.as_tensor(a, device="cuda")  # noqa: E731  # as the others
    return Library(lambda a: torch.from_numpy(a.copy()).cuda(), take, lambda a: a.cpu().numpy(), lambda a: a.data_ptr())


def jax_library() -> Library:
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    if not any(each.platform == "gpu" for each in jax.devices()):
        raise ImportError("JAX has no GPU")
    gpu = jax.devices("gpu")[0]
    return Library(lambda a: jax.device_put(a, gpu), jax.dlpack.from_dlpack, numpy.asarray, lambda a: a.unsafe_buffer_pointer(), False)


LIBRARIES = {each.__name__: each for each in (cupy_library, cupy_interface, torch_library, torch_interface, jax_library)}


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Library:
    try:
        return LIBRARIES[request.param]()
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"{request.param}: {error}")


def address_of(x: Any) -> int:
    return x.__cuda_array_interface__["data"][0]


DTYPES = ["?", "i1", "u1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_in(library: Library, dtype: str) -> None:
    values = (numpy.arange(60).reshape(5, 12) % 5).astype(dtype)
    theirs = library.make(values)
    uploads = np.cuda.statistics().uploads
    x = np.asarray(theirs)
    assert x.device == "cuda:0" and x.dtype == values.dtype and address_of(x) == library.address(theirs)
    assert np.cuda.statistics().uploads == uploads
    numpy.testing.assert_array_equal(numpy.asarray(x), values)
    numpy.testing.assert_array_equal(numpy.asarray(np.from_dlpack(theirs)), values)
    assert x.flags.writeable == library.writes


@pytest.mark.parametrize("dtype", DTYPES)
def test_out(library: Library, dtype: str) -> None:
    values = (numpy.arange(60).reshape(5, 12) % 5).astype(dtype)
    x = np.asarray(values).to("cuda")
    downloads = np.cuda.statistics().downloads
    y = library.take(x)
    assert np.cuda.statistics().downloads == downloads
    assert library.address(y) == address_of(x)
    numpy.testing.assert_array_equal(library.back(y), values)
    if library.writes:
        z = library.take(x[1:, ::3])
        numpy.testing.assert_array_equal(library.back(z), values[1:, ::3])


def test_compiled_functions_take_and_give(library: Library) -> None:
    f = np.compile(lambda a, b: np.exp(-a * a) * b + a.mean(axis=1, keepdims=True))
    values = numpy.random.default_rng(1).normal(size=(300, 257))
    a = library.make(values)
    before = np.cuda.statistics()
    y = f(a, 3.0)
    back = library.take(y)
    after = np.cuda.statistics()
    assert y.device == "cuda:0" and (after.uploads, after.downloads) == (before.uploads, before.downloads)
    numpy.testing.assert_allclose(library.back(back), numpy.exp(-values * values) * 3 + values.mean(axis=1, keepdims=True), rtol=1e-12, atol=1e-12)


def test_writes_are_seen_in_order(library: Library) -> None:
    if not library.writes:
        pytest.skip("its arrays do not change")

    @np.compile
    def grow(a: Any) -> None:
        a += 1

    values = numpy.zeros((1 << 22,), numpy.float32)
    theirs = library.make(values)
    x = np.asarray(theirs)
    for _ in range(20):  # without waiting for anything
        grow(theirs)
        theirs *= 2
        grow(x)
        theirs += 3
    expected = 0.0
    for _ in range(20):
        expected = numpy.float32((expected + 1) * 2 + 1 + 3)
    numpy.testing.assert_array_equal(library.back(theirs), numpy.full_like(values, expected))


def test_freed_memory_is_not_reused_under_work(library: Library) -> None:
    f = np.compile(lambda a: np.sqrt(a) + 1)
    values = [numpy.full((1 << 22,), float(i), numpy.float32) for i in range(10)]
    results = [f(library.make(each)) for each in values]  # what goes in is freed at once
    taken = [library.take(f(library.make(each))) for each in values]  # what comes out is held by the other library alone
    for i, (one, other) in enumerate(zip(results, taken, strict=True)):
        expected = numpy.full_like(values[i], numpy.sqrt(numpy.float32(i)) + 1)
        numpy.testing.assert_allclose(numpy.asarray(one), expected, rtol=1e-6)
        numpy.testing.assert_allclose(library.back(other), expected, rtol=1e-6)


def test_other_streams_of_torch() -> None:
    torch = pytest.importorskip("torch")
    f = np.compile(lambda a: a * 2 + 1)
    side = torch.cuda.Stream()
    a = torch.zeros(1 << 22, device="cuda")
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for i in range(10):
            a.fill_(i)
            y = torch.from_dlpack(f(a))
            a.fill_(-1)
            z = y + 1
            assert float(z.min()) == float(z.max()) == 2 * i + 2


def test_nothing_leaks(library: Library) -> None:
    f = np.compile(lambda a: a + 1)
    values = numpy.ones((1 << 20,), numpy.float32)
    library.take(f(library.make(values)))
    before = np.cuda.statistics().live_bytes
    for _ in range(50):
        y = f(library.make(values))
        z = library.take(y)
        x = np.asarray(z)
        del x, y, z
    assert np.cuda.statistics().live_bytes <= before + (8 << 20)
