"""ONNX models of functions: what onnxruntime and ONNX's own reference give is what the function gives; what ONNX has nothing for is told of at once."""

from __future__ import annotations

import json
import random as dice
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
from support import SEED
from test_export import CASES, Spec

import fastnp as np

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from onnx.reference import ReferenceEvaluator  # noqa: E402

from fastnp import _formulas  # noqa: E402
from fastnp.onnx import _write_arrays  # noqa: E402

random = numpy.random.default_rng(SEED)
chance = dice.Random(SEED)


def flat(value: Any) -> list[numpy.ndarray[Any, Any]]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for each in value for leaf in flat(each)]
    return [] if value is None or isinstance(value, str) else [numpy.asarray(value)]


def by_reference(model: Any, given: list[Any]) -> list[Any]:
    names = [each.name for each in model.graph.input]
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = ReferenceEvaluator(model).run(None, dict(zip(names, given, strict=True)))
    return [numpy.asarray(each) for each in found]


def by_runtime(model: Any, given: list[Any]) -> list[Any] | None:
    """None where onnxruntime has no kernel for a dtype: ONNX has the operation all the same."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    except Exception as error:
        if "NOT_IMPLEMENTED" in str(error):
            return None
        raise
    names = [each.name for each in session.get_inputs()]
    return list(session.run(None, dict(zip(names, given, strict=True))))


def like(got: list[Any], want: list[Any], tolerance: float) -> None:
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, b.dtype, a.shape, b.shape)
        if b.dtype.kind in "biu":
            assert numpy.array_equal(a, b), (a, b)
        else:
            scale = numpy.abs(b[numpy.isfinite(b)]).max(initial=1)
            numpy.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale)


def check(function: Callable[..., Any], specs: Any, given: list[Any], tolerance: float = 1e-12, who: str = "both", opset: int = 20) -> Any:
    model = np.onnx.export(function, specs, opset=opset)
    leaves = flat(given)
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = flat(np.compile(function)(*[np.asarray(each) if isinstance(each, numpy.ndarray) else each for each in given]))
    if who != "runtime":
        like(by_reference(model, leaves), want, tolerance)
    if who != "reference" and (got := by_runtime(model, leaves)) is not None:
        like(got, want, tolerance)
    return model


LEFT_OUT = {
    "in_place": "it writes to an array that it was given",
    "fft": "fft of complex128",
    "complex": "view of the parts of complex numbers",
    "solve": "lu of float64 (",
    "trees": "3, which is no array",
}


@pytest.mark.parametrize("name", CASES)
def test_functions_that_are_exported(name: str) -> None:
    function, specs, arguments = CASES[name]
    if name in LEFT_OUT:
        with pytest.raises(np.RecordError) as caught:
            np.onnx.export(function, specs)
        assert LEFT_OUT[name] in str(caught.value)
        return
    model = np.onnx.export(function, specs, opset=chance.randrange(18, 25))
    for rows in (1, 2, 7):
        given = arguments(rows)
        want = flat(np.compile(function).lower(*specs).compile()(*given))
        tolerance = 2e-3 if name == "float16" else 1e-9
        like(by_reference(model, flat(given)), want, tolerance)
        if (got := by_runtime(model, flat(given))) is not None:
            like(got, want, tolerance)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-3, -1e-8, 40.0, numpy.inf, -numpy.inf, numpy.nan]
NARROW = {"arcsin": (-1, 1), "arccos": (-1, 1), "arctanh": (-1, 1), "arccosh": (1, 9), "log": (0, 9), "power": (0, 3)}
# NaN and infinities that ONNX says nothing of, or that its reference has as NumPy's functions of other names have them.
FINITE = {"sign", "fmod", "remainder", "floor_divide", "maximum", "minimum", "rint", "modf_fraction", "ldexp", "heaviside", "logaddexp", "logaddexp2"}


def values(name: str, count: int, dtype: Any) -> Any:
    if numpy.dtype(dtype).kind == "b":
        return random.integers(0, 2, count).astype(bool)
    if numpy.dtype(dtype).kind in "iu":
        info = numpy.iinfo(dtype)
        made = random.integers(max(info.min, -90), min(info.max, 90), count).astype(dtype)
        if name in ("floor_divide", "remainder", "right_shift", "absolute", "negative"):  # exact at the ends of the range, too
            made[:2] = info.min + (name in ("floor_divide", "remainder")), info.max
        return made
    low, high = NARROW.get(name, (-4, 4))
    made = random.uniform(low, high, count).astype(dtype)
    if name not in NARROW and name not in FINITE:
        made[: len(SPECIAL)] = chance.sample(SPECIAL, len(SPECIAL))
    return made


def applied(name: str, count: int) -> Callable[..., Any]:
    parts = {"modf_fraction": lambda x: np.modf(x)[0]}
    function = parts[name] if name in parts else getattr(np, name)
    return (lambda x: function(x)) if count == 1 else (lambda x, y: function(x, y))


TWO = {name for name, kind, operands, *_ in np._core._catalogue() if kind == "map" and operands == 2}


def loops(names: set[str], dtypes: list[str]) -> list[tuple[str, str]]:
    """Names with the dtypes that NumPy's functions take. (Of bytes it has some in half precision, which fastnp computes otherwise.)"""
    cases = []
    for name in sorted(names - {"imag", "real", "conjugate"}):
        for dtype in dtypes:
            if name == "modf_fraction" and dtype[0] != "f":
                continue
            try:
                with numpy.errstate(all="ignore"):
                    result = getattr(numpy, name, numpy.negative)(*[numpy.ones(1, dtype)] * (2 if name in TWO else 1))
            except TypeError:
                continue
            if result.dtype != numpy.float16 or dtype == "float16":
                cases.append((name, dtype))
    return cases


