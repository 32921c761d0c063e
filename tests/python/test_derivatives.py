"""Every op of the catalogue: its derivative by forward mode against finite differences and against reverse mode, its batching against a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np
from fastnp import _core

pytestmark = pytest.mark.part(2)

ROWS = {name: {"name": name, "kind": kind, "operands": operands} for name, kind, operands, *_ in _core._catalogue()}
HIDDEN = {"frexp_mantissa": lambda x: np.frexp(x)[0], "modf_fraction": lambda x: np.modf(x)[0]}
WITHOUT = {"spacing", "nextafter"}  # whose derivative nobody knows
STEPS = {"sign", "rint", "floor", "ceil", "trunc", "imag", "floor_divide", "heaviside"}
RANGES = {"arccosh": (1.2, 3.0), "arcsin": (-0.9, 0.9), "arccos": (-0.9, 0.9), "arctanh": (-0.9, 0.9), "log1p": (-0.5, 2.0)}
POSITIVE = {
    "sqrt",
    "cbrt",
    "log",
    "log2",
    "log10",
    "reciprocal",
    "power",
    "float_power",
    "frexp_mantissa",
    "logaddexp",
    "logaddexp2",
    "arctan2",
    "hypot",
    "divide",
}


def is_floating(row: dict[str, Any]) -> bool:
    if row["kind"] != "map" or row["name"] in ("cast", "select", "frexp_exponent", "from_parts"):
        return False
    try:
        found = function_of(row["name"])(*[numpy.array([1.5])] * row["operands"])
    except TypeError:
        return False
    return numpy.asarray(found).dtype == numpy.float64


def function_of(name: str) -> Callable[..., Any]:
    return HIDDEN.get(name) or getattr(np, name)


MAPS = [name for name, row in ROWS.items() if is_floating(row)]


def sample(name: str, shape: tuple[int, ...], seed: int) -> Any:
    rng = numpy.random.default_rng(seed)
    low, high = RANGES.get(name, (0.3, 2.7) if name in POSITIVE else (-2.7, 2.7))
    x = rng.uniform(low, high, shape)
    return np.asarray(numpy.where(numpy.abs(x - numpy.rint(x)) < 1e-3, x + 0.01, x))  # away from steps


def directional(f: Callable[..., Any], args: list[Any], tangents: list[Any], h: float = 1e-6) -> Any:
    up = f(*[x + h * t for x, t in zip(args, tangents, strict=True)])
    down = f(*[x - h * t for x, t in zip(args, tangents, strict=True)])
    return (numpy.asarray(up) - numpy.asarray(down)) / (2 * h)


def check(f: Callable[..., Any], args: list[Any], seed: int = 0, tolerance: float = 2e-6, h: float = 1e-6, match: float = 1e-9) -> None:
    """Forward mode against differences, reverse mode against forward, compiled against not."""
    rng = numpy.random.default_rng(seed)
    tangents = [np.asarray(rng.normal(size=x.shape)) for x in args]
    value, change = np.jvp(f, tuple(args), tuple(tangents))
    numpy.testing.assert_allclose(numpy.asarray(value), numpy.asarray(f(*args)), rtol=1e-13, atol=1e-13)
    numpy.testing.assert_allclose(numpy.asarray(change), directional(f, args, tangents, h), rtol=tolerance, atol=tolerance)
    weights = np.asarray(rng.normal(size=numpy.shape(value)))

    def weighted(*xs: Any) -> Any:
        return np.sum(f(*xs) * weights)

    gradients = np.grad(weighted, argnums=tuple(range(len(args))))(*args)
    for gradient, x in zip(gradients, args, strict=True):
        assert gradient.shape == x.shape and gradient.dtype == x.dtype
    forward = float(np.sum(change * weights))
    backward = sum(float(np.sum(g * t)) for g, t in zip(gradients, tangents, strict=True))
    assert abs(forward - backward) <= match * (1 + abs(forward)), (forward, backward)
    compiled = np.compile(np.grad(weighted, argnums=tuple(range(len(args)))), fullgraph=True)
    for _ in range(2):
        for a, b in zip(compiled(*args), gradients, strict=True):
            numpy.testing.assert_allclose(numpy.asarray(a), numpy.asarray(b), rtol=1e-12, atol=1e-14)


def check_map(f: Callable[..., Any], args: list[Any]) -> None:
    """vmap over a first axis of all, and of each alone, against a loop."""
    for mapped in [tuple(range(len(args))), *[(i,) for i in range(len(args))]]:
        axes = tuple(0 if i in mapped else None for i in range(len(args)))
        given = [x if i in mapped else x[0] for i, x in enumerate(args)]
        wanted = numpy.stack([numpy.asarray(f(*[x[k] if i in mapped else x for i, x in enumerate(given)])) for k in range(args[0].shape[0])])
        found = np.vmap(f, in_axes=axes)(*given)
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        numpy.testing.assert_allclose(numpy.asarray(found), wanted, rtol=1e-12, atol=1e-14)


SHAPES = {1: [[(2, 3)], [()], [(0, 2)]], 2: [[(2, 3), (2, 3)], [(2, 3), (3,)], [(2, 1), (1, 3)], [(), (3,)], [(0, 3), (3,)]]}


@pytest.mark.parametrize("name", [name for name in MAPS if name not in WITHOUT])
def test_elementwise(name: str) -> None:
    f = function_of(name)
    for number, shapes in enumerate(SHAPES[ROWS[name]["operands"]]):
        args = [sample(name, shape, 10 * number + i) for i, shape in enumerate(shapes)]
        if name == "ldexp":
            continue
        check(f, args)
    args = [sample(name, (3, 2, 2), i) for i in range(ROWS[name]["operands"])]
    if name == "ldexp":
        return
    check_map(f, args)
    check(f, [sample(name, (6, 4), i)[::2, ::-1].T for i in range(ROWS[name]["operands"])])


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_without_a_derivative(name: str) -> None:
    args = [np.ones(2)] * ROWS[name]["operands"]
    with pytest.raises(TypeError, match=f"{name} has no derivative"):
        np.grad(lambda *xs: np.sum(function_of(name)(*xs)))(*args)


def total_of(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: np.sum(f(*xs))


def test_steps_are_constants() -> None:
    for name in STEPS:
        args = [sample(name, (3,), i) for i in range(ROWS[name]["operands"])]
        assert not numpy.any(np.grad(total_of(function_of(name)))(*args))


INDICES = np.array([2, 0, 2, 1])
MATRIX = np.asarray(numpy.random.default_rng(5).normal(size=(3, 3)))


def updated(x: Any, y: Any) -> Any:
    z = x * 2
    z[1:, ::2] = y
    z[0] *= z[-1]
    return z


def scattered(x: Any, y: Any) -> Any:
    z = x.copy()
    z[INDICES] = y
    return z


def added_at(x: Any, y: Any) -> Any:
    z = x.copy()
    np.add.at(z, INDICES, y)
    return z


def combined_at(ufunc: str, indices: Any = INDICES) -> Callable[..., Any]:
    def f(x: Any, y: Any) -> Any:
        z = x * 1.5
        getattr(np, ufunc).at(z, indices, y)
        return z * x

    return f


def rng(*shape: int) -> Any:
    return np.asarray(numpy.random.default_rng(sum(shape) + 1).normal(size=shape))


OTHERS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "sum": (lambda x: np.sum(x), [rng(2, 3)]),
    "sum axis": (lambda x: np.sum(x, axis=1), [rng(2, 3)]),
    "sum keepdims": (lambda x: np.sum(x, axis=(0, 2), keepdims=True), [rng(2, 3, 2)]),
    "sum where": (lambda x: np.sum(x, axis=0, where=np.array([[True, False, True], [False, True, True]])), [rng(2, 3)]),
    "mean": (lambda x: np.mean(x, axis=0), [rng(2, 3)]),
    "var": (lambda x: np.var(x, axis=-1, ddof=1), [rng(2, 3)]),
    "std": (lambda x: np.std(x), [rng(2, 3)]),
    "prod": (lambda x: np.prod(x, axis=1), [rng(2, 3)]),
    "prod of all": (lambda x: np.prod(x), [rng(2, 3)]),
    "prod with zeros": (lambda x: np.prod(x * np.array([1.0, 0.0, 2.0]), axis=0), [rng(3)]),
    "max": (lambda x: np.max(x, axis=0), [rng(4, 3)]),
    "min": (lambda x: np.min(x), [rng(4, 3)]),
    "ptp": (lambda x: np.max(x, axis=1) - np.min(x, axis=1), [rng(4, 3)]),
    "cumsum": (lambda x: np.cumsum(x, axis=1), [rng(2, 4)]),
    "cumsum flat": (lambda x: np.cumsum(x), [rng(2, 4)]),
    "cumprod": (lambda x: np.cumprod(x, axis=0), [rng(5, 2)]),
    "cumprod with zeros": (lambda x: np.cumprod(x * np.array([1.0, 0.0, 2.0, 0.0, 1.0])), [rng(5)]),
    "reshape": (lambda x: np.reshape(x, (3, 2)) * 2, [rng(2, 3)]),
    "transpose": (lambda x: np.transpose(x, (2, 0, 1)) * 2, [rng(2, 3, 2)]),
    "broadcast_to": (lambda x: np.broadcast_to(x, (2, 4, 3)) * 1, [rng(4, 1)]),
    "slice": (lambda x: x[1:, ::2] * 1, [rng(3, 4)]),
    "negative steps": (lambda x: x[::-2, 1] * 1, [rng(5, 4)]),
    "overlapping slices": (lambda x: x[1:] * x[:-1] + x[1:], [rng(6)]),
    "element": (lambda x: x[1, 2] * x[0, 0], [rng(3, 4)]),
    "expand_dims": (lambda x: np.expand_dims(x, 1) * x, [rng(3, 4)]),
    "squeeze": (lambda x: np.squeeze(x, 1) * 2, [rng(3, 1)]),
    "flip": (lambda x: np.flip(x, 0) * x, [rng(3, 2)]),
    "concatenate": (lambda x, y: np.concatenate([x, y, x], axis=1) * 2, [rng(2, 3), rng(2, 1)]),
    "stack": (lambda x, y: np.stack([x, y], axis=1) * 2, [rng(2, 3), rng(2, 3) + 1]),
    "pad": (lambda x: np.pad(x, ((1, 2), (0, 1))) * 2, [rng(2, 3)]),
    "where": (lambda x, y: np.where(x > y, x * y, y), [rng(2, 3), rng(2, 3)[::-1]]),
    "clip": (lambda x: np.clip(x, -0.5, 0.5), [rng(7)]),
    "take": (lambda x: np.take(x, INDICES, axis=0) * 2, [rng(3, 2)]),
    "take along last": (lambda x: np.take(x, np.array([[0, 1], [1, 1]]), axis=-1) * 2, [rng(3, 2)]),
    "take wrap": (lambda x: np.take(x, np.array([-1, 4]), axis=0, mode="wrap"), [rng(3, 2)]),
    "take clip": (lambda x: np.take(x, np.array([-1, 4]), axis=0, mode="clip"), [rng(3, 2)]),
    "pick": (lambda x: x[INDICES, np.array([1, 0, 1, 1])] * 2, [rng(3, 2)]),
    "mask": (lambda x: x[np.array([True, False, True])] * 2, [rng(3, 2)]),
    "updates": (updated, [rng(3, 4), rng(2, 2)]),
    "scatter": (scattered, [rng(3, 2), rng(4, 2)]),
    "add.at": (added_at, [rng(3, 2), rng(4, 2)]),
    "subtract.at": (combined_at("subtract"), [rng(3, 2), rng(4, 2)]),
    "multiply.at": (combined_at("multiply"), [rng(3, 2), rng(4, 2)]),
    "multiply.at one number": (combined_at("multiply", np.array([-1, 0, 2, 2, -3, 2])), [rng(3), np.array(0.75)]),
    "multiply.at many": (combined_at("multiply", np.array([[1, 1, 0], [1, 2, 1]])), [rng(3, 2), rng(2, 3, 1)]),
    "multiply.at two axes": (combined_at("multiply", (np.array([0, 2, 0]), np.array([1, 1, -1]))), [rng(3, 2), rng(3)]),
    "divide.at": (combined_at("divide"), [rng(3, 2), np.asarray(numpy.abs(numpy.asarray(rng(4, 2))) + 0.5)]),
    "maximum.at": (combined_at("maximum"), [rng(3, 2), rng(4, 2)]),
    "minimum.at": (combined_at("minimum"), [rng(3, 2), rng(4, 2)]),
    "fmax.at": (combined_at("fmax", np.array([1, 1, 1, 0])), [rng(3, 2), rng(4, 2)]),
    "sort": (lambda x: np.sort(x, axis=0) * np.array([[1.0], [2.0], [3.0]]), [rng(3, 2)]),
    "matmul": (lambda x, y: x @ y, [rng(2, 3), rng(3, 4)]),
    "matmul of vectors": (lambda x, y: x @ y, [rng(3), rng(3) + 1]),
    "matmul of stacks": (lambda x, y: x @ y, [rng(2, 1, 2, 3), rng(4, 3, 2)]),
    "tensordot": (lambda x, y: np.tensordot(x, y, axes=([1, 2], [0, 1])), [rng(2, 3, 2), rng(3, 2, 2)]),
    "outer": (lambda x, y: np.outer(x, y), [rng(2), rng(3)]),
    "dot": (lambda x, y: np.dot(x, y), [rng(2, 3), rng(3)]),
    "astype": (lambda x: x.astype(np.float32).astype(np.float64) * 1.0, [np.array([0.5, 0.25])]),
    "diff": (lambda x: np.diff(x, axis=1), [rng(2, 4)]),
    "copyto": (lambda x, y: copied(x, y), [rng(2, 3), rng(3)]),
}


def parts(z: Any) -> Any:
    return np.concatenate([z.real, z.imag], axis=-1)


COMPOSED: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "roll": (lambda x: np.roll(x, 2) + np.roll(x, (1, -1), axis=(0, 1)) + numpy.roll(x, 1, axis=1), [rng(3, 4)]),
    "diagonal": (lambda x: np.diagonal(x, 1) * 2 + x.diagonal(-1, 1, 0), [rng(4, 4)]),
    "trace": (lambda x: np.trace(x) * x.trace(1), [rng(4, 5)]),
    "diag": (lambda x: np.diag(x, 1) + np.diag(np.diag(np.outer(x, x), 1), 2), [rng(3)]),
    "tril": (lambda x: np.tril(x, 1) - np.triu(x, -1) * 2, [rng(3, 4)]),
    "repeat": (lambda x: np.repeat(x, 2, axis=1) * 1.5 + x.repeat(2)[0], [rng(2, 3)]),
    "tile": (lambda x: np.tile(x, (2, 1, 2)) * 2, [rng(2, 3)]),
    "take_along_axis": (lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1) * 2, [rng(3, 4)]),
    "sorted part": (lambda x: _core._sorted_part(x, (1, 2)) * x[:, :2], [rng(3, 4)]),
    "ptp": (lambda x: np.ptp(x, axis=1), [rng(3, 4)]),
    "cross": (lambda x, y: np.cross(x, y), [rng(2, 3), rng(2, 3) + 1]),
    "convolve": (lambda x, y: np.convolve(x, y), [rng(6), rng(3)]),
    "convolve same": (lambda x, y: np.convolve(x, y, "same") + np.convolve(y, x, "same"), [rng(6), rng(4)]),
    "convolve valid": (lambda x, y: np.convolve(x, y, "valid"), [rng(7), rng(3)]),
    "einsum matrices": (lambda x, y: np.einsum("ij,jk->ik", x, y), [rng(2, 3), rng(3, 4)]),
    "einsum batches": (lambda x, y: np.einsum("bij,bkj->bik", x, y) * np.einsum("bij,bkj->", x, y), [rng(2, 2, 3), rng(2, 4, 3)]),
    "einsum three": (lambda x, y: np.einsum("ij,jk,k->i", x, y, y[0]), [rng(2, 3), rng(3, 4)]),
    "einsum outer": (lambda x, y: np.einsum("i,j->ij", x, y), [rng(2), rng(3)]),
    "einsum diagonals": (lambda x: np.einsum("ii->i", x) + np.einsum("ii", x) + np.einsum("ijj->i", np.stack([x] * 3)), [rng(3, 3)]),
    "einsum transposed": (lambda x: np.einsum("ijk->kij", x), [rng(2, 3, 4)]),
    "nan_to_num": (lambda x: np.nan_to_num(x) * 2, [rng(3)]),
    "rot90": (lambda x: np.rot90(x) + np.rot90(x, 3) * 2 + np.rot90(x, 2), [rng(3, 3)]),
    "append": (lambda x, y: np.append(x, y) * 2, [rng(2, 2), rng(3)]),
    "meshgrid": (lambda x, y: np.stack(np.meshgrid(x, y)) + np.stack(np.meshgrid(y, x, indexing="ij")), [rng(2), rng(3)]),
    "fft": (lambda x: parts(np.fft.fft(x)) + parts(np.fft.ifft(x, norm="ortho")), [rng(3, 4)]),
    "fft of n": (lambda x, y: parts(np.fft.fft(x + 1j * y, 7, axis=0) * np.fft.fft(y, 7, axis=0)), [rng(5, 2), rng(5, 2) + 1]),
    "rfft": (lambda x: parts(np.fft.rfft(x) ** 2), [rng(3, 5)]),
    "rfft of n": (lambda x: parts(np.fft.rfft(x, 6, axis=1, norm="forward")) + parts(np.fft.ihfft(x, 7, axis=1)), [rng(2, 4, 3)]),
    "irfft": (lambda x, y: np.fft.irfft(x + 1j * y) * np.fft.hfft(x - 1j * y, norm="ortho"), [rng(2, 4), rng(2, 4)]),
    "irfft of n": (lambda x, y: np.fft.irfft(x + 1j * y, 7) * np.fft.irfft(x * y, 3)[:1], [rng(3), rng(3) + 1]),
    "fftn": (lambda x: parts(np.fft.fftn(x, s=(2, 5), axes=(0, 2)) * np.fft.ifft2(x, s=(-1, 5))[:2]), [rng(2, 3, 4)]),
    "irfftn": (lambda x: np.fft.irfftn(np.fft.rfftn(x) ** 2) + np.fft.irfft2(np.fft.rfft2(x), s=(3, 4)), [rng(3, 4)]),
    "fftshift": (lambda x: np.fft.fftshift(x) * np.fft.ifftshift(x, axes=1) * 2, [rng(3, 5)]),
    "fftfreq": (lambda x: np.sum(np.fft.fftfreq(5, x[0]) * np.fft.rfftfreq(9, x[1] ** 2)), [np.array([1.5, 0.75])]),
    "norm": (lambda x: np.linalg.norm(x, axis=1) * np.linalg.norm(x[0]), [rng(3, 4)]),
}
OTHERS |= COMPOSED


def turned(x: Any) -> Any:
    return x @ np.conjugate(np.swapaxes(x, -1, -2)) + 2 * np.eye(3)


def complex_of(x: Any) -> Any:
    return x + 1j * np.asarray(MATRIX)


# By the op that they are made of; those of a kind "library" have no derivative themselves, the functions over them have.
LIBRARY: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "lu": (lambda x: np.linalg.det(x) + np.linalg.slogdet(x)[1], [rng(3, 3)]),
    "lu_solve": (lambda x, y: np.linalg.solve(x, y) @ np.linalg.inv(x)[:2], [rng(3, 3), rng(3, 2)]),
    "cholesky": (lambda x: np.linalg.cholesky(turned(x)), [rng(3, 3)]),
    "triangular_solve": (lambda x: np.linalg.cholesky(turned(x), upper=True), [rng(3, 3)]),
    "qr": (lambda x: np.linalg.qr(x, mode="r"), [rng(4, 3)]),
    "householder_product": (lambda x: np.linalg.qr(x)[0], [rng(4, 3)]),
    "eigh": (lambda x: np.linalg.eigh(turned(x))[1] ** 2 * np.linalg.eigh(turned(x))[0], [rng(3, 3)]),
    "eigvalsh": (lambda x: np.linalg.eigvalsh(turned(x)), [rng(3, 3)]),
    "svd": (lambda x: np.linalg.svd(x, full_matrices=False)[0] ** 2 * np.linalg.svd(x, full_matrices=False)[1], [rng(4, 3)]),
    "svdvals": (lambda x: np.linalg.svdvals(x), [rng(4, 3)]),
    "eig": (lambda x: np.sum(np.abs(np.linalg.eig(complex_of(x))[1]) ** 3 * np.abs(np.linalg.eig(complex_of(x))[0]), axis=-1), [rng(3, 3)]),
    "eigvals": (lambda x: np.sum(np.real(np.exp(np.linalg.eigvals(complex_of(x)))), axis=-1), [rng(3, 3)]),
    "eig of real": (lambda x: np.real(np.sum(np.exp(np.linalg.eig(x)[0] / 3) * np.abs(np.linalg.eig(x)[1]) ** 2, axis=-1)), [rng(3, 3)]),
    "eigvals of real": (lambda x: np.real(np.prod(np.linalg.eigvals(x @ x.T + np.array([[0, 1, 0], [0, 0, 2], [0, 0, 0]])) + 3)), [rng(3, 3)]),
    "pinv": (lambda x: np.linalg.pinv(x), [rng(4, 3)]),
    "lstsq": (lambda x, y: np.linalg.lstsq(x, y)[0], [rng(4, 3), rng(4)]),
    "lstsq residuals": (lambda x, y: np.linalg.lstsq(x, y)[1], [rng(4, 3), rng(4, 2)]),
    "norms": (lambda x: np.linalg.norm(x, "nuc") + np.linalg.norm(x, 2) * np.linalg.norm(x, 1) + np.linalg.cond(x), [rng(3, 3)]),
    "matrix_power": (lambda x: np.linalg.matrix_power(x, -3), [rng(3, 3)]),
    "tensorsolve": (lambda x, y: np.linalg.tensorsolve(x, y), [rng(2, 3, 3, 2), rng(2, 3)]),
}
OTHERS |= LIBRARY


def test_ops_of_libraries_are_here() -> None:
    assert {name for name, row in ROWS.items() if row["kind"] == "library"} <= OTHERS.keys()


@pytest.mark.parametrize("name", COMPOSED)
def test_compositions_are_numpys(name: str) -> None:
    f, args = COMPOSED[name]
    made = np.compile(f, fullgraph=True)
    for _ in range(2):
        found, wanted = made(*args), f(*args)
        assert found.shape == wanted.shape and found.dtype == wanted.dtype
        numpy.testing.assert_allclose(numpy.asarray(found), numpy.asarray(wanted), rtol=1e-13, atol=1e-13)
    check_tape(f, args)


def check_tape(f: Callable[..., Any], args: list[Any]) -> None:
    taped = [x.copy() for x in args]
    for x in taped:
        x.requires_grad = True
    np.sum(f(*taped) ** 2).backward()
    for x, gradient in zip(taped, np.grad(lambda *xs: np.sum(f(*xs) ** 2), argnums=tuple(range(len(args))))(*args), strict=True):
        numpy.testing.assert_allclose(numpy.asarray(x.grad), numpy.asarray(gradient), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", LIBRARY)
def test_ops_of_libraries_on_the_tape(name: str) -> None:
    check_tape(*LIBRARY[name])


def copied(x: Any, y: Any) -> Any:
    z = np.zeros(x.shape)
    np.copyto(z, x * y, where=x > 0)
    z += y
    return z


@pytest.mark.parametrize("name", OTHERS)
def test_other_ops(name: str) -> None:
    f, args = OTHERS[name]
    if name == "astype":
        check(f, args, tolerance=1e-4, h=0.5, match=1e-6)
        return
    check(f, args)


@pytest.mark.parametrize("name", OTHERS)
def test_other_ops_over_parts(name: str) -> None:
    f, args = OTHERS[name]
    if name in ("sum where", "mask"):
        return
    stacked = [np.stack([x * scale + shift for scale, shift in ((1, 0), (-2, 0.5), (0.5, 1))]) for x in args]
    check_map(f, stacked)
    parts = [np.asarray(x) for x in stacked]

    def gradient(*xs: Any) -> Any:
        return np.grad(lambda *ys: np.sum(f(*ys) ** 2))(*xs)

    check_map(gradient, parts)


@pytest.mark.parametrize("name", OTHERS)
def test_second_derivatives(name: str) -> None:
    f, args = OTHERS[name]
    if name == "astype":
        return

    def total(x: Any) -> Any:
        return np.sum(f(x, *args[1:]) ** 3)

    x = args[0]
    hessian = np.hessian(total)(x)
    numpy.testing.assert_allclose(numpy.asarray(hessian), numpy.asarray(np.jacfwd(np.jacfwd(total))(x)), rtol=1e-9, atol=1e-9)
    numpy.testing.assert_allclose(numpy.asarray(hessian), numpy.asarray(np.jacrev(np.jacrev(total))(x)), rtol=1e-9, atol=1e-9)
    t = np.asarray(numpy.random.default_rng(3).normal(size=x.shape))
    wanted = directional(np.grad(total), [x], [t], 1e-5)
    numpy.testing.assert_allclose(np.tensordot(hessian, t, x.ndim), wanted, rtol=2e-4, atol=2e-4)


def total_at(ufunc: str, indices: Any) -> Callable[..., Any]:
    f = combined_at(ufunc, indices)
    return lambda x, y: np.sum(f(x, y) * np.array([1.0, 2.0, 4.0]))


def test_multiply_at_with_zeros() -> None:
    indices = numpy.array([0, 2, 0, 2, 0, 2])
    x, y = np.array([0.5, -1.0, 2.0]), np.array([0.0, 0.0, 3.0, 5.0, 2.0, 0.0])  # one zero for the first, two for the last
    f = total_at("multiply", np.asarray(indices))
    of_x, of_y = np.grad(f, argnums=(0, 1))(x, y)
    numpy.testing.assert_array_equal(of_x, [0.0, -2 * 2 * 1.5, 0.0])
    numpy.testing.assert_array_equal(of_y, [0.25 * 1.5 * 3 * 2, 0.0, 0.0, 0.0, 0.0, 0.0])
    second = numpy.asarray(np.hessian(f, argnums=1)(x, y))
    wanted = numpy.zeros((6, 6))  # of the first: y0 y2 y4, at y0 = 0; of the last: y1 y3 y5, at y1 = y5 = 0
    wanted[0, 2] = wanted[2, 0] = 0.25 * 1.5 * 2
    wanted[0, 4] = wanted[4, 0] = 0.25 * 1.5 * 3
    wanted[1, 5] = wanted[5, 1] = 4 * 4 * 1.5 * 5
    numpy.testing.assert_allclose(second, wanted, rtol=1e-14)
    numpy.testing.assert_allclose(numpy.asarray(np.jacfwd(np.jacfwd(f, argnums=1), argnums=1)(x, y)), wanted, rtol=1e-14)


def test_ties_of_maximum_at_are_shared() -> None:
    x, y = np.array([2.0, 1.0, 3.0]), np.array([3.0, 3.0, 4.5, 4.5, -1.0])

    def f(x: Any, y: Any) -> Any:
        z = x.copy()
        np.maximum.at(z, np.array([0, 0, 2, 2, 1]), y)
        return z

    _, pull = np.vjp(f, x * 1.5, y)  # 3, 1.5, 4.5
    of_x, of_y = pull(np.array([6.0, 5.0, 3.0]))
    numpy.testing.assert_allclose(of_x, [2.0, 5.0, 1.0])
    numpy.testing.assert_allclose(of_y, [2.0, 2.0, 1.0, 1.0, 0.0])
    _, change = np.jvp(f, (x * 1.5, y), (np.array([3.0, 1.0, 0.0]), np.array([6.0, 0.0, 3.0, 3.0, 9.0])))
    numpy.testing.assert_allclose(change, [3.0, 1.0, 2.0])


def test_at_of_ufuncs_without_a_derivative() -> None:
    for derivative in (np.grad(lambda x, y: np.sum(combined_at("nextafter")(x, y))), lambda x, y: np.jvp(combined_at("nextafter"), (x, y), (x, y))):
        with pytest.raises(TypeError, match="nextafter"):
            derivative(np.ones((3, 2)), np.ones((4, 2)))


def test_at_of_complex_numbers_and_of_nothing() -> None:
    z, w = np.asarray(numpy.asarray(rng(3)) + 1j), np.asarray(numpy.asarray(rng(4)) * (1 - 0.5j))

    def f(z: Any, w: Any) -> Any:
        z = z * 1
        np.multiply.at(z, INDICES, w)
        np.divide.at(z, INDICES[:2], w[1:3])
        return np.sum(np.abs(z) ** 2 + z.imag)

    t = np.asarray(numpy.array([0.5, 1j, 1 - 2j])), np.asarray(numpy.array([1j, 2.0, 0.5, -1j]))
    _, change = np.jvp(f, (z, w), t)
    numpy.testing.assert_allclose(change, directional(f, [z, w], list(t)), rtol=1e-7)
    gradients = np.grad(f, argnums=(0, 1))(z, w)
    numpy.testing.assert_allclose(sum(numpy.sum((numpy.asarray(g) * numpy.asarray(d)).real) for g, d in zip(gradients, t, strict=True)), change)
    for ufunc in ("multiply", "divide", "maximum"):
        of_x, of_y = np.grad(total_at(ufunc, np.zeros(0, dtype=int)), argnums=(0, 1))(np.ones(3), np.ones(0))
        numpy.testing.assert_allclose(of_x, [3.0, 6.0, 12.0])
        assert of_y.shape == (0,)


@pytest.mark.parametrize("name", OTHERS)
def test_in_two_stages(name: str) -> None:
    """vjp and linearize outside of compiled functions."""
    f, args = OTHERS[name]
    rng = numpy.random.default_rng(4)
    tangents = [np.asarray(rng.normal(size=x.shape)) for x in args]
    value, change = np.jvp(f, tuple(args), tuple(tangents))
    again, along = np.linearize(f, *args)
    tolerance = {"rtol": 1e-12, "atol": 1e-12} if name != "astype" else {"rtol": 1e-6, "atol": 1e-6}
    numpy.testing.assert_allclose(numpy.asarray(again), numpy.asarray(value), **tolerance)
    numpy.testing.assert_allclose(numpy.asarray(along(*tangents)), numpy.asarray(change), **tolerance)
    weights = np.asarray(rng.normal(size=numpy.shape(value)))
    again, pull = np.vjp(f, *args)
    for _ in range(2):
        backward = sum(float(np.sum(g * t)) for g, t in zip(pull(weights), tangents, strict=True))
        assert abs(backward - float(np.sum(change * weights))) <= (1e-9 if name != "astype" else 1e-5) * (1 + abs(backward))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["mean", "var", "std", "sum", "prod"])
def test_what_has_no_elements_changes_nothing(name: str) -> None:
    """Nothing depends on the mean of nothing, where what is made of it has no elements: its derivative is 0, not NaN."""

    def f(a: Any) -> Any:
        nothing = a[:0, -1]
        total = getattr(np, name)(nothing + a, axis=1, keepdims=True)
        return np.sum(total * a * nothing) + np.sum(a * a)

    a = np.full((1, 1), 1.5)
    for derived in (np.grad(f), np.compile(np.grad(f)), np.grad(np.compile(f))):
        assert derived(a).tolist() == [[3.0]]
    assert np.jvp(f, (a,), (np.ones((1, 1)),))[1] == 3.0
    assert np.grad(lambda a: np.sum(np.grad(f)(a)))(a).tolist() == [[2.0]]
