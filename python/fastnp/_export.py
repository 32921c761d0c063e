"""Functions as shared libraries that other processes load, without a compiler: ``export`` and ``load_exported``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy

from fastnp import _core, _dynamic
from fastnp._ahead import _alone, _function_of, _Given, _say
from fastnp._fallback import check_unrecorded
from fastnp._specs import Spec, is_spec

# Kinds of what a call gives, by their numbers in the core.
_ARRAY, _NUMBER, _ARGUMENT, _PLAIN, _TUPLE, _LIST, _DICT = 0, 1, 2, 4, 6, 7, 8


# A size that a recording is not for, as its guards say it.
_EXCLUDED = re.compile(r"(\w+)(?: - (\d+))? != 0")
_MOST_ADDED = 8


def told(tree: Any, count: int) -> str:
    """The structure of a result, as a text, of a function of so many arrays. RecordError for what only this process has."""
    return json.dumps(_told(tree, count))


def _told(tree: Any, count: int) -> Any:
    kind, index, _, is_scalar, value, children = tree
    if kind == _ARRAY:
        return {"array": index, "scalar": bool(is_scalar)}
    if kind == _NUMBER:
        return {"number": index}
    if kind == _ARGUMENT and index < count:
        return {"argument": index}
    if kind == _ARGUMENT:
        raise _core.RecordError("it gives an array or a number from outside of it, which can't be exported: give a copy (np.copy)")
    if kind == _PLAIN and (value is None or type(value) in (bool, int, float, str)):
        return {"plain": value}
    if kind in (_TUPLE, _LIST):
        return {"tuple" if kind == _TUPLE else "list": [_told(each, count) for each in children]}
    if kind == _DICT and all(type(key) in (str, int) for key in value):
        return {"dict": [[key, _told(each, count)] for key, each in zip(value, children, strict=True)]}
    raise _core.RecordError(f"it gives something that can't be exported: arrays, numbers, text and tuples, lists and dicts of these can ({value!r})")


def _leaves(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """What an argument is made of, with its name."""
    if isinstance(value, (tuple, list)):
        for number, each in enumerate(value):
            yield from _leaves(each, f"{where}[{number}]")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _leaves(each, f"{where}[{key!r}]")
    else:
        yield where, value


def _is_array(value: Any) -> bool:
    return is_spec(value) or isinstance(value, (numpy.ndarray, _core.ndarray))


def _stand_in(value: Any) -> Any:
    """Specs in the places of arrays, so that nothing is recorded of whose memory these have, or how they lie."""
    if isinstance(value, Spec) or not _is_array(value):
        if type(value) in (tuple, list):
            return type(value)(_stand_in(each) for each in value)
        return {key: _stand_in(each) for key, each in value.items()} if type(value) is dict else value
    return Spec(tuple(value.shape), value.dtype)


def export(
    function: Callable[..., Any],
    specs: Any,
    path: str | os.PathLike[str],
    /,
    *,
    name: str | None = None,
    isa: str | Sequence[str] | None = None,
) -> Exported:
    """Compiles a function for arguments of some shapes and dtypes, and writes it to a shared library and a C header.

    Processes that load the library (`load_exported` in Python, ``fastnp::Exported`` in C++, ``fastnp/exported.h``'s
    functions in C) compile nothing: they need fastnp's library, but neither LLVM nor, in C and C++, Python. What it
    computes is equal to the compiled function's to the bit. Arrays that the function reads from outside (weights) are
    in the library, and so are plain values among the arguments.

    Parameters
    ----------
    function : callable
        A function, or a compiled one.
    specs : tuple, list, dict or compiler.Spec
        What the function takes: its arguments in their order, or by name, or a single one. For each array a
        `compiler.Spec`, or anything with a shape and a dtype; sizes with names vary. What else the function takes is
        given as it is, and is part of the library.
    path : str or path
        The file; without a suffix it gets ``.so``. It appears at once, in the place of one that was there. The header
        for C and C++ has the same name with ``.h``.
    name : str, optional
        The function's name in the library, the header and errors; by default its own.
    isa : str or sequence of str, optional
        The levels of processors that code is made for: "base" (any), "v3" (with AVX2), "v4" (with AVX-512). Who opens
        the library takes the best that the processor has. By default this process's own.

    Returns
    -------
    Exported
        What `load_exported` gives for the file.

    Raises
    ------
    RecordError
        Where the function reads values while it is recorded, calls Python functions, changes objects, or runs on a
        device.
    RuntimeError
        Where the file can't be written.

    See Also
    --------
    load_exported, Exporter, ShapeDtype

    Examples
    --------
    >>> import tempfile, os
    >>> import fastnp as np
    >>> def line(x, slope):
    ...     return slope * x + 1
    >>> path = os.path.join(tempfile.mkdtemp(), "line.so")
    >>> np.export(line, (np.ShapeDtype("n"), 2.0), path)
    <exported line(x: float64(n,))>
    >>> np.load_exported(path)(np.arange(3.0))
    array([1., 3., 5.])
    """
    return Exporter(isa=isa).add(function, specs, name=name).write(path)


class Exporter:
    """Writes functions to one shared library: several of them, and each for several kinds of calls.

    Arrays that several of them read from outside are in the library once.

    Parameters
    ----------
    isa : str or sequence of str, optional
        The levels of processors that code is made for, as `export` has them.

    See Also
    --------
    export, load_exported

    Examples
    --------
    A function with its derivative, for arrays of both precisions:

    >>> import tempfile, os
    >>> import fastnp as np
    >>> def loss(w):
    ...     return np.sum(w * w)
    >>> out = np.Exporter()
    >>> for dtype in ("float64", "float32"):
    ...     _ = out.add(loss, np.ShapeDtype("n", dtype)).add(np.grad(loss), np.ShapeDtype("n", dtype), name="gradient")
    >>> path = os.path.join(tempfile.mkdtemp(), "model.so")
    >>> out.write(path)
    <exported loss(w: float64(n,)), loss(w: float32(n,))>
    >>> np.load_exported(path, "gradient")(np.arange(3, dtype="float32"))
    array([0., 2., 4.], dtype=float32)
    """

    def __init__(self, *, isa: str | Sequence[str] | None = None) -> None:
        self._parts: list[Any] = []
        self._first = 0  # of those of the last add()
        self._isa = () if isa is None else (isa,) if isinstance(isa, str) else tuple(isa)

    def add(self, function: Callable[..., Any], specs: Any, /, *, name: str | None = None) -> Exporter:
        """Compiles a function for arguments of some shapes and dtypes.

        A name that is there already makes it a further specialisation of that function. It serves the calls that
        none before it does, and takes and gives as many arrays, of the same names.

        Parameters
        ----------
        function : callable
            A function, or a compiled one.
        specs : tuple, list, dict or compiler.Spec
            What it takes, as `export` has it. Sizes that the recording is not for (1, at times) get a specialisation
            of their own.
        name : str, optional
            Its name in the library; by default its own.

        Returns
        -------
        Exporter
            This one.

        Raises
        ------
        RecordError
            As `export`.
        """
        check_unrecorded("export")
        name = str(getattr(_function_of(function)[0], "__name__", "function")) if name is None else name
        self._first = len(self._parts)
        for guard in self._add(function, specs, name):
            self._add_excluded(function, specs, name, guard)
        return self

    def _add_excluded(self, function: Callable[..., Any], specs: Any, name: str, guard: str) -> None:
        """Of a size that a recording is not for, a specialisation of its own, if the function can be called with it."""
        found = _EXCLUDED.fullmatch(guard)
        if found is None or len(self._parts) - self._first >= _MOST_ADDED:
            return
        with_size = _with_size(specs, found[1], int(found[2] or 0))
        if with_size is None:
            return
        try:
            guards = self._add(function, with_size, name)
        except Exception:  # it is an error for such sizes, which the call will say
            return
        for each in guards:
            self._add_excluded(function, with_size, name, each)

    def _add(self, function: Callable[..., Any], specs: Any, name: str) -> list[str]:
        """One specialisation. What its sizes have to be."""
        written, options, bound = _function_of(function)
        given = _given(written, bound, specs)
        compiled = _alone(written, given, options)
        leaves = [leaf for spec_name, spec in given.specs.items() for leaf in _leaves(spec, spec_name)]
        names = tuple(where for where, leaf in leaves if _is_array(leaf))
        taken = {where.partition("[")[0] for where in names}
        beside = [where for where, leaf in leaves if where not in names and where.partition("[")[0] in taken]
        if beside:
            raise _core.RecordError(f"{', '.join(beside)}: plain values beside arrays of one argument can't be exported: hand them in by themselves")
        try:
            part = compiled._exported(len(self._parts), name, names, self._isa, *given.args, **given.kwargs)
        except _core.RecordError as error:
            raise _say(error) from None
        self._parts.append(part)
        return list(part.guards)

    def write(self, path: str | os.PathLike[str], /) -> Exported:
        """Writes the library, and a C header beside it.

        Parameters
        ----------
        path : str or path
            The file, as `export` has it.

        Returns
        -------
        Exported
            Its first function.

        Raises
        ------
        ValueError
            Where nothing was added, or specialisations of one function do not take and give the same arrays.
        RuntimeError
            Where the file can't be written.
        """
        path = Path(path)
        path = path if path.suffix else path.with_suffix(".so")
        _core._write_exported(str(path), self._parts)
        return Exported(path)


def _with_size(value: Any, name: str, size: int) -> Any:
    """Specs with a number in the place of a size's name. None where that name is not among them, or may not be that number."""
    found = []

    def put(each: Any) -> Any:
        if isinstance(each, Spec):
            for place in each.shape:
                if not isinstance(place, int) and _name_of(place) == name:
                    found.append(place)
            return Spec(tuple(size if not isinstance(place, int) and _name_of(place) == name else place for place in each.shape), each.dtype)
        if type(each) in (tuple, list):
            return type(each)(map(put, each))
        return {key: put(item) for key, item in each.items()} if type(each) is dict else each

    made = put(value)
    is_allowed = all(isinstance(place, str) or (place.low <= size <= place.high and size % place.multiple_of == 0) for place in found)
    return made if found and is_allowed else None


