"""Writes the repetitive parts of the package's stubs, between the lines "# made: ..." and "# end: ..." of python/fastnp/*.pyi.

These are operators, ufuncs (from include/fastnp/ops/map.def), reductions, what makes and moves arrays, draws, and the functions that only NumPy has.
They have ruff's format. ``--check`` says what differs, and changes nothing.
"""

from __future__ import annotations

import difflib
import inspect
import re
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy

ROOT = Path(__file__).resolve().parent.parent
STUBS = ROOT / "python" / "fastnp"

# Operators and in which ufunc's rule their dtypes are.
ARITHMETIC = ["add", "sub", "mul", "floordiv", "mod", "pow"]
BITS = ["and", "or", "xor", "lshift", "rshift"]
COMPARISONS = ["lt", "le", "gt", "ge"]

REAL = "_dtype[floating[Any] | integer[Any] | numpy.bool]"
COUNTS = "_dtype[integer[Any] | numpy.bool]"
ANY = "ndarray[_AnyShape, _dtype[Any]]"

# By the catalogue's rule of a ufunc, the class in _core.pyi that says what it gives.
ONE = {
    "to_bool": "_Tests",
    "real_inexact_to_bool": "_Tests",
    "integers_to_uint8": "_Counts",
    "to_real": "_Moduli",
    "inexact": "_Floats",
    "real_inexact": "_Floats",
}
TWO = {"compare": "_Compares", "to_bool": "_Compares", "division": "_Divides", "real_inexact": "_Divides", "wide": "_Divides"}
PAIRS = {"divmod": "_DividesInTwo", "frexp": "_SplitsInTwo", "modf": "_SplitsInTwo"}
ALIASES = ROOT / "python" / "fastnp" / "__init__.py"


def overloads(name: str, *signatures: str, indent: str = "    ") -> Iterator[str]:
    """A function's signatures: "(parameters) -> result" each."""
    for signature in signatures:
        if len(signatures) > 1:
            yield f"{indent}@overload"
        yield f"{indent}def {name}{signature}: ..."


def arithmetic(name: str) -> Iterator[str]:
    third = "mod: None = ..., /" if name.endswith("pow__") else "/"
    given = [
        (f"ndarray[_ShapeT, {REAL}]", "float64", "ndarray[_ShapeT, _dtype[float64]]"),
        ("ndarray[_ShapeT, _dtype[_InexactT]]", "float", "ndarray[_ShapeT, _dtype[_InexactT]]"),
        ("ndarray[_ShapeT, _dtype[_NumberT]]", "int", "ndarray[_ShapeT, _dtype[_NumberT]]"),
        (f"ndarray[_ShapeT, {COUNTS}]", "float", "ndarray[_ShapeT, _dtype[float64]]"),
        ("ndarray[_ShapeT, _dtype[float64]]", "complex", "ndarray[_ShapeT, _dtype[complex128]]"),
    ]
    if "truediv" in name:
        del given[2]
    signatures = [f"(self: {own}, other: {other}, {third}) -> {result}" for own, other, result in given]
    if "truediv" in name:
        signatures += [
            f"(self: ndarray[_ShapeT, _dtype[_InexactT]], other: _Of[_ShapeT, _dtype[_InexactT]], {third}) -> ndarray[_ShapeT, _dtype[_InexactT]]",
            f"(self: ndarray[Any, _dtype[_InexactT]], other: _Of[Any, _dtype[_InexactT]], {third}) -> ndarray[_AnyShape, _dtype[_InexactT]]",
        ]
    else:
        signatures += [
            f"(self, other: _Of[_ShapeT_co, _DTypeT_co], {third}) -> ndarray[_ShapeT_co, _DTypeT_co]",
            f"(self, other: _Of[Any, _DTypeT_co], {third}) -> ndarray[_AnyShape, _DTypeT_co]",
        ]
    yield from overloads(name, *signatures, f"(self, other: _Operand, {third}) -> {ANY}")


