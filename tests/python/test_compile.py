"""Compiled functions: arguments, results, caching, and behaving as the function that was written."""

from __future__ import annotations

import copy
import dataclasses
import functools
import gc
import inspect
import math
import pickle
import re
import threading
import weakref
from collections import namedtuple

import numpy
import pytest
from support import BACKENDS, is_scalar

import fastnp as np

pytestmark = pytest.mark.parametrize("backend", BACKENDS)

Pair = namedtuple("Pair", "first second")


@dataclasses.dataclass
class Params:
    weight: np.ndarray
    bias: np.ndarray
    scale: float = 1.0


def affine(x, y=2.0, *, z=1.0):
    """x * y + z."""
    return x * y + z


decorated = np.compile(affine, backend="eager")


@np.compile
def at_module_level(x):
    return x + 1


def test_calls_with_every_kind_of_argument(backend):
    f = np.compile(affine, backend=backend)
    x = np.arange(4.0)
    for args, kwargs in (((x,), {}), ((x, 3), {}), ((x,), {"y": 3, "z": 2}), ((), {"x": x, "z": x}), ((x, x), {"z": x})):
        assert f(*args, **kwargs).tolist() == affine(*args, **kwargs).tolist()
    for args, kwargs in (((), {}), ((x, 1, 2), {}), ((x,), {"q": 1}), ((x,), {"x": x})):
        with pytest.raises(TypeError) as theirs:
            affine(*args, **kwargs)
        with pytest.raises(TypeError) as ours:
            f(*args, **kwargs)
        assert str(ours.value) == str(theirs.value)


def test_variable_arguments(backend):
    @np.compile(backend=backend)
    def f(x, /, *more, scale=1, **named):
        total = x * scale
        for item in more:
            total = total + item
        for name in sorted(named):
            total = total * named[name]
        return total

    x = np.arange(3.0)
    for args, kwargs in (((x,), {}), ((x, x, 1), {}), ((x, 2), {"scale": 3}), ((x,), {"b": x, "a": 2}), ((x, x), {"a": 2, "x": 3})):
        assert f(*args, **kwargs).tolist() == f.__wrapped__(*args, **kwargs).tolist()
    assert f(x, a=x, b=2).tolist() == f(x, b=2, a=x).tolist()


def test_trees_of_arguments_and_results(backend):
    @np.compile(backend=backend)
    def f(tree):
        a, (b, c) = tree["pair"]
        return {"sum": a + b, "list": [c, a * 2], "pair": Pair(a, b + c), "none": None, "text": "hello", "number": 3}

    x = np.arange(3.0)
    got = f({"pair": [x, (x + 1, x + 2)]})
    assert list(got) == ["sum", "list", "pair", "none", "text", "number"]
    assert got["sum"].tolist() == [1, 3, 5] and got["list"][0].tolist() == [2, 3, 4] and type(got["list"]) is list
    assert type(got["pair"]) is Pair and got["pair"].second.tolist() == [3, 5, 7] and got["none"] is None and got["text"] == "hello" and got["number"] == 3
    pair = Pair(x, x)
    g = np.compile(lambda p: p.first + p.second, backend=backend)
    assert g(pair).tolist() == [0, 2, 4] and f.cache_info().compiles == 1


def test_dataclasses(backend):
    @np.compile(backend=backend)
    def f(p, x):
        return dataclasses.replace(p, bias=p.weight * x * p.scale + p.bias)

    p = Params(np.ones(3), np.arange(3.0), 2.0)
    got = f(p, np.ones(3))
    assert type(got) is Params and got.bias.tolist() == [2, 3, 4] and got.scale == 2.0
    assert f(Params(np.ones(3), np.arange(3.0), 3.0), np.ones(3)).bias.tolist() == [3, 4, 5]


def test_numpy_in_numpy_out(backend):
    f = np.compile(lambda x, y: (x + y, x.sum(), x), backend=backend)
    ours, theirs = np.arange(3.0), numpy.arange(3.0)
    total, scalar, same = f(theirs, theirs.copy())
    assert type(total) is numpy.ndarray and type(scalar) is numpy.float64 and same is theirs
    total, scalar, same = f(ours, theirs)
    assert type(total) is np.ndarray and is_scalar(scalar) and same is ours
    assert f.cache_info().compiles == 1


