"""One use of each public name of NumPy's over numbers, and of its options: statements over `N` (NumPy or fastnp) whose last part is what they give.

`x`, `y`: floats; `X`: a matrix; `T`: three axes; `i`: whole numbers; `b`: a mask; `c`: complex numbers; `p`: between 0 and 1; `s`: ascending.
"""

from __future__ import annotations

import textwrap

import numpy

UNARY = [name for name in dir(numpy) if isinstance(getattr(numpy, name), numpy.ufunc) and getattr(numpy, name).signature is None]


def _operand(name: str) -> str:
    if name in ("invert", "bitwise_not", "bitwise_count", "bitwise_invert", "gcd", "lcm", "left_shift", "right_shift") or name.startswith("bitwise"):
        return "i"
    return "p" if name in ("arccos", "arcsin", "arctanh", "acos", "asin", "atanh") else "1 + p" if name in ("arccosh", "acosh") else "x"


def _of_ufunc(name: str) -> str:
    if name == "isnat":
        return ""
    if name == "ldexp":
        return "N.ldexp(x, i)"
    return f"N.{name}({', '.join([_operand(name)] * getattr(numpy, name).nin)})"


def _lines(text: str) -> list[str]:
    return [line for line in textwrap.dedent(text).strip().splitlines() if line]


