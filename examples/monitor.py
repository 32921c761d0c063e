"""A monitor of measurements: means and a histogram that an object keeps, and a line where something is odd. State and prints, compiled."""

import contextlib
import io

import numpy
from timing import median_ms, report

import fastnp as np


class Monitor:
    def __init__(self, channels):
        self.mean = numpy.zeros(channels)
        self.variance = numpy.ones(channels)
        self.histogram = numpy.zeros(64)
        self.alarms = []

    def update(self, batch):
        self.mean = 0.9 * self.mean + 0.1 * batch.mean(axis=0)
        self.variance = 0.9 * self.variance + 0.1 * ((batch - self.mean) ** 2).mean(axis=0)
        deviation = (batch - self.mean) / numpy.sqrt(self.variance)
        numpy.add.at(self.histogram, numpy.clip(deviation.mean(axis=1) * 32 + 32, 0, 63).astype(numpy.int64), 1)
        worst = numpy.abs(deviation).max()
        if worst > 6:
            print("odd:", worst)
            self.alarms.append(worst)


class FastMonitor(Monitor):
    update = np.compile(Monitor.update)


rng = numpy.random.default_rng(0)
batches = [rng.normal(size=(2000, 64)) * (9 if number == 7 else 1) for number in range(20)]


def watched(cls):
    monitor, said = cls(64), io.StringIO()
    with contextlib.redirect_stdout(said):
        for batch in batches:
            monitor.update(batch)
    return monitor, said.getvalue()


(plain, said), (fast, says) = watched(Monitor), watched(FastMonitor)
assert numpy.array_equal(fast.histogram, plain.histogram)
assert numpy.allclose(fast.mean, plain.mean, rtol=1e-12) and len(fast.alarms) == len(plain.alarms) > 0
assert len(says.splitlines()) == len(said.splitlines())
assert FastMonitor.update.cache_info().compiles == 2  # with and without an alarm
error = float(numpy.abs(fast.variance - plain.variance).max())
report("monitor 20 x 2000 x 64", median_ms(lambda: watched(Monitor), 5), median_ms(lambda: watched(FastMonitor)), error)
