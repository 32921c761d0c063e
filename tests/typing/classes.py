"""Classes with compiled methods, static methods and properties."""

from __future__ import annotations

import fastnp as np
from fastnp.typing import NDArray


class Kalman:
    """A filter of one position and its speed."""

    def __init__(self, noise: float, dt: float = 1.0) -> None:
        self.F = np.array([[1.0, dt], [0.0, 1.0]])
        self.H = np.array([[1.0, 0.0]])
        self.Q = 1e-3 * np.eye(2)
        self.R = np.array([[noise]])
        self.x: NDArray[np.float64] = np.zeros((2, 1))
        self.P: NDArray[np.float64] = np.eye(2)

    @np.compile
    def predict(self, x: NDArray[np.float64], P: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.F @ x, self.F @ P @ self.F.T + self.Q

    @np.compile(fullgraph=True)
    def update(self, x: NDArray[np.float64], P: NDArray[np.float64], z: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        S = self.H @ P @ self.H.T + self.R
        K = P @ self.H.T @ np.linalg.inv(S)
        return x + K @ (z - self.H @ x), self.unit() @ P - K @ self.H @ P

    @staticmethod
    def unit() -> NDArray[np.float64]:
        return np.eye(2)

    @property
    def position(self) -> float:
        return float(self.x[0, 0])

    def observe(self, z: float) -> Kalman:
        x, P = self.predict(self.x, self.P)
        self.x, self.P = self.update(x, P, np.array([[z]]))
        return self


def main() -> None:
    rng = np.random.default_rng(5)
    kalman = Kalman(0.5)
    for t in range(50):
        kalman.observe(0.3 * t + rng.normal(0.0, 0.5))
    assert abs(kalman.position - 0.3 * 49) < 1.0
    assert kalman.predict.cache_info().misses >= 1
    assert Kalman.update.backend == "llvm"


if __name__ == "__main__":
    main()
