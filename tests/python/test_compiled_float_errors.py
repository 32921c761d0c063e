"""Floating-point errors of compiled functions: what NumPy says of the same program, at the same lines, under the state that holds there."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import LONG, values_of

import fastnp as np

PROGRAMS = 2000 if LONG else 60
STATES: list[dict[str, str]] = [{}, {}, {"all": "ignore"}, {"divide": "raise"}, {"invalid": "raise", "over": "ignore"}, {"all": "warn"}]


def store(m, x, y):
    made = m.zeros(x.shape, x.dtype)
    made[...] = y
    return made


def overwritten(m, x, y):
    made = x.copy()
    made /= y
    return made


STEPS: list[Callable[..., Any]] = [
    lambda m, x, y: x + y,
    lambda m, x, y: x - y,
    lambda m, x, y: x * y,
    lambda m, x, y: x / y,
    lambda m, x, y: m.sqrt(x),
    lambda m, x, y: m.floor_divide(x, y),
    lambda m, x, y: m.remainder(x, y),
    lambda m, x, y: m.where(x > 0.5, x / y, y),
    lambda m, x, y: m.maximum(x, y),
    lambda m, x, y: m.sum(x[:2]) + y,
    lambda m, x, y: m.max(x) - y,
    lambda m, x, y: m.square(x).cumsum(),
    lambda m, x, y: x.astype("i4") + y,
    lambda m, x, y: x.astype("f4") + y,
    lambda m, x, y: x[::-1] / y,
    lambda m, x, y: 1 / x + y,
    lambda m, x, y: m.sign(x) * y,
    overwritten,
    store,
]
EXACT = len(STEPS)
# Their results may differ from NumPy's in the last place, of complex numbers by more: what is done with these need not have the same errors then.
STEPS += [
    lambda m, x, y: m.log(x),
    lambda m, x, y: m.exp(x),
    lambda m, x, y: m.power(x, y),
    lambda m, x, y: m.arcsin(x),
    lambda m, x, y: m.expm1(x),
]


class Program:
    """Random steps, of which some are under a state of their own, and some in a loop. All values count."""

    def __init__(self, rng: random.Random, kind: str) -> None:
        count = EXACT if kind == "c16" else len(STEPS)
        self.lines = [
            (rng.randrange(count), rng.randrange(i + 2), rng.randrange(i + 2), rng.choice(STATES), rng.choice([1, 1, 1, 3]))
            for i in range(rng.randint(1, 4))
        ]
        self.in_place = rng.random() < 0.3

    def made(self, m: Any) -> Callable[..., Any]:
        lines, in_place = self.lines, self.in_place

        def run(x, y):
            values = [x, y]
            for step, first, second, state, turns in lines:
                with numpy.errstate(**state) if state else contextlib.nullcontext():
                    for _ in range(turns):
                        value = STEPS[step](m, values[first], values[second])
                values.append(value)
            if in_place:
                x[...] = values[-1]
            return values[2:]

        return run


def _flags_tiny() -> bool:
    with warnings.catch_warnings(record=True) as seen, numpy.errstate(under="warn"):
        warnings.simplefilter("always")
        numpy.exp(numpy.full(3, 1e-39, "f4"))
    return bool(seen)


# NumPy's vector form of exp says so of tiny float32, whose result is 1 (on some processors).
NOT_COMPARED = "underflow encountered in exp" if _flags_tiny() else None


def said(run: Callable[[], Any], mode: str) -> list[Any]:
    """All that a call has to say, in order, with its place."""
    told: list[Any] = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", np.RecompileWarning)
        with numpy.errstate(divide=mode, over=mode, invalid=mode, call=lambda kind, flag: told.append(kind)):
            try:
                run()
            except FloatingPointError as error:
                told.append(("error", str(error)))
            except (TypeError, ValueError) as error:
                told.append(type(error).__name__)
    counted = [warning for warning in seen if str(warning.message) != NOT_COMPARED]
    return told + [(warning.category.__name__, str(warning.message), warning.filename, warning.lineno) for warning in counted]


def arguments(kind: str, size: int, seed: int) -> list[numpy.ndarray]:
    if kind == "tame":
        rng = numpy.random.default_rng(seed)
        return [rng.uniform(0.1, 0.9, size) for _ in range(2)]
    with numpy.errstate(all="ignore"):
        found = [values_of(numpy.dtype(kind), 100, seed + i)[:size].copy() for i in range(2)]
    for x in found if kind == "c16" else []:  # NumPy's complex division overflows also in the way that it does not take
        parts = x.view("f8")
        parts[numpy.isfinite(parts) & (abs(parts) > 1e100)] = 1e100
    return found


def test_random_programs():
    seed = random.randrange(2**32)
    print("seed", seed)
    for number in range(PROGRAMS):
        rng = random.Random(seed + number)
        kind, size = rng.choice(["f8", "f4", "tame", "i4", "c16"]), rng.choice([1, 3, 40])
        program = Program(rng, kind)
        ours, theirs = np.compile(program.made(np)), program.made(numpy)
        for call in range(3):
            for mode in rng.sample(["warn", "raise", "call", "ignore"], 2):
                given = arguments(rng.choice([kind, kind, "tame"]), size, rng.randrange(2**31))
                mine, other = [np.array(x) for x in given], [x.copy() for x in given]
                expected = said(lambda x=other, f=theirs: f(*x), mode)
                found = said(lambda x=mine, f=ours: f(*x), mode)
                assert found == expected, (seed + number, call, mode, program.lines, [x.tolist() for x in given])
                if program.in_place and kind != "c16" and all(line[0] < EXACT for line in program.lines):
                    near = 1e-4 if kind == "f4" else 1e-10
                    numpy.testing.assert_allclose(numpy.asarray(mine[0]), other[0], rtol=near, atol=near, err_msg=str(seed + number))


def test_the_state_around_decides_at_each_call():
    ratio = np.compile(lambda x, y: x / y)
    one, none = np.ones(5), np.zeros(5)
    for _ in range(3):
        with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError, match="^divide by zero encountered in divide$"):
            ratio(one, none)
        with numpy.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")
            assert ratio(one, none).tolist() == [numpy.inf] * 5
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            ratio(one, none)
        with numpy.errstate(under="raise"), pytest.raises(FloatingPointError, match="underflow"):
            ratio(one * 1e-300, one * 1e300)


def test_what_was_written_is_as_if_done_once():
    def halve(x, y):
        x -= 1
        y[1:] /= x[1:]
        return x * 2

    compiled = np.compile(halve)
    for size in [4, 100_000]:
        for zero_at in [None, 2, None, 3]:
            mine, other = [np.arange(size) + 2.0, np.ones(size)], [numpy.arange(size) + 2.0, numpy.ones(size)]
            if zero_at is not None:
                mine[0][zero_at] = other[0][zero_at] = 1
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                result = compiled(*mine)
            assert [str(each.message) for each in seen] == (["divide by zero encountered in divide"] if zero_at is not None else [])
            with numpy.errstate(all="ignore"):
                expected = halve(*other)
            for got, want in [(result, expected), (mine[0], other[0]), (mine[1], other[1])]:
                numpy.testing.assert_array_equal(numpy.asarray(got), want)


def test_effects_and_random_numbers_happen_once():
    seen: list[int] = []
    rng, twin = numpy.random.default_rng(7), numpy.random.default_rng(7)

    @np.compile
    def noisy(x):
        seen.append(1)
        return np.log(x) + rng.random(3)

    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        first = noisy(np.zeros(3))
    second = noisy(np.ones(3))
    assert first.tolist() == [-numpy.inf] * 3
    twin.random(3)
    assert second.tolist() == twin.random(3).tolist()
    assert len(seen) == 2


def test_warnings_shown_once_do_not_cost_for_ever():
    calls = 0

    def logged(x):
        return np.log(x) * 2

    compiled, zeros = np.compile(logged), np.zeros(5)

    def count(frame, event, arg):
        nonlocal calls
        calls += event == "call" and frame.f_code is logged.__code__

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled(zeros)
        sys.setprofile(count)
        try:
            for _ in range(1000):
                compiled(zeros)
        finally:
            sys.setprofile(None)
    assert calls < 30


def test_tame_data_is_never_computed_twice():
    seed = random.randrange(2**32)
    print("seed", seed)
    runs = 0
    for number in range(40):
        rng = random.Random(seed + number)
        program = Program(rng, "tame")
        program.lines = [(step, first, second, {}, turns) for step, first, second, _, turns in program.lines]
        function = program.made(np)
        compiled = np.compile(function)

        def count(frame, event, arg, code=function.__code__):
            nonlocal runs
            runs += event == "call" and frame.f_code is code

        given = [np.array(x) for x in arguments("tame", rng.choice([1, 5, 13, 40]), rng.randrange(2**31))]
        plain = program.made(numpy)
        if said(lambda f=plain, x=given: f(*(numpy.array(y) for y in x)), "warn"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            compiled(*[x.copy() for x in given])
            sys.setprofile(count)
            try:
                compiled(*[x.copy() for x in given])
            finally:
                sys.setprofile(None)
        assert runs == 0, (seed + number, program.lines)


def test_a_second_process_knows_the_states_inside(tmp_path):
    path = tmp_path / "states.py"
    path.write_text(
        "import numpy, warnings\nimport fastnp as np\nwarnings.simplefilter('ignore')\n"
        "@np.compile\ndef f(x):\n    with np.errstate(under='raise'):\n        return x * 1e-300\n"
        "for _ in range(2):\n    try:\n        f(np.full(3, 1e-300))\n"
        "    except FloatingPointError as error:\n        print(error)\nprint(f.cache_info().compiles)\n"
    )
    environment = {**os.environ, "FASTNP_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment, check=True)
        assert done.stdout.splitlines()[:2] == ["underflow encountered in multiply"] * 2, done.stdout + done.stderr


def test_infinities_that_meet_in_folds():
    """Sums have another order in compiled code: one that is NaN has NumPy asked."""
    from test_float_errors import LINES, draw_infinities, is_of_padding

    seed = random.randrange(2**32)
    print("seed", seed)
    rng = random.Random(seed)
    compiled = {name: np.compile(lambda x, run=run: run(np, x * 1)) for name, run in LINES.items()}
    compiled["dot"] = np.compile(lambda x: np.dot(x, x[::-1] * 2))
    plain = {name: (lambda x, run=run: run(numpy, x * 1)) for name, run in LINES.items()}
    plain["dot"] = lambda x: numpy.dot(x, x[::-1] * 2)
    for name in list(compiled) * 6:
        drawn, x = draw_infinities(rng, "fd")
        if is_of_padding(name, x):
            continue
        for mode in rng.sample(["warn", "raise", "call", "ignore"], 2):
            ours, theirs = np.array(x), x.copy()
            found = said(lambda f=compiled[name], given=ours: f(given), mode)
            expected = said(lambda f=plain[name], given=theirs: f(given), mode)
            found, expected = ([entry[:2] for entry in told] for told in (found, expected))
            assert found == expected, (seed, drawn, name, mode, x.dtype, x.tolist())


def test_large_arrays_that_are_written_over():
    """What can't be started over is not passed over in silence: the first call that is suspicious says so, later ones say what."""

    def halve(x, y):
        y /= x

    for state in [{}, {"divide": "raise"}]:
        compiled = np.compile(halve)
        x, y = np.ones(100_000), np.ones(100_000)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(3):
                compiled(x, y)
        x[7] = 0
        with numpy.errstate(**state):
            if state:
                with pytest.raises(FloatingPointError, match="^divide by zero encountered in divide$"):
                    compiled(x, y)
                continue
            with pytest.warns(RuntimeWarning, match="^divide by zero may have been encountered in .*halve"):
                compiled(x, y)
            for _ in range(2):
                y[...] = 1
                with pytest.warns(RuntimeWarning, match="^divide by zero encountered in divide$"):
                    compiled(x, y)


def test_draws_of_a_call_with_an_error_are_those_of_the_function():
    """The last draw of a function saves no state, until a call met an error."""

    def drawn(x):
        numpy.random.seed(5)
        return (x - x) * numpy.random.rand()

    compiled = np.compile(drawn)
    compiled(numpy.ones(2))
    x = numpy.array([1.0, numpy.inf])
    with pytest.warns(RuntimeWarning, match="^invalid value may have been encountered in drawn"):
        assert numpy.isnan(compiled(x)[1])
    after = numpy.random.rand()
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="^invalid value encountered in subtract$"):
            assert numpy.array_equal(compiled(x), [0.0, numpy.nan], equal_nan=True)
        assert numpy.random.rand() == after
    with numpy.errstate(invalid="raise"), pytest.raises(FloatingPointError, match="^invalid value encountered in subtract$"):
        compiled(x)


def test_states_inside_keep_what_is_overwritten():
    @np.compile
    def halve(x, y):
        with numpy.errstate(divide="raise"):
            y /= x

    x, y = np.ones(100_000), np.ones(100_000)
    halve(x, y)
    halve(x, y)
    x[7] = 0
    with pytest.raises(FloatingPointError, match="^divide by zero encountered in divide$"):
        halve(x, y)
