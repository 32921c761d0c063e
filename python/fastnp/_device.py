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
    """A context, or a decorator, in which arrays are made and computed on a device.

    Contexts nest; each thread has its own. (As jax.default_device and torch.device.)

    Parameters
    ----------
    name : str
        ``"cpu"``, ``"cuda"`` (the first CUDA device), ``"cuda:1"``, ...

    Raises
    ------
    ValueError
        Where no device has such a name.
    RuntimeError
        For a device that can't be used; the message says what is missing
        (``fastnp.cuda.problem()`` says the same beforehand).

    Notes
    -----
    Operations outside of any context are computed where the first of their arrays that is at home on
    a device is. Results stay there, and nobody waits for them. So results of no axes (``x.sum()``,
    ``x[0]``) are not NumPy's scalars but arrays that stand for one: they are read when they are used
    (``float(y)``, ``if y > 0``, ``print(y)``), are hashable, and ``y += 1`` makes a new one; but
    ``isinstance(y, numpy.float64)`` is false, as of CuPy's and JAX's.

    See Also
    --------
    current_device, ndarray.to, cuda.devices

    Examples
    --------
    >>> import fastnp as np
    >>> with np.device("cpu"):
    ...     x = np.ones(3)
    >>> x.device
    'cpu'
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
    """The device that arrays of this thread are made and computed on.

    It is that of the innermost `device` context, and ``"cpu"`` outside of any. Operations on arrays
    that are at home on a device are computed there all the same.

    Returns
    -------
    str
        ``"cpu"``, ``"cuda:0"``, ...

    See Also
    --------
    device, ndarray.device, cuda.devices

    Examples
    --------
    >>> import fastnp as np
    >>> np.current_device()
    'cpu'
    """
    return _core._current_device()
