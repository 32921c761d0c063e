"""Functions of an array module, to be differentiated by fastnp and by JAX: (function(np, *args), args) by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

Functions = dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]

rng = numpy.random.default_rng(7)


def normal(*shape: int) -> Any:
    return rng.normal(size=shape)


def put(np: Any, x: Any, key: Any, value: Any) -> Any:
    """x[key] = value: in place, or as JAX has it."""
    if hasattr(x, "at"):
        return x.at[key].set(value)
    x[key] = value
    return x


def sigmoid(np: Any, x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def log_softmax(np: Any, x: Any) -> Any:
    shifted = x - np.max(x, axis=-1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=-1, keepdims=True))


def logistic_regression(np: Any, w: Any, b: Any, x: Any, y: Any) -> Any:
    z = x @ w + b
    return np.mean(np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z)))) + 0.01 * np.sum(w * w)


def mlp(np: Any, params: Any, x: Any, labels: Any) -> Any:
    for layer in params[:-1]:
        x = np.tanh(x @ layer["w"] + layer["b"])
    scores = log_softmax(np, x @ params[-1]["w"] + params[-1]["b"])
    return -np.mean(np.sum(scores * labels, axis=1))


def convolution(np: Any, x: Any, kernel: Any) -> Any:
    rows, columns = x.shape[1] - 2, x.shape[2] - 2
    total = 0.0
    for i in range(3):
        for j in range(3):
            total = total + np.tensordot(x[:, i : i + rows, j : j + columns, :], kernel[i, j], axes=([3], [0]))
    return total


def cnn(np: Any, first: Any, second: Any, dense: Any, x: Any) -> Any:
    h = np.maximum(convolution(np, x, first), 0.1)
    h = h[:, :6, :6].reshape(h.shape[0], 3, 2, 3, 2, -1)
    h = np.max(np.max(h, axis=4), axis=2)
    h = np.tanh(convolution(np, h, second))
    return np.mean(np.square(h.reshape(h.shape[0], -1) @ dense))


def lstm(np: Any, wx: Any, wh: Any, b: Any, xs: Any) -> Any:
    size = wh.shape[0]
    h = np.zeros((xs.shape[1], size))
    c = np.zeros((xs.shape[1], size))
    for t in range(xs.shape[0]):
        gates = xs[t] @ wx + h @ wh + b
        i, f, o = (sigmoid(np, gates[:, k * size : (k + 1) * size]) for k in range(3))
        c = f * c + i * np.tanh(gates[:, 3 * size :])
        h = o * np.tanh(c)
    return np.sum(h * h)


def gru(np: Any, w: Any, u: Any, xs: Any) -> Any:
    h = np.zeros(u.shape[1])
    for x in xs:
        z, r = sigmoid(np, w[0] @ x + u[0] @ h), sigmoid(np, w[1] @ x + u[1] @ h)
        h = (1 - z) * h + z * np.tanh(w[2] @ x + u[2] @ (r * h))
    return np.sum(h**2)


def attention(np: Any, q: Any, k: Any, v: Any) -> Any:
    scores = q @ np.swapaxes(k, -1, -2) / numpy.sqrt(q.shape[-1])
    scores = np.where(np.arange(scores.shape[-1]) <= np.arange(scores.shape[-2])[:, None], scores, -1e9)
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return np.sum((weights / np.sum(weights, axis=-1, keepdims=True) @ v) ** 2)


def kalman(np: Any, transition: Any, noise: Any, ys: Any) -> Any:
    mean, cov, loss = np.zeros(2), np.eye(2), 0.0
    for y in ys:
        mean, cov = transition @ mean, transition @ cov @ transition.T + np.exp(noise) * np.eye(2)
        innovation, variance = y - mean[0], cov[0, 0] + 0.5
        gain = cov[:, 0] / variance
        mean, cov = mean + gain * innovation, cov - np.outer(gain, cov[0])
        loss = loss + 0.5 * (np.log(variance) + innovation**2 / variance)
    return loss


def runge_kutta(np: Any, f: Callable[[Any], Any], y: Any, h: float, steps: int) -> Any:
    for _ in range(steps):
        a = f(y)
        b = f(y + h / 2 * a)
        c = f(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + f(y + h * c))
    return y


def lorenz(np: Any, y: Any, parameters: Any) -> Any:
    s, r, b = parameters

    def slope(y: Any) -> Any:
        return np.stack([s * (y[1] - y[0]), y[0] * (r - y[2]) - y[1], y[0] * y[1] - b * y[2]])

    return np.sum(runge_kutta(np, slope, y, 0.01, 20) ** 2)


def pendulum(np: Any, y: Any, length: Any) -> Any:
    return runge_kutta(np, lambda y: np.stack([y[1], -9.81 / length * np.sin(y[0])]), y, 0.02, 25)[0]


def van_der_pol(np: Any, y: Any, mu: Any) -> Any:
    return np.sum(runge_kutta(np, lambda y: np.stack([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]]), y, 0.05, 15))


def verlet(np: Any, x: Any, v: Any) -> Any:
    for _ in range(10):
        v = v - 0.05 * x**3
        x = x + 0.1 * v
        v = v - 0.05 * x**3
    return np.sum(x**2 + v**2)


def jacobi_1d(np: Any, u: Any, f: Any) -> Any:
    u = u * 1.0
    for _ in range(8):
        u = put(np, u, slice(1, -1), 0.5 * (u[2:] + u[:-2]) + f[1:-1])
    return np.sum(u**2)


def jacobi_2d(np: Any, u: Any) -> Any:
    u = u * 1.0
    inner = (slice(1, -1), slice(1, -1))
    for _ in range(5):
        u = put(np, u, inner, 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))
    return np.sum(np.sin(u))


def burgers(np: Any, u: Any) -> Any:
    u = u * 1.0
    for _ in range(10):
        u = put(np, u, slice(1, -1), u[1:-1] - 0.05 * u[1:-1] * (u[1:-1] - u[:-2]) + 0.02 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return np.mean(u**2)


def red_black(np: Any, u: Any) -> Any:
    u = u * 1.0
    for start in (1, 2, 1, 2):
        inside = u[start:-1:2]
        u = put(np, u, slice(start, -1, 2), 0.3 * inside + 0.35 * (u[start - 1 : -2 : 2][: inside.shape[0]] + u[start + 1 :: 2][: inside.shape[0]]))
    return np.sum(u * u)


def recurrence(np: Any, a: Any, b: Any) -> Any:
    y = np.zeros(a.shape[0] + 1)
    for t in range(a.shape[0]):
        y = put(np, y, t + 1, a[t] * y[t] + b[t])
    return np.sum(y**2)


def triangular_solve(np: Any, matrix: Any, b: Any) -> Any:
    x = np.zeros(b.shape[0])
    for i in range(b.shape[0]):
        x = put(np, x, i, (b[i] - matrix[i, :i] @ x[:i]) / (matrix[i, i] + 3.0))
    return np.sum(x**2)


def cholesky_by_hand(np: Any, a: Any) -> Any:
    n = a.shape[0]
    a = a @ a.T + 2 * np.eye(n)
    low = np.zeros((n, n))
    for j in range(n):
        d = np.sqrt(a[j, j] - np.sum(low[j, :j] ** 2))
        low = put(np, low, (j, j), d)
        for i in range(j + 1, n):
            low = put(np, low, (i, j), (a[i, j] - np.sum(low[i, :j] * low[j, :j])) / d)
    return np.sum(np.log(np.stack([low[i, i] for i in range(n)]))) + np.sum(low)


def black_scholes(np: Any, spot: Any, strike: Any, time: Any, rate: Any, vol: Any) -> Any:
    d = (np.log(spot / strike) + (rate + vol**2 / 2) * time) / (vol * np.sqrt(time))

    def normal_cdf(z: Any) -> Any:
        return 0.5 * (1 + np.tanh(0.7978845608 * (z + 0.044715 * z**3)))

    return np.sum(spot * normal_cdf(d) - strike * np.exp(-rate * time) * normal_cdf(d - vol * np.sqrt(time)))


def layer_norm(np: Any, x: Any, gain: Any, bias: Any) -> Any:
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return np.sum((centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5) * gain + bias) ** 3)


def batch_norm(np: Any, x: Any, gain: Any) -> Any:
    return np.sum(np.tanh((x - np.mean(x, axis=0)) / np.std(x, axis=0) * gain))


def pairwise(np: Any, x: Any) -> Any:
    difference = x[:, None, :] - x[None, :, :]
    return np.sum(np.exp(-np.sum(difference**2, axis=-1)))


def mixture(np: Any, means: Any, scales: Any, weights: Any, x: Any) -> Any:
    z = (x[:, None] - means) / np.exp(scales)
    scores = -0.5 * z**2 - scales + log_softmax(np, weights)
    top = np.max(scores, axis=1, keepdims=True)
    return -np.sum(np.log(np.sum(np.exp(scores - top), axis=1)) + top[:, 0])


def factorization(np: Any, u: Any, v: Any, target: Any) -> Any:
    return np.sum((u @ v.T - target) ** 2) + 0.1 * (np.sum(u**2) + np.sum(v**2))


def rosenbrock(np: Any, x: Any) -> Any:
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def huber(np: Any, w: Any, x: Any, y: Any) -> Any:
    r = np.abs(x @ w - y)
    return np.sum(np.where(r < 1, 0.5 * r**2, r - 0.5))


def embedding(np: Any, table: Any, w: Any) -> Any:
    rows = np.take(table, numpy.array([0, 3, 3, 1, 0]), axis=0)
    return np.sum(np.tanh(rows @ w))


def quantiles(np: Any, x: Any) -> Any:
    s = np.sort(x * 2)
    return np.sum(s[:3] ** 2) - np.sum(s[-2:])


def discounted(np: Any, rewards: Any, rates: Any) -> Any:
    return np.sum(np.cumsum(rewards) * np.cumprod(rates))


def maxima(np: Any, x: Any) -> Any:
    return np.sum(np.max(x, axis=1) * np.min(x, axis=1)) + np.max(np.abs(x))


def ties(np: Any, x: Any) -> Any:
    return np.max(x) * 3 + np.sum(np.maximum(x, 1.0)) + np.sum(np.minimum(x, 2.0))


def polynomial(np: Any, c: Any, x: Any) -> Any:
    total = np.zeros(x.shape)
    for k in range(c.shape[0]):
        total = total * x + c[k]
    return np.mean(total**2)


def products(np: Any, x: Any) -> Any:
    return np.prod(x) + np.sum(np.prod(x, axis=0))


def hyperbolic(np: Any, x: Any) -> Any:
    return np.sum(np.sinh(x) * np.arctan(x) + np.cosh(x) / (1 + np.arcsinh(x) ** 2) + np.log1p(np.expm1(x) ** 2))


def powers(np: Any, x: Any, y: Any) -> Any:
    return np.sum(np.abs(x) ** y) + np.sum(x**3) + np.sum((x**2 + 1) ** 0.5) + np.sum(2.0**x)


def angles(np: Any, x: Any, y: Any) -> Any:
    return np.sum(np.arctan2(x, y) * np.hypot(x, y)) + np.sum(np.logaddexp(x, y))


def complex_modulus(np: Any, z: Any) -> Any:
    return np.sum(np.abs(z * z + 1j * z)) + np.sum(np.real(np.exp(z)))


def complex_signal(np: Any, z: Any, w: Any) -> Any:
    y = np.sin(z) * np.conj(w) / (2 + z)
    return np.sum(np.real(y) ** 2 + np.imag(y) * np.real(z))


def real_to_complex(np: Any, x: Any) -> Any:
    turned = x * np.exp(1j * x)
    return np.sum(np.imag(turned * turned))


def spectral_filter(np: Any, x: Any, w: Any) -> Any:
    return np.sum(np.fft.irfft(np.fft.rfft(x) * w, n=x.shape[0]) ** 3)


def fft_convolution(np: Any, x: Any, kernel: Any) -> Any:
    n = x.shape[-1] + kernel.shape[-1] - 1
    product = np.fft.rfft(x, n, norm="ortho") * np.fft.rfft(kernel, n)
    return np.sum(np.tanh(np.fft.irfft(product, n)))


def power_spectrum(np: Any, x: Any, wanted: Any) -> Any:
    return np.mean((np.log1p(np.abs(np.fft.fft2(x, axes=(0, 1))) ** 2) - wanted) ** 2) + np.sum(np.fft.hfft(x[0]) ** 2)


def pseudo_spectral(np: Any, u: Any) -> Any:
    """Steps of Burgers' equation with derivatives taken in Fourier space."""
    k = 2j * np.pi * np.fft.fftfreq(u.shape[0], 1 / u.shape[0])
    for _ in range(3):
        spectrum = np.fft.fft(u)
        u = u + 1e-3 * (0.1 * np.fft.ifft(k * k * spectrum) - u * np.fft.ifft(k * spectrum)).real
    return np.sum(np.fft.fftshift(u) ** 2 * np.arange(u.shape[0]))


