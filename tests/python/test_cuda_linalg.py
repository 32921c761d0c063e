"""numpy.linalg on a CUDA device: NumPy's values and errors, over dtypes, stacks and layouts, with nothing copied to the host but whether a matrix failed.

Run as test_cuda.py.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

SIMULATED = np.cuda.is_available() and np.cuda.devices()[0].model == "simulated"
LIBRARY = SIMULATED or any(each.name == "cuSOLVER" and each.path for each in (np.cuda.libraries() if np.cuda.is_available() else []))
needs_library = pytest.mark.skipif(not LIBRARY, reason="there is no cuSOLVER")
random = numpy.random.default_rng(3)

DTYPES = ["float32", "float64", "complex64", "complex128"]
# Sizes of matrices: of stacks, the small ones are one call of a library; the simulated device's are of 16 rows at most, real ones of 256.
SIZES = [1, 5, 33]
STACKS: list[tuple[int, ...]] = [(), (3,), (2, 2)]


def normal(dtype: str, *shape: int) -> numpy.ndarray:
    values = random.normal(size=shape)
    return (values + 1j * random.normal(size=shape) if dtype[0] == "c" else values).astype(dtype)


def adjoint(x: numpy.ndarray) -> numpy.ndarray:
    return numpy.conj(numpy.swapaxes(x, -1, -2))


def regular(dtype: str, *shape: int) -> numpy.ndarray:
    return (normal(dtype, *shape) + 2 * shape[-1] ** 0.5 * numpy.eye(shape[-1])).astype(dtype)


def definite(dtype: str, *shape: int) -> numpy.ndarray:
    x = normal(dtype, *shape)
    return (x @ adjoint(x) + shape[-1] * numpy.eye(shape[-1])).astype(dtype)


def there(x: Any) -> Any:
    return np.asarray(x).to("cuda")


def close(found: Any, expected: Any) -> None:
    found, expected = numpy.asarray(found), numpy.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    scale = max(float(numpy.abs(expected).max(initial=0)), 1e-300)
    single = expected.dtype in (numpy.float32, numpy.complex64)
    numpy.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-4 if single else 1e-11)


def leaves(tree: Any) -> list[Any]:
    return list(tree) if isinstance(tree, tuple) else [tree]


def run(function: Any, *arrays: numpy.ndarray, factors: bool = True, many: bool = False) -> None:
    """On the device, compiled and not, and by NumPy."""
    expected = leaves(function(numpy, *arrays))
    given = [there(x) for x in arrays]
    for f in (lambda *x: function(np, *x), np.compile(lambda *x: function(np, *x))):
        before = np.cuda.statistics()
        found = leaves(f(*given))
        after = np.cuda.statistics()
        if factors:
            assert after.factorisations + after.launches > before.factorisations + before.launches
            # What is asked for is whether it can be done, of each matrix. (Numbers that are arrays are uploaded.)
            assert after.uploaded_bytes - before.uploaded_bytes <= 8
            assert after.downloaded_bytes - before.downloaded_bytes <= (1 << 20 if many else 64)
        for x, y in zip(found, expected, strict=True):
            assert not isinstance(x, np.ndarray) or x.device == "cuda:0"
            close(x, y)


def stacks(make: Any, dtype: str, *core: int) -> list[numpy.ndarray]:
    return [make(dtype, *stack, *core) for stack in STACKS]


@needs_library
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_square_matrices(dtype: str, n: int) -> None:
    for a in stacks(regular, dtype, n, n):
        run(lambda m, a: (m.linalg.inv(a), m.linalg.det(a)), a)
        run(lambda m, a: tuple(m.linalg.slogdet(a)), a)
    for a in stacks(definite, dtype, n, n):
        run(lambda m, a: m.linalg.cholesky(a), a)
    run(lambda m, a: m.linalg.cholesky(a, upper=True), definite(dtype, n, n))


@needs_library
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_systems(dtype: str, n: int) -> None:
    for stack in STACKS:
        run(lambda m, a, b: m.linalg.solve(a, b), regular(dtype, *stack, n, n), normal(dtype, *stack, n, 3))
    run(lambda m, a, b: m.linalg.solve(a, b), regular(dtype, n, n), normal(dtype, n))
    run(lambda m, a, b: m.linalg.solve(a, b), regular(dtype, n, n), normal(dtype, 4, n, 2))
    run(lambda m, a, b: m.linalg.solve(a, b), regular(dtype, 3, 1, n, n), normal(dtype, 2, n, 2))


@needs_library
@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_layouts(dtype: str) -> None:
    a, b = regular(dtype, 14, 14), normal(dtype, 14, 6)
    run(lambda m, a, b: m.linalg.solve(a.T, b[::-1, ::2]), a, b)
    run(lambda m, a, b: m.linalg.inv(a[::2, ::2]), a, b)
    run(lambda m, a: m.linalg.cholesky(a.T), definite(dtype, 14, 14))
    run(lambda m, a: m.linalg.cholesky(m.broadcast_to(a, (3, 14, 14))), definite(dtype, 14, 14))
    run(lambda m, a: m.linalg.cholesky(a.transpose(2, 0, 1)), numpy.ascontiguousarray(definite(dtype, 3, 5, 5).transpose(1, 2, 0)))
    run(lambda m, a, b: m.linalg.solve(a[..., ::-1, ::-1], b), numpy.asfortranarray(a), numpy.asfortranarray(b))


def test_matrices_of_size_0() -> None:
    for shape in ((0, 0), (2, 0, 0), (0, 3, 3)):
        a = numpy.zeros(shape)
        run(lambda m, a: (m.linalg.inv(a), m.linalg.det(a)), a, factors=False)
        run(lambda m, a: m.linalg.cholesky(a), a, factors=False)
    run(lambda m, a, b: m.linalg.solve(a, b), numpy.eye(3), numpy.zeros((3, 0)), factors=False)


@pytest.mark.parametrize("compiled", [False, True])
def test_errors_are_numpys(compiled: bool) -> None:
    singular = numpy.array([[1.0, 2.0], [2.0, 4.0]])
    indefinite = numpy.array([[1.0, 2.0], [2.0, 1.0]])
    cases: list[tuple[Any, numpy.ndarray, str]] = [
        (lambda a: np.linalg.inv(a), singular, "Singular matrix"),
        (lambda a: np.linalg.solve(a, a[0]), singular, "Singular matrix"),
        (lambda a: np.linalg.inv(a), numpy.stack([numpy.eye(2), singular]), "Singular matrix"),
        (lambda a: np.linalg.cholesky(a), indefinite, "Matrix is not positive definite"),
        (lambda a: np.linalg.cholesky(a), numpy.stack([numpy.eye(2), indefinite, numpy.eye(2)]), "Matrix is not positive definite"),
        (lambda a: np.linalg.inv(a), numpy.ones((2, 3)), "Last 2 dimensions of the array must be square"),
    ]
    for f, x, text in cases:
        g = np.compile(f) if compiled else f
        for _ in range(2):
            with pytest.raises(numpy.linalg.LinAlgError, match=text):
                g(there(x))
    numpy.testing.assert_array_equal(numpy.asarray(np.linalg.det(there(singular))), 0.0)
    sign, logarithm = np.linalg.slogdet(there(singular))
    assert float(sign) == 0 and float(logarithm) == -numpy.inf
    several = numpy.stack([numpy.eye(3), numpy.ones((3, 3)), numpy.zeros((3, 3)), 2 * numpy.eye(3)[::-1]])
    for found, wanted in zip(np.linalg.slogdet(there(several)), numpy.linalg.slogdet(several), strict=True):
        numpy.testing.assert_allclose(numpy.asarray(found), wanted)
    assert numpy.allclose(numpy.asarray(np.linalg.inv(there(numpy.eye(2)))), numpy.eye(2))  # the device goes on


@needs_library
def test_a_likelihood_and_its_gradient_move_nothing_but_scalars() -> None:
    def kernel(m: Any, p: Any, x: Any) -> Any:
        d = x[:, None] - x[None, :]
        return p[0] ** 2 * m.exp(-0.5 * (d / p[1]) ** 2) + p[2] ** 2 * m.eye(x.shape[0])

    def by_cholesky(m: Any, p: Any, x: Any, y: Any) -> Any:
        lower = m.linalg.cholesky(kernel(m, p, x))
        white = m.linalg.solve(lower, y)
        return 0.5 * (white * white).sum() + m.log(m.sum(lower * m.eye(x.shape[0]), axis=-1)).sum()

    def by_determinant(m: Any, p: Any, x: Any, y: Any) -> Any:
        k = kernel(m, p, x)
        return 0.5 * (y * m.linalg.solve(k, y)).sum() + 0.5 * m.linalg.slogdet(k)[1]

    p, x, y = numpy.array([1.3, 0.4, 0.3]), numpy.sort(random.uniform(0, 3, 40)), normal("float64", 40)
    given = there(p), there(x), there(y)
    for likelihood in (by_cholesky, by_determinant):
        value_and_grad = np.compile(np.value_and_grad(lambda p, x, y, f=likelihood: f(np, p, x, y)))
        for _ in range(3):
            before = np.cuda.statistics()
            value, gradient = value_and_grad(*given)
            after = np.cuda.statistics()
            assert after.uploads == before.uploads
            assert after.downloaded_bytes - before.downloaded_bytes <= 16
            assert after.factorisations > before.factorisations
        assert "by the host" not in str(np.compiler.explain(value_and_grad)(*given))
        assert value.device == "cuda:0" and gradient.device == "cuda:0"
        numpy.testing.assert_allclose(float(value), likelihood(numpy, p, x, y), rtol=1e-10)
        h = 1e-6
        for i in range(3):
            step = numpy.eye(3)[i] * h
            wanted = (likelihood(numpy, p + step, x, y) - likelihood(numpy, p - step, x, y)) / (2 * h)
            numpy.testing.assert_allclose(float(gradient[i]), wanted, rtol=1e-5, atol=1e-5)


@needs_library
def test_derivatives_are_the_hosts() -> None:
    a, b = regular("float64", 6, 6), normal("float64", 6, 2)

    def loss(a: Any, b: Any) -> Any:
        return (np.linalg.solve(a, b) ** 2).sum() + np.linalg.slogdet(a)[1] + np.linalg.det(a / 5) + (np.linalg.inv(a) ** 3).sum()

    for f in (np.grad(loss, argnums=(0, 1)), np.compile(np.grad(loss, argnums=(0, 1)))):
        for found, wanted in zip(f(there(a), there(b)), np.grad(loss, argnums=(0, 1))(np.asarray(a), np.asarray(b)), strict=True):
            assert found.device == "cuda:0"
            close(found, wanted)


@needs_library
def test_sizes_that_vary_are_one_entry() -> None:
    f = np.compile(lambda a, b: np.linalg.solve(a, b) * 2)
    for n in (3, 4, 17, 33):
        a, b = regular("float64", n, n), normal("float64", n, 5)
        close(f(there(a), there(b)), numpy.linalg.solve(a, b) * 2)
    assert f.cache_info().compiles <= 2


@needs_library
def test_large_matrices() -> None:
    a, b = definite("float64", 500, 500), normal("float64", 500, 20)
    run(lambda m, a, b: m.linalg.solve(a, b), a, b)
    run(lambda m, a, b: m.linalg.cholesky(a), a, b)
    many = definite("float32", 1000, 4, 4)
    expected = numpy.linalg.inv(many)
    before = np.cuda.statistics()
    found = np.linalg.inv(there(many))
    assert np.cuda.statistics().factorisations - before.factorisations == 2  # the factors, and what is solved with them
    close(found, expected)


def same_up_to_phase(found: Any, expected: numpy.ndarray, axis: int) -> None:
    """Vectors along an axis, each times a number of absolute value 1."""
    found, expected = numpy.asarray(found), numpy.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    along = numpy.sum(numpy.conj(expected) * found, axis=axis)
    numpy.testing.assert_allclose(numpy.abs(along), 1, atol=1e-3 if expected.dtype.itemsize <= 8 and expected.dtype != numpy.float64 else 1e-9)


RECTANGLES = [(5, 3), (3, 5), (40, 33), (20, 34), (1, 6)]


@needs_library
@pytest.mark.parametrize("shape", RECTANGLES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_qr(dtype: str, shape: tuple[int, int]) -> None:
    for stack in STACKS:
        a = normal(dtype, *stack, *shape)
        run(lambda m, a: tuple(m.linalg.qr(a)), a)
        run(lambda m, a: (m.linalg.qr(a, "complete")[1], m.linalg.qr(a, "r")), a)
        q, r = np.linalg.qr(there(a), "complete")
        close(q @ r, a)
        close(np.swapaxes(q, -1, -2).conj() @ q, numpy.broadcast_to(numpy.eye(shape[0], dtype=dtype), numpy.asarray(q).shape))
    run(lambda m, a: tuple(m.linalg.qr(a.T)), normal(dtype, *shape))


@needs_library
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_hermitian_matrices(dtype: str, n: int) -> None:
    for stack in STACKS:
        a = definite(dtype, *stack, n, n)
        run(lambda m, a: m.linalg.eigvalsh(a), a)
        run(lambda m, a: (m.linalg.eigvalsh(a, UPLO="U"), m.linalg.eigh(a)[0]), a + numpy.tril(a, -1))
        values, vectors = np.linalg.eigh(there(a))
        assert vectors.device == "cuda:0"
        same_up_to_phase(vectors, numpy.linalg.eigh(a)[1], axis=-2)
        close(vectors * values[..., None, :] @ np.swapaxes(vectors, -1, -2).conj(), a)


@needs_library
@pytest.mark.parametrize("shape", RECTANGLES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_values(dtype: str, shape: tuple[int, int]) -> None:
    for stack in STACKS:
        a = normal(dtype, *stack, *shape)
        run(lambda m, a: (m.linalg.svdvals(a), m.linalg.svd(a, full_matrices=False)[1]), a)
        for full in (False, True):
            u, s, vh = np.linalg.svd(there(a), full_matrices=full)
            wanted = numpy.linalg.svd(a, full_matrices=full)
            for found, other in zip((u, s, vh), wanted, strict=True):
                assert found.device == "cuda:0" and found.shape == other.shape and found.dtype == other.dtype
            k = min(shape)
            same_up_to_phase(u[..., :k], wanted[0][..., :k], axis=-2)
            same_up_to_phase(vh[..., :k, :], wanted[2][..., :k, :], axis=-1)
            close(u[..., :k] * s[..., None, :] @ vh[..., :k, :], a)
            close(np.swapaxes(u, -1, -2).conj() @ u, numpy.broadcast_to(numpy.eye(u.shape[-1], dtype=dtype), (*stack, u.shape[-1], u.shape[-1])))
            close(vh @ np.swapaxes(vh, -1, -2).conj(), numpy.broadcast_to(numpy.eye(vh.shape[-2], dtype=dtype), (*stack, vh.shape[-2], vh.shape[-2])))


@needs_library
@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_made_of_singular_values(dtype: str) -> None:
    tall, wide = normal(dtype, 9, 4), normal(dtype, 4, 9)
    low = (normal(dtype, 8, 2) @ normal(dtype, 2, 5)).astype(dtype)
    for a in (tall, wide, low):
        b = normal(dtype, a.shape[0], 2)
        run(lambda m, a: m.linalg.pinv(a, rcond=1e-4), a)
        run(lambda m, a, b: m.linalg.lstsq(a, b, rcond=1e-4)[0], a, b)
        run(lambda m, a: (m.linalg.matrix_rank(a, tol=1e-2), m.linalg.norm(a, 2), m.linalg.norm(a, "nuc")), a)
        for found, wanted in zip(np.linalg.lstsq(there(a), there(b), rcond=1e-4)[1:3], numpy.linalg.lstsq(a, b, rcond=1e-4)[1:3], strict=True):
            numpy.testing.assert_allclose(numpy.asarray(found), wanted, rtol=1e-3 if dtype in ("float32", "complex64") else 1e-9)
    run(lambda m, a: m.linalg.cond(a), tall)
    run(lambda m, a: m.linalg.matrix_rank(a), definite(dtype, 3, 5, 5))


def test_not_a_number() -> None:
    a = numpy.array([[1.0, numpy.nan], [0.0, 2.0]])
    for f in (np.linalg.svd, np.linalg.svdvals, lambda a: np.linalg.pinv(a)):
        with pytest.raises(numpy.linalg.LinAlgError, match="SVD did not converge"):
            f(there(a))
    for f in (np.linalg.eigh, np.linalg.eigvalsh):  # LAPACK raises, or gives anything
        try:
            f(there(a.T))
        except numpy.linalg.LinAlgError as error:
            assert str(error) == "Eigenvalues did not converge"
    assert numpy.isnan(numpy.asarray(np.linalg.inv(there(a)))).any()
    infinite = numpy.array([[1.0, numpy.inf], [0.0, 1.0]])
    for x in (a, numpy.full((2, 2), numpy.nan), infinite, numpy.stack([numpy.eye(2), a, 2 * numpy.eye(2)]), numpy.diag([numpy.inf, 1.0])):
        with numpy.errstate(all="ignore"):  # LAPACK's own
            numpy.testing.assert_array_equal(numpy.asarray(np.linalg.det(there(x))), numpy.linalg.det(x))
            for found, wanted in zip(np.linalg.slogdet(there(x)), numpy.linalg.slogdet(x), strict=True):
                numpy.testing.assert_array_equal(numpy.asarray(found), wanted)
            numpy.testing.assert_allclose(numpy.asarray(np.linalg.qr(there(x))[1]), numpy.linalg.qr(x)[1])


@needs_library
def test_derivatives_of_factors_are_the_hosts() -> None:
    a, h = normal("float64", 7, 4), definite("float64", 5, 5)
    losses: list[tuple[Any, numpy.ndarray]] = [
        (lambda a: (np.linalg.qr(a)[0] ** 3).sum() + (np.linalg.qr(a)[1] ** 3).sum(), a),
        (lambda h: (np.linalg.eigh(h)[0] ** 2).sum() + (np.linalg.eigh(h)[1] ** 4).sum(), h),
        (lambda a: np.linalg.svdvals(a).sum() + (np.linalg.svd(a, full_matrices=False)[0] ** 4).sum(), a),
        (lambda a: (np.linalg.pinv(a) ** 2).sum(), a),
        (lambda h: (np.linalg.cholesky(h) ** 3).sum() + np.linalg.eigvalsh(h)[0], h),
    ]
    for loss, x in losses:
        for f in (np.grad(loss), np.compile(np.grad(loss))):
            found = f(there(x))
            assert found.device == "cuda:0"
            close(found, np.grad(loss)(np.asarray(x)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_general_eigenvalues(dtype: str) -> None:
    f = np.compile(lambda a: np.linalg.eigvals(a))
    for shape in [(5, 5), (2, 5, 5), (140, 140)]:  # small ones are the host's
        a = normal(dtype, *shape)
        wanted = numpy.linalg.eigvals(a)
        tolerance = 2e-3 if dtype == "float32" else 1e-9
        for found in (f(there(a)), np.linalg.eigvals(there(a)), np.linalg.eig(there(a))[0]):
            assert found.device == "cuda:0"
            assert found.dtype == wanted.dtype
            distance = abs(numpy.asarray(found)[..., :, None] - wanted[..., None, :])
            assert distance.min(axis=-1).max() < tolerance
            assert distance.min(axis=-2).max() < tolerance
        values, vectors = (numpy.asarray(each) for each in np.linalg.eig(there(a)))
        numpy.testing.assert_allclose(a @ vectors, vectors * values[..., None, :], atol=tolerance)
    bad = normal(dtype, 140, 140)
    bad[3, 4] = numpy.nan
    with pytest.raises(numpy.linalg.LinAlgError, match="Array must not contain infs or NaNs"):
        np.linalg.eigvals(there(bad))


def test_libraries_are_listed() -> None:
    assert "cuSOLVER" in [library.name for library in np.cuda.libraries()] or SIMULATED


WITHOUT = """
import numpy, fastnp as np
a = numpy.array([[4.0, 1.0], [1.0, 3.0]])
f = np.compile(lambda a: np.linalg.inv(a) @ np.linalg.cholesky(a))
x = np.asarray(a).to("cuda")
before = np.cuda.statistics()
found = f(x)
assert found.device == "cuda:0" and numpy.allclose(numpy.asarray(found), numpy.linalg.inv(a) @ numpy.linalg.cholesky(a))
assert numpy.allclose(numpy.asarray(np.linalg.inv(x)), numpy.linalg.inv(a))
assert np.cuda.statistics().factorisations == before.factorisations
assert "cholesky: 1 ops (cholesky), by the host: this simulated device has no libraries" in str(np.compiler.explain(f)(x))
"""


@pytest.mark.skipif(not SIMULATED, reason="of the simulated device")
def test_without_a_library_the_host_does_it() -> None:
    import simulated

    environment = simulated.environment() | {"FASTNP_SIMULATED_LIBRARIES": "0"}
    ran = subprocess.run([sys.executable, "-c", WITHOUT], env=environment, capture_output=True, text=True, timeout=100)
    assert ran.returncode == 0, ran.stderr


@needs_library
@pytest.mark.parametrize("shape", [(4, 4), (16, 4), (4, 28), (33, 33), (3, 4, 4)], ids=str)
def test_zeros(shape: tuple[int, ...]) -> None:
    a = numpy.zeros(shape)
    run(lambda m, a: m.linalg.svdvals(a), a)
    u, s, vh = (numpy.asarray(x) for x in np.linalg.svd(there(a), full_matrices=False))
    assert not s.any()
    close(numpy.swapaxes(u, -1, -2) @ u, numpy.broadcast_to(numpy.eye(s.shape[-1]), (*s.shape, s.shape[-1])))
    close(vh @ numpy.swapaxes(vh, -1, -2), numpy.broadcast_to(numpy.eye(s.shape[-1]), (*s.shape, s.shape[-1])))
    run(lambda m, a: (m.linalg.pinv(a), m.linalg.matrix_rank(a)), a)
    run(lambda m, a: (m.linalg.qr(a)[1], m.linalg.norm(a, 2, axis=(-2, -1))), a)
    if shape[-1] == shape[-2]:
        run(lambda m, a: (m.linalg.eigvalsh(a), m.linalg.det(a)), a)


@needs_library
def test_many_small_matrices() -> None:
    a = definite("float64", 40000, 2, 2)
    run(lambda m, a: m.linalg.eigvalsh(a)[:100], a, many=True)
    run(lambda m, a: m.linalg.inv(a)[-100:], a[: 4000 if SIMULATED else None], many=True)  # which a fiber each takes long for
    run(lambda m, a: tuple(m.linalg.qr(a[:20000])), a)
    run(lambda m, a: m.linalg.svdvals(a[:20000])[-100:], a, many=True)


@needs_library
def test_one_matrix_for_many_right_sides_is_factored_once() -> None:
    a, b = regular("float64", 5, 5), normal("float64", 7, 5)
    f = np.compile(np.vmap(np.linalg.solve, in_axes=(None, 0)))
    given = there(a), there(b)
    f(*given)
    before = np.cuda.statistics()
    found = f(*given)
    assert np.cuda.statistics().factorisations - before.factorisations == 2
    close(found, numpy.linalg.solve(a, b.T).T)


@needs_library
def test_on_the_tape() -> None:
    a, b = there(definite("float64", 6, 6)), there(normal("float64", 6))
    a.requires_grad = True
    before = np.cuda.statistics()
    loss = (b * np.linalg.solve(a, b)).sum() + np.linalg.slogdet(a)[1]
    loss.backward()
    assert a.grad.device == "cuda:0" and np.cuda.statistics().factorisations > before.factorisations
    inverse = numpy.linalg.inv(numpy.asarray(a.detach()))
    white = inverse @ numpy.asarray(b)
    close(a.grad, inverse.T - numpy.outer(white, white))
