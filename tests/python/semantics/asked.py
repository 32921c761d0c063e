"""Asks the questions of questions.py in every place that a function can read from, compiled and as written.

As a program it asks each in one place, with what FASTNP_CACHE_DIR says.
"""

from __future__ import annotations

import collections
import collections.abc
import contextlib
import copy
import decimal
import functools
import inspect
import itertools
import linecache
import math
import operator
import os
import random
import re
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import asked_around
import asked_functions
import asked_names
import asked_objects
import asked_values
import numpy
import questions

import fastnp as np

_TABLES = (questions, asked_values, asked_objects, asked_functions, asked_around, asked_names)
NAMES = {
    **{name: value for table in _TABLES for name, value in vars(table).items() if name[0].isupper()},
    **{module.__name__: module for module in (collections, contextlib, copy, decimal, functools, inspect, itertools, math, operator, os, sys, numpy)},
    "np": np,
}


class Holder:
    pass


# How `o` is spelt in each place.
PLACES = {
    "global": "o",
    "cell": "o",
    "argument": "o",
    "keyword": "o",
    "default": "o",
    "self": "self.o",
    "argument's attribute": "h.o",
    "attribute": "h.o",
    "class": "C.o",
    "function": "g.o",
    "module": "m.o",
    "item": "l[0]",
    "named item": "d['o']",
    "nested": "t[1]['o'][0].o",
    "argument's item": "a[0]['o']",
    "callee": "o",
    "callee's argument": "o",
}

_numbers = itertools.count()


class Case:
    """A question in a place."""

    def __init__(self, question: questions.Question, place: str) -> None:
        self.question, self.place = question, place
        self.space: dict[str, Any] = dict(NAMES)
        self.value = question.make()
        self.function = self.make_function()

    def source(self) -> str:
        spelt, ask = PLACES[self.place], self.question.ask
        lines = ask.splitlines() if "\n" in ask else [f"r = {ask}"]
        lines = [re.sub(r"(?<![\w.'])o(?![\w'])", spelt, line) for line in lines]
        body = [*lines, "return x * 2.0, r"]
        signature = {
            "argument": "f(x, o)",
            "keyword": "f(x, *, o)",
            "default": "f(x, o=o)",
            "self": "f(self, x)",
            "argument's attribute": "f(x, h)",
            "argument's item": "f(x, a)",
        }.get(self.place, "f(x)")
        indented = "\n".join("    " + line for line in body)
        if self.place == "cell":
            inner = "\n".join("    " + line for line in indented.splitlines())
            return f"def outer(o):\n    def f(x):\n{inner}\n    def put(v):\n        nonlocal o\n        o = v\n    return f, put\nf, put = outer(o)\n"
        if self.place == "callee":
            return f"def g(x):\n{indented}\ndef f(x):\n    return g(x)\n"
        if self.place == "callee's argument":
            return f"def g(x, o):\n{indented}\ndef f(x):\n    return g(x, o)\n"
        return f"def {signature}:\n{indented}\n"

    def make_function(self) -> Any:
        space, value = self.space, self.value
        space.update(h=Holder(), C=type("C", (), {"o": value}), m=types.ModuleType("m"), l=[value], d={"o": value}, o=value)
        space["g"] = lambda: 0
        space["h"].o = space["m"].o = space["g"].o = value
        inner = Holder()
        inner.o = value
        space["t"] = (0, {"o": [inner]})
        space["a"] = [{"o": value}]
        source, file = self.source(), f"<asked {next(_numbers)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), space)
        return space["f"]

    def put(self, value: Any) -> None:
        """Another thing takes the place."""
        self.value, space, place = value, self.space, self.place
        if place == "cell":
            space["put"](value)
        elif place == "default":
            self.function.__defaults__ = (value,)
        elif place == "nested":
            space["t"][1]["o"][0].o = value
        elif place in ("global", "callee", "callee's argument"):
            space["o"] = value
        elif place in ("self", "attribute", "argument's attribute"):
            space["h"].o = value
        elif place == "class":
            space["C"].o = value
        elif place == "function":
            space["g"].o = value
        elif place == "module":
            space["m"].o = value
        elif place == "item":
            space["l"][0] = value
        elif place == "named item":
            space["d"]["o"] = value
        elif place == "argument's item":
            space["a"][0]["o"] = value

    def call(self, function: Callable[..., Any]) -> Any:
        x = numpy.array([1.0, 2.0])
        space = self.space
        given: dict[str, Callable[[], Any]] = {
            "argument": lambda: function(x, self.value),
            "keyword": lambda: function(x, o=self.value),
            "self": lambda: function(space["h"], x),
            "argument's attribute": lambda: function(x, space["h"]),
            "argument's item": lambda: function(x, space["a"]),
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return given.get(self.place, lambda: function(x))()
            except Exception as error:  # compared with the other's
                return error


def shown(value: Any) -> str:
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(map(shown, value))})"
    if isinstance(value, numpy.ndarray):
        return f"{type(value).__name__} {value.dtype} {value!r}"
    return f"{type(value).__name__} {re.sub('0x[0-9a-f]+', '0x', repr(value))}"


def differences(question: questions.Question, place: str, backend: str = "eager", anew: bool = False, turns: int = 2) -> list[str]:
    """What a compiled function gives otherwise than the function as written; `anew`: compiled again after each step, as another process would.

    Both work on things of their own, so that a question may change what it is asked about.
    """
    found, texts = [], []
    for compiled in (False, True):
        text: list[str] = []
        texts.append(text)
        try:
            asked_around.SPACES.append({})
            case = Case(question, place)
            asked_around.SPACES[-1] = case.space
            asked_around.IDS.clear()
            function = np.compile(case.function, backend=backend) if compiled else case.function
            for step in (None, *question.steps):
                if step is not None:
                    made = step(case.value)
                    if isinstance(made, questions.New):
                        case.put(made.value)
                    del made
                if anew and compiled:
                    function = np.compile(case.function, backend=backend)
                text += [shown(case.call(function)) for _ in range(turns)]
        finally:
            asked_around.SPACES.pop()
    for turn, (want, got) in enumerate(zip(*texts, strict=True)):
        if want != got:
            found.append(f"{question.name} / {place}: call {turn}: expected {want}, got {got}")
    return found


def main() -> None:
    """``asked.py SEED``: every question in a place that the seed chooses; prints what differs."""
    rng = random.Random(sys.argv[1])
    for question in questions.QUESTIONS:
        for line in differences(question, rng.choice(list(PLACES)), turns=1):
            print(line)


if __name__ == "__main__":
    main()
