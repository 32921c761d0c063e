"""Gradients that are averaged over ranks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ParamSpec, TypeVar

from fastnp import _core
from fastnp._averaging import averaged_by
from fastnp.dist._communicator import Communicator, world

P = ParamSpec("P")
R = TypeVar("R")

__all__ = ["data_parallel"]

_BUCKET_BYTES = 25 << 20


def data_parallel(function: Callable[P, R], group: Communicator | None = None, *, bucket_bytes: int = _BUCKET_BYTES) -> Callable[P, R]:
    """A function of which all gradients that it takes are averaged over ranks. (torch.nn.parallel.DistributedDataParallel)

    Each rank calls it with its own part of the data, and with the same parameters. `function` is a gradient itself
    (``np.grad(loss)``), or takes a whole step. Gradients are joined in buckets, within one compiled function where it
    is compiled. They are what the gradient of the mean of the ranks' losses is.

    Parameters
    ----------
    function : callable
        Takes gradients by `grad` or `value_and_grad`, or is one. Values are not averaged.
    group : Communicator, optional
        By default all ranks.
    bucket_bytes : int
        Gradients of one dtype travel together, up to so many bytes.

    Returns
    -------
    callable
        With the same arguments and results.

    Raises
    ------
    ValueError
        Where `bucket_bytes` is not positive.
    RankError
        When it is called: where ranks have other gradients, or do not come.

    See Also
    --------
    dist.all_reduce, grad

    Examples
    --------
    >>> import fastnp as np
    >>> def program():
    ...     x = np.array([1.0, 2.0]) + np.dist.rank()
    ...     gradient = np.dist.data_parallel(np.grad(lambda w: np.sum(w * x)))
    ...     return gradient(np.zeros(2))
    >>> np.dist.run(program, 2)
    [array([1.5, 2.5]), array([1.5, 2.5])]
    """
    if bucket_bytes <= 0:
        raise ValueError(f"bucket_bytes must be positive, not {bucket_bytes}")

    def join(gradients: Sequence[Any]) -> list[Any]:
        ranks = world() if group is None else group
        joined = list(gradients)
        for bucket in _buckets(joined, bucket_bytes):
            for place, made in zip(bucket, _mean([joined[place] for place in bucket], ranks), strict=True):
                joined[place] = made
        return joined

    mode = _mode_of(group, bucket_bytes)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        before = _core._set_rank_mode(mode)
        try:
            with averaged_by(join):
                return function(*args, **kwargs)
        finally:
            _core._set_rank_mode(before)

    return call


_modes: dict[tuple[tuple[int, ...] | None, int], int] = {}


def _mode_of(group: Communicator | None, bucket_bytes: int) -> int:
    """A number for what compiled functions hold of it."""
    return _modes.setdefault((None if group is None else tuple(group.ranks), bucket_bytes), len(_modes) + 1)


def _buckets(arrays: Sequence[Any], most: int) -> Iterator[list[int]]:
    """Places of arrays of one dtype, the last ones first: a backward pass has them ready first."""
    open_: dict[Any, list[int]] = {}
    sizes: dict[Any, int] = {}
    for place in reversed(range(len(arrays))):
        array = arrays[place]
        bucket = open_.setdefault(array.dtype, [])
        bucket.append(place)
        sizes[array.dtype] = sizes.get(array.dtype, 0) + array.nbytes
        if sizes[array.dtype] >= most:
            yield open_.pop(array.dtype)
            del sizes[array.dtype]
    yield from open_.values()


def _mean(arrays: Sequence[Any], ranks: Communicator) -> list[Any]:
    if len(arrays) == 1:
        return [ranks.all_reduce(arrays[0], "mean")]
    whole = ranks.all_reduce(_core.concatenate([_core.ravel(array) for array in arrays]), "mean")
    made, start = [], 0
    for array in arrays:
        made.append(_core.reshape(whole[start : start + array.size], array.shape))
        start += array.size
    return made
