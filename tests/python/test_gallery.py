"""The programs of the gallery: those in Python and in C++ print the same figures, and each has its page, its picture and its card.

Pages of docs/gallery have no code of their own: they show examples/NAME.py and NAME.cpp, which run here. The pictures are drawn, and the notebooks of
docs/notebooks are run, by docs/build.sh, where an error is an error of the build.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cpp_headers
import docs_pages
import pytest

ROOT, RELEASE = docs_pages.ROOT, docs_pages.RELEASE
GALLERY, NOTEBOOKS, EXAMPLES = ROOT / "docs" / "gallery", ROOT / "docs" / "notebooks", ROOT / "examples"
NAMES = sorted(path.stem for path in GALLERY.glob("*.md") if path.stem != "index")
PAGES = [*sorted(GALLERY.glob("*.md")), *sorted(NOTEBOOKS.glob("*.md"))]
pytestmark = pytest.mark.part(1)  # each page is another
by_name = pytest.mark.parametrize("name", NAMES)
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)


def program(name: str, folder: Path) -> Path:
    """The C++ program: the build's, if it is not older than its source, or one that is made here."""
    source, built = EXAMPLES / f"{name}.cpp", RELEASE / "examples" / name
    if built.exists() and built.stat().st_mtime >= max(path.stat().st_mtime for path in (source, *EXAMPLES.glob("*.h"))):
        return built
    made = folder / name
    compiler = os.environ.get("CXX", "g++")
    cached = ["ccache"] if shutil.which("ccache") else []
    command = [*cached, compiler, *cpp_headers.FLAGS, *cpp_headers.options(compiler), "-c", source, "-o", f"{made}.o"]
    subprocess.run(command, cwd=folder, env=cpp_headers.environment(), check=True)
    subprocess.run([compiler, f"{made}.o", "-o", made, f"-L{RELEASE}", "-lfastnp", f"-Wl,-rpath,{RELEASE}"], check=True)
    return made


def figures(command: list[str | Path]) -> list[str]:
    """The lines that a program prints, but for those with times."""
    process = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert process.returncode == 0, process.stdout + process.stderr
    return [line for line in process.stdout.splitlines() if not re.search(r"\d (ms|us)\b", line)]


@by_name
def test_python_and_cpp_print_the_same(name, tmp_path):
    in_python = figures([sys.executable, EXAMPLES / f"{name}.py"])
    assert any(re.search(r"\d", line) for line in in_python)
    assert figures([program(name, tmp_path)]) == in_python


@by_name
def test_programs_are_short(name):
    for kind in (".py", ".cpp"):
        assert (EXAMPLES / name).with_suffix(kind).read_text().count("\n") <= 80


@by_name
def test_a_page_shows_both_programs_what_they_print_and_the_picture(name):
    text = (GALLERY / f"{name}.md").read_text()
    for path in (
        f"../../examples/{name}.py",
        f"../../examples/{name}.cpp",
        f"../../build/docs/gallery/{name}.txt",
        f"../../build/docs/gallery/{name}.png",
    ):
        assert f"{{literalinclude}} {path}\n" in text or f"{{image}} {path}\n" in text
    index = (GALLERY / "index.md").read_text()
    assert f":link: {name}\n" in index and f"\n{name}\n" in index


def test_each_page_has_a_drawing():
    tree = ast.parse((GALLERY / "pictures.py").read_text())
    functions = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    drawn = [
        call.args[0].value for each in functions for call in each.decorator_list if isinstance(call, ast.Call) and isinstance(call.args[0], ast.Constant)
    ]
    assert sorted(drawn) == NAMES


@by_page
def test_blocks_are_of_a_known_kind_and_prose_ends_at_100_characters(page):
    for block in docs_pages.blocks_of(page):
        block.check_kind()
    prose = docs_pages.FENCE.sub("", page.read_text())
    assert [line for line in prose.splitlines() if len(line) > 100 and not line.startswith(("|", "%", ":"))] == []


@pytest.mark.parametrize("page", sorted(NOTEBOOKS.glob("*.md")), ids=lambda path: path.stem)
def test_cells_of_notebooks_are_python(page):
    text = page.read_text()
    if page.stem == "index":
        return
    assert text.startswith("---\nfile_format: mystnb\n")
    cells = [fence["text"] for fence in docs_pages.FENCE.finditer(text) if fence["info"] == "{code-cell} ipython3"]
    assert len(cells) >= 8
    for cell in cells:
        compile(cell, page.name, "exec")
