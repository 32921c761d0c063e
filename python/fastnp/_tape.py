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
    """A context, or a decorator, in which nothing is recorded for backward(); arrays that require a gradient can be written to (as torch.no_grad)."""


class enable_grad(_Recording):
    """A context, or a decorator, in which it is, within no_grad() too (as torch.enable_grad)."""

    records = True
