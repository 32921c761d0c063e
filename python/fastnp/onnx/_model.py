"""ONNX models as functions: ``load``."""

from __future__ import annotations

import inspect
import keyword
import os
import weakref
from collections.abc import Mapping
from typing import Any

import numpy

import fastnp as np
from fastnp.onnx._read_plan import Plan, Planner, key_of, results
from fastnp.onnx._read_values import Unsupported, Value, dtype_of

Described = tuple[str, str, tuple[Any, ...] | None]  # a name, a dtype, and sizes: ints, names, or None for what is not said


class _Held:
    """What a call needs besides the weights. A recording knows a model by its key, which says all of it, so that the plan need not be compared."""

    def __init__(self, name: str, inputs: list[Described], plan: Plan) -> None:
        self.name, self.inputs, self.plan = name, inputs, plan

    def __deepcopy__(self, memo: Any) -> _Held:
        return self  # nobody changes it, and copies of a model find it by its key


_models: weakref.WeakValueDictionary[str, _Held] = weakref.WeakValueDictionary()


def _run(key: str, weights: dict[str, Any], arrays: tuple[Any, ...], named: dict[str, Any]) -> Any:
    held = _models[key]
    values: dict[str, Value] = dict(weights)
    values.update(_given(held.name, held.inputs, arrays, named))
    found = results(held.plan, values)
    return found[0] if len(found) == 1 else found


class Model:
    """An ONNX model as a function of arrays. `load` makes it.

    It is called with arrays in the order of `inputs`, or by their names, and gives the output, or a tuple of several.
    It computes with functions of fastnp: `compile`, `grad`, `vmap` and `export` take it as they take other functions.

    Attributes
    ----------
    name : str
        What the model calls its graph.
    opset : int
        The version of ONNX's operators that it is written for.
    inputs, outputs : list of tuple
        Of each its name, its dtype's name, and its sizes: ints, names of sizes that vary, or None where nothing is
        said. The sizes are None where not even their number is said.
    weights : dict
        The arrays in the model, by name. They are read at each call, so they can be written to or replaced. Small
        arrays of integers, which are sizes and axes, are not among them.

    See Also
    --------
    onnx.load

    Examples
    --------
    >>> import onnx.parser
    >>> import fastnp as np
    >>> import fastnp.onnx
    >>> text = '<ir_version: 10, opset_import: ["": 21]> twice (float[n] x) => (float[n] y) { y = Add(x, x) }'
    >>> model = np.onnx.load(onnx.parser.parse_model(text))
    >>> model
    <onnx model twice(x: float32(n,)) -> y: float32(n,)>
    >>> model(np.ones(3, dtype="float32"))
    array([2., 2., 2.], dtype=float32)
    """

    def __init__(self, name: str, opset: int, inputs: list[Described], outputs: list[Described], plan: Plan, weights: dict[str, Any]) -> None:
        self.name = name
        self.opset = opset
        self.inputs = inputs
        self.outputs = outputs
        self.weights = weights
        self._held = _Held(name, list(inputs), plan)
        self._key = key_of(name, inputs, plan)
        self._held = _models.setdefault(self._key, self._held)
        self.__name__ = self.__qualname__ = name if name.isidentifier() else "model"
        names = [each[0] for each in inputs]
        if all(each.isidentifier() and not keyword.iskeyword(each) for each in names):  # `compile` takes names of sizes by these
            self.__signature__ = inspect.Signature([inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in names])

    def __call__(self, /, *arrays: Any, **named: Any) -> Any:
        return _run(self._key, {name: np.asarray(weight) for name, weight in self.weights.items()}, arrays, named)

    def __repr__(self) -> str:
        takes, gives = (", ".join(f"{name}: {dtype}{_sizes_text(sizes)}" for name, dtype, sizes in each) for each in (self.inputs, self.outputs))
        return f"<onnx model {self.name}({takes}) -> {gives}>"


def _sizes_text(sizes: tuple[Any, ...] | None) -> str:
    if sizes is None:
        return "(...)"
    return f"({', '.join('?' if size is None else str(size) for size in sizes)}{',' if len(sizes) == 1 else ''})"


