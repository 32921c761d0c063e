"""Every way to write into an array (spellings.py), on NumPy's scalars: what it gives, what it leaves and its errors are NumPy's, on a device as well.

A scalar that was computed on a device lies there as an array of no axes. Nobody may write into that: the ways end in an error, or leave it as it was.
A random selection, with a seed that is printed; all of it with FASTNP_LONG_TESTS=1.
"""

from __future__ import annotations

import linecache
import operator
import random
import textwrap
from collections.abc import Callable
from typing import Any

import numpy
import pytest
import spellings
from support import LONG, SEED
from test_write_matrix import equal, kind, outcome, shown

import fastnp as np

DTYPES = {"f8": ("f8", "f4"), "c16": ("c16", "c8"), "i8": ("i8", "i4", "u1")}
MORE = [
    "N.putmask(x, True, 7)",
    "N.putmask(x, N.array([True]), a)",
    "N.place(x, True, [7])",
    "N.place(x, [True], [a])",
    "N.put(x, 0, 7)",
    "N.put(x, [0], a)",
    "x.put(0, 7)",
    "x.fill(7)",
    "x.sort()",
    "x.resize(2)",
    "x.resize((1, 1))",
    "x.shape = (1,)",
    "x.strides = ()",
    "x.dtype = 'i4'",
    "x.flat[0] = 7",
    "x.flat = 7",
    "x.real = 7",
    "x.imag = 7",
    "x.partition(0)",
    "x.setfield(7, x.dtype)",
    "x.byteswap(True)",
    "y = x.view(); y += 1",
    "y = x.T; y += 1",
    "y = x.squeeze(); y += 1",
    "y = x.ravel(); y += 1",
    "y = x.reshape(1); y += 1",
    "y = x.reshape(()); y[...] = 1",
    "y = N.asarray(x); y += 1",
    "y = N.asarray(x); y[...] = 1",
    "y = N.atleast_1d(x); y[0] = 1",
    "y = N.ravel(x); y[0] = 1",
    "y = N.reshape(x, (1, 1)); y[0] = 1",
    "y = N.broadcast_to(x, 3); y = y + 1",
    "y = x[()]; y += 1",
    "y = x[...]; y += 1",
    "y = x[None]; y += 1",
    "y = x; y += 1; y *= 2",
    "y = x; y //= 1",
    "y = N.nan_to_num(x, copy=False)",
    "N.nan_to_num(x, copy=False, nan=3)",
    "N.array(x, copy=False)[...] = 7",
    "N.asarray(x, copy=False)[...] = 7",
    "N.array(x)[...] = 7",
    "N.array(x, copy=None)[...] = 7",
    "N.asanyarray(x)[...] = 7",
    "N.ascontiguousarray(x)[...] = 7",
    "N.asfortranarray(x)[...] = 7",
    "N.require(x)[...] = 7",
    "N.asarray_chkfinite(x)[...] = 7",
    "x.astype(x.dtype, copy=False)[...] = 7",
    "N.from_dlpack(x)[...] = 7",
    "N.frombuffer(x, N.uint8)[...] = 7",
    "N.atleast_2d(x)[...] = 7",
    "N.squeeze(x)[...] = 7",
    "N.expand_dims(x, 0)[...] = 7",
    "N.swapaxes(x[None, None], 0, 1)[...] = 7",
    "N.moveaxis(x[None, None], 0, 1)[...] = 7",
    "N.transpose(x)[...] = 7",
    "N.real(x)[...] = 7",
    "N.imag(x)[...] = 7",
    "N.broadcast_to(x, (2,))[...] = 7",
    "N.broadcast_arrays(x, a)[0][...] = 7",
    "N.stack([x, x])[...] = 7",
    "N.diagonal(x[None, None])[...] = 7",
    "for y in N.nditer(x, op_flags=['readwrite']): y[...] = 7",
    "N.lib.stride_tricks.as_strided(x, (1,), (0,))[...] = 7",
    "N.copyto(x, 7)",
    "N.copyto(x, a, where=False)",
    "N.fill_diagonal(x, 7)",
    "N.add(a, 1, out=x)",
    "N.add(a, 1, x)",
    "N.add(a, 1, out=(x,))",
    "N.add.at(x, (), 1)",
    "N.negative.at(x, ())",
    "N.add.reduce([a, a], out=x)",
    "N.sum([a, a], out=x)",
    "N.max([a, a], out=x)",
    "N.mean([a, a], out=x)",
    "N.argmax([a, a], out=x)",
    "N.dot(a, a, out=x)",
    "N.clip(a, 0, 1, out=x)",
    "N.round(a, 1, out=x)",
    "N.take([a, a], 0, out=x)",
    "N.modf(a, out=(x, None))",
    "N.put_along_axis(x, 0, 7, None)",
    "N.random.default_rng(0).shuffle(x)",
    "memoryview(x)",
]