def phases(np: Any, z: Any) -> Any:
    spectrum = np.fft.ifftn(z * np.exp(1j * np.abs(np.fft.fftn(z, norm="forward"))))
    return np.sum(np.abs(np.fft.irfftn(spectrum, norm="ortho")) + 0.5) + np.sum(spectrum.imag)


def with_branches(np: Any, x: Any) -> Any:
    total = np.sum(x)
    for k in range(3):
        total = np.where(total > k, total * total / (1 + k), np.sin(total))
    return total


def gaussian_process(np: Any, log_scale: Any, log_noise: Any, x: Any, y: Any) -> Any:
    """The negative logarithm of the likelihood."""
    distances = np.sum((x[:, None, :] - x[None, :, :]) ** 2 * np.exp(-2 * log_scale), axis=-1)
    covariance = np.exp(-0.5 * distances) + np.exp(log_noise) * np.eye(x.shape[0])
    factor = np.linalg.cholesky(covariance)
    weights = np.linalg.solve(covariance, y)
    return 0.5 * y @ weights + np.sum(np.log(np.diagonal(factor))) + 0.25 * np.linalg.slogdet(covariance)[1]


def kalman_filter(np: Any, transition: Any, observation: Any, log_q: Any, log_r: Any, ys: Any) -> Any:
    """The negative logarithm of the likelihood of what is observed."""
    n, m = transition.shape[0], observation.shape[0]
    mean, covariance, total = np.zeros(n), np.eye(n), 0.0
    for t in range(ys.shape[0]):
        mean, covariance = transition @ mean, transition @ covariance @ transition.T + np.exp(log_q) * np.eye(n)
        surprise = ys[t] - observation @ mean
        spread = observation @ covariance @ observation.T + np.exp(log_r) * np.eye(m)
        gain = np.linalg.solve(spread, observation @ covariance).T
        total = total + 0.5 * (surprise @ np.linalg.solve(spread, surprise) + np.linalg.slogdet(spread)[1])
        mean, covariance = mean + gain @ surprise, covariance - gain @ observation @ covariance
    return total


