"""Docstrings in NumPy's sections, composed when they are asked for.

The tables (`_doc_*.py`) have what is particular to a function; what it shares with others is added
here: parameters by their names, dtypes by the catalogue's rules, notes on derivatives and devices.

An entry of a table is text, in this order. The first line is the summary; paragraphs follow.

    @name : type        a parameter, what it is on the lines after; others are `_doc_common`'s
    -> name : type      what is returned, one or more
    ! Error             what is raised
    ~ text              a paragraph of the notes
    d text              the derivative
    % text              who computes it: a key of `_doc_common.HOW`, or words
    & name, name        see also
    >>> ...             examples, up to the end
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
import types
from typing import Any, NamedTuple

WIDTH = 88
_NAMES = """
    ufuncs rounding binary logic functions search arrays shapes pieces calculus statistics order choosing diagonals joining making moving comparisons
    elementwise polynomials sets signals methods classes linalg matrices fft
"""
_TABLES = tuple(f"_doc_{name}" for name in _NAMES.split())


class Item(NamedTuple):
    """A parameter, a result or an error."""

    name: str
    kind: str
    text: str


class Entry(NamedTuple):
    """A table's entry, taken apart."""

    summary: str
    paragraphs: list[str]
    parameters: list[Item]
    results: list[Item]
    errors: list[Item]
    notes: list[str]
    derivative: str
    how: str
    others: str
    examples: str


_MARKS = re.compile(r"(@|(?:->|!|~|d|%|&)(?=\s))\s*(.*)")


def _paragraphs(lines: list[str]) -> list[str]:
    return [" ".join(block.split()) for block in re.split(r"\n\s*\n", "\n".join(lines)) if block.strip()]


def _item(head: str, lines: list[str], is_named: bool) -> Item:
    if not is_named and " : " not in head:  # the kind of a result, or of ufuncs what it is
        return Item("", head, "\n\n".join(_paragraphs(lines)))
    name, _, kind = head.partition(" : ")
    return Item(name.strip(), kind.strip(), "\n\n".join(_paragraphs(lines)))


def parse(text: str) -> Entry:
    """The parts of an entry."""
    body, prompt, examples = text.strip("\n").partition(">>>")
    blocks: list[tuple[str, str, list[str]]] = [("", "", [])]
    for line in body.splitlines():
        found = _MARKS.fullmatch(line)
        if found is None:
            blocks[-1][2].append(line)
        else:
            blocks.append((found[1], found[2], []))

    def items(mark: str) -> list[Item]:
        return [_item(head, lines, mark != "->") for each, head, lines in blocks if each == mark]

    def words(mark: str) -> list[str]:
        return [part for each, head, lines in blocks if each == mark for part in _paragraphs([head, *lines])]

    summary, *paragraphs = _paragraphs(blocks[0][2])
    return Entry(
        summary,
        paragraphs,
        items("@"),
        items("->"),
        items("!"),
        words("~"),
        " ".join(words("d")),
        " ".join(words("%")),
        " ".join(words("&")),
        (prompt + examples).rstrip(),
    )


def _modules() -> list[Any]:
    return [importlib.import_module(f"fastnp.{name}") for name in _TABLES]


def names() -> list[str]:
    """Of all entries; those of other modules than the package's own begin with it (`linalg.solve`)."""
    return [name for module in _modules() for name in module.TEXTS]


def raw_entry(name: str) -> str | None:
    """An entry's text."""
    for table in {"linalg": _TABLES[-3:-1], "fft": _TABLES[-1:]}.get(name.partition(".")[0], _TABLES[:-3]):
        texts = importlib.import_module(f"fastnp.{table}").TEXTS
        if name in texts:
            return str(texts[name])
    return None


def _filled(text: str, indent: str = "") -> str:
    parts = [textwrap.fill(each, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False) for each in text.split("\n\n")]
    return "\n\n".join(parts)


