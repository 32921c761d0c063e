"""The reference program: an outer product of every row, summed. NumPy makes the whole product in memory; compiled, one kernel reads X and Y."""

import time

import numpy
from timing import median_ms, report

import fastnp as np


def outer_sum(X, Y):
    return numpy.sum(X[:, :, None] * Y[:, None, :], axis=(-2, -1))


fast = np.compile(outer_sum)

rng = numpy.random.default_rng(0)
X = rng.standard_normal((1024, 64), dtype=numpy.float32)
Y = rng.standard_normal((1024, 64), dtype=numpy.float32)

start = time.perf_counter()
Z = fast(X, Y)
first_ms = 1e3 * (time.perf_counter() - start)
assert isinstance(Z, numpy.ndarray)
error = float(numpy.max(numpy.abs(Z - outer_sum(X, Y)) / numpy.maximum(numpy.abs(Z), 1)))
assert error < 1e-3
report("outer_sum 1024 x 64", median_ms(lambda: outer_sum(X, Y), 5), median_ms(lambda: fast(X, Y)), error)

for rows in (1, 7, 0, 500):  # other sizes: one more compilation serves them all
    assert numpy.allclose(fast(X[:rows], Y[:rows]), outer_sum(X[:rows], Y[:rows]), rtol=1e-3, atol=1e-3)
print(f"first call {first_ms:.1f} ms; {fast.cache_info().compiles} compilations for 5 sizes")