def least_squares(np: Any, a: Any, b: Any) -> Any:
    x = np.linalg.lstsq(a, b)[0]
    return np.sum(np.sin(x)) + np.sum((a @ x - b) ** 2)


def pseudo_inverse(np: Any, a: Any) -> Any:
    return np.sum(np.linalg.pinv(a) ** 3)


def principal_components(np: Any, x: Any, w: Any) -> Any:
    centred = x - np.mean(x, axis=0)
    _, s, vh = np.linalg.svd(centred, full_matrices=False)
    return np.sum((vh[:2].T @ (vh[:2] @ w)) ** 2) + np.sum(np.log(s))


def spectral_functional(np: Any, a: Any) -> Any:
    values, vectors = np.linalg.eigh(a + a.T)
    exponential = vectors * np.exp(0.3 * values) @ vectors.T
    return np.sum(exponential**2) + np.sum(np.tanh(np.linalg.eigvalsh(a @ a.T)))


def log_determinants(np: Any, a: Any, b: Any) -> Any:
    sign, logarithm = np.linalg.slogdet(a)
    return np.sum(sign * logarithm) + np.sum(np.linalg.det(b) ** 2)


def orthogonalisation(np: Any, a: Any, w: Any) -> Any:
    q, r = np.linalg.qr(a)
    return np.sum((q.T @ w) ** 3) + np.sum(np.log(np.abs(np.diagonal(r)))) + np.sum(r[0] ** 2)