def _section(title: str, body: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{body}" if body else ""


def _listed(items: list[Item]) -> str:
    heads = [" : ".join(filter(None, (each.name, each.kind))) for each in items]
    return "\n".join(head + (f"\n{_filled(each.text, '    ')}" if each.text else "") for head, each in zip(heads, items, strict=True))


def _merged(errors: list[Item]) -> list[Item]:
    """One item for each error."""
    found: dict[str, Item] = {}
    for each in errors:
        before = found.get(each.name)
        found[each.name] = each if before is None else each._replace(text=f"{before.text} {each.text}")
    return list(found.values())


def composed(head: str, entry: Entry) -> str:
    """The docstring. `head`: a line before the summary, or nothing."""
    parts = [
        head,
        entry.summary,
        *map(_filled, entry.paragraphs),
        _section("Parameters", _listed(entry.parameters)),
        _section("Returns", _listed(entry.results)),
        _section("Raises", _listed(_merged(entry.errors))),
        _section("Notes", "\n\n".join(map(_filled, entry.notes))),
        _section("See Also", _filled(entry.others)),
        _section("Examples", ">>> import fastnp as np\n" + entry.examples if entry.examples else ""),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _signature(name: str) -> inspect.Signature | None:
    import numpy

    import fastnp
    from fastnp import _core

    first = name.partition(".")[0]  # fastnp's linalg and fft have NumPy's signatures, and ask for docstrings while they are made
    found: Any = _core if first in ("ufunc", "CompiledFunction") else numpy if first in ("linalg", "fft") else fastnp
    for part in name.split("."):
        found = getattr(found, part, None)
    try:
        return inspect.signature(found)
    except (TypeError, ValueError):
        return None


def _defaulted(item: Item, default: Any) -> Item:
    if default is inspect.Parameter.empty or "default" in item.kind or "optional" in item.kind:
        return item
    shown = "optional" if default is None or "<" in repr(default) else f"default {default!r}"
    return item._replace(kind=f"{item.kind}, {shown}")


def _parameters(name: str, entry: Entry, signature: inspect.Signature | None) -> list[Item]:
    """Those of the signature: as the entry has them, else as functions have them in common."""
    from fastnp._doc_common import PARAMETERS

    if signature is None:
        return entry.parameters
    told = {part.strip(): each for each in entry.parameters for part in each.name.split(",")}
    found: list[Item] = []
    for parameter in signature.parameters.values():
        item = told.get(parameter.name)
        if parameter.name == "self" or (item is not None and item in found):
            continue
        if item is None:
            item = Item(parameter.name, *PARAMETERS[parameter.name])
        elif not item.kind and parameter.name in PARAMETERS:
            item = item._replace(kind=PARAMETERS[parameter.name][0])
        if "," in item.name:
            found.append(item)
            continue
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
        found.append(_defaulted(item._replace(name=stars + item.name), parameter.default))
    return found


def _completed(name: str, entry: Entry) -> Entry:
    """A method's entry, with what it lacks from its function's; its array is no parameter."""
    raw = raw_entry(name.removeprefix("ndarray.")) if name.startswith("ndarray.") else None
    if raw is None:
        return entry
    whole = parse(raw)
    own = {part.strip() for each in entry.parameters for part in each.name.split(",")}
    rest = [each for each in whole.parameters if own.isdisjoint(part.strip() for part in each.name.split(","))]
    parameters = [*entry.parameters, *(each._replace(name="b", text="The other factor.") if each.name == "a, b" else each for each in rest)]
    if entry.results:
        return entry._replace(parameters=parameters)
    return entry._replace(
        parameters=parameters,
        results=whole.results,
        errors=entry.errors or whole.errors,
        notes=entry.notes or whole.notes,
        derivative=entry.derivative or whole.derivative,
        how=entry.how or whole.how,
    )


def _of_function(name: str, entry: Entry) -> str:
    notes = list(entry.notes)
    if entry.derivative:
        notes.append(_sentence_of_derivative(entry.derivative))
    if entry.how:
        from fastnp._doc_common import HOW

        notes.append(HOW.get(entry.how, entry.how))
    return composed("", entry._replace(parameters=_parameters(name, entry, _signature(name)), notes=notes))


def _sentence_of_derivative(text: str) -> str:
    from fastnp._doc_common import DERIVATIVES

    first, _, rest = text.removeprefix("~ ").partition(" ")
    said = DERIVATIVES.get(first)
    return text.removeprefix("~ ") if said is None else f"{said} {rest}".strip()


def _of_numpy(name: str) -> str:
    import numpy

    found: Any = numpy
    for part in name.split("."):
        found = getattr(found, part, None)
    return getattr(found, "__doc__", None) or f"As numpy.{name}."


def text_of_function(function: Any, name: str) -> Any:
    """The docstring of what stands for a function: its own, where it is one of NumPy's with another around it."""
    return function.__doc__ if hasattr(function, "__wrapped__") and raw_entry(name) is None else text_of(name)


def text_of(name: str) -> str:
    """The docstring of a function of fastnp's, or NumPy's."""
    if "." not in name:
        from fastnp import _doc_ufunc

        made = _doc_ufunc.text_of(name)
        if made is not None:
            return made
    found = raw_entry(name)
    if found is None:
        return _of_numpy(name)
    made = _of_function(name, _completed(name, parse(found)))
    return made.replace("`a`", "the array") if name.startswith("ndarray.") else made


def _of_built_ins() -> list[str]:
    """The names whose docstrings are texts of C++: built-in functions, methods and classes have no other ones."""
    from fastnp import _core

    functions = (name for name in names() if "." not in name and isinstance(getattr(_core, name, None), types.BuiltinFunctionType))
    owned = (name for name in names() if name.partition(".")[0] in ("ndarray", "ufunc", "CompiledFunction"))
    return sorted([*functions, *owned])


def source() -> str:
    """What is in python/docstrings.def."""
    rows = [f'DOCSTRING("{name}", R"doc({text_of(name)})doc")\n' for name in _of_built_ins()]
    return "// The docstrings of functions and methods that C++ defines, sorted by name. Written by `python -m fastnp._doc`.\n" + "".join(rows)


if __name__ == "__main__":
    print(source(), end="")