def operators() -> Iterator[str]:
    for name in [*ARITHMETIC, "truediv"]:
        yield from arithmetic(f"__{name}__")
        yield from arithmetic(f"__r{name}__")
        yield f"    def __i{name}__(self, other: _Operand, /) -> Self: ..."
    for name in ("__divmod__", "__rdivmod__"):
        pairs = [("_InexactT", "float"), ("_NumberT", "int")]
        same = [(f"ndarray[_ShapeT, _dtype[{element}]]", other) for element, other in pairs]
        signatures = [f"(self: {array}, other: {other}, /) -> tuple[{array}, {array}]" for array, other in same]
        yield from overloads(name, *signatures, f"(self, other: _Operand, /) -> tuple[{ANY}, {ANY}]")
    for name in BITS:
        for reflected in (f"__{name}__", f"__r{name}__"):
            yield from overloads(
                reflected,
                "(self: ndarray[_ShapeT, _dtype[_IntegerT]], other: int, /) -> ndarray[_ShapeT, _dtype[_IntegerT]]",
                "(self: ndarray[_ShapeT, _dtype[numpy.bool]], other: bool, /) -> ndarray[_ShapeT, _dtype[numpy.bool]]",
                "(self, other: _Of[_ShapeT_co, _DTypeT_co], /) -> ndarray[_ShapeT_co, _DTypeT_co]",
                "(self, other: _Of[Any, _DTypeT_co], /) -> ndarray[_AnyShape, _DTypeT_co]",
                f"(self, other: _Operand, /) -> {ANY}",
            )
        yield f"    def __i{name}__(self, other: _Operand, /) -> Self: ..."
    for name in ("__matmul__", "__rmatmul__"):
        yield f"    def {name}(self, other: _Operand, /) -> _ArrayOrNumber: ..."
    yield "    def __imatmul__(self, other: _Operand, /) -> Self: ..."
    for name, other in [("eq", "object"), ("ne", "object"), *((name, "_Operand") for name in COMPARISONS)]:
        yield from overloads(
            f"__{name}__",
            "(self, other: _Number, /) -> ndarray[_ShapeT_co, _dtype[numpy.bool]]",
            f"(self, other: {other}, /) -> ndarray[_AnyShape, _dtype[numpy.bool]]",
        )


def number_operators() -> Iterator[str]:
    """Of results that may be numbers: with a number they are that again."""
    for name in [*ARITHMETIC, "truediv"]:
        third = "mod: None = ..., /" if name == "pow" else "/"
        for each in (f"__{name}__", f"__r{name}__"):
            yield from overloads(each, f"(self, other: complex, {third}) -> _ArrayOrNumber", f"(self, other: _Operand, {third}) -> {ANY}")
    for name in ("neg", "pos", "abs"):
        yield f"    def __{name}__(self) -> _ArrayOrNumber: ..."


def integer_operators() -> Iterator[str]:
    for name in [*ARITHMETIC, "truediv"]:
        third = "mod: None = ..., /" if name == "pow" else "/"
        for each in (f"__{name}__", f"__r{name}__"):
            integers = [] if name == "truediv" else [f"(self, other: int, {third}) -> _ArrayOrInteger"]
            yield from overloads(each, *integers, f"(self, other: complex, {third}) -> _ArrayOrNumber", f"(self, other: _Operand, {third}) -> {ANY}")
    for name in ("neg", "pos", "abs", "invert"):
        yield f"    def __{name}__(self) -> _ArrayOrInteger: ..."


def catalogue() -> dict[str, str]:
    """The ufuncs, and which class each is of."""
    found = dict(PAIRS)
    for count, name, rule in re.findall(r"^MAP([12])\((\w+), (\w+),", (ROOT / "include/fastnp/ops/map.def").read_text(), re.MULTILINE):
        if hasattr(numpy, name) and isinstance(getattr(numpy, name), numpy.ufunc):
            found[name] = ONE.get(rule, "_Maps") if count == "1" else TWO.get(rule, "_Joins")
    found["ldexp"] = "_Joins"
    for name, other in (("degrees", "rad2deg"), ("radians", "deg2rad")):
        found[other] = found[name]
    return found


def ufuncs() -> Iterator[str]:
    for name, kind in sorted(catalogue().items()):
        yield f"{name}: {kind}"


def aliases() -> Iterator[str]:
    kinds = catalogue()
    for name, target in re.findall(r'^    "(\w+)": "(\w+)",$', ALIASES.read_text(), re.MULTILINE):
        if target in kinds:
            yield f"{name}: _core.{kinds[target]}"


