"""Docstrings: every public function has one in NumPy's sections, its examples run, and what it says of derivatives is true."""

from __future__ import annotations

import doctest
import inspect
import pydoc
import re
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import simulated

import fastnp as np
from fastnp import _core, _doc, _doc_numpy, _doc_ufunc

LEAST = 300
MODULES = {name: getattr(np, name) for name in ("linalg", "fft", "random", "compiler", "cuda", "debug", "dist", "onnx")}
pytestmark = pytest.mark.part(1)  # each name is another


def is_numpys(value: Any, name: str) -> bool:
    return getattr(numpy, name, None) is value


def own_names() -> list[str]:
    """Of functions and classes that are fastnp's, not NumPy's by another door."""
    names = [name for name in vars(np) if name[0] != "_"] + [*np._made_when_asked, "effect", "explain"]
    found = [name for name in dict.fromkeys(names) if callable(getattr(np, name)) and not is_numpys(getattr(np, name), name)]
    found = [name for name in found if not isinstance(getattr(np, name), type(np)) and not hasattr(getattr(np, name), "__wrapped__")]
    wrapped = [f"{module}.{name}" for module in ("linalg", "fft") for name in dir(getattr(numpy, module)) if name[0].islower()]
    called = [name for name in wrapped if isinstance(getattr(MODULES[name.split(".")[0]], name.split(".")[1]), _core._Function)]
    listed = [f"{module}.{name}" for module in ("compiler", "cuda", "debug", "dist", "onnx") for name in MODULES[module].__all__]
    methods = [f"ndarray.{name}" for name in vars(np.ndarray) if name[0] != "_" and isinstance(vars(np.ndarray)[name], types.MethodDescriptorType)]
    folds = [f"ufunc.{name}" for name in ("reduce", "accumulate", "outer", "at", "reduceat")]
    compiled = [f"compiler.CompiledFunction.{name}" for name in ("cache_info", "cache_clear", "lower", "warmup", "export")]
    return [
        *found,
        *(name for name in called if not name.endswith(".test")),
        *listed,
        *methods,
        *folds,
        *compiled,
        "random.default_rng",
        "random.Generator",
        "random.RandomState",
    ]


def object_of(name: str) -> Any:
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part)
    return found


def is_error(name: str) -> bool:
    value = object_of(name)
    return isinstance(value, type) and issubclass(value, BaseException)


NAMES = [name for name in own_names() if name != "ufunc" and not is_error(name)]


def docstring_of(name: str) -> str:
    text = inspect.getdoc(object_of(name)) or ""
    return inspect.cleandoc(text)


def sections_of(text: str) -> dict[str, str]:
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-+$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def parameters_of(name: str) -> list[str]:
    value = object_of(name)
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return []
    return [each for each in signature.parameters if each != "self"]


@pytest.mark.parametrize("name", NAMES)
def test_sections(name: str) -> None:
    text = docstring_of(name)
    assert len(text) >= LEAST, f"{name}: {len(text)} characters"
    sections = sections_of(text)
    assert "Examples" in sections and ">>>" in sections["Examples"]
    value = object_of(name)
    if isinstance(value, type):
        return
    assert "Returns" in sections or "Yields" in sections
    parameters = parameters_of(name)
    if parameters:
        assert "Parameters" in sections
        told = sections["Parameters"]
        missing = [each for each in parameters if not re.search(rf"\b{re.escape(each)}\b", told)]
        assert not missing, f"{name}: {missing}"
    assert all(len(line) <= 155 for line in text.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str) -> None:
    if name.startswith("cuda.") and "np.cuda.devices()[0]" in docstring_of(name) and not np.cuda.is_available():
        pytest.skip("no CUDA device")
    told: list[str] = []
    example = doctest.DocTestParser().get_doctest(docstring_of(name), {"np": np, "__name__": "examples"}, name, name, 0)
    assert example.examples
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    result = runner.run(example, out=told.append)
    assert result.failed == 0, "".join(told)


