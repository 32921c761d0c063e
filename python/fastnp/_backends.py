"""The back ends of ``compile``: what is made of the operations that a function does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy

from fastnp import _core
from fastnp._core import ndarray
from fastnp._fallback import check_unrecorded

GraphFunction = Callable[..., Sequence[Any]]


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


class Node:
    """A value of a `compiler.Graph`, and the operation that computes it.

    Its attributes: `number` (its place among the nodes), `op` (the operation's name), `inputs` (the
    nodes that it is computed from), `dtype`, `shape`, and `attributes`, a dict of what the operation
    is told besides: "ints" (axes, permutations, steps, flags), "dims" (sizes, starts, widths) and
    "scalar" (of a constant), as the catalogue in the reference of C++ says.

    See Also
    --------
    compiler.Graph

    Examples
    --------
    >>> import fastnp as np
    >>> def show(graph, example_inputs):
    ...     node = graph.outputs[0]
    ...     print(node.op, node.shape, node.dtype, node.attributes, [each.op for each in node.inputs])
    ...     return graph.compile()
    >>> np.compiler.register_backend("show", show)
    >>> _ = np.compile(lambda x: np.sum(x, axis=1), backend="show")(np.ones((2, 3)))
    sum (2,) float64 {'ints': (1,)} ['parameter']
    """

    __slots__ = ("attributes", "dtype", "inputs", "number", "op", "shape", "text")

    number: int
    op: str
    inputs: tuple[Node, ...]
    dtype: numpy.dtype[Any]
    shape: tuple[int, ...]
    attributes: dict[str, Any]
    text: str

    def __init__(self, number: int, op: str, inputs: tuple[Node, ...], dtype: Any, shape: tuple[int, ...], attributes: dict[str, Any], text: str) -> None:
        for name, value in zip(
            ("number", "op", "inputs", "dtype", "shape", "attributes", "text"), (number, op, inputs, dtype, shape, attributes, text), strict=True
        ):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"nodes of a graph don't change: Graph.replace makes another graph, not {name} = ...")

    def __repr__(self) -> str:
        return self.text


class Graph:
    """The operations that a function does, as a back end of `compiler.register_backend` is given them.

    It never changes; ``print(graph)`` shows a line a node. `nodes`, `inputs` and `outputs` are tuples
    of `compiler.Node`, operands before what is computed from them. All sizes are numbers.

    See Also
    --------
    compiler.register_backend, compiler.Node

    Examples
    --------
    >>> import fastnp as np
    >>> def show(graph, example_inputs):
    ...     print(graph)
    ...     return graph.run
    >>> np.compiler.register_backend("show", show)
    >>> np.compile(lambda x, y: np.exp(x) * y, backend="show")(np.zeros(2), np.ones(2))
    %0 = parameter (0) : float64[2]
    %1 = parameter (1) : float64[2]
    %2 = exp %0 : float64[2]
    %3 = multiply %2, %1 : float64[2]
    return %3
    array([1., 1.])
    """

    __slots__ = ("_graph", "inputs", "nodes", "outputs")

    def __init__(self, graph: _core._Graph) -> None:
        nodes: list[Node] = []
        for number, op, inputs, dtype, shape, attributes, text in graph.nodes():
            nodes.append(Node(number, op, tuple(nodes[each] for each in inputs), dtype, shape, attributes, text))
        self._graph = graph
        self.nodes = tuple(nodes)
        self.inputs = tuple(nodes[each] for each in graph.inputs())
        self.outputs = tuple(nodes[each] for each in graph.outputs())

    def __str__(self) -> str:
        return self._graph.text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<Graph of {len(self.nodes)} nodes, {len(self.inputs)} inputs and {len(self.outputs)} outputs>"

    def run(self, *arrays: Any) -> list[ndarray]:
        """Computes it operation by operation, on precompiled kernels.

        Parameters
        ----------
        *arrays : array_like
            One for each input, of its dtype and shape.

        Returns
        -------
        list of ndarray
            One for each output.

        Raises
        ------
        ValueError
            For arrays that are not like the inputs.

        See Also
        --------
        compiler.Graph.compile

        Examples
        --------
        >>> import fastnp as np
        >>> np.compiler.register_backend("run", lambda graph, example_inputs: graph.run)
        >>> np.compile(lambda x: x + 1, backend="run")(np.zeros(2))
        array([1., 1.])
        """
        return self._graph.run([_core.asarray(each) for each in arrays])

    def compile(self, backend: str = "llvm") -> GraphFunction:
        """What another back end makes of it.

        Parameters
        ----------
        backend : str, default 'llvm'
            One of `compiler.list_backends`.

        Returns
        -------
        callable
            Takes an array for each input, and gives a list of one for each output. Code is made when it
            is first called.

        Raises
        ------
        ValueError
            For a back end of another name.

        See Also
        --------
        compiler.Graph.run

        Examples
        --------
        >>> import fastnp as np
        >>> np.compiler.register_backend("on", lambda graph, example_inputs: graph.compile("interpreter"))
        >>> np.compile(lambda x: x + 1, backend="on")(np.zeros(2))
        array([1., 1.])
        """
        made = self._graph.compile(backend)

        def compiled(*arrays: Any) -> list[ndarray]:
            return made([_core.asarray(each) for each in arrays])

        return compiled

    def replace(self, node: Node, op: str | Callable[..., Any], inputs: Sequence[Node] | None = None) -> Graph:
        """A graph in which a node is computed in another way.

        Parameters
        ----------
        node : Node
            One of this graph's, but for inputs.
        op : str or callable
            The name of a function of fastnp's ("multiply"), or a function, that is called with arrays
            that stand for the nodes of `inputs` and gives one.
        inputs : sequence of Node, optional
            Of this graph, and before `node`. None: those of `node`.

        Returns
        -------
        Graph
            Another one; this one stays as it is.

        Raises
        ------
        ValueError
            Where the result has another dtype or shape than the node, and for nodes of other graphs.

        See Also
        --------
        compiler.Graph.compile

        Examples
        --------
        >>> import fastnp as np
        >>> def without_division(graph, example_inputs):
        ...     for node in graph.nodes:
        ...         if node.op == "divide":
        ...             graph = graph.replace(node, lambda x, y: x * np.reciprocal(y))
        ...             break
        ...     print(graph)
        ...     return graph.compile()
        >>> np.compiler.register_backend("without_division", without_division)
        >>> np.compile(lambda x, y: x / y, backend="without_division")(np.ones(2), np.full(2, 4.0))
        %0 = parameter (0) : float64[2]
        %1 = parameter (1) : float64[2]
        %2 = reciprocal %1 : float64[2]
        %3 = multiply %0, %2 : float64[2]
        return %3
        array([0.25, 0.25])
        """
        given = node.inputs if inputs is None else tuple(inputs)
        for each in (node, *given):
            if each.number >= len(self.nodes) or self.nodes[each.number] is not each:
                raise ValueError(f"Graph.replace: {each!r} is a node of another graph")
        if isinstance(op, str):
            import fastnp  # where a graph is changed

            function = getattr(fastnp, op, None)
            if not callable(function):
                raise ValueError(f"Graph.replace: fastnp has no function {op!r}")
        else:
            function = op
        return Graph(self._graph.replace(node.number, lambda arrays: _core.asarray(function(*arrays)), [each.number for each in given]))


def register_backend(name: str, backend: Callable[[Graph, list[ndarray]], GraphFunction] | None) -> None:
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
                return [each if isinstance(each, ndarray) else _core.asarray(numpy.array(each)) for each in results]
            except Exception as error:
                if may_raise and isinstance(error, (IndexError, ValueError)):
                    raise  # the function as written tells of it
                raise BackendError(f"backend {name!r} could not compute a graph: {type(error).__name__}: {error}") from error

        return run

    _core._register_backend(name, made)
