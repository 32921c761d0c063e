"""Whole programs as people write them with NumPy: simulations, filters, and learning. `benchmarks/programs.py` measures them."""

from __future__ import annotations

import io
import logging
import math
from collections.abc import Callable
from typing import Any

import numpy as np

log = logging.getLogger(__name__)


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


# A Kalman filter


class Kalman:
    def __init__(self, dt, noise, error):
        self.F = np.array([[1, 0, dt, 0], [0, 1, 0, dt], [0, 0, 1, 0], [0, 0, 0, 1]])
        self.H = np.eye(2, 4)
        self.Q = noise * np.eye(4)
        self.R = error * np.eye(2)
        self.x = np.zeros(4)
        self.P = 10 * np.eye(4)

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ np.linalg.inv(S)
        self.x = self.x + K @ y
        self.P = (np.eye(4) - K @ self.H) @ self.P
        return y @ np.linalg.solve(S, y)


def kalman(measured):
    tracker = Kalman(0.1, 1e-3, 0.5)
    path = np.zeros((len(measured), 4))
    outliers = []
    for i, z in enumerate(measured):
        tracker.predict()
        if np.isnan(z).any():
            path[i] = tracker.x
            continue
        distance = tracker.update(z)
        if distance > 9.0:
            outliers.append(i)
        path[i] = tracker.x
    return path, outliers, np.trace(tracker.P)


# A chain of second-order filters


class Biquad:
    def __init__(self, b, a):
        self.b0, self.b1, self.b2 = b
        self.a1, self.a2 = a
        self.s1 = self.s2 = 0.0

    def __call__(self, x):
        y = np.empty_like(x)
        for i in range(len(x)):
            y[i] = self.b0 * x[i] + self.s1
            self.s1 = self.b1 * x[i] - self.a1 * y[i] + self.s2
            self.s2 = self.b2 * x[i] - self.a2 * y[i]
        return y


def lowpass(frequency, q):
    w = 2 * math.pi * frequency
    alpha, c = math.sin(w) / (2 * q), math.cos(w)
    b = np.array([(1 - c) / 2, 1 - c, (1 - c) / 2]) / (1 + alpha)
    return Biquad(b, (-2 * c / (1 + alpha), (1 - alpha) / (1 + alpha)))


def biquads(x, block):
    chain = [lowpass(f, 0.7) for f in (0.1, 0.15, 0.2)]
    out = []
    peak = 0.0
    for start in range(0, len(x), block):
        piece = x[start : start + block]
        for filter_ in chain:
            piece = filter_(piece)
        peak = max(peak, float(np.max(np.abs(piece))))
        out.append(piece)
    return np.concatenate(out), peak


# Savitzky and Golay's filter, and peaks of what it smoothed


def savgol_weights(window, order, derivative=0):
    half = window // 2
    powers = np.arange(-half, half + 1)[:, None] ** np.arange(order + 1)
    return np.linalg.pinv(powers)[derivative] * math.factorial(derivative)


def smooth(y, window, order):
    half = window // 2
    padded = np.concatenate([2 * y[0] - y[half:0:-1], y, 2 * y[-1] - y[-2 : -half - 2 : -1]])
    return np.convolve(padded, savgol_weights(window, order)[::-1], mode="valid")


def find_peaks(y, threshold):
    found = []
    for i in range(1, len(y) - 1):
        if y[i] > threshold and y[i] > y[i - 1] and y[i] >= y[i + 1]:
            found.append(i)
    return np.array(found, dtype=int)


def savgol(signals):
    report = io.StringIO()
    counts = np.zeros(len(signals), int)
    total = np.zeros(signals.shape[1])
    for k, y in enumerate(signals):
        s = smooth(y, 11 + 2 * (k % 4), 3)
        peaks = find_peaks(s, s.mean() + s.std())
        counts[k] = len(peaks)
        total += s
        if len(peaks) == 0:
            continue
        print(f"signal {k}: {len(peaks)} peaks, highest {s[peaks].max():.3f}", file=report)
    return total, counts, report.getvalue()


# Short Fourier transforms, spectral gating, and back


def frames(x, size, hop):
    count = 1 + (len(x) - size) // hop
    return np.stack([x[i * hop : i * hop + size] for i in range(count)])


def overlap(parts, hop):
    size = parts.shape[1]
    out = np.zeros(hop * (len(parts) - 1) + size)
    for i, part in enumerate(parts):
        out[i * hop : i * hop + size] += part
    return out


def gate(x, size, hop, strength):
    window = np.hanning(size + 1)[:-1]
    spectra = np.fft.rfft(frames(x, size, hop) * window, axis=1)
    level = np.median(np.abs(spectra), axis=0)
    mask = np.abs(spectra) > strength * level
    spectra[~mask] *= 0.1
    parts = np.fft.irfft(spectra, n=size, axis=1) * window
    norm = overlap(np.tile(window**2, (len(parts), 1)), hop)
    return overlap(parts, hop) / np.maximum(norm, 1e-3), mask.mean()


