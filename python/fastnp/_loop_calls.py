"""What programs call: Python's functions of numbers, `math`, NumPy's ufuncs, and the user's functions, whose bodies become part of the program."""

from __future__ import annotations

import ast
import builtins
import collections
import functools
import heapq
import math
import types
from typing import TYPE_CHECKING, Any

import numpy

from fastnp import _core
from fastnp._loop_dicts import DictState, display_of
from fastnp._loop_fields import Bound
from fastnp._loop_functions import Functions, Method
from fastnp._loop_heaps import HEAPS
from fastnp._loop_list_methods import deque_of
from fastnp._loop_lists import Display, ListState
from fastnp._loop_math import MATH, Math
from fastnp._loop_nested import Nested
from fastnp._loop_program import (
    BOOL,
    BOOLEAN,
    COMPLEX,
    FLOAT,
    FLOAT64,
    INT,
    INT64,
    MOST_SIZE,
    Choice,
    Number,
    PythonKind,
    Unsupported,
    is_numbers_dtype,
    machine,
)
from fastnp._loop_values import Passed, StreamState, is_array

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Calls"]

# Functions of `math` whose results are the C library's, where these are finite; else Python looks at what went wrong.
_LIBM = {
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10", "log1p": "log1p", "sin": "sin", "cos": "cos",
    "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh",
    "acosh": "arccosh", "atanh": "arctanh", "cbrt": "cbrt", "atan2": "arctan2", "fmod": "fmod", "pow": "power",
}  # fmt: skip
_POSITIVE = frozenset(["log", "log2", "log10"])
_OF_COMPLEX = frozenset(["real", "imag", "conjugate"])
_OF_INTS = frozenset(["bit_count", "bit_length"])
_MOST_SORTED = 4  # numbers
_UFUNC_TYPE: Any = type(_core.exp) if hasattr(_core, "exp") else None


