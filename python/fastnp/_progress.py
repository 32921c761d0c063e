"""What takes longer than a second is told of on the terminal, on one line with a bar; elsewhere it is silent.

FASTNP_PROGRESS=0 has it silent anywhere, FASTNP_PROGRESS=1 has it tell without a terminal, too: a line now and then. Compilations tell of themselves.
Of several things at a time, the one that began first is shown: compilations within a search, say, are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

from fastnp import _core

T = TypeVar("T")


class Progress:
    """A context that is shown once it is a second old: ``with Progress("minimising loss", 12) as progress: ... progress.advance()``.

    `what` goes on with "fastnp: ". `total`: how many steps there are, as far as anybody knows; it may be set later on.
    """

    def __init__(self, what: str, total: int | None = None) -> None:
        self.what = what
        self.total = total
        self.done = 0
        self._shown: _core._Progress | None = None

    def __enter__(self) -> Progress:
        self._shown = _core._Progress(self.what, self.total or 0) if _core._shows_progress() else None
        return self

    def __exit__(self, *error: object) -> None:
        self._shown = None

    def advance(self, steps: int = 1, note: str = "") -> None:
        """So many more steps are done. `note`: what it is at now."""
        self.done += steps
        if self._shown is not None:
            self._shown.set(self.done, self.total or 0, note)

    def note(self, note: str) -> None:
        """What it is at now."""
        self.advance(0, note)


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items one after the other, each of which is a step. `total`: how many there are, if they have no length."""
    count = len(items) if total is None and isinstance(items, Sized) else total
    with Progress(what, count) as progress:
        for each in items:
            yield each
            progress.advance()
