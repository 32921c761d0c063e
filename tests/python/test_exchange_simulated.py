"""Arrays of a (simulated) device exchanged with another library, which tests/python/foreign.py plays: nothing is copied, streams wait for each other,
nothing leaks. Run by FASTNP_SIMULATED_DEVICE=1; test_exchange.py has CuPy, torch and JAX."""

from __future__ import annotations

import gc
import os
import pickle
import threading
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import fastnp as np

if os.environ.get("FASTNP_SIMULATED_DEVICE", "0") == "0":
    pytest.skip("there is no simulated device", allow_module_level=True)

import foreign

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
VIEWS = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "backwards": lambda a: a[::-1, ::2],
    "row": lambda a: a[2],
    "element": lambda a: a[1:2, 1:2].reshape(()),
    "nothing": lambda a: a[3:3],
    "spread": lambda a: a[1::2, 1:4],
}


def numbers(dtype: str = "f8", shape: tuple[int, ...] = (5, 6)) -> numpy.ndarray:
    values = numpy.arange(numpy.prod(shape)).reshape(shape) % 7
    return (values * (1 + 2j) if dtype[0] == "c" else values).astype(dtype)


@pytest.fixture(autouse=True)
def nothing_leaks() -> Iterator[None]:
    gc.collect()
    before = np.cuda.statistics().live_bytes, foreign.live, len(foreign.held)
    foreign.fences()
    yield
    gc.collect()
    assert (np.cuda.statistics().live_bytes, foreign.live, len(foreign.held)) == before


def there(values: Any) -> Any:
    return np.asarray(values).to("cuda")


def copies() -> tuple[int, int]:
    now = np.cuda.statistics()
    return now.uploads, now.downloads


# Out.
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_out(dtype: str, view: str) -> None:
    values = numbers(dtype)
    x = VIEWS[view](there(values))
    assert x.__dlpack_device__() == (2, 0)
    before = copies()
    tensor = foreign.Taken(x.__dlpack__(stream=7, max_version=(1, 0)))
    assert copies() == before
    expected = VIEWS[view](values)
    assert tensor.versioned and tensor.device == (2, 0) and tensor.flags == 0
    assert tensor.dtype == expected.dtype and tensor.shape == expected.shape
    if expected.size > 1:
        assert all(a == b for a, b, n in zip(tensor.strides, expected.strides, expected.shape, strict=True) if n > 1)
    numpy.testing.assert_array_equal(tensor.values(), expected)
    assert x.device == "cuda:0"
    del x
    gc.collect()
    numpy.testing.assert_array_equal(tensor.values(), expected)  # it holds the memory
    tensor.release()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_interface_out(dtype: str, view: str) -> None:
    values = numbers(dtype)
    x, expected = VIEWS[view](there(values)), VIEWS[view](values)
    found = x.__cuda_array_interface__
    assert found["version"] == 3 and found["stream"] > 2 and found["shape"] == expected.shape and found["typestr"] == expected.dtype.str
    assert (found["strides"] is None) == expected.flags.c_contiguous and found["data"][1] is False
    assert (found["data"][0] == 0) == (expected.size == 0)
    strides = expected.strides if found["strides"] is None else found["strides"]
    numpy.testing.assert_array_equal(foreign.elements(found["data"][0], found["shape"], strides, expected.dtype), expected)
    assert x.device == "cuda:0"


def test_arrays_of_the_processor_go_as_before() -> None:
    x = np.asarray(numbers())
    assert x.__dlpack_device__() == (1, 0) and not hasattr(x, "__cuda_array_interface__")
    assert numpy.from_dlpack(x).ctypes.data == numpy.asarray(x).ctypes.data
    assert memoryview(x).shape == (5, 6)
    with pytest.raises(BufferError, match="would be a copy"):
        x.__dlpack__(dl_device=(2, 0), copy=False)
    tensor = foreign.Taken(x.__dlpack__(stream=1, dl_device=(2, 0), max_version=(1, 1)), stream=1)
    assert tensor.device == (2, 0) and tensor.flags == 2
    numpy.testing.assert_array_equal(tensor.values(), numbers())
    tensor.release()


