"""Objects of other libraries keep their nature: what an operator, a function or a method does with them is what NumPy does, eager and compiled.

Classes with random parts of NumPy's protocols, and subclasses of its arrays, meet all functions and operators on either side.
"""

from __future__ import annotations

import operator
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import LONG, SEED

import fastnp as np

MANY = 20 if LONG else 1


def said(value: Any) -> Any:
    """A value as text, in which an array of fastnp's is one of NumPy's."""
    if type(value) in (np.ndarray, numpy.ndarray):
        plain = numpy.asarray(value)
        return f"array {plain.dtype} {plain.shape} {[said(each) for each in plain.ravel().tolist()]}"
    if isinstance(value, numpy.ma.MaskedArray):
        return f"{type(value).__name__} {value.dtype} {value.tolist()} {numpy.ma.getmaskarray(value).tolist()}"
    if isinstance(value, numpy.ndarray):
        return f"{type(value).__name__} {value.dtype} {said(numpy.asarray(value))}"
    if isinstance(value, (float, numpy.floating)):
        return f"{type(value).__name__} {value:.12g}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} {[said(item) for item in value]}"
    if isinstance(value, dict):
        return str({key: said(item) for key, item in sorted(value.items())})
    if isinstance(value, (np.ufunc, numpy.ufunc)) or callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if isinstance(value, Said):
        return f"said {value.text}"
    if hasattr(value, "held"):
        return f"{type(value).__name__} of {said(value.held)}"
    return f"{type(value).__name__} {value!r}"


class Said:
    """What a method of a foreign object gave: that it was asked, and with what."""

    def __init__(self, *what: Any) -> None:
        self.text = " ".join(map(str, map(said, what)))


def _binary(name: str) -> Callable[..., Any]:
    return lambda self, other: Said(name, self.held, other)


def _deferring(name: str) -> Callable[..., Any]:
    """As pandas' operators, which leave it to what is above them."""
    return lambda self, other: NotImplemented if getattr(other, "__pandas_priority__", 0) > 3000 else Said(name, self.held, other)


def _array(self: Any, dtype: Any = None, copy: Any = None) -> Any:
    return numpy.array(self.held, dtype=dtype)


def _array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    return Said("ufunc", ufunc, method, list(inputs), kwargs)


