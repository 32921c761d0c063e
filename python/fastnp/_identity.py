"""What names a function and all that it reads, the same in every process: recordings are kept on disk under it (src/api/stored_recording.cpp).

`Identity` writes down what `_reads.Reads` found, in its order: two functions with the same text have the same code, and find the same things in the same
places. Objects are numbered in that order, so that what a recording hands out of them can be said in bytes, too. What can't be written down (a file, a
lock, an enumeration of the user's) makes the whole unknown: such functions are recorded in every process.
"""

from __future__ import annotations

import functools
import marshal
import os
import struct
import sys
import types
import zlib
from collections.abc import Iterator
from typing import Any

import numpy

from fastnp import _core, _effects, _made, _outside
from fastnp._bytecode import codes_of, instructions
from fastnp._homes import is_pure
from fastnp._questions import is_nan
from fastnp._reads import INSTANCE, NAMES, OWN, SHAPE, SUBCLASS, TYPE, Reads, Slot, Weak


class Unknown(Exception):
    """Something that means nothing to another process."""


_known_environment: list[str] = []


def environment() -> str:
    """What recordings depend on besides the function; the library itself is named by the store."""
    if not _known_environment:
        package = os.path.dirname(__file__)
        sources = _installed(os.path.dirname(package)) or sorted(_sources(package))
        _known_environment.append(repr((sources, numpy.__version__, sys.version, sys.flags.optimize)))
    return _known_environment[0]


def _installed(folder: str) -> tuple[int, int] | None:
    """Of a package that a wheel brought: what the wheel says of its files, the same on all machines. None where it lies in a folder of sources."""
    for entry in os.scandir(folder):
        if not (entry.name.startswith("fastnp-") and entry.name.endswith(".dist-info")):
            continue
        try:
            with open(os.path.join(entry.path, "RECORD"), "rb") as record:
                lines = sorted(line for line in record.read().splitlines() if line.startswith(b"fastnp/") and b"sha256=" in line)
        except OSError:
            continue
        if any(line.startswith(b"fastnp/__init__.py,") for line in lines):
            text = b"\n".join(lines)
            return zlib.crc32(text), zlib.adler32(text)
    return None


def _sources(folder: str) -> Iterator[tuple[str, int, int]]:
    """The package's files, those of packages in it, too."""
    for entry in os.scandir(folder):
        if entry.name.endswith(".py"):
            yield entry.name, entry.stat().st_mtime_ns, entry.stat().st_size
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _sources(entry.path)


def code_text(code: types.CodeType) -> str:
    consts = []
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            consts.append(code_text(const))
        elif isinstance(const, (tuple, frozenset)):
            consts.append(_plain_group(const))
        else:
            consts.append(_plain(const))
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_qualname)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return repr((code.co_code, code.co_exceptiontable, names, counts, consts))


def _makes_sets(code: types.CodeType) -> bool:
    return (
        not {"set", "frozenset"}.isdisjoint(code.co_names)
        or any(isinstance(const, frozenset) for const in code.co_consts)
        or any(name in ("BUILD_SET", "SET_ADD") for name, _ in instructions(code))
    )


def _plain_group(value: Any) -> str:
    parts = [_plain_group(item) if isinstance(item, (tuple, frozenset)) else _plain(item) for item in value]
    return f"{type(value).__name__}({', '.join(parts if isinstance(value, tuple) else sorted(parts))})"


def _nan(value: Any) -> tuple[str, str]:
    """(module, name) under which every process finds this very NaN, which containers ask for; Unknown for others."""
    for module in ("numpy", "math"):
        if getattr(sys.modules.get(module), "nan", None) is value:
            return module, "nan"
    raise Unknown


