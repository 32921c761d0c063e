"""All blocks of code of the site's pages, in Python and in C++, run and print what the pages say; so does the first program of the README.

docs_pages.py says how.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import docs_pages
import numpy
import pytest
from support import forget_users_backends

import fastnp

ROOT = docs_pages.ROOT
FOLDERS = ("users", "internals", "adding")
PAGES = [ROOT / "docs" / "index.md", ROOT / "docs" / "roadmap.md", *(page for name in FOLDERS for page in sorted((ROOT / "docs" / name).glob("*.md")))]
pytestmark = pytest.mark.part(1)  # each page is another
by_name = pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.stem}")


def has_cpp(path: Path) -> bool:
    return any(block.is_run and docs_pages.has_cpp(block) for block in docs_pages.blocks_of(path))


@by_name
def test_all_blocks_are_of_a_known_kind(path):
    for block in docs_pages.blocks_of(path):
        block.check_kind()


@by_name
def test_lines_of_prose_end_at_100_characters(path):
    fences = docs_pages.FENCE.sub("", path.read_text())
    assert [line for line in fences.splitlines() if len(line) > 100 and not line.startswith(("|", "```", ":::"))] == []


@by_name
def test_python(path):
    forget_users_backends()  # which pages tell of
    docs_pages.run_page(path, docs_pages.Outputs(write=False))


@pytest.mark.parametrize("path", [path for path in PAGES if has_cpp(path)], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_cpp(path, tmp_path):
    docs_pages.run_cpp(path, docs_pages.compile_cpp(path, tmp_path), docs_pages.Outputs(write=False))


def test_pages_of_internals_are_short():
    pages = [path for path in PAGES if path.parent.name == "internals"]
    assert len(pages) >= 20
    assert {path.stem: lines for path in pages if (lines := path.read_text().count("\n")) > 200} == {}


def test_each_subject_has_a_figure_and_an_example():
    pages = [path for path in PAGES if path.parent.name == "internals"]
    blocks = {path.stem: docs_pages.blocks_of(path) for path in pages}
    assert {name for name, found in blocks.items() if not any(block.how == "figure" for block in found)} == set()
    assert {name for name, found in blocks.items() if not any(block.is_run and block.language != "table" for block in found)} == set()


def test_first_block_of_the_readme():
    block = docs_pages.blocks_of(ROOT / "README.md")[0]
    names: dict[str, Any] = {"__name__": "readme"}
    docs_pages.run_python(block, names, docs_pages.Outputs(write=False))
    x, y = numpy.ones((3, 4)), numpy.ones((3, 5))
    assert numpy.asarray(names["outer_sum"](fastnp.array(x), fastnp.array(y))).tolist() == [20.0, 20.0, 20.0]


def test_each_environment_variable_that_is_read_is_told():
    files = [path for folder in ("src", "python", "cuda") for kind in ("*.cpp", "*.h", "*.py") for path in (ROOT / folder).rglob(kind)]
    read = {name for path in files for name in re.findall(r"(?:getenv|environ\.get|environ)[(\[]\"(FASTNP_\w+)\"", path.read_text())}
    page = (ROOT / "docs" / "users" / "environment-variables.md").read_text()
    assert len(read) >= 7
    assert {name for name in read if f"| {name} |" not in page} == set()


def test_each_error_of_its_own_is_told():
    page = (ROOT / "docs" / "users" / "debugging.md").read_text()
    names = {name for name in fastnp.compiler.__all__ if name.endswith(("Error", "Warning"))}
    assert len(names) >= 6
    assert {name for name in names if f"\n### {name}\n" not in page} == set()


def page_of(tmp_path: Path, text: str) -> Path:
    page = tmp_path / "page.md"
    page.write_text(text)
    return page


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected"),
        ("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", "got\n2"),
        ("```python\nprint(1 + 1)\n```\n", "does not show"),
        ("```python (raises ValueError)\n1 + 1\n```\n", "raises no ValueError"),
        ("```python (FASTNP_NUM_THREADS=1)\nimport os\nprint(os.environ['FASTNP_NUM_THREADS'])\n```\n```text\n2\n```\n", "got\n1"),
        ("```python\nx = np.ones(3)\n```\n\n| NumPy | fastnp |\n|---|---|\n| `np.ones(3)` | `np.zeros(3)` |\n", "np.ones"),
    ],
)
def test_what_is_wrong_is_found(tmp_path, text, told):
    page = page_of(tmp_path, "```python\nimport fastnp as np\n```\n\n" + text)
    with pytest.raises(docs_pages.Wrong, match=told):
        docs_pages.run_page(page, docs_pages.Outputs(write=False))


@pytest.mark.parametrize("info", ["", "python (later)", "sh", "text", "rust", "cpp (skip)"])
def test_a_block_that_is_not_run_says_why(tmp_path, info):
    page = page_of(tmp_path, f"prose\n\n```{info}\n1\n```\n")
    with pytest.raises(docs_pages.Wrong):
        for block in docs_pages.blocks_of(page):
            block.check_kind()


def test_a_header_that_a_page_uses_and_does_not_include_is_missed(tmp_path):
    page = page_of(tmp_path, "```cpp\nint main() { std::deque<int> all; }\n```\n")
    with pytest.raises(docs_pages.Wrong, match="deque"):
        docs_pages.compile_cpp(page, tmp_path)


def test_output_is_written_into_a_page(tmp_path):
    page = page_of(tmp_path, "```python\nprint('a')\n```\n\n```text\n```\n\n```python\nprint('b')\n```\n\n```text\nc\n```\n")
    outputs = docs_pages.Outputs(write=True)
    docs_pages.run_page(page, outputs)
    outputs.save(page)
    assert page.read_text().count("text\na\n```") == page.read_text().count("text\nb\n```") == 1
