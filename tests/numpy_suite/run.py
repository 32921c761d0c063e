"""NumPy's own tests, those of the installed package, with fastnp in NumPy's place.

    python tests/numpy_suite/run.py                          all in numeric scope, with leave to fall back to NumPy
    python tests/numpy_suite/run.py --error                  what would be left to NumPy is an error
    python tests/numpy_suite/run.py --files _core/test_umath.py lib/test_nanfunctions.py
    python tests/numpy_suite/run.py --files linalg/          all of a folder
    python tests/numpy_suite/run.py --write                  and notes in passing.txt what passes, for tests/python/test_numpy_suite.py

The files are copied to build/numpy_suite with their imports of NumPy changed to fastnp; what they take of its insides, and numpy.testing, stays.
scope.py says what is left out. Each file runs in a process of its own: one that crashes or hangs costs the test that it was at. The last line counts.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy
import scope

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NUMPY = Path(numpy.__file__).parent
FILE_SECONDS = 1800
CHANGES = [
    (re.compile(r"^(\s*)import numpy as np$", re.MULTILINE), r"\1import fastnp as np\n\1import numpy as _numpy"),
    (re.compile(r"^(\s*)import numpy$", re.MULTILINE), r"\1import fastnp as numpy"),
    (re.compile(r"^(\s*)from numpy import ", re.MULTILINE), r"\1from fastnp import "),
    (re.compile(r"^(\s*)from numpy\.(linalg|fft|random) import ", re.MULTILINE), r"\1from fastnp.\2 import "),
    (re.compile(r"^(\s*)import numpy\.(fft|random|linalg) as ", re.MULTILINE), r"\1import fastnp.\2 as "),
    (re.compile(r"^import numpy\.polynomial\.(\w+) as (\w+)$", re.MULTILINE), r"import fastnp\n\2 = fastnp.polynomial.\1"),
    (re.compile(r"^import numpy\.polynomial as ", re.MULTILINE), r"from fastnp import polynomial as "),
    (
        re.compile(r"np\._core\.umath\.__dict__\.values\(\)"),
        "(getattr(np, name) for name in _numpy._core.umath.__dict__ if hasattr(np, name))",
    ),
    (re.compile(r"\bnp\.(_core|testing|__config__)\b"), r"_numpy.\1"),  # NumPy's insides, and what the tests assert by
]


@dataclass
class Outcomes:
    """What became of a file's tests."""

    passed: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)  # what each said
    errors: dict[str, str] = field(default_factory=dict)  # of fixtures and of the collection, crashes, hangs
    skipped: set[str] = field(default_factory=set)

    @property
    def total(self) -> int:
        return len(self.passed) + len(self.failed) + len(self.errors)


def in_scope(wanted: list[str] | None = None) -> list[str]:
    """The files, as "_core/test_umath.py"; those whose names start as one of `wanted`, where that is given."""
    found = [f"{folder}/{file.name}" for folder in scope.FOLDERS for file in sorted((NUMPY / folder / "tests").glob("test_*.py"))]
    left_out = scope.files_left_out()
    return [name for name in found if name not in left_out and (wanted is None or any(name.startswith(each) for each in wanted))]


def copied(names: list[str], target: Path) -> None:
    """The files with fastnp in NumPy's place, in folders by their packages."""
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        folder, _, file = name.partition("/")
        text = (NUMPY / folder / "tests" / file).read_text()
        for found, instead in CHANGES:
            text = found.sub(instead, text)
        copy = target / name
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(text)
        data = NUMPY / folder / "tests" / "data"
        if data.is_dir():
            shutil.copytree(data, copy.parent / "data", dirs_exist_ok=True)
    # Its fixtures alone: which tests are run, watch.py says.
    theirs = (NUMPY / "conftest.py").read_text().replace("def pytest_collection_modifyitems", "def _not_used")
    (target / "conftest.py").write_text(theirs)
    (target / "pytest.ini").write_text("[pytest]\nconsider_namespace_packages = true\n")


