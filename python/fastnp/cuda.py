"""The CUDA devices of this machine."""

from __future__ import annotations

from typing import NamedTuple

from fastnp import _core

__all__ = ["Device", "Library", "Statistics", "devices", "is_available", "libraries", "problem", "statistics", "synchronize", "trim"]


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


class Library(NamedTuple):
    """A library of NVIDIA's: ``path`` is the file in use, or ``problem`` says why there is none."""

    name: str
    path: str
    problem: str


def libraries() -> list[Library]:
    """The libraries that CUDA devices use (cuBLAS for products of matrices, cuFFT for Fourier transforms, cuSOLVER for factors of matrices); looks
    for those that were not needed yet. What a missing one is for, the processor computes; so it does what none has (eigenvalues of general matrices).

    They are looked for among those of the process (as PyTorch loads them), where the system has libraries, among Python's packages (``pip install
    nvidia-cublas``), in ``CUDA_HOME``, ``CUDA_PATH`` and ``/usr/local/cuda``."""
    return [Library(*each) for each in _core._device_libraries()]


class Statistics(NamedTuple):
    """What was done on a device so far: bytes of memory in use and kept for reuse, kernels launched, copies from the host (uploads) and to it, calls of
    cuBLAS for products of matrices, of cuFFT for Fourier transforms, and of cuSOLVER and cuBLAS for factors of matrices and what is solved with them."""

    live_bytes: int
    held_bytes: int
    launches: int
    uploads: int
    uploaded_bytes: int
    downloads: int
    downloaded_bytes: int
    products: int
    transforms: int
    factorisations: int


def statistics(device: str = "cuda") -> Statistics:
    """What was done on a device so far, by this process. ValueError, RuntimeError: as ``fastnp.device``. (torch.cuda.memory_stats)"""
    return Statistics(*_core._device_statistics(device))


def synchronize(device: str = "cuda") -> None:
    """Waits until a device has done all that it was asked for, and raises what went wrong there. ValueError, RuntimeError: as ``fastnp.device``."""
    _core._synchronize(device)


def trim(device: str = "cuda") -> None:
    """Gives memory that is kept for reuse back to the device. ValueError, RuntimeError: as ``fastnp.device``. (torch.cuda.empty_cache)"""
    _core._trim_device(device)
