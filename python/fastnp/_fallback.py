"""Functions that only NumPy has: run on views of the arrays, their results taken over without a copy, and counted."""

from __future__ import annotations

import contextlib
import functools
import math
import operator
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core

counts: dict[str, int] = {}


class FallbackError(RuntimeError):
    """FASTNP_FALLBACK=error, and a function that fastnp leaves to NumPy was called."""


class FallbackWarning(UserWarning):
    """FASTNP_FALLBACK=warn, and a function that fastnp leaves to NumPy was called."""


def count(name: str) -> None:
    """Before each call of a function of NumPy's. What it gives while recording is a part of the recording: each call of that counts."""
    mode = os.environb.get(b"FASTNP_FALLBACK")  # as bytes, it is there sooner
    if mode == b"error":
        raise FallbackError(f"numpy.{name} is not fastnp's own: it would run in NumPy (FASTNP_FALLBACK=error)")
    if _core._is_recording():
        _core._note_effect(at_each_call, (name,), {})
        return
    _core._count_call(counts, name)
    if mode == b"warn":
        warnings.warn(f"numpy.{name} runs in NumPy", FallbackWarning, stacklevel=4)


class _Counting:
    """Counts, as an effect of a recording; functions would be the user's."""

    __name__ = "at_each_call"

    def __call__(self, name: str) -> None:
        count(name)


at_each_call = _Counting()

# What stands for an argument, the argument, and what it was like before the call: a copy of an array that is shared on a device, the items of a list.
Originals = dict[int, tuple[Any, Any, Any]]


def to_numpy(value: Any, originals: Originals, what: str = "a function that only NumPy has") -> Any:
    """The value with views for its arrays; which view is whose goes into `originals`. Lists without any are the function's. `what`: for errors."""
    kind = type(value)
    if kind is _core.ndarray:
        view = _core._view(value, what)
        originals[id(view)] = (view, value, view.copy() if _core._is_shared(value) else None)
        return view
    if kind is list or kind is tuple:
        items = [to_numpy(item, originals, what) for item in value]
        if all(map(operator.is_, items, value)):
            return value
        if kind is tuple:
            return tuple(items)
        originals[id(items)] = (items, value, list(items))
        return items
    if kind is dict:
        made = {key: to_numpy(item, originals, what) for key, item in value.items()}
        return value if all(map(operator.is_, made.values(), value.values())) else made
    if isinstance(value, _core.ufunc):
        return getattr(numpy, value.__name__)
    return numpy.ndarray if value is _core.ndarray else value


def from_numpy(value: Any, originals: Originals) -> Any:
    """The value with fastnp arrays over the memory of its NumPy arrays."""
    if id(value) in originals:
        return originals[id(value)][1]
    if type(value) is numpy.ndarray:
        if not _core._is_supported(value) or not value.flags.aligned:
            return value
        whole = originals.get(id(value.base))
        if value.base is None:
            return _core._part_of(value, None)  # NumPy's array owns its elements, so to whom asks for its base this one does
        return _core.asarray(value) if whole is None or whole[0] is not value.base else _core._part_of(value, whole[1])
    if type(value) in (tuple, list):
        return type(value)([from_numpy(item, originals) for item in value])
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make([from_numpy(item, originals) for item in value])
    return value


def _overlaps(a: Any, b: Any) -> bool:
    return isinstance(b, numpy.ndarray) and numpy.may_share_memory(a, b)


def _own_copy(value: Any) -> Any:
    """An array of the recording's own that lies as NumPy's does, and is read-only if that is."""
    made = _core._own_copy(value)
    return made if value.flags.writeable else _core.broadcast_to(made, made.shape)


class _Owned:
    """Turns what NumPy made while recording into the recording's own, so that each call has it anew."""

    def __init__(self, name: str, given: Any) -> None:
        self.name = name
        self.given = given
        self.made: dict[int, tuple[Any, Any]] = {}  # by the array's id: the array, and what takes its place

    def take(self, value: Any) -> Any:
        if type(value) is numpy.ndarray and _core._is_supported(value):
            if id(value) not in self.made:
                if any(_overlaps(value, other) for other in (*self.given, *(known for known, _ in self.made.values()))):
                    _refuse_view(self.name)
                self.made[id(value)] = value, _own_copy(value)
            return self.made[id(value)][1]
        if type(value) in (tuple, list):
            return type(value)([self.take(item) for item in value])
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return value._make([self.take(item) for item in value])
        return value


