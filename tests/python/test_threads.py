"""Many threads in compiled functions at once, from the first call of a process on."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy

import fastnp as np

PROGRAM = """
import faulthandler, gc, threading, warnings
faulthandler.dump_traceback_later(100, exit=True)
import numpy
import fastnp as np

warnings.simplefilter("ignore")
errors = []

class Model:
    def __init__(self):
        self.weight = numpy.zeros(5)
        self.log = []

    @np.compile
    def step(self, x, k):
        self.weight = self.weight + x * k
        self.log.append(x.sum())
        if x.sum() < 0:
            return -self.weight
        return self.weight * 1

shared = np.compile(lambda x, k: x * k + x.sum() / x.shape[0])

def work(seed):
    rng = numpy.random.default_rng(seed)
    model, weight = Model(), numpy.zeros(5)
    try:
        for turn in range(200):
            k = float(rng.integers(0, 12))
            x = rng.normal(size=5)
            result = model.step(x, k)
            weight = weight + x * k
            assert numpy.allclose(model.weight, weight)
            assert numpy.allclose(result, -weight if x.sum() < 0 else weight)
            y = rng.normal(size=int(rng.integers(1, 9)))
            assert numpy.allclose(shared(y, k), y * k + y.mean())
            if turn % 60 == 0:
                gc.collect()
            if turn % 70 == 0 and seed == 0:
                Model.step.cache_clear()
                shared.cache_clear()
        assert len(model.log) == 200
    except BaseException as error:
        errors.append(error)
        raise

threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not errors
print("done")
"""


def test_threads():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr


def test_calls_of_the_outside_in_many_threads():
    """The GIL is let go in between, and what each call was given is its own."""
    share = np.compiler.pure(lambda x, k: x.mean() * k)

    def f(x, k):
        y = x * 2 + 1
        middle = numpy.median(y, axis=0)
        return y - middle, share(y, k) + k

    compiled = np.compile(f)
    inputs = [(numpy.random.default_rng(k).normal(size=(40, 3000 + k % 3)), float(k)) for k in range(12)]
    expected = [f(*each) for each in inputs]
    wrong: list[str] = []

    def work(start: int) -> None:
        for turn in range(12):
            at = (start + turn) % len(inputs)
            for got, want in zip(compiled(*inputs[at]), expected[at], strict=True):
                if not numpy.allclose(got, want):
                    wrong.append(f"{start} {turn}")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert compiled.cache_info().uncompiled == 0
