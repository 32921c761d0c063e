"""Ways to write into an array, as statements over `x` (what is written to), `a` (an operand of its shape and dtype), `n` (its columns) and `N` (NumPy).

Each holds for arrays of two axes of at least 3 rows and 4 columns. `REAL`: of float64; `COMPLEX`: of complex128; `WHOLE`: of int64.
"""

from __future__ import annotations

import linecache
import operator
import textwrap
from collections.abc import Callable
from typing import Any

import numpy


def _lines(text: str) -> list[str]:
    return [line for line in textwrap.dedent(text).strip().splitlines() if line]


ASSIGNMENTS = _lines("""
    x[...] = a
    x[:] = a * 2
    x[0] = a[1]
    x[-1, ::2] = a[0, ::2]
    x[1, 2] = a[0, 0]
    x[1:] = x[:-1]
    x[::-1] = x
    x[:, ::-1] = x
    x[..., 0] = a[:, 1]
    x[None][0, 1] = 3.0
    x[0], x[1] = x[1], x[0]
    x[[0, 1]] = x[[1, 0]]
    x[x > 0] = -1.0
    x[x > 0] = a[x > 0]
    x[x[:, 0] > 0] = a[0]
    x[x > 0] *= 2
    x[[0, 2]] = a[[1, 0]]
    x[[0, 0]] += 1
    x[[0, 0], [1, 2]] -= a[0, :2]
    x[:, [1, 3]] = a[:, [0, 2]]
    x[N.array([0, 2]), N.array([1, 1])] = a[0, :2]
    x[N.ix_([0, 2], [1, 3])] = 5.0
    x[1][2] = 7
    x[1:][0][2:] = a[0, 2:]
    x[0, ...] = 1.5
    x[0] = [[1.0]]
    x.__setitem__(0, 1.0)
    operator.setitem(x, (0, 1), 2.0)
    x[0, 0:0] = 1.0
    x[N.newaxis, 1, :] = a[1]
    x[N.int64(1)] = a[0]
    x[True] = a[0]
    x[(0, 1), (1, 0)] = 3.0
""")

VIEWS = _lines("""
    x.T[...] = a.T
    x.T[1] = a[:, 0]
    x.mT[0] = 2.0
    x.reshape(-1)[3] = 9
    x.reshape(-1)[...] = a.reshape(-1)
    x.reshape((2, -1) if x.size % 2 == 0 else x.shape)[1] -= 3.0
    N.reshape(x, -1)[::3] = 4.0
    x.ravel()[1:5] = 4
    N.ravel(x)[1] = 5
    x[1:, 1:].T[0] += a[1:, 0]
    x.swapaxes(0, 1)[1] -= 2
    x.view()[0] = 1
    x.view()[...] *= 2
    x[:, None].squeeze(1)[0] = 8
    N.transpose(x)[0] = 2
    N.moveaxis(x, 0, 1)[1] += a[:, 0]
    N.swapaxes(x, 0, 1)[0] = 1
    N.rollaxis(x, 1)[0] = 1
    N.flip(x)[0] = a[0]
    N.flip(x, 1)[:, 0] = a[:, 0]
    N.flipud(x)[0] = a[0]
    N.fliplr(x)[:, 0] *= 3
    N.rot90(x)[0] = 4
    N.rot90(x, 2)[0] = a[0]
    N.atleast_2d(x)[0] = 1
    N.atleast_3d(x)[0, 0] = 1
    N.expand_dims(x, 0)[0, 1] = a[1]
    N.squeeze(x[:1])[...] = a[0]
    N.einsum("ij->ji", x)[0] = 2.0
    N.einsum("ii->i", x[:3, :3])[...] = 1.0
    N.diagonal(x)[0] = 1.0
    N.diag(x)[...] = 1.0
    N.split(x, [1])[1][0] = 3.0
    N.array_split(x, 2)[0][...] = 3.0
    N.hsplit(x, [2])[1][...] += 1
    N.vsplit(x, [1, 2])[2][0] = a[0]
    N.unstack(x)[0][...] = 1.0
    N.broadcast_to(x, (2, *x.shape))[0] = 1.0
    N.broadcast_arrays(x, a[0])[0][0] = 1.0
    N.asarray(x)[0] = 1.0
    N.asanyarray(x)[0] = 1.0
    N.array(x, copy=False)[0] = 1.0
    N.array(x)[0] = 1.0
    N.asarray(x, order="F")[0] = 1.0
    N.ascontiguousarray(x)[0] = 1.0
    N.ascontiguousarray(x.T)[0] = 1.0
    N.asfortranarray(x)[0] = 1.0
    N.require(x)[0] = 1.0
    N.asarray(x, dtype=x.dtype)[0] = a[0]
    x.astype(x.dtype, copy=False)[0] = 1.0
    x.astype(x.dtype)[0] = 1.0
    x.real[0] = 1.0
    N.real(x)[0] = a[0].real
    x.real = a.real
    x.flatten()[0] = 3.0
    x.copy()[0] = 3.0
    N.repeat(x, 2, axis=0)[0] = 3.0
    N.tile(x, 2)[0] = 3.0
    N.triu(x)[0] = 3.0
    N.where(x > 0, x, x)[0] = 3.0
    N.take(x, [0], axis=0)[0] = 3.0
    N.nan_to_num(x)[0] = 3.0
    N.concatenate([x])[0] = 3.0
    N.trim_zeros(x[0])[0] = 3.0
    x.conj()[0] = 3.0
    N.real_if_close(x)[0] = 3.0
    N.lib.stride_tricks.as_strided(x, (2,), (x.strides[0],))[1] = 4.0
    N.lib.stride_tricks.sliding_window_view(x, 2, axis=1, writeable=True)[0, 0] = a[0, :2]
    N.matrix_transpose(x)[0] = 1.0
    N.permute_dims(x)[0] = 1.0
    x.view("i8")[0, 0] = 3
    x.diagonal()[0] = 2.0
    memoryview(x)[0, 0] = 3.0
    N.frombuffer(x, dtype=x.dtype)[1] = 4.0
    x.data[0, 1] = 2.0
""")

