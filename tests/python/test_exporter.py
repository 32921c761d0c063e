"""Libraries of several functions and of several kinds of calls, and the command line that writes them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
from support import SEED
from test_export import same

import fastnp as np

Spec = np.ShapeDtype
random = numpy.random.default_rng(SEED)


def test_several_specialisations(tmp_path: Path) -> None:
    shared = random.normal(size=4)

    def line(x: Any, slope: Any) -> Any:
        return x * slope + np.asarray(shared, x.dtype), np.sum(x)

    out = np.Exporter()
    for spec in (Spec(("n", 4)), Spec(("n", 4), "f4"), Spec((2, 3, 4), "f4")):
        out.add(line, {"x": spec, "slope": Spec((), spec.dtype)})
    f = out.write(tmp_path / "f")
    assert [one[0] for one in f.specialisations] == [("x", "float64", "(n, 4)"), ("x", "float32", "(n, 4)"), ("x", "float32", "(2, 3, 4)")]
    assert repr(f).count("line(") == 3 and f.names == ["line"]
    for shape, dtype in [((3, 4), "f8"), ((3, 4), "f4"), ((2, 3, 4), "f4"), ((0, 4), "f4"), ((3, 4), "f8")] * 3:
        x, slope = random.normal(size=shape).astype(dtype), numpy.array(0.5, dtype)
        for each in (x, numpy.asfortranarray(x)):
            y, total = f(each, slope)
            assert y.dtype == total.dtype == dtype
            want = np.compile(line)(x, slope)
            assert numpy.allclose(y, want[0]) and numpy.allclose(total, want[1], rtol=1e-5)
    with pytest.raises(TypeError, match=r"none of its 3 specialisations serves this call:\n.*float64\n.*float32\n.*float32"):
        f(numpy.ones((3, 4), "i4"), numpy.array(1.0))
    with pytest.raises(ValueError, match=r"none of its 3 specialisations serves this call:\n.*size of axis 1 changed from 4 to 5"):
        f(numpy.ones((3, 5)), numpy.array(1.0))
    for other in (lambda x: x, lambda x, y: x, lambda x, slope: (x, slope, x)):
        specs = (Spec(3), Spec(3))[: other.__code__.co_argcount]
        with pytest.raises(ValueError, match="exported for several kinds of calls"):
            np.Exporter().add(line, (Spec(4), Spec(()))).add(other, specs, name="line").write(tmp_path / "g")
    with pytest.raises(ValueError, match="no function to write"):
        np.Exporter().write(tmp_path / "g")
    assert not (tmp_path / "g.so").exists()


def test_several_functions(tmp_path: Path) -> None:
    big = random.normal(size=(200, 100))

    def loss(w: Any, y: Any) -> Any:
        return np.sum((big @ w - y) ** 2)

    def largest(w: Any) -> Any:
        return np.while_loop(lambda s: np.max(s) > 1, lambda s: np.sort(s) * 0.5, w)

    specs = (Spec(100), Spec(200))
    out = np.Exporter().add(loss, specs).add(np.grad(loss), specs, name="gradient").add(np.value_and_grad(loss), specs, name="both")
    first = out.add(largest, Spec("n"), name="largest").write(tmp_path / "model.so")
    assert first.names == ["loss", "gradient", "both", "largest"] and first.__name__ == "loss"
    assert (tmp_path / "model.so").stat().st_size < 1.2 * big.nbytes  # its bytes are there once
    w, y = random.normal(size=100), random.normal(size=200)
    same(first(w, y), np.compile(loss)(w, y))
    same(np.load_exported(tmp_path / "model.so", "gradient")(w, y), np.compile(np.grad(loss))(w, y))
    same(np.load_exported(tmp_path / "model.so", "both")(w, y), np.compile(np.value_and_grad(loss))(w, y))
    same(np.load_exported(tmp_path / "model.so", "largest")(w), np.compile(largest)(w))
    with pytest.raises(ValueError, match="it has no function 'none', but loss, gradient, both, largest"):
        np.load_exported(tmp_path / "model.so", "none")
    header = (tmp_path / "model.h").read_text()
    assert [name for name in ("loss", "gradient", "both", "largest") if f"static inline int {name}(const" in header] == first.names


def test_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("scale = 3.0\n")
    (tmp_path / "model.py").write_text(
        "import fastnp as np\nfrom helper import scale\n\n"
        "class Model:\n    def forward(self, x, bias):\n        return x * scale + bias\n\nmodel = Model()\n"
    )

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-m", "fastnp", "export", str(tmp_path / "model.py"), *words]
        return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)

    done = run("model.forward", "-o", "out.so", "--name", "forward", "x=float64[n,2]", "bias=-1.5", "--", "x=float32[3]", "bias=-1.5")
    assert done.stdout == "<exported forward(x: float64(n, 2)), forward(x: float32(3,))>\n", done.stderr
    f = np.load_exported(tmp_path / "out.so")
    same(f(numpy.ones((4, 2))), numpy.full((4, 2), 1.5))
    same(f(numpy.ones(3, "f4")), numpy.full(3, 1.5, "f4"))
    assert run("model.forward", "-o", "out.so", "float64[]", "2").stdout == "<exported forward(x: float64())>\n"
    for words, why in (
        (("nothing", "-o", "out.so"), "there is no nothing"),
        (("model.forward", "-o", "out.so", "x=float64[n]", "2"), "in order, or all by name, each once"),
        (("model.forward", "-o", "out.so", "float64[n]", "what"), "what: neither an array"),
    ):
        done = run(*words)
        assert done.returncode != 0 and why in done.stderr


LEVELS = """
import json, sys, numpy, fastnp as np
f = np.load_exported(sys.argv[1])
x = numpy.random.default_rng(3).normal(size=(50, 40))
def wide(x):
    last = np.scan(lambda c, r: (c * 0.5 + np.cos(r), c), x[0] * 0, x)[0]
    return np.sum(np.exp(x) * np.abs(np.tanh(x)) ** 2.5, axis=1), np.sort(np.sin(x).mean(axis=0)), last
