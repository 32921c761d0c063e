"""Logistic regression by Newton's method: gradient and Hessian of the loss as it is written.

The inverse Hessian says how sure the weights are.
"""

import numpy

import fastnp as np


def loss(weights, x, sign):
    """The negative logarithm of the likelihood, and a prior that keeps weights small."""
    return np.sum(np.log1p(np.exp(-sign * (x @ weights)))) + 0.005 * np.sum(weights**2)


@np.compile
def newton(weights, x, sign):
    """The next weights, the loss, the length of the gradient, and the Hessian."""
    value, gradient = np.value_and_grad(loss)(weights, x, sign)
    curvature = np.hessian(loss)(weights, x, sign)
    return weights - np.linalg.solve(curvature, gradient), value, np.sqrt(np.sum(gradient**2)), curvature


rng = np.random.default_rng(2)
size = 400
sign = numpy.where(numpy.arange(size) % 2 == 0, 1.0, -1.0)
points = 1.1 * rng.standard_normal((size, 2)) + sign[:, None] * numpy.array([0.9, 0.5])
# A constant, both coordinates, and their product.
x = numpy.column_stack([numpy.ones(size), points, points[:, :1] * points[:, 1:]])

weights, lengths = numpy.zeros(4), []
for _ in range(8):
    weights, value, length, curvature = newton(weights, x, sign)
    lengths.append(float(length))
deviations = numpy.sqrt(numpy.diag(numpy.linalg.inv(curvature)))
right = int(numpy.sum((x @ weights > 0) == (sign > 0)))
assert lengths[-1] < 1e-9 and right > 0.75 * size
assert newton.cache_info().compiles == 1
for name, weight, deviation in zip(("constant", "x", "y", "x y"), weights, deviations, strict=True):
    print(f"logistic regression: {name:<8} {weight:8.5f} +- {deviation:.5f}")
print(f"logistic regression: {right} of {size} points on their side, loss {value:.6f}")