def _array_function(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    return Said("function", function, list(args), kwargs)


DEFERRED = "add radd mul rsub and divmod lt le gt ge eq ne".split()
PARTS: dict[str, dict[str, Any]] = {
    "array": {"__array__": _array},
    "ufunc": {"__array_ufunc__": _array_ufunc},
    "no ufunc": {"__array_ufunc__": None},
    "function": {"__array_function__": _array_function},
    "first": {"__array_priority__": 10.0},
    "last": {"__array_priority__": -10.0},
    "wrap": {"__array_wrap__": lambda self, array, context=None, scalar=False: Said("wrap", array)},
    "operators": {f"__{name}__": _binary(name) for name in ("add", "sub", "mul", "truediv", "matmul", "pow", "lt", "eq", "and")},
    "reflected": {f"__r{name}__": _binary("r" + name) for name in ("add", "sub", "mul", "truediv", "matmul", "pow", "and", "floordiv")},
    "methods": {
        name: lambda self, *args, **kwargs: Said("method", self.held, list(args), kwargs) for name in ("sum", "mean", "clip", "round", "cumsum", "max")
    },
    "length": {"__len__": lambda self: len(self.held), "__getitem__": lambda self, key: self.held[key]},
    "defers": {f"__{name}__": _deferring(name) for name in DEFERRED},
    "interface": {"__array_interface__": property(lambda self: self.held.__array_interface__)},
}


def foreign(rng: random.Random) -> Any:
    """An object, and how it came about."""
    held = numpy.array([[1.0, 2.0], [3.0, 4.0]] if rng.random() < 0.3 else [1.0, 4.0])
    kind = rng.randrange(8)
    if kind == 0:
        return numpy.ma.masked_array(held, held > 3)
    if kind == 1:
        return numpy.matrix(held)
    if kind == 2:
        return held.view(type("Subclass", (numpy.ndarray,), {}))
    parts = rng.sample(list(PARTS), rng.randrange(5))
    fields = {name: part for each in parts for name, part in PARTS[each].items()}
    fields["__hash__"] = object.__hash__
    if "defers" in parts:  # as pandas', to which arrays leave comparisons
        fields["__array_priority__"] = 1000.0
        fields.pop("__array_ufunc__", None)
    made = type("+".join(parts) or "plain", (), fields)()
    made.held = held
    return made


def outcome(program: Callable[[Any], Any], module: Any) -> Any:
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return said(program(module))
        except Exception as error:
            return type(error).__name__


OPERATORS = "add sub mul truediv floordiv mod pow matmul lshift rshift and_ or_ xor lt le eq ne gt ge iadd isub imul itruediv imatmul ipow iand".split()
UFUNCS = [name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)]
# Of what is left out: no arrays go in, or files, or none that differ from call to call come out.
# NumPy's full_like of what takes copyto() itself (__array_function__) gives memory as it was.
NOT_TRIED = set(
    """empty empty_like full_like asarray array asanyarray save savez savez_compressed savetxt load loadtxt fromfile genfromtxt fromregex test info
    show_config show_runtime get_include getbufsize setbufsize seterr geterr seterrcall geterrcall set_printoptions get_printoptions fromfunction
    frompyfunc may_share_memory shares_memory typename mintypecode isdtype issubdtype apply_along_axis apply_over_axes piecewise datetime_data from_dlpack
    require busday_count busday_offset is_busday base_repr binary_repr format_float_positional format_float_scientific fromstring nested_iters
    """.split()
)
FUNCTIONS = [
    name
    for name in sorted(numpy.__all__)  # whose order is another one in each process
    if callable(getattr(numpy, name)) and not isinstance(getattr(numpy, name), (type, numpy.ufunc)) and name not in NOT_TRIED
]
METHODS = "sum mean max min clip dot searchsorted cumsum prod std argmax compress put fill any choose".split()


def an_array(rng: random.Random, module: Any, seed: int) -> Any:
    shape = (2, 2) if rng.random() < 0.3 else (2,)
    return module.asarray(numpy.random.default_rng(seed).integers(0, 2, shape).astype(rng.choice(["f8", "f8", "i8", "?"])))


def program_of(seed: int) -> tuple[str, Callable[[Any], Any], tuple[Any, ...]]:
    """Text for the program, the program over a module and operands, and these."""
    rng = random.Random(seed)
    other = foreign(rng)
    kind = rng.choice(["operator", "ufunc", "function", "function", "method", "ufunc method", "assignment"])
    beside = an_array(rng, numpy, seed)
    given = rng.sample([other, beside], 2)
    if kind == "operator":
        name = rng.choice(OPERATORS)
        return f"{name} of {list(map(said, given))}", lambda module, a, b: getattr(operator, name)(a, b), tuple(given)
    if kind in ("ufunc", "ufunc method"):
        name = rng.choice(UFUNCS)
        count = getattr(np, name).nin
        method = rng.choice(["reduce", "accumulate", "outer"]) if kind == "ufunc method" else None
        words = rng.choice([(), (), ("dtype",), ("where", "out"), ("out",)]) if method is None else ()
        values = {"dtype": "f8", "where": beside > 0, "out": rng.choice([other, numpy.zeros((2, 2))])}
        operands = tuple(given[:2] if count == 2 and method in (None, "outer") else [other])

        def call(module: Any, *all_given: Any) -> Any:
            function = getattr(module, name) if method is None else getattr(getattr(module, name), method)
            return function(*all_given[: len(operands)], **dict(zip(words, all_given[len(operands) :], strict=True)))

        all_given = (*operands, *(values[word] for word in words))
        return f"{name}.{method} of {list(map(said, all_given))}, {words}", call, all_given
    if kind == "method":
        name = rng.choice(METHODS)
        return f"method {name} of {said(beside)}, {said(other)}", lambda module, a, b: getattr(a, name)(b), (beside, other)
    if kind == "assignment":
        key = rng.choice([0, slice(0, 1), slice(None), (Ellipsis,), [0]])

        def assign(module: Any, a: Any, b: Any) -> Any:
            a[key] = b
            return a

        return f"{said(beside)}[{key}] = {said(other)}", assign, (beside.copy(), other)
    name = rng.choice(FUNCTIONS)
    form = rng.randrange(5)
    forms: list[Callable[..., Any]] = [
        lambda f, a, b: f(a),
        lambda f, a, b: f(a, b),
        lambda f, a, b: f([a, b]),
        lambda f, a, b: f((a, b), axis=0),
        lambda f, a, b: f(a, axis=0),
    ]
    operands = (other, beside) if form in (0, 4) else tuple(given)
    return f"{name}, form {form}, of {list(map(said, operands))}", lambda module, a, b: forms[form](getattr(module, name), a, b), operands


