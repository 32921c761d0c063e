"""Which rung of the ladder of back ends is the first that differs, which operation, and which line: what `debug.triage` finds."""

from __future__ import annotations

import os
import time
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy

from fastnp import _children, _control, _core
from fastnp._backends import backend_info, list_backends, register_backend
from fastnp._compile import compile as compile_function
from fastnp._compiled_functions import name_of
from fastnp._core import CompiledFunction
from fastnp._fallback import check_unrecorded
from fastnp._first_op import FirstOp, first_op
from fastnp._graph import Graph
from fastnp._progress import track
from fastnp._values import copied, difference, is_array, leaves, on_host, saved_draws

BLAME = {
    "as written": "fastnp's precompiled kernels, or a function of its own: NumPy gives something else",
    "derivative": "a rule of derivatives: differences of the function give something else",
    "eager": "recording: what the function does was not followed",
    "aot_eager": "a pass over the recorded operations",
    "interpreter": "fusion, or the loops that were made of it",
    "llvm-O0": "the code that is written for the loops, or LLVM's code generator",
    "llvm-nofuse": "LLVM's passes, on one operation",
    "llvm": "LLVM's passes, on several operations at once; or a native loop",
    "disk cache": "code or a recording that was kept on disk",
    "kept entries": "what guards an entry that an earlier call left: it serves this call, and is not for it",
}


@dataclass(frozen=True)
class Rung:
    """A rung that was tried. `told`: what went wrong there; empty: nothing."""

    name: str
    told: str = ""
    how: str = "done"


