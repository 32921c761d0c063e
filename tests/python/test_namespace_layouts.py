"""Where the results of every function of the namespace and every method lie, as NumPy has them: functions are found by name, and called in every form that
NumPy takes. What is compared is what test_layouts.py compares."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import quietly
from test_layouts import copied, told

import fastnp as np

FORMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "x": lambda f, m, x: f(x),
    "x, x": lambda f, m, x: f(x, x),
    "x, x.T": lambda f, m, x: f(x, m.swapaxes(x, 0, -1)),
    "axis=0": lambda f, m, x: f(x, axis=0),
    "axis=-1": lambda f, m, x: f(x, axis=-1),
    "axis=0, keepdims": lambda f, m, x: f(x, axis=0, keepdims=True),
    "axis=(0, -1)": lambda f, m, x: f(x, axis=(0, -1)),
    "axis=None": lambda f, m, x: f(x, axis=None),
    "x, 1": lambda f, m, x: f(x, 1),
    "x, 2": lambda f, m, x: f(x, 2),
    "[x, x]": lambda f, m, x: f([x, x]),
    "(x, x[::-1])": lambda f, m, x: f((x, x[::-1])),
    "[x, x], axis=-1": lambda f, m, x: f([x, x], axis=-1),
    "[[x, x], [x, x]]": lambda f, m, x: f([[x, x], [x, x]]),
    "x, x, x": lambda f, m, x: f(x, x, x),
    "x, 0, -1": lambda f, m, x: f(x, 0, -1),
    "x, [0, 0], axis=0": lambda f, m, x: f(x, [0, 0], axis=0),
    "x > 2, x": lambda f, m, x: f(x > 2, x),
    "x > 2, x, x * 2": lambda f, m, x: f(x > 2, x, x * 2),
    "x, x[:1]": lambda f, m, x: f(x, x[:1]),
    "2, x": lambda f, m, x: f(2, x),
    "dtype": lambda f, m, x: f(x, dtype="f4"),
    "order=F": lambda f, m, x: f(x, order="F"),
    "order=K": lambda f, m, x: f(x, order="K"),
    "x, x.shape": lambda f, m, x: f(x, x.shape[::-1]),
    "x, (2, ...)": lambda f, m, x: f(x, (2, *x.shape)),
    "lines": lambda f, m, x: f(x.reshape(-1), x.reshape(-1)),
}

# No functions of arrays; random and unset memory; files and settings.
LEFT_OUT = frozenset(
    """show_config show_runtime info test save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex get_include empty empty_like
    set_printoptions setbufsize seterr seterrcall getbufsize geterr resize nested_iters einsum_path may_share_memory shares_memory frompyfunc printoptions
    asmatrix bmat format_float_positional format_float_scientific array2string array_repr array_str base_repr binary_repr typename iterable mintypecode
    frombuffer arange ones zeros full eye identity tri indices fromfunction bartlett blackman hamming hanning kaiser
    dump dumps tofile setflags ctypes flags data base getfield setfield to_device device""".split()
)
# Methods that are given an array of ours to write to, as written on NumPy's array: they take none but NumPy's.
OTHERWISE = frozenset([("ndarray", "conj"), ("ndarray", "conjugate")])


def named() -> list[tuple[str, str]]:
    found = []
    for home, place in (("", numpy), ("linalg", numpy.linalg), ("fft", numpy.fft), ("ndarray", numpy.ndarray)):
        for name in dir(place):
            thing = getattr(place, name)
            if name.startswith("_") or name in LEFT_OUT or (home, name) in OTHERWISE or isinstance(thing, type):
                continue
            if (callable(thing) or home == "ndarray") and (home != "" or hasattr(np, name)):
                found.append((home, name))
    return sorted(found)


def function_of(m: Any, home: str, name: str) -> Callable[..., Any]:
    if home != "ndarray":
        found: Callable[..., Any] = getattr(getattr(m, home) if home else m, name)
        return found

    def method(x: Any, *args: Any, **kwargs: Any) -> Any:
        found = getattr(x, name)
        return found(*args, **kwargs) if callable(found) else found

    return method


def arrays(draw: random.Random) -> numpy.ndarray:
    """Of up to four axes, some of no or one element, some that repeat, in any layout."""
    rank = draw.choice([1, 2, 2, 3, 3, 4])
    shape = [draw.choice([1, 2, 3, 2, 3]) for _ in range(rank)]
    if draw.random() < 0.1:
        shape[draw.randrange(rank)] = 0
    order = draw.sample(range(rank), rank)
    steps = [draw.choice([1, 1, 1, 2, -1]) for _ in range(rank)]
    repeats = [draw.random() < 0.08 for _ in range(rank)]
    spread = [1 if repeats[axis] else shape[axis] * abs(steps[axis]) for axis in order]
    dtype = draw.choice(["f8", "f8", "f4", "i8", "c16", "?", "u1"])
    x = (numpy.arange(int(numpy.prod(spread))) * 7 % 5).astype(dtype).reshape(spread).transpose([order.index(axis) for axis in range(rank)])
    x = x[tuple(slice(None) if repeats[i] else slice(None, None, step) for i, step in enumerate(steps))]
    return numpy.broadcast_to(x, shape) if any(repeats) else x


def seen(function: Callable[[Any], Any], x: Any) -> Any:
    """What there is to tell of a result; nothing where there is none."""
    try:
        return told(quietly(function, x), [x])
    except Exception:  # a form that the function has not
        return None


def late(*_: Any) -> None:
    raise TimeoutError


@pytest.mark.parametrize(("way", "programs"), [("eager", 1000), ("compiled", 150)])
def test_layouts_of_the_namespace(way, programs):
    seed = random.randrange(10**9)
    draw, names = random.Random(seed), named()
    before = signal.signal(signal.SIGALRM, late)
    try:
        compared = 0
        while compared < programs:
            home, name = draw.choice(names)
            form = draw.choice(list(FORMS))
            x, reshapes = arrays(draw), draw.random() < 0.4

            def program(m: Any, x: Any, home: str = home, name: str = name, form: str = form, reshapes: bool = reshapes) -> Any:
                y = FORMS[form](function_of(m, home, name), m, x)
                return y.reshape(-1) if reshapes and isinstance(y, (numpy.ndarray, np.ndarray)) else y

            signal.alarm(20)
            want = seen(lambda x, program=program: program(numpy, x), copied(x))
            if want is None:
                continue
            given = copied(x)
            got = seen(
                np.compile(lambda x, program=program: program(np, x)) if way == "compiled" else lambda x, program=program: program(np, x),
                given if way == "compiled" else np.asarray(given),
            )
            signal.alarm(0)
            assert got == want, (
                f"seed {seed}: {home}.{name} as {form}, reshaped: {reshapes}, of {x.shape} {x.strides} {x.dtype}:\n{got}\nwhere NumPy has\n{want}"
            )
            compared += 1
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