def test_what_may_be_asked_for() -> None:
    x = there(numbers())
    plain = foreign.Taken(x.__dlpack__())
    assert not plain.versioned
    plain.release()
    repeated = np.broadcast_to(x, (3, 5, 6))
    with pytest.raises(BufferError, match="readonly"):
        repeated.__dlpack__()
    tensor = foreign.Taken(repeated.__dlpack__(max_version=(1, 0)), stream=1)
    assert tensor.flags == 1 and tensor.strides == (0, 48, 8)
    numpy.testing.assert_array_equal(tensor.values(), numpy.broadcast_to(numbers(), (3, 5, 6)))
    tensor.release()
    copied = foreign.Taken(x.__dlpack__(copy=True, max_version=(1, 0)), stream=1)
    assert copied.flags == 2 and copied.data != x.__cuda_array_interface__["data"][0]
    numpy.testing.assert_array_equal(copied.values(), numbers())
    copied.release()
    here = foreign.Taken(x.__dlpack__(dl_device=(1, 0), max_version=(1, 0)))
    assert here.device == (1, 0) and here.flags == 2
    here.release()
    numpy.testing.assert_array_equal(numpy.from_dlpack(x, device="cpu"), numbers())
    with pytest.raises(BufferError, match="on device 'cuda:0': a tensor on 'cpu' would be a copy"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match="unsupported device"):
        x.__dlpack__(dl_device=(10, 0))
    with pytest.raises(ValueError, match="stream 0 is ambiguous"):
        x.__dlpack__(stream=0)
    with pytest.raises(TypeError):
        x.__dlpack__(1)
    x.__dlpack__()  # never taken


def test_streams_out() -> None:
    f = np.compile(lambda a: np.sin(a) + 1)
    values = numbers()
    y = f(there(values))
    foreign.fences()
    tensor = foreign.Taken(y.__dlpack__(stream=9), stream=9)
    assert foreign.fences() == ["9 waits"]
    numpy.testing.assert_allclose(tensor.values(), numpy.sin(values) + 1)
    tensor.release()
    z = f(there(values))
    foreign.fences()
    z.__dlpack__(stream=None)
    z.__dlpack__(stream=2)
    z.__dlpack__(stream=-1)
    assert foreign.fences() == ["1 waits", "2 waits"]
    z.__cuda_array_interface__  # noqa: B018  # it lets others wait
    assert foreign.fences() == ["all wait"]


def test_what_was_given_away_stays_there_and_is_never_stale() -> None:
    values = numbers()
    x = there(values)
    tensor = foreign.Taken(x.__dlpack__(stream=7))
    numpy.testing.assert_array_equal(numpy.asarray(x), values)
    tensor.store(values + 1)  # in the other library's stream
    numpy.testing.assert_array_equal(numpy.asarray(x), values + 1)
    assert x.device == "cuda:0" and x[1, 2] == values[1, 2] + 1
    tensor.store(values + 2)
    assert x[1, 2] == values[1, 2] + 2
    assert x.tolist() == (values + 2).tolist() and x.sum() == (values + 2).sum()
    x[0, 1] = -1.0
    x[1:3] += 10
    np.negative(x[4], out=x[4])
    np.copyto(x[3], 5.0)  # by NumPy
    x.flat = x.flat[0] + x + 1
    expected = values + 2
    expected[0, 1] = -1.0
    expected[1:3] += 10
    expected[4] *= -1
    expected[3] = 5.0
    expected += expected[0, 0] + 1
    numpy.testing.assert_array_equal(tensor.values(), expected)
    assert x.device == "cuda:0" and x.to("cuda") is x
    f = np.compile(lambda a: a * 2)
    numpy.testing.assert_array_equal(numpy.asarray(f(x)), expected * 2)
    with np.device("cpu"):
        tensor.store(values)
        numpy.testing.assert_array_equal(numpy.asarray(f(x)), values * 2)
    numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(x)), values)
    tensor.release()


def test_compiled_writes_are_seen_by_others_on_either_device() -> None:
    @np.compile
    def add(a: Any) -> None:
        a += 1

    values = numbers()
    x = there(values)
    tensor = foreign.Taken(x.__dlpack__(stream=7))
    for place in ("cuda", "cpu"):
        for _ in range(2):
            with np.device(place):
                add(x)
            values += 1
            numpy.testing.assert_array_equal(tensor.values(), values)
            tensor.store(values * 2)
            values *= 2
    assert x.device == "cuda:0"
    tensor.release()


