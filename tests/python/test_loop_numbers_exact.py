"""Numbers in native loops at the edges of what a processor computes as Python and NumPy do: each function is as written, in its value and its type,
its exceptions and its warnings."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Iterable
from typing import Any

import numpy
import pytest
from support import SEED
from test_native_loops import programs_of

import fastnp as np

A = numpy.arange(8.0)
NAN = math.nan
LEAST, BIG = -(2**63), 2**53 + 1
OVER = 2.0**128 - 2.0**103  # from here on a float is infinite in single precision


class Thing:
    """What is equal to nothing, itself included."""

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]  # so has Python what has an __eq__ alone


def told(value: Any) -> Any:
    """A value's type and what it is, bit by bit."""
    if type(value) in (tuple, list):
        return type(value), [told(each) for each in value]
    if isinstance(value, numpy.ndarray):
        return type(value), value.dtype, value.shape, value.tobytes()
    return type(value), repr(value)


def outcome(function: Any, arguments: Iterable[Any]) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = told(function(*(each.copy() if isinstance(each, numpy.ndarray) else copy.copy(each) for each in arguments)))
        except Exception as error:
            result = type(error), str(error)
    return result, sorted({(each.category.__name__, str(each.message)) for each in caught})


def check(function: Any, *calls: tuple[Any, ...], is_native: bool | None = True) -> None:
    """Compiled, it is as written for all arguments, from the first ones, for which it is made, and from the last. None: it is native or not."""
    wanted = [outcome(function, (A, *arguments)) for arguments in calls]
    for turn in (1, -1):
        compiled = np.compile(function, adaptive=False)
        for arguments, want in list(zip(calls, wanted, strict=True))[::turn]:
            for number in range(3):
                assert outcome(compiled, (A, *arguments)) == want, f"{function.__name__}{arguments}, call {number} of turn {turn}"
        if is_native is not None:
            assert bool(programs_of(compiled)) == is_native, f"{function.__name__} is {'not ' if is_native else ''}native"


# Bools as whole numbers


