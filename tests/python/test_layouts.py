"""Where results lie, as NumPy has them: strides, flags, shared memory, `base`; for any function that gives arrays, eager and compiled.

What a function returns decides whether a later reshape is a view, so each result is also reshaped to a line in the function and written to.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import IS_NUMPY_2_5, quietly

import fastnp as np

ROWS: dict[str, Callable[[Any, Any], Any]] = {
    "roll all": lambda m, x: m.roll(x, 1),
    "roll": lambda m, x: m.roll(x, 1, axis=0),
    "roll last": lambda m, x: m.roll(x, -2, axis=-1),
    "roll by nothing": lambda m, x: m.roll(x, 0, axis=0),
    "roll two": lambda m, x: m.roll(x, (1, 1), axis=(0, -1)),
    "insert": lambda m, x: m.insert(x, 0, 3, axis=0),
    "insert last": lambda m, x: m.insert(x, 0, 3, axis=-1),
    "insert flat": lambda m, x: m.insert(x, 0, 3),
    "delete": lambda m, x: m.delete(x, 0, axis=0),
    "delete slice": lambda m, x: m.delete(x, slice(0, 1), axis=-1),
    "delete list": lambda m, x: m.delete(x, [0], axis=0),
    "delete flat": lambda m, x: m.delete(x, 0),
    "append": lambda m, x: m.append(x, x, axis=0),
    "append flat": lambda m, x: m.append(x, 3),
    "pad": lambda m, x: m.pad(x, 1),
    "pad edge": lambda m, x: m.pad(x, 1, mode="edge"),
    "pad none": lambda m, x: m.pad(x, 0),
    "sort": lambda m, x: m.sort(x, axis=0),
    "sort last": lambda m, x: m.sort(x),
    "sort flat": lambda m, x: m.sort(x, axis=None),
    "argsort": lambda m, x: m.argsort(x, axis=0, kind="stable"),
    "partition": lambda m, x: m.partition(x, 0, axis=0),
    "argpartition": lambda m, x: m.argpartition(x, 0, axis=0),
    "argpartition last": lambda m, x: m.argpartition(x, 0, axis=-1),
    "cumsum": lambda m, x: m.cumsum(x, axis=0),
    "cumsum last": lambda m, x: m.cumsum(x, axis=-1),
    "cumsum flat": lambda m, x: m.cumsum(x),
    "cumprod": lambda m, x: m.cumprod(x, axis=0),
    "cumulative_sum": lambda m, x: m.cumulative_sum(x, axis=0),
    "cumulative_sum initial": lambda m, x: m.cumulative_sum(x, axis=0, include_initial=True),
    "nancumsum": lambda m, x: m.nancumsum(x, axis=0),
    "add.accumulate": lambda m, x: m.add.accumulate(x, axis=0),
    "maximum.accumulate": lambda m, x: m.maximum.accumulate(x, axis=-1),
    "maximum.accumulate 0": lambda m, x: m.maximum.accumulate(x, axis=0),
    "multiply.accumulate": lambda m, x: m.multiply.accumulate(x, axis=-1),
    "add.reduce": lambda m, x: m.add.reduce(x, axis=0),
    "add.reduceat": lambda m, x: m.add.reduceat(x, [0], axis=0),
    "add.reduceat last": lambda m, x: m.add.reduceat(x, [0], axis=-1),
    "add.outer": lambda m, x: m.add.outer(x, x),
    "multiply.outer": lambda m, x: m.multiply.outer(x, m.arange(2)),
    "outer": lambda m, x: m.outer(x, x),
    "compress": lambda m, x: m.compress([True], x, axis=0),
    "compress last": lambda m, x: m.compress([True], x, axis=-1),
    "compress flat": lambda m, x: m.compress([True], x),
    "extract": lambda m, x: m.extract(x != 3, x),
    "take": lambda m, x: m.take(x, [0, 0], axis=0),
    "take last": lambda m, x: m.take(x, [0, 0], axis=-1),
    "take matrix": lambda m, x: m.take(x, numpy.array([[0, 0], [0, 0], [0, 0]]).T, axis=0),
    "take_along_axis": lambda m, x: m.take_along_axis(x, m.argsort(x, axis=0, kind="stable"), axis=0),
    "take_along_axis last": lambda m, x: m.take_along_axis(x, m.argsort(x, axis=-1, kind="stable"), axis=-1),
    "choose": lambda m, x: m.choose((x != 3) * 1, [x, x * 2]),
    "select": lambda m, x: m.select([x > 3, x < 2], [x, x * 2], 7),
    "piecewise": lambda m, x: m.piecewise(x, [x > 3], [1, 2]),
    "where": lambda m, x: m.where(x > 3, x, 0),
    "where row": lambda m, x: m.where(x[:1] > 3, x, x[:1]),
    "diff": lambda m, x: m.diff(x, axis=0),
    "diff last": lambda m, x: m.diff(x),
    "diff prepended": lambda m, x: m.diff(x, axis=0, prepend=0),
    "ediff1d": lambda m, x: m.ediff1d(x),
    "gradient": lambda m, x: m.gradient(x, axis=0),
    "gradient all": lambda m, x: m.gradient(x),
    "trapezoid": lambda m, x: m.trapezoid(x, axis=0),
    "interp": lambda m, x: m.interp(x, [0.0, 5.0], [1.0, 2.0]),
    "unwrap": lambda m, x: m.unwrap(x, axis=0),
    "concatenate": lambda m, x: m.concatenate([x, x], axis=-1),
    "concatenate with C": lambda m, x: m.concatenate([x, m.ones(x.shape, x.dtype)], axis=0),
    "stack": lambda m, x: m.stack([x, x], axis=0),
    "stack last": lambda m, x: m.stack([x, x], axis=-1),
    "vstack": lambda m, x: m.vstack([x, x]),
    "hstack": lambda m, x: m.hstack([x, x]),
    "dstack": lambda m, x: m.dstack([x, x]),
    "column_stack": lambda m, x: m.column_stack([x, x]),
    "block": lambda m, x: m.block([[x, x], [x, x]]),
    "tile": lambda m, x: m.tile(x, 2),
    "tile 1": lambda m, x: m.tile(x, 1),
    "tile rows": lambda m, x: m.tile(x, (2,) + (1,) * (x.ndim - 1)),
    "repeat": lambda m, x: m.repeat(x, 2, axis=0),
    "repeat last": lambda m, x: m.repeat(x, 2, axis=-1),
    "repeat flat": lambda m, x: m.repeat(x, 2),
    "broadcast_to": lambda m, x: m.broadcast_to(x, (2, *x.shape)),
    "flip": lambda m, x: m.flip(x),
    "flipud": lambda m, x: m.flipud(x),
    "fliplr": lambda m, x: m.fliplr(x),
    "rot90": lambda m, x: m.rot90(x),
    "rot90 twice": lambda m, x: m.rot90(x, 2),
    "rot90 not": lambda m, x: m.rot90(x, 4),
    "moveaxis": lambda m, x: m.moveaxis(x, 0, -1),
    "rollaxis": lambda m, x: m.rollaxis(x, x.ndim - 1),
    "swapaxes": lambda m, x: m.swapaxes(x, 0, -1),
    "expand_dims": lambda m, x: m.expand_dims(x, (0, -1)),
    "squeeze": lambda m, x: m.squeeze(x),
    "atleast_1d": lambda m, x: m.atleast_1d(x),
    "atleast_2d": lambda m, x: m.atleast_2d(x),
    "atleast_3d": lambda m, x: m.atleast_3d(x),
    "asarray": lambda m, x: m.asarray(x),
    "asarray F": lambda m, x: m.asarray(x, order="F"),
    "ascontiguousarray": lambda m, x: m.ascontiguousarray(x),
    "asfortranarray": lambda m, x: m.asfortranarray(x),
    "require": lambda m, x: m.require(x, requirements=["C"]),
    "array": lambda m, x: m.array(x),
    "array F": lambda m, x: m.array(x, order="F"),
    "array A": lambda m, x: m.array(x, order="A"),
    "array C": lambda m, x: m.array(x, order="C"),
    "array not copied": lambda m, x: m.array(x, copy=None),
    "copy": lambda m, x: m.copy(x),
    "copy C": lambda m, x: m.copy(x, order="C"),
    "method copy": lambda m, x: x.copy(),
    "method copy K": lambda m, x: x.copy(order="K"),
    "method copy A": lambda m, x: x.copy(order="A"),
    "astype": lambda m, x: x.astype("f4"),
    "astype same": lambda m, x: x.astype(x.dtype),
    "astype kept": lambda m, x: x.astype(x.dtype, copy=False),
    "astype F": lambda m, x: x.astype("f4", order="F"),
    "function astype": lambda m, x: m.astype(x, "f4"),
    "zeros_like": lambda m, x: m.zeros_like(x),
    "ones_like": lambda m, x: m.ones_like(x),
    "full_like": lambda m, x: m.full_like(x, 3),
    "zeros_like F": lambda m, x: m.zeros_like(x, order="F"),
    "zeros_like A": lambda m, x: m.zeros_like(x, order="A"),
    "reshape": lambda m, x: m.reshape(x, -1),
    "reshape F": lambda m, x: m.reshape(x, -1, order="F"),
    "reshape A": lambda m, x: m.reshape(x, -1, order="A"),
    "reshape turned": lambda m, x: m.reshape(x, x.shape[::-1]),
    "reshape turned F": lambda m, x: m.reshape(x, x.shape[::-1], order="F"),
    "ravel": lambda m, x: m.ravel(x),
    "ravel F": lambda m, x: m.ravel(x, order="F"),
    "ravel A": lambda m, x: m.ravel(x, order="A"),
    "ravel K": lambda m, x: m.ravel(x, order="K"),
    "ravel F of a result": lambda m, x: m.ravel(x * 2, order="F"),
    "ravel K of a result": lambda m, x: m.ravel(x * 2, order="K"),
    "flatten": lambda m, x: x.flatten(),
    "flatten F": lambda m, x: x.flatten(order="F"),
    "flatten K": lambda m, x: x.flatten(order="K"),
    "ravel of flipped": lambda m, x: x[::-1].ravel(),
    "transpose": lambda m, x: m.transpose(x),
    "x.T": lambda m, x: x.T,
    "x.mT": lambda m, x: x.mT,
    "matrix_transpose": lambda m, x: m.matrix_transpose(x),
    "x[:]": lambda m, x: x[:],
    "x[...]": lambda m, x: x[...],
    "x[None]": lambda m, x: x[None],
    "x[0]": lambda m, x: x[0],
    "x[..., 0]": lambda m, x: x[..., 0],
    "x[::-1]": lambda m, x: x[::-1],
    "x[1:]": lambda m, x: x[1:],
    "x[1:][1:]": lambda m, x: x[1:][1:],
    "x[list]": lambda m, x: x[[0, 0]],
    "x[..., list]": lambda m, x: x[..., [0, 0]],
    "x[list, list]": lambda m, x: x[[0, 0], [0, 0]],
    "x[list, :, list]": lambda m, x: x[[0, 0], :, [0, 0]] if x.ndim > 2 else x[[0, 0]],
    "x[:, list]": lambda m, x: x[:, [0, 0]] if x.ndim > 1 else x[[0, 0]],
    "x[:, list, list]": lambda m, x: x[:, [0, 0], [0, 0]] if x.ndim > 2 else x[[0, 0]],
    "x[matrix]": lambda m, x: x[numpy.zeros((3, 2), int)],
    "x[matrix.T]": lambda m, x: x[numpy.zeros((3, 2), int).T],
    "x[..., matrix.T]": lambda m, x: x[..., numpy.zeros((3, 2), int).T],
    "x[mask]": lambda m, x: x[x != 3],
    "x[row mask]": lambda m, x: x[m.arange(x.shape[0]) != 1],
    "x[..., mask]": lambda m, x: x[..., m.arange(x.shape[-1]) != 1],
    "x[:, mask]": lambda m, x: x[:, m.arange(x.shape[1]) != 1] if x.ndim > 1 else x[1:],
    "x[:, constant mask]": lambda m, x: x[:, numpy.arange(x.shape[-1]) % 2 == 0] if x.ndim == 2 else x[1:],
    "x[1:, list]": lambda m, x: x[1:, [0, 0]] if x.ndim > 1 else x[[0, 0]],
    "x[None, list]": lambda m, x: x[None, [0, 0]],
    "x[list, None]": lambda m, x: x[[0, 0], None],
    "x.flat": lambda m, x: x.flat[:],
    "conj": lambda m, x: m.conj(x),
    "nonzero": lambda m, x: m.nonzero(x)[0],
    "argwhere": lambda m, x: m.argwhere(x),
    "flatnonzero": lambda m, x: m.flatnonzero(x),
    "unique": lambda m, x: m.unique(x),
    "searchsorted": lambda m, x: m.searchsorted(m.arange(4), x),
    "digitize": lambda m, x: m.digitize(x, [1, 2, 3]),
    "isin": lambda m, x: m.isin(x, [1, 2]),
    "diagonal": lambda m, x: m.diagonal(x),
    "diag": lambda m, x: m.diag(x),
    "diagflat": lambda m, x: m.diagflat(x),
    "trace": lambda m, x: m.trace(x),
    "tril": lambda m, x: m.tril(x),
    "triu": lambda m, x: m.triu(x, 1),
    "vander": lambda m, x: m.vander(x.reshape(-1), 3),
    "meshgrid": lambda m, x: m.meshgrid(x, x)[0],
    "meshgrid ij": lambda m, x: m.meshgrid(x, x, indexing="ij")[1],
    "meshgrid sparse": lambda m, x: m.meshgrid(x, x, sparse=True)[0],
    "ix_": lambda m, x: m.ix_(x.reshape(-1), x.reshape(-1))[1],
    "split": lambda m, x: m.array_split(x, 2)[0],
    "split last": lambda m, x: m.array_split(x, 2, axis=-1)[1],
    "unstack": lambda m, x: m.unstack(x)[0],
    "resize": lambda m, x: m.resize(x, (2, 2)),
    "trim_zeros": lambda m, x: m.trim_zeros(x.reshape(-1)),
    "packbits": lambda m, x: m.packbits(x != 1, axis=0),
    "clip": lambda m, x: m.clip(x, 1, 3),
    "round": lambda m, x: m.round(x, 1),
    "fix": lambda m, x: m.fix(x),
    "nan_to_num": lambda m, x: m.nan_to_num(x),
    "real_if_close": lambda m, x: m.real_if_close(x),
    "i0": lambda m, x: m.i0(x),
    "sinc": lambda m, x: m.sinc(x),
    "angle": lambda m, x: m.angle(x),
    "modf": lambda m, x: m.modf(x)[1],
    "divmod": lambda m, x: m.divmod(x, 2)[1],
    "ptp": lambda m, x: m.ptp(x, axis=0),
    "sum": lambda m, x: m.sum(x, axis=0),
    "sum kept": lambda m, x: m.sum(x, axis=-1, keepdims=True),
    "sum nothing": lambda m, x: m.sum(x, axis=()),
    "mean": lambda m, x: m.mean(x, axis=0),
    "var": lambda m, x: m.var(x, axis=0),
    "var kept": lambda m, x: m.var(x, axis=-1, keepdims=True),
    "std": lambda m, x: m.std(x, axis=0),
    "std kept": lambda m, x: m.std(x, axis=0, keepdims=True),
    "norm": lambda m, x: m.linalg.norm(x, axis=0),
    "norm kept": lambda m, x: m.linalg.norm(x, axis=-1, keepdims=True),
    "fft": lambda m, x: m.fft.fft(x),
    "fft first": lambda m, x: m.fft.fft(x, axis=0),
    "ifftn": lambda m, x: m.fft.ifftn(x),
    "irfft": lambda m, x: m.fft.irfft(x, n=4, axis=0),
    "fftshift": lambda m, x: m.fft.fftshift(x),
    "ifftshift first": lambda m, x: m.fft.ifftshift(x, axes=0),
    "max": lambda m, x: m.max(x, axis=-1),
    "nanmax": lambda m, x: m.nanmax(x, axis=0),
    "nansum": lambda m, x: m.nansum(x, axis=0),
    "nanmean": lambda m, x: m.nanmean(x, axis=0),
    "any": lambda m, x: m.any(x, axis=0),
    "argmax": lambda m, x: m.argmax(x, axis=0),
    "argmin kept": lambda m, x: m.argmin(x, axis=0, keepdims=True),
    "count_nonzero": lambda m, x: m.count_nonzero(x, axis=0),
    "median": lambda m, x: m.median(x, axis=0),
    "median kept": lambda m, x: m.median(x, axis=-1, keepdims=True),
    "quantile": lambda m, x: m.quantile(x, 0.3, axis=0),
    "quantiles": lambda m, x: m.quantile(x, [0.3, 0.5], axis=-1),
    "percentiles": lambda m, x: m.percentile(x, [10, 50, 90], axis=0),
    "nanpercentiles": lambda m, x: m.nanpercentile(x, [10, 50], axis=-1),
    "average": lambda m, x: m.average(x, axis=0),
    "cov": lambda m, x: m.cov(x),
    "apply_along_axis": lambda m, x: m.apply_along_axis(lambda line: line * 2, 0, x),
    "matmul": lambda m, x: m.matmul(x, m.swapaxes(x, -1, -2)) if x.ndim > 1 else m.matmul(x, x[:, None]),
    "matmul turned": lambda m, x: m.matmul(x.T, x) if x.ndim == 2 else x.T,
    "matmul of stacks": lambda m, x: m.matmul(x[None, ::-1], m.swapaxes(x, -1, -2)[None]) if x.ndim == 3 else m.matmul(x.T, x),
    "matvec": lambda m, x: m.matvec(x, x[..., 0, :]) if x.ndim > 1 else x * 2,
    "vecmat": lambda m, x: m.vecmat(x[..., 0], x) if x.ndim > 1 else x * 2,
    "vecdot": lambda m, x: m.vecdot(x, x),
    "vecdot first": lambda m, x: m.vecdot(x, x, axis=0),
    "dot": lambda m, x: m.dot(x, x.T),
    "inner": lambda m, x: m.inner(x, x),
    "tensordot": lambda m, x: m.tensordot(x, x, axes=((0,), (0,))),
    "tensordot none": lambda m, x: m.tensordot(x, x, axes=0),
    "kron": lambda m, x: m.kron(x, m.ones(2)),
    "einsum same": lambda m, x: m.einsum("ij,ij->ij", x, x) if x.ndim == 2 else m.einsum("...,...->...", x, x),
    "einsum turned": lambda m, x: m.einsum("ij,ij->ji", x, x) if x.ndim == 2 else x,
    "einsum product": lambda m, x: m.einsum("ij,kj->ik", x, x) if x.ndim == 2 else x,
    "einsum product turned": lambda m, x: m.einsum("ij,kj->ki", x, x) if x.ndim == 2 else x,
    "einsum outer": lambda m, x: m.einsum("ij,kl->ijkl", x, x) if x.ndim == 2 else x,
    "einsum stack": lambda m, x: m.einsum("bij,bkj->bik", x, x) if x.ndim == 3 else x,
    "einsum stack of products": lambda m, x: m.einsum("bi,bij->bj", x[:, :, 0], x) if x.ndim == 3 else x,
    "einsum of three": lambda m, x: m.einsum("ij,ij,ik->jk", x, x, x) if x.ndim == 2 else x,
    "einsum forms": lambda m, x: m.einsum("bi,bij,bj->b", x[..., 0], x[..., :1] + m.swapaxes(x[..., :1], 1, 2), x[..., 0]) if x.ndim == 3 else x,
    "einsum sum": lambda m, x: m.einsum("ij->j", x) if x.ndim == 2 else x,
    "einsum sum first": lambda m, x: m.einsum("ijk->ki", x) if x.ndim == 3 else x,
    "einsum view": lambda m, x: m.einsum("ij->ji", x) if x.ndim == 2 else x,
    "einsum optimized": lambda m, x: m.einsum("ij,kj->ki", x, x, optimize=True) if x.ndim == 2 else x,
    # (NumPy 2.5 refuses vectors of two elements, docs/versions.md.)
    "cross": lambda m, x: m.cross(x[..., :3], x[..., :3]) if x.shape[-1] != 2 or not IS_NUMPY_2_5 else x * 2,
    "convolve": lambda m, x: m.convolve(x.reshape(-1), [1.0, 2.0]),
    "correlate": lambda m, x: m.correlate(x.reshape(-1), [1.0, 2.0]),
    "sliding_window_view": lambda m, x: m.lib.stride_tricks.sliding_window_view(x, 1, axis=0),
    "inv": lambda m, x: m.linalg.inv(x @ m.swapaxes(x, -1, -2) + 9 * m.eye(x.shape[-2])),
    "solve": lambda m, x: m.linalg.solve(x @ m.swapaxes(x, -1, -2) + 9 * m.eye(x.shape[-2]), x),
    "solve turned": lambda m, x: m.linalg.solve(m.eye(3) * 2, m.ones((4, 3)).T),
    "cholesky": lambda m, x: m.linalg.cholesky(x @ m.swapaxes(x, -1, -2) + 9 * m.eye(x.shape[-2])),
    "qr": lambda m, x: m.linalg.qr(x)[1],
    "svd": lambda m, x: m.linalg.svd(x, full_matrices=False)[1],
    "add": lambda m, x: x + x[:1],
    "add C": lambda m, x: x + m.ones(x.shape),
    "multiply turned": lambda m, x: x.T * 2,
    "times one": lambda m, x: x * 1,
    "power one": lambda m, x: x**1,
    "positive": lambda m, x: +x,
    "frompyfunc": lambda m, x: m.vectorize(lambda v: v + 1.0, otypes=["f8"])(x),
    "lexsort": lambda m, x: m.lexsort((x, x)),
    "bincount": lambda m, x: m.bincount(m.abs(x.reshape(-1)).astype(int)),
    "histogram": lambda m, x: m.histogram(x, 3, (0, 5))[0],
    "apply_over_axes": lambda m, x: m.apply_over_axes(m.sum, x, [0]),
    "x.sum(out)": lambda m, x: m.sum(x, axis=0, out=m.zeros(x.shape[1:])),
    "x.swapaxes": lambda m, x: x.swapaxes(0, -1) * 2,
    "x.repeat": lambda m, x: x.repeat(2, axis=-1),
    "x.take": lambda m, x: x.take([0, 0], axis=0),
    "x.compress": lambda m, x: x.compress([True], axis=0),
    "x.choose": lambda m, x: ((x != 3) * 1).choose([x, x + 1]),
    "x.argsort": lambda m, x: x.argsort(axis=0, kind="stable"),
    "x.cumsum": lambda m, x: x.cumsum(axis=0),
    "x.diagonal": lambda m, x: x.diagonal(),
    "x.squeeze": lambda m, x: x.squeeze(),
    "x.round": lambda m, x: x.round(),
    "x.clip": lambda m, x: x.clip(1, 3),
    "x.conj": lambda m, x: x.conj(),
    "x.byteswap": lambda m, x: x.byteswap().byteswap(),
    "put_along_axis": lambda m, x: _put_along(m, x),
    "fill_diagonal": lambda m, x: _filled(m, x),
}


def _put_along(m: Any, x: Any) -> Any:
    y = x.copy(order="K")
    m.put_along_axis(y, m.argmax(y, axis=0, keepdims=True), 9, axis=0)
    return y


def _filled(m: Any, x: Any) -> Any:
    y = x.copy(order="K")
    m.fill_diagonal(y, 5)
    return y


def arrays(draw: random.Random) -> numpy.ndarray:
    """Of one to three axes, of 1 to 4 elements each (mostly 2 and 3), in any layout."""
    rank = draw.choice([1, 2, 2, 2, 3, 3])
    shape = [draw.choice([1, 1, 2, 2, 3, 3, 3, 4]) if draw.random() < 0.5 else draw.choice([2, 3]) for _ in range(rank)]
    dtype = draw.choice(["f8", "f8", "f8", "f4", "i8", "i4", "c16", "u1"])
    order = draw.sample(range(rank), rank)
    steps = [draw.choice([1, 1, 1, 2, -1, -2]) for _ in range(rank)]
    repeats = [draw.random() < 0.06 for _ in range(rank)]
    spread = [1 if repeats[axis] else shape[axis] * abs(steps[axis]) for axis in order]
    whole = (numpy.arange(int(numpy.prod(spread))) * 7 % 5).astype(dtype).reshape(spread)
    x = whole.transpose([order.index(axis) for axis in range(rank)])
    x = x[tuple(slice(None) if repeats[i] else slice(None, None, step) for i, step in enumerate(steps))]
    return numpy.broadcast_to(x, shape) if any(repeats) else x


def told(x: Any, arguments: list[Any]) -> Any:
    """What there is to tell of where a result lies."""
    if isinstance(x, (tuple, list)):
        return type(x), [told(each, arguments) for each in x]
    if isinstance(x, numpy.generic) or not isinstance(x, (numpy.ndarray, np.ndarray)):
        return "number", type(x).__name__
    steps = [step for step, size in zip(x.strides, x.shape, strict=True) if size > 1] if x.size else None
    flags = (x.flags.c_contiguous, x.flags.f_contiguous, x.flags.writeable)
    return x.shape, str(x.dtype), steps, flags, [bool(np.shares_memory(x, each)) for each in arguments]


def reshaped(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The result, after it was written to through what may be a view of it."""

    def program(m: Any, x: Any) -> Any:
        y = function(m, x)
        if not isinstance(y, (numpy.ndarray, np.ndarray)) or y.dtype == bool or not y.flags.writeable:
            return y
        line = y.reshape(-1)
        line += 50
        return y

    return program


