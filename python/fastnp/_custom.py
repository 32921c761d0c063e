"""Functions with derivatives of their own, and ones whose values are computed again for it."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import numpy

from fastnp import _core
from fastnp._control import Transformed
from fastnp._transform import Function, Marks, as_array, scalar_like
from fastnp._trees import is_leaf, leaves_of, map_leaves

__all__ = ["checkpoint", "custom_jvp", "custom_vjp"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")

if TYPE_CHECKING:

    class OfFunction(Transformed, Generic[P, R]):
        """One that is called as the function that it was made of."""

        def __init__(self, function: Callable[P, R]) -> None: ...
        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
        @overload
        def __get__(self, instance: None, owner: Any = None) -> OfFunction[P, R]: ...
        @overload
        def __get__(self: OfFunction[Concatenate[Any, Q], S], instance: object, owner: Any = None) -> Callable[Q, S]: ...
        def __get__(self, instance: Any, owner: Any = None) -> Any: ...

else:

    class OfFunction(Transformed):
        __class_getitem__ = classmethod(types.GenericAlias)


def is_differentiable(leaf: Any) -> bool:
    """Whether a derivative may flow through it."""
    if isinstance(leaf, (bool, int, _core._Size)):
        return False
    if isinstance(leaf, (_core.ndarray, numpy.ndarray, numpy.generic)):
        return leaf.dtype.kind in "fc" or leaf.dtype.name == "bfloat16"
    return True


class Recorded:
    """A call that is being recorded: its arguments and results as lists of arrays."""

    def __init__(self, name: str, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.name = name
        self.tree = args, kwargs
        self.operands = [as_array(leaf) for leaf in leaves_of(self.tree) if is_differentiable(leaf)]
        self.result = function(*args, **kwargs)
        if not leaves_of(self.result):
            raise TypeError(f"{name}: the function gives no arrays")
        self.outputs = [as_array(leaf) for leaf in leaves_of(self.result)]

    def arguments(self, arrays: list[Any], otherwise: Callable[[Any], Any] = lambda leaf: leaf) -> Any:
        """(args, kwargs) with these in place of the operands."""
        rest = iter(arrays)

        def put(leaf: Any) -> Any:
            if not is_differentiable(leaf):
                return otherwise(leaf)
            array = next(rest)
            return array[()] if scalar_like(leaf) else array

        return map_leaves(put, self.tree)

    def results(self, arrays: list[Any]) -> Any:
        rest = iter(arrays)
        return map_leaves(lambda leaf: next(rest)[()] if scalar_like(leaf) else next(rest), self.result)

    def with_derivative(self, reverse: Any, forward: Any) -> Any:
        return self.results(_core._with_derivative(self.operands, self.outputs, self.name, reverse, forward))


def zero_like(leaf: Any) -> Any:
    return _core.zeros_like(as_array(leaf))


def tree_arrays(tree: Any, like: Any, what: str) -> list[Any]:
    """The arrays of a tree for the leaves of another one; None stands for zeros of all that is there."""
    if is_leaf(like):
        if tree is None:
            return [None]
        array = as_array(tree)
        if array.shape != as_array(like).shape:
            raise ValueError(f"{what} gave an array of shape {array.shape} for one of shape {as_array(like).shape}")
        return [array]
    if tree is None:
        return [None] * len(leaves_of(like))
    found: list[Any] = []
    map_leaves(lambda one, other: found.append((one, other)), like, tree)
    return [array for one, other in found for array in tree_arrays(other, one, what)]


class custom_vjp(OfFunction[P, R]):
    """A function with a derivative of its own for reverse mode. (jax.custom_vjp)

    ``f.defvjp(fwd, bwd)`` says it. `fwd` takes f's arguments and gives (result, residuals);
    ``bwd(residuals, cotangent)`` gives a tuple with the cotangent of each positional argument (None:
    zero). Without a derivative around, f runs as written.

    Parameters
    ----------
    fun : callable
        The function.
    nondiff_argnums : sequence of ints, default ()
        Arguments that are given to `bwd` first, and have no cotangent.

    Raises
    ------
    TypeError
        In forward mode (jvp), and where `bwd` gives another number of cotangents.
    AttributeError
        For calls before ``defvjp``.

    See Also
    --------
    custom_jvp, checkpoint, grad

    Examples
    --------
    >>> import fastnp as np
    >>> @np.custom_vjp
    ... def clipped(x):
    ...     return x * 2.0
    >>> clipped.defvjp(lambda x: (clipped(x), None), lambda _, g: (np.clip(g, -1.0, 1.0),))
    >>> np.grad(clipped)(3.0)
    np.float64(1.0)
    """

    def __init__(self, fun: Callable[P, R], nondiff_argnums: Sequence[int] = ()) -> None:
        super().__init__(fun)
        self.nondiff = tuple(nondiff_argnums)
        self.forward: Any = None
        self.backward: Any = None

    def defvjp(self, fwd: Callable[P, tuple[R, Any]], bwd: Function) -> None:
        self.forward, self.backward = fwd, bwd

    def functions(self) -> tuple[Any, ...]:
        return self.function, self.forward, self.backward

    def replace(self, functions: tuple[Any, ...]) -> None:
        self.function, self.forward, self.backward = functions

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        name = str(getattr(self, "__name__", "a function"))
        if self.backward is None:
            raise AttributeError(f"no derivative was defined for {name}: defvjp(fwd, bwd)")
        if not _core._records():
            return self.function(*args, **kwargs)
        call = Recorded(name, self.function, args, kwargs)

        def reverse(own: list[Any], given: list[Any], cotangents: list[Any]) -> list[Any]:
            arguments, keywords = call.arguments(own)
            _, residuals = self.forward(*arguments, **keywords)
            static = [args[number] for number in self.nondiff]
            found = self.backward(*static, residuals, call.results(cotangents))
            wanted = [arg for number, arg in enumerate(args) if number not in self.nondiff]
            if not isinstance(found, (tuple, list)) or len(found) != len(wanted):
                raise TypeError(f"{name}: bwd must give a tuple of {len(wanted)}, a cotangent for each argument, and gave {found!r}")
            gradients = iter(found)
            arrays: list[Any] = []
            for number, arg in enumerate(args):
                tree = None if number in self.nondiff else next(gradients)
                arrays += [array for array, leaf in zip(tree_arrays(tree, arg, f"{name}: bwd"), leaves_of(arg), strict=True) if is_differentiable(leaf)]
            return arrays + [None] * (len(own) - len(arrays))

        made: R = call.with_derivative(reverse, None)
        return made


class custom_jvp(OfFunction[P, R]):
    """A function with a derivative of its own for both modes. (jax.custom_jvp)

    ``f.defjvp(rule)`` says it, also as a decorator: ``rule(primals, tangents)`` gives (result, its
    tangent), the latter linear in the tangents. ``f.defjvps(*rules)`` has one for each argument,
    ``rule(tangent, result, *primals)``, None for zero.

    Parameters
    ----------
    fun : callable
        The function, of positional arguments.

    Raises
    ------
    TypeError
        Where it is differentiated: for keyword arguments, and rules that give no pair.
    AttributeError
        For calls before ``defjvp``.

    See Also
    --------
    custom_vjp, jvp

    Examples
    --------
    >>> import fastnp as np
    >>> @np.custom_jvp
    ... def square(x):
    ...     return x * x
    >>> square.defjvps(lambda t, result, x: 10.0 * t)
    >>> np.grad(square)(3.0)
    np.float64(10.0)
    """

    def __init__(self, fun: Callable[P, R]) -> None:
        super().__init__(fun)
        self.rule: Any = None

    def defjvp(self, jvp: Callable[[Any, Any], tuple[R, R]]) -> Callable[[Any, Any], tuple[R, R]]:
        self.rule = jvp
        return jvp

    def defjvps(self, *rules: Function | None) -> None:
        def rule(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
            result = self.function(*primals)
            total: Any = 0
            for each, tangent in zip(rules, tangents, strict=True):
                if each is not None:
                    total = total + each(tangent, result, *primals)
            return result, total

        self.rule = rule

    def functions(self) -> tuple[Any, ...]:
        return self.function, self.rule

    def replace(self, functions: tuple[Any, ...]) -> None:
        self.function, self.rule = functions

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        name = str(getattr(self, "__name__", "a function"))
        if self.rule is None:
            raise AttributeError(f"no derivative was defined for {name}: defjvp(rule)")
        if not _core._records():
            return self.function(*args, **kwargs)
        if kwargs:
            raise TypeError(f"{name}: a custom_jvp function takes positional arguments alone where it is differentiated")
        call = Recorded(name, self.function, args, kwargs)

        def forward(own: list[Any], given: list[Any], tangents: list[Any]) -> list[Any]:
            primals, _ = call.arguments(own)
            changes, _ = call.arguments(tangents, zero_like)
            found = self.rule(primals, changes)
            if not isinstance(found, tuple) or len(found) != 2:
                raise TypeError(f"{name}: the rule of defjvp must give a tuple of two, (result, tangent), and gave {found!r}")
            arrays = tree_arrays(found[1], call.result, f"{name}: the rule of defjvp")
            return [_core.broadcast_to(array, out.shape).astype(out.dtype) for array, out in zip(arrays, call.outputs, strict=True)]

        made: R = call.with_derivative(None, forward)
        return made


class Checkpoint(Transformed):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not _core._records():
            return self.function(*args, **kwargs)
        call = Recorded(str(getattr(self, "__name__", "a function")), self.function, args, kwargs)

        def again(own: list[Any], walk: Callable[[list[Any], list[Any]], list[Any]]) -> list[Any]:
            arguments, keywords = call.arguments(own)
            marks = Marks()
            given, named = map_leaves(lambda leaf: marks.add_leaf(leaf, "checkpoint") if is_differentiable(leaf) else leaf, (arguments, keywords))
            result = self.function(*given, **named)
            return walk(marks.marks, [as_array(leaf) for leaf in leaves_of(result)])

        def reverse(own: list[Any], given: list[Any], cotangents: list[Any]) -> list[Any]:
            return again([_core._apart(each) for each in own], lambda marks, outputs: _core._pull_back(marks, outputs, cotangents))

        def forward(own: list[Any], given: list[Any], tangents: list[Any]) -> list[Any]:
            return again(own, lambda marks, outputs: _core._push_forward(marks, outputs, tangents))

        return call.with_derivative(reverse, forward)


def checkpoint(fun: Callable[P, R]) -> Callable[P, R]:
    """fun, whose values are computed again for its derivative instead of being kept. (jax.checkpoint)

    Only its arguments are kept for reverse mode: less memory, and the work of one more call.

    Parameters
    ----------
    fun : callable
        The function.

    Returns
    -------
    callable
        A function of the same arguments and results.

    See Also
    --------
    vjp, custom_vjp, scan

    Examples
    --------
    >>> import fastnp as np
    >>> layer = np.checkpoint(lambda x: np.sin(np.sin(x)))
    >>> np.grad(layer)(0.0)
    np.float64(1.0)
    """
    return Checkpoint(fun)
