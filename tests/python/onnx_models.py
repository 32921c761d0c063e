"""Models of ONNX for tests: made of nodes, and whole ones; and what others give for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from support import SEED

import fastnp as np
import fastnp.onnx

random = numpy.random.default_rng(SEED)


def array(value: Any) -> Any:
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def agree(got: Any, want: Any, rtol: float, atol: float, what: str) -> None:
    for mine, theirs in zip(got if isinstance(got, tuple) else (got,), want, strict=True):
        wanted = numpy.asarray(theirs)
        assert str(mine.dtype) == str(wanted.dtype) and mine.shape == wanted.shape, f"{what}: {mine.dtype}{mine.shape}"
        if str(wanted.dtype) in ("float16", "bfloat16"):  # the tests' own were rounded after each operation
            rtol, atol = (2e-2, 2e-2) if str(wanted.dtype) == "bfloat16" else (4e-3, 1e-3)
            mine, wanted = mine.astype("float32"), wanted.astype("float32")
        numpy.testing.assert_allclose(numpy.asarray(mine), wanted, rtol=rtol, atol=atol, err_msg=f"FASTNP_TEST_SEED={SEED}: {what}")


_TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "int64": TensorProto.INT64, "int32": TensorProto.INT32, "bool": TensorProto.BOOL}


def floats(*shape: int) -> numpy.ndarray[Any, Any]:
    return random.standard_normal(shape).astype("float32")


def info(name: str, dtype: str, shape: Any) -> Any:
    return helper.make_tensor_value_info(name, _TYPES[dtype], shape)


def graph(nodes: list[Any], inputs: list[Any], outputs: list[Any], weights: dict[str, Any] | None = None, opset: int = 17, name: str = "net") -> Any:
    made = [numpy_helper.from_array(numpy.asarray(value), key) for key, value in (weights or {}).items()]
    model = helper.make_model(helper.make_graph(nodes, name, inputs, outputs, made), opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8 if opset <= 18 else 10
    return model


def one(op: str, given: list[Any], outputs: int = 1, opset: int = 17, constants: Any = None, **attributes: Any) -> tuple[Any, dict[str, Any]]:
    """A model of one node, and its inputs. `constants`: initializers, by their places among the node's inputs. None among the inputs is none."""
    weights = {f"c{place}": value for place, value in (constants or {}).items()}
    count = max([len(given) + len(weights)] + [place + 1 for place in (constants or {})])
    left, names, arrays = list(given), [], {}
    for place in range(count):
        if f"c{place}" in weights:
            names.append(f"c{place}")
        elif (value := left.pop(0) if left else None) is None:
            names.append("")
        else:
            names.append(f"x{place}")
            arrays[f"x{place}"] = value
    node = helper.make_node(op, names, [f"y{place}" for place in range(outputs)], "node", **attributes)
    inputs = [info(name, str(value.dtype), value.shape) for name, value in arrays.items()]
    untyped = [onnx.ValueInfoProto(name=f"y{place}") for place in range(outputs)]
    model = graph([node], inputs, untyped, weights, opset)
    typed = onnx.shape_inference.infer_shapes(model)
    return typed, arrays


def by_runtime(model: Any, arrays: dict[str, Any]) -> list[Any]:
    options = ort.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    return list(ort.InferenceSession(model.SerializeToString(), options).run(None, arrays))


def by_reference(model: Any, arrays: dict[str, Any]) -> list[Any]:
    return [numpy.asarray(each) for each in ReferenceEvaluator(model).run(None, arrays)]


def same(model: Any, arrays: dict[str, Any], rtol: float = 1e-4, by: Callable[..., list[Any]] = by_runtime) -> Any:
    """A model gives what onnxruntime does, also compiled and with other sizes of the batch."""
    read_model = fastnp.onnx.load(model)
    want = by(model, arrays)
    what = onnx.printer.to_text(model.graph)
    agree(read_model(**arrays), want, rtol, 1e-5, what)
    agree(np.compile(read_model, fullgraph=True)(*arrays.values()), want, rtol, 1e-5, what)
    return read_model


def node(op: str, inputs: str, outputs: str = "y", **attributes: Any) -> Any:
    return helper.make_node(op, [each.strip("-") for each in inputs.split()], outputs.split(), **attributes)


def mlp() -> Any:
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], "first", transB=1),
        helper.make_node("Tanh", ["h"], ["t"]),
        helper.make_node("MatMul", ["t", "w2"], ["m"]),
        helper.make_node("Softmax", ["m"], ["y"], axis=-1),
    ]
    weights = {"w1": floats(8, 4), "b1": floats(8), "w2": floats(8, 2)}
    return graph(nodes, [info("x", "float32", ["n", 4])], [info("y", "float32", ["n", 2])], weights, name="mlp")


def cnn() -> Any:
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["a", "scale", "offset", "mean", "variance"], ["b"]),
        helper.make_node("Relu", ["b"], ["c"]),
        helper.make_node("MaxPool", ["c"], ["d"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["d", "w2"], ["e"], auto_pad="SAME_UPPER", strides=[2, 2]),
        helper.make_node("Relu", ["e"], ["f"]),
        helper.make_node("GlobalAveragePool", ["f"], ["g"]),
        helper.make_node("Shape", ["g"], ["shape"]),
        helper.make_node("Gather", ["shape", "zero"], ["batch"]),
        helper.make_node("Unsqueeze", ["batch", "axis"], ["row"]),
        helper.make_node("Concat", ["row", "rest"], ["new"], axis=0),
        helper.make_node("Reshape", ["g", "new"], ["h"]),
        helper.make_node("Gemm", ["h", "w3", "b3"], ["y"]),
    ]
    weights: dict[str, Any] = {"w1": floats(6, 1, 3, 3), "b1": floats(6), "scale": floats(6), "offset": floats(6), "mean": floats(6)}
    weights |= {"variance": abs(floats(6)) + 0.5, "w2": floats(8, 6, 3, 3), "w3": floats(8, 10), "b3": floats(10)}
    weights |= {"zero": numpy.int64(0), "axis": numpy.array([0]), "rest": numpy.array([-1])}
    return graph(nodes, [info("x", "float32", ["n", 1, 12, 12])], [info("y", "float32", ["n", 10])], weights, name="cnn")


