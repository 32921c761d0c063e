"""Everyday loops over parts of arrays, rows, lists and pairs, with statements in between that Python does."""

from __future__ import annotations

from typing import Any

import numpy


def over_slice(x: Any, a: Any, b: Any, c: Any, log: Any) -> Any:
    s = t = 0
    for v in x[a:b:c]:
        if v > 1:
            log.append(v)
        s += v * t
        t += 1  # noqa: SIM113 - counted as people do, beside the loop
        if v > 3:
            break
    return s


def bounds_change(x: Any, a: Any, b: Any, log: Any) -> Any:
    s = 0
    for v in x[a:b]:
        a += 1
        if v > 1:
            log.append(v)
        b -= 1
        s += v * a
    return s, a, b


def over_rows(m: Any, log: Any) -> Any:
    s, last = 0, m[0]
    for row in m[1:, ::2]:
        if row[0] > 1:
            log.append(row)
        s += row[1] * last[0]
        last = row
    return s, last


def over_a_row(m: Any, k: Any, log: Any) -> Any:
    s = 0
    for v in m[k]:
        k = 0
        if v > 0.5:
            log.append(k)
        s += v
    return s


def areas(p: Any, log: Any) -> Any:
    s = 0
    for i, ((x0, y0, _), (x1, y1, _)) in enumerate(zip(p[:-1], p[1:], strict=True), len(log)):
        if x0 > 1:
            log.append(i)
        s += x0 * y1 - x1 * y0
    return s


def backward(x: Any, log: Any) -> Any:
    s = 0
    for v in reversed(x[1:]):
        if v > 1:
            log.append(v)
        s = s * 0.5 + v
    return s


def bound_to_a_number(x: Any, y: Any, log: Any) -> Any:
    s = 0
    for v in x:
        x = 1
        if v > 1:
            log.append(v)
        s += v
    return s


def bound_to_an_array(x: Any, y: Any, log: Any) -> Any:
    s = 0
    for v in x[1:]:
        x = y
        if v > 1:
            log.append(v)
        s += v + x[0]
    return s


def segments(x: Any, ptr: Any, log: Any) -> Any:
    s = 0
    for i in range(len(ptr) - 1):
        for v in x[ptr[i] : ptr[i + 1]]:
            if v > 1:
                log.append(i)
            if v > 2:
                break
            s += v
    return s


def over_thresholds(x: Any, t: Any, log: Any) -> Any:
    s = 0
    for a in t:
        for v in x:
            if v > a:
                s += v * a
        if s > 10:
            log.append(s)
        s += a
    return s


def over_a_list(x: Any, log: Any) -> Any:
    s = 0
    for v in x:
        if v > 1:
            log.append(v)
        s += v * 2
        if v > 3:
            return s
    return s


def over_a_growing_list(x: Any, log: Any) -> Any:
    s = 0
    for v in x:
        if v > 1:
            log.append(v)
        if len(x) < 60 and v > 0:
            x.append(v - 1)
        s += v
    return s


def shifted(x: Any) -> Any:
    for i, v in enumerate(x[1:], 1):
        x[i - 1] = v + x[i - 1]
        if v > 1:
            x[i + 1] = 5
    return x


def over_a_table(g: Any, log: Any) -> Any:
    s = 0
    for row in g:
        if row[0] > 1:
            log.append(row)
        for v in row:
            if v > 1:
                log.append(v)
            s += v
    return s


def ends_or_returns(x: Any, log: Any) -> Any:
    for v in x[2:]:
        if v > 1:
            log.append(v)
        elif v < -1.5:
            return v
    else:
        log.append("end")
    return log


def records(p: Any, log: Any) -> Any:
    s = 0
    for r in p[1:]:
        if r["x"] > 1:
            log.append(len(log))
        r["x"] += r["v"]
        s += r["x"]
    return s


def smallest_rise(x: Any, y: Any) -> Any:
    found = 99
    for a, b in zip(x[:-1], x[1:], strict=False):
        best = max(v - a for v in y[::2])
        if b - a < found:
            found = b - a + best * 0
        if b > 3:
            return found, best
    return found


def strictly(x: Any, y: Any, t: Any, log: Any) -> Any:
    s = 0
    for a, b, c in zip(x, y[1:], t, strict=True):
        if a > b:
            log.append(s)
        s += a * c
        if s > 3:
            break
    for i in range(len(x)):
        for a, (b, c) in zip(t, ((1, 2.5), (i, 7.5)), strict=True):
            s += a * b - c * x[i]
    return s


ITEMS: tuple[Any, ...] = (1, 2, 3)
FIRST = 3


def over_what_is_made(x: Any, y: Any, log: Any) -> Any:
    s = 0
    for v in x * 2 + 1:
        if v > 3:
            log.append(v)
        s += v
    for a, (b, row) in zip(numpy.abs(x), enumerate(y[:, None] * x), strict=False):
        if a > 2:
            log.append(row)
        s += a * b + row[0]
        if s > 50:
            return s
    return s


def over_picked(x: Any, k: Any, log: Any) -> Any:
    s = 0
    for v in x[k]:
        if v > 1:
            log.append(v)
        s += v
        if s > 50:
            break
    return s


def over_one_or_another(x: Any, y: Any, log: Any) -> Any:
    z = x
    for i in range(3):
        for v in z:
            if v > 1:
                log.append(i)
        z = z * 0.5 + y[0]
    for v in z:
        z[0] = 3
        if v > 0:
            log.append(v)
        z = x
    return z


def changes_tuple(x: Any, log: Any) -> Any:
    a, s = 1, 0
    for v in (a, 2, x[0]):
        a = 0.5
        if v > 1:
            log.append(v)
        s += v + a
        if s > 50:
            break
    return s, a


def changes_global(x: Any, log: Any, new: Any) -> Any:
    globals().update(ITEMS=(1, 2, 3))
    s = 0
    for v in ITEMS:
        if v == 2:
            log.append(v)
            globals()["ITEMS"] = new
        s += v * x[0]
        if s > 50:
            break
    return s


def changes_bound(x: Any, log: Any, new: Any) -> Any:
    globals().update(FIRST=3)
    s = 0
    for v in x[FIRST:]:
        if v > 0.5:
            log.append(v)
            globals()["FIRST"] = new
        s += v
        if s > 50:
            break
    return s


def counted_from(x: Any, c: Any, log: Any) -> Any:
    s = 0
    for i, v in enumerate(x, c):
        c += 2
        if v > 1:
            log.append(i)
        s += v * i
        if s > 1e30:
            break
    return s, c
