"""NumPy's submodules, classes and index objects: they are NumPy's own, and each use of them is counted, as that of a function that only NumPy has is."""

from __future__ import annotations

import contextlib
import copyreg
import functools
import sys
import types
from typing import Any

import numpy

from fastnp import _fallback, _numpy_source

# Those that compute something; of the others (dtypes, exceptions, typing ...) there is nothing to count.
_COUNTED_MODULES = frozenset(
    "numpy." + name for name in "ma ma.core ma.extras ma.mrecords char strings rec emath lib.scimath lib lib.stride_tricks lib.recfunctions matlib".split()
) | {"numpy.polynomial", *(f"numpy.polynomial.{name}" for name in "chebyshev hermite hermite_e laguerre legendre polynomial polyutils".split())}
# Of these, what is given may be functions of the user's, with arrays for them: it goes there as it is.
_COUNTED_AS_THEY_ARE = frozenset(["numpy.testing", "numpy.ctypeslib", "numpy.lib.format"])
_COUNTED_CLASSES = frozenset(["matrix", "memmap", "recarray", "chararray", "poly1d", "nditer", "ndenumerate", "ndindex", "broadcast"])
_INDEXED = frozenset(["r_", "c_", "mr_", "mgrid", "ogrid"])
_OF_SOURCE = _INDEXED - {"mr_"}


class StandIn(type):
    """The metaclass of classes in the place of NumPy's: what they make is NumPy's, and so is what counts as an instance of them."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if "_made" not in vars(cls):  # a class of the user's that is derived from one
            return super().__call__(*args, **kwargs)
        made, name = vars(cls)["_made"]
        originals: _fallback.Originals = {}
        plain = [_fallback.to_numpy(value, originals) for value in args]
        named = {key: _fallback.to_numpy(value, originals) for key, value in kwargs.items()}
        _fallback.count(name)
        return made(*plain, **named)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, vars(cls)["_made"][0]) if "_made" in vars(cls) else super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: Any) -> bool:
        return issubclass(subclass, vars(cls)["_made"][0]) if "_made" in vars(cls) else super().__subclasscheck__(subclass)

    def __eq__(cls, other: Any) -> bool:
        return cls is other or ("_made" in vars(cls) and vars(cls)["_made"][0] is other)

    def __hash__(cls) -> int:
        return hash(vars(cls)["_made"][0]) if "_made" in vars(cls) else super().__hash__()

    def __getattr__(cls, name: str) -> Any:
        if "_made" in vars(cls):
            return getattr(vars(cls)["_made"][0], name)
        raise AttributeError(name)

    def __repr__(cls) -> str:
        return repr(vars(cls)["_made"][0]) if "_made" in vars(cls) else super().__repr__()


def _said(cls: Any) -> Any:
    if "_made" in vars(cls):
        module, _, name = vars(cls)["_made"][1].rpartition(".")
        return _find, (module, name)
    return cls.__qualname__


def _find(module: str, name: str) -> Any:
    import fastnp

    found: Any = fastnp
    for part in filter(None, (*module.split("."), name)):
        found = getattr(found, part)
    return found


def _stand_in(found: type, name: str) -> type:
    is_base = bool(found.__flags__ & 1 << 10)
    kind: type = StandIn
    if is_base and type(found) is not type:
        kind = type("StandIn", (StandIn, type(found)), {})
        copyreg.pickle(kind, _said)  # type: ignore[arg-type]  # classes are pickled so, too
    fields = {"_made": (found, name), "__module__": found.__module__, "__qualname__": found.__qualname__, "__doc__": found.__doc__}
    return kind(found.__name__, (found,) if is_base else (), fields)


copyreg.pickle(StandIn, _said)  # type: ignore[arg-type]


class vectorize(numpy.vectorize):
    __doc__ = numpy.vectorize.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _fallback.check_unrecorded("vectorize")
        return _fallback.call_counted(super().__call__, "vectorize", args, kwargs)


vectorize.__module__ = "numpy"


class Indexed:
    """numpy.r_ and its kin: subscripts make arrays."""

    def __init__(self, found: Any, name: str) -> None:
        self._found = found
        self._name = name

    def __getitem__(self, key: Any) -> Any:
        if self._name in _OF_SOURCE:
            with contextlib.suppress(_numpy_source.Missing):
                return _numpy_source.subscript(self._found, key)
        given = key if type(key) is tuple else (key,)
        _fallback.check_unrecorded(self._name)
        return _fallback.call_counted(lambda *parts: self._found[parts if type(key) is tuple else parts[0]], self._name, given, {})

    def __len__(self) -> int:
        return len(self._found)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)


class Callable:
    """A ufunc of numpy.ma: it is called, and has methods."""

    def __init__(self, found: Any, name: str) -> None:
        self._found = found
        self._name = name
        self.__name__ = getattr(found, "__name__", name)
        self.__doc__ = found.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _fallback.run(self._found, self._name, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._found, name)
        return _fallback.wrap(found, f"{self._name}.{name}") if callable(found) else found


class Submodule(types.ModuleType):
    """One of NumPy's modules."""

    def __init__(self, source: types.ModuleType, path: str) -> None:
        super().__init__(f"fastnp.{path}", source.__doc__)
        self.__dict__.update(_source=source, _path=path)
        sys.modules[self.__name__] = self

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__dict__["_source"], name)
        if name.startswith("__"):
            return found
        made = counted(found, f"{self.__dict__['_path']}.{name}")
        self.__dict__[name] = made
        return made

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_source"])


def _as_it_is(found: types.FunctionType, path: str) -> Any:
    @functools.wraps(found)
    def call(*args: Any, **kwargs: Any) -> Any:
        _fallback.check_unrecorded(path)
        _fallback.count(path)
        return found(*args, **kwargs)

    return call


def counted(found: Any, path: str) -> Any:
    """What the package has in the place of something of NumPy's; `path` is its name there."""
    name = path.rpartition(".")[2]
    if isinstance(found, types.ModuleType):
        return Submodule(found, path) if found.__name__ in _COUNTED_MODULES | _COUNTED_AS_THEY_ARE else found
    if found is numpy.vectorize:
        return vectorize
    if isinstance(found, type):
        is_one = name in _COUNTED_CLASSES if "." not in path else path.startswith(("ma.", "polynomial."))
        return _stand_in(found, path) if is_one and not issubclass(found, (BaseException, numpy.generic)) else found
    if name in _INDEXED:
        return Indexed(found, path)
    if not callable(found) or isinstance(found, numpy.ndarray):
        return found
    home = f"numpy.{path.rpartition('.')[0]}"
    if home in _COUNTED_AS_THEY_ARE:
        return _as_it_is(found, path) if isinstance(found, types.FunctionType) else found
    if home == "numpy.matlib" and found.__module__ != home:  # which has all of NumPy's names, too
        return _find("", name)
    is_plain = isinstance(found, (types.FunctionType, types.BuiltinFunctionType, types.MethodType)) or not path.startswith("ma.")
    return _fallback.wrap(found, path) if is_plain else Callable(found, path)
