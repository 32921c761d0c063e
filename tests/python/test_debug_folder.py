"""The debug folder: its files for functions of several kinds, by context and by environment; names, processes, folders that can't be written to."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import numpy
import pytest
import simulated
from test_reports import Page, logged, softmax

import fastnp as np

ENTRY = {
    "about.txt",
    "inputs.txt",
    "guards.txt",
    "graph.txt",
    "graph.svg",
    "kernels.txt",
    "memory.txt",
    "times.txt",
    "llvm-emitted.ll",
    "llvm.ll",
    "code.s",
}
FUNCTION = {"function.txt", "environment.txt", "source.py", "report.txt", "report.json", "index.html"}


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir() if not re.fullmatch(r"graph-\d+-.*", each.name)}


def graphs(entry: Path) -> list[str]:
    return sorted(each.name for each in entry.glob("graph-*"))


def test_fused_function(tmp_path):
    f = np.compile(softmax)
    with np.compiler.debug(tmp_path):
        f(numpy.ones((3, 4)))
        f(numpy.ones((3, 4), "f4"))
    assert names(tmp_path) == {"softmax", "index.html"}
    folder = tmp_path / "softmax"
    assert names(folder) == FUNCTION | {"entry-0", "entry-1"}
    for entry in ("entry-0", "entry-1"):
        assert names(folder / entry) == ENTRY
        assert graphs(folder / entry)[0] == "graph-00-recorded.txt"
        xml.etree.ElementTree.parse(folder / entry / "graph.svg")
    assert (folder / "entry-0/inputs.txt").read_text() == "float64[3, 4], strides (32, 8), on cpu\n"
    assert (folder / "entry-1/inputs.txt").read_text() == "float32[3, 4], strides (16, 4), on cpu\n"
    assert "e / e.sum" in (folder / "source.py").read_text()
    assert "define " in (folder / "entry-0/llvm.ll").read_text()
    assert "define " in (folder / "entry-0/llvm-emitted.ll").read_text()
    assert ".text" in (folder / "entry-0/code.s").read_text()
    assert "reads 96 B, writes 96 B" in (folder / "entry-0/kernels.txt").read_text()
    environment = (folder / "environment.txt").read_text()
    assert f"fastnp {np.__version__}" in environment
    assert f"numpy {numpy.__version__}" in environment
    assert "-bit vectors" in environment or "no vectors" in environment
    assert json.loads((folder / "report.json").read_text())["name"] == "softmax"


def test_pages_lead_to_all_files(tmp_path):
    with np.compiler.debug(tmp_path):
        np.compile(softmax)(numpy.ones((3, 4)))

    def links(page: Path) -> set[str]:
        return {attributes["href"] for tag, attributes in Page(page.read_text()).tags if tag == "a"}  # type: ignore[misc]

    assert links(tmp_path / "index.html") == {"softmax/index.html"}
    folder = tmp_path / "softmax"
    there = {each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()}
    assert links(folder / "index.html") == there - {"index.html", "function.txt"}


def test_function_with_breaks(tmp_path):
    f = np.compile(logged)
    with np.compiler.debug(tmp_path):
        f(numpy.ones(3)), f(numpy.ones(3))
    told = json.loads((tmp_path / "logged/report.json").read_text())
    assert told["breaks"][0]["reason"].startswith("calls open()")
    parts = [each for each in tmp_path.iterdir() if each.is_dir() and each.name != "logged"]
    assert parts
    assert all((each / "entry-0/graph.txt").exists() for each in parts)


def test_native_loops(tmp_path):
    @np.compile
    def summed(x):
        total = 0.0
        for i in range(len(x)):
            if x[i] > 0.5:
                total += x[i]
        return total

    with np.compiler.debug(tmp_path):
        summed(numpy.ones(30))
    line = summed.__wrapped__.__code__.co_firstlineno + 3
    [steps] = list((tmp_path / "summed").glob("loop-*.txt"))
    assert steps.name.startswith(f"loop-{line}")
    assert "define " in steps.with_suffix(".ll").read_text()


def test_derivatives_and_loops(tmp_path):
    gradient = np.compile(np.grad(lambda x: np.sum(np.sin(x) * x)), name="gradient")
    looped = np.compile(lambda x: np.fori_loop(0, 5, lambda i, s: np.sin(s * 1) + x, x), name="looped")
    with np.compiler.debug(tmp_path):
        gradient(numpy.ones(3)), looped(numpy.ones(300))
    assert "cos" in (tmp_path / "gradient/entry-0/graph.txt").read_text()
    assert any("body_0" in each for each in graphs(tmp_path / "looped/entry-0"))


def test_functions_that_are_gone(tmp_path):
    with np.compiler.debug(tmp_path):
        np.compile(lambda x: x + 1, name="gone")(numpy.ones(3))
    assert names(tmp_path / "gone") == FUNCTION | {"entry-0"}


def test_what_was_not_called_is_not_written(tmp_path):
    f = np.compile(softmax)
    f(numpy.ones((3, 4)))
    with np.compiler.debug(tmp_path):
        pass
    assert names(tmp_path) == {"index.html"}
    f(numpy.ones((3, 4), "f4"))
    assert names(tmp_path) == {"index.html"}


def test_names_are_safe_and_apart(tmp_path):
    with np.compiler.debug(tmp_path):
        for name in ("../../etc", "a/b", "a b", "", ".hidden", "ü", "x" * 300, "a b"):
            np.compile(lambda x: x + 1, name=name)(numpy.ones(3))
    made = sorted(each.name for each in tmp_path.iterdir() if each.is_dir())
    assert len(made) == 8
    assert all(re.fullmatch(r"[A-Za-z0-9][\w.-]{0,70}", each, re.ASCII) for each in made)
    assert {"etc", "a_b", "a_b-1", "a_b-2", "hidden"} <= set(made)
    assert "../../etc" in Page((tmp_path / "index.html").read_text()).text


def test_contexts_within_contexts(tmp_path):
    f, g = np.compile(lambda x: x + 1, name="f"), np.compile(lambda x: x + 2, name="g")
    with np.compiler.debug(tmp_path / "outer"):
        with np.compiler.debug(tmp_path / "inner"):
            f(numpy.ones(3))
        g(numpy.ones(3))
    assert "f" in names(tmp_path / "inner")
    assert "g" in names(tmp_path / "outer")
    assert "g" not in names(tmp_path / "inner")


def test_threads(tmp_path):
    def work(k: int) -> None:
        np.compile(lambda x: x + k, name="shared")(numpy.ones(3))

    with np.compiler.debug(tmp_path):
        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    made = [each for each in tmp_path.iterdir() if each.is_dir()]
    assert len(made) == 6
    assert all(names(each) == FUNCTION | {"entry-0"} for each in made)
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_folders_that_cannot_be_written_to(tmp_path, name):
    (tmp_path / "file").write_text("")
    called = []
    with pytest.raises(OSError, match="file"), np.compiler.debug(tmp_path / name):
        called.append(1)
    assert not called
    f = np.compile(lambda x: x + 1)
    assert f(numpy.ones(3))[0] == 2


PROGRAM = """
import numpy, fastnp as np
@np.compile
def halved(x):
    return np.sqrt(x) / 2
