"""numpy.linalg in compiled functions: values, layouts and errors as NumPy's; derivatives of complex matrices, of singular and of degenerate ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest
from support import BACKENDS, quietly

import fastnp as np

pytestmark = pytest.mark.part(5)

rng = numpy.random.default_rng(11)
DTYPES = ["float64", "float32", "complex128", "complex64", "int64"]
STACKS: list[tuple[int, ...]] = [(), (2,), (3, 2), (0,)]


def normal(dtype: Any, *shape: int) -> Any:
    dtype = numpy.dtype(dtype)
    if dtype.kind in "iu":
        regular = 6 * shape[-1] * numpy.eye(shape[-2], shape[-1], dtype=dtype) if len(shape) > 1 else 0  # more than all else in a row
        return rng.integers(-5, 6, shape).astype(dtype) + regular
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if dtype.kind == "c" else x).astype(dtype)


def adjoint(x: Any) -> Any:
    return numpy.conj(numpy.swapaxes(x, -1, -2))


def hermitian(dtype: Any, *shape: int) -> Any:
    x = normal(dtype, *shape)
    return x + adjoint(x)


def definite(dtype: Any, *shape: int) -> Any:
    x = normal(dtype, *shape)
    return x @ adjoint(x) + shape[-1] * numpy.eye(shape[-1], dtype=x.dtype)


def layouts(x: Any) -> Iterator[Any]:
    """The same elements, lying differently."""
    yield x
    yield numpy.asfortranarray(x)
    wide = numpy.zeros(tuple(2 * n for n in x.shape), x.dtype)
    part = wide[tuple(slice(None, None, 2) for _ in x.shape)]
    part[...] = x
    yield part
    turned = numpy.ascontiguousarray(x[..., ::-1, ::-1])
    yield turned[..., ::-1, ::-1]


def tolerance_of(dtype: Any) -> float:
    return 2e-3 if numpy.dtype(dtype).char in "fF" else 1e-8


def leaves(tree: Any) -> list[Any]:
    return list(tree) if isinstance(tree, tuple) else [tree]


def steps(x: Any) -> list[int]:
    """Strides of the axes that have steps."""
    return [stride for stride, size in zip(x.strides, x.shape, strict=True) if size > 1]


def same_kind(found: Any, wanted: Any, lies_same: bool) -> None:
    assert type(found).__name__ == type(wanted).__name__ or not isinstance(wanted, tuple)
    for a, b in zip(leaves(found), leaves(wanted), strict=True):
        a = numpy.asarray(a)
        assert a.dtype == b.dtype and a.shape == b.shape
        if a.size and lies_same:
            assert steps(a) == steps(b)


def compared(f: Callable[..., Any], args: tuple[Any, ...], check: Callable[..., None] | None = None, lies_same: bool = True) -> None:
    """At once, and compiled, twice, by both back ends, against NumPy; `check` is for factors that are not determined to the last sign."""
    wanted = quietly(f, numpy, *args)
    tolerance = max(tolerance_of(leaf.dtype) for leaf in leaves(wanted))
    for backend in BACKENDS:
        compiled = np.compile(lambda *xs: f(np, *xs), fullgraph=True, backend=backend)
        for found in (quietly(f, np, *args), compiled(*args), compiled(*args)):
            same_kind(found, wanted, lies_same)
            if check is not None:
                check(*args, *[numpy.asarray(leaf) for leaf in leaves(found)], tolerance)
                continue
            for a, b in zip(leaves(found), leaves(wanted), strict=True):
                numpy.testing.assert_allclose(numpy.asarray(a), b, rtol=tolerance, atol=tolerance * float(numpy.max(numpy.abs(b), initial=1.0)))


def is_unitary(q: Any, tolerance: float) -> None:
    n = q.shape[-1]
    numpy.testing.assert_allclose(adjoint(q) @ q, numpy.broadcast_to(numpy.eye(n), (*q.shape[:-2], n, n)), atol=tolerance)


def rebuilds(product: Any, x: Any, tolerance: float) -> None:
    numpy.testing.assert_allclose(product, x, atol=20 * tolerance * float(numpy.max(numpy.abs(x), initial=1.0)))


def check_qr(x: Any, q: Any, r: Any, tolerance: float) -> None:
    is_unitary(q, tolerance)
    rebuilds(q @ r, x, tolerance)
    assert not numpy.any(numpy.tril(r, -1))


def check_eigh(x: Any, w: Any, v: Any, tolerance: float) -> None:
    is_unitary(v, tolerance)
    rebuilds(v * w[..., None, :] @ adjoint(v), x, tolerance)
    assert numpy.all(w[..., 1:] >= w[..., :-1])


def check_svd(x: Any, u: Any, s: Any, vh: Any, tolerance: float) -> None:
    is_unitary(u, tolerance)
    is_unitary(adjoint(vh), tolerance)
    k = s.shape[-1]
    rebuilds(u[..., :k] * s[..., None, :] @ vh[..., :k, :], x, tolerance)
    assert numpy.all(s[..., 1:] <= s[..., :-1])


def check_eig(x: Any, w: Any, v: Any, tolerance: float) -> None:
    rebuilds(x @ v, v * w[..., None, :], tolerance)


SQUARE: dict[str, tuple[Callable[..., Any], Callable[..., Any], Any]] = {
    "inv": (lambda np, a: np.linalg.inv(a), normal, None),
    "det": (lambda np, a: np.linalg.det(a), normal, None),
    "slogdet": (lambda np, a: np.linalg.slogdet(a), normal, None),
    "cholesky": (lambda np, a: np.linalg.cholesky(a), definite, None),
    "cholesky upper": (lambda np, a: np.linalg.cholesky(a, upper=True), definite, None),
    "eigh": (lambda np, a: np.linalg.eigh(a), hermitian, check_eigh),
    "eigh upper": (lambda np, a: np.linalg.eigh(a, UPLO="u"), hermitian, check_eigh),
    "eigvalsh": (lambda np, a: np.linalg.eigvalsh(a, "U"), hermitian, None),
    "matrix_power": (lambda np, a: np.linalg.matrix_power(a, 5) + np.linalg.matrix_power(a, 0), normal, None),
    "matrix_power of the inverse": (lambda np, a: np.linalg.matrix_power(a, -2), normal, None),
    "svd of hermitian": (lambda np, a: np.linalg.svd(a, hermitian=True), hermitian, check_svd),
    "pinv of hermitian": (lambda np, a: np.linalg.pinv(a, hermitian=True), definite, None),
}
OTHER: dict[str, tuple[Callable[..., Any], Any]] = {
    "qr": (lambda np, a: np.linalg.qr(a), check_qr),
    "qr complete": (lambda np, a: np.linalg.qr(a, "complete"), check_qr),
    "qr r": (lambda np, a: np.linalg.qr(a, mode="r"), None),
    "qr raw": (lambda np, a: np.linalg.qr(a, mode="raw"), None),
    "svd": (lambda np, a: np.linalg.svd(a), check_svd),
    "svd reduced": (lambda np, a: np.linalg.svd(a, full_matrices=False), check_svd),
    "svdvals": (lambda np, a: np.linalg.svdvals(a), None),
    "svd of values": (lambda np, a: np.linalg.svd(a, compute_uv=False), None),
    "pinv": (lambda np, a: np.linalg.pinv(a, rcond=1e-6), None),
    "matrix_rank": (lambda np, a: np.linalg.matrix_rank(a), None),
    "matrix_rank tol": (lambda np, a: np.linalg.matrix_rank(a, tol=0.5), None),
    "matrix_norm": (lambda np, a: np.linalg.matrix_norm(a, keepdims=True), None),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SQUARE)
def test_square_matrices(name: str, dtype: str) -> None:
    f, make, check = SQUARE[name]
    lies_same = name != "svd of hermitian"  # NumPy's lie as what was picked by arrays of indices happens to
    for stack, n in itertools.product(STACKS, (0, 1, 4)):
        compared(f, (make(dtype, *stack, n, n),), check, lies_same)
    for x in layouts(make(dtype, 2, 3, 3)):
        compared(f, (x,), check, lies_same)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OTHER)
def test_any_matrices(name: str, dtype: str) -> None:
    f, check = OTHER[name]
    for stack, (m, n) in itertools.product(STACKS, ((4, 4), (5, 2), (2, 3), (0, 2), (3, 0), (0, 0))):
        if dtype == "int64" and name == "pinv" and 0 in (m, n):
            continue
        compared(f, (normal(dtype, *stack, m, n),), check)
    for x in layouts(normal(dtype, 2, 3, 4)):
        compared(f, (x,), check)


@pytest.mark.parametrize("dtype", DTYPES)
def test_solve(dtype: str) -> None:
    def solve(np: Any, a: Any, b: Any) -> Any:
        return np.linalg.solve(a, b)

    for left, right in [((), ()), ((2,), (2,)), ((3, 1), (2,)), ((), (2, 3)), ((2,), ()), ((0,), (1,))]:
        compared(solve, (normal(dtype, *left, 3, 3), normal(dtype, *right, 3, 2)))
        compared(solve, (normal(dtype, *left, 3, 3), normal(dtype, 3)))
    for n, k in [(0, 2), (3, 0), (0, 0), (1, 1)]:
        compared(solve, (normal(dtype, 2, n, n), normal(dtype, n, k)))
    for a, b in zip(layouts(normal(dtype, 3, 3)), layouts(normal(dtype, 3, 3)), strict=True):
        compared(solve, (a, b))


@pytest.mark.parametrize("dtype", DTYPES)
def test_least_squares(dtype: str) -> None:
    for (m, n), k in itertools.product(((5, 3), (3, 5), (4, 4), (0, 2), (3, 0)), (None, 1, 2)):
        b = normal(dtype, m) if k is None else normal(dtype, m, k)
        compared(lambda np, a, b: np.linalg.lstsq(a, b), (normal(dtype, m, n), b))
    for rcond in (-1, 0.0, 0.3):
        compared(lambda np, a, b, rcond=rcond: np.linalg.lstsq(a, b, rcond)[::2], (normal(dtype, 4, 3), normal(dtype, 4)))
    deficient = numpy.outer(normal(dtype, 5), normal(dtype, 3))
    compared(lambda np, a, b: np.linalg.lstsq(a, b, rcond=1e-4), (deficient, normal(dtype, 5, 2)))


def test_least_squares_of_another_rank() -> None:
    compiled = np.compile(lambda a, b: np.linalg.lstsq(a, b), fullgraph=True)
    full, b = normal("d", 5, 3), normal("d", 5)
    deficient = full * numpy.array([1.0, 1.0, 0.0])
    for a in (full, deficient, full, deficient):
        found, wanted = compiled(a, b), numpy.linalg.lstsq(a, b)
        assert found[1].shape == wanted[1].shape and int(found[2]) == wanted[2]
        numpy.testing.assert_allclose(numpy.asarray(found[0]), wanted[0], rtol=1e-9, atol=1e-12)


NORMS: list[tuple[tuple[int, ...], Any, Any]] = [
    *[((4,), ord, None) for ord in (None, 1, 2, 3, 0, -1, 0.5, numpy.inf, -numpy.inf)],
    *[((3, 4), ord, None) for ord in (None, "fro", "nuc", 1, -1, 2, -2, numpy.inf, -numpy.inf)],
    *[((2, 3, 4), ord, axis) for ord in (None, 1, 2, -1, numpy.inf) for axis in (1, -1, (0, 2), (2, 0), (1, -1))],
    *[((2, 3, 4), "nuc", axis) for axis in ((0, 2), (2, 0))],
    ((2, 3, 4), None, None),
    ((0,), None, None),
    ((0, 3), 1, None),
    ((3, 0), 2, None),
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_norms(dtype: str) -> None:
    for (shape, ord, axis), keepdims in itertools.product(NORMS, (False, True)):
        compared(lambda np, x, ord=ord, axis=axis, keepdims=keepdims: np.linalg.norm(x, ord, axis, keepdims), (normal(dtype, *shape),))
    x = normal(dtype, 2, 3, 4)
    for axis, keepdims in itertools.product((None, 1, (0, 1), (2, 0)), (False, True)):
        compared(lambda np, x, axis=axis, keepdims=keepdims: np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=3), (x,))


@pytest.mark.parametrize("dtype", DTYPES)
def test_condition_numbers(dtype: str) -> None:
    for p in (None, 2, -2, 1, -1, "fro", "nuc", numpy.inf):
        compared(lambda np, x, p=p: np.linalg.cond(x, p), (normal(dtype, 3, 3),))
        compared(lambda np, x, p=p: np.linalg.cond(x, p), (normal(dtype, 2, 3, 3),))
    compared(lambda np, x: np.linalg.cond(x), (normal(dtype, 2, 3, 4),))
    singular = numpy.array([[1.0, 2.0], [2.0, 4.0]])
    assert float(np.compile(lambda x: np.linalg.cond(x, 1))(singular)) == numpy.linalg.cond(singular, 1) == numpy.inf


def test_products() -> None:
    shapes = [(4, 2), (2, 7), (7, 3), (3, 5)]
    for count, first, last in itertools.product((2, 3, 4), (True, False), (True, False)):
        args = [normal("d", *shape) for shape in shapes[:count]]
        if first:
            args[0] = args[0][0]
        if last:
            args[-1] = args[-1][:, 0]
        compared(lambda np, *xs: np.linalg.multi_dot(list(xs)), tuple(args))
    compared(lambda np, a, b: np.linalg.tensorsolve(a, b), (normal("d", 2, 3, 6), normal("d", 2, 3)))
    compared(lambda np, a, b: np.linalg.tensorsolve(a, b, axes=(1, 0)), (normal("d", 2, 3, 6), normal("d", 6)))
    compared(lambda np, a: np.linalg.tensorinv(a), (normal("d", 4, 6, 8, 3),))
    compared(lambda np, a: np.linalg.tensorinv(a, ind=1), (normal("d", 24, 8, 3),))


def test_numpys_other_names() -> None:
    x, y = normal("d", 2, 3, 3), normal("d", 2, 3, 3)
    compared(lambda np, a: np.linalg.diagonal(a, offset=1) * 2, (x,))
    compared(lambda np, a: np.linalg.trace(a), (x,))
    compared(lambda np, a, b: np.linalg.cross(a, b), (x, y))
    compared(lambda np, a, b: np.linalg.vecdot(a, b), (x, y))
    compared(lambda np, a, b: np.linalg.matmul(a, b), (x, y))
    compared(lambda np, a, b: np.linalg.tensordot(a, b, axes=1), (x, y[0]))
    compared(lambda np, a, b: np.linalg.outer(a, b), (x[0, 0], y[0, 0]))
    compared(lambda np, a: np.linalg.matrix_transpose(a) * 2, (x,))


def test_pinv_options() -> None:
    x = normal("d", 2, 4, 3)
    compared(lambda np, a: np.linalg.pinv(a, rcond=np.asarray([0.1, 0.9])), (x,))
    compared(lambda np, a: np.linalg.pinv(a, rtol=None), (x,))
    compared(lambda np, a: np.linalg.pinv(a, rtol=0.5), (x,))
    compared(lambda np, a: np.linalg.pinv(a), (normal("d", 2, 0, 3),))
    compared(lambda np, a: np.linalg.matrix_rank(a, rtol=np.asarray([0.1, 0.9])), (x,))
    for vector, rank in ((normal("d", 4), 1), (numpy.zeros(4), 0)):
        assert int(np.compile(lambda a: np.linalg.matrix_rank(a))(vector)) == numpy.linalg.matrix_rank(vector) == rank


def test_eigenvalues_of_complex_matrices() -> None:
    for dtype in ("complex128", "complex64"):
        for stack, n in itertools.product(STACKS, (0, 1, 4)):
            compared(lambda np, a: np.linalg.eig(a), (normal(dtype, *stack, n, n),), check_eig)
        x = normal(dtype, 3, 4, 4)
        found = numpy.asarray(np.compile(lambda a: np.linalg.eigvals(a), fullgraph=True)(x))
        numpy.testing.assert_allclose(numpy.sort(found), numpy.sort(numpy.linalg.eigvals(x)), rtol=tolerance_of(dtype))


def test_eigenvalues_of_real_matrices_are_real_where_they_can_be() -> None:
    compiled = np.compile(lambda a: (np.linalg.eigvals(a), np.linalg.eig(a)), fullgraph=True)
    turn = numpy.array([[0.0, 1.0], [-1.0, 0.0]])
    for x in (numpy.diag([1.0, 2.0]), turn, numpy.diag([3.0, 2.0]), numpy.stack([numpy.eye(2), turn]), numpy.diag([1, 2]), turn.astype("f")):
        found, (values, vectors) = compiled(x)
        wanted = numpy.linalg.eig(x)
        for a, b in ((found, wanted[0]), (values, wanted[0]), (vectors, wanted[1])):
            assert a.dtype == b.dtype
            numpy.testing.assert_allclose(numpy.asarray(a), b, rtol=1e-6, atol=1e-7)
    assert np.vmap(np.linalg.eigvals)(np.asarray(numpy.stack([numpy.eye(2), turn]))).dtype == complex


def test_eigenvalues_of_real_matrices_are_complex_since_numpy_25(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastnp._linalg._MAY_BE_REAL", False)
    compiled = np.compile(lambda a: (np.linalg.eigvals(a), *np.linalg.eig(a)), fullgraph=True)
    for x in (numpy.diag([1.0, 2.0]), numpy.diag([1.0, 2.0]).astype("f"), numpy.diag([1, 2])):
        found = compiled(x)
        assert {each.dtype.char for each in found} == {"F" if x.dtype.char == "f" else "D"}
        for got, want in zip(found, (x.diagonal(), x.diagonal(), numpy.eye(2)), strict=True):
            numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-6)


SINGULAR = numpy.array([[1.0, 2.0], [2.0, 4.0]])
NAN = numpy.full((2, 2), numpy.nan)
INDEFINITE = numpy.diag([1.0, -1.0])
ERRORS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "solve singular": (lambda np, a, b: np.linalg.solve(a, b), (SINGULAR, numpy.ones(2))),
    "solve singular in a stack": (lambda np, a, b: np.linalg.solve(a, b), (numpy.stack([numpy.eye(2), SINGULAR]), numpy.ones((2, 1)))),
    "solve of a vector": (lambda np, a, b: np.linalg.solve(a, b), (numpy.ones(2), numpy.ones(2))),
    "solve of a number": (lambda np, a, b: np.linalg.solve(a, b), (numpy.eye(2), numpy.array(1.0))),
    "solve of a rectangle": (lambda np, a, b: np.linalg.solve(a, b), (numpy.ones((2, 3)), numpy.ones(2))),
    "solve of other sizes": (lambda np, a, b: np.linalg.solve(a, b), (numpy.eye(2), numpy.ones((3, 2)))),
    "solve of another vector": (lambda np, a, b: np.linalg.solve(a, b), (numpy.eye(2), numpy.ones(3))),
    "solve of other stacks": (lambda np, a, b: np.linalg.solve(a, b), (numpy.stack([numpy.eye(2)] * 2), numpy.ones((3, 2, 2)))),
    "inv singular": (lambda np, a: np.linalg.inv(a), (SINGULAR,)),
    "inv zeros": (lambda np, a: np.linalg.inv(a), (numpy.zeros((2, 2)),)),
    "inv half": (lambda np, a: np.linalg.inv(a), (numpy.eye(2, dtype="e"),)),
    "det rectangle": (lambda np, a: np.linalg.det(a), (numpy.ones((2, 3)),)),
    "cholesky": (lambda np, a: np.linalg.cholesky(a), (INDEFINITE,)),
    "svd NaN": (lambda np, a: np.linalg.svd(a), (NAN,)),
    "svdvals NaN": (lambda np, a: np.linalg.svdvals(a), (NAN,)),
    "svd vector": (lambda np, a: np.linalg.svd(a), (numpy.ones(2),)),
    "qr mode": (lambda np, a: np.linalg.qr(a, mode="other"), (SINGULAR,)),
    "qr vector": (lambda np, a: np.linalg.qr(a), (numpy.ones(2),)),
    "eigh triangle": (lambda np, a: np.linalg.eigh(a, UPLO="X"), (SINGULAR,)),
    "eig NaN": (lambda np, a: np.linalg.eig(a), (NAN,)),
    "eigvals NaN": (lambda np, a: np.linalg.eigvals(a), (NAN.astype(complex),)),
    "lstsq sizes": (lambda np, a, b: np.linalg.lstsq(a, b), (SINGULAR, numpy.ones(3))),
    "lstsq stack": (lambda np, a, b: np.linalg.lstsq(a, b), (numpy.ones((2, 2, 2)), numpy.ones(2))),
    "cond empty": (lambda np, a: np.linalg.cond(a), (numpy.ones((0, 2)),)),
    "norm order": (lambda np, a: np.linalg.norm(a, 3), (SINGULAR,)),
    "norm name": (lambda np, a: np.linalg.norm(a, "fro", 0), (SINGULAR,)),
    "norm axes": (lambda np, a: np.linalg.norm(a, 1, (0, 0)), (SINGULAR,)),
    "norm of three axes": (lambda np, a: np.linalg.norm(a, 1), (numpy.ones((2, 2, 2)),)),
    "norm axis": (lambda np, a: np.linalg.norm(a, axis=2), (SINGULAR,)),
    "power": (lambda np, a: np.linalg.matrix_power(a, 1.5), (SINGULAR,)),
    "power of singular": (lambda np, a: np.linalg.matrix_power(a, -1), (SINGULAR,)),
    "outer of matrices": (lambda np, a, b: np.linalg.outer(a, b), (SINGULAR, SINGULAR)),
    "multi_dot of one": (lambda np, a: np.linalg.multi_dot([a]), (SINGULAR,)),
    "multi_dot of three axes": (lambda np, a: np.linalg.multi_dot([a, a[None], a]), (SINGULAR,)),
    "tensorsolve": (lambda np, a, b: np.linalg.tensorsolve(a, b), (numpy.ones((2, 3, 4)), numpy.ones((2, 3)))),
    "tensorinv": (lambda np, a: np.linalg.tensorinv(a, 0), (SINGULAR,)),
    "pinv both": (lambda np, a: np.linalg.pinv(a, 1e-3, rtol=1e-3), (SINGULAR,)),
    "matrix_rank both": (lambda np, a: np.linalg.matrix_rank(a, 1e-3, rtol=1e-3), (SINGULAR,)),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    f, args = ERRORS[name]
    with pytest.raises((ValueError, TypeError)) as wanted:
        f(numpy, *args)

    def check(call: Callable[[], Any]) -> None:
        with pytest.raises(type(wanted.value)) as found:
            call()
        assert str(found.value) == str(wanted.value)

    compiled = np.compile(lambda *xs: f(np, *xs))
    check(lambda: compiled(*args))
    check(lambda: compiled(*args))
    # The same types, for which nothing is wrong, first.
    if all(arg.shape == (2, 2) for arg in args) and args[0].dtype == float and "NaN" not in name:
        check(lambda: compiled(*args))
    if args[0].dtype in (float, complex):
        check(lambda: np.jvp(lambda x: f(np, x, *args[1:]), (np.asarray(args[0]),), (np.ones_like(args[0]),)))


def test_errors_of_values_come_with_the_call() -> None:
    compiled = np.compile(lambda a: np.linalg.cholesky(a) * 2, fullgraph=True)
    for _ in range(2):
        numpy.testing.assert_array_equal(numpy.asarray(compiled(numpy.eye(2))), 2 * numpy.eye(2))
        with pytest.raises(numpy.linalg.LinAlgError, match="Matrix is not positive definite"):
            compiled(INDEFINITE)


def test_errors_on_the_tape() -> None:
    x = np.asarray(SINGULAR.copy())
    x.requires_grad = True
    with pytest.raises(numpy.linalg.LinAlgError, match="Singular matrix"):
        np.sum(np.linalg.inv(x)).backward()
    with pytest.raises(numpy.linalg.LinAlgError, match="must be square"):
        np.linalg.inv(x[:1])


def test_errors_can_be_handled() -> None:
    def f(a: Any) -> Any:
        try:
            return np.linalg.cholesky(a)
        except np.linalg.LinAlgError:
            return a - 10

    compiled = np.compile(f)
    for x in (numpy.eye(2), INDEFINITE, 4 * numpy.eye(2), INDEFINITE - 1):
        numpy.testing.assert_array_equal(numpy.asarray(compiled(x)), numpy.asarray(f(x)))


def test_writes_before_an_error_stay() -> None:
    def f(a: Any, out: Any) -> Any:
        out[...] = a + 1
        return np.linalg.inv(a)

    compiled = np.compile(f)
    for a in (numpy.eye(2), SINGULAR, 2 * numpy.eye(2)):
        out = numpy.zeros((2, 2))
        if a is SINGULAR:
            with pytest.raises(numpy.linalg.LinAlgError, match="Singular matrix"):
                compiled(a, out)
        else:
            numpy.testing.assert_allclose(numpy.asarray(compiled(a, out)), numpy.linalg.inv(a))
        numpy.testing.assert_array_equal(out, a + 1)


def test_nan_and_infinity() -> None:
    for x in (NAN, numpy.array([[1.0, numpy.inf], [0.0, 1.0]]), SINGULAR, numpy.zeros((2, 2))):
        for f in (lambda np, a: np.linalg.det(a), lambda np, a: np.linalg.slogdet(a)):
            with numpy.errstate(all="ignore"):
                wanted = f(numpy, x)
            for a, b in zip(leaves(np.compile(lambda a, f=f: f(np, a))(x)), leaves(wanted), strict=True):
                numpy.testing.assert_array_equal(numpy.asarray(a), b)


def test_sizes_that_vary() -> None:
    compiled = np.compile(lambda a, b: (np.linalg.solve(a, b), np.linalg.svd(a @ b, full_matrices=False)[1], np.linalg.slogdet(a)[1]), fullgraph=True)
    for n, k in [(3, 2), (5, 2), (7, 4), (9, 3)]:
        a, b = definite("d", n, n), normal("d", n, k)
        x, s, logarithm = compiled(a, b)
        numpy.testing.assert_allclose(numpy.asarray(x), numpy.linalg.solve(a, b), rtol=1e-10, atol=1e-12)
        numpy.testing.assert_allclose(numpy.asarray(s), numpy.linalg.svdvals(a @ b), rtol=1e-10)
        numpy.testing.assert_allclose(float(logarithm), numpy.linalg.slogdet(a)[1], rtol=1e-12)
    fit = np.compile(lambda a, b: (np.linalg.lstsq(a, b)[0], np.linalg.matrix_rank(a), np.linalg.pinv(a)), fullgraph=True)
    for m, n in [(4, 3), (6, 3), (7, 5), (12, 4), (9, 6)]:
        a, b = normal("d", m, n), normal("d", m)
        x, rank, p = fit(a, b)
        numpy.testing.assert_allclose(numpy.asarray(x), numpy.linalg.lstsq(a, b)[0], rtol=1e-8, atol=1e-11)
        numpy.testing.assert_allclose(numpy.asarray(p), numpy.linalg.pinv(a), rtol=1e-8, atol=1e-11)
        assert int(rank) == n
    assert compiled.cache_info().compiles <= 3 and fit.cache_info().compiles <= 3  # a size varies once it was seen to


COMPLEX: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "solve": (lambda a, b: np.linalg.solve(a, b), (normal("D", 3, 3), normal("D", 3, 2))),
    "solve of a stack": (lambda a, b: np.linalg.solve(a, b), (normal("D", 2, 1, 3, 3), normal("D", 4, 3, 2))),
    "inv": (lambda a: np.linalg.inv(a), (normal("D", 2, 3, 3),)),
    "det": (lambda a: np.linalg.det(a), (normal("D", 2, 3, 3),)),
    "slogdet": (lambda a: np.linalg.slogdet(a)[0] * np.linalg.slogdet(a)[1], (normal("D", 2, 3, 3),)),
    "cholesky": (lambda a: np.linalg.cholesky(a @ np.conj(a.T) + np.eye(3)), (normal("D", 3, 3),)),
    "cholesky upper": (lambda a: np.linalg.cholesky(a @ np.conj(a.T) + np.eye(3), upper=True), (normal("D", 3, 3),)),
    "qr": (lambda a: np.linalg.qr(a)[0] @ np.linalg.qr(a)[1][:, ::-1], (normal("D", 4, 3),)),
    "qr q": (lambda a: np.linalg.qr(a)[0], (normal("D", 2, 4, 3),)),
    "qr r": (lambda a: np.linalg.qr(a, "r"), (normal("D", 3, 5),)),
    "eigh": (lambda a: np.linalg.eigh(a + np.conj(a.T))[0], (normal("D", 3, 3),)),
    "eigh vectors": (lambda a: np.abs(np.linalg.eigh(a + np.conj(a.T))[1]), (normal("D", 3, 3),)),
    "eigvalsh": (lambda a: np.linalg.eigvalsh(a + np.conj(a.T)), (normal("D", 3, 3),)),
    "svd": (lambda a: np.abs(np.linalg.svd(a, full_matrices=False)[0]) * np.linalg.svd(a, full_matrices=False)[1], (normal("D", 4, 3),)),
    "svd right": (lambda a: np.abs(np.linalg.svd(a, full_matrices=False)[2]), (normal("D", 3, 4),)),
    "svd product": (
        lambda a: (np.linalg.svd(a, full_matrices=False)[0] * np.linalg.svd(a, full_matrices=False)[1] ** 2) @ np.linalg.svd(a, full_matrices=False)[2],
        (normal("D", 4, 3),),
    ),
    "svdvals": (lambda a: np.linalg.svdvals(a), (normal("D", 2, 4, 3),)),
    "eigvals": (lambda a: np.sum(np.exp(np.linalg.eigvals(a)), axis=-1), (normal("D", 2, 3, 3),)),
    "eig": (lambda a: np.sum(np.abs(np.linalg.eig(a)[1]) * np.abs(np.linalg.eig(a)[0]), axis=-1), (normal("D", 3, 3),)),
    "pinv": (lambda a: np.linalg.pinv(a), (normal("D", 4, 3),)),
    "lstsq": (lambda a, b: np.linalg.lstsq(a, b)[0], (normal("D", 4, 3), normal("D", 4))),
    "norm": (lambda a: np.linalg.norm(a, "nuc") + np.linalg.norm(a) + np.linalg.norm(a, 1), (normal("D", 4, 3),)),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_derivatives_of_complex_matrices(name: str) -> None:
    """Forward mode against differences, and reverse mode against both."""
    f, values = COMPLEX[name]
    args = tuple(np.asarray(x) for x in values)
    tangents = tuple(np.asarray(normal("D", *x.shape)) for x in args)
    value, change = np.jvp(f, args, tangents)
    h = 1e-6
    up, down = (numpy.asarray(f(*[x + sign * h * t for x, t in zip(args, tangents, strict=True)])) for sign in (1, -1))
    numpy.testing.assert_allclose(numpy.asarray(change), (up - down) / (2 * h), rtol=1e-5, atol=1e-6)
    weights = np.asarray(normal("D" if value.dtype.kind == "c" else "d", *value.shape))

    def loss(*xs: Any) -> Any:
        return np.sum(np.real(f(*xs) * weights))

    numbers = tuple(range(len(args)))
    gradients = np.grad(loss, argnums=numbers)(*args)
    forward = float(np.sum(np.real(change * weights)))
    backward = sum(float(np.sum(np.real(g * t))) for g, t in zip(gradients, tangents, strict=True))
    assert abs(forward - backward) <= 1e-9 * (1 + abs(forward))
    for a, b in zip(np.compile(np.grad(loss, argnums=numbers), fullgraph=True)(*args), gradients, strict=True):
        numpy.testing.assert_allclose(numpy.asarray(a), numpy.asarray(b), rtol=1e-10, atol=1e-12)

    def along(*xs: Any) -> Any:
        return np.jvp(loss, xs, tangents)[1]

    second = sum(float(np.sum(np.real(g * t))) for g, t in zip(np.grad(along, argnums=numbers)(*args), tangents, strict=True))
    up, down = (float(along(*[x + sign * 1e-5 * t for x, t in zip(args, tangents, strict=True)])) for sign in (1, -1))
    assert abs(second - (up - down) / 2e-5) <= 1e-4 * (1 + abs(second))


def test_derivatives_in_single_precision() -> None:
    a, b = np.asarray(definite("f", 4, 4)), np.asarray(normal("f", 4))

    def loss(a: Any, b: Any) -> Any:
        return b @ np.linalg.solve(a, b) + np.linalg.slogdet(a)[1] + np.sum(np.linalg.cholesky(a))

    single, double = np.grad(loss, argnums=(0, 1))(a, b), np.grad(loss, argnums=(0, 1))(a.astype("d"), b.astype("d"))
    for x, y in zip(single, double, strict=True):
        assert x.dtype == np.float32
        numpy.testing.assert_allclose(numpy.asarray(x), numpy.asarray(y), rtol=1e-4, atol=1e-5)


def test_determinants_of_singular_matrices() -> None:
    """Their gradient is the adjugate's transpose."""
    a = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    cofactors = [[-3.0, 6.0, -3.0], [6.0, -12.0, 6.0], [-3.0, 6.0, -3.0]]
    numpy.testing.assert_allclose(numpy.asarray(np.grad(lambda x: np.linalg.det(x))(a)), cofactors, atol=1e-12)
    numpy.testing.assert_allclose(numpy.asarray(np.grad(lambda x: np.linalg.det(x))(np.asarray(SINGULAR))), [[4.0, -2.0], [-2.0, 1.0]], atol=1e-15)
    assert float(np.grad(lambda x: np.linalg.det(x))(np.array([[0.0]]))[0, 0]) == 1
    assert not numpy.any(np.grad(lambda x: np.linalg.det(x))(np.zeros((3, 3))))
    numpy.testing.assert_allclose(numpy.asarray(np.grad(lambda x: np.linalg.det(x))(np.array([[0.0, 1.0], [0.0, 2.0]]))), [[2.0, 0.0], [-1.0, 0.0]])
    four = numpy.arange(16.0).reshape(4, 4) ** 2
    four[3] = four[0] - four[1] + 2 * four[2]
    step = numpy.zeros((4, 4))
    step[1, 2] = 1e-5
    wanted = (numpy.linalg.det(four + step) - numpy.linalg.det(four - step)) / 2e-5
    assert abs(float(np.grad(lambda x: np.linalg.det(x))(np.asarray(four))[1, 2]) - wanted) < 1e-4 * abs(wanted)


