"""Programs of numerics as loops: linear algebra, grids, filters and steppers, with what makes their arguments of a size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def lu(A):
    n = A.shape[0]
    p = np.arange(n)
    sign = 1
    for k in range(n):
        best, row = abs(A[k, k]), k
        for i in range(k + 1, n):
            if abs(A[i, k]) > best:
                best, row = abs(A[i, k]), i
        if best == 0:
            raise ValueError(f"column {k} has no pivot")
        if row != k:
            for j in range(n):
                A[k, j], A[row, j] = A[row, j], A[k, j]
            p[k], p[row] = p[row], p[k]
            sign = -sign
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return A, p, sign


def forward_solve(L, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]
    return x


def back_solve(U, b):
    x = b.copy()
    for i in range(len(b) - 1, -1, -1):
        x[i] = (x[i] - np.dot(U[i, i + 1 :], x[i + 1 :])) / U[i, i]
    return x


def gram_schmidt(A):
    m, n = A.shape
    Q = np.zeros((m, n))
    R = np.zeros((n, n))
    for k in range(n):
        nrm = 0.0
        for i in range(m):
            nrm += A[i, k] * A[i, k]
        R[k, k] = np.sqrt(nrm)
        for i in range(m):
            Q[i, k] = A[i, k] / R[k, k]
        for j in range(k + 1, n):
            for i in range(m):
                R[k, j] += Q[i, k] * A[i, j]
            for i in range(m):
                A[i, j] -= Q[i, k] * R[k, j]
    return Q, R


def durbin(r):
    n = r.shape[0]
    y = np.zeros_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def levinson(r, order):
    a = np.zeros(order + 1)
    k = np.zeros(order)
    a[0] = 1.0
    e = r[0]
    for i in range(1, order + 1):
        acc = r[i]
        for j in range(1, i):
            acc += a[j] * r[i - j]
        k[i - 1] = -acc / e
        before = a.copy()
        for j in range(1, i):
            a[j] = before[j] + k[i - 1] * before[i - j]
        a[i] = k[i - 1]
        e *= 1 - k[i - 1] ** 2
    return a, k, e


def thomas(a, b, c, d):
    n = len(d)
    for i in range(1, n):
        w = a[i - 1] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    x = np.empty(n)
    x[-1] = d[-1] / b[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (d[i] - c[i] * x[i + 1]) / b[i]
    return x


def recurrence(x, a, b):
    y = np.empty_like(x)
    total = running = 0.0
    for i, v in enumerate(x):
        running = max(v, a * running)
        total += v
        y[i] = b * total - running
    return y, total


def iir(b, a, x):
    y = np.zeros(len(x))
    for n in range(len(x)):
        acc = 0.0
        for k in range(len(b)):
            if n - k >= 0:
                acc += b[k] * x[n - k]
        for k in range(1, len(a)):
            if n - k >= 0:
                acc -= a[k] * y[n - k]
        y[n] = acc / a[0]
    return y


def biquad(x, z):
    z1, z2 = z
    out = np.empty(len(x), x.dtype)
    for i in range(len(x)):
        y = 0.2 * x[i] + z1
        z1 = 0.4 * x[i] + 0.3 * y + z2
        z2 = 0.2 * x[i] - 0.1 * y
        out[i] = y
    z[0], z[1] = z1, z2
    return out


def conjugate_gradient(A, b, tol):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for _ in range(2 * len(b)):
        if np.sqrt(rs) < tol:
            return x, True
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        p = r + new / rs * p
        rs = new
    return x, False


def power_iteration(A, steps):
    v = np.ones(A.shape[0])
    value = 0.0
    for _ in range(steps):
        w = A @ v
        v = w / np.linalg.norm(w)
        new = v @ A @ v
        if abs(new - value) < 1e-13:
            break
        value = new
    return value, v


def slope(t, y):
    return -2.0 * y + math.sin(3.0 * t)


def rk45(y, t1, tol):
    t, h = 0.0, 0.1
    accepted = rejected = 0
    while t < t1:
        h = min(h, t1 - t)
        k1 = slope(t, y)
        k2 = slope(t + h / 4, y + h * k1 / 4)
        k3 = slope(t + 3 * h / 8, y + h * (3 * k1 + 9 * k2) / 32)
        k4 = slope(t + 12 * h / 13, y + h * (1932 * k1 - 7200 * k2 + 7296 * k3) / 2197)
        k5 = slope(t + h, y + h * (439 * k1 / 216 - 8 * k2 + 3680 * k3 / 513 - 845 * k4 / 4104))
        k6 = slope(t + h / 2, y + h * (-8 * k1 / 27 + 2 * k2 - 3544 * k3 / 2565 + 1859 * k4 / 4104 - 11 * k5 / 40))
        error = h * abs(k1 / 360 - 128 * k3 / 4275 - 2197 * k4 / 75240 + k5 / 50 + 2 * k6 / 55)
        if error <= tol:
            t += h
            y = y + h * (25 * k1 / 216 + 1408 * k3 / 2565 + 2197 * k4 / 4104 - k5 / 5)
            accepted += 1
        else:
            rejected += 1
        h *= min(4.0, max(0.1, 0.84 * (tol / error) ** 0.25 if error > 0 else 4.0))
    return y, accepted, rejected


def adaptive_heun(y, t1, tol):
    t, h = 0.0, 0.05
    times, path = [t], [y]
    while t < t1 and len(times) < 300:
        k1 = np.array([y[1], -y[0]])
        z = y + h * k1
        k2 = np.array([z[1], -z[0]])
        error = np.max(np.abs(k2 - k1)) * h / 2
        if error < tol:
            t = t + h
            y = y + h / 2 * (k1 + k2)
            times.append(t)
            path.append(y)
        h = h * min(2.0, max(0.3, 0.9 * np.sqrt(tol / (error + 1e-300))))
    return np.array(times), np.array(path)


def jacobi(A, b, tol):
    n = len(b)
    x = np.zeros(n)
    for turn in range(50):
        new = np.empty(n)
        worst = 0.0
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s -= A[i, j] * x[j]
            new[i] = s / A[i, i]
            worst = max(worst, abs(new[i] - x[i]))
        x = new
        if worst < tol:
            return x, turn
    return x, None


def heat(u, steps):
    new = u.copy()
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                new[i, j] = u[i, j] + 0.125 * (u[i + 1, j] - 2.0 * u[i, j] + u[i - 1, j]) + 0.125 * (u[i, j + 1] - 2.0 * u[i, j] + u[i, j - 1])
        u, new = new, u
    return u


def seidel(A, steps):
    n = len(A)
    for _ in range(steps):
        for i in range(1, n - 1):
            A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


def fdtd(ex, ey, hz, source):
    for t in range(len(source)):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def fdtd_line(e, h, steps):
    n = len(e)
    for t in range(steps):
        for i in range(1, n):
            e[i] += 0.5 * (h[i - 1] - h[i])
        e[n // 2] += math.exp(-((t - 8.0) ** 2) / 10.0)
        for i in range(n - 1):
            h[i] += 0.5 * (e[i] - e[i + 1])
    return e, h


def adi(u, steps):
    n = u.shape[0]
    v, p, q = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    a, b = -0.5, 2.0
    for _ in range(steps):
        for i in range(1, n - 1):
            v[0, i] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = v[0, i]
            for j in range(1, n - 1):
                p[i, j] = -a / (a * p[i, j - 1] + b)
                q[i, j] = (0.5 * u[j, i - 1] + u[j, i] + 0.5 * u[j, i + 1] - a * q[i, j - 1]) / (a * p[i, j - 1] + b)
            v[n - 1, i] = 1.0
            for j in range(n - 2, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        u[1:-1, 1:-1] = v[1:-1, 1:-1]
    return u


def life(board, steps):
    rows, columns = board.shape
    for _ in range(steps):
        new = np.zeros_like(board)
        for i in range(rows):
            for j in range(columns):
                alive = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di != 0 or dj != 0:
                            alive += board[(i + di) % rows, (j + dj) % columns]
                if alive == 3 or (board[i, j] and alive == 2):
                    new[i, j] = 1
        board = new
    return board


def boltzmann(f, steps):
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    w = np.array([4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36])
    for _ in range(steps):
        for i in range(9):
            f[i] = np.roll(np.roll(f[i], cx[i], axis=0), cy[i], axis=1)
        rho = f.sum(axis=0)
        ux = (f * cx[:, None, None]).sum(axis=0) / rho
        uy = (f * cy[:, None, None]).sum(axis=0) / rho
        for i in range(9):
            cu = 3.0 * (cx[i] * ux + cy[i] * uy)
            f[i] += 0.6 * (rho * w[i] * (1 + cu + 0.5 * cu**2 - 1.5 * (ux**2 + uy**2)) - f[i])
    return f, rho


def bodies(x, v, m, steps):
    n = len(m)
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
                pull = 0.01 / (dx * dx + dy * dy + dz * dz + 0.01) ** 1.5
                for k, d in enumerate((dx, dy, dz)):
                    v[i, k] -= d * m[j] * pull
                    v[j, k] += d * m[i] * pull
        x += 0.01 * v
    energy = 0.0
    for i in range(n):
        energy += 0.5 * m[i] * np.sum(v[i] ** 2)
    return energy


def julia(z, c, steps):
    shape = z.shape
    count = np.zeros(z.size, np.int64)
    at = np.arange(z.size)
    z = z.ravel()
    for n in range(steps):
        if len(z) == 0:
            break
        z = z * z + c
        outside = np.abs(z) > 2.0
        count[at[outside]] = n + 1
        at, z = at[~outside], z[~outside]
    return count.reshape(shape)


def bilateral(image, radius, near, like):
    rows, columns = image.shape
    out = np.empty_like(image)
    for i in range(rows):
        for j in range(columns):
            total = weights = 0.0
            for y in range(max(0, i - radius), min(rows, i + radius + 1)):
                for x in range(max(0, j - radius), min(columns, j + radius + 1)):
                    far = ((y - i) ** 2 + (x - j) ** 2) / near + (image[y, x] - image[i, j]) ** 2 / like
                    w = math.exp(-far)
                    total += w * image[y, x]
                    weights += w
            out[i, j] = total / weights
    return out


def convolution(x, k):
    n, m = len(x), len(k)
    out = np.zeros(n + m - 1)
    for i in range(n):
        for j in range(m):
            out[i + j] += x[i] * k[j]
    return out


def convolution_2d(image, kernel):
    kh, kw = kernel.shape
    out = np.zeros((max(0, image.shape[0] - kh + 1), max(0, image.shape[1] - kw + 1)))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(image[i : i + kh, j : j + kw] * kernel)
    return out


def horner(c, x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        s = 0
        for k in range(len(c) - 1, -1, -1):
            s = s * x[i] + c[k]
        out[i] = s
    return out


def clenshaw(c, x):
    b1 = b2 = 0.0
    for k in reversed(range(1, len(c))):
        b1, b2 = c[k] + 2 * x * b1 - b2, b1
    return c[0] + x * b1 - b2


def csr_product(data, indices, indptr, x):
    y = np.zeros(len(indptr) - 1)
    for i in range(len(y)):
        for at in range(indptr[i], indptr[i + 1]):
            y[i] += data[at] * x[indices[at]]
    return y


def csr_transposed(data, indices, indptr, n):
    m = len(indptr) - 1
    starts = np.zeros(n + 1, dtype=indptr.dtype)
    for j in indices:
        starts[j + 1] += 1
    for j in range(n):
        starts[j + 1] += starts[j]
    fill = starts[:-1].copy()
    values, rows = np.empty_like(data), np.empty_like(indices)
    for i in range(m):
        for at in range(indptr[i], indptr[i + 1]):
            j = indices[at]
            values[fill[j]] = data[at]
            rows[fill[j]] = i
            fill[j] += 1
    return values, rows, starts


def moving_average(x, width):
    ring = [0.0] * width
    out = []
    s = 0.0
    for i in range(len(x)):
        s += x[i] - ring[i % width]
        ring[i % width] = x[i]
        out.append(s / min(i + 1, width))
    return np.array(out)


def ring_average(x, ring):
    width = len(ring)
    out = np.empty(len(x))
    at, s = 0, 0.0
    for i in range(len(x)):
        s -= ring[at]
        ring[at] = x[i]
        s += x[i]
        at = at + 1 if at + 1 < width else 0
        out[i] = s / width
    return out


def _square(r: Any, n: int) -> Any:
    return r.normal(size=(n, n))


def _heavy(r: Any, n: int) -> Any:
    x = r.normal(size=(n, n))
    return x @ x.T + (n + 1) * np.eye(n)


def _normal(r: Any, n: int) -> Any:
    return r.normal(size=n)


def _csr(r: Any, n: int) -> Any:
    dense = r.normal(size=(n, n + 1)) * (r.random((n, n + 1)) < 0.2)
    indptr = np.concatenate([[0], np.cumsum((dense != 0).sum(axis=1))])
    return dense[dense != 0], np.nonzero(dense)[1], indptr


# (function, what makes its arguments of a generator and a size, the largest size)
NUMERICS: list[tuple[Any, Any, int]] = [
    (lu, lambda r, n: (_square(r, n),), 16),
    (forward_solve, lambda r, n: (np.tril(_square(r, n)) + 9 * np.eye(n), _normal(r, n)), 30),
    (back_solve, lambda r, n: (np.triu(_square(r, n)) + 9 * np.eye(n), _normal(r, n)), 20),
    (gram_schmidt, lambda r, n: (r.normal(size=(n + 2, n)),), 16),
    (durbin, lambda r, n: (0.3 * r.random(n) / (n + 1),), 20),
    (levinson, lambda r, n: (np.exp(-np.arange(n + 1.0)) + 0.01 * r.random(n + 1) / (n + 1), n), 30),
    (thomas, lambda r, n: (_normal(r, max(n - 1, 0)), _normal(r, n) + 9, _normal(r, max(n - 1, 0)), _normal(r, n)), 100),
    (recurrence, lambda r, n: (_normal(r, n), 0.9, 0.5), 100),
    (iir, lambda r, n: (_normal(r, 4), np.array([2.0, -0.5, 0.25]), _normal(r, n)), 100),
    (biquad, lambda r, n: (_normal(r, n), _normal(r, 2)), 100),
    (conjugate_gradient, lambda r, n: (_heavy(r, n), _normal(r, n), 1e-3), 20),
    (power_iteration, lambda r, n: (_heavy(r, n), 8), 20),
    (rk45, lambda r, n: (float(r.normal()), n / 25, 1e-6), 100),
    (adaptive_heun, lambda r, n: (r.normal(size=2), n / 50, 1e-3), 100),
    (jacobi, lambda r, n: (_square(r, n) + 5 * n * np.eye(n), _normal(r, n), 1e-9), 12),
    (heat, lambda r, n: (r.random((n, n)), 5), 12),
    (seidel, lambda r, n: (r.random((n, n)), 3), 9),
    (fdtd, lambda r, n: (r.random((n, n)), r.random((n, n)), r.random((n, n)), r.random(4)), 12),
    (fdtd_line, lambda r, n: (_normal(r, n), _normal(r, n), 12), 50),
    (adi, lambda r, n: (r.random((n, n)), 2), 12),
    (life, lambda r, n: (r.integers(0, 2, (n, n + 1)), 3), 8),
    (boltzmann, lambda r, n: (r.random((9, n, n + 1)) + 0.5, 2), 8),
    (bodies, lambda r, n: (r.normal(size=(n, 3)), r.normal(size=(n, 3)), r.random(n), 3), 8),
    (julia, lambda r, n: (r.normal(size=(n, n)) + 1j * r.normal(size=(n, n)), -0.4 + 0.6j, 12), 20),
    (bilateral, lambda r, n: (r.random((n, n + 1)), 1, 2.0, 0.5), 8),
    (convolution, lambda r, n: (_normal(r, n), _normal(r, 5)), 100),
    (convolution_2d, lambda r, n: (r.normal(size=(n, n + 1)), r.normal(size=(3, 2))), 9),
    (horner, lambda r, n: (_normal(r, 6), _normal(r, n)), 100),
    (clenshaw, lambda r, n: (_normal(r, n), float(r.uniform(-1, 1))), 100),
    (csr_product, lambda r, n: (*_csr(r, n), _normal(r, n + 1)), 30),
    (csr_transposed, lambda r, n: (*_csr(r, n), n + 1), 30),
    (moving_average, lambda r, n: (_normal(r, n), 5), 100),
    (ring_average, lambda r, n: (_normal(r, n), np.zeros(4)), 100),
]
