# mypy: disable-error-code="overload-overlap"
"""Whole derivatives of functions of arrays: jacfwd, jacrev and hessian."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Literal, overload

from fastnp import _core
from fastnp._transform import Marks, OfArguments, as_array
from fastnp._transform_types import Aux, Function, P, Tree, TreeA
from fastnp._trees import map_leaves


class Jacobian(OfArguments):
    title = "jacfwd"

    @staticmethod
    def of(mark: Any, output: Any) -> Any:
        return _core._jacobian_columns(mark, output)

    def derivative(self, marks: Marks, wanted: tuple[Any, ...], result: Any, aux: Any) -> Any:
        def rows(leaf: Any) -> Any:
            blocks = iter([self.of(mark, as_array(leaf)) for mark in marks.marks])
            return self.one_or_all(map_leaves(lambda _: next(blocks), wanted))

        found = map_leaves(rows, result)
        return (found, aux) if self.has_aux else found


class ReverseJacobian(Jacobian):
    title = "jacrev"

    @staticmethod
    def of(mark: Any, output: Any) -> Any:
        return _core._jacobian_rows(mark, output)


@overload
def jacfwd(fun: Callable[Concatenate[TreeA, P], Any], argnums: int = 0, has_aux: Literal[False] = False) -> Callable[Concatenate[TreeA, P], Any]: ...
@overload
def jacfwd(fun: Callable[P, Tree], argnums: int = 0, has_aux: Literal[False] = False) -> Callable[P, Any]: ...
@overload
def jacfwd(fun: Callable[P, Any], argnums: int = 0, has_aux: Literal[False] = False) -> Callable[P, _core.ndarray]: ...
@overload
def jacfwd(fun: Callable[P, Any], argnums: Sequence[int], has_aux: Literal[False] = False) -> Callable[P, Any]: ...
@overload
def jacfwd(fun: Callable[P, tuple[Any, Aux]], argnums: int | Sequence[int] = 0, *, has_aux: Literal[True]) -> Callable[P, tuple[Any, Aux]]: ...
def jacfwd(fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Any:
    """A function that gives the derivatives of all elements of fun's result. (jax.jacfwd)

    By forward mode: good for few inputs and many outputs; `jacrev` is for the other case.

    Parameters
    ----------
    fun : callable
        A function of arrays.
    argnums : int or sequence of ints, default 0
        Which positional arguments it is differentiated by. Each may be a tree (tuples, lists, dicts,
        dataclasses) of floating or complex arrays and numbers.
    has_aux : bool, default False
        Whether `fun` gives a pair: its result, and something else that is handed on.

    Returns
    -------
    callable
        With fun's parameters. For each array of the result it gives an array of its shape followed by
        the argument's, in the form of the arguments.

    Raises
    ------
    TypeError
        By the function: for integer arguments, and where a function without a derivative is met.

    See Also
    --------
    jacrev, jvp, hessian

    Examples
    --------
    >>> import fastnp as np
    >>> np.jacfwd(lambda x: x**2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return Jacobian(fun, argnums, has_aux)


@overload
def jacrev(fun: Callable[Concatenate[TreeA, P], Any], argnums: int = 0, has_aux: Literal[False] = False) -> Callable[Concatenate[TreeA, P], Any]: ...
@overload
def jacrev(fun: Callable[P, Tree], argnums: int = 0, has_aux: Literal[False] = False) -> Callable[P, Any]: ...
@overload
def jacrev(fun: Callable[P, Any], argnums: int = 0, has_aux: Literal[False] = False) -> Callable[P, _core.ndarray]: ...
@overload
def jacrev(fun: Callable[P, Any], argnums: Sequence[int], has_aux: Literal[False] = False) -> Callable[P, Any]: ...
@overload
def jacrev(fun: Callable[P, tuple[Any, Aux]], argnums: int | Sequence[int] = 0, *, has_aux: Literal[True]) -> Callable[P, tuple[Any, Aux]]: ...
def jacrev(fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Any:
    """A function that gives the derivatives of all elements of fun's result. (jax.jacrev)

    By reverse mode: good for many inputs and few outputs; `jacfwd` is for the other case.

    Parameters
    ----------
    fun : callable
        A function of arrays.
    argnums : int or sequence of ints, default 0
        Which positional arguments it is differentiated by. Each may be a tree (tuples, lists, dicts,
        dataclasses) of floating or complex arrays and numbers.
    has_aux : bool, default False
        Whether `fun` gives a pair: its result, and something else that is handed on.

    Returns
    -------
    callable
        With fun's parameters. For each array of the result it gives an array of its shape followed by
        the argument's, in the form of the arguments.

    Raises
    ------
    TypeError
        By the function: for integer arguments, and where a function without a derivative is met.

    See Also
    --------
    jacfwd, vjp, grad

    Examples
    --------
    >>> import fastnp as np
    >>> np.jacrev(lambda x: np.cumsum(x))(np.array([1.0, 2.0]))
    array([[1., 0.],
           [1., 1.]])
    """
    return ReverseJacobian(fun, argnums, has_aux)


@overload
def hessian(fun: Callable[Concatenate[TreeA, P], Any], argnums: int = 0, has_aux: Literal[False] = False) -> Callable[Concatenate[TreeA, P], Any]: ...
@overload
def hessian(fun: Callable[P, Tree], argnums: int = 0, has_aux: Literal[False] = False) -> Callable[P, Any]: ...
@overload
def hessian(fun: Callable[P, Any], argnums: int = 0, has_aux: Literal[False] = False) -> Callable[P, _core.ndarray]: ...
@overload
def hessian(fun: Callable[P, Any], argnums: Sequence[int], has_aux: Literal[False] = False) -> Callable[P, Any]: ...
@overload
def hessian(fun: Callable[P, tuple[Any, Aux]], argnums: int | Sequence[int] = 0, *, has_aux: Literal[True]) -> Callable[P, tuple[Any, Aux]]: ...
def hessian(fun: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Any:
    """A function that gives the second derivatives of fun's result. (jax.hessian)

    It is ``jacfwd(jacrev(fun))``: forward mode over reverse mode.

    Parameters
    ----------
    fun : callable
        A function of arrays.
    argnums : int or sequence of ints, default 0
        Which positional arguments it is differentiated by. Each may be a tree (tuples, lists, dicts,
        dataclasses) of floating or complex arrays and numbers.
    has_aux : bool, default False
        Whether `fun` gives a pair: its result, and something else that is handed on.

    Returns
    -------
    callable
        With fun's parameters. For a result of one number and an argument of shape s, an array of
        shape ``s + s``.

    Raises
    ------
    TypeError
        By the function: for integer arguments, and where a function without a derivative is met.

    See Also
    --------
    grad, jacfwd, jacrev

    Examples
    --------
    >>> import fastnp as np
    >>> np.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 3.0]))
    array([[6., 2.],
           [2., 0.]])
    """
    return Jacobian(ReverseJacobian(fun, argnums, has_aux), argnums, has_aux)
