"""The debug folder: what was compiled of each function, as files.

The engine writes an entry as it is made (src/api/debug_folder.cpp); the rest is added here."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import numpy

from fastnp import _core
from fastnp._files import write_whole

_FILES = {
    "about.txt": "why it was compiled, and where it runs",
    "inputs.txt": "arguments of the call that it was made for",
    "guards.txt": "guards",
    "graph.svg": "picture of the graph",
    "graph.txt": "graph",
    "kernels.txt": "kernels",
    "memory.txt": "memory plan",
    "times.txt": "compile times",
    "llvm-emitted.ll": "LLVM before its passes",
    "llvm.ll": "LLVM",
    "code.s": "assembly",
    "code.ptx": "PTX",
    "code.sass": "SASS",
    "source.py": "source",
    "report.txt": "report as text",
    "report.json": "report as JSON",
    "environment.txt": "environment",
}


def write(folder: Path, functions: list[Any]) -> None:
    """Adds what the engine does not write of these functions, and the page that leads to all."""
    _write_functions(folder, functions)
    _write_index(folder)


def _write_functions(folder: Path, functions: list[Any]) -> None:
    for function in {id(each): each for each in functions}.values():
        path = Path(function._debug_folder() or os.devnull)
        if path.parent != folder:
            if not _tells_anything(function):
                continue
            from fastnp._compiled_functions import name_of, place_of  # where there is something to write

            path = Path(_core._claim_debug_folder(name_of(function)))
            write_whole(path / "function.txt", f"{name_of(function)}\n{place_of(function)}\n")
        _write_function(path, function)


def _tells_anything(function: Any) -> bool:
    """Of a function that nothing was compiled of as a whole: breaks, loops, or why it runs as written."""
    entries, _, reasons, _ = function._inspect(False)
    return bool(entries or reasons or function._parts() is not None)


def _write_function(path: Path, function: Any) -> None:
    from fastnp._explain import Explanation  # where there is something to write
    from fastnp._report import text_of
    from fastnp._report_page import page

    told = Explanation(function, None)
    data = told.data(False)
    if data["source"] is not None:
        write_whole(path / "source.py", "\n".join(each["text"] for each in data["source"]["lines"]) + "\n")
    environment = path / "environment.txt"
    written = environment.read_text(encoding="utf-8", errors="replace")
    if "python:" not in written:
        write_whole(environment, f"{written}python: {platform.python_version()}, numpy {numpy.__version__}\nsystem: {platform.platform()}\n")
    _write_loops(path, function)
    for entry in sorted(each for each in path.glob("entry-*") if each.is_dir()):
        _write_entry(entry)
    write_whole(path / "report.txt", text_of(data) + "\n")
    write_whole(path / "report.json", told.json(indent=1, measure=False) + "\n")
    links = [(each.relative_to(path).as_posix(), _title(each, path)) for each in _listed(path)]
    write_whole(path / "index.html", page(data, links))


def _listed(path: Path) -> Iterator[Path]:
    """The files beside a page, those of a function first."""
    for within in (path, *sorted((each for each in path.glob("entry-*") if each.is_dir()), key=lambda each: int(each.name[6:]))):
        yield from (
            each for each in sorted(within.iterdir()) if each.is_file() and each.suffix != ".part" and each.name not in ("index.html", "function.txt")
        )


def _title(file: Path, path: Path) -> str:
    passed = re.fullmatch(r"graph-(\d+)-(.+)\.txt", file.name)
    what = _FILES.get(file.name, file.name)
    if passed:
        what = "graph as recorded" if passed[2] == "recorded" else f"graph after {passed[2]}"
    return what if file.parent == path else f"{file.parent.name}: {what}"


def _write_loops(path: Path, function: Any) -> None:
    parts = function._parts()
    for loop in [] if parts is None else parts.told():
        for number, (steps, native) in enumerate(zip(loop.programs, loop.natives, strict=True)):
            name = f"loop-{loop.lines}" + (f"-{number}" if number else "")
            write_whole(path / f"{name}.txt", steps)
            write_whole(path / f"{name}.ll", native.llvm())


def _write_entry(entry: Path) -> None:
    graph, ptx = entry / "graph.txt", entry / "code.ptx"
    if graph.exists() and not (entry / "graph.svg").exists():
        from fastnp._pictures import picture  # where there is something to draw

        write_whole(entry / "graph.svg", picture(graph.read_text(encoding="utf-8")))
    if ptx.exists() and not (entry / "code.sass").exists():
        assembled = _sass(ptx)
        if assembled:
            write_whole(entry / "code.sass", assembled)


def _sass(ptx: Path) -> str:
    """What the device's assembler makes of PTX; empty where its tools are not there, or do not take it."""
    ptxas, disassembler = shutil.which("ptxas"), shutil.which("nvdisasm") or shutil.which("cuobjdump")
    target = re.search(r"^\s*\.target\s+(\w+)", ptx.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    if ptxas is None or disassembler is None or target is None:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "code.cubin")
        options = [] if disassembler.endswith("nvdisasm") else ["-sass"]
        try:
            subprocess.run([ptxas, f"-arch={target[1]}", str(ptx), "-o", cubin], check=True, capture_output=True, timeout=120)
            return subprocess.run([disassembler, *options, cubin], check=True, capture_output=True, text=True, timeout=120).stdout
        except (OSError, subprocess.SubprocessError):
            return ""


def _write_index(folder: Path) -> None:
    """Leads to the functions, those of other processes included."""
    from fastnp._report_page import STYLE, whole  # where a page is written

    rows = []
    for path in sorted(each for each in folder.iterdir() if (each / "function.txt").exists()):
        name, place, *_ = [*(path / "function.txt").read_text(encoding="utf-8", errors="replace").splitlines(), "", ""]
        link = f"{path.name}/index.html" if (path / "index.html").exists() else f"{path.name}/"
        entries = sum(each.is_dir() for each in path.glob("entry-*"))
        rows.append(f'<tr><td><a href="{escape(link)}">{escape(name)}</a></td><td><code>{escape(place)}</code></td><td class="num">{entries}</td></tr>')
    heads = "<tr><th>function</th><th>place</th><th class=num>entries</th></tr>"
    body = f"<h1>Compiled functions</h1><table><thead>{heads}</thead><tbody>{''.join(rows)}</tbody></table>"
    write_whole(folder / "index.html", whole("fastnp: compiled functions", f'{STYLE}<div class="fastnp-report">{body}</div>'))
