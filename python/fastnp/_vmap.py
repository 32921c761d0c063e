# mypy: disable-error-code="overload-overlap"
"""Functions of one part of an array, for all parts at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar, overload

import numpy

from fastnp import _core, _float_errors, _mapped, _rolled
from fastnp._control import Transformed
from fastnp._transform import Function, as_array, run, scalar_like
from fastnp._trees import leaves_of, map_leaves, spread_over

__all__ = ["axis_index", "pmax", "pmean", "pmin", "psum", "vmap"]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Vmap(Transformed):
    def __init__(self, function: Function, in_axes: Any, out_axes: Any, axis_name: str | None, axis_size: int | None) -> None:
        super().__init__(function)
        self.axis_name = axis_name
        self.in_axes = in_axes
        self.out_axes = out_axes
        self.axis_size = axis_size

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if isinstance(self.in_axes, (tuple, list)) and len(self.in_axes) != len(args):
            raise ValueError(f"vmap: in_axes has {len(self.in_axes)} entries, and the function was called with {len(args)} positional arguments")
        axes = spread_over(tuple(args), self.in_axes if not isinstance(self.in_axes, list) else tuple(self.in_axes), "in_axes")
        axes += [0] * len(leaves_of(kwargs))

        def body() -> Any:
            parts = Parts(self.axis_size)
            rest = iter(axes)
            given, keywords = map_leaves(lambda leaf: parts.add(leaf, next(rest)), (list(args), kwargs))
            keywords = parts.checked(keywords)
            with parts.named(self.axis_name), _mapped.entered(parts), _mapped.watched(self.function):
                result = _rolled.rolled(self.function)(*given, **keywords)
                parts.check_caught()
                parts.make_all()
            _float_errors.leave(parts)
            parts.write_back()
            outputs = [as_array(leaf) for leaf in leaves_of(result)]
            places = spread_over(result, self.out_axes, "out_axes")
            found = iter(parts.batch(outputs, places))
            return map_leaves(lambda _: next(found), result)

        return run(body, (args, kwargs), self.function)


class Parts(_mapped.Calls):
    """What a mapped function gets in place of arrays: any one of their parts."""

    def __init__(self, size: int | None) -> None:
        super().__init__()
        self.size: Any = size
        self.first: tuple[int, Any] | None = None  # the axis, and the shape of the array, that say so; its text would tie a recording to its sizes
        self.number = -1  # of the axis, if it has a name
        self.arrays: list[Any] = []
        self.values: list[Any] = []  # of these, before the function
        self.axes: list[int] = []
        self.examples: list[Any] = []
        self.inputs: list[Any] = []

    def add(self, leaf: Any, axis: Any) -> Any:
        if axis is None:
            return leaf
        array = as_array(leaf)
        axis = operator.index(axis)
        if not -array.ndim <= axis < array.ndim:
            raise ValueError(f"vmap: axis {axis} of in_axes is out of bounds for an array of dimension {array.ndim} (shape {array.shape})")
        axis %= array.ndim
        size = array.shape[axis]
        if self.size is None:
            self.size, self.first = size, (axis, array.shape)
        elif size != self.size:
            first = "axis_size" if self.first is None else f"axis {self.first[0]} of an array of shape {self.first[1]}"
            raise ValueError(
                f"vmap: the axes that are mapped over have different sizes: {self.size} ({first}) and {size} (axis {axis} of one of shape {array.shape})"
            )
        self.arrays.append(array)
        return self.stand_in(array, _core._snapshot(array), axis)

    def stand_in(self, array: Any, value: Any, axis: int) -> Any:
        example = _core._example(array, axis)
        self.values.append(value)
        self.axes.append(axis)
        self.examples.append(example)
        self.inputs.append(_core._input_of(example, array.ndim == 1))
        return self.inputs[-1]

    def add_given(self, array: Any) -> Any:
        self.arrays.append(None)  # nobody else has it
        return self.stand_in(array, array, 0)

    def checked(self, keywords: Any) -> Any:
        if self.size is None:
            raise ValueError("vmap: at least one argument must be mapped over, or axis_size given")
        if not self.arrays:
            self.add(_core.zeros(self.size), 0)
        return keywords

    @contextmanager
    def named(self, name: str | None) -> Iterator[None]:
        """Within, the axis has a name."""
        if name is None:
            yield
            return
        index = self.add(_core.arange(self.size), 0)
        self.number = _core._enter_axis(name, index, int(self.size))
        try:
            yield
        finally:
            _core._leave_axis()

    def write_back(self) -> None:
        for array, axis, example, given in zip(self.arrays, self.axes, self.examples, self.inputs, strict=True):
            if array is None or _core._is_same_value(example, given) or _core._is_scalar(given):
                continue
            (parts,) = _core._batch(self.examples, self.values, self.axes, [given], self.number)
            _core.copyto(_core.moveaxis(array, axis, 0), parts)

    def batch(self, outputs: list[Any], places: list[Any]) -> list[Any]:
        found = _core._batch(self.examples, self.values, self.axes, outputs, self.number)
        made = []
        for array, parts, place in zip(outputs, found, places, strict=True):
            if place is None:
                if _core._depends_on(array, self.examples):
                    raise ValueError("vmap: a result differs from part to part, and has None in out_axes")
                made.append(array)
                continue
            if not -parts.ndim <= operator.index(place) < parts.ndim:
                raise ValueError(f"vmap: axis {place} of out_axes is out of bounds for a result of dimension {parts.ndim}")
            made.append(_core.moveaxis(parts, 0, place))
        return made


@overload
def vmap(
    fun: Callable[P, float | complex | numpy.generic], in_axes: Any = 0, out_axes: Any = 0, axis_name: str | None = None, axis_size: int | None = None
) -> Callable[P, _core.ndarray]: ...
@overload
def vmap(fun: Callable[P, R], in_axes: Any = 0, out_axes: Any = 0, axis_name: str | None = None, axis_size: int | None = None) -> Callable[P, R]: ...
def vmap(fun: Function, in_axes: Any = 0, out_axes: Any = 0, axis_name: str | None = None, axis_size: int | None = None) -> Any:
    """A function that does for all parts of its arguments at once what fun does for one. (jax.vmap)

    It is no loop: each operation is done with one more axis.

    Parameters
    ----------
    fun : callable
        A function of one part.
    in_axes : int, None, or tuple of these, default 0
        The axis of each positional argument; None for one that is the same for all parts. Entries may
        be containers in the form of the argument. Keyword arguments are mapped over axis 0.
    out_axes : int, None, or tree of these, default 0
        Where the parts are in the results; None for one that is the same for all parts.
    axis_name : str, optional
        What `psum` and its kin call the axis.
    axis_size : int, optional
        The number of parts, where no argument says it.

    Returns
    -------
    callable
        With fun's parameters.

    Raises
    ------
    ValueError
        By the function: for axes of different sizes or out of bounds.
    TypeError
        By the function: where `fun` depends on values that differ from part to part in other ways
        than through arrays; where arguments of a draw depend on an earlier one from the same
        generator, where a generator is drawn from after a function of the outside got what it drew,
        and, outside of compiled functions, for draws from NumPy's or Python's own generators.

    Notes
    -----
    What only NumPy has is called for one part after the other; all must give arrays of the same
    shapes and dtypes, and numbers count as NumPy scalars. Random numbers are those that a loop over
    the parts draws, bit for bit.

    See Also
    --------
    psum, axis_index, grad

    Examples
    --------
    >>> import fastnp as np
    >>> np.vmap(lambda row, w: np.sum(row * w), in_axes=(0, None))(np.ones((3, 2)), np.array([1.0, 2.0]))
    array([3., 3., 3.])
    """
    return Vmap(fun, in_axes, out_axes, axis_name, axis_size)


def _across(fold: str, x: T, axis_name: str) -> T:
    def of(leaf: Any) -> Any:
        found = _core._across(fold, as_array(leaf), axis_name)
        return found[()] if scalar_like(leaf) else found

    mapped: T = map_leaves(of, x)
    return mapped


def psum(x: T, axis_name: str) -> T:
    """Sum of x over all parts of a mapped axis. (jax.lax.psum)

    It has derivatives of both modes.

    Parameters
    ----------
    x : tree of arrays
        The values of the part at hand.
    axis_name : str
        What the `vmap` around calls its axis.

    Returns
    -------
    tree of arrays
        In the form of `x`, equal for all parts.

    Raises
    ------
    ValueError
        Where there is no axis of that name around.

    See Also
    --------
    vmap, pmean, pmax, pmin

    Examples
    --------
    >>> import fastnp as np
    >>> np.vmap(lambda x: np.psum(x, "i"), axis_name="i")(np.array([1.0, 2.0, 6.0]))
    array([9., 9., 9.])
    """
    return _across("sum", x, axis_name)


def pmean(x: T, axis_name: str) -> T:
    """Mean of x over all parts of a mapped axis. (jax.lax.pmean)

    It has derivatives of both modes.

    Parameters
    ----------
    x : tree of arrays
        The values of the part at hand.
    axis_name : str
        What the `vmap` around calls its axis.

    Returns
    -------
    tree of arrays
        In the form of `x`, equal for all parts.

    Raises
    ------
    ValueError
        Where there is no axis of that name around.

    See Also
    --------
    vmap, psum, pmax, pmin

    Examples
    --------
    >>> import fastnp as np
    >>> np.vmap(lambda x: np.pmean(x, "i"), axis_name="i")(np.array([1.0, 2.0, 6.0]))
    array([3., 3., 3.])
    """
    return _across("mean", x, axis_name)


def pmax(x: T, axis_name: str) -> T:
    """Maximum of x over all parts of a mapped axis. (jax.lax.pmax)

    Its derivative is shared by the parts that are equal to it.

    Parameters
    ----------
    x : tree of arrays
        The values of the part at hand.
    axis_name : str
        What the `vmap` around calls its axis.

    Returns
    -------
    tree of arrays
        In the form of `x`, equal for all parts.

    Raises
    ------
    ValueError
        Where there is no axis of that name around.

    See Also
    --------
    vmap, psum, pmean, pmin

    Examples
    --------
    >>> import fastnp as np
    >>> np.vmap(lambda x: np.pmax(x, "i"), axis_name="i")(np.array([1.0, 2.0, 6.0]))
    array([6., 6., 6.])
    """
    return _across("max", x, axis_name)


def pmin(x: T, axis_name: str) -> T:
    """Minimum of x over all parts of a mapped axis. (jax.lax.pmin)

    Its derivative is shared by the parts that are equal to it.

    Parameters
    ----------
    x : tree of arrays
        The values of the part at hand.
    axis_name : str
        What the `vmap` around calls its axis.

    Returns
    -------
    tree of arrays
        In the form of `x`, equal for all parts.

    Raises
    ------
    ValueError
        Where there is no axis of that name around.

    See Also
    --------
    vmap, psum, pmean, pmax

    Examples
    --------
    >>> import fastnp as np
    >>> np.vmap(lambda x: np.pmin(x, "i"), axis_name="i")(np.array([1.0, 2.0, 6.0]))
    array([1., 1., 1.])
    """
    return _across("min", x, axis_name)


def axis_index(axis_name: str) -> Any:
    """Number of the part at hand along a mapped axis. (jax.lax.axis_index)

    It counts from 0, and is an integer that differs from part to part.

    Parameters
    ----------
    axis_name : str
        What the `vmap` around calls its axis.

    Returns
    -------
    array of no axes, int64
        The number; its derivative is zero.

    Raises
    ------
    ValueError
        Where there is no axis of that name around.

    See Also
    --------
    vmap, psum

    Examples
    --------
    >>> import fastnp as np
    >>> np.vmap(lambda x: x * np.axis_index("i"), axis_name="i")(np.array([1.0, 2.0, 3.0]))
    array([0., 2., 6.])
    """
    return _core._axis_index(axis_name)
