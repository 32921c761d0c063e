"""What users say about which functions are compiled: kept here, asked by _capture.py, and told in ``fastnp.compiler``."""

from __future__ import annotations

import functools
import os
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fastnp import _core
from fastnp._core import CompiledFunction
from fastnp._disabled import Pattern, caller, disallowed, is_disabled as is_disabled, patterns, why_disabled, why_disallowed as why_disallowed

compiled_functions: weakref.WeakSet[Any] = weakref.WeakSet()
held: list[list[Any]] = []  # by debug folders: functions that live as long as each
debug_is_due = bool(os.environ.get("FASTNP_DEBUG"))  # as the first function is compiled
minify_is_due = bool(os.environ.get("FASTNP_MINIFY"))  # as well
allowed: weakref.WeakSet[Any] = weakref.WeakSet()
made_watchers: list[Callable[[Any], None]] = []  # of compiled functions, as they are made
checks_promises = int(os.environ.get("FASTNP_CHECK_PURE", "0") not in ("", "0"))  # of functions that are pure
guard_watchers: list[Callable[[Any, str], None]] = []  # of functions whose guards fail, with what changed


def refuse(what: str) -> Any:
    from fastnp._stand_ins import refuse  # not needed to import fastnp

    return refuse(what)


def reset() -> None:
    """Forgets all that was compiled, of every compiled function.

    The next calls record and compile anew. Code that is kept on disk stays there, and is found again.

    Returns
    -------
    None
        Each function's `cache_info` begins anew.

    See Also
    --------
    compiler.CompiledFunction.cache_clear

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: x + 1)
    >>> f(np.ones(2))
    array([2., 2.])
    >>> np.compiler.reset()
    >>> f.cache_info().currsize
    0
    """
    for function in list(compiled_functions):
        function.cache_clear()


class Transformed:
    """A function made of another one by a transform (grad, vmap, ...): in a compiled function it is made anew, of what stands for the other one."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def functions(self) -> tuple[Any, ...]:
        """What it is made of, which may be other functions where it is recorded."""
        return (self.function,)

    def replace(self, functions: tuple[Any, ...]) -> None:
        """Takes these in their place."""
        (self.function,) = functions

    def blank(self) -> Transformed:
        """The same transform, whose functions are replaced next."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made


class Handle:
    """What `disable` and `disallow_in_graph` give: what was said lasts until ``remove()``.

    As a context (``with``) it lasts as long as that. Without either it lasts for the process.

    See Also
    --------
    compiler.disable, compiler.disallow_in_graph

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: np.arctan(x) * 2)
    >>> with np.compiler.disallow_in_graph("arc*"):
    ...     f(np.zeros(2))
    array([0., 0.])
    >>> handle = np.compiler.disallow_in_graph(np.sin)
    >>> handle.remove()
    """

    def __init__(self, undo: Callable[[], None]) -> None:
        self._undo: Callable[[], None] | None = undo

    def remove(self) -> None:
        if self._undo is not None:
            self._undo()
            self._undo = None
            reset()

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class Disabled:
    """A function that is not compiled, nor recorded as a part of one that is."""

    def __init__(self, function: Callable[..., Any], recursive: bool) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._recursive = recursive
        self._place = caller()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _core._is_recording():
            return refuse(f"calls {getattr(self, '__qualname__', self)}, which is {why_disabled(self)}")
        if not self._recursive:
            return self._function(*args, **kwargs)
        with as_written():
            return self._function(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)


@contextmanager
def as_written() -> Iterator[None]:
    """A context in which compiled functions run as written, in this thread.

    It is for finding out whether compiling changes a result, and for debuggers. FASTNP_DISABLE=1 does
    so for the whole process.

    Yields
    ------
    None
        Nothing; ``with np.compiler.as_written():``.

    See Also
    --------
    compiler.disable, compiler.run

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: x + 1)
    >>> with np.compiler.as_written():
    ...     f(np.ones(2))
    array([2., 2.])
    >>> f.cache_info().compiles
    0
    """
    before = _core._set_as_written(True)
    try:
        yield
    finally:
        _core._set_as_written(before)


def disable(function: Any = None, /, *, recursive: bool = True, module: str | None = None, file: str | None = None, namespace: str | None = None) -> Any:
    """Keeps functions from being compiled: ``@disable``, ``disable(f)``, ``disable(module="package.sub.*")``.

    Compiled functions that call them do so between compiled parts. `explain` and the log of breaks say
    which one was met, and where it was disabled.

    Parameters
    ----------
    function : callable, optional
        The function. Of a compiled one, the function as written is given.
    recursive : bool, default True
        Whether compiled functions that it calls run as written, too.
    module : str, optional
        A pattern of module names or files instead of a function: all functions from there are meant.
    file : str, optional
        A pattern of files, whole (``"*/legacy/*.py"``) or from a folder on (``"legacy/*.py"``).
    namespace : str, optional
        A pattern of module and qualified name: ``"package.module.Class.*"``. With several patterns, all
        have to match.

    Returns
    -------
    callable or Handle
        The function that is not compiled; with patterns a handle, whose ``remove()`` ends it, also as
        a context.

    Raises
    ------
    TypeError
        For a function and patterns at once, and for patterns that are no text.

    See Also
    --------
    compiler.graph_break, compiler.as_written, compiler.pure

    Examples
    --------
    >>> import fastnp as np
    >>> @np.compiler.disable
    ... def logged(x):
    ...     return x + 1
    >>> f = np.compile(lambda x: logged(x * 2) * 3)
    >>> f(np.ones(2))
    array([9., 9.])
    >>> with np.compiler.disable(namespace="*.Model.*"):
    ...     f(np.ones(2))
    array([9., 9.])
    """
    given = module, file, namespace
    if any(each is not None for each in given):
        if function is not None or any(not isinstance(each, (str, type(None))) for each in given):
            raise TypeError("disable() takes a function, or patterns as text")
        pattern = Pattern(*given, caller())
        patterns.append(pattern)
        reset()
        return Handle(lambda: patterns.remove(pattern))
    if function is None:
        return functools.partial(disable, recursive=recursive)
    if isinstance(function, CompiledFunction):
        function = function.__wrapped__
    return Disabled(function, recursive)


