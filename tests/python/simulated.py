"""The library with devices that the host plays in the place of CUDA's (tests/simulated), which the build makes beside the package."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from pathlib import Path


def library() -> Path:
    """For LD_PRELOAD: a process that loads it before fastnp has it in the place of the real one, since the two have one name."""
    package = importlib.util.find_spec("fastnp")
    assert package is not None and package.origin is not None
    return Path(package.origin).parents[2] / "simulated" / "libfastnp.so"


def load() -> None:
    """Into this process, before fastnp is imported."""
    ctypes.CDLL(str(library()))


def environment(devices: int = 1, mebibytes: int = 4096) -> dict[str, str]:
    """Of a process with simulated devices."""
    return os.environ | {"LD_PRELOAD": str(library()), "FASTNP_SIMULATED_DEVICE": str(devices), "FASTNP_SIMULATED_MEMORY": str(mebibytes)}
