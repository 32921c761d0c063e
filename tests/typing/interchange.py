"""Arrays to NumPy and back, and functions that take either."""

import numpy

import fastnp as np
from fastnp.typing import ArrayLike, NDArray

Either = np.ndarray | numpy.ndarray


def as_numpy(x: np.ndarray) -> numpy.ndarray:
    return numpy.asarray(x)


def from_numpy(x: numpy.ndarray) -> np.ndarray:
    return np.asarray(x)


def softmax(x: ArrayLike) -> np.ndarray:
    values = np.asarray(x, dtype=np.float64)
    shifted = np.exp(values - np.max(values, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


@np.compile
def energy(x: Either) -> float:
    return np.sum(np.square(x))


def main() -> None:
    x: NDArray[np.float64] = np.linspace(0.0, 1.0, 5)
    y = as_numpy(x)
    y[0] = 7.0
    assert float(x[0]) == 7.0
    assert from_numpy(y).shape == (5,)
    total = numpy.add(y, 1.0).sum()
    assert float(total) == float((x + 1).sum())
    mixed = x * y
    assert isinstance(mixed, np.ndarray)
    assert np.allclose(softmax([0.0, 0.0]), 0.5)
    assert np.allclose(softmax(y[None]).sum(), 1.0)
    assert float(energy(x)) == float(energy(y))
    view = memoryview(x)  # shares the elements
    assert view.shape == (5,)
    again = np.from_dlpack(y)
    assert again.tolist() == y.tolist()


if __name__ == "__main__":
    main()
