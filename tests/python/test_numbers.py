"""Python numbers among the arguments, and in places that a function reads: from their second value on inputs of compiled code."""

from __future__ import annotations

import math
import random
import warnings

import numpy
import pytest
from support import BACKENDS, DTYPES, assert_same, outcome, quietly

import fastnp as np

X32 = numpy.linspace(-1, 1, 12).astype("f4")
X64 = X32.astype("f8")
FLOATS = (0.1, 0.25, 3.0, -0.0, 1e300, 0.1, -2.5)
INTS = (3, 4, 0, 7, -1, 25)


def follow(function, calls, **options):
    """Compiled as written for all these calls; the cache's counts, once for each back end."""
    infos = []
    for backend in BACKENDS:
        f = np.compile(function, backend=backend, **options)
        for arguments in calls:
            assert_same(outcome(f, *arguments), outcome(function, *arguments))
        infos.append(f.cache_info())
    return infos


@pytest.mark.parametrize("x", [X32, X64, X64.astype("i4"), X64.astype("c8"), X64.astype("f2"), X64 > 0], ids=lambda x: str(x.dtype))
@pytest.mark.parametrize(
    "function",
    [
        lambda x, a: x * a,
        lambda x, a: a - x,
        lambda x, a: (x + a, x > a if x.dtype.kind != "c" else x == a, a * 2, -a, abs(a), a),
        lambda x, a: x * (1 - a) + a * a,
        lambda x, a: (numpy.add(x, a), numpy.multiply(a, x), numpy.sin(a)),
        lambda x, a: numpy.where(x == 0, x, a),
        lambda x, a: numpy.full(3, a) + numpy.full((2, 3), a, dtype="f4"),
        lambda x, a: numpy.full_like(x, 1) * numpy.asarray(a),
    ],
)
def test_floats_are_inputs(function, x):
    for info in follow(function, [(x, a) for a in FLOATS]):
        assert (info.compiles, info.uncompiled) == (2, 0)


def test_bounds_are_inputs():
    for info in follow(lambda x, a: numpy.clip(x, -a, a), [(X32, a) for a in (0.1, 0.2, 0.5)]):
        assert info.compiles == 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x, n: x * n,
        lambda x, n: (x[:n] if n >= 0 else x, n + 1, n * 2, n),
        lambda x, n: numpy.zeros(max(n, 0)).sum() + x,
        lambda x, n: numpy.arange(n) if n > 0 else x,
    ],
)
def test_ints_are_inputs(function):
    for info in follow(function, [(X64, n) for n in INTS]):
        assert info.uncompiled == 0
        assert info.compiles <= 5  # another course for negative ones, and for those beyond the array


def test_comparisons_make_courses():
    for info in follow(lambda x, a: x * a if a > 0.5 else x + a, [(X64, a) for a in (0.1, 0.2, 0.7, 0.3, 0.9, 0.6)]):
        assert (info.compiles, info.hits) == (3, 3)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, a: x**a,
        lambda x, a: x * math.sqrt(abs(a)),
        lambda x, a: (x, f"{a:.2f}", str(a), round(a, 1), int(a), isinstance(a, float), type(a) is float, a.is_integer()),
        lambda x, a: x * (a // 0.3) + a % 0.3 + a**2 + 2**a,
        lambda x, a: x / a if a else x,
        lambda x, a: x * (1 / a),
        lambda x, a: x * {0.1: 1, 0.25: 2}.get(a, 3),
        lambda x, a: x + sum([a, 1]),
        lambda x, a: (x, round(a), round(int(a * 10), -1), round(len(x) * 3, -1)),
    ],
)
def test_where_a_number_must_be_known_it_is(function):
    follow(function, [(X64, a) for a in (0.1, 0.25, 3.0, 0.1, 0.0, -2.5)])
    follow(function, [(X64, a) for a in (1.0, 2.0, 0.5, 2.0)])


