"""Programs over numbers as the walk over a loop writes them (``_loop_walk.py``): steps, variables and exits, for ``_core._Program``."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core

__all__ = [
    "BOOLEAN", "COMPLEX", "FLOAT", "INT", "MACHINE", "NOTHING", "TUPLE", "Choice", "Kind", "Number", "PythonKind", "Steps", "Unsupported", "has_value",
    "kind_of_number",
]  # fmt: skip


class PythonKind:
    """The kind of Python's own numbers of a type. (The types themselves would be equal to dtypes.)"""

    __slots__ = ("type",)

    def __init__(self, type: type) -> None:
        self.type = type


INT, FLOAT, BOOLEAN, COMPLEX = PythonKind(int), PythonKind(float), PythonKind(bool), PythonKind(complex)

# What a variable may be besides: Python's None, which has no value of the program, and a tuple, whose items have.
NOTHING, TUPLE = PythonKind(type(None)), PythonKind(tuple)

# A number's kind: one of these, or a dtype for NumPy's.
Kind = Any

_BY_TYPE = {each.type: each for each in (INT, FLOAT, BOOLEAN, COMPLEX)}
MACHINE: dict[Any, numpy.dtype[Any]] = {
    INT: numpy.dtype("i8"),
    FLOAT: numpy.dtype("f8"),
    BOOLEAN: numpy.dtype("?"),
    COMPLEX: numpy.dtype("c16"),
}
# No float16: where a processor converts one, it converts what lies beside it as well, whose floating-point errors would count.
_NUMPY_KINDS = {id(each): each for each in map(numpy.dtype, "? i1 u1 i2 u2 i4 u4 i8 u8 f4 f8 c8 c16".split())}
BOOL = numpy.dtype("?")
INT64 = numpy.dtype("i8")
FLOAT64 = numpy.dtype("f8")
MOST = 2**62  # of what ranges go over
MOST_SIZE = 2**63 - 1


class Unsupported(Exception):
    """What a program can't hold, with the reason."""


def plain(kind: Kind) -> Any:
    """Python's type, or the dtype."""
    return kind.type if type(kind) is PythonKind else kind


def machine(kind: Kind) -> numpy.dtype[Any]:
    """The dtype that holds a number of a kind."""
    return MACHINE[kind] if type(kind) is PythonKind else kind


def kind_of_number(value: Any) -> Kind | None:
    """The kind of a number, or None if it is none that programs have."""
    if type(value) in _BY_TYPE:
        return _BY_TYPE[type(value)]
    return _NUMPY_KINDS.get(id(value.dtype)) if isinstance(value, numpy.generic) and type(value) is value.dtype.type else None


def is_numbers_dtype(dtype: Any) -> bool:
    """Whether programs have numbers of a dtype. Kinds are compared as objects: dtypes would be equal to types, texts and None."""
    return id(dtype) in _NUMPY_KINDS


def has_value(kind: Kind | None) -> bool:
    """Whether a variable of this kind is bound to something else than None."""
    return kind is not None and kind is not NOTHING


def position_of(kinds: Any, kind: Kind) -> int:
    """Where a kind is among others; -1 if it is not."""
    return next((number for number, each in enumerate(kinds) if each is kind), -1)


class Number:
    """A number that a program computes: its kind, the step that makes it, and whole numbers that it is not below and not above, if such are known."""

    __slots__ = ("high", "id", "kind", "low")

    def __init__(self, kind: Kind, id: int, low: int | None = None, high: int | None = None) -> None:
        self.kind = kind
        self.id = id
        self.low = low
        self.high = high


class Choice:
    """A number of one of several kinds: variable `tag` says of which, and each kind has a variable of its own. Kind None: it is not bound;
    NOTHING: it is None."""

    __slots__ = ("kinds", "tag")

    def __init__(self, tag: int, kinds: list[tuple[int, Kind | None, int]]) -> None:
        self.tag = tag
        self.kinds = kinds  # (tag's value, kind, variable)

    def shared(self) -> int | None:
        """The variable that all its kinds lie in, if it is one: they are of one dtype of the machine, and it is bound."""
        variables = {variable for _, _, variable in self.kinds}
        return variables.pop() if len(variables) == 1 and all(has_value(kind) for _, kind, _ in self.kinds) else None

    def without(self, kind: Kind | None) -> Choice:
        return Choice(self.tag, [each for each in self.kinds if each[1] is not kind])

    def tag_of(self, kind: Kind | None) -> int | None:
        """The tag's value where it is of this kind; None if it never is."""
        return next((number for number, each, _ in self.kinds if each is kind), None)


