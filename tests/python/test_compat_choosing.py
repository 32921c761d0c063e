"""Elements chosen by indices along an axis, and by conditions, against NumPy (compositions.py)."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from compositions import ALL, agree, laid_out, some
from test_derivatives import check

import fastnp as np

ALONG = """
N.take_along_axis(x, i, 1); N.take_along_axis(x, i[:1], 1); N.take_along_axis(x[:1], i, -1); N.take_along_axis(x, j, 0)
N.take_along_axis(x, k, None); N.take_along_axis(x[0], k, 0)
N.take_along_axis(x, i + 9, 1); N.take_along_axis(x, i * 1.0, 1); N.take_along_axis(x, k, 1); N.take_along_axis(x, i, 3)
N.take_along_axis(x, i[:2], 1)
N.take_along_axis(x, i, None); N.take_along_axis(x, i[:, :0], 1); N.take_along_axis(x, i.astype('u1') % 4, 1); N.take_along_axis(x, i - 9, 1)
N.take_along_axis(x, N.argsort(x, axis=0, kind='stable'), 0)
"""


@pytest.mark.parametrize("expression", [each.strip() for line in ALONG.strip().splitlines() for each in line.split(";")])
def test_take_along_axis(expression: str) -> None:
    rng = random.Random()
    for _ in range(3):
        x = laid_out(rng, some(rng, rng.choice(ALL), (3, 4)))
        i, j, k = (
            laid_out(rng, numpy.array([[rng.randrange(-n, n) for _ in range(s[-1])] for _ in range(s[0])]))
            for s, n in (((3, 2), 4), ((2, 4), 3), ((1, 3), 3))
        )
        given = {"i": i, "j": j, "k": k[0]}
        agree(expression, tolerance=0, native=False, x=x, **{name: each for name, each in given.items() if f" {name}" in expression})


PUT = """
N.put_along_axis(x, i, 7, 1); N.put_along_axis(x, i[:1], 7.6, 1); N.put_along_axis(x, i, x[:, :2] * 2, -1); N.put_along_axis(x, i, 7, None)
N.put_along_axis(x, i + 9, 7, 1)
N.put_along_axis(x, i * 1.0, 7, 1); N.put_along_axis(x, i[0], 7, None); N.put_along_axis(x, i, [[1], [2], [3]], 1)
N.put_along_axis(x, i, N.ones(5), 1)
"""


@pytest.mark.parametrize("expression", [each.strip() for line in PUT.strip().splitlines() for each in line.split(";")])
def test_put_along_axis(expression: str) -> None:
    rng = random.Random()
    for _ in range(3):
        x = laid_out(rng, some(rng, rng.choice(["int64", "float32", "float64"]), (3, 4)))
        i = numpy.array([[0, 1], [3, 2], [-1, 0]])
        agree(f"({expression}, x)", tolerance=0, compiled=False, native=False, x=x, i=i)
        agree(f"(lambda y: ({expression.replace('(x', '(y', 1)}, y))(x * 2)", tolerance=0, native=False, x=x, i=i)


CHOICES = """
N.select([x > 0, x < 0], [x, x * 2]); N.select([x > 0, y > 2], [x, y], 7); N.select([x > 0], [1], 2); N.select([x > 0], [1.5], 2)
N.select((x > 0,), (y,), x)
N.select([x > 0], [x, x]); N.select([], []); N.select([x], [x]); N.select([x[0] > 0, x > 1], [1, y]); N.select([True], [1], 2)
N.select([x > 0, x > 1], N.stack([x, x * 2]))
N.select([x[0, 0] > 0], [x[0, 0]]); N.select([False], [x], y)
N.choose((x > 0) * 1, [x, x * 2]); N.choose(x > 0, (y, 3)); N.choose([[0, 1, 0, 1]] * 3, [x, 2])
N.choose(N.asarray([0, 5, 1, -1]), [x, y], mode='clip'); N.choose(N.asarray([0, 5, 1, -1]), [x, y], mode='wrap')
N.choose(N.asarray([0, 2, 1, 1]), [x, y]); N.choose(x * 1.0, [x, y]); N.choose(0, [1, 2]); N.choose(N.asarray([0, 1]), N.asarray([[1, 2], [3, 4]]))
N.choose((x > 0) * 0, [x]); N.choose(0, [x, y])
N.choose((y > 0) * 1, x); N.choose((y > 0) * 1, x.T); N.choose((y > 0) * 3, x[:0]); N.choose((y > 0) * 2, y); N.choose(1, x); N.choose((y > 0) * 1, y[0])
N.choose(0, []); N.choose(N.asarray([0, 1, 1, 0]), [1, 2.5])
"""


@pytest.mark.parametrize("expression", [each.strip() for line in CHOICES.strip().splitlines() for each in line.split(";")])
def test_choices(expression: str) -> None:
    rng = random.Random()
    for _ in range(3):
        dtypes = [each for each in ALL if numpy.dtype(each).kind in "if"]
        x, y = laid_out(rng, some(rng, rng.choice(dtypes), (3, 4))), some(rng, rng.choice(dtypes), (4,))
        agree(expression, tolerance=0, told=False, x=x, y=y)


def test_derivatives() -> None:
    rng = numpy.random.default_rng()
    x, y = np.asarray(rng.normal(size=(3, 4))), np.asarray(rng.normal(size=4))
    i = numpy.array([[0, 1], [3, 2], [-1, 0]])
    check(lambda x: np.take_along_axis(x, i, 1) ** 2, [x])
    check(lambda x, y: np.select([x > 0, x < -1], [x * y, y], 2.0), [x, y])
    check(lambda x, y: np.choose((np.arange(4) % 2), [x, y * x]), [x, y])

    def put(x: Any, y: Any) -> Any:
        z = x * 2
        np.put_along_axis(z, i, y[:2], 1)
        return z

    check(put, [x, y])


def test_one_recording_for_all_sizes() -> None:
    def chosen(x: np.ndarray) -> tuple[np.ndarray, ...]:
        return np.take_along_axis(x, np.argsort(x, axis=0), 0), np.select([x > 0.5], [x], -1.0), np.choose((x > 0.5) * 1, [x, 7.0])

    compiled = np.compile(chosen, fullgraph=True)
    for size in (5, 6, 9, 17, 33):
        x = numpy.random.default_rng().random((size, size + 1))
        want = [numpy.sort(x, axis=0), numpy.where(x > 0.5, x, -1), numpy.where(x > 0.5, 7, x)]
        for got, wanted in zip(compiled(x), want, strict=True):
            numpy.testing.assert_array_equal(got, wanted)
    assert compiled.cache_info().misses <= 2
