"""The back ends of ``compile``: what is made of the operations that a function does."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy

from fastnp import _core
from fastnp._core import ndarray
from fastnp._fallback import check_unrecorded
from fastnp._graph import Graph as Graph, GraphFunction, Node as Node


class BackendInfo(NamedTuple):
    """What a back end of ``compile`` does; `compiler.backend_info` gives it.

    Its fields: `name`, `aliases` (other names for it), `simplifies` (whether passes rewrite the
    recorded operations), `fuses` (whether operations share loops), `kernels` (what does the steps:
    "precompiled", "interpreted", "LLVM without passes", "LLVM" or "a user's") and `doc` (a line that
    says so).

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
        Their names, without aliases; then those of `register_backend`.

    Raises
    ------
    RecordError
        In a compiled function with ``fullgraph=True``: it is no part of a recording.

    See Also
    --------
    compile, compiler.backend_info, compiler.register_backend

    Examples
    --------
    >>> import fastnp as np
    >>> np.compiler.list_backends()[:6]
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


class BackendError(RuntimeError):
    """A back end that was registered raised an error, or gave something that is no result; the message names it."""


def register_backend(name: str, backend: Callable[[Graph, list[ndarray]], GraphFunction] | None, *, recorded: bool = False) -> None:
    """Has ``compile(backend=name)`` compute the values of functions with a function of one's own.

    ``backend(graph, example_inputs)`` is called once for each kind of arguments. It gives a function of
    arrays, one for each input of the graph, that gives a sequence of arrays, one for each output.
    What arranges results (transposes, slices), writes to arguments and calls functions of the outside
    stays around it. (torch._dynamo.register_backend)

    Parameters
    ----------
    name : str
        A name that is none of fastnp's own. One that was registered before is given anew, for what
        is compiled from now on.
    backend : callable or None
        None takes the name back. It may walk, print, run and change the graph (`compiler.Graph`), and hand it on:
        ``graph.compile("llvm")``.
    recorded : bool, default False
        Whether it is given the graph as it was recorded, before the passes that rewrite it.

    Returns
    -------
    None
        Compiled functions may name it.

    Raises
    ------
    ValueError
        For the name of a back end of fastnp's.
    TypeError
        Where `backend` can't be called.
    RecordError
        In a compiled function with ``fullgraph=True``: it is no part of a recording.

    See Also
    --------
    compile, compiler.Graph, compiler.list_backends

    Notes
    -----
    Calls raise BackendError where `backend`, or what it gives, raises an error; TypeError and
    ValueError where a result is not as the graph says. Where operations may raise errors that depend
    on values, an IndexError or ValueError has the call run as written, which raises it. Sizes are numbers: each size is compiled for
    itself. A function with a size that depends on values runs as written.

    Examples
    --------
    >>> import fastnp as np
    >>> def counting(graph, example_inputs):
    ...     print(len(graph.nodes), "nodes")
    ...     return graph.compile("llvm")
    >>> np.compiler.register_backend("counting", counting)
    >>> f = np.compile(lambda x: np.exp(x) + 1, backend="counting")
    >>> f(np.zeros(2)), f(np.zeros(2))
    4 nodes
    (array([2., 2.]), array([2., 2.]))
    """
    check_unrecorded("compiler.register_backend")
    if backend is None:
        _core._register_backend(name, None)
        return
    if not callable(backend):
        raise TypeError(f"register_backend: a backend is a function of a graph and arrays, not {backend!r}")

    def made(graph: _core._Graph, examples: list[ndarray]) -> Callable[[list[ndarray]], list[ndarray]]:
        try:
            function = backend(Graph(graph), examples)
        except Exception as error:
            raise BackendError(f"backend {name!r} could not compile a graph: {type(error).__name__}: {error}") from error
        if not callable(function):
            raise BackendError(f"backend {name!r} is to give a function of arrays, and gives {type(function).__name__}")

        may_raise = graph.may_raise()

        def run(arrays: list[ndarray]) -> list[ndarray]:
            try:
                results = function(*arrays)
                if not isinstance(results, (list, tuple)):
                    raise TypeError(f"a sequence of arrays is to be given, not {type(results).__name__}")
                return [each if type(each) is ndarray else _core.asarray(numpy.array(each)) for each in results]
            except Exception as error:
                if may_raise and isinstance(error, (IndexError, ValueError)):
                    raise  # the function as written tells of it
                raise BackendError(f"backend {name!r} could not compute a graph: {type(error).__name__}: {error}") from error

        return run

    _core._register_backend(name, made, recorded)