def transformer() -> Any:
    """A block of an encoder, of two heads, with a mask of what counts; its shapes are computed as exporters write it."""
    node = helper.make_node
    nodes = [node("Shape", ["x"], ["s"]), node("Slice", ["s", "c0", "c2", "c0"], ["rows"]), node("Concat", ["rows", "heads"], ["split"], axis=0)]
    for name in "qkv":
        nodes += [node("MatMul", ["x", f"w{name}"], [f"{name}0"]), node("Add", [f"{name}0", f"b{name}"], [f"{name}1"])]
        nodes += [node("Reshape", [f"{name}1", "split"], [f"{name}2"])]
        nodes += [node("Transpose", [f"{name}2"], [name], perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3])]
    nodes += [
        node("MatMul", ["q", "k"], ["scores0"]),
        node("Shape", ["q"], ["qs"]),
        node("Gather", ["qs", "last"], ["width"]),
        node("Cast", ["width"], ["widthf"], to=TensorProto.FLOAT),
        node("Sqrt", ["widthf"], ["root"]),
        node("Div", ["scores0", "root"], ["scores1"]),
        node("Unsqueeze", ["mask", "c12"], ["mask4"]),
        node("Where", ["mask4", "scores1", "low"], ["scores2"]),
        node("Softmax", ["scores2"], ["probabilities"], axis=-1),
        node("MatMul", ["probabilities", "v"], ["mixed"]),
        node("Transpose", ["mixed"], ["mixed1"], perm=[0, 2, 1, 3]),
        node("Reshape", ["mixed1", "s"], ["mixed2"]),
        node("MatMul", ["mixed2", "wo"], ["projected"]),
        node("Add", ["projected", "x"], ["sum1"]),
        node("LayerNormalization", ["sum1", "g1", "o1"], ["n1"], axis=-1),
        node("MatMul", ["n1", "w1"], ["f1"]),
        node("Div", ["f1", "root2"], ["f2"]),
        node("Erf", ["f2"], ["f3"]),
        node("Add", ["f3", "one"], ["f4"]),
        node("Mul", ["f1", "f4"], ["f5"]),
        node("Mul", ["f5", "half"], ["f6"]),
        node("MatMul", ["f6", "w2"], ["f7"]),
        node("Add", ["f7", "n1"], ["sum2"]),
        node("LayerNormalization", ["sum2", "g2", "o2"], ["y"], axis=-1),
    ]
    weights: dict[str, Any] = {f"w{name}": floats(8, 8) / 3 for name in "qkvo"} | {f"b{name}": floats(8) for name in "qkv"}
    weights |= {f"{name}{place}": floats(8) for name in "go" for place in (1, 2)} | {"w1": floats(8, 16), "w2": floats(16, 8)}
    weights |= {"c0": numpy.array([0]), "c2": numpy.array([2]), "heads": numpy.array([2, 4]), "last": numpy.int64(-1), "c12": numpy.array([1, 2])}
    weights |= {"low": numpy.float32(-1e9), "root2": numpy.float32(2**0.5), "one": numpy.float32(1), "half": numpy.float32(0.5)}
    inputs = [info("x", "float32", ["batch", "time", 8]), info("mask", "bool", ["batch", "time"])]
    return graph(nodes, inputs, [info("y", "float32", ["batch", "time", 8])], weights, name="encoder")


def lstm() -> Any:
    nodes = [
        helper.make_node("LSTM", ["x", "w", "r", "b"], ["all", "last", ""], hidden_size=6),
        helper.make_node("Squeeze", ["last", "axis"], ["h"]),
        helper.make_node("MatMul", ["h", "out"], ["y"]),
    ]
    weights = {"w": floats(1, 24, 3), "r": floats(1, 24, 6), "b": floats(1, 48), "out": floats(6, 2), "axis": numpy.array([0])}
    return graph(nodes, [info("x", "float32", [5, "n", 3])], [info("y", "float32", ["n", 2])], weights, name="lstm")


def arguments(name: str, n: int) -> dict[str, Any]:
    if name == "encoder":
        time = 3 + n
        return {"x": floats(n, time, 8), "mask": numpy.arange(time) < random.integers(1, time, (n, 1))}
    return {"x": floats(*{"mlp": (n, 4), "cnn": (n, 1, 12, 12), "lstm": (5, n, 3)}[name])}


MODELS = {"mlp": mlp, "cnn": cnn, "encoder": transformer, "lstm": lstm}


def doubled(proto: Any) -> Any:
    """The same model in float64."""
    for place, each in enumerate(proto.graph.initializer):
        if each.data_type == TensorProto.FLOAT:
            proto.graph.initializer[place].CopyFrom(numpy_helper.from_array(numpy_helper.to_array(each).astype("float64"), each.name))
    for each in (*proto.graph.input, *proto.graph.output):
        if each.type.tensor_type.elem_type == TensorProto.FLOAT:
            each.type.tensor_type.elem_type = TensorProto.DOUBLE
    for attribute in (attribute for node in proto.graph.node for attribute in node.attribute):
        if attribute.name == "to":
            attribute.i = TensorProto.DOUBLE
    return proto
