"""``python -m fastnp``: what builds of programs ask for."""

import argparse
import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from fastnp import __version__
from fastnp._export import Exporter
from fastnp._installed import get_cmake_dir, get_include
from fastnp._specs import Spec

_ARRAY = re.compile(r"(?:([^\W\d]\w*)=)?(\w+)\[([^\]]*)\]")
_PLAIN = re.compile(r"(?:([^\W\d]\w*)=)?(.+)", re.DOTALL)
_KEPT = re.compile(r"llvmcache-[0-9a-f]{64}")
_EXPORT = """\
SPECS are the arguments in their order, or by name (NAME=...): arrays as DTYPE[SIZES], plain values as Python writes them.
Sizes are numbers, or names of what varies; DTYPE[] is an array of no axes. Behind "--" are those of a further specialisation.

  python -m fastnp export model.py layer -o layer.so "x=float32[n,16]" "steepness=2.0"
  python -m fastnp export model.py layer -o layer.so "float32[n,16]" 2.0 -- "float64[n,16]" 2.0
"""


def _size(text: str) -> int | str:
    text = text.strip()
    return int(text) if text.lstrip("-").isdigit() else text


def spec_of(text: str) -> tuple[str | None, Any]:
    """The name, if there is one, and what stands for an argument."""
    if found := _ARRAY.fullmatch(text):
        name, dtype, sizes = found.groups()
        return name, Spec(tuple(_size(each) for each in sizes.split(",") if each.strip()), dtype)
    plain = _PLAIN.fullmatch(text)
    name, value = plain.groups() if plain else (None, text)
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        raise SystemExit(f"{text}: neither an array (float64[n,3]) nor a plain value of Python's (2.0, 'same', None)") from None


def specs_of(texts: list[str]) -> Any:
    """As `export` takes them."""
    given = [spec_of(each) for each in texts]
    named = {name: value for name, value in given if name is not None}
    if named and len(named) != len(given):
        raise SystemExit("specs are given in order, or all by name, each once")
    return named or tuple(value for _, value in given)


def function_of(file: str, words: str) -> Any:
    """What a Python file calls so; dots go into objects."""
    path = Path(file).resolve()
    found = importlib.util.spec_from_file_location(path.stem, path)
    if found is None or found.loader is None or not path.is_file():
        raise SystemExit(f"{file}: there is no such Python file")
    sys.path.insert(0, str(path.parent))  # as where Python runs a file
    module = importlib.util.module_from_spec(found)
    sys.modules[path.stem] = module
    found.loader.exec_module(module)
    value: Any = module
    for word in words.split("."):
        if not hasattr(value, word):
            raise SystemExit(f"{file}: there is no {words}")
        value = getattr(value, word)
    return value


def _export(words: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m fastnp export",
        description="Writes a function of a Python file to a shared library (np.export).",
        epilog=_EXPORT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="a Python file")
    parser.add_argument("function", help="what it calls the function; dots go into objects")
    parser.add_argument("specs", nargs="*", metavar="SPECS", help="what the function takes")
    parser.add_argument("-o", dest="path", required=True, help="the library; its header lies beside it")
    parser.add_argument("--name", help="the function's name in the library; by default its own")
    parser.add_argument("--isa", action="append", help="a level of processors (base, v3, v4); several may be given")
    cases: list[list[str]] = [[]]
    for word in words:
        if word == "--":
            cases.append([])
        else:
            cases[-1].append(word)
    given = parser.parse_intermixed_args(cases[0])
    function = function_of(given.file, given.function)
    out = Exporter(isa=given.isa)
    for case in [given.specs, *cases[1:]]:
        out.add(function, specs_of(case), name=given.name)
    print(out.write(given.path))


_BUNDLE = """\
The program is run with its arguments, once for each level, and what it compiles is kept in the folder. Where the folder is FASTNP_CACHE_BUNDLE, the
program finds it there, and compiles nothing.

  python -m fastnp bundle -o cache.bundle app.py --warm-up
  python -m fastnp bundle -o cache.bundle --isa v3 -- ./app
"""


def _bundle(words: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m fastnp bundle",
        description="Keeps what a program compiles in a folder that is shipped with it, read-only.",
        epilog=_BUNDLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-o", dest="folder", required=True, help="the folder; what is in it stays")
    parser.add_argument("--isa", action="append", help="a level of processors (base, v3, v4), by FASTNP_ISA; by default this machine's own")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="a Python file or another program, and its arguments")
    given = parser.parse_args(words)
    command = given.program[1:] if given.program[:1] == ["--"] else given.program
    if not command:
        parser.error("there is no program to run")
    folder = Path(given.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    python = [sys.executable] if command[0].endswith(".py") else []
    for level in given.isa or [None]:
        environment = {**os.environ, "FASTNP_CACHE_DIR": str(folder), "FASTNP_CACHE_BUNDLE": "", "FASTNP_CACHE_SIZE": "1048576"}
        status = subprocess.run([*python, *command], env=environment | ({} if level is None else {"FASTNP_ISA": level})).returncode
        if status != 0:
            raise SystemExit(f"{command[0]} ended with status {status}")
    size = count = 0
    for path in sorted(folder.iterdir()):
        if not _KEPT.fullmatch(path.name):  # of a writer that died, and the time of the last look for old files
            path.unlink()
            continue
        path.chmod(0o444)
        size, count = size + path.stat().st_size, count + 1
    print(f"{folder}: {count} files, {size} bytes")


def main() -> None:
    if sys.argv[1:2] == ["export"]:
        return _export(sys.argv[2:])
    if sys.argv[1:2] == ["bundle"]:
        return _bundle(sys.argv[2:])
    parser = argparse.ArgumentParser(
        prog="python -m fastnp",
        description="Where C++ programs find fastnp.",
        epilog="python -m fastnp export --help: functions as libraries; bundle --help: compiled code with a program",
    )
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--version", action="version", version=__version__)
    asked.add_argument("--include", action="store_true", help="the folder of the headers")
    asked.add_argument("--cmakedir", action="store_true", help="the folder of fastnpConfig.cmake")
    print(get_include() if parser.parse_args().include else get_cmake_dir())


if __name__ == "__main__":
    main()
