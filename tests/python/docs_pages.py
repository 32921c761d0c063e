"""The pages of the site as programs: their blocks of code, in order, with the output that they are said to have.

    python docs_pages.py [--write] page.md ...     # runs pages; with --write, puts their output into them

A fence's first word says what it is, and the rest, in parentheses, how it is run:

    python                    runs; the blocks of a page share their names. `>>>` as doctest has it
    python (raises X)         ... and ends with that exception, whose kind and text are the last line of the output
    python (X=y)              ... by itself, in a process with such environment variables
    python (on a device)      ... these share their names, in a process with a simulated CUDA device
    python (jax) and the like, of another library; python (not run: why)
    cpp                       a complete program; or, without `main`, statements, which share their names in a page
    cpp (xtensor) and the like, of another library; cpp (not run: why)
    sh, cmake                 commands and files, with (not run: why)
    text                      right after a block of code: its output, where ... stands for anything
    text (what)               something else to read

Of tables, cells below the words "fastnp", "NumPy" and "C++" run, too: each piece of code in them, with the names of the page. Where both Python
columns are there, they give the same; so do those of fastnp and of xtensor in C++.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import linecache
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cpp_headers

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / "build" / "release"
FENCE = re.compile(r"^(?P<marks>`{3,})(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=marks)$\n?", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"(?:^\|.*\|$\n?)+", re.MULTILINE)
INFO = re.compile(r"(\w+)(?: \((.+)\))?")
LIBRARIES = {"jax", "numba", "torch", "cupy", "mlx", "xtensor", "eigen"}
BEGIN = "\x01block\x02"  # before what a block of C++ prints


class Wrong(AssertionError):
    """A page that is not what it says."""


@dataclass
class Block:
    """A fence, or a table of code."""

    path: Path
    line: int  # of its first line of text
    language: str
    how: str
    text: str
    place: tuple[int, int]  # of its text in the page
    after: int  # where an output is to stand
    output: Block | None = None
    rows: list[dict[str, list[str]]] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"

    @property
    def is_run(self) -> bool:
        return self.language in ("python", "cpp", "table") and self.how not in LIBRARIES and not self.how.startswith("not run: ")

    @property
    def environment(self) -> dict[str, str]:
        words = self.how.split(", ")
        return dict(word.split("=", 1) for word in words) if all("=" in word for word in words) else {}

    def check_kind(self) -> None:
        """That there is nothing which nobody would run without saying so."""
        is_said = self.how in LIBRARIES or self.how.startswith("not run: ")
        known = {
            "python": is_said or self.how in ("", "on a device") or self.how.startswith("raises ") or bool(self.environment),
            "cpp": is_said or not self.how,
            "sh": is_said,
            "cmake": is_said,
            "text": bool(self.how),
            "table": True,
        }
        if not known.get(self.language, False):
            raise Wrong(f"{self}: a block of {self.language!r} ({self.how!r}) that is not run, and does not say so")


def _table(path: Path, text: str, line: int, place: tuple[int, int]) -> Block:
    lines = [[cell.strip() for cell in re.split(r"(?<!\\)\|", each.strip()[1:-1])] for each in text.splitlines()]
    rows = [dict(zip(lines[0], [re.findall(r"`([^`]+)`", cell.replace("\\|", "|")) for cell in cells], strict=True)) for cells in lines[2:]]
    return Block(path, line, "table", "", text, place, place[1], rows=rows)


def blocks_of(path: Path) -> list[Block]:
    text = path.read_text()
    found: list[Block] = []
    for fence in FENCE.finditer(text):
        info = fence["info"].strip()
        if info.startswith("{"):
            continue
        line = text.count("\n", 0, fence.start("text")) + 1
        kind = INFO.fullmatch(info)
        if kind is None:
            raise Wrong(f"{path}:{line}: a block without a language, or one that can't be read: {info!r}")
        block = Block(path, line, kind[1], kind[2] or "", fence["text"], fence.span("text"), fence.end())
        is_output = block.language == "text" and not block.how and found and not text[found[-1].after : fence.start()].strip()
        if is_output and found[-1].language in ("python", "cpp"):
            found[-1].output = block
        else:
            found.append(block)
    fences = [fence.span() for fence in FENCE.finditer(text)]
    for table in TABLE.finditer(text):
        if any(start <= table.start() < end for start, end in fences):
            continue
        found.append(_table(path, table[0], text.count("\n", 0, table.start()) + 1, table.span()))
    return sorted(found, key=lambda block: block.place)


def matches(expected: str, got: str) -> bool:
    """Whether an output is what a page says, but for spaces at the ends of lines, and with ... for anything."""
    pattern = "\n".join(re.escape(line.rstrip()) for line in expected.strip("\n").splitlines()).replace(re.escape("..."), ".*?")
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in got.strip("\n").splitlines()), re.DOTALL) is not None


class Outputs:
    """What blocks have printed: compared, or written into the page."""

    def __init__(self, write: bool) -> None:
        self.write = write
        self.edits: list[tuple[Block, str]] = []

    def check(self, block: Block, got: str) -> None:
        if block.output is None:
            if got.strip():
                raise Wrong(f"{block}: prints what the page does not show:\n{got}")
        elif not matches(block.output.text, got):
            if not self.write:
                raise Wrong(f"{block.output}: expected\n{block.output.text}got\n{got}")
            self.edits.append((block.output, got))

    def save(self, path: Path) -> None:
        text = path.read_text()
        for block, got in sorted(self.edits, key=lambda edit: -edit[0].place[0]):
            start, end = block.place
            got = re.sub(r"\d+\.\d+ ms", "... ms", re.sub(r"\b(\w+\.(py|cpp)):\d+", r"\1:...", got))  # what changes
            body = "".join(line.rstrip() + "\n" for line in got.strip("\n").splitlines())
            text = text[:start] + body + text[end:]
        path.write_text(text)


def run_doctest(block: Block, names: dict[str, Any]) -> None:
    examples = doctest.DocTestParser().get_doctest(block.text, names, block.path.name, str(block.path), block.line - 1)
    examples.globs = names  # not a copy: the next block has what this one made
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    result = runner.run(examples, out=told.append, clear_globs=False)
    if result.failed:
        raise Wrong(f"{block}\n" + "".join(told))


def show_source(path: Path) -> str:
    """The name of a module whose source is the page's Python at the page's lines: functions are compiled from their source."""
    name = path.stem.replace("-", "_") + ".py"
    lines = [""] * path.read_text().count("\n")
    for block in blocks_of(path):
        if block.language == "python" and ">>>" not in block.text:
            here = block.text.splitlines()
            lines[block.line - 1 : block.line - 1 + len(here)] = here
    linecache.cache[name] = (sum(map(len, lines)), None, [f"{line}\n" for line in lines], name)
    return name


def execute(block: Block, names: dict[str, Any]) -> None:
    """Runs one; what it prints is printed."""
    wanted = block.how.removeprefix("raises ") if block.how.startswith("raises ") else ""
    # A module's code depends on what it imports: to this block, as to the whole page, modules of other blocks are imported.
    known = ", ".join(f"page as {name}" for name, value in names.items() if isinstance(value, types.ModuleType))
    before = (f"if 0: import {known}" if known else "") + "\n" * (block.line - 1)
    code = compile(before + block.text, show_source(block.path), "exec", dont_inherit=True)
    try:
        exec(code, names)
    except Exception as error:
        if type(error).__name__ != wanted:
            raise
        print(f"{wanted}: {error}")
    else:
        if wanted:
            raise Wrong(f"{block}: raises no {wanted}")


def run_python(block: Block, names: dict[str, Any], outputs: Outputs) -> None:
    if ">>>" in block.text:
        run_doctest(block, names)
        return
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        execute(block, names)
    outputs.check(block, said.getvalue())


def run_apart(blocks: list[Block], environment: dict[str, str], outputs: Outputs) -> None:
    """Blocks that share their names in a process of their own."""
    source = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import docs_pages; docs_pages.serve()"
    # Functions are compiled from their source, which is the page.
    work = [f"{block.path}\n{block.place[0]}" for block in blocks]
    process = subprocess.run([sys.executable, "-c", source, *work], env=os.environ | environment, capture_output=True, text=True, timeout=300)
    if process.returncode != 0:
        raise Wrong(f"{blocks[0]}: {process.stdout}{process.stderr}")
    for block, said in zip(blocks, process.stdout.split(BEGIN)[1:], strict=True):
        outputs.check(block, said)


def serve() -> None:
    """What run_apart() has another process do."""
    names: dict[str, Any] = {"__name__": "page"}
    for each in sys.argv[1:]:
        path, place = each.split("\n")
        (block,) = (block for block in blocks_of(Path(path)) if block.place[0] == int(place))
        print(end=BEGIN)
        if ">>>" in block.text:
            run_doctest(block, names)
        else:
            execute(block, names)


def same(one: Any, other: Any) -> bool:
    import numpy

    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if callable(one) or isinstance(one, type) or one is None:
        return callable(other) or other is None
    a, b = numpy.asarray(one), numpy.asarray(other)
    if a.dtype.kind in "fc":
        return a.dtype == b.dtype and a.shape == b.shape and numpy.allclose(a, b, rtol=1e-6, atol=1e-12, equal_nan=True)
    return a.dtype == b.dtype and bool(numpy.array_equal(a, b))


def run_piece(code: str, names: dict[str, Any], block: Block) -> Any:
    """One piece of a table's cell: its value, or None of a statement. The page's arrays stay as they are."""
    own = {name: value.copy() if hasattr(value, "strides") and not getattr(value, "requires_grad", False) else value for name, value in names.items()}
    try:
        try:
            tree = compile(code, str(block.path), "eval", dont_inherit=True)
        except SyntaxError:
            exec(compile(code, str(block.path), "exec", dont_inherit=True), own)
            return None
        return eval(tree, own)
    except Exception as error:
        raise Wrong(f"{block}: `{code}`: {type(error).__name__}: {error}") from error


def run_table(block: Block, names: dict[str, Any]) -> None:
    import numpy

    import fastnp

    for row in block.rows:
        if "fastnp" not in row:
            continue
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            ours = [run_piece(code, names | {"np": fastnp}, block) for code in row.get("fastnp", [])]
            if not row.get("NumPy"):
                continue
            given = {name: numpy.array(value) if type(value) is fastnp.ndarray else value for name, value in names.items()} | {"np": numpy}
            theirs = [run_piece(code, given, block) for code in row.get("NumPy", [])]
        for code, one, other in zip(row.get("NumPy", []), ours, theirs, strict=False):
            if not same(one, other):
                raise Wrong(f"{block}: `{code}` gives {other!r}, and fastnp {one!r}")


def cpp_row(row: dict[str, list[str]], block: Block) -> Iterator[str]:
    """What a row of a table does; expressions of xtensor's and of fastnp's that stand beside each other give the same."""
    ours, theirs = row.get("C++", []), row.get("xtensor", [])
    both = [pair for pair in zip(ours, theirs, strict=False) if not any(code.endswith((";", "}")) for code in pair)]
    for mine, other in both:
        yield f"{{ const xt::xarray<double> other = {other}; const array mine = array({mine}).astype(float64);\n"
        yield "  if (to_string(mine) != to_string(from_xtensor(other)))\n"
        yield f'    std::cout << "{block.path.name}:{block.line} " << mine << " is not " << from_xtensor(other) << std::endl; }}\n'
    for code in ours + theirs:
        if not any(code in pair for pair in both):
            is_statement = code.endswith((";", "}"))
            yield f"{{ {code} }}\n" if is_statement else f"{{ [[maybe_unused]] const auto& made = {code}; }}\n"


def cpp_program(blocks: list[Block]) -> str:
    """One program of all C++ of a page, which prints what each block does."""
    includes: dict[str, None] = dict.fromkeys(["#include <fastnp/fastnp.h>", "#include <iostream>"])
    parts: list[str] = []
    calls: list[str] = []
    open_statements: list[str] = []

    def close() -> None:
        if open_statements:
            calls.append(f"statements_{len(parts)}();")
            parts.append(f"void statements_{len(parts)}() {{\nusing namespace fastnp;\n" + "".join(open_statements) + "}\n")
            open_statements.clear()

    for block in blocks:
        if block.language == "table":
            open_statements += [statement for row in block.rows for statement in cpp_row(row, block)]
            continue
        lines = [f'#line {block.line} "program.cpp"']
        for line in block.text.splitlines():
            if line.startswith("#include"):
                includes[line] = None
                lines.append("")
            else:
                lines.append(line)
        text = "\n".join(lines) + "\n"
        begin = 'std::cout << "\\x01" "block" "\\x02" << std::flush;\n'
        if re.search(r"^int main\(", text, re.MULTILINE):
            close()
            number = len(parts)
            text = re.sub(r"^int main\(\)", f"int block_{number}()", text, flags=re.MULTILINE)
            text = re.sub(r"\}\s*\Z", "return 0; }\n", text)  # which main may lack
            parts.append(f"namespace page_{number} {{\n{text}}}\n")
            calls.append(begin + f"page_{number}::block_{number}();")
        else:
            open_statements.append(begin + text)
    close()
    return "\n".join([*includes, *parts, "int main() {", *calls, "}"]) + "\n"


def compile_cpp(path: Path, folder: Path) -> Path | None:
    """The page's program, or None: it has no C++."""
    blocks = [block for block in blocks_of(path) if block.is_run and has_cpp(block)]
    if not blocks:
        return None
    source, program = folder / f"{path.stem}.cpp", folder / path.stem
    compiler = os.environ.get("CXX", "g++")
    cached = ["ccache"] if shutil.which("ccache") else []
    source.write_text(cpp_program(blocks))
    # By its name alone, so that ccache knows it again.
    command = [*cached, compiler, *cpp_headers.FLAGS, *cpp_headers.options(compiler), "-c", source.name, "-o", f"{path.stem}.o"]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=cpp_headers.environment())
    if process.returncode == 0:
        command = [compiler, f"{path.stem}.o", "-o", program.name, f"-L{RELEASE}", "-lfastnp", f"-Wl,-rpath,{RELEASE}"]
        process = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if process.returncode != 0:
        errors = "\n".join(line for line in process.stderr.splitlines() if "error:" in line or "undefined reference" in line)
        raise Wrong(f"{path}: its C++ does not compile:\n{errors[:4000]}")
    return program


