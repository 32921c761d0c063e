"""What a model computes, node by node, as it is found out when the model is loaded."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy

import fastnp as np
from fastnp.onnx._read_bodies import Bodies
from fastnp.onnx._read_shapes import constant_of, constant_value
from fastnp.onnx._read_sizes import OPS as SIZE_OPS, SizeOp
from fastnp.onnx._read_tables import KNOWN_INPUTS, LIMITS, OPS
from fastnp.onnx._read_values import MOST_KNOWN, Known, Node, Op, Unsupported, Value, as_array, dtype_of, known_of

OLDEST = 7  # of the opsets: before it operands were broadcast otherwise
_OWN_DOMAINS = ("", "ai.onnx")


class Step(NamedTuple):
    """A node with the names of its values. `frees`: what nobody asks for afterwards."""

    run: Op
    of_sizes: SizeOp | None
    node: Node
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    frees: tuple[str, ...]


class Plan(NamedTuple):
    """The nodes of a graph in their order. `captured`: names of values of the graph around it."""

    steps: list[Step]
    constants: dict[str, Value]
    inputs: list[str]
    outputs: list[str]
    captured: frozenset[str]


class _Flat(NamedTuple):
    """A node outside of functions, with the names that its values have in the graph."""

    proto: Any
    inputs: list[str]
    outputs: list[str]
    opset: int
    domain: str
    attributes: dict[str, Any]


class Planner:
    """Makes plans of the graphs of a model, and notes what can't be computed."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.opsets = {each.domain: each.version for each in model.opset_import}
        self.functions = {(each.domain, each.name): each for each in model.functions}
        self.weights: dict[str, Any] = {}
        self.unsupported: list[str] = []
        self.numbers = itertools.count()
        self.bodies = Bodies(model)

    def plan(self, graph: Any, around: tuple[dict[str, str], Mapping[str, int], dict[str, Any]] | None = None) -> Plan:
        """Of a graph. `around`, of one inside of a node: what a function calls values of the graph that called it, its opsets, and its attributes."""
        names, opsets, given = ({}, self.opsets, {}) if around is None else around
        is_inner, arrays = around is not None, self.initializers(graph)
        flat = list(self.flattened(graph.node, dict(names), opsets, given))
        outputs = [names.get(each.name, each.name) for each in graph.output]
        constants: dict[str, Value] = {}
        for name, array in arrays.items():
            if is_inner or (array.dtype in (numpy.int64, numpy.int32) and array.size <= MOST_KNOWN):
                constants[name] = constant_value(array)
        made = [step for each in flat if not self.is_constant(each, constants) and (step := self.step(each, arrays, constants)) is not None]
        own = {each.name for each in graph.input} | set(constants) | {name for step in made for name in step.outputs}
        captured = frozenset(name for step in made for name in (*step.inputs, *step.frees) if name) - own
        used = {name for step in made for name in (*step.inputs, *step.frees)} | set(outputs)
        if not is_inner:
            self.weights = {name: array for name, array in arrays.items() if name not in constants and name in used}
            captured -= set(arrays)
        inputs = [each.name for each in graph.input if each.name not in arrays]
        return Plan(_with_frees(made, used, outputs, keep=set(constants)), constants, inputs, outputs, captured | (set(outputs) - own))

    def initializers(self, graph: Any) -> dict[str, numpy.ndarray[Any, Any]]:
        found = {}
        for tensor in graph.initializer:
            try:
                found[tensor.name] = array_of(tensor)
            except Unsupported as error:
                self.unsupported.append(f"initializer {tensor.name!r}: {error}")
        if graph.sparse_initializer:
            self.unsupported.append("sparse initializers")
        return found

    def flattened(self, nodes: Iterable[Any], names: dict[str, str], opsets: Mapping[str, int], given: dict[str, Any]) -> Iterator[_Flat]:
        """The nodes, with those of functions in the places of their calls."""
        for proto in nodes:
            try:
                attributes = self.attributes(proto, names, opsets, given)
            except Unsupported as error:
                self.unsupported.append(f"{said(proto)}: {error}")
                continue
            inputs = [names.get(name, name) for name in proto.input]
            outputs = [names.get(name, name) for name in proto.output]
            domain = "" if proto.domain in _OWN_DOMAINS else proto.domain
            version = opsets.get(proto.domain, opsets.get("ai.onnx" if domain == "" else domain, 1))
            flat = _Flat(proto, inputs, outputs, version, domain, attributes)
            body = self.functions.get((proto.domain, proto.op_type))
            if body is None and (domain, proto.op_type) not in OPS:
                body, defaults = self.bodies.of(proto, domain, version)
                flat = flat._replace(attributes=defaults | attributes)
            if body is None:
                yield flat
            else:
                yield from self.inlined(flat, body)

    def inlined(self, flat: _Flat, body: Any) -> Iterator[_Flat]:
        import onnx

        prefix = f"{flat.proto.name or flat.proto.op_type}#{next(self.numbers)}/"
        names = {"": ""}
        for node in body.node:
            names.update({name: prefix + name for name in (*node.input, *node.output) if name})
        names.update(dict(itertools.zip_longest(body.input, flat.inputs[: len(body.input)], fillvalue="")))
        names.update({formal: actual for formal, actual in zip(body.output, flat.outputs, strict=False) if actual})
        given = {each.name: onnx.helper.get_attribute_value(each) for each in body.attribute_proto} | flat.attributes
        opsets = {flat.proto.domain: flat.opset, "": self.opsets.get("", flat.opset)} | {each.domain: each.version for each in body.opset_import}
        yield from self.flattened(body.node, names, opsets, given)

    def attributes(self, proto: Any, names: dict[str, str], opsets: Mapping[str, int], given: dict[str, Any]) -> dict[str, Any]:
        found = {}
        for each in proto.attribute:
            if not each.ref_attr_name:
                found[each.name] = self.attribute(each, names, opsets, given)
            elif each.ref_attr_name in given:
                found[each.name] = given[each.ref_attr_name]
        return found

    def attribute(self, proto: Any, names: dict[str, str], opsets: Mapping[str, int], given: dict[str, Any]) -> Any:
        import onnx

        value = onnx.helper.get_attribute_value(proto)
        if isinstance(value, bytes):
            return value.decode()
        if isinstance(value, onnx.TensorProto):
            return array_of(value)
        if isinstance(value, onnx.GraphProto):
            return self.plan(value, (names, opsets, given))
        if proto.type == onnx.AttributeProto.STRINGS:
            return [each.decode() for each in value]
        if proto.type in (onnx.AttributeProto.INTS, onnx.AttributeProto.FLOATS):
            return list(value)
        if proto.type not in (onnx.AttributeProto.INT, onnx.AttributeProto.FLOAT):
            raise Unsupported(f"attribute {proto.name!r}")
        return value

    def is_constant(self, flat: _Flat, constants: dict[str, Value]) -> bool:
        """Whether a node is a constant, which is then noted as one."""
        if flat.domain != "" or flat.proto.op_type != "Constant":
            return False
        value = constant_of(flat.attributes)
        if value is None:
            return False
        constants[flat.outputs[0]] = constant_value(value)
        return True

    def step(self, flat: _Flat, arrays: Mapping[str, Any], constants: dict[str, Value]) -> Step | None:
        op = flat.proto.op_type
        node = Node(op, flat.proto.name, flat.opset, flat.attributes, tuple(map(bool, flat.outputs)))
        run = OPS.get((flat.domain, op))
        problem = "" if run is None else LIMITS.get(op, lambda node: "")(node)
        if flat.domain == "" and flat.opset < OLDEST:
            problem = f"opset {flat.opset} ({OLDEST} is the oldest)"
        if op in ("Cast", "EyeLike") and run is not None:
            problem = _dtype_problem(flat.attributes.get("to", flat.attributes.get("dtype")))
        if run is None or problem:
            self.unsupported.append(said(flat.proto) + (f": {problem}" if problem else ""))
            return None
        inputs = list(flat.inputs)
        for place in KNOWN_INPUTS.get(op, ()):
            name = inputs[place] if place < len(inputs) else ""
            if name in arrays and name not in constants and arrays[name].size <= MOST_KNOWN:
                inputs[place] = f"{name} (numbers)"
                constants[inputs[place]] = known_of(arrays[name])
        captured = tuple(name for value in flat.attributes.values() if isinstance(value, Plan) for name in value.captured)
        of_sizes = SIZE_OPS.get(op) if flat.domain == "" else None
        return Step(run, of_sizes, node, tuple(inputs), tuple(flat.outputs), captured)


