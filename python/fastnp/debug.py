"""Safety nets: where a NaN comes from, whether compiled code gives what the function as written gives, indices, runs that repeat to the bit."""

from __future__ import annotations

import contextlib
import operator
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fastnp import _core
from fastnp._checks import Bounds, Check, MismatchError
from fastnp._fallback import check_unrecorded
from fastnp._nans import Decorator, Nans
from fastnp._promises import PromiseError

if TYPE_CHECKING:
    from fastnp._minify import Minified
    from fastnp._triage import Triage

__all__ = ["MismatchError", "PromiseError", "bounds", "check", "deterministic", "is_deterministic", "minify", "nans", "triage"]

for _error in (MismatchError, PromiseError):
    _error.__module__ = __name__  # where it is found


def nans(*, infs: bool = True) -> Any:
    """A context, or a decorator, in which the first NaN or infinity is an error that names its operation and line. (jax.debug_nans)

    Of a compiled function, results and what it wrote are looked at after each call. Where they have a NaN
    that the arguments had not, the function is run once more, as written, on copies of the arguments; the
    error says which operation made the first one, at which line. Outside of compiled functions, operations
    raise as under ``np.errstate(invalid="raise", divide="raise", over="raise")``. It is for this thread.

    Parameters
    ----------
    infs : bool, default True
        Whether infinities count, too.

    Returns
    -------
    context
        To be entered with ``with``, or to decorate a function.

    Raises
    ------
    FloatingPointError
        Within it.

    Notes
    -----
    What the function does besides (prints, files) is done twice in the call that raises. What operations
    make within ``np.errstate(invalid="ignore")`` in the function is found by its lines alone. Within
    ``np.device("cuda")`` only calls of compiled functions are looked at, and run once more on the host.

    See Also
    --------
    debug.check, errstate

    Examples
    --------
    >>> import fastnp as np
    >>> @np.compile
    ... def shifted(x):
    ...     y = x - 2
    ...     return np.sum(np.sqrt(y) * 3)
    >>> with np.debug.nans():
    ...     shifted(np.ones(3))
    Traceback (most recent call last):
    FloatingPointError: shifted: the result has a NaN; invalid value encountered in sqrt, at ...
    """
    return Decorator(lambda: Nans(bool(infs)))


def check(every: int = 1, *, ulp: float = 1024) -> Any:
    """A context, or a decorator, in which calls of compiled functions are compared with the functions as written.

    The function runs as written on copies of the arguments; results, and what was written to the arguments,
    are compared, and so is which exception is raised. Functions that are `compiler.pure` or
    `compiler.allow_in_graph` are checked for what that promises. It is for all threads.

    Parameters
    ----------
    every : int, default 1
        Every so many calls of a function are compared.
    ulp : float, default 1024
        How many units in the last place floating-point numbers may lie apart, those of the element or of the
        largest element of its array. 0: in no bit, but for those of a NaN.

    Returns
    -------
    context
        To be entered with ``with``, or to decorate a function.

    Raises
    ------
    ValueError
        For other numbers.
    debug.MismatchError
        Within it: it names the result, its first element that differs, and both values.
    debug.PromiseError
        Within it.

    Notes
    -----
    What a function does besides (prints, files, draws from generators that are no arguments) is done twice;
    the states of the global generators of NumPy and Python are put back in between.

    See Also
    --------
    debug.nans, compiler.as_written

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: np.sin(x) * 2)
    >>> with np.debug.check():
    ...     f(np.zeros(3))
    array([0., 0., 0.])
    """
    every = operator.index(every)
    if every < 1 or not ulp >= 0:
        raise ValueError(f"check(every={every}, ulp={ulp}): calls are counted from 1 on, and distances from 0 on")
    return Decorator(lambda: Check(every, float(ulp)))


def bounds() -> Any:
    """A context, or a decorator, in which errors of indices say more: the line, the sizes of its arrays, and its indices.

    Indices are checked everywhere, always: in compiled code and in native loops one that is out of bounds
    is NumPy's IndexError, at the line of the function, and nothing is read or written there. Within this
    context the error has a note with what is known at that line. It is for this thread.

    Returns
    -------
    context
        To be entered with ``with``, or to decorate a function.

    See Also
    --------
    debug.check, debug.nans

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x, i: x[i] * 2)
    >>> with np.debug.bounds():
    ...     try:
    ...         f(np.ones(3), np.array([5]))
    ...     except IndexError as error:
    ...         print(error, "|", error.__notes__[0].rpartition("; ")[2])
    index 5 is out of bounds for axis 0 with size 3 | i has shape (1,), [5])
    """
    return Decorator(Bounds)


@contextlib.contextmanager
def deterministic() -> Iterator[None]:
    """A context in which the same calls give the same bits, with any number of threads. FASTNP_DETERMINISTIC=1 is one for the process.

    On one machine, most are the same always: elementwise operations, sums and other reductions, sorts, draws,
    and native loops, with any number of threads. Within this context so are matrix products, solutions and
    factors, each computed by one thread; and no call is run as written because that was faster (its last
    digits may be others). Other machines' instructions may have other last digits (FASTNP_ISA). It is for
    all threads.

    Yields
    ------
    None
        Nothing; ``with np.debug.deterministic():``.

    See Also
    --------
    debug.is_deterministic, debug.check

    Examples
    --------
    >>> import fastnp as np
    >>> with np.debug.deterministic():
    ...     y = np.ones((200, 200)) @ np.ones((200, 200))
    >>> np.debug.is_deterministic()
    False
    """
    check_unrecorded("debug.deterministic")
    before = _core._set_deterministic(True)
    try:
        yield
    finally:
        _core._set_deterministic(before)


