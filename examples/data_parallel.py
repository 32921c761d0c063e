"""A network that is trained on all ranks' data: mpirun -n 4 python examples/data_parallel.py, or by threads without mpirun.

Each rank has its own part of the data. The gradients of a step are averaged within its one compiled function, so all ranks take the same step.
"""

import numpy

import fastnp as np

SAMPLES, INPUTS, HIDDEN, STEPS = 512, 8, 32, 300


def loss(w, x, y):
    return np.mean((np.tanh(x @ w["a"] + w["b"]) @ w["c"] - y) ** 2)


@np.compile
def step(w, x, y):
    value, gradient = np.value_and_grad(loss)(w, x, y)
    return {name: w[name] - 0.05 * gradient[name] for name in w}, value


def data():
    random = numpy.random.default_rng(0)
    x = random.standard_normal((SAMPLES, INPUTS))
    return x, numpy.sin(x[:, 0]) + 0.5 * x[:, 1]


def start():
    random = numpy.random.default_rng(1)
    return {"a": random.standard_normal((INPUTS, HIDDEN)) / 3, "b": numpy.zeros(HIDDEN), "c": random.standard_normal(HIDDEN) / 6}


def train(take_step, x, y):
    w = start()
    for _ in range(STEPS):
        w, value = take_step(w, x, y)
    return w, value


def program():
    x, y = data()
    own = slice(np.dist.rank() * SAMPLES // np.dist.size(), (np.dist.rank() + 1) * SAMPLES // np.dist.size())
    w, value = train(np.dist.data_parallel(step), x[own], y[own])
    return w, float(np.dist.all_reduce(value, "mean"))


np.dist.init()  # sees whether mpirun started this process
results = [program()] if np.dist.is_initialized() else np.dist.run(program, 4)
wanted, _ = train(step, *data())
for w, _ in results:
    for name in w:
        assert numpy.allclose(w[name], wanted[name], rtol=1e-6), name
if np.dist.rank() == 0:
    print(f"{max(len(results), np.dist.size())} ranks: a mean squared error of {results[0][1]:.4f}, the weights of one rank with all data")
