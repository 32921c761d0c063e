"""Compilations, calls, clearing and forks side by side, under a short switch interval: nothing stops for ever, and results are right. And where the
system gives no threads, or no memory, it is fewer threads, or an error."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys

import pytest
from support import LONG, SEED

RUNS = 1000 if LONG else 4

PROGRAM = """
import faulthandler, os, random, signal, sys, threading, time, warnings
import numpy
import fastnp as np

warnings.simplefilter("ignore")
sys.setswitchinterval(1e-5)
seed, runs = map(int, sys.argv[1:])


def median_branch(x, k):  # its plan calls NumPy in the middle, and reads a value
    m = numpy.median(x, axis=0)
    return x + m if m.sum() > k else x - m


def scaled(x, k):
    return x * k + x.sum() / x.shape[0]


def pieces(x, k):  # it is cut at a break
    y = numpy.cumsum(x, axis=0) * k
    time.monotonic()
    return numpy.tanh(y) + k


def child(functions, x):
    for plain, compiled in functions:
        if not numpy.allclose(compiled(x, 2.0), plain(x, 2.0)):
            os._exit(2)
    fresh = np.compile(lambda a: a * 3 + x.sum())
    os._exit(0 if numpy.allclose(fresh(x), x * 3 + x.sum()) else 3)


def wait_for(pid):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "it hangs"


def run(seed):
    functions = [(plain, np.compile(plain)) for plain in (median_branch, scaled, pieces)]
    wrong = []

    def work(number):
        draw = numpy.random.default_rng([seed, number])
        for turn in range(25):
            x = draw.normal(size=(int(draw.integers(1, 9)), 6)).astype(["f4", "f8"][turn % 2])
            k = float(draw.integers(-2, 3))
            plain, compiled = functions[int(draw.integers(3))]
            try:
                if not numpy.allclose(compiled(x, k), plain(x, k), atol=1e-4):
                    wrong.append((number, turn, plain.__name__))
                if turn % 10 == number % 10:
                    compiled.cache_clear()
            except BaseException as error:
                wrong.append((number, turn, repr(error)))
                raise

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    draw = random.Random(seed)
    for _ in range(2):
        time.sleep(draw.random() * 0.05)
        pid = os.fork()
        if pid == 0:
            child(functions, numpy.ones((5, 6)))
        ended = wait_for(pid)
        if ended != 0:
            wrong.append(("child", ended))
    for thread in threads:
        thread.join()
    assert not wrong, (seed, wrong)


for number in range(runs):
    faulthandler.dump_traceback_later(90, exit=True)
    run(seed + number)
print("done")
"""


def python(program: str, *arguments: str, seconds: float, environment: dict[str, str] | None = None, before: str = "") -> subprocess.CompletedProcess[str]:
    inherited = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "FASTNP_CACHE_DIR": "", **(environment or {})}
    command = [sys.executable, "-c", program, *arguments]
    if before:
        command = ["bash", "-c", f'{before}; exec "$@"', "bash", *command]
    return subprocess.run(command, env=inherited, capture_output=True, text=True, timeout=seconds)


def test_compile_call_clear_and_fork():
    done = python(PROGRAM, str(SEED), str(RUNS), seconds=100 + 30 * RUNS)
    assert done.returncode == 0 and done.stdout == "done\n", (f"FASTNP_TEST_SEED={SEED}", done.stdout[-2000:], done.stderr[-4000:])


@pytest.mark.skipif(not LONG, reason="the thread that calls waits for ten seconds")
def test_a_thread_that_records_may_wait_for_one_that_calls():
    """The user's own lock, taken in the compiled function and around a call of it: the one that calls does not wait for ever."""
    program = """
import faulthandler, threading, numpy, fastnp as np
faulthandler.dump_traceback_later(50, exit=True)
lock = threading.RLock()
inside, outside = threading.Event(), threading.Event()

@np.compiler.pure
def guarded(x):
    inside.set()
    outside.wait(20)
    with lock:
        return x * 2

f = np.compile(lambda x: guarded(x) + 1)

def call_with_lock():
    inside.wait(20)
    with lock:
        outside.set()
        assert f(numpy.ones(3))[0] == 3.0

other = threading.Thread(target=call_with_lock)
other.start()
assert f(numpy.ones(3))[0] == 3.0
other.join()
print("done")
"""
    done = python(program, seconds=60)
    assert done.stdout == "done\n", done.stderr[-3000:]


