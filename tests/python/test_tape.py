"""x.requires_grad, backward(), x.grad, no_grad(): gradients of code that is no function."""

from __future__ import annotations

import gc
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np


def leaf(*values: float) -> Any:
    x = np.array(list(values))
    x.requires_grad = True
    return x


def near(found: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    numpy.testing.assert_allclose(numpy.asarray(found), numpy.asarray(wanted), rtol=tolerance, atol=tolerance)


def test_a_gradient() -> None:
    x = leaf(1.0, 2.0)
    assert x.requires_grad and x.is_leaf and x.grad is None
    z = np.sum(x**3)
    assert z.requires_grad and not z.is_leaf and float(z.detach()) == 9
    z.backward()
    assert float(z) == 9
    assert type(x.grad) is np.ndarray
    near(x.grad, [3.0, 12.0])
    np.sum(x * 2).backward()
    near(x.grad, [5.0, 14.0])
    x.grad = None
    assert x.grad is None
    x.grad = numpy.ones(2)
    np.sum(x).backward()
    near(x.grad, [2.0, 2.0])


def test_equals_the_functional_gradient() -> None:
    rng = numpy.random.default_rng(0)

    def loss(w: Any, b: Any, x: Any) -> Any:
        h = np.tanh(x @ w + b)
        h = np.concatenate([h, h[:, ::-1]], axis=1)
        if h.sum() > -1e9:
            h = h[:, 1:] * np.exp(-np.max(h, axis=1, keepdims=True))
        return np.mean(np.sort(h, axis=1)[:, :3] ** 2)

    w, b, x = np.asarray(rng.normal(size=(4, 5))), np.asarray(rng.normal(size=5)), np.asarray(rng.normal(size=(6, 4)))
    wanted = np.grad(loss, argnums=(0, 1))(w, b, x)
    w.requires_grad = b.requires_grad = True
    for _ in range(3):
        w.grad = b.grad = None
        loss(w, b, x).backward()
        near(w.grad, wanted[0])
        near(b.grad, wanted[1])


def test_training_in_place() -> None:
    rng = numpy.random.default_rng(0)
    x = rng.normal(size=(50, 3))
    y = x @ numpy.array([1.0, -2.0, 0.5])
    w = leaf(0.0, 0.0, 0.0)
    for _ in range(200):
        loss = np.mean((x @ w - y) ** 2)
        loss.backward()
        with np.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    near(w.detach(), [1.0, -2.0, 0.5], 1e-3)


def test_writes_are_followed() -> None:
    v = leaf(1.0, 2.0, 3.0)
    u = np.zeros(5)
    u[1:-1] = v * v
    u += 1
    u[0] *= u[1]
    np.sum(u * u).backward()
    near(v.grad, [(2 * 2 + 2 * 2) * 2.0, 4 * 2 * 5, 4 * 3 * 10.0])


def test_other_ways_to_write_are_followed() -> None:
    v = leaf(1.0, 2.0, 3.0)
    u, w, out = np.ones(3), np.zeros(3), np.zeros(3)
    np.add.at(u, np.array([0, 0, 2]), v)
    np.copyto(w, v * 2, where=np.array([True, False, True]))
    np.multiply(v, v, out=out)
    total = np.sum(u * u) + np.sum(w) + np.sum(out) + np.sum(np.array([v[0], v[1] * 2])) + np.sum(np.stack([v, v]))
    total.backward()
    near(u.detach(), [4.0, 1.0, 4.0])
    near(v.grad, [8 + 2 + 2 + 1 + 2, 8 + 4 + 2 + 2, 8 + 2 + 6 + 2])


def test_arrays_that_change_before_backward_count_as_they_were() -> None:
    v = leaf(1.0, 2.0)
    scale = np.array([3.0, 4.0])
    z = np.sum(v * scale)
    scale[:] = 100
    z2 = np.sum(v * scale)
    data = numpy.array([5.0, 6.0])
    z3 = np.sum(v * data)
    data[:] = 0
    (z + z2 + z3).backward()
    near(v.grad, [108.0, 110.0])


def test_double_backward() -> None:
    a = leaf(2.0)
    b = np.sum(a**3)
    b.backward(create_graph=True)
    first = a.grad
    assert first.requires_grad
    near(first.detach(), [12.0])
    a.grad = None
    np.sum(first).backward()
    near(a.grad, [12.0])


def test_the_tape_is_used_up() -> None:
    x = leaf(1.0, 2.0)
    z = np.sum(x * x)
    z.backward(retain_graph=True)
    z.backward()
    near(x.grad, [4.0, 8.0])
    with pytest.raises(ValueError, match=r"an earlier backward\(\) has used up what was recorded; retain_graph=True"):
        z.backward()
    assert float(z) == 5
    assert not z.requires_grad
    total = z + 1
    assert float(total) == 6 and total.item() == 6


def test_gradients_of_arrays() -> None:
    x = leaf(1.0, 2.0)
    y = x * x
    with pytest.raises(ValueError, match=r"backward: only of a single number without a gradient argument, not of an array of shape \(2,\)"):
        y.backward()
    with pytest.raises(ValueError, match=r"a gradient of shape \(3,\) for an array of shape \(2,\)"):
        y.backward(np.ones(3))
    y.backward(np.array([1.0, 10.0]))
    near(x.grad, [2.0, 40.0])


def test_what_can_require_a_gradient() -> None:
    with pytest.raises(RuntimeError, match="only arrays of floating and complex dtype can require gradients, not of int64"):
        np.arange(3).requires_grad = True
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="an array that requires a gradient is written to"):
        x += 1
    with pytest.raises(RuntimeError, match="an array that requires a gradient is written to"):
        x[0] = 1
    with pytest.raises(ValueError, match="depends on no array that requires a gradient"):
        np.sum(np.ones(2)).backward() if hasattr(np.sum(np.ones(2)), "backward") else np.ones(()).backward()
    x.requires_grad = False
    x += 1
    near(x, [2.0])
    assert not (x * 2).requires_grad


