"""Random numbers in programs: those of NumPy's generators, one after the other, by the functions that their bit generators lend out.

What was drawn can't be given back, so nothing may leave a program in a statement after it has drawn: checks come first, and a number that is compared
or computed with is drawn after the other operand is there.
"""

from __future__ import annotations

import ast
import random
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from fastnp import _core, _syntax
from fastnp._loop_lists import Display
from fastnp._loop_program import BOOL, BOOLEAN, FLOAT, FLOAT64, INT, INT64, Number, PythonKind, Unsupported, machine
from fastnp._loop_scan import DRAWS, FAR
from fastnp._loop_values import Lazy, View, is_array

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Draws", "Drawn", "Stream", "is_generator"]

_HALF = FAR // 2
# Ways to draw, as the step has them (codegen/program_draw.cpp).
_UNIFORM, _NORMAL, _EXPONENTIAL, _GAUSS, _LEGACY_NORMAL, _LEGACY_EXPONENTIAL = range(6)
_INTEGER, _BELOW, _MASKED = range(3)
# Of RandomState: what takes its words alone, and what goes by a number that it keeps.
_OF_WORDS = ("rand", "random", "random_sample", "uniform", "randint", "exponential", "standard_exponential")
_OF_PAIRS = ("randn", "normal", "standard_normal")


def _loaded() -> list[Any]:
    """NumPy's `random` and that of this package, as far as they were imported: nothing of theirs can be met before (15 ms)."""
    return [sys.modules[name] for name in ("numpy.random", "fastnp.random") if name in sys.modules]


def is_generator(value: Any) -> bool:
    return any(type(value) is module.Generator for module in _loaded()) or is_of_python(value) or is_random_state(value)


def is_random_state(value: Any) -> bool:
    return any(type(value) is module.RandomState for module in _loaded())


def _global_state() -> Any:
    """NumPy's global RandomState, whose methods the functions of `numpy.random` are."""
    return numpy.random.mtrand._rand


def stand_in(sizes: list[int], dtype: numpy.dtype[Any] = FLOAT64) -> Lazy:
    """An array of these sizes, for checks."""

    def element(_: list[int]) -> int:
        raise AssertionError("a stand-in has no elements")

    return Lazy(dtype, sizes, element, [], False)


def is_of_python(value: Any) -> bool:
    """Whether it is a generator of Python's module `random`."""
    return type(value) is random.Random and not _METHODS.keys() & vars(value).keys() and _core._lends_python_random()


class Stream:
    """A generator: the value that is its bit generator's address. `is_ours`: the arrays that it gives are fastnp's."""

    __slots__ = ("id", "is_legacy", "is_of_python", "is_ours")

    def __init__(self, id: int, is_legacy: bool, is_of_python: bool = False, is_ours: bool = False) -> None:
        self.id = id
        self.is_of_python = is_of_python
        self.is_ours = is_ours
        self.is_legacy = is_legacy  # a RandomState

    @property
    def normal(self) -> int:
        return _LEGACY_NORMAL if self.is_legacy else _NORMAL

    @property
    def exponential(self) -> int:
        return _LEGACY_EXPONENTIAL if self.is_legacy else _EXPONENTIAL


class Drawn:
    """A number or an array that is still to be drawn, or to be computed of what is."""

    __slots__ = ("between", "draw", "number", "sizes")

    def __init__(self, draw: Callable[[], Any], between: tuple[int | None, int | None] = (None, None), sizes: list[int] | None = None) -> None:
        self.draw = draw
        self.between = between  # whole numbers that it is not below and not above, if such are known
        self.sizes = sizes  # of an array
        self.number: Any = None


