"""Operations outside of compiled functions on a CUDA device: they are done there, their results stay there, and nobody waits for them.

Run where there is a device, or with FASTNP_SIMULATED_DEVICE=1 in builds that have the simulated one.
"""

from __future__ import annotations

import copy
import math
import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy
import pytest
from support import DTYPES, FLOATS, values_of

import fastnp as np
from fastnp import _core

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

ROWS = _core._catalogue()
UNARY = [row[0] for row in ROWS if row[1] == "map" and row[2] == 1 and hasattr(numpy, row[0])]
BINARY = [row[0] for row in ROWS if row[1] == "map" and row[2] == 2 and hasattr(numpy, row[0]) and row[0] != "where"]
FOLDS = [row[0] for row in ROWS if row[1] in ("fold", "argfold", "scan") and hasattr(numpy, row[0])]

random = numpy.random.default_rng(5)


def there(x: Any) -> np.ndarray:
    """A copy on the device."""
    return np.asarray(x).to("cuda")


@contextmanager
def copies(uploads: int = 0, downloads: int = 0, launches: bool = True) -> Iterator[None]:
    """What is copied inside, and whether kernels are launched."""
    before = np.cuda.statistics()
    yield
    after = np.cuda.statistics()
    assert (after.uploads - before.uploads, after.downloads - before.downloads) == (uploads, downloads)
    assert (after.launches > before.launches) == launches


def quiet(function: Callable[..., Any], *args: Any) -> Any:
    with numpy.errstate(all="ignore"):
        return function(*args)


def same(got: Any, want: Any, context: Any = "") -> None:
    """As the host has it; elementary functions and sums may be rounded otherwise."""
    want = numpy.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), context
    if want.dtype.kind in "fc":
        eps = float(numpy.finfo(want.dtype).eps)
        with numpy.errstate(all="ignore"):
            # Powers are exponentials of logarithms, whose rounding counts as often as the logarithm of the result says.
            largest = float(numpy.max(numpy.abs(want[numpy.isfinite(want)]), initial=1.0))
            times = 64 + (4 * numpy.log(largest) if want.dtype.kind == "c" and "power" in str(context) else 0)
            numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=times * eps, atol=64 * eps, err_msg=str(context))
    else:
        numpy.testing.assert_array_equal(numpy.asarray(got), want, err_msg=str(context))


