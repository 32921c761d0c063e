"""Several CUDA devices: arrays go where they are used, from device to device without the host. Run as test_cuda.py, on two devices."""

from __future__ import annotations

import threading
from typing import Any

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.skipif(len(np.cuda.devices()) < 2 if np.cuda.is_available() else True, reason="there are not two CUDA devices")

random = numpy.random.default_rng(9)


def normal(*shape: int) -> numpy.ndarray:
    return random.normal(size=shape)


def copies() -> int:
    """Between the host and either device."""
    counts = [np.cuda.statistics(name) for name in ("cuda:0", "cuda:1")]
    return sum(each.uploads + each.downloads for each in counts)


def equal(found: Any, expected: numpy.ndarray) -> None:
    found = numpy.asarray(found)
    assert found.dtype == expected.dtype
    numpy.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 0, 2), (300, 70)])
def test_there_and_back(dtype: str, shape: tuple[int, ...]) -> None:
    x = (normal(*shape) * 10).astype(dtype) if shape else numpy.asarray(3).astype(dtype)
    there = np.asarray(x).to("cuda:1")
    assert there.device == "cuda:1"
    before = copies()
    moved = there.to("cuda:0")
    again = moved.to("cuda:1").to("cuda:0")
    assert (moved.device, again.device, there.device) == ("cuda:0", "cuda:0", "cuda:1")
    assert copies() == before
    for each in (moved, again, there):
        assert each.shape == shape
        numpy.testing.assert_array_equal(numpy.asarray(each), x)


def test_views_go_with_their_memory() -> None:
    x = normal(6, 7)
    there = np.asarray(x).to("cuda:0")
    part = there[1:, ::2].T
    with np.device("cuda:1"):
        part *= 2.0
    x[1:, ::2] *= 2.0
    assert there.device == part.device == "cuda:1"
    numpy.testing.assert_array_equal(numpy.asarray(there), x)
    numpy.testing.assert_array_equal(numpy.asarray(there[::-1].to("cuda:0")), x[::-1])


def test_arrays_of_two_devices_meet_where_the_first_one_is() -> None:
    a, b = normal(40, 40), normal(40, 40)
    programs = [
        lambda m, x, y: x + y,
        lambda m, x, y: m.sqrt(m.absolute(x)) @ y,
        lambda m, x, y: m.where(x > y, x, y).sum(axis=0),
        lambda m, x, y: m.concatenate([x, y[::-1]]),
        lambda m, x, y: m.linalg.solve(x, y),
        lambda m, x, y: m.fft.fft(x * y),
        lambda m, x, y: m.sort(x, axis=1)[:, 0] + m.cumsum(y, axis=0)[3],
    ]
    for program in programs:
        wanted = program(numpy, a, b)
        for f in (program, np.compile(program)):
            for first, second in (("cuda:0", "cuda:1"), ("cuda:1", "cuda:0"), ("cuda:1", "cuda:1")):
                x, y = np.asarray(a).to(first), np.asarray(b).to(second)
                before = copies()
                found = f(np, x, y)
                assert found.device == first
                if program is programs[0]:
                    assert copies() == before
                numpy.testing.assert_allclose(numpy.asarray(found), wanted, rtol=1e-7, atol=1e-9)


def test_scopes_say_where() -> None:
    x = np.asarray(normal(8)).to("cuda:0")
    f = np.compile(lambda x: x * 2 + np.arange(8.0))
    for name in ("cuda:1", "cuda:0", "cuda:1"):
        with np.device(name):
            assert np.ones(3).device == name
            assert f(x).device == name
            assert (x - 1).device == name
    assert x.device == "cuda:1"
    with pytest.raises(RuntimeError, match=r"device 'cuda:\d+': this machine has \d+ CUDA devices"), np.device(f"cuda:{len(np.cuda.devices())}"):
        pass


def test_writes_reach_the_other_device() -> None:
    a = normal(20, 20)
    x, y = np.asarray(a).to("cuda:0"), np.asarray(numpy.zeros((20, 20))).to("cuda:1")
    before = copies()
    y[...] = x
    y[2:4] = x[0]
    x += y
    assert copies() == before
    wanted = a.copy()
    wanted[2:4] = a[0]
    numpy.testing.assert_array_equal(numpy.asarray(y), wanted)
    numpy.testing.assert_array_equal(numpy.asarray(x), a + wanted)

    @np.compile
    def step(state: Any, by: Any) -> None:
        state *= 0.5
        state += by

    state, expected = np.asarray(a).to("cuda:1"), a.copy()
    for i in range(6):
        with np.device(f"cuda:{i % 2}"):
            step(state, x)
        expected = expected * 0.5 + (a + wanted)
        assert state.device == f"cuda:{i % 2}"
    numpy.testing.assert_array_equal(numpy.asarray(state), expected)


def test_derivatives_and_loops() -> None:
    a, w = normal(5, 6), normal(6, 6) / 6

    def loss(w: Any, x: Any) -> Any:
        for _ in range(12):
            x = np.tanh(x @ w) + x * 0.5
        return (x**2).sum()

    wanted = numpy.asarray(np.grad(loss)(np.asarray(w), np.asarray(a)))
    for f in (np.grad(loss), np.compile(np.grad(loss))):
        for first, second in (("cuda:0", "cuda:1"), ("cuda:1", "cuda:0")):
            for _ in range(4):
                found = f(np.asarray(w).to(first), np.asarray(a).to(second))
                assert found.device == first
                numpy.testing.assert_allclose(numpy.asarray(found), wanted, rtol=1e-10)


def test_threads_on_both() -> None:
    f = np.compile(lambda x, w: np.tanh(x @ w) - x.sum(axis=0))
    a, w = normal(30, 30), normal(30, 30)
    wanted = numpy.tanh(a @ w) - a.sum(axis=0)
    weights = np.asarray(w).to("cuda:0")  # which goes back and forth
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            name = f"cuda:{number % 2}"
            with np.device(name):
                for _ in range(25):
                    found = f(np.asarray(a), weights)
                    assert found.device == name
                    equal(found.to(f"cuda:{1 - number % 2}"), wanted)
        except BaseException as error:  # noqa: BLE001  # it is raised below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_random_programs() -> None:
    for seed in range(30):
        choose = numpy.random.default_rng(seed)
        values = [normal(4, 5) for _ in range(4)]
        arrays = [np.asarray(each).to(f"cuda:{choose.integers(2)}") for each in values]
        for _ in range(15):
            i, j, k = choose.integers(4, size=3)
            with np.device(["cpu", "cuda:0", "cuda:1"][choose.integers(3)]):
                if choose.random() < 0.5:
                    arrays[k], values[k] = arrays[i] * 0.5 - arrays[j], values[i] * 0.5 - values[j]
                elif choose.random() < 0.5:
                    arrays[i][1:3] += arrays[j][::-1][:2]
                    values[i][1:3] += values[j][::-1][:2]
                else:
                    arrays[k], values[k] = arrays[i].copy(), values[i].copy()
        for found, expected in zip(arrays, values, strict=True):
            equal(found, expected)