def test_nobody_is_given_an_address_of_what_is_shared() -> None:
    x = there(numbers())
    tensor = foreign.Taken(x.__dlpack__())
    with pytest.raises(BufferError, match="shared on device 'cuda:0'; numpy.asarray"):
        memoryview(x)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        numpy.asarray(x, copy=False)
    with pytest.raises(BufferError):
        numpy.from_dlpack(x, device="cpu", copy=False)
    for name in ("data", "ctypes"):
        with pytest.raises(BufferError, match="another library"):
            getattr(x, name)
    assert not hasattr(x, "__array_interface__")
    with pytest.raises(ValueError, match="read-only"):
        x.flat[3] = 1.0
    tensor.release()


def test_numpy_gets_copies_of_what_is_shared() -> None:
    x = there(numbers())[:, ::2]
    assert not x.flags.c_contiguous and x.flags.writeable and x.device == "cuda:0"
    x = there(numbers())
    tensor = foreign.Taken(x.__dlpack__())
    seen = numpy.asarray(x)
    seen[:] = 0
    assert x.device == "cuda:0"
    numpy.testing.assert_array_equal(numpy.asarray(x, "f4"), numbers("f4"))
    numpy.testing.assert_array_equal(numpy.array(x), numbers())
    tensor.release()


LENDERS = {
    "asarray": numpy.asarray,
    "no copy": lambda x: numpy.asarray(x, copy=False),
    "buffer": lambda x: numpy.frombuffer(memoryview(x)).reshape(5, 6),
    "dlpack": lambda x: numpy.from_dlpack(x, device="cpu"),
    "dlpack, no copy": lambda x: numpy.from_dlpack(x, device="cpu", copy=False),
}


@pytest.mark.parametrize("lender", LENDERS)
def test_what_is_not_shared_is_lent_to_numpy(lender: str) -> None:
    x = there(numbers())
    seen = LENDERS[lender](x)
    assert x.device == "cpu"
    numpy.testing.assert_array_equal(seen, numbers())
    if seen.flags.writeable:
        seen[1] = -1.0
    else:
        x[1] = -1.0  # NumPy takes tensors of other libraries as read-only
    assert x[1, 2] == seen[1, 2] == -1.0
    assert x.__dlpack_device__() == (1, 0) and not hasattr(x, "__cuda_array_interface__")
    del seen
    gc.collect()
    assert x.device == "cuda:0"
    expected = numbers()
    expected[1] = -1.0
    tensor = foreign.Taken(x.__dlpack__(stream=7))
    numpy.testing.assert_array_equal(tensor.values(), expected)  # it is movable again, and can be shared
    copied = LENDERS["asarray"](x)
    copied[:] = 0
    numpy.testing.assert_array_equal(tensor.values(), expected)
    tensor.release()


def test_operations_on_what_is_shared_are_done_there() -> None:
    """In order with the work of others, before and after, and without copies."""
    values = numbers()
    theirs, out = foreign.Array(values), foreign.Array(numpy.zeros((5, 6)))
    x, y = np.asarray(theirs), np.asarray(out)
    for warm in (False, True):
        theirs.memory.store(values + 1)
        y[...] = 0.0
        foreign.fences()
        before = copies()
        np.multiply(x, 2.0, out=y)
        y[1:3] += x[:2]
        y[0] = 7.0
        total = x.sum()
        product = x @ x.T
        if warm:
            assert copies() == before
        assert foreign.fences() == ["waits for all", "all wait"] * 5
        theirs.memory.store(values * 0)  # after what was read
        expected = (values + 1) * 2
        expected[1:3] += (values + 1)[:2]
        expected[0] = 7.0
        numpy.testing.assert_array_equal(out.memory.load("f8").reshape(5, 6), expected)
        assert x.device == y.device == total.device == product.device == "cuda:0"
        assert float(total) == (values + 1).sum()
        numpy.testing.assert_allclose(numpy.asarray(product), (values + 1) @ (values + 1).T)


