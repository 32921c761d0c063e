"""What stands between a call of a compiled function and the function, while anything does: contexts of `compiler` and `debug` that look at calls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from fastnp import _core, _fork

# Each is called as watcher(function, forward, args, kwargs), and calls forward(*args, **kwargs) for the result.
Watcher = Callable[[Any, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]

_watchers: tuple[Watcher, ...] = ()
_lock = _fork.free_at_forks(threading.RLock())


def _call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    forward = function._direct
    for watcher in _watchers:
        forward = _through(watcher, function, forward)
    return forward(*args, **kwargs)


def _through(watcher: Watcher, function: Any, forward: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: watcher(function, forward, args, kwargs)


def add(watcher: Watcher) -> None:
    """Calls go through it from now on, in all threads: the last one added sees them first."""
    global _watchers
    with _lock:
        _watchers = (*_watchers, watcher)
        _core._interpose(_call)


def remove(watcher: Watcher) -> None:
    """No longer through it (the last one added, if it was added several times)."""
    global _watchers
    with _lock:
        left = list(_watchers)
        del left[len(left) - 1 - left[::-1].index(watcher)]
        _watchers = tuple(left)
        if not left:
            _core._interpose(None)
