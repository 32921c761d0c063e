"""Values of an ONNX graph that is being written, and the nodes that compute them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy

from fastnp import _formulas


class Builder:
    """The nodes and constants of a graph, or of the body of one of its loops, which sees the values of the graph around it."""

    def __init__(self, around: Builder | None = None) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = around.initializers if around is not None else []
        self._around = around
        self._known: dict[Any, Tensor] = around._known if around is not None else {}
        self._count: list[int] = around._count if around is not None else [0]
        self._sizes: dict[str, Tensor] = {}  # by symbol
        self._computed: dict[tuple[str, ...], Tensor] = {}  # of the expressions over them
        self.place = ""

    def fresh(self, stem: str) -> str:
        self._count[0] += 1
        return f"{stem}_{self._count[0]}"

    def node(self, kind: str, inputs: Sequence[Tensor | None], outputs: Sequence[str], /, **attributes: Any) -> None:
        from onnx import helper

        names = ["" if each is None else each.name for each in inputs]
        made = helper.make_node(kind, names, list(outputs), name=self.fresh(kind), **attributes)
        if self.place:
            made.doc_string = self.place
        self.nodes.append(made)

    def op(self, kind: str, *inputs: Tensor | None, dtype: Any, **attributes: Any) -> Tensor:
        """The only result of a node."""
        name = self.fresh("v")
        self.node(kind, inputs, [name], **attributes)
        return Tensor(self, name, numpy.dtype(dtype))

    def constant(self, value: Any, dtype: Any = None, name: str = "") -> Tensor:
        """A value that the model has; equal ones are there once."""
        from onnx import numpy_helper

        array = numpy.asarray(value, dtype=dtype)
        key = (array.dtype.name, array.shape, array.tobytes()) if array.nbytes <= 1024 else None
        if key is None or key not in self._known:
            made = Tensor(self, name or self.fresh("c"), array.dtype)
            self.initializers.append(numpy_helper.from_array(numpy.ascontiguousarray(array).reshape(array.shape), made.name))
            if key is None:
                return made
            self._known[key] = made
        return Tensor(self, self._known[key].name, array.dtype)

    def bind(self, symbol: str, value: Tensor) -> None:
        """A size by its name: an int64 vector of one element."""
        self._sizes.setdefault(symbol, value)

    def size(self, text: str) -> Tensor:
        """A size, as a vector of one element."""
        if text.lstrip("-").isdigit():
            return self.constant([int(text)], "int64")
        if (text,) not in self._computed:
            self._computed[text,] = self._evaluated(ast.parse(text, mode="eval").body)
        return self._computed[text,]

    def sizes(self, texts: Sequence[str]) -> Tensor:
        """Several sizes, as a vector."""
        if all(text.lstrip("-").isdigit() for text in texts):
            return self.constant([int(text) for text in texts], "int64")
        if len(texts) == 1:
            return self.size(texts[0])
        if tuple(texts) not in self._computed:
            self._computed[tuple(texts)] = self.op("Concat", *(self.size(text) for text in texts), dtype="int64", axis=0)
        return self._computed[tuple(texts)]

    def _symbol(self, name: str) -> Tensor:
        found = self._sizes.get(name)
        if found is not None:
            return Tensor(self, found.name, found.dtype)
        if self._around is None:
            raise KeyError(name)
        return Tensor(self, self._around._symbol(name).name, numpy.dtype("int64"))

    def _evaluated(self, part: ast.expr) -> Tensor:
        if isinstance(part, ast.Constant):
            return self.constant([part.value], "int64")
        if isinstance(part, ast.Name):
            return self._symbol(part.id)
        if isinstance(part, ast.UnaryOp):
            return -self._evaluated(part.operand)
        assert isinstance(part, ast.BinOp)
        a, b = self._evaluated(part.left), self._evaluated(part.right)
        if isinstance(part.op, ast.Add):
            return a + b
        if isinstance(part.op, ast.Sub):
            return a - b
        return a * b if isinstance(part.op, ast.Mult) else (a - a.mod(b)) / b


class Tensor(_formulas.Tensor):
    """A value by its name."""

    __slots__ = ("builder", "dtype", "name")

    def __init__(self, builder: Builder, name: str, dtype: numpy.dtype[Any]) -> None:
        self.builder, self.name, self.dtype = builder, name, dtype

    def like(self, value: Any) -> Tensor:
        return value if isinstance(value, Tensor) else self.builder.constant(value, self.dtype)

    def op(self, kind: str, *others: Any, dtype: Any = None, **attributes: Any) -> Tensor:
        return self.builder.op(kind, self, *(self.like(each) for each in others), dtype=self.dtype if dtype is None else dtype, **attributes)

    def cast(self, dtype: Any) -> Tensor:
        from onnx import helper

        dtype = numpy.dtype(dtype)
        return self if dtype == self.dtype else self.op("Cast", dtype=dtype, to=helper.np_dtype_to_tensor_dtype(dtype))

    def mod(self, other: Any, fmod: int = 0) -> Tensor:
        return self.op("Mod", other, fmod=fmod)

    def choose(self, first: Any, second: Any) -> Tensor:
        known = first if isinstance(first, Tensor) else second
        a, b = known.like(first), known.like(second)
        return self.builder.op("Where", self, a, b, dtype=known.dtype)

    def reshape(self, sizes: Tensor) -> Tensor:
        return self.op("Reshape", sizes, allowzero=1)

    def expand(self, sizes: Tensor) -> Tensor:
        return self.op("Expand", sizes)

    def unsqueeze(self, *axes: int) -> Tensor:
        return self.op("Unsqueeze", self.builder.constant(list(axes), "int64"))

    def squeeze(self, *axes: int) -> Tensor:
        return self.op("Squeeze", self.builder.constant(list(axes), "int64"))