def settle(originals: Originals) -> None:
    """After the call: what was written to copies goes to the arguments."""
    for made, value, before in originals.values():
        if type(value) is list:
            if len(made) != len(before) or not all(map(operator.is_, made, before)):
                value[:] = [from_numpy(item, originals) for item in made]
        elif before is None and made.dtype != value.dtype:  # who was given it sees the elements as others, as can be done with NumPy's arrays
            value.dtype = made.dtype
        elif before is not None and made.tobytes() != before.tobytes():  # what is shared on a device is seen by copies
            value[...] = made


def is_composed(value: Any, records: bool) -> bool:
    """Whether there is an array in it that is recorded, on the tape, or at home on a device: compositions of fastnp's own functions are for these."""
    if type(value) in (tuple, list):
        return any(is_composed(item, records) for item in value)
    if type(value) in (_core._Size, _core._Float):
        return records
    return type(value) is _core.ndarray and (records or value.requires_grad or value.device != "cpu")


# NumPy takes the sign of their offset away, and crashes where an int has no room for what is left.
_OF_DIAGONALS = ("diag", "diagonal", "trace")


def _in_reach(value: Any) -> Any:
    """No array has the diagonal that the least int names, nor the next one."""
    return -(2**31) + 1 if isinstance(value, (int, numpy.integer)) and value == -(2**31) else value


def is_told() -> bool:
    """Whether FASTNP_FALLBACK asks for what NumPy alone has: what both have is not left to NumPy then, though it may be sooner."""
    return bool(os.environb.get(b"FASTNP_FALLBACK"))


# Functions of _own.py, which is not needed to import fastnp.
OWN = frozenset("frombuffer fromiter fromfunction min_scalar_type unique".split()).union(
    ("lib.stride_tricks.sliding_window_view", "lib.stride_tricks.as_strided")
)


def run(function: Callable[..., Any], name: str, args: Any, kwargs: Any) -> Any:
    """A function that is NumPy's own, or that NumPy does for the sake of an argument that decides itself what becomes of it."""
    if name.endswith(_OF_DIAGONALS):
        args, kwargs = tuple(map(_in_reach, args)), {key: _in_reach(value) for key, value in kwargs.items()}
    given = (*args, *kwargs.values())
    records = _core._records()
    is_asked = _core._overrides(given)
    if is_asked and _core._is_recording():
        return _refuse(name, given)
    if name in OWN and not is_asked:
        from fastnp import _linalg, _own  # not needed to import fastnp

        with contextlib.suppress(_linalg.Unsupported):
            return _own.FUNCTIONS[name](*args, **kwargs)
    if not is_asked and (is_composed(given, records) or (not records and (pays(name, args) or is_told()))):
        from fastnp import _compositions, _fft, _in_place, _ordered  # noqa: F401  # not needed to import fastnp; the others add to what the first holds

        if name in _compositions.COMPOSED:
            with contextlib.suppress(_compositions.Unsupported):
                return _compositions.call(name, args, kwargs)
        out, rest, named = _in_place.split_out(function, name, args, kwargs) if records or is_told() else (None, args, kwargs)
        if out is not None:
            with contextlib.suppress(_compositions.Unsupported):
                return _in_place.write_out(out, function, name, rest, named)
    from fastnp import _numpy_source  # not needed to import fastnp

    if not is_asked and (name in _numpy_source.OF_SHAPES or (not records and name in _numpy_source.OF_VALUES and _has_enough(name, args))):
        with contextlib.suppress(_numpy_source.Missing):
            return _numpy_source.call(function, args, kwargs)
    if _numpy_source.is_within():
        raise _numpy_source.Missing
    if records:
        from fastnp import _mapped, _outside, _stand_ins  # not needed to import fastnp

        if _core._is_recording() and name.endswith(".at") and _outside.holds_recorded((args, kwargs)):  # it writes to read-only arrays, too
            return _stand_ins.refuse(f"uses numpy.{name} in a way that can't be recorded")
        if _outside.holds_recorded((args, kwargs)) if _core._is_recording() else _mapped.is_active() and _mapped.depends((args, kwargs)):
            return _outside.Outside(f"numpy.{name}", function)(*args, **kwargs)
        if _core._is_recording() and loses_parts(args, kwargs.get("dtype")):
            return _stand_ins.refuse(f"uses numpy.{name}, which tells at each call that imaginary parts are lost")
    return call_counted(function, name, args, kwargs)


def loses_parts(args: tuple[Any, ...], dtype: Any) -> bool:
    """Whether results of that dtype of complex numbers among the arguments may lose imaginary parts."""
    is_complex = any(isinstance(each, (complex, numpy.complexfloating)) or getattr(each, "dtype", numpy.dtype(int)).kind == "c" for each in args)
    return is_complex and dtype is not None and numpy.dtype(dtype).kind != "c"


