"""Functions of NumPy's that are written in Python, run over fastnp's: their own code, with fastnp's functions under the names that it looks up.

So they are native, recorded, differentiated and mapped like what they are made of, and do what the NumPy that is installed does. Where one of them comes
to something that only NumPy has, or raises, the whole call is left to NumPy: none writes to an argument, or calls a function of the user's, before.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core

# Modules of numpy.polynomial, and how their functions' names begin.
SERIES = {"polynomial": "poly", "chebyshev": "cheb", "legendre": "leg", "hermite": "herm", "hermite_e": "herme", "laguerre": "lag"}


def _of_series(ends: str) -> list[str]:
    return [f"polynomial.{module}.{begin}{end}" for module, begin in SERIES.items() for end in ends.split()]


# Whose course no value decides.
OF_SHAPES = frozenset(
    "apply_over_axes iterable common_type mask_indices einsum_path fft.fftfreq fft.rfftfreq"
    " linalg.tensorsolve linalg.tensorinv linalg.multi_dot linalg.trace linalg.diagonal linalg.cross linalg.outer linalg.matrix_norm linalg.vector_norm"
    " linalg.norm linalg.matrix_transpose".split()
).union(_of_series("val val2d val3d grid2d grid3d valfromroots der int vander vander2d vander3d weight"))
# Whose course values decide: of what has any.
OF_VALUES = frozenset(
    "apply_along_axis isfortran require asarray_chkfinite trim_zeros sort_complex unique_values"
    " histogram histogram2d histogramdd histogram_bin_edges"
    " emath.sqrt emath.log emath.log2 emath.log10 emath.logn emath.power emath.arccos emath.arcsin emath.arctanh".split()
).union(_of_series("add sub mul mulx div pow fromroots roots fit companion line trim gauss pts1 pts2"))


# NumPy's own are done sooner than a look at what they are given.
OF_A_MOMENT = frozenset("isfortran iterable common_type require".split())


class Missing(Exception):
    """Something that only NumPy has."""


class _Depth(threading.local):
    now = 0


_depth = _Depth()


def is_within() -> bool:
    """Whether such a function is at work in this thread."""
    return _depth.now > 0


def _spaces() -> tuple[tuple[types.ModuleType, types.ModuleType], ...]:
    """Modules of NumPy's, with fastnp's."""
    import fastnp

    return (numpy, fastnp), (numpy.linalg, fastnp.linalg), (numpy.fft, fastnp.fft)


def _same_names() -> dict[int, tuple[Any, str]]:
    """Where fastnp's functions are, by the ids of NumPy's; they are made when they are looked up."""
    found: dict[int, tuple[Any, str]] = {id(numpy.ndarray): (_core, "ndarray")}
    for theirs, ours in _spaces():
        for name in theirs.__all__:
            value = getattr(theirs, name)
            if callable(value) and not isinstance(value, type):
                found.setdefault(id(value), (ours, name))
    return found


class _Module:
    """A module of NumPy's, with fastnp's functions for its own."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        making: dict[int, tuple[Any, Any]] = {}
        value = _translated(getattr(self._module, name), making)
        _made.update(making)
        setattr(self, name, value)
        return value


_names: dict[int, tuple[Any, str]] = {}
_made: dict[int, tuple[Any, Any]] = {}  # by the ids of NumPy's functions and modules: these, and what stands for them


def _is_numpys(name: Any) -> bool:
    return isinstance(name, str) and (name == "numpy" or name.startswith("numpy."))


def _translated(value: Any, making: dict[int, tuple[Any, Any]]) -> Any:
    if not _names:
        _names.update(_same_names())
    if id(value) in _names:
        return getattr(*_names[id(value)])
    for known in (_made, making):
        if id(value) in known:
            return known[id(value)][1]
    if isinstance(value, types.ModuleType) and _is_numpys(value.__name__):
        making[id(value)] = value, _Module(value)
        return making[id(value)][1]
    is_dispatched = type(value).__name__ == "_ArrayFunctionDispatcher"
    if is_dispatched or (isinstance(value, types.FunctionType) and _is_numpys(value.__module__)):
        return _make(value, making)
    return value


def _looked_up(code: types.CodeType) -> set[str]:
    found = set(code.co_names)
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            found |= _looked_up(each)
    return found


def _make(function: Any, making: dict[int, tuple[Any, Any]]) -> Any:
    code = getattr(function, "_implementation", function)
    if not isinstance(code, types.FunctionType):
        raise Missing
    spaces: dict[str, Any] = {"__builtins__": __builtins__, "__name__": code.__module__}
    made = types.FunctionType(code.__code__, spaces, code.__name__, code.__defaults__, code.__closure__)
    made.__kwdefaults__ = code.__kwdefaults__
    making[id(function)] = function, made  # before its names, among which it may be
    for name in _looked_up(code.__code__):
        if name in code.__globals__:
            spaces[name] = _translated(code.__globals__[name], making)
    return made


def _class_over(kind: type, making: dict[int, tuple[Any, Any]]) -> type:
    """A class of NumPy's whose methods do the same with fastnp's functions."""
    if not _is_numpys(kind.__module__):
        return kind
    if id(kind) in making:
        known: type = making[id(kind)][1]
        return known
    own = types.CellType()  # what super() looks at
    names: dict[str, Any] = {}
    for name, value in vars(kind).items():
        if isinstance(value, types.FunctionType):
            made = _make(value, making)
            closure = tuple(own if free == "__class__" else cell for free, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True))
            names[name] = types.FunctionType(made.__code__, made.__globals__, made.__name__, made.__defaults__, closure)
        elif isinstance(value, staticmethod):
            names[name] = staticmethod(_translated(value.__func__, making))
        elif not isinstance(value, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            names[name] = value
    own.cell_contents = type(kind.__name__, tuple(_class_over(base, making) for base in kind.__bases__), names)
    making[id(kind)] = kind, own.cell_contents
    return own.cell_contents


def over_fastnp(function: Any) -> Any:
    """A function of NumPy's that does the same with fastnp's functions."""
    if id(function) not in _made:
        making: dict[int, tuple[Any, Any]] = {}
        _make(function, making)
        _made.update(making)  # which other threads see whole
    return _made[id(function)][1]


def _attempt(made: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    _depth.now += 1
    try:
        return made(*args, **kwargs)
    except Missing:
        raise
    except Exception as error:  # NumPy raises it, with its words
        raise Missing from error
    finally:
        _depth.now -= 1


def _is_users(value: Any) -> bool:
    """Whether calling it may do anything: a function that is none of NumPy's names, nor of fastnp's. (Ufuncs and vectorize may hold one of the user's.)"""
    if not callable(value) or isinstance(value, type):
        return False
    name = getattr(value, "__name__", "")
    return all(getattr(module, name, None) is not value for pair in _spaces() for module in pair)


def call(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The function over fastnp's; Missing where it has to be NumPy's own."""
    if any(map(_is_users, args)) or any(map(_is_users, kwargs.values())):
        raise Missing  # it would be called once more by NumPy, if what follows can't be done
    return _attempt(over_fastnp(function), args, kwargs)


def subscript(found: Any, key: Any) -> Any:
    """``found[key]`` of numpy.r_ and the like, over fastnp's functions; Missing where it has to be NumPy's own."""
    if id(found) not in _made:
        making: dict[int, tuple[Any, Any]] = {}
        making[id(found)] = found, _class_over(type(found), making)()
        _made.update(making)
    return _attempt(_made[id(found)][1].__getitem__, (key,), {})
