"""Functions as ONNX models: ``export``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy

from fastnp import _core, _formulas, _told
from fastnp._ahead import _say
from fastnp._fallback import check_unrecorded
from fastnp._told import Node, missing, results, told
from fastnp.onnx._tensors import Builder, Tensor
from fastnp.onnx._write_arrays import WRITERS

_LATEST = 24
_EARLIEST = 18
#: From so many bytes on weights lie beside the model: protobuf's messages end at 2 GiB.
_MOST_INSIDE = 1_800_000_000


def export(
    function: Callable[..., Any],
    specs: Any,
    path: str | os.PathLike[str] | None = None,
    /,
    *,
    name: str | None = None,
    opset: int = 20,
    weights_beside: bool = False,
) -> Any:
    """Writes what a function computes as an ONNX model, for onnxruntime and whatever else reads such models.

    The function is recorded for arguments of some shapes and dtypes. Its operations become ONNX's, derivatives
    (``np.grad``) included; arrays that it reads from outside (weights) become initializers; loops that are recorded
    (`fori_loop`, `while_loop`, `scan`) become ``Loop``. Integers are exact. Floating-point results are as accurate
    as what runs the model: elementary functions and sums have other last bits there.

    Parameters
    ----------
    function : callable
        A function, or a compiled one.
    specs : tuple, list, dict or compiler.Spec
        What the function takes, as `fastnp.export` has it. Sizes with names are sizes that vary in the model.
    path : str or path, optional
        The file; by default the model is given alone.
    name : str, optional
        The name of the model's graph; by default the function's.
    opset : int, optional
        The version of ONNX's operations, from 18 to 24.
    weights_beside : bool, optional
        Whether the weights go to a file beside the model (its name with ``.data``). They do where they are too large.

    Returns
    -------
    onnx.ModelProto
        The model. Its inputs have the names of the arguments. Its output has the name "output"; results in tuples,
        lists and dicts have their places or keys in their names ("output[0]", "output['loss']").

    Raises
    ------
    RecordError
        Where the function can't be recorded for shapes and dtypes alone, or writes to its arguments; and where ONNX has
        no operation for what it does: one error tells all of these, with lines.
    ValueError
        For an opset out of this range.
    ImportError
        Where ``onnx`` is not installed.

    See Also
    --------
    onnx.load, export

    Notes
    -----
    ONNX has no conditions on sizes. Where the function's operations hold for some sizes alone (a sum that broadcasts for
    n = 1), the model has them as the property "fastnp.sizes", and computes something else for other sizes.

    Examples
    --------
    >>> import fastnp as np
    >>> w = np.ones((4, 2), "float32")
    >>> model = np.onnx.export(lambda x: np.tanh(x @ w), np.ShapeDtype(("n", 4), "float32"))
    >>> [node.op_type for node in model.graph.node]
    ['MatMul', 'Tanh', 'Identity']
    """
    onnx = _onnx()
    check_unrecorded("onnx.export")
    if not _EARLIEST <= opset <= _LATEST:
        raise ValueError(f"opset {opset} is none from {_EARLIEST} to {_LATEST}")
    try:
        graph, names, its_name = told(function, specs)
        made = _Model(onnx, graph, names, its_name if name is None else name)
    except _core.RecordError as error:
        raise _say(error) from None
    model = made.model(opset)
    if model.ByteSize() < _MOST_INSIDE:
        onnx.checker.check_model(model)
    if path is not None:
        _save(onnx, model, Path(path), weights_beside)
    return model


def _onnx() -> Any:
    try:
        import onnx
    except ImportError:
        raise ImportError("fastnp.onnx needs the package onnx: pip install onnx") from None
    return onnx


def _save(onnx: Any, model: Any, path: Path, beside: bool) -> None:
    path = path if path.suffix else path.with_suffix(".onnx")
    beside = beside or model.ByteSize() >= _MOST_INSIDE
    data = path.name + ".data"
    if beside and path.with_name(data).exists():
        path.with_name(data).unlink()  # it would be written to at its end
    kept = type(model)()
    kept.CopyFrom(model)  # what is saved beside it leaves the model
    onnx.save(kept, path, save_as_external_data=beside, location=data if beside else None, size_threshold=1024)


def _has(node: Node) -> bool:
    return node.dtype.kind != "c" and (node.op in WRITERS or node.op in _formulas.names())


class _Model:
    """A graph in ONNX's operations."""

    def __init__(self, onnx: Any, graph: dict[str, Any], names: tuple[str, ...], name: str) -> None:
        self._onnx, self._graph, self._name = onnx, graph, name
        lacking = missing(graph, _has)
        if lacking:
            raise _core.RecordError(f"{name}() can't be an ONNX model, which has nothing for: {'; '.join(lacking)}")
        self._builder = Builder()
        self._given: list[Tensor] = []
        self.inputs = [self._input(each, place) for each, place in zip(names, graph["inputs"], strict=False)]
        self._bind_sizes()
        self.outputs: list[Any] = []
        self._write()

    def _input(self, name: str, place: int) -> Any:
        node = Node(*self._graph["nodes"][place])
        self._given.append(Tensor(self._builder, name, node.dtype))
        return self._info(name, node)

    def _info(self, name: str, node: Node) -> Any:
        helper = self._onnx.helper
        shape = [int(size) if size.isdigit() else size for size in node.shape]
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(node.dtype), shape)

    def _bind_sizes(self) -> None:
        """Sizes by name are those of the inputs, or a part of them: "4*n" is known as n, too."""
        for tensor, place in zip(self._given, self._graph["inputs"], strict=False):
            for axis, size in enumerate(Node(*self._graph["nodes"][place]).shape):
                factor, _, symbol = size.rpartition("*")
                if not symbol.isidentifier() or not (factor == "" or factor.isdigit()):
                    continue
                count = tensor.op("Shape", dtype="int64", start=axis, end=axis + 1)
                self._builder.bind(symbol, count / int(factor) if factor else count)

    def _write(self) -> None:
        nodes, inputs = self._graph["nodes"], self._graph["inputs"]
        weights = [self._builder.constant(numpy.asarray(each), name=f"weight_{number}") for number, each in enumerate(self._graph["weights"])]
        values = Values(self._builder, self._graph, dict(zip(inputs, [*self._given, *weights], strict=True)))
        structure = json.loads(self._graph["structure"])
        for name, kind, number in results(structure):
            place = self._graph["outputs"][number] if kind == "array" else inputs[number]
            self._builder.place = ""
            self._builder.node("Identity", [values[place]], [name])
            self.outputs.append(self._info(name, Node(*nodes[place])))

    def model(self, opset: int) -> Any:
        helper, built = self._onnx.helper, self._builder
        built.nodes = needed(built.nodes, {each.name for each in self.outputs})
        used = {each for node in built.nodes for each in _names_used(node)}
        graph = helper.make_graph(built.nodes, self._name, self.inputs, self.outputs, [each for each in built.initializers if each.name in used])
        sets = [helper.make_opsetid("", opset)]
        model = helper.make_model(graph, opset_imports=sets, ir_version=helper.find_min_ir_version_for(sets), producer_name="fastnp")
        guards = [each for each in self._graph["guards"] if not each.split()[0].lstrip("-").isdigit()]
        if guards:
            helper.set_model_props(model, {"fastnp.sizes": "; ".join(guards)})
        return model


def _names_used(node: Any) -> Iterator[str]:
    """Of a node and the graphs in it."""
    yield from node.input
    for attribute in node.attribute:
        for inner in attribute.g.node:
            yield from _names_used(inner)
        yield from (each.name for each in attribute.g.output)


def needed(nodes: list[Any], wanted: set[str]) -> list[Any]:
    """The nodes that these values take, in order."""
    kept = []
    for node in reversed(nodes):
        if wanted.intersection(node.output):
            kept.append(node)
            wanted.update(_names_used(node))
    return kept[::-1]


class Values(_told.Values):
    language = "ONNX"
    writers = WRITERS

    def begin(self, node: Node) -> None:
        self.to.place = node.place

    def loop(self, node: Node, operands: list[Tensor]) -> list[Tensor]:
        from fastnp.onnx._write_loops import write_loop  # which writes values, too

        return write_loop(self.to, self.graph, node, operands)

    def elementwise(self, node: Node, operands: list[Tensor]) -> Any:
        return _formulas.write(node.op, operands, node.dtype)
