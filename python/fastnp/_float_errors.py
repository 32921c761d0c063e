"""Floating-point errors of what a transform recorded, or the tape, once it has run: NumPy is given the same calls again.

Of a function that `vmap` maps they are those of a loop over the parts: each part's calls, in order.
"""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

import numpy

from fastnp import _core

# numpy.errstate's own variable: NumPy has no public way to put a state back that was kept, and its types do not list it.
_STATE = numpy._core.umath._extobj_contextvar  # type: ignore[attr-defined]
_POWERS = {"square": 2, "sqrt": 0.5, "reciprocal": -1}  # by the operator, where the ufunc has the name
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "divmod": divmod,
    "absolute": abs,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
KINDS = ("divide", "over", "under", "invalid")
_scenes: dict[tuple[str, int], CodeType] = {}
_registries: dict[str, dict[Any, Any]] = {}  # of warnings in files whose module is not at hand


class Stack:
    """Stands for a vmap whose values are there for all parts."""

    def __init__(self, size: int) -> None:
        self.size = size


class Call:
    """One that was noted (python/float_journal): its arguments have values of the recording in them."""

    def __init__(self, noted: tuple[Any, ...]) -> None:
        self.name, self.is_operator, self.is_strict, self.outputs, self.arguments, self.keywords, self.place, self.state, self.levels = noted
        self.values: dict[int, tuple[Any, bool]] = {}  # by capsule: elements, of all parts, and whether they are NumPy scalars

    def look(self) -> bool:
        """Whether what it was given can be known: what other ranks have a part in is not computed again."""
        for capsule in capsules(self.arguments):
            value, is_scalar = _core._noted(capsule)
            for level in reversed([level for level in self.levels if not isinstance(level, Stack)]):
                (value,) = _core._batch(level.examples, level.values, level.axes, [value], level.number)
            try:
                self.values[id(capsule)] = _core._before_run(value), is_scalar
            except _core.RankError:
                return False
        return True

    def part(self, capsule: Any, index: tuple[int, ...]) -> Any:
        value, is_scalar = self.values[id(capsule)]
        return value[index] if is_scalar else value[(*index, ...)]

    def given(self, index: tuple[int, ...]) -> tuple[list[Any], dict[str, Any]]:
        def put(argument: Any) -> Any:
            if is_capsule(argument):
                return self.part(argument, index)
            return type(argument)(map(put, argument)) if type(argument) in (list, tuple) else argument

        found = [put(argument) for argument in self.arguments]
        for place, argument in enumerate(found):
            if self.outputs >> place & 1:  # is written to
                found[place] = fresh(argument)
        names = self.keywords or ()
        count = len(found) - len(names)
        return found[:count], dict(zip(names, found[count:], strict=True))

    def function(self, args: list[Any]) -> Any:
        """What is called, with what: no function of Python's, whose line a warning would take for its own. None where NumPy has none."""
        first = next(iter(self.values.values()), None)
        if self.is_operator and first is not None and all(is_scalar for _, is_scalar in self.values.values()):
            if self.name in _POWERS:
                return operator.pow, [*args, _POWERS[self.name]]
            if self.name in _OPERATORS:
                return _OPERATORS[self.name], args
        if self.name.startswith("ndarray."):
            return getattr(args[0], self.name.removeprefix("ndarray."), None), args[1:]
        found: Any = numpy
        for part in self.name.split("."):
            found = getattr(found, part, None)
        return found, args

    def tell(self, index: tuple[int, ...] = (), before: Callable[[], None] | None = None) -> None:
        """What NumPy has to say of it, at its place; after `before`, if it has anything to say."""
        given, kwargs = self.given(index)
        function, args = self.function(given)
        if function is None:
            return
        if self.name == "copyto":
            kwargs["casting"] = "unsafe"
        if before is not None and speaks(function, args, kwargs):
            before()
        with under(self.state):
            code, names = self.scene()
            try:
                eval(code, names, {"function": function, "args": args, "kwargs": kwargs})
            except (TypeError, ValueError, AttributeError):  # NumPy does not take what was taken here
                if "call" in numpy.geterr().values():
                    raise

    def scene(self) -> tuple[CodeType, dict[str, Any]]:
        """Code that calls a function, and globals, by which warnings take it for the line where the call was made."""
        if self.place is None:
            return _scene(__file__, 1), globals()
        code, at, module = self.place
        line = next((first for first, _, _, _ in itertools.islice(code.co_positions(), at // 2, None)), None) or code.co_firstlineno
        home = getattr(sys.modules.get(module or ""), "__dict__", None)
        registry = _registries.setdefault(code.co_filename, {}) if home is None else home.setdefault("__warningregistry__", {})
        return _scene(code.co_filename, line), {"__name__": module, "__warningregistry__": registry}


def _scene(path: str, line: int) -> CodeType:
    if (path, line) not in _scenes:
        _scenes[path, line] = compile("\n" * (line - 1) + "function(*args, **kwargs)", path, "eval")
    return _scenes[path, line]


def speaks(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether NumPy has anything to say of a call, as a rehearsal tells."""
    if any(isinstance(each, (numpy.ndarray, numpy.generic)) and each.dtype.kind == "c" for each in args):
        return True  # of casts, too, which no rehearsal keeps quiet
    told = {kind for kind, mode in numpy.geterr().items() if mode != "ignore"}
    met: list[str] = []
    with numpy.errstate(**{kind: "call" if kind in told else "ignore" for kind in KINDS}, call=lambda kind, flag: met.append(kind)):
        try:
            function(*args, **kwargs)
        except (TypeError, ValueError, AttributeError):
            return False
    return bool(met)


def is_capsule(argument: Any) -> bool:
    return type(argument).__name__ == "PyCapsule"


def capsules(tree: Any) -> Iterator[Any]:
    if is_capsule(tree):
        yield tree
    elif isinstance(tree, (list, tuple)):
        for item in tree:
            yield from capsules(item)


def fresh(output: Any) -> Any:
    """Memory like an output's."""
    if isinstance(output, tuple):
        return tuple(map(fresh, output))
    return numpy.empty_like(output) if isinstance(output, (numpy.ndarray, numpy.generic)) else output


@contextmanager
def under(state: Any) -> Iterator[None]:
    """Within, numpy.errstate is what it was there."""
    token = _STATE.set(state) if state is not None else None
    try:
        yield
    finally:
        if token is not None:
            _STATE.reset(token)


def is_quiet(call: Call) -> bool:
    """Whether a call of a ufunc has nothing to say for all parts at once."""
    function = getattr(numpy, call.name, None)
    if not isinstance(function, numpy.ufunc) or function.signature is not None or call.keywords:
        return False
    depth = len(call.levels)
    operands = []
    ranks = [value.ndim for value, _ in call.values.values()]
    for place, argument in enumerate(call.arguments):
        if is_capsule(argument):
            value, _ = call.values[id(argument)]
            value = value.reshape(value.shape[:depth] + (1,) * (max(ranks) - value.ndim) + value.shape[depth:])
            operands.append(fresh(value) if call.outputs >> place & 1 else value)
        elif isinstance(argument, (int, float, complex)):
            operands.append(argument)
        else:
            return False
    met: list[str] = []
    with numpy.errstate(all="call", call=lambda kind, flag: met.append(kind)):
        try:
            function(*operands)
        except TypeError:
            return False
    return not met


def tell(noted: list[tuple[Any, ...]]) -> None:
    """Warns, raises, calls: what NumPy does for the calls, in their order."""
    calls = [call for call in map(Call, noted) if call.look()]
    tell_from([call for call in calls if not call.levels or not is_quiet(call)], 0, ())


def tell_now(noted: tuple[Any, ...], pending: list[tuple[Any, ...]]) -> None:
    """The same of a call under a strict state, as it is made; what there is to be said of those before it comes first."""
    call = Call(noted)
    if not call.look():
        return

    def before() -> None:
        earlier, pending[:] = pending[:], []
        tell(earlier)

    call.tell(before=before)


def tell_from(calls: list[Call], depth: int, index: tuple[int, ...]) -> None:
    for level, group in itertools.groupby(calls, key=lambda call: call.levels[depth] if len(call.levels) > depth else None):
        within = list(group)
        if level is None:
            for call in within:
                call.tell(index)
            continue
        for part in range(int(level.size)):
            tell_from(within, depth + 1, (*index, part))


def leave(parts: Any) -> None:
    """The vmap has recorded its function. What holds its arrays can't stay with a tape: their values for all parts are noted there."""
    noted = _core._journal()
    mine = [place for place, each in enumerate(noted or ()) if any(level is parts for level in each[-1])]
    if not mine:
        return
    if noted[mine[0]][-1][0] is parts and any(noted[place][2] for place in mine):  # strict ones: at once, as each call is
        calls = [noted[place] for place in mine]
        del noted[mine[0] : mine[-1] + 1]
        tell(calls)
    elif _core._records_on_tape():
        stack = Stack(int(parts.size))
        for place in mine:
            noted[place] = stacked(noted[place], parts, stack)


def stacked(noted: tuple[Any, ...], parts: Any, stack: Stack) -> tuple[Any, ...]:
    def put(argument: Any) -> Any:
        if is_capsule(argument):
            value, is_scalar = _core._noted(argument)
            (found,) = _core._batch(parts.examples, parts.values, parts.axes, [value], parts.number)
            return _core._note(found, is_scalar)
        return type(argument)(map(put, argument)) if type(argument) in (list, tuple) else argument

    return *noted[:4], tuple(map(put, noted[4])), *noted[5:-1], tuple(stack if level is parts else level for level in noted[-1])
