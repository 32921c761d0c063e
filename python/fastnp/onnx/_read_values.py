"""Values between the nodes of a model: arrays, and numbers that are known without a look into an array."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy

import fastnp as np

MOST_KNOWN = 64  # elements of a constant of integers that may be the sizes of something

# Numbers of ONNX's element types, as TensorProto has them, that are dtypes here.
DTYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    14: "complex64",
    15: "complex128",
    16: "bfloat16",
}

Value = Any  # an array, Known, or None for an input that is left out


class Known:
    """Numbers that are known while a function is recorded: sizes, and what is computed of them alone.

    They are Python's, so that sizes that vary stay sizes. `made` is the same as an array, where there is one already.
    """

    def __init__(self, items: Iterable[Any], shape: Sequence[int], dtype: str, made: Any = None) -> None:
        self.items = list(items)
        self.shape = tuple(shape)
        self.dtype = dtype
        self.made = made

    def __repr__(self) -> str:
        return f"Known({self.items!r}, {self.shape!r}, {self.dtype!r})"

    @property
    def is_plain(self) -> bool:
        """Whether none of the numbers is a size that varies."""
        return all(type(item) in (int, float, bool) for item in self.items)


class Node(NamedTuple):
    """A node of a graph, as functions of the tables see it. `outputs`: which outputs are asked for."""

    op: str
    name: str
    opset: int
    attributes: dict[str, Any]
    outputs: tuple[bool, ...]

    def get(self, name: str, default: Any = None) -> Any:
        return self.attributes.get(name, default)


Op = Callable[..., Any]  # of a Node and the inputs; gives the output, or a tuple of outputs


class Unsupported(Exception):
    """What a plan finds in a model that can't be computed; it is told with all others."""


def dtype_of(number: int) -> str:
    """The dtype of one of ONNX's element types."""
    if number not in DTYPES:
        raise Unsupported(f"elements of type {number}")
    return DTYPES[number]


def kind_of(x: Any) -> str:
    """NumPy's letter for the kind of an array's dtype; bfloat16 is a float, too."""
    return "f" if is_bfloat(x.dtype) else str(numpy.dtype(x.dtype).kind)


def is_bfloat(dtype: Any) -> bool:
    return str(dtype) == "bfloat16"


def known_of(x: numpy.ndarray[Any, Any]) -> Known:
    return Known(x.ravel().tolist(), x.shape, str(x.dtype), np.asarray(x))


def as_array(value: Value) -> Any:
    if not isinstance(value, Known):
        return value
    if value.made is not None:
        return value.made
    return np.asarray(value.items, dtype=value.dtype).reshape(value.shape)


def operand(value: Value) -> Any:
    """As arithmetic takes it: a single number as Python's, which takes the dtype of the array beside it."""
    return value.items[0] if isinstance(value, Known) and value.shape == () else as_array(value)


def operands(values: Sequence[Value]) -> list[Any]:
    """What a function of several arrays takes; one at least is an array."""
    if all(isinstance(value, Known) and value.shape == () for value in values):
        return [as_array(value) for value in values]
    return [operand(value) for value in values]


def numbers(value: Value) -> list[Any]:
    """The numbers of a value. Those of an array are read: a compiled function is then compiled for these."""
    if isinstance(value, Known):
        return list(value.items)
    flat = np.reshape(np.asarray(value), (-1,))
    return [flat[place].item() for place in range(int(flat.shape[0]))]


def number(value: Value, default: Any = None) -> Any:
    return default if value is None else numbers(value)[0]


def sizes(value: Value) -> list[Any]:
    """The numbers of a value as ints. A size that varies is handed on as it is."""
    return [int(each) if isinstance(each, float) else each for each in numbers(value)]


def product(items: Iterable[Any]) -> Any:
    """Of sizes: 1 times a size that varies would be another expression."""
    result: Any = 1
    for item in items:
        result = item if type(result) is int and result == 1 else result * item
    return result


def axis_of(axis: int, ndim: int) -> int:
    if not -ndim <= axis < max(ndim, 1):
        raise ValueError(f"axis {axis} is out of bounds for an array of {ndim} axes")
    return axis % ndim if ndim else 0


def axes_from(node: Node, given: Value, name: str = "axes") -> list[int] | None:
    """Axes, which are an attribute in older models and an input in newer ones."""
    if given is not None:
        return sizes(given)
    found = node.get(name)
    return None if found is None else [int(axis) for axis in found]


def wide(x: Any) -> Any:
    """Halves as float32: their intermediate results would be too coarse."""
    return x.astype("float32") if str(x.dtype) in ("float16", "bfloat16") else x


def like(x: Any, template: Any) -> Any:
    return x if x.dtype == template.dtype else x.astype(template.dtype)


def is_one(size: Any) -> bool:
    """Whether a size is known to be 1. One that varies is not asked, as the answer would hold for some sizes alone."""
    return type(size) is int and size == 1


def smallest_of(dtype: Any) -> Any:
    """What is not greater than any number of a dtype."""
    if is_bfloat(dtype) or numpy.dtype(dtype).kind == "f":
        return -math.inf
    return False if numpy.dtype(dtype).kind == "b" else int(numpy.iinfo(numpy.dtype(dtype)).min)


def largest_of(dtype: Any) -> Any:
    if is_bfloat(dtype) or numpy.dtype(dtype).kind == "f":
        return math.inf
    return True if numpy.dtype(dtype).kind == "b" else int(numpy.iinfo(numpy.dtype(dtype)).max)
