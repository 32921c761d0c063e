"""Wrong uses of the C++ API, each told by one line with words of fastnp's, and the line that is wrong; beside each, the use that is right.

Also the examples of the doc comments of the headers, which compile, and the pages of the C++ reference, whose examples run.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cpp_headers
import docs_pages
import pytest

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference-cpp"
INCLUDE = ROOT / "include"
COMPILERS = [name for name in ("g++-12", "clang++-19") if shutil.which(name)]
MOST_LINES = 30  # that a compiler prints of one error, most of them of where it is used and of the line's own text

pytestmark = pytest.mark.skipif(not COMPILERS, reason="neither g++ 12 nor clang 19 is here")

TEXT = (Path(__file__).parent / "cpp_uses.txt").read_text()
HEADERS = "#include <fastnp/fastnp.h>\n#include <iostream>\n#include <map>\n#include <memory>\n#include <string>\nusing namespace fastnp;\n"


@dataclass(frozen=True)
class Use:
    """A wrong use, the words that its error has, and a right one (cpp_uses.txt)."""

    name: str
    wrong: str
    words: str
    right: str


USES = [Use(*found) for found in re.findall(r"^// (.*)\nwrong (.*)\ntold  (.*)\nright (.*)$", TEXT, re.MULTILINE)]
TYPES = re.search(r"^// before\n(.*?)\n\n", TEXT, re.MULTILINE | re.DOTALL)
BEFORE = f"{HEADERS}{TYPES[1] if TYPES else ''}\nvoid program(array x) {{\n"


def command(compiler: str) -> list[str]:
    """That compiles the rest of the line, with the headers compiled before."""
    own = [] if compiler.startswith("g++") else ["-ferror-limit=0"]
    return [compiler, *cpp_headers.FLAGS, "-w", "-fsyntax-only", *cpp_headers.options(compiler), *own]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Of the programs."""
    return tmp_path_factory.mktemp("cpp")


def told(compiler: str, folder: Path, name: str, text: str) -> list[str]:
    """What the compiler says of a program's text, line by line."""
    path = folder / f"{compiler}_{name}.cpp"
    path.write_text(text)
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    return subprocess.run([*command(compiler), str(path)], capture_output=True, text=True, env=environment).stderr.splitlines()


def batches() -> list[list[Use]]:
    """The uses, so that each of a batch has words of its own."""
    made: list[list[Use]] = []
    for use in USES:
        free = [batch for batch in made if all(use.words not in other.words and other.words not in use.words for other in batch)]
        if not free:
            made.append(free_batch := [])
            free = [free_batch]
        free[0].append(use)
    return made


def parts_of(compiler: str, lines: list[str]) -> list[list[str]]:
    """What belongs to each error: what is behind it, of g++ what is before it (where it comes from)."""
    starts = [number for number, line in enumerate(lines) if "error:" in line]
    if compiler.startswith("g++"):
        ends = [start + 1 for start in starts]
        return [lines[first:last] for first, last in zip([0, *ends[:-1]], ends, strict=True)]
    return [lines[first:last] for first, last in zip(starts, [*starts[1:], len(lines)], strict=True)]


def problems_of(compiler: str, folder: Path, number: int, batch: list[Use]) -> list[str]:
    """What is wrong with what a compiler says of wrong uses, a line each."""
    lines = told(compiler, folder, f"wrong_{number}", BEFORE + "".join(f"{{ {use.wrong} }}\n" for use in batch) + "}\n")
    parts = parts_of(compiler, lines)
    found = [] if len(parts) == len(batch) else [f"{len(parts)} errors of {len(batch)} uses"]
    for place, use in enumerate(batch, BEFORE.count("\n") + 1):
        own = [part for part in parts if any("error:" in line and use.words in line for line in part)]
        if len(own) != 1:
            found.append(f"{use.name}: told {len(own)} times")
        elif not any(f"wrong_{number}.cpp:{place}:" in line for line in own[0]):
            found.append(f"{use.name}: the line is not named")
        elif len(own[0]) > MOST_LINES:
            found.append(f"{use.name}: {len(own[0])} lines")
    return found


@pytest.mark.parametrize("compiler", COMPILERS)
def test_wrong_uses_are_told_in_one_line(compiler, folder):
    with ThreadPoolExecutor(2) as pool:
        problems = list(pool.map(lambda item: problems_of(compiler, folder, *item), enumerate(batches())))
    assert sum(problems, []) == []


@pytest.mark.parametrize("compiler", COMPILERS)
def test_right_uses_compile(compiler, folder):
    blocks = "".join(f"{{ // {use.name}\n{use.right}\n}}\n" for use in USES)
    assert told(compiler, folder, "right", f"{BEFORE}{blocks}}}\n") == []


def examples() -> list[str]:
    """Those of the doc comments: lines that are indented by five spaces behind `///`."""
    found: list[str] = []
    for path in sorted(INCLUDE.rglob("*.h")):
        for block in re.findall(r"^ */// *\n((?: */// {5,}.*\n)+)", path.read_text(), re.MULTILINE):
            found.append(re.sub(r"^ */// {5}", "", block, flags=re.MULTILINE))
    return found


def test_examples_of_doc_comments_compile(folder):
    """Their names are those of the comment, or of everybody."""
    names = "array weights, data, x, n; Model model; (void)weights; (void)data; (void)n;\n"
    blocks = "".join(f"{{\n{names}{{\n{example}}}\n}}\n" for example in examples())
    assert len(examples()) > 20
    assert told(COMPILERS[0], folder, "examples", f"{BEFORE}{blocks}}}\n") == []


PAGES = [path for path in sorted(REFERENCE.glob("*.md")) if path.stem not in ("index", "numpy")]


def test_each_group_of_functions_has_a_page():
    groups = re.findall(r"\\defgroup (\w+)", (INCLUDE / "fastnp" / "fastnp.h").read_text())
    listed = (REFERENCE / "index.md").read_text().split("```{toctree}")[1].split()
    assert len(groups) > 15
    assert [group for group in groups if group not in listed or f"{{doxygengroup}} {group}\n" not in (REFERENCE / f"{group}.md").read_text()] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_examples_of_pages_run(path, tmp_path):
    program = docs_pages.compile_cpp(path, tmp_path)
    assert program is not None
    docs_pages.run_cpp(path, program, docs_pages.Outputs(write=False))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_lines_of_prose_end_at_100_characters(path):
    prose = docs_pages.FENCE.sub("", path.read_text())
    assert [line for line in prose.splitlines() if len(line) > 100 and not line.startswith(("|", "```"))] == []
