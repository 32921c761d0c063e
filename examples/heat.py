"""Heat spreading over a plate until it is still: a stencil written in place, and a loop that ends where the values say."""

import numpy
from timing import median_ms, report

import fastnp as np


def spread(plate, other, tolerance):
    """Steps between two plates; gives how many it took until no point moved more than the tolerance."""
    steps = 0
    while True:
        for a, b in ((plate, other), (other, plate)):
            b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        steps += 2
        if numpy.max(numpy.abs(plate - other)) < tolerance:
            return steps


def hot_edge():
    plate = numpy.zeros((300, 400))
    plate[0] = 100.0
    return plate, plate.copy()


def timed(run):
    plate, other = hot_edge()
    return run(plate, other, 0.2), plate


fast = np.compile(spread)
steps, still = timed(fast)
expected_steps, expected = timed(spread)
assert steps == expected_steps and numpy.array_equal(still, expected)
report("heat 300 x 400", median_ms(lambda: timed(spread), 5), median_ms(lambda: timed(fast)), 0.0)