def is_deterministic() -> bool:
    """Whether results are the same with any number of threads.

    `deterministic` has them so within it, and FASTNP_DETERMINISTIC=1 in a process.

    Returns
    -------
    bool
        False unless one of the two asked for it: products and factors of large matrices, and which
        calls run as written, may then depend on threads and on time.

    See Also
    --------
    debug.deterministic

    Examples
    --------
    >>> import fastnp as np
    >>> with np.debug.deterministic():
    ...     np.debug.is_deterministic()
    True
    """
    return _core._is_deterministic()


def triage(function: Any, /, *args: Any, ulp: float = 1024, seconds: float = 60, **kwargs: Any) -> Triage:
    """Which rung of the ladder of back ends is the first that gives something else than the function as written.

    Each rung (`compiler.list_backends`) computes the call in a process of its own, on copies of the
    arguments; then what the disk cache has, and what earlier calls of a compiled function left. Results,
    what is written to the arguments, and exceptions are compared. Of the first rung that differs it
    finds the first operation that does, its operands, the user's line, and the pass that did it.

    Parameters
    ----------
    function : callable
        A function, compiled or not, or a transform of one.
    *args, **kwargs
        Those of the call.
    ulp : float, default 1024
        How many units in the last place floating-point numbers may lie apart; 0: in no bit.
    seconds : float, default 60
        How long a rung may take.

    Returns
    -------
    Triage
        What was found: ``print`` it. It is not raised as an error.

    Raises
    ------
    RecordError
        In a compiled function with ``fullgraph=True``.

    Notes
    -----
    The function as written is compared with NumPy as well, where it uses NumPy's names alone, and the
    gradient that it gives with differences. Where values lie on a CUDA device, rungs are tried in this process.

    See Also
    --------
    debug.minify, debug.check, compiler.list_backends

    Examples
    --------
    >>> import fastnp as np
    >>> print(np.debug.triage(lambda x: np.sin(x) * 2, np.ones(3)))
    triage of <lambda>
      as written   the same
      eager        the same
      aot_eager    the same
      interpreter  the same
      llvm-O0      the same
      llvm-nofuse  the same
      llvm         the same
    Nothing differs on any rung.
    """
    from fastnp._triage import triage  # where it is asked for

    return triage(function, args, kwargs, ulp=float(ulp), seconds=float(seconds))


def minify(
    function: Any,
    /,
    *args: Any,
    check: str | None = None,
    folder: str | os.PathLike[str] | None = ".",
    seconds: float = 120,
    ulp: float = 1024,
    limit: float | None = None,
    **kwargs: Any,
) -> Minified:
    """A program as small as can be found that fails as a call does, written as ``repro.py`` and ``repro.cpp``.

    `triage` finds the rung that differs. Operations, sizes, dtypes and values are then left out and made
    simpler while it goes on failing, each time in a process of its own. Where the fault is in what was
    recorded, the statements and operations of the function's source are. The programs need nothing
    else, and end with status 1 while the fault is there.

    Parameters
    ----------
    function : callable
        A function, compiled or not, or a transform of one.
    *args, **kwargs
        Those of the call.
    check : {'accuracy', 'crash', 'slowness', 'compile time'}, optional
        What fails: it differs from the function as written; the process dies, waits, or an error is
        raised; it is slower than operation by operation; the first call takes long. None: one of the first two.
    folder : path or None, default '.'
        Where the programs are written. None: they are not.
    seconds : float, default 120
        How long it may take.
    ulp : float, default 1024
        How many units in the last place floating-point numbers may lie apart; 0: in no bit.
    limit : float, optional
        From when on it is slow: 1.5 times the time of the operations one by one; 1 s of compiling.

    Returns
    -------
    Minified
        What is left: ``print`` it.

    Raises
    ------
    ValueError
        Where nothing fails, and for another `check`.
    RecordError
        In a compiled function with ``fullgraph=True``.

    Notes
    -----
    FASTNP_MINIFY=accuracy, or =crash, has a process look at each new kind of call of its compiled
    functions, and minify the first one that fails, into the folder FASTNP_MINIFY_FOLDER (by default ``.``).

    See Also
    --------
    debug.triage, debug.check

    Examples
    --------
    >>> import fastnp as np
    >>> try:
    ...     np.debug.minify(lambda x: np.sin(x) * 2, np.ones(3))
    ... except ValueError as error:
    ...     print(error)
    nothing fails: <lambda> gives the same on every rung
    """
    from fastnp._minify import minify  # where it is asked for

    chosen = {"slowness": 1.5}.get(check or "", 1.0) if limit is None else float(limit)
    return minify(function, args, kwargs, check=check, folder=folder, seconds=float(seconds), ulp=float(ulp), limit=chosen)