class Calls:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.functions = Functions(walk)
        self.math = Math(walk)

    # Attributes.

    def attribute(self, held: Any, name: str) -> Any:
        if is_array(held):
            return self.functions.attribute(held, name)
        if type(held) is StreamState or isinstance(held, (ListState, DictState)) or (type(held) is Number and held.kind is INT and name in _OF_INTS):
            return Method(held, name)
        if type(held) is Passed:
            return self.walk.fields.attribute(held, name)
        if type(held) is Number and held.kind is COMPLEX and name in _OF_COMPLEX:
            return Method(held, name) if name == "conjugate" else self.walk.numbers.complexes.attribute(held, name)
        if isinstance(held, types.ModuleType):
            space = vars(held)
            if name not in space:
                try:
                    return getattr(held, name)
                except AttributeError:
                    raise Unsupported(f"reads {held.__name__}.{name}") from None
            self.walk.guard(space, name, space[name])
            return self.walk.outside(space[name], name)
        if isinstance(held, type):
            return self.walk.fields.class_attribute(held, name)
        raise Unsupported(f"reads the attribute {name!r} of a {type(held).__name__}")

    # Calls.

    def call(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        if isinstance(function, _core.CompiledFunction):
            function = function.__wrapped__
        if type(function) is Passed:
            function = self.walk.fields.attribute(function, "__call__")
        if any(function is getattr(heapq, each) for each in HEAPS) and arguments and type(arguments[0]) is ListState and not named:
            return self.walk.heaps.call(function.__name__, arguments)
        if type(function) is Method and isinstance(function.of, ListState) and (function.name == "sort" or not named):
            return self.walk.list_methods.call(function.of, function.name, arguments, named)
        if type(function) is Method and type(function.of) is DictState and not named:
            return self.walk.dict_methods.call(function.of, function.name, arguments)
        if not named and (made := display_of(function, arguments)) is not None:
            return made
        if function is collections.deque and not named:
            return self.functions.checked(deque_of, arguments, {}, {})
        if type(function) is Method and type(function.of) is StreamState:
            return self.walk.draws.call(self.walk.slots.streams[function.of.name], function.name, arguments, named)
        owner = self.walk.draws.python_owner(function)
        if owner is not None:
            return self.walk.draws.call_python(owner, function.__name__, arguments, named)
        legacy = self.walk.draws.legacy_name(function)
        if legacy is not None:
            import fastnp.random  # where something is drawn

            return self.walk.draws.call_legacy(legacy, getattr(fastnp.random, legacy) is function, arguments, named)
        if type(function) is Method and type(function.of) is Number and not (arguments or named):
            of = self.walk.numbers.complexes if function.of.kind is COMPLEX else self.math
            return getattr(of, function.name)(function.of)
        if type(function) is Bound:
            return self.walk.call_function(function.function, [function.of, *arguments], named)
        if type(function) is types.FunctionType and not (function.__module__ or "").startswith(("numpy", "fastnp")):
            return self.walk.call_function(function, arguments, named)
        if type(function) is Method:
            return self.functions.method(function, arguments, named)
        arguments, named = list(map(self.walk.sure, arguments)), {name: self.walk.sure(each) for name, each in named.items()}
        found = Functions.name_of(function)
        if found is not None:
            return self.functions.call(*found, arguments, named)
        name = str(getattr(function, "__name__", ""))
        is_of_math = getattr(function, "__module__", "") == "math" and getattr(math, name, None) is function
        if named and not (is_of_math and name in MATH):
            raise Unsupported(f"calls {_name_of(function)} with keywords")
        if isinstance(function, (types.BuiltinFunctionType, type)):
            if is_of_math:
                return self.of_math(name, arguments, named)
            method = getattr(self, f"call_{name}", None)
            if method is not None and getattr(builtins, name, None) is function:
                return self.functions.checked(method, arguments, {}, {})
            if isinstance(function, type) and issubclass(function, numpy.generic) and len(arguments) == 1:
                return self.made_scalar(function, arguments[0])
        ufunc = self.ufunc_name(function)
        if ufunc is not None and 1 <= len(arguments) <= 2:
            return self.of_ufunc(ufunc, arguments)
        raise Unsupported(f"calls {_name_of(function)}")

    @staticmethod
    def ufunc_name(function: Any) -> str | None:
        if isinstance(function, numpy.ufunc) or type(function) is _UFUNC_TYPE:
            return str(function.__name__)
        return None

    def numbers_of(self, arguments: list[Any]) -> None:
        if any(is_array(each) or type(each) is tuple for each in arguments):
            raise Unsupported("calls a function of whole arrays")

    def made_scalar(self, cls: Any, value: Any) -> Any:
        self.numbers_of([value])
        dtype = numpy.dtype(cls)
        if not is_numbers_dtype(dtype):
            raise Unsupported(f"makes a numpy.{cls.__name__}")
        elements = self.walk.elements
        return self.walk.each(value, lambda each: Number(dtype, elements.as_dtype(self.walk.numbers.number(each), dtype)))

    # Python's functions.

    def call_abs(self, x: Any) -> Any:
        if is_array(x):
            return self.walk.arrays.unary("absolute", x)
        self.numbers_of([x])

        def of(x: Any) -> Any:
            if type(x) is not Number:
                return self.walk.numbers.folded(abs, x)
            if type(x.kind) is not PythonKind:
                return self.walk.numbers.numpy_unary("absolute", x)
            steps = self.walk.steps
            if x.kind is COMPLEX:
                return self.walk.numbers.complexes.absolute(x)
            if x.kind is FLOAT:
                return Number(FLOAT, steps.map("absolute", FLOAT64, FLOAT64, x.id))
            value = self.walk.numbers.whole(x)
            self.walk.leave(steps.compare("not_equal", value, steps.whole(-(2**63))))
            return Number(INT, steps.map("absolute", INT64, INT64, value), 0)

        return self.walk.each(x, of)

    def call_min(self, *values: Any) -> Any:
        return self.extreme(ast.Lt(), values)

    def call_max(self, *values: Any) -> Any:
        return self.extreme(ast.Gt(), values)

    def extreme(self, op: ast.cmpop, values: tuple[Any, ...]) -> Any:
        """The first of those that no other one is beyond."""
        if len(values) == 1 and type(values[0]) is tuple:
            values = values[0]
        if len(values) < 2:
            raise Unsupported("takes the extreme of an array")
        self.numbers_of(list(values))
        best = values[0]
        for each in values[1:]:
            better = self.walk.conditions.as_truth(self.walk.conditions.compared(op, each, best))
            if type(better) is bool:
                best = each if better else best
                continue
            best = self.bounded(op, self.chosen(better, each, best), each, best)
        return best

    def bounded(self, op: ast.cmpop, found: Any, x: Any, y: Any) -> Any:
        """The larger of two whole numbers is not below either, nor the smaller above."""
        if type(found) is not Number or found.kind is not INT:
            return found
        a, b = (self.walk.numbers.number(each) for each in (x, y))
        if isinstance(op, ast.Gt):
            lows = [each.low for each in (a, b) if each.low is not None]
            return Number(INT, found.id, max(lows, default=None), found.high)
        highs = [each.high for each in (a, b) if each.high is not None]
        return Number(INT, found.id, found.low, min(highs, default=None))

    def chosen(self, condition: int, x: Any, y: Any) -> Any:
        """One of two numbers: without a branch where both are of one kind."""
        numbers = self.walk.numbers
        if type(x) is not Choice and type(y) is not Choice:
            a, b = numbers.number(x), numbers.number(y)
            if a.kind is b.kind:
                low = None if a.low is None or b.low is None else min(a.low, b.low)
                high = None if a.high is None or b.high is None else max(a.high, b.high)
                dtype = self.walk.steps.steps[a.id][2]
                return Number(a.kind, self.walk.steps.add("select", dtype, a=condition, b=a.id, c=b.id), low, high)
        return self.walk.one_of([(condition, lambda: x), (-1, lambda: y)])

    def call_int(self, x: Any = 0) -> Any:
        self.numbers_of([x])
        return self.walk.each(x, self.walk.numbers.to_int)

    def call_float(self, x: Any = 0.0) -> Any:
        if type(x) is str:
            return self.of_text(x)
        self.numbers_of([x])
        return self.walk.each(x, self.walk.numbers.to_float)

    @staticmethod
    def of_text(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            raise Unsupported("raises ValueError") from None

    def call_complex(self, real: Any = 0.0, imag: Any = 0.0) -> Any:
        self.numbers_of([real, imag])
        if any(type(each) is Choice or (type(each) is Number and machine(each.kind).kind == "c") for each in (real, imag)):
            raise Unsupported("makes a complex number of such numbers")
        if type(real) is not Number and type(imag) is not Number:
            return self.walk.numbers.folded(complex, real, imag)
        parts = [self.walk.numbers.number(self.walk.numbers.to_float(each)).id for each in (real, imag)]
        return self.walk.numbers.complexes.number((parts[0], parts[1]))

    def call_bool(self, x: Any = False) -> Any:
        test = self.walk.conditions.as_truth(x)
        return test if type(test) is bool else Number(BOOLEAN, test)

    def call_len(self, x: Any) -> Any:
        if type(x) in (tuple, str):
            return len(x)
        if isinstance(x, ListState):
            return Number(INT, self.walk.lists.length(x), 0, MOST_SIZE)
        if type(x) is DictState:
            return Number(INT, self.walk.dicts.length(x), 0, MOST_SIZE)
        if type(x) is Nested:
            return self.walk.tables.length(x)
        if is_array(x) and x.sizes:
            return Number(INT, x.sizes[0], 0, MOST_SIZE)
        raise Unsupported("takes the length of something that is no array")

    def call_divmod(self, x: Any, y: Any) -> Any:
        self.numbers_of([x, y])
        return self.math.divmod(x, y)

    def call_pow(self, base: Any, exponent: Any, modulus: Any = None) -> Any:
        self.numbers_of([base, exponent, modulus])
        if modulus is None:
            return self.walk.binary(ast.Pow(), base, exponent)
        if all(type(each) is int for each in (base, exponent, modulus)):
            return self.walk.numbers.folded(pow, base, exponent, modulus)
        return self.math.power_of(base, exponent, modulus)

    def call_sorted(self, iterable: Any) -> Any:
        """Of a few numbers: neighbours change places where the second one is less, so equal ones stay in their order."""
        items = list(iterable) if type(iterable) is tuple else iterable.items if type(iterable) is Display and iterable.times == 1 else []
        if not 1 <= len(items) <= _MOST_SORTED:
            raise Unsupported("sorts something else than a few numbers")
        self.numbers_of(items)
        for each in items if len(items) > 2 else []:
            test = self.walk.conditions.as_truth(self.walk.conditions.compared(ast.Eq(), each, each))  # no NaN
            self.walk.leave(self.walk.steps.constant(test, BOOL) if type(test) is bool else test)
        for end in range(len(items) - 1, 0, -1):
            for place in range(end):
                x, y = items[place : place + 2]
                swaps = self.walk.conditions.as_truth(self.walk.conditions.compared(ast.Lt(), y, x))
                if type(swaps) is bool:
                    items[place : place + 2] = (y, x) if swaps else (x, y)
                else:
                    items[place : place + 2] = self.chosen(swaps, y, x), self.chosen(swaps, x, y)
        return Display(items)

    def call_round(self, x: Any, digits: Any = None) -> Any:
        self.numbers_of([x])
        if type(digits) is int and type(x) is Number and x.kind is FLOAT:
            return self.math.rounded(x, digits)
        if digits is not None:
            if type(digits) is int and type(x) is Number and type(x.kind) is not PythonKind:
                return self.functions.rounded_number(x, digits)
            if type(x) in (Number, Choice) or type(digits) in (Number, Choice):
                raise Unsupported("rounds to a number of digits")
            return self.walk.numbers.folded(round, x, digits)

        def of(x: Any) -> Any:
            if type(x) is not Number:
                return self.walk.numbers.folded(round, x)
            if x.kind is INT or x.kind is BOOLEAN:
                return Number(INT, self.walk.numbers.whole(x), x.low)
            if x.kind is not FLOAT and x.kind is not FLOAT64:
                raise Unsupported("rounds NumPy's numbers")
            nearest = self.walk.steps.map("rint", FLOAT64, FLOAT64, x.id)
            return Number(INT, self.walk.numbers.truncated(nearest))

        return self.walk.each(x, of)

    # math

    def of_math(self, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        if name in MATH and any(type(each) in (Number, tuple) for each in (*arguments, *named.values())):
            if any(type(each) is Choice for each in (*arguments, *named.values())):
                raise Unsupported(f"calls math.{name} with numbers of several kinds")
            return self.math.call(name, arguments, named)
        self.numbers_of(arguments)
        if all(type(each) not in (Number, Choice) for each in arguments):
            return self.walk.numbers.folded(functools.partial(getattr(math, name), **named), *arguments)
        if name == "log" and len(arguments) == 2:
            x, base = (self.of_math(name, [each], {}) for each in arguments)
            return self.walk.binary(ast.Div(), x, base)
        if name in ("floor", "ceil", "trunc") and len(arguments) == 1:
            return self.walk.each(arguments[0], functools.partial(self.whole_of, name))
        floats = [self.walk.each(each, self.walk.numbers.to_float) for each in arguments]
        values = [self.walk.numbers.number(each).id for each in floats]
        steps, leave = self.walk.steps, self.walk.leave
        if name == "sqrt" and len(values) == 1:
            leave(steps.map("greater_equal", FLOAT64, BOOL, values[0], steps.constant(0.0, FLOAT64)))
            return Number(FLOAT, steps.map("sqrt", FLOAT64, FLOAT64, values[0]))
        if name == "fabs" and len(values) == 1:
            return Number(FLOAT, steps.map("absolute", FLOAT64, FLOAT64, values[0]))
        if name in ("isnan", "isinf", "isfinite") and len(values) == 1:
            return Number(BOOLEAN, steps.map(name, FLOAT64, BOOL, values[0]))
        if name == "copysign" and len(values) == 2:
            return Number(FLOAT, steps.map(name, FLOAT64, FLOAT64, *values))
        op = _LIBM.get(name)
        if op is None or len(values) != (2 if op in ("arctan2", "fmod", "power") else 1):
            raise Unsupported(f"calls math.{name}")
        if name in _POSITIVE:
            leave(steps.map("greater", FLOAT64, BOOL, values[0], steps.constant(0.0, FLOAT64)))
        result = steps.add("libm", FLOAT64, op, FLOAT64, *values)
        for each in (*values, result):
            leave(self.walk.numbers.is_finite(each))
        return Number(FLOAT, result)

    def whole_of(self, name: str, x: Number) -> Any:
        """`math.floor`, `ceil` and `trunc`"""
        numbers = self.walk.numbers
        if x.kind is INT or x.kind is BOOLEAN:
            return numbers.to_int(x)
        if name == "trunc" and x.kind is not FLOAT and x.kind is not FLOAT64:
            raise Unsupported("raises TypeError")  # others of NumPy's don't have it
        value = numbers.number(numbers.to_float(x)).id
        return Number(INT, numbers.truncated(value if name == "trunc" else self.walk.steps.map(name, FLOAT64, FLOAT64, value)))

    # NumPy's ufuncs

    def of_ufunc(self, name: str, arguments: list[Any]) -> Any:
        if any(map(is_array, arguments)):
            arrays = self.walk.arrays
            return arrays.unary(name, *arguments) if len(arguments) == 1 else arrays.binary(name, *arguments)
        self.numbers_of(arguments)
        walk = self.walk
        if len(arguments) == 1:
            return walk.each(arguments[0], lambda x: self.unary_ufunc(name, walk.numbers.number(x)))
        x, y = arguments
        return walk.each(x, lambda a: walk.each(y, lambda b: walk.numbers.numpy_binary(name, walk.numbers.number(a), walk.numbers.number(b))))

    def unary_ufunc(self, name: str, x: Number) -> Number:
        steps = self.walk.steps
        made = self.walk.numbers.numpy_unary(name, x)
        last = steps.steps[made.id]
        if name in ("sqrt", "log", "log2", "log10") and last[0] == "map" and last[3].kind == "f":  # of negative numbers it warns
            is_wrong = steps.map("less" if name == "sqrt" else "less_equal", last[3], BOOL, last[4], steps.constant(0.0, last[3]))
            self.walk.leave(steps.map("logical_not", BOOL, BOOL, is_wrong))
        return made


def _name_of(function: Any) -> str:
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", type(function).__name__)
    return f"{module}.{name}" if module and module != "builtins" else str(name)
