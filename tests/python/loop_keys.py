"""Random programs over arrays of keys: dicts, sets and deques in native loops, against Python's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from loop_source import function_of
from support import LONG, SEED
from test_loop_dicts import agree
from test_native_loops import programs_of

import fastnp as np

SIZES = (2, 1, 0, 7, 100)


def whole_numbers(call: int, seed: int) -> Any:
    return numpy.random.default_rng([seed, call]).integers(-3, 6, 5)


def run_random_programs(
    title: str,
    part: int,
    source_of: Callable[[int, int], str],
    statements: tuple[int, ...] = (2, 4),
    keys: Callable[[int, int], Any] = whole_numbers,
    count: int = 8,
    **names: Any,
) -> None:
    """`source_of(seed, statements)`: a program. `keys(call, seed)`: what it is called with, beside a size; `count`: how many seeds; `names`: what
    it names besides."""
    count = 200 if LONG else count
    native, first = 0, SEED * 1000 + part * 10**7
    for seed in range(first, first + count):
        for how_many in statements:
            source = source_of(seed, how_many)
            function = function_of(source, f"{title} {seed} {how_many}")
            function.__globals__.update(names)
            compiled = np.compile(function, adaptive=False)
            for call, n in enumerate(SIZES):
                agree(compiled, (keys(call, seed), n), f"seed {seed}, call {call}\n{source}")
            native += bool(programs_of(compiled))
    assert native > count // 2, f"{title}, seeds from {first}: {native} native ones"  # of several times as many
