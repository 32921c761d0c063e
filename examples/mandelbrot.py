"""The Mandelbrot set: for each point a while loop of its own, as native code, the rows shared by threads."""

import numpy

import fastnp as np


@np.compile
def escape_times(x, y, most):
    """How many iterations of z^2 + c stay within a circle of radius 2, for all c = x + iy."""
    times = np.zeros((len(y), len(x)), np.int64)
    for i in range(len(y)):
        for j in range(len(x)):
            re, im, n = 0.0, 0.0, 0
            while n < most and re * re + im * im <= 4.0:
                re, im = re * re - im * im + x[j], 2.0 * re * im + y[i]
                n += 1
            times[i, j] = n
    return times


x = numpy.linspace(-2.1, 0.7, 560)
y = numpy.linspace(-1.05, 1.05, 420)
times = escape_times(x, y, 300)
inside = int(numpy.sum(times == 300))
area = inside * (x[1] - x[0]) * (y[1] - y[0])
assert numpy.array_equal(times, times[::-1])  # c and its conjugate do alike
assert abs(area - 1.5066) < 0.03, area
print(f"mandelbrot: {times.sum()} iterations, {inside} of {times.size} points inside, an area of {area:.4f}")
