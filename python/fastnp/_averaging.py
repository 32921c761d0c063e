"""What gradients are joined by, across ranks, before a transform gives them (fastnp.dist.data_parallel)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Join = Callable[[Sequence[Any]], list[Any]]


class _Current(threading.local):
    join: Join | None = None


_current = _Current()


@contextmanager
def averaged_by(join: Join | None) -> Iterator[None]:
    """Has gradients that are taken inside joined so."""
    before = _current.join
    _current.join = join
    try:
        yield
    finally:
        _current.join = before


def averaged(gradients: Sequence[Any]) -> Sequence[Any]:
    """As what is around has them joined."""
    return gradients if _current.join is None else _current.join(gradients)