FUNCTIONS = [*filter(None, map(_of_ufunc, UNARY))] + _lines("""
    N.all(b)
    N.allclose(x, y)
    N.amax(x)
    N.amin(x)
    N.angle(c)
    N.any(b)
    N.append(x, y)
    N.apply_along_axis(N.sum, 0, X)
    N.apply_over_axes(N.sum, T, [0, 2])
    N.arange(5.0)
    N.array2string(x)
    N.array_repr(x)
    N.array_str(x)
    N.base_repr(5, 3)
    N.binary_repr(5)
    N.can_cast("i4", "f8")
    N.common_type(x, X)
    N.format_float_positional(2.5)
    N.format_float_scientific(2.5)
    N.isdtype(x.dtype, "real floating")
    N.issubdtype(x.dtype, N.floating)
    N.iterable(x)
    N.promote_types("i4", "f4")
    N.argmax(x)
    N.argmin(x)
    N.argpartition(x, 2)
    N.argsort(x)
    N.argwhere(b)
    N.around(x, 1)
    N.array([1.0, 2.0])
    N.array_equal(x, y)
    N.array_equiv(x, y)
    N.array_split(x, 2)
    N.asanyarray(x)
    N.asarray(x)
    N.asarray_chkfinite(x)
    N.ascontiguousarray(X.T)
    N.asfortranarray(X)
    N.astype(x, "float32")
    N.atleast_1d(x)
    N.atleast_2d(x)
    N.atleast_3d(x)
    N.average(x)
    N.bartlett(5)
    N.bincount(i)
    N.blackman(5)
    N.block([[X, X], [X, X]])
    N.broadcast_arrays(x, X[:, :1])
    N.broadcast_shapes((2, 1), (3,))
    N.broadcast_to(x, (2, 6))
    N.choose(i % 2, [x, y])
    N.clip(x, 0.1, 0.7)
    N.column_stack([x, y])
    N.compress(b, x)
    N.concat([x, y])
    N.concatenate([x, y])
    N.convolve(x, y)
    N.copy(x)
    z = x.copy(); N.copyto(z, y); z
    N.corrcoef(X)
    N.correlate(x, y)
    N.count_nonzero(b)
    N.cov(X)
    N.cross(X[:, :3], X[:, 1:])
    N.cumprod(x)
    N.cumsum(x)
    N.cumulative_prod(x)
    N.cumulative_sum(x)
    N.delete(x, 1)
    N.diag(x)
    N.diag_indices(3)
    N.diag_indices_from(X)
    N.diagflat(x)
    N.diagonal(X)
    N.diff(x)
    N.digitize(x, s)
    N.dot(X, X)
    N.dsplit(T, 2)
    N.dstack([x, y])
    N.ediff1d(x)
    N.einsum("ij,jk", X, X)
    N.einsum_path("ij,jk", X, X)
    N.empty(3).shape
    N.empty_like(x).shape
    N.expand_dims(x, 0)
    N.extract(b, x)
    N.eye(3)
    z = X.copy(); N.fill_diagonal(z, 2.0); z
    N.fix(x)
    N.flatnonzero(b)
    N.flip(x)
    N.fliplr(X)
    N.flipud(X)
    N.frombuffer(b"12345678")
    N.fromfunction(lambda a, b: a + b, (2, 3))
    N.fromiter((1.0, 2.0), float)
    N.full(3, 2.0)
    N.full_like(x, 2.0)
    N.geomspace(1.0, 8.0, 4)
    N.gradient(x)
    N.hamming(5)
    N.hanning(5)
    N.histogram(x)
    N.histogram2d(x, y)
    N.histogram_bin_edges(x)
    N.histogramdd(X)
    N.hsplit(X, 2)
    N.hstack([x, y])
    N.i0(x)
    N.identity(3)
    N.imag(c)
    N.indices((2, 3))
    N.inner(x, y)
    N.insert(x, 1, 2.0)
    N.interp(x, s, y)
    N.intersect1d(i, i)
    N.iscomplex(c)
    N.iscomplexobj(c)
    N.isclose(x, y)
    N.isfortran(X)
    N.isin(i, i)
    N.isneginf(x)
    N.isposinf(x)
    N.isreal(c)
    N.isrealobj(x)
    N.isscalar(3.0)
    N.ix_([0, 1], [1, 2])
    N.kaiser(5, 2.0)
    N.kron(X, X)
    N.lexsort((x, y))
    N.linspace(0.0, 1.0, 5)
    N.logspace(0.0, 1.0, 5)
    N.mask_indices(3, N.triu)
    N.matmul(X, X)
    N.matrix_transpose(X)
    N.matvec(X, X[0])
    N.max(x)
    N.may_share_memory(x, y)
    N.mean(x)
    N.median(x)
    N.meshgrid(x, y)
    N.min(x)
    N.min_scalar_type(3)
    N.moveaxis(T, 0, 1)
    N.nan_to_num(x)
    N.nanargmax(x)
    N.nanargmin(x)
    N.nancumprod(x)
    N.nancumsum(x)
    N.nanmax(x)
    N.nanmean(x)
    N.nanmedian(x)
    N.nanmin(x)
    N.nanpercentile(x, 30)
    N.nanprod(x)
    N.nanquantile(x, 0.3)
    N.nanstd(x)
    N.nansum(x)
    N.nanvar(x)
    N.ndim(x)
    N.nonzero(b)
    N.ones(3)
    N.ones_like(x)
    N.outer(x, y)
    N.packbits(b)
    N.pad(x, 2)
    N.partition(x, 2)
    N.percentile(x, 30)
    N.permute_dims(X)
    N.piecewise(x, [x > 0.5], [1.0, 2.0])
    z = x.copy(); N.place(z, b, [1.0]); z
    N.poly(x)
    N.polyadd(x, y)
    N.polyder(x)
    N.polydiv(x, y[:3])
    N.polyfit(s, y, 2)
    N.polyint(x)
    N.polymul(x, y)
    N.polysub(x, y)
    N.polyval(x, y)
    N.prod(x)
    N.ptp(x)
    z = x.copy(); N.put(z, [1, 2], 3.0); z
    z = X.copy(); N.put_along_axis(z, N.argsort(X, axis=1), 3.0, 1); z
    z = x.copy(); N.putmask(z, b, 3.0); z
    N.quantile(x, 0.3)
    N.ravel(X)
    N.ravel_multi_index((i % 2, i % 3), (2, 3))
    N.real(c)
    N.real_if_close(c)
    N.repeat(x, 2)
    N.require(x)
    N.reshape(x, (2, 3))
    N.resize(x, (2, 4))
    N.result_type(x, i)
    N.roll(x, 1)
    N.rollaxis(T, 1)
    N.roots(x)
    N.rot90(X)
    N.round(x, 1)
    N.searchsorted(s, x)
    N.select([x > 0.5], [y], 0.0)
    N.setdiff1d(i, i)
    N.setxor1d(i, i)
    N.shape(x)
    N.shares_memory(x, y)
    N.sinc(x)
    N.size(x)
    N.sort(x)
    N.sort_complex(c)
    N.split(x, 2)
    N.squeeze(x[None])
    N.stack([x, y])
    N.std(x)
    N.sum(x)
    N.swapaxes(T, 0, 1)
    N.take(x, [0, 2])
    N.take_along_axis(X, N.argsort(X, axis=1), 1)
    N.tensordot(X, X)
    N.tile(x, 2)
    N.trace(X)
    N.transpose(X)
    N.trapezoid(x)
    N.tri(3)
    N.tril(X)
    N.tril_indices(3)
    N.tril_indices_from(X)
    N.trim_zeros(x)
    N.triu(X)
    N.triu_indices(3)
    N.triu_indices_from(X)
    N.union1d(i, i)
    N.unique(i)
    N.unique_all(i)
    N.unique_counts(i)
    N.unique_inverse(i)
    N.unique_values(i)
    N.unpackbits(i.astype("uint8"))
    N.unravel_index(i, (4, 3))
    N.unstack(X)
    N.unwrap(x)
    N.vander(x)
    N.var(x)
    N.vdot(x, y)
    N.vecdot(X, X)
    N.vecmat(X[0], X)
    N.vsplit(X, 2)
    N.vstack([x, y])
    N.where(b, x, y)
    N.zeros(3)
    N.zeros_like(x)
    N.c_[x, y]
    N.r_[x, y]
    N.mgrid[0:2, 0:3]
    N.ogrid[0:2, 0:3]
    N.emath.sqrt(x)
    N.lib.stride_tricks.sliding_window_view(x, 3)
    N.lib.stride_tricks.as_strided(x, (2,), (8,))
    N.polynomial.polynomial.polyval(x, y)
    N.polynomial.chebyshev.chebval(x, y)
    N.polynomial.legendre.leggauss(3)
    N.vectorize(lambda a: a + 1)(x)
    N.float64(3.0) * x
""")