def test_numbers_in_containers_and_by_keyword():
    def f(x, options, *more, scale=1.0):
        return x * options["lr"] + more[0] * scale, options["lr"]

    for backend in BACKENDS:
        compiled = np.compile(f, backend=backend)
        for lr in (0.1, 0.2, 0.3, 0.4):
            assert_same(compiled(X64, {"lr": lr}, 2 * lr, scale=lr), f(X64, {"lr": lr}, 2 * lr, scale=lr))
        assert compiled.cache_info().compiles == 2


def test_numbers_change_places_with_plain_values():
    """A varying number and a flag in each other's place are another kind of call (their keys once were the same)."""

    def f(x, a, b):
        return x * b if a is False or a is None else x + a if b is False else (x, a, b)

    plain = (False, True, None, "a", 2, 2.5, 3, 3.5)
    follow(f, [(X64, a, b) for a in plain for b in plain])


def test_keys_of_dicts_are_no_inputs():
    follow(lambda x, d: x * next(iter(d)), [(X64, {k: 1}) for k in (1, 2, 3)])


def test_equal_numbers_are_not_one():
    for info in follow(lambda x, a, b: x * a + b, [(X64, 1.0, 1.0), (X64, 2.0, 2.0), (X64, 2.0, 3.0), (X64, 7.0, 7.0)]):
        assert info.compiles == 2


def test_constants_stay_constants_with_fixed_sizes():
    for info in follow(lambda x, a: x * a, [(X64, a) for a in (1.0, 2.0, 3.0)], dynamic=False):
        assert info.compiles == 3


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_learning_rate_is_compiled_twice(backend):
    f = np.compile(lambda w, g, lr: w - lr * g, backend=backend)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for step in range(300):
            lr = 0.1 / (1 + step)
            numpy.testing.assert_array_equal(f(X64, X64 + step, lr), X64 - lr * (X64 + step))
    assert f.cache_info().compiles == 2


class Optimizer:
    def __init__(self):
        self.steps = 0
        self.lr = 0.1
        self.weights = numpy.ones(4)
        self.options = {"scale": 1.0, "power": 2}

    def step(self, gradient):
        self.steps += 1
        self.lr *= 0.9
        self.weights = self.weights - self.lr * gradient * self.options["scale"] / self.steps
        return self.weights.sum()


@pytest.mark.parametrize("backend", BACKENDS)
def test_numbers_in_attributes_and_dicts(backend):
    mine, theirs = Optimizer(), Optimizer()
    step = np.compile(Optimizer.step, backend=backend)
    for turn in range(20):
        mine.options["scale"] = theirs.options["scale"] = float(turn)
        gradient = X64[:4] * turn
        numpy.testing.assert_allclose(step(theirs, gradient), mine.step(gradient))
        assert (mine.steps, mine.lr) == (theirs.steps, theirs.lr)
        assert (type(theirs.steps), type(theirs.lr)) == (int, float)
    assert (step.cache_info().compiles, step.cache_info().uncompiled) == (2, 0)


COUNT = 0
RATE = 0.5


def count_up(x):
    global COUNT
    COUNT += 1
    return x * COUNT + RATE


def test_counters_and_globals():
    global COUNT, RATE
    for backend in BACKENDS:
        COUNT, RATE = 0, 0.5
        f = np.compile(count_up, backend=backend)
        for turn in range(10):
            RATE = turn / 4
            assert_same(f(X64), X64 * (turn + 1) + RATE)
            assert turn + 1 == COUNT
        assert f.cache_info().compiles == 2
        RATE = 2  # an int now
        assert_same(f(X64), X64 * 11 + 2)
        COUNT = 2**70  # too large to follow
        assert f(X64)[0] == X64[0] * (2**70 + 1) + 2


def test_variables_of_enclosing_functions():
    def make():
        count = 0

        def f(x):
            nonlocal count
            count += 1
            return x + count

        return f

    f = np.compile(make())
    for turn in range(10):
        assert_same(f(X64), X64 + (turn + 1))
    assert f.cache_info().compiles == 2


