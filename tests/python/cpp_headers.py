"""fastnp's headers, compiled before the programs of tests: once for a compiler and their content, in build/docs-pch, for all processes of pytest-xdist."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import time
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
MADE = ROOT / "build" / "docs-pch"
# These alone, which docs_pages.cpp_program() gives each program anyway: what else a page uses, it includes itself, and does not compile where it forgets.
TEXT = "#include <fastnp/fastnp.h>\n#include <iostream>\n"
FLAGS = ["-std=c++20", "-O0", f"-I{INCLUDE}"]
KEPT = 3600.0  # seconds for which headers of another content stay: another process may read them


def _is_clang(compiler: str) -> bool:
    return "clang" in Path(compiler).name


def _key(compiler: str) -> str:
    """Of the compiler, by any of its names, of how it is called, and of all that is in the headers."""
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.split(maxsplit=1)[1]
    found = hashlib.sha256("\n".join([version, *FLAGS, TEXT]).encode())
    for path in sorted(INCLUDE.rglob("*.h")):
        found.update(f"\n{path.relative_to(INCLUDE)}\n".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def _make(compiler: str, made: Path, key: str) -> None:
    """The header and its compiled form, which appears when it is complete."""
    made.parent.mkdir(exist_ok=True)
    header, new = made.parent / "before.h", made.with_suffix(".new")
    header.write_text(TEXT)
    # The key has the content: clang need not ask for the times of files, which a checkout changes.
    own = ["-Xclang", "-fno-pch-timestamp"] if _is_clang(compiler) else []
    subprocess.run([compiler, *FLAGS, *own, "-x", "c++-header", str(header), "-o", str(new)], check=True)
    Path(f"{made}.sum").write_text(key)  # for ccache, instead of all that is in the file
    new.rename(made)


@cache
def options(compiler: str) -> tuple[str, ...]:
    """The arguments by which a compiler takes the compiled headers first. With FLAGS before them: g++ takes them for the same flags only."""
    kind, ending = ("clang", "pch") if _is_clang(compiler) else ("gcc", "h.gch")
    key = _key(compiler)
    made = MADE / f"{kind}-{key}" / f"before.{ending}"
    MADE.mkdir(parents=True, exist_ok=True)
    with open(MADE / f"{kind}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            for old in MADE.glob(f"{kind}-*"):
                if old.stat().st_mtime < time.time() - KEPT:
                    shutil.rmtree(old, ignore_errors=True)
            _make(compiler, made, key)
    if kind == "clang":
        return ("-include-pch", str(made))
    return ("-fpch-preprocess", "-Winvalid-pch", "-include", str(made.with_suffix("")))  # the first, for ccache


def environment() -> dict[str, str]:
    """In which ccache knows a program again that is compiled with compiled headers."""
    return os.environ | {"CCACHE_SLOPPINESS": "pch_defines,time_macros", "CCACHE_PCH_EXTSUM": "1"}
