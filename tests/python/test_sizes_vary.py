"""Functions whose arrays' sizes vary are compiled once for all sizes, and stay fastnp's own: no function ties a recording to a size without need."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from typing import Any

import namespace_uses as uses
import numpy
import pytest
from support import SEED

import fastnp as np

SIZES = (5, 6, 7, 8, 9)
# Which differ by a size's parity, or by whether one divides another.
FEW = {"N.array_split(x, 2)", "N.packbits(b)", 'N.packbits(b, bitorder="little")', "N.resize(x, (2, 4))", "N.median(X, axis=0, keepdims=True)"}
FEW |= {"N.piecewise(x, [x > 0.5], [N.sin, N.cos])"}
# Which are of one size by their nature: texts, lists and other Python objects; loops over elements or coefficients; values that are read.
OF_ONE = """
N.array2string(x); N.array_repr(x); N.array_str(x); x.tobytes(); x.tolist(); str(x); repr(x); format(x[0], ".2f"); float(x[0]); int(i[0])
bool(b[0]); complex(c[0]); [each for each in x][0]; list(x.flat)[1]; N.unstack(X); N.poly(x); N.roots(x); N.polydiv(x, y[:3]); N.polymul(x, y)
N.polynomial.polynomial.polyval(x, y); N.polynomial.chebyshev.chebval(x, y); N.polyval(x, y); N.einsum_path("ij,jk", X, X)
"""
# docs/roadmap.md: diagonals that are views have steps that vary.
OF_ONE += """
N.diagonal(X); N.linalg.diagonal(X); X.diagonal(); N.einsum("ii->i", X); N.polyfit(s, y, 2); N.unravel_index(i, (4, 3)); x.item(2); N.unique(X, axis=0)
N.add.reduceat(x, [0, 2, 4]); N.multiply.reduceat(x, [0, 2, 4]); N.maximum.reduceat(x, [0, 2, 4])
"""
TIED = {each.strip() for line in OF_ONE.splitlines() for each in line.split("; ")}


def taken(text: str) -> list[str]:
    return sorted({node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)} & set("xyXTibcps"))


def function_of(text: str, names: list[str]) -> Callable[..., Any]:
    lines = [ast.unparse(statement) for statement in ast.parse(text).body]
    lines[-1] = "return " + lines[-1]
    space: dict[str, Any] = {"N": np, "np": np, "numpy": numpy}
    exec("def f(" + ", ".join(names) + "):\n" + "".join(f"    {line}\n" for each in lines for line in each.splitlines()), space)
    made: Callable[..., Any] = space["f"]
    return made


def arrays(size: int) -> dict[str, Any]:
    random = numpy.random.default_rng(SEED + size)
    line = random.normal(size=size)
    return {
        "x": line, "y": random.normal(size=size), "X": random.normal(size=(size, size)), "T": random.normal(size=(size, 3, 4)),
        "i": random.integers(1, 3, size), "b": line > 0, "c": line + 1j, "p": random.uniform(0.1, 0.9, size), "s": numpy.sort(line),
    }  # fmt: skip


def all_uses() -> list[str]:
    lists = (uses.FFT, uses.FUNCTIONS, uses.LINALG, uses.METHODS, uses.OPTIONS, uses.UFUNC_METHODS)
    found = dict.fromkeys(text for texts in lists for text in texts if taken(text) and isinstance(ast.parse(text).body[-1], ast.Expr))
    return [text for text in found if text not in TIED]


def numpys(entry: dict[str, Any]) -> list[str]:
    return [kernel["name"] for kernel in entry["kernels"] if kernel["name"].startswith("numpy.")]


@pytest.mark.part(8)
@pytest.mark.parametrize("text", all_uses())
def test_one_recording_serves_all_sizes(text: str) -> None:
    names = taken(text)
    f = np.compile(function_of(text, names), adaptive=False)
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for size in SIZES:
            given = arrays(size)
            try:
                f(*(given[name] for name in names))
            except Exception as error:  # of a use that is an error, eagerly too
                pytest.skip(f"{type(error).__name__}: {error}")
    entries = f._inspect(False)[0]
    assert f.cache_info().compiles <= (3 if text in FEW else 2), [entry["guards"] for entry in entries]
    if entries:
        assert len(numpys(entries[-1])) == len(numpys(entries[0])), "with sizes that vary it is NumPy's"


MAPPED = {
    "vmap": np.vmap(lambda row: np.cumsum(row) / np.sum(np.abs(row))),
    "vmap of columns": np.vmap(np.sort, in_axes=1, out_axes=1),
    "grad": np.grad(lambda x: np.sum(np.tanh(x) ** 2)),
    "vmap of grad": np.vmap(np.grad(lambda row: np.sum(row**3))),
    "jvp": lambda x: np.jvp(np.sin, (x,), (x,))[1],
    "scan": lambda x: np.scan(lambda total, row: (total + row, total), np.zeros(x.shape[1]), x)[1],
    "einsum": lambda x: np.einsum("ij,ik->jk", x, x) + np.einsum("ij->", x),
    "fft2": lambda x: np.abs(np.fft.fft2(x)),
    "convolve": lambda x: np.convolve(x[0], x[1]),
}


@pytest.mark.parametrize("name", MAPPED)
def test_transforms_and_compositions(name: str) -> None:
    f = np.compile(MAPPED[name], adaptive=False)
    for rows, columns in ((3, 5), (4, 5), (5, 6), (6, 7), (7, 8)):
        x = numpy.random.default_rng(SEED).normal(size=(rows, columns))
        numpy.testing.assert_allclose(f(x), numpy.asarray(MAPPED[name](np.asarray(x))), rtol=1e-12, atol=1e-12)
    assert f.cache_info().compiles <= 3