IN_PLACE = _lines("""
    x += a
    x -= a[0]
    x *= 2
    x /= a
    x //= a
    x %= a
    x **= 2
    x @= N.eye(n)
    x[...] += a
    x[0] += x[1]
    x[1:] += x[:-1]
    x[:, 0] *= a[:, 1]
    x.T[0] /= 2.0
    x.reshape(-1)[::2] += 1
    x.__iadd__(a)
    operator.iadd(x, a)
    operator.imul(x[0], 3.0)
    y = x; y += a
    y = x[1:]; y -= 1; y[0] = 2
    y = x.T; y *= a.T; x[0] = y[0, 0]
    x += 1j
    x += a.astype("f4")
""")

LOOPS = [
    "for row in x: row[0] = 1",
    "for row in x: row += a[0]",
    "for i in range(3): x[i] = a[i] * i",
    "for i, row in enumerate(x): row[:] = i",
    "for i in range(2): x[i + 1] += x[i]",
    "for i, j in N.ndindex(2, 2): x[i, j] = i + j",
    "for at, value in N.ndenumerate(x): x[at] = value * 2",
    "i = 0\nwhile i < 3:\n    x[i, 0] = a[i, 0]\n    i += 1",
    "if x.sum() > 0: x[0] = 1\nelse: x[1] = a[0]",
    "with N.nditer(x, op_flags=['readwrite']) as it:\n    for each in it: each[...] = 2 * each",
    "try: x[99] = 1\nexcept IndexError: x[0] = 2",
    "y = [x, x]\ny[0][0] = 1\ny[1] += 1",
    "y = {'x': x}\ny['x'] += a",
    "def inner(z): z[0] = a[1]\ninner(x)",
    "f = lambda z: N.copyto(z, a[:1])\nf(x[1:2])",
]

