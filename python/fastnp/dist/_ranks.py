"""Which ranks there are."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from fastnp import _core
from fastnp._core import RankError

R = TypeVar("R")

__all__ = ["RankError", "finalize", "init", "is_initialized", "rank", "run", "set_time_limit", "size"]

# What mpirun, srun and the like tell the processes that they start.
_STARTED = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS")


def init(backend: str | None = None, *, library: str | None = None) -> None:
    """Sets up the ranks of this process. (MPI_Init, torch.distributed.init_process_group)

    It is called once in each process, before collectives. An error that nothing catches ends the other ranks, too.

    Parameters
    ----------
    backend : {"mpi", "one"}, optional
        "mpi": the processes that mpirun started, by the machine's MPI library (Open MPI, MPICH, or what has the ABI
        of one of them). "one": this process alone. By default "mpi" where mpirun started it, else "one".
    library : str, optional
        The file of the MPI library; by default FASTNP_MPI_LIBRARY, or the first one of the usual names.

    Returns
    -------
    None
        When all of them are there.

    Raises
    ------
    RankError
        Where there is no MPI library, or it was begun for one thread alone.
    ValueError
        Where that was done before, and for other back ends.

    See Also
    --------
    dist.run, dist.finalize

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.init("one")
    >>> np.dist.rank(), np.dist.size()
    (0, 1)
    >>> np.dist.finalize()
    """
    if backend is None:
        backend = "mpi" if any(name in os.environ for name in _STARTED) else "one"
    if backend not in ("mpi", "one"):
        raise ValueError(f"backend must be 'mpi' or 'one', not {backend!r}")
    if backend == "one":
        if _core._has_ranks():
            raise ValueError("the ranks of this process are set up")
        return
    _core._init_mpi(library or "")
    _end_with_others()


def _end_with_others() -> None:
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        before(kind, error, traceback)
        sys.stdout.flush()
        sys.stderr.flush()
        _core._abort_ranks()

    sys.excepthook = hook


def finalize() -> None:
    """Takes the ranks of this process down. (MPI_Finalize)

    There is one rank afterwards, and `init` may be called again. MPI itself ends with the process.

    Returns
    -------
    None
        Nothing is done where no ranks were set up.

    See Also
    --------
    dist.init

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.finalize()
    """
    _core._end_ranks()


def is_initialized() -> bool:
    """Whether ranks were set up: by `init` for MPI, or as a thread of `run`. (MPI_Initialized)

    Collectives work in either case: where no ranks were set up there is one.

    Returns
    -------
    bool
        False also in a process by itself.

    See Also
    --------
    dist.init

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.is_initialized()
    False
    """
    return _core._has_ranks()


def rank() -> int:
    """This process's or thread's number among all ranks. (MPI_Comm_rank)

    In a compiled function it is what it was when the function was recorded, so each process has its own. Threads of
    `run` share compiled functions: there `Communicator.index` gives the number as an array.

    Returns
    -------
    int
        From 0 on.

    See Also
    --------
    dist.size, dist.Communicator

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.run(lambda: np.dist.rank(), 3)
    [0, 1, 2]
    """
    return _core._rank()


def size() -> int:
    """How many ranks there are. (MPI_Comm_size)

    It is a plain number, in compiled functions too: these are compiled anew where there are other ranks than before.

    Returns
    -------
    int
        1 in a process by itself.

    See Also
    --------
    dist.rank

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.size()
    1
    """
    return _core._rank_count()


def set_time_limit(seconds: float) -> None:
    """How long a rank waits for others before it gives up with a `RankError`.

    By default 300 s, or what FASTNP_DIST_TIMEOUT says.

    Parameters
    ----------
    seconds : float
        Above 0.

    Returns
    -------
    None
        It counts for all waiting that begins from now on, in all threads.

    Raises
    ------
    ValueError
        Otherwise.

    See Also
    --------
    dist.init

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.set_time_limit(300)
    """
    _core._set_rank_time_limit(seconds)


def run(function: Callable[..., R], ranks: int, *args: Any) -> list[R]:
    """Runs a function in threads of this process, each a rank of its own.

    So programs of several ranks are tried and tested without MPI. Python's own code takes turns, kernels do not.

    Parameters
    ----------
    function : callable
        What each rank does.
    ranks : int
        How many.
    *args
        What each rank's function is given.

    Returns
    -------
    list
        What each rank's function gave.

    Raises
    ------
    ValueError
        For fewer ranks than one.
    BaseException
        What a rank raised, with a note of which. The others get a `RankError` in their next collective.

    See Also
    --------
    dist.init, dist.all_reduce

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.run(lambda: float(np.dist.all_reduce(np.array(np.dist.rank() + 1.0))), 4)
    [10.0, 10.0, 10.0, 10.0]
    """
    return _run(function, ranks, args, {})


def _run(function: Callable[..., R], ranks: int, args: tuple[Any, ...], faults: dict[str, Any]) -> list[R]:
    """Faults, for tests: seed, longest_delay (seconds), lost_rank, lost_after (calls)."""
    results: dict[int, R] = {}
    errors: dict[int, BaseException] = {}

    def body() -> str:
        own = _core._rank()
        try:
            results[own] = function(*args)
        except BaseException as error:
            errors[own] = error
            return f"{type(error).__name__}: {error}"
        return ""

    given = {"seed": 0, "longest_delay": 0.0, "lost_rank": -1, "lost_after": 0} | faults
    _core._run_ranks(ranks, body, given["seed"], given["longest_delay"], given["lost_rank"], given["lost_after"])
    if errors:
        first = min(errors, key=lambda number: (isinstance(errors[number], RankError), number))
        errors[first].add_note(f"(on rank {first} of {ranks})") if sys.version_info >= (3, 11) else None
        raise errors[first]
    return [results[number] for number in range(ranks)]