# A scalar that is stored into elements of other dtypes: NumPy looks at its value.
STORES = ["z[0] = x", "z[...] = x", "z[:2] = x", "z.fill(x)", "z[[0, 2]] = x", "z[z == 0] = x", "N.copyto(z, x, casting='unsafe')", "z[1:] += x"]
STORES = [f"z = N.zeros(3, '{dtype}'); {store}; y = z" for store in STORES for dtype in ("i1", "u1", "i4", "u8", "f4", "c8", "?")]

_PROGRAM = """
def program(b):
    x, a, n = b.sum(), b.max(), 1
    y = kept = x
    try:
{statement}
    except Exception as error:
        return kept, b, code(error)
    return kept, x, y if hasattr(y, "dtype") else kept, a, b
"""


def code(error: Exception) -> numpy.ndarray:
    return numpy.frombuffer(kind(error).encode(), numpy.uint8)


def program(statement: str, module: Any) -> Callable[..., Any]:
    text = _PROGRAM.format(statement=textwrap.indent(statement, " " * 8))
    name = f"<scalar {abs(hash(statement))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    made: dict[str, Any] = {"N": module, "operator": operator, "code": code, "__name__": "program"}
    exec(compile(text, name, "exec"), made)  # noqa: S102  # the text is of this file
    return made["program"]


def example(dtype: str) -> numpy.ndarray:
    rng = random.Random(SEED)
    scale = rng.choice([1, 1, 20, 2**24]) if dtype in ("f8", "i8", "u8") else 1  # beyond what smaller dtypes hold
    if dtype[0] == "c":
        return numpy.array([complex(rng.randint(-9, 9), 2) / 2 for _ in range(3)], dtype)
    return numpy.array([scale * rng.randint(0, 20) / (2 if dtype[0] == "f" else 1) for _ in range(3)], dtype)


def trials(count: int) -> list[tuple[str, str]]:
    every = [(dtype, text) for name, text in spellings.STATEMENTS for dtype in DTYPES[name]]
    chosen = every if LONG else random.Random(SEED).sample(every, count)
    chosen += [(dtype, text) for text in (STORES if LONG else random.Random(SEED).sample(STORES, 25)) for dtype in ("f8", "c16", "i8", "u8")]
    return chosen + [(dtype, text) for text in MORE for dtype in ("f8", "c16", "i8", "u1", "?")]


# What an array has and NumPy's scalars lack, as fastnp's scalars have on a device and in recordings: nothing is written.
LACKED = ("__i", "ndarray.", "flags")


def same(statement: str, want: Any, got: Any) -> bool:
    """An error is right, too, where NumPy's is that its scalars lack what is asked for."""
    if any(text in statement for text in LACKED) and isinstance(got, tuple):
        return equal(want[0], got[0]) and equal(want[-1 if len(want) == 5 else 1], got[-1 if len(got) == 5 else 1])
    if isinstance(want, tuple) and isinstance(got, tuple) and len(want) == len(got) == 3 and bytes(want[-1]) in (b"AttributeError", b"TypeError"):
        want, got = want[:-1], got[:-1]
    return equal(want, got, 1e-6)


def faults(run: Callable[[str, numpy.ndarray], Any], chosen: list[tuple[str, str]]) -> str:
    found = []
    for dtype, statement in chosen:
        b = example("i1") > 3 if dtype == "?" else example(dtype)
        want, got = outcome(program(statement, numpy), b.copy()), outcome(run, statement, b.copy())
        if not same(statement, want, got):
            found.append(f"{dtype}: {statement}\n    NumPy:  {shown(want)}\n    fastnp: {shown(got)}")
    return "\n".join(found)


@pytest.mark.parametrize("name", ["real", "imag", "dtype", "shape", "strides", "flat"])
def test_attributes_of_scalars_are_not_set(name: str) -> None:
    b = example("c16")
    with pytest.raises(AttributeError) as wanted:
        setattr(b.sum(), name, 7)
    with pytest.raises(AttributeError) as eager:
        setattr(np.asarray(b).sum(), name, 7)
    with pytest.raises(AttributeError) as compiled:
        np.compile(lambda b: setattr(b.sum(), name, 7))(b)
    assert str(eager.value) == str(compiled.value).split("\n")[0] == str(wanted.value)


def test_eager_writes_into_scalars_are_numpys() -> None:
    missed = faults(lambda statement, b: program(statement, np)(np.asarray(b)), trials(400))
    assert not missed, f"seed {SEED}\n{missed}"


@pytest.mark.parametrize("part", range(4))
def test_compiled_writes_into_scalars_are_numpys(part: int) -> None:
    missed = faults(lambda statement, b: np.compile(program(statement, numpy))(b), trials(40)[part::4])
    assert not missed, f"seed {SEED}\n{missed}"