def spectral(x, size):
    result = {}
    for strength in (1.0, 2.0, 4.0):
        y, kept = gate(x, size, size // 4, strength)
        result[strength] = (np.sqrt(np.mean(y**2)), kept)
    return y, result


# A network of two layers, trained by momentum


class Dense:
    def __init__(self, inputs, outputs, rng):
        self.W = rng.normal(0, 1 / np.sqrt(inputs), size=(inputs, outputs))
        self.b = np.zeros(outputs)
        self.vW, self.vb = np.zeros_like(self.W), np.zeros_like(self.b)

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, g):
        self.gW = self.x.T @ g
        self.gb = g.sum(axis=0)
        return g @ self.W.T

    def update(self, rate):
        for value, speed, slope in ((self.W, self.vW, self.gW), (self.b, self.vb, self.gb)):
            speed *= 0.9
            speed -= rate * slope
            value += speed


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def mlp(X, labels, epochs):
    rng = np.random.default_rng(0)
    first, second = Dense(X.shape[1], 32, rng), Dense(32, 3, rng)
    losses = []
    for _ in range(epochs):
        order = rng.permutation(len(X))
        loss = 0.0
        for start in range(0, len(X), 50):
            batch = order[start : start + 50]
            h = first.forward(X[batch])
            p = softmax(second.forward(np.maximum(h, 0)))
            loss -= np.log(p[np.arange(len(batch)), labels[batch]]).sum()
            p[np.arange(len(batch)), labels[batch]] -= 1
            first.backward(second.backward(p / len(batch)) * (h > 0))
            for layer in (first, second):
                layer.update(0.05)
        losses.append(loss / len(X))
        if len(losses) > 1 and abs(losses[-1] - losses[-2]) < 1e-5:
            break
    predicted = second.forward(np.maximum(first.forward(X), 0)).argmax(axis=1)
    return np.array(losses), (predicted == labels).mean()


# A recurrent network over time, with its derivatives by hand


def rnn_forward(p, xs, h):
    hs = [h]
    for x in xs:
        h = np.tanh(p["Wx"] @ x + p["Wh"] @ h + p["b"])
        hs.append(h)
    return hs, np.array([p["Wy"] @ h for h in hs[1:]])


def rnn_backward(p, xs, hs, error):
    g = {k: np.zeros_like(v) for k, v in p.items()}
    back = np.zeros_like(hs[0])
    for t in reversed(range(len(xs))):
        g["Wy"] += np.outer(error[t], hs[t + 1])
        d = (p["Wy"].T @ error[t] + back) * (1 - hs[t + 1] ** 2)
        g["Wx"] += np.outer(d, xs[t])
        g["Wh"] += np.outer(d, hs[t])
        g["b"] += d
        back = p["Wh"].T @ d
    return {k: np.clip(v, -1, 1) for k, v in g.items()}


def rnn(series, hidden, epochs):
    rng = np.random.default_rng(3)
    shapes = {"Wx": (hidden, 1), "Wh": (hidden, hidden), "b": (hidden,), "Wy": (1, hidden)}
    p = {k: rng.normal(0, 0.2, s) for k, s in shapes.items()}
    losses = []
    for _ in range(epochs):
        hs, out = rnn_forward(p, series[:-1], np.zeros(hidden))
        error = (out - series[1:]) / len(out)
        losses.append(float((error**2).sum() * len(out)))
        for k, v in rnn_backward(p, series[:-1], hs, error).items():
            p[k] -= 0.2 * v
    return np.array(losses), out


# K-means until nothing moves