def test_no_grad_and_detach() -> None:
    x = leaf(1.0, 2.0)
    with np.no_grad():
        y = x * 2
        assert not y.requires_grad
        with np.enable_grad():
            assert (x * 2).requires_grad

    @np.no_grad()
    def doubled(v: Any) -> Any:
        return v * 2

    assert not doubled(x).requires_grad
    z = x * 3
    assert not z.detach().requires_grad
    near(z.detach(), [3.0, 6.0])
    np.sum(z * z.detach()).backward()
    near(x.grad, [9.0, 18.0])
    with pytest.raises(TypeError, match="the derivative would be lost"):
        numpy.asarray(x * 2)


def differences(f: Callable[[numpy.ndarray], float], at: numpy.ndarray, step: float = 1e-6) -> numpy.ndarray:
    return numpy.array([(f(at + each) - f(at - each)) / (2 * step) for each in numpy.eye(at.size) * step])


LOSING: dict[str, Callable[[Any], Any]] = {
    "median": np.median,
    "trapezoid": np.trapezoid,
    "interp": lambda v: np.interp(1.5, np.arange(3.0), v),
    "gradient": lambda v: np.gradient(v),
    "percentile": lambda v: np.percentile(v, 30),
    "select": lambda v: np.select([v > 1.5], [v]),
    "bincount": lambda v: np.bincount(np.arange(3), weights=v),
    "ravel": lambda v: np.outer(v, v).ravel("F"),
    "a list": lambda v: np.block([v, v[:1]]),
    "of NumPy's name": lambda v: numpy.nanmax(v),
    "NumPy's": lambda v: numpy.partition(v, 1),
}


@pytest.mark.parametrize("of", ["a leaf", "a value"])
@pytest.mark.parametrize("name", LOSING)
def test_no_derivative_is_lost(name: str, of: str) -> None:
    f = LOSING[name]
    x = leaf(1.0, 2.0, 3.0)
    factor = 1.0 if of == "a leaf" else 2.0
    try:
        np.sum(f(x if of == "a leaf" else x * factor)).backward()
    except TypeError as error:
        assert "the derivative would be lost" in str(error)
    else:  # made of fastnp's own functions, for what is on a device
        near(x.grad, differences(lambda v: float(np.sum(f(np.array(v * factor)))), numpy.array([1.0, 2.0, 3.0])), 1e-6)
    for constant in (x.detach(), np.stop_gradient(x)):
        x.grad = None
        (np.sum(f(constant)) + np.sum(x * x)).backward()
        near(x.grad, [2.0, 4.0, 6.0])
    with np.no_grad():
        near(f(x * 1.0 if of == "a leaf" else x), f(np.array([1.0, 2.0, 3.0])))


def test_stop_gradient() -> None:
    x = leaf(1.0, 2.0)
    for y in (x, x * 3):
        x.grad = None
        constant = np.stop_gradient({"y": y, "n": 2})
        assert constant["n"] == 2 and not constant["y"].requires_grad
        np.sum(constant["y"] * x).backward()
        near(x.grad, y.detach())
    assert np.stop_gradient(constant) == constant