def operands(name: str, dtype: str) -> list[Any]:
    """For a function, where it has values."""
    given = [values(name, 40, dtype) for _ in range(2 if name in TWO else 1)]
    if name in ("left_shift", "right_shift", "ldexp"):
        given[1] = random.integers(0, 5, 40).astype("int32" if name == "ldexp" else dtype)
    if name in ("floor_divide", "remainder", "fmod", "divide", "reciprocal") and dtype[0] in "iub":
        given[-1][given[-1] == 0] = 1
    if name == "power" and dtype[0] in "iu":
        given[1] = random.integers(0, 3, 40).astype(dtype)
    return given


DTYPES = ["float64", "float32", "float16", "int64", "int32", "int16", "uint8", "bool", "uint32"]


@pytest.mark.parametrize(("name", "dtype"), loops(_formulas.names(), DTYPES))
def test_elementwise(name: str, dtype: str) -> None:
    given = operands(name, dtype)
    count = len(given)
    with numpy.errstate(all="ignore"):
        result = applied(name, count)(*given).dtype.name
    tolerance = {"float64": 1e-11, "float32": 1e-5, "float16": 4e-3}.get(result, 1e-11)
    specs = [Spec("n", each.dtype) for each in given]
    check(applied(name, count), specs, given, tolerance, who="both" if name not in FINITE else "reference")


def test_all_rows_of_the_tables_are_tried() -> None:
    """By test_elementwise and the programs below."""
    used: set[str] = set()
    for function, specs, _ in PROGRAMS.values():
        used |= set(np.compiler.trace(function)(*specs).ops)
    folds = {"mark", "stop_gradient", "custom", "accumulate", "bind", "nonzero", "iota", "extent", "constant"}
    assert not _write_arrays.WRITERS.keys() - used - folds


def written(x: Any) -> Any:
    z = np.zeros((x.shape[0] + 3, 7), x.dtype)
    z[1:-2, 1:5] = x
    z[::2, ::3] += 1
    z[-1] = 9
    return z


def scattered(x: Any, i: Any) -> Any:
    y = x.copy()
    np.add.at(y, i, 1.5)
    y[i[:1]] = 7
    return y