def test_equal_eigenvalues() -> None:
    """Functions of eigenvalues alone have derivatives where some are equal; of vectors, where the change among those is not asked for."""
    x, t = np.asarray(numpy.diag([2.0, 2.0, 1.0])), np.asarray(hermitian("d", 3, 3))
    for f in (lambda a: np.sum(np.linalg.eigvalsh(a) ** 3), lambda a: np.sum(np.linalg.eigh(a)[0] ** 3), lambda a: np.sum(np.linalg.svdvals(a) ** 3)):
        numpy.testing.assert_allclose(float(np.jvp(f, (x,), (t,))[1]), 3 * numpy.trace(numpy.asarray(x @ x @ t)), rtol=1e-12)
    assert numpy.all(numpy.isfinite(numpy.asarray(np.grad(lambda a: np.sum(np.linalg.eigh(a)[1] ** 2))(x))))


def test_derivatives_of_determinants_of_many_sizes() -> None:
    for n in range(1, 7):
        a, t = np.asarray(normal("d", 2, n, n)), np.asarray(normal("d", 2, n, n))
        turned = numpy.linalg.solve(numpy.asarray(a), numpy.asarray(t))
        first = numpy.linalg.det(numpy.asarray(a)) * numpy.trace(turned, axis1=1, axis2=2)
        second = first * numpy.trace(turned, axis1=1, axis2=2) - numpy.linalg.det(numpy.asarray(a)) * numpy.trace(turned @ turned, axis1=1, axis2=2)

        def along(x: Any, t: Any = t) -> Any:
            return np.jvp(lambda y: np.linalg.det(y), (x,), (t,))[1]

        numpy.testing.assert_allclose(numpy.asarray(along(a)), first, rtol=1e-9)
        numpy.testing.assert_allclose(numpy.asarray(np.jvp(along, (a,), (t,))[1]), second, rtol=1e-8, atol=1e-9)


