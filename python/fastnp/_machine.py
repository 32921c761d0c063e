"""How fast this machine is, by fastnp's own kernels: bytes and floating-point operations a second. Measured once, when a report asks for it."""

from __future__ import annotations

import os
from typing import Any

import numpy

from fastnp import _control, _core

_TERMS = 32  # products and sums of an element, which know nothing of each other
_RUNS = 5
_known: dict[str, dict[str, Any]] = {}


def _copied(x: Any, out: Any) -> None:
    out[:] = x * 2


def _computed(x: Any, out: Any) -> None:
    parts = [x * (1 + k / 64) + (0.5 + k / 256) for k in range(_TERMS)]
    while len(parts) > 1:
        parts = [a + b for a, b in zip(parts[::2], parts[1::2], strict=True)]
    out[:] = parts[0]


def _best(function: Any, elements: int, dtype: str, device: str) -> dict[str, float]:
    """Bytes and operations a second of the best of several runs."""
    from fastnp._compile import compile  # where a report is made

    x: Any = numpy.full(elements, 0.25, dtype)
    out: Any = numpy.full(elements, 0.25, dtype)
    if device != "cpu":
        x, out = (_core.asarray(each).to(device) for each in (x, out))
    compiled = compile(function, name="the machine's speed", adaptive=False)
    _control.compiled_functions.discard(compiled)
    best = None
    for _ in range(_RUNS):
        scope = _core._ProfileScope()
        compiled(x, out)
        del scope
        kernel = compiled._inspect(False)[0][0]["kernels"][0]
        if best is None or kernel["milliseconds"] < best["milliseconds"]:
            best = kernel
    assert best is not None
    seconds = max(best["milliseconds"], 1e-6) / 1e3
    return {"bytes": (best["bytes_read"] + best["bytes_written"]) / seconds, "flops": best["flops"] / seconds}


def _elements(device: str) -> int:
    """Of an array of float64 that is larger than caches."""
    if device != "cpu":
        return 1 << 20 if "FASTNP_SIMULATED_DEVICE" in os.environ else 1 << 25
    try:
        cache = os.sysconf("SC_LEVEL3_CACHE_SIZE")
    except (ValueError, OSError):
        cache = 0
    return min(max(1 << 22, cache // 8), 1 << 24)


def measured(device: str = "cpu") -> dict[str, Any]:
    """``{"device", "bandwidth", "peak"}``: bytes a second between memory and the processor, and operations a second by dtype."""
    if device not in _known:
        few = 1 << 18 if device == "cpu" else _elements(device)  # which stay in caches
        bandwidth = _best(_copied, _elements(device), "float64", device)["bytes"]
        peak = {dtype: _best(_computed, few, dtype, device)["flops"] for dtype in ("float64", "float32")}
        _known[device] = {"device": device, "bandwidth": bandwidth, "peak": peak}
    return _known[device]
