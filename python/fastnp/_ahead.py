"""What is known of a function before it is called: its graph, its kernels, its machine code, of shapes and dtypes alone."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fastnp import _core, _dynamic
from fastnp._compile import compile, make
from fastnp._core import CompiledFunction
from fastnp._fallback import check_unrecorded
from fastnp._specs import Spec, check, listed, said, size_at_hand, stand_in

_NO_VALUE = "reads a value, which this recording has not"


def _parameter_names(function: Any, count: int) -> list[str]:
    parameters = _dynamic._Parameters(function)
    names = parameters.names[: parameters.positional]
    return names[:count] + [str(number) for number in range(len(names), count)]


class _Given:
    """Arguments as specs, and what takes their places."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.names = _parameter_names(function, len(args))
        self.specs = dict(zip(self.names, args, strict=True)) | kwargs
        self.args = tuple(stand_in(value, name) for name, value in zip(self.names, args, strict=True))
        self.kwargs = {name: stand_in(value, name) for name, value in kwargs.items()}
        self.count = len(args)

    def dynamic(self, options: Mapping[str, Any]) -> Any:
        """``dynamic=`` with the sizes that the specs name."""
        named: dict[Any, Any] = {}
        for place, (name, value) in enumerate(self.specs.items()):
            if isinstance(value, Spec) and value.names:
                named[place if place < self.count and name.isdigit() else name] = value.names
        if not named:
            return options["dynamic"] if options["dynamic"] is not None else False
        known = options["dynamic"]
        return {**(known if isinstance(known, Mapping) else {}), **named}


def _function_of(function: Any) -> tuple[Any, dict[str, Any], tuple[Any, ...]]:
    """(the function as written, its options, what it is called with first)"""
    bound = (function.__self__,) if hasattr(function, "__func__") else ()
    target = getattr(function, "__func__", function)
    compiled = target if isinstance(target, CompiledFunction) else compile(target)
    if not isinstance(compiled, CompiledFunction):
        raise TypeError(f"{function!r} is disabled, or is no function: there is nothing to be traced")
    return compiled.__wrapped__, dict(vars(compiled)["_options"]), bound


def _say(error: Exception) -> Exception:
    """A RecordError in words for those who gave no values."""
    return type(error)(str(error).replace(_NO_VALUE, "reads a value, and of arguments shapes and dtypes alone are known"))