def test_hessian_of_the_logarithm_of_a_determinant() -> None:
    a = definite("d", 3, 3)
    inverse = numpy.linalg.inv(a)
    hessian = np.hessian(lambda x: np.linalg.slogdet(x)[1])(np.asarray(a))
    numpy.testing.assert_allclose(numpy.asarray(hessian), -numpy.einsum("li,jk->ijkl", inverse, inverse), rtol=1e-10, atol=1e-12)


def test_derivatives_that_there_are_not() -> None:
    x = np.asarray(normal("d", 4, 3))
    with pytest.raises(TypeError, match="full_matrices=False"):
        np.grad(lambda a: np.sum(np.linalg.svd(a)[0]))(x)
    with pytest.raises(TypeError, match="mode='reduced'"):
        np.grad(lambda a: np.sum(np.linalg.qr(a, "complete")[0]))(x)
    with pytest.raises(TypeError, match="no derivative"):
        np.grad(lambda a: np.sum(np.linalg.qr(a, "raw")[0]))(x)


@pytest.mark.parametrize("n", [5, 47, 49, 70])
def test_systems_of_many_sizes(n: int) -> None:
    """Those that are solved by hand, and those by the library; and their transposes, by derivatives."""
    for dtype in ("d", "D"):
        a, b, g = normal(dtype, n, n) + 3 * n * numpy.eye(n), normal(dtype, n, 3), normal(dtype, n, 3)
        x, pull = np.vjp(np.linalg.solve, np.asarray(a), np.asarray(b))
        numpy.testing.assert_allclose(numpy.asarray(x), numpy.linalg.solve(a, b), rtol=1e-9, atol=1e-12)
        of_a, of_b = pull(np.asarray(g))
        wanted = numpy.linalg.solve(a.T, g)
        numpy.testing.assert_allclose(numpy.asarray(of_b), wanted, rtol=1e-9, atol=1e-12)
        numpy.testing.assert_allclose(numpy.asarray(of_a), -wanted @ numpy.asarray(x).T, rtol=1e-9, atol=1e-12)
        factor = numpy.linalg.cholesky(a @ adjoint(a))
        whole = np.asarray(factor @ adjoint(factor))
        change = np.jvp(np.linalg.cholesky, (whole,), (whole,))[1]  # growing by itself, its factor grows by half of that
        numpy.testing.assert_allclose(numpy.asarray(change), factor / 2, rtol=1e-7, atol=1e-7 * n)


