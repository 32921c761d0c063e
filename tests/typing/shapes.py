"""Numbers of axes in types: vectors, matrices, and what becomes of them."""

import fastnp as np

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def row(A: Matrix, i: int) -> Vector:
    return A[i]


def element(A: Matrix, i: int, j: int) -> np.float64:
    return A[i, j]


def column_sums(A: Matrix) -> np.ndarray:
    return A.sum(axis=0)


def trapezium(y: Vector, dx: float) -> float:
    return dx * (np.sum(y) - (y[0] + y[-1]) / 2)


def outer(a: Vector, b: Vector) -> Matrix:
    return np.outer(a, b)


def transposed(A: Matrix) -> Matrix:
    return A.T


def main() -> None:
    A: Matrix = np.arange(6.0).reshape(2, 3)
    B = np.zeros((4, 5))
    assert row(A, 1).tolist() == [3.0, 4.0, 5.0]
    assert element(A, 0, 2) == 2.0
    assert column_sums(A).tolist() == [3.0, 5.0, 7.0]
    assert trapezium(np.ones(5), 0.5) == 2.0
    rows, columns = B.shape
    assert (rows, columns) == (4, 5)
    assert outer(A[0], np.ones(4)).shape == (3, 4)
    assert transposed(A).shape == (3, 2)
    flat: Vector = A.ravel()
    largest = max(value for value in flat)
    assert largest == 5.0
    for line in A:
        assert line.ndim == 1
    assert A.reshape((3, 2)).shape == (3, 2)


if __name__ == "__main__":
    main()
