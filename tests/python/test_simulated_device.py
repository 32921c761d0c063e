"""Simulated devices in Python processes: they are listed as FASTNP_SIMULATED_DEVICE says, and the processor goes on as without."""

from __future__ import annotations

import subprocess
import sys

import pytest
import simulated

SHOW = """
import fastnp as np
for device in np.cuda.devices():
    print(device.name, device.model, device.memory_bytes >> 20, device.compute_capability)
assert np.cuda.is_available()
assert float(np.compile(lambda x: (x * 2).sum())(np.arange(5.0))) == 20.0
"""
pytestmark = pytest.mark.skipif(not simulated.library().exists(), reason="the package has no simulated devices beside it")
LOAD = f"import sys; sys.path.insert(0, {str(simulated.__file__).removesuffix('simulated.py')!r}); import simulated; simulated.load()\n"


@pytest.mark.parametrize("preloaded", [True, False])
@pytest.mark.parametrize(("devices", "mebibytes"), [(1, 4096), (3, 256)])
def test_devices_are_listed(devices: int, mebibytes: int, preloaded: bool) -> None:
    environment = simulated.environment(devices, mebibytes)
    if not preloaded:
        del environment["LD_PRELOAD"]
    run = subprocess.run([sys.executable, "-c", SHOW if preloaded else LOAD + SHOW], env=environment, capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [f"cuda:{i} simulated {mebibytes} 80" for i in range(devices)]


ERRORS = """
import numpy
import fastnp as np
with np.device("cuda"):
    x, whole = np.arange(5.0) - 2, np.arange(5)
    compiled = np.compile(lambda x: 1 / x)
    for function in [compiled, lambda x: 1 / x]:
        function(x)
        with numpy.errstate(divide="raise"):
            try:
                function(x)
            except RuntimeError as error:
                print(error)
            whole + 1
        function(x)
"""


def test_floating_point_errors_that_are_asked_for_are_refused() -> None:
    run = subprocess.run([sys.executable, "-c", ERRORS], env=simulated.environment(1, 512), capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr
    assert [line.startswith("a device tells no floating-point errors") for line in run.stdout.splitlines()] == [True] * 2