def has_cpp(block: Block) -> bool:
    return block.language == "cpp" or (block.language == "table" and any(row.get("C++") or row.get("xtensor") for row in block.rows))


def run_cpp(path: Path, program: Path, outputs: Outputs) -> None:
    blocks = [block for block in blocks_of(path) if block.is_run and block.language == "cpp"]
    process = subprocess.run([str(program)], capture_output=True, text=True, timeout=120)
    if process.returncode != 0:
        raise Wrong(f"{path}: its C++ ends with {process.returncode}: {process.stdout}{process.stderr}")
    for block, said in zip(blocks, process.stdout.split(BEGIN)[1:], strict=True):
        outputs.check(block, said)


def on_device() -> dict[str, str] | None:
    """The environment of a process with a simulated device; None: this build has none."""
    library = RELEASE / "simulated" / "libfastnp.so"
    return {"LD_PRELOAD": str(library), "FASTNP_SIMULATED_DEVICE": "1"} if library.exists() else None


def run_page(path: Path, outputs: Outputs) -> None:
    """Its Python."""
    blocks = [block for block in blocks_of(path) if block.is_run and block.language in ("python", "table")]
    name = "page_" + path.stem.replace("-", "_")
    module = types.ModuleType(name)  # of which what it defines is found, as pickle and compile ask
    sys.modules[name] = module
    names = vars(module)
    for block in blocks:
        if block.language == "table":
            run_table(block, names)
        elif block.how == "on a device":
            continue
        elif block.environment:
            run_apart([block], block.environment, outputs)
        else:
            run_python(block, names, outputs)
    there = [block for block in blocks if block.how == "on a device"]
    environment = on_device()
    if there and environment is not None:
        run_apart(there, environment, outputs)


@contextlib.contextmanager
def _built(path: Path) -> Iterator[Path | None]:
    with tempfile.TemporaryDirectory() as folder:
        yield compile_cpp(path, Path(folder))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("pages", nargs="+", type=Path)
    given = parser.parse_args()
    os.environ["FASTNP_CACHE_DIR"] = ""
    os.environ.setdefault("FASTNP_ADAPTIVE", "0")
    for page in given.pages:
        path = page.resolve()
        outputs = Outputs(given.write)
        try:
            for block in blocks_of(path):
                block.check_kind()
            run_page(path, outputs)
            with _built(path) as program:
                if program is not None:
                    run_cpp(path, program, outputs)
        finally:
            outputs.save(path)


if __name__ == "__main__":
    main()
