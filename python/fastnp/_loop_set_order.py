"""The order of Python's sets: programs have its tables for sets that they go over.

A set's order is that of its table, which follows from the hashes and from the order in which items came. Sets that lose items are left to Python:
what they have lost stays in its tables.
"""

from __future__ import annotations

import ast
import functools
import random
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy

from fastnp import _syntax
from fastnp._loop_program import INT, INT64
from fastnp._names import Uses

if TYPE_CHECKING:
    from fastnp._loop_dicts import DictState
    from fastnp._loop_walk import Walk

__all__ = ["EMPTY", "FIRST_OF_SETS", "SetOrder", "Spot", "asks_for_order", "is_as_known"]

EMPTY = 0  # in the table; else an item's number, from 1 on
# Objects/setobject.c
FIRST_OF_SETS = 8  # places of a new table
_IN_LINE = 9  # places that are looked at behind the first one
_SHIFT = 5
_LARGE = 50_000  # items: such a table grows more slowly
# Python/pyhash.c, Objects/tupleobject.c
_PRIME = 2**61 - 1
_FIRST, _SECOND, _FIFTH = 11400714785074694791, 14029467366897019727, 2870177450012600261
_LENGTH = 3527539
_NO_HASH = 1546275796  # of a tuple, for -1
_WORD = 8


class Spot:
    """Where a key is looked for: variables. Python's sets look at several places in a line, and take the `rest` of a hash for the next one's `first`."""

    __slots__ = ("at", "first", "left", "rest")

    def __init__(self, at: int, first: int = -1, left: int = -1, rest: int = -1) -> None:
        self.at = at
        self.first = first
        self.left = left
        self.rest = rest


class SetOrder:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps

    # Hashes

    def whole(self, op: str, x: int, y: int) -> int:
        """Arithmetic that wraps."""
        return self.steps.map(op, INT64, INT64, x, y)

    def shifted(self, x: int, by: int) -> int:
        """To the right, as a number without a sign."""
        right = self.whole("right_shift", x, self.steps.whole(by))
        return self.whole("bitwise_and", right, self.steps.whole(2 ** (64 - by) - 1))

    def with_sign(self, x: int, sign: int) -> int:
        """-x where the sign is -1, and x where it is 0."""
        return self.whole("subtract", self.whole("bitwise_xor", x, sign), sign)

    def hash_of_number(self, word: int) -> int:
        steps, prime = self.steps, self.steps.whole(_PRIME)
        sign = self.whole("right_shift", word, steps.whole(63))
        size = self.with_sign(word, sign)
        rest = self.whole("add", self.whole("bitwise_and", size, prime), self.shifted(size, 61))
        less = self.whole("subtract", rest, prime)
        rest = steps.add("select", INT64, a=steps.compare("greater_equal", rest, prime), b=less, c=rest)
        found = self.with_sign(rest, sign)
        return steps.add("select", INT64, a=steps.compare("equal", found, steps.whole(-1)), b=steps.whole(-2), c=found)

    def hash_of_tuple(self, words: list[int]) -> int:
        steps, found = self.steps, self.steps.whole(_FIFTH)
        for word in words:
            found = self.whole("add", found, self.whole("multiply", self.hash_of_number(word), steps.whole(_SECOND)))
            found = self.whole("bitwise_or", self.whole("left_shift", found, steps.whole(31)), self.shifted(found, 33))
            found = self.whole("multiply", found, steps.whole(_FIRST))
        found = self.whole("add", found, steps.whole(len(words) ^ _FIFTH ^ _LENGTH))
        return steps.add("select", INT64, a=steps.compare("equal", found, steps.whole(-1)), b=steps.whole(_NO_HASH), c=found)

    # Places

    def last(self, held: DictState) -> int:
        return self.steps.plus(self.steps.get(self.walk.dicts.variable(held, "places")), self.steps.whole(-1))

    def spot(self, held: DictState, words: list[int], is_tuple: bool) -> Spot:
        """Where a key is looked for first."""
        steps = self.steps
        found = Spot(*(steps.variable(INT) for _ in range(4)))
        hashed = self.hash_of_tuple(words) if is_tuple else self.hash_of_number(words[0])
        steps.set(found.rest, hashed)
        self.begin(held, found, hashed)
        return found

    def begin(self, held: DictState, spot: Spot, where: int) -> None:
        """With the line that begins there."""
        steps, last = self.steps, self.last(held)
        first = self.whole("bitwise_and", where, last)
        steps.set(spot.at, first)
        steps.set(spot.first, first)
        fits = steps.compare("less_equal", steps.plus(first, steps.whole(_IN_LINE)), last)
        steps.set(spot.left, steps.add("select", INT64, a=fits, b=steps.whole(_IN_LINE), c=steps.whole(0)))

    def go_on(self, held: DictState, spot: Spot) -> None:
        """To the next place."""
        steps = self.steps
        steps.add("if", a=steps.compare("greater", steps.get(spot.left), steps.whole(0)))
        steps.set(spot.left, steps.plus(steps.get(spot.left), steps.whole(-1)))
        steps.set(spot.at, steps.plus(steps.get(spot.at), steps.whole(1)))
        steps.add("else")
        steps.set(spot.rest, self.shifted(steps.get(spot.rest), _SHIFT))
        far = self.whole("add", self.whole("multiply", steps.get(spot.first), steps.whole(5)), steps.whole(1))
        self.begin(held, spot, self.whole("add", far, steps.get(spot.rest)))
        steps.add("end")

    # Growth

    def enter_new(self, held: DictState, place: int, number: int) -> None:
        """An item that is new, the last one of the list."""
        steps, dicts = self.steps, self.walk.dicts
        used = steps.plus(number, steps.whole(1))
        dicts.set_place(held, place, used)
        is_full = steps.compare("greater_equal", steps.times(used, steps.whole(5)), steps.times(self.last(held), steps.whole(3)))
        steps.add("if", a=is_full)
        self.grow(held, used)
        steps.add("end")

    def grow(self, held: DictState, used: int) -> None:
        """Into a larger table, in the order of this one."""
        steps, dicts, old = self.steps, self.walk.dicts, self.steps.made_array()
        steps.add("point", a=old, b=dicts.table_of(held))
        count, places = steps.get(dicts.variable(held, "places")), steps.variable(INT)
        by = steps.add("select", INT64, a=steps.compare("greater", used, steps.whole(_LARGE)), b=steps.whole(2), c=steps.whole(4))
        least = steps.times(used, by)
        steps.set(places, steps.whole(FIRST_OF_SETS))
        steps.repeat(
            lambda: steps.compare("less_equal", steps.get(places), least),
            lambda: steps.set(places, steps.times(steps.get(places), steps.whole(2))),
        )
        dicts.new_table(held, steps.get(places))

        def move(at: int) -> None:
            entry = steps.add("load", INT64, a=old, b=steps.times(at, steps.whole(_WORD)))
            steps.add("if", a=steps.compare("greater", entry, steps.whole(EMPTY)))
            dicts.enter(held, steps.plus(entry, steps.whole(-1)))
            steps.add("end")

        steps.each(count, move)


