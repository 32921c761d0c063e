# mypy: disable-error-code="overload-overlap"
"""The decorator ``compile``. The calls themselves are C++ (python/compiled_call.cpp)."""

from __future__ import annotations

import functools
import importlib
import marshal
import os
import pickle
import sys
import types
from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from fastnp import _control, _core, _dynamic, _fork  # noqa: F401  (_fork: what a fork needs)
from fastnp._control import Disabled, compiled_functions, made_watchers
from fastnp._core import CompiledFunction
from fastnp._dynamic import Dim

__all__ = ["Dim", "compile"]

# As functools.lru_cache's, with the number of compilations and of calls that ran as written. Calls in parts are hits.
CacheInfo = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize", "compiles", "uncompiled"])

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Compiler(Protocol):
    """What ``compile(...)`` without a function gives: a decorator."""

    @overload  # also a Callable, which comes last
    def __call__(self, function: staticmethod[P, R], /) -> staticmethod[P, R]: ...
    @overload
    def __call__(self, function: classmethod[T, P, R], /) -> classmethod[T, P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> CompiledFunction[P, R]: ...


@overload
def compile(
    function: None = None,
    /,
    *,
    backend: str = "llvm",
    dynamic: Mapping[Any, Any] | bool | None = None,
    fullgraph: bool = False,
    name: str | None = None,
    cache_size_limit: int = 8,
    on_limit: str = "generalise",
    verify: int = 0,
    adaptive: bool | None = None,
    background: bool = False,
    nopython: bool = False,
) -> Compiler: ...
@overload
def compile(function: staticmethod[P, R], /) -> staticmethod[P, R]: ...
@overload
def compile(function: classmethod[T, P, R], /) -> classmethod[T, P, R]: ...
@overload
def compile(
    function: Callable[P, R],
    /,
    *,
    backend: str = "llvm",
    dynamic: Mapping[Any, Any] | bool | None = None,
    fullgraph: bool = False,
    name: str | None = None,
    cache_size_limit: int = 8,
    on_limit: str = "generalise",
    verify: int = 0,
    adaptive: bool | None = None,
    background: bool = False,
    nopython: bool = False,
) -> CompiledFunction[P, R]: ...
def compile(
    function: Any = None,
    /,
    *,
    backend: str = "llvm",
    dynamic: Mapping[Any, Any] | bool | None = None,
    fullgraph: bool = False,
    name: str | None = None,
    cache_size_limit: int = 8,
    on_limit: str = "generalise",
    verify: int = 0,
    adaptive: bool | None = None,
    background: bool = False,
    nopython: bool = False,
) -> Any:
    """Compiles a function over arrays on first use, once for each kind of arguments.

    ``@compile`` or ``@compile(backend="eager")``. The compiled function gives what the function as
    written would give. NumPy arrays in give NumPy arrays out, fastnp arrays in give fastnp arrays out.
    What can't be compiled (calls of disabled functions and of extensions, files, clocks, logs) is done
    by Python in its place, with compiled parts between; loops of many turns stay loops around one.

    Parameters
    ----------
    function : callable, optional
        The function, or method. None: a decorator is given.
    backend : str, default 'llvm'
        What is made of the operations: native code, or a rung of the ladder that
        `compiler.list_backends` names, such as 'eager' (the recorded operations one by one).
    dynamic : bool, mapping or None, optional
        Which sizes may vary without a new compilation: all (True), none (False), those that turn out
        to (None), or named ones (`Dim`), by parameter and axis. Python numbers, among the arguments
        and in places that the function reads, are inputs once they had two values (but with False).
    fullgraph : bool, default False
        Whether what can't be compiled is a RecordError that lists all of it; loops are unrolled.
    name : str, optional
        What it is called in explanations and profiles. None: as the function.
    cache_size_limit : int, default 8
        How many kinds of calls are kept; entries that differ in values read count as one.
    on_limit : {'generalise', 'evict', 'eager', 'error'}, default 'generalise'
        What is done beyond: drop what was not called for longest ('generalise' only when it has been
        idle for a while, else the call runs as written), run the call as written, or raise.
    verify : int, default 0
        Every so many calls are recorded once more, and compared.
    adaptive : bool, optional
        Whether functions in parts are timed both ways, and run as written where that is faster. False:
        always in parts, compiled at once. None: as FASTNP_ADAPTIVE says, else True.
    background : bool, default False
        Whether machine code is made in a thread of its own; calls run as written until it is there.
    nopython : bool, default False
        True: the same as ``fullgraph=True``, by Numba's name.

    Returns
    -------
    CompiledFunction
        Called as the function is.

    Raises
    ------
    ValueError
        For a back end of another name; the message lists them.
    RecordError
        By calls, with `fullgraph`.
    CacheLimitError
        By calls, with ``on_limit="error"``.
    VerifyError
        By calls, with `verify`: where the function has come to depend on something not guarded.

    Notes
    -----
    Adaptive decisions are made once for a kind of calls, and kept on disk. Parts and values read are
    compiled while that takes less than 0.1 s and a quarter of what the calls take.

    See Also
    --------
    explain, grad, vmap, compiler.disable, compiler.list_backends

    Examples
    --------
    >>> import fastnp as np
    >>> @np.compile
    ... def norm(x):
    ...     return np.sqrt(np.sum(x * x))
    >>> norm(np.array([3.0, 4.0]))
    np.float64(5.0)
    >>> norm.cache_info().compiles
    1
    """
    fullgraph = fullgraph or nopython
    if function is None:
        return functools.partial(
            compile,
            backend=backend,
            dynamic=dynamic,
            fullgraph=fullgraph,
            name=name,
            cache_size_limit=cache_size_limit,
            on_limit=on_limit,
            verify=verify,
            adaptive=adaptive,
            background=background,
        )
    options: dict[str, Any] = {
        "backend": backend,
        "dynamic": dynamic,
        "fullgraph": fullgraph,
        "name": name,
        "cache_size_limit": cache_size_limit,
        "on_limit": on_limit,
        "verify": verify,
        "adaptive": adaptive,
        "background": background,
    }
    if isinstance(function, CompiledFunction):
        function = function.__wrapped__
    if isinstance(function, Disabled):
        return function
    if isinstance(function, types.MethodType):
        return compile(function.__func__, **options).__get__(function.__self__)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(compile(function.__func__, **options))
    return make(function, options, None)


def make(function: Any, options: dict[str, Any], split: Any) -> Any:
    """The compiled function. `split`: of a part of another one, what it calls when it breaks."""
    dynamic = options["dynamic"]
    _dynamic.check(dynamic)
    title = options["name"] or str(getattr(function, "__name__", type(function).__name__))
    named = dynamic if isinstance(dynamic, Mapping) else None
    code = getattr(function, "__code__", None)
    if _control.debug_is_due:
        from fastnp._debug import begin_by_environment  # where FASTNP_DEBUG is set

        begin_by_environment()
    if _control.minify_is_due:
        from fastnp import _minify_all  # where FASTNP_MINIFY is set

        _control.minify_is_due = False
        _minify_all.begin()
    compiled = CompiledFunction(
        function,
        options["backend"],
        _dynamic.named_sizes(named, function),
        options["fullgraph"],
        title,
        options["cache_size_limit"],
        options["on_limit"],
        options["verify"],
        "always" if dynamic is True else "never" if dynamic is False else "automatic",
        split or Split(function, options, title),
        split is not None,
        f"{code.co_filename}:{code.co_firstlineno}".encode("utf-8", "backslashreplace").decode() if isinstance(code, types.CodeType) else "",
        os.environ.get("FASTNP_ADAPTIVE", "1") != "0" if options["adaptive"] is None else bool(options["adaptive"]),
        bool(options["background"]),
    )
    compiled_functions.add(compiled)
    for each in _control.held:
        each.append(compiled)
    for attribute in functools.WRAPPER_ASSIGNMENTS:
        if hasattr(function, attribute):
            setattr(compiled, attribute, getattr(function, attribute))
    vars(compiled).update(getattr(function, "__dict__", {}))
    vars(compiled)["_options"] = options
    for watcher in made_watchers:
        watcher(compiled)
    return compiled


class Split:
    """What a compiled function calls when a recording of it broke: it gives its parts, which may have a frame to call in place of the function.

    It keeps what was found of the function on disk, too.
    """

    __slots__ = ("called", "function", "options", "title", "written")

    def __init__(self, function: Any, options: dict[str, Any], title: str) -> None:
        self.function = function
        self.options = options
        self.title = title
        self.called: types.CodeType | None = None  # with loops, at whose call a recording ended
        self.written: set[int] | None = None  # kinds of calls that are faster as written, once they are asked for

    def __call__(self, parts: Any, traceback: Any, reason: str, is_long: bool, milliseconds: float) -> Any:
        from fastnp._parts import Parts  # where a function breaks

        if parts is None:
            parts = Parts(self.function, self.options, self.title)
        called, self.called = self.called, None
        parts.broke(getattr(self.function, "__code__", None), traceback, reason, is_long, milliseconds, called)
        return parts

    def loops(self, parts: Any, *arguments: Any) -> Any:
        """The parts with all loops that may be native code, or None: numbers that it reads differ from call to call. `arguments`: by position."""
        if not self.may_have_native_loops():
            return None
        from fastnp._parts import Parts  # where a function is recorded again

        parts = parts or Parts(self.function, self.options, self.title)
        return parts if parts.scan(arguments, True) else None

    def may_have_native_loops(self) -> bool:
        from fastnp._bytecode import has_loops  # where a function is first called

        return type(self.function) is types.FunctionType and _core._has_native_loops(self.options["backend"]) and has_loops(self.function.__code__)

    def note_called(self, code: types.CodeType, space: dict[str, Any]) -> bool:
        """Whether a function has loops that may be native code, which a recording comes upon."""
        from fastnp._source import has_native_loops  # once, in a recording

        if code is getattr(self.function, "__code__", None) or not has_native_loops(code, space) or _is_for_import():
            return False
        self.called = code
        return True

    def recall(self, *arguments: Any) -> Any:
        """The parts that are known from another process, or that loops over numbers are; or None. `arguments`: those of the call, by position."""
        code = getattr(self.function, "__code__", None)
        note = None if code is None or not _core._keeps_notes() else _core._kept_note(note_name(code))
        if note is None and not self.may_have_native_loops():
            return None
        from fastnp._parts import Parts  # where a function breaks

        parts = Parts(self.function, self.options, self.title)
        if note is None:
            return parts if parts.scan(arguments) else None
        parts.recall(note)
        return parts

    def faster_written(self) -> set[int]:
        if self.written is None:
            name = self.name_of_written()
            note = _core._kept_note(name) if name is not None else None
            self.written = set() if note is None else set(marshal.loads(note))
        return self.written

    def has_written(self) -> bool:
        return bool(self.faster_written())

    def is_faster_written(self, kind: int) -> bool:
        return kind in self.faster_written()

    def forget_written(self) -> None:
        self.written = None

    def keep_written(self, kind: int) -> None:
        written = self.faster_written()
        written.add(kind)
        if (name := self.name_of_written()) is not None:
            _core._keep_note(name, marshal.dumps(sorted(written)))

    def name_of_written(self) -> bytes | None:
        code = getattr(self.function, "__code__", None)
        return None if code is None or not _core._keeps_notes() else note_name(code) + b" written"


def _is_for_import() -> bool:
    """Whether a recording is in the midst of an import, whose hooks are no part of it."""
    frame, caller = sys._getframe(1), _core._caller_frame()
    while frame.f_back is not None and frame is not caller:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def note_name(code: types.CodeType) -> bytes:
    """Under which it is kept what was found of a function: all that its cut comes from, and may stay behind in its lines."""
    from fastnp._identity import code_text, environment  # where something is kept on disk

    return f"parts 6 {environment()} {code_text(code)} {code.co_linetable!r} {code.co_filename} {code.co_firstlineno}".encode("utf-8", "surrogatepass")


def _restore(module: str, qualified_name: str, options: dict[str, Any]) -> Any:
    found: Any = importlib.import_module(module)
    for part in qualified_name.split("."):
        found = getattr(found, part)
    return found if isinstance(found, CompiledFunction) else compile(found, **options)


def _is_found(compiled: Any) -> bool:
    """Whether its name leads to it, or to its function."""
    found: Any = sys.modules.get(compiled.__module__)
    for part in compiled.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is compiled or found is compiled.__wrapped__


def _goes_by_value(compiled: Any, pickler: dict[str, Any]) -> bool:
    """Whether cloudpickle, whose module it is that pickles, would send the function itself: where it goes there need be none of that name."""
    if "cloudpickle" not in str(pickler.get("__name__")):
        return False
    registered = pickler.get("list_registry_pickle_by_value", tuple)()
    return compiled.__module__ == "__main__" or not _is_found(compiled) or (compiled.__module__ or "").partition(".")[0] in registered


def _made(function: Any, options: dict[str, Any]) -> Any:
    return compile(function, **options)


def reduce(compiled: Any) -> Any:
    options = vars(compiled)["_options"]
    if _goes_by_value(compiled, sys._getframe(1).f_globals):
        return _made, (compiled.__wrapped__, options)
    if not _is_found(compiled):
        raise pickle.PicklingError(f"Can't pickle {compiled!r}: {compiled.__module__}.{compiled.__qualname__} is something else, or not there")
    return _restore, (compiled.__module__, compiled.__qualname__, options)
