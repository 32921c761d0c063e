"""Functions as text of StableHLO, the language that XLA takes: the values, and the lines that compute them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from fastnp import _formulas

Sizes = tuple[int, ...]

_TYPES = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64",
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "complex64": "complex<f32>", "complex128": "complex<f64>",
}  # fmt: skip

#: By the names that formulas have for operations (fastnp._formulas).
_OPS = {
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "Div": "divide", "Neg": "negate", "Abs": "abs", "Sign": "sign", "Sqrt": "sqrt", "Exp":
    "exponential", "Log": "log", "Sin": "sine", "Cos": "cosine", "Tan": "tan", "Tanh": "tanh", "Floor": "floor", "Ceil": "ceil", "Round":
    "round_nearest_even", "Max": "maximum", "Min": "minimum", "Pow": "power", "And": "and", "Or": "or", "Xor": "xor", "Not": "not", "BitwiseAnd":
    "and", "BitwiseOr": "or", "BitwiseXor": "xor", "BitwiseNot": "not",
}  # fmt: skip
_CHLO = {
    "Asin": "asin", "Acos": "acos", "Atan": "atan", "Sinh": "sinh", "Cosh": "cosh", "Asinh": "asinh", "Acosh": "acosh", "Atanh": "atanh",
}  # fmt: skip


def type_of(dtype: Any, shape: Sequence[int]) -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + _TYPES[numpy.dtype(dtype).name] + ">"


def number_text(value: Any, dtype: numpy.dtype[Any]) -> str:
    """A number as a constant has it: floating ones by their bits, so that none is rounded."""
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.kind in "iu":
        return str(int(value))
    if dtype.kind == "c":
        part = numpy.dtype(f"f{dtype.itemsize // 2}")
        whole = numpy.asarray(value, dtype)
        return f"({number_text(whole.real, part)}, {number_text(whole.imag, part)})"
    bits = numpy.asarray(value, dtype).tobytes()[::-1].hex().upper()
    return f"0x{bits}"


class Builder:
    """The lines of a function, or of a region of one of its operations."""

    def __init__(self, around: Builder | None = None, indent: str = "    ") -> None:
        self.lines: list[str] = []
        self._count: list[int] = around._count if around is not None else [0]
        self.indent = indent

    def fresh(self) -> str:
        self._count[0] += 1
        return f"%v{self._count[0]}"

    def line(self, text: str) -> None:
        self.lines.append(self.indent + text)

    def value(self, text: str, dtype: Any, shape: Sequence[int]) -> Tensor:
        """The result of an operation, whose text ends in its type."""
        made = Tensor(self, self.fresh(), numpy.dtype(dtype), tuple(shape))
        self.line(f"{made.name} = {text}")
        return made

    def constant(self, value: Any, dtype: Any = None, shape: Sequence[int] = ()) -> Tensor:
        """One number everywhere, or an array."""
        array = numpy.asarray(value, dtype)
        if array.ndim == 0:
            return self.value(f"stablehlo.constant dense<{number_text(array, array.dtype)}> : {type_of(array.dtype, shape)}", array.dtype, shape)
        if array.size == 0:
            text = ""
        elif array.dtype.kind == "b":
            text = _nested(array.tolist())
        else:
            text = f'"0x{numpy.ascontiguousarray(array).tobytes().hex().upper()}"'
        return self.value(f"stablehlo.constant dense<{text}> : {type_of(array.dtype, array.shape)}", array.dtype, array.shape)


def _nested(value: Any) -> str:
    return "[" + ", ".join(map(_nested, value)) + "]" if isinstance(value, list) else "true" if value else "false"


class Tensor(_formulas.Tensor):
    """A value by its name."""

    __slots__ = ("builder", "dtype", "name", "shape")

    def __init__(self, builder: Builder, name: str, dtype: numpy.dtype[Any], shape: Sizes) -> None:
        self.builder, self.name, self.dtype, self.shape = builder, name, dtype, shape

    @property
    def type(self) -> str:
        return type_of(self.dtype, self.shape)

    def like(self, value: Any) -> Tensor:
        if not isinstance(value, Tensor):
            return self.builder.constant(value, self.dtype, self.shape)
        return value if value.shape == self.shape else value.spread(self.shape)

    def spread(self, shape: Sizes) -> Tensor:
        """Of one element, everywhere."""
        dims = list(range(len(shape) - len(self.shape), len(shape)))
        return self.builder.value(
            f"stablehlo.broadcast_in_dim {self.name}, dims = {dims} : ({self.type}) -> {type_of(self.dtype, shape)}", self.dtype, shape
        )

    def op(self, kind: str, *others: Any, dtype: Any = None, **attributes: Any) -> Tensor:
        if kind in ("IsNaN", "IsInf", "LessOrEqual", "Less", "Equal"):
            return self._question(kind, others, attributes)
        if kind == "Reciprocal":
            return self.like(1) / self
        operands = [self, *(self.like(each) for each in others)]
        if kind in _CHLO:
            return self.builder.value(f"chlo.{_CHLO[kind]} {self.name} : {self.type} -> {self.type}", self.dtype, self.shape)
        if kind == "Abs" and self.dtype.kind in "ub":
            return self
        if kind == "Sign" and self.dtype.kind == "u":
            return self.op("Min", 1)
        if kind == "Neg" and self.dtype.kind == "u":
            return self.like(0) - self
        if kind == "Pow" and self.dtype.kind in "iu":
            operands[1] = operands[1].cast(self.dtype)
        names = ", ".join(each.name for each in operands)
        return self.builder.value(f"stablehlo.{_OPS[kind]} {names} : {self.type}", self.dtype, self.shape)

    def _question(self, kind: str, others: Sequence[Any], attributes: dict[str, Any]) -> Tensor:
        if kind == "IsNaN":
            return self.compare("NE", self)
        if kind == "IsInf":
            size = self if attributes.get("detect_negative") == 0 else abs(self)
            return size.compare("EQ", numpy.inf)
        return self.compare({"LessOrEqual": "LE", "Less": "LT", "Equal": "EQ"}[kind], others[0])

    def compare(self, how: str, other: Any) -> Tensor:
        if not isinstance(other, Tensor) and self.dtype.kind == "u" and other < 0:
            other = 0
        other = self.like(other)
        kind = {"f": "FLOAT", "c": "FLOAT", "i": "SIGNED"}.get(self.dtype.kind, "UNSIGNED") if self.dtype.name != "bfloat16" else "FLOAT"
        text = f"stablehlo.compare {how}, {self.name}, {other.name}, {kind} : ({self.type}, {other.type}) -> {type_of(bool, self.shape)}"
        return self.builder.value(text, bool, self.shape)

    def cast(self, dtype: Any) -> Tensor:
        dtype = numpy.dtype(dtype)
        if dtype == self.dtype:
            return self
        if dtype.kind == "b":
            return self.compare("NE", 0)
        if self.dtype.kind == "c" and dtype.kind != "c":
            real = numpy.dtype(f"f{self.dtype.itemsize // 2}")
            return self.builder.value(f"stablehlo.real {self.name} : ({self.type}) -> {type_of(real, self.shape)}", real, self.shape).cast(dtype)
        return self.builder.value(f"stablehlo.convert {self.name} : ({self.type}) -> {type_of(dtype, self.shape)}", dtype, self.shape)

    def __abs__(self) -> Tensor:
        if self.dtype.kind == "c":
            real = numpy.dtype(f"f{self.dtype.itemsize // 2}")
            return self.builder.value(f"stablehlo.abs {self.name} : ({self.type}) -> {type_of(real, self.shape)}", real, self.shape)
        return self.op("Abs")

    def mod(self, other: Any, fmod: int = 0) -> Tensor:
        other = self.like(other)
        rest = self.builder.value(f"stablehlo.remainder {self.name}, {other.name} : {self.type}", self.dtype, self.shape)
        if fmod or self.dtype.kind != "i":
            return rest
        other_side = rest.less(0).op("Xor", other.less(0)).both(rest.is_equal(0).inverted())
        return other_side.choose(rest + other, rest)

    def choose(self, first: Any, second: Any) -> Tensor:
        known = first if isinstance(first, Tensor) else second
        a, b = known.like(first), known.like(second)
        return self.builder.value(f"stablehlo.select {self.name}, {a.name}, {b.name} : {self.type}, {a.type}", a.dtype, a.shape)

    def reshape(self, shape: Sequence[int]) -> Tensor:
        if tuple(shape) == self.shape:
            return self
        return self.builder.value(f"stablehlo.reshape {self.name} : ({self.type}) -> {type_of(self.dtype, shape)}", self.dtype, shape)

    def transpose(self, order: Sequence[int]) -> Tensor:
        shape = [self.shape[axis] for axis in order]
        text = f"stablehlo.transpose {self.name}, dims = {list(order)} : ({self.type}) -> {type_of(self.dtype, shape)}"
        return self.builder.value(text, self.dtype, shape)
