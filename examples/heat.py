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


def heated():
    """A plate with a hot edge and two hot discs, and its copy."""
    plate = numpy.zeros((300, 400))
    rows, columns = numpy.arange(300)[:, None], numpy.arange(400)
    for row, column, radius in ((120, 110, 45), (190, 280, 70)):
        plate[(rows - row) ** 2 + (columns - column) ** 2 < radius**2] = 60.0
    plate[0] = 100.0
    return plate, plate.copy()


def timed(run):
    plate, other = heated()
    return run(plate, other, 0.6), plate


fast = np.compile(spread)
steps, still = timed(fast)
expected_steps, expected = timed(spread)
assert steps == expected_steps and numpy.array_equal(still, expected)
print(f"heat: still after {steps} steps, {still.mean():.6f} degrees on average, {still[190, 280]:.6f} in the middle of a disc")
report("heat 300 x 400", median_ms(lambda: timed(spread), 3), median_ms(lambda: timed(fast), 9), 0.0)