def test_functions_written_with_plain_numpy(backend):
    @np.compile(backend=backend)
    def softmax(x):
        e = numpy.exp(x - numpy.max(x, axis=-1, keepdims=True))
        return e / numpy.sum(e, axis=-1, keepdims=True)

    x = numpy.random.default_rng(0).normal(size=(3, 5))
    numpy.testing.assert_allclose(softmax(x), softmax.__wrapped__(x), rtol=1e-14)
    assert softmax.cache_info().compiles == 1 and softmax.cache_info().uncompiled == 0

    @np.compile(backend=backend)
    def mixed(x):
        weights = numpy.arange(3.0)
        return numpy.where(x > 1, x * weights, numpy.concatenate([x[:1], x[1:]])).sum(axis=0), numpy.float32(2) * x, weights + x

    got, want = mixed(numpy.arange(3.0)), mixed.__wrapped__(numpy.arange(3.0))
    assert mixed.cache_info().compiles == 1
    for a, b in zip(got, want, strict=True):
        numpy.testing.assert_array_equal(a, b)


def test_scalars_come_back_as_scalars(backend):
    @np.compile(backend=backend)
    def f(x):
        return x.sum(), x[1], np.sin(x[0]), np.asarray(x.max()), x.reshape(-1)[0] + 1, x.mean() * x, x[1, ...], (x > 1).any(), x.argmax()

    x = np.arange(4, dtype=np.float32)
    for got, want in zip(f(x), f.__wrapped__(x), strict=True):
        assert type(got) is type(want) and got.dtype == want.dtype and got.tolist() == pytest.approx(want.tolist())


def test_numpy_scalars_as_arguments(backend):
    f = np.compile(lambda x, s: x * s, backend=backend)
    x = np.ones(2, np.float32)
    for s in (numpy.float64(2), numpy.float32(3), 4.0, 5, numpy.int8(2), True):
        assert f(x, s).dtype == (x * s).dtype and f(x, s).tolist() == (x * s).tolist()
    compiles = f.cache_info().compiles
    assert f(x, numpy.float64(7)).tolist() == [7, 7] and f.cache_info().compiles == compiles
    g = np.compile(lambda s: s + 1, backend=backend)
    assert type(g(numpy.float32(1))) is numpy.float32 and g(numpy.float32(1)) == 2


def test_plain_values_are_guarded_by_type_and_value(backend):
    f = np.compile(lambda x, flag: x + 1 if flag is True else (x - 1 if flag == 1 else x * flag), backend=backend)
    x = np.ones(2)
    assert f(x, True).tolist() == [2, 2] and f(x, 1).tolist() == [0, 0] and f(x, 2).tolist() == [2, 2] and f(x, 1.0).tolist() == [0, 0]
    g = np.compile(lambda x, s: np.copysign(x, s), backend=backend)
    assert g(x, 0.0).tolist() == [1, 1] and g(x, -0.0).tolist() == [-1, -1]
    h = np.compile(lambda x, how: {"a": x, "b": -x}[how], backend=backend)
    assert h(x, "a").tolist() == [1, 1] and h(x, "b").tolist() == [-1, -1]
    k = np.compile(lambda x, part, dtype: x[part].astype(dtype), backend=backend)
    assert k(x, slice(1, None), numpy.dtype("f4")).dtype == "f4" and k(x, slice(None), int).dtype == int


def test_dtypes_ranks_and_layouts(backend):
    f = np.compile(lambda x: x * 2 + x.sum(axis=-1, keepdims=True), backend=backend)
    for source in (
        numpy.arange(6).reshape(2, 3),
        numpy.arange(6.0),
        numpy.ones((2, 3, 4), "f4")[:, ::2],
        numpy.arange(12.0).reshape(3, 4).T,
        numpy.zeros((0, 3)),
    ):
        numpy.testing.assert_array_equal(f(source), f.__wrapped__(source))


def test_a_thousand_batch_sizes_take_two_compilations(backend):
    f = np.compile(lambda x, w: np.maximum(x * w, 0).sum(axis=-1), backend=backend)
    w = np.ones(3)
    for n in range(2, 1002):
        assert f(np.ones((n, 3)), w).shape == (n,)
    assert f.cache_info().compiles == 2 and f.cache_info().uncompiled == 0


def test_sizes_zero_and_one_after_others(backend):
    f = np.compile(lambda x: x + np.arange(3.0), backend=backend)
    for n in (5, 4, 3, 1, 0, 7):
        assert f(np.ones((n, 3))).tolist() == [[1, 2, 3]] * n


def test_dim_makes_the_first_compilation_general(backend):
    f = np.compile(lambda x: x * 2, backend=backend, dynamic={"x": {0: np.Dim("n", 1, 4096)}})
    for n in (5, 1, 300):
        assert f(np.ones(n)).tolist() == [2] * n
    assert f.cache_info().compiles == 1


