"""What type checkers and inspection see: users' programs, wrong ones, signatures, dir(), and stubs that are as they are made."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
import types
import typing
from pathlib import Path
from typing import Any

import numpy
import pytest

import fastnp

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "tests" / "typing"
RIGHT = sorted(FOLDER.glob("*.py"))
WRONG = sorted((FOLDER / "wrong").glob("*.py"))

Lines = set[tuple[str, int]]


def run(*command: str | Path, **environment: str) -> str:
    given = {**os.environ, **environment}
    return subprocess.run([sys.executable, *map(str, command)], cwd=ROOT, env=given, capture_output=True, text=True).stdout


def expected() -> Lines:
    """The lines of wrong programs that say that they are."""
    return {(path.name, number) for path in WRONG for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# error")}


def check(found: Lines, told: str) -> None:
    assert found - expected() == set(), told
    assert expected() - found == set(), "no error is found there"


# Of arrays x, y (float64), i (int64) and n (NumPy's): whose type a checker must know.
EXPRESSIONS = """
x + x|x + 1|1 - x|2.0 * x|x ** 2|-x|x @ x|x > 0|x == y|x & x|abs(x)|x + n|x * y|i / 2|i * 1.5
x[0]|x[0, 1]|x[:, 0]|x[x > 0]|x[None]|x[..., 0]|x[[0, 1]]|i[0]|x.T|x.real|x.shape|x.dtype|x.grad|x.to("cpu")|next(iter(x))
x.sum()|x.sum(0)|x.mean(axis=1, keepdims=True)|x.max()|i.max()|i.sum()|x.argmax()|x.any()|x.dot(y)|x.cumsum()|x.std()|x.clip(0, 1)
x.reshape(-1)|x.reshape(2, 3)|x.astype(np.float32)|x.astype("float32")|x.copy()|x.ravel()|x.transpose(1, 0)|x.view(np.int64)|x.repeat(2)|x.tobytes()
np.sum(x)|np.mean(x)|np.sum(n)|np.max(i)|np.argmax(x)|np.all(x)|np.cumsum(x)|np.prod(x)|np.median(x)|np.percentile(x, 5)|np.nanmean(x)|np.var(y)
np.sin(x)|np.exp(n)|np.sqrt(2.0)|np.sin([1.0])|np.maximum(x, 0)|np.maximum(x, y)|np.add(x, n)|np.add.reduce(x)|np.arctan2(x, y)|np.isnan(x)
np.zeros(3)|np.zeros((2, 3))|np.ones(3, dtype=int)|np.full((2, 2), 1.0)|np.array([1.0, 2.0])|np.array([[1, 2]])|np.array([x, x])|np.array(n)
np.asarray(x)|np.arange(3)|np.linspace(0, 1)|np.eye(3)|np.zeros_like(x)|np.identity(3)|np.empty(3, "float32")|np.zeros(x.shape)
np.where(x > 0, x, 0.0)|np.where(x > 0)|np.concatenate([x, y])|np.stack([x, x])|np.vstack([x, y])|np.split(x, 2)|np.dot(x, y)|np.matmul(x, y)
np.einsum("ij->i", x)|np.outer(x, y)|np.tensordot(x, y)|np.sort(x)|np.argsort(x)|np.unique(x)|np.take(x, i)|np.round(x)|np.diff(x)|np.roll(x, 1)
np.trace(x)|np.meshgrid(x, y)|np.interp(x, x, y)|np.polyfit(x, y, 2)|np.histogram(x)|np.searchsorted(x, 1.0)|np.isclose(x, y)|np.pad(x, 1)
np.linalg.norm(x)|np.linalg.inv(x)|np.linalg.svd(x)|np.linalg.eigh(x)[0]|np.linalg.solve(x, y)|np.linalg.det(x)|np.linalg.lstsq(x, y)[0]
np.fft.fft(x)|np.fft.irfft(x)|np.fft.fftfreq(4)|np.fft.fftshift(x)|np.fft.fft2(x)
rng|rng.normal()|rng.normal(size=3)|rng.normal(0, 1, (2, 3))|rng.random(3)|rng.integers(0, 3, 5)|rng.integers(3)|rng.choice(i, 3)|rng.permutation(x)
np.random.rand(3)|np.random.normal(size=3)|rng.random((3, 3), dtype=np.float32)|rng.normal(x, 1.0)|rng.uniform(-1, 1, size=(3,))|rng.poisson(2.0, 4)
"""


@pytest.fixture(scope="session")
def revealing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that asks for the type of each of these, a line each."""
    lines = ["import numpy", "import fastnp as np", "from fastnp.typing import NDArray", ""]
    lines.append("def function(x: np.ndarray, y: NDArray[np.float64], i: NDArray[np.int64], n: numpy.ndarray, rng: np.random.Generator) -> None:")
    lines += [f"    reveal_type({each})" for line in EXPRESSIONS.split("\n") for each in line.split("|") if each]
    path = tmp_path_factory.mktemp("typing") / "revealing.py"
    path.write_text("\n".join(lines) + "\n")
    return path


