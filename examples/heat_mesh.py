"""The heat equation on a mesh of ranks: mpirun -n 4 python examples/heat_mesh.py, or by threads without mpirun.

Each rank has a block of the plate. Before each step it sends the edges of its block to its neighbours (the halo), within the compiled step.
"""

import numpy

import fastnp as np

SIZE, STEPS = 64, 200


def grown(u, halo):
    """A block with the rows and columns around it. `halo`: gives what comes from both neighbours along an axis, given one's own edges."""
    above, below = halo("row", u[-1:], u[:1])
    u = np.concatenate([above, u, below], axis=0)
    left, right = halo("column", u[:, -1:], u[:, :1])
    return np.concatenate([left, u, right], axis=1)


def stencil(u):
    return u[1:-1, 1:-1] + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])


def plate():
    u = numpy.zeros((SIZE, SIZE))
    u[20:40, 10:30] = 1
    return u


def program():
    ranks = np.dist.size()
    rows = max(n for n in range(1, ranks + 1) if ranks % n == 0 and n * n <= ranks)
    mesh = np.dist.mesh((rows, ranks // rows), ("row", "column"))

    def halo(axis, last, first):
        group = mesh[axis]
        onward = [(i, i + 1) for i in range(group.size - 1)]  # the border of the plate stays cold: nothing comes there
        return group.permute(last, onward), group.permute(first, [(to, source) for source, to in onward])

    @np.compile
    def step(u):
        return stencil(grown(u, halo))

    (row, column), (height, width) = mesh.coordinates, (SIZE // mesh.shape[0], SIZE // mesh.shape[1])
    u = np.asarray(plate()[row * height : (row + 1) * height, column * width : (column + 1) * width])
    for _ in range(STEPS):
        u = step(u)
    in_row = mesh["column"].all_gather(u, axis=1, tiled=True)
    return numpy.asarray(mesh["row"].all_gather(in_row, axis=0, tiled=True))


def alone():
    u = plate()
    for _ in range(STEPS):
        u = stencil(numpy.pad(u, 1))
    return u


np.dist.init()  # sees whether mpirun started this process
results = [program()] if np.dist.is_initialized() else np.dist.run(program, 4)
for found in results:
    assert numpy.array_equal(found, alone())  # to the bit
if np.dist.rank() == 0:
    print(f"{max(len(results), np.dist.size())} ranks: {STEPS} steps on {SIZE} x {SIZE} points, the bits of one rank")
