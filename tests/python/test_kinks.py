"""Derivatives at points where a formula has none: conventions, and NaN where nothing can be told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np

INF = numpy.inf


def gradients(f: Callable[..., Any], *xs: Any) -> list[Any]:
    """By each way there is."""
    numbers = tuple(range(len(xs)))
    arrays = [numpy.asarray(x) for x in xs]
    forward = [np.jacfwd(f, n)(*arrays) for n in numbers]
    return [list(np.grad(f, numbers)(*arrays)), list(np.compile(np.grad(f, numbers))(*arrays)), forward]


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
@pytest.mark.parametrize("x", [-INF, INF, 1e300, -1e300, 1e17, 0.0, 3.5])
def test_equal_operands_of_logaddexp_share(name: str, x: float) -> None:
    for found in gradients(getattr(np, name), x, x):
        numpy.testing.assert_allclose(numpy.asarray(found), [0.5, 0.5])
    assert abs(float(np.grad(lambda x: getattr(np, name)(x, x))(x)) - 1) < 1e-14
    for found in gradients(getattr(np, name), x, -INF if x != -INF else 2.0):
        numpy.testing.assert_allclose(numpy.asarray(found), [1.0, 0.0] if x != -INF else [0.0, 1.0])


def test_second_derivatives_of_logaddexp() -> None:
    numpy.testing.assert_allclose(np.hessian(lambda x: np.logaddexp(x[0], x[1]))(numpy.array([2.0, 2.0])), [[0.25, -0.25], [-0.25, 0.25]])


NORMS: dict[str, Callable[[Any], Any]] = {
    "norm": lambda x: np.linalg.norm(x),
    "norm along": lambda x: np.sum(np.linalg.norm(np.reshape(x, (2, 2)), axis=1)),
    "norm kept": lambda x: np.linalg.norm(x, keepdims=True)[0],
    "frobenius": lambda x: np.linalg.norm(np.reshape(x, (2, 2)), "fro"),
    "third": lambda x: np.linalg.norm(x, 3),
    "vector_norm": lambda x: np.linalg.vector_norm(x),
    "square": lambda x: np.linalg.norm(x) ** 2,
    "std": lambda x: np.std(x),
    "std along": lambda x: np.sum(np.std(np.reshape(x, (2, 2)), axis=0, ddof=1)),
    "hypot": lambda x: np.hypot(x[0], x[1]) + x[2] * 0 + x[3] * 0,
}


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_roots_of_sums(name: str, dtype: str) -> None:
    f = NORMS[name]
    draw = numpy.random.default_rng(SEED)
    for x in (numpy.zeros(4, dtype), draw.normal(size=4).astype(dtype)):
        slope = numpy.zeros(4)
        for i in range(4):
            step = numpy.zeros(4)
            step[i] = 1e-6
            slope[i] = (float(f(x + step)) - float(f(x - step))) / 2e-6  # 0 at a kink, where it rises on both sides
        for (found,) in gradients(f, x):
            numpy.testing.assert_allclose(numpy.asarray(found), slope, rtol=1e-3, atol=1e-3, err_msg=f"seed {SEED}")
    if "hypot" not in name:
        assert numpy.isnan(np.hessian(f)(numpy.zeros(4))).any()


def test_one_number_is_a_column() -> None:
    y = numpy.array([1.0, 2.0, numpy.nan])
    for second in (np.hessian(lambda t: y**t), np.compile(np.hessian(lambda t: y**t)), np.jacrev(np.jacrev(lambda t: y**t))):
        numpy.testing.assert_allclose(second(numpy.array(1.0)), [0.0, 2 * numpy.log(2) ** 2, numpy.nan])

    @np.custom_vjp
    def own(x: Any) -> Any:
        return x * 2

    own.defvjp(lambda x: (own(x), None), lambda _, g: (g * 3,))
    numpy.testing.assert_allclose(np.jacrev(lambda t: own(t) * numpy.array([1.0, 2.0]))(numpy.array(1.0)), [3.0, 6.0])


def differences(f: Callable[[Any], Any], a: Any) -> Any:
    found = numpy.zeros(a.shape)
    for i in numpy.ndindex(*a.shape):
        step = numpy.zeros(a.shape)
        step[i] = 1e-5
        found[i] = (float(f(a + step)) - float(f(a - step))) / 2e-5
    return found


def symmetric(a: Any) -> Any:
    return (a + np.swapaxes(a, -1, -2)) / 2


def with_vectors(g: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def f(a: Any) -> Any:
        values, vectors = np.linalg.eigh(symmetric(a))
        return np.sum((vectors * g(values)) @ vectors.T * numpy.arange(9.0).reshape(3, 3))

    return f


def polar(a: Any) -> Any:
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum(u @ vh * numpy.arange(9.0).reshape(3, 3))


OF_MATRICES: dict[str, Callable[[Any], Any]] = {
    "root": with_vectors(lambda v: np.sqrt(v)),
    "square": with_vectors(lambda v: v * v),
    "values": lambda a: np.sum(np.linalg.eigh(symmetric(a))[0] ** 3),
    "eigvalsh": lambda a: np.sum(np.log(np.linalg.eigvalsh(symmetric(a)))),
    "svdvals": lambda a: np.sum(np.linalg.svdvals(a) ** 3),
    "singular values": lambda a: np.sum(np.linalg.svd(a)[1] ** 3),
    "polar": polar,
    "squares of vectors": lambda a: np.sum(np.linalg.eigh(symmetric(a))[1] ** 2),
}


@pytest.mark.parametrize("name", OF_MATRICES)
def test_equal_eigenvalues_give_the_derivative_or_nan(name: str) -> None:
    """Exactly equal, and equal but for rounding."""
    f = OF_MATRICES[name]
    draw = numpy.random.default_rng(SEED)
    for values in ([2.0, 2.0, 2.0], [4.0, 1.0, 1.0], [3.0, 2.0, 1.0]):
        turn = numpy.linalg.qr(draw.normal(size=(3, 3)))[0]
        for a in (numpy.diag(values), turn @ numpy.diag(values) @ turn.T):
            wanted = differences(f, a)
            for gradient in (np.grad(f), np.compile(np.grad(f))):
                found = numpy.asarray(gradient(a))
                assert not (values[0] > values[1] > values[2]) or not numpy.isnan(found).any()
                assert not any(word in name for word in ("values", "eigvalsh", "svdvals")) or not numpy.isnan(found).any()
                right = numpy.isnan(found).any() or numpy.abs(found - wanted).max() < 1e-3 * (1 + numpy.abs(wanted).max())
                assert right, f"{found} for {wanted} (seed {SEED})"
