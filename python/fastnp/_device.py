"""Where arrays are made and computed: ``with np.device("cpu"):``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from fastnp import _core

__all__ = ["current_device", "device"]

P = ParamSpec("P")
R = TypeVar("R")


class device:
    """A context, or a decorator, in which arrays are made and computed on a device: ``"cpu"``, ``"cuda"`` (the first CUDA device), ``"cuda:1"``, ...

    Contexts nest; each thread has its own. ValueError: no device has such a name. RuntimeError: it can't be used; the message says what is missing
    (``fastnp.cuda.problem()`` says the same beforehand). (As jax.default_device and torch.device.)

    Operations outside of any context are computed where the first of their arrays that is at home on a device is. Results stay there, and nobody waits for
    them. So results of no axes (``x.sum()``, ``x[0]``) are not NumPy's scalars but arrays that stand for one: they are read when they are used
    (``float(y)``, ``if y > 0``, ``print(y)``), are hashable, and ``y += 1`` makes a new one; but ``isinstance(y, numpy.float64)`` is false, as of CuPy's
    and JAX's.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"device() takes the name of a device, not {type(name).__name__}")
        self.name = name
        self._scopes: list[_core._DeviceScope] = []

    def __enter__(self) -> device:
        self._scopes.append(_core._DeviceScope(self.name))
        return self

    def __exit__(self, *error: object) -> None:
        self._scopes.pop()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def inside(*args: P.args, **kwargs: P.kwargs) -> R:
            with type(self)(self.name):
                return function(*args, **kwargs)

        return inside

    def __repr__(self) -> str:
        return f"device({self.name!r})"


def current_device() -> str:
    """The device that arrays of this thread are made and computed on: that of the innermost ``device`` context, ``"cpu"`` outside of any."""
    return _core._current_device()
