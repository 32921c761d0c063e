"""Generated code names the user's functions and lines to debuggers and profilers, where they are asked for, and is the same code."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import pytest

PROGRAM = textwrap.dedent(
    """
    import json
    import os
    import sys
    import numpy
    import fastnp as np


    def scaled(x):
        return x * 3


    @np.compile
    def softmax(x):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return scaled(
            e / e.sum(axis=1, keepdims=True)
        )


    @np.compile
    def longest(n):
        best = 0
        for start in range(1, n):
            x, steps = start, 0
            while x != 1:
                x = x // 2 if x % 2 == 0 else 3 * x + 1
                steps += 1
            best = max(best, steps)
        return best


    x = numpy.arange(2000.0).reshape(20, 100) % 7
    found = softmax(x), longest(100)
    told = np.explain(softmax)(x)
    spent = told.entries[0]["milliseconds"]
    print(json.dumps({
        "llvm": told.llvm, "asm": told.asm, "bits": numpy.asarray(found[0]).tobytes().hex(), "longest": found[1],
        "generated": spent.get("generate", 0) > 0, "process": os.getpid(),
    }))
    """
)


def line_of(text: str) -> int:
    """Of the program, from 1 on."""
    return next(number for number, line in enumerate(PROGRAM.splitlines(), 1) if text in line)


EXP, SUM, SCALE = line_of("np.exp"), line_of("e / e.sum"), line_of("x * 3")
LOOP, BODY = line_of("for start"), line_of("x // 2")


def run(folder: Path, source: str = PROGRAM, **variables: str) -> Any:
    """What a program prints; it lies in this folder."""
    program = folder / "model.py"
    if not program.exists() or program.read_text() != source:
        program.write_text(source)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FASTNP_")}
    environment |= {"FASTNP_CACHE_DIR": "", "FASTNP_ADAPTIVE": "0"} | variables
    done = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def instructions(asm: str) -> list[str]:
    """Of assembly, without what tells of lines, and without names."""
    kept = []
    for line in asm.partition("\t.section\t.debug")[0].splitlines():
        text = re.sub(r"fastnp_\w+", "fastnp", line.partition("#")[0].strip())
        if text and not text.startswith((".loc", ".file", ".cfi", ".Ltmp", ".Lfunc", ".size", ".ident", '.section\t".note')):
            kept.append(text)
    return kept


def test_code_has_lines_where_they_are_asked_for(tmp_path):
    plain = run(tmp_path)
    told = run(tmp_path, FASTNP_DEBUG_INFO="1", FASTNP_DEBUG=str(tmp_path / "debug"))
    assert "!dbg" not in plain["llvm"]
    assert "model.py" not in plain["llvm"] + plain["asm"]
    assert "define void @fastnp_softmax_0(" in told["llvm"]
    for line in (EXP, SUM, SCALE):
        assert f"!DILocation(line: {line}, " in told["llvm"]
    assert '!DIFile(filename: "model.py", directory: "' + str(tmp_path) in told["llvm"]
    assert plain["bits"] == told["bits"]
    assert plain["longest"] == told["longest"] == 118
    assert instructions(plain["asm"]) == instructions(told["asm"])
    folder = tmp_path / "debug"
    assert f"!DILocation(line: {EXP}, " in (folder / "softmax/entry-0/llvm.ll").read_text()
    assert f"!DILocation(line: {EXP}, " in (folder / "softmax/entry-0/llvm-emitted.ll").read_text()
    (loop,) = (folder / "longest").glob("loop-*.ll")
    assert f"@fastnp_longest_line_{LOOP}(" in loop.read_text()
    assert f"!DILocation(line: {BODY}, " in loop.read_text()


def test_kept_code_is_apart(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    cache = {"FASTNP_CACHE_DIR": str(tmp_path / "cache")}
    told = cache | {"FASTNP_DEBUG_INFO": "1"}
    assert run(here, **cache)["generated"]
    assert "!dbg" in run(here, **told)["llvm"]
    assert not run(there, **cache)["generated"]  # nothing of folders is in it
    kept = run(here, **told)
    assert not kept["generated"]
    assert f"!DILocation(line: {EXP}, " in kept["llvm"]
    # The same functions, two lines further down: code that tells of lines has new ones, other code is as it was.
    moved = run(here, "\n\n" + PROGRAM, **told)
    assert f"!DILocation(line: {EXP + 2}, " in moved["llvm"]
    assert f"!DILocation(line: {EXP}, " not in moved["llvm"]
    assert not run(here, "\n\n\n" + PROGRAM, **cache)["generated"]


def test_words_are_checked(tmp_path):
    with pytest.raises(AssertionError, match="ValueError: FASTNP_PROFILER must name 'gdb', 'perf', 'perf-map' or 'vtune', not 'vtrace'"):
        run(tmp_path, FASTNP_PROFILER="gdb,vtrace")


FORKING = PROGRAM.replace(
    "print(json",
    """
