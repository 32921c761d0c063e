"""Statements of native loops that look native but need care: several targets at once, wrong places, whole arrays of awkward dtypes and values.
Each of several calls gives, raises, warns and changes what the function as written does."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from loop_source import function_of
from support import SEED, assert_same_bits, called
from test_array_loops import every_loop_is_tried  # noqa: F401 - a fixture
from test_native_loops import programs_of

import fastnp as np

Make = Callable[[], tuple[Any, ...]]


class Thing:
    def __init__(self) -> None:
        self.k = 0
        self.n = 1
        self.x = numpy.array([3.0, 1.0, 2.0])


def made(text: str, name: str) -> Any:
    return function_of(textwrap.dedent(text), f"exact {name}")


def outcome(function: Any, arguments: tuple[Any, ...]) -> tuple[Any, list[str]]:
    result, met = called(function, *arguments)
    return result, sorted({f"{each.category.__name__}: {each.message}" for each in met})


def assert_same(got: Any, want: Any, note: str) -> None:
    assert type(got) is type(want), f"{note}: {got!r} where the function as written has {want!r}"
    if isinstance(want, (numpy.ndarray, numpy.generic, float)):
        assert_same_bits(got, want, note)
    elif isinstance(want, (tuple, list)):
        assert len(got) == len(want), note
        for g, w in zip(got, want, strict=True):
            assert_same(g, w, note)
    elif isinstance(want, dict):
        assert_same(list(got.items()), list(want.items()), note)
    elif isinstance(want, Thing):
        assert_same(vars(got), vars(want), note)
    else:
        assert got == want, f"{note}: {got!r} where the function as written has {want!r}"


def agree(function: Any, *makes: Make, is_native: bool | None = None) -> None:
    """Calls with arguments made anew, three of each. `is_native`: whether there is a program then, if that is to be asked."""
    compiled = np.compile(function, adaptive=False)
    for number, make in enumerate(makes):
        theirs = make()
        want, told = outcome(function, theirs)
        for call in range(3):
            note = f"FASTNP_TEST_SEED={SEED}: arguments {number}, call {call}"
            mine = make()
            got, said = outcome(compiled, mine)
            assert_same(got, want, note)
            assert said == told, f"{note}: warns {said} where the function as written warns {told}"
            assert_same(mine, theirs, f"{note}: arguments afterwards")
    if is_native is not None:
        assert bool(programs_of(compiled)) == is_native


# Several targets

ORDERS = [
    "p[i], q[p[i]] = 1, 9", "p[i], p[p[i]] = p[p[i]], p[i]", "p[i] = q[p[i]] = 1", "p[i] = p[p[i]] = 2", "q[i], (p[i], q[p[i]]) = 3, (2, 1)",
    "p[i], p[q[i] + p[i]] = 1, 0", "[p[i], q[1 - p[i]]] = 1, 7", "p[0], q[p[0] : p[1]] = 1, 5", "p[i], q[int(p[i])] = 1, 9",
    "p[i], q[-p[i]] = q[p[i]], p[i]", "p[:], q[p[i]] = 1, 9", "p[i], q[len(p) - 1 - p[i]] = 1, 9",
]  # fmt: skip
LASTING = ["p[i], p[i + 1] = p[i + 1], p[i]", "p[i], q[len(p) - 1 - i] = q[i], p[i]", "p[i], q[int(i * 1.0)] = 1, 2", "a, p[i] = p[i], 1"]


def integers(*kinds: str) -> list[Make]:
    found: list[Make] = []
    for kind, seed in itertools.product(kinds, range(3)):
        values = [numpy.random.default_rng(SEED + seed + more).permutation(4) for more in (0, 9)]
        found.append(lambda values=values, kind=kind: tuple(each.tolist() if kind == "list" else each.astype(kind) for each in values))
    return found


def of_statement(statement: str) -> Any:
    return made(
        f"""
        def f(p, q):
            a = 0
            for i in range(2):
                {statement}
            return p, q, a
        """,
        statement,
    )


@pytest.mark.parametrize("statement", ORDERS)
def test_places_that_are_looked_up_by_what_is_stored(statement: str) -> None:
    agree(of_statement(statement), *integers("i8", "u1", "i4", *([] if ":" in statement else ["list"])))


@pytest.mark.parametrize("statement", LASTING)
def test_places_that_stay(statement: str) -> None:
    agree(of_statement(statement), *integers("i8", "u1", "list"), is_native=True)


TABLES = ["M[0][1], M[i + 1][0] = M[1][0], M[0][i]", "M[i][2], M[2][i] = M[2][i], M[i][2]"]


@pytest.mark.parametrize("statement", TABLES)
def test_rows(statement: str) -> None:
    function = made(f"def f(M):\n    for i in range(2):\n        {statement}\n    return M\n", statement)
    for dtype in ("f8", "i2"):
        agree(function, lambda dtype=dtype: (numpy.arange(9).reshape(3, 3).astype(dtype),), is_native=True)
    agree(function, lambda: ([[1, 2, 3], [4, 5, 6], [7, 8, 9]],))
    agree(of_statement("p[i], q[:][p[i]] = 1, 9"), *integers("i8"))
    inner = made("def f(M):\n    for i in range(2):\n        M[i][0], M[M[i][0]][1] = 2, 9\n    return M\n", "inner")
    agree(inner, lambda: ([[0, 0], [0, 0], [0, 0]],), lambda: (numpy.zeros((3, 2), int),))


FIELDS = [
    "o.k, x[o.k] = 2, -1.0", "o.k, o.n = o.n, o.k", "o.k = x[o.k] = 1", "o.x[i], o.x[i + 1] = o.x[i + 1], o.x[i]", "o.k, o.x[i] = i, 0.5",
    "o.x[i], x[int(o.x[i])] = 0, 4", "o.n, o.x[o.n - 1 : o.n] = 2, 9.0", "x[i], o.k = o.x[i], i", "o.x, o.x[0] = x, 7.0",
]  # fmt: skip
DICTS = [
    "d[i], x[d[i]] = 2, -1.0",
    "d[i], d[0] = 5, 6",
    "d[i + 7], d[i + 7] = 1, 2",
    "x[i], d[i + 9] = 3.0, 4",
    "d[i] = d[i * 2] = i + 1",
    "d[i], d[len(d)] = 8, i",
]


@pytest.mark.parametrize("statement", FIELDS)
def test_fields(statement: str) -> None:
    agree(made(f"def f(o, x):\n    for i in range(2):\n        {statement}\n    return x\n", statement), lambda: (Thing(), numpy.zeros(3)))


@pytest.mark.parametrize("statement", DICTS)
@pytest.mark.parametrize("turns", [2, 40])
def test_dicts(statement: str, turns: int) -> None:
    function = made(f"def f(d, x):\n    for i in range({turns}):\n        {statement}\n    return list(d)\n", f"{statement} {turns}")
    agree(function, lambda: ({0: 1, 1: 0}, numpy.zeros(60)), lambda: (dict.fromkeys(range(50), 0), numpy.zeros(60)))


STORING = ["x[0], y[i] = -1.0, 2.0", "x[0] = y[i] = -1.0", "y[i], x[0] = 3.0, 4.0", "x[0], (x[2], y[i]) = 1.0, (y[0], x[1])",
           "x[i], x[-i] = x[-i], x[i]",
           "a, y[i] = 1.0, 2.0", "x[:2], y[i] = 0.5, 2.0"]  # fmt: skip


@pytest.mark.parametrize("statement", STORING)
def test_errors_between_stores_of_functions(statement: str) -> None:
    function = made(
        f"""
        def h(x, y, i):
            x[1] = 5.0
            {statement}
            return 1.0

        def f(x, y, begin, end):
            s = 0.0
            for i in range(begin, end):
                s += h(x, y, i)
            return s
        """,
        f"called {statement}",
    )
    calls: list[Make] = []
    for dtype, (begin, end) in itertools.product(("f8", "f4"), ((0, 3), (1, 5), (3, 5), (-5, 0))):
        calls.append(lambda dtype=dtype, begin=begin, end=end: (numpy.arange(3).astype(dtype), numpy.ones(3, dtype), begin, end))
    agree(function, *calls)


def test_a_function_of_swaps_stays_native() -> None:
    function = made(
        """
        def swap(a, i, j):
            a[i], a[j] = a[j], a[i]
            return 1.5

        def f(a, turns):
            s = 0.0
            for k in range(turns):
                s += swap(a, k, k // 2) - swap(a, 1, k)
                if s < 0:
                    break
            return s
        """,
        "swap",
    )
    values = numpy.random.default_rng(SEED).random(20)
    agree(function, lambda: (values.copy(), 9), lambda: (values.copy(), 25), is_native=True)


# Writes in the middle of an expression


@pytest.mark.parametrize("expression", ["x * 2, x.sort()", "x[::-1] + x, x.fill(3)", "-x, (y := x.sort())", "np.maximum(x, 2), x[1:].sort()"])
def test_writes_after_what_was_computed(expression: str) -> None:
    function = made(f"def f(x):\n    y = x\n    for i in range(2):\n        y, _ = {expression}\n    return y\n", expression)
    for dtype in ("f8", "i4", "u1"):
        agree(function, lambda dtype=dtype: (numpy.array([3, 1, 2], dtype),))


def test_sorts_of_functions_stay_native() -> None:
    function = made(
        """
        def least(x):
            y = x - x.mean()
            y.sort()
            return y[0]

        def f(x):
            s = 0.0
            for i in range(3):
                s += least(x)
                if s > 99:
                    break
            return s
        """,
        "least",
    )
    agree(function, lambda: (numpy.array([3.0, 1.0, 2.0]),), is_native=True)


# Arrays in tuples that may not be there

TUPLES = [
    """
    def f(x, log):
        best = None
        for i in range(len(x)):
            if x[i] > 2:
                best = (i, x * 2, x[1:])
            if i == 0:
                log.append(i)
        return best
    """,
    """
    def f(x, log):
        for i in range(2):
            t = (x + i, np.sort(x))
        return t
    """,
    """
    def f(x, log):
        t = None
        for i in range(5):
            if i % 2:
                t = (x + i, i)
            elif i > 2:
                t = None
            if i > 2:
                log.append(i if t is None else t[1])
        return t
    """,
    """
    def f(A, log):
        row = None
        for i in range(len(A)):
            if i == 0:
                log.append(len(A))
            if A[i] > 1:
                row = (A[i], A[i:], i)
        for j in range(2):
            if j > len(A):
                row = (A[0], A, j)
            log.append(j)
        return row
    """,
]


@pytest.mark.parametrize("number", range(len(TUPLES)))
def test_arrays_in_tuples(number: int) -> None:
    calls: list[Make] = []
    for dtype, values in itertools.product(("f8", "f4", "i8"), ([1, 2, 3], [5, 0], [], [1, 1, 1])):
        calls.append(lambda dtype=dtype, values=values: (numpy.array(values, dtype), []))
    for special in (numpy.nan, numpy.inf):
        calls.append(lambda special=special: (numpy.array([1.0, special]), []))
    agree(made(TUPLES[number], f"tuples {number}"), *calls)


# Functions of arrays

EXPRESSIONS = [
    "np.dot(x, [1, 2, 3])", "np.dot((1.5, 2, 3), x)", "x.dot((1, 2, 3))", "np.dot([1, 2], [3, i])", "np.dot(x, 2)", "np.dot(2.5, x)", "np.dot(2, 3)",
    "np.dot([x[0], i, 2], x)", "np.dot(x, [1, 2])", "np.outer(x, [1, 2])", "np.inner(x, [1, 2, 3])", "np.matmul(x, (1, 2, 3))", "np.dot(x, ())",
    "x[::k]", "x[:: x[0]]", "x[:: x[0] > 0]", "x[::True]", "x[:: k * 2.0]", "x[k:]",
    "x.item(k)", "x.item(2.5)", "x.item(i)", "x.item(True)", "x.item(x[0])", "x.item(-1)", "x.item(x[0] > 0)",
    "(x > 1) ** 2", "(x > 1) ** 2.0", "(x > 1) ** 3", "(x > 1) ** x", "True ** x", "x ** 2", "(x > 1) ** (x > 2)",
    "np.ptp(x)", "np.ptp(x > 1)", "np.ptp(np.stack((x, x * 2)), 0)",
    "np.arange((3,))", "np.arange(x[1])", "np.arange(k)",
]  # fmt: skip
DTYPES = ["f8", "f4", "i8", "i1", "u1", "u8"]


def of_expression(expression: str) -> Any:
    return made(f"def f(x, k):\n    r = None\n    for i in range(2):\n        r = {expression}\n    return r\n", expression)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_functions(expression: str) -> None:
    for dtype in DTYPES:
        calls: list[Make] = []
        for values, k in itertools.product(([1, 2, 3], [100, -100, 7], [0, 0, 1]), (1, 2.0, numpy.bool_(True), numpy.int32(2), True)):
            calls.append(lambda values=values, k=k, dtype=dtype: (numpy.array(values).astype(dtype), k))
        agree(of_expression(expression), *calls)


def test_ranges_without_numbers_between() -> None:
    for x in ([numpy.inf] * 2, [numpy.nan, 1.0], [-1e308, 1e308]):
        agree(of_expression("np.ptp(x)"), lambda x=x: (numpy.array(x), 0))


# Places

PLACES = ["A[k]", "A[k[::-1]]", "A[k] + 1", "A[k.reshape(1, -1)]"]


@pytest.mark.parametrize("expression", PLACES)
def test_rows_without_elements(expression: str) -> None:
    function = made(f"def f(A, k):\n    for i in range(2):\n        r = {expression}\n    return r\n", expression)
    calls: list[Make] = []
    for sizes, k in itertools.product(((3, 0), (0, 2), (3, 2), (0, 0), (3, 2, 0)), ([10], [], [0, -1], [2, -4], [-3])):
        calls.append(lambda sizes=sizes, k=k: (numpy.ones(sizes), numpy.array(k, int)))
    agree(function, *calls)


ITEMS = ["x[i, ...] = (1.0, 2.0)", "x[i, ...] = [1.0]", "x[i, ...] = 3.0", "x[i, ...] = ()", "x[...] = (5.0,)", "x[..., i] = (1.0,)"]


@pytest.mark.parametrize("statement", ITEMS)
def test_items_into_what_has_no_axes(statement: str) -> None:
    function = made(f"def f(x):\n    for i in range(2):\n        {statement}\n    return x\n", statement)
    for dtype, sizes in itertools.product(("f8", "i4"), ((3,), (2, 1), (2, 2), ())):
        agree(function, lambda dtype=dtype, sizes=sizes: (numpy.zeros(sizes, dtype),))


SHAPES = ["n", "(n, 2)", "(2, n)", "(0, n)", "(n, 0)", "(n, 0, n)", "(n, n)", "(1, n, 1)"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["empty", "zeros"])
def test_sizes_that_do_not_fit(shape: str, name: str) -> None:
    text = f"def f(n, m):\n    for i in range(2):\n        r = np.{name}({shape})\n        r[...] = 1.0\n        m += r.shape[0]\n    return r, m\n"
    calls: list[Make] = []
    for n in (0, 1, 3, 2**61 + 3, 2**62, 2**60 + 1, 2**31, 2**63 - 1) if "0" in shape else (0, 1, 3, 2**61 + 3, 2**62, 2**63 - 1):
        calls.append(lambda n=n: (n, 0))
    agree(made(text, f"{name} {shape}"), *calls)


# Dtypes

BOUNDS = ["0.0, 1.0", "-0.0, 0.0", "x.min(), 1", "np.zeros(x.shape, x.dtype), 2.0", "x - 1, x + 1", "a, b", "5, 2", "0, np.maximum(x, 0.0)",
          "-1e39, 1e39",
          "a, 1", "-np.zeros(x.shape, x.dtype), 1.0", "(0,), 2"]  # fmt: skip


@pytest.mark.parametrize("bounds", BOUNDS)
def test_clip(bounds: str) -> None:
    text = "def f(x, a, b):\n    for i in range(2):\n        r = np.clip({0} + 0, {1})\n        if a > 1e300:\n            break\n    return r\n"
    special = [-0.0, 0.0, numpy.nan, 1.0, 0.5, -7.0, numpy.inf, -numpy.inf, 3.0]
    for what in ("x", "x[0]"):
        function = made(text.format(what, bounds), f"clip {what} {bounds}")
        for dtype in ("f8", "f4", "i8", "i1", "u1"):
            calls: list[Make] = []
            for values, (a, b) in itertools.product(
                ([-0.0] * 9, special, [0.0] * 9, [2.0]), ((0.0, 1.0), (numpy.nan, 1.0), (0.0, numpy.nan), (numpy.float32(0.5), 1), (-0.0, -0.0))
            ):
                held = numpy.array(values) if dtype[0] == "f" else numpy.nan_to_num(numpy.array(values), posinf=9, neginf=0).clip(0, 9)
                calls.append(lambda held=held, dtype=dtype, a=a, b=b: (held.astype(dtype), a, b))
            agree(function, *calls)


CONSTANTS = [
    "x + 1e39",
    "np.add(x, 1e39)",
    "x * -1e300",
    "np.maximum(x, 3.5e38)",
    "x < 1e39",
    "x + 3.4e38",
    "x * np.inf",
    "x + a",
    "x * a",
    "x > a",
    "np.minimum(a, x)",
]


@pytest.mark.parametrize("expression", CONSTANTS)
def test_numbers_that_overflow(expression: str) -> None:
    function = made(
        f"def f(x, a):\n    r = x\n    for i in range(2):\n        r = {expression}\n        if a == 0.125:\n            break\n    return r\n",
        f"large {expression}",
    )
    for dtype in ("f4", "f8", "F"):
        calls: list[Make] = []
        for a in (1.5, 1e39, -1e39, numpy.inf, 3.4028235677973362e38, 3.4028235677973366e38):
            calls.append(lambda a=a, dtype=dtype: (numpy.array([1.0, 0.25, -2.0]).astype(dtype), a))
        agree(function, *calls)


@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">="])
def test_comparisons_of_whole_numbers(op: str) -> None:
    function = made(
        f"def f(x, y, k):\n    for i in range(2):\n        r = x {op} y\n        if k > 9:\n            break\n    return r\n", f"compare {op}"
    )
    near = [2**62, 2**62 + 1, 2**53 + 1, 2**53, 0, 2**63 - 1]
    for first, second in itertools.product(("i8", "u8", "i4", "u4", "i1", "f8"), repeat=2):
        values = [numpy.array(near).astype(dtype) for dtype in (first, second)]
        agree(function, lambda values=values: (values[0].copy(), values[1][::-1].copy(), 0))
        agree(function, lambda values=values: (values[0] - 1, values[1].copy(), 0))
        agree(function, lambda values=values: (values[0].copy(), values[1][1], 0), lambda values=values: (values[0][0], values[1].copy(), 0))
        agree(function, lambda values=values: (values[0].copy(), 2**62 + 1, 0), lambda values=values: (values[0].copy(), 1, 0))