def test_numbers_that_decide():
    class Schedule:
        steps = 0

        def __call__(self, x):
            self.steps += 1
            if self.steps % 4 == 0:
                return x * 0
            return x + self.steps if self.steps < 6 else x - self.steps

    mine, theirs = Schedule(), Schedule()
    f = np.compile(lambda x: theirs(x))
    for _ in range(12):
        assert_same(f(X64), mine(X64))
    assert f.cache_info().uncompiled == 0


@pytest.mark.parametrize(
    ("function", "numbers"),
    [
        (lambda x, a: x * a**2 + 2**a, FLOATS[:4]),
        (lambda x, a: (x * math.sqrt(abs(a)) + math.exp(-a), math.floor(a), a // 0.3, a % 0.3, round(a, 1), round(a)), (0.1, 0.25, 3.0, -2.5)),
        (lambda x, t: x * (1 - 0.9**t) / (1 - 0.99**t), (1, 2, 3, 4, 5)),
        (lambda x, t: (x + 1 / t, t / 2, t * 0.5, t - 0.5, 2.0 / t, t**2, t**3, t**0.5, -t), (1, 2, 3, 5, 7)),
        (lambda x, n: (x * math.factorial(n), math.gcd(n, 12), math.hypot(n, 3.0), x * math.pi), (1, 2, 3, 4, 5)),
    ],
)
def test_powers_and_math_are_calls(function, numbers):
    for info in follow(function, [(X64, number) for number in numbers]):
        assert (info.compiles, info.uncompiled) == (2, 0)


def test_sizes_in_quotients_and_roots():
    def function(x):
        return x.sum() * (1.0 / len(x)), x.shape[0] ** -0.5, x * math.sqrt(x.shape[0]), x.size**2

    for info in follow(function, [(numpy.ones(n),) for n in (3, 4, 5, 6)]):
        assert (info.compiles, info.uncompiled) == (2, 0)


def test_math_of_results_makes_no_courses():
    for info in follow(lambda x: x / math.sqrt((x * x).sum()), [(X64 + n,) for n in range(6)]):
        assert (info.compiles, info.hits) == (1, 5)


def test_ints_that_would_overflow_are_exact():
    def f(x, n):
        return n * n, n + n - 1, n * 3 // 7, n * x.shape[0] * n, x + float(n * n % 1000003)

    follow(f, [(X64, n) for n in (3, 4, 10**6, -(10**9), 10**11, 2**29, 2**29 + 1, -(2**29) - 5, 2**39, 2**41, 2**70)])


def test_ints_and_floats_in_one_place():
    for info in follow(lambda x, a: x * a, [(X64, a) for a in (1, 0.5, 2, 0.7, 0.9, 3, 1.0)]):
        assert info.compiles == 3  # the first one, any float, any int


BINARY = [name for name, kind, operands, *_ in np._core._catalogue() if kind == "map" and operands == 2 and hasattr(numpy, name)]


def binary_call(name, options, swapped):
    return lambda m, x, p: getattr(m, name)(*((p, x) if swapped else (x, p)), **options)


def test_floats_take_the_dtype_of_the_loop():
    """A float that varies is converted to what the function computes in, not to the array's dtype."""
    seed = random.randrange(10**9)
    rng = random.Random(seed)
    values = [rng.uniform(-3, 3), 0.1, 1.1, -1.3, 1e6, 1e-9, 3.0]
    for dtype in DTYPES:
        x = numpy.array([0, 1, 2, 3], dtype)
        for name in rng.sample(BINARY, 12):
            options = rng.choice([{}, {}, {"dtype": rng.choice("efdFD")}])
            call = binary_call(name, options, rng.random() < 0.5)
            for backend in BACKENDS:
                f = np.compile(lambda x, p, call=call: call(np, x, p), backend=backend)
                for p in rng.sample(values, 4):
                    want, got = outcome(call, numpy, x, p), outcome(f, x, p)
                    context = f"{name} of {dtype}, {p}, {options}, seed {seed}"
                    assert isinstance(got, Exception) == isinstance(want, Exception), f"{context}: {got!r} where NumPy has {want!r}"
                    if isinstance(want, Exception):
                        continue
                    assert got.dtype == want.dtype, context
                    rtol = 0 if want.dtype.kind not in "fc" else 32 * numpy.finfo(want.dtype).eps
                    numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=rtol, atol=0, err_msg=context)


@pytest.mark.parametrize("dtype", ["e", "f", "i1", "i8", "?"])
def test_methods_and_operators_take_floats_that_vary(dtype):
    x = numpy.array([0, 1, 1, 0], dtype)

    def f(x, p):
        y = x * 1.0
        y += p
        return (
            x + p,
            p / x,
            x**p,
            p**x,
            y,
            x.clip(-p, p),
            numpy.clip(x, -p, p, dtype="f8"),
            numpy.clip(x, p, None, dtype="f8"),
            numpy.where(x > 0, p, x),
            numpy.float_power(x, p),
            numpy.add(x, p, dtype="f8"),
            numpy.multiply.outer(x, p),
            numpy.maximum(p, x),
            divmod(x * 1.0, p),
            x < p,
            x == p,
        )

    def g(x, p):
        return [numpy.asarray(value) for value in quietly(f, x, p)]

    for backend in BACKENDS:
        compiled = np.compile(f, backend=backend)
        for p in (0.1, 1.1, 1.3, 1e6, 2.0, 0.5):
            for got, want in zip(quietly(compiled, x, p), g(x, p), strict=True):
                got = numpy.asarray(got)
                assert got.dtype == want.dtype
                rtol = 8 * numpy.finfo(want.dtype).eps if want.dtype.kind == "f" else 0
                numpy.testing.assert_allclose(got, want, rtol=rtol)


@pytest.mark.parametrize("turns", [1, 3, 5, 8])
def test_powers_of_a_number_that_varies(turns):
    """Their polynomials overflow where they do not: from some power on the number itself is guarded."""

    def f(x, n):
        a = n
        for _ in range(turns):
            a = (a + (a * a % 97)) % 10007
        return a, x * (a % 5)

    compiled = np.compile(f)
    for n in (4, 7, 4, 0, 11, -3, 10**6, 2**40):
        got, want = compiled(numpy.ones(3), n), f(numpy.ones(3), n)
        assert type(got[0]) is type(want[0]) and got[0] == want[0] and got[1].tolist() == want[1].tolist(), (n, got, want)


@pytest.mark.parametrize(
    "function, calls",
    [
        (lambda v, m: pow(v, -1, m), [(3, 7), (3, 11), (4, 11), (5, 13)]),
        (lambda v: pow(3, v, 7), [(3,), (4,), (5,), (6,)]),
        (lambda x, m: x * pow(3, 2, m), [(X64, 3), (X64, 4), (X64, 5)]),
        (lambda v, w: slice(v, w, 2), [(1, 7), (2, 9), (3, 5)]),
        (lambda x: (slice(1, len(x)), {"all": numpy.s_[: len(x), ...]}), [(X64[:7],), (X64[:9],), (X64[:5],)]),
    ],
)
def test_moduli_and_slices_of_what_varies(function, calls):
    compiled = np.compile(function)
    for arguments in calls:
        got, wanted = compiled(*arguments), function(*arguments)
        assert repr(got) == repr(wanted) and type(got) is type(wanted)


@pytest.mark.parametrize("function", [lambda x: x[0] ** 2, lambda x: x.any() ** 2, lambda x: x**2])
def test_squares_of_flags(function):
    x = numpy.array([True, False])
    assert np.compile(function)(x).dtype == function(x).dtype
