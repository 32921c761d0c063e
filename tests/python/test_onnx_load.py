"""ONNX models as functions: ONNX's own tests of operators, and what onnxruntime gives, are what they give, compiled and not."""

from __future__ import annotations

import functools
import re
import warnings
from pathlib import Path
from typing import Any

import numpy
import pytest

import fastnp as np

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import helper  # noqa: E402
from onnx_models import agree, array, by_runtime, floats, graph, info, node, one, random, same  # noqa: E402

import fastnp.onnx  # noqa: E402
from fastnp.onnx import _read_tables  # noqa: E402

load = fastnp.onnx.load


# ONNX's own tests.

# What is not read, as the errors say it.
NOT_READ = {
    r"elements of type 8$": "text",
    r"elements of type (17|18|19|20|23|24)$": "floats of 8 or 4 bits",
    r"elements of type (21|22|25|26)$": "integers of 4 or 2 bits",
    r"which is no array$|attribute 'type'$": "sequences, optional values and maps",
    r"^(Sequence|Optional|SplitToSequence|ConcatFromSequence)": "sequences and optional values",
    r"^(String|RegexFullMatch|TfIdfVectorizer|LabelEncoder|ImageDecoder)": "text and files",
    r"^ai\.onnx\.(ml|preview)": "domains other than ONNX's own",
    r"^(Bernoulli|Random|Multinomial)": "random numbers",
    r"opset \d+ \(7 is the oldest\)$|as opset 8 has it$": "old opsets",
    r"^(NonMaxSuppression|Unique|RoiAlign|DeformConv|GridSample|Col2Im)": "what networks for images have, seldom",
    r"^(DFT|STFT|MelWeightMatrix|Det)": "signals and determinants",
}
# What is read, but not tested: with the reason.
LEFT_OUT = dict.fromkeys((f"test_training_dropout{end}" for end in ("", "_mask", "_default", "_default_mask")), "draws random numbers")
# What is not recorded in one piece, with the reason.
IN_PARTS = {"test_bitcast": "a view in another dtype is no operation of a recording"}

FAMILIES = ["activations", "control", "elementwise", "images", "losses", "norms", "picks", "pools", "products", "quantized", "recurrent", "reductions"]
FAMILIES += ["shapes", "bodies"]


@functools.cache
def node_tests() -> list[Any]:
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return [case for case in load_model_tests(kind="node") if case.name not in LEFT_OUT]


def family_of(case: Any) -> str:
    """The file that has the operator of a test; "bodies" for what is made of simpler ones."""
    ops = {node.op_type for node in case.model.graph.node}
    for family in FAMILIES[:-1]:
        if ops == {"Constant"}:
            return "shapes"
        if len(ops - {"Constant"}) == 1 and next(iter(ops - {"Constant"})) in vars(_read_tables)[f"_read_{family}"].OPS:
            return family
    return "bodies"


def read(case: Any) -> Any:
    """The model of a test, or None where an error says for good reasons that it isn't read."""
    try:
        return load(case.model)
    except NotImplementedError as error:
        for part in str(error).removeprefix("not read of ONNX models: ").split("; "):
            plain = re.sub(r" \('.*?'\)", "", part)
            assert any(re.search(pattern, plain) for pattern in NOT_READ), f"{case.name}: {part}"
        return None


@pytest.mark.part(4)
@pytest.mark.parametrize("way", ["eager", "compiled"])
@pytest.mark.parametrize("family", FAMILIES)
def test_nodes(family: str, way: str) -> None:
    count = 0
    for case in node_tests():
        if family_of(case) != family or (model := read(case)) is None:
            continue
        if way == "compiled":
            model = np.compile(model, fullgraph=not case.name.startswith(tuple(IN_PARTS)))
        for given, want in case.data_sets:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                agree(model(*map(array, given)), list(map(array, want)), case.rtol, case.atol, case.name)
        count += 1
    assert count > 0


def test_so_many_nodes_are_read() -> None:
    found = [read(case) is not None for case in node_tests()]
    assert sum(found) >= 1550, (sum(found), len(found))


# Against onnxruntime.


