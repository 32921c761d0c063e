"""What Python can be asked about an object besides what lies in it: its attributes' names, its class, its text, which object it is.

Each has an answer that a guard compares (_reads.py); what has none is refused while recording (_classes.py).
"""

from __future__ import annotations

import functools
import re
import sys
import types
from collections.abc import Iterable
from typing import Any

import numpy

from fastnp._bytecode import instructions
from fastnp._homes import is_own, said
from fastnp._stand_ins import is_value

# NumPy's print options, a context variable; None where another NumPy keeps them elsewhere.
text_options: Any = getattr(sys.modules.get("numpy._core.printoptions"), "format_options", None)

# What looks for attributes by names that it finds in texts.
_READ_NAMES = frozenset(["format", "format_map", "attrgetter", "methodcaller"])
_NAME = re.compile(r"[A-Za-z_]\w*")
_LONGEST_TEXT = 1000
# Ways around what a twin tells of itself: what they are asked about would not be seen.
UNSEEN = (
    *("__subclasses__", "__globals__", "__builtins__", "__getattribute__", "__reduce__", "__reduce_ex__", "__getstate__"),
    *("__instancecheck__", "__subclasscheck__", "__subclasshook__", "get_cache_token"),
    "NormalDist",  # it draws random numbers
)

# Dicts of classes that functions of dataclasses' and typing's read.
DESCRIBING = frozenset(["__dataclass_fields__", "__annotations__"])
DESCRIBED_BY = frozenset("asdict astuple fields replace get_type_hints".split())

_TEXTS = frozenset("str repr ascii format array2string array_str array_repr format_map".split())
# Attributes that functions and classes have besides those in their dicts.
_OF_FUNCTIONS = ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__")
_OF_CLASSES = ("__name__", "__qualname__")
# What no operation of Python's looks at in a class.
_BORING = frozenset(
    """__module__ __doc__ __dict__ __weakref__ __qualname__ __annotations__ __orig_bases__ __parameters__ __static_attributes__ __firstlineno__
    __dataclass_fields__ __dataclass_params__ __match_args__ __slots__ __slotnames__""".split()
)


def is_boring(name: str) -> bool:
    return name in _BORING


def names_in(value: Any, names: set[str]) -> tuple[dict[str, Any] | None, tuple[frozenset[str], frozenset[str] | None]]:
    """(the dict of an object, (the names in it that are read, all that are read or None)); None for an empty dict, which need not be there."""
    fields = vars(value)
    read = None if "__dict__" in names else frozenset(names)
    return fields or None, (_read_in(fields, read), read)


def class_shape(cls: type, names: set[str]) -> tuple[tuple[type, ...], tuple[frozenset[str] | None, ...], frozenset[str]]:
    """(what a class inherits from, the names that are read of each of them but Python's own, all names that are read)."""
    read = frozenset(names)
    return cls.__mro__, tuple(None if base is object or is_own(base) else _read_in(vars(base), read) for base in cls.__mro__), read


def _read_in(fields: Iterable[str], read: frozenset[str] | None) -> frozenset[str]:
    return frozenset(name for name in fields if read is None or name in read or (name[:2] == "__" and len(name) > 4))


def attributes_asked(value: Any, names: set[str]) -> list[str]:
    known = _OF_CLASSES if isinstance(value, type) else _OF_FUNCTIONS if isinstance(value, types.FunctionType) else ()
    return [name for name in known if name in names]


def own_names(module: types.ModuleType, names: set[str]) -> dict[str, Any]:
    """Of a module of Python's, NumPy's or fastnp's: what lies under the names that are read, `...` for nothing.

    Tests put other things there for a while.
    """
    fields = vars(module)
    if not hasattr(module, "__getattr__"):
        return {name: fields.get(name, ...) for name in sorted(names)}
    lazy = names & set(dir(module)) - fields.keys()  # these are there when they are first asked for
    if module is not numpy:
        known = vars(sys.modules.get(module.__name__.replace("fastnp", "numpy", 1), numpy))  # NumPy's of that name
        lazy = {name for name in lazy if isinstance(known.get(name, numpy), types.ModuleType) or getattr(module, name) is numpy}
    return {name: fields.get(name, ...) for name in sorted(names - lazy)}