def based(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def program(m: Any, x: Any) -> Any:
        y = function(m, x)
        return isinstance(y, (numpy.ndarray, np.ndarray)) and (y is x, y.base is x)

    return program


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return quietly(function, *arguments)
    except Exception as error:
        return type(error)


def seen(function: Callable[..., Any], x: numpy.ndarray, *before: Any) -> Any:
    result = outcome(function, *before, x)
    return result if isinstance(result, type) else (told(result, [x]), result, numpy.asarray(x))


def alike(got: Any, want: Any) -> bool:
    """Values; that they are NumPy's to the bit is other tests' subject."""
    if isinstance(want, (tuple, list)):
        return len(got) == len(want) and all(map(alike, got, want))
    if not isinstance(want, (numpy.ndarray, numpy.generic, int, float, np.ndarray)):
        return True
    return numpy.allclose(numpy.asarray(got), numpy.asarray(want), rtol=1e-5, atol=1e-5, equal_nan=True)


def copied(x: numpy.ndarray) -> numpy.ndarray:
    """The same elements in another array of the same layout."""
    y = numpy.lib.stride_tricks.as_strided(numpy.empty(0, x.dtype), (0,), (0,))
    low = numpy.lib.array_utils.byte_bounds(x)[0] if x.size else 0
    memory = numpy.zeros(max((numpy.lib.array_utils.byte_bounds(x)[1] - low) if x.size else 0, 1) + 64, "u1")
    offset = x.__array_interface__["data"][0] - low if x.size else 0
    start = -memory.ctypes.data % 16
    y = numpy.ndarray(x.shape, x.dtype, memory, start + offset, x.strides)
    for at in numpy.ndindex(*x.shape):
        y[at] = x[at]
    y.flags.writeable = x.flags.writeable
    return y


def check(row: str, way: str, seed: int) -> None:
    draw = random.Random(f"{seed} {row}")
    for wrapper in (lambda function: function, reshaped, based):
        function = wrapper(ROWS[row])
        compiled = np.compile(lambda x, function=function: function(np, x))
        for _ in range(3):
            x = arrays(draw)
            if wrapper is based:  # of an array that has memory of its own
                x = numpy.array(x, order=draw.choice("CFK"), copy=True)
            make = numpy.array if wrapper is based else copied
            want = seen(function, make(x), numpy)
            given = np.array(x) if wrapper is based else copied(x)
            got = seen(function, given, np) if way == "eager" else seen(compiled, given)
            if isinstance(want, type):
                assert isinstance(got, type), f"seed {seed}, {row}: {got} where NumPy raises {want}, for {x.shape} {x.strides} {x.dtype}"
                continue
            same = not isinstance(got, type) and got[0] == want[0] and alike(got[1], want[1]) and alike(got[2], want[2])
            assert same, f"seed {seed}, {row}, {wrapper.__name__}, of {x.shape} {x.strides} {x.dtype}:\n{got}\nwhere NumPy has\n{want}"


@pytest.mark.parametrize("way", ["eager", "compiled"])
def test_layouts(way):
    seed = random.randrange(10**9)
    for row in random.Random(seed).sample(sorted(ROWS), 60):
        check(row, way, seed)


@pytest.mark.parametrize(
    "name", ["s[None]", "s[...]", "s.reshape(1)", "np.atleast_1d(s)", "np.asarray(s)", "np.expand_dims(s, 0)", "np.array(s, copy=None)"]
)
def test_scalars_lend_no_memory(name):
    def program(x):
        s = x.sum()
        y = eval(name, {"np": np, "s": s})
        y += 7
        return s

    x = numpy.arange(4.0)
    assert program(np.asarray(x)) == np.compile(program)(x) == 6


def test_axes_of_one_element_in_later_calls():
    """Whether a line in Fortran order is a view depends on which axes have more than one element."""

    def program(x):
        y = x * 2
        line = np.ravel(y, order="F")
        line += 100
        return y

    compiled = np.compile(program)
    for shape in ((1, 3, 4), (1, 5, 6), (1, 1, 4), (3, 1, 1), (3, 1, 2), (2, 3, 1)):
        x = numpy.arange(float(numpy.prod(shape))).reshape(shape)
        y = x * 2
        line = numpy.ravel(y, order="F")
        line += 100
        assert numpy.array_equal(compiled(x), y), shape


@pytest.mark.parametrize("kind", [numpy.array, np.array])
def test_base_of_results(kind):
    """A view of an argument that a compiled function returns has it as its base, as one of NumPy's has."""
    x = kind([1.0, 2.0, 3.0])
    compiled = np.compile(lambda x: (x[1:], x[1:][1:], x + 1))
    for _ in range(2):
        first, second, other = compiled(x)
        assert first.base is x and second.base is x and other.base is not x


@pytest.mark.parametrize("number", [-1, 300])
def test_comparisons_beyond_a_dtype_lie_as_others(number):
    repeated = numpy.lib.stride_tricks.as_strided(numpy.ones((4, 2), "u1"), (3, 4, 2), (0, 2, 1))
    for x in (repeated, repeated.T, repeated.transpose(1, 0, 2), numpy.ones((2, 3), "u1", order="F")):
        want = x != number
        for got in (np.asarray(x) != number, np.compile(lambda x: x != number)(x)):
            assert numpy.asarray(got).all() and got.strides == want.strides
