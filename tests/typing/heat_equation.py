"""A simulation by finite differences, with writes in place and a loop that is compiled."""

import fastnp as np
from fastnp.typing import NDArray


@np.compile(fullgraph=True)
def laplacian(u: NDArray[np.float64]) -> NDArray[np.float64]:
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


def step(u: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    made = u.copy()
    made[1:-1, 1:-1] += rate * laplacian(u)
    return made


@np.compile
def steps(u: NDArray[np.float64], rate: float, count: int) -> NDArray[np.float64]:
    for _ in range(count):
        u = step(u, rate)
    return u


def main() -> None:
    u = np.zeros((32, 32))
    u[12:20, 12:20] = 100.0
    total = u.sum()
    later = steps(u, 0.2, 20)
    assert later.shape == (32, 32)
    assert abs(float(later.sum()) - float(total)) < 1e-3 * float(total)
    assert later.max() < u.max()
    rows = [float(row.mean()) for row in later]
    assert len(rows) == 32
    hottest = np.unravel_index(int(np.argmax(later)), later.shape)
    assert 12 <= int(hottest[0]) < 20


if __name__ == "__main__":
    main()