X = (3, 4, 5)
AXES_FORMS: list[tuple[str, int, dict[str, Any], dict[int, Any]]] = [
    ("Squeeze", 11, {"axes": [1]}, {}),
    ("Squeeze", 13, {}, {1: [1]}),
    ("Unsqueeze", 11, {"axes": [0, 2]}, {}),
    ("Unsqueeze", 13, {}, {1: [0, -1]}),
    ("ReduceSum", 11, {"axes": [-1]}, {}),
    ("ReduceSum", 13, {"keepdims": 0}, {1: [1]}),
    ("ReduceSum", 13, {"noop_with_empty_axes": 1}, {}),
    ("ReduceMean", 11, {"axes": [0, 2], "keepdims": 0}, {}),
    ("ReduceMean", 18, {}, {1: [0, -1]}),
    ("ReduceMax", 11, {}, {}),
    ("ReduceMax", 18, {}, {1: [1]}),
    ("ReduceL2", 13, {"axes": [1]}, {}),
    ("ReduceLogSumExp", 18, {}, {1: [0]}),
    ("Clip", 7, {"min": -0.5, "max": 0.25}, {}),
    ("Clip", 13, {}, {1: numpy.float32(-0.5), 2: numpy.float32(0.5)}),
    ("Clip", 13, {}, {2: numpy.float32(0.5)}),
    ("Pad", 7, {"pads": [0, 1, 2, 1, 0, 0], "value": 3.0}, {}),
    ("Pad", 13, {}, {1: [0, 1, 2, 1, 0, 0], 2: numpy.float32(2)}),
    ("Pad", 13, {"mode": "reflect"}, {1: [0, 1, 2, 1, 0, 3]}),
    ("Pad", 18, {"mode": "edge"}, {1: [1, 2], 3: [-1]}),
    ("Pad", 13, {}, {1: [0, -1, 2, 1, 0, -2]}),
    ("Slice", 9, {"starts": [1, -3], "ends": [100, -1], "axes": [0, 2]}, {}),
    ("Slice", 13, {}, {1: [0, -1], 2: [2, -100], 3: [1, -1], 4: [1, -2]}),
    ("Slice", 13, {}, {1: [3], 2: [-(2**63)], 3: [1], 4: [-1]}),
    ("Dropout", 7, {"ratio": 0.3}, {}),
    ("Dropout", 13, {}, {1: numpy.float32(0.3)}),
    ("TopK", 9, {"axis": 1, "k": 2}, {}),
    ("TopK", 10, {"axis": 1}, {1: [2]}),
    ("TopK", 11, {"axis": -1, "largest": 0}, {1: [3]}),
    ("Softmax", 11, {}, {}),
    ("Softmax", 11, {"axis": 2}, {}),
    ("Softmax", 13, {"axis": 1}, {}),
    ("LogSoftmax", 7, {"axis": -1}, {}),
    ("Hardmax", 11, {"axis": 1}, {}),
    ("Hardmax", 13, {"axis": 0}, {}),
    ("Flatten", 13, {"axis": 0}, {}),
    ("Flatten", 13, {"axis": -1}, {}),
    ("Reshape", 13, {}, {1: [0, -1]}),
    ("Tile", 13, {}, {1: [1, 2, 3]}),
    ("Expand", 13, {}, {1: [2, 1, 4, 1]}),
    ("Transpose", 13, {}, {}),
    ("Gather", 13, {"axis": 1}, {1: [[0, -1], [2, 1]]}),
    ("Gather", 13, {"axis": -1}, {1: numpy.int64(-2)}),
    ("CumSum", 14, {"exclusive": 1, "reverse": 1}, {1: numpy.int64(1)}),
    ("ArgMax", 13, {"axis": 1, "keepdims": 0, "select_last_index": 1}, {}),
    ("Pow", 13, {}, {1: numpy.float32(2)}),
    ("Pow", 13, {}, {1: numpy.int64(3)}),
    ("Trilu", 14, {"upper": 0}, {1: numpy.int64(1)}),
    ("Shape", 15, {"start": 1, "end": -1}, {}),
    ("Size", 13, {}, {}),
    ("LayerNormalization", 17, {"axis": 1}, {1: numpy.ones((4, 5), "float32"), 2: numpy.ones((4, 5), "float32")}),
    ("LpNormalization", 17, {"axis": 1, "p": 1}, {}),
    ("Einsum", 13, {"equation": "i j k -> k i"}, {}),
]


@pytest.mark.parametrize("place", range(len(AXES_FORMS)), ids=lambda place: f"{AXES_FORMS[place][0]}-{AXES_FORMS[place][1]}-{place}")
def test_forms(place: int) -> None:
    """What was an attribute and became an input."""
    op, opset, attributes, constants = AXES_FORMS[place]
    outputs = {"TopK": 2, "LayerNormalization": 1}.get(op, 1)
    shape = (3, 1, 5) if op == "Squeeze" else X
    model, arrays = one(op, [floats(*shape)], outputs, opset, {key: numpy.asarray(value) for key, value in constants.items()}, **attributes)
    same(model, arrays)


