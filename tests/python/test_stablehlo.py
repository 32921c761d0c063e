"""Text of StableHLO: what XLA computes of it, by JAX's copy, is what the function gives; what StableHLO lacks is told of at once."""

from __future__ import annotations

import random as dice
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import SEED
from test_export import CASES
from test_onnx_export import FINITE, NARROW, PROGRAMS, TWO, applied, flat, like, loops, operands

import fastnp as np
from fastnp import _formulas, _stablehlo_ops

jax = pytest.importorskip("jax")
mlir = pytest.importorskip("jax._src.interpreters.mlir")
from jax._src import compiler, xla_bridge  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

jax.config.update("jax_enable_x64", True)
random = numpy.random.default_rng(SEED)
chance = dice.Random(SEED)
Spec = np.ShapeDtype


def by_xla(text: str, given: list[Any]) -> list[Any]:
    backend = xla_bridge.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
    with mlir.make_ir_context():
        made = backend.compile_and_load(ir.Module.parse(text), devices, compiler.get_compile_options(1, 1))
    buffers = [jax.device_put(numpy.ascontiguousarray(each), backend.local_devices()[0]) for each in given]
    found = made.execute_sharded(buffers).disassemble_into_single_device_arrays()
    return [numpy.asarray(each[0]) for each in found]