LINALG = _lines("""
    N.linalg.matrix_power(X, 3)
    N.linalg.solve(X, x[:4])
    N.linalg.tensorsolve(X, x[:4])
    N.linalg.tensorinv(X, 1)
    N.linalg.inv(X)
    N.linalg.cholesky(X @ X.T)
    N.linalg.eigvals(X)
    N.linalg.eigvalsh(X)
    N.linalg.pinv(X)
    N.linalg.slogdet(X)
    N.linalg.det(X)
    N.linalg.svd(X)
    N.linalg.svdvals(X)
    N.linalg.eig(X)
    N.linalg.eigh(X)
    N.linalg.lstsq(X, x[:4])
    N.linalg.norm(x)
    N.linalg.norm(X)
    N.linalg.norm(X, 1)
    N.linalg.norm(X, "nuc")
    N.linalg.norm(x, N.inf)
    N.linalg.qr(X)
    N.linalg.cond(X)
    N.linalg.matrix_rank(X)
    N.linalg.multi_dot([X, X, X])
    N.linalg.trace(X)
    N.linalg.diagonal(X)
    N.linalg.cross(x[:3], y[:3])
    N.linalg.outer(x, y)
    N.linalg.tensordot(X, X)
    N.linalg.matmul(X, X)
    N.linalg.matrix_transpose(X)
    N.linalg.matrix_norm(X)
    N.linalg.vector_norm(x)
    N.linalg.vecdot(X, X)
""")

FFT = [f"N.fft.{name}(x)" for name in "fft ifft rfft irfft hfft ihfft fftshift ifftshift".split()]
FFT += [f"N.fft.{name}(X)" for name in "rfftn irfftn rfft2 irfft2 fft2 ifft2 fftn ifftn".split()] + ["N.fft.fftfreq(5)", "N.fft.rfftfreq(5)"]

