"""Functions of the outside in compiled functions: called anew at each call, between compiled code (python/outside.cpp).

These are NumPy's own functions, which depend on their arguments alone, and generators of random numbers, whose state is taken before a call, so that a
call of the compiled function that has to start over as written finds it as it was.
"""

from __future__ import annotations

import math
import operator
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy

from fastnp import _control, _core, _fallback
from fastnp._homes import said
from fastnp._stand_ins import Forbidden, place, refuse

# Methods of generators that change their arguments.
_IN_PLACE = frozenset(["shuffle"])

# What gives the elements, but as no number of the program: nothing would tell that a derivative ends there.
_TAKE_BITS = frozenset("view tobytes tofile dump dumps byteswap getfield save savez savez_compressed savetxt".split())

_MAKERS = frozenset("default_rng Generator RandomState SeedSequence BitGenerator MT19937 PCG64 PCG64DXSM Philox SFC64".split())


def in_place(name: str) -> bool:
    return name in _IN_PLACE


def is_maker(found: Any) -> bool:
    """Whether it is a function or a class of numpy.random that makes generators."""
    name = said(found, "__name__")
    return type(name) is str and name in _MAKERS and getattr(sys.modules.get("numpy.random"), name, None) is found


def maker_of(found: Any) -> Any:
    """What stands for such a function or class, for the twin; None for other things."""
    if not is_maker(found):
        return None
    from fastnp._made import Maker  # which imports this

    return Maker(f"numpy.random.{found.__name__}", found)


def is_marked(value: Any) -> bool:
    return type(value) is _core.ndarray and _core._is_marked(value)


class _Local(threading.local):
    looks = False  # whether functions are looked at for what they write to


_local = _Local()


@contextmanager
def looking() -> Iterator[None]:
    """Within, a function of the outside that writes to its arguments is found out."""
    before, _local.looks = _local.looks, True
    try:
        yield
    finally:
        _local.looks = before


def _numpy_arrays(value: Any) -> list[Any]:
    if type(value) in (tuple, list):
        return [array for item in value for array in _numpy_arrays(item)]
    if type(value) is dict:
        return _numpy_arrays(list(value.values()))
    return [value] if type(value) is numpy.ndarray else []


def unchanged(function: Callable[..., Any], what: str, args: Any, kwargs: Any) -> Any:
    """A call. RecordError, with the arrays as they were, if it writes to these."""
    arrays = _numpy_arrays((args, kwargs))
    before = [(array, array.copy(), _header(array)) for array in arrays]
    result = function(*args, **kwargs)
    wrong = False
    for array, copy, header in before:
        if _header(array) != header:
            wrong = True
        elif array.tobytes() != copy.tobytes():
            wrong = True
            numpy.asarray(_Writable(array))[...] = copy
    if wrong:
        _core._refuse(what)
    return result


