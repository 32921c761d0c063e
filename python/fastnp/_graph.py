"""Graphs of recorded operations, for back ends of users and for what finds faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from fastnp import _core
from fastnp._core import ndarray

GraphFunction = Callable[..., Sequence[Any]]


class Node:
    """A value of a `compiler.Graph`, and the operation that computes it.

    Its attributes: `number` (its place among the nodes), `op` (the operation's name), `inputs` (the
    nodes that it is computed from), `dtype`, `shape`, and `attributes`, a dict of what the operation
    is told besides: "ints" (axes, permutations, steps, flags), "dims" (sizes, starts, widths) and
    "scalar" (of a constant), as the catalogue in the reference of C++ says. `place` is the user's line.

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

    __slots__ = ("attributes", "dtype", "inputs", "number", "op", "place", "shape", "text")

    number: int
    op: str
    inputs: tuple[Node, ...]
    dtype: numpy.dtype[Any]
    shape: tuple[int, ...]
    attributes: dict[str, Any]
    text: str
    place: str

    def __init__(self, number: int, op: str, inputs: tuple[Node, ...], *others: Any) -> None:
        names = ("number", "op", "inputs", "dtype", "shape", "attributes", "text", "place")
        for name, value in zip(names, (number, op, inputs, *others), strict=True):
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
        for number, op, inputs, *others in graph.nodes():
            nodes.append(Node(number, op, tuple(nodes[each] for each in inputs), *others))
        self._graph = graph
        self.nodes = tuple(nodes)
        self.inputs = tuple(nodes[each] for each in graph.inputs())
        self.outputs = tuple(nodes[each] for each in graph.outputs())

    @classmethod
    def parse(cls, text: str) -> Graph:
        """The graph of a text, as ``print(graph)`` shows it.

        Parameters
        ----------
        text : str
            A line a node; empty lines and comments (``; ...``) are left out.

        Returns
        -------
        Graph
            Its text is that text again.

        Raises
        ------
        ValueError
            Where it is none, with line and column; where dtypes or shapes are not what the operations
            give; for calls of functions of the outside and sizes that vary.

        See Also
        --------
        compiler.Graph.part

        Examples
        --------
        >>> import fastnp as np
        >>> graph = np.compiler.Graph.parse("%0 = parameter (0) : float64[2]\\n%1 = exp %0 : float64[2]\\nreturn %1")
        >>> graph.run(np.zeros(2))
        [array([1., 1.])]
        """
        return cls(_core._Graph.parse(text))

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

    def part(self, outputs: Sequence[Node], inputs: Sequence[Node] | None = None) -> Graph:
        """The graph that computes other values of this one.

        Parameters
        ----------
        outputs : sequence of Node
            What it gives.
        inputs : sequence of Node, optional
            What it is given, in this order, whether it is needed or not. None: the inputs of this graph.

        Returns
        -------
        Graph
            Another one; this one stays as it is.

        Raises
        ------
        ValueError
            For nodes of other graphs, and where an input of this graph is needed that is none of `inputs`.

        See Also
        --------
        compiler.Graph.parse, compiler.Graph.replace

        Examples
        --------
        >>> import fastnp as np
        >>> def halves(graph, example_inputs):
        ...     print(graph.part(graph.outputs, graph.outputs[0].inputs))
        ...     return graph.run
        >>> np.compiler.register_backend("halves", halves)
        >>> np.compile(lambda x: np.exp(x) * np.sin(x), backend="halves")(np.zeros(2))
        %0 = parameter (0) : float64[2]
        %1 = parameter (1) : float64[2]
        %2 = multiply %0, %1 : float64[2]
        return %2
        array([0., 0.])
        """
        given = self.inputs if inputs is None else tuple(inputs)
        self._check(*outputs, *given)
        return Graph(self._graph.part([each.number for each in outputs], [each.number for each in given]))

    def passes(self, backend: str = "llvm") -> list[tuple[str, str]]:
        """The graph after each pass of a back end that changes it.

        Parameters
        ----------
        backend : str, default 'llvm'
            One of `compiler.list_backends`.

        Returns
        -------
        list of (str, str)
            The pass's name, and a text of the graph.

        Raises
        ------
        ValueError
            For a back end of another name.

        See Also
        --------
        compiler.Graph.parse

        Examples
        --------
        >>> import fastnp as np
        >>> graph = np.compiler.Graph.parse("%0 = parameter (0) : float64[2]\\n%1 = exp %0 : float64[2]\\nreturn %1")
        >>> [name for name, text in graph.passes("eager")]
        []
        """
        return self._graph.passes(backend)

    def _check(self, *nodes: Node) -> None:
        for each in nodes:
            if each.number >= len(self.nodes) or self.nodes[each.number] is not each:
                raise ValueError(f"{each!r} is a node of another graph")

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
        self._check(node, *given)
        if isinstance(op, str):
            import fastnp  # where a graph is changed

            function = getattr(fastnp, op, None)
            if not callable(function):
                raise ValueError(f"Graph.replace: fastnp has no function {op!r}")
        else:
            function = op
        return Graph(self._graph.replace(node.number, lambda arrays: _core.asarray(function(*arrays)), [each.number for each in given]))
