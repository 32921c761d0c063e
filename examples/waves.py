"""Waves through two slits: the wave equation in steps that write in place. A screen stops the waves, and edges swallow them."""

import numpy

import fastnp as np

HEIGHT, WIDTH, SCREEN = 241, 360, 90


@np.compile
def step(now, before, open_, fade, height):
    """Writes the next heights into those of the step before: three arrays are read and one is written, in one pass."""
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
depth = numpy.minimum(numpy.minimum(*numpy.indices((HEIGHT, WIDTH))), numpy.minimum(*(numpy.indices((HEIGHT, WIDTH))[:, ::-1, ::-1])))
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
peaks = [i + 12 for i in range(1, len(column) - 1) if column[i] > max(column[i - 1], column[i + 1]) and column[i] > 0.2 * column.max()]
assert numpy.allclose(intensity, intensity[::-1], rtol=1e-6, atol=1e-12)  # as the slits are
print(f"waves: {len(peaks)} bright bands at column 300, in rows {peaks}")
print(f"waves: intensity {intensity[120, 300]:.6f} in the middle, {intensity[12:-12, SCREEN + 1].max():.6f} at most behind the slits")