def specs_of(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: specs_of(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [specs_of(each) for each in value]
    value = numpy.asarray(value)
    return Spec(value.shape, value.dtype)


def check(function: Callable[..., Any], given: list[Any], tolerance: float = 1e-10) -> str:
    text = np.compiler.stablehlo(function, specs_of(given))
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrays = [np.asarray(each) if isinstance(each, numpy.ndarray) else each for each in given]
        want = flat(np.compile(function)(*arrays))
    like(by_xla(text, flat(given)), want, tolerance)
    return text


LEFT_OUT = {
    "in_place": "it writes to an array",
    "solve": "lu of float64 (",
    "trees": "3, which is no array",
    "complex": "view of the parts of complex numbers",
}


# A loop until two results are equal to the bit may not end there: XLA may compute one value twice, with other bits (docs/users/onnx.md).
ENDLESS = {"k_means"}


@pytest.mark.parametrize("name", [name for name in CASES if name not in ENDLESS])
def test_functions_that_are_exported(name: str) -> None:
    function, _, arguments = CASES[name]
    given = arguments(5)
    if name in LEFT_OUT:
        with pytest.raises(np.RecordError) as caught:
            np.compiler.stablehlo(function, specs_of(given))
        assert LEFT_OUT[name] in str(caught.value)
        return
    check(function, given, 2e-3 if name == "float16" else 1e-9)


DTYPES = ["float64", "float32", "float16", "int64", "int32", "int8", "uint8", "bool", "uint64"]
COMPLEX = ("exp", "log", "sin", "cos", "sqrt", "multiply", "divide", "absolute", "equal", "square", "tanh")


@pytest.mark.part(6)
@pytest.mark.parametrize(("name", "dtype"), [*loops(_formulas.names(), DTYPES), *((name, "complex128") for name in COMPLEX)])
def test_elementwise(name: str, dtype: str) -> None:
    count = 2 if name in TWO else 1
    given = operands(name, dtype) if dtype != "complex128" else [random.normal(size=20) + 1j * random.normal(size=20) for _ in range(count)]
    if name in FINITE or name in NARROW:
        given = [numpy.nan_to_num(each) if dtype[0] == "f" else each for each in given]
    with numpy.errstate(all="ignore"):
        result = numpy.asarray(applied(name, count)(*given)).dtype.name
    check(applied(name, count), given, {"float32": 1e-5, "float16": 4e-3}.get(result, 1e-10))


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    function, _, letters = PROGRAMS[name]
    made = {"x": random.normal(size=(5, 4)), "i": random.integers(0, 5, 5)}
    if name == "shapes":
        made["x"] = random.normal(size=(4, 4))
    check(function, [made[letter] for letter in letters])


def complex_parts(x: Any) -> Any:
    z = np.fft.fft(x, 7) * (1 + 2j)
    return z, np.conj(z), np.real(z).copy(), np.imag(z) + 0, np.fft.irfft(np.fft.rfft(x, norm="ortho"), 6, norm="forward"), np.abs(z), np.fft.ifft2(z)


def of_matrices(x: Any) -> Any:
    a = x @ x.T + 5 * np.eye(x.shape[0])
    lower = np.linalg.cholesky(a)
    return lower, np.cumprod(x, axis=1), np.maximum.accumulate(x, axis=0), np.bitwise_or.reduce((x > 0).astype(int), axis=1)


def strided(x: Any) -> Any:
    y = np.zeros((9, 9))
    y[::2, ::-3] = x[:5, :3]
    y[8:0:-4, 1] -= 2
    return y, x[3:0:-2, ::-1], np.argmax(x, axis=0), np.argmin(x), np.argsort(-x, axis=0), np.stack([x, x])[:, ::-1, 1]


@pytest.mark.parametrize(("function", "shape"), [(complex_parts, (3, 8)), (of_matrices, (3, 4)), (strided, (6, 4))])
def test_what_onnx_has_not(function: Callable[..., Any], shape: tuple[int, ...]) -> None:
    check(function, [random.normal(size=shape)])


def test_loops() -> None:
    def outer(x: Any) -> Any:
        def row(total: Any, part: Any) -> Any:
            inner = np.fori_loop(0, 3, lambda i, a: a * 0.5 + part[0] * i, total)
            return inner, (inner * 2, np.sum(part))

        return np.scan(row, np.zeros(2), x)

    for rows in (1, 5):
        x = random.normal(size=(rows, 2))
        check(outer, [x])
        check(lambda x: np.scan(lambda a, part: (a + part, a * part), np.zeros(2), x, reverse=True), [x])
        check(lambda x: np.while_loop(lambda s: np.sum(s) > 1, lambda s: s / 2, np.abs(x)), [x])


def test_a_loop_that_ends_by_equal_bits() -> None:
    """Its text is there, and a number of its turns gives the same."""
    function, specs, arguments = CASES["k_means"]
    x, centres = arguments(8)
    assert "stablehlo.while" in np.compiler.stablehlo(function, specs_of([x, centres]))

    def turns(x: Any, centres: Any) -> Any:
        def step(i: Any, centres: Any) -> Any:
            nearest = np.argmin(np.sum((x[:, None] - centres) ** 2, axis=-1), axis=1)
            is_of = (nearest[:, None] == np.arange(3)).astype(float)
            return is_of.T @ x / np.maximum(np.sum(is_of, axis=0), 1)[:, None]

        return np.fori_loop(0, 6, step, centres)

    check(turns, [x, centres], 1e-9)


def test_what_it_lacks_is_told_at_once() -> None:
    def f(x: Any) -> Any:
        return np.linalg.svd(x)[1], np.gcd(x.astype(int), 3)

    with pytest.raises(np.RecordError) as caught:
        np.compiler.stablehlo(f, Spec((3, 3)))
    words = str(caught.value)
    assert words.startswith("f() can't be StableHLO, which has nothing for: ") and words.count("test_stablehlo.py:") == 2
    with pytest.raises(np.RecordError, match=r"sizes that vary \(n\)"):
        np.compiler.stablehlo(np.sin, Spec("n"))
    assert "func.func public @net(" in np.compiler.stablehlo(np.sin, Spec(3), name="net")


def test_every_row_has_a_test() -> None:
    used = {
        "bitwise_count",
        "parity",
        "all_bits",
        "odd_bits",
        "any_bits",
        "triangular_solve",
        "searchsorted",
        "mark",
        "stop_gradient",
        "custom",
        "from_parts",
    }
    for function, specs, _ in PROGRAMS.values():
        used |= set(np.compiler.trace(function)(*specs).ops)
    for function, shape in ((complex_parts, (3, 8)), (of_matrices, (3, 4)), (strided, (6, 4))):
        used |= set(np.compiler.trace(function)(Spec(shape)).ops)
    assert not _stablehlo_ops.WRITERS.keys() - used - _formulas.names() - {"iota", "extent", "constant", "real", "imag", "conjugate"}