OUTPUTS = _lines("""
    N.add(x, a, out=x)
    N.add(a, 1, x)
    N.multiply(x, a, out=x[...])
    N.multiply(a[0], 2, out=x[1])
    N.exp(a, out=x)
    N.sin(x, out=x, where=x > 0)
    N.add(a, 1, out=x, where=a > 0)
    N.add(x[:-1], a[1:], out=x[1:])
    N.subtract(x, a, out=(x,))
    N.negative(x, out=x.T) if x.shape[0] == x.shape[1] else N.negative(x.T, out=x.T)
    N.divmod(x, a, out=(x, N.empty(x.shape, x.dtype)))
    N.divmod(x, a, out=(x, a))
    N.modf(a, out=(x, N.empty(x.shape)))
    N.modf(a, x, None)
    N.frexp(a, out=(x, None))
    N.greater(a, 0, out=x)
    N.sum(a, axis=0, out=x[0])
    a.sum(axis=0, out=x[1])
    a.sum(0, None, x[1])
    N.sum(x, axis=0, out=x[0])
    N.mean(a, axis=1, out=x[:, 0])
    a.mean(axis=0, out=x[2])
    N.std(a, axis=0, out=x[0])
    N.var(a, axis=0, out=x[0])
    N.prod(a, axis=0, out=x[0])
    N.max(a, axis=0, out=x[0])
    N.min(x, axis=0, out=x[0])
    N.amax(a, axis=0, out=x[0])
    N.ptp(a, axis=0, out=x[0])
    N.any(a > 0, axis=0, out=x[0])
    N.argmax(a, axis=0, out=x[0])
    N.cumsum(a, axis=1, out=x)
    N.cumsum(x, axis=0, out=x)
    a.cumsum(axis=0, out=x)
    N.cumprod(a, axis=1, out=x)
    N.cumulative_sum(a, axis=1, out=x)
    N.dot(a, N.eye(n), out=x)
    a.dot(N.eye(n), out=x)
    a.dot(N.eye(n), x)
    N.matmul(a, N.eye(n), out=x)
    N.matmul(x, N.eye(n), out=x)
    N.dot(a[0], a[0], out=x[0, 0, ...])
    N.einsum("ij->ij", a, out=x)
    N.einsum("ij,ij->ij", a, a, out=x)
    N.einsum("ij,ij->j", a, a, out=x[0])
    N.vecdot(a, a, out=x[:, 0])
    N.outer(a[0], a[0, :3], out=x[:n, :3]) if x.shape[0] >= n else N.outer(a[:, 0], a[0], out=x)
    N.round(a, 1, out=x)
    a.round(1, out=x)
    a.round(1, x)
    N.around(x, 0, x)
    N.fix(a, out=x)
    N.fix(a, x)
    N.clip(a, 0.1, 1, out=x)
    N.clip(x, -0.5, 0.5, out=x)
    N.clip(x, -0.5, 0.5, x)
    a.clip(0.1, 1, out=x)
    x.clip(-0.5, 0.5, out=x)
    N.take(a, [0, 1], axis=0, out=x[:2])
    a.take([0, 1], axis=0, out=x[:2])
    N.take(a, [0, 9], axis=0, out=x[:2], mode="wrap")
    N.compress([True, False, True], a, axis=0, out=x[:2])
    a.compress([True, False, True], axis=0, out=x[:2])
    N.choose(N.zeros(x.shape, int), [a, x], out=x)
    N.concatenate([a[:1], a[1:]], out=x)
    N.concatenate([x[1:], x[:1]], out=x)
    N.stack([a[0], a[1], a[2]], out=x[:3])
    N.trace(a, out=x[0, 0, ...])
    a.trace(out=x[0, 0, ...])
    N.add.reduce(a, axis=0, out=x[0])
    N.add.reduce(a, 0, None, x[0])
    N.maximum.reduce(a, axis=0, out=x[0])
    N.subtract.reduce(a, axis=0, out=x[0])
    N.add.accumulate(a, out=x)
    N.multiply.accumulate(a, axis=1, out=x)
    N.subtract.accumulate(a, axis=1, out=x)
    N.add.reduceat(a, [0, 2], out=x[:2])
    N.multiply.outer(a[:, 0], a[0], out=x)
    N.ldexp(a, 2, out=x)
    N.hypot(x, a, out=x)
    N.sqrt(N.abs(x), out=x)
    N.logical_not(a > 0, out=x)
    N.median(a, axis=0, out=x[0])
    N.median(x, axis=0, overwrite_input=True)
    N.quantile(a, 0.25, axis=0, out=x[0])
    N.percentile(a, 30, axis=0, out=x[0])
    N.percentile(x, 30, axis=0, overwrite_input=True)
    N.nansum(a, axis=0, out=x[0])
    N.nanmax(a, axis=0, out=x[0])
    N.nanmean(a, axis=0, out=x[0])
    N.nanstd(a, axis=0, out=x[0])
    N.nancumsum(a, axis=0, out=x)
    N.nanmedian(a, axis=0, out=x[0])
    N.nan_to_num(x, copy=False)
    N.interp(a[0], [0.0, 1.0], [2.0, 3.0], x[0])
    N.isneginf(a, out=x)
    N.sinc(x[0])[...] = 1.0
    N.frompyfunc(float, 1, 1)(a, out=x)
    N.random.default_rng(0).random(out=x)
    N.random.default_rng(0).standard_normal(out=x)
    N.random.default_rng(0).permuted(x, axis=0, out=x)
    N.copyto(dst=x, src=a)
""")

