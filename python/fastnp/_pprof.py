"""Profiles in pprof's format: a gzipped message of https://github.com/google/pprof/blob/main/proto/profile.proto."""

from __future__ import annotations

import gzip
from typing import NamedTuple


class Frame(NamedTuple):
    """A frame of a stack."""

    name: str
    file: str = ""
    line: int = 0


def varint(number: int) -> bytes:
    """Protobuf's base 128, of 64 bits in two's complement."""
    number &= (1 << 64) - 1
    made = bytearray()
    while number >= 0x80:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    made.append(number)
    return bytes(made)


def number_field(field: int, value: int) -> bytes:
    """A field of wire type 0; nothing for 0, which is what a missing one means."""
    return varint(field << 3) + varint(value) if value else b""


def bytes_field(field: int, value: bytes) -> bytes:
    """A field of wire type 2: text, a message, or numbers behind each other."""
    return varint(field << 3 | 2) + varint(len(value)) + value


class Profile:
    """A profile of samples, each with a value of every type: ``Profile([("time", "nanoseconds")])``."""

    def __init__(self, types: list[tuple[str, str]]) -> None:
        self._types = types
        self._strings: dict[str, int] = {"": 0}
        self._functions: dict[tuple[str, str], int] = {}
        self._locations: dict[tuple[int, int], int] = {}
        self._samples: dict[tuple[int, ...], list[int]] = {}

    def _string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))

    def _location(self, frame: Frame) -> int:
        function = self._functions.setdefault((frame.name, frame.file), len(self._functions) + 1)
        return self._locations.setdefault((function, frame.line), len(self._locations) + 1)

    def add(self, frames: list[Frame], values: list[int]) -> None:
        """`frames`: from the innermost one on. Equal stacks are added up."""
        known = self._samples.setdefault(tuple(self._location(each) for each in frames), [0] * len(self._types))
        self._samples[tuple(self._location(each) for each in frames)] = [a + b for a, b in zip(known, values, strict=True)]

    def written(self, shown: str) -> bytes:
        """The file's bytes. `shown`: the type that tools show first."""
        parts = []
        for name, unit in self._types:
            parts.append(bytes_field(1, number_field(1, self._string(name)) + number_field(2, self._string(unit))))
        for stack, values in self._samples.items():
            packed = (b"".join(map(varint, stack)), b"".join(map(varint, values)))
            parts.append(bytes_field(2, bytes_field(1, packed[0]) + bytes_field(2, packed[1])))
        for (function, line), number in self._locations.items():
            parts.append(bytes_field(4, number_field(1, number) + bytes_field(4, number_field(1, function) + number_field(2, line))))
        for (name, file), number in self._functions.items():
            names = number_field(2, self._string(name)) + number_field(3, self._string(name)) + number_field(4, self._string(file))
            parts.append(bytes_field(5, number_field(1, number) + names))
        shown_first = number_field(14, self._string(shown))
        parts += [bytes_field(6, text.encode("utf-8", "backslashreplace")) for text in self._strings]  # the last ones: all are known by now
        return gzip.compress(b"".join(parts) + shown_first, mtime=0)