# Reductions: (parameters between axis and out, those after keepdims, result of everything, of an axis), by what the elements are.
_FOLD = "initial: _Number | None = ..., where: _Mask = ..."
_WHERE = "*, where: _Mask = ..."
_SPREAD = "*, where: _Mask = ..., mean: _Operand = ..."


def reduction(name: str, method: bool) -> Iterator[str]:
    """A reduction's signatures, as a function or as a method."""
    takes_dtype = name in ("sum", "prod", "mean", "var", "std")
    spread = name in ("var", "std")
    rest = _FOLD if name in ("sum", "prod", "max", "min") else _SPREAD if spread else _WHERE
    if spread and not method:
        rest += ", correction: float | None = ..."
    if name in ("any", "all"):
        elements = [("Any", "numpy.bool")]
    elif name in ("argmax", "argmin"):
        elements = [("Any", "numpy.intp")]
    elif name in ("max", "min"):
        elements = [("_ScalarT", "_ScalarT")]
    elif spread:
        elements = [("_FloatingT", "_FloatingT"), ("integer[Any] | numpy.bool", "float64")]
    elif name == "mean":
        elements = [("_InexactT", "_InexactT"), ("integer[Any] | numpy.bool", "float64")]
    else:
        elements = [("_InexactT", "_InexactT")]
    marked = name in ("argmax", "argmin")  # their keepdims is by name alone

    def parameters(first: str, axis: str, dtype: str, out: str, keepdims: str) -> str:
        parts = [first, axis, *([dtype] if takes_dtype else []), out, *(["ddof: float = ..."] if spread else [])]
        parts += [f"*, {keepdims}"] if marked else [keepdims, rest]
        return ", ".join(parts)

    def first(element: str) -> str:
        kept = "_dtype[Any]" if element == "Any" else f"_dtype[{element}]"
        return f"self: ndarray[Any, {kept}]" if method else f"a: _Of[Any, {kept}]"

    free = "self" if method else "a: _Operand"
    none, given = "axis: None = ...", "axis: _Given"
    dtype, other = "dtype: None = ...", "dtype: DTypeLike | None = ..."
    out, keep, keeps = "out: None = ...", "keepdims: Literal[False] = ...", "keepdims: Literal[True]"
    either = "keepdims: bool = ..."
    signatures = []
    if method and not elements[0][1].startswith("numpy."):  # of an unknown dtype, too
        signatures.append(f"({parameters(first('float64'), none, dtype, out, keep)}) -> _ArrayOrNumber")
    for element, result in elements:
        if method:
            signatures.append(f"({parameters(first(element), none, dtype, out, keep)}) -> {result}")
        signatures.append(f"({parameters(first(element), given, dtype, out, either)}) -> ndarray[_AnyShape, _dtype[{result}]]")
    fixed = elements[0][1] if elements[0][1].startswith("numpy.") else "Any"
    if not method or fixed == "Any":
        signatures.append(f"({parameters(free, none, other, out, keep)}) -> {'_ArrayOrNumber' if fixed == 'Any' else fixed}")
        signatures.append(f"({parameters(free, given, other, out, either)}) -> ndarray[_AnyShape, _dtype[{fixed}]]")
    starred = keeps if marked else f"*, {keeps}"
    kept = parameters(free, none, other, out, starred if not marked else keeps).replace("*, where", "where")
    signatures.append(f"({kept}) -> ndarray[_ShapeT_co, _dtype[{fixed}]]" if method else f"({kept}) -> ndarray[_AnyShape, _dtype[{fixed}]]")
    into = by_name(free, other if takes_dtype else "", "ddof: float = ..." if spread else "", either, rest, marked)
    signatures.append(f"({into}) -> _OutT")
    yield from overloads(name, *signatures, indent="    " if method else "")


def by_name(free: str, dtype: str, ddof: str, keepdims: str, rest: str, marked: bool) -> str:
    """With an array to write into."""
    parts = [free, "axis: _Axis = ...", *([dtype] if dtype else []), "*", "out: _OutT", *([ddof] if ddof else []), keepdims]
    if not marked:
        parts.append(rest.removeprefix("*, "))
    return ", ".join(parts)


REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "var", "std"]


def reduction_methods() -> Iterator[str]:
    for name in REDUCTIONS:
        yield from reduction(name, True)


def reductions() -> Iterator[str]:
    for name in REDUCTIONS:
        yield from reduction(name, False)