@dataclass
class Triage:
    """What `debug.triage` found: ``print`` it.

    `rungs` are those that were tried, with what went wrong at each; `rung` is the first at which
    something did (None: nowhere), and `blame` what it does more than the one before. `how` is
    "differs", "raised", "died" or "hung". `op`, `inputs`, `place` and `pass_name` are the first
    operation that differs, its operands' values, the user's line, and the pass after which it does;
    `graph` and `arrays` are what fails by itself, where something was found.

    See Also
    --------
    debug.triage

    Examples
    --------
    >>> import fastnp as np
    >>> found = np.debug.triage(lambda x: np.sin(x) * 2, np.ones(3))
    >>> found.rung is None, [rung.name for rung in found.rungs][:3]
    (True, ['as written', 'eager', 'aot_eager'])
    """

    name: str
    rungs: list[Rung] = field(default_factory=list)
    rung: str | None = None
    how: str = ""
    told: str = ""
    first: FirstOp | None = None
    place: str = ""
    graph: Graph | None = None
    arrays: list[Any] = field(default_factory=list)

    @property
    def blame(self) -> str:
        if self.rung is None:
            return ""
        return BLAME.get(self.rung) or backend_info(self.rung).doc.rstrip(".")

    @property
    def op(self) -> str | None:
        return None if self.first is None else self.first.op

    @property
    def inputs(self) -> list[Any]:
        return [] if self.first is None else self.first.inputs

    @property
    def pass_name(self) -> str:
        return "" if self.first is None else self.first.pass_name

    def __str__(self) -> str:
        width = max(len(rung.name) for rung in self.rungs)
        lines = [f"triage of {self.name}", *(f"  {rung.name:{width}}  {rung.told or 'the same'}" for rung in self.rungs)]
        if self.rung is None:
            return "\n".join([*lines, "Nothing differs on any rung."])
        lines.append(f"The first rung that differs is {self.rung!r}: {self.blame}.")
        if self.first is not None:
            lines += self.first.lines()
        if self.place:
            lines.append(f"The user's line: {self.place}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Triage of {self.name}: {'nothing differs' if self.rung is None else self.rung}>"


class Problem:
    """A function, its arguments, and what it is to give."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], ulp: float, seconds: float) -> None:
        self.given = function
        self.plain = function.__wrapped__ if isinstance(function, CompiledFunction) else function
        self.options = dict(function._options) if isinstance(function, CompiledFunction) and hasattr(function, "_options") else {}
        self.args, self.kwargs = copied((args, kwargs))
        self.ulp = ulp
        self.seconds = seconds
        self.name = name_of(function) if isinstance(function, CompiledFunction) else getattr(self.plain, "__qualname__", type(self.plain).__name__)
        self.on_device = any(getattr(value, "device", "cpu") != "cpu" for _, value in leaves((args, kwargs), "") if is_array(value)) or _device() != "cpu"
        self.device = self.where() if self.on_device else "cpu"
        self.isolated = not self.on_device or _is_simulated()
        self.wanted = self.outcome(self.plain, written=True)

    def where(self) -> str:
        homes = [str(getattr(value, "device", "cpu")) for _, value in leaves((self.args, self.kwargs), "") if is_array(value)]
        return next((home for home in homes if home != "cpu"), _device())

    def outcome(self, function: Callable[..., Any], *, written: bool = False) -> tuple[Any, Any, str]:
        """(the result, the arguments afterwards, the name of what it raised)"""
        given = copied((self.args, self.kwargs))
        with saved_draws(), numpy.errstate():
            try:
                if written:
                    with _control.as_written():
                        return function(*given[0], **given[1]), given, ""
                return function(*given[0], **given[1]), given, ""
            except Exception as error:  # noqa: BLE001  # compared as well
                return None, given, type(error).__name__ + (f": {error}" if not written else "")

    def differs(self, function: Callable[..., Any], turns: int = 2) -> str:
        """What is otherwise than as written, in words; empty: nothing."""
        result, given, error = self.wanted
        for _ in range(turns):
            now, after, raised = self.outcome(function)
            if raised.partition(":")[0] != error:
                return f"raises {raised}" if raised else f"raises nothing, and {error} as written"
            for path, one, other in (("the result", now, result), ("the arguments", after, given)):
                found = difference(one, other, path, self.ulp)
                if found is not None:
                    return found.told("compiled", "as written")
        return ""

    def compiled(self, backend: str) -> Any:
        return compile_function(self.plain, **{**self.options, "backend": backend, "adaptive": False, "background": False})

    def be_patient(self, seconds: float) -> None:
        """From now on for as long as what is as slow as this may take."""
        self.seconds = min(self.seconds, 2.0 + 20.0 * seconds)

    def tried(self, work: Callable[[_children.Tell], str]) -> tuple[str, str]:
        """(what went wrong, how)"""
        ended = _children.run(work, self.seconds) if self.isolated else _children.Ended("done", work(lambda value: None))
        if ended.how == "done":
            return ended.value, "done" if not ended.value else "raised" if ended.value.startswith("raises ") else "differs"
        return {"raised": "", "died": "the process died: ", "hung": "it does not end: "}[ended.how] + ended.text, ended.how

    def on_rung(self, backend: str) -> tuple[str, str]:
        def work(tell: _children.Tell) -> str:
            os.environ["FASTNP_CACHE_DIR"] = ""
            _control.reset()
            return self.differs(self.compiled(backend))

        return self.tried(work)

    def from_disk(self) -> tuple[str, str]:
        def work(tell: _children.Tell) -> str:
            _control.reset()
            return self.differs(self.compiled("llvm"))

        return self.tried(work)


def _device() -> str:
    from fastnp._device import current_device

    return current_device()


def _is_simulated() -> bool:
    """Whether devices are played by the host, and are there in a child, too."""
    from fastnp.cuda import devices  # where something lies on a device

    return any(each.model == "simulated" for each in devices())


def _by_numpy(function: Any) -> Any:
    """The function with NumPy in the place of this package, or None."""
    import sys

    package = sys.modules["fastnp"]
    if type(function) is not types.FunctionType:
        return None
    space = {name: numpy if value is package else value for name, value in function.__globals__.items()}
    cells = tuple(types.CellType(numpy) if cell_value(cell) is package else cell for cell in function.__closure__ or ())
    made = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def cell_value(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _against_numpy(problem: Problem) -> str:
    function = _by_numpy(problem.plain)
    if function is None or problem.on_device:
        return ""

    def host(value: Any) -> Any:
        if type(value) is _core.ndarray:
            return numpy.asarray(value).copy()
        if type(value) in (list, tuple):
            return type(value)(map(host, value))
        return {key: host(item) for key, item in value.items()} if type(value) is dict else value

    args, kwargs = host(copied((problem.args, problem.kwargs)))
    try:
        with saved_draws(), numpy.errstate(all="ignore"):
            result = function(*args, **kwargs)
    except Exception:  # noqa: BLE001  # names that NumPy has not
        return ""
    found = difference(problem.wanted[0], result, "the result", problem.ulp) if not problem.wanted[2] else None
    return "" if found is None or found.index is None else found.told("as written", "by NumPy")


def captured(problem: Problem) -> list[tuple[Graph, list[Any]]]:
    """The graphs of the function as they are recorded, with what they are given."""
    found: list[tuple[Graph, list[Any]]] = []

    def backend(graph: Graph, examples: Any) -> Any:
        def run(*arrays: Any) -> Any:
            if not any(known is graph for known, _ in found):
                found.append((graph, [numpy.array(on_host(each)) for each in arrays]))
            return graph.run(*arrays)

        return run

    name = "fastnp.debug.triage"
    register_backend(name, backend, recorded=True)
    try:
        problem.outcome(compile_function(problem.plain, **{**problem.options, "backend": name, "dynamic": None, "fullgraph": False, "adaptive": False}))
    finally:
        register_backend(name, None)
    return found


def rungs_of(problem: Problem) -> list[str]:
    """The back ends of fastnp's own, but for those that a device has not, or has no other code with (docs/users/back-ends.md)."""
    without = {"a user's", "interpreted", "LLVM without passes"} if problem.on_device else {"a user's"}
    return [name for name in list_backends() if backend_info(name).kernels not in without]


def triage(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, ulp: float, seconds: float, first_alone: bool = False) -> Triage:
    """What `debug.triage` gives. `first_alone`: no rung is tried after one that differs."""
    check_unrecorded("debug.triage")
    problem = Problem(function, args, kwargs, ulp, seconds)
    made = Triage(problem.name)

    def note(name: str, told: str, how: str) -> bool:
        made.rungs.append(Rung(name, told, how))
        if told and made.rung is None:
            made.rung, made.how, made.told = name, how, told
        return bool(told)

    note("as written", told := _against_numpy(problem), "differs" if told else "done")
    if problem.isolated and made.rung is None:
        from fastnp import _triage_derivatives  # where one is looked at

        if (derivative := _triage_derivatives.checked(problem)) is not None:
            note("derivative", derivative.told, "differs" if derivative.told else "done")
            made.first = derivative.first
    usual = 0.0
    for name in track(rungs_of(problem), f"triage of {problem.name}"):
        begin = time.monotonic()
        is_wrong = note(name, *problem.on_rung(name))
        usual = max(usual, time.monotonic() - begin) if not is_wrong else usual
        if made.how == "hung":
            problem.be_patient(usual)
        if is_wrong and first_alone:
            break
    if made.rung is None and _core._keeps_notes():
        note("disk cache", *problem.from_disk())
    if made.rung is None and isinstance(function, CompiledFunction) and function.cache_info().currsize:
        note("kept entries", *problem.tried(lambda tell: problem.differs(function, 1)))
    if made.rung in rungs_of(problem) and made.rung != "eager":
        _find_op(problem, made)
    if made.rung in rungs_of(problem) and made.first is None:
        from fastnp import _first_line  # where it is needed

        made.place = _first_line.found(problem, str(made.rung))
    return made


def _find_op(problem: Problem, made: Triage) -> None:
    for graph, arrays in captured(problem):
        first = first_op(graph, arrays, str(made.rung), problem)
        if first is not None:
            made.first, made.place = first, first.place
            made.graph, made.arrays = first.graph, arrays
            return