def home_of(x: Any) -> str:
    return x.device if isinstance(x, np.ndarray) else "cpu"


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_operand(name: str) -> None:
    for dtype in DTYPES:
        x = values_of(dtype, special=dtype.kind != "c").reshape(5, 8)
        try:
            want = quiet(getattr(np, name), np.asarray(x))
        except TypeError as error:
            with pytest.raises(TypeError) as ours:
                getattr(np, name)(there(x))
            assert str(ours.value) == str(error)
            continue
        for layout in (lambda a: a, lambda a: a[::2, ::-1], lambda a: a.T):
            got = getattr(np, name)(layout(there(x)))
            assert home_of(got) == "cuda:0"
            same(got, quiet(getattr(np, name), layout(np.asarray(x))), (name, dtype))
            assert got.strides == quiet(getattr(np, name), layout(np.asarray(x))).strides
        assert want.shape == (5, 8)


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_operands(name: str) -> None:
    for dtype in DTYPES:
        x, y = values_of(dtype, 40, 0, False).reshape(5, 8), values_of(dtype, 40, 3, False)[:8]
        if dtype.kind == "i" and "power" in name:
            y = numpy.abs(y // 2)
        try:
            want = quiet(getattr(np, name), np.asarray(x), np.asarray(y))
        except TypeError:
            with pytest.raises(TypeError):
                getattr(np, name)(there(x), there(y))
            continue
        for a, b in ((there(x), there(y)), (there(x), y), (x, there(y))):
            got = getattr(np, name)(a, b)
            assert home_of(got) == "cuda:0"
            same(got, want, (name, dtype))


@pytest.mark.parametrize("name", FOLDS)
def test_reductions(name: str) -> None:
    for dtype in DTYPES:
        x = values_of(dtype, 60, 2, False).reshape(3, 4, 5)
        if dtype.kind in "fc":
            x = (random.uniform(0.5, 1.5, (3, 4, 5)) * (1 if dtype.kind == "f" else 1 + 0.5j)).astype(dtype)
        for axis in (None, 0, 1, -1):
            for layout in (lambda a: a, lambda a: a.transpose(2, 0, 1), lambda a: a[:, ::-2]):
                got = getattr(np, name)(layout(there(x)), axis=axis)
                assert home_of(got) == "cuda:0"
                same(got, getattr(np, name)(layout(np.asarray(x)), axis=axis), (name, dtype, axis))


MANIPULATIONS: dict[str, Callable[[Any], Any]] = {
    "ravel": lambda a: np.ravel(a.T),
    "reshape": lambda a: a[:, ::2].reshape(-1),
    "repeat": lambda a: np.repeat(a, 3, axis=1),
    "tile": lambda a: np.tile(a, (2, 3)),
    "roll": lambda a: np.roll(a, 2, axis=0),
    "flip": lambda a: np.flip(a) + 0,
    "stack": lambda a: np.stack([a, a * 2], axis=1),
    "concatenate": lambda a: np.concatenate([a, a[:2]]),
    "pad": lambda a: np.pad(a, 2),
    "where": lambda a: np.where(a > 0, a, -1.0),
    "clip": lambda a: np.clip(a, -0.5, 0.5),
    "astype": lambda a: a.astype(numpy.float32),
    "copy": lambda a: a.T.copy(),
    "diag": lambda a: np.diagonal(a) + 1,
    "tril": lambda a: np.tril(a),
    "diff": lambda a: np.diff(a, axis=1),
    "take": lambda a: np.take(a, numpy.array([2, 0, 1, 1]), axis=0),
    "rows": lambda a: a[numpy.array([2, 0, -1])],
    "elements": lambda a: a[numpy.array([2, 0, -1]), numpy.array([1, 1, 0])],
    "mask": lambda a: a[a > 0],
    "row mask": lambda a: a[numpy.arange(6) % 2 == 0],
    "sort": lambda a: np.sort(a, axis=1),
    "argsort": lambda a: np.argsort(a, axis=0),
    "matmul": lambda a: a @ a.T,
    "einsum": lambda a: np.einsum("ij,kj->ik", a, a),
    "mean": lambda a: a.mean(axis=0),
    "std": lambda a: np.std(a, axis=1),
    "var": lambda a: np.var(a),
    "median": lambda a: np.median(a, axis=0),
    "nanmedian": lambda a: np.nanmedian(a, axis=0),
    "packbits": lambda a: np.packbits(a > 0, axis=0),
    "unique": lambda a: np.unique(a, axis=0),
    "softmax": lambda a: np.exp(a - a.max(axis=1, keepdims=True)) / np.exp(a - a.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True),
    "solve": lambda a: np.linalg.solve(a @ a.T + np.eye(6), a),
    "fft": lambda a: np.fft.fft(a),
    "cumsum": lambda a: np.cumsum(a, axis=1),
    "all": lambda a: np.all(a > -10),
    "nothing": lambda a: a[:0].sum(axis=0),
}


@pytest.mark.parametrize("name", MANIPULATIONS)
def test_manipulations(name: str) -> None:
    x = random.normal(size=(6, 9))
    want = MANIPULATIONS[name](np.asarray(x))
    a = there(x)
    got = MANIPULATIONS[name](a)
    assert home_of(got) == "cuda:0"
    same(got, want)
    assert got.strides == want.strides
    same(a, x)


WRITES: dict[str, Callable[[Any], Any]] = {
    "in place": lambda a: a.__iadd__(1.5),
    "part": lambda a: a[1:, ::2].__imul__(2.0),
    "moved": lambda a: a.__setitem__(slice(1, None), a[:-1]),
    "added to neighbours": lambda a: a[1:].__iadd__(a[:-1]),
    "number": lambda a: a.__setitem__((slice(None), 2), 7),
    "element": lambda a: a.__setitem__((1, 1), 7),
    "transposed": lambda a: a.T.__setitem__(slice(2, 4), a[:, 0]),
    "reversed": lambda a: a.__setitem__(slice(None), a[::-1]),
    "mask": lambda a: a.__setitem__(a > 0, 0.0),
    "rows": lambda a: a.__setitem__(numpy.array([0, 3]), 1.0),
    "elements": lambda a: a.__setitem__((numpy.array([0, 3]), numpy.array([2, 2])), numpy.array([5.0, 6.0])),
    "out": lambda a: np.multiply(a, a, out=a),
    "out of part": lambda a: np.add(a[:3], 1.0, out=a[3:]),
    "overlapping out": lambda a: np.add(a[:-1], 1.0, out=a[1:]),
    "where": lambda a: np.add(a, 1.0, out=a, where=a > 0),
    "masked by overlap": lambda a: np.negative(a[1:], out=a[:-1], where=a[1:] < a[:-1]),
    "cast": lambda a: np.add(np.arange(9), 1, out=a[0]),
    "sum": lambda a: np.sum(a[1:], axis=0, out=a[0]),
    "copyto": lambda a: np.copyto(a, np.arange(9.0), where=a < 0),
    "fill": lambda a: a.fill(3),
    "at": lambda a: np.add.at(a, numpy.array([1, 1, 2]), 1.0),
    "power": lambda a: a.__ipow__(2),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("part", [False, True])
def test_writes(name: str, part: bool) -> None:
    x = random.normal(size=(6, 9))
    whole = [numpy.zeros((9, 12)) if part else x.copy(), there(numpy.zeros((9, 12)) if part else x)]
    views = [each[2:8, 1:10] if part else each for each in whole]
    for each in views:
        if part:
            each[...] = x
    WRITES[name](np.asarray(views[0]))
    WRITES[name](views[1])
    assert whole[1].device == "cuda:0"
    same(whole[1], whole[0])
    same(views[1], views[0])


def test_a_chain_moves_nothing() -> None:
    a, b = there(random.normal(size=(50, 20))), there(random.normal(size=20))
    with copies():
        c = np.exp(a * 2 + b) / 3
        c -= c.mean(axis=0)
        c[::2] *= 0.5
        c[:, 0] = b[0]
        d = (c.T.reshape(4, -1) ** 2).sum(axis=1)
        loss = d.sum() / len(d)
        loss += 1
        e = np.where(c > loss, c, 0).astype(numpy.float32)
        with np.device("cuda"):
            f = np.zeros((3, 4)) + np.arange(4) + np.eye(3, 4) + np.full((3, 1), 2.5) + 1j * np.ones(4)
    assert {home_of(x) for x in (a, b, c, d, e, f, loss)} == {"cuda:0"}


def test_arrays_of_the_host_go_along_once_an_operation() -> None:
    a = there(random.normal(size=100))
    mine = random.normal(size=100)
    with copies(uploads=1):
        a += mine
    with copies(uploads=1):
        c = a * np.asarray(mine)
    with np.device("cuda"):
        with copies(uploads=1, launches=False):
            made = np.array(mine.tolist())
        with copies():
            d = c + made
            d += made
    with copies(downloads=1, launches=False):
        mine[:] = 0
        np.asarray(mine)[...] = d
    same(d, mine)


def test_numpy_borrows() -> None:
    x = random.normal(size=12)
    a = there(x)
    seen = numpy.asarray(a)
    seen[3] = 100.0
    part = seen[2:5]
    del seen
    assert part[1] == 100.0 and a.device == "cpu"  # NumPy may write to it at any time
    same(a + 1, numpy.concatenate([x[:3], [100.0], x[4:]]) + 1)
    part[1] = 50.0
    with np.device("cuda"):
        same(a + 1, numpy.concatenate([x[:3], [50.0], x[4:]]) + 1)
    del part
    assert a.device == "cuda:0"
    assert np.median(a, overwrite_input=False) == numpy.median(numpy.asarray(a))
    same(np.unique(a, axis=0), numpy.unique(numpy.asarray(a), axis=0))  # by NumPy
    a.sort()
    numpy.testing.assert_array_equal(memoryview(a), numpy.sort(numpy.concatenate([x[:3], [50.0], x[4:]])))
    with copies(uploads=1):
        a += 1
    assert a.device == "cuda:0"


def test_numbers_go_along_by_value() -> None:
    for dtype in DTYPES:
        x = numpy.ones(7, dtype)
        a = there(x)
        for number in (True, 3, 2.5, 1 + 2j, numpy.float32(1.5), numpy.int16(-2), numpy.array(2.0), numpy.complex128(1 - 1j)):
            with copies():
                got = a + number
            same(got, x + number, (dtype, number))


def test_new_sizes_and_numbers_compile_nothing() -> None:
    with np.device("cuda"):
        for n in range(2, 40):
            x = np.arange(n) * float(n) - n
            assert float(x.sum()) == n * n * (n - 1) / 2 - n * n


def test_sizes_of_zero_and_one() -> None:
    for shape in ((0,), (1,), (0, 3), (3, 0), (1, 1), (1, 5), (5, 1), ()):
        x = random.normal(size=shape)
        a = there(x)
        same(a + 1, x + 1)
        same(np.exp(a).sum(), numpy.exp(x).sum())
        same(a * there(random.normal(size=())) * 0, x * 0)
        if x.ndim > 0:
            same(a.sum(axis=0, keepdims=True), x.sum(axis=0, keepdims=True))


def test_large_sums_are_divided() -> None:
    for n in (3, 300, 300_000):
        x = random.normal(size=n)
        assert math.isclose(float(there(x).sum()), math.fsum(x), abs_tol=1e-9)
    x = random.normal(size=(4000, 7))
    exact = numpy.array([math.fsum(column) for column in x.T])  # NumPy's own sums are up to four times as far from them
    assert numpy.all(abs(numpy.asarray(there(x).sum(axis=0)) - exact) <= numpy.finfo(float).eps / 4 * abs(x).sum(axis=0))
    same(there(x).sum(axis=1), x.sum(axis=1))


def test_where_things_are_done() -> None:
    x = numpy.arange(6.0)
    a = np.asarray(x)
    assert (a + 1).device == "cpu"
    with np.device("cuda"):
        assert (a + 1).device == "cuda:0" and np.add(x, 1).device == "cuda:0" and a.copy().device == "cuda:0"
        assert isinstance(np.float64(2.0) * np.float64(3.0), numpy.float64)  # of numbers alone
        b = np.array([1.0, 2.0])
        assert b.device == "cuda:0"
    assert (b * 2).device == "cuda:0"
    assert np.sort(b).device == "cuda:0"  # which the host does
    assert np.sort(b * 2).tolist() == [2.0, 4.0]
    c = b.to("cpu")
    assert (c * 2).device == "cpu" and (c * b).device == "cuda:0"
    with np.device("cpu"):
        assert (b + 1).device == "cuda:0"  # arrays take what is done to them along


def test_errors_are_the_hosts() -> None:
    x = random.normal(size=(3, 4))
    integers = numpy.arange(3)
    cases: list[Callable[[Any, Any], Any]] = [
        lambda a, i: a + a[:, :3],
        lambda a, i: np.add(a, 1, out=a[0]),
        lambda a, i: np.add(i, 0.5, out=i),
        lambda a, i: a.__setitem__(0, a[:, :2]),
        lambda a, i: a[7],
        lambda a, i: a[numpy.array([9])],
        lambda a, i: a & a,
        lambda a, i: i ** np.asarray(-integers),
        lambda a, i: i**-1,
        lambda a, i: np.zeros((0, 3)).max(),
        lambda a, i: a @ a,
        lambda a, i: a[numpy.array([True, False])],
        lambda a, i: np.linalg.inv(a[:, :3] * 0),
        lambda a, i: bool(a),
        lambda a, i: a.sum(axis=2),
        lambda a, i: a.reshape(5),
    ]
    for number, case in enumerate(cases):
        with pytest.raises(Exception) as wanted:  # noqa: PT011 - whatever the host raises
            case(np.asarray(x), np.asarray(integers))
        with pytest.raises(wanted.type) as found:
            case(there(x), there(integers))
        assert str(found.value) == str(wanted.value), number


def test_results_of_no_axes_stand_for_scalars() -> None:
    a = there(numpy.arange(5.0))
    with copies():
        total = a.sum()
        mean = a.mean()
        element = a[3]
        product = np.dot(a, a) + 0.5
        is_large = total > 3
    for each, value in ((total, 10.0), (mean, 2.0), (element, 3.0), (product, 30.5)):
        assert isinstance(each, np.ndarray) and each.shape == () and each.dtype == numpy.float64 and each.device == "cuda:0"
        assert float(each) == value and each == value and each.item() == value and int(each) == int(value) and each.tolist() == value
        assert hash(each) == hash(value) and {value: 1}[each] == 1
        assert repr(each) == repr(numpy.float64(value)) and str(each) == str(value) and f"{each:.3f}" == f"{value:.3f}"
        assert math.sqrt(each) == math.sqrt(value) and round(float(each)) == round(value) and complex(each) == value
        assert pickle.loads(pickle.dumps(each)) == value and copy.deepcopy(each) == value
        assert each in (value, None) and sum([each, each]) == 2 * value and max(each, -1) == value
        numpy.testing.assert_allclose(each, value)
    assert is_large and not (total < 3)
    assert numpy.arange(5)[np.argmax(a)] == 4 and list(range(there(numpy.arange(4)).max())) == [0, 1, 2]
    before = total
    total += 1  # a new value, as of NumPy's scalars
    assert float(before) == 10.0 and float(total) == 11.0
    a[3] = 7.0
    assert float(element) == 3.0  # no view
    with pytest.raises(TypeError):
        hash(a)
    with pytest.raises(TypeError):
        hash(a[:1])


def test_scalars_off_the_device_are_numpys() -> None:
    a = np.arange(5.0).to("cpu")
    b = there(a)
    assert type(a.sum()) is numpy.float64 and type(a[1]) is numpy.float64 and type(np.max(a)) is numpy.float64
    assert type((a.to("cpu") * 2).mean()) is numpy.float64
    assert isinstance(b.sum(), np.ndarray)


def test_compiled_functions_do_not_wait() -> None:
    f = np.compile(lambda a, k: (a * k).sum())
    g = np.compile(lambda a, s: (a - s) / (1 + s))
    x = random.normal(size=1000)
    a = there(x)
    f(a, 2.0), f(a, 3.0), g(a, f(a, 3.0))
    with copies():
        for k in range(5):
            loss = f(a, float(k))
            a = g(a, loss)
    assert isinstance(loss, np.ndarray) and loss.device == "cuda:0"
    for k in range(5):
        total = (x * k).sum()
        x = (x - total) / (1 + total)
    same(a, x)
    assert math.isclose(float(loss), total, rel_tol=1e-9)
    assert type(f(x, 2.0)) is numpy.float64  # NumPy's go in and come out
    kept = [f(a, 1.0), f(a, 2.0)]
    assert kept[0] != kept[1]


def test_scalars_that_are_written_into_a_compiled_function() -> None:
    @np.compile
    def step(total: Any, a: Any) -> Any:
        total += a.sum()  # a new value: that of the caller stays
        return total

    a = there(numpy.ones(4))
    first = a.sum()
    second = step(first, a)
    assert (float(first), float(second)) == (4.0, 8.0)


def test_gradients() -> None:
    x, w = random.normal(size=(8, 5)), random.normal(size=(5, 3))

    def loss(v: Any) -> Any:
        return (np.tanh(np.asarray(x).to("cuda") @ v) ** 2).sum()

    a = there(w)
    a.requires_grad = True
    value = loss(a)
    value.backward()
    b = np.asarray(w.copy())
    b.requires_grad = True
    other = (np.tanh(np.asarray(x) @ b) ** 2).sum()
    other.backward()
    assert a.grad.device == "cuda:0"
    same(a.grad, numpy.asarray(b.grad))
    same(np.grad(loss)(there(w)), numpy.asarray(b.grad))


def test_backward_waits_for_nothing() -> None:
    w, x = there(random.normal(size=20)), there(random.normal(size=20))
    w.requires_grad = True
    for turn in range(4):
        before = np.cuda.statistics()
        loss = ((w * x - 1) ** 2).sum()
        loss.backward()
        with np.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
        after = np.cuda.statistics()
        if turn >= 2:
            assert (after.uploads, after.downloads) == (before.uploads, before.downloads)
    assert w.device == "cuda:0"


def test_threads() -> None:
    x = random.normal(size=(40, 30))
    a = there(x)
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            mine = there(numpy.full(30, float(number)))
            for turn in range(12):
                got = (np.tanh(a * number) + mine) * turn
                got[::2] += float(turn)
                mine += 1.0
                want = (numpy.tanh(x * number) + number + turn) * turn
                want[::2] += turn
                same(got, want)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert problems == []


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values(dtype: Any) -> None:
    x = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1.0], dtype)
    a = there(x)
    with numpy.errstate(all="ignore"):
        for f in (lambda v: v + 1, lambda v: v * 0, lambda v: 1 / v, lambda v: v > 0, lambda v: np.maximum(v, 0), lambda v: v.max(), lambda v: v.sum()):
            numpy.testing.assert_array_equal(numpy.asarray(f(a)), numpy.asarray(f(np.asarray(x))))
