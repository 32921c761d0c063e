"""Native loops over structured arrays: fields of records are numbers of their own dtypes, wherever they lie."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from support import SEED
from test_native_loops import agree, programs_of

import fastnp as np


def move(p, dt):
    energy = 0.0
    for i in range(p.shape[0]):
        p[i]["v"] -= dt * p[i]["x"]
        p[i]["x"] += dt * p[i]["v"]
        energy += 0.5 * p[i]["m"] * p[i]["v"] ** 2
    return energy


def by_fields(p, dt):
    x, v = p["x"], p["v"]
    for i in range(len(p)):
        if x[i] > 0:
            v[i] -= dt
        p["x"][i] += v[i]
    return x


def by_records(p, dt):
    found = 0
    for r in p:
        if r["x"] > dt:
            r["m"] = 7
            found += 1
    return found


def kept(p, dt):
    best = p[0]
    for i in range(1, len(p)):
        if p[i]["x"] > best["x"]:
            best = p[i]
            best["v"] = dt
    return best["x"], best


def filled(p, dt):
    for i in range(len(p)):
        if p[i]["m"] > 3:
            p["v"] = i
            break
    return p


def beyond(p, dt):
    for i in range(len(p) + 1):
        p[i]["v"] = i
    return p


def unknown(p, dt):
    for i in range(len(p)):
        if p[i]["x"] > 0:
            p[i]["nothing"] = 1
    return p


def records(p, dt):
    for i in range(len(p) - 1):
        if p[i]["x"] > p[i + 1]["x"]:
            p[i] = p[i + 1]
    return p


def other_names(p, dt):
    total = 0
    for i in range(len(p)):
        total += p[i]["flag"] + p[i]["m"]
        p[i]["m"] = total % 100
    return total


def picked(p, dt):
    total = 0.0
    for r in p:
        total += r["x"]
    found, first = p[p["x"] > dt], p[numpy.arange(min(len(p), 2))]
    return total, found["v"], first["x"]


def last(p, dt):
    total = 0.0
    for r in p:
        total += r["x"]
    return total, r


def last_by_number(p, dt):
    total = 0.0
    for i in range(len(p)):
        r = p[i]
        total += r["x"]
    r["v"] = dt
    for i in range(len(p)):
        a = p[i, ...]
        total += a["x"]
    return total, r, a


def put_mixed(p, dt):
    k = 0
    for r in p:
        k += 1
        p[-k] = k, r["v"] * dt, k - 0.5, k % 2 == 0
    return p["x"].sum(), k


def summed(p, dt):
    total = 0.0
    for x, v in zip(p["x"], p["v"], strict=True):
        total += x * v
    for r in p:
        total += r["m"] * dt
    return total


LAYOUTS: dict[str, Any] = {
    "packed": [("x", "f8"), ("v", "f8"), ("m", "f4"), ("flag", "?")],
    "aligned": numpy.dtype([("flag", "?"), ("x", "f8"), ("m", "i2"), ("v", "f4")], align=True),
    "other order": [("m", "u1"), ("v", "f8"), ("flag", "i8"), ("x", "f4")],
    "swapped": [("x", ">f8"), ("v", "f8"), ("m", "f4"), ("flag", "?")],
    "nested": [("x", "f8"), ("v", "f8"), ("m", "f4"), ("flag", "?"), ("more", [("y", "f8")])],
    "overlapping": {"names": ["x", "v", "m", "flag"], "formats": ["f8", "f8", "i4", "?"], "offsets": [0, 8, 8, 17], "itemsize": 24},
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "function", [move, by_fields, by_records, kept, filled, beyond, unknown, records, other_names, picked, last, last_by_number, put_mixed, summed]
)
def test_records(function, layout):
    draw = numpy.random.default_rng(SEED)
    compiled = np.compile(function)
    for n in (3, 0, 1, 2, 7, 30, 7):
        p = numpy.zeros(2 * n, numpy.dtype(LAYOUTS[layout]))
        for name in ("x", "v", "m", "flag"):
            p[name] = draw.normal(size=2 * n) * 3 if p.dtype[name].kind in "f" else draw.integers(0, 6, 2 * n) % 2
        p = p[:n] if random.Random(SEED + n).random() < 0.5 else p[::2]
        agree(compiled, (p, 0.25), f"{n} records")
    if layout not in ("swapped", "nested") and function not in (records, kept, last_by_number):  # a record as a state is an object
        assert programs_of(compiled)


def test_other_dtypes_are_other_programs():
    compiled = np.compile(move)
    for dtype in ("f8", "f4", "i4", "f8"):
        agree(compiled, (numpy.ones(4, [("x", dtype), ("v", "f8"), ("m", "f4")]), 0.5), dtype)
    assert len(programs_of(compiled)) == 3
    before = compiled.cache_info()
    agree(compiled, (numpy.ones(4, [("x", "f4"), ("v", "f8"), ("m", "f4")]), 0.5), "once more")
    assert len(programs_of(compiled)) == 3
    assert compiled.cache_info().uncompiled == before.uncompiled == 0