def test_tapes_keep_what_was_shared_as_it_was() -> None:
    values = numbers()
    theirs = foreign.Array(values)
    w = np.asarray(values.copy()).to("cuda")
    w.requires_grad = True
    x = np.asarray(theirs)
    first = (w * x).sum()
    theirs.memory.store(values * 10)
    second = (w * x).sum()
    theirs.memory.store(values * 0)
    (first + second).backward()
    numpy.testing.assert_allclose(numpy.asarray(w.grad), values * 11)


# In.
@pytest.mark.parametrize("kind", [foreign.Array, foreign.OldArray, foreign.InterfaceArray])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_come_in_without_copies(dtype: str, view: str, kind: Any) -> None:
    values = numbers(dtype)
    expected = VIEWS[view](values)
    theirs = kind(values, expected)
    before = copies()
    x = np.asarray(theirs)
    assert copies() == before
    assert type(x) is np.ndarray and x.device == "cuda:0" and x.dtype == expected.dtype and x.shape == expected.shape
    if expected.size:
        assert x.strides == expected.strides
    numpy.testing.assert_array_equal(numpy.asarray(x), expected)
    assert x.flags.writeable
    theirs.memory.store(values[::-1])
    later = values[::-1].copy()
    numpy.testing.assert_array_equal(numpy.asarray(x), VIEWS[view](later))
    del theirs
    gc.collect()
    assert foreign.live == 1 or expected.size == 0


def test_what_others_write_is_seen() -> None:
    values = numbers()
    theirs = foreign.Array(values)
    x = np.from_dlpack(theirs)
    f = np.compile(lambda a: a.sum(axis=0))
    for factor in range(1, 4):
        theirs.memory.store(values * factor)
        before = copies()
        y = f(x)
        assert copies() == before
        numpy.testing.assert_array_equal(numpy.asarray(y), (values * factor).sum(axis=0))
        theirs.memory.store(values * factor * 10)
        assert x[1, 3] == values[1, 3] * factor * 10


@pytest.mark.parametrize("kind", [foreign.Array, foreign.OldArray, foreign.InterfaceArray])
def test_compiled_functions_take_them_and_write_to_them(kind: Any) -> None:
    values = numbers()
    a, out = kind(values), kind(numpy.zeros((5, 6)))
    f = np.compile(lambda a, b: np.exp(a) * b)

    @np.compile
    def into(a: Any, out: Any) -> Any:
        out[...] = a * 2
        return out

    f(a, values)
    before = copies()
    y = f(a, 2.0)
    assert type(y) is np.ndarray and y.device == "cuda:0" and copies() == before
    numpy.testing.assert_allclose(numpy.asarray(y), numpy.exp(values) * 2)
    assert into(a, out) is out
    numpy.testing.assert_array_equal(out.memory.load("f8").reshape(5, 6), values * 2)
    a.memory.store(values + 1)
    into(a, out)
    a.memory.store(values + 2)  # after what was read
    numpy.testing.assert_array_equal(out.memory.load("f8").reshape(5, 6), (values + 1) * 2)
    assert f.cache_info().compiles >= 1 and into.cache_info().compiles >= 1


def test_views_of_one_memory_overlap() -> None:
    values = numpy.arange(12.0)
    theirs = foreign.Array(values)
    a, b = theirs.view(values, values[:-1]), theirs.view(values, values[1:])

    @np.compile
    def shift(to: Any, source: Any) -> None:
        to[...] = source * 2

    shift(b, a)
    expected = values.copy()
    expected[1:] = values[:-1] * 2
    numpy.testing.assert_array_equal(theirs.memory.load("f8"), expected)
    x, y, z = np.asarray(a), np.asarray(b), np.asarray(theirs)
    x[3] = -5.0
    expected[3] = -5.0
    assert y[2] == -5.0 and z[3] == -5.0
    numpy.testing.assert_array_equal(theirs.memory.load("f8"), expected)
    del x, z
    y[0] = 1.0
    expected[1] = 1.0
    numpy.testing.assert_array_equal(theirs.memory.load("f8"), expected)


