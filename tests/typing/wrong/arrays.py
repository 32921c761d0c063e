# ruff: noqa: B018
"""What type checkers find in uses of arrays. Lines with an error end in a comment that says so."""

import fastnp as np
import fastnp.typing as npt


def total(x: np.ndarray) -> str:
    return np.sum(x)  # error


def first(x: npt.NDArray[np.float64]) -> str:
    return x[0]  # error


def misspelt(x: np.ndarray) -> np.ndarray:
    x.summ()  # error
    return np.zeross(3)  # error


def mixed(x: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    return x + 1.0  # error


def text(x: np.ndarray) -> np.ndarray:
    np.sin("x")  # error
    x["a"]  # error
    return x + "a"  # error


def shape(x: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return x.T  # error


def options(x: np.ndarray) -> None:
    np.sum(x, axes=0)  # error
    np.zeros("three")  # error
    np.linalg.solve(x)  # error
    np.fft.fft(x, norm="none")  # error
    x.reshape("a")  # error


def draws(rng: np.random.Generator) -> int:
    rng.gaussian()  # error
    rng.normal(size="many")  # error
    return rng.normal(size=3)  # error