def assign(points, centres):
    return ((points[:, None, :] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)


def kmeans(points, k):
    rng = np.random.default_rng(5)
    centres = points[rng.choice(len(points), k, replace=False)]
    labels = None
    for _ in range(100):
        new = assign(points, centres)
        if labels is not None and np.array_equal(new, labels):
            break
        labels = new
        for c in range(k):
            members = points[labels == c]
            centres[c] = members.mean(axis=0) if len(members) else points[rng.integers(len(points))]
    inertia = ((points - centres[labels]) ** 2).sum()
    return centres, labels, inertia


# Logistic regression by Newton's method, several strengths by cross-validation


class Logistic:
    def __init__(self, strength=1.0, most=25):
        self.strength = strength
        self.most = most

    def fit(self, X, y):
        X = np.column_stack([np.ones(len(X)), X])
        self.w = np.zeros(X.shape[1])
        for turns in range(self.most):
            self.turns = turns
            p = 1 / (1 + np.exp(-X @ self.w))
            slope = X.T @ (p - y) + self.strength * self.w
            curve = (X * (p * (1 - p))[:, None]).T @ X + self.strength * np.eye(X.shape[1])
            step = np.linalg.solve(curve, slope)
            self.w -= step
            if np.linalg.norm(step) < 1e-8:
                break
        return self

    def predict(self, X):
        return (self.w[0] + X @ self.w[1:] > 0).astype(int)


def logistic(X, y):
    best, scores = None, {}
    for strength in [0.01, 0.1, 1.0, 10.0]:
        folds = np.arange(len(X)) % 5
        hits = []
        for fold in range(5):
            train, test = folds != fold, folds == fold
            model = Logistic(strength).fit(X[train], y[train])
            hits.append(np.mean(model.predict(X[test]) == y[test]))
        scores[strength] = np.mean(hits)
        if best is None or scores[strength] > scores[best]:
            best = strength
    return best, scores, Logistic(best).fit(X, y).w


# Principal components by power iteration


def leading(C, tolerance):
    v = np.ones(len(C)) / np.sqrt(len(C))
    for turn in range(500):  # noqa: B007
        w = C @ v
        w /= np.linalg.norm(w)
        if np.abs(w - v).max() < tolerance:
            break
        v = w
    return v @ C @ v, v, turn


def pca(X, count):
    X = X - X.mean(axis=0)
    C = X.T @ X / (len(X) - 1)
    values, vectors = [], []
    for i in range(count):
        value, vector, turns = leading(C, 1e-7)
        log.info("component %d after %d turns", i, turns)
        if value < 1e-10:
            break
        values.append(value)
        vectors.append(vector)
        C = C - value * np.outer(vector, vector)
    return np.array(values), X @ np.array(vectors).T


# Naive Bayes over words


class Bayes:
    def __init__(self):
        self.words = {}
        self.counts = {}

    def index(self, word):
        if word not in self.words:
            self.words[word] = len(self.words)
        return self.words[word]

    def vector(self, text):
        v = np.zeros(200)
        for word in text.lower().split():
            v[self.index(word)] += 1
        return v

    def fit(self, texts, labels):
        for text, label in zip(texts, labels, strict=True):
            v = self.vector(text)
            if label in self.counts:
                self.counts[label] += v
            else:
                self.counts[label] = v

    def predict(self, text):
        v = self.vector(text)
        best, highest = None, -np.inf
        for label, counts in self.counts.items():
            score = v @ np.log((counts + 1) / (counts.sum() + len(counts)))
            if score > highest:
                best, highest = label, score
        return best, highest


def naive_bayes(codes, labels):
    texts = [" ".join(f"w{c}" for c in row) for row in codes]
    half = len(texts) // 2
    model = Bayes()
    model.fit(texts[:half], labels[:half])
    answers = [model.predict(text) for text in texts[half:]]
    right = sum(a == b for (a, _), b in zip(answers, labels[half:], strict=True))
    return right, np.array([score for _, score in answers]), len(model.words)


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(42).normal(size=shape)


def clusters(count: int, width: int, kinds: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    labels = rng.integers(0, kinds, count)
    return rng.normal(size=(count, width)) + 2.5 * rng.normal(size=(kinds, width))[labels], labels


def measured_track() -> np.ndarray:
    track = np.cumsum(normal(300, 2) * 0.1, axis=0) + np.random.default_rng(1).normal(0, 0.5, (300, 2))
    track[::37] = np.nan
    track[50::90] += 8
    return track


def coded_texts() -> tuple[np.ndarray, list[str]]:
    rng = np.random.default_rng(11)
    labels = rng.integers(0, 3, 240)
    return rng.integers(0, 60, (240, 15)) + 40 * labels[:, None], [("news", "mail", "poem")[k] for k in labels]


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
    "kalman": (kalman, lambda: (measured_track(),)),
    "biquads": (biquads, lambda: (normal(8000), 500)),
    "savgol": (savgol, lambda: (np.sin(np.arange(300) * 0.1) + 0.3 * normal(20, 300),)),
    "spectral": (spectral, lambda: (np.sin(np.arange(16000) * 0.05) + 0.3 * normal(16000), 256)),
    "mlp": (mlp, lambda: (*clusters(400, 10, 3), 15)),
    "rnn": (rnn, lambda: (np.sin(np.arange(41) * 0.3)[:, None], 12, 15)),
    "kmeans": (kmeans, lambda: (clusters(1500, 4, 6)[0], 6)),
    "logistic": (logistic, lambda: clusters(300, 5, 2)),
    "pca": (pca, lambda: (clusters(300, 20, 5)[0], 6)),
    "naive_bayes": (naive_bayes, coded_texts),
}