@pytest.mark.parametrize("name", NAMES)
def test_others_are_there(name: str) -> None:
    """What it says to see, too."""
    others = sections_of(docstring_of(name)).get("See Also", "")
    for other in filter(None, re.split(r"[,\s]+", others)):
        assert object_of(other) is not None or other == "newaxis", f"{name}: {other}"


def test_help() -> None:
    for function in (np.sum, np.sin, np.array_split, np.linalg.solve, np.ndarray.sum, np.grad, np.compile):
        text = pydoc.render_doc(function, renderer=pydoc.plaintext)
        assert "Parameters" in text and "Examples" in text


def test_all_entries_are_of_something_public() -> None:
    for name in _doc.names():
        value = object_of(name if not name.startswith("CompiledFunction") else f"compiler.{name}")
        assert callable(value), name


def test_texts_of_cpp_are_those_of_the_tables() -> None:
    path = Path(__file__).resolve().parents[2] / "python" / "docstrings.def"
    assert path.read_text() == _doc.source(), "to be written again: python -m fastnp._doc > python/docstrings.def"


def test_notes_on_numpys_functions() -> None:
    from fastnp import _compositions, _fft, _in_place, _ordered  # noqa: F401  # these fill the table

    composed = {name for name in _compositions.COMPOSED if "." not in name} - set(_doc.names())
    assert composed == _doc_numpy.COMPOSED
    for name in ("einsum", "partition"):
        text = inspect.getdoc(getattr(np, name)) or ""
        assert text.count("Notes\n-----\n") == text.count("\nNotes\n-----\nfastnp: ") == 1 and "\nParameters\n" in text
    x = np.array([3.0, 1.0, 2.0])
    assert np.grad(lambda x: np.sum(np.roll(x, 1) * x))(x).shape == (3,)
    numpy.testing.assert_array_equal(np.grad(lambda x: np.partition(x, 1)[1] * 2)(x), [0.0, 0.0, 2.0])
    with pytest.raises(TypeError, match="differentiated"):
        np.grad(lambda x: np.sum(np.histogram(x)[0]))(x)


def test_no_function_has_a_short_one() -> None:
    """Those that NumPy does, too."""
    for module in (np, *MODULES.values()):
        names = [name for name in dir(module) if name[0] != "_" and name not in ("bytes", "annotations")]
        functions = [name for name in names if isinstance(getattr(module, name), (types.FunctionType, _core.ufunc, _core._Function))]
        short = [name for name in functions if len(getattr(module, name).__doc__ or "") < LEAST]
        assert set(short) <= {"NamedTuple", "check_unrecorded"}, (module.__name__, short)


def test_they_cost_nothing_at_import() -> None:
    code = "import fastnp, sys; print([name for name in sys.modules if name.startswith('fastnp._doc')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


ON_DEVICES = """
import numpy
import fastnp as np
from fastnp import _doc, _doc_ufunc

def work():
    now = np.cuda.statistics()
    return now.launches, now.downloads

for name in _doc.names():
    if "." in name or _doc_ufunc.derivative_of(name) is None:
        continue
    rule, count, _ = _doc_ufunc.row_of(name)
    dtypes = [int, int] if rule in ("integers", "bits", "integers_to_uint8") else [float, int if name == "ldexp" else float]
    args = [np.asarray(numpy.arange(1, 257).astype(dtype)).to("cuda") for dtype in dtypes[:count]]
    before = work()
    getattr(np, name)(*args)
    after = work()
    assert after[0] > before[0] and after[1] == before[1], name
"""


def test_ufuncs_are_computed_on_devices() -> None:
    if not simulated.library().exists():
        pytest.skip("there is no simulated device in this build")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", ON_DEVICES], env=simulated.environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# What is told of derivatives.

