"""Which source files can be compiled together, as one unit: the headers, where most of the time goes, are then read once for all of them.

    python3 cmake/units.py MOST FILE...

prints each file with the number of its unit, for CMake (cmake/units.cmake). A unit has up to MOST files of one folder. Files that mean different things by
a name (in unnamed namespaces, by `using`, as macros) are kept apart.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterable
from pathlib import Path

# Lines in the first column: names of other namespaces, other names, and what declares something (the last name before what it is made of).
USING = re.compile(r"^using ([\w:]+::(\w+));", re.MULTILINE)
ALIAS = re.compile(r"^using (\w+) = ([^;]+);", re.MULTILINE)
UNNAMED = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
DECLARED = re.compile(r"^(?!using\b|template\b|namespace\b)[A-Za-z_][^(={;\n]*?(\w+) ?(?:\(|=|\{|;|\[)", re.MULTILINE)
MACRO = re.compile(r"^ *#define (\w+)", re.MULTILINE)
TYPE = re.compile(r"\b[A-Z]\w*\b")
COMMENT = re.compile(r"//[^\n]*")
INCLUDED = re.compile(r'^#include "(?:(\w+)/)?(\w+\.h)"', re.MULTILINE)


@functools.cache
def names_in(file: Path) -> dict[str, str]:
    """What each name means that this file alone has, or says in short; with what headers of its room declare."""
    text = file.read_text()
    is_header = file.suffix == ".h"
    blocks, meaning = ([text], file.parent) if is_header else (UNNAMED.findall(text), file)
    names = {name: str(meaning) for block in blocks for name in DECLARED.findall(block)}
    names |= {name: whole for whole, name in USING.findall(text)} | dict(ALIAS.findall(text))
    if not is_header:
        names |= {name: str(file) for name in MACRO.findall(text)}
    for folder, header in INCLUDED.findall(text):
        if folder in ("", file.parent.name) and (path := file.parent / header).exists():
            names = names_in(path) | names
    return names


@functools.cache
def words_of(file: Path) -> frozenset[str]:
    """The names of types that a file has somewhere."""
    return frozenset(TYPE.findall(COMMENT.sub("", file.read_text())))


class Unit:
    """Files that are compiled together, and what their names mean."""

    def __init__(self) -> None:
        self.files: list[Path] = []
        self.names: dict[str, str] = {}
        self.words: set[str] = set()

    def fits(self, file: Path) -> bool:
        names = names_in(file)
        if any(self.names.get(name, meaning) != meaning for name, meaning in names.items()):
            return False
        # A type that one of them names for itself, and that the other one knows by a header.
        return not any(name in words_of(file) for name in own_types(self.names) - names.keys()) and not any(
            name in self.words for name in own_types(names) - self.names.keys()
        )

    def add(self, file: Path) -> None:
        self.files.append(file)
        self.names |= names_in(file)
        self.words |= words_of(file)


def own_types(names: dict[str, str]) -> set[str]:
    return {name for name, meaning in names.items() if name[0].isupper() and not Path(meaning).is_dir()}


def units(files: Iterable[Path], most: int) -> list[Unit]:
    """The files in units, each in the first one that it fits into."""
    found: list[Unit] = []
    for file in files:
        for unit in found:
            if len(unit.files) < most and unit.files[0].parent == file.parent and unit.fits(file):
                break
        else:
            unit = Unit()
            found.append(unit)
        unit.add(file)
    return found


def main() -> None:
    for number, unit in enumerate(units([Path(name).resolve() for name in sys.argv[2:]], int(sys.argv[1]))):
        for file in unit.files:
            print(f"{file};{number}")


if __name__ == "__main__":
    main()