def test_stacks_of_sizes_that_vary() -> None:
    loss = np.compile(np.grad(lambda a, b: np.sum(np.sin(np.linalg.solve(a, b))), argnums=(0, 1)))
    for left, right in [(1, 3), (3, 3), (2, 2), (3, 1), (1, 4), (1, 1), (5, 1)]:
        a, b = np.asarray(definite("d", left, 3, 3)), np.asarray(normal("d", right, 3, 2))
        wanted = np.grad(lambda a, b: np.sum(np.sin(np.linalg.inv(a) @ b)), argnums=(0, 1))(a, b)
        for x, y in zip(loss(a, b), wanted, strict=True):
            numpy.testing.assert_allclose(numpy.asarray(x), numpy.asarray(y), rtol=1e-9, atol=1e-12)


def test_one_matrix_for_many_right_sides() -> None:
    a, b = np.asarray(normal("d", 3, 3)), np.asarray(normal("d", 5, 3))
    wanted = numpy.linalg.solve(numpy.asarray(a), numpy.asarray(b).T).T
    for f in (np.vmap(np.linalg.solve, in_axes=(None, 0)), np.compile(np.vmap(lambda a, b: np.linalg.solve(a, b), in_axes=(None, 0)))):
        numpy.testing.assert_allclose(numpy.asarray(f(a, b)), wanted, rtol=1e-12)
    many = np.asarray(normal("d", 5, 3, 3))
    wanted = numpy.stack([numpy.linalg.solve(x, numpy.asarray(b)[0]) for x in numpy.asarray(many)])
    numpy.testing.assert_allclose(numpy.asarray(np.vmap(lambda x: np.linalg.solve(x, b[0]))(many)), wanted, rtol=1e-12)


