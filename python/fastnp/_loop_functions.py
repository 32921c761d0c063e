"""NumPy's functions and methods of arrays in programs, by their names: each takes the arguments as they are written and gives what it computes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy

import fastnp
from fastnp._loop_forms import Forms
from fastnp._loop_joins import Joins
from fastnp._loop_lists import Display, ListState
from fastnp._loop_program import FLOAT64, INT, INT64, MOST_SIZE, Number, Unsupported, machine
from fastnp._loop_statistics import Statistics
from fastnp._loop_values import Lazy, View, is_array, part_of

__all__ = ["FUNCTIONS", "METHODS", "Functions", "Method"]

_REDUCTIONS = {"sum": "sum", "prod": "prod", "max": "max", "amax": "max", "min": "min", "amin": "min", "any": "any", "all": "all", "mean": "mean"}


class Method:
    """A method of an array, not called yet."""

    __slots__ = ("name", "of")

    def __init__(self, of: Any, name: str) -> None:
        self.of = of
        self.name = name


class Functions(Joins, Statistics, Forms):
    """All of them."""

    # What is called.

    @staticmethod
    def name_of(function: Any) -> tuple[str, bool] | None:
        """The function's name and whether it is fastnp's, if programs have it."""
        name = getattr(function, "__name__", "")
        if name not in FUNCTIONS or isinstance(function, type):
            return None
        for module, ours in ((numpy, False), (fastnp, True), (numpy.linalg, False), (fastnp.linalg, True)):
            if getattr(module, name, None) is function:
                return name, ours
        return None

    def call(self, name: str, ours: bool, arguments: list[Any], named: dict[str, Any]) -> Any:
        return self.checked(getattr(self, f"call_{name}", None) or self.reduction(name), arguments, named, {"ours": ours} if name in _MADE else {})

    def method(self, method: Method, arguments: list[Any], named: dict[str, Any]) -> Any:
        name = method.name
        made = getattr(self, f"method_{name}", None) or getattr(self, f"call_{name}", None) or self.reduction(name)
        return self.checked(made, [method.of, *arguments], named, {})

    @staticmethod
    def checked(made: Callable[..., Any], arguments: list[Any], named: dict[str, Any], more: dict[str, Any]) -> Any:
        try:
            inspect.signature(made).bind(*arguments, **named, **more)
        except TypeError:
            raise Unsupported(f"calls {made.__name__.partition('_')[2]}() with other arguments") from None
        return made(*arguments, **named, **more)

    def reduction(self, name: str) -> Callable[..., Any]:
        fold = getattr(self.walk.arrays, _REDUCTIONS[name])

        def reduce(a: Any, axis: Any = None) -> Any:
            return self.walk.arrays.folded(self.array(a), axis, fold)

        return reduce

    # New arrays.

    def filled(self, sizes: list[int], value: Any, dtype: numpy.dtype[Any], ours: bool) -> View:
        elements, arrays = self.walk.elements, self.walk.arrays
        element = None if value is None else elements.as_dtype(self.walk.numbers.number(value), dtype)
        view = arrays.new(dtype, sizes, ours)
        if element is not None:
            arrays.fill(view, Lazy(dtype, sizes, lambda _: element, [], ours))
        return view

    def call_zeros(self, shape: Any, dtype: Any = float, *, ours: bool) -> View:
        return self.filled(self.sizes(shape), 0, self.dtype(dtype), ours)

    def call_ones(self, shape: Any, dtype: Any = float, *, ours: bool) -> View:
        return self.filled(self.sizes(shape), 1, self.dtype(dtype), ours)

    def call_empty(self, shape: Any, dtype: Any = float, *, ours: bool) -> View:
        return self.filled(self.sizes(shape), None, self.dtype(dtype), ours)

    def call_full(self, shape: Any, fill_value: Any, dtype: Any = None, *, ours: bool) -> View:
        number = self.walk.numbers.number(fill_value)
        return self.filled(self.sizes(shape), number, machine(number.kind) if dtype is None else self.dtype(dtype), ours)

    def like(self, a: Any, value: Any, dtype: Any, ours: bool) -> View:
        x = self.walk.arrays.lazy(self.array(a))
        return self.filled(x.sizes, value, x.dtype if dtype is None else self.dtype(dtype), ours or x.ours)

    def call_zeros_like(self, a: Any, dtype: Any = None, *, ours: bool) -> View:
        return self.like(a, 0, dtype, ours)

    def call_ones_like(self, a: Any, dtype: Any = None, *, ours: bool) -> View:
        return self.like(a, 1, dtype, ours)

    def call_empty_like(self, prototype: Any, dtype: Any = None, *, ours: bool) -> View:
        return self.like(prototype, None, dtype, ours)

    def call_full_like(self, a: Any, fill_value: Any, dtype: Any = None, *, ours: bool) -> View:
        return self.like(a, self.walk.numbers.number(fill_value), dtype, ours)

    def call_copy(self, a: Any, *, ours: bool) -> View:
        return self.copied(a, ours)

    def call_array(self, object: Any, *, ours: bool) -> View:
        if type(object) is tuple:
            return self.of_numbers(list(object), ours)
        if type(object) is Display and object.times == 1:
            return self.of_numbers(object.items, ours)
        return self.of_list(object, ours) if type(object) is ListState else self.copied(object, ours)

    def call_asarray(self, a: Any, *, ours: bool) -> View:
        if type(a) is tuple or (type(a) is Display and a.times == 1):
            return self.call_array(a, ours=ours)
        if type(a) is not ListState:
            raise Unsupported("calls asarray() with something that is no list")
        return self.of_list(a, ours)

    def copied(self, a: Any, ours: bool) -> View:
        x = self.walk.arrays.lazy(self.array(a))
        return self.walk.arrays.stored(Lazy(x.dtype, x.sizes, x.element, x.reads, ours))

    def method_copy(self, a: Any) -> View:
        return self.walk.arrays.stored(self.walk.arrays.lazy(a))

    def method_astype(self, a: Any, dtype: Any) -> View:
        x, to = self.walk.arrays.lazy(a), self.dtype(dtype)
        if not (numpy.can_cast(x.dtype, to, "same_kind") or x.dtype.kind == "b"):
            raise Unsupported(f"makes {to} of {x.dtype}")
        return self.walk.arrays.stored(x, to)

    def method_fill(self, a: Any, value: Any) -> None:
        if type(a) is not View or is_array(value):
            raise Unsupported("fills something that is no array")
        self.walk.elements.expect_nothing_pending()
        self.walk.elements.expect_writeable(a)
        self.walk.elements.fill(a, self.walk.elements.element_for(a, value))

    def method_item(self, a: Any, *at: Any) -> Any:
        if type(a) is not View or len(at) != len(a.sizes):
            raise Unsupported("takes an item of an array")
        elements = self.walk.elements
        if not all(map(elements.is_whole, at)):
            raise Unsupported("takes an item by something that is no whole number")
        number = elements.load(elements.place_of(a, list(at)))
        if number.kind.kind == "f":
            return self.walk.numbers.to_float(number)
        if number.kind.kind not in "iu":
            raise Unsupported("takes an item of such a dtype")
        return self.walk.numbers.to_int(number)

    def call_arange(self, stop: Any, *, ours: bool) -> View:
        if type(stop) is tuple or (type(stop) is Number and machine(stop.kind) == numpy.dtype("u8")):
            raise Unsupported("counts up to something else than one whole number")
        (size,) = self.sizes(stop)
        return self.walk.arrays.stored(Lazy(INT64, [size], lambda at: at[0], [], ours))

    def call_eye(self, N: Any, M: Any = None, dtype: Any = float, *, ours: bool) -> View:
        return self.unit(N, M, self.dtype(dtype), ours)

    def call_identity(self, n: Any, dtype: Any = None, *, ours: bool) -> View:
        return self.unit(n, None, FLOAT64 if dtype is None else self.dtype(dtype), ours)

    # Parts.

    def call_flip(self, m: Any, axis: Any = None) -> View:
        view, steps = self.view(m), self.steps
        axes = range(len(view.sizes)) if axis is None else [axis]
        offset, strides = view.offset, list(view.strides)
        if any(type(each) is not int or not -len(strides) <= each < len(strides) for each in axes):
            raise Unsupported("flips along such an axis")
        for each in axes:
            last = steps.plus(view.sizes[each], steps.whole(-1))
            none = steps.compare("less", last, steps.whole(0))
            last = steps.add("select", INT64, a=none, b=steps.whole(0), c=last)
            offset = self.walk.elements.moved(view, each, last, offset)
            strides[each] = steps.times(strides[each], steps.whole(-1))
        return View(view.array, view.dtype, offset, view.sizes, strides, part_of(view.recipe, (None,)), view.origins)

    def call_transpose(self, a: Any) -> View:
        view = self.view(a)
        return View(view.array, view.dtype, view.offset, view.sizes[::-1], view.strides[::-1], part_of(view.recipe, (None,)), view.origins)

    # What is computed.

    def call_where(self, condition: Any, x: Any, y: Any) -> Any:
        if not any(map(is_array, (condition, x, y))):
            raise Unsupported("makes an array of numbers")
        return self.walk.arrays.where(condition, x, y)

    def call_dot(self, a: Any, b: Any) -> Any:
        a, b = (self.as_array(each) for each in (a, b))
        if not (is_array(a) or is_array(b)):
            raise Unsupported("has a product of numbers")
        return self.walk.products.product(a, b) if is_array(a) and is_array(b) else self.walk.arrays.binary("multiply", a, b)

    def call_matmul(self, x1: Any, x2: Any) -> Any:
        return self.walk.products.product(x1, x2)

    def call_inner(self, a: Any, b: Any) -> Any:
        if not all(is_array(each) and len(each.sizes) == 1 for each in (a, b)):
            raise Unsupported("has an inner product of other arrays than vectors")
        return self.walk.products.product(a, b)

    def call_outer(self, a: Any, b: Any) -> Any:
        x, y = (self.walk.arrays.lazy(self.array(each)) for each in (a, b))
        if len(x.sizes) != 1 or len(y.sizes) != 1:
            raise Unsupported("has an outer product of other arrays than vectors")
        column = Lazy(x.dtype, [x.sizes[0], self.steps.whole(1)], lambda at: x.element(at[:1]), x.reads, x.ours)
        return self.walk.arrays.binary("multiply", column, y)

    def call_norm(self, x: Any) -> Any:
        return self.walk.products.norm(self.array(x))

    def call_argmax(self, a: Any) -> Any:
        return self.walk.arrays.argument("greater", self.walk.arrays.lazy(self.array(a)))

    def call_argmin(self, a: Any) -> Any:
        return self.walk.arrays.argument("less", self.walk.arrays.lazy(self.array(a)))

    # Attributes.

    def attribute(self, held: Any, name: str) -> Any:
        sizes = [Number(INT, size, 0, MOST_SIZE) for size in held.sizes]
        if name == "shape":
            return tuple(sizes)
        if name == "ndim":
            return len(sizes)
        if name == "size":
            total: Any = 1
            for size in sizes:
                total = size if total == 1 else Number(INT, self.steps.times(total.id, size.id), 0)
            return total
        if name == "dtype":
            return held.dtype
        if name == "T":
            return self.call_transpose(held)
        if name in METHODS:
            return Method(held, name)
        raise Unsupported(f"reads the attribute {name!r} of an array")


_CALLS = {name.removeprefix("call_"): made for name, made in inspect.getmembers(Functions, inspect.isfunction) if name.startswith("call_")}
_MADE = frozenset(name for name, made in _CALLS.items() if "ours" in inspect.signature(made).parameters)  # which are somebody's
FUNCTIONS = frozenset([*_CALLS, *_REDUCTIONS])
METHODS = frozenset(name.removeprefix("method_") for name in dir(Functions) if name.startswith("method_")) | {
    name for name in FUNCTIONS if hasattr(numpy.ndarray, name)
}