def _name_of(place: Any) -> str:
    return place if isinstance(place, str) else str(place.name)


def _given(function: Any, bound: tuple[Any, ...], specs: Any) -> _Given:
    specs = _stand_in(specs)
    if type(specs) is dict:
        order = _dynamic._Parameters(function).names
        named = {name: specs[name] for name in sorted(specs, key=lambda name: order.index(name) if name in order else len(order))}
        return _Given(function, bound, named)
    return _Given(function, (*bound, *(specs if type(specs) in (tuple, list) else (specs,))), {})


class Exported:
    """A function that `export` or an `Exporter` wrote. It is called with its arrays, in their order, and compiles nothing.

    Plain values that the function was exported with are part of it, and are not handed in. Arrays in tuples, lists and
    dicts are handed in as the function takes them. Results are NumPy's arrays if all arguments are.

    A library is code: load none that you would not run. It is checked before any of it is run, and a damaged one is a
    ValueError.

    Parameters
    ----------
    path : str or path
        The file.
    name : str, optional
        Which of its functions; by default the first.

    Raises
    ------
    ValueError
        For a file that is not there, damaged, of a later format, for a better processor than this one, that is no
        exported function, or that has none of that name.

    See Also
    --------
    export, load_exported

    Examples
    --------
    >>> import tempfile, os
    >>> import fastnp as np
    >>> path = os.path.join(tempfile.mkdtemp(), "total.so")
    >>> f = np.export(lambda x: np.sum(x), np.ShapeDtype(3), path)
    >>> f(np.ones(3))
    np.float64(3.0)
    >>> f.parameters
    [('x', 'float64', '(3,)')]
    """

    def __init__(self, path: str | os.PathLike[str], name: str | None = None) -> None:
        self._function = _core._Exported(os.fspath(path), name or "")
        self._structure = json.loads(self._function.structure or "null")
        self.path = os.fspath(path)
        self.__name__ = self._function.name
        # What each call asks for.
        self._parameters = self._function.parameters(0)
        self._names = [name for name, _, _ in self._parameters]
        self._arguments = list(dict.fromkeys(name.partition("[")[0] for name in self._names))
        self._takes_row = self._arguments == self._names
        self._gives_first = self._structure == {"array": 0, "scalar": False}

    @property
    def parameters(self) -> list[tuple[str, str, str]]:
        """(name, dtype, shape) of each array; of several specialisations the first one's."""
        return list(self._parameters)

    @property
    def specialisations(self) -> list[list[tuple[str, str, str]]]:
        """The parameters for each kind of calls, in the order in which they are tried."""
        return [self._function.parameters(number) for number in range(self._function.specialisations)]

    @property
    def isa(self) -> str:
        """The level of processors that its code is for: the best in the library that this one has."""
        return str(self._function.isa)

    @property
    def names(self) -> list[str]:
        """Of all functions of the library."""
        return list(self._function.names)

    def __call__(self, *args: Any, **named: Any) -> Any:
        given = args if self._takes_row and not named and len(args) == len(self._names) else self._arrays(args, named)
        results = self._function(given)
        return results[0] if self._gives_first else _put_together(self._structure, results, given)

    def _arrays(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """What the library takes, in its order."""
        names, tops = self._names, self._arguments
        if len(args) + len(named) != len(tops) or not named.keys() <= set(tops[len(args) :]):
            raise TypeError(f"{self.__name__}() takes the arguments {', '.join(map(repr, tops)) or 'none'}, and was given {len(args)} and {sorted(named)}")
        values = dict(zip(tops, args, strict=False)) | named
        leaves = dict(leaf for top in tops for leaf in _leaves(values[top], top)) if not self._takes_row else values
        if leaves.keys() != set(names):
            raise TypeError(f"{self.__name__}() was exported for the arrays {', '.join(names)}, and was given {', '.join(leaves)}")
        return tuple(leaves[name] for name in names)

    def __repr__(self) -> str:
        each = [", ".join(f"{name}: {dtype}{shape}" for name, dtype, shape in one) for one in self.specialisations]
        return f"<exported {', '.join(f'{self.__name__}({one})' for one in each)}>"


def load_exported(path: str | os.PathLike[str], name: str | None = None, /) -> Exported:
    """A function that `export` wrote to a file.

    Parameters
    ----------
    path : str or path
        The file.
    name : str, optional
        Which of its functions; by default the first.

    Returns
    -------
    Exported
        The function.

    Raises
    ------
    ValueError
        For a file that is not there, damaged, of a later format, for a better processor than this one, or that is no
        exported function, or without one of that name.

    See Also
    --------
    export

    Examples
    --------
    >>> import tempfile, os
    >>> import fastnp as np
    >>> path = os.path.join(tempfile.mkdtemp(), "root.so")
    >>> _ = np.export(lambda x: np.sqrt(x), np.ShapeDtype(2), path)
    >>> np.load_exported(path)(np.array([4.0, 9.0]))
    array([2., 3.])
    """
    return Exported(path, name)


def _put_together(structure: Any, results: list[Any], given: tuple[Any, ...]) -> Any:
    if structure is None:  # of a function in C++
        return results
    ((kind, value),) = ((key, each) for key, each in structure.items() if key != "scalar")
    if kind == "array":
        return results[value][()] if structure["scalar"] else results[value]
    if kind == "number":
        return results[value].item()
    if kind == "argument":
        return given[value]
    if kind == "plain":
        return value
    if kind == "dict":
        return {key: _put_together(each, results, given) for key, each in value}
    parts = [_put_together(each, results, given) for each in value]
    return tuple(parts) if kind == "tuple" else parts