def test_least_squares_over_parts() -> None:
    a, b = normal("d", 3, 5, 2), normal("d", 3, 5)
    a[1, :, 1] = a[1, :, 0]
    x, residuals, rank, _ = np.vmap(lambda a, b: np.linalg.lstsq(a, b))(a, b)
    for i in range(3):
        wanted = numpy.linalg.lstsq(a[i], b[i])
        numpy.testing.assert_allclose(numpy.asarray(x)[i], wanted[0], rtol=1e-9, atol=1e-12)
        assert int(rank[i]) == wanted[2]
        numpy.testing.assert_allclose(numpy.asarray(residuals)[i], wanted[1] if wanted[1].size else [numpy.nan], rtol=1e-9)


def test_unused_results_cost_nothing() -> None:
    """The gradient of a function of eigenvalues alone goes by their rule alone."""
    a = np.asarray(definite("d", 4, 4))
    explanation = np.explain(np.compile(np.grad(lambda x: np.sum(np.linalg.eigh(x)[0] ** 3)), fullgraph=True))(a)
    assert explanation.ir.count("matmul") <= 2, explanation.ir
    singular = np.asarray(SINGULAR)
    assert numpy.all(numpy.isfinite(numpy.asarray(np.grad(lambda x: np.sum(np.linalg.svd(x)[1] ** 3))(singular))))


def test_factors_are_shared() -> None:
    """A determinant, a system and its derivative take one factorisation."""

    def loss(a: Any, b: Any) -> Any:
        return b @ np.linalg.solve(a, b) + np.linalg.slogdet(a)[1]

    a, b = np.asarray(definite("d", 4, 4)), np.asarray(normal("d", 4))
    compiled = np.compile(np.grad(loss), fullgraph=True)
    explanation = np.explain(compiled)(a, b)
    numpy.testing.assert_allclose(numpy.asarray(explanation.result), numpy.asarray(np.grad(loss)(a, b)), rtol=1e-12)
    assert explanation.ir.count("= lu ") == 1, explanation.ir


@pytest.mark.parametrize("dtype", [object, numpy.longdouble, "M8[D]", "U1"])
def test_norms_of_dtypes_that_only_numpy_has(dtype: Any) -> None:
    x = numpy.array([3, 4]).astype(dtype)
    try:
        wanted = numpy.linalg.norm(x)
    except Exception as error:
        with pytest.raises(type(error)):
            np.linalg.norm(x)
        return
    found = np.linalg.norm(x)
    assert found == wanted and type(found) is type(wanted)