def test_round_trips_are_the_same_memory() -> None:
    x = there(numbers())
    y = np.from_dlpack(x)
    assert y is x
    address = x.__cuda_array_interface__["data"][0]

    class Through:
        def __dlpack_device__(self) -> tuple[int, int]:
            return x.__dlpack_device__()

        def __dlpack__(self, **kwargs: Any) -> Any:
            return x[1:].__dlpack__(**kwargs)

    z = np.asarray(Through())
    assert z.__cuda_array_interface__["data"][0] == address + 48
    assert np.shares_memory(z, x) and not np.shares_memory(z, x[0]) and numpy.may_share_memory(z, x) and x.device == "cuda:0"
    z[0, 0] = -3.0
    assert x[1, 0] == -3.0

    @np.compile
    def shift(to: Any, source: Any) -> None:
        to[...] = source + 1

    expected = numpy.asarray(x)
    shift(z, x[:-1])
    expected[1:] = expected[:-1] + 1
    numpy.testing.assert_array_equal(numpy.asarray(x), expected)


def test_streams_in() -> None:
    theirs = foreign.Array(numbers())
    np.asarray(theirs)
    assert theirs.asked == [{"stream": there(numbers()).__cuda_array_interface__["stream"], "max_version": (1, 1)}]
    foreign.fences()
    np.asarray(foreign.InterfaceArray(numbers(), stream=11))
    np.asarray(foreign.InterfaceArray(numbers(), stream=None))
    assert foreign.fences() == ["waits for 11"]
    with pytest.raises(ValueError, match="stream 0"):
        np.asarray(foreign.InterfaceArray(numbers(), stream=0))
    f = np.compile(lambda a: a + 1)
    f(theirs)
    foreign.fences()
    f(theirs)
    assert foreign.fences() == ["waits for all", "all wait"]
    mine = there(numbers())
    f(mine)
    foreign.fences()
    f(mine)
    assert foreign.fences() == []


@pytest.mark.parametrize("kind", [foreign.Array, foreign.InterfaceArray])
def test_read_only_stays_read_only(kind: Any) -> None:
    theirs = kind(numbers(), read_only=True)
    x = np.asarray(theirs)
    assert not x.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1

    @np.compile
    def add(a: Any) -> None:
        a += 1

    with pytest.raises(ValueError, match="read-only"):
        add(x)
    tensor = foreign.Taken(x.__dlpack__(max_version=(1, 0)))
    assert tensor.flags == 1
    tensor.release()


def test_errors_of_import() -> None:
    class Broken(foreign.Array):
        def __dlpack__(self, **kwargs: Any) -> Any:
            raise BufferError("not now")

    with pytest.raises(BufferError, match="not now"):
        np.asarray(Broken(numbers()))

    class Nowhere:
        def __dlpack_device__(self) -> tuple[int, int]:
            raise ValueError("on no device")

        def __dlpack__(self, **kwargs: Any) -> Any:
            raise BufferError("nowhere")

        def __len__(self) -> int:
            return 3

    nowhere = Nowhere()
    assert np.compile(lambda a, b: a * len(b))(numbers(), nowhere)[1, 1] == 3 * numbers()[1, 1]
    with pytest.raises(BufferError, match="would be a copy"):
        np.from_dlpack(foreign.Array(numbers()), device="cpu", copy=False)
    with pytest.raises(BufferError, match="would be a copy"):
        np.from_dlpack(np.asarray(numbers()), device="cuda", copy=False)

    class Elsewhere(foreign.InterfaceArray):
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            return super().__cuda_array_interface__ | {"data": (4096, False)}

    with pytest.raises(BufferError, match="on no CUDA device"):
        np.asarray(Elsewhere(numbers()))

    class Skew(foreign.InterfaceArray):
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            found = super().__cuda_array_interface__
            return found | {"data": (found["data"][0] + 3, False), "shape": (3,)}

    with pytest.raises(BufferError, match="not aligned"):
        np.asarray(Skew(numbers()))


def test_from_dlpack_to_other_devices() -> None:
    theirs = foreign.Array(numbers())
    here = np.from_dlpack(theirs, device="cpu")
    assert here.device == "cpu"
    numpy.testing.assert_array_equal(here, numbers())
    copied = np.from_dlpack(theirs, copy=True)
    assert copied.device == "cuda:0"
    theirs.memory.store(numbers() + 1)
    numpy.testing.assert_array_equal(numpy.asarray(copied), numbers())
    up = np.from_dlpack(numbers(), device="cuda")
    assert up.device == "cuda:0"
    assert np.from_dlpack(numbers()).device == "cpu"


