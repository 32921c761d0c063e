"""Reports: the data of explanations, as a page, as JSON, as text; costs of kernels; what notebooks show."""

from __future__ import annotations

import html.parser
import json
import math
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import simulated

import fastnp as np

VOID = {"meta", "line", "circle", "rect", "path", "polyline", "br", "link", "img", "hr"}
KERNEL_KEYS = {
    "name",
    "kind",
    "ops",
    "axes",
    "milliseconds",
    "count",
    "bytes_read",
    "bytes_written",
    "flops",
    "apart",
    "apart_from",
    "bytes",
    "bytes_per_second",
    "flops_per_second",
    "share_of_bandwidth",
    "share_of_peak",
}


class Page(html.parser.HTMLParser):
    """A page's text by element, its tags and attributes; AssertionError where tags are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.texts)


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def logged(x: Any) -> Any:
    y = np.sqrt(x) + 1
    with open("/dev/null", "w") as out:
        out.write("now")
    return (y * 2).sum()


def kernels_of(function: Any, *args: Any) -> list[dict[str, Any]]:
    return np.explain(np.compile(function))(*args).kernels


# Costs.


def test_bytes_and_operations_of_elementwise_kernels():
    x = numpy.ones((30, 40))
    [kernel] = kernels_of(lambda x, y: x * y + x, x, x.copy())
    assert (kernel["bytes_read"], kernel["bytes_written"], kernel["flops"]) == (2 * x.nbytes, x.nbytes, 2 * x.size)
    [kernel] = kernels_of(lambda x: np.exp(x) / x, x.astype("f4"))
    assert (kernel["bytes_read"], kernel["bytes_written"], kernel["flops"]) == (4 * x.size, 4 * x.size, 20 * x.size)
    [kernel] = kernels_of(lambda x: x + 1, numpy.arange(7))  # whole numbers are no floating-point operations
    assert (kernel["bytes_read"], kernel["bytes_written"], kernel["flops"]) == (56, 56, 0)
    [kernel] = kernels_of(lambda x: x * x, numpy.ones(5, complex))
    assert kernel["flops"] == 20


def test_what_is_read_again_counts_once():
    x = numpy.ones(1000)
    [kernel] = kernels_of(lambda x: x[:-2] + x[1:-1] + x[2:], x)
    assert (kernel["bytes_read"], kernel["bytes_written"], kernel["flops"]) == (8000, 7984, 2 * 998)
    [kernel] = kernels_of(lambda x: x[::2] + x[1::2], x)
    assert (kernel["bytes_read"], kernel["bytes_written"]) == (8000, 4000)
    [kernel] = kernels_of(lambda x: x[::4] * 2, x)
    assert kernel["bytes_read"] == 2000
    [kernel] = kernels_of(lambda x, y: x[:, None] + y, numpy.ones(30), numpy.ones(40))  # broadcast
    assert (kernel["bytes_read"], kernel["bytes_written"], kernel["flops"]) == (8 * 70, 8 * 1200, 1200)


def test_costs_of_reductions():
    [kernel] = kernels_of(softmax, numpy.ones((8, 16)))
    points = 8 * 16
    assert (kernel["bytes_read"], kernel["bytes_written"]) == (8 * points, 8 * points)
    assert kernel["flops"] == (1 + 1 + 1 + 16 + 4) * points
    x = numpy.ones(1 << 20)
    told = kernels_of(lambda x: (x * x).sum(), x)
    assert sum(kernel["flops"] for kernel in told) == pytest.approx(2 * x.size, rel=0.01)
    assert sum(kernel["bytes_read"] for kernel in told) == pytest.approx(x.nbytes, rel=0.01)


def test_costs_of_precompiled_steps():
    a, b = numpy.ones((20, 30)), numpy.ones((30, 40))
    [kernel] = kernels_of(lambda a, b: a @ b, a, b)
    assert (kernel["bytes_read"], kernel["bytes_written"], kernel["flops"]) == (a.nbytes + b.nbytes, 8 * 800, 2 * 20 * 30 * 40)
    [kernel] = kernels_of(lambda x: np.sort(x), numpy.ones(50))
    assert kernel["flops"] == 0
    [kernel] = kernels_of(lambda x: np.fft.fft(x), numpy.ones(64, complex))
    assert kernel["flops"] == 5 * 64 * 6
    assert any(kernel["flops"] is None for kernel in kernels_of(lambda x: np.linalg.eigvalsh(x), numpy.eye(4)))


def test_costs_at_random():
    """Of chains of sums and products over arrays of random sizes."""
    seed = random.randrange(1 << 30)
    print("seed", seed)
    draw = random.Random(seed)
    for _ in range(5):
        shape = tuple(draw.randrange(1, 40) for _ in range(draw.randrange(1, 4)))
        count, dtype = draw.randrange(1, 6), draw.choice(["f4", "f8"])

        def chained(x: Any, y: Any, count: int = count) -> Any:
            for _ in range(count):
                x = x * y + x
            return x

        x, y = numpy.ones(shape, dtype), numpy.ones(shape, dtype)
        [kernel] = np.explain(np.compile(chained, fullgraph=True))(x, y).kernels  # whose loops are unrolled
        assert (kernel["bytes_read"], kernel["bytes_written"], kernel["flops"]) == (2 * x.nbytes, x.nbytes, 2 * count * math.prod(shape))


def test_costs_are_those_of_the_measured_sizes():
    f = np.compile(lambda x: x * 2, dynamic=True)
    f(numpy.ones(10))
    with np.compiler.profile():
        told = np.explain(f)(numpy.ones(1000))
    assert len(told.entries) == 1
    assert told.kernels[0]["bytes_read"] == 8000
    assert [each["bytes"] for each in told.entries[0]["memory"]] == [8000, 8000]


def test_loops_cost_what_their_turns_do():
    f = np.compile(lambda x: np.fori_loop(0, 7, lambda i, s: np.sin(s) * x, x))
    told = np.explain(f)(numpy.ones(100))
    loop, *body = told.kernels
    assert loop["kind"] == "loop"
    assert loop["flops"] == 7 * sum(each["flops"] for each in body) > 0


# Why kernels are apart.


def why(function: Any, *args: Any, **options: Any) -> list[str]:
    kernels = np.explain(np.compile(function, **options))(*args).kernels
    assert all((kernel["apart_from"] is None) == (not kernel["apart"]) for kernel in kernels)
    assert all(kernel["apart_from"] is None or kernel["apart_from"] < place for place, kernel in enumerate(kernels))
    return [kernel["apart"] for kernel in kernels]


def test_reasons_why_kernels_are_apart():
    x = numpy.ones((300, 300))
    assert why(lambda x: np.sqrt(x) + 1, x) == [""]
    assert "the other is done by a precompiled kernel" in why(lambda x: np.sqrt(x @ x) + 1, x)
    assert "it is done by a precompiled kernel" in why(lambda x: np.sort(np.sqrt(x) + 1), x)
    assert set(why(lambda x: np.sqrt(x) + 1, x, backend="eager")) == {"", "the backend does each operation by itself"}
    assert "the two reduce different axes" in why(lambda x: (x.sum(axis=0), x.sum(axis=1)), x)
    assert "long reductions are made in blocks first, whose results it joins" in why(lambda x: x.sum(), numpy.ones(1 << 21))


# Memory and passes.


def test_memory_plan():
    told = np.explain(np.compile(lambda x: np.sort(np.sqrt(x @ x)) @ x))(numpy.ones((8, 8)))
    memory = told.entries[0]["memory"]
    assert {each["kind"] for each in memory} == {"argument", "temporary", "result"}
    assert all(each["bytes"] == 512 for each in memory)
    assert all(each["first"] <= each["last"] for each in memory)
    assert all((each["place"] is not None) == (each["kind"] == "temporary") for each in memory)


def test_passes_are_kept_where_they_are_asked_for():
    def f(x: Any) -> Any:
        return (x * 1 + 0) * 2

    plain = np.compile(f)
    plain(numpy.ones(3))
    assert np.explain(plain)(numpy.ones(3)).entries[0]["passes"] == []
    assert plain._inspect(False)[0][0]["inputs"] == []
    entry = np.explain(np.compile(f))(numpy.ones((2, 3))[:, ::2]).entries[0]
    assert entry["passes"][0][0] == "recorded"
    assert "simplify" in [name for name, _ in entry["passes"]]
    assert all("multiply" in text for _, text in entry["passes"])
    assert entry["inputs"] == ["float64[2, 2], strides (24, 16), on cpu"]


def test_passes_of_loops_name_their_body():
    f = np.compile(lambda x: np.fori_loop(0, 5, lambda i, s: np.sin(s * 1) + x, x))
    names = [name for name, _ in np.explain(f)(numpy.ones(100)).entries[0]["passes"]]
    assert len(names) == len(set(names))
    assert any(name.startswith("body 0 ") for name in names)


# Pages, JSON, text.


def test_page_of_a_measured_function(tmp_path):
    f = np.compile(softmax)
    with np.compiler.profile():
        told = np.explain(f)(numpy.ones((300, 400)))
    file = tmp_path / "report.html"
    text = told.html(file)
    assert file.read_text() == text
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
    page = Page(text)
    for each in (
        "softmax",
        "return e / e.sum(axis=1, keepdims=True)",
        "float64[300, 400] contiguous",
        "960.0 kB in",
        "of the bandwidth",
        "graph as recorded",
    ):
        assert each in page.text
    labels = [attributes.get("aria-label") for tag, attributes in page.tags if tag == "svg"]
    assert labels == ["roofline", "memory over time", "graph"]
    assert not [tag for tag, attributes in page.tags if tag in ("script", "link", "img") or "src" in attributes]
    assert not re.search(r"@import|url\(", text)


def test_page_without_times_measures_nothing():
    told = np.explain(np.compile(softmax))(numpy.ones((3, 4)))
    page = Page(told.html())
    assert "No times" in page.text
    assert json.loads(told.json())["machines"] == []


def test_breaks_are_at_their_lines_with_what_helps():
    f = np.compile(logged)
    f(numpy.ones(3))
    told = np.explain(f)(numpy.ones(3))
    data = json.loads(told.json())
    [found] = data["breaks"]
    assert found["reason"].startswith("calls open()")
    assert "np.effect" in found["fix"]
    line = logged.__code__.co_firstlineno + 2
    marked = {each["line"]: [note["kind"] for note in each["notes"]] for each in data["source"]["lines"] if each["notes"]}
    assert marked == {line - 1: ["kernel"], line: ["break"], line + 2: ["kernel"]}
    assert data["parts"]
    assert found["fix"] in Page(told.html()).text
    assert f"fix: {found['fix']}" in told.text()


def test_native_loops_are_at_their_lines():
    def summed(x: Any) -> float:
        total = 0.0
        for i in range(len(x)):
            if x[i] > 0.5:
                total += x[i]
        return total

    f = np.compile(summed)
    told = np.explain(f)(numpy.ones(30))
    data = json.loads(told.json())
    line = summed.__code__.co_firstlineno + 2
    assert [each["line"] for each in data["source"]["lines"] if each["notes"]] == [line]
    assert data["loops"][0]["programs"]
    assert "native loop" in Page(told.html()).text


def test_lines_of_kernels_are_shown():
    told = np.explain(np.compile(softmax))(numpy.ones((3, 4)))
    first = softmax.__code__.co_firstlineno
    assert told.kernels[0]["lines"] == [f"{softmax.__code__.co_filename}:{first + k} in softmax" for k in (1, 2)]
    lines = json.loads(told.json())["source"]["lines"]
    assert [[note["kind"] for note in each["notes"]] for each in lines] == [[], ["kernel"], ["kernel"]]
    assert Page(told.html()).text.count("0: rows") >= 2


def test_text_of_users_is_escaped():
    name = "<script>alert('&\"')</script>"
    f = np.compile(lambda x: x + 1, name=name)
    told = np.explain(f)(numpy.ones(3))
    for text in (told.html(), told._repr_html_()):
        assert "<script" not in text
        assert name in Page(text).text


def test_json_has_these_keys():
    with np.compiler.profile():
        told = np.explain(np.compile(softmax))(numpy.ones((3, 4)))
    data = json.loads(told.json(indent=1))
    assert set(data) == set(
        "fastnp name place backend calls as_written reads source entries recompilations breaks loops transfers machines parts by_line".split()
    )
    [entry] = data["entries"]
    assert set(entry) == set("reason as_written device inputs guards kernels memory live_bytes milliseconds graph passes loops emitted llvm code".split())
    assert set(entry["kernels"][0]) >= KERNEL_KEYS
    assert set(entry["memory"][0]) == {"kind", "number", "size", "bytes", "place", "first", "last"}
    assert entry["kernels"][0]["share_of_bandwidth"] > 0
    assert data["machines"][0]["device"] == "cpu"
    assert set(data["machines"][0]["peak"]) == {"float64", "float32"}
    assert "define " in entry["emitted"]
    assert entry["emitted"] != entry["llvm"]


def test_the_machine_is_measured_once_and_is_no_function_of_the_users():
    from fastnp import _machine

    first = _machine.measured()
    assert _machine.measured() is first
    assert first["bandwidth"] > 1e8
    assert all(speed > 1e8 for speed in first["peak"].values())
    assert "the machine's speed" not in [row.name for row in np.compiler.functions()]


def test_recompilations_have_causes():
    f = np.compile(lambda x: x + 1)
    f(numpy.ones(3))
    told = np.explain(f)(numpy.ones(3, "f4"))
    [cause] = json.loads(told.json())["recompilations"]
    assert cause["reason"] == "argument 0: dtype changed from float64 to float32"
    assert "pass arrays of one dtype" in Page(told.html()).text
    assert "recompiled in" in told.text()


def test_files_that_cannot_be_written(tmp_path):
    told = np.explain(np.compile(softmax))(numpy.ones((3, 4)))
    with pytest.raises(FileNotFoundError):
        told.html(tmp_path / "no" / "report.html")


def test_functions_without_source():
    space: dict[str, Any] = {}
    exec("def unseen(x):\n    return x + 1", space)
    told = np.explain(np.compile(space["unseen"]))(numpy.ones(3))
    assert json.loads(told.json())["source"] is None
    assert "There is no source" in Page(told.html()).text


def test_notebooks_show_tables():
    f = np.compile(softmax)
    told = np.explain(f)(numpy.ones((3, 4)))
    assert "softmax" in Page(told._repr_html_()).text
    rows: Any = np.compiler.functions()
    assert "softmax" in Page(rows._repr_html_()).text
    assert rows[0].name in Page(rows[0]._repr_html_()).text
    assert "in all" in Page(np.compiler.compile_times()._repr_html_()).text
    assert not hasattr(np.ones(3), "_repr_html_")


DEVICE = """
import json
import numpy, fastnp as np

