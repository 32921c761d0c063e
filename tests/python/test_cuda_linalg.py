"""numpy.linalg on a CUDA device: NumPy's values and errors, over dtypes, stacks and layouts, with nothing copied to the host but whether a matrix failed.

Run as test_cuda.py.
"""

from __future__ import annotations

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
SIZES = [1, 2, 5, 33]
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


def run(function: Any, *arrays: numpy.ndarray, factors: bool = True) -> None:
    """On the device, compiled and not, and by NumPy."""
    expected = leaves(function(numpy, *arrays))
    given = [there(x) for x in arrays]
    for f in (lambda *x: function(np, *x), np.compile(lambda *x: function(np, *x))):
        before = np.cuda.statistics()
        found = leaves(f(*given))
        after = np.cuda.statistics()
        if factors:
            assert after.factorisations > before.factorisations
            assert after.uploads == before.uploads
            # What is asked for is whether it can be done, of each matrix.
            assert after.downloaded_bytes - before.downloaded_bytes <= 64
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
