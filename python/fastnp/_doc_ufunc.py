"""Docstrings of ufuncs: a row of a table, and what all of them share."""

from __future__ import annotations

from fastnp import _core
from fastnp._doc import Entry, Item, composed, parse

_KINDS = {
    "all": "any dtype",
    "no_bool": "any dtype but bool",
    "real": "bool, integer or floating dtype",
    "real_no_bool": "integer or floating dtype",
    "inexact": "floating or complex dtype",
    "real_inexact": "floating dtype",
    "integers": "integer dtype",
    "bits": "bool or integer dtype",
    "wide": "float64 or complex128",
    "division": "floating or complex dtype",
    "scaled": "floating dtype",
    "to_real": "any dtype",
    "to_bool": "any dtype",
    "compare": "any dtype",
    "real_inexact_to_bool": "floating dtype",
    "real_inexact_to_int32": "floating dtype",
    "integers_to_uint8": "integer dtype",
}
_OUTPUTS = {"to_real": "real", "to_bool": "bool", "compare": "bool", "real_inexact_to_bool": "bool", "integers_to_uint8": "uint8"}
_PROMOTED = "Integers and bools are computed in the floating dtype that holds them: float16 for 8 bits, float32 for 16, float64 for more."
_OF_PROMOTION = ("inexact", "real_inexact", "real_inexact_to_bool")
_REST = {  # rows that are no ufuncs, for those that are made of them
    "divmod": ("real_no_bool", 2, 2),
    "frexp": ("real_inexact", 1, 2),
    "modf": ("real_inexact", 1, 2),
}
# The C library's vector functions, as NumPy's own, are accurate to this.
_VECTORS = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt arctan2 hypot power float_power"
).split()
_SAME = {"deg2rad": "radians", "rad2deg": "degrees"}


def raw_entry(name: str) -> str | None:
    from fastnp import _doc_binary, _doc_logic, _doc_rounding, _doc_ufuncs

    tables = (_doc_ufuncs.TEXTS, _doc_rounding.TEXTS, _doc_binary.TEXTS, _doc_logic.TEXTS)
    return next((table[name] for table in tables if name in table), None)


def row_of(name: str) -> tuple[str, int, int] | None:
    """(rule, number of operands, number of results) of a ufunc."""
    if name in _REST:
        return _REST[name]
    wanted = _SAME.get(name, name)
    return next(((rule, count, 1) for each, kind, count, rule, _, _ in _core._catalogue() if kind == "map" and each == wanted), None)


def _shared(count: int, results: int) -> list[Item]:
    outs = "array" if results == 1 else "tuple of two arrays"
    return [
        Item(
            "out",
            "ndarray or tuple of ndarray, optional",
            f"Where the result goes: {outs} of the result's shape, whose dtype `casting` allows. It may be an operand.",
        ),
        Item(
            "where", "array_like of bool, default True", "Which elements are computed. The others keep what `out` has; without `out` they are undefined."
        ),
        Item("casting", "str, default 'same_kind'", "Which casts of operands and result are allowed, as `numpy.can_cast` has it."),
        Item("order", "{'K', 'C', 'F', 'A'}, default 'K'", "How a new result lies in memory."),
        Item("dtype", "dtype, optional", "The dtype that is computed in, and of the result."),
        Item("subok", "bool, default True", "For NumPy's signature."),
        Item("signature", "str or tuple of dtypes, optional", "The loop that is taken; NumPy's own function is called for it."),
    ]


def _operands(entry: Entry, rule: str, count: int) -> list[Item]:
    names = ["x"] if count == 1 else ["x1", "x2"]
    told = {each.name: each for each in entry.parameters}
    kind = f"array_like, {_KINDS[rule]}"
    if count == 2 and "x1, x2" in told:
        return [told["x1, x2"]._replace(kind=told["x1, x2"].kind or kind)]
    return [told[name]._replace(kind=told[name].kind or kind) for name in names]