X, I64 = Spec(("n", 4)), Spec("m", "int64")
W = random.normal(size=(4, 6))
PROGRAMS: dict[str, tuple[Callable[..., Any], list[Any], list[Any]]] = {
    name: (function, specs, given)
    for name, function, specs, given in [
        ("softmax", lambda x: np.exp(x - np.max(x, axis=1, keepdims=True)) @ W, [X], ["x"]),
        ("take", lambda x, i: (np.take(x, i, axis=0), np.take(x, i, axis=1, mode="wrap"), np.take(x, i, axis=1, mode="clip")), [X, I64], ["x", "i"]),
        ("turned", lambda x: (x[::-1], x[::-2, 1:3], x[1:, ::-1], x.T[1:3]), [X], ["x"]),
        ("shapes", lambda x: (x.reshape(-1), x.reshape(2, -1), x[:, None] + x[None], np.squeeze(x[:, :1])), [X], ["x"]),
        ("running", lambda x: (np.cumsum(x, axis=0), np.cumsum(x > 0), np.add.accumulate(x, axis=1)), [X], ["x"]),
        ("folds", lambda x: (np.sum(x), np.mean(x, axis=0), np.max(x), np.min(x, axis=1), np.prod(x, axis=1), np.var(x)), [X], ["x"]),
        ("truth", lambda x: (np.any(x > 1), np.all(x > -9, axis=0), np.any(x > 1, axis=1), np.argmax(x), np.argmin(x, axis=1)), [X], ["x"]),
        ("sorted", lambda x: (np.sort(x, axis=0), np.argsort(x, axis=1), np.median(x, axis=1), np.ptp(x, axis=0)), [X], ["x"]),
        ("counted", lambda x: (np.arange(x.shape[0]) + x.shape[0], np.eye(3), np.ones_like(x), np.linspace(0, 1, 5), np.tri(4)), [X], ["x"]),
        ("chosen", lambda x: (np.where(x > 0, x, 0), np.clip(x, -1, 1), np.maximum(x, 0), np.select([x > 1, x > 0], [x, -x])), [X], ["x"]),
        ("joined", lambda x: (np.concatenate([x, x * 2]), np.stack([x, x], axis=1), np.pad(x, ((1, 2), (0, 1))), np.tile(x, (2, 1))), [X], ["x"]),
        ("written", written, [X], ["x"]),
        ("scattered", scattered, [Spec(("n", 4)), I64], ["x", "i"]),
        ("searched", lambda x: np.searchsorted(np.array([-1.0, 0, 0.5, 2]), x[:, 0], side="right"), [X], ["x"]),
        ("casts", lambda x: (x.astype("f4"), (x * 9).astype("i2"), x > 0, (x > 0).astype(int), x.astype(bool)), [X], ["x"]),
        ("products", lambda x: (x @ x.T, np.einsum("ij,ik->jk", x, x), np.tensordot(x, W, 1), x @ W[:, 0], np.outer(x[0], x[1])), [X], ["x"]),
        ("integers", lambda i: (i // 3, i % 5, i * i, i & 6, i | 1, i ^ 3, ~i, i << 2, i >> 1, abs(i), -i), [I64], ["i"]),
        ("halves", lambda x: (x[: x.shape[0] // 2], np.roll(x, 1, axis=0), np.diff(x, axis=0), np.repeat(x, 2, axis=1)), [X], ["x"]),
        ("gradient", np.grad(lambda x: np.sum(np.tanh(x @ W) ** 2)), [X], ["x"]),
        ("jvp", lambda x: np.jvp(lambda x: np.sort(np.sin(x), axis=1), (x,), (x * 0 + 1,))[1], [X], ["x"]),
        ("vmap", np.vmap(lambda row: np.cumsum(row) / np.sum(np.abs(row))), [X], ["x"]),
        ("norm", lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5), [X], ["x"]),
    ]
}  # fmt: skip


@pytest.mark.parametrize("rows", [3, 6])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, rows: int) -> None:
    function, specs, letters = PROGRAMS[name]
    made = {"x": random.normal(size=(rows, 4)), "i": random.integers(0, rows, 5)}
    if name == "integers":
        made["i"] = random.integers(-50, 50, 9)
    check(function, specs, [made[letter] for letter in letters], 1e-10)


def test_collected_states_and_nested_loops() -> None:
    def outer(x: Any) -> Any:
        def row(total: Any, part: Any) -> Any:
            inner = np.fori_loop(0, 3, lambda i, a: a * 0.5 + part[0] * i, total)
            return inner, (inner * 2, np.sum(part))

        return np.scan(row, np.zeros(2), x)

    def backwards(x: Any) -> Any:
        return np.scan(lambda a, part: (a + part, a * part), np.zeros(2), x, reverse=True)

    for rows in (0, 1, 5):
        x = random.normal(size=(rows, 2))
        check(outer, [Spec(("n", 2))], [x], who="runtime")  # the reference stacks numbers as rows
        check(backwards, [Spec(("n", 2))], [x], who="runtime" if rows == 0 else "both")


def test_names_weights_and_files(tmp_path: Path) -> None:
    big = random.normal(size=(64, 64)).astype("f4")

    def f(data: Any) -> Any:
        y = data["x"] @ big
        return {"loss": np.sum(y), "all": (y, data["b"])}

    given = {"x": random.normal(size=(3, 64)).astype("f4"), "b": numpy.arange(2)}
    specs = [{"x": Spec((3, 64), "float32"), "b": Spec(2, "int64")}]
    for beside in (False, True):
        path = tmp_path / f"model{beside}"
        model = np.onnx.export(f, specs, path, name="net", weights_beside=beside)
        assert [each.name for each in model.graph.input] == ["data['x']", "data['b']"]
        assert [each.name for each in model.graph.output] == ["output['loss']", "output['all'][0]", "output['all'][1]"]
        assert model.graph.name == "net" and [each.name for each in model.graph.initializer if "weight" in each.name] == ["weight_0"]
        assert path.with_suffix(".onnx.data").exists() == beside
        session = onnxruntime.InferenceSession(path.with_suffix(".onnx"))
        got = session.run(None, {"data['x']": given["x"], "data['b']": given["b"]})
        like(got, flat(f(given)), 1e-4)
    model = np.onnx.export(lambda x: (x, x), Spec(2))
    assert [each.dim_value for each in model.graph.input[0].type.tensor_type.shape.dim] == [2]
    like(by_reference(model, [numpy.ones(2)]), [numpy.ones(2)] * 2, 0)


def test_lines_and_conditions() -> None:
    model = np.onnx.export(lambda x, y: np.exp(x + y), [Spec("n"), Spec("n")])
    assert any("test_onnx_export.py" in node.doc_string for node in model.graph.node if node.op_type == "Exp")
    kept = {each.key: each.value for each in np.onnx.export(lambda x: np.max(x), Spec("n")).metadata_props}
    assert kept == {"fastnp.sizes": "n != 0"}
    multiple = np.onnx.export(lambda x: x.reshape(-1, 4).sum(axis=0), Spec(8))
    like(by_reference(multiple, [numpy.arange(8.0)]), [numpy.array([4.0, 6, 8, 10])], 0)


def test_all_that_onnx_lacks_is_told_at_once() -> None:
    def f(x: Any) -> Any:
        a = np.linalg.svd(x)[1]
        b = np.gcd(x.astype(int), 3)
        return a, b, np.spacing(x)

    with pytest.raises(np.RecordError) as caught:
        np.onnx.export(f, Spec((3, 3)))
    words = str(caught.value)
    assert words.startswith("f() can't be an ONNX model, which has nothing for: ")
    assert all(op in words for op in ("svd", "gcd", "spacing")) and words.count("test_onnx_export.py:") == 3
    with pytest.raises(ValueError, match="opset 17 is none from 18 to 24"):
        np.onnx.export(np.sin, Spec(3), opset=17)
    with pytest.raises(np.RecordError, match="reads a value"):
        np.onnx.export(lambda x: x * 2 if x[0] > 0 else x, Spec(3))
    with pytest.raises(np.RecordError, match="recorded for one value"):
        np.onnx.export(lambda x: sum(x[i] for i in range(x.shape[0])), Spec("n"))


def test_structure_of_results() -> None:
    from fastnp._told import results

    structure = json.loads('{"tuple": [{"array": 0, "scalar": false}, {"dict": [["a", {"number": 1}], [2, {"argument": 0}]]}]}')
    assert list(results(structure)) == [("output[0]", "array", 0), ("output[1]['a']", "array", 1), ("output[1][2]", "argument", 0)]
