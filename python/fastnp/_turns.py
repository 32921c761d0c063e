# mypy: disable-error-code="overload-overlap"
"""Loops and branches that stay what they are when they are recorded: scan, fori_loop, while_loop and cond, as jax.lax has them.

A body is recorded once, whatever the number of iterations, with its derivatives of both modes, to any order, and its batches. Bodies over numbers and over
elements of arrays become native code. Inside of compiled functions and transforms they are part of these; elsewhere they run by themselves, compiled
from the second time on. Loops that are written as such need none of them: see the page on loops. An array that a body takes elements of by a recorded
number is one of fastnp's (``fastnp.asarray``): NumPy's own reads that number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple, overload

import numpy

from fastnp import _core
from fastnp._transform import as_array, run
from fastnp._trees import leaves_of, map_leaves

__all__ = ["cond", "fori_loop", "scan", "while_loop"]

State = TypeVar("State")
Part = TypeVar("Part")
Collected = TypeVar("Collected")
R = TypeVar("R")
Operands = TypeVarTuple("Operands")


def _filled(tree: Any, leaves: list[Any]) -> Any:
    rest = iter(leaves)
    return map_leaves(lambda _: next(rest), tree)


def _arrays(tree: Any) -> list[Any]:
    return [as_array(leaf) for leaf in leaves_of(tree)]


@overload
def scan(
    f: Callable[[State, Any], tuple[State, float | complex | numpy.generic]],
    init: State,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    save_every: int = 0,
) -> tuple[State, _core.ndarray]: ...
@overload
def scan(
    f: Callable[[State, Any], tuple[State, Collected]],
    init: State,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    save_every: int = 0,
) -> tuple[State, Collected]: ...
def scan(
    f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any = None, length: int | None = None, reverse: bool = False, save_every: int = 0
) -> tuple[Any, Any]:
    """Iterates over the parts of arrays along their first axis, and collects what each iteration gives. (jax.lax.scan)

    Parameters
    ----------
    f : function of (state, part) that gives (next state, what is collected). Both are trees: arrays, or tuples, lists, dicts and dataclasses of arrays. A
        state keeps its shapes and dtypes; plain numbers are arrays of no axes. f reads no values (np.where and fastnp.cond choose by them).
    init : the first state.
    xs : arrays of one length; None: the parts are the numbers of the iterations.
    length : how many iterations there are, where xs does not say it.
    reverse : from the last part to the first.
    save_every : how many iterations lie between the states that a derivative in reverse mode keeps; 0: what memory allows.

    Returns
    -------
    (state, collected) : the last state, and the collected arrays along a new first axis.

    Raises
    ------
    ValueError : for arrays of different lengths, or none.
    TypeError : where an iteration changes a state's shape or dtype.

    Examples
    --------
    >>> import fastnp as np
    >>> last, sums = np.scan(lambda s, x: (s + x, s + x), 0.0, np.array([1.0, 2.0, 4.0]))
    >>> sums
    array([1., 3., 7.])
    """
    made: list[Any] = []

    def turn(states: list[Any], parts: list[Any]) -> tuple[list[Any], list[Any]]:
        given = f(_filled(init, states), _filled(pieces, parts))
        if not isinstance(given, tuple) or len(given) != 2:
            raise TypeError("scan: f is to give a pair, (next state, what is collected)")
        made[:] = [given[1]]
        return _arrays(given[0]), _arrays(given[1])

    def body() -> Any:
        arrays = _arrays(pieces)
        if length is not None and any(array.ndim > 0 and array.shape[0] != length for array in arrays):
            raise ValueError(f"scan: length is {length}, and xs has {arrays[0].shape[0]} parts")
        states, collected = _core._take_turns(_arrays(init), arrays, reverse, save_every, turn)
        return _filled(init, states), _filled(made[0], collected)

    if not leaves_of(xs) and length is None:
        raise ValueError("scan: there is no array whose first axis says how many iterations there are, and no length")
    pieces = xs if leaves_of(xs) else _numbers(length)
    return run(body, (init, xs), f)


def _numbers(count: Any) -> Any:
    """0, 1, 2 ... below a count, which may be a recorded value."""
    return _core._turn_numbers(count) if type(count) is _core.ndarray else _core.arange(count)


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, State], State], init_val: State) -> State:
    """The state after ``state = body_fun(i, state)`` for i from lower to upper - 1. (jax.lax.fori_loop)

    Parameters
    ----------
    lower, upper : int, or arrays of no axes of an integer dtype
        The bounds, which may differ from call to call of a compiled function.
    body_fun : callable
        A function of (i, state) that gives the next state: a tree, as `scan` has it.
    init_val : tree of arrays
        The first state.

    Returns
    -------
    tree of arrays
        The last state, in the form of `init_val`.

    Raises
    ------
    TypeError
        Where an iteration changes the state's shape or dtype.

    See Also
    --------
    scan, while_loop

    Examples
    --------
    >>> import fastnp as np
    >>> np.fori_loop(0, 5, lambda i, s: s * 2 + i, 1)
    np.int64(58)
    """

    def turn(states: list[Any], parts: list[Any]) -> tuple[list[Any], list[Any]]:
        return _arrays(body_fun(parts[0], _filled(init_val, states))), []

    def body() -> Any:
        states, _ = _core._take_turns(_arrays(init_val), [as_array(_numbers(upper - lower) + lower)], False, 0, turn)
        return _filled(init_val, states)

    last: State = run(body, (lower, upper, init_val), body_fun)
    return last


def while_loop(cond_fun: Callable[[State], Any], body_fun: Callable[[State], State], init_val: State) -> State:
    """The state after ``state = body_fun(state)``, as long as cond_fun(state) holds. (jax.lax.while_loop)

    Parameters
    ----------
    cond_fun : callable
        A function of the state that gives a bool, or an array of no axes.
    body_fun : callable
        A function of the state that gives the next one: a tree, as `scan` has it.
    init_val : tree of arrays
        The first state.

    Returns
    -------
    tree of arrays
        The last state, in the form of `init_val`.

    Raises
    ------
    TypeError
        Where an iteration changes the state's shape or dtype.

    Notes
    -----
    Reverse mode counts the iterations, then goes through as many again; not in the body of another
    loop (RecordError). Mapped parts stop one by one.

    See Also
    --------
    fori_loop, scan, cond

    Examples
    --------
    >>> import fastnp as np
    >>> np.while_loop(lambda x: x * x < 50, lambda x: x + 1, 0)
    np.int64(8)
    """

    def body() -> Any:
        states = _core._take_while(
            _arrays(init_val),
            lambda states: as_array(cond_fun(_filled(init_val, states))),
            lambda states: _arrays(body_fun(_filled(init_val, states))),
        )
        return _filled(init_val, states)

    last: State = run(body, init_val, (cond_fun, body_fun))
    return last


def cond(pred: Any, true_fun: Callable[[*Operands], R], false_fun: Callable[[*Operands], R], *operands: *Operands) -> R:
    """true_fun(*operands) where pred holds, else false_fun(*operands): one of them is run. (jax.lax.cond)

    Both are recorded. In a batch over preds both are run where any part takes them.

    Parameters
    ----------
    pred : bool, or array of no axes
        Which of them.
    true_fun, false_fun : callable
        Functions that give trees of the same shapes and dtypes.
    *operands
        What they are given.

    Returns
    -------
    tree of arrays
        What the chosen one gives.

    Raises
    ------
    TypeError
        For results of different shapes or dtypes.

    See Also
    --------
    where, while_loop

    Examples
    --------
    >>> import fastnp as np
    >>> np.cond(3 > 2, lambda x: x * 2.0, lambda x: x - 1.0, 5.0)
    np.float64(10.0)
    """
    made: list[Any] = []

    def branch(function: Callable[..., Any]) -> Callable[[], list[Any]]:
        def leaves() -> list[Any]:
            made[:] = [function(*operands)]
            return _arrays(made[0])

        return leaves

    def body() -> Any:
        leaves = _core._take_branch(as_array(pred), branch(true_fun), branch(false_fun))
        return _filled(made[0], leaves)

    chosen: R = run(body, (pred, operands), (true_fun, false_fun))
    return chosen
