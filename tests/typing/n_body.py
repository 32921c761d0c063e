"""Bodies that attract each other, by broadcasting; state as a NamedTuple."""

from typing import NamedTuple

import fastnp as np


class State(NamedTuple):
    positions: np.ndarray
    velocities: np.ndarray


@np.compile
def accelerations(positions: np.ndarray, masses: np.ndarray) -> np.ndarray:
    apart = positions[None, :, :] - positions[:, None, :]
    squares = np.sum(apart * apart, axis=-1) + 0.01
    return np.sum(apart * (masses / squares**1.5)[:, :, None], axis=1)


def leapfrog(state: State, masses: np.ndarray, dt: float) -> State:
    half = state.velocities + 0.5 * dt * accelerations(state.positions, masses)
    positions = state.positions + dt * half
    return State(positions, half + 0.5 * dt * accelerations(positions, masses))


def momentum(state: State, masses: np.ndarray) -> np.ndarray:
    return (masses[:, None] * state.velocities).sum(axis=0)


def main() -> None:
    rng = np.random.default_rng(2)
    masses = rng.uniform(0.5, 1.5, size=8)
    state = State(rng.normal(size=(8, 3)), np.zeros((8, 3)))
    before = momentum(state, masses)
    for _ in range(10):
        state = leapfrog(state, masses, 0.01)
    assert np.allclose(momentum(state, masses), before, atol=1e-10)
    energy: float = 0.5 * float(np.sum(masses * np.sum(state.velocities**2, axis=1)))
    assert energy > 0
    info = accelerations.cache_info()
    assert info.misses >= 1 and info.hits > 0


if __name__ == "__main__":
    main()
