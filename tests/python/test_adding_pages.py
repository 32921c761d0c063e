"""The maintainers' pages: each file and name that they mention exists, and each line of a checklist in docs/adding has its sample where it says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import docs_pages
import pytest

ROOT = docs_pages.ROOT
PAGES = sorted((ROOT / "docs" / "adding").glob("*.md"))
SOURCES = ("src", "include", "python", "cuda", "cmake", "numpy_compat", "tests")
KINDS = {".h", ".cpp", ".def", ".py", ".pyi", ".inc", ".cmake", ".S"}
FILE = re.compile(r"[\w./-]+\.(?:h|cpp|def|py|pyi|inc|cmake|txt)")
INTERNALS = sorted((ROOT / "docs" / "internals").glob("*.md"))
pytestmark = pytest.mark.part(1)  # each page is another
by_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
by_each = pytest.mark.parametrize("path", [*PAGES, *INTERNALS], ids=lambda path: f"{path.parent.name}/{path.stem}")


@cache
def sources() -> dict[str, str]:
    files = (path for folder in SOURCES for path in (ROOT / folder).rglob("*") if path.suffix in KINDS)
    return {str(path.relative_to(ROOT)): path.read_text(errors="ignore") for path in files if path.is_file()}


@cache
def words() -> frozenset[str]:
    texts = (text for name, text in sources().items() if name != "tests/python/test_adding_pages.py")
    return frozenset(word for text in texts for word in re.findall(r"\w+", text)) | {Path(name).stem for name in sources()}


@cache
def endings() -> frozenset[str]:
    """What a file may be called: by the end of its path, from any folder on."""
    parts = [name.split("/") for name in sources()]
    return frozenset("/".join(each[i:]) for each in parts for i in range(len(each)))


def rows_of(path: Path) -> list[tuple[int, list[str]]]:
    """(line, cells) of each row of a table, headers left out."""
    found = []
    lines = path.read_text().splitlines()
    for i, line in enumerate(lines):
        is_row = line.startswith("|") and not line.startswith("|---") and not (i + 1 < len(lines) and lines[i + 1].startswith("|---"))
        if is_row:
            found.append((i + 1, [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]))
    return found


def spans_of(text: str) -> list[str]:
    return [span.replace("\\|", "|") for span in re.findall(r"`([^`\n]+)`", text)]


def exists(name: str) -> bool:
    return (ROOT / name).exists() or name in endings()


def test_there_is_a_page_for_each_thing() -> None:
    assert {path.stem for path in PAGES} >= {"an-op", "a-reduction", "a-numpy-function", "a-dtype", "a-target", "a-loop-construct"}


@by_page
def test_each_row_has_its_sample_where_it_says(path: Path) -> None:
    rows = [(line, cells) for line, cells in rows_of(path) if len(cells) == 3]
    assert len(rows) >= 5
    for line, (_, where, sample) in rows:
        for file in spans_of(where):
            assert (ROOT / file).is_file(), f"{path}:{line}: there is no {file}"
            for text in spans_of(sample):
                assert text in (ROOT / file).read_text(), f"{path}:{line}: {file} has no {text}"


@by_each
def test_each_file_that_is_mentioned_exists(path: Path) -> None:
    text = docs_pages.FENCE.sub("", path.read_text())
    mentioned = {span for span in spans_of(text) if FILE.fullmatch(span)}
    mentioned |= {file for line in text.splitlines() if line.startswith("    ") for file in FILE.findall(line)}
    assert {file for file in mentioned if not exists(file) and not file.startswith("build/")} == set()


@by_each
def test_each_name_that_is_mentioned_exists(path: Path) -> None:
    """Names of the project: none with a part to fill in (do_<Class>), and none of the page's own examples."""
    text = path.read_text()
    own = {word for fence in docs_pages.FENCE.finditer(text) for word in re.findall(r"\w+", fence["text"])}
    names = [span for span in spans_of(docs_pages.FENCE.sub("", text)) if "<Class>" not in span and "<name>" not in span]
    unknown = {span: set(re.findall(r"[A-Za-z_]\w*", span)) - words() - own for span in names if not FILE.fullmatch(span) and not exists(span)}
    assert {span: missing for span, missing in unknown.items() if missing} == {}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("| a row | `src/ops/rules.h` | `inline constexpr Rule nothing_like_it{` |", "has no"),
        ("| a row | `src/ops/no_such_file.h` | `all` |", "there is no"),
    ],
)
def test_what_is_wrong_is_found(tmp_path: Path, row: str, told: str) -> None:
    page = tmp_path / "page.md"
    page.write_text("\n".join(["| step | where | sample |", "|---|---|---|", *[row] * 5]) + "\n")
    with pytest.raises(AssertionError, match=told):
        test_each_row_has_its_sample_where_it_says(page)
