"""What a process needs before it forks: a child has the forking thread alone, so what other threads were at stays undone there.

Locks and compilations in C++ see to themselves (``src/base/fork.h``). An import that another thread is at would keep its module locked in the child.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys


def finish_imports() -> None:
    """Waits for imports of this package's modules in other threads."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "fastnp" and getattr(getattr(module, "__spec__", None), "_initializing", False):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=finish_imports)
