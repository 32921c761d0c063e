"""Helpers that keep the dtype, or the type of a function, of what they are given."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import fastnp as np
from fastnp.typing import ArrayLike, DTypeLike, NDArray

T = TypeVar("T", bound=np.floating[Any])
P = ParamSpec("P")
R = TypeVar("R")


def rescaled(x: NDArray[T]) -> NDArray[T]:
    return x / x.max()


def as_table(x: ArrayLike, dtype: DTypeLike | None = None) -> np.ndarray:
    made = np.asarray(x, dtype)
    return made[:, None] if made.ndim == 1 else made


def counted(function: Callable[P, R]) -> Callable[P, tuple[R, int]]:
    calls = 0

    def inside(*args: P.args, **kwargs: P.kwargs) -> tuple[R, int]:
        nonlocal calls
        calls += 1
        return function(*args, **kwargs), calls

    return inside


def applied(function: Callable[[NDArray[np.float64]], R], x: ArrayLike) -> R:
    return function(np.asarray(x, np.float64))


@np.compile
def halves(x: NDArray[np.float64], /, *, scale: float = 0.5) -> NDArray[np.float64]:
    return x * scale


def main() -> None:
    single = rescaled(np.array([1.0, 2.0, 4.0]).astype(np.float32))
    assert single.dtype == np.float32
    assert as_table([1, 2, 3]).shape == (3, 1)
    assert as_table(np.ones((2, 2)), "float32").dtype == np.float32
    twice = counted(halves)
    made, calls = twice(np.ones(3), scale=0.25)
    assert calls == 1 and float(made.sum()) == 0.75
    assert float(applied(np.sum, [1, 2, 3])) == 6.0
    assert applied(halves, [2.0]).tolist() == [1.0]


if __name__ == "__main__":
    main()
