"""A smaller program that fails in the same way: fewer lines, results, calls; plain layouts; smaller elements."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

import numpy
from fuzz.arguments import Argument
from fuzz.programs import Program

Fails = Callable[[Program], bool]


def _without_a_line(program: Program) -> Iterator[Program]:
    for k in reversed(range(len(program.lines))):
        smaller = copy.deepcopy(program)
        del smaller.lines[k]
        yield smaller


def _without_a_result(program: Program) -> Iterator[Program]:
    for k in range(len(program.results) if len(program.results) > 1 else 0):
        smaller = copy.deepcopy(program)
        del smaller.results[k]
        yield smaller


def _without_a_call(program: Program) -> Iterator[Program]:
    for k in range(len(program.calls) if len(program.calls) > 1 else 0):
        smaller = copy.deepcopy(program)
        del smaller.calls[k]
        yield smaller


def _simpler_arguments(program: Program) -> Iterator[Program]:
    for call, arguments in enumerate(program.calls):
        for position, argument in enumerate(arguments):
            simpler: list[Argument] = []
            if argument.layout != "x":
                made = numpy.ascontiguousarray(argument.make())
                simpler.append(Argument(made, "x"))
            tame = numpy.nan_to_num(argument.elements, posinf=1, neginf=-1) if argument.elements.dtype.kind in "fc" else argument.elements
            simpler.append(Argument(numpy.ones_like(argument.elements), argument.layout))
            simpler.append(Argument(numpy.clip(tame.real, -3, 3).astype(tame.dtype) if tame.dtype.kind != "b" else tame, argument.layout))
            for axis, size in enumerate(argument.elements.shape):
                simpler += [Argument(argument.elements.take(range(n), axis), argument.layout) for n in {1, 2, size // 2, size - 1} if 0 < n < size]
            for other in simpler:
                if other.layout == argument.layout and numpy.array_equal(other.elements, argument.elements):
                    continue
                smaller = copy.deepcopy(program)
                smaller.calls[call][position] = other
                yield smaller


def shrink(program: Program, fails: Fails, most: int = 300) -> Program:
    """The last program found that still fails; `most` are tried."""
    tried = 0
    progress = True
    while progress:
        progress = False
        for family in (_without_a_line, _without_a_result, _without_a_call, _simpler_arguments):
            for smaller in family(program):
                tried += 1
                if tried > most:
                    return program
                if fails(smaller):
                    program, progress = smaller, True
                    break
            if progress:
                break
    return program
