"""Programs of several ranks: processes that mpirun starts, or threads of one process, each over its own arrays.

Collectives exchange the ranks' arrays. They are ops: compiled, differentiated and batched as all others. All ranks
call the same collectives in the same order; where they do not, or a rank is lost, each of them gets a `RankError`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastnp._core import RankError
    from fastnp.dist._communicator import (
        Communicator,
        Mesh,
        all_gather,
        all_reduce,
        all_to_all,
        barrier,
        broadcast,
        mesh,
        permute,
        reduce_scatter,
        world,
    )
    from fastnp.dist._data_parallel import data_parallel
    from fastnp.dist._ranks import finalize, init, is_initialized, rank, run, set_time_limit, size

_HOMES = {
    "_communicator": (
        *("Communicator", "Mesh", "all_gather", "all_reduce", "all_to_all", "barrier", "broadcast", "mesh", "permute"),
        *("reduce_scatter", "world"),
    ),
    "_data_parallel": ("data_parallel",),
    "_ranks": ("RankError", "finalize", "init", "is_initialized", "rank", "run", "set_time_limit", "size"),
}
__all__ = [
    "Communicator",
    "Mesh",
    "RankError",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "barrier",
    "broadcast",
    "data_parallel",
    "finalize",
    "init",
    "is_initialized",
    "mesh",
    "permute",
    "rank",
    "reduce_scatter",
    "run",
    "set_time_limit",
    "size",
    "world",
]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            globals()[name] = found = getattr(importlib.import_module(f"{__name__}.{home}"), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