child = os.fork()
if child == 0:
    np.compile(lambda x: np.sqrt(x) + 2)(x)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
np.compile(lambda x: np.sqrt(x) + 1)(x)
print(json""",
).replace('"process": os.getpid()', '"process": os.getpid(), "child": child')


def functions_of_map(process: int) -> list[str]:
    path = Path(f"/tmp/perf-{process}.map")
    lines = [line.split(" ", 2) for line in path.read_text().splitlines()]
    path.unlink()
    for address, size, _ in lines:
        assert int(address, 16) > 4096
        assert int(size, 16) > 0
    return sorted(name for *_, name in lines)


def test_map_for_perf(tmp_path):
    cache = {"FASTNP_CACHE_DIR": str(tmp_path / "cache"), "FASTNP_PROFILER": "perf-map"}
    names = ["fastnp_lambda_0", f"fastnp_longest_line_{LOOP}", "fastnp_softmax_0"]
    for is_kept in (False, True):
        told = run(tmp_path, FORKING, **cache)
        assert told["generated"] is not is_kept
        assert functions_of_map(told["process"]) == names
        assert functions_of_map(told["child"]) == names  # its parent's and its own


class Loaded(NamedTuple):
    process: int
    address: int
    code: bytes
    lines: list[tuple[int, int, str]]  # addresses, numbers, files


def functions_of_dump(path: Path) -> dict[str, Loaded]:
    """What a jitdump has, as perf's specification says."""
    data = path.read_bytes()
    magic, version, size, machine, _, process, _, flags = struct.unpack_from("=IIIIIIQQ", data)
    assert (magic, version, size, machine, flags) == (0x4A695444, 1, 40, 62, 0)
    assert path.name == f"jit-{process}.dump"
    at, time, lines, found = size, 0, {}, {}
    while at < len(data):
        kind, length, now = struct.unpack_from("=IIQ", data, at)
        assert now >= time
        body, at, time = data[at + 16 : at + length], at + length, now
        if kind == 2:  # lines
            address, count = struct.unpack_from("=QQ", body)
            place, told = 16, []
            for _ in range(count):
                begin, number, _ = struct.unpack_from("=QII", body, place)
                end = body.index(b"\0", place + 16)
                told.append((begin, number, body[place + 16 : end].decode()))
                place = end + 1
            assert place == len(body)
            lines[address] = told
        else:
            assert kind == 0
            of, _, address, same, count, _ = struct.unpack_from("=IIQQQQ", body)
            name, _, code = body[40:].partition(b"\0")
            assert (of, same, count) == (process, address, len(code))
            found[name.decode()] = Loaded(of, address, code, lines.pop(address, []))
    assert not lines
    return found


def test_dump_for_perf(tmp_path):
    cache = {"FASTNP_CACHE_DIR": str(tmp_path / "cache"), "FASTNP_PROFILER": "perf", "JITDUMPDIR": str(tmp_path / "dump")}
    seen: list[bytes] = []
    for is_kept in (False, True):
        told = run(tmp_path, FORKING, **cache)
        assert told["generated"] is not is_kept
        for process in (told["process"], told["child"]):
            (path,) = (tmp_path / "dump/.debug/jit").glob(f"*/jit-{process}.dump")
            functions = functions_of_dump(path)
            assert sorted(functions) == ["fastnp_lambda_0", f"fastnp_longest_line_{LOOP}", "fastnp_softmax_0"]
            made = functions["fastnp_softmax_0"]
            seen.append(made.code)
            assert {number for _, number, _ in made.lines} >= {EXP, SUM, SCALE}
            assert {file for *_, file in made.lines} == {str(tmp_path / "model.py")}
            assert all(made.address <= begin <= made.address + len(made.code) for begin, *_ in made.lines)
            assert BODY in {number for _, number, _ in functions[f"fastnp_longest_line_{LOOP}"].lines}
    assert len(seen[0]) == len(seen[2])


@pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")
def test_perf_takes_the_dump(tmp_path):
    program = tmp_path / "model.py"
    program.write_text(PROGRAM.replace("print(json", "for _ in range(300):\n    softmax(x)\nprint(json"))
    environment = os.environ | {"FASTNP_CACHE_DIR": "", "FASTNP_PROFILER": "perf", "JITDUMPDIR": str(tmp_path), "HOME": str(tmp_path)}

    def perf(*arguments: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["perf", *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    if perf("record", "-e", "cpu-clock", "-k", "mono", "-o", "perf.data", sys.executable, program).returncode != 0:
        pytest.skip("perf may not record here")
    done = perf("inject", "--jit", "-i", "perf.data", "-o", "perf.jit.data")
    assert done.returncode == 0, done.stderr
    objects = [path.read_bytes() for path in (tmp_path / ".debug/jit").glob("*/jitted-*.so")]
    (made,) = [each for each in objects if b"fastnp_softmax_0" in each]
    assert str(program).encode() in made  # in the table of lines


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_backtrace_of_gdb(tmp_path):
    (tmp_path / "model.py").write_text(PROGRAM)
    commands = ["set confirm off", "set debuginfod enabled off", "set breakpoint pending on", "break fastnp_softmax_0", "run model.py", "bt 1", "kill"]
    arguments = [each for command in commands for each in ("-ex", command)]
    environment = os.environ | {"FASTNP_PROFILER": "gdb", "FASTNP_CACHE_DIR": "", "FASTNP_NUM_THREADS": "1"}
    done = subprocess.run(["gdb", "-nx", "-batch", *arguments, sys.executable], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=180)
    if "ptrace" in done.stderr:
        pytest.skip("no process may be traced here")
    assert re.search(r"^#0 .*fastnp_softmax_0 \(\) at \S*model\.py:\d+", done.stdout, re.MULTILINE), done.stdout + done.stderr


COLLECTOR = r"""
#include <stdio.h>
#include <stdlib.h>
struct line { unsigned offset, number; };
struct method {
    unsigned id;
    const char* name;
    void* address;
    unsigned size, line_count;
    struct line* lines;
    unsigned class_id;
    char *class_file, *source_file;
};
unsigned Initialize(void) { return 1; }
int NotifyEvent(int event, void* data) {
    struct method* made = data;
    FILE* file = fopen(getenv("COLLECTED"), "a");
    fprintf(file, "%d %u %s %u %s", event, made->id, made->name, made->size, made->source_file);
    for (unsigned i = 0; i < made->line_count; ++i) fprintf(file, " %u:%u", made->lines[i].offset, made->lines[i].number);
    fprintf(file, "\n");
    return fclose(file) + 1;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")
def test_collector_of_vtune(tmp_path):
    (tmp_path / "collector.c").write_text(COLLECTOR)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "collector.so", tmp_path / "collector.c"], check=True)
    collected = tmp_path / "collected.txt"
    run(tmp_path, FASTNP_PROFILER="vtune")  # without a collector there is nobody to tell
    run(tmp_path, FASTNP_PROFILER="vtune", INTEL_JIT_PROFILER64=str(tmp_path / "collector.so"), COLLECTED=str(collected))
    events = {parts[2]: parts for parts in map(str.split, collected.read_text().splitlines())}
    assert sorted(events) == [f"fastnp_longest_line_{LOOP}", "fastnp_softmax_0"]
    event, _, _, size, file, *lines = events["fastnp_softmax_0"]
    assert (event, file) == ("13", str(tmp_path / "model.py"))
    offsets = [int(each.split(":")[0]) for each in lines]
    assert offsets == sorted(offsets)
    assert offsets[-1] == int(size)
    assert {int(each.split(":")[1]) for each in lines} >= {EXP, SUM, SCALE}
    assert len({parts[1] for parts in events.values()}) == 2
