"""Effects of compiled functions happen at every call, in order, with that call's values; and the functions are compiled."""

from __future__ import annotations

import gc
import weakref

import numpy
import pytest

import fastnp as np

X = numpy.array([1.0, 2.0, 3.0])
HISTORY: list = []
WEIGHTS = numpy.ones(3)
LAST = None


@pytest.fixture(autouse=True)
def surroundings():
    global WEIGHTS, LAST
    HISTORY.clear()
    WEIGHTS = numpy.ones(3)
    LAST = None


def assert_compiled(function, compiles):
    info = function.cache_info()
    assert (info.compiles, info.uncompiled) == (compiles, 0), np.explain(function)(X).uncompiled


def test_both_branches_of_the_reference_program_print_at_every_call(capsys):
    @np.compile
    def toy_example(a, b):
        x = a / (numpy.abs(a) + 1)
        if b.sum() < 0:
            print("woo")
            b = b * -1
        return x * b

    for sign in (1, -1, -1, 1, -1):
        numpy.testing.assert_array_equal(toy_example(X, X * sign), X / (X + 1) * X)
        assert capsys.readouterr().out == ("woo\n" if sign < 0 else "")
    assert_compiled(toy_example, 2)


def test_prints_show_arrays_as_they_are_then(capsys):
    @np.compile
    def f(x):
        y = x * 2
        print("y", y, y.sum())
        y[0] = 100
        print(y, end=";")
        return y

    for scale in (1, 2):
        f(X * scale)
        y = X * scale * 2
        shown = f"y {y} {y.sum()}\n"
        y[0] = 100
        assert capsys.readouterr().out == shown + f"{y};"
    assert_compiled(f, 1)


def test_growing_list():
    @np.compile
    def f(x):
        HISTORY.append(x * 2)
        HISTORY.extend([x.sum(), "text"])
        return x + 1

    for n in range(5):
        f(X + n)
    assert_compiled(f, 1)
    assert [type(item) for item in HISTORY[:3]] == [numpy.ndarray, numpy.float64, str]
    numpy.testing.assert_array_equal(numpy.stack(HISTORY[::3]), [(X + n) * 2 for n in range(5)])
    assert HISTORY[1::3] == [(X + n).sum() for n in range(5)]


def test_growing_list_holds_the_array_that_is_returned():
    @np.compile
    def f(x):
        y = x * 2
        HISTORY.append(y)
        y[0] = 7
        return y

    for _ in range(3):
        assert f(X) is HISTORY[-1]
    assert HISTORY[0] is not HISTORY[1]
    assert HISTORY[0][0] == 7
    assert_compiled(f, 1)


def test_list_that_is_read_too():
    @np.compile
    def f(x):
        HISTORY.append(x.sum())
        return x * len(HISTORY)

    for n in range(8):
        numpy.testing.assert_array_equal(f(X), X * (n + 1))
    assert "changes a list" in str(np.explain(f)(X))


def test_list_that_is_only_read_is_guarded():
    def g(x):
        out = []
        out.append(x * HISTORY[0])
        return out

    f = np.compile(g)
    for value in (1.0, 2.0, 2.0, 3.0):
        HISTORY[:] = [value]
        numpy.testing.assert_array_equal(f(X)[0], X * value)
    assert_compiled(f, 3)


def test_a_growing_list_that_is_also_an_argument():
    @np.compile
    def f(log, x):
        HISTORY.append(x.sum())
        return x * len(log)

    for n in range(4):
        numpy.testing.assert_array_equal(f([1, 2], X), X * 2)
        numpy.testing.assert_array_equal(f(HISTORY, X), X * (2 * n + 2))


def test_global_state():
    @np.compile
    def f(x):
        global WEIGHTS, LAST
        WEIGHTS = WEIGHTS - 0.5 * x
        LAST = WEIGHTS.sum()
        return WEIGHTS

    for n in range(5):
        result = f(X)
        assert result is WEIGHTS
        numpy.testing.assert_array_equal(result, 1 - 0.5 * X * (n + 1))
        assert result.sum() == LAST
    assert_compiled(f, 1)