SAMPLE = numpy.array([0.3, 0.7, 0.45])
OTHER = numpy.array([0.6, 0.2, 0.9])
SAMPLES = {"arccosh": SAMPLE + 1.5}


def derivative(function: Callable[..., Any], *args: Any) -> list[Any]:
    gradients = np.grad(lambda *given: np.sum(function(*given) * 1.0), argnums=tuple(range(len(args))))(*map(np.asarray, args))
    return [numpy.asarray(each) for each in gradients]


UFUNCS = [name for name in _doc.names() if "." not in name and _doc_ufunc.derivative_of(name) is not None]


@pytest.mark.parametrize("name", UFUNCS)
def test_derivatives_of_ufuncs(name: str) -> None:
    told = _doc_ufunc.derivative_of(name)
    assert told
    row = _doc_ufunc.row_of(name)
    assert row is not None
    function, (rule, count, _) = getattr(np, name), row
    if rule in ("integers", "bits", "integers_to_uint8"):
        with pytest.raises(TypeError):
            function(*[SAMPLE, OTHER][:count])
        assert told == "none"
        return
    args = [SAMPLES.get(name, SAMPLE), OTHER][:count]
    if told.startswith("~"):
        return
    first = told.split(" ")[0]
    if first == "undefined":
        with pytest.raises(TypeError, match="no derivative"):
            derivative(function, *args)
        return
    found = derivative(function, *args)
    if first in ("none", "zero"):
        assert all(numpy.all(each == 0) for each in found)
        return
    formula = told.partition(";")[0]
    names = {**vars(numpy), "x": args[0], "x1": args[0], "x2": args[-1]}
    for each, one in zip(found, formula.split("|"), strict=True):
        numpy.testing.assert_allclose(each, numpy.broadcast_to(eval(one, names), each.shape), rtol=1e-12, atol=1e-14)


def test_derivatives_of_ufuncs_with_two_results() -> None:
    mantissa, exponent = (derivative(lambda x, n=n: np.frexp(x)[n], SAMPLE)[0] for n in (0, 1))
    assert mantissa.tolist() == (1 / 2.0 ** numpy.frexp(SAMPLE)[1]).tolist() and not exponent.any()
    fraction, whole = (derivative(lambda x, n=n: np.modf(x)[n], SAMPLE)[0] for n in (0, 1))
    assert (fraction == 1).all() and not whole.any()
    quotient, rest = (derivative(lambda x, n=n: np.divmod(x, OTHER)[n], SAMPLE)[0] for n in (0, 1))
    assert not quotient.any() and (rest == 1).all()
    assert derivative(lambda x: np.ldexp(x, numpy.array([1, 2, 3])), SAMPLE)[0].tolist() == [2.0, 4.0, 8.0]


MATRIX = numpy.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])


def weighed(value: Any) -> Any:
    """One number of all that a function gives, to which each element adds another share."""
    if isinstance(value, (tuple, list)):
        return sum((weighed(each) for each in value), 0.0)
    value = np.asarray(value)
    if value.dtype.kind == "c":
        return weighed(np.real(value)) + weighed(np.imag(value)) * 0.5
    return np.sum(np.reshape(value, -1) * np.cos(np.arange(value.size) + 0.25))


def copied_to(x: Any) -> Any:
    made = np.ones(x.shape)
    np.copyto(made, x)
    return made


def filled(x: Any) -> Any:
    made = np.ones(3)
    made.fill(x[0, 0])
    return made


def added_at(x: Any) -> Any:
    made = np.copy(x)
    np.add.at(made, [0, 0], x[1])
    return made


def put_along(x: Any) -> Any:
    made = x * 3
    np.put_along_axis(made, numpy.array([[0], [1], [0]]), x[:, :1] * 2, 1)
    return made


