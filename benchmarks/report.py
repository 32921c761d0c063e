"""Measures fastnp beside its peers, and writes what was measured down: as JSON, and of that as tables and a picture.

    python benchmarks/run.py --report [--parts cpu,gradients] [--rounds 15]   measures, then writes
    python benchmarks/run.py --report --from FILE...                          writes from what was measured

Parts: cpu, gradients and loops; cuda and linalg where there is a CUDA device. Each has a process of its own, in which the libraries that are installed
take turns. The figures go to benchmarks/results/MACHINE-DATE.json (--json names another file). Parts that are in that file already, and are not
measured again, stay. Then benchmarks/RESULTS.md and benchmarks/speed.svg are made: of the files that --from names, else of all in benchmarks/results.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import charts
import tables

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"


def environment(part: str, folder: str) -> dict[str, str]:
    """Nothing compiled is kept from earlier runs; what is of the processor sees no device."""
    caches = {name: f"{folder}/{name}" for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH")}
    made = {**os.environ, "FASTNP_CACHE_DIR": "", "PYTHONUNBUFFERED": "1", **caches}
    if part not in ("cuda", "linalg"):
        made |= {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
    return made


def measured(part: str, options: argparse.Namespace) -> dict[str, Any] | None:
    """None, with its output above, if it failed."""
    print(f"--- {part}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "part.json"
        command = [sys.executable, str(HERE / "parts.py"), part, "--out", str(out)]
        for name in ("only", "libraries", "rounds", "patience"):
            command += [f"--{name}", str(getattr(options, name))]
        done = subprocess.run(command, env=environment(part, folder), check=False)
        if done.returncode != 0 or not out.exists():
            print(f"{part} failed ({done.returncode})", flush=True)
            return None
        found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return found


def text_of(document: dict[str, Any]) -> str:
    """JSON, a list of numbers a line."""
    text = json.dumps(document, indent=1, ensure_ascii=False)
    return re.sub(r"\[[-\d.e+,\s]+\]", lambda numbers: re.sub(r"\s+", " ", numbers[0]).replace("[ ", "[").replace(" ]", "]"), text) + "\n"


def has_device() -> bool:
    import fastnp

    return bool(fastnp.cuda.is_available())


def measure(options: argparse.Namespace) -> tuple[Path, list[str]]:
    """The file of figures, and the parts that failed."""
    import machine

    found, date = machine.description(), datetime.date.today().isoformat()
    versions = machine.versions()
    path = Path(options.json) if options.json else RESULTS / f"{machine.slug(found)}-{date}.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"machine": found, "parts": {}}
    if before["machine"]["processor"] != found["processor"] or before["machine"]["cores"] != found["cores"]:
        raise SystemExit(f"{path} has figures of another machine")
    parts: dict[str, Any] = before["parts"]
    asked = options.parts.split(",") if options.parts else ["cpu", "gradients", "loops", *(["cuda", "linalg"] if has_device() else [])]
    failed = []
    path.parent.mkdir(parents=True, exist_ok=True)
    for name in asked:
        part = measured(name, options)
        if part is None:
            failed.append(name)
            continue
        parts[name] = {"date": date, "fastnp": versions["fastnp"]} | part
        ordered = {each: parts[each] for each in tables.TITLES if each in parts}
        path.write_text(text_of({"date": date, "machine": found, "versions": versions, "parts": ordered}), encoding="utf-8")
    return path, failed


def newest_last(files: Iterable[Path]) -> list[Path]:
    """By the dates in their names."""
    return sorted(files, key=lambda path: (path.stem[-10:], path.stem))


def committed() -> list[Path]:
    return newest_last(RESULTS.glob("*.json"))


def write(files: list[Path], folder: Path) -> None:
    """Tables of all, the newest first, and the picture."""
    documents = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in reversed(files)}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "RESULTS.md").write_text(tables.page(documents), encoding="utf-8")
    picture = charts.picture(list(documents.values()))
    if picture:
        (folder / "speed.svg").write_text(picture, encoding="utf-8")


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", nargs="+", type=Path, dest="files", help="files of figures; nothing is measured")
    parser.add_argument("--parts", default="", help="separated by commas")
    parser.add_argument("--only", default="", help="rows, separated by commas")
    parser.add_argument("--libraries", default="", help="separated by commas; fastnp, and all peers that are installed")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--patience", type=float, default=120, help="seconds for a library's first result; 0: for ever")
    parser.add_argument("--json", help="the file of figures")
    parser.add_argument("--to", type=Path, default=HERE, help="the folder of RESULTS.md and speed.svg")
    options = parser.parse_args(words)
    failed: list[str] = []
    files = options.files
    if not files:
        path, failed = measure(options)
        files = [path] if options.json else committed()
    if files:
        write(newest_last(files), options.to)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")
