"""By source line: nodes, kernels, milliseconds and bytes, as a table, as JSON, in reports, and as a file for pprof."""

from __future__ import annotations

import gzip
import json
import os
import random
from typing import Any

import loop_functions
import numpy
import pytest

import fastnp as np
from fastnp import _core, _pprof

X = numpy.linspace(0.1, 0.9, 20_000)


def first_line(function: Any) -> int:
    return function.__code__.co_firstlineno


def power(x, n):
    y = x
    for _ in range(n):
        y = y * x + 1
    return np.sum(np.exp(y))


def body(i, s):
    return s * 2 + np.sin(s)


def looped(x):
    return np.fori_loop(0, 5, body, x) + 1


def measured(function, *args):
    compiled = np.compile(function)
    compiled(*args)
    with np.compiler.profile():
        return np.explain(compiled)(*args)


def by_line(table):
    return {(row["function"], row["line"]): row for row in table}


# A decoder of protobuf, for what is written.


def decoded(data: bytes) -> dict[int, list[Any]]:
    """The fields of a message: numbers, and bytes that are not looked into."""

    def varint(at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if not data[at - 1] & 0x80:
                return value, at

    fields: dict[int, list[Any]] = {}
    at = 0
    while at < len(data):
        key, at = varint(at)
        assert key & 7 in (0, 2)
        value: Any
        value, at = varint(at)
        if key & 7 == 2:
            assert at + value <= len(data)
            value, at = data[at : at + value], at + value
        fields.setdefault(key >> 3, []).append(value)
    return fields


def numbers(packed: bytes) -> list[int]:
    found, value, shift = [], 0, 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            found.append(value - (1 << 64) if value >> 63 else value)
            value = shift = 0
    assert shift == 0
    return found


def samples_of(path) -> tuple[list[tuple[str, str]], list[tuple[list[tuple[str, str, int]], list[int]]], str]:
    """The types; for each sample its frames (name, file, line), innermost first, and values; the type that is shown."""
    profile = decoded(gzip.decompress(path.read_bytes()))
    strings = [each.decode() for each in profile[6]]
    assert strings[0] == "" and len(set(strings)) == len(strings)
    types = [(strings[each[1][0]], strings[each.get(2, [0])[0]]) for each in map(decoded, profile[1])]
    functions = {}
    for each in map(decoded, profile[5]):
        functions[each[1][0]] = (strings[each.get(2, [0])[0]], strings[each.get(4, [0])[0]])
    locations = {}
    for each in map(decoded, profile[4]):
        line = decoded(each[4][0])
        locations[each[1][0]] = (*functions[line[1][0]], line.get(2, [0])[0])
    found = [([locations[number] for number in numbers(each[1][0])], numbers(each[2][0])) for each in map(decoded, profile[2])]
    assert 0 not in locations and 0 not in functions and all(len(values) == len(types) for _, values in found)
    return types, found, strings[profile[14][0]]


def test_an_unrolled_loop_is_seen_at_once():
    told = measured(lambda x: power(x, 500), X)
    top = told.by_line()[0]
    assert (top["file"], top["line"], top["function"]) == (__file__, first_line(power) + 3, "power")
    assert top["text"] == "y = y * x + 1" and top["nodes"] == 1001 and top["kernels"] == len(told.kernels)  # one constant
    rows = by_line(told.by_line())
    assert set(rows) == {("power", first_line(power) + 3), ("power", first_line(power) + 4)}
    assert rows["power", first_line(power) + 4]["nodes"] == 2
    first = str(told.by_line()).splitlines()[1].split()
    assert first[:2] == [f"test_by_line.py:{first_line(power) + 3}", "in"] and "1,001" in first


def test_times_and_bytes_are_shared_without_loss():
    told = measured(lambda x: power(np.cumsum(np.sqrt(x) + 1) / 1e6, 40), X)
    table = told.by_line()
    assert sum(row["milliseconds"] for row in table) == pytest.approx(sum(each["milliseconds"] for each in told.kernels))
    assert sum(row["bytes"] for row in table) == pytest.approx(sum(each["bytes_read"] + each["bytes_written"] for each in told.kernels))
    assert [row["milliseconds"] for row in table] == sorted((row["milliseconds"] for row in table), reverse=True)


def test_costly_operations_have_more_of_their_kernel():
    def mixed(x):
        y = np.sin(x)
        return y + 1

    told = measured(mixed, X)
    rows = by_line(told.by_line())
    costly, cheap = (rows["mixed", first_line(mixed) + k]["milliseconds"] for k in (1, 2))
    assert costly == pytest.approx(cheap * _core._additions("sin"))
    assert _core._additions("transpose") == _core._additions("constant") == 0 and _core._additions("sum") == 1
    with pytest.raises(ValueError, match="there is no op 'sine'"):
        _core._additions("sine")


def test_without_times_there_are_nodes_and_bytes():
    told = np.explain(np.compile(lambda x: x + x))(X)
    [row] = told.by_line()
    assert row["milliseconds"] is None and row["bytes"] == 2 * X.nbytes and row["nodes"] == row["kernels"] == 1
    assert str(told.by_line()).splitlines()[0].split() == ["line", "nodes", "kernels", "ms", "bytes"]
    assert str(np.explain(np.compile(lambda x: x))(X).by_line()) == "no operation is recorded"


def test_a_loop_has_its_time_where_its_body_is():
    told = measured(looped, X)
    table = told.by_line()
    rows = by_line(table)
    inner, outer = rows["body", first_line(body) + 1], rows["looped", first_line(looped) + 1]
    loop = next(each for each in told.kernels if each["name"] == "loop")
    assert inner["milliseconds"] == loop["milliseconds"] and inner["nodes"] == 4
    assert inner["bytes"] == loop["bytes_read"] + loop["bytes_written"]
    assert outer["nodes"] >= 2 and "nodes" in str(table)
    assert sum(row["milliseconds"] or 0 for row in table) == pytest.approx(sum(each["milliseconds"] or 0 for each in told.kernels))


def kernel(name, lines, spent, count=1, ops=(), moved=16.0):
    return {"name": name, "kind": name, "ops": list(ops), "lines": lines, "milliseconds": spent, "count": count, "bytes_read": moved, "bytes_written": 0.0}


TURNS = """%0 = parameter (0) : float64[1000]
%1 = loop %0 (0, 0) [5] : bool[]  ; m.py:1 in outer
%2 = sin %0 : float64[1000]  ; m.py:1 in outer
return %2
body 0 (states 1) {
  %0 = parameter (0) : float64[1000]
  %1 = loop %0 (0, 0) [5] : bool[]  ; m.py:2 in turn
  %2 = add %0, %0 : float64[1000]  ; m.py:2 in turn
  return %2 at 2 of %4
  body 0 (states 1) {
    %0 = parameter (0) : float64[1000]
    %1 = exp %0 : float64[1000]  ; m.py:3 in inner
    return %1 at 1 of %1
  }
}
"""


def test_loops_whose_steps_are_measured_count_once():
    from fastnp._by_line import Lines

    kernels = [
        kernel("loop", ["m.py:1 in outer"], 10.0),
        kernel("loop", ["m.py:2 in turn"], 6.0, 5),
        kernel("elementwise", ["m.py:3 in inner"], 5.0, 25, ["exp"]),
        kernel("elementwise", ["m.py:2 in turn"], 2.0, 5, ["add"]),
        kernel("elementwise", ["m.py:1 in outer"], 4.0, 1, ["sin"]),
    ]
    rows = by_line(Lines([("f", [{"ir_lines": TURNS, "kernels": kernels}])]))
    spent = {place: row["milliseconds"] for place, row in rows.items()}
    assert spent == {("inner", 3): 5.0, ("turn", 2): 2.0 + (6.0 - 5.0), ("outer", 1): 4.0 + (10.0 - 6.0 - 2.0)}
    assert {place: row["bytes"] for place, row in rows.items()} == {("inner", 3): 400.0, ("turn", 2): 80.0, ("outer", 1): 16.0}
    for each in kernels[1:4]:
        each["milliseconds"] = None  # they are done as one
    rows = by_line(Lines([("f", [{"ir_lines": TURNS, "kernels": kernels}])]))
    assert rows["inner", 3]["milliseconds"] == pytest.approx(10 * 16 / 17)
    assert rows["turn", 2]["milliseconds"] == pytest.approx(10 / 17) and rows["outer", 1]["milliseconds"] == 4.0


def test_parts_and_all_entries_count():
    def broken(x):
        y = np.sqrt(x) + 1
        with open(os.devnull, "w") as out:
            out.write("now")
        return (y * 2).sum()

    compiled = np.compile(broken)
    compiled(X), compiled(X.astype("f4"))
    rows = by_line(np.explain(compiled)(X).by_line())
    first = first_line(broken)
    assert set(rows) == {("broken", first + 1), ("broken", first + 4)}
    assert rows["broken", first + 1]["nodes"] == 6  # root, constant and sum, of two dtypes


def test_profiles_tell_of_what_was_called_within_them():
    f, idle = np.compile(lambda x: power(x, 20)), np.compile(lambda x: x - 5)
    f(X), idle(X)
    with np.compiler.profile() as profile:
        f(X)
        np.compile(lambda x: body(0, x))(X)  # nobody else keeps it
    rows = profile.by_line()
    assert {row["function"] for row in rows} == {"power", "body"}
    assert all(row["milliseconds"] >= 0 for row in rows)
    assert json.loads(rows.json()) == list(rows)
    assert list(np.compiler.profile().by_line()) == []


def test_reports_have_it():
    told = measured(lambda x: power(x, 30), X)
    place = f"test_by_line.py:{first_line(power) + 3} in power"
    assert json.loads(told.json())["by_line"][0]["nodes"] == 61
    assert f"{place}: 61 nodes in 1 kernels" in told.text()
    assert "<h2>By line</h2>" in told.html() and place in told.html()
    assert "<td" in told.by_line()._repr_html_()


def test_files_for_pprof(tmp_path):
    told = measured(lambda x: power(x, 100), X)
    table = told.by_line()
    table.pprof(tmp_path / "lines.pb.gz")
    types, samples, shown = samples_of(tmp_path / "lines.pb.gz")
    assert types == [("nodes", "count"), ("time", "nanoseconds"), ("bytes", "bytes")] and shown == "time"
    line = first_line(power) + 3
    top = [(frames, values) for frames, values in samples if frames[1][2] == line]
    assert {frames[1] for frames, _ in top} == {(f"test_by_line.py:{line} in power", __file__, line)}
    assert {frames[0][0] for frames, _ in top} == {"multiply", "add", "constant", *(f"kernel {each['name']}" for each in told.kernels)}
    assert {frames[-1][0] for frames, _ in samples} == {"<lambda>"}
    assert sum(values[0] for _, values in top) == table[0]["nodes"] == 201
    assert sum(values[1] for _, values in top) == pytest.approx(table[0]["milliseconds"] * 1e6, abs=len(top))
    assert sum(values[2] for _, values in samples) == pytest.approx(sum(row["bytes"] for row in table), abs=len(samples))
    np.explain(np.compile(lambda x: x + 1))(X).by_line().pprof(tmp_path / "untimed.pb.gz")
    assert samples_of(tmp_path / "untimed.pb.gz")[2] == "nodes"
    with pytest.raises(FileNotFoundError):
        table.pprof(tmp_path / "no" / "lines.pb.gz")


def test_what_is_written_is_read_again(tmp_path):
    seed = random.SystemRandom().randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    names = ["", "loss", "größe", "a b", "x" * 300]
    profile, expected = _pprof.Profile([("time", "nanoseconds"), ("bytes", "")]), {}
    for _ in range(200):
        frames = [_pprof.Frame(rng.choice(names), rng.choice(names), rng.choice([0, 1, 127, 128, 1 << 40])) for _ in range(rng.randint(1, 5))]
        values = [rng.choice([-1, 0, 1, 1 << 62, -(1 << 62), rng.getrandbits(20)]) for _ in range(2)]
        known = expected.get(tuple(frames), [0, 0])
        if any(not -(1 << 63) <= a + b < 1 << 63 for a, b in zip(known, values, strict=True)):
            continue
        expected[tuple(frames)] = [a + b for a, b in zip(known, values, strict=True)]
        profile.add(frames, values)
    (tmp_path / "p.pb.gz").write_bytes(profile.written("bytes"))
    types, samples, shown = samples_of(tmp_path / "p.pb.gz")
    assert types == [("time", "nanoseconds"), ("bytes", "")] and shown == "bytes"
    assert {tuple(frames): values for frames, values in samples} == {tuple(map(tuple, frames)): values for frames, values in expected.items()}


def test_lines_that_are_not_known():
    from fastnp._by_line import Lines

    lines = "%0 = parameter (0) : float64[1]\n%1 = add %0, %0 : float64[1]\nreturn %1\n"
    entry = {"ir_lines": lines, "kernels": [kernel("elementwise", [], 0.5, 2, ["add"])]}
    [row] = Lines([("f", [entry])])
    assert (row["file"], row["line"], row["nodes"], row["milliseconds"], row["bytes"]) == ("", 0, 1, 0.5, 32.0)
    assert "(line not known)" in str(Lines([("f", [entry])]))


def test_native_loops_are_at_their_first_line():
    told = np.explain(np.compile(loop_functions.count))(numpy.ones(30), 0.5)
    [row] = told.by_line()
    assert row["line"] == first_line(loop_functions.count) + 2 and row["function"] == "count" and row["kernels"] == 1
    assert row["nodes"] == told.native[0].programs[0].count("\n") > 10
