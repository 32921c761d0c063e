"""Safety nets: where a NaN comes from, whether compiled code gives what the function as written gives, indices, runs that repeat to the bit."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from typing import Any

from fastnp import _core
from fastnp._checks import Bounds, Check, MismatchError
from fastnp._fallback import check_unrecorded
from fastnp._nans import Decorator, Nans
from fastnp._promises import PromiseError

__all__ = ["MismatchError", "PromiseError", "bounds", "check", "deterministic", "is_deterministic", "nans"]

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
