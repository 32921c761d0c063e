"""Checks the order of the rooms: a room includes itself and rooms to its left, public headers stay free of heavy ones."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = "base dtype shape device ir ops eager trace transform pass loop codegen plan compile api".split()
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
HEAVY = ("llvm/", "cuda", "xsimd/", "Python.h", "pybind11/", "boost/")


def includes(path: Path) -> list[str]:
    return [name for _, name in INCLUDE.findall(path.read_text(encoding="utf-8"))]


def problems() -> list[str]:
    found = []
    for path in sorted((ROOT / "src").rglob("*.*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        room = path.relative_to(ROOT / "src").parts[0]
        for name in includes(path):
            other = name.split("/")[0]
            if other in ROOMS and ROOMS.index(other) > ROOMS.index(room):
                found.append(f"{path.relative_to(ROOT)}: room {room} includes {name}, which lies to its right")
            if name.startswith("llvm/") and room != "codegen":
                found.append(f"{path.relative_to(ROOT)}: {name} outside codegen")
    for path in sorted((ROOT / "include").rglob("*.h")):
        for name in includes(path):
            if name.split("/")[0] in ROOMS:
                found.append(f"{path.relative_to(ROOT)}: a public header includes {name}")
            if name.startswith(HEAVY):
                found.append(f"{path.relative_to(ROOT)}: a public header includes {name}")
            if name.startswith("xtensor/") and path.name != "xtensor.h":
                found.append(f"{path.relative_to(ROOT)}: xtensor outside xtensor.h")
    for folder in ("numpy_compat", "python", "examples"):
        for path in sorted((ROOT / folder).rglob("*.*")):
            if path.suffix in (".h", ".cpp"):
                found += [f"{path.relative_to(ROOT)}: includes {n} of src" for n in includes(path) if n.split("/")[0] in ROOMS]
    return found


if __name__ == "__main__":
    lines = problems()
    print("\n".join(lines) if lines else "the rooms include each other in order")
    sys.exit(1 if lines else 0)