class _Writable:
    """The memory of a read-only array."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.__array_interface__["data"][0], False)}


def _header(array: Any) -> Any:
    return array.shape, array.strides, array.dtype, array.flags.writeable


class Outside:
    """A function as a recorded function sees it. `source`: the generator that it draws from, or None. `native`: it takes fastnp's arrays, too."""

    __slots__ = ("__name__", "function", "native", "source")

    def __init__(self, name: str, function: Callable[..., Any], source: Any = None, native: bool = False) -> None:
        self.__name__ = name
        self.function = function
        self.source = source
        self.native = native

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from fastnp import _mapped  # which imports this

        if self.__name__.rpartition(".")[2] in _TAKE_BITS and any(map(is_marked, args)):
            raise TypeError(
                f"{self.__name__} ({place()}) takes the elements of an array that is being differentiated, and the derivative would be lost; "
                "stop_gradient(x) makes it a constant"
            )
        if _mapped.is_active():
            return _mapped.call(self, args, kwargs)
        with looking():
            return _core._call_outside(self, args, kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """What it gives now. Numbers are drawn on the device that this thread's scope names, if that is worth it."""
        if self.source is not None and _core._current_device() != "cpu":
            from fastnp import _draws  # not needed without devices

            drawn = _draws.draw(self.source, getattr(self.function, "__name__", ""), args, kwargs)
            if drawn is not None:
                return drawn
        return self.checked(*args, **kwargs)

    def counted(self, *args: Any, **kwargs: Any) -> Any:
        """The function itself; of NumPy's own, each call is counted."""
        if self.source is not None:
            made = _core._draw_natively(self.source, getattr(self.function, "__name__", ""), False, *args, **kwargs)
            if made is not NotImplemented:
                return made
        if self.__name__.startswith("numpy.") and not self.native:
            _fallback.count(self.__name__.removeprefix("numpy.").replace("random.RandomState.", "random."))
        return self.function(*args, **kwargs)

    def checked(self, *args: Any, **kwargs: Any) -> Any:
        """The same of a recording that is being made: RecordError where it writes to its arguments. Some of NumPy's functions do so to read-only ones."""
        return (
            unchanged(self.counted, f"calls {self.__name__}, which writes to its argument", args, kwargs)
            if _local.looks
            else self.counted(*args, **kwargs)
        )

    @property
    def is_numpy_draw(self) -> bool:
        return self.source is not None and type(self.source).__module__.startswith("numpy.")

    def save(self) -> Any:
        """The state of the source."""
        if self.source is None:
            return None
        if isinstance(self.source, numpy.random.Generator):
            return self.source.bit_generator.state
        if isinstance(self.source, numpy.random.RandomState):
            return self.source.get_state(legacy=False)
        return self.source.getstate()

    def restore(self, state: Any) -> None:
        if isinstance(self.source, numpy.random.Generator):
            self.source.bit_generator.state = state
        elif isinstance(self.source, numpy.random.RandomState):
            self.source.set_state(state)
        elif self.source is not None:
            self.source.setstate(state)


def is_generator(value: Any) -> bool:
    """Whether it is a generator of random numbers whose state can be taken and put back."""
    drawers, random = sys.modules.get("numpy.random"), sys.modules.get("random")  # not imported for this
    if drawers is not None and isinstance(value, (drawers.Generator, drawers.RandomState)):
        return True
    return random is not None and type(value) is random.Random


def method_of(source: Any, name: str, function: Any) -> Any:
    """A method of a generator, or a function of numpy.random, for the twin."""
    if source is None and name == "seed" and function is numpy.random.seed:
        source = numpy.random.mtrand._rand
    if source is None or not callable(function) or isinstance(function, type) or name in _IN_PLACE:
        return Forbidden(f"uses {name} of random numbers")
    written = getattr(getattr(function, "__func__", None), "__wrapped__", None)
    if written is not None:  # one of fastnp's, which counts
        function = written.__get__(source)
    home = "random" if type(source).__module__ == "random" else f"numpy.random.{type(source).__name__}"
    return Outside(f"{home}.{name}", function, source)


class StandIn:
    """A generator, for the twin."""

    def __init__(self, source: Any) -> None:
        object.__setattr__(self, "_source", source)

    def __getattribute__(self, name: str) -> Any:
        source = object.__getattribute__(self, "_source")
        if name in ("__copy__", "__deepcopy__"):
            from fastnp._made import copied  # which imports this

            return copied(source, name)
        return method_of(source, name, getattr(source, name))

    def __setattr__(self, name: str, value: Any) -> None:
        refuse("changes a generator of random numbers")


class RandomModule(types.ModuleType):
    """numpy.random, for the twin."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(numpy.random, name)
        if (maker := maker_of(found)) is not None:
            return maker
        source = getattr(found, "__self__", None)
        return method_of(source if is_generator(source) else None, name, found)


random_module = RandomModule("numpy.random")


def holds_recorded(value: Any) -> bool:
    if type(value) in (tuple, list):
        return any(holds_recorded(item) for item in value)
    if type(value) is dict:
        return any(holds_recorded(item) for item in value.values())
    return bool(_core._recorded_kind(value)) or type(value) in (_core._Size, _core._Float)


def on_copies(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function on copies of its arrays, which it may keep, but not write to."""

    def copied(value: Any) -> Any:
        if type(value) in (tuple, list):
            return type(value)(copied(item) for item in value)
        if type(value) is dict:
            return {key: copied(item) for key, item in value.items()}
        if not isinstance(value, (numpy.ndarray, _core.ndarray)):
            return value
        copy = value.copy()
        copy.setflags(write=False)
        return copy

    def called(*args: Any, **kwargs: Any) -> Any:
        if _control.checks_promises:
            return _control.promised(function, copied, args, kwargs)
        return function(*copied(args), **copied(kwargs))

    return called


def call_operator(name: str, a: Any, b: Any) -> Any:
    """operator.<name>(a, b) of Python numbers that vary."""
    return Outside(f"operator.{name}", getattr(operator, name))(a, b)


def call_round(*args: Any) -> Any:
    return Outside("round", round)(*args)


class MathFunction:
    """A function of `math`, for the twin."""

    __slots__ = ("__name__", "_function")

    def __init__(self, function: Any) -> None:
        self._function = function
        self.__name__ = function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not holds_recorded(args):
            return self._function(*args, **kwargs)
        if any(_core._recorded_kind(arg) and _core._is_marked(arg) for arg in args):
            return self._function(*args, **kwargs)  # which asks for a float, and hears that the derivative would be lost
        return Outside(f"math.{self.__name__}", self._function)(*args, **kwargs)


class MathModule(types.ModuleType):
    """`math`, for the twin."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(math, name)
        return MathFunction(found) if isinstance(found, types.BuiltinFunctionType) else found


math_module = MathModule("math")
