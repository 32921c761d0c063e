# mypy: disable-error-code="overload-overlap"
"""Derivatives and batching of functions: grad, vjp, jvp, vmap and what is made of them.

Each gives a function that can be transformed again, to any depth; called in a compiled function, or compiled, it is compiled with the rest. A Python
number among the arguments counts as a numpy.float64 (or complex128). NumPy arrays in give NumPy arrays out, fastnp arrays in give fastnp arrays out.

Complex numbers: the derivative of a real result with respect to z = x + iy is d/dx - i d/dy, as JAX has it (its conjugate is the direction of steepest
ascent). Where a function has a kink: 0 for abs() at 0 and hypot() at the origin; equal elements of a max() or min(), and equal operands of maximum()
and minimum(), share it alike; of where(), the operand that was chosen; of sort(), the order of a stable sort.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Literal, overload

import numpy

from fastnp import _core, _rolled
from fastnp._averaging import averaged, averaged_by
from fastnp._control import Transformed
from fastnp._held import held
from fastnp._transform_types import A, Aux, B, Function, P, Primals, R, Scalar, ScalarR
from fastnp._trees import is_leaf, leaves_of, map_leaves


def taped(arguments: Any, function: Any) -> list[Any]:
    """The arrays among the arguments, and in what the function names, that are on the tape."""
    if _core._records() or not _core._tapes():
        return []

    def is_taped(value: Any) -> bool:
        return type(value) is _core.ndarray and value.requires_grad

    return [*filter(is_taped, leaves_of(arguments)), *held(function, is_taped)]


def run(body: Callable[[], Any], arguments: Any, function: Any) -> Any:
    """body() in the recording that there is, or in one of its own, whose values are then computed. What works on arrays of the tape goes onto it."""
    if _core._records():
        return body()
    with _rolled.unrolled():
        return run_at_once(body, arguments, function)


def run_at_once(body: Callable[[], Any], arguments: Any, function: Any) -> Any:
    """... in none that there is."""
    on_tape = taped(arguments, function)
    if on_tape:
        return _core._on_tape(on_tape, body)
    given = leaves_of(arguments)
    as_numpy = any(isinstance(leaf, (numpy.ndarray, numpy.generic)) for leaf in given) and not any(type(leaf) is _core.ndarray for leaf in given)
    made: list[Any] = []
    scalars: list[bool] = []

    def record() -> list[Any]:
        made.append(body())
        arrays = [leaf for leaf in leaves_of(made[0]) if type(leaf) is _core.ndarray]
        scalars.extend(map(_core._is_scalar, arrays))
        return arrays

    arrays = _core._recorded(record)
    return computed_tree(made[0], arrays, scalars, as_numpy)


def computed_tree(tree: Any, arrays: list[Any], scalars: list[bool], as_numpy: bool) -> Any:
    """The tree with computed arrays in place of recorded ones."""
    computed = iter(list(zip(arrays, scalars, strict=True)))

    def put(leaf: Any) -> Any:
        if type(leaf) is not _core.ndarray:
            return leaf
        array, is_scalar = next(computed)
        return array[()] if is_scalar else numpy.asarray(array) if as_numpy else array

    return map_leaves(put, tree)


class Marks:
    """Inputs of a transform: what derivatives are taken with respect to, and what the function gets in their place."""

    def __init__(self) -> None:
        self.marks: list[Any] = []
        self.inputs: list[Any] = []
        self.originals: list[Any] = []

    def add(self, tree: Any, what: str) -> Any:
        """The tree as the function gets it."""
        return map_leaves(lambda leaf: self.add_leaf(leaf, what), tree)

    def add_leaf(self, leaf: Any, what: str) -> Any:
        array = _core.asarray(leaf)
        if array.dtype.kind not in "fc" and array.dtype.name != "bfloat16":
            raise TypeError(f"{what} has dtype {array.dtype}; derivatives are taken with respect to floating and complex arrays alone")
        mark = _core._mark(array)
        is_array = isinstance(leaf, numpy.ndarray) or (type(leaf) is _core.ndarray and not _core._is_scalar(leaf))
        given = _core._input_of(mark, not is_array)
        self.marks.append(mark)
        self.inputs.append(given)
        self.originals.append(array if is_array else None)
        return given

    def write_back(self) -> None:
        for original, mark, given in zip(self.originals, self.marks, self.inputs, strict=True):
            if original is not None:
                _core._write_back(original, mark, given)

    def like(self, tree: Any, values: Sequence[Any]) -> Any:
        """The values in the form of the tree."""
        rest = iter(zip(values, self.originals, strict=True))

        def put(_: Any) -> Any:
            value, original = next(rest)
            return value if original is not None else value[()]

        return map_leaves(put, tree)


def chosen(name: str, argnums: int | Sequence[int], args: tuple[Any, ...]) -> tuple[int, ...]:
    """The numbers of the arguments, counted from 0."""
    numbers = (argnums,) if isinstance(argnums, int) else tuple(map(operator.index, argnums))
    for number in numbers:
        if not -len(args) <= number < len(args):
            raise ValueError(f"{name}: argnums {number} is out of range for a call with {len(args)} positional argument{'s' * (len(args) != 1)}")
    return tuple(number % len(args) for number in numbers)


def as_array(leaf: Any) -> Any:
    return leaf if type(leaf) is _core.ndarray else _core.asarray(leaf)


def scalar_result(name: str, value: Any) -> Any:
    """The array that is differentiated."""
    if not is_leaf(value):
        raise TypeError(
            f"{name}: the function's result must be a single number, not a {type(value).__name__}; of more than one result, has_aux=True is for the rest"
        )
    array = as_array(value)
    if array.ndim != 0:
        raise ValueError(f"{name}: the function's result must be a single number, not an array of shape {array.shape}; jacrev() and vjp() are for those")
    if array.dtype.kind == "c":
        raise TypeError(f"{name}: the function's result must be a real number, not one of dtype {array.dtype}; vjp() is for complex ones")
    if array.dtype.kind != "f" and array.dtype.name != "bfloat16":
        raise TypeError(f"{name}: the function's result must be a floating number, not one of dtype {array.dtype}")
    return array


def split_aux(name: str, result: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError(f"{name}: with has_aux=True the function returns a tuple of two, (result, aux)")
    return result


class OfArguments(Transformed):
    """A derivative with respect to arguments that are chosen by number."""

    title: str

    def __init__(self, function: Function, argnums: int | Sequence[int], has_aux: bool) -> None:
        super().__init__(function)
        self.argnums = argnums
        self.has_aux = has_aux

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        numbers = chosen(self.title, self.argnums, args)

        def body() -> Any:
            marks = Marks()
            given = list(args)
            for number in numbers:
                given[number] = marks.add(args[number], f"{self.title}: argument {number}")
            with averaged_by(None):  # a derivative of a derivative is none that is taken of a step
                result, aux = split_aux(self.title, _rolled.rolled(self.function)(*given, **kwargs), self.has_aux)
            marks.write_back()
            return self.derivative(marks, tuple(args[number] for number in numbers), result, aux)

        return run(body, (args, kwargs), self.function)

    def derivative(self, marks: Marks, wanted: tuple[Any, ...], result: Any, aux: Any) -> Any:
        """What the transform gives. `wanted`: the chosen arguments."""
        raise NotImplementedError

    def one_or_all(self, trees: Any) -> Any:
        return trees[0] if isinstance(self.argnums, int) else trees


class ValueAndGrad(OfArguments):
    title = "value_and_grad"

    def derivative(self, marks: Marks, wanted: tuple[Any, ...], result: Any, aux: Any) -> Any:
        array = scalar_result(self.title, result)
        gradients = averaged(_core._pull_back(marks.marks, [array], [_core.ones_like(array)]))
        return self.result(result, aux, self.one_or_all(marks.like(wanted, gradients)))

    def result(self, value: Any, aux: Any, gradient: Any) -> Any:
        return ((value, aux) if self.has_aux else value), gradient


class Grad(ValueAndGrad):
    title = "grad"

    def result(self, value: Any, aux: Any, gradient: Any) -> Any:
        return (gradient, aux) if self.has_aux else gradient


@overload
def value_and_grad(fun: Callable[Concatenate[A, P], ScalarR], *, has_aux: Literal[False] = False) -> Callable[Concatenate[A, P], tuple[ScalarR, A]]: ...
@overload
def value_and_grad(
    fun: Callable[Concatenate[A, B, P], ScalarR], argnums: Literal[0], has_aux: Literal[False] = False
) -> Callable[Concatenate[A, B, P], tuple[ScalarR, A]]: ...
@overload
def value_and_grad(
    fun: Callable[Concatenate[A, B, P], ScalarR], argnums: Literal[1], has_aux: Literal[False] = False
) -> Callable[Concatenate[A, B, P], tuple[ScalarR, B]]: ...
@overload
def value_and_grad(
    fun: Callable[Concatenate[A, B, P], ScalarR], argnums: tuple[Literal[0], Literal[1]], has_aux: Literal[False] = False
) -> Callable[Concatenate[A, B, P], tuple[ScalarR, tuple[A, B]]]: ...
@overload
def value_and_grad(
    fun: Callable[Concatenate[A, B, P], ScalarR], argnums: int, has_aux: Literal[False] = False
) -> Callable[Concatenate[A, B, P], tuple[ScalarR, Any]]: ...
@overload
def value_and_grad(
    fun: Callable[Concatenate[A, B, P], ScalarR], argnums: Sequence[int], has_aux: Literal[False] = False
) -> Callable[Concatenate[A, B, P], tuple[ScalarR, tuple[Any, ...]]]: ...
@overload
def value_and_grad(fun: Callable[[A], ScalarR], argnums: Literal[0], has_aux: Literal[False] = False) -> Callable[[A], tuple[ScalarR, A]]: ...
@overload
def value_and_grad(fun: Callable[[A], ScalarR], argnums: Sequence[int], has_aux: Literal[False] = False) -> Callable[[A], tuple[ScalarR, tuple[A]]]: ...
@overload
def value_and_grad(
    fun: Callable[Concatenate[A, P], tuple[ScalarR, Aux]], *, has_aux: Literal[True]
) -> Callable[Concatenate[A, P], tuple[tuple[ScalarR, Aux], A]]: ...
@overload
def value_and_grad(
    fun: Callable[P, tuple[ScalarR, Aux]], argnums: int | Sequence[int], has_aux: Literal[True]
) -> Callable[P, tuple[tuple[ScalarR, Aux], Any]]: ...
def value_and_grad(fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Any:
    """A function that gives fun's result and its derivatives. (jax.value_and_grad)

    The result is one real number; derivatives have the form of the arguments that they are by.
    Reverse mode: about the work of a few calls of `fun`, however many arguments there are.

    Parameters
    ----------
    fun : callable
        A function that gives one real number.
    argnums : int or sequence of ints, default 0
        Which positional arguments it is differentiated by. Each may be a tree (tuples, lists, dicts,
        dataclasses) of floating or complex arrays and numbers.
    has_aux : bool, default False
        Whether `fun` gives a pair: its result, and something else that is handed on.

    Returns
    -------
    callable
        With fun's parameters. It gives ``(result, derivatives)``, with `has_aux`
        ``((result, aux), derivatives)``; for several `argnums` a tuple of derivatives.

    Raises
    ------
    TypeError
        By the function: for integer arguments, and where a function without a derivative is met.
    ValueError
        By the function: for results that are no single number, and `argnums` out of range.

    See Also
    --------
    grad, vjp, jacrev

    Examples
    --------
    >>> import fastnp as np
    >>> np.value_and_grad(lambda w: np.sum(w**2))(np.array([1.0, 2.0]))
    (np.float64(5.0), array([2., 4.]))
    """
    return ValueAndGrad(fun, argnums, has_aux)


@overload
def grad(fun: Callable[Concatenate[A, P], Scalar], *, has_aux: Literal[False] = False) -> Callable[Concatenate[A, P], A]: ...
@overload
def grad(fun: Callable[Concatenate[A, B, P], Scalar], argnums: Literal[0], has_aux: Literal[False] = False) -> Callable[Concatenate[A, B, P], A]: ...
@overload
def grad(fun: Callable[Concatenate[A, B, P], Scalar], argnums: Literal[1], has_aux: Literal[False] = False) -> Callable[Concatenate[A, B, P], B]: ...
@overload
def grad(
    fun: Callable[Concatenate[A, B, P], Scalar], argnums: tuple[Literal[0], Literal[1]], has_aux: Literal[False] = False
) -> Callable[Concatenate[A, B, P], tuple[A, B]]: ...
@overload
def grad(fun: Callable[Concatenate[A, B, P], Scalar], argnums: int, has_aux: Literal[False] = False) -> Callable[Concatenate[A, B, P], Any]: ...
@overload
def grad(
    fun: Callable[Concatenate[A, B, P], Scalar], argnums: Sequence[int], has_aux: Literal[False] = False
) -> Callable[Concatenate[A, B, P], tuple[Any, ...]]: ...
@overload
def grad(fun: Callable[[A], Scalar], argnums: Literal[0], has_aux: Literal[False] = False) -> Callable[[A], A]: ...
@overload
def grad(fun: Callable[[A], Scalar], argnums: Sequence[int], has_aux: Literal[False] = False) -> Callable[[A], tuple[A]]: ...
@overload
def grad(fun: Callable[Concatenate[A, P], tuple[Scalar, Aux]], *, has_aux: Literal[True]) -> Callable[Concatenate[A, P], tuple[A, Aux]]: ...
@overload
def grad(fun: Callable[P, tuple[Scalar, Aux]], argnums: int | Sequence[int], has_aux: Literal[True]) -> Callable[P, tuple[Any, Aux]]: ...
def grad(fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Any:
    """A function that gives the derivatives of fun's result, one real number. (jax.grad)

    Derivatives have the form of the arguments that they are by. It can be taken again, compiled, and
    mapped with `vmap`.

    Parameters
    ----------
    fun : callable
        A function that gives one real number.
    argnums : int or sequence of ints, default 0
        Which positional arguments it is differentiated by. Each may be a tree (tuples, lists, dicts,
        dataclasses) of floating or complex arrays and numbers.
    has_aux : bool, default False
        Whether `fun` gives a pair: its result, and something else that is handed on.

    Returns
    -------
    callable
        With fun's parameters. It gives the derivatives, with `has_aux` ``(derivatives, aux)``; for
        several `argnums` a tuple of derivatives.

    Raises
    ------
    TypeError
        By the function: for integer arguments, and where a function without a derivative is met.
    ValueError
        By the function: for results that are no single number, and `argnums` out of range.
    RecordError
        By the function, outside of compiled ones: where `fun` reads a large array of NumPy's (above
        64 KiB) that is written to afterwards.

    Notes
    -----
    The derivative of a real number by z = x + iy is d/dx - i d/dy. At kinks: 0 for abs() at 0; equal
    elements of a max() share it alike.

    See Also
    --------
    value_and_grad, vjp, jvp, hessian, ndarray.backward

    Examples
    --------
    >>> import fastnp as np
    >>> np.grad(lambda w: np.sum(w**3))(np.array([1.0, 2.0]))
    array([ 3., 12.])
    >>> np.grad(np.grad(np.sin))(0.0)
    np.float64(-0.0)
    """
    return Grad(fun, argnums, has_aux)


@overload
def jvp(fun: Callable[[*Primals], tuple[R, Aux]], primals: tuple[*Primals], tangents: tuple[Any, ...], has_aux: Literal[True]) -> tuple[R, R, Aux]: ...
@overload
def jvp(fun: Callable[[*Primals], R], primals: tuple[*Primals], tangents: tuple[Any, ...], has_aux: Literal[False] = False) -> tuple[R, R]: ...
@overload
def jvp(fun: Callable[..., R], primals: list[Any], tangents: Sequence[Any], has_aux: Literal[False] = False) -> tuple[R, R]: ...
def jvp(fun: Function, primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False) -> Any:
    """Result of fun, and how it changes along tangents: forward mode. (jax.jvp)

    One call of `fun` and of its linear part. It is good for few inputs and many outputs.

    Parameters
    ----------
    fun : callable
        A function of arrays and trees of them.
    primals : tuple or list
        Its arguments.
    tangents : tuple or list
        A change of each of them, in their forms, shapes and dtypes.
    has_aux : bool, default False
        Whether `fun` gives a pair: its result, and something else that is handed on.

    Returns
    -------
    tuple
        ``(result, tangent of the result)``, with `has_aux` the aux third.

    Raises
    ------
    TypeError
        For tangents of other numbers or dtypes, and integer primals.
    ValueError
        For tangents of other shapes.

    See Also
    --------
    vjp, linearize, jacfwd

    Examples
    --------
    >>> import fastnp as np
    >>> np.jvp(lambda x: x**2, (3.0,), (1.0,))
    (np.float64(9.0), np.float64(6.0))
    """
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError("jvp: primals and tangents must be tuples or lists")
    if len(primals) != len(tangents):
        raise TypeError(f"jvp: there are {len(primals)} primals and {len(tangents)} tangents")

    def body() -> Any:
        marks = Marks()
        given = [marks.add(primal, f"jvp: argument {number}") for number, primal in enumerate(primals)]
        changes = tangents_for(marks, list(primals), list(tangents))
        result, aux = split_aux("jvp", _rolled.rolled(fun)(*given), has_aux)
        marks.write_back()
        both = result, pushed(marks, result, changes)
        return (*both, aux) if has_aux else both

    return run(body, (primals, tangents), fun)


def tangents_for(marks: Marks, primals: Any, tangents: Any) -> list[Any]:
    """Tangents as arrays, checked against what they are for."""
    found: list[Any] = []

    def take(_: Any, tangent: Any) -> None:
        mark, array = marks.marks[len(found)], as_array(tangent)
        if array.shape != mark.shape:
            raise ValueError(f"jvp: a tangent of shape {array.shape} for a primal of shape {mark.shape}")
        if array.dtype != mark.dtype and (array.dtype.kind not in "fiub" or not numpy.can_cast(array.dtype, mark.dtype, "same_kind")):
            raise TypeError(f"jvp: a tangent of dtype {array.dtype} for a primal of dtype {mark.dtype}")
        found.append(array.astype(mark.dtype))

    map_leaves(take, primals, tangents)
    return found


def pushed(marks: Marks, result: Any, changes: list[Any]) -> Any:
    """The tangents of a result, in its form."""
    outputs = [as_array(leaf) for leaf in leaves_of(result)]
    found = iter(_core._push_forward(marks.marks, outputs, changes))
    return map_leaves(lambda leaf: next(found) if not scalar_like(leaf) else next(found)[()], result)


def scalar_like(leaf: Any) -> bool:
    return not isinstance(leaf, numpy.ndarray) and (type(leaf) is not _core.ndarray or _core._is_scalar(leaf))


def stop_gradient(x: R) -> R:
    """The same values as a constant to derivatives. (jax.lax.stop_gradient)

    Outside of transforms it is ``detach()`` of arrays that require gradients, and gives all else as
    it is.

    Parameters
    ----------
    x : tree of arrays and numbers
        What derivatives are not to flow through.

    Returns
    -------
    tree of arrays and numbers
        In the form of `x`.

    See Also
    --------
    grad, ndarray.detach, no_grad

    Examples
    --------
    >>> import fastnp as np
    >>> np.grad(lambda x: x * np.stop_gradient(x))(3.0)
    np.float64(3.0)
    """
    if not _core._records():
        return map_leaves(lambda leaf: leaf.detach() if type(leaf) is _core.ndarray and leaf.requires_grad else leaf, x) if _core._tapes() else x
    return map_leaves(lambda leaf: _core._stop_gradient(leaf)[()] if scalar_like(leaf) else _core._stop_gradient(leaf), x)


__all__ = ["Function", "grad", "jvp", "stop_gradient", "value_and_grad"]