def read(log: Path) -> Outcomes:
    """A test that started and never ended is the one that its process died at."""
    outcomes = Outcomes()
    last: dict[str, dict[str, str]] = {}
    for line in log.read_text().splitlines() if log.exists() else []:
        row = json.loads(line)
        if last.get(row["id"], row)["outcome"] not in ("failed", "error"):  # a teardown does not mend what failed
            last[row["id"]] = row
    for test, row in last.items():
        match row["outcome"]:
            case "passed":
                outcomes.passed.add(test)
            case "skipped":
                outcomes.skipped.add(test)
            case "failed":
                outcomes.failed[test] = row["message"]
            case "started":
                outcomes.errors[test] = "the process died"
            case _:
                outcomes.errors[test] = row["message"]
    return outcomes


def run_file(name: str, target: Path, *, error: bool = False, tests: list[str] | None = None) -> Outcomes:
    """Runs a file's tests, in more than one process where one dies."""
    log = target / (name.replace("/", ".") + ".jsonl")
    log.unlink(missing_ok=True)
    environment = {**os.environ, "FASTNP_SUITE_LOG": str(log), "FASTNP_FALLBACK": "error" if error else "", "FASTNP_CACHE_DIR": ""}
    environment["PYTHONPATH"] = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "watch", "--tb=short"]
    command += ["-c", str(target / "pytest.ini"), "--rootdir", str(target), *(tests or [name])]
    with (target / (name.replace("/", ".") + ".txt")).open("w") as told:
        for _ in range(20):
            before = len(read(log).errors)
            try:
                done = subprocess.run(command, cwd=target, env=environment, stdout=told, stderr=subprocess.STDOUT, timeout=FILE_SECONDS, check=False)
                ended = done.returncode
            except subprocess.TimeoutExpired:
                ended = -1
            if ended in (0, 1, 2, 5) or len(read(log).errors) == before:
                break
    outcomes = read(log)
    if not outcomes.total and not outcomes.skipped and ended not in (0, 5):
        outcomes.errors[name] = f"ended with {ended}"
    return outcomes


@dataclass
class Held:
    """A row of passing.txt."""

    passed: int
    total: int
    seconds: float


PASSING = HERE / "passing.txt"


def held() -> dict[str, Held]:
    """What passes, with leave to fall back, by file; empty for another NumPy than the one that was run."""
    lines = PASSING.read_text().splitlines() if PASSING.exists() else [""]
    if lines[0] != f"NumPy {numpy.__version__}":
        return {}
    rows = [line.split() for line in lines[1:]]
    return {name: Held(int(passed), int(total), float(seconds)) for name, passed, total, seconds in rows}


def write(found: dict[str, Held]) -> None:
    kept = {**held(), **found}
    rows = [f"{name} {each.passed} {each.total} {each.seconds:.0f}" for name, each in sorted(kept.items())]
    PASSING.write_text("\n".join([f"NumPy {numpy.__version__}", *rows]) + "\n")


def cause_of(message: str) -> str:
    return re.sub(r"0x[0-9a-f]+|\d+", "#", " | ".join(message.splitlines()[:2]))[:140]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--error", action="store_true", help="FASTNP_FALLBACK=error")
    arguments.add_argument("--files", nargs="*", help="of these alone, as _core/test_umath.py or linalg/")
    arguments.add_argument("--causes", type=int, default=40, help="how many causes are listed")
    arguments.add_argument("--write", action="store_true", help="passing.txt; not with --error")
    given = arguments.parse_args()
    target = ROOT / "build" / "numpy_suite" / ("error" if given.error else "fall_back")
    names = in_scope(given.files)
    copied(names, target)
    causes: collections.Counter[str] = collections.Counter()
    passed = total = 0
    found: dict[str, Held] = {}
    print("passed failed errors skipped file")
    for name in names:
        begin = time.monotonic()
        each = run_file(name, target, error=given.error)
        found[name] = Held(len(each.passed), each.total, time.monotonic() - begin)
        print(f"{len(each.passed):6} {len(each.failed):6} {len(each.errors):6} {len(each.skipped):7} {name}", flush=True)
        causes.update(cause_of(message) for message in (*each.failed.values(), *each.errors.values()))
        passed, total = passed + len(each.passed), total + each.total
    if given.write and not given.error:
        write(found)
    for cause, count in causes.most_common(given.causes):
        print(f"{count:6} {cause}")
    print(f"{passed} of {total} pass ({100 * passed / max(total, 1):.2f} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
