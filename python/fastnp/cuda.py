"""The CUDA devices of this machine."""

from __future__ import annotations

from typing import NamedTuple

from fastnp import _core

__all__ = ["Device", "Library", "Statistics", "devices", "is_available", "libraries", "problem", "statistics", "synchronize", "trim"]


class Device(NamedTuple):
    """A CUDA device of this machine, as `devices` lists them.

    Attributes: `name` (``"cuda:0"``, ``"cuda:1"``, ..., as `fastnp.device` takes it), `model` (its
    maker's name), `memory_bytes` (of all its memory), `compute_capability` (10 times the major number,
    plus the minor).

    See Also
    --------
    cuda.devices, device

    Examples
    --------
    >>> import fastnp as np
    >>> np.cuda.Device._fields
    ('name', 'model', 'memory_bytes', 'compute_capability')
    """

    name: str
    model: str
    memory_bytes: int
    compute_capability: int


def devices() -> list[Device]:
    """The CUDA devices that the driver shows.

    The driver is found at run time; fastnp needs no toolkit. CUDA_VISIBLE_DEVICES hides devices, as
    for other programs.

    Returns
    -------
    list of Device
        In the driver's order; none where there is no driver.

    See Also
    --------
    cuda.is_available, cuda.problem, device

    Examples
    --------
    >>> import fastnp as np
    >>> all(each.name.startswith("cuda:") for each in np.cuda.devices())
    True
    """
    return [Device(*each) for each in _core._devices() if each[0].startswith("cuda")]


def is_available() -> bool:
    """Whether there is a CUDA device that fastnp can use.

    `problem` says why there is none. Programs choose by it where to compute.

    Returns
    -------
    bool
        True where `devices` lists one.

    See Also
    --------
    cuda.problem, cuda.devices

    Examples
    --------
    >>> import fastnp as np
    >>> name = "cuda" if np.cuda.is_available() else "cpu"
    >>> with np.device(name):
    ...     x = np.arange(3.0) + 1
    >>> x.tolist()
    [1.0, 2.0, 3.0]
    """
    return not _core._cuda_problem()


def problem() -> str:
    """Why there is no CUDA device, in one line.

    The driver may lack, show no device, or be too old; the line says which, and what would help.

    Returns
    -------
    str
        Empty if there is a device.

    See Also
    --------
    cuda.is_available, cuda.libraries

    Examples
    --------
    >>> import fastnp as np
    >>> (np.cuda.problem() == "") == np.cuda.is_available()
    True
    """
    return _core._cuda_problem()


class Library(NamedTuple):
    """A library of NVIDIA's that CUDA devices use, as `libraries` lists them.

    Attributes: `name` (cuBLASLt, cuFFT, ...), `path` (the file in use, or empty), `problem` (why there
    is none, or empty).

    See Also
    --------
    cuda.libraries

    Examples
    --------
    >>> import fastnp as np
    >>> np.cuda.Library._fields
    ('name', 'path', 'problem')
    >>> lacking = [each.name for each in np.cuda.libraries() if each.problem]
    """

    name: str
    path: str
    problem: str


def libraries() -> list[Library]:
    """The libraries that CUDA devices use, and where they were found.

    cuBLAS is for products of matrices, cuFFT for Fourier transforms, cuSOLVER for factors of matrices.
    What a missing one is for, the processor computes; so it does what none has.

    Returns
    -------
    list of Library
        Those that were not needed yet are looked for now.

    Notes
    -----
    They are looked for among those of the process (as PyTorch loads them), where the system has
    libraries, among Python's packages (``pip install nvidia-cublas``), in ``CUDA_HOME``, ``CUDA_PATH``
    and ``/usr/local/cuda``.

    See Also
    --------
    cuda.problem, cuda.devices

    Examples
    --------
    >>> import fastnp as np
    >>> all(bool(each.path) != bool(each.problem) for each in np.cuda.libraries())
    True
    """
    return [Library(*each) for each in _core._device_libraries()]


class Statistics(NamedTuple):
    """What was done on a device so far, as `statistics` tells it.

    Attributes: `live_bytes` and `held_bytes` (memory in use, and kept for reuse), `launches` (of
    kernels), `uploads` and `uploaded_bytes` (copies from the host), `downloads` and `downloaded_bytes`
    (copies to it), `products` (calls of cuBLAS for products of matrices), `transforms` (of cuFFT),
    `factorisations` (of cuSOLVER and cuBLAS for factors of matrices and what is solved with them).

    See Also
    --------
    cuda.statistics

    Examples
    --------
    >>> import fastnp as np
    >>> np.cuda.Statistics._fields[:3]
    ('live_bytes', 'held_bytes', 'launches')
    """

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
    """What was done on a device so far, by this process. (torch.cuda.memory_stats)

    Differences between two calls tell what a part of a program does there.

    Parameters
    ----------
    device : str, default 'cuda'
        ``"cuda"`` (the first CUDA device), ``"cuda:1"``, ...

    Returns
    -------
    Statistics
        Bytes of memory, and numbers of kernels, copies and calls of libraries.

    Raises
    ------
    ValueError
        Where no device has such a name.
    RuntimeError
        For a device that can't be used.

    See Also
    --------
    cuda.trim, cuda.synchronize, compiler.profile

    Examples
    --------
    >>> import fastnp as np
    >>> if np.cuda.is_available():
    ...     assert np.cuda.statistics().launches >= 0
    """
    return Statistics(*_core._device_statistics(device))


def synchronize(device: str = "cuda") -> None:
    """Waits until a device has done all that it was asked for.

    Operations there are asked for, and nobody waits for them until an element is read: to time them, wait. What went wrong there is raised.

    Parameters
    ----------
    device : str, default 'cuda'
        ``"cuda"`` (the first CUDA device), ``"cuda:1"``, ...

    Returns
    -------
    None
        The device has nothing left to do.

    Raises
    ------
    ValueError
        Where no device has such a name.
    RuntimeError
        For a device that can't be used, and for what went wrong there.

    See Also
    --------
    cuda.statistics, compiler.profile

    Examples
    --------
    >>> import fastnp as np
    >>> if np.cuda.is_available():
    ...     np.cuda.synchronize()
    """
    _core._synchronize(device)


def trim(device: str = "cuda") -> None:
    """Gives memory that is kept for reuse back to a device. (torch.cuda.empty_cache)

    Memory of arrays that are no more is kept, as asking the driver for new memory takes long. Other
    processes can use it after this.

    Parameters
    ----------
    device : str, default 'cuda'
        ``"cuda"`` (the first CUDA device), ``"cuda:1"``, ...

    Returns
    -------
    None
        ``statistics().held_bytes`` is smaller.

    Raises
    ------
    ValueError
        Where no device has such a name.
    RuntimeError
        For a device that can't be used.

    See Also
    --------
    cuda.statistics

    Examples
    --------
    >>> import fastnp as np
    >>> if np.cuda.is_available():
    ...     np.cuda.trim()
    """
    _core._trim_device(device)
