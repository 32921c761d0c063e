"""Newton's method for two equations, from 43,200 starts at once: the Jacobian by jacfwd, all starts by vmap.

Where the starts end makes a fractal.
"""

import numpy

import fastnp as np


def equations(p):
    """The real and the imaginary part of z^3 - 1, as two equations in two unknowns."""
    x, y = p[0], p[1]
    return np.stack([x**3 - 3 * x * y**2 - 1, 3 * x**2 * y - y**3])


def newton(start):
    """Where it ends, and after how many steps."""

    def goes_on(state):
        p, steps = state
        return (np.max(np.abs(equations(p))) > 1e-10) & (steps < 60)

    def step(state):
        p, steps = state
        return p - np.linalg.solve(np.jacfwd(equations)(p), equations(p)), steps + 1

    return np.while_loop(goes_on, step, (start, 0))


x, y = numpy.meshgrid(numpy.linspace(-1.6, 1.6, 240), numpy.linspace(-1.2, 1.2, 180))
starts = numpy.stack([x.ravel(), y.ravel()], axis=1)
ends, steps = np.compile(np.vmap(newton))(starts)
roots = numpy.array([[1.0, 0.0], [-0.5, numpy.sqrt(0.75)], [-0.5, -numpy.sqrt(0.75)]])
distance = numpy.sqrt(numpy.sum((ends[:, None] - roots) ** 2, axis=-1))
nearest = distance.argmin(axis=1)
assert distance.min(axis=1).max() < 1e-9
ended = [int((nearest == root).sum()) for root in range(3)]
print(f"newton: {ended[0]}, {ended[1]} and {ended[2]} starts end at the three roots")
assert ended[1] == ended[2]  # a mirror image
print(f"newton: {steps.mean():.4f} steps on average, {steps.max()} at most")