def test_a_process_that_gets_few_threads_uses_fewer():
    program = "import numpy, fastnp as np\nx = numpy.ones((2000, 1000))\nprint(np.compile(lambda x: numpy.tanh(x) + 1)(x).shape)\n"
    done = python(program, seconds=60, environment={"FASTNP_NUM_THREADS": "1000"}, before="ulimit -v 3000000")
    assert done.stdout == "(2000, 1000)\n", (done.returncode, done.stderr[-3000:])


@pytest.mark.parametrize(
    "product",
    [
        "np.matmul(x, x.T)",
        "np.linalg.solve(square, square)",
        "np.compile(lambda a: a @ a.T)(x)",
        "np.compile(lambda a: np.exp(a[:400, :400]) + a.sum())(x)",
    ],
)
def test_products_without_memory_are_memory_errors(product):
    room = random.Random(SEED).choice([0.1, 1, 5, 20, 30, 40, 43, 46, 50, 60])
    print("megabytes", room)
    program = f"""
import resource, numpy, fastnp as np
x = np.asarray(numpy.ones((500, 1000)))
square = np.asarray(numpy.eye(400))
np.sin(x)
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + int({room} * (1 << 20)), resource.RLIM_INFINITY))
try:
    print({product}.shape)
except MemoryError:
    print("MemoryError")
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print({product}.shape == ({product}).shape)
"""
    done = python(program, seconds=60, environment={"FASTNP_NUM_THREADS": "2"})
    assert done.stdout in ("MemoryError\nTrue\n", "(400, 400)\nTrue\n", "(500, 500)\nTrue\n"), (done.returncode, done.stdout, done.stderr[-3000:])


def test_an_interruption_between_effects_loses_none():
    """What the compiled code did is done, so are the stores that belong to it."""
    program = """
import signal, numpy, fastnp as np

class Model:
    def __init__(self):
        self.steps = self.other = 0
        self.weight = numpy.zeros(4)
        self.log = []

    @np.compile
    def step(self, x, send):
        self.weight += x
        np.effect(send)
        self.steps = self.steps + 1
        self.log.append(x.sum())
        self.other = self.steps
        return x

def interrupt():
    if armed:
        signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have it ignore
armed, model, x, caught = False, Model(), numpy.ones(4), 0
for turn in range(40):
    armed = turn % 3 == 2
    try:
        model.step(x, interrupt)
    except KeyboardInterrupt:
        caught += 1
    assert (model.weight == turn + 1).all(), (turn, model.weight)
    assert model.steps == model.other == turn + 1 and len(model.log) == turn + 1, (turn, vars(model))
assert caught == 13, caught
print("done")
"""
    done = python(program, seconds=60)
    assert done.stdout == "done\n", done.stderr[-3000:]


def test_interruptions_at_any_time_leave_state_whole():
    """Signals by a timer: after each call all of its effects are done, or none."""
    program = """
import random, signal, sys, time, numpy, fastnp as np

class Model:
    def __init__(self):
        self.a = self.b = self.c = 0
        self.total = numpy.zeros(3)

    @np.compile
    def step(self, x):
        self.a = self.a + 1
        self.total += x
        self.b = self.b + 1
        self.c = self.c + 1
        return x

draw, model, x, caught = random.Random(int(sys.argv[1])), Model(), numpy.ones(3), 0
for _ in range(5):
    model.step(x)
until = time.monotonic() + float(sys.argv[2])
signal.signal(signal.SIGALRM, signal.default_int_handler)
while time.monotonic() < until:
    try:
        signal.setitimer(signal.ITIMER_REAL, draw.random() * 2e-4 + 1e-6)
        while True:
            model.step(x)
    except KeyboardInterrupt:
        caught += 1
    state = (model.a, model.b, model.c, *model.total)
    assert len(set(map(float, state))) == 1, state
assert caught > 0
print("done")
"""
    done = python(program, str(SEED), "60" if LONG else "2", seconds=120)
    assert done.returncode == 0 and done.stdout == "done\n", (f"FASTNP_TEST_SEED={SEED}", signal.SIGINT, done.stdout, done.stderr[-3000:])