METHODS = _lines("""
    N.add.at(x, 0, a[0])
    N.add.at(x, (0, 1), a[0, 0])
    N.add.at(x, (0, slice(None)), a[0])
    N.add.at(x, ([0, 0], [1, 1]), a[0, :2])
    N.add.at(x, [0, 0], a[:2])
    N.add.at(x, slice(1, None), a[1:])
    N.add.at(x, slice(None, None, 2), 2.0)
    N.add.at(x, ..., 1.0)
    N.add.at(x, (..., 0), 1.0)
    N.add.at(x, None, 2.0)
    N.add.at(x, (), 2.0)
    N.add.at(x, N.int64(1), 2.0)
    N.add.at(x, N.array(1), 2.0)
    N.add.at(x, True, 2.0)
    N.add.at(x, x > 0, 1.0)
    N.add.at(x, (x[:, 0] > 0, 1), 1.0)
    N.add.at(x, -1, 1.0)
    N.add.at(x.T, 1, 2.0)
    N.add.at(x.reshape(-1), [0, 0, 3], 1.5)
    N.add.at(x[1:], 0, a[0])
    N.add.at(x, [], 1.0)
    N.add.at(x, 99, 1.0)
    N.add.at(x, [[0, 1], [1, 0]], 1)
    N.add.at(x, 0, N.float32(1.1))
    N.add.at(x, 0, a[0].astype("f4"))
    N.add.at(x, 0, 1j)
    N.subtract.at(x, (slice(None), 1), a[0, 0])
    N.subtract.at(x, [0, 0], x[0] * 2)
    N.multiply.at(x, [1, 1], a[1])
    N.multiply.at(x, 1, a[1])
    N.divide.at(x, 1, 2.0)
    N.power.at(x, [0, 0], 2)
    N.maximum.at(x, 0, a[0])
    N.maximum.at(x, [0, 0, 1], a[:3])
    N.hypot.at(x, 1, a[1])
    N.arctan2.at(x, [1, 1], a[1])
    N.negative.at(x, 0)
    N.negative.at(x, [0, 2])
    N.negative.at(x, [0, 0])
    N.negative.at(x, x > 0)
    N.negative.at(x, ...)
    N.negative.at(x, (slice(None), 1))
    N.square.at(x, [1, 1])
    N.sin.at(x, (0, 1))
    N.floor.at(x, slice(1, 2))
    N.greater.at(x, 0, a[0])
    N.logical_not.at(x, [0])
    N.add.at(x, 0)
    N.add.at(x, indices=0, b=1.0)
    N.copyto(x, a)
    N.copyto(x, a, where=x > 0)
    N.copyto(x, a, where=[True] + [False] * (n - 1))
    N.copyto(x[0], 1.0)
    N.copyto(x.T, a.T)
    N.copyto(x, a.astype("f4"))
    N.copyto(x, 1j)
    N.copyto(x, 1j, casting="unsafe")
    N.put(x, [0, 5], a[0, :2])
    N.put(x, [0, 5, 1], a[0, :2])
    N.put(x, 3, -1.0, mode="clip")
    N.put(x, [-1, 999], [1.0, 2.0], mode="clip")
    N.put(x, [-1, 999], [1.0, 2.0], mode="wrap")
    N.put(x, [0, -1], 2.0)
    N.put(x, [0, 999], 2.0)
    N.put(x, x[0] > 0, 2.0)
    N.put(x, [0], [])
    N.put(x.T, [1], 3.0)
    N.put(x[1:], [0, 1], a[0])
    x.put([1], 9.0)
    x.put([1, 1], a[0, :2])
    x[1:].put(indices=2, values=a[0, 0])
    N.place(x, x > 0, [1.0, 2.0])
    N.place(x, x > 0, a[0])
    N.place(x, x > 99, [])
    N.place(x, x > -99, [])
    N.place(x.T, x.T > 0, a[0, :1])
    N.place(arr=x, mask=a > 0, vals=[3.0])
    N.putmask(x, x > 0, a)
    N.putmask(x, x > 0, [1.0, 2.0])
    N.putmask(x, x > 0, -1)
    N.putmask(x, a, a[0])
    N.putmask(x.T, a.T > 0, a.T)
    N.putmask(x, mask=[True], values=1.0)
    N.fill_diagonal(x, 3.0)
    N.fill_diagonal(x, a[0])
    N.fill_diagonal(x, a[0], wrap=True)
    N.fill_diagonal(x, [1.0, 2.0])
    N.fill_diagonal(x.T, a[0, 0])
    N.fill_diagonal(x.reshape(-1), 1.0)
    N.fill_diagonal(x[:, None], 1.0)
    N.put_along_axis(x, N.argmax(a, axis=1, keepdims=True), 0.5, axis=1)
    N.put_along_axis(x, N.argsort(a, axis=0), a, axis=0)
    N.put_along_axis(x, N.array([0, 1]), 0.5, axis=None)
    N.put_along_axis(x, N.array([[0]]), a[:, :1], 1)
    x.fill(2)
    x.fill(a[0, 0])
    x[0].fill(a[0, 0])
    x.T[1:].fill(1.5)
    N.ndarray.fill(x, 3)
    x.sort()
    x.sort(axis=0)
    x.sort(0)
    x[0].sort()
    x.T.sort()
    x.sort(axis=-1, kind="stable")
    x.sort(stable=True)
    x.sort(axis=None)
    N.ndarray.sort(x)
    x.partition(1)
    x.partition(1, axis=0)
    x[1].partition(-1)
    x.partition((0, 2))
    x.resize(x.shape[::-1], refcheck=False)
    x.flat[3] = 1
    x.flat[1:4] = a.flat[1:4]
    x.flat[[0, 1]] = a[0, :2]
    x.flat[:] = a
    x.flat[-1] = a[0, 0]
    x.flat = 5.0
    x.flat = a
    x.flat = a[0]
    x.T.flat = a
    x.T.flat[1] = 3.0
    x[1:].flat[2] += 1
    f = x.flat; f[2] = 4.0
    y = N.sum(x.flat[::2]); x.flat[0] = y
    x.byteswap(inplace=True)
    x.byteswap(True)
    x.setfield(1.0, "f8")
    x.setfield(a, x.dtype)
    x.shape = (-1,)
    x.shape = (n, -1)
    x.imag = 1.0
    x.imag[...] = 1.0
    x.setflags(write=False); x[0] = 1
    x.flags.writeable = False; x += 1
    y = x[0]; x.setflags(write=False); y[0] = 1
    N.random.default_rng(0).shuffle(x)
    N.random.default_rng(0).shuffle(x, axis=1)
    N.random.RandomState(0).shuffle(x)
    N.random.seed(0); N.random.shuffle(x)
    N.lib.array_utils.normalize_axis_index(0, 1); x[0] = 1
    x.dtype = "i8"
    N.bitwise_or.at(x.view("i8"), 0, 1)
    N.apply_along_axis(lambda row: row.sort(), 1, x[:0])
    N.vectorize(lambda v: v)(x)[0] = 1
    N.asarray(x).put(0, 4.0)
    x.itemset(0, 1.0)
    N.unwrap(x)[0] = 2.0
    x.dot(N.eye(n), x)
    N.linalg.multi_dot([a, N.eye(n), N.eye(n)], out=x)
""")