def _look(compiled: Any, until: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        return compiled._ahead(until, *args, **kwargs)
    except _core.RecordError as error:
        raise _say(error) from None


def _alone(function: Any, given: _Given, options: Mapping[str, Any]) -> Any:
    """A compiled function for these arguments alone."""
    own = {**options, "fullgraph": True, "background": False, "adaptive": False, "verify": 0, "dynamic": given.dynamic(options)}
    return make(function, own, None)


_LINE = re.compile(r"^(%\d+) = (\w+)(.*) : (\w+)\[(.*)\]$")


class Traced:
    """The graph of a function for arguments of some shapes and dtypes; ``print`` it. `compiler.trace` makes it.

    Its attributes: `graph` (the text), `inputs` and `outputs` (a `Spec` each, by their order), and `ops`
    (the names of the operations, in order).

    See Also
    --------
    compiler.trace

    Examples
    --------
    >>> import fastnp as np
    >>> traced = np.compiler.trace(lambda x: np.sum(x * 2))(np.compiler.Spec(3))
    >>> traced.ops
    ['multiply', 'sum']
    >>> traced.inputs, traced.outputs
    ([Spec((3,), float64)], [Spec((), float64)])
    """

    def __init__(self, name: str, graph: str) -> None:
        self.name = name
        self.graph = graph
        lines = [_LINE.match(line) for line in graph.splitlines()]
        found = {line[1]: (line[2], _spec_of(line[4], line[5])) for line in lines if line}
        self.ops = [op for op, _ in found.values() if op not in ("parameter", "constant")]
        self.inputs = [spec for op, spec in found.values() if op == "parameter"]
        returned = [line.partition(" ")[2] for line in graph.splitlines() if line.startswith("return")]
        self.outputs = [found[each][1] for each in re.findall(r"%\d+", returned[0])] if returned else []

    def __str__(self) -> str:
        return self.graph.rstrip("\n")

    __repr__ = __str__


def _spec_of(dtype: str, sizes: str) -> Spec:
    parts = [each.strip() for each in sizes.split(",")] if sizes.strip() else []
    return Spec(tuple(int(each) if each.isdigit() else each for each in parts), dtype)


def trace(function: Callable[..., Any]) -> Callable[..., Traced]:
    """The graph of a function, of shapes and dtypes alone: ``trace(f)(Spec((3, 4)))``. (jax.make_jaxpr)

    Nothing is computed: of arrays that are given only shapes, dtypes and layouts are looked at. What the
    function does besides is noted, not done. ``np.trace`` is NumPy's sum along a diagonal, so this one
    is in `compiler` alone.

    Parameters
    ----------
    function : callable
        A function, or a compiled one.

    Returns
    -------
    callable
        It takes a `Spec`, or anything with a shape and a dtype, for each array, and what else the function
        takes as it is; it gives a `Traced`, whose text is the graph as it is recorded.

    Raises
    ------
    RecordError
        By the call: where the function reads a value (a branch on an element, say), or does what can't be
        recorded; all such places are named.
    Exception
        By the call: whatever the function raises for such arguments.

    See Also
    --------
    compiler.Spec, compiler.explain, CompiledFunction.lower

    Examples
    --------
    >>> import fastnp as np
    >>> spec = np.compiler.Spec(("n", 3))
    >>> print(np.compiler.trace(lambda x: np.sqrt(x).sum(axis=1))(spec))
    %0 = parameter (0) : float64[n, 3]
    %1 = sqrt %0 : float64[n, 3]
    %2 = sum %1 (1) : float64[n]
    return %2
    """
    check_unrecorded("compiler.trace")
    written, options, bound = _function_of(function)

    def traced(*specs: Any, **named: Any) -> Traced:
        check_unrecorded("compiler.trace")
        given = _Given(written, (*bound, *specs), named)
        compiled = _alone(written, given, options)
        found = _look(compiled, "recorded", given.args, given.kwargs)
        return Traced(str(getattr(written, "__name__", written)), found["graph"])

    return traced


class Lowered:
    """What a function becomes for arguments of some shapes and dtypes, before there is code; `CompiledFunction.lower` makes it.

    Its attributes: `graph` (as it is recorded), `ir` (the graph after the passes), `loops` (the fused loops), and
    `kernels` (a dict for each). ``print`` it for the loops.

    See Also
    --------
    CompiledFunction.lower, compiler.Specialisation

    Examples
    --------
    >>> import fastnp as np
    >>> lowered = np.compile(lambda x: x * 2 + 1).lower(np.compiler.Spec(3))
    >>> sorted(lowered.kernels[0]["ops"])
    ['add', 'multiply']
    >>> f = lowered.compile()
    >>> f(np.ones(3))
    array([3., 3., 3.])
    """

    def __init__(self, compiled: Any, given: _Given, found: Mapping[str, Any]) -> None:
        self._compiled = compiled
        self._given = given
        self.name = str(getattr(compiled, "__name__", compiled))
        self.graph = str(found["graph"]).rstrip("\n")
        entry = found["entry"]
        self.ir: str = entry["ir"].rstrip("\n")
        self.loops: str = entry["loops"].rstrip("\n")
        self.kernels: list[dict[str, Any]] = entry["kernels"]
        self.specs: dict[str, Any] = given.specs

    def compile(self) -> Specialisation:
        """The machine code, as a function of arguments that are such as the specs say. The first call compiles it."""
        found = _look(self._compiled, "compiled", self._given.args, self._given.kwargs)
        return Specialisation(self, self._compiled, found)

    def __str__(self) -> str:
        return self.loops or self.ir

    def __repr__(self) -> str:
        return f"<lowered {self.name}: {len(self.kernels)} kernels>"


class Specialisation:
    """A function compiled for arguments of some shapes and dtypes, and for no others. `Lowered.compile` makes it.

    It is called as the function is. Arguments that are not as the specs say are a TypeError (dtype, structure)
    or a ValueError (shape), which names them; it compiles nothing more.

    See Also
    --------
    CompiledFunction.lower, CompiledFunction.warmup

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: x + 1).lower(np.compiler.Spec(2)).compile()
    >>> f(np.zeros(2))
    array([1., 1.])
    >>> f(np.zeros(3))
    Traceback (most recent call last):
    ValueError: argument 'x' has shape (3,), and this is compiled for (2,)
    """

    def __init__(self, lowered: Lowered, compiled: Any, found: Mapping[str, Any]) -> None:
        self.lowered = lowered
        self._compiled = compiled
        self._frozen = compiled._frozen()
        self._given = lowered._given
        self._entry = found["entry"]
        self.__name__ = lowered.name
        self.__wrapped__ = compiled.__wrapped__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = self._given
        if _core._is_recording():
            return self.__wrapped__(*args, **kwargs)
        names = [*given.names, *map(str, range(len(given.names), len(args)))]
        named = dict(zip(names, args, strict=False)) | kwargs
        if named.keys() != given.specs.keys() or len(args) != given.count:
            raise TypeError(f"{self.__name__} is compiled for the arguments {listed(given.specs)}, not for {listed(named)}")
        sizes: dict[str, tuple[int, str]] = {}
        for name, spec in given.specs.items():
            check(spec, named[name], name, sizes)
        return self._frozen(*args, **kwargs)

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """What it runs, a dict for each kernel, as `Explanation.kernels` has them."""
        return list(self._entry["kernels"])

    def _text(self, part: str) -> str:
        return "\n".join(entry[part] for entry in self._compiled._inspect(True)[0] if entry[part])

    @property
    def llvm(self) -> str:
        """LLVM's code."""
        return self._text("llvm")

    @property
    def asm(self) -> str:
        """The machine code."""
        return self._text("asm")

    def milliseconds(self) -> dict[str, float]:
        """What its compilation took, by phase."""
        return dict(self._entry["milliseconds"])

    def memory_analysis(self) -> dict[str, int]:
        """Bytes of the arguments and of the results, by the shapes of the specs. Where a size has a name, nothing is known of it."""
        traced = Traced(self.__name__, self.lowered.graph)
        found = {"argument_bytes": _bytes_of(traced.inputs), "output_bytes": _bytes_of(traced.outputs)}
        return {name: count for name, count in found.items() if count is not None}

    def cost_analysis(self) -> dict[str, float]:
        """What is known of its kernels, in all: how many there are, and how many operations they have fused; bytes and flops where these are told."""
        kernels = self.kernels
        found: dict[str, float] = {"kernels": len(kernels), "operations": sum(len(each["ops"]) for each in kernels)}
        for name in ("bytes", "flops"):
            told = [each[name] for each in kernels if isinstance(each.get(name), (int, float))]
            if told and len(told) == len(kernels):
                found[name] = sum(told)
        return found

    def __repr__(self) -> str:
        return f"<{self.__name__}, compiled for {', '.join(f'{name}: {said(spec)}' for name, spec in self._given.specs.items())}>"


def _bytes_of(specs: Iterable[Spec]) -> int | None:
    total = 0
    for spec in specs:
        if spec.names:
            return None
        total += math.prod(map(size_at_hand, spec.shape)) * spec.dtype.itemsize
    return total


def lower(compiled: Any, /, *specs: Any, **named: Any) -> Lowered:
    """The kernels of a compiled function for such arguments (CompiledFunction.lower)."""
    check_unrecorded("compiler.CompiledFunction.lower")
    function, options = compiled.__wrapped__, vars(compiled)["_options"]
    given = _Given(function, specs, named)
    alone = _alone(function, given, options)
    return Lowered(alone, given, _look(alone, "lowered", given.args, given.kwargs))


def export(compiled: Any, specs: Any, path: Any, /, *, name: str | None = None) -> Any:
    """A library of a compiled function (CompiledFunction.export)."""
    from fastnp._export import export as to_library  # which few programs need

    return to_library(compiled, specs, path, name=name)


def warmup(compiled: Any, /, *specs: Any, **named: Any) -> int:
    """Compiles for calls to come (CompiledFunction.warmup)."""
    check_unrecorded("compiler.CompiledFunction.warmup")
    calls = [(specs, named)]
    if len(specs) == 1 and not named and type(specs[0]) is list and specs[0] and all(type(each) is tuple for each in specs[0]):
        calls = [(each, {}) for each in specs[0]]
    made = 0
    for args, kwargs in calls:
        given = _Given(compiled.__wrapped__, args, kwargs)
        for name, spec in given.specs.items():
            if isinstance(spec, Spec) and spec.names and not vars(compiled)["_options"]["dynamic"]:
                raise ValueError(f"argument {name!r} has sizes with names: compile the function with dynamic=, or give sizes")
        made += bool(_look(compiled, "compiled", given.args, given.kwargs)["is_new"])
    return made
