"""Groups of ranks, and the collectives between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from fastnp import _core
from fastnp._transform import as_array, scalar_like
from fastnp._trees import map_leaves

T = TypeVar("T")

__all__ = [
    "Communicator",
    "Mesh",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "barrier",
    "broadcast",
    "mesh",
    "permute",
    "reduce_scatter",
    "world",
]


class Communicator:
    """The ranks that exchange arrays: all of them (`world`), or those along axes of a mesh.

    Its methods are the collectives of the module, among the group's ranks.

    See Also
    --------
    dist.world, dist.mesh

    Examples
    --------
    >>> import fastnp as np
    >>> everyone = np.dist.world()
    >>> everyone.rank, everyone.size
    (0, 1)
    """

    __slots__ = ("_group",)

    def __init__(self, group: Any) -> None:
        self._group = group

    def __repr__(self) -> str:
        return f"Communicator(ranks={self._group.ranks})"

    @property
    def rank(self) -> int:
        """This rank's number in the group."""
        found: int = self._group.rank
        return found

    @property
    def size(self) -> int:
        """How many ranks the group has."""
        found: int = self._group.size
        return found

    @property
    def ranks(self) -> list[int]:
        """Their numbers among all ranks."""
        found: list[int] = self._group.ranks
        return found

    def index(self) -> Any:
        """This rank's number in the group, which a compiled function finds anew in each call; int64 of no axes."""
        return self._group.index()

    def all_reduce(self, x: T, op: str = "sum") -> T:
        """As `dist.all_reduce`."""
        return self._map(lambda leaf: self._group.all_reduce(leaf, op), x)

    def all_gather(self, x: T, axis: int = 0, tiled: bool = False) -> T:
        """As `dist.all_gather`."""
        return self._map(lambda leaf: self._group.all_gather(leaf, axis, tiled), x)

    def reduce_scatter(self, x: T, op: str = "sum", axis: int = 0, tiled: bool = False) -> T:
        """As `dist.reduce_scatter`."""
        return self._map(lambda leaf: self._group.reduce_scatter(leaf, op, axis, tiled), x)

    def broadcast(self, x: T, root: int = 0) -> T:
        """As `dist.broadcast`."""
        return self._map(lambda leaf: self._group.broadcast(leaf, root), x)

    def all_to_all(self, x: T, split_axis: int = 0, concat_axis: int = 0, tiled: bool = False) -> T:
        """As `dist.all_to_all`."""
        return self._map(lambda leaf: self._group.all_to_all(leaf, split_axis, concat_axis, tiled), x)

    def permute(self, x: T, pairs: Sequence[tuple[int, int]]) -> T:
        """As `dist.permute`."""
        return self._map(lambda leaf: self._group.permute(leaf, [(int(a), int(b)) for a, b in pairs]), x)

    def barrier(self) -> None:
        """As `dist.barrier`."""
        self._group.barrier()

    @staticmethod
    def _map(function: Any, x: T) -> T:
        def of(leaf: Any) -> Any:
            made = function(as_array(leaf))
            return made[()] if scalar_like(leaf) else made

        mapped: T = map_leaves(of, x)
        return mapped


