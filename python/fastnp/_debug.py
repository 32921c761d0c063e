"""``np.compiler.debug``: what is compiled within it is written to files (_debug_folder.py, src/api/debug_folder.cpp)."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from fastnp import _control, _core


class debug:
    """A context in which what is compiled is written to files: ``with np.compiler.debug("folder"):``.

    Each compiled function gets a folder of its own: its source, and for each entry the arguments, the
    graph as recorded and after each pass, a picture of it (SVG), the kernels, LLVM's code before and
    after its passes, assembly or PTX (and SASS, where ptxas and nvdisasm are there), guards, memory,
    times; and the environment. ``index.html`` leads to all of it. FASTNP_DEBUG does so for a process.

    Parameters
    ----------
    folder : path
        It is made, if it is not there. Several processes may write to one.

    Raises
    ------
    OSError
        As the context begins, for a folder that can't be written to.

    Notes
    -----
    It holds for all threads. Functions are recorded, even if their recordings are kept on disk, and
    live as long as the context. Pages and pictures are written as it ends; the rest as it happens.

    See Also
    --------
    explain, compiler.set_logs

    Examples
    --------
    >>> import fastnp as np
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> @np.compile
    ... def halved(x):
    ...     return np.sqrt(x) / 2
    >>> with np.compiler.debug(folder):
    ...     _ = halved(np.ones(3))
    >>> sorted(os.listdir(folder))
    ['halved', 'index.html']
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        self._before: list[tuple[str, dict[int, tuple[int, ...]]]] = []

    def __enter__(self) -> debug:
        os.makedirs(self.folder, exist_ok=True)
        import tempfile  # not needed to import fastnp

        with tempfile.TemporaryFile(dir=self.folder):  # which says why if it can't be written to
            pass
        known = {id(function): _counts(function) for function in _control.compiled_functions}
        _control.held.append(list(_control.compiled_functions))
        self._before.append((_core._set_debug_folder(self.folder), known))
        return self

    def __exit__(self, *error: object) -> None:
        from pathlib import Path

        from fastnp._debug_folder import write  # where there is something to write

        before, known = self._before.pop()
        try:
            with contextlib.suppress(OSError):  # a disk that is full is no reason to fail
                write(Path(os.path.abspath(self.folder)), [each for each in _control.held[-1] if known.get(id(each)) != _counts(each)])
        finally:
            _control.held.pop()
            _core._set_debug_folder(before)


def begin_by_environment() -> None:
    """For the whole process, in the folder that FASTNP_DEBUG names. OSError if it can't be written to."""
    scope = debug(os.environ["FASTNP_DEBUG"])
    scope.__enter__()
    _control.debug_is_due = False
    import atexit  # not needed to import fastnp

    atexit.register(scope.__exit__)


def _counts(function: Any) -> tuple[int, ...]:
    info = function.cache_info()
    return info.hits, info.misses, info.compiles, info.uncompiled
