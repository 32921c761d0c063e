"""What a walk over a loop (``_loop_walk.py``) knows of where it is: functions, loops that are open, and where the program is left."""

from __future__ import annotations

import ast
import types
from typing import Any

from fastnp._loop_values import Held
from fastnp._names import Live

__all__ = ["Env", "Exit", "Frame", "OpenLoop"]

Env = dict[str, Held]


class Exit:
    """Where a program is left: before a statement of the function (None: the loop has ended, or was left by `break`)."""

    def __init__(self, statement: ast.stmt | None, broke: bool) -> None:
        self.statement = statement
        self.broke = broke
        self.why = ""  # the program has not what is there, if that is known
        self.error: int | None = None  # the axis of an IndexError, whose subscript and size are handed out last
        self.is_error = False  # memory is short in the middle of a statement
        self.variables: list[tuple[int, Any]] = []
        self.names: list[tuple[str, Any]] = []  # (variable, decoder)
        self.held: Env = {}  # what they are
        self.places: dict[str, int] = {}  # of those that are numbers of one kind, among what is handed out
        self.choices: dict[str, tuple[int, list[int]]] = {}  # (first, tags) of those that are bound and of one of several kinds, there
        self.lists: dict[str, int] = {}  # where lists that were changed begin there
        self.tuples: dict[str, tuple[int, int, bool]] = {}  # (first, count, whether it may be what was passed) of tuples of such, there
        self.arrays: dict[str, tuple[int, dict[int, Any]]] = {}  # (first, origins) of arrays that are not always the same one, there
        self.iterations: list[tuple[ast.For, Any]] = []  # (loop, decoder of what it still goes over), the outermost first


class Frame:
    """A function that is walked: the one that has the loop, or one that it calls."""

    def __init__(self, key: Any, function: types.FunctionType, tree: Any, live: Live, local: frozenset[str], counters: frozenset[str]) -> None:
        self.key = key
        self.caller: Frame | None = None
        self.function = function
        self.tree = tree
        self.live = live
        self.local = local
        self.counters = counters  # variables that begin at constants and change by small steps
        self.env: Env | None = {}  # None: nothing arrives here
        self.loops: list[OpenLoop] = []
        self.returned: list[Held] = []  # what it gives at each of its ends
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self.cells = dict(cells)


class OpenLoop:
    """A loop of the function that is being walked: how many loops of the program were open, and what arrives at its ends."""

    def __init__(self, depth: int, made_arrays: int = 0) -> None:
        self.depth = depth
        self.made_arrays = made_arrays  # how many there were before it
        self.broke: list[Env] = []
        self.continued: list[Env] = []