halved(numpy.ones(3))
"""


def run(program: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | env, check=False)


def test_environment_and_processes_that_share_a_folder(tmp_path):
    folder = str(tmp_path / "made")
    running = [subprocess.Popen([sys.executable, "-c", PROGRAM], env=os.environ | {"FASTNP_DEBUG": folder}) for _ in range(3)]
    assert [each.wait() for each in running] == [0, 0, 0]
    assert names(tmp_path / "made") == {"halved", "halved-1", "halved-2", "index.html"}
    for each in ("halved", "halved-1", "halved-2"):
        assert names(tmp_path / "made" / each) >= {"function.txt", "environment.txt", "entry-0", "index.html"}
        assert f"FASTNP_DEBUG={folder}" in (tmp_path / "made" / each / "environment.txt").read_text()
    assert Page((tmp_path / "made/index.html").read_text()).text.count("halved") == 3


def test_environment_with_a_folder_that_cannot_be_written_to(tmp_path):
    (tmp_path / "file").write_text("")
    made = run(PROGRAM + "print('called')", {"FASTNP_DEBUG": str(tmp_path / "file")})
    assert made.returncode == 1
    assert "FileExistsError" in made.stderr
    assert "called" not in made.stdout


def test_recordings_on_disk_are_made_anew(tmp_path):
    env = {"FASTNP_CACHE_DIR": str(tmp_path / "cache")}
    assert run(PROGRAM, env).returncode == 0
    assert run(PROGRAM, env | {"FASTNP_DEBUG": str(tmp_path / "made")}).returncode == 0
    assert graphs(tmp_path / "made/halved/entry-0")[0] == "graph-00-recorded.txt"


@pytest.mark.skipif(not simulated.library().exists(), reason="the package has no simulated devices beside it")
def test_devices(tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, script in {"ptxas": 'cp "$2" "$4"', "nvdisasm": 'echo "disassembled"; head -c 20 "$1" > /dev/null'}.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    program = "import numpy, fastnp as np\nf = np.compile(lambda x: np.sin(x) * 2, name='there')\nf(np.asarray(numpy.ones(5)).to('cuda:1'))"
    env = simulated.environment(2) | {"FASTNP_DEBUG": str(tmp_path / "made"), "PATH": f"{tools}:{os.environ['PATH']}"}
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=False)
    assert made.returncode == 0, made.stderr
    entry = tmp_path / "made/there/entry-0"
    assert (entry / "inputs.txt").read_text() == "float64[5], strides (8), on cuda:1\n"
    assert "device: cuda:1" in (entry / "about.txt").read_text()
    assert ".target" in (entry / "code.ptx").read_text()
    assert "define " in (entry / "llvm-emitted.ll").read_text()
    assert (entry / "llvm-emitted.ll").read_text() != (entry / "llvm.ll").read_text()
    assert (entry / "code.sass").read_text() == "disassembled\n"


def test_pictures_by_our_own_layout_and_by_graphviz(tmp_path, monkeypatch):
    from fastnp import _pictures

    graph = np.explain(np.compile(softmax))(numpy.ones((3, 4))).ir
    root = xml.etree.ElementTree.fromstring(_pictures.own_layout(graph))
    labels = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sum(label.startswith("exp ") for label in labels) == 1
    assert len(labels) == graph.partition("\nbody ")[0].count(" = ")
    (tmp_path / "dot").write_text("#!/bin/sh\ncat > $0.in; echo '<?xml?><svg>drawn</svg>'\n")
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert _pictures.picture(graph) == "<svg>drawn</svg>\n"
    assert "digraph" in (tmp_path / "dot.in").read_text()
    (tmp_path / "dot").write_text("#!/bin/sh\nexit 1\n")
    assert _pictures.picture(graph) == _pictures.own_layout(graph)
    many: Any = "\n".join(f"%{k} = add %{k - 1}, %{k - 1} : float64[3]" for k in range(1, 2000))
    assert "too many for a picture" in _pictures.picture(many)
