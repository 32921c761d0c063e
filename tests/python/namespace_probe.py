"""Which of NumPy's names fastnp does itself, by the uses of namespace_uses.py: eagerly, compiled, and with a derivative.

python tests/python/namespace_probe.py            a table, and the uses that fall short
python tests/python/namespace_probe.py --group numpy.linalg
"""

from __future__ import annotations

import argparse
import collections
import os
import warnings
from collections.abc import Callable
from typing import Any

import namespace_uses
import numpy

import fastnp as np
from fastnp import _fallback

WAYS = ("eager", "compiled", "derivative")
DIFFERENTIATED = ("x", "y", "X", "T", "p", "s")


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [leaf for each in value for leaf in _leaves(each)]
    return [value]


def _is_numpys(value: Any) -> bool:
    """An array of NumPy's, where fastnp has arrays of its own."""
    return any(type(leaf) is numpy.ndarray and leaf.dtype.kind in "biufc" and leaf.dtype.itemsize <= 16 for leaf in _leaves(value))


def _agrees(got: Any, want: Any) -> bool:
    mine, theirs = _leaves(got), _leaves(want)
    if len(mine) != len(theirs):
        return False
    for a, b in zip(mine, theirs, strict=True):
        if isinstance(b, (numpy.ndarray, numpy.generic)):
            a = numpy.asarray(a)
            if a.dtype != b.dtype or a.shape != b.shape or not numpy.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True):
                return False
        elif isinstance(b, (int, float, complex, bytes, bool)) and a != b:
            return False
    return True


def made(use: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"numpy": numpy}
    exec(compile(namespace_uses.function_of(use), f"<{use}>", "exec"), names)
    return names["use"]  # type: ignore[no-any-return]  # what was just compiled


def _status(call: Callable[[], Any], want: Any) -> str:
    """native, NumPy's (it would be left to NumPy), wrong, or an error's kind."""
    os.environ["FASTNP_FALLBACK"] = "error"
    try:
        got = call()
    except _fallback.FallbackError:
        return "NumPy's"
    except Exception as error:  # of every kind: that is what is looked for
        return f"{type(error).__name__}: {str(error).splitlines()[0][:90]}" if str(error) else type(error).__name__
    finally:
        del os.environ["FASTNP_FALLBACK"]
    if not _agrees(got, want):
        return "wrong"
    return "NumPy's" if _is_numpys(got) else "native"


def _total(value: Any) -> Any:
    """A number that depends on all floats of a result; None without one."""
    total = None
    for leaf in _leaves(value):
        if type(leaf) is np.ndarray and leaf.dtype.kind in "fc":
            part = np.sum(np.real(leaf) * 1.0)
            total = part if total is None else total + part
    return total


def _derivative(function: Callable[..., Any], given: dict[str, Any], want: Any) -> str:
    if not any(isinstance(leaf, (numpy.ndarray, numpy.generic)) and leaf.dtype.kind in "fc" for leaf in _leaves(want)):
        return "none"
    used = [name for name in DIFFERENTIATED if name in function.__code__.co_names or _reads(function, name)]
    if not used:
        return "none"

    def loss(*values: Any) -> Any:
        total = _total(function(np, **{**given, **dict(zip(used, values, strict=True))}))
        return sum(np.sum(each) * 0.0 for each in values) if total is None else total

    return _status(lambda: (np.grad(loss, argnums=tuple(range(len(used))))(*[given[name] for name in used]), None)[1], None)


def _reads(function: Callable[..., Any], name: str) -> bool:
    import dis

    return any(each.argval == name and each.opname.startswith("LOAD_FAST") for each in dis.get_instructions(function))


def probe(use: str) -> dict[str, str]:
    """A use's status by each way."""
    function = made(use)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = function(numpy, **namespace_uses.arrays())
        ours = {name: np.asarray(value) for name, value in namespace_uses.arrays().items()}
        eager = _status(lambda: function(np, **ours), want)
        compiled_function = np.compile(lambda **given: function(np, **given), fullgraph=True)
        compiled = _status(lambda: (compiled_function(**ours), compiled_function(**ours))[1], want)
        return {"eager": eager, "compiled": compiled, "derivative": _derivative(function, ours, want)}


def counts(group: str) -> tuple[dict[str, int], list[str]]:
    """How many uses are native by each way (or have no derivative), and what is said of the others."""
    native: collections.Counter[str] = collections.Counter()
    short = []
    for use in namespace_uses.GROUPS[group]:
        found = probe(use)
        for way, status in found.items():
            if status in ("native", "none"):
                native[way] += 1
            else:
                short.append(f"{way:10} {use:60} {status}")
    return {way: native[way] for way in WAYS}, short


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--group", choices=[*namespace_uses.GROUPS])
    chosen = arguments.parse_args().group
    total: collections.Counter[str] = collections.Counter()
    for group in [chosen] if chosen else namespace_uses.GROUPS:
        found, short = counts(group)
        print(*short, sep="\n")
        print(f"{group:20} of {len(namespace_uses.GROUPS[group]):3}: " + ", ".join(f"{way} {found[way]}" for way in WAYS), flush=True)
        total.update(found)
    uses = sum(map(len, namespace_uses.GROUPS.values()))
    print(f"{'all':20} of {uses:3}: " + ", ".join(f"{way} {total[way]}" for way in WAYS))


if __name__ == "__main__":
    main()
