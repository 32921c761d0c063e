"""clang-tidy over src/, many files of a room at a time: most of its time goes into the headers, which it then reads once for all of them.

Its one argument is a build folder with compile_commands.json. Files that mean different things by a name (in unnamed namespaces, by `using`) are read
apart; where that is not seen here, clang says so, and the unit is read in halves.

What a unit was found right with is noted in the user's cache folder ($XDG_CACHE_HOME/fastnp/tidy), so that it is not read again, in another clone either.
"""

from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import functools
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "cmake"))
import units  # noqa: E402

MOST_FILES = 16  # more save no time, and leave one processor with the last unit
OURS = re.compile(r'^ *#include "([\w/.]+)"', re.MULTILINE)
FOUND_RIGHT = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "fastnp" / "tidy"
CLASH = "[clang-diagnostic-error"


@dataclasses.dataclass(frozen=True)
class Unit:
    """Files of a room that are compiled in one way, and can be read together."""

    room: str
    command: tuple[str, ...]
    files: list[Path]

    @property
    def size(self) -> int:
        return sum(file.stat().st_size for file in self.files)


@functools.cache
def included_by(file: Path) -> list[Path]:
    """The files of the project that a file includes itself."""
    found = []
    for name in OURS.findall(file.read_text()):
        places = (folder / name for folder in (file.parent, ROOT / "src", ROOT / "include", ROOT))
        found += [place.resolve() for place in places if place.is_file()][:1]
    return found


def files_read_by(unit: Unit) -> list[Path]:
    """All files of the project that are read with a unit."""
    found: set[Path] = set()
    left = list(unit.files)
    while left:
        file = left.pop()
        if file not in found:
            found.add(file)
            left += included_by(file)
    return sorted(found)


@functools.cache
def tool() -> str:
    """What reads the units, and what it looks for."""
    version = subprocess.run(["clang-tidy-19", "--version"], capture_output=True, text=True, check=True).stdout
    return version + (ROOT / ".clang-tidy").read_text() + Path(__file__).read_text()


def key_of(unit: Unit) -> str:
    """Another one for whatever may change what is said of a unit."""
    parts = [tool(), shlex.join(unit.command).replace(str(ROOT), ""), *map(str, (file.relative_to(ROOT) for file in unit.files))]
    for file in files_read_by(unit):
        parts += [str(file.relative_to(ROOT)), file.read_text()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def make_units(build: Path) -> list[Unit]:
    alike: dict[tuple[str, ...], list[Path]] = collections.defaultdict(list)
    for entry in sorted(json.loads((build / "compile_commands.json").read_text()), key=lambda entry: entry["file"]):
        file = Path(entry["file"])
        if file.is_relative_to(ROOT / "src"):
            alike[tuple(without_output(shlex.split(entry["command"]))[:-1])].append(file)
    found = [Unit(unit.files[0].parent.name, command, unit.files) for command, files in alike.items() for unit in units.units(files, MOST_FILES)]
    return sorted(found, key=lambda unit: unit.size, reverse=True)


def without_output(words: list[str]) -> list[str]:
    """A command to compile a file, which comes last, without what it is compiled to."""
    at = words.index("-o")
    words = words[:at] + words[at + 2 :]
    assert words[-2] == "-c"
    return words


def tidy(unit: Unit, files: list[Path], folder: Path) -> tuple[bool, str]:
    """Whether nothing is wrong with these files of a unit, and what was said."""
    name = f"{unit.room}-{files[0].stem}-{len(files)}"
    (folder / name).mkdir(parents=True, exist_ok=True)
    source = folder / name / "unit.cpp"
    # Source files that are included are what that check is against, and what a unit is.
    source.write_text("".join(f'#include "{file}"  // NOLINT(bugprone-suspicious-include)\n' for file in files))
    (source.parent / "compile_commands.json").write_text(
        json.dumps([{"directory": str(folder), "file": str(source), "command": shlex.join([*unit.command, str(source)])}])
    )
    command = ["clang-tidy-19", "-quiet", f"--config-file={ROOT / '.clang-tidy'}", "-p", str(source.parent), "-extra-arg=-w"]
    command.append(f"-header-filter=^{re.escape(str(ROOT))}/(include/fastnp|src)/")
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    if CLASH in done.stdout and len(files) > 1:
        middle = len(files) // 2
        halves = [tidy(unit, part, folder) for part in (files[:middle], files[middle:])]
        return all(good for good, _ in halves), f"{name} in halves\n" + "".join(said for _, said in halves)
    good = done.returncode == 0
    return good, f"{'ok    ' if good else 'FAILED'} {name}\n" + ("" if good else done.stdout + done.stderr)


def tidy_once(unit: Unit, folder: Path) -> tuple[bool, str]:
    """As tidy() says, unless that was found right before."""
    note = FOUND_RIGHT / key_of(unit)
    if note.exists():
        return True, f"before {unit.room}-{unit.files[0].stem}-{len(unit.files)}\n"
    good, said = tidy(unit, unit.files, folder)
    if good:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.touch()
    return good, said


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for good, said in pool.map(lambda unit: tidy_once(unit, build / "tidy"), make_units(build)):
            print(said, end="", flush=True)
            failed += not good
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