def creators() -> Iterator[str]:
    """Arrays of a shape: what it holds is said by dtype, else float64."""
    known = ["tuple[int]", "tuple[int, int]", "tuple[int, int, int]"]
    shapes = [("SupportsIndex", "tuple[int]"), *zip(known, known, strict=True), ("_Shape", "_AnyShape")]
    python = [("type[bool]", "numpy.bool"), ("type[int]", "numpy.int64"), ("type[float]", "float64"), ("type[complex]", "complex128")]
    end = "order: _Order = ..., *, device: str | None = ..., like: Any = ..."
    for name in ("zeros", "ones", "empty", "full"):
        value = "fill_value: Any, " if name == "full" else ""
        signatures = [] if value else [f"(shape: {shape}, dtype: None = ..., {end}) -> ndarray[{made}, _dtype[float64]]" for shape, made in shapes]
        if value:
            for number, element in (("_ScalarT", "_ScalarT"), ("bool", "numpy.bool"), ("int", "numpy.int64"), ("float", "float64")):
                signatures += [
                    f"(shape: {shape}, fill_value: {number}, dtype: None = ..., {end}) -> ndarray[{made}, _dtype[{element}]]" for shape, made in shapes
                ]
        signatures += [f"(shape: {shape}, {value}dtype: _DTypeOf[_ScalarT], {end}) -> ndarray[{made}, _dtype[_ScalarT]]" for shape, made in shapes]
        signatures += [f"(shape: _Shape, {value}dtype: {kind}, {end}) -> ndarray[_AnyShape, _dtype[{element}]]" for kind, element in python]
        yield from overloads(name, *signatures, f"(shape: _Shape, {value}dtype: DTypeLike | None = ..., {end}) -> {ANY}", indent="")
    for name in ("zeros_like", "ones_like", "empty_like", "full_like"):
        first, alone = ("prototype", " /,") if name == "empty_like" else ("a", "")
        value = "fill_value: Any, " if name == "full_like" else ""
        end = "order: _Order = ..., subok: bool = ..., shape: {} = ..., *, device: str | None = ..."
        none, some = end.format("None"), end.format("_Shape | None")
        yield from overloads(
            name,
            f"({first}: _Of[_ShapeT, _DTypeT],{alone} {value}dtype: None = ..., {none}) -> ndarray[_ShapeT, _DTypeT]",
            f"({first}: _Of[_ShapeT, Any],{alone} {value}dtype: _DTypeOf[_ScalarT], {none}) -> ndarray[_ShapeT, _dtype[_ScalarT]]",
            f"({first}: _Operand,{alone} {value}dtype: DTypeLike | None = ..., {some}) -> {ANY}",
            indent="",
        )


def conversions() -> Iterator[str]:
    """Arrays of what is given; lists of numbers are known to two levels."""
    lists = [("bool", "numpy.bool"), ("int", "numpy.int64"), ("float", "float64"), ("complex", "complex128")]
    for name in ("array", "asarray", "asanyarray"):
        first = "object" if name == "array" else "a"
        end = "order: _Order = ..., subok: bool = ..., ndmin: int = ..., like: Any = ..." if name == "array" else ""
        rest = (
            f"*, copy: bool | None = ..., {end}"
            if name == "array"
            else "order: _Order = ..., *, device: str | None = ..., copy: bool | None = ..., like: Any = ..."
        )
        signatures = [f"({first}: _Of[_ShapeT, _DTypeT], dtype: None = ..., {rest}) -> ndarray[_ShapeT, _DTypeT]"]
        signatures += [f"({first}: list[{kind}], dtype: None = ..., {rest}) -> ndarray[tuple[int], _dtype[{element}]]" for kind, element in lists]
        signatures += [
            f"({first}: list[list[{kind}]], dtype: None = ..., {rest}) -> ndarray[tuple[int, int], _dtype[{element}]]" for kind, element in lists
        ]
        signatures += [f"({first}: _Of[_ShapeT, Any], dtype: _DTypeOf[_ScalarT], {rest}) -> ndarray[_ShapeT, _dtype[_ScalarT]]"]
        signatures += [f"({first}: Any, dtype: _DTypeOf[_ScalarT], {rest}) -> ndarray[_AnyShape, _dtype[_ScalarT]]"]
        yield from overloads(name, *signatures, f"({first}: Any, dtype: DTypeLike | None = ..., {rest}) -> {ANY}", indent="")


