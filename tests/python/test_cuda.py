"""Programs on a CUDA device: the same results as on the processor, arrays that move when they are used elsewhere, nothing else copied.

Run where there is a device, or with FASTNP_SIMULATED_DEVICE=1 in builds that have the simulated one.
"""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

random = numpy.random.default_rng(3)
x = random.normal(size=(37, 65))
y = random.normal(size=(65,))


def close(found: Any, expected: Any) -> None:
    numpy.testing.assert_allclose(numpy.asarray(found), expected, rtol=1e-12, atol=1e-12)


def softmax(a: Any) -> Any:
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


PROGRAMS = {
    "elementwise": lambda a, b: np.sin(a) * b + 2,
    "rows": lambda a, b: softmax(a * b),
    "columns": lambda a, b: a.sum(axis=0) * b,
    "all": lambda a, b: (a * b).sum(),
    "product": lambda a, b: np.tanh(a @ b.reshape(65, 1)),
    "sorted": lambda a, b: np.sort(a, axis=1) + np.cumsum(b),
    "several": lambda a, b: (a + b, {"mean": a.mean(axis=1), "b": b}),
    "written": lambda a, b: np.where(a > 0, a, b)[::-1, 1:].T,
    "gradient": lambda a, b: np.grad(lambda c: (np.sin(c) * b).sum())(a),
    "solved": lambda a, b: np.linalg.solve(a.T @ a + np.eye(65), b),
    "chosen": lambda a, b: a[a > 1].sum() if b.sum() > 100 else a[:, b > 0] * 2,
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("resident", [False, True])
def test_compiled_programs(name: str, resident: bool) -> None:
    program = PROGRAMS[name]
    expected = program(np.asarray(x), np.asarray(y))
    f = np.compile(program)
    with np.device("cuda"):
        a, b = (np.asarray(each).to("cuda") if resident else each for each in (x, y))
        for _ in range(2):
            found = f(a, b)
            for one, other in zip(leaves(found), leaves(expected), strict=True):
                close(one, numpy.asarray(other))
        assert f.cache_info().compiles >= 1


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for key in value for leaf in leaves(value[key])]
    if isinstance(value, tuple):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


def test_results_live_on_the_device_and_come_back() -> None:
    f = np.compile(lambda a: np.exp(a) + 1)
    with np.device("cuda"):
        assert isinstance(f(x), numpy.ndarray)  # as NumPy's went in
        there = f(np.asarray(x))
        assert there.device == "cuda:0"
        again = f(there)
    assert again.device == "cuda:0"
    third = f(again * 0 + 1)
    assert third.device == "cuda:0"
    seen = numpy.asarray(again)
    close(seen, numpy.exp(numpy.exp(x) + 1) + 1)
    assert again.device == "cpu"  # while NumPy has it
    del seen
    assert again.device == "cuda:0"
    close(third, numpy.full_like(x, numpy.e + 1))


def test_arrays_on_a_device_take_their_functions_there() -> None:
    f = np.compile(lambda a, b: a * b)
    a = np.asarray(x).to("cuda:0")
    assert a.device == "cuda:0" and a.to("cuda") is a
    assert f(a, y).device == "cuda:0"
    assert f(np.asarray(x), y).device == "cpu"
    back = a.to("cpu")
    assert back.device == "cpu" and a.device == "cuda:0"
    close(back, x)


def test_writes_are_seen_by_views_and_owners() -> None:
    @np.compile
    def double(a: Any) -> None:
        a *= 2

    mine = x.copy()
    with np.device("cuda"):
        double(mine)  # NumPy's memory: written back
        close(mine, 2 * x)
        a = np.array(x)
        view = a[::2]
        double(view)
        assert a.device == "cuda:0" and view.device == "cuda:0"
        expected = x.copy()
        expected[::2] *= 2
        close(a, expected)
        a[0] = 7.0  # by the host
        double(a)
        expected[0] = 7.0
        close(a, 2 * expected)


def test_only_what_was_written_is_written_back() -> None:
    @np.compile
    def both(a: Any, b: Any) -> None:
        a *= 2
        b += 1

    whole = numpy.arange(41.0)
    expected = whole.copy()
    expected[1:-1:2] *= 2
    expected[2:-1:2] += 1
    with np.device("cuda"):
        both(whole[1:-1:2], whole[2:-1:2][::-1])  # the elements of one lie between those of the other
    close(whole, expected)


def test_exposed_memory_stays_on_the_host() -> None:
    f = np.compile(lambda a: a + 1)
    with np.device("cuda"):
        a = np.array(x)
        seen = numpy.asarray(a)  # a view
        close(f(a), x + 1)
        seen[:] = 0  # NumPy may write at any time
        close(f(a), numpy.ones_like(x))


