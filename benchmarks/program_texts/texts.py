"""Texts, tables and bytes: parsed, sorted, checked, packed, as people write them with NumPy; ``PROGRAMS``: entries, with what makes their arguments."""

from __future__ import annotations

import heapq
import io
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from program_texts.made import log

# Expressions: tokens, a tree by precedence, values over arrays


POWERS = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}


FUNCTIONS = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "abs": np.abs}


def tokenize(text):
    tokens, i = [], 0
    while i < len(text):
        c = text[i]
        if c.isspace():
            i += 1
        elif c.isdigit() or c == ".":
            j = i
            while j < len(text) and (text[j].isdigit() or text[j] == "."):
                j += 1
            tokens.append(("number", float(text[i:j])))
            i = j
        elif c.isalpha():
            j = i
            while j < len(text) and text[j].isalnum():
                j += 1
            tokens.append(("name", text[i:j]))
            i = j
        else:
            tokens.append(("sign", c))
            i += 1
    return tokens


class Parser:
    def __init__(self, text, variables):
        self.tokens = tokenize(text)
        self.at = 0
        self.variables = variables

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", None)

    def take(self):
        token = self.peek()
        self.at += 1
        return token

    def atom(self):
        kind, value = self.take()
        if kind == "number":
            return value
        if kind == "name":
            if value in FUNCTIONS:
                return FUNCTIONS[value](self.atom())
            return self.variables[value]
        if value == "-":
            return -self.atom()
        if value == "(":
            inner = self.expression(1)
            self.take()
            return inner
        raise SyntaxError(f"unexpected {value!r}")

    def expression(self, lowest):
        left = self.atom()
        while self.peek()[0] == "sign" and POWERS.get(self.peek()[1], 0) >= lowest:
            sign = self.take()[1]
            right = self.expression(POWERS[sign] + 1)
            if sign == "+":
                left = left + right
            elif sign == "-":
                left = left - right
            elif sign == "*":
                left = left * right
            elif sign == "/":
                left = left / right
            else:
                left = left**right
        return left


def expressions(texts, x, y):
    results = np.zeros((len(texts), len(x)))
    failed = {}
    for i, text in enumerate(texts):
        try:
            results[i] = Parser(text, {"x": x, "y": y, "pi": np.pi}).expression(1)
        except (SyntaxError, KeyError) as error:
            failed[i] = str(error)
            results[i] = np.nan
    return np.nan_to_num(results, nan=-1.0), failed


# Merge sort


def merge(a, b):
    out = np.empty(len(a) + len(b), a.dtype)
    i = j = 0
    for k in range(len(out)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


def mergesort(x):
    if len(x) <= 1:
        return x
    middle = len(x) // 2
    return merge(mergesort(x[:middle]), mergesort(x[middle:]))


# Check sums by a table, of packets


def crc_table():
    table = np.zeros(256, np.uint32)
    for i in range(256):
        c = i
        for _ in range(8):
            c = (c >> 1) ^ 0xEDB88320 if c & 1 else c >> 1
        table[i] = c
    return table


def crc32(data, table):
    c = 0xFFFFFFFF
    for byte in data:
        c = int(table[(c ^ int(byte)) & 0xFF]) ^ (c >> 8)
    return c ^ 0xFFFFFFFF


def checksums(data, size):
    table = crc_table()
    sums = []
    for start in range(0, len(data), size):
        packet = data[start : start + size]
        if not packet.any():
            continue
        sums.append(crc32(packet, table))
    return np.array(sums, dtype=np.uint32), table


# Edit distances between all words, and groups of near ones


def edits(a, b):
    row = np.arange(len(b) + 1)
    for i, x in enumerate(a, 1):
        previous, row = row, np.empty_like(row)
        row[0] = i
        for j, y in enumerate(b, 1):
            row[j] = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y))
    return row[-1]


def word_distances(words):
    n = len(words)
    d = np.zeros((n, n), dtype=int)
    for i in range(n):
        for j in range(i + 1, n):
            d[i, j] = d[j, i] = edits(words[i], words[j])
    groups, left = [], set(range(n))
    while left:
        seed = min(left)
        group = sorted(k for k in left if d[seed, k] <= 4)
        left -= set(group)
        groups.append([words[k] for k in group])
    return d, groups


# Accounts and transfers


@dataclass
class Account:
    owner: str
    balance: float = 0.0
    history: list = field(default_factory=list)

    def add(self, amount):
        if self.balance + amount < 0:
            raise ValueError(f"{self.owner} has {self.balance:.2f}")
        self.balance += amount
        self.history.append(amount)


