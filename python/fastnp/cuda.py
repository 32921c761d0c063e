"""The CUDA devices of this machine."""

from __future__ import annotations

from typing import NamedTuple

from fastnp import _core

__all__ = ["Device", "devices", "is_available", "problem"]


class Device(NamedTuple):
    """A CUDA device: ``name`` is ``"cuda:0"``, ``"cuda:1"``, ...; ``compute_capability`` 10 times the major number, plus the minor."""

    name: str
    model: str
    memory_bytes: int
    compute_capability: int


def devices() -> list[Device]:
    """The CUDA devices that the driver shows; none where there is no driver."""
    return [Device(*each) for each in _core._devices() if each[0].startswith("cuda")]


def is_available() -> bool:
    """Whether there is a CUDA device."""
    return not _core._cuda_problem()


def problem() -> str:
    """Why there is no CUDA device, in one line; empty if there is one."""
    return _core._cuda_problem()