# Functions that move elements: what they take, and the shape of the result: the operand's, or an unknown one.
MOVES = {
    "transpose": ("a", "axes: Any = ...", True),
    "matrix_transpose": ("x", "/", True),
    "swapaxes": ("a", "axis1: SupportsIndex, axis2: SupportsIndex", True),
    "moveaxis": ("a", "source: Any, destination: Any", True),
    "expand_dims": ("a", "axis: _Given", False),
    "squeeze": ("a", "axis: _Axis = ...", False),
    "broadcast_to": ("array", "shape: _Shape, subok: bool = ...", False),
    "flip": ("m", "axis: _Axis = ...", True),
}


def moves() -> Iterator[str]:
    for name, (first, rest, keeps) in MOVES.items():
        shape, made = ("_ShapeT", "_ShapeT") if keeps else ("Any", "_AnyShape")
        yield from overloads(
            name, f"({first}: _Of[{shape}, _DTypeT], {rest}) -> ndarray[{made}, _DTypeT]", f"({first}: _Operand, {rest}) -> {ANY}", indent=""
        )


# What functions give that fastnp leaves to NumPy or composes: an array, unless they are here.
RESULTS = {
    **dict.fromkeys("allclose array_equal array_equiv iscomplexobj isfortran isrealobj isscalar iterable".split(), "builtins.bool"),
    **dict.fromkeys(
        "array2string array_repr array_str base_repr binary_repr format_float_positional format_float_scientific mintypecode typename".split(), "str"
    ),
    **dict.fromkeys("copyto fill_diagonal place put put_along_axis putmask save savetxt savez savez_compressed info show_runtime".split(), "None"),
    **dict.fromkeys("broadcast_shapes".split(), "tuple[int, ...]"),
    **dict.fromkeys(
        "diag_indices diag_indices_from ix_ mask_indices meshgrid tril_indices tril_indices_from triu_indices triu_indices_from unstack".split(),
        "tuple[ndarray, ...]",
    ),
    **dict.fromkeys("unravel_index".split(), "tuple[ndarray, ...]"),
    **dict.fromkeys("histogram histogram2d histogramdd polydiv".split(), "tuple[Any, ...]"),
    "histogram": "tuple[ndarray, ndarray]",
    "histogram2d": "tuple[ndarray, ndarray, ndarray]",
    "histogramdd": "tuple[ndarray, tuple[ndarray, ...]]",
    "polydiv": "tuple[ndarray, ndarray]",
    "apply_along_axis": "ndarray",
    "einsum_path": "tuple[list[Any], str]",
    "getbufsize": "int",
    "min_scalar_type": "dtype[Any]",
    **dict.fromkeys(
        # By its arguments an array or a number, or several arrays.
        """average common_type geterrcall seterrcall setbufsize frompyfunc load fromregex nested_iters show_config datetime_data
        intersect1d unique_all unique_counts unique_inverse trapezoid median percentile quantile ptp trace bmat asmatrix busday_count
        busday_offset is_busday datetime_as_string  count_nonzero  gradient  nanargmax nanargmin nanmax nanmean nanmedian nanmin
        nanpercentile nanprod nanquantile nanstd nansum nanvar      """.split(),
        "Any",
    ),
    **dict.fromkeys("trapezoid polyval interp trace einsum".split(), "_core._ArrayOrNumber"),
}
# Of these an array comes where an axis is given.
BY_AXIS = """average median percentile quantile ptp nanargmax nanargmin nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum
nanvar""".split()
TYPES = {
    "axis": "Any",
    "dtype": "DTypeLike | None",
    "out": "_core._Out",
    "keepdims": "builtins.bool",
    "casting": "str",
    "order": "str | None",
    "shape": "Any",
    **dict.fromkeys("a b x y z v m ary arr ar1 ar2 a1 a2 weights fp xp p q u element test_elements filt f".split(), "_core._Operand"),
    **dict.fromkeys("rtol atol".split(), "_core._Operand"),
    **dict.fromkeys("equal_nan full sparse copy density endpoint rowvar bias increasing".split(), "builtins.bool"),
}
NULLABLE = {"weights", "y", "x", "copy", "density", "keepdims"}


