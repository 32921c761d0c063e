"""What is read through classes, functions and the rest of Python is followed: see surroundings.py."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest
import surroundings

import fastnp as np

# These run as written, rightly: slots, hooks, enumerations and named tuples with methods, patterns, hashes, defaults that change, counters in classes.
AS_WRITTEN = frozenset("slots dslots dsl nt color color2 dictsub initsub initsub_new cached hashkey mtseq mutdef count".split())


def outcome(function: Any, x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(x)
        except Exception as error:  # compared with the other's
            return error


def same(got: Any, want: Any) -> bool:
    if type(got) is not type(want):
        return False
    if isinstance(want, Exception):
        return str(got) == str(want)
    if isinstance(want, (tuple, list)):
        return len(got) == len(want) and all(same(a, b) for a, b in zip(got, want, strict=True))
    if isinstance(want, dict):
        return list(got) == list(want) and all(same(got[key], item) for key, item in want.items())
    if isinstance(want, (numpy.ndarray, numpy.generic)):
        return got.dtype == want.dtype and got.shape == want.shape and numpy.allclose(got, want)
    return bool(got == want)


@pytest.mark.parametrize("backend", ["llvm", "eager", "kept"])
@pytest.mark.parametrize("name", surroundings.FUNCTIONS)
def test_as_written(name, backend, tmp_path, monkeypatch):
    if backend == "kept":
        monkeypatch.setenv("FASTNP_CACHE_DIR", str(tmp_path))
    function = surroundings.FUNCTIONS[name]
    for _ in range(2 if backend == "kept" else 1):
        compiled = np.compile(function, backend=backend.replace("kept", "eager"), cache_size_limit=64)
        for _ in surroundings.changes():
            for _ in range(3):
                x = numpy.arange(1.0, 4.0)
                before = surroundings.state()
                want = outcome(function, x.copy())
                after = surroundings.state()
                surroundings.restore(before)
                got = outcome(compiled, x.copy())
                assert same(got, want), (got, want)
                assert surroundings.state() == after
        info = compiled.cache_info()
        parts = compiled._parts()
        is_native = parts is not None and bool(parts.told()) and all(each.reason is None for each in parts.told())
        is_whole = info.uncompiled == 0 and (info.compiles > 0 or is_native)  # and no call of it goes in other parts
        assert is_whole is (name.replace(" ", "_") not in AS_WRITTEN), info
