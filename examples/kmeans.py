"""k-means on generated clusters (Lloyd's algorithm): distances, their argmin and the new centres are one compiled step."""

import numpy
from timing import median_ms, report

import fastnp as np

CLUSTERS = 16


def lloyd(points, centres):
    offsets = points[:, None, :] - centres[None, :, :]
    labels = np.argmin(np.sum(offsets * offsets, axis=-1), axis=1)
    member = (labels[:, None] == np.arange(CLUSTERS)[None, :]).astype(np.float32)
    counts = np.sum(member, axis=0)
    return (member.T @ points) / np.maximum(counts, 1)[:, None], labels


rng = np.random.default_rng(0)
truth = 20 * rng.standard_normal((CLUSTERS, 2)).astype(numpy.float32)
points = (numpy.repeat(truth, 2000, axis=0) + rng.standard_normal((CLUSTERS * 2000, 2))).astype(numpy.float32)
step = np.compile(lloyd)


def fit(iterate):
    centres = points[::2000]
    for _ in range(10):
        centres, _ = iterate(points, centres)
    return numpy.asarray(centres)


def spread(centres):
    """The mean squared distance of a point to its centre."""
    _, labels = step(points, centres)
    return float(numpy.mean(numpy.sum((points - centres[labels]) ** 2, axis=1)))


got, want = fit(step), fit(lloyd)
error = float(numpy.max(numpy.abs(got - want)))
assert error < 1e-2
assert float(numpy.max(numpy.abs(got - truth))) < 0.2
print(f"kmeans: {CLUSTERS} centres; points are {spread(points[::2000]):.4f} from the first ones, and {spread(got):.4f} from the last ones (mean square)")
report("kmeans 32000 x 16, 10 it", median_ms(lambda: fit(lloyd), 3), median_ms(lambda: fit(step), 3), error)
