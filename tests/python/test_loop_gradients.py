"""Gradients of programs with loops: against differences of what NumPy computes, and against JAX, where that is installed."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import loop_gradient_functions
import numpy
import pytest
from loop_gradient_functions import PROGRAMS, Program

import fastnp as np

pytestmark = pytest.mark.part(8)


def over(module: Any) -> dict[str, Any]:
    """The programs with another module instead of fastnp and NumPy."""
    names = {**vars(loop_gradient_functions), "np": module, "numpy": module}
    for name, value in list(names.items()):
        if isinstance(value, types.FunctionType) and value.__module__ == loop_gradient_functions.__name__:
            names[name] = types.FunctionType(value.__code__, names, name, value.__defaults__)
    return names


class NumPy:
    grad = staticmethod(np.grad)

    def __getattr__(self, name: str) -> Any:
        return getattr(numpy, name)


OF_NUMPY = over(NumPy())


def leaves(tree: Any) -> list[Any]:
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in leaves(part)]
    return [numpy.asarray(tree)]


def like(tree: Any, parts: Any) -> Any:
    """The tree with others as its leaves, from an iterator."""
    if isinstance(tree, (list, tuple)):
        return type(tree)(like(part, parts) for part in tree)
    return next(parts)


def moved(tree: Any, tangent: Any, by: float) -> Any:
    return like(tree, iter([a + by * b for a, b in zip(leaves(tree), leaves(tangent), strict=True)]))


def with_parts(args: tuple[Any, ...], by: tuple[int, ...], parts: Any) -> tuple[Any, ...]:
    return tuple(parts[by.index(i)] if i in by else arg for i, arg in enumerate(args))


def slope(f: Callable[..., Any], args: tuple[Any, ...], by: tuple[int, ...], tangents: Any, h: float = 1e-4) -> float:
    """Along tangents, by differences of fourth order."""
    given = tuple(args[i] for i in by)
    at = [float(f(*with_parts(args, by, moved(given, tangents, k * h)))) for k in (-2, -1, 1, 2)]
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h)


def gradient_by_differences(name: str, args: tuple[Any, ...], by: tuple[int, ...]) -> list[Any]:
    given = tuple(args[i] for i in by)
    found = []
    for number, leaf in enumerate(leaves(given)):
        gradient = numpy.zeros(leaf.shape)
        for index in numpy.ndindex(leaf.shape):
            units = [numpy.zeros(other.shape) for other in leaves(given)]
            units[number][index] = 1.0
            gradient[index] = slope(OF_NUMPY[name], args, by, like(given, iter(units)))
        found.append(gradient)
    return found


def agree(found: Any, wanted: Any, tolerance: float) -> None:
    found, wanted = leaves(found), leaves(wanted)
    scale = max(float(numpy.max(numpy.abs(b), initial=0.0)) for b in wanted)
    for a, b in zip(found, wanted, strict=True):
        assert a.shape == b.shape
        numpy.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale)


def of_fastnp(given: tuple[Any, ...]) -> tuple[Any, ...]:
    args = list(given)
    for i, arg in enumerate(args):
        if isinstance(arg, list):
            args[i] = [np.asarray(a) for a in arg]
        elif isinstance(arg, numpy.ndarray):
            args[i] = np.asarray(arg)
    return tuple(args)


FORMS: dict[str, Callable[[Program], Callable[..., Any]]] = {
    "eager": lambda program: np.grad(program.f, argnums=program.by),
    "compiled": lambda program: np.compile(np.grad(program.f, argnums=program.by)),
    "of compiled": lambda program: np.grad(np.compile(program.f), argnums=program.by),
    "compiled with value": lambda program: np.compile(np.value_and_grad(program.f, argnums=program.by)),
}
WANTED: dict[str, list[Any]] = {}


def wanted(name: str) -> list[Any]:
    if name not in WANTED:
        WANTED[name] = [gradient_by_differences(name, args, PROGRAMS[name].by) for args in PROGRAMS[name].cases]
    return WANTED[name]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_against_differences(name: str, form: str) -> None:
    program = PROGRAMS[name]
    gradient = FORMS[form](program)
    order = [0, 1, 2] if form == "eager" else [0, 1, 2, 0, 2]
    for call, case in enumerate(order):
        args = program.cases[case]
        found = gradient(*(args if call % 2 else of_fastnp(args)))
        if form == "compiled with value":
            value, found = found
            agree(value, OF_NUMPY[name](*args), 1e-12)
        assert all(a.dtype == numpy.float64 for a in leaves(found))
        agree(found, wanted(name)[case], 1e-5 if name == "sinkhorn" else 1e-7)  # it ends before it is exact


@pytest.mark.parametrize("name", PROGRAMS)
def test_against_jax(name: str) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    import jax_arrays

    program = PROGRAMS[name]
    theirs = jax.grad(jax_arrays.of_arrays(over(jax_arrays.Module())[name]), argnums=program.by)
    eager, compiled = FORMS["eager"](program), FORMS["compiled"](program)
    for args in program.cases[:: len(program.cases) - 1]:
        found = theirs(*jax.tree_util.tree_map(lambda x: jax.numpy.asarray(x) if isinstance(x, numpy.ndarray) else x, args))
        agree(eager(*args), found, 1e-9)
        agree(compiled(*args), found, 1e-9)


@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_mode(name: str) -> None:
    program = PROGRAMS[name]

    def along(args: Any, tangents: Any) -> Any:
        return np.jvp(lambda *parts: program.f(*with_parts(args, program.by, parts)), tuple(args[i] for i in program.by), tangents)

    compiled = np.compile(along)
    for case, args in enumerate(program.cases):
        args = of_fastnp(args)
        given = tuple(args[i] for i in program.by)
        tangents = like(given, iter([np.asarray(numpy.random.default_rng(case).normal(size=leaf.shape)) for leaf in leaves(given)]))
        change = sum(float(numpy.sum(a * b)) for a, b in zip(wanted(name)[case], leaves(tangents), strict=True))
        for found in (along(args, tangents), compiled(args, tangents)):
            agree(found, (OF_NUMPY[name](*program.cases[case]), change), 1e-6)


@pytest.mark.parametrize("name", [name for name, program in PROGRAMS.items() if program.is_mapped])
def test_mapped(name: str) -> None:
    program = PROGRAMS[name]
    args = program.cases[0]
    many = [tuple(a if not isinstance(a, numpy.ndarray) else a * s for a in args) for s in (1.0, 0.9, 1.05)]
    axes = tuple(0 if isinstance(a, numpy.ndarray) else None for a in args)
    stacked = tuple(np.stack([np.asarray(a[i]) for a in many]) if axis == 0 else args[i] for i, axis in enumerate(axes))
    gradient = np.grad(program.f, argnums=program.by)
    each = [leaves(gradient(*a)) for a in many]
    together = [numpy.stack(parts) for parts in zip(*each, strict=True)]
    mapped = np.vmap(gradient, in_axes=axes)
    agree(mapped(*stacked), together, 1e-10)
    compiled = np.compile(mapped)
    for _ in range(2):
        agree(compiled(*stacked), together, 1e-10)
    turned = tuple(a[::-1] if axis == 0 else a for a, axis in zip(stacked, axes, strict=True))
    agree(compiled(*turned), [part[::-1] for part in together], 1e-10)


@pytest.mark.parametrize("name", [name for name, program in PROGRAMS.items() if program.is_single])
def test_single_precision(name: str) -> None:
    program = PROGRAMS[name]
    for form in ("eager", "compiled", "of compiled"):
        gradient = FORMS[form](program)
        for case, args in enumerate(program.cases):
            found = gradient(*[a.astype(numpy.float32) if isinstance(a, numpy.ndarray) else a for a in args])
            assert all(a.dtype == numpy.float32 for a in leaves(found))
            agree(found, wanted(name)[case], 5e-5)