def test_training_loop_over_attributes():
    class Model:
        def __init__(self):
            self.weight = numpy.zeros(3)
            self.velocity = {"weight": numpy.zeros(3)}
            self.loss = None

        @np.compile
        def step(self, x):
            error = self.weight - x
            self.velocity["weight"] = 0.5 * self.velocity["weight"] - 0.1 * error
            self.weight = self.weight + self.velocity["weight"]
            self.loss = (error * error).sum()

    model, expected = Model(), Model()
    for _ in range(40):
        model.step(X)
        Model.step.__wrapped__(expected, X)
        numpy.testing.assert_allclose(model.weight, expected.weight, rtol=1e-12)
        numpy.testing.assert_allclose(model.loss, expected.loss, rtol=1e-12)
    assert Model.step.cache_info().compiles == 1
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_closure_state():
    state = numpy.zeros(3)

    @np.compile
    def f(x):
        nonlocal state
        state = state + x
        return state * 2

    for n in range(4):
        numpy.testing.assert_array_equal(f(X), X * (n + 1) * 2)
    numpy.testing.assert_array_equal(state, X * 4)
    assert_compiled(f, 1)


def test_items_of_arguments():
    @np.compile
    def f(parameters, log, x):
        parameters["w"] = parameters["w"] - x
        parameters["nested"][0] = parameters["w"].sum()
        log += [x * 2]
        return parameters

    for _ in range(3):
        parameters, log = {"w": X, "nested": [None, 1]}, []
        assert f(parameters, log, X + 1) is parameters
        numpy.testing.assert_array_equal(parameters["w"], [-1.0, -1.0, -1.0])
        assert parameters["nested"] == [-3.0, 1]
        assert len(log) == 1
    assert_compiled(f, 1)


def test_one_dict_in_two_places():
    @np.compile
    def f(a, b, x):
        a["x"] = x * 2
        return b["x"] + 1

    for _ in range(2):
        both = {"x": X}
        numpy.testing.assert_array_equal(f(both, both, X), X * 2 + 1)
        numpy.testing.assert_array_equal(f({"x": X}, {"x": X}, X), X + 1)


def test_text_that_grows_at_every_call_runs_as_written():
    text = ""

    @np.compile
    def f(x):
        nonlocal text
        text += "."
        return x * len(text)

    for n in range(9):
        numpy.testing.assert_array_equal(f(X), X * (n + 1))
    assert text == "." * 9
    assert f.cache_info().compiles <= 4
    assert "at every call" in str(np.explain(f)(X))


def test_effect_calls_a_function_with_values_of_the_time():
    def note(x, *, name):
        HISTORY.append((name, x.tolist()))

    @np.compile
    def f(x):
        y = x * 2
        np.effect(note, y, name="y")
        y[0] = 0
        return y

    f(X)
    f(X + 1)
    assert HISTORY == [("y", [2.0, 4.0, 6.0]), ("y", [4.0, 6.0, 8.0])]
    assert_compiled(f, 1)


def test_an_effect_that_raises():
    def fail(x):
        raise KeyError(float(x))

    @np.compile
    def f(x):
        np.effect(fail, x.sum())
        return x

    for n in range(2):
        with pytest.raises(KeyError, match=str((X + n).sum())):
            f(X + n)
    assert_compiled(f, 1)


def test_another_array_in_the_same_place_is_an_input():
    class Model:
        weight = None

    model = Model()

    @np.compile
    def f(x):
        return x * model.weight + WEIGHTS

    global WEIGHTS
    for n in range(6):
        model.weight = X + n
        WEIGHTS = X * n
        numpy.testing.assert_array_equal(f(X), X * (X + n) + X * n)
    assert_compiled(f, 1)
    model.weight = WEIGHTS = X * 2  # one array in both places
    numpy.testing.assert_array_equal(f(X), X * (X * 2) + X * 2)


def test_arrays_read_by_name_live_no_longer_than_without():
    @np.compile
    def f(x):
        return x * WEIGHTS

    global WEIGHTS
    WEIGHTS = numpy.full(3, 2.0)
    f(X)
    gone = weakref.ref(WEIGHTS)
    WEIGHTS = numpy.ones(3)
    gc.collect()
    assert gone() is None


def test_stores_that_free_what_later_ones_store():
    """An attribute's or an item's old value belongs to its place alone, which lets go of it."""

    class Point:
        def __init__(self, x, y):
            self.x, self.y = x, y

    @np.compile
    def f(p, q, items, table, x):
        p.x, q.y = p.y - q.y * 0.5, p.x
        items[0], table["k"] = items[0] * 2, items[0]
        return x + 1

    for n in range(40):
        p, q, items, table = Point(10**6 + n, 0.25 * n), Point(n + 0.5, 10**5 + n), [10**7 + n], {"k": n + 0.125}
        f(p, q, items, table, X)
        assert (p.x, q.y, items, table) == (0.25 * n - (10**5 + n) * 0.5, 10**6 + n, [2 * (10**7 + n)], {"k": 10**7 + n})