def check_known(path: Path, types: dict[int, str]) -> None:
    lines = path.read_text().splitlines()
    assert len(types) == sum("reveal_type" in line for line in lines)
    assert {lines[number - 1].strip(): known for number, known in types.items() if known in ("Any", "Unknown")} == {}


def test_there_are_programs() -> None:
    assert len(RIGHT) >= 20
    assert len(expected()) >= 30


def test_mypy(revealing: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    files = [*RIGHT, *WRONG, revealing]
    told = run("-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", "build/mypy", *files, MYPYPATH=str(ROOT / "python"))
    check({(Path(path).name, int(line)) for path, line in re.findall(r"^(.+?):(\d+): error:", told, re.MULTILINE)}, told)
    found = re.findall(r'^.*revealing.py:(\d+): note: Revealed type is "(.*)"$', told, re.MULTILINE)
    check_known(revealing, {int(line): known for line, known in found})


def test_pyright(revealing: Path) -> None:
    pytest.importorskip("pyright", reason="pyright is not installed: pip install 'pyright[nodejs]'")
    told = run("-m", "pyright", "--outputjson", "--pythonpath", sys.executable, *RIGHT, *WRONG, revealing, PYRIGHT_PYTHON_IGNORE_WARNINGS="1")
    if not told.startswith("{"):
        pytest.skip(f"pyright does not run: {told[:200]}")
    notes = [(Path(each["file"]), each["range"]["start"]["line"] + 1, each) for each in json.loads(told)["generalDiagnostics"]]
    check({(path.name, line) for path, line, each in notes if each["severity"] == "error"}, told)
    found = {line: each["message"] for path, line, each in notes if path == revealing and each["severity"] == "information"}
    check_known(revealing, {line: message.rpartition(' is "')[2].rstrip('"') for line, message in found.items()})


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_program_runs(path: Path) -> None:
    spec = importlib.util.spec_from_file_location(f"typing_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    module.main()


def test_stubs_are_as_they_are_made() -> None:
    pytest.importorskip("ruff", reason="ruff is not installed, whose format the stubs have")
    if not numpy.__version__.startswith("2.4."):
        pytest.skip(f"the stubs have the signatures of NumPy 2.4, and this is {numpy.__version__}")
    assert run(ROOT / "python" / "make_stubs.py", "--check") == ""


def test_arrays_are_generic() -> None:
    import fastnp.typing as npt

    float_array: Any = npt.NDArray[numpy.float64]
    assert typing.get_origin(float_array) is fastnp.ndarray
    assert typing.get_args(float_array)[1] == numpy.dtype[numpy.float64]
    assert typing.get_origin(fastnp.ndarray[tuple[int], fastnp.dtype[fastnp.float32]]) is fastnp.ndarray
    assert fastnp.typing is npt
    assert {"NDArray", "ArrayLike", "DTypeLike"} <= set(dir(npt))


# Where signatures are not NumPy's, and why.
OTHERS = {
    "arange": "NumPy's takes its first two arguments by position alone",
    "array": "NumPy's has ndmax since 2.4",
    "argsort": "NumPy's has descending since 2.5",
    "sort": "NumPy's has descending since 2.5",
    "clip": "what NumPy's takes as **kwargs is named here",
    "matmul": "NumPy's is a ufunc",
    "pad": "what NumPy's takes as **kwargs is named here",
    "get_include": "the folder of fastnp's own headers",
}
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, fastnp.ufunc, type(fastnp.shape))


def public(module: Any) -> list[tuple[str, Any]]:
    found = ((name, getattr(module, name)) for name in dir(module) if not name.startswith("_"))
    return [(name, value) for name, value in found if isinstance(value, FUNCTIONS)]


def form(function: Any) -> list[tuple[str, Any]]:
    return [(each.name, each.kind) for each in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("name", ["", "linalg", "fft", "random"])
def test_signatures(name: str) -> None:
    ours = getattr(fastnp, name) if name else fastnp
    theirs = getattr(numpy, name) if name else numpy
    wrong = []
    for each, function in public(ours):
        other = getattr(theirs, each, None)
        try:
            wanted = form(other) if other is not None else None
        except ValueError:  # nor has NumPy's one
            continue
        try:
            found = form(function)
        except ValueError:
            wrong.append(f"{each}: none")
            continue
        if wanted is not None and each not in OTHERS and found != wanted:
            wrong.append(f"{each}: {inspect.signature(function)}, and NumPy's {inspect.signature(other)}")
    assert wrong == []


def test_signatures_of_ufuncs() -> None:
    if not hasattr(numpy.sin, "__signature__"):
        pytest.skip("this NumPy's ufuncs have none")
    assert inspect.signature(fastnp.sin) == inspect.signature(numpy.sin)
    assert inspect.signature(fastnp.abs) == inspect.signature(numpy.abs)
    assert inspect.signature(fastnp.divmod) == inspect.signature(numpy.divmod)


def test_signatures_of_compiled_functions() -> None:
    def function(x: Any, /, y: int = 2, *, z: str) -> float:
        return 0.0

    wanted = inspect.signature(function)
    made: list[Any] = [fastnp.compile(function), fastnp.compile(fullgraph=True)(function), fastnp.grad(function), fastnp.vmap(function)]
    made += [fastnp.checkpoint(function), fastnp.custom_vjp(function), fastnp.custom_jvp(function), fastnp.device("cpu")(function)]
    for each in made:
        assert inspect.signature(each) == wanted, each


def names(module: Any) -> set[str]:
    return {name for name in dir(module) if not name.startswith("_")}


def test_dir() -> None:
    assert {"linalg", "fft", "random", "typing", "compiler", "cuda"} <= names(fastnp)
    assert {"compile", "grad", "vmap", "device", "explain", "effect", "custom_vjp", "scan", "sum", "sin", "einsum", "ma"} <= names(fastnp)
    assert {name for name in numpy.__all__ if not name.startswith("_")} <= names(fastnp)
    for module in ("linalg", "fft", "random"):
        assert set(getattr(numpy, module).__all__) <= names(getattr(fastnp, module))


def test_dir_has_what_is_there() -> None:
    for module in (fastnp, fastnp.linalg, fastnp.fft, fastnp.random):
        for name in names(module):
            getattr(module, name)


def test_dir_of_generators() -> None:
    rng = fastnp.random.default_rng(0)
    assert names(numpy.random.default_rng(0)) <= names(rng)


@pytest.mark.skipif("view" not in dir(fastnp.ndarray) and "view" not in dir(fastnp.zeros(1)), reason="the core's arrays have no __dir__ yet")
def test_dir_of_arrays() -> None:
    assert names(numpy.ndarray) <= names(fastnp.zeros(1))
    assert {"to", "grad", "backward", "detach", "requires_grad"} <= names(fastnp.zeros(1))
