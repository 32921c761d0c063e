"""NumPy's functions that are written in Python, over fastnp's: NumPy's results, natively outside of compiled functions and in them, with derivatives."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from compositions import laid_out, no_fallbacks, some
from test_derivatives import check

import fastnp as np
from fastnp import _numpy_source

POLYNOMIALS = "polynomial.polynomial.poly"
# By name: expressions over N (NumPy or fastnp), vectors x and y, a square matrix X, and a stack T.
USES: dict[str, list[str]] = {
    "apply_along_axis": ["(lambda v: v * 2, 0, X)", "(N.sum, -1, T)", "(N.sort, 1, X)"],
    "apply_over_axes": ["(N.sum, T, [0, 2])", "(N.max, T, 1)"],
    "asarray_chkfinite": ["(x)", "(X, dtype=complex)", "(N.divide(x, 0))"],
    "common_type": ["(x, X)", "(x, 1j * x)"],
    "fft.fftfreq": ["(7, 0.1)", "(8)"],
    "fft.rfftfreq": ["(7, 0.1)", "(8)"],
    "einsum_path": ["('ij,jk', X, X)", "('ij,jk,kl->il', X, X, X, optimize='optimal')"],
    "isfortran": ["(X)", "(X.T)", "(x)"],
    "iterable": ["(x)", "(2.5)"],
    "mask_indices": ["(4, N.triu)", "(3, N.tril, -1)"],
    "require": ["(X, requirements='F')", "(X, 'complex128', ['C'])"],
    "linalg.cross": ["(x[:3], y[:3])", "(X[:, :3], X[:, 1:4])", "(X[:3], X[1:4], axis=0)"],
    "linalg.diagonal": ["(X)", "(T, offset=1)"],
    "linalg.matrix_norm": ["(X)", "(T, ord=1)", "(X, ord='nuc', keepdims=True)"],
    "linalg.matrix_transpose": ["(X)", "(T)"],
    "linalg.multi_dot": ["([X, X, X])", "([x[:5], X, X, x[:5]])"],
    "linalg.norm": ["(X, 1)", "(X, -numpy.inf, axis=(1, 0))", "(x, 3)", "(X, 'fro')", "(x, 0)", "(T, axis=(0, 2), ord=2)", "(x)",
                    "(X, numpy.inf, keepdims=True)"],
    "linalg.outer": ["(x, y)"],
    "linalg.tensorinv": ["(X.reshape(5, 1, 5, 1) + N.eye(5).reshape(5, 1, 5, 1) * 40)"],
    "linalg.tensorsolve": ["(X + N.eye(5) * 40, x[:5])"],
    "linalg.trace": ["(X)", "(T, offset=1)", "(X, dtype='float32')"],
    "linalg.vector_norm": ["(x)", "(X, axis=0, ord=1)", "(T, ord=3, keepdims=True)"],
    "trim_zeros": ["(x)", "(x, 'f')", "(x * (x > 1))"],
    "sort_complex": ["(x)", "(1j * x + y)"],
    "unique_values": ["(N.floor(x))"],
    "histogram": ["(x)", "(x, 4, weights=y)", "(x, [0, 1, 4])", "(x, density=True)"],
    "histogram2d": ["(x, y)", "(x, y, [3, 4])", "(x, y, weights=x)"],
    "histogramdd": ["(X[:, :2])", "(X[:, :2], bins=(2, [-9, 0, 9]))"],
    "histogram_bin_edges": ["(x)", "(x, 'sturges')", "(x, 3)"],
    "emath.sqrt": ["(x)", "(-1)", "(N.absolute(x))"],
    "emath.log": ["(x - 8)"],
    "emath.log2": ["(x)"],
    "emath.log10": ["(x)"],
    "emath.logn": ["(3, x)"],
    "emath.power": ["(x, 0.5)", "(N.arange(1, 4), -2)"],
    "emath.arccos": ["(x)"],
    "emath.arcsin": ["(x)"],
    "emath.arctanh": ["(x)"],
}  # fmt: skip
# By the ends of names in the modules of numpy.polynomial.
OF_SERIES: dict[str, list[str]] = {
    "val": ["(x, y)", "(X, N.stack([x, y]))", "(2.5, x)"], "val2d": ["(x, y, X)"], "val3d": ["(x, y, x, T)"], "grid2d": ["(x, y, X)"],
    "grid3d": ["(x[:2], y[:3], x[:2], T)"], "valfromroots": ["(x, y[:3])"], "der": ["(x)", "(x, 2, scl=3.0)", "(X, axis=1)"],
    "int": ["(x)", "(x, 2, [1, 2])", "(X, axis=1)"], "vander": ["(x, 3)", "(X, 2)"], "vander2d": ["(x, y, [2, 1])"],
    "vander3d": ["(x, y, x, [2, 1, 1])"], "weight": ["(x / 9)"], "add": ["(x, y[:3])"], "sub": ["(x[:3], y)"], "mul": ["(x, y)"], "mulx": ["(x)"],
    "div": ["(x, N.arange(1.0, 4.0))"], "pow": ["(x[:3], 3)"], "fromroots": ["(x)"], "roots": ["(N.arange(1.0, 5.0))"],
    "fit": ["(N.arange(7.0), x, 2)"], "companion": ["(N.arange(1.0, 5.0))"], "line": ["(2.0, 3.0)"], "trim": ["(x * (x > 1))"], "gauss": ["(5)"],
    "pts1": ["(5)"], "pts2": ["(5)"],
}  # fmt: skip
for module, begin in _numpy_source.SERIES.items():
    there = getattr(numpy.polynomial, module)
    USES.update({f"polynomial.{module}.{begin}{end}": uses for end, uses in OF_SERIES.items() if hasattr(there, begin + end)})
CASES = [(name, use) for name, uses in USES.items() for use in uses]
# What comes to something that only NumPy has.
PARTS_OF_NUMPY = ("unique_values",)


def arguments(dtype: str) -> dict[str, numpy.ndarray]:
    rng = random.Random(os.environ["FASTNP_TEST_SEED"])
    shapes = {"x": (7,), "y": (7,), "X": (5, 5), "T": (2, 3, 4)}
    return {name: laid_out(rng, some(rng, dtype, shape) + (some(rng, dtype, shape) == 0).astype(dtype)) for name, shape in shapes.items()}


def function_of(name: str, use: str) -> Callable[..., Any]:
    made: Callable[..., Any] = eval(f"lambda N, x, y, X, T: N.{name}{use}", {"numpy": numpy})
    return made


def outcome(function: Callable[..., Any], module: Any, given: dict[str, Any]) -> Any:
    try:
        with numpy.errstate(all="ignore"):
            return function(module, **given)
    except Exception as error:
        return type(error).__name__, str(error)


def is_error(found: Any) -> bool:
    return type(found) is tuple and isinstance(found[0], str)


def agree(got: Any, want: Any, dtype: str, note: str) -> None:
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want), note
        for g, w in zip(got, want, strict=True):
            agree(g, w, dtype, note)
    elif isinstance(want, (numpy.ndarray, numpy.generic)):
        g = numpy.asarray(got)
        assert (g.dtype, g.shape) == (want.dtype, want.shape), (note, g.dtype, g.shape, want.dtype, want.shape)
        tolerance = 1e-3 if dtype == "float32" else 1e-9
        numpy.testing.assert_allclose(g, want, rtol=tolerance, atol=tolerance, err_msg=note)
    else:
        assert got == want or got is want, (note, got, want)


@pytest.mark.parametrize(("name", "use"), CASES, ids=[name + use for name, use in CASES])
@pytest.mark.filterwarnings("ignore")
def test_outside_of_compiled_functions(name: str, use: str) -> None:
    function = function_of(name, use)
    for dtype in ("float64", "float32", "int64", "complex128"):
        given = arguments(dtype)
        want = outcome(function, numpy, given)
        ours = {key: np.asarray(value) for key, value in given.items()}
        agree(outcome(function, np, ours), want, dtype, f"{name}{use} of {dtype}")
        is_native = name not in PARTS_OF_NUMPY and not name.endswith("fit") and "lambda" not in use
        if dtype == "float64" and is_native and not is_error(want):
            with no_fallbacks():
                agree(outcome(function, np, ours), want, dtype, f"{name}{use} natively")


def of_shapes() -> list[tuple[str, str]]:
    return [(name, use) for name, use in CASES if name in _numpy_source.OF_SHAPES]


@pytest.mark.parametrize(("name", "use"), of_shapes(), ids=[name + use for name, use in of_shapes()])
@pytest.mark.filterwarnings("ignore")
def test_in_compiled_functions(name: str, use: str) -> None:
    function = function_of(name, use)
    for dtype in ("float64", "float32"):
        given = {key: numpy.ascontiguousarray(value) for key, value in arguments(dtype).items()}  # of others diagonals are no views
        want = outcome(function, numpy, given)
        if is_error(want):
            continue
        compiled = np.compile(lambda x, y, X, T: function(np, x, y, X, T), fullgraph=True)
        with no_fallbacks():
            agree(compiled(**given), want, dtype, f"{name}{use} of {dtype}, compiled")


@pytest.mark.parametrize(
    "use",
    ["linalg.matrix_norm(X)", "linalg.vector_norm(x, ord=3)", "linalg.cross(x[:3], y[:3])", "linalg.multi_dot([X, X, X])", "linalg.outer(x, y)",
     "apply_over_axes(N.sum, T, [0, 2])", POLYNOMIALS + "val(x, y)", POLYNOMIALS + "der(x)", POLYNOMIALS + "int(x)", POLYNOMIALS + "vander(x, 3)",
     "polynomial.chebyshev.chebval(x, y)", "polynomial.legendre.legval(x, y)", "polynomial.hermite.hermval(x, y)"],
)  # fmt: skip
def test_derivatives(use: str) -> None:
    given = arguments("float64")
    function = eval(f"lambda N, x, y, X, T: N.{use}")
    check(lambda x, y, X, T: function(np, x, y, X, T), [each / 4 for each in given.values()])


def test_each_name_has_a_use() -> None:
    def exists(name: str) -> bool:
        found: Any = numpy
        for part in name.split("."):
            found = getattr(found, part, None)
        return found is not None

    assert set(USES) == set(filter(exists, _numpy_source.OF_SHAPES | _numpy_source.OF_VALUES))


@pytest.mark.parametrize("is_compiled", [False, True])
def test_functions_of_the_users_are_called_as_often_as_by_numpy(is_compiled: bool) -> None:
    """Also where what they do is NumPy's alone, or raises, which they may catch themselves."""

    def uses(m: Any, x: Any, seen: list[Any]) -> Any:
        def noting(v: Any, *axes: Any) -> Any:
            seen.append(len(seen))
            try:
                return m.partition(v, 1).sum(*axes, keepdims=bool(axes))
            except Exception as error:
                seen.append(error)
                raise

        def raising(*given: Any) -> Any:
            seen.append("raised")
            raise ValueError("users'")

        held = m.frompyfunc(lambda a: seen.append("held") or a * 2, 1, 1)
        results = [m.apply_along_axis(noting, 0, x), m.apply_over_axes(noting, x, [0]), m.fromfunction(lambda i: seen.append(1) or i * 2, (3,)),
                   m.apply_along_axis(held, 0, x).astype(float), m.apply_along_axis(m.vectorize(lambda a: seen.append("v") or a), 0, x)]  # fmt: skip
        for call in (lambda: m.apply_along_axis(raising, 0, x), lambda: m.fromfunction(raising, (2,)), lambda: m.mask_indices(3, raising)):
            with pytest.raises(ValueError, match="users'"):
                call()
        return results

    x = numpy.arange(6.0).reshape(2, 3)
    mine: list[Any] = []
    theirs: list[Any] = []
    want = uses(numpy, x, theirs)
    got = np.compile(lambda x: uses(np, x, mine))(x) if is_compiled else uses(np, np.asarray(x), mine)
    for g, w in zip(got, want, strict=True):
        numpy.testing.assert_array_equal(numpy.asarray(g), w)
    assert mine == theirs