METHODS = _lines("""
    x.all()
    x.any()
    x.argmax()
    x.argmin()
    x.argpartition(2)
    x.argsort()
    x.astype("float32")
    x.byteswap()
    (i % 2).choose([x, y])
    x.clip(0.1, 0.7)
    x.compress(b)
    c.conj()
    c.conjugate()
    x.copy()
    x.cumprod()
    x.cumsum()
    X.diagonal()
    X.dot(X)
    z = x.copy(); z.fill(2.0); z
    X.flatten()
    x.getfield("float32", 0)
    x.item(2)
    x.max()
    x.mean()
    x.min()
    b.nonzero()
    z = x.copy(); z.partition(2); z
    x.prod()
    z = x.copy(); z.put([1], 2.0); z
    X.ravel()
    x.repeat(2)
    x.reshape(2, 3)
    z = x.copy(); z.resize(8); z
    x.round(1)
    s.searchsorted(x)
    z = x.copy(); z.setfield(1, "int32", 0); z
    z = x.copy(); z.sort(); z
    x[None].squeeze()
    x.std()
    x.sum()
    X.swapaxes(0, 1)
    x.take([0, 2])
    x.tobytes()
    x.tolist()
    X.trace()
    X.transpose()
    x.var()
    x.view("int64")
    x.view()
    x.T
    X.mT
    c.real
    c.imag
    x.dtype
    x.shape
    x.strides
    x.size
    x.ndim
    x.nbytes
    x.itemsize
    x.flags.c_contiguous
    x.base is None
    x.flat[2]
    list(x.flat)[1]
    z = x.copy(); z.flat = 3.0; z
    z = x.copy(); z.flat[2] = 3.0; z
    x.__array_namespace__ is not None
    x.device
    x.to_device("cpu")
    len(x)
    float(x[0])
    int(i[0])
    bool(b[0])
    complex(c[0])
    x[1:3]
    x[-1]
    X[1, 2]
    X[1]
    X[:, 1]
    x[None]
    x[...]
    T[..., 0]
    x[b]
    x[[0, 2]]
    x[i % 3]
    X[[0, 1], [1, 2]]
    X[X > 0.5]
    T[0, :, [0, 1]]
    T[[0, 1], :, [0, 1]]
    z = x.copy(); z[1] = 3.0; z
    z = x.copy(); z[1:3] = 3.0; z
    z = x.copy(); z[[0, 2]] = 3.0; z
    z = x.copy(); z[b] = 3.0; z
    z = X.copy(); z[[0, 1], [1, 2]] = 3.0; z
    z = X.copy(); z[:, 1] = 3.0; z
    z = X.copy(); z[X > 0.5] = X[X > 0.5]; z
    z = x.copy(); z[b] *= 2; z
    z = X.copy(); z[[0, 1]] += 1; z
    z = x.copy(); z += y; z
    x + y
    x - 1
    2 * x
    x / y
    x // y
    x % y
    x ** 2
    X @ X
    -x
    abs(x)
    i & 3
    i | 3
    i ^ 3
    i << 1
    i >> 1
    ~i
    x < y
    x == y
    divmod(x, y)
    x.copy().__setitem__(0, 1.0)
    0.5 in x
    [each for each in x][0]
    str(x)
    repr(x)
    format(x[0], ".2f")
    hash(float(x[0]))
    memoryview(x).shape
""")