def check_unrecorded(name: str) -> None:
    """What takes functions of the user's, or gives something else than arrays, is no part of a recording."""
    if _core._is_recording():
        from fastnp import _stand_ins

        _stand_ins.refuse(f"uses {'' if name.startswith(('compiler.', 'debug.')) else 'numpy.'}{name}")


def _refuse(name: str, given: tuple[Any, ...]) -> Any:
    from fastnp import _stand_ins, _unknown  # not needed to import fastnp

    found = _unknown.unknown_among(given)
    if found is not None:
        return found
    return _stand_ins.refuse(f"uses numpy.{name} on an object of another library, which decides itself what that does")


def refuse_assigned(value: Any) -> None:
    """``x[i] = value``, where the value is of others."""
    from fastnp import _stand_ins, _unknown  # not needed to import fastnp

    if _unknown.unknown_among((value,)) is None:
        _stand_ins.refuse(f"sets a part of an array to a {type(value).__name__}")


def _refuse_view(name: str) -> Any:
    from fastnp import _stand_ins  # not needed to import fastnp

    return _stand_ins.refuse(f"uses numpy.{name}, which gives several arrays over one memory")


_NO_ARRAY = "object __array__ method not producing an array"  # which NumPy says of fastnp's


def shown(value: Any) -> Any:
    """The value with NumPy's arrays for the objects whose `__array__` gives fastnp's."""
    if type(value) in (tuple, list):
        items = [shown(item) for item in value]
        return value if all(map(operator.is_, items, value)) else type(value)(items)
    if isinstance(value, (numpy.ndarray, numpy.generic, type)) or not hasattr(value, "__array__"):
        return value
    made = value.__array__()
    if type(made) is not _core.ndarray:
        return value
    return _Showing(value) if hasattr(value, "__array_wrap__") else numpy.asarray(made)


class _Showing:
    """An object with NumPy's array for fastnp's; what it does with results is the object's own."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return numpy.array(self._value.__array__(), dtype, copy=copy)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._value, name)


def retried(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """function(*args, **kwargs); where NumPy refuses an object whose `__array__` gives fastnp's, of what it shows."""
    try:
        return function(*args, **kwargs)
    except ValueError as error:
        if str(error) != _NO_ARRAY:
            raise
    return function(*map(shown, args), **{key: shown(value) for key, value in kwargs.items()})


def given_by(value: Any, copy: bool | None, error: ValueError) -> Any:
    """What array() reads in the place of something that NumPy refused by the error; the same, where that was for a good reason."""
    if type(value) in (tuple, list):
        return shown(value) if str(error) == _NO_ARRAY else value
    if str(error) != _NO_ARRAY:
        return value
    try:
        made = value.__array__(copy=copy)
    except TypeError:  # one of the time before `copy`
        made = value.__array__()
    return made if type(made) is _core.ndarray else value


def call_uncounted(function: Callable[..., Any], name: str, args: Any, kwargs: Any) -> Any:
    """A function of NumPy's that makes views alone."""
    return call_counted(function, name, args, kwargs, False)


def call_counted(function: Callable[..., Any], name: str, args: Any, kwargs: Any, counts: bool = True) -> Any:
    """The function on views, by NumPy."""
    originals: Originals = {}
    what = f"numpy.{name}"
    plain_args = [to_numpy(value, originals, what) for value in args]
    plain_kwargs = {key: to_numpy(value, originals, what) for key, value in kwargs.items()}
    if counts:
        count(name)
    if name.startswith("ndarray.") and args and _core._is_scalar(args[0]):  # its own method: ndarray's take no NumPy scalars
        function, plain_args = getattr(plain_args[0], name[len("ndarray.") :]), plain_args[1:]
    result = retried(function, plain_args, plain_kwargs)
    settle(originals)
    if type(result) is numpy.ndarray and result is kwargs.get("out"):
        return result
    if not _core._is_recording():
        return from_numpy(result, originals)
    return _Owned(name, (*plain_args, *plain_kwargs.values())).take(result)


# Python's operators by their ufuncs.
_OPERATORS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "power": "pow",
    "matmul": "matmul",
    "left_shift": "lshift",
    "right_shift": "rshift",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
}
_COMPARISONS = {"less": "lt", "less_equal": "le", "equal": "eq", "not_equal": "ne", "greater": "gt", "greater_equal": "ge"}


