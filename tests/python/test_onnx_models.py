"""Whole ONNX models as functions: compiled, differentiated, exported, their weights, and what is wrong with models and calls."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx_models import MODELS, agree, arguments, by_runtime, doubled, floats, graph, info, mlp, random, same, transformer  # noqa: E402

import fastnp.onnx  # noqa: E402

load = fastnp.onnx.load


@pytest.mark.parametrize("name", list(MODELS))
def test_whole_models(name: str, tmp_path: Path) -> None:
    """For any size of the batch: as they are, compiled, and exported."""
    proto = MODELS[name]()
    model = load(proto)
    compiled = np.compile(model, fullgraph=True)
    for n in (3, 5, 2, 6):
        given = arguments(name, n)
        want = by_runtime(proto, given)
        agree(model(**given), want, 1e-3, 1e-4, name)
        agree(compiled(*given.values()), want, 1e-3, 1e-4, name)
    assert compiled.cache_info().compiles == 2
    specs = tuple(np.ShapeDtype(tuple(sizes), dtype) for _, dtype, sizes in model.inputs)
    agree(np.export(model, specs, tmp_path / "model")(*given.values()), want, 1e-3, 1e-4, name)


@pytest.mark.parametrize("name", list(MODELS))
def test_gradients(name: str) -> None:
    """With respect to the input, against differences, in float64."""
    model = load(doubled(MODELS[name]()))
    given = arguments(name, 2)
    rest = list(given.values())[1:]
    x, direction = given["x"].astype("float64"), random.standard_normal(given["x"].shape)
    way = random.standard_normal(model(x, *rest).shape)

    def loss(x: Any) -> Any:
        return np.sum(model(x, *rest) * way)

    step = 1e-6
    want = (loss(x + step * direction) - loss(x - step * direction)) / (2 * step)
    for slope in (np.grad(loss), np.compile(np.grad(loss), fullgraph=True)):
        got = numpy.sum(numpy.asarray(slope(np.asarray(x))) * direction)
        assert abs(got - want) <= 2e-4 * max(1.0, abs(want)), f"FASTNP_TEST_SEED={SEED}"


def test_weights_are_read_at_each_call() -> None:
    model = load(mlp())
    compiled, x = np.compile(model, fullgraph=True), floats(3, 4)
    before = numpy.asarray(compiled(x))
    for change in (lambda: model.weights.update(b1=floats(8)), lambda: model.weights["w2"].fill(0.5)):
        change()
        after = numpy.asarray(compiled(x))
        assert numpy.abs(after - before).max() > 1e-4
        numpy.testing.assert_allclose(after, numpy.asarray(model(x)), rtol=1e-5)
        before = after
    assert compiled.cache_info().compiles == 1
    other = load(mlp())
    numpy.testing.assert_allclose(numpy.asarray(np.compile(other)(x)), numpy.asarray(other(x)), rtol=1e-5)


def test_what_a_model_says(tmp_path: Path) -> None:
    proto = mlp()
    onnx.save(proto, tmp_path / "mlp.onnx")
    onnx.save(proto, tmp_path / "apart.onnx", save_as_external_data=True, location="weights", size_threshold=0)
    x = floats(3, 4)
    want = load(mlp_bytes := (tmp_path / "mlp.onnx").read_bytes())(x)
    for source in (tmp_path / "mlp.onnx", str(tmp_path / "apart.onnx"), mlp_bytes, onnx.load_from_string(mlp_bytes)):
        model = load(source)
        assert repr(model) == "<onnx model mlp(x: float32(n, 4)) -> y: float32(n, 2)>"
        assert (model.name, model.opset, sorted(model.weights)) == ("mlp", 17, ["b1", "w1", "w2"])
        assert (model.inputs, model.outputs) == ([("x", "float32", ("n", 4))], [("y", "float32", ("n", 2))])
        numpy.testing.assert_array_equal(numpy.asarray(model(x=x)), numpy.asarray(want))


def test_wrong_arguments() -> None:
    model = load(transformer())
    x, mask = floats(2, 3, 8), numpy.ones((2, 3), bool)
    for given, named, kind, text in (
        ((x, mask, x), {}, TypeError, "takes 2 arrays"),
        ((x,), {}, TypeError, "lacks mask"),
        ((x,), {"mask": mask, "z": x}, TypeError, "no input 'z'"),
        ((x, mask), {"mask": mask}, TypeError, "'mask' twice"),
        ((x.astype("float64"), mask), {}, TypeError, "input 'x' is of float32, not float64"),
        ((x[0], mask), {}, ValueError, "input 'x' has 3 axes, not 2"),
        ((x[..., 1:], mask), {}, ValueError, "axis 2 of input 'x' has size 8, not 7"),
    ):
        with pytest.raises(kind, match=text):
            model(*given, **named)


def test_what_is_not_read() -> None:
    """One error, with all of it."""
    nodes = [
        helper.make_node("Unique", ["x"], ["u"], "first"),
        helper.make_node("DFT", ["x"], ["v"], "second"),
        helper.make_node("Own", ["u"], ["w"], domain="my"),
    ]
    proto = graph(nodes, [info("x", "float32", [4])], [info("w", "float32", [4])], opset=17)
    proto.opset_import.append(helper.make_opsetid("my", 1))
    with pytest.raises(NotImplementedError, match=r"Unique \('first'\); DFT \('second'\); my.Own \('w'\)"):
        load(proto)


def test_damaged_files(tmp_path: Path) -> None:
    text = mlp().SerializeToString()
    (tmp_path / "half.onnx").write_bytes(text[: len(text) // 2])
    for source in (b"no model", b"", text[:-7], tmp_path / "half.onnx"):
        with pytest.raises(ValueError, match="damaged"):
            load(source)
    with pytest.raises(TypeError, match="a model is a path"):
        load(3)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.onnx")


def test_functions_of_the_model() -> None:
    """With attributes that are handed on, and one inside of the other."""
    inner = helper.make_function(
        "my", "Scaled", ["a"], ["b"], [onnx.helper.make_node("LeakyRelu", ["a"], ["b"])], [helper.make_opsetid("", 17)], ["alpha"]
    )
    reference = inner.node[0].attribute.add()
    reference.name, reference.ref_attr_name, reference.type = "alpha", "alpha", onnx.AttributeProto.FLOAT
    calls = [helper.make_node("Scaled", ["a"], ["t"], domain="my", alpha=0.25), helper.make_node("Add", ["t", "a"], ["b"])]
    outer = helper.make_function("my", "Twice", ["a"], ["b"], calls, [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)])
    nodes = [helper.make_node("Twice", ["x"], ["t"], domain="my"), helper.make_node("Twice", ["t"], ["y"], domain="my")]
    proto = graph(nodes, [info("x", "float32", ["n"])], [info("y", "float32", ["n"])])
    proto.functions.extend([inner, outer])
    proto.opset_import.append(helper.make_opsetid("my", 1))
    same(proto, {"x": floats(7)})


def test_branches(tmp_path: Path) -> None:
    """On values: one recording has both."""
    branches = [graph([helper.make_node(op, ["x"], ["b"])], [], [info("b", "float32", ["n"])]).graph for op in ("Exp", "Neg")]
    nodes = [helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0), helper.make_node("Greater", ["s", "zero"], ["c"])]
    nodes += [helper.make_node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1])]
    proto = graph(nodes, [info("x", "float32", ["n"])], [info("y", "float32", ["n"])], {"zero": numpy.float32(0)})
    for x in (abs(floats(5)), -abs(floats(5))):
        model = same(proto, {"x": x})
    exported = np.export(model, np.ShapeDtype("n", "float32"), tmp_path / "model")
    for x in (abs(floats(4)), -abs(floats(6))):
        agree(exported(x), by_runtime(proto, {"x": x}), 1e-4, 1e-5, "exported")


def test_erf() -> None:
    import math

    from fastnp.onnx._read_erf import erf

    for dtype in ("float64", "float32"):
        x = numpy.concatenate([random.uniform(-7, 7, 5000), random.standard_normal(5000) / 4]).astype(dtype)
        want = numpy.array([math.erf(each) for each in x.tolist()])
        error = abs(numpy.asarray(erf(np.asarray(x))).astype("float64") - want) / numpy.spacing(abs(want).astype(dtype))
        assert error.max() <= 8, (dtype, error.max())
    slope = numpy.asarray(np.grad(lambda x: np.sum(erf(x)))(np.asarray(x.astype("float64"))))
    numpy.testing.assert_allclose(slope, 2 / math.sqrt(math.pi) * numpy.exp(-(x.astype("float64") ** 2)), rtol=1e-9, atol=1e-14)


def test_constants_beyond_python() -> None:
    """Integers that wrap around, quotients of zero and bytes are left to arrays."""
    for op, dtype, first, second in (("Add", "int64", 2**63 - 1, 2), ("Mul", "int32", 2**20, 2**15), ("Div", "float32", 1, 0), ("Sub", "uint8", 1, 3)):
        weights = {"a": numpy.array(first, dtype), "b": numpy.array(second, dtype)}
        nodes = [helper.make_node("Constant", [], [key], value=numpy_helper.from_array(value)) for key, value in weights.items()]
        nodes += [helper.make_node(op, ["a", "b"], ["c"]), helper.make_node("Cast", ["c"], ["d"], to=TensorProto.FLOAT)]
        nodes += [helper.make_node("Add", ["d", "x"], ["y"])]
        proto = graph(nodes, [info("x", "float32", ["n"])], [info("y", "float32", ["n"])])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            same(proto, {"x": floats(3)})


@pytest.mark.parametrize("name", list(MODELS))
def test_there_and_back(name: str) -> None:
    """What is read can be written, and gives the same."""
    model = load(MODELS[name]())
    sizes = arguments(name, 3)
    again = load(np.onnx.export(model, tuple(np.ShapeDtype(each.shape, each.dtype) for each in sizes.values()), name=name))
    agree(tuple(numpy.asarray(again(*sizes.values()))[None]), [numpy.asarray(model(**sizes))], 1e-5, 1e-5, name)
