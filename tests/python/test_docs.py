"""The Python blocks of the users' pages and of the README are run; what a comment or a prompt says they show, they show.

A page's blocks share their names, as a reader would type them one after the other. A line `>>> ...` is checked as doctest has it.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import numpy
import pytest

import fastnp

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "users").glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks_of(path: Path) -> list[tuple[int, str]]:
    """(line, text) of each."""
    text = path.read_text()
    return [(text.count("\n", 0, found.start()) + 2, found[1]) for found in BLOCK.finditer(text)]


def run_block(text: str, names: dict[str, Any], path: Path, line: int) -> None:
    if ">>>" in text:
        examples = doctest.DocTestParser().get_doctest(text, names, path.name, str(path), line - 1)
        examples.globs = names  # not a copy: the next block has what this one made
        told: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
        result = runner.run(examples, out=told.append, clear_globs=False)
        assert result.failed == 0, f"{path}:{line}\n" + "".join(told)
        return
    code = compile("\n" * (line - 1) + text, str(path), "exec")
    exec(code, names)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_users_page(path):
    names: dict[str, Any] = {"__name__": path.stem.replace("-", "_")}
    blocks = blocks_of(path)
    assert blocks
    for line, text in blocks:
        run_block(text, names, path, line)


def test_first_block_of_the_readme():
    line, text = blocks_of(ROOT / "README.md")[0]
    names: dict[str, Any] = {"__name__": "readme"}
    run_block(text, names, ROOT / "README.md", line)
    x, y = numpy.ones((3, 4)), numpy.ones((3, 5))
    assert numpy.asarray(names["outer_sum"](fastnp.array(x), fastnp.array(y))).tolist() == [20.0, 20.0, 20.0]


def test_a_wrong_line_of_output_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n")
    ((line, text),) = blocks_of(page)
    with pytest.raises(AssertionError, match="Expected"):
        run_block(text, {}, page, line)
