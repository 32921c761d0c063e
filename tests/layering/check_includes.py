"""Checks who includes whom: a room includes itself and rooms to its left, public headers stay light, LLVM stays in codegen (and cuda)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
HEAVY = ("llvm/", "cuda", "xsimd/", "Python.h", "pybind11/", "boost/", "cblas.h", "pocketfft", "x86simdsort")


def rooms() -> list[str]:
    """From left to right, as the build lists them."""
    listed = re.search(r"set\(FASTNP_ROOMS ([^)]*)\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    assert listed, "CMakeLists.txt does not set FASTNP_ROOMS"
    return listed[1].split()


ROOMS = rooms()


def files(folder: str) -> Iterator[Path]:
    return (path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".h", ".cpp", ".def", ".inc"))


def includes(path: Path) -> list[tuple[bool, str, str]]:
    """(quoted, first folder, name) of each include."""
    return [(mark == '"', name.split("/")[0], name) for mark, name in INCLUDE.findall(path.read_text(encoding="utf-8"))]


def of_source(path: Path) -> Iterator[str]:
    room = path.relative_to(ROOT / "src").parts[0]
    if room not in ROOMS:
        yield f"{room} is not a room"
        return
    for quoted, folder, name in includes(path):
        if quoted and folder in ROOMS and ROOMS.index(folder) > ROOMS.index(room):
            yield f"room {room} includes {name}, which lies to its right"
        elif quoted and not (name.count("/") and (folder in ROOMS or folder == "fastnp")):
            yield f'includes "{name}", which names no room'
        elif name.startswith("llvm/") and room != "codegen":
            yield f"includes {name} outside codegen"
        elif name.startswith("fastnp/xtensor"):
            yield f"includes {name}, which is for users"


def of_cuda(path: Path) -> Iterator[str]:
    for quoted, folder, name in includes(path):
        if name.startswith("cuda") or (quoted and name.count("/") and folder not in (*ROOMS, "fastnp")):
            yield f"cuda includes {name}: the driver is found at run time"


def of_public(path: Path) -> Iterator[str]:
    for quoted, folder, name in includes(path):
        if name.startswith(HEAVY) or (quoted and folder != "fastnp"):
            yield f"a public header includes {name}"
        elif name.startswith("xtensor/") and path.name != "xtensor.h":
            yield "xtensor outside xtensor.h"


def of_user(path: Path) -> Iterator[str]:
    return (f"includes {name} of src" for quoted, folder, name in includes(path) if quoted and folder in ROOMS)


def problems() -> Iterator[str]:
    for folder, rule in (
        ("src", of_source),
        ("cuda", of_cuda),
        ("include", of_public),
        ("numpy_compat", of_user),
        ("python", of_user),
        ("examples", of_user),
    ):
        for path in files(folder):
            yield from (f"{path.relative_to(ROOT)}: {problem}" for problem in rule(path))


if __name__ == "__main__":
    found = list(problems())
    print("\n".join(found) if found else "the rooms include each other in order")
    sys.exit(1 if found else 0)