UFUNC_METHODS = _lines("""
    N.add.reduce(x)
    N.multiply.reduce(x)
    N.maximum.reduce(x)
    N.minimum.reduce(x)
    N.logical_and.reduce(b)
    N.logical_or.reduce(b)
    N.logical_xor.reduce(b)
    N.bitwise_and.reduce(i)
    N.bitwise_or.reduce(i)
    N.bitwise_xor.reduce(i)
    N.gcd.reduce(i)
    N.fmax.reduce(x)
    N.fmin.reduce(x)
    N.subtract.reduce(x)
    N.divide.reduce(x)
    N.logaddexp.reduce(x)
    N.hypot.reduce(x)
    N.power.reduce(x)
    N.add.reduce(X, axis=(0, 1))
    N.add.reduce(X, axis=0, keepdims=True)
    N.add.accumulate(x)
    N.multiply.accumulate(x)
    N.maximum.accumulate(x)
    N.minimum.accumulate(x)
    N.subtract.accumulate(x)
    N.logical_or.accumulate(b)
    N.bitwise_xor.accumulate(i)
    N.logaddexp.accumulate(x)
    N.add.reduceat(x, [0, 2, 4])
    N.multiply.reduceat(x, [0, 2, 4])
    N.maximum.reduceat(x, [0, 2, 4])
    N.add.outer(x, y)
    N.multiply.outer(x, y)
    N.maximum.outer(x, y)
    N.power.outer(x, y)
    N.less.outer(x, y)
    z = x.copy(); N.add.at(z, [0, 0], 1.0); z
    z = x.copy(); N.subtract.at(z, [0, 0], 1.0); z
    z = x.copy(); N.multiply.at(z, [0, 0], 2.0); z
    z = x.copy(); N.maximum.at(z, [0, 0], 2.0); z
    z = x.copy(); N.negative.at(z, [0, 1]); z
    z = x.copy(); N.divide.at(z, [0, 0], 2.0); z
    z = b.copy(); N.logical_or.at(z, [0, 0], True); z
    z = x.copy(); N.add(x, y, out=z); z
    N.add(x, y, where=b, out=x.copy())
    N.add(x, y, dtype="float32", casting="same_kind")
    N.add(x, y, order="F")
    N.add(x, y, signature="dd->d")
    N.matmul(X, X, axes=[(0, 1), (0, 1), (0, 1)])
    N.vecdot(X, X, axis=0)
    N.add.nin
    N.add.types[0]
    N.add.identity
    N.add.resolve_dtypes((N.dtype("f4"), N.dtype("f8"), None))
""")