CALLS: dict[str, Callable[..., Any] | None] = {
    "clip": lambda x: np.clip(x, 0.25, 1.2),
    "where": lambda x: np.where(x > 0.25, x, x * 3),
    "extract": lambda x: np.extract(x > 0.25, x),
    "compress": lambda x: np.compress([True, False, True], x, axis=0),
    "unique": lambda x: np.unique(x + np.arange(9.0).reshape(3, 3)),
    "copyto": copied_to,
    "take": lambda x: np.take(x, [0, 2], axis=1),
    "searchsorted": lambda x: np.searchsorted(x[0], 0.5),
    "quantile": lambda x: np.quantile(x, 0.3),
    "percentile": lambda x: np.percentile(x, 30),
    "nanquantile": lambda x: np.nanquantile(x, 0.3),
    "nanpercentile": lambda x: np.nanpercentile(x, 30),
    "digitize": lambda x: np.digitize(x, [0.0, 0.25, 1.0]),
    "matmul": lambda x: np.matmul(x, x),
    "dot": lambda x: np.dot(x, x[0]),
    "tensordot": lambda x: np.tensordot(x, x, 1),
    "outer": lambda x: np.outer(x[0], x),
    "full": lambda x: np.full((2, 3), x[0]),
    "full_like": lambda x: np.full_like(x, x[0]),
    "zeros": lambda x: np.zeros(3) * 1,
    "ones": lambda x: np.ones(3) * 1,
    "empty": None,
    "empty_like": None,
    "arange": None,
    "linspace": None,
    "eye": None,
    "reshape": lambda x: np.reshape(x, 9),
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "squeeze": lambda x: np.squeeze(x[None]),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3, 3)),
    "concatenate": lambda x: np.concatenate((x, x), axis=1),
    "stack": lambda x: np.stack((x, x * 2)),
    "pad": lambda x: np.pad(x, 1),
    "astype": lambda x: np.astype(x, np.float64),
    "vstack": lambda x: np.vstack((x, x[0])),
    "hstack": lambda x: np.hstack((x, x)),
    "column_stack": lambda x: np.column_stack((x, x[0])),
    "array_split": lambda x: np.array_split(x, 2),
    "split": lambda x: np.split(x, 3),
    "hsplit": lambda x: np.hsplit(x, 3),
    "vsplit": lambda x: np.vsplit(x, 3),
    "dsplit": lambda x: np.dsplit(x[None], 3),
    "inner": lambda x: np.inner(x, x),
    "vdot": lambda x: np.vdot(x, x),
    "may_share_memory": None,
    "shares_memory": None,
    "result_type": None,
    "ndim": None,
    "shape": None,
    "size": None,
    "ndarray": None,
    "ndarray.fill": filled,
    "ndarray.sort": None,
    "ndarray.backward": None,
    "ndarray.item": None,
    "ndarray.tolist": None,
    "ndarray.resize": None,
    "ndarray.setflags": None,
    "ndarray.detach": None,
    "ndarray.to": lambda x: x.to("cpu"),
    "ufunc.reduce": np.multiply.reduce,
    "ufunc.accumulate": np.multiply.accumulate,
    "ufunc.outer": lambda x: np.multiply.outer(x, x),
    "ufunc.at": added_at,
    "ufunc.reduceat": lambda x: np.add.reduceat(x, [0, 2]),
    "cross": lambda x: np.cross(x, x[::-1]),
    "kron": lambda x: np.kron(x, x),
    "cumulative_sum": lambda x: np.cumulative_sum(x, axis=0),
    "cumulative_prod": lambda x: np.cumulative_prod(x, axis=1),
    "isclose": lambda x: np.isclose(x, 1.0),
    "allclose": None,
    "array_equal": None,
    "array_equiv": None,
    "isrealobj": None,
    "iscomplexobj": None,
    "isscalar": None,
    "polyval": lambda x: np.polyval(x[0], x),
    "polyadd": lambda x: np.polyadd(x[0], x[1, :2]),
    "polysub": lambda x: np.polysub(x[0], x[1, :2]),
    "polymul": lambda x: np.polymul(x[0], x[1]),
    "polydiv": lambda x: np.polydiv(x[0], x[1, :2])[0],
    "polyder": lambda x: np.polyder(x[0]),
    "polyint": lambda x: np.polyint(x[0]),
    "poly": lambda x: np.poly(x[0]),
    "roots": lambda x: np.roots(np.poly(x[0])),
    "polyfit": lambda x: np.polyfit(x[0] * np.asarray([1.0, 2.0, 4.0]), x[1], 1),
    "isin": lambda x: np.isin(x, x[0]),
    "union1d": lambda x: np.union1d(x, x[0]),
    "intersect1d": lambda x: np.intersect1d(x, x[0]),
    "setdiff1d": lambda x: np.setdiff1d(x, x[0]),
    "setxor1d": lambda x: np.setxor1d(x, x[0]),
    "unique_counts": lambda x: np.unique_counts(x).values,
    "unique_inverse": lambda x: np.unique_inverse(x).values,
    "unique_all": lambda x: np.unique_all(x).values,
    "interp": lambda x: np.interp(x, np.asarray([-9.0, 9.0]), x[0, :2]),
    "convolve": lambda x: np.convolve(x[0], x[1]),
    "correlate": lambda x: np.correlate(x[0], x[1], "full"),
    "linalg.solve": lambda x: np.linalg.solve(x, x[0] * 2),
    "linalg.slogdet": lambda x: np.linalg.slogdet(x)[1],
    "linalg.cholesky": lambda x: np.linalg.cholesky(x @ x.T),
    "linalg.qr": lambda x: np.linalg.qr(x),
    "linalg.eigh": lambda x: np.linalg.eigh(x + x.T)[0],
    "linalg.eigvalsh": lambda x: np.linalg.eigvalsh(x + x.T),
    "linalg.eig": lambda x: np.linalg.eig(x)[0],
    "linalg.svd": lambda x: np.linalg.svd(x, full_matrices=False)[1],
    "linalg.lstsq": lambda x: np.linalg.lstsq(x[:, :2], x[0])[0],
    "linalg.matrix_power": lambda x: np.linalg.matrix_power(x, 3),
    "linalg.matmul": lambda x: np.linalg.matmul(x, x),
    "linalg.multi_dot": lambda x: np.linalg.multi_dot([x, x, x[0]]),
    "linalg.outer": lambda x: np.linalg.outer(x[0], x[1]),
    "linalg.tensordot": lambda x: np.linalg.tensordot(x, x, axes=1),
    "linalg.tensorsolve": lambda x: np.linalg.tensorsolve(x, x[0]),
    "linalg.tensorinv": lambda x: np.linalg.tensorinv(x, 1),
    "linalg.cross": lambda x: np.linalg.cross(x, x[::-1]),
    "linalg.vecdot": lambda x: np.linalg.vecdot(x, x),
    "append": lambda x: np.append(x, x * 2),
    "insert": lambda x: np.insert(x, 1, x[0] * 2, axis=0),
    "delete": lambda x: np.delete(x, 1, axis=0),
    "logspace": lambda x: np.logspace(x, 1.0, 3),
    "geomspace": lambda x: np.geomspace(x * x + 1, 5.0, 3),
    "vander": lambda x: np.vander(x[0], 3),
    "ix_": lambda x: np.ix_(x[0], x[1])[1],
    "kaiser": lambda x: np.kaiser(5, x[0, 0]),
    "roll": lambda x: np.roll(x, 1),
    "rollaxis": lambda x: np.rollaxis(x, 1),
    "repeat": lambda x: np.repeat(x, 2),
    "tile": lambda x: np.tile(x, 2),
    "resize": lambda x: np.resize(x, (4, 4)),
    "take_along_axis": lambda x: np.take_along_axis(x, numpy.argsort(MATRIX, axis=0), 0),
    "put_along_axis": put_along,
    "select": lambda x: np.select([x > 0.5], [x * 2], x[0]),
    "choose": lambda x: np.choose(numpy.eye(3, dtype=int), [x, x * 2]),
    "ndarray.choose": lambda x: np.eye(3, dtype=int).choose([x, x * 2]),
    "bincount": lambda x: np.bincount([0, 2, 2], x[0]),
    "unravel_index": lambda x: np.unravel_index((x > 0.5).astype(int), (2, 3)),
    "ravel_multi_index": lambda x: np.ravel_multi_index(((x[0] > 0.5).astype(int), [0, 1, 2]), (2, 3)),
    "packbits": lambda x: np.packbits(x > 0.5),
    "unpackbits": lambda x: np.unpackbits((x > 0.5).astype("u1")),
    **dict.fromkeys("tri tril_indices triu_indices diag_indices indices broadcast_shapes bartlett blackman hamming hanning".split()),
    "fft.fftfreq": None,
    "fft.rfftfreq": None,
}
OPERANDS = {
    "repeat": (2,),
    "take": ([0, 2],),
    "compress": ([True, False, True],),
    "getfield": ("f4", 0),
    "setfield": (1.0, "f4", 0),
    "to_device": ("cpu",),
    "swapaxes": (0, 1),
    "reshape": (9,),
    "searchsorted": (0.5,),
    "dot": (MATRIX,),
    "clip": (0.25, 1.2),
    "astype": (float,),
}
TOLD = [name for name in _doc.names() if name not in UFUNCS and (_doc.parse(_doc.raw_entry(name) or "").derivative or name.startswith("ndarray."))]