def test_an_argument_comes_back_as_the_same_object(backend):
    f = np.compile(lambda x, y: (y, [x, x], x + y), backend=backend)
    x, y = np.ones(2), np.zeros(2)
    a, (b, c), d = f(x, y)
    assert a is y and b is x and c is x and d.tolist() == [1, 1]
    g = np.compile(lambda x: (lambda y: (y, y))(x + 1), backend=backend)
    a, b = g(x)
    assert a is b


def test_views_share_memory_with_the_argument(backend):
    f = np.compile(lambda x: (x[1:], x.T, x.reshape(-1)), backend=backend)
    for x in (np.zeros((2, 3)), numpy.zeros((2, 3))):
        for view in f(x):
            assert numpy.shares_memory(view, x)


def test_results_are_fresh_each_time(backend):
    f = np.compile(lambda x: (x + 1, np.zeros(2)), backend=backend)
    x = np.ones(2)
    first = f(x)
    first[0][0] = first[1][0] = 9
    assert [part.tolist() for part in f(x)] == [[2, 2], [0, 0]]


def fresh_or_same(x, y):
    a = x + 1
    flat = (x + y).reshape(-1)
    return (
        x * 1, +x, x.copy(), x - 0, x**1, x.astype(x.dtype), x.sum(axis=()), np.where(True, x, y), np.concatenate([x]), abs(abs(x)),
        x, x[:], x.T, x[1:], x.reshape(-1), np.broadcast_to(x, (2, *x.shape)), np.squeeze(x), np.asarray(x), np.ravel(x),
        a, a, a.T, a[1:], x + 1, (x + 1)[1:], flat, flat[1:], flat.reshape(x.shape), y.copy(), y, np.zeros(3), np.zeros(3), np.zeros(3) + 0,
    )  # fmt: skip


def test_results_share_memory_where_numpys_do(backend):
    arguments = [numpy.arange(12.0).reshape(3, 4), numpy.ones((3, 4))]
    f = np.compile(fresh_or_same, backend=backend)
    for _ in range(2):
        want, got = fresh_or_same(*arguments), f(*arguments)
        assert f.cache_info().compiles == 1
        for left in range(len(want)):
            numpy.testing.assert_array_equal(got[left], want[left])
            for right in range(left):
                assert numpy.shares_memory(got[left], got[right]) == numpy.shares_memory(want[left], want[right]), (left, right)
            for x in arguments:
                assert numpy.shares_memory(got[left], x) == numpy.shares_memory(want[left], x), left


def test_methods(backend):
    class Model:
        def __init__(self, scale):
            self.scale = scale

        @np.compile(backend=backend)
        def apply(self, x):
            return x * self.scale

        @staticmethod
        @np.compile(backend=backend)
        def twice(x):
            return x * 2

    a, b = Model(2.0), Model(3.0)
    x = np.ones(2)
    assert a.apply(x).tolist() == [2, 2] and b.apply(x).tolist() == [3, 3] and a.apply(x).tolist() == [2, 2]
    assert a.twice(x).tolist() == [2, 2] and Model.apply(b, x).tolist() == [3, 3]
    a.scale = 5.0
    assert a.apply(x).tolist() == [5, 5]
    gone = weakref.ref(a)
    del a
    gc.collect()
    assert gone() is None
    bound = np.compile(Model(4.0).apply, backend=backend)
    assert bound(x).tolist() == [4, 4]


def test_it_looks_like_the_function(backend):
    f = np.compile(affine, backend=backend)
    assert (f.__name__, f.__doc__, f.__module__, f.__qualname__) == ("affine", "x * y + z.", __name__, "affine") and f.__wrapped__ is affine
    assert inspect.signature(f) == inspect.signature(affine) and "affine" in repr(f) and callable(f) and f.backend == backend
    f.extra = 1
    assert f.extra == 1 and copy.copy(f) is f and copy.deepcopy(f) is f
    with pytest.raises(TypeError, match="callable"):
        np.compile(3)
    with pytest.raises(ValueError, match="unknown backend"):
        np.compile(affine, backend="nonsense")


def test_pickling(backend):
    assert pickle.loads(pickle.dumps(at_module_level)) is at_module_level
    again = pickle.loads(pickle.dumps(np.compile(affine, backend=backend)))
    assert again(np.ones(2)).tolist() == [3, 3] and again.backend == backend


def test_cache_info_and_clear(backend):
    f = np.compile(lambda x: x + 1, backend=backend)
    for x in (np.ones(3), np.ones(3), np.ones(3, np.float32)):
        f(x)
    info = f.cache_info()
    assert (info.hits, info.misses, info.currsize, info.compiles, info.uncompiled) == (1, 2, 2, 2, 0)
    f.cache_clear()
    assert f.cache_info()[:2] == (0, 0) and f.cache_info().currsize == 0
    assert f(np.ones(3)).tolist() == [2, 2, 2]


