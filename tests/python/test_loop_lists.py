"""Lists of numbers in native loops: they are Python's, with its kinds of numbers, its errors, and the same list where one was handed in."""

from __future__ import annotations

import collections
import heapq
import random
from typing import Any

import numpy
import pytest
from loop_source import function_of
from support import LONG, SEED
from test_array_loops import every_loop_is_tried  # noqa: F401 - a fixture
from test_native_loops import agree, outcome, programs_of, same

import fastnp as np


def list_source(seed: int, statements: int) -> str:
    """A function f(a, b, x, n): lists of ints and of floats, an array, and how many turns."""
    rng = random.Random(seed)
    lines = ["def f(a, b, x, n):"]

    def add(depth: int, text: str) -> None:
        lines.append("    " * depth + text)

    def whole() -> str:
        return rng.choice(["i", "3", "len(a)", "len(p)", "a[-1]", "i % 3 + 1", "t", "a[i % 4]", "int(b[0])"])

    def real() -> str:
        return rng.choice(["0.5", "b[-1]", "x[i % len(x)]", "b[i % len(b)] * 0.5", "s", "float(i)", "float(x[0])"])

    def statement(depth: int) -> None:
        kind = rng.randrange(27)
        texts = {
            0: f"a.append({whole()})", 1: f"b.append({real()})", 2: f"p.append(({whole()}, {real()}))", 3: f"a[{whole()} % len(a)] = {whole()}",
            4: f"b[-1] = {real()}", 5: f"t = a.pop({rng.choice(['', '0', '-1', 'i % 3'])})", 6: f"s = b.pop({rng.choice(['', '0', '-2'])})",
            7: f"a.extend([{whole()}, {whole()}])", 8: f"q = [{whole()}] * {rng.choice(['i', '3', '2'])}", 9: f"q.append({whole()})",
            10: f"a[0] {rng.choice(['+=', '-=', '*='])} {whole()}", 11: f"b[0] += {real()}", 12: "t = p[-1][0] if p else 7",
            13: f"p[{whole()} % (len(p) + 1)] = ({whole()}, {real()})", 14: rng.choice(["q = []", "a = [i, 5]"]),
            15: f"x[i % len(x)] = {real()}", 16: "p.clear()", 17: f"a.insert({rng.choice(['0', 'i', '-2', 't', 'len(a)', '-i'])}, {whole()})",
            18: rng.choice(["a.reverse()", "b.reverse()", "p.reverse()"]), 19: rng.choice(["a.sort()", "b.sort(reverse=True)", "p.sort()", "q.sort()"]),
            20: f"del {rng.choice(['a[0]', 'a[i % len(a)]', 'b[-1]', 'p[i % (len(p) + 1)]', 'q[t]'])}", 21: f"t = a.index({whole()})",
            22: f"t = t + a.count({whole()})", 23: f"a.remove({rng.choice(['a[-1]', 'i', '3'])})", 24: f"b.insert(i % 2, {real()})",
            25: f"a += [{whole()}]",
            26: f"t = 5 if {whole()} {rng.choice(['in', 'not in'])} a else t",
        }  # fmt: skip
        if kind in texts and rng.random() < 0.8:
            add(depth, texts[kind])
        elif rng.random() < 0.1:
            add(depth, "if len(a) + len(q) < 40:")
            add(depth + 1, rng.choice(["a.extend(q)", "q += a", "q.extend(q)"]))
        elif depth < 4:
            head = rng.choice(
                [f"if {whole()} > {whole()}:", "while len(a) > 5:", "for v in b[:0] or b:" if False else "for v in b:", "for t in range(2):", "if q:"]
            )
            add(depth, head)
            if head.startswith("while"):
                add(depth + 1, "a.pop()")
            elif head.startswith("for v"):
                add(depth + 1, "s = s + v * 0.5")
            else:
                statement(depth + 1)
        else:
            add(depth, "t = t + 1")

    add(1, "p, q, t, s = [], [0], 0, 1.0")
    add(1, "old, older = q, a")
    add(1, "for i in range(n):")
    for _ in range(statements):
        statement(2)
    if rng.random() < 0.3:
        add(2, f"if {whole()} > 6:")
        add(3, rng.choice(["break", "x[0] = 1 // (t - t)", "print(end='')", "return a, p"]))
    add(1, "return a, b, p, q, t, s, old, older, old is q, older is a")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    native = 0
    first = SEED * 1000 + part * 10**7
    count = 300 if LONG else 15
    for seed in range(first, first + count):
        for statements in (2, 5):
            source = list_source(seed, statements)
            compiled = np.compile(function_of(source, f"lists {seed} {statements}"), adaptive=False)
            for call, n in enumerate((4, 9, 1, 0, 30, 5)):
                rng = numpy.random.default_rng([seed, call])
                a = rng.integers(-9, 10, 4 + call % 2).tolist()
                b = rng.normal(size=3).tolist() if call != 2 else list(rng.normal(size=3))
                agree(compiled, (a, b, rng.normal(size=5), n), f"seed {seed}, call {call}\n{source}")
            native += bool(programs_of(compiled))
    assert native > count // 2