def test_split_forms() -> None:
    for opset, attributes, constants, count in (
        (11, {"axis": 1, "split": [1, 3]}, {}, 2),
        (13, {"axis": 1}, {1: [1, 3]}, 2),
        (13, {"axis": 1}, {}, 2),
        (18, {"axis": 2, "num_outputs": 3}, {}, 3),
    ):
        model, arrays = one("Split", [floats(*X)], count, opset, {key: numpy.array(value) for key, value in constants.items()}, **attributes)
        same(model, arrays)


def drawn_window(ndim: int, has_dilations: bool = True) -> dict[str, Any]:
    made: dict[str, Any] = {"kernel_shape": random.integers(1, 4, ndim).tolist(), "strides": random.integers(1, 4, ndim).tolist()}
    if has_dilations:
        made["dilations"] = random.integers(1, 3, ndim).tolist()
    way = random.integers(0, 4)
    if way == 0:
        made["auto_pad"] = str(random.choice(["SAME_UPPER", "SAME_LOWER", "VALID"]))
        made.pop("dilations", None)
        made["strides"] = [min(pair) for pair in zip(made["strides"], made["kernel_shape"], strict=True)]  # else onnxruntime's pads are negative
    elif way < 3:
        made["pads"] = [int(random.integers(0, width)) for width in made["kernel_shape"] * 2]
    return made


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_convolutions(ndim: int) -> None:
    for _ in range(8):
        attributes, groups = drawn_window(ndim), int(random.choice([1, 2, 4]))
        weights = floats(groups * int(random.integers(1, 3)), 4 // groups, *attributes["kernel_shape"])
        bias = [floats(weights.shape[0])] if random.integers(0, 2) else []
        model, arrays = one("Conv", [floats(2, 4, *random.integers(7, 10, ndim)), weights, *bias], group=groups, **attributes)
        same(model, arrays, 1e-3)


@pytest.mark.parametrize("ndim", [1, 2])
def test_transposed_convolutions(ndim: int) -> None:
    for _ in range(6):
        attributes, groups = drawn_window(ndim), int(random.choice([1, 2]))
        attributes.pop("auto_pad", None)
        attributes["output_padding"] = [int(random.integers(0, stride)) for stride in attributes["strides"]]
        weights = floats(4, int(random.integers(1, 3)), *attributes["kernel_shape"])
        model, arrays = one("ConvTranspose", [floats(2, 4, *random.integers(4, 7, ndim)), weights], group=groups, **attributes)
        same(model, arrays, 1e-3)


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
def test_pools(op: str) -> None:
    for _ in range(12):
        ndim = int(random.integers(1, 4))
        attributes = drawn_window(ndim, op == "MaxPool")
        if op != "LpPool" and "auto_pad" not in attributes:
            attributes["ceil_mode"] = int(random.integers(0, 2))
        if op == "AveragePool":
            attributes["count_include_pad"] = int(random.integers(0, 2))
        model, arrays = one(op, [floats(2, 3, *random.integers(6, 10, ndim))], **attributes)
        same(model, arrays, 1e-3)


@pytest.mark.parametrize("op,gates", [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_recurrent_layers(op: str, gates: int, direction: str) -> None:
    directions, hidden, batch, steps, size = 1 + (direction == "bidirectional"), 3, 2, 4, 5
    for has_more in (False, True):
        given: list[Any] = [floats(steps, batch, size), floats(directions, gates * hidden, size), floats(directions, gates * hidden, hidden)]
        attributes: dict[str, Any] = {"hidden_size": hidden, "direction": direction}
        if has_more:
            given += [floats(directions, 2 * gates * hidden), numpy.array([4, 2], "int32"), floats(directions, batch, hidden)]
            given += [floats(directions, batch, hidden), floats(directions, 3 * hidden)] if op == "LSTM" else []
            attributes |= {"linear_before_reset": 1} if op == "GRU" else {}
        model, arrays = one(op, given, 3 if op == "LSTM" else 2, 14, **attributes)
        same(model, arrays, 1e-3)


# Sizes that vary.


IMAGE = ("n", "c", "h", "w")
STEPS = {"zero": numpy.int64(0), "one": numpy.int64(1)}
TWICE = {"s": numpy.array([1, 1, 2, 2], "float32")}
VARYING: dict[str, tuple[list[Any], tuple[Any, ...], dict[str, Any]]] = {
    "strides": ([node("Conv", "x k", pads=[1, 1, 1, 1], strides=[2, 2])], ("n", 2, "h", "w"), {"k": (4, 2, 3, 3)}),
    "same": ([node("Conv", "x k", auto_pad="SAME_LOWER", strides=[2, 2])], ("n", 2, "h", "w"), {"k": (4, 2, 3, 3)}),
    "depthwise": ([node("Conv", "x k", group=2)], ("n", 2, "h", "w"), {"k": (2, 1, 3, 3)}),
    "groups": ([node("Conv", "x k", group=2)], ("n", 4, "h", "w"), {"k": (4, 2, 3, 3)}),
    "transposed": ([node("ConvTranspose", "x k", strides=[2, 2], pads=[1, 1, 1, 1])], ("n", 4, "h", "w"), {"k": (4, 2, 3, 3)}),
    "largest": ([node("MaxPool", "x", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)], IMAGE, {}),
    "means": ([node("AveragePool", "x", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, pads=[1, 1, 1, 1])], IMAGE, {}),
    "nearest": ([node("Resize", "x - s", coordinate_transformation_mode="asymmetric", nearest_mode="floor")], IMAGE, TWICE),
    "linear": ([node("Resize", "x - s", mode="linear")], IMAGE, TWICE),
    "aligned": ([node("Resize", "x - s", mode="linear", coordinate_transformation_mode="align_corners")], IMAGE, TWICE),
    "split": ([node("Split", "x", "a b", axis=2), node("Concat", "b a", axis=2)], IMAGE, {}),
    "backwards": ([node("Slice", "x a b c d")], IMAGE, dict(zip("abcd", map(numpy.array, ([-1], [-(2**63)], [2], [-2])), strict=True))),
    "blocks": ([node("DepthToSpace", "x", blocksize=2)], ("n", 4, "h", "w"), {}),
    "rows": ([node("Hardmax", "x", axis=2)], IMAGE, {}),
    "places": (
        [node("Shape", "x", "s"), node("Gather", "s one", "t"), node("Range", "zero t one", "r"), node("Gather", "table r", "e"), node("Add", "x e")],
        ("n", "t", 4),
        STEPS | {"table": (40, 4)},
    ),
    "triangle": ([node("Shape", "x", "s"), node("Expand", "v s", "o"), node("Trilu", "o", "m", upper=0), node("Mul", "x m")], ("n", "t"), {"v": (1,)}),
}


@pytest.mark.parametrize("name", list(VARYING))
def test_sizes_that_vary(name: str, tmp_path: Path) -> None:
    """What is computed of sizes stays an expression: one compilation, and one library, is for all of them."""
    nodes, sizes, given = VARYING[name]
    weights = {key: floats(*value) if isinstance(value, tuple) else value for key, value in given.items()}
    proto = graph(nodes, [info("x", "float32", sizes)], [info("y", "float32", [f"o{axis}" for axis in range(len(sizes))])], weights)
    model = load(proto)
    compiled = np.compile(model, fullgraph=True)
    for length in (8, 6, 10, 12):
        lengths = {"n": 2 + length // 2, "c": 3 + length // 4}
        x = floats(*[size if isinstance(size, int) else lengths.get(size, length) for size in sizes])
        want = by_runtime(proto, {"x": x})
        agree(model(x), want, 1e-3, 1e-4, name)
        agree(compiled(x), want, 1e-3, 1e-4, name)
    assert compiled.cache_info().compiles == 2
    agree(np.export(model, np.ShapeDtype(sizes, "float32"), tmp_path / "model")(x), want, 1e-3, 1e-4, name)


@pytest.mark.parametrize(
    "op,shapes,attributes",
    [
        ("BiasGelu", [(3, 4), (4,)], {}),
        ("FastGelu", [(3, 4), (4,)], {}),
        ("FusedMatMul", [(4, 3), (4, 4)], {"transA": 1, "alpha": 0.5}),
        ("Gelu", [(3, 4)], {}),
        ("QuickGelu", [(3, 4)], {"alpha": 1.5}),
        ("SkipLayerNormalization", [(2, 3, 4), (2, 3, 4), (4,), (4,), (4,)], {"epsilon": 1e-6}),
        ("SkipSimplifiedLayerNormalization", [(2, 3, 4), (2, 3, 4), (4,)], {}),
    ],
)
def test_what_onnxruntime_adds(op: str, shapes: list[tuple[int, ...]], attributes: dict[str, Any]) -> None:
    arrays = {f"x{place}": floats(*shape) for place, shape in enumerate(shapes)}
    made = helper.make_node(op, list(arrays), ["y"], domain="com.microsoft", **attributes)
    proto = graph([made], [info(name, "float32", x.shape) for name, x in arrays.items()], [info("y", "float32", ["a", "b", "c"][: len(shapes[0])])])
    proto.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    same(proto, arrays)


# Whole models.