def _dtype_problem(number: int | None) -> str:
    try:
        return "" if number is None else dtype_of(number) and ""
    except Unsupported as error:
        return str(error)


def said(proto: Any) -> str:
    """A node in a message."""
    domain = "" if proto.domain in _OWN_DOMAINS else f"{proto.domain}."
    name = proto.name or next((each for each in proto.output if each), "")
    return f"{domain}{proto.op_type} ({name!r})"


def array_of(tensor: Any) -> numpy.ndarray[Any, Any]:
    import onnx

    dtype_of(tensor.data_type)
    return numpy.asarray(onnx.numpy_helper.to_array(tensor))


def _with_frees(steps: list[Step], used: set[str], outputs: list[str], keep: set[str]) -> list[Step]:
    """Each step with the values that end there, and with the outputs that are asked for."""
    kept, done = set(outputs) | keep | {""}, []
    seen: set[str] = set()
    for step in reversed(steps):
        reads = (*step.inputs, *step.frees)
        ends = tuple({name for name in (*reads, *step.outputs) if name not in kept and name not in seen})
        seen.update(reads)
        node = step.node._replace(outputs=tuple(name in used for name in step.outputs))
        done.append(step._replace(node=node, frees=ends))
    return done[::-1]


def key_of(name: str, inputs: Any, plan: Plan) -> str:
    """A text for all that a plan says, and for the code that does it: recordings that are kept on disk are found by it."""
    folder = os.path.dirname(__file__)
    sources = sorted((entry.name, entry.stat().st_mtime_ns, entry.stat().st_size) for entry in os.scandir(folder) if entry.name.endswith(".py"))
    digest = hashlib.sha256(repr((sources, name, inputs)).encode())
    for part in _parts(plan):
        digest.update(part)
    return digest.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    """All of a plan as bytes."""
    if isinstance(value, (tuple, list, dict)):
        yield f"{type(value).__name__} {len(value)}".encode()
        for each in value.items() if isinstance(value, dict) else value:
            yield from _parts(each)
    elif isinstance(value, Known):
        yield repr(value).encode()
    elif hasattr(value, "dtype"):
        array = numpy.ascontiguousarray(value)
        yield f"{array.dtype} {array.shape}".encode()
        yield array.tobytes()
    elif not callable(value):  # functions follow from the operator's name
        yield repr(sorted(value) if isinstance(value, frozenset) else value).encode()