def _plain(value: Any) -> str:
    """A value that is known by what it is."""
    cls = type(value)
    if is_nan(value) and cls in (float, complex):
        return f"{_nan(value)}"
    if cls is float:
        return f"float {struct.pack('<d', value).hex()}"
    if cls is complex:
        return f"complex {struct.pack('<dd', value.real, value.imag).hex()}"
    if cls is int:
        return f"int {value:x}"  # of which Python has any number of digits
    if cls in (type(None), bool, str, bytes, type(...), type(NotImplemented)):
        return f"{cls.__name__} {value!r}"
    if cls is range:
        return repr(value)
    if cls is slice:
        return f"slice({_plain(value.start)}, {_plain(value.stop)}, {_plain(value.step)})"
    if isinstance(value, numpy.dtype) and _is_said(value):
        return f"dtype {value.str}"
    if isinstance(value, numpy.generic) and _is_said(value.dtype):
        return f"scalar {value.dtype.str} {value.tobytes().hex()}"
    raise Unknown


def _is_said(dtype: numpy.dtype[Any]) -> bool:
    """Whether its text says all of a dtype."""
    return not (dtype.hasobject or dtype.names or dtype.subdtype or dtype.metadata) and numpy.dtype(dtype.str) == dtype


def _own(value: Any) -> str:
    """What lies in a module of Python's, NumPy's or fastnp's."""
    try:
        return _plain(value)
    except Unknown:
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__name__)}"


def _parts(value: Any) -> Iterator[Any]:
    """The values in a tuple or in what code names as constants, and these."""
    yield value
    for item in value if isinstance(value, (tuple, list)) else value.co_consts if isinstance(value, types.CodeType) else ():
        yield from _parts(item)


