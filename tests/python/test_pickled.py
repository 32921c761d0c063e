"""Compiled functions that are sent to other processes: by name, and by value where cloudpickle would send a function so (joblib, dask, ray)."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest

import fastnp as np

PROGRAM = """
import sys
import cloudpickle
import fastnp as np
scale = 3.0
@np.compile
def f(x):
    return x * scale
@np.compile(dynamic={"x": {0: np.Dim("n", 1, 9)}})
def count(x, n):
    return x if n == 0 else count(x + 1, n - 1)
def task(x):
    return f(x) + 1
class Model:
    @np.compile
    def forward(self, x):
        return x * self.weight
model = Model()
model.weight = 5.0
local = (lambda k: np.compile(lambda x: x + k))(10.0)
sys.stdout.buffer.write(cloudpickle.dumps((task, f, count, model, local, np.compile(np.linalg.norm), np.vstack)))
"""
READER = """
import pickle, sys
task, f, count, model, local, norm, vstack = pickle.loads(sys.stdin.buffer.read())
import fastnp as np
x = np.ones(2)
print(*(float(each[0]) for each in (task(x), f(x), count(x, 3), model.forward(x), local(x))), float(norm(x)), vstack is np.vstack, f.cache_info().compiles)
"""


def test_functions_of_main_go_by_value():
    pytest.importorskip("cloudpickle")
    env = {**os.environ, "FASTNP_CACHE_DIR": ""}
    sent = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, env=env)
    assert sent.returncode == 0, sent.stderr.decode()
    read = subprocess.run([sys.executable, "-c", READER], input=sent.stdout, capture_output=True, env=env)
    assert read.stdout.decode().split() == ["4.0", "3.0", "4.0", "5.0", "11.0", "1.4142135623730951", "True", "1"], read.stderr.decode()


@np.compile
def known(x):
    return x + 1


def test_functions_of_modules_go_by_name():
    assert pickle.loads(pickle.dumps(known)) is known
    cloudpickle = pytest.importorskip("cloudpickle")
    assert pickle.loads(cloudpickle.dumps(known)) is known
    sent = cloudpickle.loads(cloudpickle.dumps(np.compile(lambda x: x * 2)))
    assert sent(np.ones(2)).tolist() == [2, 2]


def test_what_has_no_name_is_told_at_once():
    with pytest.raises(pickle.PicklingError, match="<lambda>"):
        pickle.dumps(np.compile(lambda x: x))