def test_transforms_and_tapes_take_them() -> None:
    values = numbers() / 10
    theirs = foreign.Array(values)
    numpy.testing.assert_allclose(numpy.asarray(np.grad(lambda a: np.sin(a).sum())(theirs)), numpy.cos(values))
    numpy.testing.assert_allclose(numpy.asarray(np.compile(np.grad(lambda a: np.sin(a).sum()))(theirs)), numpy.cos(values))
    x = np.asarray(theirs)
    x = x.to("cpu")
    x.requires_grad = True
    y = (x * np.asarray(theirs)).sum()
    with pytest.raises(TypeError, match="derivative"):
        y.__dlpack__()
    with pytest.raises((TypeError, AttributeError)):
        y.__cuda_array_interface__  # noqa: B018
    y.backward()
    numpy.testing.assert_allclose(numpy.asarray(x.grad), values)


def test_inside_compiled_functions_they_are_arguments_alone() -> None:
    theirs = foreign.Array(numbers())
    f = np.compile(lambda a: a + np.asarray(theirs))
    for _ in range(3):
        numpy.testing.assert_array_equal(numpy.asarray(f(numbers())), 2 * numbers())
    with pytest.raises(np.RecordError):
        np.compile(lambda a: a + np.asarray(theirs), fullgraph=True)(numbers())
    g = np.compile(lambda a: hasattr(a, "__cuda_array_interface__"))
    assert g(theirs) in (True, False)


def test_two_devices_do_not_mix_up() -> None:
    if len(np.cuda.devices()) < 2:
        pytest.skip("there is one device")
    values = numbers()
    theirs = foreign.Array(values, memory=foreign.Memory(values, device=1))
    f = np.compile(lambda a, b: a + b)
    x = np.asarray(theirs)
    assert x.device == "cuda:1"
    with np.device("cuda:0"):
        numpy.testing.assert_array_equal(numpy.asarray(f(x, values)), 2 * values)


def test_threads() -> None:
    f = np.compile(lambda a: a * 3 + 1)
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for i in range(20):
                values = numbers(shape=(4, 3 + seed)) + seed * i
                theirs = foreign.Array(values)
                y = f(theirs)
                del theirs
                tensor = foreign.Taken(y.__dlpack__(stream=seed + 3), stream=seed + 3)
                numpy.testing.assert_array_equal(tensor.values(), values * 3 + 1)
                del y
                numpy.testing.assert_array_equal(tensor.values(), values * 3 + 1)
                tensor.release()
        except BaseException as error:  # noqa: BLE001  # it is raised below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def test_memory_is_not_reused_under_others() -> None:
    """What another library asked for, and has not done yet, still finds the elements when the array is gone."""
    f = np.compile(lambda a: a + 1)
    values = numbers(shape=(64, 64))
    y = f(there(values))
    tensor = foreign.Taken(y.__dlpack__(stream=7))
    late = foreign.Memory(values)  # its stream waits
    del y
    tensor.release()
    z = [f(there(values * 5)) for _ in range(3)]
    assert "waits for all" in foreign.fences()
    del late, z


def test_foreign_memory_is_given_back_after_our_work() -> None:
    f = np.compile(lambda a: np.sqrt(a) * 2)
    values = numbers(shape=(33, 9))
    y = f(foreign.Array(values))  # freed, and filled with a pattern by its owner, when the call has returned
    gc.collect()
    numpy.testing.assert_allclose(numpy.asarray(y), numpy.sqrt(values) * 2)


def test_profilers_see_calls_and_steps_by_their_names() -> None:
    def program(a: Any) -> Any:
        return np.sort(np.exp(a)).sum(axis=0) @ np.ones(6)

    f = np.compile(program)
    x = there(numbers())
    f(x)
    foreign.ranges()
    f(x)
    names = [kernel["name"] for kernel in np.explain(f)(x).kernels]
    assert len(names) >= 3 and "sort" in names
    expected = "program(" + "".join(f"{name}()" for name in names) + ")"
    assert foreign.ranges() == expected * 2

    @np.compile
    def fails(a: Any) -> Any:
        return np.linalg.inv(a[:5, :5] * 0)

    with pytest.raises(np.linalg.LinAlgError):
        fails(x)
    seen = foreign.ranges()
    assert seen.count("(") == seen.count(")")
