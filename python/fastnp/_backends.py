"""The back ends of ``compile``: what is made of the operations that a function does."""

from __future__ import annotations

from typing import NamedTuple

from fastnp import _core
from fastnp._fallback import check_unrecorded


class BackendInfo(NamedTuple):
    """What a back end of ``compile`` does; `compiler.backend_info` gives it.

    Its fields: `name`, `aliases` (other names for it), `simplifies` (whether passes rewrite the
    recorded operations), `fuses` (whether operations share loops), `kernels` (what does the steps:
    "precompiled", "interpreted", "LLVM without passes" or "LLVM") and `doc` (a line that says so).

    See Also
    --------
    compiler.backend_info, compiler.list_backends

    Examples
    --------
    >>> import fastnp as np
    >>> np.compiler.backend_info("llvm").fuses
    True
    """

    name: str
    aliases: tuple[str, ...]
    simplifies: bool
    fuses: bool
    kernels: str
    doc: str


def list_backends() -> list[str]:
    """The names of what ``compile(backend=...)`` may be, from the one that does least to the default.

    They are a ladder: each does one thing more than the one before. The first one that gives something
    else says where a fault is. (torch.compiler.list_backends)

    Returns
    -------
    list of str
        Their names, without aliases.

    Raises
    ------
    RecordError
        In a compiled function with ``fullgraph=True``: it is no part of a recording.

    See Also
    --------
    compile, compiler.backend_info

    Examples
    --------
    >>> import fastnp as np
    >>> np.compiler.list_backends()
    ['eager', 'aot_eager', 'interpreter', 'llvm-O0', 'llvm-nofuse', 'llvm']
    """
    check_unrecorded("compiler.list_backends")
    return [name for name, *_ in _core._backends()]


def backend_info(name: str) -> BackendInfo:
    """What a back end does.

    `list_backends` gives the names of all.

    Parameters
    ----------
    name : str
        Its name, or an alias.

    Returns
    -------
    BackendInfo
        Its `name`, `aliases`, `simplifies`, `fuses`, `kernels` and `doc`.

    Raises
    ------
    ValueError
        Where there is none of that name; the message lists the names.
    RecordError
        In a compiled function with ``fullgraph=True``.

    See Also
    --------
    compile, compiler.list_backends

    Examples
    --------
    >>> import fastnp as np
    >>> np.compiler.backend_info("interpreter").kernels
    'interpreted'
    >>> np.compiler.backend_info("inductor").name
    'llvm'
    """
    check_unrecorded("compiler.backend_info")
    own, aliases, simplifies, fuses, kernels, doc = _core._backend_info(name)
    return BackendInfo(own, tuple(aliases), simplifies, fuses, kernels, doc)