def _results(entry: Entry, rule: str, count: int, results: int) -> list[Item]:
    shape = "the shape of `x`" if count == 1 else "the shape that `x1` and `x2` broadcast to"
    kind = "ndarray or scalar"
    if rule in _OUTPUTS:
        kind += f", {_OUTPUTS[rule]}"
    ends = f"It has {shape}; a scalar where that is none." if results == 1 else f"Of {shape}; a scalar where that is none."
    if len(entry.results) == 1:
        (each,) = entry.results
        return [Item("y", kind, f"{each.kind} {each.text}".strip() + f" {ends}")]
    return [each._replace(text=f"{each.text} {ends}") for each in entry.results]


def _loops(name: str) -> str:
    """The dtypes that it computes in, by its loops."""
    import numpy

    found: dict[str, None] = {}
    for loop in getattr(_core, name).types:
        found.setdefault(numpy.dtype(loop[0]).name)
    order = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
    listed = [each for each in order if each in found]
    whole = [each for each in listed if "int" in each]
    if len(whole) == 8:
        listed = [each for each in listed if "int" not in each]
        listed.insert(1 if "bool" in listed else 0, "integers of 8 to 64 bits")
    return ", ".join(listed)


def _notes(name: str, entry: Entry, rule: str, count: int) -> list[str]:
    notes = list(entry.notes)
    if rule in _OF_PROMOTION:
        notes.append(_PROMOTED)
    bfloat = "" if rule in ("integers", "bits", "wide", "integers_to_uint8") else ", and bfloat16"
    notes.append(f"Computed in {_loops(name)}{bfloat}. For other dtypes (long double, dates, objects) NumPy's own ufunc is called.")
    if _SAME.get(name, name) in _VECTORS:
        notes.append(
            "float32 and float64 go through the C library's vector functions, within 4 units in the last place; last digits may differ from NumPy's."
        )
    notes.append(_derivative(entry.derivative, count))
    notes.append("Compiled functions fuse it with the operations around it, on the host and on CUDA devices; outside of them precompiled kernels run.")
    return notes


def _derivative(text: str, count: int) -> str:
    if text.startswith("~"):
        return text[1:].strip()
    first, _, rest = text.partition(" ")
    if first in ("none", "zero", "undefined"):
        from fastnp._doc_common import DERIVATIVES

        return f"{DERIVATIVES[first]} {rest}".strip()
    formula, _, rest = text.partition(";")
    rest = f" {rest.strip()}" if rest else ""
    if count == 1:
        return f"Derivative: ``{formula.strip()}``.{rest}"
    one, _, two = formula.partition("|")
    return f"Derivatives: ``{one.strip()}`` by `x1`, ``{two.strip()}`` by `x2`.{rest}"


def text_of(name: str) -> str | None:
    """The docstring, or None where it is no ufunc."""
    same = _SAME.get(name, name)
    raw = raw_entry(name)
    row = row_of(name)
    if raw is None or row is None:
        return None
    rule, count, results = row
    entry = parse(raw)
    shown = "x" if count == 1 else "x1, x2"
    outs = "[, out1, out2], / [, out=(None, None)]" if results == 2 else ", /, out=None"
    head = f"{name}({shown}{outs}, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"
    errors = list(entry.errors)
    if count == 2:
        errors.append(Item("ValueError", "", "Where the shapes do not broadcast, or `out` has another one."))
    errors.append(Item("TypeError", "", "For dtypes without a loop, and casts that `casting` does not allow."))
    return composed(
        head,
        entry._replace(
            parameters=[*_operands(entry, rule, count), *_shared(count, results)],
            results=_results(entry, rule, count, results),
            errors=errors,
            notes=_notes(same, entry, rule, count),
        ),
    )


def derivative_of(name: str) -> str | None:
    """What its entry says of its derivative; the tests compare it with what grad gives."""
    raw = raw_entry(name)
    return None if raw is None else parse(raw).derivative
