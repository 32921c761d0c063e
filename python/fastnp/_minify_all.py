"""FASTNP_MINIFY: new kinds of calls of a process's compiled functions are tried in a child first, and what fails is minified."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from fastnp import _watching
from fastnp._checks import MismatchError
from fastnp._minify import minify
from fastnp._triage import Problem
from fastnp._values import is_array, leaves

_KINDS = {"accuracy": ("differs", "raised"), "crash": ("died", "hung")}
_SECONDS = 60.0


def _kind_of(value: Any) -> Any:
    return (value.dtype.name, tuple(value.shape)) if is_array(value) else type(value)


class Minifying:
    """Looks at the calls of compiled functions."""

    def __init__(self, check: str) -> None:
        if check not in _KINDS:
            raise ValueError(f"FASTNP_MINIFY={check}: 'accuracy' or 'crash'")
        self.check = check
        self.folder = os.environ.get("FASTNP_MINIFY_FOLDER", ".")
        self.seen: set[Any] = set()
        self.local = threading.local()

    def call(self, function: Any, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        kind = (id(function), *((path, _kind_of(value)) for path, value in leaves((args, kwargs), "")))
        if kind in self.seen or getattr(self.local, "busy", False):
            return forward(*args, **kwargs)
        self.seen.add(kind)
        self.local.busy = True
        try:
            self.look(function, args, kwargs)
        finally:
            self.local.busy = False
        return forward(*args, **kwargs)

    def look(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        problem = Problem(function, args, kwargs, 1024, _SECONDS)
        told, how = problem.on_rung(problem.options.get("backend", "llvm"))
        if how not in _KINDS[self.check]:
            return
        print(f"FASTNP_MINIFY: {problem.name}: {told}", file=sys.stderr)
        found = minify(function, args, kwargs, check=None, folder=self.folder, seconds=2 * _SECONDS, ulp=1024, limit=1.0)
        raise MismatchError(str(found))


def begin() -> None:
    """As the first function of the process is compiled."""
    _watching.add(Minifying(os.environ["FASTNP_MINIFY"]).call)
