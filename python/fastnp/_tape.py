"""Gradients without functions: ``x.requires_grad = True``, ``loss.backward()``, ``x.grad``; and where they are not recorded."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from fastnp import _core

__all__ = ["enable_grad", "no_grad"]

P = ParamSpec("P")
R = TypeVar("R")


class _Recording:
    records = False

    def __init__(self) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(_core._set_records_gradients(self.records))

    def __exit__(self, *error: object) -> None:
        _core._set_records_gradients(self._before.pop())

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def inside(*args: P.args, **kwargs: P.kwargs) -> R:
            with type(self)():
                return function(*args, **kwargs)

        return inside


class no_grad(_Recording):
    """A context, or a decorator, in which nothing is recorded for backward(). (torch.no_grad)

    Arrays that require a gradient can be written to in it, as steps of an optimizer do. Each thread
    has its own. Transforms of functions (`grad`) are not affected.

    See Also
    --------
    enable_grad, ndarray.backward, ndarray.detach

    Examples
    --------
    >>> import fastnp as np
    >>> w = np.array([1.0, 2.0])
    >>> w.requires_grad = True
    >>> (w**2).sum().backward()
    >>> with np.no_grad():
    ...     w -= 0.1 * w.grad
    >>> w.detach()
    array([0.8, 1.6])
    """


class enable_grad(_Recording):
    """A context, or a decorator, in which operations are recorded for backward(). (torch.enable_grad)

    That is so anyway; it is for what lies within `no_grad`. Each thread has its own.

    See Also
    --------
    no_grad, ndarray.backward

    Examples
    --------
    >>> import fastnp as np
    >>> x = np.array([3.0])
    >>> x.requires_grad = True
    >>> with np.no_grad():
    ...     with np.enable_grad():
    ...         y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    array([6.])
    """

    records = True