def test_the_cache_is_limited(backend):
    f = np.compile(lambda x, scale: x * scale, backend=backend, cache_size_limit=3, on_limit="evict", dynamic=False)
    x = numpy.ones(2)
    for scale in (1.5, 2.5, 3.5, 1.5, 4.5, 1.5):
        assert f(x, scale).tolist() == [scale, scale]
    assert f.cache_info().currsize == 3 and f.cache_info().maxsize == 3
    assert f.cache_info().compiles == 4  # 1.5 was called all the while
    f(x, 2.5)
    assert f.cache_info().compiles == 5
    with pytest.raises(ValueError, match="cache_size_limit must be at least 1"):
        np.compile(lambda x: x, cache_size_limit=0)


def test_compiled_functions_call_each_other(backend):
    inner = np.compile(lambda x: x * 2, backend=backend)
    outer = np.compile(lambda x: inner(x) + 1, backend=backend)
    assert outer(np.ones(2)).tolist() == [3, 3] and inner.cache_info().misses == 0
    assert np.compile(functools.partial(lambda s, x: x * s, 3), backend=backend)(np.ones(2)).tolist() == [3, 3]


def test_values_that_are_read_are_those_of_the_call(backend):
    for read in (bool, float, lambda s: s.item(), lambda s: int(s), repr, lambda s: s.tolist(), lambda s: f"{s}"):
        f = np.compile(lambda x, read=read: (x * 2, read(x.sum())), backend=backend)
        for values in ([1.0, 2.0], [-1.0, 1.5], [1.0, 2.0], [0.0, 0.0]):
            doubled, seen = f(np.array(values))
            assert doubled.tolist() == [2 * v for v in values]
            assert seen == read(numpy.array(values).sum()) and type(seen) is type(read(numpy.array(values).sum()))
        assert f.cache_info().uncompiled == 0
    f = np.compile(lambda x: x if x.sum() > 0 else -x, backend=backend)
    for sign in (1, -1, 1, -1):
        assert f(sign * np.ones(2)).tolist() == [1, 1]
    assert f.cache_info().compiles == 2 and f.cache_info().hits == 2


def test_what_needs_numpys_view_of_values_runs_as_written(backend):
    for read in (numpy.asarray, memoryview):
        f = np.compile(lambda x, read=read: x if read(x.sum()).tolist() else -x, backend=backend)  # Python 3.12 has no truth of such views
        assert f(np.ones(2)).tolist() == [1, 1] and f.cache_info().uncompiled >= 1 and f.cache_info().compiles == 0

    @np.compile(backend=backend)
    def swallowed(x):
        try:
            return x * float(x.sum())
        except Exception:
            return x

    assert swallowed(np.ones(2)).tolist() == [2, 2]
    with pytest.raises(np.RecordError, match="memoryview"):
        np.compile(lambda x: memoryview(x), backend=backend, fullgraph=True)(np.array(1.0))


def test_errors_of_the_function_are_its_own(backend):
    f = np.compile(lambda x, y: x + y, backend=backend)
    for _ in range(5):
        with pytest.raises(ValueError, match="operands could not be broadcast together with shapes"):
            f(np.ones(2), np.ones(3))
    assert f(np.ones(2), np.ones(2)).tolist() == [2, 2]

    @np.compile(backend=backend)
    def g(x, bad):
        if bad:
            raise KeyError("mine")
        return x + 1

    with pytest.raises(KeyError, match="mine"):
        g(np.ones(2), True)
    assert g(np.ones(2), False).tolist() == [2, 2]

    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        np.compile(interrupted, backend=backend)(np.ones(2))


def test_arguments_that_cannot_be_compiled(backend):
    f = np.compile(lambda x: x + x, backend=backend)
    assert f(numpy.array(["a"], object)).tolist() == ["aa"]
    masked = f(numpy.ma.array([1, 2], mask=[0, 1]))
    assert type(masked) is numpy.ma.MaskedArray and masked.tolist() == [2, None]
    assert f(numpy.ones(2, "g")).dtype == numpy.longdouble and f(numpy.arange(3, dtype=">i4")).tolist() == [0, 2, 4]
    assert f([1]) == [1, 1] and f("a") == "aa" and f(2) == 4
    assert f.cache_info().uncompiled >= 3


