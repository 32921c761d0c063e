"""Devices, options of compile, and what it tells."""

from collections.abc import Callable

import fastnp as np
from fastnp.typing import NDArray

Function = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


@np.device("cpu")
def on_host(x: NDArray[np.float64], *, scale: float = 1.0) -> NDArray[np.float64]:
    return x * scale


@np.compile(name="mix", dynamic={"x": {0: np.Dim("n")}, "y": {0: np.Dim("n")}}, cache_size_limit=4)
def mix(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sqrt(x * x + y * y)


def best_device() -> str:
    return "cuda" if np.cuda.is_available() else "cpu"


def timed(function: Function, x: NDArray[np.float64]) -> tuple[NDArray[np.float64], str]:
    told = np.explain(function)(x, x)
    result: NDArray[np.float64] = told.result
    return result, str(told)


def main() -> None:
    x = np.ones(8)
    assert on_host(x, scale=3.0).tolist() == [3.0] * 8
    made, text = timed(mix, x)
    assert "mix" in text
    assert np.allclose(made, np.sqrt(2.0))
    with np.device(best_device()) as device:
        assert device.name in ("cpu", "cuda")
        there = np.zeros(3)
    assert there.to("cpu").device == "cpu"
    assert np.current_device() == "cpu"
    mix.cache_clear()
    assert mix.cache_info().currsize == 0
    function = mix.__wrapped__
    assert function(x, x).shape == (8,)


if __name__ == "__main__":
    main()