def test_sizes_of_zero_and_scalars() -> None:
    f = np.compile(lambda a, s: (a * s).sum(axis=0))
    with np.device("cuda"):
        close(f(numpy.zeros((0, 3)), 2.0), numpy.zeros(3))
        close(f(numpy.ones((4, 0)), 2.0), numpy.zeros(0))
        close(f(numpy.float64(3.0).reshape(1), 2.0), 6.0)


def test_errors_are_numpys() -> None:
    f = np.compile(lambda a, b: a @ b)
    with np.device("cuda"), pytest.raises(ValueError, match="matmul"):
        f(x, x)
    with np.device("cuda"), pytest.raises(np.linalg.LinAlgError):
        np.compile(np.linalg.inv)(numpy.zeros((3, 3)))


def test_devices_that_are_not_there() -> None:
    with pytest.raises(RuntimeError, match="this machine has"), np.device("cuda:99"):
        pass
    with pytest.raises(ValueError, match="no such device"):
        np.zeros(3).to("gpu")
    with pytest.raises(TypeError, match="the name of a device"):
        np.zeros(3).to(0)  # type: ignore[arg-type]


def outer_sums(a: Any, b: Any) -> Any:
    return np.sum(a[:, :, None] * b[:, None, :], axis=(-2, -1))


def test_the_reference_program_in_three_forms() -> None:
    a, b = random.normal(size=(2, 500, 16)).astype(numpy.float32)
    expected = a.sum(axis=1) * b.sum(axis=1)
    f = np.compile(outer_sums)
    with np.device("cuda"):  # NumPy's arrays go in and come out
        found = f(a, b)
        assert isinstance(found, numpy.ndarray)
        numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    resident = [np.asarray(each).to("cuda") for each in (a, b)]
    before = np.cuda.statistics()
    for _ in range(5):
        found = f(*resident)
    after = np.cuda.statistics()
    assert found.device == "cuda:0" and (after.uploads, after.downloads) == (before.uploads, before.downloads)
    assert after.launches > before.launches
    numpy.testing.assert_allclose(numpy.asarray(found), expected, rtol=1e-4, atol=1e-4)
    gradient = np.compile(np.grad(lambda c, d: outer_sums(c, d).sum()))
    numpy.testing.assert_allclose(numpy.asarray(gradient(*resident)), numpy.broadcast_to(b.sum(axis=1, keepdims=True), a.shape), rtol=1e-4, atol=1e-4)


def test_reading_an_element_moves_nothing() -> None:
    f = np.compile(lambda a: a * 3)
    a = f(np.asarray(x).to("cuda"))
    before = np.cuda.statistics()
    assert a[2, 5] == 3 * x[2, 5] and a.T.shape == (65, 37)
    assert np.cuda.statistics().downloaded_bytes - before.downloaded_bytes <= 16
    repr(a)
    assert a.device == "cuda:0"


def steps(a: Any, b: Any) -> Any:
    for i in range(20):  # differences of rounding do not grow
        a = np.tanh(a * 0.5 - a.mean(axis=i % 2, keepdims=True) * b * 0.1)
    return a


def test_many_kernels_again_and_again() -> None:
    f = np.compile(steps)
    there, b = np.asarray(x).to("cuda"), np.asarray(y).to("cuda")
    expected = numpy.asarray(steps(np.asarray(x), np.asarray(y)))
    kept = []
    for call in range(8):  # from some call on as one graph, whose launches are given other memory
        kept.append(f(there, b))
        if call % 3 == 0:
            there = there + 0.0
    for found in kept:
        close(found, expected)
    for size in (3, 30):
        small = x[:size] + 1.0
        close(f(np.asarray(small).to("cuda"), b), numpy.asarray(steps(np.asarray(small), np.asarray(y))))


def test_profiles() -> None:
    f = np.compile(lambda a, b: np.sort(np.tanh(a).sum(axis=1)) @ np.sin(a) * b)
    there, b = np.asarray(x).to("cuda"), np.asarray(y).to("cuda")
    explained = np.compiler.explain(f)
    expected = explained(there, b)
    assert all(kernel["milliseconds"] is None and kernel["count"] == 0 for kernel in expected.kernels)
    with np.compiler.profile():
        with np.compiler.profile():
            pass
        found = f(there, b)
    close(found, numpy.asarray(expected.result))
    after = explained(there, b)
    assert len(after.kernels) >= 3
    assert all(kernel["milliseconds"] > 0 and kernel["count"] == 1 for kernel in after.kernels)
    assert str(after).count(" ms") > str(expected).count(" ms")
    on_host = np.compiler.explain(np.compile(lambda a: np.sin(a).sum()))
    with np.compiler.profile():
        assert all(kernel["milliseconds"] >= 0 for kernel in on_host(x).kernels)
