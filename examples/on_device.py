"""The reference program on a CUDA device, in three forms: NumPy's arrays in a device context, arrays that live on the device, and a gradient there."""

import numpy
from timing import median_ms, report

import fastnp as np


def outer_sum(X, Y):
    return np.sum(X[:, :, None] * Y[:, None, :], axis=(-2, -1))


def loss(X, Y):
    return np.mean(outer_sum(X, Y) ** 2)


rng = numpy.random.default_rng(0)
X = rng.standard_normal((32768, 64), dtype=numpy.float32)
Y = rng.standard_normal((32768, 64), dtype=numpy.float32)
fast = np.compile(outer_sum)
exact = X.sum(axis=1, dtype=numpy.float64) * Y.sum(axis=1, dtype=numpy.float64)


def differs(Z):
    return float(numpy.max(numpy.abs(numpy.asarray(Z) - exact) / numpy.maximum(numpy.abs(exact), 1)))


if not np.cuda.is_available():
    print(f"no CUDA device: {np.cuda.problem()}")
    try:
        with np.device("cuda"):
            raise AssertionError("there is none")
    except RuntimeError as error:
        print(f'np.device("cuda") says: {error}')
    raise SystemExit

# 1. NumPy's arrays go in: they are copied there, and NumPy's array comes back.
with np.device("cuda"):
    Z = fast(X, Y)
    assert type(Z) is numpy.ndarray
    assert differs(Z) < 1e-3
    in_context = median_ms(lambda: fast(X, Y))
report("NumPy's arrays", median_ms(lambda: numpy.einsum("ni,nj->n", X, Y), 3), in_context, differs(Z))

# 2. Arrays that live on the device: nothing is copied until the result is read.
x, y = np.asarray(X).to("cuda"), np.asarray(Y).to("cuda")
fast(x, y)
before = np.cuda.statistics()


def resident():
    for _ in range(20):
        z = fast(x, y)
    np.cuda.synchronize()
    return z


z = resident()
on_device = median_ms(resident) / 20
assert z.device == x.device
assert np.cuda.statistics().uploads == before.uploads
assert np.cuda.statistics().downloads == before.downloads
report("resident arrays", in_context, on_device, differs(z))

# 3. A gradient there: of the mean of the squares, 2/n Z_i sum(Y_i) for each element of the row X_i.
step = np.compile(np.value_and_grad(loss, argnums=(0, 1)))
value, (of_x, of_y) = step(x, y)
assert of_x.device == of_y.device == x.device
for gradient, other in ((of_x, Y), (of_y, X)):
    expected = 2 / len(X) * (exact * other.sum(axis=1, dtype=numpy.float64))[:, None] + numpy.zeros(other.shape)
    assert numpy.allclose(numpy.asarray(gradient), expected, rtol=1e-3, atol=1e-3 * float(numpy.abs(expected).max()))
assert numpy.isclose(float(value), float(numpy.mean(exact**2)), rtol=1e-4)


def gradients():
    for _ in range(20):
        step(x, y)
    np.cuda.synchronize()


report("loss and gradients", in_context, median_ms(gradients) / 20, abs(float(value) / float(numpy.mean(exact**2)) - 1))
