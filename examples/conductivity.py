"""How well does a rod conduct heat, at each of its points? Found from the temperatures that it takes, by gradients through a simulation."""

import numpy
from optimizers import adam, adam_state

import fastnp as np


def simulate(conductivity, steps=120):
    """The temperatures, at every tenth step, of a rod whose left end is heated; conductivity between neighbouring points."""
    u = np.zeros(conductivity.shape[0] + 1)
    u[0] = 1.0
    seen = []
    for step in range(steps):
        flow = conductivity * (u[1:] - u[:-1])
        u[1:-1] += 0.4 * (flow[1:] - flow[:-1])
        if step % 10 == 9:
            seen.append(u[1:-1].copy())
    return np.stack(seen)


def misfit(logarithm, measured):
    return np.sum((simulate(np.exp(logarithm)) - measured) ** 2)


@np.compile
def improve(logarithm, state, measured):
    loss, gradient = np.value_and_grad(misfit)(logarithm, measured)
    adam([logarithm], [gradient], state, rate=0.05)
    return loss


truth = 0.5 + 0.4 * numpy.sin(numpy.linspace(0, 3, 16)) ** 2
measured = numpy.asarray(simulate(np.asarray(truth)))
logarithm = numpy.log(numpy.full(16, 0.6))
state = adam_state([logarithm])
for _ in range(120):
    loss = improve(logarithm, state, measured)
error = numpy.max(numpy.abs(numpy.exp(logarithm[:10]) / truth[:10] - 1))
assert error < 0.02, error
assert improve.cache_info().compiles == 1
print(f"conductivity: misfit {loss:.2e}; where the heat came to, at most {100 * error:.3f} % off")