OPTIONS = _lines("""
    N.sum(X, axis=0)
    N.sum(X, axis=(0, 1), keepdims=True)
    N.sum(X, dtype="float32")
    N.sum(X, initial=2.0)
    N.sum(x, where=b)
    N.max(x, where=b, initial=0.0)
    N.mean(X, axis=1, keepdims=True)
    N.var(x, ddof=1)
    N.std(x, correction=1)
    N.argmax(X, axis=1, keepdims=True)
    N.cumsum(X, axis=1)
    N.unique(X, axis=0)
    N.unique(i, return_index=True, return_inverse=True, return_counts=True)
    N.sort(X, axis=0)
    N.sort(x, kind="stable")
    N.argsort(X, axis=None)
    N.pad(x, 2, mode="edge")
    N.pad(x, 2, mode="reflect")
    N.pad(x, 2, mode="wrap")
    N.pad(x, 2, mode="symmetric")
    N.pad(x, 2, mode="mean")
    N.pad(x, (1, 2), constant_values=3.0)
    N.repeat(x, [1, 2, 0, 1, 1, 3])
    N.repeat(X, 2, axis=1)
    N.roll(X, 1, axis=1)
    N.einsum("ii", X)
    N.einsum("ii->i", X)
    N.einsum("...j,j", X, X[0])
    N.einsum("bij,bjk->bik", T, T.swapaxes(1, 2))
    N.einsum("i,j->ij", x, y)
    N.einsum("ij,jk,kl->il", X, X, X)
    N.einsum("ij,jk,kl->il", X, X, X, optimize=True)
    N.einsum(X, [0, 1], X, [1, 2])
    N.einsum("ij,jk", X, X)
    N.histogram(x, range=(0.0, 1.0))
    N.histogram(x, density=True)
    N.histogram(x, weights=y)
    N.histogram(x, bins=s)
    N.bincount(i, weights=x)
    N.percentile(x, [10, 90])
    N.percentile(x, 30, method="lower")
    N.median(X, axis=1)
    N.median(X)
    N.median(X, axis=0, keepdims=True)
    N.gradient(X)
    N.gradient(x, 0.5)
    N.gradient(x, s)
    N.linspace(x, y, 4)
    N.linspace(0.0, 1.0, 5, retstep=True)
    N.meshgrid(x, y, indexing="ij")
    N.meshgrid(x, y, sparse=True)
    N.average(X, axis=0)
    N.average(x, weights=p)
    N.cov(X, rowvar=False)
    N.cov(x, y)
    N.interp(x, s, y, left=0.0, right=1.0)
    N.trapezoid(x, dx=0.5)
    N.trapezoid(X, axis=0)
    N.cross(X[:, :3], X[:, :3], axis=1)
    N.kron(x, y)
    N.nan_to_num(x, nan=2.0)
    N.isclose(x, y, rtol=0.1)
    N.tile(x, (2, 2))
    N.delete(x, slice(1, 3))
    N.delete(X, 1, axis=0)
    N.insert(X, 1, 2.0, axis=1)
    N.append(X, X, axis=0)
    N.isin(i, [1, 2], invert=True)
    N.apply_along_axis(sum, 1, X)
    N.piecewise(x, [x > 0.5], [N.sin, N.cos])
    N.digitize(x, s, right=True)
    X[N.triu_indices(3)]
    N.tril(X, 1)
    N.linalg.svd(X, full_matrices=False)
    N.linalg.svd(X[:, :2], full_matrices=True)
    N.linalg.qr(X[:, :2], "complete")
    N.linalg.lstsq(X, X)
    N.linalg.eigh(X @ X.T)
    N.linalg.solve(X, X)
    N.linalg.inv(N.stack([X, X]))
    N.fft.fft(x, 8)
    N.fft.fft(X, axis=0)
    N.fft.fft(x, norm="ortho")
    N.fft.rfft(X, 3, 0)
    N.fft.fft(c)
    N.fft.irfft(c, 7)
    N.outer(x, y, out=N.empty((6, 6)))
    N.dot(X, X, out=N.empty((4, 4)))
    N.concatenate([X, X], axis=1)
    N.concatenate([x, y], dtype="float32", casting="same_kind")
    N.stack([x, y], axis=1)
    N.take(X, [0, 1], axis=1, mode="wrap")
    N.clip(x, None, 0.5)
    N.round(x, 2)
    N.where(b)
    N.tensordot(T, T, axes=([1], [1]))
    N.moveaxis(T, [0, 1], [2, 0])
    N.squeeze(T[:1], axis=0)
    N.searchsorted(s, x, side="right")
    N.arange(1, 5, 2)
    N.full((2, 2), [1.0, 2.0])
    N.array([x, y])
    N.array(x, dtype="float32")
    N.array(x, ndmin=3)
    N.zeros((2, 3), order="F")
    N.diff(x, 2, prepend=0.0)
    N.ediff1d(x, to_begin=0.0)
    N.convolve(x, y, "same")
    N.correlate(x, y, "full")
    N.nansum(X, axis=0)
    N.nanmean(X, axis=1)
    N.nanvar(X, axis=0, ddof=1)
    N.quantile(X, [0.2, 0.8], axis=1)
    N.cumulative_sum(X, axis=1, include_initial=True)
    N.packbits(b, bitorder="little")
    N.triu(X, -1)
    N.geomspace(x + 1, y + 2, 3)
    N.logspace(0.0, 1.0, 5, base=2.0)
    N.array_equal(x, y, equal_nan=True)
    N.put_along_axis(X.copy(), N.array([[0], [1], [2], [3]]), 3.0, 1)
""")