def whitening(np: Any, a: Any, x: Any) -> Any:
    factor = np.linalg.cholesky(a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(3))
    return np.sum(np.abs(np.linalg.solve(factor, x)) ** 2) + np.sum(np.abs(np.linalg.inv(factor)))


def matrix_norms(np: Any, a: Any) -> Any:
    return np.linalg.norm(a, "nuc") * np.linalg.norm(a, 2) + np.linalg.norm(a, 1) + np.linalg.norm(a) + np.linalg.cond(a)


def hermitian_form(np: Any, a: Any, b: Any) -> Any:
    return np.real(np.sum(np.linalg.solve(a, b) * np.linalg.inv(a)[0])) + np.linalg.slogdet(a)[1] + np.sum(np.linalg.svd(a, compute_uv=False))


def matrix_chain(np: Any, a: Any, b: Any, c: Any) -> Any:
    return np.sum(np.linalg.multi_dot([a, b, c]) * np.linalg.matrix_power(a @ a.T, 3))


FUNCTIONS: Functions = {
    "logistic_regression": (logistic_regression, (normal(4), normal(), normal(9, 4), (normal(9) > 0).astype(float))),
    "mlp": (
        mlp,
        (
            [{"w": normal(4, 5), "b": normal(5)}, {"w": normal(5, 5), "b": normal(5)}, {"w": normal(5, 3), "b": normal(3)}],
            normal(6, 4),
            numpy.eye(3)[[0, 1, 2, 0, 1, 1]],
        ),
    ),
    "cnn": (cnn, (normal(3, 3, 2, 4), normal(3, 3, 4, 3), normal(3, 2), normal(2, 8, 8, 2))),
    "lstm": (lstm, (normal(3, 16) * 0.5, normal(4, 16) * 0.5, normal(16), normal(6, 2, 3))),
    "gru": (gru, (normal(3, 4, 3), normal(3, 4, 4), normal(5, 3))),
    "attention": (attention, (normal(2, 5, 4), normal(2, 5, 4), normal(2, 5, 4))),
    "kalman": (kalman, (numpy.array([[1.0, 0.1], [-0.1, 0.9]]), normal() * 0.1, normal(8))),
    "lorenz": (lorenz, (numpy.array([1.0, 1.0, 1.0]), numpy.array([10.0, 28.0, 8 / 3]))),
    "pendulum": (pendulum, (numpy.array([0.5, 0.0]), numpy.array(1.2))),
    "van_der_pol": (van_der_pol, (numpy.array([1.0, 0.2]), numpy.array(1.5))),
    "verlet": (verlet, (normal(3), normal(3))),
    "jacobi_1d": (jacobi_1d, (normal(12), normal(12))),
    "jacobi_2d": (jacobi_2d, (normal(7, 6),)),
    "burgers": (burgers, (normal(16),)),
    "red_black": (red_black, (normal(10),)),
    "recurrence": (recurrence, (normal(6), normal(6))),
    "triangular_solve": (triangular_solve, (normal(5, 5), normal(5))),
    "cholesky_by_hand": (cholesky_by_hand, (normal(4, 4),)),
    "black_scholes": (
        black_scholes,
        (90 + 10 * rng.random(5), 95 + 10 * rng.random(5), 0.5 + rng.random(5), numpy.array(0.03), 0.2 + 0.1 * rng.random(5)),
    ),
    "layer_norm": (layer_norm, (normal(4, 6), normal(6), normal(6))),
    "batch_norm": (batch_norm, (normal(5, 3), normal(3))),
    "pairwise": (pairwise, (normal(5, 3),)),
    "mixture": (mixture, (normal(3), normal(3), normal(3), normal(8))),
    "factorization": (factorization, (normal(4, 2), normal(5, 2), normal(4, 5))),
    "rosenbrock": (rosenbrock, (normal(6),)),
    "huber": (huber, (normal(3), normal(7, 3), normal(7))),
    "embedding": (embedding, (normal(5, 3), normal(3, 2))),
    "quantiles": (quantiles, (normal(9),)),
    "discounted": (discounted, (normal(6), normal(6))),
    "maxima": (maxima, (normal(4, 5),)),
    "ties": (ties, (numpy.array([1.0, 2.0, 2.0, 0.5]),)),
    "polynomial": (polynomial, (normal(5), normal(6))),
    "products": (products, (normal(3, 4),)),
    "hyperbolic": (hyperbolic, (normal(5),)),
    "powers": (powers, (normal(5), 1.5 + rng.random(5))),
    "angles": (angles, (normal(5), normal(5))),
    "complex_modulus": (complex_modulus, (normal(4) + 1j * normal(4),)),
    "complex_signal": (complex_signal, (normal(4) + 1j * normal(4), normal(4) + 1j * normal(4))),
    "real_to_complex": (real_to_complex, (normal(4),)),
    "spectral_filter": (spectral_filter, (normal(9), normal(5) + 1j * normal(5))),
    "fft_convolution": (fft_convolution, (normal(2, 8), normal(5))),
    "power_spectrum": (power_spectrum, (normal(4, 6), normal(4, 6))),
    "pseudo_spectral": (pseudo_spectral, (normal(16),)),
    "phases": (phases, (normal(3, 4) + 1j * normal(3, 4),)),
    "with_branches": (with_branches, (normal(3),)),
    "gaussian_process": (gaussian_process, (normal(2), normal(), normal(7, 2), normal(7))),
    "kalman_filter": (kalman_filter, (0.5 * normal(3, 3), normal(2, 3), normal(), normal(), normal(4, 2))),
    "least_squares": (least_squares, (normal(6, 3), normal(6, 2))),
    "pseudo_inverse": (pseudo_inverse, (normal(3, 5),)),
    "principal_components": (principal_components, (normal(8, 4), normal(4))),
    "spectral_functional": (spectral_functional, (normal(4, 4),)),
    "log_determinants": (log_determinants, (normal(2, 4, 4), normal(3, 3))),
    "orthogonalisation": (orthogonalisation, (normal(5, 3), normal(5))),
    "whitening": (whitening, (normal(2, 3, 3), normal(2, 3, 2))),
    "complex_whitening": (whitening, (normal(3, 3) + 1j * normal(3, 3), normal(3, 2) + 1j * normal(3, 2))),
    "hermitian_form": (hermitian_form, (normal(3, 3) + 1j * normal(3, 3), normal(3, 3) + 1j * normal(3, 3))),
    "matrix_norms": (matrix_norms, (normal(4, 4),)),
    "matrix_chain": (matrix_chain, (normal(3, 5), normal(5, 2), normal(2, 3))),
}
