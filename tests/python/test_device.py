"""Device contexts: on the processor all goes on as without, through tapes, transforms, compiled functions, breaks; others say what is missing."""

from __future__ import annotations

import threading
from typing import Any

import numpy
import pytest

import fastnp as np

x = numpy.array([0.5, -1.5, 2.0])


def loss(x: Any) -> Any:
    with np.device("cpu"):
        y = np.sin(x) * x
    return (y * y).sum()


def slope(x: numpy.ndarray) -> numpy.ndarray:
    y = numpy.sin(x) * x
    return 2 * y * (numpy.cos(x) * x + numpy.sin(x))


def test_contexts_nest_and_are_of_a_thread() -> None:
    assert np.current_device() == "cpu"
    with np.device("cpu") as outer:
        assert np.current_device() == "cpu" and repr(outer) == "device('cpu')"
        with outer, np.device("cpu"):
            seen: list[str] = []
            thread = threading.Thread(target=lambda: seen.append(np.current_device()))
            thread.start()
            thread.join()
            assert seen == ["cpu"]
    with pytest.raises(KeyError), np.device("cpu"):
        raise KeyError("it goes through")


def test_decorated_functions() -> None:
    @np.device("cpu")
    def f(x: Any, factor: int = 1) -> Any:
        "A docstring."
        return x * factor

    assert f.__doc__ == "A docstring."
    numpy.testing.assert_array_equal(f(np.asarray(x), factor=2), 2 * x)


@pytest.mark.parametrize("name", ["gpu", "", "cuda:", "cuda:x", "cuda:-1", "cuda1", "CPU", "cpu:0"])
def test_names_of_no_device(name: str) -> None:
    with pytest.raises(ValueError, match="no such device"), np.device(name):
        pass


def test_names_that_are_none() -> None:
    with pytest.raises(TypeError, match="the name of a device, not int"):
        np.device(0)  # type: ignore[arg-type]


@pytest.mark.skipif(np.cuda.is_available(), reason="there is a CUDA device")
def test_cuda_says_what_is_missing() -> None:
    for name in ("cuda", "cuda:0", "cuda:3"):
        with pytest.raises(RuntimeError, match=f"^device '{name}': ") as error, np.device(name):
            pass
        assert np.cuda.problem() in str(error.value)
    assert np.current_device() == "cpu"


def test_gradients_go_through_contexts() -> None:
    numpy.testing.assert_allclose(np.grad(loss)(x), slope(x))
    compiled = np.compile(np.grad(loss))
    numpy.testing.assert_allclose(compiled(x), slope(x))
    numpy.testing.assert_allclose(np.grad(np.compile(loss))(x), slope(x))
    with np.device("cpu"):
        numpy.testing.assert_allclose(np.grad(np.compile(loss))(x), slope(x))


def test_the_tape_goes_through_contexts_and_breaks() -> None:
    def f(x: Any) -> Any:
        with np.device("cpu"):
            y = np.sin(x) * x
            if y.sum() > -100:  # a read
                y = y * 1.0
            np.compiler.graph_break()
            total = (y * y).sum()
        return total

    for function in (f, np.compile(f)):
        a = np.asarray(x.copy())
        a.requires_grad = True
        with np.device("cpu"):
            result = function(a)
        result.backward()
        numpy.testing.assert_allclose(a.grad, slope(x))