def ledger(sources, targets, amounts):
    accounts = defaultdict(lambda: Account("", 100.0))
    refused = 0
    for a, b, amount in zip(sources, targets, amounts, strict=True):
        if a == b:
            continue
        try:
            accounts[a].add(-amount)
        except ValueError as error:
            log.info("refused: %s", error)
            refused += 1
            continue
        accounts[b].add(amount)
    keys = sorted(accounts)
    table = np.array([(accounts[k].balance, len(accounts[k].history), np.std(accounts[k].history or [0])) for k in keys])
    return table, refused, table[table[:, 1] > table[:, 1].mean(), 0].sum()


# Runs and Huffman codes of a row of numbers


def runs(x):
    ends = np.flatnonzero(np.diff(x)) + 1
    starts = np.concatenate([[0], ends])
    return x[starts], np.diff(np.concatenate([starts, [len(x)]]))


def huffman(values):
    symbols, counts = np.unique(values, return_counts=True)
    heap = [(int(c), i, [int(s)]) for i, (s, c) in enumerate(zip(symbols, counts, strict=True))]
    lengths = {int(s): 0 for s in symbols}
    heapq.heapify(heap)
    n = len(heap)
    while len(heap) > 1:
        a, _, left = heapq.heappop(heap)
        b, _, right = heapq.heappop(heap)
        for s in left + right:
            lengths[s] += 1
        heapq.heappush(heap, (a + b, n, left + right))
        n += 1
    return lengths


def pack(images):
    out = io.StringIO()
    sizes = []
    for i, image in enumerate(images):
        values, counts = runs(image.ravel())
        lengths = huffman(counts)
        size = sum(lengths[int(c)] for c in counts)
        back = np.repeat(values, counts).reshape(image.shape)
        if not (back == image).all():
            raise RuntimeError(f"image {i}")
        sizes.append(size)
        out.write(f"{i}: {len(values)} runs, {size} bits\n")
    return np.array(sizes), out.getvalue()


# Measurements out of text


def read_table(text):
    columns, rows = None, []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        cells = line.split(",")
        if columns is None:
            columns = cells
            continue
        try:
            rows.append([float(c) if c else np.nan for c in cells])
        except ValueError:
            log.warning("line %d is no row", number)
    data = np.array(rows)
    return {name: data[:, k] for k, name in enumerate(columns)}


def rolling(x, width):
    sums = np.cumsum(np.insert(x, 0, 0.0))
    return (sums[width:] - sums[:-width]) / width


def table_report(text):
    table = read_table(text)
    summary = {}
    for name, values in table.items():
        good = ~np.isnan(values)
        filled = np.interp(np.arange(len(values)), np.flatnonzero(good), values[good])
        smooth = rolling(filled, 7)
        z = (filled - filled.mean()) / filled.std()
        summary[name] = {"mean": filled.mean(), "top": smooth.max(), "odd": np.flatnonzero(np.abs(z) > 2.5)}
    lines = [f"{name:>8} {s['mean']:9.3f} {s['top']:9.3f} {len(s['odd']):3d}" for name, s in summary.items()]
    return summary, "\n".join(lines)


TEXTS = [
    "x + y * 2",
    "sin(x) ^ 2 + cos(y) ^ 2",
    "(x - y) / (x + y + 1.5)",
    "sqrt(abs(x * y)) - pi",
    "x ^ 2 ^ 2",
    "-x * 3 + z",
    "2 * (x +",
    "1 + 2 * 3",
] * 4


WORDS = "array arrays stray tray compile compiler complete replete number numbers lumber loop loops slope shape shapes".split()


def transfers(count: int) -> tuple[list[int], list[int], list[float]]:
    rng = np.random.default_rng(6)
    return rng.integers(0, 40, count).tolist(), rng.integers(0, 40, count).tolist(), (100 * rng.random(count)).tolist()


def table_text(count: int) -> str:
    rng = np.random.default_rng(9)
    lines = ["# measured", "time,heat,load"]
    for k in range(count):
        lines.append(f"{k},{20 + rng.normal():.3f},{rng.random():.3f}" if k % 17 else f"{k},,{rng.random():.2f}")
    return "\n".join([*lines, "end,of,file"])


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "expressions": (expressions, lambda: (TEXTS, np.linspace(0.1, 3, 50), np.linspace(2, 1, 50))),
    "mergesort": (mergesort, lambda: (np.random.default_rng(1).random(2000),)),
    "checksums": (checksums, lambda: (np.random.default_rng(2).integers(0, 256, 20000).astype(np.uint8), 500)),
    "words": (word_distances, lambda: (WORDS,)),
    "ledger": (ledger, lambda: transfers(3000)),
    "pack": (pack, lambda: ((np.random.default_rng(5).random((10, 60, 60)) < 0.1).astype(np.uint8),)),
    "table": (table_report, lambda: (table_text(1500),)),
}
