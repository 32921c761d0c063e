"""Many bodies, boids, reactions, fields and flows, as people write them with NumPy; ``PROGRAMS``: entries, with what makes their arguments."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from program_texts.made import log, normal

# Bodies that attract each other, one object each


class Body:
    def __init__(self, mass, position, velocity):
        self.mass = mass
        self.position = position.copy()
        self.velocity = velocity.copy()

    def kinetic(self):
        return 0.5 * self.mass * np.dot(self.velocity, self.velocity)

    def push(self, force, dt):
        self.velocity += force / self.mass * dt
        self.position += self.velocity * dt


class Cluster:
    gravity = 1.0

    def __init__(self, masses, positions, velocities):
        self.bodies = [Body(m, p, v) for m, p, v in zip(masses, positions, velocities, strict=True)]
        self.time = 0.0

    def force(self, body):
        total = np.zeros(3)
        for other in self.bodies:
            if other is body:
                continue
            d = other.position - body.position
            r = np.sqrt(d @ d + 1e-2)
            total += self.gravity * body.mass * other.mass * d / r**3
        return total

    def step(self, dt):
        forces = [self.force(b) for b in self.bodies]
        for body, force in zip(self.bodies, forces, strict=True):
            body.push(force, dt)
        self.time += dt

    def energy(self):
        return sum(b.kinetic() for b in self.bodies)


def nbody(masses, positions, velocities, steps):
    cluster = Cluster(masses, positions, velocities)
    energies = []
    for n in range(steps):
        cluster.step(0.01)
        if n % 10 == 0:
            energies.append(cluster.energy())
            log.debug("t = %s", cluster.time)
    return np.array([b.position for b in cluster.bodies]), np.array(energies)


# Boids: separation, alignment, cohesion


def limit(vectors, longest):
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(lengths > longest, vectors * longest / np.maximum(lengths, 1e-12), vectors)


def neighbours(position, radius, box):
    d = position[None, :, :] - position[:, None, :]
    d -= box * np.round(d / box)
    distance = np.sqrt((d**2).sum(axis=-1))
    near = (distance < radius) & (distance > 0)
    return d, distance, near


def steer(position, velocity, box):
    d, distance, near = neighbours(position, 3.0, box)
    count = np.maximum(near.sum(axis=1), 1)[:, None]
    align = (near[:, :, None] * velocity[None]).sum(axis=1) / count - velocity
    cohere = (near[:, :, None] * d).sum(axis=1) / count
    close = near & (distance < 1.0)
    separate = -(close[:, :, None] * d).sum(axis=1)
    return 0.05 * align + 0.02 * cohere + 0.1 * separate


def boids(position, velocity, steps):
    box = 20.0
    order = []
    for _ in range(steps):
        velocity = limit(velocity + steer(position, velocity, box), 1.0)
        position = (position + 0.5 * velocity) % box
        heading = velocity / np.linalg.norm(velocity, axis=1)[:, None]
        order.append(np.linalg.norm(heading.mean(axis=0)))
    return position, velocity, np.array(order)


# The Lorenz system by an adaptive Runge-Kutta method


def lorenz_slope(t, y, sigma=10.0, rho=28.0, beta=8 / 3):
    return np.array([sigma * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1], y[0] * y[1] - beta * y[2]])


class Stepper:
    def __init__(self, slope, tolerance):
        self.slope = slope
        self.tolerance = tolerance
        self.accepted = 0
        self.rejected = 0

    def attempt(self, t, y, h):
        k1 = self.slope(t, y)
        k2 = self.slope(t + h / 2, y + h / 2 * k1)
        k3 = self.slope(t + 3 * h / 4, y + 3 * h / 4 * k2)
        better = y + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
        k4 = self.slope(t + h, better)
        worse = y + h * (7 / 24 * k1 + k2 / 4 + k3 / 3 + k4 / 8)
        return better, np.max(np.abs(better - worse))

    def solve(self, y, end):
        t, h = 0.0, 0.01
        times, states = [t], [y]
        while t < end:
            h = min(h, end - t)
            new, error = self.attempt(t, y, h)
            if error <= self.tolerance:
                t, y = t + h, new
                times.append(t)
                states.append(y)
                self.accepted += 1
            else:
                self.rejected += 1
            h *= min(4.0, max(0.2, 0.9 * (self.tolerance / max(error, 1e-15)) ** (1 / 3)))
        return np.array(times), np.array(states)


def lorenz(start, end):
    stepper = Stepper(lorenz_slope, 1e-5)
    times, states = stepper.solve(start, end)
    return times, states, stepper.accepted, stepper.rejected


# Heat in a plate until it changes no more


def relax(plate):
    new = plate.copy()
    new[1:-1, 1:-1] = 0.25 * (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:])
    return new


def heat(n, tolerance):
    plate = np.zeros((n, n))
    plate[0, :] = 100.0
    plate[:, -1] = 50.0
    out = io.StringIO()
    turn = 0
    while True:
        new = relax(plate)
        change = np.abs(new - plate).max()
        plate = new
        turn += 1
        if turn % 100 == 0:
            print(f"{turn:5d} {change:.4f}", file=out)
        if change < tolerance or turn >= 5000:
            break
    return plate, turn, out.getvalue()


# Life, with a picture of it


def life_counts(board):
    return sum(np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))


def life_step(board):
    counts = life_counts(board)
    return ((counts == 3) | ((board == 1) & (counts == 2))).astype(int)


def life_picture(board):
    return "\n".join("".join("#" if cell else "." for cell in row) for row in board[:8, :20])


def life(board, most):
    seen = {}
    populations = []
    for turn in range(most):
        key = board.tobytes()
        if key in seen:
            print("period", turn - seen[key])
            break
        seen[key] = turn
        populations.append(board.sum())
        board = life_step(board)
    return board, np.array(populations), life_picture(board)


# Lattice Boltzmann, a flow round a cylinder


DIRECTIONS = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])


WEIGHTS = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)


OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]


def equilibrium(rho, ux, uy):
    result = np.empty((9,) + rho.shape)
    square = ux**2 + uy**2
    for k in range(9):
        along = DIRECTIONS[k, 0] * ux + DIRECTIONS[k, 1] * uy
        result[k] = WEIGHTS[k] * rho * (1 + 3 * along + 4.5 * along**2 - 1.5 * square)
    return result


def boltzmann(width, height, steps):
    y, x = np.mgrid[:height, :width]
    wall = (x - width / 4) ** 2 + (y - height / 2) ** 2 < (height / 6) ** 2
    f = equilibrium(np.ones((height, width)), np.full((height, width), 0.1), np.zeros((height, width)))
    for step in range(steps):
        for k, (cx, cy) in enumerate(DIRECTIONS):
            f[k] = np.roll(np.roll(f[k], cx, axis=1), cy, axis=0)
        bounced = f[:, wall][OPPOSITE]
        rho = f.sum(axis=0)
        ux = (f * DIRECTIONS[:, 0, None, None]).sum(axis=0) / rho
        uy = (f * DIRECTIONS[:, 1, None, None]).sum(axis=0) / rho
        f += 0.6 * (equilibrium(rho, ux, uy) - f)
        f[:, wall] = bounced
        if not np.isfinite(f).all():
            raise FloatingPointError(f"diverged at {step}")
    return ux, uy, rho


# Electric and magnetic fields on a line


class Line:
    def __init__(self, n):
        self.e = np.zeros(n)
        self.h = np.zeros(n - 1)
        self.permittivity = np.ones(n)
        self.probes = {}

    def add_slab(self, start, stop, value):
        self.permittivity[start:stop] = value

    def add_probe(self, name, where):
        self.probes[name] = (where, [])

    def step(self, t):
        self.h += 0.5 * (self.e[1:] - self.e[:-1])
        self.e[1:-1] += 0.5 / self.permittivity[1:-1] * (self.h[1:] - self.h[:-1])
        self.e[20] += math.exp(-(((t - 30) / 10) ** 2))
        for where, values in self.probes.values():
            values.append(self.e[where])


def fdtd(n, steps):
    line = Line(n)
    line.add_slab(n // 2, n // 2 + 30, 4.0)
    line.add_probe("before", n // 2 - 20)
    line.add_probe("behind", n // 2 + 50)
    for t in range(steps):
        line.step(t)
    return line.e, {name: np.array(values) for name, (_, values) in line.probes.items()}


# Spins by Metropolis' rule


def spin_energy(spins):
    return -(spins * np.roll(spins, 1, 0)).sum() - (spins * np.roll(spins, 1, 1)).sum()


def sweep(spins, beta, rng):
    n = len(spins)
    flipped = 0
    for _ in range(n * n):
        i, j = rng.integers(0, n, 2)
        around = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1]
        cost = 2 * spins[i, j] * around
        if cost <= 0 or rng.random() < math.exp(-beta * cost):
            spins[i, j] *= -1
            flipped += 1
    return flipped


def ising(n, sweeps, seed):
    rng = np.random.default_rng(seed)
    spins = rng.choice([-1, 1], size=(n, n))
    record = {"energy": [], "magnet": []}
    for _ in range(sweeps):
        flipped = sweep(spins, 0.44, rng)
        record["energy"].append(spin_energy(spins))
        record["magnet"].append(abs(spins.mean()))
        if flipped == 0:
            break
    return spins, np.array(record["energy"]), np.array(record["magnet"])


# Random walks, and their sampling by Metropolis and Hastings


def density(x):
    return np.log(0.3 * np.exp(-0.5 * (x - 2) ** 2) + 0.7 * np.exp(-0.5 * (x + 2) ** 2))


def metropolis(steps, seed):
    np.random.seed(seed)
    x = 0.0
    current = density(x)
    samples = np.empty(steps)
    accepted = 0
    for i in range(steps):
        proposal = x + np.random.normal(scale=1.5)
        other = density(proposal)
        if np.log(np.random.rand()) < other - current:
            x, current = proposal, other
            accepted += 1
        samples[i] = x
    kept = samples[steps // 10 :]
    return kept.mean(), kept.std(), np.percentile(kept, [5, 50, 95]), accepted / steps


# A particle filter


class ParticleFilter:
    def __init__(self, count, seed):
        self.rng = np.random.default_rng(seed)
        self.particles = self.rng.normal(0, 2, size=(count, 2))
        self.weights = np.full(count, 1 / count)
        self.resampled = 0

    def predict(self, dt):
        self.particles[:, 0] += dt * self.particles[:, 1]
        self.particles += self.rng.normal(0, [0.05, 0.1], size=self.particles.shape)

    def update(self, measured):
        self.weights *= np.exp(-0.5 * ((measured - self.particles[:, 0]) / 0.3) ** 2)
        self.weights += 1e-300
        self.weights /= self.weights.sum()

    def effective(self):
        return 1.0 / np.sum(self.weights**2)

    def resample(self):
        places = (np.arange(len(self.weights)) + self.rng.random()) / len(self.weights)
        self.particles = self.particles[np.searchsorted(np.cumsum(self.weights), places).clip(max=len(self.weights) - 1)]
        self.weights = np.full(len(self.particles), 1 / len(self.particles))
        self.resampled += 1

    def estimate(self):
        return self.weights @ self.particles


def particles(measured, count):
    tracker = ParticleFilter(count, 1)
    track = []
    for z in measured:
        tracker.predict(0.1)
        tracker.update(z)
        if tracker.effective() < count / 2:
            tracker.resample()
        track.append(tracker.estimate())
    return np.array(track), tracker.resampled


# Chemical reactions, one at a time


def propensities(state, rates):
    prey, hunters = state
    return np.array([rates["birth"] * prey, rates["hunt"] * prey * hunters, rates["death"] * hunters])


def gillespie(prey, hunters, until, seed):
    rng = np.random.default_rng(seed)
    rates = {"birth": 1.0, "hunt": 0.005, "death": 0.6}
    changes = np.array([[1, 0], [-1, 1], [0, -1]])
    state = np.array([prey, hunters])
    t = 0.0
    times, states = [t], [state.copy()]
    while t < until:
        a = propensities(state, rates)
        total = a.sum()
        if total <= 0:
            break
        t += rng.exponential(1 / total)
        which = np.searchsorted(np.cumsum(a), rng.random() * total)
        state += changes[which]
        times.append(t)
        states.append(state.copy())
    return np.array(times), np.array(states)


def bits(height: int, width: int) -> np.ndarray:
    return (np.random.default_rng(2).random((height, width)) < 0.3).astype(int)


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "nbody": (nbody, lambda: (np.linspace(0.5, 2, 6), normal(6, 3), 0.1 * normal(6, 3), 30)),
    "boids": (boids, lambda: (20 * np.random.default_rng(1).random((80, 2)), normal(80, 2), 20)),
    "lorenz": (lorenz, lambda: (np.array([1.0, 1.0, 1.0]), 4.0)),
    "heat": (heat, lambda: (40, 0.02)),
    "life": (life, lambda: (bits(32, 32), 100)),
    "boltzmann": (boltzmann, lambda: (60, 30, 20)),
    "fdtd": (fdtd, lambda: (300, 600)),
    "ising": (ising, lambda: (16, 20, 4)),
    "metropolis": (metropolis, lambda: (1500, 9)),
    "particles": (particles, lambda: (np.sin(np.arange(80) * 0.1) + 0.2 * normal(80), 400)),
    "gillespie": (gillespie, lambda: (100, 60, 6.0, 8)),
}