def with_arrays(operands: tuple[Any, ...], module: Any) -> tuple[Any, ...]:
    """Copies, whose arrays are the module's."""
    return tuple(
        module.asarray(each.copy()) if type(each) is numpy.ndarray else each.copy() if isinstance(each, numpy.ndarray) else each for each in operands
    )


def difference(seed: int, compiles: bool) -> str | None:
    text, program, operands = program_of(seed)
    if text.startswith("dstack") and any(isinstance(each, numpy.matrix) for each in operands):
        return None  # NumPy reads beyond a matrix, which has no third axis
    expected = outcome(lambda module: program(module, *with_arrays(operands, module)), numpy)
    function = lambda *given: program(np, *given)  # noqa: E731
    if compiles:
        function = np.compile(function)
    for _ in range(2 if compiles else 1):
        got = outcome(lambda module: function(*with_arrays(operands, np)), np)
        if got != expected:
            return f"seed {seed}: {text}\n  numpy:  {expected}\n  fastnp: {got}"
    return None


BESIDE: list[Any] = [
    "text",
    b"bytes",
    numpy.array(["a", "1.0"]),
    numpy.array([b"a", b"b"]),
    numpy.array(["2020", "2021"], "M8[Y]"),
    numpy.array([1, 2], "m8[s]"),
    numpy.array([(1.0, 2), (3.0, 4)], [("a", "f8"), ("b", "i8")]),
    numpy.array([1.0, None], object),
    numpy.array([1.0, 2.0], numpy.longdouble),
    bytearray(b"ab"),
    memoryview(numpy.ones(2)),
    range(2),
    [1.0, 2.0],
    [[1.0, 2.0], [3.0, 4.0]],
    numpy.array(2.0),
    None,
]


@pytest.mark.parametrize("compiles", [False, True])
def test_operators_beside_what_has_no_loop(compiles):
    """Comparisons with what can't be compared, and operators in place, whose results would not fit."""
    rng = random.Random(SEED)
    for number in range(20 * MANY if compiles else 400 * MANY):
        name, beside, dtype = rng.choice(["eq", "ne", "lt", "imatmul", "iadd", "ipow", "add"]), rng.choice(BESIDE), rng.choice(["f8", "i8", "?", "f4"])
        shape = rng.choice([(2,), (2, 2), ()])
        given = [lambda m, shape=shape, dtype=dtype: m.asarray(numpy.ones(shape, dtype)), lambda m, beside=beside: beside]
        if rng.random() < 0.4 and name[0] != "i":
            given.reverse()

        def program(m: Any, given: Any = given, name: str = name) -> Any:
            a, b = (make(m) for make in given)
            if m is numpy or not compiles:
                return getattr(operator, name)(a, b)
            return np.compile(lambda a, b: getattr(operator, name)(a, b))(a, b)

        want, got = outcome(program, numpy), outcome(program, np)
        assert got == want, f"FASTNP_TEST_SEED={SEED}, {number}: {dtype} {shape} {name} {beside!r}: {want}, not {got}"


