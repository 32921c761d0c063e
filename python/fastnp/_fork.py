"""What a process needs before it forks: a child has the forking thread alone, so what other threads were at stays undone there.

Locks and compilations in C++ see to themselves (``src/base/fork.h``). An import that another thread is at would keep its module locked in the child.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import sys
import threading
from collections.abc import Iterator
from typing import Any

_PATIENCE = 5.0  # seconds


def finish_imports() -> None:
    """Imports what other threads may be importing, or may begin to before the process has forked: all of this package."""
    if threading.active_count() == 1:
        return
    package = sys.modules["fastnp"]
    for module in pkgutil.iter_modules(package.__path__, "fastnp."):
        with contextlib.suppress(ImportError):
            importlib.import_module(module.name)


def free_at_forks(lock: Any) -> Any:
    """The lock, which is held for a moment each time: a fork waits for it, so that it is free in the child."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock


@contextlib.contextmanager
def patiently(lock: Any) -> Iterator[bool]:
    """Holds a lock that a thread may have had which a fork left behind: whether it was to be had within some seconds."""
    has_it = lock.acquire(timeout=_PATIENCE)
    try:
        yield has_it
    finally:
        if has_it:
            lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=finish_imports)
