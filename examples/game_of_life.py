"""Conway's Game of Life: five cells grow for 1,103 generations, by a scan over whole arrays.

The torus is large enough for what flies away.
"""

import numpy

import fastnp as np


def neighbours(cells):
    rows = np.roll(cells, 1, axis=0) + cells + np.roll(cells, -1, axis=0)
    return np.roll(rows, 1, axis=1) + rows + np.roll(rows, -1, axis=1) - cells


@np.compile
def live(cells, generations):
    """The cells after so many generations, and how many there were in each."""

    def generation(cells, _):
        count = neighbours(cells)
        cells = ((count == 3) | ((cells == 1) & (count == 2))).astype(np.uint8)
        return cells, np.sum(cells)

    return np.scan(generation, cells, length=generations)


start = numpy.zeros((544, 544), numpy.uint8)
start[271:274, 271:274] = [[0, 1, 1], [1, 1, 0], [0, 1, 0]]  # the R-pentomino
cells, population = live(start, 1103)
assert population[-1] == 116  # and for ever
rows, columns = numpy.nonzero(cells)
most, when = population.max(), population.argmax() + 1
print(f"game of life: {population[-1]} cells after {len(population)} generations, at most {most}, in generation {when}")
print(f"game of life: from row {rows.min()} to {rows.max()}, and from column {columns.min()} to {columns.max()}")