def test_the_list_is_the_one_that_was_handed_in() -> None:
    def grows(found, n):
        for i in range(n):
            found.append(i * 0.5)
        return found

    compiled = np.compile(grows, adaptive=False)
    for n in (3, 0, 1000, 5):
        mine: list[Any] = [1.0]
        other = mine
        assert compiled(mine, n) is mine
        assert other == grows([1.0], n)
    assert programs_of(compiled)


def test_one_list_by_two_names_is_as_written() -> None:
    def both(a, b, n):
        for i in range(n):
            a.append(i)
            b[0] += len(a)
        return b

    compiled = np.compile(both, adaptive=False)
    assert compiled([1], [2], 4) == both([1], [2], 4)
    mine, theirs = [1], [1]
    assert compiled(mine, mine, 4) == both(theirs, theirs, 4)
    assert programs_of(compiled)


def test_what_is_handed_through_stays() -> None:
    """Lists that the loop does nothing with, or that no program can have."""

    def counts(log, odd, n):
        total = 0
        for i in range(n):
            total += i * i % 7
            if total % 50 == 49:
                log.append("at " + str(i))
                odd[0] = None
        return total

    compiled = np.compile(counts, adaptive=False)
    for n in (10, 100, 10):
        agree(compiled, (["begin"], [object] if n == 100 else [1, 2], n), f"{n} turns")


def test_kinds_of_numbers() -> None:
    def mixed(values, x, n):
        kept = []
        for i in range(n):
            kept.append((i, x[i % len(x)]))
            values[i % len(values)] += x[0]
        return kept, values

    compiled = np.compile(mixed, adaptive=False)
    for values in ([0.0, 1.0], [numpy.float64(1), 2.0], [0.5]):
        for dtype in ("f8", "f4", "i4", "u8"):
            agree(compiled, (list(values), numpy.arange(3).astype(dtype), 5), f"{values} {dtype}")
    agree(compiled, ([1, 2], numpy.arange(3.0), 5), "ints that become floats")
    agree(compiled, ([2**70], numpy.arange(3), 5), "an int of more than 64 bits")