def allow_in_graph(function: Callable[..., Any]) -> Callable[..., Any]:
    """Has a function recorded without a look at what it reads besides its arguments.

    The caller promises that its results depend on its arguments alone, and that it changes nothing
    else; ``compile(..., verify=n)`` checks that.

    Parameters
    ----------
    function : callable
        The function.

    Returns
    -------
    callable
        The same function.

    See Also
    --------
    compiler.pure, compiler.disallow_in_graph

    Examples
    --------
    >>> import fastnp as np
    >>> scale = [2.0]
    >>> @np.compiler.allow_in_graph
    ... def scaled(x):
    ...     return x * scale[0]
    >>> np.compile(lambda x: scaled(x) + 1)(np.ones(2))
    array([3., 3.])
    """
    allowed.add(function)
    reset()
    return function


class Pure:
    """A function that compiled ones call as it is, between compiled code."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _core._records():
            from fastnp import _mapped, _outside  # not needed to import fastnp

            given = args, kwargs
            if _outside.holds_recorded(given) if _core._is_recording() else _mapped.is_active() and _mapped.depends(given):
                return _outside.Outside(str(getattr(self, "__qualname__", self)), _outside.on_copies(self._function), native=True)(*args, **kwargs)
        return promised(self._function, lambda given: given, args, kwargs) if checks_promises else self._function(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)


def promised(function: Callable[..., Any], take: Callable[[Any], Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a function that is pure, which is checked for being so."""
    from fastnp import _promises  # where somebody wants to know

    return _promises.call(function, take, args, kwargs)


def pure(function: Callable[..., Any]) -> Callable[..., Any]:
    """Has compiled functions call a function as it is. (jax.pure_callback, without a shape to declare)

    ``pure(scipy.special.erf)``, ``@pure``. What comes before and after its calls is compiled.

    Parameters
    ----------
    function : callable
        A function whose result depends on its arguments alone, and that changes nothing. It gets
        copies of arrays, which can't be written to.

    Returns
    -------
    callable
        A function that gives what `function` gives: arrays, numbers, None, text, and tuples and lists
        of these, in memory of their own.

    See Also
    --------
    compiler.allow_in_graph, effect

    Examples
    --------
    >>> import fastnp as np
    >>> import numpy
    >>> @np.compiler.pure
    ... def largest(x):
    ...     return float(numpy.max(x))
    >>> np.compile(lambda x: x / largest(x))(np.array([1.0, 4.0]))
    array([0.25, 1.  ])
    """
    return Pure(function)


def disallow_in_graph(*operations: Any) -> Handle:
    """Has compiled functions leave operations to NumPy, between compiled parts.

    Parameters
    ----------
    *operations : callable or str
        Ufuncs and functions of NumPy and fastnp, or names and patterns (``"arc*"``).

    Returns
    -------
    Handle
        Its ``remove()`` ends it; as a context it is for that scope, of the program that calls compiled
        functions. All that was compiled is forgotten at both ends.

    Raises
    ------
    RecordError
        In a compiled function with ``fullgraph=True``. Without, the function runs as written there.

    See Also
    --------
    compiler.disable, compiler.allow_in_graph

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: np.arctan(x) * 2)
    >>> with np.compiler.disallow_in_graph(np.arctan):
    ...     f(np.zeros(2))
    array([0., 0.])
    """
    names = [each if isinstance(each, str) else each.__name__ for each in operations]
    if _core._is_recording():
        return refuse("uses compiler.disallow_in_graph, which is for who calls compiled functions")  # type: ignore[no-any-return]  # it raises, as a rule
    set_here = [(name, caller()) for name in names]

    def undo() -> None:
        _core._allow(names)
        for each in set_here:
            disallowed.remove(each)

    _core._disallow(names)
    disallowed.extend(set_here)
    reset()
    return Handle(undo)


def graph_break() -> None:
    """Has a compiled function end a compiled part here and begin another one.

    Outside of compiled functions it does nothing. With ``fullgraph=True`` it is a RecordError.

    Returns
    -------
    None
        The function goes on.

    Raises
    ------
    RecordError
        In a compiled function with ``fullgraph=True``.

    See Also
    --------
    compiler.disable, explain

    Examples
    --------
    >>> import fastnp as np
    >>> @np.compile
    ... def f(x):
    ...     y = x + 1
    ...     np.compiler.graph_break()
    ...     return y * 2
    >>> f(np.ones(2))
    array([4., 4.])
    """
    if _core._is_recording():
        refuse("asks for it with graph_break()")


def run(function: Any) -> Any:
    """The compiled function as it is now: it compiles nothing.

    Calls that nothing is compiled for run as written: for programs that must not stop to compile.

    Parameters
    ----------
    function : CompiledFunction
        What `compile` gave.

    Returns
    -------
    CompiledFunction
        A function over the same compiled code.

    Raises
    ------
    TypeError
        For other functions.

    See Also
    --------
    compile, compiler.as_written

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: x + 1)
    >>> f(np.ones(2))
    array([2., 2.])
    >>> g = np.compiler.run(f)
    >>> g(np.ones((2, 2), dtype=np.float32)).dtype
    dtype('float32')
    """
    if not isinstance(function, CompiledFunction):
        raise TypeError(f"run() takes a compiled function, not {function!r}")
    return function._frozen()
