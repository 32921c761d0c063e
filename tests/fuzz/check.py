"""Runs a program as NumPy does and as fastnp does, and says how they differ: values, dtypes, strides, shared memory, arguments."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
from fuzz.careful import slack
from fuzz.programs import Program, magnitude, random_program
from fuzz.shrink import shrink

import fastnp

WAYS = ["compiled", "eager", "interpreted"]  # "interpreted": recorded, and run by precompiled kernels


class Differs(AssertionError):
    """What fastnp gave is not what NumPy gave."""


def outcome(function: Any, arguments: list[Any]) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        return error


def builtin_kind(error: Exception) -> type:
    return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")


def same_elements(got: numpy.ndarray, want: numpy.ndarray, bound: float) -> bool:
    with numpy.errstate(all="ignore"):
        if bound > 0 and want.dtype.kind in "fc":
            scale = max(1.0, magnitude(want))
            close = numpy.isclose(got, want, rtol=0, atol=max(bound, float(numpy.finfo(want.dtype).eps) * 64) * scale, equal_nan=True)
            return bool(close.all())
        if want.dtype.kind == "c":
            return same_elements(got.real, want.real, 0.0) and same_elements(got.imag, want.imag, 0.0)
        equal = got == want
        if want.dtype.kind == "f":
            equal = numpy.where(numpy.isnan(want), numpy.isnan(got), equal & (numpy.signbit(got) == numpy.signbit(want)))
        return bool(numpy.all(equal))


def steps(x: numpy.ndarray) -> list[int]:
    return [step for step, size in zip(x.strides, x.shape, strict=True) if size > 1]


def compare(name: str, got: Any, want: Any, bound: float, lies_as_well: bool = True) -> None:
    got, want = numpy.asarray(got), numpy.asarray(want)
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        raise Differs(f"{name}: {got.dtype}{got.shape} where NumPy gives {want.dtype}{want.shape}")
    if not same_elements(got, want, bound):
        raise Differs(f"{name} (bound {bound:.3g}):\n{got!r}\nwhere NumPy gives\n{want!r}")
    if lies_as_well and want.size and steps(got) != steps(want):
        raise Differs(f"{name}: strides {got.strides} where NumPy has {want.strides} (shape {want.shape})")


def wobble(program: Program, call: int, reference: Any, result: int) -> float:
    """How far a result moves when the arguments do by a few last places: bounds are those of the first call, and others may be worse conditioned."""
    ends = []
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for sign in (1, -1):
            moved = [argument.make() for argument in program.calls[call]]
            for x in moved:
                if x.dtype.kind in "fc" and x.flags.writeable:
                    x *= x.dtype.type(1 + sign * 4 * numpy.finfo(x.dtype).eps)
            ends.append(outcome(reference, moved))
    if any(isinstance(end, Exception) for end in ends):
        return 0.0
    low, high = (numpy.asarray(end[result]) for end in ends)
    if low.shape != high.shape or low.dtype.kind not in "fc":
        return 0.0
    with numpy.errstate(all="ignore"):
        return magnitude(low - high) * 16


def check_call(program: Program, call: int, way: str, function: Any, reference: Any) -> None:
    mine = [argument.make() for argument in program.calls[call]]
    theirs = [argument.make() for argument in program.calls[call]]
    given = [fastnp.asarray(x) for x in mine] if way == "eager" else mine
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want = outcome(reference, theirs)
        got = outcome(function, given)
    if isinstance(want, Exception) or isinstance(got, Exception):
        if not (isinstance(want, Exception) and isinstance(got, Exception) and isinstance(got, builtin_kind(want))):
            raise Differs(f"{got!r} where NumPy gives {want!r}")
    else:
        lies_as_well = all(x.size for x in theirs)  # results of arrays without elements lie otherwise (docs/roadmap.md)
        for i, (name, g, w) in enumerate(zip(program.results, got, want, strict=True)):
            if way != "eager" and type(g) is not type(w):
                raise Differs(f"{name}: {type(g)} where NumPy gives {type(w)}")
            bound = program.bounds.get(name, 0.0) * (1 if call == 0 else 100)
            try:
                compare(name, g, w, bound, lies_as_well)
            except Differs:
                more = slack(program, call)[name]
                if bound > 0 and call > 0:
                    more += wobble(program, call, reference, i)
                if more == 0:
                    raise
                if numpy.isfinite(more):
                    compare(name, g, w, bound + more, lies_as_well)
            if way == "eager":
                continue
            for j in range(i):
                if numpy.shares_memory(g, got[j]) != numpy.shares_memory(w, want[j]):
                    raise Differs(f"{name} and {program.results[j]} share memory: {numpy.shares_memory(g, got[j])}, in NumPy not so")
            for parameter, x, y in zip(program.names, mine, theirs, strict=True):
                if numpy.shares_memory(g, x) != numpy.shares_memory(w, y):
                    raise Differs(f"{name} shares memory with argument {parameter}: {numpy.shares_memory(g, x)}, in NumPy not so")
    if isinstance(want, Exception):
        return
    for parameter, x, y in zip(program.names, mine, theirs, strict=True):
        bound = program.bounds.get(parameter, 0.0) * (1 if call == 0 else 100)
        try:
            compare(f"argument {parameter}", x, y, bound)
        except Differs:
            more = slack(program, call)[parameter]
            if more == 0:
                raise
            if numpy.isfinite(more):
                compare(f"argument {parameter}", x, y, bound + more)


def check_values(program: Program, way: str) -> None:
    """Each call's results: of other sizes and layouts the later ones, and the first once more."""
    reference = program.function(numpy)
    backend = "llvm" if way == "compiled" else "eager"
    function = program.function(fastnp) if way == "eager" else fastnp.compile(program.function(numpy), backend=backend)
    for call in [0, *range(len(program.calls)), 0]:
        check_call(program, call, way, function, reference)