f = np.compile(lambda x: np.sum(np.sin(x) * 2, axis=0))
x = np.asarray(numpy.ones((30, 40))).to("cuda")
f(x)
with np.compiler.profile():
    told = np.explain(f)(x)
data = json.loads(told.json(measure=False))
print(data["transfers"]["uploads"], data["entries"][0]["device"], data["entries"][0]["inputs"])
print([each["bytes_read"] for each in data["entries"][0]["kernels"]], "cuda:0" in told.html(measure=False))
with np.device("cuda"):
    told = np.explain(f)(numpy.ones((3, 4)))
print(told.transfers["uploads"], told.entries[-1]["inputs"])
"""


@pytest.mark.skipif(not simulated.library().exists(), reason="the package has no simulated devices beside it")
def test_devices():
    made = subprocess.run([sys.executable, "-c", DEVICE], capture_output=True, text=True, env=simulated.environment(2), check=True)
    assert made.stdout.splitlines() == [
        "0 cuda:0 []",
        "[9600.0] True",
        "1 ['float64[3, 4], strides (32, 8), on cpu']",
    ]


def test_imports_and_calls_are_as_before():
    """A report's modules are imported where one is asked for, and no call asks."""
    program = """
import sys, fastnp as np
f = np.compile(lambda x: x + 1)
f(np.ones(3)), np.compiler
print(*(name for name in sys.modules if "report" in name or "debug" in name or "picture" in name))
"""
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert [name for name in made.stdout.split() if name.startswith("fastnp") and name != "fastnp._debug"] == []
    assert Path(np.__file__).exists()