def _given(model: str, inputs: list[Described], arrays: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names."""
    names = [name for name, _, _ in inputs]
    if len(arrays) > len(names):
        raise TypeError(f"{model} takes {len(names)} arrays ({', '.join(names)}), not {len(arrays)}")
    found = dict(zip(names, arrays, strict=False))
    for name, value in named.items():
        if name not in names:
            raise TypeError(f"{model} has no input {name!r}: they are {', '.join(names)}")
        if name in found:
            raise TypeError(f"{model} is given {name!r} twice")
        found[name] = value
    missing = [name for name in names if name not in found]
    if missing:
        raise TypeError(f"{model} lacks {', '.join(missing)}")
    return {each[0]: _checked(each, found[each[0]]) for each in inputs}


def _checked(described: Described, value: Any) -> Any:
    """An argument as an array, of the dtype and the sizes that the model says."""
    name, dtype, sizes = described
    x = np.asarray(value) if hasattr(value, "dtype") else np.asarray(value, dtype=dtype)
    if str(x.dtype) != dtype:
        raise TypeError(f"input {name!r} is of {dtype}, not {x.dtype}")
    if sizes is None:
        return x
    if len(sizes) != x.ndim:
        raise ValueError(f"input {name!r} has {len(sizes)} axes, not {x.ndim}")
    for axis, size in enumerate(sizes):
        if isinstance(size, int) and x.shape[axis] != size:
            raise ValueError(f"axis {axis} of input {name!r} has size {size}, not {x.shape[axis]}")
    return x


def _described(info: Any) -> Described:
    """An input or an output of a graph."""
    if info.type.WhichOneof("value") not in (None, "tensor_type"):
        raise Unsupported(f"{info.name!r}, which is no array")
    tensor = info.type.tensor_type
    dtype = dtype_of(tensor.elem_type)
    if not tensor.HasField("shape"):
        return info.name, dtype, None
    sizes = tuple(each.dim_value if each.HasField("dim_value") else each.dim_param or None for each in tensor.shape.dim)
    return info.name, dtype, sizes


def _parsed(source: Any) -> Any:
    """A checked ModelProto."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError("fastnp.onnx needs the package onnx: pip install onnx") from error
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # onnx needs it

    what = "the model"
    try:
        if isinstance(source, (bytes, bytearray, memoryview)):
            model = onnx.load_model_from_string(bytes(source))
        elif isinstance(source, (str, os.PathLike)):
            what = os.fspath(source)
            model = onnx.load(what)
        elif isinstance(source, onnx.ModelProto):
            model = source
        else:
            raise TypeError(f"a model is a path, bytes or an onnx.ModelProto, not {type(source).__name__}")
        is_large = model.ByteSize() >= 2**31  # more than the checker takes
        onnx.checker.check_model(what if is_large and what != "the model" else model)
    except (DecodeError, onnx.checker.ValidationError) as error:
        if "No Op registered" in str(error):  # which the plan says with all others
            return model
        raise ValueError(f"{what} is no ONNX model, or it is damaged: {error}") from error
    return model


def load(source: Any) -> Model:
    """Reads an ONNX model as a function.

    The model is checked and planned here; a call does its nodes in their order. It gives what the operators' texts say,
    of opsets from 7 on.

    Parameters
    ----------
    source : path, bytes or onnx.ModelProto
        A file (with files of external data beside it), what is in one, or the model itself.

    Returns
    -------
    Model
        What can be called, compiled, differentiated and exported.

    Raises
    ------
    ImportError
        Without the package onnx.
    NotImplementedError
        For operators that are not read. It lists all of them.
    ValueError
        For what is no model, or is damaged.

    See Also
    --------
    onnx.Model, onnx.export

    Examples
    --------
    >>> import onnx.parser
    >>> import fastnp as np
    >>> import fastnp.onnx
    >>> text = '<ir_version: 10, opset_import: ["": 21]> line (float[n] x) => (float[n] y) <float[1] w = {3}> { y = Mul(x, w) }'
    >>> model = np.onnx.load(onnx.parser.parse_model(text).SerializeToString())
    >>> x = np.ones(2, dtype="float32")
    >>> np.compile(model)(x)
    array([3., 3.], dtype=float32)
    >>> model.weights["w"] = np.full(1, 5, dtype="float32")
    >>> model(x)
    array([5., 5.], dtype=float32)
    """
    proto = _parsed(source)
    planner = Planner(proto)
    plan = planner.plan(proto.graph)
    described: dict[str, list[Described]] = {"inputs": [], "outputs": []}
    for kind, infos in (("inputs", proto.graph.input), ("outputs", proto.graph.output)):
        for info in infos:
            try:
                if kind == "outputs" or info.name in plan.inputs:
                    described[kind].append(_described(info))
            except Unsupported as error:
                planner.unsupported.append(f"{kind[:-1]} {error}")
    if planner.unsupported:
        raise NotImplementedError("not read of ONNX models: " + "; ".join(dict.fromkeys(planner.unsupported)))
    weights = {name: numpy.array(array) for name, array in planner.weights.items()}
    opset = planner.opsets.get("", planner.opsets.get("ai.onnx", 0))
    return Model(proto.graph.name or "model", opset, described["inputs"], described["outputs"], plan, weights)
