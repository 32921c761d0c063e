"""Products of matrices on a CUDA device: the same values as on the processor, over dtypes, layouts and stacks, with nothing copied to the host.

Run as test_cuda.py.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

SIMULATED = np.cuda.is_available() and np.cuda.devices()[0].model == "simulated"
LIBRARY = SIMULATED or any(each.name == "cuBLAS" and each.path for each in (np.cuda.libraries() if np.cuda.is_available() else []))
needs_library = pytest.mark.skipif(not LIBRARY, reason="there is no cuBLAS")

INEXACT = ["float16", "float32", "float64", "complex64", "complex128"]
DTYPES = ["bool", "int8", "uint8", "int32", "int64", "uint64", *INEXACT]
# How far sums may be off, for elements of about 1: products of float32 are float32's, not TF32's (1e-3).
TOLERANCE = {"float16": 1e-2, "float32": 3e-6, "complex64": 3e-6, "float64": 1e-14, "complex128": 1e-14}
random = numpy.random.default_rng(11)


def sample(dtype: str, *shape: int) -> numpy.ndarray:
    values = random.normal(size=shape)
    if dtype == "bool":
        return values > 0.5
    if dtype.startswith("complex"):
        return (values + 1j * random.normal(size=shape)).astype(dtype)
    return (values * (1 if dtype in INEXACT else 5)).astype(numpy.int64 if dtype not in INEXACT else dtype).astype(dtype)


def there(x: Any) -> Any:
    return np.asarray(x).to("cuda")


def check(found: Any, expected: numpy.ndarray, dtype: str, terms: int = 1) -> None:
    found = numpy.asarray(found)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if dtype in INEXACT:
        bound = TOLERANCE[dtype] * max(terms, 1) ** 0.5 * 4
        numpy.testing.assert_allclose(found, expected, rtol=bound, atol=bound)
    else:
        numpy.testing.assert_array_equal(found, expected)


def moved(before: Any) -> int:
    now = np.cuda.statistics()
    return now.uploads + now.downloads - before.uploads - before.downloads


PAIRS = [
    ((5, 7), (7, 3)),
    ((7,), (7, 3)),
    ((5, 7), (7,)),
    ((7,), (7,)),
    ((4, 5, 7), (7, 3)),
    ((5, 7), (4, 7, 3)),
    ((4, 5, 7), (4, 7, 3)),
    ((2, 1, 5, 7), (3, 7, 2)),
    ((4, 5, 7), (7,)),
    ((7,), (4, 7, 3)),
    ((5, 3), (3, 4)),
    ((5, 1), (1, 4)),
    ((0, 7), (7, 3)),
    ((5, 0), (0, 3)),
    ((5, 7), (7, 0)),
    ((0,), (0,)),
    ((2, 0, 7), (7, 3)),
]


@needs_library
@pytest.mark.parametrize("dtype", DTYPES)
def test_matmul(dtype: str) -> None:
    f = np.compile(lambda a, b: a @ b, dynamic=False, cache_size_limit=64)
    for left, right in PAIRS:
        a, b = sample(dtype, *left), sample(dtype, *right)
        expected = numpy.matmul(a, b) if dtype not in ("float16", "complex64") else numpy.matmul(*(wide(each) for each in (a, b))).astype(dtype)
        on_device = there(a), there(b)
        before = np.cuda.statistics()
        found = f(*on_device)
        if found.ndim:
            assert found.device == "cuda:0" and moved(before) == 0
        check(found, numpy.asarray(expected), dtype, left[-1])


@needs_library
@pytest.mark.parametrize("dtype", DTYPES)
def test_outside_of_compiled_functions(dtype: str) -> None:
    for left, right in PAIRS:
        a, b = sample(dtype, *left), sample(dtype, *right)
        expected = numpy.matmul(a, b) if dtype not in ("float16", "complex64") else numpy.matmul(*(wide(each) for each in (a, b))).astype(dtype)
        x, y = there(a), there(b)
        before = np.cuda.statistics()
        found = x @ y
        assert found.device == "cuda:0" and moved(before) == 0
        if dtype in INEXACT and min(*left, *right) > 4 and min(len(left), len(right)) > 1:
            assert np.cuda.statistics().products > before.products
        check(found, numpy.asarray(expected), dtype, left[-1])


def wide(x: numpy.ndarray) -> numpy.ndarray:
    return x.astype(numpy.complex128 if x.dtype.kind == "c" else numpy.float64)


FUNCTIONS: dict[str, tuple[Any, list[tuple[int, ...]]]] = {
    "dot": (lambda m, a, b: m.dot(a, b), [(4, 5, 6), (3, 6, 2)]),
    "vdot": (lambda m, a, b: m.vdot(a, b), [(30,), (30,)]),
    "vecdot": (lambda m, a, b: m.vecdot(a, b), [(4, 30), (30,)]),
    "inner": (lambda m, a, b: m.inner(a, b), [(4, 6), (5, 6)]),
    "outer": (lambda m, a, b: m.outer(a, b), [(6,), (5,)]),
    "tensordot": (lambda m, a, b: m.tensordot(a, b, axes=([0, 2], [1, 0])), [(4, 5, 6), (6, 4, 3)]),
    "einsum": (lambda m, a, b: m.einsum("bij,bkj->bik", a, b), [(3, 4, 6), (3, 5, 6)]),
    "einsum of three axes": (lambda m, a, b: m.einsum("ijk,jkl->il", a, b), [(4, 5, 6), (5, 6, 3)]),
    "matrix_power": (lambda m, a, b: m.linalg.matrix_power(a, 3) @ b, [(5, 5), (5, 2)]),
    "multi_dot": (lambda m, a, b: m.linalg.multi_dot([a, b, a]), [(6, 5), (5, 6)]),
}


@needs_library
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64", "complex128"])
def test_functions_made_of_products(name: str, dtype: str) -> None:
    function, shapes = FUNCTIONS[name]
    if not hasattr(numpy, name) and name == "vecdot":
        pytest.skip("not in this NumPy")
    if name.startswith("einsum") and dtype == "int64":
        pytest.skip("NumPy's einsum does those")
    a, b = (sample(dtype, *shape) for shape in shapes)
    f = np.compile(lambda a, b: function(np, a, b))
    on_device = there(a), there(b)
    before = np.cuda.statistics()
    found = f(*on_device)
    if found.ndim:
        assert found.device == "cuda:0" and moved(before) == 0
    check(found, numpy.asarray(function(numpy, a, b)), dtype, 30)


@needs_library
@pytest.mark.parametrize("dtype", ["int32", "float32", "complex128"])
def test_views_as_operands(dtype: str) -> None:
    whole = sample(dtype, 12, 20, 14)
    views = {
        "transposed": lambda x: x[0].T,
        "every second row": lambda x: x[0, ::2],
        "every second column": lambda x: x[0, :, ::2],
        "backwards": lambda x: x[0, ::-1, ::-1],
        "a part": lambda x: x[3, 2:9, 1:6],
        "a slice of a stack": lambda x: x[:, 3],
        "axes moved": lambda x: x.transpose(1, 0, 2),
        "repeated": lambda x: numpy.broadcast_to(x[0, 0], (5, x.shape[2])) if isinstance(x, numpy.ndarray) else np.broadcast_to(x[0, 0], (5, x.shape[2])),
        "a stack backwards": lambda x: x[::-3],
    }
    everything = there(whole)
    for view in views.values():
        a = view(whole)
        b = sample(dtype, a.shape[-1], 6)
        f = np.compile(lambda x, y, view=view: view(x) @ y)
        check(f(everything, there(b)), a @ b, dtype, a.shape[-1])
        g = np.compile(lambda x, y: x @ y)  # a view that comes from outside
        check(g(view(everything), there(b)), a @ b, dtype, a.shape[-1])


@needs_library
def test_a_chain_of_products_and_maps_moves_nothing() -> None:
    @np.compile
    def layers(x: Any, w: Any, v: Any) -> Any:
        h = np.tanh(x @ w)
        return np.exp(h @ v) @ w, h.sum(axis=0)

    x, w, v = sample("float32", 40, 30), sample("float32", 30, 20), sample("float32", 20, 30)
    given = there(x), there(w), there(v)
    before = np.cuda.statistics()
    for _ in range(3):
        found, sums = layers(*given)
    after = np.cuda.statistics()
    assert moved(before) == 0 and after.products - before.products == 9
    assert "by the host" not in str(np.compiler.explain(layers)(*given))
    square = there(sample("complex64", 4, 4))
    assert "by the host" not in str(np.compiler.explain(lambda a: np.linalg.eigvals(a @ a))(square))
    h = numpy.tanh(x @ w)
    numpy.testing.assert_allclose(numpy.asarray(found), numpy.exp(h @ v) @ w, rtol=2e-3, atol=2e-3)
    numpy.testing.assert_allclose(numpy.asarray(sums), h.sum(axis=0), rtol=1e-4, atol=1e-4)


def test_products_with_vectors_and_of_integers_are_loop_kernels() -> None:
    x, v = sample("float64", 40, 30), sample("float64", 30)
    given = there(x), there(v)
    programs: list[tuple[Any, int]] = [  # with how many kernels at most: few results are finished apart
        (lambda m, x, v: m.tanh((x * 2) @ m.cos(v)) + 1, 3),
        (lambda m, x, v: m.sin(v @ x.T), 2),
        (lambda m, x, v: m.exp((x[:, :3] @ x[:3, :7]) * 0.1), 1),
        (lambda m, x, v: m.exp(x[:, 1:2] @ x[2:3]), 1),
        (lambda m, x, v: (x > 0).astype(int) @ (x.T > 0).astype(int) + 1, 1),
        (lambda m, x, v: ((x > 1) @ (x.T > 1)) | (x @ v > 0), 2),
    ]
    for program, kernels in programs:
        before = np.cuda.statistics()
        found = np.compile(lambda x, v, program=program: program(np, x, v))(*given)
        after = np.cuda.statistics()
        assert moved(before) == 0 and after.products == before.products
        assert after.launches - before.launches <= kernels
        expected = program(numpy, x, v)
        assert numpy.asarray(found).dtype == expected.dtype
        numpy.testing.assert_allclose(numpy.asarray(found), expected, rtol=1e-12, atol=1e-12)


@needs_library
def test_a_step_of_training_moves_nothing() -> None:
    def loss(w: Any, v: Any, x: Any, y: Any) -> Any:
        return ((np.tanh(x @ w) @ v - y) ** 2).mean()

    @np.compile
    def step(w: Any, v: Any, x: Any, y: Any) -> Any:
        dw, dv = np.grad(loss, argnums=(0, 1))(w, v, x, y)
        return w - 0.1 * dw, v - 0.1 * dv

    given = [sample("float64", *shape) for shape in ((7, 16), (16, 3), (50, 7), (50, 3))]
    expected = [numpy.asarray(each) for each in step(*(np.asarray(each) for each in given))]
    on_device = [there(each) for each in given]
    before = np.cuda.statistics()
    found = step(*on_device)
    assert moved(before) == 0 and np.cuda.statistics().products > before.products
    for one, other in zip(found, expected, strict=True):
        numpy.testing.assert_allclose(numpy.asarray(one), other, rtol=1e-12, atol=1e-12)


@needs_library
def test_sizes_that_vary_are_one_entry() -> None:
    f = np.compile(lambda a, b: (a @ b) * 2)
    for n in (3, 4, 17, 33, 64):
        a, b = sample("float64", n, n + 1), sample("float64", n + 1, 5)
        check(f(there(a), there(b)), (a @ b) * 2, "float64", n)
    assert f.cache_info().compiles <= 2


@needs_library
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_nan_and_inf(dtype: str) -> None:
    a, b = sample(dtype, 6, 8), sample(dtype, 8, 5)
    a[1, 2] = numpy.nan
    a[3, 4] = numpy.inf
    b[5, 1] = -numpy.inf
    found = numpy.asarray(np.compile(lambda a, b: a @ b)(there(a), there(b)))
    with numpy.errstate(invalid="ignore"):
        expected = a @ b
    assert numpy.isfinite(found[[0, 2, 4, 5]][:, [0, 2, 3, 4]]).all()
    assert numpy.isnan(found[1]).all()
    if dtype[0] == "f":
        numpy.testing.assert_array_equal(numpy.isnan(found), numpy.isnan(expected))
        numpy.testing.assert_array_equal(found[numpy.isinf(expected)], expected[numpy.isinf(expected)])
    assert not numpy.isfinite(found[3]).any() and not numpy.isfinite(found[:, 1]).any()


@needs_library
def test_sums_are_not_rounded_to_less() -> None:
    # TF32 would take no notice of what lies beyond 1 (9e-5 of each sum), and sums in float16 would stay at 128.
    n = 257
    a = (1 + numpy.arange(n * n).reshape(n, n) % 97 * 2.0**-20).astype(numpy.float32)
    found = numpy.asarray(np.compile(lambda a: a @ a.T)(there(a)))
    numpy.testing.assert_allclose(found, a.astype(float) @ a.T.astype(float), rtol=2e-5)
    h = numpy.full((64, 4096), 0.25, numpy.float16)
    found = numpy.asarray(np.compile(lambda a: a @ a.T)(there(h)))
    numpy.testing.assert_array_equal(found, numpy.full((64, 64), 256.0, numpy.float16))


@needs_library
def test_large_matrices() -> None:
    a, b = sample("float32", 300, 517), sample("float32", 517, 260)
    f = np.compile(lambda a, b: a @ b)
    check(f(there(a), there(b)), a.astype(float).dot(b.astype(float)).astype(numpy.float32), "float32", 517)
    i = sample("int64", 65, 70)
    check(np.compile(lambda a: a @ a.T)(there(i)), i @ i.T, "int64")


@needs_library
def test_joined_and_reshaped_arrays_stay_there() -> None:
    @np.compile
    def f(a: Any, b: Any) -> Any:
        joined = np.concatenate([a, b.T, a[::-1]], axis=0)
        return joined @ joined.T, a.T.reshape(-1)

    a, b = sample("float64", 6, 9), sample("float64", 9, 4)
    given = there(a), there(b)
    before = np.cuda.statistics()
    product, flat = f(*given)
    assert moved(before) == 0
    joined = numpy.concatenate([a, b.T, a[::-1]], axis=0)
    check(product, joined @ joined.T, "float64", 9)
    numpy.testing.assert_array_equal(numpy.asarray(flat), a.T.reshape(-1))


def test_errors_are_numpys() -> None:
    f = np.compile(lambda a, b: a @ b)
    with pytest.raises(ValueError, match="matmul: Input operand 1 has a mismatch"):
        f(there(numpy.ones((3, 4))), there(numpy.ones((3, 4))))


def test_libraries_are_listed() -> None:
    for library in np.cuda.libraries():
        assert library.name and bool(library.path) != bool(library.problem)


WITHOUT = """
import numpy, fastnp as np
a = numpy.arange(21.0).reshape(3, 7)
f = np.compile(lambda a: (a * 2) @ a.T + 1)
x = np.asarray(a).to("cuda")
before = np.cuda.statistics()
found = f(x)
after = np.cuda.statistics()
assert found.device == "cuda:0" and (numpy.asarray(found) == 2 * a @ a.T + 1).all()
assert after.products == before.products and after.downloads > before.downloads
assert "matmul: 1 ops (matmul), by the host: this simulated device has no libraries" in str(np.compiler.explain(f)(x))
"""


@pytest.mark.skipif(not SIMULATED, reason="of the simulated device")
def test_without_a_library_the_host_does_it() -> None:
    import simulated

    environment = simulated.environment() | {"FASTNP_SIMULATED_LIBRARIES": "0"}
    run = subprocess.run([sys.executable, "-c", WITHOUT], env=environment, capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr
