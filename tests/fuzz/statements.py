"""Statements of random programs: families of text, each with a bound on what it adds to the distance from NumPy's bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy

import fastnp

if TYPE_CHECKING:
    from fuzz.programs import Maker


class Unfit(Exception):
    """There is no variable for such a statement."""


@dataclass
class Statement:
    text: str
    bound: float | Callable[[dict[str, Any]], float]
    writes: bool = False


# Operations that are NumPy's to the bit (of real numbers).
UNARY = """negative positive absolute fabs sign rint floor ceil trunc sqrt square reciprocal logical_not isnan isinf isfinite
    signbit spacing conjugate invert bitwise_count""".split()
BINARY = """add subtract multiply divide floor_divide remainder fmod maximum minimum fmax fmin copysign nextafter heaviside equal
    not_equal less less_equal greater greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift
    right_shift gcd lcm ldexp""".split()
OPERATORS = "+ - * / // % < <= == != > >= & | ^".split()
# Which of two zeros of different signs these give depends on lengths and processors in NumPy: after them there is one.
ONE_ZERO = " + 0"
# Elementary functions that change by at most as much as their operand (twice that for exp of what is clipped).
GENTLE = "sin cos tanh arctan arcsinh".split()
ELEMENTARY = "exp log sin cos tan tanh sinh cosh arctan arcsinh expm1 log1p log2 log10 exp2 cbrt arcsin arccos".split()
NUMBERS = "2 -1 0 3 1.5 -0.25 0.1 True 1j 1 7 0.0 -0.0".split()
DTYPES = """bool_ int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128""".split()

# Texts over an array {x}, one of its axes {axis}, memory orders {order}, a small number {k} and a divisor of its size {part}.
MOVES = """{x}.T;{x}.reshape(-1);np.ravel({x}, order={order!r});{x}[None];{x}.copy(order={order!r});np.atleast_2d({x});np.tile({x}, 2)
    np.broadcast_to({x}, (2,) + {x}.shape);np.repeat({x}, 2);np.flip({x});np.squeeze({x});np.real({x});np.array({x});np.asarray({x})
    np.stack([{x}, {x}], axis=-1);{x}.transpose();np.append({x}, {x});np.roll({x}, {k})"""
MOVES_OF_AXES = """np.swapaxes({x}, {axis}, 0);np.moveaxis({x}, {axis}, -1);np.roll({x}, {k}, axis={axis});np.flip({x}, {axis});np.pad({x}, 1)
    np.concatenate([{x}, {x}], axis={axis});np.expand_dims({x}, {axis});np.repeat({x}, 2, axis={axis});np.insert({x}, 0, 1, axis={axis})
    np.delete({x}, 0, axis={axis});np.diff({x}, axis={axis});np.array_split({x}, 2, axis={axis})[0];np.take({x}, [0], axis={axis})"""
MOVES_OF_MATRICES = "np.diagonal({x});np.rot90({x});np.tril({x});np.triu({x}, 1)"
SHAPES = "{x}.reshape({part}, -1);{x}.reshape(-1, {part}, order={order!r})"
# No negative with out=: NumPy 2.4 is wrong in place where elements lie 64 bytes apart.
# ... and a second operand {y}, subscripts {cut} (of the whole rank) and {pick}.
WRITES = """np.add({x}, {y}, out={x});np.subtract({x}, {y}, out={x});np.maximum({x}, {y}, out={x});np.multiply({x}, {y}, out={x})
    np.bitwise_or({x}, {y}, out={x});np.subtract({x}, 1, out={x}[{cut}]);np.copyto({x}, {y});np.copyto({x}, {y}, where={x} != 0)
    {x}.fill(3);{x}.sort();np.put({x}, [0, -1], {y});np.add.at({x}, 0, {y});np.add.at({x}, [0, -1, 0], {y});np.maximum.at({x}, ..., {y})
    np.subtract.at({x}, [0, -1, 0], {y});np.negative.at({x}, [0]);np.putmask({x}, {x} != 0, {y});{x}.flat[0] = {y}
    np.place({x}, {x} != 0, [1, 2]);np.fill_diagonal({x}, 1);{x}.real[...] = {y};{x}.imag[...] = 0;np.clip({x}, 0, 1, out={x})"""
FRESH = """np.zeros({x}.shape);np.ones_like({x});np.zeros_like({x});np.full((2, 3), 1.5);np.arange(4);np.arange(6.0).reshape(2, 3);np.eye(3)
    np.array([1.0, 2.0, 3.0]);np.array([[1, 2], [3, 4]], dtype=np.int16);np.linspace(0, 1, 5);np.indices((2, 2));np.tri(3)
    np.full_like({x}, 2);np.identity(2);np.array([{x}.size, 2])"""


def templates(text: str) -> list[str]:
    return [part.strip() for line in text.split("\n") for part in line.split(";")]


def eps(value: Any) -> float:
    kind = numpy.asarray(value).dtype
    return float(numpy.finfo(kind).eps) if kind.kind in "fc" else 0.0


def largest(value: Any) -> float:
    from fuzz.programs import magnitude

    return magnitude(value)


def is_inexact(value: Any) -> bool:
    return numpy.asarray(value).dtype.kind in "fc"


def is_complex(value: Any) -> bool:
    return numpy.asarray(value).dtype.kind == "c"


def may_leave(x: numpy.ndarray, dtype: numpy.dtype[Any]) -> bool:
    """Whether a product of some of these numbers is infinite or nothing."""
    absolute = numpy.abs(x[(x != 0) & numpy.isfinite(x)]).astype(numpy.float64)
    digits = numpy.log2(absolute)
    limits = numpy.finfo(dtype)
    return bool(digits[digits > 0].sum() > limits.maxexp - 1 or digits[digits < 0].sum() < limits.minexp + 1)


class Writer:
    """What the families share: choices, and bounds."""

    def __init__(self, maker: Maker) -> None:
        self.maker, self.rng = maker, maker.rng

    def one_of(self, items: list[Any]) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def exact(self) -> bool:
        return self.maker.kind == "exact"

    def name(self, needs: str = "") -> str:
        return self.maker.pick(needs)

    def of(self, name: str) -> Any:
        return self.maker.values[name]

    def bound(self, *names: str) -> float:
        return max((self.maker.bounds.get(name, 0.0) for name in names), default=0.0)

    def axis(self, x: Any) -> int:
        rank = numpy.ndim(x)
        if rank == 0:
            raise Unfit
        return int(self.rng.integers(-rank, rank))

    # A subscript of basic indexing.
    def cut(self, x: Any, whole: bool = False) -> str:
        parts: list[str] = []
        for size in numpy.shape(x)[: self.rng.integers(1, 4)]:
            a, b = (int(n) for n in self.rng.integers(-size - 1, size + 2, 2))
            choices = [":", ":", f"{a}:", f":{b}", f"{a}:{b}", "::2", "::-1", f"{a}::-2", "None, :"]
            if size and not whole:
                choices += [str(int(self.rng.integers(-size, size)))] * 2
            parts.append(self.one_of(choices))
        if not parts or self.chance(0.1):
            parts.insert(int(self.rng.integers(len(parts) + 1)), "...")
        return ", ".join(parts)

    # A subscript of advanced indexing.
    def picked(self, name: str) -> str:
        x = self.of(name)
        if numpy.ndim(x) == 0:
            raise Unfit
        axis = int(self.rng.integers(numpy.ndim(x)))
        size = numpy.shape(x)[axis]
        before = ":, " * axis
        if self.chance(0.4) and self.maker.bounds[name] == 0:
            y = self.one_of(["0", "1", f"np.max({name}, initial=0) // 2" if numpy.asarray(x).dtype.kind in "iu" else "0.5"])
            return f"{name} > {y}" if not is_complex(x) else f"{name} != 0"
        if size == 0:
            raise Unfit
        listed = [int(n) for n in self.rng.integers(-size, size, self.rng.integers(1, 5))]
        if self.chance(0.3):
            return before + str([bool(b) for b in self.rng.integers(0, 2, size)])
        if self.chance(0.2):
            return before + f"np.array([{listed}, {listed[::-1]}])"
        return before + f"np.array({listed})"


Family = Callable[[Writer], Statement]


def unary(w: Writer) -> Statement:
    x = w.name("exact")
    function = w.one_of(UNARY)
    extra = 0.0
    if is_complex(w.of(x)) and function not in ("negative", "positive", "conjugate", "isnan", "isinf", "isfinite", "logical_not"):
        if w.exact():
            raise Unfit
        extra = 16.0
    made = w.maker.fresh()
    return Statement(f"{made} = np.{function}({x})", lambda known: extra * eps(known[made]) * max(1.0, largest(known[made])))


def elementary(w: Writer) -> Statement:
    """Elementary functions; of what is not exact those that change by no more than it does."""
    x = w.name()
    bound = w.bound(x)
    function = w.one_of(GENTLE if bound > 0 or w.maker.kind == "differentiable" else ELEMENTARY)
    if is_complex(w.of(x)):
        raise Unfit
    made = w.maker.fresh()
    return Statement(f"{made} = np.{function}({x})", lambda known: 2 * bound + 8 * eps(known[made]) * max(1.0, largest(known[made])))


def binary(w: Writer) -> Statement:
    x, y = w.name("exact"), w.name("exact")
    made = w.maker.fresh()
    function = w.one_of(BINARY)
    extra = 0.0
    if (is_complex(w.of(x)) or is_complex(w.of(y))) and function in ("multiply", "divide"):
        if w.exact():
            raise Unfit
        extra = 16.0
    picks_zero = function in ("fmin", "fmax") and (is_inexact(w.of(x)) or is_inexact(w.of(y)))
    text = f"{made} = np.{function}({x}, {y})" + (ONE_ZERO if picks_zero else "")
    if w.chance(0.3):
        operator = w.one_of(OPERATORS)
        if operator in "*/" and (is_complex(w.of(x)) or is_complex(w.of(y))):
            raise Unfit
        other = w.one_of([y, w.one_of(NUMBERS)])
        if other.endswith("j") or (operator in "//%<<=>>=" and is_complex(w.of(x))):
            other = y
        text = f"{made} = {x} {operator} {other}" if w.chance(0.7) else f"{made} = {other} {operator} {x}"
    return Statement(text, lambda known: extra * eps(known[made]) * max(1.0, largest(known[made])))


def arithmetic(w: Writer) -> Statement:
    """Sums and products of what need not be exact."""
    x, y = w.name(), w.name()
    operator = w.one_of(["+", "-", "*"])
    made = w.maker.fresh()
    bx, by = w.bound(x), w.bound(y)
    if w.chance(0.3):
        y, by = w.one_of(["2", "0.5", "-1.5", "3"]), 0.0
    mx, my = largest(w.of(x)), 3.0 if y not in w.maker.values else largest(w.of(y))
    grown = bx * (my + 1) + by * (mx + 1)
    return Statement(f"{made} = {x} {operator} {y}", lambda known: grown + 8 * eps(known[made]) * max(1.0, largest(known[made])))


def divided(w: Writer) -> Statement:
    """A quotient by something that is not near zero."""
    x, y = w.name(), w.name("exact")
    if is_complex(w.of(x)) or is_complex(w.of(y)):
        raise Unfit
    made = w.maker.fresh()
    bound = w.bound(x)
    return Statement(f"{made} = {x} / (1.5 + np.abs({y}))", lambda known: bound + 8 * eps(known[made]) * max(1.0, largest(known[made])))


def folded(w: Writer) -> Statement:
    x = w.name()
    value = w.of(x)
    axis = "None" if w.chance(0.3) or numpy.ndim(value) == 0 else str(w.axis(value))
    keep = ", keepdims=True" if w.chance(0.3) else ""
    made = w.maker.fresh()
    bound, size, top = w.bound(x), numpy.size(value), largest(value)
    if w.exact() and is_inexact(value):
        function = w.one_of(["max", "min", "any", "all", "argmax", "argmin", "count_nonzero"])
        if bound > 0 and function not in ("max", "min"):
            raise Unfit
        if is_complex(value) and function.startswith(("max", "min", "arg")):
            raise Unfit
        zero = " + 0" if function in ("max", "min") else ""  # which of two zeros is the larger one is nowhere said
        return Statement(f"{made} = np.{function}({x}, axis={axis}{keep}){zero}", bound)
    function = w.one_of(["sum", "mean", "max", "min", "sum", "prod", "var"])
    if function == "prod" and is_inexact(value) and not is_complex(value) and may_leave(numpy.asarray(value), value.dtype):
        function = "sum"
    if function in ("prod", "var") and (bound > 0 or is_complex(value) or w.maker.kind == "differentiable"):
        function = "sum"
    if is_complex(value) and function in ("max", "min"):
        function = "mean"
    if w.maker.kind == "differentiable" and function in ("max", "min"):
        function = "mean"

    zero = ONE_ZERO if function in ("max", "min") and is_inexact(value) else ""

    def error(known: dict[str, Any]) -> float:
        if function in ("max", "min"):
            return bound
        unit = max(eps(known[made]), eps(value))
        if function in ("prod", "var"):
            return 8 * unit * max(size, 1) * max(1.0, largest(known[made]), top * top)
        return bound * max(size, 1) + 4 * unit * max(size, 1) * max(top, 1.0)

    return Statement(f"{made} = np.{function}({x}, axis={axis}{keep}){zero}", error)


def scanned(w: Writer) -> Statement:
    x = w.name("array")
    value = w.of(x)
    made = w.maker.fresh()
    bound, size, top = w.bound(x), numpy.size(value), largest(value)
    if w.chance(0.4) and not is_complex(value):
        return Statement(f"{made} = np.{w.one_of(['maximum', 'minimum'])}.accumulate({x}, axis={w.axis(value)})", bound)
    if w.exact() and is_inexact(value):
        raise Unfit
    text = f"{made} = np.cumsum({x}, axis={w.axis(value)})"
    return Statement(text, lambda known: bound * max(size, 1) + 4 * eps(known[made]) * max(size, 1) * max(top, 1.0))


def moved(w: Writer) -> Statement:
    """Views and copies, whose memory order is NumPy's."""
    x = w.name()
    value = w.of(x)
    made = w.maker.fresh()
    size, rank = numpy.size(value), numpy.ndim(value)
    texts = templates(MOVES)
    fields = {"x": x, "order": w.one_of(["C", "F", "A", "K"]), "k": int(w.rng.integers(-3, 4))}
    if rank:
        texts += [*templates(MOVES_OF_AXES), *["{x}[{cut}]"] * 6]
        fields |= {"axis": w.axis(value), "cut": w.cut(value)}
        divisors = [n for n in range(2, 8) if size and size % n == 0]
        if divisors:
            texts += templates(SHAPES)
            fields["part"] = w.one_of(divisors)
    if rank > 1:
        texts += templates(MOVES_OF_MATRICES)
    return Statement(f"{made} = {w.one_of(texts).format(**fields)}", 2 * w.bound(x))