def compute(plan: Plan, values: dict[str, Value]) -> list[Value]:
    """The outputs of a graph, of values by their names, which become more on the way."""
    values.update(plan.constants)
    for step in plan.steps:
        given = [values[name] if name else None for name in step.inputs]
        try:
            found = _done(step, given, values)
        except (TypeError, ValueError, IndexError, NotImplementedError) as error:
            error.add_note(f"in the node {step.node.name or step.outputs[0]!r} ({step.node.op})")
            raise
        for name, value in zip(step.outputs, found if isinstance(found, tuple) else (found,), strict=False):
            if name:
                values[name] = value
        for name in step.frees:
            values.pop(name, None)
    return [values[name] for name in plan.outputs]


def results(plan: Plan, values: dict[str, Value]) -> tuple[Any, ...]:
    """The outputs as arrays of the caller's own: what the model holds is copied."""
    held = [*values.values(), *plan.constants.values()]
    found = []
    for value in compute(plan, dict(values)):
        is_held = isinstance(value, Known) or any(value is each for each in held)
        found.append(np.array(as_array(value), copy=True) if is_held else np.asarray(value))
    return tuple(found)


def _done(step: Step, given: list[Value], values: dict[str, Value]) -> Any:
    if step.of_sizes is not None and given and all(value is None or isinstance(value, Known) for value in given):
        found = step.of_sizes(step.node, *given)
        if found is not None:
            return found
    if any(isinstance(value, Plan) for value in step.node.attributes.values()):
        return step.run(step.node, values, *given)
    return step.run(step.node, *given)