print(json.dumps([f.isa, all(a.tobytes() == b.tobytes() for a, b in zip(f(x), np.compile(wide)(x)))]))
"""


def test_several_levels(tmp_path: Path) -> None:
    def wide(x: Any) -> Any:
        last = np.scan(lambda c, r: (c * 0.5 + np.cos(r), c), x[0] * 0, x)[0]
        return np.sum(np.exp(x) * np.abs(np.tanh(x)) ** 2.5, axis=1), np.sort(np.sin(x).mean(axis=0)), last

    here = np.export(lambda x: x, Spec(3), tmp_path / "here").isa
    levels = [each for each in ("base", "v3", "v4") if each <= here or each == "base"]
    all_levels = np.export(wide, Spec((50, 40)), tmp_path / "f.so", isa=("v4", "base", "v3"))
    assert all_levels.isa == here
    for level in levels:
        environment = {**os.environ, "FASTNP_ISA": level, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, "-c", LEVELS, str(tmp_path / "f.so")], env=environment, capture_output=True, text=True)
        assert done.stdout == f'["{level}", true]\n', done.stderr
    environment["FASTNP_ISA"] = "base"
    if here != "base":
        np.export(wide, Spec((50, 40)), tmp_path / "g.so", isa=here)
        done = subprocess.run([sys.executable, "-c", LEVELS, str(tmp_path / "g.so")], env=environment, capture_output=True, text=True)
        assert f"it is for processors with the instruction set {here}" in done.stderr
    with pytest.raises(ValueError, match="isa: 'v5' is no level of processors"):
        np.export(wide, Spec((50, 40)), tmp_path / "h.so", isa="v5")


def test_sizes_that_a_recording_is_not_for(tmp_path: Path) -> None:
    """They get specialisations by themselves, where the function takes them, and the header one function for all."""

    def gram(x: Any) -> Any:
        return np.einsum("ij,ik->jk", x, x)

    exported = np.export(gram, np.ShapeDtype(("n", 4)), tmp_path / "gram")
    assert [each[0][2] for each in exported.specialisations] == ["(n, 4)", "(0, 4)", "(1, 4)"]
    for rows in (0, 1, 2, 9):
        x = numpy.random.default_rng(rows).normal(size=(rows, 4))
        numpy.testing.assert_allclose(exported(x), x.T @ x, atol=1e-13)
    assert (tmp_path / "gram.h").read_text().count("static inline int ") == 1
    most = np.export(lambda x: np.max(x), np.ShapeDtype("n"), tmp_path / "most")
    assert len(most.specialisations) == 1  # of nothing there is no maximum
    with pytest.raises(ValueError, match="n != 0"):
        most(numpy.zeros(0))
    limited = np.export(gram, np.ShapeDtype((np.Dim("n", 2, 50), 4)), tmp_path / "limited")
    assert len(limited.specialisations) == 1
