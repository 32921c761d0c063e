# ruff: noqa: B018
"""What type checkers find in calls of compiled functions and of derivatives."""

from dataclasses import dataclass

import fastnp as np


@dataclass
class Parameters:
    weights: np.ndarray


@np.compile
def compiled(x: np.ndarray, *, scale: float = 1.0) -> np.ndarray:
    return x * scale


@np.compile(fullgraph=True)
def whole(x: np.ndarray) -> float:
    return np.sum(x)


def loss(p: Parameters, x: np.ndarray) -> float:
    return np.sum(p.weights * x)


def label(x: np.ndarray) -> str:
    return str(x)


class Model:
    @np.compile
    def apply(self, x: np.ndarray) -> np.ndarray:
        return x


def calls(p: Parameters, x: np.ndarray) -> None:
    compiled()  # error
    compiled(x, scale="large")  # error
    compiled(x, 2.0)  # error
    compiled.cache_size()  # error
    compiled.cache_info().hit  # error
    whole(x, x)  # error
    whole(x).append(1)  # error
    Model().apply(x, x)  # error
    Model().apply("x")  # error


def derivatives(p: Parameters, x: np.ndarray) -> None:
    np.grad(label)  # error
    np.grad(loss)(x, x)  # error
    np.grad(loss)(p)  # error
    np.grad(loss)(p, x).bias  # error
    np.vmap(compiled)("x")  # error
    np.checkpoint(whole)(x).weights  # error
    np.device(3)  # error


@np.compile(backends="llvm")  # error
def no_such_option(x: np.ndarray) -> np.ndarray:
    return x
