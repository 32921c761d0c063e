"""Principal components by three factorisations."""

import fastnp as np
from fastnp.typing import NDArray


def components(X: NDArray[np.float64], count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    centred = X - X.mean(axis=0)
    U, s, Vh = np.linalg.svd(centred, full_matrices=False)
    return Vh[:count], s[:count] ** 2 / (len(X) - 1)


def whitened(X: NDArray[np.float64]) -> np.ndarray:
    values, vectors = np.linalg.eigh(np.cov(X, rowvar=False))
    return (X - X.mean(axis=0)) @ vectors / np.sqrt(values)


def orthonormal(X: np.ndarray) -> np.ndarray:
    return np.linalg.qr(X).Q


def main() -> None:
    rng = np.random.default_rng(6)
    mixing = rng.normal(size=(4, 4))
    X = rng.normal(size=(200, 4)) @ mixing
    directions, variances = components(X, 2)
    assert directions.shape == (2, 4) and variances.shape == (2,)
    assert bool(variances[0] >= variances[1])
    assert np.allclose(np.cov(whitened(X), rowvar=False), np.eye(4), atol=1e-8)
    Q = orthonormal(X)
    assert np.allclose(Q.T @ Q, np.eye(4), atol=1e-10)
    sign, logarithm = np.linalg.slogdet(mixing)
    assert np.isclose(sign * np.exp(logarithm), np.linalg.det(mixing))
    assert np.linalg.norm(directions[0]) - 1.0 < 1e-12
    lower = np.linalg.cholesky(np.cov(X, rowvar=False))
    assert np.linalg.matrix_rank(lower) == 4


if __name__ == "__main__":
    main()
