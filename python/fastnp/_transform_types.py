"""Types of transforms for type checkers: an argument that is differentiated has the type of its derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, ParamSpec, Protocol, TypeAlias, TypeVar, TypeVarTuple

import numpy

from fastnp import _core

Function = Callable[..., Any]

P = ParamSpec("P")
A = TypeVar("A", bound=Any)
B = TypeVar("B", bound=Any)
R = TypeVar("R")
S = TypeVar("S")
Aux = TypeVar("Aux")
Primals = TypeVarTuple("Primals")
Given = TypeVar("Given", contravariant=True)
Made = TypeVar("Made", covariant=True)
Scalar: TypeAlias = float | numpy.generic | _core.ndarray | numpy.ndarray
ScalarR = TypeVar("ScalarR", bound=Scalar)


class Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


Tree: TypeAlias = tuple[Any, ...] | list[Any] | dict[Any, Any] | Dataclass
TreeA = TypeVar("TreeA", bound=Tree)


class Pullback(Protocol[Given, Made]):
    """The function that vjp() gives."""

    saved_bytes: int
    read_bytes: int
    recomputed: int

    def __call__(self, cotangents: Given, /) -> Made: ...