class Mesh:
    """All ranks as an array in C's order, with a name for each axis (`mesh` makes one).

    ``m["x"]`` and ``m["x", "y"]`` are the ranks that differ from this one in these axes alone, as a `Communicator`.

    See Also
    --------
    dist.mesh

    Examples
    --------
    >>> import fastnp as np
    >>> m = np.dist.mesh((1, 1), ("data", "model"))
    >>> m.shape, m.names, m["data"].size
    ((1, 1), ('data', 'model'), 1)
    """

    __slots__ = ("_mesh",)

    def __init__(self, shape: Sequence[int], names: Sequence[str]) -> None:
        self._mesh = _core._Mesh([int(extent) for extent in shape], list(names))

    def __repr__(self) -> str:
        return f"Mesh({self.shape}, {self.names})"

    @property
    def shape(self) -> tuple[int, ...]:
        """How many ranks lie along each axis."""
        found: tuple[int, ...] = self._mesh.shape
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The axes' names."""
        found: tuple[str, ...] = self._mesh.names
        return found

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Where this rank is."""
        found: tuple[int, ...] = self._mesh.coordinates
        return found

    def __getitem__(self, names: str | tuple[str, ...]) -> Communicator:
        return _known_as(self._mesh.along([names] if isinstance(names, str) else list(names)))


def mesh(shape: Sequence[int], names: Sequence[str]) -> Mesh:
    """All ranks as an array in C's order, with a name for each axis. (jax.make_mesh)

    Parameters
    ----------
    shape : sequence of int
        How many ranks lie along each axis; all of them together.
    names : sequence of str
        One for each axis.

    Returns
    -------
    Mesh
        ``m["x"]`` is the group of ranks along an axis.

    Raises
    ------
    ValueError
        Where there are more or fewer ranks than that, or names are missing or twice.

    See Also
    --------
    dist.Mesh, dist.world

    Examples
    --------
    >>> import fastnp as np
    >>> def program():
    ...     m = np.dist.mesh((2, 2), ("row", "column"))
    ...     return m.coordinates, m["row"].ranks
    >>> np.dist.run(program, 4)
    [((0, 0), [0, 2]), ((0, 1), [1, 3]), ((1, 0), [0, 2]), ((1, 1), [1, 3])]
    """
    return Mesh(shape, names)


def world() -> Communicator:
    """All ranks, as a group. (MPI_COMM_WORLD)

    It is what collectives are over that are given no other group. There is one object for it, which compiled
    functions know again.

    Returns
    -------
    Communicator
        Of one rank, where no others were set up.

    See Also
    --------
    dist.init, dist.mesh

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.world().size
    1
    """
    return _known_as(_core._Communicator())


def _of(group: Communicator | None) -> Communicator:
    return world() if group is None else group


_known: dict[tuple[int, int], Communicator] = {}


def _known_as(group: Any) -> Communicator:
    """One object for a group, so that compiled functions which are handed it know it again."""
    return _known.setdefault((group.key, group.size), Communicator(group))


def all_reduce(x: T, op: str = "sum", group: Communicator | None = None) -> T:
    """Joins the arrays of all ranks elementwise, for all of them. (MPI_Allreduce, jax.lax.psum)

    Elements are joined in the order of the ranks, so all ranks get the same bits. It has derivatives of both modes:
    what all ranks see has a cotangent from each of them.

    Parameters
    ----------
    x : tree of arrays
        Of one form, shape and dtype on all ranks.
    op : {"sum", "prod", "min", "max", "mean"}
        As numpy.add, multiply, minimum and maximum join two elements. The mean of whole numbers is float64.
    group : Communicator, optional
        By default all ranks.

    Returns
    -------
    tree of arrays
        In the form of `x`, the same on all ranks.

    Raises
    ------
    RankError
        Where ranks ask for something else, or do not come.
    ValueError
        For other ops.

    See Also
    --------
    dist.reduce_scatter, dist.all_gather, psum

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.run(lambda: np.dist.all_reduce(np.arange(3) + np.dist.rank()), 2)
    [array([1, 3, 5]), array([1, 3, 5])]
    """
    return _of(group).all_reduce(x, op)


def all_gather(x: T, axis: int = 0, tiled: bool = False, group: Communicator | None = None) -> T:
    """The arrays of all ranks as one, for all of them. (MPI_Allgather, jax.lax.all_gather)

    It has derivatives of both modes.

    Parameters
    ----------
    x : tree of arrays
        Of one form, shape and dtype on all ranks.
    axis : int
        Where the ranks' axis is put in.
    tiled : bool
        Whether the arrays lie one behind the other along an axis that they have.
    group : Communicator, optional
        By default all ranks.

    Returns
    -------
    tree of arrays
        In the form of `x`, the same on all ranks.

    Raises
    ------
    AxisError
        For an axis that there is none of.
    RankError
        Where ranks ask for something else, or do not come.

    See Also
    --------
    dist.reduce_scatter, dist.all_reduce

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.run(lambda: np.dist.all_gather(np.arange(2) + 10 * np.dist.rank(), tiled=True), 2)
    [array([ 0,  1, 10, 11]), array([ 0,  1, 10, 11])]
    """
    return _of(group).all_gather(x, axis, tiled)


def reduce_scatter(x: T, op: str = "sum", axis: int = 0, tiled: bool = False, group: Communicator | None = None) -> T:
    """Joins the arrays of all ranks elementwise, and gives each rank its part. (MPI_Reduce_scatter, jax.lax.psum_scatter)

    Sums and means have derivatives of both modes.

    Parameters
    ----------
    x : tree of arrays
        Of one form, shape and dtype on all ranks.
    op : {"sum", "prod", "min", "max", "mean"}
        As `all_reduce` has them.
    axis : int
        Has an element for each rank, and is gone in the result; `tiled`: is cut into a part for each rank.
    tiled : bool
        Whether the axis stays.
    group : Communicator, optional
        By default all ranks.

    Returns
    -------
    tree of arrays
        In the form of `x`: this rank's part.

    Raises
    ------
    ValueError
        Where the axis has another number of elements, or can't be cut into equal parts.
    RankError
        Where ranks ask for something else, or do not come.

    See Also
    --------
    dist.all_reduce, dist.all_gather

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.run(lambda: np.dist.reduce_scatter(np.arange(4), tiled=True), 2)
    [array([0, 2]), array([4, 6])]
    """
    return _of(group).reduce_scatter(x, op, axis, tiled)


def broadcast(x: T, root: int = 0, group: Communicator | None = None) -> T:
    """One rank's array, for all of them. (MPI_Bcast)

    It has derivatives of both modes.

    Parameters
    ----------
    x : tree of arrays
        Of one form, shape and dtype on all ranks.
    root : int
        Whose.
    group : Communicator, optional
        By default all ranks.

    Returns
    -------
    tree of arrays
        In the form of `x`.

    Raises
    ------
    ValueError
        Where there is no such rank.
    RankError
        Where ranks ask for something else, or do not come.

    See Also
    --------
    dist.all_gather, dist.permute

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.run(lambda: np.dist.broadcast(np.array([np.dist.rank()]), root=1), 2)
    [array([1]), array([1])]
    """
    return _of(group).broadcast(x, root)


def all_to_all(x: T, split_axis: int = 0, concat_axis: int = 0, tiled: bool = False, group: Communicator | None = None) -> T:
    """Sends each rank its part, and puts together what comes from the others. (MPI_Alltoall, jax.lax.all_to_all)

    With it arrays that are shared out along one axis are shared out along another one. It has derivatives of both
    modes.

    Parameters
    ----------
    x : tree of arrays
        Of one form, shape and dtype on all ranks.
    split_axis : int
        Has an element for each rank, and is gone in the result; `tiled`: is cut into a part for each rank.
    concat_axis : int
        Where the axis of what came is put in; `tiled`: the axis along which it lies.
    tiled : bool
        Whether there are as many axes as before.
    group : Communicator, optional
        By default all ranks.

    Returns
    -------
    tree of arrays
        In the form of `x`.

    Raises
    ------
    ValueError
        Where the axis has another number of elements, or can't be cut into equal parts.
    RankError
        Where ranks ask for something else, or do not come.

    See Also
    --------
    dist.permute, dist.all_gather

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.run(lambda: np.dist.all_to_all(np.arange(2) + 10 * np.dist.rank()), 2)
    [array([ 0, 10]), array([ 1, 11])]
    """
    return _of(group).all_to_all(x, split_axis, concat_axis, tiled)


def permute(x: T, pairs: Sequence[tuple[int, int]], group: Communicator | None = None) -> T:
    """Sends arrays from rank to rank. (MPI_Sendrecv, jax.lax.ppermute)

    It has derivatives of both modes.

    Parameters
    ----------
    x : tree of arrays
        Of one form, shape and dtype on all ranks.
    pairs : sequence of (int, int)
        From which rank to which; the same on all ranks.
    group : Communicator, optional
        By default all ranks.

    Returns
    -------
    tree of arrays
        In the form of `x`: what came, or zeros.

    Raises
    ------
    ValueError
        Where there is no such rank, or one sends or receives twice.
    RankError
        Where ranks ask for something else, or do not come.

    See Also
    --------
    dist.all_to_all, dist.broadcast

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.run(lambda: np.dist.permute(np.array([np.dist.rank()]), [(0, 1), (1, 2), (2, 0)]), 3)
    [array([2]), array([0]), array([1])]
    """
    return _of(group).permute(x, pairs)


def barrier(group: Communicator | None = None) -> None:
    """Waits until all ranks are here. (MPI_Barrier)

    A compiled function that does so runs as written.

    Parameters
    ----------
    group : Communicator, optional
        By default all ranks.

    Returns
    -------
    None
        When the last one has come.

    Raises
    ------
    RankError
        Where one does not come.

    See Also
    --------
    dist.all_reduce

    Examples
    --------
    >>> import fastnp as np
    >>> np.dist.barrier()
    """
    _of(group).barrier()
