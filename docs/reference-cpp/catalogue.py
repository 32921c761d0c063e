"""The functions that the C++ headers make of the catalogue's rows, declared with doc comments for doxygen; and the tables of NumPy's names.

    python catalogue.py header       # build/docs/cpp/catalogue.h, before doxygen
    python catalogue.py filter FILE  # a header as doxygen is to read it: with the dtypes, and without rows
    python catalogue.py tables       # docs/reference-cpp/numpy.md, of what doxygen wrote

All take what they say of dtypes, derivatives and devices from the Python package's own account of itself (list_functions.py), where it was built.
"""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OPS = ROOT / "include" / "fastnp" / "ops"
MADE = ROOT / "build" / "docs"
ROW = re.compile(r'^(MAP1|MAP2|ARGFOLD|SCAN)\((\w+), .*"((?:[^"\\]|\\.)*)"\)$', re.MULTILINE)
OPERANDS = {"MAP1": "const Operand& x", "MAP2": "const Operand& x, const Operand& y", "ARGFOLD": "const Operand& x", "SCAN": "const Operand& x"}
OPTIONS = {"MAP1": "UfuncOptions", "MAP2": "UfuncOptions", "ARGFOLD": "AxisOptions", "SCAN": "AxisOptions"}
ERRORS = {
    "UfuncOptions": "ValueError where shapes do not broadcast; TypeError for dtypes that it does not take, and casts that `casting` does not allow.",
    "AxisOptions": "AxisError for an axis out of bounds; ValueError for no elements where there is no result of none.",
}


@dataclass(frozen=True)
class Row:
    """A row of the catalogue."""

    kind: str
    name: str
    text: str

    @property
    def group(self) -> str:
        return "elementwise" if self.kind.startswith("MAP") else "reductions"


def rows() -> Iterator[Row]:
    for name in ("map.def", "fold.def"):
        for kind, op, text in ROW.findall((OPS / name).read_text()):
            yield Row(kind, op, text)


@dataclass(frozen=True)
class Account:
    """What the Python package says of a function: what it does, what it gives, and notes, as paragraphs."""

    summary: list[str]
    gives: str
    notes: list[str]

    @staticmethod
    def of(text: str) -> Account:
        parts = re.split(r"\n\n?([A-Z]\w+(?: \w+)?)\n-{3,}\n", "\n" + text)
        sections = dict(zip(parts[1::2], parts[2::2], strict=True))
        summary = [each for each in paragraphs(parts[0]) if not re.match(r"\w+\(.*\)$", each)]
        gives = " ".join(" ".join(line.split()) for line in sections.get("Returns", "").splitlines() if line.startswith(" "))
        return Account(summary, gives, paragraphs(sections.get("Notes", "")))

    def note(self, pattern: str) -> str:
        """The first sentence of a note that begins so."""
        found = next((each for each in self.notes if re.match(pattern, each)), "")
        return re.split(r"(?<=\.) ", found)[0]


def paragraphs(text: str) -> list[str]:
    return [" ".join(each.split()) for each in text.split("\n\n") if each.strip()]


def accounts() -> dict[str, Account]:
    """By name ("numpy.linalg.solve"); nothing where the package was not built."""
    path = MADE / "functions.json"
    listed = json.loads(path.read_text()) if path.exists() else {}
    return {row["name"].replace("fastnp", "numpy", 1): Account.of(row["text"]) for module in listed.values() for row in module}


def in_cpp(text: str) -> str:
    """The words of Python's account for C++: names of operands, and of dtypes that have no function to fall back to."""
    text = re.sub(r" For other dtypes \([^)]*\) NumPy's own ufunc is called\.", " TypeError for other dtypes.", text)
    text = re.sub(r"(, with| and) an? RuntimeWarning", "", text)
    text = re.sub(r" ?``[^`]*`` is (the same|another name[^.]*)\.| ?`[^`]*` is (the same|another name[^.]*)\.", "", text).strip()
    for python, cpp in (("x1", "x"), ("x2", "y"), ("None", "nothing")):
        text = re.sub(rf"\b{python}\b", cpp, text)
    return text.replace("``", "`").replace("; a scalar where that is none", "")


def comment(row: Row, account: Account | None) -> Iterator[str]:
    """The lines of a doc comment."""
    yield row.text + (f" (numpy.{row.name})" if account else "")
    if account:
        kept = [note for note in account.notes if not re.match(r"Compiled functions fuse|Has kernels of its own", note)]
        for each in (*account.summary[1:], *kept):
            yield from ("", text) if (text := in_cpp(each)) else ()
        yield ""
        yield f"\\returns {in_cpp(account.gives)}"
    yield ""
    yield f"\\throws {ERRORS[OPTIONS[row.kind]]}"


