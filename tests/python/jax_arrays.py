"""JAX's functions of arrays, for programs that write into arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import jax


class Written:
    """A name for an array of JAX; a write gives the name another array."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __setitem__(self, key: Any, value: Any) -> None:
        self.array = self.array.at[key].set(plain(value))

    def __getitem__(self, key: Any) -> Any:
        return self.array[key]

    def __iter__(self) -> Any:
        return iter(self.array)

    def __len__(self) -> int:
        return len(self.array)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.array, name)

    def copy(self) -> Written:
        return Written(self.array)


def plain(x: Any) -> Any:
    return x.array if isinstance(x, Written) else x


def swapped(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: f(plain(b), plain(a))


def straight(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: f(plain(a), plain(b))


for _name, _f in {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "matmul": operator.matmul}.items():
    setattr(Written, f"__{_name}__", straight(_f))
    setattr(Written, f"__r{_name}__", swapped(_f))
Written.__pow__ = straight(operator.pow)  # type: ignore[attr-defined]  # a class made above
Written.__neg__ = lambda a: -a.array  # type: ignore[attr-defined]  # a class made above


def taking_written(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **options: f(*map(plain, args), **options)


class Linalg:
    norm = staticmethod(taking_written(jax.numpy.linalg.norm))


class Module:
    """jax.numpy; what zeros and the like give can be written."""

    linalg = Linalg
    pi = jax.numpy.pi

    @staticmethod
    def grad(f: Callable[..., Any]) -> Callable[..., Any]:
        return taking_written(jax.grad(f))

    def __getattr__(self, name: str) -> Any:
        f = taking_written(getattr(jax.numpy, name))
        if name in ("zeros", "zeros_like", "empty_like", "full"):
            return lambda *args, **options: Written(f(*args, **options))
        return f


def of_arrays(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function with arguments that can be written."""
    return lambda *args: f(*[Written(arg) if isinstance(arg, jax.Array) and arg.ndim else arg for arg in args])
