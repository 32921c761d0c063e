"""Waves through two slits: the wave equation in steps that write in place.

A screen stops the waves, and edges swallow them.
"""

import numpy

import fastnp as np

HEIGHT, WIDTH, SCREEN = 241, 360, 90


@np.compile
def step(now, before, open_, fade, height):
    """Writes the next heights into those of the step before, in one pass."""
    around = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
    ahead = 2 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.25 * (around - 4 * now[1:-1, 1:-1])
    before[1:-1, 1:-1] = ahead * open_[1:-1, 1:-1]
    before *= fade
    now *= fade
    before[:, 12] = height  # the source, a straight line


open_ = numpy.ones((HEIGHT, WIDTH))
open_[:, SCREEN] = 0
for middle in (92, 148):
    open_[middle - 7 : middle + 8, SCREEN] = 1
rows, columns = numpy.indices((HEIGHT, WIDTH))
depth = numpy.minimum(numpy.minimum(rows, columns), numpy.minimum(HEIGHT - 1 - rows, WIDTH - 1 - columns))
fade = 1 - 0.15 * numpy.clip(1 - depth / 12, 0, 1) ** 2

now, before = numpy.zeros((HEIGHT, WIDTH)), numpy.zeros((HEIGHT, WIDTH))
intensity = numpy.zeros((HEIGHT, WIDTH))
for number in range(1200):
    step(now, before, open_, fade, numpy.sin(0.26 * number))
    now, before = before, now
    if number >= 900:
        intensity += now**2 / 300
assert step.cache_info().compiles <= 2

column = intensity[12:-12, 300]
is_peak = (column[1:-1] > numpy.maximum(column[:-2], column[2:])) & (column[1:-1] > 0.2 * column.max())
peaks = (numpy.flatnonzero(is_peak) + 13).tolist()
assert numpy.allclose(intensity, intensity[::-1], rtol=1e-6, atol=1e-12)  # as the slits are
print(f"waves: {len(peaks)} bright bands at column 300, in rows {peaks}")
behind = intensity[12:-12, SCREEN + 1].max()
print(f"waves: intensity {intensity[120, 300]:.6f} in the middle, {behind:.6f} at most behind the slits")