def test_what_numpy_refuses_has_its_words() -> None:
    for use in ("linalg.norm(X, 'no')", "linalg.norm(x, 'fro')", "trim_zeros(x, 'q')", "linalg.cross(x, y)", "asarray_chkfinite([numpy.nan])"):
        function = eval(f"lambda N, x, y, X, T: N.{use}", {"numpy": numpy})
        given = arguments("float64")
        assert outcome(function, np, {key: np.asarray(value) for key, value in given.items()}) == outcome(function, numpy, given), use


@pytest.mark.parametrize("subscripts", ["ij,jk", "ij,jk->ki", "bij,bjk->bik", "ij,jk,kl->il", "ij,kj,ki->i", "ij,jk->", "aij,jk->ak"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64"])
def test_sums_of_products_that_are_large(subscripts: str, dtype: str) -> None:
    """Outside of compiled functions they are products of matrices; NumPy's are loops, unless optimize is set."""
    rng = numpy.random.default_rng(int(os.environ["FASTNP_TEST_SEED"]))
    sizes = {letter: int(rng.integers(20, 70)) for letter in "bijkla"}
    given = [(rng.random([sizes[letter] for letter in name]) * 4 - 2).astype(dtype) for name in subscripts.partition("->")[0].split(",")]
    want = numpy.einsum(subscripts, *given)
    got = np.einsum(subscripts, *map(np.asarray, given))
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    scale = float(numpy.abs(want).max())
    numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=0, atol=scale * (2e-3 if dtype == "float32" else 1e-12))
    into = np.empty(want.shape, want.dtype)
    assert np.einsum(subscripts, *map(np.asarray, given), out=into) is into if want.ndim else True


INDEXED = ["c_[x, y]", "r_[x, y, 0, 5]", "r_[1:5:3j, 2]", "mgrid[0:2, 0:3]", "mgrid[0:1:5j]", "ogrid[0:2, 0:3:4j]", "r_['0,2', x, y]", "r_[x[0], y]",
           "c_[X, X]", "r_['-1', X, X]", "r_[0:3]", "c_[1:3]", "r_[2.5]", "r_['r', x]", "r_[x, 'no']", "mgrid[1:0]", "r_[X, x]"]  # fmt: skip


@pytest.mark.parametrize("use", INDEXED)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
def test_subscripts_that_make_arrays(use: str, dtype: str) -> None:
    function = eval(f"lambda N, x, y, X, T: N.{use}")
    given = arguments(dtype)
    want = outcome(function, numpy, given)
    agree(outcome(function, np, {key: np.asarray(value) for key, value in given.items()}), want, dtype, use)
    if not is_error(want) and not isinstance(want, numpy.matrix):
        with no_fallbacks():
            agree(np.compile(lambda x, y, X, T: function(np, x, y, X, T), fullgraph=True)(**given), want, dtype, f"{use}, compiled")


def test_derivatives_of_subscripts() -> None:
    given = [numpy.arange(1.0, 4.0), numpy.arange(2.0, 5.0)]
    check(lambda x, y: np.c_[x, y * 2] ** 2, given)
    check(lambda x, y: np.r_[x, y[0], 3.0] * np.mgrid[0:5], given)