def test_mutation_of_arguments_happens(backend):
    def fill(x):
        x[0] = 5
        return x.sum()

    for x in (np.zeros(2), numpy.zeros(2)):
        assert np.compile(fill, backend=backend)(x) == 5 and x[0] == 5

    def append(items, x):
        items.append(x)
        return x + 1

    f, items = np.compile(append, backend=backend), []
    for count in (1, 2, 3):
        f(items, np.ones(2))
        assert len(items) == count

    def scratch(x):
        buffer = numpy.zeros(3)
        first = x + buffer
        buffer[0] = 7
        return first, x + buffer

    got = np.compile(scratch, backend=backend)(numpy.ones(3))
    assert got[0].tolist() == [1, 1, 1] and got[1].tolist() == [8, 1, 1]


def test_threads(backend):
    f = np.compile(lambda x, k: (x * k).sum(axis=-1) + k, backend=backend)
    failures = []

    def work(seed):
        for i in range(100):
            n = (seed * 7 + i) % 13 + 2
            size = 70000 if i % 10 == 0 else 8
            k = seed % 3
            got = f(np.ones((n, size)), k)
            if got.tolist() != [size * k + k] * n:
                failures.append((seed, i))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures and not any(thread.is_alive() for thread in threads)


def test_explain(backend):
    explanation = np.explain(np.compile(affine, backend=backend))(np.arange(4.0))
    text = str(explanation)
    assert "affine" in text and "first call" in text and "multiply" in text and "ms" in text and "float64" in text
    assert "multiply" in explanation.ir and explanation.result.tolist() == [1, 3, 5, 7] and explanation.kernels
    if backend == "llvm":
        assert "define" in explanation.llvm and explanation.asm
    broken = np.explain(np.compile(lambda x: float(x[0]), backend=backend))(np.arange(4.0))
    assert "float" in str(broken) and "as written" in str(broken)


SIGNATURES = [
    lambda *b, c=3.0: sum(b) * c,
    lambda a=1.0, *b, c=3.0: (a + sum(b)) * c,
    lambda a, /, b=2.0, *rest, c=3.0, d=4.0: a * b + sum(rest) * c - d,
    lambda *b, c=3.0, **named: sum(b) * c + sum(named.values()),
    lambda a, b=2.0, *, c=3.0, **named: a * b * c + sum(named.values()),
    lambda *b, **named: sum(b) - sum(named.values()),
]


@pytest.mark.parametrize("f", SIGNATURES, ids=range(len(SIGNATURES)))
def test_any_number_of_arguments_beside_defaults(backend, f):
    for given in ((), ("c",), ("d",), ("c", "d"), ("c", "e"), ("a",)):
        compiled = np.compile(f, backend=backend)
        for count in range(5):
            args = [numpy.arange(3.0) + k for k in range(count)]
            named = {name: numpy.full(3, ord(name)) for name in given}
            try:
                want = f(*args, **named)
            except TypeError as error:
                with pytest.raises(TypeError, match=re.escape(str(error))):
                    compiled(*args, **named)
                continue
            numpy.testing.assert_array_equal(compiled(*args, **named), want)


def test_the_same_object_twice_is_the_same_object(backend):
    f = np.compile(lambda x, y: x + 1 if x is y else x - 1, backend=backend)
    a, b = np.ones(2), np.ones(2)
    assert f(a, a).tolist() == [2, 2] and f(a, b).tolist() == [0, 0] and f(b, b).tolist() == [2, 2]
    assert f.cache_info().compiles == 2


def test_kinds_of_arrays_that_a_recording_does_not_know(backend):
    for ask in (
        lambda x: x * 2 if isinstance(x, numpy.ndarray) else x * 3,
        lambda x: x * 2 if isinstance(x, np.ndarray) else x * 3,
        lambda x: x * 2 if type(x) is numpy.ndarray else x * 3,
        lambda x: x * 2 if isinstance(x.sum(), float) else x * 3,
        lambda x: x * 2 if x.base is None else x * 3,
    ):
        f = np.compile(ask, backend=backend)
        for x in (numpy.ones(2), np.ones(2), numpy.ones(2, "f4"), np.ones(4)[::2]):
            assert f(x).tolist() == ask(x).tolist()
    f = np.compile(lambda x: x[0] if isinstance(x, (list, tuple)) else x * 2, backend=backend)
    assert f(np.ones(2)).tolist() == [2, 2] and f.cache_info().compiles == 1


def test_python_arithmetic_on_sizes(backend):
    f = np.compile(lambda x: x.sum() / len(x) + math.sqrt(x.shape[0]) + x.size, backend=backend)
    for n in (4, 9, 16):
        assert f(np.ones(n)) == 1 + math.sqrt(n) + n
