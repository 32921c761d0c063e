"""compile(background=True): machine code is made in a thread of its own, and calls run as written until it is there."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def curve(x: Any) -> Any:
    return numpy.tanh(x) * numpy.cos(x) + numpy.sqrt(abs(x))


def total(x: Any, limit: float) -> Any:
    s, count = 0.0, 0
    for i in range(len(x)):
        if x[i] > limit:
            s += x[i] * i
            count += 1
    return s, count


def test_array_functions() -> None:
    compiled = fastnp.compile(curve, background=True)
    x = numpy.linspace(-2, 2, 1000)
    wanted = curve(x)
    numpy.testing.assert_array_equal(compiled(x), wanted)
    assert compiled.cache_info().compiles == 0

    def has_code() -> bool:
        numpy.testing.assert_allclose(compiled(x), wanted, rtol=1e-14)
        return compiled.cache_info().compiles == 1

    until(has_code)
    assert compiled.cache_info().uncompiled >= 1


def test_native_loops() -> None:
    compiled = fastnp.compile(total, background=True)
    x = numpy.random.default_rng(0).normal(size=20000)
    wanted = total(x, 0.1)

    def is_native() -> bool:
        assert compiled(x, 0.1) == wanted
        start = time.perf_counter()
        compiled(x, 0.1)
        return time.perf_counter() - start < 5e-4  # as written 2 ms and more

    until(is_native)


@pytest.mark.alone
def test_first_calls_do_not_wait() -> None:
    def first(background: bool, number: float) -> float:
        lines = [f"    x = numpy.sin(x) * {number + i} + numpy.cos(x * 0.9) - numpy.tanh(x)" for i in range(80)]
        names: dict[str, Any] = {"numpy": numpy}
        exec("\n".join(["def long(x):", *lines, "    return x"]), names)
        function = fastnp.compile(names["long"], background=background)
        start = time.perf_counter()
        function(numpy.linspace(-1, 1, 16))
        return time.perf_counter() - start

    first(False, 0.5)
    assert first(True, 0.25) < 0.5 * first(False, 0.75)


def test_cleared_meanwhile() -> None:
    compiled = fastnp.compile(curve, background=True)
    x = numpy.linspace(-2, 2, 7)
    compiled(x)
    compiled.cache_clear()
    time.sleep(0.3)
    numpy.testing.assert_array_equal(compiled(x), curve(x))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_children() -> None:
    compiled = fastnp.compile(curve, background=True)
    x = numpy.linspace(-2, 2, 7)
    compiled(x)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            until(lambda: (compiled(x), compiled.cache_info().compiles == 1)[1])
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_errors_are_those_of_the_function() -> None:
    compiled = fastnp.compile(lambda x: x.reshape(3, 3), background=True)
    with pytest.raises(ValueError, match="cannot reshape"):
        compiled(numpy.arange(7))