def operate(name: str, a: Any, b: Any, in_place: bool) -> Any:
    """An operator beside an object of others: what Python and NumPy make of it for NumPy's array."""
    if _core._is_recording():
        return _refuse(name, (a, b))
    if in_place:
        function = getattr(operator, f"__i{_OPERATORS[name]}__")
    elif name in _COMPARISONS:
        function = getattr(operator, _COMPARISONS[name])
    else:
        function = divmod if name == "divmod" else getattr(operator, f"__{_OPERATORS[name]}__")
        if type(a) is _core.ndarray and getattr(type(b), "__array_ufunc__", function) is None:  # it takes any array
            reflected = getattr(type(b), f"__r{_OPERATORS.get(name, name)}__", None)
            result = NotImplemented if reflected is None else reflected(b, a)
            if result is not NotImplemented:
                return result
    return run(function, name, (a, b), {})


def compare(name: str, a: Any, b: Any) -> Any:
    """A comparison by NumPy's operator, which has an answer for what its ufunc refuses (text)."""
    return run(getattr(operator, _COMPARISONS[name]), name, (a, b), {})


def _find(name: str) -> Callable[..., Any]:
    found: Any = numpy
    for part in name.split("."):
        found = getattr(found, part)
    return found


def call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """numpy.<name>(*args, **kwargs); what the C++ side calls."""
    return run(_find(name), name, args, kwargs)


_OF_UFUNCS = ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature", "__signature__")


def wrap(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    from fastnp import _doc_numpy  # not needed to import fastnp

    @functools.wraps(function)
    def fallback(*args: Any, **kwargs: Any) -> Any:
        return run(function, name, args, kwargs)

    fallback.__doc__ = _doc_numpy.noted(name, function.__doc__)
    if isinstance(function, numpy.ufunc):  # which tells what it takes
        fallback.__dict__.update({each: getattr(function, each) for each in _OF_UFUNCS if hasattr(function, each)})
    return fallback


def wrap_quickly(function: Callable[..., Any], name: str) -> Any:
    """The same with a short way for plain arguments, which NumPy does."""
    from fastnp import _numpy_source  # not needed to import fastnp

    if name in OWN or name in (_numpy_source.OF_SHAPES | _numpy_source.OF_VALUES) - _numpy_source.OF_A_MOMENT and _ENOUGH.get(name) != math.inf:
        return wrap(function, name)
    return _core._Function(wrap(function, name), name, _core._ByNumpy(function, name, False, _FEW.get(name, -1)))


# How many elements they have where NumPy is asked at once: of more, compositions may be quicker (`pays`).
_FEW = {"einsum": 1 << 11}
# How many elements make up for the calls of Python's that NumPy's source is; none do where it is no sooner over fastnp's functions.
_ENOUGH = {"histogram": math.inf, "histogram2d": 1 << 12, "histogramdd": 1 << 12}


def _has_enough(name: str, args: tuple[Any, ...]) -> bool:
    from fastnp import _numpy_source  # not needed to import fastnp

    if name not in _ENOUGH or is_told() or _numpy_source.is_within():
        return True
    return bool(args) and getattr(args[0], "size", 0) >= _ENOUGH[name]


def pays(name: str, args: tuple[Any, ...]) -> bool:
    """Whether a composition is quicker than NumPy: sums that are products of matrices."""
    if name != "einsum" or len(args) < 3 or not isinstance(args[0], str):
        return False
    arrays = [each for each in args[1:] if type(each) is _core.ndarray]
    sizes: dict[str, int] = {}
    for letters, x in zip(args[0].partition("->")[0].replace(" ", "").split(","), arrays, strict=False):
        sizes.update(zip(letters, x.shape, strict=False))
    return len(arrays) == len(args) - 1 and math.prod(sizes.values()) > 16 * sum(x.size for x in arrays) > _FEW[name]


def method(self: _core.ndarray, name: str) -> Any:
    """An attribute of numpy.ndarray that fastnp's has not: a method is wrapped, anything else read."""
    found = getattr(numpy.ndarray, name)
    if not callable(found):
        return getattr(_core._view(self), name)

    def fallback(*args: Any, **kwargs: Any) -> Any:
        return run(found, f"ndarray.{name}", (self, *args), kwargs)

    fallback.__name__ = name
    fallback.__doc__ = found.__doc__
    return fallback


def of_class(name: str) -> Any:
    """ndarray.name, of the class: a method that numpy.ndarray alone has; None for what is none."""
    found = getattr(numpy.ndarray, name, None)
    if not callable(found):
        return None

    @functools.wraps(found)
    def fallback(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, name)(*args, **kwargs)

    return fallback
