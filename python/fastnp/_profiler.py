"""What is compiled within a stretch of a program, and why: counts by function, causes, and what would help."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from fastnp import _control, _fallback
from fastnp._compiled_functions import name_of, place_of
from fastnp._likely import SAME_LINE

_VAGUE = "plain values or structure of the arguments changed"
_MOST_SHOWN = 5


class Recompilation(NamedTuple):
    """A compilation that another one came before: why, what would help, and what it took."""

    reason: str
    advice: str
    milliseconds: float


class Row(NamedTuple):
    """A function in a `CompileProfiler`."""

    name: str
    place: str
    compiles: int
    milliseconds: float
    hits: int
    as_written: int
    guard_failures: int
    recompilations: list[Recompilation]
    breaks: list[str]
    reasons: list[str]

    @property
    def is_idle(self) -> bool:
        return not (self.compiles or self.hits or self.as_written or self.recompilations or self.breaks)


class _Counts(NamedTuple):
    """What is known of a function at a moment."""

    compiles: int = 0
    hits: int = 0
    misses: int = 0
    as_written: int = 0
    seen: tuple[tuple[str, str, float], ...] = ()
    breaks: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    native: float = 0.0

    @staticmethod
    def of(function: Any) -> _Counts:
        info, parts = function.cache_info(), function._parts()
        _, _, reasons, seen = function._inspect(False)
        loops = [] if parts is None else [loop for loop in parts.told() if loop.programs]
        breaks = () if parts is None else tuple(each.told() for each in parts.breaks)
        native = sum(sum(loop.milliseconds) for loop in loops)
        return _Counts(info.compiles, info.hits, info.misses, info.uncompiled, tuple(seen), breaks, tuple(reasons), native)

    def since(self, before: _Counts) -> _Counts:
        """What came to it. Counts that fell were begun anew meanwhile (`cache_clear`)."""
        if self.misses < before.misses or self.compiles < before.compiles or self.hits < before.hits:
            before = _Counts()
        misses = self.misses - before.misses
        return _Counts(
            self.compiles - before.compiles,
            max(self.hits - before.hits, 0),
            misses,
            max(self.as_written - before.as_written, 0),
            self.seen[len(self.seen) - min(misses, len(self.seen)) :],
            self.breaks[len(before.breaks) :],
            self.reasons[len(before.reasons) :],
            max(self.native - before.native, 0.0),
        )


class CompileProfiler:
    """A context that tells what was compiled within it, why, and how it could be less. (torch._dynamo's CompileProfiler)

    It counts what all threads do while it is open, compilations in the background included. Each of several
    that are open at a time, one in the other or in several threads, counts all of it; one of them is entered
    once at a time. Functions that are made within it are kept until it is let go.

    Attributes: `functions` (a row for each function that was called: name, place, compiles, milliseconds,
    hits, calls as written, guard failures, recompilations with their causes, breaks), `fallbacks` (calls of
    functions that only NumPy has). After the context they stay as they were at its end.

    See Also
    --------
    compiler.functions, compiler.compile_times, compiler.set_logs

    Examples
    --------
    >>> import fastnp as np
    >>> with np.compiler.CompileProfiler() as profiler:
    ...     for n in range(3):
    ...         f = np.compile(lambda x: x * 2)
    ...         _ = f(np.ones(4))
    >>> profiler.compiles, profiler.suggestions()[0].partition(" (")[0]
    (3, '<lambda> is compiled 3 times, as it is defined anew')
    """

    def __init__(self) -> None:
        self._open = False
        self._forget()

    def _forget(self) -> None:
        self._before: dict[int, tuple[Any, _Counts]] = {}
        self._causes: dict[int, dict[int, str]] = {}  # by the function as written, and the number of the miss
        self._failures: dict[int, int] = {}
        self._fallbacks: dict[str, int] = {}
        self._ended: tuple[list[Row], dict[str, int]] | None = None

    def __enter__(self) -> CompileProfiler:
        _fallback.check_unrecorded("compiler.CompileProfiler")
        if self._open:
            raise RuntimeError("this CompileProfiler is open: make another one")
        self._forget()
        self._open = True
        self._before = {id(function): (function, _Counts.of(function)) for function in list(_control.compiled_functions)}
        self._fallbacks = dict(_fallback.counts)
        _control.made_watchers.append(self._made)
        _control.guard_watchers.append(self._failed)
        return self

    def __exit__(self, *error: object) -> None:
        _control.made_watchers.remove(self._made)
        _control.guard_watchers.remove(self._failed)
        self._ended = self._rows(), self._fallen()
        self._open = False
        self._before = {}

    def _made(self, function: Any) -> None:
        self._before.setdefault(id(function), (function, _Counts()))

    def _failed(self, written: Any, cause: str) -> None:
        key = id(written)
        self._failures[key] = self._failures.get(key, 0) + 1
        if not cause:
            return
        misses = [function.cache_info().misses for function, _ in list(self._before.values()) if function.__wrapped__ is written]
        for number in misses:
            self._causes.setdefault(key, {})[number] = cause

    def _row(self, function: Any, before: _Counts) -> Row:
        now = _Counts.of(function)
        new = now.since(before)
        causes = self._causes.get(id(function.__wrapped__), {})
        recompilations = []
        for number, (reason, advice, spent) in enumerate(new.seen, now.misses - len(new.seen)):
            if reason == "first call":
                continue
            known = causes.get(number, "") if reason == _VAGUE else ""
            recompilations.append(Recompilation(known or reason, "" if known else advice, spent))
        spent = sum(each[2] for each in new.seen) + new.native
        failures = self._failures.get(id(function.__wrapped__), 0)
        counts = new.compiles, spent, new.hits, new.as_written, failures
        return Row(name_of(function), place_of(function), *counts, recompilations, list(new.breaks), list(new.reasons))

    def _rows(self) -> list[Row]:
        rows = [self._row(function, before) for function, before in list(self._before.values())]
        return sorted((row for row in rows if not row.is_idle), key=lambda row: (-row.milliseconds, row.name, row.place))

    def _fallen(self) -> dict[str, int]:
        found = {name: count - self._fallbacks.get(name, 0) for name, count in _fallback.counts.items()}
        return {name: count for name, count in found.items() if count > 0}

    @property
    def functions(self) -> list[Row]:
        """A row for each function that something was done for, those first that took longest to compile."""
        return self._rows() if self._ended is None else self._ended[0]

    @property
    def fallbacks(self) -> dict[str, int]:
        """How often each function that only NumPy has was called."""
        return self._fallen() if self._ended is None else self._ended[1]

    @property
    def compiles(self) -> int:
        """Compilations in all."""
        return sum(row.compiles for row in self.functions)

    @property
    def milliseconds(self) -> float:
        """What they took."""
        return sum(row.milliseconds for row in self.functions)

    def suggestions(self) -> list[str]:
        """What would be of help, in words."""
        rows = self.functions
        found = _defined_anew(rows)
        for row in rows:
            anew = [each for each in row.recompilations if SAME_LINE in each.reason]
            if anew:
                count = f"{len(anew)} function objects from one line"
                found.append(f"{row.name} is compiled again for each of {count}: make the function once ({anew[0].reason})")
            advice = dict.fromkeys(each.advice for each in row.recompilations if each.advice)
            found += [f"{row.name}: {each}" for each in advice]
            found += [f"{row.name} runs in parts, as it {each}: fullgraph=True lists all such places" for each in row.breaks[:1]]
            found += [f"{row.name} runs as written: {each}" for each in row.reasons]
        for name, often in sorted(self.fallbacks.items(), key=lambda each: -each[1]):
            found.append(f"numpy.{name} ran in NumPy {often} times (FASTNP_FALLBACK=warn says where)")
        return found

    def report(self) -> str:
        """All of it as text."""
        rows = self.functions
        lines = [f"{self.compiles} compilations in {self.milliseconds:.1f} ms, of {sum(row.compiles > 0 for row in rows)} functions"]
        for row in rows:
            place = f" ({row.place})" if row.place else ""
            lines.append(
                f"  {row.name}{place}: {row.compiles} compiled in {row.milliseconds:.2f} ms, {row.hits} hits, {row.as_written} as written,"
                f" {row.guard_failures} guard failures"
            )
            reasons = dict.fromkeys(each.reason for each in row.recompilations)
            for reason in list(reasons)[:_MOST_SHOWN]:
                same = [each for each in row.recompilations if each.reason == reason]
                lines.append(f"    compiled again {len(same)} times, {sum(each.milliseconds for each in same):.2f} ms: {reason}")
            if len(reasons) > _MOST_SHOWN:
                lines.append(f"    ... and for {len(reasons) - _MOST_SHOWN} other reasons")
            lines += [f"    break: {each}" for each in row.breaks]
            lines += [f"    runs as written: {each}" for each in row.reasons]
        lines += [f"  numpy.{name}: {count} times in NumPy" for name, count in self.fallbacks.items()]
        advice = self.suggestions()
        if advice:
            lines += ["to have less of it:", *(f"  {each}" for each in advice)]
        return "\n".join(lines)

    __str__ = report

    def json(self) -> str:
        """The same as JSON: an object of ``functions``, ``fallbacks``, ``suggestions``."""
        rows = [{**row._asdict(), "recompilations": [each._asdict() for each in row.recompilations]} for row in self.functions]
        return json.dumps({"functions": rows, "fallbacks": self.fallbacks, "suggestions": self.suggestions()})


def _defined_anew(rows: list[Row]) -> list[str]:
    """Functions that are made and compiled again and again."""
    places: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.place and row.compiles and "[" not in row.name:  # parts have lines in their names
            places.setdefault((row.name, row.place), []).append(row)
    return [
        f"{name} is compiled {sum(row.compiles for row in same)} times, as it is defined anew ({SAME_LINE}: {place}): define it once, outside of the loop"
        for (name, place), same in places.items()
        if len(same) > 1
    ]