def powers(a: Any, x: Any, b: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        r += 2 ** (i > 2)
        r += 10**b + (i > 1) ** b
        r += x**b + x ** (i > 1)
    return r


def wide_masks(a: Any, b: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        r += b & 2**64
        r += b & -(2**64)
        r += (i > 1) & (2**64 + 1)
    return r


def complex_equals(a: Any, z: Any, b: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        r += z == b
        r += 10 * (z != b)
        r += 100 * (z == (i > 1)) + 1000 * (z != (i > 1))
    return r


def test_bools() -> None:
    check(powers, *[(x, b) for x in (3, -2, 0, True, 2.5, 0.0) for b in (True, False, 3)])
    check(powers, (3, numpy.True_), (2.5, numpy.True_), is_native=None)
    check(wide_masks, (True,), (False,), (5,), (-5,))
    check(complex_equals, *[(z, b) for z in (1 + 0j, 0j, 1j, complex(1, NAN)) for b in (True, False, 1, 2**53, BIG, 1.0)])


# Whole numbers with a sign and without one


def orders(a: Any, x: Any, y: Any) -> Any:
    r = None
    s = 0
    for i in range(len(x)):
        if a[0] < -1:
            break
        u, v = x[i], y[i]
        s += (u < v) + 2 * (u <= v) + 4 * (u > v) + 8 * (u >= v) + 16 * (u == v) + 32 * (u != v)
        s += 64 * numpy.less(v, u) + 128 * numpy.equal(u, v)
        s = s * 3 % 10007
        r = u < v
    return s, r, max(u, v), min(u, v)


def order_of_arrays(a: Any, x: Any, y: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        r += (x < y).sum() + 2 * (x == y).sum() + 4 * (y >= x).sum()
    return r


def test_signs() -> None:
    rng = numpy.random.default_rng(SEED)
    signed = [LEAST, LEAST + 1, -BIG, -1, 0, 1, 2**53, BIG, 2**63 - 2, 2**63 - 1, int(rng.integers(2**62, 2**63 - 1))]
    unsigned = [0, 1, 2**53, BIG, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, signed[-1], signed[-1] + 1]
    x, y = (numpy.array(each).ravel() for each in numpy.meshgrid(numpy.array(signed), numpy.array(unsigned, "u8")))
    check(orders, (x, y), (y, x), (x.astype("i4"), y), (y, x.astype("i1")), (x, y.astype("u4")), (x, x), (y, y))
    check(order_of_arrays, (x, x), (y, y))
    check(order_of_arrays, (x, y), (y, x), is_native=None)


# Floats and large whole numbers


def float_orders(a: Any, x: Any) -> Any:
    r = 0
    for i in range(3):
        if a[i] < -1:
            break
        r += (x < 2**53 + 1) + 2 * (x <= 2**53 + 1) + 4 * (x > 2**53 + 1) + 8 * (x >= 2**53 + 1)
        r += 16 * (x == 2**53 + 1) + 32 * (x != 2**53 + 1) + 64 * (x < 2**53 + 3) + 128 * (3**34 >= x)  # noqa: SIM300 - both sides are tested
        r += 256 * (x < 9223372036854775807) + 512 * (x >= 9223372036854775807)
        r += 1024 * (x > -9223372036854775807) + 2048 * (x == -9223372036854775807)
        r += 4096 * (x < 2**60) + 8192 * (x == 2**60) + 16384 * (-(2**53) - 1 < x)  # noqa: SIM300 - as above
    return r


def float_extremes(a: Any, x: Any) -> Any:
    r = 0
    for i in range(3):
        if a[i] < -1:
            break
        r = max(x, 2**53 + 1)
        s = min(9223372036854775807, x)
        t = min(x, 2**53 + 1) + max(9223372036854775807, x) / 2
    return r, s, t


def test_floats_and_large_numbers() -> None:
    near = [s * each for s in (1, -1) for whole in (2**53, 2**60, 2**63) for each in (float(whole), float(whole - 1024), float(whole + 2048))]
    near += [2.0**53 + 2, 2.0**53 + 4, -(2.0**53) - 2, 1.5, NAN, math.inf, -math.inf, 0.0]
    check(float_orders, *[(x,) for x in near])
    check(float_orders, (BIG,), (2**63 - 1,), (True,), (numpy.float64(2**53),), (numpy.float32(2**53),))
    check(float_extremes, *[(x,) for x in near])


# Quotients by -1


def negated_quotients(a: Any, x: Any) -> Any:
    r = 0
    for i in range(3):
        if a[i] < -1:
            break
        if x // -1 > 0:
            r += 1
        if x % -1 == 0:
            r += 10
        q, m = divmod(x, -1)
        r += (q > 5) * 100 + m
        s = x // -1
        t = q
        r += x // 3 % 7 + x % -3
    return r, s, t


def test_quotients() -> None:
    check(negated_quotients, (LEAST,), (7,), (-7,), (True,), (2.5,), (numpy.int64(7),), (numpy.int64(-(2**62)),), (2**63 - 1,), (LEAST + 1,))


# To whole numbers


def rounded(a: Any, n: Any) -> Any:
    r = 0
    for i in range(6):
        if a[i] < -1:
            break
        x = -0.5 if i % 2 else n
        r = r * 3 ^ math.floor(x)
        r = r * 3 ^ math.ceil(x)
        r = r * 3 ^ math.trunc(x)
        r %= 2**40
    return r


def floored(a: Any, x: Any) -> Any:
    r = 0
    for i in range(len(x)):
        if a[0] < -1:
            break
        r = r * 3 + math.floor(x[i]) - 2 * math.ceil(x[i])
    return r


def truncated(a: Any, x: Any) -> Any:
    r = 0
    for i in range(len(x)):
        if a[0] < -1:
            break
        r += math.trunc(x[i])
    return r


def test_whole_numbers_of_others() -> None:
    check(rounded, *[(n,) for n in (BIG, 3, True, 2.5, -BIG, 2**63 - 1)])
    arrays = [numpy.array([number], dtype) for number, dtype in ((1.5, "f8"), (2.5, "f4"), (2**60 + 1, "i8"), (3, "u1"), (1, "?"), (1e300, "f8"))]
    check(floored, *[(each,) for each in arrays])
    check(truncated, (arrays[0],), ([1.5, -2.5],), ([2**60 + 1, 3],))
    check(truncated, *[(each,) for each in arrays[1:5]], is_native=False)


# One object


def is_among(a: Any, x: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        if x in (math.nan, 1.0):
            r += 1
        if x not in (NAN, 2):
            r += 10
    return r


def is_bound(a: Any, x: Any) -> Any:
    r = 0
    for i in range(5):
        if a[i] < -1:
            break
        x = NAN if i > 1 else 0.5
        if (x, i) == (NAN, 3):
            r += 1
    return r


def is_tuple(a: Any, t: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        r += t == (math.nan, 1)
        r += 10 * (t != (NAN, i))
    return r


def of_objects(a: Any, o: Any, p: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        if o in (p, None):
            r += 1
        if (o, i) == (p, 2):
            r += 10
    return r


def of_lists(a: Any, n: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        xs = [i, n]
        ys = [i, 2]
        if xs in (ys, 3):
            r += 1
        if (xs, i) == (ys, i):
            r += 10
        xs.append(i)
    return r


def of_rows(a: Any, m: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        if (m[0], i) == (m[1], i):
            r += 1
        if m[0] in (m[1], m[0]):
            r += 10
    return r


def of_texts(a: Any, s: Any, n: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        if s in ("up", None, "down"):
            r += 1
        if (s, i) == ("up", n):
            r += 10
        if (None, i, True) == (None, n, 1):
            r += 100
    return r


def test_one_object() -> None:
    check(is_among, (NAN,), (float("nan"),), (1.0,), (2,), (None,), (numpy.float64("nan"),), is_native=None)
    check(is_among, (numpy.float64(1),), (1,), (True,), (numpy.float32("nan"),))
    check(is_bound, (1.0,), is_native=None)
    check(is_tuple, ((NAN, 1),), ((float("nan"), 1),), ((1.0, 1),), ((2, 1),), ((NAN, 2.5),), ((1,),), is_native=None)
    thing, other = Thing(), Thing()
    for o, p in ((thing, thing), (thing, other), (None, thing), (thing, None), ([1], [1]), (3, thing)):
        compiled = np.compile(of_objects, adaptive=False)
        assert [compiled(A, o, p) for _ in range(3)] == [of_objects(A, o, p)] * 3
    check(of_lists, (2,), (3,), (2.0,), is_native=None)
    check(of_rows, ([[1, 2], [1, 2]],), ([[1.5, 2.0], [1.5, 3.0]],), is_native=None)
    check(of_texts, ("up", 2), ("down", 3), ("left", 2.0), is_native=True)


# Orders of tuples


def tuples_in_order(a: Any, x: Any, k: Any) -> Any:
    r = ()
    for i in range(len(x)):
        if a[0] < -1:
            break
        less = (x[i], 1) < (k, i)
        most = (i, x[i]) >= (1, k)
        both = (x[i], i) > (k, i)
        deep = ((x[i], 1), i) <= ((k, 1), 2)
        r = (less, most, both, deep, (x[i],) < (k, 1), (i, 1) < (k, 2))
        if (x[i], 1) < (k, i):
            r = (*r, 1)[1:]
    return r


def steps_of_tuples(a: Any, x: Any, k: Any) -> Any:
    n = 0
    best = (k, -1)
    for i in range(len(x)):
        if a[0] < -1:
            break
        if (x[i], i) < best:
            best = (x[i], i)
            n += 1
        t = (x[i], i) < (k, 2)
        n += t
        u = (i, x[i]) < (2, k) or (x[i], 1) > (k, 0)
    return n, best, t, u


def last_order(a: Any, x: Any, k: Any) -> Any:
    r = None
    for i in range(len(x)):
        if a[0] < -1:
            break
        r = (x[i], 1) < (k, i)
    return r


def test_tuples_in_order() -> None:
    x = numpy.array([0.5, 2.0, 1.0, 2.0])
    arrays = [x[:2], x, x.astype("f4"), x.astype("i8"), x > 1, list(map(float, x)), [1, 2, 2], numpy.array([1, NAN, 2])]
    for function in (last_order, steps_of_tuples):
        check(function, *[(each, k) for each in arrays for k in (2, 1.0, numpy.float64(2), numpy.int64(1))])
    check(tuples_in_order, *[(each, k) for each in arrays for k in (2, 1.0, numpy.float64(2), numpy.int64(1))], is_native=None)


# Ranges


def far_steps(a: Any, n: Any) -> Any:
    r = 0
    for i in range(n):
        if a[i] < -1:
            break
        for j in range(i, 10, 2**63 + 5):
            r += j + 1
            if r > 1000:
                break
        for j in range(10, i, -(2**64) - 1):
            r += j
    return r


def long_steps(a: Any, n: Any) -> Any:
    r = 0
    for i in range(n):
        if a[i] < -1:
            break
        for j in range(i, 10, 2**63 - 1):
            r += j + 1
            if r > 1000:
                break
        for j in range(-i, -10, -(2**63)):
            r += j + 100
            if r > 5000:
                break
        for j in range(i, 10, 4611686018427387904):
            r += j
    return r


def test_ranges() -> None:
    for function in (far_steps, long_steps):
        check(function, (0,), (3,), (6,), is_native=None)


# Floats that are infinite in single precision


def cast_constant(a: Any, b: Any) -> Any:
    r = b[0]
    for i in range(4):
        if a[i] < -1:
            break
        r = b[i] + 1e300
    return r


def compared_constant(a: Any, b: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        r += (b[i] < 1e300) + 2 * (b[i] != -1e300)
    return r


def cast_argument(a: Any, b: Any, y: Any) -> Any:
    r = b[0]
    for i in range(4):
        if a[i] < -1:
            break
        r = b[i] * y
    return r


def compared_argument(a: Any, b: Any, y: Any) -> Any:
    r = 0
    for i in range(4):
        if a[i] < -1:
            break
        r += (b[i] == y) + 2 * (y != b[i])
        if i > 2:
            r += 4 * (b[i] == 0.1)
    return r


def cast_into_arrays(a: Any, b: Any, y: Any) -> Any:
    r = 0
    for i in range(3):
        if a[i] < -1:
            break
        r += (b < y).sum()
        b = b + y
    return r, b


@pytest.mark.parametrize("dtype", ["f4", "c8", "f8", "c16"])
def test_single_precision(dtype: str) -> None:
    b = (numpy.arange(4) / 3).astype(dtype)
    below = math.nextafter(OVER, 0)
    numbers = [1e300, -1e300, OVER, -OVER, below, -below, 2.5, 0.0, NAN, math.inf, -math.inf, 1e-300, 2**62, True]
    check(cast_constant, (b,), is_native=dtype not in ("f4", "c8"))
    if dtype in ("f4", "f8"):
        check(compared_constant, (b,), is_native=dtype == "f8")
        check(cast_into_arrays, *[(b, y) for y in numbers], is_native=None)
    check(compared_argument, *[(b, y) for y in [*numbers, 0.1, 1e300 + 1j, complex(1, OVER), 1j, complex(1, NAN)]])
    check(cast_argument, *[(b, y) for y in (2.5, 0.1, -below / 4, 3, True, 0.0)])
    check(cast_argument, *[(b, y) for y in (*numbers, 1e300 + 1j, complex(1, OVER))], is_native=None)
