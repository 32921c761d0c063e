"""What code objects name, without `dis`, which takes longer to import than this to run."""

from __future__ import annotations

import opcode
import sys
import types

_GLOBAL_SHIFT = 1 if sys.version_info >= (3, 11) else 0


def codes_of(code: types.CodeType) -> list[types.CodeType]:
    """A code object and those nested in it."""
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found += codes_of(constant)
    return found


def instructions(code: types.CodeType) -> list[tuple[str, int]]:
    """(name, argument) of every instruction."""
    raw, found, extended = code.co_code, [], 0
    for at in range(0, len(raw), 2):
        argument = raw[at + 1] | extended
        name = opcode.opname[raw[at]]
        extended = argument << 8 if name == "EXTENDED_ARG" else 0
        found.append((name, argument))
    return found


def global_names(code: types.CodeType) -> tuple[set[str], set[str]]:
    """(globals that are read, that are stored to)."""
    read, stored = set(), set()
    for name, argument in instructions(code):
        if name == "LOAD_GLOBAL":
            read.add(code.co_names[argument >> _GLOBAL_SHIFT])
        elif name in ("LOAD_NAME", "DELETE_GLOBAL"):
            read.add(code.co_names[argument])
        elif name == "STORE_GLOBAL":
            stored.add(code.co_names[argument])
    return read, stored


def stored_attributes(code: types.CodeType) -> set[str]:
    return {code.co_names[argument] for name, argument in instructions(code) if name == "STORE_ATTR"}


def loads(code: types.CodeType, name: str) -> bool:
    """Whether a name occurs otherwise than as the target of a store to an attribute."""
    for instruction, argument in instructions(code):
        if instruction in ("LOAD_ATTR", "LOAD_METHOD", "DELETE_ATTR", "IMPORT_FROM", "LOAD_NAME", "LOAD_SUPER_ATTR"):
            shift = int(instruction in ("LOAD_ATTR", "LOAD_SUPER_ATTR") and sys.version_info >= (3, 12))
            if code.co_names[argument >> (2 if instruction == "LOAD_SUPER_ATTR" else shift)] == name:
                return True
    return False


def has_loops(code: types.CodeType) -> bool:
    """Whether there is a `for` or a `while` in it."""
    return any(name.startswith(("FOR_ITER", "JUMP_BACKWARD", "POP_JUMP_BACKWARD")) for name, _ in instructions(code))
