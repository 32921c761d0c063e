"""Faults that are planted (FASTNP_PLANT, src/base/planted.h): triage names rung and operation, and minify makes programs of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy
import planted_programs
import pytest
import simulated
from support import LONG

import fastnp as np

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


@dataclass(frozen=True)
class Fault:
    """Where it is planted, the program that meets it, and what is to be found. `op`: of a wrong recording a part of the line."""

    plant: str
    program: str
    rung: str
    op: str
    check: str = ""
    by_pass: str = ""

    @property
    def is_of_time(self) -> bool:
        return self.check in ("slowness", "compile time")

    def __str__(self) -> str:
        return f"{self.plant.replace(' ', '-')}-{self.program}"


PASS, FUSED, EMITTED, OPTIMISED, ALL = "aot_eager", "interpreter", "llvm-O0", "llvm-nofuse", "llvm"
FAULTS = [
    # A pass that rewrites wrongly.
    Fault("simplify swap subtract", "layers", PASS, "subtract", by_pass="simplify"),
    Fault("simplify add multiply", "polynomial", PASS, "multiply", by_pass="simplify"),
    Fault("simplify skip tanh", "layers", PASS, "tanh", by_pass="simplify"),
    Fault("simplify constant divide", "layers", PASS, "divide", by_pass="simplify"),
    Fault("simplify max sum", "softmax", PASS, "sum", by_pass="simplify"),
    Fault("simplify add floor_divide", "integers", PASS, "floor_divide", by_pass="simplify"),
    Fault("simplify skip cumsum", "integers", PASS, "cumsum", by_pass="simplify"),
    Fault("simplify maximum minimum", "stores", PASS, "minimum", by_pass="simplify"),
    Fault("join_written_parts cos sqrt", "layers", PASS, "sqrt", by_pass="join_written_parts"),
    # A pass that dies, raises, or does not end.
    Fault("simplify crash exp", "layers", PASS, "exp"),
    Fault("simplify throw log1p", "stores", PASS, "log1p"),
    Fault("simplify hang cos", "polynomial", PASS, "cos"),
    # A recording that does not follow.
    Fault("record swap subtract", "layers", "eager", "b = a - y"),
    Fault("record skip sqrt", "layers", "eager", "np.sqrt"),
    Fault("record constant multiply", "layers", "eager", "b * 2.0"),
    # Loop kernels: another element, another bound, another operation.
    Fault("kernel offset subtract", "layers", FUSED, "subtract"),
    Fault("kernel still multiply", "polynomial", FUSED, "multiply"),
    Fault("kernel short exp", "layers", FUSED, "exp"),
    Fault("kernel swap divide", "layers", FUSED, "divide"),
    Fault("kernel maximum add", "column_sums", FUSED, "sum"),
    Fault("kernel crash tanh", "layers", FUSED, "tanh"),
    # Code as it is written.
    Fault("emit swap fsub", "layers", EMITTED, "subtract"),
    Fault("emit fmul fadd", "polynomial", EMITTED, "add"),
    Fault("emit drop store", "column_sums", EMITTED, "sum"),
    Fault("emit crash fdiv", "softmax", EMITTED, "divide"),
    # Code as it is optimised, of one operation and of several.
    Fault("optimise swap fdiv", "softmax", OPTIMISED, "divide"),
    Fault("optimise fadd fmul", "polynomial", OPTIMISED, "multiply"),
    Fault("fused swap fsub", "layers", ALL, "subtract"),
    Fault("fused fsub fadd", "polynomial", ALL, "add"),
    # A native loop.
    Fault("program swap fsub", "recurrence", ALL, "for i in range"),
    Fault("program crash fsub", "recurrence", ALL, "for i in range"),
    # Rules of derivatives.
    Fault("derivative double tanh", "gradient", "derivative", "tanh"),
    Fault("derivative double log1p", "gradient", "derivative", "log1p"),
    # What an earlier call left; a cost that is wrong; a compilation that takes long; threads that do not wait.
    Fault("guards forget all", "guarded", "kept entries", "", check="triage"),
    Fault("cost wrong all", "outer", ALL, "", check="slowness"),
    Fault("simplify slow tanh", "layers", ALL, "", check="compile time"),
    Fault("device race call", "column_sums", ALL, "sum"),
]


planted = pytest.mark.skipif(not simulated.library().is_file(), reason="builds for users have no faults to plant")


def run(command: list[str], plant: str, seconds: float = 120, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "FASTNP_PLANT": plant, "FASTNP_CACHE_DIR": "", **more}
    return subprocess.run(command, env=environment, cwd=HERE, capture_output=True, text=True, timeout=seconds, check=False)


def found(fault: Fault, folder: str, **more: str) -> dict[str, object]:
    if fault.plant.startswith("device"):
        more |= {name: value for name, value in simulated.environment().items() if os.environ.get(name) != value}
    done = run([sys.executable, "planted_run.py", fault.program, fault.check.replace("triage", ""), folder], fault.plant, **more)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def compiled(source: Path) -> Path:
    """The C++ program, linked with the library of this build."""
    library = Path(np.__file__).parents[2]
    program = source.with_suffix("")
    command = ["c++", "-std=c++20", "-O0", f"-I{ROOT / 'include'}", str(source), f"-L{library}", "-lfastnp", f"-Wl,-rpath,{library}", "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return program


@planted
@pytest.mark.parametrize("fault", [pytest.param(fault, marks=[pytest.mark.alone] * fault.is_of_time) for fault in FAULTS], ids=str)
def test_planted(fault, tmp_path):
    folder = "" if fault.check == "triage" else str(tmp_path)
    told = found(fault, folder)
    if not fault.is_of_time:
        assert told["rung"] == fault.rung, told["text"]
        by_line = fault.rung == "eager" or fault.program == "recurrence"
        assert fault.op in told["place"] if by_line else told["op"] == (fault.op or None), told["text"]
        assert told["pass"] == fault.by_pass or not fault.by_pass, told["text"]
    if not folder:
        return
    assert told["ops"] <= 5, told["small"]
    assert told["seconds"] < 60, told["small"]
    more = simulated.environment() if fault.plant.startswith("device") else {}
    more = {name: more[name] for name in more if os.environ.get(name) != more[name]}
    assert run([sys.executable, str(told["python"])], fault.plant, **more).returncode != 0, told["small"]
    assert run([sys.executable, str(told["python"])], "", **more).returncode == 0, Path(str(told["python"])).read_text()
    if LONG and told["cpp"]:
        program = compiled(Path(str(told["cpp"])))
        assert run([str(program)], fault.plant, **more).returncode != 0, told["small"]
        assert run([str(program)], "", **more).returncode == 0, Path(str(told["cpp"])).read_text()


@planted
def test_the_program_in_cpp(tmp_path):
    told = found(Fault("simplify swap subtract", "layers", PASS, "subtract"), str(tmp_path))
    program = compiled(Path(str(told["cpp"])))
    assert run([str(program)], "simplify swap subtract").returncode == 1
    assert run([str(program)], "").returncode == 0


@planted
def test_a_stale_file(tmp_path):
    """Code that was kept on disk by a process whose code was wrong."""
    cache = str(tmp_path / "cache")
    script = "import planted_programs as p, fastnp as np; f = np.compile(p.layers); f(*p.arguments()); f(*p.arguments())"
    assert run([sys.executable, "-c", script], "emit swap fsub", FASTNP_CACHE_DIR=cache).returncode == 0
    told = found(Fault("", "layers", "disk cache", ""), "", FASTNP_CACHE_DIR=cache)
    assert told["rung"] == "disk cache", told["text"]


@planted
@pytest.mark.parametrize("plant, minify", [("emit swap fsub", "accuracy"), ("kernel crash tanh", "crash")])
def test_by_environment(tmp_path, plant, minify):
    """FASTNP_MINIFY: the first kind of calls that fails is minified."""
    script = (
        "import planted_programs as p, fastnp as np; f = np.compile(p.layers); g = np.compile(lambda x: x + 1); g(p.arguments()[0]); f(*p.arguments())"
    )
    done = run([sys.executable, "-c", script], plant, FASTNP_MINIFY=minify, FASTNP_MINIFY_FOLDER=str(tmp_path))
    assert done.returncode == 1
    assert "MismatchError: layers on " in done.stderr
    assert run([sys.executable, str(tmp_path / "repro.py")], plant).returncode != 0
    assert run([sys.executable, "-c", script], "", FASTNP_MINIFY=minify).returncode == 0


@planted
@pytest.mark.parametrize("plant", ["emit swap fsub", "emit fmul fadd", "emit skip fdiv"])
def test_proofs_refute_what_is_emitted(plant):
    script = "import planted_programs as p, fastnp as np; np.compile(p.layers)(*p.arguments())"
    assert run([sys.executable, "-c", script], "", FASTNP_VERIFY="1").returncode == 0
    done = run([sys.executable, "-c", script], plant, FASTNP_VERIFY="1")
    assert done.returncode == 1
    assert "is wrong in its code: at " in done.stderr


def test_nothing_is_wrong():
    x, y = planted_programs.arguments()
    for program in (planted_programs.layers, planted_programs.softmax, planted_programs.integers, planted_programs.stores, planted_programs.column_sums):
        told = np.debug.triage(program, x, y)
        assert told.rung is None, told
        with pytest.raises(ValueError, match="nothing fails"):
            np.debug.minify(program, x, y, folder=None)


def test_graphs_from_text_and_in_parts():
    found: list[np.compiler.Graph] = []

    def backend(graph, example_inputs):
        found.append(graph)
        return graph.run

    np.compiler.register_backend("kept", backend, recorded=True)
    try:
        x, y = planted_programs.arguments()
        wanted = planted_programs.layers(x, y)
        np.compile(planted_programs.layers, backend="kept")(x, y)
    finally:
        np.compiler.register_backend("kept", None)
    (graph,) = found
    again = np.compiler.Graph.parse(str(graph))
    assert str(again) == str(graph)
    for one, other in zip(again.run(x, y), wanted, strict=True):
        numpy.testing.assert_allclose(one, other)
    exp = next(node for node in graph.nodes if node.op == "exp")
    assert exp.place.endswith("in layers")
    part = graph.part([exp], exp.inputs)
    assert [node.op for node in part.nodes] == ["parameter", "exp"]
    numpy.testing.assert_allclose(part.run(x)[0], numpy.exp(x))
    assert graph.passes("llvm")[0][0] == "place_outputs"
    with pytest.raises(ValueError, match="none of `inputs`"):
        graph.part([exp], [])
    for text in ("%0 = exp : float64[2]", "%0 = parameter (0) : float64[2]\n%1 = exp %0 : float64[3]\nreturn %1"):
        with pytest.raises(ValueError, match="."):
            np.compiler.Graph.parse(text)


def test_what_is_refused():
    with pytest.raises(ValueError, match="check='speed': one of 'accuracy', 'crash', 'slowness', 'compile time'"):
        np.debug.minify(planted_programs.layers, *planted_programs.arguments(), check="speed")


def test_errors_are_compared():
    def raises(x):
        return x.reshape(5, 5)

    told = np.debug.triage(raises, numpy.ones(3))
    assert told.rung is None, told
