"""What a dict or a set of the outside knows is the object itself, not what stands for it while recording."""

from __future__ import annotations

import collections
import dataclasses
import types
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np

X = numpy.linspace(0.5, 2.0, 4)


def relu(x):
    return x


class Plain:
    def method(self):
        return 1


PLAIN = Plain()
KEYS: dict[str, Any] = {
    "a function": relu,
    "a class": Plain,
    "an object": PLAIN,
    "a method": PLAIN.method,
    "a builtin": len,
    "a ufunc": numpy.sin,
    "a tuple of them": (relu, Plain, PLAIN),
    "a class of Python's": int,
}
KINDS_OF_TABLES: dict[str, Callable[[dict[Any, Any]], Any]] = {
    "dict": dict,
    "ordered": collections.OrderedDict,
    "default": lambda table: collections.defaultdict(int, table),
    "chain": collections.ChainMap,
    "proxy": types.MappingProxyType,
}
ASKED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "get": lambda x, table, key: x * table.get(key, -1.0),
    "item": lambda x, table, key: x * table[key],
    "in": lambda x, table, key: x * (2.0 if key in table else -1.0),
    "copied": lambda x, table, key: x * dict(table)[key],
    "items": lambda x, table, key: x * sum(value for found, value in table.items() if found == key),
    "in a set": lambda x, table, key: x * (2.0 if key in set(table) else -1.0),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("kind", KINDS_OF_TABLES)
@pytest.mark.parametrize("name", KEYS)
def test_objects_are_found_in_tables_of_the_outside(name, kind, asked):
    table = KINDS_OF_TABLES[kind]({key: 3.0 + number for number, key in enumerate(KEYS.values())})
    key, ask = KEYS[name], ASKED[asked]

    def by_name(x):
        return ask(x, table, key)

    def by_argument(x, given):
        return ask(x, table, given)

    wanted = by_name(X)
    for function, arguments in ((by_name, (X,)), (by_argument, (X, key))):
        compiled = np.compile(function)
        for _ in range(3):
            assert numpy.array_equal(compiled(*arguments), wanted)


@dataclasses.dataclass(eq=False)
class Fielded:
    scale: float


def test_arguments_are_found_in_tables_by_which_object_they_are():
    objects = [Fielded(2.0), Fielded(2.0), Plain(), Plain()]
    table = {each: float(number + 1) for number, each in enumerate(objects)}
    compiled = np.compile(lambda x, each: x * table.get(each, -1.0))
    for _ in range(2):
        for number, each in enumerate(objects):
            assert numpy.array_equal(compiled(X, each), X * (number + 1.0))