def is_anothers(value: Any) -> bool:
    """Whether it is a function that is neither Python's nor NumPy's nor fastnp's."""
    return type(value) is types.FunctionType and not is_own(value)


def own_attributes(compiled: Any) -> bool:
    """Whether a compiled function has attributes that the function as written has not."""
    written = getattr(compiled.__wrapped__, "__dict__", {})
    own = {name: item for name, item in vars(compiled).items() if name != "_options" and name not in functools.WRAPPER_ASSIGNMENTS}
    return own.keys() != written.keys() or any(written[name] is not item for name, item in own.items())


def reads_names(code: types.CodeType) -> bool:
    """Whether code may look for attributes by names that lie in texts: "{0.name}".format(x)."""
    return not _READ_NAMES.isdisjoint(code.co_names)


def names_in_text(text: str) -> set[str]:
    return set(_NAME.findall(text)) if len(text) <= _LONGEST_TEXT else set()


def is_nan(value: Any) -> bool:
    """Whether it is equal to nothing: containers then ask which object it is."""
    # Comparing with itself is the one way that holds for complex numbers, too.
    return isinstance(value, (float, complex)) and value != value  # noqa: PLR0124


def asks_for_time(code: types.CodeType) -> bool:
    """Whether code may have NumPy read the clock: numpy.datetime64("now")."""
    texts = {const.lower() for const in code.co_consts if type(const) is str}
    if texts.isdisjoint(("now", "today")):
        return False
    return "datetime64" in code.co_names or any("m8" in text or "datetime64" in text for text in texts)


def tells_objects_apart(code: types.CodeType) -> bool:
    """Whether code asks if two objects are one, neither of which it names as a constant."""
    if not {"is_", "is_not"}.isdisjoint(code.co_names):  # operator's
        return True
    before = ""
    for name, _ in instructions(code):
        if name == "IS_OP" and before != "LOAD_CONST":
            return True
        if name not in ("CACHE", "EXTENDED_ARG"):
            before = name
    return False


def reads_text(code: types.CodeType) -> bool:
    """Whether code may make text of an array, which NumPy's print options are for."""
    if not _TEXTS.isdisjoint(code.co_names) or any(isinstance(const, str) and "%" in const for const in code.co_consts):
        return True
    return any(name in ("FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC") for name, _ in instructions(code))


def has_functions(cls: type, but: frozenset[str] = frozenset()) -> bool:
    """Whether it has functions that would have to be followed."""
    attributes = [item for base in cls.__mro__ for name, item in vars(base).items() if name not in but]
    parts = [part for item in attributes for part in (item, *(said(item, name) for name in ("__func__", "fget", "fset", "fdel", "func")))]
    return any(type(part) is types.FunctionType and not is_own(part) for part in parts)


_MAKERS = frozenset(["__new__", "__init__", "_new_member_", "__new_member__", "_generate_next_value_"])


def is_unchanging(value: Any) -> bool:
    """Whether a value of a class of the user's (a member of an enumeration, a number, text) can be used as it is, with guards on all that is in it."""
    cls = type(value)
    if any(vars(base).get("__slots__") for base in cls.__mro__ if not is_own(base)) or has_functions(cls, _MAKERS):
        return False
    known = (type, types.BuiltinFunctionType)
    return not any(
        isinstance(item, numpy.generic) or not (is_value(item) or isinstance(item, known) or _is_plain_tuple(item))
        for item in getattr(value, "__dict__", {}).values()
    )


def _is_plain_tuple(value: Any) -> bool:
    return type(value) is tuple and all(is_value(item) or _is_plain_tuple(item) for item in value)