REAL = ASSIGNMENTS + VIEWS + IN_PLACE + LOOPS + OUTPUTS + METHODS

PARTS = _lines("""
    x.real[...] = 0
    x.real[:] = a.imag
    x.imag[0] = 2.0
    x.imag += 1
    x.real *= 2
    x.real -= x.imag
    x.imag = x.real
    x.real = a.real
    x.real = 0
    x.imag = a
    x[0].real[1] = 5.0
    x[0].real = a[0].imag
    x.real[0] += a[0].real
    x.T.imag[0] = 3.0
    x.imag.T[0] = 3.0
    x.real.reshape(-1)[...] = 1.0
    x[1:].real.T[0] = a[1:, 0].real
    x[:, ::2].imag[...] = 7
    x.real[x.real > 0] = 0
    x.real[[0, 0]] += 1
    x.real[x.imag > 0] = a.real[x.imag > 0]
    N.real(x)[0] = 4
    N.imag(x)[...] = a.real
    N.add(x.real, 1, out=x.imag)
    N.add(x.real, x.imag, out=x.real)
    N.copyto(x.real, a.imag)
    N.copyto(x.real, a.imag, where=a.real > 0)
    N.add.at(x.real, 0, 1.0)
    N.add.at(x.imag, [0, 0], 1.0)
    N.negative.at(x.real, [1])
    N.sum(a.real, axis=0, out=x.real[0])
    N.put(x.real, [0], 3.0)
    N.putmask(x.imag, a.real > 0, 2.0)
    N.place(x.imag, a.real > 0, [2.0])
    N.fill_diagonal(x.real, 1.0)
    x.real.fill(2)
    x.imag.sort()
    x.imag.flat[1] = 2
    x.real.flat = 1
    x.real.imag[...] = 1
    x.real.real[0] = 1
    x.conj().real[0] = 1
    x.real.copy()[0] = 1
    x.real.astype("f8", copy=False)[0] = 1
    y = x.real; x[0] = 9; y[1] += y[0]
    y = x.imag; x *= 1j; y[0] -= 1
    y = x.imag[0]; x += a; y[...] = y * 2
    y = x[0].real; y += 1; x[0] *= 2; y -= 1
    r, i = x.real, x.imag; r += i; i -= r
    r, i = x.real, x.imag; r[...], i[...] = i + 0, r + 0
    x.real[1:] = x.real[:-1]
    x.real = x.real[::-1]
    x[0], x[1] = x[1].real, x[0].imag
    for row in x: row.real[0] = 1
    x.real = x
    x.imag[0] = 1j
    x.view("f8")[0, 0] = 4
    x.view("f8")[:, 1::2] += 1
    x += x.real
    x *= 1j
    x[...] = x.conj()
    N.conjugate(x, out=x)
    x[x.real > 0] = 1j
    x.sort()
    N.exp(x, out=x)
    N.absolute(a, out=x.real)
    N.sqrt(x, out=x)
    x.imag = -x.imag
    x.real, x.imag = x.imag + 0, x.real + 0
    N.einsum("ij->ij", x).real[0] = 2
    N.broadcast_to(x, (2, *x.shape)).real[0] = 2
    N.transpose(x).real[0] = 2
    x.real.setflags(write=False); x.real[0] = 1
""")
COMPLEX = PARTS + [line for line in ASSIGNMENTS + IN_PLACE if ">" not in line and "%" not in line and "//" not in line]

