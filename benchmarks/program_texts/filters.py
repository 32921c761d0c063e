"""Filters, spectra and states behind measurements, as people write them with NumPy; ``PROGRAMS``: entries, with what makes their arguments."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from program_texts.made import normal

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


def measured_track() -> np.ndarray:
    track = np.cumsum(normal(300, 2) * 0.1, axis=0) + np.random.default_rng(1).normal(0, 0.5, (300, 2))
    track[::37] = np.nan
    track[50::90] += 8
    return track


# A hidden Markov model: likelihood, and the likeliest states


@dataclass
class Markov:
    start: np.ndarray
    move: np.ndarray
    emit: np.ndarray

    def likelihood(self, seen):
        a = self.start * self.emit[:, seen[0]]
        total = 0.0
        for s in seen[1:]:
            scale = a.sum()
            total += np.log(scale)
            a = (a / scale) @ self.move * self.emit[:, s]
        return total + np.log(a.sum())

    def viterbi(self, seen):
        score = np.log(self.start) + np.log(self.emit[:, seen[0]])
        back = np.zeros((len(seen), len(self.start)), dtype=int)
        for t in range(1, len(seen)):
            options = score[:, None] + np.log(self.move)
            back[t] = options.argmax(axis=0)
            score = options.max(axis=0) + np.log(self.emit[:, seen[t]])
        path = [score.argmax()]
        for t in range(len(seen) - 1, 0, -1):
            path.append(back[t, path[-1]])
        return np.array(path[::-1]), score.max()


def markov(seen, states):
    rng = np.random.default_rng(6)
    move = np.eye(states) * 4 + rng.random((states, states))
    emit = rng.random((states, seen.max() + 1)) ** 3
    model = Markov(np.full(states, 1 / states), move / move.sum(1, keepdims=True), emit / emit.sum(1, keepdims=True))
    path, score = model.viterbi(seen)
    return path, score, model.likelihood(seen)


# A price by a tree and by chance


def tree_price(spot, strike, rate, vol, years, steps):
    dt = years / steps
    up = np.exp(vol * np.sqrt(dt))
    p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    values = np.maximum(strike - spot * up ** (2 * np.arange(steps + 1) - steps), 0)
    for n in range(steps - 1, -1, -1):
        values = np.exp(-rate * dt) * (p * values[1:] + (1 - p) * values[:-1])
        prices = spot * up ** (2 * np.arange(n + 1) - n)
        values = np.maximum(values, strike - prices)
    return values[0]


def chance_price(spot, strike, rate, vol, years, paths, seed):
    rng = np.random.default_rng(seed)
    s = np.full(paths, spot)
    lowest = s.copy()
    for _ in range(50):
        s *= np.exp((rate - vol**2 / 2) * years / 50 + vol * np.sqrt(years / 50) * rng.standard_normal(paths))
        lowest = np.minimum(lowest, s)
    pay = np.where(lowest < 0.8 * spot, 0, np.maximum(strike - s, 0))
    return np.exp(-rate * years) * pay.mean(), pay.std() / np.sqrt(paths)


def prices(spots, strike):
    rows = []
    for spot in spots:
        tree = tree_price(spot, strike, 0.03, 0.2, 1.0, 60)
        price, error = chance_price(spot, strike, 0.03, 0.2, 1.0, 500, 1)
        rows.append([spot, tree, price, error])
        if tree < 1e-3:
            break
    return np.array(rows)


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "kalman": (kalman, lambda: (measured_track(),)),
    "biquads": (biquads, lambda: (normal(8000), 500)),
    "savgol": (savgol, lambda: (np.sin(np.arange(300) * 0.1) + 0.3 * normal(20, 300),)),
    "spectral": (spectral, lambda: (np.sin(np.arange(16000) * 0.05) + 0.3 * normal(16000), 256)),
    "markov": (markov, lambda: (np.random.default_rng(2).integers(0, 8, 400), 6)),
    "prices": (prices, lambda: (np.linspace(80, 130, 8), 100.0)),
}