def _resolved(module: str, path: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def named(value: Any) -> tuple[str, str]:
    """(module, path) under which every process finds this: functions and classes of the interpreter's, NumPy's and this package's own."""
    owner = getattr(value, "__objclass__", None)
    if isinstance(value, types.ModuleType):
        module, path = value.__name__, ""
        found: Any = sys.modules.get(module)
    else:
        if isinstance(value, numpy.ufunc):
            module, path = "numpy", value.__name__
        elif isinstance(value, _core.ufunc):
            module, path = "fastnp", value.__name__
        elif owner is not None or isinstance(getattr(value, "__self__", None), type):
            owner = owner or value.__self__
            module, path = owner.__module__, f"{owner.__qualname__}.{value.__name__}"
        else:
            module, path = str(getattr(value, "__module__", None)), str(getattr(value, "__qualname__", None) or getattr(value, "__name__", None))
        found = _resolved(module, path)
    if found is not value or not is_pure(module):
        raise Unknown
    return module, path


class Identity:
    """The identity of what `reads` found. Unknown where there is none."""

    def __init__(self, reads: Reads) -> None:
        self.reads = reads
        self.uses_sets = False
        self.objects: list[Any] = []  # weak references to objects among the arguments
        self.numbers: dict[int, int] = {}
        for value in reads.seen.values():
            self.number(value)
        for entry in reads.entries:
            self.number(entry[1])
        parts = [environment()]
        for value in reads.seen.values():
            value = self.held(value)
            parts.append(f"{reads.kinds[id(value)]} {self.head(value)}")
        for kind, holder, name, *expected in reads.entries:
            parts.append(f"{kind} {self.numbers[id(self.held(holder))]} {self.key(kind, name)} {self.expected(kind, *expected)}")
        parts += [f"argument {self.argument(*root)}" for root in reads.named_roots]
        if reads.asks_identity:
            parts.append(f"one object: {self.one_object()}")
        self.bytes = "\n".join(parts).encode("utf-8", "surrogatepass")

    def one_object(self) -> list[int]:
        """Of the values in the entries and in the code, which are one object: the place of the first."""
        ids = [id(self.held(value)) for _, _, _, *expected in self.reads.entries for value in _parts(expected)]
        return [ids.index(each) for each in ids]

    @staticmethod
    def held(value: Any) -> Any:
        return value() if type(value) is Weak else value

    def number(self, value: Any) -> None:
        key = id(self.held(value))
        if key not in self.numbers:
            self.numbers[key] = len(self.objects)
            self.objects.append(value)

    def key(self, kind: int, name: Any) -> str:
        if kind == SUBCLASS:
            return self.text(name)
        return "" if kind in (INSTANCE, NAMES) else repr(name)

    def argument(self, is_known: bool, value: Any) -> str:
        """An object among the arguments, by its value or its id."""
        if not is_known and value not in self.numbers:
            raise Unknown
        return self.text(value) if is_known else f"#{self.numbers[value]}"

    def expected(self, kind: int, value: Any = None) -> str:
        """What lies in the place that an entry is for."""
        if kind == INSTANCE:
            return "fields"
        if kind == SHAPE:
            return repr([None if names is None else sorted(names) for names in value[1]])
        if kind == NAMES:
            return repr(sorted(value[0]))
        if kind == OWN:
            return ", ".join(map(_own, value))
        if kind != TYPE:
            return self.text(value)
        # A class is used as it is, so what lies in it must be something that is written down as a whole.
        if type(value).__name__ == "_tuplegetter":
            return repr(value.__reduce__())
        if self.reads.kinds.get(id(value)) == "forbidden":
            raise Unknown
        return self.text(value)

    def head(self, value: Any) -> str:
        """What an object is besides what the entries say of it."""
        kind = self.reads.kinds[id(value)]
        if kind == "value":
            raise Unknown
        if kind in ("same", "math", "builtin", "copier"):
            return repr(named(value))
        if kind in ("generator", "draw"):  # a recording that draws is not kept
            return type(value).__name__
        if kind == "set" or isinstance(value, frozenset):
            self.uses_sets = True
        if kind == "function":
            self.uses_sets = self.uses_sets or any(_makes_sets(code) for code in codes_of(value.__code__))
            known = {name: item for name, item in vars(value).items() if name != "__wrapped__"}
            return f"{value.__module__} {value.__qualname__} {self.text(known)}"
        if kind == "method":
            return f"{self.text(value.__func__)} {self.text(value.__self__)}"
        if kind == "transformed":
            return f"{type(value).__module__}.{type(value).__qualname__} {self.text(vars(value))}"
        if kind == "compiled":
            return self.text(value.__wrapped__)
        if kind == "partial":
            return f"{self.text(value.func)} {self.text(value.args)} {self.text(dict(value.keywords))}"
        if kind == "module":
            return self.module(value)
        if kind == "class":
            return repr([f"{base.__module__}.{base.__qualname__}" for base in value.__mro__])
        if kind == "tuple":
            return self.items(value)
        if kind == "record":
            return f"{type(value).__module__}.{type(value).__qualname__} {type(value)._fields} {self.items(tuple(value))}"
        if kind == "object":
            return self.text(type(value))
        return f"{type(value).__module__}.{type(value).__qualname__}"  # what is in it is in the entries, or nobody sees it

    def module(self, value: types.ModuleType) -> str:
        """NumPy's and others' that are taken to stay as they are: what is read in them is what every process finds there."""
        parts = [value.__name__]
        if is_pure(value.__name__) and value.__name__ != "numpy.random":  # what is drawn from it is not kept
            for name in sorted(self.reads.names & vars(value).keys()):
                item = vars(value)[name]
                if isinstance(item, types.ModuleType) and item is not value and item.__name__.startswith(value.__name__ + "."):
                    parts.append(self.module(item))
                else:
                    parts.append(self.text(item))
        return f"module({', '.join(parts)})"

    def items(self, value: Any) -> str:
        parts = [self.text(item) for item in value]
        return f"{type(value).__name__}({', '.join(parts if isinstance(value, tuple) else sorted(parts))})"

    def text(self, value: Any) -> str:
        value = self.held(value)
        cls = type(value)
        if cls is Slot:
            return f"slot {value.number} {value.type.__module__}.{value.type.__qualname__}"
        if id(value) in self.numbers:
            return f"#{self.numbers[id(value)]}"
        if cls in (tuple, frozenset):
            return self.items(value)
        if cls is dict:
            return f"dict({', '.join(f'{self.text(key)}: {self.text(item)}' for key, item in value.items())})"
        if cls is types.CodeType:
            return code_text(value)
        if cls is property:
            return f"property({self.text(value.fget)}, {self.text(value.fset)}, {self.text(value.fdel)})"
        if cls in (staticmethod, classmethod):
            return f"{cls.__name__}({self.text(value.__func__)})"
        try:
            return _plain(value)
        except Unknown:
            return repr(named(value))

    # What a recording hands out.

    def pack(self, tree: Any) -> bytes | None:
        """None: it holds something of this process alone."""
        if self.reads.volatile is not None or self.reads.again:
            return None
        *trees, numbers = tree
        return marshal.dumps([*self.packed(trees), numbers])

    def unpack(self, data: bytes) -> Any:
        *trees, numbers = marshal.loads(data)
        return [*self.unpacked(trees), numbers]

    def packed(self, tree: Any) -> Any:
        """(kind, index, base, scalar, object, children) of python/stored.cpp, with what says the object in its place."""
        if type(tree) is list:
            return [self.packed(item) for item in tree]
        if type(tree) is str:  # how an operand lies
            return tree
        *numbers, value, children = tree
        return *numbers, self.said(value), [self.packed(child) for child in children]

    def said(self, value: Any) -> Any:
        if id(value) in self.numbers:
            return "object", self.numbers[id(value)]
        cls = type(value)
        if cls in (float, complex) and is_nan(value):
            return "named", _nan(value)
        if cls in (type(None), bool, int, float, complex, str, bytes, type(...)):
            return "plain", value
        if cls in (tuple, set, frozenset):
            return cls.__name__, [self.said(item) for item in value]
        if cls is functools.partial and value.func in (_effects.store, _effects.drop) and not value.keywords:
            return value.func.__name__, self.numbers_of(value.args[0]())
        if cls is _outside.Outside and value.source is None and not value.native:
            return "outside", [value.__name__, self.said(value.function)]
        if cls is _made.Making:
            return "making", [value.__name__, self.said(value.function), value.number]
        if cls is _made.Made:
            return "made", list(_made.place_of(value))
        if isinstance(value, numpy.dtype):
            _plain(value)
            return "dtype", value.str
        if isinstance(value, numpy.generic):
            _plain(value)
            return "scalar", (value.dtype.str, value.tobytes())
        if cls is numpy.ndarray:
            if not _is_said(value.dtype) or not value.flags.forc:
                raise Unknown
            order = "C" if value.flags.c_contiguous else "F"
            return "array", (value.dtype.str, value.shape, order, value.tobytes("A"))
        if cls is slice:
            return "slice", [self.said(part) for part in (value.start, value.stop, value.step)]
        return "named", named(value)

    def numbers_of(self, value: Any) -> int:
        if id(value) not in self.numbers:
            raise Unknown
        return self.numbers[id(value)]

    def unpacked(self, tree: Any) -> Any:
        if type(tree) is list:
            return [self.unpacked(item) for item in tree]
        if type(tree) is str:  # how an operand lies
            return tree
        *numbers, value, children = tree
        return *numbers, self.meant(*value), [self.unpacked(child) for child in children]

    def meant(self, what: str, value: Any) -> Any:
        if what == "plain":
            return value
        if what == "object":
            return self.held(self.objects[value])
        if what in ("tuple", "set", "frozenset"):
            return {"tuple": tuple, "set": set, "frozenset": frozenset}[what](self.meant(*item) for item in value)
        if what in ("store", "drop"):
            held = self.objects[value]
            return functools.partial(getattr(_effects, what), held if type(held) is Weak else lambda: held)
        if what == "dtype":
            return numpy.dtype(value)
        if what == "scalar":
            return numpy.frombuffer(value[1], value[0])[0]
        if what == "array":
            return numpy.frombuffer(value[3], value[0]).reshape(value[1], order=value[2])
        if what == "slice":
            return slice(*(self.meant(*part) for part in value))
        if what == "outside":
            return _outside.Outside(value[0], self.meant(*value[1]))
        if what == "making":
            return _made.Making(value[0], self.meant(*value[1]), value[2])
        if what == "made":
            return _made.stand_in(tuple(value))
        found = _resolved(*value) if value[1] else sys.modules.get(value[0])
        if found is None:
            raise Unknown
        return found


def identity_of(reads: Reads) -> Identity | None:
    """None: what the function reads means nothing to another process."""
    try:
        return Identity(reads)
    except Unknown:
        return None