_DRAWS = """
random(3) | normal(size=3) | normal(x, p) | standard_normal(3) | uniform(size=3) | integers(0, 9, 3) | choice(5, 3)
choice(5, 3, p=[0.2] * 5) | permutation(5) | permutation(x) | permuted(x) | exponential(size=3) | standard_exponential(3) | poisson(3.0, 3)
binomial(5, 0.3, 3) | gamma(2.0, size=3) | standard_gamma(2.0, 3) | beta(1.0, 2.0, 3)
multivariate_normal([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]]) | multinomial(5, [0.2, 0.8]) | dirichlet([1.0, 2.0]) | chisquare(2.0, 3)
f(2.0, 3.0, 3) | geometric(0.3, 3) | gumbel(size=3) | hypergeometric(5, 4, 3, 3) | laplace(size=3) | logistic(size=3) | lognormal(size=3)
logseries(0.3, 3) | multivariate_hypergeometric([3, 4], 2) | negative_binomial(3, 0.3, 3) | noncentral_chisquare(2.0, 1.0, 3)
noncentral_f(2.0, 3.0, 1.0, 3) | pareto(2.0, 3) | power(2.0, 3) | rayleigh(size=3) | standard_cauchy(3) | standard_t(2.0, 3)
triangular(0.0, 0.5, 1.0, 3) | vonmises(0.0, 1.0, 3) | wald(1.0, 1.0, 3) | weibull(2.0, 3) | zipf(2.0, 3) | bytes(3)
"""
GENERATOR = [f"N.random.default_rng(3).{each.strip()}" for line in _DRAWS.strip().splitlines() for each in line.split(" | ")]
GENERATOR += ["g = N.random.default_rng(3); z = x.copy(); g.shuffle(z); z", "N.random.default_rng(3).random(out=N.empty(3))"]
GENERATOR += ["N.random.default_rng(3).spawn(2)[0].random()"]
_LEGACY = """
rand(3) | randn(3) | randint(0, 9, 3) | random(3) | random_sample(3) | uniform(size=3) | normal(size=3) | choice(5, 3) | permutation(5)
exponential(size=3) | poisson(3.0, 3) | binomial(5, 0.3, 3) | multivariate_normal([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]]) | gamma(2.0, size=3)
beta(1.0, 2.0, 3) | multinomial(5, [0.2, 0.8]) | laplace(size=3) | lognormal(size=3) | triangular(0.0, 0.5, 1.0, 3) | dirichlet([1.0, 2.0])
"""
LEGACY = [f"N.random.seed(3); N.random.{each.strip()}" for line in _LEGACY.strip().splitlines() for each in line.split(" | ")]
LEGACY += ["N.random.seed(3); z = x.copy(); N.random.shuffle(z); z", "N.random.RandomState(3).rand(3)"]
LEGACY += [f"N.random.Generator(N.random.{each}(3)).random(3)" for each in ("PCG64", "Philox", "MT19937", "SFC64")]

GROUPS = {
    "numpy": FUNCTIONS,
    "numpy.linalg": LINALG,
    "numpy.fft": FFT,
    "ndarray": METHODS,
    "ufunc methods": UFUNC_METHODS,
    "options": OPTIONS,
    "random.Generator": GENERATOR,
    "random, legacy": LEGACY,
}


def function_of(use: str) -> str:
    """The source of a function of `N` and the arrays."""
    *before, last = use.split("; ")
    return "\n".join(["def use(N, x, y, X, T, i, b, c, p, s):", *(f"    {each}" for each in before), f"    return {last}", ""])


def arrays() -> dict[str, numpy.ndarray]:
    rng = numpy.random.default_rng(11)
    return {
        "x": rng.uniform(0.1, 2.0, 6),
        "y": rng.uniform(0.1, 2.0, 6),
        "X": rng.uniform(0.1, 1.0, (4, 4)) + 2 * numpy.eye(4),
        "T": rng.uniform(0.1, 1.0, (2, 3, 4)),
        "i": rng.integers(1, 7, 6),
        "b": numpy.array([True, False, True, True, False, True]),
        "c": rng.normal(size=6) + 1j * rng.normal(size=6),
        "p": rng.uniform(0.1, 0.9, 6),
        "s": numpy.linspace(0.0, 2.0, 6),
    }