def as_moved(x: numpy.ndarray, rng: numpy.random.Generator) -> numpy.ndarray:
    """It, or a copy where what is like it lies in another order, on which results may depend (order="A"); no two elements are equal (sorts have kinks)."""
    copy = x.copy(order="K")
    same = (copy.flags.c_contiguous, copy.flags.f_contiguous) == (x.flags.c_contiguous, x.flags.f_contiguous)
    if not same or not x.flags.writeable or any(step == 0 for step, size in zip(x.strides, x.shape, strict=True) if size > 1):
        x = copy
    x += rng.uniform(-0.01, 0.01, x.shape)
    return x


def check_gradient(program: Program) -> None:
    """The derivative of a weighted sum of the results, along a random direction, beside a difference."""
    rng = numpy.random.default_rng(program.seed)
    arguments = [as_moved(argument.make(), rng) for argument in program.calls[0]]
    inner = program.function(numpy)

    def loss(*given: Any) -> Any:
        total = 0.0
        for k, result in enumerate(inner(*given)):
            total = total + (result * (1.0 + 0.5 * k)).sum()
        return total

    directions = [rng.normal(size=x.shape) for x in arguments]
    step = 1e-5
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ends = []
        for sign in (1, -1, 0.5, -0.5, 0):
            moved = [x.copy(order="K") for x in arguments]
            for x, d in zip(moved, directions, strict=True):
                x += sign * step * d
            end = outcome(loss, moved)
            if isinstance(end, Exception):
                return  # a mask that picks another number of elements now
            ends.append(end)
        coarse, fine = (ends[0] - ends[1]) / (2 * step), (ends[2] - ends[3]) / step
        # From one side and from the other: they come together with the step, but for a kink (a sort of equal numbers).
        bends = [abs(ends[k] + ends[k + 1] - 2 * ends[4]) / part for k, part in ((0, step), (2, step / 2))]
        if bends[0] > 1e-6 * max(1.0, abs(fine)) and bends[1] > 0.75 * bends[0]:
            return
        if not numpy.isfinite(fine) or abs(coarse - fine) > 1e-6 * max(1.0, abs(fine)) or abs(ends[0]) > 1e4:
            return  # near a kink, or too large for a difference
        gradient = fastnp.grad(loss, argnums=tuple(range(len(arguments))))
        for derived in (gradient, fastnp.compile(gradient)):
            slopes = outcome(derived, arguments)
            if isinstance(slopes, TypeError) and "derivative would be lost" in str(slopes):
                return  # said, and so not silent
            if isinstance(slopes, Exception):
                raise Differs(f"{slopes!r} in the place of a derivative")
            got = sum(float((numpy.asarray(s) * d).sum()) for s, d in zip(slopes, directions, strict=True))
            if not abs(got - fine) <= 1e-4 * max(1.0, abs(fine)):
                raise Differs(f"derivative along a direction: {got}, by differences {fine}")


def check_mapped(program: Program) -> None:
    """vmap beside a loop over the parts."""
    batches = [[argument.make() for argument in program.calls[0]] for _ in range(3)]
    for k, batch in enumerate(batches):
        batches[k] = [numpy.array(numpy.roll(x, k)) for x in batch]
    if any(x.dtype.kind == "c" and numpy.isnan(x).any() for x in batches[0]):
        return  # NumPy's complex scalars, which parts may be, compare with NaN as its arrays do not
    stacks = [numpy.stack(column) for column in zip(*batches, strict=True)]
    reference = program.function(numpy)
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        rows = [outcome(reference, [x[k].copy() for x in stacks]) for k in range(len(batches))]  # parts of an array of one axis are scalars
        if any(isinstance(row, Exception) for row in rows):
            return
        if len({tuple((numpy.shape(x), numpy.asarray(x).dtype) for x in row) for row in rows}) > 1:
            return
        mapped = outcome(fastnp.compile(fastnp.vmap(program.function(numpy))), stacks)
    if isinstance(mapped, Exception):
        return  # an error is no wrong result (values that decide, sizes that differ)
    for i, name in enumerate(program.results):
        want = numpy.stack([numpy.asarray(row[i]) for row in rows])
        got = numpy.asarray(mapped[i])
        if (got.dtype, got.shape) != (want.dtype, want.shape) or not same_elements(got, want, program.bounds.get(name, 0.0) * 100):
            if not numpy.isfinite(slack(program, 0)[name]):
                continue
            raise Differs(f"vmap, {name}:\n{got!r}\nwhere a loop gives\n{want!r}")


def check(program: Program, way: str) -> None:
    if way == "gradient":
        check_gradient(program)
    elif way == "mapped":
        check_mapped(program)
    else:
        check_values(program, way)


def error_of(program: Program, way: str) -> Exception | None:
    try:
        check(program, way)
    except Exception as error:
        return error
    return None


def failure_of(seed: int, ways: list[str]) -> str | None:
    """Runs the program of a seed in one of the ways; what is wrong, with a smaller program that fails as well."""
    program = random_program(seed)
    way = str(numpy.random.default_rng([seed, 2]).choice(ways))
    if program.kind == "differentiable" and "gradient" in ways:
        way = "gradient"
    elif way == "gradient":
        way = ways[0]
    error = error_of(program, way)
    if error is None:
        return None
    smaller = shrink(program, lambda p: type(error_of(p, way)) is type(error))
    return f"FAILED seed {seed}, {way}: {type(error).__name__}\n{smaller.standalone()}\n# {way}: {error_of(smaller, way)}"