def test_queues_and_stacks() -> None:
    def reached(walls, row, column):
        seen = numpy.zeros(walls.shape, bool)
        queue, count = [(row, column)], 0
        while queue:
            i, j = queue.pop(0)
            if i < 0 or j < 0 or i >= walls.shape[0] or j >= walls.shape[1] or walls[i, j] or seen[i, j]:
                continue
            seen[i, j] = True
            count += 1
            queue.extend([(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)])
        return count, seen

    compiled = np.compile(reached, adaptive=False)
    for size in (1, 5, 12):
        agree(compiled, (numpy.random.default_rng([SEED, size]).random((size, size)) < 0.3, 0, size // 2), f"{size}")
    assert programs_of(compiled)


def test_heaps() -> None:
    def merged(x, heap, n):
        out = []
        for i in range(n):
            heapq.heappush(heap, (x[i % len(x)], i))
            if i % 3 == 2:
                out.append(heapq.heappop(heap))
        return out

    def least(x, n):
        heap, s = [0.5], 0.0
        for i in range(n):
            heapq.heappush(heap, x[i % len(x)])
            if i % 4 != 2:
                s += heapq.heappop(heap) * i
            else:
                heap[-1] = x[0]
        return heap, s

    compiled = [np.compile(each, adaptive=False) for each in (merged, least)]
    for n in (0, 1, 2, 7, 100):
        x = numpy.random.default_rng([SEED, n]).random(30).round(1)
        agree(compiled[0], (x, [(0.5, 3)] if n % 2 else [], n), f"{n} turns")
        agree(compiled[1], (x, n), f"{n} turns")
        agree(compiled[1], (numpy.where(x > 0.8, numpy.nan, x), n), f"{n} turns with NaN")
    assert all(map(programs_of, compiled))
    agree(np.compile(least, adaptive=False), (numpy.zeros(0), 1), "a subscript that is not there")


def pops_and_adds(values):
    n = 0
    while n < 1:
        values[-1] += values.pop()
        n += 1
    return values


def pops_and_draws(rng, values):
    for _ in range(1):
        values[-1] = values.pop() * rng.random()
    return values


def draws_what_is_given_up(rng):
    s = 0.0
    for i in range(6):
        if i == 40:
            s = rng.random() + undefined_name  # noqa: F821 - it is never come to
        s += rng.normal()
    return s, rng.random()


def test_order_of_what_is_done() -> None:
    for values in ([1.0, 2.0, 3.0], [1.0, 2.0], [1.0], []):
        agree(np.compile(pops_and_adds, adaptive=False), (values,), str(values))
        for function, more in ((pops_and_draws, (values,)), (draws_what_is_given_up, ())):
            compiled = np.compile(function, adaptive=False)
            for _ in range(2):
                got = outcome(compiled, (numpy.random.default_rng(SEED), *(list(each) for each in more)))
                want = outcome(function, (numpy.random.default_rng(SEED), *(list(each) for each in more)))
                assert got == want


def test_changed_lists_whose_variables_become_something_else() -> None:
    def others(v: Any, g: Any, n: Any, log: Any) -> Any:
        first, s = v, 0
        for i in range(n):
            if i % 2 == 0:
                v[0] = v[0] + i
                v = g[i % 2]
                s = len(v)
            else:
                s = i
        return first, s

    def made_anew(v: Any, g: Any, n: Any, log: Any) -> Any:
        first, t = v, 0
        for i in range(n):
            v[0] = 5 + i
            for k in range(3):
                if k >= 1:
                    log.append(k)
                v = [k]
            t += v[0]
            v[0] = t
        return first, v, t

    def rows(v: Any, g: Any, n: Any, log: Any) -> Any:
        row = v
        for i in range(n):
            for j in range(2):
                row[(i + j) % len(row)] = i
                row = g[-(i % 2) - 1]
                log.append(j)
                if len(row) > i:
                    row = v
        return row

    for function in (others, made_anew, rows):
        compiled = np.compile(function, adaptive=False)
        for n in (3, 0, 1, 5):
            agree(compiled, ([1, 2], [[1, 2], [3, 4]], n, []), f"{function.__name__} {n}")


def deque_source(seed: int, statements: int) -> str:
    """A function f(x, n) with deques of numbers and of pairs."""
    rng = random.Random(seed)
    lines = ["def f(x, n):", "    q, p, t, s = deque([1]), deque(), 0, 0.5", "    for i in range(n):"]
    texts = [
        lambda: f"q.append({rng.choice(['i', 't', '-3'])})", lambda: "q.append(i * i)", lambda: "q.appendleft(t - i)",
        lambda: "p.append((i, x[i % len(x)]))",
        lambda: "p.appendleft((t, 0.5))", lambda: "t = q.popleft()", lambda: "t = q.pop()", lambda: "t, s = p.popleft()", lambda: "t, s = p.pop()",
        lambda: "t = q[0] + q[-1]", lambda: f"q[{rng.choice(['0', '-1', 'i % len(q)', 'i'])}] = t", lambda: "q.extend([i, t])", lambda: "q.clear()",
        lambda: "t = t + (3 if i in q else 4) + len(q) + len(p)", lambda: "q = deque([i, t])", lambda: "q.extend((t, 2))",
        lambda: "if q:\n            t = q.popleft()", lambda: "while len(q) > 3:\n            t = t + q.popleft()",
        lambda: "for t in range(3):\n            q.append(t)",
    ]  # fmt: skip
    lines += [f"        {rng.choice(texts)()}" for _ in range(statements)]
    if rng.random() < 0.4:
        lines += ["        if x[i % len(x)] > 0.8:", f"            {rng.choice(['break', 'return q, t', 'continue', 'x[0] = t', 'p.append((1, 2.0))'])}"]
    return "\n".join([*lines, f"    return {rng.choice(['q, p, t, s', 't, s', 'len(q), q, s'])}"]) + "\n"


def same_deques(x: Any, y: Any) -> bool:
    if isinstance(x, tuple) and isinstance(y, tuple):
        return len(x) == len(y) and all(map(same_deques, x, y))
    return same(list(x), list(y)) and type(x) is type(y) if isinstance(x, collections.deque) else same(x, y)


def test_deques() -> None:
    native = 0
    count = 300 if LONG else 30
    for seed in range(SEED * 1000, SEED * 1000 + count):
        for statements in (2, 5):
            source = deque_source(seed, statements)
            function = function_of(source, f"deques {seed} {statements}")
            function.__globals__["deque"] = collections.deque
            compiled = np.compile(function, adaptive=False)
            for n in (3, 0, 1, 12, 30):
                x = numpy.random.default_rng([SEED, n]).random(5)
                got, want = outcome(compiled, (x.copy(), n)), outcome(function, (x.copy(), n))
                assert same_deques(got, want), f"seed {seed}, {n} turns\n{source}: {got} where Python gives {want}"
            native += bool(programs_of(compiled))
    assert native > count // 2


def test_breadth_first() -> None:
    def distances(starts, ends, n):
        found = numpy.full(n, -1)
        queue = collections.deque([0])
        found[0] = 0
        while queue:
            node = queue.popleft()
            for k in range(len(starts)):
                if starts[k] == node and found[ends[k]] < 0:
                    found[ends[k]] = found[node] + 1
                    queue.append(ends[k])
        return found

    compiled = np.compile(distances, adaptive=False)
    for n in (1, 2, 10, 60):
        rng = numpy.random.default_rng([SEED, n])
        agree(compiled, (rng.integers(0, n, 2 * n), rng.integers(0, n, 2 * n), n), f"{n} nodes")
    assert programs_of(compiled)


def test_heaps_that_keep_their_size() -> None:
    def largest(x, k):
        heap = []
        for v in x:
            if len(heap) < k:
                heapq.heappush(heap, v)
            elif v > heap[0]:
                heapq.heapreplace(heap, v)
        return heap

    def pushed(x, heap, k):
        out, pairs = [], [(0.5, 1), (0.25, 2)]
        heapq.heapify(heap)
        for i in range(k):
            out.append(heapq.heappushpop(heap, x[i % len(x)]))
            first, second = heapq.heapreplace(pairs, (x[i % len(x)], i))
            out.append(first * second)
        return out, pairs, heap

    compiled = [np.compile(each, adaptive=False) for each in (largest, pushed)]
    for n in (0, 1, 2, 7, 40):
        x = numpy.random.default_rng([SEED, n]).random(30).round(1)
        agree(compiled[0], (x, n), f"{n} largest")
        for heap in (list(x[:n]), [], [0.5]):
            agree(compiled[1], (x, heap, n), f"{n} of {len(heap)}")
    assert all(map(programs_of, compiled))