class Steps:
    """A program as it is written."""

    def __init__(self) -> None:
        self.steps: list[tuple[Any, ...]] = []
        self.places: list[tuple[int, Any]] = []  # (step, the code and line of the steps from there on)
        self.variables: list[numpy.dtype[Any]] = []
        self.exits: list[list[tuple[int, Kind]]] = []
        self.numbers: list[numpy.dtype[Any]] = []  # inputs
        self.generators: set[int] = set()  # which of these are generators
        self.ranks: list[int] = []  # of arrays
        self.written: list[bool] = []
        self.array_inputs = 0
        self.of_numbers = False  # no statement computes with whole arrays
        self.made_arrays = 0  # that the program makes or points elsewhere
        self.float_ops: set[str] = set()  # of NumPy's numbers, which may have floating-point errors
        self.array_ops: set[str] = set()  # ... of arrays
        self.whole_ops: set[str] = set()  # ... which may wrap around

    # The user's lines.

    def at(self, place: tuple[Any, int] | None) -> tuple[Any, int] | None:
        """Steps from here on are of this line of a code object, by its number; gives the one so far."""
        before = self.places[-1][1] if self.places else None
        self.places.append((len(self.steps), place))
        return before

    def _lines(self) -> list[int]:
        """The numbers of the steps' lines, if anybody wants to know them."""
        if not _core._tells_lines():
            return []
        kept: list[tuple[int, Any]] = []
        for step, place in self.places:
            while kept and kept[-1][0] >= step:  # those steps are no more
                kept.pop()
            kept.append((step, place))
        lines = [0] * len(self.steps)
        for (first, place), (last, _) in zip(kept, [*kept[1:], (len(lines), None)], strict=True):
            if place is not None:
                code, number = place
                lines[first:last] = [_core._line_number(code.co_filename, code.co_name, number)] * (last - first)
        return lines

    # Steps.

    def add(
        self,
        kind: str,
        dtype: Any = BOOL,
        op: str = "",
        compute: Any = BOOL,
        a: int = -1,
        b: int = -1,
        c: int = -1,
        bits: int = 0,
        more: int = 0,
    ) -> int:
        self.steps.append((kind, op, dtype, compute, a, b, c, bits, more))
        return len(self.steps) - 1

    def variable(self, kind: Kind) -> int:
        self.variables.append(machine(kind))
        return len(self.variables) - 1

    def get(self, variable: int) -> int:
        return self.add("get", self.variables[variable], a=variable)

    def set(self, variable: int, value: int) -> None:
        self.add("set", a=variable, b=value)

    def constant(self, value: Any, dtype: numpy.dtype[Any]) -> int:
        bits, more = (_float_bits(value.real), _float_bits(value.imag)) if dtype.kind == "c" else (_bits(value, dtype), 0)
        return self.add("constant", dtype, bits=bits, more=more)

    def whole(self, value: int) -> int:
        return self.constant(value, INT64)

    def map(self, op: str, compute: Any, result: Any, *operands: int) -> int:
        if op == "divide" and (inverse := self.exact_inverse(compute, operands[1])) is not None:
            return self.add("map", result, "multiply", compute, operands[0], self.constant(inverse, compute))
        return self.add("map", result, op, compute, *operands)

    def quiet(self, op: str, x: int, y: int) -> int:
        """Arithmetic of Python's floats, whose overflow and NaN nobody is told of."""
        made = self.map(op, FLOAT64, FLOAT64, x, y)
        if self.steps[made][1] in _QUIET:
            self.steps[made] = (*self.steps[made][:7], _QUIETLY, 0)
        return made

    def exact_inverse(self, dtype: Any, value: int) -> float | None:
        """Of a constant that is a power of two: a product by it is the same as the quotient."""
        step = self.steps[value]
        if step[0] != "constant" or dtype.kind != "f" or step[2] != dtype:
            return None
        number = struct.unpack("<d", struct.pack("<Q", step[7]))[0]
        fraction, exponent = math.frexp(number) if math.isfinite(number) else (0.0, 0)
        return 1 / number if abs(fraction) == 0.5 and abs(exponent) < 100 else None

    def cast(self, value: int, source: Any, target: Any) -> int:
        return value if source == target else self.add("cast", target, a=value)

    def both(self, x: int, y: int) -> int:
        return self.map("logical_and", BOOL, BOOL, x, y)

    def either(self, x: int, y: int) -> int:
        return self.map("logical_or", BOOL, BOOL, x, y)

    def compare(self, op: str, x: int, y: int) -> int:
        """Of whole numbers."""
        return self.map(op, INT64, BOOL, x, y)

    def plus(self, x: int, y: int) -> int:
        return self.add("plus", INT64, a=x, b=y)

    def times(self, x: int, y: int) -> int:
        return self.add("times", INT64, a=x, b=y)

    # Arrays of its own, once all that are handed in are known.

    def made_array(self) -> int:
        self.made_arrays += 1
        return len(self.ranks) + self.made_arrays - 1

    def is_made(self, array: int) -> bool:
        return array >= len(self.ranks)

    def is_constant(self, value: int, number: int) -> bool:
        return self.known(value) == number

    def known(self, value: int) -> int | None:
        """A whole number's bits, if it is a constant."""
        step = self.steps[value]
        return step[7] if step[0] == "constant" and step[2] == INT64 else None

    def alike(self, x: int, y: int) -> bool:
        """Whether two values are the same by how they are made."""
        if x == y:
            return True
        mine, theirs = self.steps[x], self.steps[y]
        if mine[:4] != theirs[:4] or mine[7:] != theirs[7:] or mine[0] not in ("constant", "input", "map", "plus", "times", "select", "floored"):
            return False
        if mine[0] == "input":
            return bool(mine[4] == theirs[4])
        return all(a == b or (a >= 0 and b >= 0 and self.alike(a, b)) for a, b in zip(mine[4:7], theirs[4:7], strict=True))

    def repeat(self, goes_on: Callable[[], int], body: Callable[[], None], advance: Callable[[], None] | None = None, is_fold: bool = False) -> None:
        """A loop, as long as a condition holds. `advance`: what comes between iterations, those that a `continue` ends included."""
        self.add("loop", bits=int(is_fold))
        self.add("if", a=goes_on())
        self.add("else")
        self.add("break", a=0)
        self.add("end")
        body()
        self.add("next")
        if advance is not None:
            advance()
        self.add("end")

    def each(self, count: int, body: Callable[[int], None], is_fold: bool = False) -> None:
        """A loop over 0, 1, ... below `count`, whose body is given the number."""
        at = self.variable(INT)
        self.set(at, self.whole(0))

        def advance() -> None:
            self.set(at, self.plus(self.get(at), self.whole(1)))

        self.repeat(lambda: self.compare("less", self.get(at), count), lambda: body(self.get(at)), advance, is_fold)

    # Inputs.

    def number(self, kind: Kind) -> int:
        """One more number that is handed in; its position among these. None: a generator's address."""
        self.numbers.append(INT64 if kind is None else machine(kind))
        self.generators.add(len(self.numbers) - 1 if kind is None else -1)
        return len(self.numbers) - 1

    def array(self, rank: int) -> int:
        self.ranks.append(rank)
        self.written.append(False)
        return len(self.ranks) - 1

    def size_of(self, array: int, axis: int) -> int:
        return self.add("input", INT64, a=2 * sum(self.ranks[:array]) + axis, bits=1)

    def stride_of(self, array: int, axis: int) -> int:
        return self.add("input", INT64, a=2 * sum(self.ranks[:array]) + self.ranks[array] + axis)

    def input(self, position: int) -> int:
        """The number of this position, once all arrays are known."""
        word = 2 * sum(self.ranks) + sum(2 if each.kind == "c" else 1 for each in self.numbers[:position])
        return self.add("input", self.numbers[position], a=word)

    def program(self, apart: bool) -> Any:
        exits = [[(variable, plain(kind)) for variable, kind in each] for each in self.exits]
        numbers = [None if number in self.generators else each for number, each in enumerate(self.numbers)]
        lines, of_numbers = self._lines(), self.of_numbers
        return _core._Program(self._told(), self.variables, exits, numbers, self.ranks, self.written, self.made_arrays, apart, lines, of_numbers)

    def _told(self) -> list[tuple[Any, ...]]:
        """The steps. Where nothing tells of floating-point errors, all of them may raise flags."""
        if self.float_ops or self.array_ops:
            return self.steps
        return [(*step[:7], 0, 0) if step[0] == "map" and step[7] == _QUIETLY else step for step in self.steps]


_QUIET = frozenset(["add", "subtract", "multiply", "divide"])
_QUIETLY = 2  # as ir::Step::quiet


def _float_bits(value: Any) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", float(value)))[0])


def _bits(value: Any, dtype: numpy.dtype[Any]) -> int:
    return _float_bits(value) if dtype.kind == "f" else int(value) & (2**64 - 1)