_WITHOUT_ORDER = frozenset(["add", "discard", "remove", "clear"])  # methods
_OF_ALL = frozenset(["len", "min", "max", "any", "all", "sorted", "bool"])  # not sum(): that of floats is rounded in its order


def asks_for_order(function: ast.AST, name: str) -> bool:
    """Whether a function, or its caller, may do something with a set that depends on its order."""
    others: list[ast.AST | None] = []
    for node in _syntax.walk(function):
        if isinstance(node, ast.Compare):
            others += [each for op, each in zip(node.ops, node.comparators, strict=True) if isinstance(op, (ast.In, ast.NotIn))]
        elif isinstance(node, ast.Attribute) and node.attr in _WITHOUT_ORDER:
            others.append(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _OF_ALL and not node.keywords:
            others += node.args  # a key may be the same for several
        elif isinstance(node, ast.Assign) and len(node.targets) > 1 and name in Uses(*node.targets).stores:
            return True  # by another name, perhaps
        elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
            others += node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
        elif isinstance(node, ast.UnaryOp):
            others.append(node.operand)
    known = set(map(id, others))
    reads = [each for each in _syntax.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
    return any(each.id == name and id(each) not in known for each in reads)


# Whether this Python's sets are such ones


def _places(key: Any, mask: int) -> Iterator[int]:
    """Where a key may be in a table, one place after the other."""
    rest = hash(key) & (2**64 - 1)
    first = rest & mask
    while True:
        yield from range(first, first + (_IN_LINE if first + _IN_LINE <= mask else 0) + 1)
        rest >>= _SHIFT
        first = (first * 5 + 1 + rest) & mask


def _in_order(keys: Iterable[Any]) -> list[Any]:
    """The keys as a set has them to which they are added."""
    table: list[Any] = [None] * FIRST_OF_SETS
    used = 0
    for key in keys:
        at = next(at for at in _places(key, len(table) - 1) if table[at] is None or table[at] == key)
        if table[at] is not None:
            continue
        table[at] = key
        used += 1
        if used * 5 >= (len(table) - 1) * 3:
            least, old = used * (2 if used > _LARGE else 4), [each for each in table if each is not None]
            table = [None] * next(2**power for power in range(3, 63) if 2**power > least)
            for each in old:
                table[next(at for at in _places(each, len(table) - 1) if table[at] is None)] = each
    return [each for each in table if each is not None]


def _hash_of_tuple(hashes: list[int]) -> int:
    found = _FIFTH
    for each in hashes:
        found = (found + each * _SECOND) % 2**64
        found = (found << 31 | found >> 33) * _FIRST % 2**64
    found = (found + (len(hashes) ^ _FIFTH ^ _LENGTH)) % 2**64
    return _NO_HASH if found == 2**64 - 1 else found - (found >> 63 << 64)


def _hash_of_number(x: int) -> int:
    found = abs(x) % _PRIME * (1 if x >= 0 else -1)
    return -2 if found == -1 else found


@functools.cache
def is_as_known() -> bool:
    """Whether what is written here holds for the Python at hand: hashes, places and growth."""
    rng = random.Random(1)
    numbers = [rng.randrange(-(2**bits), 2**bits) for bits in (2, 5, 9, 30, 60, 62, 63) for _ in range(40)]
    numbers += [each << 12 for each in range(60)] + [-1, -2, _PRIME, -_PRIME, _PRIME - 1, -(2**63), 2**63 - 1]
    pairs = [tuple(rng.choices(numbers, k=1 + count % 4)) for count in range(150)]
    hashes = all(hash(each) == hash(numpy.int64(each)) == _hash_of_number(each) for each in numbers)
    tuples = all(hash(each) == _hash_of_tuple(list(map(hash, each))) for each in pairs)
    orders = all(list(set(each)) == _in_order(each) for each in (numbers, numbers[:30], numbers[280:], pairs, pairs[:9]))
    # The table of so many becomes larger by one of these: before, it has 131,072 places.
    sizes = [sys.getsizeof(set(range(count))) - sys.getsizeof(set()) for count in (78_642, 78_643)]
    return hashes and tuples and orders and sizes == [131_072 * 16, 262_144 * 16]