def called(name: str) -> Callable[..., Any] | None:
    if name in CALLS:
        return CALLS[name]
    if name.startswith("ndarray."):
        method = name.removeprefix("ndarray.")
        return lambda x: getattr(x[0] if method == "searchsorted" else x, method)(*OPERANDS.get(method, ()))
    return object_of(name)


@pytest.mark.parametrize("name", TOLD)
def test_derivatives_of_functions(name: str) -> None:
    entry = _doc._completed(name, _doc.parse(_doc.raw_entry(name) or ""))
    first, function = entry.derivative.split(" ")[0], called(name)
    if function is None:
        return
    x = MATRIX + numpy.arange(9.0).reshape(3, 3) * 0.01
    if first == "undefined":
        with pytest.raises(TypeError):
            np.grad(lambda x: weighed(function(x)))(x)
        return
    gradient = np.grad(lambda x: weighed(function(x)))(x)
    if first in ("none", "zero", "constant"):
        assert not numpy.asarray(gradient).any()
        return
    assert first in ("yes", "moves")
    step = 1e-6
    for place in ((0, 0), (0, 2), (1, 1), (2, 1)):
        change = numpy.zeros((3, 3))
        change[place] = step
        slope = (float(weighed(function(np.asarray(x + change)))) - float(weighed(function(np.asarray(x - change))))) / (2 * step)
        assert abs(slope - gradient[place]) < 1e-5 * max(1, abs(slope)), place
    tangent = np.jvp(lambda x: weighed(function(x)), (x,), (numpy.ones((3, 3)),))[1]
    numpy.testing.assert_allclose(float(tangent), float(numpy.sum(gradient)), rtol=1e-9, atol=1e-9)


def test_derivatives_that_are_lacking() -> None:
    """Those that a text excepts."""
    tall = numpy.ones((3, 2)) + numpy.arange(6.0).reshape(3, 2) ** 2
    with pytest.raises(TypeError):
        np.grad(lambda x: weighed(np.linalg.qr(x, "complete")[0]))(tall)
    with pytest.raises(TypeError):
        np.grad(lambda x: weighed(np.linalg.svd(x)[0]))(tall)
    with pytest.raises(TypeError):
        np.grad(lambda x: np.sum(np.pad(x, 1, mode=lambda *given: None)))(SAMPLE)