def partitioned(x: str, axis: int) -> str:
    """What comes after the least elements lies as NumPy has it on the host; devices sort."""
    if fastnp.current_device() != "cpu":
        return f"np.take(np.partition({x}, 0, axis={axis}), [0], axis={axis})"
    return f"np.partition({x}, 0, axis={axis})[..., :1]"


def chosen(w: Writer) -> Statement:
    """Elements by index, mask, condition and order."""
    x = w.name("array")
    value = w.of(x)
    made = w.maker.fresh()
    bound = w.bound(x)
    choices = [f"{x}[{w.picked(x)}]"] * 4
    if numpy.size(value):
        listed = [int(n) for n in w.rng.integers(0, numpy.size(value), 3)]
        choices.append(f"np.take({x}, {listed})")
    if not is_complex(value):
        zero = ONE_ZERO if is_inexact(value) else ""
        choices += [f"np.sort({x}, axis={w.axis(value)}){zero}"] * 2
        choices += [f"{partitioned(x, w.axis(value))}{zero}"] if numpy.size(value) and w.maker.kind != "differentiable" else []
        if bound == 0 and w.maker.kind != "differentiable":
            choices += [
                f"np.argsort({x}, axis={w.axis(value)}, kind='stable')",
                f"np.searchsorted(np.sort({x}.reshape(-1)), {x})",
                f"np.unique({x}){zero}",
            ]
            choices += [f"np.flatnonzero({x})", f"np.take_along_axis({x}, np.argsort({x}, axis=0, kind='stable'), axis=0)"]
    if bound == 0:
        y = w.name()
        bound = max(bound, w.bound(y))
        condition = f"{x} != 0" if is_complex(value) or w.chance(0.5) else f"{x} > 0"
        choices.append(f"np.where({condition}, {y}, {x})")
        choices.append(f"np.compress(({condition}).reshape(-1), {x})")
    return Statement(f"{made} = {w.one_of(choices)}", bound)


def cast(w: Writer) -> Statement:
    x = w.name("exact")
    made = w.maker.fresh()
    dtype = w.one_of(DTYPES)
    kind = numpy.dtype(dtype).kind
    # What does not fit a whole number is left to the processor, by NumPy too.
    source = f"np.clip(np.nan_to_num({x}), 0, 100)" if is_inexact(w.of(x)) and kind in "iu" and not is_complex(w.of(x)) else x
    if is_complex(w.of(x)) and kind != "c":
        source = f"{x}.real" if kind == "f" else raise_unfit()
    return Statement(f"{made} = {source}.astype(np.{dtype})", 0.0)


def raise_unfit() -> str:
    raise Unfit


def written(w: Writer) -> Statement:
    """Writes: through views, by index, in place, by functions that write to an argument."""
    x = w.name("array")
    value = w.of(x)
    y = w.one_of([w.name("exact"), w.one_of(["2", "1.5", "True", "-1"]), x])
    bound = w.bound(x, y)
    if bound > 0 or (w.exact() and (is_complex(value) or is_complex(w.of(y)) if y in w.maker.values else False)):
        raise Unfit
    operator = w.one_of(["=", "=", "+=", "-=", "*="])
    fields = {"x": x, "y": y, "cut": w.cut(value, whole=True)}
    parts = [f"{x}[{fields['cut']}]", f"{x}[{w.cut(value)}]", f"{x}.T[{w.cut(value.T)}]", f"{x}[...]"] + [f"{x}[{w.picked(x)}]"] * 2
    texts = templates(WRITES) + [f"{w.one_of(parts)} {operator} {{y}}"] * 12
    if operator != "=":
        texts += [f"{{x}} {operator} {{y}}"] * 4
    text = w.one_of(texts).format(**fields)
    if "] = " in text and y in w.maker.values and numpy.may_share_memory(w.of(y), value):
        raise Unfit  # NumPy writes while it reads, by masks and by unlike steps along one line: what comes is chance
    if ".flat[" in text and y in w.maker.values:
        raise Unfit  # its iterator asks an array that is not its own for a Python number
    is_rounded = numpy.asarray(value).dtype.kind in "iu" and y in w.maker.values and is_inexact(w.of(y))
    stores = "] = " in text or ".put(" in text
    if is_rounded and (".real[" in text or (stores and numpy.asarray(value).dtype.kind == "u")):
        raise Unfit  # what does not fit a whole number is left to the processor
    if text == f"{x}.sort()" and is_inexact(value):
        text = f"{x}.sort(); {x} += 0"
    return Statement(text, bound, writes=True)


def controlled(w: Writer) -> Statement:
    """Branches and loops on values, over statements that are simple."""
    x = w.name("exact array")
    y = w.name()
    made = w.maker.fresh()
    bound = w.bound(y)
    condition = w.one_of([f"np.any({x} != 0)", f"({x} != 0).all()", f"{x}.shape[0] > 3", f"np.count_nonzero({x}) > 2", f"{x}.size"])
    branches = f"if {condition}:\n    {made} = {y} + 1\nelse:\n    {made} = {y} * 2"
    counted = f"{made} = {y}\nfor i in range(3):\n    {made} = {made} * 0.5 + i"
    rows = f"{made} = 0\nfor row in {x}[:4]:\n    {made} = {made} + row" if not w.exact() or not is_inexact(w.of(x)) else branches
    unit = 64 if not w.exact() else 0
    return Statement(w.one_of([branches, counted, rows]), lambda known: 8 * bound + unit * eps(known[made]) * max(1.0, largest(known[made])))


def fresh(w: Writer) -> Statement:
    """Arrays that are made inside."""
    x = w.name()
    made = w.maker.fresh()
    return Statement(f"{made} = {w.one_of(templates(FRESH)).format(x=x)}", 0.0)


# Families of each kind of program, with weights.
FAMILIES: dict[str, dict[Family, int]] = {
    "exact": {unary: 3, binary: 6, folded: 3, scanned: 1, moved: 7, chosen: 5, cast: 2, written: 6, controlled: 1, fresh: 2},
    "smooth": {
        elementary: 4,
        arithmetic: 6,
        divided: 1,
        unary: 1,
        binary: 2,
        folded: 4,
        scanned: 1,
        moved: 6,
        chosen: 3,
        written: 3,
        controlled: 2,
        fresh: 1,
    },
    "differentiable": {elementary: 4, arithmetic: 6, divided: 2, folded: 3, moved: 6, scanned: 1, chosen: 2},
}


def random_statement(maker: Maker) -> Statement:
    families = FAMILIES[maker.kind]
    weights = numpy.array(list(families.values()), float)
    return list(families)[int(maker.rng.choice(len(families), p=weights / weights.sum()))](Writer(maker))