def header() -> str:
    known = accounts()
    lines = ["#pragma once", "namespace fastnp {"]
    for group in ("elementwise", "reductions"):
        lines += [f"/// \\addtogroup {group}", "/// @{", ""]
        for row in rows():
            if row.group == group:
                lines += [f"/// {line}".rstrip() for line in comment(row, known.get(f"numpy.{row.name}"))]
                lines.append(f"array {row.name}({OPERANDS[row.kind]}, const {OPTIONS[row.kind]}& options = {{}});\n")
        lines.append("/// @}")
    return "\n".join([*lines, "}"]) + "\n"


DERIVATIVES = {
    r"It has derivatives of both modes": "both modes",
    r"It moves elements": "both modes",
    r"Its result is no floating number|It is constant between steps": "zero",
    r"Its result is a constant": "constant",
    r"It has no derivative": "none: TypeError",
}
PLACES = {
    r"Compiled functions fuse it": "fused",
    r"Has kernels of its own": "kernels",
    r"A view is no work": "view",
    r".*over LAPACK or cuSOLVER": "LAPACK, cuSOLVER",
    r".*over pocketfft": "pocketfft, cuFFT",
    r".*BLAS or cuBLASLt": "BLAS, cuBLASLt",
    r"(Made of|NumPy computes it.*is made of) fastnp's own functions": "composed",
    r"In a compiled function each call makes": "made in place",
}


def first_of(account: Account, words: dict[str, str]) -> str:
    return next((word for pattern, word in words.items() if any(re.match(pattern, note) for note in account.notes)), "")


def derivative(account: Account) -> str:
    told = account.note("Derivatives?: ")
    if not told:
        return first_of(account, DERIVATIVES)
    return in_cpp(told.split(": ", 1)[1].rstrip(".")).replace("|", "\\|")


def dtypes(account: Account) -> str:
    told = account.note("Computed in ").removeprefix("Computed in ").rstrip(".")
    for long, short in (("integers of 8 to 64 bits", "integers"), ("float16, float32, float64", "floating"), ("complex64, complex128", "complex")):
        told = told.replace(long, short)
    return told.replace(", and bfloat16", "")


def filtered(path: Path) -> str:
    """A header: the enumeration of dtypes has its names; no other rows are taken in, and nothing is counted of them."""
    names = re.findall(r"^DTYPE\((\w+),", (OPS / "dtype.def").read_text(), re.MULTILINE)
    text = re.sub(r"^#define DTYPE\(.*\) name,\n#include .*", ", ".join(names), path.read_text(), flags=re.MULTILINE)
    text = re.sub(r"^/// How many dtypes there are\.\n[^;]*;\n", "", text, flags=re.MULTILINE)
    return re.sub(r'^#include "fastnp/ops/.*\.def"$', "", text, flags=re.MULTILINE)


COMPOSED = Account([], "", ["It has derivatives of both modes", "Made of fastnp's own functions"])  # all of numpy_compat


def functions_of(group: Path) -> Iterator[tuple[str, str, Account]]:
    """Functions of a group, as C++ calls them, their descriptions, and what is known of them without Python's account."""
    for member in ET.parse(group).getroot().iter("memberdef"):
        if member.get("kind") == "function":
            said = " ".join(
                " ".join(found.itertext()) for found in (member.find("briefdescription"), member.find("detaileddescription")) if found is not None
            )
            location = member.find("location")
            is_composed = location is not None and "/numpy_compat/" in location.get("file", "")
            yield (member.findtext("qualifiedname") or "").removeprefix("fastnp::"), said, COMPOSED if is_composed else Account([], "", [])


def table(group: Path, known: dict[str, Account]) -> list[str]:
    lines: dict[str, str] = {}
    for name, said, otherwise in functions_of(group):
        found = re.search(r"numpy\.[a-z_0-9.]*[a-z_0-9]", said)
        if found and name not in lines:
            account = known.get(found[0], otherwise)
            account = account if account.notes else otherwise
            lines[name] = f"| `{name}` | {found[0]} | {dtypes(account)} | {derivative(account)} | {first_of(account, PLACES)} |"
    return [lines[name] for name in sorted(lines)]


TOPICS = ("making", "elementwise", "reductions", "rearranging", "picking", "sorting", "products", "linalg", "fft")


def tables() -> str:
    known = accounts()
    text = (Path(__file__).parent / "numpy.in.txt").read_text()
    for topic in TOPICS:
        path = MADE / "doxygen" / f"group__{topic}.xml"
        title = ET.parse(path).getroot().findtext("compounddef/title")
        head = ["| C++ | NumPy | dtypes | derivative | computed by |", "|---|---|---|---|---|"]
        text += "\n".join(["", f"## {title}", "", *head, *table(path, known), ""])
    return text


def main() -> None:
    what = sys.argv[1]
    if what == "filter":
        print(filtered(Path(sys.argv[2])))
        return
    path, text = (MADE / "cpp" / "catalogue.h", header()) if what == "header" else (Path(__file__).parent / "numpy.md", tables())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


if __name__ == "__main__":
    main()