WHOLE = _lines("""
    x &= a
    x |= 1
    x ^= a
    x <<= 1
    x >>= 1
    x //= 3
    x %= 5
    x **= 2
    x /= 2
    x += 0.5
    x += a
    x[0] = 2.7
    x[0] = a[0] / 2
    N.add(x, 0.5, out=x)
    N.add(x, 0.5, out=x, casting="unsafe")
    N.add(x, a, out=x)
    N.sum(a, axis=0, out=x[0])
    N.mean(a, axis=0, out=x[0])
    N.argmax(a, axis=0, out=x[0])
    N.argsort(a, axis=0)[0] = 1
    N.cumsum(a, axis=0, out=x)
    N.bitwise_or.at(x, 0, a[0])
    N.add.at(x, [0, 0], a[:2])
    N.add.at(x, [0, 0], 1.5)
    N.add.at(x, 0, a[0].astype("i4"))
    N.add.at(x, [0, 0], a[0].astype("i4"))
    N.left_shift.at(x, [0, 1], 1)
    N.invert.at(x, [0])
    N.sqrt.at(x, [0])
    N.round(a, -1, out=x)
    N.dot(a, N.eye(n, dtype=x.dtype), out=x)
    N.matmul(a, N.eye(n, dtype=x.dtype), out=x)
    N.einsum("ij,ij->ij", a, a, out=x)
    N.clip(a, 0, 3, out=x)
    N.put(x, [0], 1.7)
    N.place(x, x > 0, [1.7])
    N.putmask(x, x > 0, 1.7)
    N.fill_diagonal(x, 1.7)
    N.copyto(x, 1.5)
    N.copyto(x, a / 2, casting="unsafe")
    x.fill(1.7)
    x.sort()
    x.partition(2, axis=0)
    x.flat[0] = 1.9
    N.divmod(x, 3, out=(x, None))
    N.take(a, [0, 1], axis=0, out=x[:2])
    N.equal(x, a, out=x)
    N.bincount([0, 1, 1])[0] = 1
    N.digitize(a[0], [0, 1])[0] = 1
    N.ldexp(1.0, x)[0] = 1
    x.view("f8")[0] = 1.0
    x.byteswap(inplace=True)
    N.random.default_rng(0).shuffle(x)
    x[x > 2] = 0
    x[:, 0] = x[:, 1] > 0
    x.real[0] = 3
    x.imag[0] = 3
""")

