"""Derivatives equal to JAX's on the same inputs, where JAX is installed."""

from __future__ import annotations

import functools
from typing import Any

import numpy
import pytest
from jax_functions import FUNCTIONS

import fastnp as np

pytestmark = pytest.mark.part(10)

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)


def leaves(tree: Any) -> list[Any]:
    return [numpy.asarray(leaf) for leaf in jax.tree_util.tree_leaves(tree)]


def agree(found: Any, wanted: Any) -> None:
    for a, b in zip(leaves(found), leaves(wanted), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        numpy.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * max(1.0, float(numpy.max(numpy.abs(b), initial=0.0))))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients(name: str) -> None:
    function, args = FUNCTIONS[name]
    numbers = tuple(i for i, arg in enumerate(args) if not (name == "mlp" and i == 2))
    theirs = jax.value_and_grad(functools.partial(function, jax.numpy), argnums=numbers)(*jax.tree_util.tree_map(jax.numpy.asarray, args))
    ours = np.value_and_grad(functools.partial(function, np), argnums=numbers)
    agree(ours(*args), theirs)
    compiled = np.compile(ours, fullgraph=True)
    for _ in range(2):
        agree(compiled(*args), theirs)


LINEAR = ["gaussian_process", "kalman_filter", "pseudo_inverse", "principal_components", "spectral_functional", "log_determinants", "orthogonalisation"]


@pytest.mark.parametrize(
    "name",
    [
        "logistic_regression",
        "rosenbrock",
        "recurrence",
        "layer_norm",
        "mixture",
        "products",
        "pairwise",
        "van_der_pol",
        "jacobi_1d",
        "pseudo_spectral",
        *LINEAR,
    ],
)
def test_hessians(name: str) -> None:
    function, args = FUNCTIONS[name]
    theirs = jax.hessian(functools.partial(function, jax.numpy))(*map(jax.numpy.asarray, args))
    agree(np.hessian(functools.partial(function, np))(*args), theirs)
    agree(np.compile(np.hessian(functools.partial(function, np)))(*args), theirs)


@pytest.mark.parametrize(
    "name", ["attention", "gru", "lorenz", "quantiles", "maxima", "complex_modulus", "jacobi_2d", "embedding", "pseudo_spectral", "phases", *LINEAR]
)
def test_batched_gradients(name: str) -> None:
    function, args = FUNCTIONS[name]
    many = [numpy.stack([arg, 1.1 * arg, arg + 0.1]) for arg in args]
    theirs = jax.vmap(jax.grad(functools.partial(function, jax.numpy)))(*map(jax.numpy.asarray, many))
    agree(np.vmap(np.grad(functools.partial(function, np)))(*many), theirs)
    agree(np.compile(np.vmap(np.grad(functools.partial(function, np))))(*many), theirs)
