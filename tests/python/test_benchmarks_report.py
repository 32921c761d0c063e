"""What benchmarks/run.py --report writes: the committed pages, again, of the committed figures; and a small run, from figures to pages."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import docs_pages
import pytest

BENCHMARKS = docs_pages.ROOT / "benchmarks"
sys.path.append(str(BENCHMARKS))
import charts  # noqa: E402  # which lie in the folder of the line above
import report  # noqa: E402
import tables  # noqa: E402


def row(**ms: float | str) -> dict[str, object]:
    return {"name": "faq", "limit": "", "libraries": {name: {"refused": each} if isinstance(each, str) else {"ms": each} for name, each in ms.items()}}


@pytest.mark.parametrize("name", ["RESULTS.md", "speed.svg"])
def test_committed_figures_make_the_committed_page(tmp_path, name):
    report.main(["--from", *map(str, report.committed()), "--to", str(tmp_path)])
    assert (tmp_path / name).read_text() == (BENCHMARKS / name).read_text()


@pytest.mark.parametrize("path", report.committed(), ids=lambda path: path.stem)
def test_figures_are_as_the_report_writes_them(path):
    document = json.loads(path.read_text())
    assert report.text_of(document) == path.read_text()
    assert document["date"] == path.stem[-10:]
    for part in document["parts"].values():
        for each in part["rows"]:
            assert all("refused" in found or found["ms"] > 0 for found in each["libraries"].values())


def test_pictures_are_xml():
    for path in report.committed():
        for drawn in charts.charts(json.loads(path.read_text())).values():
            assert ElementTree.fromstring(drawn).tag.endswith("svg")


def test_what_is_behind_is_told():
    part = {"libraries": ["fastnp", "jax", "numba"], "rows": [row(fastnp=2.0, jax=1.0, numba="TypingError: no")]}
    assert "**0.50 x JAX**" in tables.milliseconds(part)
    assert "- sum of outer products: 0.50 of JAX's speed" in tables.summary(part)
    assert "Numba does not run sum of outer products: TypingError: no" in tables.refusals(part)


def test_a_peer_that_is_not_there_is_told():
    assert tables.summary({"rows": [row(fastnp=2.0)]}) == "No peer was there.\n"
    assert "| CuPy | not there |" in tables.versions({"versions": {"CuPy": None}})


def test_a_small_run(tmp_path):
    figures = tmp_path / "figures.json"
    words = ["--parts", "cpu", "--only", "axis0", "--libraries", "fastnp,numpy", "--rounds", "1", "--json", str(figures), "--to", str(tmp_path)]
    subprocess.run([sys.executable, str(BENCHMARKS / "run.py"), "--report", *words], check=True, capture_output=True, timeout=300)
    document = json.loads(figures.read_text())
    assert document["versions"]["NumPy"]
    (only,) = document["parts"]["cpu"]["rows"]
    assert set(only["libraries"]) == {"fastnp", "numpy"}
    assert all(each["ms"] > 0 and each["share"] > 0 and each["error"] < 1e-4 for each in only["libraries"].values())
    assert "| sum over axis 0 |" in (tmp_path / "RESULTS.md").read_text()
    assert set(document["parts"]["cpu"]["limits"]) == {"copy"}  # the one that its rows need
    assert (tmp_path / "speed.svg").exists()


def test_files_of_results_are_named_in_the_page():
    page = (BENCHMARKS / "RESULTS.md").read_text()
    assert all(f"results/{path.name}" in page for path in report.committed())
    assert Path(BENCHMARKS / "requirements.txt").exists()


def test_the_page_of_the_site():
    page = docs_pages.ROOT / "docs" / "benchmarks.md"
    for block in docs_pages.blocks_of(page):
        block.check_kind()
    lines = docs_pages.FENCE.sub("", page.read_text()).splitlines()
    assert [line for line in lines if len(line) > 100 and not line.startswith("|")] == []