def typed(name: str, parameter: inspect.Parameter) -> str:
    """The type of a parameter, by its name."""
    found = TYPES.get(parameter.name, "Any")
    if parameter.default is numpy._NoValue:
        return "Any"
    if name in ("save", "savez", "array2string", "array_repr", "array_str", "require", "asarray_chkfinite", "array_equal", "array_equiv"):
        found = found if parameter.name in ("dtype", "out") else "Any"
    if name.startswith(("format_", "datetime", "is_busday", "busday", "iscomplexobj", "isrealobj", "isscalar", "iterable")):
        found = "Any"
    if parameter.default is not parameter.empty and parameter.name in NULLABLE and found != "Any":
        found += " | None"
    return found


def parameters_of(name: str, function: Any, annotate: Callable[[str, inspect.Parameter], str] = typed) -> str:
    """NumPy's parameters, with types."""
    kinds = inspect.Parameter
    written: list[str] = []
    before = None
    for parameter in inspect.signature(function).parameters.values():
        if before == kinds.POSITIONAL_ONLY and parameter.kind != kinds.POSITIONAL_ONLY:
            written.append("/")
        if parameter.kind == kinds.KEYWORD_ONLY and before not in (kinds.KEYWORD_ONLY, kinds.VAR_POSITIONAL):
            written.append("*")
        stars = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else " = ..."
        written.append(f"{stars}{parameter.name}: {annotate(name, parameter)}{default}")
        before = parameter.kind
    if before == kinds.POSITIONAL_ONLY:
        written.append("/")
    return ", ".join(written)


def numpy_functions() -> Iterator[str]:
    """NumPy's functions that have no signature of fastnp's own."""
    own = set(re.findall(r"^def (\w+)", (STUBS / "_core.pyi").read_text(), re.MULTILINE)) | set(catalogue())
    head = re.sub(r"# made: .*?# end: \w+", "", (STUBS / "__init__.pyi").read_text(), flags=re.DOTALL)
    own |= set(re.findall(r"\b(\w+) as \1\b", head)) | set(re.findall(r"^(?:def )?(\w+)(?=[(:]| = )", head, re.MULTILINE))
    callables = (types.FunctionType, types.BuiltinFunctionType, type(numpy.sum))
    for name in sorted(numpy.__all__):
        function = getattr(numpy, name)
        if name in own or not isinstance(function, callables) or name.startswith("_"):
            continue
        try:
            parameters = parameters_of(name, function)
        except ValueError:
            parameters = "*args: Any, **kwargs: Any"
        result = RESULTS.get(name, "ndarray")
        if name in BY_AXIS:
            given = re.sub(r"axis: Any = \.\.\.", "axis: _core._Given", parameters)
            before, _, after = given.partition("axis: _core._Given")
            if before.count("=") == 0:
                yield from overloads(name, f"({before}axis: None = ...{after}) -> _core._ArrayOrNumber", f"({given}) -> ndarray", indent="")
                continue
        yield from overloads(name, f"({parameters}) -> {result}", indent="")


# numpy.random's, by what they give: numbers of these kinds, or rows of them.
DISCRETE = "binomial geometric hypergeometric logseries negative_binomial poisson zipf".split()
CONTINUOUS = """beta chisquare exponential f gamma gumbel laplace logistic lognormal noncentral_chisquare noncentral_f normal pareto power random
random_sample rayleigh standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull""".split()
ROWS = {"dirichlet": "float64", "multivariate_normal": "float64", "multinomial": "int64", "multivariate_hypergeometric": "int64"}