@pytest.mark.parametrize("function", ["modf", "frexp", "divmod"])
def test_both_results_of_a_ufunc_go_where_they_are_told(function):
    """Those that only NumPy can write, too, when the first is the operand."""
    for dtype in ("f8", "f4", ">f8", numpy.longdouble, object):
        for place in range(2):
            outs = []
            for m in (np, numpy):
                x, out = m.asarray([1.25, 7.5]), numpy.zeros(2, dtype)
                both = (x, out) if place else (out, x)
                with_two = (m.asarray([2.0, 2.0]),) if function == "divmod" else ()
                got = outcome(lambda m, x=x, both=both, with_two=with_two: list(getattr(m, function)(x, *with_two, *both)), m)
                outs.append((got, out.tolist(), numpy.asarray(x).tolist()))
            assert outs[0] == outs[1], (dtype, place)


@pytest.mark.parametrize("compiles", [False, True])
def test_what_numpy_does_is_done(compiles):
    count = (100 if compiles else 1500) * MANY
    found = [each for each in (difference(SEED + number, compiles) for number in range(count)) if each]
    assert not found, f"FASTNP_TEST_SEED={SEED}: {len(found)} of {count} differ\n" + "\n".join(found[:20])


MASKED: list[Callable[[Any, Any, Any], Any]] = [
    lambda m, a, where: m.sum(a, where=where),
    lambda m, a, where: a.prod(where=where),
    lambda m, a, where: a.mean(where=where),
    lambda m, a, where: m.std(a, where=where),
    lambda m, a, where: m.max(a, where=where, initial=0),
    lambda m, a, where: m.any(a, where=where),
    lambda m, a, where: (m.copyto(a, 9, where=where), a)[1],
    lambda m, a, where: m.add.reduce(a, where=where),
    lambda m, a, where: m.add(a, 1, where=where, out=a.copy()),
]


@pytest.mark.parametrize("compiles", [False, True])
def test_what_is_taken_as_a_mask(compiles):
    """Lists and numbers are taken as they are true; arrays of other dtypes are not."""
    rng = random.Random(SEED)
    for _ in range(30 * MANY if compiles else 300 * MANY):
        values = [rng.choice([0, 1, 2.0, 0.0, True, False]) for _ in range(3)]
        kinds = [
            list,
            tuple,
            numpy.array,
            lambda each: numpy.array(each, "?"),
            lambda each: each[0],
            lambda each: numpy.float64(each[0]),
            lambda each: None,
        ]
        where, operation = rng.choice(kinds)(values), rng.choice(MASKED)
        function = np.compile(lambda a, operation=operation, where=where: operation(np, a, where)) if compiles else None
        want = outcome(lambda m, where=where, operation=operation: operation(m, m.asarray([1.0, 4.0, 2.0]), where), numpy)
        got = outcome(lambda m, function=function: function(np.array([1.0, 4.0, 2.0])), np) if function else None
        if function is None:
            got = outcome(lambda m, where=where, operation=operation: operation(m, m.asarray([1.0, 4.0, 2.0]), where), np)
        assert got == want, f"FASTNP_TEST_SEED={SEED}: {MASKED.index(operation)}, where={where!r}: {want}, not {got}"


@pytest.mark.parametrize("element", [2.0, 2**100, b"ab", "text", [1.0, 2.0], numpy.array([1, None], object), numpy.ma.masked_array([1.0], [True])])
@pytest.mark.parametrize("dtype", ["f8", "?"])
def test_what_is_in_an_array(element, dtype):
    want, got = (outcome(lambda m: element in m.asarray(numpy.array([1.0, 0.0], dtype)), m) for m in (numpy, np))
    assert got == want


class Recasting:
    """As unyt's arrays: what it is told to write to becomes an array of float64."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        (out,) = kwargs["out"]
        out.dtype = "f8"
        out[...] = [1.5, 2.5]
        return out


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_array_whose_dtype_is_set_by_another():
    for m in (numpy, np):
        x = m.asarray(numpy.array([1, 2]))
        m.multiply(Recasting(), 2, out=x)
        assert x.dtype == "f8" and x.tolist() == [1.5, 2.5]