class Draws:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps
        self.waiting: list[Drawn] = []
        self.known: list[Any] = []  # generators that are no arguments
        self.python = PythonDraws(self)

    @staticmethod
    def legacy_name(function: Any) -> str | None:
        """Which function of NumPy's global RandomState it is."""
        modules = _loaded()
        for name in (*_OF_WORDS, *_OF_PAIRS) if modules else ():
            if function == getattr(_global_state(), name) or vars(modules[-1]).get(name) is function:
                return name
        return None

    def call_legacy(self, name: str, is_ours: bool, arguments: list[Any], named: dict[str, Any]) -> Any:
        state = _global_state()
        if all(each is not state for each in self.known):
            self.known.append(state)
        stream = Stream(self.walk.stream_of(state), True, False, is_ours)
        return self.call(stream, name, arguments, named)

    @staticmethod
    def python_owner(function: Any) -> Any:
        """The generator of Python's whose method it is, as the functions of `random` are; else None."""
        owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
        if not is_of_python(owner):
            return None
        is_its = getattr(function, "__func__", None) is vars(random.Random).get(name) or isinstance(function, types.BuiltinMethodType)
        return owner if is_its else None

    def call_python(self, owner: Any, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        return self.call(Stream(self.walk.stream_of(owner), False, True), name, arguments, named)

    def call(self, stream: Stream, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        if stream.is_of_python:
            if name not in _OF_PYTHON or any(getattr(random.Random, each) is not method for each, method in _METHODS.items()):
                raise Unsupported(f"draws by random.{name}")
            for each, method in _METHODS.items():
                self.walk.guard(random.Random, each, method)
            return self.walk.calls.functions.checked(getattr(self.python, f"draw_{name}"), [stream, *arguments], named, {})
        if not hasattr(numpy.random.RandomState if stream.is_legacy else numpy.random.Generator, name):
            raise Unsupported(f"draws by {name}")
        if stream.is_legacy and name in _OF_PAIRS and not _core._lends_random_states():
            raise Unsupported("draws by a number that RandomState keeps")
        if name in ("rand", "randn"):
            arguments, named = [], {"size": tuple(arguments)} if arguments else {}
        name = {"rand": "random", "random_sample": "random", "randn": "standard_normal"}.get(name, name)
        if name not in DRAWS or not hasattr(self, f"draw_{name}"):
            raise Unsupported(f"draws by {name}")
        return self.walk.calls.functions.checked(getattr(self, f"draw_{name}"), [stream, *arguments], named, {})

    @staticmethod
    def has_draws(statement: ast.Assign) -> bool:
        """Whether its value may draw, and nothing is called for its target."""
        value, target = (_syntax.walk(each) for each in (statement.value, statement.targets[0]))
        return any(isinstance(each, ast.Attribute) and each.attr in DRAWS for each in value) and not any(isinstance(each, ast.Call) for each in target)

    # Distributions

    def draw_random(self, stream: Stream, size: Any = None) -> Any:
        return self.drawn(stream, size, lambda: self.real(stream, _UNIFORM))

    def draw_standard_normal(self, stream: Stream, size: Any = None) -> Any:
        return self.drawn(stream, size, lambda: self.real(stream, stream.normal))

    def draw_standard_exponential(self, stream: Stream, size: Any = None) -> Any:
        return self.drawn(stream, size, lambda: self.real(stream, stream.exponential))

    def draw_uniform(self, stream: Stream, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        steps, first, last = self.steps, self.number(low), self.number(high)
        room = steps.map("subtract", FLOAT64, FLOAT64, last, first)
        self.walk.leave(self.walk.numbers.is_finite(room))
        if not stream.is_legacy:
            self.walk.leave(steps.map("greater_equal", FLOAT64, BOOL, room, steps.constant(0.0, FLOAT64)))
        return self.drawn(stream, size, lambda: self.moved(first, room, stream, _UNIFORM))

    def draw_normal(self, stream: Stream, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        first, by = self.number(loc), self.scale(scale)
        return self.drawn(stream, size, lambda: self.moved(first, by, stream, stream.normal))

    def draw_exponential(self, stream: Stream, scale: Any = 1.0, size: Any = None) -> Any:
        by = self.scale(scale)
        return self.drawn(stream, size, lambda: self.steps.map("multiply", FLOAT64, FLOAT64, by, self.real(stream, stream.exponential)))

    def draw_integers(self, stream: Stream, low: Any, high: Any = None, size: Any = None) -> Any:
        return self.integers(stream, low, high, size, INT64, _INTEGER)

    def draw_randint(self, stream: Stream, low: Any, high: Any = None, size: Any = None) -> Any:
        return self.integers(stream, low, high, size, INT, _MASKED)

    def integers(self, stream: Stream, low: Any, high: Any, size: Any, kind: Any, way: int) -> Any:
        steps, numbers = self.steps, self.walk.numbers
        first, last = (0, low) if high is None else (low, high)
        bounds = []
        for each in (first, last):
            number = numbers.number(each)
            if not self.walk.elements.is_whole(number):
                raise Unsupported("draws integers between other numbers")
            bounds.append(numbers.to_int(number).id)
            numbers.within(bounds[-1], -(2**61), 2**61)
        room = steps.plus(steps.plus(bounds[1], steps.times(bounds[0], steps.whole(-1))), steps.whole(-1))
        if type(first) is not int or type(last) is not int or first >= last:
            self.walk.leave(steps.compare("greater_equal", room, steps.whole(0)))
        between: tuple[int | None, int | None] = (None, None)
        if kind is INT:  # Python's ints must not overflow
            between = (first if type(first) is int else -(2**61), last - 1 if type(last) is int else 2**61)
        return self.drawn(stream, size, lambda: steps.plus(bounds[0], steps.add("draw", INT64, a=stream.id, b=room, bits=way)), kind, INT64, between)

    def number(self, x: Any) -> int:
        return int(self.walk.numbers.number(self.walk.each(x, self.walk.numbers.to_float)).id)

    def scale(self, x: Any) -> int:
        """Leaves where it has the sign: NumPy raises."""
        steps, value = self.steps, self.number(x)
        sign = steps.map("signbit", FLOAT64, BOOL, value)
        self.walk.leave(steps.map("logical_not", BOOL, BOOL, sign))
        return value

    def real(self, stream: Stream, kind: int) -> int:
        return self.steps.add("draw", FLOAT64, a=stream.id, bits=kind)

    def moved(self, first: int, by: int, stream: Stream, kind: int) -> int:
        scaled = self.steps.map("multiply", FLOAT64, FLOAT64, by, self.real(stream, kind))
        return self.steps.map("add", FLOAT64, FLOAT64, first, scaled)

    # What is drawn

    def drawn(
        self,
        stream: Stream | None,
        size: Any,
        element: Callable[[], int],
        kind: Any = FLOAT,
        dtype: numpy.dtype[Any] = FLOAT64,
        between: tuple[int | None, int | None] = (None, None),
    ) -> Any:
        if size is None:
            made = Drawn(lambda: Number(kind, element(), *between), between)
        else:
            sizes = self.walk.calls.functions.sizes(size)
            made = Drawn(lambda: self.array(sizes, element, dtype, stream is not None and stream.is_ours), sizes=sizes)
        self.waiting.append(made)
        return made

    def beside(self, x: Any, other: Any) -> Any:
        """A number that is computed with beside one that is still to be drawn: what could overflow leaves before."""
        low, high = other.between if type(other) is Drawn else (None, None)
        is_small = low is not None and high is not None and low >= -_HALF and high <= _HALF
        if not is_small or type(x) is not Number or x.kind is not INT or x.low is not None:
            return x
        self.walk.numbers.within(x.id, -_HALF, _HALF)
        return Number(INT, x.id, -_HALF, _HALF)

    def computed(self, x: Any, y: Any, compute: Callable[[Any, Any], Any]) -> Any:
        """Of what is still to be drawn. An array is computed later, so that checks of whatever becomes of it come before, too."""
        sizes = [each for each in (self.sizes_of(x), self.sizes_of(y)) if each is not None]
        if not sizes or not any(type(each) is Drawn for each in (x, y)) or not all(self.is_elementwise(each) for each in (x, y)):
            return compute(self.forced(x), self.forced(y))
        with self.walk.checking_first():
            together, _ = self.walk.arrays.broadcast([stand_in(each) for each in sizes])
        made = Drawn(lambda: compute(self.forced(x), self.forced(y)), sizes=together)
        self.waiting.append(made)
        return made

    @staticmethod
    def sizes_of(x: Any) -> list[int] | None:
        return x.sizes if type(x) is Drawn or is_array(x) else None

    @staticmethod
    def is_elementwise(x: Any) -> bool:
        return type(x) in (Drawn, Number, int, float, bool) or is_array(x)

    def expect_fits(self, place: Any, value: Any) -> None:
        """Before an array is drawn: that it can be stored there."""
        if type(value) is Drawn and value.sizes and type(place) is View:
            with self.walk.checking_first():
                self.walk.arrays.assignment(place, stand_in(value.sizes, place.dtype))

    def forced(self, value: Any) -> Any:
        """A number that was still to be drawn, and what was to be drawn before it."""
        if type(value) is not Drawn:
            return value
        if value.number is None:
            self.all_until(value)
        return value.number

    def all_waiting(self) -> None:
        """Draws what waits, before what is only done at times."""
        if self.waiting:
            self.all_until(self.waiting[-1])

    def all_until(self, last: Drawn) -> None:
        while self.waiting:
            each = self.waiting.pop(0)
            each.number = each.draw()
            self.walk.note_written()
            if each is last:
                return

    def array(self, sizes: list[int], element: Callable[[], int], dtype: numpy.dtype[Any], is_ours: bool) -> View:
        arrays = self.walk.arrays
        view = arrays.new(dtype, sizes, is_ours)
        arrays.fill(view, Lazy(dtype, sizes, lambda _: element(), [], is_ours))
        return view


class PythonDraws:
    """The distributions of Python's module `random`, as its documentation and its methods have them."""

    def __init__(self, draws: Draws) -> None:
        self.draws = draws
        self.steps = draws.steps
        self.walk = draws.walk

    def number(self, value: Callable[[], int], kind: Any = FLOAT, between: tuple[int | None, int | None] = (None, None)) -> Any:
        return self.draws.drawn(None, None, value, kind, between=between)

    def draw_random(self, stream: Stream) -> Any:
        return self.draws.draw_random(stream)

    def draw_uniform(self, stream: Stream, a: Any, b: Any) -> Any:
        first, room = self.walk.numbers.number(a), self.walk.binary(ast.Sub(), b, a)
        return self.made(lambda: self.walk.binary(ast.Add(), first, self.walk.binary(ast.Mult(), room, self.real(stream, _UNIFORM))))

    def draw_gauss(self, stream: Stream, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        first, by = (self.walk.numbers.number(each) for each in (mu, sigma))
        return self.made(lambda: self.walk.binary(ast.Add(), first, self.walk.binary(ast.Mult(), self.real(stream, _GAUSS), by)))

    def real(self, stream: Stream, kind: int) -> Number:
        return Number(FLOAT, self.draws.real(stream, kind))

    def made(self, draw: Callable[[], Number]) -> Drawn:
        """A number of the kind that it is computed in, by nothing that could leave."""
        made = Drawn(draw)
        self.draws.waiting.append(made)
        return made

    def draw_expovariate(self, stream: Stream, lambd: Any) -> Any:
        if type(self.walk.numbers.number(lambd).kind) is not PythonKind:
            raise Unsupported("draws by a number of NumPy's")
        steps, by = self.steps, self.draws.number(lambd)
        self.walk.leave(steps.map("not_equal", FLOAT64, BOOL, by, steps.constant(0.0, FLOAT64)))

        def value() -> int:
            room = steps.map("subtract", FLOAT64, FLOAT64, steps.constant(1.0, FLOAT64), self.draws.real(stream, _UNIFORM))
            return steps.map("divide", FLOAT64, FLOAT64, steps.map("negative", FLOAT64, FLOAT64, steps.add("libm", FLOAT64, "log", FLOAT64, room)), by)

        return self.number(value)

    def draw_randrange(self, stream: Stream, start: Any, stop: Any = None) -> Any:
        return self.between(stream, 0, start, 0) if stop is None else self.between(stream, start, stop, 0)

    def draw_randint(self, stream: Stream, a: Any, b: Any) -> Any:
        return self.between(stream, a, b, 1)

    def between(self, stream: Stream, start: Any, stop: Any, more: int) -> Any:
        """From `start` below `stop` + `more`."""
        steps, numbers = self.steps, self.walk.numbers
        first, last = (self.whole(each) for each in (start, stop))
        for each in (first, last):
            numbers.within(each.id, -(2**61), 2**61)
        room = steps.plus(steps.plus(last.id, steps.times(first.id, steps.whole(-1))), steps.whole(more))
        if first.low is None or first.low != first.high or last.low is None or last.low + more <= first.low:
            self.walk.leave(steps.compare("greater", room, steps.whole(0)))
        bounds = first.low, None if last.high is None else last.high + more - 1
        return self.number(lambda: steps.plus(first.id, self.below(stream, room)), INT, bounds)

    def whole(self, x: Any) -> Number:
        number = self.walk.numbers.number(x)
        if number.kind is not INT and number.kind is not BOOLEAN:
            raise Unsupported("draws integers between other numbers")
        found: Number = self.walk.numbers.to_int(number)
        return found

    def below(self, stream: Stream, bound: int) -> int:
        return self.steps.add("draw", INT64, a=stream.id, b=bound, bits=_BELOW)

    def draw_choice(self, stream: Stream, seq: Any) -> Any:
        """One of the numbers of a list or a tuple that is written down, or of a vector."""
        steps, items = self.steps, seq.items if type(seq) is Display else seq
        if type(items) is View and len(items.sizes) == 1:
            self.walk.leave(steps.compare("greater", items.sizes[0], steps.whole(0)))
            read = self.walk.elements
            kind = items.dtype
            return self.draws.drawn(None, None, lambda: read.row(items, self.below(stream, items.sizes[0])).id, kind)
        if not isinstance(items, (list, tuple)) or not items or (type(seq) is Display and seq.times != 1):
            raise Unsupported("chooses from something else than numbers")
        numbers = [self.walk.numbers.number(each) for each in items]
        if any(each.kind is not numbers[0].kind for each in numbers):
            raise Unsupported("chooses from numbers of several kinds")

        def value() -> int:
            at, found = self.below(stream, steps.whole(len(numbers))), numbers[-1].id
            dtype = machine(numbers[0].kind)
            for place, each in enumerate(numbers[:-1]):
                found = steps.add("select", dtype, a=steps.compare("equal", at, steps.whole(place)), b=each.id, c=found)
            return found

        lows, highs = ([getattr(each, bound) for each in numbers] for bound in ("low", "high"))
        return self.number(value, numbers[0].kind, (None if None in lows else min(lows), None if None in highs else max(highs)))


_OF_PYTHON = frozenset(name.removeprefix("draw_") for name in vars(PythonDraws) if name.startswith("draw_"))
_METHODS = {name: getattr(random.Random, name) for name in (*_OF_PYTHON, "getrandbits", "_randbelow")}  # what these rest on