def distribution(name: str, function: Any, indent: str) -> Iterator[str]:
    own = [each for each in inspect.signature(function).parameters.values() if each.name not in ("self", "size", "dtype", "out", "method")]
    first = "self, " if indent else ""
    has_dtype = "dtype" in inspect.signature(function).parameters
    more = ", method: str = ..." if "method" in inspect.signature(function).parameters else ""

    def given(kind: str) -> str:
        return first + "".join(f"{each.name}: {kind}{' = ...' if each.default is not each.empty else ''}, " for each in own)

    element, number = ("int64", "int") if name in DISCRETE else ("float64", "float")
    dtype, out = (", dtype: type[float] = ...", ", out: None = ...") if has_dtype else ("", "")
    after = dtype + more + out if name == "standard_exponential" else dtype + out
    signatures = [
        f"({given('float')}size: None = ...{after}) -> {number}",
        f"({given('_Operand')}size: _core.SupportsIndex{after}) -> ndarray[tuple[int], dtype[{element}]]",
        f"({given('_Operand')}size: _ShapeT{after}) -> ndarray[_ShapeT, dtype[{element}]]",
    ]
    signatures[1:] = [each.replace("_core.SupportsIndex", "SupportsIndex") for each in signatures[1:]]
    if any(each.default is not each.empty for each in own):  # what follows a parameter that may be left out may be, too
        signatures[1:] = [re.sub(r", size: ", ", *, size: ", each) for each in signatures[1:]] + [
            f"({given('_Operand').replace(' = ...', '')}size: SupportsIndex) -> ndarray[tuple[int], dtype[{element}]]",
            f"({given('_Operand').replace(' = ...', '')}size: _ShapeT) -> ndarray[_ShapeT, dtype[{element}]]",
        ]
    if has_dtype:
        rest = more + ", out: _core._Out = ..." if name == "standard_exponential" else ", out: _core._Out = ..."
        signatures.append(f"({given('_Operand')}size: _Size = ..., dtype: Any = ...{rest}) -> ndarray[tuple[Any, ...], dtype[Any]]")
    else:
        signatures.append(f"({given('_Operand')}size: _Size = ...) -> ndarray[tuple[Any, ...], dtype[{element}]]")
    yield from overloads(name, *signatures, indent=indent)


def rows(name: str, function: Any, indent: str) -> Iterator[str]:
    def annotate(_: str, parameter: inspect.Parameter) -> str:
        return {"size": "_Size", "check_valid": "str", "method": "str", "tol": "float"}.get(parameter.name, "_Operand")

    given = parameters_of(name, function, annotate).replace("self: _Operand", "self")
    yield from overloads(name, f"({given}) -> ndarray[tuple[Any, ...], dtype[{ROWS[name]}]]", indent=indent)


def generator_methods() -> Iterator[str]:
    for name in sorted(name for name in dir(numpy.random.Generator) if name in {*DISCRETE, *CONTINUOUS, *ROWS}):
        yield from (rows if name in ROWS else distribution)(name, getattr(numpy.random.Generator, name), "    ")


def random_functions() -> Iterator[str]:
    for name in sorted(name for name in numpy.random.__all__ if name in {*DISCRETE, *CONTINUOUS, *ROWS}):
        yield from (rows if name in ROWS else distribution)(name, getattr(numpy.random, name), "")


REGIONS: dict[str, dict[str, Callable[[], Iterator[str]]]] = {
    "_core.pyi": {
        "operators": operators,
        "reduction_methods": reduction_methods,
        "number_operators": number_operators,
        "integer_operators": integer_operators,
        "ufuncs": ufuncs,
        "reductions": reductions,
        "creators": creators,
        "conversions": conversions,
        "moves": moves,
    },
    "random.pyi": {"generator_methods": generator_methods, "random_functions": random_functions},
    "__init__.pyi": {"aliases": aliases, "numpy_functions": numpy_functions},
}


def written(name: str) -> str:
    """The text of a stub with its made parts as they are to be."""
    text = (STUBS / name).read_text()
    for region, lines in REGIONS[name].items():
        pattern = re.compile(rf"(?P<begin>[ ]*# made: {region}\b[^\n]*\n).*?(?P<end>[ ]*# end: {region}\n)", re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f"{name} has no part {region!r}")
        made = "".join(f"{line}\n" for line in lines())
        text = pattern.sub(lambda match, made=made: match["begin"] + made + match["end"], text)
    command = [sys.executable, "-m", "ruff", "format", "--config", str(ROOT / "pyproject.toml"), "--stdin-filename", str(STUBS / name), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def main() -> int:
    differs = False
    for name in REGIONS:
        path = STUBS / name
        now, wanted = path.read_text(), written(name)
        if now == wanted:
            continue
        differs = True
        if "--check" in sys.argv[1:]:
            sys.stdout.writelines(difflib.unified_diff(now.splitlines(True), wanted.splitlines(True), name, "as made"))
        else:
            path.write_text(wanted)
    return int(differs and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