#: Statements by what their arrays hold.
STATEMENTS = [("f8", text) for text in REAL] + [("c16", text) for text in COMPLEX] + [("i8", text) for text in WHOLE]

# Where the array that is written to comes from. `b` is an argument in each.
PLACES = {
    "argument": "def program(b, a):\n    x = b",
    "captured": "def program(b, a):\n    x = held.x",
    "global": "def program(b, a):\n    x = X",
    "made": "def program(b, a):\n    x = N.full(b.shape, b.dtype.type(3))\n    x[::2] = b[::2]",
    "computed": "def program(b, a):\n    x = b * 2",
    "from_compiled": "def program(b, a):\n    x = inner(b)",
    "view": "def program(b, a):\n    x = (b + 1)[1:, 1:]\n    a = a[1:, 1:]",
}

_PLAIN = """
    n = x.shape[1]
    early, twice, seen, row = N.repeat(x, 2), x * 2, x[0], x[-1] - 1
{statement}
    return early + 1, N.asarray(twice) - 1, x * 3, x, seen, row, x.sum()
"""

_count = 0


class Held:
    """What a program finds on the outside."""

    x: Any = None


def program(place: str, statement: str, module: Any = numpy, inner: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A function program(b, a) of a statement. Its globals are its own: `held` and `X` are there."""
    global _count
    _count += 1
    text = PLACES[place] + _PLAIN.format(statement=textwrap.indent(statement, "    "))
    name = f"<program {_count}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    made: dict[str, Any] = {"N": module, "operator": operator, "held": Held(), "X": None, "inner": inner or (lambda b: b * 2), "__name__": "program"}
    exec(compile(text, name, "exec"), made)  # noqa: S102  # the text is of this file
    return made["program"]


def operands(dtype: str, rows: int, columns: int, seed: int) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """`b`, `a` and what lies at the place that is captured: away from zero and from each other."""
    rng = numpy.random.default_rng(seed)

    def one() -> numpy.ndarray:
        if dtype == "i8":
            return rng.integers(-9, 9, (rows, columns))
        made = rng.permutation(numpy.linspace(-2.1, 2.3, rows * columns)).reshape(rows, columns)
        return (made + 1j * rng.permutation(made.reshape(-1)).reshape(made.shape) if dtype == "c16" else made).copy()

    return one(), one(), one()
