# mypy: disable-error-code="overload-overlap"
"""Functions in two stages: vjp and linearize compute the result, and give a linear function that may be called later."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, overload

import numpy

from fastnp import _core, _rolled
from fastnp._transform import Marks, as_array, computed_tree, scalar_like, split_aux, taped
from fastnp._transform_types import Aux, Function, Primals, Pullback, R
from fastnp._trees import children_of, leaves_of, map_leaves, with_children


class Second:
    """The second stage of vjp() and linearize(): a linear function, which may be called any number of times."""

    def __init__(self, name: str, inputs: Any, later: Callable[[list[Any]], list[Any]], results: Any, as_numpy: bool) -> None:
        self.name = name
        self.inputs = inputs  # a tree of (shape, dtype)
        self.later = later
        self.results = results  # a tree of whether a result is a NumPy scalar
        self.as_numpy = as_numpy
        self.saved_bytes = 0
        self.read_bytes = 0
        self.recomputed = 0

    def on_tape(self, arrays: list[Any]) -> None:
        """It was recorded on the tape of these arrays, and goes on there."""
        later = self.later
        self.later = lambda values: later(values) if _core._records() else _core._on_tape(arrays, lambda: later(values))

    def __repr__(self) -> str:
        kept = f"{self.saved_bytes} bytes kept for it, of {self.read_bytes} that it reads"
        return f"<the function that {self.name}() gave; {kept}; {self.recomputed} ops computed again>"

    def __call__(self, *given: Any) -> Any:
        wanted = self.inputs if self.name == "linearize" else (self.inputs,)
        if len(given) != len(wanted):
            raise TypeError(f"{self.name}: its function takes {len(wanted)} argument{'s' * (len(wanted) != 1)}, not {len(given)}")
        arrays: list[Any] = []

        def take(form: Form, value: Any) -> None:
            array = as_array(value)
            if array.shape != form.shape:
                raise ValueError(f"{self.name}: its function was given an array of shape {array.shape} for one of shape {form.shape}")
            if form.is_inexact:
                arrays.append(array.astype(form.dtype))

        map_forms(take, wanted, given)
        on_tape = taped(arrays, None)
        found = iter(_core._on_tape(on_tape, lambda: self.later(arrays)) if on_tape else self.later(arrays))

        def put(form: Form) -> Any:
            if not form.is_inexact:
                return _core.zeros(form.shape, form.dtype)
            array = next(found)
            if form.is_scalar:
                return array[()]
            return numpy.asarray(array) if self.as_numpy and not _core._records() else array

        return map_forms(put, self.results)


class Form:
    """The type of an array of a tree."""

    __slots__ = ("dtype", "is_inexact", "is_scalar", "shape")

    def __init__(self, leaf: Any) -> None:
        array = as_array(leaf)
        self.shape = array.shape
        self.dtype = array.dtype
        self.is_inexact = array.dtype.kind in "fc" or array.dtype.name == "bfloat16"
        self.is_scalar = scalar_like(leaf)


def map_forms(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    if isinstance(tree, Form):
        return function(tree, *others)
    children = children_of(tree)
    if children is None:
        return tree
    rows = [children_of(other) for other in others]
    if any(row is None or len(row) != len(children) for row in rows):
        raise ValueError(f"trees do not fit: a {type(tree).__name__} of {len(children)}, and {others[0]!r}")
    return with_children(tree, [map_forms(function, *parts) for parts in zip(children, *rows, strict=True)])


def in_two(name: str, fun: Function, primals: tuple[Any, ...], has_aux: bool, memory_budget: int | None) -> Any:
    """fun(*primals), and a function that is linear in what it is given later."""
    on_tape = taped(primals, fun)
    if on_tape:
        found = _core._on_tape(on_tape, lambda: in_two(name, fun, primals, has_aux, memory_budget))
        found[1].on_tape(on_tape)
        return found
    is_reverse = name == "vjp"
    made: dict[str, Any] = {}

    def body() -> Any:
        marks = Marks()
        given = [marks.add(primal, f"{name}: argument {number}") for number, primal in enumerate(primals)]
        result, aux = split_aux(name, _rolled.rolled(fun)(*given), has_aux)
        marks.write_back()
        leaves = [leaf for leaf in leaves_of(result) if Form(leaf).is_inexact]
        outputs = [as_array(leaf) for leaf in leaves]
        forms = map_leaves(Form, result), map_leaves(Form, primals)
        made.update(result=result, aux=aux, forms=forms if is_reverse else forms[::-1])
        later = functools.partial(_core._pull_back if is_reverse else _core._push_forward, marks.marks, outputs)
        arrays = [leaf for leaf in leaves_of((result, aux)) if type(leaf) is _core.ndarray]
        made["scalars"] = list(map(_core._is_scalar, arrays))
        return arrays, outputs if is_reverse else marks.marks, later

    given = leaves_of(primals)
    as_numpy = any(isinstance(leaf, (numpy.ndarray, numpy.generic)) for leaf in given) and not any(type(leaf) is _core.ndarray for leaf in given)
    is_inside = _core._records()
    arrays, later, report = _core._recorded_in_two(body, memory_budget)
    second = Second(name, made["forms"][0], later, made["forms"][1], as_numpy)
    second.saved_bytes, second.read_bytes, second.recomputed = report
    result, aux = made["result"], made["aux"]
    if not is_inside:
        result, aux = computed_tree((result, aux), arrays, made["scalars"], as_numpy)
    return (result, second, aux) if has_aux else (result, second)


@overload
def vjp(
    fun: Callable[[*Primals], tuple[R, Aux]], *primals: *Primals, has_aux: Literal[True], memory_budget: int | None = None
) -> tuple[R, Pullback[R, tuple[*Primals]], Aux]: ...
@overload
def vjp(
    fun: Callable[[*Primals], R], *primals: *Primals, has_aux: Literal[False] = False, memory_budget: int | None = None
) -> tuple[R, Pullback[R, tuple[*Primals]]]: ...
def vjp(fun: Function, *primals: Any, has_aux: bool = False, memory_budget: int | None = None) -> Any:  # type: ignore[misc]  # which takes all
    """Result of fun, and a function from changes of it back to those of the arguments. (jax.vjp)

    Reverse mode in two steps: the second function may be called any number of times.

    Parameters
    ----------
    fun : callable
        A function of arrays and trees of them.
    *primals
        Its arguments, which are floating or complex.
    has_aux : bool, default False
        Whether `fun` gives a pair: its result, and something else that is handed on.
    memory_budget : int, optional
        The most bytes of fun's values that are kept for the second function, outside of compiled
        ones. None: as few as can be without computing sums and products again.

    Returns
    -------
    tuple
        ``(result, function)``, with `has_aux` the aux third. The function takes a cotangent in the
        form of the result, and gives a tuple of those of the arguments. Its repr says what is kept.

    Raises
    ------
    TypeError
        For integer primals, and where a function without a derivative is met.
    ValueError
        For a budget that is too small; by the function for cotangents of another shape.

    See Also
    --------
    grad, jvp, jacrev

    Examples
    --------
    >>> import fastnp as np
    >>> result, pull = np.vjp(lambda x, y: x * y, 3.0, 4.0)
    >>> result, pull(1.0)
    (np.float64(12.0), (np.float64(4.0), np.float64(3.0)))
    """
    return in_two("vjp", fun, primals, has_aux, memory_budget)


@overload
def linearize(
    fun: Callable[[*Primals], tuple[R, Aux]], *primals: *Primals, has_aux: Literal[True], memory_budget: int | None = None
) -> tuple[R, Callable[[*Primals], R], Aux]: ...
@overload
def linearize(
    fun: Callable[[*Primals], R], *primals: *Primals, has_aux: Literal[False] = False, memory_budget: int | None = None
) -> tuple[R, Callable[[*Primals], R]]: ...
def linearize(fun: Function, *primals: Any, has_aux: bool = False, memory_budget: int | None = None) -> Any:  # type: ignore[misc]  # which takes all
    """Result of fun, and its linear part at these arguments as a function. (jax.linearize)

    Forward mode in two steps: the second function may be called with any number of tangents, without
    computing `fun` again.

    Parameters
    ----------
    fun : callable
        A function of arrays and trees of them.
    *primals
        Its arguments, which are floating or complex.
    has_aux : bool, default False
        Whether `fun` gives a pair: its result, and something else that is handed on.
    memory_budget : int, optional
        As `vjp` has it.

    Returns
    -------
    tuple
        ``(result, function)``, with `has_aux` the aux third. The function takes a tangent of each
        argument, and gives that of the result.

    Raises
    ------
    TypeError
        For integer primals, and where a function without a derivative is met.

    See Also
    --------
    jvp, vjp

    Examples
    --------
    >>> import fastnp as np
    >>> result, push = np.linearize(lambda x: x**2, 3.0)
    >>> result, push(1.0), push(0.5)
    (np.float64(9.0), np.float64(6.0), np.float64(3.0))
    """
    return in_two("linearize", fun, primals, has_aux, memory_budget)