def test_numpys_functions_of_whole_numbers_of_a_tape() -> None:
    x = leaf(1.0, 2.0, 3.0)
    counts = np.bincount((x * 2).astype(int))
    assert counts.tolist() == [0, 0, 1, 0, 1, 0, 1]
    np.sum(x * counts[2]).backward()
    near(x.grad, [1.0, 1.0, 1.0])


def test_values_are_read_and_printed() -> None:
    x = leaf(1.0, 2.0)
    y = x * 2
    assert repr(y) == "array([2., 4.])" and str(y) == "[2. 4.]"
    assert y.detach().tolist() == [2.0, 4.0] and float(y[1].detach()) == 4 and f"{y[0]:.2f}" == "2.00"
    assert bool(np.all(y > 1)) and int(np.argmax(y)) == 1 and int(y[1]) == 4
    with np.no_grad():
        assert y.tolist() == [2.0, 4.0] and float(y[1]) == 4 and float(x[0]) == 1
    while np.sum(y) < 100:
        y = y * 2
    np.sum(y).backward()
    near(x.grad, [64.0, 64.0])
    assert y[1].item() == 128


READS: dict[str, Callable[[Any], Any]] = {
    "float()": float,
    "item()": lambda v: v.item(),
    "item(0)": lambda v: v.reshape(1).item(0),
    "tolist()": lambda v: v.reshape(1).tolist(),
    "math": math.exp,
    "numpy.float64": numpy.float64,
    "stored": lambda v: numpy.zeros(2).__setitem__(0, v),
    "filled": lambda v: numpy.zeros(2).fill(v),
}


@pytest.mark.parametrize("of", ["a leaf", "a value"])
@pytest.mark.parametrize("name", READS)
def test_numbers_carry_no_derivative(name: str, of: str) -> None:
    """A read is an error that names the line and the way out, until backward() has used the tape up."""
    x = np.array(2.0)
    x.requires_grad = True
    y = x if of == "a leaf" else x * 1.5
    with pytest.raises((TypeError, ValueError)) as caught:
        READS[name](y)
    words = f"{caught.value} {caught.value.__cause__}"  # NumPy's own assignment has a word to say, too
    assert "the derivative would be lost" in words and "detach" in words
    assert "test_tape.py:" in words or name == "numpy.float64"  # which asks for the memory itself
    READS[name](y.detach())
    with np.no_grad():
        READS[name](y)
    (y * y).backward()
    if of == "a value":
        READS[name](y)


def test_through_compiled_functions() -> None:
    f = np.compile(lambda x, s: np.sum(np.tanh(x) * s))
    x = leaf(0.1, 0.2)
    f(x, 2.0).backward()
    near(x.grad, 2 * (1 - np.tanh(x.detach()) ** 2))
    assert f(x.detach(), 2.0) == f(x, 2.0).detach()


def test_backward_within_no_grad_and_in_other_threads() -> None:
    x = leaf(1.0, 2.0)
    z = np.sum(x * x)
    with np.no_grad():
        z.backward()
    near(x.grad, [2.0, 4.0])
    z = np.sum(x * x)
    thread = threading.Thread(target=z.backward)
    thread.start()
    thread.join()
    near(x.grad, [4.0, 8.0])
    np.sum(x * 3).backward()
    near(x.grad, [7.0, 11.0])


def test_asking_for_metadata_records_nothing() -> None:
    x = leaf(1.0, 2.0)
    y = x * 2
    assert (y.ndim, y.shape, y.size, y.itemsize, y.nbytes, len(y)) == (1, (2,), 2, 8, 16, 2)
    assert (x.ndim, x.shape, x.size, x.dtype, y.dtype, y.strides) == (1, (2,), 2, float, float, (8,))
    assert type(np.zeros(3) + 1) is np.ndarray and np.asarray(numpy.ones(2)).tolist() == [1.0, 1.0]
    assert numpy.asarray(np.zeros(3) + 1).tolist() == [1.0, 1.0, 1.0]
    a, b = np.broadcast_arrays(x, np.ones((2, 1)))
    np.sum(a * b).backward()
    near(x.grad, [2.0, 2.0])


def test_errors_come_where_the_program_makes_them() -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        np.take(x, np.array([7]))
    with pytest.raises(ValueError, match="could not be broadcast"):
        x + np.ones(3)


def test_what_no_backward_takes_goes() -> None:
    x = leaf(*([1.0] * 1000))
    for _ in range(300):
        y = np.sum(np.exp(x) * numpy.random.default_rng(0).normal(size=1000))
        assert y.requires_grad
        del y
    gc.collect()
    np.sum(x).backward()
    near(x.grad, numpy.ones(1000))
