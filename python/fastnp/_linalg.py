"""numpy.linalg for recorded arrays, over fastnp's own functions, which have derivatives; the errors are NumPy's."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy
from numpy.linalg import _linalg as numpys

from fastnp import _core

FUNCTIONS: dict[str, Callable[..., Any]] = {}
_MAY_BE_REAL = numpy.lib.NumpyVersion(numpy.__version__) < "2.5.0.dev0"  # eigenvalues of real matrices, where all are; later NumPys' are complex


def linear(function: Callable[..., Any]) -> Callable[..., Any]:
    FUNCTIONS["linalg." + function.__name__] = function
    return function


class Unsupported(Exception):
    """A case that is NumPy's alone."""


@linear
def solve(a: Any, b: Any) -> Any:
    return _core._linalg_solve(a, b)


@linear
def inv(a: Any) -> Any:
    return _core._linalg_inv(a)


@linear
def det(a: Any) -> Any:
    return _core._linalg_det(a)


@linear
def slogdet(a: Any) -> Any:
    return numpys.SlogdetResult(*_core._linalg_slogdet(a))


@linear
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    return _core._linalg_cholesky(a, bool(upper))


@linear
def qr(a: Any, mode: str = "reduced") -> Any:
    if mode == "raw":
        return _core._linalg_qr_raw(a)
    if mode in ("f", "full", "e", "economic"):  # with a warning
        raise Unsupported
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    q, r = _core._linalg_qr(a, mode == "complete")
    return r if mode == "r" else numpys.QRResult(q, r)


def _is_lower(UPLO: str) -> bool:
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return UPLO.upper() == "L"


@linear
def eigh(a: Any, UPLO: str = "L") -> Any:
    return numpys.EighResult(*_core._linalg_eigh(a, _is_lower(UPLO)))


@linear
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    return _core._linalg_eigvalsh(a, _is_lower(UPLO))


@linear
def eig(a: Any) -> Any:
    return numpys.EigResult(*_core._linalg_eig(a, _MAY_BE_REAL))


@linear
def eigvals(a: Any) -> Any:
    return _core._linalg_eigvals(a, _MAY_BE_REAL)


@linear
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    if not compute_uv:
        return _core._linalg_svdvals(a, bool(hermitian))
    return numpys.SVDResult(*_core._linalg_svd(a, bool(full_matrices), bool(hermitian)))


@linear
def svdvals(x: Any, /) -> Any:
    return _core._linalg_svdvals(x, False)


@linear
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = numpy._NoValue) -> Any:
    if rcond is None:
        rcond = 1e-15 if rtol is numpy._NoValue else rtol
        if rcond is None:
            x = _core.asarray(a)
            rcond = max(x.shape[-2:]) * numpy.finfo(x.dtype).eps
    elif rtol is not numpy._NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if type(a) is _core.ndarray and not _core._records() and 0 in a.shape:  # NumPy has words, and layouts, of its own for these
        raise Unsupported
    return _core._linalg_pinv(a, rcond, bool(hermitian))


@linear
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    return _core._linalg_lstsq(a, b, None if rcond is None else float(rcond))


@linear
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    if type(A) is _core.ndarray and A.ndim > 2 and not _core._records() and not A.flags.c_contiguous:
        raise Unsupported  # a stack of ranks lies as NumPy's singular values do
    rank = _core._linalg_matrix_rank(A, tol, bool(hermitian), rtol)
    return rank if _core.asarray(A).ndim >= 2 else int(rank)  # NumPy's asks whether there is an element that is not 0


def _order(ord: Any) -> Any:
    return ord if ord is None or isinstance(ord, str) else float(ord)


@linear
def cond(x: Any, p: Any = None) -> Any:
    return _core._linalg_cond(x, _order(p))


@linear
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if axis is not None and not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except Exception as error:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from error
    return _core._linalg_norm(x, _order(ord), None if axis is None else [operator.index(each) for each in axis], bool(keepdims))


@linear
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    return norm(x, ord, (-2, -1), keepdims)


@linear
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    if isinstance(ord, str) or ord is None:
        raise Unsupported
    axes = None if axis is None else [operator.index(each) for each in (axis if isinstance(axis, tuple) else (axis,))]
    return _core._linalg_vector_norm(x, axes, bool(keepdims), float(ord))


@linear
def matmul(x1: Any, x2: Any, /) -> Any:
    return _core.matmul(x1, x2)


@linear
def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    return _core.tensordot(x1, x2, axes=axes)


@linear
def outer(x1: Any, x2: Any, /) -> Any:
    x, y = _core.asarray(x1), _core.asarray(x2)
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={x.ndim!r} and x2.ndim={y.ndim!r}.")
    return _core.outer(x, y)


@linear
def matrix_transpose(x: Any, /) -> Any:
    return _core.matrix_transpose(x)


@linear
def matrix_power(a: Any, n: Any) -> Any:
    try:
        exponent = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    return _core._linalg_matrix_power(a, exponent)


@linear
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    if out is not None:
        raise Unsupported
    return _core._linalg_multi_dot(list(arrays))


@linear
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    return _core._linalg_tensorsolve(a, b, [] if axes is None else [operator.index(axis) for axis in axes])


@linear
def tensorinv(a: Any, ind: int = 2) -> Any:
    return _core._linalg_tensorinv(a, operator.index(ind))
