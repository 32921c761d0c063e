"""Functions of the outside and draws of random numbers in a function that `vmap` maps: made for one part after the other, in the order of the loop.

A function without state is called once with all parts, and loops over them. Draws wait: the function goes on with what stands for their results, whose
form a first draw tells that is taken back, and all draws from one generator are made by one loop when the function has ended, part by part. What a
function of the outside is to be given of them has to be drawn before; then no draw from that generator can follow.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy

from fastnp import _core, _fallback, _stand_ins
from fastnp._held import held
from fastnp._outside import Outside, is_generator, unchanged


class _Local(threading.local):
    def __init__(self) -> None:
        self.levels: list[Any] = []  # the vmaps that this thread is in, the innermost last
        self.watches: list[Watch] = []


_local = _Local()


def is_active() -> bool:
    return bool(_local.levels)


@contextmanager
def entered(parts: Calls) -> Iterator[None]:
    """Within, a function is mapped."""
    _local.levels.append(parts)
    before = _core._set_mapped(tuple(_local.levels))
    try:
        yield
    finally:
        _core._set_mapped(before)
        _local.levels.pop()


@contextmanager
def _suspended() -> Iterator[None]:
    """Within, what is called is in no vmap."""
    levels, _local.levels = _local.levels, []
    before = _core._set_mapped(None)
    try:
        yield
    finally:
        _core._set_mapped(before)
        _local.levels = levels


def _map(function: Callable[[Any], Any], tree: Any) -> Any:
    if isinstance(tree, tuple) and hasattr(tree, "_make"):
        return tree._make([_map(function, item) for item in tree])
    if type(tree) in (tuple, list):
        return type(tree)([_map(function, item) for item in tree])
    if type(tree) is dict:
        return {key: _map(function, item) for key, item in tree.items()}
    return function(tree)


def _leaves(tree: Any) -> list[Any]:
    found: list[Any] = []
    _map(found.append, tree)
    return found


class Loop:
    """Steps, each a function and which of its arguments are stacks of parts; gives what each step gave, stacked."""

    def __init__(self, steps: list[tuple[Outside, list[bool]]], source: Outside | None, initial: Any) -> None:
        self.steps = steps
        self.source = source
        self.gives_views = False  # of what it was given, which are copies in its results
        self.initial = initial  # of a generator that the function makes anew for each part: its state then

    def __call__(self, count: int, *given: Any) -> Any:
        made: list[list[Any]] = [[] for _ in self.steps]
        for k in range(count):
            if self.source is not None and self.initial is not None:
                self.source.restore(self.initial)
            for results, (step, varies), tree in zip(made, self.steps, given, strict=True):
                args, kwargs = part_of(tree, iter(varies), k)
                results.append(step.counted(*args, **kwargs))
                self.gives_views = self.gives_views or _shares(results[-1], (args, kwargs))
        return tuple(stacked(step.__name__, results) for results, (step, _) in zip(made, self.steps, strict=True))


def _shares(result: Any, given: Any) -> bool:
    arrays = [leaf for leaf in _leaves(given) if type(leaf) is numpy.ndarray]
    return any(type(leaf) is numpy.ndarray and any(numpy.may_share_memory(leaf, array) for array in arrays) for leaf in _leaves(result))


def part_of(tree: Any, varies: Iterator[bool], k: int) -> Any:
    return _map(lambda leaf: leaf[k] if next(varies) else leaf, tree)


class Looped(Outside):
    """A loop as a function of the outside. Its steps are counted, not the loop."""

    __slots__ = ()

    def counted(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def stacked(name: str, results: list[Any]) -> Any:
    """What a function gave for each part, as one; TypeError where they differ in more than the elements of arrays."""
    first = results[0]
    if not isinstance(first, (numpy.generic, tuple, list)) and _core._overrides(first):
        raise TypeError(f"vmap: {name} gives a {type(first).__name__}, which can't be mapped over the parts of an array")
    if type(first) in (tuple, list) or (isinstance(first, tuple) and hasattr(first, "_make")):
        if any(type(each) is not type(first) or len(each) != len(first) for each in results):
            raise TypeError(f"vmap: {name} gives a {type(first).__name__} of {len(first)} for one part, and something else for another")
        parts = [stacked(name, list(column)) for column in zip(*results, strict=True)]
        return first._make(parts) if hasattr(first, "_make") else type(first)(parts)
    if first is None or isinstance(first, (str, bytes)):
        if any(type(each) is not type(first) or each != first for each in results):
            raise TypeError(f"vmap: {name} gives {first!r} for one part, and something else for another")
        return first
    arrays = [numpy.asarray(each) for each in results]
    for array in arrays[1:]:
        if (array.dtype, array.shape) != (arrays[0].dtype, arrays[0].shape):
            raise TypeError(
                f"vmap: {name} gives an array of shape {arrays[0].shape} and dtype {arrays[0].dtype} for one part, and one of shape {array.shape} "
                f"and dtype {array.dtype} for another"
            )
    if not _core._is_supported(arrays[0]):
        raise TypeError(f"vmap: {name} gives a {type(first).__name__}, which can't be mapped over the parts of an array")
    return numpy.stack(arrays)


def _carries(leaf: Any) -> bool:
    return type(leaf) is _core.ndarray and (leaf.dtype.kind in "fc" or leaf.dtype.name == "bfloat16")


def _without_derivative(results: Any, given: Any, name: str) -> Any:
    """What stands for the results of a call depends on no mark that its arguments depend on: a derivative that comes there must not pass for zero."""
    operands, outputs = list(filter(_carries, _leaves(given))), list(filter(_carries, _leaves(results)))
    if not operands or not outputs:
        return results
    noted = iter(_core._without_derivative(operands, outputs, name))

    def put(leaf: Any) -> Any:
        if not _carries(leaf):
            return leaf
        array = next(noted)
        return array[()] if _core._is_scalar(leaf) else array

    return _map(put, results)


def _not_to_be_written(leaf: Any) -> Any:
    """What is a view of an argument for NumPy: a write to the copy would be lost."""
    return _core.broadcast_to(leaf, leaf.shape) if type(leaf) is _core.ndarray and leaf.ndim else leaf


class Draws:
    """The draws from one generator that wait."""

    def __init__(self, source: Outside, initial: Any) -> None:
        self.source = source
        self.initial = initial
        self.steps: list[tuple[Outside, list[bool]]] = []
        self.given: list[Any] = []
        self.places: list[list[int]] = []  # of each step's results among the examples
        self.are_made = False


class Calls:
    """What a vmap keeps of calls of the outside. `Parts` is one, which has the examples."""

    size: Any
    number: int
    examples: list[Any]
    values: list[Any]
    axes: list[int]

    def __init__(self) -> None:
        self.draws: dict[int, Draws] = {}  # by the generator's id
        self.fresh: dict[int, tuple[Any, Any]] = {}  # generators that the function makes, and their states then
        self.raised: tuple[str, Exception] | None = None  # the last call that raised for a part

    def add_given(self, array: Any) -> Any:
        """An array that stands for any one of the parts of what a call gave."""
        raise NotImplementedError

    def varies(self, leaf: Any) -> bool:
        return type(leaf) is _core.ndarray and _core._depends_on(leaf, self.examples)

    def all_parts(self, leaf: Any) -> Any:
        return _core._batch(self.examples, self.values, self.axes, [leaf], self.number)[0] if self.varies(leaf) else leaf

    def call(self, outside: Outside, given: Any, depth: int) -> Any:
        source = None if outside.source is None else self._draws_of(outside)
        self._make_needed(outside, given, source, depth)
        varies = [self.varies(leaf) for leaf in _leaves(given)]
        if source is None and not any(varies):
            return _call(outside, given, depth - 1)
        if self.size == 0:
            raise ValueError(f"vmap: {outside.__name__} can't be called for the parts of an array that has none")
        all_given = _map(self.all_parts, given)
        if source is None:
            steps = Loop([(outside, varies)], None, None)
            loop = Looped(outside.__name__, steps, None, outside.native)
            try:
                (result,) = _call(loop, ((self.size, all_given), {}), depth - 1)
            except Exception as error:
                self.raised = outside.__name__, error
                raise
            made = _without_derivative(_map(lambda leaf: self.add_given(leaf) if type(leaf) is _core.ndarray else leaf, result), given, outside.__name__)
            if not steps.gives_views:
                return made
            for leaf in _leaves(given):
                if type(leaf) is _core.ndarray:
                    _core._refuse_writes(leaf)
            return _map(_not_to_be_written, made)
        source.steps.append((outside, varies))
        source.given.append(all_given)
        source.places.append([])

        def stand_in(leaf: Any) -> Any:
            if not isinstance(leaf, numpy.ndarray):
                return leaf
            source.places[-1].append(len(self.examples))
            return self.add_given(_core.zeros((self.size, *leaf.shape[1:]), dtype=leaf.dtype))

        return _without_derivative(_map(stand_in, tried(outside, all_given, varies, depth)), given, outside.__name__)

    def check_caught(self) -> None:
        """At the end of the function: what a call raises for one part, the function would catch for all."""
        if self.raised is not None:
            name, error = self.raised
            raise TypeError(f"vmap: {name} raises an error for a part, which the function catches for all of them ({error})") from error

    def _draws_of(self, outside: Outside) -> Draws:
        key = id(outside.source)
        if key not in self.draws:
            self.draws[key] = Draws(outside, self.fresh.get(key, (None, None))[1])
        return self.draws[key]

    # What the arguments depend on is drawn now; of the generator itself nothing may be drawn yet that they depend on.
    def _make_needed(self, outside: Outside, given: Any, source: Draws | None, depth: int) -> None:
        arrays = [leaf for leaf in _leaves(given) if type(leaf) is _core.ndarray]
        for draws in list(self.draws.values()):
            waiting = [self.examples[place] for places in draws.places for place in places]
            if not draws.are_made and waiting and any(_core._depends_on(array, waiting) for array in arrays) and draws is not source:
                self.make(draws, depth)
            elif draws is source and waiting and any(_core._depends_on(array, waiting) for array in arrays):
                raise TypeError(
                    f"vmap: the arguments of {outside.__name__} depend on an earlier draw from the same generator, so the parts can't be drawn one after "
                    "the other; draw from another generator, or outside of the function"
                )
        if source is not None and source.are_made:
            raise TypeError(
                f"vmap: {outside.__name__} draws from a generator whose earlier draws were handed to a function of the outside, so the parts can't be "
                "drawn one after the other; draw from another generator, or outside of the function"
            )

    def make(self, draws: Draws, depth: int) -> None:
        """Draws for all parts what waits."""
        draws.are_made = True
        loop = Looped(draws.steps[0][0].__name__, Loop(draws.steps, draws.source, draws.initial), draws.source.source)
        results = _call(loop, ((self.size, *draws.given), {}), depth - 1)
        for places, result in zip(draws.places, results, strict=True):
            found = [leaf for leaf in _leaves(result) if type(leaf) is _core.ndarray]
            for place, array in zip(places, found, strict=True):
                if array.shape != self.values[place].shape or array.dtype != self.values[place].dtype:
                    raise TypeError(f"vmap: {loop.__name__} gives arrays of a shape or dtype that depends on what is drawn")
                self.values[place] = array

    def make_all(self) -> None:
        """At the end of the function."""
        depth = len(_local.levels)
        for draws in list(self.draws.values()):
            if not draws.are_made:
                self.make(draws, depth)


def tried(outside: Outside, given: Any, varies: list[bool], depth: int) -> Any:
    """What a draw for the first part gives, stacked; the generator is left as it was."""
    flags = iter(varies)
    levels = _local.levels[: depth - 1]

    def first(leaf: Any) -> Any:
        is_stack = next(flags)
        if type(leaf) in (_core._Size, _core._Float):
            return _core._at_hand(_core.asarray(leaf)).item()
        if type(leaf) is not _core.ndarray:
            return leaf
        for level in reversed(levels):
            whole = level.all_parts(leaf)
            leaf = whole[0] if whole is not leaf else leaf
        value = _core._at_hand(leaf)
        return value[0] if is_stack else value[()]

    args, kwargs = _map(first, given)
    state = outside.save()
    try:
        with _suspended():
            return stacked(outside.__name__, [outside.function(*args, **kwargs)])
    finally:
        outside.restore(state)


def call(outside: Outside, args: Any, kwargs: Any) -> Any:
    """Calls it for each part of the vmaps around."""
    return _call(outside, (args, kwargs), len(_local.levels))


def _call(outside: Outside, given: Any, depth: int) -> Any:
    if depth > 0:
        return _local.levels[depth - 1].call(outside, given, depth)
    args, kwargs = given
    with _suspended():
        if _core._is_recording():
            return _core._call_outside(outside, args, kwargs)
        originals: dict[int, Any] = {}
        plain, named = _fallback.to_numpy(args, originals), _fallback.to_numpy(kwargs, originals)

        if isinstance(outside, Looped):
            return _shared(outside, plain, named, originals)

        def made() -> Any:
            args, kwargs = _map(_as_own, (plain, named)) if outside.native else (plain, named)
            return _fallback.from_numpy(outside.counted(*args, **kwargs), originals)

        with _drawing(outside.source):
            return _core._unrecorded(made)


def _shared(outside: Looped, args: Any, kwargs: Any, originals: dict[int, Any]) -> Any:
    """A loop over parts, whose steps may not write: what they are given is not theirs, or is the same array for all parts."""
    args, kwargs = _map(_read_only, (args, kwargs))
    if outside.native:
        args, kwargs = _map(_as_own, (args, kwargs))
    what = (
        f"vmap: {outside.__name__} writes to an array that all parts share ({_stand_ins.place()}): make it with functions of fastnp, or compile the "
        "function"
    )

    def made() -> Any:
        return _fallback.from_numpy(unchanged(outside.counted, what, args, kwargs), originals)

    try:
        with _drawing(outside.source):
            return _core._unrecorded(made)
    except ValueError as error:
        if "read-only" in str(error) or "array is not acceptable" in str(error):
            raise TypeError(what) from error
        raise


def _read_only(value: Any) -> Any:
    if type(value) is not numpy.ndarray:
        return value
    view = value.view()
    view.setflags(write=False)
    return view


def _as_own(value: Any) -> Any:
    return _core.asarray(value) if isinstance(value, numpy.ndarray) and _core._is_supported(value) else value


def depends(value: Any) -> bool:
    """Whether something in it differs from part to part of a vmap around."""
    return any(level.varies(leaf) for leaf in _leaves(value) for level in _local.levels)


def note_fresh(generator: Any) -> None:
    """A generator that a mapped function makes: it starts anew for each part."""
    if _local.levels:
        _local.levels[-1].fresh[id(generator)] = generator, Outside("", None, generator).save()  # type: ignore[arg-type]  # it is not called


def forget(generator: Any) -> None:
    """It was started from what nobody knows."""
    if _local.levels:
        _local.levels[-1].fresh.pop(id(generator), None)


_TWISTER_BYTES = 625 * 4  # its numbers, and the place among them


def _fingerprint(source: Any, is_thorough: bool) -> Any:
    """What a draw changes in a generator. NumPy takes 0.2 ms for the state of a Mersenne Twister; its memory lacks the normal number that may be kept."""
    if not hasattr(source, "_bit_generator"):  # Python's own
        _, numbers, kept = source.getstate()
        return numbers[0], numbers[-1], kept
    bits = source._bit_generator
    if not isinstance(bits, numpy.random.MT19937):
        return repr(bits.state)
    place = ctypes.string_at(bits.ctypes.state_address, _TWISTER_BYTES)
    return place, repr(source.get_state(legacy=False)["gauss"]) if is_thorough and hasattr(source, "get_state") else None


class Watch:
    """Generators of NumPy's and of Python's own that a function can reach, outside of compiled functions: what it draws there can't be seen."""

    def __init__(self, function: Any) -> None:
        self.is_thorough = any(held(function, _names_random))
        self.sources = {id(source): source for source in _reachable(function, self.is_thorough)}
        self.states = {key: self._state(key) for key in self.sources}

    def _state(self, key: int) -> Any:
        return _fingerprint(self.sources[key], self.is_thorough)

    def note(self, source: Any) -> None:
        """It was drawn from in the order of the parts."""
        if id(source) in self.sources:
            self.states[id(source)] = self._state(id(source))

    def check(self) -> None:
        for key, source in self.sources.items():
            if self._state(key) == self.states[key]:
                continue
            raise TypeError(
                f"vmap: the function draws from a {type(source).__module__}.{type(source).__name__}, which can't be followed outside of "
                "compiled functions: all parts would share what it draws once. Draw from fastnp.random, or compile the function"
            )


def _names_random(value: Any) -> bool:
    return "random" in getattr(getattr(value, "__code__", None), "co_names", ())


# The generators that all share are watched, too; beside other threads, which may draw from them, only where the function seems to.
def _reachable(function: Any, seems_to: bool) -> Iterator[Any]:
    yield from held(function, is_generator)
    if threading.active_count() > 1 and not seems_to:
        return
    drawers, random = sys.modules.get("numpy.random"), sys.modules.get("random")
    if drawers is not None:
        yield drawers.mtrand._rand
    if random is not None:
        yield random._inst  # type: ignore[attr-defined]  # what random.random() and the others draw from


@contextmanager
def _drawing(source: Any) -> Iterator[None]:
    if source is not None:
        for watch in _local.watches:
            watch.check()
    yield
    if source is not None:
        for watch in _local.watches:
            watch.note(source)


@contextmanager
def watched(function: Any) -> Iterator[None]:
    """Within, draws that can't be followed are an error."""
    if _core._is_recording():
        yield
        return
    watch = Watch(function)
    _local.watches.append(watch)
    try:
        yield
        watch.check()
    finally:
        _local.watches.pop()
